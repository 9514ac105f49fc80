//! What keeps a server from starting: each time it says what is wrong and what to do.

use super::operator::broken_world;
use super::{green, green_with};
use std::sync::Arc;
use tests::e2e::{Options, Server, run};

#[test]
fn a_port_in_use_is_named_with_its_flag() {
    let holder = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = holder.local_addr().expect("it has one").to_string();
    for flag in ["--http", "--telnet"] {
        let mut options = green();
        options.more = vec![flag.to_string(), address.clone()];
        let failed = Server::fails_to_start(options);
        assert_eq!(failed.code, Some(1), "{failed:?}");
        assert!(failed.err.contains(&address) && failed.err.contains(flag), "{}", failed.err);
        assert!(!failed.out.contains("ready"), "{}", failed.out);
    }
}

#[test]
fn a_state_folder_in_use_is_left_to_its_server() {
    let server = Server::start_with(green());
    let options = Options { state: Some(server.state.clone()), ..green() };
    let failed = Server::fails_to_start(options);
    assert_eq!(failed.code, Some(1));
    assert!(failed.err.contains("holds the state folder") && failed.err.contains("--state-dir"), "{}", failed.err);
    assert!(failed.err.contains(&server.pid().to_string()), "{}", failed.err);
    // What a killed one left behind is in nobody's way.
    let state = server.kill();
    assert!(state.path().join("server.json").exists());
    let again = Server::start_with(Options { state: Some(state), ..green() });
    drop(again);
}

#[test]
fn a_database_that_does_not_answer_or_is_none_is_named() {
    // A port that nobody listens on.
    let free =
        std::net::TcpListener::bind("127.0.0.1:0").expect("a free port").local_addr().expect("it has one").port();
    let url = format!("postgres://somebody:secret@127.0.0.1:{free}/darkpawns");
    let failed = Server::fails_to_start(green_with(&["--db", &url]));
    assert_eq!(failed.code, Some(1));
    assert!(failed.err.contains("no PostgreSQL server answers") && !failed.err.contains("secret"), "{}", failed.err);
    let failed = Server::fails_to_start(green_with(&["--db", "mysql://localhost/x"]));
    assert!(failed.err.contains("--db sqlite:PATH or --db postgres://"), "{}", failed.err);
    let folder = Arc::new(tempfile::tempdir().expect("a folder"));
    std::fs::write(folder.path().join("darkpawns.sqlite"), "this is no database at all, but a text of some length")
        .expect("written");
    let failed = Server::fails_to_start(Options { state: Some(folder), ..green() });
    assert!(failed.err.contains("is not a database"), "{}", failed.err);
}

#[tokio::test]
async fn a_database_of_a_newer_server_is_left_alone() {
    let stopped = Server::start_with(green()).stop();
    assert_eq!(stopped.code, Some(0), "{}", stopped.log);
    let file = stopped.state.path().join("darkpawns.sqlite");
    let database = sqlx::SqlitePool::connect(&format!("sqlite:{}", file.display())).await.expect("it opens");
    sqlx::query(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
         VALUES (9999, 'from the future', 1, x'00', 0)",
    )
    .execute(&database)
    .await
    .expect("written");
    database.close().await;
    let failed = Server::fails_to_start(Options { state: Some(stopped.state), ..green() });
    assert_eq!(failed.code, Some(1));
    assert!(failed.err.contains("newer dp-server") && failed.err.contains("9999"), "{}", failed.err);
}

#[test]
fn a_world_with_errors_does_not_start_unless_told_to() {
    let folder = broken_world();
    let options = || Options { world: folder.path().into(), ..Options::default() };
    let failed = Server::fails_to_start(options());
    assert_eq!(failed.code, Some(1));
    assert!(failed.err.contains("98765") && failed.err.contains("--lenient"), "{}", failed.err);
    let server = Server::start_with(Options { more: vec!["--lenient".into()], ..options() });
    drop(server);
    let none = Server::fails_to_start(Options { world: "/nowhere/at/all".into(), ..Options::default() });
    assert!(none.code == Some(1) && none.err.contains("/nowhere/at/all"), "{}", none.err);
}

#[test]
fn the_command_line_explains_itself() {
    let help = run(&["--help"]);
    assert_eq!(help.code, Some(0));
    for word in ["keygen", "promote", "import", "--tick-ms", "--commands-per-second", "127.0.0.1:4350", "2000"] {
        assert!(help.out.contains(word), "{word} is missing:\n{}", help.out);
    }
    assert_eq!(run(&["--nonsense"]).code, Some(2));
    let filter = run(&["run", "--log", "=,="]);
    assert!(filter.code == Some(1) && filter.err.contains("--log"), "{filter:?}");
}
