//! Parts of a variable in the words of the page.

use crate::text::{count, counted, escape, exact_number, name, number, shown};
use fnb::terms::{MissingNumbers, Parts};

/// Values of a group that are named at once.
const NAMED: usize = 4;
/// Values of a group that are in the page.
const LISTED: usize = 200;
/// Characters of a value.
const VALUE: usize = 40;

/// A part in plain text, short enough for a sentence or a choice: `22 – 24`, `0.111 to 0.147`, `a, b and 3 more`.
pub(crate) fn plain(parts: &Parts, part: usize, whole: bool) -> String {
    of_range(parts, [part, part], whole, NAMED)
}

/// The same of neighbours that are put together.
pub(crate) fn range(parts: &Parts, range: [usize; 2], whole: bool) -> String {
    of_range(parts, range, whole, NAMED)
}

/// The same with all values of groups that are not too large.
pub(crate) fn whole_range(parts: &Parts, range: [usize; 2]) -> String {
    of_range(parts, range, false, LISTED)
}

fn of_range(parts: &Parts, [first, last]: [usize; 2], whole: bool, most: usize) -> String {
    match parts {
        Parts::Intervals { .. } => match (bounds(parts, first), bounds(parts, last)) {
            (Some((low, _)), Some((_, high))) => interval(low, high, whole),
            (None, Some((_, high))) => format!("missing, {}", interval(None, high, whole)),
            _ => "missing".into(),
        },
        Parts::Groups { groups, default } => {
            let values: Vec<&Option<String>> = groups[first..=last].iter().flatten().collect();
            let named = values.iter().take(most);
            let named = named.map(|value| value.as_deref().map_or("missing", shown));
            let mut named: Vec<String> = named.map(clip).collect();
            let more = values.len().saturating_sub(most);
            if more > 0 {
                named.push(format!("{} more", count(more)));
            }
            if (first..=last).contains(default) {
                let other = if values.is_empty() {
                    "any value"
                } else {
                    "any other"
                };
                named.push(other.into());
            }
            named.join(", ")
        }
    }
}

/// The same as HTML: exact bounds on demand, every value of a group that is not too large.
pub(crate) fn html(parts: &Parts, part: usize, whole: bool) -> String {
    match parts {
        Parts::Intervals { .. } => {
            let text = escape(&plain(parts, part, whole)).into_owned();
            match exact(parts, part) {
                Some(exact) => format!("<span title=\"{exact}\">{text}</span>"),
                None if text == "missing" => "<em>missing</em>".into(),
                None => text,
            }
        }
        Parts::Groups { groups, default } => {
            let value = |value: &Option<String>| match value {
                None => "<em>missing</em>".to_owned(),
                Some(text) => name(text, VALUE),
            };
            let values = &groups[part];
            let mut html: Vec<String> = values.iter().take(NAMED).map(value).collect();
            let is_default = part == *default;
            if is_default && values.len() > NAMED + 1 {
                html.push("<em>any other</em>".into());
            }
            if values.len() == NAMED + 1 {
                html.push(value(&values[NAMED]));
            } else if values.len() > NAMED {
                let rest: Vec<String> = values[NAMED..].iter().take(LISTED).map(value).collect();
                let beyond = values.len() - NAMED - rest.len();
                let beyond = match beyond {
                    0 => String::new(),
                    n => format!(" and {}", counted(n, "other", "others")),
                };
                html.push(format!(
                    "<details><summary>+ {}</summary>{}{beyond}</details>",
                    values.len() - NAMED,
                    rest.join(", ")
                ));
            }
            if is_default && values.is_empty() {
                html.push("<em>any value</em>".into());
            } else if is_default && values.len() <= NAMED + 1 {
                html.push("<em>any other</em>".into());
            }
            html.join(", ")
        }
    }
}

/// The bounds of an interval: those below and above all numbers are none.
pub(crate) fn bounds(parts: &Parts, part: usize) -> Option<(Option<f64>, Option<f64>)> {
    let Parts::Intervals { missing, cuts } = parts else {
        return None;
    };
    let own = usize::from(*missing == MissingNumbers::Own);
    let interval = part.checked_sub(own)?;
    let low = interval.checked_sub(1).map(|i| cuts[i]);
    Some((low, cuts.get(interval).copied()))
}

fn interval(low: Option<f64>, high: Option<f64>, whole: bool) -> String {
    if whole {
        let first = low.map(|low| low.floor() + 1.0);
        let last = high.map(f64::floor);
        return match (first, last) {
            (None, None) => "any number".into(),
            (None, Some(last)) => format!("up to {}", number(last)),
            (Some(first), None) => format!("{} and over", number(first)),
            (Some(first), Some(last)) if first >= last => number(last),
            (Some(first), Some(last)) if first < 0.0 => {
                format!("{} to {}", number(first), number(last))
            }
            (Some(first), Some(last)) => format!("{} – {}", number(first), number(last)),
        };
    }
    match (low, high) {
        (None, None) => "any number".into(),
        (None, Some(high)) => format!("up to {}", number(high)),
        (Some(low), None) => format!("over {}", number(low)),
        (Some(low), Some(high)) => format!("{} to {}", number(low), number(high)),
    }
}

fn exact(parts: &Parts, part: usize) -> Option<String> {
    match bounds(parts, part)? {
        (None, None) => None,
        (None, Some(high)) => Some(format!("at most {}", exact_number(high))),
        (Some(low), None) => Some(format!("above {}", exact_number(low))),
        (Some(low), Some(high)) => Some(format!(
            "above {} and at most {}",
            exact_number(low),
            exact_number(high)
        )),
    }
}

fn clip(text: &str) -> String {
    if text.chars().count() <= VALUE {
        return text.to_owned();
    }
    let head: String = text.chars().take(VALUE - 1).collect();
    format!("{head}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_of_whole_numbers_say_which() {
        let parts = Parts::Intervals {
            missing: MissingNumbers::Own,
            cuts: vec![21.5, 24.0, 25.5],
        };
        let labels = |whole| -> Vec<String> { (0..5).map(|i| plain(&parts, i, whole)).collect() };
        assert_eq!(
            labels(true),
            ["missing", "up to 21", "22 – 24", "25", "26 and over"]
        );
        assert_eq!(
            labels(false),
            [
                "missing",
                "up to 21.5",
                "21.5 to 24",
                "24 to 25.5",
                "over 25.5"
            ]
        );
        assert_eq!(
            html(&parts, 2, true),
            "<span title=\"above 21.5 and at most 24\">22 – 24</span>"
        );
    }

    #[test]
    fn groups_name_their_values() {
        let values = |names: &[&str]| names.iter().map(|n| Some((*n).to_owned())).collect();
        let parts = Parts::Groups {
            groups: vec![values(&["a", "", "<b>", "d", "e", "f"]), vec![None]],
            default: 1,
        };
        assert_eq!(plain(&parts, 0, false), "a, (empty), <b>, d, 2 more");
        assert_eq!(
            html(&parts, 0, false),
            "a, (empty), &lt;b&gt;, d, <details><summary>+ 2</summary>e, f</details>"
        );
        assert_eq!(
            html(&parts, 1, false),
            "<em>missing</em>, <em>any other</em>"
        );
    }
}
