//! The name of a variable: its formula in short (docs/method.md §10.7).

use super::expression::{Bound, Condition, Expression, Part};
use super::rule::Rule;

impl Expression {
    /// The formula in short.
    ///
    /// ```
    /// use fnb::relational::Expression;
    /// let json = r#"{"rule": "TableMean", "args": [{"select": "Orders", "where": [
    ///     {"operand": "Channel", "equals": "web"}]}, "Discount"]}"#;
    /// let expression: Expression = serde_json::from_str(json)?;
    /// assert_eq!(expression.name(), "Mean(Orders.Discount) where Channel = web");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn name(&self) -> String {
        match self {
            Self::Field(name) => name.clone(),
            Self::Select { select, .. } => format!("{select}{}", conditions(self)),
            Self::Apply { rule, args } => apply(*rule, args),
        }
    }

    /// The relation that records come from.
    fn relation(&self) -> &str {
        match self {
            Self::Field(name) | Self::Select { select: name, .. } => name,
            Self::Apply { rule, .. } => rule.as_str(),
        }
    }
}

fn apply(rule: Rule, args: &[Expression]) -> String {
    let short = rule.as_str();
    match args {
        [only] if rule == Rule::TableCount => {
            format!("Count({}){}", only.relation(), conditions(only))
        }
        [only] if rule == Rule::LocalTimestamp => format!("{}.LocalTZ", only.name()),
        [only] => format!("{}.{}", only.name(), short.trim_start_matches("Get")),
        [first, second] => match short.strip_prefix("Table") {
            Some(short) => format!(
                "{short}({}.{}){}",
                first.relation(),
                second.name(),
                conditions(first)
            ),
            None => format!("{}.{}", first.relation(), second.name()),
        },
        _ => short.to_owned(),
    }
}

/// The conditions of selected records.
fn conditions(records: &Expression) -> String {
    let Expression::Select { conditions, .. } = records else {
        return String::new();
    };
    let conditions: Vec<String> = conditions.iter().map(condition).collect();
    format!(" where {}", conditions.join(" and "))
}

fn condition(condition: &Condition) -> String {
    let operand = condition.operand.name();
    let part = match &condition.part {
        Part::Interval {
            lower_excl,
            upper_incl,
            part,
        } => interval(*lower_excl, *upper_incl, *part),
        Part::Equals { equals } if equals.is_empty() => "is empty".to_owned(),
        Part::Equals { equals } => format!("= {}", category(equals)),
        Part::NotIn { not_in } => match &not_in[..] {
            [only] if only.is_empty() => "not empty".to_owned(),
            [only] => format!("<> {}", category(only)),
            several => {
                let categories: Vec<String> = several.iter().map(|v| category(v)).collect();
                format!("not in {{{}}}", categories.join(", "))
            }
        },
    };
    format!("{operand} {part}")
}

/// Names are on one line of a tab separated header.
fn category(value: &str) -> String {
    value.replace('\t', " ").trim().to_owned()
}

fn interval(lower: Bound, upper: Bound, part: u32) -> String {
    match (lower, upper) {
        (_, Bound::Missing) => "is missing".to_owned(),
        (Bound::Number(lower), Bound::Number(upper)) => {
            format!("in ]{}, {}]", number(lower), number(upper))
        }
        (Bound::Number(lower), Bound::Infinity(_)) => format!("> {}", number(lower)),
        (_, Bound::Number(upper)) if part == 0 => format!("<= {}", number(upper)),
        (_, Bound::Number(upper)) => format!("<= {} (and not missing)", number(upper)),
        (_, Bound::Infinity(_)) => "not missing".to_owned(),
    }
}

/// A number with 10 significant digits at most, without an exponent between 0.0001 and 10^10.
pub(super) fn number(value: f64) -> String {
    let scientific = format!("{value:.9e}");
    let (mantissa, exponent) = scientific
        .split_once('e')
        .expect("scientific notation has an exponent");
    let exponent: i32 = exponent.parse().expect("the exponent is an integer");
    let shortest = |digits: &str| {
        if digits.contains('.') {
            let digits = digits.trim_end_matches('0').trim_end_matches('.');
            digits.to_owned()
        } else {
            digits.to_owned()
        }
    };
    if (-4..10).contains(&exponent) {
        let decimals = (9 - exponent) as usize;
        return shortest(&format!("{value:.decimals$}"));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", shortest(mantissa), exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_people_write_them() {
        for (value, text) in [
            (0.0, "0"),
            (2.5, "2.5"),
            (-0.025_500_000_000_000_002, "-0.0255"),
            (2_022.470_290_000_000_2, "2022.47029"),
            (100.0, "100"),
            (1_234_567_890.0, "1234567890"),
            (9_999_999_999.9, "1e+10"),
            (12_345_678_901.0, "1.23456789e+10"),
            (0.000_123_4, "0.0001234"),
            (0.000_012_34, "1.234e-05"),
            (-1e300, "-1e+300"),
        ] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn parts_in_short() {
        let name = |json: &str| {
            let json = format!(r#"{{"select": "T", "where": [{{"operand": "v", {json}}}]}}"#);
            let expression: Expression = serde_json::from_str(&json).expect("an expression");
            expression.name()
        };
        for (json, text) in [
            (r#""equals": " a	b ""#, "= a b"),
            (r#""equals": """#, "is empty"),
            (r#""not_in": [""]"#, "not empty"),
            (r#""not_in": ["a"]"#, "<> a"),
            (r#""not_in": ["a", ""]"#, "not in {a, }"),
            (r#""lower_excl": null, "upper_incl": 1.5"#, "<= 1.5"),
            (
                r#""lower_excl": null, "upper_incl": 1.5, "part": 1"#,
                "<= 1.5 (and not missing)",
            ),
            (r#""lower_excl": 1, "upper_incl": 2"#, "in ]1, 2]"),
            (r#""lower_excl": 1, "upper_incl": "inf""#, "> 1"),
            (r#""lower_excl": null, "upper_incl": null"#, "is missing"),
            (
                r#""lower_excl": null, "upper_incl": "inf", "part": 1"#,
                "not missing",
            ),
        ] {
            let json = json.replace('\t', "\\t");
            assert_eq!(name(&json), format!("T where v {text}"));
        }
    }
}
