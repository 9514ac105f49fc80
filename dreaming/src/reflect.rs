//! Insights: what a run of events says of somebody or some place, in a sentence that stands on them.
//!
//! When the importance gathered since the last reflection exceeds 150, up to three focal points are looked at: those
//! who and where most of it happened. Counts and outcomes fill a template; no model is asked. An insight about the same
//! focal point replaces the one before, so there are never more than focal points.
//!
//! Invariant: a reflection cites at least one event, and its sentence says only what its tally holds.

use crate::forgetting;
use crate::graph::*;
use crate::questions::{self, Answer, Outcomes};
use petgraph::graph::NodeIndex;
use protocol::words::capitalise;
use std::sync::Arc;

/// Focal points of one reflection.
pub const FOCAL_POINTS: usize = 3;
/// Events that an insight may stand on; the newest.
pub const EVIDENCE_MAX: usize = 100;
/// Events of a focal point below which it says nothing.
const EVENTS_MIN: u32 = 3;
/// How strongly an answer to a question is remembered, and that there is none.
const ANSWER: f64 = 0.8;
const NO_ANSWER: f64 = 0.3;
/// Source: agent-mind §1 row 27.
pub const IMPORTANCE: u8 = 8;

/// Counts a record towards the next reflection; true when that is due.
pub(crate) fn gather(graph: &mut Graph, event: &EventBody) -> bool {
    let cursor = &mut graph.cursor;
    cursor.importance += u32::from(event.importance);
    if cursor.reflect_from == 0 {
        cursor.reflect_from = event.seq;
    }
    cursor.importance > graph.terms.reflect_above
}

#[derive(Default)]
pub(crate) struct Made {
    pub reflections: u64,
    /// How many nodes were not there before.
    pub created: u64,
    /// The nodes that were made or changed.
    pub touched: Vec<NodeIndex<u32>>,
}

/// What an event adds to a name: the name and the place of the event in one number, and its importance.
type Part = (u64, u32);

fn part(name: NameId, index: NodeIndex<u32>, importance: u8) -> Part {
    (u64::from(name) << 32 | index.index() as u64, u32::from(importance))
}

fn name_of((key, _): &Part) -> NameId {
    (key >> 32) as NameId
}

fn place_of((key, _): &Part) -> NodeIndex<u32> {
    NodeIndex::new(*key as u32 as usize)
}

/// Reflects on the events since the last time, and begins to count anew. `slept` is the last night that took memories.
pub(crate) fn reflect(graph: &mut Graph, outcomes: &Outcomes, slept: i32, day: i32) -> Made {
    graph.cursor.importance = 0;
    let since = std::mem::take(&mut graph.cursor.reflect_from);
    let mut made = Made::default();
    // Sorted, one run of it for each name.
    let mut parts: Vec<Part> = Vec::new();
    // Whom the owner's own counsel was about, itself first.
    let mut counsel: Vec<NameId> = Vec::new();
    for index in events_since(graph, since) {
        let Body::Event(event) = &graph.net[index].body else { continue };
        if event.deed.is_of_mind() {
            for name in [ME, event.other()] {
                if name != NOBODY && !counsel.contains(&name) {
                    counsel.push(name);
                }
            }
            continue;
        }
        for name in [event.other(), event.room] {
            if name != NOBODY {
                parts.push(part(name, index, event.importance));
            }
        }
    }
    parts.sort_unstable();
    let mut order: Vec<(u32, NameId, &[Part])> = parts
        .chunk_by(|a, b| name_of(a) == name_of(b))
        .map(|run| (run.iter().map(|(_, importance)| importance).sum(), name_of(&run[0]), run))
        .collect();
    let keys = |name: NameId| graph.names.key(name);
    order.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| keys(a.1).cmp(keys(b.1))));
    // A room of no number is one that the log does not name.
    order.retain(|(_, name, _)| &**graph.names.key(*name) != "room:0");
    // One question is kept for the own counsel, where it has one: who has many foes would never come to it. The one
    // that was answered longest ago is asked, so that each has its turn.
    let of_mind = |name: &NameId| {
        let name = *name;
        questions::asked_of_mind(outcomes, &graph.names, name, slept).into_iter().map(move |answer| (name, answer))
    };
    let mut own: Vec<(NameId, Answer)> = counsel.iter().flat_map(of_mind).collect();
    own.sort_by_key(|(_, answer)| graph.reflection(&answer.key).map_or(i64::MIN, |index| graph.net[index].last_at()));
    let most = questions::QUESTIONS_MAX - usize::from(!own.is_empty());
    let mut answers: Vec<(NameId, Answer)> = Vec::new();
    for (_, name, _) in &order {
        let left = most - answers.len();
        if left == 0 {
            break;
        }
        answers.extend(questions::asked(outcomes, &graph.names, *name, slept, left).into_iter().map(|a| (*name, a)));
    }
    answers.extend(own.into_iter().take(questions::QUESTIONS_MAX - answers.len()));
    let mut points = 0;
    for (_, name, run) in order {
        if points == FOCAL_POINTS {
            break;
        }
        let key = graph.names.key(name).clone();
        let events: Vec<NodeIndex<u32>> = run.iter().map(place_of).collect();
        points += usize::from(conclude(graph, &key, name, &events, day, &mut made));
    }
    for (name, answer) in answers {
        keep(graph, name, answer, day, &mut made);
    }
    made
}

