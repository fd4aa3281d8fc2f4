//! Rows of the main table that repeat a key share its records, each at its own time: as if every row
//! had a key and records of its own.

use super::relational_model::without_joins;
use super::relational_random::Random;
use fnb::columns::{
    CategoricalColumn, Column, ColumnData, Frame, NumericColumn, Target, Temporal, TemporalColumn,
};
use fnb::relational::{Arithmetic, Cutoff, Database, Schema};
use fnb::{FoldFigures, Labelled, Preset, Settings, cross_validate};
use std::collections::BTreeMap;

const SCHEMA: &str = r#"{"root": "Visit", "entities": {
    "Visit": {"key": ["id"], "fields": [
        {"name": "id", "type": "categorical", "unused": true},
        {"name": "at", "type": "timestamp", "unused": true},
        {"name": "age", "type": "numerical"}, {"name": "city", "type": "categorical"},
        {"name": "orders", "relation": "many", "entity": "Order"},
        {"name": "home", "relation": "one", "entity": "Home"},
        {"name": "place", "relation": "one", "entity": "City", "by": ["city"]}]},
    "Order": {"key": ["id", "order"], "fields": [
        {"name": "id", "type": "categorical"}, {"name": "order", "type": "categorical"},
        {"name": "day", "type": "date"}, {"name": "price", "type": "numerical"},
        {"name": "kind", "type": "categorical"}, {"name": "note", "type": "text"},
        {"name": "items", "relation": "many", "entity": "Item"}]},
    "Item": {"key": ["id", "order"], "fields": [
        {"name": "id", "type": "categorical"}, {"name": "order", "type": "categorical"},
        {"name": "sent", "type": "timestamp"}, {"name": "weight", "type": "numerical"},
        {"name": "colour", "type": "categorical"}]},
    "Home": {"key": ["id"], "fields": [
        {"name": "id", "type": "categorical"}, {"name": "since", "type": "date"},
        {"name": "rooms", "type": "numerical"}]},
    "City": {"key": ["city"], "fields": [
        {"name": "city", "type": "categorical"}, {"name": "size", "type": "numerical"},
        {"name": "shops", "relation": "many", "entity": "Shop"}]},
    "Shop": {"key": ["city"], "fields": [
        {"name": "city", "type": "categorical"}, {"name": "opened", "type": "date"},
        {"name": "sales", "type": "numerical"}, {"name": "sells", "type": "categorical"}]}}}"#;

const DAY: i64 = 86_400_000_000;

