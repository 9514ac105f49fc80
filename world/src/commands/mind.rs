//! The verbs of a mind: what a character has set out to do, decided and noted, and what it wants to remember.
//!
//! The world knows nothing of minds: it hands the request to the edge (`Request::Mind`) and sets the numbers aside that
//! the entries of its log get, so that a replay gives the same numbers. Invariants: numbers of a character only rise,
//! and none is given twice. Who only asks takes none. Where the edge refuses, or writes less than it might, numbers
//! stay unused: a log may have gaps.

use crate::arena::CharacterId;
use crate::commands::{Typed, find_verb, tasks};
use crate::find::first_word;
use crate::refusal::{Done, Refusal};
use crate::report::{LineKind, MindRequest, Reads, Request};
use crate::world::World;
use content::Text;
use protocol::batch;
use protocol::happening::Place;
use protocol::minds::MindName;
use protocol::names::clean_text;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Parts that a goal is split into, at most.
const PARTS_MAX: usize = 7;
/// Kinds of mobs and players that a recall is told of at most: a crowd reminds of nobody.
const PRESENT_MAX: usize = 24;

const ONLY_PLAYERS: Refusal = Refusal::new("Only players have a mind that can be read.");

/// How many numbers are set aside for what follows a verb.
type CountNumbers = fn(&str) -> u8;

/// How many entries a line of each verb may write, from what follows the verb. A test compares with `mind::edit`.
const NUMBERS: &[(&str, CountNumbers)] = &[
    ("task", one_if_any),
    // A turn to another project writes what is put away and what is taken up.
    ("project", |args| if args.is_empty() { 0 } else { 2 }),
    ("goal", goals),
    ("fact", one_if_any),
    ("pattern", one_if_any),
    ("tidy", |args| u8::from(args.is_empty())),
    ("journal", one_if_any),
    ("note", one_if_any),
    ("decide", one_if_any),
    ("step", one_if_any),
    ("block", one_if_any),
    ("remember", |args| u8::from(args.contains('='))),
    ("forget", one_if_any),
    ("trouble", one_if_any),
    // The last step ends it.
    ("plan", |args| match args {
        "" => 0,
        args if first_word(args).0.eq_ignore_ascii_case("done") => 2,
        _ => 1,
    }),
    ("think", one_if_any),
    ("propose", one_if_any),
    ("choose", choices),
    ("memo", memos),
    ("mind", spoken),
    // One that is opened may take the place of another.
    ("focus", |args| match args {
        "" => 0,
        args if first_word(args).0.eq_ignore_ascii_case("on") => 2,
        _ => 1,
    }),
    ("section", one_if_any),
    ("share", one_if_any),
    ("context", one_if_any),
    // One entry before the compaction and one after it.
    ("compact", |args| {
        let folds = first_word(args).0.eq_ignore_ascii_case("fold");
        if args.is_empty() || folds { 2 } else { 0 }
    }),
    ("hud", |_| 0),
    ("history", |_| 0),
    ("status", |_| 0),
];

/// The same of what only the server writes: nobody can type it. A test compares with `mind::edit::FOUND`.
const FOUND_NUMBERS: &[(&str, CountNumbers)] = &[
    ("legacy.receive", one_if_any),
    ("conflict.outcome", one_if_any),
    ("memo.write", one_if_any),
    ("plan.end", one_if_any),
];

/// What minds of one body say to each other: it stands in the body's log, whoever of them says it.
const SPOKEN: &[(&str, CountNumbers)] = &[("propose", one_if_any), ("choose", choices), ("memo", memos)];

/// What each mind has of its own, beside batches: `mind inner note …`. The rest is the body's.
const OF_A_MIND: &[&str] = &[
    "project", "task", "goal", "step", "note", "decide", "block", "trouble", "plan", "think", "focus", "fact",
    "pattern", "tidy", "journal", "remember", "forget", "compact", "hud", "history",
];

