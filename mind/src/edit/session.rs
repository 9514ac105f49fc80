//! Facts, patterns, and the journal.

use super::words::{done, first_word, known, list, own, page_of, room_for, with_id};
use super::{Answer, Reply, VerbRequest};
use crate::event::Event;
use crate::memory;
use crate::page;
use crate::persona;
use crate::session::{FACTS_MAX, JOURNAL_CHARS, LEARNED_CHARS, Learned, PATTERNS_MAX, Trust};
use crate::state::MindState;

/// What distinguishes facts from patterns.
struct Kind {
    name: &'static str,
    most: usize,
    heading: &'static str,
    none: &'static str,
    add: fn(String) -> Event,
    remove: fn(u64) -> Event,
}

const FACT: Kind = Kind {
    name: "fact",
    most: FACTS_MAX,
    heading: "Facts:",
    none: "You know no facts: fact <text>, of the world, of people, of events.",
    add: |text| Event::FactAdd { text },
    remove: |id| Event::FactRemove { id },
};

const PATTERN: Kind = Kind {
    name: "pattern",
    most: PATTERNS_MAX,
    heading: "Patterns:",
    none: "You know no patterns: pattern <text>, of what is usually so.",
    add: |text| Event::PatternAdd { text },
    remove: |id| Event::PatternRemove { id },
};

pub(super) fn fact(state: &MindState, request: &VerbRequest) -> Answer {
    learned(state, &state.session.key_facts, request, &FACT)
}

pub(super) fn pattern(state: &MindState, request: &VerbRequest) -> Answer {
    learned(state, &state.session.learned_patterns, request, &PATTERN)
}

fn learned(state: &MindState, there: &[Learned], request: &VerbRequest, kind: &Kind) -> Answer {
    let Kind { name, most, heading, none, add, remove } = *kind;
    if request.args.is_empty() {
        return list(heading, there.iter().map(page::learned).collect(), none);
    }
    if let Some((id, _)) = with_id(request.args, "remove") {
        let id = known(id, name, name, there.iter().map(|learned| learned.id))?;
        return done(remove(id), format!("You no longer hold #{id} for a {name}."));
    }
    if let Some(text) = persona::refuses(request.args, request.name) {
        let text = format!("{text}. {}", persona::SUGGESTION);
        return Ok(Reply { text, refused: true, suggestion: Some(persona::SUGGESTION), ..Reply::default() });
    }
    if let Some(same) = there.iter().find(|learned| learned.text.eq_ignore_ascii_case(request.args)) {
        return page_of(format!("You know that, as #{}.", same.id));
    }
    room_for(there.len(), most, &format!("{name}s"), &format!("tidy, or {name} remove <id>"))?;
    let text = own(request.args, LEARNED_CHARS)?;
    memory::check_learned(&text, &state.memory, &state.session).map_err(|why| why.to_string())?;
    done(add(text), format!("Kept as {name} #{}.", request.first))
}

pub(super) fn tidy(state: &MindState, request: &VerbRequest) -> Answer {
    if !request.args.is_empty() {
        return Err("Tidy takes nothing more: it makes one of facts, or patterns, that say the same.".to_string());
    }
    let merged = state.session.duplicates();
    match merged.iter().map(|ids| ids.len() - 1).sum::<usize>() {
        0 => page_of("No two of your facts or patterns say the same."),
        gone => {
            let said = match gone {
                1 => "One that said the same as an older one is gone.".to_string(),
                gone => format!("{gone} that said the same as older ones are gone."),
            };
            done(Event::SessionTidy { merged }, said)
        }
    }
}

pub(super) fn journal(state: &MindState, request: &VerbRequest) -> Answer {
    if request.args.is_empty() {
        let lines = state.journal.iter().map(page::journal).collect();
        return list("Your journal:", lines, "Your journal is empty: journal [told|seen|guess|hearsay] <text>.");
    }
    let (word, rest) = first_word(request.args);
    let (source, text) = match Trust::ALL.into_iter().find(|trust| trust.name().eq_ignore_ascii_case(word)) {
        Some(_) if rest.is_empty() => return Err(format!("What is it? journal {word} <text>")),
        Some(trust) => (trust, rest),
        None => (Trust::default(), request.args),
    };
    let text = own(text, JOURNAL_CHARS)?;
    let is_named = |name: &&str| text.split(|c: char| !c.is_alphanumeric()).any(|word| word.eq_ignore_ascii_case(name));
    let importance = source.importance() + u8::from(request.present.iter().any(is_named));
    let said = format!("It stands in your journal, as #{}.", request.first);
    done(Event::JournalAdd { text, source, importance }, said)
}
