//! What a table is, found out in one pass that keeps no values.

use crate::info::{ColumnInfo, Detail, TableInfo};
use crate::open::open_sources;
use crate::options::ReadOptions;
use crate::plan::Want;
use crate::source::resolve;
use crate::text::Tuning;
use fnb::Result;
use fnb::columns::Role;

/// What was found out about a table without keeping its values.
#[derive(Debug, Clone)]
pub struct Scanned {
    /// With these, [`batches`](crate::batches) streams the columns that [`read`](crate::read) returns, with the
    /// same types.
    pub options: ReadOptions,
    /// What [`read`](crate::read) tells of the table, its number of rows included.
    pub info: TableInfo,
}

/// Finds out what [`read`](crate::read) would, in memory that does not depend on the number of rows, so that
/// files that are larger than memory can be streamed by [`batches`](crate::batches) as the columns that they
/// are.
///
/// Types of columns depend on all rows, so every file is read to its end, and once more for each stream: what
/// can be read only once, such as standard input, is an error. What is held at a time is two waves of pieces of
/// text (1 MiB each, two per thread, or a record if that is larger), for Parquet a page and 16,384 rows of each
/// column per thread, for Arrow IPC a record batch.
///
/// ```
/// use fnb_table::{ReadOptions, batches, scan};
/// let path = std::env::temp_dir().join("fnb_scan_example.csv");
/// std::fs::write(&path, "age,seen\n31,2024-05-01\n,2024-05-02\n")?;
/// let inputs = [path.display().to_string()];
/// let scanned = scan(&inputs, &ReadOptions::default())?;
/// let words: Vec<_> = scanned.info.columns.iter().map(|column| column.word()).collect();
/// assert_eq!((scanned.info.rows, words), (2, vec!["numerical", "date"]));
/// for batch in batches(&inputs, &scanned.options)? {
///     assert_eq!(batch?.frame.columns().len(), 2);
/// }
/// # std::fs::remove_file(path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn scan(inputs: &[String], options: &ReadOptions) -> Result<Scanned> {
    scan_tuned(inputs, options, Tuning::default())
}

/// [`scan`] with text cut into pieces of about that many bytes.
#[doc(hidden)]
pub fn scan_in_pieces(inputs: &[String], options: &ReadOptions, bytes: usize) -> Result<Scanned> {
    scan_tuned(inputs, options, Tuning::pieces_of(bytes))
}

fn scan_tuned(inputs: &[String], options: &ReadOptions, tuning: Tuning) -> Result<Scanned> {
    let sources = resolve(inputs)?;
    for source in &sources {
        source.check_rereadable()?;
    }
    open_sources(sources, options, tuning)?.scan(options)
}

/// A column when all its rows were seen.
pub(crate) struct Known {
    pub(crate) name: String,
    /// What is to be done with it, nothing left to be found out.
    pub(crate) want: Want,
    pub(crate) detail: Detail,
    pub(crate) missing: Option<usize>,
}

impl Scanned {
    pub(crate) fn new(
        mut info: TableInfo,
        rows: usize,
        known: Vec<Known>,
        options: &ReadOptions,
    ) -> Self {
        let columns = known.iter().map(|column| {
            let name = column.name.clone();
            column.want.expected(name)
        });
        let options = ReadOptions {
            columns: columns.collect(),
            only: true,
            drop: Vec::new(),
            ..options.clone()
        };
        info.rows = rows;
        info.columns = known.into_iter().map(Known::describe).collect();
        Self { options, info }
    }
}

impl Known {
    fn describe(self) -> ColumnInfo {
        let role = match self.want {
            Want::Unused(role) => role,
            _ => Role::Input,
        };
        let ty = self.want.column_type();
        self.detail.describe(self.name, ty, role, self.missing)
    }
}
