//! Advice of the libraries in the words of the program: its options and commands.

use fnb::Advice;
use fnb::relational::shown;

/// The advice as it is printed after `help:`.
pub(crate) fn worded(advice: &Advice) -> String {
    advice.worded(&|advice| {
        Some(match advice {
            Advice::ReadAs { column, ty } => {
                format!(
                    "read it as {} with --type {column}={}",
                    ty.plural(),
                    ty.short()
                )
            }
            Advice::DeclareMissing { texts } => {
                format!("declare it missing with --na {}", texts.join(","))
            }
            Advice::Separator => "check separators and quotes in that line; the separator can be \
                                  given with --sep"
                .to_owned(),
            Advice::NoHeader => "if its first line is a row, say so with --no-header".to_owned(),
            Advice::Interactions => "take --preset khiops; the default preset looks for \
                                     --interactions instead"
                .to_owned(),
            Advice::LeaveOut { column } => format!("leave it out with --drop {column}"),
            Advice::GiveKey { table, column } => give_key(table, column.as_deref()),
            Advice::GiveTime { table, column } => {
                format!("say which counts: --time {}={column}", shown(table))
            }
            Advice::Timeless { table } => {
                let table = shown(table);
                format!("if all its records may be seen at any time, say so: --timeless {table}")
            }
            Advice::WriteSchema { several: false } => {
                "write a valid one with: fnb schema DATA -o schema.json".to_owned()
            }
            Advice::WriteSchema { several: true } => {
                "write a valid one with: fnb schema DATA --table NAME=FILE -o schema.json"
                    .to_owned()
            }
            _ => return None,
        })
    })
}

fn give_key(table: &str, column: Option<&str>) -> String {
    let owner = match table {
        "" => shown(table),
        table => format!("table {:?}", shown(table)),
    };
    let example = column.map_or(String::new(), |column| {
        format!(", for instance --key {column}")
    });
    format!("if it has another name there, give the key of {owner}{example}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use fnb::columns::ColumnType;

    #[test]
    fn advice_names_options() {
        let read_as = Advice::ReadAs {
            column: "zip".into(),
            ty: ColumnType::Categorical,
        };
        let missing = Advice::DeclareMissing {
            texts: vec!["NA".into(), "?".into()],
        };
        assert_eq!(
            worded(&Advice::AnyOf(vec!["correct it".into(), missing, read_as])),
            "correct it, or declare it missing with --na NA,?, or read it as categories with --type zip=cat"
        );
        assert_eq!(
            worded(&Advice::either("rename one of them", Advice::NoHeader)),
            "rename one of them; if its first line is a row, say so with --no-header"
        );
        // What has no option is as the library says it.
        assert_eq!(worded(&Advice::TrainAgain), "train the model anew");
    }
}
