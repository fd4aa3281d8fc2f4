//! Errors to the exceptions that a Python user expects, with a next step in terms of parameters.

use fnb::columns::ColumnType;
use fnb::math::printable;
use fnb::{Advice, Code, Error};
use pyo3::exceptions::{
    PyFileNotFoundError, PyMemoryError, PyOSError, PyRuntimeError, PyTypeError, PyValueError,
};
use pyo3::{PyErr, Python, create_exception};

create_exception!(
    fnb,
    Interrupted,
    PyRuntimeError,
    "A callback returned False and so ended the training."
);

/// The exception for an error: what is wrong, its code, what to do.
pub(crate) fn exception(error: &Error) -> PyErr {
    let (message, code) = (error.message(), error.code().as_str());
    let text = format!("{message} [{code}]; {}", next_step(error));
    // Tracebacks are shown on terminals, and names in messages come from anywhere.
    let text = printable(&text).into_owned();
    match error.code() {
        Code::OutOfMemory => PyMemoryError::new_err(text),
        Code::Interrupted => Interrupted::new_err(text),
        Code::Internal => PyRuntimeError::new_err(text),
        Code::FileNotFound => PyFileNotFoundError::new_err(text),
        Code::Output => PyOSError::new_err(text),
        Code::UnsupportedType => PyTypeError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}

/// What to do: the advice of the error, or what may be said of all errors of its code.
fn next_step(error: &Error) -> String {
    let advice = error.advice().map(worded).unwrap_or_default();
    if advice.is_empty() {
        by_code(error.code()).to_owned()
    } else {
        advice
    }
}

/// The advice of the libraries in terms of parameters.
pub(crate) fn worded(advice: &Advice) -> String {
    advice.worded(&|advice| {
        Some(match advice {
            Advice::ReadAs { column, ty } => read_as(column, *ty),
            Advice::DeclareMissing { texts } => {
                let texts: Vec<String> = texts.iter().map(|text| format!("{text:?}")).collect();
                format!("replace {} by None", texts.join(", "))
            }
            // Frames have no header.
            Advice::NoHeader => String::new(),
            Advice::LeaveOut { column } => format!("leave it out: drop_features=[{column:?}]"),
            Advice::GiveKey { column: None, .. } => {
                "if it has another name there, give on as a dict: {\"theirs\": \"its own\"}"
                    .to_owned()
            }
            Advice::GiveKey {
                column: Some(column),
                ..
            } => format!(
                "if it has another name there, give on as a dict: {{{column:?}: \"its own\"}}"
            ),
            Advice::GiveTime { column, .. } => format!("say which counts: time={column:?}"),
            Advice::Timeless { .. } => {
                "if all its records may be seen at any time, say so: time=False".to_owned()
            }
            Advice::Interactions => {
                "take preset=\"khiops\"; the default preset has interactions= instead".to_owned()
            }
            Advice::TrainAgain => "fit it again and save that".to_owned(),
            Advice::UseNewerVersion => "install a newer version of fnb".to_owned(),
            _ => return None,
        })
    })
}

fn read_as(column: &str, ty: ColumnType) -> String {
    match ty {
        ColumnType::Categorical => {
            format!("make texts of column {column:?}, or say categorical_features=[{column:?}]")
        }
        ty => format!("make {} of column {column:?}", ty.plural()),
    }
}

/// A next step for errors that carry no advice.
fn by_code(code: Code) -> &'static str {
    match code {
        Code::FileNotFound => "check the path",
        Code::NoRows | Code::EmptyFile => "give at least one row",
        Code::DuplicateColumn => "rename one of them",
        Code::UnknownColumn | Code::MissingColumn => {
            "give the columns that the model was fitted with"
        }
        Code::NotANumber | Code::NumberOutOfRange => "correct the value, or make it None",
        Code::UnsupportedType => "convert the column, or name it in drop_features",
        Code::NotAModel | Code::ModelChecksum | Code::ModelLimits => {
            "give a file that save or to_json has written"
        }
        Code::ModelVersion => "install a newer version of fnb",
        Code::ModelContent | Code::ModelSelfTest => "fit it again and save that",
        Code::Output => "choose another place",
        Code::OutOfMemory => "give fewer rows or columns, or more memory",
        Code::Internal => "this is a bug of fnb: please report it with the lines above",
        Code::Interrupted => "fit again for a model",
        _ => "check the data and the parameters against the documentation",
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
