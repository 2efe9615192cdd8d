//! `/team`: people, their roles, and invitations; for admins.

use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::ErrorBody;
use shared::people::{Invitation, NewPerson, PersonChange, PersonView, Role};

use crate::components::{
    Bones, Button, CodeBlock, ErrorNote, Field, Glyph, Look, Select, TextInput, Toasts,
};
use crate::text::team as t;
use crate::{api, browser};

/// What the page knows.
#[derive(Clone, Copy)]
struct Team {
    people: RwSignal<Option<Result<Vec<PersonView>, ErrorBody>>>,
    /// The invitation that was made last: its link is told this once.
    invitation: RwSignal<Option<Invitation>>,
    toasts: Toasts,
}

impl Team {
    fn refresh(self) {
        spawn_local(async move {
            let people = api::people().await;
            let _ = self.people.try_set(Some(people));
        });
    }

    /// Shows a new invitation, or why there is none.
    fn invited(self, answer: impl Future<Output = api::Answer<Invitation>> + 'static) {
        spawn_local(async move {
            match answer.await {
                Ok(made) => {
                    let _ = self.invitation.try_set(Some(made));
                    self.refresh();
                }
                Err(error) => self.toasts.bad(&error),
            }
        });
    }

    fn change(self, id: String, change: PersonChange) {
        spawn_local(async move {
            if let Err(error) = api::change_person(&id, &change).await {
                self.toasts.bad(&error);
            }
            // Also after a refusal: the list shows what is so.
            self.refresh();
        });
    }
}

/// `/team`.
#[component]
pub fn TeamPage() -> impl IntoView {
    super::title(t::TEAM);
    let toasts = expect_context::<Toasts>();
    let team = Team { people: RwSignal::new(None), invitation: RwSignal::new(None), toasts };
    team.refresh();
    view! {
        <div class="head"><h1>{t::TEAM}</h1></div>
        <div class="stack">
            <Invite team />
            {move || team.invitation.get().map(link)}
            <section class="card">
                {move || match team.people.get() {
                    None => view! { <Bones /> }.into_any(),
                    Some(Err(error)) => view! { <div class="body"><ErrorNote error /></div> }.into_any(),
                    Some(Ok(people)) => people.into_iter().map(|p| person(team, p)).collect_view().into_any(),
                }}
            </section>
        </div>
    }
    .into_any()
}

#[component]
fn Invite(team: Team) -> impl IntoView {
    let (name, role) = (RwSignal::new(String::new()), RwSignal::new(Role::Importer));
    let invite = move || {
        let new = NewPerson { name: name.get_untracked(), role: role.get_untracked() };
        name.set(String::new());
        team.invited(async move { api::add_person(&new).await });
    };
    view! {
        <section class="card">
            <header><h2>{t::INVITE}</h2></header>
            <div class="body stack">
                <p class="dim">{t::INVITE_TEXT}</p>
                <p class="dim">{t::ROLES_TEXT}</p>
                <div class="fields">
                    <Field label=t::NAME.to_owned() id="p-name">
                        <TextInput id="p-name" testid="p-name" value=name input=move |v| name.set(v) />
                    </Field>
                    <Field label=t::ROLE.to_owned() id="p-role">
                        {roles("p-role".to_owned(), role.into(), move |r| role.set(r))}
                    </Field>
                </div>
                <div>
                    <Button label=t::INVITE.to_owned() glyph=Glyph::Plus look=Look::Go testid="p-invite"
                        disabled=Signal::derive(move || name.with(|n| n.trim().is_empty())) press=invite />
                </div>
            </div>
        </section>
    }
    .into_any()
}

fn roles(id: String, role: Signal<Role>, set: impl Fn(Role) + 'static) -> AnyView {
    let options: Vec<_> =
        Role::ALL.iter().map(|r| (r.as_str().to_owned(), t::role(*r).to_owned())).collect();
    let value = Signal::derive(move || role.get().as_str().to_owned());
    let change = move |name: String| {
        if let Some(role) = Role::parse(&name) {
            set(role);
        }
    };
    view! { <Select id label=t::ROLE.to_owned() value options change /> }.into_any()
}

fn link(made: Invitation) -> AnyView {
    let link = format!("{}/invitation#{}", browser::origin(), made.code);
    view! {
        <section class="card">
            <header><h2>{t::link_for(&made.person.name)}</h2></header>
            <div class="body stack">
                <p class="dim">{t::LINK_TEXT}</p>
                <CodeBlock code=link testid="invitation-link" />
            </div>
        </section>
    }
    .into_any()
}

fn person(team: Team, person: PersonView) -> AnyView {
    let PersonView { id, name, role, disabled, joined, .. } = person;
    let state = match (disabled, joined) {
        (true, _) => Some(("tag bad", t::KEPT_OUT)),
        (false, false) => Some(("tag", t::INVITED)),
        (false, true) => None,
    };
    let (of, shown) = (StoredValue::new(id.clone()), name.clone());
    let set = move |role| {
        team.change(of.get_value(), PersonChange { role: Some(role), disabled: None });
    };
    let out = move || {
        team.change(of.get_value(), PersonChange { role: None, disabled: Some(!disabled) });
    };
    let again = move || team.invited(async move { api::invite_person(&of.get_value()).await });
    let out_words = if disabled { t::LET_IN } else { t::KEEP_OUT };
    view! {
        <div class="body row wrap" data-testid="person" data-name=name>
            <b>{shown}</b>
            {state.map(|(class, words)| view! { <span class=class>{words}</span> })}
            <span class="push row">
                {roles(format!("role-{id}"), Signal::stored(role), set)}
                <Button label=t::NEW_LINK.to_owned() disabled=Signal::stored(disabled) press=again />
                <Button label=out_words.to_owned() look=Look::Bad testid="person-out" press=out />
            </span>
        </div>
    }
    .into_any()
}
