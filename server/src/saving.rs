//! Saving characters: off the tick, in batches, the newest state of each only.
//!
//! The core hands records over and goes on; a task of its own encodes and writes them. Invariants: a slow or absent
//! database delays nobody and loses nothing that is still in memory: what could not be written is tried again. At most
//! one record per character waits, so what waits is bounded by the number of characters.

use crate::journal::Unsaved;
use crate::store::characters::{self, CharacterRow};
use crate::store::trouble::Trouble;
use crate::store::{Store, StoreError, canonical};
use crate::times::unix_ms;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::Notify;
use world::record::CharacterRecord;

/// How long saves gather before they are written together.
const GATHER: Duration = Duration::from_millis(100);
/// Written in one transaction at most; more would take longer than the store lets one take, over a slow network.
const BATCH_MAX: usize = 256;
/// Not the database's fault.
const UNREADABLE: &str = "A character could not be made into a record; the log says why.";
/// Pause after a failure, doubled each time up to the longest.
const RETRY_FIRST: Duration = Duration::from_millis(500);
const RETRY_LONGEST: Duration = Duration::from_secs(10);

/// A record that waits to be written, and the number of the input that made it.
#[derive(Clone)]
struct Waiting {
    record: Arc<CharacterRecord>,
    number: u64,
}

pub struct Saver {
    store: Store,
    /// Whoever has it writes; nobody else does meanwhile.
    turn: Arc<tokio::sync::Mutex<()>>,
    waiting: Mutex<BTreeMap<String, Waiting>>,
    /// What is being written right now; still asked by `newest`.
    writing: Mutex<BTreeMap<String, Waiting>>,
    wake: Notify,
    idle: Notify,
    pub failures: AtomicU64,
    pub written: AtomicU64,
    trouble: Trouble,
}

impl Saver {
    pub fn new(store: Store) -> Arc<Saver> {
        Arc::new(Saver {
            store,
            turn: Arc::default(),
            waiting: Mutex::new(BTreeMap::new()),
            writing: Mutex::new(BTreeMap::new()),
            wake: Notify::new(),
            idle: Notify::new(),
            failures: AtomicU64::new(0),
            written: AtomicU64::new(0),
            trouble: Trouble::default(),
        })
    }

    /// Takes a record to be written soon. Never waits.
    pub fn save(&self, record: Box<CharacterRecord>, number: u64) {
        let name = canonical(&record.name);
        self.waiting.lock().insert(name, Waiting { record: Arc::from(record), number });
        self.wake.notify_one();
    }

    /// The newest state of a character that is not in the world: what waits to be written, else what is stored.
    pub async fn newest(&self, name: &str) -> anyhow::Result<Option<CharacterRecord>> {
        let name = canonical(name);
        let unwritten = {
            // Under this lock nothing goes from one to the other.
            let writing = self.writing.lock();
            let waiting = self.waiting.lock().get(&name).cloned();
            waiting.or_else(|| writing.get(&name).cloned())
        };
        if let Some(unwritten) = unwritten {
            return Ok(Some(unwritten.record.as_ref().clone()));
        }
        match characters::load(&self.store, &name).await? {
            Some(row) => Ok(Some(read_record(&row.data)?)),
            None => Ok(None),
        }
    }

    /// Everything that the database has not taken yet, for a snapshot.
    pub fn unsaved(&self) -> Vec<Unsaved> {
        // Under this lock nothing goes from one to the other.
        let writing = self.writing.lock();
        let waiting = self.waiting.lock();
        let older = writing.iter().filter(|(name, _)| !waiting.contains_key(*name));
        let both = waiting.iter().chain(older);
        both.map(|(_, w)| Unsaved { number: w.number, record: w.record.clone() }).collect()
    }

