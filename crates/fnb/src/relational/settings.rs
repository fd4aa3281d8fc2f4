//! What the construction of variables depends on, beyond the data.

use super::{Arithmetic, RuleSet, Tokeniser};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which variables are constructed from several tables, dates and texts, and how they are computed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ConstructSettings {
    /// Number of variables to construct, at most, from several tables or from dates.
    pub features: usize,
    /// The rules to construct them by, their names separated by commas.
    #[schemars(with = "String")]
    pub rules: RuleSet,
    /// Number of variables to make of texts, at most.
    pub text_features: usize,
    /// How texts are cut.
    pub tokeniser: Tokeniser,
    /// How sums over records are taken.
    pub arithmetic: Arithmetic,
    /// Are parts of dates and times half as probable as other choices, and dearer for it? In Khiops they are
    /// as probable.
    pub rare_calendar: bool,
    /// Are the parts of conditions found in a sample of large tables, as Khiops does? Otherwise all
    /// records count.
    pub sampled: bool,
}

impl Default for ConstructSettings {
    fn default() -> Self {
        Self {
            features: 1000,
            rules: RuleSet::default(),
            text_features: 1000,
            tokeniser: Tokeniser::Words,
            arithmetic: Arithmetic::Exact,
            rare_calendar: true,
            sampled: false,
        }
    }
}
