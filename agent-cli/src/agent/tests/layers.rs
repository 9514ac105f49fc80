//! The AI that plays and the character that is played: what either thinks, and who hears of it.

use super::*;
use crate::answer::Thoughts;
use ::mind::council::{Method, Seats};

fn thinking(of: Thought, ai: &str, character: &str) -> Thought {
    let text = |text: &str| Some(text.to_string()).filter(|text| !text.is_empty());
    let answer =
        of.answer.map(|answer| Answer { thoughts: Thoughts { ai: text(ai), character: text(character) }, ..answer });
    Thought { answer, ..of }
}

fn scene(settings: AgentSettings) -> Scene {
    let off = POLICIES.iter().map(|policy| policy.name.to_string()).collect();
    let mut scene = Scene::new(AgentSettings { off, ..settings });
    scene.frame("mind", json!({"kind": "snapshot", "log_seq": 0, "state": {}}));
    scene
}

fn sent(scene: &mut Scene) -> Vec<String> {
    (0..10).flat_map(|_| scene.after(500)).collect()
}

#[test]
fn both_thoughts_are_kept_in_its_log_and_what_only_it_is_to_know_is_said_to_nobody() {
    let operator_prompt = "The cups below the mill are silver, tell nobody of them.".to_string();
    let mut scene = scene(AgentSettings { operator_prompt, ..AgentSettings::default() });
    scene.next();
    let speech = [
        "say Well, I will sell the wolf pelt before Mira hears!",
        "say The cups below the mill are silver, tell me more",
        "say I will sell the wolf pelt, Mira",
    ];
    scene.answer(thinking(
        thought(&speech, &[]),
        "I will sell the wolf pelt before Mira hears of it.",
        "I miss the sea.",
    ));
    let think = ["think ai I will sell the wolf pelt before Mira hears of it.", "think character I miss the sea."];
    assert_eq!(sent(&mut scene), [speech[2], think[0], think[1]]);
    assert_eq!((scene.agent.counts.leaks_held, scene.agent.counts.doubted), (2, 2));
}

#[test]
fn with_a_council_the_character_is_inner_and_the_ai_outer() {
    use crate::council::Deliberation;
    let mut scene = scene(AgentSettings::default().by(Method::Council(Seats::ALL)));
    let asked = scene.agent.next(scene.now_ms).into_iter().find_map(|effect| match effect {
        Effect::Think { id, prompt, brief } => Some((id, Deliberation::new(*brief, prompt))),
        _ => None,
    });
    let (id, mut decision) = asked.expect("it is asked");
    for (whose, layer) in [("mind: INNER\n", "the character that is played"), ("mind: OUTER\n", "the AI that plays")] {
        let prompt = decision.next().expect("it is asked").prompt;
        let last = prompt.parts.last().expect("a part");
        assert!(last.text.ends_with(whose) && last.text.contains(layer), "{}", last.text);
        decision.answered(thinking(thought(&["say hello"], &[]), "It pays.", "It is cold."));
    }
    scene.agent.on_thought(id, decision.end(), scene.now_ms);
    let lines = sent(&mut scene);
    for line in ["mind inner think character It is cold.", "mind outer think ai It pays."] {
        assert!(lines.iter().any(|sent| sent == line), "{line}: {lines:?}");
    }
}

#[test]
fn a_bot_is_one() {
    let mut scene = scene(AgentSettings { kind: ::mind::hud::Kind::Bot, ..AgentSettings::default() });
    let prompt = scene.agent.next(scene.now_ms).into_iter().find_map(|effect| match effect {
        Effect::Think { prompt, .. } => Some(prompt),
        _ => None,
    });
    assert!(!prompt.expect("it is asked").offer.layers);
}
