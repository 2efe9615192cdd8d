//! MariaDB's UUID, INET4 and INET6.

use std::net::{Ipv4Addr, Ipv6Addr};

use shared::error::ErrorCode;

use super::fault::{Checked, fault, shown};
use super::number::trim;

/// Which of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Network {
    /// UUID.
    Uuid,
    /// INET4.
    Inet4,
    /// INET6.
    Inet6,
}

impl Network {
    /// Checks and writes one field.
    pub fn encode(self, bytes: &[u8], out: &mut Vec<u8>) -> Checked {
        let text = trim(bytes);
        let canonical = match self {
            Self::Uuid => uuid(text),
            Self::Inet4 => std::str::from_utf8(text)
                .ok()
                .and_then(|t| t.parse::<Ipv4Addr>().ok())
                .map(|a| a.to_string()),
            Self::Inet6 => std::str::from_utf8(text)
                .ok()
                .and_then(|t| t.parse::<Ipv6Addr>().ok())
                .map(|a| a.to_string()),
        };
        let Some(canonical) = canonical else {
            let wanted = match self {
                Self::Uuid => "a UUID such as 123e4567-e89b-12d3-a456-426655440000",
                Self::Inet4 => "an IPv4 address such as 192.0.2.1",
                Self::Inet6 => "an IPv6 address such as 2001:db8::1",
            };
            return Err(fault(
                ErrorCode::InvalidValue,
                format!("{} is not {wanted}", shown(bytes)),
            ));
        };
        out.extend_from_slice(canonical.as_bytes());
        Ok(())
    }
}

/// A UUID in lower case with its dashes; written with or without dashes, in braces or not.
fn uuid(text: &[u8]) -> Option<String> {
    let text = match text {
        [b'{', inner @ .., b'}'] => inner,
        text => text,
    };
    if !matches!(text.len(), 32 | 36) {
        return None;
    }
    let bytes = super::binary::hex(text).filter(|b| b.len() == 16)?;
    let mut hex = Vec::with_capacity(32);
    super::binary::push_hex(&mut hex, &bytes);
    let hex = String::from_utf8(hex).ok()?.to_lowercase();
    let part = |from, to| hex.get(from..to);
    Some([part(0, 8)?, part(8, 12)?, part(12, 16)?, part(16, 20)?, part(20, 32)?].join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_spelling_of_each() {
        let check = |kind: Network, text: &str| {
            let mut out = Vec::new();
            kind.encode(text.as_bytes(), &mut out)
                .ok()
                .map(|()| String::from_utf8(out).expect("ASCII"))
        };
        let id = "123e4567-e89b-12d3-a456-426655440000";
        for text in
            [id, "123E4567E89B12D3A456426655440000", "{123e4567-e89b-12d3-a456-426655440000}"]
        {
            assert_eq!(check(Network::Uuid, text).as_deref(), Some(id), "{text}");
        }
        for text in [
            "",
            "123e4567",
            "123e4567-e89b-12d3-a456-42665544000g",
            "123e4567-e89b12d3-a456-4266554400000",
        ] {
            assert_eq!(check(Network::Uuid, text), None, "{text}");
        }
        assert_eq!(check(Network::Inet4, "192.0.2.1").as_deref(), Some("192.0.2.1"));
        assert_eq!(check(Network::Inet4, "192.0.2.256"), None);
        assert_eq!(check(Network::Inet4, "192.0.2"), None);
        assert_eq!(check(Network::Inet6, "2001:DB8:0:0::1").as_deref(), Some("2001:db8::1"));
        assert_eq!(check(Network::Inet6, "192.0.2.1"), None);
    }
}
