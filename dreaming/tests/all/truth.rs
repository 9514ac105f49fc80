//! Every sentence of two hundred made-up lives is what the records say, and each kind of lie is found. Ten thousand:
//! `dp-agent eval true-sentences --full`.

use dreaming::calendar::day_of;
use dreaming::check::{Judge, Untrue};
use dreaming::narrate::{Sentence, Summary};
use dreaming::synthetic::AGENT;
use dreaming::{Config, Record, Terms, dream};
use memory_lab::counts::untrue::{Judged, judged_life};
use protocol::happening::{Happening, Help, Item, Place, Role, Tone, What};
use protocol::outcome::{DoorChange, Who, WhoKind};
use protocol::payload::Memory;

#[test]
fn no_made_up_life_is_told_with_an_untrue_sentence() {
    let mut all = Judged::default();
    (0..200).for_each(|number| all.add(judged_life(number)));
    assert!(all.sentences > 20_000, "{} sentences", all.sentences);
    // The first of each sort, as their words begin.
    let sort = |one: &Untrue| one.sentence.split(' ').skip(2).take(3).collect::<Vec<_>>().join(" ");
    let mut seen = std::collections::BTreeSet::new();
    let shown: Vec<&Untrue> = all.untrue.iter().filter(|one| seen.insert(sort(one))).take(12).collect();
    assert!(all.untrue.is_empty(), "{} untrue of {}: {shown:#?}", all.untrue.len(), all.sentences);
}

fn who(name: &str) -> Who {
    match name.split_once(' ') {
        Some((_, beast)) => {
            let id = format!("mob_{}_1", 3_000 + beast.len());
            Who { id: id.as_str().into(), name: name.into(), kind: WhoKind::Mob, level: 12 }
        }
        None => {
            let id = format!("player_{}", name.to_lowercase());
            Who { id: id.as_str().into(), name: name.into(), kind: WhoKind::Player, level: 12 }
        }
    }
}

/// A day with a little of all: rooms, people, a hunt, a gift, a betrayal, a bargain.
fn day() -> Vec<Record> {
    let me = || who(AGENT);
    let lamp = || Item { id: "obj_7_1".into(), name: "a lamp".into(), vnum: 7, level: 3 };
    let (square, cellar) = ((1, "The Square"), (2, "The Cellar"));
    let seen = || What::RoomSeen { who: me(), from: None };
    let killed = || What::Killed { victim: who("a rat"), killer: Some(me()), xp: 9 };
    let said = |tone| What::Spoke { speaker: who("Ann"), to: Some(me()), tone, text: "well met".into() };
    let mut all = vec![
        (square, Role::Did, seen()),
        (square, Role::Did, What::Met { who: me(), other: who("Ann") }),
        (square, Role::Did, What::Met { who: me(), other: who("Bob") }),
        (square, Role::Suffered, said(Tone::Kind)),
        (square, Role::Suffered, What::Given { giver: who("Ann"), receiver: me(), item: Some(lamp()), gold: 0 }),
        (cellar, Role::Did, seen()),
        (cellar, Role::Suffered, What::Wounded { who: me(), hp_percent: 12, by: Some(who("a rat")) }),
    ];
    all.extend((0..25).map(|_| (cellar, Role::Did, killed())));
    let door = What::Door { who: Some(me()), direction: "north".into(), state: DoorChange::Locked, leads_to: None };
    let how = Help::Healed;
    all.extend([
        (cellar, Role::Did, What::LevelGained { who: me(), level: 13 }),
        (square, Role::Did, What::Visited { who: me(), times: 5, from: None }),
        (square, Role::Suffered, What::Helped { helper: who("Ann"), helped: me(), how, hp_percent: Some(4) }),
        (square, Role::Did, What::Bought { who: me(), seller: who("a smith"), item: lamp(), price: 8 }),
        (square, Role::Did, What::ThrownAway { who: me(), item: lamp() }),
        (square, Role::Did, door),
        (square, Role::Suffered, What::Betrayed { by: who("Bob"), victim: me() }),
    ]);
    let record = |(n, ((vnum, name), role, what)): (usize, ((i32, &str), Role, What))| {
        let room = Place { vnum, name: name.into() };
        let happening =
            Happening { what, role, room, witnesses: Vec::new(), social_event_id: None, novel: false, valence: None };
        Record { seq: n as u64 + 1, tick: n as u64, at_ms: 1_768_230_900_000 + n as i64 * 2_000, happening }
    };
    all.into_iter().enumerate().map(record).collect()
}

