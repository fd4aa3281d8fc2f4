//! Arrow dates, times and timestamps to moments.

use super::column::internal;
use arrow::array::timezone::Tz;
use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int32Type, Int64Type, TimeUnit};
use chrono::{DateTime, Offset};
use fnb::Result;
use fnb::columns::{Temporal, TemporalColumn};

const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400 * SECOND;

/// What arrays of that type hold, if it is moments.
pub(super) fn temporal_kind(data_type: &DataType) -> Option<Temporal> {
    match data_type {
        DataType::Date32 | DataType::Date64 => Some(Temporal::Date),
        DataType::Time32(_) | DataType::Time64(_) => Some(Temporal::Time),
        DataType::Timestamp(_, Some(_)) => Some(Temporal::TimestampTz),
        DataType::Timestamp(_, None) => Some(Temporal::Timestamp),
        _ => None,
    }
}

/// The values of an array of moments as moments of a kind: days, or microseconds.
pub(super) fn moments(array: &ArrayRef, kind: Temporal) -> Result<Vec<i64>> {
    let numbers = integers(array)?;
    let numbers = numbers.as_primitive::<Int64Type>();
    // Microseconds since midnight or 1970, whatever the type.
    let micros: Box<dyn Fn(i64) -> i64> = match array.data_type() {
        DataType::Date32 => Box::new(|days| days.saturating_mul(DAY)),
        DataType::Date64 => Box::new(|milliseconds| milliseconds.saturating_mul(1000)),
        DataType::Time32(unit) | DataType::Time64(unit) | DataType::Timestamp(unit, _) => {
            in_micros(*unit)
        }
        _ => Box::new(|_| TemporalColumn::MISSING),
    };
    let zone = match array.data_type() {
        // A zone that nobody knows is that of UTC, which Arrow counts in anyway.
        DataType::Timestamp(_, Some(zone)) => zone.parse::<Tz>().ok(),
        _ => None,
    };
    let value = |number: Option<i64>| {
        let Some(micros) = number.map(&micros) else {
            return TemporalColumn::MISSING;
        };
        match kind {
            Temporal::Date => micros.div_euclid(DAY),
            Temporal::Time => micros.rem_euclid(DAY),
            Temporal::Timestamp => micros,
            Temporal::TimestampTz => TemporalColumn::zoned(micros, ahead(zone, micros)),
        }
    };
    Ok(numbers.iter().map(value).collect())
}

/// How far the clocks of a zone are ahead of UTC at a moment, in microseconds.
fn ahead(zone: Option<Tz>, micros: i64) -> i64 {
    let utc = zone.zip(DateTime::from_timestamp_micros(micros));
    let seconds = utc.map(|(zone, utc)| utc.with_timezone(&zone).offset().fix().local_minus_utc());
    i64::from(seconds.unwrap_or(0)) * SECOND
}

/// The numbers that stand for the moments of an array.
fn integers(array: &ArrayRef) -> Result<ArrayRef> {
    let narrow = match array.data_type() {
        DataType::Date32 | DataType::Time32(_) => {
            cast(array, &DataType::Int32).map_err(internal)?
        }
        _ => return cast(array, &DataType::Int64).map_err(internal),
    };
    debug_assert!(narrow.as_primitive_opt::<Int32Type>().is_some());
    cast(&narrow, &DataType::Int64).map_err(internal)
}

/// Numbers of a unit as microseconds. Arrow counts timestamps with a zone in UTC, and so do we.
fn in_micros(unit: TimeUnit) -> Box<dyn Fn(i64) -> i64> {
    match unit {
        TimeUnit::Second => Box::new(|n| n.saturating_mul(SECOND)),
        TimeUnit::Millisecond => Box::new(|n| n.saturating_mul(1000)),
        TimeUnit::Microsecond => Box::new(|n| n),
        TimeUnit::Nanosecond => Box::new(|n| n.div_euclid(1000)),
    }
}