/// Lines that look at the log itself, so that none of them stands among lines that only follow.
fn looks_at_log(verb: &str, args: &str) -> bool {
    let looks_elsewhere = ["at", "of"].iter().any(|word| first_word(args).0.eq_ignore_ascii_case(word));
    let reads_minds = verb == "mind" && SPOKEN.iter().all(|(name, _)| *name != first_word(first_word(args).1).0);
    matches!(verb, "compact" | "history") || verb == "hud" && looks_elsewhere || reads_minds
}

fn one_if_any(args: &str) -> u8 {
    u8::from(!args.is_empty())
}

/// In what they differ, and what is done.
fn choices(args: &str) -> u8 {
    if args.is_empty() { 0 } else { 2 }
}

/// Whether minds that a line chooses between may have differed: what nobody objected to is said to be agreed.
fn decides_dispute(verb: &str, args: &str) -> bool {
    let (verb, args) = match verb {
        "mind" => first_word(first_word(args).1),
        verb => (verb, args),
    };
    let (which, rest) = first_word(args);
    verb == "choose" && !which.is_empty() && !first_word(rest).0.eq_ignore_ascii_case("agreed")
}

/// A number reads, and so does the name of a mind: `memo from inner 10`.
fn memos(args: &str) -> u8 {
    let (word, rest) = first_word(args);
    let reads = word.eq_ignore_ascii_case("from") && MindName::named(first_word(rest).0).is_some();
    u8::from(!args.is_empty() && !reads && args.parse::<u64>().is_err())
}

/// What one mind says to the others, with the verb in full.
fn spoken(args: &str) -> u8 {
    let (verb, tail) = first_word(first_word(args).1);
    let row = SPOKEN.iter().find(|(name, _)| *name == verb);
    row.map_or(0, |(_, count)| count(tail))
}

/// A split writes an entry for each part.
fn goals(args: &str) -> u8 {
    match args {
        "" => 0,
        args if first_word(args).0.eq_ignore_ascii_case("split") => {
            1 + args.matches('|').count().min(PARTS_MAX - 1) as u8
        }
        _ => 1,
    }
}

pub fn task(world: &mut World, who: CharacterId, args: &str) -> Done {
    // What others want done is no affair of the mind's; see `tasks`.
    if let ("log", typed) = first_word(args) {
        let page = tasks::tasks(world, who, typed)?;
        world.send_line(who, Arc::new(page.into_line()));
        return Ok(());
    }
    ask(world, who, "task", args)
}

pub fn project(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "project", args)
}

pub fn goal(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "goal", args)
}

pub fn fact(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "fact", args)
}

pub fn pattern(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "pattern", args)
}

pub fn tidy(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "tidy", args)
}

pub fn journal(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "journal", args)
}

pub fn note(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "note", args)
}

pub fn decide(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "decide", args)
}

pub fn step(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "step", args)
}

pub fn block(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "block", args)
}

pub fn remember(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "remember", args)
}

pub fn forget(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "forget", args)
}

pub fn trouble(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "trouble", args)
}

pub fn focus(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "focus", args)
}

pub fn plan(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "plan", args)
}

pub fn think(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "think", args)
}

pub fn propose(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "propose", args)
}

pub fn choose(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "choose", args)
}

pub fn memo(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "memo", args)
}

/// A line of `mind` with its verb in full.
enum OfMind<'a> {
    /// It is for the body's log: what one mind says to the others, or a look into them.
    Body(String),
    /// A mind's own.
    Own(MindName, &'static str, &'a str),
}

