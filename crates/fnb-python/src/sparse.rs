//! A sparse matrix of Python, column after column: sparse columns, made when a model asks for them.

use crate::batches::Batches;
use crate::column::{Pieces, rows};
use crate::told::Told;
use arrow::array::{AsArray, Float64Array, Int32Array};
use arrow::datatypes::Int32Type;
use fnb::columns::{Column, ColumnData, ColumnType, Frame, SparseColumn};
use fnb::{Code, Error};
use fnb_table::{Expected, ReadOptions};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The values that are not 0, lent by Python: those of column `i` from `starts[i]` to `starts[i + 1]`.
pub(crate) struct SparseMatrix {
    pub(crate) rows: usize,
    pub(crate) names: Vec<String>,
    starts: Vec<usize>,
    /// The row of each value.
    places: Int32Array,
    values: Batches,
}

/// The name of the values, in messages.
const VALUES: &str = "values of the sparse matrix";

/// Matrices of at most so many rows are read in the caller's thread.
const FEW_ROWS: usize = 4096;

impl SparseMatrix {
    pub(crate) fn new(
        names: Vec<String>,
        starts: Vec<i64>,
        places: &Pieces,
        values: &Pieces,
        length: usize,
    ) -> fnb::Result<Self> {
        let count = rows(values);
        let increasing = starts.array_windows().all(|[a, b]| 0 <= *a && a <= b);
        let complete = starts.last().is_some_and(|end| *end as usize <= count);
        let places = places.arrays.first().and_then(|array| {
            let places = array.as_primitive_opt::<Int32Type>()?;
            (places.len() == count).then(|| places.clone())
        });
        let valid = increasing && complete && starts.len() == names.len() + 1;
        let Some(places) = places.filter(|_| valid) else {
            let message = "the parts of the sparse matrix do not fit together";
            return Err(Error::new(Code::UnusableData, message).help("build it anew"));
        };
        Ok(Self {
            rows: length,
            names,
            starts: starts.into_iter().map(|start| start as usize).collect(),
            places,
            values: one_column(VALUES, values, count)?,
        })
    }

    /// The columns that the options ask for: sparse, but for those that are not to be numbers.
    pub(crate) fn read(&self, options: &ReadOptions) -> fnb::Result<Frame> {
        let of_values = ReadOptions {
            may_be_empty: true,
            ..ReadOptions::only(vec![Expected::needed(VALUES, ColumnType::Numerical)])
        };
        let values = self.values.read(&of_values, &mut Told::default())?;
        let [
            Column {
                data: ColumnData::Numeric(values),
                ..
            },
        ] = values.columns()
        else {
            return Err(Error::new(Code::Internal, "sparse values are no numbers"));
        };
        let types = types(options);
        let dropped: BTreeSet<&str> = options.drop.iter().map(String::as_str).collect();
        let column = |place: usize| {
            let name = self.names[place].clone();
            let stored = self.starts[place]..self.starts[place + 1];
            let places = self.places.values()[stored.clone()].iter();
            let entries = places.map(|&row| row as u32);
            let entries = entries.zip(values.values()[stored].iter().copied());
            let sparse = SparseColumn::new(self.rows, entries.collect())?;
            let data = match types.get(name.as_str()) {
                None | Some(ColumnType::Numerical) => ColumnData::Sparse(sparse),
                Some(&ty) => dense(&name, &sparse, ty)?,
            };
            Ok(Column { name, data })
        };
        let wanted = |place: &usize| {
            let name = self.names[*place].as_str();
            !dropped.contains(name) && (!options.only || types.contains_key(name))
        };
        let places: Vec<usize> = (0..self.names.len()).filter(wanted).collect();
        let columns: fnb::Result<Vec<Column>> = if self.rows <= FEW_ROWS {
            places.into_iter().map(column).collect()
        } else {
            places.into_par_iter().map(column).collect()
        };
        Frame::new(self.rows, columns?)
    }
}

/// The types that are asked for, by name.
fn types(options: &ReadOptions) -> BTreeMap<&str, ColumnType> {
    let said = options.by_strength();
    said.filter_map(|said| Some((said.name.as_str(), said.effective_type()?)))
        .collect()
}

/// A column that is not to be numbers: as if it had been given dense.
fn dense(name: &str, column: &SparseColumn, ty: ColumnType) -> fnb::Result<ColumnData> {
    let values = Pieces {
        arrays: vec![Arc::new(Float64Array::from(column.to_dense()))],
        numbers_from_objects: false,
    };
    let batches = one_column(name, &values, column.len())?;
    let options = ReadOptions {
        may_be_empty: true,
        ..ReadOptions::only(vec![Expected::needed(name, ty)])
    };
    let mut frame = batches.read(&options, &mut Told::default())?;
    let column = frame.remove(name);
    let column = column.ok_or_else(|| Error::new(Code::Internal, "a column is gone"))?;
    Ok(column.data)
}

fn one_column(name: &str, values: &Pieces, rows: usize) -> fnb::Result<Batches> {
    let batches = Batches::from_pieces(&[name.to_owned()], std::slice::from_ref(values), rows);
    batches.map_err(|error| Error::new(Code::Internal, error.to_string()))
}
