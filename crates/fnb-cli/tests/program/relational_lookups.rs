//! Look-up tables that several places refer to: by options and by schema file, values checked by hand.

use crate::scratch::{Scratch, refused};
use crate::shop;

/// Four people; keys that are missing, and keys that lead nowhere, at every depth.
fn tables() -> Scratch {
    let scratch = Scratch::new();
    let write = |name: &str, lines: &[&str]| {
        scratch.write(name, lines.join("\n") + "\n");
    };
    write(
        "people.csv",
        &["id,home,class", "a,C1,x", "b,C2,y", "c,,x", "d,C9,y"],
    );
    write(
        "orders.csv",
        &[
            "id,o,ship,wh,shelf",
            "a,1,C2,A,1",
            "a,2,,A,2",
            "b,1,C1,B,1",
            "d,1,C9,,1",
        ],
    );
    write(
        "items.csv",
        &[
            "id,o,i,wh,shelf",
            "a,1,1,B,1",
            "a,1,2,A,1",
            "a,2,1,A,9",
            "b,1,1,A,2",
        ],
    );
    write(
        "parts.csv",
        &[
            "id,o,i,made",
            "a,1,1,C1",
            "a,1,1,C2",
            "a,1,2,C1",
            "b,1,1,C3",
        ],
    );
    write(
        "cities.csv",
        &["city,country,people", "C1,K1,10", "C2,K2,20", "C3,K1,30"],
    );
    write("countries.csv", &["country,gdp", "K1,100"]);
    write(
        "mayors.csv",
        &["city,name", "C1,m1", "C1,m2", "C2,m3", "C8,m4"],
    );
    write("shelves.csv", &["wh,shelf,size", "A,1,5", "A,2,7", "B,1,9"]);
    scratch
}

const TABLES: &str = "--table orders=orders.csv:id --table orders.items=items.csv:id,o \
    --table orders.items.parts=parts.csv:id,o,i \
    --lookup city=cities.csv:city@home@orders.ship@orders.items.parts.made \
    --lookup land=countries.csv:country@city.country --table city.mayors=mayors.csv:city \
    --lookup place=shelves.csv:wh,shelf@orders.wh,orders.shelf@orders.items.wh,orders.items.shelf";

const RULES: &str = "--rules TableCount,TableSum,GetValue --features 3000";

/// The values of a, b, c and d, by hand.
const VALUES: [(&str, [&str; 4]); 7] = [
    ("city.people", ["10", "20", "", ""]),
    ("city.land.gdp", ["100", "", "", ""]),
    ("city.Count(mayors)", ["2", "1", "", ""]),
    ("Sum(orders.city.people)", ["20", "10", "", ""]),
    ("Sum(orders.place.size)", ["12", "9", "", ""]),
    ("Sum(orders.Sum(items.place.size))", ["14", "7", "", ""]),
    (
        "Sum(orders.Sum(items.Sum(parts.city.people)))",
        ["40", "30", "", ""],
    ),
];

fn assert_values(values: &str) {
    for (name, expected) in VALUES {
        let column = shop::columns(values, &[name]);
        let cells: Vec<&str> = column.split('\n').skip(1).take(4).collect();
        assert_eq!(cells, expected, "{name}");
    }
}

#[test]
fn values_by_hand() {
    let scratch = tables();
    let run = scratch
        .fnb(&format!(
            "construct people.csv -t class {TABLES} {RULES} -o values.csv"
        ))
        .ok();
    assert_values(&scratch.text("values.csv"));
    for told in [
        "the main table: 2 rows have no match in city",
        "orders: 2 rows have no match in city",
        "orders: 1 row has no match in place",
        "orders.items: 1 row has no match in place",
        "city: 1 row has no match in land",
        "city.mayors: 1 row ignored: its key matches no row of city",
    ] {
        assert!(run.stderr.contains(told), "{told}\n{}", run.stderr);
    }
}

