//! One run: a world, one or several players, so many minutes of the game.
//!
//! Between two ticks a player is asked several times, as it would be by its own timer. What a command causes reaches it
//! at the next of these steps, or `latency_ms` later; its model's answer after as long as the thought says.

use super::measure::{Measure, Report};
use super::oracle::{self, Oracle, Outage};
use super::player::{Act, Player};
use super::stage::Stage;
use super::tempter::Tempter;
use agent_cli::agent::{Agent, AgentSettings, slow_ms};
use agent_cli::council::Deliberation;
use agent_cli::nature::Tastes;
use agent_cli::stub::policy::{Fault, Utility};
use agent_cli::thought::Thought;
use anyhow::Context;
use content::words::{Class, Race};
use content::{Content, Vnum};
use dreaming::Record;
use mind::action::Autopilot;
use mind::budget::Tier;
use mind::prompt::Settings;
use protocol::frame::ClientFrame;
use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use world::World;
use world::record::CharacterRecord;
use world::rng::Dice;
use world::rules::Rules;
use world::rules::creation::{self, Choices};

/// Steps between two ticks: a client is asked every 250 ms.
const STEPS: u64 = 8;
const NAMES: [&str; 12] =
    ["Wren", "Alder", "Maud", "Tobin", "Hesper", "Corin", "Brack", "Isolde", "Garrick", "Petra", "Lowen", "Sabine"];

/// Who decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Mode {
    /// Reflexes and policies alone
    Fsm,
    /// The same, and a model: the stub's utility policy
    Utility,
    /// The same with a model that does everything wrong, and somebody in the world who gives orders
    Adversarial,
}

