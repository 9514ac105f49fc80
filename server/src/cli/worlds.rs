//! The subcommands that read world folders and rule books, and need neither a server nor its state: `check`, `rules`
//! and `import`.

use super::output::print;
use crate::content_files::{Game, read_game, read_rules, read_source};
use anyhow::{Context, bail};
use content::words::{Class, Position};
use content::{Problems, ReadOptions, Severity};
use protocol::words::counted;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use world::rules::Rules;

/// `check`: what is in a world, and everything that is wrong with it.
pub fn check(folder: &Path, rules: Option<&Path>, options: &ReadOptions, json: bool) -> anyhow::Result<ExitCode> {
    let Game { content, problems, .. } = read_game(folder, rules, options)?;
    let counts = content.counts();
    if json {
        let mut report = serde_json::to_value(counts)?;
        report["start_room"] = content.start_room.into();
        report["problems"] = serde_json::to_value(&problems.0)?;
        print(serde_json::to_string_pretty(&report)?)?;
    } else {
        for problem in &problems.0 {
            print(problem)?;
        }
        if counts.foreign_scripts > 0 {
            print(format_args!(
                "{} scripts and procedures of another server are kept, and do not run; docs/RULES.md says what stands in \
                 their place",
                counts.foreign_scripts
            ))?;
        }
        let count = |number: usize, what: &str| counted(number as u64, what);
        print(format_args!(
            "{}, {}, {}, {}, {}, {}, {}; start room {}; {}",
            count(counts.zones, "zone"),
            count(counts.rooms, "room"),
            count(counts.mobs, "mob"),
            count(counts.objects, "object"),
            count(counts.shops, "shop"),
            count(counts.exits, "exit"),
            count(counts.zone_commands, "zone command"),
            content.start_room,
            counted_problems(&problems)
        ))?;
    }
    Ok(if problems.has_errors() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// `1 error, 3 warnings`.
fn counted_problems(problems: &Problems) -> String {
    let errors = problems.0.iter().filter(|problem| problem.kind == Severity::Error).count();
    let warnings = problems.0.len() - errors;
    let told = |count: usize, what: &str| (count > 0).then(|| counted(count as u64, what));
    let told: Vec<String> = [told(errors, "error"), told(warnings, "warning")].into_iter().flatten().collect();
    if told.is_empty() { "nothing is wrong".to_string() } else { told.join(", ") }
}

/// A spell of `rules --json`.
#[derive(Serialize)]
struct SpellShown<'r> {
    number: i32,
    name: &'r str,
    /// What casting it costs at the level at which one learns it, at the least, and how much less with each level.
    mana: [i32; 3],
    position: Position,
    violent: bool,
    /// The level from which each class learns it, by the class's name.
    levels: &'r BTreeMap<Class, i32>,
}

/// A skill of `rules --json`.
#[derive(Serialize)]
struct SkillShown<'r> {
    number: i32,
    name: &'r str,
    levels: &'r BTreeMap<Class, i32>,
}

#[derive(Serialize)]
struct RulesShown<'r> {
    spells: Vec<SpellShown<'r>>,
    skills: Vec<SkillShown<'r>>,
}

/// `rules`: the arts of a rule book. The status is 1 when it has errors, which are listed.
pub fn rules(folder: Option<&Path>, json: bool) -> anyhow::Result<ExitCode> {
    let read = match folder {
        Some(folder) => read_book(folder)?,
        None => Ok(Rules::built_in()),
    };
    let rules = match read {
        Ok(rules) => rules,
        Err(problems) => {
            for problem in &problems.0 {
                eprintln!("{problem}");
            }
            return Ok(ExitCode::FAILURE);
        }
    };
    let spells = rules.spells.iter().map(|row| SpellShown {
        number: row.number,
        name: &row.name,
        mana: [row.mana.max, row.mana.min, row.mana.per_level],
        position: row.position,
        violent: row.violent,
        levels: &row.levels,
    });
    let skills =
        rules.skills.iter().map(|row| SkillShown { number: row.number, name: row.name.name(), levels: &row.levels });
    let shown = RulesShown { spells: spells.collect(), skills: skills.collect() };
    if json {
        print(serde_json::to_string(&shown)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    for spell in &shown.spells {
        let [max, min, _] = spell.mana;
        let mana = if max == min { max.to_string() } else { format!("{max} to {min}") };
        print(format_args!("{:>3}  {:<22}  {mana:>10} mana  {}", spell.number, spell.name, learned(spell.levels)))?;
    }
    for skill in &shown.skills {
        print(format_args!("{:>3}  {:<22}  {:>15}  {}", skill.number, skill.name, "", learned(skill.levels)))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The rules of a folder; what of it is read with a world, such as kinds of plots, is checked, too.
fn read_book(folder: &Path) -> anyhow::Result<Result<Rules, Problems>> {
    let book = read_rules(folder)?;
    let wrong = content::check_book(book.with_world);
    Ok(match book.rules {
        Ok(rules) if !wrong.has_errors() => Ok(rules),
        rules => {
            let mut problems = rules.err().unwrap_or_default();
            problems.0.extend(wrong.0);
            Err(problems)
        }
    })
}

/// "cleric 1, paladin 6"; who learns it at what level.
fn learned(levels: &BTreeMap<Class, i32>) -> String {
    let each: Vec<String> = levels.iter().map(|(class, level)| format!("{class} {level}")).collect();
    if each.is_empty() { "nobody".to_string() } else { each.join(", ") }
}

/// `import`: a world of the Circle family, written in the native format.
pub fn import(from: &Path, to: &Path, start_room: Option<i32>) -> anyhow::Result<ExitCode> {
    let source = read_source(from)?;
    let options = ReadOptions { start_room, ..Default::default() };
    let (content, problems) = content::read(&source, &options);
    for problem in &problems.0 {
        eprintln!("{problem}");
    }
    if problems.has_errors() {
        bail!("{} was not imported, for the errors above", from.display());
    }
    if to.exists() && std::fs::read_dir(to).with_context(|| format!("reading {}", to.display()))?.next().is_some() {
        bail!("{} is not empty; nothing was written", to.display());
    }
    let files = content::write(&content);
    let count = files.len();
    for (path, text) in files {
        let path = to.join(path);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
        }
        std::fs::write(&path, text).with_context(|| format!("writing {}", path.display()))?;
    }
    print(format_args!("Wrote {count} files to {}.", to.display()))?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_are_counted_as_one_would_say_it() {
        let told = |errors: usize, warnings: usize| {
            let mut problems = Problems::default();
            (0..errors).for_each(|_| problems.error("a", 1, "wrong"));
            (0..warnings).for_each(|_| problems.warning("a", 1, "odd"));
            counted_problems(&problems)
        };
        assert_eq!(told(0, 0), "nothing is wrong");
        assert_eq!(told(0, 1), "1 warning");
        assert_eq!(told(2, 1), "2 errors, 1 warning");
    }
}
