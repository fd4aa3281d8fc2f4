//! Dates, times of day and timestamps.

use super::Temporal;

/// Zones differ by quarters of an hour; these bits of a value hold their number.
const ZONE_BITS: u32 = 7;
const NO_QUARTERS: i64 = 1 << (ZONE_BITS - 1);
const QUARTER: i64 = 900_000_000;

const MICROSECONDS_PER_DAY: i64 = 86_400_000_000;

impl Temporal {
    /// A value by the clock of UTC, so that the same moment is the same number in every zone.
    pub fn same_clock(self, value: i64) -> i64 {
        match self {
            Self::TimestampTz => TemporalColumn::moment(value),
            Self::Date | Self::Time | Self::Timestamp => value,
        }
    }
}

/// Dates, times of day or timestamps; missing is [`TemporalColumn::MISSING`].
///
/// ```
/// use fnb::columns::{Temporal, TemporalColumn};
/// let days = TemporalColumn::new(Temporal::Date, vec![0, TemporalColumn::MISSING]);
/// assert_eq!(days.get(0), Some(0)); // 1 January 1970
/// assert_eq!(days.get(1), None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemporalColumn {
    kind: Temporal,
    values: Vec<i64>,
    month_first: Option<bool>,
}

impl TemporalColumn {
    /// Stands for a missing value.
    pub const MISSING: i64 = i64::MIN;

    /// A column of values in the unit of `kind`.
    pub fn new(kind: Temporal, values: Vec<i64>) -> Self {
        Self {
            kind,
            values,
            month_first: None,
        }
    }

    /// A value of [`Temporal::TimestampTz`]: a moment, in microseconds since 1970-01-01 00:00:00 of UTC, and how
    /// far the clocks of its zone are ahead, which is kept to the quarter of an hour.
    ///
    /// ```
    /// use fnb::columns::TemporalColumn;
    /// let hour = 3_600_000_000;
    /// let noon_in_paris = TemporalColumn::zoned(10 * hour, 2 * hour);
    /// assert_eq!(TemporalColumn::moment(noon_in_paris), 10 * hour);
    /// assert_eq!(TemporalColumn::local(noon_in_paris), 12 * hour);
    /// ```
    pub fn zoned(moment: i64, ahead: i64) -> i64 {
        let quarters = (ahead + QUARTER / 2).div_euclid(QUARTER);
        let zone = (quarters + NO_QUARTERS).clamp(0, 2 * NO_QUARTERS - 1);
        match moment.checked_mul(1 << ZONE_BITS) {
            Some(shifted) if moment != Self::MISSING => shifted | zone,
            // Some thousand years from now.
            _ => Self::MISSING,
        }
    }

    /// The moment of a value of [`Temporal::TimestampTz`].
    pub fn moment(zoned: i64) -> i64 {
        match zoned {
            Self::MISSING => zoned,
            zoned => zoned >> ZONE_BITS,
        }
    }

    /// What the clocks of its zone showed, as a timestamp.
    pub fn local(zoned: i64) -> i64 {
        let quarters = (zoned & (2 * NO_QUARTERS - 1)) - NO_QUARTERS;
        match zoned {
            Self::MISSING => zoned,
            zoned => (zoned >> ZONE_BITS) + quarters * QUARTER,
        }
    }

    /// Says that texts were written with the year last, and whether with the month before the day. A model
    /// keeps it, to read other texts alike.
    #[must_use]
    pub fn with_month_first(self, month_first: Option<bool>) -> Self {
        Self {
            month_first,
            ..self
        }
    }

    /// Were texts with the year last read with the month before the day? `None` if there were none.
    pub fn month_first(&self) -> Option<bool> {
        self.month_first
    }

    /// What the values are.
    pub fn kind(&self) -> Temporal {
        self.kind
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// True without any row.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// All values, missing ones as [`Self::MISSING`].
    pub fn values(&self) -> &[i64] {
        &self.values
    }

    /// The values themselves.
    pub fn into_values(self) -> Vec<i64> {
        self.values
    }

    /// The value of a row; `None` is missing.
    pub fn get(&self, row: usize) -> Option<i64> {
        Some(self.values[row]).filter(|&value| value != Self::MISSING)
    }

    /// Numbers that tell which rows are before a time of another column, given its type; both must tell
    /// a day ([`Temporal::has_day`]). A row is before a time if its number is less than that time by the
    /// [same clock](Temporal::same_clock). A row without time is before none, and none is before a
    /// missing time.
    ///
    /// ```
    /// use fnb::columns::{Temporal, TemporalColumn};
    /// let days = TemporalColumn::new(Temporal::Date, vec![0, TemporalColumn::MISSING]);
    /// let last = days.last_moments(Temporal::Timestamp);
    /// let hour = 3_600_000_000;
    /// assert!(last[0] >= 12 * hour); // perhaps later on that day
    /// assert!(last[0] < 25 * hour);
    /// assert!(last[1] >= i64::MAX);
    /// ```
    pub fn last_moments(&self, now: Temporal) -> Vec<i64> {
        let moment = |&value: &i64| {
            if value == Self::MISSING {
                return i64::MAX;
            }
            let time = self.kind.same_clock(value);
            match (self.kind, now) {
                (Temporal::Date, Temporal::Date) => time,
                // A date says nothing of the hour: it may be as late as the end of that day.
                (Temporal::Date, _) => (time + 1).saturating_mul(MICROSECONDS_PER_DAY) - 1,
                (_, Temporal::Date) => time.div_euclid(MICROSECONDS_PER_DAY),
                _ => time,
            }
        };
        self.values.iter().map(moment).collect()
    }

    /// The values of the given rows.
    #[must_use]
    pub fn take(&self, rows: &[usize]) -> Self {
        let values = rows.iter().map(|&row| self.values[row]).collect();
        Self::new(self.kind, values).with_month_first(self.month_first)
    }
}
