//! Who betrays whom, and who defends: blows after kindness, and help in somebody else's fight.

use super::*;

/// Bob gives Ann a ring, waits so many ticks and strikes her.
fn struck_after_gift(ticks: u64) -> Report {
    let mut scene = scene(&[("Ann", FIELD), ("Bob", FIELD), ("Cid", FIELD), ("Eve", 101)]);
    hand(&mut scene, 128, "Bob");
    scene.does("Bob", "give ring ann");
    scene.world.state.clock.tick += ticks;
    scene.does("Bob", "murder ann")
}

#[test]
fn who_strikes_one_to_whom_it_gave_betrays_her_for_300_ticks() {
    let report = struck_after_gift(TRUST_TICKS);
    assert_eq!(roles(&report, "betrayed"), [("Bob", Role::Did), ("Ann", Role::Suffered), ("Cid", Role::Saw)]);
    let own = of(&report, "betrayed", "Ann");
    assert_eq!(own.others().map(|who| &*who.name).collect::<Vec<_>>(), ["Bob"]);
    let ids: Vec<_> = report.recorded.iter().map(|recorded| recorded.happening.social_event_id).collect();
    assert!(ids[0].is_some() && ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    assert!(roles(&struck_after_gift(TRUST_TICKS + 1), "betrayed").is_empty());
}

#[test]
fn who_strikes_one_who_helped_it_betrays_her_and_the_other_way_round_not() {
    for (helper, is_treason) in [("Ann", true), ("Bob", false)] {
        let mut scene = scene(&[("Ann", FIELD), ("Bob", FIELD)]);
        let (one, other) = (scene.id("Ann"), scene.id("Bob"));
        let helped = if helper == "Ann" { other } else { one };
        let bull = mob(&mut scene, 112, FIELD);
        scene.world.provoke(bull, helped);
        let report = scene.does(helper, if helper == "Ann" { "assist bob" } else { "assist ann" });
        assert_eq!(roles(&report, "helped").len(), 2, "{:#?}", report.lines);
        scene.world.stop_fights_of(bull);
        scene.world.extract_character(bull);
        for who in [one, other] {
            scene.world.who_mut(who).free_tick = 0;
        }
        let report = scene.does("Bob", "murder ann");
        assert_eq!(!roles(&report, "betrayed").is_empty(), is_treason, "helped by {helper}: {:#?}", report.lines);
    }
}

#[test]
fn who_strikes_a_member_of_the_group_betrays_it_once_in_a_fight() {
    let mut scene = scene(&[("Ann", FIELD), ("Bob", FIELD)]);
    scene.does("Bob", "follow ann");
    let report = scene.does("Ann", "group bob");
    assert_eq!(roles(&report, "helped"), [("Ann", Role::Did), ("Bob", Role::Suffered)]);
    assert!(matches!(of(&report, "helped", "Bob").what, What::Helped { how: Help::Grouped, .. }));
    // Who strikes back betrays nobody, whatever was given before.
    scene.does("Ann", "give 5 coins bob");
    let mut told = Vec::new();
    for _ in 0..6 {
        for report in [scene.does("Bob", "murder ann"), scene.tick()] {
            told.extend(of_kind(&report, "betrayed").iter().map(|(name, role, _)| (name.to_string(), *role)));
        }
    }
    assert_eq!(told, [("Bob".to_string(), Role::Did), ("Ann".to_string(), Role::Suffered)]);
    let report = scene.does("Bob", "ungroup");
    assert_eq!(roles(&report, "parted"), [("Bob", Role::Did), ("Ann", Role::Suffered)]);
}

/// Ann is attacked; after so many ticks Bob types that.
fn joined_after(ticks: u64, line: &str) -> Report {
    let mut scene = scene(&[("Ann", FIELD), ("Bob", FIELD), ("Cid", FIELD), ("Eve", 101)]);
    let ann = scene.id("Ann");
    let bull = mob(&mut scene, 112, FIELD);
    scene.world.provoke(bull, ann);
    let most = scene.world.who(ann).now.hit_max;
    scene.world.who_mut(ann).hit = most / 10;
    scene.world.state.clock.tick += ticks;
    scene.does("Bob", line)
}

#[test]
fn who_joins_a_fight_within_five_ticks_of_its_start_defends() {
    for line in ["assist ann", "kill bull"] {
        let report = joined_after(DEFENCE_TICKS, line);
        assert_eq!(
            roles(&report, "helped"),
            [("Bob", Role::Did), ("Ann", Role::Suffered), ("Cid", Role::Saw)],
            "{line}: {:#?}",
            report.lines
        );
        let own = of(&report, "helped", "Ann");
        let What::Helped { how, hp_percent: Some(hp), .. } = &own.what else { panic!("{own:?}") };
        assert!(*how == Help::Defended && (5..=10).contains(hp), "{own:?}");
        assert_eq!(names(&own.witnesses), ["Cid", "the red bull"]);
        assert!(roles(&joined_after(DEFENCE_TICKS + 1, line), "helped").is_empty(), "{line}");
    }
}

#[test]
fn to_strike_what_another_hunts_is_no_help() {
    let mut scene = scene(&[("Ann", FIELD), ("Bob", FIELD)]);
    mob(&mut scene, 112, FIELD);
    scene.does("Ann", "kill bull");
    assert!(roles(&scene.does("Bob", "kill bull"), "helped").is_empty());
}

#[test]
fn a_rescue_is_remembered_with_how_bad_it_was() {
    let mut scene = scene(&[("Ann", FIELD), ("Bob", FIELD)]);
    let (ann, bob) = (scene.id("Ann"), scene.id("Bob"));
    scene.world.player_mut(bob).skills.insert("rescue".into(), 101);
    let bull = mob(&mut scene, 112, FIELD);
    scene.world.provoke(bull, ann);
    let most = scene.world.who(ann).now.hit_max;
    scene.world.who_mut(ann).hit = most / 10;
    let report = scene.does("Bob", "rescue ann");
    let own = of(&report, "helped", "Ann");
    assert!(matches!(own.what, What::Helped { how: Help::Rescued, hp_percent: Some(5..=10), .. }), "{own:?}");
}
