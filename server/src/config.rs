//! The config file and the environment: every long argument of `run` is also a key of `dp.toml` and a variable
//! `DP_SERVER_…`.
//!
//! The arguments in `args.rs` are the one list; nothing here names a key but the few that subcommands share. The
//! command line wins over the environment, that over the file, that over the default. A state folder may have a file
//! of its own ([`OWN_FILE`]), which is read where no other is named: a fork brings one. Invariants: a file that says
//! anything this program does not understand starts no server; no message quotes a value of the file, because one of
//! them holds a password, except where a number, an address or a choice cannot be read.

use anyhow::{Context, bail};
use clap::builder::BoolishValueParser;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use std::any::TypeId;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Before the name of a key in the environment: `--tick-ms` is `DP_SERVER_TICK_MS`. Not `DP_`, which clients of the
/// server use too.
pub const PREFIX: &str = "DP_SERVER_";

/// What has no key: asking for help or the version, where the file is, and what is meant for one start only. A file
/// that says `recover` would give up what cannot be replayed at every start from then on.
const NO_KEYS: [&str; 4] = ["config", "help", "version", "recover"];

/// The config file in a state folder, for the server of that folder.
pub const OWN_FILE: &str = "dp.toml";

/// What is said of the places of one server, and of no other: a fork does not take it over.
const PLACES: [&str; 6] = ["db", "dreaming-dir", "rules", "sessions-dir", "state-dir", "world"];

/// Keys that subcommands take from the environment and the file too, so that they find what the server works on.
const PLACE: [&str; 3] = ["config", "state-dir", "db"];
/// And those of `check`, which looks at the world that the server would run.
const CHECKED: [&str; 3] = ["world", "start-room", "rules"];

/// And those of `replay`, `fork`, `odds` and `plot`, which read a world for the journal that names it.
const REPLAYED: [&str; 2] = ["start-room", "rules"];
/// And those of `dream`, which does what the server does at night.
const DREAMT: [&str; 2] = ["dreaming-dir", "dream-zone"];

/// Reads the command line, with the environment and the config file behind it. `Err` where the file is no good; what
/// is wrong with the command line ends the program with a message, as clap does.
pub fn matches(command: Command, words: impl IntoIterator<Item = OsString>) -> anyhow::Result<ArgMatches> {
    try_matches(command, words)?.map_err(|help| help.exit())
}

/// The same for a process that goes on whatever the line says.
pub fn try_matches(
    command: Command,
    words: impl IntoIterator<Item = OsString>,
) -> anyhow::Result<Result<ArgMatches, clap::Error>> {
    let words: Vec<OsString> = words.into_iter().collect();
    let command = with_environment(command);
    check_environment(&command, |name| std::env::var(name).ok())?;
    // Once to learn where the file is and what was given without it. What is wrong is said the second time, because
    // the file may be what was missing.
    let first = match command.clone().ignore_errors(true).try_get_matches_from(&words) {
        Ok(first) => first,
        Err(help) => return Ok(Err(help)),
    };
    let given = first.subcommand().map_or(&first, |(_, below)| below);
    let path = |key: &str| given.try_get_one::<PathBuf>(key).ok().flatten().cloned();
    let own = || path("state_dir").map(|state| state.join(OWN_FILE)).filter(|file| file.is_file());
    let (path, is_own) = match path("config") {
        Some(named) => (named, false),
        None => match own() {
            Some(own) => (own, true),
            None => return Ok(command.try_get_matches_from(&words)),
        },
    };
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("reading the config file {}; name another with --config", path.display()))?;
    let mut values = read(&text, &path, &command)?;
    if is_own {
        if values.contains_key("state-dir") {
            bail!(
                "the config file {} lies in the state folder that it is for, so `state-dir` has no place in it",
                path.display()
            );
        }
        // As if it had been named, so that whoever starts says which one was read.
        values.insert("config".to_owned(), path.to_str().context("a path that is no text")?.to_owned());
    }
    let words = with_file(words, &first, &command, &values);
    Ok(command.try_get_matches_from(words))
}

/// What each key of the server is set to, by name; those that are neither given nor have a default are not in it.
pub fn values(command: &Command, matches: &ArgMatches) -> BTreeMap<String, String> {
    let given = matches.subcommand().map_or(matches, |(_, below)| below);
    let value = |id: &str| -> Option<String> {
        let raw = given.try_get_raw(id).ok().flatten()?;
        Some(raw.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(","))
    };
    let keys = keys(command).into_iter();
    keys.filter_map(|(long, arg)| Some((long.to_owned(), value(arg.get_id().as_str())?))).collect()
}

