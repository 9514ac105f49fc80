//! The log itself, and what follows from it: compactions, prompts that were measured, the whole mind, its newest
//! entries.

use super::words::{all, done, first_word, page_of};
use super::{
    Answer, COMPACT_TICKS, CONTEXT_TOKENS_MAX, FOLD_ENTRIES_MAX, HISTORY_MAX, HISTORY_SHOWN, STORY_TOKENS_MAX,
    VerbRequest, WHOLE_STATE_ENTRIES,
};
use crate::budget::{Grants, Tier, Wants, share_out};
use crate::client_part::ClientPart;
use crate::event::{Event, LogEntry};
use crate::hud::detail::{LEVELS, first_level};
use crate::hud::live::{focus_node, shared_table};
use crate::hud::node::Node;
use crate::hud::origin::Origin;
use crate::hud::view::FocusView;
use crate::hud::{Format, core_memory, workspace};
use crate::page;
use crate::pressure::Density;
use crate::state::MindState;
use crate::story::Cause;
use protocol::payload::SharedRow;
use sha2::Digest;

pub(super) fn compact(state: &MindState, request: &VerbRequest) -> Answer {
    if !request.args.is_empty() {
        return fold(state, request);
    }
    if state.seq == 0 {
        return Err("There is nothing in your mind to be compacted.".to_string());
    }
    let next = state.compacted_tick + COMPACT_TICKS;
    if state.compactions > 0 && request.tick < next {
        let seconds = (next - request.tick) * 2;
        return Err(format!("Your log was compacted a moment ago. It can be again in {seconds} seconds."));
    }
    let (cause, upto) = (Cause::Asked, state.seq);
    let (hash, whole) = hashed(state);
    let events = vec![
        Event::CompactBefore { cause, hash, state: Some(whole) },
        Event::CompactAfter { upto, from: None, cause, dropped: None, story: Vec::new() },
    ];
    let text = format!("Your log is compacted up to #{upto}. Nothing of your workspace or memory is lost.");
    all(events, text)
}

/// Entries that a prompt no longer shows; what was told of them in so many tokens is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FoldSpan {
    pub from: u64,
    pub upto: u64,
    pub tokens: usize,
    pub cause: Cause,
}

/// What `compact fold #<first>-#<last> <tokens>` folds, or `compact fold server <tokens>`: all that no fold took yet.
/// `None`: it is no fold.
pub fn fold_span(args: &str, state: &MindState) -> Option<FoldSpan> {
    let (word, rest) = first_word(args);
    let (span, tokens) = first_word(rest);
    let tokens = tokens.parse::<usize>().ok().filter(|tokens| (1..=STORY_TOKENS_MAX).contains(tokens))?;
    if !word.eq_ignore_ascii_case("fold") {
        return None;
    }
    if span.eq_ignore_ascii_case("server") {
        let from = (state.folded + 1).max(state.seq.saturating_sub(FOLD_ENTRIES_MAX - 1));
        return Some(FoldSpan { from, upto: state.seq, tokens, cause: Cause::Server });
    }
    let (from, upto) = span.split_once('-')?;
    let number = |text: &str| text.trim_start_matches('#').parse::<u64>().ok();
    Some(FoldSpan { from: number(from)?, upto: number(upto)?, tokens, cause: Cause::Fold })
}

