//! Data paths as people write them.

/// The name of the table at a data path.
///
/// ```
/// use fnb::relational::shown;
/// assert_eq!(shown("orders/items"), "orders.items");
/// assert_eq!(shown("/city"), "city");
/// assert_eq!(shown(""), "the main table");
/// ```
pub fn shown(path: &str) -> String {
    match path {
        "" => "the main table".to_owned(),
        path => path.trim_start_matches('/').replace('/', "."),
    }
}

/// The same in a sentence.
///
/// ```
/// use fnb::relational::place;
/// assert_eq!(place("orders/items"), "table orders.items");
/// assert_eq!(place(""), "the main table");
/// ```
pub fn place(path: &str) -> String {
    match path {
        "" => shown(path),
        path => format!("table {}", shown(path)),
    }
}

/// The table whose records own those at a data path: `""` for the main table. A look-up table is owned
/// by none; it has the same answer.
pub(super) fn owner(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(owner, _)| owner)
}
