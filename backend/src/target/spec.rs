//! Where a target is and how to get in.

use percent_encoding::percent_decode_str;
use secrecy::SecretString;
use shared::target::{NewTarget, TlsMode};
use url::Url;

use super::TargetError;

/// Everything needed to connect. Its `Debug` never shows the password.
#[derive(Debug, Clone)]
pub struct TargetSpec {
    /// The name under which people know it.
    pub name: String,
    /// Host name or address; empty with a socket.
    pub host: String,
    /// TCP port.
    pub port: u16,
    /// Path of a Unix socket on this machine.
    pub socket: Option<String>,
    /// User.
    pub user: String,
    /// Password.
    pub password: Option<SecretString>,
    /// The database to open first.
    pub database: Option<String>,
    /// Protection on the wire.
    pub tls: TlsMode,
    /// Certificate authority in PEM, where it is a private one.
    pub ca_pem: Option<String>,
}

impl TargetSpec {
    /// Reads `mysql://user:password@host:port/database?socket=…&tls=off|required|verify&ca=FILE`.
    ///
    /// # Errors
    /// [`TargetError::BadUrl`] names what cannot be understood; the password is never in it.
    pub fn from_url(text: &str) -> Result<Self, TargetError> {
        let bad = |reason: &str| TargetError::BadUrl(reason.to_owned());
        let url = Url::parse(text).map_err(|e| bad(&e.to_string()))?;
        if !matches!(url.scheme(), "mysql" | "mariadb") {
            return Err(bad(&format!("it begins with {}:// instead of mysql://", url.scheme())));
        }
        let decode = |part: &str| -> Result<String, TargetError> {
            let text = percent_decode_str(part).decode_utf8();
            text.map(|t| t.into_owned()).map_err(|_| bad("a part of it is not UTF-8"))
        };
        let database = match url.path().trim_start_matches('/') {
            "" => None,
            name => Some(decode(name)?),
        };
        let host = url.host_str().unwrap_or_default();
        let mut spec = Self {
            name: String::new(),
            host: host.trim_start_matches('[').trim_end_matches(']').to_owned(),
            port: url.port().unwrap_or(3306),
            socket: None,
            user: decode(url.username())?,
            password: match url.password() {
                Some(p) => Some(SecretString::from(decode(p)?)),
                None => None,
            },
            database,
            tls: TlsMode::Off,
            ca_pem: None,
        };
        for (key, value) in url.query_pairs() {
            match key.as_ref() {
                "socket" => spec.socket = Some(value.into_owned()),
                "tls" | "ssl-mode" | "ssl_mode" => spec.tls = tls_mode(&value)?,
                "ca" => {
                    let pem = std::fs::read_to_string(value.as_ref())
                        .map_err(|e| bad(&format!("the file {value} cannot be read: {e}")))?;
                    spec.ca_pem = Some(pem);
                }
                other => return Err(bad(&format!("it has an unknown option {other}"))),
            }
        }
        if spec.host.is_empty() && spec.socket.is_none() {
            return Err(bad("it names neither a host nor a socket"));
        }
        if spec.user.is_empty() {
            "root".clone_into(&mut spec.user);
        }
        spec.name = spec.address();
        Ok(spec)
    }

    /// For people: `root@127.0.0.1:3306` or `root@/path/to/socket`.
    #[must_use]
    pub fn address(&self) -> String {
        match &self.socket {
            Some(socket) => format!("{}@{socket}", self.user),
            None if self.host.contains(':') => {
                format!("{}@[{}]:{}", self.user, self.host, self.port)
            }
            None => format!("{}@{}:{}", self.user, self.host, self.port),
        }
    }

    /// The same target with another database to open first.
    #[must_use]
    pub fn with_database(mut self, database: &str) -> Self {
        self.database = Some(database.to_owned());
        self
    }
}

impl From<NewTarget> for TargetSpec {
    fn from(new: NewTarget) -> Self {
        let filled = |text: Option<String>| text.filter(|t| !t.is_empty());
        Self {
            name: new.name,
            host: new.host,
            port: new.port,
            socket: filled(new.socket),
            user: new.user,
            password: filled(new.password).map(SecretString::from),
            database: filled(new.database),
            tls: new.tls,
            ca_pem: filled(new.ca_pem),
        }
    }
}

fn tls_mode(word: &str) -> Result<TlsMode, TargetError> {
    match word.to_ascii_lowercase().as_str() {
        "off" | "disabled" | "false" | "0" => Ok(TlsMode::Off),
        "required" | "on" | "true" | "1" | "preferred" => Ok(TlsMode::Required),
        "verify" | "verify_ca" | "verify_identity" => Ok(TlsMode::Verify),
        other => {
            Err(TargetError::BadUrl(format!("tls={other} is none of off, required and verify")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use secrecy::ExposeSecret;

    #[test]
    fn every_part_of_an_address_is_read() {
        let spec = TargetSpec::from_url("mysql://ann:p%40ss@db.example:3307/shop?tls=verify")
            .expect("an address");
        assert_eq!(spec.host, "db.example");
        assert_eq!(spec.port, 3307);
        assert_eq!(spec.user, "ann");
        assert_eq!(
            spec.password.as_ref().map(|p| p.expose_secret().to_owned()),
            Some("p@ss".into())
        );
        assert_eq!(spec.database.as_deref(), Some("shop"));
        assert_eq!(spec.tls, TlsMode::Verify);
        assert_eq!(spec.address(), "ann@db.example:3307");
        assert!(!format!("{spec:?}").contains("p@ss"));
    }

    #[test]
    fn a_socket_needs_no_host_and_the_slash_at_the_end_is_no_database() {
        let spec = TargetSpec::from_url("mysql://root@localhost/?socket=/run/my.sock")
            .expect("an address");
        assert_eq!(spec.socket.as_deref(), Some("/run/my.sock"));
        assert_eq!(spec.database, None);
        assert_eq!(spec.address(), "root@/run/my.sock");
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, part) in [
            ("postgres://a@b/c", "postgres"),
            ("mysql://a@b/c?tls=maybe", "maybe"),
            ("mysql://a@b/c?colour=red", "colour"),
            ("nonsense", "relative URL"),
        ] {
            let error = TargetSpec::from_url(text).expect_err("no address").to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
