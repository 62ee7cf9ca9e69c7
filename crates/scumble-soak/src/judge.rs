//! The slow checker: is a published release true of the original, and does it keep its promises?

use std::collections::BTreeMap;

use crate::csv;
use crate::fraction::Fraction;
use crate::label::covers;
use crate::matching::{perfect, possible};
use crate::model::{Model, Released, Sensitive, judge};
use crate::plan::{Plan, Shape};
use crate::scene::{Column, Role, Scene};

/// The public files of a release: texts by their paths below the folder of outputs.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// A table as it was read: the names of its columns, and its rows.
struct Table {
    names: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    fn read(files: &Files, name: &str) -> Result<Self, String> {
        let bytes = files.get(name).ok_or_else(|| format!("there is no {name}"))?;
        let text = std::str::from_utf8(bytes).map_err(|_| format!("{name} is not UTF-8"))?;
        let mut rows = csv::read(text, ',').map_err(|why| format!("{name}: {why}"))?;
        if rows.is_empty() {
            return Err(format!("{name} has no header"));
        }
        let names = rows.remove(0);
        match rows.iter().find(|row| row.len() != names.len()) {
            Some(_) => Err(format!("{name}: a row has another number of cells than the header")),
            None => Ok(Self { names, rows }),
        }
    }

    fn at(&self, name: &str) -> Result<usize, String> {
        self.names
            .iter()
            .position(|other| other == name)
            .ok_or_else(|| format!("the column {name} is missing"))
    }

    fn cells(&self, name: &str) -> Result<Vec<String>, String> {
        let at = self.at(name)?;
        Ok(self.rows.iter().map(|row| row[at].clone()).collect())
    }

    fn must_have(&self, expected: &[String]) -> Result<(), String> {
        if self.names == expected {
            Ok(())
        } else {
            Err(format!("columns {:?} instead of {expected:?}", self.names))
        }
    }
}

/// Checks the public files of a release, and returns what is wrong.
pub(crate) fn release(scene: &Scene, plan: &Plan, files: &Files) -> Result<(), String> {
    match plan.shape {
        Shape::Classes => classes(scene, plan, files),
        Shape::Means => means(scene, plan, files),
        Shape::Frequencies => frequencies(scene, plan, files),
        Shape::Concealment => concealment(scene, plan, files),
        Shape::Exchange => exchange(scene, plan, files),
        Shape::Projections => projections(scene, plan, files),
        Shape::Anatomy | Shape::Permutation => groups(scene, plan, files),
    }
}

const MAIN: &str = "release.csv";

fn is_published(column: &&Column) -> bool {
    matches!(column.role, Role::Quasi | Role::Sensitive | Role::Class | Role::Other)
}

fn published(scene: &Scene) -> Vec<&Column> {
    scene.columns.iter().filter(is_published).collect()
}

fn names(columns: &[&Column]) -> Vec<String> {
    columns.iter().map(|column| column.name.clone()).collect()
}

fn of_table(scene: &Scene, table: &Table) -> Result<Released, String> {
    let mut quasi = Vec::new();
    for column in scene.quasi() {
        quasi.push(table.cells(&column.name)?);
    }
    let mut exact = BTreeMap::new();
    for column in published(scene).into_iter().filter(|column| column.role != Role::Quasi) {
        exact.insert(column.name.clone(), table.cells(&column.name)?);
    }
    Ok(Released { rows: table.rows.len(), quasi, exact })
}

/// Checks that every released row stands for an original row of its own.
fn truth(
    columns: &[&Column],
    table: &Table,
    rows: usize,
    more: impl Fn(usize, usize) -> bool,
) -> Result<(), String> {
    let mut places = Vec::new();
    for column in columns {
        places.push((*column, table.at(&column.name)?));
    }
    let fits = |released: usize, original: usize| {
        places.iter().all(|(column, at)| {
            let (shown, raw) = (&table.rows[released][*at], &column.cells[original]);
            if column.role == Role::Quasi { covers(column, shown, raw) } else { shown == raw }
        }) && more(released, original)
    };
    let fits: Vec<Vec<usize>> = (0..table.rows.len())
        .map(|released| (0..rows).filter(|&row| fits(released, row)).collect())
        .collect();
    if let Some(row) = fits.iter().position(Vec::is_empty) {
        return Err(format!(
            "untrue: the released row {} fits no original row: {:?}",
            row + 1,
            table.rows[row]
        ));
    }
    match perfect(&fits, rows) {
        Some(_) => Ok(()),
        None => Err("untrue: released rows cannot each stand for an original row of its own".into()),
    }
}

