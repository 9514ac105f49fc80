//! Who may make which call, and who may no more.

use super::*;
use crate::accounts::{Accounts, Credential};
use crate::capture::{Capture, Writer};
use crate::engine::Engine;
use crate::limits::Limits;
use crate::minds::Minds;
use crate::moderation::Moderator;
use crate::operator::{Maker, promote_stored};
use crate::saver::Saver;
use crate::store::testing::Place;
use crate::times::WallClock;
use axum::http::HeaderMap;
use protocol::verbs::VERBS;
use world::World;
use world::rules::Rules;

const ADMIN_TOKEN: &str = "the token of the state folder";
const OK: u16 = 200;

fn address() -> IpAddr {
    IpAddr::from([192, 0, 2, 7])
}

async fn gate(place: &Place) -> Gate {
    let store = place.open().await;
    let scene = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/scenes/green");
    let (content, _) = crate::content_files::read_world(&scene, None).expect("the scene is there");
    let world = World::new(Arc::new(content), Arc::new(Rules::built_in()), 7);
    let saver = Saver::new(store.clone());
    let capture = Capture::new(Writer::new(store.clone()));
    let engine =
        Engine::new(world.clone(), saver.clone(), Minds::new(store.clone()), capture, None, WallClock::Machine);
    let limits = Limits { calls_per_second: 0, logins_per_second: 0, ..Limits::DEFAULT };
    let lobby = Lobby::new(engine, Accounts::new(store), saver, limits, &world);
    Gate { lobby: Arc::new(lobby), token: ADMIN_TOKEN.into() }
}

/// The token of somebody's login, as the header has it.
async fn bearer(gate: &Gate, name: &str, level: i32) -> String {
    let lobby = &gate.lobby;
    let maker = Maker { accounts: &lobby.accounts, rules: &lobby.rules, hometown: 'A', number: 0, seed: 7 };
    let key = maker.keygen(name, None, None).await.expect("a key").key;
    promote_stored(lobby.accounts.store(), name, level).await.expect("it is there");
    let login = lobby.login(name, Credential::Password(key), address()).await.expect("a good key");
    format!("Bearer {}", lobby.token(&login, false).await.expect("a token").token)
}

/// With which status a call with this header comes back, before anything is done; 200: it is made.
async fn status(gate: &Gate, authorization: Option<&str>, right: Right) -> u16 {
    let value = authorization.map(|text| HeaderValue::from_str(text).expect("it may stand in a header"));
    let headers: HeaderMap = value.map(|value| (header::AUTHORIZATION, value)).into_iter().collect();
    match gate.caller(crate::bearer::given(&headers), Some(address()), right).await {
        Ok(_) => OK,
        Err(refusal) => refusal.status.as_u16(),
    }
}

#[tokio::test]
async fn each_call_is_for_whom_it_is_for() {
    let place = Place::sqlite();
    let gate = gate(&place).await;
    let admin = format!("Bearer {ADMIN_TOKEN}");
    let callers = [
        ("nobody", None),
        ("a player", Some(bearer(&gate, "Ann", 30).await)),
        ("a low immortal", Some(bearer(&gate, "Bob", 37).await)),
        ("an immortal of 38", Some(bearer(&gate, "Cid", 38).await)),
        ("an immortal of 39", Some(bearer(&gate, "Dan", 39).await)),
        ("who has the admin token", Some(admin)),
    ];
    // In the order of the callers.
    let (moderators, stoppers, operators) =
        ([401, 403, 403, OK, OK, OK], [401, 403, 403, 403, OK, OK], [401, 403, 403, 403, 403, OK]);
    let rows = [
        (
            moderators,
            "GET me, GET sessions, POST disconnect, GET limits, GET bans, POST bans, POST unban, GET complaints, \
             GET keys, GET audit, POST announce, POST reload, POST scripts/reload",
        ),
        (stoppers, "POST copyover, POST shutdown"),
        (
            operators,
            "POST keys, POST host-keys, POST revoke, POST passwd, POST remove, POST promote, POST inherit, \
             POST backup, GET edit, POST edit, POST place, POST post, POST roll, POST tick, GET nothing, DELETE bans",
        ),
    ];
    let mut told = Vec::new();
    for (expected, calls) in rows {
        for call in calls.split(", ") {
            told.push(call.to_string());
            let (method, path) = call.split_once(' ').expect("a method and a path");
            let right = right_of(&method.parse().expect("a method"), &format!("/admin/{path}"));
            for ((who, given), expected) in callers.iter().zip(expected) {
                assert_eq!(status(&gate, given.as_deref(), right).await, expected, "{call} by {who}");
            }
        }
    }
    for Call { method, path, .. } in CALLS {
        assert!(told.contains(&format!("{method} {path}")), "{method} {path} has no row in this test");
    }
}

