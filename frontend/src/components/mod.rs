//! The pieces that pages are made of, each once. The page `/kit` shows them all.

mod button;
mod combobox;
mod dialog;
mod field;
mod icon;
mod note;
mod popover;
mod seg;
mod show;
mod toast;

pub use button::{Button, Look};
pub use combobox::Combobox;
pub use dialog::Dialog;
pub use field::{Field, Select, TextInput};
pub use icon::{Glyph, Icon, Mark};
pub use note::{ErrorNote, Note, Tone};
pub use popover::{Popover, Term};
pub use seg::Seg;
pub use show::{Bones, CodeBlock, Empty, Kpi, Meter, More, Pager, Show, StatusTag};
pub use toast::{Toaster, Toasts};
