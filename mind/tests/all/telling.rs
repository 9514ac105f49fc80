//! What small and medium prompts tell once: the newest block is right at every decision, and nothing is told that is
//! known.

use crate::sessions::cost::settings;
use crate::sessions::{Session, hero};
use mind::MindState;
use mind::budget::Tier;
use mind::hud::{Format, ItemView, LiveView, MemoryView, RecentAction, RoomView, VarsView, WornView};
use mind::prompt::{Block, Done, PartName, Prompt, PromptBuilder, Settings};
use serde_json::Value;
use std::collections::BTreeMap;

fn builder(tier: Tier, format: Format) -> PromptBuilder {
    PromptBuilder::new(Settings { tier, format, ..Settings::default() })
}

fn item(target: &str, name: &str) -> ItemView {
    ItemView { target: target.into(), name: name.into() }
}

fn memory(id: &str, text: &str, age_hours: f64) -> MemoryView {
    MemoryView { id: id.into(), text: text.into(), age_hours, valence: -2 }
}

fn part(prompt: &Prompt, name: PartName) -> String {
    prompt.parts.iter().filter(|part| part.name == name).map(|part| part.text.as_str()).collect()
}

/// The blocks of P3 in JSON.
fn blocks(prompt: &Prompt) -> Vec<Value> {
    let p3 = part(prompt, PartName::P3);
    serde_json::Deserializer::from_str(&p3).into_iter().map(|block| block.expect("JSON")).collect()
}

#[test]
fn what_changes_seldom_is_told_when_it_changes_and_not_again() {
    let mut builder = builder(Tier::Small, Format::Markdown);
    let mut live = LiveView {
        tick: 7,
        inventory: vec![item("torch", "a pitch torch"), item("torch", "a pitch torch")],
        equipment: vec![WornView { place: "wield".into(), name: "a short sword".into() }],
        memories: vec![memory("event:8", "A rat bit you.", 2.0)],
        ..LiveView::default()
    };
    let mut told = |live: &LiveView| {
        let prompt = builder.build(live, &[], &MindState::default());
        let p4 = part(&prompt, PartName::P4);
        let again = ["inventory", "equipment", "memories"].iter().any(|key| p4.contains(key));
        assert!(!again, "it stands in P3: {p4}");
        (part(&prompt, PartName::P3), prompt.memories)
    };
    let first = "7 now:\ninventory[1]{target,count,name}:\n  torch,2,a pitch torch\nequipment[1]{place,name}:\n  \
        wield,a short sword\nmemories[1]{id,ago,valence,text}:\n  \"event:8\",2 h,-2,A rat bit you.\n";
    assert_eq!(told(&live), (first.to_string(), 1));
    // Later, older, in another order: all of it is known.
    live.tick = 9;
    live.memories[0].age_hours = 3.0;
    live.inventory.reverse();
    assert_eq!(told(&live), (first.to_string(), 1));
    // One thing is gone, and another memory is added: of these alone it tells, of what is left all.
    live.inventory.pop();
    live.memories.insert(0, memory("event:9", "Rats are poor.", 1.0));
    let second = "9 now:\ninventory[1]{target,name}:\n  torch,a pitch torch\nmemories[1]{id,ago,valence,text}:\n  \
        \"event:9\",1 h,-2,Rats are poor.\n";
    assert_eq!(told(&live), (format!("{first}{second}"), 2));
    live.tick = 12;
    live.inventory.clear();
    assert_eq!(told(&live), (format!("{first}{second}12 now:\ninventory: nothing\n"), 2));
    live.memories.clear();
    assert_eq!(told(&live), (format!("{first}{second}12 now:\ninventory: nothing\n"), 0));
}

#[test]
fn a_place_is_told_where_one_comes_to_it_and_again_when_its_map_changes() {
    let mut builder = builder(Tier::Medium, Format::Markdown);
    let around = |way: &str, room: &str| RoomView { way: way.into(), room: room.into(), what: String::new() };
    let at = |vnum: i32, room: &str, map: Vec<RoomView>| LiveView {
        tick: u64::try_from(vnum).expect("positive"),
        vars: VarsView {
            room_vnum: Some(vnum),
            room: Some(room.into()),
            description: Some(format!("This is {room}.")),
            ..VarsView::default()
        },
        map,
        ..LiveView::default()
    };
    let mut told = |live: &LiveView| {
        let prompt = builder.build(live, &[], &MindState::default());
        let p4 = part(&prompt, PartName::P4);
        assert!(!p4.contains("map[") && !p4.contains("description") && p4.contains("room: "), "{p4}");
        part(&prompt, PartName::P3)
    };
    let yard = at(7, "the yard", vec![around("north", "the lane")]);
    let lane = at(8, "the lane", vec![around("south", "the yard")]);
    let first = "7 now:\nplace: the yard (7)\ndescription: This is the yard.\nmap[1]{way,room}:\n  \
        north,the lane\n";
    let second = "8 now:\nplace: the lane (8)\ndescription: This is the lane.\nmap[1]{way,room}:\n  \
        south,the yard\n";
    assert_eq!(told(&yard), first);
    assert_eq!(told(&lane), format!("{first}{second}"));
    assert_eq!(told(&yard), format!("{first}{second}"), "back in a place that was told, nothing is new");
    let mut seen = yard.clone();
    seen.map.push(around("up", "the loft"));
    let third = "7 now:\nplace: the yard (7)\nmap[2]{way,room}:\n  north,the lane\n  up,the loft\n";
    assert_eq!(told(&seen), format!("{first}{second}{third}"), "what it looks like is known");
    assert_eq!(told(&yard), format!("{first}{second}{third}{}", first.replace("description: This is the yard.\n", "")));
}

