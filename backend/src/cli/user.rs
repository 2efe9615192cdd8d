//! People with accounts, settled by whoever has the data folder.

use std::io::Write;

use clap::{Args, Subcommand};
use shared::error::{ErrorBody, ErrorCode};
use shared::people::{Invitation, PersonView, Role};

use super::{ALL_IN, Stop, input, show};
use crate::people::{People, PeopleError, system_clock};
use crate::store::{Deed, Store};

/// Whom to add or to change.
#[derive(Debug, Args)]
pub struct UserArgs {
    #[command(subcommand)]
    command: UserCommand,
    /// The address under which people open the dashboard, for invitation links.
    #[arg(long, global = true, default_value = "http://127.0.0.1:8620", value_name = "URL")]
    url: String,
    /// Prints one JSON object on standard output.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum UserCommand {
    /// Adds someone and prints their invitation link; from the first on, a login is asked for.
    Add {
        /// The name, which is that of their runs too; it cannot be changed later.
        name: String,
        /// viewer, importer, planner or admin.
        #[arg(long, value_parser = role)]
        role: Role,
    },
    /// Prints a new invitation link, by which a password is set anew.
    Invite {
        /// The name.
        name: String,
    },
    /// Changes what someone may.
    Set {
        /// The name.
        name: String,
        /// viewer, importer, planner or admin.
        #[arg(long, value_parser = role)]
        role: Option<Role>,
        /// Keeps them out (true), or lets them in again (false).
        #[arg(long, value_name = "BOOL")]
        disabled: Option<bool>,
    },
    /// Lists everyone.
    List,
}

fn role(name: &str) -> Result<Role, String> {
    Role::parse(name).ok_or_else(|| "expected viewer, importer, planner or admin".to_owned())
}

impl From<PeopleError> for Stop {
    fn from(e: PeopleError) -> Self {
        Self::Failed(e.body())
    }
}

/// Does what the command line says with people.
pub async fn user(store: &Store, args: &UserArgs) -> Result<u8, Stop> {
    let people = People::new(store.clone(), system_clock());
    match &args.command {
        UserCommand::Add { name, role } => {
            let made = people.add(name, *role).await?;
            keep(store, "add_person", &made.person).await?;
            link(args, &made)?;
        }
        UserCommand::Invite { name } => {
            let made = people.invite(&find(store, name).await?.id).await?;
            keep(store, "invite_person", &made.person).await?;
            link(args, &made)?;
        }
        UserCommand::Set { name, role, disabled } => {
            let id = find(store, name).await?.id;
            store.person_change(&id, *role, *disabled).await?;
            let person = find(store, name).await?;
            keep(store, "change_person", &person).await?;
            list(args, &[person])?;
        }
        UserCommand::List => {
            let all: Vec<_> = store.people().await?.into_iter().map(|p| p.view).collect();
            list(args, &all)?;
        }
    }
    Ok(ALL_IN)
}

async fn find(store: &Store, name: &str) -> Result<PersonView, Stop> {
    let found = store.person_named(name).await?;
    found.map(|p| p.view).ok_or_else(|| {
        Stop::Failed(ErrorBody::new(ErrorCode::NotFound, format!("There is nobody named {name}.")))
    })
}

/// The audit has what was done here too.
async fn keep(store: &Store, action: &str, person: &PersonView) -> Result<(), Stop> {
    let out = if person.disabled { ", kept out" } else { "" };
    let thing = format!("people/{} ({}{out})", person.name, person.role.as_str());
    let (who, address) = (&input::user(), "command line");
    Ok(store.audit_add(Deed { who, address, action, thing: &thing, outcome: "done" }).await?)
}

fn link(args: &UserArgs, made: &Invitation) -> Result<(), Stop> {
    let link = format!("{}/invitation#{}", args.url.trim_end_matches('/'), made.code);
    if args.json {
        show::json(&serde_json::json!({ "invitation": made, "link": link }))?;
        return Ok(());
    }
    let PersonView { name, role, .. } = &made.person;
    writeln!(
        std::io::stdout(),
        "{name} ({}) sets a password here, once, until {}:\n{link}",
        role.as_str(),
        made.expires_at
    )?;
    Ok(())
}

fn list(args: &UserArgs, people: &[PersonView]) -> Result<(), Stop> {
    if args.json {
        show::json(&serde_json::json!({ "people": people }))?;
        return Ok(());
    }
    let mut out = std::io::stdout();
    for PersonView { name, role, disabled, joined, .. } in people {
        let state = match (disabled, joined) {
            (true, _) => "kept out",
            (false, true) => "",
            (false, false) => "invited",
        };
        writeln!(out, "{:<24} {:<9} {state}", name, role.as_str())?;
    }
    Ok(())
}
