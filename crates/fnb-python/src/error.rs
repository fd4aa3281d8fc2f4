//! Error codes to the exceptions that a Python user expects.

use fnb::{Code, Error};
use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::{PyErr, Python, create_exception};

create_exception!(
    fnb,
    Interrupted,
    PyRuntimeError,
    "A callback returned False and so ended the training."
);

/// The exception for an error. Advice that speaks of options of the program is left out.
pub(crate) fn exception(error: &Error) -> PyErr {
    let mut text = format!("{} [{}]", error.message(), error.code().as_str());
    if let Some(advice) = error.advice().filter(|advice| !advice.contains("--")) {
        text.push_str("; ");
        text.push_str(advice);
    }
    match error.code() {
        Code::Interrupted => Interrupted::new_err(text),
        Code::Internal => PyRuntimeError::new_err(text),
        Code::FileNotFound => PyFileNotFoundError::new_err(text),
        Code::Output => PyOSError::new_err(text),
        Code::UnsupportedType => PyTypeError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}

/// The same exception with the place in front.
pub(crate) fn within(py: Python<'_>, place: &str, error: PyErr) -> PyErr {
    let message = format!("{place}: {}", error.value(py));
    if error.is_instance_of::<PyTypeError>(py) {
        PyTypeError::new_err(message)
    } else if error.is_instance_of::<PyValueError>(py) {
        PyValueError::new_err(message)
    } else {
        error
    }
}
