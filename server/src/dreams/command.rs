//! `dp-server dream`: dreams now, beside a running server or without one.
//!
//! Works on the database itself, as the nights of the server do, and under the same locks. Invariant: the status is 0
//! only where every dream was kept, files and all.

use super::one::{Calendar, Came, Dreamt, Way, dream_of};
use super::{DREAMING_FLAG, folder};
use crate::capture::export;
use crate::folder_owner::FolderOwner;
use crate::state_dir::{StateArgs, StateDir};
use crate::store::{Store, channels, happenings, meta};
use anyhow::{Context, ensure};
use dream_folder::Zone;
use dreaming::calendar::{day_of, iso_day};
use jiff::Timestamp;
use mind::LogId;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How often it tells how far it is.
const PROGRESS_EVERY: Duration = Duration::from_secs(2);

#[derive(Clone, Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("whose").required(true).args(["name", "all"])))]
pub struct DreamArgs {
    /// The character that dreams
    #[arg(long, alias = "agent", value_name = "NAME")]
    pub name: Option<String>,
    /// Everybody to whom something has happened, agents and people
    #[arg(long)]
    pub all: bool,
    /// Only tell what would come of it; write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// The last night to sleep through, as 2026-03-01 [default: the day of the last event]
    #[arg(long, value_name = "DATE")]
    pub through: Option<jiff::civil::Date>,
    /// Folder of what characters remember [default: that of the server that runs in the state folder, or the one that
    /// it would have]
    #[arg(long, value_name = "DIR")]
    pub dreaming_dir: Option<PathBuf>,
    /// Time zone whose days nights are counted by [default: that of the memories there are]
    #[arg(long, value_name = "ZONE")]
    pub dream_zone: Option<Zone>,
}

/// Returns whether all went well; what did not is told already.
pub async fn run(args: &DreamArgs, place: &StateArgs) -> anyhow::Result<bool> {
    let running = StateDir::look(&place.state_dir)?.running().and_then(|server| server.dreaming_dir);
    let way = way_of(args, folder_of(args, running, &place.state_dir), Timestamp::now())?;
    let store = export::open(place).await?;
    let owner = FolderOwner::new(&meta::database_id(&store).await?, &place.state_dir)?;
    if way.dry_run {
        owner.check(&way.dir, DREAMING_FLAG)?;
    } else {
        owner.claim(&way.dir, DREAMING_FLAG)?;
        eprintln!("What is dreamt is written to {}.", way.dir.display());
    }
    let well = match &args.name {
        Some(name) => match channels::account_meant(&store, name).await {
            Ok(name) => dreams(&store, &name.as_str().into(), &way).await,
            Err(error) => Err(error.into()),
        },
        None => all(&store, &way).await,
    };
    store.close().await;
    well
}

/// Where the dreams go. `running`: where the server has them that runs on this state folder, or ran there last and was
/// killed.
fn folder_of(args: &DreamArgs, running: Option<PathBuf>, state: &Path) -> PathBuf {
    match (&args.dreaming_dir, running) {
        (Some(asked), running) => {
            if let Some(running) =
                running.filter(|running| std::path::absolute(asked).is_ok_and(|asked| asked != *running))
            {
                eprintln!("The server that runs here reads its dreams from {}, and tells those.", running.display());
            }
            asked.clone()
        }
        (None, Some(running)) => running,
        (None, None) => folder(None, state),
    }
}

fn way_of(args: &DreamArgs, folder: PathBuf, now: Timestamp) -> anyhow::Result<Way> {
    let calendar = match &args.dream_zone {
        Some(zone) => Calendar::Of(zone.calendar_minutes(now)),
        None => Calendar::Kept(Zone::default().calendar_minutes(now)),
    };
    let mut way = Way::new(folder, calendar);
    way.dry_run = args.dry_run;
    if let Some(date) = args.through {
        let days = date.since(jiff::civil::date(1970, 1, 1)).context("reading --through")?;
        // The day that it is somewhere on earth: one of days to come would age what is remembered.
        let today = day_of(now.as_millisecond(), 14 * 60);
        ensure!(days.get_days() <= today, "--through {date} is yet to come; today is {}", iso_day(today));
        way.through = Some(days.get_days());
    }
    Ok(way)
}

