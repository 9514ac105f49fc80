//! Societies whose every word is known: who has it, in what way and from whom is told exactly, and nobody else is.

use super::*;
use crate::replay::played::Society;
use crate::store::decisions::{self, Decision, KnownSpans};
use mind::Event;
use protocol::happening::What;
use world::character::Link;

const VAULT: &str = "the vault is open";
const GREEN: i32 = 100;
const INN: i32 = 101;
const SHED: i32 = 103;
const YARD: i32 = 109;
const FAR: i32 = 200;

fn asking(society: &Society, words: Option<&str>) -> DiffusionArgs {
    let words = words.map(str::to_string);
    let past = society.past();
    DiffusionArgs { past, db: None, words, event: None, element: None, from: None, to: None, json: true, svg: None }
}

async fn told_of(society: &Society, words: &str) -> Answer {
    answer(&asking(society, Some(words))).await.expect("an answer")
}

/// `Bob heard Ann say 1`: name, how, from whom, by what, depth.
fn told(answer: &Answer) -> Vec<String> {
    let row = |row: &CarrierRow| {
        let (from, via) = (row.from.as_deref().unwrap_or("-"), row.via.as_deref().unwrap_or("-"));
        format!("{} {} {from} {via} {}", row.name, row.how.word(), row.depth)
    };
    answer.carriers.iter().map(row).collect()
}

/// Each link leads from who had it before.
fn assert_proven(answer: &Answer) {
    for link in &answer.links {
        let from = answer.carriers.iter().find(|row| row.name == link.from);
        let Some(from) = from else { continue };
        assert!(from.input <= link.input, "{link:?}");
        let to = answer.carriers.iter().find(|row| row.name == link.to).expect("who was shown it has it");
        assert_eq!((to.input, to.depth), (link.input, from.depth + 1), "{link:?}");
    }
    assert!(answer.curve.is_sorted_by(|a, b| a.tick < b.tick && a.carriers < b.carriers), "{:?}", answer.curve);
    assert_eq!(answer.curve.last().map_or(0, |point| point.carriers), answer.carriers.len());
}

