//! Who may read of one's mind.
//!
//! Leaves it to the world to know who is meant: it puts `#105 Bob` in the place of whatever word was typed for him, and
//! a name alone where nobody is called so any more, which only `stop` takes.

use super::words::{done, first_word, id_of, list, page_of, room_for};
use super::{Answer, VerbRequest};
use crate::event::Event;
use crate::page;
use crate::sharing::{GRANTS_MAX, Scope, scopes_of, told};
use crate::state::MindState;

const HOW: &str = "Let somebody read of your mind: share <name> [task,goals,notes,decisions,facts]";

pub(super) fn share(state: &MindState, request: &VerbRequest) -> Answer {
    if request.args.is_empty() {
        let lines = state.shares.iter().map(page::grant).collect();
        return list("Who may read of your mind:", lines, &format!("Nobody may read of your mind. {HOW}"));
    }
    let (word, rest) = first_word(request.args);
    if word.eq_ignore_ascii_case("stop") {
        return stop(state, rest);
    }
    let (to, rest) = first_word(rest);
    let person = word.strip_prefix('#').and_then(id_of).and_then(|id| u32::try_from(id).ok());
    let Some(person) = person.filter(|_| !to.is_empty()) else { return Err(format!("{HOW}.")) };
    let scopes = scopes_of(rest).map_err(|word| {
        format!("{word:?} cannot be shared. What can be, with commas between: {}.", told(&Scope::ALL))
    })?;
    match state.shares.iter().find(|grant| grant.person == person) {
        Some(grant) if grant.scopes == scopes => {
            return page_of(format!("{to} may read that already: {}.", told(&scopes)));
        }
        // Whoever bore the name before is nobody any more, and makes room.
        _ if state.shares.iter().any(|grant| grant.person == person || grant.to == to) => {}
        _ => room_for(state.shares.len(), GRANTS_MAX, "others who may read of your mind", "share stop <name>")?,
    }
    let said = format!("{to} may read of your mind from now on: {}. To end it: share stop {to}", told(&scopes));
    done(Event::ShareGrant { to: to.to_string(), person, scopes }, said)
}

fn stop(state: &MindState, name: &str) -> Answer {
    if name.is_empty() {
        return Err("Who is to read no more of your mind? share stop <name>".to_string());
    }
    match state.shares.iter().find(|grant| grant.to.eq_ignore_ascii_case(name)) {
        Some(grant) => {
            let to = grant.to.clone();
            done(Event::ShareRevoke { to: to.clone() }, format!("{to} may read of your mind no more."))
        }
        None => Err(format!("{name} may read nothing of your mind. Who may: share.")),
    }
}
