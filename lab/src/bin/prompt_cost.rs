//! The tables of docs/PERFORMANCE.md about prompts: `cargo run --release -p lab --bin prompt_cost`.
//!
//! E1: tokens of a view by format and density. E2: what 1,000 decisions cost with a provider's cache, by tier. Then
//! how long a prompt takes to build, both again with much on the mind (3 projects, 40 goals, 60 facts, 6 sections),
//! E15: what is left of an undertaking of many folds, and 20,000 made-up states that stay within budget. With `show
//! SEED` it prints one, with `caching` only E2, with `undertakings` only E15, with `furnished` only those with much on
//! the mind.

#[path = "../../../mind/tests/sessions/mod.rs"]
mod sessions;

use mind::budget::{Tier, Wants, head, share_out};
use mind::hud::{Format, View};
use mind::pressure::Density;
use mind::prompt::{Layout, PromptBuilder, Settings};
use mind::{render, tokens};
use sessions::cost::{Cost, measure, measure_session, settings};
use sessions::furnished::{declared, furnished};
use sessions::undertaking::{Undertaking, undertake};
use sessions::{Chance, Session, hero, wild};
use std::time::Duration;

fn main() {
    let mut args = std::env::args().skip(1);
    match args.next().as_deref() {
        Some("caching") => return caching(),
        Some("show") => return show(args.next().and_then(|seed| seed.parse().ok()).unwrap_or(1)),
        Some("undertakings") => return undertakings(),
        Some("furnished") => return much_on_the_mind(),
        _ => {}
    }
    formats();
    caching();
    speed();
    much_on_the_mind();
    undertakings();
    limits();
}

fn played(seed: u64, decisions: usize) -> (Session, PromptBuilder) {
    played_on(Session::new(seed), settings(Tier::Medium, Format::Markdown), decisions)
}

fn played_on(mut session: Session, settings: Settings, decisions: usize) -> (Session, PromptBuilder) {
    let mut builder = PromptBuilder::new(settings);
    builder.set_self(hero());
    for _ in 0..decisions {
        builder.append(session.step().block);
    }
    (session, builder)
}

fn show(seed: u64) {
    let (session, mut builder) = played(seed, 40);
    let prompt = builder.build(&session.live, &session.recent, &session.state);
    print!("{}", prompt.text());
    eprintln!("{:?}, {} of {} tokens", prompt.sections, prompt.tokens, prompt.budget);
}

fn formats() {
    println!("E1: tokens of a view (mean of 100), by format and density\n");
    formats_of(&|seed| played(seed, 60).0);
}

fn formats_of(session: &dyn Fn(u64) -> Session) {
    println!("| format | full | compact | minimal |\n|---|---:|---:|---:|");
    let views: Vec<View> = (0..100)
        .map(|seed| {
            let session = session(seed);
            View { self_: hero(), live: session.live, recent: session.recent, state: session.state }
        })
        .collect();
    for format in Format::ALL {
        let mean = |density| {
            let all: usize = views.iter().map(|view| tokens::count(&render::view(view, format, density))).sum();
            all / views.len()
        };
        let [full, compact, minimal] = Density::ALL.map(mean);
        println!("| {} | {full} | {compact} | {minimal} |", format.name());
    }
}

fn caching() {
    println!(
        "\nE2: 1,000 decisions with a cache (from 1,024 tokens, steps of 128, read at a tenth), mean of 5 seeds\n"
    );
    let rows = [
        (Tier::Small, Format::Markdown, Layout::Parts),
        (Tier::Medium, Format::Markdown, Layout::Parts),
        (Tier::Large, Format::Markdown, Layout::Parts),
        (Tier::Medium, Format::Toon, Layout::Parts),
        (Tier::Medium, Format::CompactJson, Layout::Parts),
        (Tier::Medium, Format::Json, Layout::Parts),
        (Tier::Medium, Format::Toon, Layout::Document),
        (Tier::Medium, Format::CompactJson, Layout::Document),
        (Tier::Medium, Format::Json, Layout::Document),
    ];
    costs(&rows, &|settings, seed| measure(settings, seed, 1_000, |_| ()));
}

fn costs(rows: &[(Tier, Format, Layout)], cost: &dyn Fn(Settings, u64) -> Cost) {
    println!("| tier | format | mean prompt | cached | effective | of prompt | folds | fullest | P4 mean | P4 most |");
    println!("|---|---|---:|---:|---:|---:|---:|---:|---:|---|");
    for &(tier, format, layout) in rows {
        let settings = || Settings { layout, ..settings(tier, format) };
        let costs: Vec<_> = (1..=5).map(|seed| cost(settings(), seed)).collect();
        let mean = |of: &dyn Fn(&Cost) -> f64| costs.iter().map(of).sum::<f64>() / costs.len() as f64;
        let most = (0..3).map(|n| costs.iter().map(|cost| cost.live_max[n]).max().unwrap_or(0));
        println!(
            "| {} | {}{} | {:.0} | {:.1} % | {:.0} | {:.1} % | {:.1} | {:.1} % | {:.0} | {:?} |",
            tier.name(),
            format.name(),
            if layout == Layout::Document { ", document" } else { "" },
            mean(&|cost| cost.prompt),
            100.0 * mean(&|cost| cost.cached_share),
            mean(&|cost| cost.effective),
            100.0 * mean(&|cost| cost.effective_share),
            mean(&|cost| f64::from(cost.folds)),
            100.0 * mean(&|cost| cost.fullest),
            mean(&|cost| cost.live_mean),
            most.collect::<Vec<_>>(),
        );
    }
}