/// Keeps the answer to a question in the place of the one before.
fn keep(graph: &mut Graph, about: NameId, answer: Answer, day: i32, made: &mut Made) {
    let (at_ms, tick) = (graph.cursor.at_ms, graph.cursor.tick);
    let (sort, fresh) = if answer.known { (Sort::Why, ANSWER) } else { (Sort::Unknown, NO_ANSWER) };
    let known = graph.reflection(&answer.key);
    let Answer { key, text, evidence, valence, .. } = answer;
    let index = match known {
        Some(index) => {
            let node = &graph.net[index];
            let strength = forgetting::salience(&graph.terms, node.strength, node.felt(), day - node.night);
            let node = &mut graph.net[index];
            (node.strength, node.night) = (strength.max(fresh), day);
            if let Body::Reflection(body) = &mut node.body {
                body.visits = body.visits.saturating_add(1);
                (body.sort, body.text, body.evidence, body.valence) = (sort, text.into(), evidence, valence);
                (body.at_ms, body.tick) = (at_ms, tick);
            }
            index
        }
        None => {
            let key: Arc<str> = key.into();
            let drawn = ReflectionBody::drawn(sort, key.clone(), about, text.into(), (at_ms, tick));
            let body = ReflectionBody { valence, evidence, ..drawn };
            let index = graph.add(Node::new(fresh, day, Body::Reflection(Box::new(body))));
            graph.set_reflection(key, index);
            made.created += 1;
            index
        }
    };
    made.touched.push(index);
    made.reflections += 1;
}

/// The nodes of the events from a seq on, by rising seq. Events are in order, so they are near the end.
fn events_since(graph: &Graph, first: u64) -> Vec<NodeIndex<u32>> {
    let mut found = Vec::new();
    for i in (0..graph.net.node_count()).rev() {
        match &graph.net[NodeIndex::new(i)].body {
            Body::Event(event) if event.seq < first => break,
            Body::Event(_) => found.push(NodeIndex::new(i)),
            _ => {}
        }
    }
    found.reverse();
    found
}

