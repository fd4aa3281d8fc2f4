//! What holds for every page.

use fnb::columns::{Column, ColumnData, Frame, NumericColumn, Target};
use fnb::model::Model;
use fnb_report::{NamedModel, Options, page};
use std::path::PathBuf;

/// Numbers from 0 to 1 that are the same every time.
fn numbers(seed: u32) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state) / 4_294_967_296.0
    }
}

fn number(name: &str, values: Vec<f64>) -> Column {
    let data = ColumnData::Numeric(NumericColumn::new(values));
    Column {
        name: name.into(),
        data,
    }
}

fn category(name: &str, values: &[&str]) -> Column {
    let values = values.iter().map(|value| Some(*value));
    Column {
        name: name.into(),
        data: ColumnData::Categorical(values.collect()),
    }
}

fn train(columns: Vec<Column>, classes: &[&str]) -> Model {
    let frame = Frame::new(classes.len(), columns).expect("a table");
    let target = Target::from_column(&category("target", classes)).expect("classes");
    let settings = fnb::Settings::default();
    fnb::train(frame, &target, &settings, &())
        .expect("a model")
        .model
}

/// A number and a category of which both tell something, and noise.
fn small(classes: &[&'static str]) -> Model {
    let mut next = numbers(7);
    let (mut x, mut plan, mut noise, mut target) = (vec![], vec![], vec![], vec![]);
    for row in 0..900 {
        let class = (next() * classes.len() as f64) as usize;
        x.push(if row % 50 == 0 {
            f64::NAN
        } else {
            (20.0 * class as f64 + 30.0 * next()).round()
        });
        plan.push(if next() < 0.7 {
            ["basic", "plus", "gold"][class % 3]
        } else {
            "team"
        });
        noise.push(next());
        target.push(classes[class]);
    }
    train(
        vec![
            number("x", x),
            category("plan", &plan),
            number("noise", noise),
        ],
        &target,
    )
}

/// A number that tells nothing.
fn noise(classes: &[&'static str]) -> Model {
    let mut next = numbers(3);
    let mut class = || classes[(next() * classes.len() as f64) as usize];
    let target: Vec<&str> = (0..60).map(|_| class()).collect();
    train(
        vec![number("noise", (0..60).map(|_| next()).collect())],
        &target,
    )
}

/// Rows that stand for one to three.
fn weighted() -> Model {
    let mut next = numbers(13);
    let classes: Vec<&str> = (0..300)
        .map(|_| if next() < 0.4 { "no" } else { "yes" })
        .collect();
    let x = classes
        .iter()
        .map(|class| next() + f64::from(u8::from(*class == "yes")));
    let x = number("x", x.collect());
    let weights: Vec<f64> = (0..300).map(|row| f64::from(1 + row % 3)).collect();
    let frame = Frame::new(300, vec![x]).expect("a table");
    let target = Target::from_column(&category("target", &classes)).expect("classes");
    let target = target.with_weights(&weights).expect("weights");
    let settings = fnb::Settings::default();
    fnb::train(frame, &target, &settings, &())
        .expect("a model")
        .model
}

fn page_of(model: &Model) -> String {
    let named = NamedModel {
        name: "a model",
        model,
        measured: None,
        changed: &[],
    };
    page(&[named], &Options::default()).expect("a page")
}

/// What is between the first occurrences of two texts.
fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let (_, rest) = text.split_once(from).unwrap_or_else(|| panic!("no {from}"));
    rest.split_once(to)
        .unwrap_or_else(|| panic!("no {to} after {from}"))
        .0
}

/// The texts of a page, without tags.
fn texts(html: &str) -> String {
    let mut text = String::new();
    for piece in html.split('<').skip(1) {
        text.push_str(piece.split_once('>').map_or("", |(_, text)| text));
        text.push('\n');
    }
    text
}

#[test]
fn equal_models_give_equal_pages() {
    let model = small(&["no", "yes"]);
    let read = Model::from_json(model.to_json().as_bytes()).expect("a model");
    let html = page_of(&model);
    assert_eq!(html, page_of(&read));
    let pool = |threads| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("threads")
    };
    for threads in [1, 3] {
        assert_eq!(
            html,
            pool(threads).install(|| page_of(&small(&["no", "yes"]))),
            "{threads} threads"
        );
    }
}