/// Puts values of the file among the words, as if they had been typed, where neither the command line nor the
/// environment has given them. As defaults they would not count where one argument requires another.
fn with_file(
    mut words: Vec<OsString>,
    first: &ArgMatches,
    command: &Command,
    values: &BTreeMap<String, String>,
) -> Vec<OsString> {
    // A subcommand is the first word, because no argument may stand before it.
    let (name, given, command, at) = match first.subcommand() {
        None => (None, first, command, 1),
        Some((name, given)) => (Some(name), given, command.find_subcommand(name).unwrap_or(command), 2),
    };
    let mut typed = Vec::new();
    for arg in command.get_arguments() {
        let Some(long) = arg.get_long().filter(|long| takes(arg, name, long)) else { continue };
        let Some(value) = values.get(long) else { continue };
        match given.value_source(arg.get_id().as_str()) {
            Some(ValueSource::CommandLine | ValueSource::EnvVariable) => {}
            _ if is_flag(arg) && value == "false" => {}
            _ if is_flag(arg) => typed.push(OsString::from(format!("--{long}"))),
            _ => typed.push(OsString::from(format!("--{long}={value}"))),
        }
    }
    let at = at.min(words.len());
    words.splice(at..at, typed);
    words
}

/// Variables of our name that no argument has, sorted: somebody may have misspelt them.
pub fn unknown_variables(command: &Command, environment: impl Iterator<Item = OsString>) -> Vec<String> {
    let known: Vec<String> = command.get_arguments().filter_map(Arg::get_long).map(variable).collect();
    let ours = environment.filter_map(|name| name.into_string().ok()).filter(|name| name.starts_with(PREFIX));
    let mut unknown: Vec<String> = ours.filter(|name| !known.contains(name)).collect();
    unknown.sort();
    unknown
}

/// Names the variable where clap would name the flag, which nobody may have written.
fn check_environment(command: &Command, value: impl Fn(&str) -> Option<String>) -> anyhow::Result<()> {
    for (long, arg) in keys(command) {
        let name = variable(long);
        if let Some(value) = value(&name) {
            fits(arg, &value).map_err(|why| anyhow::anyhow!("the variable {name} {why}"))?;
        }
    }
    Ok(())
}

/// What the config file of a state folder says, but for where that server has its places; by key, nothing where there
/// is none. Errors where the file cannot be read.
pub fn own_settings(state_dir: &Path) -> anyhow::Result<BTreeMap<String, toml::Value>> {
    let path = state_dir.join(OWN_FILE);
    if !path.is_file() {
        return Ok(BTreeMap::new());
    }
    let text = std::fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    // Without the line that is wrong: it may be the one with the password.
    let table =
        text.parse::<toml::Table>().map_err(|error| anyhow::anyhow!("{}: {}", path.display(), error.message()))?;
    let mut tables = vec![table];
    let mut settings = BTreeMap::new();
    while let Some(table) = tables.pop() {
        for (key, value) in table {
            match value {
                toml::Value::Table(below) => tables.push(below),
                value => drop(settings.insert(key.replace('_', "-"), value)),
            }
        }
    }
    settings.retain(|key, _| !PLACES.contains(&key.as_str()));
    Ok(settings)
}

fn variable(long: &str) -> String {
    format!("{PREFIX}{}", long.to_uppercase().replace('-', "_"))
}

/// Whether an argument takes its value from the environment and the file too.
fn takes(arg: &Arg, subcommand: Option<&str>, long: &str) -> bool {
    // What is hidden is for programs of ours to say to one another.
    !arg.is_hide_set()
        && match subcommand {
            None | Some("run") => long == "config" || !NO_KEYS.contains(&long),
            Some("check") => PLACE.contains(&long) || CHECKED.contains(&long),
            Some("dream") => PLACE.contains(&long) || DREAMT.contains(&long),
            Some("compare" | "diffusion" | "fork" | "odds" | "plot" | "replay") => {
                PLACE.contains(&long) || REPLAYED.contains(&long)
            }
            Some(_) => PLACE.contains(&long),
        }
}

