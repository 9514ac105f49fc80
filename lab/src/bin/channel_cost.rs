//! The figures of docs/PERFORMANCE.md about channels: `cargo run --release -p lab --bin channel_cost [PART …]`.
//!
//! `listeners`: a message to 1,000, and a line to 1,000 that is none. `waiting`: the phase `channels` of 10,000
//! channels, with 1,000 speakers waiting and with none. `memory`: what the state of them takes. `prompts`: eight
//! channels with four messages a second, where a provider caches beginnings. `attention`: tokens against attention.
//! `fuzz`: 20,000 made-up states with 32 channels. `brakes`: two agents that answer everything. `reply`: both arms of
//! 20 seeds and 300 ticks, six agents who quarrel. Without a part, all of these. `show` prints a prompt of three
//! channels with 50, 30 and 20 % of its attention.

#[path = "../../../mind/tests/sessions/mod.rs"]
mod sessions;

use agent_cli::agent::{Agent, AgentSettings, slow_ms};
use agent_cli::stub::{PolicyKind, policy_of};
use content::Content;
use content::words::Class;
use lab::agents::play::newcomer;
use lab::agents::reply::{Beginning, Terms, both};
use lab::agents::{Setting, Stage, oracle, play};
use lab::load::process::Process;
use lab::world_folder::{read_content, root};
use mind::budget::Tier;
use mind::hud::{ChannelView, ChannelsView, Format, LiveView, SelfView, UseView};
use mind::prompt::{Layout, PromptBuilder, Settings};
use protocol::attention::WHOLE;
use protocol::channel as wire;
use sessions::cost::{Meter, settings};
use sessions::{Chance, Session, hero, wild::wild};
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};
use world::channel::{Channel, ChannelKind, Message, MessageKind, PersonKind, Sender, Words, pace};
use world::rules::Rules;
use world::{Admin, CharacterId, Input, World};

type Part = fn() -> anyhow::Result<()>;

const PARTS: &[(&str, Part)] = &[
    ("memory", memory),
    ("listeners", listeners),
    ("waiting", waiting),
    ("prompts", busy),
    ("attention", attention),
    ("fuzz", fuzzed),
    ("brakes", brakes),
    ("reply", reply),
];

fn main() -> anyhow::Result<()> {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    if asked == ["show"] {
        return show();
    }
    for word in &asked {
        anyhow::ensure!(
            PARTS.iter().any(|(name, _)| name == word),
            "there is no part {word}; see the head of this file"
        );
    }
    for (name, part) in PARTS.iter().filter(|(name, _)| asked.is_empty() || asked.iter().any(|word| word == name)) {
        println!("{name}:");
        part()?;
    }
    Ok(())
}

fn green() -> Arc<Content> {
    Arc::new(read_content(&root().join("tests/scenes/green")))
}