fn of_mind<'a>(args: &'a str, level: i32) -> Result<OfMind<'a>, Refusal> {
    let (word, rest) = first_word(args);
    if word.is_empty() {
        return Ok(OfMind::Body(String::new()));
    }
    let Some(mind) = MindName::named(word) else {
        return Err(format!("You have no mind {word}: inner, outer, observer, and the body itself.").into());
    };
    let (typed, tail) = first_word(rest);
    if typed.is_empty() || typed.parse::<u64>().is_ok() {
        return Ok(OfMind::Body(format!("{} {rest}", mind.word())));
    }
    let verb = find_verb(typed, level).map_or("", |verb| verb.name);
    if SPOKEN.iter().any(|(name, _)| *name == verb) || matches!(verb, "mind" | "recall") {
        return Ok(OfMind::Body(format!("{} {verb} {tail}", mind.word()).trim_end().to_string()));
    }
    match OF_A_MIND.iter().chain(&["batch"]).find(|name| **name == verb) {
        Some(verb) => Ok(OfMind::Own(mind, verb, tail)),
        None => Err(format!(
            "No mind has {typed} of its own. Each can: {}, {}, recall.",
            OF_A_MIND.join(", "),
            SPOKEN.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
        )
        .into()),
    }
}

/// One of the minds of this body: what it holds, says to the others, and has of its own.
pub fn mind(world: &mut World, who: CharacterId, args: &str) -> Done {
    let args = clean_text(args);
    match of_mind(args.trim(), world.who(who).level)? {
        OfMind::Body(line) => ask(world, who, "mind", &line),
        OfMind::Own(mind, "batch", lines) => batch_of(world, who, mind, lines),
        OfMind::Own(mind, verb, tail) => {
            let here = Here::of([(verb, tail)], world, who);
            ask_among(world, who, mind, verb, tail, numbers_of(verb), here)
        }
    }
}

pub fn section(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "section", args)
}

pub fn share(world: &mut World, who: CharacterId, args: &str) -> Done {
    let args = sharing(world, who, &clean_text(args))?;
    ask(world, who, "share", &args)
}

/// What follows `share`, with the person who is meant in the place of the word for them: `#105 Bob task`. `maker` is
/// whoever owns the agent's record. A name that nobody bears any more is left as it is where it is to be struck off.
fn sharing(world: &World, who: CharacterId, args: &str) -> Result<String, Refusal> {
    let (word, rest) = first_word(args);
    let stops = word.eq_ignore_ascii_case("stop");
    let (word, rest) = if stops { first_word(rest) } else { (word, rest) };
    if word.is_empty() {
        return Ok(args.trim().to_string());
    }
    let own = world.person_of(who).ok_or(ONLY_PLAYERS)?;
    let found = match word.eq_ignore_ascii_case("maker") {
        true => {
            let record = world.state.agents.get(own);
            Ok(record.and_then(|record| record.owner).ok_or("Nobody has made you: share <name> [<parts>]")?)
        }
        false => world.person_word(word),
    };
    let person = match found {
        Ok(person) => person,
        Err(_) if stops => return Ok(format!("stop {word}")),
        Err(unknown) => return Err(unknown),
    };
    let name = world.state.channels.person(person).map(|person| &*person.name).unwrap_or(word);
    match stops {
        true => Ok(format!("stop {name}")),
        false if person == own => Err("Your mind is open to you as it is.".into()),
        false => Ok(format!("#{person} {name} {rest}").trim_end().to_string()),
    }
}

/// Whose mind a line asks for, by `hud of <name>` or `of:<name>` among the words of `recall`.
fn reads(world: &World, who: CharacterId, verb: &str, args: &str) -> Option<Reads> {
    let word = match verb {
        "hud" => Some(first_word(args)).filter(|(of, _)| of.eq_ignore_ascii_case("of")).map(|(_, name)| name),
        "recall" => args.split_whitespace().find_map(|word| {
            word.split_once(':').filter(|(of, _)| of.eq_ignore_ascii_case("of")).map(|(_, name)| name)
        }),
        _ => None,
    }?;
    let whose = world.state.channels.person(world.person_named(word.trim())?)?.name.clone();
    Some(Reads { reader: world.person_of(who)?, whose })
}

pub fn context(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "context", args)
}

pub fn status(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "status", args)
}

pub fn compact(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "compact", args)
}

pub fn hud(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "hud", args)
}

pub fn history(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "history", args)
}

/// Several lines of the mind, all or none. The mind reads each with its verb in full.
pub fn batch(world: &mut World, who: CharacterId, args: &str) -> Done {
    batch_of(world, who, MindName::Body, args)
}

