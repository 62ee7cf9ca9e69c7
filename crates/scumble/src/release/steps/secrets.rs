//! What steps need that nobody else may know: the key and the id of the release; and what is said about steps that rest on them.

use std::cell::OnceCell;

use super::Purpose;
use crate::base::chance::secret_unless;
use crate::base::format::capitalised;
use crate::base::key::Key;
use crate::config::{Plan, TransformSpec};
use crate::error::{Error, Result};
use crate::release::linkable;
use crate::release::resources::Resources;
use crate::transforms::{StepTruth, steps};

/// Gives a release its random id beforehand, if its steps need one and the plan has none. Only with that id can the release be compared with its
/// original.
pub fn give_release_id(plan: &mut Plan) -> Result<()> {
    let secrets = Secrets::of(Purpose::Release);
    let seed = plan.algorithm.seed;
    for spec in &mut plan.transform {
        let of_release = steps(std::slice::from_ref(spec))?.iter().any(|step| {
            let facts = step.transform.facts();
            facts.truth == StepTruth::Pseudonym && facts.needs_chance
        });
        if of_release && spec.parameters.get("release_id").is_none() {
            let id = u128::from_be_bytes(secrets.release(seed)?);
            spec.parameters.set("release_id", format!("{id:032x}").as_str().into());
        }
    }
    Ok(())
}

/// What steps need that nobody else may know. Each is there from its first use on.
pub(super) struct Secrets {
    key: OnceCell<Key>,
    release: OnceCell<[u8; 16]>,
    purpose: Purpose,
}

impl Secrets {
    pub(super) fn of(purpose: Purpose) -> Self {
        Self { key: OnceCell::new(), release: OnceCell::new(), purpose }
    }

    pub(super) fn key(&self, plan: &Plan, resources: &Resources) -> Result<Key> {
        if self.key.get().is_none() {
            let _ = self.key.set(resources.key(plan)?);
        }
        self.key.get().cloned().ok_or_else(|| Error::internal("a key was lost"))
    }

    /// The random id of the release.
    pub(super) fn release(&self, seed: Option<u64>) -> Result<[u8; 16]> {
        if self.purpose == Purpose::Comparison {
            return Err(Error::refused(
                "every release has codes of its own, and nobody says which release this is",
            )
            .advise("put the release_id that its private report shows into the step of the plan"));
        }
        if self.release.get().is_none() {
            let mut chance = secret_unless(seed)?;
            let mut id = [0; 16];
            rand_chacha::rand_core::Rng::fill_bytes(&mut chance, &mut id);
            let _ = self.release.set(id);
        }
        self.release.get().copied().ok_or_else(|| Error::internal("an id was lost"))
    }
}

/// Whether the protection of some step rests on draws that anybody with the random seed can repeat.
fn is_seeded(plan: &Plan) -> bool {
    let draws =
        || steps(&plan.transform).unwrap_or_default().iter().any(|step| step.transform.facts().needs_chance);
    plan.algorithm.seed.is_some() && draws()
}

/// Warnings about steps.
pub(super) fn warnings(plan: &Plan) -> Vec<String> {
    let seeded = "a seed was given, and whoever knows it can repeat the draws of the steps: this release is for tests, not for publication";
    let linked = plan.accept_linkable_rows.then_some(linkable::ROWS_ARE_LINKED);
    is_seeded(plan).then_some(seeded).into_iter().chain(linked).map(str::to_owned).collect()
}

/// The warning that new rows have the codes of the release whose rule is applied to them.
pub(in crate::release) fn same_codes(plan: &Plan) -> Option<String> {
    let repeats = |spec: &&TransformSpec| spec.parameters.get("release_id").is_some();
    let names: Vec<&str> = plan.transform.iter().filter(repeats).flat_map(TransformSpec::changed).collect();
    (!names.is_empty()).then(|| {
        format!(
            "codes made of {} are the same as in the release that the recoding comes from, so anybody can join rows of both",
            names.join(" and ")
        )
    })
}

/// What the datasheet says about steps that is not promised.
pub(in crate::release) fn limits(plan: &Plan) -> Vec<String> {
    let seeded =
        "For tests, not for publication: draws were made from a seed, and whoever has it can repeat them.";
    let linked = plan.accept_linkable_rows.then(|| format!("{}.", capitalised(linkable::ROWS_ARE_LINKED)));
    is_seeded(plan).then(|| seeded.to_owned()).into_iter().chain(linked).collect()
}
