//! What arts do that transcripts do not show: outcomes, records, what is used up, and what comes of a defeat.

use content::ObjectApply;
use content::flags::{AffectFlags, MobFlags, ObjectFlags, RoomFlags};
use content::words::{Apply, AttackType, Class, WearSlot};
use protocol::Outcome;
use protocol::arts::ArtUse;
use protocol::happening::{Help, Role, What};
use protocol::outcome::CastResult;
use std::sync::Arc;
use tests::scene::{Person, Scene, read_content, tests_folder};
use world::character::PlayerFlags;
use world::draws::{Draw, Face};
use world::effects::{Harm, harm};
use world::object::Place;
use world::{Admin, CharacterId, Input, ObjectId, Report};

/// The roof of the tower, under an open sky.
const ROOF: i32 = 500;
const FIELD: i32 = 200;
const STRAW_MAN: i32 = 510;
const IMP: i32 = 512;

fn enter(scene: &mut Scene, name: &str, class: Class, level: i32, arts: &[&str]) -> CharacterId {
    let skills = arts.iter().map(|art| (art.to_string(), 100)).collect();
    scene.enter(name, &Person { class, level, room: Some(ROOF), skills, ..Person::default() }).0
}

fn scene() -> Scene {
    Scene::open("green", 4)
}

fn mob(scene: &mut Scene, vnum: i32) -> CharacterId {
    let proto = scene.world.content.mob_index(vnum).expect("a mob of the scene");
    let room = scene.world.room_by_vnum(ROOF).expect("a room of the scene");
    scene.world.make_mob(proto, room)
}

fn thing(scene: &mut Scene, vnum: i32, place: Place) -> ObjectId {
    let object = scene.world.make_object(vnum).expect("a thing of the scene");
    scene.world.place_object(object, place);
    object
}

fn load(scene: &mut Scene, draw: Draw, face: Face) {
    scene.world.apply(&Input::Admin(Admin::Load { draw, faces: vec![face], who: None }));
}

/// What is typed, by somebody who waits for nothing and has mana enough; the die of a cast falls on success.
fn casts(scene: &mut Scene, name: &str, line: &str) -> Report {
    let who = scene.id(name);
    let c = scene.world.who_mut(who);
    (c.free_tick, c.mana) = (0, 300);
    load(scene, Draw::Cast, Face::Min);
    scene.does(name, line)
}

fn outcomes_of(report: &Report, who: CharacterId) -> Vec<Arc<Outcome>> {
    let lines = report.lines.iter().filter(|(to, _)| *to == who).filter_map(|(_, line)| line.outcome.clone());
    let witnessed = report.witnessed.iter().filter(|one| one.who == who).map(|one| one.outcome.clone());
    lines.chain(witnessed).collect()
}

/// Who remembers a help of this kind, and in which role.
fn helped(report: &Report, kind: Help) -> Vec<(String, Role)> {
    let is = |what: &What| matches!(what, What::Helped { how, .. } if *how == kind);
    let found = report.recorded.iter().filter(|recorded| is(&recorded.happening.what));
    found.map(|recorded| (recorded.name.to_string(), recorded.happening.role)).collect()
}

fn roles(of: &[(&str, Role)]) -> Vec<(String, Role)> {
    of.iter().map(|(name, role)| (name.to_string(), *role)).collect()
}

#[test]
fn which_art_failed_is_known_to_the_initiated_alone() {
    let mut scene = scene();
    enter(&mut scene, "Ann", Class::MagicUser, 5, &[]);
    let initiated = enter(&mut scene, "Cid", Class::MagicUser, 5, &[]);
    let bystander = enter(&mut scene, "Bob", Class::Thief, 5, &[]);
    load(&mut scene, Draw::Cast, Face::Max);
    let report = scene.does("Ann", "cast infravision bob");
    for (who, heard) in [(initiated, "infravision"), (bystander, "")] {
        let told: Vec<_> = outcomes_of(&report, who)
            .iter()
            .filter_map(|outcome| match &**outcome {
                Outcome::Cast { spell, result, target, .. } => Some((spell.to_string(), *result, target.is_some())),
                _ => None,
            })
            .collect();
        assert_eq!(told, [(heard.to_string(), CastResult::Failed, true)]);
    }
}

