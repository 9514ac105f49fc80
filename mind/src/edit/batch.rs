//! Several lines of the mind in one: all of them, or none.

use super::{Answer, Reply, VERBS, VerbRequest, answer};
use crate::event::LogEntry;
use crate::state::MindState;
use protocol::batch::{lines, refused};
use protocol::verbs::Typed;

/// Each line finds the state as those before it left it. The world knows which verbs may stand here, and has written
/// them in full.
pub(super) fn batch(state: &MindState, request: &VerbRequest) -> Answer {
    let lines = lines(request.args)?;
    let (mut after, mut shelf) = (state.clone(), request.shelf.clone());
    let mut reply = Reply::default();
    let mut told = Vec::with_capacity(lines.len());
    for (place, line) in lines.iter().enumerate() {
        let Typed { word, args } = Typed::parse(line);
        if word == "batch" || VERBS.iter().all(|(name, _)| *name != word) {
            return Err(refused(place, line, "only lines of the mind stand in a batch."));
        }
        let written = reply.events.len();
        let first = request.first + written as u64;
        let numbers = request.numbers - u8::try_from(written).unwrap_or(u8::MAX).min(request.numbers);
        let asked = VerbRequest { verb: word, args, first, numbers, shelf: &shelf, ..*request };
        let one = answer(&after, &asked);
        if one.refused {
            return Ok(Reply { text: refused(place, line, &one.text), refused: true, ..one });
        }
        for (seq, event) in (first..).zip(&one.events) {
            let (tick, at_ms, input) = (request.tick, request.at_ms, request.input);
            let entry = LogEntry { seq, tick, at_ms, input, event: event.clone() };
            after.project(&entry);
            shelf.note(&entry);
            shelf.retain(&after.projects);
        }
        reply.events.extend(one.events);
        told.push(one.text);
    }
    reply.text = told.join("\n");
    Ok(reply)
}
