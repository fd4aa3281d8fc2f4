//! What is to be told of data: gathered away from the interpreter, then warned of in Python.

use crate::error::worded;
use fnb::predict::Unseen;
use fnb_table::Warning;
use pyo3::prelude::*;

/// Messages about data.
#[derive(Default)]
pub(crate) struct Told(Vec<String>);

impl Told {
    /// What reading found.
    pub(crate) fn add(&mut self, warnings: &[Warning]) {
        let worded = warnings.iter().map(|warning| warning.worded(worded));
        self.0.extend(worded);
    }

    /// Variables none of whose categories the model knows.
    pub(crate) fn add_unseen(&mut self, unseen: &Unseen) {
        let surprising = unseen.surprising();
        self.0
            .extend(surprising.map(|found| format!("column {found}")));
    }

    /// Warns of them where the user called.
    pub(crate) fn warn(self, py: Python<'_>) -> PyResult<()> {
        if !self.0.is_empty() {
            let tell = py.import("fnb._warnings")?.getattr("tell")?;
            tell.call1((self.0,))?;
        }
        Ok(())
    }
}
