//! What the preparation of variables depends on, beyond the data.

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
}