/// Draws the insight about one focal point; false when there is none.
fn conclude(graph: &mut Graph, key: &str, name: NameId, events: &[NodeIndex<u32>], day: i32, made: &mut Made) -> bool {
    let mut key_text = String::with_capacity(key.len() + 11);
    key_text.push_str("reflection:");
    key_text.push_str(key);
    let known = graph.reflection(&key_text);
    // What is there was counted record by record.
    let (tally, counted_from) = match known.map(|index| &graph.net[index].body) {
        Some(Body::Reflection(old)) => (old.tally.clone(), old.counted_from),
        _ => match graph.thing(name) {
            Some(thing) => (thing.tally.clone(), thing.counted_from),
            None => return false,
        },
    };
    if tally.events < EVENTS_MIN {
        return false;
    }
    let Some(text) = insight(&tally, graph.names.name(name), graph.names.kind(name), graph.names.is_player(name))
    else {
        return false;
    };
    let seqs: Vec<u64> = events
        .iter()
        .filter_map(|index| match &graph.net[*index].body {
            Body::Event(event) => Some(event.seq),
            _ => None,
        })
        .collect();
    let valence = tally.mean();
    let (at_ms, tick) = (graph.cursor.at_ms, graph.cursor.tick);
    let fresh = (0.5 + valence.abs() / 10.0).clamp(0.1, 1.0);
    let index = match known {
        Some(index) => {
            let bonus = graph.terms.reinforce_bonus;
            let node = &graph.net[index];
            let strength = forgetting::salience(&graph.terms, node.strength, node.felt(), day - node.night);
            let node = &mut graph.net[index];
            node.strength = (strength + bonus).min(1.0);
            node.night = day;
            if let Body::Reflection(body) = &mut node.body {
                cite(&mut body.evidence, &seqs);
                body.visits = body.visits.saturating_add(1);
                (body.text, body.valence, body.tally) = (text.into(), valence, tally);
                (body.at_ms, body.tick) = (at_ms, tick);
            }
            index
        }
        None => {
            let mut evidence = Vec::new();
            cite(&mut evidence, &seqs);
            let key: Arc<str> = key_text.into();
            let drawn = ReflectionBody::drawn(Sort::Counted, key.clone(), name, text.into(), (at_ms, tick));
            let body = ReflectionBody { valence, evidence, tally, counted_from, ..drawn };
            let index = graph.add(Node::new(fresh, day, Body::Reflection(Box::new(body))));
            graph.set_reflection(key, index);
            made.created += 1;
            index
        }
    };
    made.touched.push(index);
    made.reflections += 1;
    true
}

/// Adds what an insight stands on; the newest stay.
fn cite(evidence: &mut Vec<u64>, seqs: &[u64]) {
    evidence.extend(seqs);
    evidence.sort_unstable();
    evidence.dedup();
    let surplus = evidence.len().saturating_sub(EVIDENCE_MAX);
    evidence.drain(..surplus);
}

/// Counts an event for the insight about a name, and says it anew where its counts are others now. None where nothing
/// has changed. It is as strong as before: what is drawn anew was not thought of anew.
pub(crate) fn redraw(graph: &mut Graph, name: NameId, event: &EventBody, day: i32) -> Option<NodeIndex<u32>> {
    if graph.has_no_reflections() {
        return None;
    }
    let index = graph.reflection(&format!("reflection:{}", graph.names.key(name)))?;
    let (at_ms, tick) = (graph.cursor.at_ms, graph.cursor.tick);
    let Body::Reflection(body) = &graph.net[index].body else { return None };
    let mut tally = body.tally.clone();
    tally.add(event);
    let names = &graph.names;
    let text = insight(&tally, names.name(name), names.kind(name), names.is_player(name));
    let text: Option<Arc<str>> = text.filter(|text| **text != *body.text).map(Arc::from);
    let node = &graph.net[index];
    let strength = forgetting::salience(&graph.terms, node.strength, node.felt(), day - node.night);
    let node = &mut graph.net[index];
    let Body::Reflection(body) = &mut node.body else { return None };
    let valence = tally.mean();
    body.tally = tally;
    let text = text?;
    cite(&mut body.evidence, &[event.seq]);
    (body.text, body.valence, body.at_ms, body.tick) = (text, valence, at_ms, tick);
    (node.strength, node.night) = (strength, day);
    Some(index)
}

/// `once`, `twice`, `3 times`.
fn push_times(text: &mut String, n: u32) {
    match n {
        1 => text.push_str("once"),
        2 => text.push_str("twice"),
        n => {
            push_number(text, n);
            text.push_str(" times");
        }
    }
}

fn push_number(text: &mut String, n: u32) {
    if n >= 10 {
        push_number(text, n / 10);
    }
    text.push(char::from(b'0' + (n % 10) as u8));
}

/// Pushes `a 3 times`, `a once and b twice`, `a once, b twice and c once` of those that happened; false when none did.
fn push_listed(text: &mut String, parts: &[(u32, &str)]) -> bool {
    let count = parts.iter().filter(|(n, _)| *n > 0).count();
    for (place, (n, what)) in parts.iter().filter(|(n, _)| *n > 0).enumerate() {
        text.push_str(match place {
            0 => "",
            last if last + 1 == count => " and ",
            _ => ", ",
        });
        text.push_str(what);
        text.push(' ');
        push_times(text, *n);
    }
    count > 0
}

