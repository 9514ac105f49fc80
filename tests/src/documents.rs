//! The documents that are made from tables of the code, so that they cannot disagree with it.

use content::{ReadOptions, Source};
use mind::hud::index::INDEX;
use mind::prompt::room::{Room, rooms, tokens_by_file};
use mind::texts::{FILES, Texts};
use protocol::variables::VARIABLES;
use std::fmt::Write;
use std::path::PathBuf;
use world::commands::help::when;
use world::commands::settings::{PROMPT_MARKS, SETTINGS};
use world::commands::{VERBS, Verb};

/// Path in the repository, and the text that belongs there.
pub fn all() -> [(&'static str, String); 4] {
    [
        ("docs/COMMANDS.md", commands()),
        ("docs/HUD.md", hud()),
        ("docs/VARIABLES.md", variables()),
        ("protocol/verbs.json", verbs()),
    ]
}

pub fn path(name: &str) -> PathBuf {
    crate::scene::tests_folder().join("..").join(name)
}

const MADE: &str = "<!-- Made from the code by `UPDATE=1 cargo test -p tests`; do not edit. -->";

fn commands() -> String {
    let mut text = format!(
        "# Verbs\n\n{MADE}\n\n\
        The beginning of a verb is enough: of all names that begin with what was typed, and whose level suffices, the \
        first by the alphabet is meant, mortals' verbs before those of immortals and of the mind. In the second column \
        are other names of a verb, and in brackets the beginnings that are its own before the alphabet. A word that is \
        no verb may be a social (`socials` lists them). `<x>` stands for a word, `[x]` may be left out, `|` \
        parts alternatives. Without a level, everybody has it.\n\n\
        | verb | also | level | what it does | when |\n|---|---|---|---|---|\n"
    );
    for verb in VERBS {
        let level = if verb.level > 1 { verb.level.to_string() } else { String::new() };
        let usage = format!("{} {}", verb.name, verb.usage);
        let (usage, help) = (cell(usage.trim_end()), cell(verb.help));
        let when = when(verb.position).trim_start_matches("It works ").trim_end_matches('.');
        let also = verb.aliases.iter().map(|name| format!("`{name}`"));
        let also: Vec<String> = also.chain(verb.shorts.iter().map(|short| format!("(`{short}`)"))).collect();
        let also = also.join(" ");
        writeln!(text, "| `{usage}` | {also} | {level} | {help}{} | {when} |", traits(verb)).expect("a String");
    }
    let folder = path("data/world");
    let channels = std::fs::read_to_string(folder.join("channels.toml")).expect("the world's channels");
    let (content, _) = content::read(&Source::of([("channels.toml", channels)]), &ReadOptions::default());
    text.push_str(
        "\n## Channels\n\nVerbs of the world at hand that carry beyond the room; these are the shipped one's. In the \
        order of meanings they stand behind the verbs of mortals.\n\n\
        | verb | what it does | when | setting |\n|---|---|---|---|\n",
    );
    for channel in &content.channels {
        let when = when(channel.position).trim_start_matches("It works ").trim_end_matches('.');
        let (name, help, setting) = (&channel.name, cell(&channel.help), &channel.setting);
        writeln!(text, "| `{name} <words>` | {help} | {when} | `{setting}` |").expect("a String");
    }
    text.push_str("\n## Settings\n\n`toggle` switches them, and those of the channels.\n\n");
    let names: Vec<String> = SETTINGS.iter().map(|setting| format!("`{}`", setting.name)).collect();
    writeln!(text, "{}.", names.join(", ")).expect("a String");
    text.push_str("\n## Prompt\n\nWhat a pattern may hold.\n\n| mark | value |\n|---|---|\n");
    for (mark, value) in PROMPT_MARKS {
        writeln!(text, "| `{mark}` | {value} |").expect("a String");
    }
    text
}

/// What programs are told of the verbs: one line each, in the order of the table.
fn verbs() -> String {
    let rows: Vec<String> = VERBS
        .iter()
        .map(|verb| {
            let row = protocol::verbs::Verb {
                name: verb.name.into(),
                aliases: verb.aliases.iter().map(|name| (*name).into()).collect(),
                shorts: verb.shorts.iter().map(|short| (*short).into()).collect(),
                group: verb.group.label().into(),
                usage: verb.usage.into(),
                help: verb.help.into(),
                position: verb.position.name().into(),
                level: verb.level,
                rank: verb.rank(),
                full_word: verb.traits.full_word,
                free: verb.is_free(),
                speech: verb.traits.speech,
                models: verb.models,
            };
            serde_json::to_string(&row).expect("a row is plain")
        })
        .collect();
    format!("[\n{}\n]\n", rows.join(",\n"))
}

fn traits(verb: &Verb) -> String {
    let mut text = String::new();
    for (has, what) in
        [(verb.traits.full_word, " Must be typed in full."), (verb.traits.secret, " Its arguments are kept nowhere.")]
    {
        if has {
            text.push_str(what);
        }
    }
    text
}

fn variables() -> String {
    let mut text = format!(
        "# Variables\n\n{MADE}\n\n\
        What an agent may subscribe to. How values are sent is in [PROTOCOL.md](PROTOCOL.md), with the compound shapes.\
        \n\n| name | type | value |\n|---|---|---|\n"
    );
    for row in VARIABLES {
        writeln!(text, "| `{}` | `{}` | {} |", row.name, cell(row.kind), cell(row.doc)).expect("a String");
    }
    text
}

/// What a prompt holds: its fields, and the texts that are ours.
fn hud() -> String {
    let mut text = format!(
        "# What a prompt holds\n\n{MADE}\n\n\
        A prompt has five parts, in the order in which they change ([AGENTS.md](AGENTS.md)): P0 the rules, P1 who \
        the agent is, P2 its workspace and core memory as they were when the transcript was folded last, P3 the \
        transcript since, P4 the present. Fields are named as JSON and TOON have them: `[]` stands for each row of a \
        table. What is unknown, empty or usual is left out; of a table that had to be cut, `NAME_more` counts the rows \
        left out, and one of which a single column is left is a list.\n\n\
        ## Fields\n\n| part | field | type | comes from | who changes it | what it is |\n|---|---|---|---|---|---|\n\
        | P0 |  | prose | texts, tables of actions and verbs | its operator | The same for all agents of one folder of \
        texts, tier, form of answers, autopilot and world |\n"
    );
    for field in INDEX {
        let (source, by, doc) = (field.source.name(), field.by.name(), cell(field.doc));
        let (parts, path, kind) = (field.parts, field.path, cell(field.kind));
        writeln!(text, "| {parts} | `{path}` | {kind} | {source} | {by} | {doc} |").expect("a String");
    }
    text.push_str("| P4 |  | prose | texts | its operator | The question, in the last line |\n");
    text.push_str(
        "\n## Texts\n\n\
        Our own sentences are files: `data/prompts/`, compiled in, or those of `prompts_dir` \
        ([AGENTS.md](AGENTS.md#texts-of-ones-own)). Where one has a place inside of another, a prompt of the tier \
        `small` has its first line. Tokens are those of \
        the shipped files, with the names of placeholders instead of what they stand for.\n\n\
        | file | part | tokens | placeholders | who reads it |\n|---|---|---|---|---|\n",
    );
    for (file, tokens) in FILES.iter().zip(tokens_by_file(&Texts::default())) {
        let (name, part, doc) = (file.file_name(), file.place.name(), file.doc);
        let placeholders: Vec<String> = file.placeholders.iter().map(|name| format!("`{{{name}}}`")).collect();
        writeln!(text, "| `{name}` | {part} | {tokens} | {} | {doc} |", placeholders.join(" ")).expect("a String");
    }
    text.push_str(
        "\n## Room\n\nWhat the shipped texts take, in tokens, with about as many socials and channels as the shipped \
        world has.\n\n| part | tier | answers in | least | most | cap |\n|---|---|---|---|---|---|\n",
    );
    for Room { part, tier, answer, least, most, cap } in rooms(&Texts::default()) {
        let (tier, answer) = (tier.name(), answer.map_or("", |answer| answer.name()));
        writeln!(text, "| {part} | {tier} | {answer} | {least} | {most} | {cap} |").expect("a String");
    }
    text
}

/// A bar would end the cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
