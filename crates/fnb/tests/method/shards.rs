//! Rows in shards give the model of the same rows in one place, byte for byte: any number of shards, empty
//! ones and single rows, every method, weights of rows and classes, sessions that are lost on the way.

use crate::relational_random::Random;
use crate::weights_methods::every_method;
use fnb::columns::{
    CategoricalColumn, ClassWeights, Column, ColumnData, Frame, NumericColumn, Target, Temporal,
    TemporalColumn,
};
use fnb::relational::Database;
use fnb::shards::{
    Answer, Block, Counting, Encoder, Leader, Session, ShardRows, Survey, TableCounts,
};
use fnb::weights::Interactions;
use fnb::{Method, Settings};
use std::sync::{Arc, Mutex};

/// A table to learn from.
struct Table {
    frame: Frame,
    target: Column,
    weights: Option<Vec<f64>>,
    class_weights: Option<ClassWeights>,
}

fn numbers(name: &str, values: Vec<f64>) -> Column {
    let data = ColumnData::Numeric(NumericColumn::new(values));
    Column {
        name: name.into(),
        data,
    }
}

fn texts(name: &str, values: &[Option<String>]) -> Column {
    let column: CategoricalColumn = values.iter().map(Option::as_deref).collect();
    Column {
        name: name.into(),
        data: ColumnData::Categorical(column),
    }
}

impl Table {
    /// Numbers, categories, missing values, dates, a constant and an identifier; what tells the class does so
    /// with noise, and two columns do so together only.
    fn random(seed: u64, rows: usize, classes: usize) -> Self {
        let mut random = Random::new(seed + 17);
        let labels: Vec<usize> = (0..rows)
            .map(|row| {
                if row < classes {
                    row
                } else {
                    random.below(classes)
                }
            })
            .collect();
        let mut columns = Vec::new();
        for k in 0..3 {
            let noise = 2 + random.below(3 * classes);
            let mut value = |label: &usize| match random.below(20) {
                0 => f64::NAN,
                _ => (2 * label + random.below(noise)) as f64 / 3.0,
            };
            let values = labels.iter().map(&mut value).collect();
            columns.push(numbers(&format!("x{k}"), values));
        }
        for k in 0..2 {
            let names = [7, 40][k];
            let mut value = |label: &usize| match random.below(15) {
                0 => None,
                1..6 => Some(format!("v{}", random.below(names))),
                _ => Some(format!("v{}", label * 3 % names)),
            };
            let values: Vec<Option<String>> = labels.iter().map(&mut value).collect();
            columns.push(texts(&format!("c{k}"), &values));
        }
        let halves: Vec<usize> = (0..rows).map(|_| random.below(2)).collect();
        let together = |(half, label): (&usize, &usize)| (half ^ (label % 2)) as f64;
        columns.push(numbers(
            "half",
            halves.iter().map(|&half| half as f64).collect(),
        ));
        columns.push(numbers(
            "other",
            halves.iter().zip(&labels).map(together).collect(),
        ));
        let days = labels.iter().map(|label| match random.below(9) {
            0 => TemporalColumn::MISSING,
            _ => (random.below(1000) * 7 + (label + random.below(4)) % 7) as i64,
        });
        columns.push(Column {
            name: "day".into(),
            data: ColumnData::Temporal(TemporalColumn::new(Temporal::Date, days.collect())),
        });
        columns.push(numbers("same", vec![3.0; rows]));
        columns.push(numbers(
            "number",
            (0..rows).map(|row| row as f64 + 5.0).collect(),
        ));
        let truths = labels.iter().map(|label| {
            let is_true = label % 2 == usize::from(random.one_in(3));
            Some(if is_true { "yes" } else { "no" }.to_owned())
        });
        columns.push(texts("truth", &truths.collect::<Vec<_>>()));
        let codes = labels
            .iter()
            .map(|label| Some(format!("{:02}", label / 2 + random.below(9))));
        columns.push(texts("code", &codes.collect::<Vec<_>>()));
        let ids: Vec<_> = (0..rows).map(|row| Some(format!("id{row}"))).collect();
        columns.push(texts("id", &ids));
        let names: Vec<_> = labels
            .iter()
            .map(|label| Some(format!("class {label}")))
            .collect();
        let kind = random.below(5);
        let mut weight = |row: usize| match kind {
            0 => 1.0 + random.below(3) as f64,
            1 if row >= classes => random.below(2) as f64,
            1 => 1.0,
            2 if row >= classes => random.below(30) as f64 / 7.0,
            _ => (1 + random.below(30)) as f64 / 7.0,
        };
        let weights = (kind < 4).then(|| (0..rows).map(&mut weight).collect());
        let class_weights = match random.below(4) {
            0 => Some(ClassWeights::Balanced),
            1 => Some(ClassWeights::Given(vec![("class 1".into(), 2.5)])),
            _ => None,
        };
        Self {
            frame: Frame::new(rows, columns).unwrap(),
            target: texts("y", &names),
            weights,
            class_weights,
        }
    }

