//! Transcripts: a seed, a small scene, what is typed, and what each reader reads.
//!
//! ```text
//! # a word of reason
//! scene green 7
//! Ann warrior level=3 room=101 gold=50
//! Bob thief male
//! quiet                      (arrivals are not shown from here on; otherwise everything is)
//!
//! Ann> say hello
//! Ann | You say, "hello"
//! Bob | Ann says, "hello"
//! tick 2
//! ```
//!
//! `scene shipped 7` plays in the world that ships, all others in one of `tests/scenes`.
//!
//! Lines with `|` are what the game printed; `UPDATE=1` writes them anew. A line break within a text becomes a line of
//! its own. `thing VNUM ROOM`, `thing VNUM NAME` and `mob VNUM ROOM` make what is needed, unseen: on the floor, carried
//! by a person, standing in a room; `thing VNUM mob MOBVNUM` gives it to the first mob of that kind. `tick N` steps the
//! world; `link NAME lost` and `link NAME back` are about connections; `record NAME bot owner=NAME may = SEED` is what
//! the operator makes of somebody, `architect NAME` whom it makes The Architect, and `made NUMBER NAME` what the
//! server answers when an agent was ordered. `!expect NAME is gone` checks that a person left the world. What the verbs
//! of the mind answer, which the server does beside the world, stands where it was asked for. `elsewhere NAME` is
//! somebody of whom only the database knows: whoever wants to be shown by that name is told so. `started INSTANT` is
//! the start of a server, which tells the world the calendar. `window NAME COLUMNS` says how wide somebody's window
//! is: what it reads from then on is broken for that.
//!
//! `roll DRAW VALUE…` (`roll save 1`, `roll cast min 40`, `roll amount max`) says how the next dice of that name fall;
//! all must be thrown by the next line that plays, and fall as told. `odds DRAW: NAME> COMMAND` plays a line once for
//! each value of the first draw of that name, each time in a copy of the world, and prints in how many it was done.

use crate::scene::{Person, Scene, tests_folder};
use content::words::{Class, Race, Sex};
use jiff::Timestamp;
use mind::edit::{self, MindLog};
use mind::projects::Shelf;
use mind::{Event, LogEntry, MindState, VerbRequest};
use protocol::channel::PersonKind;
use protocol::minds::MindName;
use server::encode::text::in_window;
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use world::agent::AgentTerms;
use world::channel::names;
use world::character::Link;
use world::draws::{Draw, Face};
use world::input::KnownPerson;
use world::object::Place;
use world::report::{MindRequest, Overheard, Reads, Recorded, Request};
use world::{Admin, CharacterId, Input, Report};

pub struct Outcome {
    pub played: usize,
    pub differences: Vec<String>,
}

/// Plays every transcript; with `update`, writes what the game prints into the files.
pub fn check_all(update: bool) -> Outcome {
    let mut files = Vec::new();
    find(&tests_folder().join("transcripts"), &mut files);
    files.sort();
    let mut outcome = Outcome { played: 0, differences: Vec::new() };
    for file in files {
        let written = std::fs::read_to_string(&file).expect("a readable transcript");
        let played = play(&written, &file);
        outcome.played += 1;
        if played != written {
            if update {
                std::fs::write(&file, &played).expect("a writable transcript");
            } else {
                outcome.differences.push(difference(&file, &written, &played));
            }
        }
    }
    outcome
}

/// The texts of all.
pub fn all() -> Vec<String> {
    let mut files = Vec::new();
    find(&tests_folder().join("transcripts"), &mut files);
    files.iter().map(|file| std::fs::read_to_string(file).expect("a readable transcript")).collect()
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            find(&path, files);
        } else if path.extension().is_some_and(|e| e == "txt") {
            files.push(path);
        }
    }
}

/// The transcript with what the game prints today.
pub fn play(written: &str, file: &Path) -> String {
    play_watched(written, file, &mut |_| {})
}

