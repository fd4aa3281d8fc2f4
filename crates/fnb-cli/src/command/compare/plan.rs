//! What is compared: methods as the user names them, and the settings of each line of the table.

use crate::args::{self, PresetName, SearchArgs};
use clap::ValueEnum;
use fnb::weights::LearnSettings;
use fnb::{Code, Error, Method, Settings};

/// A method as named on the command line: `NAME`, `NAME:PRESET`, `coordinate+`, or `all`.
#[derive(Debug, Clone)]
pub(crate) enum Entry {
    /// Every method there is.
    All,
    /// One of them.
    One(Named),
}

/// A method and how it is to be run.
#[derive(Debug, Clone)]
pub(crate) struct Named {
    method: Method,
    /// Coordinate steps in their quality mode.
    continuation: bool,
    /// The settings to start from, if they are not those of `--preset`.
    preset: Option<PresetName>,
}

impl Named {
    fn plain(method: Method) -> Self {
        Self {
            method,
            continuation: false,
            preset: None,
        }
    }

    /// The same as the user writes it.
    pub(crate) fn label(&self) -> String {
        let mut label = self.method.as_str().to_owned();
        if self.continuation {
            label.push('+');
        }
        if let Some(preset) = self.preset.and_then(|preset| preset.to_possible_value()) {
            label.push(':');
            label.push_str(preset.get_name());
        }
        label
    }
}

/// An entry of `--methods`.
pub(crate) fn entry(text: &str) -> Result<Entry, String> {
    if text == "all" {
        return Ok(Entry::All);
    }
    named(text).map(Entry::One)
}

/// One method.
pub(crate) fn named(text: &str) -> Result<Named, String> {
    let (name, preset) = match text.split_once(':') {
        Some((name, preset)) => (name, Some(preset_name(preset)?)),
        None => (text, None),
    };
    let (name, continuation) = match name.strip_suffix('+') {
        Some(name) => (name, true),
        None => (name, false),
    };
    let method = args::method(name)?;
    if continuation && method != Method::Coordinate {
        return Err(format!(
            "{name} has no quality mode: only coordinate+ exists"
        ));
    }
    Ok(Named {
        method,
        continuation,
        preset,
    })
}

fn preset_name(name: &str) -> Result<PresetName, String> {
    PresetName::from_str(name, false).map_err(|_| {
        let all = PresetName::value_variants().iter();
        let names: Vec<String> = all
            .filter_map(PresetName::to_possible_value)
            .map(|value| value.get_name().to_owned())
            .collect();
        format!(
            "there is no preset {name:?}, the presets are {}",
            names.join(", ")
        )
    })
}

/// A line of the table: a method at a lambda.
#[derive(Debug)]
pub(crate) struct Line {
    /// The method as the user writes it.
    pub(crate) label: String,
    pub(crate) settings: Settings,
}

/// The lines, all methods at the first lambda first. Without any lambda each method has that of its
/// preset. What is named twice is compared once.
pub(crate) fn lines(
    entries: &[Entry],
    preset: PresetName,
    lambdas: &[f64],
    search: &SearchArgs,
) -> fnb::Result<Vec<Line>> {
    let mut methods: Vec<Named> = Vec::new();
    for entry in entries {
        match entry {
            Entry::All => methods.extend(Method::ALL.map(Named::plain)),
            Entry::One(named) => methods.push(named.clone()),
        }
    }
    let lambdas: Vec<Option<f64>> = if lambdas.is_empty() {
        vec![None]
    } else {
        lambdas.iter().copied().map(Some).collect()
    };
    let mut lines: Vec<Line> = Vec::new();
    for lambda in lambdas {
        for named in &methods {
            let base = Settings::preset(named.preset.unwrap_or(preset).into());
            let learn = LearnSettings {
                method: named.method,
                lambda: lambda.unwrap_or(base.learn.lambda),
                continuation: named.continuation,
                ..base.learn
            };
            let settings = Settings {
                learn: search.over(&learn),
                ..base
            };
            settings.check()?;
            let label = named.label();
            let known = |line: &Line| line.label == label && line.settings == settings;
            if !lines.iter().any(known) {
                lines.push(Line { label, settings });
            }
        }
    }
    Ok(lines)
}

/// The label of the method that the others are measured against: the first one if none is given.
pub(crate) fn reference(lines: &[Line], given: Option<&Named>) -> fnb::Result<String> {
    let Some(given) = given else {
        return Ok(lines[0].label.clone());
    };
    let label = given.label();
    if lines.iter().any(|line| line.label == label) {
        return Ok(label);
    }
    let mut labels: Vec<&str> = Vec::new();
    for line in lines {
        if !labels.contains(&line.label.as_str()) {
            labels.push(&line.label);
        }
    }
    let message = format!("the reference {label} is not among the methods to compare");
    Err(Error::new(Code::Usage, message).help(format!("the methods are {}", labels.join(", "))))
}
