//! Curves: what selected numbers say, smooth over their ranks, all equally stiff (docs/method.md §12.6).

use super::candidates::Candidates;
use super::estimate::{Shape, Table, sweep};
use super::posteriors::{Posteriors, Profile};
use crate::columns::Outcomes;
use std::borrow::Cow;

/// The share of what its parts say that is kept of a variable with a curve, which learns the rest.
pub(crate) const KEPT: f64 = 0.75;
/// Sweeps over the curves, and the share of the log loss below which they stop.
const SWEEPS: usize = 8;
const LEAST_FALL: f64 = 1e-3;
/// How stiff curves are at first.
const FIRST_AGREEMENT: f64 = 10.0;

/// The model of some profiles with the curves that they get.
pub(super) struct Fitted<'a> {
    /// The input of every profile that has a curve.
    pub(super) curved: Vec<Option<usize>>,
    /// Their curves, in that order.
    pub(super) curves: Vec<Table<'a>>,
    pub(super) posteriors: Posteriors<'a>,
    /// The log loss of the training rows.
    pub(super) loss: f64,
}

/// Gives curves to all profiles that may have one if that lowers what is expected of the log loss of new
/// rows: that of the training rows, each judged by the others, and a unit for every coefficient that the
/// rows decide on, or without curves for every cut, whose place was chosen to suit these rows.
pub(super) fn fit<'a>(
    profiles: &[Profile],
    candidates: &Candidates<'a>,
    outcomes: &'a Outcomes,
) -> Fitted<'a> {
    let of_profile = |profile: &Profile| profile.input.filter(|&i| candidates.curve(i).is_some());
    let curved: Vec<Option<usize>> = profiles.iter().map(of_profile).collect();
    let plain = |curved: Vec<Option<usize>>| {
        let posteriors = Posteriors::new(profiles, outcomes);
        Fitted {
            curved,
            curves: Vec::new(),
            loss: posteriors.log_loss(),
            posteriors,
        }
    };
    if curved.iter().all(Option::is_none) {
        return plain(curved);
    }
    let loss_without = plain(Vec::new()).loss;
    let with_curve = profiles.iter().zip(&curved).filter(|(_, c)| c.is_some());
    let cuts: usize = with_curve
        .map(|(profile, _)| profile.scores.len() / outcomes.len() - 1)
        .sum();
    let mut kept: Vec<Profile> = profiles.to_vec();
    for (profile, _) in kept.iter_mut().zip(&curved).filter(|(_, c)| c.is_some()) {
        for score in profile.scores.iter_mut().chain(&mut profile.left_out) {
            *score *= KEPT;
        }
    }
    let mut posteriors = Posteriors::new(&kept, outcomes);
    let before = posteriors.log_loss();
    let (curves, change) = sweeps(&curved, candidates, &mut posteriors, before);
    let loss = before + change;
    if loss >= loss_without || loss + freedom(&curves) >= loss_without + cuts as f64 {
        return plain(vec![None; profiles.len()]);
    }
    Fitted {
        curved,
        curves,
        posteriors,
        loss,
    }
}

/// Curves of some inputs, and the change of the log loss. What the variables tell together is shared
/// among them sweep by sweep; how stiff the curves are follows from how much of them the rows decide on.
fn sweeps<'a>(
    curved: &[Option<usize>],
    candidates: &Candidates<'a>,
    posteriors: &mut Posteriors,
    loss: f64,
) -> (Vec<Table<'a>>, f64) {
    let outcomes = posteriors.outcomes();
    let flat = |&input: &usize| {
        let basis = candidates.curve(input).expect("it has a curve");
        let shape = Shape::Smooth {
            coefficients: vec![0.0; basis.len() * outcomes],
            basis,
            agreement: FIRST_AGREEMENT,
            freedom: 0.0,
        };
        let input = candidates.inputs[input];
        let codes = Cow::Borrowed(input.codes);
        Table::new(codes, input.parts.len(), posteriors, shape)
    };
    let mut curves: Vec<Table> = curved.iter().flatten().map(flat).collect();
    let mut change = 0.0;
    for _ in 0..SWEEPS {
        let by = sweep(&mut curves, posteriors);
        change += by;
        let agreement = likely_agreement(&curves, outcomes);
        for curve in &mut curves {
            if let Shape::Smooth { agreement: own, .. } = &mut curve.shape {
                *own = agreement;
            }
        }
        if -by < LEAST_FALL * (loss + change) {
            break;
        }
    }
    (curves, change)
}

/// How many coefficients the rows decide on.
fn freedom(curves: &[Table]) -> f64 {
    let of_curve = |curve: &Table| match curve.shape {
        Shape::Smooth { freedom, .. } => freedom,
        Shape::Free { .. } => 0.0,
    };
    curves.iter().map(of_curve).sum()
}

/// The agreement under which coefficients like these are most likely: as many as the rows decide on, over
/// the sum of their squares (`MacKay`'s rule).
fn likely_agreement(curves: &[Table], outcomes: usize) -> f64 {
    let squares = curves.iter().map(|curve| match &curve.shape {
        Shape::Smooth {
            basis,
            coefficients,
            ..
        } => 2.0 * basis.penalty(coefficients, 1.0, outcomes),
        Shape::Free { .. } => 0.0,
    });
    (freedom(curves) / squares.sum::<f64>().max(1e-9)).clamp(0.1, 1e6)
}