#[test]
fn an_art_that_comes_to_nothing_uses_no_reagent_up() {
    let mut scene = scene();
    let ann = enter(&mut scene, "Ann", Class::MagicUser, 12, &["blindness"]);
    let straw = mob(&mut scene, STRAW_MAN);
    let vnum = scene.world.content.conjured["blindness"];
    let reagent = thing(&mut scene, vnum, Place::Carried(ann));
    scene.world.who_mut(straw).mob_mut().expect("a mob").flags.insert(MobFlags::NO_BLIND);
    casts(&mut scene, "Ann", "cast blindness straw");
    assert!(scene.world.get_object(reagent).is_some(), "nobody was blinded, and nothing was spent");
    assert!(!scene.world.who(straw).is(AffectFlags::BLIND));
    scene.world.who_mut(straw).mob_mut().expect("a mob").flags.remove(MobFlags::NO_BLIND);
    load(&mut scene, Draw::Save, Face::Min);
    casts(&mut scene, "Ann", "cast blindness straw");
    assert!(scene.world.who(straw).is(AffectFlags::BLIND));
    assert!(scene.world.get_object(reagent).is_none());
}

#[test]
fn a_reagent_makes_a_charm_last_twice_as_long() {
    let mut scene = scene();
    let god = enter(&mut scene, "God", Class::MagicUser, 40, &[]);
    let hours: Vec<i32> = [false, true]
        .into_iter()
        .map(|with| {
            let imp = mob(&mut scene, IMP);
            if with {
                let vnum = scene.world.content.conjured["charm"];
                thing(&mut scene, vnum, Place::Carried(god));
            }
            load(&mut scene, Draw::Save, Face::Min);
            casts(&mut scene, "God", "cast 'charm person' imp");
            let hours = scene.world.who(imp).affects.iter().find(|one| one.flags.has(AffectFlags::CHARM));
            let hours = hours.unwrap_or_else(|| panic!("the imp serves: {with}")).hours;
            scene.world.extract_character(imp);
            hours
        })
        .collect();
    assert_eq!(hours[1], 2 * hours[0]);
    assert!(scene.world.who(god).carrying.is_empty());
}

#[test]
fn who_sees_a_healing_remembers_it_and_learns_by_which_art() {
    let mut scene = scene();
    enter(&mut scene, "Ann", Class::Cleric, 5, &["cure light"]);
    let bob = enter(&mut scene, "Bob", Class::Thief, 5, &[]);
    let cid = enter(&mut scene, "Cid", Class::Thief, 5, &[]);
    scene.world.who_mut(bob).hit = 1;
    let report = casts(&mut scene, "Ann", "cast 'cure light' bob");
    let wanted = roles(&[("Ann", Role::Did), ("Bob", Role::Suffered), ("Cid", Role::Saw)]);
    assert_eq!(helped(&report, Help::Healed), wanted);
    let by_art = |outcome: &Arc<Outcome>| match &**outcome {
        Outcome::Healed { art, healer, .. } => healer.is_some() && art.as_deref() == Some("cure light"),
        _ => false,
    };
    assert!(outcomes_of(&report, cid).iter().any(by_art), "{:#?}", outcomes_of(&report, cid));
    // What immortals do without a word to the room, the room does not remember.
    enter(&mut scene, "God", Class::MagicUser, 40, &[]);
    scene.world.who_mut(bob).hit = 1;
    let report = scene.does("God", "restore bob");
    assert_eq!(helped(&report, Help::Healed), roles(&[("God", Role::Did), ("Bob", Role::Suffered)]));
}

