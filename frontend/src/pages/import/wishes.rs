//! What a person may set instead of the planner.

use leptos::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use shared::ImportOptions;
use shared::plan::{IndexPolicy, Mode, OnDuplicate, OnError, Order, Strategy, Visibility};
use shared::wire;

use crate::components::{Field, Select, Show, TextInput};
use crate::model::form::Into;
use crate::state::import::Import;
use crate::text::{import as t, words, words::terms};

const MB: u64 = 1 << 20;
/// Rates are shown in thousands of thousands.
const RATE_MB: u64 = 1_000_000;

#[component]
pub fn Wishes(import: Import) -> impl IntoView {
    // What the server or the table does not allow is said by the plan, with the reason.
    let strategies = || Strategy::ALL.map(|s| (s, words::strategy(s))).to_vec();
    let old = Memo::new(move |_| import.form.with(|f| f.into == Into::Existing));
    view! {
        <div class="fields">
            {wish(import, "strategy", t::STRATEGY, terms::STRATEGY, strategies,
                |o| o.strategy, |o, v| o.strategy = v)}
            <Show when=move || old.get()>
                {wish(import, "mode", t::MODE, "",
                    || vec![(Mode::Append, words::mode(Mode::Append)), (Mode::Replace, words::mode(Mode::Replace))],
                    |o| o.mode, |o, v| o.mode = v)}
            </Show>
            {wish(import, "on-error", t::ON_ERROR, terms::ON_ERROR,
                || vec![(OnError::Stop, words::on_error(OnError::Stop)), (OnError::Reject, words::on_error(OnError::Reject))],
                |o| o.on_error, |o, v| o.on_error = v)}
            {wish(import, "on-duplicate", t::ON_DUPLICATE, terms::ON_DUPLICATE, || {
                [OnDuplicate::Reject, OnDuplicate::Skip, OnDuplicate::Replace, OnDuplicate::Update]
                    .map(|d| (d, words::on_duplicate(d))).to_vec()
            }, |o| o.on_duplicate, |o, v| o.on_duplicate = v)}
            {wish(import, "visibility", t::VISIBILITY, terms::VISIBILITY, || {
                [Visibility::AllAtOnce, Visibility::AsTheyArrive].map(|v| (v, words::visibility(v))).to_vec()
            }, |o| o.visibility, |o, v| o.visibility = v)}
            {wish(import, "index-policy", t::INDEXES, terms::INDEX_POLICY, || {
                [IndexPolicy::Keep, IndexPolicy::DropAndRebuild].map(|v| (v, words::index_policy(v))).to_vec()
            }, |o| o.index_policy, |o, v| o.index_policy = v)}
            {wish(import, "order", t::ORDER, "", || {
                [Order::AsIs, Order::SortByPrimaryKey].map(|v| (v, words::order(v))).to_vec()
            }, |o| o.order, |o, v| o.order = v)}
            {number(import, "workers", t::WORKERS, terms::WORKERS, t::PLANNER,
                |o| o.workers.map(u64::from), |o, v| o.workers = v.and_then(|n| u32::try_from(n).ok()))}
            {number(import, "chunk-mb", t::CHUNK, terms::CHUNK, t::PLANNER,
                |o| o.chunk_bytes.map(|b| (b / MB).max(1)), |o, v| o.chunk_bytes = v.map(|n| n.clamp(1, 4096) * MB))}
            {number(import, "max-rejects", t::MAX_REJECTS, "", t::NO_LIMIT,
                |o| o.max_rejects, |o, v| o.max_rejects = v)}
            {number(import, "max-rate", t::MAX_RATE, terms::MAX_RATE, t::NO_LIMIT,
                |o| o.max_bytes_per_sec.map(|b| (b / RATE_MB).max(1)), |o, v| o.max_bytes_per_sec = v.map(|n| n.saturating_mul(RATE_MB)))}
            {number(import, "verify-sample", t::VERIFY_SAMPLE, terms::VERIFY_SAMPLE, t::ONLY_COUNTED,
                |o| o.verify_sample.map(u64::from), |o, v| o.verify_sample = v.and_then(|n| u32::try_from(n).ok()))}
            {consent(import, "binary-log", t::BINARY_LOG, terms::SKIP_BINARY_LOG, (t::LOG_WRITTEN, t::LOG_SKIPPED),
                |o| o.skip_binary_log, |o, v| o.skip_binary_log = v)}
            {consent(import, "flush", t::FLUSH, terms::RELAX_FLUSH, (t::FLUSH_KEPT, t::FLUSH_RELAXED),
                |o| o.relax_flush, |o, v| o.relax_flush = v)}
        </div>
    }
    .into_any()
}

