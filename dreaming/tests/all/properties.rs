//! What a dream promises: the same whatever the order and the number of nights it is dreamt in; nothing neutral for
//! ever, nothing recent lost; feelings that fade as slowly as they should.

use dreaming::calendar::day_of;
use dreaming::config::{Config, Terms, Valence};
use dreaming::forgetting::last_night;
use dreaming::graph::Body;
use dreaming::records::{Reader, Record, export};
use dreaming::synthetic::{AGENT, Dice, Life, Shape};
use dreaming::{Dream, Graph, dream};
use proptest::prelude::*;
use protocol::happening::{Happening, Place, Role, What};
use protocol::outcome::{Who, WhoKind};

fn life(seed: u64, per_day: u32, days: u32) -> Vec<Record> {
    let shape = Shape { seed, events_per_day: per_day, mobs: 30, players: 8, rooms: 40, items: 20, ..Shape::default() };
    Life::new(shape).take((per_day * days) as usize).collect()
}

fn last_day(records: &[Record]) -> i32 {
    records.last().map_or(0, |record| day_of(record.at_ms, 0))
}

fn rebuilt(records: &[Record]) -> Dream {
    dream(None, records, &Config::new(AGENT, last_day(records)))
}

/// As the graph is after a night's file was written and read again.
fn reloaded(document: &[u8]) -> Graph {
    Graph::from_json(document, AGENT).expect("a graph that was just written")
}

/// The place where two documents begin to differ, with what is around it.
fn difference(a: &[u8], b: &[u8]) -> Option<String> {
    let at = a.iter().zip(b).position(|(a, b)| a != b).or((a.len() != b.len()).then_some(a.len().min(b.len())))?;
    let around = |bytes: &[u8]| {
        let (from, to) = (at.saturating_sub(200), (at + 100).min(bytes.len()));
        String::from_utf8_lossy(&bytes[from.min(to)..to]).into_owned()
    };
    Some(format!("{}\n  against\n{}", around(a), around(b)))
}

#[test]
fn dreaming_twice_changes_no_byte() {
    let records = life(3, 50, 40);
    let first = rebuilt(&records);
    let second = dream(Some(reloaded(&first.graph.to_json())), &records, &Config::new(AGENT, last_day(&records)));
    assert_eq!(second.report.events_dreamt, 0);
    assert_eq!((second.report.pruned, second.report.reinforced, second.report.rebuilt), (0, 0, None));
    assert_eq!(difference(&second.graph.to_json(), &first.graph.to_json()), None);
    assert_eq!(second.summary, first.summary);
}

#[test]
fn a_graph_of_the_first_version_is_read_and_counted_anew() {
    let records = life(3, 50, 40);
    let today = rebuilt(&records);
    let mut old: serde_json::Value = serde_json::from_slice(&today.graph.to_json()).expect("json");
    old["version"] = 1.into();
    for node in old["nodes"].as_array_mut().expect("nodes") {
        for kind in ["thing", "reflection"] {
            if let Some(detail) = node[kind].as_object_mut() {
                detail.remove("counted_from");
            }
        }
        if let Some(thing) = node["thing"].as_object_mut() {
            thing.remove("tally");
        }
    }
    let old = || reloaded(old.to_string().as_bytes());
    let insights = |graph: &Graph| graph.alive().filter(|(_, n)| matches!(n.body, Body::Reflection(_))).count();
    assert!(insights(&today.graph) > 0 && insights(&old()) == 0, "what it counted was too little: it is left out");
    assert!(old().alive_count() + insights(&today.graph) == today.graph.alive_count(), "and nothing else");
    let again = dream(Some(old()), &records, &Config::new(AGENT, last_day(&records)));
    assert_eq!(again.report.rebuilt.as_deref(), Some("it was made by an older program"));
    assert_eq!(difference(&again.graph.to_json(), &today.graph.to_json()), None);
    // Where the log is there no more from its beginning, it goes on from what it has.
    let next = life(3, 50, 41);
    let more = dream(Some(old()), &next[records.len()..], &Config::new(AGENT, last_day(&next)));
    assert!(more.report.rebuilt.is_none() && more.report.events_dreamt == 50, "{:?}", more.report);
}

