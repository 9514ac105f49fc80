//! Opening a database: from the address on the command line to a `Store` whose tables are up to date.
//!
//! Leaves the list of migrations to `migrations.rs` and the wording of failures to `error.rs`.
//! Invariant: a database that cannot be used is left as it was found; migrations apply all or not at all.

use super::agent_archives::{Archives, own_folder};
use super::{Postgres, Sqlite, Store, StoreError, migrations};
use sqlx::Connection;
use sqlx::migrate::MigrateError;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPoolOptions};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

/// Names the migrations among PostgreSQL's advisory locks: "dpserver" in ASCII.
const MIGRATION_LOCK: i64 = i64::from_be_bytes(*b"dpserver");

/// How many connections, and how long to wait. The defaults are right for a server.
#[derive(Clone, Debug)]
pub struct StoreOptions {
    /// Reading connections of SQLite, beside the one that writes.
    pub sqlite_readers: u32,
    /// How long a statement waits while another program writes to the SQLite file.
    pub busy_ms: u64,
    pub postgres_connections: u32,
    /// How long to wait for PostgreSQL to answer, and later for a free connection.
    pub connect_ms: u64,
    /// Number of the last migration to make; `None`: all. For a dump that an older program made: it is loaded into the
    /// tables of its time, and the next opening brings them up to date.
    pub schema: Option<i64>,
    /// How long a statement or a transaction may take in all, the wait for a free connection included. Longer than
    /// those waits, so that they can say more exactly what is wrong.
    pub answer_ms: u64,
    /// Folder of the archives that belong to the database; `None`: what lies in archives cannot be read.
    pub archives: Option<PathBuf>,
}

impl Default for StoreOptions {
    fn default() -> StoreOptions {
        StoreOptions {
            sqlite_readers: 3,
            busy_ms: 5_000,
            postgres_connections: 8,
            connect_ms: 5_000,
            schema: None,
            answer_ms: 8_000,
            archives: None,
        }
    }
}

impl StoreOptions {
    /// Those of a database whose archives are in this state folder.
    pub fn of_state(state_dir: &Path) -> StoreOptions {
        StoreOptions { archives: Some(own_folder(state_dir)), ..StoreOptions::default() }
    }
}

impl Store {
    /// The folder that the database is in; `None`: it is not on this machine's disk.
    pub fn folder(&self) -> Option<PathBuf> {
        match self {
            Store::Sqlite(sqlite) => Path::new(&*sqlite.place).parent().map(Path::to_path_buf),
            Store::Postgres(_) => None,
        }
    }

    /// Opens `sqlite:PATH` (the file and its folder are made where they are missing) or `postgres://…`, and brings
    /// its tables up to date. Every way to fail says what was tried and what to do; see [`StoreError`].
    pub async fn connect(address: &str, options: &StoreOptions) -> Result<Store, StoreError> {
        match address.split_once(':').map(|(scheme, _)| scheme) {
            Some("sqlite") => open_sqlite(address, options).await,
            Some("postgres" | "postgresql") => open_postgres(address, options).await,
            Some(scheme) if scheme.chars().all(|letter| letter.is_ascii_alphanumeric()) => {
                Err(StoreError::Address { why: format!("it begins with `{scheme}:`") })
            }
            _ => Err(StoreError::Address { why: "it begins with neither `sqlite:` nor `postgres:`".to_owned() }),
        }
    }
}

/// How long to wait before a file that another program is just making is tried again.
const BUSY_PAUSE: Duration = Duration::from_millis(10);

/// SQLite does not wait by itself while another program turns a new file to its write-ahead log, so we do.
async fn open_sqlite(address: &str, options: &StoreOptions) -> Result<Store, StoreError> {
    let begun = std::time::Instant::now();
    loop {
        match try_open_sqlite(address, options).await {
            Err(StoreError::Busy { .. }) if begun.elapsed() < Duration::from_millis(options.busy_ms) => {
                tokio::time::sleep(BUSY_PAUSE).await;
            }
            opened => return opened,
        }
    }
}

