//! A line as its reader wants it: without the words that the rule book's filter masks.
//!
//! Invariant: only what players say is masked, and never for who said it.

use crate::character::{Character, PlayerFlags};
use crate::report::Line;
use content::filter::Filter;
use protocol::Outcome;
use protocol::channel::MessageKind;
use protocol::outcome::WhoKind;
use std::borrow::Cow;
use std::sync::Arc;

/// The filter, where it masks anything and the reader wants it.
pub(crate) fn wanted<'f>(filter: &'f Filter, reader: &Character) -> Option<&'f Filter> {
    let off = reader.player()?.flags.has(PlayerFlags::NO_FILTER);
    (!off && !filter.words.is_empty()).then_some(filter)
}

/// `None`: the line is as it stands.
pub(crate) fn masked_line(filter: &Filter, reader: &Character, line: &Line) -> Option<Line> {
    let speech = match line.outcome.as_deref() {
        Some(Outcome::Said { speaker, .. }) => speaker.kind == WhoKind::Player,
        _ => line.message.as_ref().is_some_and(|message| message.kind == MessageKind::Text),
    };
    let filter = wanted(filter, reader).filter(|_| speech)?;
    let Cow::Owned(text) = filter.masked(&line.text) else { return None };
    if is_speaker(reader, line) {
        return None;
    }
    let mut masked = Line { text, ..line.clone() };
    if let Some(outcome) = &mut masked.outcome
        && let Outcome::Said { text, .. } = Arc::make_mut(outcome)
    {
        *text = filter.masked(text).into_owned().into();
    }
    if let Some(message) = &mut masked.message {
        let message = Arc::make_mut(message);
        message.content = filter.masked(&message.content).into_owned().into();
    }
    Some(masked)
}

/// Whoever spoke has the id by which the outcome names it.
pub(crate) fn is_speaker(reader: &Character, line: &Line) -> bool {
    match (line.outcome.as_deref(), &line.message) {
        (Some(Outcome::Said { speaker, .. }), _) => reader.instance.get().is_some_and(|id| *id == speaker.id),
        (_, Some(message)) => {
            let own = reader.player().and_then(|player| player.person);
            own.is_some() && message.sender.id == own
        }
        (_, None) => false,
    }
}