fn batch_of(world: &mut World, who: CharacterId, mind: MindName, args: &str) -> Done {
    let typed = batch::lines(&clean_text(args))?;
    let level = world.who(who).level;
    let (mut lines, mut numbers, mut choices) = (Vec::with_capacity(typed.len()), 0, 0);
    for (place, line) in typed.iter().enumerate() {
        let Typed { word, args } = Typed::parse(line);
        let verb = find_verb(word, level).map_or(word, |verb| verb.name);
        let refuse = |why: &str| Refusal::from(batch::refused(place, line, why));
        let written;
        let args = match verb {
            "share" => {
                written = sharing(world, who, args).map_err(|refusal| refuse(&refusal.0))?;
                &*written
            }
            "mind" => {
                written = match of_mind(args.trim(), level).map_err(|refusal| refuse(&refusal.0))? {
                    OfMind::Body(line) => line,
                    OfMind::Own(own, ..) => {
                        return Err(refuse(&format!("that is in another log: mind {} batch […].", own.word())));
                    }
                };
                &*written
            }
            _ => args,
        };
        let row = NUMBERS.iter().find(|(name, _)| *name == verb && !looks_at_log(name, args));
        let Some((verb, count)) = row else {
            return Err(refuse(match verb {
                "batch" => "a batch holds no other batch.",
                verb if looks_at_log(verb, args) => "that looks at the log as it was before; type it by itself.",
                _ => "only lines of the mind stand in a batch, such as note, goal or fact.",
            }));
        };
        if !mind.is_body() && !OF_A_MIND.contains(verb) {
            return Err(refuse("that is the body's, or for all its minds; type it by itself."));
        }
        numbers += count(args);
        choices += usize::from(decides_dispute(verb, args));
        lines.push(format!("{verb} {args}").trim_end().to_string());
    }
    let here = Here::of(lines.iter().map(|line: &String| first_word(line)), world, who);
    let first = request(world, who, mind, "batch", &batch::written(&lines), numbers, here)?;
    for _ in 0..choices {
        world.note_choice(who, first, first + u64::from(numbers) - 1);
    }
    Ok(())
}

pub fn recall(world: &mut World, who: CharacterId, args: &str) -> Done {
    let here = Here::of([("recall", args)], world, who);
    ask_among(world, who, MindName::Body, "recall", args, |_| 0, here)?;
    if let Some((shown, born)) = shown_otherwise(world, args) {
        let word = born.to_lowercase();
        let told = format!("{shown} was born {born}, and your memory keeps to that name: recall {word}");
        world.send(who, LineKind::Text, &told);
    }
    Ok(())
}

/// Whom a question may ask for that is nothing but a name which is shown in place of the one that memories know: both
/// names. What was asked is asked all the same: a wolf may be meant, and not who calls himself one.
fn shown_otherwise(world: &World, args: &str) -> Option<(Text, Text)> {
    let persons = &world.state.channels;
    let name = args.trim();
    if name.is_empty() || persons.named(name).is_some() {
        return None;
    }
    let person = persons.person(persons.shown_as(name).or_else(|| persons.called_first(name))?)?;
    Some((person.display.clone(), person.name.clone()))
}

/// Where and with whom somebody is, for a request that depends on it: see `MindRequest::present` and `place`.
#[derive(Default)]
struct Here {
    present: Vec<Text>,
    place: Option<Place>,
}

impl Here {
    /// What requests of these verbs and words depend on: what is remembered, on who and what is there; what is written
    /// of somebody, on whether he is there; what came of a plan, on both.
    fn of<'l>(lines: impl IntoIterator<Item = (&'l str, &'l str)>, world: &World, who: CharacterId) -> Here {
        let (mut here, mut ends_plan) = (Here::default(), false);
        for (verb, args) in lines {
            let ends =
                verb == "plan" && ["done", "drop"].iter().any(|end| first_word(args).0.eq_ignore_ascii_case(end));
            let depends = ends || verb == "recall" || verb == "journal" && !args.trim().is_empty();
            if depends && here.present.is_empty() {
                here.present = present(world, who);
            }
            ends_plan |= ends;
        }
        let c = world.who(who);
        here.place = (ends_plan && c.is_awake()).then(|| world.place_of(c.room));
        here
    }
}

