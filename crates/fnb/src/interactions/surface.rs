//! Smooth tables: the log factors of a cell are a surface of low degree over the ranks of its parts
//! (docs/method.md §12.5).

use super::count::Crossed;
use super::criterion::free_share;
use crate::terms::surface::{NO_AXIS, Polynomials, degrees, surface};
use std::sync::Arc;

/// Coefficients of a surface per outcome, at most.
const MOST: usize = 9;
/// Imaginary rows that agree with a flat surface.
const AGREEMENTS: [f64; 4] = [1.0, 4.0, 16.0, 64.0];

/// A square matrix of the coefficients of an outcome.
type Square = [[f64; MOST]; MOST];
type Line = [f64; MOST];

/// The polynomials of the parts of an input, and their products two by two: those of degrees (1, 1), (1, 2),
/// (2, 2), (1, 3) and so on.
#[derive(Debug)]
pub(super) struct Functions {
    polynomials: Vec<Polynomials>,
    products: Vec<[f64; PRODUCTS]>,
}

/// Degrees of a curve, and its products of two polynomials.
const DEGREES: usize = 6;
const PRODUCTS: usize = DEGREES * (DEGREES + 1) / 2;
/// The same of each side of a surface over two axes.
const PAIR_DEGREES: usize = 3;
const PAIR_PRODUCTS: usize = PAIR_DEGREES * (PAIR_DEGREES + 1) / 2;

impl Functions {
    pub(super) fn new(polynomials: Vec<Polynomials>) -> Self {
        let of_part = |values: &Polynomials| {
            let mut products = [0.0; PRODUCTS];
            for s in 1..=DEGREES {
                for p in 1..=s {
                    products[place(p, s)] = values[p] * values[s];
                }
            }
            products
        };
        Self {
            products: polynomials.iter().map(of_part).collect(),
            polynomials,
        }
    }
}

/// Where the product of two polynomials is.
fn place(p: usize, s: usize) -> usize {
    let (low, high) = (p.min(s), p.max(s));
    high * (high - 1) / 2 + low - 1
}

/// The functions that a surface is made of: products of polynomials of both axes, or those of one.
#[derive(Debug, Clone)]
pub(super) struct Basis {
    first: Arc<Functions>,
    second: Option<Arc<Functions>>,
    /// Degrees of each function in both axes.
    degrees: Vec<[usize; 2]>,
}

impl Basis {
    pub(super) fn of_pair(first: Arc<Functions>, second: Arc<Functions>) -> Self {
        Self {
            first,
            second: Some(second),
            degrees: degrees(2),
        }
    }

    pub(super) fn of_single(axis: Arc<Functions>) -> Self {
        Self {
            first: axis,
            second: None,
            degrees: degrees(1),
        }
    }

    fn axes(&self) -> [&[Polynomials]; 2] {
        let second = self.second.as_ref();
        [
            &self.first.polynomials,
            second.map_or(&NO_AXIS[..], |axis| &axis.polynomials),
        ]
    }

    /// Number of functions.
    pub(super) fn len(&self) -> usize {
        self.degrees.len()
    }

    /// `κ`: what the square of a coefficient costs, beside others.
    fn stiffness(&self, function: usize) -> f64 {
        let [p, q] = self.degrees[function];
        let degree = (p * q.max(1)) as f64;
        degree * degree
    }

    /// `Σ_c φ(c) x(c)` over the cells, `x` of one outcome.
    fn projection(&self, values: &[f64], stride: usize, offset: usize) -> Line {
        let [firsts, seconds] = self.axes();
        let mut sums = [0.0; MOST];
        let mut values = values[offset..].iter().step_by(stride);
        for first in firsts {
            let mut inner = [0.0; PAIR_DEGREES + 1];
            for (second, value) in seconds.iter().zip(&mut values) {
                for (sum, function) in inner.iter_mut().zip(second) {
                    *sum += function * value;
                }
            }
            for (sum, [p, q]) in sums.iter_mut().zip(&self.degrees) {
                *sum += first[*p] * inner[*q];
            }
        }
        sums
    }

    /// `Σ_c φ(c) φ(c)' x(c)`.
    fn products(&self, values: &[f64], stride: usize, offset: usize) -> Square {
        let values = values[offset..].iter().step_by(stride);
        match &self.second {
            Some(second) => self.products_of_pair(second, values),
            None => self.products_of_single(values),
        }
    }

