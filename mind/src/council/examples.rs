//! Scenes and proposals for tests.

use super::{Being, Member, Proposal, Scene};
use protocol::plot::{PlanSeen, PlotSeen};
use serde_json::json;

/// A wolf, another wolf and Bob.
pub fn scene() -> Scene {
    let being =
        |word: &str, id: &str, name: &str| (word.to_string(), Being { id: id.to_string(), name: name.to_string() });
    let targets = [
        being("wolf", "mob_1", "a grey wolf"),
        being("2.wolf", "mob_2", "a lean wolf"),
        being("bob", "player_bob", "Bob"),
    ];
    Scene { me: "Ann".into(), targets: targets.into(), hp_percent: 100, ..Scene::default() }
}

/// What is said and noted is free, all else spends the tick; empty: nothing.
pub fn proposal(member: Member, line: &str) -> Proposal {
    let free = ["say ", "note "].iter().any(|verb| line.starts_with(verb));
    let (tick, said) = match line {
        "" => (None, Vec::new()),
        line if free => (None, vec![line.to_string()]),
        line => (Some(line.to_string()), Vec::new()),
    };
    Proposal { member, tick, free: said, why: String::new() }
}

/// Id, cell and kind of what stands; all axes are even.
pub fn plot(elements: &[(u32, [u8; 2], &str)]) -> PlotSeen {
    let element = |(id, at, kind): &(u32, [u8; 2], &str)| {
        json!({"id": id, "at": at, "kind": kind, "type": "BUILDING", "icon": "", "label": "", "by": "Ann", "tick": 1,
            "why": ""})
    };
    let even = [5, 5];
    serde_json::from_value(json!({
        "room": 1, "title": "The Green", "revision": 1, "rule": "free",
        "elements": elements.iter().map(element).collect::<Vec<_>>(),
        "axes": {"identity": even, "experience": even, "language": even, "domain": even, "purpose": even, "order": even,
            "imbalance": 0},
        "plans": [], "pending": [], "contested": [], "task": {"name": "village", "score": 100}, "memo": [],
    }))
    .expect("a plot")
}

/// An open plan of Ann's: whom each step is meant for, its words, and whether it is done.
pub fn plan(steps: &[(&str, &str, bool)]) -> PlanSeen {
    let step = |(n, (meant, text, done)): (usize, &(&str, &str, bool))| {
        let meant = Some(*meant).filter(|meant| !meant.is_empty());
        json!({"n": n + 1, "for": meant, "text": text, "done": done})
    };
    let steps: Vec<_> = steps.iter().enumerate().map(step).collect();
    serde_json::from_value(json!({"id": 1, "by": "Ann", "text": "A plan", "status": "IN_PROGRESS", "steps": steps}))
        .expect("a plan")
}
