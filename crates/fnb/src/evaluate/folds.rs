//! Stratified splits that depend on the classes of the rows and on nothing else.

use crate::columns::Target;
use crate::{Code, Error, Result};

/// Start of the row numbers that are mixed; any constant would do.
const SEED: u64 = 20_240_611;

/// The fold of every row, from 0 to `k − 1`. The size of the folds and their count of each class
/// differ by at most one.
///
/// Row i has the number `splitmix64(20240611 + i)`. The classes are taken in class order and inside
/// a class the rows by that number; counting on through all of them, the fold is the count modulo k.
///
/// ```
/// use fnb::columns::{Column, ColumnData, Target};
/// let data = ColumnData::Categorical([Some("a"), Some("b")].repeat(50).into_iter().collect());
/// let target = Target::from_column(&Column { name: "y".into(), data })?;
/// let folds = fnb::evaluate::folds(&target, 10)?;
/// assert_eq!(folds.iter().filter(|&&fold| fold == 3).count(), 10);
/// # Ok::<(), fnb::Error>(())
/// ```
pub fn folds(target: &Target, k: u32) -> Result<Vec<u32>> {
    let rows = target.rows();
    if k < 2 || k as usize > rows {
        let message = format!("{rows} rows cannot be split into {k} folds");
        let help = if rows < 2 {
            "give more rows".into()
        } else {
            format!("choose from 2 to {rows} folds")
        };
        return Err(Error::new(Code::InvalidFolds, message).help(help));
    }
    let mut folds = vec![0; rows];
    for (position, &row) in mixed_rows(target).iter().enumerate() {
        folds[row] = (position % k as usize) as u32;
    }
    Ok(folds)
}

/// The folds there are, in order.
///
/// ```
/// assert_eq!(fnb::evaluate::fold_names(&[3, 0, 3]), [0, 3]);
/// ```
pub fn fold_names(fold_of_row: &[u32]) -> Vec<u32> {
    let mut names = fold_of_row.to_vec();
    names.sort_unstable();
    names.dedup();
    names
}

/// Rows to train on and rows to test on, both in increasing order. The test rows are the given
/// share of every class as nearly as whole rows allow, but each class keeps a row to train on.
///
/// ```
/// # use fnb::columns::{Column, ColumnData, Target};
/// # let data = ColumnData::Categorical([Some("a"), Some("b")].repeat(50).into_iter().collect());
/// # let target = Target::from_column(&Column { name: "y".into(), data })?;
/// let (train, test) = fnb::evaluate::holdout(&target, 0.3)?;
/// assert_eq!((train.len(), test.len()), (70, 30));
/// assert_eq!(target.take(&test).counts(), [15, 15]);
/// # Ok::<(), fnb::Error>(())
/// ```
pub fn holdout(target: &Target, share: f64) -> Result<(Vec<usize>, Vec<usize>)> {
    if !(share > 0.0 && share < 1.0) {
        let message = format!("the share of test rows is {share}, it must be between 0 and 1");
        return Err(Error::new(Code::Usage, message).help("0.3 tests on 30 % of the rows"));
    }
    let mixed = mixed_rows(target);
    let (mut is_test, mut start) = (vec![false; mixed.len()], 0);
    let class = |row: &usize| target.codes()[*row];
    for rows in mixed.chunk_by(|a, b| class(a) == class(b)) {
        let end = start + rows.len();
        // Rounding the running total, not each class, keeps the share over all classes.
        let test = (share * end as f64).round() - (share * start as f64).round();
        for &row in rows.iter().take((test as usize).min(rows.len() - 1)) {
            is_test[row] = true;
        }
        start = end;
    }
    let (test, train): (Vec<usize>, Vec<usize>) = (0..mixed.len()).partition(|&row| is_test[row]);
    if test.is_empty() {
        let message = format!(
            "a share of {share} of {} rows leaves no row to test on",
            mixed.len()
        );
        return Err(Error::new(Code::UnusableData, message).help("take a larger share"));
    }
    Ok((train, test))
}

/// All rows, by class, mixed inside each class.
fn mixed_rows(target: &Target) -> Vec<usize> {
    let mut rows: Vec<(u32, u64, usize)> = target
        .codes()
        .iter()
        .enumerate()
        .map(|(row, &class)| (class, splitmix64(SEED + row as u64), row))
        .collect();
    rows.sort_unstable();
    rows.into_iter().map(|(_, _, row)| row).collect()
}

/// The mixing function of the splitmix64 generator; a permutation, so rows never tie.
fn splitmix64(x: u64) -> u64 {
    let z = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