    fn products_of_single<'v>(&self, values: impl Iterator<Item = &'v f64>) -> Square {
        let mut sums = [0.0; PRODUCTS];
        for (products, value) in self.first.products.iter().zip(values) {
            for (sum, product) in sums.iter_mut().zip(products) {
                *sum += product * value;
            }
        }
        self.square(|[p, _], [s, _]| sums[place(p, s)])
    }

    fn products_of_pair<'v>(
        &self,
        second: &Functions,
        mut values: impl Iterator<Item = &'v f64>,
    ) -> Square {
        let mut sums = [[0.0; PAIR_PRODUCTS]; PAIR_PRODUCTS];
        for first in &self.first.products {
            let mut inner = [0.0; PAIR_PRODUCTS];
            for (second, value) in second.products.iter().zip(&mut values) {
                for (sum, product) in inner.iter_mut().zip(second) {
                    *sum += product * value;
                }
            }
            for (sums, product) in sums.iter_mut().zip(first) {
                for (sum, inner) in sums.iter_mut().zip(&inner) {
                    *sum += product * inner;
                }
            }
        }
        self.square(|[p, q], [s, t]| sums[place(p, s)][place(q, t)])
    }

    /// The matrix of an entry for the degrees of every two functions.
    fn square(&self, entry: impl Fn([usize; 2], [usize; 2]) -> f64) -> Square {
        let mut square = [[0.0; MOST]; MOST];
        for (line, &one) in square.iter_mut().zip(&self.degrees) {
            for (value, &other) in line.iter_mut().zip(&self.degrees) {
                *value = entry(one, other);
            }
        }
        square
    }

    /// The surface of some coefficients, by cell, then outcome.
    pub(super) fn surface(&self, coefficients: &[f64], outcomes: usize) -> Vec<f64> {
        surface(self.axes(), &self.degrees, coefficients, outcomes)
    }

    /// What a smooth table brings on new rows before its price, and its agreement.
    pub(super) fn gain(&self, crossed: &Crossed) -> (f64, f64) {
        let j = crossed.outcomes;
        let mut sums = [0.0; AGREEMENTS.len()];
        // Two outcomes mirror each other.
        let (outcomes, times) = if j == 2 { (1..2, 2.0) } else { (0..j, 1.0) };
        for outcome in outcomes {
            let g = self.projection(&crossed.residuals, j, outcome);
            let f = self.products(&crossed.variances, j, outcome);
            let q = self.products(&crossed.squares, j, outcome);
            for (sum, agreement) in sums.iter_mut().zip(AGREEMENTS) {
                *sum += times * self.gain_of_outcome(&g, &f, &q, agreement);
            }
        }
        let mut best = (f64::NEG_INFINITY, AGREEMENTS[0]);
        for (sum, agreement) in sums.into_iter().zip(AGREEMENTS) {
            let gain = free_share(j) * sum;
            if gain > best.0 {
                best = (gain, agreement);
            }
        }
        best
    }

    /// `g'δ − ½ δ'Fδ − tr(Q H⁻¹)` with `H = F + aK`, `δ = H⁻¹g`.
    fn gain_of_outcome(&self, g: &Line, f: &Square, q: &Square, agreement: f64) -> f64 {
        let n = self.len();
        let inverse = inverse(&self.stiffened(f, agreement), n);
        let delta: Vec<f64> = (0..n).map(|a| dot(&inverse[a], g, n)).collect();
        let mut gain = 0.0;
        for a in 0..n {
            let mut half = 0.0;
            for b in 0..n {
                half += f[a][b] * delta[b];
                gain -= q[a][b] * inverse[b][a];
            }
            gain += delta[a] * (g[a] - 0.5 * half);
        }
        gain
    }

    fn stiffened(&self, f: &Square, agreement: f64) -> Square {
        let mut h = *f;
        for (function, line) in h.iter_mut().enumerate().take(self.len()) {
            line[function] += agreement * self.stiffness(function);
        }
        h
    }

    /// The Newton step of the coefficients, by function, then outcome, given what is missed and the
    /// variances in the cells; and how many of them the rows decide on, `tr(F H⁻¹)`.
    pub(super) fn newton_step(
        &self,
        residuals: &[f64],
        variances: &[f64],
        coefficients: &[f64],
        agreement: f64,
        outcomes: usize,
    ) -> (Vec<f64>, f64) {
        let (n, j) = (self.len(), outcomes);
        let mut step = vec![0.0; n * j];
        let mut freedom = 0.0;
        for outcome in 0..j {
            let mut g = self.projection(residuals, j, outcome);
            for (function, g) in g.iter_mut().enumerate().take(n) {
                let pull = agreement * self.stiffness(function);
                *g -= pull * coefficients[function * j + outcome];
            }
            let f = self.products(variances, j, outcome);
            let inverse = inverse(&self.stiffened(&f, agreement), n);
            for (function, line) in inverse.iter().enumerate().take(n) {
                step[function * j + outcome] = free_share(j) * dot(line, &g, n);
                freedom += 1.0 - agreement * self.stiffness(function) * line[function];
            }
        }
        (step, free_share(j) * freedom)
    }

    /// `½ a Σ κ β²`.
    pub(super) fn penalty(&self, coefficients: &[f64], agreement: f64, outcomes: usize) -> f64 {
        let lines = coefficients.chunks_exact(outcomes).enumerate();
        let cost = |(function, line): (usize, &[f64])| {
            let squares: f64 = line.iter().map(|beta| beta * beta).sum();
            self.stiffness(function) * squares
        };
        0.5 * agreement * lines.map(cost).sum::<f64>()
    }
}

