//! Models as a page: one HTML file without any request, to be mailed, printed and opened in ten years.
//!
//! Everything that the page says is in its HTML and its static SVG, so that it can be read without script. The
//! script of `web/` only adds search, sorting, sliders and what-if.
//!
//! ```
//! use fnb::columns::{Column, ColumnData, Frame, NumericColumn, Target};
//! use fnb_report::{NamedModel, Options, page};
//! let x = NumericColumn::new((0..200).map(f64::from).collect());
//! let frame = Frame::new(200, vec![Column { name: "x".into(), data: ColumnData::Numeric(x) }])?;
//! let classes = (0..200).map(|row| Some(if row < 60 { "low" } else { "high" }));
//! let target = Column { name: "y".into(), data: ColumnData::Categorical(classes.collect()) };
//! let target = Target::from_column(&target)?;
//! let model = fnb::train(frame, &target, &fnb::Settings::default(), &())?.model;
//! let named = NamedModel { name: "first try", model: &model, measured: None, changed: &[] };
//! let html = page(&[named], &Options::default())?;
//! assert!(html.starts_with("<!doctype html>") && html.contains("first try"));
//! # Ok::<(), fnb::Error>(())
//! ```

#![forbid(unsafe_code)]
// A page is put together from pieces: an allocation per piece is nothing.
#![allow(clippy::format_collect)]

mod changed;
mod comparison;
mod known_values;
mod labels;
mod notes;
mod page;
mod payload;
mod sections;
mod slugs;
mod svg;
mod text;
mod thresholds;
mod view;
mod words;

pub use changed::{Changed, changed};

use fnb::Result;
use fnb::evaluate::Evaluation;
use fnb::model::Model;

/// A model with what the page needs besides it.
#[derive(Debug, Clone, Copy)]
pub struct NamedModel<'a> {
    /// What it is called, such as the name of its file.
    pub name: &'a str,
    /// The model.
    pub model: &'a Model,
    /// How good it is on data that were given for the report. They take the place of the test rows of its training.
    pub measured: Option<&'a Evaluation>,
    /// The variables that lie otherwise in these data than in the training rows.
    pub changed: &'a [Changed],
}

/// What a page can be told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// What is written above it; without one, the name of the model.
    pub title: Option<String>,
    /// The class that the page speaks of; without one, the second of two, and all of several.
    pub main_class: Option<String>,
}

/// The page of a model, or the comparison of several, as the text of an HTML file. Equal models give equal pages.
///
/// It fails without any model, if no model has the main class, and if models that are compared predict different
/// targets.
pub fn page(models: &[NamedModel], options: &Options) -> Result<String> {
    page::page(models, options)
}