/// The same, with each report handed to `watch`. Calls of scripts are in it.
pub fn play_watched(written: &str, file: &Path, watch: &mut dyn FnMut(&Report)) -> String {
    let mut scene: Option<Scene> = None;
    let mut played = String::new();
    let mut quiet = false;
    let mut minds = Minds::default();
    let mut elsewhere: Vec<String> = Vec::new();
    for (number, line) in written.lines().enumerate() {
        let fail = |what: &str| -> ! { panic!("{}:{}: {what}: {line}", file.display(), number + 1) };
        if is_output(line) {
            continue;
        }
        played.push_str(line);
        played.push('\n');
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let (first, rest) = trimmed.split_once(' ').unwrap_or((trimmed, ""));
        if first == "scene" {
            let (name, seed) = rest.split_once(' ').unwrap_or((rest, "1"));
            let seed = seed.trim().parse().unwrap_or_else(|_| fail("the seed must be a number"));
            scene.insert(Scene::open(name, seed)).world.trace_scripts = true;
            continue;
        }
        let Some(scene) = scene.as_mut() else { fail("a transcript begins with `scene NAME SEED`") };
        if first == "roll" {
            let load = load(rest).unwrap_or_else(|| fail("roll DRAW min|max|NUMBER …"));
            scene.world.apply(&Input::Admin(load));
            continue;
        }
        if first == "odds" {
            played.push_str(&odds(scene, rest).unwrap_or_else(|what| fail(&what)));
            continue;
        }
        let reports: Vec<Report> = if first == "quiet" {
            quiet = true;
            continue;
        } else if first == "thing" || first == "mob" {
            make(scene, trimmed).unwrap_or_else(|| fail("nothing of that number, or no such place"));
            continue;
        } else if first == "elsewhere" {
            elsewhere.push(names::folded(rest));
            continue;
        } else if first == "loud" {
            quiet = false;
            continue;
        } else if first == "tick" {
            let ticks: usize = if rest.is_empty() { 1 } else { rest.parse().unwrap_or_else(|_| fail("tick N")) };
            (0..ticks).map(|_| scene.world.apply(&Input::Tick)).collect()
        } else if first == "link" {
            let link = match rest.split_once(' ') {
                Some((_, "lost")) => Link::Lost { since_tick: scene.world.tick() },
                Some((_, "back")) => Link::Linked,
                _ => fail("link NAME lost | link NAME back"),
            };
            let who = scene.id(rest.split(' ').next().unwrap_or_default());
            vec![scene.world.apply(&Input::Link { who, link, agent: false })]
        } else if first == "window" {
            let (name, columns) = rest.split_once(' ').unwrap_or_else(|| fail("window NAME COLUMNS"));
            let columns = columns.parse().unwrap_or_else(|_| fail("window NAME COLUMNS"));
            let who = scene.id(name);
            vec![scene.world.apply(&Input::Window { who, columns: Some(columns) })]
        } else if first == "record" {
            let record = record(rest).unwrap_or_else(|| fail("record NAME persona|bot [owner=NAME] [may] [= SEED]"));
            vec![scene.world.apply(&Input::Admin(record))]
        } else if first == "made" {
            let (id, name) = rest.split_once(' ').unwrap_or_else(|| fail("made NUMBER NAME"));
            let id = id.parse().unwrap_or_else(|_| fail("made NUMBER NAME"));
            vec![scene.world.apply(&Input::Admin(Admin::AgentMade { id, name: name.into() }))]
        } else if first == "started" {
            let at: Timestamp = rest.parse().unwrap_or_else(|_| fail("started 2026-11-23T13:00:00Z"));
            let started = Admin::Started { unix_ms: at.as_millisecond(), tick_ms: 2_000, agents_per_owner: 20 };
            vec![scene.world.apply(&Input::Admin(started))]
        } else if first == "architect" {
            let who = KnownPerson { name: rest.into(), person: None };
            vec![scene.world.apply(&Input::Admin(Admin::Crown { who }))]
        } else if first == "!expect" {
            let name = rest.strip_suffix(" is gone").unwrap_or_else(|| fail("!expect NAME is gone"));
            if scene.world.find_player(name).is_some() {
                fail("that one is still there");
            }
            continue;
        } else if let Some((name, typed)) = trimmed.split_once('>') {
            vec![scene.does(name, typed.strip_prefix(' ').unwrap_or(typed))]
        } else {
            let person = person(rest).unwrap_or_else(|what| fail(&what));
            let (_, reports) = scene.enter(first, &person);
            if quiet {
                // What nobody is shown is remembered all the same.
                reports.iter().for_each(|report| minds.remember(report));
                Vec::new()
            } else {
                reports
            }
        };
        if let Some(waiting) = unthrown(scene) {
            fail(&format!("nobody threw the dice for {waiting}"));
        }
        if let Some(misfit) = scene.world.watch.misfits.first() {
            fail(misfit);
        }
        let width = scene.people.iter().map(|(n, _)| n.len()).max().unwrap_or(0);
        let mut read = |name: &str, columns: Option<u16>, text: &str| {
            for text in in_window(text, columns).split('\n') {
                let text = format!("{name:<width$} | {text}");
                played.push_str(text.trim_end());
                played.push('\n');
            }
        };
        let mut reports = VecDeque::from(reports);
        while let Some(report) = reports.pop_front() {
            watch(&report);
            for (to, line) in report.lines.iter() {
                read(&scene.name(to), columns_of(scene, to), &line.text);
            }
            minds.remember(&report);
            for request in &report.requests {
                match request {
                    Request::Mind(request) => {
                        let columns = scene.world.find_player(&request.name).and_then(|who| columns_of(scene, who));
                        let answer = minds.answer(request, &report);
                        if !answer.is_empty() {
                            read(&request.name, columns, &answer);
                        }
                    }
                    Request::Name(request) => {
                        let (person, by, name) = (request.person, request.by, request.name.clone());
                        let taken = elsewhere.contains(&names::folded(&name));
                        reports.push_back(scene.world.apply(&Input::Named { person, name, taken, by }));
                    }
                    _ => {}
                }
            }
        }
    }
    if let Some(waiting) = scene.as_ref().and_then(unthrown) {
        panic!("{}: nobody threw the dice for {waiting}, at its end", file.display());
    }
    played
}

