//! The same on PostgreSQL, in a schema of its own for each test.

use super::{green_with, newcomer, stopping};
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use tests::e2e::{Options, Server};

/// Runs a test with the address of a fresh schema, where there is a server.
pub async fn on_postgres(body: impl AsyncFn(&str)) {
    let address = std::env::var("DATABASE_URL").ok().filter(|address| address.starts_with("postgres"));
    let Some(server) = address else {
        eprintln!("skipped on PostgreSQL: DATABASE_URL does not name a server (.ci/postgres COMMAND does)");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let unique = folder.path().file_name().expect("it has a name").to_string_lossy().to_lowercase();
    let letters: String = unique.chars().filter(char::is_ascii_alphanumeric).collect();
    let schema = format!("ends_{}_{letters}", std::process::id());
    let mut admin = PgConnection::connect(&server).await.expect("DATABASE_URL names a server that answers");
    let create = format!("CREATE SCHEMA {schema}");
    sqlx::query(AssertSqlSafe(create)).execute(&mut admin).await.expect("a new schema can be made");
    let separator = if server.contains('?') { '&' } else { '?' };
    body(&format!("{server}{separator}options[search_path]={schema}")).await;
    let drop = format!("DROP SCHEMA {schema} CASCADE");
    sqlx::query(AssertSqlSafe(drop)).execute(&mut admin).await.expect("our own schema can be dropped");
}

#[tokio::test]
async fn a_newcomer_lives_the_same_life_on_postgresql() {
    on_postgres(async |address| {
        let server = Server::start_with(Options::with(&["--db", address]));
        Box::pin(newcomer::live(&server)).await;
        assert_eq!(server.stop().code, Some(0));
    })
    .await;
}

#[tokio::test]
async fn the_next_server_goes_on_from_postgresql() {
    on_postgres(async |address| {
        let server = Server::start_with(green_with(&["--db", address]));
        Box::pin(stopping::go_on(server, vec!["--db".into(), address.into()])).await;
    })
    .await;
}

#[tokio::test]
async fn keys_and_promotions_are_the_same_on_postgresql() {
    on_postgres(async |address| {
        let folder = tempfile::tempdir().expect("a folder");
        let state = folder.path().display().to_string();
        let place = ["--state-dir", &state, "--db", address];
        let made = tests::e2e::run(&[&["keygen", "--name", "Brenda"], &place[..]].concat());
        assert_eq!(made.code, Some(0), "{made:?}");
        let key = made.out.trim().to_string();
        assert_eq!(tests::e2e::run(&[&["promote", "Brenda", "--level", "9"], &place[..]].concat()).code, Some(0));
        let server = Server::start_with(green_with(&["--db", address]));
        let mut bot = server.connect().await;
        let state = bot.log_in("Brenda", &key).await;
        assert_eq!(state["data"]["player"]["level"], 9);
        let revoked = server.admin("POST", &format!("revoke?key={}", &key[3..11])).await;
        assert_eq!(revoked["name"], "Brenda");
        assert_eq!(bot.ending().await.0, 1008);
        assert_eq!(server.stop().code, Some(0));
    })
    .await;
}
