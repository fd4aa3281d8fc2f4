//! The loop: profiles are estimated anew, then tables enter one by one as long as one pays
//! (docs/method.md §12.7).

use super::candidates::{Candidates, Extended, Form, Input, Over, Proposal};
use super::count::Residuals;
use super::curves::{self, Fitted};
use super::estimate::{Shape, Table, sweep};
use super::fold::{Folding, cells_of};
use super::posteriors::{Posteriors, Profile};
use crate::columns::Outcomes;
use crate::progress::{Progress, Stage};
use crate::terms::PartCodes;
use std::borrow::Cow;

/// Sweeps over the profiles before tables are looked for.
const FIRST_SWEEPS: usize = 2;
/// Candidates that are looked at again before all of them are.
const MOST_LOOKS: usize = 60;
/// Tables that enter before all candidates are looked at again.
const REFRESHED_AFTER: usize = 4;
/// Tables that enter for one that is left when those of the same variables are put together.
const MOST_ENTRIES: usize = 2;
/// Candidates that would bring less are not among these: what a table brings mostly shrinks as others
/// enter. Before the search ends, all are looked at.
const FAR: f64 = -2.0;
/// Sweeps at the end, and the share of the log loss below which they stop.
const LAST_SWEEPS: usize = 20;
const LEAST_FALL: f64 = 1e-4;
/// Variables of a table, at most.
const MOST_VARIABLES: usize = 3;
/// Above this number of inputs, tables are extended by so many that the model has already.
const MOST_EXTENSIONS: usize = 48;

/// What is learnt beyond the weights.
#[derive(Debug, Default)]
pub(crate) struct Corrections {
    /// Those of the profiles, in their order; `None` where a profile stays as it is.
    pub(crate) profiles: Vec<Option<FreeTable>>,
    /// The curves of the profiles, in their order: of what such a variable says otherwise only
    /// [`KEPT`](super::KEPT) is left.
    pub(crate) curves: Vec<Option<FreeTable>>,
    pub(crate) tables: Vec<FoundTable>,
}

/// The factors of the cells of a table.
#[derive(Debug, Clone)]
pub(crate) struct FreeTable {
    pub(crate) alpha: f64,
    /// By cell, then outcome.
    pub(crate) logs: Vec<f64>,
    pub(crate) observed: Vec<f64>,
}

/// A table that entered.
#[derive(Debug, Clone)]
pub(crate) struct FoundTable {
    /// Its variables, by place among the inputs.
    pub(crate) inputs: Vec<usize>,
    /// The part of every elementary part, by variable.
    pub(crate) parts: Vec<Vec<u32>>,
    pub(crate) table: FreeTable,
    /// The cell of every row.
    pub(crate) codes: PartCodes,
    /// The coefficients of its surface, by function, then outcome, if it is smooth.
    pub(crate) surface: Option<Vec<f64>>,
    /// What it was expected to bring on new rows when it entered.
    pub(crate) gain: f64,
}

/// What a table of the search is over.
struct Entry {
    inputs: Vec<usize>,
    parts: Vec<Vec<u32>>,
    gain: f64,
    /// The table that it extends.
    extends: Option<usize>,
}

struct Search<'a> {
    candidates: Candidates<'a>,
    posteriors: Posteriors<'a>,
    outcomes: usize,
    /// Curves and corrections of profiles, then the tables that entered.
    tables: Vec<Table<'a>>,
    /// How many of these are curves, and how many curves or corrections of profiles.
    curves: usize,
    profiles: usize,
    entries: Vec<Entry>,
    over: Vec<Over>,
    gains: Vec<f64>,
    /// Under the posteriors as they are; `None` after a step.
    residuals: Option<Residuals>,
    /// The log loss of the training rows.
    loss: f64,
}

/// Corrects the model of the given profiles, with at most `limit` tables.
pub(crate) fn correct(
    profiles: &[Profile],
    inputs: &[Input],
    outcomes: &Outcomes,
    limit: usize,
    progress: &dyn Progress,
) -> Corrections {
    let candidates = Candidates::new(inputs, outcomes);
    let Fitted {
        curved,
        curves,
        posteriors,
        loss,
    } = curves::fit(profiles, &candidates, outcomes);
    let mut search = Search {
        candidates,
        posteriors,
        outcomes: outcomes.len(),
        profiles: curves.len(),
        curves: curves.len(),
        tables: curves,
        entries: Vec::new(),
        over: Vec::new(),
        gains: Vec::new(),
        residuals: None,
        loss,
    };
    let kept = search.correct_profiles(profiles);
    if limit > 0 && !inputs.is_empty() {
        search.over = {
            let residuals = Residuals::of(&search.posteriors);
            search.candidates.first(&residuals)
        };
        search.look_at_all(f64::NEG_INFINITY);
        search.enter_tables(limit, progress);
    }
    search.converge(progress);
    search.corrections(&curved, &kept)
}

