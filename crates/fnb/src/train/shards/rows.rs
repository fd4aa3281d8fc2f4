//! The rows of a shard as learning sees them: a class, a weight, and the part of every variable.

use super::bytes::{damaged, from_bytes, to_bytes};
use crate::columns::RowWeights;
use crate::columns::row_weights::ONE;
use crate::terms::PartCodes;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// The encoded rows of a shard: a byte or four for each row and variable.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ShardRows {
    pub(super) labels: Vec<u32>,
    /// Units of weight, if these are not all 1.
    pub(super) units: Option<Vec<u64>>,
    /// The part of every row, by informative variable.
    pub(super) parts: Vec<PartCodes>,
    /// The elementary part of every row, by variable that has them.
    pub(super) elements: Vec<PartCodes>,
}

/// What the driver must know of the rows of all shards.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct RowFacts {
    pub(super) rows: u64,
    pub(super) class_units: Vec<u64>,
    /// Some weights are no whole numbers.
    pub(super) has_fractions: bool,
    /// Rows of a weight above 0.
    pub(super) present: u64,
    pub(super) largest: u64,
}

impl RowFacts {
    pub(super) fn merge(&mut self, other: &Self) {
        self.rows += other.rows;
        let classes = self.class_units.len().max(other.class_units.len());
        self.class_units.resize(classes, 0);
        for (own, units) in self.class_units.iter_mut().zip(&other.class_units) {
            *own += units;
        }
        self.has_fractions |= other.has_fractions;
        self.present += other.present;
        self.largest = self.largest.max(other.largest);
    }
}

/// The rows of a shard that are learnt from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Learnt {
    /// All of them.
    All,
    /// Those of a weight above 0.
    Present,
    /// Each as often as its weight says.
    Repeated,
}

/// Where everything is in the bytes of a shard.
#[derive(Serialize, Deserialize)]
struct Header {
    rows: usize,
    weighted: bool,
    /// Bytes of a row, by column: labels, then parts, then elements.
    widths: Vec<u8>,
    parts: usize,
}

impl ShardRows {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// True without any row.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    fn units(&self, row: usize) -> u64 {
        self.units.as_ref().map_or(ONE, |units| units[row])
    }

    /// What the driver is sent.
    pub fn facts(&self) -> Vec<u8> {
        let classes = self
            .labels
            .iter()
            .max()
            .map_or(0, |&label| label as usize + 1);
        let mut facts = RowFacts {
            rows: self.len() as u64,
            class_units: vec![0; classes],
            ..RowFacts::default()
        };
        for (row, &label) in self.labels.iter().enumerate() {
            let units = self.units(row);
            facts.class_units[label as usize] += units;
            facts.has_fractions |= !units.is_multiple_of(ONE);
            facts.present += u64::from(units > 0);
            facts.largest = facts.largest.max(units);
        }
        to_bytes(&facts)
    }

    /// Adds the rows of a block.
    pub(super) fn append(&mut self, block: Self) {
        if self.is_empty() {
            *self = block;
            return;
        }
        self.labels.extend(block.labels);
        if let (Some(own), Some(units)) = (&mut self.units, block.units) {
            own.extend(units);
        }
        for (own, codes) in self.parts.iter_mut().zip(block.parts) {
            own.append(codes);
        }
        for (own, codes) in self.elements.iter_mut().zip(block.elements) {
            own.append(codes);
        }
    }

    /// The rows that are learnt from.
    pub(super) fn learnt(self, learnt: Learnt) -> Self {
        let weights = RowWeights::of_units(match (&self.units, learnt) {
            (_, Learnt::All) | (None, _) => return self,
            (Some(units), _) => units.clone(),
        });
        let rows = match learnt {
            Learnt::Repeated => weights.repeated(),
            _ => weights.present_rows(),
        };
        let take = |codes: &PartCodes| codes.take(&rows);
        let units = rows.iter().map(|&row| weights.units()[row]);
        Self {
            labels: rows.iter().map(|&row| self.labels[row]).collect(),
            units: (learnt == Learnt::Present).then(|| units.collect()),
            parts: self.parts.iter().map(take).collect(),
            elements: self.elements.iter().map(take).collect(),
        }
    }

    /// The content of a shard file: a header, then the columns one after the other.
    pub fn to_bytes(&self) -> Vec<u8> {
        let columns = || self.parts.iter().chain(&self.elements);
        let width = |codes: &PartCodes| match codes {
            PartCodes::Narrow(_) => 1,
            PartCodes::Wide(_) => 4,
        };
        let mut bytes = to_bytes(&Header {
            rows: self.len(),
            weighted: self.units.is_some(),
            widths: columns().map(width).collect(),
            parts: self.parts.len(),
        });
        for label in &self.labels {
            bytes.extend_from_slice(&label.to_le_bytes());
        }
        for units in self.units.iter().flatten() {
            bytes.extend_from_slice(&units.to_le_bytes());
        }
        for codes in columns() {
            match codes {
                PartCodes::Narrow(codes) => bytes.extend_from_slice(codes),
                PartCodes::Wide(codes) => {
                    bytes.extend(codes.iter().flat_map(|code| code.to_le_bytes()));
                }
            }
        }
        bytes
    }

    /// The rows of a shard file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let cut_short = || damaged("the rows of a shard", &"they end too early");
        let (header, mut rest) = postcard::take_from_bytes::<Header>(bytes)
            .map_err(|error| damaged("the rows of a shard", &error))?;
        let rows = header.rows;
        let mut next = |width: usize| -> Result<&[u8], Error> {
            let length = rows.checked_mul(width).ok_or_else(cut_short)?;
            let (own, others) = rest.split_at_checked(length).ok_or_else(cut_short)?;
            rest = others;
            Ok(own)
        };
        let wide = |bytes: &[u8]| -> Vec<u32> {
            let numbers = bytes.as_chunks().0.iter();
            numbers.map(|number| u32::from_le_bytes(*number)).collect()
        };
        let labels = wide(next(4)?);
        let units = if header.weighted {
            let numbers = next(8)?.as_chunks().0.iter();
            Some(numbers.map(|number| u64::from_le_bytes(*number)).collect())
        } else {
            None
        };
        let mut parts = Vec::with_capacity(header.widths.len());
        for width in header.widths {
            let bytes = next(width.into())?;
            parts.push(match width {
                1 => PartCodes::Narrow(bytes.to_vec()),
                _ => PartCodes::Wide(wide(bytes)),
            });
        }
        if header.parts > parts.len() {
            return Err(cut_short());
        }
        let elements = parts.split_off(header.parts);
        Ok(Self {
            labels,
            units,
            parts,
            elements,
        })
    }
}

/// What all shards say of their rows.
pub(super) fn facts_of_all(shards: &[Vec<u8>]) -> Result<RowFacts> {
    let mut all = RowFacts::default();
    for bytes in shards {
        all.merge(&from_bytes(bytes, "the facts of a shard")?);
    }
    Ok(all)
}
