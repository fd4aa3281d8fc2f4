//! Model + columns → probabilities, and why.
//!
//! A [`Scorer`] is a model made ready: one table of numbers per term. [`Scorer::bind`] finds
//! its columns in a frame, after which rows are scored in blocks. An [`Explainer`] says what each
//! term adds to a prediction.
//!
//! ```
//! use fnb::columns::{Column, ColumnData, Frame, NumericColumn, Target};
//! use fnb::predict::{Explainer, Scorer, Value};
//!
//! let column = |name: &str, data| Column { name: name.into(), data };
//! let ages = NumericColumn::new((0..100).map(f64::from).collect());
//! let frame = Frame::new(100, vec![column("age", ColumnData::Numeric(ages))])?;
//! let churn = (0..100).map(|age| Some(if age < 40 { "no" } else { "yes" })).collect();
//! let target = Target::from_column(&column("churn", ColumnData::Categorical(churn)))?;
//! let model = fnb::train(frame.clone(), &target, &fnb::Settings::default(), &())?.model;
//!
//! let scorer = Scorer::new(&model);
//! let one = scorer.score_row(&[Value::Number(72.0)])?;
//! assert!(one[1] > 0.99);
//! let bound = scorer.bind(&frame)?;
//! assert_eq!(bound.probabilities(72..73), one);
//!
//! let why = Explainer::new(&model).explain(&bound, 72, 1);
//! assert_eq!((why.class.as_str(), why.terms[0].variable.as_str()), ("yes", "age"));
//! assert!(why.terms[0].contribution > 0.0);
//!
//! // Where one customer in a hundred leaves, ages say less.
//! let rare = scorer.with_prior(&scorer.prior_from(&[("yes", 0.01)])?)?;
//! assert!(rare.score_row(&[Value::Number(72.0)])?[1] < one[1]);
//! # Ok::<(), fnb::Error>(())
//! ```

mod batch;
mod bind;
mod contrast;
mod explain;
mod inputs;
mod prior;
mod scorer;
mod unseen;

pub use bind::BoundScorer;
pub use contrast::Contrast;
pub use explain::{ExplainedTerm, Explainer, Explanation, Reason};
pub use inputs::{InputPlan, database_to_score, scoring_frame};
pub use scorer::{Scorer, Value};
pub use unseen::{Unseen, UnseenValues};

/// Rows handled together by a thread.
const BLOCK_ROWS: usize = 4096;
