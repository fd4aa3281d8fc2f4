//! Expressions as steps: each value that is needed is one step, whatever the number of variables
//! that use it.

use super::domains::Domain;
use super::partition::{Partition, Test};
use crate::columns::ColumnType;
use crate::relational::expression::{Condition, Expression, Part};
use crate::relational::layout::Layout;
use crate::relational::path::place;
use crate::relational::rule::{OperandType, Rule};
use crate::relational::schema::{Cardinality, FieldKind, Schema};
use crate::{Code, Error, Result};
use hashbrown::HashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Constructed variables, compiled: what there is to compute, in which tables, in which order. It
/// knows no data, so that one plan serves many tables.
///
/// ```
/// use fnb::relational::{Expression, Plan, Schema};
/// let schema: Schema = serde_json::from_str(r#"{"root": "Customer", "entities": {
///     "Customer": {"key": ["id"], "fields": [
///         {"name": "id", "type": "categorical"},
///         {"name": "Orders", "relation": "many", "entity": "Order"}]},
///     "Order": {"key": ["id"], "fields": [
///         {"name": "id", "type": "categorical"}, {"name": "price", "type": "numerical"}]}}}"#)?;
/// let mean: Expression =
///     serde_json::from_str(r#"{"rule": "TableMean", "args": ["Orders", "price"]}"#)?;
/// let plan = Plan::new(&schema, &[mean])?;
/// assert!(plan.columns()["Orders"].contains("price"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Plan {
    pub(super) steps: Arc<Steps>,
    columns: BTreeMap<String, BTreeSet<String>>,
}

/// What there is to compute.
#[derive(Debug, Clone)]
pub(super) struct Steps {
    pub(super) layout: Layout,
    pub(super) nodes: Vec<Node>,
    /// The node of each variable.
    pub(super) variables: Vec<usize>,
    /// How the values of condition operands are cut, by node.
    pub(super) partitions: BTreeMap<usize, Partition>,
    pub(super) tests: Vec<Test>,
    /// What records are seen from; none if it makes no difference.
    pub(super) domains: Vec<Domain>,
}

/// A value of every record of a table, or of every view of a domain.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) table: usize,
    pub(super) domain: Option<usize>,
    pub(super) operation: Operation,
    pub(super) ty: ColumnType,
    /// Above the levels of all that it needs.
    pub(super) level: usize,
    /// All nodes it needs, itself included.
    pub(super) needs: Vec<usize>,
}

#[derive(Debug, Clone)]
pub(super) enum Operation {
    /// A column of the table.
    Column(String),
    /// A calendar rule on another value of the record.
    Calendar { rule: Rule, operand: usize },
    /// The value of the one record of a relation.
    Fetch { link: usize, value: usize },
    /// In views, the value of their records.
    OfRecords { views: usize, value: usize },
    /// In views that lead to at most one view each, its value.
    OfViews { views: usize, value: usize },
    /// An aggregate over the records of a relation that pass all tests.
    Aggregate {
        rule: Rule,
        link: usize,
        over: Over,
        tests: Vec<usize>,
        value: Option<usize>,
    },
}

/// What operands of an aggregate are values of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Over {
    /// The records of the relation.
    Records,
    /// Their views in a domain.
    Views(usize),
}

/// Aggregates that are computed in one go: of which records, over which relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PassKey {
    pub(super) table: usize,
    pub(super) link: usize,
    pub(super) domain: Option<usize>,
    pub(super) over: Over,
}

impl Node {
    /// The pass that computes it if it is an aggregate.
    pub(super) fn pass(&self) -> Option<PassKey> {
        match self.operation {
            Operation::Aggregate { link, over, .. } => Some(PassKey {
                table: self.table,
                link,
                domain: self.domain,
                over,
            }),
            _ => None,
        }
    }
}

impl Steps {
    /// Adds a node of a table, given the nodes it needs directly.
    pub(super) fn push(
        &mut self,
        (table, domain): (usize, Option<usize>),
        operation: Operation,
        ty: ColumnType,
        operands: &[usize],
    ) -> usize {
        let level = operands.iter().map(|&o| self.nodes[o].level + 1);
        let level = level.max().unwrap_or(0);
        let node = self.nodes.len();
        let mut needs: BTreeSet<usize> = [node].into();
        for &operand in operands {
            needs.extend(&self.nodes[operand].needs);
        }
        self.nodes.push(Node {
            table,
            domain,
            operation,
            ty,
            level,
            needs: needs.into_iter().collect(),
        });
        node
    }
}

