//! What was set or found for a column, in the order in which it counts.

use shared::ImportOptions;
use shared::column_type::ColumnType;
use shared::target::Flavour;

use super::error::ConvertError;
use super::kind::Settings;
use super::mapping::{MappedColumn, Source};
use super::number::Marks;
use super::temporal::{DateFormat, Reading, Zone};
use crate::source::Layout;

/// What was set or found for one column.
pub(super) fn settings(
    column: &MappedColumn,
    layout: &Layout,
    options: &ImportOptions,
    flavour: Flavour,
) -> Result<Settings, ConvertError> {
    let found = match column.source {
        Source::Field { index, .. } => layout.date_formats.get(index).cloned().flatten(),
        Source::Constant(_) => None,
    };
    let own = column.wishes.as_ref().and_then(|w| w.date_format.clone());
    // What was found took the set format into account, and knows of columns that are written otherwise.
    let format = own.or(found).or_else(|| options.date_format.clone());
    let format = format
        .map(|text| {
            DateFormat::parse(&text).map_err(|why| bad(&format!("date_format \"{text}\""), why))
        })
        .transpose()?;
    let zone = match (&options.time_zone, &column.column_type) {
        (Some(text), _) => Some(Zone::parse(text).map_err(|why| bad("time_zone", why))?),
        // The server keeps moments by the clock of the session, which is its own.
        (None, ColumnType::Timestamp { .. }) => {
            layout.server_zone.as_deref().and_then(|text| Zone::parse(text).ok())
        }
        (None, _) => Some(Zone::UTC),
    };
    let is_binary =
        matches!(column.source, Source::Field { index, .. } if layout.binary.contains(&index));
    let round = options.round.unwrap_or(false);
    Ok(Settings {
        marks: Marks { decimal: layout.dialect.decimal, thousands: layout.dialect.thousands },
        round,
        reading: Reading {
            format,
            zone: zone.unwrap_or(Zone::UTC),
            zone_set: options.time_zone.is_some(),
            zone_known: zone.is_some(),
            epoch: options.epoch,
            round,
        },
        bytes_settled: is_binary
            || [&options.hex_columns, &options.base64_columns, &options.binary_columns]
                .iter()
                .any(|names| listed(names, column)),
        flavour,
    })
}

/// The zone that a writing session must have, as every server takes it; none leaves the server's.
#[must_use]
pub fn session_zone(layout: &Layout, options: &ImportOptions) -> Option<String> {
    let text = options.time_zone.as_deref().or(layout.server_zone.as_deref())?;
    Zone::parse(text).ok().map(|zone| zone.of_session().to_string())
}

pub(super) fn bad(what: &str, why: String) -> ConvertError {
    ConvertError::BadOption { what: what.to_owned(), why }
}

/// Whether an option names the column.
pub(super) fn listed(names: &[String], column: &MappedColumn) -> bool {
    names.iter().any(|n| n.eq_ignore_ascii_case(column.name()))
}