fn dreamt(records: &[Record]) -> dreaming::Dream {
    dream(None, records, &Config::new(AGENT, day_of(records[0].at_ms, 0)))
}

/// The story with a piece of it put otherwise, in the text and in its sentence.
fn with(story: &Summary, from: &str, to: &str) -> Summary {
    assert!(story.text.contains(from), "{from:?} in\n{}", story.text);
    let lie = |text: &str| text.replacen(from, to, 1);
    let sentences = story
        .sentences
        .iter()
        .map(|sentence| Sentence { text: lie(&sentence.text), evidence: sentence.evidence.clone() });
    Summary { text: lie(&story.text), tokens: story.tokens, sentences: sentences.collect() }
}

#[test]
fn each_kind_of_lie_is_found() {
    let records = day();
    let dreamt = dreamt(&records);
    let judge = Judge::new(&records, &Terms::default());
    let story = dreaming::narrate::summary(&dreamt.graph, 5_000);
    assert_eq!(judge.story(&story), [], "{}", story.text);
    assert_eq!(judge.graph(&dreamt.graph), []);
    for (from, to) in [
        // A number, a name, a place, a deed, a feeling.
        ("killed a rat 25 times", "killed a rat 26 times"),
        ("killed a rat 25 times", "killed a cat 25 times"),
        ("At the Cellar", "At the Square"),
        ("was betrayed by Bob", "was rescued by Bob"),
        ("was betrayed by Bob", "was betrayed by Ann"),
        ("(a terrible moment)", "(a significant moment)"),
        ("brought down to 12 % of health", "brought down to 11 % of health"),
        ("reached level 13", "reached level 14"),
        // A line that nobody says.
        ("Met Ann and Bob", "Loved Ann and Bob"),
        ("Met Ann and Bob", "Met Ann, Bob and 2 others"),
        ("the Square and the Cellar for the first time", "the Square and the Attic for the first time"),
        // Times, insights, people.
        ("3:15 PM", "4:15 PM"),
        ("### Session 1", "### Session 2"),
        ("there I was badly hurt once and won 25 times", "there I was badly hurt twice and won 25 times"),
        ("a place of ups and downs", "a good place"),
        ("since Jan 12, 2026", "since Jan 11, 2026"),
        ("Ann — trusted ally", "Ann — friend"),
        ("a traitor on Jan 12", "a traitor on Jan 13"),
    ] {
        let untrue = judge.story(&with(&story, from, to));
        assert!(!untrue.is_empty(), "nobody found that {to:?} is no {from:?}");
        assert!(untrue.iter().all(|one| !one.why.is_empty()));
    }
    // Evidence that is not there, that is of something else, that is nowhere.
    for evidence in [vec![], vec![9_999], vec![2]] {
        let mut story = story.clone();
        let line = story.sentences.iter().position(|s| s.text.contains("killed a rat")).expect("the hunt");
        story.sentences[line].evidence = evidence;
        assert!(!judge.story(&story).is_empty());
    }
}

