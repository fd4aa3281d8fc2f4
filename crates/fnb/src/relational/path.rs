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

/// The table of a column written like `orders.items.price`, among the given data paths, and its name
/// there. A name that starts with no table is a column of the main one.
///
/// ```
/// use fnb::relational::place_of;
/// let paths = ["orders", "orders/items", "/city"];
/// assert_eq!(place_of("orders.items.price", paths), ("orders/items", "price"));
/// assert_eq!(place_of("city.people", paths), ("/city", "people"));
/// assert_eq!(place_of("age", paths), ("", "age"));
/// ```
pub fn place_of<'n, 'p>(
    name: &'n str,
    paths: impl IntoIterator<Item = &'p str>,
) -> (&'p str, &'n str) {
    let mut found = ("", name);
    for path in paths {
        let column = name.strip_prefix(&shown(path));
        let column = column.and_then(|rest| rest.strip_prefix('.'));
        if let Some(column) = column.filter(|column| column.len() < found.1.len()) {
            found = (path, column);
        }
    }
    found
}

/// The table whose records own those at a data path: `""` for the main table. A look-up table is owned
/// by none; it has the same answer.
///
/// ```
/// use fnb::relational::owner;
/// assert_eq!([owner("orders/items"), owner("orders"), owner("/city")], ["orders", "", ""]);
/// ```
pub fn owner(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(owner, _)| owner)
}
