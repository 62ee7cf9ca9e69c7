//! `scumble hierarchy`: make, look at and validate hierarchies.

use std::path::PathBuf;
use std::process::ExitCode;

use scumble::Result;
use scumble::config::{Column, Plan, Role, Roles};
use scumble::prelude::ColumnTree;
use scumble::release::outputs::{Outputs, Own};
use scumble::release::resources::Resources;
use scumble::table::hierarchy::{Builder, Built, Provenance};
use scumble_files::Source;

use super::reading::{Reading, parse_builder};
use crate::ui::{Interface, check_standard_output, count, print};

/// Make, look at and validate hierarchies
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Build the hierarchy of a column and write it as a file that can be edited
    Build {
        #[command(flatten)]
        column: ColumnArguments,
        /// The file to write; - is standard output
        #[arg(long, short, default_value = "-", value_name = "FILE")]
        output: PathBuf,
        /// Replace an existing file
        #[arg(long)]
        force: bool,
    },
    /// Draw the tree of a column with its row counts
    Show {
        #[command(flatten)]
        column: ColumnArguments,
        /// The most lines to draw
        #[arg(long, default_value_t = 60, value_name = "N", value_parser = super::size)]
        lines: usize,
    },
    /// Check that a hierarchy is sound and covers a column
    Check {
        #[command(flatten)]
        column: ColumnArguments,
    },
}

/// A column and how its hierarchy is made.
#[derive(clap::Args)]
struct ColumnArguments {
    /// The table
    data: PathBuf,
    /// The column
    column: String,
    /// A hierarchy file, or a builder as in the plan, e.g. '{ build = "prefix", lengths = [3, 1] }'; chosen by the column's
    /// values if not given
    #[arg(long, short = 'H', value_name = "FILE|{…}")]
    hierarchy: Option<String>,
    /// The column's type: integer, decimal, decimal_comma, text, date, or a date format
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
    /// The class column, for mdlp
    #[arg(long, value_name = "COLUMN")]
    class: Option<String>,
    #[command(flatten)]
    reading: Reading,
}

pub(crate) fn run(arguments: &Arguments, interface: &Interface) -> Result<ExitCode> {
    match &arguments.action {
        Action::Build { column, output, force } => {
            check_standard_output(output)?;
            let mut outputs = Outputs::new(*force);
            outputs.read("input", &column.data);
            let given = column.hierarchy.as_deref().map(parse_builder).transpose()?;
            if let Some(Builder::File { path, .. } | Builder::ParentChild { path, .. }) = given {
                outputs.read("hierarchy", path);
            }
            outputs.write(output, Own::Nothing)?;
            let (_, tree) = build(column, interface)?;
            let text = tree.to_csv();
            if output.as_os_str() == "-" {
                print(text)?;
            } else {
                super::init::write_private(output, &text)?;
                interface.say(format_args!(
                    "Wrote the hierarchy of '{}' to {}; its labels are values of the data, so treat it as private",
                    column.column,
                    output.display()
                ));
            }
        }
        Action::Show { column, lines } => {
            let (_, tree) = build(column, interface)?;
            print(tree.show(*lines))?;
        }
        Action::Check { column } => {
            let (rows, tree) = build(column, interface)?;
            let Built { hierarchy, notes, .. } = &tree.built;
            notes.iter().for_each(|note| interface.warn(note));
            let origin = match (&column.hierarchy, hierarchy.provenance()) {
                (None, _) => "chosen by the column's values, since none was given (-H)",
                (_, Provenance::Declared) => "declared",
                _ => "built from the data",
            };
            print(format!(
                "The hierarchy of '{}' holds: {} values, {} levels, {origin}; it covers {}.\n",
                column.column,
                count(u64::from(hierarchy.leaf_count())),
                hierarchy.height() + 1,
                if rows == 1 { "the one row".to_owned() } else { format!("all {} rows", count(rows)) }
            ))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn build(arguments: &ColumnArguments, interface: &Interface) -> Result<(u64, ColumnTree)> {
    let mut plan = Plan::new(arguments.data.to_string_lossy(), "-");
    arguments.reading.apply(&mut plan.read)?;
    let mut column = Column::new(Roles::one(Role::Quasi));
    if let Some(kind) = &arguments.kind {
        super::anonymize::set_type(&mut column, kind)?;
    }
    column.hierarchy = arguments.hierarchy.as_deref().map(parse_builder).transpose()?;
    let plan = plan.with_column(&arguments.column, column);
    let source = Source::open(&arguments.data)?;
    let resources = Resources::in_folder("").watched_by(interface.progress().control());
    let tree = ColumnTree::of(&source, &arguments.column, arguments.class.as_deref(), &plan, &resources)?;
    interface.done();
    tree.notes.iter().for_each(|note| interface.note(note));
    Ok((tree.rows_per_leaf.iter().sum(), tree))
}
