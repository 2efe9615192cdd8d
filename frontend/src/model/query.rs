//! The history's filters in the page's address.

use shared::api::RunQuery;

/// Runs on one page.
pub const PAGE_ROWS: u32 = 50;

/// Reads filters from an address's parameters.
pub fn from_params<'a>(get: impl Fn(&str) -> Option<String> + 'a) -> RunQuery {
    let text = |name: &str| get(name).map(|v| v.trim().to_owned()).filter(|v| !v.is_empty());
    RunQuery {
        text: text("text"),
        status: text("status"),
        target: text("target"),
        who: text("who"),
        engine: text("engine"),
        strategy: text("strategy"),
        limit: Some(PAGE_ROWS),
        offset: text("offset").and_then(|v| v.parse().ok()),
    }
}

/// Writes filters as the part of an address behind the `?`; empty where nothing is set.
pub fn to_search(query: &RunQuery, with_limit: bool) -> String {
    let offset = query.offset.filter(|o| *o > 0).map(|o| o.to_string());
    let limit = query.limit.filter(|_| with_limit).map(|l| l.to_string());
    let pairs = [
        ("text", &query.text),
        ("status", &query.status),
        ("target", &query.target),
        ("who", &query.who),
        ("engine", &query.engine),
        ("strategy", &query.strategy),
        ("offset", &offset),
        ("limit", &limit),
    ];
    let set: Vec<String> = pairs
        .into_iter()
        .filter_map(|(name, value)| value.as_ref().map(|v| format!("{name}={}", encode(v))))
        .collect();
    set.join("&")
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
    let RunQuery { text, status, target, who, engine, strategy, .. } = query;
    [text, status, target, who, engine, strategy].iter().any(|f| f.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_survive_the_address() {
        let query = RunQuery {
            text: Some("a&b=ü".into()),
            engine: Some("InnoDB".into()),
            limit: Some(PAGE_ROWS),
            offset: Some(50),
            ..RunQuery::default()
        };
        let search = to_search(&query, false);
        assert_eq!(search, "text=a%26b%3D%C3%BC&engine=InnoDB&offset=50");
        let back = from_params(|name| match name {
            "text" => Some("a&b=ü".into()),
            "engine" => Some("InnoDB".into()),
            "offset" => Some("50".into()),
            "status" => Some(" ".into()),
            _ => None,
        });
        assert_eq!(back, query);
        assert!(is_filtered(&query));
        assert!(!is_filtered(&RunQuery::default()));
        assert_eq!(to_search(&RunQuery::default(), true), "");
    }
}
