//! Types, distinct values and missing values of the reference tables.

use crate::data::golden_tables;
use crate::scratch::read;
use fnb::columns::ColumnData;
use fnb_table::{Expected, ReadOptions};
use hashbrown::HashSet;

#[test]
fn reference_tables_have_the_reference_types() {
    for json in golden_tables() {
        let path = json.with_extension("tsv");
        let json = std::fs::read_to_string(json).expect("golden values");
        let golden: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        let options = ReadOptions {
            columns: vec![Expected::target("class")],
            ..Default::default()
        };
        let table = read(&[path.display().to_string()], &options).expect("a table");
        assert_eq!(
            Some(table.frame.rows() as u64),
            golden["instances"].as_u64()
        );
        let variables = golden["variables"].as_array().expect("a list");
        assert_eq!(table.frame.columns().len(), variables.len() + 1);
        for variable in variables {
            let name = variable["name"].as_str().expect("a name");
            let (kind, distinct, missing) = match &table.frame.column(name).expect("a column").data
            {
                ColumnData::Numeric(c) => {
                    let distinct: HashSet<u64> = c.values().iter().map(|v| v.to_bits()).collect();
                    ("Numerical", distinct.len(), c.missing())
                }
                ColumnData::Categorical(c) => {
                    let missing = c
                        .codes()
                        .iter()
                        .filter(|&&code| c.values().missing() == Some(code));
                    ("Categorical", c.values().len(), missing.count())
                }
                other => panic!("{name} is {:?}", other.unused()),
            };
            let place = format!("{} {name}", path.display());
            assert_eq!(variable["type"], kind, "{place}");
            assert_eq!(variable["distinct_values"], distinct, "{place}");
            assert_eq!(variable["missing"], missing, "{place}");
        }
    }
}
