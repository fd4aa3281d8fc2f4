//! A column of Python to Arrow: numpy arrays lent where they lie in one piece, Arrow arrays as they are.

use crate::objects;
use arrow::array::{
    Array, ArrayRef, ArrowPrimitiveType, BooleanArray, Date32Array, DictionaryArray,
    DurationMicrosecondArray, Int32Array, PrimitiveArray, TimestampMicrosecondArray,
};
use arrow::buffer::{Buffer, ScalarBuffer};
use arrow::datatypes::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use numpy::{Element, PyArray1, PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use pyo3_arrow::input::AnyArray;
use std::ptr::NonNull;
use std::sync::Arc;

/// A column, in one or several pieces.
pub(crate) struct Pieces {
    pub(crate) arrays: Vec<ArrayRef>,
    /// Python objects, all of them numbers: perhaps codes.
    pub(crate) numbers_from_objects: bool,
}

impl Pieces {
    fn one(array: ArrayRef) -> Self {
        Self {
            arrays: vec![array],
            numbers_from_objects: false,
        }
    }
}

/// Reads a column as `python/fnb/_columns.py` hands it over: a one-dimensional numpy array, a list of
/// objects, `("date", days)`, `("timestamp", microseconds)`, `("zoned", microseconds, zone)`, `("duration", microseconds)`, `("categories", codes, values)`, or an Arrow array.
pub(crate) fn pieces(column: &Bound<'_, PyAny>) -> PyResult<Pieces> {
    if let Ok(list) = column.cast::<PyList>() {
        let (array, numbers_from_objects) = objects::array(list)?;
        return Ok(Pieces {
            arrays: vec![array],
            numbers_from_objects,
        });
    }
    if let Ok(tuple) = column.cast::<PyTuple>() {
        return tagged(tuple).map(Pieces::one);
    }
    if let Some(array) = numpy_array(column)? {
        return Ok(Pieces::one(array));
    }
    let array: AnyArray = column.extract()?;
    let (arrays, field) = array.into_chunked_array()?.into_inner();
    Ok(if arrays.is_empty() {
        Pieces::one(arrow::array::new_empty_array(field.data_type()))
    } else {
        Pieces {
            arrays,
            numbers_from_objects: false,
        }
    })
}

fn tagged(tuple: &Bound<'_, PyTuple>) -> PyResult<ArrayRef> {
    let tag: String = tuple.get_item(0)?.extract()?;
    match tag.as_str() {
        "timestamp" | "zoned" => {
            let values: PyReadonlyArray1<i64> = tuple.get_item(1)?.extract()?;
            let values = values.as_array();
            // numpy writes a missing time as the smallest integer.
            let values = values.iter().map(|&v| Some(v).filter(|v| *v != i64::MIN));
            let moments = values.collect::<TimestampMicrosecondArray>();
            if tag == "timestamp" {
                return Ok(Arc::new(moments));
            }
            let zone: String = tuple.get_item(2)?.extract()?;
            Ok(Arc::new(moments.with_timezone(zone)))
        }
        "date" => {
            let days: PyReadonlyArray1<i64> = tuple.get_item(1)?.extract()?;
            // A missing day is the smallest integer, and beyond 32 bits are no days of ours.
            let days = days.as_array();
            let days = days.iter().map(|&day| i32::try_from(day).ok());
            Ok(Arc::new(days.collect::<Date32Array>()))
        }
        "duration" => {
            let values: PyReadonlyArray1<i64> = tuple.get_item(1)?.extract()?;
            let values = values.as_array();
            let values = values.iter().map(|&v| Some(v).filter(|v| *v != i64::MIN));
            Ok(Arc::new(values.collect::<DurationMicrosecondArray>()))
        }
        "categories" => {
            let codes: PyReadonlyArray1<i32> = tuple.get_item(1)?.extract()?;
            let codes = codes.as_array();
            let codes = codes.iter().map(|&code| Some(code).filter(|c| *c >= 0));
            let values = pieces(&tuple.get_item(2)?)?;
            let values = values.arrays.first().map(Arc::clone);
            let values = values.ok_or_else(|| PyValueError::new_err("no categories"))?;
            let array = DictionaryArray::try_new(codes.collect::<Int32Array>(), values);
            let array = array.map_err(|error| PyValueError::new_err(error.to_string()))?;
            Ok(Arc::new(array))
        }
        other => Err(PyTypeError::new_err(format!(
            "unknown column tag {other:?}"
        ))),
    }
}

/// `None` if it is no numpy array of a type that needs no conversion.
fn numpy_array(column: &Bound<'_, PyAny>) -> PyResult<Option<ArrayRef>> {
    if let Ok(array) = column.cast::<PyArray1<bool>>() {
        let array = array.try_readonly().map_err(PyErr::from)?;
        let values: BooleanArray = array.as_array().iter().map(|&v| Some(v)).collect();
        return Ok(Some(Arc::new(values)));
    }
    macro_rules! first_of {
        ($($arrow:ty),*) => {
            $(if let Some(array) = lend::<$arrow>(column)? {
                return Ok(Some(array));
            })*
        };
    }
    first_of!(
        Float64Type,
        Int64Type,
        Int32Type,
        Float32Type,
        Int8Type,
        Int16Type,
        UInt8Type,
        UInt16Type,
        UInt32Type,
        UInt64Type
    );
    Ok(None)
}

/// The memory of a numpy array as an Arrow array, or a copy if it is not in one piece.
fn lend<T: ArrowPrimitiveType>(column: &Bound<'_, PyAny>) -> PyResult<Option<ArrayRef>>
where
    T::Native: Element,
{
    let Ok(array) = column.cast::<PyArray1<T::Native>>() else {
        return Ok(None);
    };
    let length = array.len();
    let size = std::mem::size_of::<T::Native>();
    let in_one_piece = array.is_contiguous() && (array.data() as usize).is_multiple_of(size);
    let values = match NonNull::new(array.data().cast::<u8>()) {
        Some(start) if in_one_piece && length > 0 => {
            // numpy frees no memory while the array lives, and ours is a reference to it. That nobody
            // writes meanwhile is asked of the caller, as everywhere in numpy: the interpreter is
            // released, so another thread could.
            let owner = Arc::new(Owner(column.clone().unbind()));
            // SAFETY: `start` points to `length` initialised numbers, kept alive by `owner`.
            let buffer = unsafe { Buffer::from_custom_allocation(start, length * size, owner) };
            ScalarBuffer::new(buffer, 0, length)
        }
        _ => {
            let array = array.try_readonly().map_err(PyErr::from)?;
            array.as_array().iter().copied().collect()
        }
    };
    Ok(Some(Arc::new(PrimitiveArray::<T>::new(values, None))))
}

/// Keeps an array of Python alive. Dropped in any thread: the interpreter takes the reference back
/// when it next can.
struct Owner(#[expect(dead_code, reason = "held, not read")] Py<PyAny>);

impl std::panic::RefUnwindSafe for Owner {}

/// Number of rows.
pub(crate) fn rows(pieces: &Pieces) -> usize {
    pieces.arrays.iter().map(Array::len).sum()
}