/// A table as columns of texts, numbers and times by row.
#[derive(Clone, Default)]
struct Rows {
    texts: Vec<(&'static str, Vec<Option<String>>)>,
    numbers: Vec<(&'static str, Vec<f64>)>,
    times: Vec<(&'static str, Temporal, Vec<i64>)>,
}

impl Rows {
    fn len(&self) -> usize {
        self.texts[0].1.len()
    }

    fn take(&self, rows: &[usize]) -> Self {
        let mut taken = self.clone();
        for (_, values) in &mut taken.texts {
            *values = rows.iter().map(|&row| values[row].clone()).collect();
        }
        for (_, values) in &mut taken.numbers {
            *values = rows.iter().map(|&row| values[row]).collect();
        }
        for (_, _, values) in &mut taken.times {
            *values = rows.iter().map(|&row| values[row]).collect();
        }
        taken
    }

    fn frame(&self) -> Frame {
        let column = |name: &str, data| Column {
            name: name.into(),
            data,
        };
        let texts = self.texts.iter().map(|(name, values)| {
            let values: CategoricalColumn = values.iter().map(Option::as_deref).collect();
            let data = match *name {
                "note" => ColumnData::Text(values),
                _ => ColumnData::Categorical(values),
            };
            column(name, data)
        });
        let numbers = self.numbers.iter().map(|(name, values)| {
            column(
                name,
                ColumnData::Numeric(NumericColumn::new(values.clone())),
            )
        });
        let times = self.times.iter().map(|(name, kind, values)| {
            let data = TemporalColumn::new(*kind, values.clone());
            column(name, ColumnData::Temporal(data))
        });
        let columns = texts.chain(numbers).chain(times).collect();
        Frame::new(self.len(), columns).unwrap()
    }
}

fn column<T>(random: &mut Random, rows: usize, value: impl Fn(&mut Random) -> T) -> Vec<T> {
    (0..rows).map(|_| value(random)).collect()
}

fn number(random: &mut Random) -> f64 {
    random.below(500) as f64 / 4.0
}

fn day(random: &mut Random) -> i64 {
    if random.one_in(30) {
        return TemporalColumn::MISSING;
    }
    19_000 + random.below(300) as i64
}

fn moment(random: &mut Random) -> i64 {
    match day(random) {
        TemporalColumn::MISSING => TemporalColumn::MISSING,
        day => day * DAY + random.below(1440) as i64 * 60_000_000,
    }
}

fn word(words: &[&str]) -> impl Fn(&mut Random) -> Option<String> {
    move |random| Some(words[random.below(words.len())].to_owned())
}

/// Few people who come several times, with their records; the class follows those of the past.
fn tables(seed: u64, visits: usize, people: usize) -> (BTreeMap<&'static str, Rows>, Vec<bool>) {
    let person = |random: &mut Random| {
        let person = format!("p{}", random.below(people));
        Some(person).filter(|_| !random.one_in(40))
    };
    let r = &mut Random::new(seed);
    let n = visits;
    let main = Rows {
        texts: vec![
            ("id", column(r, n, person)),
            ("city", column(r, n, word(&["a", "b", "c", "nowhere"]))),
        ],
        numbers: vec![("age", column(r, n, number))],
        times: vec![("at", Temporal::Timestamp, column(r, n, moment))],
    };
    let n = 6 * people;
    let numbers = ["1", "2", "3", "4", "5", "6", "7"];
    let notes = ["late again", "fine", "broken, late", "all fine"];
    let orders = Rows {
        texts: vec![
            ("id", column(r, n, person)),
            ("order", column(r, n, word(&numbers))),
            ("kind", column(r, n, word(&["web", "shop", "phone"]))),
            ("note", column(r, n, word(&notes))),
        ],
        numbers: vec![("price", column(r, n, number))],
        times: vec![("day", Temporal::Date, column(r, n, day))],
    };
    let of_orders = column(r, 3 * n, |r: &mut Random| r.below(n));
    let owned = orders.take(&of_orders);
    let owner = |c: usize| owned.texts[c].1.clone();
    let items = Rows {
        texts: vec![
            ("id", owner(0)),
            ("order", owner(1)),
            ("colour", column(r, 3 * n, word(&["red", "blue"]))),
        ],
        numbers: vec![("weight", column(r, 3 * n, number))],
        times: vec![("sent", Temporal::Timestamp, column(r, 3 * n, moment))],
    };
    let n = 2 * people;
    let home = Rows {
        texts: vec![("id", column(r, n, person))],
        numbers: vec![("rooms", column(r, n, number))],
        times: vec![("since", Temporal::Date, column(r, n, day))],
    };
    let cities = Rows {
        texts: vec![("city", ["a", "b", "c"].map(|c| Some(c.to_owned())).to_vec())],
        numbers: vec![("size", vec![3.0, 1.0, 2.0])],
        times: vec![],
    };
    let shops = Rows {
        texts: vec![
            ("city", column(r, 60, word(&["a", "b", "c"]))),
            ("sells", column(r, 60, word(&["food", "shoes"]))),
        ],
        numbers: vec![("sales", column(r, 60, number))],
        times: vec![("opened", Temporal::Date, column(r, 60, day))],
    };
    let classes = (0..visits).map(|row| class(row, &main, &orders, &shops));
    let classes = classes.collect();
    let tables = [
        ("", main),
        ("orders", orders),
        ("orders/items", items),
        ("home", home),
        ("/City", cities),
        ("/City/shops", shops),
    ];
    (tables.into(), classes)
}

fn class(row: usize, main: &Rows, orders: &Rows, shops: &Rows) -> bool {
    let now = main.times[0].2[row].div_euclid(DAY);
    let before = |rows: &Rows, record: usize| rows.times[0].2[record] < now;
    let own =
        |order: &usize| orders.texts[0].1[*order] == main.texts[0].1[row] && before(orders, *order);
    let dear = |order: &usize| orders.numbers[0].1[*order] > 60.0;
    let dear = (0..orders.len()).filter(own).filter(dear).count();
    let open =
        |shop: &usize| shops.texts[0].1[*shop] == main.texts[1].1[row] && before(shops, *shop);
    let open = (0..shops.len()).filter(open).count();
    (dear > 1) != (open > 12) || row.is_multiple_of(13)
}

/// Every row of the main table with a key of its own, and with its own copies of the records.
fn copied(tables: &BTreeMap<&'static str, Rows>) -> BTreeMap<&'static str, Rows> {
    let mut copied = tables.clone();
    let keys = tables[""].texts[0].1.clone();
    let own = |row: usize| Some(format!("row {row}")).filter(|_| keys[row].is_some());
    for (path, rows) in &mut copied {
        if path.starts_with('/') {
            continue;
        }
        if path.is_empty() {
            rows.texts[0].1 = (0..keys.len()).map(own).collect();
            continue;
        }
        let (mut records, mut ids) = (Vec::new(), Vec::new());
        for (row, key) in keys.iter().enumerate().filter(|(_, key)| key.is_some()) {
            for record in (0..rows.len()).filter(|&record| rows.texts[0].1[record] == *key) {
                records.push(record);
                ids.push(own(row));
            }
        }
        *rows = rows.take(&records);
        rows.texts[0].1 = ids;
    }
    copied
}

fn labelled(
    tables: &BTreeMap<&'static str, Rows>,
    classes: &[bool],
    cutoff: Option<&Cutoff>,
) -> Labelled {
    let schema: Schema = serde_json::from_str(SCHEMA).unwrap();
    let frames = tables
        .iter()
        .map(|(path, rows)| ((*path).to_owned(), rows.frame()));
    let database = Database::new(&schema, None, frames.collect(), cutoff.cloned()).unwrap();
    let class = |&class: &bool| Some(if class { "yes" } else { "no" });
    let target = Column {
        name: "class".into(),
        data: ColumnData::Categorical(classes.iter().map(class).collect()),
    };
    let weights: Vec<f64> = (0..classes.len())
        .map(|row| 1.0 + (row % 3) as f64)
        .collect();
    let target = Target::from_column(&target).unwrap();
    Labelled::new(database, target.with_weights(&weights).unwrap())
}

fn cutoff() -> Cutoff {
    let times = [
        ("orders", "day"),
        ("orders/items", "sent"),
        ("home", "since"),
        ("/City/shops", "opened"),
    ];
    Cutoff {
        root: "at".into(),
        tables: times
            .map(|(table, time)| (table.into(), time.into()))
            .into(),
        ..Cutoff::default()
    }
}

fn settings(preset: Preset) -> Settings {
    let mut settings = Settings::preset(preset);
    settings.construct.features = 400;
    settings.construct.text_features = 20;
    settings
}

#[test]
fn shared_records_are_like_copies() {
    let cutoff = cutoff();
    let mut kept = 0;
    for (seed, cutoff) in [(1, None), (2, Some(&cutoff)), (3, Some(&cutoff))] {
        let (tables, classes) = tables(seed, 400, 60);
        let shared = labelled(&tables, &classes, cutoff);
        let copied = labelled(&copied(&tables), &classes, cutoff);
        let rows = |data: &Labelled| data.database.tables().frame("orders").unwrap().rows();
        assert!(rows(&copied) > 2 * rows(&shared));
        for preset in [Preset::Default, Preset::Khiops] {
            let settings = settings(preset);
            let model = shared.train(&settings, &()).unwrap().model;
            let expected = copied.train(&settings, &()).unwrap().model;
            let [found, copies] = [&model, &expected].map(without_joins);
            assert_eq!(found, copies, "{seed} {preset:?}");
            kept += model
                .inputs()
                .iter()
                .filter(|axis| !axis.from.is_column())
                .count();
            let scores = shared.probabilities(&model).unwrap();
            assert_eq!(scores, copied.probabilities(&model).unwrap());
            assert_eq!(scores.len(), 2 * classes.len());
        }
        // Folds share people, and so records.
        let folds: Vec<u32> = (0..classes.len()).map(|row| row as u32 % 3).collect();
        let settings = settings(Preset::Default);
        let found = cross_validate(&shared, &folds, &settings, &()).unwrap();
        let expected = cross_validate(&copied, &folds, &settings, &()).unwrap();
        for (found, expected) in found.folds.iter().zip(&expected.folds) {
            let figures = |fold: &FoldFigures| {
                let figures = &fold.figures;
                (
                    figures.criterion,
                    figures.selected,
                    figures.auc,
                    figures.log_loss,
                )
            };
            assert_eq!(figures(found), figures(expected));
        }
    }
    assert!(kept > 10, "{kept} constructed variables");
}

/// The cut-off reaches the records below a look-up table: without it their future is used.
#[test]
fn a_cutoff_holds_below_a_look_up_table() {
    let count =
        r#"{"rule": "GetValue", "args": ["place", {"rule": "TableCount", "args": ["shops"]}]}"#;
    let count = serde_json::from_str(count).unwrap();
    let (tables, classes) = tables(5, 50, 10);
    let cutoff = cutoff();
    let values = |cutoff| {
        let data = labelled(&tables, &classes, cutoff);
        let values = data
            .database
            .values(std::slice::from_ref(&count), Arithmetic::Exact);
        match values.unwrap().remove(0) {
            ColumnData::Numeric(values) => values.values().to_vec(),
            other => panic!("{other:?}"),
        }
    };
    let found = values(Some(&cutoff));
    let of_all_times = values(None);
    let (main, shops) = (&tables[""], &tables["/City/shops"]);
    for row in 0..main.len() {
        let now = main.times[0].2[row];
        let own = (0..shops.len()).filter(|&s| shops.texts[0].1[s] == main.texts[1].1[row]);
        let open = own.clone().filter(|&s| {
            let day = shops.times[0].2[s];
            day != i64::MIN && now != i64::MIN && (day + 1) * DAY <= now
        });
        if own.clone().count() == 0 {
            assert!(found[row].is_nan() && of_all_times[row].is_nan());
            continue;
        }
        assert_eq!(of_all_times[row], own.count() as f64);
        assert_eq!(found[row], open.count() as f64);
    }
}
