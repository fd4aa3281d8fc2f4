//! The method.
pub mod columns;
mod error;
pub mod evaluate;
pub mod math;
pub mod model;
pub mod predict;
pub mod prepare;
mod progress;
mod settings;

pub use error::{Code, Error, Result};
pub use progress::{Progress, Stage};
pub use settings::{Method, Preset, Schedule, Settings};
