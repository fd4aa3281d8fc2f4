//! Weights that are learnt → better profiles and tables over several variables, as terms.

use super::prepared::Prepared;
use crate::Progress;
use crate::columns::{Outcomes, VariableKind};
use crate::interactions::{Corrections, FoundTable, FreeTable, Input, Profile, correct};
use crate::math::decimal::round_to_10_digits;
use crate::model::InteractionFacts;
use crate::prepare::{Elements, PreparedVariable};
use crate::terms::{
    Axis, Correction, Cost, MissingNumbers, PartCodes, Parts, Term, log_probabilities,
};
use crate::weights::{LearnSettings, Learnt};
use hashbrown::HashMap;

/// What corrections make of the terms of a model.
#[derive(Debug, Default)]
pub(crate) struct Corrected {
    /// The correction of the profile of a variable, by its place among the prepared ones.
    pub(super) profiles: HashMap<usize, Correction>,
    /// The tables over several variables, or over parts of their own.
    pub(super) tables: Vec<Term>,
    /// What they bring; `None` if there are none.
    pub(super) facts: Option<InteractionFacts>,
    /// The cell of every row to learn from, by table.
    pub(super) codes: Vec<PartCodes>,
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
            let mut scores = log_probabilities(&self.variables[place].counts, self.target.total());
            for score in &mut scores {
                *score *= weight;
            }
            places.push(place);
            profiles.push(Profile {
                codes: &parts.codes,
                scores,
            });
        }
        let (inputs, input_places) = self.inputs(&places, settings);
        let loss = if places.is_empty() {
            learnt.null_criterion.data
        } else {
            learnt.criterion.data
        };
        let found = correct(&profiles, &inputs, outcomes, limit, loss, progress);
        let facts = InteractionFacts {
            profiles: found.profiles.iter().flatten().count(),
            tables: found.tables.len(),
            data_before: loss,
            data: round_to_10_digits(loss + found.change),
        };
        let is_any = facts.profiles + facts.tables > 0;
        Corrected {
            facts: is_any.then_some(facts),
            ..self.corrected(found, &places, &input_places)
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

    fn corrected(&self, mut found: Corrections, places: &[usize], inputs: &[usize]) -> Corrected {
        let profiles = places.iter().zip(found.profiles);
        let profiles = profiles.filter_map(|(&place, table)| {
            let FreeTable { alpha, logs, .. } = table?;
            let counts = &self.variables[place].counts;
            Some((place, Correction::of_logs(&logs, counts, alpha)))
        });
        let profiles = profiles.collect();
        let codes = found
            .tables
            .iter_mut()
            .map(|table| std::mem::take(&mut table.codes))
            .collect();
        let mut names: Vec<String> = self.variables.iter().map(|v| v.name.clone()).collect();
        let tables = found.tables.iter().map(|table| {
            let term = self.table(table, inputs, &names);
            names.push(term.name.clone());
            term
        });
        Corrected {
            profiles,
            tables: tables.collect(),
            facts: None,
            codes,
        }
    }

    fn table(&self, found: &FoundTable, inputs: &[usize], names: &[String]) -> Term {
        let axes = found.inputs.iter().zip(&found.parts);
        let axes: Vec<Axis> = axes
            .map(|(&input, parts)| self.axis(inputs[input], parts))
            .collect();
        let counts = whole_counts(&found.table.observed, self.target.counts());
        let classes = self.target.counts().len();
        let correction = match &found.surface {
            Some(coefficients) => Correction::Surface {
                coefficients: coefficients
                    .chunks_exact(classes)
                    .map(<[f64]>::to_vec)
                    .collect(),
            },
            None => Correction::of_logs(&found.table.logs, &counts, found.table.alpha),
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
        let parts = merged_parts(&elements.parts, part_of);
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

/// Elementary parts put together; intervals keep their order.
fn merged_parts(parts: &Parts, part_of: &[u32]) -> Parts {
    match parts {
        Parts::Intervals { missing, cuts } => {
            let own = usize::from(*missing == MissingNumbers::Own);
            // A missing value that is merged with the lowest numbers is one of them.
            let is_apart = own == 1 && part_of.len() > 1 && part_of[0] != part_of[1];
            let kept = cuts.iter().enumerate().filter(|(i, _)| {
                let below = i + own;
                part_of[below] != part_of[below + 1]
            });
            Parts::Intervals {
                missing: if is_apart {
                    MissingNumbers::Own
                } else {
                    MissingNumbers::None
                },
                cuts: kept.map(|(_, cut)| *cut).collect(),
            }
        }
        Parts::Groups { groups, default } => {
            let count = part_of.iter().max().map_or(0, |&part| part as usize + 1);
            let mut merged = vec![Vec::new(); count];
            for (group, &part) in groups.iter().zip(part_of) {
                merged[part as usize].extend(group.iter().cloned());
            }
            Parts::Groups {
                groups: merged,
                default: part_of[*default] as usize,
            }
        }
    }
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
