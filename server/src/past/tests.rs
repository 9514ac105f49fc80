//! Moments of a journal that was played by hand, beside the world itself as it was then.

use super::*;
use crate::journal::{Gauges, Snapshot, Unwritten, format, write_snapshot};
use crate::replay::played::Society;
use crate::state_dir::PlayedIn;
use std::cell::Cell;
use world::World;
use world::hash::StateHashes;

const ALWAYS: &dyn Fn() -> bool = &|| true;

/// What the world was after each tick.
type Then = BTreeMap<u64, StateHashes>;

/// Plays on to a tick. Ann says something before each seventh.
fn play(society: &mut Society, then: &mut Then, to: u64) {
    while society.world.tick() < to {
        if society.world.tick() % 7 == 6 && society.ids.contains_key("Ann") {
            let who = society.ids["Ann"];
            society.apply(&world::Input::Command { who, line: "say on and on".into() });
        }
        society.tick(1);
        let (tick, hashes) = (society.world.tick(), society.world.hashes());
        if tick % crate::journal::HASH_EVERY == 0 {
            let number = society.world.state.number;
            format::append_hashes(&mut society.segment, &society.header, number, tick, &hashes);
        }
        then.insert(tick, hashes);
    }
}

fn snapshot(society: &Society) {
    let (start, start_tick) = (society.world.state.number, society.world.tick());
    let header = crate::journal::Header { start, start_tick, ..society.header.clone() };
    let snapshot = Snapshot::of(&society.world, header, Unwritten::default());
    write_snapshot(&Layout::new(society.folder.path()), &snapshot, &Gauges::default()).expect("written");
}

/// Two hours and a bit, with a snapshot in the second, made after something had happened behind its tick.
fn two_hours() -> (Society, Then) {
    let (mut society, mut then) = (Society::new(), Then::new());
    then.insert(0, society.world.hashes());
    society.persons(100, &["Ann", "Bob"]);
    play(&mut society, &mut then, 2_000);
    let who = society.ids["Bob"];
    society.apply(&world::Input::Command { who, line: "say a word behind the tick".into() });
    snapshot(&society);
    play(&mut society, &mut then, 3_700);
    (society, then)
}

fn hashes(timeline: &Timeline, tick: u64) -> StateHashes {
    let moment = timeline.seek(Some(tick), ALWAYS).unwrap_or_else(|error| panic!("{tick}: {error:#}"));
    assert_eq!(moment.world.tick(), tick);
    moment.world.hashes()
}

#[test]
fn every_tick_is_as_it_was_forwards_and_backwards() {
    let (society, then) = two_hours();
    let timeline = Timeline::open(society.past()).expect("it can be shown");
    // Within an hour and across hours, by the snapshot and past it, and the tick of the snapshot itself.
    for tick in [1, 2, 40, 39, 1_799, 1_800, 1_801, 3_700, 2_000, 2_001, 1_999, 3_600, 3_599, 3_601, 1_830, 6, 1] {
        assert_eq!(hashes(&timeline, tick), then[&tick], "tick {tick}");
    }
    // What was done after tick 0 is not in it: the journal begins there.
    let first = timeline.seek(Some(0), ALWAYS).expect("the first").world;
    assert!(first.state.players.is_empty());
    assert_eq!(timeline.range().expect("a past").difference, None);
    let newest = timeline.seek(None, ALWAYS).expect("the newest");
    assert_eq!((newest.world.tick(), newest.at_ms), (3_700, Some(1_000)));
}

#[test]
fn an_hour_is_filled_while_nobody_seeks_and_is_the_same() {
    let (society, then) = two_hours();
    let timeline = Timeline::open(society.past()).expect("it can be shown");
    timeline.fill(ALWAYS);
    assert!(timeline.loaded.lock().is_none(), "nothing was sought");
    hashes(&timeline, 100);
    let copied = || timeline.loaded.lock().as_ref().map(|loaded| loaded.hour.copied()).unwrap_or_default();
    assert_eq!(copied(), (0..=10).map(|nth| nth * 10).collect::<Vec<_>>());
    // Somebody seeks after 200 ticks.
    let ticks = Cell::new(0);
    timeline.fill(&|| {
        ticks.set(ticks.get() + 1);
        ticks.get() <= 200
    });
    assert_eq!(copied().last(), Some(&300));
    timeline.seeking.fetch_add(1, Ordering::Relaxed);
    timeline.fill(ALWAYS);
    assert_eq!(copied().last(), Some(&300), "who seeks comes first");
    timeline.seeking.fetch_sub(1, Ordering::Relaxed);
    timeline.fill(ALWAYS);
    assert_eq!(copied(), (0..180).map(|nth| nth * 10).collect::<Vec<_>>());
    for tick in [1_799, 1_780, 299, 310, 45] {
        assert_eq!(hashes(&timeline, tick), then[&tick], "tick {tick}");
    }
    assert_eq!(timeline.range().expect("a past").difference, None);
}

