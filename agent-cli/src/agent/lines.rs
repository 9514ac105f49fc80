//! What a line of the game asks of the body: a tick, feet, or nothing but to stay as one is.

use crate::map::direction_of;
use crate::state::GameState;
use protocol::verbs;

/// `1 tick`, `12 ticks`.
pub fn counted(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// Whether a line asks for what is so already: to sleep on, to rest on, to keep standing or fighting. It is how a model
/// says that it wants to stay as it is: nothing is sent.
pub fn stays(state: &GameState, line: &str) -> bool {
    let position = state.position.as_deref().unwrap_or("");
    match line.trim() {
        "sleep" => position == "sleeping",
        "rest" => position == "resting",
        "sit" => position == "sitting",
        "stand" => matches!(position, "standing" | "fighting"),
        _ => false,
    }
}

/// Whether something comes of staying so: strength comes back to who lies or sits, and a fight goes on by itself. Then
/// the policies leave the agent in peace until the next answer.
pub fn gains(state: &GameState) -> bool {
    let short = |now: Option<i32>, most: Option<i32>| now.zip(most).is_none_or(|(now, most)| now < most);
    let whole = !short(state.health, state.max_health)
        && !short(state.mana, state.max_mana)
        && !short(state.moves, state.max_moves);
    match state.position.as_deref() {
        Some("sleeping" | "resting" | "sitting") => !whole,
        _ => state.is_fighting(),
    }
}

/// Whether a line needs somebody on its feet: a step or an attack.
pub fn needs_feet(line: &str) -> bool {
    direction_of(line).is_some() || matches!(verbs::word_of(line), "kill" | "hit")
}

/// Whether a model has something new to weigh when its line came to this end. That it lay down as it wished is nothing
/// new, nor that it spoke or noted something.
pub fn tells_much(line: &str, outcome: &str) -> bool {
    if outcome != "ok" {
        return true;
    }
    let Some(verb) = verbs::find(verbs::word_of(line), 1) else { return false };
    let quiet = match &*verb.name {
        "rest" | "sleep" | "sit" => true,
        "recall" | "history" | "hud" => false,
        _ => verb.speech || (verb.free && verb.group == "Mind"),
    };
    !quiet
}

/// Whether a verb spends no tick. A word that is no verb may be a social, which is talk.
pub fn is_free(line: &str, level: i32) -> bool {
    verbs::find(verbs::word_of(line), level).is_none_or(|verb| verb.free) && !mind::action::makes_agent(line)
}
