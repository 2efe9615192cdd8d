//! Where rows go: targets, what they can do, their databases and tables.

use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::ErrorBody;
use shared::target::{Capabilities, TableFacts, TableSummary, TargetView};

use super::Latest;
use crate::api;
use crate::model::form::{Form, Into};

/// What is known of the place, following the form.
#[derive(Clone, Copy)]
pub struct Place {
    /// Saved targets, once they are known.
    pub targets: RwSignal<Option<Vec<TargetView>>>,
    /// What the chosen target can do.
    pub capabilities: RwSignal<Option<Capabilities>>,
    /// Its databases.
    pub databases: RwSignal<Vec<String>>,
    /// The chosen database's tables.
    pub tables: RwSignal<Option<Vec<TableSummary>>>,
    /// The chosen table.
    pub facts: RwSignal<Option<TableFacts>>,
    /// Why something of this could not be had.
    pub error: RwSignal<Option<ErrorBody>>,
    again: RwSignal<u32>,
}

impl Place {
    /// Begins to follow the form.
    pub fn follow(form: RwSignal<Form>) -> Self {
        let place = Self {
            targets: RwSignal::new(None),
            capabilities: RwSignal::new(None),
            databases: RwSignal::new(Vec::new()),
            tables: RwSignal::new(None),
            facts: RwSignal::new(None),
            error: RwSignal::new(None),
            again: RwSignal::new(0),
        };
        place.follow_targets(form);
        place.follow_target(form);
        place.follow_database(form);
        place.follow_table(form);
        place
    }

    /// Asks for everything again, after a target was added or an import changed tables.
    pub fn refresh(self) {
        self.again.update(|n| *n += 1);
    }

    fn follow_targets(self, form: RwSignal<Form>) {
        let latest = Latest::new();
        Effect::new(move |_| {
            self.again.track();
            let ticket = latest.ask();
            spawn_local(async move {
                let answer = api::targets().await;
                if !latest.is_last(ticket) {
                    return;
                }
                match answer {
                    Ok(targets) => {
                        self.error.set(None);
                        choose_target(form, &targets);
                        self.targets.set(Some(targets));
                    }
                    Err(error) => self.error.set(Some(error)),
                }
            });
        });
    }

    fn follow_target(self, form: RwSignal<Form>) {
        let latest = Latest::new();
        let target = Memo::new(move |_| form.with(|f| f.target_id.clone()));
        Effect::new(move |before: Option<Option<String>>| {
            self.again.track();
            let id = target.get();
            let ticket = latest.ask();
            if before.as_ref() != Some(&id) {
                self.capabilities.set(None);
                self.databases.set(Vec::new());
            }
            if let Some(id) = id.clone() {
                spawn_local(async move {
                    let capabilities = api::capabilities(&id).await;
                    let databases = api::databases(&id).await;
                    if !latest.is_last(ticket) {
                        return;
                    }
                    match (capabilities, databases) {
                        (Ok(capabilities), Ok(databases)) => {
                            self.error.set(None);
                            choose_database(form, &databases, self.first_database(&id));
                            self.databases.set(databases);
                            self.capabilities.set(Some(capabilities));
                        }
                        (Err(error), _) | (_, Err(error)) => self.error.set(Some(error)),
                    }
                });
            }
            id
        });
    }

    fn first_database(self, id: &str) -> Option<String> {
        self.targets.with_untracked(|targets| {
            targets.as_ref()?.iter().find(|t| t.id == id)?.database.clone()
        })
    }

    fn follow_database(self, form: RwSignal<Form>) {
        let latest = Latest::new();
        let place = Memo::new(move |_| form.with(|f| (f.target_id.clone(), f.database.clone())));
        Effect::new(move |_| {
            self.again.track();
            let (target, database) = place.get();
            let ticket = latest.ask();
            let Some(target) = target.filter(|_| !database.is_empty()) else {
                self.tables.set(None);
                return;
            };
            spawn_local(async move {
                let answer = api::tables(&target, &database).await;
                if !latest.is_last(ticket) {
                    return;
                }
                match answer {
                    Ok(tables) => self.tables.set(Some(tables)),
                    Err(error) => self.error.set(Some(error)),
                }
            });
        });
    }

    fn follow_table(self, form: RwSignal<Form>) {
        let latest = Latest::new();
        let table = Memo::new(move |_| {
            form.with(|f| {
                let table = (f.into == Into::Existing).then(|| f.old_table.clone());
                (f.target_id.clone(), f.database.clone(), table.filter(|t| !t.is_empty()))
            })
        });
        Effect::new(move |_| {
            self.again.track();
            let ticket = latest.ask();
            let (Some(target), database, Some(table)) = table.get() else {
                self.facts.set(None);
                return;
            };
            if self.facts.with_untracked(|f| f.as_ref().is_some_and(|f| f.name != table)) {
                self.facts.set(None);
            }
            spawn_local(async move {
                let answer = api::table(&target, &database, &table).await;
                if !latest.is_last(ticket) {
                    return;
                }
                match answer {
                    Ok(facts) => {
                        self.error.set(None);
                        self.facts.set(Some(facts));
                    }
                    Err(error) => {
                        self.facts.set(None);
                        self.error.set(Some(error));
                    }
                }
            });
        });
    }
}

/// The target that was chosen before if it is still there, else the sandbox, else the first.
fn choose_target(form: RwSignal<Form>, targets: &[TargetView]) {
    let chosen = form.with_untracked(|f| f.target_id.clone());
    if chosen.is_some_and(|id| targets.iter().any(|t| t.id == id)) {
        return;
    }
    let first = targets.iter().find(|t| t.sandbox).or(targets.first());
    form.update(|f| f.target_id = first.map(|t| t.id.clone()));
}

fn choose_database(form: RwSignal<Form>, databases: &[String], first: Option<String>) {
    let chosen = form.with_untracked(|f| f.database.clone());
    if databases.contains(&chosen) {
        return;
    }
    let name = first.filter(|d| databases.contains(d)).or_else(|| databases.first().cloned());
    form.update(|f| f.database = name.unwrap_or_default());
}