fn models(scene: &Scene, plan: &Plan, released: &Released) -> Result<(), String> {
    for requirement in &plan.requirements {
        // Under the policy `paper`, rows that show * in all columns of a requirement are not checked.
        let shows = |row: &usize| requirement.quasi.iter().any(|&column| released.quasi[column][*row] != "*");
        let judged: Vec<usize> =
            (0..released.rows).filter(|row| plan.policy != "paper" || shows(row)).collect();
        judge(&requirement.model, &requirement.quasi, released, &judged, scene)
            .map_err(|why| format!("model does not hold: {why}"))?;
    }
    Ok(())
}

fn classes(scene: &Scene, plan: &Plan, files: &Files) -> Result<(), String> {
    let table = Table::read(files, MAIN)?;
    table.must_have(&names(&published(scene)))?;
    let count = table.rows.len();
    if count > scene.rows || count < scene.rows && plan.policy != "drop" {
        return Err(format!("{count} rows were released of {}", scene.rows));
    }
    truth(&published(scene), &table, scene.rows, |_, _| true)?;
    models(scene, plan, &of_table(scene, &table)?)
}

/// Returns the rows of the columns, sorted. Two tables with equal results differ only in their order.
fn sorted(columns: impl Iterator<Item = Vec<String>>, rows: usize) -> Vec<Vec<String>> {
    let columns: Vec<Vec<String>> = columns.collect();
    let mut rows: Vec<Vec<String>> =
        (0..rows).map(|row| columns.iter().map(|column| column[row].clone()).collect()).collect();
    rows.sort();
    rows
}

/// Checks that the table has the original's rows in these columns, in any order.
fn same_rows(columns: &[&Column], table: &Table, rows: usize) -> Result<(), String> {
    let mut shown = Vec::new();
    for column in columns {
        shown.push(table.cells(&column.name)?);
    }
    let shown = sorted(shown.into_iter(), table.rows.len());
    if shown == sorted(columns.iter().map(|column| column.cells.clone()), rows) {
        Ok(())
    } else {
        Err(format!("untrue: {:?} are not those of the original", names(columns)))
    }
}

/// Checks means, which are true of classes and not of rows: sums are kept up to rounding, and no mean is outside its column's range.
fn means(scene: &Scene, plan: &Plan, files: &Files) -> Result<(), String> {
    let table = Table::read(files, MAIN)?;
    table.must_have(&names(&published(scene)))?;
    let kept: Vec<&Column> =
        published(scene).into_iter().filter(|column| column.role != Role::Quasi).collect();
    same_rows(&kept, &table, scene.rows)?;
    for column in scene.quasi() {
        let read =
            |texts: &[String]| texts.iter().map(|text| text.parse::<f64>()).collect::<Result<Vec<_>, _>>();
        let shown = read(&table.cells(&column.name)?).map_err(|_| "a mean is no number")?;
        let raw = read(&column.cells).map_err(|_| "a number is none")?;
        let (low, high) = raw.iter().fold((f64::MAX, f64::MIN), |(low, high), &x| (low.min(x), high.max(x)));
        if shown.iter().any(|&mean| mean < low - 0.01 || mean > high + 0.01) {
            return Err("untrue: a mean lies outside of its column".into());
        }
        let drift = (shown.iter().sum::<f64>() - raw.iter().sum::<f64>()).abs();
        if shown.len() != raw.len() || drift > 0.0051 * raw.len() as f64 {
            return Err("untrue: the means do not add up to the column".into());
        }
    }
    models(scene, plan, &of_table(scene, &table)?)
}

