//! The ground of a chart: place, axes, ticks.

use crate::text::coordinate;

/// Labels so near to the right end of an axis end...
const AT_END: f64 = 8.0;
/// ...so far beyond it.
const BEYOND: f64 = 10.0;

/// A rectangle that numbers are drawn in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ground {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// What its left and right, its bottom and top stand for.
    pub(crate) x: [f64; 2],
    pub(crate) y: [f64; 2],
}

impl Ground {
    pub(crate) fn x(&self, value: f64) -> f64 {
        self.left + self.width * (value - self.x[0]) / (self.x[1] - self.x[0])
    }

    pub(crate) fn y(&self, value: f64) -> f64 {
        self.top + self.height * (1.0 - (value - self.y[0]) / (self.y[1] - self.y[0]))
    }

    /// A line through points.
    pub(crate) fn path(&self, points: &[(f64, f64)]) -> String {
        let mut path = String::new();
        for (i, &(x, y)) in points.iter().enumerate() {
            path.push(if i == 0 { 'M' } else { 'L' });
            path.push_str(&coordinate(self.x(x)));
            path.push(' ');
            path.push_str(&coordinate(self.y(y)));
        }
        path
    }

    /// Lines and labels at numbers of the vertical axis.
    pub(crate) fn vertical(&self, ticks: &[f64], label: impl Fn(f64) -> String) -> String {
        let (x1, x2) = (coordinate(self.left), coordinate(self.left + self.width));
        ticks
            .iter()
            .map(|&tick| {
                let class = if tick == self.y[0] { "axis" } else { "grid" };
                let y = coordinate(self.y(tick));
                format!(
                    "<path class={class} d=\"M{x1} {y}H{x2}\"/><text x={} y={} text-anchor=end>{}</text>",
                    coordinate(self.left - 6.0),
                    coordinate(self.y(tick) + 4.0),
                    label(tick)
                )
            })
            .collect()
    }

    /// Labels at numbers of the horizontal axis; those at its right end do not stick out.
    pub(crate) fn horizontal(
        &self,
        ticks: &[f64],
        y: f64,
        label: impl Fn(f64) -> String,
    ) -> String {
        ticks
            .iter()
            .map(|&tick| {
                let (x, end) = (self.x(tick), self.left + self.width);
                let (x, anchor) = if x > end - AT_END {
                    (x.max(end + BEYOND), "end")
                } else {
                    (x, "middle")
                };
                format!(
                    "<text x={} y={} text-anchor={anchor}>{}</text>",
                    coordinate(x),
                    coordinate(y),
                    label(tick)
                )
            })
            .collect()
    }
}

/// Round numbers within a range, about as many as wanted, ends included where they are round.
pub(crate) fn ticks(low: f64, high: f64, wanted: usize) -> Vec<f64> {
    let span = high - low;
    if !span.is_finite() || span <= 0.0 {
        return vec![low];
    }
    let rough = span / wanted as f64;
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0].map(|factor| factor * power);
    let step = step.into_iter().find(|step| *step >= rough * 0.999);
    let step = step.unwrap_or(10.0 * power);
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|i| i as f64 * step).collect()
}

/// A drawing with a sentence for those who do not see it.
pub(crate) fn drawing(width: f64, height: f64, sentence: &str, body: &str) -> String {
    let (w, h) = (coordinate(width), coordinate(height));
    format!(
        "<svg viewBox=\"0 0 {w} {h}\" width={w} height={h} role=img aria-label=\"{sentence}\">{body}</svg>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(
            ticks(0.0, 0.5, 5),
            [0.0, 0.1, 0.2, 0.30000000000000004, 0.4, 0.5]
        );
        assert_eq!(ticks(17.0, 74.0, 6), [20.0, 30.0, 40.0, 50.0, 60.0, 70.0]);
        assert_eq!(ticks(3.0, 3.0, 5), [3.0]);
    }
}
