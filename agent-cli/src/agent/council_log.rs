//! What the minds of a council proposed and chose, told to the server's log, so that it can be read there what each of
//! them wanted: `batch ["mind inner propose …", "mind outer propose …", "mind observer choose …"]`, one line for a
//! decision, and `mind outer think …` of a mind that had words and wanted nothing; and what the two layers of a persona
//! thought, `think ai …` and `think character …`.
//!
//! Invariants: nothing of it changes what is done. Lines wait while the body has better use for its commands, and those
//! that wait too long are left out, oldest first. A server that refuses one, since it knows no such verbs, is told no
//! more.

use crate::answer::Thoughts;
use crate::record::CouncilRow;
use crate::state::Line;
use mind::council::{By, Member, layer_of};
use mind::thought::Layer;
use protocol::batch::written;
use protocol::minds::MindName;
use protocol::names::clean_text;
use std::collections::VecDeque;

/// Lines that wait.
const WAITING_MAX: usize = 6;
/// Bytes of what is proposed, of a reason, and of a line in all: servers take two kilobytes.
const ACTION_BYTES: usize = 240;
const WHY_BYTES: usize = 160;
const THOUGHT_BYTES: usize = 600;
const LINE_BYTES: usize = 1_900;

#[derive(Clone, Debug, Default)]
pub(super) struct CouncilLog {
    waiting: VecDeque<String>,
    /// The server knows nothing of minds of a council.
    is_refused: bool,
}

impl CouncilLog {
    pub fn decided(&mut self, row: &CouncilRow) {
        if self.is_refused {
            return;
        }
        let told = line(row, WHY_BYTES).filter(|line| line.len() <= LINE_BYTES).or_else(|| line(row, 0));
        self.waiting.extend(told.filter(|line| line.len() <= LINE_BYTES));
        let silent = row.proposals.iter().filter(|proposal| proposal.action.is_empty() && !proposal.why.is_empty());
        for proposal in silent {
            self.waiting.push_back(format!("mind {} think {}", proposal.mind, short(&proposal.why, WHY_BYTES)));
        }
        self.waiting.drain(..self.waiting.len().saturating_sub(WAITING_MAX));
    }

    /// What the layers of a persona thought: with a council in the logs of its minds, of which each is one of the two.
    pub fn thought(&mut self, thoughts: &Thoughts, council: bool) {
        if self.is_refused {
            return;
        }
        for layer in Layer::ALL {
            let Some(text) = thoughts.of(layer) else { continue };
            let mind = Member::ALL.into_iter().find(|member| layer_of(*member) == Some(layer));
            let whose = mind.filter(|_| council).map_or(String::new(), |mind| format!("mind {} ", mind.word()));
            let text = short(text, THOUGHT_BYTES);
            self.waiting.push_back(format!("{whose}think {} {text}", layer.word()));
        }
        self.waiting.drain(..self.waiting.len().saturating_sub(WAITING_MAX));
    }

    /// The next line, if there is one.
    pub fn next(&mut self) -> Option<String> {
        self.waiting.pop_front()
    }