fn fold(state: &MindState, request: &VerbRequest) -> Answer {
    const HOW: &str = "Compact folds your log into what follows from it. A client whose prompt dropped entries tells \
                       which, and in how many tokens: compact fold #<first>-#<last> <tokens>";
    let Some(FoldSpan { from, upto, tokens, cause }) = fold_span(request.args, state) else {
        return Err(HOW.to_string());
    };
    if cause == Cause::Server && upto < from {
        return Err("Nothing came since the last fold.".to_string());
    }
    if from == 0 || upto < from {
        return Err(format!("#{from} to #{upto} is no part of a log."));
    }
    if upto - from >= FOLD_ENTRIES_MAX {
        return Err(format!("A fold takes {FOLD_ENTRIES_MAX} entries at most; tell of it in parts, the oldest first."));
    }
    if upto > state.seq {
        return Err(format!("Your log has no entry #{upto} yet; the newest is #{}.", state.seq));
    }
    if from <= state.folded {
        return Err(format!("What came up to #{} was folded before.", state.folded));
    }
    let of = |wanted: &dyn Fn(u64) -> bool| -> Vec<LogEntry> {
        request.span.iter().filter(|entry| wanted(entry.seq)).cloned().collect()
    };
    let (dropped, later) = (of(&|seq| (from..=upto).contains(&seq)), of(&|seq| seq > upto));
    if dropped.is_empty() {
        return Err(format!("There is no entry from #{from} to #{upto} in your log."));
    }
    let story = crate::fold::story(request.name, &dropped, &later, state, tokens);
    let (hash, whole) = hashed(state);
    let whole = (state.since_whole >= WHOLE_STATE_ENTRIES).then_some(whole);
    let events = vec![
        Event::CompactBefore { cause, hash, state: whole },
        Event::CompactAfter { upto, from: Some(from), cause, dropped: Some(story.dropped), story: story.lines },
    ];
    all(events, format!("Noted: a prompt no longer shows #{from} to #{upto}."))
}

/// The state whole, with its hash.
fn hashed(state: &MindState) -> (String, serde_json::Value) {
    let whole = serde_json::to_value(state).expect("a state has string keys only");
    let hash = sha2::Sha256::digest(whole.to_string().as_bytes());
    (hash.iter().map(|byte| format!("{byte:02x}")).collect(), whole)
}

pub(super) fn context(state: &MindState, request: &VerbRequest) -> Answer {
    let (numbers, part) = match request.args.split_once('{') {
        Some((numbers, _)) => (numbers, &request.args[numbers.len()..]),
        None => (request.args, ""),
    };
    let mut words = numbers.split_whitespace();
    let (tokens, of, budget) = match (words.next(), words.next(), words.next(), words.next()) {
        (None, ..) if part.is_empty() => return page_of(page::context(state)),
        (Some(tokens), Some(of), Some(budget), None) => (tokens.parse(), of, budget.parse()),
        _ => return Err("How many tokens, and of how many? context <tokens> of <budget>".to_string()),
    };
    match (tokens, budget) {
        (Ok(tokens), Ok(budget)) if of.eq_ignore_ascii_case("of") && (1..=CONTEXT_TOKENS_MAX).contains(&budget) => {
            if tokens > CONTEXT_TOKENS_MAX {
                return Err(format!("No prompt takes more than {CONTEXT_TOKENS_MAX} tokens."));
            }
            let client = if part.is_empty() { None } else { Some(Box::new(ClientPart::parse(part)?)) };
            done(
                Event::ContextSnapshot { tokens, budget, client },
                format!("Noted: a prompt took {tokens} of {budget} tokens."),
            )
        }
        _ => Err(format!(
            "How many tokens, and of how many, from 1 to {CONTEXT_TOKENS_MAX}? context <tokens> of <budget>"
        )),
    }
}

/// How one stands. Programs are told more, by whoever knows the whole log.
pub(super) fn status(state: &MindState, request: &VerbRequest) -> Answer {
    match request.args {
        "" => page_of(crate::status::text(state)),
        _ => Err("Status takes no words: it tells how you stand.".to_string()),
    }
}

pub(super) fn hud(state: &MindState, request: &VerbRequest) -> Answer {
    if request.args.is_empty() {
        return page_of(page::hud(state));
    }
    const HOW: &str = "In which format? hud markdown, json, compact-json or toon; hud at <moment>; or hud of <name>";
    let format: Format = request.args.parse().map_err(|_| HOW.to_string())?;
    match hud_text(state, &[], None, format).trim_end() {
        "" => page_of("There is nothing in your mind yet."),
        text => page_of(text),
    }
}

