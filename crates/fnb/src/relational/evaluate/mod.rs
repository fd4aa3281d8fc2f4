//! Constructed variables → their values.
//!
//! A [`Plan`] lists every value that is needed once, whatever the number of variables that use it.
//! An [`Evaluator`] computes them level by level; all aggregates over one relation are taken in one
//! pass over its records (docs/method.md §10.6).

mod aggregate;
mod domains;
mod numbers;
mod operands;
mod partition;
mod plan;
mod running;
mod statistics;
mod values;

pub use numbers::Arithmetic;
pub use operands::Operands;
pub use plan::Plan;

use super::calendar;
use super::path::place;
use super::rule::Rule;
use super::tables::{Link, Tables};
use super::views::{Askers, Views};
use crate::columns::{ColumnData, ColumnType};
use crate::{Code, Error, Result};
use aggregate::{Aggregate, Operand, Output, Pass, RowTest, Selection};
use numbers::Numbers;
use plan::{Node, Operation, Over, PassKey, Steps};
use rayon::prelude::*;
use running::Running;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use values::Values;

/// Computes the variables of a plan from tables, a block at a time.
///
/// ```
/// use fnb::columns::{Column, ColumnData, Frame, NumericColumn};
/// use fnb::relational::{Arithmetic, Evaluator, Expression, Plan, Schema, Tables};
/// let schema: Schema = serde_json::from_str(r#"{"root": "Customer", "entities": {
///     "Customer": {"key": ["id"], "fields": [
///         {"name": "id", "type": "categorical"},
///         {"name": "Orders", "relation": "many", "entity": "Order"}]},
///     "Order": {"key": ["id"], "fields": [
///         {"name": "id", "type": "categorical"}, {"name": "price", "type": "numerical"}]}}}"#)?;
/// let text = |name: &str, rows: &[&str]| Column {
///     name: name.into(),
///     data: ColumnData::Categorical(rows.iter().map(|row| Some(*row)).collect()),
/// };
/// let price = ColumnData::Numeric(NumericColumn::new(vec![0.1, 1.0, 0.2]));
/// let customers = Frame::new(2, vec![text("id", &["ann", "bob"])])?;
/// let orders = vec![text("id", &["ann", "bob", "ann"]), Column { name: "price".into(), data: price }];
/// let frames = [(String::new(), customers), ("Orders".into(), Frame::new(3, orders)?)];
/// let tables = Tables::new(&schema, frames.into(), None)?;
///
/// let sum: Expression =
///     serde_json::from_str(r#"{"rule": "TableSum", "args": ["Orders", "price"]}"#)?;
/// let plan = Plan::new(&schema, &[sum])?;
/// let columns = Evaluator::new(&plan, &tables, Arithmetic::Exact)?.columns(&[0])?;
/// let ColumnData::Numeric(sums) = &columns[0] else { panic!("a sum is a number") };
/// assert_eq!(sums.values(), [0.3, 1.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Evaluator<'a> {
    plan: Arc<Steps>,
    tables: &'a Tables,
    arithmetic: Arithmetic,
    /// By domain of the plan.
    views: Vec<Views>,
    /// What is known, by node, as long as variables to come need it.
    values: Vec<Option<Arc<Values<'a>>>>,
    codes: Vec<Option<Vec<u32>>>,
    numbers: Vec<Option<Numbers>>,
    /// Variables to come that need each node.
    awaited: Vec<usize>,
}

impl<'a> Evaluator<'a> {
    /// Fails if the tables are not those of the plan.
    pub fn new(plan: &Plan, tables: &'a Tables, arithmetic: Arithmetic) -> Result<Self> {
        if plan.steps.layout != tables.layout {
            let message = "the variables and the tables have different schemas";
            return Err(Error::new(Code::InvalidSchema, message)
                .help("give the tables that the variables were constructed from"));
        }
        let plan = if tables.vary() {
            Arc::new(plan.steps.for_views(tables))
        } else {
            Arc::clone(&plan.steps)
        };
        let mut awaited = vec![0; plan.nodes.len()];
        for &variable in &plan.variables {
            for &node in &plan.nodes[variable].needs {
                awaited[node] += 1;
            }
        }
        Ok(Self {
            views: plan.views(tables)?,
            values: vec![None; plan.nodes.len()],
            codes: vec![None; plan.nodes.len()],
            numbers: plan.nodes.iter().map(|_| None).collect(),
            awaited,
            plan,
            tables,
            arithmetic,
        })
    }