impl Mode {
    pub const fn name(self) -> &'static str {
        match self {
            Mode::Fsm => "fsm",
            Mode::Utility => "utility",
            Mode::Adversarial => "adversarial",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Setting {
    pub mode: Mode,
    pub minutes: u64,
    /// Players in one world.
    pub players: usize,
    pub class: Class,
    /// 1: newborn, with the kit of its class.
    pub level: i32,
    /// Where it begins; `None`: where newcomers wake.
    pub start: Option<Vnum>,
    /// From a frame's making to its reading, in steps of a quarter of a second.
    pub latency_ms: u64,
    /// From a question to the model's answer.
    pub model_ms: u64,
    pub think_ms: u64,
    /// When its endpoint is out: then it is asked as `dp-agent` asks.
    pub outage: Option<Outage>,
    /// In the adversarial mode: this fault alone.
    pub fault: Option<Fault>,
    /// How large the prompts are.
    pub tier: Tier,
    /// Each player has tastes of its own, `tastes`; else all have the common ones.
    pub varied: bool,
    /// Reports hold every command.
    pub trace: bool,
}

impl Default for Setting {
    fn default() -> Setting {
        Setting {
            mode: Mode::Fsm,
            minutes: 60,
            players: 1,
            class: Class::Warrior,
            level: 1,
            start: None,
            latency_ms: 0,
            model_ms: 800,
            think_ms: 5_000,
            outage: None,
            fault: None,
            tier: Tier::default(),
            varied: false,
            trace: false,
        }
    }
}

/// One seat with everything around it.
pub struct Chair {
    pub seat: usize,
    player: Box<dyn Player>,
    oracle: Option<Oracle>,
    measure: Measure,
    /// Frames on their way, with the time at which they arrive.
    coming: VecDeque<(u64, String)>,
    /// The model's answer on its way.
    thought: VecDeque<(u64, u64, Thought)>,
    /// Every line, with its time; kept where the setting says that traces are.
    pub sent: Vec<(u64, String)>,
    thoughts: u64,
}

/// A character as creation makes it.
pub fn newcomer(seed: u64, n: usize, class: Class) -> CharacterRecord {
    let rules = Rules::built_in();
    let mut dice = Dice::new(seed, n as u64, 0, 0);
    let race = Race::Human;
    let abilities = creation::roll_abilities(&rules, race, class, &mut dice);
    let name = match n / NAMES.len() {
        0 => NAMES[n].to_string(),
        more => format!("{}{}", NAMES[n % NAMES.len()], more + 1),
    };
    let choices = Choices { race, class, abilities, agent: true, ..Choices::plain(&name) };
    creation::newborn(&rules, &choices, &mut dice)
}

/// What the n-th player of a varied company likes: one thing much and another little, none as another of twelve.
pub fn tastes(n: usize) -> Tastes {
    let much = n % Tastes::NAMES.len();
    let little = (much + 1 + (n / Tastes::NAMES.len()) % (Tastes::NAMES.len() - 1)) % Tastes::NAMES.len();
    let some = [(much, 0.9), (little, 0.1)].map(|(at, value)| (Tastes::NAMES[at].to_string(), value));
    Tastes::default().with(&some.into_iter().collect())
}

/// A player, and the model that it asks.
pub type Seated = (Box<dyn Player>, Option<Oracle>);

/// The players of a mode as `dp-agent` makes them.
pub fn agent(setting: &Setting, seed: u64, n: usize) -> anyhow::Result<Seated> {
    // What a bad model leaves undone the policies do there: they are what is measured.
    let autopilot = if setting.mode == Mode::Adversarial { Autopilot::Full } else { Autopilot::Offered };
    let settings = AgentSettings {
        use_model: setting.mode != Mode::Fsm,
        think_ms: setting.think_ms,
        slow_ms: slow_ms(setting.think_ms),
        seed: seed.wrapping_mul(1_000).wrapping_add(n as u64),
        tastes: if setting.varied { tastes(n) } else { Tastes::default() },
        prompt: Settings { tier: setting.tier, autopilot, ..Settings::default() },
        ..AgentSettings::default()
    };
    let who = format!("agent {n}");
    let oracle = match (setting.mode, setting.outage) {
        (Mode::Fsm, _) => None,
        (Mode::Utility, None) => Some(oracle::utility(settings.seed, who, setting.model_ms)),
        (Mode::Utility, outage) => {
            let policy = Box::new(Utility::new(settings.seed));
            Some(oracle::modelled(policy, &who, setting.model_ms, outage)?)
        }
        (Mode::Adversarial, outage) => {
            let policy = oracle::adversary(settings.seed, setting.fault);
            Some(oracle::modelled(policy, &who, setting.model_ms, outage)?)
        }
    };
    Ok((Box::new(Agent::new(settings)), oracle))
}

/// Plays one seed with the players of the setting's mode. One report for each player.
pub fn play(content: &Arc<Content>, setting: &Setting, seed: u64) -> anyhow::Result<Vec<Report>> {
    if setting.mode != Mode::Adversarial {
        return play_with(content, setting, seed, &mut |n| agent(setting, seed, n));
    }
    // Who gives orders sits in the last seat, and is no subject of the report.
    let peopled = Setting { players: setting.players + 1, ..setting.clone() };
    let mut reports = play_with(content, &peopled, seed, &mut |n| match n == setting.players {
        true => Ok((Box::new(Tempter::new(newcomer(seed, 0, setting.class).name.as_ref())) as Box<dyn Player>, None)),
        false => agent(setting, seed, n),
    })?;
    reports.pop();
    Ok(reports)
}

/// The same with players of one's own.
pub fn play_with(
    content: &Arc<Content>,
    setting: &Setting,
    seed: u64,
    make: &mut dyn FnMut(usize) -> anyhow::Result<Seated>,
) -> anyhow::Result<Vec<Report>> {
    let (stage, chairs) = played(content, setting, seed, make)?;
    let minutes = setting.minutes as f64;
    let end = |chair: Chair| stage.engine.with_world(|world| chair.end(world, seed, minutes));
    Ok(chairs.into_iter().map(end).collect())
}

/// The same with the players of the setting, and of each its name and what the world recorded for it.
pub fn play_and_remember(
    content: &Arc<Content>,
    setting: &Setting,
    seed: u64,
) -> anyhow::Result<Vec<(String, Vec<Record>)>> {
    let (stage, chairs) = played(content, setting, seed, &mut |n| agent(setting, seed, n))?;
    let remembered = |chair: &Chair| Ok((stage.seats[chair.seat].name.clone(), stage.records(chair.seat)?));
    chairs.iter().map(remembered).collect()
}

fn played(
    content: &Arc<Content>,
    setting: &Setting,
    seed: u64,
    make: &mut dyn FnMut(usize) -> anyhow::Result<Seated>,
) -> anyhow::Result<(Stage, Vec<Chair>)> {
    let mut stage = Stage::new(content.clone(), seed)?;
    let mut chairs = Vec::new();
    for n in 0..setting.players {
        let (player, oracle) = make(n)?;
        let mut record = newcomer(seed, n, setting.class);
        if let Some(name) = player.name() {
            record.name = name.into();
        }
        let seat = stage.enter(record)?;
        if setting.level > 1 {
            stage.promote(seat, setting.level)?;
        }
        if let Some(room) = setting.start {
            stage.place(seat, room)?;
        }
        chairs.push(Chair::new(&stage, setting, seat, (player, oracle)));
    }
    let ticks = setting.minutes * 60_000 / stage.tick_ms;
    play_on(&mut stage, &mut chairs, setting, ticks, &mut |_, _| ())?;
    Ok((stage, chairs))
}

/// Lets all of them play for so many ticks; `seen` is called after each, with how many there were.
pub fn play_on(
    stage: &mut Stage,
    chairs: &mut [Chair],
    setting: &Setting,
    ticks: u64,
    seen: &mut dyn FnMut(&Stage, u64),
) -> anyhow::Result<()> {
    for tick in 1..=ticks {
        for _ in 0..STEPS {
            for chair in chairs.iter_mut() {
                chair.step(stage, setting)?;
            }
            stage.pass(stage.tick_ms / STEPS);
        }
        stage.tick();
        for chair in chairs.iter_mut() {
            stage.engine.with_world(|world| chair.measure.tick(world, stage.now_ms()));
        }
        seen(stage, tick);
    }
    Ok(())
}

impl Chair {
    /// Somebody takes a seat of the stage.
    pub fn new(stage: &Stage, setting: &Setting, seat: usize, (player, oracle): Seated) -> Chair {
        let mut measure = stage.engine.with_world(|world| Measure::new(world, stage.seats[seat].who));
        measure.trace = setting.trace;
        let (coming, thought) = (VecDeque::new(), VecDeque::new());
        Chair { seat, player, oracle, measure, coming, thought, sent: Vec::new(), thoughts: 0 }
    }

    /// How it went, once it is over.
    pub fn end(self, world: &World, seed: u64, minutes: f64) -> Report {
        self.measure.finish(world, seed, minutes, self.thoughts)
    }

    fn step(&mut self, stage: &mut Stage, setting: &Setting) -> anyhow::Result<()> {
        let now_ms = stage.now_ms();
        for text in stage.read(self.seat) {
            stage.engine.with_world(|world| self.measure.read(world, &text, now_ms));
            self.coming.push_back((now_ms + setting.latency_ms, text));
        }
        while self.coming.front().is_some_and(|(at, _)| *at <= now_ms) {
            let (_, text) = self.coming.pop_front().expect("there is one");
            self.player.read(&text, now_ms);
        }
        while self.thought.front().is_some_and(|(at, _, _)| *at <= now_ms) {
            let (_, id, thought) = self.thought.pop_front().expect("there is one");
            self.player.on_thought(id, thought, now_ms);
        }
        for act in self.player.act(now_ms) {
            self.carry_out(stage, act)?;
            stage.engine.with_world(|world| self.measure.step(world, now_ms));
        }
        stage.engine.with_world(|world| self.measure.step(world, now_ms));
        if setting.mode == Mode::Adversarial {
            let has_wish = self.player.has_wish(now_ms);
            stage.engine.with_world(|world| {
                self.measure.watch(world, has_wish, setting.think_ms, slow_ms(setting.think_ms), now_ms)
            });
        }
        Ok(())
    }

    fn carry_out(&mut self, stage: &mut Stage, act: Act) -> anyhow::Result<()> {
        match act {
            Act::Send(frame) => {
                if let ClientFrame::Command(command) = &frame {
                    let meta = command.meta.as_ref();
                    let word = |key: &str| meta.and_then(|meta| meta[key].as_str()).unwrap_or("unknown");
                    let (line, now_ms) = (command.line(), stage.now_ms());
                    let (source, by) = (word("source"), word("by"));
                    if self.measure.trace {
                        self.sent.push((now_ms, line.clone()));
                    }
                    stage.engine.with_world(|world| self.measure.sent(world, &line, source, by, now_ms));
                }
                stage.send(self.seat, &frame.encode());
            }
            Act::Think { id, prompt, brief } => {
                let oracle = self.oracle.as_mut().context("a player without a model asked one")?;
                let mut decision = Deliberation::new(*brief, prompt);
                while let Some(call) = decision.next() {
                    decision.answered(oracle(&call.prompt, stage.now_ms()));
                }
                let thought = decision.end();
                self.thoughts += 1;
                self.measure.robust.thought(&thought);
                let takes_ms = u64::try_from(thought.latency.as_millis()).unwrap_or(u64::MAX);
                self.thought.push_back((stage.now_ms().saturating_add(takes_ms), id, thought));
            }
        }
        Ok(())
    }
}

/// Plays many seeds at once, on all cores. Reports in the order of the seeds, of the first player of each.
pub fn play_all(content: &Arc<Content>, setting: &Setting, seeds: &[u64]) -> anyhow::Result<Vec<Report>> {
    let mut all = Vec::new();
    for (seed, played) in play_each(content, setting, seeds) {
        all.extend(played.with_context(|| format!("seed {seed}"))?);
    }
    Ok(all)
}

/// The same, each seed by itself: one that fails or panics takes no other with it.
pub fn play_each(content: &Arc<Content>, setting: &Setting, seeds: &[u64]) -> Vec<(u64, anyhow::Result<Vec<Report>>)> {
    each_seed(seeds, &|seed| play(content, setting, seed))
}

/// Runs something for many seeds at once, on all cores, in the order of the seeds.
pub fn each_seed<T: Send>(
    seeds: &[u64],
    run: &(dyn Fn(u64) -> anyhow::Result<T> + Sync),
) -> Vec<(u64, anyhow::Result<T>)> {
    let next = AtomicUsize::new(0);
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(seeds.len().max(1));
    let one = |seed| {
        // Nothing of a run outlives it, so what a panic leaves half done is seen by nobody.
        let played = std::panic::catch_unwind(AssertUnwindSafe(|| run(seed)));
        played.unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
            Err(anyhow::anyhow!("panicked: {}", text.unwrap_or_default()))
        })
    };
    let work = || {
        let mut done = Vec::new();
        while let Some(seed) = seeds.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.push((*seed, one(*seed)));
        }
        done
    };
    let mut reports = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let joined = threads.into_iter().flat_map(|thread| thread.join().expect("a run does not panic"));
        joined.collect::<Vec<_>>()
    });
    reports.sort_by_key(|(seed, _)| seeds.iter().position(|it| it == seed));
    reports
}
