//! Retention: what is taken away by itself after some time, so that a server that runs for years does not fill its disk
//! with what nobody needs. Login tokens hourly; once a day records of sessions, what was said in channels, and
//! characters that were made and never played; decisions go into archives then. The journal has its own
//! (`journal/retention.rs`).
//!
//! Invariants: what somebody played for is never taken: characters with an hour behind them, a level, a fight won or a
//! key stay for ever, with their logs and memories. Of each character the record of the newest session whose file was
//! written stays, which says how far its files are. Records of sessions stay as long as decisions that point to them.

use crate::lobby::{Lobby, account};
use crate::log_archives::decisions::{Archived, KEEP_DECISIONS_DAYS, archive_before};
use crate::log_archives::{KEEP_DAYS, Turn};
use crate::saver::read_record;
use crate::store::{Store, StoreError, accounts, characters, messages, months, samples, sessions, tokens};
use crate::times::unix_ms;
use anyhow::{Context, bail};
use std::sync::Arc;
use std::time::Duration;
use world::record::CharacterRecord;

/// How long things stay.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Retention")]
pub struct RetentionArgs {
    /// Days after which entries of logs go into archives, as do those beyond the newest 50,000 of a log; 0: never
    #[arg(long, default_value_t = KEEP_DAYS, value_name = "DAYS")]
    pub keep_log: u32,
    /// Days after which recorded commands go into archives, by months; 0: never
    #[arg(long, default_value_t = KEEP_DECISIONS_DAYS, value_name = "DAYS")]
    pub keep_decisions: u32,
    /// Days after which records of sessions are removed, but no sooner than the commands recorded in them; 0: never
    #[arg(long, default_value_t = 365, value_name = "DAYS")]
    pub keep_sessions: u32,
    /// Days after which what was said in channels is removed; 0 keeps it for ever
    #[arg(long, default_value_t = 365, value_name = "DAYS")]
    pub keep_messages: u32,
    /// Days after which samples of characters are removed, from which charts are drawn; 0 keeps them for ever
    #[arg(long, default_value_t = 90, value_name = "DAYS")]
    pub keep_samples: u32,
    /// Days after which characters are deleted that were made and never played; 0: never
    #[arg(long, default_value_t = 30, value_name = "DAYS")]
    pub keep_unplayed: u32,
    /// Free megabytes on the disk of the database or the state folder below which commands are not recorded; 0: always
    #[arg(long, value_name = "MB", default_value_t = 1024)]
    pub capture_low_mb: u32,
}

const HOUR: Duration = Duration::from_secs(3_600);
const DAY_MS: i64 = 24 * 3_600 * 1_000;
/// After a failure; partitions made ahead leave time.
const AGAIN: Duration = Duration::from_secs(300);
/// Hours between two looks at what goes once a day.
const HOURS: u32 = 24;
/// Characters that are looked at in one go.
const PAGE: i64 = 500;
/// Whoever was in the world for longer has played: an hour of ticks.
const PLAYED_TICKS: u64 = 1_800;

/// Takes away what is due, at the start and then every hour and every day, until the server ends.
pub async fn keep(lobby: Arc<Lobby>, args: RetentionArgs) {
    let store = lobby.accounts.store().clone();
    let mut hours = 0;
    loop {
        remove_tokens(&store, unix_ms()).await;
        let mut pause = HOUR;
        if hours == 0 {
            let (decisions, sessions) = (keep_decisions(&store, &args).await, keep_sessions(&store, &args).await);
            let (messages, unplayed) = (keep_messages(&store, &args).await, keep_unplayed(&lobby, &args).await);
            let samples = keep_samples(&store, &args).await;
            if !(decisions && sessions && messages && unplayed && samples) {
                pause = AGAIN;
            }
        }
        if pause == HOUR {
            hours = (hours + 1) % HOURS;
        }
        tokio::time::sleep(pause).await;
    }
}

async fn remove_tokens(store: &Store, now: i64) {
    match tokens::delete_expired(store, now).await {
        Ok(0) => {}
        Ok(removed) => tracing::debug!(removed, "login tokens that had expired were removed"),
        Err(error) => tracing::error!(%error, "expired login tokens could not be removed; trying again in an hour"),
    }
}

/// The time before which something goes that is kept for so many days.
fn cutoff(days: u32) -> Option<i64> {
    (days > 0).then(|| unix_ms() - i64::from(days) * DAY_MS)
}

