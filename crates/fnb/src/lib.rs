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
mod train;
pub mod weights;

pub use error::{Code, Error, Result};
pub use progress::{Progress, Stage};
pub use settings::{Method, Preset, Schedule, Settings};
pub use train::{Training, train};
