//! Loads a server with people and agents, and prints what it cost: see docs/PERFORMANCE.md for the runs that the
//! project's figures come from.
//!
//! `load --start target/release/dp-server --world DIR --agents 200 --people 200 --scatter` starts a server of its own,
//! with its limits lifted; `load --state-dir DIR` goes to one that runs. The mix is printed with the figures.

use anyhow::{Context, bail, ensure};
use clap::Parser;
use content::Content;
use lab::load::bench::{LoadPlan, Part, Phase, Placing, Stage, Subscription, TURNS, Tally};
use lab::load::control::{self, Control};
use lab::load::mix::{Mix, mix_named};
use lab::load::onlookers::{Seeks, look_on, percentiles, seek};
use lab::load::places::{self, Place};
use lab::load::process::Process;
use lab::load::telnet::ClientOptions;
use lab::load::thread::play_parts;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{Semaphore, mpsc, watch};

#[derive(Clone, Debug, Parser)]
#[command(about = "Loads a dp-server with people and agents, and prints what it cost", max_term_width = 100)]
struct Args {
    /// Agents, by WebSocket
    #[arg(long, default_value_t = 0)]
    agents: usize,
    /// People, by telnet
    #[arg(long, default_value_t = 0)]
    people: usize,
    /// Start this server, with its limits lifted
    #[arg(long, value_name = "PROGRAM")]
    start: Option<PathBuf>,
    /// More arguments for the server that is started, separated by blanks
    #[arg(long, default_value = "", value_name = "ARGS", allow_hyphen_values = true)]
    server_args: String,
    /// The world that the server plays; needed to scatter and to fight
    #[arg(long, value_name = "DIR")]
    world: Option<PathBuf>,
    /// State folder of the server; a started one gets a fresh folder unless this names one
    #[arg(long, value_name = "DIR")]
    state_dir: Option<PathBuf>,
    /// Doors of a running server, where its state folder does not tell them
    #[arg(long)]
    http: Option<SocketAddr>,
    #[arg(long)]
    telnet: Option<SocketAddr>,
    /// Process of a running server
    #[arg(long)]
    pid: Option<u32>,
    /// The other end is `echo`: no accounts, no login
    #[arg(long)]
    echo: bool,
    #[arg(long, default_value_t = 2000)]
    tick_ms: u64,
    /// Commands per second of each session; without it the next follows the answer at once
    #[arg(long, value_name = "N")]
    rate: Option<f64>,
    /// What is typed: house or neutral
    #[arg(long, default_value = "house", value_parser = mix_named)]
    mix: &'static Mix,
    /// Only speech, each session once per so many seconds
    #[arg(long, value_name = "SECONDS")]
    say_every: Option<f64>,
    /// Seconds that are measured
    #[arg(long, default_value_t = 10.0)]
    duration: f64,
    /// Seconds before
    #[arg(long, default_value_t = 3.0)]
    warm_up: f64,
    /// Each session in a room of its own, drawn by the seed
    #[arg(long)]
    scatter: bool,
    /// With --scatter, so many rooms, each with its share of the sessions
    #[arg(long, value_name = "COUNT", requires = "scatter")]
    rooms: Option<usize>,
    /// All in one room
    #[arg(long, value_name = "VNUM")]
    room: Option<i32>,
    /// What agents subscribe to: all, loop (the five of the smallest agent) or none
    #[arg(long, default_value = "all", value_parser = subscription)]
    variables: Subscription,
    /// People's clients agree to compression (MCCP2)
    #[arg(long)]
    compress: bool,
    /// People's clients ask for GMCP: vitals, things, rooms, channels, group
    #[arg(long)]
    gmcp: bool,
    /// So many agents are made strong and fight mobs, one after the other
    #[arg(long, default_value_t = 0)]
    fights: usize,
    /// Levels of the mobs that are fought
    #[arg(long, default_value = "20-30", value_name = "FROM-TO")]
    fight_levels: String,
    /// Make everybody of this level first
    #[arg(long)]
    level: Option<i32>,
    /// So many look on at `/api/v1/watch` as operators, from when everybody plays
    #[arg(long, default_value_t = 0, value_name = "COUNT")]
    watchers: usize,
    /// While it is measured, look at so many moments of the past far from each other, and a second later at four near
    /// each
    #[arg(long, default_value_t = 0, value_name = "COUNT")]
    seeks: usize,
    /// Look at the server for so many seconds before anybody comes
    #[arg(long, default_value_t = 0.0, value_name = "SECONDS")]
    idle: f64,
    /// Threads of the generator
    #[arg(long, default_value_t = 1)]
    threads: usize,
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn subscription(word: &str) -> Result<Subscription, String> {
    match word {
        "all" => Ok(Subscription::All),
        "loop" => Ok(Subscription::Loop),
        "none" => Ok(Subscription::None),
        _ => Err("all, loop or none".into()),
    }
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(measure(args))
}

/// The server that is loaded.
struct Target {
    http: SocketAddr,
    telnet: SocketAddr,
    process: Process,
    token: String,
    /// From its start to both doors open; only of one that was started here.
    boot: Option<Duration>,
    /// Where keys are kept between runs.
    keys: Option<PathBuf>,
    child: Option<Child>,
    folder: Option<PathBuf>,
}

impl Drop for Target {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            // Killed, not asked: what it saved is thrown away with its folder.
            let _gone = child.kill();
            let _status = child.wait();
        }
        if let Some(folder) = &self.folder {
            let _best_effort = std::fs::remove_dir_all(folder);
        }
    }
}

