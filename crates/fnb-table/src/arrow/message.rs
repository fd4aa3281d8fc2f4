//! Messages of Arrow IPC files and streams: read as far as they go, checked before they are decoded.
//!
//! The readers of the crate allocate what a message claims, and slice where it says. Here memory grows
//! with the bytes that are there, and every place that a message names is one of its body.

use arrow::array::{ArrayRef, RecordBatch};
use arrow::buffer::{Buffer, MutableBuffer};
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use arrow::ipc::reader::{read_dictionary, read_record_batch};
use arrow::ipc::{self, CompressionType, Message, MessageHeader, root_as_message};
use std::collections::HashMap;
use std::io::Read;

/// Bytes that are taken on trust where nobody knows how many are to come.
const STEP: usize = 16 << 20;

/// A batch may unpack to so many bytes, or to [`MOST_TIMES`] as many as it has.
const UNPACKED: u64 = 1 << 30;

/// See [`UNPACKED`].
const MOST_TIMES: u64 = 1000;

/// Rows of one batch.
const MOST_ROWS: i64 = u32::MAX as i64;

/// The bytes that start every message, before its length; very old ones lack them.
const MARKER: [u8; 4] = [0xff; 4];

/// A message with the bytes of its columns.
pub(super) struct Received {
    metadata: Buffer,
    body: Buffer,
}

/// An error about the content.
pub(super) fn broken(message: impl Into<String>) -> ArrowError {
    ArrowError::IpcError(message.into())
}

/// A length as it is written.
pub(super) fn length(claimed: i64) -> Result<usize, ArrowError> {
    usize::try_from(claimed).map_err(|_| broken(format!("a length of {claimed} bytes")))
}

/// Exactly `length` bytes. `left` are still to come; where that is not known, memory grows with what
/// arrives.
pub(super) fn take(
    reader: &mut impl Read,
    length: usize,
    left: Option<u64>,
) -> Result<Buffer, ArrowError> {
    if let Some(left) = left.filter(|left| *left < length as u64) {
        return Err(broken(format!(
            "it announces {length} bytes where {left} are left"
        )));
    }
    let first = if left.is_some() {
        length
    } else {
        length.min(STEP)
    };
    let mut bytes = MutableBuffer::from_len_zeroed(first);
    reader.read_exact(&mut bytes)?;
    while bytes.len() < length {
        let have = bytes.len();
        bytes.resize(length.min(2 * have), 0);
        reader.read_exact(&mut bytes[have..])?;
    }
    Ok(bytes.into())
}

impl Received {
    /// The next message of a stream; none at its end.
    pub(super) fn next(
        reader: &mut impl Read,
        left: &mut Option<u64>,
    ) -> Result<Option<Self>, ArrowError> {
        let mut take = |reader: &mut _, length| {
            let bytes = take(reader, length, *left)?;
            *left = left.map(|left| left - length as u64);
            Ok::<_, ArrowError>(bytes)
        };
        // A stream may end without saying so.
        let mut first = Vec::new();
        reader.by_ref().take(4).read_to_end(&mut first)?;
        if first.is_empty() {
            return Ok(None);
        }
        let mut announced: [u8; 4] = first[..]
            .try_into()
            .map_err(|_| broken("it ends inside a message"))?;
        if announced == MARKER {
            reader.read_exact(&mut announced)?;
        }
        let size = length(i32::from_le_bytes(announced).into())?;
        if size == 0 {
            return Ok(None);
        }
        let metadata = take(reader, size)?;
        let size = length(parse(&metadata)?.bodyLength())?;
        let body = take(reader, size)?;
        Ok(Some(Self { metadata, body }))
    }

    /// The message in a block of a file, whose first `metadata` bytes describe the others.
    pub(super) fn in_block(block: &Buffer, metadata: usize) -> Result<Self, ArrowError> {
        let prefix = if block.starts_with(&MARKER) { 8 } else { 4 };
        if metadata < prefix || block.len() < metadata {
            return Err(broken("a block is too short for its message"));
        }
        Ok(Self {
            metadata: block.slice_with_length(prefix, metadata - prefix),
            body: block.slice(metadata),
        })
    }

    /// The schema that starts a stream.
    pub(super) fn schema(&self) -> Result<arrow::datatypes::Schema, ArrowError> {
        match parse(&self.metadata)?.header_as_schema() {
            Some(schema) => schema_of(schema),
            None => Err(broken("it does not start with a schema")),
        }
    }