/// The draws whose next dice were told how to fall, and that nobody has thrown.
fn unthrown(scene: &Scene) -> Option<String> {
    let waiting: Vec<&str> = scene.world.state.loaded.0.keys().map(|draw| draw.name()).collect();
    (!waiting.is_empty()).then(|| waiting.join(", "))
}

/// `DRAW VALUE…`: dice that are to fall so.
fn load(written: &str) -> Option<Admin> {
    let (name, faces) = written.split_once(' ')?;
    let faces: Option<Vec<Face>> = faces.split_whitespace().map(Face::parse).collect();
    Some(Admin::Load { draw: Draw::named(name)?, faces: faces.filter(|faces| !faces.is_empty())?, who: None })
}

/// `DRAW: NAME> COMMAND`: in how many of all ways in which that die can fall the command is done.
fn odds(scene: &Scene, written: &str) -> Result<String, String> {
    let how = || "odds DRAW: NAME> COMMAND".to_string();
    let (draw, line) = written.split_once(": ").ok_or_else(how)?;
    let (name, typed) = line.split_once("> ").ok_or_else(how)?;
    let draw = Draw::named(draw).ok_or_else(|| format!("no draw is called {draw}"))?;
    let command = Input::Command { who: scene.id(name), line: typed.to_string() };
    let mut first = scene.world.clone();
    first.watch.draw = Some(draw);
    first.apply(&command);
    let (low, high) = match first.watch.seen.first() {
        None => return Err(format!("nothing is drawn for {}", draw.name())),
        Some((_, _, false)) => return Err("of several dice not all sums are equally likely".to_string()),
        Some((low, high, true)) => (*low, *high),
    };
    let is_done = |value: &i32| {
        let mut world = scene.world.clone();
        world.apply(&Input::Admin(Admin::Load { draw, faces: vec![Face::Value(*value)], who: None }));
        succeeded(&world.apply(&command))
    };
    let done = (low..=high).filter(is_done).count();
    Ok(format!("odds | {done} of {} done\n", i64::from(high) - i64::from(low) + 1))
}