/// A mind as a prompt shows it, and what others share with it; empty where there is nothing. With a tier: what an agent
/// of that tier reads where rules, self and channels are full; without one, nothing is left out.
pub fn hud_text(state: &MindState, shared: &[SharedRow], tier: Option<Tier>, format: Format) -> String {
    crate::render::render(&nodes(state, shared, tier, format), format)
}

/// The same with what each line comes from before it.
pub fn why(state: &MindState, shared: &[SharedRow], tier: Option<Tier>, format: Format) -> String {
    let nodes = nodes(state, shared, tier, format);
    let origins = crate::render::origins(&nodes, format, 0);
    let text = crate::render::render(&nodes, format);
    crate::render::why(text.lines().zip(origins.iter().map(Origin::to_string)))
}

fn nodes(state: &MindState, shared: &[SharedRow], tier: Option<Tier>, format: Format) -> [Node; 4] {
    let memory_used = core_memory::memory_used(state);
    let (workspace, memory, detail) = match tier {
        None => (
            workspace::node(state, Density::Full, workspace::WHOLE),
            core_memory::node(&state.memory, Density::Full, memory_used),
            &LEVELS[0],
        ),
        Some(tier) => {
            let fits = |node: &Node, room: usize| {
                crate::tokens::fits(&crate::render::render(std::slice::from_ref(node), format), room)
            };
            let grants = grants(tier);
            let (workspace, _) = workspace::fit(state, grants.workspace, &fits);
            let (memory, _) = core_memory::fit(&state.memory, grants.knowledge, memory_used, &fits);
            (workspace, memory, &LEVELS[first_level(tier.packed())])
        }
    };
    let focus: Vec<FocusView> = state.focus.iter().rev().map(FocusView::of).collect();
    [workspace, focus_node(&focus, detail), shared_table(shared, detail), memory]
}

/// What a mind has of a prompt in which all that stands before it is full.
fn grants(tier: Tier) -> Grants {
    /// Tokens of a model that takes as much as one likes.
    const UNLIMITED: usize = 1_000_000;
    let caps = tier.caps();
    let wants = Wants {
        rules: caps.rules,
        self_: caps.self_,
        roster: caps.roster,
        workspace: caps.workspace,
        knowledge: usize::MAX,
    };
    share_out(tier, tier.budget(UNLIMITED), &wants)
}

pub(super) fn history(_: &MindState, request: &VerbRequest) -> Answer {
    let (word, rest) = first_word(request.args);
    let (wants, number): (fn(&LogEntry) -> bool, &str) = match word.to_ascii_lowercase().as_str() {
        "mind" => (|entry| !entry.is_record(), rest),
        "deeds" => (|entry| entry.is_record() && !entry.event.is_talk(), rest),
        "talk" => (|entry| entry.event.is_talk(), rest),
        "compactions" => (|entry| matches!(entry.event, Event::CompactAfter { .. }), rest),
        _ => (|_| true, request.args),
    };
    let count = match number {
        "" => HISTORY_SHOWN,
        number => number.parse().ok().filter(|count| (1..=HISTORY_MAX).contains(count)).ok_or_else(|| {
            format!("How many entries, from 1 to {HISTORY_MAX}? history [mind|deeds|talk|compactions] [<number>]")
        })?,
    };
    let mut recent: Vec<&LogEntry> = request.recent.iter().rev().filter(|entry| wants(entry)).take(count).collect();
    recent.reverse();
    match recent.is_empty() {
        true if request.recent.is_empty() => page_of("Nothing is in your log yet."),
        true if word.eq_ignore_ascii_case("talk") => {
            page_of("Nothing that was said is in your log yet: toggle transcript has it kept from then on.")
        }
        true => page_of("Nothing of that kind is in your log yet."),
        false => page_of(page::history(recent.into_iter())),
    }
}
