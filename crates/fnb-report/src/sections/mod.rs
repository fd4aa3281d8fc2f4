//! The sections of the page, one file each.

mod confusion;
pub(crate) mod data;
mod heat_maps;
pub(crate) mod left_out;
pub(crate) mod model;
pub(crate) mod pairs;
mod part_table;
pub(crate) mod performance;
pub(crate) mod reproduce;
pub(crate) mod summary;
pub(crate) mod tables;
pub(crate) mod variables;
pub(crate) mod what_if;

use crate::view::View;

/// A section of the page.
pub(crate) struct Section {
    /// Its id, without `s-`.
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    pub(crate) question: &'static str,
    /// What it says, as HTML.
    pub(crate) body: String,
}

/// The ten sections, in order.
pub(crate) fn all(view: &View) -> Vec<Section> {
    let sections: [fn(&View) -> Section; 10] = [
        summary::section,
        data::section,
        model::section,
        variables::section,
        pairs::section,
        tables::section,
        performance::section,
        what_if::section,
        left_out::section,
        reproduce::section,
    ];
    sections.iter().map(|section| section(view)).collect()
}
