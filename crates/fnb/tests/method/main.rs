//! The method against published results, independent oracles and its invariants.

#![allow(clippy::unwrap_used, reason = "a test that panics fails, as it should")]

mod cancelled;
#[path = "../../../../tests/data.rs"]
mod data;
mod golden_set;
mod interactions_cross_validated;
mod interactions_degenerate;
mod interactions_invariance;
mod interactions_planted;
mod invariance;
mod metrics;
mod old_models;
mod pairs;
mod planted;
mod predict_golden;
mod predict_scoring;
mod prepare_counts;
mod prepare_golden;
mod prepare_ties;
mod prune;
mod relational_construct;
mod relational_engine;
mod relational_golden;
mod relational_keys;
mod relational_model;
mod relational_oracle;
mod relational_random;
mod relational_random_values;
mod relational_schemas;
mod relational_shared;
mod relational_values;
mod row_order;
mod row_weights;
mod score_blocks;
mod shards;
mod sparse;
mod terms;
mod trees;
mod weights_copies;
mod weights_degenerate;
mod weights_golden;
mod weights_grid;
mod weights_invariants;
mod weights_methods;
mod weights_order;
mod weights_redundant;
mod weights_sparser;
mod weights_synthetic;
mod weights_threads;