/// The sentence that a tally makes, if it says anything. Written piece by piece, since it is made anew for thousands
/// of tallies in a long dream.
pub fn insight(tally: &Tally, name: &str, kind: NodeKind, player: bool) -> Option<String> {
    match kind {
        NodeKind::Room => of_a_place(tally, name),
        _ => of_somebody(tally, name, player),
    }
}

/// So often something good has to happen at a place before that says something of it: who found a key in its cell does
/// not praise the jail.
const GOOD_PLACE_FROM: u32 = 3;

fn place_verdict(tally: &Tally) -> Verdict {
    let bad = tally.died + tally.betrayed + tally.fled + tally.wounds;
    match (tally.won + tally.found, bad) {
        (_, 0) => Verdict::Good,
        (good, bad) if tally.died > 0 || good < bad => Verdict::Dangerous,
        _ => Verdict::Mixed,
    }
}

fn fight_verdict(tally: &Tally, won: u32, lost: u32) -> Verdict {
    if tally.died > 0 && lost >= won {
        Verdict::TooStrong
    } else if lost * 2 > won {
        Verdict::Hard
    } else if tally.wounds * 2 > won + lost {
        Verdict::Costly
    } else {
        Verdict::Won
    }
}

fn words_of(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::TooStrong => "too strong for me",
        Verdict::Hard => "a hard fight",
        Verdict::Costly => "a costly fight",
        Verdict::Won => "a fight that I win",
        Verdict::Dangerous => "a dangerous place",
        Verdict::Mixed => "a place of ups and downs",
        Verdict::Good => "a good place",
    }
}

/// What a tally comes down to; None of players, who are no class of beings, and where nothing came of it.
pub(crate) fn verdict(tally: &Tally, kind: NodeKind, player: bool) -> Option<Verdict> {
    let (won, lost) = (tally.won + tally.shared, tally.fled + tally.died);
    match kind {
        NodeKind::Room => of_a_place(tally, "").map(|_| place_verdict(tally)),
        NodeKind::Entity if !player && won + lost > 0 => Some(fight_verdict(tally, won, lost)),
        _ => None,
    }
}

fn of_a_place(tally: &Tally, name: &str) -> Option<String> {
    let verdict = place_verdict(tally);
    if verdict == Verdict::Good && tally.won + tally.found < GOOD_PLACE_FROM {
        return None;
    }
    let verdict = words_of(verdict);
    let mut text = String::with_capacity(name.len() + 160);
    for piece in [name, " is ", verdict, ": there I "] {
        text.push_str(piece);
    }
    let parts = [
        (tally.died, "died"),
        (tally.betrayed, "saw betrayal"),
        (tally.fled, "fled"),
        (tally.wounds, "was badly hurt"),
        (tally.won, "won"),
        (tally.found, "found something"),
    ];
    let says_something = push_listed(&mut text, &parts);
    text.push('.');
    says_something.then_some(text)
}

fn of_somebody(tally: &Tally, name: &str, player: bool) -> Option<String> {
    let mut text = String::with_capacity(name.len() * 2 + 240);
    text.push_str(name);
    text.push(' ');
    let parts = [
        (tally.betrayed, "betrayed"),
        (tally.robbed, "stole"),
        (tally.harsh, "was hostile in words"),
        (tally.helped, "helped me"),
        (tally.gifts, "gave me something"),
        (tally.kind, "spoke kindly"),
    ];
    let deeds = push_listed(&mut text, &parts);
    if deeds {
        let bad = tally.betrayed > 0 || (tally.robbed + tally.harsh > tally.helped + tally.gifts + tally.kind);
        text.push_str(if bad { " and is not to be trusted" } else { " and can be trusted so far" });
    } else {
        text.clear();
    }
    let (won, lost) = (tally.won + tally.shared, tally.fled + tally.died);
    if won + lost > 0 {
        let verdict = words_of(fight_verdict(tally, won, lost));
        text.push_str(if deeds { "; " } else { "" });
        text.push_str(if player { "fighting against " } else { "fighting " });
        text.push_str(name);
        text.push_str(" I ");
        let ends = [(won, "won"), (tally.fled, "fled"), (tally.died, "died"), (tally.wounds, "was badly hurt")];
        push_listed(&mut text, &ends);
        text.push_str(": ");
        text.push_str(verdict);
    }
    if text.is_empty() {
        return None;
    }
    text.push('.');
    capitalise(&mut text);
    Some(text)
}