/// Returns the k and l that the plan asks for.
fn k_and_l(plan: &Plan) -> (usize, Fraction) {
    let (mut k, mut l) = (1, Fraction::new(1, 1));
    for requirement in &plan.requirements {
        match &requirement.model {
            Model::Size { k: asked } => k = *asked,
            Model::Of { what: Sensitive::Frequency(asked), .. } => l = *asked,
            Model::Of { what: Sensitive::Distinct(asked), .. } => l = Fraction::new(*asked as i128, 1),
            _ => {}
        }
    }
    (k, l)
}

/// Returns for each record the original rows that its quasi-identifiers cover.
fn covered(scene: &Scene, table: &Table) -> Result<Vec<Vec<usize>>, String> {
    let quasi = scene.quasi();
    let mut places = Vec::new();
    for column in &quasi {
        places.push(table.at(&column.name)?);
    }
    let fits = |record: &Vec<String>, row: usize| {
        quasi.iter().zip(&places).all(|(column, &at)| covers(column, &record[at], &column.cells[row]))
    };
    Ok(table.rows.iter().map(|record| (0..scene.rows).filter(|&row| fits(record, row)).collect()).collect())
}

fn frequencies(scene: &Scene, plan: &Plan, files: &Files) -> Result<(), String> {
    let table = Table::read(files, MAIN)?;
    let (k, l) = k_and_l(plan);
    let target = scene.of_role(Role::Sensitive).next().or_else(|| scene.of_role(Role::Class).next());
    let target = target.ok_or("nothing could become frequencies")?;
    let prefix = format!("{}=", target.name);
    let of: Vec<(usize, &str)> = (table.names.iter().enumerate())
        .filter_map(|(at, name)| Some((at, name.strip_prefix(&prefix)?)))
        .collect();
    let share = |row: usize, at: usize| table.rows[row][at].parse::<f64>().unwrap_or(f64::NAN);
    for row in 0..table.rows.len() {
        let shares: Vec<f64> = of.iter().map(|(at, _)| share(row, *at)).collect();
        let most = shares.iter().copied().fold(0.0, f64::max);
        let whole = (shares.iter().sum::<f64>() - 1.0).abs() < 0.01;
        if !whole || most > 1.0 / l.float() + 0.0006 {
            return Err(format!("model does not hold: frequencies {shares:?} with l = {}", l.float()));
        }
    }
    if covered(scene, &table)?.iter().any(|rows| rows.len() < k) {
        return Err(format!("model does not hold: a record covers fewer than {k} rows"));
    }
    if table.rows.len() != scene.rows {
        return Err("rows are missing or were added".into());
    }
    let columns: Vec<&Column> =
        published(scene).into_iter().filter(|column| column.name != target.name).collect();
    truth(&columns, &table, scene.rows, |record, row| {
        of.iter().any(|(at, value)| *value == target.cells[row] && share(record, *at) > 0.0)
    })
}

/// Returns the same edges from the rows to the records.
fn turned(records: &[Vec<usize>], rows: usize) -> Vec<Vec<usize>> {
    let mut of = vec![Vec::new(); rows];
    for (record, list) in records.iter().enumerate() {
        list.iter().for_each(|&row| of[row].push(record));
    }
    of
}

fn concealment(scene: &Scene, plan: &Plan, files: &Files) -> Result<(), String> {
    let table = Table::read(files, MAIN)?;
    table.must_have(&names(&published(scene)))?;
    if table.rows.len() != scene.rows {
        return Err("rows are missing or were added".into());
    }
    truth(&published(scene), &table, scene.rows, |_, _| true)?;
    let (k, _) = k_and_l(plan);
    let records = covered(scene, &table)?;
    let rows = turned(&records, scene.rows);
    let enough = |lists: &[Vec<usize>]| lists.iter().all(|list| list.len() >= k);
    let holds = match plan.text.split("guarantee = ").nth(1).and_then(|rest| rest.split('"').nth(1)) {
        Some("covers") => enough(&records),
        Some("covered") => enough(&rows),
        Some("both") => enough(&records) && enough(&rows),
        _ => possible(&rows, scene.rows).iter().all(|&count| count >= k),
    };
    if holds { Ok(()) } else { Err(format!("model does not hold: fewer than {k} records may be somebody's")) }
}

