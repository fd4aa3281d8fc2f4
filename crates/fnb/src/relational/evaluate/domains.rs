//! Steps for tables whose records are not the same for all rows that share them: values that depend
//! on the row that asks are computed once for each.

use super::partition::Test;
use super::plan::{Operation, Over, Steps};
use crate::relational::join::NONE;
use crate::relational::tables::Tables;
use crate::relational::views::Views;
use crate::{Result, columns::ColumnType};
use hashbrown::HashMap;
use std::collections::BTreeMap;

/// Records as they are seen from some others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Domain {
    /// Those of the root or of a look-up table.
    Start { table: usize },
    /// Those that a relation leads to from another domain.
    Related {
        from: usize,
        table: usize,
        link: usize,
    },
}

impl Steps {
    /// The same variables of tables: what depends on the row that asks is a value of views.
    pub(super) fn for_views(&self, tables: &Tables) -> Self {
        let mut expansion = Expansion {
            from: self,
            varies: self.varying(tables),
            to: Self {
                layout: self.layout.clone(),
                nodes: Vec::new(),
                variables: Vec::new(),
                partitions: BTreeMap::new(),
                tests: Vec::new(),
                domains: Vec::new(),
            },
            nodes: HashMap::new(),
            of_records: HashMap::new(),
            tests: HashMap::new(),
            domains: HashMap::new(),
        };
        for &node in &self.variables {
            let table = self.nodes[node].table;
            let domain = expansion.varies[node].then(|| expansion.domain_of(table));
            let node = expansion.node(node, domain);
            expansion.to.variables.push(node);
        }
        expansion.to
    }

    /// Which nodes have other values for other rows that ask.
    fn varying(&self, tables: &Tables) -> Vec<bool> {
        let mut varies: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let leads_to = |link: usize| {
                let there = self.layout.tables[node.table].links[link].table;
                tables.joined[there].times.is_some()
            };
            let varying = match &node.operation {
                Operation::Column(_) => false,
                Operation::Calendar { operand, .. } => varies[*operand],
                Operation::Fetch { link, value } => leads_to(*link) || varies[*value],
                Operation::Aggregate {
                    link, tests, value, ..
                } => {
                    let mut operands = tests.iter().map(|&test| self.tests[test].operand);
                    leads_to(*link)
                        || operands.any(|o| varies[o])
                        || value.is_some_and(|v| varies[v])
                }
                Operation::OfRecords { .. } | Operation::OfViews { .. } => {
                    unreachable!("a plan knows no data")
                }
            };
            varies.push(varying);
        }
        varies
    }

    /// The views of every domain.
    pub(super) fn views(&self, tables: &Tables) -> Result<Vec<Views>> {
        let mut views: Vec<Views> = Vec::with_capacity(self.domains.len());
        for domain in &self.domains {
            views.push(match *domain {
                Domain::Start { table } => tables.starting_views(table),
                Domain::Related { from, table, link } => {
                    tables.follow(&views[from], table, link)?
                }
            });
        }
        Ok(views)
    }
}

struct Expansion<'a> {
    from: &'a Steps,
    /// By node of these.
    varies: Vec<bool>,
    to: Steps,
    /// New nodes by old node and domain.
    nodes: HashMap<(usize, Option<usize>), usize>,
    /// New nodes that are values of records in views.
    of_records: HashMap<(usize, usize), usize>,
    /// New tests by old test and new operand.
    tests: HashMap<(usize, usize), usize>,
    domains: HashMap<Domain, usize>,
}

