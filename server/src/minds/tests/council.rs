//! Several minds of one body, over a database.

use super::*;
use crate::dreams::one::{Calendar, Came, Way, dream_of};
use crate::memories::Now;
use dreaming::Valence;
use protocol::happening::Went;

/// The same of one of a character's minds.
fn request_of(name: &str, mind: MindName, first: u64, numbers: u8, line: &str) -> LogInput {
    let LogInput::Request(asked) = request(name, first, numbers, line) else { unreachable!("it is one") };
    LogInput::Request(Arc::new(Request { log: LogId::of(name, mind), ..(*asked).clone() }))
}

#[tokio::test(flavor = "multi_thread")]
async fn minds_of_one_body_have_logs_of_their_own_and_one_order() {
    on_each_place(async |place| {
        let store = place.open().await;
        let (minds, _) = at_work(&store);
        let ann = asker();
        let ask = |input: LogInput| minds.take(input, Some(ann.clone()));
        ask(request("ann", 1, 1, "note the body's"));
        ask(request_of("ann", MindName::Inner, 2, 1, "think it smells of thatch"));
        ask(request_of("ann", MindName::Outer, 3, 1, "note rats come at dusk"));
        ask(request("ann", 4, 1, "mind inner propose kill rat"));
        ask(request("ann", 5, 1, "mind outer propose north because it is stronger"));
        ask(request("ann", 6, 2, "mind observer choose outer"));
        ask(request("ann", 8, 1, "mind inner memo outer: a rat"));
        until("all is answered", || minds.answered.load(Ordering::Relaxed) == 7).await;
        let _others = read(&ann.outbox);
        // The body waits for its minds: what was asked of them before is there.
        ask(request("ann", 9, 0, "mind inner"));
        ask(request("ann", 9, 0, "mind outer 2"));
        ask(request("ann", 9, 0, "mind outer recall rats"));
        ask(request("ann", 9, 0, "mind inner recall dusk"));
        until("all is answered", || minds.answered.load(Ordering::Relaxed) == 11).await;
        let told = read(&ann.outbox);
        for line in [
            "#2 tick 40, THOUGHT: thought: it smells of thatch",
            "#5 tick 100, OBSERVATION: OUTER proposes: north (because it is stronger)",
            "#7 tick 120, OBSERVATION: OBSERVER chooses #5 of OUTER",
            "#8 tick 160, THOUGHT: memo, INNER to OUTER, INFO: a rat",
        ] {
            assert!(told[0].lines().any(|other| other == line), "{line}:\n{}", told[0]);
        }
        assert!(!told[0].contains("dusk"), "INNER reads itself and the memo");
        assert!(told[1].contains("#7 tick 120, ACTION") && told[1].lines().count() == 3, "{}", told[1]);
        assert!(told[2].starts_with("In the stream of OUTER:") && told[2].contains("note: rats"), "{}", told[2]);
        assert_eq!(told[3], "Nothing of that is in the stream of INNER.");
        drained(&minds).await;
        let rows = |mind| logs::after(&store, LogId::of("ann", mind), 0, 100);
        assert_eq!(rows(MindName::Body).await.expect("it answers").len(), 6);
        assert_eq!(rows(MindName::Inner).await.expect("it answers").len(), 1);
        let (again, _) = at_work(&store);
        assert_eq!(again.newest_of_all("Ann").await.expect("it answers").seq, 8);
        // Whoever looks from outside finds the same after a restart.
        let council = again.council("ann", 2).await.expect("it answers");
        let told: Vec<_> = council.iter().map(|one| (one.mind, one.entries.len(), one.lacks_before)).collect();
        use MindName::{Body, Inner, Observer, Outer};
        assert_eq!(told, [(Body, 2, 600), (Inner, 1, 0), (Outer, 1, 0), (Observer, 0, 0)]);
        assert_eq!(council[0].state.counsel.memo.entries.len(), 1);
        again.forget("ann").await.expect("it answers");
        assert_eq!(rows(MindName::Inner).await.expect("it answers").len(), 0, "all of its logs are gone");
        store.close().await;
    })
    .await;
}

