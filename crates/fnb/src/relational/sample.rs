//! The sample of records that the reference finds the parts of conditions in (docs/method.md §10.5).

use super::construct::ranked;
use super::tables::Tables;

/// The file that the rows of the root come from. The reference's sample depends on it, and nothing
/// else does.
///
/// ```
/// use fnb::relational::RootFile;
/// // Rows of a frame come from no file.
/// assert_eq!(RootFile::default(), RootFile { bytes: 0, header: true });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RootFile {
    /// Its size.
    pub bytes: u64,
    /// Does its first line name the columns?
    pub header: bool,
}

impl Default for RootFile {
    fn default() -> Self {
        Self {
            bytes: 0,
            header: true,
        }
    }
}

impl RootFile {
    /// The line of the first row.
    fn first_line(self) -> u64 {
        if self.header { 2 } else { 1 }
    }

    /// The first prime above a power of two, from 2^16 on, that is not below the size.
    fn prime(self) -> u64 {
        let above = |power: u32| (1_u64 << power..1 << (power + 1)).find(|&n| is_prime(n));
        let mut large = (16..62)
            .filter_map(above)
            .skip_while(|&prime| prime < self.bytes);
        large.next().unwrap_or(u64::MAX)
    }
}

/// Primes above powers of two are found within a few dozen candidates, most of them even or with a
/// small divisor.
fn is_prime(n: u64) -> bool {
    let mut divisors = (2..).take_while(|d| d * d <= n);
    divisors.all(|d| !n.is_multiple_of(d))
}

/// A record, by its chance to be in a sample: the line of its root row and its number there break
/// ties.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Candidate {
    chance: f64,
    line: u64,
    number: u64,
    /// Among the tables of the entity.
    table: u32,
    row: u32,
    /// The number of its view.
    view: u32,
}

/// The records of a table that are in a sample, and which of their views.
#[derive(Debug, Clone, Default)]
pub(super) struct Sampled {
    pub(super) records: Vec<usize>,
    pub(super) views: Vec<usize>,
}

impl Tables {
    /// The records of an entity that are in a sample of so many, by data path; `None` if all are.
    pub(super) fn sampled(&self, entity: &str, at_most: usize) -> Option<Vec<Sampled>> {
        let tables = self.layout.tables.iter().enumerate();
        let tables = tables.filter(|(_, table)| table.entity == entity);
        let tables: Vec<usize> = tables.map(|(place, _)| place).collect();
        let rows = |&table: &usize| self.joined[table].frame.rows();
        let is_shared = |&table: &usize| self.is_shared(table);
        let records = tables.iter().map(rows).sum::<usize>();
        if records <= at_most && !tables.iter().any(is_shared) {
            return None;
        }
        let prime = self.root_file.prime();
        let mut candidates: Vec<Candidate> = Vec::new();
        let mut views = vec![0; tables.len()];
        self.for_each_record(|table, row, line, number| {
            if let Some(place) = tables.iter().position(|&wanted| wanted == table) {
                candidates.push(Candidate {
                    chance: ranked(line.wrapping_add(prime.wrapping_mul(number))),
                    line,
                    number,
                    table: place as u32,
                    row,
                    view: views[place],
                });
                views[place] += 1;
            }
        });
        if candidates.len() <= at_most {
            return None;
        }
        candidates.select_nth_unstable_by(at_most, |a, b| {
            let chance = b.chance.total_cmp(&a.chance);
            chance.then_with(|| (b.line, b.number).cmp(&(a.line, a.number)))
        });
        candidates.truncate(at_most);
        let mut kept = vec![Sampled::default(); tables.len()];
        for Candidate {
            table, row, view, ..
        } in candidates
        {
            let kept = &mut kept[table as usize];
            kept.records.push(row as usize);
            kept.views.push(view as usize);
        }
        Some(kept)
    }

    /// Calls with table, row, line of the root row and number among its records: the root row is 1,
    /// then come the records it owns, then what these own, level by level. Look-up tables, by name of
    /// the entity, belong to no line, and their records are numbered on.
    fn for_each_record(&self, mut call: impl FnMut(usize, u32, u64, u64)) {
        let mut unit = Vec::new();
        let latest = self.now.iter().max().copied();
        let mut walk = |table: usize, row: u32, line: u64, before: u64| {
            let now = match table {
                0 => self.now.get(row as usize).copied(),
                _ => latest,
            };
            unit.clear();
            unit.push((table, row));
            let mut done = 0;
            while let Some(&(table, row)) = unit.get(done) {
                done += 1;
                call(table, row, line, before + done as u64);
                let links = self.layout.tables[table].links.iter().enumerate();
                for (link, layout) in links.filter(|(_, layout)| layout.by.is_none()) {
                    let records = self.seen_records(table, link, row, now);
                    unit.extend(records.map(|record| (layout.table, record)));
                }
            }
            before + done as u64
        };
        for row in 0..self.root_rows() {
            walk(0, row as u32, self.line(row), 0);
        }
        let tables = self.layout.tables.iter().enumerate().skip(1);
        let mut look_ups: Vec<_> = tables.filter(|(_, table)| table.owner.is_none()).collect();
        look_ups.sort_by_key(|(_, table)| &table.entity);
        let mut before = 0;
        for (table, _) in look_ups {
            for row in 0..self.joined[table].frame.rows() {
                before = walk(table, row as u32, 0, before);
            }
        }
    }

    /// The line of a root row in its file.
    fn line(&self, row: usize) -> u64 {
        let lines = self.root_lines.as_ref();
        let row = lines.map_or(row as u64, |lines| u64::from(lines[row]));
        self.root_file.first_line() + row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primes_above_powers_of_two() {
        let prime = |bytes| {
            RootFile {
                bytes,
                header: true,
            }
            .prime()
        };
        assert_eq!(prime(0), 65_537);
        assert_eq!(prime(65_537), 65_537);
        assert_eq!(prime(65_538), 131_101);
        assert_eq!(prime(1_000_000), 1_048_583);
        assert_eq!(prime(2_000_000_000), 2_147_483_659);
    }
}