/// E1, E2 and the time of a prompt with 3 projects, 40 goals, 60 facts, 6 sections.
fn much_on_the_mind() {
    println!("\nE1 with 3 projects, 40 goals, 60 facts, 6 sections (mean of 100)\n");
    let with_sections = |settings| Settings { sections: declared(), ..settings };
    let medium = || with_sections(settings(Tier::Medium, Format::Markdown));
    formats_of(&|seed| played_on(furnished(seed), medium(), 60).0);
    println!("\nE2 with as much, 1,000 decisions, mean of 5 seeds\n");
    let rows = [Tier::Small, Tier::Medium, Tier::Large].map(|tier| (tier, Format::Markdown, Layout::Parts));
    costs(&rows, &|settings, seed| measure_session(with_sections(settings), furnished(seed), 1_000, |_| ()));
    let (session, mut builder) = played_on(furnished(3), medium(), 60);
    let times = times_of(&session, &mut builder);
    println!(
        "\nA medium prompt is built in {:?} (median), {:?} (p99)",
        times[times.len() / 2],
        times[times.len() * 99 / 100]
    );
}

fn undertakings() {
    const SEEDS: u64 = 20;
    const FOLDS: u32 = 20;
    println!(
        "\nE15: verbs at random until a prompt was folded {FOLDS} times and a project taken up as often, {SEEDS} seeds of each tier; no model\n"
    );
    println!("| tier | lines | entries | folds | swaps | fullest | as replayed | altered workspaces |");
    println!("|---|---:|---:|---:|---:|---:|---:|---:|");
    for tier in Tier::ALL {
        let all: Vec<Undertaking> =
            (1..=SEEDS).map(|seed| undertake(settings(tier, Format::Markdown), seed, FOLDS)).collect();
        let mean = |of: &dyn Fn(&Undertaking) -> usize| all.iter().map(of).sum::<usize>() / all.len();
        println!(
            "| {} | {} | {} | {} | {} | {:.1} % | {} of {} | {} |",
            tier.name(),
            mean(&|came| came.lines),
            mean(&|came| came.entries),
            mean(&|came| came.folds as usize),
            mean(&|came| came.swaps),
            100.0 * all.iter().map(|came| came.fullest).fold(0.0, f64::max),
            all.iter().filter(|came| came.folds >= FOLDS && came.is_as_replayed).count(),
            all.len(),
            all.iter().map(|came| came.altered).sum::<usize>(),
        );
    }
}

/// How long something took. The crate's ban on clocks is for what it ships.
#[allow(clippy::disallowed_types)]
fn timed(mut what: impl FnMut()) -> Duration {
    let start = std::time::Instant::now();
    what();
    start.elapsed()
}

/// Of a thousand prompts, sorted.
fn times_of(session: &Session, builder: &mut PromptBuilder) -> Vec<Duration> {
    let time = |n| {
        let mut live = session.live.clone();
        live.tick += n;
        timed(|| {
            std::hint::black_box(builder.build(&live, &session.recent, &session.state));
        })
    };
    let mut times: Vec<Duration> = (0..1_000).map(time).collect();
    times.sort();
    times
}

fn speed() {
    let (session, mut builder) = played(3, 60);
    let times = times_of(&session, &mut builder);
    let text = builder.build(&session.live, &session.recent, &session.state).text().repeat(20);
    let counted = timed(|| {
        std::hint::black_box(tokens::count(&text));
    });
    println!(
        "\nA medium prompt is built in {:?} (median), {:?} (p99); tokens are counted at {:.1} MB/s",
        times[times.len() / 2],
        times[times.len() * 99 / 100],
        text.len() as f64 / 1e6 / counted.as_secs_f64()
    );
}

/// One made-up state, and whether its prompt is above its budget.
fn is_over(n: usize, chance: &mut Chance) -> bool {
    let (tier, format) = (Tier::ALL[n % 4], Format::ALL[(n / 4) % 4]);
    let mut builder = PromptBuilder::new(settings(tier, format));
    let (view, blocks) = wild(chance);
    builder.set_self(view.self_);
    blocks.into_iter().for_each(|block| builder.append(block));
    let prompt = builder.build(&view.live, &view.recent, &view.state);
    prompt.tokens > tier.budget(128_000)
}

fn limits() {
    const STATES: u64 = 20_000;
    const THREADS: u64 = 4;
    let mut over = 0;
    let took = timed(|| {
        let part = |thread: u64| {
            let mut chance = Chance(11 + thread);
            (0..STATES / THREADS).filter(|&n| is_over(n as usize, &mut chance)).count()
        };
        over = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..THREADS).map(|n| scope.spawn(move || part(n))).collect();
            threads.into_iter().map(|thread| thread.join().expect("no state breaks it")).sum::<usize>()
        });
    });
    println!("\n20,000 made-up states: {over} prompts above their budget ({took:.1?})");
    let mut above = 0;
    let mut chance = Chance(12);
    let took = timed(|| {
        for _ in 0..1_000_000 {
            let mut want = || chance.below(20_000);
            let wants = Wants { rules: want(), self_: want(), roster: want(), workspace: want(), knowledge: want() };
            let tier = Tier::ALL[chance.below(4)];
            let room = chance.below(200_000);
            let grants = share_out(tier, room, &wants);
            let fixed = wants.rules + wants.self_ + wants.roster;
            let granted = grants.workspace + grants.knowledge;
            above += usize::from(granted > 0 && fixed + granted > head(tier, room));
        }
    });
    println!("1,000,000 allocations: {above} above their half ({took:.1?})");
}
