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
    fn numbers_rise_by_one_and_begin_their_file_names() {
        for (at, step) in (1..).zip(STEPS) {
            assert_eq!(step.number, at);
            assert!(step.name.starts_with(&format!("{at:04}_")), "{}", step.name);
        }
    }
}
