//! How a text file is written: separator, quoting, header.

use crate::number::{Number, parse_number};
use crate::text::field::Dialect;

/// Candidates, the likeliest first; a blank only when nothing else fits.
const SEPARATORS: [u8; 4] = [b'\t', b',', b';', b'|'];

/// Number of records that are looked at.
const RECORDS: usize = 200;

/// The first records of a file, split into fields.
type Records = Vec<Vec<String>>;

/// How the first records look under one separator.
struct Attempt {
    dialect: Dialect,
    /// Fields of the first record.
    fields: usize,
    /// Share of the records that have as many fields.
    regular: f64,
}

/// Separator and quoting of the text that starts with `head`; `complete` if that is all of it.
pub(crate) fn dialect(head: &str, complete: bool, separator: Option<u8>) -> Dialect {
    if let Some(separator) = separator {
        return attempt(head, complete, separator).dialect;
    }
    let mut best: Option<Attempt> = None;
    for separator in SEPARATORS {
        let new = attempt(head, complete, separator);
        let better = best.as_ref().is_none_or(|best| {
            (new.regular, new.fields)
                .partial_cmp(&(best.regular, best.fields))
                .is_some_and(std::cmp::Ordering::is_gt)
        });
        if new.fields > 1 && better {
            best = Some(new);
        }
    }
    if let Some(best) = best {
        return best.dialect;
    }
    let blank = attempt(head, complete, b' ');
    if blank.fields > 1 && blank.regular == 1.0 {
        return blank.dialect;
    }
    attempt(head, complete, b',').dialect
}

fn attempt(head: &str, complete: bool, separator: u8) -> Attempt {
    let quoting = quoting(head, complete, separator);
    let dialect = Dialect { separator, quoting };
    let mut counts = Vec::new();
    each_record(head, complete, dialect, RECORDS, |fields| {
        counts.push(fields.len());
    });
    let fields = counts.first().copied().unwrap_or(0);
    let regular = counts.iter().filter(|&&count| count == fields).count();
    Attempt {
        dialect,
        fields,
        regular: regular as f64 / counts.len().max(1) as f64,
    }
}

/// Are there quotations, all well closed? Where the first records have none at all, they are expected
/// in files of every separator but tab and blank, whose fields are usually written as they are.
fn quoting(head: &str, complete: bool, separator: u8) -> bool {
    let dialect = Dialect {
        separator,
        quoting: true,
    };
    let (mut good, mut bad) = (0, 0);
    each_record(head, complete, dialect, RECORDS, |fields| {
        for field in fields {
            match field.well_quoted() {
                Some(true) => good += 1,
                Some(false) => bad += 1,
                None => {}
            }
        }
    });
    bad == 0 && (good > 0 || separator != b'\t' && separator != b' ')
}

/// Calls `each` with the fields of every record that is not blank. A last record that may be cut is
/// left out unless it is the only one.
fn each_record(
    head: &str,
    complete: bool,
    dialect: Dialect,
    most: usize,
    mut each: impl FnMut(&[crate::text::field::Field]),
) {
    let bytes = head.as_bytes();
    let mut at = 0;
    let mut count = 0;
    let mut fields = Vec::new();
    while at < bytes.len() && count < most {
        if let Some(length) = blank_line(&bytes[at..]) {
            at += length;
            continue;
        }
        fields.clear();
        loop {
            let field = dialect.field(bytes, at);
            fields.push(field);
            at = field.next + 1;
            if bytes.get(field.next) != Some(&dialect.separator) {
                break;
            }
        }
        let cut = at > bytes.len();
        if !cut || complete || count == 0 {
            each(&fields);
        }
        count += 1;
    }
}

/// The length of the empty line at the start, if there is one.
pub(crate) fn blank_line(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [b'\n', ..] => Some(1),
        [b'\r', b'\n', ..] => Some(2),
        _ => None,
    }
}