async fn try_open_sqlite(address: &str, options: &StoreOptions) -> Result<Store, StoreError> {
    // The address holds no secret here, and what sqlx says about it names the part that is wrong.
    let file = SqliteConnectOptions::from_str(address)
        .map_err(|error| StoreError::Address { why: error.to_string() })?
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        // What is confirmed is on the disk: a password that was changed, a key that was revoked, and what a snapshot
        // leaves out because the database has it. With NORMAL a commit is not, until the log is next checkpointed.
        // Writers here write in batches, so it costs a sync for each of those.
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(Duration::from_millis(options.busy_ms));
    let in_memory = address.contains(":memory:") || address.contains("mode=memory");
    let path = file.get_filename().to_owned();
    if path.as_os_str().is_empty() {
        return Err(StoreError::Address { why: "`sqlite:` is followed by no path".to_owned() });
    }
    if !in_memory {
        make_file(&path)?;
    }

    let failed = |error: sqlx::Error| sqlite_failure(&path, error);
    // A closed connection ends a database in memory, and costs a file nothing to keep: they never age.
    let pool = || {
        SqlitePoolOptions::new()
            .idle_timeout(None)
            .max_lifetime(None)
            .test_before_acquire(false)
            .acquire_timeout(Duration::from_millis(options.busy_ms.max(1_000)))
    };
    let writer = pool().max_connections(1).connect_with(file.clone()).await.map_err(failed)?;
    let migrated = async {
        // IMMEDIATE, so that two programs that start at once migrate one after the other, and so that a file that
        // cannot be written is noticed now.
        let mut transaction = writer.begin_with("BEGIN IMMEDIATE").await.map_err(failed)?;
        migrations::sqlite(options.schema)
            .run_direct(None, &mut *transaction, false)
            .await
            .map_err(|error| migration_failure(&path.to_string_lossy(), error, |error| sqlite_failure(&path, error)))?;
        transaction.commit().await.map_err(failed)
    };
    if let Err(error) = migrated.await {
        writer.close().await;
        return Err(error);
    }
    let readers = match in_memory {
        true => writer.clone(),
        false => pool().max_connections(options.sqlite_readers.max(1)).connect_lazy_with(file.create_if_missing(false)),
    };
    let patience = Duration::from_millis(options.answer_ms);
    let archives = Arc::new(Archives::new(options.archives.clone()));
    Ok(Store::Sqlite(Sqlite { writer, readers, place: path.to_string_lossy().into(), patience, archives }))
}

/// Makes the folder and an empty file, for its owner only: it will hold password hashes. SQLite gives its side files
/// the same mode. Doing this here also gives better reasons than SQLite's "unable to open database file".
fn make_file(path: &Path) -> Result<(), StoreError> {
    let cannot = |error: std::io::Error| StoreError::CannotWrite { path: path.to_owned(), why: error.to_string() };
    if let Some(folder) = path.parent() {
        crate::files::make_private_folder(folder).map_err(cannot)?;
    }
    let mut open = std::fs::OpenOptions::new();
    open.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut open, 0o600);
    let is_new = !path.exists();
    open.open(path).map_err(cannot)?;
    if is_new {
        // Else a loss of power may take the file with all that is in it.
        crate::files::sync_folder(path).map_err(cannot)?;
    }
    Ok(())
}

fn sqlite_failure(path: &Path, error: sqlx::Error) -> StoreError {
    const BUSY: u32 = 5;
    const LOCKED: u32 = 6;
    const READ_ONLY: u32 = 8;
    const CORRUPT: u32 = 11;
    const CANNOT_OPEN: u32 = 14;
    const NOT_A_DATABASE: u32 = 26;
    let why = error.to_string();
    let code = error.as_database_error().and_then(|error| error.code()?.parse::<u32>().ok()).map(|code| code & 0xff);
    match code {
        Some(NOT_A_DATABASE | CORRUPT) => StoreError::NotADatabase { path: path.to_owned(), why },
        Some(READ_ONLY | CANNOT_OPEN) => StoreError::CannotWrite { path: path.to_owned(), why },
        Some(BUSY | LOCKED) => StoreError::Busy { place: path.to_string_lossy().into(), why },
        _ => StoreError::Failed { doing: "opening it", place: path.to_string_lossy().into(), cause: error },
    }
}

