//! The reasons against publishing a table, from its risk alone.

use super::{Point, Step, Verdict, Words};
use crate::base::format::{percent, share};
use crate::risk::{Assessment, words};

pub(super) fn verdict(found: &Assessment) -> Verdict {
    let (risk, unit) = (&found.prosecutor, found.unit);
    let threshold = percent(risk.threshold);
    let mut points = Vec::new();
    if risk.rows_above > 0 {
        let worst =
            found.singling.as_ref().and_then(|singling| singling.columns.first()).filter(|c| c.share > 0.0);
        let step = match worst {
            Some(column) => format!(
                "Before publishing, coarsen the columns that single people out, {} first; then look again.",
                column.column
            ),
            None => "Before publishing, coarsen these columns; then look again.".to_owned(),
        };
        let says = format!(
            "{} of {} can be found with a chance above {threshold}.",
            share(risk.rows_above, risk.rows),
            unit.many()
        );
        points.push(Point::decide(says, step));
    }
    points.extend(
        found.warnings.iter().map(|warning| {
            Point::decide(format!("Warning: {warning}."), "Decide whether you can accept this.")
        }),
    );
    let words = Words {
        green: format!("No {} can be found with a chance above {threshold}", unit.one()),
        amber: "Risks are left: ",
        red: "Not ready to publish",
        fine: vec![Step::plain("Ask whether outsiders know more columns than these; then check the models.")],
        after: None,
    };
    Verdict::of(points, words::prosecutor(risk, unit), words)
}