fn with_environment(command: Command) -> Command {
    let change = |subcommand: Option<&str>, arg: Arg| {
        let Some(long) = arg.get_long().filter(|long| takes(&arg, subcommand, long)).map(str::to_owned) else {
            return arg;
        };
        // The value is hidden: that of `--db` may hold a password.
        let arg = arg.env(variable(&long)).hide_env_values(true);
        // In the environment people write 1 and yes too.
        if is_flag(&arg) { arg.value_parser(BoolishValueParser::new()) } else { arg }
    };
    command.mut_args(|arg| change(None, arg)).mut_subcommands(|below| {
        let name = below.get_name().to_owned();
        below.mut_args(|arg| change(Some(&name), arg))
    })
}

fn is_flag(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::SetTrue | ArgAction::SetFalse)
}

/// The arguments that are keys, in the order of `--help`.
fn keys(command: &Command) -> Vec<(&str, &Arg)> {
    let longs = command.get_arguments().filter_map(|arg| Some((arg.get_long()?, arg)));
    longs.filter(|(long, arg)| !NO_KEYS.contains(long) && !arg.is_hide_set()).collect()
}

/// The values of a config file by the name of their argument, as they would stand on the command line. Tables are only
/// for order: the keys in them are the same as outside.
fn read(text: &str, path: &Path, command: &Command) -> anyhow::Result<BTreeMap<String, String>> {
    let at = |offset: usize| {
        let before = &text.as_bytes()[..offset.min(text.len())];
        format!("{}:{}", path.display(), before.iter().filter(|&&byte| byte == b'\n').count() + 1)
    };
    let table = DeTable::parse(text).map_err(|error| {
        // Not as the library shows it, with the line itself: that may be the one with the password.
        anyhow::anyhow!("{}: {}", at(error.span().map_or(0, |span| span.start)), error.message())
    })?;
    let known: BTreeMap<&str, &Arg> = keys(command).into_iter().collect();
    let mut values: BTreeMap<String, (String, usize)> = BTreeMap::new();
    for (key, value) in flat(table.get_ref()) {
        let place = at(key.span().start);
        let name = key.get_ref().replace('_', "-");
        let Some(arg) = known.get(name.as_str()) else {
            bail!("{place}: there is no key `{}`{}", key.get_ref(), meant(&name, &known));
        };
        let value = take(arg, value.get_ref()).map_err(|why| anyhow::anyhow!("{place}: `{name}` {why}"))?;
        if let Some((_, first)) = values.insert(name.clone(), (value, key.span().start)) {
            bail!("{place}: `{name}` is here again; it was given in {} already, so take one of them out", at(first));
        }
    }
    Ok(values.into_iter().map(|(name, (value, _))| (name, value)).collect())
}

/// All keys with their values, those in tables too, in the order of the file.
fn flat<'a>(table: &'a DeTable<'a>) -> Vec<(&'a Spanned<toml::de::DeString<'a>>, &'a Spanned<DeValue<'a>>)> {
    let mut found = Vec::new();
    let mut tables = vec![table];
    while let Some(table) = tables.pop() {
        for (key, value) in table.iter() {
            match value.get_ref() {
                DeValue::Table(below) => tables.push(below),
                _ => found.push((key, value)),
            }
        }
    }
    found.sort_by_key(|(key, _)| key.span().start);
    found
}

/// What else a key may have been meant to be.
fn meant(name: &str, known: &BTreeMap<&str, &Arg>) -> String {
    const ALIKE: f64 = 0.8;
    let scored = known.keys().map(|key| (strsim::jaro_winkler(name, key), key));
    match scored.filter(|(score, _)| *score >= ALIKE).max_by(|(a, _), (b, _)| a.total_cmp(b)) {
        Some((_, key)) => format!("; did you mean `{key}`?"),
        None => "; `dp-server --help` lists the flags, and each is a key without its hyphens".to_owned(),
    }
}

/// A value of the file as it would stand on the command line, or why it cannot.
fn take(arg: &Arg, value: &DeValue<'_>) -> Result<String, String> {
    let text = match value {
        DeValue::Boolean(yes) if is_flag(arg) => return Ok(yes.to_string()),
        _ if is_flag(arg) => return Err("must be true or false".to_owned()),
        DeValue::Integer(digits) if is_number(arg) => i128::from_str_radix(digits.as_str(), digits.radix())
            .map_err(|_| "is too large a number".to_owned())?
            .to_string(),
        _ if is_number(arg) => return Err("must be a whole number, without quotes".to_owned()),
        DeValue::String(text) => text.to_string(),
        _ => return Err("must be a text in quotes".to_owned()),
    };
    fits(arg, &text).map(|()| text)
}