#[tokio::test]
async fn a_society_is_known_to_the_last_word() {
    let mut society = Society::new();
    society.persons(GREEN, &["Ann", "Bob", "Dan", "Hal"]);
    society.persons(INN, &["Cid"]);
    society.persons(YARD, &["Eve"]);
    society.persons(SHED, &["Gus", "Ivy", "Jon"]);
    society.enter("Fay", SHED, true);
    society.enter("Kim", FAR, true);
    society.does("Dan", "sleep");
    let lost = Link::Lost { since_tick: society.world.tick() };
    society.link("Hal", lost);
    society.does("Fay", "channel create Night Watch");
    for name in ["gus", "ivy", "jon"] {
        society.does("Fay", &format!("channel invite {name} in nightwatch"));
    }
    for name in ["Gus", "Ivy"] {
        society.does(name, "channel join nightwatch");
    }
    society.does("Ivy", "channel mute nightwatch");
    // The words are all there, but not in order; and others with them inside of longer ones.
    society.does("Cid", "say Open is the vault, they vaulted.");
    let ann = society.does("Ann", "say The vault is open.");
    let bob = society.does("Bob", "tell cid THE VAULT... is open, hush!");
    // Nobody told her, and nobody is there.
    let eve = society.does("Eve", "say I think the vault is open");
    society.place("Cid", FAR);
    let cid = society.does("Cid", "plot memo the vault is open");
    society.place("Fay", FAR);
    let before_fay = society.world.state.number;
    let fay = society.does("Fay", "chat nightwatch the vault is open, all of you");
    let ivy = society.does("Ivy", "channel history nightwatch");
    // Who has it hears it again, and who wakes up or comes back was told nothing.
    society.does("Ann", "say the vault is open");
    society.link("Hal", Link::Linked);
    society.does("Dan", "wake");
    society.does("Jon", "look");

    let answer = told_of(&society, VAULT).await;
    let expected = [
        "Ann source - say 0",
        "Bob heard Ann say 1",
        "Cid heard Bob tell 2",
        "Eve source - say 0",
        "Kim read Cid plot 200 3",
        "Fay read Cid plot 200 3",
        "Gus heard Fay channel 111 4",
        "Ivy read Fay channel 111 4",
    ];
    let rows = told(&answer);
    assert_eq!(rows, expected);
    let at: Vec<(u64, u64)> = answer.carriers.iter().map(|row| (row.input, row.tick)).collect();
    let moments = [ann, ann, bob, eve, cid].map(|at| (at.input, at.tick));
    assert_eq!(at[..5], moments);
    assert_eq!((at[5].0, at[6].0, at[7].0), (before_fay, fay.input, ivy.input));
    assert_eq!(answer.invented, ["Eve"]);
    assert_eq!(answer.population, 11);
    let uttered: Vec<(&str, &str, Option<&str>)> =
        answer.uttered.iter().map(|row| (row.name.as_str(), row.via.as_str(), row.to.as_deref())).collect();
    assert_eq!(
        uttered,
        [
            ("Ann", "say", None),
            ("Bob", "tell", Some("Cid")),
            ("Eve", "say", None),
            ("Cid", "plot 200", None),
            ("Fay", "channel 111", None),
            ("Ann", "say", None),
        ]
    );
    let links: Vec<(&str, &str)> = answer.links.iter().map(|link| (link.from.as_str(), link.to.as_str())).collect();
    assert_eq!(links, [("Ann", "Bob"), ("Bob", "Cid"), ("Cid", "Kim"), ("Cid", "Fay"), ("Fay", "Gus"), ("Fay", "Ivy")]);
    assert_eq!(answer.reproduction.mean, Some(0.75), "6 links of 8 carriers");
    let by_depth: Vec<(u32, usize, usize)> =
        answer.reproduction.by_depth.iter().map(|row| (row.depth, row.carriers, row.passed)).collect();
    assert_eq!(by_depth, [(0, 2, 1), (1, 1, 1), (2, 1, 2), (3, 2, 2), (4, 2, 0)]);
    assert_proven(&answer);
    // Without a database nobody can say what minds made of it.
    assert!(answer.carriers.iter().all(|row| row.remembers.is_none() && row.used.is_none()));

    let page = run(&DiffusionArgs { json: false, ..asking(&society, Some(VAULT)) }).await.expect("a page");
    for line in [
        "\"the vault is open\": 8 of 11 players had it between tick 0 and tick",
        "\nAnn: was the first (say), tick ",
        "\n  Bob: heard it from Ann (say), tick ",
        "\n    Cid: heard it from Bob (tell), tick ",
        "\n      Fay: read it from Cid (plot 200), tick ",
        "\n        Ivy: read it from Fay (",
        "\nEve: said it unprompted (say), tick ",
        "\nSaid or written 6 times:",
    ] {
        assert!(page.contains(line), "{line:?} in {page}");
    }
}

#[tokio::test]
async fn only_what_came_after_the_beginning_counts_and_who_had_it_is_a_source() {
    let mut society = Society::new();
    society.persons(GREEN, &["Ann", "Bob"]);
    society.persons(FAR, &["Cid"]);
    society.does("Cid", "plot memo the vault is open");
    let from = society.world.tick();
    society.enter("Kim", FAR, true);
    society.tick(2);
    let to = society.world.tick();
    society.does("Bob", "say the vault is open");
    let whole = told_of(&society, VAULT).await;
    assert_eq!(
        told(&whole),
        ["Cid source - plot 200 0", "Kim read Cid plot 200 1", "Bob source - say 0", "Ann heard Bob say 1"]
    );
    assert_eq!(whole.invented, ["Bob"]);
    let args = DiffusionArgs { from: Some(from), to: Some(to), ..asking(&society, Some(VAULT)) };
    let part = answer(&args).await.expect("an answer");
    assert_eq!(told(&part), ["Cid source - - 0", "Kim read Cid plot 200 1"]);
    assert!(part.invented.is_empty() && part.uttered.is_empty(), "{part:?}");
    assert_eq!((part.from_tick, part.to_tick), (from, to));
    let wrong = |from, to| DiffusionArgs { from: Some(from), to: Some(to), ..asking(&society, Some(VAULT)) };
    let refused = answer(&wrong(to, from)).await.expect_err("backwards").to_string();
    assert!(refused.contains("is not before --to"), "{refused}");
}

