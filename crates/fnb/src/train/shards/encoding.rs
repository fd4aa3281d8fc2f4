//! Prepared variables → the part of every row of a shard, and the program that learns from them.

use super::bytes::{damaged, from_bytes, to_bytes};
use super::counting::{Block, Counting, Reading, TableCounts, Tally, changed};
use super::lockstep::run;
use super::rows::{Learnt, RowFacts, ShardRows, facts_of_all};
use crate::columns::class_weights::scaled_by;
use crate::columns::row_weights::{
    ONE, are_repeated, checked_total, in_rows, product, units_of, whole_rows,
};
use crate::columns::{Column, ColumnData, Places, RowWeights, Target, Temporal, WholeTable};
use crate::math::decimal::round_to_10_digits;
use crate::model::{Finding, TrainingWeights, ValueFacts};
use crate::prepare::{CountedInput, Elements, PreparedVariable, Preparer, WithElements};
use crate::progress::check_not_cancelled;
use crate::relational::Database;
use crate::settings::Settings;
use crate::terms::{Cost, Origin, PartCodes, PartIndex, Parts, RowParts};
use crate::train::Training;
use crate::train::distribution::of_counted_moments;
use crate::train::facts::TableFacts;
use crate::train::findings::findings;
use crate::train::inputs::MOST_PAIRED;
use crate::train::prepared::{Prepared, by_level};
use crate::{Code, Error, Progress, Result};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Variables that are prepared, for rows in shards.
#[derive(Debug, Clone)]
pub struct Encoding {
    sent: Sent,
    /// The names of class weights.
    class_weights: Option<Vec<(String, f64)>>,
    rows: u64,
    time: Duration,
}

/// What the shards know of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Sent {
    reading: Reading,
    /// Units of weight of a row of each class, if there are class weights.
    class_units: Option<Vec<u64>>,
    facts: TableFacts,
    /// Rows of each class, as learning counts them.
    counts: Vec<u64>,
    settings: Settings,
    null_cost: Cost,
    variables: Vec<PreparedVariable>,
    /// Positions of the informative ones, best first.
    informative: Vec<usize>,
    elements: Vec<Option<Parts>>,
    findings: Vec<Finding>,
}

/// What is told of all rows when learning starts.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Start {
    learnt: Learnt,
    rows: usize,
    sums: Vec<f64>,
    /// If the rows that are learnt from have weights.
    largest_weight: Option<f64>,
}

impl Encoding {
    pub(super) fn new(
        counting: &Counting,
        counts: TableCounts,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let start = Instant::now();
        if counts.rows == 0 {
            return Err(Error::new(Code::NoRows, "the table has no row"));
        }
        checked_total(counts.class_units.iter().map(|&units| units.into()))?;
        let target = counting.target(&counts.class_units);
        target.check_trainable()?;
        let (classes, unweighted) = (target.classes(), target.counts());
        let sums: Vec<f64> = counts.class_units.iter().map(|&u| in_rows(u)).collect();
        let factors = counting.class_weights.as_ref();
        let factors = factors.map(|weights| weights.factors(classes, &sums));
        let factors = factors.transpose()?.filter(|factors| {
            let is_one = |factor: &f64| units_of(*factor) == ONE;
            counting.reading.mean_weight.is_some() || !factors.iter().all(is_one)
        });
        let weighted = factors
            .as_ref()
            .map(|factors| scaled_by(factors, unweighted));

        let settings = &counting.settings;
        let mut facts = counting.facts.clone();
        let inputs = inputs(counting, counts.tallies, &mut facts)?;
        let preparer = Preparer::of_outcomes(
            target.outcomes(),
            weighted.as_deref(),
            settings.prepare,
            inputs.len(),
            counts.rows as usize,
            progress,
        );
        let found = preparer.prepare_counted(inputs);
        check_not_cancelled(progress)?;
        let null_cost = preparer.null_cost;
        let class_counts = weighted.clone().unwrap_or_else(|| unweighted.to_vec());
        let pairs = found
            .iter()
            .map(|found| (&found.variable, found.numbers_rows));
        let findings = findings(pairs, &facts, &class_counts, counts.rows as usize);
        let (variables, elements): (Vec<_>, Vec<_>) = found
            .into_iter()
            .map(|found| (found.variable, found.elements))
            .unzip();
        let named = factors.as_ref().map(|factors| {
            let names = classes.iter().cloned();
            names.zip(factors.iter().copied()).collect()
        });
        Ok(Self {
            rows: counts.rows,
            class_weights: named,
            sent: Sent {
                reading: counting.reading.clone(),
                class_units: factors
                    .map(|factors| factors.iter().map(|&factor| units_of(factor)).collect()),
                facts,
                counts: class_counts,
                settings: settings.clone(),
                null_cost,
                informative: by_level(&variables),
                variables,
                elements,
                findings,
            },
            time: start.elapsed(),
        })
    }

