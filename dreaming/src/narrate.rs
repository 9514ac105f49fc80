//! The story: what an agent reads of its past when it comes back.
//!
//! Sentences are made first, each from the events that it stands on; then the newest and most salient are chosen until
//! the tokens are used up; then those are told in order of time, by session. A sentence without evidence cannot be
//! made.
//!
//! Invariant: names and words of others come in quoted and bounded, on the line of our own sentence: they open no
//! heading and begin no line.

use crate::calendar;
use crate::graph::*;
use crate::reflect;
use crate::wording::Wordings;
use mind::happenings::template::{Value, fill};
use protocol::minds::MindName;
use protocol::names::is_unsafe;
use protocol::places;
use protocol::words::capitalised;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Sentences that are weighed at most, the strongest; more would not fit by far.
const WEIGHED_MAX: usize = 160;
/// Relationships told at most, and the share of the tokens that they may take.
const RELATIONSHIPS_MAX: usize = 12;
const RELATIONSHIPS_PERCENT: usize = 35;
/// Of beasts the most liked and the most feared are enough.
const BEASTS_MAX: usize = 4;
/// By how much a sentence of the last session counts as stronger; half of it in the one before, and so on.
const NEWEST_BONUS: f64 = 0.3;
const INSIGHTS_MAX: usize = 4;
/// Longest insight, quotation and name, characters.
const INSIGHT_MAX: usize = 300;
const QUOTE_MAX: usize = 90;
/// Of what was handed down, so that a line has room for whose it is.
const HANDED_MAX: usize = 180;
const NAME_MAX: usize = 60;

/// What the best and the worst line of a session begin with, where it has so many lines.
const BEST: &str = "Best: ";
const WORST: &str = "Worst: ";
const LINES_TO_SORT: usize = 3;

/// Kills of a beast for each time that it did harm, from which on it is prey.
const BEATEN_OFTEN: u32 = 3;
/// By how much it counts as stronger that one has grown: kills are many, levels are few.
const GROWTH_BONUS: f64 = 0.5;

/// Who was not seen, or has no name that can be told.
const SOMEONE: &str = "someone";

/// A sentence of the story and the seqs that it stands on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Sentence {
    pub text: String,
    /// Rising, never empty.
    pub evidence: Vec<u64>,
}

impl Sentence {
    /// None without evidence.
    fn new(text: String, mut evidence: Vec<u64>) -> Option<Sentence> {
        evidence.sort_unstable();
        evidence.dedup();
        (!evidence.is_empty() && !text.is_empty()).then_some(Sentence { text, evidence })
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Summary {
    /// Markdown; empty where there is nothing to tell.
    pub text: String,
    pub tokens: usize,
    /// In the order of the text.
    pub sentences: Vec<Sentence>,
}

/// Words of somebody, on one line and bounded.
pub(crate) fn tame(text: &str, max: usize) -> String {
    let clean: String =
        text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).filter(|c| !is_unsafe(*c)).collect();
    let one_line = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    if one_line.chars().count() <= max {
        return one_line;
    }
    let mut cut: String = one_line.chars().take(max - 1).collect();
    cut.push('…');
    cut
}

/// A name, which may begin a line: it begins with a letter or digit, so that it opens no heading and no list.
fn tame_name(text: &str) -> String {
    let name = tame(text, NAME_MAX);
    let bare = name.trim_start_matches(|c: char| !c.is_alphanumeric());
    if bare.is_empty() { SOMEONE.into() } else { bare.into() }
}

mod scenes;

use scenes::{Scene, Told};

struct Voice<'a>(&'a Graph);

