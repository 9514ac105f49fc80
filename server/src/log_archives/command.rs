//! `dp-server archive`: archives old entries of logs and old decisions now, compares the archives with themselves, or
//! makes rows of the entries again; beside a running server or without one.
//!
//! Works on the database and the folder themselves, as the nights of a server do, and under the same lock. Invariant:
//! the status is 0 only where all that was asked for was done, and nothing is wrong.

use super::decisions::{Archived, KEEP_DECISIONS_DAYS, archive_before};
use super::verifying::{Verified, verify};
use super::{DAY_MS, KEEP_DAYS, Moved, Turn, Upto, archive_log};
use crate::capture::export;
use crate::state_dir::StateArgs;
use crate::store::agent_archives::{self, own_folder};
use crate::store::{Store, accounts};
use crate::times::unix_ms;
use anyhow::{Context, bail};
use mind::LogId;
use serde_json::json;
use std::path::Path;
use std::str::FromStr;

#[derive(Clone, Debug, clap::Args)]
pub struct ArchiveArgs {
    /// Only the log of this character, and no decisions: those go by months, of all characters at once
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// How far: all entries before this one of the log (#812), or all that are older than so many days (30d), even if
    /// dreams and session files have not read them [default: what is older than 30 days or beyond 50,000 entries, as
    /// far as these have read]; of decisions, the months that were over so many days ago [default: 90]
    #[arg(long, value_name = "#N|DAYSd", conflicts_with_all = ["verify", "restore"])]
    pub before: Option<Before>,
    /// Archive nothing, but compare what there is with its sums
    #[arg(long, conflicts_with = "restore")]
    pub verify: bool,
    /// Make rows of all archived entries again; decisions stay where they are, and are read there
    #[arg(long)]
    pub restore: bool,
    /// Print the result as JSON, an object a line
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Before {
    Entry(i64),
    Days(u32),
}

impl FromStr for Before {
    type Err = String;