    /// The values of some variables, given by their positions in the plan, for every root row. Once
    /// every variable that needs an intermediate result has been asked for, it is forgotten.
    pub fn columns(&mut self, variables: &[usize]) -> Result<Vec<ColumnData>> {
        let nodes: Vec<usize> = variables.iter().map(|&v| self.plan.variables[v]).collect();
        self.compute(&nodes)?;
        let values: Vec<_> = nodes.into_iter().map(|node| self.hand_over(node)).collect();
        let columns = values.into_par_iter().map(|values| {
            // Moved, not copied, if nobody else needs them.
            Arc::unwrap_or_clone(values).into_column()
        });
        Ok(columns.collect())
    }

    /// The table whose records a variable is a value of.
    fn table_of(&self, variable: usize) -> usize {
        self.plan.nodes[self.plan.variables[variable]].table
    }

    /// Has a variable a value for each view of these records, and not one for each record?
    fn is_of_views(&self, variable: usize) -> bool {
        let node = self.plan.variables[variable];
        self.plan.nodes[node].domain.is_some()
    }

    /// The values of a variable that is known; they are forgotten if it was the last to need them.
    fn hand_over(&mut self, node: usize) -> Arc<Values<'a>> {
        let plan = Arc::clone(&self.plan);
        let needs = &plan.nodes[node].needs;
        for &needed in needs {
            self.awaited[needed] = self.awaited[needed].saturating_sub(1);
        }
        let values = Arc::clone(self.value(node));
        for &needed in needs.iter().filter(|&&needed| self.awaited[needed] == 0) {
            self.values[needed] = None;
            self.codes[needed] = None;
            self.numbers[needed] = None;
        }
        values
    }

    /// All variables in blocks whose values take about `bytes` at most, those that need the same
    /// intermediate results together: what to ask [`columns`](Self::columns) for, one after the
    /// other.
    pub fn blocks(&self, bytes: usize) -> Vec<Vec<usize>> {
        let plan = &self.plan;
        let size = |node: usize| {
            let Node { table, domain, .. } = plan.nodes[node];
            let of_records = || self.tables.joined[table].frame.rows();
            8 * domain.map_or_else(of_records, |domain| self.views[domain].len())
        };
        // Columns of the tables are there anyway.
        let computed = |variable: usize| {
            let needs = plan.nodes[plan.variables[variable]].needs.iter().copied();
            needs.filter(|&node| !matches!(plan.nodes[node].operation, Operation::Column(_)))
        };
        let mut variables: Vec<usize> = (0..plan.variables.len()).collect();
        variables.sort_by_cached_key(|&variable| computed(variable).collect::<Vec<_>>());
        let mut blocks: Vec<Vec<usize>> = Vec::new();
        let (mut in_block, mut total) = (BTreeSet::new(), 0);
        for variable in variables {
            let fresh = computed(variable).filter(|node| !in_block.contains(node));
            let more: usize = fresh.map(size).sum();
            if blocks.is_empty() || total + more > bytes {
                blocks.push(Vec::new());
                in_block.clear();
                total = 0;
            }
            let fresh = computed(variable).filter(|&node| in_block.insert(node));
            total += fresh.map(size).sum::<usize>();
            blocks.last_mut().expect("just pushed").push(variable);
        }
        blocks
    }

    fn value(&self, node: usize) -> &Arc<Values<'a>> {
        let value = self.values[node].as_ref();
        value.expect("a value is computed before those that need it")
    }

    /// Computes nodes and all they need, level by level.
    fn compute(&mut self, nodes: &[usize]) -> Result<()> {
        let plan = Arc::clone(&self.plan);
        let needed = nodes.iter().flat_map(|&node| &plan.nodes[node].needs);
        let mut missing: Vec<usize> = needed
            .copied()
            .filter(|&node| self.values[node].is_none())
            .collect();
        missing.sort_unstable_by_key(|&node| (plan.nodes[node].level, node));
        missing.dedup();
        for level in missing.chunk_by(|&a, &b| plan.nodes[a].level == plan.nodes[b].level) {
            let (aggregates, others): (Vec<usize>, Vec<usize>) =
                (level.iter()).partition(|&&node| plan.nodes[node].pass().is_some());
            let values = others
                .par_iter()
                .map(|&node| self.simple(&plan.nodes[node]));
            let values: Result<Vec<Values<'a>>> = values.collect();
            for (node, value) in others.into_iter().zip(values?) {
                self.values[node] = Some(Arc::new(value));
            }
            let mut passes: BTreeMap<PassKey, Vec<usize>> = BTreeMap::new();
            for node in aggregates {
                if let Some(pass) = plan.nodes[node].pass() {
                    passes.entry(pass).or_default().push(node);
                }
            }
            for (pass, nodes) in passes {
                self.aggregates(pass, &nodes);
            }
        }
        Ok(())
    }

    /// A value that needs no pass over other records.
    fn simple(&self, node: &Node) -> Result<Values<'a>> {
        match &node.operation {
            Operation::Column(name) => self.column(node.table, name, node.ty),
            Operation::Calendar { rule, operand } => Ok(self.calendar(*rule, *operand)),
            Operation::Fetch { link, value } => {
                let Link::One { row_of } = &self.tables.joined[node.table].links[*link] else {
                    unreachable!("the plan knows that it leads to one record")
                };
                Ok(self.value(*value).fetch(row_of))
            }
            Operation::OfRecords { views, value } => {
                Ok(self.value(*value).fetch(&self.views[*views].records))
            }
            Operation::OfViews { views, value } => {
                let present = domains::present(&self.views[*views]);
                Ok(self.value(*value).fetch(&present))
            }
            Operation::Aggregate { .. } => unreachable!("aggregates are computed together"),
        }
    }

    /// A column of a table, which must have the type that the schema says.
    fn column(&self, table: usize, name: &str, ty: ColumnType) -> Result<Values<'a>> {
        let path = || place(&self.tables.layout.tables[table].path);
        let Some(column) = self.tables.joined[table].frame.column(name) else {
            let message = format!("{} has no column {name:?}, which is needed", path());
            return Err(Error::new(Code::MissingColumn, message)
                .help("give the table with the columns of its schema"));
        };
        let values = match (&column.data, ty) {
            (ColumnData::Numeric(column), ColumnType::Numerical) => {
                Values::Numbers(Cow::Borrowed(column.values()))
            }
            (ColumnData::Categorical(column), ColumnType::Categorical) => {
                Values::of_categories(column)
            }
            (ColumnData::Temporal(column), ty) if ColumnType::from(column.kind()) == ty => {
                Values::Times(Cow::Borrowed(column.values()))
            }
            _ => {
                let message = format!("column {name:?} of {} is not of type {ty}", path());
                return Err(Error::new(Code::UnsupportedType, message)
                    .help("read it with the type that the schema says"));
            }
        };
        Ok(values)
    }

    fn calendar(&self, rule: Rule, operand: usize) -> Values<'a> {
        let times = self.value(operand).times();
        match rule {
            Rule::GetDate | Rule::GetTime | Rule::LocalTimestamp => {
                let parts = times.iter().map(|&time| calendar::part(rule, time));
                Values::Times(parts.collect())
            }
            _ => {
                let numbers = calendar::numbers(rule, times, self.arithmetic);
                Values::Numbers(Cow::Owned(numbers))
            }
        }
    }

    /// Aggregates over one relation of a table, in one pass.
    fn aggregates(&mut self, pass: PassKey, nodes: &[usize]) {
        let plan = Arc::clone(&self.plan);
        let request = |&node: &usize| match &plan.nodes[node].operation {
            Operation::Aggregate {
                rule, tests, value, ..
            } => (tests, *value, *rule, node),
            _ => unreachable!("a pass takes aggregates"),
        };
        let mut requests: Vec<_> = nodes.iter().map(request).collect();
        // Aggregates of one selection together, those of one operand next to each other.
        requests.sort_by_key(|&(tests, value, _, node)| (tests, value, node));

        let mut used: Vec<usize> = requests.iter().flat_map(|r| r.0).copied().collect();
        used.sort_unstable();
        used.dedup();
        self.need_codes(used.iter().map(|&test| plan.tests[test].operand).collect());
        self.need_numbers(requests.iter().filter_map(|r| r.1).collect());
        let aggregate = |&(_, value, rule, _): &(_, Option<usize>, Rule, usize)| Aggregate {
            rule,
            operand: match value {
                None => Operand::Records,
                Some(value) if plan.nodes[value].ty == ColumnType::Numerical => {
                    let numbers = self.numbers[value].as_ref();
                    Operand::Numbers(numbers.expect("numbers to aggregate are ready"))
                }
                Some(value) => {
                    let (ranks, dictionary) = self.value(value).texts();
                    Operand::Texts(ranks, dictionary.texts().len())
                }
            },
        };
        let tests = used.iter().map(|&test| RowTest {
            codes: self.codes[plan.tests[test].operand]
                .as_ref()
                .expect("codes of operands are ready"),
            accepts: &plan.tests[test].accepts,
        });
        let selections = requests.chunk_by(|a, b| a.0 == b.0);
        let selections = selections.map(|requests| Selection {
            tests: (requests[0].0.iter())
                .map(|test| used.binary_search(test).expect("a test in use"))
                .collect(),
            aggregates: requests.iter().map(aggregate).collect(),
        });
        let outputs = self.run(pass, tests.collect(), selections.collect());
        for ((_, value, _, node), output) in requests.into_iter().zip(outputs) {
            let values = match output {
                Output::Numbers(values) => Values::Numbers(Cow::Owned(values)),
                Output::Ranks(ranks) => Values::Texts {
                    ranks,
                    dictionary: Arc::clone(
                        self.value(value.expect("a mode has an operand")).texts().1,
                    ),
                },
            };
            self.values[node] = Some(Arc::new(values));
        }
    }

    /// The outputs of a pass.
    fn run(
        &self,
        pass: PassKey,
        tests: Vec<RowTest<'_>>,
        selections: Vec<Selection<'_>>,
    ) -> Vec<Output> {
        let table = &self.tables.joined[pass.table];
        let offsets = match (pass.over, &table.links[pass.link]) {
            (Over::Views(views), _) => &self.views[views].offsets,
            (Over::Records, Link::Many { offsets }) => offsets,
            _ => unreachable!("the plan knows that it leads to many records"),
        };
        if let (Some(domain), Over::Records) = (pass.domain, pass.over) {
            let there = self.tables.layout.tables[pass.table].links[pass.link].table;
            let times = self.tables.joined[there].times.as_ref();
            let askers = Askers::new(&self.views[domain], table);
            let running = Running::new(askers, offsets, times.expect("records that vary"));
            return running.run(&tests, &selections);
        }
        let run = Pass {
            offsets,
            tests,
            selections,
        };
        let mut outputs = run.run();
        if let Some(keepers) = table.keepers.as_ref().filter(|_| pass.domain.is_none()) {
            for output in &mut outputs {
                output.share(keepers);
            }
        }
        outputs
    }

    /// Codes of condition operands in their partitions.
    fn need_codes(&mut self, mut operands: Vec<usize>) {
        operands.sort_unstable();
        operands.dedup();
        operands.retain(|&operand| self.codes[operand].is_none());
        let codes = |&operand: &usize| {
            let partition = &self.plan.partitions[&operand];
            match &**self.value(operand) {
                Values::Numbers(values) => partition.codes_of_numbers(values),
                Values::Texts { ranks, dictionary } => partition.codes_of_texts(ranks, dictionary),
                Values::Times(_) => unreachable!("conditions are on numbers and categories"),
            }
        };
        let codes: Vec<Vec<u32>> = operands.par_iter().map(codes).collect();
        for (operand, codes) in operands.into_iter().zip(codes) {
            self.codes[operand] = Some(codes);
        }
    }

    /// Numbers made ready for sums, unless they are.
    fn need_numbers(&mut self, mut operands: Vec<usize>) {
        operands.sort_unstable();
        operands.dedup();
        operands.retain(|&operand| {
            self.plan.nodes[operand].ty == ColumnType::Numerical && self.numbers[operand].is_none()
        });
        let numbers =
            |&operand: &usize| Numbers::new(self.value(operand).numbers(), self.arithmetic);
        let numbers: Vec<Numbers> = operands.par_iter().map(numbers).collect();
        for (operand, numbers) in operands.into_iter().zip(numbers) {
            self.numbers[operand] = Some(numbers);
        }
    }
}