async fn keep_decisions(store: &Store, args: &RetentionArgs) -> bool {
    let mut ok = true;
    match months::make_partitions(store, unix_ms()).await {
        Ok(made) if made.is_empty() => {}
        Ok(made) => tracing::info!(tables = made.join(", "), "made room for the decisions of the next months"),
        Err(error) => {
            ok = false;
            tracing::error!(%error, "no partitions were made ahead; decisions go to the default one until it is possible");
        }
    }
    if let Some(before) = cutoff(args.keep_decisions) {
        match archive_decisions(store, before).await {
            Ok(None) => {}
            Ok(Some(Archived { files, decisions, bytes, removed })) => {
                let removed = removed.unwrap_or_default();
                tracing::info!(files, decisions, bytes, removed, "old decisions were archived");
            }
            Err(error) => {
                ok = false;
                let error = format!("{error:#}");
                tracing::error!(error, "old decisions could not be archived; trying again");
            }
        }
    }
    ok
}

/// `None`: there was nothing to do.
async fn archive_decisions(store: &Store, before_ms: i64) -> anyhow::Result<Option<Archived>> {
    let folder = store.archives().folder().context("nobody said which folder the archives are in")?;
    let Some(turn) = Turn::take(folder)? else { bail!("somebody else archives just now") };
    let archived = archive_before(store, &turn, before_ms).await?;
    Ok((archived != Archived::default()).then_some(archived))
}

async fn keep_sessions(store: &Store, args: &RetentionArgs) -> bool {
    // A decision finds in its session's record what the client said of itself.
    if args.keep_decisions == 0 {
        return true;
    }
    let Some(before) = cutoff(if args.keep_sessions == 0 { 0 } else { args.keep_sessions.max(args.keep_decisions) })
    else {
        return true;
    };
    removed("old records of sessions", args.keep_sessions, sessions::remove_before(store, before).await)
}

async fn keep_messages(store: &Store, args: &RetentionArgs) -> bool {
    let Some(before) = cutoff(args.keep_messages) else { return true };
    removed("what was said long ago", args.keep_messages, messages::remove_before(store, before).await)
}

async fn keep_samples(store: &Store, args: &RetentionArgs) -> bool {
    let Some(before) = cutoff(args.keep_samples) else { return true };
    removed("old samples", args.keep_samples, samples::remove_before(store, before).await)
}

async fn keep_unplayed(lobby: &Lobby, args: &RetentionArgs) -> bool {
    let Some(before) = cutoff(args.keep_unplayed) else { return true };
    let what = "characters that were made and never played";
    removed(what, args.keep_unplayed, remove_unplayed(lobby, before).await)
}

/// Tells the operator what came of it. False: it has to be tried again.
fn removed<E: std::fmt::Display>(what: &str, days: u32, count: Result<u64, E>) -> bool {
    match count {
        Ok(0) => true,
        Ok(removed) => {
            tracing::info!(removed, days, "removed: {what}");
            true
        }
        Err(error) => {
            tracing::error!(%error, "{what} could not be removed; trying again");
            false
        }
    }
}

async fn remove_unplayed(lobby: &Lobby, before: i64) -> Result<u64, StoreError> {
    let store = lobby.accounts.store();
    let (mut removed, mut after) = (0, String::new());
    loop {
        let names = accounts::idle_beginners(store, before, &after, PAGE).await?;
        let Some(last) = names.last() else { return Ok(removed) };
        after.clone_from(last);
        for name in &names {
            let row = characters::load(store, name).await?;
            // What cannot be read is for somebody to look at, not to be taken away.
            let played = row.is_some_and(|row| read_record(&row.data).map_or(true, |record| has_played(&record)));
            if !played {
                account::delete(lobby, name).await?;
                removed += 1;
            }
        }
    }
}

