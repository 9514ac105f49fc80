//! What others hand down, as the server found it: nobody types this.

use super::words::done;
use super::{Answer, VerbRequest};
use crate::event::Event;
use crate::legacy::{ITEMS_MAX, Inherited};
use crate::state::MindState;

/// The line: JSON of a list of items.
pub(super) fn receive(_: &MindState, request: &VerbRequest) -> Answer {
    let items: Vec<Inherited> =
        serde_json::from_str(request.args).map_err(|error| format!("That is no legacy: {error}."))?;
    if items.is_empty() || items.len() > ITEMS_MAX {
        return Err(format!("A legacy has 1 to {ITEMS_MAX} items an entry, not {}.", items.len()));
    }
    if let Some(wrong) = items.iter().find_map(|item| item.check().err()) {
        return Err(format!("That legacy is damaged: {wrong}."));
    }
    if items.iter().any(|item| item.agent.eq_ignore_ascii_case(request.name)) {
        return Err("Nobody inherits from oneself.".into());
    }
    let count = items.len();
    done(Event::LegacyReceive { items }, format!("{count} memories were handed down to you."))
}
