//! How well and how fast memories are found (E10):
//! `cargo run --release -p memory-lab --example recall -- [events] [questions] [seed]`.
//! What is tuned is tuned with seed 1; other seeds judge.
//!
//! With MISSED in the environment it also shows what was asked in vain, and what came up instead.

use dreaming::retrieve::{Index, Query, Recall, Scratch};
use dreaming::synthetic::{AGENT, Life, Shape};
use dreaming::{Config, Dreamer, Graph, calendar};
use memory_lab::counts::{Kind, Method, Question, answers, questions, score};
use std::sync::Arc;
use std::time::Instant;

fn main() {
    let mut args = std::env::args().skip(1).map(|arg| arg.parse::<usize>().expect("a number"));
    let (events, count) = (args.next().unwrap_or(100_000), args.next().unwrap_or(500));
    let seed = args.next().unwrap_or(1) as u64;
    let mut config = Config::new(AGENT, i32::MAX / 8);
    config.terms.events_max = usize::MAX;
    // All within few days, so that nothing has faded and the index holds them all.
    let per_day = (events / 10).max(100) as u32;
    let shape = Shape {
        seed,
        events_per_day: per_day,
        mobs: 800,
        players: 400,
        rooms: 4_000,
        items: 8_000,
        ..Shape::default()
    };
    let life = Life::new(shape);
    let mut dreamer = Dreamer::new(Graph::new(AGENT, config.terms.clone()));
    let records: Vec<_> = life.take(events).collect();
    records.iter().for_each(|record| dreamer.feed(record));
    let mut graph = dreamer.graph;
    graph.through = calendar::day_of(graph.cursor.at_ms, 0);
    let questions = questions(&graph, &records, count, seed + 6);
    drop(records);
    let graph = Arc::new(graph);
    let begun = Instant::now();
    let index = Index::new(graph.clone());
    println!("{events} events, {} documents, index made in {:.2} s", index.len(), begun.elapsed().as_secs_f64());
    if std::env::var_os("MISSED").is_some() {
        questions.iter().for_each(|question| show_if_missed(&index, question, graph.cursor.tick));
    }
    for method in [Method::Full, Method::WordsOnly, Method::RecencyOnly] {
        let mut spent: Vec<f64> = Vec::new();
        let result = score(&index, &questions, method, graph.cursor.tick, |answer| {
            // The best of three: what it costs, and not what else the machine had to do.
            let mut best = f64::INFINITY;
            let mut answered = Recall::default();
            for _ in 0..3 {
                let begun = Instant::now();
                answered = answer();
                best = best.min(begun.elapsed().as_secs_f64() * 1e3);
            }
            spent.push(best);
            answered
        });
        spent.sort_by(f64::total_cmp);
        let p = |percent: usize| spent[(spent.len() * percent / 100).min(spent.len() - 1)];
        println!("{method:?}: p50 {:.3} ms, p99 {:.3} ms\n{result}", p(50), p(99));
    }
}

fn show_if_missed(index: &Index, question: &Question, tick: u64) {
    let mut query = Query::question(&question.text, tick);
    query.k = 200;
    let recall = index.recall(&query, &mut Scratch::default());
    let place = recall.found.iter().position(|found| answers(question, found));
    if question.kind == Kind::Abstention || place.is_some_and(|place| place < 5) {
        return;
    }
    println!("{} is answered at {place:?}; before that come", question.text);
    for found in recall.found.iter().take(5) {
        println!("    {} {:.3} {}", found.id, found.score, found.text);
    }
}