/// Whether anybody could miss it.
fn has_played(record: &CharacterRecord) -> bool {
    let player = &record.player;
    record.level > 1 || player.kills > 0 || player.bank > 0 || player.played_ticks >= PLAYED_TICKS
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::accounts::Accounts;
    use crate::capture::{Capture, Writer};
    use crate::engine::Engine;
    use crate::limits::Limits;
    use crate::minds::Minds;
    use crate::saver::{Saver, row_of};
    use crate::store::accounts::AccountRow;
    use crate::store::sessions::NewSession;
    use crate::store::testing::{Place, on_each_store};
    use crate::times::WallClock;
    use world::World;
    use world::rules::creation::{self, Choices};

    async fn lobby(store: Store) -> Arc<Lobby> {
        let scene = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/scenes/green");
        let (content, _) = crate::content_files::read_world(&scene, None).expect("the scene is there");
        let world = World::new(Arc::new(content), Arc::new(world::rules::Rules::built_in()), 7);
        let saver = Saver::new(store.clone());
        let capture = Capture::new(Writer::new(store.clone()));
        let engine =
            Engine::new(world.clone(), saver.clone(), Minds::new(store.clone()), capture, None, WallClock::Machine);
        Arc::new(Lobby::new(engine, Accounts::new(store), saver, Limits::default(), &world))
    }

    pub async fn make(store: &Store, name: &str, created_at: i64, change: impl FnOnce(&mut CharacterRecord)) {
        let rules = world::rules::Rules::built_in();
        let choices = Choices { agent: true, ..Choices::plain(name) };
        let mut record = creation::newborn(&rules, &choices, &mut world::rng::Dice::new(1, 2, 3, 4));
        change(&mut record);
        let account = AccountRow {
            name: name.to_lowercase(),
            display_name: name.into(),
            password_hash: None,
            created_at,
            last_login_at: None,
        };
        let row = row_of(&record, 1, created_at).expect("a record");
        accounts::create(store, &account, &row, None).await.expect("made");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn who_was_made_and_never_played_goes_and_nobody_else() {
        let place = Place::sqlite();
        let store = place.open().await;
        let (old, now) = (unix_ms() - 40 * DAY_MS, unix_ms());
        make(&store, "Junk", old, |_| ()).await;
        make(&store, "Rubbish", old, |_| ()).await;
        make(&store, "Newcomer", now, |_| ()).await;
        make(&store, "Fighter", old, |record| record.player.kills = 1).await;
        make(&store, "Talker", old, |record| record.player.played_ticks = PLAYED_TICKS).await;
        make(&store, "Veteran", old, |record| record.level = 2).await;
        make(&store, "Keyholder", old, |_| ()).await;
        let key = crate::store::keys::NewKey { prefix: "0".into(), digest: "d".into(), created_at: old };
        crate::store::keys::insert(&store, "keyholder", &key).await.expect("a key");
        make(&store, "Visitor", old, |_| ()).await;
        accounts::record_login(&store, "visitor", None, now).await.expect("noted");
        let lobby = lobby(store.clone()).await;
        assert_eq!(remove_unplayed(&lobby, now - 30 * DAY_MS).await.expect("it answers"), 2);
        let left: Vec<String> = characters::list(&store).await.expect("read").into_iter().map(|row| row.name).collect();
        assert_eq!(left, ["fighter", "keyholder", "newcomer", "talker", "veteran", "visitor"]);
        assert!(accounts::find(&store, "junk").await.expect("read").is_none(), "the name is free again");
        assert_eq!(remove_unplayed(&lobby, now - 30 * DAY_MS).await.expect("it answers"), 0);
    }

    #[tokio::test]
    async fn records_of_sessions_go_but_for_the_newest_that_says_how_far_the_files_are() {
        on_each_store(async |store| {
            let begin = async |name: &str, at: i64, is_agent: bool, exported: Option<i64>| {
                let session = NewSession { name: name.into(), started_at: at, is_agent, ..NewSession::default() };
                let id = sessions::begin(store, &session).await.expect("begun");
                sessions::end(store, id, at + 1).await.expect("ended");
                if let Some(seq) = exported {
                    sessions::exported(store, id, seq).await.expect("noted");
                }
                id
            };
            begin("ann", 10, true, Some(5)).await;
            begin("ann", 20, true, Some(9)).await;
            let unwritten = begin("ann", 30, true, None).await;
            begin("bob", 10, false, None).await;
            let late = begin("bob", 100, false, None).await;
            assert_eq!(sessions::remove_before(store, 50).await.expect("removed"), 2);
            let ids = async |name: &str| -> Vec<i64> {
                sessions::of(store, name, 10).await.expect("read").into_iter().map(|row| row.id).collect()
            };
            assert_eq!((ids("ann").await.len(), ids("ann").await[0]), (2, unwritten));
            assert_eq!(ids("bob").await, [late]);
        })
        .await;
    }
}
