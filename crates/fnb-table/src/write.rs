//! Tables to CSV, TSV and Parquet, batch by batch.

use crate::atomic::{Output, is_standard_output, output_error};
use arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use flate2::write::GzEncoder;
use fnb::columns::CategoricalColumn;
use fnb::math::printable_lines;
use fnb::{Code, Error, Result};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use parquet::schema::types::ColumnPath;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a column of an output holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputKind {
    /// Text.
    Text,
    /// Numbers.
    Number,
    /// Whole numbers.
    Integer,
}

/// The values of a column in one batch of an output.
#[derive(Debug, Clone, Copy)]
pub enum OutputData<'a> {
    /// Text, for instance of a column that is kept; `None` is written as nothing.
    Categories(&'a CategoricalColumn),
    /// Text chosen from a list, for instance the predicted class.
    Labels {
        /// The label of each row.
        codes: &'a [u32],
        /// The list.
        labels: &'a [String],
    },
    /// Numbers; NaN is written as nothing.
    Numbers(&'a [f64]),
    /// Whole numbers.
    Integers(&'a [i64]),
}

impl OutputData<'_> {
    fn len(&self) -> usize {
        match self {
            OutputData::Categories(column) => column.len(),
            OutputData::Labels { codes, .. } => codes.len(),
            OutputData::Numbers(values) => values.len(),
            OutputData::Integers(values) => values.len(),
        }
    }

    fn kind(&self) -> OutputKind {
        match self {
            OutputData::Categories(_) | OutputData::Labels { .. } => OutputKind::Text,
            OutputData::Numbers(_) => OutputKind::Number,
            OutputData::Integers(_) => OutputKind::Integer,
        }
    }

    /// The text of a row of a text column.
    fn text(&self, row: usize) -> Option<&str> {
        match self {
            OutputData::Categories(column) => column.get(row),
            OutputData::Labels { codes, labels } => Some(&labels[codes[row] as usize]),
            OutputData::Numbers(_) | OutputData::Integers(_) => None,
        }
    }
}

/// Writes a table batch by batch. The file appears at its place when it is [finished](Self::finish);
/// dropped before, the writer leaves nothing behind.
///
/// The format follows the name: `.parquet`, `.tsv`, anything else is CSV, and `-` is CSV on standard
/// output; `.gz` compresses text. Texts are written as they are, but for a terminal, where characters that
/// would act on it are written out.
///
/// ```
/// use fnb_table::{OutputData, OutputKind, TableWriter};
/// let path = std::env::temp_dir().join("fnb_table_writer.csv");
/// let columns = [("class", OutputKind::Text), ("proba", OutputKind::Number)];
/// let mut writer = TableWriter::create(&path.display().to_string(), &columns)?;
/// let labels = ["no".to_string(), "yes, sir".to_string()];
/// writer.write(&[
///     OutputData::Labels { codes: &[1, 0], labels: &labels },
///     OutputData::Numbers(&[0.75, 0.5]),
/// ])?;
/// writer.finish()?;
/// assert_eq!(std::fs::read_to_string(&path)?, "class,proba\n\"yes, sir\",0.75\nno,0.5\n");
/// # std::fs::remove_file(path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TableWriter {
    /// For messages.
    path: PathBuf,
    kinds: Vec<OutputKind>,
    sink: Sink,
    /// The reader of standard output has gone.
    closed: bool,
}

enum Sink {
    Text {
        bytes: Bytes,
        style: Style,
        line: Vec<u8>,
    },
    Parquet {
        writer: Box<ArrowWriter<Output>>,
        schema: SchemaRef,
    },
}

enum Bytes {
    File(Output),
    Gzip(Box<GzEncoder<Output>>),
    Stdout(io::Stdout),
    Terminal(io::Stdout),
}

