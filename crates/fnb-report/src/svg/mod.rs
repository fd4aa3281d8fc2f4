//! Drawings, as static SVG made for 360 pixels.

mod added;
pub(crate) mod chart;
pub(crate) mod curve;
pub(crate) mod schema;
pub(crate) mod score_charts;
pub(crate) mod shape;
pub(crate) mod spark;
pub(crate) mod steps;
pub(crate) mod tree;
