//! The native module `fnb._fnb`: tables of Python to columns, the method on them, arrays back.
//!
//! It only converts. What users see, parameters and messages included, is in `python/fnb`.

mod batches;
mod column;
mod construct;
mod error;
mod frame;
mod learn;
mod model;
mod objects;
mod pool;
mod report;
mod run;
mod score;
mod shards;
mod sparse;
mod tables;
mod target;
mod told;

#[pyo3::pymodule]
mod _fnb {
    #[pymodule_export]
    use crate::construct::{construct, values};
    #[pymodule_export]
    use crate::error::Interrupted;
    #[pymodule_export]
    use crate::frame::Frame;
    #[pymodule_export]
    use crate::learn::{compare, describe, prepare, train};
    #[pymodule_export]
    use crate::model::Model;
    #[pymodule_export]
    use crate::report::report;
    #[pymodule_export]
    use crate::shards::{
        ShardCounts, ShardEncoder, ShardEncoding, ShardPlan, ShardSession, ShardSurvey,
    };
    #[pymodule_export]
    use crate::target::{Target, factorize};

    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "the name that Python expects")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