#[tokio::test]
async fn words_that_match_nothing_or_all_are_answered() {
    let mut society = Society::new();
    society.persons(GREEN, &["Ann", "Bob", "Cid"]);
    society.does("Ann", "say hello");
    let nothing = told_of(&society, "a word that nobody said").await;
    assert!(nothing.carriers.is_empty() && nothing.uttered.is_empty() && nothing.curve.is_empty());
    assert_eq!((nothing.population, nothing.reproduction.mean), (3, None));
    let args = DiffusionArgs { json: false, ..asking(&society, Some("a word that nobody said")) };
    let page = run(&args).await.expect("a page");
    assert_eq!(
        page,
        "Nobody said \"a word that nobody said\" or was shown it between tick 0 and tick 1, of 3 players."
    );
    // The game itself says it to everybody who comes in and looks about.
    society.does("Bob", "look");
    society.does("Cid", "look");
    society.does("Ann", "look");
    let all = told_of(&society, "the").await;
    assert_eq!(all.carriers.len(), 3, "{all:?}");
    assert!(all.carriers.iter().all(|row| row.from.is_none() && row.depth == 1), "{all:?}");
    assert!(all.invented.is_empty() && all.links.is_empty());
}

#[tokio::test]
async fn a_journal_with_a_gap_is_followed_up_to_it() {
    let mut society = Society::new();
    society.persons(GREEN, &["Ann", "Bob"]);
    society.does("Ann", "say the vault is open");
    let (whole, tick) = (society.segment.len(), society.world.tick());
    society.tick(3);
    society.does("Bob", "say the vault is open");
    // Damage in the middle, and whole records behind it.
    society.segment[whole + 40] ^= 0x5a;
    let refused = answer(&asking(&society, Some(VAULT))).await.expect_err("a gap").to_string();
    assert!(refused.contains("the journal has a gap") && refused.contains("--to "), "{refused}");
    let args = DiffusionArgs { to: Some(tick), ..asking(&society, Some(VAULT)) };
    let before = answer(&args).await.expect("what went before");
    assert_eq!(told(&before), ["Ann source - say 0", "Bob heard Ann say 1"]);
}

#[tokio::test]
async fn words_that_wait_and_words_given_back_are_not_what_others_showed() {
    let mut society = Society::new();
    society.persons(GREEN, &["Ann", "Bob"]);
    // A refusal and an answer hold what was typed: nobody is told anything by that.
    let who = society.ids["Bob"];
    let report = society.apply(&Input::Command { who, line: "tell the vault is open".into() });
    assert!(report.refused.is_some());
    let nobody = told_of(&society, VAULT).await;
    assert!(nobody.carriers.is_empty(), "{nobody:?}");
    // He typed it before he heard it: his words are his own.
    let ann = society.does("Ann", "say the vault is open");
    society.does("Bob", "say the vault is open");
    let answer = told_of(&society, VAULT).await;
    assert_eq!(told(&answer), ["Bob source - say 0", "Ann source - say 0"]);
    assert_eq!(answer.carriers[1].input, ann.input);
    assert_proven(&answer);
}