impl Voice<'_> {
    fn name(&self, id: NameId) -> String {
        match id {
            ME => "me".into(),
            NOBODY => SOMEONE.into(),
            id => tame_name(self.0.names.name(id)),
        }
    }

    /// What stands for a name of `STORY_PLACEHOLDERS`. `count` is how often it happened.
    fn value(&self, event: &EventBody, count: usize, placeholder: &str) -> Value<'static> {
        let named = |id| {
            let name = self.name(id);
            let known = name != SOMEONE;
            (name.into(), known)
        };
        let always = |text: String| (text.into(), true);
        match placeholder {
            "doer" => named(event.doer),
            "sufferer" => named(event.sufferer),
            "third" => named(event.third),
            "other" => named(event.other()),
            "room" => {
                let (name, known) = named(event.room);
                (places::named(&name).into_owned().into(), known)
            }
            "mind" => match u8::try_from(event.number).ok().and_then(|n| MindName::ALL.get(usize::from(n)).copied()) {
                // The body's own word is no mind's of the council.
                Some(mind) if !mind.is_body() => always(mind.to_string()),
                _ => ("no mind".into(), false),
            },
            "thing" => always(self.thing(event)),
            "place" => always(self.place(event)),
            "words" => always(self.words(event)),
            "often" => match count {
                0 | 1 => ("".into(), true),
                2 => (" twice".into(), true),
                n => always(format!(" {n} times")),
            },
            "number" => (event.number.to_string().into(), event.number >= 0),
            "coins" => always(coins(event.number)),
            // Where one came to once there is nothing to count.
            "times" => {
                let counts = event.number > 1;
                let text = if counts { times(event.number.unsigned_abs()) } else { "once".into() };
                (text.into(), counts)
            }
            "direction" => always(event.text.as_deref().map(|text| tame(text, NAME_MAX)).unwrap_or_default()),
            other => unreachable!("{other:?} is none of `STORY_PLACEHOLDERS`"),
        }
    }

    fn thing(&self, event: &EventBody) -> String {
        match event.item {
            NOBODY if event.number >= 0 => coins(event.number),
            NOBODY => "something".into(),
            id => self.name(id),
        }
    }

    fn place(&self, event: &EventBody) -> String {
        if event.room == NOBODY || self.0.names.name(event.room).is_empty() {
            return String::new();
        }
        format!(" {}", places::at(&self.name(event.room)))
    }

    fn words(&self, event: &EventBody) -> String {
        match event.text.as_deref().map(|text| tame(text, QUOTE_MAX).replace('"', "'")) {
            Some(text) if !text.is_empty() => format!(": \"{text}\""),
            _ => String::new(),
        }
    }
}

fn coins(count: i32) -> String {
    if count == 1 { "1 coin".into() } else { format!("{count} coins") }
}

/// One event, or `count` alike, in a sentence of the one who remembers: the `story` of its kind.
pub fn sentence(graph: &Graph, event: &EventBody, count: usize) -> String {
    let voice = Voice(graph);
    let text = fill(event.deed.kind().story[event.role as usize], |placeholder| voice.value(event, count, placeholder));
    format!("{}.", capitalised(&text))
}

/// What a valence reads like behind a sentence. Source: the specification's example. Whoever ran from a fight with most
/// of his health left did nothing terrible: it was too soon.
pub fn feeling(valence: i8, flight: bool) -> &'static str {
    match valence {
        i8::MIN..=-3 if flight => " (far too soon)",
        -2 if flight => " (too soon)",
        3.. => " (a significant moment)",
        2 => " (noteworthy)",
        0..=1 => "",
        -1 => " (unpleasant)",
        -2 => " (a difficult moment)",
        i8::MIN..=-3 => " (a terrible moment)",
    }
}

/// What somebody is with whom one had nothing to do.
pub(crate) const SIGHT: &str = "known by sight";

/// What somebody is to the one who remembers. Words alone make no friend and no danger: a friend gave or helped, or was
/// given or helped, and that or kind words came three times; an ally did three such deeds or saved a life; whoever is
/// dangerous did harm. Who is neither liked nor hated is an acquaintance where the two had to do with each other.
pub fn standing(thing: &ThingBody, player: bool) -> &'static str {
    let tally = &thing.tally;
    let saved = thing.saved.is_some();
    let harm = tally.harm() > 0 || thing.betrayed.is_some();
    match thing.liking {
        l if l >= 2.0 && (saved || tally.good >= 3) => "trusted ally",
        l if l >= 1.0 && (saved || (tally.good >= 1 && tally.good + tally.kind >= 3)) => "friend",
        l if l >= 0.3 => "friendly",
        // Whom one beats again and again is nobody to fear, whatever it did before.
        l if l > -2.0 && !player && tally.died == 0 && tally.won >= BEATEN_OFTEN * tally.harm().max(1) => "prey",
        l if l > -0.3 && !player && tally.won + tally.shared > 0 => "prey",
        l if l > -0.3 && tally.dealt > 0 => "acquaintance",
        l if l > -0.3 => SIGHT,
        l if l > -1.0 => "unfriendly",
        l if l > -2.0 || !harm => "hostile",
        _ => "dangerous",
    }
}

