//! Fights that are remembered: kills, deaths, flights and wounds.

use super::*;

#[test]
fn a_kill_is_remembered_by_who_did_it_who_had_a_share_and_who_saw_it() {
    let mut scene = scene(&[("Ann", FIELD), ("Bob", FIELD), ("Cid", FIELD), ("Dan", FIELD), ("Eve", 101)]);
    for line in ["follow ann", "group all"] {
        scene.does(if line == "group all" { "Ann" } else { "Bob" }, line);
    }
    let dan = scene.id("Dan");
    scene.world.who_mut(dan).position = Position::Sleeping;
    let bull = mob(&mut scene, 112, FIELD);
    let serial = scene.world.who(bull).serial;
    scene.world.who_mut(bull).hit = 1;
    let first = until(&mut scene, "Ann", "kill bull", "killed");
    assert_eq!(roles(&first, "killed"), [("Ann", Role::Did), ("Cid", Role::Saw)], "{:#?}", first.recorded);
    assert_eq!(roles(&first, "assisted"), [("Bob", Role::Did)]);
    let own = of(&first, "killed", "Ann");
    let What::Killed { victim, killer, xp } = &own.what else { panic!("{own:?}") };
    assert_eq!((&*victim.name, victim.level, victim.kind), ("the red bull", 12, WhoKind::Mob));
    assert_eq!(&*victim.id, format!("mob_112_{serial}"));
    assert_eq!(killer.as_ref().map(|who| (&*who.name, who.level)), Some(("Ann", 20)));
    assert!(*xp > 0 && own.novel && own.valence.is_none());
    assert_eq!((own.room.vnum, names(&own.witnesses)), (FIELD, vec!["Bob", "Cid"]));
    let seen = of(&first, "killed", "Cid");
    assert!(matches!(seen.what, What::Killed { xp: 0, .. }) && !seen.novel);
    // One event, in the memories of all.
    let ids: Vec<_> = ["Ann", "Cid"].map(|name| of(&first, "killed", name).social_event_id).into();
    let shared = of(&first, "assisted", "Bob").social_event_id;
    assert!(shared.is_some() && ids.iter().all(|id| *id == shared), "{ids:?} {shared:?}");
    assert_eq!(shared.map(|id| id / 1024), Some(first.number));
    // The second of its kind is no news.
    let bull = mob(&mut scene, 112, FIELD);
    scene.world.who_mut(bull).hit = 1;
    let second = until(&mut scene, "Ann", "kill bull", "killed");
    assert!(!of(&second, "killed", "Ann").novel && !of(&second, "assisted", "Bob").novel);
}

#[test]
fn a_blow_that_kills_nothing_is_no_kill() {
    let mut scene = scene(&[("Ann", FIELD)]);
    mob(&mut scene, 112, FIELD);
    for _ in 0..3 {
        let report = scene.does("Ann", "hit bull");
        assert!(of_kind(&report, "killed").is_empty() && of_kind(&report, "fought").is_empty());
    }
}

#[test]
fn the_dead_remember_who_killed_them_and_what_it_cost() {
    let mut scene = scene(&[("Ann", FIELD), ("Bob", FIELD), ("Eve", 101)]);
    let ann = scene.id("Ann");
    scene.world.player_mut(ann).experience = 37_000;
    scene.world.who_mut(ann).hit = 1;
    let bull = mob(&mut scene, 112, FIELD);
    let report = blow(&mut scene, bull, ann, 500);
    assert_eq!(roles(&report, "killed"), [("Ann", Role::Suffered), ("Bob", Role::Saw)]);
    let own = of(&report, "killed", "Ann");
    let What::Killed { killer: Some(killer), xp, .. } = &own.what else { panic!("{own:?}") };
    assert_eq!((&*killer.name, killer.level, *xp, own.room.vnum), ("the red bull", 12, -1_000, FIELD));
    assert_eq!(scene.world.who(ann).player().map(|player| player.experience), Some(36_000));
    // Nobody to blame.
    scene.world.who_mut(ann).hit = -20;
    scene.world.update_position(ann);
    scene.world.die(ann, None, "a fall");
    let report = scene.tick();
    assert!(matches!(of(&report, "killed", "Ann").what, What::Killed { killer: None, .. }));
}

#[test]
fn a_flight_is_remembered_with_the_wounds_and_by_those_who_stay() {
    let mut scene = scene(&[("Ann", 100), ("Bob", 100), ("Eve", 105)]);
    let (ann, bob) = (scene.id("Ann"), scene.id("Bob"));
    scene.world.provoke(ann, bob);
    let most = scene.world.who(ann).now.hit_max;
    scene.world.who_mut(ann).hit = most / 2;
    let report = until(&mut scene, "Ann", "flee", "fled");
    assert_eq!(roles(&report, "fled"), [("Ann", Role::Did), ("Bob", Role::Suffered)]);
    let own = of(&report, "fled", "Ann");
    let What::Fled { from: Some(from), hp_percent, .. } = &own.what else { panic!("{own:?}") };
    assert_eq!((&*from.name, own.room.vnum), ("Bob", 100));
    assert!((30..=50).contains(hp_percent), "{hp_percent}");
}

#[test]
fn each_wound_is_remembered_once_in_a_fight() {
    let mut scene = scene(&[("Ann", FIELD), ("Bob", FIELD)]);
    let ann = scene.id("Ann");
    let bull = mob(&mut scene, 112, FIELD);
    {
        let character = scene.world.who_mut(ann);
        (character.base.hit_max, character.hit) = (1_000, 1_000);
    }
    scene.world.recompute(ann);
    let most = scene.world.who(ann).now.hit_max;
    let wounded = |scene: &mut Scene, percent_before: i32, percent_after: i32| {
        scene.world.who_mut(ann).hit = most * percent_before / 100;
        let report = blow(scene, bull, ann, most * (percent_before - percent_after) / 100);
        let told: Vec<_> = of_kind(&report, "wounded")
            .iter()
            .map(|(name, role, h)| {
                let What::Wounded { hp_percent, by: Some(by), .. } = &h.what else { panic!("{h:?}") };
                assert_eq!((*name, *role, &*by.name), ("Ann", Role::Suffered, "the red bull"));
                *hp_percent
            })
            .collect();
        told
    };
    assert_eq!(wounded(&mut scene, 60, 31), Vec::<u8>::new());
    assert_eq!(wounded(&mut scene, 40, 30), [30]);
    assert_eq!(wounded(&mut scene, 40, 30), Vec::<u8>::new(), "a second time in one fight");
    assert_eq!(wounded(&mut scene, 30, 14), [14]);
    assert_eq!(wounded(&mut scene, 14, 5), [5]);
    assert_eq!(wounded(&mut scene, 40, 10), Vec::<u8>::new());
    // Another fight.
    scene.world.stop_fights_of(ann);
    for _ in 0..=FIGHT_GAP_TICKS {
        scene.world.who_mut(ann).hit = most;
        scene.tick();
        scene.world.stop_fights_of(ann);
    }
    for _ in 0..=FIGHT_GAP_TICKS {
        scene.world.state.clock.tick += 1;
    }
    assert_eq!(wounded(&mut scene, 40, 4), [4], "all three at one blow are one wound");
    assert_eq!(wounded(&mut scene, 40, 4), Vec::<u8>::new());
}
