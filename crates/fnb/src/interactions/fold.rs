//! Tables over the same variables become one, and a table becomes part of the first that extends it
//! (docs/method.md §12.8).

use super::candidates::Input;
use super::posteriors::{Cells, Posteriors};
use super::search::FoundTable;
use crate::terms::PartCodes;

/// What is to be put together of tables in the order in which they entered.
#[derive(Debug)]
pub(super) struct Folding {
    /// The table that each is put into, an earlier or a later one; `None` if it stays.
    into: Vec<Option<usize>>,
}

impl Folding {
    /// By table: its variables, the table that it extends, and if it is a surface.
    pub(super) fn of(inputs: &[&[usize]], extends: &[Option<usize>], smooth: &[bool]) -> Self {
        let mut into: Vec<Option<usize>> = vec![None; inputs.len()];
        for (table, extended) in extends.iter().enumerate() {
            if let Some(extended) = *extended
                && into[extended].is_none()
            {
                into[extended] = Some(table);
            }
        }
        for table in 0..inputs.len() {
            if into[table].is_none() {
                let is_like = |&other: &usize| {
                    into[other].is_none()
                        && smooth[other] == smooth[table]
                        && same(inputs[other], inputs[table])
                };
                into[table] = (0..table).find(is_like);
            }
        }
        Self { into }
    }

    /// How many tables are left.
    pub(super) fn left(&self) -> usize {
        self.into.iter().filter(|into| into.is_none()).count()
    }

    /// The tables that are left, with all that was put into them.
    pub(super) fn apply(
        &self,
        mut found: Vec<FoundTable>,
        inputs: &[Input],
        posteriors: &Posteriors,
    ) -> Vec<FoundTable> {
        // Extended tables first: what takes them up may be put into an earlier one itself.
        let later = |&table: &usize| self.into[table].is_some_and(|into| into > table);
        let tables = 0..found.len();
        let order = tables
            .clone()
            .filter(later)
            .chain(tables.filter(|t| !later(t)));
        for table in order {
            if let Some(into) = self.into[table] {
                found[into] = together(&found[into], &found[table], inputs, posteriors);
            }
        }
        let tables = found.into_iter().zip(&self.into);
        tables
            .filter(|(_, into)| into.is_none())
            .map(|(table, _)| table)
            .collect()
    }
}

/// Are they the same variables, in any order?
fn same(one: &[usize], other: &[usize]) -> bool {
    one.len() == other.len() && one.iter().all(|input| other.contains(input))
}

/// A table and another one over all or some of its variables: the factors of both, on parts that are
/// fine enough for either.
fn together(
    table: &FoundTable,
    other: &FoundTable,
    inputs: &[Input],
    posteriors: &Posteriors,
) -> FoundTable {
    let mut sum = table.clone();
    sum.gain += other.gain;
    if let (Some(own), Some(coefficients)) = (&mut sum.surface, &other.surface) {
        add(own, coefficients);
        add(&mut sum.table.logs, &other.table.logs);
        return sum;
    }
    let place_in_other = |input| other.inputs.iter().position(|other| other == input);
    let places: Vec<Option<usize>> = table.inputs.iter().map(place_in_other).collect();
    let axes = table.parts.iter().zip(&places);
    let axes = axes.map(|(parts, place)| Refined::of(parts, place.map(|k| &*other.parts[k])));
    let axes: Vec<Refined> = axes.collect();
    sum.parts = axes.iter().map(|axis| axis.parts.clone()).collect();
    let codes = table.inputs.iter().map(|&input| inputs[input].codes);
    let by_axis: Vec<(&PartCodes, &[u32])> =
        codes.zip(sum.parts.iter().map(Vec::as_slice)).collect();
    let (codes, number) = cells_of(&by_axis);
    sum.codes = codes;
    let codes = &sum.codes;
    sum.table.observed = posteriors.observed(Cells { codes, number });
    let j = posteriors.outcomes();
    sum.table.logs = vec![0.0; number * j];
    for (cell, logs) in sum.table.logs.chunks_exact_mut(j).enumerate() {
        // From the last axis, whose part changes fastest.
        let (mut rest, mut own, mut own_step) = (cell, 0, 1);
        let mut of_other = vec![0; other.parts.len()];
        for ((axis, place), parts) in axes.iter().zip(&places).zip(&table.parts).rev() {
            let (own_part, other_part) = axis.were[rest % axis.were.len()];
            rest /= axis.were.len();
            own += own_part as usize * own_step;
            own_step *= size(parts);
            if let Some(place) = place {
                of_other[*place] = other_part as usize;
            }
        }
        let by_axis = of_other.iter().zip(&other.parts);
        let other_cell = by_axis.fold(0, |cell, (part, parts)| cell * size(parts) + part);
        add(logs, &table.table.logs[own * j..][..j]);
        add(logs, &other.table.logs[other_cell * j..][..j]);
    }
    sum
}

/// Parts of an axis that are fine enough for two tables.
struct Refined {
    /// By elementary part.
    parts: Vec<u32>,
    /// By part, that of the one table and that of the other.
    were: Vec<(u32, u32)>,
}

impl Refined {
    /// Given the parts of both by elementary part; of the other one only if it has this axis.
    fn of(one: &[u32], other: Option<&[u32]>) -> Self {
        let mut were = Vec::new();
        let part = |(i, &part): (usize, &u32)| {
            let both = (part, other.map_or(0, |other| other[i]));
            let known = were.iter().position(|&known| known == both);
            known.unwrap_or_else(|| {
                were.push(both);
                were.len() - 1
            }) as u32
        };
        let parts = one.iter().enumerate().map(part).collect();
        Self { parts, were }
    }
}