    /// Takes what a start found unwritten: from a snapshot, and from the replay of what followed.
    pub fn take_over(&self, unsaved: Vec<Unsaved>) {
        let mut waiting = self.waiting.lock();
        for Unsaved { number, record } in unsaved {
            let name = canonical(&record.name);
            if waiting.get(&name).is_none_or(|there| there.number <= number) {
                waiting.insert(name, Waiting { record, number });
            }
        }
        drop(waiting);
        self.wake.notify_one();
    }

    /// Characters that wait to be written.
    pub fn backlog(&self) -> usize {
        let writing = self.writing.lock();
        self.waiting.lock().len() + writing.len()
    }

    /// Waits for the write in hand and keeps further ones back until the hold is dropped; saves queue meanwhile. So
    /// what the store lacks is what waits, and both can be taken at one moment.
    pub async fn hold(&self) -> Hold {
        Hold { _turn: self.turn.clone().lock_owned().await }
    }

    /// How long nothing could be written; `None` while all is well.
    pub fn failing_for(&self) -> Option<Duration> {
        self.trouble.lasts()
    }

    /// What last kept a batch from being written, in a sentence that anybody may read.
    pub fn last_error(&self) -> Option<&'static str> {
        self.trouble.last()
    }

    /// Writes until the server ends.
    pub async fn run(self: Arc<Self>) {
        let mut pause = RETRY_FIRST;
        loop {
            if self.waiting.lock().is_empty() {
                self.idle.notify_waiters();
                self.wake.notified().await;
                tokio::time::sleep(GATHER).await;
            }
            match self.write_waiting().await {
                Ok(()) => {
                    pause = RETRY_FIRST;
                    if let Some(time) = self.trouble.passed() {
                        tracing::info!(after_s = time.as_secs(), "characters are saved again");
                    }
                }
                Err(error) => {
                    self.failures.fetch_add(1, Ordering::Relaxed);
                    let last = error.downcast_ref::<StoreError>().map_or(UNREADABLE, StoreError::in_public);
                    self.trouble.failed(last);
                    tracing::error!(%error, backlog = self.backlog(), "characters could not be saved; trying again");
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(RETRY_LONGEST);
                }
            }
        }
    }

    async fn write_waiting(&self) -> anyhow::Result<()> {
        let _turn = self.turn.lock().await;
        let batch = {
            // Under this lock a record is never in neither of the two.
            let mut writing = self.writing.lock();
            let mut waiting = self.waiting.lock();
            let later = waiting.keys().nth(BATCH_MAX).cloned().map(|name| waiting.split_off(&name));
            *writing = std::mem::replace(&mut *waiting, later.unwrap_or_default());
            writing.clone()
        };
        if batch.is_empty() {
            return Ok(());
        }
        let now = unix_ms();
        let rows: anyhow::Result<Vec<CharacterRow>> =
            batch.values().map(|w| row_of(&w.record, w.number, now)).collect();
        let result = match rows {
            Ok(rows) => characters::save_batch(&self.store, &rows).await.map_err(anyhow::Error::from),
            Err(error) => Err(error),
        };
        let mut writing = self.writing.lock();
        if result.is_err() {
            // Back in line, but never over a newer one.
            let mut waiting = self.waiting.lock();
            for (name, old) in batch {
                waiting.entry(name).or_insert(old);
            }
        }
        writing.clear();
        drop(writing);
        self.written.fetch_add(result?, Ordering::Relaxed);
        Ok(())
    }

    /// Waits until everything is written, at most so long. True when it is.
    pub async fn drain(&self, longest: Duration) -> bool {
        let all_written = async {
            loop {
                let idle = self.idle.notified();
                if self.backlog() == 0 {
                    return;
                }
                self.wake.notify_one();
                // `idle` may have been told just before we looked; look again soon.
                let _either = tokio::time::timeout(Duration::from_millis(50), idle).await;
            }
        };
        tokio::time::timeout(longest, all_written).await.is_ok()
    }
}

