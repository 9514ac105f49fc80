//! Reading a world folder and a rule book from disk for their pure readers, `content` and `world::rules::book`.

use anyhow::{Context, bail};
use content::{Content, ObjectKind, Problem, Problems, ReadOptions, Source, Vnum};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use world::rules::Rules;
use world::rules::book::{self, Book};

/// Reads every file of the folder that the readers want, and names the others.
pub fn read_source(folder: &Path) -> anyhow::Result<Source> {
    if !folder.is_dir() {
        bail!(
            "there is no world folder {}; name one with --world (the one that ships is data/world in the repository)",
            folder.display()
        );
    }
    let mut source = Source::default();
    collect(folder, folder, &mut source)?;
    Ok(source)
}

fn collect(root: &Path, folder: &Path, source: &mut Source) -> anyhow::Result<()> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("reading the folder {}", folder.display()))?;
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in entries {
        paths.push(entry.with_context(|| format!("reading the folder {}", folder.display()))?.path());
    }
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(root, &path, source)?;
            continue;
        }
        let below = path.strip_prefix(root).unwrap_or(&path);
        let name = below.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/");
        if Source::wants(&name) {
            let bytes = std::fs::read(&path).with_context(|| format!("reading {}", path.display()))?;
            source.files.insert(name, Source::latin1_or_utf8(&bytes));
        } else {
            source.others.insert(name);
        }
    }
    Ok(())
}

/// A world, and the rules that it is played by.
pub struct Game {
    pub content: Content,
    /// Nothing where the rule book that was named has errors.
    pub rules: Option<Rules>,
    pub problems: Problems,
}

/// Reads and checks a world by the rules that ship.
pub fn read_world(folder: &Path, start_room: Option<Vnum>) -> anyhow::Result<(Content, Problems)> {
    read_with(folder, &ReadOptions { start_room, ..ReadOptions::default() })
}

/// The same for whoever wants to be told more.
pub fn read_with(folder: &Path, options: &ReadOptions) -> anyhow::Result<(Content, Problems)> {
    let Game { content, problems, .. } = read_game(folder, None, options)?;
    Ok((content, problems))
}

/// A rule book as it was read.
pub struct ReadBook {
    pub rules: Result<Rules, Problems>,
    /// The texts that are read with a world (`content::BOOK_FILES`).
    pub with_world: BTreeMap<String, String>,
    /// Files that are no part of one, or not read from a folder.
    pub unread: Vec<String>,
}

impl ReadBook {
    /// The one that ships.
    fn built_in() -> ReadBook {
        ReadBook { rules: Ok(Rules::built_in()), with_world: BTreeMap::new(), unread: Vec::new() }
    }
}

/// Reads a rule book. The files that the folder does not have are those that ship.
pub fn read_rules(folder: &Path) -> anyhow::Result<ReadBook> {
    let mut book = Book::built_in();
    let (mut with_world, mut unread, mut found) = (BTreeMap::new(), Vec::new(), false);
    for (name, text) in read_source(folder)?.files {
        if content::BOOK_FILES.contains(&&*name) {
            with_world.insert(name, text);
        } else if let Some(own) = book.text_mut(&name) {
            *own = text;
        } else {
            unread.push(name);
            continue;
        }
        found = true;
    }
    if !found {
        let files: Vec<&str> = book::FILES.into_iter().chain(content::BOOK_FILES).collect();
        bail!("{} holds no rule book: it needs one of {}", folder.display(), files.join(", "));
    }
    Ok(ReadBook { rules: book.read(), with_world, unread })
}