    /// The variables, informative or not: columns in their order, then constructed ones.
    pub fn variables(&self) -> &[PreparedVariable] {
        &self.sent.variables
    }

    /// What is sent to the shards.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(&self.sent).expect("variables are plain data")
    }

    /// What the driver tells each shard that is about to learn, from what all of them said of their rows
    /// ([`ShardRows::facts`]).
    pub fn start(&self, facts: &[Vec<u8>]) -> Result<Vec<u8>> {
        Ok(to_bytes(&self.start_of(&facts_of_all(facts)?)?))
    }

    fn start_of(&self, facts: &RowFacts) -> Result<Start> {
        if facts.rows != self.rows {
            return Err(changed());
        }
        let total = checked_total(facts.class_units.iter().map(|&units| units.into()))?;
        let has_weights = self.sent.has_weights();
        let learnt = if !has_weights {
            Learnt::All
        } else if !facts.has_fractions && are_repeated(facts.rows, total) {
            Learnt::Repeated
        } else if facts.present < facts.rows {
            Learnt::Present
        } else {
            Learnt::All
        };
        let rows = match learnt {
            Learnt::All => facts.rows,
            Learnt::Present => facts.present,
            Learnt::Repeated => total / ONE,
        };
        let mut sums: Vec<f64> = facts.class_units.iter().map(|&u| in_rows(u)).collect();
        sums.resize(self.sent.counts.len(), 0.0);
        let is_weighted = has_weights && learnt != Learnt::Repeated;
        Ok(Start {
            learnt,
            rows: rows as usize,
            sums,
            largest_weight: is_weighted.then(|| in_rows(facts.largest)),
        })
    }

    /// Learns weights and interactions, the rows being elsewhere; `facts` is what all shards said of theirs.
    pub fn learn(
        &self,
        facts: &[Vec<u8>],
        places: Arc<dyn Places>,
        progress: &dyn Progress,
    ) -> Result<Training> {
        let rows = self.sent.no_rows();
        let prepared = self.prepared(rows, &facts_of_all(facts)?, Some(places))?;
        run(|| prepared.learn(&self.sent.settings.learn, progress))
    }

    /// The same from all rows, which are here.
    pub fn learn_here(&self, rows: ShardRows, progress: &dyn Progress) -> Result<Training> {
        let facts = facts_of_all(&[rows.facts()])?;
        let prepared = self.prepared(rows, &facts, None)?;
        prepared.learn(&self.sent.settings.learn, progress)
    }

    fn prepared(
        &self,
        rows: ShardRows,
        facts: &RowFacts,
        places: Option<Arc<dyn Places>>,
    ) -> Result<Prepared> {
        let start = self.start_of(facts)?;
        let total: u64 = facts.class_units.iter().sum();
        let classes = self.class_weights.as_ref();
        let row_weights = self.sent.has_weights().then(|| TrainingWeights {
            table_rows: facts.rows,
            sum: round_to_10_digits(in_rows(total)),
            classes: classes.map(|classes| classes.iter().cloned().collect()),
        });
        Ok(Prepared {
            row_weights,
            time: self.time,
            ..self.sent.prepared(rows, start, places)
        })
    }
}

