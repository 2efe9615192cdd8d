//! Fields: a label, a control, a word below.

use leptos::prelude::*;

/// A label and its control. The control gets the identity `id`.
#[component]
pub fn Field(
    #[prop(into)] label: Signal<String>,
    #[prop(into)] id: String,
    #[prop(optional, into)] hint: Signal<Option<String>>,
    #[prop(optional, into)] wrong: Signal<bool>,
    #[prop(optional, into)] term: Option<&'static str>,
    #[prop(optional, into)] class: &'static str,
    children: Children,
) -> impl IntoView {
    view! {
        <div class=format!("field {class}") class:wrong=wrong>
            <div class="label">
                <label for=id.clone()>{move || label.get()}</label>
                {term.map(|text| view! { <super::Term text /> })}
            </div>
            {children()}
            {move || hint.get().map(|h| view! { <small id=format!("{id}-hint")>{h}</small> })}
        </div>
    }
    .into_any()
}

/// One line of text.
#[component]
pub fn TextInput(
    #[prop(into)] id: String,
    #[prop(into)] value: Signal<String>,
    input: impl Fn(String) + 'static,
    #[prop(optional, into)] placeholder: &'static str,
    #[prop(default = "text")] kind: &'static str,
    #[prop(optional)] testid: Option<&'static str>,
    #[prop(optional)] list: Option<&'static str>,
) -> impl IntoView {
    line(Box::new(input), Line { id, value, placeholder, kind, testid, list })
}

struct Line {
    id: String,
    value: Signal<String>,
    placeholder: &'static str,
    kind: &'static str,
    testid: Option<&'static str>,
    list: Option<&'static str>,
}

/// Drawn once for all fields, whatever they do with their text.
fn line(input: Box<dyn Fn(String)>, drawn: Line) -> AnyView {
    let Line { id, value, placeholder, kind, testid, list } = drawn;
    view! {
        <input type=kind id=id placeholder=placeholder autocomplete="off" spellcheck="false"
            data-testid=testid list=list prop:value=move || value.get()
            on:input=move |e| input(event_target_value(&e)) />
    }
    .into_any()
}

/// One of several: value and words.
#[component]
pub fn Select(
    #[prop(into)] id: String,
    #[prop(into)] value: Signal<String>,
    #[prop(into)] options: Signal<Vec<(String, String)>>,
    change: impl Fn(String) + 'static,
    #[prop(optional, into)] disabled: Signal<bool>,
    #[prop(optional, into)] label: Option<String>,
    #[prop(optional)] testid: Option<&'static str>,
) -> impl IntoView {
    list(Box::new(change), List { id, value, options, disabled, label, testid })
}

struct List {
    id: String,
    value: Signal<String>,
    options: Signal<Vec<(String, String)>>,
    disabled: Signal<bool>,
    label: Option<String>,
    testid: Option<&'static str>,
}

/// Drawn once for all lists, whatever they do with the choice.
fn list(change: Box<dyn Fn(String)>, drawn: List) -> AnyView {
    let List { id, value, options, disabled, label, testid } = drawn;
    // Only a real change may touch the list: someone may have it open.
    let list = Memo::new(move |_| options.get());
    let now = Memo::new(move |_| value.get());
    view! {
        <select id=id data-testid=testid aria-label=label disabled=move || disabled.get()
            on:change=move |e| change(event_target_value(&e))>
            {move || {
                let now = now.get();
                list
                    .get()
                    .into_iter()
                    .map(|(v, words)| {
                        let selected = v == now;
                        view! { <option value=v selected=selected prop:selected=selected>{words}</option> }
                    })
                    .collect_view()
            }}
        </select>
    }
    .into_any()
}
