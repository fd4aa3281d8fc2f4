//! Random schemas, tables and variables: a few values, many ties, missing values, orphans.

use fnb::columns::{
    Column, ColumnData, ColumnType, Frame, NumericColumn, Temporal, TemporalColumn,
};
use fnb::relational::{
    Bound, Cardinality, Condition, Entity, Expression, Field, FieldKind, Infinity, OperandType,
    Part, Rule, Schema,
};
use std::collections::BTreeMap;

const TEXTS: [&str; 5] = ["b", "a", "é", "B", "web site"];

/// Random choices, the same for the same seed.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// From 0 to `n - 1`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 33) as usize) % n
    }

    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in 1..items.len() {
            items.swap(i, self.below(i + 1));
        }
    }
}

/// Related tables.
#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) schema: Schema,
    pub(crate) frames: BTreeMap<String, Frame>,
}

fn column(name: &str, ty: ColumnType) -> Field {
    Field {
        name: name.to_owned(),
        kind: FieldKind::Column { ty },
        unused: false,
    }
}

fn relation(name: &str, relation: Cardinality, entity: &str, by: Option<Vec<String>>) -> Field {
    Field {
        name: name.to_owned(),
        kind: FieldKind::Relation {
            relation,
            entity: entity.to_owned(),
            by,
        },
        unused: false,
    }
}

/// A schema of at most three levels below the root, with a look-up table that may own others and
/// lead back to itself.
pub(crate) fn schema(random: &mut Random) -> Schema {
    let mut entities = BTreeMap::new();
    let key_type = |random: &mut Random| {
        [ColumnType::Numerical, ColumnType::Categorical][usize::from(!random.one_in(3))]
    };
    let mut key = vec![("id".to_owned(), key_type(random))];
    if random.one_in(3) {
        key.push(("id2".to_owned(), key_type(random)));
    }
    let city = vec![("city".to_owned(), ColumnType::Categorical)];
    entity(random, &mut entities, "City", city, 2);
    entity(random, &mut entities, "Root", key, 0);
    Schema {
        root: "Root".to_owned(),
        entities,
    }
}

fn entity(
    random: &mut Random,
    entities: &mut BTreeMap<String, Entity>,
    name: &str,
    key: Vec<(String, ColumnType)>,
    depth: usize,
) {
    let mut fields: Vec<Field> = key.iter().map(|(name, ty)| column(name, *ty)).collect();
    for (prefix, ty, most) in [
        ("n", ColumnType::Numerical, 3),
        ("c", ColumnType::Categorical, 3),
        ("d", ColumnType::Date, 2),
        ("t", ColumnType::Time, 2),
        ("s", ColumnType::Timestamp, 2),
        ("z", ColumnType::TimestampTz, 3),
    ] {
        for i in 0..random.below(most) {
            fields.push(column(&format!("{prefix}{i}"), ty));
        }
    }
    if random.one_in(2) {
        fields.push(column("at", ColumnType::Categorical));
        let by = Some(vec!["at".to_owned()]);
        fields.push(relation("City", Cardinality::One, "City", by));
    }
    let relations = if depth == 0 {
        1 + random.below(2)
    } else {
        random.below(3)
    };
    for i in 0..if depth < 3 { relations } else { 0 } {
        // Two relations to one entity, each with its own records.
        if i == 1 && random.one_in(3) {
            let mut second = fields.last().unwrap().clone();
            "R1".clone_into(&mut second.name);
            fields.push(second);
            continue;
        }
        let child = format!("{name}{i}");
        let one = random.one_in(4);
        let cardinality = if one {
            Cardinality::One
        } else {
            Cardinality::Many
        };
        fields.push(relation(&format!("R{i}"), cardinality, &child, None));
        let mut child_key = key.clone();
        if !one {
            child_key.push((format!("k{depth}"), ColumnType::Categorical));
        }
        entity(random, entities, &child, child_key, depth + 1);
    }
    let key = key.into_iter().map(|(name, _)| name).collect();
    entities.insert(name.to_owned(), Entity { key, fields });
}

