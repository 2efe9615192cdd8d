//! A field that offers what is there and narrows it while one types.

use leptos::prelude::*;
use web_sys::KeyboardEvent;

/// At most this many are offered at once.
const OFFERED_MAX: usize = 50;

/// A field with a list: value, and a word beside each.
#[component]
pub fn Combobox(
    #[prop(into)] id: String,
    #[prop(into)] value: Signal<String>,
    #[prop(into)] options: Signal<Vec<(String, String)>>,
    pick: impl Fn(String) + Copy + Send + Sync + 'static,
    #[prop(optional, into)] placeholder: &'static str,
    #[prop(optional)] testid: Option<&'static str>,
) -> impl IntoView {
    let typed = RwSignal::new(None::<String>);
    let at = RwSignal::new(0_usize);
    let open = Memo::new(move |_| typed.with(Option::is_some));
    let found = Memo::new(move |_| {
        let needle = typed.get().unwrap_or_default().to_lowercase();
        options.with(|all| {
            all.iter()
                .filter(|(v, _)| v.to_lowercase().contains(&needle))
                .take(OFFERED_MAX)
                .cloned()
                .collect::<Vec<_>>()
        })
    });
    let take = move |v: String| {
        typed.set(None);
        pick(v);
    };
    let keys = move |e: KeyboardEvent| match e.key().as_str() {
        "ArrowDown" | "ArrowUp" => {
            e.prevent_default();
            if typed.with_untracked(Option::is_none) {
                typed.set(Some(String::new()));
                return;
            }
            let n = found.with_untracked(Vec::len).max(1);
            let step = if e.key() == "ArrowDown" { 1 } else { n - 1 };
            at.update(|i| *i = (*i + step) % n);
        }
        "Enter" => {
            if let Some((v, _)) = found.with_untracked(|f| f.get(at.get_untracked()).cloned())
                && open.get_untracked()
            {
                e.prevent_default();
                take(v);
            }
        }
        "Escape" => typed.set(None),
        _ => {}
    };
    let list_id = format!("{id}-list");
    let owner = list_id.clone();
    view! {
        <div class="pop combo">
            <input id=id type="text" role="combobox" autocomplete="off" spellcheck="false"
                aria-expanded=move || open.get().to_string() aria-controls=owner
                aria-autocomplete="list" placeholder=placeholder data-testid=testid
                prop:value=move || typed.get().unwrap_or_else(|| value.get())
                on:focus=move |_| at.set(0)
                on:click=move |_| typed.set(Some(String::new()))
                on:input=move |e| {
                    at.set(0);
                    typed.set(Some(event_target_value(&e)));
                }
                on:blur=move |_| typed.set(None) on:keydown=keys />
            <div class="panel" role="listbox" id=list_id hidden=move || !open.get()>
                <div class="options">
                    {move || {
                        found
                            .get()
                            .into_iter()
                            .enumerate()
                            .map(|(i, (v, beside))| {
                                let picked = v.clone();
                                let words = v.clone();
                                view! {
                                    <button type="button" role="option" tabindex="-1" data-value=v
                                        aria-selected=move || (at.get() == i).to_string()
                                        aria-checked=move || (at.get() == i).to_string()
                                        // Before the field loses its focus and the list goes.
                                        on:mousedown=move |e| {
                                            e.prevent_default();
                                            take(picked.clone());
                                        }>
                                        {words}
                                        <code>{beside}</code>
                                    </button>
                                }
                            })
                            .collect_view()
                    }}
                </div>
            </div>
        </div>
    }
    .into_any()
}