/// What is told in one line.
pub(crate) struct Candidate {
    pub session: u32,
    pub first_at: i64,
    pub last_at: i64,
    pub tick: u64,
    pub last_tick: u64,
    /// Of the one that speaks for all.
    pub seq: u64,
    pub last_seq: u64,
    pub valence: i8,
    /// What was done and with whom, in what speaks for all.
    pub about: (Deed, NameId),
    /// It tells of whom one met, and of nothing else.
    pub meeting: bool,
    /// It speaks of a flight.
    pub flight: bool,
    /// It tells of the own death, beside whatever else.
    pub death: bool,
    pub salience: f64,
    pub sentence: Sentence,
}

/// The lines of a story: at most so many, strongest first; those of the newest sessions count as stronger.
fn candidates(graph: &Graph, most: usize) -> Vec<Candidate> {
    let told = scenes::of(graph);
    let made = strongest_of(graph, told.iter().filter_map(|scene| candidate(scene, scene.told(graph))), usize::MAX);
    // The tenth rat of a session is told when there is room after all else.
    let mut known = BTreeSet::new();
    let (mut told, again): (Vec<_>, Vec<_>) = made.into_iter().partition(|c| known.insert((c.session, c.about)));
    told.extend(again);
    told.truncate(most);
    told
}

/// The same, but of a scene each thing that happened by itself: what is to warn says nothing else.
pub(crate) fn moments(graph: &Graph, most: usize) -> Vec<Candidate> {
    let scenes = scenes::of(graph);
    let told = scenes.iter().flat_map(|scene| scene.moments(graph).into_iter().map(move |told| (scene, told)));
    strongest_of(graph, told.filter_map(|(scene, told)| candidate(scene, told)), most)
}

fn strongest_of(graph: &Graph, made: impl Iterator<Item = Candidate>, most: usize) -> Vec<Candidate> {
    let mut made: Vec<Candidate> = made.collect();
    // The newest sessions are told more of: their sentences count as stronger.
    let now = graph.cursor.session;
    let weight = |c: &Candidate| c.salience + NEWEST_BONUS / f64::from(1 + now.saturating_sub(c.session));
    made.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then(b.last_seq.cmp(&a.last_seq)));
    made.truncate(most);
    made
}

fn candidate(scene: &Scene, told: Told) -> Option<Candidate> {
    let events: Vec<&EventBody> = told.events;
    let spokesman = *events.iter().min_by_key(|event| (strongest(event.valence), event.seq))?;
    let (first, last) = (*events.first()?, *events.last()?);
    let salience = |event: &&EventBody| scene.salience_of(event.seq);
    Some(Candidate {
        session: first.session,
        first_at: first.at_ms,
        last_at: last.at_ms,
        tick: first.tick,
        last_tick: last.tick,
        seq: spokesman.seq,
        last_seq: last.seq,
        valence: spokesman.valence,
        about: (spokesman.deed, spokesman.other()),
        meeting: scene.kind == scenes::Kind::Meetings,
        flight: is_flight(spokesman),
        death: events.iter().any(|event| event.is_own_death()),
        salience: events.iter().map(salience).fold(0.0, f64::max),
        sentence: Sentence::new(told.text, events.iter().map(|event| event.seq).collect())?,
    })
}

/// The same behind a sentence of `sentence`, which a flight begins with its verb.
pub fn feeling_behind(sentence: &str, valence: i8) -> &'static str {
    feeling(valence, sentence.starts_with("Fled "))
}

/// How bad it was, most negative the worst: a flight is the worst of a session only where nothing else was bad, and of
/// what felt the same a death is.
fn badness(c: &Candidate) -> i16 {
    i16::from(c.valence.min(0)) * if c.flight { 1 } else { 10 } - if c.death { 5 } else { 0 }
}