/// Keys of the room that `who` is in and of those whom it sees there; see `MindRequest::present`.
fn present(world: &World, who: CharacterId) -> Vec<Text> {
    let c = world.who(who);
    let mut keys = vec![Text::from(format!("room:{}", world.room_proto(c.room).vnum))];
    if !c.is_awake() {
        return keys;
    }
    let dark = world.is_dark(c.room);
    let (mut players, mut mobs) = (BTreeSet::new(), BTreeSet::new());
    for other in world.room(c.room).characters.iter().filter(|other| **other != who) {
        if players.len() + mobs.len() == PRESENT_MAX {
            break;
        }
        if !world.sees_in(who, *other, dark) {
            continue;
        }
        match world.mob_proto(*other) {
            Some(proto) => mobs.insert(proto.vnum),
            None => players.insert(world.who(*other).name.to_ascii_lowercase()),
        };
    }
    keys.extend(players.iter().map(|name| Text::from(format!("player:{name}"))));
    keys.extend(mobs.iter().map(|vnum| Text::from(format!("mob:{vnum}"))));
    keys
}

/// A line of the mind that the server found out, not the character. Of another verb, or of who is gone, nothing comes.
pub fn found(world: &mut World, who: CharacterId, verb: &str, args: &str) {
    let row = NUMBERS.iter().chain(FOUND_NUMBERS).find(|(name, _)| *name == verb);
    let is_player = world.character(who).is_some_and(|character| character.player().is_some());
    if let Some((verb, count)) = row.filter(|_| is_player) {
        // Only who has no mind is refused.
        let _done = ask_among(world, who, MindName::Body, verb, args, *count, Here::default());
    }
}

/// The mind writes one entry of what the world has done already.
pub(super) fn ask_one(world: &mut World, who: CharacterId, verb: &'static str, args: &str) -> Done {
    ask_among(world, who, MindName::Body, verb, args, |_| 1, Here::default())
}

fn ask(world: &mut World, who: CharacterId, verb: &'static str, args: &str) -> Done {
    let here = Here::of([(verb, args)], world, who);
    ask_among(world, who, MindName::Body, verb, args, numbers_of(verb), here)
}

fn numbers_of(verb: &str) -> CountNumbers {
    NUMBERS.iter().find(|(name, _)| *name == verb).map_or(one_if_any as CountNumbers, |(_, count)| *count)
}

fn ask_among(
    world: &mut World,
    who: CharacterId,
    mind: MindName,
    verb: &'static str,
    args: &str,
    numbers: CountNumbers,
    here: Here,
) -> Done {
    // Counted from what the mind will read.
    let args = clean_text(args);
    let args = args.trim();
    let numbers = numbers(args);
    let first = request(world, who, mind, verb, args, numbers, here)?;
    if decides_dispute(verb, args) {
        world.note_choice(who, first, first + u64::from(numbers) - 1);
    }
    Ok(())
}

/// Gives the first number that its entries may have.
fn request(
    world: &mut World,
    who: CharacterId,
    mind: MindName,
    verb: &'static str,
    args: &str,
    numbers: u8,
    here: Here,
) -> Result<u64, Refusal> {
    let character = world.who(who);
    let player = character.player().ok_or(ONLY_PLAYERS)?;
    let (name, first) = (character.name.clone(), player.log_seq + 1);
    if numbers > 0 {
        world.player_mut(who).log_seq += u64::from(numbers);
    }
    let reads = reads(world, who, verb, args);
    let Here { present, place } = here;
    let request = MindRequest { who, name, mind, verb, args: args.into(), first, numbers, present, place, reads };
    world.report.requests.push(Request::Mind(Box::new(request)));
    Ok(first)
}
