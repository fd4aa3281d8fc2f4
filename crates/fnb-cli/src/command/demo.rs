//! `fnb demo`: the whole path on a real data set that comes with the program.

use crate::args::Cli;
use crate::destination;
use crate::output::{self, Output};
use anyhow::Result;
use clap::{Args, Parser};
use fnb::{Code, Error};
use std::path::PathBuf;

/// Breast cancer Wisconsin (diagnostic): 569 tumours, 30 measures of their cells, and whether
/// they are malignant.
const DATA: &str = include_str!("../../demo/breast_cancer.csv");

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The folder to write the files into
    #[arg(short, long, value_name = "FOLDER", default_value = "fnb-demo")]
    output: PathBuf,
}

pub(crate) fn run(arguments: &Arguments, output: &Output) -> Result<()> {
    let folder = &arguments.output;
    if destination::is_stdout(folder) {
        let error = Error::new(Code::Usage, "the files of the demo need a folder");
        return Err(error.help("name one with -o").into());
    }
    std::fs::create_dir_all(folder).map_err(|error| {
        Error::new(
            Code::Output,
            format!("cannot make the folder {}: {error}", folder.display()),
        )
        .help("choose another one with -o")
    })?;
    let file = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let (data, model) = (file("breast_cancer.csv"), file("model.json"));
    let (predictions, report) = (file("predictions.csv"), file("report.html"));
    destination::write(data.as_ref(), DATA)?;

    output::print("569 tumours, 30 measures of their cells: which ones are malignant?")?;
    for command in [
        vec![
            "train",
            &data,
            "-t",
            "diagnosis",
            "--cv",
            "10",
            "-o",
            &model,
            "--report",
            &report,
        ],
        vec!["inspect", &model],
        vec![
            "predict",
            &model,
            &data,
            "-o",
            &predictions,
            "--proba",
            "--reasons",
            "2",
        ],
        vec!["explain", &model, &data, "--row", "1"],
    ] {
        output::print(format_args!("\n$ fnb {}", command.join(" ")))?;
        let cli = Cli::try_parse_from(["fnb"].into_iter().chain(command))?;
        super::run(&cli.command, output)?;
    }
    output::print(format_args!(
        "\nwritten into {}: the data, the model, the predictions, and a page to look at:\n  {report}\n\
         Now try your own:\n  fnb train DATA -t TARGET -o model.json --report report.html",
        folder.display()
    ))
}
