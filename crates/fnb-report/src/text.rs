//! Texts and numbers in HTML.

use fnb::math;
use std::borrow::Cow;

/// A text of others, escaped: in an element or in a quoted attribute it is nothing but text.
///
/// Characters that would act are written out first, as the program does on a terminal: no mark that turns the
/// direction of a line gets out of a name.
pub(crate) fn escape(text: &str) -> Cow<'_, str> {
    let text = math::printable(text);
    if !text.contains(['&', '<', '>', '"', '\'']) {
        return text;
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    Cow::Owned(escaped)
}

/// A name, cut in the middle when it is too long for its place; the whole one is in the title.
pub(crate) fn name(text: &str, most: usize) -> String {
    let short = clipped(text, most);
    if shown(text).chars().count() <= most {
        return short;
    }
    format!("<span title=\"{}\">{short}</span>", escape(text))
}

/// The same for drawings, where names are texts and nothing else.
pub(crate) fn clipped(text: &str, most: usize) -> String {
    let text = shown(text);
    let length = text.chars().count();
    if length <= most {
        return escape(text).into_owned();
    }
    let head: String = text.chars().take(most / 2).collect();
    let tail: String = text.chars().skip(length - (most - most / 2 - 1)).collect();
    format!("{}…{}", escape(&head), escape(&tail))
}

/// A name that can be seen.
pub(crate) fn shown(text: &str) -> &str {
    if text.trim().is_empty() {
        "(empty)"
    } else {
        text
    }
}

/// A value in a chip.
pub(crate) fn chip(value: &str) -> String {
    format!("<span class=chip>{}</span>", name(value, 40))
}

/// A whole number with separators.
pub(crate) fn count(number: impl TryInto<u64>) -> String {
    math::thousands(number.try_into().unwrap_or(u64::MAX))
}

/// "1 row", "2 rows".
pub(crate) fn counted(number: usize, one: &str, many: &str) -> String {
    if number == 1 {
        format!("1 {one}")
    } else {
        format!("{} {many}", count(number))
    }
}

/// A share in percent, as everywhere in the program, with the signs of print. `0 %` and `100 %` are exact.
pub(crate) fn percent(share: f64) -> String {
    if share == 0.0 || share == 1.0 {
        return format!("{:.0}\u{202f}%", 100.0 * share);
    }
    in_print(&math::percent(share))
}

/// A whole percentage, for heat cells and sentences; 0 and 100 only where exact.
pub(crate) fn whole_percent(share: f64) -> String {
    let percent = (100.0 * share).round();
    if share > 0.0 && percent < 1.0 {
        "&lt;1".into()
    } else if share < 1.0 && percent >= 100.0 {
        "&gt;99".into()
    } else {
        format!("{percent:.0}")
    }
}

/// A measure of quality with three decimals.
pub(crate) fn figure(number: f64) -> String {
    in_print(&math::figure(number))
}

/// A weight: two decimals.
pub(crate) fn weight(number: f64) -> String {
    if number > 0.0 && number < 0.005 {
        "&lt;0.01".into()
    } else if (0.995..1.0).contains(&number) {
        "&gt;0.99".into()
    } else {
        format!("{number:.2}")
    }
}

/// What is added to a sum of log odds: a sign and two decimals.
pub(crate) fn signed(number: f64) -> String {
    let text = format!("{:.2}", number.abs());
    match text.as_str() {
        "0.00" => "0".into(),
        text if number < 0.0 => format!("−{text}"),
        text => format!("+{text}"),
    }
}

/// A factor on the odds: two or three digits.
pub(crate) fn factor(number: f64) -> String {
    if number >= 10_000.0 {
        "×&gt;9,999".into()
    } else if number < 0.0001 {
        "×&lt;0.0001".into()
    } else {
        let decimals = match number {
            n if n >= 100.0 => 0,
            n if n >= 2.0 => 1,
            n if n >= 0.1 => 2,
            n if n >= 0.01 => 3,
            _ => 4,
        };
        let text = format!("{number:.decimals$}");
        format!("×{}", grouped(&text))
    }
}

/// A number of the data, at most six digits.
pub(crate) fn number(number: f64) -> String {
    if number == 0.0 {
        return "0".into();
    }
    if !number.is_finite() {
        return if number > 0.0 {
            "∞".into()
        } else {
            "−∞".into()
        };
    }
    let size = number.abs();
    let text = if (1e-4..1e15).contains(&size) {
        let digits = 6 - 1 - size.log10().floor() as i32;
        let text = format!("{number:.*}", digits.clamp(0, 12) as usize);
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text
        }
    } else {
        format!("{number:.3e}")
    };
    grouped(&text).replace('-', "−")
}

/// A number as it is, every digit of it, in the signs of print.
pub(crate) fn exact_number(number: f64) -> String {
    number.to_string().replace('-', "−")
}

/// A coordinate of a drawing: one decimal, without trailing zeros or a negative zero.
pub(crate) fn coordinate(x: f64) -> String {
    let tenths = (x * 10.0).round() as i64;
    match tenths % 10 {
        0 => (tenths / 10).to_string(),
        _ => format!("{:.1}", tenths as f64 / 10.0),
    }
}

/// Commas between thousands.
fn grouped(text: &str) -> String {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text),
    };
    let (whole, fraction) = match rest.find(['.', 'e']) {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    match whole.parse::<u64>() {
        Ok(whole) if whole >= 10_000 => format!("{sign}{}{fraction}", math::thousands(whole)),
        _ => text.to_owned(),
    }
}

/// The signs of print: a true minus, a narrow space before the percent sign, none after < and >.
fn in_print(text: &str) -> String {
    text.replace("< ", "&lt;")
        .replace("> ", "&gt;")
        .replace('-', "−")
        .replace(" %", "\u{202f}%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_texts_are_texts() {
        assert_eq!(
            escape("</script><img onerror='x' alt=\"y\">&"),
            "&lt;/script&gt;&lt;img onerror=&#39;x&#39; alt=&quot;y&quot;&gt;&amp;"
        );
        assert_eq!(escape("\u{202e}a"), "\\u{202e}a");
        assert_eq!(chip(""), "<span class=chip>(empty)</span>");
    }

    #[test]
    fn numbers_are_what_people_write() {
        assert_eq!(signed(-2.446), "−2.45");
        assert_eq!(signed(-0.001), "0");
        assert_eq!(number(1234567.0), "1,234,567");
        assert_eq!(number(0.1 + 0.2), "0.3");
        assert_eq!(number(-1.5e-9), "−1.500e−9");
        assert_eq!(percent(0.2346), "23.5\u{202f}%");
        assert_eq!(percent(0.00001), "&lt;0.01\u{202f}%");
        assert_eq!(whole_percent(0.004), "&lt;1");
        assert_eq!(factor(0.0871), "×0.087");
        assert_eq!(coordinate(-0.01), "0");
        assert_eq!(coordinate(-0.26), "-0.3");
    }

    #[test]
    fn a_long_name_keeps_both_ends() {
        let long = "abcdefghijklmnopqrstuvwxyz";
        assert_eq!(
            name(long, 11),
            format!("<span title=\"{long}\">abcde…vwxyz</span>")
        );
        assert_eq!(clipped(long, 11), "abcde…vwxyz");
    }
}
