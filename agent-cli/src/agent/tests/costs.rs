//! What thinking cost, as the server is told of it.

use super::*;

/// What the commands that leave now tell: their lines, with their notes.
fn told(scene: &mut Scene, ms: u64) -> Vec<(String, Value)> {
    scene.now_ms += ms;
    let mut told = Vec::new();
    for effect in scene.agent.next(scene.now_ms) {
        match effect {
            Effect::Send(ClientFrame::Command(command)) => told.push((command.line(), command.meta.expect("notes"))),
            Effect::Think { id, .. } => scene.asked.push(id),
            _ => {}
        }
    }
    told
}

/// Tokens read, of the decisions' own and of thoughts besides; calls besides, and those of them whose price is known.
fn sums(told: &[(String, Value)]) -> [u64; 4] {
    let sum = |place: &str| told.iter().filter_map(|(_, meta)| meta.pointer(place)?.as_u64()).sum();
    [sum("/tokens/prompt"), sum("/thoughts/tokens/prompt"), sum("/thoughts/calls"), sum("/thoughts/priced")]
}

#[test]
fn every_call_of_the_model_is_told_once_whatever_came_of_it() {
    let mut scene = Scene::thinking();
    let mut sent = Vec::new();
    let failed = |usage| Thought { answer: Err(ModelError::Unusable("No.".into())), usage, ..thought(&[], &[]) };
    // It fails, does nothing, and comes too late for a moment that is over.
    scene.answer(failed(Usage { prompt: 900, ..Usage::default() }));
    sent.extend(told(&mut scene, 60_000));
    scene.answer(Thought { cost_micros: None, ..thought(&[], &[]) });
    sent.extend(told(&mut scene, 60_000));
    scene.answer(thought(&[], &["kill goblin"]));
    sent.extend(told(&mut scene, 60_000));
    assert_eq!(sent, [], "nothing was done");
    // What is not asked at all is no call.
    scene.answer(failed(Usage::default()));
    sent.extend(told(&mut scene, 60_000));

    // A line of the next decision tells it all.
    scene.answer(thought(&["say well"], &["north"]));
    sent.extend(told(&mut scene, 100));
    sent.extend(told(&mut scene, 500));
    let lines: Vec<&str> = sent.iter().map(|(line, _)| line.as_str()).collect();
    assert_eq!(lines, ["say well", "north"]);
    assert_eq!(sums(&sent), [100, 1_100, 3, 2]);
    assert!(sent[1].1.get("tokens").is_none() && sent[1].1.get("thoughts").is_none(), "{sent:?}");

    // What the server drops is told again, and what is left at the end with the last command.
    scene.frame("error", json!({"code": "rate_limited", "message": "Too fast."}));
    scene.after(5_000);
    let parting = scene.agent.parting_notes();
    let told_before = sums(&sent);
    sent.push(("quit".into(), parting));
    let told_last = sums(&sent);
    assert_eq!(sent[2].1["source"], "harness");
    assert_eq!(told_last[1] - told_before[1], 0, "the line that was dropped told nothing");
    let counts = scene.agent.counts;
    assert_eq!(counts.tokens.prompt, told_last[0] + told_last[1], "as the session log has it");
}

#[test]
fn what_a_dropped_command_told_is_told_again() {
    let mut scene = Scene::thinking();
    scene.answer(Thought { cost_micros: None, ..thought(&[], &["north"]) });
    let sent = told(&mut scene, 100);
    assert_eq!((sums(&sent), sent[0].1.get("cost")), ([100, 0, 0, 0], None), "a price that is not known is not told");
    scene.frame("error", json!({"code": "rate_limited", "message": "Too fast."}));
    let meta = scene.agent.parting_notes();
    assert_eq!(sums(&[("quit".into(), meta)]), [0, 100, 1, 0]);
}

#[test]
fn the_server_is_told_what_answered_and_not_what_was_asked() {
    let mut scene = Scene::thinking();
    scene.answer(Thought { answered_by: Some("stub".into()), ..thought(&[], &["north"]) });
    let sent = told(&mut scene, 100);
    assert_eq!((&sent[0].1["model"], &sent[0].1["by"]), (&json!("stub"), &json!("m")));
}
