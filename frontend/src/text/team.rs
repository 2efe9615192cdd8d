//! Logging in and invitations.

pub const LOG_IN: &str = "Log in";
pub const LOG_IN_TEXT: &str =
    "This service asks for a name and a password. Who has none asks an admin for an invitation.";
pub const LOG_OUT: &str = "Log out";
pub const NAME: &str = "Name";
pub const PASSWORD: &str = "Password";
pub const INVITATION: &str = "Set your password";
pub const INVITATION_TEXT: &str =
    "You were invited. The link works once: with a password it is yours.";
pub const NEW_PASSWORD: &str = "New password";
pub const NEW_PASSWORD_HINT: &str = "at least ten characters";
pub const NOT_YOURS_TITLE: &str = "This page is for admins";
pub const NOT_YOURS: &str = "An admin can give you another role.";