/// Whether the argument takes this, or why not. Asked of its parser alone: a default that it does not take would be a
/// mistake of ours to clap.
fn fits(arg: &Arg, text: &str) -> Result<(), String> {
    let alone = Arg::new("value").long("value").value_parser(arg.get_value_parser().clone()).action(ArgAction::Set);
    let alone = Command::new("value").no_binary_name(true).arg(alone);
    let Err(error) = alone.try_get_matches_from([format!("--value={text}")]) else { return Ok(()) };
    if is_flag(arg) {
        return Err("must be true or false".to_owned());
    }
    let choices: Vec<String> = arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
    let why = std::error::Error::source(&error).map(ToString::to_string).filter(|_| choices.is_empty());
    Err(format!("cannot be {text:?}: {}", why.unwrap_or_else(|| format!("it is one of {}", choices.join(", ")))))
}

fn is_number(arg: &Arg) -> bool {
    let id = arg.get_value_parser().type_id();
    [
        TypeId::of::<u8>(),
        TypeId::of::<u16>(),
        TypeId::of::<u32>(),
        TypeId::of::<u64>(),
        TypeId::of::<usize>(),
        TypeId::of::<i32>(),
        TypeId::of::<i64>(),
    ]
    .iter()
    .any(|number| id == *number)
}

