//! What works on people, whatever it comes from: one way to be harmed, one way to be raised; and saves from before.

use content::flags::AffectFlags;
use content::words::Class;
use protocol::Outcome;
use std::sync::Arc;
use tests::scene::{Person, Scene, read_content, tests_folder};
use world::affect::{Affect, Source};
use world::effects::{self, Cause, Effect, Harm, HarmKind, SetAffect, Stacking, affects, harm};
use world::record::{CharacterRecord, RECORD_VERSION};
use world::report::{LineKind, Request};
use world::rng::Dice;
use world::rules::Rules;
use world::skill::SkillId;
use world::{Admin, CharacterId, Input, Report};

const FIELD: i32 = 200;

fn scene(names: &[&str]) -> Scene {
    let mut scene = Scene::open("green", 4);
    for name in names {
        scene.enter(name, &Person { level: 20, room: Some(FIELD), ..Person::default() });
    }
    scene
}

/// Closes the report of what was done behind the world's back.
fn report(scene: &mut Scene) -> Report {
    scene.world.apply(&Input::Admin(Admin::Announce { text: "So much for that.".into() }))
}

const KINDS: [HarmKind; 7] = [
    HarmKind::Breathless,
    HarmKind::Drowning,
    HarmKind::Fire,
    HarmKind::Fall,
    HarmKind::Poison,
    HarmKind::CutThroat,
    HarmKind::Bleeding,
];

#[test]
fn whatever_takes_hit_points_takes_them_the_same_way() {
    for kind in KINDS {
        let mut scene = scene(&["Ann", "Bob"]);
        let ann = scene.id("Ann");
        let before = scene.world.who(ann).hit;
        assert!(!effects::work(&mut scene.world, ann, Effect::Harm { amount: 7, kind }, Cause::default()));
        assert_eq!(scene.world.who(ann).hit, before - 7, "{kind:?}");
        let report = report(&mut scene);
        let told = |name: &str| {
            let id = scene.id(name);
            report
                .lines
                .iter()
                .filter(|(to, _)| *to == id)
                .filter_map(|(_, line)| line.outcome.clone())
                .collect::<Vec<_>>()
        };
        let hurt = told("Ann");
        let [outcome] = &hurt[..] else { panic!("{kind:?}: {hurt:?}") };
        assert!(matches!(&**outcome, Outcome::Hurt { amount: 7, victim, .. } if &*victim.name == "Ann"), "{outcome:?}");
        // Nobody but the dying bleeds without a sign.
        assert_eq!(told("Bob").len(), usize::from(kind != HarmKind::Bleeding), "{kind:?}");
        // Once there is nothing left, one dies of it.
        scene.world.who_mut(ann).hit = 1;
        assert!(effects::work(&mut scene.world, ann, Effect::Harm { amount: 3_000, kind }, Cause::default()));
        let deaths = scene.world.who(ann).player().expect("a player").deaths;
        assert_eq!(deaths, 1, "{kind:?}");
    }
}

#[test]
fn who_is_immune_to_one_harm_is_immune_to_all() {
    let mut scene = scene(&["Ann", "Bob"]);
    scene.enter("God", &Person { level: 38, room: Some(FIELD), ..Person::default() });
    let (ann, bob) = (scene.id("Ann"), scene.id("Bob"));
    scene.world.who_mut(ann).base.flags.insert(AffectFlags::INVULNERABLE);
    scene.world.recompute(ann);
    for safe in [ann, scene.id("God")] {
        let before = scene.world.who(safe).hit;
        for kind in KINDS {
            harm::harm(&mut scene.world, Harm { victim: safe, by: None, amount: 500, kind, source: Source::Unknown });
        }
        harm::harm(&mut scene.world, Harm::blow(bob, safe, 500, content::words::AttackType::Hit));
        assert_eq!(scene.world.who(safe).hit, before, "{}", scene.world.who(safe).name);
    }
    assert!(scene.world.check_all().is_empty(), "{:#?}", scene.world.check_all());
}

