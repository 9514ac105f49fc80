//! Saving characters: off the tick, in batches, the newest state of each only.
//!
//! The core hands records over and goes on; a task of its own encodes and writes them (`write_queue.rs`). Invariants: a
//! slow or absent database delays nobody and loses nothing that is still in memory: what could not be written is tried
//! again. At most one record per character waits, so what waits is bounded by the number of characters. A record that
//! the database will never take keeps no other from being written: it is set aside, stays what the character was last,
//! and is in every snapshot until a later one is written.

use crate::journal::Unsaved;
use crate::store::characters::{self, CharacterRow};
use crate::store::{Store, canonical};
use crate::times::unix_ms;
use crate::write_queue::{Backlog, Failure, Hold, Policy, WriteQueue};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use world::record::CharacterRecord;

/// More rows in one transaction would take longer than the store lets one take, over a slow network.
const POLICY: Policy = Policy {
    noun: "characters",
    aside: "it is set aside, and the next save of this character is tried",
    gather: Duration::from_millis(100),
    batch_max: 256,
    retry_first: Duration::from_millis(500),
    retry_longest: Duration::from_secs(10),
};
/// Not the database's fault.
const UNREADABLE: &str = "A character could not be made into a record; the log says why.";

/// A record that waits to be written, and the number of the input that made it.
#[derive(Clone)]
pub(crate) struct Waiting {
    record: Arc<CharacterRecord>,
    number: u64,
    /// How many records had come when the character's first one came that is not written.
    since: u64,
}

/// By name. A record is never in none of them on its way, and the first that has a name has its newest record.
#[derive(Default)]
struct Rows {
    waiting: BTreeMap<String, Waiting>,
    /// What is being written right now.
    in_hand: BTreeMap<String, Waiting>,
    /// What the database will never take.
    aside: BTreeMap<String, Waiting>,
    /// How many records ever came.
    came: u64,
}

impl Rows {
    fn take(&mut self, name: String, record: Arc<CharacterRecord>, number: u64) {
        self.came += 1;
        let since = self.waiting.get(&name).map_or(self.came, |there| there.since);
        self.waiting.insert(name, Waiting { record, number, since });
    }

    /// Whether something waits that is among the first so many that came, or a later record of the same character.
    fn has_of_first(&self, many: u64) -> bool {
        self.waiting.values().chain(self.in_hand.values()).any(|waiting| waiting.since <= many)
    }

    fn newest(&self, name: &str) -> Option<&Waiting> {
        self.waiting.get(name).or_else(|| self.in_hand.get(name)).or_else(|| self.aside.get(name))
    }
}

pub struct Saver {
    store: Store,
    rows: Mutex<Rows>,
    pub queue: WriteQueue,
}

impl Saver {
    pub fn new(store: Store) -> Arc<Saver> {
        Arc::new(Saver { store, rows: Mutex::default(), queue: WriteQueue::new(POLICY) })
    }

    /// Takes a record to be written soon. Never waits.
    pub fn save(&self, record: Box<CharacterRecord>, number: u64) {
        let name = canonical(&record.name);
        self.rows.lock().take(name, Arc::from(record), number);
        self.queue.wake();
    }

    /// The newest state of a character that is not in the world: what waits to be written, else what is stored.
    pub async fn newest(&self, name: &str) -> anyhow::Result<Option<CharacterRecord>> {
        let name = canonical(name);
        let unwritten = self.rows.lock().newest(&name).map(|waiting| waiting.record.clone());
        if let Some(record) = unwritten {
            return Ok(Some(record.as_ref().clone()));
        }
        match characters::load(&self.store, &name).await? {
            Some(row) => Ok(Some(read_record(&row.data)?)),
            None => Ok(None),
        }
    }

    /// Everything that the database has not taken yet, for a snapshot.
    pub fn unsaved(&self) -> Vec<Unsaved> {
        let rows = self.rows.lock();
        let names: std::collections::BTreeSet<&String> =
            rows.waiting.keys().chain(rows.in_hand.keys()).chain(rows.aside.keys()).collect();
        let newest = names.into_iter().filter_map(|name| rows.newest(name));
        newest.map(|w| Unsaved { number: w.number, record: w.record.clone() }).collect()
    }

