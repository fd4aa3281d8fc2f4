//! Small, readable, exactly reproducible classifiers from raw tables.
//!
//! This crate is the method: columns in memory go in, a [`Model`](model::Model) comes out, and the
//! model predicts, explains and evaluates. It reads no file; the crate `fnb-table` turns files and
//! Arrow into columns, the program `fnb` puts both behind a command line.
//!
//! A model is a short list of variables. Each is cut into a few intervals or groups by a criterion
//! that needs no tuning, and has a weight from 0 to 1. Formulas are in `docs/method.md`, by the
//! section numbers that the code cites.
//!
//! Data pass through the modules in this order:
//!
//! - [`columns`]: typed input. Numbers with NaN as missing, categories, the target.
//! - [`relational`]: several tables, dates and texts into constructed variables.
//! - [`prepare`]: each column into intervals or groups, with counts, costs and a level.
//! - [`weights`]: prepared variables to a weight each.
//! - [`terms`]: what a model is made of: variables with their parts, counts and scores.
//! - [`model`]: what is kept; [`mod@file`]: as JSON.
//! - [`predict`]: probabilities, and why.
//! - [`evaluate`]: figures of quality, splits.
//!
//! [`train`] goes all the way, [`cross_validate`] and [`compare`] do so fold by fold. [`Settings`]
//! holds what can be chosen; the defaults are meant to be kept. The same input gives the same model,
//! bit for bit, for any number of threads.
//!
//! # Example
//!
//! Two hundred customers: those who are young or on the basic plan leave.
//!
//! ```
//! use fnb::columns::{Column, ColumnData, Frame, NumericColumn, Target};
//! use fnb::model::Model;
//! use fnb::predict::{Explainer, Scorer};
//!
//! // The table: a number and a category, some ages being missing.
//! let age = |row: usize| if row % 20 == 7 { f64::NAN } else { (20 + row % 50) as f64 };
//! let plan = |row: usize| if row % 3 == 0 { "basic" } else { "plus" };
//! let left = |row: usize| if row % 50 < 15 || row % 3 == 0 { "yes" } else { "no" };
//! let column = |name: &str, data| Column { name: name.into(), data };
//! let frame = Frame::new(
//!     200,
//!     vec![
//!         column("age", ColumnData::Numeric(NumericColumn::new((0..200).map(age).collect()))),
//!         column("plan", ColumnData::Categorical((0..200).map(|row| Some(plan(row))).collect())),
//!     ],
//! )?;
//! let classes = ColumnData::Categorical((0..200).map(|row| Some(left(row))).collect());
//! let target = Target::from_column(&column("left", classes))?;
//!
//! // Train: the model knows how good it is on the rows it has seen.
//! let model = fnb::train(frame.clone(), &target, &fnb::Settings::default(), &())?.model;
//! let train = model.evaluation().train.as_ref().expect("training evaluates");
//! assert!(train.accuracy > 0.9);
//! assert_eq!(model.terms().len(), 2);
//!
//! // Keep it as text and take it back: the same model.
//! let model = Model::from_json(model.to_json().as_bytes())?;
//!
//! // Predict: one probability per row and class, classes in the order of `model.classes()`.
//! let scorer = Scorer::new(&model);
//! let probabilities = scorer.probabilities(&frame)?;
//! assert_eq!(model.classes(), ["no", "yes"]);
//! assert!(probabilities[2 * 3 + 1] > 0.5); // row 3 is 23 years old, on the basic plan
//!
//! // Explain: what each variable adds to the log odds of "yes" in row 3.
//! let why = Explainer::new(&model).explain(&scorer.bind(&frame)?, 3, 1);
//! assert!(why.terms.iter().all(|term| term.contribution > 0.0));
//! # Ok::<(), fnb::Error>(())
//! ```

#![forbid(unsafe_code)]

mod advice;
pub mod columns;
#[cfg(test)]
#[path = "../../../tests/data.rs"]
mod data;
mod error;
pub mod evaluate;
pub mod file;
mod interactions;
mod kind;
pub mod math;
pub mod model;
pub mod predict;
pub mod prepare;
mod progress;
pub mod relational;
mod settings;
pub mod terms;
mod train;
pub mod weights;

pub use advice::Advice;
pub use error::{Code, Error, Result};
pub use prepare::Schedule;
pub use progress::{Progress, Stage};
pub use settings::{Preset, Settings};
pub use train::shards;
pub use train::{
    CrossValidated, Figures, Fit, FoldFigures, Labelled, Prepared, Training, compare,
    cross_validate, distribution, train,
};
pub use weights::{Method, Start};
