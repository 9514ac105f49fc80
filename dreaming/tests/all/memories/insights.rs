//! What is made of many records: insights with their evidence, handed down by strength.

use super::*;

#[test]
fn the_betrayed_and_the_saved_remember_whom() {
    let mut log = Log::from_day(20_465);
    let betrayed = log.push(Role::Suffered, What::Betrayed { by: player("Mallory"), victim: me() });
    let how = Help::Healed;
    let saved =
        log.push(Role::Suffered, What::Helped { helper: player("Eve"), helped: me(), how, hp_percent: Some(3) });
    log.push(Role::Did, What::Killed { victim: mob("a dragon", 66, 1), killer: Some(me()), xp: 900 });
    let dreamt = log.dream();
    let story = &dreamt.summary.text;
    assert!(story.contains("Mallory — dangerous, a traitor on Jan 12, 2026 (met on Jan 12, 2026)"), "{story}");
    assert!(story.contains("Eve — trusted ally, saved my life on Jan 12, 2026 (met on Jan 12, 2026)"), "{story}");
    assert!(story.contains("At the Square: was betrayed by Mallory (a terrible moment); was healed by Eve"), "{story}");
    assert!(!story.contains("a dragon —"), "a slain dragon is no acquaintance:\n{story}");
    assert_eq!(dreamt.graph.evidence_of("player:mallory"), Some(vec![betrayed]));
    assert_eq!(dreamt.graph.evidence_of("player:eve"), Some(vec![saved]));
    assert_eq!(dreamt.graph.evidence_of("player:nobody"), None);
    // Who only watched remembers it too, less strongly.
    let mut watched = Log::from_day(20_465);
    watched.push(Role::Saw, What::Betrayed { by: player("Mallory"), victim: player("Bob") });
    let story = watched.dream().summary.text;
    assert!(story.contains("Saw Mallory betray Bob at the Square (a difficult moment)."), "{story}");
    assert!(story.contains("Mallory — dangerous, a traitor on Jan 12, 2026"), "{story}");
}

#[test]
fn one_betrayal_outweighs_many_kind_words() {
    let mut log = Log::from_day(20_000);
    let kind = || What::Spoke { speaker: player("Bob"), to: Some(me()), tone: Tone::Kind, text: "hello friend".into() };
    for _ in 0..10 {
        log.push(Role::Suffered, kind());
    }
    let liking = |log: &Log| {
        let graph = log.dream().graph;
        graph.thing(graph.names.find("player:bob").expect("known")).expect("remembered").liking
    };
    assert!((liking(&log) - 1.0).abs() < 1e-9);
    log.push(Role::Suffered, What::Betrayed { by: player("Bob"), victim: me() });
    assert!(liking(&log) <= -1.0, "{}", liking(&log));
    assert_eq!(stands(&log, "player:bob"), "hostile");
}

/// What somebody is to the one who remembers, by the key.
fn stands(log: &Log, key: &str) -> &'static str {
    let graph = log.dream().graph;
    let name = graph.names.find(key).expect("known");
    narrate::standing(graph.thing(name).expect("remembered"), graph.names.is_player(name))
}

#[test]
fn words_alone_make_no_friend_and_no_danger() {
    let said = |tone| What::Spoke { speaker: player("Bob"), to: Some(me()), tone, text: "well".into() };
    let mut log = Log::from_day(20_000);
    log.push(Role::Suffered, said(Tone::Kind));
    assert_eq!(stands(&log, "player:bob"), "friendly", "one hello is no friendship");
    (0..5).for_each(|_| {
        log.push(Role::Suffered, said(Tone::Kind));
    });
    assert_eq!(stands(&log, "player:bob"), "friendly");
    log.push(
        Role::Suffered,
        What::Given { giver: player("Bob"), receiver: me(), item: Some(item("a lamp", 1)), gold: 0 },
    );
    assert_eq!(stands(&log, "player:bob"), "friend", "words and a gift are one");
    let mut log = Log::from_day(20_000);
    log.push(Role::Suffered, said(Tone::Insult));
    assert_eq!(stands(&log, "player:bob"), "hostile", "an insult is no danger");
}

#[test]
fn an_acquaintance_is_somebody_one_dealt_with() {
    let mut log = Log::from_day(20_000);
    for serial in 0..7 {
        log.push(Role::Did, What::Killed { victim: mob("a lean brown rat", 1, serial), killer: Some(me()), xp: 9 });
    }
    log.push(Role::Did, What::Met { who: me(), other: player("Ann") });
    log.push(Role::Did, What::Met { who: me(), other: player("Cid") });
    log.push(
        Role::Suffered,
        What::Spoke { speaker: player("Cid"), to: Some(me()), tone: Tone::Neutral, text: "so".into() },
    );
    let rat = log.dream().graph;
    let rat =
        (1..rat.names.len() as u32).find(|id| rat.names.name(*id).contains("rat")).map(|id| rat.names.key(id).clone());
    assert_eq!(stands(&log, &rat.expect("the rat")), "prey");
    assert_eq!((stands(&log, "player:ann"), stands(&log, "player:cid")), ("known by sight", "acquaintance"));
}