#[test]
fn pages_stay_as_they_are() {
    for (name, model) in [
        ("two", small(&["no", "yes"])),
        ("three", small(&["a", "b", "c"])),
        ("no_variable", noise(&["no", "yes"])),
        ("one_class", noise(&["only"])),
        ("weights", weighted()),
    ] {
        let html = page_of(&model);
        let main = between(&html, "tabindex=-1>", "</main>")
            .replace("<section", "\n<section")
            .replace("<tr>", "\n<tr>");
        let file =
            PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{name}.html"));
        if std::env::var_os("FNB_REWRITE").is_some() {
            std::fs::write(&file, &main).expect("written");
        }
        let golden = std::fs::read_to_string(&file).expect("FNB_REWRITE=1 writes it");
        let changed = main
            .lines()
            .zip(golden.lines())
            .find(|(now, then)| now != then);
        assert_eq!(changed, None, "{name}");
        assert_eq!(main.len(), golden.len(), "{name}");
    }
}

#[test]
fn tables_show_the_counts_of_the_model() {
    let model = small(&["no", "yes"]);
    let html = page_of(&model);
    for term in model.terms().iter().filter(|term| term.axes.len() == 1) {
        let article = between(
            &html,
            &format!("<article id=v-{} ", term.name),
            "</article>",
        );
        let table = between(article, "<tbody>", "</tbody>");
        let shown: Vec<u64> = table
            .split("<tr>")
            .skip(1)
            .map(|line| {
                between(line, "<td class=n>", "<")
                    .replace(',', "")
                    .parse()
                    .expect("rows")
            })
            .collect();
        let rows: Vec<u64> = (0..term.cells()).map(|cell| term.rows_of(cell)).collect();
        assert_eq!(shown, rows, "{}", term.name);
        let importance = between(article, "importance <b>", "\u{202f}%");
        assert_eq!(importance, format!("{:.1}", 100.0 * term.importance));
    }
    let evaluation = model.evaluation().train.as_ref().expect("figures");
    let figures = between(&html, "<dl class=\"figures grey\">", "</dl>");
    assert!(figures.contains(&format!("{:.3}", evaluation.auc.expect("an AUC"))));
    assert!(figures.contains(&format!("{:.3}", evaluation.log_loss)));
    assert!(html.contains("Not measured on unseen rows"));
}

#[test]
fn names_of_others_are_text() {
    let hostile = [
        "</script><img src=x onerror=alert(1)>",
        "\" onmouseover=\"alert(2)",
        "'><svg onload=alert(3)>",
        "<!--",
        "\u{202e}rtl \u{1b}[2J",
        "same name",
        "Same-name",
    ];
    let mut next = numbers(11);
    let target: Vec<&str> = (0..800)
        .map(|_| {
            if next() < 0.5 {
                hostile[0]
            } else {
                "</style>&\""
            }
        })
        .collect();
    let mut column = |(i, name): (usize, &&str)| {
        let is_first = |row: usize| target[row] == hostile[0];
        if i % 2 == 0 {
            number(
                name,
                (0..800)
                    .map(|row| next() + if is_first(row) { 0.4 } else { 0.0 })
                    .collect(),
            )
        } else {
            let value = |row| {
                if next() < 0.35 || is_first(row) {
                    hostile[i]
                } else {
                    "<script>alert(4)</script>"
                }
            };
            category(name, &(0..800).map(value).collect::<Vec<_>>())
        }
    };
    let columns = hostile.iter().enumerate().map(&mut column).collect();
    let model = train(columns, &target);
    assert!(model.terms().len() >= 4);
    let named = NamedModel {
        name: "</title><script>alert(5)</script>",
        model: &model,
        measured: None,
        changed: &[],
    };
    let html = page(&[named, named], &Options::default()).expect("a comparison") + &page_of(&model);
    for tag in [
        "<img",
        "<script>alert",
        "<svg onload",
        "<!--",
        "</style>&",
        "\u{1b}",
        "\u{202e}",
    ] {
        assert!(!html.contains(tag), "{tag}");
    }
    // Two scripts, one style a page: no name ends them, and none closes an attribute.
    assert_eq!(html.matches("</script>").count(), 4);
    assert_eq!(html.matches("</style>").count(), 2);
    let html = page_of(&model);
    assert!(!between(&html, "<header", "</main>").contains("\" onmouseover"));
    let ids: Vec<&str> = html
        .split(" id=")
        .skip(1)
        .map(|rest| rest.split([' ', '>']).next().unwrap_or(""))
        .collect();
    let mut distinct = ids.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(ids.len(), distinct.len(), "{ids:?}");
}