    /// Takes what a start found unwritten: from a snapshot, and from the replay of what followed.
    pub fn take_over(&self, unsaved: Vec<Unsaved>) {
        let mut rows = self.rows.lock();
        for Unsaved { number, record } in unsaved {
            let name = canonical(&record.name);
            if rows.waiting.get(&name).is_none_or(|there| there.number <= number) {
                rows.take(name, record, number);
            }
        }
        drop(rows);
        self.queue.wake();
    }

    /// Characters that wait to be written.
    pub fn backlog(&self) -> usize {
        self.waiting()
    }

    /// Waits for the write in hand and keeps further ones back until the hold is dropped; saves queue meanwhile.
    pub async fn hold(&self) -> Hold {
        self.queue.hold().await
    }

    /// Forgets what is set aside of a character that was deleted: another one of its name has nothing to do with it.
    pub fn forget(&self, name: &str) {
        let name = canonical(name);
        self.rows.lock().aside.remove(&name);
        self.queue.no_longer_aside(&name);
    }

    /// Writes until the server ends.
    pub async fn run(self: Arc<Self>) {
        self.queue.run(&*self).await;
    }

    /// Waits until everything is written that can be, at most so long. True when it is.
    pub async fn drain(&self, longest: Duration) -> bool {
        self.queue.drain(self, longest).await
    }

    /// Waits until what waits now is written, at most so long, while more may come. True when it is.
    pub async fn drain_waiting(&self, longest: Duration) -> bool {
        let came = self.rows.lock().came;
        self.queue.drain_until(|| !self.rows.lock().has_of_first(came), longest).await
    }
}

impl Backlog for Saver {
    type Batch = BTreeMap<String, Waiting>;

    fn waiting(&self) -> usize {
        let rows = self.rows.lock();
        rows.waiting.len() + rows.in_hand.len()
    }

    fn writable(&self) -> usize {
        self.rows.lock().waiting.len()
    }

    fn next_batch(&self, most: usize) -> Option<(Self::Batch, usize)> {
        let mut rows = self.rows.lock();
        let later = rows.waiting.keys().nth(most).cloned().map(|name| rows.waiting.split_off(&name));
        rows.in_hand = std::mem::replace(&mut rows.waiting, later.unwrap_or_default());
        let batch = rows.in_hand.clone();
        let count = batch.len();
        (count > 0).then_some((batch, count))
    }

    async fn write(&self, batch: &Self::Batch) -> Result<u64, Failure> {
        let now = unix_ms();
        let rows: anyhow::Result<Vec<CharacterRow>> =
            batch.values().map(|w| row_of(&w.record, w.number, now)).collect();
        let unreadable =
            |error: anyhow::Error| Failure { why: format!("{error:#}"), in_public: UNREADABLE, blames_row: true };
        Ok(characters::save_batch(&self.store, &rows.map_err(unreadable)?).await?)
    }

    fn done(&self, batch: Self::Batch) {
        let mut rows = self.rows.lock();
        rows.in_hand.clear();
        if !rows.aside.is_empty() {
            for name in batch.keys() {
                rows.aside.remove(name);
                self.queue.no_longer_aside(name);
            }
        }
    }

    fn put_back(&self, batch: Self::Batch) {
        let mut rows = self.rows.lock();
        for (name, old) in batch {
            // Never over a newer one.
            let since = old.since;
            rows.waiting.entry(name).or_insert(old).since = since;
        }
        rows.in_hand.clear();
    }

    fn set_aside(&self, batch: Self::Batch) -> String {
        let mut rows = self.rows.lock();
        rows.in_hand.clear();
        let name = batch.keys().next().cloned().unwrap_or_default();
        rows.aside.extend(batch);
        name
    }
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
    use std::sync::atomic::Ordering;
    use world::rng::Dice;
    use world::rules::Rules;
    use world::rules::creation::{self, Choices};

