//! What training found in the data, in words.

use crate::output::{Output, percent, thousands};
use fnb::model::{Finding, Model};

/// Names that are listed, at most.
const LISTED: usize = 5;

/// Says what the user should look at: suspected leaks and row numbers in the model as warnings, the rest in
/// passing.
pub(crate) fn tell(model: &Model, output: &Output) {
    let findings = &model.training().findings;
    warn_of_copies(findings, &model.target().name, output);
    let unused = |name: &str| model.terms().iter().all(|term| term.name != name);
    for finding in findings {
        match finding {
            Finding::RowNumber { column } if !unused(column) => output.warn(format_args!(
                "{column:?} numbers the rows, and the model uses it: new rows will have other numbers; \
                 leave it out with --drop"
            )),
            _ => {}
        }
    }
    list(
        findings.iter().filter_map(|finding| match finding {
            Finding::RowNumber { column } if unused(column) => Some(format!("{column:?}")),
            _ => None,
        }),
        ("numbers the rows", "number the rows"),
        output,
    );
    list(
        findings.iter().filter_map(|finding| match finding {
            Finding::Identifier {
                column,
                distinct,
                rows,
            } if distinct == rows => Some(format!("{column:?}")),
            Finding::Identifier {
                column,
                distinct,
                rows,
            } => Some(format!(
                "{column:?} ({} values in {} rows)",
                thousands(*distinct),
                thousands(*rows)
            )),
            _ => None,
        }),
        (
            "has its own value in nearly every row, as identifiers do: it tells nothing about new rows",
            "have their own values in nearly every row, as identifiers do: they tell nothing about new rows",
        ),
        output,
    );
    list(
        findings.iter().filter_map(|finding| match finding {
            Finding::Constant {
                column,
                missing: true,
            } => Some(format!("{column:?} (always missing)")),
            Finding::Constant { column, .. } => Some(format!("{column:?}")),
            _ => None,
        }),
        (
            "has the same value in all rows",
            "have the same value in all rows",
        ),
        output,
    );
}

/// Variables that may be copies of the target, in one line.
fn warn_of_copies(findings: &[Finding], target: &str, output: &Output) {
    let found = findings.iter().filter_map(|finding| match finding {
        Finding::TellsAll { variable, share } => Some((variable, *share)),
        _ => None,
    });
    let found: Vec<(&String, f64)> = found.collect();
    let names: Vec<String> = found.iter().map(|(name, _)| format!("{name:?}")).collect();
    match found.as_slice() {
        [] => {}
        [(name, share)] => output.warn(format_args!(
            "{name:?} alone holds {} of what there is to know about {target:?}: is it a copy of it, or known \
             only after it? If so, leave it out with --drop",
            percent(*share)
        )),
        _ => output.warn(format_args!(
            "each of {} alone holds nearly all there is to know about {target:?}: are they copies of it, or \
             known only after it? If so, leave them out with --drop",
            listed(&names)
        )),
    }
}

/// Some names, and how many more.
fn listed(names: &[String]) -> String {
    let more = names.len().saturating_sub(LISTED);
    let shown = names[..names.len() - more].join(", ");
    match more {
        0 => shown,
        more => format!("{shown} and {} more", thousands(more as u64)),
    }
}

/// Says the same of several columns, in one line.
fn list(columns: impl Iterator<Item = String>, (one, many): (&str, &str), output: &Output) {
    let columns: Vec<String> = columns.collect();
    match columns.as_slice() {
        [] => {}
        [column] => output.note(format_args!("{column} {one}")),
        columns => output.note(format_args!("{} {many}", listed(columns))),
    }
}