/// A wish out of a few; "planner's choice" unsets it.
fn wish<T: Copy + PartialEq + Serialize + DeserializeOwned + 'static>(
    import: Import,
    id: &'static str,
    label: &'static str,
    term: &'static str,
    offered: impl Fn() -> Vec<(T, &'static str)> + Send + Sync + 'static,
    get: fn(&ImportOptions) -> Option<T>,
    set: fn(&mut ImportOptions, Option<T>),
) -> impl IntoView {
    let value = Signal::derive(move || {
        import.form.with(|f| get(&f.options)).map(|w| wire::name_of(&w)).unwrap_or_default()
    });
    let options = Signal::derive(move || {
        let first = (String::new(), t::PLANNER.to_owned());
        std::iter::once(first)
            .chain(offered().into_iter().map(|(v, w)| (wire::name_of(&v), w.to_owned())))
            .collect::<Vec<_>>()
    });
    let change = move |v: String| change(import, |o| set(o, wire::by_name(&v)));
    field(
        id,
        label,
        term,
        view! { <Select id testid=testid(id) value options change /> }.into_any(),
    )
}

/// Something that is done only where it is asked for.
fn consent(
    import: Import,
    id: &'static str,
    label: &'static str,
    term: &'static str,
    (no, yes): (&'static str, &'static str),
    get: fn(&ImportOptions) -> Option<bool>,
    set: fn(&mut ImportOptions, Option<bool>),
) -> impl IntoView {
    const YES: &str = "yes";
    let value = Signal::derive(move || {
        let asked = import.form.with(|f| get(&f.options)) == Some(true);
        if asked { YES } else { "" }.to_owned()
    });
    let options = Signal::derive(move || {
        vec![(String::new(), no.to_owned()), (YES.to_owned(), yes.to_owned())]
    });
    let change = move |v: String| change(import, |o| set(o, (v == YES).then_some(true)));
    field(
        id,
        label,
        term,
        view! { <Select id testid=testid(id) value options change /> }.into_any(),
    )
}

/// Sets a wish; a card that was picked before it no longer holds.
fn change(import: Import, set: impl FnOnce(&mut ImportOptions)) {
    import.form.update(|f| {
        set(&mut f.options);
        f.choice = None;
    });
}

fn number(
    import: Import,
    id: &'static str,
    label: &'static str,
    term: &'static str,
    unset: &'static str,
    get: fn(&ImportOptions) -> Option<u64>,
    set: fn(&mut ImportOptions, Option<u64>),
) -> impl IntoView {
    let value = Signal::derive(move || {
        import.form.with(|f| get(&f.options)).map(|n| n.to_string()).unwrap_or_default()
    });
    let input = move |v: String| {
        let wish = v.trim().parse().ok().filter(|n| *n > 0);
        change(import, |o| set(o, wish));
    };
    field(
        id,
        label,
        term,
        view! { <TextInput id testid=testid(id) kind="number" placeholder=unset value input /> }
            .into_any(),
    )
}

fn field(
    id: &'static str,
    label: &'static str,
    term: &'static str,
    control: AnyView,
) -> impl IntoView {
    if term.is_empty() {
        view! { <Field label=label.to_owned() id>{control}</Field> }.into_any()
    } else {
        view! { <Field label=label.to_owned() id term>{control}</Field> }.into_any()
    }
}

/// `strategy-select` and so on.
fn testid(id: &str) -> &'static str {
    match id {
        "strategy" => "strategy-select",
        "mode" => "mode-select",
        "on-error" => "on-error-select",
        "on-duplicate" => "on-duplicate-select",
        "visibility" => "visibility-select",
        "index-policy" => "index-policy-select",
        "order" => "order-select",
        "workers" => "workers-input",
        "chunk-mb" => "chunk-input",
        "max-rate" => "max-rate-input",
        "verify-sample" => "verify-sample-input",
        "binary-log" => "binary-log-select",
        "flush" => "flush-select",
        _ => "max-rejects-input",
    }
}
