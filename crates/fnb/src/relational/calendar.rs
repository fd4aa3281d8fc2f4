//! Dates and times as numbers (docs/method.md §10.6).

use super::Arithmetic;
use super::rule::Rule;
use crate::columns::{Temporal, TemporalColumn};

const MICROSECONDS_PER_DAY: i64 = 86_400_000_000;

/// A date in the Gregorian calendar, extended to all years.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CivilDate {
    year: i64,
    /// From 1.
    month: i64,
    /// From 1.
    day_of_month: i64,
    /// From 1.
    day_of_year: i64,
}

/// Days since 1970-01-01 to a date. Years start in March here, so that the leap day is the last one
/// and the lengths of the months follow a straight line.
fn civil(days: i64) -> CivilDate {
    let days = days + 719_468; // since 0000-03-01
    let era = days.div_euclid(146_097); // of 400 years
    let day = days.rem_euclid(146_097);
    let year_of_era = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day_from_march = day - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_from_march + 2) / 153;
    let day_of_month = day_from_march - (153 * month_from_march + 2) / 5 + 1;
    let march_year = year_of_era + 400 * era;
    let (year, day_of_year) = if month_from_march < 10 {
        let year = march_year;
        (year, day_from_march + 60 + i64::from(is_leap(year)))
    } else {
        (march_year + 1, day_from_march - 305)
    };
    CivilDate {
        year,
        month: (month_from_march + 2) % 12 + 1,
        day_of_month,
        day_of_year,
    }
}

