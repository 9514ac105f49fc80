//! The documents that are made from tables of the code, so that they cannot disagree with it.

use content::arts::{EffectRow, SaveRule, Stack};
use content::flags::*;
use content::scripts::{Hook, SCRIPTS_MAX, SOURCE_MAX};
use content::words::*;
use content::{ReadOptions, Source};
use mind::action::guide;
use mind::hud::index::INDEX;
use mind::prompt::room::{Room, rooms, tokens_by_file};
use mind::texts::{FILES, Texts};
use protocol::variables::VARIABLES;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use world::commands::settings::{PROMPT_MARKS, SETTINGS};
use world::commands::verb::when;
use world::commands::{VERBS, Verb};
use world::hooks::DEPTH_MAX;
use world::rules::Rules;
use world::script::{ERRORS_MAX, ERRORS_WITHIN_TICKS, SAVED_MAX, TIMERS_MAX, ZONE_SAVED_MAX};
use world::scripts::api::{self, Group};
use world::scripts::{CALL_SAFEPOINTS, MEMORY_MAX, STACK_MAX, TICK_SAFEPOINTS};

/// Path in the repository, and the text that belongs there.
pub fn all() -> [(&'static str, String); 12] {
    [
        ("data/rules/help_actions.txt", guide::actions_page()),
        ("data/rules/help_mind.txt", guide::help_page()),
        ("docs/ACTIONS.md", actions()),
        ("docs/COMMANDS.md", commands()),
        ("docs/CONTENT.md", content_page()),
        ("docs/HUD.md", hud()),
        ("docs/SCRIPTS.md", scripts()),
        ("docs/SKILLS.md", skills()),
        ("docs/SPELLS.md", spells()),
        ("docs/VARIABLES.md", variables()),
        ("docs/openapi.json", server::api::description().to_string()),
        ("protocol/verbs.json", verbs()),
    ]
}

pub fn path(name: &str) -> PathBuf {
    crate::scene::tests_folder().join("..").join(name)
}

const MADE: &str = "<!-- Made from the code by `UPDATE=1 cargo test -p tests`; do not edit. -->";

/// What stands before the part of CONTENT.md that is made; all before it is written by hand.
const WORDS: &str = "## Words of the files\n";

fn content_page() -> String {
    let page = std::fs::read_to_string(path("docs/CONTENT.md")).expect("the page is there");
    let written = page.split(WORDS).next().unwrap_or_default();
    let mut text = format!(
        "{written}{WORDS}\n{MADE}\n\nEvery word that the files know, by the field in which it stands. What one \
        means is written beside it in `content/src/flags.rs` and `content/src/words.rs`; `help` in the game explains \
        those that players meet.\n\n| field | words |\n|---|---|\n"
    );
    fn flags<T>(names: &[(&'static str, T)]) -> Vec<&'static str> {
        names.iter().map(|(name, _)| *name).collect()
    }
    let rows: [(&str, Vec<&str>); 25] = [
        ("rooms: `flags`", flags(RoomFlags::NAMES)),
        ("rooms: `sector`", Sector::ALL.iter().map(|word| word.name()).collect()),
        ("rooms: `exits`, resets: `direction`, mobs: `way`", Direction::ALL.iter().map(|word| word.name()).collect()),
        ("exits: `door`", vec!["door", "pickproof", "hidden"]),
        ("mobs: `flags`", flags(MobFlags::NAMES)),
        ("mobs, objects: `affects`", flags(AffectFlags::NAMES)),
        ("`position`, `load_position`, `default_position`", Position::ALL.iter().map(|word| word.name()).collect()),
        ("mobs: `sex`", Sex::ALL.iter().map(|word| word.name()).collect()),
        ("mobs: `race`", Race::ALL.iter().map(|word| word.name()).collect()),
        ("`attack`", AttackType::ALL.iter().map(|word| word.name()).collect()),
        ("`classes`, `lets`", Class::ALL.iter().map(|word| word.name()).collect()),
        ("objects: `type`, shops: `item`", ItemType::ALL.iter().map(|word| word.name()).collect()),
        ("objects: `flags`", flags(ObjectFlags::NAMES)),
        ("objects: `wear`", flags(WearFlags::NAMES)),
        ("objects: `to` of `applies`", Apply::ALL.iter().map(|word| word.name()).collect()),
        ("containers: `flags`", flags(ContainerFlags::NAMES)),
        ("drinks: `liquid`", Liquid::ALL.iter().map(|word| word.name()).collect()),
        ("resets: `slot`", WearSlot::ALL.iter().map(|word| word.name()).collect()),
        ("shops: `refuses`", flags(TradeFlags::NAMES)),
        ("zones: `reset`", ResetMode::ALL.iter().map(|word| word.name()).collect()),
        ("tasks: `again`", Recurrence::ALL.iter().map(|word| word.name()).collect()),
        ("tasks: `order`", StepOrder::ALL.iter().map(|word| word.name()).collect()),
        ("channels: `range`", ChannelRange::ALL.iter().map(|word| word.name()).collect()),
        ("channels: `event`", ChannelEvent::ALL.iter().map(|word| word.name()).collect()),
        ("channels: `colour`", Colour::ALL.iter().map(|word| word.name()).collect()),
    ];
    for (field, words) in rows {
        let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
        writeln!(text, "| {field} | {} |", words.join(" ")).expect("a String");
    }
    text
}

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

/// "cleric 1, avatar 1".
fn levels(levels: &BTreeMap<Class, i32>) -> String {
    let levels: Vec<String> = levels.iter().map(|(class, level)| format!("{class} {level}")).collect();
    levels.join(", ")
}

fn spells() -> String {
    let mut text = format!(
        "# Spells\n\n{MADE}\n\n\
        The rows of `data/rules/spells.toml`. Mana falls from the first number by the third with each level above \
        the one at which it is learned, down to the second. Formulas: `L` is the caster's level, `V` the victim's, \
        `R` is 1 with the reagent; `mage`, `psi`, `good` and `devout` (wholly good or evil) are 1 for a caster who is \
        that. Without a level nobody learns it, and only things and mobs have it. Hours are the world's.\n\n\
        | number | spell | learned by | mana | position | aimed at | what it does |\n|---|---|---|---|---|---|---|\n"
    );
    for row in &Rules::built_in().spells {
        let mana = format!("{}, {}, {}", row.mana.max, row.mana.min, row.mana.per_level);
        let targets: Vec<String> = row.targets.iter().map(|target| word_of(serde_json::to_value(target))).collect();
        let effects: Vec<String> = row.effects.iter().map(effect).collect();
        let mut does = effects.join("; ");
        let scope = word_of(serde_json::to_value(row.scope));
        for (has, what) in [
            (row.violent, "violent".to_string()),
            (scope != "target", format!("on: {scope}")),
            (row.save != SaveRule::None, format!("a saving throw {}", word_of(serde_json::to_value(row.save)))),
            (row.stack != Stack::Refresh, format!("again: {}", word_of(serde_json::to_value(row.stack)))),
            (row.outdoors, "outdoors".to_string()),
        ] {
            if has {
                write!(does, "; {what}").expect("a String");
            }
        }
        if let Some(reagent) = &row.reagent {
            write!(does, "; reagent: {reagent}").expect("a String");
        }
        let (number, name, levels, targets) = (row.number, &row.name, levels(&row.levels), targets.join(", "));
        writeln!(
            text,
            "| {number} | `{name}` | {levels} | {mana} | {} | {targets} | {} {} |",
            row.position,
            cell(&row.text.help),
            cell(&format!("({does})"))
        )
        .expect("a String");
    }
    text
}

/// The word by which a row names it.
fn word_of(value: Result<serde_json::Value, serde_json::Error>) -> String {
    value.ok().and_then(|value| value.as_str().map(str::to_string)).unwrap_or_default()
}

/// An effect as its row has it, without what it leaves at its usual value: `damage amount 5d3+L`.
fn effect(row: &EffectRow) -> String {
    let whole = serde_json::to_value(row).expect("a row is plain");
    let mut text = whole["kind"].as_str().unwrap_or_default().replace('_', " ");
    for (key, value) in whole.as_object().into_iter().flatten() {
        let usual = value.is_null() || value == "0" || value == false || value == 0 || value == "none";
        let empty = value.as_array().is_some_and(Vec::is_empty);
        if key == "kind" || usual || empty || (key == "count" && value == "1") {
            continue;
        }
        let value = value.as_str().map_or_else(|| value.to_string().replace('"', ""), str::to_string);
        write!(text, " {} {value}", key.replace('_', " ")).expect("a String");
    }
    text
}

fn skills() -> String {
    let mut text = format!(
        "# Skills\n\n{MADE}\n\n\
        The rows of `data/rules/skills.toml`. One without a verb is in nobody's hands so far, and nobody is taught \
        it, unless it works by itself.\n\n| number | skill | learned by | verb | what it does |\n|---|---|---|---|---|\n"
    );
    for row in &Rules::built_in().skills {
        let by_itself = if row.passive { "by itself" } else { "" };
        let verb = row.verb.as_ref().map_or_else(|| by_itself.to_string(), |verb| format!("`{verb}`"));
        let (number, name, levels) = (row.number, &row.name, levels(&row.levels));
        writeln!(text, "| {number} | `{name}` | {levels} | {verb} | {} |", cell(&row.help)).expect("a String");
    }
    text
}

/// What a script is called for, and all that it can ask and do.
fn scripts() -> String {
    let mut text = format!(
        "# Scripts\n\n{MADE}\n\n\
        What builders write in [Luau](https://luau.org) for rooms, mobs and objects: `scripts/NAME.luau` in a zone's \
        folder, named by `scripts = [\"NAME\"]` (at most {SCRIPTS_MAX}) in rows of that zone. A first script, step by \
        step: [CONTENT.md](CONTENT.md#scripts).\n\n\
        ## Hooks\n\n\
        A script defines global functions of these names, each with one argument `ev`. `ev.self` is whose script it \
        is, `ev.room` where that is, `ev.actor` whose doing it is; each is nil where there is none.\n\n\
        | hook | of a | called when | further |\n|---|---|---|---|\n"
    );
    for hook in Hook::ALL {
        let owners: Vec<&str> = hook.owners().iter().map(|owner| owner.name()).collect();
        let (when, further) = hook_text(*hook);
        writeln!(text, "| `{}` | {} | {when} | {further} |", hook.name(), owners.join(", ")).expect("a String");
    }
    for group in Group::ALL {
        let heading = match group {
            Group::Character => "Characters: players and mobs",
            Group::Object => "Objects",
            Group::Room => "Rooms",
            Group::World => "The library `world`",
        };
        write!(text, "\n## {heading}\n\n| ask or do | what it is | example |\n|---|---|---|\n").expect("a String");
        for row in api::rows().filter(|row| row.group == group) {
            writeln!(text, "| `{}` | {} | `{}` |", row.signature, cell(row.says), cell(row.example)).expect("a String");
        }
    }
    write!(
        text,
        "\nA handle of somebody or something that is gone reads nil, and whatever it is asked to do is not done. What \
        the game does not allow answers `false`. What is wrong in the script itself (a text where a number belongs) \
        ends the call, and is told with its line.\n\n\
        ## What is kept\n\n\
        A script starts anew for each call: neither globals nor locals of the file outlive it. `saved` is the table of \
        the character, object or room at hand (at most {} KB; gone with it), `zone.saved` that of its zone ({} KB; it \
        outlives resets). They hold texts, whole numbers, booleans and tables of these, and are written when the call \
        has ended, but by one that ran out of memory. Both, timers (at most {TIMERS_MAX} an owner) and the sources \
        themselves are state of the world: snapshots have them, and a replay needs no files.\n\n\
        ## What of the language there is\n\n\
        `assert error ipairs next pairs rawequal select tonumber tostring type typeof unpack`, and the libraries \
        `string`, `table`, `math`, `bit32`, `utf8` without what differs between two runs or machines: no files, \
        clocks, coroutines, metatables, `pcall`, `load`, addresses, powers (`^`) or transcendental functions. `pairs` \
        and `next` go through whole numbers, then texts by their bytes, then `false` and `true`. A loop goes over \
        `pairs(…)`, `ipairs(…)` or `string.gmatch(…)` and nothing else. `math.random` and `world.roll` throw the \
        world's own dice, under the name `script`.\n\n\
        ## Bounds\n\n\
        A source has at most {} KB. A call passes {CALL_SAFEPOINTS} safepoints (calls, turns of loops, steps of a \
        pattern), all calls of a tick {TICK_SAFEPOINTS}; functions call one another {STACK_MAX} deep, and scripts call \
        scripts (by what they do) {DEPTH_MAX} deep; all scripts together hold {} MB. A call that passes the bound of a \
        call, of depth or of memory is stopped, and its script is not called again, as is one that makes {ERRORS_MAX} \
        errors within {ERRORS_WITHIN_TICKS} ticks, until the sources are read again: `dp-server scripts reload`, or \
        `reload scripts` in the game, which changes nothing where there is a problem. Once all calls of a tick have \
        used what they may, no further one begins in it, and a timer waits for the next; what would be called any \
        deeper is not. \
        Players read nothing of it; the log, immortals in the world and `/health` do.\n",
        SAVED_MAX >> 10,
        ZONE_SAVED_MAX >> 10,
        SOURCE_MAX >> 10,
        MEMORY_MAX >> 20,
    )
    .expect("a String");
    text
}

/// When a hook is called, and what else `ev` has or an answer of `true` does.
fn hook_text(hook: Hook) -> (&'static str, &'static str) {
    match hook {
        Hook::Greet => ("somebody whom the mob sees walks in, while a player is there", ""),
        Hook::Bribe => ("it was given coins, which it has now", "`ev.amount`"),
        Hook::OnGive => ("it was given a thing, which it holds now", "`ev.object`"),
        Hook::Sound => ("now and then (one round in 16), while a player is there", ""),
        Hook::Death => ("it is about to die by `ev.actor`", "`return true`: it lives, with one hit point at least"),
        Hook::OnPulseAll => (
            "every other tick, awake and out of a fight, while anybody else is there",
            "`return true`: it does nothing else in this round",
        ),
        Hook::OnPulsePc => ("the same, while a player is there", "`return true`: it does nothing else in this round"),
        Hook::Fight => ("after its own blows of a round, against `ev.actor`", ""),
        Hook::OnCmd => (
            "a player there typed something that it could do; of things also those that it carries or wears. Not for \
             what leaves the world, is secret or is an operator's",
            "`ev.text`: the whole line. `return true`: nothing else comes of it",
        ),
        Hook::Enter => ("somebody walked in, while a player is there", ""),
        Hook::OnDrop => ("`ev.actor` is about to drop something", "`ev.object`. `return true`: it does not"),
        Hook::OnGet => ("`ev.actor` is about to take something up", "`ev.object`. `return true`: it does not"),
        Hook::OnPulse => ("every other tick, while a player is there", ""),
        Hook::Timer => ("what `world.after` asked for is due", "`ev.name`, `ev.data`"),
    }
}

/// What a model may write of its workspace, and what a line of the game becomes of it.
fn actions() -> String {
    let mut text = format!(
        "# Actions of the mind\n\n{MADE}\n\n\
        What a model or a program may write of its workspace, by the names of the documents, and the line that it \
        becomes: whatever is done here can be typed. An action is `{{\"type\": NAME, …}}`, with its fields beside the \
        name, or in an envelope: `{{\"tool\": NAME, \"args\": {{…}}}}`. A field with `?` may be null or missing. Models \
        are told in P0 of what has a mark in the last column; all else they may use as well. A name that is none gets \
        an answer with the nearest one. `help actions` in the game shows the same.\n\n\
        | name | also | fields | line | told |\n|---|---|---|---|---|\n"
    );
    let listed = |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" ");
    let write_row = |text: &mut String, row: &mind::action::Row| {
        let names = guide::names(row);
        let field = |field: &mind::action::Field| {
            let also = if field.also.is_empty() { String::new() } else { format!(" ({})", field.also.join(", ")) };
            format!("{}{}{also}", field.name, if field.optional { "?" } else { "" })
        };
        let fields: Vec<String> = row.fields.iter().map(field).collect();
        let line = cell(&guide::typed(row));
        let told = if row.told { "yes" } else { "" };
        let (name, also) = (listed(&names[..1]), listed(&names[1..]));
        writeln!(text, "| {name} | {also} | {} | `{line}` | {told} |", fields.join("; ")).expect("a String");
    };
    guide::rows().for_each(|row| write_row(&mut text, row));
    text.push_str(
        "\n## Arts\n\nModels are told of these in P1, beside the table of what they know, and only those who know some. \
         The art may be written in any case, cut short, in quotes, or with its target behind it; one that is not \
         known is refused with the nearest that is. What a skill does becomes the line of its own verb (`kick rat`), \
         an art of the mind one of `will`, a potion `quaff`, a scroll `recite`.\n\n\
         | name | also | fields | line | told |\n|---|---|---|---|---|\n",
    );
    mind::action::ROWS.iter().filter(|row| row.arts).for_each(|row| write_row(&mut text, row));
    text.push_str("\n## When to use what\n\n| situation | use | because |\n|---|---|---|\n");
    for (situation, what, why, line) in guide::WHEN {
        let what = if line.is_empty() { (*what).to_string() } else { format!("{what} (`{line} …`)") };
        writeln!(text, "| {situation} | {what} | {why} |").expect("a String");
    }
    text.push_str("\n## Which memory is which\n\n| memory | lasts | for |\n|---|---|---|\n");
    for (memory, lasts, purpose) in guide::MEMORIES {
        writeln!(text, "| {memory} | {lasts} | {purpose} |").expect("a String");
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
                category: verb.category(),
                looks: verb.looks(),
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
        let (source, by, doc) = (field.source.told(), field.by.name(), cell(field.doc));
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
