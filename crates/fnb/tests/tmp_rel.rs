#![allow(clippy::unwrap_used, dead_code)]
#[path = "method/relational_construct.rs"]
mod relational_construct;
#[path = "method/relational_golden.rs"]
mod relational_golden;
#[path = "method/relational_oracle.rs"]
mod relational_oracle;
use fnb::relational::*;
#[test]
fn differences() {
    for (set, results) in relational_golden::SETS {
        for result in results {
            let features = result.trim_end_matches("_temporal").parse().unwrap();
            let rules = if result.ends_with("_temporal") {
                RuleSet::default()
            } else {
                RuleSet::khiops()
            };
            let tables = relational_golden::tables(set).unwrap();
            let oracle = relational_oracle::Oracle::new(&tables.schema, &tables.frames);
            let settings = ConstructionSettings {
                features,
                rules,
                other_families: 0,
            };
            let t = std::time::Instant::now();
            let found =
                construct(&tables.schema, Some(&tables.target), &settings, &oracle).unwrap();
            let el = t.elapsed();
            let (_, expected) = relational_golden::variables(set, result).unwrap();
            let f: Vec<_> = found
                .variables
                .iter()
                .map(|v| (v.name.clone(), v.cost))
                .collect();
            let e: Vec<_> = expected.iter().map(|v| (v.name.clone(), v.cost)).collect();
            let missing: Vec<_> = e.iter().filter(|x| !f.iter().any(|y| y.0 == x.0)).collect();
            let extra: Vec<_> = f.iter().filter(|x| !e.iter().any(|y| y.0 == x.0)).collect();
            let order = f.iter().zip(&e).position(|(a, b)| a.0 != b.0);
            println!(
                "{set} {result} {el:?}: missing {} extra {} first order difference {order:?}",
                missing.len(),
                extra.len()
            );
            for m in missing.iter().take(5) {
                println!("  missing {m:?}");
            }
            for m in extra.iter().take(5) {
                println!("  extra {m:?}");
            }
            if let Some(i) = order {
                for j in i..(i + 4).min(e.len()) {
                    println!("   {:?} {:?}", f[j], e[j]);
                }
            }
        }
    }
}

#[test]
fn timings() {
    let only = std::env::var("ONLY").unwrap_or_default();
    for (set, features) in [
        ("splice500", 1000),
        ("splice500", 10000),
        ("shop400", 1000),
        ("shop400", 10000),
        ("missing200", 1000),
        ("missing200", 10000),
        ("shop400", 100000),
    ] {
        if !only.is_empty() && only != format!("{set}{features}") {
            continue;
        }
        for rules in [RuleSet::khiops()] {
            let tables = relational_golden::tables(set).unwrap();
            let oracle = relational_oracle::Oracle::new(&tables.schema, &tables.frames);
            let timed = Timed {
                oracle: &oracle,
                spent: std::cell::Cell::new(0.0),
                calls: std::cell::Cell::new(0),
            };
            let settings = ConstructionSettings {
                features,
                rules,
                other_families: 0,
            };
            let t = std::time::Instant::now();
            let found = construct(&tables.schema, Some(&tables.target), &settings, &timed).unwrap();
            let el = t.elapsed().as_secs_f64();
            println!(
                "{set} {features}: {} variables, {el:.3} s, values {:.3} s of {} operands, own {:.3}",
                found.variables.len(),
                timed.spent.get(),
                timed.calls.get(),
                el - timed.spent.get()
            );
        }
    }
}
struct Timed<'a> {
    oracle: &'a relational_oracle::Oracle<'a>,
    spent: std::cell::Cell<f64>,
    calls: std::cell::Cell<usize>,
}
impl OperandValues for Timed<'_> {
    fn root_rows(&self) -> usize {
        self.oracle.root_rows()
    }
    fn values(
        &self,
        entity: &str,
        operands: &[Expression],
    ) -> fnb::Result<Vec<Vec<fnb::columns::ColumnData>>> {
        let t = std::time::Instant::now();
        let r = self.oracle.values(entity, operands);
        self.spent.set(self.spent.get() + t.elapsed().as_secs_f64());
        self.calls.set(self.calls.get() + operands.len());
        r
    }
}
