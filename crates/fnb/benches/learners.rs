//! Whole learners on redundant variables: `cargo bench -p fnb --bench learners`.
//!
//! `--bench learners speed` compares methods on 20 000 rows and 2 000 variables (minutes), `rows` and
//! `variables` show how time grows with either. One thread.
#![allow(dead_code, reason = "the generator serves tests too")]

#[path = "../tests/method/weights_synthetic.rs"]
mod synthetic;

use divan::Bencher;
use fnb::Method;
use fnb::weights::{LearnSettings, optimise};
use synthetic::SyntheticSet;

fn main() {
    divan::main();
}

/// Hidden factors that all variables see.
const FACTORS: usize = 12;

fn learn(bencher: Bencher, method: &str, classes: usize, rows: usize, variables: usize) {
    let set = SyntheticSet::redundant(rows, classes, FACTORS, variables, 1);
    let candidates = set.candidates();
    let method = Method::ALL.into_iter().find(|m| m.as_str() == method);
    let settings = LearnSettings {
        method: method.expect("a method"),
        ..LearnSettings::default()
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool.expect("one thread");
    bencher.bench(|| {
        pool.install(|| optimise(&candidates, &set.target.outcomes(), 7.0, &settings, &()))
    });
}

const METHODS: [&str; 5] = ["fnb", "fnb-ordered", "coordinate", "snb", "sg.cf"];

#[divan::bench(args = METHODS, consts = [2, 20], sample_count = 1, sample_size = 1)]
fn speed<const CLASSES: usize>(bencher: Bencher, method: &str) {
    learn(bencher, method, CLASSES, 20_000, 2_000);
}

const OURS: [&str; 2] = ["fnb-ordered", "coordinate"];

#[divan::bench(args = OURS, consts = [5_000, 10_000, 20_000], sample_count = 1, sample_size = 1)]
fn rows<const ROWS: usize>(bencher: Bencher, method: &str) {
    learn(bencher, method, 2, ROWS, 1_000);
}

#[divan::bench(args = OURS, consts = [500, 1_000, 2_000], sample_count = 1, sample_size = 1)]
fn variables<const VARIABLES: usize>(bencher: Bencher, method: &str) {
    learn(bencher, method, 2, 10_000, VARIABLES);
}
