//! Which versions of the format can be read.

use crate::model::FORMAT_VERSION;
use crate::{Advice, Code, Error, Result};

/// Files of the same major version and of no later minor one.
pub(super) fn check_version(version: &str) -> Result<()> {
    let known = parts(FORMAT_VERSION).expect("our own version is sound");
    let Some((major, minor)) = parts(version) else {
        let message = format!("{version:?} is not a version of the format");
        return Err(Error::new(Code::ModelVersion, message)
            .help("a model is the JSON file that training writes"));
    };
    if (major, minor) > known {
        let message = format!(
            "the model is in format {version}, newer than {FORMAT_VERSION}, which is the last one known here"
        );
        return Err(Error::new(Code::ModelVersion, message).help(Advice::UseNewerVersion));
    }
    if major < known.0 {
        let message = format!("the model is in format {version}, which is no longer read");
        return Err(Error::new(Code::ModelVersion, message).help(Advice::TrainAgain));
    }
    Ok(())
}

/// Major and minor.
fn parts(version: &str) -> Option<(u32, u32)> {
    let (major, minor) = version.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