impl Plan {
    /// Compiles variables of the root of a schema.
    pub fn new(schema: &Schema, variables: &[Expression]) -> Result<Self> {
        let mut compiler = Compiler::new(schema)?;
        for expression in variables {
            compiler.variable(0, expression)?;
        }
        Ok(compiler.finish())
    }

    /// Compiles expressions on every table of an entity, one expression after the other.
    pub(super) fn of_entity(
        schema: &Schema,
        entity: &str,
        operands: &[Expression],
    ) -> Result<Self> {
        let mut compiler = Compiler::new(schema)?;
        for operand in operands {
            for table in 0..compiler.steps.layout.tables.len() {
                if compiler.steps.layout.tables[table].entity == entity {
                    compiler.variable(table, operand)?;
                }
            }
        }
        Ok(compiler.finish())
    }

    /// Number of variables.
    pub fn len(&self) -> usize {
        self.steps.variables.len()
    }

    /// True without any variable.
    pub fn is_empty(&self) -> bool {
        self.steps.variables.is_empty()
    }

    /// By data path, the columns that the variables are computed from, with the keys that lead there.
    /// Tables that are not needed are absent.
    pub fn columns(&self) -> &BTreeMap<String, BTreeSet<String>> {
        &self.columns
    }
}

struct Compiler<'a> {
    schema: &'a Schema,
    steps: Steps,
    columns: BTreeMap<String, BTreeSet<String>>,
    /// Nodes by table and formula.
    known: HashMap<(usize, String), usize>,
    /// Tests by operand and part.
    known_tests: HashMap<(usize, String), usize>,
    parts: Vec<(usize, Part)>,
}

impl<'a> Compiler<'a> {
    fn new(schema: &'a Schema) -> Result<Self> {
        schema.check()?;
        Ok(Self {
            schema,
            steps: Steps {
                layout: Layout::new(schema),
                nodes: Vec::new(),
                variables: Vec::new(),
                partitions: BTreeMap::new(),
                tests: Vec::new(),
                domains: Vec::new(),
            },
            columns: BTreeMap::new(),
            known: HashMap::new(),
            known_tests: HashMap::new(),
            parts: Vec::new(),
        })
    }

    fn finish(mut self) -> Plan {
        let mut parts: BTreeMap<usize, Vec<&Part>> = BTreeMap::new();
        for (operand, part) in &self.parts {
            parts.entry(*operand).or_default().push(part);
        }
        self.steps.partitions = parts
            .into_iter()
            .map(|(operand, parts)| (operand, Partition::new(&parts)))
            .collect();
        let test = |(operand, part): &(usize, Part)| Test {
            operand: *operand,
            accepts: self.steps.partitions[operand].accepts(part),
        };
        self.steps.tests = self.parts.iter().map(test).collect();
        Plan {
            steps: Arc::new(self.steps),
            columns: self.columns,
        }
    }

    /// Adds a variable, which must be a number or a category.
    fn variable(&mut self, table: usize, expression: &Expression) -> Result<()> {
        let node = self.compile(table, expression)?;
        let ty = self.steps.nodes[node].ty;
        if !matches!(ty, ColumnType::Numerical | ColumnType::Categorical) {
            let message = format!("a value of type {ty} is neither a number nor a category");
            return Err(invalid(&message));
        }
        self.steps.variables.push(node);
        Ok(())
    }

    /// The node of an expression in the records of a table.
    fn compile(&mut self, table: usize, expression: &Expression) -> Result<usize> {
        let formula = serde_json::to_string(expression).expect("an expression is JSON");
        if let Some(&node) = self.known.get(&(table, formula.clone())) {
            return Ok(node);
        }
        let (operation, ty, operands) = match expression {
            Expression::Field(name) => {
                let ty = self.column(table, name)?;
                (Operation::Column(name.clone()), ty, Vec::new())
            }
            Expression::Apply { rule, args } => self.apply(table, *rule, args)?,
            Expression::Select { .. } => return Err(invalid("a selection is not a value")),
        };
        let node = self.steps.push((table, None), operation, ty, &operands);
        self.known.insert((table, formula), node);
        Ok(node)
    }

    /// The type of a column, which is noted as needed.
    fn column(&mut self, table: usize, name: &str) -> Result<ColumnType> {
        let layout = &self.steps.layout.tables[table];
        let entity = self.schema.entity(&layout.entity);
        let field = entity.fields.iter().find(|field| field.name == name);
        let Some(FieldKind::Column { ty }) = field.map(|field| &field.kind) else {
            let place = place(&layout.path);
            return Err(invalid(&format!("{name:?} is not a column of {place}")));
        };
        self.need(table, &[name.to_owned()]);
        Ok(*ty)
    }

