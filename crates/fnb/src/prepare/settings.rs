//! What the preparation of variables depends on, beyond the data.

use crate::{Code, Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which granularities of a variable are optimised (docs/method.md §2.3 and §3.1).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// Those that Khiops tries: the number of elementary parts grows by half each time.
    Reference,
    /// All of them, save that of columns with thousands of values those next to the finest are left
    /// out as Khiops does; never worse.
    #[default]
    Exhaustive,
}

/// How columns are discretised and grouped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PrepareSettings {
    /// Which granularities are tried.
    pub schedule: Schedule,
    /// Number of pairs of variables to try, at most; preset khiops.
    #[serde(skip_serializing_if = "is_zero")]
    pub pairs: usize,
    /// Number of trees to grow, at most; preset khiops.
    #[serde(skip_serializing_if = "is_zero")]
    pub trees: usize,
}

/// Pairs that may be asked for, as in Khiops.
const MOST_PAIRS: usize = 100_000;

/// Trees that may be asked for, as in Khiops.
const MOST_TREES: usize = 1_000;

impl PrepareSettings {
    /// Verifies the ranges.
    pub(crate) fn check(&self) -> Result<()> {
        for (what, asked, most) in [
            ("pairs", self.pairs, MOST_PAIRS),
            ("trees", self.trees, MOST_TREES),
        ] {
            if asked > most {
                let message = format!("the number of {what} is {asked}, above {most}");
                return Err(Error::new(Code::Usage, message).help("ask for fewer"));
            }
        }
        Ok(())
    }

    /// Number of families of variables, besides columns, that are tried.
    pub(crate) fn families(&self) -> usize {
        usize::from(self.pairs > 0) + usize::from(self.trees > 0)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}