/// A world with so many players.
fn peopled(players: usize) -> (World, Vec<CharacterId>) {
    let mut world = World::new(green(), Arc::new(Rules::built_in()), 1);
    let enter = |n: usize| {
        let mut record = newcomer(1, n, Class::Warrior);
        record.level = 10;
        world
            .apply(&Input::Enter { record: Box::new(record), agent: !n.is_multiple_of(2) })
            .entered
            .expect("a new name")
    };
    let all = (0..players).map(enter).collect();
    (world, all)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn timed<T>(what: impl FnOnce() -> T) -> Duration {
    let begun = Instant::now();
    black_box(what());
    begun.elapsed()
}

/// By turns, so that what else the machine does meets both alike.
fn listeners() -> anyhow::Result<()> {
    let (mut world, all) = peopled(1_001);
    let (mut message, mut line) = (Vec::new(), Vec::new());
    // What an account gains in a tick.
    let text = "Anybody there?";
    for _ in 0..300 {
        world.apply(&Input::Tick);
        let input = Input::Command { who: all[0], line: format!("gossip {text}") };
        message.push(timed(|| {
            let report = world.apply(&input);
            assert!(report.lines.iter().count() > 1_000, "all of them hear it");
            report
        }));
        let input = Input::Admin(Admin::Announce { text: text.into() });
        line.push(timed(|| world.apply(&input)));
    }
    let (message, line) = (median(message), median(line));
    println!("  a message to 1,000 listeners: {message:?} (median of 300); a bare line to them: {line:?}");
    Ok(())
}

/// Many homes, and a message of so many words in some of them.
fn homes(channels: usize, messages: usize) -> World {
    let mut world = World::new(green(), Arc::new(Rules::built_in()), 1);
    let state = &mut world.state.channels;
    let people: Vec<u32> = (0..channels).map(|n| state.admit(&format!("Runner{n}").into(), None, None)).collect();
    for person in &people {
        state.open(*person, Channel::new(ChannelKind::Home, Some(*person), pace::WPM, 0));
        state.join(*person, *person, 0);
    }
    for n in 0..messages {
        let id = state.take_message_id();
        let person = people[n % people.len()];
        let message = Message {
            id,
            tick: 0,
            sender: Sender {
                id: Some(person),
                name: format!("Runner{}", n % people.len()).into(),
                kind: PersonKind::Person,
            },
            kind: MessageKind::Text,
            // 60 characters, as people write.
            text: format!("Message {n:06} says where the ferry is, and when it leaves.").into(),
            reply_to: None,
            typed_by: 1,
            reactions: Vec::new(),
            hidden: false,
            veiled: false,
        };
        state.push(person, Arc::new(message));
    }
    world
}

fn waiting() -> anyhow::Result<()> {
    let phase = world::phases::PHASES.iter().find(|phase| phase.name == "channels").expect("it has a row");
    let mut world = homes(10_000, 20_000);
    // Ticks in which nothing is due to be tidied.
    world.state.clock.tick = 1;
    let none = median((0..1_000).map(|_| timed(|| (phase.run)(&mut world))).collect());
    // Speakers who are there, each with words that cannot be paid yet.
    let (mut full, all) = peopled(1_000);
    full.state.clock.tick = 1;
    for who in &all {
        let person = full.person_of(*who).expect("they are players");
        full.state.channels.open(person, Channel::new(ChannelKind::Home, Some(person), pace::WPM, 1));
        full.state.channels.join(person, person, 1);
        let member = full.state.channels.get_mut(person).and_then(|channel| channel.members.get_mut(&person));
        let member = member.expect("it has joined");
        member.account = member.account.pay(pace::FULL);
        let words = Words { text: "word ".repeat(100).into(), count: 100, reply_to: None, typed_by: 1 };
        full.state.channels.wait(person, person, 0, words);
    }
    for n in 0..9_000 {
        let person = full.state.channels.admit(&format!("Sleeper{n}").into(), None, None);
        full.state.channels.open(person, Channel::new(ChannelKind::Home, Some(person), pace::WPM, 1));
        full.state.channels.join(person, person, 1);
    }
    let some = median((0..200).map(|_| timed(|| (phase.run)(&mut full))).collect());
    anyhow::ensure!(full.state.channels.waiting().count() == 1_000, "nobody could pay");
    println!("  10,000 channels, 1,000 speakers waiting: {some:?}; nobody waiting: {none:?} (medians)");
    Ok(())
}

/// What the process holds, in bytes; 0 where the system does not tell.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<usize>().ok()).unwrap_or(0) * 1024
}

fn memory() -> anyhow::Result<()> {
    // What the allocator takes once is not what channels take.
    let small = homes(10, 20);
    // First of all parts: what another has given back would be taken again unseen.
    let before = resident();
    let world = homes(10_000, 20_000);
    let took = resident().saturating_sub(before);
    black_box((&small, &world));
    let unused = World::new(green(), Arc::new(Rules::built_in()), 1).state.channels.iter().count();
    println!(
        "  10,000 channels with 20,000 messages: {:.1} MB in memory, people included; a world that nobody has spoken in \
         holds {unused} channels, homes included",
        took as f64 / 1e6
    );
    Ok(())
}

fn view(id: u32, attention: &str) -> ChannelView {
    let channel = wire::Channel {
        member_count: 9,
        attention: attention.into(),
        ..wire::Channel::new(id, format!("channel {id}").into(), wire::ChannelKind::Group)
    };
    ChannelView { channel, acts: 0, used: UseView::default() }
}

const WORDS: [&str; 12] =
    ["the", "ferry", "leaves", "at", "dusk", "and", "nobody", "paid", "for", "bread", "since", "winter"];

