//! Progress, as a bar, lines of text or lines of JSON.

use crate::args::ProgressKind;
use crate::output::{self, Output};
use fnb::{Progress, Stage};
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::Mutex;

/// Shows progress on standard error.
pub(crate) struct Shown {
    kind: ProgressKind,
    bar: ProgressBar,
    /// Work and tenth of it that were last written.
    last: Mutex<(&'static str, usize)>,
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
            last: Mutex::new(("", 0)),
        }
    }

    /// Removes the bar.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }

    /// A handle to remove the bar from another thread.
    pub(crate) fn bar(&self) -> ProgressBar {
        self.bar.clone()
    }

    /// `done` of `total` steps of some work are finished.
    pub(crate) fn show(&self, work: &'static str, done: usize, total: usize) {
        if self.kind == ProgressKind::None {
            return;
        }
        if self.kind == ProgressKind::Auto {
            self.bar.set_message(work);
            self.bar.set_length(total as u64);
            self.bar.set_position(done as u64);
            return;
        }
        // Ten lines of each are enough.
        let tenth = done * 10 / total.max(1);
        let mut last = self.last.lock().expect("no thread panics while it reports");
        if last.0 == work && tenth <= last.1 {
            return;
        }
        *last = (work, tenth);
        match self.kind {
            ProgressKind::Json => {
                let line = serde_json::json!({"stage": work, "done": done, "total": total});
                output::say(line);
            }
            _ => output::say(format_args!("{work} {done}/{total}")),
        }
    }
}

impl Progress for Shown {
    fn report(&self, stage: Stage, done: usize, total: usize) {
        let work = match stage {
            Stage::Prepare => "preparing",
            Stage::Weights => "weighting",
            Stage::Interactions => "looking for tables",
        };
        self.show(work, done, total);
    }
}
