//! The store on SQLite and on PostgreSQL: opening, refusing, and each noun.

#![allow(clippy::unwrap_used)]

use super::characters::{CharacterLine, CharacterRow};
use super::sessions::{NewSession, SessionRow, Transport};
use super::testing::{Place, on_each_place, on_each_store, postgres};
use super::*;
use crate::client_info::ClientInfo;
use std::path::Path;

fn row(name: &str, data: &str, written_by_input: u64) -> CharacterRow {
    CharacterRow {
        name: name.to_owned(),
        data: data.to_owned(),
        written_by_input,
        updated_at: 1_000 + i64::try_from(written_by_input).unwrap(),
        level: 3,
        immortal_level: 0,
    }
}

async fn refusal(address: &str) -> StoreError {
    Store::connect(address, &StoreOptions { connect_ms: 2_000, busy_ms: 50, ..StoreOptions::default() })
        .await
        .err()
        .unwrap_or_else(|| panic!("{address} must not open"))
}

/// Puts rows into the store's own table of migrations, as a newer or another program would have.
async fn meddle(store: &Store, sql: &'static str) {
    on_writer!(store, "meddling", |on| async { sqlx::raw_sql(sql).execute(on).await.map(drop) }).unwrap();
}

#[tokio::test]
async fn what_is_saved_is_there_after_opening_again() {
    on_each_place(async |place| {
        let store = place.open().await;
        let saved = row("Ada", r#"{"gold":12,"title":"the \u0000 Ünseen ‘one’"}"#, 7);
        characters::save_batch(&store, std::slice::from_ref(&saved)).await.unwrap();
        store.ping().await.unwrap();
        store.close().await;
        let store = place.open().await;
        let expected = CharacterRow { name: "ada".to_owned(), ..saved };
        assert_eq!(characters::load(&store, "ADA").await.unwrap(), Some(expected));
        store.close().await;
    })
    .await;
}

#[tokio::test]
async fn only_a_newer_input_replaces_a_character() {
    on_each_store(async |store| {
        assert_eq!(characters::newest_input(store).await.unwrap(), 0);
        for (written_by_input, data, written, why) in [
            (5, "five", 1, "nothing was there"),
            (4, "four", 0, "it is older"),
            (5, "five again", 1, "after a crash the same input is applied again"),
            (9, "nine", 1, "it is newer"),
            (0, "zero", 0, "it is older"),
        ] {
            let batch = [row("Ada", data, written_by_input)];
            assert_eq!(characters::save_batch(store, &batch).await.unwrap(), written, "{data}: {why}");
        }
        assert_eq!(characters::load(store, "ada").await.unwrap().unwrap().data, "nine");
        assert_eq!(characters::newest_input(store).await.unwrap(), 9);
    })
    .await;
}

#[tokio::test]
async fn a_batch_may_name_one_character_twice_in_any_order_and_case() {
    on_each_store(async |store| {
        let batch = [row("Ada", "a2", 2), row("bob", "b1", 1), row("ADA", "a3", 3), row("ada", "a1", 1)];
        assert_eq!(characters::save_batch(store, &batch).await.unwrap(), 3);
        assert_eq!(characters::save_batch(store, &[]).await.unwrap(), 0);
        let all = characters::all(store).await.unwrap();
        assert_eq!(
            all.iter().map(|row| (row.name.as_str(), row.data.as_str())).collect::<Vec<_>>(),
            [("ada", "a3"), ("bob", "b1")]
        );
        let lines = characters::list(store).await.unwrap();
        let ada = CharacterLine { name: "ada".to_owned(), level: 3, immortal_level: 0, updated_at: 1_003 };
        assert_eq!((lines.len(), &lines[0]), (2, &ada));
        assert_eq!(characters::count(store).await.unwrap(), 2);
    })
    .await;
}

#[tokio::test]
async fn a_deleted_character_is_gone_once() {
    on_each_store(async |store| {
        characters::save_batch(store, &[row("Ada", "{}", 1)]).await.unwrap();
        assert!(characters::exists(store, "aDa").await.unwrap());
        assert!(characters::delete(store, "ADA").await.unwrap());
        assert!(!characters::delete(store, "ada").await.unwrap());
        assert!(!characters::exists(store, "ada").await.unwrap());
        assert_eq!(characters::load(store, "ada").await.unwrap(), None);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn batches_that_meet_leave_the_newest_of_each() {
    on_each_store(async |store| {
        let names: Vec<String> = (0..20).map(|nth| format!("char{nth:02}")).collect();
        let writers: Vec<_> = (0..8_u64)
            .map(|writer| {
                let store = store.clone();
                let batch: Vec<_> = names.iter().map(|name| row(name, &writer.to_string(), writer)).collect();
                tokio::spawn(async move { characters::save_batch(&store, &batch).await })
            })
            .collect();
        for writer in writers {
            writer.await.unwrap().unwrap();
        }
        for name in &names {
            assert_eq!(characters::load(store, name).await.unwrap().unwrap().data, "7", "{name}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_deleted_account_takes_keys_and_tokens_and_leaves_records() {
    on_each_store(async |store| {
        let account = accounts::AccountRow {
            name: "Ada".to_owned(),
            display_name: "Ada".to_owned(),
            password_hash: None,
            created_at: 1,
            last_login_at: None,
        };
        let key = keys::NewKey { prefix: "00000000".to_owned(), digest: "d".to_owned(), created_at: 1 };
        accounts::create(store, &account, &row("Ada", "{}", 1), Some(&key)).await.unwrap();
        let key_id = Some(keys::list(store, None).await.unwrap()[0].id);
        let token = tokens::TokenRow {
            digest: "t".to_owned(),
            name: "ada".to_owned(),
            is_agent: true,
            key_id,
            owner_key_id: None,
            expires_at: 10,
        };
        assert!(tokens::insert(store, &token, 1).await.unwrap());
        assert_eq!(tokens::by_digest(store, "t").await.unwrap(), Some(token.clone()));
        let session = NewSession { name: "Ada".to_owned(), ..NewSession::default() };
        sessions::begin(store, &session).await.unwrap();

        assert_eq!(accounts::all(store).await.unwrap().len(), 1);
        assert!(accounts::delete(store, "ADA").await.unwrap());
        assert!(!accounts::delete(store, "ada").await.unwrap());
        assert_eq!(keys::by_digest(store, "d").await.unwrap(), None);
        assert_eq!(tokens::by_digest(store, "t").await.unwrap(), None);
        assert!(characters::exists(store, "ada").await.unwrap());
        assert_eq!(sessions::of(store, "ada", 10).await.unwrap().len(), 1);
        assert!(!tokens::insert(store, &token, 1).await.unwrap(), "nobody is left to come in by it");
    })
    .await;
}

#[tokio::test]
async fn who_dreams_flat_is_of_its_newest_session_or_flat_for_good() {
    on_each_store(async |store| {
        let account = accounts::AccountRow {
            name: "ada".to_owned(),
            display_name: "Ada".to_owned(),
            password_hash: None,
            created_at: 50,
            last_login_at: None,
        };
        accounts::create(store, &account, &row("ada", "{}", 1), None).await.unwrap();
        let arm = async || {
            (accounts::is_flat(store, "ADA").await.unwrap(), accounts::dreams_flat(store, "Ada").await.unwrap())
        };
        assert_eq!(arm().await, (false, false), "nobody has played");
        for (started_at, valence, flat, why) in [
            (40, Some(false), false, "it was another of that name, who was deleted"),
            (100, Some(false), true, "it asked for none"),
            (200, None, false, "it asked for nothing"),
            (300, Some(false), true, "and for none again"),
            (250, Some(true), true, "that one began earlier"),
        ] {
            let session = NewSession {
                name: "ada".to_owned(),
                started_at,
                client: ClientInfo { valence, ..ClientInfo::default() },
                ..NewSession::default()
            };
            sessions::begin(store, &session).await.unwrap();
            assert_eq!(arm().await, (false, flat), "{why}");
        }
        let session = NewSession {
            name: "ada".to_owned(),
            started_at: 900,
            client: ClientInfo { valence: Some(true), ..ClientInfo::default() },
            ..NewSession::default()
        };
        sessions::begin(store, &session).await.unwrap();
        assert_eq!(arm().await, (false, false));
        meddle(store, "UPDATE account SET flat = 1").await;
        assert_eq!(arm().await, (true, true), "whatever it asks for");
        assert!(!accounts::dreams_flat(store, "nobody").await.unwrap());
    })
    .await;
}

#[tokio::test]
async fn a_session_keeps_what_the_client_said_and_its_first_end() {
    on_each_store(async |store| {
        let agent = NewSession {
            name: "ada".to_owned(),
            started_at: 100,
            transport: Transport::Websocket,
            is_agent: true,
            client: ClientInfo {
                harness: Some("openclaw".to_owned()),
                model: Some("m-1".to_owned()),
                version: Some("1.0".to_owned()),
                tier: Some("small".to_owned()),
                valence: Some(false),
                features: vec!["summary".to_owned(), "ä\"b".to_owned()],
                yields: false,
            },
            world: Some("00ff".to_owned()),
            seed: Some(u64::MAX),
        };
        let person = NewSession {
            name: "ada".to_owned(),
            started_at: 200,
            transport: Transport::Telnet,
            ..NewSession::default()
        };
        let first = sessions::begin(store, &agent).await.unwrap();
        let second = sessions::begin(store, &person).await.unwrap();
        assert!(second > first);
        sessions::end(store, first, 150).await.unwrap();
        sessions::end(store, first, 999).await.unwrap();
        assert_eq!(
            sessions::of(store, "ADA", 10).await.unwrap(),
            [
                SessionRow { id: second, ended_at: None, session: person },
                SessionRow { id: first, ended_at: Some(150), session: agent },
            ]
        );
        assert_eq!(sessions::end_all(store, 300).await.unwrap(), 1, "the one that a crash left open");
        assert_eq!(sessions::of(store, "ada", 1).await.unwrap()[0].ended_at, Some(300));
    })
    .await;
}

#[tokio::test]
async fn a_counter_never_goes_back_and_a_database_has_one_id() {
    on_each_place(async |place| {
        let store = place.open().await;
        assert_eq!(meta::counter(&store, "instance").await.unwrap(), 0);
        for (raise, is) in [(1_000, 1_000), (999, 1_000), (10_000, 10_000), (9, 10_000)] {
            meta::raise_counter(&store, "instance", raise).await.unwrap();
            assert_eq!(meta::counter(&store, "instance").await.unwrap(), is);
        }
        meta::set(&store, "motd", "hello").await.unwrap();
        meta::set(&store, "motd", "welcome").await.unwrap();
        assert_eq!(meta::get_or_set(&store, "motd", "other").await.unwrap(), "welcome");
        assert_eq!(meta::get(&store, "nothing").await.unwrap(), None);
        let id = meta::database_id(&store).await.unwrap();
        assert_eq!(id.len(), 32);
        store.close().await;
        let store = place.open().await;
        assert_eq!(meta::database_id(&store).await.unwrap(), id);
        store.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_newer_database_is_refused_and_left_alone() {
    on_each_place(async |place| {
        let store = place.open().await;
        let newer = "INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) \
                     SELECT 999, 'later', installed_on, success, checksum, 0 FROM _sqlx_migrations WHERE version = 1";
        meddle(&store, newer).await;
        store.close().await;
        let error = refusal(&place.address).await;
        assert!(matches!(error, StoreError::Newer { found: 999, .. }), "{error}");
        assert!(error.to_string().contains("newer dp-server") && !error.is_passing());
    })
    .await;
}

#[tokio::test]
async fn a_database_of_another_program_is_refused() {
    on_each_place(async |place| {
        let store = place.open().await;
        meddle(&store, r"UPDATE _sqlx_migrations SET checksum = '\x00'").await;
        store.close().await;
        let error = refusal(&place.address).await;
        assert!(matches!(error, StoreError::Foreign { number: 1, .. }), "{error}");
    })
    .await;
}

#[tokio::test]
async fn tables_in_the_way_are_named_and_nothing_is_half_made() {
    on_each_place(async |place| {
        let store = place.open().await;
        for gone in [
            "DROP TABLE _sqlx_migrations",
            "DROP TABLE login_token",
            "DROP TABLE owner_key",
            "DROP TABLE agent_key",
            "DROP TABLE account",
        ] {
            meddle(&store, gone).await;
        }
        store.close().await;
        for time in ["first", "second"] {
            let error = refusal(&place.address).await;
            let StoreError::Migration { why, .. } = error else { panic!("{time}: {error}") };
            // The tables before it would be in the way the second time, had they stayed.
            assert!(why.contains("character"), "{time}: {why}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn programs_that_start_at_once_migrate_one_after_the_other() {
    on_each_place(async |place| {
        let opened: Vec<_> = (0..4)
            .map(|_| {
                let address = place.address.clone();
                tokio::spawn(async move { Store::connect(&address, &StoreOptions::default()).await })
            })
            .collect();
        for one in opened {
            one.await.unwrap().unwrap().close().await;
        }
    })
    .await;
}

#[tokio::test]
async fn an_address_that_is_none_says_what_to_write_and_keeps_its_secret() {
    for address in [
        "mysql://root:hunter2@localhost/dp",
        "hunter2",
        "",
        "sqlite:",
        "sqlite:x.db?hunter=3",
        "postgres://dp:hunter2@host:port/dp",
        "postgres://dp:hunter2@[::1/dp",
        "postgres:hunter2",
        "postgres://dp:12/hunter2@host/dp",
        "postgres://dp:12?hunter2@host/dp",
        "postgres://dp:12#hunter2@host/dp",
        "postgres://dp@host/dp?pasword=hunter2",
        "postgres://dp@host/dp?hunter2",
    ] {
        let error = refusal(address).await;
        let said = error.to_string();
        assert!(matches!(error, StoreError::Address { .. }), "{address}: {said}");
        assert!(!said.contains("hunter2"), "{said}");
    }
}

#[tokio::test]
async fn a_file_that_is_no_database_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    let text = "Dear diary, this is no database. ".repeat(200);
    std::fs::write(&path, &text).unwrap();
    let error = refusal(&format!("sqlite:{}", path.display())).await;
    assert!(matches!(error, StoreError::NotADatabase { .. }), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

#[tokio::test]
async fn a_place_that_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "in the way").unwrap();
    for path in [folder.path().to_owned(), file.join("below/it.db")] {
        let error = refusal(&format!("sqlite:{}", path.display())).await;
        assert!(matches!(error, StoreError::CannotWrite { .. }), "{error}");
        assert!(error.to_string().contains(&*path.to_string_lossy()), "{error}");
    }
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn a_folder_without_permission_to_write_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("state");
    std::fs::create_dir(&inside).unwrap();
    set_mode(&inside, 0o555);
    if std::fs::write(inside.join("probe"), "").is_ok() {
        eprintln!("skipped: this user may write anywhere");
        return;
    }
    for path in [inside.join("new.db"), inside.join("deeper/new.db")] {
        let error = refusal(&format!("sqlite:{}", path.display())).await;
        assert!(matches!(error, StoreError::CannotWrite { .. }), "{error}");
    }
    set_mode(&inside, 0o755);
    let address = format!("sqlite:{}", inside.join("there.db").display());
    Store::connect(&address, &StoreOptions::default()).await.unwrap().close().await;
    set_mode(&inside, 0o555);
    let error = refusal(&address).await;
    assert!(matches!(error, StoreError::CannotWrite { .. }), "{error}");
    set_mode(&inside, 0o755);
}

#[cfg(unix)]
#[tokio::test]
async fn the_file_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let address = format!("sqlite:{}/a/b/new.db", folder.path().display());
    let store = Store::connect(&address, &StoreOptions::default()).await.unwrap();
    for entry in std::fs::read_dir(folder.path().join("a/b")).unwrap() {
        let entry = entry.unwrap();
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{:?}", entry.file_name());
    }
    store.close().await;
}

#[tokio::test]
async fn a_database_in_memory_is_one_database() {
    let store = Store::connect("sqlite::memory:", &StoreOptions::default()).await.unwrap();
    characters::save_batch(&store, &[row("Ada", "{}", 1)]).await.unwrap();
    assert!(characters::exists(&store, "ada").await.unwrap());
    store.close().await;
}

#[tokio::test]
async fn a_file_that_another_program_is_writing_is_busy_and_that_passes() {
    let place = Place::sqlite();
    let store = place.open().await;
    let Store::Sqlite(sqlite) = &store else { panic!("a `sqlite:` address opens SQLite") };
    let other = sqlite.writer.begin_with("BEGIN IMMEDIATE").await.unwrap();
    let error = refusal(&place.address).await;
    assert!(matches!(error, StoreError::Busy { .. }) && error.is_passing(), "{error}");
    other.rollback().await.unwrap();
    place.open().await.close().await;
    store.close().await;
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named_without_its_password() {
    // A port that was free a moment ago: taken and let go.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let error = refusal(&format!("postgres://dp:hunter2@127.0.0.1:{port}/game")).await;
    assert!(matches!(error, StoreError::Unreachable { .. }) && error.is_passing(), "{error}");
    let said = error.to_string();
    assert!(said.contains(&format!("dp@127.0.0.1:{port}/game")) && !said.contains("hunter2"), "{said}");
}

#[tokio::test]
async fn a_server_that_keeps_silent_is_given_up() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("postgres://dp:hunter2@{}/game", listener.local_addr().unwrap());
    let options = StoreOptions { connect_ms: 30, ..StoreOptions::default() };
    let error = Store::connect(&address, &options).await.unwrap_err();
    assert!(matches!(error, StoreError::Unreachable { .. }), "{error}");
}

#[tokio::test]
async fn postgres_tells_a_wrong_password_from_a_missing_database() {
    let Some(address) = postgres() else { return };
    let (front, back) = address.rsplit_once('@').unwrap();
    let (server, _) = back.split_once('/').unwrap();

    let error = refusal(&format!("{front}@{server}/no_such_game")).await;
    assert!(matches!(error, StoreError::NoSuchDatabase { .. }), "{error}");

    let (scheme_and_user, password) = front.rsplit_once(':').unwrap();
    if password.starts_with("//") {
        eprintln!("skipped: this server asks for no password");
        return;
    }
    let error = refusal(&format!("{scheme_and_user}:hunter2@{back}")).await;
    assert!(matches!(error, StoreError::LoginRefused { .. }), "{error}");
    assert!(!error.to_string().contains("hunter2") && !error.is_passing(), "{error}");
}

#[tokio::test]
async fn a_connection_that_the_server_ended_is_replaced() {
    on_each_place(async |place| {
        let options = StoreOptions { postgres_connections: 1, ..StoreOptions::default() };
        let store = Store::connect(&place.address, &options).await.unwrap();
        if let Store::Postgres(postgres) = &store {
            let own = sqlx::query_scalar::<_, i32>("SELECT pg_backend_pid()");
            let pid = own.fetch_one(&postgres.pool).await.unwrap();
            let other = place.open().await;
            let Store::Postgres(other_pool) = &other else { panic!("both have one address") };
            let end = sqlx::query("SELECT pg_terminate_backend($1, 5000)").bind(pid);
            end.execute(&other_pool.pool).await.unwrap();
            other.close().await;
        }
        characters::save_batch(&store, &[row("Ada", "{}", 1)]).await.unwrap();
        assert!(characters::exists(&store, "ada").await.unwrap());
        store.close().await;
    })
    .await;
}
