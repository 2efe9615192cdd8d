//! What was found in the file: chips to put right, the first rows.

use leptos::prelude::*;
use shared::profile::Profile;
use shared::units;

use crate::components::{Bones, Button, Glyph, Icon, Look, Note, Popover, Show, TextInput, Tone};
use crate::model::chips::{self, About, Chip};
use crate::model::format;
use crate::state::import::{Import, Reader};
use crate::text::{self, import as t, words};

/// Columns shown at most; wider files scroll no better than they read.
const COLUMNS_SHOWN: usize = 60;
const CELL_CHARS: usize = 160;

#[component]
pub fn Preview(import: Import) -> impl IntoView {
    // An override that cannot be followed must not take its own chip away.
    let chips = Memo::new(move |before: Option<&Vec<Chip>>| {
        let options = import.form.with(|f| f.options.clone());
        let fault = import.fault.with(Option::is_some);
        import.seen.with(|s| match s {
            Some(s) => chips::chips(&s.profile, &options),
            None if fault => before.cloned().unwrap_or_default(),
            None => Vec::new(),
        })
    });
    let nothing = Memo::new(move |_| import.seen.with(Option::is_none));
    view! {
        <Show when=move || nothing.get() && import.reading.get() && import.fault.with(Option::is_none)>
            <Bones />
        </Show>
        <Show when=move || !nothing.get() || (import.fault.with(Option::is_some) && !chips.get().is_empty())>
            <div class="body stack tight">
                <div class="chips" data-testid="chips">
                    <For each=move || chips.get() key=|c| c.about let:chip>
                        <ChipView import chip chips />
                    </For>
                </div>
                <Facts import />
                <super::columns::ColumnFacts import />
            </div>
        </Show>
        {move || import.seen.with(|s| s.as_ref().filter(|s| !s.profile.columns.is_empty()).map(|s| table(&s.profile)))}
    }
    .into_any()
}

/// One chip; it reads its own latest state from the list, so that it stays open over a re-read.
#[component]
fn ChipView(import: Import, chip: Chip, chips: Memo<Vec<Chip>>) -> impl IntoView {
    let about = chip.about;
    let now = Memo::new(move |_| {
        chips.with(|all| {
            all.iter().find(|c| c.about == about).cloned().unwrap_or_else(|| chip.clone())
        })
    });
    let open = RwSignal::new(false);
    let class = Signal::derive(move || {
        now.with(|c| {
            let kind = if c.set {
                " set"
            } else if c.unsure {
                " unsure"
            } else {
                ""
            };
            format!("chip{kind}")
        })
    });
    let set = move |value: Option<&str>| {
        import.form.update(|f| chips::set(&mut f.options, about, value));
    };
    view! {
        <Popover open class testid=format!("chip-{}", about.name())
            button=ViewFn::from(move || {
                view! {
                    <span>{words::about(about)}</span>
                    <b class="cut">{move || now.with(|c| format::cut(&c.settled, 40))}</b>
                    <Icon glyph=Glyph::Down size=12 />
                }
            })>
            <div class="why">
                {move || now.with(|c| {
                    if c.set { t::SET_BY_YOU.to_owned() } else { c.why.clone() }
                })}
                {words::about_why(about).map(|w| view! { " " {w} })}
            </div>
            {about.is_fixed().then(|| view! { <div>{t::FIXED}</div> })}
            <div class="options" role="radiogroup" aria-label=words::about(about)>
                {about
                    .choices()
                    .iter()
                    .map(|(value, words)| {
                        let on = move || now.with(|c| c.value == *value);
                        view! {
                            <button type="button" role="radio" aria-checked=move || on().to_string()
                                data-testid=format!("set-{}", about.name()) data-value=*value
                                on:click=move |_| set(Some(value))>
                                {if words.is_empty() { *value } else { *words }}
                                {(!words.is_empty() && value.len() <= 1).then(|| view! { <code>{chips::visible(value)}</code> })}
                            </button>
                        }
                    })
                    .collect_view()}
                {move || now.with(|c| c.offers.clone()).into_iter().map(|value| {
                    let shown = value.clone();
                    let own = value.clone();
                    let on = move || now.with(|c| c.value == own);
                    view! {
                        <button type="button" role="radio" aria-checked=move || on().to_string()
                            data-testid=format!("set-{}", about.name()) data-value=value.clone()
                            on:click=move |_| set(Some(&value))>
                            {words::offer(about, &shown)}
                        </button>
                    }
                }).collect_view()}
            </div>
            {about.is_free().then(|| view! { <Free now set=Callback::new(move |v: String| set(Some(&v))) /> })}
            <Show when=move || now.with(|c| c.set)>
                <Button label=text::DETECT_AGAIN.to_owned() look=Look::Bare glyph=Glyph::Again
                    testid="detect-again" press=move || set(None) />
            </Show>
        </Popover>
    }
    .into_any()
}

