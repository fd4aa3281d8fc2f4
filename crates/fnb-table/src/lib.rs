//! Files and Arrow to columns.
