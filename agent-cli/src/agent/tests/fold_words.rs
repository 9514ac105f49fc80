//! Stories of folds in the words of a model: when it is asked, and where its words come up.

use super::*;
use crate::agent::FoldWords;
use crate::thought::{RefusedWords, Retelling, Retold};
use ::mind::story::Reworded;

/// An agent with a mind that has just thought.
fn thinking(fold_words: FoldWords) -> Scene {
    let off = POLICIES.iter().map(|policy| policy.name.to_string()).collect();
    let mut scene = Scene::new(AgentSettings { off, fold_words, ..AgentSettings::default() });
    scene.frame("mind", json!({"kind": "snapshot", "log_seq": 0, "state": {}}));
    scene.next();
    scene
}

/// It decides something, and then to fold its prompt; what it is asked next.
fn decides_and_folds(scene: &mut Scene, summary: &str) -> String {
    let seq = scene.agent.body.state.mind.seq + 1;
    let decided = json!({"seq": seq, "tick": 5, "at_ms": 5, "turn": seq,
        "event": {"kind": "decision.record", "summary": summary}});
    scene.frame("mind", json!({"kind": "event", "log_seq": seq, "event": decided}));
    // One prompt shows it, the next one no more: all that there is was moved into the block before.
    for n in 0..40 {
        scene
            .frame("event", json!({"type": "text", "text": format!("Wind {seq} {n} comes from the east, with rain.")}));
    }
    let mut folding = thought(&[], &[]);
    if let Ok(answer) = &mut folding.answer {
        answer.compact = true;
    }
    scene.answer(folding);
    for _ in 0..20 {
        scene.after(5_000);
        if !scene.asked.is_empty() {
            return scene.agent.prompt(scene.now_ms).text();
        }
    }
    panic!("it is asked again");
}

fn said(story: &Retelling, words: &str) -> Retold {
    let line = story.lines.first().expect("a line");
    let refused = vec![RefusedWords { of: line.text.clone(), words: "Ha.".into(), why: "it is no sentence".into() }];
    Retold {
        span: story.span,
        model: "m".into(),
        lines: vec![Reworded { of: line.text.clone(), words: words.into(), from: line.from.clone() }],
        refused,
        error: None,
        usage: Usage { prompt: 300, completion: 20, ..Usage::default() },
        cost_micros: Some(7),
    }
}

#[test]
fn who_wants_it_is_asked_behind_each_fold_and_tells_the_words_from_the_next_one_on() {
    let mut scene = thinking(FoldWords::Model);
    decides_and_folds(&mut scene, "Spare the ferryman");
    let first = loop {
        match scene.retellings.pop() {
            Some(story) => break story,
            None => drop(decides_and_folds(&mut scene, "Go on")),
        }
    };
    assert!(first.task.contains("you go on") && first.task.contains("\"lines\""), "{}", first.task);
    assert!(first.lines.iter().all(|line| !line.text.starts_with("Not told here")), "{:?}", first.lines);
    assert_eq!(first.lines[0].text, "Decided: Spare the ferryman");
    let used = scene.agent.counts.tokens_used();
    scene.agent.on_retold(said(&first, "You made up your mind to spare the ferryman."));
    let counts = scene.agent.counts.fold_words;
    assert_eq!((counts.asked, counts.failed, counts.lines, counts.refused), (1, 0, 1, 1));
    assert_eq!((scene.agent.counts.tokens_used() - used, counts.cost_micros), (320, 7));
    assert!(!scene.agent.prompt(scene.now_ms).text().contains("made up your mind"), "not before the next fold");
    let later = decides_and_folds(&mut scene, "Take the east road");
    assert!(later.contains("You made up your mind to spare the ferryman."), "{later}");

    // What comes for a fold that is no longer the last comes too late, and nothing waits for it.
    scene.agent.on_retold(said(&first, "You spared the ferryman."));
    assert_eq!(scene.agent.counts.fold_words.failed, 1);
    assert!(!scene.agent.prompt(scene.now_ms).text().contains("You spared the ferryman"));
}

#[test]
fn nobody_else_is_asked() {
    let mut scene = thinking(FoldWords::Off);
    for _ in 0..5 {
        decides_and_folds(&mut scene, "Go on");
    }
    assert!(scene.retellings.is_empty());
    assert_eq!(scene.agent.counts.fold_words, Default::default());
}