/// A date, a time or a timestamp as people write it.
pub(crate) fn shown(kind: Temporal, value: i64) -> String {
    let date = |days: i64| {
        let date = civil(days);
        format!(
            "{:04}-{:02}-{:02}",
            date.year, date.month, date.day_of_month
        )
    };
    let time = |microseconds: i64| {
        let seconds = microseconds / 1_000_000;
        let (minutes, seconds) = (seconds / 60, seconds % 60);
        format!("{:02}:{:02}:{seconds:02}", minutes / 60, minutes % 60)
    };
    let moment = |value: i64| {
        let day = value.div_euclid(MICROSECONDS_PER_DAY);
        let rest = value.rem_euclid(MICROSECONDS_PER_DAY);
        format!("{} {}", date(day), time(rest))
    };
    match kind {
        Temporal::Date => date(value),
        Temporal::Time => time(value),
        Temporal::Timestamp => moment(value),
        Temporal::TimestampTz => moment(TemporalColumn::moment(value)) + "Z",
    }
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Monday is 1.
fn week_day(days: i64) -> i64 {
    (days + 3).rem_euclid(7) + 1
}

/// Microseconds since midnight as hours.
fn hours(microseconds: i64) -> f64 {
    let seconds = (microseconds % 3_600_000_000) as f64 / 1e6;
    (microseconds / 3_600_000_000) as f64 + seconds / 3600.0
}

/// A date and a fraction of its day as years.
fn decimal_year(days: i64, fraction: f64) -> f64 {
    let date = civil(days);
    let length = if is_leap(date.year) { 366.0 } else { 365.0 };
    date.year as f64 + ((date.day_of_year - 1) as f64 + fraction) / length
}

/// The number that a calendar rule makes of a date, a time of day or a timestamp; NaN if missing.
fn number(rule: Rule, value: i64) -> f64 {
    if value == TemporalColumn::MISSING {
        return f64::NAN;
    }
    let date = value.div_euclid(MICROSECONDS_PER_DAY);
    let day_fraction = || hours(value.rem_euclid(MICROSECONDS_PER_DAY)) / 24.0;
    match rule {
        Rule::Day => civil(value).day_of_month as f64,
        Rule::WeekDay => week_day(value) as f64,
        Rule::YearDay => civil(value).day_of_year as f64,
        Rule::DecimalYear => decimal_year(value, 0.0),
        Rule::DecimalTime => hours(value),
        Rule::DecimalWeekDay => week_day(date) as f64 + day_fraction(),
        Rule::DecimalYearTS => decimal_year(date, day_fraction()),
        _ => unreachable!("{} gives no number of a time", rule.as_str()),
    }
}

/// The numbers that a calendar rule makes of a column, to 10 digits as every computed number is kept.
pub(super) fn numbers(rule: Rule, values: &[i64], arithmetic: Arithmetic) -> Vec<f64> {
    let number = |value| arithmetic.round(number(rule, value));
    let is_of_dates = matches!(
        rule,
        Rule::Day | Rule::WeekDay | Rule::YearDay | Rule::DecimalYear
    );
    let present = values.iter().copied();
    let present = present.filter(|&value| is_of_dates && value != TemporalColumn::MISSING);
    match present.clone().min().zip(present.max()) {
        // The same dates come again and again: each is computed once and then looked up.
        Some((first, last)) if last.abs_diff(first) < values.len() as u64 => {
            let numbers: Vec<f64> = (first..=last).map(number).collect();
            let number = |&value: &i64| numbers.get(value.wrapping_sub(first) as usize);
            let found = values.iter().map(|value| number(value).copied());
            found.map(|number| number.unwrap_or(f64::NAN)).collect()
        }
        _ => values.iter().map(|&value| number(value)).collect(),
    }
}

/// The date or the time of day of a timestamp, or what the clocks of its zone show.
pub(super) fn part(rule: Rule, value: i64) -> i64 {
    if value == TemporalColumn::MISSING {
        return value;
    }
    match rule {
        Rule::GetDate => value.div_euclid(MICROSECONDS_PER_DAY),
        Rule::LocalTimestamp => TemporalColumn::local(value),
        Rule::GetTime => value.rem_euclid(MICROSECONDS_PER_DAY),
        _ => unreachable!("{} takes no timestamp apart", rule.as_str()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::decimal::round_to_10_digits;

    #[test]
    fn days_follow_one_another() {
        // Counting by hand, one day after the other, over leap years of every kind.
        let (mut year, mut month, mut day) = (1600, 1, 1);
        let mut of_year = 1;
        for days in -135_140..200_000 {
            let expected = CivilDate {
                year,
                month: month as i64,
                day_of_month: day,
                day_of_year: of_year,
            };
            assert_eq!(civil(days), expected);
            let february = if is_leap(year) { 29 } else { 28 };
            let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
            (day, of_year) = (day + 1, of_year + 1);
            if day > lengths[month - 1] {
                (day, month) = (1, month + 1);
            }
            if month > 12 {
                (month, of_year, year) = (1, 1, year + 1);
            }
        }
    }

    #[test]
    fn moments_as_people_write_them() {
        assert_eq!(shown(Temporal::Date, 19_782), "2024-02-29");
        assert_eq!(shown(Temporal::Date, -1), "1969-12-31");
        assert_eq!(shown(Temporal::Time, 3_725_000_000), "01:02:05");
        assert_eq!(
            shown(Temporal::Timestamp, -1_000_000),
            "1969-12-31 23:59:59"
        );
        let paris = TemporalColumn::zoned(0, 3_600_000_000);
        assert_eq!(shown(Temporal::TimestampTz, paris), "1970-01-01 00:00:00Z");
    }

    #[test]
    fn dates_that_are_looked_up() {
        let dates = [19_782, 19_783, TemporalColumn::MISSING, 19_780, 19_782, -5];
        for rule in [Rule::Day, Rule::WeekDay, Rule::YearDay, Rule::DecimalYear] {
            // Dates far apart are computed one by one, five close ones through a table.
            for dates in [&dates[..], &dates[..5]] {
                let one_by_one: Vec<f64> = dates.iter().map(|&d| number(rule, d)).collect();
                let found = numbers(rule, dates, Arithmetic::Exact);
                for (found, expected) in found.iter().zip(one_by_one) {
                    let same = *found == round_to_10_digits(expected);
                    assert!(same || found.is_nan() && expected.is_nan(), "{found}");
                }
            }
        }
        assert!(numbers(Rule::Day, &[TemporalColumn::MISSING], Arithmetic::Exact)[0].is_nan());
        assert!(numbers(Rule::Day, &[], Arithmetic::Exact).is_empty());
    }

    #[test]
    fn known_dates() {
        // 2024-02-29 is a Thursday, day 60 of a leap year.
        let leap = 19_782;
        assert_eq!(number(Rule::Day, leap), 29.0);
        assert_eq!(number(Rule::WeekDay, leap), 4.0);
        assert_eq!(number(Rule::YearDay, leap), 60.0);
        assert_eq!(number(Rule::DecimalYear, leap), 2024.0 + 59.0 / 366.0);
        let noon = leap * MICROSECONDS_PER_DAY + MICROSECONDS_PER_DAY / 2;
        assert_eq!(number(Rule::DecimalWeekDay, noon), 4.5);
        assert_eq!(number(Rule::DecimalYearTS, noon), 2024.0 + 59.5 / 366.0);
        assert_eq!(part(Rule::GetDate, noon), leap);
        assert_eq!(number(Rule::DecimalTime, part(Rule::GetTime, noon)), 12.0);
        // The last microsecond of 1969.
        assert_eq!(part(Rule::GetDate, -1), -1);
        assert_eq!(part(Rule::GetTime, -1), MICROSECONDS_PER_DAY - 1);
        assert!(number(Rule::Day, TemporalColumn::MISSING).is_nan());
    }
}