#[component]
fn Free(now: Memo<Chip>, set: Callback<String>) -> impl IntoView {
    let about = now.with_untracked(|c| c.about);
    let typed = RwSignal::new(now.with_untracked(|c| c.value.replace('\t', "\\t")));
    let hint = (about == About::Null).then_some(t::NULL_FORMAT);
    view! {
        <form class="row" on:submit=move |e| {
            e.prevent_default();
            set.run(typed.get_untracked());
        }>
            <TextInput id=format!("free-{}", about.name()) value=typed placeholder=t::OTHER
                input=move |v| typed.set(v) />
            <button class="btn" type="submit">{text::USE}</button>
        </form>
        {hint.map(|h| view! { <small>{h}</small> })}
    }
    .into_any()
}

/// Rows, columns, warnings, who has read it.
#[component]
fn Facts(import: Import) -> impl IntoView {
    let line = move || {
        import.seen.with(|s| {
            let s = s.as_ref()?;
            let p = &s.profile;
            if p.columns.is_empty() {
                return None;
            }
            let rows = p.rows.map(|n| t::rows_of(n, p.whole, p.record_bytes)).unwrap_or_default();
            let columns = t::columns_of(p.columns.len());
            let said = [columns, rows, super::columns::passed_over(p)];
            Some(said.into_iter().filter(|s| !s.is_empty()).collect::<Vec<_>>().join(", "))
        })
    };
    let by = move || {
        import.seen.with(|s| {
            s.as_ref().map(|s| match (s.by, s.profile.whole) {
                (Reader::Browser, _) => t::FROM_FIRST_PART,
                (Reader::Service, false) => t::CONFIRMED,
                (Reader::Service, true) => t::WHOLE_READ,
            })
        })
    };
    let reader = move || {
        import.seen.with(|s| {
            s.as_ref().map(|s| match (s.by, s.profile.whole) {
                (Reader::Browser, _) => "browser",
                (Reader::Service, false) => "service",
                (Reader::Service, true) => "whole",
            })
        })
    };
    let offer_whole = Memo::new(move |_| {
        !import.reading.get()
            && import
                .seen
                .with(|s| s.as_ref().is_some_and(|s| s.by == Reader::Service && !s.profile.whole))
    });
    view! {
        <div class="row wrap" aria-live="polite">
            <span data-testid="profile-line">{line}</span>
            <span class="faint" data-testid="profile-by" data-reader=reader>
                {move || if import.reading.get() { Some(t::CONFIRMING) } else { by() }}
            </span>
            <Show when=move || offer_whole.get()>
                <Button label=t::READ_WHOLE.to_owned() title=t::READ_WHOLE_HINT look=Look::Bare
                    testid="read-whole" press=move || import.read_whole() />
            </Show>
        </div>
        <div class="notes">
            {move || {
                import.seen.with(|s| {
                    s.as_ref()
                        .map(|s| s.profile.warnings.clone())
                        .unwrap_or_default()
                        .into_iter()
                        .map(|w| view! { <Note tone=Tone::Warn>{w}</Note> })
                        .collect_view()
                })
            }}
        </div>
    }
    .into_any()
}

fn table(profile: &Profile) -> impl IntoView + use<> {
    let numbers: Vec<bool> = profile.columns.iter().map(|c| c.column_type.is_number()).collect();
    let class = move |i: usize| if numbers.get(i) == Some(&true) { "n" } else { "" };
    let more = profile.columns.len().saturating_sub(COLUMNS_SHOWN);
    let head = profile
        .columns
        .iter()
        .take(COLUMNS_SHOWN)
        .enumerate()
        .map(|(i, c)| {
            let name =
                if c.source_name.is_empty() { c.name.clone() } else { c.source_name.clone() };
            view! {
                <th class=class(i) scope="col" title=c.why.clone()>
                    {format::cut(&name, 40)}
                    <span class="type">{c.column_type.to_sql()}</span>
                </th>
            }
        })
        .collect_view();
    let rows = profile
        .preview
        .iter()
        .enumerate()
        .map(|(n, record)| {
            let cells = record
                .iter()
                .take(COLUMNS_SHOWN)
                .enumerate()
                .map(|(i, value)| match value {
                    Some(v) => {
                        view! { <td class=class(i)>{format::cut(v, CELL_CHARS)}</td> }.into_any()
                    }
                    None => {
                        view! { <td class=class(i)><span class="null">{text::NULL}</span></td> }
                            .into_any()
                    }
                })
                .collect_view();
            view! { <tr><th class="num" scope="row">{units::count(n as u64 + 1)}</th>{cells}</tr> }
        })
        .collect_view();
    view! {
        <div class="preview" tabindex="0" role="region" aria-label=t::PREVIEW>
            <table data-testid="preview-table">
                <thead>
                    <tr>
                        <th class="num" scope="col"><span class="only-read">{t::ROW_NUMBER}</span></th>
                        {head}
                        {(more > 0).then(|| view! { <th>{format!("+ {more}")}</th> })}
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}
