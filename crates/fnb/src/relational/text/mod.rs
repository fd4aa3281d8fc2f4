//! Texts → variables: how often a token occurs (docs/method.md §10.8).

mod counts;
mod path;
mod records;
#[cfg(test)]
mod tests;
mod tokenise;

pub use tokenise::Tokeniser;

use super::construct::best_shares;
use super::{Schema, Tables};
use crate::columns::{CategoricalColumn, ColumnData, ColumnType, SparseColumn};
use crate::math::integer_code::unbounded;
use crate::{Advice, Code, Error, Result};
use path::{TextPath, text_paths};
use records::Records;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many variables to make of texts, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TextSettings {
    /// Number of variables asked for; there are fewer when the texts have fewer tokens.
    pub features: usize,
    /// How texts are cut.
    pub tokeniser: Tokeniser,
}

/// A variable: how often a token occurs in a text of the root row, or in all texts of the records
/// that relations lead to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TextFeature {
    /// The relations that lead from the root to the text; none if it is one of the root.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<String>,
    /// The text field.
    pub text: String,
    /// How texts are cut.
    pub tokeniser: Tokeniser,
    /// The token.
    pub token: String,
}

impl TextFeature {
    /// Its name: the text and the token.
    ///
    /// ```
    /// use fnb::relational::{TextFeature, Tokeniser};
    /// let mut feature = TextFeature {
    ///     path: vec!["Orders".into()],
    ///     text: "comment".into(),
    ///     tokeniser: Tokeniser::Words,
    ///     token: "late".into(),
    /// };
    /// assert_eq!(feature.name(), "Orders.comment(late)");
    /// assert_eq!(feature.describe(), r#"number of times "late" occurs in the comment of Orders"#);
    /// feature.tokeniser = Tokeniser::Ngrams;
    /// assert_eq!(feature.name(), "Orders.comment.4gram(late)");
    /// ```
    pub fn name(&self) -> String {
        let mut name = String::new();
        for relation in &self.path {
            name.push_str(relation);
            name.push('.');
        }
        let infix = self.tokeniser.infix(&self.token);
        format!("{name}{}{infix}({})", self.text, self.token)
    }

    /// The variable in plain words.
    pub fn describe(&self) -> String {
        let mut place = format!("the {}", self.text);
        for relation in self.path.iter().rev() {
            place.push_str(" of ");
            place.push_str(relation);
        }
        format!("number of times {:?} occurs in {place}", self.token)
    }
}

/// A variable made of a text, and what it costs.
#[derive(Debug, Clone, PartialEq)]
pub struct ConstructedText {
    /// Its name; [`Database::construct_texts`](super::Database::construct_texts) makes it unique.
    pub name: String,
    /// The variable.
    pub feature: TextFeature,
    /// The cost of its complexity, in nats: minus the logarithm of its prior probability.
    pub cost: f64,
}

/// Does the root reach a text? Then texts are one of the families that share the prior.
///
/// ```
/// use fnb::relational::{Schema, reaches_text};
/// let schema: Schema = serde_json::from_str(
///     r#"{"root": "Mail", "entities": {"Mail": {"key": [], "fields": [
///         {"name": "body", "type": "text"}]}}}"#,
/// )?;
/// assert!(reaches_text(&schema));
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn reaches_text(schema: &Schema) -> bool {
    !text_paths(schema).is_empty()
}

