//! Rows per category and class, the frequent categories first (docs/method.md §3.1).

use super::class_counts::ClassCounts;
use crate::columns::{CategoricalColumn, Target};
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
    pub(crate) fn new(column: &CategoricalColumn, target: &Target) -> Self {
        let values = column.values();
        let mut totals = vec![0_u32; values.len()];
        for &code in column.codes() {
            totals[code as usize] += 1;
        }
        let key = |&code: &u32| {
            let value = values.get(code);
            (value.unwrap_or(""), value.is_some())
        };
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

        // The entry of every value; those seen once share the last one.
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
            counts: count(column.codes(), &entry_of, target, &entry_totals),
            totals: entry_totals,
            has_singles: singles > 0,
            distinct: repeated + singles,
            missing: missing as usize,
            codes,
        }
    }
}

/// Rows per entry and class: in a dense table as long as it is not larger than the column, else by
/// sorting the rows by entry.
fn count(codes: &[u32], entry_of: &[u32], target: &Target, totals: &[u32]) -> ClassCounts {
    let classes = target.classes().len();
    let rows = codes.iter().zip(target.codes());
    let mut counts = ClassCounts::new(classes);
    if totals.len() * classes <= codes.len().max(1 << 12) {
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
