//! Training that the caller ends: at whatever moment, an error and no panic.

use fnb::columns::{Column, ColumnData, Frame, NumericColumn, Target};
use fnb::weights::LearnSettings;
use fnb::{Code, Method, Progress, Settings, Stage, Start, train};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Loses interest after so many looks.
struct Patience {
    looks: AtomicUsize,
    most: usize,
}

impl Patience {
    fn new(most: usize) -> Self {
        let looks = AtomicUsize::new(0);
        Self { looks, most }
    }
}

impl Progress for Patience {
    fn report(&self, _: Stage, _: usize, _: usize) {}

    fn cancelled(&self) -> bool {
        self.looks.fetch_add(1, Ordering::Relaxed) >= self.most
    }
}

/// Eight noisy views of two hidden numbers.
fn table() -> (Frame, Target) {
    let hash = |row: usize, salt: usize| (row * 7919 + salt * 104_729) * 2_654_435_761 % 1000;
    let column = |salt: usize| {
        let value = |row: usize| (hash(row, salt % 2) + hash(row, salt + 10) / 2) as f64;
        Column {
            name: format!("x{salt}"),
            data: ColumnData::Numeric(NumericColumn::new((0..600).map(value).collect())),
        }
    };
    let frame = Frame::new(600, (0..8).map(column).collect()).unwrap();
    let class = |row: usize| {
        let sum = hash(row, 0) + hash(row, 1) + hash(row, 99) / 4;
        Some(if sum > 1100 { "high" } else { "low" })
    };
    let data = ColumnData::Categorical((0..600).map(class).collect());
    let name = "y".into();
    (frame, Target::from_column(&Column { name, data }).unwrap())
}

#[test]
fn any_method_ends_at_any_moment() {
    let (frame, target) = table();
    for method in Method::ALL {
        for (continuation, start, max_selected) in [
            (false, None, None),
            (true, Some(Start::Snb), Some(2)),
            (false, Some(Start::Fnb), Some(1)),
        ] {
            let learn = LearnSettings {
                method,
                continuation,
                start,
                max_selected,
                ..LearnSettings::default()
            };
            let settings = Settings {
                learn,
                ..Settings::default()
            };
            let watched = Patience::new(usize::MAX);
            let whole = train(frame.clone(), &target, &settings, &watched)
                .unwrap()
                .model;
            assert!(whole.training().selected > 0, "{method:?}");
            assert_eq!(
                whole.to_json(),
                train(frame.clone(), &target, &settings, &())
                    .unwrap()
                    .model
                    .to_json()
            );
            let looks = watched.looks.into_inner();
            for most in (0..looks).step_by((looks / 12).max(1)) {
                let error =
                    train(frame.clone(), &target, &settings, &Patience::new(most)).unwrap_err();
                assert_eq!(
                    error.code(),
                    Code::Interrupted,
                    "{method:?} after {most} looks"
                );
            }
        }
    }
}
