//! Variables chosen from everything that the tables allow, the most probable first.

mod values;

pub use values::OperandValues;
