//! The plot of a room, in prompts.

use crate::sessions::{Chance, wild};
use mind::hud::detail::{LEVELS, first_level};
use mind::hud::{Format, plot};
use mind::pressure::Density;
use mind::render::render;
use mind::tokens;
use protocol::plot::PlotSeen;
use serde_json::json;

/// The most tokens of a plot. Source: issue "Several minds in one body", *Seen by all*.
const MOST: [(Density, usize); 3] = [(Density::Full, 400), (Density::Compact, 160), (Density::Minimal, 40)];

fn shown(seen: &PlotSeen, format: Format, density: Density) -> String {
    render(&[plot::node(seen, &LEVELS[first_level(density)])], format)
}

#[test]
fn a_plot_takes_no_more_of_a_prompt_than_it_may() {
    for seed in 0..300 {
        let seen = wild::plot(&mut Chance(seed));
        for (density, most) in MOST {
            // What JSON adds, it adds to everything.
            for format in [Format::Markdown, Format::Toon] {
                let text = shown(&seen, format, density);
                let used = tokens::count(&text);
                assert!(used <= most, "{used} of {most} tokens as {format:?}, {density:?}:\n{text}");
            }
        }
    }
}

pub fn green() -> PlotSeen {
    let element = |id, at: [u8; 2], kind: &str, by: Option<&str>| {
        json!({"id": id, "at": at, "kind": kind, "type": "BUILDING", "icon": "", "label": "", "by": by, "tick": 1,
            "why": ""})
    };
    let even = [5, 5];
    let axes = json!({"identity": even, "experience": even, "language": [7, 3], "domain": even, "purpose": [4, 6],
        "order": even, "imbalance": 4});
    let steps = json!([{"n": 1, "for": null, "text": "add well 4,4", "done": true},
        {"n": 2, "for": "Bob", "text": "add tree 1,1", "done": false}]);
    let elements = [
        element(1, [3, 4], "house", Some("Ann")),
        element(2, [4, 4], "well", Some("Bob")),
        element(3, [3, 5], "house", Some("Ann")),
        element(4, [0, 0], "stone", None),
    ];
    serde_json::from_value(json!({
        "room": 8011, "title": "The Green", "revision": 4, "rule": "consent", "elements": elements, "axes": axes,
        "plans": [{"id": 1, "by": "Ann", "text": "Done with", "status": "DONE", "steps": []},
            {"id": 2, "by": "Ann", "text": "A village", "status": "IN_PROGRESS", "steps": steps}],
        "pending": [{"id": 7, "by": "Bob", "do": "remove 3,4", "at": [3, 4], "until_tick": 900}],
        "contested": [[4, 4]], "task": {"name": "village", "score": 430},
        "memo": [{"n": 1, "tick": 1, "from": "Ann", "to": "all", "type": "INFO", "content": "First", "revision": 1},
            {"n": 2, "tick": 2, "from": "Bob", "to": "all", "type": "REQUEST", "content": "Say \"yes\"\nto #7",
                "revision": 4}],
    }))
    .expect("a plot")
}

#[test]
fn a_plot_is_told_by_kind_and_hand_with_what_goes_on() {
    let text = shown(&green(), Format::Toon, Density::Full);
    let verbs = text.lines().find(|line| line.trim_start().starts_with("verbs:")).expect("how one builds");
    assert!(verbs.contains("build add <kind> <row>,<column>") && verbs.contains("plot kinds"), "{verbs}");
    let rest: Vec<&str> = text.lines().filter(|line| *line != verbs).collect();
    let wanted = r#"plot:
  title: The Green
  rule: consent
  task: "village, 430 of 1000"
  axes: "imbalance 4 (language 7:3)"
  contested: "4,4"
  built[3]{kind,by,at}:
    house,Ann,"3,4 3,5"
    well,Bob,"4,4"
    stone,null,"0,0"
  plans[1]{id,by,text,next}:
    2,Ann,A village,"Bob: add tree 1,1"
  waiting[1]{id,by,do}:
    7,Bob,"remove 3,4"
  memo[2]{from,type,text}:
    Bob,REQUEST,"Say \"yes\" to #7"
    Ann,INFO,First"#;
    assert_eq!(rest.join("\n").trim_end(), wanted);
    assert_eq!(shown(&green(), Format::Toon, Density::Minimal).trim_end(), "plot: \"The Green: 4 built, 1 waiting\"");
    let compact = shown(&green(), Format::Markdown, Density::Compact);
    for part in ["build add <kind>", "stone,null", "remove 3,4", "Bob,REQUEST"] {
        assert!(compact.contains(part), "{part}:\n{compact}");
    }
}