fn say(chance: &mut Chance, channel: &mut ChannelView, id: u64, tick: u64) {
    let sender = wire::Person { id: Some(300), name: "Somebody".into(), kind: wire::PersonKind::Person };
    let words: Vec<&str> = (0..6 + chance.below(12)).map(|_| WORDS[chance.below(WORDS.len())]).collect();
    let message = wire::Message::new(id, channel.channel.id, tick, sender, words.join(" ").into());
    channel.channel.messages.push(message);
    let old = channel.channel.messages.len().saturating_sub(50);
    channel.channel.messages.drain(..old);
}

/// A played session with eight channels beside it, in which four messages a second are said. A decision every five
/// seconds.
fn busy() -> anyhow::Result<()> {
    const DECISIONS: u64 = 400;
    let rows = [(Tier::Medium, Layout::Parts), (Tier::Large, Layout::Parts), (Tier::Medium, Layout::Document)];
    for (tier, layout) in rows {
        let mut costs = Vec::new();
        for seed in 1..=3 {
            let (mut session, mut chance) = (Session::new(seed), Chance(seed));
            let mut builder = PromptBuilder::new(Settings { layout, ..settings(tier, Format::Markdown) });
            builder.set_words(&Arc::new(sessions::words()));
            builder.set_self(SelfView { channels: true, ..hero() });
            let eight = (0..8).map(|n| view(200 + n, "%*")).collect();
            let mut channels = ChannelsView { you: 100, channels: eight, ..ChannelsView::default() };
            let (mut meter, mut id) = (Meter::default(), 0);
            for _ in 0..DECISIONS {
                let step = session.step();
                for _ in 0..20 {
                    id += 1;
                    let at = chance.below(8);
                    say(&mut chance, &mut channels.channels[at], id, step.live.tick);
                }
                builder.append(step.block);
                let live = LiveView { channels: Some(Arc::new(channels.clone())), ..step.live };
                let prompt = builder.build(&live, &step.recent, &step.state);
                anyhow::ensure!(prompt.tokens <= prompt.budget, "{} of {} tokens", prompt.tokens, prompt.budget);
                meter.add(&prompt);
            }
            costs.push(meter.cost());
        }
        let mean = |of: &dyn Fn(&sessions::cost::Cost) -> f64| costs.iter().map(of).sum::<f64>() / costs.len() as f64;
        println!(
            "  8 channels, 4 messages/s, {}{}: prompt {:.0}, cached {:.1} %, effective {:.1} %, {:.0} folds of \
             {DECISIONS} decisions (mean of 3 seeds)",
            tier.name(),
            if layout == Layout::Document { ", layout document" } else { "" },
            mean(&|cost| cost.prompt),
            100.0 * mean(&|cost| cost.cached_share),
            100.0 * mean(&|cost| cost.effective_share),
            mean(&|cost| f64::from(cost.folds)),
        );
    }
    Ok(())
}

fn fuzzed() -> anyhow::Result<()> {
    const STATES: usize = 20_000;
    const THREADS: usize = 2;
    let begun = Instant::now();
    let over = |thread: usize| {
        let mut chance = Chance(31 + thread as u64);
        let mut over = 0;
        for n in 0..STATES / THREADS {
            if n > 0 && n % 1_000 == 0 {
                eprintln!("  … {n} of {} after {:.0?}, {over} above their budget", STATES / THREADS, begun.elapsed());
            }
            let (tier, format) = (Tier::ALL[n % 4], Format::ALL[(n / 4) % 4]);
            let mut builder = PromptBuilder::new(settings(tier, format));
            let (made_up, blocks) = wild(&mut chance);
            builder.set_self(SelfView { channels: true, ..made_up.self_ });
            blocks.into_iter().for_each(|block| builder.append(block));
            let channels = sessions::wild::channels(&mut chance, 32);
            let live = LiveView { channels: Some(Arc::new(channels)), ..made_up.live };
            let prompt = builder.build(&live, &made_up.recent, &made_up.state);
            over += usize::from(prompt.tokens > tier.budget(128_000));
        }
        over
    };
    let over: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|n| scope.spawn(move || over(n))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no state breaks it")).sum()
    });
    println!("  20,000 made-up states with 32 channels: {over} prompts above their budget");
    Ok(())
}