fn exchange(scene: &Scene, plan: &Plan, files: &Files) -> Result<(), String> {
    let table = Table::read(files, MAIN)?;
    table.must_have(&names(&published(scene)))?;
    let (_, l) = k_and_l(plan);
    let (protected, rest): (Vec<&Column>, Vec<&Column>) =
        published(scene).into_iter().partition(|column| exchanged(plan, &column.name));
    same_rows(&protected, &table, scene.rows)?;
    truth(&rest, &table, scene.rows, |_, _| true)?;
    let records = covered(scene, &table)?;
    for column in &protected {
        for rows in &records {
            let mut values: Vec<&String> = rows.iter().map(|&row| &column.cells[row]).collect();
            values.sort();
            values.dedup();
            if Fraction::new(values.len() as i128, 1).below(l) {
                return Err("model does not hold: a record covers rows of too few values".into());
            }
        }
    }
    let rows = turned(&records, scene.rows);
    if scene.rows <= 20
        && possible(&rows, scene.rows).iter().any(|&count| Fraction::new(count as i128, 1).below(l))
    {
        return Err("model does not hold: too few records may be somebody's".into());
    }
    Ok(())
}

fn exchanged(plan: &Plan, name: &str) -> bool {
    plan.requirements.iter().any(|requirement| match &requirement.model {
        Model::Of { columns, .. } => columns.iter().any(|column| column == name),
        _ => false,
    })
}

fn projections(scene: &Scene, plan: &Plan, files: &Files) -> Result<(), String> {
    let (k, _) = k_and_l(plan);
    let tables: Vec<&String> = files.keys().filter(|name| name.ends_with(".csv")).collect();
    if tables.is_empty() {
        return Err("there is no table".into());
    }
    for name in tables {
        let table = Table::read(files, name)?;
        let columns: Vec<&Column> =
            published(scene).into_iter().filter(|column| table.names.contains(&column.name)).collect();
        if columns.len() != table.names.len() || table.rows.len() != scene.rows {
            return Err(format!("{name} has columns or rows that are not the original's"));
        }
        truth(&columns, &table, scene.rows, |_, _| true).map_err(|why| format!("{name}: {why}"))?;
        let quasi: Vec<&&Column> = columns.iter().filter(|column| column.role == Role::Quasi).collect();
        let mut sizes: BTreeMap<Vec<&String>, usize> = BTreeMap::new();
        for row in &table.rows {
            let key =
                quasi.iter().filter_map(|column| table.at(&column.name).ok()).map(|at| &row[at]).collect();
            *sizes.entry(key).or_default() += 1;
        }
        if sizes.values().any(|&size| size < k) {
            return Err(format!("model does not hold: {name} has a class of fewer than {k} rows"));
        }
    }
    Ok(())
}

