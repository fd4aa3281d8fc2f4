//! Weights that are learnt → better profiles and tables over several variables, as terms.

use super::prepared::Prepared;
use crate::Progress;
use crate::columns::{Outcomes, VariableKind};
use crate::interactions::{Corrections, FoundTable, FreeTable, Input, KEPT, Profile, correct};
use crate::model::InteractionFacts;
use crate::prepare::{Elements, PreparedVariable};
use crate::terms::{Axis, Correction, Cost, PartCodes, Parts, Term, left_out, log_probabilities};
use crate::weights::{LearnSettings, Learnt};
use hashbrown::HashMap;

/// What corrections make of the terms of a model.
#[derive(Debug, Default)]
pub(crate) struct Corrected {
    /// The corrected profile of a variable, by its place among the prepared ones.
    pub(super) profiles: HashMap<usize, CorrectedProfile>,
    /// The tables over several variables, or over parts of their own.
    pub(super) tables: Vec<Term>,
    /// What they bring; `None` if there are none.
    pub(super) facts: Option<InteractionFacts>,
    /// The cell of every row to learn from, by table.
    pub(super) codes: Vec<PartCodes>,
}

/// A profile that was estimated anew.
#[derive(Debug)]
pub(super) struct CorrectedProfile {
    pub(super) correction: Correction,
    /// Its parts and their rows by class, if it has a curve: cells are then finer than the variable's own parts.
    pub(super) finer: Option<(Parts, Vec<Vec<u64>>)>,
}

impl CorrectedProfile {
    /// The term of a variable that this is the profile of.
    pub(super) fn applied(&self, variable: &PreparedVariable, weight: f64) -> Term {
        let mut term = variable.to_term(weight);
        if let Some((parts, counts)) = &self.finer {
            term.axes[0].parts = parts.clone();
            term.counts.clone_from(counts);
        }
        term.correction = Some(self.correction.clone());
        term
    }
}

impl Prepared {
    /// Learns what the weights leave unexplained.
    pub(super) fn correct(
        &self,
        learnt: &Learnt,
        outcomes: &Outcomes,
        settings: &LearnSettings,
        progress: &dyn Progress,
    ) -> Corrected {
        let limit = self
            .settings
            .learn
            .most_tables()
            .and(settings.most_tables());
        let Some(limit) = limit.filter(|_| outcomes.len() > 1) else {
            return Corrected::default();
        };
        let candidates = self.informative.iter().zip(&self.parts);
        let selected = candidates.zip(&learnt.weights).filter(|(_, w)| **w > 0.0);
        let mut places = Vec::new();
        let mut profiles = Vec::new();
        for ((&place, parts), weight) in selected {
            let (counts, rows) = (&self.variables[place].counts, self.target.total());
            let weighted = |mut scores: Vec<f64>| {
                for score in &mut scores {
                    *score *= weight;
                }
                scores
            };
            places.push(place);
            profiles.push(Profile {
                codes: &parts.codes,
                scores: weighted(log_probabilities(counts, rows)),
                left_out: weighted(left_out(counts, rows)),
                input: None,
            });
        }
        let (inputs, input_places) = self.inputs(&places, settings);
        let mut within = HashMap::new();
        let mut refined: Vec<Option<Refined>> = Vec::with_capacity(places.len());
        for (profile, place) in profiles.iter().zip(&places) {
            let input = input_places.iter().position(|input| input == place);
            let number = input.filter(|&i| inputs[i].kind == VariableKind::Numerical);
            refined.push(number.map(|input| Refined {
                codes: profile.codes,
                parts: profile.scores.len() / outcomes.len(),
                input,
            }));
        }
        let mut all_within = within_parts(&refined, &inputs, outcomes).into_iter();
        for ((profile, place), refined) in profiles.iter_mut().zip(&places).zip(refined) {
            profile.input = refined.and_then(|refined| {
                let parts = all_within.next().expect("one of each")?;
                within.insert(*place, parts);
                Some(refined.input)
            });
        }
        let found = correct(&profiles, &inputs, outcomes, limit, progress);
        let corrected = found.profiles.iter().zip(&found.curves);
        let loss = if places.is_empty() {
            learnt.null_criterion.data
        } else {
            learnt.criterion.data
        };
        let facts = InteractionFacts {
            profiles: corrected
                .filter(|(cells, curve)| cells.is_some() || curve.is_some())
                .count(),
            tables: found.tables.len(),
            data_before: loss,
            // Known when the model is: see `learn`.
            data: loss,
        };
        let is_any = facts.profiles + facts.tables > 0;
        Corrected {
            facts: is_any.then_some(facts),
            ..self.corrected(found, &profiles, &places, &input_places, within)
        }
    }

