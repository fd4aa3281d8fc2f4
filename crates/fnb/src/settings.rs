//! Every setting of training, stage by stage, and the presets.

use crate::prepare::{PrepareSettings, Schedule};
use crate::relational::{Arithmetic, ConstructSettings, RuleSet};
use crate::weights::{Interactions, LearnSettings, Method, Price};
use crate::{Advice, Code, Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A consistent set of settings; any single one can be changed on top.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// The best we know: every granularity is tried, coordinate steps, λ = 0.2
    /// (docs/default-method.md).
    #[default]
    Default,
    /// Reproduces Khiops 11: its granularity schedule, its search, its arithmetic, λ = 0.1.
    Khiops,
    /// The algorithm as published: seeded random order, λ = 0.25.
    Paper,
}

/// What training does, beyond the data. Start from a preset:
///
/// ```
/// use fnb::{Method, Preset, Settings};
/// let mut settings = Settings::preset(Preset::Default);
/// settings.learn.lambda = 0.5;
/// assert_eq!(settings.learn.method, Method::Coordinate);
/// assert!(settings.check().is_ok());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Settings {
    /// The preset these settings started from: a name, which decides nothing by itself.
    pub preset: Preset,
    /// How columns are discretised and grouped.
    #[serde(flatten)]
    pub prepare: PrepareSettings,
    /// Which variables are constructed.
    #[serde(flatten)]
    pub construct: ConstructSettings,
    /// How weights are learnt.
    #[serde(flatten)]
    pub learn: LearnSettings,
}

impl Settings {
    /// The settings of a preset.
    pub fn preset(preset: Preset) -> Self {
        let base = Self {
            preset,
            ..Self::default()
        };
        match preset {
            Preset::Default => base,
            Preset::Khiops => Self {
                prepare: PrepareSettings {
                    schedule: Schedule::Reference,
                    ..base.prepare
                },
                construct: ConstructSettings {
                    rules: RuleSet::khiops(),
                    text_features: 0,
                    arithmetic: Arithmetic::Reference,
                    rare_calendar: false,
                    sampled: true,
                    ..base.construct
                },
                learn: LearnSettings {
                    method: Method::FnbKhiops,
                    lambda: 0.1,
                    price: Price::Full,
                    interactions: Interactions::None,
                    ..base.learn
                },
                ..base
            },
            Preset::Paper => Self {
                learn: LearnSettings {
                    method: Method::Fnb,
                    lambda: 0.25,
                    price: Price::Full,
                    interactions: Interactions::None,
                    ..base.learn
                },
                ..base
            },
        }
    }

    /// Does the preparation for these settings serve others as well?
    pub(crate) fn prepares_like(&self, other: &Self) -> bool {
        self.prepare == other.prepare
            && self.construct == other.construct
            && self.learn.most_tables().is_some() == other.learn.most_tables().is_some()
    }

    /// Verifies the ranges; training calls it first.
    pub fn check(&self) -> Result<()> {
        if self.preset != Preset::Default && !self.learn.interactions.is_none() {
            let message = "interactions are part of preset default alone";
            let help = "leave the preset out, or the interactions";
            return Err(Error::new(Code::Usage, message).help(help));
        }
        if self.preset != Preset::Khiops && self.prepare.families() > 0 {
            let message = "pairs and trees are made as in Khiops and need its preset";
            return Err(Error::new(Code::Usage, message).help(Advice::Interactions));
        }
        self.prepare.check()?;
        self.learn.check()
    }
}
