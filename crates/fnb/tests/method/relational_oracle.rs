//! Values of constructed variables, one record at a time: slow, simple, without a trick.

use fnb::columns::{CategoricalColumn, ColumnData, Frame, NumericColumn, Temporal};
use fnb::math::decimal::round_to_10_digits;
use fnb::relational::{
    Bound, Condition, Cutoff, Expression, FieldKind, OperandColumn, OperandValues, Part, Rule,
    Schema,
};
use std::collections::BTreeMap;

const DAY: i64 = 86_400_000_000;

/// A value of a record.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    /// NaN is missing.
    Number(f64),
    /// The empty text is missing.
    Category(String),
    /// Days, or microseconds; none is missing.
    Time(Option<i64>),
}

/// A record: its data path and its row there, and the root row that asks for it, if any.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    path: String,
    row: usize,
    asker: Option<usize>,
}

/// The key of a record; a key with a missing part joins nothing.
type Key = Option<Vec<String>>;

/// Tables and the schema that joins them.
pub(crate) struct Oracle<'a> {
    schema: &'a Schema,
    frames: &'a BTreeMap<String, Frame>,
    /// For each data path and each length of a key: the rows of each beginning of a key.
    rows: BTreeMap<(String, usize), BTreeMap<Vec<String>, Vec<usize>>>,
    cutoff: Option<&'a Cutoff>,
}

impl<'a> Oracle<'a> {
    pub(crate) fn new(schema: &'a Schema, frames: &'a BTreeMap<String, Frame>) -> Self {
        let mut rows: BTreeMap<_, BTreeMap<_, Vec<usize>>> = BTreeMap::new();
        for table in schema.data_paths() {
            let key = &schema.entity(&table.entity).key;
            let frame = &frames[&table.path];
            for length in 1..=key.len() {
                let index = rows.entry((table.path.clone(), length)).or_default();
                for row in 0..frame.rows() {
                    if let Some(key) = key_of(frame, &key[..length], row) {
                        index.entry(key).or_default().push(row);
                    }
                }
            }
        }
        Self {
            schema,
            frames,
            rows,
            cutoff: None,
        }
    }

    /// The same, where a row sees only records before its time.
    pub(crate) fn with_cutoff(self, cutoff: &'a Cutoff) -> Self {
        Self {
            cutoff: Some(cutoff),
            ..self
        }
    }

    /// The value of a variable in one row of the root.
    pub(crate) fn root_value(&self, expression: &Expression, row: usize) -> Value {
        let record = Record {
            path: String::new(),
            row,
            asker: Some(row),
        };
        self.value(&record, expression)
    }

    /// A time as a day, and as a moment if it is more than that.
    fn time(&self, path: &str, name: &str, row: usize) -> Option<(i64, Option<i64>)> {
        let ColumnData::Temporal(times) = &self.frames[path].column(name).unwrap().data else {
            panic!("{name} of {path} holds no times");
        };
        times.get(row).map(|time| match times.kind() {
            Temporal::Date => (time, None),
            Temporal::TimestampTz => {
                let moment = time.div_euclid(128);
                (moment.div_euclid(DAY), Some(moment))
            }
            _ => (time.div_euclid(DAY), Some(time)),
        })
    }

    /// May the row that asks for a record see it?
    fn is_seen(&self, record: &Record) -> bool {
        let Some(cutoff) = self.cutoff else {
            return true;
        };
        let Some(name) = cutoff.tables.get(&record.path) else {
            return true;
        };
        let now = record
            .asker
            .and_then(|row| self.time("", &cutoff.root, row));
        match (self.time(&record.path, name, record.row), now) {
            (Some((_, Some(time))), Some((_, Some(now)))) => time < now,
            (Some((day, _)), Some((today, _))) => day < today,
            _ => false,
        }
    }

    /// The row of the root with the latest time: the one that sees most.
    fn latest_row(&self) -> Option<usize> {
        let cutoff = self.cutoff?;
        let rows = 0..self.frames[""].rows();
        rows.max_by_key(|&row| self.time("", &cutoff.root, row))
    }

