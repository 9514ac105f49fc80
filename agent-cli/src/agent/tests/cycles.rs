//! A model that only asks is asked again, with the replies.

use super::*;

/// The replies come as the server sends them: a line, then that the command is done.
fn reply(scene: &mut Scene, id: u64, text: &str) {
    scene.frame("event", json!({"type": "text", "text": text}));
    scene.events(json!([{"type": "done", "id": id, "input": id, "tick": 1}]));
}

/// Answers the open question; what leaves at once, and whether the model is asked again as soon as the replies are
/// there. `first`: the number of the first line.
fn asks(scene: &mut Scene, lines: &[&str], first: u64) -> (Vec<String>, bool) {
    scene.now_ms += 100;
    scene.answer(thought(&[], lines));
    let sent = scene.next();
    assert!(scene.after(100).is_empty() && scene.asked.is_empty(), "not before the replies");
    for (id, line) in (first..).zip(&sent) {
        reply(scene, id, &format!("The answer to {line}."));
    }
    scene.after(50);
    (sent, !scene.asked.is_empty())
}

#[test]
fn who_only_asks_is_asked_again_at_once_up_to_the_most() {
    let mut scene = Scene::thinking();
    let mut lines = 0;
    for (n, question) in ["look", "recall a", "recall b", "recall c"].iter().enumerate() {
        let (sent, again) = asks(&mut scene, &[question], lines + 1);
        assert_eq!((&*sent[0], sent.len(), again), (*question, 1, true), "{n}");
        lines += 1;
        let text: String = scene.agent.prompt(scene.now_ms).parts.iter().map(|part| part.text.as_str()).collect();
        assert!(text.contains(&format!("The answer to {question}.")), "{text}");
    }
    assert_eq!(asks(&mut scene, &["recall d"], lines + 1), (vec!["recall d".into()], false), "five is the most");
    assert_eq!(scene.agent.counts.thoughts_chained, 4);
    // What came is news like any other: the next turn begins when it may.
    scene.after(5_000);
    assert_eq!(scene.asked.len(), 1);
    assert_eq!(scene.agent.counts.thoughts_chained, 4);
}

#[test]
fn talk_a_tick_or_the_same_question_again_ends_the_turn() {
    for line in ["say hello", "north"] {
        let mut scene = Scene::thinking();
        assert!(!asks(&mut scene, &["look", line], 1).1, "{line}");
    }
    let mut scene = Scene::thinking();
    assert!(asks(&mut scene, &["recall a"], 1).1);
    assert_eq!(asks(&mut scene, &["recall  A"], 2), (Vec::new(), false), "it was asked");
    assert_eq!(scene.agent.counts.doubted, 1);
    let mut scene = Scene::thinking();
    assert!(!asks(&mut scene, &["note it is dark"], 1).1, "nothing was asked");
}

#[test]
fn a_late_reply_is_waited_for_and_given_up_with_an_error() {
    let mut scene = Scene::thinking();
    scene.answer(thought(&[], &["recall all in:all"]));
    assert_eq!(scene.next(), ["recall all in:all"]);
    scene.after(29_000);
    assert_eq!(scene.agent.body.turns.pending().collect::<Vec<_>>(), ["recall"]);
    scene.asked.clear();
    scene.after(1_500);
    let last = scene.logged.last().expect("it ended");
    assert_eq!((last.action.as_str(), last.outcome.as_str()), ("recall all in:all", "error: no answer in 30 s"));
    assert_eq!(scene.agent.counts.model_failed, 1);
}

#[test]
fn what_the_client_knows_goes_before_a_status() {
    let mut scene = Scene::thinking();
    let state = serde_json::to_value(::mind::MindState::default()).expect("string keys");
    scene.frame("mind", json!({"kind": "snapshot", "log_seq": 0, "state": state}));
    scene.answer(thought(&[], &["status"]));
    let sent = scene.next();
    assert_eq!((sent.len(), &*sent[1]), (2, "status"), "{sent:?}");
    let part = sent[0].split_once('{').map(|(_, part)| format!("{{{part}")).expect("a part");
    let part = ::mind::client_part::ClientPart::parse(&part).expect("the server reads it");
    assert_eq!((part.iteration, part.max_iterations, part.tools), (1, 5, vec!["status".to_string()]));
}
