//! Which rules may be used.

use crate::math::nearest_name;
use crate::relational::{Family, Rule};
use crate::{Advice, Code, Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The name of selections among the rules.
pub(super) const SELECTION: &str = "TableSelection";

/// The rules that the construction may use. As text: families (`table`, `entity`, `date`, `time`,
/// `timestamp`, `timestamptz`) and names of rules, separated by commas.
///
/// ```
/// use fnb::relational::{Rule, RuleSet};
/// let rules: RuleSet = "entity, TableCount, TableSelection".parse()?;
/// assert!(rules.contains(Rule::GetValueC) && !rules.contains(Rule::TableMean));
/// assert!(rules.selections());
/// assert_eq!(rules.to_string(), "TableSelection,TableCount,GetValue,GetValueC");
/// assert!(RuleSet::default().contains(Rule::WeekDay));
/// assert!(!RuleSet::khiops().contains(Rule::WeekDay));
/// # Ok::<(), fnb::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct RuleSet {
    /// In the order of [`Rule::ALL`].
    rules: Vec<Rule>,
    selections: bool,
    /// Are parts of dates and times less probable than other choices?
    rare_calendar: bool,
}

/// How probable a part of a date or a time is where other choices are 1, if it is to be rarer than these.
/// Chosen on planted signals: with 1, calendar parts take half of the variables of records that have a
/// time; with 1/4, what depends on them is found later (docs/relational.md).
const RARE: f64 = 0.5;

impl Default for RuleSet {
    /// Every rule.
    fn default() -> Self {
        Self {
            rules: Rule::ALL.to_vec(),
            selections: true,
            rare_calendar: false,
        }
    }
}

impl RuleSet {
    /// The rules that the reference uses unless told otherwise: those of tables and entities, none of
    /// dates and times.
    pub fn khiops() -> Self {
        let of_records = |rule: &Rule| matches!(rule.family(), Family::Table | Family::Entity);
        Self {
            rules: Rule::ALL.into_iter().filter(of_records).collect(),
            selections: true,
            rare_calendar: false,
        }
    }

    /// May this rule be used?
    pub fn contains(&self, rule: Rule) -> bool {
        self.rules.contains(&rule)
    }

    /// May the records of a table be selected by conditions?
    pub fn selections(&self) -> bool {
        self.selections
    }

    /// The same, with parts of dates and times half as probable as other choices, and dearer for it, or as
    /// probable. No part of the text.
    #[must_use]
    pub fn with_rare_calendar(self, rare_calendar: bool) -> Self {
        Self {
            rare_calendar,
            ..self
        }
    }

    /// How probable a part of a date or a time is, where other choices are 1.
    pub(super) fn calendar(&self) -> f64 {
        if self.rare_calendar { RARE } else { 1.0 }
    }

    /// The rules, selections apart.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }
}

impl fmt::Display for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.rules.iter().map(|rule| rule.as_str());
        let selection = self.selections.then_some(SELECTION);
        let names: Vec<&str> = selection.into_iter().chain(names).collect();
        f.write_str(&names.join(","))
    }
}

impl From<RuleSet> for String {
    fn from(rules: RuleSet) -> Self {
        rules.to_string()
    }
}

impl TryFrom<String> for RuleSet {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl FromStr for RuleSet {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (mut wanted, mut selections) = (Vec::new(), false);
        for name in text
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
        {
            let family = Family::ALL
                .into_iter()
                .find(|family| family.as_str() == name);
            let rule = Rule::ALL.into_iter().find(|rule| rule.as_str() == name);
            match (family, rule) {
                (Some(family), _) => {
                    let members = Rule::ALL.into_iter();
                    wanted.extend(members.filter(|rule| rule.family() == family));
                    selections |= family == Family::Table;
                }
                (None, Some(rule)) => wanted.push(rule),
                (None, None) if name == SELECTION => selections = true,
                (None, None) => return Err(unknown_rule(name)),
            }
        }
        let rules = Rule::ALL.into_iter().filter(|rule| wanted.contains(rule));
        Ok(Self {
            rules: rules.collect(),
            selections,
            rare_calendar: false,
        })
    }
}

fn unknown_rule(name: &str) -> Error {
    let families = Family::ALL.into_iter().map(Family::as_str);
    let rules = Rule::ALL.into_iter().map(Rule::as_str);
    let otherwise = format!(
        "give families ({}) or names of rules such as TableMean",
        families.clone().collect::<Vec<_>>().join(", ")
    );
    let nearest = nearest_name(name, families.chain([SELECTION]).chain(rules));
    let help = Advice::did_you_mean(nearest, otherwise);
    Error::new(Code::Usage, format!("there is no rule {name:?}")).help(help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_rules_and_families() {
        let families = "table,entity,date,time,timestamp,timestamptz".parse::<RuleSet>();
        assert_eq!(families, Ok(RuleSet::default()));
        assert_eq!("entity,table".parse(), Ok(RuleSet::khiops()));
        assert_eq!(
            RuleSet::default().to_string().parse(),
            Ok(RuleSet::default())
        );
        let error = "tabel".parse::<RuleSet>().expect_err("no family");
        assert_eq!(error.code(), Code::Usage);
        assert!(
            error.to_string().contains("did you mean \"table\"?"),
            "{error}"
        );
    }
}