#[tokio::test]
async fn who_asks_for_a_council_is_told_of_which_mind_each_frame_is_and_others_are_not() {
    let place = Place::sqlite();
    let store = place.open().await;
    let minds = Minds::new(store.clone());
    let (all, one) = (asker(), asker());
    minds.watch_all("ann", None, &all.outbox);
    minds.watch("bob", None, &one.outbox);
    for name in ["ann", "bob"] {
        minds.take(request_of(name, MindName::Inner, 1, 1, "think inside"), None);
        minds.take(request(name, 2, 1, "think aloud"), None);
    }
    minds.settle().await.expect("it is written");
    let frames = |asker: &Asker| -> Vec<Value> {
        read(&asker.outbox).iter().map(|frame| serde_json::from_str(frame).expect("a frame")).collect()
    };
    let of = |frames: &[Value], kind: &str| -> Vec<Value> {
        let of_kind = frames.iter().filter(|frame| frame["kind"] == kind);
        let mut minds: Vec<Value> = of_kind.map(|frame| frame["mind"].clone()).collect();
        minds.sort_by_key(Value::to_string);
        minds
    };
    let told = frames(&all);
    assert_eq!(of(&told, "snapshot"), ["body", "inner", "observer", "outer"]);
    assert_eq!(of(&told, "event"), ["body", "inner"]);
    let told = frames(&one);
    assert_eq!((of(&told, "snapshot"), of(&told, "event")), (vec![Value::Null], vec![Value::Null]), "as ever");
}

