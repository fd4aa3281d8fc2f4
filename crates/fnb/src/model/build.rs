//! What training found → model.

use super::{
    Dropped, Evaluations, FORMAT, FORMAT_VERSION, Model, Origin, Producer, SizePoint, Smoothing,
    SparseSource, Table, TargetClasses, TargetType, Task, Training, TrainingWeights, Variable,
};
use crate::columns::{Column, Frame, Target};
use crate::predict::Shapley;
use crate::prepare::PreparedVariable;
use crate::relational::{Cutoff, DataPath, Expression, Schema, TextFeature};
use crate::weights::{CriterionValue, StageEffort};
use crate::{Result, Settings};
use std::collections::BTreeMap;

/// Everything training found.
#[derive(Debug, Clone, Copy)]
pub struct Trained<'a> {
    /// The columns, target excluded.
    pub frame: &'a Frame,
    /// The target.
    pub target: &'a Target,
    /// The candidate variables, informative or not, each named after its column if it is not
    /// constructed.
    pub prepared: &'a [PreparedVariable],
    /// The weight of each of them, 0 for those that are not selected.
    pub weights: &'a [f64],
    /// The settings of the training.
    pub settings: &'a Settings,
    /// How these weights were found.
    pub learning: &'a Learning,
}

/// What scoring must know of constructed variables.
#[derive(Debug, Clone, Copy)]
pub struct Constructed<'a> {
    /// How they are computed, by name.
    pub expressions: &'a BTreeMap<String, Expression>,
    /// The tokens that some of them count, by name.
    pub texts: &'a BTreeMap<String, TextFeature>,
    /// How the tables hang together.
    pub schema: &'a Schema,
    /// Which records are seen.
    pub cutoff: Option<&'a Cutoff>,
    /// The tables by data path, for the types of their columns.
    pub frames: &'a BTreeMap<&'a str, &'a Frame>,
}

/// How weights were found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Learning {
    /// The criterion of the selection, by the method that found it.
    pub criterion: CriterionValue,
    /// The same of the model without variables.
    pub null_criterion: f64,
    /// The criterion of the selection that all methods share.
    pub continuous_criterion: CriterionValue,
    /// The work of each stage of the method.
    pub stages: Vec<StageEffort>,
    /// Smaller models, the smallest first and this one last.
    pub size_path: Vec<SizePoint>,
}

impl Model {
    /// The model of a training; its evaluations come later, by
    /// [`evaluation_mut`](Self::evaluation_mut).
    ///
    /// ```
    /// use fnb::Settings;
    /// use fnb::columns::{Column, ColumnData, Frame, NumericColumn, Target};
    /// use fnb::model::{Learning, Model, Trained};
    /// use fnb::prepare::{Cost, MissingNumbers, Parts, PreparedVariable, VariableKind};
    /// use fnb::weights::CriterionValue;
    ///
    /// let ages = NumericColumn::new(vec![25.0, 31.0, 47.0, 58.0]);
    /// let frame = Frame::new(4, vec![Column { name: "age".into(), data: ColumnData::Numeric(ages) }])?;
    /// let churn = [Some("no"), Some("no"), Some("yes"), Some("yes")].into_iter().collect();
    /// let target = Column { name: "churn".into(), data: ColumnData::Categorical(churn) };
    /// let target = Target::from_column(&target)?;
    /// let age = PreparedVariable {
    ///     name: "age".into(),
    ///     kind: VariableKind::Numerical,
    ///     distinct: 4,
    ///     missing: 0,
    ///     level: 0.3,
    ///     cost: Cost { construction: 0.7, preparation: 3.0, data: 0.0 },
    ///     parts: Parts::Intervals { missing: MissingNumbers::None, cuts: vec![39.0] },
    ///     counts: vec![vec![2, 0], vec![0, 2]],
    /// };
    /// let criterion = CriterionValue { total: 2.0, data: 1.0, prior: 4.0 };
    /// let learning = Learning { criterion, null_criterion: 4.0, ..Learning::default() };
    /// let model = Model::new(&Trained {
    ///     frame: &frame,
    ///     target: &target,
    ///     prepared: &[age],
    ///     weights: &[1.0],
    ///     settings: &Settings::default(),
    ///     learning: &learning,
    /// })?;
    /// assert_eq!(model.variables()[0].importance, 1.0);
    /// assert_eq!(Model::from_json(model.to_json().as_bytes())?, model);
    /// # Ok::<(), fnb::Error>(())
    /// ```
    pub fn new(trained: &Trained) -> Result<Self> {
        Self::with_constructed(trained, None)
    }