/// Whether a command did what it was meant to do, by what it caused.
fn succeeded(report: &Report) -> bool {
    use protocol::Outcome;
    use protocol::outcome::CastResult;
    let outcomes = || report.lines.iter().filter_map(|(_, line)| line.outcome.as_deref());
    // An art says itself how it went.
    let art = outcomes().find_map(|outcome| match outcome {
        Outcome::Cast { result, .. } | Outcome::Skill { result, .. } => Some(*result == CastResult::Done),
        _ => None,
    });
    art.unwrap_or_else(|| {
        let deed = |outcome: &Outcome| {
            matches!(outcome, Outcome::Damage { .. } | Outcome::Rescue { .. } | Outcome::Door { .. })
        };
        outcomes().any(deed)
    })
}

/// The minds of those who asked theirs something; of each all minds that have a name.
#[derive(Default)]
struct Minds(BTreeMap<(String, MindName), (MindState, Vec<LogEntry>)>);

impl Minds {
    fn of(&mut self, name: &str, mind: MindName) -> &mut (MindState, Vec<LogEntry>) {
        self.0.entry((name.to_string(), mind)).or_default()
    }

    /// Takes what the world recorded into the logs.
    fn remember(&mut self, report: &Report) {
        for Recorded { name, seq, happening, .. } in &report.recorded {
            let event = Event::Happening(happening.clone());
            let entry = LogEntry { seq: *seq, tick: report.tick, at_ms: 0, input: report.number, event };
            let (state, log) = self.of(name, MindName::Body);
            state.project(&entry);
            log.push(entry);
        }
        for Overheard { name, seq, talk, .. } in &report.overheard {
            let event = Event::of_talk((**talk).clone());
            let entry = LogEntry { seq: *seq, tick: report.tick, at_ms: 0, input: report.number, event };
            let (state, log) = self.of(name, MindName::Body);
            state.project(&entry);
            log.push(entry);
            log.sort_by_key(|entry| entry.seq);
        }
    }

    fn answer(&mut self, request: &MindRequest, report: &Report) -> String {
        let MindRequest { verb, args, first, numbers, mind, .. } = request;
        if *verb == "recall" {
            // Memories are the server's; what it is asked is the world's.
            let of = request.reads.as_ref().map_or(String::new(), |reads| format!(" of what {} shares", reads.whose));
            return format!("(recalls \"{args}\"{of} among {})", request.present.join(" "));
        }
        if let Some(Reads { whose, .. }) = &request.reads {
            return format!("(reads what {whose} shares)");
        }
        let (tick, turn) = (report.tick, report.number);
        let own = MindName::ALL.map(|mind| (mind, self.of(&request.name, mind).clone()));
        let minds = own.each_ref().map(|(mind, (state, entries))| MindLog { mind: *mind, state, entries });
        let minds = if edit::reading(args).is_some() && *verb == "mind" { &minds[..] } else { &[] };
        let (state, log) = self.of(&request.name, *mind);
        let shelf = Shelf::of(log.iter());
        let present: Vec<&str> = request.present.iter().filter_map(|key| key.strip_prefix("player:")).collect();
        let asked = VerbRequest::new(verb, args, *first, *numbers, tick);
        let asked = VerbRequest {
            name: &request.name,
            recent: log,
            span: log,
            shelf: &shelf,
            present: &present,
            minds,
            ..asked
        };
        let reply = edit::answer(state, &asked);
        for (seq, event) in (*first..).zip(reply.events) {
            let entry = LogEntry { seq, tick, at_ms: 0, input: turn, event };
            state.project(&entry);
            log.push(entry);
        }
        reply.text
    }
}