    fn from_str(text: &str) -> Result<Before, String> {
        let entry = text.strip_prefix('#').and_then(|number| number.parse().ok()).filter(|number: &i64| *number > 0);
        let days = text.strip_suffix('d').and_then(|days| days.parse().ok());
        match (entry, days) {
            (Some(number), _) => Ok(Before::Entry(number)),
            (None, Some(days)) => Ok(Before::Days(days)),
            (None, None) => Err("write #812 for an entry of the log, or 30d for days".to_string()),
        }
    }
}

/// Returns whether all went well; what did not is told already.
pub async fn run(args: &ArchiveArgs, place: &StateArgs) -> anyhow::Result<bool> {
    if matches!(args.before, Some(Before::Entry(_))) && args.name.is_none() {
        bail!("entries have numbers within a log: say whose with --name. Nothing was changed");
    }
    let store = export::open(place).await?;
    let done = run_on(&store, &own_folder(&place.state_dir), args).await;
    store.close().await;
    done
}

pub(super) async fn run_on(store: &Store, folder: &Path, args: &ArchiveArgs) -> anyhow::Result<bool> {
    if let Some(name) = &args.name
        && accounts::find(store, name).await?.is_none()
    {
        bail!("nobody is called {name} in {}", store.place());
    }
    if args.verify {
        let whose = args.name.as_deref().map(LogId::from);
        return Ok(tell_verified(&verify(store, folder, whose.as_ref()).await?, args.json));
    }
    let Some(turn) = Turn::take(folder)? else {
        bail!("somebody else archives in {} just now; try again when that is done", folder.display());
    };
    if args.restore {
        return restore(store, &turn, args).await;
    }
    let upto = match args.before {
        None => Upto::Kept(KEEP_DAYS),
        Some(Before::Entry(before)) => Upto::Entry(before),
        Some(Before::Days(days)) => Upto::Days(days),
    };
    let (mut well, mut after, mut all) = (true, None, Moved::default());
    while let Some(log) = agent_archives::next_log(store, after.as_ref()).await? {
        if args.name.as_ref().is_none_or(|name| log.character() == LogId::from(name).character()) {
            match archive_log(store, &turn, &log, upto, unix_ms()).await {
                Ok(moved) => {
                    well &= moved.held_back.is_none();
                    tell_moved(&log, &moved, args.json);
                    all.files += moved.files;
                    all.entries += moved.entries;
                    all.bytes += moved.bytes;
                }
                Err(error) => {
                    well = false;
                    eprintln!("dp-server: {log}: {error:#}");
                }
            }
        }
        after = Some(log);
    }
    let days = match args.before {
        None if args.name.is_none() => Some(KEEP_DECISIONS_DAYS),
        Some(Before::Days(days)) if args.name.is_none() => Some(days),
        _ => None,
    };
    if let Some(days) = days {
        let before_ms = unix_ms() - i64::from(days) * DAY_MS;
        match archive_before(store, &turn, before_ms).await {
            Ok(archived) => {
                tell_archived(&archived, args.json);
                all.files += archived.files;
            }
            Err(error) => {
                well = false;
                eprintln!("dp-server: decisions: {error:#}");
            }
        }
    }
    if !args.json && all.files == 0 {
        println!("Nothing is to be archived.");
    }
    Ok(well)
}

fn tell_moved(log: &LogId, moved: &Moved, as_json: bool) {
    let Moved { files, entries, bytes, held_back } = moved;
    if as_json {
        println!(
            "{}",
            json!({"log": log.to_string(), "files": files, "entries": entries, "bytes": bytes, "held_back": held_back})
        );
    } else if *files > 0 {
        println!("{log}: {entries} entries are archived in {files} files of {bytes} bytes.");
    }
    if let Some(why) = held_back {
        eprintln!("dp-server: {log}: not archived further: {why}");
    }
}

fn tell_archived(archived: &Archived, as_json: bool) {
    let Archived { files, decisions, bytes, .. } = archived;
    if as_json {
        println!("{}", json!({"decisions": decisions, "files": files, "bytes": bytes}));
    } else if *files > 0 {
        println!("{decisions} decisions are archived in {files} files of {bytes} bytes.");
    }
}

fn tell_verified(verified: &Verified, as_json: bool) -> bool {
    let Verified { files, entries, decisions, bytes, troubles, unnamed } = verified;
    let well = troubles.is_empty();
    if as_json {
        let told = json!({
            "files": files, "entries": entries, "decisions": decisions, "bytes": bytes, "troubles": troubles,
            "unnamed": unnamed, "well": well
        });
        println!("{told}");
        return well;
    }
    for trouble in troubles {
        println!("{trouble}");
    }
    for file in unnamed {
        println!("{file}: nothing names it; a run that was killed may have left it. Its entries are in the database");
    }
    match well {
        true => println!(
            "{files} files with {entries} entries and {decisions} decisions, {bytes} bytes: all are as they were made."
        ),
        false => println!(
            "Of {files} files with {entries} entries and {decisions} decisions, {} are not as they were made.",
            troubles.len()
        ),
    }
    well
}

async fn restore(store: &Store, turn: &Turn, args: &ArchiveArgs) -> anyhow::Result<bool> {
    let mut rows = agent_archives::all(store).await?;
    rows.retain(|row| args.name.as_ref().is_none_or(|name| row.log().character() == LogId::from(name).character()));
    let mut well = true;
    for files in rows.chunk_by(|one, next| one.log() == next.log()) {
        let (log, mut entries, mut count) = (files[0].log(), 0, 0);
        // The newest first, so that archives always come before rows.
        for row in files.iter().rev() {
            if let Err(error) = agent_archives::move_back(store, row).await {
                well = false;
                eprintln!("dp-server: {log}: {error:#}. What is older stays archived");
                break;
            }
            let path = turn.folder.join(&row.file);
            std::fs::remove_file(&path).with_context(|| format!("removing {}", path.display()))?;
            entries += row.entries;
            count += 1;
        }
        match args.json {
            true => println!("{}", json!({"log": log.to_string(), "files": count, "entries": entries})),
            false => println!("{log}: {entries} entries of {count} files are in the database again."),
        }
    }
    if rows.is_empty() && !args.json {
        println!("Nothing is archived.");
    }
    Ok(well)
}