#[test]
fn the_bytes_are_those_of_any_other_machine() {
    // A dream of this life was hashed once and for all: a machine whose numbers differ would give another hash.
    let dreamt = rebuilt(&life(11, 40, 60));
    let told = format!("{} {}", dreaming::graph::content_hash(&dreamt.graph.to_json()), dreamt.report.summary_hash);
    assert_eq!(
        told,
        include_str!("../golden_hash.txt").trim(),
        "if the rules of dreaming changed, write the new hash there"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn dreaming_in_parts_equals_dreaming_at_once(seed in 0u64..1_000, cuts in prop::collection::vec(0usize..900, 0..6),
        cap in prop_oneof![Just(200_000usize), 20usize..200]
    ) {
        // Some days are left out, so that nights pass in which nothing happens.
        let mut dice = Dice::new(seed);
        let records: Vec<Record> = life(seed, 15, 60)
            .into_iter()
            .map(|mut record| { record.at_ms += 86_400_000 * (record.seq as i64 / 120) * 9; record })
            .filter(|_| !dice.chance(5))
            .collect();
        let config = |through: i32| {
            let mut config = Config::new(AGENT, through);
            config.terms.events_max = cap;
            config
        };
        let whole = dream(None, &records, &config(last_day(&records)));
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(records.len())).collect();
        cuts.sort_unstable();
        cuts.push(records.len());
        let (mut graph, mut from) = (None, 0);
        for cut in cuts {
            // Now only what is new is given, now the whole log up to there.
            let (part, given) = (&records[from..cut], if cut % 2 == 0 { &records[from..cut] } else { &records[..cut] });
            let through = part.last().map_or(0, |record| day_of(record.at_ms, 0));
            let dreamt = dream(graph.take(), given, &config(through));
            prop_assert_eq!(&dreamt.report.rebuilt, &None);
            graph = Some(reloaded(&dreamt.graph.to_json()));
            from = cut;
        }
        let graph = graph.expect("dreamt at least once");
        prop_assert_eq!(difference(&graph.to_json(), &whole.graph.to_json()), None);
    }

    #[test]
    fn neither_order_nor_doubles_of_lines_matter(seed in 0u64..1_000, shuffle in 0u64..1_000) {
        let records = life(seed, 20, 4);
        let mut lines: Vec<String> = export(AGENT, true, &records).lines().skip(1).map(str::to_string).collect();
        let mut dice = Dice::new(shuffle);
        for _ in 0..20 {
            lines.push(lines[dice.below(lines.len())].clone());
        }
        for i in (1..lines.len()).rev() {
            lines.swap(i, dice.below(i + 1));
        }
        let mut reader = Reader::new(AGENT);
        let middle = lines.len() / 2;
        reader.file("a.jsonl", lines[..middle].join("\n").as_bytes());
        reader.file("b.jsonl", lines[middle..].join("\n").as_bytes());
        let log = reader.finish().expect("one kind of log");
        prop_assert_eq!(log.duplicates, 20);
        prop_assert_eq!(&log.problems, &vec![]);
        prop_assert_eq!(log.records, records);
    }
}

#[test]
fn a_neutral_memory_is_gone_after_22_to_29_nights() {
    let terms = Terms::default();
    let life = |salience: f64, felt: f64| last_night(&terms, salience, felt, 0) + 1;
    assert_eq!((life(0.5, 0.0), life(1.0, 0.0)), (22, 29));
    for hundredths in 50..=100 {
        let nights = life(f64::from(hundredths) / 100.0, 0.0);
        assert!((22..=29).contains(&nights), "{hundredths}: {nights} nights");
        assert!(life(f64::from(hundredths) / 100.0, 3.0) >= nights * 4 - 4);
    }
    // In the graph it is so too: one neutral event, and then nights in which nothing happens but one step elsewhere.
    let place = |vnum: i32| Place { vnum, name: "Here".into() };
    let me = Who { id: "player_brenda".into(), name: AGENT.into(), kind: WhoKind::Player, level: 3 };
    let record = |seq: u64, day: i64, what: What| {
        let happening = Happening {
            what,
            role: Role::Did,
            room: place(seq as i32),
            witnesses: Vec::new(),
            social_event_id: None,
            novel: false,
            valence: None,
        };
        Record { seq, tick: day as u64 * 43_200, at_ms: day * 86_400_000, happening }
    };
    let mob = Who { id: "mob_7_1".into(), name: "a rat".into(), kind: WhoKind::Mob, level: 1 };
    let records = [record(1, 0, What::Fought { who: me, against: mob })];
    let remembered = |through: i32| {
        let dreamt = dream(None, &records, &Config::new(AGENT, through));
        dreamt.graph.alive().any(|(_, node)| matches!(node.body, Body::Event(_)))
    };
    assert!(remembered(20) && !remembered(21), "the night of the day itself is the first");
}