async fn all(store: &Store, way: &Way) -> anyhow::Result<bool> {
    let (mut after, mut count, mut failed) = (None, 0, 0);
    while let Some(log) = happenings::next_log(store, after.as_ref()).await? {
        count += 1;
        // What is wrong with one is told, and the others dream all the same.
        match dreams(store, &log, way).await {
            Ok(true) => {}
            Ok(false) => failed += 1,
            Err(error) => {
                failed += 1;
                eprintln!("dp-server: {log}: {error:#}");
            }
        }
        after = Some(log);
    }
    if count == 0 {
        eprintln!("Nothing has happened to anybody in the database {}: there is nothing to dream of.", store.place());
    } else if failed > 0 {
        eprintln!("dp-server: {failed} of {count} characters did not dream as they should; the reasons stand above.");
    }
    Ok(failed == 0)
}

async fn dreams(store: &Store, log: &LogId, way: &Way) -> anyhow::Result<bool> {
    let mut last = Instant::now();
    let mut told = |read: u64, of: u64| {
        if last.elapsed() >= PROGRESS_EVERY {
            eprintln!("{log}: {read} of {of} entries read");
            last = Instant::now();
        }
    };
    match dream_of(store, log, way, &mut told).await? {
        Came::Dreamt(dreamt) => {
            let Dreamt { outcome, trouble, .. } = *dreamt;
            let mut block = Vec::new();
            dream_folder::tell(&outcome, way.dry_run, &mut block).context("writing the result")?;
            print(&block)?;
            if let Some(trouble) = &trouble {
                eprintln!(
                    "dp-server: {log}: the database has the dream, but its files were not written: {trouble}. \
                     Put that right and dream again"
                );
            }
            Ok(trouble.is_none())
        }
        Came::Nothing { waiting } => {
            print(format!("{log}: nothing to dream of yet; {waiting} records are of days to come.\n").as_bytes())?;
            Ok(true)
        }
        Came::Gone => {
            print(format!("{log}: the character was deleted meanwhile; nothing is left of its dream.\n").as_bytes())?;
            Ok(true)
        }
    }
}

/// A reader that has gone away (`| head`) is no error.
fn print(text: &[u8]) -> anyhow::Result<()> {
    match std::io::stdout().write_all(text) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        result => result.context("writing to standard output"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_a_day_of_the_calendar() {
        let now: Timestamp = "2026-07-04T12:00:00Z".parse().expect("a time");
        let args = |through: &str| DreamArgs {
            name: None,
            all: true,
            dry_run: true,
            through: Some(through.parse().expect("a date")),
            dreaming_dir: None,
            dream_zone: None,
        };
        let way = way_of(&args("2026-07-03"), "x".into(), now).expect("good");
        assert_eq!(way.through.map(iso_day).as_deref(), Some("2026-07-03"));
        assert_eq!(way.calendar, Calendar::Kept(-300));
        let error = way_of(&args("2026-07-06"), "x".into(), now).expect_err("tomorrow").to_string();
        assert!(error.contains("is yet to come"), "{error}");
        let berlin = DreamArgs { dream_zone: Some("Europe/Berlin".parse().expect("a zone")), ..args("2026-07-03") };
        assert_eq!(way_of(&berlin, "x".into(), now).expect("good").calendar, Calendar::Of(60));
    }
    #[test]
    fn dreams_go_where_the_running_server_has_them() {
        let args = |dir: Option<&str>| DreamArgs {
            name: None,
            all: true,
            dry_run: false,
            through: None,
            dreaming_dir: dir.map(PathBuf::from),
            dream_zone: None,
        };
        let running = || Some(PathBuf::from("/state/dreaming"));
        let of = |dir, running, state: &str| folder_of(&args(dir), running, Path::new(state));
        assert_eq!(of(None, running(), "data/state"), PathBuf::from("/state/dreaming"));
        assert_eq!(of(None, None, "data/state"), PathBuf::from("data/dreaming"), "the shipped default");
        assert_eq!(of(None, None, "./data/state/"), PathBuf::from("data/dreaming"), "the same, written otherwise");
        assert_eq!(of(None, None, "/fork"), PathBuf::from("/fork/dreaming"), "every other server has its own");
        assert_eq!(of(Some("x"), running(), "/fork"), PathBuf::from("x"));
    }
}
