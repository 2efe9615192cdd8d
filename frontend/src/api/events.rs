//! A run's event stream: reconnects by itself and says so.

use std::cell::RefCell;
use std::rc::Rc;

use gloo_timers::callback::Timeout;
use shared::run::{Progress, RunView};
use wasm_bindgen::prelude::*;
use web_sys::{EventSource, MessageEvent};

use super::BASE;
use crate::browser;
use crate::model::query::encode;

const RETRY_MS_MIN: u32 = 1000;
const RETRY_MS_MAX: u32 = 15_000;

/// What the stream tells.
pub enum News {
    /// The connection stands.
    Open,
    /// The connection is lost; it is being made again.
    Lost,
    /// How the run stands.
    Progress(Box<Progress>),
    /// The run has ended.
    End(Box<RunView>),
}

type Handler = Rc<dyn Fn(News)>;

/// A watched run; dropping it closes the stream.
pub struct Watch(Rc<RefCell<Inner>>);

struct Inner {
    url: String,
    handler: Handler,
    source: Option<EventSource>,
    closures: Vec<Closure<dyn FnMut(MessageEvent)>>,
    retry: Option<Timeout>,
    retry_ms: u32,
    over: bool,
}

impl Watch {
    /// Begins to watch a run.
    pub fn run(id: &str, handler: impl Fn(News) + 'static) -> Self {
        let inner = Rc::new(RefCell::new(Inner {
            url: format!("{BASE}/runs/{}/events", encode(id)),
            handler: Rc::new(handler),
            source: None,
            closures: Vec::new(),
            retry: None,
            retry_ms: RETRY_MS_MIN,
            over: false,
        }));
        connect(&inner);
        Self(inner)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let mut inner = self.0.borrow_mut();
        inner.over = true;
        inner.retry = None;
        close(&mut inner);
    }
}

fn close(inner: &mut Inner) {
    if let Some(source) = inner.source.take() {
        source.set_onopen(None);
        source.set_onerror(None);
        source.close();
    }
}

fn connect(inner: &Rc<RefCell<Inner>>) {
    let Ok(source) = EventSource::new(&inner.borrow().url) else { return };
    let handler = inner.borrow().handler.clone();

    let weak = Rc::downgrade(inner);
    let tell = handler.clone();
    let open = Closure::<dyn FnMut(MessageEvent)>::new(move |_| {
        if let Some(inner) = weak.upgrade() {
            inner.borrow_mut().retry_ms = RETRY_MS_MIN;
        }
        tell(News::Open);
    });
    source.set_onopen(Some(open.as_ref().unchecked_ref()));

    let weak = Rc::downgrade(inner);
    let tell = handler.clone();
    let error = Closure::<dyn FnMut(MessageEvent)>::new(move |_| {
        let Some(inner) = weak.upgrade() else { return };
        if inner.borrow().over {
            return;
        }
        tell(News::Lost);
        again(&inner);
    });
    source.set_onerror(Some(error.as_ref().unchecked_ref()));

    let tell = handler.clone();
    let progress = Closure::<dyn FnMut(MessageEvent)>::new(move |e: MessageEvent| {
        if let Some(news) = data::<Progress>(&e) {
            tell(News::Progress(Box::new(news)));
        }
    });
    let _ = source.add_event_listener_with_callback("progress", progress.as_ref().unchecked_ref());

    let weak = Rc::downgrade(inner);
    let end = Closure::<dyn FnMut(MessageEvent)>::new(move |e: MessageEvent| {
        if let Some(inner) = weak.upgrade() {
            let mut inner = inner.borrow_mut();
            inner.over = true;
            close(&mut inner);
        }
        if let Some(view) = data::<RunView>(&e) {
            handler(News::End(Box::new(view)));
        }
    });
    let _ = source.add_event_listener_with_callback("end", end.as_ref().unchecked_ref());

    let mut inner = inner.borrow_mut();
    inner.source = Some(source);
    inner.closures = vec![open, error, progress, end];
}

/// Makes the connection anew after a wait that doubles. The browser's own attempts are not relied
/// on: it gives up for good after an answer such as 502, which a restarting service gives.
fn again(inner: &Rc<RefCell<Inner>>) {
    let mut now = inner.borrow_mut();
    close(&mut now);
    let wait_ms = now.retry_ms;
    now.retry_ms = (wait_ms * 2).min(RETRY_MS_MAX);
    let weak = Rc::downgrade(inner);
    now.retry = Some(Timeout::new(wait_ms, move || {
        if let Some(inner) = weak.upgrade()
            && !inner.borrow().over
        {
            connect(&inner);
        }
    }));
}

fn data<T: serde::de::DeserializeOwned>(event: &MessageEvent) -> Option<T> {
    event.data().as_string().and_then(|text| browser::from_json(&text))
}
