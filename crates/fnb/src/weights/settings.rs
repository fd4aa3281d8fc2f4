//! What the search for weights depends on, beyond the data.

use crate::{Code, Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// How the weights are learnt (docs/method.md §7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Naive Bayes: every informative variable, weight 1.
    Nb,
    /// Selective naive Bayes: the best subset met.
    SnbMap,
    /// Selective naive Bayes, all subsets met averaged by their compression.
    Snb,
    /// Fractional naive Bayes, add/drop search in random order, as published.
    Fnb,
    /// The same as Khiops 11 does it: its likelihood, its constants, its order.
    FnbKhiops,
    /// The same search, most promising variable first.
    FnbOrdered,
    /// Newton steps on one weight at a time, on an active set of variables.
    Coordinate,
    /// Projected gradient on the whole criterion.
    Sg,
    /// Alternation between the total weight and the penalty of each weight.
    Am,
    /// Convex relaxation by gradient, then exact steps on the concave criterion.
    #[serde(rename = "sg.cf")]
    SgCf,
    /// Convex relaxation by gradient, then linearised steps.
    #[serde(rename = "sg.ue")]
    SgUe,
    /// Convex relaxation by universal gradient, then exact steps.
    #[serde(rename = "ug.cf")]
    UgCf,
    /// Convex relaxation by universal gradient, then linearised steps.
    #[serde(rename = "ug.ue")]
    UgUe,
    /// Convex relaxation by conditional gradient, then exact steps.
    #[serde(rename = "cg.cf")]
    CgCf,
    /// Convex relaxation by conditional gradient, then linearised steps.
    #[serde(rename = "cg.ue")]
    CgUe,
}

impl Method {
    /// Every method, ours and then the eight continuous ones of the article.
    pub const ALL: [Self; 15] = [
        Self::Nb,
        Self::SnbMap,
        Self::Snb,
        Self::Fnb,
        Self::FnbKhiops,
        Self::FnbOrdered,
        Self::Coordinate,
        Self::Sg,
        Self::Am,
        Self::SgCf,
        Self::SgUe,
        Self::UgCf,
        Self::UgUe,
        Self::CgCf,
        Self::CgUe,
    ];

    /// Does it minimise the continuous criterion (docs/method.md §7.9)? The others minimise that of
    /// the add/drop searches.
    pub fn is_continuous(self) -> bool {
        !matches!(
            self,
            Self::Nb | Self::SnbMap | Self::Snb | Self::Fnb | Self::FnbKhiops | Self::FnbOrdered
        )
    }

    /// Its name in settings, files and on the command line.
    ///
    /// ```
    /// assert_eq!(fnb::Method::SgCf.as_str(), "sg.cf");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Nb => "nb",
            Self::SnbMap => "snb-map",
            Self::Snb => "snb",
            Self::Fnb => "fnb",
            Self::FnbKhiops => "fnb-khiops",
            Self::FnbOrdered => "fnb-ordered",
            Self::Coordinate => "coordinate",
            Self::Sg => "sg",
            Self::Am => "am",
            Self::SgCf => "sg.cf",
            Self::SgUe => "sg.ue",
            Self::UgCf => "ug.cf",
            Self::UgUe => "ug.ue",
            Self::CgCf => "cg.cf",
            Self::CgUe => "cg.ue",
        }
    }
}

/// Where a continuous method starts; the add/drop searches start without variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// All weights 1/2, as published: thousands of redundant variables may end in an empty model.
    Half,
    /// The same, scaled down as far as that start costs more than the empty model.
    Norm,
    /// The weights of [`Method::Snb`].
    Snb,
    /// The weights of [`Method::Fnb`].
    Fnb,
}

impl Start {
    /// Every start.
    pub const ALL: [Self; 4] = [Self::Half, Self::Norm, Self::Snb, Self::Fnb];

    /// Its name in settings, files and on the command line.
    ///
    /// ```
    /// assert_eq!(fnb::Start::Norm.as_str(), "norm");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Half => "half",
            Self::Norm => "norm",
            Self::Snb => "snb",
            Self::Fnb => "fnb",
        }
    }
}

/// What a variable pays for its parts when it enters the model (docs/method.md §6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Price {
    /// The class counts of all its parts, as published.
    Full,
    /// What they cost beyond the class counts of all rows: those are the same for every variable, and
    /// known.
    Excess,
}

impl Price {
    /// Every price.
    pub const ALL: [Self; 2] = [Self::Full, Self::Excess];

    /// Its name in settings, files and on the command line.
    ///
    /// ```
    /// assert_eq!(fnb::weights::Price::Excess.as_str(), "excess");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Excess => "excess",
        }
    }
}

/// What is learnt beyond the weights: better profiles, and tables over several variables.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Interactions {
    /// After [`Method::Coordinate`], as many tables as pay their price; after other methods, nothing.
    #[default]
    Auto,
    /// Nothing.
    None,
    /// The same with at most so many tables; 0 for better profiles alone.
    #[serde(untagged)]
    AtMost(usize),
}

/// Tables that enter a model by themselves.
const MOST_TABLES: usize = 20;

impl Interactions {
    fn none() -> Self {
        Self::None
    }

    /// Is nothing learnt beyond the weights?
    pub fn is_none(&self) -> bool {
        *self == Self::None
    }
}

impl FromStr for Interactions {
    type Err = Error;