/// Tables of a schema. With `unique`, no key is repeated where only the first record counts.
pub(crate) fn tables(random: &mut Random, schema: Schema, unique: bool) -> Case {
    let mut frames = BTreeMap::new();
    let mut keys: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
    for table in schema.data_paths() {
        let entity = schema.entity(&table.entity);
        let owner = match table.path.rsplit_once('/') {
            Some(("", _)) => None,
            Some((owner, _)) => Some(owner.to_owned()),
            None if table.path.is_empty() => None,
            None => Some(String::new()),
        };
        let rows = random.below(if owner.is_some() { 60 } else { 12 });
        let owners = owner.map(|owner| keys[&owner].clone());
        let mut own: Vec<Vec<String>> = Vec::new();
        for _ in 0..rows {
            let mut key = match &owners {
                Some(owners) if !owners.is_empty() && !random.one_in(10) => {
                    owners[random.below(owners.len())].clone()
                }
                _ => Vec::new(),
            };
            while key.len() < entity.key.len() {
                // Numbers, so that keys of both types can hold them. Few of them are often the same.
                let keys = if unique { 40 } else { [4, 12, 40][rows % 3] };
                key.push(random.below(keys).to_string());
            }
            if !(unique && own.contains(&key)) {
                own.push(key);
            }
        }
        let mut columns = Vec::new();
        for field in &entity.fields {
            let FieldKind::Column { ty } = field.kind else {
                continue;
            };
            let place = entity.key.iter().position(|name| *name == field.name);
            let data = match place {
                Some(place) => key_column(random, ty, own.iter().map(|key| key[place].as_str())),
                None if field.name == "at" => {
                    let rows = (0..own.len()).map(|_| random.below(40).to_string());
                    let rows: Vec<String> = rows.collect();
                    key_column(random, ty, rows.iter().map(String::as_str))
                }
                None => random_column(random, ty, own.len()),
            };
            columns.push(Column {
                name: field.name.clone(),
                data,
            });
        }
        frames.insert(table.path.clone(), Frame::new(own.len(), columns).unwrap());
        keys.insert(table.path, own);
    }
    Case { schema, frames }
}

/// A part of a key, missing now and then.
fn key_column<'a>(
    random: &mut Random,
    ty: ColumnType,
    texts: impl Iterator<Item = &'a str>,
) -> ColumnData {
    let texts: Vec<Option<&str>> = texts
        .map(|text| Some(text).filter(|_| !random.one_in(30)))
        .collect();
    match ty {
        ColumnType::Numerical => {
            let number = |text: Option<&str>| text.map_or(f64::NAN, |text| text.parse().unwrap());
            ColumnData::Numeric(NumericColumn::new(texts.into_iter().map(number).collect()))
        }
        _ => ColumnData::Categorical(texts.into_iter().collect()),
    }
}

fn random_column(random: &mut Random, ty: ColumnType, rows: usize) -> ColumnData {
    let missing_in = [2, 5, 1000][random.below(3)];
    let digits = random.below(3);
    let number = |random: &mut Random| match digits {
        0 => random.below(6) as f64,
        1 => random.below(2000) as f64 / 100.0 - 10.0,
        // Too far apart for one unit.
        _ => [1e-12, 0.5, -3.0, 1e11][random.below(4)],
    };
    let mut times = |kind, unit: i64, range: usize| {
        let value = |_| {
            if random.one_in(missing_in) {
                return TemporalColumn::MISSING;
            }
            (random.below(range) as i64 - range as i64 / 3) * unit
        };
        ColumnData::Temporal(TemporalColumn::new(kind, (0..rows).map(value).collect()))
    };
    match ty {
        ColumnType::Date => times(Temporal::Date, 1, 30_000),
        ColumnType::Time => match times(Temporal::Time, 1_000_000, 86_400) {
            ColumnData::Temporal(column) => {
                let day = 86_400_000_000;
                let value = |&v: &i64| match v {
                    TemporalColumn::MISSING => v,
                    v => v.rem_euclid(day),
                };
                let values = column.values().iter().map(value).collect();
                ColumnData::Temporal(TemporalColumn::new(Temporal::Time, values))
            }
            other => other,
        },
        ColumnType::Timestamp => times(Temporal::Timestamp, 3_723_000_001, 300_000),
        ColumnType::TimestampTz => times(Temporal::TimestampTz, 3_723_000_001, 300_000_000),
        ColumnType::Numerical => {
            let value = |_| {
                if random.one_in(missing_in) {
                    f64::NAN
                } else {
                    number(random)
                }
            };
            ColumnData::Numeric(NumericColumn::new((0..rows).map(value).collect()))
        }
        ColumnType::Categorical | ColumnType::Text => {
            let value = |_| (!random.one_in(missing_in)).then(|| TEXTS[random.below(TEXTS.len())]);
            ColumnData::Categorical((0..rows).map(value).collect())
        }
    }
}

