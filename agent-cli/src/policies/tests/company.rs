//! Going together: offer, answer, lead, assist, rescue, share and part.

use super::*;
use crate::company::{BARREN_MS, Said, meaning};
use crate::state::Line;
use protocol::Outcome;
use protocol::payload::EventKind;

/// Maud, who likes company, beside Wren, with a bear in the room that is too strong for one.
fn beside_wren() -> Scene {
    let mut scene = Scene::new();
    scene.state.player = called("Maud");
    scene.nature.tastes.sociable = 0.9;
    scene.state.room_mobs = Some(vec![mob("bear", 7)]);
    let kind = scene.known.bestiary.kind(7);
    (kind.name, kind.level, kind.hp, kind.considered_ms) = ("a bear".into(), Some(5), Some(50), Some(1_000));
    scene.known.players.insert("Wren".to_string());
    scene.known.greeted.insert("Wren".to_string());
    scene
}

impl Scene {
    fn learn(&mut self, outcome: Outcome) {
        self.known.learn(&self.state, &outcome, self.now_ms);
    }

    fn hears(&mut self, name: &str, text: &str) {
        self.hears_by("say", name, text);
    }

    fn hears_by(&mut self, channel: &'static str, name: &str, text: &str) {
        let speaker = who(&format!("player_{}", name.to_lowercase()), name);
        self.learn(Outcome::Said {
            speaker,
            channel: channel.into(),
            to: None,
            text: text.into(),
            message_id: None,
            channel_id: None,
        });
    }

    fn send(&mut self, line: &str) {
        self.known.sent(&self.state, line, self.now_ms);
    }

    /// Time goes on, and nothing happens.
    fn waits(&mut self, ms: u64) {
        self.now_ms += ms;
        self.known.observe(&self.state, self.now_ms);
    }

    fn says(&self, policy: &str) -> String {
        match self.run(policy) {
            Proposal::Do(line) if line.starts_with("say ") => line,
            other => panic!("{policy} says nothing: {other:?}"),
        }
    }

    fn page(&mut self, rows: &str) {
        let text = format!("Your group:\n{rows}").into();
        let line = Line { number: 1, at_ms: self.now_ms, kind: EventKind::Group, from: None, text };
        self.known.hear(&self.state, &line, self.now_ms);
    }
}

fn maud() -> protocol::outcome::Who {
    who("player_maud", "Maud")
}

fn wren() -> protocol::outcome::Who {
    who("player_wren", "Wren")
}

/// Maud leads Wren, who is whole, against the bear.
fn leading() -> Scene {
    let mut scene = beside_wren();
    let offer = scene.says("group");
    scene.send(&offer);
    scene.learn(Outcome::Followed { who: wren(), leader: Some(maud()) });
    scene.does("group", "group wren");
    scene.learn(Outcome::Grouped { who: wren(), leader: maud() });
    scene.does("group", "group");
    scene.send("group");
    scene.page("  Maud  level 3    30/30   hp, leading\n  Wren  level 3    30/30   hp");
    scene
}

/// Maud follows Wren and is of the group.
fn led() -> Scene {
    let mut scene = beside_wren();
    scene.nature.tastes.sociable = 0.5;
    scene.hears("Wren", "Maud, shall we take on a bear together?");
    scene.does("group", "follow wren");
    scene.learn(Outcome::Followed { who: maud(), leader: Some(wren()) });
    let yes = scene.says("group");
    scene.send(&yes);
    assert_eq!(scene.run("group"), Proposal::Stay, "one is not taken in yet");
    scene.learn(Outcome::Grouped { who: maud(), leader: wren() });
    scene.send("group");
    scene.page("  Wren  level 3    30/30   hp, leading\n  Maud  level 3    30/30   hp");
    scene
}