    /// The model of all rows in one place.
    fn here(&self, settings: &Settings) -> String {
        let mut target = Target::from_column(&self.target).unwrap();
        if let Some(weights) = &self.weights {
            target = target.with_weights(weights).unwrap();
        }
        if let Some(weights) = &self.class_weights {
            target = target.with_class_weights(weights).unwrap();
        }
        let training = fnb::train(self.frame.clone(), &target, settings, &()).unwrap();
        training.model.to_json()
    }

    fn block<T>(
        &self,
        rows: &[usize],
        work: impl FnOnce(&Block) -> fnb::Result<T>,
    ) -> fnb::Result<T> {
        let target = Column {
            name: self.target.name.clone(),
            data: self.target.data.take(rows),
        };
        let weights = self.weights.as_ref();
        let weights: Option<Vec<f64>> = weights.map(|w| rows.iter().map(|&row| w[row]).collect());
        work(&Block {
            database: self.frame.take(rows).into(),
            target: &target,
            weights: weights.as_deref(),
        })
    }

    /// The columns without rows.
    fn empty(&self) -> Database {
        self.frame.take(&[]).into()
    }
}

/// The rows of every shard, in blocks.
type Shards = Vec<Vec<Vec<usize>>>;

/// Rows dealt out at random; some shards may be empty.
fn deal(rows: usize, shards: usize, seed: u64) -> Shards {
    let mut random = Random::new(seed + 3);
    let mut dealt = vec![vec![Vec::new(); 2]; shards];
    for row in 0..rows {
        let shard = random.below(shards.max(2)).min(shards - 1);
        dealt[shard][random.below(2)].push(row);
    }
    dealt
}

/// What goes wrong: sessions are thrown away and started again with this chance, in per cent.
#[derive(Clone, Copy)]
struct Faults(usize);

/// The model learnt from shards, and the number of rounds.
fn model_of_shards(
    table: &Table,
    shards: &Shards,
    settings: &Settings,
    faults: Faults,
) -> fnb::Result<(String, usize)> {
    let survey = |of: &Survey| {
        let mut all = of.clone();
        for blocks in shards {
            let mut own = of.clone();
            for rows in blocks {
                table.block(rows, |block| own.add(block.target, block.weights))?;
            }
            all.merge(Survey::from_bytes(&own.to_bytes())?, "y")?;
        }
        Ok::<_, fnb::Error>(all)
    };
    let mut surveyed = survey(&Survey::default())?;
    if let Some(again) = surveyed.again() {
        surveyed = survey(&again)?;
    }
    let class_weights = table.class_weights.clone();
    let counting = Counting::new(&surveyed, &table.empty(), "y", settings, class_weights)?;
    let plan = counting.to_bytes();
    let mut counts = TableCounts::default();
    for blocks in shards.iter().rev() {
        let mut own = TableCounts::default();
        for rows in blocks {
            table.block(rows, |block| Counting::count(&plan, block, &mut own))?;
        }
        counts.merge(TableCounts::from_bytes(&own.to_bytes())?)?;
    }
    let encoding = counting.prepare(counts, &())?;
    let sent = encoding.to_bytes();
    let encoder = Encoder::new(&sent)?;
    let mut files = Vec::new();
    let mut facts = Vec::new();
    for blocks in shards {
        let mut own = ShardRows::default();
        for rows in blocks {
            table.block(rows, |block| encoder.encode(block, &mut own))?;
        }
        facts.push(own.facts());
        files.push(own.to_bytes());
    }
    if let [file] = files.as_slice() {
        let rows = ShardRows::from_bytes(file)?;
        let here = encoding.learn_here(rows, &())?.model.to_json();
        assert_same(&here, &table.here(settings), "a shard that is here");
    }
    let start = encoding.start(&facts)?;
    let begin = move |file: &Vec<u8>| Session::new(&sent, &start, ShardRows::from_bytes(file)?);
    let sessions = files.iter().map(&begin).collect::<fnb::Result<Vec<_>>>()?;
    let sessions = Mutex::new((sessions, Random::new(5)));
    let leader = Arc::new(Leader::new(Box::new(move |round| {
        let (sessions, random) = &mut *sessions.lock().unwrap();
        let answers = sessions.iter_mut().zip(&files).map(|(session, file)| {
            if random.below(100) < faults.0 {
                *session = begin(file)?;
            }
            let answer = session.answer(round)?;
            // Whoever asks again is told the same.
            if matches!(answer, Answer::Part(_)) {
                assert_eq!(answer, session.answer(round)?);
            }
            Ok(answer.to_bytes())
        });
        answers.collect()
    })));
    let training = encoding.learn(&facts, Arc::clone(&leader) as _, &())?;
    Ok((training.model.to_json(), leader.rounds()))
}