/// A variable of the root, if one is found soon.
pub(crate) fn variable(random: &mut Random, schema: &Schema) -> Option<Expression> {
    let ty = [ColumnType::Numerical, ColumnType::Categorical][random.below(2)];
    match value(random, schema, &schema.root, ty, 4)? {
        Expression::Field(_) => None,
        expression => Some(expression),
    }
}

/// A value of that type of a record of an entity.
fn value(
    random: &mut Random,
    schema: &Schema,
    entity: &str,
    ty: ColumnType,
    depth: usize,
) -> Option<Expression> {
    let record = schema.entity(entity);
    let fields: Vec<&Field> = (record.fields.iter())
        .filter(|field| matches!(field.kind, FieldKind::Column { ty: t } if t == ty))
        .filter(|field| !record.key.contains(&field.name))
        .collect();
    let field = |random: &mut Random| {
        (!fields.is_empty())
            .then(|| Expression::Field(fields[random.below(fields.len())].name.clone()))
    };
    if (depth == 0 || random.one_in(2))
        && let Some(field) = field(random)
    {
        return Some(field);
    }
    for _ in 0..if depth == 0 { 0 } else { 10 } {
        let rule = Rule::ALL[random.below(Rule::ALL.len())];
        if rule.result() == ty
            && let Some(args) = operands(random, schema, entity, rule, depth - 1)
        {
            return Some(Expression::Apply { rule, args });
        }
    }
    field(random)
}

fn operands(
    random: &mut Random,
    schema: &Schema,
    entity: &str,
    rule: Rule,
    depth: usize,
) -> Option<Vec<Expression>> {
    let types = rule.operands();
    let cardinality = match types[0] {
        OperandType::Value(ty) => return Some(vec![value(random, schema, entity, ty, depth)?]),
        OperandType::Records(cardinality) => cardinality,
    };
    let relations: Vec<(&str, &str)> = (schema.entity(entity).fields.iter())
        .filter_map(|field| match &field.kind {
            FieldKind::Relation {
                relation, entity, ..
            } if *relation == cardinality => Some((field.name.as_str(), entity.as_str())),
            _ => None,
        })
        .collect();
    if relations.is_empty() {
        return None;
    }
    let (name, target) = relations[random.below(relations.len())];
    let mut conditions = Vec::new();
    if cardinality == Cardinality::Many {
        for _ in 0..random.below(3) {
            conditions.extend(condition(random, schema, target, depth));
        }
    }
    let records = if conditions.is_empty() {
        Expression::Field(name.to_owned())
    } else {
        Expression::Select {
            select: name.to_owned(),
            conditions,
        }
    };
    let mut args = vec![records];
    if let Some(OperandType::Value(ty)) = types.get(1) {
        args.push(value(random, schema, target, *ty, depth)?);
    }
    Some(args)
}

fn condition(
    random: &mut Random,
    schema: &Schema,
    entity: &str,
    depth: usize,
) -> Option<Condition> {
    let ty = [ColumnType::Numerical, ColumnType::Categorical][random.below(2)];
    let operand = value(random, schema, entity, ty, depth.min(2))?;
    let text = |random: &mut Random| match random.below(6) {
        0 => String::new(),
        _ => TEXTS[random.below(TEXTS.len())].to_owned(),
    };
    // A computed number may differ from that of the oracle in its last digits: no ties for those.
    let shift = match operand {
        Expression::Field(_) => 0.0,
        _ => 0.001_234_567,
    };
    let number = |random: &mut Random| random.below(8) as f64 - 2.0 + shift;
    let part = match ty {
        ColumnType::Numerical => {
            let part = random.below(2) as u32;
            let lower = number(random);
            let (lower_excl, upper_incl) = match random.below(5) {
                0 => (Bound::Missing, Bound::Missing),
                1 => (Bound::Missing, Bound::Number(lower)),
                2 => (Bound::Missing, Bound::Infinity(Infinity::Infinity)),
                3 => (Bound::Number(lower), Bound::Infinity(Infinity::Infinity)),
                _ => (Bound::Number(lower), Bound::Number(lower + 3.0)),
            };
            Part::Interval {
                lower_excl,
                upper_incl,
                // "Missing only" is the first part.
                part: if upper_incl == Bound::Missing {
                    0
                } else {
                    part
                },
            }
        }
        _ if random.one_in(2) => Part::Equals {
            equals: text(random),
        },
        _ => Part::NotIn {
            not_in: (0..=random.below(2)).map(|_| text(random)).collect(),
        },
    };
    Some(Condition {
        operand,
        granularity: 0,
        part,
    })
}