#[test]
fn a_lie_in_what_comes_to_mind_is_found() {
    let records = day();
    let judge = Judge::new(&records, &Terms::default());
    let memory = |id: &str, text: &str, evidence: &[u64]| Memory {
        id: id.into(),
        text: text.into(),
        evidence: evidence.to_vec(),
        ..Memory::default()
    };
    let bought = records.iter().find(|r| matches!(r.happening.what, What::Bought { .. })).expect("a bargain").seq;
    let door = records.iter().find(|r| matches!(r.happening.what, What::Door { .. })).expect("a door").seq;
    let visit = records.iter().find(|r| matches!(r.happening.what, What::Visited { .. })).expect("a visit").seq;
    for (id, evidence, truth, lies) in [
        (
            "fact:1.price",
            bought,
            "a lamp at a smith costs 8 coins, since Jan 12, 2026.",
            ["a lamp at a smith costs 9 coins, since Jan 12, 2026.", "a lamp at a smith cost 8 coins."],
        ),
        (
            "fact:1.door",
            door,
            "the door north of The Square is locked now, since Jan 12, 2026.",
            [
                "the door north of The Square is opened now, since Jan 12, 2026.",
                "the door south of The Square is locked now, since Jan 12, 2026.",
            ],
        ),
        (
            "room:1",
            visit,
            "The Square: visited at least 5 times, last there on Jan 12, 2026.",
            [
                "The Square: visited at least 6 times, last there on Jan 12, 2026.",
                "The Square: visited, last there on Jan 12, 2026.",
            ],
        ),
        (
            "event:1",
            bought,
            "Jan 12, 2026 (1 Coldwake 612): Bought a lamp from a smith for 8 coins at the Square.",
            [
                "Jan 13, 2026 (1 Coldwake 612): Bought a lamp from a smith for 8 coins at the Square.",
                "Jan 12, 2026 (1 Coldwake 612): Sold a lamp to a smith for 8 coins at the Square.",
            ],
        ),
        (
            "event:1",
            bought,
            "Jan 12, 2026 (1 Coldwake 612): Bought a lamp from a smith for 8 coins at the Square.",
            [
                "Jan 12, 2026 (2 Coldwake 612): Bought a lamp from a smith for 8 coins at the Square.",
                "Jan 12, 2026: Bought a lamp from a smith for 8 coins at the Square.",
            ],
        ),
    ] {
        assert_eq!(judge.memories(&[memory(id, truth, &[evidence])]), []);
        for lie in lies {
            assert_eq!(judge.memories(&[memory(id, lie, &[evidence])]).len(), 1, "{lie}");
        }
    }
}

#[test]
fn what_was_said_twice_is_told_once_with_how_often() {
    let mut records = day();
    let mut again = records[3].clone();
    again.seq = 0;
    records.insert(4, again);
    for (n, record) in records.iter_mut().enumerate() {
        record.seq = n as u64 + 1;
    }
    let dreamt = dreamt(&records);
    let story = dreaming::narrate::summary(&dreamt.graph, 5_000);
    assert_eq!(Judge::new(&records, &Terms::default()).story(&story), [], "{}", story.text);
    assert_eq!(story.text.matches("Ann spoke kindly").count(), 1, "{}", story.text);
    assert!(story.text.contains("Ann spoke kindly to me twice"), "{}", story.text);
}

#[test]
fn a_story_is_worth_reading() {
    let records = day();
    let story = dreamt(&records).summary;
    let own = story.text.split("\n### Insights").next().unwrap_or_default();
    let lines: Vec<&str> = own.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    // The best and the worst come first, and what happened in one room is one line.
    assert!(lines[0].starts_with("Worst: ") && lines[0].contains("betrayed by Bob"), "{}", story.text);
    assert!(lines[1].starts_with("Best: "), "{}", story.text);
    assert_eq!(lines.iter().filter(|line| line.contains("the Cellar")).count(), 2, "{}", story.text);
    // A place is named once in a line, and of a crowd nobody but a few.
    assert!(lines.iter().all(|line| line.matches("the Cellar").count() <= 1), "{}", story.text);
    let mut crowd = day();
    let met: Vec<Record> = (0..40)
        .map(|n| {
            let mut record = crowd[1].clone();
            record.seq = 100 + n;
            record.at_ms += 100_000 + n as i64;
            let other = who(&format!("Guest{}", char::from(b'a' + (n % 26) as u8)));
            record.happening.what = What::Met { who: who(AGENT), other };
            record
        })
        .collect();
    crowd.extend(met);
    let story = dreamt(&crowd).summary.text;
    let lines: Vec<&str> = story.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    let meetings: Vec<&&str> = lines.iter().filter(|line| line.starts_with("Met ")).collect();
    assert!(meetings.len() * 3 <= lines.len() && meetings[0].ends_with(" and 23 others."), "{story}");
    // Whom nothing else happened to is told whom it met all the same.
    let alone: Vec<Record> = day()[1..3].to_vec();
    assert!(dreamt(&alone).summary.text.contains("Met Ann and Bob."));
}
