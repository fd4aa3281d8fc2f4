//! Customers with orders, items, addresses, cities and visits; and other small sets of tables.

use crate::scratch::{Numbers, Scratch};

/// All tables of a shop, as options of `train`.
pub(crate) const TABLES: &str = "--table orders=orders.csv:customer \
    --table orders.items=items.csv:customer,order --table address=addresses.csv:customer \
    --one address --lookup city=cities.csv:city@address.city --table visits=visits.csv:customer";

/// The same as options of `predict`.
pub(crate) const TABLES_TO_SCORE: &str = "--table orders=orders.csv --table orders.items=items.csv \
    --table address=addresses.csv --lookup city=cities.csv --table visits=visits.csv";

/// The tables of a shop. Customers who send things back leave; so do those of small cities.
pub(crate) struct Shop {
    pub(crate) customers: Vec<String>,
    pub(crate) orders: Vec<String>,
    pub(crate) items: Vec<String>,
    pub(crate) addresses: Vec<String>,
    pub(crate) cities: Vec<String>,
    pub(crate) visits: Vec<String>,
}

impl Shop {
    pub(crate) fn new(customers: usize) -> Self {
        let mut numbers = Numbers::new(customers as u64);
        let mut shop = Self {
            customers: vec![],
            orders: vec![
                "nobody,O1,2024-01-01,web,5".into(),
                "nobody,O2,2024-01-02,web,6".into(),
            ],
            items: vec![],
            addresses: vec![],
            cities: (0..10)
                .map(|c| format!("C{c},{}", 1000 * (c + 1)))
                .collect(),
            visits: vec![],
        };
        for customer in 0..customers {
            let risk = numbers.share();
            let city = numbers.below(10);
            let leaves = numbers.share()
                < if risk + 0.05 * (9 - city) as f64 > 0.7 {
                    0.95
                } else {
                    0.05
                };
            let class = if leaves { "leave" } else { "stay" };
            let age = 20 + numbers.below(50);
            let name = format!("{customer:03}");
            shop.customers.push(format!("{name},{age},{class}"));
            if numbers.below(10) > 0 {
                shop.addresses
                    .push(format!("{name},{},C{city}", numbers.below(99)));
            }
            for order in 0..numbers.below(8) {
                let day = format!(
                    "2024-{:02}-{:02}",
                    1 + numbers.below(12),
                    1 + numbers.below(28)
                );
                let channel = if numbers.share() < risk {
                    "phone"
                } else {
                    "web"
                };
                let price = format!("{:.2}", 100.0 * numbers.share());
                shop.orders
                    .push(format!("{name},O{order},{day},{channel},{price}"));
                for _ in 0..numbers.below(4) {
                    let back = if numbers.share() < risk { "yes" } else { "no" };
                    shop.items
                        .push(format!("{name},O{order},{back},{}", numbers.below(9)));
                }
            }
            for _ in 0..numbers.below(4) {
                shop.visits.push(format!("{name},{}", numbers.below(100)));
            }
        }
        shop
    }

    /// The tables with name and header.
    pub(crate) fn tables(&self) -> [(&'static str, &'static str, &[String]); 6] {
        [
            ("customers.csv", "customer,age,class", &self.customers),
            (
                "orders.csv",
                "customer,order,day,channel,price",
                &self.orders,
            ),
            ("items.csv", "customer,order,back,pieces", &self.items),
            ("addresses.csv", "customer,number,city", &self.addresses),
            ("cities.csv", "city,people", &self.cities),
            ("visits.csv", "customer,pages", &self.visits),
        ]
    }

    pub(crate) fn write(&self, scratch: &Scratch) {
        for (file, header, rows) in self.tables() {
            scratch.write(file, format!("{header}\n{}\n", rows.join("\n")));
        }
    }

    /// The rows of every table in another order.
    pub(crate) fn shuffle(&mut self, seed: u64) {
        let mut numbers = Numbers::new(seed);
        for rows in [
            &mut self.customers,
            &mut self.orders,
            &mut self.items,
            &mut self.addresses,
            &mut self.cities,
            &mut self.visits,
        ] {
            for i in (1..rows.len()).rev() {
                rows.swap(i, numbers.below(i as u64 + 1) as usize);
            }
        }
    }
}

/// Some columns of a table.
pub(crate) fn columns(text: &str, names: &[&str]) -> String {
    let header: Vec<&str> = text.lines().next().expect("a header").split(',').collect();
    let places: Vec<usize> = names
        .iter()
        .map(|name| {
            header
                .iter()
                .position(|other| other == name)
                .expect("a column")
        })
        .collect();
    let line = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        let chosen: Vec<&str> = places.iter().map(|&place| cells[place]).collect();
        chosen.join(",") + "\n"
    };
    text.lines().map(line).collect()
}

/// A year and a half of days; closed on Sundays and Mondays.
pub(crate) fn days() -> String {
    let mut text = String::from("day,open\n");
    // 1 January 2024 is a Monday.
    let (mut weekday, mut row) = (0, 0);
    for year in [2024, 2025] {
        let lengths = [
            31,
            if year == 2024 { 29 } else { 28 },
            31,
            30,
            31,
            30,
            31,
            31,
            30,
            31,
            30,
            31,
        ];
        for (month, length) in lengths.iter().enumerate() {
            for day in 1..=*length {
                if row < 550 {
                    let open = if weekday == 0 || weekday == 6 {
                        "no"
                    } else {
                        "yes"
                    };
                    text.push_str(&format!("{year}-{:02}-{day:02},{open}\n", month + 1));
                }
                weekday = (weekday + 1) % 7;
                row += 1;
            }
        }
    }
    text
}

/// Events that happen after the question tell the answer; those before it do not.
pub(crate) fn write_leak(scratch: &Scratch) {
    let mut numbers = Numbers::new(3);
    let (mut people, mut events) = ("id,asked,class\n".to_owned(), "id,day,what\n".to_owned());
    for id in 0..400 {
        let class = if numbers.below(2) == 0 { "a" } else { "b" };
        people.push_str(&format!("p{id},2024-06-15,{class}\n"));
        for _ in 0..3 {
            let what = numbers.below(3);
            events.push_str(&format!(
                "p{id},2024-0{}-10,w{what}\n",
                1 + numbers.below(5)
            ));
        }
        if class == "a" {
            events.push_str(&format!("p{id},2024-07-0{},w9\n", 1 + numbers.below(9)));
        }
        // On the same day is not before it.
        events.push_str(&format!("p{id},2024-06-15,{class}\n"));
    }
    scratch
        .write("people.csv", people)
        .write("events.csv", events);
}
