//! Is a model consistent? Scoring relies on everything that is checked here.

use super::{Model, Smoothing, Table};
use crate::columns::{ColumnType, MAX_CLASSES, VariableKind};
use crate::evaluate::Evaluation;
use crate::relational::{DataPath, Expression, FieldKind, Plan, Schema, TextFeature};
use crate::terms::{Axis, Correction, Origin, Parts, Term, Tree, surface};
use crate::{Advice, Code, Error, Result};
use hashbrown::{HashMap, HashSet};

/// Counts up to here are exact as floating-point numbers.
const MAX_ROWS: u64 = 1 << 53;

impl Model {
    /// The first inconsistency, if there is one.
    pub(crate) fn check(&self) -> Result<()> {
        self.check_target()?;
        let columns = self.check_tables()?;
        let mut names = HashSet::new();
        for term in &self.terms {
            let at = |message: String| inconsistent(message).at(format!("term {:?}", term.name));
            if !names.insert(&term.name) {
                return Err(at("is listed twice".into()));
            }
            self.check_term(term, &columns).map_err(at)?;
        }
        self.check_training()?;
        let evaluations = [&self.evaluation.train, &self.evaluation.test];
        for evaluation in evaluations.into_iter().flatten() {
            self.check_confusion(evaluation)?;
        }
        Ok(())
    }

    fn check_target(&self) -> Result<()> {
        let (classes, counts) = (&self.target.classes, &self.target.counts);
        let rows = checked_sum(counts);
        let message = if classes.is_empty() || classes.len() > MAX_CLASSES {
            format!(
                "the target has {} classes, not 1 to {MAX_CLASSES}",
                classes.len()
            )
        } else if let Some([a, b]) = classes.array_windows().find(|[a, b]| a >= b) {
            format!("the classes must be distinct and sorted, but {b:?} comes after {a:?}")
        } else if classes.len() != counts.len() {
            format!(
                "there are {} classes and {} class counts",
                classes.len(),
                counts.len()
            )
        } else if let Some(empty) = counts.iter().position(|&count| count == 0) {
            format!("the class {:?} has no row", classes[empty])
        } else if rows != Some(self.training.rows) {
            format!(
                "the class counts do not add up to {} rows",
                self.training.rows
            )
        } else {
            return Ok(());
        };
        Err(inconsistent(message))
    }

    /// The type of every column of the main table.
    fn check_tables(&self) -> Result<HashMap<&str, ColumnType>> {
        let Some((main, others)) = self.tables.split_first() else {
            return Err(inconsistent("there is no table".into()));
        };
        match &self.schema {
            None if others.is_empty() => column_types(main),
            None => {
                let message = format!("there are {} tables, not one", self.tables.len());
                Err(inconsistent(message))
            }
            Some(schema) => check_schema(schema, main, others),
        }
    }

    fn check_expression(&self, expression: &Expression, kind: VariableKind) -> Result<(), String> {
        let schema = self.schema.as_ref().ok_or("there is no schema for it")?;
        let expected = ColumnType::from(kind);
        let plan = Plan::new(schema, std::slice::from_ref(expression));
        plan.map_err(|error| error.message().to_owned())?;
        match expression {
            Expression::Apply { rule, .. } if rule.result() == expected => Ok(()),
            _ => Err(format!("its expression gives no {expected} values")),
        }
    }

    fn check_text(&self, text: &TextFeature) -> Result<(), String> {
        let schema = self.schema.as_ref().ok_or("there is no schema for it")?;
        let mut entity = schema.root.as_str();
        for name in &text.path {
            let mut relations = schema.entity(entity).relations();
            let relation = relations.find(|(field, ..)| field.name == *name);
            entity = relation
                .ok_or_else(|| format!("there is no relation {name:?}"))?
                .1;
        }
        match schema.entity(entity).column_type(&text.text) {
            Some(ColumnType::Text) => Ok(()),
            _ => Err(format!("there is no text {:?}", text.text)),
        }
    }

    fn check_term(&self, term: &Term, columns: &HashMap<&str, ColumnType>) -> Result<(), String> {
        let weight = term.weight;
        let only_corrects = weight == 0.0 && term.correction.is_some();
        if !(weight > 0.0 && weight <= 1.0 || only_corrects) {
            return Err(format!(
                "the weight {weight:?} is not above 0 and at most 1"
            ));
        }
        if term.axes.is_empty() {
            return Err("it has no axis".into());
        }
        for (i, axis) in term.axes.iter().enumerate() {
            if term.axes[..i].iter().any(|other| other.name == axis.name) {
                return Err(format!("the axis {:?} is listed twice", axis.name));
            }
            self.check_axis(axis, columns)?;
        }
        let cells = term.axes.iter().map(|axis| axis.parts.len());
        let cells = cells.fold(1, usize::saturating_mul);
        self.check_counts(&term.counts, cells)?;
        match &term.correction {
            Some(correction) => self.check_correction(correction, term, cells),
            None => Ok(()),
        }
    }

