//! The program `fnb`: parse, run, exit code; nothing else.

#![warn(
    clippy::print_stderr,
    reason = "it panics where standard error is closed or full; output::say does not"
)]

mod advice;
mod args;
mod command;
mod destination;
mod findings;
mod heat_map;
mod input;
mod interrupt;
mod labelled;
mod memory;
mod output;
mod progress;
mod sparse;
mod spill;
mod tables;
mod threads;
mod view;

use anyhow::Result;
use args::Cli;
use clap::Parser;
use output::{Failure, Output};
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return output::report_usage(&error),
    };
    match std::panic::catch_unwind(|| start(&cli)) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(error)) => output::report(&error),
        // The panic has printed where it happened.
        Err(_) => output::report(&Failure::bug().into()),
    }
}

fn start(cli: &Cli) -> Result<()> {
    let output = Output::new(&cli.global);
    // Where its thread cannot be started, the work is done without an ear for Ctrl-C.
    let _ = ctrlc::set_handler(interrupt::exit);
    threads::start(cli.global.threads, &output)?;
    command::run(&cli.command, &output)
}
