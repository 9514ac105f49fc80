//! What an agent keeps to of its own will. The world has checked it and set it; here it is written down, with its
//! reason.

use super::words::{done, first_word, own};
use super::{Answer, LINE_CHARS_MAX, VerbRequest};
use crate::event::Event;
use crate::state::MindState;

/// Characters of what an agent keeps to; a record has no more.
const GUIDELINE_CHARS_MAX: usize = 1_500;

pub(super) fn guideline(_: &MindState, request: &VerbRequest) -> Answer {
    let (word, rest) = first_word(request.args);
    if word.eq_ignore_ascii_case("clear") && rest.is_empty() {
        let event = Event::GuidelineSet { text: String::new(), reason: String::new() };
        return done(event, "You keep to nothing of your own any more.");
    }
    let said = rest.rsplit_once(" because ").filter(|_| word.eq_ignore_ascii_case("set"));
    let (text, reason) = said.ok_or("Say what you keep to, and why: guideline set <text> because <why>")?;
    let (text, reason) = (own(text.trim(), GUIDELINE_CHARS_MAX)?, own(reason.trim(), LINE_CHARS_MAX)?);
    done(Event::GuidelineSet { text: text.clone(), reason }, format!("You keep to this from now on: {text}"))
}