    /// Factors that are positive numbers, one per cell and class.
    fn check_correction(
        &self,
        correction: &Correction,
        term: &Term,
        cells: usize,
    ) -> Result<(), String> {
        let classes = self.target.classes.len();
        let has_shape = |lines: &[Vec<f64>], number: usize| {
            lines.len() == number && lines.iter().all(|line| line.len() == classes)
        };
        match correction {
            Correction::Cells {
                alpha,
                expected,
                within,
            } => {
                let first_is_0 = within.first().is_none_or(|&part| part == 0);
                let mut steps = within.windows(2);
                let is_within = term.axes.len() == 1
                    && matches!(term.axes[0].parts, Parts::Intervals { .. })
                    && within.len() == cells
                    && first_is_0
                    && steps.all(|pair| pair[0] <= pair[1] && pair[1] <= pair[0] + 1);
                if !(within.is_empty() || is_within) {
                    return Err("its cells are not within parts of one variable, in order".into());
                }
                if !(*alpha > 0.0 && alpha.is_finite()) {
                    return Err(format!("its alpha {alpha} is not a number above 0"));
                }
                if !has_shape(expected, cells) {
                    return Err("its expected rows are not those of its cells and classes".into());
                }
                let mut all = expected.iter().flatten();
                match all.find(|e| !(*e + alpha > 0.0 && e.is_finite())) {
                    Some(rows) => Err(format!("{rows} rows cannot be expected")),
                    None => Ok(()),
                }
            }
            Correction::Surface { coefficients } => {
                let is_ordered = |axis: &Axis| matches!(axis.parts, Parts::Intervals { .. });
                let axes = term.axes.len();
                if axes > 2 || !term.axes.iter().all(is_ordered) {
                    return Err("a surface is over one or two numerical variables".into());
                }
                if !has_shape(coefficients, surface::degrees(axes).len()) {
                    return Err("its surface has not the right number of coefficients".into());
                }
                // Sums of products of them stay finite.
                let mut all = coefficients.iter().flatten();
                match all.find(|c| c.is_nan() || c.abs() > 1e6) {
                    Some(coefficient) => Err(format!("the coefficient {coefficient} is too large")),
                    None => Ok(()),
                }
            }
        }
    }

    fn check_axis(&self, axis: &Axis, columns: &HashMap<&str, ColumnType>) -> Result<(), String> {
        let name = axis.name.as_str();
        let is_column = columns.contains_key(name);
        match &axis.from {
            Origin::Column => {
                let expected = ColumnType::from(axis.kind);
                let feature = self.sparse_feature(name);
                let feature = feature.map(|_| &ColumnType::Numerical);
                if feature.or_else(|| columns.get(name)) != Some(&expected) {
                    return Err(format!("there is no {expected} column {name:?}"));
                }
            }
            Origin::Text(_) | Origin::Expression(_) | Origin::Tree(_) if is_column => {
                return Err("a column has its name".into());
            }
            Origin::Text(text) => self.check_text(text)?,
            Origin::Expression(expression) => self.check_expression(expression, axis.kind)?,
            Origin::Tree(tree) => self.check_tree(tree, columns)?,
        }
        check_parts(&axis.parts, axis.kind)
    }

    fn check_tree(&self, tree: &Tree, columns: &HashMap<&str, ColumnType>) -> Result<(), String> {
        tree.check()?;
        for input in &tree.inputs {
            let expected = ColumnType::from(input.kind);
            match &input.from {
                Origin::Column if columns.get(input.name.as_str()) == Some(&expected) => {}
                Origin::Expression(expression) => self.check_expression(expression, input.kind)?,
                _ => return Err(format!("there is no {expected} column {:?}", input.name)),
            }
        }
        let mut splits = tree.splits.iter();
        splits.try_for_each(|split| check_parts(&split.parts, tree.inputs[split.input].kind))
    }

    /// A line per cell, a count per class, and every row in exactly one cell.
    fn check_counts(&self, counts: &[Vec<u64>], cells: usize) -> Result<(), String> {
        let classes = self.target.classes.len();
        if counts.len() != cells {
            return Err(format!(
                "there are {cells} cells and {} lines of counts",
                counts.len()
            ));
        }
        if let Some(cell) = counts.iter().position(|line| line.len() != classes) {
            let found = counts[cell].len();
            return Err(format!(
                "cell {cell} has {found} counts for {classes} classes"
            ));
        }
        for (class, &expected) in self.target.counts.iter().enumerate() {
            let sum = counts
                .iter()
                .try_fold(0_u64, |sum, line| sum.checked_add(line[class]));
            if sum != Some(expected) {
                let class = &self.target.classes[class];
                return Err(format!(
                    "the counts of class {class:?} do not add up to {expected}"
                ));
            }
        }
        Ok(())
    }

