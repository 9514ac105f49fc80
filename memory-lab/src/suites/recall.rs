//! E10: questions about a life, answered by recall; the words alone and recency alone beside it.

use super::report::{Kind, Measure, Report};
use super::{Likeness, Setup, machine};
use crate::counts::statistics::percentile;
use crate::counts::{Counts, Kind as QuestionKind, Method, Question, Scores, questions, score, score_with};
use dreaming::retrieve::Index;
use dreaming::synthetic::{AGENT, Life, Shape};
use dreaming::{Config, Dreamer, Graph, calendar};
use protocol::names::clean_text;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Days within which all happens, so that nothing has faded and the index holds it all.
const DAYS: usize = 10;
/// Memories alike in meaning that are looked at.
const ALIKE_MAX: usize = 50;

/// A dreamt life of this many records, and questions about it.
fn life(seed: u64, events: usize, count: usize) -> (Arc<Graph>, Vec<Question>) {
    let mut config = Config::new(AGENT, i32::MAX / 8);
    config.terms.events_max = usize::MAX;
    let events_per_day = (events / DAYS).max(100) as u32;
    let shape = Shape { seed, events_per_day, mobs: 800, players: 400, rooms: 4_000, items: 8_000, ..Shape::default() };
    let mut dreamer = Dreamer::new(Graph::new(AGENT, config.terms));
    let records: Vec<_> = Life::new(shape).take(events).collect();
    records.iter().for_each(|record| dreamer.feed(record));
    let mut graph = dreamer.graph;
    graph.through = calendar::day_of(graph.cursor.at_ms, 0);
    let questions = questions(&graph, &records, count, seed);
    (Arc::new(graph), questions)
}

fn timed(index: &Index, questions: &[Question], method: Method, tick: u64) -> (Scores, Vec<f64>) {
    let mut spent_ms = Vec::new();
    let scores = score(index, questions, method, tick, |answer| {
        let watch = machine::Stopwatch::start();
        let answered = answer();
        spent_ms.push(watch.worked().as_secs_f64() * 1e3);
        answered
    });
    spent_ms.sort_by(f64::total_cmp);
    (scores, spent_ms)
}

fn at(kind: Kind, name: String, counts: &Counts, k: usize) -> Measure {
    let hits = if k == 5 { counts.at_5 } else { counts.at_10 };
    Measure::share(kind, format!("{name}, R@{k}"), u64::from(hits), u64::from(counts.asked))
}

/// The same questions, with likeness of meaning as one more ranking.
fn with_likeness(likeness: &dyn Likeness, index: &Index, questions: &[Question], tick: u64) -> anyhow::Result<Scores> {
    let memories: Vec<String> = index.memories().map(|(_, text, _)| text).collect();
    let texts: Vec<String> = questions.iter().map(|question| question.text.clone()).collect();
    let found = likeness.alike(&memories, &texts, ALIKE_MAX)?;
    let by_text: BTreeMap<&str, Vec<u32>> = texts.iter().map(String::as_str).zip(found).collect();
    let alike = |text: &str| by_text.get(text).cloned().unwrap_or_default();
    Ok(score_with(index, questions, Method::Full, tick, alike, |answer| answer()))
}

pub fn run(setup: &mut Setup) -> anyhow::Result<Report> {
    let (sizes, each): (&[usize], usize) =
        setup.size.pick((&[4_000], 25), (&[10_000, 100_000], 500), (&[10_000, 100_000, 1_000_000], 500));
    let config = json!({"events": sizes, "questions_each": each, "days": DAYS, "k": 10});
    let mut report = Report::new(setup, config);
    for &events in sizes {
        (setup.progress)(&format!("{events} records"));
        let (graph, questions) = life(setup.seed, events, each * QuestionKind::ALL.len());
        report.n += questions.len() as u64;
        let tick = graph.cursor.tick;
        let index = Index::new(graph.clone());
        (setup.progress)(&format!("{} questions to {} memories", questions.len(), index.len()));
        let (scores, spent) = timed(&index, &questions, Method::Full, tick);
        let all = scores.all();
        let of = |what: &str| format!("{events} records, {what}");
        report.add(at(Kind::Result, of("all kinds"), &all, 5).at_least(0.97));
        report.add(at(Kind::Result, of("all kinds"), &all, 10).at_least(0.99));
        for (kind, counts) in &scores.by_kind {
            report.add(at(Kind::Detail, of(name_of(*kind)), counts, 5));
        }
        let n = u64::from(all.asked);
        report.add(Measure::new(Kind::Detail, of("mean reciprocal rank"), all.mean_reciprocal_rank()).of(n));
        report.add(Measure::new(Kind::Detail, of("nDCG@10"), all.mean_ndcg_10()).of(n));
        let (hits, with) = (u64::from(all.all_at_10), u64::from(all.with_all));
        report.add(Measure::share(Kind::Detail, of("all right records among ten"), hits, with));
        for (method, name) in [(Method::WordsOnly, "BM25 only"), (Method::RecencyOnly, "recency only")] {
            let (scores, _) = timed(&index, &questions, method, tick);
            report.add(at(Kind::Baseline, of(name), &scores.all(), 5));
            report.add(at(Kind::Baseline, of(name), &scores.all(), 10));
            // All together hide what a baseline cannot find at all.
            for (kind, counts) in &scores.by_kind {
                report.add(at(Kind::Baseline, of(&format!("{name}, {}", name_of(*kind))), counts, 5));
            }
        }
        if let (Some(likeness), true) = (setup.likeness, events == sizes[0]) {
            (setup.progress)(&format!("embeddings of {}", likeness.model()));
            match with_likeness(likeness, &index, &questions, tick) {
                Ok(scores) => {
                    report.add(at(Kind::Detail, of("with embeddings"), &scores.all(), 5));
                    report.add(at(Kind::Detail, of("with embeddings"), &scores.all(), 10));
                    report.notes.push(format!("Embeddings by {}, at the first size only.", likeness.model()));
                }
                Err(error) => report.notes.push(format!("Without embeddings: {}.", clean_text(&format!("{error:#}")))),
            }
        }
        let aim = if index.len() > 200_000 { 5.0 } else { 1.0 };
        let p99 = Measure::new(Kind::Timing, of("time of a recall, p99"), percentile(&spent, 99)).unit("ms").of(n);
        report.add(p99.at_most(aim));
        report.add(Measure::new(Kind::Timing, of("time of a recall, p50"), percentile(&spent, 50)).unit("ms").of(n));
    }
    report.notes.push(
        "Questions are made from the graph, their answers by rule; nobody judges. A kind of which a life does not hold \
         as many is asked as often as it can be. Elsewhere, on LongMemEval-S: BM25 0.862, hybrids 0.95 to 0.97 (R@5)."
            .into(),
    );
    Ok(report)
}

fn name_of(kind: QuestionKind) -> &'static str {
    match kind {
        QuestionKind::Single => "single",
        QuestionKind::MultiHop => "multi-hop",
        QuestionKind::Temporal => "temporal",
        QuestionKind::Update => "knowledge update",
        QuestionKind::Relationship => "relationship",
        QuestionKind::Abstention => "abstention",
    }
}
