//! Words that are remembered, and the names of those who could be seen.

use super::*;

#[test]
fn words_that_are_not_neutral_are_remembered_by_who_hears_them() {
    let mut scene = scene(&[("Ann", 100), ("Bob", 100), ("Cid", 100), ("Eve", 101)]);
    assert!(scene.does("Ann", "say The way north is open, Bob.").recorded.is_empty());
    let report = scene.does("Ann", "say Thank you, Bob, my friend!");
    assert_eq!(roles(&report, "spoke"), [("Ann", Role::Did), ("Bob", Role::Suffered), ("Cid", Role::Saw)]);
    let own = of(&report, "spoke", "Bob");
    let What::Spoke { tone: Tone::Kind, text, to: Some(to), .. } = &own.what else { panic!("{own:?}") };
    assert_eq!((&**text, &*to.name, names(&own.witnesses)), ("Thank you, Bob, my friend!", "Bob", vec!["Cid"]));
    // To nobody in particular, who has several hearers.
    let report = scene.does("Ann", "say I will kill you all");
    assert_eq!(roles(&report, "spoke"), [("Ann", Role::Did), ("Bob", Role::Saw), ("Cid", Role::Saw)]);
    let report = scene.does("Ann", "whisper bob you stupid fool");
    assert_eq!(roles(&report, "spoke"), [("Ann", Role::Did), ("Bob", Role::Suffered)]);
    let report = scene.does("Ann", "tell eve you stupid fool");
    assert_eq!(roles(&report, "spoke"), [("Ann", Role::Did), ("Eve", Role::Suffered)]);
    assert_eq!((of(&report, "spoke", "Ann").room.vnum, of(&report, "spoke", "Eve").room.vnum), (100, 101));
    // A channel: only between the speaker and the one who is named.
    assert!(scene.does("Ann", "gossip hello friends").recorded.is_empty());
    let report = scene.does("Ann", "gossip thanks eve");
    assert_eq!(roles(&report, "spoke"), [("Ann", Role::Did), ("Eve", Role::Suffered)]);
    let report = scene.does("Ann", &format!("say I hate it {}", "ha ".repeat(150)));
    let What::Spoke { text, .. } = &of(&report, "spoke", "Ann").what else { panic!("{report:?}") };
    assert_eq!(text.chars().count(), protocol::happening::TEXT_MAX);
}

#[test]
fn nobody_remembers_the_name_of_whom_it_could_not_see() {
    let mut scene = scene(&[("Ann", FIELD), ("Mallory", FIELD), ("Cid", FIELD)]);
    hide(&mut scene, "Mallory");
    let mut reports = vec![
        scene.does("Mallory", "say I will kill you, Ann"),
        scene.does("Mallory", "tell ann you stupid fool"),
        scene.does("Ann", "say Thank you, Mallory"),
        scene.does("Mallory", "say you fool"),
    ];
    hand(&mut scene, 128, "Mallory");
    reports.push(scene.does("Mallory", "give ring ann"));
    // A ring's invisibility outlasts a blow, an enchantment does not; so the blow is struck by one who stays unseen.
    let (ann, mallory) = (scene.id("Ann"), scene.id("Mallory"));
    scene.world.who_mut(mallory).base.flags.remove(AffectFlags::INVISIBLE);
    scene.world.recompute(mallory);
    scene.world.who_mut(mallory).now.flags.insert(AffectFlags::INVISIBLE);
    reports.push(blow(&mut scene, mallory, ann, 1));
    for report in &reports {
        for recorded in report.recorded.iter().filter(|recorded| &*recorded.name != "Mallory") {
            let text = format!("{:?}", recorded.happening).replace("Thank you, Mallory", "");
            assert!(!text.to_lowercase().contains("mallory"), "{recorded:?}");
        }
    }
    assert!(
        matches!(&of(&reports[0], "spoke", "Ann").what, What::Spoke { speaker, .. } if &*speaker.name == "someone")
    );
    assert!(matches!(&of(&reports[5], "betrayed", "Ann").what, What::Betrayed { by, .. } if by.id.is_empty()));
    assert!(
        matches!(&of(&reports[5], "betrayed", "Mallory").what, What::Betrayed { by, .. } if &*by.name == "Mallory")
    );
    // Whoever speaks learns nothing of who hides there.
    assert!(matches!(&of(&reports[2], "spoke", "Ann").what, What::Spoke { to: Some(to), .. } if &*to.name == "Cid"));
}
