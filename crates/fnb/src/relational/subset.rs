//! Some of the root rows, with the records they own.

use super::join::NONE;
use super::tables::{Link, Table, Tables};
use crate::columns::Frame;

impl Tables {
    /// The tables of the given root rows, in the given order: owned records follow their row, look-up
    /// tables stay as they are. The reports are those of the whole.
    ///
    /// ```
    /// use fnb::columns::{Column, ColumnData, Frame};
    /// use fnb::relational::{Schema, Tables};
    /// let schema: Schema = serde_json::from_str(r#"{"root": "Customer", "entities": {
    ///     "Customer": {"key": ["id"], "fields": [
    ///         {"name": "id", "type": "Categorical"},
    ///         {"name": "Orders", "relation": "many", "entity": "Order"}]},
    ///     "Order": {"key": ["id"], "fields": [{"name": "id", "type": "Categorical"}]}}}"#)?;
    /// let ids = |rows: &[&str]| Column {
    ///     name: "id".into(),
    ///     data: ColumnData::Categorical(rows.iter().map(|row| Some(*row)).collect()),
    /// };
    /// let customers = Frame::new(2, vec![ids(&["ann", "bob"])])?;
    /// let orders = Frame::new(3, vec![ids(&["bob", "ann", "bob"])])?;
    /// let frames = [(String::new(), customers), ("Orders".into(), orders)];
    /// let bob = Tables::new(&schema, frames.into(), None)?.take(&[1]);
    /// assert_eq!(bob.frame("Orders").map(Frame::rows), Some(2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn take(&self, rows: &[usize]) -> Self {
        let mut orders: Vec<Option<Vec<usize>>> = vec![None; self.tables.len()];
        orders[0] = Some(rows.to_vec());
        let mut tables = Vec::with_capacity(self.tables.len());
        // Owners come before what they own.
        for (t, table) in self.tables.iter().enumerate() {
            let Some(order) = orders[t].take() else {
                tables.push(table.clone());
                continue;
            };
            let mut links = Vec::with_capacity(table.links.len());
            for (link, layout) in table.links.iter().zip(&self.layout.tables[t].links) {
                let (link, owned) = link.take(&order, layout.by.is_none());
                links.push(link);
                if let Some(owned) = owned {
                    orders[layout.table] = Some(owned);
                }
            }
            tables.push(Table {
                frame: table.frame.take(&order),
                links,
            });
        }
        let repeated = self.repeated_roots();
        let is_repeated = |&i: &usize| repeated.binary_search(&rows[i]).is_ok();
        let repeated_roots = (0..rows.len()).filter(is_repeated).collect();
        self.with_tables(tables, repeated_roots)
    }

    /// The frames by data path.
    pub fn frames(&self) -> impl Iterator<Item = (&str, &Frame)> {
        let paths = self.layout.tables.iter().map(|table| table.path.as_str());
        paths.zip(self.tables.iter().map(|table| &table.frame))
    }
}

impl Link {
    /// Where the given records lead; if they own those, which of them there still are, in order.
    fn take(&self, order: &[usize], owned: bool) -> (Self, Option<Vec<usize>>) {
        match self {
            Self::Many { offsets } => {
                let range = |&row: &usize| offsets[row] as usize..offsets[row + 1] as usize;
                let kept: Vec<usize> = order.iter().flat_map(range).collect();
                let mut end = 0;
                let mut ends = vec![0];
                ends.extend(order.iter().map(|row| {
                    end += offsets[row + 1] - offsets[*row];
                    end
                }));
                (Self::Many { offsets: ends }, Some(kept))
            }
            Self::One { row_of } if !owned => {
                let row_of = order.iter().map(|&row| row_of[row]).collect();
                (Self::One { row_of }, None)
            }
            Self::One { row_of } => {
                let mut kept = Vec::new();
                let row_of = order.iter().map(|&row| match row_of[row] {
                    NONE => NONE,
                    record => {
                        kept.push(record as usize);
                        kept.len() as u32 - 1
                    }
                });
                let row_of = row_of.collect();
                (Self::One { row_of }, Some(kept))
            }
        }
    }
}
