//! Values of arrays that are seen and not kept: what the columns are when all were seen.

use super::Columns;
use super::column::Treatment;
use crate::dates::{Formats, common_formats, rows_of};
use crate::infer::doubt;
use crate::info::{TableInfo, missing};
use crate::moment_scan::MomentScan;
use crate::options::{DayOrder, ReadOptions};
use crate::plan::Want;
use crate::scan::{Known, Scanned};
use crate::unreadable::{Reading, Unreadable};
use fnb::Result;
use fnb::columns::CategoricalColumn;

/// What was seen of a column.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    pub(super) missing: usize,
    /// Those that hold nothing but blanks: missing if the others are dates.
    blank: usize,
    /// The formats that all texts have.
    formats: Formats,
    moments: MomentScan,
}

impl Default for Seen {
    fn default() -> Self {
        Self {
            missing: 0,
            blank: 0,
            formats: Formats::ANY,
            moments: MomentScan::default(),
        }
    }
}

impl Seen {
    /// Adds texts.
    pub(super) fn texts(&mut self, column: &CategoricalColumn, treatment: &Treatment) {
        self.missing += missing(column);
        match treatment {
            Treatment::Categories { detect: true, .. } => {
                self.formats = self.formats.and(common_formats(column));
                // Where they are not all dates, blanks are values like others.
                if self.formats.fits() {
                    let texts = column.values().iter().zip(rows_of(column));
                    let is_blank =
                        |text: Option<&str>| text.is_some_and(|t| t.trim_ascii().is_empty());
                    let blank = texts.filter(|(text, _)| is_blank(*text));
                    self.blank += blank.map(|(_, rows)| rows).sum::<usize>();
                }
            }
            Treatment::ParsedMoments { kind, order } => {
                for (text, rows) in column.values().iter().zip(rows_of(column)) {
                    let text = text.unwrap_or_default().trim_ascii();
                    if !text.is_empty() {
                        self.moments.add(text, rows, *kind, *order);
                    }
                }
            }
            _ => {}
        }
    }

    /// Adds what was seen of later rows.
    pub(super) fn append(&mut self, later: Self) {
        self.missing += later.missing;
        self.blank += later.blank;
        self.formats = self.formats.and(later.formats);
        self.moments.append(later.moments);
    }
}

impl Columns {
    /// What is known when all rows were seen, told as [`Columns::finish`] does.
    pub(crate) fn scanned(mut self, mut info: TableInfo, options: &ReadOptions) -> Result<Scanned> {
        let details = self.conclude(&mut info)?;
        let mut unreadable = Unreadable::default();
        let mut known = Vec::with_capacity(details.len());
        let columns = self.names.into_iter().zip(self.wants).zip(self.values);
        for (((name, want), values), detail) in columns.zip(details) {
            let seen = values.seen.unwrap_or_default();
            let mut missing = Some(seen.missing);
            let want = match (want, values.treatment) {
                (_, Treatment::Unused { role, .. }) => {
                    missing = None;
                    Want::Unused(role)
                }
                (_, Treatment::ParsedMoments { kind, order }) => {
                    let (order, strays) = seen.moments.finish(order);
                    missing = Some(seen.missing + strays.count());
                    let added = unreadable.add(&name, Reading::new(kind, order), strays);
                    added.map_err(|e| e.at(&self.file))?;
                    Want::Temporal { kind, order }
                }
                (Want::Detect, Treatment::Categories { detect: true, .. }) if values.long => {
                    Want::Text
                }
                (Want::Detect, Treatment::Categories { detect: true, .. }) => {
                    // Formats are of texts: without any, nothing is known.
                    let formats = seen.formats;
                    match formats.kind().filter(|_| formats != Formats::ANY) {
                        Some(kind) => {
                            missing = Some(seen.missing + seen.blank);
                            info.warnings.extend(doubt(&name, formats));
                            let order = DayOrder::known(formats.first().month_first());
                            Want::Temporal { kind, order }
                        }
                        None => Want::Category { spelling: None },
                    }
                }
                (Want::Detect, Treatment::Categories { .. }) => Want::Category { spelling: None },
                (Want::Detect, Treatment::Moments(kind)) => Want::Temporal {
                    kind,
                    order: DayOrder::Unknown,
                },
                (Want::Detect, _) => Want::Number { must_parse: false },
                (want, _) => want,
            };
            known.push(Known {
                name,
                want,
                detail,
                missing,
            });
        }
        info.warnings.extend(unreadable.warnings());
        Ok(Scanned::new(info, self.rows, known, options))
    }
}