fn dot(a: &Line, b: &Line, n: usize) -> f64 {
    a[..n].iter().zip(&b[..n]).map(|(a, b)| a * b).sum()
}

/// The inverse of a positive definite matrix, by its Cholesky factor.
fn inverse(matrix: &Square, n: usize) -> Square {
    let mut lower = [[0.0; MOST]; MOST];
    for i in 0..n {
        for k in 0..=i {
            let products = lower[i][..k].iter().zip(&lower[k][..k]);
            let sum = matrix[i][k] - products.map(|(a, b)| a * b).sum::<f64>();
            lower[i][k] = if i == k {
                sum.max(1e-300).sqrt()
            } else {
                sum / lower[k][k]
            };
        }
    }
    // The inverse of the factor, column by column.
    let mut inverse_lower = [[0.0; MOST]; MOST];
    for k in 0..n {
        inverse_lower[k][k] = 1.0 / lower[k][k];
        for i in k + 1..n {
            let mut sum = 0.0;
            for l in k..i {
                sum -= lower[i][l] * inverse_lower[l][k];
            }
            inverse_lower[i][k] = sum / lower[i][i];
        }
    }
    let mut inverse = [[0.0; MOST]; MOST];
    for (i, line) in inverse.iter_mut().enumerate().take(n) {
        for (k, entry) in line.iter_mut().enumerate().take(n).skip(i) {
            let lines = inverse_lower[k..n].iter();
            *entry = lines.map(|line| line[i] * line[k]).sum();
        }
    }
    mirrored(inverse)
}

/// A symmetric matrix, given what is above its diagonal.
fn mirrored(mut matrix: Square) -> Square {
    for a in 1..MOST {
        let (above, below) = matrix.split_at_mut(a);
        for (b, line) in above.iter().enumerate() {
            below[0][b] = line[a];
        }
    }
    matrix
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::surface::of_rank;

    /// Values computed independently in another language.
    #[test]
    fn worked_example() {
        let of_ranks =
            |ranks: &[f64]| Arc::new(Functions::new(ranks.iter().map(|&r| of_rank(r)).collect()));
        let basis = Basis::of_pair(
            of_ranks(&[0.125, 0.5, 0.875]),
            of_ranks(&[0.1, 0.3, 0.6, 0.9]),
        );
        let g = [
            4.0, 1.0, -2.0, -5.0, 0.0, 1.0, 0.0, -1.0, -4.0, -1.0, 2.0, 5.0,
        ];
        let crossed = Crossed {
            parts: [3, 4],
            outcomes: 2,
            residuals: g.iter().flat_map(|g| [-g, *g]).collect(),
            variances: vec![6.0; 24],
            squares: vec![5.0; 24],
        };
        let first = basis.projection(&crossed.residuals, 2, 1)[0];
        assert!((first - 36.0).abs() < 1e-9, "{first}");
        let product = basis.products(&crossed.variances, 2, 1)[0][0];
        assert!((product - 89.91).abs() < 1e-9, "{product}");
        let expected = [
            3.274_811_539_997,
            4.228_489_923_434,
            5.194_557_293_419,
            5.052_082_188_408,
        ];
        let g = basis.projection(&crossed.residuals, 2, 1);
        let f = basis.products(&crossed.variances, 2, 1);
        let q = basis.products(&crossed.squares, 2, 1);
        for (agreement, expected) in AGREEMENTS.into_iter().zip(expected) {
            let gain = basis.gain_of_outcome(&g, &f, &q, agreement);
            assert!((gain - expected).abs() < 1e-9, "{agreement}: {gain}");
        }
        let (gain, agreement) = basis.gain(&crossed);
        assert!((gain - expected[2]).abs() < 1e-9);
        assert_eq!(agreement, 16.0);
        let alone = Basis {
            degrees: vec![[1, 1]],
            ..basis
        };
        let gain = alone.gain_of_outcome(&g, &f, &q, 4.0);
        assert!((gain - 6.396_293_200_654).abs() < 1e-9, "{gain}");
    }
}
