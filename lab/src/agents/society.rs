//! How words spread in a society (suite `society`): agents live in one world for two of its days; a stranger tells one
//! of them a piece of news, and calls another to a meeting at a plot. Who has it in the end, by whom, and who comes.
//!
//! What drives the talk is the stub's policy `herald`: what it is told with "Have you heard?" it tells in the same
//! words to whom it meets, and it goes where it is called to. All the rest is the game: who meets whom, who overhears,
//! who is asleep, dead or elsewhere. Who has it is answered by `server::diffusion` of the journal that the run writes,
//! and whether its log can recall it; who is present by the world; who has heard whom by the logs of both.
//! Invariant: a run is a function of its options and its seed.

use super::figures::{Mean, told};
use super::oracle;
use super::play::{Chair, Setting, each_seed, newcomer, play_on};
use super::stage::{Database, Stage};
use agent_cli::agent::{Agent, AgentSettings, slow_ms};
use agent_cli::stub::policy::{CUE, Herald};
use anyhow::{Context, ensure};
use content::words::Class;
use content::{Content, Vnum};
use memory_lab::counts::statistics::mean;
use mind::Event;
use protocol::frame::{ClientFrame, Command};
use serde_json::{Value, json};
use server::diffusion::{Answer, DiffusionArgs, answer};
use server::journal::retention::Keep;
use server::journal::{
    Fsync, Gauges, Header, Journal, Layout, LiveJournal, Policy, Snapshot, Unwritten, write_snapshot,
};
use server::replay::{PastArgs, needs_of};
use server::state_dir::PlayedIn;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use world::World;
use world::rules::Rules;

/// Where all begin, and the plot of the meeting beside it.
const HOME: Vnum = 8200;
const PLOT: Vnum = 8227;
/// Ticks that they live before the stranger comes: a good part of an hour of play.
const BEFORE: u64 = 96;
/// Ticks from the meeting to the end.
const AFTER: u64 = 36;
/// Ticks around the meeting in which whoever is there has come.
const EARLY: u64 = 10;
const LATE: u64 = 15;
/// Who brings the news.
pub(super) const STRANGER: &str = "Pedlar";
/// Words by which news is followed, and who is told it.
pub(super) const NEWS: &str = "the miller has sold the weir to the reeve";
pub(super) const MEETING: &str = "whoever can lift a stone";

#[derive(Clone, Debug)]
pub struct Options {
    pub seeds: Vec<u64>,
    pub agents: usize,
    /// All in all; two days of the game are 1,536.
    pub ticks: u64,
    pub world: PathBuf,
}

/// How far something that was told to one has come.
#[derive(Clone, PartialEq, Debug)]
pub struct Spread {
    /// Agents that have it in the end, the one that was told first among them.
    pub carriers: usize,
    /// Of these, whose log answers `recall` with it.
    pub remember: usize,
    /// Ticks from the telling until half of all agents had it; `None`: they never had.
    pub half: Option<u64>,
    /// Steps from the stranger to who is farthest.
    pub depth: u32,
    pub links: usize,
    /// Times it was said.
    pub said: usize,
    /// Who said it though nobody had shown it to them.
    pub invented: usize,
}

/// One seed.
#[derive(Clone, PartialEq, Debug)]
pub struct Lived {
    pub agents: usize,
    pub news: Spread,
    pub meeting: Spread,
    /// Pairs that have heard each other speak, of all that there are: when the stranger came, and in the end.
    pub density: [f64; 2],
    /// Who had heard of the meeting by then, and of them who came; and of those who had not, who were there.
    pub called: usize,
    pub came: usize,
    pub came_uncalled: usize,
    pub deaths: u32,
}

/// A stage whose inputs are written down as a server does.
fn journaled(content: &Arc<Content>, world_dir: &Path, database: &Database, seed: u64) -> anyhow::Result<Stage> {
    let world = World::new(content.clone(), Arc::new(Rules::built_in()), seed);
    let layout = Layout::open(&state_dir(database))?;
    let gauges = Arc::new(Gauges::default());
    let header = Header {
        server: env!("CARGO_PKG_VERSION").to_string(),
        needs: needs_of(content, &world.rules, world_dir),
        seed,
        start: 0,
        start_tick: 0,
        epoch_ms: 0,
        tick_ms: 2_000,
        database: database.address.clone(),
        continues: false,
    };
    write_snapshot(&layout, &Snapshot::of(&world, header.clone(), Unwritten::default()), &gauges)?;
    let journal = Journal::begin(layout.clone(), header, Fsync::Tick, gauges.clone())?;
    let policy = Policy { snapshot_every: Duration::MAX, snapshot_bytes: u64::MAX, keep: Keep { days: 0 } };
    let journal = LiveJournal::new(journal, layout, policy, gauges);
    Ok(Stage::beside(world, database.clone(), Some(journal)))
}

