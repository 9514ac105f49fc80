//! Every kind of happening in every role, as it is told and weighed: `golden/kinds.txt` is the page to read when one is
//! added or changed, and beside it the bytes of a long life. `UPDATE=1 cargo test -p dreaming kinds` renews it.

use dreaming::graph::{Body, Deed, content_hash};
use dreaming::retrieve::{Index, Query, Scratch};
use dreaming::synthetic::{AGENT, Life, Shape};
use dreaming::{Config, Dreamer, Graph, Record, Terms, dream, why};
use protocol::happening::{Happening, Help, Item, Place, Role, Tone, Went, What};
use protocol::minds::MindName;
use protocol::outcome::{BuiltDeed, DoorChange, Who, WhoKind};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

fn player(name: &str) -> Who {
    Who { id: format!("player_{}", name.to_lowercase()).into(), name: name.into(), kind: WhoKind::Player, level: 9 }
}

/// At least one of each kind, and of each way in which it can be told.
fn examples() -> Vec<What> {
    let (bob, eve, ann) = (|| player("Bob"), || player("Eve"), || player("Ann"));
    let rat = || Who { id: "mob_9_1".into(), name: "a rat".into(), kind: WhoKind::Mob, level: 3 };
    let lamp = || Item { id: "obj_1_2".into(), name: "a lamp".into(), vnum: 1, level: 50 };
    let built = |deed, owner, text: &str| {
        let item = Item { id: "".into(), name: "a house at 3,4".into(), vnum: 0, level: 0 };
        What::Built { who: bob(), deed, item, owner, text: text.into() }
    };
    let cellar = || Some(Place { vnum: 2, name: "The Cellar".into() });
    let mut all = vec![
        What::Killed { victim: rat(), killer: Some(bob()), xp: 40 },
        What::Killed { victim: eve(), killer: Some(bob()), xp: -9 },
        What::Killed { victim: eve(), killer: None, xp: 0 },
        What::Killed { victim: eve(), killer: Some(bob().unseen()), xp: 0 },
        What::Assisted { who: bob(), victim: rat(), killer: Some(ann()) },
        What::Assisted { who: bob(), victim: rat(), killer: Some(bob()) },
        What::Assisted { who: bob(), victim: rat(), killer: None },
        What::Fought { who: bob(), against: eve() },
        What::Fled { who: bob(), hp_percent: 20, from: Some(eve()) },
        What::Fled { who: bob(), hp_percent: 90, from: None },
        What::Wounded { who: eve(), hp_percent: 15, by: Some(bob()) },
        What::Wounded { who: eve(), hp_percent: 4, by: None },
        What::Wounded { who: eve(), hp_percent: 4, by: Some(bob().unseen()) },
        What::Acquired { who: bob(), item: lamp(), from: Some("the corpse of a rat".into()) },
        What::Acquired { who: bob(), item: Item::unseen(), from: None },
        What::Dropped { who: bob(), item: lamp() },
        What::UsedUp { who: bob(), item: lamp() },
        What::Given { giver: bob(), receiver: eve(), item: Some(lamp()), gold: 0 },
        What::Given { giver: bob(), receiver: eve(), item: None, gold: 1 },
        What::Given { giver: bob(), receiver: eve(), item: Some(lamp()), gold: 25 },
        What::Given { giver: bob(), receiver: eve(), item: None, gold: 0 },
        What::Stolen { thief: bob(), victim: eve(), item: None, gold: 7 },
        What::Stolen { thief: bob().unseen(), victim: eve(), item: Some(lamp()), gold: 0 },
        What::Bought { who: bob(), seller: eve(), item: lamp(), price: 12 },
        What::Sold { who: bob(), buyer: eve(), item: lamp(), price: 1 },
        What::Betrayed { by: bob(), victim: eve() },
        What::Parted { who: bob(), from: eve() },
        What::Met { who: bob(), other: eve() },
        What::RoomSeen { who: bob(), from: cellar() },
        What::RoomSeen { who: bob(), from: None },
        What::LevelGained { who: bob(), level: 6 },
        What::Visited { who: bob(), times: 1, from: None },
        What::Visited { who: bob(), times: 5, from: cellar() },
        What::ThrownAway { who: bob(), item: lamp() },
        What::Praised { by: bob(), whom: eve(), text: "Seven boats.".into() },
        What::Scorned { by: bob(), whom: eve(), text: "Seven boats.".into() },
        What::Caught { thief: bob(), victim: eve() },
        What::Charmed { by: bob(), whom: eve() },
        What::Arrested { by: bob(), whom: eve(), hours: 3 },
        What::Learned { who: bob(), art: "kick".into(), percent: 40 },
        What::Accomplished { who: bob(), task: "A Penny a Tail".into(), giver: Some(eve()) },
        What::Accomplished { who: bob(), task: "The Long Way Round".into(), giver: None },
        built(BuiltDeed::Added, None, "Anna's: homes belong together"),
        built(BuiltDeed::Moved, Some(eve()), ""),
        built(BuiltDeed::Removed, Some(eve()), "it was in the way"),
        built(BuiltDeed::Removed, None, ""),
        What::PlanEnded {
            who: bob(),
            plan: "a well".into(),
            done: true,
            steps: 4,
            ticked: 4,
            shared: true,
            company: Some(true),
        },
        What::PlanEnded {
            who: bob(),
            plan: "a road".into(),
            done: false,
            steps: 1,
            ticked: 0,
            shared: false,
            company: None,
        },
    ];
    for (went, valence) in [(Went::Well, 4), (Went::Ill, -1), (Went::Nowhere, 0)] {
        for (followed, about) in [
            (Some(MindName::Outer), Some(rat())),
            (Some(MindName::Inner), None),
            (Some(MindName::Body), Some(eve())),
            (None, None),
        ] {
            let line = if followed.is_some() { "kill rat" } else { "" };
            let (over, line) = ("command".into(), line.into());
            all.push(What::Differed { who: bob(), about, over, followed, line, ticks: 30, went, valence });
        }
    }
    for how in [Help::Healed, Help::Rescued, Help::Grouped, Help::Defended, Help::Cooperated] {
        for hp_percent in [Some(8), None] {
            all.push(What::Helped { helper: bob(), helped: eve(), how, hp_percent });
        }
    }
    for tone in [Tone::Neutral, Tone::Kind, Tone::Insult, Tone::Threat] {
        for (to, text) in [(Some(eve()), "run, \"you\" {doer} [fool"), (None, "run"), (None, " ")] {
            all.push(What::Spoke { speaker: bob(), to, tone, text: text.into() });
        }
    }
    for state in [DoorChange::Opened, DoorChange::Closed, DoorChange::Locked, DoorChange::Unlocked] {
        for (who, leads_to) in [(Some(bob()), cellar()), (None, None)] {
            all.push(What::Door { who, direction: "up".into(), state, leads_to });
        }
    }
    all
}

