//! What other programs and papers call something that is here under another name, so that an unknown name can be answered.

/// A line for each name here: what the name is (`algorithm`, `model` or `metric`), the name here, and what others call it.
pub(crate) const ELSEWHERE: &str = "
algorithm optimal           lightning best_effort_search depth_first exhaustive_search global_recoding full_domain arx
algorithm tds               top_down top_down_specialization top_down_greedy best_effort_top_down
algorithm bottom_up         best_effort_bottom_up bottom_up_greedy bottom_up_generalization
algorithm genetic           best_effort_genetic genetic_algorithm ga
algorithm local_suppression localsuppression local_supp cell_suppression suppression kanon
algorithm mdav              microaggregation micro_aggregation
algorithm permutation       pram post_randomization shuffle shuffling swapping rank_swap rankswap swap
algorithm mu_argus          argus mu_argus_
algorithm datafly           data_fly
algorithm cluster           clustering k_means kmeans local_recoding
algorithm mondrian          multidimensional lefevre strict_mondrian relaxed_mondrian basic_mondrian
model     k_anonymity       kanonymity k_anon kanon k
model     l_diversity       ldiversity distinct_l_diversity entropy_l_diversity recursive_c_l_diversity
model     t_closeness       tcloseness equal_distance_t_closeness hierarchical_distance_t_closeness ordered_distance_t_closeness
model     delta_presence    d_presence dpresence
model     delta_disclosure  d_disclosure_privacy delta_disclosure_privacy
model     beta_likeness     basic_b_likeness enhanced_b_likeness b_likeness
model     k_map             kmap
metric    loss              lm loss_metric ilm ncp gcp
metric    discernibility    dm dm_star discernability
metric    non_uniform_entropy nue entropy
";

/// The name here of what others call so, if it is one of `known`.
pub(crate) fn name_here(what: &str, given: &str, known: &[&str]) -> Option<&'static str> {
    let wanted = plain(given);
    let here = ELSEWHERE.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        let is_asked = words.next()? == what;
        let name = words.next()?;
        (is_asked && words.any(|other| plain(other) == wanted)).then_some(name)
    });
    here.filter(|name| known.contains(name))
}

/// `localSuppression`, `local-suppression` and `local_suppression` are one name.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase()
}