    /// The same where some variables are not columns of the frame but constructed from them, or from
    /// other tables.
    pub fn with_constructed(trained: &Trained, constructed: Option<&Constructed>) -> Result<Self> {
        let (target, learning) = (trained.target, trained.learning);
        let rows = target.total();
        let candidates = || trained.prepared.iter().zip(trained.weights);
        let selected = candidates().filter(|(_, weight)| **weight > 0.0);
        let variables = selected.map(|(p, w)| variable(p, *w, constructed));
        let mut variables: Vec<Variable> = variables.collect();
        set_importance(&mut variables, target.counts());
        let is_column = |variable: &Variable| matches!(variable.from, Origin::Column(_));
        let needed = constructed.filter(|_| !variables.iter().all(is_column));
        let cutoff = needed.and_then(|constructed| constructed.cutoff);
        let schema = needed.map(|constructed| needed_schema(constructed, &variables));
        let frame = trained.frame;
        let is_listed = |column: &&Column| frame.sparse_table_of(&column.name).is_none();
        let columns = frame.columns().iter().filter(is_listed);
        let mut tables = vec![Table {
            name: "main".into(),
            columns: columns.map(Into::into).collect(),
        }];
        if let (Some(constructed), Some(schema)) = (needed, &schema) {
            tables.extend(other_tables(constructed, schema));
        }
        let cutoff = cutoff.map(|cutoff| cutoff_of_tables(cutoff, &tables));
        let dropped = dropped(trained, &variables, constructed);
        let informative = candidates().filter(|(p, _)| p.level > 0.0).count();
        let mut model = Self {
            format: FORMAT.into(),
            format_version: FORMAT_VERSION.into(),
            producer: Producer {
                name: env!("CARGO_PKG_NAME").into(),
                version: env!("CARGO_PKG_VERSION").into(),
            },
            task: Task::Classification,
            target: TargetClasses {
                name: target.name().into(),
                kind: TargetType::String,
                classes: target.classes().to_vec(),
                counts: target.counts().to_vec(),
            },
            training: Training {
                rows,
                row_weights: TrainingWeights::of(target),
                columns: trained.prepared.len(),
                informative,
                selected: variables.len(),
                params: trained.settings.clone(),
                criterion: learning.criterion,
                null_criterion: learning.null_criterion,
                compression: compression(learning.criterion.total, learning.null_criterion),
                continuous_criterion: learning.continuous_criterion,
                stages: learning.stages.clone(),
                size_path: learning.size_path.clone(),
            },
            smoothing: Smoothing::of(rows),
            tables,
            schema,
            cutoff,
            sparse: sparse_sources(trained),
            variables,
            dropped,
            evaluation: Evaluations::default(),
            self_test: Vec::new(),
            checksum: String::new(),
        };
        model.check()?;
        model.self_test = model.make_self_test()?;
        Ok(model)
    }
}

/// The model saves nothing when the null model is free: a single class.
pub(super) fn compression(criterion: f64, null_criterion: f64) -> f64 {
    if null_criterion > 0.0 {
        1.0 - criterion / null_criterion
    } else {
        0.0
    }
}

/// The part of the schema that the selected variables need, with the times of a cut-off.
fn needed_schema(constructed: &Constructed, variables: &[Variable]) -> Schema {
    let schema = constructed.schema;
    let mut times: Vec<(&str, &str)> = Vec::new();
    if let Some(Cutoff { root, tables }) = constructed.cutoff {
        times.push((&schema.root, root));
        let entity = |path: &str| schema.entity_at(path);
        let tables = tables.iter();
        times.extend(tables.filter_map(|(path, column)| Some((entity(path)?, column.as_str()))));
    }
    let expressions = variables.iter().filter_map(Variable::expression);
    let texts = variables.iter().filter_map(Variable::text);
    schema.needed_by(expressions, texts, &times)
}

/// The columns that scoring needs of the tables around the main one.
fn other_tables(constructed: &Constructed, schema: &Schema) -> Vec<Table> {
    let paths = schema.data_paths().into_iter();
    let others = paths.filter(|table| !table.path.is_empty());
    let table = |DataPath { path, entity }| {
        let frame = constructed.frames.get(path.as_str())?;
        let fields = schema.entity(&entity).fields.iter();
        let columns = fields.filter_map(|field| frame.column(&field.name));
        Some(Table {
            columns: columns.map(Into::into).collect(),
            name: path,
        })
    };
    others.filter_map(table).collect()
}

