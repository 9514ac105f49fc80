//! For tests: one body, run on SQLite and, where `DATABASE_URL` names a PostgreSQL server, on that too.
//!
//! Each run has a database of its own: a file in a temporary folder, or a schema that is dropped afterwards.

use super::{Store, StoreOptions};
use sqlx::{AssertSqlSafe, Connection, PgConnection};

/// Where a test may open a store, again and again.
pub struct Place {
    pub address: String,
    _folder: Option<tempfile::TempDir>,
}

impl Place {
    pub fn sqlite() -> Place {
        let folder = tempfile::tempdir().expect("there is a temporary folder");
        Place { address: format!("sqlite:{}", folder.path().join("test.db").display()), _folder: Some(folder) }
    }

    pub async fn open(&self) -> Store {
        Store::connect(&self.address, &StoreOptions::default()).await.expect("a fresh place opens")
    }

    /// With the archives of this state folder.
    pub async fn open_in(&self, state: &std::path::Path) -> Store {
        Store::connect(&self.address, &StoreOptions::of_state(state)).await.expect("a fresh place opens")
    }
}

/// The address of the PostgreSQL server for tests. Says so where there is none.
pub fn postgres() -> Option<String> {
    let address = std::env::var("DATABASE_URL").ok().filter(|address| address.starts_with("postgres"));
    if address.is_none() {
        eprintln!("skipped on PostgreSQL: DATABASE_URL does not name a server (.ci/postgres COMMAND does)");
    }
    address
}

/// Runs the body with a fresh place on each database there is.
pub async fn on_each_place(body: impl AsyncFn(&Place)) {
    body(&Place::sqlite()).await;
    let Some(server) = postgres() else { return };
    let mut number = [0; 8];
    getrandom::fill(&mut number).expect("the operating system gives random bytes");
    let schema = format!("test_{}", hex::encode(number));
    let mut admin = PgConnection::connect(&server).await.expect("DATABASE_URL names a server that answers");
    let create = format!("CREATE SCHEMA {schema}");
    sqlx::query(AssertSqlSafe(create)).execute(&mut admin).await.expect("a new schema can be made");
    let separator = if server.contains('?') { '&' } else { '?' };
    let address = format!("{server}{separator}options[search_path]={schema}");
    body(&Place { address, _folder: None }).await;
    let drop = format!("DROP SCHEMA {schema} CASCADE");
    sqlx::query(AssertSqlSafe(drop)).execute(&mut admin).await.expect("our own schema can be dropped");
}

/// Runs the body with a fresh store on each database there is.
pub async fn on_each_store(body: impl AsyncFn(&Store)) {
    on_each_place(async |place| {
        let store = place.open().await;
        body(&store).await;
        store.close().await;
    })
    .await;
}
