//! A variable in plain words.

use super::expression::{Bound, Condition, Expression, Part};
use super::name::number;
use super::rule::Rule;

/// So many categories are named, the others are counted.
const MOST_CATEGORIES: usize = 5;

impl Expression {
    /// The variable in plain words.
    ///
    /// ```
    /// use fnb::relational::Expression;
    /// let json = r#"{"rule": "TableMean", "args": [{"select": "Orders", "where": [
    ///     {"operand": "Channel", "equals": "web"}]}, "Discount"]}"#;
    /// let expression: Expression = serde_json::from_str(json)?;
    /// assert_eq!(expression.describe(), "mean of Discount over the Orders whose Channel is web");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn describe(&self) -> String {
        match self {
            Self::Field(name) => name.clone(),
            Self::Select { select, conditions } => {
                let conditions: Vec<String> = conditions.iter().map(condition).collect();
                format!("{select} whose {}", conditions.join(" and whose "))
            }
            Self::Apply { rule, args } => apply(*rule, args),
        }
    }

    /// The words of an operand inside of a longer phrase.
    fn describe_inside(&self) -> String {
        match self {
            Self::Apply { rule, .. } if !matches!(rule, Rule::GetValue | Rule::GetValueC) => {
                format!("({})", self.describe())
            }
            _ => self.describe(),
        }
    }
}

fn apply(rule: Rule, args: &[Expression]) -> String {
    let (Some(first), Some(last)) = (args.first(), args.last()) else {
        return rule.as_str().to_owned();
    };
    let (records, value) = (first.describe(), last.describe_inside());
    match rule {
        Rule::TableCount => format!("number of {records}"),
        Rule::TableCountDistinct => {
            format!("number of distinct values of {value} over the {records}")
        }
        Rule::TableMode => format!("most frequent {value} over the {records}"),
        Rule::TableMean => format!("mean of {value} over the {records}"),
        Rule::TableStdDev => format!("standard deviation of {value} over the {records}"),
        Rule::TableMedian => format!("median of {value} over the {records}"),
        Rule::TableMin => format!("least {value} over the {records}"),
        Rule::TableMax => format!("greatest {value} over the {records}"),
        Rule::TableSum => format!("sum of {value} over the {records}"),
        Rule::GetValue | Rule::GetValueC => format!("{value} of the {records}"),
        Rule::Day => format!("day of the month of {value}"),
        Rule::WeekDay => format!("day of the week of {value} (Monday is 1)"),
        Rule::YearDay => format!("day of the year of {value}"),
        Rule::DecimalYear | Rule::DecimalYearTS => {
            format!("{value} in years, the day as a fraction")
        }
        Rule::DecimalTime => format!("{value} in hours"),
        Rule::GetDate => format!("date of {value}"),
        Rule::GetTime => format!("time of day of {value}"),
        Rule::LocalTimestamp => format!("local time of {value}"),
        Rule::DecimalWeekDay => {
            format!("day of the week of {value} (Monday is 1), the time as a fraction")
        }
    }
}

fn condition(condition: &Condition) -> String {
    let part = match &condition.part {
        Part::Interval {
            lower_excl,
            upper_incl,
            part,
        } => interval(*lower_excl, *upper_incl, *part),
        Part::Equals { equals } => format!("is {}", category(equals)),
        Part::NotIn { not_in } => {
            let named: Vec<&str> = not_in
                .iter()
                .take(MOST_CATEGORIES)
                .map(|value| category(value))
                .collect();
            match (&named[..], not_in.len().saturating_sub(MOST_CATEGORIES)) {
                ([only], _) => format!("is not {only}"),
                (_, 0) => format!("is none of {}", named.join(", ")),
                (_, others) => format!("is none of {} and {others} others", named.join(", ")),
            }
        }
    };
    format!("{} {part}", condition.operand.describe_inside())
}

fn category(value: &str) -> &str {
    match value.trim() {
        "" => "empty",
        value => value,
    }
}

fn interval(lower: Bound, upper: Bound, part: u32) -> String {
    match (lower, upper) {
        (_, Bound::Missing) => "is missing".to_owned(),
        (Bound::Number(lower), Bound::Number(upper)) => {
            format!("is above {} and at most {}", number(lower), number(upper))
        }
        (Bound::Number(lower), Bound::Infinity(_)) => format!("is above {}", number(lower)),
        (_, Bound::Number(upper)) if part == 0 => {
            format!("is at most {} or missing", number(upper))
        }
        (_, Bound::Number(upper)) => format!("is at most {}", number(upper)),
        (_, Bound::Infinity(_)) => "is not missing".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_of_nested_rules() {
        for (json, text) in [
            (
                r#"{"rule": "GetValue", "args": ["Address",
                    {"rule": "GetValue", "args": ["City", "Population"]}]}"#,
                "Population of the City of the Address",
            ),
            (
                r#"{"rule": "TableMax", "args": ["Orders", {"rule": "TableCount", "args": [
                    {"select": "Items", "where": [
                        {"operand": "Price", "lower_excl": null, "upper_incl": 5, "part": 0},
                        {"operand": {"rule": "WeekDay", "args": ["Day"]}, "lower_excl": 2, "upper_incl": 5}]}]}]}"#,
                "greatest (number of Items whose Price is at most 5 or missing and whose (day of the \
                 week of Day (Monday is 1)) is above 2 and at most 5) over the Orders",
            ),
            (
                r#"{"rule": "TableCount", "args": [{"select": "Items", "where": [
                    {"operand": "Kind", "not_in": ["a", "", "c", "d", "e", "f", "g"]}]}]}"#,
                "number of Items whose Kind is none of a, empty, c, d, e and 2 others",
            ),
        ] {
            let expression: Expression = serde_json::from_str(json).expect("an expression");
            assert_eq!(expression.describe(), text);
        }
    }
}