#[test]
fn company_is_offered_once_against_what_is_too_strong_for_one_by_the_sociable() {
    let mut scene = beside_wren();
    scene.passes("hunt");
    let offer = scene.says("group");
    assert!(offer.contains("Wren") && offer.contains("a bear"), "{offer}");
    assert_eq!(meaning(&offer), Some(Said::Come), "others understand it");
    scene.nature.tastes.sociable = 0.5;
    scene.passes("group");
    scene.nature.tastes.sociable = 0.9;
    // One waits a while for an answer, and does not ask again.
    scene.send(&offer);
    assert_eq!(scene.run("group"), Proposal::Stay);
    scene.waits(10_000);
    scene.passes("group");
    // Prey for one needs nobody, nor does what two could not beat either; and the hurt stay behind.
    for change in [
        |scene: &mut Scene| know_rat(scene, 7),
        |scene: &mut Scene| scene.known.bestiary.kind(7).level = Some(9),
        |scene: &mut Scene| scene.known.bestiary.kind(7).hp = Some(200),
        |scene: &mut Scene| scene.state.health = Some(12),
    ] {
        let mut scene = beside_wren();
        change(&mut scene);
        scene.passes("group");
    }
}

#[test]
fn what_stands_near_is_worth_an_offer_too() {
    let mut scene = beside_wren();
    scene.known.observe(&scene.state, 1_000);
    scene.step(2, "north", 2_000);
    scene.known.players.insert("Wren".to_string());
    assert!(scene.says("group").contains("a bear"));
    scene.known.players.clear();
    scene.passes("group");
}

#[test]
fn an_offer_is_taken_or_declined_by_taste_and_health() {
    led();
    for (sociable, health) in [(0.2, 30), (0.5, 10)] {
        let mut scene = beside_wren();
        scene.nature.tastes.sociable = sociable;
        scene.state.health = Some(health);
        scene.hears("Wren", "Maud, shall we take on a bear together?");
        let no = scene.says("group");
        assert_eq!(meaning(&no), None, "{no}");
        scene.send(&no);
        scene.passes("group");
    }
    // Talk is no offer, and an old one is over.
    let mut scene = beside_wren();
    scene.nature.tastes.sociable = 0.5;
    scene.hears("Wren", "The bear is fat this year.");
    scene.passes("group");
    scene.hears("Wren", "Join me!");
    scene.waits(40_000);
    scene.passes("group");
}

#[test]
fn who_asks_from_elsewhere_is_told_where_one_is() {
    for (sociable, is_willing) in [(0.5, true), (0.2, false)] {
        let mut scene = beside_wren();
        scene.nature.tastes.sociable = sociable;
        scene.hears_by("tell", "Bob", "Join me!");
        let Proposal::Do(line) = scene.run("group") else { panic!("{sociable}: nobody answers") };
        assert!(line.starts_with("tell bob ") && line.contains("Bob"), "{line}");
        let elsewhere = line.contains("you are not here") || line.contains("not where I am");
        assert_eq!(elsewhere, is_willing, "{line}");
        assert_eq!(meaning(&line), None, "an agent does not take it for an offer: {line}");
        scene.send(&line);
        scene.passes("group");
    }
}

#[test]
fn who_asks_to_come_along_is_told_to_follow_and_taken_in() {
    let mut scene = beside_wren();
    scene.nature.tastes.sociable = 0.5;
    scene.hears("Wren", "May I come with you, Maud?");
    let come = scene.says("group");
    assert_eq!(meaning(&come), Some(Said::Come));
    scene.send(&come);
    scene.learn(Outcome::Followed { who: wren(), leader: Some(maud()) });
    scene.does("group", "group wren");
    // The unsociable want nobody at their heels, and say so once.
    scene.nature.tastes.sociable = 0.1;
    scene.does("group", "toggle nofollow");
    scene.send("toggle nofollow");
    scene.passes("group");
}

#[test]
fn a_leader_attacks_when_all_are_fit_waits_for_the_hurt_and_leads_to_the_prey() {
    let mut scene = leading();
    scene.does("group", "kill bear");
    scene.page("  Maud  level 3    30/30   hp, leading\n  Wren  level 3    12/30   hp");
    assert_eq!(scene.run("group"), Proposal::Stay);
    scene.page("  Maud  level 3    30/30   hp, leading\n  Wren  level 3    28/30   hp");
    scene.known.observe(&scene.state, 1_000);
    scene.step(2, "north", 2_000);
    // Wren came along; who does not is waited for, and then given up.
    assert_eq!(scene.run("group"), Proposal::Stay);
    scene.known.players.insert("Wren".to_string());
    scene.does("group", "south");
    scene.known.players.clear();
    scene.now_ms = 20_000;
    scene.does("group", "ungroup wren");
}