/// Checks anatomy and permutation: rows unchanged with the number of their group, and a table about the groups.
fn groups(scene: &Scene, plan: &Plan, files: &Files) -> Result<(), String> {
    let find = |end: &str| {
        files.keys().find(|name| name.ends_with(end)).cloned().ok_or(format!("there is no {end}"))
    };
    let rows = Table::read(files, &find("rows.csv")?)?;
    let about = Table::read(files, &find("groups.csv")?)?;
    let group_at = rows.at("group")?;
    let secret = published(scene).into_iter().find(|column| exchanged(plan, &column.name));
    let secret = secret.ok_or("no column is protected")?;
    let rest: Vec<&Column> =
        published(scene).into_iter().filter(|column| column.name != secret.name).collect();
    // Values are not coarser, but those that look like a label are marked.
    truth(&rest, &rows, scene.rows, |_, _| true)?;
    if rows.rows.len() != scene.rows {
        return Err("rows are missing or were added".into());
    }
    let mut values: BTreeMap<&String, Vec<String>> = BTreeMap::new();
    if plan.shape == Shape::Anatomy {
        let (group, value, count) = (about.at("group")?, about.at(&secret.name)?, about.at("rows")?);
        for line in &about.rows {
            let times = line[count].parse().map_err(|_| "a count is no number")?;
            values.entry(&line[group]).or_default().extend(std::iter::repeat_n(line[value].clone(), times));
        }
    } else {
        let at = rows.at(&secret.name)?;
        for row in &rows.rows {
            values.entry(&row[group_at]).or_default().push(row[at].clone());
        }
    }
    for (group, values) in &values {
        let size = rows.rows.iter().filter(|row| row[group_at] == **group).count();
        if size != values.len() {
            return Err(format!("untrue: group {group} has {size} rows and {} values", values.len()));
        }
        let mut counts: BTreeMap<&String, i128> = BTreeMap::new();
        values.iter().for_each(|value| *counts.entry(value).or_default() += 1);
        for requirement in &plan.requirements {
            let holds = match &requirement.model {
                Model::Of { what: Sensitive::Range { k, e, .. }, .. } => {
                    let numbers: Vec<i128> = counts.keys().filter_map(|text| text.parse().ok()).collect();
                    let span = numbers.iter().max().unwrap_or(&0) - numbers.iter().min().unwrap_or(&0);
                    counts.len() >= *k && e.at_most(Fraction::new(span, 1))
                }
                _ => {
                    let (_, l) = k_and_l(plan);
                    let most = counts.values().copied().max().unwrap_or(0);
                    most * l.over <= size as i128 * l.under
                }
            };
            if !holds {
                return Err(format!("model does not hold: group {group} of {size} rows"));
            }
        }
    }
    let mut all: Vec<String> = values.into_values().flatten().collect();
    all.sort();
    let mut original = secret.cells.clone();
    original.sort();
    if all == original {
        Ok(())
    } else {
        Err("untrue: the protected values are not those of the original".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Requirement;
    use crate::scene::{Hierarchy, Kind};

    fn column(name: &str, role: Role, cells: &[&str]) -> Column {
        let cells = cells.iter().map(ToString::to_string).collect();
        let hierarchy = Hierarchy::None;
        Column { name: name.into(), role, kind: Kind::Text, hierarchy, label: None, range: None, cells }
    }

    /// Checks a release of four people.
    fn judged(text: &str, policy: &'static str) -> Result<(), String> {
        let columns = vec![
            column("job", Role::Quasi, &["cook", "cook", "nurse", "smith"]),
            column("ill", Role::Sensitive, &["flu", "hiv", "flu", "hiv"]),
            column("name", Role::Identifier, &["a", "b", "c", "d"]),
        ];
        let scene = Scene { columns, rows: 4, population: None, delimiter: ',' };
        let requirement = Requirement { name: "k", model: Model::Size { k: 2 }, quasi: vec![0] };
        let plan = Plan {
            algorithm: "mondrian",
            shape: Shape::Classes,
            policy,
            requirements: vec![requirement],
            text: String::new(),
            repeatable: true,
            one_class_holds: true,
        };
        release(&scene, &plan, &Files::from([(MAIN.to_owned(), text.as_bytes().to_vec())]))
    }

    #[test]
    fn a_true_release_passes() {
        let text = "job,ill\ncook,flu\ncook,hiv\n{nurse|smith},flu\n{nurse|smith},hiv\n";
        assert_eq!(judged(text, "strict"), Ok(()));
    }

    #[test]
    fn what_is_wrong_is_found() {
        let rest = "cook,flu\ncook,hiv\n";
        for (text, policy, why) in [
            ("{nurse|smith},flu\n{nurse|smith},flu\n", "strict", "untrue"),
            ("{nurse|cook},flu\n{nurse|cook},hiv\n", "strict", "untrue"),
            ("{nurse|smith},flu\n", "strict", "3 rows were released"),
            ("nurse,flu\nsmith,hiv\n", "strict", "does not hold"),
            ("*,flu\n", "drop", "does not hold"),
            ("*,flu\n*,hiv\n*,hiv\n", "drop", "5 rows were released"),
        ] {
            let found = judged(&format!("job,ill\n{rest}{text}"), policy);
            assert!(found.as_ref().is_err_and(|found| found.contains(why)), "{text}: {found:?}");
        }
        assert!(
            judged("job,ill,name\ncook,flu,a\ncook,hiv,b\n", "drop")
                .is_err_and(|found| found.contains("columns"))
        );
        // A single suppressed row is one person, which only the policy `paper` accepts.
        assert_eq!(judged(&format!("job,ill\n{rest}*,flu\n*,hiv\n"), "strict"), Ok(()));
    }
}