/// Orders valences: the strongest first, of equals the bad one.
fn strongest(valence: i8) -> (i16, i8) {
    (-i16::from(valence.unsigned_abs()), valence)
}

fn is_flight(event: &EventBody) -> bool {
    event.deed == Deed::Fled && event.role == protocol::happening::Role::Did
}

/// Whether a memory tells its dates by the clock of the players. Where people read it in the game it does not: there
/// the world's date of the last of it stands beside it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dates {
    Told,
    Left,
}

impl Dates {
    /// ` since Jan 12, 2026`, if it is told.
    pub(crate) fn told(self, graph: &Graph, word: &str, at_ms: i64) -> String {
        match self {
            Dates::Told => format!("{word}{}", calendar::date(at_ms, graph.terms.utc_offset_minutes)),
            Dates::Left => String::new(),
        }
    }
}

/// The line about one whom the agent knows.
pub(crate) fn relationship(graph: &Graph, thing: &ThingBody, dates: Dates) -> Option<Sentence> {
    let name = tame_name(graph.names.name(thing.name));
    let mut evidence = thing.evidence.seqs();
    let mut on = |mark: &Mark| {
        evidence.push(mark.seq);
        dates.told(graph, " on ", mark.at_ms)
    };
    let mut text = format!("{name} — {}", standing(thing, graph.names.is_player(thing.name)));
    if let Some(mark) = &thing.betrayed {
        let _ = write!(text, ", a traitor{}", on(mark));
    }
    if let Some(mark) = &thing.saved {
        let _ = write!(text, ", saved my life{}", on(mark));
    }
    if let Some(fact) = graph.facts.now(facts::Relation::Life, graph.names.key(thing.name)) {
        let _ = write!(text, ", died{}", dates.told(graph, " on ", fact.since_at));
        evidence.extend(fact.evidence());
    }
    let _ = match (thing.visits, dates) {
        (1, Dates::Left) => write!(text, " (met once)"),
        (1, Dates::Told) => write!(text, " (met{})", dates.told(graph, " on ", thing.first_at)),
        (n, _) => write!(text, " (met {}{})", times(n), dates.told(graph, " since ", thing.first_at)),
    };
    Sentence::new(text, evidence)
}

/// `once`, `twice`, `3 times`.
fn times(count: u32) -> String {
    match count {
        1 => "once".into(),
        2 => "twice".into(),
        n => format!("{n} times"),
    }
}

/// What an insight says, and since when it counts; of those of others whose they are, and whether the own counts
/// contradict them.
pub fn insight_text(graph: &Graph, reflection: &ReflectionBody, dates: Dates) -> String {
    match (&reflection.from_agent, dates) {
        (None, Dates::Left) => reflection.text.to_string(),
        (None, Dates::Told) => counted(graph, reflection, &reflection.text),
        (Some(agent), _) => handed_down(graph, reflection, agent),
    }
}

fn handed_down(graph: &Graph, reflection: &ReflectionBody, agent: &str) -> String {
    let words = tame(&reflection.text, HANDED_MAX);
    // A principle is the owner's, drawn from what was handed down.
    if reflection.sort == Sort::Principle && reflection.wisdom == 0 {
        return words;
    }
    let hands = if reflection.wisdom == 1 { "hand" } else { "hands" };
    let otherwise = if is_contradicted(graph, reflection) { "; my own counts say otherwise" } else { "" };
    let (agent, generation, wisdom) = (tame_name(agent), reflection.generation, reflection.wisdom);
    format!("{words} (handed down by {agent}, generation {generation}, {wisdom} {hands}{otherwise})")
}

/// Whether what happened to the owner itself comes down to the opposite of what was handed down.
pub fn is_contradicted(graph: &Graph, reflection: &ReflectionBody) -> bool {
    let own = |lesson: &Lesson| {
        let name = graph.names.find(&lesson.about)?;
        let tally = &graph.thing(name)?.tally;
        reflect::verdict(tally, graph.names.kind(name), graph.names.is_player(name))
    };
    let turn = |verdict: Verdict| match verdict {
        Verdict::TooStrong | Verdict::Hard | Verdict::Dangerous => -1,
        Verdict::Costly | Verdict::Mixed => 0,
        Verdict::Won | Verdict::Good => 1,
    };
    let lesson = reflection.lesson.as_deref();
    lesson.is_some_and(|lesson| own(lesson).is_some_and(|own| turn(own) * turn(lesson.verdict) < 0))
}