/// Chooses the most frequent tokens of every text that the root reaches, the texts sharing the
/// number of variables by their probability. `selection_cost` is the cost of choosing a native
/// variable, texts counted among the families.
///
/// ```
/// use fnb::columns::{Column, ColumnData, Frame};
/// use fnb::relational::{Schema, Tables, TextSettings, Tokeniser, construct_texts, text_columns};
/// let schema: Schema = serde_json::from_str(
///     r#"{"root": "Mail", "entities": {"Mail": {"key": [], "fields": [
///         {"name": "body", "type": "text"}]}}}"#,
/// )?;
/// let bodies = ["win win now", "see you now"].map(Some).into_iter().collect();
/// let body = Column { name: "body".into(), data: ColumnData::Text(bodies) };
/// let frames = [(String::new(), Frame::new(2, vec![body])?)];
/// let tables = Tables::new(&schema, frames.into(), None)?;
/// let settings = TextSettings { features: 3, tokeniser: Tokeniser::Words };
/// let texts = construct_texts(&schema, &tables, &settings, 0.0)?;
/// let names: Vec<String> = texts.iter().map(|text| text.feature.name()).collect();
/// assert_eq!(names, ["body(now)", "body(win)", "body(see)"]);
/// let features: Vec<_> = texts.into_iter().map(|text| text.feature).collect();
/// let columns = text_columns(&tables, &features)?;
/// assert_eq!(columns[1].entries().collect::<Vec<_>>(), [(0, 2.0)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn construct_texts(
    schema: &Schema,
    tables: &Tables,
    settings: &TextSettings,
    selection_cost: f64,
) -> Result<Vec<ConstructedText>> {
    let paths = text_paths(schema);
    let mut constructed = Vec::new();
    for (path, share) in paths.iter().zip(shares(&paths, settings.features)) {
        let records = Records::reached(tables, &path.relations)?;
        let texts = text_field(tables, &records, &path.field)?;
        let tokens = counts::ranked(texts, &records, settings.tokeniser, share);
        for (rank, token) in (1..).zip(tokens) {
            let feature = TextFeature {
                path: path.relations.clone(),
                text: path.field.clone(),
                tokeniser: settings.tokeniser,
                token,
            };
            constructed.push(ConstructedText {
                name: feature.name(),
                cost: selection_cost + path.cost + unbounded(rank),
                feature,
            });
        }
    }
    Ok(constructed)
}

/// The number of variables of each path.
fn shares(paths: &[TextPath], features: usize) -> Vec<usize> {
    let weights = paths.iter().map(|path| (-path.cost).exp());
    let weights: Vec<f64> = weights.collect();
    let sum: f64 = weights.iter().sum();
    let probabilities: Vec<f64> = weights.iter().map(|weight| weight / sum).collect();
    let shares = best_shares(features as f64, &probabilities);
    shares.into_iter().map(|share| share as usize).collect()
}

/// The values of variables made of texts, one column each, for the root rows.
pub fn text_columns(tables: &Tables, features: &[TextFeature]) -> Result<Vec<SparseColumn>> {
    let mut columns: Vec<Option<SparseColumn>> = vec![None; features.len()];
    // Each text is cut once for all its tokens.
    while let Some(first) = columns.iter().position(Option::is_none) {
        let TextFeature {
            path,
            text,
            tokeniser,
            ..
        } = &features[first];
        let alike = |feature: &TextFeature| {
            feature.path == *path && feature.text == *text && feature.tokeniser == *tokeniser
        };
        let own: Vec<usize> = (first..features.len())
            .filter(|&i| columns[i].is_none() && alike(&features[i]))
            .collect();
        let mut tokens: Vec<&str> = own.iter().map(|&i| features[i].token.as_str()).collect();
        tokens.sort_unstable();
        tokens.dedup();
        let records = Records::reached(tables, path)?;
        let texts = text_field(tables, &records, text)?;
        let found = counts::columns(texts, &records, *tokeniser, &tokens);
        for i in own {
            let place = tokens.binary_search(&features[i].token.as_str());
            columns[i] = Some(found[place.expect("a token of the list")].clone());
        }
    }
    Ok(columns.into_iter().flatten().collect())
}

/// The texts of the records.
fn text_field<'a>(
    tables: &'a Tables,
    records: &Records<'_>,
    field: &str,
) -> Result<&'a CategoricalColumn> {
    let place = super::path::place(&tables.layout.tables[records.table].path);
    let column = tables.joined[records.table].frame.column(field);
    match column.map(|column| &column.data) {
        Some(ColumnData::Text(texts) | ColumnData::Categorical(texts)) => Ok(texts),
        Some(other) => {
            let kind = other.unused().unwrap_or("numbers");
            let message = format!("column {field:?} of {place} is read as {kind}, not as text");
            Err(
                Error::new(Code::UnsupportedType, message).help(Advice::ReadAs {
                    column: field.to_owned(),
                    ty: ColumnType::Text,
                }),
            )
        }
        None => {
            let message = format!("{place} has no column {field:?}, whose text is needed");
            Err(Error::new(Code::MissingColumn, message)
                .help("give the tables with the columns they had in training"))
        }
    }
}