    /// ```
    /// use fnb::weights::Interactions;
    /// assert_eq!("5".parse::<Interactions>()?, Interactions::AtMost(5));
    /// assert!("many".parse::<Interactions>().is_err());
    /// # Ok::<(), fnb::Error>(())
    /// ```
    fn from_str(text: &str) -> Result<Self> {
        match text {
            "auto" => Ok(Self::Auto),
            "none" => Ok(Self::None),
            number => number.parse().map(Self::AtMost).map_err(|_| {
                let message =
                    format!("interactions is {text:?}, it must be auto, none or a number");
                Error::new(Code::Usage, message).help("auto takes as many tables as pay")
            }),
        }
    }
}

/// How the weights are learnt from prepared variables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LearnSettings {
    /// The method.
    pub method: Method,
    /// Where the continuous methods start; if not given, the gradient methods at
    /// [`Start::Norm`] and [`Method::Coordinate`] without variables.
    pub start: Option<Start>,
    /// Weight of the prior in the criterion.
    pub lambda: f64,
    /// What a variable costs in the prior.
    pub price: Price,
    /// Exponent of the weights in the prior; below 1 it favours few variables.
    pub p: f64,
    /// Below this weight the prior of the continuous methods is a straight line.
    pub delta: f64,
    /// A gradient method stops when the weights move by less, relative to their norm.
    pub epsilon: f64,
    /// A continuous method stops when the criterion gains less, relative to its value.
    pub tolerance: f64,
    /// Iterations of one stage of a continuous method, at most.
    pub max_iterations: usize,
    /// [`Method::Coordinate`] solves the convex relaxation first: a lower criterion, more work.
    pub continuation: bool,
    /// Number of variables of the model, at most.
    pub max_selected: Option<usize>,
    /// Share of the criterion that is given up for fewer variables (docs/method.md §7.12); if not given,
    /// 0.001 by [`Method::Coordinate`] and nothing by the others.
    pub sparser: Option<f64>,
    /// Are profiles estimated anew, and tables over several variables looked for (docs/method.md §12)?
    #[serde(
        default = "Interactions::none",
        skip_serializing_if = "Interactions::is_none"
    )]
    pub interactions: Interactions,
    /// Seed of the random orders of [`Method::Snb`], [`Method::SnbMap`] and [`Method::Fnb`].
    pub seed: u64,
}

impl Default for LearnSettings {
    fn default() -> Self {
        Self {
            method: Method::Coordinate,
            start: None,
            lambda: 0.2,
            price: Price::Excess,
            p: 0.95,
            delta: 1e-4,
            epsilon: 0.01,
            tolerance: 1e-5,
            max_iterations: 500,
            continuation: false,
            max_selected: None,
            sparser: None,
            interactions: Interactions::Auto,
            seed: 0,
        }
    }
}

/// What [`Method::Coordinate`] gives up of the criterion for fewer variables (docs/default-method.md).
const GIVEN_UP: f64 = 0.001;

impl LearnSettings {
    /// Number of tables over several variables, at most; `None` if nothing is learnt beyond the weights.
    pub(crate) fn most_tables(&self) -> Option<usize> {
        match self.interactions {
            Interactions::Auto => (self.method == Method::Coordinate).then_some(MOST_TABLES),
            Interactions::None => None,
            Interactions::AtMost(tables) => Some(tables),
        }
    }

    /// May the result be replaced by a smaller model of its size path?
    pub(crate) fn chooses_size(&self) -> bool {
        self.method == Method::Coordinate || self.sparser.is_some()
    }

    /// Share of the criterion that is given up for fewer variables.
    pub(crate) fn given_up(&self) -> f64 {
        match self.sparser {
            Some(share) => share,
            None if self.method == Method::Coordinate => GIVEN_UP,
            None => 0.0,
        }
    }

    /// Verifies the ranges; training calls it first.
    pub fn check(&self) -> Result<()> {
        let from_zero = |x: f64| x >= 0.0 && x.is_finite();
        let share = |x: f64| x > 0.0 && x <= 1.0;
        let numbers = [
            (
                "lambda",
                self.lambda,
                from_zero(self.lambda),
                "a number from 0 up",
            ),
            ("p", self.p, share(self.p), "above 0 and at most 1"),
            (
                "delta",
                self.delta,
                self.delta > 0.0 && self.delta < 1.0,
                "between 0 and 1",
            ),
            (
                "epsilon",
                self.epsilon,
                from_zero(self.epsilon),
                "a number from 0 up",
            ),
            (
                "tolerance",
                self.tolerance,
                from_zero(self.tolerance),
                "a number from 0 up",
            ),
        ];
        let sparser = self.sparser.map(|share| {
            let valid = (0.0..=1.0).contains(&share);
            ("sparser", share, valid, "a share from 0 to 1")
        });
        for (name, value, valid, range) in numbers.into_iter().chain(sparser) {
            if !valid {
                let message = format!("{name} is {value}, it must be {range}");
                return Err(Error::new(Code::Usage, message).help(default_value(name)));
            }
        }
        for (name, value) in [
            ("max_iterations", Some(self.max_iterations)),
            ("max_selected", self.max_selected),
        ] {
            if value == Some(0) {
                let message = format!("{name} is 0, it must be at least 1");
                return Err(Error::new(Code::Usage, message).help(default_value(name)));
            }
        }
        Ok(())
    }
}

fn default_value(name: &str) -> String {
    let base = LearnSettings::default();
    let value = match name {
        "lambda" => base.lambda.to_string(),
        "p" => base.p.to_string(),
        "delta" => base.delta.to_string(),
        "epsilon" => base.epsilon.to_string(),
        "tolerance" => base.tolerance.to_string(),
        "sparser" => GIVEN_UP.to_string(),
        "max_iterations" => base.max_iterations.to_string(),
        _ => return "leave it out for any number of variables".into(),
    };
    format!("{value} is the default")
}