    /// The variables that may be in tables: all columns of the main table unless they are too many, and of
    /// the others, or if the number of variables is limited, those that are selected.
    fn inputs(&self, selected: &[usize], settings: &LearnSettings) -> (Vec<Input<'_>>, Vec<usize>) {
        let is_free = |variable: &PreparedVariable| {
            settings.max_selected.is_none()
                && variable.axes[0].from.is_column()
                && !self.facts.is_sparse_feature(&variable.name)
        };
        let mut order: Vec<usize> = (0..self.variables.len()).collect();
        order.sort_by(|&a, &b| super::prepared::best_first(&self.variables[a], &self.variables[b]));
        let mut is_selected = vec![false; self.variables.len()];
        for &place in selected {
            is_selected[place] = true;
        }
        let (mut inputs, mut places) = (Vec::new(), Vec::new());
        for place in order {
            let (variable, elements) = (&self.variables[place], &self.elements[place]);
            let Some(Elements { parts, codes }) = elements else {
                continue;
            };
            if is_free(variable) || is_selected[place] {
                places.push(place);
                inputs.push(Input {
                    kind: variable.axes[0].kind,
                    parts,
                    codes,
                    selected: is_selected[place],
                });
            }
        }
        (inputs, places)
    }

    /// `within`: the own parts of variables that may have curves, by elementary part.
    fn corrected(
        &self,
        mut found: Corrections,
        profiles: &[Profile],
        places: &[usize],
        inputs: &[usize],
        mut within: HashMap<usize, Vec<usize>>,
    ) -> Corrected {
        let codes = found.tables.iter_mut();
        let codes = codes
            .map(|table| std::mem::take(&mut table.codes))
            .collect();
        let mut corrected = HashMap::new();
        let corrections = found.profiles.into_iter().zip(found.curves);
        for ((&place, profile), (table, curve)) in places.iter().zip(profiles).zip(corrections) {
            let variable = &self.variables[place];
            if let Some(curve) = curve {
                let within = within.remove(&place).expect("a curve is within parts");
                let curved = self.curved(place, &profile.scores, table, &curve, within);
                corrected.insert(place, curved);
            } else if let Some(FreeTable { alpha, logs, .. }) = table {
                let correction = Correction::of_logs(&logs, &variable.counts, alpha, Vec::new());
                let finer = None;
                corrected.insert(place, CorrectedProfile { correction, finer });
            }
        }
        let mut names: Vec<String> = self.variables.iter().map(|v| v.name.clone()).collect();
        let tables = found.tables.iter().map(|table| {
            let term = self.table(table, inputs, &names);
            names.push(term.name.clone());
            term
        });
        Corrected {
            profiles: corrected,
            tables: tables.collect(),
            facts: None,
            codes,
        }
    }

    /// The profile of a number that has a curve, and perhaps a correction of its own parts, whose weighted
    /// scores are given.
    fn curved(
        &self,
        place: usize,
        scores: &[f64],
        own: Option<FreeTable>,
        curve: &FreeTable,
        within: Vec<usize>,
    ) -> CorrectedProfile {
        let classes = self.target.counts().len();
        let mut of_own_parts: Vec<f64> = scores.iter().map(|s| (KEPT - 1.0) * s).collect();
        if let Some(FreeTable { logs, .. }) = &own {
            for (sum, log) in of_own_parts.iter_mut().zip(logs) {
                *sum += log;
            }
        }
        let mut logs = curve.logs.clone();
        for (line, part) in logs.chunks_exact_mut(classes).zip(&within) {
            for (log, by) in line.iter_mut().zip(&of_own_parts[part * classes..]) {
                *log += by;
            }
        }
        let alpha = own.map_or(1.0, |own| own.alpha);
        // What all classes of a cell share changes nothing: as many rows are expected in it as are seen.
        let cells = logs.chunks_exact_mut(classes);
        for (logs, observed) in cells.zip(curve.observed.chunks_exact(classes)) {
            let pairs = logs.iter().zip(observed);
            let expected: f64 = pairs.map(|(log, o)| (o + alpha) * (-log).exp()).sum();
            let seen: f64 = observed.iter().map(|o| o + alpha).sum();
            let shared = (expected / seen).ln();
            for log in logs {
                *log += shared;
            }
        }
        // Those of each part add up to what is counted of it.
        let counts = &self.variables[place].counts;
        let mut finer = Vec::with_capacity(within.len());
        for cells in within.chunk_by(|a, b| a == b) {
            let observed = &curve.observed[finer.len() * classes..][..cells.len() * classes];
            finer.extend(whole_counts(observed, &counts[cells[0]]));
        }
        let parts = &self.elements[place].as_ref().expect("it has a curve").parts;
        CorrectedProfile {
            correction: Correction::of_logs(&logs, &finer, alpha, within),
            finer: Some((parts.clone(), finer)),
        }
    }