/// The cell of every row of a table over some axes, each given by elementary parts and what they are
/// merged into; the last one changes fastest.
pub(super) fn cells_of(axes: &[(&PartCodes, &[u32])]) -> (PartCodes, usize) {
    let sizes: Vec<usize> = axes.iter().map(|(_, parts)| size(parts)).collect();
    let cells: usize = sizes.iter().product();
    let rows = axes.first().map_or(0, |(codes, _)| codes.len());
    let cell = |row: usize| {
        let axes = axes.iter().zip(&sizes);
        axes.fold(0, |cell, ((codes, parts), size)| {
            cell * *size as u32 + parts[codes.get(row)]
        })
    };
    (PartCodes::collect(cells, (0..rows).map(cell)), cells)
}

/// Number of parts, given those of all elementary parts.
fn size(parts: &[u32]) -> usize {
    parts.iter().max().map_or(0, |&part| part as usize + 1)
}

fn add(sums: &mut [f64], terms: &[f64]) {
    for (sum, term) in sums.iter_mut().zip(terms) {
        *sum += term;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::{Outcomes, VariableKind};
    use crate::interactions::search::FreeTable;
    use crate::terms::{MissingNumbers, Parts};

    const ROWS: usize = 500;
    const ELEMENTS: usize = 6;

    /// The sum of the logarithms of a row over all tables, for two outcomes.
    fn says(tables: &[FoundTable], row: usize) -> [f64; 2] {
        let of_table = |table: &FoundTable| {
            let cell = table.codes.get(row);
            [table.table.logs[2 * cell], table.table.logs[2 * cell + 1]]
        };
        tables
            .iter()
            .map(of_table)
            .fold([0.0; 2], |a, b| [a[0] + b[0], a[1] + b[1]])
    }

    /// Tables over some of three inputs, each with the table that it extends, whose parts it shares.
    fn check(tables: &[(&[usize], Option<usize>)], left: usize) {
        let random = |seed: usize| seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        let parts = Parts::Intervals {
            missing: MissingNumbers::None,
            cuts: (1..ELEMENTS).map(|cut| cut as f64).collect(),
        };
        let codes = [1, 2, 3].map(|input| {
            let code = |row| (random(input * 7919 + row) % ELEMENTS) as u8;
            PartCodes::Narrow((0..ROWS).map(code).collect())
        });
        let inputs = codes.iter().map(|codes| Input {
            kind: VariableKind::Numerical,
            parts: &parts,
            codes,
            selected: false,
        });
        let inputs: Vec<Input> = inputs.collect();
        let labels: Vec<u32> = (0..ROWS as u32).map(|row| row % 2).collect();
        let outcomes = Outcomes::new(&labels, vec![ROWS as u64 / 2; 2], None);
        let posteriors = Posteriors::new(&[], &outcomes);
        let mut found: Vec<FoundTable> = Vec::new();
        for (place, (own, extends)) in tables.iter().enumerate() {
            let axis = |axis: usize| match extends {
                Some(extended) if axis < found[*extended].parts.len() => {
                    found[*extended].parts[axis].clone()
                }
                _ => {
                    let cuts = random(place * 31 + axis) | 2;
                    (0..ELEMENTS)
                        .map(|i| (cuts & ((1 << i) - 1)).count_ones())
                        .collect()
                }
            };
            let parts: Vec<Vec<u32>> = (0..own.len()).map(axis).collect();
            let by_axis = own
                .iter()
                .zip(&parts)
                .map(|(&i, p)| (&codes[i], p.as_slice()));
            let (codes, number) = cells_of(&by_axis.collect::<Vec<_>>());
            let log = |i| random(i + 1000 * place) as f64 / 1e6;
            found.push(FoundTable {
                inputs: own.to_vec(),
                parts,
                table: FreeTable {
                    alpha: 1.0,
                    logs: (0..2 * number).map(log).collect(),
                    observed: Vec::new(),
                },
                codes,
                surface: None,
                gain: 1.0,
            });
        }
        let inputs_of: Vec<&[usize]> = tables.iter().map(|table| table.0).collect();
        let extends: Vec<Option<usize>> = tables.iter().map(|table| table.1).collect();
        let folding = Folding::of(&inputs_of, &extends, &vec![false; tables.len()]);
        let folded = folding.apply(found.clone(), &inputs, &posteriors);
        assert_eq!((folding.left(), folded.len()), (left, left));
        for row in 0..ROWS {
            let (before, after) = (says(&found, row), says(&folded, row));
            assert!((before[0] - after[0]).abs() < 1e-9 && (before[1] - after[1]).abs() < 1e-9);
        }
        for table in &folded {
            let rows: f64 = table.table.observed.iter().sum();
            assert!(table.table.observed.is_empty() || rows == ROWS as f64);
        }
        assert_eq!(
            folded.iter().map(|table| table.gain).sum::<f64>(),
            tables.len() as f64
        );
    }

    #[test]
    fn rows_are_told_the_same() {
        check(&[(&[0, 1], None), (&[1, 2], None)], 2);
        check(&[(&[0, 1], None), (&[0, 1], None)], 1);
        check(&[(&[0, 1], None), (&[0, 1, 2], Some(0))], 1);
        check(
            &[(&[0, 1], None), (&[0, 1, 2], Some(0)), (&[0, 1], None)],
            2,
        );
        check(
            &[
                (&[0, 1], None),
                (&[1, 2], None),
                (&[0, 1, 2], Some(0)),
                (&[1, 2, 0], Some(1)),
            ],
            1,
        );
        check(
            &[(&[0], None), (&[0, 1], None), (&[0], None), (&[0], None)],
            2,
        );
    }
}
