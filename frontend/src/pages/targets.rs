//! Targets: the saved connections, and what their servers are.

use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::ErrorBody;
use shared::target::{Capabilities, TargetView};
use shared::units;

use super::target_form::TargetForm;
use crate::api;
use crate::components::{
    Bones, Button, Dialog, Empty, ErrorNote, Glyph, Look, Note, Term, Toasts, Tone,
};
use crate::route::Route;
use crate::state::import::Import;
use crate::text::{self, record as t, words::terms};

/// `/targets`.
#[component]
pub fn TargetsPage() -> impl IntoView {
    super::title(t::TARGETS);
    let place = expect_context::<Import>().place;
    let adding = RwSignal::new(false);
    let known = Memo::new(move |_| place.targets.with(Option::is_some));
    place.refresh();
    view! {
        <div class="head">
            <h1>{t::TARGETS}</h1>
            <span class="push">
                <Button label=t::ADD.to_owned() glyph=Glyph::Plus look=Look::Go testid="add-target"
                    press=move || adding.set(true) />
            </span>
        </div>
        <TargetForm open=adding saved=move || place.refresh() />
        {move || match (known.get(), place.error.get()) {
            (false, Some(error)) => view! { <ErrorNote error /> }.into_any(),
            (false, None) => view! { <section class="card"><Bones /></section> }.into_any(),
            (true, _) if place.targets.with(|t| t.as_ref().is_some_and(Vec::is_empty)) => view! {
                <section class="card">
                    <Empty glyph=Glyph::Database title=t::TARGETS_NONE_TITLE text=t::TARGETS_NONE>
                        <Button label=t::ADD.to_owned() glyph=Glyph::Plus press=move || adding.set(true) />
                    </Empty>
                </section>
            }.into_any(),
            _ => view! {
                <div class="target-grid">
                    <For each=move || place.targets.get().unwrap_or_default() key=|t| t.id.clone() let:target>
                        <TargetCard target />
                    </For>
                </div>
            }.into_any(),
        }}
    }
    .into_any()
}

#[component]
fn TargetCard(target: TargetView) -> impl IntoView {
    let import = expect_context::<Import>();
    let route = expect_context::<Route>();
    let found = RwSignal::new(None::<Result<Capabilities, ErrorBody>>);
    let asking = RwSignal::new(false);
    let id = StoredValue::new(target.id.clone());
    let test = move || {
        asking.set(true);
        spawn_local(async move {
            let Some(id) = id.try_get_value() else { return };
            let answer = api::capabilities(&id).await;
            let _ = found.try_set(Some(answer));
            let _ = asking.try_set(false);
        });
    };
    test();
    let use_it = move || {
        import.form.update(|f| {
            f.target_id = Some(id.get_value());
            f.old_table = String::new();
        });
        route.go("/");
    };
    let state = move || {
        found.with(|f| match f {
            _ if asking.get() => view! { <span class="tag run">{t::TESTING}</span> }.into_any(),
            Some(Ok(_)) => {
                view! { <span class="tag good" data-testid="target-state">{t::REACHABLE}</span> }
                    .into_any()
            }
            Some(Err(_)) => {
                view! { <span class="tag bad" data-testid="target-state">{t::UNREACHABLE}</span> }
                    .into_any()
            }
            None => ().into_any(),
        })
    };
    let test_label = move || if asking.get() { t::TESTING } else { t::TEST }.to_owned();
    view! {
        <section class="card" data-testid="target-card" data-name=target.name>
            <header>
                <h2>{target.name.clone()}</h2>
                {target.sandbox.then(|| view! { <span class="tag">{t::SANDBOX}</span> })}
                {state}
                <span class="push dim cut mono">{target.address.clone()}</span>
            </header>
            {target.sandbox.then(|| view! { <div class="body dim">{t::SANDBOX_TEXT}</div> })}
            {move || found.get().map(|f| match f {
                Ok(c) => capabilities(&c).into_any(),
                Err(error) => view! { <div class="body"><ErrorNote error /></div> }.into_any(),
            })}
            <div class="body row wrap">
                <Button label=t::IMPORT_HERE.to_owned() glyph=Glyph::Upload press=use_it />
                <Button label=Signal::derive(test_label) glyph=Glyph::Again disabled=asking testid="target-test" press=test />
                {(!target.sandbox).then(|| view! { <span class="push"><Delete id name=target.name.clone() /></span> })}
            </div>
        </section>
    }
    .into_any()
}