    /// The records of a data path that the rows of the root, or of a look-up table, lead to: once for
    /// each row. A row of a look-up table whose key came before does not count.
    pub(crate) fn reachable(&self, path: &str) -> Vec<Record> {
        let mut found = Vec::new();
        match (path, path.rsplit_once('/')) {
            ("", _) | (_, Some(("", _))) => {
                let frame = &self.frames[path];
                let key = &self.entity(path).key;
                let mut seen = Vec::new();
                let latest = self.latest_row();
                for row in 0..frame.rows() {
                    let key = key_of(frame, key, row);
                    // Without a key, or with a missing one, a row is like no other.
                    let comparable = key.as_ref().is_some_and(|key| !key.is_empty());
                    if path.is_empty() || !(comparable && seen.contains(&key)) {
                        found.push(Record {
                            path: path.to_owned(),
                            row,
                            asker: if path.is_empty() { Some(row) } else { latest },
                        });
                        seen.push(key);
                    }
                }
            }
            (_, split) => {
                let (owner, field) = split.unwrap_or(("", path));
                for record in self.reachable(owner) {
                    found.extend(self.related(&record, field));
                }
            }
        }
        found
    }

    fn entity(&self, path: &str) -> &fnb::relational::Entity {
        self.schema.entity(self.schema.entity_at(path).unwrap())
    }

    /// The records that a relation of a record leads to, in the order of their table.
    fn related(&self, from: &Record, field: &str) -> Vec<Record> {
        let Record { path, row, asker } = from;
        let entity = self.entity(path);
        let FieldKind::Relation {
            relation,
            entity: related,
            by,
        } = &entity.field(field).unwrap().kind
        else {
            panic!("{field} is no relation");
        };
        let (there, columns) = match by {
            Some(by) => (format!("/{related}"), by),
            None if path.is_empty() => (field.to_owned(), &entity.key),
            None => (format!("{path}/{field}"), &entity.key),
        };
        let Some(key) = key_of(&self.frames[path], columns, *row) else {
            return Vec::new();
        };
        let rows = self.rows[&(there.clone(), columns.len())].get(&key);
        let rows = rows.map_or(&[][..], Vec::as_slice);
        let at_most = match relation {
            fnb::relational::Cardinality::One => 1,
            fnb::relational::Cardinality::Many => usize::MAX,
        };
        let records = rows.iter().map(|&row| Record {
            path: there.clone(),
            row,
            asker: *asker,
        });
        let seen = records.filter(|record| self.is_seen(record));
        seen.take(at_most).collect()
    }

    /// The records of the first operand of a rule.
    fn records(&self, record: &Record, operand: &Expression) -> Vec<Record> {
        match operand {
            Expression::Field(field) => self.related(record, field),
            Expression::Select { select, conditions } => {
                let mut records = self.related(record, select);
                records.retain(|record| conditions.iter().all(|c| self.meets(record, c)));
                records
            }
            Expression::Apply { .. } => panic!("no rule gives records"),
        }
    }

    fn meets(&self, record: &Record, condition: &Condition) -> bool {
        let value = self.value(record, &condition.operand);
        match (&condition.part, value) {
            (
                Part::Interval {
                    lower_excl,
                    upper_incl,
                    part,
                },
                Value::Number(value),
            ) => {
                let above = match lower_excl {
                    Bound::Missing if *part == 0 => true,
                    Bound::Missing => !value.is_nan(),
                    Bound::Number(bound) => value > *bound,
                    Bound::Infinity(_) => false,
                };
                let below = match upper_incl {
                    Bound::Missing => value.is_nan(),
                    Bound::Number(bound) => value.is_nan() || value <= *bound,
                    Bound::Infinity(_) => true,
                };
                above && below
            }
            (Part::Equals { equals }, Value::Category(value)) => value == *equals,
            (Part::NotIn { not_in }, Value::Category(value)) => !not_in.contains(&value),
            (part, value) => panic!("{part:?} is no part of {value:?}"),
        }
    }

