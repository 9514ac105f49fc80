//! Principles: what insights of several minds have in common.
//!
//! One is drawn where insights of at least two authors come to the same verdict on at least three subjects of one
//! class, with at most one exception in four. Classes are beings of five levels, and rooms of a hundred numbers, which
//! is a zone.
//!
//! Invariant: principles follow from the insights that there are, and are drawn anew with them: one that does not hold
//! any more is gone.

use crate::graph::*;
use crate::reflect;
use petgraph::graph::NodeIndex;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Source: the mission; the document on several minds has it as the other figure beside `reflect::IMPORTANCE`.
pub const IMPORTANCE: u8 = 9;
pub const AUTHORS_MIN: usize = 2;
pub const SUBJECTS_MIN: usize = 3;
/// Insights for each exception.
pub const EXCEPTION_OF: usize = 4;
/// Levels of one band, and rooms of one zone.
const LEVELS: u16 = 5;
const ROOMS: i32 = 100;
/// Authors that are named.
const NAMED_MAX: usize = 3;

/// The class that somebody or some place is part of: `levels 6 to 10`, `rooms 3000 to 3099`. None of players, and where
/// the level is not known.
pub(crate) fn class_of(key: &str, level: u16) -> Option<String> {
    if key.starts_with("mob:") && level > 0 {
        let first = (level - 1) / LEVELS * LEVELS + 1;
        return Some(format!("levels {first} to {}", first + LEVELS - 1));
    }
    let room: i32 = key.strip_prefix("room:")?.parse().ok().filter(|room| *room > 0)?;
    let first = room / ROOMS * ROOMS;
    Some(format!("rooms {first} to {}", first + ROOMS - 1))
}

/// What an own insight comes down to.
pub(crate) fn own_lesson(graph: &Graph, body: &ReflectionBody) -> Option<Lesson> {
    if body.sort != Sort::Counted || body.from_agent.is_some() {
        return None;
    }
    let names = &graph.names;
    let verdict = reflect::verdict(&body.tally, names.kind(body.about), names.is_player(body.about))?;
    let about = names.key(body.about).clone();
    let class = class_of(&about, names.level(body.about))?.into();
    Some(Lesson { about, class, verdict })
}

/// An insight, as far as it matters here.
struct Case {
    author: String,
    own: bool,
    lesson: Lesson,
    valence: f64,
    evidence: Vec<u64>,
    key: std::sync::Arc<str>,
}

fn cases(graph: &Graph) -> Vec<Case> {
    let case = |body: &ReflectionBody| {
        let lesson = body.lesson.as_deref().cloned().or_else(|| own_lesson(graph, body))?;
        Some(Case {
            author: body.from_agent.as_deref().unwrap_or(graph.agent()).to_string(),
            own: body.from_agent.is_none(),
            lesson,
            valence: body.valence,
            evidence: body.evidence.clone(),
            key: body.key.clone(),
        })
    };
    let mut cases: Vec<Case> = graph
        .reflections()
        .filter_map(|node| match &node.body {
            Body::Reflection(body) if body.sort == Sort::Counted && graph.is_alive(node) => case(body),
            _ => None,
        })
        .collect();
    cases.sort_by(|a, b| a.key.cmp(&b.key));
    cases
}

