//! A dialog over the page: the browser's own, with its focus and Escape.

use leptos::html;
use leptos::prelude::*;

use super::button::Button;
use super::icon::Glyph;
use crate::text;

/// A dialog that is open while `open` says so.
#[component]
pub fn Dialog(
    #[prop(into)] title: String,
    open: RwSignal<bool>,
    /// The buttons below.
    footer: ViewFn,
    children: ChildrenFn,
    #[prop(optional)] testid: Option<&'static str>,
) -> impl IntoView {
    let node = NodeRef::<html::Dialog>::new();
    Effect::new(move |_| {
        let Some(dialog) = node.get() else { return };
        if open.get() {
            if !dialog.open() {
                let _ = dialog.show_modal();
            }
        } else if dialog.open() {
            dialog.close();
        }
    });
    let heading = title.clone();
    view! {
        <dialog node_ref=node aria-label=title data-testid=testid on:close=move |_| open.set(false)>
            {move || {
                open.get()
                    .then(|| {
                        view! {
                            <header>
                                <h2>{heading.clone()}</h2>
                                <span class="push">
                                    <Button label=text::CLOSE.to_owned() glyph=Glyph::Cross
                                        look=super::Look::Bare press=move || open.set(false) />
                                </span>
                            </header>
                            <div class="body">{children()}</div>
                            <footer>{footer.run()}</footer>
                        }
                    })
            }}
        </dialog>
    }
    .into_any()
}