#[component]
fn Delete(id: StoredValue<String>, name: String) -> impl IntoView {
    let toasts = expect_context::<Toasts>();
    let place = expect_context::<Import>().place;
    let ask = RwSignal::new(false);
    let delete = move || {
        ask.set(false);
        spawn_local(async move {
            match api::delete_target(&id.get_value()).await {
                Ok(()) => {
                    toasts.good(t::DELETED);
                    place.refresh();
                }
                Err(error) => toasts.bad(&error),
            }
        });
    };
    view! {
        <Button label=t::DELETE.to_owned() glyph=Glyph::Trash look=Look::Bad testid="target-delete"
            press=move || ask.set(true) />
        <Dialog title=t::DELETE_TITLE open=ask footer=ViewFn::from(move || view! {
            <Button label=text::CANCEL.to_owned() press=move || ask.set(false) />
            <Button label=t::DELETE.to_owned() look=Look::Bad testid="target-delete-confirm" press=delete />
        })>
            <p><b>{name.clone()}</b></p>
            <p>{t::DELETE_TEXT}</p>
        </Dialog>
    }
    .into_any()
}

/// What was found on a server, with advice where a setting matters.
pub fn capabilities(c: &Capabilities) -> impl IntoView + use<> {
    let advice: Vec<&'static str> = [
        (!c.local_infile, t::ADVICE_LOCAL_INFILE),
        (c.read_only, t::ADVICE_READ_ONLY),
        (c.buffer_pool_bytes > 0 && c.buffer_pool_bytes < (256 << 20), t::ADVICE_BUFFER_POOL),
        (c.round_trip_us > 5_000, t::ADVICE_ROUND_TRIP),
    ]
    .into_iter()
    .filter_map(|(is, words)| is.then_some(words))
    .collect();
    let facts: Vec<(&'static str, String, Option<&'static str>)> = vec![
        (t::SERVER, c.server.clone(), None),
        (
            t::ENGINES,
            c.engines.iter().map(|e| e.name.as_str()).collect::<Vec<_>>().join(", "),
            Some(terms::ENGINE),
        ),
        (t::ROUND_TRIP, t::round_trip(c.round_trip_us), Some(terms::ROUND_TRIP)),
        (
            t::LOCAL_INFILE,
            if c.local_infile { t::ALLOWED } else { t::SWITCHED_OFF }.to_owned(),
            Some(terms::LOCAL_INFILE),
        ),
        (t::BUFFER_POOL, units::bytes(c.buffer_pool_bytes), Some(terms::BUFFER_POOL)),
        (t::PACKET, units::bytes(c.max_allowed_packet), Some(terms::PACKET)),
        (t::FLUSH, c.flush_at_commit.to_string(), Some(terms::FLUSH)),
        (t::BINLOG, if c.binary_log { t::YES } else { t::NO }.to_owned(), Some(terms::BINLOG)),
        (t::TIME_ZONE, c.time_zone.clone(), None),
        (t::RIGHTS, c.privileges.join(", "), None),
    ];
    let cluster = [(c.galera, "Galera"), (c.group_replication, "Group Replication")]
        .into_iter()
        .find_map(|(is, name)| is.then_some(name));
    view! {
        <div class="body stack" data-testid="capabilities">
            <dl class="facts">
                {facts
                    .into_iter()
                    .map(|(k, v, term)| view! {
                        <dt class="row">{k} {term.map(|text| view! { <Term text /> })}</dt>
                        <dd>{v}</dd>
                    })
                    .collect_view()}
                {cluster.map(|c| view! { <dt>{t::CLUSTER}</dt><dd>{c}</dd> })}
            </dl>
            {(!advice.is_empty()).then(|| view! {
                <div class="notes">
                    {advice.into_iter().map(|a| view! { <Note tone=Tone::Warn>{a}</Note> }).collect_view()}
                </div>
            })}
        </div>
    }
    .into_any()
}
