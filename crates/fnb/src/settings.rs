//! Every setting of training and its default, in one place.

use crate::{Code, Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A consistent set of settings; any single one can be changed on top.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// The best we know: every granularity is tried, gradient-ordered search, λ = 0.25.
    #[default]
    Default,
    /// Reproduces Khiops 11: its granularity schedule, its search order, λ = 0.1.
    Khiops,
    /// The algorithm as published: seeded random order, λ = 0.25.
    Paper,
}

/// Which granularities of a variable are optimised (docs/method.md §2.3 and §3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// Those that Khiops tries: the number of elementary parts grows by half each time.
    Reference,
    /// All of them, never worse.
    Exhaustive,
}

/// How the weights are learnt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Fractional naive Bayes, add/drop search in random order (docs/method.md §7.5).
    Fnb,
    /// The same search, most promising variable first (docs/method.md §7.7).
    FnbOrdered,
}

/// What training does, beyond the data. Start from a preset:
///
/// ```
/// use fnb::{Method, Preset, Settings};
/// let settings = Settings { lambda: 0.5, ..Settings::preset(Preset::Default) };
/// assert_eq!(settings.method, Method::FnbOrdered);
/// assert!(settings.check().is_ok());
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Settings {
    /// The preset these settings started from; it also decides the flavour of [`Method::Fnb`].
    pub preset: Preset,
    /// Which granularities are tried in the preparation.
    pub schedule: Schedule,
    /// How the weights are learnt.
    pub method: Method,
    /// Weight of the prior in the criterion.
    pub lambda: f64,
    /// Exponent of the weights in the prior; below 1 it favours few variables.
    pub p: f64,
    /// Seed of the random orders; only [`Method::Fnb`] of the preset `paper` draws any.
    pub seed: u64,
}

impl Settings {
    /// The settings of a preset.
    pub fn preset(preset: Preset) -> Self {
        let base = Self {
            preset,
            schedule: Schedule::Exhaustive,
            method: Method::FnbOrdered,
            lambda: 0.25,
            p: 0.95,
            seed: 0,
        };
        match preset {
            Preset::Default => base,
            Preset::Khiops => Self {
                schedule: Schedule::Reference,
                method: Method::Fnb,
                lambda: 0.1,
                ..base
            },
            Preset::Paper => Self {
                method: Method::Fnb,
                ..base
            },
        }
    }

    /// Verifies the ranges; training calls it first.
    pub fn check(&self) -> Result<()> {
        if !(self.lambda >= 0.0 && self.lambda.is_finite()) {
            let message = format!("lambda is {}, it must be a number from 0 up", self.lambda);
            return Err(Error::new(Code::Usage, message).help("0.25 is the default"));
        }
        if !(self.p > 0.0 && self.p <= 1.0) {
            let message = format!("p is {}, it must be above 0 and at most 1", self.p);
            return Err(Error::new(Code::Usage, message).help("0.95 is the default"));
        }
        Ok(())
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self::preset(Preset::Default)
    }
}