#[test]
fn somebody_met_every_week_is_never_forgotten() {
    let me = Who { id: "player_brenda".into(), name: AGENT.into(), kind: WhoKind::Player, level: 3 };
    let bob = Who { id: "player_bob".into(), name: "Bob".into(), kind: WhoKind::Player, level: 3 };
    let mut graph = None;
    for week in 0..60i64 {
        let happening = Happening {
            what: What::Fought { who: me.clone(), against: bob.clone() },
            role: Role::Did,
            room: Place { vnum: 1, name: "Here".into() },
            witnesses: Vec::new(),
            social_event_id: None,
            novel: false,
            valence: Some(0),
        };
        let record = Record { seq: week as u64 + 1, tick: week as u64, at_ms: week * 7 * 86_400_000, happening };
        let dreamt = dream(graph, &[record], &Config::new(AGENT, week as i32 * 7 + 6));
        let bob = dreamt.graph.names.find("player:bob").and_then(|name| dreamt.graph.thing(name));
        let bob = bob.unwrap_or_else(|| panic!("forgotten in week {week}"));
        assert_eq!(bob.visits, week as u32 + 1);
        let node = dreamt.graph.names.find("player:bob").and_then(|name| dreamt.graph.names.node(name));
        assert!(dreamt.graph.is_alive(&dreamt.graph.net[node.expect("it has a node")]), "faded in week {week}");
        graph = Some(dreamt.graph);
    }
}

#[test]
fn a_year_of_nights_stays_bounded_and_keeps_what_is_recent() {
    let records = life(5, 40, 365);
    let mut graph = None;
    let mut most = 0;
    for day in records.chunk_by(|a, b| day_of(a.at_ms, 0) == day_of(b.at_ms, 0)) {
        let through = last_day(day);
        let dreamt = dream(graph, day, &Config::new(AGENT, through));
        most = most.max(dreamt.graph.stored_count());
        let remembered: Vec<u64> = dreamt
            .graph
            .alive()
            .filter_map(|(_, node)| match &node.body {
                Body::Event(event) => Some(event.seq),
                _ => None,
            })
            .collect();
        assert!(day.iter().all(|record| remembered.binary_search(&record.seq).is_ok()), "something of today is lost");
        let oldest_neutral = dreamt.graph.alive().find_map(|(_, node)| match &node.body {
            Body::Event(event) if event.valence == 0 => Some(day_of(event.at_ms, 0)),
            _ => None,
        });
        assert!(through - oldest_neutral.unwrap_or(through) < 29, "something neutral is kept for ever");
        assert!(dreamt.summary.tokens <= 500);
        graph = Some(dreamt.graph);
    }
    // 40 events a day: neutral ones live 22 to 29 nights, the strongest 115.
    assert!(most < 4_000, "{most} nodes");
    let all_at_once = rebuilt(&records);
    assert_eq!(difference(&graph.expect("dreamt").to_json(), &all_at_once.graph.to_json()), None);
}

/// Least squares of ln(salience) over nights: decay per night and R².
fn fit(points: &[(f64, f64)]) -> (f64, f64) {
    let n = points.len() as f64;
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (*x, y.ln())).collect();
    let (mx, my) = (logs.iter().map(|p| p.0).sum::<f64>() / n, logs.iter().map(|p| p.1).sum::<f64>() / n);
    let sxy: f64 = logs.iter().map(|(x, y)| (x - mx) * (y - my)).sum();
    let sxx: f64 = logs.iter().map(|(x, _)| (x - mx) * (x - mx)).sum();
    let slope = sxy / sxx;
    let residual: f64 = logs.iter().map(|(x, y)| (y - my - slope * (x - mx)).powi(2)).sum();
    let total: f64 = logs.iter().map(|(_, y)| (y - my).powi(2)).sum();
    (-slope, 1.0 - residual / total)
}

/// Half-life in nights of the events of a valence, from the graphs of a real run of nights, with R².
fn half_life(records: &[Record], valence: Valence, seq: u64) -> (f64, f64) {
    let mut points = Vec::new();
    let first = day_of(records[0].at_ms, 0);
    let mut config = Config::new(AGENT, first);
    config.terms.valence = valence;
    let mut graph = dream(None, records, &config).graph;
    for night in 0..20 {
        graph.through = first + night;
        let salience = graph.net.node_weights().find_map(|node| match &node.body {
            Body::Event(event) if event.seq == seq => Some(graph.salience(node)),
            _ => None,
        });
        points.push((f64::from(night), salience.expect("it is remembered for twenty nights")));
    }
    let (decay, r2) = fit(&points);
    (std::f64::consts::LN_2 / decay, r2)
}

