//! The published results of Khiops 11 on several tables: schemas, tables, variables.

use crate::data::{golden, outside};
use fnb::columns::{
    Column, ColumnData, ColumnType, Frame, NumericColumn, Temporal, TemporalColumn,
};
use fnb::relational::{Expression, FieldKind, Schema};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// Every set with its results: the name, the rules, the number of variables asked for.
pub(crate) const SETS: [(&str, &[&str]); 3] = [
    ("splice500", &["10", "100", "1000"]),
    (
        "shop400",
        &["10", "100", "1000", "100_temporal", "1000_temporal"],
    ),
    ("missing200", &["1000"]),
];

/// A schema with its tables.
pub(crate) struct Tables {
    pub(crate) schema: Schema,
    pub(crate) target: String,
    /// By data path.
    pub(crate) frames: BTreeMap<String, Frame>,
}

/// A variable of the reference.
pub(crate) struct GoldenVariable {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) expression: Expression,
    pub(crate) cost: f64,
}

/// Where a set is. All but the splice junctions are in the repository.
pub(crate) fn folder(set: &str) -> Option<PathBuf> {
    if set == "splice500" {
        return outside("golden/relational/splice500");
    }
    Some(golden(&format!("relational/{set}")))
}

/// The tables of a set.
pub(crate) fn tables(name: &str) -> Option<Tables> {
    let folder = folder(name)?;
    let text = fs::read_to_string(folder.join("schema.json")).unwrap();
    let schema: Schema = serde_json::from_str(&text).unwrap();
    schema.check().unwrap();
    let json: Json = serde_json::from_str(&text).unwrap();
    let frames = schema.data_paths().into_iter().map(|table| {
        let file = json["files"][&table.path].as_str().unwrap();
        let text = fs::read_to_string(folder.join(file)).unwrap();
        (table.path, frame(&text, &schema, &table.entity))
    });
    Some(Tables {
        target: json["target"].as_str().unwrap().to_owned(),
        frames: frames.collect(),
        schema,
    })
}

/// The variables of a result such as `100_temporal`, and the cost of a native variable.
pub(crate) fn variables(set: &str, result: &str) -> Option<(f64, Vec<GoldenVariable>)> {
    let file = folder(set)?.join(format!("golden_{result}.json"));
    let json: Json = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let variable = |json: &Json| GoldenVariable {
        name: json["name"].as_str().unwrap().to_owned(),
        kind: json["type"].as_str().unwrap().to_owned(),
        expression: serde_json::from_value(json["tree"].clone()).unwrap(),
        cost: json["cost"].as_f64().unwrap(),
    };
    let variables = json["variables"].as_array().unwrap().iter().map(variable);
    let selection_cost = json["native_selection_cost"].as_f64().unwrap();
    Some((selection_cost, variables.collect()))
}

/// Fields of a tab separated text, without the header, and the header.
pub(crate) fn records(text: &str) -> (Vec<&str>, Vec<Vec<&str>>) {
    let mut lines = text.lines().map(|line| line.split('\t').collect());
    (lines.next().unwrap(), lines.collect())
}

fn frame(text: &str, schema: &Schema, entity: &str) -> Frame {
    let (header, records) = records(text);
    let column = |(i, name): (usize, &&str)| {
        let fields: Vec<&str> = records.iter().map(|record| record[i].trim()).collect();
        let FieldKind::Column { ty } = schema.entity(entity).field(name).unwrap().kind else {
            panic!("{name} is a relation");
        };
        Column {
            name: (*name).to_owned(),
            data: column_data(ty, &fields),
        }
    };
    let columns = header.iter().enumerate().map(column).collect();
    Frame::new(records.len(), columns).unwrap()
}

/// A column of that type, read from text; an empty field is missing.
pub(crate) fn column_data(ty: ColumnType, fields: &[&str]) -> ColumnData {
    let temporal = |kind, parse: fn(&str) -> i64| {
        let value = |field: &&str| match *field {
            "" => TemporalColumn::MISSING,
            field => parse(field),
        };
        ColumnData::Temporal(TemporalColumn::new(
            kind,
            fields.iter().map(value).collect(),
        ))
    };
    match ty {
        ColumnType::Numerical => {
            let number = |field: &&str| match *field {
                "" => f64::NAN,
                field => field.parse().unwrap(),
            };
            ColumnData::Numeric(NumericColumn::new(fields.iter().map(number).collect()))
        }
        ColumnType::Categorical | ColumnType::Text => ColumnData::Categorical(
            fields
                .iter()
                .map(|field| Some(*field).filter(|field| !field.is_empty()))
                .collect(),
        ),
        ColumnType::TimestampTz => panic!("no golden table has zones"),
        ColumnType::Date => temporal(Temporal::Date, days),
        ColumnType::Time => temporal(Temporal::Time, microseconds),
        ColumnType::Timestamp => temporal(Temporal::Timestamp, |text| {
            let (date, time) = text.split_once(' ').unwrap();
            days(date) * 86_400_000_000 + microseconds(time)
        }),
    }
}

/// Days from 1970-01-01 to a date such as `2021-01-19`, counted year by year.
fn days(text: &str) -> i64 {
    let mut parts = text.split('-').map(|part| part.parse::<i64>().unwrap());
    let mut next = || parts.next().unwrap();
    let (year, month, day) = (next(), next(), next());
    let leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let years: i64 = (1970..year).map(|y| 365 + i64::from(leap(y))).sum();
    let lengths = [
        31,
        28 + i64::from(leap(year)),
        31,
        30,
        31,
        30,
        31,
        31,
        30,
        31,
        30,
        31,
    ];
    years + lengths[..month as usize - 1].iter().sum::<i64>() + day - 1
}

/// Microseconds from midnight to a time such as `07:42:33`.
fn microseconds(text: &str) -> i64 {
    let seconds = text
        .split(':')
        .fold(0, |sum, part| 60 * sum + part.parse::<i64>().unwrap());
    seconds * 1_000_000
}
