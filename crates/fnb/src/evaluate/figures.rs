//! Figures that are averaged over folds: structs of numbers whose names are written once.

/// Declares a struct of numbers with names, and what names alone are good for: lists, means, spreads.
macro_rules! figures {
    ($(#[$meta:meta])* pub struct $name:ident { $($(#[$doc:meta])* $figure:ident,)* }) => {
        $(#[$meta])*
        pub struct $name {
            $($(#[$doc])* pub $figure: f64,)*
        }

        impl $name {
            /// The names of the figures, in order.
            pub const NAMES: &[&str] = &[$(stringify!($figure)),*];

            /// The figures with their names, in order.
            pub fn iter(&self) -> impl Iterator<Item = (&'static str, f64)> {
                [$((stringify!($figure), self.$figure)),*].into_iter()
            }

            /// The figures that `figure` gives by name.
            pub fn from_names<E>(
                mut figure: impl FnMut(&'static str) -> std::result::Result<f64, E>,
            ) -> std::result::Result<Self, E> {
                Ok(Self { $($figure: figure(stringify!($figure))?,)* })
            }

            /// Mean and standard deviation (n − 1) of each figure, every one of `all` counting the
            /// same; the deviation of a single one is 0, and so is everything without any.
            pub fn mean_and_sd(all: &[Self]) -> (Self, Self) {
                $(let $figure = $crate::evaluate::mean_and_sd(all.iter().map(|one| one.$figure));)*
                (Self { $($figure: $figure.0,)* }, Self { $($figure: $figure.1,)* })
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
