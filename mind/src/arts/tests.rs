//! What is told of arts, when, and how answers name them.

use super::*;
use protocol::arts::ArtKind;

fn art(name: &str, used_for: ArtUse, percent: i32) -> KnownArt {
    KnownArt {
        name: name.into(),
        kind: ArtKind::Spell,
        used_for,
        verb: Some("cast".into()),
        percent,
        level: Some(1),
        mana: Some(10),
        damage: None,
        risky: false,
    }
}

fn view(rows: Vec<KnownArt>) -> ArtsView {
    ArtsView { rows, ..ArtsView::default() }
}

fn everything(_: &ArtsView) -> bool {
    true
}

#[test]
fn the_best_of_what_is_known_comes_first_and_the_rest_is_counted() {
    let mut rows: Vec<KnownArt> = (0..50).map(|n| art(&format!("art {n:02}"), ArtUse::Protect, n)).collect();
    rows.push(art("balm", ArtUse::Heal, 5));
    rows.push(KnownArt { verb: None, ..art("second attack", ArtUse::Other, 90) });
    let mut arts = Arts::default();
    assert!(arts.set(view(rows)), "P1 shows none so far");
    arts.show(&everything);
    let names: Vec<&str> = arts.shown().rows.iter().map(|art| &*art.name).collect();
    assert_eq!((names.len(), arts.shown().more), (ROWS_MAX, 12));
    assert_eq!(names[..3], ["balm", "art 49", "art 48"]);
    assert!(!names.contains(&"art 00"), "what is not known is last");
    // In little room fewer rows stand, the best ones.
    arts.show(&|view: &ArtsView| view.rows.len() <= 3);
    assert_eq!((arts.shown().rows.len(), arts.shown().more), (3, 49));
    assert_eq!(*arts.shown().rows[0].name, *"balm");
}

#[test]
fn a_change_is_told_once_and_small_ones_wait() {
    let dart = |percent| art("ember dart", ArtUse::Harm, percent);
    let mut arts = Arts::default();
    arts.set(view(vec![dart(25)]));
    arts.show(&everything);
    assert_eq!(arts.news(), None);
    for percent in 26..30 {
        assert!(!arts.set(view(vec![dart(percent)])));
        assert_eq!(arts.news(), None, "{percent}");
    }
    arts.set(view(vec![dart(30)]));
    assert_eq!(arts.news(), Some(view(vec![dart(30)])));
    assert_eq!(arts.news(), None, "once");
    let cheaper = KnownArt { mana: Some(9), ..dart(31) };
    let learned = art("balm", ArtUse::Heal, 15);
    let damage = |damage| KnownArt { damage: Some(damage), ..cheaper.clone() };
    for (rows, news) in [
        (vec![cheaper.clone()], vec![cheaper.clone()]),
        (vec![cheaper.clone(), art("balm", ArtUse::Heal, 0)], vec![art("balm", ArtUse::Heal, 0)]),
        (vec![cheaper.clone(), learned.clone()], vec![learned.clone()]),
        (vec![damage(20), learned.clone()], vec![damage(20)]),
        (vec![damage(24), learned.clone()], vec![]),
        (vec![damage(25), learned.clone()], vec![damage(25)]),
    ] {
        assert!(!arts.set(view(rows.clone())), "P1 waits");
        assert_eq!(arts.news().map(|news| news.rows).unwrap_or_default(), news, "{rows:?}");
    }
    assert_eq!(arts.shown().rows, [dart(25)], "P1 is as it was");
    assert!(arts.is_behind());
    arts.show(&everything);
    assert!(!arts.is_behind(), "a fold shows all of it");
    assert_eq!(arts.shown().rows.len(), 2);
    assert!(arts.set(view(vec![dart(31)])), "what is no more does not stay in P1");
    let teacher = ArtsView { teacher: "Ives, The Hall (3)".into(), ..view(vec![dart(31)]) };
    arts.show(&everything);
    arts.set(teacher);
    assert_eq!(arts.news().map(|news| news.teacher), Some("Ives, The Hall (3)".into()));
}

#[test]
fn arts_are_named_in_many_ways() {
    let name = |name: &str, verb: &str, known| ArtName { name: name.into(), verb: Some(verb.into()), known };
    let arts = [
        name("magic missile", "cast", true),
        name("magic", "cast", true),
        name("kuji", "kuji", true),
        name("second kick", "kick", true),
        name("curse", "cast", false),
        name("cure light", "cast", true),
    ];
    for (text, wanted, rest) in [
        ("Magic Missile", "magic missile", ""),
        ("'magic missile' 2.rat", "magic missile", "2.rat"),
        ("magic missile rat", "magic missile", "rat"),
        ("magic rat", "magic", "rat"),
        ("mag mis", "magic missile", ""),
        ("kick", "second kick", ""),
        ("cur", "cure light", ""),
        ("curse", "curse", ""),
    ] {
        match named(&arts, text) {
            Named::Art(art, behind) => assert_eq!((&*art.name, behind.as_str()), (wanted, rest), "{text}"),
            Named::Nearly(_) => panic!("{text} is {wanted}"),
        }
    }
    for (text, wanted) in [("magc misile", Some("magic missile")), ("dance", None), ("", None), ("''", None)] {
        match named(&arts, text) {
            Named::Art(art, _) => panic!("{text} is not {}", art.name),
            Named::Nearly(near) => assert_eq!(near.map(|art| &*art.name), wanted, "{text}"),
        }
    }
}

#[test]
fn things_are_used_as_their_names_say() {
    for (object, verb) in
        [("vial", "quaff"), ("2.Potion", "quaff"), ("scroll of recall", "recite"), ("wand", "use"), ("", "use")]
    {
        assert_eq!(verb_for(object), verb, "{object}");
    }
}