#[test]
fn who_shields_somebody_works_together_with_it_once_in_a_while() {
    let mut scene = scene();
    enter(&mut scene, "Ann", Class::Cleric, 11, &["holy ward", "holy shield", "cure light"]);
    enter(&mut scene, "Bob", Class::Thief, 5, &[]);
    enter(&mut scene, "Cid", Class::Thief, 5, &[]);
    let report = casts(&mut scene, "Ann", "cast 'holy ward' bob");
    let both = roles(&[("Ann", Role::Did), ("Bob", Role::Suffered), ("Cid", Role::Saw)]);
    assert_eq!(helped(&report, Help::Cooperated), both);
    for line in ["cast 'holy ward' bob", "cast 'holy ward' ann"] {
        let report = casts(&mut scene, "Ann", line);
        assert_eq!(helped(&report, Help::Cooperated), [], "{line}");
    }
    // A whole group at once; with Bob it has worked not long ago.
    scene.does("Bob", "follow ann");
    scene.does("Cid", "follow ann");
    let ann = scene.id("Ann");
    scene.world.who_mut(ann).free_tick = 0;
    scene.does("Ann", "group all");
    let report = casts(&mut scene, "Ann", "cast 'holy shield'");
    let cid = roles(&[("Ann", Role::Did), ("Cid", Role::Suffered), ("Bob", Role::Saw)]);
    assert_eq!(helped(&report, Help::Cooperated), cid);
}

#[test]
fn a_mob_that_would_not_be_shifted_strikes_back_unless_it_is_far_below() {
    for (level, strikes) in [(15, true), (13, true), (12, false)] {
        let mut scene = scene();
        let ann = enter(&mut scene, "Ann", Class::Psionic, 15, &["shift reality"]);
        let straw = mob(&mut scene, STRAW_MAN);
        scene.world.who_mut(straw).level = level;
        load(&mut scene, Draw::Save, Face::Max);
        casts(&mut scene, "Ann", "will 'shift reality' straw");
        assert_eq!(scene.world.who(straw).fighting == Some(ann), strikes, "level {level}");
        assert_eq!(scene.world.who(straw).room, scene.world.who(ann).room);
    }
}

#[test]
fn outlaws_slip_out_of_calls_and_a_hard_call_pulls_its_caller() {
    let mut scene = scene();
    let god = enter(&mut scene, "God", Class::MagicUser, 40, &[]);
    let bob = enter(&mut scene, "Bob", Class::Thief, 12, &[]);
    scene.world.player_mut(bob).flags.insert(PlayerFlags::OUTLAW);
    let rooms = [ROOF, FIELD].map(|vnum| scene.world.room_by_vnum(vnum).expect("a room of the scene"));
    let [roof, field] = rooms;
    for (save, target, place, [bobs, gods]) in [
        (Face::Min, Some(Face::Min), Some(Face::Max), [field, roof]),
        (Face::Min, Some(Face::Max), None, [roof, roof]),
        (Face::Max, None, Some(Face::Max), [field, roof]),
        (Face::Max, None, Some(Face::Min), [field, field]),
    ] {
        scene.world.move_character(bob, field);
        scene.world.move_character(god, roof);
        load(&mut scene, Draw::Save, save);
        let rest = [(Draw::Target, target), (Draw::Place, place)];
        rest.into_iter().for_each(|(draw, face)| face.into_iter().for_each(|face| load(&mut scene, draw, face)));
        casts(&mut scene, "God", "cast summon bob");
        let there = [bob, god].map(|who| scene.world.who(who).room);
        assert_eq!(there, [bobs, gods], "{save:?} {target:?} {place:?}");
    }
}

#[test]
fn a_lapse_takes_its_caster_out_of_a_memory_and_a_strong_one_everybody() {
    for (level, left, told) in [(25, 1, "holds nothing against you"), (40, 0, "holds nothing against anybody")] {
        let mut scene = scene();
        enter(&mut scene, "Ann", Class::Psionic, level, &["mental lapse"]);
        let straw = mob(&mut scene, STRAW_MAN);
        let memory = |scene: &Scene| scene.world.who(straw).mob().expect("a mob").memory.len();
        scene.world.who_mut(straw).mob_mut().expect("a mob").memory = vec!["ann".into(), "bob".into()];
        casts(&mut scene, "Ann", "will 'mental lapse' straw");
        assert_eq!(memory(&scene), left, "level {level}");
        let report = casts(&mut scene, "Ann", "will 'mental lapse' straw");
        assert!(scene.read_by("Ann", &report).contains(told), "{}", scene.read_by("Ann", &report));
    }
}