fn start(program: &Path, args: &Args) -> anyhow::Result<Target> {
    let fresh = args.state_dir.is_none();
    let folder = args
        .state_dir
        .clone()
        .unwrap_or_else(|| std::env::temp_dir().join(format!("dark-pawns-load-{}", std::process::id())));
    let mut command = Command::new(program);
    if !args.echo {
        command.arg("run").arg("--state-dir").arg(&folder);
        command.env("DP_SERVER_SESSIONS_DIR", folder.join("sessions"));
        command.args(["--seed", "1", "--log", "warn", "--tick-ms", &args.tick_ms.to_string()]);
        command.args(["--commands-per-second", "0", "--logins-per-second", "0", "--connections-per-address", "0"]);
        if let Some(world) = &args.world {
            command.arg("--world").arg(world);
        }
    }
    command.args(["--http", "127.0.0.1:0", "--telnet", "127.0.0.1:0"]);
    command.args(args.server_args.split_ascii_whitespace()).stdout(Stdio::piped());
    let begun = Instant::now();
    let mut child = command.spawn().with_context(|| format!("starting {}", program.display()))?;
    let mut lines = BufReader::new(child.stdout.take().context("the server has no output")?).lines();
    let ready = loop {
        match lines.next() {
            Some(line) => {
                let line = line?;
                if line.starts_with("ready ") {
                    break line;
                }
            }
            None => bail!("{} ended before it was ready", program.display()),
        }
    };
    let boot = begun.elapsed();
    let door = |name: &str| -> anyhow::Result<SocketAddr> {
        let word =
            ready.split(' ').find_map(|word| word.strip_prefix(name)).context("the ready line has another form")?;
        Ok(word.parse()?)
    };
    let token = if args.echo { String::new() } else { std::fs::read_to_string(folder.join("admin.token"))? };
    Ok(Target {
        http: door("http=")?,
        telnet: door("telnet=")?,
        process: Process(child.id()),
        token,
        boot: Some(boot),
        keys: (!fresh).then(|| folder.join("load.keys")),
        child: Some(child),
        folder: fresh.then_some(folder),
    })
}

