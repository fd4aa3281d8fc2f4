//! What training found → model.

use super::{
    ColumnType, Dropped, Evaluations, FORMAT, FORMAT_VERSION, Model, Origin, Producer, SizePoint,
    Smoothing, Table, TableColumn, TargetClasses, TargetType, Task, Training, TrainingWeights,
    Variable,
};
use crate::columns::{Frame, Target};
use crate::predict::Shapley;
use crate::prepare::PreparedVariable;
use crate::weights::{CriterionValue, StageEffort};
use crate::{Result, Settings};

/// Everything training found.
#[derive(Debug, Clone, Copy)]
pub struct Trained<'a> {
    /// The columns, target excluded.
    pub frame: &'a Frame,
    /// The target.
    pub target: &'a Target,
    /// The candidate variables, informative or not, each named after its column.
    pub prepared: &'a [PreparedVariable],
    /// The weight of each of them, 0 for those that are not selected.
    pub weights: &'a [f64],
    /// The settings of the training.
    pub settings: &'a Settings,
    /// How these weights were found.
    pub learning: &'a Learning,
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
        let (target, learning) = (trained.target, trained.learning);
        let rows = target.total();
        let columns = trained.frame.columns().iter().map(|column| TableColumn {
            name: column.name.clone(),
            kind: ColumnType::from(&column.data),
        });
        let candidates = || trained.prepared.iter().zip(trained.weights);
        let selected = candidates().filter(|(_, weight)| **weight > 0.0);
        let mut variables: Vec<Variable> = selected.map(|(p, w)| variable(p, *w)).collect();
        set_importance(&mut variables, target.counts());
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
            tables: vec![Table {
                name: "main".into(),
                columns: columns.collect(),
            }],
            variables,
            dropped: dropped(trained),
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

fn variable(prepared: &PreparedVariable, weight: f64) -> Variable {
    Variable {
        name: prepared.name.clone(),
        from: Origin {
            column: prepared.name.clone(),
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

/// The columns that are not in the model, in the order of the frame.
fn dropped(trained: &Trained) -> Vec<Dropped> {
    let mut dropped: Vec<(Option<usize>, Dropped)> = Vec::new();
    for (i, column) in trained.frame.columns().iter().enumerate() {
        if let Some(kind) = column.data.unused() {
            let reason = format!("not used: {}", kind.as_str());
            dropped.push((Some(i), without(&column.name, reason, 0.0)));
        }
    }
    for (prepared, weight) in trained.prepared.iter().zip(trained.weights) {
        let reason = match (prepared.level > 0.0, prepared.distinct) {
            (true, _) if *weight > 0.0 => continue,
            (true, _) => "not selected",
            (false, 0 | 1) => "constant",
            (false, _) => "uninformative",
        };
        let position = trained.frame.position(&prepared.name);
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