#[tokio::test]
async fn who_loses_level_token_or_place_loses_the_right_at_once() {
    let place = Place::sqlite();
    let gate = gate(&place).await;
    let (lobby, store) = (gate.lobby.clone(), gate.lobby.accounts.store().clone());
    let (dan, eve) = (bearer(&gate, "Dan", 39).await, bearer(&gate, "Eve", 39).await);
    assert_eq!(status(&gate, Some(&dan), MODERATOR).await, OK);
    promote_stored(&store, "Dan", 38).await.expect("it works");
    assert_eq!((status(&gate, Some(&dan), STOPS_SERVER).await, status(&gate, Some(&dan), MODERATOR).await), (403, OK));
    promote_stored(&store, "Dan", 30).await.expect("it works");
    assert_eq!(status(&gate, Some(&dan), MODERATOR).await, 403);
    // A key that is revoked takes the tokens along that came of it.
    let key = lobby.accounts.keys(Some("Eve")).await.expect("it works")[0].id;
    let number = match key {
        crate::accounts::KeyId::Agent(id) => id.to_string(),
        crate::accounts::KeyId::Host(id) => format!("h{id}"),
    };
    lobby.accounts.revoke(&number, unix_ms()).await.expect("it is there");
    assert_eq!(status(&gate, Some(&eve), MODERATOR).await, 401);
    let fay = bearer(&gate, "Fay", 38).await;
    let operator = Moderator::operator();
    let _other_keeper = bearer(&gate, "Gus", 40).await;
    moderation::ban(&store, &lobby.bans, &operator, "Fay", None, "").await.expect("it works");
    assert_eq!(status(&gate, Some(&fay), MODERATOR).await, 403);
}

#[tokio::test]
async fn tokens_that_are_nobodys_lock_an_address_out_but_not_the_operator() {
    let place = Place::sqlite();
    let gate = gate(&place).await;
    for nth in 0..Limits::DEFAULT.failures_before_lockout {
        assert_eq!(status(&gate, Some("Bearer 0000"), MODERATOR).await, 401, "{nth}");
    }
    assert_eq!(status(&gate, Some("Bearer 0000"), MODERATOR).await, 429);
    assert_eq!(status(&gate, Some("Basic 0000"), MODERATOR).await, 429);
    assert_eq!(status(&gate, None, MODERATOR).await, 401, "who gives nothing guesses nothing");
    assert_eq!(status(&gate, Some(&format!("Bearer {ADMIN_TOKEN}")), Right::Token).await, OK);
    assert!(gate.lobby.addresses.locked_out(gate.lobby.now_ms()) == 1);
}

#[test]
fn the_server_is_stopped_here_by_whom_it_is_in_the_game() {
    for (name, level) in [("shutdown", SHUTDOWN_LEVEL), ("copyover", SHUTDOWN_LEVEL), ("ban", MODERATOR_LEVEL)] {
        let verb = VERBS.iter().find(|verb| verb.name == name).expect("it is a verb");
        assert_eq!(verb.level, level, "{name}");
    }
}