/// The first records.
fn records(head: &str, complete: bool, dialect: Dialect, most: usize) -> Records {
    let mut records = Records::new();
    let mut scratch = String::new();
    each_record(head, complete, dialect, most, |fields| {
        let texts = fields
            .iter()
            .map(|field| field.text(head, &mut scratch).to_owned());
        records.push(texts.collect());
    });
    records
}

/// The fields of the first record.
pub(crate) fn first_record(head: &str, complete: bool, dialect: Dialect) -> Vec<String> {
    records(head, complete, dialect, 1)
        .pop()
        .unwrap_or_default()
}

/// Is the first record a header? It is, unless it looks like one more row:
/// - wherever the other rows hold only numbers, it holds a number or nothing, and a number at least
///   once;
/// - or no column holds numbers, and it repeats a text that other rows have in the same column.
pub(crate) fn header(head: &str, complete: bool, dialect: Dialect) -> bool {
    let records = records(head, complete, dialect, RECORDS);
    let Some((first, rows)) = records.split_first() else {
        return true;
    };
    let is_number = |text: &str| parse_number(text) != Number::Not;
    let (mut numeric, mut numbers) = (0, 0);
    for (i, name) in first.iter().enumerate() {
        let mut fields = rows
            .iter()
            .filter_map(|row| row.get(i))
            .filter(|f| !f.trim().is_empty())
            .peekable();
        if fields.peek().is_some() && fields.all(|field| is_number(field)) {
            numeric += 1;
            if is_number(name) {
                numbers += 1;
            } else if !name.trim().is_empty() {
                return true;
            }
        }
    }
    if numeric > 0 {
        return numbers == 0;
    }
    let mut sorted: Vec<&String> = first.iter().filter(|name| !name.is_empty()).collect();
    sorted.sort_unstable();
    let repeated = |name: &String| {
        sorted.partition_point(|n| *n <= name) > sorted.partition_point(|n| *n < name) + 1
    };
    let seen_below = |i: usize, name: &String| rows.iter().any(|row| row.get(i) == Some(name));
    !first
        .iter()
        .enumerate()
        .any(|(i, name)| !name.is_empty() && repeated(name) && seen_below(i, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sniffed(text: &str) -> (char, bool) {
        let found = dialect(text, true, None);
        (char::from(found.separator), found.quoting)
    }

    #[test]
    fn separators() {
        assert_eq!(sniffed("a\tb\n1\t2\n"), ('\t', false));
        assert_eq!(sniffed("a,b\n1,2\n"), (',', true));
        assert_eq!(sniffed("a;b;c\n1,5;2,5;x\n1,5;2;y\n"), (';', true));
        assert_eq!(sniffed("a|b\n1|2\n"), ('|', true));
        assert_eq!(sniffed("a b c\n1 2 3\n"), (' ', false));
        assert_eq!(sniffed("a\n1\n"), (',', true));
        // One bad line does not change the separator.
        assert_eq!(sniffed("a;b\n1,5;2\n1,5;2\n3;4;5\n"), (';', true));
        assert_eq!(
            sniffed("name,text\nx,\"a;b;c\"\ny,\"d;e;f\"\n"),
            (',', true)
        );
    }

    #[test]
    fn quotations() {
        assert!(sniffed("a\tb\n\"x y\"\t2\n").1);
        assert!(!sniffed("a\tb\nsay \"hi\"\t2\n").1);
        assert!(!sniffed("a\tb\n\"hi\" he said\t2\n").1);
        assert!(!sniffed("a\tb\n\"hi\t2\n").1);
    }

    #[test]
    fn headers() {
        let found = |text: &str| header(text, true, dialect(text, true, None));
        assert!(found("a,b\n1,2\n"));
        assert!(found("a,b\nx,y\n"));
        assert!(!found("1,2\n3,4\n"));
        assert!(!found("5.1,setosa\n4.9,setosa\n"));
        assert!(!found("p,x,p\np,y,q\n"));
        assert!(found("1,2\n"), "a single line names the columns");
        assert!(found("a,a\nx,y\n"), "left to the check of duplicate names");
        assert!(found(",2020,2021\nx,a,b\n"));
        assert!(found("id,2020\n7,1.5\n"));
    }
}