#[test]
fn help_comes_from_the_side_of_who_asks_and_doubly_to_the_devout() {
    for (alignment, name, count) in [(400, "angel", 1), (1_000, "angel", 2), (-400, "shade", 1), (-1_000, "shade", 2)] {
        let mut scene = scene();
        let god = enter(&mut scene, "God", Class::MagicUser, 40, &[]);
        scene.world.who_mut(god).alignment = alignment;
        casts(&mut scene, "God", "cast 'divine intervention'");
        let vnum = scene.world.content.conjured[name];
        let followers = &scene.world.who(god).followers;
        let came: Vec<i32> =
            followers.iter().map(|id| scene.world.mob_proto(*id).expect("of a mob's row").vnum).collect();
        assert_eq!(came, vec![vnum; count], "{alignment}");
    }
}

#[test]
fn a_blessed_weapon_hits_with_one_face_of_the_die_more() {
    let mut scene = scene();
    let ann = enter(&mut scene, "Ann", Class::Warrior, 5, &[]);
    let straw = mob(&mut scene, STRAW_MAN);
    let dirk = thing(&mut scene, 530, Place::Worn(ann, WearSlot::Wield));
    let hits = |scene: &Scene| {
        let lands = |face: i32| {
            let mut world = scene.world.clone();
            world.apply(&Input::Admin(Admin::Load { draw: Draw::Hit, faces: vec![Face::Value(face)], who: None }));
            let before = world.who(straw).hit;
            world.strike(ann, straw);
            world.who(straw).hit < before
        };
        (1..=20).filter(|face| lands(*face)).count()
    };
    let before = hits(&scene);
    scene.world.object_mut(dirk).flags.insert(ObjectFlags::BLESS);
    assert_eq!(hits(&scene), before + 1);
    assert!((2..19).contains(&before), "neither end of the die is in the way: {before}");
}

#[test]
fn what_hates_a_race_hurts_it_by_its_bearers_level_and_no_other() {
    let mut scene = scene();
    let ann = enter(&mut scene, "Ann", Class::Warrior, 7, &[]);
    let dirk = thing(&mut scene, 530, Place::Worn(ann, WearSlot::Wield));
    let straw = mob(&mut scene, STRAW_MAN);
    let race = scene.world.who(straw).race.index() as i32;
    let mut taken = |by: i32| {
        scene.world.object_mut(dirk).applies = vec![ObjectApply { to: Apply::RaceHate, by }];
        let before = scene.world.who(straw).hit;
        harm::harm(&mut scene.world, Harm::blow(ann, straw, 10, AttackType::Stab));
        before - scene.world.who(straw).hit
    };
    assert_eq!([taken(race), taken(race + 1), taken(-1)], [17, 10, 10]);
}

#[test]
fn a_defeat_in_an_arena_costs_nothing() {
    let mut content = read_content(&tests_folder().join("scenes/green"));
    let roof = content.rooms.iter_mut().find(|room| room.vnum == ROOF).expect("a room of the scene");
    roof.flags.insert(RoomFlags::ARENA);
    let mut scene = Scene::on(Arc::new(content), 4);
    let ann = enter(&mut scene, "Ann", Class::Warrior, 12, &[]);
    let bob = enter(&mut scene, "Bob", Class::Thief, 12, &[]);
    thing(&mut scene, 530, Place::Carried(bob));
    let of = |scene: &Scene| {
        let c = scene.world.who(bob);
        let player = c.player().expect("a player");
        (player.experience, player.deaths, c.carrying.clone(), c.gold)
    };
    let before = of(&scene);
    assert!(!harm::harm(&mut scene.world, Harm::blow(ann, bob, 2_000, AttackType::Hit)) || of(&scene) == before);
    assert_eq!(of(&scene), before);
    let c = scene.world.who(bob);
    assert!(c.hit == 1 && c.room != scene.world.who(ann).room && c.fighting.is_none());
    assert!(!scene.world.who(ann).player_flags().has(PlayerFlags::OUTLAW), "nobody was killed");
    assert!(scene.world.check_all().is_empty());
}

