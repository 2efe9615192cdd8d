//! The history's filters in the page's address.

use shared::api::{RunQuery, RunSort};
use shared::run::RunView;

/// Runs on one page.
pub const PAGE_ROWS: u32 = 50;

/// The texts among the filters: their names in addresses, and where each lies.
type TextFilter = (&'static str, fn(&mut RunQuery) -> &mut Option<String>);
const TEXTS: [TextFilter; 10] = [
    ("text", |q| &mut q.text),
    ("status", |q| &mut q.status),
    ("target", |q| &mut q.target),
    ("who", |q| &mut q.who),
    ("engine", |q| &mut q.engine),
    ("strategy", |q| &mut q.strategy),
    ("database", |q| &mut q.database),
    ("table", |q| &mut q.table),
    ("from", |q| &mut q.from),
    ("to", |q| &mut q.to),
];

/// Reads filters from an address's parameters.
pub fn from_params<'a>(get: impl Fn(&str) -> Option<String> + 'a) -> RunQuery {
    let text = |name: &str| get(name).map(|v| v.trim().to_owned()).filter(|v| !v.is_empty());
    let mut query = RunQuery {
        sort: text("sort").and_then(|v| RunSort::ALL.into_iter().find(|s| s.as_str() == v)),
        ascending: text("ascending").map(|v| v == "true"),
        limit: Some(PAGE_ROWS),
        offset: text("offset").and_then(|v| v.parse().ok()),
        ..RunQuery::default()
    };
    for (name, field) in TEXTS {
        *field(&mut query) = text(name);
    }
    query
}

/// Writes filters as the part of an address behind the `?`; empty where nothing is set.
pub fn to_search(query: &RunQuery, with_limit: bool) -> String {
    let mut query = query.clone();
    let mut set: Vec<String> = TEXTS
        .iter()
        .filter_map(|(name, field)| {
            field(&mut query).as_ref().map(|v| format!("{name}={}", encode(v)))
        })
        .collect();
    if let Some(sort) = query.sort.filter(|s| *s != RunSort::default()) {
        set.push(format!("sort={}", sort.as_str()));
    }
    if query.ascending == Some(true) {
        set.push("ascending=true".to_owned());
    }
    if let Some(offset) = query.offset.filter(|o| *o > 0) {
        set.push(format!("offset={offset}"));
    }
    if let Some(limit) = query.limit.filter(|_| with_limit) {
        set.push(format!("limit={limit}"));
    }
    set.join("&")
}

/// The address of a page of the history.
pub fn address(query: &RunQuery) -> String {
    let search = to_search(query, false);
    if search.is_empty() { "/runs".to_owned() } else { format!("/runs?{search}") }
}

/// The address of two runs side by side.
pub fn compare(a: &str, b: &str) -> String {
    format!("/runs/compare?a={}&b={}", encode(a), encode(b))
}

/// The history of a run's table, to pick another run of it to be compared with.
pub fn compare_with(run: &RunView) -> String {
    let (database, table) = (encode(&run.database), encode(&run.table));
    format!("/runs?database={database}&table={table}&with={}", encode(&run.run_id))
}

/// Percent-encodes what may not stand in a part of an address.
pub fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(byte as char);
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// Whether any filter is set.
pub fn is_filtered(query: &RunQuery) -> bool {
    let mut query = query.clone();
    TEXTS.iter().any(|(_, field)| field(&mut query).is_some())
}

/// Sorts by a column: a second press on the same one turns the order round.
pub fn sort_by(query: &mut RunQuery, sort: RunSort) {
    let same = query.sort.unwrap_or_default() == sort;
    query.ascending = (same && query.ascending != Some(true)).then_some(true);
    query.sort = (sort != RunSort::default()).then_some(sort);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_survive_the_address() {
        let query = RunQuery {
            text: Some("a&b=ü".into()),
            engine: Some("InnoDB".into()),
            from: Some("2026-03-01".into()),
            sort: Some(RunSort::Rate),
            ascending: Some(true),
            limit: Some(PAGE_ROWS),
            offset: Some(50),
            ..RunQuery::default()
        };
        let search = to_search(&query, false);
        let wanted =
            "text=a%26b%3D%C3%BC&engine=InnoDB&from=2026-03-01&sort=rate&ascending=true&offset=50";
        assert_eq!(search, wanted);
        assert_eq!(address(&query), format!("/runs?{wanted}"));
        let back = from_params(|name| {
            let value = match name {
                "text" => "a&b=ü",
                "engine" => "InnoDB",
                "from" => "2026-03-01",
                "sort" => "rate",
                "ascending" => "true",
                "offset" => "50",
                "status" => " ",
                _ => return None,
            };
            Some(value.to_owned())
        });
        assert_eq!(back, query);
        assert!(is_filtered(&query));
        assert!(!is_filtered(&RunQuery::default()));
        assert_eq!(to_search(&RunQuery::default(), true), "");
    }

    #[test]
    fn a_second_press_turns_the_order_round() {
        let mut query = RunQuery::default();
        sort_by(&mut query, RunSort::Rows);
        assert_eq!((query.sort, query.ascending), (Some(RunSort::Rows), None));
        sort_by(&mut query, RunSort::Rows);
        assert_eq!((query.sort, query.ascending), (Some(RunSort::Rows), Some(true)));
        sort_by(&mut query, RunSort::Rows);
        assert_eq!(query.ascending, None);
        sort_by(&mut query, RunSort::Created);
        assert_eq!((query.sort, query.ascending), (None, None));
    }
}