#[test]
fn a_larger_prompt_shows_all_of_the_present_in_its_last_part() {
    let live = LiveView {
        inventory: vec![item("torch", "a pitch torch")],
        memories: vec![memory("event:8", "A rat bit you.", 2.0)],
        ..LiveView::default()
    };
    for tier in [Tier::Large, Tier::Unlimited] {
        let mut builder = builder(tier, Format::Markdown);
        for _ in 0..2 {
            let prompt = builder.build(&live, &[], &MindState::default());
            let p4 = part(&prompt, PartName::P4);
            assert!(p4.contains("a pitch torch") && p4.contains("A rat bit you."), "{p4}");
            assert_eq!((part(&prompt, PartName::P3), prompt.memories), (String::new(), 1));
        }
    }
}

#[test]
fn actions_that_a_block_shows_are_not_shown_again() {
    let mut builder = builder(Tier::Small, Format::Markdown);
    let mut recent = vec![RecentAction { tick: 3, action: "look".into(), ..RecentAction::default() }];
    let live = LiveView { tick: 9, ..LiveView::default() };
    for (tick, action) in [(4, "north"), (5, "kill rat")] {
        let (source, action, outcome) = ("policy".to_string(), action.to_string(), "ok".to_string());
        recent.push(RecentAction { tick, source: source.clone(), action: action.clone(), outcome: outcome.clone() });
        let did = vec![Done { source, action, outcome }];
        builder.append(Block { tick, did, ..Block::default() });
    }
    let prompt = builder.build(&live, &recent, &MindState::default());
    let p4 = part(&prompt, PartName::P4);
    assert!(p4.contains("recent_actions[1]{ago,action}:\n  6,look\n"), "only what no block tells: {p4}");
    // What came after the last block is shown, and no more of what was told before.
    recent.push(RecentAction { tick: 9, action: "flee".into(), ..RecentAction::default() });
    let prompt = builder.build(&live, &recent, &MindState::default());
    assert!(part(&prompt, PartName::P4).contains("recent_actions[2]{ago,action}:\n  6,look\n  0,flee\n"));
}

/// Sessions with folds in between, in the format that needs most room: long lists end in a count.
#[test]
fn at_every_decision_the_newest_block_tells_what_is_carried() {
    const RECENT: u32 = 10;
    let (mut folds, mut whole) = (0, 0);
    for seed in 1..=3 {
        let mut session = Session::new(seed);
        let mut builder = PromptBuilder::new(settings(Tier::Small, Format::Json));
        builder.set_self(hero());
        let mut since_fold = RECENT;
        for _ in 0..400 {
            let step = session.step();
            builder.append(step.block);
            let prompt = builder.build(&step.live, &step.recent, &step.state);
            let mut carried: BTreeMap<&str, u64> = BTreeMap::new();
            step.live.inventory.iter().for_each(|item| *carried.entry(&item.name).or_default() += 1);
            let (shown, more) = newest_carried(&prompt);
            for (name, count) in &shown {
                assert_eq!(carried.get(name.as_str()), Some(count), "{name}, seed {seed}, tick {}", step.live.tick);
            }
            assert_eq!(shown.len() as u64 + more, carried.len() as u64, "seed {seed}, tick {}", step.live.tick);
            let p4 = part(&prompt, PartName::P4);
            since_fold = if prompt.compacted { 0 } else { since_fold + 1 };
            // An action whose block a fold has dropped is told beside the rest until it is old.
            assert!(!p4.contains("inventory"), "{p4}");
            assert!(since_fold < RECENT || !p4.contains("recent_actions"), "{since_fold} decisions later: {p4}");
            assert!(prompt.tokens <= prompt.budget);
            folds += u32::from(prompt.compacted);
            whole += u32::from(more == 0 && !shown.is_empty());
        }
    }
    assert!(folds > 10, "{folds} folds: what they take is to be told again");
    assert!(whole > 100, "{whole} lists in full");
}

/// Names with their counts, and how many others, of the newest block that tells of them.
fn newest_carried(prompt: &Prompt) -> (BTreeMap<String, u64>, u64) {
    let Some(block) = blocks(prompt).into_iter().rev().find(|block| block.get("inventory").is_some()) else {
        return Default::default();
    };
    let rows = block["inventory"].as_array().into_iter().flatten();
    let row = |row: &Value| (row["name"].as_str().expect("a name").to_string(), row["count"].as_u64().unwrap_or(1));
    (rows.map(row).collect(), block["inventory_more"].as_u64().unwrap_or(0))
}
