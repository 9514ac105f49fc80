//! What an agent is to know of its past when it comes back: single memories under four headings, few enough for its
//! tier.
//!
//! The story (`narrate`) tells the past; this picks out of it what may matter at once: warnings first of all, then what
//! the world and the people in it are like, then what happened lately, then what the agent was about to do.
//!
//! Invariant: every memory stands on evidence. Each line begins with our own mark and is one line, so that no name and
//! no words of others can pass for a heading.

use crate::calendar;
use crate::graph::facts::{Fact, Relation};
use crate::graph::*;
use crate::narrate::{self, Dates, feeling_behind, tame};
use crate::retrieve::{Hit, age_hours, fact_text};
use mind::budget::Tier;
use mind::tokens;
use protocol::payload::Memory;
use protocol::words::capitalised;

/// Below this a memory is a warning. Source: the mission's checklist.
pub const WARNING: i8 = -2;
/// Longest line, characters.
const LINE_MAX: usize = 280;
/// Goals shown, and the share of the tokens that they may take.
const GOALS_MAX: usize = 8;
const GOALS_PERCENT: usize = 25;
/// Candidates of history that are weighed for each memory that is wanted.
const WEIGHED: usize = 8;
/// Parts of ten that warnings and knowledge are sure of; what one does not use goes to the others.
const WARNINGS_TENTHS: usize = 3;
const KNOWLEDGE_TENTHS: usize = 3;
/// A thing that is neither liked nor feared is known by having been met so often.
const FAMILIAR_VISITS: u32 = 3;

const HISTORY: &str = "CHARACTER HISTORY";
const KNOWLEDGE: &str = "WORLD KNOWLEDGE";
const WARNINGS: &str = "ACTIVE WARNINGS";
const GOALS: &str = "CURRENT GOALS";

/// How much is handed over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    pub memories: usize,
    /// Of the whole block.
    pub tokens: usize,
    /// Of the story that goes with it.
    pub summary_tokens: usize,
}

impl Size {
    /// Source: the specification's tiers; `unlimited` is bounded by what a frame can carry.
    pub const fn of(tier: Tier) -> Size {
        match tier {
            Tier::Small => Size { memories: 5, tokens: 200, summary_tokens: crate::config::SUMMARY_TOKENS_SMALL },
            Tier::Medium => Size { memories: 15, tokens: 600, summary_tokens: crate::config::SUMMARY_TOKENS },
            Tier::Large => Size { memories: 30, tokens: 1_200, summary_tokens: crate::config::SUMMARY_TOKENS },
            Tier::Unlimited => Size { memories: 500, tokens: 20_000, summary_tokens: 2_000 },
        }
    }