impl Bytes {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Bytes::File(file) => file.write_all(bytes),
            Bytes::Gzip(file) => file.write_all(bytes),
            Bytes::Stdout(stdout) => stdout.write_all(bytes),
            // Lines are complete, and so are their characters.
            Bytes::Terminal(stdout) => {
                let text = String::from_utf8_lossy(bytes);
                stdout.write_all(printable_lines(&text).as_bytes())
            }
        }
    }
}

impl TableWriter {
    /// Refuses a name that promises a format that is not written.
    ///
    /// ```
    /// assert!(fnb_table::TableWriter::check_name("scores.csv.gz").is_ok());
    /// assert!(fnb_table::TableWriter::check_name("scores.xlsx").is_err());
    /// ```
    pub fn check_name(path: &str) -> Result<()> {
        let lower = path.to_ascii_lowercase();
        let plain = lower.strip_suffix(".gz");
        let extension = Path::new(plain.unwrap_or(&lower)).extension();
        let known = match extension.and_then(|extension| extension.to_str()) {
            None | Some("csv" | "tsv" | "txt") => true,
            Some("parquet") => plain.is_none(),
            Some(_) => false,
        };
        if known {
            return Ok(());
        }
        let message = format!("{path} is in no format that can be written");
        Err(Error::new(Code::Usage, message)
            .help("name it .csv, .tsv, .csv.gz, .tsv.gz or .parquet"))
    }

    /// Starts an output with the given columns.
    pub fn create(path: &str, columns: &[(&str, OutputKind)]) -> Result<Self> {
        Self::start(path, columns, Formulas::AsTheyAre)
    }