    fn record(name: &str, level: i32) -> Box<CharacterRecord> {
        let rules = Rules::built_in();
        let (race, class) = (content::words::Race::Human, content::words::Class::Warrior);
        let mut dice = Dice::new(7, 1, 0, 0);
        let abilities = creation::roll_abilities(&rules, race, class, &mut dice);
        let choices = Choices { abilities, agent: true, ..Choices::plain(name) };
        let mut record = creation::newborn(&rules, &choices, &mut dice);
        record.level = level;
        Box::new(record)
    }

    /// More than fit into two batches.
    const CHARACTERS: usize = 2 * POLICY.batch_max + 10;

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
            assert_eq!(saver.queue.written.load(Ordering::Relaxed), CHARACTERS as u64);
            writing.abort();
        })
        .await;
    }

    #[tokio::test]
    async fn what_waits_is_drained_while_more_comes() {
        let place = crate::store::testing::Place::sqlite();
        let store = place.open().await;
        let saver = Saver::new(store.clone());
        // Somebody's record waits at every moment, as in a game that is played.
        saver.save(record("Zora", 2), 1);
        let writing = tokio::spawn(saver.clone().run());
        let busy = saver.clone();
        let saving = tokio::spawn(async move {
            for number in 2.. {
                busy.save(record("Ann", 3), number);
                busy.save(record("Zora", 3), number);
                tokio::time::sleep(Duration::from_micros(200)).await;
            }
        });
        assert!(saver.drain_waiting(Duration::from_secs(20)).await);
        store.close().await;
        // All that came before may be written by now.
        saver.save(record("Late", 3), 2);
        assert!(!saver.drain_waiting(Duration::from_millis(600)).await, "the database is away");
        saving.abort();
        writing.abort();
    }

    #[tokio::test]
    async fn a_failure_is_told_until_something_is_written() {
        let place = crate::store::testing::Place::sqlite();
        let store = place.open().await;
        let saver = Saver::new(store.clone());
        assert!(saver.queue.failing_for().is_none() && saver.queue.last_error().is_none());
        store.close().await;
        saver.save(record("Brenda", 4), 1);
        let writing = tokio::spawn(saver.clone().run());
        while saver.queue.failing_for().is_none() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        writing.abort();
        assert!(
            saver.queue.last_error().is_some_and(|what| what.starts_with("The database")),
            "{:?}",
            saver.queue.last_error()
        );
        assert_eq!(saver.backlog(), 1, "it is kept");
    }

    #[tokio::test]
    async fn one_row_that_the_database_never_takes_stops_nobody_elses_save() {
        let place = crate::store::testing::Place::sqlite();
        let store = place.open().await;
        characters::refuse_name(&store, "nobody7").await;
        let saver = Saver::new(store.clone());
        for n in 0..CHARACTERS {
            saver.save(record(&format!("Nobody{n}"), 4), 1);
        }
        let writing = tokio::spawn(saver.clone().run());
        assert!(saver.drain(Duration::from_secs(60)).await, "{} wait", saver.backlog());
        assert_eq!(characters::list(&store).await.expect("it answers").len(), CHARACTERS - 1);
        assert_eq!(saver.queue.aside(), ["nobody7"]);
        assert_eq!(saver.queue.failing_for(), None, "the others are saved");
        let kept: Vec<String> = saver.unsaved().iter().map(|one| one.record.name.to_string()).collect();
        assert_eq!(kept, ["Nobody7"], "it is in the next snapshot");
        let newest = saver.newest("Nobody7").await.expect("it is in memory").expect("it is there");
        assert_eq!(newest.level, 4, "whoever comes back goes on from it");
        // The next save is tried, and its row taken by now.
        characters::refuse_name(&store, "somebody else").await;
        saver.save(record("Nobody7", 5), 2);
        assert!(saver.drain(Duration::from_secs(60)).await);
        assert!(saver.queue.aside().is_empty() && saver.unsaved().is_empty());
        writing.abort();
    }
}
