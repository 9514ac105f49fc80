//! Spells, skills and potions.

use super::*;
use protocol::arts::{Affected, ArtKind, ArtUse, GroupMember, KnownArt, Practices};
use protocol::payload::{EventKind, PlayerState};

fn spell(name: &str, used_for: ArtUse, mana: i32) -> KnownArt {
    KnownArt {
        name: name.into(),
        kind: ArtKind::Spell,
        used_for,
        verb: Some("cast".into()),
        percent: 25,
        level: Some(1),
        mana: Some(mana),
        damage: None,
        risky: false,
    }
}

fn member(name: &str, here: bool, hp_percent: i32, ails: &[&'static str]) -> GroupMember {
    GroupMember {
        name: name.into(),
        instance_id: format!("player_{name}").into(),
        leader: name == "Bob",
        here,
        hp_percent,
        mana_percent: 100,
        move_percent: 100,
        position: "standing".into(),
        ails: ails.iter().map(|ill| (*ill).into()).collect(),
    }
}

/// A cleric of the group of Bob, with mana for all.
fn cleric() -> Scene {
    let mut scene = Scene::new();
    scene.state.player = Some(PlayerState {
        name: "Ann".into(),
        health: 30,
        max_health: 30,
        level: 3,
        class: "Cleric".into(),
        race: "Human".into(),
        stats: Default::default(),
    });
    (scene.state.mana, scene.state.max_mana) = (Some(100), Some(100));
    let arts = [
        spell("cure light", ArtUse::Heal, 20),
        spell("cure blind", ArtUse::Cure, 30),
        spell("remove poison", ArtUse::Cure, 30),
        spell("armor", ArtUse::Protect, 30),
    ];
    scene.state.skills = Some(arts.into());
    let members = [member("Bob", true, 100, &[]), member("Ann", true, 100, &[]), member("Cid", false, 1, &["blind"])];
    scene.state.group = Some(members.into());
    scene.state.affects = Some(Vec::new());
    scene
}

#[test]
fn those_one_goes_with_are_healed_and_cured() {
    let mut scene = cleric();
    scene.passes("tend");
    if let Some(group) = &mut scene.state.group {
        group[0].hp_percent = 69;
        group.push(member("Dora", true, 60, &["poison"]));
    }
    scene.does("tend", "cast 'cure light' Dora");
    scene.state.mana = Some(19);
    scene.passes("tend");
    scene.state.mana = Some(100);
    if let Some(group) = &mut scene.state.group {
        (group[0].hp_percent, group[3].hp_percent) = (100, 100);
    }
    scene.does("tend", "cast 'remove poison' Dora");
    scene.state.conditions = Some(["hungry", "blind"].map(|word| word.into()).into());
    scene.does("tend", "cast 'cure blind' self");
    // In a fight each moment counts: only whom it is going badly for.
    (scene.state.fighting, scene.state.position) = (Some(true), Some("fighting".into()));
    scene.state.group = Some(vec![member("Bob", true, 55, &["blind"])]);
    scene.passes("tend");
    scene.state.group = Some(vec![member("Bob", true, 49, &["blind"])]);
    scene.does("tend", "cast 'cure light' Bob");
    scene.state.lag = Some(1);
    scene.passes("tend");
}

#[test]
fn what_keeps_harm_away_is_cast_while_mana_is_plenty_and_not_again_at_once() {
    let mut scene = cleric();
    scene.does("buff", "cast 'armor' self");
    scene.state.mana = Some(60);
    scene.passes("buff");
    scene.state.mana = Some(100);
    let armor = Affected { name: "armor".into(), hours: 20, by: None, applies: Default::default(), flags: Vec::new() };
    scene.state.affects = Some(vec![armor]);
    scene.does("buff", "cast 'armor' Bob");
    scene.known.sent(&scene.state, "cast 'armor' Bob", 1_000);
    scene.passes("buff");
    scene.now_ms = 181_000;
    scene.does("buff", "cast 'armor' Bob");
    scene.known.recovering = true;
    scene.passes("buff");
    scene.known.recovering = false;
    scene.state.position = Some("resting".into());
    scene.passes("buff");
}

/// A rat that can be beaten is here.
fn at_prey() -> Scene {
    let mut scene = Scene::new();
    scene.state.room_mobs = Some(vec![mob("rat", 7)]);
    let kind = scene.known.bestiary.kind(7);
    (kind.level, kind.hp, kind.considered_ms) = (Some(1), Some(8), Some(1_000));
    scene
}

#[test]
fn a_blade_with_a_point_opens_a_fight() {
    let mut scene = at_prey();
    let backstab = KnownArt {
        kind: ArtKind::Skill,
        verb: Some("backstab".into()),
        mana: None,
        ..spell("backstab", ArtUse::Harm, 0)
    };
    scene.state.skills = Some(vec![backstab.clone()]);
    scene.passes("open");
    let wields = |name: &str| {
        let item =
            EquippedItem { name: name.into(), vnum: 9, instance_id: "obj_9_1".into(), target_string: "blade".into() };
        Some(Ordered(vec![("wield".into(), item)]))
    };
    scene.state.equipment = wields("a broad sword");
    scene.passes("open");
    scene.state.equipment = wields("a thin dagger");
    scene.does("open", "backstab rat");
    scene.does("hunt", "kill rat");
    scene.state.skills = Some(vec![KnownArt { percent: 19, ..backstab.clone() }]);
    scene.passes("open");
    scene.state.skills = Some(vec![backstab]);
    scene.state.room_mobs = Some(vec![RoomMob { fighting: true, ..mob("rat", 7) }]);
    scene.passes("open");
}

#[test]
fn who_has_no_mana_drinks_or_reads_what_heals() {
    let mut scene = cleric();
    scene.state.inventory = Some(vec![item("a scroll of mending", 8), item("a vial of willow bitters", 9)]);
    scene.state.health = Some(20);
    scene.does("heal", "cast 'cure light' self");
    scene.state.mana = Some(0);
    scene.passes("heal");
    scene.state.health = Some(14);
    scene.does("heal", "recite mending");
    scene.known.refused_actions.failed(1, "recite mending", "You cannot read a word of it.", 1_000);
    scene.does("heal", "quaff bitters");
    // Beside a model only when it is dire.
    scene.alone = false;
    scene.passes("heal");
    scene.state.health = Some(8);
    scene.does("heal", "quaff bitters");
    scene.state.inventory = Some(vec![item("a vial of ox-strength", 10)]);
    scene.passes("heal");
}

#[test]
fn potions_are_bought_when_few_are_left_and_gold_is_plenty() {
    let mut scene = Scene::new();
    let ware = |number, price, name: &str| crate::objects::Ware { number, price, name: name.into() };
    let wares = vec![ware(1, 90, "a vial of ox-strength"), ware(2, 48, "a vial of willow bitters")];
    scene.known.objects.shops.insert(1, wares);
    scene.state.gold = Some(100);
    scene.passes("shop");
    scene.state.gold = Some(120);
    scene.does("shop", "buy #2");
    scene.state.inventory = Some(vec![item("a vial of willow bitters", 9)]);
    scene.does("shop", "buy #2");
    scene.state.inventory = Some(vec![item("a vial of willow bitters", 9), item("a scroll of mending", 8)]);
    scene.passes("shop");
}

#[test]
fn healing_oneself_is_upkeep_and_goes_with_hunting() {
    let heal = named("heal").expect("a policy");
    assert_eq!(heal.power, Power::Upkeep);
    for (mandate, free) in [
        (Mandate::Nothing, false),
        (Mandate::Beside, false),
        (Mandate::Named(vec!["loot"]), false),
        (Mandate::Named(vec!["hunt"]), true),
        (Mandate::All, true),
    ] {
        assert_eq!((mandate.covers(heal), mandate.is_free(heal)), (true, free), "{mandate:?}");
    }
}

#[test]
fn who_knows_spells_casts_them_while_there_is_mana() {
    let mut scene = Scene::losing();
    scene.passes("strike");
    let mut unknown = spell("fireball", ArtUse::Harm, 5);
    unknown.percent = 0;
    scene.state.skills =
        Some(vec![spell("ember dart", ArtUse::Harm, 15), unknown, spell("close wounds", ArtUse::Heal, 10)]);
    scene.state.mana = Some(15);
    scene.does("strike", "cast 'ember dart'");
    scene.does("heal", "cast 'close wounds' self");
    scene.state.lag = Some(2);
    scene.passes("strike");
    (scene.state.lag, scene.state.mana) = (Some(0), Some(14));
    scene.passes("strike");
    scene.does("heal", "cast 'close wounds' self");
    // Hardly hurt, or on the ground, nobody heals itself.
    (scene.state.health, scene.state.position) = (Some(29), Some("standing".into()));
    scene.passes("heal");
    (scene.state.health, scene.state.position) = (Some(9), Some("resting".into()));
    scene.passes("heal");
}

#[test]
fn who_fights_strikes_with_what_takes_most_for_its_mana_and_keeps_some() {
    let art = |name: &str, kind: ArtKind, mana: Option<i32>, damage: Option<i32>| KnownArt {
        kind,
        verb: Some(if kind == ArtKind::Spell { "cast" } else { name }.into()),
        percent: 50,
        mana,
        damage,
        ..spell(name, ArtUse::Harm, 0)
    };
    let mut scene = Scene::losing();
    let (spell, skill) = (ArtKind::Spell, ArtKind::Skill);
    let blindness = KnownArt { used_for: ArtUse::Other, ..art("blindness", spell, Some(5), None) };
    let ray = KnownArt { risky: true, ..art("ray", spell, Some(10), Some(90)) };
    let bash = KnownArt { risky: true, ..art("bash", skill, None, Some(50)) };
    let unlearned = KnownArt { percent: 0, ..art("slug", skill, None, Some(50)) };
    let mut arts = vec![blindness, ray, bash, unlearned];
    arts.extend([art("big bolt", spell, Some(40), Some(20)), art("small bolt", spell, Some(10), Some(8))]);
    arts.extend([art("kick", skill, None, Some(3)), art("serpent", skill, None, Some(9))]);
    scene.state.skills = Some(arts);
    (scene.state.mana, scene.state.max_mana) = (Some(100), Some(100));
    scene.state.health = scene.state.max_health;
    scene.does("strike", "cast 'small bolt'");
    scene.state.mana = Some(10);
    scene.does("strike", "cast 'small bolt'");
    scene.state.mana = Some(9);
    scene.does("strike", "serpent");
    // Who heals keeps thirty of a hundred points of mana for it.
    let heals = KnownArt { used_for: ArtUse::Heal, ..art("cure light", ArtKind::Spell, Some(20), None) };
    scene.state.skills.as_mut().expect("arts").push(heals);
    scene.state.mana = Some(40);
    scene.does("strike", "cast 'small bolt'");
    scene.state.mana = Some(39);
    scene.does("strike", "serpent");
    // Badly hurt, nobody makes itself wait for its next command.
    scene.state.health = Some(9);
    scene.passes("strike");
}

#[test]
fn who_meets_a_teacher_practises_what_it_fights_with() {
    let art = |name: &str, used_for: ArtUse, percent: i32, level: Option<i32>| KnownArt {
        percent,
        level,
        damage: Some(5),
        ..spell(name, used_for, 10)
    };
    let mut scene = Scene::new();
    let (bolt, dart) = (art("bolt", ArtUse::Harm, 40, Some(2)), art("ember dart", ArtUse::Harm, 60, Some(1)));
    let (old, known) = (art("old art", ArtUse::Harm, 80, None), art("spark", ArtUse::Harm, 95, Some(1)));
    scene.state.skills = Some(vec![art("light", ArtUse::Other, 70, Some(1)), bolt, dart, old, known]);
    scene.passes("practice");
    let teacher = Some("Master Ives".into());
    scene.state.practices = Some(Practices { left: 0, teacher: teacher.clone() });
    scene.passes("practice");
    scene.state.practices = Some(Practices { left: 2, teacher: None });
    scene.passes("practice");
    scene.state.practices = Some(Practices { left: 2, teacher });
    scene.does("practice", "practice ember dart");
    // What no policy casts is not worth a session.
    scene.state.skills = Some(vec![art("light", ArtUse::Other, 70, Some(1)), art("step", ArtUse::Travel, 70, Some(1))]);
    scene.passes("practice");
}

#[test]
fn who_knows_a_spell_opens_with_it() {
    let mut scene = at_prey();
    scene.passes("open");
    scene.state.skills = Some(vec![KnownArt { damage: Some(9), ..spell("ember dart", ArtUse::Harm, 15) }]);
    (scene.state.mana, scene.state.max_mana) = (Some(100), Some(100));
    scene.does("open", "cast 'ember dart' rat");
    // At a rat two levels below it with mana to spare alone.
    scene.state.mana = Some(60);
    scene.passes("open");
    scene.known.bestiary.kind(7).level = Some(2);
    scene.does("open", "cast 'ember dart' rat");
    scene.state.mana = Some(14);
    scene.passes("open");
}

#[test]
fn who_fights_a_weaker_one_keeps_its_mana_until_it_is_hurt_itself() {
    let mut scene = Scene::losing();
    scene.known.bestiary.kind(7).level = Some(1);
    scene.state.skills = Some(vec![KnownArt { damage: Some(9), ..spell("ember dart", ArtUse::Harm, 15) }]);
    (scene.state.mana, scene.state.max_mana, scene.state.health) = (Some(60), Some(100), Some(30));
    scene.passes("strike");
    scene.state.mana = Some(61);
    scene.does("strike", "cast 'ember dart'");
    (scene.state.mana, scene.state.health) = (Some(60), Some(14));
    scene.does("strike", "cast 'ember dart'");
}

#[test]
fn scratches_are_healed_with_mana_to_spare() {
    let mut scene = cleric();
    scene.state.health = Some(23);
    scene.does("heal", "cast 'cure light' self");
    scene.state.mana = Some(60);
    scene.passes("heal");
    (scene.state.mana, scene.state.health) = (Some(100), Some(24));
    scene.passes("heal");
}

#[test]
fn who_wounds_by_spells_guards_itself_with_what_it_has_too_much_of() {
    let mut scene = cleric();
    let dart = KnownArt { damage: Some(9), ..spell("ember dart", ArtUse::Harm, 15) };
    scene.state.skills.as_mut().expect("arts").push(dart);
    scene.state.mana = Some(90);
    scene.passes("buff");
    scene.state.mana = Some(91);
    scene.does("buff", "cast 'armor' self");
}

/// A mage at level 3 in room 2, with a session to spend and its teacher in room 1.
fn pupil() -> Scene {
    let mut scene = Scene::new();
    scene.state.skills = Some(vec![KnownArt { damage: Some(5), ..spell("bolt", ArtUse::Harm, 10) }]);
    scene.state.practices = Some(Practices { left: 1, teacher: Some("Master Ives".into()) });
    scene.known.observe(&scene.state, 1_000);
    scene.passes("attend");
    scene.state.practices = Some(Practices { left: 1, teacher: None });
    scene.step(2, "north", 2_000);
    scene
}

#[test]
fn who_has_sessions_left_goes_to_the_teacher_that_it_knows() {
    let mut scene = pupil();
    scene.does("attend", "south");
    scene.known.spent = true;
    scene.passes("attend");
    scene.known.spent = false;
    scene.state.practices = Some(Practices { left: 0, teacher: None });
    scene.passes("attend");
    scene.state.practices = Some(Practices { left: 1, teacher: None });
    // Too little would be gained: at each use less than a hit point, or less than a quarter.
    for (damage, percent) in [(1, 25), (5, 77)] {
        let known = KnownArt { percent, damage: Some(damage), ..spell("bolt", ArtUse::Harm, 10) };
        scene.state.skills = Some(vec![known]);
        scene.passes("attend");
    }
    // Nobody knows what a stab from behind is worth.
    let backstab =
        KnownArt { kind: ArtKind::Skill, verb: Some("backstab".into()), ..spell("backstab", ArtUse::Harm, 0) };
    scene.state.skills = Some(vec![backstab]);
    scene.passes("attend");
    // Who was refused at 80 percent is taught no more than that.
    scene.state.skills = Some(vec![KnownArt { damage: Some(5), ..spell("bolt", ArtUse::Harm, 10) }]);
    scene.does("attend", "south");
    scene.known.lessons.most = Some(30);
    scene.passes("attend");
    scene.known.lessons.most = None;
    // Nothing is left to learn.
    scene.state.skills = Some(vec![KnownArt { percent: 95, damage: Some(5), ..spell("bolt", ArtUse::Harm, 10) }]);
    scene.passes("attend");
}

#[test]
fn who_knows_no_teacher_asks_the_game_for_the_way_and_goes_it() {
    let mut scene = pupil();
    scene.known.lessons = Default::default();
    scene.does("attend", "practice bolt");
    let nobody = "There is nobody here who could teach you. Ives does, in the Hall. (the way: help the hall)";
    scene.known.refused(&scene.state, 2, "practice bolt", nobody, 2_000);
    scene.does("attend", "help the hall");
    let hears = |scene: &mut Scene, text: &str| {
        scene.known.sent(&scene.state, "help the hall", scene.now_ms);
        let line = Line { number: 1, at_ms: scene.now_ms, kind: EventKind::Text, from: None, text: text.into() };
        scene.known.hear(&scene.state, &line, scene.now_ms);
    };
    hears(&mut scene, "The Hall\nFrom here: 2 west, south.");
    scene.does("attend", "west");
    // In the next room it asks again.
    scene.step(3, "west", 3_000);
    scene.does("attend", "help the hall");
    hears(&mut scene, "The Hall\nFrom here: 21 west.");
    scene.passes("attend");
    scene.step(4, "west", 4_000);
    hears(&mut scene, "You know no short way there from where you are.");
    scene.passes("attend");
    scene.now_ms += 600_000;
    scene.does("attend", "help the hall");
}

#[test]
fn who_can_take_all_by_arts_dares_an_equal_and_one_above() {
    let hunts = |level: i32, mana: i32| {
        let mut scene = at_prey();
        // Few hit points for level 3.
        (scene.state.health, scene.state.max_health) = (Some(20), Some(20));
        (scene.known.bestiary.kind(7).level, scene.known.bestiary.kind(7).hp) = (Some(level), Some(24));
        scene.state.skills =
            Some(vec![KnownArt { percent: 80, damage: Some(15), ..spell("ember dart", ArtUse::Harm, 15) }]);
        (scene.state.mana, scene.state.max_mana) = (Some(mana), Some(100));
        scene.run("hunt") == Proposal::Do("kill rat".into())
    };
    // Two darts take twenty-four, one takes twelve.
    assert_eq!([2, 3, 4, 5].map(|level| hunts(level, 30)), [true, true, true, false]);
    assert_eq!([2, 3, 4, 5].map(|level| hunts(level, 29)), [true, false, false, false]);
}