#[test]
fn poison_knows_what_it_was_in_and_who_gave_it() {
    let mut scene = scene(&["Ann", "Bob"]);
    let (ann, bob) = (scene.id("Ann"), scene.id("Bob"));
    let affect = Affect { kind: "poison".into(), hours: 5, flags: AffectFlags::POISON, ..Affect::default() };
    let set = |hours: i32, stacking| Effect::Affect(SetAffect { affect: Affect { hours, ..affect.clone() }, stacking });
    effects::work(
        &mut scene.world,
        ann,
        set(5, Stacking::Longer),
        Cause { by: Some(bob), source: Source::Object(122) },
    );
    effects::work(&mut scene.world, ann, set(2, Stacking::Longer), Cause::of(Source::Object(121)));
    let [affect] = &scene.world.who(ann).affects[..] else { panic!("{:?}", scene.world.who(ann).affects) };
    assert_eq!(
        (affect.hours, &affect.source, &affect.caster),
        (5, &Source::Object(121), &None),
        "longer, but the newer"
    );
    effects::work(
        &mut scene.world,
        ann,
        set(-1, Stacking::Longer),
        Cause { by: Some(bob), source: Source::Object(122) },
    );
    effects::work(&mut scene.world, ann, set(3, Stacking::Separate), Cause::default());
    assert_eq!(scene.world.who(ann).affects.iter().map(|a| a.hours).collect::<Vec<_>>(), [-1, 3]);
    let cause = affects::cause_of(&scene.world, ann, AffectFlags::POISON);
    assert_eq!((cause.by, cause.source), (Some(bob), Source::Object(122)));
    // It outlives a save, and names nobody while its giver is away.
    let record = scene.world.record_of(ann).expect("a player");
    let again: CharacterRecord = serde_json::from_str(&serde_json::to_string(&record).expect("plain")).expect("read");
    assert_eq!(again.affects, scene.world.who(ann).affects);
    scene.does("Bob", "quit");
    assert_eq!(affects::cause_of(&scene.world, ann, AffectFlags::POISON).by, None);
    // Whoever dies of it is said to have died of that.
    scene.world.who_mut(ann).hit = 1;
    let cause = affects::cause_of(&scene.world, ann, AffectFlags::POISON);
    effects::work(&mut scene.world, ann, Effect::Harm { amount: 30, kind: HarmKind::Poison }, cause);
    let report = report(&mut scene);
    let logged = report.requests.iter().any(|request| {
        matches!(request, Request::Log { text } if text == "Ann was killed by poison (a loaf of bread) in room 200")
    });
    assert!(logged, "{:#?}", report.requests);
    assert!(scene.world.who(ann).affects.is_empty());
}

#[test]
fn a_level_is_the_same_whoever_gives_it() {
    let levels = |scene: &Scene, name: &str| {
        let c = scene.world.who(scene.id(name));
        (c.level, c.player_flags(), c.player().map(|p| (p.full, p.thirst, p.experience)))
    };
    let mut scene = Scene::open("green", 4);
    for name in ["Ann", "Bob"] {
        scene.enter(name, &Person { room: Some(FIELD), ..Person::default() });
    }
    scene.enter("God", &Person { level: 40, room: Some(FIELD), ..Person::default() });
    let ann = scene.id("Ann");
    for level in [9, 33, 4] {
        let by_operator = scene.world.apply(&Input::Admin(Admin::Promote { who: ann, level }));
        let by_immortal = scene.does("God", &format!("advance bob {level}"));
        assert_eq!(levels(&scene, "Ann"), levels(&scene, "Bob"));
        let told = |report: &Report, who: CharacterId| -> Vec<(String, bool)> {
            let lines = report.lines.iter().filter(|(to, line)| *to == who && line.kind == LineKind::Level);
            lines.map(|(_, line)| (line.text.clone(), line.outcome.is_some())).collect()
        };
        // Each is told who did it, and otherwise the same.
        let of_god =
            |text: String| text.replace("The keeper of this world has", "God has").replace(" you, Ann.", " you, Bob.");
        let operators: Vec<_> =
            told(&by_operator, ann).into_iter().map(|(text, noted)| (of_god(text), noted)).collect();
        assert!(
            operators.iter().all(|(text, _)| text.contains("God has ") && text.contains(" you, Bob.")),
            "{operators:?}"
        );
        assert_eq!(operators, told(&by_immortal, scene.id("Bob")), "level {level}");
        let remembered = |report: &Report| report.recorded.len();
        assert_eq!(remembered(&by_operator), remembered(&by_immortal), "level {level}");
        // At rest it comes to the same standing; the dice alone differ.
        let mut record = scene.world.record_of(ann).expect("a player");
        world::promotion::promote_record(&mut record, 33, &Rules::built_in(), &mut Dice::new(1, 2, 3, 4));
        world::promotion::promote_record(&mut record, level, &Rules::built_in(), &mut Dice::new(1, 2, 3, 4));
        assert_eq!((record.level, record.player.flags), (level, scene.world.who(ann).player_flags()), "level {level}");
    }
}

