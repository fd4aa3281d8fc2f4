//! Rows per category and class, the frequent categories first (docs/method.md §3.1).

use super::weighted::{Cell, sum_cells, weighted_cells, whole_cells};
use crate::columns::{CategoricalColumn, Outcomes, Values};
use crate::prepare::class_counts::ClassCounts;
use std::cmp::Reverse;

/// The values of a column by decreasing frequency, ties by bytes, missing before every string.
///
/// Values seen once never stand alone: whatever their number they make a single, last entry under
/// the name of the first of them.
#[derive(Debug)]
pub(crate) struct SortedCategories {
    /// Dictionary code of each entry.
    pub(crate) codes: Vec<u32>,
    /// Rows of each entry.
    pub(crate) totals: Vec<u32>,
    /// Rows per entry and class.
    pub(crate) counts: ClassCounts,
    /// Whether the last entry stands for the values seen once.
    pub(crate) has_singles: bool,
    /// Number of distinct values.
    pub(crate) distinct: usize,
    /// Rows without a value.
    pub(crate) missing: usize,
}

impl SortedCategories {
    /// Counts a column; values of the dictionary without any row do not exist.
    pub(crate) fn new(column: &CategoricalColumn, outcomes: &Outcomes) -> Self {
        let values = column.values();
        if outcomes.weights().is_some() {
            let cells = weighted_cells(column, outcomes);
            return Self::of_cells(values, &cells, outcomes.len());
        }
        let mut totals = vec![0_u32; values.len()];
        for &code in column.codes() {
            totals[code as usize] += 1;
        }
        let entries = Entries::new(values, &totals);
        let counts = count(column.codes(), &entries.entry_of, outcomes, &entries.totals);
        entries.with_counts(counts)
    }

    /// The same from units of weight by value and outcome, values in the order of their bytes.
    pub(crate) fn of_units(
        values: &Values,
        cells: impl Iterator<Item = (u32, u32, u64)>,
        outcomes: usize,
    ) -> Self {
        Self::of_cells(values, &whole_cells(cells, outcomes), outcomes)
    }

    fn of_cells(values: &Values, cells: &[Cell], outcomes: usize) -> Self {
        let mut totals = vec![0_u32; values.len()];
        for cell in cells {
            totals[cell.code as usize] += cell.count;
        }
        let entries = Entries::new(values, &totals);
        let counts = sum_cells(cells, &entries.entry_of, outcomes, entries.totals.len());
        entries.with_counts(counts)
    }
}

/// Which values are entries, and in which order.
struct Entries {
    codes: Vec<u32>,
    /// Rows of each entry.
    totals: Vec<u32>,
    /// The entry of every value; those seen once share the last one.
    entry_of: Vec<u32>,
    repeated: usize,
    singles: usize,
    missing: usize,
}

impl Entries {
    /// From the rows of every value.
    fn new(values: &Values, totals: &[u32]) -> Self {
        let key = |&code: &u32| byte_order(values, code);
        let present = || (0..values.len() as u32).filter(|&code| totals[code as usize] > 0);
        let mut codes: Vec<u32> = present().filter(|&c| totals[c as usize] > 1).collect();
        codes.sort_unstable_by(|a, b| {
            let total = |code: &u32| Reverse(totals[*code as usize]);
            total(a).cmp(&total(b)).then_with(|| key(a).cmp(&key(b)))
        });
        let first_single = present()
            .filter(|&c| totals[c as usize] == 1)
            .min_by_key(key);
        let repeated = codes.len();
        codes.extend(first_single);

        let mut entry_of = vec![repeated as u32; values.len()];
        for (entry, &code) in codes.iter().enumerate() {
            entry_of[code as usize] = entry as u32;
        }
        let singles = present().filter(|&c| totals[c as usize] == 1).count();
        let missing = values.missing().map_or(0, |code| totals[code as usize]);
        let mut entry_totals: Vec<u32> = codes.iter().map(|&c| totals[c as usize]).collect();
        if let Some(last) = entry_totals.last_mut().filter(|_| singles > 0) {
            *last = singles as u32;
        }
        Self {
            codes,
            totals: entry_totals,
            entry_of,
            repeated,
            singles,
            missing: missing as usize,
        }
    }

