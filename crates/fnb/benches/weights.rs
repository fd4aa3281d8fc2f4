//! The row loops, and whole searches: `cargo bench -p fnb --bench weights`.
#![allow(clippy::unwrap_used, reason = "the golden sets are read as in tests")]

#[path = "../src/weights/rows/aligned.rs"]
#[allow(
    dead_code,
    unused_imports,
    reason = "the loops that take the time are enough"
)]
mod aligned;
#[path = "../../../tests/data.rs"]
mod data;
#[path = "../tests/method/golden_set.rs"]
#[allow(dead_code, reason = "no weight is verified here")]
mod golden_set;
#[path = "../src/weights/rows/kernels.rs"]
#[allow(
    dead_code,
    unused_imports,
    reason = "the loops that take the time are enough"
)]
mod kernels;
#[path = "../src/math"]
mod math {
    #[allow(
        dead_code,
        unused_imports,
        reason = "the loops round terms, nothing is added up here"
    )]
    pub(crate) mod quantum;
}
#[path = "../tests/method/weights_synthetic.rs"]
#[allow(dead_code, reason = "one kind of data is enough")]
mod synthetic;
#[path = "../src/weights/rows/tiles.rs"]
#[allow(dead_code, reason = "the loops that take the time are enough")]
mod tiles;

use aligned::Aligned;
use divan::{Bencher, black_box, counter::ItemsCount};
use fnb::weights::optimise;
use fnb::{Preset, Settings};
use math::quantum::Quantum;

fn main() {
    divan::main();
}

/// Rows of the kernels; large ones stream from memory.
const ROWS: [usize; 2] = [16_384, 524_288];

const QUANTUM: Quantum = Quantum::of_terms_up_to(500.0);

/// Ratios of the parts of eight groups of a variable, looked up and multiplied.
#[divan::bench(args = ROWS)]
fn two_classes_trial(bencher: Bencher, rows: usize) {
    let (odds, codes) = (vec![0.3; rows], codes(rows));
    let table = [1.1; tiles::NARROW];
    bencher.counter(ItemsCount::new(rows)).bench(|| {
        let (mut ratios, mut sum) = ([0.0; kernels::CHUNK], 0);
        let chunks = black_box(&odds).chunks(kernels::CHUNK);
        for (odds, codes) in chunks.zip(codes.chunks(kernels::CHUNK)) {
            let ratios = &mut ratios[..odds.len()];
            tiles::look_up(&table, codes, ratios);
            sum += kernels::sum_of_logs_of_odds(odds, ratios, QUANTUM);
        }
        sum
    });
}

#[divan::bench(args = ROWS)]
fn two_classes_derivatives(bencher: Bencher, rows: usize) {
    let (others, codes) = (vec![0.3; rows], codes(rows));
    let table = [1.1; tiles::NARROW];
    bencher.counter(ItemsCount::new(rows)).bench(|| {
        let (mut margins, mut sum) = ([0.0; kernels::CHUNK], 0);
        let chunks = black_box(&others).chunks(kernels::CHUNK);
        for (others, codes) in chunks.zip(codes.chunks(kernels::CHUNK)) {
            let margins = &mut margins[..others.len()];
            tiles::look_up(&table, codes, margins);
            sum += kernels::sums_of_moments(others, margins, [QUANTUM; 2])[1];
        }
        sum
    });
}

fn codes(rows: usize) -> Vec<u8> {
    (0..rows).map(|row| (row * 7 % 8) as u8).collect()
}

/// Posteriors, a table of eight parts and the codes of some rows.
struct ManyClasses {
    posteriors: Aligned,
    table: tiles::Table,
    codes: Vec<u8>,
}

impl ManyClasses {
    fn new(rows: usize, classes: usize) -> Self {
        let mut table = tiles::Table::new(classes, 8);
        for (class, values) in table.classes().enumerate() {
            values.fill(1.0 / (1.0 + class as f64));
        }
        Self {
            posteriors: Aligned::new(rows.next_multiple_of(tiles::TILE) * classes, 0.1),
            table,
            codes: codes(rows),
        }
    }
}

#[divan::bench(args = ROWS, consts = [3, 10, 20])]
fn many_classes_trial<const CLASSES: usize>(bencher: Bencher, rows: usize) {
    let data = ManyClasses::new(rows, CLASSES);
    let mut mixes = vec![0.0; rows];
    bencher.counter(ItemsCount::new(rows)).bench_local(|| {
        let posteriors = black_box(&data.posteriors).as_chunks().0;
        tiles::mix(posteriors, &data.table, &data.codes, &mut mixes);
        let chunks = mixes.chunks(kernels::CHUNK);
        let sums = chunks.map(|mixes| kernels::sum_of_logs(mixes, QUANTUM));
        sums.sum::<i64>()
    });
}

#[divan::bench(args = ROWS, consts = [3, 10, 20])]
fn many_classes_derivatives<const CLASSES: usize>(bencher: Bencher, rows: usize) {
    let data = ManyClasses::new(rows, CLASSES);
    let (mut means, mut variances) = (vec![0; rows], vec![0; rows]);
    bencher.counter(ItemsCount::new(rows)).bench_local(|| {
        let posteriors = black_box(&data.posteriors).as_chunks().0;
        let (means, variances) = (&mut means, &mut variances);
        let (table, codes) = (&data.table, &data.codes);
        tiles::moments(posteriors, table, codes, [QUANTUM; 2], means, variances);
    });
}

#[divan::bench(args = ROWS, consts = [3, 10, 20])]
fn many_classes_move<const CLASSES: usize>(bencher: Bencher, rows: usize) {
    let mut data = ManyClasses::new(rows, CLASSES);
    let mixes = vec![1.0; rows];
    bencher.counter(ItemsCount::new(rows)).bench_local(|| {
        let posteriors = data.posteriors.as_chunks_mut().0;
        tiles::tilt(posteriors, &data.table, &data.codes, &mixes);
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
    let Some(set) = golden_set::load_outside("letter") else {
        return;
    };
    let candidates = set.candidates();
    let cost = set.null_preparation_cost();
    let settings = Settings::preset(preset).learn;
    let pool = pool(threads);
    bencher.bench(|| {
        pool.install(|| optimise(&candidates, &set.target.outcomes(), cost, &settings, &()))
    });
}

#[divan::bench(args = THREADS, consts = [0, 1, 2], sample_count = 5)]
fn million_rows_two_classes<const PRESET: usize>(bencher: Bencher, threads: usize) {
    let preset = [Preset::Khiops, Preset::Paper, Preset::Default][PRESET];
    let set = synthetic::SyntheticSet::new(1_000_000, 2, &[4, 6, 8, 5, 12, 3, 7], 1);
    let candidates = set.candidates();
    let settings = Settings::preset(preset).learn;
    let pool = pool(threads);
    bencher.bench(|| {
        pool.install(|| optimise(&candidates, &set.target.outcomes(), 7.0, &settings, &()))
    });
}

#[divan::bench(consts = [0, 1, 2], sample_count = 5)]
fn many_variables<const PRESET: usize>(bencher: Bencher) {
    let preset = [Preset::Khiops, Preset::Paper, Preset::Default][PRESET];
    let set = synthetic::SyntheticSet::new(1_000, 5, &[4; 2_000], 1);
    let candidates = set.candidates();
    let settings = Settings::preset(preset).learn;
    let pool = pool(1);
    bencher.bench(|| {
        pool.install(|| optimise(&candidates, &set.target.outcomes(), 7.0, &settings, &()))
    });
}