#[test]
fn what_is_felt_three_times_as_strongly_lives_twice_as_long() {
    let records: Vec<Record> = life(9, 400, 1);
    let seq_of = |valence: i8| {
        let felt = records.iter().find(|record| mind::appraisal::appraise(&record.happening).valence.abs() == valence);
        felt.expect("a day holds every valence").seq
    };
    let lives: Vec<(f64, f64)> = (0..=3).map(|v| half_life(&records, Valence::Recorded, seq_of(v))).collect();
    for (felt, (nights, r2)) in lives.iter().enumerate() {
        let expected = [6.58, 13.16, 19.74, 26.31][felt];
        assert!((nights - expected).abs() < 0.05, "|v| = {felt}: {nights} nights");
        assert!(*r2 >= 0.99, "|v| = {felt}: R² {r2}");
    }
    let ratio = lives[3].0 / lives[1].0;
    assert!((ratio - 2.0).abs() < 0.1, "{ratio}");
    let flat: Vec<f64> = [1, 3].map(|v| half_life(&records, Valence::Flat, seq_of(v)).0).to_vec();
    assert!((flat[1] / flat[0] - 1.0).abs() < 1e-9, "ablated, all fade alike");
}

#[test]
fn a_session_without_valence_dreams_flat() {
    let records = life(2, 40, 3);
    let text = export(AGENT, false, &records);
    let mut reader = Reader::new(AGENT);
    reader.file("a.jsonl", text.as_bytes());
    let ablated = reader.finish().expect("one kind").records;
    let dreamt = rebuilt(&ablated);
    assert!(dreamt.graph.net.node_weights().all(|node| node.is_me() || node.felt() == 0.0));
    let mut config = Config::new(AGENT, last_day(&records));
    config.terms.valence = Valence::Recompute;
    let recomputed = dream(None, &ablated, &config);
    let felt = |dreamt: &Dream| dreamt.graph.net.node_weights().filter(|node| node.felt() > 0.0).count();
    assert_eq!(felt(&recomputed), felt(&rebuilt(&records)), "recomputing brings it all back");
}

#[test]
fn every_node_and_edge_stands_on_records_that_are_in_the_log() {
    let records = life(4, 80, 60);
    let dreamt = rebuilt(&records);
    let document: serde_json::Value = serde_json::from_slice(&dreamt.graph.to_json()).expect("JSON");
    let known = |seq: &serde_json::Value| {
        let seq = seq.as_u64().expect("a seq");
        records.binary_search_by_key(&seq, |record| record.seq).is_ok()
    };
    let ids: std::collections::BTreeSet<&str> =
        document["nodes"].as_array().expect("nodes").iter().map(|node| node["id"].as_str().expect("an id")).collect();
    for node in document["nodes"].as_array().expect("nodes") {
        let cited = match node["kind"].as_str() {
            Some("event") => vec![node["event"]["seq"].clone()],
            Some("reflection") => node["reflection"]["evidence"].as_array().cloned().unwrap_or_default(),
            _ => node["thing"]["evidence"].as_array().cloned().unwrap_or_default(),
        };
        assert!(!cited.is_empty() && cited.iter().all(known), "{node}");
    }
    let mut kinds = std::collections::BTreeSet::new();
    for edge in document["edges"].as_array().expect("edges") {
        kinds.insert(edge["kind"].as_str().expect("a kind"));
        let cited = edge["evidence"].as_array().expect("evidence");
        assert!(!cited.is_empty() && cited.iter().all(known), "{edge}");
        for end in ["from", "to"] {
            assert!(ids.contains(edge[end].as_str().expect("an id")), "orphan {edge}");
        }
    }
    assert_eq!(kinds.len(), 9, "all kinds of edges occur in play: {kinds:?}");
    assert!(dreamt.summary.sentences.iter().all(|sentence| !sentence.evidence.is_empty()));
    let told: Vec<u64> = dreamt.summary.sentences.iter().flat_map(|sentence| sentence.evidence.clone()).collect();
    assert!(told.iter().all(|seq| records.binary_search_by_key(seq, |record| record.seq).is_ok()));
}
