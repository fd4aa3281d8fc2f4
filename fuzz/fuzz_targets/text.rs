//! Tables in files of kind `.csv`: whatever they hold, a table or an error.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| fnb_fuzz::read_table(bytes, ".csv"));
