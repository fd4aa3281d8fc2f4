//! Table + target → model: the whole path, one line per stage.

use crate::columns::{Column, Frame, Target};
use crate::constructed::{WithCodes, codes, prepare_constructed, prepare_texts};
use crate::evaluate::Evaluation;
use crate::model::{self, Learning, Model, SizePoint, Trained};
use crate::predict::Scorer;
use crate::prepare::{
    Cost, PartCodes, PreparedVariable, Preparer, inputs, log_probabilities, number_of_inputs,
};
use crate::progress::{Progress, check_not_cancelled};
use crate::relational::{Construction, Database, Expression, TextFeature};
use crate::weights::{Candidate, PathPoint, optimise};
use crate::{Result, Schedule, Settings};
use rayon::prelude::*;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// A model, and how long the training took.
#[derive(Debug, Clone)]
pub struct Training {
    /// The model, with its evaluation on the training rows.
    pub model: Model,
    /// Time spent on discretising and grouping.
    pub prepare: Duration,
    /// Time spent on the weights.
    pub weights: Duration,
    /// Time spent on the evaluation on the training rows.
    pub evaluate: Duration,
}

/// Learns a classifier of `target` from the columns of `frame`.
///
/// ```
/// use fnb::columns::{Column, ColumnData, Frame, NumericColumn, Target};
/// let class = |row| Some(if row % 50 < 20 { "low" } else { "high" });
/// let target = Column {
///     name: "class".into(),
///     data: ColumnData::Categorical((0..100).map(class).collect()),
/// };
/// let numbers = (0..100).map(|row| f64::from(row % 50)).collect();
/// let x = Column { name: "x".into(), data: ColumnData::Numeric(NumericColumn::new(numbers)) };
/// let target = Target::from_column(&target)?;
/// let training = fnb::train(&Frame::new(100, vec![x])?, &target, &fnb::Settings::default(), &())?;
/// let train = training.model.evaluation().train.as_ref().expect("evaluated");
/// assert_eq!(train.accuracy, 1.0);
/// # Ok::<(), fnb::Error>(())
/// ```
pub fn train(
    frame: &Frame,
    target: &Target,
    settings: &Settings,
    progress: &dyn Progress,
) -> Result<Training> {
    settings.check()?;
    Prepared::with_dates(frame, target, settings, progress)?.learn(settings, progress)
}

/// Learns a classifier of `target`, which has a class per row of the root table, from several tables.
///
/// ```
/// use fnb::columns::{Column, ColumnData, Frame, Target};
/// use fnb::relational::{Database, Schema};
/// let schema: Schema = serde_json::from_str(r#"{"root": "Customer", "entities": {
///     "Customer": {"key": ["id"], "fields": [
///         {"name": "id", "type": "Categorical"},
///         {"name": "Orders", "relation": "many", "entity": "Order"}]},
///     "Order": {"key": ["id"], "fields": [{"name": "id", "type": "Categorical"}]}}}"#)?;
/// let column = |name: &str, rows: Vec<String>| Column {
///     name: name.into(),
///     data: ColumnData::Categorical(rows.iter().map(|row| Some(row.as_str())).collect()),
/// };
/// // A customer in two has an order, and leaves.
/// let ids = (0..100).map(|i| i.to_string()).collect();
/// let buyers = (0..50).map(|i| (2 * i).to_string()).collect();
/// let classes = (0..100).map(|i| if i % 2 == 0 { "leave" } else { "stay" }.to_owned()).collect();
/// let customers = Frame::new(100, vec![column("id", ids)])?;
/// let orders = Frame::new(50, vec![column("id", buyers)])?;
/// let frames = [(String::new(), customers), ("Orders".into(), orders)];
/// let database = Database::new(&schema, None, frames.into(), None)?;
/// let target = Target::from_column(&column("class", classes))?;
/// let training = fnb::train_database(&database, &target, &fnb::Settings::default(), &())?;
/// assert_eq!(training.model.variables()[0].name, "Count(Orders)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn train_database(
    database: &Database,
    target: &Target,
    settings: &Settings,
    progress: &dyn Progress,
) -> Result<Training> {
    settings.check()?;
    Prepared::from_database(database, target, settings, progress)?.learn(settings, progress)
}

