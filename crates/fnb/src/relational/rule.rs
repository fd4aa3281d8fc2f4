//! The rules of the construction language: name, operands, result, family (docs/method.md §10.2).

use super::schema::Cardinality;
use crate::columns::ColumnType;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a rule takes or gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OperandType {
    /// The values of a column, or computed ones.
    Value(ColumnType),
    /// The records of a relation.
    Records(Cardinality),
}

/// Rules that are switched on and off together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// Calendar parts of dates.
    Date,
    /// Values of the one record of a relation.
    Entity,
    /// Aggregates over the records of a relation.
    Table,
    /// Times of day as numbers.
    Time,
    /// Parts of timestamps.
    Timestamp,
    /// Timestamps with a zone.
    TimestampTz,
}

impl Family {
    /// Every family.
    pub const ALL: [Self; 6] = [
        Self::Table,
        Self::Entity,
        Self::Date,
        Self::Time,
        Self::Timestamp,
        Self::TimestampTz,
    ];

    /// The name that people give it: that of the type of a column, if its rules take one.
    ///
    /// ```
    /// use fnb::relational::Family;
    /// assert_eq!(Family::ALL.map(Family::as_str).join(" "), "table entity date time timestamp timestamptz");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Entity => "entity",
            Self::Date => ColumnType::Date.as_str(),
            Self::Time => ColumnType::Time.as_str(),
            Self::Timestamp => ColumnType::Timestamp.as_str(),
            Self::TimestampTz => ColumnType::TimestampTz.as_str(),
        }
    }
}

/// A function of the construction language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Rule {
    /// Number of records.
    TableCount,
    /// Number of distinct values.
    TableCountDistinct,
    /// Most frequent value.
    TableMode,
    /// Mean.
    TableMean,
    /// Standard deviation of the population.
    TableStdDev,
    /// Median.
    TableMedian,
    /// Least number.
    TableMin,
    /// Greatest number.
    TableMax,
    /// Sum.
    TableSum,
    /// The number of the one record.
    GetValue,
    /// The category of the one record.
    GetValueC,
    /// Day of the month, from 1.
    Day,
    /// Day of the week, Monday is 1.
    WeekDay,
    /// Day of the year, from 1.
    YearDay,
    /// The date as a number of years.
    DecimalYear,
    /// The time of day as a number of hours.
    DecimalTime,
    /// The date of a timestamp.
    GetDate,
    /// The time of day of a timestamp.
    GetTime,
    /// Day of the week with its fraction, Monday is 1.
    DecimalWeekDay,
    /// The timestamp as a number of years.
    DecimalYearTS,
    /// What the clocks of its zone show at a timestamp with a zone.
    LocalTimestamp,
}

const NUMBER: OperandType = OperandType::Value(ColumnType::Numerical);
const CATEGORY: OperandType = OperandType::Value(ColumnType::Categorical);
const DATE: OperandType = OperandType::Value(ColumnType::Date);
const TIME: OperandType = OperandType::Value(ColumnType::Time);
const TIMESTAMP: OperandType = OperandType::Value(ColumnType::Timestamp);
const ZONED: OperandType = OperandType::Value(ColumnType::TimestampTz);
const MANY: OperandType = OperandType::Records(Cardinality::Many);
const ONE: OperandType = OperandType::Records(Cardinality::One);

impl Rule {
    /// Every rule.
    pub const ALL: [Self; 21] = [
        Self::TableCount,
        Self::TableCountDistinct,
        Self::TableMode,
        Self::TableMean,
        Self::TableStdDev,
        Self::TableMedian,
        Self::TableMin,
        Self::TableMax,
        Self::TableSum,
        Self::GetValue,
        Self::GetValueC,
        Self::Day,
        Self::WeekDay,
        Self::YearDay,
        Self::DecimalYear,
        Self::DecimalTime,
        Self::GetDate,
        Self::GetTime,
        Self::DecimalWeekDay,
        Self::DecimalYearTS,
        Self::LocalTimestamp,
    ];

    /// What it takes. The second operand is a value of the records that the first one leads to.
    pub fn operands(self) -> &'static [OperandType] {
        match self {
            Self::TableCount => &[MANY],
            Self::TableCountDistinct | Self::TableMode => &[MANY, CATEGORY],
            Self::TableMean
            | Self::TableStdDev
            | Self::TableMedian
            | Self::TableMin
            | Self::TableMax
            | Self::TableSum => &[MANY, NUMBER],
            Self::GetValue => &[ONE, NUMBER],
            Self::GetValueC => &[ONE, CATEGORY],
            Self::Day | Self::WeekDay | Self::YearDay | Self::DecimalYear => &[DATE],
            Self::DecimalTime => &[TIME],
            Self::GetDate | Self::GetTime | Self::DecimalWeekDay | Self::DecimalYearTS => {
                &[TIMESTAMP]
            }
            Self::LocalTimestamp => &[ZONED],
        }
    }

    /// The type of its result.
    pub fn result(self) -> ColumnType {
        match self {
            Self::TableMode | Self::GetValueC => ColumnType::Categorical,
            Self::GetDate => ColumnType::Date,
            Self::GetTime => ColumnType::Time,
            Self::LocalTimestamp => ColumnType::Timestamp,
            _ => ColumnType::Numerical,
        }
    }

    /// The family it is switched on with.
    pub fn family(self) -> Family {
        match self.operands()[0] {
            MANY => Family::Table,
            ONE => Family::Entity,
            DATE => Family::Date,
            TIME => Family::Time,
            ZONED => Family::TimestampTz,
            _ => Family::Timestamp,
        }
    }

    /// Its name in files and formulas.
    ///
    /// ```
    /// assert_eq!(fnb::relational::Rule::TableMean.as_str(), "TableMean");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TableCount => "TableCount",
            Self::TableCountDistinct => "TableCountDistinct",
            Self::TableMode => "TableMode",
            Self::TableMean => "TableMean",
            Self::TableStdDev => "TableStdDev",
            Self::TableMedian => "TableMedian",
            Self::TableMin => "TableMin",
            Self::TableMax => "TableMax",
            Self::TableSum => "TableSum",
            Self::GetValue => "GetValue",
            Self::GetValueC => "GetValueC",
            Self::Day => "Day",
            Self::WeekDay => "WeekDay",
            Self::YearDay => "YearDay",
            Self::DecimalYear => "DecimalYear",
            Self::DecimalTime => "DecimalTime",
            Self::GetDate => "GetDate",
            Self::GetTime => "GetTime",
            Self::DecimalWeekDay => "DecimalWeekDay",
            Self::DecimalYearTS => "DecimalYearTS",
            Self::LocalTimestamp => "LocalTimestamp",
        }
    }
}
