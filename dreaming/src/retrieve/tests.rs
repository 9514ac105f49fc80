//! Questions as people ask them, to a life of one day.

use super::{Index, Query, Recall, Scratch};
use crate::synthetic::{AGENT, Life, Shape};
use crate::{Config, Dreamer, Graph};
use std::sync::Arc;

fn asked(question: &str, ticks_later: u64) -> Recall {
    asked_of(60, question, ticks_later)
}

/// Of a life of so many records.
fn asked_of(records: usize, question: &str, ticks_later: u64) -> Recall {
    let config = Config::new(AGENT, i32::MAX / 8);
    let mut dreamer = Dreamer::new(Graph::new(&config.agent, config.terms.clone()));
    for record in Life::new(Shape { events_per_day: 60, ..Shape::default() }).take(records) {
        dreamer.feed(&record);
    }
    let tick = dreamer.graph.cursor.tick + ticks_later;
    let index = Index::new(Arc::new(dreamer.graph));
    index.recall(&Query { k: 3, ..Query::question(question, tick) }, &mut Scratch::default())
}

#[test]
fn people_ask_in_their_own_words() {
    let cases = [
        ("who is dangerous", "— dangerous"),
        ("my enemies", "Brenbren — hostile"),
        ("who hates me", "Brenbren — hostile"),
        ("Who should I beware of?", "— dangerous"),
        ("who are my friends", "— friend"),
        ("who is kind to me", "spoke kindly to me"),
        ("Is Vesbren a friend?", "Vesbren — dangerous"),
        ("do I like Brenbren", "Brenbren — hostile"),
        ("where is it safe", "is a good place"),
        ("good places", "is a good place"),
        ("the last fight", "mad boar"),
        ("my latest victory", "Killed a small toad"),
        ("who robbed me", "Was robbed of a wild axe by Vesbren"),
        ("what was stolen", "Was robbed of a wild axe by Vesbren"),
        ("who saved me", "rescued by Dorbren"),
        ("who insults me", "insulted by Brenbren"),
        ("where is my wild axe", "a wild axe is held now by Vesbren"),
        ("what happened today", "Jan 1, 2026"),
        ("today's murders", "Killed"),
    ];
    let wrong: Vec<_> = cases
        .iter()
        .filter_map(|(question, expected)| {
            let recall = asked(question, 0);
            let fits = recall.found[0].text.contains(expected) && !recall.abstains();
            let texts: Vec<String> =
                recall.found.iter().map(|found| format!("{} {}", found.coverage, found.text)).collect();
            (!fits).then_some((question, recall.unknown, texts))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_nobody_knows_is_not_made_up() {
    let strangers = asked("Did Alyssa's friends or Xanthippe rob me?", 0);
    assert_eq!(strangers.strangers, ["alyssa", "xanthippe"], "as they are written, not by their stems");
    for question in [
        "who killed me",
        "where did I die",
        "deaths",
        "what happened yesterday",
        "Who is Zorblax?",
        "the colour of the king's horse",
    ] {
        assert!(asked(question, 0).abstains(), "{question}");
    }
    let a_day = 43_200;
    assert!(!asked("what happened yesterday", a_day).abstains());
    assert!(asked("what happened today", a_day).abstains());
}

#[test]
fn who_asks_who_killed_them_does_not_ask_whom_they_killed() {
    for question in ["who killed me", "How did I die?", "my last death", "deaths", "the worst that happened"] {
        let recall = asked_of(1_000, question, 0);
        assert!(recall.found[0].text.contains("Died, killed by "), "{question}: {:#?}", recall.found);
        assert!(!recall.abstains(), "{question}");
    }
}

#[test]
fn what_was_worst_and_best_comes_by_what_was_felt() {
    for (question, sign) in [("the worst moment", -1.0), ("What was the best thing that happened?", 1.0)] {
        let recall = asked_of(1_000, question, 0);
        let felt: Vec<f64> = recall.found.iter().map(|found| found.valence * sign).collect();
        assert!(felt[0] == 3.0 || recall.found[0].text.contains("Died"), "{question}: {:#?}", recall.found);
        assert!(felt.iter().all(|valence| *valence >= 2.0) && !recall.abstains(), "{question}: {felt:?}");
    }
    let with_one = asked_of(1_000, "the best moment with Brenbren", 0);
    assert!(with_one.found.iter().all(|found| found.text.contains("Brenbren") && found.valence > 0.0), "{with_one:#?}");
    // A friend is no moment.
    assert!(asked("my best friend", 0).found[0].text.contains("— friend"));
}