fn state_dir(database: &Database) -> PathBuf {
    database.folder.path().join("state")
}

/// A society when its time is over.
pub(super) struct Past {
    pub database: Database,
    pub stage: Stage,
    pub seats: Vec<usize>,
    pub names: Vec<String>,
    /// Lines that each sent, with their times.
    pub sent: Vec<Vec<(u64, String)>>,
    /// Ticks: when the stranger came, and of the meeting.
    told_at: u64,
    meeting_at: u64,
    present: BTreeSet<String>,
    density: [f64; 2],
    deaths: u32,
    /// Who has what, by the journal: the news, and the call to the meeting.
    pub told: [Answer; 2],
}

/// Plays one seed from its beginning to its end.
pub(super) fn live(content: &Arc<Content>, options: &Options, seed: u64) -> anyhow::Result<Past> {
    let least = BEFORE + EARLY + AFTER;
    ensure!(options.ticks > least, "a society takes more than {least} ticks");
    ensure!(options.agents > 1, "nobody can tell anybody anything: it takes two agents at least");
    let database = Database::new()?;
    let mut stage = journaled(content, &options.world, &database, seed)?;
    let setting = Setting { players: options.agents, trace: true, ..Setting::default() };
    let (mut chairs, mut seats) = (Vec::new(), Vec::new());
    for n in 0..options.agents {
        let seat = stage.enter(newcomer(seed, n, Class::Warrior))?;
        stage.place(seat, HOME)?;
        let seed = seed.wrapping_mul(1_000).wrapping_add(n as u64);
        let (think_ms, slow_ms) = (setting.think_ms, slow_ms(setting.think_ms));
        let agent = Agent::new(AgentSettings { think_ms, slow_ms, seed, ..AgentSettings::default() });
        let model = oracle::plain(Box::new(Herald::new(seed)), format!("agent {n}"), setting.model_ms);
        chairs.push(Chair::new(&stage, &setting, seat, (Box::new(agent), Some(model))));
        seats.push(seat);
    }
    let names: Vec<String> = seats.iter().map(|seat| stage.seats[*seat].name.clone()).collect();
    play_on(&mut stage, &mut chairs, &setting, BEFORE, &mut |_, _| ())?;
    let before = density(&stage, &seats, &names)?;

    let meeting_at = options.ticks - AFTER;
    let called = format!("{MEETING} meets in room {PLOT} at tick {meeting_at}, to build there.");
    tell(&mut stage, seed, &[(&names[0], &format!("{NEWS}.")), (&names[1], &called)])?;
    let told_at = stage.engine.with_world(World::tick);
    let mut present: BTreeSet<String> = BTreeSet::new();
    play_on(&mut stage, &mut chairs, &setting, options.ticks - BEFORE, &mut |stage, _| {
        stage.engine.with_world(|world| {
            if (meeting_at - EARLY..=meeting_at + LATE).contains(&world.tick()) {
                present.extend(there(world, PLOT));
            }
        });
    })?;
    let after = density(&stage, &seats, &names)?;
    let minutes = (options.ticks * stage.tick_ms) as f64 / 60_000.0;
    let sent = chairs.iter_mut().map(|chair| std::mem::take(&mut chair.sent)).collect();
    let end = |chair: Chair| stage.engine.with_world(|world| chair.end(world, seed, minutes).deaths);
    let deaths = chairs.into_iter().map(end).sum();
    stage.settle()?;
    database.wait(stage.engine.finish_journal())?;
    let found = |words: &str| {
        let (state_dir, world) = (state_dir(&database), Some(options.world.clone()));
        let asked = DiffusionArgs {
            past: PastArgs { state_dir, played_in: PlayedIn { world, ..PlayedIn::default() } },
            db: Some(database.address.clone()),
            words: Some(words.to_string()),
            event: None,
            element: None,
            from: None,
            to: None,
            json: true,
            svg: None,
        };
        database.wait(answer(&asked))
    };
    let told = [found(NEWS)?, found(MEETING)?];
    let density = [before, after];
    Ok(Past { database, stage, seats, names, sent, told_at, meeting_at, present, density, deaths, told })
}

/// One seed: what came of it.
pub fn run(content: &Arc<Content>, options: &Options, seed: u64) -> anyhow::Result<Lived> {
    Ok(lived(&live(content, options, seed)?))
}