/// A table whose variables are prepared: learning weights from it, once or by several methods, is
/// all that remains.
///
/// ```
/// use fnb::columns::{Column, ColumnData, Frame, NumericColumn, Target};
/// use fnb::{Method, Prepared, Schedule, Settings};
/// # let class = |row| Some(if row % 50 < 20 { "low" } else { "high" });
/// # let target = Column {
/// #     name: "class".into(),
/// #     data: ColumnData::Categorical((0..100).map(class).collect()),
/// # };
/// # let numbers = (0..100).map(|row| f64::from(row % 50)).collect();
/// # let x = Column { name: "x".into(), data: ColumnData::Numeric(NumericColumn::new(numbers)) };
/// # let target = Target::from_column(&target)?;
/// # let frame = Frame::new(100, vec![x])?;
/// let prepared = Prepared::new(&frame, &target, Schedule::Exhaustive, &())?;
/// for method in Method::ALL {
///     let settings = Settings { method, ..Settings::default() };
///     let training = prepared.learn(&settings, &())?;
///     assert_eq!(training.model.training().selected, 1);
/// }
/// # Ok::<(), fnb::Error>(())
/// ```
#[derive(Debug)]
pub struct Prepared<'a> {
    frame: &'a Frame,
    target: &'a Target,
    null_cost: Cost,
    variables: Vec<PreparedVariable>,
    /// Positions of the informative variables, best first.
    informative: Vec<usize>,
    /// The classes of the rows to learn from.
    learnt: Cow<'a, Target>,
    /// The part of every such row, for each informative variable.
    codes: Vec<PartCodes>,
    constructed: Option<Constructed<'a>>,
    time: Duration,
}

/// What the model must know of constructed variables.
#[derive(Debug)]
struct Constructed<'a> {
    database: Cow<'a, Database>,
    /// By name.
    expressions: BTreeMap<String, Expression>,
    texts: BTreeMap<String, TextFeature>,
}

impl<'a> Prepared<'a> {
    /// Discretises or groups every column; `schedule` must be that of the settings to learn with.
    pub fn new(
        frame: &'a Frame,
        target: &'a Target,
        schedule: Schedule,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let settings = Settings {
            schedule,
            ..Settings::default()
        };
        Self::prepare(frame, target, None, &settings, progress)
    }

    /// The same with calendar parts of dates and timestamps, if the settings have rules for them, and
    /// counts of the words of texts.
    pub fn with_dates(
        frame: &'a Frame,
        target: &'a Target,
        settings: &Settings,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let own = Database::of_one_table(frame, settings.text_features > 0)?;
        Self::prepare(frame, target, own.map(Cow::Owned), settings, progress)
    }

    /// The columns of the root table and what can be constructed from it and the tables around it.
    /// The settings to learn with must have the same schedule, rules and number of features.
    pub fn from_database(
        database: &'a Database,
        target: &'a Target,
        settings: &Settings,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let root = database.root();
        Self::prepare(
            root,
            target,
            Some(Cow::Borrowed(database)),
            settings,
            progress,
        )
    }

    fn prepare(
        frame: &'a Frame,
        target: &'a Target,
        database: Option<Cow<'a, Database>>,
        settings: &Settings,
        progress: &dyn Progress,
    ) -> Result<Self> {
        target.check_trainable()?;
        let start = Instant::now();
        let mut native = inputs(frame);
        if let Some(database) = &database {
            let schema = database.schema();
            let fields = &schema.entity(&schema.root).fields;
            let unused = |name: &str| {
                fields
                    .iter()
                    .any(|field| field.unused && field.name == name)
            };
            native.retain(|column| !unused(&column.name));
        }
        let mut construction = match &database {
            Some(database) => database.construct(settings)?,
            None => Construction {
                selection_cost: (number_of_inputs(frame).max(1) as f64).ln(),
                variables: Vec::new(),
            },
        };
        let price = construction.selection_cost;
        let texts = match &database {
            Some(database) => database.construct_texts(settings, &construction)?,
            None => Vec::new(),
        };
        let total = native.len() + construction.variables.len() + texts.len();
        let preparer = Preparer::new(target, settings.schedule, total, progress);
        let priced: Vec<(&Column, f64)> = native.iter().map(|column| (*column, price)).collect();
        let prepared = preparer.prepare(&priced).into_par_iter().zip(native);
        let with_codes = prepared.map(|(variable, column)| {
            let codes = codes(&variable, column);
            (variable, codes)
        });
        let mut prepared: WithCodes = with_codes.collect();
        if let Some(database) = &database {
            let arithmetic = settings.arithmetic();
            let variables = &construction.variables;
            prepared.extend(prepare_constructed(
                database, variables, arithmetic, &preparer,
            )?);
            prepared.extend(prepare_texts(database, &texts, &preparer)?);
        }
        check_not_cancelled(progress)?;
        let (variables, mut codes): (Vec<_>, Vec<_>) = prepared.into_iter().unzip();
        let informative = by_level(&variables);
        let (learnt, rows) = target.rows_to_learn_from();
        let code = |&i: &usize| {
            let codes = codes[i].take().expect("informative variables have codes");
            match &rows {
                Some(rows) => codes.take(rows),
                None => codes,
            }
        };
        let codes = informative.iter().map(code).collect();
        let variables_by_name = construction.variables.drain(..);
        let expressions = variables_by_name.map(|v| (v.name, v.expression)).collect();
        let texts = texts.into_iter().map(|text| (text.name, text.feature));
        Ok(Self {
            frame,
            target,
            null_cost: preparer.null_cost,
            variables,
            informative,
            learnt,
            codes,
            constructed: database.map(|database| Constructed {
                database,
                expressions,
                texts: texts.collect(),
            }),
            time: start.elapsed(),
        })
    }

