//! Roles, and the table of what each may do: here, once. The service asks it before every answer, the
//! dashboard asks it for what to show.

use serde::{Deserialize, Serialize};

/// What someone is to the service; each role may do all that the one before it may.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Sees runs and the names of targets.
    #[default]
    Viewer,
    /// Also brings files in, and looks after their own runs.
    Importer,
    /// Also tries ways out, keeps recipes, and looks after everyone's runs.
    Planner,
    /// Also settles targets and people, and sees who did what.
    Admin,
}

impl Role {
    /// Every one of them, the least first.
    pub const ALL: [Self; 4] = [Self::Viewer, Self::Importer, Self::Planner, Self::Admin];

    /// The name used on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Importer => "importer",
            Self::Planner => "planner",
            Self::Admin => "admin",
        }
    }

    /// Reads a name; one that is not known is no role.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        crate::wire::by_name(name)
    }
}

/// Something that can be asked of the service. The audit names what was done by these words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Logging in and using an invitation: open to everyone.
    LogIn,
    /// As [`Action::LogIn`].
    AcceptInvitation,
    /// What everyone who is in may ask: about the service, their own tokens.
    Enter,
    /// Ending one's own session.
    LogOut,
    /// Setting one's own password.
    ChangePassword,
    /// Making a token that acts for oneself.
    MakeToken,
    /// Ending a token.
    RevokeToken,
    /// The history, a run, its events.
    SeeRuns,
    /// Refused records: parts of the file.
    SeeRejects,
    /// The targets by name.
    SeeTargets,
    /// Results of trials.
    SeeTrials,
    /// What is in a target: databases, tables, settings.
    InspectTarget,
    /// Bringing a file in.
    Upload,
    /// Reading, planning and importing a file that is there.
    UseSource,
    /// Deleting a file.
    RemoveSource,
    /// Putting a recipe under an import.
    UseRecipes,
    /// Plans and checks.
    Plan,
    /// Starting an import.
    StartRun,
    /// Stopping an import.
    CancelRun,
    /// Going on with an import.
    ResumeRun,
    /// Loading mended records of an import.
    MendRun,
    /// Starting a trial.
    StartTrial,
    /// Stopping a trial.
    CancelTrial,
    /// Questions of capacity, and how right estimates were.
    Foresee,
    /// Leaving a run out of what estimates learn from.
    LeaveOut,
    /// Keeping a recipe for everyone.
    KeepRecipe,
    /// Forgetting a recipe.
    ForgetRecipe,
    /// Saving a target.
    AddTarget,
    /// Connecting somewhere with what was typed.
    TestTarget,
    /// Forgetting a target.
    RemoveTarget,
    /// The list of people.
    SeePeople,
    /// Inviting someone.
    AddPerson,
    /// Changing someone's role, letting them in or keeping them out.
    ChangePerson,
    /// Giving someone a new invitation link, which takes the place of their password.
    InvitePerson,
    /// Who did what.
    SeeAudit,
}

impl Action {
    /// Every one of them.
    pub const ALL: [Self; 35] = [
        Self::LogIn,
        Self::AcceptInvitation,
        Self::Enter,
        Self::LogOut,
        Self::ChangePassword,
        Self::MakeToken,
        Self::RevokeToken,
        Self::SeeRuns,
        Self::SeeRejects,
        Self::SeeTargets,
        Self::SeeTrials,
        Self::InspectTarget,
        Self::Upload,
        Self::UseSource,
        Self::RemoveSource,
        Self::UseRecipes,
        Self::Plan,
        Self::StartRun,
        Self::CancelRun,
        Self::ResumeRun,
        Self::MendRun,
        Self::StartTrial,
        Self::CancelTrial,
        Self::Foresee,
        Self::LeaveOut,
        Self::KeepRecipe,
        Self::ForgetRecipe,
        Self::AddTarget,
        Self::TestTarget,
        Self::RemoveTarget,
        Self::SeePeople,
        Self::AddPerson,
        Self::ChangePerson,
        Self::InvitePerson,
        Self::SeeAudit,
    ];

