//! What a line of the game asks of the body: a tick, feet, or nothing but to stay as one is.

use crate::map::direction_of;
use crate::state::GameState;
use protocol::verbs;

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

/// Lines that follow each other and write into the mind become one batch, of which all is done or nothing; with each
/// line, whether it is free.
pub fn batched(lines: Vec<(String, bool)>) -> Vec<(String, bool)> {
    let mut out = Vec::with_capacity(lines.len());
    for run in lines.chunk_by(|(one, _), (next, _)| writes_mind(one) && writes_mind(next)) {
        match run {
            [_] => out.extend_from_slice(run),
            many => {
                let lines: Vec<String> = many.iter().map(|(line, _)| line.clone()).collect();
                out.push((format!("batch {}", protocol::batch::written(&lines)), true));
            }
        }
    }
    out
}

/// Whether a line writes into the mind and may stand in a batch.
fn writes_mind(line: &str) -> bool {
    let verb = verbs::find(verbs::word_of(line), 1).filter(|verb| verb.rank == verbs::Rank::Mind);
    verb.is_some_and(|verb| !matches!(&*verb.name, "batch" | "compact" | "context" | "guideline" | "recall"))
        && !verbs::asks(line, 1)
}

/// Whether a verb spends no tick. A word that is no verb may be a social, which is talk.
pub fn is_free(line: &str, level: i32) -> bool {
    verbs::find(verbs::word_of(line), level).is_none_or(|verb| verb.free) && !mind::action::makes_agent(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_mind_that_follow_each_other_are_one_batch() {
        let lines = ["note one", "goal \"two\"", "recall x", "note three", "say hello", "fact a", "fact b", "north"];
        let free = |line: &str| line != "north";
        let out = batched(lines.iter().map(|line| (line.to_string(), free(line))).collect());
        let batches = ["batch [\"note one\",\"goal \\\"two\\\"\"]", "batch [\"fact a\",\"fact b\"]"];
        let wanted = [batches[0], "recall x", "note three", "say hello", batches[1], "north"];
        assert_eq!(out.iter().map(|(line, _)| line.as_str()).collect::<Vec<_>>(), wanted);
        assert!(out.iter().all(|(line, is_free)| *is_free == free(line)));
        assert_eq!(protocol::batch::lines(batches[0].split_once(' ').expect("a verb").1).map(|all| all.len()), Ok(2));
        assert!(is_free(batches[0], 1) && !tells_much(batches[0], "ok") && tells_much(batches[0], "refused: no"));
    }
}
