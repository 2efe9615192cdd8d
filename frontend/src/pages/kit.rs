//! Every component once, to look at in light and dark.

use leptos::prelude::*;
use shared::{ErrorBody, ErrorCode};

use crate::charts::Throughput;
use crate::components::{
    Bones, Button, CodeBlock, Combobox, Dialog, Empty, ErrorNote, Field, Glyph, Icon, Kpi, Look,
    Mark, Meter, More, Note, Pager, Popover, Seg, Select, StatusTag, Term, TextInput, Toasts, Tone,
};
use crate::model::series::{Point, Series};
use crate::text::{record, words};

const COLOURS: [&str; 14] = [
    "ink",
    "ink-2",
    "ink-3",
    "paper",
    "card",
    "sunken",
    "line",
    "accent",
    "accent-soft",
    "good",
    "good-soft",
    "warn",
    "bad",
    "bad-soft",
];

/// `/kit`.
#[component]
pub fn KitPage() -> impl IntoView {
    super::title(record::KIT);
    view! {
        <div class="head"><Mark size=28 /><h1>{record::KIT}</h1></div>
        <div class="kit" data-testid="kit">
            {card("Colours", colours().into_any())}
            {card("Buttons", view! { <Buttons /> }.into_any())}
            {card("Fields", view! { <Fields /> }.into_any())}
            {card("Open and shut", view! { <Openers /> }.into_any())}
            {card("Status", view! { <Statuses /> }.into_any())}
            {card("Notes", notes().into_any())}
            {card("Figures", view! { <Figures /> }.into_any())}
            {card("Icons", icons().into_any())}
            {card("Empty", view! { <Empty glyph=Glyph::File title="Nothing yet" text="What will be here, and how to begin." /> }.into_any())}
            {card("While it loads", view! { <Bones /> }.into_any())}
        </div>
    }
    .into_any()
}

fn card(name: &'static str, inside: AnyView) -> impl IntoView {
    view! { <section class="card"><header><h2>{name}</h2></header><div class="body stack">{inside}</div></section> }
}

fn colours() -> impl IntoView {
    let each = COLOURS.map(|c| {
        view! { <div class="swatch"><i style:background=format!("var(--{c})")></i>{c}</div> }
    });
    view! { <div class="swatches">{each.collect_view()}</div> }
}

#[component]
fn Buttons() -> impl IntoView {
    let toasts = expect_context::<Toasts>();
    let say = move || toasts.good("Done.");
    let wrong = move || {
        toasts
            .bad(&ErrorBody::new(ErrorCode::Internal, "That went wrong.").with_hint("Try again."));
    };
    view! {
        <div class="row wrap">
            <Button label="Import".to_owned() look=Look::Go press=say />
            <Button label="Plain".to_owned() glyph=Glyph::Again press=say />
            <Button label="Delete".to_owned() look=Look::Bad glyph=Glyph::Trash press=wrong />
            <Button label="Bare".to_owned() look=Look::Bare press=say />
            <Button label="Not now".to_owned() disabled=true press=say />
        </div>
    }
    .into_any()
}

#[component]
fn Fields() -> impl IntoView {
    let text = RwSignal::new("orders".to_owned());
    let pick = RwSignal::new("b".to_owned());
    let options =
        [("a", "A"), ("b", "B"), ("c", "C")].map(|(v, w)| (v.to_owned(), w.to_owned())).to_vec();
    let more = options.clone();
    view! {
        <Field label="Text".to_owned() id="k-text" hint=Signal::stored(Some("A word below.".to_owned())) term="What it means.">
            <TextInput id="k-text" value=text input=move |v| text.set(v) />
        </Field>
        <Field label="Wrong".to_owned() id="k-wrong" wrong=true hint=Signal::stored(Some("At most 64 characters.".to_owned()))>
            <TextInput id="k-wrong" value=text input=move |v| text.set(v) />
        </Field>
        <Field label="Select".to_owned() id="k-select">
            <Select id="k-select" value=pick options change=move |v| pick.set(v) />
        </Field>
        <Field label="Combobox".to_owned() id="k-combo">
            <Combobox id="k-combo" value=pick options=more pick=move |v| pick.set(v) />
        </Field>
        <Seg label="Segments" value=pick options=vec![("a", "A"), ("b", "B"), ("c", "C")] change=move |v| pick.set(v.to_owned()) />
    }
    .into_any()
}

#[component]
fn Openers() -> impl IntoView {
    let (pop, dialog) = (RwSignal::new(false), RwSignal::new(false));
    view! {
        <div class="chips">
            <Popover open=pop class="chip".to_owned()
                button=ViewFn::from(|| view! { <span>"delimiter"</span><b>"comma"</b><Icon glyph=Glyph::Down size=12 /> })>
                <span class="why">"Every one of the first 2,000 lines has four of them."</span>
            </Popover>
            <Term text="A word that explains itself." />
            <Button label="Dialog".to_owned() press=move || dialog.set(true) />
        </div>
        <More title="More".to_owned()><CodeBlock code="CREATE TABLE `orders` (\n  `id` bigint NOT NULL\n)" /></More>
        <Dialog title="A question" open=dialog footer=ViewFn::from(move || view! {
            <Button label="Close".to_owned() press=move || dialog.set(false) />
        })>
            <p>"What follows from yes, and what from no."</p>
        </Dialog>
    }
    .into_any()
}

#[component]
fn Statuses() -> impl IntoView {
    view! {
        <div class="row wrap">{words::STATUSES.map(|status| view! { <StatusTag status /> }).collect_view()}</div>
        <Meter share=0.63 label="Example" />
        <Meter share=1.0 label="Example" class="good" />
        <Pager offset=50_u64 shown=50_u64 total=1234_u64 page=50 go=|_| {} />
    }
    .into_any()
}

fn notes() -> impl IntoView {
    let error = ErrorBody {
        row: Some(1_234_567),
        line: Some(1_234_568),
        column: Some("amount".to_owned()),
        value: Some("12,5o".to_owned()),
        ..ErrorBody::new(ErrorCode::InvalidValue, "\"12,5o\" is no number.")
    };
    view! {
        <Note tone=Tone::Plain>"Good to know."</Note>
        <Note tone=Tone::Good>"All is well."</Note>
        <Note tone=Tone::Warn>"Beware."</Note>
        <ErrorNote error=error.with_hint("Mend the value, or put bad rows aside.") />
    }
    .into_any()
}

#[component]
fn Figures() -> impl IntoView {
    let mut series = Series::default();
    for i in 0..60_u32 {
        let wave = f64::from(i % 7) * 9_000.0;
        let rows_per_sec = 500_000.0 * (1.0 - (-f64::from(i) / 6.0).exp()) + wave;
        series.push(Point {
            at_ms: u64::from(i) * 100,
            rows_per_sec,
            bytes_per_sec: rows_per_sec * 90.0,
        });
    }
    view! {
        <dl class="kpis">
            <Kpi label="Rows" value="1,420,000".to_owned() />
            <Kpi label="Expected" value="7.4 s".to_owned() below=Signal::stored(Some("said 6.1–9.8 s".to_owned())) />
        </dl>
        <Throughput series=Signal::stored(series) />
    }
    .into_any()
}

fn icons() -> impl IntoView {
    view! { <div class="row wrap">{Glyph::ALL.map(|glyph| view! { <Icon glyph size=20 /> }).collect_view()}</div> }
}