    /// The value of an expression in a record.
    pub(crate) fn value(&self, record: &Record, expression: &Expression) -> Value {
        let (rule, args) = match expression {
            Expression::Field(name) => {
                return field_value(&self.frames[&record.path], name, record.row);
            }
            Expression::Apply { rule, args } => (*rule, args),
            Expression::Select { .. } => panic!("a selection is no value"),
        };
        if args.len() == 1 && rule != Rule::TableCount {
            let Value::Time(time) = self.value(record, &args[0]) else {
                panic!("{args:?} is no time");
            };
            return time_value(rule, time);
        }
        let records = self.records(record, &args[0]);
        if rule == Rule::TableCount {
            return Value::Number(records.len() as f64);
        }
        let mut values = records.iter().map(|record| self.value(record, &args[1]));
        match rule {
            Rule::GetValue => values.next().unwrap_or(Value::Number(f64::NAN)),
            Rule::GetValueC => values.next().unwrap_or(Value::Category(String::new())),
            Rule::TableCountDistinct | Rule::TableMode => {
                let mut counts: BTreeMap<String, usize> = BTreeMap::new();
                for value in values {
                    let Value::Category(value) = value else {
                        panic!("{value:?} is no category");
                    };
                    *counts.entry(value).or_default() += 1;
                }
                if rule == Rule::TableCountDistinct {
                    return Value::Number(counts.len() as f64);
                }
                let most = counts.values().max().copied().unwrap_or(0);
                let mode = counts.into_iter().find(|(_, count)| *count == most);
                Value::Category(mode.map_or(String::new(), |(value, _)| value))
            }
            _ => {
                let numbers = values.map(|value| match value {
                    Value::Number(value) => value,
                    value => panic!("{value:?} is no number"),
                });
                let numbers: Vec<f64> = numbers.filter(|value| !value.is_nan()).collect();
                Value::Number(round_to_10_digits(statistic(rule, numbers)))
            }
        }
    }
}

/// The key of a row.
fn key_of(frame: &Frame, columns: &[String], row: usize) -> Key {
    columns
        .iter()
        .map(|column| match field_value(frame, column, row) {
            Value::Number(value) => Some(value.to_string()).filter(|_| !value.is_nan()),
            Value::Category(value) => Some(value).filter(|value| !value.is_empty()),
            Value::Time(value) => value.map(|value| value.to_string()),
        })
        .collect()
}

fn field_value(frame: &Frame, name: &str, row: usize) -> Value {
    match &frame.column(name).unwrap().data {
        ColumnData::Numeric(column) => Value::Number(column.values()[row]),
        ColumnData::Categorical(column) => {
            Value::Category(column.get(row).unwrap_or_default().to_owned())
        }
        ColumnData::Temporal(column) => Value::Time(column.get(row)),
        other => panic!("{name} has {other:?}"),
    }
}

/// A statistic of numbers none of which is missing; without numbers it is missing.
fn statistic(rule: Rule, mut numbers: Vec<f64>) -> f64 {
    if numbers.is_empty() {
        return f64::NAN;
    }
    let n = numbers.len();
    let sum: f64 = numbers.iter().sum();
    match rule {
        Rule::TableSum => sum,
        Rule::TableMean => sum / n as f64,
        Rule::TableMin => numbers.into_iter().fold(f64::INFINITY, f64::min),
        Rule::TableMax => numbers.into_iter().fold(f64::NEG_INFINITY, f64::max),
        Rule::TableStdDev => {
            // Around the mean: the difference of large sums would leave their rounding errors.
            let mean = sum / n as f64;
            let squares: f64 = numbers.iter().map(|x| (x - mean) * (x - mean)).sum();
            (squares / n as f64).sqrt()
        }
        Rule::TableMedian => {
            numbers.sort_by(f64::total_cmp);
            if n % 2 == 1 {
                numbers[n / 2]
            } else {
                f64::midpoint(numbers[n / 2 - 1], numbers[n / 2])
            }
        }
        _ => panic!("{rule:?} is no statistic"),
    }
}