#[test]
fn no_page_shows_what_is_no_number_or_asks_for_anything() {
    let many: Vec<&'static str> = (0..45)
        .map(|i| &*Box::leak(format!("class {i:02}").into_boxed_str()))
        .collect();
    let models = [
        small(&["no", "yes"]),
        small(&["a", "b", "c"]),
        small(&many),
        noise(&["no", "yes"]),
        noise(&["only"]),
        noise(&["", "x"]),
    ];
    for (i, model) in models.iter().enumerate() {
        let html = page_of(model);
        let visible = texts(between(&html, "<main", "</main>"));
        for word in [
            "NaN",
            "undefined",
            "Infinity",
            "inf",
            "−0.00",
            "None",
            "Some(",
        ] {
            let is_word = |text: &str| {
                text.split(|c: char| !c.is_alphanumeric() && c != '−' && c != '.' && c != '(')
                    .any(|w| w == word)
            };
            assert!(!is_word(&visible), "model {i} shows {word}");
        }
        for section in [
            "summary",
            "data",
            "model",
            "variables",
            "pairs",
            "tables",
            "performance",
            "what-if",
            "left-out",
            "reproduce",
        ] {
            assert!(
                html.contains(&format!("<section id=s-{section} ")),
                "model {i} has no {section}"
            );
        }
        for address in ["http:", "https:", "src=", "@import", "url("] {
            let found = html.contains(address);
            assert!(!found, "model {i} asks for {address}");
        }
    }
}

/// Two variables of many values that act together: the page may know fewer values, but the same ones in all tables.
#[test]
fn a_category_of_the_page_is_the_same_in_all_tables() {
    let mut next = numbers(17);
    let name = |shop: usize| format!("the shop number {shop:04}, {}", "street ".repeat(20));
    let names: Vec<String> = (0..1400).map(name).collect();
    let (mut shops, mut regions, mut target) = (vec![], vec![], vec![]);
    for _ in 0..24_000 {
        let (shop, region) = ((next() * 1400.0) as usize, (next() * 4.0) as usize);
        let (good, alone) = if shop % 3 == 0 {
            (1.2, 1.5)
        } else {
            (-1.2, -1.0)
        };
        let odds = alone + good * (if region < 2 { 1.0 } else { -1.0 });
        shops.push(names[shop].as_str());
        regions.push(["N", "S", "E", "W"][region]);
        target.push(if next() < 1.0 / (1.0 + f64::exp(-odds)) {
            "yes"
        } else {
            "no"
        });
    }
    let columns = vec![category("shop", &shops), category("region", &regions)];
    let model = train(columns, &target);
    let having = |name: &str| {
        let axes = model.terms().iter().flat_map(|term| &term.axes);
        axes.filter(|axis| axis.name == name).count()
    };
    assert!(having("shop") >= 2, "no table of shops");
    let html = page_of(&model);
    let json = between(
        &html,
        "<script type=application/json id=model>",
        "</script>",
    );
    let page: serde_json::Value = serde_json::from_str(json).expect("JSON");
    let position = |name: &str| {
        let inputs = page["inputs"].as_array().expect("inputs").iter();
        inputs.into_iter().position(|input| input == name)
    };
    let shop = position("shop").map(|i| serde_json::json!(i));
    let mut known: Vec<Vec<&str>> = Vec::new();
    for term in page["terms"].as_array().expect("terms") {
        for axis in term["axes"].as_array().expect("axes") {
            if Some(&axis["i"]) == shop.as_ref() {
                let groups = axis["g"].as_array().expect("groups").iter();
                let values = groups.flat_map(|group| group.as_array().expect("values"));
                let mut values: Vec<&str> = values.filter_map(|value| value.as_str()).collect();
                values.sort_unstable();
                known.push(values);
            }
        }
    }
    assert!(known.len() >= 2 && known[0].len() >= 1000 && known[0].len() < 1400);
    assert!(known.windows(2).all(|pair| pair[0] == pair[1]));
}

