//! (X,Y)-anonymity (models.md 1.6): every group of X has at least k different values of Y.

use super::values::{Different, OfColumn};
use super::{Model, ModelContext, needs, protected_columns, several};
use crate::base::entry::{Entry, Standing};
use crate::config::Parameters;
use crate::error::{Error, Result, Setting};

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildModel> = Entry {
    name: "xy_anonymity",
    title: "(X,Y)-anonymity",
    paper: "Wang, Fung 2006",
    standing: Standing::Recommended,
    about: "Every combination of the quasi-identifiers X goes with at least k different values of Y: of a person, where a table \
            has several rows each, or of any other columns that are published as they are. X are all quasi-identifiers or a set of \
            them (quasi). It counts values and ignores how often each occurs; (X,Y)-linkability bounds that, and both together are \
            (X,Y)-privacy.",
    parameters: &[
        ("k", "the least number of different values of Y that a group has"),
        ("y", "the columns Y; several of them are one value together"),
    ],
    build,
};

const MEANING: &str = "Whoever knows these columns about a person finds rows with";

fn build(parameters: &Parameters, context: &ModelContext<'_>) -> Result<Vec<Box<dyn Model>>> {
    on_y(ENTRY.name, parameters, context, separate)
}

/// Builds a model on the columns Y that its parameters name: on the one column, or on the tuples of several.
pub(super) fn on_y(
    model: &'static str,
    parameters: &Parameters,
    context: &ModelContext<'_>,
    separate: super::BuildModel,
) -> Result<Vec<Box<dyn Model>>> {
    let named = parameters.texts("y")?.unwrap_or_default();
    let mut names: Vec<String> = named.into_iter().map(str::to_owned).collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        return Err(Error::config(format!("model '{model}' needs y, the columns whose values it counts"))
            .set(Setting::model("y").to(vec!["patient"]), "name the columns"));
    }
    if let Some(name) = names.iter().find(|name| context.table.payloads().position(name).is_none()) {
        return Err(Error::config(format!(
            "model '{model}': y names '{name}', which is no column that is published as it is, and does not say who a row is about; Y \
             may have the roles sensitive, class, other and subject, and must be apart from the quasi-identifiers"
        )));
    }
    let places = super::places_of(model, &names, context.table.payloads())?;
    if places.len() > 1 {
        return several::joint(&places, parameters, context, separate);
    }
    let trees = |name: &str| (context.trees)(name);
    let of_one =
        ModelContext { table: context.table, trees: &trees, columns: &names, sensitive: context.sensitive };
    separate(parameters, &of_one)
}

fn separate(parameters: &Parameters, context: &ModelContext<'_>) -> Result<Vec<Box<dyn Model>>> {
    let k = parameters.whole("k", 1)?.ok_or_else(|| needs(ENTRY.name, "k", 5))?;
    let columns = protected_columns(ENTRY.name, context)?.into_iter();
    let model = |(column, place)| {
        Box::new(OfColumn::new(Different { k, model: &ENTRY, meaning: MEANING }, column, place, context))
            as Box<dyn Model>
    };
    Ok(columns.map(model).collect())
}