pub(super) fn lived(past: &Past) -> Lived {
    let Past { names, told_at, meeting_at, present, density, deaths, told: [news, meeting], .. } = past;
    let in_time = meeting.carriers.iter().filter(|row| row.tick <= *meeting_at && row.name != STRANGER);
    let heard: BTreeSet<&String> = in_time.map(|row| &row.name).collect();
    let there = |called: bool| {
        let of = |name: &&String| heard.contains(name) == called && present.contains(*name);
        names.iter().filter(of).count()
    };
    Lived {
        agents: names.len(),
        news: spread(news, *told_at, names.len()),
        meeting: spread(meeting, *told_at, names.len()),
        density: *density,
        called: heard.len(),
        came: there(true),
        came_uncalled: there(false),
        deaths: *deaths,
    }
}

/// A stranger comes, tells one what it knows, another something else, and leaves.
fn tell(stage: &mut Stage, seed: u64, news: &[(&String, &str)]) -> anyhow::Result<()> {
    let mut record = newcomer(seed, 0, Class::Warrior);
    record.name = STRANGER.into();
    let stranger = stage.enter_person(record)?;
    let typed = |stage: &mut Stage, command: String| {
        stage.send(stranger, &ClientFrame::Command(Command { command, ..Command::default() }).encode());
    };
    for (who, what) in news {
        typed(stage, format!("tell {who} {CUE}{what}"));
    }
    typed(stage, "quit".to_string());
    Ok(())
}

/// Players in a room.
fn there(world: &World, room: Vnum) -> Vec<String> {
    let Some(room) = world.room_by_vnum(room) else { return Vec::new() };
    let characters = world.room(room).characters.iter().filter_map(|who| world.character(*who));
    characters.filter(|who| who.is_player()).map(|who| who.name.to_string()).collect()
}

/// Of all pairs, those of which both have heard the other speak, by their logs.
fn density(stage: &Stage, seats: &[usize], names: &[String]) -> anyhow::Result<f64> {
    let mut met: BTreeSet<(usize, usize)> = BTreeSet::new();
    for (n, seat) in seats.iter().enumerate() {
        for entry in stage.log(*seat)? {
            if let Event::Heard(heard) = &entry.event
                && let Some(m) = names.iter().position(|name| *name == *heard.from)
            {
                met.insert((n, m));
            }
        }
    }
    let mutual = met.iter().filter(|(a, b)| a < b && met.contains(&(*b, *a))).count();
    let pairs = names.len() * (names.len() - 1) / 2;
    Ok(mutual as f64 / pairs as f64)
}

fn spread(answer: &Answer, told_at: u64, agents: usize) -> Spread {
    let rows = || answer.carriers.iter().filter(|row| row.name != STRANGER);
    Spread {
        carriers: rows().count(),
        remember: rows().filter(|row| row.remembers == Some(true)).count(),
        half: rows().nth(agents.div_ceil(2) - 1).map(|row| row.tick.saturating_sub(told_at)),
        depth: rows().map(|row| row.depth).max().unwrap_or(0),
        links: answer.links.len(),
        said: answer.uttered.iter().filter(|row| row.name != STRANGER).count(),
        invented: answer.invented.len(),
    }
}

/// All seeds, each with how it went.
pub fn rows(content: &Arc<Content>, options: &Options) -> anyhow::Result<Vec<(u64, Lived)>> {
    let one = |seed| run(content, options, seed);
    let lived = each_seed(&options.seeds, &one).into_iter();
    lived.map(|(seed, lived)| Ok((seed, lived.with_context(|| format!("seed {seed}"))?))).collect()
}

/// What is told, and with how many digits; `None`: there was nothing to count.
fn means(rows: &[(u64, Lived)]) -> Vec<(&'static str, Option<Mean>, usize)> {
    let of = |value: &dyn Fn(&Lived) -> f64| {
        let values: Vec<f64> = rows.iter().map(|(_, lived)| value(lived)).collect();
        (!values.is_empty()).then(|| mean(&values))
    };
    let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
    let half: Vec<f64> = rows.iter().filter_map(|(_, lived)| lived.news.half).map(|ticks| ticks as f64).collect();
    vec![
        ("share of agents that have the news", of(&|lived| share(lived.news.carriers, lived.agents)), 2),
        ("of these, whose log can recall it", of(&|lived| share(lived.news.remember, lived.news.carriers)), 2),
        ("ticks until half had it, where half had", (!half.is_empty()).then(|| mean(&half)), 0),
        ("steps to who is farthest from the stranger", of(&|lived| f64::from(lived.news.depth)), 1),
        ("times it was said", of(&|lived| lived.news.said as f64), 1),
        ("who said either without having been told", of(&|l| (l.news.invented + l.meeting.invented) as f64), 1),
        ("pairs that have heard each other speak, before", of(&|lived| lived.density[0]), 2),
        ("the same in the end", of(&|lived| lived.density[1]), 2),
        ("share that had heard of the meeting by then", of(&|lived| share(lived.called, lived.agents)), 2),
        ("of these, who came", of(&|lived| share(lived.came, lived.called)), 2),
        ("of the others, who were there", of(&|l| share(l.came_uncalled, l.agents - l.called)), 2),
        ("deaths", of(&|lived| f64::from(lived.deaths)), 1),
    ]
}

