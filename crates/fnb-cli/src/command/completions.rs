//! `fnb completions`: the completion script of a shell.

use crate::args::Cli;
use anyhow::Result;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "fnb", &mut script);
    crate::output::write_stdout(&String::from_utf8_lossy(&script))
}