impl<'a> Search<'a> {
    /// Estimates profiles anew where that pays on new rows; returns which ones.
    fn correct_profiles(&mut self, profiles: &[Profile<'a>]) -> Vec<usize> {
        let mut kept = Vec::new();
        for (i, profile) in profiles.iter().enumerate() {
            let cells = profile.scores.len() / self.outcomes;
            let shape = Shape::Free { alpha: 1.0 };
            let codes = Cow::Borrowed(profile.codes);
            let mut table = Table::new(codes, cells, &self.posteriors, shape);
            let masses = self.posteriors.masses(table.lookup());
            if table.choose_alpha(&masses, self.outcomes) > 0.0 {
                self.loss += table.step(&mut self.posteriors, &masses, None).0;
                self.tables.push(table);
                kept.push(i);
            }
        }
        for _ in 1..FIRST_SWEEPS {
            self.loss += sweep(&mut self.tables, &mut self.posteriors);
        }
        self.profiles += kept.len();
        kept
    }

    fn enter_tables(&mut self, limit: usize, progress: &dyn Progress) {
        let (mut entered, mut since, mut all_known) = (0, 0, true);
        while entered < MOST_ENTRIES * limit && !progress.cancelled() {
            let tables = folding(&self.entries, &self.tables[self.profiles..]).left();
            if tables >= limit {
                break;
            }
            progress.report(Stage::Interactions, tables, limit);
            if since == REFRESHED_AFTER {
                self.look_at_all(FAR);
                since = 0;
            }
            if let Some((candidate, proposal)) = self.best() {
                self.enter(candidate, &proposal);
                entered += 1;
                since += 1;
                all_known = false;
            } else if all_known {
                break;
            } else {
                self.look_at_all(f64::NEG_INFINITY);
                all_known = true;
            }
        }
    }

    /// The candidate that pays most, if one pays: stored gains are those of an earlier model, and mostly
    /// too large.
    fn best(&mut self) -> Option<(usize, Proposal)> {
        for _ in 0..MOST_LOOKS {
            let candidate = self.largest()?;
            let proposal = self.look_at(&[candidate]).pop()?;
            if proposal.gain > 0.0 && self.largest() == Some(candidate) {
                return Some((candidate, proposal));
            }
        }
        None
    }

    /// The candidate of the largest stored gain, if that is above 0.
    fn largest(&self) -> Option<usize> {
        let mut best: Option<usize> = None;
        for (i, &gain) in self.gains.iter().enumerate() {
            if gain > 0.0 && best.is_none_or(|best| gain > self.gains[best]) {
                best = Some(i);
            }
        }
        best
    }

    /// Looks again at the candidates that stood above a gain.
    fn look_at_all(&mut self, above: f64) {
        self.gains.resize(self.over.len(), 0.0);
        let all = 0..self.over.len();
        let near: Vec<usize> = all.filter(|&i| self.gains[i] > above).collect();
        self.look_at(&near);
    }

    /// Evaluates candidates and stores their gains.
    fn look_at(&mut self, candidates: &[usize]) -> Vec<Proposal> {
        let residuals = self.residuals.take();
        let residuals = residuals.unwrap_or_else(|| Residuals::of(&self.posteriors));
        let over: Vec<Over> = candidates.iter().map(|&i| self.over[i]).collect();
        let tables = self.tables[self.profiles..].iter().map(|table| Extended {
            codes: &table.codes,
            cells: table.cells,
        });
        let tables: Vec<Extended> = tables.collect();
        let proposals = self.candidates.evaluate(&over, &tables, &residuals);
        for (&candidate, proposal) in candidates.iter().zip(&proposals) {
            self.gains[candidate] = proposal.gain;
        }
        self.residuals = Some(residuals);
        proposals
    }

    fn enter(&mut self, candidate: usize, proposal: &Proposal) {
        let over = self.over[candidate];
        let (entry, mut table) = self.table(over, proposal);
        let masses = self.posteriors.masses(table.lookup());
        table.choose_alpha(&masses, self.outcomes);
        self.loss += table.step(&mut self.posteriors, &masses, None).0;
        // Curves follow at the end.
        let moved = &mut self.tables[self.curves..];
        self.loss += sweep(moved, &mut self.posteriors);
        let masses = self.posteriors.masses(table.lookup());
        self.loss += table.step(&mut self.posteriors, &masses, None).0;
        self.residuals = None;

        let may_grow = matches!(table.shape, Shape::Free { .. })
            && (2..MOST_VARIABLES).contains(&entry.inputs.len())
            && 4 * table.cells * self.outcomes
                <= self.posteriors.rows_of_table().max(64 * self.outcomes);
        self.tables.push(table);
        self.entries.push(entry);
        self.look_at(&[candidate]);
        if may_grow {
            self.add_extensions(self.entries.len() - 1);
        }
    }

    /// The table of a proposal, not estimated yet.
    fn table(&self, over: Over, proposal: &Proposal) -> (Entry, Table<'a>) {
        let inputs = self.candidates.inputs;
        let elementary = |input: usize| (0..inputs[input].parts.len() as u32).collect();
        let (variables, extends): (Vec<usize>, Option<usize>) = match over {
            Over::Pair(a, b) => (vec![a, b], None),
            Over::Single(a) => (vec![a], None),
            Over::Extension { table, input } => {
                let mut inputs = self.entries[table].inputs.clone();
                inputs.push(input);
                (inputs, Some(table))
            }
        };
        let (mut parts, shape): (Vec<Vec<u32>>, Shape) = match &proposal.form {
            Form::Hard(grid) => {
                let parts = match over {
                    Over::Pair(..) => grid.parts.to_vec(),
                    Over::Single(_) => vec![grid.parts[0].clone()],
                    Over::Extension { .. } => vec![grid.parts[1].clone()],
                };
                (parts, Shape::Free { alpha: 1.0 })
            }
            Form::Smooth { agreement } => {
                let basis = self.candidates.basis(over).expect("proposed with it");
                let coefficients = vec![0.0; basis.len() * self.outcomes];
                let shape = Shape::Smooth {
                    basis,
                    agreement: *agreement,
                    coefficients,
                    freedom: 0.0,
                };
                (
                    variables.iter().map(|&input| elementary(input)).collect(),
                    shape,
                )
            }
        };
        if let Some(extended) = extends {
            let mut all = self.entries[extended].parts.clone();
            all.append(&mut parts);
            parts = all;
        }
        let axes: Vec<(&PartCodes, &[u32])> = variables
            .iter()
            .zip(&parts)
            .map(|(&input, parts)| (inputs[input].codes, parts.as_slice()))
            .collect();
        let (codes, cells) = cells_of(&axes);
        let entry = Entry {
            inputs: variables,
            parts,
            gain: proposal.gain,
            extends,
        };
        (
            entry,
            Table::new(Cow::Owned(codes), cells, &self.posteriors, shape),
        )
    }

    fn add_extensions(&mut self, table: usize) {
        let own = &self.entries[table].inputs;
        let inputs = self.candidates.inputs;
        let in_model = |&i: &usize| {
            inputs[i].selected || self.entries.iter().any(|entry| entry.inputs.contains(&i))
        };
        let mut others: Vec<usize> = (0..inputs.len()).filter(|i| !own.contains(i)).collect();
        if inputs.len() > MOST_EXTENSIONS {
            others.retain(in_model);
            others.truncate(MOST_EXTENSIONS);
        }
        let before = self.over.len();
        let extension = |input| Over::Extension { table, input };
        self.over.extend(others.into_iter().map(extension));
        self.gains.resize(self.over.len(), 0.0);
        let new: Vec<usize> = (before..self.over.len()).collect();
        self.look_at(&new);
    }

    /// Sweeps until the log loss hardly falls.
    fn converge(&mut self, progress: &dyn Progress) {
        for _ in 0..LAST_SWEEPS {
            if self.tables.is_empty() || progress.cancelled() {
                break;
            }
            let before = self.loss;
            let change = sweep(&mut self.tables, &mut self.posteriors);
            self.loss += change;
            if -change < LEAST_FALL * before {
                break;
            }
        }
    }

    /// `curved` and `kept`: which profiles have curves, which are corrected.
    fn corrections(mut self, curved: &[Option<usize>], kept: &[usize]) -> Corrections {
        let entered = self.tables.split_off(self.profiles);
        let mut corrected = vec![None; curved.len()];
        for (&profile, table) in kept.iter().zip(self.tables.drain(self.curves..)) {
            corrected[profile] = Some(free_table(&table));
        }
        let mut curves = self.tables.iter();
        let curve = |input: &Option<usize>| input.and_then(|_| curves.next()).map(free_table);
        let curves = curved.iter().map(curve).collect();
        let folding = folding(&self.entries, &entered);
        let tables = self.entries.into_iter().zip(entered);
        let found = tables.map(|(entry, table)| FoundTable {
            inputs: entry.inputs,
            parts: entry.parts,
            table: free_table(&table),
            codes: table.codes.into_owned(),
            surface: match table.shape {
                Shape::Smooth { coefficients, .. } => Some(coefficients),
                Shape::Free { .. } => None,
            },
            gain: entry.gain,
        });
        Corrections {
            profiles: corrected,
            curves,
            tables: folding.apply(found.collect(), self.candidates.inputs, &self.posteriors),
        }
    }
}

/// How the tables that entered become fewer.
fn folding(entries: &[Entry], tables: &[Table]) -> Folding {
    let inputs: Vec<&[usize]> = entries.iter().map(|entry| &*entry.inputs).collect();
    let extends: Vec<Option<usize>> = entries.iter().map(|entry| entry.extends).collect();
    let smooth = tables
        .iter()
        .map(|table| matches!(table.shape, Shape::Smooth { .. }));
    Folding::of(&inputs, &extends, &smooth.collect::<Vec<bool>>())
}

fn free_table(table: &Table) -> FreeTable {
    FreeTable {
        alpha: match table.shape {
            Shape::Free { alpha } => alpha,
            Shape::Smooth { .. } => 0.0,
        },
        logs: table.logs.clone(),
        observed: table.observed.clone(),
    }
}