pub fn markdown(rows: &[(u64, Lived)]) -> String {
    let mut out = format!("| over {} seeds | mean (95 %) |\n|---|---|\n", rows.len());
    for (what, mean, digits) in means(rows) {
        let told = mean.map_or("never".to_string(), |mean| told(mean, digits));
        writeln!(out, "| {what} | {told} |").expect("a String");
    }
    out
}

pub fn json(rows: &[(u64, Lived)]) -> Value {
    let spread = |one: &Spread| {
        json!({
            "carriers": one.carriers, "remember": one.remember, "half_after_ticks": one.half, "depth": one.depth,
            "links": one.links, "said": one.said, "invented": one.invented,
        })
    };
    let of_seed = |(seed, lived): &(u64, Lived)| {
        json!({
            "seed": seed, "agents": lived.agents, "news": spread(&lived.news), "meeting": spread(&lived.meeting),
            "density_before": lived.density[0], "density_after": lived.density[1], "called": lived.called,
            "came": lived.came, "came_uncalled": lived.came_uncalled, "deaths": lived.deaths,
        })
    };
    let mean = |(what, mean, _): (&str, Option<Mean>, usize)| {
        let (value, interval) = (mean.map(|mean| mean.0), mean.and_then(|mean| mean.1));
        json!({"what": what, "mean": value, "interval_95": interval})
    };
    json!({
        "seeds": rows.iter().map(of_seed).collect::<Vec<_>>(),
        "means": means(rows).into_iter().map(mean).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world_folder::{read_content, root};

    #[test]
    fn news_goes_from_mouth_to_mouth_and_those_come_who_were_called() {
        let world = root().join("data/world");
        let options = Options { seeds: vec![1], agents: 6, ticks: 190, world: world.clone() };
        let content = Arc::new(read_content(&world));
        // Who meets whom is chance: of some societies the first in which the news went on.
        let mut seeds = (1..=8).map(|seed| (seed, run(&content, &options, seed).expect("a society")));
        let (seed, lived) =
            seeds.find(|(_, lived)| lived.news.depth > 1 && lived.came > 0).expect("news goes on in one of eight");
        let Lived { news, meeting, density, .. } = &lived;
        assert!(news.carriers > 1 && news.links >= news.carriers && news.depth > 1, "{lived:?}");
        assert!(news.remember == news.carriers && meeting.remember == meeting.carriers, "{lived:?}");
        assert_eq!((news.invented, meeting.invented), (0, 0), "a herald says what it was told: {lived:?}");
        assert!(density[0] <= density[1] && 0.0 < density[1] && density[1] <= 1.0, "{lived:?}");
        assert!(lived.called > 0 && lived.came > 0, "{lived:?}");
        assert_eq!(run(&content, &options, seed).expect("a society"), lived);
    }

    /// With its times: by these it is weighed how long ago something was.
    #[test]
    fn what_is_remembered_of_a_society_is_the_same_each_time() {
        let world = root().join("data/world");
        let options = Options { seeds: vec![1], agents: 3, ticks: BEFORE + EARLY + AFTER + 8, world: world.clone() };
        let content = Arc::new(read_content(&world));
        let remembered = || {
            let past = live(&content, &options, 1).expect("a society");
            let of_one = |(seat, name): (&usize, &String)| {
                let log = past.stage.log(*seat).expect("its log");
                assert!(log.last().expect("it has lived").at_ms > log[0].at_ms, "time goes by");
                (format!("{log:?}"), past.database.dream(name).expect("a dream").to_json())
            };
            past.seats.iter().zip(&past.names).map(of_one).collect::<Vec<_>>()
        };
        let (first, second) = (remembered(), remembered());
        assert!(first == second, "not the same log, or not the same graph");
    }
}
