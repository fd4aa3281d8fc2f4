//! How often tokens occur: in all texts, to rank them, and in the texts of each root row.

use super::Tokeniser;
use super::records::Records;
use crate::columns::{CategoricalColumn, SparseColumn};
use hashbrown::HashMap;
use rayon::prelude::*;

/// Texts that one task cuts: enough to make up for its table of tokens.
const BLOCK_TEXTS: usize = 512;

/// The most frequent tokens first, then the shorter ones, then by bytes; at most `limit`.
pub(super) fn ranked(
    texts: &CategoricalColumn,
    records: &Records<'_>,
    tokeniser: Tokeniser,
    limit: usize,
) -> Vec<String> {
    let mut times = vec![0_u64; texts.values().len()];
    records.each(|record| times[texts.codes()[record as usize] as usize] += 1);
    let counted = times.par_chunks(BLOCK_TEXTS).enumerate();
    let counted = counted.map(|(block, times)| {
        let mut totals: HashMap<&str, u64> = HashMap::new();
        for (i, &times) in times.iter().enumerate().filter(|(_, times)| **times > 0) {
            let code = block * BLOCK_TEXTS + i;
            if let Some(text) = texts.values().get(code as u32) {
                tokeniser.each(text, |token| *totals.entry(token).or_default() += times);
            }
        }
        totals
    });
    // Sums of integers: the order of the blocks does not matter.
    let totals = counted.reduce(HashMap::new, |a, b| {
        let (mut large, small) = if a.len() < b.len() { (b, a) } else { (a, b) };
        for (token, count) in small {
            *large.entry(token).or_default() += count;
        }
        large
    });
    let mut tokens: Vec<(&str, u64)> = totals.into_iter().collect();
    let order = |a: &(&str, u64), b: &(&str, u64)| {
        let by_count = b.1.cmp(&a.1);
        by_count.then(a.0.len().cmp(&b.0.len())).then(a.0.cmp(b.0))
    };
    if limit < tokens.len() {
        if limit == 0 {
            return Vec::new();
        }
        tokens.select_nth_unstable_by(limit - 1, order);
        tokens.truncate(limit);
    }
    tokens.sort_unstable_by(order);
    tokens
        .into_iter()
        .map(|(token, _)| token.to_owned())
        .collect()
}

/// The number of occurrences of each of these tokens in the texts of each root row.
pub(super) fn columns(
    texts: &CategoricalColumn,
    records: &Records<'_>,
    tokeniser: Tokeniser,
    tokens: &[&str],
) -> Vec<SparseColumn> {
    let position: HashMap<&str, u32> = (0..).zip(tokens).map(|(i, &token)| (token, i)).collect();
    let mut reached = vec![false; texts.values().len()];
    records.each(|record| reached[texts.codes()[record as usize] as usize] = true);
    // A text that many records share is cut once.
    let of_text: Vec<Vec<u32>> = reached
        .par_iter()
        .enumerate()
        .map(|(code, &reached)| {
            let mut found = Vec::new();
            if let Some(text) = texts.values().get(code as u32).filter(|_| reached) {
                tokeniser.each(text, |token| found.extend(position.get(token)));
            }
            found
        })
        .collect();
    let mut entries: Vec<Vec<(u32, f64)>> = vec![Vec::new(); tokens.len()];
    let mut found = Vec::new();
    for row in 0..records.rows() {
        found.clear();
        records.each_of(row, |record| {
            found.extend_from_slice(&of_text[texts.codes()[record as usize] as usize]);
        });
        found.sort_unstable();
        for same in found.chunk_by(|a, b| a == b) {
            entries[same[0] as usize].push((row as u32, same.len() as f64));
        }
    }
    let column = |entries| SparseColumn::from_sorted(records.rows(), entries);
    entries.into_iter().map(column).collect()
}