#[test]
fn what_the_survey_leaves_is_what_seeks_begin_from() {
    let (society, then) = two_hours();
    let timeline = Timeline::open(society.past()).expect("it can be shown");
    let rounds = Cell::new(0);
    // Until it waits for more to be written.
    timeline.survey(&|| {
        rounds.set(rounds.get() + u64::from(timeline.survey.is_locked() || timeline.survey.lock().is_done));
        rounds.get() < 3
    });
    let range = timeline.range().expect("it is there");
    assert_eq!((range.from, range.to, range.parts, range.tick_ms), (0, 3_700, vec![(0, 3_700)], 2_000));
    assert_eq!((range.searched_to, range.is_searched, range.hashes_compared), (Some(3_700), true, 123));
    assert_eq!((range.difference, range.problems), (None, Vec::<String>::new()));
    let met: Vec<_> = range.marks.iter().map(|mark| (mark.kind, &*mark.name, mark.other.as_deref())).collect();
    assert!(met.len() == 1 && met[0].0 == MarkKind::Meeting, "{met:?}");
    let names = [met[0].1, met[0].2.unwrap_or_default()];
    assert!(names.contains(&"Ann") && names.contains(&"Bob"), "{names:?}");
    let copies: Vec<u64> = [1_799, 1_800, 3_599, 3_600]
        .map(|tick| {
            let survey = timeline.survey.lock();
            survey.copy(0, tick).map_or(0, World::tick)
        })
        .into();
    assert_eq!(copies, [0, 1_800, 1_800, 3_600]);
    for tick in [3_650, 1_801, 1_800, 3_600] {
        assert_eq!(hashes(&timeline, tick), then[&tick], "tick {tick}");
    }
}

#[test]
fn what_there_is_not_is_said_clearly() {
    let (mut society, mut then) = (Society::new(), Then::new());
    play(&mut society, &mut then, 50);
    // It begins anew from a moment that is later than the end of what was written before.
    let ended = society.past();
    let mut later = Society::new();
    later.tick(80);
    later.world.state.number = 500;
    let mut forked = later.fork(8);
    forked.tick(10);
    for file in std::fs::read_dir(Layout::new(&forked.past().state_dir).folder()).expect("a journal") {
        let file = file.expect("a file").path();
        let beside = Layout::new(&ended.state_dir).folder().join(file.file_name().expect("a name"));
        std::fs::copy(&file, beside).expect("copied");
    }
    let timeline = Timeline::open(ended.clone()).expect("it can be shown");
    assert_eq!(timeline.range().expect("a range").parts, [(0, 50), (80, 90)]);
    let why = |tick| match timeline.seek(Some(tick), ALWAYS) {
        Ok(_) => panic!("tick {tick} is there"),
        Err(error) => error.to_string(),
    };
    assert!(why(60).contains("tick 50") && why(60).contains("tick 80"), "{}", why(60));
    assert!(why(91).contains("still to come") && why(91).contains("tick 90"), "{}", why(91));
    assert_eq!(hashes(&timeline, 50), then[&50]);
    assert_eq!(timeline.seek(Some(85), ALWAYS).expect("the later run").world.tick(), 85);

    // Nothing before the first snapshot.
    let timeline = Timeline::open(forked.past()).expect("it can be shown");
    let error = timeline.seek(Some(79), ALWAYS).err().expect("it is too early").to_string();
    assert!(error.contains("before the first snapshot") && error.contains("begins with tick 80"), "{error}");

    // Another world than it was played in.
    let other = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../data/world");
    let error = Timeline::open(PastArgs { played_in: PlayedIn { world: Some(other), ..PlayedIn::default() }, ..ended })
        .err()
        .expect("another world");
    assert!(format!("{error:#}").contains("--world"), "{error:#}");
    let nothing = tempfile::tempdir().expect("a folder");
    let args = PastArgs { state_dir: nothing.path().to_path_buf(), played_in: PlayedIn::default() };
    assert!(Timeline::open(args).err().expect("nothing").to_string().contains("--state-dir"));
}

#[test]
fn a_difference_is_told() {
    let (mut society, mut then) = (Society::new(), Then::new());
    play(&mut society, &mut then, 59);
    // Hashes of another moment, as if the world had come out otherwise.
    society.tick(1);
    let number = society.world.state.number;
    format::append_hashes(&mut society.segment, &society.header, number, 60, &then[&30]);
    play(&mut society, &mut then, 100);
    let timeline = Timeline::open(society.past()).expect("it can be shown");
    timeline.seek(Some(59), ALWAYS).expect("before it");
    assert_eq!(timeline.range().expect("a past").difference, None);
    timeline.seek(Some(100), ALWAYS).expect("behind it");
    assert_eq!(timeline.range().expect("a past").difference.map(|difference| difference.tick), Some(60));
}

#[test]
fn a_seek_that_nobody_waits_for_ends_and_the_next_is_right() {
    let (society, then) = two_hours();
    let timeline = Timeline::open(society.past()).expect("it can be shown");
    let asked = Cell::new(0);
    let sought = timeline.seek(Some(1_900), &|| {
        asked.set(asked.get() + 1);
        asked.get() < 100
    });
    assert!(matches!(sought, Err(NoMoment::GivenUp)) && asked.get() == 100);
    assert_eq!(hashes(&timeline, 1_900), then[&1_900]);
}

#[test]
fn what_is_still_being_written_is_shown_as_far_as_it_is_whole() {
    let (mut society, mut then) = (Society::new(), Then::new());
    play(&mut society, &mut then, 40);
    let args = society.past();
    let timeline = Timeline::open(args).expect("it can be shown");
    assert_eq!(hashes(&timeline, 40), then[&40]);
    play(&mut society, &mut then, 70);
    // Half a record stands behind it.
    let whole = society.segment.len();
    society.tick(1);
    society.segment.truncate(whole + 3);
    society.past();
    timeline.look_again(true).expect("it can be read");
    assert_eq!(timeline.range().expect("a range").to, 70);
    assert_eq!(hashes(&timeline, 70), then[&70]);
    assert!(matches!(timeline.seek(Some(71), ALWAYS), Err(NoMoment::ToCome { last: 70, .. })));
}