    /// By the word of a login: the name of a tier, or a number of tokens, which counts as the nearest tier below.
    /// Nothing and unknown words are the medium one.
    pub fn named(word: Option<&str>) -> Size {
        let word = word.unwrap_or_default().trim();
        if let Ok(budget) = word.parse::<u64>() {
            let holds = |tier: &Tier| u64::try_from(tier.budget(0)).is_ok_and(|least| least <= budget);
            let named = [Tier::Large, Tier::Medium].into_iter().find(holds);
            return Size::of(named.unwrap_or(Tier::Small));
        }
        Size::of(word.parse().unwrap_or_default())
    }
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Bootstrap {
    /// Plain text; empty where nothing is remembered.
    pub block: String,
    /// In the order of the block. Goals are none.
    pub memories: Vec<Memory>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Section {
    History,
    Knowledge,
    Warning,
}

/// A memory that may be chosen.
struct Line {
    section: Section,
    weight: f64,
    at_ms: i64,
    seq: u64,
    tick: u64,
    session: Option<u32>,
    memory: Memory,
    /// Its text without dates of the clock.
    plain: String,
}

/// A memory, and how people read it in the game.
#[derive(Clone, PartialEq, Debug)]
pub struct Told {
    pub memory: Memory,
    pub line: String,
}

/// Chooses. `goals` are the agent's own, most urgent first; `now` is the world's tick.
pub fn bootstrap(graph: &Graph, goals: &[String], size: Size, now: u64) -> Bootstrap {
    let mut lines = gathered(graph, size.memories);
    if lines.is_empty() {
        return Bootstrap::default();
    }
    let order = |a: &Line, b: &Line| b.weight.total_cmp(&a.weight).then(b.seq.cmp(&a.seq));
    lines.sort_by(|a, b| a.section.cmp(&b.section).then_with(|| order(a, b)));
    let mut chosen = chosen(lines, size.memories);
    let goals = goals_within(goals, size.tokens * GOALS_PERCENT / 100);
    for line in &mut chosen {
        line.memory.age_hours = age_hours(line.tick, now);
        line.memory.age_sessions = line.session.map(|session| graph.cursor.session.saturating_sub(session));
    }
    // In the order of weight they are dropped, in that of the block they are told.
    loop {
        let block = block(&mut chosen, &goals);
        if tokens::count(&block) <= size.tokens || chosen.is_empty() {
            let memories: Vec<Memory> = chosen.into_iter().map(|line| line.memory).collect();
            return if memories.is_empty() { Bootstrap::default() } else { Bootstrap { block, memories } };
        }
        drop_weakest(&mut chosen, tokens::count(&block) - size.tokens);
    }
}

/// A heading of the block of which one may want to know all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Heading {
    Warnings,
    Knowledge,
}

/// What stands under a heading when there is room for so many, the weightiest first.
pub fn under(graph: &Graph, heading: Heading, most: usize, now: u64) -> Vec<Told> {
    let section = match heading {
        Heading::Warnings => Section::Warning,
        Heading::Knowledge => Section::Knowledge,
    };
    let mut lines = gathered(graph, most);
    lines.retain(|line| line.section == section);
    lines.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(b.seq.cmp(&a.seq)));
    lines.truncate(most);
    let told = |line: Line| {
        let when = graph.terms.game_dates.then(|| calendar::game_date(line.tick));
        let memory = Memory {
            text: tame(&line.memory.text, LINE_MAX),
            age_hours: age_hours(line.tick, now),
            age_sessions: line.session.map(|session| graph.cursor.session.saturating_sub(session)),
            ..line.memory
        };
        Told { line: with_feeling(&line.plain, memory.valence, when), memory }
    };
    lines.into_iter().map(told).collect()
}

/// What was found, as a character is told it.
pub fn memory_of(graph: &Graph, found: &Hit, now: u64) -> Told {
    let memory = Memory {
        id: found.id.clone(),
        text: tame(&found.text, LINE_MAX),
        valence: rounded(found.valence),
        age_hours: age_hours(found.tick, now),
        age_sessions: found.session.map(|session| graph.cursor.session.saturating_sub(session)),
        score: Some(libm::round(found.score * 1_000.0) / 1_000.0),
        evidence: found.evidence.clone(),
    };
    Told { line: with_feeling(&found.plain, memory.valence, found.game_date(&graph.terms)), memory }
}

fn rounded(valence: f64) -> i8 {
    libm::round(valence).clamp(-3.0, 3.0) as i8
}

fn gathered(graph: &Graph, wanted: usize) -> Vec<Line> {
    let history = narrate::moments(graph, wanted.saturating_mul(WEIGHED)).into_iter().map(|event| Line {
        section: if event.valence <= WARNING { Section::Warning } else { Section::History },
        weight: {
            let weight = event.salience + f64::from(event.valence).abs() / 10.0;
            // What came of a choice is a memory of its own, and was felt there: the choice comes behind it.
            if event.about.0.is_of_mind() { weight / 2.0 } else { weight }
        },
        at_ms: event.first_at,
        seq: event.last_seq,
        tick: event.last_tick,
        session: Some(event.session),
        memory: Memory {
            id: format!("event:{}", event.seq),
            text: format!("{}: {}", narrate::dated(graph, event.first_at, event.tick), event.sentence.text),
            valence: event.valence,
            evidence: event.sentence.evidence,
            ..Memory::default()
        },
        plain: event.sentence.text,
    });
    let nodes = graph.alive().filter_map(|(_, node)| match &node.body {
        Body::Thing(thing) if thing.name != ME => thing_line(graph, thing, graph.salience(node)),
        Body::Reflection(reflection) if reflection.sort != Sort::Unknown => {
            Some(reflection_line(graph, reflection, graph.salience(node)))
        }
        _ => None,
    });
    let facts = graph.facts.iter().filter_map(|fact| fact_line(graph, fact));
    history.chain(nodes).chain(facts).filter(|line| !line.memory.evidence.is_empty()).collect()
}