/// As much of a prompt as is about channels: what they said, and how they stand.
fn show() -> anyhow::Result<()> {
    let mut builder = PromptBuilder::new(settings(Tier::Small, Format::Markdown));
    let self_ = SelfView { name: "Wren".into(), channels: true, ..SelfView::default() };
    builder.set_self(self_);
    let named = |id, name: &str, kind, attention| {
        let mut channel = view(id, attention);
        (channel.channel.name, channel.channel.kind) = (name.into(), kind);
        channel
    };
    let mut channels = ChannelsView {
        you: 100,
        channels: vec![
            named(100, "Wren's home", wire::ChannelKind::Home, "50%"),
            named(102, "Night Watch", wire::ChannelKind::Group, "30%"),
            named(103, "Alder", wire::ChannelKind::Direct, "20%"),
        ],
        ..ChannelsView::default()
    };
    let mut chance = Chance(7);
    for id in 1..=90 {
        say(&mut chance, &mut channels.channels[(id % 3) as usize], id, id);
    }
    let live = LiveView { tick: 92, channels: Some(Arc::new(channels)), ..LiveView::default() };
    let prompt = builder.build(&live, &[], &mind::MindState::default());
    for part in prompt.parts.iter().filter(|part| part.name >= mind::prompt::PartName::P3) {
        println!("# {:?}\n{}", part.name, part.text);
    }
    for channel in &prompt.channels {
        println!("{}: {} % of attention, {} tokens", channel.id, channel.share / 10, channel.tokens);
    }
    Ok(())
}

/// How far what each channel is told lies from its share, in messages of its own, where all have more than fits.
fn attention() -> anyhow::Result<()> {
    let shares = ["50%", "30%", "%*"];
    let mut worst = 0.0f64;
    let mut said: Vec<String> = Vec::new();
    for seed in 0..50 {
        let mut chance = Chance(seed);
        let mut builder = PromptBuilder::new(settings(Tier::Small, Format::Markdown));
        builder.set_self(SelfView { channels: true, ..SelfView::default() });
        let mut channels = ChannelsView {
            you: 100,
            channels: shares.iter().enumerate().map(|(n, attention)| view(200 + n as u32, attention)).collect(),
            ..ChannelsView::default()
        };
        for id in 1..=150 {
            say(&mut chance, &mut channels.channels[(id % 3) as usize], id, 1);
        }
        let live = LiveView { tick: 1, channels: Some(Arc::new(channels)), ..LiveView::default() };
        let prompt = builder.build(&live, &[], &mind::MindState::default());
        let all: usize = prompt.channels.iter().map(|channel| channel.tokens).sum();
        for channel in &prompt.channels {
            let due = all as f64 * f64::from(channel.share) / f64::from(WHOLE);
            let shown = prompt.text().matches(&format!("{} #", channel.id)).count();
            worst = worst.max((channel.tokens as f64 - due).abs() * shown as f64 / channel.tokens.max(1) as f64);
        }
        said = prompt.channels.iter().map(|c| format!("{}: {} tokens", c.share / 10, c.tokens)).collect();
    }
    println!("  50/30/20 % of what is told, all full: at most {worst:.2} messages off (the last: {})", said.join(", "));
    Ok(())
}

/// Two agents in one group answer everything that is said to them, and a person asks one of them after half an hour.
fn brakes() -> anyhow::Result<()> {
    let with = answering("channel cooling on in pair", "channel wpm 80 in pair")?;
    let without = answering("channel cooling off in pair", "channel wpm 200 in pair")?;
    println!(
        "  two that answer everything, 30 minutes: {} messages with brakes, {} without (1/{:.1}); a person's question \
         then is answered after {} s with brakes, {} s without",
        with.0,
        without.0,
        without.0 as f64 / with.0.max(1) as f64,
        with.1,
        without.1
    );
    Ok(())
}

fn type_line(stage: &mut Stage, seat: usize, line: &str) {
    let (word, args) = line.split_once(' ').unwrap_or((line, ""));
    let args: Vec<&str> = args.split(' ').collect();
    let frame = serde_json::json!({"type": "command", "data": {"command": word, "args": args}});
    stage.send(seat, &frame.to_string());
}

