//! The row loops, and whole searches: `cargo bench -p fnb --bench weights`.
#![allow(clippy::unwrap_used, reason = "the golden sets are read as in tests")]

#[path = "../tests/method/golden_set.rs"]
#[allow(dead_code, reason = "no weight is verified here")]
mod golden_set;
#[path = "../src/weights/rows/kernels.rs"]
#[allow(dead_code, reason = "the loops that take the time are enough")]
mod kernels;
#[path = "../tests/method/weights_synthetic.rs"]
#[allow(dead_code, reason = "one kind of data is enough")]
mod synthetic;

use divan::{Bencher, black_box, counter::ItemsCount};
use fnb::weights::optimise;
use fnb::{Preset, Settings};
use kernels::{LogProduct, Quad};

fn main() {
    divan::main();
}

/// Rows of the kernels; large ones stream from memory.
const ROWS: [usize; 2] = [16_384, 1_048_576];

#[divan::bench(args = ROWS)]
fn two_classes_smoothed(bencher: Bencher, rows: usize) {
    let (odds, ratios) = (vec![0.3; rows], vec![1.1; kernels::CHUNK]);
    bencher.counter(ItemsCount::new(rows)).bench(|| {
        let (mut product, mut smoothed) = (LogProduct::new(), LogProduct::new());
        for odds in black_box(&odds).chunks(kernels::CHUNK) {
            kernels::multiply_by_smoothed_odds(
                odds,
                &ratios[..odds.len()],
                1e-6,
                &mut product,
                &mut smoothed,
            );
        }
        product.ln() - smoothed.ln()
    });
}

#[divan::bench(args = [3, 10, 26, 40])]
fn many_classes(bencher: Bencher, classes: usize) {
    let rows = 20_000;
    let quads = classes.div_ceil(4);
    let posteriors: Vec<Quad> = vec![[0.1; 4]; rows * quads];
    let table: Vec<Quad> = vec![[0.9; 4]; 8 * quads];
    let codes: Vec<u8> = (0..rows).map(|row| (row * 7 % 8) as u8).collect();
    let mut mixes = vec![0.0; rows];
    bencher.counter(ItemsCount::new(rows)).bench_local(|| {
        kernels::mix_rows(quads, black_box(&posteriors), &table, &codes, &mut mixes);
        mixes[0]
    });
}

/// One thread and two.
const THREADS: [usize; 2] = [1, 2];

fn pool(threads: usize) -> rayon::ThreadPool {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build().expect("a pool of threads")
}

#[divan::bench(args = THREADS, consts = [0, 1, 2], sample_count = 10)]
fn letter<const PRESET: usize>(bencher: Bencher, threads: usize) {
    let preset = [Preset::Khiops, Preset::Paper, Preset::Default][PRESET];
    let Some(set) = golden_set::load("letter") else {
        return;
    };
    let candidates = set.candidates();
    let cost = set.null_preparation_cost();
    let settings = Settings::preset(preset);
    let pool = pool(threads);
    bencher.bench(|| pool.install(|| optimise(&candidates, &set.target, cost, &settings, &())));
}

#[divan::bench(args = THREADS, consts = [0, 1, 2], sample_count = 5)]
fn million_rows_two_classes<const PRESET: usize>(bencher: Bencher, threads: usize) {
    let preset = [Preset::Khiops, Preset::Paper, Preset::Default][PRESET];
    let set = synthetic::SyntheticSet::new(1_000_000, 2, &[4, 6, 8, 5, 12, 3, 7], 1);
    let candidates = set.candidates();
    let settings = Settings::preset(preset);
    let pool = pool(threads);
    bencher.bench(|| pool.install(|| optimise(&candidates, &set.target, 7.0, &settings, &())));
}

#[divan::bench(consts = [0, 1, 2], sample_count = 5)]
fn many_variables<const PRESET: usize>(bencher: Bencher) {
    let preset = [Preset::Khiops, Preset::Paper, Preset::Default][PRESET];
    let set = synthetic::SyntheticSet::new(1_000, 5, &[4; 2_000], 1);
    let candidates = set.candidates();
    let settings = Settings::preset(preset);
    let pool = pool(1);
    bencher.bench(|| pool.install(|| optimise(&candidates, &set.target, 7.0, &settings, &())));
}