#[tokio::test]
async fn what_came_of_a_conflict_is_added_up_from_the_log_and_answers_nobody() {
    let place = Place::sqlite();
    let store = place.open().await;
    let minds = Minds::new(store.clone());
    let ann = asker();
    let ask = |input: LogInput| minds.take(input, Some(ann.clone()));
    ask(happened("ann", 1));
    ask(request("ann", 2, 1, "mind inner propose give bread bob"));
    ask(request("ann", 3, 1, "mind outer propose kill bob"));
    ask(request("ann", 4, 2, "mind observer choose outer"));
    ask(happened("ann", 6));
    ask(happened("ann", 7));
    minds.settle().await.expect("it is written");
    let worth = |entry: &LogEntry| match &entry.event {
        Event::Happening(happening) => i64::from(mind::appraisal::appraise(happening).valence),
        _ => 0,
    };
    let valence: i64 = log_of(&store, "ann").await.iter().filter(|entry| entry.seq > 4).map(worth).sum();
    assert_eq!(valence, 4, "two gifts");
    let _before = read(&ann.outbox);
    // A start has nothing of it in memory.
    let minds = Minds::new(store.clone());
    minds.take(request("ann", 8, 1, "conflict.outcome #4-#5 80 25"), Some(ann.clone()));
    minds.take(request("ann", 9, 1, "conflict.outcome #4-#5 80 25"), Some(ann.clone()));
    minds.settle().await.expect("it is written");
    assert!(read(&ann.outbox).is_empty());
    let log = log_of(&store, "ann").await;
    let last = log.last().expect("entries");
    let brought = mind::counsel::Brought { ticks: 80, valence, experience: 25 };
    // About whom it was, where and who stood by is what the two gifts say.
    let what = What::Differed {
        who: who("ann"),
        about: Some(who("Bob")),
        over: "command".into(),
        followed: Some(MindName::Outer),
        line: "kill bob".into(),
        ticks: 80,
        went: Went::Well,
        valence,
    };
    let (room, witnesses) = (Room { vnum: 3_001, name: "The Square".into() }, vec![who("Cat")]);
    let told = Happening { what, role: Role::Did, room, witnesses, social_event_id: None, novel: false, valence: None };
    let (conflict, chosen) = (4, Some(MindName::Outer));
    let expected = Event::ConflictOutcome { conflict, chosen, brought, told: Some(Box::new(told)) };
    assert_eq!((last.seq, &last.event), (8, &expected), "and once");
    assert_eq!(MindState::of(&log).counsel.conflicts[0].brought, Some(brought));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_dreams_of_what_its_plans_and_its_minds_brought_it() {
    on_each_place(async |place| {
        let store = place.open().await;
        let minds = Minds::new(store.clone());
        let ann = asker();
        let mut last = 0;
        let mut numbered = |numbers: u64| {
            last += numbers;
            last + 1 - numbers
        };
        // Plans of six steps are given up, those of two are carried out. Whoever follows OUTER about Bob is robbed by
        // him, whoever follows INNER is given something.
        for n in 0..30 {
            let ill = n % 2 == 0;
            let plan = numbered(1);
            let steps = if ill { "a; b; c; d; e; f" } else { "a; b" };
            minds.take(request("ann", plan, 1, &format!("plan a well: {steps}")), Some(ann.clone()));
            if ill {
                minds.take(request("ann", numbered(1), 1, &format!("plan drop {plan}")), Some(ann.clone()));
            } else {
                for step in 1..=2 {
                    let line = format!("plan done {plan} {step}");
                    minds.take(request("ann", numbered(2), 2, &line), Some(ann.clone()));
                }
            }
            let (inner, outer, choice) = (numbered(1), numbered(1), numbered(2));
            minds.take(request("ann", inner, 1, "mind inner propose give bread bob"), Some(ann.clone()));
            minds.take(request("ann", outer, 1, "mind outer propose kill bob"), Some(ann.clone()));
            let line = format!("mind observer choose {}", if ill { "outer" } else { "inner" });
            minds.take(request("ann", choice, 2, &line), Some(ann.clone()));
            let gold = 5;
            let what = match ill {
                true => What::Stolen { thief: who("Bob"), victim: who("ann"), item: None, gold },
                false => What::Given { giver: who("Bob"), receiver: who("ann"), item: None, gold },
            };
            minds.take(suffered("ann", numbered(1), what, None, None), None);
            let line = format!("conflict.outcome #{choice}-#{} {} 0", choice + 1, choice * 20);
            minds.take(request("ann", numbered(1), 1, &line), None);
        }
        minds.settle().await.expect("it is written");
        // It is remembered by day, before any dream.
        let (log, now) = (LogId::from("ann"), Now { tick: last * 20, at_ms: 1_000 + last as i64 });
        let awake =
            Memories::new(store.clone()).of(&log, Valence::Recorded, now, Vec::new).await.expect("it remembers");
        let planned = awake.mind().graph().reflection_text("why:plan:me:ann").map(str::to_string);
        assert!(planned.is_some_and(|text| text.starts_with("My plans fail when they have 6 steps or more (")));
        let dir = tempfile::tempdir().expect("a folder");
        let way = Way::new(dir.path().to_path_buf(), Calendar::Of(0));
        let came = dream_of(&store, "ann", &way, &mut |_, _| ()).await.expect("it dreams");
        let Came::Dreamt(dreamt) = came else { panic!("no dream: {came:?}") };
        assert_eq!((dreamt.outcome.problems_count, dreamt.outcome.report.events_dreamt), (0, 90));
        let _before = read(&ann.outbox);
        for (asked, told) in [
            ("why do my plans fail", "My plans fail when they have 6 steps or more ("),
            ("when does it go ill about Bob, INNER or OUTER", "About Bob it goes ill when I follow OUTER ("),
            ("where my minds differ", "Where my minds differ it goes ill when I follow OUTER ("),
            ("a plan that was dropped", "Gave up a plan: \"a well\""),
        ] {
            minds.take(request("ann", last + 1, 0, &format!("recall {asked}")), Some(ann.clone()));
            minds.settle().await.expect("it is answered");
            let answer = read(&ann.outbox).join("\n");
            assert!(answer.contains(told), "{asked}: {answer}");
        }
        store.close().await;
    })
    .await;
}
