//! By which name an agent is shown: by its persona's, where the game allows that.
//!
//! Once in a session it asks by which name it is shown; if that is its own, it asks for the name of its persona, once.
//! A refusal is an answer, and a name that it has already, of its own or its operator's choice, stays.

use crate::state::Line;
use protocol::payload::EventKind;

/// Asks for a name; without another word, tells which one it is.
pub(super) const VERB: &str = "name";
const BY_OWN: &str = "You are shown by your own name, ";
const BY_OTHER: &str = "You are shown as ";

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Step {
    #[default]
    ToAsk,
    Asked,
    /// It is shown by its own name.
    ToWish,
    Done,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Naming {
    step: Step,
}

impl Naming {
    /// What to say to the game now, for who wants to be called so.
    pub fn next(&mut self, wanted: Option<&str>) -> Option<String> {
        let wanted = wanted?;
        match self.step {
            Step::ToAsk => {
                self.step = Step::Asked;
                Some(VERB.to_string())
            }
            Step::ToWish => {
                self.step = Step::Done;
                Some(format!("{VERB} {wanted}"))
            }
            Step::Asked | Step::Done => None,
        }
    }

    /// A line came. The name that one is shown by from now on, if it tells that.
    pub fn hear(&mut self, line: &Line) -> Option<String> {
        if line.kind != EventKind::Text {
            return None;
        }
        if line.text.starts_with(BY_OWN) {
            self.step = if self.step == Step::Asked { Step::ToWish } else { self.step };
            return Some(String::new());
        }
        let rest = line.text.strip_prefix(BY_OTHER)?;
        let name = rest.split_once("; your own name is ").map(|(name, _)| name);
        let name = name.or_else(|| rest.strip_suffix(" from now on."))?;
        self.step = Step::Done;
        Some(name.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Line {
        Line { number: 1, at_ms: 0, kind: EventKind::Text, from: None, text: text.into() }
    }

    #[test]
    fn the_name_of_the_persona_is_asked_for_once_by_who_is_shown_by_its_own() {
        let mut naming = Naming::default();
        assert_eq!(naming.next(None), None, "no persona, no wish");
        assert_eq!(naming.next(Some("Ottoline Vane")).as_deref(), Some("name"));
        assert_eq!(naming.next(Some("Ottoline Vane")), None, "it waits for the answer");
        let own = line("You are shown by your own name, Wren. By another: name <words>");
        assert_eq!(naming.hear(&own).as_deref(), Some(""));
        assert_eq!(naming.next(Some("Ottoline Vane")).as_deref(), Some("name Ottoline Vane"));
        let shown = naming.hear(&line("You are shown as Ottoline Vane from now on."));
        assert_eq!(shown.as_deref(), Some("Ottoline Vane"));
        naming.hear(&own);
        assert_eq!(naming.next(Some("Ottoline Vane")), None, "once");
    }

    #[test]
    fn a_name_that_somebody_chose_stays_and_a_refusal_is_an_answer() {
        let mut naming = Naming::default();
        naming.next(Some("Ottoline Vane"));
        let other = line("You are shown as Lorcan the Grey; your own name is Wren. Back to that: name Wren");
        assert_eq!(naming.hear(&other).as_deref(), Some("Lorcan the Grey"));
        assert_eq!(naming.next(Some("Ottoline Vane")), None);
        let mut naming = Naming::default();
        naming.next(Some("Ottoline Vane"));
        assert_eq!(naming.hear(&line("There is no such verb.")), None);
        assert_eq!(naming.next(Some("Ottoline Vane")), None);
        let said = Line { kind: EventKind::Say, ..other };
        assert_eq!(naming.hear(&said), None, "what somebody says is no answer of the game");
    }
}