fn attach(args: &Args) -> anyhow::Result<Target> {
    let folder = args.state_dir.clone().context("--start PROGRAM or --state-dir DIR says where the server is")?;
    let told = std::fs::read_to_string(folder.join("server.json")).ok();
    let told: serde_json::Value = told.map(|text| serde_json::from_str(&text)).transpose()?.unwrap_or_default();
    let door = |given: Option<SocketAddr>, name: &str| -> anyhow::Result<SocketAddr> {
        match given {
            Some(address) => Ok(address),
            None => Ok(told[name].as_str().with_context(|| format!("no server runs there; give --{name}"))?.parse()?),
        }
    };
    let pid = args.pid.or(told["pid"].as_u64().map(|pid| pid as u32)).context("--pid says which process it is")?;
    Ok(Target {
        http: door(args.http, "http")?,
        telnet: door(args.telnet, "telnet")?,
        process: Process(pid),
        token: std::fs::read_to_string(folder.join("admin.token")).context("reading the admin token")?,
        boot: None,
        keys: Some(folder.join("load.keys")),
        child: None,
        folder: None,
    })
}

/// Keys for so many characters; those of earlier runs are used again.
async fn accounts(target: &Target, count: usize) -> anyhow::Result<Vec<(String, String)>> {
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    if let Some(text) = target.keys.as_ref().and_then(|path| std::fs::read_to_string(path).ok()) {
        known.extend(text.lines().filter_map(|l| l.split_once(' ')).map(|(n, k)| (n.to_string(), k.to_string())));
    }
    let names: Vec<String> = (0..count).map(|n| format!("Zq{n:05}")).collect();
    let missing: Vec<String> = names.iter().filter(|name| !known.contains_key(*name)).cloned().collect();
    known.extend(control::make_keys(target.http, &target.token, &missing).await?);
    if let Some(path) = &target.keys {
        let text: String = known.iter().map(|(name, key)| format!("{name} {key}\n")).collect();
        std::fs::write(path, text).with_context(|| format!("writing {}", path.display()))?;
    }
    names.into_iter().map(|name| known.get(&name).cloned().map(|key| (name, key)).context("a key is missing")).collect()
}

fn stands(args: &Args, content: Option<&Content>, count: usize) -> anyhow::Result<Vec<Option<Place>>> {
    if args.scatter {
        let content = content.context("--scatter needs --world")?;
        let rooms = args.rooms.unwrap_or(count);
        let places = places::scattered(places::quiet_rooms(content), rooms, args.seed);
        ensure!(rooms > 0 && places.len() == rooms, "the world has no quiet rooms");
        return Ok(places.into_iter().cycle().take(count).map(Some).collect());
    }
    let Some(room) = args.room else { return Ok(vec![None; count]) };
    let place = match content {
        Some(content) => places::place_of(content, room).context("there is no such room")?,
        None => Place { room, ways: Vec::new() },
    };
    Ok(vec![Some(place); count])
}

