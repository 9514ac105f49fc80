//! The list of migrations, embedded in the program. They are added in pairs of the same number, never edited.
//!
//! Invariant: every file in `migrations/` is in this list (a test compares the two).

use sqlx::SqlSafeStr;
use sqlx::migrate::{Migration, MigrationType, Migrator};

/// One step of the schema, in both dialects.
struct Step {
    number: i64,
    name: &'static str,
    sqlite: &'static str,
    postgres: &'static str,
}

macro_rules! step {
    ($number:literal, $file:literal) => {
        Step {
            number: $number,
            name: $file,
            sqlite: include_str!(concat!("../../../migrations/sqlite/", $file, ".sql")),
            postgres: include_str!(concat!("../../../migrations/postgres/", $file, ".sql")),
        }
    };
}

const STEPS: &[Step] = &[
    step!(1, "0001_accounts_and_characters"),
    step!(2, "0002_decisions"),
    step!(3, "0003_agent_events"),
    step!(4, "0004_memories"),
    step!(5, "0005_exports"),
    step!(6, "0006_logs_of_minds"),
    step!(7, "0007_arms"),
    step!(8, "0008_rewards"),
    step!(9, "0009_host_keys"),
    step!(10, "0010_channels"),
    step!(11, "0011_talk"),
    step!(12, "0012_agents"),
    step!(13, "0013_log_archives"),
    step!(14, "0014_decision_archives"),
    step!(15, "0015_shared_minds"),
    step!(16, "0016_plots"),
    step!(17, "0017_moderation"),
    step!(19, "0019_observatory"),
    step!(20, "0020_usage_calls"),
];

/// The newest migration that this program knows.
pub fn newest() -> i64 {
    STEPS.iter().map(|step| step.number).max().unwrap_or(0)
}

/// Those up to this number; `None`: all.
pub fn sqlite(up_to: Option<i64>) -> Migrator {
    migrator(up_to, |step| step.sqlite)
}

pub fn postgres(up_to: Option<i64>) -> Migrator {
    migrator(up_to, |step| step.postgres)
}