/// What is to be prepared: columns, then what is constructed. What is known of columns only now is noted.
fn inputs(
    counting: &Counting,
    tallies: Vec<Tally>,
    facts: &mut TableFacts,
) -> Result<Vec<CountedInput>> {
    let settings = &counting.settings;
    let (always, informative) = match settings.learn.most_tables() {
        None => (WithElements::Never, WithElements::Never),
        Some(_) => (WithElements::Always, WithElements::IfInformative),
    };
    let inputs = counting.read_columns().filter(|column| column.is_input);
    let always = if inputs.count() > MOST_PAIRED && always == WithElements::Always {
        informative
    } else {
        always
    };
    let (mut inputs, mut tallies) = (Vec::new(), tallies.into_iter());
    for column in counting.read_columns() {
        let tally = tallies.next().ok_or_else(changed)?;
        facts.set_values(values_of_unused(&column.name, column.moments, &tally));
        if let Tally::Input(counts) = &tally {
            facts.set_spelling(&column.name, counts.spelling());
        }
        if let (Tally::Input(counts), true) = (tally, column.is_input) {
            inputs.push(CountedInput {
                name: column.name.clone(),
                from: Origin::Column,
                price: counting.selection_cost,
                counts,
                elements: always,
            });
        }
    }
    for (variable, tally) in counting.variables().iter().zip(tallies) {
        let Tally::Input(counts) = tally else {
            return Err(changed());
        };
        inputs.push(CountedInput {
            name: variable.name.clone(),
            from: Origin::Expression(variable.expression.clone()),
            price: variable.cost,
            counts,
            elements: informative,
        });
    }
    Ok(inputs)
}

/// How the values of a column that is no input lie.
fn values_of_unused(name: &str, kind: Option<Temporal>, tally: &Tally) -> Option<ValueFacts> {
    let (missing, distinct, distribution) = match (kind, tally) {
        (Some(kind), tally) => {
            let (missing, moments) = tally.moments()?;
            let missing = whole_rows(missing);
            let (distinct, distribution) = of_counted_moments(kind, moments);
            let distinct = distinct + u64::from(missing > 0);
            (missing, Some(distinct), distribution)
        }
        (None, Tally::Missing(units)) => (whole_rows(*units), None, None),
        _ => return None,
    };
    Some(ValueFacts {
        name: name.to_owned(),
        distinct,
        missing: Some(missing),
        distribution,
    })
}

impl Sent {
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Self> {
        serde_json::from_slice(bytes).map_err(|error| damaged("the variables", &error))
    }

    /// Do rows count otherwise than once each?
    fn has_weights(&self) -> bool {
        self.reading.mean_weight.is_some() || self.class_units.is_some()
    }

    /// No row, but a column for every variable.
    fn no_rows(&self) -> ShardRows {
        let empty = |parts: usize| PartCodes::collect(parts, std::iter::empty());
        let parts = self.informative.iter();
        let parts = parts.map(|&i| empty(self.variables[i].counts.len()));
        ShardRows {
            labels: Vec::new(),
            units: self.has_weights().then(Vec::new),
            parts: parts.collect(),
            elements: self
                .elements
                .iter()
                .flatten()
                .map(|p| empty(p.len()))
                .collect(),
        }
    }

    /// The variables with the rows of a place.
    pub(super) fn prepared(
        &self,
        rows: ShardRows,
        start: Start,
        places: Option<Arc<dyn Places>>,
    ) -> Prepared {
        let rows = rows.learnt(start.learnt);
        let weights = match start.largest_weight {
            Some(_) => rows.units.map(RowWeights::of_units),
            None => None,
        };
        let target = Target::of_part(
            &self.reading.target,
            self.reading.classes.clone(),
            self.counts.clone(),
            rows.labels,
            weights,
        );
        let mut codes = rows.elements.into_iter();
        let elements = self.elements.iter().map(|parts| {
            parts.as_ref().map(|parts| Elements {
                parts: parts.clone(),
                codes: codes.next().expect("codes of every variable"),
            })
        });
        let parts = rows.parts.into_iter().map(|codes| RowParts {
            codes,
            unlisted: None,
        });
        Prepared {
            facts: self.facts.clone(),
            target,
            learnt: None,
            whole: places.map(|places| WholeTable {
                places,
                rows: start.rows,
                sums: start.sums,
                largest_weight: start.largest_weight,
            }),
            row_weights: None,
            settings: self.settings.clone(),
            null_cost: self.null_cost,
            variables: self.variables.clone(),
            informative: self.informative.clone(),
            parts: parts.collect(),
            elements: elements.collect(),
            findings: self.findings.clone(),
            time: Duration::ZERO,
        }
    }
}