#[test]
fn a_schema_file_says_the_same() {
    let scratch = tables();
    scratch
        .fnb(&format!("schema people.csv -t class {TABLES} -o s.json"))
        .ok();
    let schema = scratch.json("s.json");
    assert_eq!(schema["files"]["/city/mayors"], "mayors.csv");
    assert_eq!(schema["files"]["orders/items/parts"], "parts.csv");
    let listed = |data: &str| {
        let command = format!("construct {data} {RULES} --json -o values.csv");
        let listed = scratch.fnb(&command).ok().stdout;
        assert_values(&scratch.text("values.csv"));
        listed
    };
    let expected = listed(&format!("people.csv -t class {TABLES}"));
    assert_eq!(listed("--schema s.json"), expected);
    // Other files for the tables of a schema, those of look-up tables too.
    scratch.write("more.csv", "city,name\nC1,m1\n");
    let run = scratch
        .fnb(&format!(
            "construct --schema s.json --table city.mayors=more.csv {RULES} -o few.csv"
        ))
        .ok();
    let few = shop::columns(&scratch.text("few.csv"), &["city.Count(mayors)"]);
    assert_eq!(few, "city.Count(mayors)\n1\n0\n\n\n", "{}", run.stdout);
}

/// A model that needs the records of a look-up table asks for them, and scores with them.
#[test]
fn a_model_of_records_of_a_look_up_table() {
    let scratch = Scratch::new();
    let mut people = String::from("id,home,class\n");
    let mut mayors = String::from("city,name\n");
    for city in 0..10 {
        for mayor in 0..city % 4 {
            mayors.push_str(&format!("C{city},m{mayor}\n"));
        }
    }
    for person in 0..300 {
        let city = person % 10;
        let class = if city % 4 > 1 { "many" } else { "few" };
        people.push_str(&format!("p{person},C{city},{class}\n"));
    }
    let cities: Vec<String> = (0..10).map(|city| format!("C{city}")).collect();
    scratch
        .write("people.csv", people)
        .write("mayors.csv", mayors)
        .write("cities.csv", format!("city\n{}\n", cities.join("\n")));
    scratch
        .fnb(
            "train people.csv -t class --lookup city=cities.csv:city@home \
             --table city.mayors=mayors.csv:city --type home=cat -o m.json",
        )
        .ok();
    let model = scratch.json("m.json");
    let names = model["terms"].to_string();
    assert!(names.contains("city.Count(mayors)"), "{names}");
    refused(
        &scratch,
        "predict m.json people.csv --lookup city=cities.csv",
        "U01",
        &["city.mayors", "--table city.mayors=FILE"],
    );
    let evaluated = scratch
        .fnb(
            "evaluate m.json people.csv --lookup city=cities.csv --table city.mayors=mayors.csv \
             --json",
        )
        .ok()
        .json();
    assert_eq!(evaluated["accuracy"], 1.0);
}

#[test]
fn bad_input() {
    let scratch = tables();
    let orders = "construct people.csv -t class --table orders=orders.csv:id";
    let refused = |arguments: &str, code: &str, texts: &[&str]| {
        refused(&scratch, arguments, code, texts);
    };
    refused(
        &format!("{orders} --lookup city=cities.csv:city@home@home"),
        "U01",
        &["@home is given twice"],
    );
    refused(
        &format!("{orders} --lookup city=cities.csv:city@hom"),
        "D18",
        &["hom", "did you mean \"home\""],
    );
    refused(
        &format!("{orders} --lookup place=shelves.csv:wh,shelf@orders.wh,home"),
        "U01",
        &["not of one table"],
    );
    refused(
        &format!("{orders} --lookup place=shelves.csv:wh,shelf@orders.wh"),
        "U01",
        &["NAME=FILE:KEY@COLUMN"],
    );
    scratch
        .fnb(&format!("schema people.csv -t class {TABLES} -o s.json"))
        .ok();
    refused(
        "construct --schema s.json --table town=cities.csv",
        "U01",
        &["no table town", "city.mayors"],
    );
}