/// Two models are the same, or where they first differ.
fn assert_same(found: &str, expected: &str, what: &str) {
    let mut lines = found.lines().zip(expected.lines()).enumerate();
    if let Some((i, (found, expected))) = lines.find(|(_, (found, expected))| found != expected) {
        panic!("{what}: line {} is {found}, not {expected}", i + 1);
    }
    assert_eq!(found.len(), expected.len(), "{what}");
}

#[test]
fn the_number_of_shards_does_not_matter() {
    let (mut tables_over_several, mut dates) = (0, 0);
    for seed in 0..24 {
        let (rows, classes) = if seed % 4 == 3 {
            (900, 20)
        } else {
            (400, 2 + seed as usize % 3)
        };
        let table = Table::random(seed, rows, classes);
        let settings = Settings::default();
        let expected = table.here(&settings);
        tables_over_several += usize::from(expected.contains(" × "));
        dates += usize::from(expected.contains("{\"name\":\"day.WeekDay\",\"axes\""));
        for shards in [1, 3, 7] {
            let shards = deal(rows, shards, seed);
            let (found, _) = model_of_shards(&table, &shards, &settings, Faults(0)).unwrap();
            let what = format!("table {seed}, {} shards", shards.len());
            assert_same(&found, &expected, &what);
        }
    }
    // What is compared has something in it.
    assert!(tables_over_several > 2, "{tables_over_several}");
    assert!(dates > 5, "{dates}");
}

#[test]
fn every_method_gives_the_same() {
    for (seed, classes) in [(100, 2), (101, 5)] {
        let table = Table::random(seed, 300, classes);
        let shards = deal(300, 3, seed);
        for (name, learn) in every_method() {
            let settings = Settings {
                learn,
                ..Settings::default()
            };
            let (found, _) = model_of_shards(&table, &shards, &settings, Faults(0)).unwrap();
            let what = format!("{name}, {classes} classes");
            assert_same(&found, &table.here(&settings), &what);
        }
    }
}

#[test]
fn lost_sessions_do_not_matter() {
    for (seed, classes) in [(200, 2), (201, 7)] {
        let table = Table::random(seed, 150, classes);
        let shards = deal(150, 2, seed);
        for (name, learn) in every_method() {
            let settings = Settings {
                learn,
                ..Settings::default()
            };
            let (found, _) = model_of_shards(&table, &shards, &settings, Faults(2)).unwrap();
            assert_same(&found, &table.here(&settings), &name);
        }
    }
}

#[test]
fn a_row_in_each_shard() {
    let table = Table::random(300, 60, 2);
    let settings = Settings::default();
    let shards: Shards = (0..60).map(|row| vec![vec![row]]).chain([vec![]]).collect();
    let (found, _) = model_of_shards(&table, &shards, &settings, Faults(0)).unwrap();
    assert_same(&found, &table.here(&settings), "a row in each");
}

#[test]
fn very_many_categories() {
    let rows = 30_000;
    let mut random = Random::new(9);
    let labels: Vec<usize> = (0..rows).map(|_| random.below(2)).collect();
    let value = |label: &usize| Some(format!("k{}", random.below(10_000) * 2 + label));
    let values: Vec<Option<String>> = labels.iter().map(value).collect();
    let names: Vec<_> = labels.iter().map(|label| Some(label.to_string())).collect();
    let table = Table {
        frame: Frame::new(rows, vec![texts("key", &values)]).unwrap(),
        target: texts("y", &names),
        weights: None,
        class_weights: None,
    };
    let settings = Settings::default();
    let shards = deal(rows, 3, 1);
    let (found, _) = model_of_shards(&table, &shards, &settings, Faults(0)).unwrap();
    assert_same(&found, &table.here(&settings), "many categories");
    assert!(found.contains("\"key\""));
}

#[test]
fn rounds_are_counted() {
    let table = Table::random(100, 300, 2);
    let rounds = |settings: &Settings| {
        let shards = deal(300, 3, 0);
        model_of_shards(&table, &shards, settings, Faults(0))
            .unwrap()
            .1
    };
    let mut settings = Settings::default();
    let with_tables = rounds(&settings);
    settings.learn.interactions = Interactions::None;
    let without = rounds(&settings);
    settings.learn.method = Method::Nb;
    let least = rounds(&settings);
    assert!(0 < least && least < without && without < with_tables);
}