    /// The least role that may do it: with one's own things, and with those of others.
    #[must_use]
    pub const fn needs(self) -> (Role, Role) {
        use Action as A;
        match self {
            A::LogIn | A::AcceptInvitation | A::Enter | A::LogOut | A::ChangePassword => {
                (Role::Viewer, Role::Viewer)
            }
            A::SeeRuns | A::SeeTargets | A::SeeTrials | A::MakeToken => {
                (Role::Viewer, Role::Viewer)
            }
            A::RevokeToken => (Role::Viewer, Role::Admin),
            A::InspectTarget | A::Upload | A::UseRecipes | A::Plan | A::StartRun => {
                (Role::Importer, Role::Importer)
            }
            A::SeeRejects
            | A::UseSource
            | A::RemoveSource
            | A::CancelRun
            | A::ResumeRun
            | A::MendRun => (Role::Importer, Role::Planner),
            A::StartTrial
            | A::CancelTrial
            | A::Foresee
            | A::LeaveOut
            | A::KeepRecipe
            | A::ForgetRecipe => (Role::Planner, Role::Planner),
            A::AddTarget | A::TestTarget | A::RemoveTarget => (Role::Admin, Role::Admin),
            A::SeePeople | A::AddPerson | A::ChangePerson | A::InvitePerson | A::SeeAudit => {
                (Role::Admin, Role::Admin)
            }
        }
    }

    /// Whether it is open to people that the service does not know yet.
    #[must_use]
    pub const fn is_public(self) -> bool {
        matches!(self, Self::LogIn | Self::AcceptInvitation)
    }

    /// Whether only a person who logged in may do it, and no token on their behalf: what would
    /// outlive the token.
    #[must_use]
    pub const fn needs_login(self) -> bool {
        matches!(self, Self::LogOut | Self::ChangePassword | Self::MakeToken)
    }

    /// Whether the audit keeps that it was done. That it was refused is always kept.
    #[must_use]
    pub const fn is_audited(self) -> bool {
        !matches!(
            self,
            Self::Enter
                | Self::SeeRuns
                | Self::SeeRejects
                | Self::SeeTargets
                | Self::SeeTrials
                | Self::SeePeople
                | Self::SeeAudit
                | Self::InspectTarget
                | Self::Upload
                | Self::UseSource
                | Self::UseRecipes
                | Self::Plan
                | Self::Foresee
        )
    }

    /// The name used on the wire and in the audit.
    #[must_use]
    pub fn as_str(self) -> String {
        crate::wire::name_of(&self)
    }
}

/// Whether a role may do something; `own` says whether the thing is the person's own. Of what
/// belongs to nobody in particular, both answers are the same.
#[must_use]
pub fn allows(role: Role, action: Action, own: bool) -> bool {
    let (mine, others) = action.needs();
    role >= if own { mine } else { others }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_higher_role_never_loses_a_right_and_own_never_less_than_others() {
        for action in Action::ALL {
            for (less, more) in Role::ALL.into_iter().zip(Role::ALL.into_iter().skip(1)) {
                for own in [true, false] {
                    assert!(!allows(less, action, own) || allows(more, action, own), "{action:?}");
                }
            }
            for role in Role::ALL {
                assert!(allows(role, action, true) || !allows(role, action, false), "{action:?}");
            }
            assert!(allows(Role::Admin, action, false), "{action:?}");
        }
    }

    #[test]
    fn the_rights_that_matter_most_are_as_promised() {
        let may = |role, own| Action::ALL.into_iter().filter(|a| allows(role, *a, own)).count();
        assert!(!allows(Role::Viewer, Action::StartRun, true));
        assert!(allows(Role::Importer, Action::CancelRun, true));
        assert!(!allows(Role::Importer, Action::CancelRun, false));
        assert!(allows(Role::Planner, Action::CancelRun, false));
        assert!(!allows(Role::Planner, Action::AddTarget, true));
        assert_eq!(may(Role::Admin, false), Action::ALL.len());
    }

    #[test]
    fn names_go_both_ways() {
        for role in Role::ALL {
            assert_eq!(Role::parse(role.as_str()), Some(role));
        }
        assert_eq!(Role::parse("root"), None);
        let names: std::collections::HashSet<_> = Action::ALL.map(Action::as_str).into();
        assert_eq!(names.len(), Action::ALL.len());
        assert!(names.contains("cancel_run"));
    }
}
