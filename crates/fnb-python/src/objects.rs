//! Columns of Python objects: texts, numbers, booleans, or a mixture.

use arrow::array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, NullArray, StringArray, StringBuilder,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyComplex, PyDict, PyFloat, PyInt, PyList, PySet, PyString,
    PyTuple,
};
use std::sync::Arc;

/// What an object is worth.
enum Item<'py> {
    Missing,
    Text(Bound<'py, PyString>),
    Number(f64),
    /// A whole number, which may have more digits than a double; in 64 bits if it fits.
    Integer(f64, Option<i64>),
    Bool(bool),
}

/// The array of a list of objects; `None` instead of it if these are no texts, numbers or booleans but
/// of a type whose name is given.
///
/// All numbers: numbers, and the flag is set, since the caller may have meant codes. Only booleans:
/// booleans. Otherwise texts, numbers among them in their shortest form.
pub(crate) fn array(list: &Bound<'_, PyList>) -> PyResult<(ArrayRef, bool)> {
    if let Some(texts) = only_texts(list)? {
        return Ok((Arc::new(texts), false));
    }
    let items = list.iter().map(|object| item(&object));
    let items: Vec<Item> = items.collect::<PyResult<_>>()?;
    let (mut texts, mut numbers, mut bools) = (0, 0, 0);
    for item in &items {
        match item {
            Item::Missing => {}
            Item::Text(_) => texts += 1,
            Item::Number(_) | Item::Integer(..) => numbers += 1,
            Item::Bool(_) => bools += 1,
        }
    }
    Ok(match (texts, numbers, bools) {
        (0, 0, 0) => (Arc::new(NullArray::new(items.len())), false),
        (0, _, 0) if let Some(integers) = integers(&items) => (Arc::new(integers), true),
        (0, _, 0) => {
            let values = items.iter().map(|item| match item {
                Item::Number(number) | Item::Integer(number, _) => *number,
                _ => f64::NAN,
            });
            (Arc::new(Float64Array::from_iter_values(values)), true)
        }
        (0, 0, _) => {
            let values = items.iter().map(|item| match item {
                Item::Bool(value) => Some(*value),
                _ => None,
            });
            (Arc::new(values.collect::<BooleanArray>()), false)
        }
        _ => {
            let mut builder = StringBuilder::with_capacity(items.len(), 8 * items.len());
            for (item, object) in items.iter().zip(list.iter()) {
                match item {
                    Item::Missing => builder.append_null(),
                    Item::Text(text) => builder.append_value(valid(text)?),
                    Item::Number(number) => builder.append_value(number.to_string()),
                    Item::Integer(..) => builder.append_value(object.str()?.to_str()?),
                    Item::Bool(true) => builder.append_value("true"),
                    Item::Bool(false) => builder.append_value("false"),
                }
            }
            (Arc::new(builder.finish()), false)
        }
    })
}

/// The texts, some perhaps missing, of a list of nothing else: most columns of objects, so that they are
/// gone through once. `None` for other lists, and for those without any text.
fn only_texts(list: &Bound<'_, PyList>) -> PyResult<Option<StringArray>> {
    let mut builder = StringBuilder::with_capacity(list.len(), 8 * list.len());
    let mut texts = 0;
    for object in list.iter() {
        if let Ok(text) = object.cast::<PyString>() {
            builder.append_value(valid(text)?);
            texts += 1;
        } else if object.is_none() || is_nan(&object) {
            builder.append_null();
        } else {
            return Ok(None);
        }
    }
    Ok((texts > 0).then(|| builder.finish()))
}

fn is_nan(object: &Bound<'_, PyAny>) -> bool {
    object
        .cast::<PyFloat>()
        .is_ok_and(|number| number.value().is_nan())
}

/// The text, unless it has half of a surrogate pair, which is no character.
fn valid<'a>(text: &'a Bound<'_, PyString>) -> PyResult<&'a str> {
    text.to_str().or_else(|_| {
        let shown = text.repr()?;
        let shown: String = shown.to_str()?.chars().take(60).collect();
        Err(PyValueError::new_err(format!(
            "the text {shown} has a lone surrogate, which is no character; repair it, for example \
             by text.encode(\"utf-8\", \"replace\").decode()"
        )))
    })
}

fn item<'py>(object: &Bound<'py, PyAny>) -> PyResult<Item<'py>> {
    if let Ok(text) = object.cast::<PyString>() {
        return Ok(Item::Text(text.clone()));
    }
    if object.is_none() {
        return Ok(Item::Missing);
    }
    if let Ok(number) = object.cast::<PyFloat>() {
        return Ok(number_or_missing(number.value()));
    }
    if let Ok(value) = object.cast::<PyBool>() {
        return Ok(Item::Bool(value.is_true()));
    }
    if object.is_instance_of::<PyInt>() {
        return Ok(integer(object, object.extract().unwrap_or(f64::INFINITY)));
    }
    other_item(object)
}

fn integer<'py>(object: &Bound<'py, PyAny>, number: f64) -> Item<'py> {
    Item::Integer(number, object.extract().ok())
}

/// All items as integers, if they are: as doubles, large ones would no longer be told apart.
fn integers(items: &[Item]) -> Option<Int64Array> {
    let integer = |item: &Item| match item {
        Item::Missing => Some(None),
        Item::Integer(_, Some(integer)) => Some(Some(*integer)),
        _ => None,
    };
    items.iter().map(integer).collect()
}

fn number_or_missing<'py>(number: f64) -> Item<'py> {
    if number.is_nan() {
        Item::Missing
    } else {
        Item::Number(number)
    }
}

/// Scalars of numpy and pandas, decimals, and what cannot be used.
fn other_item<'py>(object: &Bound<'py, PyAny>) -> PyResult<Item<'py>> {
    let kind = object.get_type().name()?.to_string();
    match kind.as_str() {
        "bool" | "bool_" => return Ok(Item::Bool(object.is_truthy()?)),
        "NAType" | "NaTType" => return Ok(Item::Missing),
        "complex64" | "complex128" | "clongdouble" => return Err(complex()),
        _ => {}
    }
    if object.is_instance_of::<PyComplex>() {
        return Err(complex());
    }
    let nested = object.is_instance_of::<PyDict>()
        || object.is_instance_of::<PyList>()
        || object.is_instance_of::<PyTuple>()
        || object.is_instance_of::<PySet>()
        || object.is_instance_of::<PyBytes>()
        || object.is_instance_of::<PyByteArray>()
        || kind == "ndarray"
        || kind == "Series";
    if nested {
        let message = format!("argument must be a string or a number, not {kind:?}");
        return Err(PyTypeError::new_err(message));
    }
    if object.hasattr("__float__")?
        && let Ok(number) = object.extract::<f64>()
    {
        // Those of numpy are whole if they may be places in a list.
        let whole = object.hasattr("__index__")?;
        return Ok(match number_or_missing(number) {
            Item::Number(number) if whole => integer(object, number),
            item => item,
        });
    }
    // Dates, identifiers and the like: what they look like.
    Ok(Item::Text(object.str()?))
}

fn complex() -> PyErr {
    PyValueError::new_err("Complex data not supported")
}