/// A part of a date, of a time of day or of a timestamp.
fn time_value(rule: Rule, time: Option<i64>) -> Value {
    match rule {
        Rule::GetDate => return Value::Time(time.map(|time| time.div_euclid(DAY))),
        Rule::GetTime => return Value::Time(time.map(|time| time.rem_euclid(DAY))),
        // The quarters of an hour that the clocks are ahead, plus 64, are the last digit to base 128.
        Rule::LocalTimestamp => {
            let local =
                |zoned: i64| zoned.div_euclid(128) + (zoned.rem_euclid(128) - 64) * DAY / 96;
            return Value::Time(time.map(local));
        }
        _ => {}
    }
    let Some(time) = time else {
        return Value::Number(f64::NAN);
    };
    let hours = |time: i64| {
        let seconds = time.rem_euclid(DAY) / 1_000_000;
        let fraction = (time.rem_euclid(1_000_000)) as f64 / 1e6;
        let minutes = seconds / 60;
        (minutes / 60) as f64
            + (60.0 * (minutes % 60) as f64 + (seconds % 60) as f64 + fraction) / 3600.0
    };
    let year_with = |days: i64, hours: f64| {
        let date = calendar(days);
        date.year as f64 + ((date.year_day - 1) as f64 + hours / 24.0) / date.days_of_year as f64
    };
    // 1 January 1970 was a Thursday.
    let week_day = |days: i64| (days + 3).rem_euclid(7) + 1;
    let number = match rule {
        Rule::Day => calendar(time).day as f64,
        Rule::WeekDay => week_day(time) as f64,
        Rule::YearDay => calendar(time).year_day as f64,
        Rule::DecimalYear => year_with(time, 0.0),
        Rule::DecimalTime => hours(time),
        Rule::DecimalWeekDay => week_day(time.div_euclid(DAY)) as f64 + hours(time) / 24.0,
        Rule::DecimalYearTS => year_with(time.div_euclid(DAY), hours(time)),
        _ => panic!("{rule:?} is no part of a time"),
    };
    Value::Number(round_to_10_digits(number))
}

struct Date {
    year: i64,
    year_day: i64,
    day: i64,
    days_of_year: i64,
}

/// The date of a number of days from 1970-01-01, by counting.
fn calendar(mut days: i64) -> Date {
    let leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = |year| 365 + i64::from(leap(year));
    let mut year = 1970;
    while days < 0 {
        year -= 1;
        days += length(year);
    }
    while days >= length(year) {
        days -= length(year);
        year += 1;
    }
    let year_day = days + 1;
    let february = 28 + i64::from(leap(year));
    for month in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < month {
            break;
        }
        days -= month;
    }
    Date {
        year,
        year_day,
        day: days + 1,
        days_of_year: length(year),
    }
}

/// Values as a column.
pub(crate) fn column(values: &[Value]) -> ColumnData {
    if let Some(Value::Category(_)) = values.first() {
        let category = |value: &'_ Value| match value {
            Value::Category(value) => value.clone(),
            value => panic!("{value:?} is no category"),
        };
        let categories: Vec<String> = values.iter().map(category).collect();
        let categories = categories
            .iter()
            .map(|value| Some(value.as_str()).filter(|value| !value.is_empty()));
        return ColumnData::Categorical(categories.collect::<CategoricalColumn>());
    }
    let numbers = values.iter().map(|value| match value {
        Value::Number(value) => *value,
        value => panic!("{value:?} is no number"),
    });
    ColumnData::Numeric(NumericColumn::from_rounded(numbers.collect()))
}

impl OperandValues for Oracle<'_> {
    fn root_rows(&self) -> usize {
        self.reachable("").len()
    }

    fn values(
        &self,
        entity: &str,
        operands: &[Expression],
        _: Option<usize>,
    ) -> fnb::Result<Vec<Vec<OperandColumn>>> {
        let paths = self.schema.data_paths();
        let records: Vec<Vec<Record>> = paths
            .iter()
            .filter(|table| table.entity == entity)
            .map(|table| self.reachable(&table.path))
            .collect();
        let values = |operand: &Expression| {
            let values = |records: &Vec<Record>| {
                let values = records.iter().map(|record| self.value(record, operand));
                column(&values.collect::<Vec<_>>()).into()
            };
            records.iter().map(values).collect()
        };
        Ok(operands.iter().map(values).collect())
    }
}