fn happening(role: Role, what: What) -> Happening {
    let room = Place { vnum: 1, name: "The Square".into() };
    Happening { what, role, room, witnesses: Vec::new(), social_event_id: None, novel: false, valence: None }
}

/// What the two sentences say, what it is worth, and the numbers that a graph keeps of it.
fn told(role: Role, what: What) -> String {
    let record = Record { seq: 5, tick: 40, at_ms: 1_768_230_900_000, happening: happening(role, what) };
    let mut dreamer = Dreamer::new(Graph::new("Me", Terms::default()));
    dreamer.feed(&record);
    let mut graph = dreamer.graph;
    graph.through = graph.cursor.day;
    let (deed, number) = graph
        .net
        .node_weights()
        .find_map(|node| match &node.body {
            Body::Event(event) => Some((event.deed, event.number)),
            _ => None,
        })
        .expect("one event");
    let worth = mind::appraisal::appraise(&record.happening);
    let row = mind::appraisal::row(&record.happening).name;
    let twice = graph.net.node_weights().find_map(|node| match &node.body {
        Body::Event(event) => Some(dreaming::narrate::sentence(&graph, event, 3)),
        _ => None,
    });
    let twice = twice.unwrap_or_default();
    format!(
        "{role:?} {deed:?} {number} · {row} {} {} {} {}\n  {}\n  {}\n  {twice}\n",
        worth.valence,
        worth.liking,
        worth.salience,
        worth.importance,
        mind::happenings::brief(&record.happening),
        why::tell("Me", &Terms::default(), &record),
    )
}

/// A life of so many records of every kind, through and through: document, story, and what is found in it.
fn life(seed: u64, count: usize) -> String {
    let shape = Shape { seed, events_per_day: 300, mobs: 30, players: 10, rooms: 50, items: 30, ..Shape::default() };
    let records: Vec<Record> = Life::new(shape).take(count).collect();
    let last = records.last().expect("a life").at_ms;
    let dreamt = dream(None, &records, &Config::new(AGENT, dreaming::calendar::day_of(last, 0)));
    let (tick, graph_hash) = (dreamt.graph.cursor.tick, content_hash(&dreamt.graph.to_json()));
    let index = Index::new(Arc::new(dreamt.graph));
    let mut found = String::new();
    for words in ["who killed me", "gift friend", "betrayed", "bought price", "door locked", "insulted", "level", ""] {
        let recall = index.recall(&Query::question(words, tick), &mut Scratch::default());
        for one in recall.found {
            let _ = writeln!(found, "{} {} {:.6}", one.id, one.text, one.score);
        }
    }
    let facts = (dreamt.report.facts, dreamt.report.facts_open, dreamt.report.reflections);
    format!(
        "life {seed} of {count}: graph {graph_hash} story {} found {} facts {facts:?}\n",
        dreamt.report.summary_hash,
        content_hash(found.as_bytes()),
    )
}

#[test]
fn each_kind_is_told_and_weighed_as_it_was() {
    let mut page = String::new();
    let mut deeds: BTreeSet<Deed> = BTreeSet::new();
    for what in examples() {
        deeds.insert(Deed::of(&what));
        for role in [Role::Did, Role::Suffered, Role::Saw] {
            page.push_str(&told(role, what.clone()));
        }
    }
    for (seed, count) in [(1, 3_000), (2, 9_000)] {
        page.push_str(&life(seed, count));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/kinds.txt");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &page).expect("the page can be written");
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = page.lines().zip(golden.lines()).position(|(now, before)| now != before);
    let at = differs.unwrap_or(page.lines().count().min(golden.lines().count()));
    let near = |text: &str| text.lines().skip(at.saturating_sub(2)).take(4).collect::<Vec<_>>().join("\n");
    assert!(page == golden, "line {}:\n{}\nwas\n{}", at + 1, near(&page), near(&golden));
}
