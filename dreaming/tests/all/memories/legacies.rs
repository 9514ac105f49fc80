//! What is handed down: chosen, marked, never faded, the same in every night; and what several found is a principle.

use super::*;
use dreaming::bootstrap::{Size, bootstrap};
use dreaming::check::Judge;
use dreaming::config::Inherited;
use dreaming::graph::{Sort, Verdict};
use mind::budget::Tier;

/// An insight of somebody about a mob of a level.
fn lesson(agent: &str, vnum: i32, verdict: Verdict) -> Inherited {
    let words = match verdict {
        Verdict::TooStrong => "too strong for me",
        _ => "a fight that I win",
    };
    Inherited {
        agent: agent.into(),
        id: format!("reflection:mob:{vnum}"),
        text: format!("Fighting beast {vnum} I had four fights: {words}."),
        evidence: vec![3, 5, 8],
        valence: -2.0,
        about: format!("mob:{vnum}"),
        class: "levels 6 to 10".into(),
        verdict: Some(verdict),
        ..Inherited::default()
    }
}

fn fought(log: &mut Log, vnum: i32, won: bool, times: u32) {
    for serial in 0..times {
        let beast = mob(&format!("a beast {vnum}"), vnum, serial);
        match won {
            true => log.push(Role::Did, What::Killed { victim: beast, killer: Some(me()), xp: 9 }),
            false => log.push(Role::Suffered, What::Killed { victim: me(), killer: Some(beast), xp: 0 }),
        };
    }
}

fn heir(log: &Log, handed: &[Inherited]) -> Dream {
    let mut config = Config::new(AGENT, day_of(log.at_ms, 0));
    config.inherit = handed.to_vec();
    let dreamt = dream(None, &log.records, &config);
    let judge = Judge::new(&log.records, &config.terms).with_inherited(handed);
    assert_eq!(judge.graph(&dreamt.graph), []);
    assert_eq!(judge.story(&dreamt.summary), [], "{}", dreamt.summary.text);
    let given = bootstrap(&dreamt.graph, &[], Size::of(Tier::Unlimited), dreamt.graph.cursor.tick);
    assert_eq!(judge.bootstrap(&given), [], "{}", given.block);
    dreamt
}

fn principles(graph: &Graph) -> Vec<(String, usize)> {
    let of = graph.alive().filter_map(|(_, node)| match &node.body {
        Body::Reflection(body) if body.sort == Sort::Principle => Some((body.text.to_string(), body.cites.len())),
        _ => None,
    });
    of.collect()
}

#[test]
fn what_two_found_of_three_is_a_principle() {
    let mut log = Log::from_day(20_000);
    fought(&mut log, 1, true, 1);
    let strong = |agent, vnum| lesson(agent, vnum, Verdict::TooStrong);
    let handed = [strong("Ann", 61), strong("Ann", 62), strong("Bob", 63)];
    let said = "PRINCIPLE: beings of levels 6 to 10 are too strong (3 of 3 insights, of Ann and Bob).".to_string();
    assert_eq!(principles(&heir(&log, &handed).graph), vec![(said, 3)]);
    // One author, two subjects, another class, one exception too many: nothing.
    let mut elsewhere = strong("Bob", 63);
    elsewhere.class = "levels 11 to 15".into();
    let won = lesson("Bob", 64, Verdict::Won);
    for few in [
        vec![strong("Ann", 61), strong("Ann", 62), strong("Ann", 63)],
        vec![strong("Ann", 61), strong("Bob", 61), strong("Bob", 62)],
        vec![strong("Ann", 61), strong("Ann", 62), elsewhere],
        vec![strong("Ann", 61), strong("Bob", 62), won.clone(), lesson("Bob", 65, Verdict::Won), strong("Bob", 63)],
    ] {
        assert_eq!(principles(&heir(&log, &few).graph), vec![], "{few:?}");
    }
    // One in four is allowed.
    let most = [strong("Ann", 61), strong("Ann", 62), strong("Bob", 63), won];
    let said = "PRINCIPLE: beings of levels 6 to 10 are too strong (3 of 4 insights, of Ann and Bob).".to_string();
    assert_eq!(principles(&heir(&log, &most).graph), vec![(said, 3)]);
}

