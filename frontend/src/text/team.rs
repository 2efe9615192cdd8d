//! Logging in, invitations, the team.

use shared::people::Role;

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

pub const TEAM: &str = "Team";
pub const INVITE: &str = "Invite";
pub const INVITE_TEXT: &str = "The first one is an admin: from then on everyone logs in, and the address that the service printed lets nobody in.";
pub const ROLE: &str = "Role";
pub const ROLES_TEXT: &str = "Viewers see runs; importers bring files in; planners also see to everyone's runs; admins also settle targets and people.";
pub const LINK_TEXT: &str =
    "Shown this once, good for seven days: whoever opens it sets the password.";
pub const NEW_LINK: &str = "New link";
pub const KEEP_OUT: &str = "Keep out";
pub const LET_IN: &str = "Let in";
pub const KEPT_OUT: &str = "kept out";
pub const INVITED: &str = "invited";
pub fn link_for(name: &str) -> String {
    format!("A link for {name}")
}
pub fn role(role: Role) -> &'static str {
    match role {
        Role::Viewer => "Viewer",
        Role::Importer => "Importer",
        Role::Planner => "Planner",
        Role::Admin => "Admin",
    }
}
