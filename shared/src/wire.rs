//! Names of enum values as they stand in JSON, without a detour over JSON where they are read: the
//! page would have to hold all of its reader for that.

use serde::Serialize;
use serde::de::value::{Error as NoSuchName, StrDeserializer};
use serde::de::{DeserializeOwned, IntoDeserializer};

/// The name of a value that JSON writes as a string; empty for any other.
#[must_use]
pub fn name_of<T: Serialize>(value: &T) -> String {
    let json = serde_json::to_string(value).unwrap_or_default();
    json.strip_prefix('"').and_then(|j| j.strip_suffix('"')).unwrap_or_default().to_owned()
}

/// The value of a name; none where there is none of that name.
#[must_use]
pub fn by_name<T: DeserializeOwned>(name: &str) -> Option<T> {
    let reader: StrDeserializer<'_, NoSuchName> = name.into_deserializer();
    T::deserialize(reader).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Strategy;

    #[test]
    fn names_go_both_ways_and_nonsense_nowhere() {
        assert_eq!(name_of(&Strategy::LoadData), "load_data");
        assert_eq!(by_name("load_data"), Some(Strategy::LoadData));
        assert_eq!(by_name::<Strategy>("load"), None);
        assert_eq!(by_name::<Strategy>("load_data\" "), None);
        assert_eq!(name_of(&7), "");
    }
}