/// Encodes the rows of a shard, block by block.
pub struct Encoder {
    sent: Sent,
    /// The variables whose values are asked for, by position.
    wanted: Vec<usize>,
    informative: Vec<PartIndex>,
    elements: Vec<Option<PartIndex>>,
}

impl Encoder {
    /// From what the driver sent.
    pub fn new(encoding: &[u8]) -> Result<Self> {
        let sent = Sent::from_bytes(encoding)?;
        let parts = |i: &usize| PartIndex::new(&sent.variables[*i].axes[0].parts);
        let informative: Vec<PartIndex> = sent.informative.iter().map(parts).collect();
        let elements = sent.elements.iter();
        let elements = elements.map(|parts| parts.as_ref().map(PartIndex::new));
        let is_wanted = |i: &usize| sent.elements[*i].is_some() || sent.variables[*i].level > 0.0;
        Ok(Self {
            wanted: (0..sent.variables.len()).filter(is_wanted).collect(),
            informative,
            elements: elements.collect(),
            sent,
        })
    }

    /// Adds the rows of a block.
    pub fn encode(&self, block: &Block, rows: &mut ShardRows) -> Result<()> {
        let labelled = self.sent.reading.label(block)?;
        let database = labelled.database;
        let length = labelled.labels.len();
        let values = self.values(database)?;
        let encode = |index: &PartIndex, i: usize| {
            let place = self.wanted.binary_search(&i).expect("it is wanted");
            index.encode(&values[place], 0..length).ok_or_else(changed)
        };
        let parts = self.sent.informative.iter().zip(&self.informative);
        let parts = parts.map(|(&i, index)| encode(index, i));
        let elements = self.elements.iter().enumerate();
        let elements = elements.filter_map(|(i, index)| Some(encode(index.as_ref()?, i)));
        let units = match (&self.sent.class_units, labelled.weights) {
            (None, weights) => weights.map(|weights| weights.units().to_vec()),
            (Some(factors), weights) => {
                let units = labelled.labels.iter().enumerate().map(|(row, &label)| {
                    let factor = factors[label as usize];
                    match &weights {
                        Some(weights) => product(weights.units()[row], factor) as u64,
                        None => factor,
                    }
                });
                Some(units.collect())
            }
        };
        rows.append(ShardRows {
            parts: parts.collect::<Result<_>>()?,
            elements: elements.collect::<Result<_>>()?,
            labels: labelled.labels,
            units,
        });
        Ok(())
    }

    /// The values of the wanted variables.
    fn values<'d>(&self, database: &'d Database) -> Result<Vec<Cow<'d, ColumnData>>> {
        let wanted = self.wanted.iter().map(|&i| &self.sent.variables[i]);
        let expressions = wanted.clone().filter_map(|v| v.axes[0].from.expression());
        let expressions: Vec<_> = expressions.cloned().collect();
        let mut constructed = if expressions.is_empty() {
            Vec::new()
        } else {
            database.values(&expressions, self.sent.reading.arithmetic)?
        }
        .into_iter();
        let root = database.root();
        let value = |variable: &PreparedVariable| {
            if variable.axes[0].from.is_column() {
                let column: Option<&Column> = root.column(&variable.name);
                return column.map(|column| Cow::Borrowed(&column.data));
            }
            constructed.next().map(Cow::Owned)
        };
        wanted.map(value).collect::<Option<_>>().ok_or_else(changed)
    }
}

/// What a shard needs to run the program that learns.
pub(super) fn prepared_in_shard(
    encoding: &[u8],
    start: &[u8],
    rows: ShardRows,
    places: Arc<dyn Places>,
) -> Result<(Prepared, Settings)> {
    let sent = Sent::from_bytes(encoding)?;
    let start = from_bytes(start, "the facts of all rows")?;
    // A shard of no row has no column either.
    let rows = if rows.is_empty() {
        sent.no_rows()
    } else {
        rows
    };
    let settings = sent.settings.clone();
    let prepared = sent.prepared(rows, start, Some(places));
    Ok((prepared, settings))
}
