//! Arrow dates, times and timestamps to moments.

use super::column::internal;
use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int32Type, Int64Type, TimeUnit};
use fnb::Result;
use fnb::columns::{Temporal, TemporalColumn};

const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400 * SECOND;

/// What arrays of that type hold, if it is moments.
pub(super) fn temporal_kind(data_type: &DataType) -> Option<Temporal> {
    match data_type {
        DataType::Date32 | DataType::Date64 => Some(Temporal::Date),
        DataType::Time32(_) | DataType::Time64(_) => Some(Temporal::Time),
        DataType::Timestamp(..) => Some(Temporal::Timestamp),
        _ => None,
    }
}

/// The values of an array of moments as moments of a kind: days, or microseconds.
pub(super) fn moments(array: &ArrayRef, kind: Temporal) -> Result<Vec<i64>> {
    let numbers = integers(array)?;
    let numbers = numbers.as_primitive::<Int64Type>();
    // Microseconds since midnight or 1970, whatever the type.
    let micros: Box<dyn Fn(i64) -> i64> = match array.data_type() {
        DataType::Date32 => Box::new(|days| days * DAY),
        DataType::Date64 => Box::new(|milliseconds| milliseconds.saturating_mul(1000)),
        DataType::Time32(unit) | DataType::Time64(unit) => in_micros(*unit, 0),
        DataType::Timestamp(unit, zone) => in_micros(*unit, offset(zone.as_deref())),
        _ => Box::new(|_| TemporalColumn::MISSING),
    };
    let value = |number: Option<i64>| {
        let Some(micros) = number.map(&micros) else {
            return TemporalColumn::MISSING;
        };
        match kind {
            Temporal::Date => micros.div_euclid(DAY),
            Temporal::Time => micros.rem_euclid(DAY),
            Temporal::Timestamp => micros,
        }
    };
    Ok(numbers.iter().map(value).collect())
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

/// Numbers of a unit as microseconds by the clock on the wall, `offset` microseconds ahead.
fn in_micros(unit: TimeUnit, offset: i64) -> Box<dyn Fn(i64) -> i64> {
    match unit {
        TimeUnit::Second => Box::new(move |n| n.saturating_mul(SECOND).saturating_add(offset)),
        TimeUnit::Millisecond => Box::new(move |n| n.saturating_mul(1000).saturating_add(offset)),
        TimeUnit::Microsecond => Box::new(move |n| n.saturating_add(offset)),
        TimeUnit::Nanosecond => Box::new(move |n| n.div_euclid(1000).saturating_add(offset)),
    }
}

/// How far a zone such as `+01:00` is ahead, in microseconds; a zone known by name only is taken for
/// UTC, in which Arrow counts.
fn offset(zone: Option<&str>) -> i64 {
    let minutes = |zone: &str| {
        let (sign, rest) = match zone.as_bytes().first()? {
            b'+' => (1, &zone[1..]),
            b'-' => (-1, &zone[1..]),
            _ => return None,
        };
        let (hours, minutes) = match rest.split_once(':') {
            Some(parts) => parts,
            None => rest.split_at_checked(2)?,
        };
        let minutes = if minutes.is_empty() { "0" } else { minutes };
        Some(sign * (60 * hours.parse::<i64>().ok()? + minutes.parse::<i64>().ok()?))
    };
    60 * SECOND * zone.and_then(minutes).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones() {
        assert_eq!(offset(None), 0);
        assert_eq!(offset(Some("UTC")), 0);
        assert_eq!(offset(Some("Europe/Paris")), 0);
        assert_eq!(offset(Some("+01:30")), 90 * 60 * SECOND);
        assert_eq!(offset(Some("-0500")), -5 * 3600 * SECOND);
        assert_eq!(offset(Some("+02")), 2 * 3600 * SECOND);
    }
}
