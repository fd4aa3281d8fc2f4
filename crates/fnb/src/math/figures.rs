//! Shares and measures of quality as people read them: never rounded to a certainty that is not one.

/// A share in percent: one decimal, two below 1 % and above 99 %. Only what is 0 is shown as 0, and only what
/// is 1 as 100 %.
///
/// ```
/// use fnb::math::percent;
/// assert_eq!(percent(0.2346), "23.5 %");
/// assert_eq!(percent(0.00234), "0.23 %");
/// assert_eq!(percent(0.99876), "99.88 %");
/// assert_eq!(percent(0.99999), "> 99.99 %");
/// assert_eq!(percent(1e-9), "< 0.01 %");
/// assert_eq!([percent(0.0), percent(1.0)], ["0.0 %", "100.0 %"]);
/// ```
pub fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    let size = percent.abs();
    let decimals = if (1.0..=99.0).contains(&size) || size == 0.0 || size >= 100.0 {
        1
    } else {
        2
    };
    format!("{} %", uncertain(percent, 100.0, decimals))
}

/// A measure of quality such as an AUC, with three decimals; 0 and 1 only where it is 0 or 1.
///
/// ```
/// use fnb::math::figure;
/// assert_eq!(figure(0.91849), "0.918");
/// assert_eq!(figure(0.99999), "> 0.999");
/// assert_eq!(figure(0.00001), "< 0.001");
/// assert_eq!([figure(0.0), figure(1.0), figure(-0.25), figure(1.5)], ["0.000", "1.000", "-0.250", "1.500"]);
/// ```
pub fn figure(figure: f64) -> String {
    uncertain(figure, 1.0, 3)
}

/// The same with four decimals: levels, weights and importances of many variables are small.
///
/// ```
/// assert_eq!(fnb::math::small_figure(0.00042), "0.0004");
/// ```
pub fn small_figure(figure: f64) -> String {
    uncertain(figure, 1.0, 4)
}

/// A number with some decimals. One that would look like 0 or like `certain` without being it is told by the
/// bound that it is beyond.
fn uncertain(number: f64, certain: f64, decimals: usize) -> String {
    let text = format!("{number:.decimals$}");
    let step = 0.1_f64.powi(decimals as i32);
    let looks_like = |other: f64| text.trim_start_matches('-') == format!("{other:.decimals$}");
    let size = number.abs();
    if size > 0.0 && looks_like(0.0) {
        let (sign, minus) = if number > 0.0 { ('<', "") } else { ('>', "-") };
        format!("{sign} {minus}{step:.decimals$}")
    } else if size < certain && looks_like(certain) {
        let (sign, minus) = if number > 0.0 { ('>', "") } else { ('<', "-") };
        format!("{sign} {minus}{:.decimals$}", certain - step)
    } else if size == 0.0 {
        // No negative zero.
        format!("{size:.decimals$}")
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_looks_certain_that_is_not() {
        for (share, text) in [
            (0.99995, "> 99.99 %"),
            (0.999949, "99.99 %"),
            (1.0 - f64::EPSILON, "> 99.99 %"),
            (f64::MIN_POSITIVE, "< 0.01 %"),
            (-1e-9, "> -0.01 %"),
            (0.01, "1.0 %"),
            (0.0099, "0.99 %"),
            (0.99, "99.0 %"),
            (0.9901, "99.01 %"),
            (-0.0, "0.0 %"),
            (-0.12, "-12.0 %"),
            (1.25, "125.0 %"),
        ] {
            assert_eq!(percent(share), text, "{share}");
        }
        for (value, text) in [
            (0.9995, "> 0.999"),
            (0.99949, "0.999"),
            (-0.9999, "< -0.999"),
            (1.0001, "1.000"),
            (f64::NAN, "NaN"),
        ] {
            assert_eq!(figure(value), text, "{value}");
        }
        assert_eq!(small_figure(0.99999), "> 0.9999");
    }
}
