//! The order of the rows does not matter, to the last byte of the model: random small tables, every
//! method, weights of rows and classes, records of a second table.

use crate::relational_random::Random;
use crate::weights_methods::every_method;
use fnb::columns::{
    CategoricalColumn, ClassWeights, Column, ColumnData, Frame, NumericColumn, Target,
};
use fnb::relational::{Database, Schema};
use fnb::{Prepared, Preset, Settings};
use std::collections::BTreeMap;

const TABLES: u64 = 200;
const ORDERS: u64 = 5;

const SCHEMA: &str = r#"{"root": "Owner", "entities": {
    "Owner": {"key": ["id"], "fields": [
        {"name": "id", "type": "Categorical"}, {"name": "x", "type": "Numerical"},
        {"name": "Records", "relation": "many", "entity": "Record"}]},
    "Record": {"key": ["id"], "fields": [
        {"name": "id", "type": "Categorical"}, {"name": "price", "type": "Numerical"},
        {"name": "kind", "type": "Categorical"}]}}}"#;

/// Rows with their classes, weights and, for one table in four, records of a second table.
struct Case {
    frame: Frame,
    classes: Vec<String>,
    weights: Option<Vec<f64>>,
    class_weights: bool,
    records: Option<Frame>,
}

fn numbers(name: &str, values: Vec<f64>) -> Column {
    let data = ColumnData::Numeric(NumericColumn::new(values));
    Column {
        name: name.into(),
        data,
    }
}

fn texts(name: &str, values: &[String]) -> Column {
    let column: CategoricalColumn = values.iter().map(|value| Some(value.as_str())).collect();
    Column {
        name: name.into(),
        data: ColumnData::Categorical(column),
    }
}

impl Case {
    /// Columns that see the class through more or less noise; some are nearly alike, so that searches
    /// meet near ties.
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed + 1);
        let rows = 20 + random.below(130);
        let classes = 2 + random.below(4);
        let labels: Vec<usize> = (0..rows).map(|_| random.below(classes)).collect();
        let mut columns = Vec::new();
        for k in 0..=random.below(7) {
            let noise = 1 + random.below(12);
            let seen: Vec<usize> = labels
                .iter()
                .map(|label| 3 * label + random.below(noise))
                .collect();
            let name = format!("x{k}");
            columns.push(if random.one_in(3) {
                let names: Vec<String> = seen.iter().map(|v| format!("v{v}")).collect();
                texts(&name, &names)
            } else {
                let step = [1.0, 0.1, 1.0 / 3.0][random.below(3)];
                let number = |&v: &usize| {
                    if v == 5 { f64::NAN } else { v as f64 * step }
                };
                numbers(&name, seen.iter().map(number).collect())
            });
        }
        let weight = |random: &mut Random, kind: usize| match kind {
            0 => 1.0 + random.below(3) as f64,
            _ => (1 + random.below(40)) as f64 / 7.0,
        };
        let kind = random.below(4);
        let weights = (kind < 2).then(|| (0..rows).map(|_| weight(&mut random, kind)).collect());
        let class_weights = random.one_in(3);
        let records = random.one_in(4).then(|| {
            let ids: Vec<String> = (0..rows).map(|row| format!("r{row}")).collect();
            columns = vec![
                texts("id", &ids),
                numbers("x", labels.iter().map(|_| random.below(9) as f64).collect()),
            ];
            let count = 4 * rows;
            let owners: Vec<usize> = (0..count).map(|_| random.below(rows)).collect();
            let owned: Vec<String> = owners.iter().map(|&row| ids[row].clone()).collect();
            let price = |&owner: &usize| (10 * labels[owner] + random.below(30)) as f64 / 3.0;
            let prices = owners.iter().map(price).collect();
            let kind = |&owner: &usize| format!("k{}", labels[owner] / 2 + random.below(3));
            let kinds: Vec<String> = owners.iter().map(kind).collect();
            let columns = vec![
                texts("id", &owned),
                numbers("price", prices),
                texts("kind", &kinds),
            ];
            Frame::new(count, columns).unwrap()
        });
        Self {
            frame: Frame::new(rows, columns).unwrap(),
            classes: labels.iter().map(|label| format!("c{label}")).collect(),
            weights,
            class_weights,
            records,
        }
    }

    /// The case with its rows in the order of a seed; 0 leaves them where they are.
    fn in_order(&self, seed: u64) -> (Database, Target) {
        let order = |rows: usize| {
            let mut order: Vec<usize> = (0..rows).collect();
            if seed > 0 {
                Random::new(seed).shuffle(&mut order);
            }
            order
        };
        let rows = order(self.frame.rows());
        let mut target = Target::from_column(&texts("y", &self.classes)).unwrap();
        if let Some(weights) = &self.weights {
            target = target.with_weights(weights).unwrap();
        }
        if self.class_weights {
            target = target.with_class_weights(&ClassWeights::Balanced).unwrap();
        }
        let frame = self.frame.take(&rows);
        let database = match &self.records {
            None => frame.into(),
            Some(records) => {
                let schema: Schema = serde_json::from_str(SCHEMA).unwrap();
                let records = records.take(&order(records.rows()));
                let frames = [(String::new(), frame), ("Records".to_owned(), records)];
                Database::new(&schema, None, BTreeMap::from(frames), None).unwrap()
            }
        };
        (database, target.take(&rows))
    }
}

/// The model file of every method.
fn models((database, target): &(Database, Target), settings: &Settings) -> Vec<(String, String)> {
    let prepared = Prepared::new(database, target, settings, &()).unwrap();
    let methods = every_method().into_iter();
    let model = |(name, settings)| {
        let training = prepared.learn(&settings, &()).unwrap();
        (name, training.model.to_json())
    };
    methods.map(model).collect()
}

#[test]
fn the_order_of_rows_does_not_matter() {
    let mut selected = 0;
    for seed in 0..TABLES {
        let case = Case::new(seed);
        // With records, that preset adds doubles in their order, as the reference does.
        let preset = if seed % 2 == 1 && case.records.is_none() {
            Preset::Khiops
        } else {
            Preset::Default
        };
        let mut settings = Settings::preset(preset);
        settings.construct.features = 40;
        let expected = models(&case.in_order(0), &settings);
        selected += usize::from(
            expected
                .iter()
                .any(|(_, model)| model.contains("\"weight\"")),
        );
        for order in 1..=ORDERS {
            let found = models(&case.in_order(order), &settings);
            for ((method, found), (_, expected)) in found.iter().zip(&expected) {
                assert_eq!(found, expected, "table {seed}, order {order}, {method}");
            }
        }
    }
    assert!(
        selected > TABLES as usize / 2,
        "{selected} tables tell something"
    );
}