fn migrator(up_to: Option<i64>, dialect: impl Fn(&Step) -> &'static str) -> Migrator {
    let steps = STEPS.iter().filter(|step| up_to.is_none_or(|up_to| step.number <= up_to));
    let migrations = steps.map(|step| {
        Migration::new(step.number, step.name.into(), MigrationType::Simple, dialect(step).into_sql_str(), false)
    });
    Migrator::with_migrations(migrations.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::agent_events::{self, Newest};
    use crate::store::logs;
    use crate::store::memories::{self, StoredGraph};
    use crate::store::testing::on_each_place;
    use crate::store::{Store, StoreError, StoreOptions, accounts, on_writer};
    use std::path::Path;

    #[test]
    fn every_file_of_both_dialects_is_in_the_list() {
        let listed: Vec<String> = STEPS.iter().map(|step| format!("{}.sql", step.name)).collect();
        for dialect in ["sqlite", "postgres"] {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../migrations").join(dialect);
            let entries = std::fs::read_dir(folder).expect("the folder is in the repository");
            let mut files: Vec<String> = entries
                .map(|entry| entry.expect("it can be read").file_name().to_string_lossy().into_owned())
                .collect();
            files.sort();
            assert_eq!(files, listed, "{dialect}");
        }
    }

    #[test]
    fn numbers_rise_and_begin_their_file_names() {
        assert!(STEPS.is_sorted_by(|one, next| one.number < next.number));
        for step in STEPS {
            assert!(step.name.starts_with(&format!("{:04}_", step.number)), "{}", step.name);
        }
    }

    /// What the version before migration 6 left of two characters: their accounts, a log each of what one did and of
    /// what befell it, and what one of them dreamt.
    const BEFORE_LOGS_OF_MINDS: &str = "\
        INSERT INTO account (name, display_name, created_at) VALUES ('ann', 'Ann', 1000), ('bob', 'Bob', 2000); \
        INSERT INTO agent_event (name, seq, number, tick, at, kind, payload, valence) VALUES \
            ('ann', 2, 11, 3, 1002, 'happening', '{\"what\":1}', -2), \
            ('ann', 1, 10, 3, 1001, 'note.add', '{\"text\":\"one\"}', NULL), \
            ('ann', 7, 15, 4, 1007, 'task.done', '{}', NULL), \
            ('bob', 1, 12, 3, 2001, 'note.add', '{\"text\":\"his\"}', NULL); \
        INSERT INTO memory_cursor (name, last_seq, last_at, through, dreamt_at, summary, hash) VALUES \
            ('ann', 2, 1002, 20000, 1100, 'A story.', 'abc');";

    #[tokio::test]
    async fn logs_and_dreams_of_before_minds_had_numbers_are_those_of_the_first() {
        on_each_place(async |place| {
            let old = StoreOptions { schema: Some(5), ..StoreOptions::default() };
            let store = Store::connect(&place.address, &old).await.expect("the tables of then");
            let stored = StoredGraph::of(|to| to.write_all(b"{}").map(|()| "def".into())).expect("it is compressed");
            let filled: Result<(), StoreError> = on_writer!(&store, "filling", |on| async {
                sqlx::raw_sql(BEFORE_LOGS_OF_MINDS).execute(on).await.map(drop)
            });
            filled.expect("rows of then");
            let dreamt: Result<(), StoreError> = on_writer!(&store, "dreaming", |on| async {
                let insert = "INSERT INTO memory_graph (name, graph, hash) VALUES ('ann', $1, 'def')";
                sqlx::query(insert).bind(&stored.compressed).execute(on).await.map(drop)
            });
            dreamt.expect("a row of then");
            store.close().await;

            let store = place.open().await;
            let log = logs::after(&store, "ann", 0, 10).await.expect("read");
            let told: Vec<_> =
                log.iter().map(|row| (row.mind, row.seq, row.number, &*row.kind, &*row.payload)).collect();
            assert_eq!(
                told,
                [
                    (0, 1, 10, "note.add", "{\"text\":\"one\"}"),
                    (0, 2, 11, "happening", "{\"what\":1}"),
                    (0, 7, 15, "task.done", "{}")
                ]
            );
            assert_eq!((log[1].valence, log[1].tick, log[1].at), (Some(-2), 3, 1002));
            let own = logs::without_records(&store, "ann", (0, i64::MAX), 10).await.expect("read");
            assert_eq!(own.iter().map(|row| row.seq).collect::<Vec<_>>(), [1, 7]);
            let newest = agent_events::newest_of(&store, &["bob".into(), "ann".into(), "cid".into()]).await;
            let ends =
                [("ann", 7, 15), ("bob", 1, 12)].map(|(name, seq, number)| (name.into(), Newest { seq, number }));
            assert_eq!(newest.expect("read"), ends.into());
            assert_eq!(memories::graph(&store, "ann").await.expect("read"), Some(stored));
            let cursor = memories::cursor(&store, "ann").await.expect("read").expect("there is one");
            assert_eq!(
                (cursor.last_seq, cursor.through, &*cursor.summary, &*cursor.hash),
                (2, 20_000, "A story.", "abc")
            );
            assert_eq!(memories::cursor(&store, "bob").await.expect("read"), None);
            let standings = accounts::standings(&store, &["Ann".into()]).await.expect("read");
            assert_eq!(standings["ann"].birth.born_input, None, "nobody noted it then");
            // The log goes on, and beside it there is room for another mind's.
            let mut more = log[2].clone();
            (more.seq, more.mind) = (8, 0);
            let beside = agent_events::AgentEvent { seq: 7, mind: 1, ..more.clone() };
            let written = agent_events::append(&store, &[log[2].clone(), more, beside]).await.expect("written");
            assert_eq!(written, 2, "what is there is not written again");
            store.close().await;
        })
        .await;
    }
}