    /// The same for a file that people will open in a spreadsheet: an apostrophe is put before names and
    /// texts that it would run as formulas, those that begin with `=`, `+`, `-`, `@`, a tab or the end of a
    /// line. Numbers stay as they are, and so does a Parquet file, whose texts are never run.
    ///
    /// ```
    /// use fnb_table::{OutputData, OutputKind, TableWriter};
    /// let path = std::env::temp_dir().join("fnb_table_spreadsheet.csv");
    /// let columns = [("class", OutputKind::Text)];
    /// let mut writer = TableWriter::create_for_spreadsheets(&path.display().to_string(), &columns)?;
    /// let labels = ["=1+1".to_string(), "-1.5".to_string(), "a=b".to_string()];
    /// writer.write(&[OutputData::Labels { codes: &[0, 1, 2], labels: &labels }])?;
    /// writer.finish()?;
    /// assert_eq!(std::fs::read_to_string(&path)?, "class\n'=1+1\n-1.5\na=b\n");
    /// # std::fs::remove_file(path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn create_for_spreadsheets(path: &str, columns: &[(&str, OutputKind)]) -> Result<Self> {
        Self::start(path, columns, Formulas::Disarmed)
    }

    fn start(path: &str, columns: &[(&str, OutputKind)], formulas: Formulas) -> Result<Self> {
        let kinds = columns.iter().map(|(_, kind)| *kind).collect();
        let lower = path.to_ascii_lowercase();
        let path = PathBuf::from(path);
        if lower.ends_with(".parquet") {
            let sink = parquet_sink(&path, columns)?;
            let closed = false;
            return Ok(Self {
                path,
                kinds,
                sink,
                closed,
            });
        }
        let plain = lower.strip_suffix(".gz");
        let extension = Path::new(plain.unwrap_or(&lower)).extension();
        let separator = if extension.is_some_and(|e| e == "tsv") {
            b'\t'
        } else {
            b','
        };
        let bytes = match plain {
            _ if is_standard_output(&path) && io::stdout().is_terminal() => {
                Bytes::Terminal(io::stdout())
            }
            _ if is_standard_output(&path) => Bytes::Stdout(io::stdout()),
            Some(_) => Bytes::Gzip(Box::new(GzEncoder::new(
                Output::create(&path)?,
                flate2::Compression::default(),
            ))),
            None => Bytes::File(Output::create(&path)?),
        };
        let style = Style {
            separator,
            formulas,
            alone: columns.len() == 1,
        };
        let mut line = Vec::new();
        for (i, (name, _)) in columns.iter().enumerate() {
            if i > 0 {
                line.push(separator);
            }
            style.push_text(&mut line, name);
        }
        line.push(b'\n');
        let path = match &bytes {
            Bytes::Stdout(_) | Bytes::Terminal(_) => "standard output".into(),
            Bytes::File(_) | Bytes::Gzip(_) => path,
        };
        let mut writer = Self {
            closed: false,
            path,
            kinds,
            sink: Sink::Text { bytes, style, line },
        };
        writer.flush_text()?;
        Ok(writer)
    }

    /// Adds rows: one entry per column, of the kinds that were announced.
    pub fn write(&mut self, columns: &[OutputData]) -> Result<()> {
        let rows = columns.first().map_or(0, OutputData::len);
        let kinds = columns.iter().map(OutputData::kind);
        if !kinds.eq(self.kinds.iter().copied()) || columns.iter().any(|c| c.len() != rows) {
            return Err(Error::new(
                Code::Internal,
                "a batch does not fit the columns of the output",
            ));
        }
        match &mut self.sink {
            Sink::Text { style, line, .. } => {
                let mut buffer = ryu::Buffer::new();
                for row in 0..rows {
                    for (i, column) in columns.iter().enumerate() {
                        if i > 0 {
                            line.push(style.separator);
                        }
                        match column {
                            OutputData::Numbers(values) => {
                                push_number(line, values[row], &mut buffer);
                            }
                            OutputData::Integers(values) => {
                                line.extend_from_slice(values[row].to_string().as_bytes());
                            }
                            text => {
                                let text = text.text(row).unwrap_or_default();
                                style.push_text(line, text);
                            }
                        }
                    }
                    line.push(b'\n');
                }
                self.flush_text()
            }
            Sink::Parquet { writer, schema } => {
                let arrays = columns.iter().map(array).collect();
                let batch = RecordBatch::try_new(SchemaRef::clone(schema), arrays)
                    .map_err(|e| Error::new(Code::Internal, e.to_string()))?;
                writer
                    .write(&batch)
                    .map_err(|e| parquet_error(&self.path, &e))
            }
        }
    }

    fn flush_text(&mut self) -> Result<()> {
        let Sink::Text { bytes, line, .. } = &mut self.sink else {
            return Ok(());
        };
        let written = bytes.write_all(line);
        line.clear();
        match written {
            Err(e)
                if e.kind() == io::ErrorKind::BrokenPipe
                    && matches!(bytes, Bytes::Stdout(_) | Bytes::Terminal(_)) =>
            {
                self.closed = true;
                Ok(())
            }
            written => written.map_err(|e| output_error(&self.path, &e)),
        }
    }

    /// Has the reader of standard output gone, as `head` does? Not an error, but there is no point
    /// in writing more.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Makes the file appear.
    pub fn finish(self) -> Result<()> {
        let failed = |e: io::Error| output_error(&self.path, &e);
        match self.sink {
            Sink::Text {
                bytes: Bytes::File(file),
                ..
            } => file.finish(),
            Sink::Text {
                bytes: Bytes::Gzip(gzip),
                ..
            } => gzip.finish().map_err(failed)?.finish(),
            Sink::Text {
                bytes: Bytes::Stdout(mut stdout) | Bytes::Terminal(mut stdout),
                ..
            } => match stdout.flush() {
                Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                flushed => flushed.map_err(failed),
            },
            Sink::Parquet { writer, .. } => writer
                .into_inner()
                .map_err(|e| parquet_error(&self.path, &e))?
                .finish(),
        }
    }
}