async fn open_postgres(address: &str, options: &StoreOptions) -> Result<Store, StoreError> {
    let server = read_postgres_url(address).map_err(|why| StoreError::Address { why })?.application_name("dp-server");
    let place: Arc<str> = postgres_place(&server).into();
    let wait = Duration::from_millis(options.connect_ms);

    // A connection of its own for the migrations: a pool would try a refused connection again until its time is up.
    let mut connection = match tokio::time::timeout(wait, PgConnection::connect_with(&server)).await {
        Ok(connected) => connected.map_err(|error| postgres_failure(&place, error))?,
        Err(_) => {
            let why = format!("it kept silent for {} ms", options.connect_ms);
            return Err(StoreError::Unreachable { place: place.to_string(), why });
        }
    };
    let migrated = async {
        let failed = |error: sqlx::Error| postgres_failure(&place, error);
        let mut transaction = connection.begin().await.map_err(failed)?;
        // Two programs that start at once migrate one after the other. The migrator's own lock would be free again
        // before this transaction is committed, so it is off.
        sqlx::query("SELECT pg_advisory_xact_lock($1)")
            .bind(MIGRATION_LOCK)
            .execute(&mut *transaction)
            .await
            .map_err(failed)?;
        migrations::postgres(options.schema)
            .set_locking(false)
            .run_direct(None, &mut *transaction, false)
            .await
            .map_err(|error| migration_failure(&place, error, failed))?;
        transaction.commit().await.map_err(failed)
    };
    let migrated = migrated.await;
    // Whether the good-bye arrives changes nothing.
    connection.close().await.ok();
    migrated?;

    let pool = PgPoolOptions::new()
        .max_connections(options.postgres_connections.max(1))
        .acquire_timeout(wait)
        // The pool asks each connection that comes back whether it is still good, and waits for ever for one whose
        // server went silent; this asks before it does, and gives such a one up.
        .after_release(move |connection, _| {
            Box::pin(async move {
                match tokio::time::timeout(wait, connection.ping()).await {
                    Ok(answer) => answer.map(|()| true),
                    Err(_) => Err(sqlx::Error::Io(std::io::ErrorKind::TimedOut.into())),
                }
            })
        })
        .connect_lazy_with(server);
    let patience = Duration::from_millis(options.answer_ms);
    let archives = Arc::new(Archives::new(options.archives.clone()));
    Ok(Store::Postgres(Postgres { pool, place, patience, archives }))
}

/// What a `postgres:` URL may ask for after its `?`. sqlx would log any other with its value, and that may be a
/// misspelt password.
const POSTGRES_PARAMETERS: &[&str] = &[
    "application_name",
    "dbname",
    "host",
    "hostaddr",
    "options",
    "password",
    "port",
    "sslcert",
    "sslkey",
    "sslmode",
    "sslrootcert",
    "statement-cache-capacity",
    "user",
];

/// What is wrong is said without quoting a piece of the URL that could be the password: one that holds `/`, `?` or
/// `#` as it is makes all that follows look like something else.
fn read_postgres_url(address: &str) -> Result<PgConnectOptions, String> {
    let cannot = || "this `postgres:` URL cannot be read".to_owned();
    let (_, rest) = address.split_once("://").ok_or_else(cannot)?;
    let (_, after_host) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    if after_host.contains('@') {
        return Err("there is an @ behind the host; write / ? # @ in a password as %2F %3F %23 %40".to_owned());
    }
    let query = after_host.split_once('?').map_or("", |(_, query)| query);
    for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
        let name = parameter.split_once('=').map_or(parameter, |(name, _)| name);
        if !POSTGRES_PARAMETERS.contains(&name) && !name.starts_with("options[") {
            return Err(format!("a `postgres:` URL may have, after its `?`, {}", POSTGRES_PARAMETERS.join(", ")));
        }
    }
    PgConnectOptions::from_str(address).map_err(|_| cannot())
}

/// "user@host:port/database", from the parts, so that a password cannot slip through wherever the URL had it.
fn postgres_place(server: &PgConnectOptions) -> String {
    let user = server.get_username();
    let database = server.get_database().unwrap_or(user);
    match server.get_socket() {
        Some(socket) => format!("{user}@{}/{database}", socket.display()),
        None => format!("{user}@{}:{}/{database}", server.get_host(), server.get_port()),
    }
}

fn postgres_failure(place: &str, error: sqlx::Error) -> StoreError {
    let place = place.to_owned();
    let why = error.to_string();
    match &error {
        sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut => StoreError::Unreachable { place, why },
        sqlx::Error::Database(refusal) => match refusal.code().as_deref() {
            Some("28P01" | "28000") => StoreError::LoginRefused { place, why },
            Some("3D000") => StoreError::NoSuchDatabase { place, why },
            // Too many connections, or starting up, or shutting down.
            Some("53300" | "57P03" | "57P01") => StoreError::Busy { place, why },
            _ => StoreError::Failed { doing: "opening it", place, cause: error },
        },
        _ => StoreError::Failed { doing: "opening it", place, cause: error },
    }
}

fn migration_failure(place: &str, error: MigrateError, of: impl FnOnce(sqlx::Error) -> StoreError) -> StoreError {
    let place = place.to_owned();
    match error {
        MigrateError::VersionMissing(found) => StoreError::Newer { place, found, known: migrations::newest() },
        MigrateError::VersionMismatch(number) => StoreError::Foreign { place, number },
        MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => match of(error) {
            StoreError::Failed { cause, .. } => StoreError::Migration { place, why: cause.to_string() },
            known => known,
        },
        other => StoreError::Migration { place, why: other.to_string() },
    }
}
