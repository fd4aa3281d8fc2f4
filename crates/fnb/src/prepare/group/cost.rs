//! Cost of a grouping of values: the criterion of docs/method.md §3.2.

use crate::math::integer_code::bounded;
use crate::math::ln_factorial::LnFactorial;
use crate::math::partition_count::{ln_partitions, saturation};
use hashbrown::HashMap;
use std::f64::consts::LN_2;

/// From this number of values on, a garbage group is worth trying.
pub(crate) const MIN_GARBAGE_VALUES: usize = 7;

/// The largest granularity, `ceil(log2 N)`.
pub(crate) fn largest_granularity(rows: usize) -> usize {
    rows.next_power_of_two().ilog2() as usize
}

/// Prices the partitions of the values of one variable at one granularity.
///
/// Searches ask for the same prices again and again: those met are remembered, and so is the
/// number of assignments, the only term that is long to compute.
pub(crate) struct GroupingCost {
    values: usize,
    /// The variable, the granularity and whether there is a garbage group.
    fixed: f64,
    ln_factorial: LnFactorial,
    /// By number of groups and of garbage values.
    prices: HashMap<(usize, usize), f64>,
    /// By number of values and of groups.
    assignments: HashMap<(usize, usize), f64>,
    /// Values assigned, and the number of groups beyond which their assignments stay the same.
    saturations: [(usize, usize); 2],
}

impl GroupingCost {
    /// For `values` values left at a granularity; `choice` is the cost of choosing the variable.
    pub(crate) fn new(rows: usize, choice: f64, granularity: usize, values: usize) -> Self {
        let mut cost = Self::of_groups(values);
        cost.fixed += choice + bounded(granularity, largest_granularity(rows));
        cost
    }

    /// The same without the choice of a variable and of a granularity: only the groups.
    pub(crate) fn of_groups(values: usize) -> Self {
        let flag = if values > MIN_GARBAGE_VALUES {
            LN_2
        } else {
            0.0
        };
        Self {
            values,
            fixed: flag,
            ln_factorial: LnFactorial::up_to(values),
            prices: HashMap::new(),
            assignments: HashMap::new(),
            saturations: [(0, 0); 2],
        }
    }

    /// Cost of all that is not the parts themselves, less the ln 2 that every model pays.
    /// `garbage` is the number of values of the garbage group, the largest one; 0 is none.
    pub(crate) fn partition(&mut self, groups: usize, garbage: usize) -> f64 {
        if groups == 1 {
            return 0.0;
        }
        if let Some(&price) = self.prices.get(&(groups, garbage)) {
            return price;
        }
        let price = self.price(groups, garbage);
        self.prices.insert((groups, garbage), price);
        price
    }

    fn price(&mut self, groups: usize, garbage: usize) -> f64 {
        if garbage == 0 {
            return self.fixed + self.assignment(self.values, groups, 0);
        }
        let informative = self.values - garbage;
        let chosen = bounded(informative - 1, self.values - 2)
            + informative as f64 * (self.values as f64).ln()
            - self.ln_factorial.of(informative);
        self.fixed + chosen + self.assignment(informative, groups - 1, 1)
    }

    /// Number of groups, and the group of each value; `slot` tells the two uses of the memory of
    /// saturations apart.
    fn assignment(&mut self, values: usize, groups: usize, slot: usize) -> f64 {
        if self.saturations[slot].0 != values {
            self.saturations[slot] = (values, saturation(values));
        }
        let enough = groups.min(self.saturations[slot].1);
        let assignments = *self
            .assignments
            .entry((values, enough))
            .or_insert_with(|| ln_partitions(values, enough));
        bounded(groups - 1, values - 1) + assignments
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::golden_tables;
    use crate::prepare::part_cost::PartCost;
    use serde_json::Value;

    fn number(value: &Value) -> f64 {
        value.as_f64().expect("number")
    }

    #[test]
    fn golden_partitions_cost_what_they_should() {
        let mut checked = 0;
        let tables = golden_tables();
        for path in &tables {
            let text = std::fs::read_to_string(path).expect("a file");
            let golden: Value = serde_json::from_str(&text).expect("valid file");
            let rows = number(&golden["instances"]) as usize;
            let choice = number(&golden["evaluated_variables"]).ln();
            let classes = golden["classes"].as_array().expect("list").len();
            let part_cost = PartCost::new(rows, classes);
            for variable in golden["variables"].as_array().expect("list") {
                if variable["type"] != "Categorical" || number(&variable["level"]) == 0.0 {
                    continue;
                }
                let field = |name: &str| number(&variable[name]) as usize;
                let counts: Vec<Vec<u64>> =
                    serde_json::from_value(variable["part_class_counts"].clone()).expect("counts");
                let mut cost = GroupingCost::new(
                    rows,
                    choice,
                    field("granularity"),
                    field("granularized_value_count"),
                );
                let partition =
                    cost.partition(counts.len(), field("garbage_group_value_count")) - choice;
                let found = part_cost.variable(choice, partition, &counts);
                let expected = &variable["costs_recomputed"];
                for (found, name) in [
                    (found.construction, "construction"),
                    (found.preparation, "preparation"),
                    (found.data, "data"),
                    (found.total(), "total"),
                ] {
                    let expected = number(&expected[name]);
                    assert!(
                        (found - expected).abs() < 1e-9 * expected,
                        "{variable} {name}: {found}"
                    );
                }
                checked += 1;
            }
        }
        let all = tables.len() == 8;
        assert!(checked > if all { 30 } else { 5 }, "{checked}");
    }

    #[test]
    fn one_group_costs_nothing_more() {
        assert_eq!(GroupingCost::new(100, 3.0, 2, 10).partition(1, 0), 0.0);
    }

    #[test]
    fn many_groups_of_many_values_stay_finite_and_increase() {
        let mut cost = GroupingCost::new(1_000_000, 1.0, 19, 100_000);
        let mut previous = 0.0;
        for groups in [2, 3, 10, 1000, 10_000, 50_000, 100_000] {
            let found = cost.partition(groups, 0);
            assert!(found > previous, "{groups}: {found}");
            previous = found;
        }
        assert!(cost.partition(10, 90_000) < cost.partition(10, 0));
    }
}