/// Six agents of the shipped world in one group and one room; one of them is called a thief, or a friend.
fn reply() -> anyhow::Result<()> {
    const SEEDS: u64 = 20;
    const TICKS: u64 = 300;
    let content = Arc::new(read_content(&root().join("data/world")));
    let mut stage = Stage::new(content, 1)?;
    for n in 0..6 {
        stage.enter_channels(newcomer(1, n, Class::Warrior))?;
    }
    type_line(&mut stage, 0, "channel create Moot");
    type_line(&mut stage, 0, "channel access open in moot");
    for seat in 1..6 {
        type_line(&mut stage, seat, "channel join moot");
        type_line(&mut stage, seat, "chat moot Good evening, all of you.");
    }
    let names: Vec<String> = stage.seats.iter().map(|seat| seat.name.to_lowercase()).collect();
    let says =
        |words: &str| Input::Command { who: stage.seats[0].who, line: format!("chat moot @{} {words}", names[1]) };
    let first = [says("You are a thief, and all the world knows it."), says("You are a friend, and I thank you.")];
    let beginning = Beginning { world: stage.engine.with_world(|world| world.clone()), first };
    let terms =
        Terms { seeds: SEEDS, ticks: TICKS, policy: PolicyKind::Mirror, script: None, think_ms: 5_000, model_ms: 800 };
    let (begun, cpu_ms) = (Instant::now(), Process::own().cpu_ms()?);
    let (agents, pairs) = both(&beginning, &terms)?;
    let (took, cpu) = (begun.elapsed(), (Process::own().cpu_ms()? - cpu_ms) / 1_000.0);
    let arms = || pairs.iter().flatten();
    println!(
        "  {} agents, {SEEDS} seeds of {TICKS} ticks, both arms: {:.0} s, {cpu:.0} s of CPU; {} lines were sent, {} \
         messages said",
        agents.len(),
        took.as_secs_f64(),
        arms().map(|arm| arm.deeds.len()).sum::<usize>(),
        arms().map(|arm| arm.heard.len()).sum::<usize>(),
    );
    Ok(())
}

/// Messages of the two, and seconds until a person's question is answered.
fn answering(cooling: &str, wpm: &str) -> anyhow::Result<(usize, u64)> {
    let mut stage = Stage::new(green(), 1)?;
    let setting = Setting { think_ms: 2_000, model_ms: 800, players: 2, ..Setting::default() };
    let mut chairs = Vec::new();
    for n in 0..2 {
        let seat = stage.enter_channels(newcomer(1, n, Class::Warrior))?;
        let settings = AgentSettings {
            use_model: true,
            think_ms: setting.think_ms,
            slow_ms: slow_ms(setting.think_ms),
            seed: n as u64,
            ..AgentSettings::default()
        };
        let model = oracle::plain(policy_of(PolicyKind::Correspondent, n as u64, None)?, format!("agent {n}"), 800);
        chairs.push(play::Chair::new(&stage, &setting, seat, (Box::new(Agent::new(settings)), Some(model))));
    }
    let asker = stage.enter_person(newcomer(1, 2, Class::Warrior))?;
    let names: Vec<String> = stage.seats.iter().map(|seat| seat.name.to_lowercase()).collect();
    for line in ["channel create Pair", cooling, wpm, "channel access open in pair"] {
        type_line(&mut stage, 0, line);
    }
    type_line(&mut stage, 1, "channel join pair");
    type_line(&mut stage, 2, "channel join pair");
    type_line(&mut stage, 1, &format!("chat pair @{} Who are you, and where do you come from?", names[0]));
    play::play_on(&mut stage, &mut chairs, &setting, 900, &mut |_, _| ())?;
    let newest = |stage: &Stage| stage.engine.with_world(|world| world.state.channels.next_message());
    let messages = newest(&stage) as usize;
    let asked = newest(&stage);
    type_line(&mut stage, asker, &format!("chat pair @{} Will you come with me?", names[0]));
    let mut answered = None;
    play::play_on(&mut stage, &mut chairs, &setting, 120, &mut |stage, tick| {
        let is_answered = stage.engine.with_world(|world| {
            world.state.channels.iter().flat_map(|(_, channel)| &channel.messages).any(|m| m.reply_to == Some(asked))
        });
        if is_answered && answered.is_none() {
            answered = Some(tick * stage.tick_ms / 1_000);
        }
    })?;
    Ok((messages, answered.unwrap_or(u64::MAX)))
}
