//! Categories by value and outcome.

use crate::columns::{CategoricalColumn, Outcomes, Values};
use crate::prepare::group::SortedCategories;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Units of weight by value and outcome, values in the order of their bytes, missing first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct CategoryCounts {
    units: BTreeMap<Option<String>, BTreeMap<u32, u64>>,
}

impl CategoryCounts {
    pub(super) fn of(column: &CategoricalColumn, rows: &Outcomes) -> Self {
        // By code first: a value is looked up once per block.
        let mut by_code = vec![BTreeMap::new(); column.values().len()];
        let pairs = column.codes().iter().zip(rows.codes()).enumerate();
        for (row, (&code, &outcome)) in pairs {
            let units = rows.units_of(row);
            if units > 0 {
                *by_code[code as usize].entry(outcome).or_insert(0) += units;
            }
        }
        let values = column.values().iter().map(|value| value.map(str::to_owned));
        let units = values.zip(by_code);
        Self {
            units: units.filter(|(_, units)| !units.is_empty()).collect(),
        }
    }

    /// Those that are not missing.
    pub(super) fn values(&self) -> impl Iterator<Item = &str> + Clone {
        self.units.keys().flatten().map(String::as_str)
    }

    pub(super) fn merge(&mut self, other: Self) {
        for (value, units) in other.units {
            let own = self.units.entry(value).or_default();
            for (outcome, units) in units {
                *own.entry(outcome).or_insert(0) += units;
            }
        }
    }

    /// The values, and whole rows by value and outcome.
    pub(super) fn finish(self, outcomes: usize) -> (Values, SortedCategories) {
        let names = self.units.keys().map(Option::as_deref);
        let column = CategoricalColumn::from_codes(Vec::new(), names);
        let values = column.values().clone();
        let cells = (0..).zip(self.units.values()).flat_map(|(code, units)| {
            units
                .iter()
                .map(move |(&outcome, &units)| (code, outcome, units))
        });
        let counts = SortedCategories::of_units(&values, cells, outcomes);
        (values, counts)
    }
}