/// `NAME persona|bot [owner=NAME] [may] [= SEED]`: what the operator makes of somebody.
fn record(written: &str) -> Option<Admin> {
    let (head, seed) = match written.split_once(" = ") {
        Some((head, seed)) => (head, Some(seed.into())),
        None => (written, None),
    };
    let person = |name: &str| KnownPerson { name: name.into(), person: None };
    let mut words = head.split_whitespace();
    let who = person(words.next()?);
    let kind = match words.next()? {
        "persona" => PersonKind::Persona,
        "bot" => PersonKind::Bot,
        _ => return None,
    };
    let mut terms = AgentTerms { kind: Some(kind), seed, ..AgentTerms::default() };
    let mut owner = None;
    for word in words {
        match word.split_once('=') {
            Some(("owner", name)) => owner = Some(person(name)),
            None if word == "may" => terms.may_create_agents = Some(true),
            _ => return None,
        }
    }
    Some(Admin::Agent { who, owner, terms: Box::new(terms) })
}

/// Makes a mob or a thing. `None` when the line makes no sense.
fn make(scene: &mut Scene, line: &str) -> Option<()> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let world = &mut scene.world;
    match words[..] {
        ["mob", vnum, room] => {
            let (proto, room) = (world.content.mob_index(vnum.parse().ok()?)?, world.room_by_vnum(room.parse().ok()?)?);
            world.make_mob(proto, room);
        }
        ["thing", vnum, ref to @ ..] => {
            let place = match to {
                ["mob", mob] => {
                    let proto = world.content.mob_index(mob.parse().ok()?)?;
                    let mut mobs = world.state.characters.iter();
                    Place::Carried(mobs.find(|(_, c)| c.mob().is_some_and(|m| m.proto == proto))?.0)
                }
                [room] if room.starts_with(|c: char| c.is_ascii_digit()) => {
                    Place::Room(world.room_by_vnum(room.parse().ok()?)?)
                }
                [name] => Place::Carried(scene.people.iter().find(|(n, _)| n == name)?.1),
                _ => return None,
            };
            let object = world.make_object(vnum.parse().ok()?)?;
            world.place_object(object, place);
        }
        _ => return None,
    }
    Some(())
}

/// The width of the window of who reads, where a transcript told it.
fn columns_of(scene: &Scene, who: CharacterId) -> Option<u16> {
    scene.world.character(who).and_then(|c| c.player()).and_then(|player| player.columns)
}

/// `Name | text`.
fn is_output(line: &str) -> bool {
    let after_name = line.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
    after_name.len() < line.len() && after_name.trim_start().starts_with('|')
}

/// `warrior level=3 room=101 gold=50 male elf agent skill:pick_lock=90`.
fn person(words: &str) -> Result<Person, String> {
    let mut person = Person::default();
    for word in words.split_whitespace() {
        let (key, value) = word.split_once('=').unwrap_or((word, ""));
        let number = || value.parse::<i32>().map_err(|_| format!("{key} needs a number"));
        match key {
            "level" => person.level = number()?,
            "room" => person.room = Some(number()?),
            "gold" => person.gold = number()?,
            "agent" => person.agent = true,
            _ => {
                if let Some(skill) = key.strip_prefix("skill:") {
                    person.skills.push((skill.replace('_', " "), number()?));
                } else if let Some(class) = Class::named(key) {
                    person.class = class;
                } else if let Some(race) = Race::named(key) {
                    person.race = race;
                } else if let Some(sex) = Sex::named(key) {
                    person.sex = sex;
                } else {
                    return Err(format!("unknown word {key:?}"));
                }
            }
        }
    }
    Ok(person)
}

/// The first place where two texts differ, with a few lines around it.
fn difference(file: &Path, written: &str, played: &str) -> String {
    let (written, played): (Vec<&str>, Vec<&str>) = (written.lines().collect(), played.lines().collect());
    let at = (0..written.len().max(played.len())).find(|n| written.get(*n) != played.get(*n)).unwrap_or(0);
    let from = at.saturating_sub(2);
    let part = |lines: &[&str]| lines.iter().skip(from).take(8).map(|l| format!("    {l}\n")).collect::<String>();
    format!("{}:{}\n  written:\n{}  played:\n{}", file.display(), at + 1, part(&written), part(&played))
}
