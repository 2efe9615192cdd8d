//! People: what the dashboard and the service say of them to each other.

mod rights;

use serde::{Deserialize, Serialize};

pub use rights::{Action, Role, allows};

/// Someone with an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonView {
    /// Identity.
    pub id: String,
    /// The name, which is that of their runs too; it never changes and is never given again.
    pub name: String,
    /// What they are.
    pub role: Role,
    /// Whether they are kept out.
    pub disabled: bool,
    /// Whether they have set a password.
    pub joined: bool,
    /// When they were invited, RFC 3339.
    pub created_at: String,
}

/// `POST /people`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewPerson {
    /// The name.
    pub name: String,
    /// What they are to be.
    pub role: Role,
}

/// `POST /people/{id}`: what is to be different; the rest stays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PersonChange {
    /// Another role.
    #[serde(default)]
    pub role: Option<Role>,
    /// Whether they are kept out.
    #[serde(default)]
    pub disabled: Option<bool>,
}

/// An invitation: whoever has the link may set the person's password, once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invitation {
    /// Whom it is for.
    pub person: PersonView,
    /// The end of the link, told this once: `/invitation#CODE`.
    pub code: String,
    /// Until when, RFC 3339.
    pub expires_at: String,
}

/// `POST /login`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Login {
    /// The name.
    pub name: String,
    /// The password.
    pub password: String,
}

/// `POST /invitation`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcceptInvitation {
    /// The end of the link.
    pub code: String,
    /// The password to set.
    pub password: String,
}

/// `POST /account/password`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PasswordChange {
    /// The one of now.
    pub old: String,
    /// The one to be.
    pub new: String,
}

/// A token of someone: it acts for them, with its own role at most.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenView {
    /// Identity.
    pub id: String,
    /// What it is for.
    pub name: String,
    /// Whose it is.
    pub who: String,
    /// The most that it may be; never more than its owner is.
    pub role: Role,
    /// When it was made, RFC 3339.
    pub created_at: String,
    /// Until when it is good, RFC 3339.
    pub expires_at: String,
}

/// `POST /tokens`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewToken {
    /// What it is for.
    pub name: String,
    /// The most that it may be.
    pub role: Role,
    /// For how many days it is good, 1 to 366.
    pub days: u32,
}

/// A token, with its secret, told this once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenMade {
    /// The token.
    pub token: TokenView,
    /// What goes behind `Authorization: Bearer`.
    pub secret: String,
}

/// Something that was done or refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditEntry {
    /// Counts up.
    pub id: u64,
    /// When, RFC 3339.
    pub at: String,
    /// Who; for a login the name that was given.
    pub who: String,
    /// The address that it came from.
    pub address: String,
    /// What, by the name of an [`Action`].
    pub action: String,
    /// On which thing.
    pub thing: String,
    /// `done`, or the code of the error.
    pub outcome: String,
}

/// `GET /audit`: filters, all optional.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditQuery {
    /// Person.
    #[serde(default)]
    pub who: Option<String>,
    /// Action by its name.
    #[serde(default)]
    pub action: Option<String>,
    /// `done`, or the code of an error.
    #[serde(default)]
    pub outcome: Option<String>,
    /// At this moment or later: RFC 3339, or a day (UTC).
    #[serde(default)]
    pub from: Option<String>,
    /// At this moment or earlier, a day counting to its end.
    #[serde(default)]
    pub to: Option<String>,
    /// Only entries before this one.
    #[serde(default)]
    pub before: Option<u64>,
    /// Entries to a page, 100 by default, at most 500.
    #[serde(default)]
    pub limit: Option<u32>,
}

/// A page of the audit, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditPage {
    /// The entries.
    pub entries: Vec<AuditEntry>,
    /// Whether there are older ones.
    pub more: bool,
}