/// Draws all of them anew.
pub(crate) fn draw(graph: &mut Graph, night: i32) {
    let own = |node: &Node| {
        matches!(&node.body, Body::Reflection(body)
        if body.sort == Sort::Principle && body.key.starts_with("principle:"))
    };
    let before: Vec<String> = graph.reflections().filter(|node| own(node)).map(|node| graph.id_of(node)).collect();
    let before: Vec<NodeIndex<u32>> = before.iter().filter_map(|key| graph.reflection(key)).collect();
    before.into_iter().for_each(|index| graph.bury(index));
    let cases = cases(graph);
    if cases.iter().all(|case| case.own) {
        return;
    }
    let mut classes: BTreeMap<&str, Vec<&Case>> = BTreeMap::new();
    for case in &cases {
        classes.entry(&case.lesson.class).or_default().push(case);
    }
    for (class, cases) in classes {
        let verdicts: BTreeSet<Verdict> = cases.iter().map(|case| case.lesson.verdict).collect();
        for verdict in verdicts {
            let agreeing: Vec<&Case> = cases.iter().copied().filter(|case| case.lesson.verdict == verdict).collect();
            let authors: BTreeSet<&str> = agreeing.iter().map(|case| case.author.as_str()).collect();
            let subjects: BTreeSet<&str> = agreeing.iter().map(|case| &*case.lesson.about).collect();
            let exceptions = cases.len() - agreeing.len();
            if authors.len() < AUTHORS_MIN || subjects.len() < SUBJECTS_MIN || exceptions * EXCEPTION_OF > cases.len() {
                continue;
            }
            let text = sentence(class, verdict, (agreeing.len(), cases.len()), &authors);
            add(graph, night, format!("principle:{class}"), text, &agreeing);
        }
    }
}

fn add(graph: &mut Graph, night: i32, key: String, text: String, agreeing: &[&Case]) {
    // It stands on the own log where there is something of it there, else on that of the first author.
    let first = agreeing.iter().find(|case| case.own).unwrap_or(&agreeing[0]);
    let (own, author) = (first.own, first.author.clone());
    let mut evidence: Vec<u64> =
        agreeing.iter().filter(|case| case.author == author).flat_map(|case| case.evidence.iter().copied()).collect();
    evidence.sort_unstable();
    evidence.dedup();
    evidence.drain(..evidence.len().saturating_sub(reflect::EVIDENCE_MAX));
    let valence = agreeing.iter().map(|case| case.valence).sum::<f64>() / agreeing.len() as f64;
    let body = ReflectionBody {
        valence: valence.clamp(-3.0, 3.0),
        evidence,
        cites: agreeing.iter().map(|case| case.key.clone()).collect(),
        from_agent: (!own).then(|| author.as_str().into()),
        ..ReflectionBody::drawn(Sort::Principle, key.into(), ME, text.into(), (graph.cursor.at_ms, graph.cursor.tick))
    };
    put(graph, 1.0, night, body);
}

/// `PRINCIPLE: beings of levels 6 to 10 are too strong (4 of 5 insights, of Ann and Bob).`
fn sentence(class: &str, verdict: Verdict, (agreeing, all): (usize, usize), authors: &BTreeSet<&str>) -> String {
    let of = if class.starts_with("levels") { "beings of " } else { "" };
    let are = match verdict {
        Verdict::TooStrong => "too strong",
        Verdict::Hard => "hard fights",
        Verdict::Costly => "costly fights",
        Verdict::Won => "fights that are won",
        Verdict::Dangerous => "dangerous places",
        Verdict::Mixed => "places of ups and downs",
        Verdict::Good => "good places",
    };
    let mut text = format!("PRINCIPLE: {of}{class} are {are} ({agreeing} of {all} insights, of ");
    let named: Vec<&str> = authors.iter().copied().take(NAMED_MAX).collect();
    let more = authors.len() - named.len();
    let _ = match (named.split_last(), more) {
        (Some((last, [])), 0) => write!(text, "{last}"),
        (Some((last, others)), 0) => write!(text, "{} and {last}", others.join(", ")),
        (_, more) => write!(text, "{} and {more} more", named.join(", ")),
    };
    text + ")."
}

/// Adds a reflection.
pub(crate) fn put(graph: &mut Graph, strength: f64, night: i32, body: ReflectionBody) -> NodeIndex<u32> {
    let key = body.key.clone();
    let index = graph.add(Node::new(strength, night, Body::Reflection(Box::new(body))));
    graph.set_reflection(key, index);
    index
}