/// Keeps characters from being written.
#[must_use = "dropping it lets the saver write again"]
pub struct Hold {
    _turn: tokio::sync::OwnedMutexGuard<()>,
}

/// The row of a character, as the store keeps it.
pub fn row_of(record: &CharacterRecord, number: u64, now_ms: i64) -> anyhow::Result<CharacterRow> {
    let immortal = record.level >= world::character::LEVEL_IMMORTAL;
    Ok(CharacterRow {
        name: canonical(&record.name),
        data: serde_json::to_string(record)?,
        written_by_input: number,
        updated_at: now_ms,
        level: i64::from(record.level),
        immortal_level: if immortal { i64::from(record.level) } else { 0 },
    })
}

/// A stored character. Refuses shapes that are newer than this program.
pub fn read_record(data: &str) -> anyhow::Result<CharacterRecord> {
    #[derive(serde::Deserialize)]
    struct Version {
        version: u32,
    }
    let Version { version } = serde_json::from_str(data)?;
    anyhow::ensure!(
        version <= world::record::RECORD_VERSION,
        "the character was saved by a newer server (shape {version}, this one reads up to {}); start that one",
        world::record::RECORD_VERSION
    );
    Ok(serde_json::from_str(data)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testing::on_each_store;
    use world::rng::Dice;
    use world::rules::Rules;
    use world::rules::creation::{self, Choices};

    fn record(name: &str, level: i32) -> Box<CharacterRecord> {
        let rules = Rules::built_in();
        let (race, class) = (content::words::Race::Human, content::words::Class::Warrior);
        let mut dice = Dice::new(7, 1, 0, 0);
        let choices = Choices {
            name: name.into(),
            sex: content::words::Sex::Female,
            race,
            class,
            hometown: 'K',
            color: false,
            abilities: creation::roll_abilities(&rules, race, class, &mut dice),
            agent: true,
        };
        let mut record = creation::newborn(&rules, &choices, &mut dice);
        record.level = level;
        Box::new(record)
    }

    /// More than fit into two batches.
    const CHARACTERS: usize = 2 * BATCH_MAX + 10;

    #[tokio::test]
    async fn what_waits_is_bounded_by_the_characters_and_its_newest_is_written() {
        on_each_store(async |store| {
            let saver = Saver::new(store.clone());
            // Nobody writes yet, as if the database were away.
            for (number, level) in [(1, 2), (2, 5), (3, 9)] {
                for n in 0..CHARACTERS {
                    saver.save(record(&format!("Nobody{n}"), level), number);
                }
            }
            assert_eq!(saver.backlog(), CHARACTERS);
            let newest = saver.newest("Nobody7").await.expect("it is in memory").expect("it is there");
            assert_eq!(newest.level, 9, "what waits is newer than the database");
            let writing = tokio::spawn(saver.clone().run());
            assert!(saver.drain(Duration::from_secs(60)).await, "{} wait", saver.backlog());
            let lines = characters::list(store).await.expect("the database is back");
            assert_eq!(lines.len(), CHARACTERS);
            assert!(lines.iter().all(|line| line.level == 9), "only the newest of each counts");
            assert_eq!(saver.written.load(Ordering::Relaxed), CHARACTERS as u64);
            writing.abort();
        })
        .await;
    }

    #[tokio::test]
    async fn a_failure_is_told_until_something_is_written() {
        let place = crate::store::testing::Place::sqlite();
        let store = place.open().await;
        let saver = Saver::new(store.clone());
        assert!(saver.failing_for().is_none() && saver.last_error().is_none());
        store.close().await;
        saver.save(record("Brenda", 4), 1);
        let writing = tokio::spawn(saver.clone().run());
        while saver.failing_for().is_none() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        writing.abort();
        assert!(saver.last_error().is_some_and(|what| what.starts_with("The database")), "{:?}", saver.last_error());
        assert_eq!(saver.backlog(), 1, "it is kept");
    }
}