/// Ages moved up by 20 years are told; the same rows are not, nor is noise.
#[test]
fn variables_that_changed_are_told() {
    let model = small(&["no", "yes"]);
    let rows = |shift: f64, from: u32| {
        let mut next = numbers(from);
        let x = (0..400).map(|_| (20.0 * next().round() + 30.0 * next()).round() + shift);
        let x = number("x", x.collect());
        let plan = (0..400).map(|_| ["basic", "plus"][next().round() as usize]);
        let plan = category("plan", &plan.collect::<Vec<_>>());
        Frame::new(400, vec![x, plan]).expect("a table")
    };
    let found = |frame: &Frame| fnb_report::changed(&model, frame).expect("the columns");
    let moved = found(&rows(20.0, 5));
    assert_eq!(moved[0].variable, "x");
    assert!(moved[0].share > 0.25 && moved[0].share <= 1.0, "{moved:?}");
    let same = found(&rows(0.0, 6));
    assert!(
        same.iter().all(|changed| changed.variable != "x"),
        "{same:?}"
    );
    let named = NamedModel {
        name: "m",
        model: &model,
        measured: model.evaluation().train.as_ref(),
        changed: &moved,
    };
    let html = page(&[named], &Options::default()).expect("a page");
    assert!(html.contains("columns that changed"));
    assert!(!page_of(&model).contains("columns that changed"));
}

#[test]
fn two_hundred_variables_fit_into_a_megabyte() {
    let mut next = numbers(5);
    let target: Vec<&str> = (0..2000)
        .map(|_| if next() < 0.5 { "yes" } else { "no" })
        .collect();
    let mut column = |i: usize| {
        let shift = 0.12;
        let values = target
            .iter()
            .map(|class| next() + if *class == "yes" { shift } else { 0.0 });
        number(&format!("variable number {i}"), values.collect())
    };
    let columns = (0..200).map(&mut column).collect();
    let model = train(columns, &target);
    assert!(model.terms().len() > 40, "{}", model.terms().len());
    let html = page_of(&model);
    assert!(html.len() < 1_000_000, "{} bytes", html.len());
}

#[test]
fn what_cannot_be_reported_is_told() {
    let told = |models: &[NamedModel], options: &Options| {
        page(models, options).expect_err("refused").to_string()
    };
    assert!(told(&[], &Options::default()).contains("no model"));
    let (two, three) = (small(&["no", "yes"]), small(&["a", "b", "c"]));
    let named = |model| NamedModel {
        name: "m",
        model,
        measured: None,
        changed: &[],
    };
    let options = Options {
        main_class: Some("maybe".into()),
        ..Options::default()
    };
    let message = told(&[named(&two)], &options);
    assert!(
        message.contains("no class \"maybe\"") && message.contains("no, yes"),
        "{message}"
    );
    assert!(told(&[named(&two), named(&three)], &Options::default()).contains("different targets"));
}

#[test]
fn the_main_class_can_be_the_first() {
    let model = small(&["no", "yes"]);
    let options = Options {
        main_class: Some("no".into()),
        title: Some("Our customers".into()),
    };
    let named = NamedModel {
        name: "m",
        model: &model,
        measured: None,
        changed: &[],
    };
    let html = page(&[named], &options).expect("a page");
    assert!(html.contains("<title>Our customers – fnb report</title>"));
    assert!(html.contains("Is target no?"));
}
