//! The table of policies, and single policies in small scenes.

use super::*;
use crate::knowledge::Death;
use crate::objects::Use;
use crate::state::Line;
use protocol::payload::{EquippedItem, InventoryItem, Ordered};

mod arts;
mod company;
mod errands;
mod fighting;
mod lying;
mod trade_and_company;
mod upkeep;
mod walking;

struct Scene {
    state: GameState,
    known: Knowledge,
    now_ms: u64,
    alone: bool,
    nature: Nature,
}

fn item(name: &str, vnum: i32) -> InventoryItem {
    InventoryItem { name: name.into(), vnum, instance_id: format!("obj_{vnum}_1").into(), target_string: "".into() }
}

fn mob(target: &str, vnum: i32) -> RoomMob {
    RoomMob {
        name: format!("a {target}").into(),
        instance_id: format!("mob_{vnum}_1").into(),
        target_string: target.into(),
        vnum,
        fighting: false,
        fighting_me: false,
        attackable: true,
        more: 0,
    }
}

impl Scene {
    fn new() -> Scene {
        let state = GameState {
            health: Some(30),
            max_health: Some(30),
            moves: Some(80),
            max_moves: Some(80),
            level: Some(3),
            gold: Some(0),
            position: Some("standing".into()),
            room_vnum: Some(1),
            room_name: Some("Here".into()),
            room_exits: Some(vec!["north".into(), "south".into()]),
            room_mobs: Some(Vec::new()),
            room_items: Some(Vec::new()),
            fighting: Some(false),
            inventory: Some(Vec::new()),
            equipment: Some(Ordered(Vec::new())),
            tells_fighting_me: true,
            ..GameState::default()
        };
        let mut known = Knowledge::default();
        known.observe(&state, 1_000);
        Scene { state, known, now_ms: 1_000, alone: true, nature: Nature::default() }
    }

    fn seen(&self) -> Perception<'_> {
        Perception {
            state: &self.state,
            known: &self.known,
            now_ms: self.now_ms,
            alone: self.alone,
            settled: false,
            nature: self.nature,
            chance: 0,
            memo: Rc::default(),
        }
    }

    fn run(&self, name: &str) -> Proposal {
        let policy = named(name).unwrap_or_else(|| panic!("no policy is called {name}"));
        (policy.run)(&self.seen())
    }

    /// A step that went through, into an empty room.
    fn step(&mut self, to: i32, direction: &str, now_ms: u64) {
        self.known.sent(&self.state, direction, self.now_ms);
        self.state.room_vnum = Some(to);
        self.state.room_mobs = Some(Vec::new());
        self.now_ms = now_ms;
        self.known.observe(&self.state, now_ms);
    }

    /// In a fight for eight seconds, with less than half of the hit points, against an ogre that has suffered less.
    fn losing() -> Scene {
        let mut scene = Scene::new();
        scene.state.room_mobs = Some(vec![RoomMob { fighting: true, fighting_me: true, ..mob("ogre", 7) }]);
        scene.state.fighting = Some(true);
        scene.state.position = Some("fighting".into());
        scene.known.observe(&scene.state, 1_000);
        scene.now_ms = 10_000;
        scene.state.health = Some(14);
        if let Some(fight) = &mut scene.known.fight {
            (fight.dealt, fight.suffered) = (3, 16);
        }
        scene
    }

    fn does(&self, name: &str, line: &str) {
        assert_eq!(self.run(name), Proposal::Do(line.to_string()), "{name}");
    }

    fn passes(&self, name: &str) {
        assert_eq!(self.run(name), Proposal::Pass, "{name}");
    }
}

#[test]
fn every_policy_has_a_name_of_its_own_and_a_sentence() {
    let names: std::collections::BTreeSet<&str> = POLICIES.iter().map(|policy| policy.name).collect();
    assert_eq!(names.len(), POLICIES.len());
    assert!(POLICIES.iter().all(|policy| policy.does.ends_with('.')));
    let whole = |policy: &&Policy| policy.power == Power::Policy && policy.part_of.is_empty();
    let delegable: std::collections::BTreeSet<&str> = POLICIES.iter().filter(whole).map(|policy| policy.name).collect();
    let told: std::collections::BTreeSet<&str> = mind::action::POLICIES.iter().map(|policy| policy.name).collect();
    assert_eq!(delegable, told, "a model can delegate to each policy that is no part of another");
    assert!(POLICIES.iter().flat_map(|policy| policy.part_of).all(|name| delegable.contains(name)));
}

/// A rat that was beaten three times without a scratch worth the name.
fn know_rat(scene: &mut Scene, vnum: i32) {
    let kind = scene.known.bestiary.kind(vnum);
    (kind.level, kind.hp, kind.considered_ms, kind.kills, kind.loss, kind.xp) =
        (Some(2), Some(8), Some(1_000), 3, 2.0, 90);
}

fn decided(scene: &Scene) -> Option<String> {
    match decide(&scene.seen(), &Mandate::All, |_| true, |_, _| true) {
        Choice::Do { line, .. } => Some(line),
        Choice::Nothing | Choice::Stay => None,
    }
}

fn called(name: &str) -> Option<protocol::payload::PlayerState> {
    let stats = protocol::payload::Stats::default();
    let (class, race) = ("Warrior".into(), "Human".into());
    Some(protocol::payload::PlayerState { name: name.into(), health: 30, max_health: 30, level: 3, class, race, stats })
}

fn who(id: &str, name: &str) -> protocol::outcome::Who {
    let kind = if id.starts_with("mob") { protocol::outcome::WhoKind::Mob } else { protocol::outcome::WhoKind::Player };
    serde_json::from_value(serde_json::json!({"id": id, "name": name, "kind": kind, "level": 3})).expect("somebody")
}

/// Rooms 1 and 2, in line, with a wolf that attacks where one is.
fn beside_a_wolf() -> Scene {
    let mut scene = Scene::new();
    scene.step(2, "north", 2_000);
    let kind = scene.known.bestiary.kind(7);
    (kind.aggressive, kind.level) = (true, Some(9));
    scene.state.room_mobs = Some(vec![mob("wolf", 7)]);
    scene
}
