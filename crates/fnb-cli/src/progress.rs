//! Progress of the training, as a bar, lines of text or lines of JSON.

use crate::args::ProgressKind;
use crate::output::Output;
use fnb::{Progress, Stage};
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::Mutex;

/// Shows progress on standard error.
pub(crate) struct Shown {
    kind: ProgressKind,
    bar: ProgressBar,
    /// Stage and tenth of the work that were last written.
    last: Mutex<(Option<Stage>, usize)>,
}

impl Shown {
    pub(crate) fn new(output: &Output) -> Self {
        let bar = match output.progress {
            // Hidden by itself when standard error is not a terminal.
            ProgressKind::Auto => ProgressBar::new(0),
            _ => ProgressBar::hidden(),
        };
        let style = ProgressStyle::with_template("{msg:<10} [{wide_bar}] {pos}/{len} {elapsed}");
        bar.set_style(style.expect("the template is valid"));
        Self {
            kind: output.progress,
            bar,
            last: Mutex::new((None, 0)),
        }
    }

    /// Removes the bar.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Progress for Shown {
    fn report(&self, stage: Stage, done: usize, total: usize) {
        if self.kind == ProgressKind::None {
            return;
        }
        let name = match stage {
            Stage::Prepare => "preparing",
            Stage::Weights => "weighting",
        };
        if self.kind == ProgressKind::Auto {
            self.bar.set_message(name);
            self.bar.set_length(total as u64);
            self.bar.set_position(done as u64);
            return;
        }
        // Ten lines a stage are enough.
        let tenth = done * 10 / total.max(1);
        let mut last = self.last.lock().expect("no thread panics while it reports");
        if last.0 == Some(stage) && tenth <= last.1 {
            return;
        }
        *last = (Some(stage), tenth);
        match self.kind {
            ProgressKind::Json => {
                let line = serde_json::json!({"stage": name, "done": done, "total": total});
                eprintln!("{line}");
            }
            _ => eprintln!("{name} {done}/{total}"),
        }
    }
}
