//! Texts that are to be read as dates, times or timestamps, seen once and not kept. The order of day and month
//! is known only at the end, so that what cannot be read is counted for each.

use crate::dates::{Moment, Orders};
use crate::options::DayOrder;
use crate::unreadable::{Reading, Strays};
use fnb::columns::Temporal;

/// What was seen of a column.
#[derive(Debug, Clone, Default)]
pub(crate) struct MomentScan {
    orders: Orders,
    /// In the order that is known; else with the day first, and with the month first.
    strays: [Strays; 2],
}

impl MomentScan {
    /// Adds a text that stands in some rows.
    pub(crate) fn add(&mut self, text: &str, rows: usize, kind: Temporal, order: DayOrder) {
        let moment = Moment::read(text);
        if let Some(moment) = moment {
            self.orders.add(moment.formats, rows);
        }
        let orders: &[DayOrder] = match order {
            DayOrder::Detect => &[DayOrder::DayFirst, DayOrder::MonthFirst],
            known => &[known],
        };
        for (order, strays) in orders.iter().zip(&mut self.strays) {
            Reading::new(kind, *order).value_of(moment, text, rows, strays);
        }
    }

    /// Adds those of later rows.
    pub(crate) fn append(&mut self, later: Self) {
        self.orders.append(later.orders);
        for (strays, later) in self.strays.iter_mut().zip(later.strays) {
            strays.append(later);
        }
    }

    /// The order in which the texts are to be read, and those that cannot be.
    pub(crate) fn finish(self, order: DayOrder) -> (DayOrder, Strays) {
        let [first, second] = self.strays;
        match order {
            DayOrder::Detect => match self.orders.likely() {
                DayOrder::MonthFirst => (DayOrder::MonthFirst, second),
                // Without any text whose year is last, both are the same.
                other => (other, first),
            },
            known => (known, first),
        }
    }
}