/// Whom the agent trusts or has to fear; the places and creatures that it knows well.
fn thing_line(graph: &Graph, thing: &ThingBody, salience: f64) -> Option<Line> {
    let entity = thing.kind == NodeKind::Entity;
    let betrayed = thing.betrayed.is_some_and(|mark| thing.saved.is_none_or(|saved| saved.seq < mark.seq));
    let feared = entity && (betrayed || thing.liking <= f64::from(WARNING));
    let liked = entity && (thing.liking.abs() >= 1.0 || thing.saved.is_some() || thing.betrayed.is_some());
    if !feared && !liked && thing.visits < FAMILIAR_VISITS {
        return None;
    }
    let told = |dates| match entity {
        true => {
            let sentence = narrate::relationship(graph, thing, dates)?;
            Some((format!("{}.", sentence.text), sentence.evidence))
        }
        false => Some((narrate::acquaintance(graph, thing, dates), thing.evidence.seqs())),
    };
    let ((text, mut evidence), (plain, _)) = (told(Dates::Told)?, told(Dates::Left)?);
    evidence.sort_unstable();
    evidence.dedup();
    let felt = if entity { thing.liking } else { thing.valence };
    // Whom one has to fear comes before what happened once; a room that is merely familiar after all else.
    let bonus = if feared { 1.0 } else { felt.abs() / 3.0 };
    Some(Line {
        section: if feared { Section::Warning } else { Section::Knowledge },
        weight: salience + bonus,
        at_ms: thing.last_at,
        seq: thing.evidence.last(),
        tick: thing.last_tick,
        session: None,
        memory: Memory {
            id: graph.names.key(thing.name).to_string(),
            text,
            valence: if feared { rounded(felt).min(WARNING) } else { rounded(felt) },
            evidence,
            ..Memory::default()
        },
        plain,
    })
}

fn reflection_line(graph: &Graph, reflection: &ReflectionBody, salience: f64) -> Line {
    let valence = rounded(reflection.valence);
    Line {
        section: if valence <= WARNING { Section::Warning } else { Section::Knowledge },
        // What the owner lived itself comes before what was handed down.
        weight: salience + if reflection.from_agent.is_some() { -1.0 } else { 0.5 },
        at_ms: reflection.at_ms,
        seq: reflection.evidence.last().copied().unwrap_or(0),
        tick: reflection.tick,
        session: None,
        memory: Memory {
            id: reflection.key.to_string(),
            text: narrate::insight_text(graph, reflection, Dates::Told),
            valence,
            evidence: reflection.evidence.clone(),
            ..Memory::default()
        },
        plain: narrate::insight_text(graph, reflection, Dates::Left),
    }
}

/// What holds of doors, of the dead, and what things cost.
fn fact_line(graph: &Graph, fact: &Fact) -> Option<Line> {
    let weight = match fact.relation {
        Relation::Life => 0.6,
        Relation::Door if &*fact.value == "locked" => 0.5,
        Relation::Price => 0.3,
        _ => return None,
    };
    if fact.until.is_some() {
        return None;
    }
    let ago = (graph.cursor.at_ms - fact.confirmed_at).max(0) as u64 / calendar::MS_PER_TICK as u64;
    Some(Line {
        section: Section::Knowledge,
        weight,
        at_ms: fact.confirmed_at,
        seq: fact.confirmed,
        tick: graph.cursor.tick.saturating_sub(ago),
        session: None,
        memory: Memory {
            id: fact.id(),
            text: fact_text(graph, fact, Dates::Told),
            evidence: fact.evidence(),
            ..Memory::default()
        },
        plain: fact_text(graph, fact, Dates::Left),
    })
}