    pub fn waits(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// The server would not have one of these lines.
    pub fn refused(&mut self) {
        *self = CouncilLog { waiting: VecDeque::new(), is_refused: true };
    }

    pub fn on_connect(&mut self) {
        self.is_refused = false;
    }
}

/// Whether a line is one of those that are written here.
pub(super) fn is_council_line(line: &str) -> bool {
    let thinks = |line: &str| line.starts_with("think ai ") || line.starts_with("think character ");
    line.starts_with("batch [\"mind ") || line.starts_with("mind ") && line.contains(" think ") || thinks(line)
}

/// Whether a line is what the server answers to one of those: no news to a model, and no words of somebody else.
pub(super) fn is_answer(line: &Line) -> bool {
    let is_of_mind = |text: &str| {
        let (mind, rest) = text.split_once(' ').unwrap_or((text, ""));
        let known = MindName::named(mind).is_some_and(|named| named.to_string() == mind);
        known && (rest.starts_with("proposes as #") || rest.starts_with("chooses "))
    };
    line.from.is_none() && (is_of_mind(&line.text) || line.text.starts_with("Thought, as #"))
}

/// All of one decision; `None` where nobody proposed anything.
fn line(row: &CouncilRow, why_bytes: usize) -> Option<String> {
    let because = |why: &str| match short(why, why_bytes) {
        why if why.is_empty() => String::new(),
        why => format!(" because {why}"),
    };
    let proposals = row.proposals.iter().filter(|proposal| !proposal.action.is_empty());
    let mut lines: Vec<String> = proposals
        .map(|proposal| {
            let action = short(&proposal.action, ACTION_BYTES);
            format!("mind {} propose {action}{}", proposal.mind, because(&proposal.why))
        })
        .collect();
    if lines.is_empty() {
        return None;
    }
    let chosen = row.chosen.as_deref().map(|chosen| if chosen == "own" { "observer" } else { chosen });
    let proposed =
        |mind: &&str| row.proposals.iter().any(|proposal| proposal.mind == **mind && !proposal.action.is_empty());
    if let Some(mind) = chosen.filter(proposed) {
        let differ = row.conflict.map_or(" agreed".to_string(), |conflict| format!(" in {}", conflict.word()));
        lines.push(match row.by {
            Some(By::Observer) => format!("mind observer choose {mind}{differ}{}", because(&row.observed)),
            Some(By::Rule) => {
                let rule = row.rule.as_deref().map_or(String::new(), |rule| format!(" by {rule}"));
                format!("choose {mind}{rule}{differ}")
            }
            Some(By::Agreed) | None => format!("choose {mind} agreed"),
        });
    }
    Some(format!("batch {}", written(&lines)))
}

/// The first bytes, whole characters, in one line.
fn short(text: &str, bytes: usize) -> String {
    let text = clean_text(text);
    let text = text.trim();
    match text.len() <= bytes {
        true => text.to_string(),
        false => {
            let end = (0..=bytes).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
            text[..end].trim_end().to_string()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{CouncilTokens, ProposalRow};
    use mind::council::Conflict;

    fn proposal(mind: &str, action: &str, why: &str) -> ProposalRow {
        ProposalRow { mind: mind.into(), action: action.into(), why: why.into() }
    }

    fn row(proposals: Vec<ProposalRow>, chosen: &str, by: By) -> CouncilRow {
        CouncilRow {
            proposals,
            chosen: Some(chosen.into()),
            by: Some(by),
            rule: None,
            conflict: None,
            calls: 2,
            tokens: CouncilTokens::default(),
            observed: String::new(),
        }
    }

    fn told(row: &CouncilRow) -> Vec<String> {
        let mut log = CouncilLog::default();
        log.decided(row);
        std::iter::from_fn(|| log.next()).collect()
    }

    #[test]
    fn a_decision_is_one_line_of_the_mind() {
        let two = || vec![proposal("inner", "kill rat", "it bit me"), proposal("outer", "north", "")];
        let agreed = row(two(), "inner", By::Agreed);
        let lines =
            ["mind inner propose kill rat because it bit me", "mind outer propose north", "choose inner agreed"];
        assert_eq!(told(&agreed), [format!("batch {}", written(&lines.map(str::to_string)))]);
        let mut ruled = row(two(), "outer", By::Rule);
        (ruled.rule, ruled.conflict) = (Some("danger".into()), Some(Conflict::Command));
        assert!(told(&ruled)[0].ends_with(r#""choose outer by danger in command"]"#), "{:?}", told(&ruled));
        let mut own = row(two(), "own", By::Observer);
        (own.conflict, own.observed) = (Some(Conflict::Stance), "both are wrong".into());
        own.proposals.push(proposal("observer", "flee", ""));
        let end = r#""mind observer propose flee","mind observer choose observer in stance because both are wrong"]"#;
        assert!(told(&own)[0].ends_with(end), "{:?}", told(&own));
    }

    #[test]
    fn who_wants_nothing_thinks_and_nothing_is_chosen_that_was_not_proposed() {
        let idle = row(vec![proposal("inner", "", "all is quiet"), proposal("outer", "", "")], "inner", By::Agreed);
        assert_eq!(told(&idle), ["mind inner think all is quiet"]);
        assert!(is_council_line(&told(&idle)[0]) && !is_council_line("mind inner"));
        assert!(told(&row(Vec::new(), "inner", By::Agreed)).is_empty());
    }

    #[test]
    fn what_is_long_is_cut_and_what_waits_is_bounded() {
        let long = "ä\u{1b}\n\"".repeat(2_000);
        let minds = ["inner", "outer", "observer"];
        let wild = row(minds.map(|mind| proposal(mind, &long, &long)).to_vec(), "own", By::Observer);
        let lines = told(&wild);
        assert!(lines.iter().all(|line| line.len() <= LINE_BYTES && !line.contains('\u{1b}')), "{lines:?}");
        let mut log = CouncilLog::default();
        for _ in 0..50 {
            log.decided(&row(vec![proposal("inner", "north", "")], "inner", By::Agreed));
        }
        assert_eq!(std::iter::from_fn(|| log.next()).count(), WAITING_MAX);
        log.decided(&row(vec![proposal("inner", "north", "")], "inner", By::Agreed));
        log.refused();
        log.decided(&row(vec![proposal("inner", "north", "")], "inner", By::Agreed));
        assert!(!log.waits(), "the server wants none");
    }
}