impl Expansion<'_> {
    fn domain(&mut self, domain: Domain) -> usize {
        let domains = &mut self.to.domains;
        *self.domains.entry(domain).or_insert_with(|| {
            domains.push(domain);
            domains.len() - 1
        })
    }

    /// The records of a table as the root, or the look-up table that owns them, sees them.
    fn domain_of(&mut self, table: usize) -> usize {
        let owner = self.from.layout.tables[table].owner.as_ref();
        let Some((owner, link)) = owner.map(|owner| (owner.table, owner.link)) else {
            return self.domain(Domain::Start { table });
        };
        let from = self.domain_of(owner);
        self.domain(Domain::Related {
            from,
            table: owner,
            link,
        })
    }

    /// The new node of a node in a domain, which one that does not vary has none of.
    fn node(&mut self, node: usize, domain: Option<usize>) -> usize {
        if let Some(&known) = self.nodes.get(&(node, domain)) {
            return known;
        }
        let from = self.from;
        let old = &from.nodes[node];
        let related = |link| {
            let table = old.table;
            move |from| Domain::Related { from, table, link }
        };
        let (operation, operands) = match &old.operation {
            Operation::Column(name) => (Operation::Column(name.clone()), Vec::new()),
            Operation::Calendar { rule, operand } => {
                let (rule, operand) = (*rule, self.node(*operand, domain));
                (Operation::Calendar { rule, operand }, vec![operand])
            }
            Operation::Fetch { link, value } => match domain.map(related(*link)) {
                None => {
                    let (link, value) = (*link, self.node(*value, None));
                    (Operation::Fetch { link, value }, vec![value])
                }
                Some(domain) => {
                    let views = self.domain(domain);
                    if self.varies[*value] {
                        let value = self.node(*value, Some(views));
                        (Operation::OfViews { views, value }, vec![value])
                    } else {
                        let value = self.node(*value, None);
                        (Operation::OfRecords { views, value }, vec![value])
                    }
                }
            },
            Operation::Aggregate {
                rule,
                link,
                tests,
                value,
                ..
            } => {
                let mut old_operands: Vec<usize> =
                    tests.iter().map(|&test| from.tests[test].operand).collect();
                old_operands.extend(value);
                // Where only the records vary, running totals over them will do.
                let over_views = old_operands.iter().any(|&operand| self.varies[operand]);
                let views = domain.filter(|_| over_views).map(related(*link));
                let views = views.map(|domain| self.domain(domain));
                let operands = old_operands.iter().map(|&operand| match views {
                    None => self.node(operand, None),
                    Some(views) => self.in_views(operand, views),
                });
                let operands: Vec<usize> = operands.collect();
                let tests = tests.iter().zip(&operands);
                let tests = tests.map(|(&test, &operand)| self.test(test, operand));
                let operation = Operation::Aggregate {
                    rule: *rule,
                    link: *link,
                    over: views.map_or(Over::Records, Over::Views),
                    tests: tests.collect(),
                    value: value.and(operands.last().copied()),
                };
                (operation, operands)
            }
            Operation::OfRecords { .. } | Operation::OfViews { .. } => {
                unreachable!("a plan knows no data")
            }
        };
        let new = self
            .to
            .push((old.table, domain), operation, old.ty, &operands);
        self.nodes.insert((node, domain), new);
        new
    }

    /// The values of a node in views, whether it varies or not.
    fn in_views(&mut self, node: usize, views: usize) -> usize {
        if self.varies[node] {
            return self.node(node, Some(views));
        }
        let value = self.node(node, None);
        if let Some(&known) = self.of_records.get(&(value, views)) {
            return known;
        }
        let (table, ty): (usize, ColumnType) =
            (self.from.nodes[node].table, self.from.nodes[node].ty);
        let operation = Operation::OfRecords { views, value };
        let new = self.to.push((table, Some(views)), operation, ty, &[value]);
        self.of_records.insert((value, views), new);
        new
    }

    fn test(&mut self, test: usize, operand: usize) -> usize {
        let from = self.from;
        let to = &mut self.to;
        *self.tests.entry((test, operand)).or_insert_with(|| {
            let Test {
                operand: old,
                accepts,
            } = &from.tests[test];
            let partition = &from.partitions[old];
            to.partitions
                .entry(operand)
                .or_insert_with(|| partition.clone());
            to.tests.push(Test {
                operand,
                accepts: accepts.clone(),
            });
            to.tests.len() - 1
        })
    }
}

/// The views that lead to one view each, by its number, where it has a record.
pub(super) fn present(views: &Views) -> Vec<u32> {
    let number = |(view, &record): (usize, &u32)| if record == NONE { NONE } else { view as u32 };
    views.records.iter().enumerate().map(number).collect()
}