#[test]
fn ups_and_downs_need_both_and_counts_are_drawn_anew() {
    let place = |log: &Log| {
        let graph = log.dream().graph;
        let insights = graph.alive().filter_map(|(_, node)| match &node.body {
            Body::Reflection(body) if body.key.contains("room:") => Some(body.text.to_string()),
            _ => None,
        });
        insights.last().expect("an insight about the place")
    };
    let win = |serial| What::Killed { victim: mob("a goblin", 5, serial), killer: Some(me()), xp: 0 };
    let hurt = || What::Wounded { who: me(), hp_percent: 12, by: Some(mob("a goblin", 5, 1)) };
    // A place of one wound, and of much that is neither good nor bad.
    let mut log = Log::from_day(20_000);
    log.push(Role::Suffered, hurt());
    let said = || What::Spoke { speaker: player("Bob"), to: None, tone: Tone::Neutral, text: "so".into() };
    (0..200).for_each(|_| {
        log.push(Role::Suffered, said());
    });
    assert_eq!(place(&log), "The Square is a dangerous place: there I was badly hurt once.");
    // Two good things say nothing of a place yet.
    for (wins, told) in [(2, false), (3, true)] {
        let mut log = Log::from_day(20_000);
        for serial in 0..wins {
            log.push(Role::Did, win(serial));
        }
        (0..200).for_each(|_| {
            log.push(Role::Suffered, said());
        });
        let graph = log.dream().graph;
        assert_eq!(graph.reflection_text("reflection:room:3001").is_some(), told, "{wins} wins");
    }
    let mut log = Log::from_day(20_000);
    (0..22).for_each(|serial| {
        log.push(Role::Did, win(serial));
    });
    assert_eq!(place(&log), "The Square is a good place: there I won 22 times.");
    log.push(Role::Did, win(22));
    assert_eq!(place(&log), "The Square is a good place: there I won 23 times.", "long before the next reflection");
    log.push(Role::Suffered, hurt());
    assert_eq!(place(&log), "The Square is a place of ups and downs: there I was badly hurt once and won 23 times.");
}

#[test]
fn it_reflects_when_enough_has_happened() {
    let mut log = Log::from_day(20_000);
    // Each kill of an equal is worth 7: 21 are 147, and not more than 150.
    for serial in 0..21 {
        log.push(Role::Did, What::Killed { victim: mob("a goblin", 5, serial), killer: Some(me()), xp: 0 });
    }
    let reflections = |log: &Log| -> Vec<(String, Vec<u64>)> {
        let graph = log.dream().graph;
        let told = graph.alive().filter_map(|(_, node)| match &node.body {
            Body::Reflection(body) => Some((body.text.to_string(), body.evidence.clone())),
            _ => None,
        });
        told.collect()
    };
    assert_eq!(reflections(&log), vec![]);
    log.push(Role::Did, What::Killed { victim: mob("a goblin", 5, 99), killer: Some(me()), xp: 0 });
    let all: Vec<u64> = (1..=22).collect();
    assert_eq!(
        reflections(&log),
        vec![
            ("Fighting a goblin I won 22 times: a fight that I win.".into(), all.clone()),
            ("The Square is a good place: there I won 22 times.".into(), all),
        ]
    );
}

#[test]
fn evidence_is_bounded_and_keeps_the_first_and_the_newest() {
    let mut evidence = Evidence::new(5);
    for seq in 6..1_000 {
        evidence.add(seq);
        evidence.add(seq);
    }
    let seqs = evidence.seqs();
    assert_eq!((seqs[0], seqs[1], seqs[7], seqs.len(), evidence.count), (5, 993, 999, 8, 995));
}

#[test]
fn insights_are_handed_down_by_strength() {
    let (graph, _) = remembered(3_000, 2);
    let handed = legacy::to_hand_down(&graph);
    assert!(!handed.is_empty() && handed.iter().all(|one| one.wisdom == 0 && !one.evidence.is_empty()));
    let mut config = Config::new("Heir", 20_000);
    config.inherit = handed.clone();
    let mut log = Log::from_day(20_000);
    log.push(Role::Did, What::LevelGained { who: player("Heir"), level: 2 });
    let heir = dream(None, &log.records, &config).graph;
    let again = legacy::to_hand_down(&heir);
    // What was handed down goes on, with one more hand; of observations the strongest do.
    let passed: Vec<_> = again.iter().filter(|one| one.agent == AGENT).collect();
    assert!(passed.len() + 1 >= handed.len() && passed.len() <= handed.len());
    assert!(passed.iter().all(|one| one.wisdom == 1 && one.generation == 0 && one.agent == AGENT));
}

#[test]
fn an_empty_tally_says_nothing() {
    use dreaming::graph::NodeKind;
    let tally = dreaming::graph::Tally::default();
    assert_eq!(insight(&tally, "Bob", NodeKind::Entity, true), None);
    assert_eq!(insight(&tally, "Here", NodeKind::Room, false), None);
}
