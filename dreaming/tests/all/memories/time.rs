//! What time does to memories: encounters that blend, a cap that takes the weakest, clocks that jump.

use super::*;

#[test]
fn the_same_dragon_twice_blends() {
    let mut log = Log::from_day(20_000);
    let dragon = |serial| What::Killed { victim: mob("a dragon", 66, serial), killer: Some(me()), xp: 0 };
    log.push(Role::Did, dragon(1));
    let after_one = log.dream();
    log.push(Role::Did, dragon(2));
    let after_two = log.dream();
    let thing = |dreamt: &Dream| {
        let name = dreamt.graph.names.find("mob:66").expect("known");
        let at = dreamt.graph.names.node(name).expect("remembered");
        let thing = dreamt.graph.thing(name).expect("a thing").clone();
        (thing.visits, thing.valence, thing.liking, dreamt.graph.net[at].strength)
    };
    let (one, two) = (thing(&after_one), thing(&after_two));
    assert_eq!((one.0, two.0), (1, 2), "another one of its kind is another encounter");
    assert_eq!((two.1, two.2), (2.0, 0.0));
    assert!((two.3 - one.3 - 0.2).abs() < 1e-12, "reinforced by 0.2: {} to {}", one.3, two.3);
}

#[test]
fn a_clock_that_jumps_takes_no_memory_with_it() {
    let log = |jumps: &[(usize, i64)]| {
        let mut log = Log::from_day(20_000);
        for serial in 0..10 {
            log.push(Role::Did, What::Killed { victim: mob("a goblin", 5, serial), killer: Some(me()), xp: 0 });
        }
        for (at, by) in jumps {
            log.records[*at].at_ms += by;
        }
        log
    };
    let right = log(&[]).dream();
    for jumps in [[(4, 3_000 * DAY_MS)], [(4, -3_000 * DAY_MS)], [(0, 9_000 * DAY_MS)]] {
        let dreamt = log(&jumps).dream();
        assert_eq!(dreamt.report.nodes_after, right.report.nodes_after, "{jumps:?}");
        assert_eq!(dreamt.report.events_dreamt, 10);
    }
    assert_eq!(log(&[(4, -3_000 * DAY_MS)]).dream().report.clock_jumps, 1);
    // One at the end is later than the last night: it waits.
    let waiting = log(&[(9, 3_000 * DAY_MS)]).dream();
    assert_eq!((waiting.report.events_dreamt, waiting.report.events_waiting), (9, 1));
}

#[test]
fn the_cap_takes_the_weakest_and_oldest() {
    let life = Life::new(Shape { seed: 3, events_per_day: 200, ..Shape::default() });
    let records: Vec<Record> = life.take(2_000).collect();
    let mut config = Config::new(AGENT, day_of(records[1_999].at_ms, 0));
    config.terms.events_max = 500;
    let dreamt = dream(None, &records, &config);
    let events: Vec<(i8, u64)> = dreamt
        .graph
        .net
        .node_weights()
        .filter_map(|node| match &node.body {
            Body::Event(event) => Some((event.valence, event.seq)),
            _ => None,
        })
        .collect();
    assert!(events.len() <= 500 + 200, "the day that is not over is kept whole: {}", events.len());
    assert!(events.iter().filter(|(valence, _)| valence.abs() == 3).count() > 100);
    assert!(events.iter().filter(|(_, seq)| *seq > 1_800).count() == 200);
}