#[test]
fn members_assist_wait_and_do_not_hunt_for_themselves() {
    let mut scene = led();
    let rat = mob("rat", 8);
    know_rat(&mut scene, 8);
    scene.state.room_mobs = Some(vec![mob("bear", 7), rat]);
    assert_eq!(scene.run("group"), Proposal::Stay);
    scene.send("wimpy 9");
    assert_eq!(decided(&scene), None, "a member that is led begins no fight of its own");
    let bear = who("mob_7_1", "a bear");
    scene.learn(Outcome::Damage { attacker: wren(), victim: bear, amount: 3, attack: "hit".into() });
    scene.passes("greet");
    scene.state.room_mobs.as_mut().expect("mobs")[0].fighting = true;
    scene.does("group", "assist wren");
    scene.state.position = Some("resting".into());
    scene.does("group", "stand");
}

#[test]
fn the_stronger_rescues_who_is_nearly_dead() {
    let mut scene = led();
    scene.state.room_mobs = Some(vec![RoomMob { fighting: true, ..mob("bear", 7) }]);
    scene.state.fighting = Some(true);
    scene.state.position = Some("fighting".into());
    scene.passes("group");
    let bear = who("mob_7_1", "a bear");
    scene.learn(Outcome::Damage { attacker: bear, victim: wren(), amount: 25, attack: "bite".into() });
    scene.does("group", "rescue wren");
    scene.state.health = Some(12);
    scene.passes("group");
}

#[test]
fn gold_is_shared_after_a_kill_and_the_group_parts_when_there_is_nothing_left_for_it() {
    let mut scene = leading();
    scene.state.room_mobs = Some(Vec::new());
    scene.waits(2_000);
    let bear = who("mob_7_1", "a bear");
    let kills = scene.known.bestiary.kind(7).kills;
    scene.learn(Outcome::KillCredit { who: maud(), victim: bear, xp: 90 });
    assert_eq!(scene.known.bestiary.kind(7).kills, kills, "two beat it: what it costs one nobody knows");
    scene.state.gold = Some(20);
    scene.learn(Outcome::Got { who: maud(), item: None, gold: Some(11), from: None });
    scene.does("group", "split 11");
    scene.send("split 11");
    scene.does("group", "group");
    scene.send("group");
    let farewell = scene.says("group");
    assert_eq!(meaning(&farewell), None, "{farewell}");
    scene.send(&farewell);
    scene.does("group", "ungroup");
    scene.send("ungroup");
    // Who still follows is not taken in again, nor asked again.
    scene.state.room_mobs = Some(vec![mob("bear", 7)]);
    scene.waits(10_000);
    scene.passes("group");
}

#[test]
fn nobody_follows_for_ever() {
    let mut scene = led();
    scene.waits(BARREN_MS - 30_000);
    scene.send("group");
    assert_eq!(scene.run("group"), Proposal::Stay);
    scene.waits(31_000);
    scene.does("group", "follow self");
    // Left behind, put out, or never taken in: the same.
    let mut left = led();
    left.step(2, "north", 2_000);
    assert_eq!(left.run("group"), Proposal::Stay);
    left.now_ms += 13_000;
    left.does("group", "follow self");
    let mut put_out = led();
    put_out.learn(Outcome::Ungrouped { who: maud(), leader: wren() });
    put_out.does("group", "follow self");
    put_out.learn(Outcome::Followed { who: maud(), leader: None });
    put_out.hears("Wren", "Follow me!");
    let no = put_out.says("group");
    assert_eq!(meaning(&no), None, "not the same again so soon: {no}");
}

#[test]
fn a_persona_that_forbids_it_goes_alone() {
    let mut scene = beside_wren();
    scene.nature.tastes.sociable = 0.5;
    scene.hears("Wren", "Join me, Maud!");
    scene.send("wimpy 9");
    let with = |is_on: bool, verb: &str| {
        decide(
            &scene.seen(),
            &Mandate::All,
            |policy| is_on || policy.name != "group",
            |_, line| !line.starts_with(verb),
        )
    };
    let follows = Choice::Do { name: "group", power: Power::Policy, line: "follow wren".into() };
    assert_eq!(with(true, "junk"), follows);
    assert_ne!(with(true, "follow"), follows);
    assert_ne!(with(false, "junk"), follows);
}
