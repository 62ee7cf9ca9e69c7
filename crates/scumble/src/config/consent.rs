//! Consent to publish a column although it holds personal data or free text. It is given for one column, with a reason.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::audience::Audience;
use super::column::Column;
use super::roles::Role;
use crate::error::{Error, Setting};
use crate::table::personal::GatedKind;

/// Consent to publish values of these kinds. Any other kind that is found still stops the release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    expecting = "the kinds that are accepted and a reason: { kinds = [\"email\"], reason = \"public office addresses\" }"
)]
pub struct AcceptPii {
    /// The kinds of personal data that may be published.
    pub kinds: Vec<GatedKind>,
    /// Why they may be published.
    pub reason: String,
}

/// Consent to publish free text. Nothing can be looked for in it with certainty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a reason: { reason = \"two people have read it\" }")]
pub struct AcceptFreeText {
    /// Why it may be published.
    pub reason: String,
}

/// What is wrong with the consent of a column, with the keys that lead to it.
pub(super) fn fault(
    name: &str,
    column: &Column,
    audience: Audience,
) -> Option<(&'static [&'static str], Error)> {
    let given = [
        ("accept_pii", column.accept_pii.as_ref().map(|consent| &consent.reason)),
        ("accept_free_text", column.accept_free_text.as_ref().map(|consent| &consent.reason)),
    ];
    let published = Role::PUBLISHED.iter().any(|role| column.role.has(*role));
    for (key, reason) in given {
        let Some(reason) = reason else { continue };
        let path: &[&str] = if key == "accept_pii" { &["accept_pii"] } else { &["accept_free_text"] };
        if !published {
            let error =
                Error::config(format_args!("{key} is for columns that are published, and this one is not"));
            // One call for each key, so that it can be found in the source.
            let error = match key {
                "accept_pii" => error
                    .unset(Setting::column("accept_pii").of(&[name]), "leave accept_pii out of the column"),
                _ => error.unset(
                    Setting::column("accept_free_text").of(&[name]),
                    "leave accept_free_text out of the column",
                ),
            };
            return Some((path, error));
        }
        if reason.trim().is_empty() {
            let error = Error::config(format_args!("{key} needs a reason, and the reason is empty"))
                .advise("write why these values may be published");
            return Some((path, error));
        }
    }
    if column.accept_pii.as_ref().is_some_and(|consent| consent.kinds.is_empty()) {
        let error = Error::config("accept_pii names no kind, so it accepts nothing")
            .set(Setting::column("accept_pii").of(&[name]), "name the kinds that may be published")
            .unset(Setting::column("accept_pii").of(&[name]), "leave accept_pii out of the column");
        return Some((&["accept_pii", "kinds"], error));
    }
    if column.accept_free_text.is_some() && audience == Audience::Public {
        let error = Error::refused(
            "free text is never published for the audience 'public', which is also the audience where none is named: \
             nobody can say what such text tells about people",
        )
        .set(Setting::role("drop").of(&[name]), "leave the column out of the release")
        .weaken(
            Setting::risk("audience").to("researchers"),
            "publish for a smaller audience, if that is who will read the release",
        );
        return Some((&["accept_free_text"], error));
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::config::Plan;

    const HEAD: &str = "input = \"in.csv\"\noutput = \"out.csv\"\n";

    fn plan(text: &str) -> Plan {
        Plan::from_toml(text, "release.toml").unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn consent_is_given_for_kinds_and_with_a_reason() {
        let column = |risk: &str, lines: &str| format!("{HEAD}{risk}[columns.contact]\n{lines}\n");
        let fault = |role: &str, line: &str| {
            let text = column("", &format!("role = \"{role}\"\n{line}"));
            Plan::from_toml(&text, "release.toml").expect_err(line).to_string()
        };
        let of_kinds = |kinds: &str, reason: &str| {
            format!("accept_pii = {{ kinds = [{kinds}], reason = \"{reason}\" }}")
        };
        let given = plan(&column(
            "",
            &format!("role = \"other\"\n{}", of_kinds("\"email\", \"person_name\"", "a register")),
        ));
        let consent = given.columns[0].1.accept_pii.as_ref().expect("given");
        assert_eq!((consent.kinds.len(), consent.reason.as_str()), (2, "a register"));
        assert_eq!(plan(&given.to_toml().expect("it can be written")), given);
        assert!(fault("other", &of_kinds("\"e_mail\"", "x")).contains("did you mean 'email'?"));
        assert!(fault("other", &of_kinds("\"email\"", " ")).contains("accept_pii needs a reason"));
        assert!(fault("other", &of_kinds("", "x")).contains("accept_pii names no kind"));
        assert!(fault("other", "accept_pii = { kinds = [\"email\"] }").contains("reason"));
        // Who agrees with a plain yes learns what to write.
        assert!(fault("other", "accept_pii = true").contains("{ kinds = [\"email\"], reason = "));
        assert!(fault("other", "accept_free_text = true").contains("{ reason = "));
        assert!(
            fault("identifier", &of_kinds("\"email\"", "x")).contains("is for columns that are published")
        );
        assert!(fault("other", "accept_free_text = true").starts_with("release.toml:"));
        // Free text is for a smaller audience only, and nobody said who reads this release.
        let text = "accept_free_text = { reason = \"x\" }";
        let public = fault("other", text);
        assert!(public.contains("never published for the audience 'public'"), "{public}");
        assert!(
            public.contains("[columns.contact] role = \"drop\"") && public.contains("[risk] audience"),
            "{public}"
        );
        for audience in ["researchers", "inside"] {
            let risk = format!("risk = {{ audience = \"{audience}\" }}\n");
            assert!(
                plan(&column(&risk, &format!("role = \"other\"\n{text}"))).columns[0]
                    .1
                    .accept_free_text
                    .is_some()
            );
        }
    }
}