async fn measure(args: Args) -> anyhow::Result<()> {
    let target = match &args.start {
        Some(program) => start(program, &args)?,
        None => attach(&args)?,
    };
    if let Some(boot) = target.boot {
        println!("boot to both doors open   {:.0} ms", boot.as_secs_f64() * 1_000.0);
    }
    if args.idle > 0.0 {
        idle(&target, args.idle).await?;
    }
    let count = args.agents + args.people;
    if count == 0 {
        return Ok(());
    }
    let needs_world = args.scatter || args.fights > 0 || args.room.is_some();
    let content = args.world.as_deref().filter(|_| needs_world).map(lab::world_folder::read_content);
    let opponents = match (&content, args.fights) {
        (Some(content), 1..) => {
            let (from, to) = args.fight_levels.split_once('-').context("--fight-levels is FROM-TO")?;
            places::opponents(content, from.parse()?..=to.parse()?)
        }
        (None, 1..) => bail!("--fights needs --world"),
        _ => Vec::new(),
    };
    let stands = stands(&args, content.as_ref(), count)?;
    drop(content);
    let keys = match args.echo {
        true => vec![Default::default(); count],
        false => accounts(&target, count).await?,
    };
    let period = match (args.say_every, args.rate) {
        (Some(seconds), _) => Some(Duration::from_secs_f64(seconds)),
        (None, Some(rate)) => Some(Duration::from_secs_f64(1.0 / rate)),
        (None, None) => None,
    };
    let run = Arc::new(LoadPlan {
        http: target.http,
        telnet: target.telnet,
        period,
        mix: args.mix,
        only_say: args.say_every.is_some(),
        echo: args.echo,
        subscription: args.variables,
        client: ClientOptions { compress: args.compress, gmcp: args.gmcp },
        seed: args.seed,
        phase: AtomicU8::new(Phase::Login as u8),
        stage: AtomicUsize::new(0),
        fights: AtomicI64::new(0),
        opponents,
        turns: Arc::new(Semaphore::new(TURNS)),
    });
    tokio::time::sleep(Duration::from_millis(500)).await;
    let rss_before = target.process.rss_kb()?;

    // Agents and people alternate, so that each thread has of both.
    let mut parts: Vec<Vec<Part>> = (0..args.threads).map(|_| Vec::new()).collect();
    for (number, ((name, key), place)) in keys.iter().cloned().zip(stands).enumerate() {
        let agent = number < args.agents;
        let fighter = agent && number < args.fights;
        let place = place.filter(|_| !args.echo);
        parts[number % args.threads].push(Part { number, agent, fighter, name, key, place, from: None });
    }
    let (phase, watched) = watch::channel(Phase::Login);
    let (ready, mut readied) = mpsc::unbounded_channel();
    let (place, mut to_place) = mpsc::unbounded_channel::<Placing>();
    let placing = tokio::spawn({
        let (http, token, echo) = (target.http, target.token.clone(), args.echo);
        async move {
            if echo {
                return anyhow::Ok(());
            }
            let mut control = Control::connect(http, &token).await?;
            while let Some(Placing { name, room, turn }) = to_place.recv().await {
                if let Err(error) = control.post(&format!("/admin/place?name={name}&room={room}")).await {
                    eprintln!("{name} was not placed: {error:#}");
                }
                drop(turn);
            }
            Ok(())
        }
    });
    let begun = Instant::now();
    let threads: Vec<_> = parts
        .into_iter()
        .map(|parts| {
            let (run, phase, ready, place) = (run.clone(), watched.clone(), ready.clone(), place.clone());
            std::thread::spawn(move || play_parts(run, parts, phase, ready, place))
        })
        .collect();
    drop((ready, place, watched));
    for n in 0..count {
        let waited = tokio::time::timeout(Duration::from_secs(60), readied.recv()).await;
        if waited.is_err() {
            eprintln!("only {n} of {count} sessions have logged in");
            break;
        }
    }
    println!("{count} logins                {:.1} s", begun.elapsed().as_secs_f64());
    if !args.echo {
        let mut control = Control::connect(target.http, &target.token).await?;
        for (number, (name, _)) in keys.iter().enumerate() {
            let level = if number < args.fights { Some(30) } else { args.level };
            if let Some(level) = level {
                control.post(&format!("/admin/promote?name={name}&level={level}")).await?;
            }
        }
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    let rss_with = target.process.rss_kb()?;
    let per_session = (rss_with as f64 - rss_before as f64) / count as f64;
    println!(
        "memory                    {rss_before} KB before, {rss_with} KB with {count} sessions, {per_session:.1} KB each"
    );

    let health = |control: Option<serde_json::Value>| {
        let health = control.unwrap_or_default();
        (health["late_ticks"].as_u64().unwrap_or(0), health["tick"].as_u64().unwrap_or(0))
    };
    let mut control = match args.echo {
        true => None,
        false => Some(Control::connect(target.http, &target.token).await?),
    };
    let set = |next: Phase| {
        run.phase.store(next as u8, Ordering::Relaxed);
        // Threads that failed at once are told nothing.
        let _told = phase.send(next);
    };
    set(Phase::WarmUp);
    let seen = Arc::new(AtomicU64::new(0));
    let watchers: Vec<_> = (0..args.watchers)
        .map(|_| tokio::spawn(look_on(target.http, target.token.trim().to_string(), seen.clone())))
        .collect();
    tokio::time::sleep(Duration::from_secs_f64(args.warm_up)).await;
    let before = match &mut control {
        Some(control) => Some(control.health().await?),
        None => None,
    };
    let (late_before, tick_before) = health(before);
    let (cpu, own, switches, begun) =
        (target.process.cpu_ms()?, Process::own().cpu_ms()?, target.process.switches()?, Instant::now());
    set(Phase::Measure);
    let seen_before = seen.load(Ordering::Relaxed);
    let seeking = (args.seeks > 0)
        .then(|| tokio::spawn(seek(target.http, target.token.trim().to_string(), tick_before, args.seeks)));
    let mut fights = (i64::MAX, 0, 0);
    let mut rss_max = 0;
    let mut tick_us = Vec::new();
    let end = tokio::time::Instant::now() + Duration::from_secs_f64(args.duration);
    while tokio::time::Instant::now() < end {
        let next = tokio::time::Instant::now() + Duration::from_millis(500);
        tokio::time::sleep_until(next.min(end)).await;
        let now = run.fights.load(Ordering::Relaxed);
        fights = (fights.0.min(now), fights.1.max(now), fights.2 + now);
        rss_max = rss_max.max(target.process.rss_kb()?);
        if let Some(control) = control.as_mut().filter(|_| args.fights > 0) {
            tick_us.push(control.health().await?["tick_us"].as_u64().unwrap_or(0));
        }
    }
    let seconds = begun.elapsed().as_secs_f64();
    let (cpu, own) = (target.process.cpu_ms()? - cpu, Process::own().cpu_ms()? - own);
    let switches = target.process.switches()?.saturating_sub(switches);
    let seen = seen.load(Ordering::Relaxed) - seen_before;
    set(Phase::Grace);
    let after = match &mut control {
        Some(control) => Some(control.health().await?),
        None => None,
    };
    let (late_after, tick_after) = health(after);
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    set(Phase::End);
    let mut measured = Stage::default();
    let mut tallies = Vec::new();
    for thread in threads {
        let counted = thread.join().map_err(|_| anyhow::anyhow!("a thread of the generator panicked"))??;
        counted.stages.iter().for_each(|stage| measured.add(stage));
        tallies.extend(counted.sessions);
    }
    let latencies = measured.latencies;
    placing.abort();
    let lost: Vec<_> = watchers.iter().filter(|watcher| watcher.is_finished()).collect();
    let (watching, lost) = (watchers.len() - lost.len(), lost.len());
    watchers.into_iter().for_each(|watcher| watcher.abort());
    let sought = match seeking {
        Some(seeking) if seeking.is_finished() => Some(seeking.await??),
        Some(_) => bail!("the seeks took longer than what was measured; give it a longer --duration"),
        None => None,
    };

    let sum = |read: fn(&Tally) -> u64| tallies.iter().map(|(_, tally)| read(tally)).sum::<u64>();
    let done = sum(|t| t.done.get());
    let least = tallies.iter().map(|(_, t)| t.done.get()).min().unwrap_or(0);
    let most = tallies.iter().map(|(_, t)| t.done.get()).max().unwrap_or(0);
    let ms = |us: u64| us as f64 / 1_000.0;
    println!("mix                       {}", if args.say_every.is_some() { "say" } else { args.mix.text });
    println!("commands                  {done} in {seconds:.1} s: {:.0} per second", done as f64 / seconds);
    println!(
        "latency                   p50 {:.3} ms, p99 {:.3} ms, max {:.3} ms",
        ms(latencies.percentile_us(50.0)),
        ms(latencies.percentile_us(99.0)),
        ms(latencies.max_us)
    );
    println!(
        "server CPU                {:.2} ms per 1,000 commands, {:.1} % of a core",
        cpu * 1_000.0 / done.max(1) as f64,
        cpu / seconds / 10.0
    );
    println!("server changes of thread  {:.2} per command", switches as f64 / done.max(1) as f64);
    println!("server memory             {rss_max} KB at most while measured, {} KB ever", target.process.rss_max_kb()?);
    println!("per session               {least} to {most} commands");
    if let Some((_, stuck)) = tallies.iter().find(|(_, tally)| tally.done.get() == 0) {
        let count = tallies.iter().filter(|(_, tally)| tally.done.get() == 0).count();
        println!("without an answer         {count}, the first after {:?}", stuck.last.borrow());
    }
    let unsaid: Vec<String> = tallies.iter().filter_map(|(_, tally)| tally.unsaid.borrow().clone()).collect();
    if let Some(why) = unsaid.first() {
        println!("could not speak           {}, one of them: {:.80}", unsaid.len(), why.trim());
    }
    println!("late ticks                {} of {}", late_after - late_before, tick_after - tick_before);
    if args.watchers > 0 {
        let kb = seen as f64 / 1_024.0 / seconds / watching.max(1) as f64;
        println!("looking on                {watching}, {lost} lost; {kb:.1} KB a second each");
    }
    if let Some(Seeks { cold, near }) = sought {
        for (what, took) in [("to another hour", cold), ("within it", near)] {
            let (count, [p50, p95, longest]) = (took.len(), percentiles(took));
            println!("{count} seeks {what:<18} p50 {p50:.0} ms, p95 {p95:.0} ms, longest {longest:.0} ms");
        }
    }
    if !tick_us.is_empty() {
        tick_us.sort_unstable();
        let average = fights.2 as f64 / tick_us.len() as f64;
        println!("fights                    {} to {}, {average:.0} on average", fights.0, fights.1);
        println!(
            "tick, of those looked at  median {} us, longest {} us",
            tick_us[tick_us.len() / 2],
            tick_us[tick_us.len() - 1]
        );
    }
    println!(
        "generator CPU             {:.1} % of a core, {} bytes on the wire per command",
        own / seconds / 10.0,
        sum(|t| t.bytes.get()) / done.max(1)
    );
    let (gaps, errors) = (sum(|t| t.gaps.get()), sum(|t| t.errors.get()));
    println!("gaps in seq               {gaps}, error frames {errors}");
    if args.say_every.is_some() {
        let spoken = sum(|t| t.spoken.get());
        let short = tallies.iter().filter(|(_, t)| t.heard.get() != spoken).count();
        println!("speech                    {spoken} said; {short} of {count} sessions did not hear each exactly once");
    }
    let failed: Vec<String> = tallies.iter().filter_map(|(_, t)| t.failed.borrow().clone()).collect();
    if let Some(first) = failed.first() {
        println!("sessions that failed      {}, the first: {first}", failed.len());
    }
    Ok(())
}

async fn idle(target: &Target, seconds: f64) -> anyhow::Result<()> {
    tokio::time::sleep(Duration::from_secs(1)).await;
    let rss = target.process.rss_kb()?;
    let (cpu, begun) = (target.process.cpu_ms()?, Instant::now());
    tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
    let percent = (target.process.cpu_ms()? - cpu) / begun.elapsed().as_secs_f64() / 10.0;
    println!("memory, nobody on         {rss} KB after a second, {} KB after {seconds} more", target.process.rss_kb()?);
    println!("idle CPU                  {percent:.2} % of a core");
    Ok(())
}