    /// The variables, informative or not: columns in their order, then constructed ones.
    pub fn variables(&self) -> &[PreparedVariable] {
        &self.variables
    }

    /// What the model without variables costs.
    pub fn null_cost(&self) -> Cost {
        self.null_cost
    }

    /// How a variable is made of a text; `None` for any other.
    pub fn text(&self, name: &str) -> Option<&TextFeature> {
        self.constructed.as_ref()?.texts.get(name)
    }

    /// How a variable is constructed; `None` for a column.
    pub fn expression(&self, name: &str) -> Option<&Expression> {
        self.constructed.as_ref()?.expressions.get(name)
    }

    /// Learns the weights and builds the model.
    pub fn learn(&self, settings: &Settings, progress: &dyn Progress) -> Result<Training> {
        settings.check()?;
        let start = Instant::now();
        let candidates = self.candidates();
        let null_cost = self.null_cost.preparation;
        let outcome = optimise(&candidates, &self.learnt, null_cost, settings, progress);
        check_not_cancelled(progress)?;
        let weights = start.elapsed();

        let start = Instant::now();
        let variables = &self.variables;
        let mut weight_of = vec![0.0; variables.len()];
        for (&i, &weight) in self.informative.iter().zip(&outcome.weights) {
            weight_of[i] = weight;
        }
        let frames: BTreeMap<&str, &Frame> = self
            .constructed
            .iter()
            .flat_map(|constructed| constructed.database.tables().frames())
            .collect();
        let constructed = self.constructed.as_ref().map(|c| model::Constructed {
            expressions: &c.expressions,
            texts: &c.texts,
            schema: c.database.schema(),
            cutoff: c.database.cutoff(),
            frames: &frames,
        });
        let trained = Trained {
            frame: self.frame,
            target: self.target,
            prepared: variables,
            weights: &weight_of,
            settings,
            learning: &Learning {
                criterion: outcome.criterion,
                null_criterion: outcome.null_criterion.total,
                continuous_criterion: outcome.continuous_criterion,
                stages: outcome.stages,
                size_path: size_path(&outcome.size_path, &candidates),
            },
        };
        let mut model = Model::with_constructed(&trained, constructed.as_ref())?;
        let evaluation = evaluate_on_training_rows(&model, &candidates, &self.learnt)?;
        model.evaluation_mut().train = Some(evaluation);
        Ok(Training {
            model,
            prepare: self.time,
            weights,
            evaluate: start.elapsed(),
        })
    }

    fn candidates(&self) -> Vec<Candidate<'_>> {
        let informative = self.informative.iter().zip(&self.codes);
        let candidate = |(&i, codes)| {
            let variable: &PreparedVariable = &self.variables[i];
            Candidate {
                name: &variable.name,
                level: variable.level,
                prior_cost: variable.prior_cost(),
                codes: Cow::Borrowed(codes),
                log_probabilities: log_probabilities(
                    &variable.counts,
                    self.target.total() as usize,
                ),
            }
        };
        informative.map(candidate).collect()
    }
}

fn size_path(path: &[PathPoint], candidates: &[Candidate]) -> Vec<SizePoint> {
    let point = |point: &PathPoint| SizePoint {
        selected: point.weights.len(),
        criterion: point.criterion,
        weights: point
            .weights
            .iter()
            .map(|&(k, weight)| (candidates[k].name.to_owned(), weight))
            .collect(),
    };
    path.iter().map(point).collect()
}

/// The informative variables, best first, equal ones by name: the order of the columns of a table
/// must not matter to what is learnt from it.
fn by_level(variables: &[PreparedVariable]) -> Vec<usize> {
    let mut informative: Vec<usize> = (0..variables.len()).collect();
    informative.retain(|&i| variables[i].level > 0.0);
    informative.sort_by(|&a, &b| {
        let (a, b) = (&variables[a], &variables[b]);
        b.level
            .total_cmp(&a.level)
            .then_with(|| a.name.cmp(&b.name))
    });
    informative
}

/// The part of every row is known from the training: nothing needs to be looked up again.
fn evaluate_on_training_rows(
    model: &Model,
    candidates: &[Candidate],
    target: &Target,
) -> Result<Evaluation> {
    let codes: Vec<&PartCodes> = model
        .variables()
        .iter()
        .map(|variable| {
            let candidate = candidates
                .iter()
                .find(|candidate| candidate.name == variable.name);
            candidate
                .expect("selected variables are candidates")
                .codes
                .as_ref()
        })
        .collect();
    let probabilities = Scorer::new(model).probabilities_from_codes(&codes, target.rows());
    Evaluation::weighted(
        model.classes(),
        &probabilities,
        target.codes(),
        target.weights(),
    )
}