    fn with_counts(self, counts: ClassCounts) -> SortedCategories {
        SortedCategories {
            codes: self.codes,
            totals: self.totals,
            counts,
            has_singles: self.singles > 0,
            distinct: self.repeated + self.singles,
            missing: self.missing,
        }
    }
}

/// What values are sorted by: their bytes, missing before every string.
pub(crate) fn byte_order(values: &Values, code: u32) -> (&str, bool) {
    let value = values.get(code);
    (value.unwrap_or(""), value.is_some())
}

/// Rows per entry and class: in a dense table as long as it is not larger than the column, else by
/// sorting the rows by entry.
fn count(codes: &[u32], entry_of: &[u32], outcomes: &Outcomes, totals: &[u32]) -> ClassCounts {
    let classes = outcomes.len();
    let rows = codes.iter().zip(outcomes.codes());
    let mut counts = ClassCounts::new(classes);
    if totals.len() * classes <= codes.len().max(1 << 10) {
        let mut table = vec![0_u32; totals.len() * classes];
        for (&code, &class) in rows {
            table[entry_of[code as usize] as usize * classes + class as usize] += 1;
        }
        for line in table.chunks_exact(classes) {
            counts.push_dense(line);
        }
        return counts;
    }
    let mut next: Vec<u32> = totals.to_vec();
    let mut start = 0;
    for place in &mut next {
        start += std::mem::replace(place, start);
    }
    let mut sorted = vec![0_u32; codes.len()];
    for (&code, &class) in rows {
        let place = &mut next[entry_of[code as usize] as usize];
        sorted[*place as usize] = class;
        *place += 1;
    }
    let mut rest = &mut sorted[..];
    for &total in totals {
        let (line, after) = rest.split_at_mut(total as usize);
        line.sort_unstable();
        for same in line.chunk_by(|a, b| a == b) {
            counts.add(same[0], same.len() as u32);
        }
        counts.end_line();
        rest = after;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::{Column, ColumnData, Target};
    use proptest::prelude::*;

    proptest! {
        /// Few classes are counted in a table, many by sorting: both against plain counting.
        #[test]
        fn counts_are_exact(
            rows in proptest::collection::vec((0..60_usize, 0..200_usize), 1..400),
            classes in prop::sample::select(vec![2_usize, 200]),
        ) {
            let names: Vec<String> = (0..200).map(|i| format!("n{}", i * 37 % 200)).collect();
            let value = |i: usize| (i > 0).then(|| names[i].as_str());
            let column: CategoricalColumn = rows.iter().map(|row| value(row.0)).collect();
            let data: CategoricalColumn =
                rows.iter().map(|row| Some(names[row.1 % classes].as_str())).collect();
            let data = ColumnData::Categorical(data);
            let target = Target::from_column(&Column { name: "t".into(), data }).expect("classes");
            let found = SortedCategories::new(&column, &target.outcomes());

            let rows_of = |i: usize| rows.iter().filter(move |row| row.0 == i).count();
            let mut present: Vec<usize> = (0..60).filter(|&i| rows_of(i) > 0).collect();
            present.sort_by_key(|&i| (Reverse(rows_of(i)), value(i)));
            let repeated = present.iter().filter(|&&i| rows_of(i) > 1).count();
            prop_assert_eq!(found.distinct, present.len());
            prop_assert_eq!(found.missing, rows_of(0));
            prop_assert_eq!(found.has_singles, repeated < present.len());
            for (entry, &code) in found.codes.iter().enumerate() {
                prop_assert_eq!(column.values().get(code), value(present[entry]));
                let members = if entry < repeated { &present[entry..=entry] } else { &present[entry..] };
                let mut expected = vec![0; target.classes().len()];
                for (row, &class) in target.codes().iter().enumerate() {
                    expected[class as usize] += u32::from(members.contains(&rows[row].0));
                }
                let mut counted = vec![0; expected.len()];
                found.counts.sum_range(entry..entry + 1, &mut counted);
                prop_assert_eq!(&counted, &expected);
                prop_assert_eq!(found.totals[entry], expected.iter().sum::<u32>());
            }
        }
    }
}