    /// The rows of a message; none if it holds a dictionary, which is kept.
    pub(super) fn decode(
        &self,
        schema: &SchemaRef,
        dictionaries: &mut HashMap<i64, ArrayRef>,
    ) -> Result<Option<RecordBatch>, ArrowError> {
        let message = parse(&self.metadata)?;
        let version = message.version();
        match message.header_type() {
            MessageHeader::RecordBatch => {
                let batch = message
                    .header_as_record_batch()
                    .ok_or_else(|| broken("a batch without header"))?;
                check(&batch, &self.body)?;
                read_record_batch(
                    &self.body,
                    batch,
                    schema.clone(),
                    dictionaries,
                    None,
                    &version,
                )
                .map(Some)
            }
            MessageHeader::DictionaryBatch => {
                let dictionary = message
                    .header_as_dictionary_batch()
                    .ok_or_else(|| broken("a dictionary without header"))?;
                let values = dictionary
                    .data()
                    .ok_or_else(|| broken("a dictionary without values"))?;
                check(&values, &self.body)?;
                read_dictionary(&self.body, dictionary, schema, dictionaries, &version)?;
                Ok(None)
            }
            MessageHeader::NONE => Ok(None),
            other => Err(broken(format!(
                "a message of kind {other:?} among the rows"
            ))),
        }
    }
}

fn parse(metadata: &[u8]) -> Result<Message<'_>, ArrowError> {
    root_as_message(metadata).map_err(|e| broken(format!("a message is not valid: {e}")))
}

/// The schema, if it is of a machine like this one.
pub(super) fn schema_of(schema: ipc::Schema) -> Result<arrow::datatypes::Schema, ArrowError> {
    if !schema.endianness().equals_to_target_endianness() {
        return Err(broken("it was written with the other order of bytes"));
    }
    Ok(ipc::convert::fb_to_schema(schema))
}

/// Counts and places that can be: columns lie inside the body, and unpack to what they can hold.
fn check(batch: &ipc::RecordBatch, body: &[u8]) -> Result<(), ArrowError> {
    let rows = batch.length();
    if !(0..=MOST_ROWS).contains(&rows) {
        return Err(broken(format!("a batch of {rows} rows")));
    }
    for node in batch.nodes().into_iter().flatten() {
        let (length, missing) = (node.length(), node.null_count());
        if length < 0 || !(0..=length).contains(&missing) {
            return Err(broken(format!(
                "a column of {length} values, {missing} of them missing"
            )));
        }
    }
    let buffers = batch.buffers().into_iter().flatten();
    let mut variadic = batch.variadicBufferCounts().into_iter().flatten();
    let count = buffers.clone().count() as i64;
    if !variadic.all(|buffers| (0..=count).contains(&buffers)) {
        return Err(broken("a column of more buffers than there are"));
    }
    let codec = batch.compression().map(|compression| compression.codec());
    let mut unpacked = 0_u64;
    for buffer in buffers {
        let (offset, size) = (length(buffer.offset())?, length(buffer.length())?);
        let bytes = offset
            .checked_add(size)
            .and_then(|end| body.get(offset..end));
        let bytes = bytes.ok_or_else(|| {
            broken(format!(
                "{size} bytes at {offset} in a message of {}",
                body.len()
            ))
        })?;
        if let (Some(codec), Some((claim, packed))) = (codec, bytes.split_first_chunk()) {
            unpacked = unpacked.saturating_add(unpacks_to(codec, *claim, packed.len())?);
        }
    }
    if unpacked > UNPACKED && unpacked / MOST_TIMES > body.len() as u64 {
        return Err(broken(format!(
            "a batch of {} bytes unpacks to {unpacked}: write smaller batches",
            body.len()
        )));
    }
    Ok(())
}

/// The bytes that a compressed buffer unpacks to, by its first eight bytes.
fn unpacks_to(codec: CompressionType, claim: [u8; 8], packed: usize) -> Result<u64, ArrowError> {
    // −1: as it is.
    let claim = match i64::from_le_bytes(claim) {
        -1 => return Ok(0),
        claim => length(claim)? as u64,
    };
    // LZ4 gives at most 255 bytes for one; Zstandard a block of 128 KiB for four.
    let most = match codec {
        CompressionType::LZ4_FRAME => packed as u64 * 255,
        _ => (packed as u64 / 4 + 1) << 17,
    };
    if claim > most {
        return Err(broken(format!(
            "{packed} compressed bytes are said to hold {claim}"
        )));
    }
    Ok(claim)
}
