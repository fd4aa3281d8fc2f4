//! The categories that the page knows: all, or if they are too long for a page the most frequent ones.
//!
//! A variable may be in several tables, with groups of its own in each. The page knows the same values of it in all:
//! otherwise it would take one for "any other" in one table and for itself in another.

use fnb::model::{Model, SelfTestValue};
use fnb::terms::{Axis, Parts};
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of all categories of all tables up to which all are known...
const ALL: usize = 200_000;
/// ...and how many of a variable otherwise, some of every group.
const VALUES: usize = 1000;
/// So many of each group at least.
const OF_GROUP: usize = 20;

/// A category; none is a missing value.
type Category = Option<String>;

/// The values of variables of which not all are known.
pub(crate) struct KnownValues<'a>(BTreeMap<&'a str, BTreeSet<&'a Category>>);

impl<'a> KnownValues<'a> {
    pub(crate) fn of(model: &'a Model) -> Self {
        let axes = || model.terms().iter().flat_map(|term| &term.axes);
        if axes().map(bytes).sum::<usize>() <= ALL {
            return Self(BTreeMap::new());
        }
        let mut known: BTreeMap<&str, BTreeSet<&Category>> = BTreeMap::new();
        for axis in axes() {
            if let Parts::Groups { groups, .. } = &axis.parts
                && groups.iter().map(Vec::len).sum::<usize>() > VALUES
            {
                known.entry(&axis.name).or_default();
            }
        }
        for axis in axes() {
            let (Some(known), Parts::Groups { groups, .. }) =
                (known.get_mut(axis.name.as_str()), &axis.parts)
            else {
                continue;
            };
            let most = (VALUES / groups.len()).max(OF_GROUP);
            known.extend(groups.iter().flat_map(|values| values.iter().take(most)));
            // The page checks itself on the self-test.
            let tested: BTreeSet<&str> = model
                .self_test()
                .iter()
                .filter_map(|test| match test.row.get(&axis.name)? {
                    Some(SelfTestValue::Category(value)) => Some(value.as_str()),
                    _ => None,
                })
                .collect();
            let is_tested =
                |value: &&Category| value.as_deref().is_some_and(|v| tested.contains(v));
            known.extend(groups.iter().flatten().filter(is_tested));
        }
        Self(known)
    }

    /// The known values of the groups of a variable; none of a number.
    pub(crate) fn groups(&self, axis: &'a Axis) -> Vec<Vec<&'a Category>> {
        let Parts::Groups { groups, .. } = &axis.parts else {
            return Vec::new();
        };
        let known = self.0.get(axis.name.as_str());
        let is_known = |value: &&Category| known.is_none_or(|known| known.contains(value));
        let group = |values: &'a Vec<Category>| values.iter().filter(is_known).collect();
        groups.iter().map(group).collect()
    }
}

fn bytes(axis: &Axis) -> usize {
    match &axis.parts {
        Parts::Intervals { .. } => 0,
        Parts::Groups { groups, .. } => {
            let values = groups.iter().flatten();
            values
                .map(|value| value.as_ref().map_or(4, String::len))
                .sum()
        }
    }
}