#[tokio::test]
async fn what_is_built_is_followed_by_its_number_and_what_happened_by_its_own() {
    let mut society = Society::new();
    society.persons(FAR, &["Ann", "Bob"]);
    society.persons(GREEN, &["Cid", "Dan"]);
    society.does("Ann", "build add lamp 3,3 called Hope because it is dark");
    society.enter("Kim", FAR, true);
    society.place("Cid", FAR);
    society.does("Cid", "plot");
    society.does("Dan", "look");
    let element = society.world.plot_at(FAR).expect("a plot").plot.grid().elements().map(|e| e.id).max();
    let element = ElementId { room: FAR, id: element.expect("a lamp") };
    let args = DiffusionArgs { element: Some(element), ..asking(&society, None) };
    let by_number = answer(&args).await.expect("an answer");
    assert_eq!(
        told(&by_number),
        ["Ann source - plot 200 0", "Bob saw Ann plot 200 1", "Kim read Ann plot 200 1", "Cid read Ann plot 200 1"]
    );
    assert_proven(&by_number);
    // Its label, as words, came the same way.
    let by_label = told_of(&society, "hope").await;
    assert_eq!(told(&by_label), told(&by_number));
    let missing = DiffusionArgs { element: Some(ElementId { room: FAR, id: 99 }), ..asking(&society, None) };
    let refused = answer(&missing).await.expect_err("no such element").to_string();
    assert!(refused.contains("no such element stood on a plot of room 200"), "{refused}");

    let event = society.logs.iter().find_map(|input| match input {
        LogInput::Record(_, entry) => match &entry.event {
            Event::Happening(happening) if matches!(happening.what, What::Built { .. }) => happening.social_event_id,
            _ => None,
        },
        LogInput::Request(_) => None,
    });
    let _store = society.store().await;
    let args = DiffusionArgs { event, ..asking(&society, None) };
    let by_event = answer(&args).await.expect("an answer");
    assert_eq!(told(&by_event), ["Ann source - room 200 0", "Bob saw Ann room 200 1"]);
    assert!(by_event.carriers.iter().all(|row| row.remembers == Some(true)), "{by_event:?}");
    for (event, why) in [(5, "would have been brought by input 0"), (3 * 1024 + 9, "nobody remembers anything")] {
        let args = DiffusionArgs { event: Some(event), ..asking(&society, None) };
        let refused = answer(&args).await.expect_err("no such event").to_string();
        assert!(refused.contains(why), "{refused}");
    }
}

#[tokio::test]
async fn what_a_log_recalls_and_a_prompt_held_is_told() {
    let mut society = Society::new();
    society.persons(GREEN, &["Ann", "Bob"]);
    society.persons(FAR, &["Cid"]);
    society.enter("Kim", FAR, true);
    society.does("Ann", "say the vault is open");
    society.does("Cid", "plot memo the vault is open");
    let after = society.does("Bob", "look");
    let until = society.world.tick();
    society.does("Bob", "say nothing more");
    let store = society.store().await;
    let heard = society.logs.iter().find_map(|input| match input {
        LogInput::Record(log, entry) if log.character() == "bob" && matches!(entry.event, Event::Heard(_)) => {
            Some(entry.seq)
        }
        _ => None,
    });
    let heard = heard.expect("he heard it");
    let decision = |number: u64, ids: Option<String>| Decision {
        number: number as i64,
        tick: after.tick as i64,
        memory_ids: ids.map(|ids| ids.as_str().into()),
        ..crate::store::decision_tests::decision("bob", 2_000 + number as i64, 0)
    };
    let rows = [
        decision(after.input, Some(format!("[\"#{heard}\"]"))),
        decision(after.input + 1, Some("[\"#9999\",\"event:3\"]".to_string())),
        // Of after the end.
        decision(after.input + 500, Some(format!("[{heard}]"))),
    ];
    decisions::insert(&store, &rows, &mut KnownSpans::default()).await.expect("they are written");
    let args = DiffusionArgs { to: Some(until), ..asking(&society, Some(VAULT)) };
    let answer = answer(&args).await.expect("an answer");
    let minds: Vec<(&str, Option<bool>, Option<u64>)> =
        answer.carriers.iter().map(|row| (row.name.as_str(), row.remembers, row.used)).collect();
    assert_eq!(
        minds,
        [
            ("Ann", Some(true), None),
            ("Bob", Some(true), Some(1)),
            // What stands in a memo is no entry of its log.
            ("Cid", Some(false), None),
            ("Kim", Some(false), None),
        ]
    );
}