/// Reads and checks a world with a rule book (`None`: the one that ships), also for what only the rules know: a channel
/// whose name is a verb's could not be used.
pub fn read_game(folder: &Path, rules: Option<&Path>, options: &ReadOptions) -> anyhow::Result<Game> {
    let mut source = read_source(folder)?;
    let read = match rules {
        Some(rules) => read_rules(rules).with_context(|| format!("reading the rule book in {}", rules.display()))?,
        None => ReadBook::built_in(),
    };
    source.book = read.with_world;
    let (mut content, mut problems) = content::read(&source, options);
    for name in read.unread {
        problems.warning(&format!("rules/{name}"), 0, "this is no part of a rule book that is read from a folder");
    }
    let (own, rules) = match read.rules {
        Ok(rules) => (Some(rules.clone()), rules),
        Err(wrong) => {
            problems.0.extend(wrong.0.into_iter().map(|problem| {
                let file = format!("rules/{}", problem.file);
                Problem { file, ..problem }
            }));
            (None, Rules::built_in())
        }
    };
    for channel in content.channels.iter().filter(|channel| world::commands::channels::is_shadowed(channel)) {
        problems.error(
            "channels.toml",
            0,
            format!("the channel {:?} is called as a verb is, or begins one", channel.name),
        );
    }
    for (mob, what) in world::behaviours::problems(&content, &rules) {
        let (path, line) = place_of(&source, "mobs.toml", mob);
        problems.error(&path, line, format!("mob #{mob}: {what}"));
    }
    for script in content.scripts.clone() {
        if let Some((line, what)) = world::scripts::compile_fault(&script) {
            problems.error(&script_path(&source, &script.name), line, what);
            content.leave_out_script(&script.name);
        }
    }
    if !content.scripts.is_empty() && !world::scripts::are_built_in() {
        problems.warning("world.toml", 0, "this program was built without scripts: those of this world do not run");
    }
    for (object, what) in unknown_spells(&content, &rules) {
        let (path, line) = place_of(&source, "objects.toml", object);
        problems.warning(&path, line, format!("object #{object}: {what}"));
    }
    problems.sort();
    Ok(Game { content, rules: own, problems })
}

/// Things that work a spell which the rule book does not have.
fn unknown_spells(content: &Content, rules: &Rules) -> Vec<(Vnum, String)> {
    let mut wrong = Vec::new();
    for object in &content.objects {
        let spells = match object.kind {
            ObjectKind::Scroll { spells, .. } | ObjectKind::Potion { spells, .. } => spells,
            ObjectKind::Wand { spell, .. } | ObjectKind::Staff { spell, .. } => [spell, 0, 0],
            _ => continue,
        };
        for number in spells.into_iter().filter(|number| *number != 0 && rules.spell_numbered(*number).is_none()) {
            wrong.push((object.vnum, format!("no spell has the number {number}; docs/SPELLS.md lists them")));
        }
    }
    wrong
}

/// The file of a script that is called `80/ferry`.
fn script_path(source: &Source, name: &str) -> String {
    let (zone, name) = name.split_once('/').unwrap_or_default();
    let end = format!("/scripts/{name}.luau");
    let own = |path: &&String| {
        let folder = path.strip_prefix("zones/").and_then(|rest| rest.strip_suffix(&end));
        folder.is_some_and(|folder| folder.split('_').next() == Some(zone))
    };
    source.files.keys().find(own).cloned().unwrap_or_else(|| name.to_string())
}

/// Where a row of a native world stands: the line of its number in a file of that name.
fn place_of(source: &Source, name: &str, vnum: Vnum) -> (String, u32) {
    let is_row = |line: &str| {
        let value = line.trim().strip_prefix("vnum").and_then(|rest| rest.trim_start().strip_prefix('='));
        let number = value.and_then(|value| value.split('#').next()).map(str::trim);
        number.and_then(|number| number.parse::<Vnum>().ok()) == Some(vnum)
    };
    let files = source.files.iter().filter(|(path, _)| path.rsplit('/').next() == Some(name));
    let mut places = files.filter_map(|(path, text)| Some((path.clone(), text.lines().position(is_row)? as u32 + 1)));
    places.next().unwrap_or_else(|| (name.to_string(), 0))
}
