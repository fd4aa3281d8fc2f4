//! Schema files, of one table or of several.

#![no_main]

use fnb_table::SchemaFile;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let path = fnb_fuzz::as_file(bytes, ".json");
    // An error is as good an answer as a schema.
    let _ = SchemaFile::read(&path);
});