fn counted(graph: &Graph, reflection: &ReflectionBody, words: &str) -> String {
    // What answers a question counts what it cites, and from no day on.
    if reflection.from_agent.is_some() || reflection.sort != Sort::Counted {
        return words.to_string();
    }
    let since = calendar::date(reflection.counted_from, graph.terms.utc_offset_minutes);
    format!("{} (since {since}).", words.trim_end_matches('.'))
}

/// What is known of an entity, a room or an item, in a line.
pub fn acquaintance(graph: &Graph, thing: &ThingBody, dates: Dates) -> String {
    let name = tame_name(graph.names.name(thing.name));
    let last = |word: &str| dates.told(graph, word, thing.last_at);
    let place = match thing.room {
        NOBODY => String::new(),
        room => format!(" {}", places::at(&tame_name(graph.names.name(room)))),
    };
    match thing.kind {
        NodeKind::Entity => {
            let line = relationship(graph, thing, dates).map(|sentence| sentence.text).unwrap_or_default();
            // Not "seen in": somebody who spoke from afar was not there. Where one was oneself is true of all.
            match (dates, place.is_empty()) {
                (Dates::Left, true) => format!("{line}."),
                (Dates::Left, false) => format!("{line}, last heard of when I was{place}."),
                (Dates::Told, true) => format!("{line}, last heard of{}.", last(" on ")),
                (Dates::Told, false) => format!("{line}, last heard of{}, when{place}.", last(" on ")),
            }
        }
        NodeKind::Room if thing.visits == 1 => format!("{name}: visited{}.", last(", last there on ")),
        NodeKind::Room => format!("{name}: visited at least {}{}.", times(thing.visits), last(", last there on ")),
        _ if thing.visits == 1 => format!("{name}: seen{place}{}.", last(" on ")),
        _ => {
            let (often, since) = (times(thing.visits), dates.told(graph, " since ", thing.first_at));
            match (dates, place.is_empty()) {
                (Dates::Left, true) => format!("{name}: seen {often}."),
                _ => format!("{name}: seen {often}{since}, last{place}{}.", last(" on ")),
            }
        }
    }
}

/// Players, and mobs that are liked or feared; strongest feelings first.
fn relationships(graph: &Graph) -> Vec<Sentence> {
    let mut known: Vec<(f64, u32, i64, &ThingBody)> = graph
        .alive()
        .filter_map(|(_, node)| match &node.body {
            Body::Thing(thing) if thing.kind == NodeKind::Entity && thing.name != ME => {
                let marked = thing.betrayed.is_some() || thing.saved.is_some();
                let matters = thing.liking.abs() >= 1.0 || marked || graph.names.is_player(thing.name);
                let weight = if marked { 3.0 } else { thing.liking.abs() };
                matters.then_some((weight, thing.visits, thing.last_at, &**thing))
            }
            _ => None,
        })
        .collect();
    known.sort_by(|a, b| {
        let keys = || graph.names.key(a.3.name).cmp(graph.names.key(b.3.name));
        b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)).then(b.2.cmp(&a.2)).then_with(keys)
    });
    let mut beasts = 0;
    known.retain(|(.., thing)| {
        beasts += usize::from(!graph.names.is_player(thing.name));
        graph.names.is_player(thing.name) || beasts <= BEASTS_MAX
    });
    known.truncate(RELATIONSHIPS_MAX);
    known.into_iter().filter_map(|(.., thing)| relationship(graph, thing, Dates::Told)).collect()
}