/// The best of each section: its sure share first, then whatever is strongest. `lines` are by section, best first.
fn chosen(lines: Vec<Line>, most: usize) -> Vec<Line> {
    let share = |tenths: usize| (most * tenths).div_ceil(10);
    let (warnings, knowledge) = (share(WARNINGS_TENTHS), share(KNOWLEDGE_TENTHS));
    let mut sure = [most.saturating_sub(warnings + knowledge), knowledge, warnings];
    let (mut chosen, mut rest): (Vec<Line>, Vec<Line>) = (Vec::new(), Vec::new());
    for line in lines {
        let left = &mut sure[line.section as usize];
        if *left > 0 && chosen.len() < most {
            *left -= 1;
            chosen.push(line);
        } else {
            rest.push(line);
        }
    }
    rest.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(b.seq.cmp(&a.seq)));
    rest.truncate(most - chosen.len());
    chosen.extend(rest);
    chosen
}

/// Takes out the weakest, as many as so many tokens too many are worth; at least one. Warnings go last.
fn drop_weakest(chosen: &mut Vec<Line>, excess: usize) {
    chosen.sort_by(|a, b| {
        let warns = |line: &Line| line.section == Section::Warning;
        warns(b).cmp(&warns(a)).then(b.weight.total_cmp(&a.weight)).then(b.seq.cmp(&a.seq))
    });
    let mut freed = 0;
    while freed < excess.max(1) {
        let Some(line) = chosen.pop() else { return };
        freed += tokens::count(&line.memory.text);
    }
}

fn goals_within(goals: &[String], most: usize) -> Vec<String> {
    let mut left = most;
    let shown = goals.iter().map(|goal| tame(goal, LINE_MAX)).filter(|goal| !goal.is_empty()).take(GOALS_MAX);
    shown
        .take_while(|goal| {
            let cost = tokens::count(goal) + 2;
            let fits = cost <= left;
            left = left.saturating_sub(cost);
            fits
        })
        .collect()
}

/// The text; puts the lines into its order.
fn block(chosen: &mut [Line], goals: &[String]) -> String {
    chosen.sort_by(|a, b| {
        let within = match a.section {
            Section::History => a.at_ms.cmp(&b.at_ms).then(a.seq.cmp(&b.seq)),
            _ => b.weight.total_cmp(&a.weight).then(b.seq.cmp(&a.seq)),
        };
        a.section.cmp(&b.section).then(within)
    });
    let mut text = String::new();
    let mut put = |title: &str, lines: &mut dyn Iterator<Item = &str>| {
        let mut lines = lines.peekable();
        if lines.peek().is_some() {
            text.push_str(if text.is_empty() { "" } else { "\n" });
            text.push_str(title);
            text.push('\n');
            for line in lines {
                text.push_str("- ");
                text.push_str(line);
                text.push('\n');
            }
        }
    };
    for line in chosen.iter_mut() {
        line.memory.text = tame(&line.memory.text, LINE_MAX);
    }
    for (title, section) in [(HISTORY, Section::History), (KNOWLEDGE, Section::Knowledge), (WARNINGS, Section::Warning)]
    {
        let own = chosen.iter().filter(|line| line.section == section);
        put(title, &mut own.map(|line| line.memory.text.as_str()));
    }
    put(GOALS, &mut goals.iter().map(String::as_str));
    text
}

/// A line of `recall` for people: what, what it was worth, and when by the world's date; warnings say themselves what
/// they are worth, and so does what is counted (`(met 3 times)`).
fn with_feeling(plain: &str, valence: i8, when: Option<String>) -> String {
    let text = capitalised(&tame(plain, LINE_MAX));
    let text = text.trim_end_matches('.');
    let feeling = if text.ends_with(')') { "" } else { feeling_behind(text, valence) };
    let when = when.map(|when| format!(" [{when}]")).unwrap_or_default();
    // What was handed down ends before it is said by whom.
    let stop = if text.ends_with(')') && text.contains(". (") { "" } else { "." };
    format!("{text}{feeling}{stop}{when}")
}