    fn table(&self, found: &FoundTable, inputs: &[usize], names: &[String]) -> Term {
        let axes = found.inputs.iter().zip(&found.parts);
        let axes: Vec<Axis> = axes
            .map(|(&input, parts)| self.axis(inputs[input], parts))
            .collect();
        let counts = whole_counts(&found.table.observed, self.target.counts());
        let classes = self.target.counts().len();
        let correction = if let Some(coefficients) = &found.surface {
            let lines = coefficients.chunks_exact(classes);
            Correction::Surface {
                coefficients: lines.map(<[f64]>::to_vec).collect(),
            }
        } else {
            let FreeTable { alpha, logs, .. } = &found.table;
            Correction::of_logs(logs, &counts, *alpha, Vec::new())
        };
        let joined: Vec<&str> = axes.iter().map(|axis| axis.name.as_str()).collect();
        let kind = match &found.surface {
            Some(_) => " (smooth)",
            None => "",
        };
        let name = unused(&format!("{}{kind}", joined.join(" × ")), names);
        Term {
            name,
            axes,
            weight: 0.0,
            level: found.gain / self.null_cost.total().max(f64::MIN_POSITIVE),
            importance: 0.0,
            cost: Cost {
                construction: 0.0,
                preparation: 0.0,
                data: 0.0,
            },
            counts,
            correction: Some(correction),
        }
    }

    /// A variable cut into parts of its elementary parts.
    fn axis(&self, place: usize, part_of: &[u32]) -> Axis {
        let variable = &self.variables[place];
        let elements = self.elements[place].as_ref().expect("an input has them");
        let parts = elements.parts.merged(part_of);
        Axis {
            name: variable.name.clone(),
            from: variable.axes[0].from.clone(),
            kind: variable.axes[0].kind,
            unlisted: match variable.axes[0].kind {
                VariableKind::Numerical => 0,
                VariableKind::Categorical => {
                    variable.axes[0].distinct.saturating_sub(parts.listed())
                }
            },
            parts,
        }
    }
}

/// A number with its own parts, and the same as an input, in elementary parts.
struct Refined<'a> {
    codes: &'a PartCodes,
    parts: usize,
    input: usize,
}

/// The own part of each elementary part, by number; `None` if they are not within these: of very many own
/// parts some are put together.
fn within_parts(
    numbers: &[Option<Refined>],
    inputs: &[Input],
    outcomes: &Outcomes,
) -> Vec<Option<Vec<usize>>> {
    let numbers = || numbers.iter().flatten();
    let mut rows = outcomes
        .all()
        .sum(|| {
            let rows = numbers().flat_map(|number| {
                let input = &inputs[number.input];
                let mut rows = vec![0_u64; input.parts.len() * number.parts];
                for row in 0..number.codes.len() {
                    rows[input.codes.get(row) * number.parts + number.codes.get(row)] += 1;
                }
                rows
            });
            rows.collect()
        })
        .into_iter();
    let mut own_part = |number: &Refined| {
        let own: Vec<u64> = rows.by_ref().take(number.parts).collect();
        let mut seen = own.iter().enumerate().filter(|(_, rows)| **rows > 0);
        let (own, _) = seen.next()?;
        seen.next().is_none().then_some(own)
    };
    let of_number = |number: &Refined| {
        let elementary = 0..inputs[number.input].parts.len();
        // All are taken, whatever they are: the next number follows.
        let parts: Vec<Option<usize>> = elementary.map(|_| own_part(number)).collect();
        parts.into_iter().collect()
    };
    numbers().map(of_number).collect()
}

/// Rows of cells as whole numbers, those of each class adding up to what they are in all.
fn whole_counts(observed: &[f64], class_counts: &[u64]) -> Vec<Vec<u64>> {
    let classes = class_counts.len();
    let cells = observed.len() / classes;
    let mut reached = vec![0.0; classes];
    let mut counted = vec![0; classes];
    let line = |(cell, line): (usize, &[f64])| {
        let count = |class: usize| {
            reached[class] += line[class];
            let up_to = if cell + 1 == cells {
                class_counts[class]
            } else {
                (f64::round(reached[class]) as u64).min(class_counts[class])
            };
            let count = up_to - counted[class];
            counted[class] = up_to;
            count
        };
        (0..classes).map(count).collect()
    };
    observed
        .chunks_exact(classes)
        .enumerate()
        .map(line)
        .collect()
}

/// A name that no variable or table has yet.
fn unused(name: &str, names: &[String]) -> String {
    let mut free = name.to_owned();
    let mut number = 2;
    while names.contains(&free) {
        free = format!("{name} ({number})");
        number += 1;
    }
    free
}
