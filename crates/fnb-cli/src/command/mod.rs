//! One file or folder per command: its arguments, and what it does. `cross_validate` is a part of
//! `train`, `size_path` of `inspect`.

pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod construct;
pub(crate) mod cross_validate;
pub(crate) mod demo;
pub(crate) mod describe;
pub(crate) mod evaluate;
pub(crate) mod explain;
pub(crate) mod inspect;
pub(crate) mod predict;
pub(crate) mod report;
pub(crate) mod schema;
pub(crate) mod size_path;
pub(crate) mod train;

use crate::args::Command;
use crate::output::Output;
use anyhow::Result;

/// Runs a command.
pub(crate) fn run(command: &Command, output: &Output) -> Result<()> {
    match command {
        Command::Train(arguments) => train::run(arguments, output),
        Command::Predict(arguments) => predict::run(arguments, output),
        Command::Evaluate(arguments) => evaluate::run(arguments, output),
        Command::Compare(arguments) => compare::run(arguments, output),
        Command::Construct(arguments) => construct::run(arguments, output),
        Command::Describe(arguments) => describe::run(arguments, output),
        Command::Inspect(arguments) => inspect::run(arguments),
        Command::Explain(arguments) => explain::run(arguments, output),
        Command::Report(arguments) => report::run(arguments, output),
        Command::Schema(arguments) => schema::run(arguments, output),
        Command::Demo(arguments) => demo::run(arguments, output),
        Command::Completions(arguments) => completions::run(arguments),
    }
}
