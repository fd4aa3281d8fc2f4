//! The best cut of a number in a node (docs/method.md §13.6).

use super::cost::SplitForm;
use super::node::NodeValues;
use super::split::Found;
use crate::math::TOLERANCE;
use crate::math::integer_code::BoundedCode;
use crate::prepare::discretize::{max_granularity, quantile_ends};
use crate::prepare::part_cost::PartCost;
use std::f64::consts::LN_2;

/// Where a cut may be made: the granularity of the quantiles that it is between, and their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    granularity: u32,
    quantiles: usize,
}

/// The best cut, by an input at a price; none if it does not pay. Values are told apart by the number of
/// values below the cut.
pub(super) fn best_cut(values: &NodeValues, price: f64) -> Option<Found<usize>> {
    let (rows, classes) = (values.rows(), values.classes());
    if values.len() < 2 || classes < 2 {
        return None;
    }
    let part_cost = PartCost::new(rows, classes);
    let code = BoundedCode::new(max_granularity(rows) as usize);
    let places = places(values);
    let mut left = Half::new(&part_cost, vec![0; values.totals.len()]);
    let mut right = Half::new(&part_cost, values.totals.clone());
    let null = LN_2 + right.cost();
    let mut best = (f64::INFINITY, 0);
    for (value, place) in places[..values.len() - 1].iter().enumerate() {
        for entry in values.counts.line(value) {
            let count = i64::from(entry.count);
            left.add(entry.class as usize, count);
            right.add(entry.class as usize, -count);
        }
        let quantiles = (1_usize << place.granularity).min(rows);
        let cost = LN_2
            + price
            + code.of(place.granularity as usize)
            + ((quantiles - 1) as f64).ln()
            + left.cost()
            + right.cost();
        if cost < best.0 - TOLERANCE {
            best = (cost, value + 1);
        }
    }
    let (cost, cut) = best;
    if null < cost + TOLERANCE {
        return None;
    }
    let Place {
        granularity,
        quantiles,
    } = places[cut - 1];
    let mut counts = vec![0; values.totals.len()];
    values.counts.sum_range(0..cut, &mut counts);
    let rest = values
        .totals
        .iter()
        .zip(&counts)
        .map(|(all, left)| all - left);
    Some(Found {
        level: 1.0 - cost / null,
        form: SplitForm::Cut {
            granularity,
            quantiles,
        },
        counts: [counts.clone(), rest.collect()],
        at: cut,
    })
}

/// The place of a cut after each value: the coarsest quantiles that end there, of those whose number has
/// grown by half.
fn places(values: &NodeValues) -> Vec<Place> {
    let (rows, distinct) = (values.rows(), values.len());
    let sizes = (0..distinct).map(|value| values.counts.total(value));
    let cumulated: Vec<u32> = sizes
        .scan(0, |sum, rows| {
            *sum += rows;
            Some(*sum)
        })
        .collect();
    let mut places: Vec<Option<Place>> = vec![None; distinct];
    let (mut before, mut ends) = (0, Vec::new());
    for granularity in 1..=max_granularity(rows).max(1) {
        let is_full = 1_usize << granularity >= rows;
        // The ends of quantiles are not looked for again where each row would be one.
        if !is_full {
            ends = quantile_ends(&cumulated, granularity);
        }
        let parts = if is_full { distinct } else { ends.len() };
        let last = parts == distinct;
        if last || (2 * parts >= 3 * before && 3 * parts <= 2 * distinct) {
            let quantiles = if last { rows } else { 1 << granularity };
            for &end in &ends {
                places[end as usize - 1].get_or_insert(Place {
                    granularity,
                    quantiles,
                });
            }
        }
        if last {
            break;
        }
        before = parts;
    }
    let finest = Place {
        granularity: max_granularity(rows),
        quantiles: distinct,
    };
    let place = |place: Option<Place>| place.unwrap_or(finest);
    places.into_iter().map(place).collect()
}

/// One side of a cut; its cost is kept while rows cross over.
struct Half<'a> {
    part_cost: &'a PartCost,
    counts: Vec<u32>,
    rows: usize,
    classes: f64,
}

impl<'a> Half<'a> {
    fn new(part_cost: &'a PartCost, counts: Vec<u32>) -> Self {
        let classes = counts.iter().map(|&n| part_cost.class_term(n as usize));
        Self {
            part_cost,
            rows: counts.iter().sum::<u32>() as usize,
            classes: classes.sum(),
            counts,
        }
    }

    fn add(&mut self, class: usize, rows: i64) {
        let count = &mut self.counts[class];
        self.classes -= self.part_cost.class_term(*count as usize);
        *count = (i64::from(*count) + rows) as u32;
        self.classes += self.part_cost.class_term(*count as usize);
        self.rows = (self.rows as i64 + rows) as usize;
    }

    fn cost(&self) -> f64 {
        self.part_cost.size_term(self.rows) - self.classes
    }
}
