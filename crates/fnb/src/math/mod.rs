//! Pure functions of the method, each with its formula and the precision it promises.

pub(crate) mod cut_points;
pub mod decimal;
pub mod exp;
mod figures;
pub mod integer_code;
pub mod ln;
pub mod ln_factorial;
mod nearest_name;
pub mod order_free_sum;
pub mod order_key;
pub mod partition_count;
mod printable;
pub(crate) mod quantum;
pub(crate) mod reference_random;
mod thousands;

pub use figures::{figure, percent, small_figure};
pub use nearest_name::nearest_name;
pub use printable::{printable, printable_json, printable_lines};
pub use thousands::thousands;

/// Absolute tolerance of every comparison of costs in the partition searches (docs/method.md §0).
pub const TOLERANCE: f64 = 1e-6;
