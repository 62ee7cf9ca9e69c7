//! Classes made by hand: sensitive values per class, without any search.
