//! What is handed down: chosen of one graph, and taken up by another, marked with whose it was.
//!
//! Invariants: what is taken up is the same in each night and each rebuild, since it follows from what was handed down
//! (in the server's logs an entry, `legacy.receive`) and from the graph as it is otherwise; it does not fade. It stands
//! behind what the heir lived itself.

use crate::calendar;
use crate::config::Inherited;
use crate::graph::*;
use crate::{narrate, principles};
use std::sync::Arc;

/// Reflections and observations that are handed down at most; of principles all are.
pub const REFLECTIONS_MAX: usize = 64;
pub const OBSERVATIONS_MAX: usize = 32;

/// What a graph hands down: reflections, strongest first, principles, and the strongest observations.
pub fn to_hand_down(graph: &Graph) -> Vec<Inherited> {
    let own_generation = graph.generation();
    let (mut reflections, mut principles, mut observations) = (Vec::new(), Vec::new(), Vec::new());
    for (_, node) in graph.alive() {
        let item = match &node.body {
            Body::Reflection(body) if body.sort != Sort::Unknown => of_reflection(graph, body, own_generation),
            Body::Event(event) => of_event(graph, event, own_generation),
            _ => continue,
        };
        let list = match item.sort {
            Sort::Principle => &mut principles,
            Sort::Observation => &mut observations,
            _ => &mut reflections,
        };
        list.push((graph.salience(node), item));
    }
    let strongest = |mut list: Vec<(f64, Inherited)>, most: usize| {
        list.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| (&a.1.agent, &a.1.id).cmp(&(&b.1.agent, &b.1.id))));
        list.truncate(most);
        list.into_iter().map(|(_, item)| item)
    };
    let principles = strongest(principles, usize::MAX);
    let observations = strongest(observations, OBSERVATIONS_MAX);
    let all = strongest(reflections, REFLECTIONS_MAX).chain(principles).chain(observations);
    all.filter(|item| item.check().is_ok()).collect()
}

fn of_reflection(graph: &Graph, body: &ReflectionBody, own_generation: u32) -> Inherited {
    let handed = body.from_agent.is_some();
    let prefix = body.from_agent.as_deref().map(|agent| format!("inherited:{}:", agent.to_lowercase()));
    let id = prefix.and_then(|prefix| body.key.strip_prefix(prefix.as_str())).unwrap_or(&body.key);
    let lesson = body.lesson.as_deref().cloned().or_else(|| principles::own_lesson(graph, body));
    Inherited {
        agent: body.from_agent.as_deref().unwrap_or(graph.agent()).to_string(),
        id: id.to_string(),
        text: narrate::tame(&body.text, mind::legacy::TEXT_MAX),
        evidence: body.evidence.clone(),
        valence: body.valence,
        wisdom: body.wisdom,
        generation: if handed { body.generation } else { own_generation },
        sort: body.sort,
        received: None,
        about: lesson.as_ref().map(|lesson| lesson.about.to_string()).unwrap_or_default(),
        class: lesson.as_ref().map(|lesson| lesson.class.to_string()).unwrap_or_default(),
        verdict: lesson.map(|lesson| lesson.verdict),
    }
}

fn of_event(graph: &Graph, event: &EventBody, own_generation: u32) -> Inherited {
    let when = calendar::date(event.at_ms, graph.terms.utc_offset_minutes);
    let text = format!("{when}: {}", narrate::sentence(graph, event, 1));
    Inherited {
        agent: graph.agent().to_string(),
        id: format!("event:{}", event.seq),
        text: narrate::tame(&text, mind::legacy::TEXT_MAX),
        evidence: vec![event.seq],
        valence: f64::from(event.valence),
        generation: own_generation,
        sort: Sort::Observation,
        ..Inherited::default()
    }
}

/// Whether a graph has all of these, in the same words.
pub fn is_known(graph: &Graph, items: &[Inherited]) -> bool {
    items.iter().all(|item| graph.reflection_text(&key_of(item)) == Some(item.text.as_str()))
}

fn key_of(item: &Inherited) -> String {
    format!("inherited:{}:{}", item.agent.to_lowercase(), item.id)
}

/// Takes up what was handed down, in the place of what was taken up of it before, with one more hand in each; then
/// draws principles anew. What comes from the owner itself, is damaged or is there twice is left out. Returns how many
/// nodes were not there before.
pub fn receive(graph: &mut Graph, items: &[Inherited], night: i32) -> u64 {
    let mut new = 0;
    for item in items.iter().filter(|item| item.check().is_ok()) {
        if item.agent.eq_ignore_ascii_case(graph.agent()) {
            continue;
        }
        let key: Arc<str> = key_of(item).into();
        let lesson = item.verdict.filter(|_| !item.about.is_empty() && !item.class.is_empty()).map(|verdict| {
            let (about, class) = (item.about.as_str().into(), item.class.as_str().into());
            Box::new(Lesson { about, class, verdict })
        });
        let (tick, at_ms) = item.received.unwrap_or((graph.cursor.tick, graph.cursor.at_ms));
        let mut body = ReflectionBody {
            sort: item.sort,
            key: key.clone(),
            about: ME,
            text: item.text.as_str().into(),
            valence: item.valence,
            at_ms,
            tick,
            visits: 1,
            evidence: item.evidence.clone(),
            tally: Tally::default(),
            counted_from: at_ms,
            wisdom: item.wisdom.saturating_add(1),
            generation: item.generation,
            lesson,
            cites: Vec::new(),
            from_agent: Some(item.agent.as_str().into()),
        };
        match graph.reflection(&key) {
            // Of two ways that the same has come, the shorter one counts, whichever came first.
            Some(before) => {
                if let Body::Reflection(old) = &graph.net[before].body {
                    body.wisdom = body.wisdom.min(old.wisdom);
                }
                graph.bury(before);
            }
            None => new += 1,
        }
        let strength = (0.5 + body.valence.abs() / 10.0).clamp(0.1, 1.0);
        principles::put(graph, strength, 0, body);
    }
    principles::draw(graph, night);
    new
}
