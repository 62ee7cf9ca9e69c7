//! The fenced blocks of a page that are examples.

/// What a block is to an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `csv input`: a table to release; begins a new example.
    Input,
    /// `csv hierarchy COLUMN`: a line per value, `value;level 1;…;top`.
    Hierarchy(String),
    /// `toml plan`: a plan, which is run.
    Plan,
    /// `toml change`: keys that replace those of the plan before, which is run again.
    Change,
    /// `csv release`: the release, row by row.
    Release,
    /// `csv released FILE`: one of several tables that were released.
    Released(String),
    /// `json figures`: some of the figures that `anonymize --json` prints.
    Figures,
    /// `json report`: some of what `report.json` says.
    Report,
    /// `text error`: a part of the message with which the run fails.
    Error,
    /// `csv table`: a table that somebody released; begins a new example.
    Table,
    /// `csv original`: the table that it was made from.
    Original,
    /// `toml check`: a plan by which the table is checked.
    Check,
    /// `json verdict`: some of what `check --json` prints.
    Verdict,
    /// `csv sizes`: how many classes have which size, for a table of one column `class`; begins a new example.
    Sizes,
    /// `csv population`: the population that the table was drawn from.
    Population,
    /// `csv view FILE`: a further table about the same people, which the plan names.
    View(String),
    /// `toml risk`: a plan by which the risk in the table is assessed.
    Risk,
    /// `json risk`: some of what `risk --json` prints.
    Assessment,
    /// `csv rows`: new rows, which the recoding of the release before is applied to; `csv rows private` for their owner only.
    Rows {
        /// Whether every row stays and no model is checked.
        private: bool,
    },
    /// `csv applied`: what they become, row by row.
    Applied,
    /// `json applied`: some of the figures that `apply --json` prints.
    AppliedFigures,
    /// `toml fragment`: a part of a plan, which must be well-formed.
    Fragment,
}

/// A fenced block.
#[derive(Debug)]
pub(crate) struct Block {
    /// The line of its opening fence.
    pub(crate) line: usize,
    pub(crate) kind: Kind,
    pub(crate) text: String,
}

/// The examples' blocks of a page. A fence with one word (`toml`, `console`) is only an illustration; one with more words
/// must be of a kind that is known, so that a misspelt block is not quietly skipped.
pub(crate) fn blocks(page: &str) -> Result<Vec<Block>, String> {
    let mut found = Vec::new();
    let mut open: Option<(usize, String, Vec<&str>)> = None;
    for (number, line) in (1..).zip(page.lines()) {
        let fence = line.trim_start().strip_prefix("```");
        match (&mut open, fence) {
            (None, Some(information)) => open = Some((number, information.trim().to_owned(), Vec::new())),
            (Some(_), Some(rest)) if rest.trim().is_empty() => {
                let (line, information, lines) = open.take().ok_or("a fence closes nothing")?;
                if let Some(kind) = kind(&information).map_err(|problem| format!("line {line}: {problem}"))? {
                    found.push(Block {
                        line,
                        kind,
                        text: lines.iter().map(|line| format!("{line}\n")).collect(),
                    });
                }
            }
            (Some((_, _, lines)), _) => lines.push(line),
            (None, None) => {}
        }
    }
    match open {
        Some((line, ..)) => Err(format!("line {line}: the block is never closed")),
        None => Ok(found),
    }
}

fn kind(information: &str) -> Result<Option<Kind>, String> {
    let words: Vec<&str> = information.split_whitespace().collect();
    Ok(Some(match words[..] {
        [] | [_] => return Ok(None),
        ["csv", "input"] => Kind::Input,
        ["csv", "hierarchy", column] => Kind::Hierarchy(column.to_owned()),
        ["toml", "plan"] => Kind::Plan,
        ["toml", "change"] => Kind::Change,
        ["csv", "release"] => Kind::Release,
        ["csv", "released", file] => Kind::Released(file.to_owned()),
        ["json", "figures"] => Kind::Figures,
        ["json", "report"] => Kind::Report,
        ["text", "error"] => Kind::Error,
        ["csv", "table"] => Kind::Table,
        ["csv", "original"] => Kind::Original,
        ["toml", "check"] => Kind::Check,
        ["json", "verdict"] => Kind::Verdict,
        ["csv", "sizes"] => Kind::Sizes,
        ["csv", "population"] => Kind::Population,
        ["csv", "view", file] => Kind::View(file.to_owned()),
        ["toml", "risk"] => Kind::Risk,
        ["json", "risk"] => Kind::Assessment,
        ["csv", "rows"] => Kind::Rows { private: false },
        ["csv", "rows", "private"] => Kind::Rows { private: true },
        ["csv", "applied"] => Kind::Applied,
        ["json", "applied"] => Kind::AppliedFigures,
        ["toml", "fragment"] => Kind::Fragment,
        _ => return Err(format!("there is no kind of example block '{information}'")),
    }))
}