#[test]
fn a_second_blow_is_what_the_rule_book_says_of_the_class() {
    let rules = Rules::built_in();
    let second = |class| rules.class(class).second_attack.map(|second| (second.above_level, second.percent));
    assert_eq!(second(Class::Warrior), Some((10, 60)));
    assert_eq!(second(Class::Ninja), Some((12, 60)));
    assert_eq!(second(Class::Thief), Some((15, 30)));
    assert_eq!(second(Class::MagicUser), None);
}

#[test]
fn a_save_of_the_first_version_is_read_and_goes_on_as_one_of_today() {
    let json = std::fs::read_to_string(tests_folder().join("golden/character_v1.json")).expect("the fixture");
    let old: CharacterRecord = serde_json::from_str(&json).expect("a record of version 1 is read");
    assert_eq!((old.version, old.affects.len(), old.player.skills.len()), (1, 2, 3));
    assert!(old.affects.iter().all(|affect| affect.source == Source::Unknown && affect.caster.is_none()));
    assert_eq!(old.player.records, world::budget::Budget::default(), "with a full budget");
    let mut scene = scene(&[]);
    let entered = scene.world.apply(&Input::Enter { record: Box::new(old.clone()), agent: true });
    let who = entered.entered.expect("she is here");
    assert_eq!(scene.world.who(who).skill(&SkillId::PICK_LOCK), 55);
    assert!(scene.world.check_all().is_empty(), "{:#?}", scene.world.check_all());
    let new = scene.world.record_of(who).expect("a player");
    assert_eq!(new.version, RECORD_VERSION);
    let same = |record: &CharacterRecord| {
        let player = &record.player;
        (
            record.level,
            record.gold,
            record.affects.clone(),
            player.skills.clone(),
            player.past.clone(),
            player.title.clone(),
        )
    };
    assert_eq!(same(&new), same(&old), "nothing that she had is lost, not even a skill that nobody teaches any more");
}

/// A customer of the shop that sells vials, when it is open. `change`: what is otherwise in the content.
fn at_the_apothecary(change: impl FnOnce(&mut content::Content, i32)) -> Scene {
    let mut content = read_content(&tests_folder().join("../data/world"));
    let is_vial = |vnum: &i32| {
        content.object(*vnum).is_some_and(|proto| matches!(proto.kind, content::ObjectKind::Potion { .. }))
    };
    let vials =
        content.shops.iter().find_map(|shop| Some((shop.rooms[0], *shop.products.iter().find(|v| is_vial(v))?)));
    let (room, vial) = vials.expect("one sells vials");
    change(&mut content, vial);
    let mut scene = Scene::on(Arc::new(content), 5);
    scene.enter("Ann", &Person { level: 20, room: Some(room), gold: 100_000, ..Person::default() });
    for _ in 0..2_000 {
        let report = scene.does("Ann", "list");
        if scene.read_by("Ann", &report).contains("price") {
            return scene;
        }
        scene.tick();
    }
    panic!("it never opens");
}

#[test]
fn whoever_buys_a_vial_can_drink_it() {
    let mut scene = at_the_apothecary(|_, _| {});
    let mut read = |line: &str| {
        let report = scene.does("Ann", line);
        scene.read_by("Ann", &report)
    };
    assert!(!read("list").contains("(asleep)"));
    read("buy #1");
    let drunk = read("quaff 1.vial");
    assert!(drunk.contains("You quaff"), "{drunk}");
}

#[test]
fn no_keeper_takes_money_for_what_nobody_can_use() {
    let mut scene = at_the_apothecary(|content, vial| {
        let proto = content.objects.iter_mut().find(|proto| proto.vnum == vial).expect("it is sold");
        proto.kind = content::ObjectKind::Potion { level: 5, spells: [9_999, 0, 0] };
    });
    let mut read = |line: &str| {
        let report = scene.does("Ann", line);
        scene.read_by("Ann", &report)
    };
    let list = read("list");
    assert_eq!(list.matches(" (asleep)").count(), 1, "{list}");
    assert!(list.contains("is not for sale.\nDone here for coins:"), "{list}");
    let at = list.lines().filter(|line| line.contains('#')).position(|line| line.contains("(asleep)")).expect("a line");
    assert!(read(&format!("buy #{}", at + 1)).contains("That one sleeps, and nobody living can wake it."));
    assert_eq!(scene.world.who(scene.id("Ann")).gold, 100_000);
}