    fn need(&mut self, table: usize, columns: &[String]) {
        let path = &self.steps.layout.tables[table].path;
        let needed = self.columns.entry(path.clone()).or_default();
        needed.extend(columns.iter().cloned());
    }

    /// The relation of that name, whose keys are noted as needed.
    fn link(&mut self, table: usize, name: &str, cardinality: Cardinality) -> Result<usize> {
        let link = self.steps.layout.link(table, name)?;
        let layout = &self.steps.layout.tables;
        let found = &layout[table].links[link];
        if found.cardinality != cardinality {
            return Err(invalid(&format!(
                "relation {name:?} leads to {}",
                match cardinality {
                    Cardinality::One => "many records, not to one",
                    Cardinality::Many => "one record, not to many",
                }
            )));
        }
        let target = found.table;
        let here = match &found.by {
            Some(by) => by.clone(),
            None => self.schema.entity(&layout[table].entity).key.clone(),
        };
        let there = self.schema.entity(&layout[target].entity).key.clone();
        self.need(table, &here);
        self.need(target, &there);
        Ok(link)
    }

    /// A rule on its operands: the operation, its type, the nodes it needs.
    fn apply(
        &mut self,
        table: usize,
        rule: Rule,
        args: &[Expression],
    ) -> Result<(Operation, ColumnType, Vec<usize>)> {
        let types = rule.operands();
        if types.len() != args.len() {
            let (given, wanted) = (args.len(), types.len());
            let message = format!("{} has {given} operands, not {wanted}", rule.as_str());
            return Err(invalid(&message));
        }
        let OperandType::Records(cardinality) = types[0] else {
            let operand = self.operand(table, rule, types[0], &args[0])?;
            let operation = Operation::Calendar { rule, operand };
            return Ok((operation, rule.result(), vec![operand]));
        };
        let (relation, conditions) = match &args[0] {
            Expression::Field(name) => (name, [].as_slice()),
            Expression::Select { select, conditions } if cardinality == Cardinality::Many => {
                (select, conditions.as_slice())
            }
            _ => return Err(invalid(&format!("{} needs a relation", rule.as_str()))),
        };
        let link = self.link(table, relation, cardinality)?;
        let target = self.steps.layout.tables[table].links[link].table;
        let mut tests = Vec::with_capacity(conditions.len());
        for condition in conditions {
            tests.push(self.test(target, condition)?);
        }
        let value = match types.get(1) {
            Some(&ty) => Some(self.operand(target, rule, ty, &args[1])?),
            None => None,
        };
        let mut needed: Vec<usize> = tests.iter().map(|&test| self.parts[test].0).collect();
        needed.extend(value);
        let operation = match (cardinality, value) {
            (Cardinality::One, Some(value)) => Operation::Fetch { link, value },
            _ => Operation::Aggregate {
                rule,
                link,
                over: Over::Records,
                tests,
                value,
            },
        };
        Ok((operation, rule.result(), needed))
    }

    /// An operand that must have the type that the rule asks for.
    fn operand(
        &mut self,
        table: usize,
        rule: Rule,
        wanted: OperandType,
        expression: &Expression,
    ) -> Result<usize> {
        let node = self.compile(table, expression)?;
        let ty = self.steps.nodes[node].ty;
        if OperandType::Value(ty) == wanted {
            return Ok(node);
        }
        let message = format!("{} cannot take a value of type {ty}", rule.as_str());
        Err(invalid(&message))
    }

    fn test(&mut self, table: usize, condition: &Condition) -> Result<usize> {
        let operand = self.compile(table, &condition.operand)?;
        let wanted = match condition.part {
            Part::Interval { .. } => ColumnType::Numerical,
            Part::Equals { .. } | Part::NotIn { .. } => ColumnType::Categorical,
        };
        let ty = self.steps.nodes[operand].ty;
        if ty != wanted {
            let message = format!("a condition on {wanted} values has a value of type {ty}");
            return Err(invalid(&message));
        }
        let part = serde_json::to_string(&condition.part).expect("a part is JSON");
        let next = self.parts.len();
        let test = *self.known_tests.entry((operand, part)).or_insert(next);
        if test == next {
            self.parts.push((operand, condition.part.clone()));
        }
        Ok(test)
    }
}

fn invalid(message: &str) -> Error {
    Error::new(Code::InvalidSchema, message)
        .help("constructed variables belong to the schema they were constructed with")
}
