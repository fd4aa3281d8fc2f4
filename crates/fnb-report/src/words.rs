//! Words and sentences.

use crate::labels;
use crate::text::{chip, escape, percent};
use crate::view::TermView;
use fnb::terms::{MissingNumbers, Parts};

/// "a", "a and b", "a, b and c".
pub(crate) fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Small numbers as words, at the start of a sentence or not.
pub(crate) fn number_word(number: usize) -> String {
    const WORDS: [&str; 10] = [
        "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
    ];
    match WORDS.get(number) {
        Some(word) => (*word).to_owned(),
        None => crate::text::count(number),
    }
}

/// With a capital.
pub(crate) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

/// A link to a variable of the page.
pub(crate) fn link(term: &TermView) -> String {
    format!(
        "<a href=\"#{}\">{}</a>",
        term.id,
        crate::text::name(&term.term.name, 60)
    )
}

/// Steps below this are no turns (in shares)...
const STEP: f64 = 0.004;
/// ...and parts of fewer rows are not looked at...
const SMALL: f64 = 0.001;
/// ...and ends are parts with at least this share of the rows.
const END: f64 = 0.005;

/// An interval that a variable has on its own.
struct Interval {
    /// Its parts in the page.
    range: [usize; 2],
    rows: u64,
    of_main: u64,
}

impl Interval {
    fn share(&self) -> f64 {
        self.of_main as f64 / self.rows.max(1) as f64
    }
}

/// How the share of the main class changes over the intervals of a number, in a sentence; `None` for groups and for
/// a single interval.
pub(crate) fn profile(term: &TermView, main: usize, class: &str) -> Option<String> {
    let Parts::Intervals { missing, .. } = &term.term.axes[0].parts else {
        return None;
    };
    let own = usize::from(*missing == MissingNumbers::Own);
    let counts = &term.term.counts;
    let parts = term.own_parts();
    let intervals = parts.iter().filter(|[first, _]| *first >= own);
    let intervals: Vec<Interval> = intervals
        .map(|&[first, last]| Interval {
            range: [first, last],
            rows: (first..=last).map(|part| term.term.rows_of(part)).sum(),
            of_main: (first..=last).map(|part| counts[part][main]).sum(),
        })
        .collect();
    let rows: u64 = counts.iter().flatten().sum();
    let share_of_rows = |interval: &Interval| interval.rows as f64 / rows.max(1) as f64;
    let all: Vec<&Interval> = intervals
        .iter()
        .filter(|interval| share_of_rows(interval) >= SMALL)
        .collect();
    let is_end = |interval: &&Interval| share_of_rows(interval) >= END;
    let first = all.iter().position(is_end)?;
    let last = all.iter().rposition(is_end)?;
    let seen = &all[first..=last];
    if seen.len() < 2 {
        return None;
    }
    let at = |interval: &Interval| {
        format!(
            "{} (<b>{}</b>)",
            percent(interval.share()),
            escape(&labels::range(
                &term.term.axes[0].parts,
                interval.range,
                term.whole
            ))
        )
    };
    let (start, end) = (seen[0], seen[seen.len() - 1]);
    let name = format!("<b>{}</b>", crate::text::name(&term.term.axes[0].name, 60));
    let of = format!("The share of {}", chip(class));
    let by_share = |a: &&&Interval, b: &&&Interval| a.share().total_cmp(&b.share());
    let highest = seen.iter().rev().max_by(by_share)?;
    let lowest = seen.iter().min_by(by_share)?;
    let shares: Vec<f64> = seen.iter().map(|interval| interval.share()).collect();
    let turns = turns(&shares);
    Some(match turns.as_slice() {
        [] => format!(
            "{of} hardly changes with {name}: it is about {}.",
            at(start)
        ),
        [true] => format!("{of} rises with {name}: from {} to {}.", at(start), at(end)),
        [false] => format!("{of} falls with {name}: from {} to {}.", at(start), at(end)),
        [true, false] => format!(
            "{of} rises up to {}, then falls to {}.",
            at(highest),
            at(end)
        ),
        [false, true] => format!(
            "{of} falls down to {}, then rises to {}.",
            at(lowest),
            at(end)
        ),
        _ => format!(
            "{of} goes up and down with {name}: highest at {}, lowest at {}.",
            at(highest),
            at(lowest)
        ),
    })
}

/// The runs of a sequence, `true` for up: steps that are too small do not end one.
fn turns(shares: &[f64]) -> Vec<bool> {
    let mut runs: Vec<bool> = Vec::new();
    let (mut low, mut high) = (shares[0], shares[0]);
    for &share in &shares[1..] {
        match runs.last() {
            None => {
                low = low.min(share);
                high = high.max(share);
                if share - low >= STEP {
                    runs.push(true);
                    high = share;
                } else if high - share >= STEP {
                    runs.push(false);
                    low = share;
                }
            }
            Some(true) => {
                high = high.max(share);
                if high - share >= STEP {
                    runs.push(false);
                    low = share;
                }
            }
            Some(false) => {
                low = low.min(share);
                if share - low >= STEP {
                    runs.push(true);
                    high = share;
                }
            }
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_steps_are_no_turns() {
        assert_eq!(turns(&[0.1, 0.101, 0.099]), Vec::<bool>::new());
        assert_eq!(turns(&[0.1, 0.2, 0.198, 0.3]), [true]);
        assert_eq!(turns(&[0.1, 0.4, 0.2]), [true, false]);
        assert_eq!(turns(&[0.4, 0.1, 0.3]), [false, true]);
        assert_eq!(turns(&[0.4, 0.1, 0.3, 0.1]), [false, true, false]);
        assert_eq!(turns(&[0.1, 0.103, 0.106]), [true]);
    }

    #[test]
    fn lists_read_as_sentences() {
        let items = |n: usize| -> Vec<String> { (0..n).map(|i| i.to_string()).collect() };
        assert_eq!(list(&items(0)), "");
        assert_eq!(list(&items(1)), "0");
        assert_eq!(list(&items(2)), "0 and 1");
        assert_eq!(list(&items(3)), "0, 1 and 2");
        assert_eq!(capital(&number_word(3)), "Three");
        assert_eq!(number_word(1234), "1,234");
    }
}