#[tokio::test]
async fn a_picture_holds_everybody_and_no_markup_of_theirs() {
    let mut society = Society::new();
    society.persons(GREEN, &["Ann", "Bob", "Cid"]);
    society.does("Ann", "say <script>alert(1)</script> & the vault");
    let svg = society.folder.path().join("who.svg");
    let words = "<script>alert(1)</script> & the vault";
    let args = DiffusionArgs { svg: Some(svg.clone()), ..asking(&society, Some(words)) };
    run(&args).await.expect("drawn");
    let drawn = std::fs::read_to_string(svg).expect("a picture");
    assert!(drawn.starts_with("<svg ") && drawn.ends_with("</svg>\n"), "{drawn}");
    assert!(!drawn.contains("<script") && drawn.contains("&lt;script&gt;"), "{drawn}");
    for name in ["Ann", "Bob", "Cid"] {
        assert!(drawn.contains(&format!(">{name}</text>")), "{name}: {drawn}");
    }
    assert_eq!(drawn.matches("<path d=\"M").count(), 4, "two arcs, and the curve with what is below it");
}

#[test]
#[ignore = "measures, and asserts no time"]
fn how_fast_it_is_beside_a_plain_replay() {
    const PLAYERS: u8 = 40;
    const ROUNDS: usize = 500;
    let mut society = Society::new();
    let names: Vec<&'static str> = (0..PLAYERS)
        .map(|n| {
            let letters = [b'A' + n % 26, b'a' + n / 26, b'r'];
            &*Box::leak(String::from_utf8_lossy(&letters).into_owned().into_boxed_str())
        })
        .collect();
    names
        .iter()
        .enumerate()
        .for_each(|(n, name)| society.enter(name, if n % 2 == 0 { GREEN } else { FAR }, n % 3 == 0));
    for round in 0..ROUNDS {
        for (n, name) in names.iter().enumerate() {
            let line = match (round + n) % 6 {
                0 => "say the vault is open, and so is the gate behind it".to_string(),
                1 => "look".to_string(),
                2 => format!("tell {} a long word about nothing at all", names[(n + 7) % names.len()]),
                3 => "gossip nothing new under the sun".to_string(),
                4 => "north".to_string(),
                _ => "south".to_string(),
            };
            let who = society.ids[name];
            society.apply(&Input::Command { who, line });
        }
        society.tick(1);
    }
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let args = asking(&society, Some(VAULT));
    let subject = || Subject::of(args.words.as_deref(), None, None).expect("words");
    for _ in 0..5 {
        let begun = std::time::Instant::now();
        let past = Past::find(&args.past, None).expect("a past");
        let plain = crate::replay::compare(&past, past.run.oldest().expect("a base"), None).expect("replayed");
        let plain_s = begun.elapsed().as_secs_f64();
        let begun = std::time::Instant::now();
        let watched = watch(&args, subject(), None, runtime.handle()).expect("watched");
        let watched_s = begun.elapsed().as_secs_f64();
        eprintln!(
            "{} inputs: plain {plain_s:.3} s, watched {watched_s:.3} s, speed {:.2} of it; {} carriers, {} sayings",
            plain.inputs,
            plain_s / watched_s,
            watched.watch.carriers.len(),
            watched.watch.uttered.len()
        );
    }
}