fn parquet_sink(path: &Path, columns: &[(&str, OutputKind)]) -> Result<Sink> {
    let fields = columns.iter().map(|(name, kind)| {
        let data_type = match kind {
            OutputKind::Text => DataType::Utf8,
            OutputKind::Number => DataType::Float64,
            OutputKind::Integer => DataType::Int64,
        };
        Field::new(*name, data_type, true)
    });
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    // Probabilities hardly repeat: a dictionary of them, and compressing them, are in vain.
    let numbers = columns
        .iter()
        .filter(|(_, kind)| *kind == OutputKind::Number);
    let properties = numbers.fold(
        WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default())),
        |properties, (name, _)| {
            let column = ColumnPath::new(vec![(*name).to_owned()]);
            properties
                .set_column_dictionary_enabled(column.clone(), false)
                .set_column_compression(column, Compression::UNCOMPRESSED)
        },
    );
    let writer = ArrowWriter::try_new(
        Output::create(path)?,
        SchemaRef::clone(&schema),
        Some(properties.build()),
    )
    .map_err(|e| parquet_error(path, &e))?;
    Ok(Sink::Parquet {
        writer: Box::new(writer),
        schema,
    })
}

fn parquet_error(path: &Path, error: &parquet::errors::ParquetError) -> Error {
    Error::new(
        Code::Output,
        format!("cannot write {}: {error}", path.display()),
    )
    .help("check the free space, the path and the rights of the directory")
}

fn array(column: &OutputData) -> ArrayRef {
    match column {
        OutputData::Numbers(values) => Arc::new(
            values
                .iter()
                .map(|v| (!v.is_nan()).then_some(*v))
                .collect::<Float64Array>(),
        ),
        OutputData::Integers(values) => Arc::new(Int64Array::from(values.to_vec())),
        text => Arc::new(
            (0..text.len())
                .map(|row| text.text(row))
                .collect::<StringArray>(),
        ),
    }
}

/// How texts are written.
#[derive(Debug, Clone, Copy)]
struct Style {
    separator: u8,
    formulas: Formulas,
    /// Is there one column only?
    alone: bool,
}

/// What is done with texts that a spreadsheet would run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Formulas {
    AsTheyAre,
    Disarmed,
}

impl Style {
    /// A text, quoted where it would be misread otherwise. An empty line would be no row at all, so a
    /// lone empty text is quoted too.
    fn push_text(self, line: &mut Vec<u8>, text: &str) {
        let special = |b: u8| b == self.separator || matches!(b, b'"' | b'\n' | b'\r');
        let quote = text.bytes().any(special) || self.alone && text.is_empty();
        if quote {
            line.push(b'"');
        }
        if self.formulas == Formulas::Disarmed && is_formula(text) {
            line.push(b'\'');
        }
        if quote {
            line.extend_from_slice(text.replace('"', "\"\"").as_bytes());
            line.push(b'"');
        } else {
            line.extend_from_slice(text.as_bytes());
        }
    }
}

/// Would a spreadsheet run the text? A number is no formula, though it may begin like one.
fn is_formula(text: &str) -> bool {
    let start = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];
    text.starts_with(start) && text.parse::<f64>().is_err()
}

/// The shortest text that reads back as the same number; powers of ten are written out unless that
/// takes very many digits.
fn push_number(line: &mut Vec<u8>, value: f64, buffer: &mut ryu::Buffer) {
    if value.is_nan() {
        return;
    }
    let text = buffer.format(value);
    let size = value.abs();
    if text.contains('e') && (1e-15..1e21).contains(&size) {
        line.extend_from_slice(value.to_string().as_bytes());
    } else {
        line.extend_from_slice(text.strip_suffix(".0").unwrap_or(text).as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_plain() {
        let written = |value| {
            let mut line = Vec::new();
            push_number(&mut line, value, &mut ryu::Buffer::new());
            String::from_utf8(line).expect("ASCII")
        };
        for (value, text) in [
            (0.5, "0.5"),
            (1.0, "1"),
            (0.0, "0"),
            (1e-7, "0.0000001"),
            (1e16, "10000000000000000"),
            (0.1 + 0.2, "0.30000000000000004"),
            (-2.5, "-2.5"),
            (1e-300, "1e-300"),
            (1e300, "1e300"),
            (f64::NAN, ""),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(written(value), text);
        }
    }
}
