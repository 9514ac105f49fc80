//! Several minds in the body: what they are told it looks at, and what stands in the log.

use super::*;
use crate::council::Deliberation;
use crate::record::Row;
use ::mind::council::{Conflict, KEPT_FREE, Method, Seats};

#[test]
fn a_council_knows_who_is_here_and_its_row_stands_with_the_first_line_alone() {
    let off = POLICIES.iter().map(|policy| policy.name.to_string()).collect();
    let settings = AgentSettings { off, ..AgentSettings::default() }.by(Method::Council(Seats::ALL));
    assert_eq!(settings.prompt.kept_free, KEPT_FREE);
    let mut scene = Scene::new(settings);
    scene.vars(json!({"ROOM_MOBS": [mob("wolf", 7, false)]}));
    let asked = scene.agent.next(scene.now_ms).into_iter().find_map(|effect| match effect {
        Effect::Think { id, prompt, brief } => Some((id, Deliberation::new(*brief.clone(), prompt), brief)),
        _ => None,
    });
    let (id, mut decision, brief) = asked.expect("it is asked");
    assert_eq!(brief.scene.targets.get("wolf").map(|being| being.id.as_str()), Some("mob_7_1"));
    assert_eq!((brief.scene.me.as_str(), brief.scene.hp_percent, brief.scene.attacked), ("Me", 100, false));
    for lines in [&["say hello", "kill wolf"][..], &["north"]] {
        assert!(decision.next().is_some());
        decision.answered(thought(&[], lines));
    }
    assert!(decision.next().is_some(), "they differ");
    decision.answered(thought(&[], &[]));
    let outcome = decision.end();
    assert_eq!(outcome.usage.prompt, 300);
    scene.agent.on_thought(id, outcome, scene.now_ms);
    let (mut rows, mut lines) = (Vec::new(), Vec::new());
    let mut take = |effects: Vec<Effect>, rows: &mut Vec<Row>| {
        for effect in effects {
            match effect {
                Effect::Log(row) => rows.push(*row),
                Effect::Send(ClientFrame::Command(command)) => lines.push(command.line()),
                _ => {}
            }
        }
    };
    let now_ms = scene.now_ms;
    take(scene.agent.next(now_ms), &mut rows);
    take(scene.agent.finish(now_ms), &mut rows);
    assert_eq!(lines, ["say hello", "kill wolf"], "nobody chose, and INNER is the last rule");
    let decided: Vec<_> =
        rows.iter().filter_map(|row| if let Row::Decision(row) = row { row.council.clone() } else { None }).collect();
    assert_eq!(decided.len(), 1);
    assert_eq!(
        (decided[0].conflict, decided[0].rule.as_deref(), decided[0].calls),
        (Some(Conflict::Command), Some("inner"), 3)
    );
    let turns: Vec<bool> = rows
        .iter()
        .filter_map(|row| if let Row::Turn(turn) = row { Some(turn.council.is_some()) } else { None })
        .collect();
    assert_eq!(turns, [true, false], "how it came about is told once");
    assert_eq!(decided[0].gave_way(), Some(vec![::mind::council::Member::Outer]));
}

#[test]
fn one_mind_alone_is_told_of_nothing_and_its_rows_are_as_ever() {
    let mut scene = Scene::thinking();
    scene.answer(thought(&[], &["north"]));
    scene.next();
    scene.after(60_000);
    assert!(scene.logged.iter().all(|turn| turn.council.is_none() && turn.votes.is_none()));
    let row = serde_json::to_value(&scene.logged[0]).expect("a row");
    assert!(row.get("council").is_none() && row.get("votes").is_none(), "{row}");
}

#[test]
fn a_server_that_keeps_a_mind_is_told_what_the_council_said_and_one_that_refuses_no_more() {
    let off = POLICIES.iter().map(|policy| policy.name.to_string()).collect();
    let settings = AgentSettings { off, ..AgentSettings::default() }.by(Method::Council(Seats::ALL));
    let mut scene = Scene::new(settings);
    scene.frame("mind", json!({"kind": "snapshot", "log_seq": 0, "state": {}}));
    // Another mind's log is none of the body's.
    scene.frame("mind", json!({"kind": "snapshot", "log_seq": 7, "mind": "inner", "state": {"seq": 7}}));
    assert_eq!(scene.agent.body.state.mind.seq, 0);
    // What is sent for one decision; `refused`: the server refuses what it is told, at once.
    let decide = |scene: &mut Scene, refused: bool| -> Vec<String> {
        let asked = scene.agent.next(scene.now_ms).into_iter().find_map(|effect| match effect {
            Effect::Think { id, prompt, brief } => Some((id, Deliberation::new(*brief, prompt))),
            _ => None,
        });
        let (id, mut decision) = asked.expect("it is asked");
        for lines in [&["say hello"][..], &["say hello"]] {
            decision.answered(thought(&[], lines));
        }
        scene.agent.on_thought(id, decision.end(), scene.now_ms);
        let mut sent = Vec::new();
        for _ in 0..8 {
            scene.now_ms += 500;
            for effect in scene.agent.next(scene.now_ms) {
                let Effect::Send(ClientFrame::Command(command)) = effect else { continue };
                let line = command.line();
                if refused && line.starts_with("batch") {
                    scene.events(json!([{"type": "refused", "command": "batch", "reason": "No."}]));
                }
                sent.push(line);
            }
        }
        sent
    };
    let told = r#"batch ["mind inner propose say hello","mind outer propose say hello","choose inner agreed"]"#;
    assert_eq!(decide(&mut scene, false), ["say hello", told]);
    let answer = "INNER proposes as #2.\nOUTER proposes as #3.\nBODY chooses #2 of INNER: say hello";
    scene.frame("event", json!({"type": "text", "text": answer}));
    assert!(scene.agent.body.state.lines.iter().all(|line| !line.text.starts_with("INNER")), "its own words");
    scene.now_ms += 30_000;
    assert_eq!(decide(&mut scene, true), ["say hello", told], "each decision is told");
    scene.now_ms += 30_000;
    assert_eq!(decide(&mut scene, false), ["say hello"], "it is told no more");
}