/// The cut-off of the tables that are needed.
fn cutoff_of_tables(cutoff: &Cutoff, tables: &[Table]) -> Cutoff {
    let needed = |path: &String| tables.iter().any(|table| table.name == *path);
    let times = cutoff.tables.iter().filter(|(path, _)| needed(path));
    Cutoff {
        root: cutoff.root.clone(),
        tables: times.map(|(p, c)| (p.clone(), c.clone())).collect(),
    }
}

fn variable(
    prepared: &PreparedVariable,
    weight: f64,
    constructed: Option<&Constructed>,
) -> Variable {
    let expression = constructed.and_then(|c| c.expressions.get(&prepared.name));
    let text = constructed.and_then(|c| c.texts.get(&prepared.name));
    Variable {
        name: prepared.name.clone(),
        from: match (expression, text) {
            (Some(expression), _) => Origin::Expression(expression.clone()),
            (None, Some(text)) => Origin::Text(text.clone()),
            (None, None) => Origin::Column(prepared.name.clone()),
        },
        kind: prepared.kind,
        weight,
        level: prepared.level,
        importance: 0.0,
        cost: prepared.cost,
        parts: prepared.parts.clone(),
        counts: prepared.counts.clone(),
    }
}

/// Computes the importances and sorts by them, equal ones by name.
pub(super) fn set_importance(variables: &mut [Variable], class_counts: &[u64]) {
    // Sums are then taken in the same order whatever that of the columns.
    variables.sort_by(|a, b| a.name.cmp(&b.name));
    let importances = Shapley::new(variables, class_counts).importance(variables, class_counts);
    for (variable, importance) in variables.iter_mut().zip(importances) {
        variable.importance = importance;
    }
    variables.sort_by(|a, b| {
        let by_importance = b.importance.total_cmp(&a.importance);
        by_importance.then_with(|| a.name.cmp(&b.name))
    });
}

/// The sparse tables with what became of their features.
fn sparse_sources(trained: &Trained) -> Vec<SparseSource> {
    let sources = trained.frame.sparse_tables().iter().map(|table| {
        let own = trained.prepared.iter().zip(trained.weights);
        let own = own.filter(|(variable, _)| table.feature_of(&variable.name).is_some());
        let (mut informative, mut selected) = (0, 0);
        for (variable, &weight) in own {
            informative += usize::from(variable.level > 0.0);
            selected += usize::from(weight > 0.0);
        }
        SparseSource {
            table: table.clone(),
            informative,
            selected,
        }
    });
    sources.collect()
}

/// The columns that are not in the model, in the order of the frame, then constructed variables.
/// Features of sparse tables are counted elsewhere.
fn dropped(
    trained: &Trained,
    selected: &[Variable],
    constructed: Option<&Constructed>,
) -> Vec<Dropped> {
    let mut dropped: Vec<(usize, Dropped)> = Vec::new();
    let used = constructed.map(|constructed| {
        let expressions = selected.iter().filter_map(Variable::expression);
        let texts = selected.iter().filter_map(Variable::text);
        constructed.schema.needed_by(expressions, texts, &[])
    });
    let is_used = |name: &str| {
        let root = used.as_ref().map(|schema| schema.entity(&schema.root));
        root.is_some_and(|root| root.field(name).is_some())
    };
    for (i, column) in trained.frame.columns().iter().enumerate() {
        if let Some(kind) = column.data.unused()
            && !is_used(&column.name)
        {
            let reason = format!("not used: {}", kind.as_str());
            dropped.push((i, without(&column.name, reason, 0.0)));
        }
    }
    for (prepared, weight) in trained.prepared.iter().zip(trained.weights) {
        if trained.frame.sparse_table_of(&prepared.name).is_some() {
            continue;
        }
        let reason = match (prepared.level > 0.0, prepared.distinct) {
            (true, _) if *weight > 0.0 => continue,
            (true, _) => "not selected",
            (false, 0 | 1) => "constant",
            (false, _) => "uninformative",
        };
        let position = trained.frame.position(&prepared.name);
        let position = position.unwrap_or(usize::MAX);
        let entry = without(&prepared.name, reason.into(), prepared.level);
        dropped.push((position, entry));
    }
    dropped.sort_by_key(|(position, _)| *position);
    dropped.into_iter().map(|(_, entry)| entry).collect()
}

pub(super) fn without(name: &str, reason: String, level: f64) -> Dropped {
    Dropped {
        name: name.into(),
        reason,
        level,
    }
}
