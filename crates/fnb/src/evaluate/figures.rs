//! Figures that are averaged over folds: structs of numbers whose names are written once.

/// A number, or one that may not be defined.
pub(crate) trait Figure: Copy {
    fn number(self) -> Option<f64>;

    /// A figure that is always defined is 0 in the place of none.
    fn from_number(number: Option<f64>) -> Self;
}

impl Figure for f64 {
    fn number(self) -> Option<f64> {
        Some(self)
    }

    fn from_number(number: Option<f64>) -> Self {
        number.unwrap_or_default()
    }
}

impl Figure for Option<f64> {
    fn number(self) -> Option<f64> {
        self
    }

    fn from_number(number: Option<f64>) -> Self {
        number
    }
}

/// Declares a struct of numbers with names, and what names alone are good for: lists, means, spreads.
macro_rules! figures {
    ($(#[$meta:meta])* pub struct $name:ident { $($(#[$doc:meta])* $figure:ident: $type:ty,)* }) => {
        $(#[$meta])*
        pub struct $name {
            $($(#[$doc])* pub $figure: $type,)*
        }

        impl $name {
            /// The names of the figures, in order.
            pub const NAMES: &[&str] = &[$(stringify!($figure)),*];

            /// The figures with their names, in order; absent where they are not defined.
            pub fn iter(&self) -> impl Iterator<Item = (&'static str, Option<f64>)> {
                use $crate::evaluate::Figure;
                [$((stringify!($figure), self.$figure.number())),*].into_iter()
            }

            /// The figures that `figure` gives by name.
            pub fn from_names<E>(
                mut figure: impl FnMut(&'static str) -> std::result::Result<Option<f64>, E>,
            ) -> std::result::Result<Self, E> {
                use $crate::evaluate::Figure;
                Ok(Self { $($figure: Figure::from_number(figure(stringify!($figure))?),)* })
            }

            /// Mean and standard deviation (n − 1) of each figure, every one of `all` where it is
            /// defined counting the same; the deviation of a single one is 0. Without any, both are
            /// 0, or not defined if the figure may be so.
            pub fn mean_and_sd(all: &[Self]) -> (Self, Self) {
                use $crate::evaluate::{Figure, mean_and_sd};
                $(
                    let values = all.iter().filter_map(|one| one.$figure.number());
                    let $figure = values.clone().next().map(|_| mean_and_sd(values)).unzip();
                )*
                (
                    Self { $($figure: Figure::from_number($figure.0),)* },
                    Self { $($figure: Figure::from_number($figure.1),)* },
                )
            }
        }
    };
}
pub(crate) use figures;

/// Mean and standard deviation (n − 1); the deviation of a single value is 0, and so are both without
/// any.
///
/// ```
/// let values = [1.0, 3.0];
/// assert_eq!(fnb::evaluate::mean_and_sd(values.into_iter()), (2.0, 2_f64.sqrt()));
/// ```
pub fn mean_and_sd(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let n = values.clone().count() as f64;
    let mean = values.clone().fold(0.0, |sum, value| sum + value) / n.max(1.0);
    let squares = values.fold(0.0, |sum, value| sum + (value - mean) * (value - mean));
    (mean, (squares / (n - 1.0).max(1.0)).sqrt())
}