/// The reflections that a story tells of where it has room, strongest and newest first.
pub fn insights_told(graph: &Graph) -> Vec<&ReflectionBody> {
    let mut known: Vec<(f64, &ReflectionBody)> = graph
        .alive()
        .filter_map(|(_, node)| match &node.body {
            // Nobody is told at length what is not known, or what happened to others; who asks for it finds it.
            Body::Reflection(reflection) if !matches!(reflection.sort, Sort::Unknown | Sort::Observation) => {
                Some((graph.salience(node), &**reflection))
            }
            _ => None,
        })
        .collect();
    known.sort_by(|a, b| {
        let felt = |r: &ReflectionBody| r.valence.abs();
        // Principles, then what the owner lived itself.
        let rank = |r: &ReflectionBody| (r.sort != Sort::Principle, r.from_agent.is_some());
        let strength = b.0.total_cmp(&a.0).then(felt(b.1).total_cmp(&felt(a.1)));
        rank(a.1).cmp(&rank(b.1)).then(strength).then_with(|| a.1.key.cmp(&b.1.key))
    });
    // Tallies are drawn anew with each deed, and are always the strongest: one place is for an answer to a question.
    let answer = known.iter().position(|(_, reflection)| reflection.sort == Sort::Why);
    if let Some(at) = answer.filter(|at| *at >= INSIGHTS_MAX) {
        let answer = known.remove(at);
        known.insert(INSIGHTS_MAX - 1, answer);
    }
    known.truncate(INSIGHTS_MAX);
    known.into_iter().map(|(_, reflection)| reflection).collect()
}

fn insights(graph: &Graph, wordings: &Wordings) -> Vec<Sentence> {
    let told = |reflection: &ReflectionBody| match &reflection.from_agent {
        None => tame(
            &counted(graph, reflection, wordings.words_for(graph, reflection).unwrap_or(&reflection.text)),
            INSIGHT_MAX,
        ),
        Some(agent) => handed_down(graph, reflection, agent),
    };
    insights_told(graph).into_iter().filter_map(|r| Sentence::new(told(r), r.evidence.clone())).collect()
}

/// `Jan 12, 2026 (4 Sowing 612)`: by the clocks of the players and, where the terms want it, of the world, since an
/// agent is told the world's date of now.
pub(crate) fn dated(graph: &Graph, at_ms: i64, tick: u64) -> String {
    let date = calendar::date(at_ms, graph.terms.utc_offset_minutes);
    format!("{date}{}", of_the_world(graph, tick))
}

fn of_the_world(graph: &Graph, tick: u64) -> String {
    if graph.terms.game_dates { format!(" ({})", calendar::game_date(tick)) } else { String::new() }
}

/// `### Session 3 — Jan 12, 2026, 3:15 PM – 3:47 PM UTC (4 Sowing 612)`
fn heading(graph: &Graph, session: u32, first_at: i64, last_at: i64, tick: u64) -> String {
    let offset = graph.terms.utc_offset_minutes;
    let date = calendar::date(first_at, offset);
    let (from, to) = (calendar::time_of_day(first_at, offset), calendar::time_of_day(last_at, offset));
    let span = if from == to { from } else { format!("{from} – {to}") };
    let zone = calendar::zone_name(offset);
    format!("### Session {session} — {date}, {span} {zone}{}", of_the_world(graph, tick))
}

/// The lines of a session: the best and the worst of them come first, the others in order of time.
fn best_and_worst_first<'c>(own: &[&'c Candidate]) -> Vec<(&'static str, &'c Candidate)> {
    let mut lines: Vec<(&str, &Candidate)> = Vec::new();
    if own.len() >= LINES_TO_SORT {
        // Of what felt the same, a death says more than a wound.
        let weight = |a: &Candidate, b: &Candidate| a.salience.total_cmp(&b.salience).then(b.last_seq.cmp(&a.last_seq));
        let best = own.iter().max_by(|a, b| a.valence.cmp(&b.valence).then(weight(a, b))).filter(|c| c.valence > 0);
        let worst = own.iter().max_by(|a, b| badness(b).cmp(&badness(a)).then(weight(a, b))).filter(|c| c.valence < 0);
        let labelled = [(BEST, best), (WORST, worst)];
        lines.extend(labelled.into_iter().filter_map(|(label, c)| Some((label, *c?))));
        lines.sort_by_key(|(_, c)| strongest(c.valence));
    }
    let rest: Vec<_> = own.iter().filter(|c| lines.iter().all(|(_, first)| first.seq != c.seq)).collect();
    lines.extend(rest.into_iter().map(|c| ("", *c)));
    lines
}