#[test]
fn the_charmed_fight_mobs_when_ordered_and_never_a_player() {
    let mut scene = scene();
    let ann = enter(&mut scene, "Ann", Class::MagicUser, 12, &[]);
    let cid = enter(&mut scene, "Cid", Class::Warrior, 12, &[]);
    let bob = enter(&mut scene, "Bob", Class::Thief, 12, &[]);
    let straw = mob(&mut scene, STRAW_MAN);
    scene.world.player_mut(ann).flags.insert(PlayerFlags::OUTLAW);
    thing(&mut scene, 526, Place::Carried(ann));
    load(&mut scene, Draw::Save, Face::Min);
    scene.does("Ann", "recite sweet cid");
    assert!(scene.world.who(cid).is(AffectFlags::CHARM));
    let orders = |scene: &mut Scene, line: &str| {
        for who in [ann, cid] {
            scene.world.who_mut(who).free_tick = 0;
        }
        scene.does("Ann", line);
        scene.world.who(cid).fighting
    };
    assert_eq!(orders(&mut scene, "order cid kill straw"), Some(straw));
    scene.world.stop_fights_of(cid);
    // Not even one who has begun it.
    scene.world.set_fighting(bob, cid);
    for line in ["order cid kill bob", "order cid assist ann", "order cid murder bob"] {
        scene.world.set_fighting(bob, cid);
        scene.world.set_fighting(ann, bob);
        assert_eq!(orders(&mut scene, line), None, "{line}");
    }
    // By itself it defends itself.
    assert!(scene.world.may_attack(cid, bob, true).is_ok());
}

#[test]
fn only_what_wounds_is_said_to_harm_and_what_it_takes_is_told() {
    let mut scene = scene();
    let ann = enter(&mut scene, "Ann", Class::MagicUser, 9, &["flame arrow", "blindness"]);
    let bob = enter(&mut scene, "Bob", Class::Warrior, 9, &[]);
    let of = |who: CharacterId, name: &str| {
        let arts = scene.world.known_arts(who);
        let art = arts.iter().find(|art| &*art.name == name).unwrap_or_else(|| panic!("{name}: {arts:#?}"));
        (art.used_for, art.damage, art.risky)
    };
    // Four three-sided dice and the level.
    assert_eq!(of(ann, "flame arrow"), (ArtUse::Harm, Some(8 + 9), false));
    assert_eq!(of(ann, "blindness"), (ArtUse::Other, None, false));
    assert_eq!(of(bob, "kick"), (ArtUse::Harm, Some(4), false));
    assert_eq!(of(bob, "bash"), (ArtUse::Harm, Some(5), true));
}

#[test]
fn a_group_reads_what_ails_its_members() {
    let mut scene = scene();
    let ann = enter(&mut scene, "Ann", Class::Cleric, 9, &[]);
    let bob = enter(&mut scene, "Bob", Class::Warrior, 9, &[]);
    scene.does("Bob", "follow ann");
    scene.does("Ann", "group all");
    let ails = |scene: &Scene| -> Vec<(String, String)> {
        let group = scene.world.group_seen(ann);
        group.iter().map(|member| (member.name.to_string(), member.ails.join(" "))).collect()
    };
    let none = |name: &str| (name.to_string(), String::new());
    assert_eq!(ails(&scene), [none("Ann"), none("Bob")]);
    scene.world.who_mut(bob).now.flags.insert(AffectFlags::POISON);
    scene.world.who_mut(bob).now.flags.insert(AffectFlags::SNEAK);
    assert_eq!(ails(&scene), [none("Ann"), ("Bob".to_string(), "poison".to_string())]);
    let told = serde_json::to_string(&scene.world.group_seen(ann)).expect("JSON");
    assert_eq!(told.matches("ails").count(), 1, "whom nothing ails costs nothing: {told}");
}