    fn check_training(&self) -> Result<()> {
        let expected = Smoothing::of(self.training.rows).epsilon;
        if (self.smoothing.epsilon - expected).abs() > 1e-9 * expected {
            let message = format!("epsilon is {}, not {expected}", self.smoothing.epsilon);
            return Err(inconsistent(message));
        }
        let listed = self.terms.iter().filter(|term| !term.only_corrects());
        let (selected, listed) = (self.training.selected, listed.count());
        if selected != listed {
            let message = format!("{selected} variables are announced, {listed} are listed");
            return Err(inconsistent(message));
        }
        let settings = self.training.params.learn.check();
        settings.map_err(|error| inconsistent(error.message().to_owned()).at("training"))
    }

    fn check_confusion(&self, evaluation: &Evaluation) -> Result<()> {
        let Some(confusion) = &evaluation.confusion else {
            return Ok(());
        };
        let classes = &self.target.classes;
        let (lines, j) = (&confusion.matrix, classes.len());
        if confusion.classes != *classes || lines.len() != j || lines.iter().any(|l| l.len() != j) {
            return Err(inconsistent(
                "the confusion matrix is not one of the classes".into(),
            ));
        }
        Ok(())
    }
}

/// Every column of the schema is one of its table, with the same type.
fn check_schema<'a>(
    schema: &Schema,
    main: &'a Table,
    others: &[Table],
) -> Result<HashMap<&'a str, ColumnType>> {
    let check = schema.check();
    check.map_err(|error| inconsistent(error.message().to_owned()).at("schema"))?;
    let tables = others.iter().map(|table| (table.name.as_str(), table));
    // Of two tables of one name the first, as where they are read.
    let tables: HashMap<&str, &Table> = tables.rev().collect();
    for DataPath { path, entity } in schema.data_paths() {
        let table = match path.as_str() {
            "" => main,
            path => tables
                .get(path)
                .ok_or_else(|| inconsistent(format!("there is no table {path:?}")))?,
        };
        let types = column_types(table)?;
        for field in &schema.entity(&entity).fields {
            let FieldKind::Column { ty } = field.kind else {
                continue;
            };
            if types.get(field.name.as_str()) != Some(&ty) {
                let message = format!("table {:?} has no {ty} column {:?}", table.name, field.name);
                return Err(inconsistent(message));
            }
        }
    }
    column_types(main)
}

/// The type of every column of a table that was read.
fn column_types(table: &Table) -> Result<HashMap<&str, ColumnType>> {
    let mut names = HashSet::with_capacity(table.columns.len());
    for column in &table.columns {
        if !names.insert(column.name.as_str()) {
            let message = format!("the column {:?} is listed twice", column.name);
            return Err(inconsistent(message));
        }
        if column.ty.is_none() && column.role.is_input() {
            let message = format!("the column {:?} has neither type nor role", column.name);
            return Err(inconsistent(message));
        }
    }
    let columns = table.columns.iter();
    Ok(columns
        .filter_map(|column| Some((column.name.as_str(), column.ty?)))
        .collect())
}

fn inconsistent(message: String) -> Error {
    Error::new(Code::ModelContent, message).help(Advice::TrainAgain)
}

/// The sum, unless it cannot be an exact number of rows.
fn checked_sum(counts: &[u64]) -> Option<u64> {
    let sum = counts
        .iter()
        .try_fold(0_u64, |sum, &count| sum.checked_add(count));
    sum.filter(|&sum| sum <= MAX_ROWS)
}

fn check_parts(parts: &Parts, kind: VariableKind) -> Result<(), String> {
    match (parts, kind) {
        (Parts::Intervals { cuts, .. }, VariableKind::Numerical) => check_cuts(cuts),
        (Parts::Groups { groups, default }, VariableKind::Categorical) => {
            check_groups(groups, *default)
        }
        _ => Err("its parts are not of its type".into()),
    }
}

fn check_cuts(cuts: &[f64]) -> Result<(), String> {
    if let Some(cut) = cuts.iter().find(|cut| !cut.is_finite()) {
        return Err(format!("the cut {cut} is not a number"));
    }
    match cuts.array_windows().find(|[a, b]| a >= b) {
        Some([a, b]) => Err(format!("the cut {b} comes after {a}")),
        None => Ok(()),
    }
}

fn check_groups(groups: &[Vec<Option<String>>], default: usize) -> Result<(), String> {
    if default >= groups.len() {
        return Err(format!(
            "the default group {default} is not one of {}",
            groups.len()
        ));
    }
    let mut seen = HashSet::new();
    for value in groups.iter().flatten() {
        if !seen.insert(value) {
            let value = value
                .as_deref()
                .map_or("missing".into(), |text| format!("{text:?}"));
            return Err(format!("the value {value} is listed twice"));
        }
    }
    Ok(())
}