/// At most a third of what is told is about whom one met, unless there is nothing else to tell.
fn with_few_meetings(mut chosen: Vec<&Candidate>, others: usize) -> Vec<&Candidate> {
    loop {
        let meetings = chosen.iter().filter(|c| c.meeting).count();
        if meetings * 3 <= chosen.len() + others || meetings == chosen.len() + others {
            return chosen;
        }
        if let Some(weakest) = chosen.iter().rposition(|c| c.meeting) {
            chosen.remove(weakest);
        }
    }
}

fn render(graph: &Graph, chosen: &[&Candidate], insights: &[Sentence], relationships: &[Sentence]) -> Summary {
    let mut text = String::from("## Memory\n");
    let mut sentences = Vec::new();
    let mut order: Vec<&Candidate> = chosen.to_vec();
    order.sort_by_key(|c| (c.session, c.first_at, c.last_seq));
    for own in order.chunk_by(|a, b| a.session == b.session) {
        let last_at = own.iter().map(|c| c.last_at).max().unwrap_or(own[0].last_at);
        let _ = write!(text, "\n{}\n\n", heading(graph, own[0].session, own[0].first_at, last_at, own[0].tick));
        for (label, candidate) in best_and_worst_first(own) {
            let sentence = &candidate.sentence;
            let sentence = Sentence { text: format!("{label}{}", sentence.text), evidence: sentence.evidence.clone() };
            text.push_str(&sentence.text);
            text.push('\n');
            sentences.push(sentence);
        }
    }
    for (title, lines) in [("### Insights", insights), ("### Relationships", relationships)] {
        if !lines.is_empty() {
            let _ = write!(text, "\n{title}\n\n");
            for line in lines {
                text.push_str(&line.text);
                text.push('\n');
                sentences.push(line.clone());
            }
        }
    }
    if sentences.is_empty() {
        return Summary::default();
    }
    let tokens = mind::tokens::count(&text);
    Summary { text, tokens, sentences }
}

/// The story of a graph, at most `tokens_max` tokens.
pub fn summary(graph: &Graph, tokens_max: usize) -> Summary {
    summary_in_words(graph, tokens_max, &Wordings::default())
}

/// The same, with the insights in other words where there are some.
pub fn summary_in_words(graph: &Graph, tokens_max: usize, wordings: &Wordings) -> Summary {
    let candidates = candidates(graph, WEIGHED_MAX);
    let mut relationships = relationships(graph);
    let share = tokens_max * RELATIONSHIPS_PERCENT / 100;
    let cost = |lines: &[Sentence]| lines.iter().map(|line| mind::tokens::count(&line.text) + 1).sum::<usize>();
    while cost(&relationships) > share {
        relationships.pop();
    }
    let mut insights = insights(graph, wordings);
    while cost(&insights) > share / 2 {
        insights.pop();
    }
    // What a line costs is known; what a heading costs as well. The whole is measured at the end all the same.
    const HEADING: usize = 34;
    let mut left = tokens_max.saturating_sub(cost(&relationships) + cost(&insights) + 16);
    let mut chosen: Vec<&Candidate> = Vec::new();
    for candidate in &candidates {
        let line = mind::tokens::count(&candidate.sentence.text) + 1;
        let new = !chosen.iter().any(|other| other.session == candidate.session);
        let cost = line + if new { HEADING } else { 0 };
        if cost <= left {
            left -= cost;
            chosen.push(candidate);
        } else if left < HEADING / 2 {
            break;
        }
    }
    loop {
        chosen = with_few_meetings(chosen, insights.len() + relationships.len());
        let summary = render(graph, &chosen, &insights, &relationships);
        if summary.tokens <= tokens_max {
            return summary;
        }
        // The weakest goes: the last chosen, then the last insight, then the last relationship.
        if chosen.pop().is_none() && insights.pop().is_none() && relationships.pop().is_none() {
            return Summary::default();
        }
    }
}
