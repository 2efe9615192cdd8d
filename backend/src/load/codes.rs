//! What an error number of the server means for a load: one table, never a match on its words.

use shared::ErrorCode;

/// What an error number calls for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// It can pass by itself: the whole chunk again, on a fresh connection where need be.
    Retry,
    /// One record is at fault.
    Row(ErrorCode),
    /// A person stopped the statement.
    Stopped,
    /// Nothing that sending again or leaving out a record would mend.
    Abort(ErrorCode),
}

/// Classifies an error number of MySQL, MariaDB or TiDB.
#[must_use]
pub const fn classify(code: u16) -> Class {
    use ErrorCode as E;
    match code {
        // Deadlock, lock wait, snapshot conflict; group replication, Galera and TiDB conflicts.
        1205 | 1213 | 1020 | 1637 | 3101 | 1180 | 1047 | 8002 | 8022 | 8028 | 9007
        // The server goes away, has no connections left, or a connection was ended from outside.
        | 1040 | 1053 | 1077 | 1079 | 1080 | 1152 | 1158..=1161 | 1184 | 1203 | 1927 | 2002 | 2003
        | 2006 | 2013 | 2055 | 3159 | 3169 | 4031 => Class::Retry,

        1022 | 1062 | 1169 | 1557 | 1586 | 1859 => Class::Row(E::DuplicateKey),
        1216 | 1452 => Class::Row(E::ForeignKey),
        3819 | 4025 => Class::Row(E::CheckConstraint),
        1406 | 1162 | 3140 | 4077 => Class::Row(if code == 1406 || code == 1162 {
            E::TooLong
        } else {
            E::InvalidValue
        }),
        1264 | 1690 | 1416 | 3950 => {
            Class::Row(if code == 1416 { E::InvalidValue } else { E::OutOfRange })
        }
        1048 | 1263 | 1364 | 1566 => Class::Row(E::NullNotAllowed),
        1300 | 1366 | 3854 | 3988 | 1977 => Class::Row(match code {
            1366 => E::InvalidValue,
            _ => E::NotInCharset,
        }),
        1265 | 1292 | 1411 | 1367 | 1441 | 1525 | 1526 | 1591 | 1748 | 1644 | 3037 | 3055 | 3056
        | 3141..=3144 | 3146 | 3156 | 3516 | 3617 | 3732 | 3903 | 4037 | 4038 | 4078 | 6138 => {
            Class::Row(E::InvalidValue)
        }
        1118 | 1139 | 1153 | 1301 => Class::Row(E::RecordTooLong),

        1317 | 1969 | 3024 => Class::Stopped,

        1021 | 1114 | 3675 => Class::Abort(E::DiskFull),
        1044 | 1045 | 1142 | 1143 | 1227 | 1370 => Class::Abort(E::AccessDenied),
        1290 | 1148 | 3948 | 4166 | 1836 | 1792 => Class::Abort(E::NotAllowed),
        1049 | 1146 => Class::Abort(E::NoSuchTable),
        1050 => Class::Abort(E::TableExists),
        _ => Class::Abort(E::ServerRefused),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_well_known_numbers_mean_what_they_mean() {
        assert_eq!(classify(1213), Class::Retry);
        assert_eq!(classify(2013), Class::Retry);
        assert_eq!(classify(1062), Class::Row(ErrorCode::DuplicateKey));
        assert_eq!(classify(1452), Class::Row(ErrorCode::ForeignKey));
        assert_eq!(classify(1406), Class::Row(ErrorCode::TooLong));
        assert_eq!(classify(1366), Class::Row(ErrorCode::InvalidValue));
        assert_eq!(classify(1317), Class::Stopped);
        assert_eq!(classify(1114), Class::Abort(ErrorCode::DiskFull));
        assert_eq!(classify(1064), Class::Abort(ErrorCode::ServerRefused));
    }
}