#[test]
fn own_insights_count_with_those_of_others() {
    let mut log = Log::from_day(20_000);
    for vnum in [71, 72] {
        fought(&mut log, vnum, false, 15);
    }
    let graph = heir(&log, &[lesson("Ann", 61, Verdict::TooStrong)]).graph;
    let said = format!("PRINCIPLE: beings of levels 6 to 10 are too strong (3 of 3 insights, of Ann and {AGENT}).");
    assert_eq!(principles(&graph), vec![(said, 3)]);
    // All are handed down, with the reflections and what was seen.
    let down = legacy::to_hand_down(&graph);
    assert_eq!(down.iter().filter(|one| one.sort == Sort::Principle).count(), 1);
    let seen = down.iter().filter(|one| one.sort == Sort::Observation).count();
    assert!(seen > 0 && seen <= legacy::OBSERVATIONS_MAX);
    let passed = down.iter().find(|one| one.agent == "Ann").expect("handed on");
    assert_eq!((passed.wisdom, passed.generation), (1, 0));
    assert!(down.iter().filter(|one| one.agent == AGENT).all(|one| one.generation == 1 && one.wisdom == 0));
}

#[test]
fn what_the_heir_lived_contradicts_what_it_was_told() {
    let mut log = Log::from_day(20_000);
    fought(&mut log, 61, true, 30);
    let handed = [lesson("Ann", 61, Verdict::TooStrong), lesson("Ann", 62, Verdict::TooStrong)];
    let dreamt = heir(&log, &handed);
    let story = narrate::summary(&dreamt.graph, 5_000).text;
    let lines: Vec<&str> = story.lines().filter(|line| line.contains("beast 6")).collect();
    let otherwise = "(handed down by Ann, generation 0, 1 hand; my own counts say otherwise)";
    assert!(lines.iter().any(|line| line.contains("beast 61") && line.ends_with(otherwise)), "{story}");
    assert!(lines.iter().any(|line| line.contains("beast 62") && line.ends_with("generation 0, 1 hand)")), "{story}");
    let place = |words: &str| lines.iter().position(|line| line.contains(words)).expect("told");
    assert!(place("I won 30 times") < place("handed down"), "its own comes first: {story}");
}

#[test]
fn what_was_handed_down_neither_fades_nor_depends_on_the_nights() {
    let mut log = Log::from_day(20_000);
    let handed = [lesson("Ann", 61, Verdict::TooStrong), lesson("Bob", 62, Verdict::Won)];
    let mut graph: Option<Graph> = None;
    for day in 0..6 {
        fought(&mut log, 7, true, 5);
        log.at_ms += 40 * DAY_MS * day;
        let mut config = Config::new(AGENT, day_of(log.at_ms, 0));
        config.inherit = handed.to_vec();
        let before = graph.take().map(|graph: Graph| Graph::from_json(&graph.to_json(), AGENT).expect("just written"));
        let night = dream(before, &log.records, &config).graph;
        let at_once = dream(None, &log.records, &config).graph;
        assert_eq!(night.to_json(), at_once.to_json(), "night {day}");
        let known = night.alive().filter(|(_, node)| matches!(&node.body, Body::Reflection(b) if b.wisdom == 1));
        assert_eq!(known.count(), 2);
        graph = Some(night);
    }
}

#[test]
fn damaged_items_and_own_ones_are_left_out() {
    let mut log = Log::from_day(20_000);
    fought(&mut log, 1, true, 1);
    let sound = lesson("Ann", 61, Verdict::Won);
    let spoilt: [fn(&mut Inherited); 9] = [
        |one| one.agent = "x\u{1b}[2J".into(),
        |one| one.agent = AGENT.into(),
        |one| one.text = "  ".into(),
        |one| one.text = "a\nb".into(),
        |one| one.text = "a".repeat(700),
        |one| one.evidence.clear(),
        |one| one.evidence = (0..101).collect(),
        |one| one.valence = f64::NAN,
        |one| one.sort = Sort::Unknown,
    ];
    for spoil in spoilt {
        let mut damaged = sound.clone();
        spoil(&mut damaged);
        let graph = heir(&log, &[damaged.clone()]).graph;
        let handed = graph.alive().filter(|(_, node)| matches!(&node.body, Body::Reflection(b) if b.wisdom > 0));
        assert_eq!(handed.count(), 0, "{damaged:?}");
    }
    // The same by two ways counts once, by the shorter one.
    let mut longer = sound.clone();
    longer.wisdom = 4;
    let graph = heir(&log, &[longer, sound]).graph;
    let hands: Vec<u32> = graph
        .alive()
        .filter_map(|(_, node)| match &node.body {
            Body::Reflection(body) if body.from_agent.is_some() => Some(body.wisdom),
            _ => None,
        })
        .collect();
    assert_eq!(hands, [1]);
}
