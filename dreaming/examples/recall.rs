//! How well and how fast memories are found (E10): `cargo run --release -p dreaming --example recall -- [events] [questions]`.

use dreaming::evaluation::{Method, questions, score};
use dreaming::retrieve::Index;
use dreaming::synthetic::{AGENT, Life, Shape};
use dreaming::{Config, Dreamer, Graph, calendar};
#[allow(clippy::disallowed_types)] // It measures time; the crate does not.
use std::time::Instant;

fn main() {
    let mut args = std::env::args().skip(1).map(|arg| arg.parse::<usize>().expect("a number"));
    let (events, count) = (args.next().unwrap_or(100_000), args.next().unwrap_or(500));
    let mut config = Config::new(AGENT, i32::MAX / 8);
    config.terms.events_max = usize::MAX;
    // All within few days, so that nothing has faded and the index holds them all.
    let per_day = (events / 10).max(100) as u32;
    let shape =
        Shape { events_per_day: per_day, mobs: 800, players: 400, rooms: 4_000, items: 8_000, ..Shape::default() };
    let life = Life::new(shape);
    let mut dreamer = Dreamer::new(Graph::new(AGENT, config.terms.clone()));
    let records: Vec<_> = life.take(events).collect();
    records.iter().for_each(|record| dreamer.feed(record));
    let mut graph = dreamer.graph;
    graph.through = calendar::day_of(graph.cursor.at_ms, 0);
    let questions = questions(&graph, &records, count, 7);
    drop(records);
    let begun = Instant::now();
    let index = Index::new(&graph);
    println!("{events} events, {} documents, index made in {:.2} s", index.len(), begun.elapsed().as_secs_f64());
    for question in questions.iter().filter(|_| std::env::var_os("MISSED").is_some()) {
        let mut query = dreaming::retrieve::Query::question(&question.text, graph.cursor.tick);
        query.k = 5;
        let recall = index.recall(&query, &mut dreaming::retrieve::Scratch::default());
        let right = |found: &dreaming::retrieve::Found| dreaming::evaluation::answers(question, found);
        if !question.gold.is_empty() && !recall.found.iter().any(right)
            || question.id.is_some() && !recall.found.iter().any(right)
        {
            println!("{question:?}");
            query.k = 500;
            let deep = index.recall(&query, &mut dreaming::retrieve::Scratch::default());
            let place = deep.found.iter().position(right);
            println!("  at {place:?}: {:?}", place.map(|place| &deep.found[place]));
            for found in &recall.found {
                println!("    {} {:.3} {} {:.3}", found.id, found.score, found.text, found.coverage);
            }
        }
    }
    for method in [Method::Full, Method::WordsOnly, Method::RecencyOnly] {
        let mut spent: Vec<f64> = Vec::new();
        let result = score(&index, &questions, method, graph.cursor.tick, |answer| {
            let begun = Instant::now();
            let answered = answer();
            spent.push(begun.elapsed().as_secs_f64() * 1e3);
            answered
        });
        spent.sort_by(f64::total_cmp);
        let p = |percent: usize| spent[(spent.len() * percent / 100).min(spent.len() - 1)];
        println!("{method:?}: p50 {:.3} ms, p99 {:.3} ms\n{result}", p(50), p(99));
    }
}