/// `docs/dp.example.toml`: every key with what it does and its default, all commented out.
pub fn example(command: &Command) -> String {
    let mut text = String::from(
        "# Every key of dp-server's config file, with its default: `dp-server --config dp.toml`.\n\
         # Made from the flags by `UPDATE=1 cargo test -p server`; do not edit. Copy it and take the # from what you \
         change.\n\
         #\n\
         # A key is a flag without its hyphens in front. Each is also a variable of the environment: tick-ms is\n\
         # DP_SERVER_TICK_MS. A flag wins over the environment, that over this file. Tables such as [limits] are only\n\
         # for order. Relative paths are below the folder that the server is started in.\n",
    );
    let mut heading = None;
    for (long, arg) in keys(command) {
        let here = arg.get_help_heading().map(str::to_owned);
        if here.is_some() && here != heading {
            let whole = here.as_deref().unwrap_or_default();
            let word = whole.split_whitespace().next().unwrap_or_default().to_lowercase();
            // A blank line apart, so that nobody takes it for the last key's.
            write!(text, "\n# {whole}.\n[{word}]\n").expect("a String takes it");
            heading = here;
        }
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        write!(text, "\n# {}.\n", help.trim_end_matches('.')).expect("a String takes it");
        let default = arg.get_default_values().first().map(|value| value.to_string_lossy().into_owned());
        let line = match default {
            Some(value) if is_number(arg) || is_flag(arg) => format!("#{long} = {value}"),
            Some(value) => format!("#{long} = {value:?}"),
            None if is_flag(arg) => format!("#{long} = false"),
            None => {
                let form = arg.get_value_names().and_then(|names| names.first()).map_or("VALUE", |name| name.as_str());
                if is_number(arg) { format!("#{long} = <{form}>") } else { format!("#{long} = \"<{form}>\"") }
            }
        };
        writeln!(text, "{line}").expect("a String takes it");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::CommandFactory;

    fn command() -> Command {
        with_environment(Cli::command())
    }

    fn read_text(text: &str) -> Result<BTreeMap<String, String>, String> {
        read(text, Path::new("dp.toml"), &command()).map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn tables_are_only_for_order() {
        let flat = read_text("tick-ms = 500\nlenient = true\nframe_bytes = 0x1_000\nlog = 'warn'").expect("good");
        let tables = read_text("[a]\ntick_ms = 500\n[a.b]\nframe-bytes = 4096\n[c]\nlog = 'warn'\nlenient = true");
        assert_eq!(flat, tables.expect("good"));
        let pairs: Vec<(&str, &str)> = flat.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        assert_eq!(pairs, [("frame-bytes", "4096"), ("lenient", "true"), ("log", "warn"), ("tick-ms", "500")]);
    }

    #[test]
    fn what_is_wrong_is_named_with_key_and_line() {
        for (text, wanted, why) in [
            ("\ntick-msec = 5", "dp.toml:2: there is no key `tick-msec`; did you mean `tick-ms`?", "a near miss"),
            ("zzz = 5", "dp.toml:1: there is no key `zzz`; `dp-server --help`", "nothing like it"),
            ("config = 'x'", "there is no key `config`", "a file cannot name another"),
            ("[http]\nx = 1", "dp.toml:2: there is no key `x`", "a table may have any name, its keys not"),
            ("tick-ms = 'fast'", "dp.toml:1: `tick-ms` must be a whole number", "a text for a number"),
            ("tick-ms = 1.5", "`tick-ms` must be a whole number", "half of one"),
            ("tick-ms = -1", "`tick-ms` cannot be \"-1\"", "below the least"),
            ("lenient = 'yes'", "`lenient` must be true or false", "a text for a switch"),
            ("log = true", "`log` must be a text in quotes", "a switch for a text"),
            ("http = 'nowhere'", "`http` cannot be \"nowhere\": it is no IP address", "no address"),
            ("log-format = 'xml'", "`log-format` cannot be \"xml\": it is one of text, json", "no choice"),
            ("a = 1\na = 2", "dp.toml:2", "a key twice, as TOML itself forbids"),
            ("tick-ms = 1\n[x]\ntick_ms = 2", "dp.toml:3: `tick-ms` is here again; it was given in dp.toml:1", "twice"),
            ("tick-ms = ", "dp.toml:1", "not TOML"),
        ] {
            let error = read_text(text).expect_err(why);
            assert!(error.contains(wanted), "{why}: {error}");
        }
    }

    #[test]
    fn no_message_shows_a_password() {
        for text in ["db = 'postgres://a:hush@b/c", "db = ['postgres://a:hush@b/c']", "dbs = 'postgres://a:hush@b/c'"] {
            let error = read_text(text).expect_err("it is wrong");
            assert!(!error.contains("hush"), "{error}");
        }
    }

    #[test]
    fn the_file_stands_behind_flags_of_every_subcommand_that_shares_a_key() {
        let values = read_text("state-dir = '/s'\ndb = 'sqlite:/x'\nseed = 9\nworld = '/w'").expect("good");
        let get = |words: &[&str], id: &str| -> Option<String> {
            let matches = parse(words, &values);
            let below = matches.subcommand().map_or(&matches, |(_, below)| below);
            Some(below.get_raw(id)?.next()?.to_string_lossy().into_owned())
        };
        assert_eq!(get(&["dp-server"], "state_dir").as_deref(), Some("/s"));
        assert_eq!(get(&["dp-server", "run", "--state-dir", "/t"], "state_dir").as_deref(), Some("/t"));
        assert_eq!(get(&["dp-server", "run"], "seed").as_deref(), Some("9"));
        assert_eq!(get(&["dp-server", "keys"], "db").as_deref(), Some("sqlite:/x"));
        assert_eq!(get(&["dp-server", "check"], "world").as_deref(), Some("/w"));
    }

    /// As `matches` does, without an environment and without ending the program.
    fn parse(words: &[&str], values: &BTreeMap<String, String>) -> ArgMatches {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        let first = command().ignore_errors(true).try_get_matches_from(&words).expect("nobody asks for help");
        let words = with_file(words, &first, &command(), values);
        command().try_get_matches_from(words).expect("a good line")
    }

    #[test]
    fn a_switch_of_the_file_is_switched_on_once() {
        let values = read_text("lenient = true\ntick-ms = 5").expect("good");
        for words in [&["dp-server"][..], &["dp-server", "--lenient", "--tick-ms", "7"]] {
            assert!(parse(words, &values).get_flag("lenient"), "{words:?}");
        }
        let off = read_text("lenient = false").expect("good");
        assert!(!parse(&["dp-server", "run"], &off).subcommand().expect("run").1.get_flag("lenient"));
    }

    #[test]
    fn a_state_folder_may_have_a_file_of_its_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let state = folder.path().to_str().expect("plain").to_owned();
        let file = folder.path().join(OWN_FILE);
        let room = |more: &[&str]| {
            let words: Vec<OsString> =
                ["dp-server", "run", "--state-dir", &state].iter().chain(more).map(OsString::from).collect();
            let matches = matches(Cli::command(), words).map_err(|error| error.to_string())?;
            let below = matches.subcommand().expect("run").1;
            let config = below.get_one::<PathBuf>("config").cloned();
            Ok::<_, String>((below.get_one::<i32>("start_room").copied(), config))
        };
        assert_eq!(room(&[]), Ok((None, None)));
        std::fs::write(&file, "db = \"sqlite:x\"\n[play]\nstart_room = 7\nseed = 3\n").expect("written");
        assert_eq!(room(&[]), Ok((Some(7), Some(file.clone()))));
        assert_eq!(room(&["--start-room", "8"]), Ok((Some(8), Some(file.clone()))), "a flag wins");
        let other = folder.path().join("other.toml");
        std::fs::write(&other, "").expect("written");
        let named = other.to_str().expect("plain");
        assert_eq!(room(&["--config", named]), Ok((None, Some(other.clone()))), "it is read in its place");
        let settings = own_settings(folder.path()).expect("good");
        let keys: Vec<&str> = settings.keys().map(String::as_str).collect();
        assert_eq!(keys, ["seed", "start-room"], "what a fork of it takes over");
        std::fs::write(&file, "state-dir = \"elsewhere\"").expect("written");
        assert!(room(&[]).expect_err("it names another").contains("has no place in it"));
    }

    #[test]
    fn what_the_file_says_counts_where_one_flag_needs_another() {
        let arg = |name: &'static str| Arg::new(name).long(name);
        let command = Command::new("x").arg(arg("cert").requires("key")).arg(arg("key").requires("cert"));
        let values = BTreeMap::from([("cert".to_owned(), "c".to_owned()), ("key".to_owned(), "k".to_owned())]);
        for typed in [&["x"][..], &["x", "--cert", "other"]] {
            let words: Vec<OsString> = typed.iter().map(OsString::from).collect();
            let first = command.clone().ignore_errors(true).try_get_matches_from(&words).expect("it is read");
            let matches = command.clone().try_get_matches_from(with_file(words, &first, &command, &values));
            let matches = matches.expect("both are there");
            assert_eq!(matches.get_one::<String>("key").map(String::as_str), Some("k"), "{typed:?}");
            let cert = if typed.len() > 1 { "other" } else { "c" };
            assert_eq!(matches.get_one::<String>("cert").map(String::as_str), Some(cert), "{typed:?}");
        }
    }

    #[test]
    fn a_bad_value_in_the_environment_is_named_by_its_variable() {
        for (name, value, wanted) in [
            ("DP_SERVER_HTTP", "nowhere", "the variable DP_SERVER_HTTP cannot be \"nowhere\": it is no IP"),
            ("DP_SERVER_LENIENT", "perhaps", "the variable DP_SERVER_LENIENT must be true or false"),
            ("DP_SERVER_LENIENT", "yes", ""),
            ("DP_SERVER_LENIENT", "false", ""),
        ] {
            let given = |asked: &str| (asked == name).then(|| value.to_owned());
            let said = check_environment(&command(), given).err().map(|error| error.to_string()).unwrap_or_default();
            assert_eq!((said.starts_with(wanted), said.is_empty()), (true, wanted.is_empty()), "{name}: {said}");
        }
    }

    #[test]
    fn a_misspelt_variable_is_found() {
        let environment = ["DP_SERVER_TICKS_MS", "DP_SERVER_TICK_MS", "DP_SERVER_CONFIG", "DP_CONFIG", "PATH"];
        let unknown = unknown_variables(&command(), environment.iter().map(|name| OsString::from(*name)));
        assert_eq!(unknown, ["DP_SERVER_TICKS_MS"]);
    }

    #[test]
    fn the_example_lists_every_key_with_its_default() {
        let text = example(&command());
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/dp.example.toml");
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, &text).expect("a writable document");
        }
        let written = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(written == text, "docs/dp.example.toml is out of date: UPDATE=1 cargo test -p server");
        // What it says is true: with every # taken away, what has a default reads as that.
        let lines = text.lines().filter_map(|line| line.strip_prefix('#'));
        let lines: Vec<&str> = lines.filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase())).collect();
        assert_eq!(lines.len(), keys(&command()).len());
        let filled: Vec<&str> = lines.into_iter().filter(|line| !line.contains('<')).collect();
        for (key, value) in read_text(&filled.join("\n")).expect("good") {
            let command = command();
            let arg = command.get_arguments().find(|arg| arg.get_long() == Some(&key)).expect("it is a key");
            let default = arg.get_default_values().first().map_or("false".into(), |value| value.to_string_lossy());
            assert_eq!(value, default, "{key}");
        }
    }
}
