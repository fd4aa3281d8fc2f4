//! Surfaces: log factors that change slowly over the ranks of the parts of one or two ordered axes
//! (docs/method.md §12.5).

/// Degrees of a surface in each of two variables, and of a curve in one.
const DEGREE_OF_PAIRS: usize = 3;
const DEGREE_OF_SINGLES: usize = 6;

/// Orthogonal polynomials of the rank of a part, by degree.
pub(crate) type Polynomials = [f64; DEGREE_OF_SINGLES + 1];

/// Those of parts with the given numbers of rows, in their order. The first one has no rank if it is that
/// of missing values: all functions are 0 there.
pub(crate) fn polynomials(rows: &[f64], missing: bool) -> Vec<Polynomials> {
    let (unranked, rows) = rows.split_at(usize::from(missing));
    let total: f64 = rows.iter().sum();
    let mut before = 0.0;
    let of_part = |&rows: &f64| {
        let rank = (before + 0.5 * rows) / total.max(1e-300);
        before += rows;
        of_rank(rank)
    };
    let none = [0.0; DEGREE_OF_SINGLES + 1];
    let unranked = unranked.iter().map(|_| none);
    unranked.chain(rows.iter().map(of_part)).collect()
}

/// `√(2p + 1) · P_p(2ρ − 1)`, with Legendre's polynomials.
pub(crate) fn of_rank(rank: f64) -> Polynomials {
    let x = 2.0 * rank - 1.0;
    let mut values = [1.0; DEGREE_OF_SINGLES + 1];
    values[1] = x;
    for p in 2..=DEGREE_OF_SINGLES {
        let n = p as f64;
        values[p] = ((2.0 * n - 1.0) * x * values[p - 1] - (n - 1.0) * values[p - 2]) / n;
    }
    for (p, value) in values.iter_mut().enumerate() {
        *value *= (2.0 * p as f64 + 1.0).sqrt();
    }
    values
}

/// The degrees of the functions that a surface over so many axes is made of, in each of two axes.
pub(crate) fn degrees(axes: usize) -> Vec<[usize; 2]> {
    if axes == 1 {
        return (1..=DEGREE_OF_SINGLES).map(|p| [p, 0]).collect();
    }
    let degrees = 1..=DEGREE_OF_PAIRS;
    let with = |p| (1..=DEGREE_OF_PAIRS).map(move |q| [p, q]);
    degrees.flat_map(with).collect()
}

/// The surface of some coefficients, by function, then outcome; its values by cell, then outcome.
pub(crate) fn surface(
    axes: [&[Polynomials]; 2],
    degrees: &[[usize; 2]],
    coefficients: &[f64],
    outcomes: usize,
) -> Vec<f64> {
    let mut surface = vec![0.0; axes[0].len() * axes[1].len() * outcomes];
    let cells = axes[0]
        .iter()
        .flat_map(|first| axes[1].iter().map(move |second| (first, second)));
    for (values, (first, second)) in surface.chunks_exact_mut(outcomes).zip(cells) {
        for ([p, q], line) in degrees.iter().zip(coefficients.chunks_exact(outcomes)) {
            let function = first[*p] * second[*q];
            for (value, coefficient) in values.iter_mut().zip(line) {
                *value += function * coefficient;
            }
        }
    }
    surface
}

/// The only part of an axis that is not there.
pub(crate) const NO_AXIS: [Polynomials; 1] = [[1.0; DEGREE_OF_SINGLES + 1]];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_values_have_no_rank() {
        let all = polynomials(&[5.0, 1.0, 3.0], true);
        assert_eq!(all[0], [0.0; 7]);
        assert_eq!(all[1..], polynomials(&[1.0, 3.0], false));
    }
}
