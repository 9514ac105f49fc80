//! Accounts on a real store, SQLite and PostgreSQL alike.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::store::sessions::NewSession;
use crate::store::testing::on_each_store;
use crate::store::tokens::TOKENS_PER_NAME;
use crate::store::{accounts, characters, sessions};

const NOW: i64 = 1_795_000_000_000;

fn character(name: &str) -> CharacterRow {
    CharacterRow {
        name: name.to_owned(),
        data: "{}".to_owned(),
        written_by_input: 1,
        updated_at: NOW,
        level: 1,
        immortal_level: 0,
    }
}

async fn create(
    accounts: &Accounts,
    name: &str,
    password: Option<&str>,
    with_key: bool,
) -> Result<Option<IssuedKey>, CreateRefusal> {
    let character = character(name);
    accounts.create(NewAccount { display_name: name, password, with_key, character: &character }, NOW).await
}

fn password(text: &str) -> Credential {
    Credential::Password(text.to_owned())
}

fn by_key(key: &IssuedKey) -> Credential {
    Credential::Key(key.reveal().to_owned())
}

fn by_token(token: &IssuedToken) -> Credential {
    Credential::Token(token.token.clone())
}

#[tokio::test]
async fn a_password_logs_in_its_own_name_in_any_case() {
    on_each_store(async |store| {
        let accounts = Accounts::new(store.clone());
        create(&accounts, "Brenda69", Some("swordfish"), false).await.unwrap();
        let login = accounts.login(" bRENDA69", password("swordfish"), NOW + 5).await.unwrap();
        let first = Login {
            name: "brenda69".to_owned(),
            display_name: "Brenda69".to_owned(),
            entrance: Entrance::Password,
            created_at_ms: NOW,
            last_here_at_ms: None,
            last_came_at_ms: None,
        };
        assert_eq!(login, first);
        let login = accounts.login("brenda69", password("swordfish"), NOW + 9).await.unwrap();
        assert_eq!(login, Login { last_here_at_ms: Some(NOW + 5), last_came_at_ms: Some(NOW + 5), ..first.clone() });
        // Whoever stays for an hour was last here at the end of it.
        let session = NewSession { name: "Brenda69".to_owned(), started_at: NOW + 9, ..NewSession::default() };
        let id = sessions::begin(store, &session).await.unwrap();
        sessions::end(store, id, NOW + 70).await.unwrap();
        let login = accounts.login("brenda69", password("swordfish"), NOW + 90).await.unwrap();
        assert_eq!(login, Login { last_here_at_ms: Some(NOW + 70), last_came_at_ms: Some(NOW + 9), ..first });

        let wrong = accounts.login("brenda69", password("Swordfish"), NOW).await.unwrap_err();
        assert_eq!(wrong.to_string(), "Invalid password.");
        assert!(matches!(wrong, LoginRefusal::WrongPassword) && wrong.counts_as_failure());
        let unknown = accounts.login("brend", password("swordfish"), NOW).await.unwrap_err();
        assert!(matches!(unknown, LoginRefusal::UnknownName) && !unknown.counts_as_failure());
    })
    .await;
}

#[tokio::test]
async fn a_key_logs_in_its_own_character_only_also_as_the_password() {
    on_each_store(async |store| {
        let accounts = Accounts::new(store.clone());
        let key = create(&accounts, "Ada", None, true).await.unwrap().unwrap();
        create(&accounts, "Bob", Some("swordfish"), false).await.unwrap();

        for credential in [by_key(&key), password(key.reveal()), password(&format!(" {} ", key.reveal()))] {
            let login = accounts.login("ADA", credential, NOW + 1).await.unwrap();
            assert!(matches!(login.entrance, Entrance::Key { .. }), "{login:?}");
        }
        assert_eq!(accounts.keys(None).await.unwrap()[0].row.last_used_at, Some(NOW + 1));

        for name in ["bob", "nobody"] {
            let refusal = accounts.login(name, password(key.reveal()), NOW).await.unwrap_err();
            assert_eq!(refusal.to_string(), "Invalid password.");
            assert!(matches!(refusal, LoginRefusal::KeyOfAnother { owner } if owner == "ada"), "{name}");
        }
        let stranger = keys::generate();
        for (name, credential) in [("ada", by_key(&stranger)), ("bob", by_key(&stranger))] {
            let refusal = accounts.login(name, credential, NOW).await.unwrap_err();
            assert!(matches!(refusal, LoginRefusal::WrongPassword), "{name}");
        }
        let garbage = accounts.login("ada", Credential::Key("dp_12".to_owned()), NOW).await.unwrap_err();
        assert!(matches!(garbage, LoginRefusal::WrongPassword));
        let unknown = accounts.login("nobody", by_key(&stranger), NOW).await.unwrap_err();
        assert!(matches!(unknown, LoginRefusal::UnknownName));
        let no_password = accounts.login("ada", password("anything"), NOW).await.unwrap_err();
        assert_eq!(no_password.to_string(), "Invalid password.");
        assert!(matches!(no_password, LoginRefusal::NoPassword));
    })
    .await;
}

#[tokio::test]
async fn a_revoked_key_and_its_tokens_open_nothing() {
    on_each_store(async |store| {
        let accounts = Accounts::new(store.clone());
        let key = create(&accounts, "Ada", Some("swordfish"), true).await.unwrap().unwrap();
        let other = accounts.keygen("ada", NOW).await.unwrap();
        let login = accounts.login("ada", by_key(&key), NOW).await.unwrap();
        let token = accounts.issue_token(&login, true, NOW).await.unwrap().unwrap();
        let login_by_password = accounts.login("ada", password("swordfish"), NOW).await.unwrap();
        let password_token = accounts.issue_token(&login_by_password, false, NOW).await.unwrap().unwrap();

        let revoked = accounts.revoke(key.prefix(), NOW + 7).await.unwrap();
        assert_eq!((revoked.row.revoked_at, Some(revoked.id)), (Some(NOW + 7), login.entrance.key()));
        let refusal = accounts.login("ada", by_key(&key), NOW).await.unwrap_err();
        assert_eq!(refusal.to_string(), "Invalid password.");
        assert!(matches!(refusal, LoginRefusal::KeyRevoked { .. }));
        let refusal = accounts.login("ada", by_token(&token), NOW).await.unwrap_err();
        assert!(matches!(refusal, LoginRefusal::TokenExpired));
        assert_eq!(accounts.issue_token(&login, true, NOW).await.unwrap(), None, "nor is another one issued");

        for credential in [by_key(&other), by_token(&password_token), password("swordfish")] {
            accounts.login("ada", credential, NOW).await.unwrap();
        }
    })
    .await;
}

#[tokio::test]
async fn a_key_is_revoked_by_prefix_by_id_or_whole_and_once() {
    on_each_store(async |store| {
        let accounts = Accounts::new(store.clone());
        let keys = [
            create(&accounts, "Ada", None, true).await.unwrap().unwrap(),
            accounts.keygen("Ada", NOW).await.unwrap(),
            accounts.keygen("ada", NOW).await.unwrap(),
            accounts.keygen("ada", NOW).await.unwrap(),
        ];
        let listed = accounts.keys(Some("ADA")).await.unwrap();
        assert_eq!(
            listed.iter().map(|key| key.row.prefix.as_str()).collect::<Vec<_>>(),
            keys.iter().map(|key| key.prefix()).collect::<Vec<_>>()
        );
        assert!(listed.is_sorted_by_key(|key| key.id) && listed.iter().all(|key| key.row.name == "ada"));

        let marked = format!("dp_{}", keys[3].prefix().to_uppercase());
        for (key, given) in [(0, keys[0].prefix()), (1, keys[1].reveal()), (3, marked.as_str())] {
            assert_eq!(accounts.revoke(given, NOW).await.unwrap().id, listed[key].id);
        }
        let id = listed[2].id.to_string();
        assert_eq!(accounts.revoke(&id, NOW).await.unwrap().id, listed[2].id);

        let again = accounts.revoke(&id, NOW + 1).await.unwrap_err();
        assert!(matches!(again, KeyRefusal::RevokedAlready { .. }), "{again}");
        for given in ["", "99999", "00000000", "zz", "-1"] {
            let unknown = accounts.revoke(given, NOW).await.unwrap_err();
            assert!(matches!(unknown, KeyRefusal::UnknownKey { .. }), "{given:?}: {unknown}");
        }
        let whole = keys::generate();
        let unknown = accounts.revoke(whole.reveal(), NOW).await.unwrap_err().to_string();
        assert!(!unknown.contains(&whole.reveal()[11..]), "a message shows no whole key: {unknown}");
        assert!(accounts.keys(None).await.unwrap().iter().all(|key| key.row.revoked_at.is_some()));
        assert!(matches!(accounts.keygen("nobody", NOW).await, Err(KeyRefusal::UnknownName { .. })));
    })
    .await;
}

#[tokio::test]
async fn two_keys_of_one_prefix_are_told_apart_by_id() {
    on_each_store(async |store| {
        let accounts = Accounts::new(store.clone());
        create(&accounts, "Ada", Some("swordfish"), false).await.unwrap();
        for digest in ["a", "b"] {
            let twin = NewKey { prefix: "12345678".to_owned(), digest: digest.to_owned(), created_at: NOW };
            store::keys::insert(store, "ada", &twin).await.unwrap();
        }
        let Err(KeyRefusal::Ambiguous { ids, .. }) = accounts.revoke("12345678", NOW).await else {
            panic!("neither may be revoked by guess");
        };
        let second = ids.split(", ").nth(1).expect("both are told");
        assert_eq!(accounts.revoke(second, NOW).await.unwrap().id.to_string(), second);
    })
    .await;
}

#[tokio::test]
async fn a_token_logs_in_its_own_character_for_a_day() {
    on_each_store(async |store| {
        let accounts = Accounts::new(store.clone());
        let key = create(&accounts, "Ada", None, true).await.unwrap().unwrap();
        create(&accounts, "Bob", Some("swordfish"), false).await.unwrap();
        let login = accounts.login("ada", by_key(&key), NOW).await.unwrap();
        let token = accounts.issue_token(&login, true, NOW).await.unwrap().unwrap();

        let back = accounts.login("Ada", by_token(&token), NOW + tokens::LIFE_MS - 1).await.unwrap();
        assert_eq!(
            back.entrance,
            Entrance::Token { is_agent: true, key_id: login.entrance.key_id(), host_key_id: None }
        );
        let expired = accounts.login("ada", by_token(&token), NOW + tokens::LIFE_MS).await.unwrap_err();
        assert!(matches!(expired, LoginRefusal::TokenExpired));
        for name in ["bob", "nobody"] {
            let refusal = accounts.login(name, by_token(&token), NOW).await.unwrap_err();
            assert!(matches!(refusal, LoginRefusal::TokenOfAnother { owner } if owner == "ada"), "{name}");
        }
        for made_up in ["", "eyJhbGciOi...", &token.digest] {
            let refusal = accounts.login("ada", Credential::Token(made_up.to_owned()), NOW).await.unwrap_err();
            assert!(matches!(refusal, LoginRefusal::TokenExpired), "{made_up:?}");
        }
        assert!(accounts.login("ada", password(&token.token), NOW).await.is_err(), "a token is no password");
    })
    .await;
}

#[tokio::test]
async fn a_token_is_renewed_in_its_last_hour_and_not_before_or_after() {
    on_each_store(async |store| {
        let accounts = Accounts::new(store.clone());
        create(&accounts, "Ada", Some("swordfish"), false).await.unwrap();
        let login = accounts.login("ada", password("swordfish"), NOW).await.unwrap();
        let first = accounts.issue_token(&login, true, NOW).await.unwrap().unwrap();
        let end = first.expires_at_ms;
        for early_or_late in [NOW, end - tokens::REFRESH_MS - 1, end] {
            assert_eq!(accounts.renew_token(&first.digest, early_or_late).await.unwrap(), None);
        }
        let due = end - tokens::REFRESH_MS;
        let second = accounts.renew_token(&first.digest, due).await.unwrap().unwrap();
        assert_eq!(second.expires_at_ms, due + tokens::LIFE_MS);
        for token in [&first, &second] {
            let back = accounts.login("ada", by_token(token), due).await.unwrap();
            assert_eq!(back.entrance, Entrance::Token { is_agent: true, key_id: None, host_key_id: None });
        }
        assert_eq!(store::tokens::delete_expired(store, end).await.unwrap(), 1);
        assert!(accounts.login("ada", by_token(&second), end).await.is_ok());
    })
    .await;
}

#[tokio::test]
async fn the_tokens_of_one_character_are_bounded() {
    on_each_store(async |store| {
        let accounts = Accounts::new(store.clone());
        let key = create(&accounts, "Ada", None, true).await.unwrap().unwrap();
        let login = accounts.login("ada", by_key(&key), NOW).await.unwrap();
        let mut issued = Vec::new();
        for nth in 0..=TOKENS_PER_NAME {
            issued.push(accounts.issue_token(&login, true, NOW + nth).await.unwrap().unwrap());
        }
        assert!(accounts.login("ada", by_token(&issued[0]), NOW).await.is_err(), "the first made room");
        for token in &issued[1..] {
            accounts.login("ada", by_token(token), NOW).await.unwrap();
        }
    })
    .await;
}

#[tokio::test]
async fn a_changed_password_ends_the_old_one_and_its_tokens() {
    on_each_store(async |store| {
        let accounts = Accounts::new(store.clone());
        let key = create(&accounts, "Ada", Some("swordfish"), true).await.unwrap().unwrap();
        let login = accounts.login("ada", password("swordfish"), NOW).await.unwrap();
        let old_token = accounts.issue_token(&login, false, NOW).await.unwrap().unwrap();
        let login = accounts.login("ada", by_key(&key), NOW).await.unwrap();
        let key_token = accounts.issue_token(&login, true, NOW).await.unwrap().unwrap();

        let wrong = accounts.change_password("ada", "guess", "trumpets").await.unwrap_err();
        assert!(matches!(wrong, ChangeRefusal::WrongPassword));
        let short = accounts.change_password("ada", "swordfish", "x").await.unwrap_err();
        assert!(matches!(short, ChangeRefusal::Password(PasswordRefusal::TooShort)));
        accounts.login("ada", password("swordfish"), NOW).await.unwrap();

        accounts.change_password("ADA", "swordfish", "trumpets").await.unwrap();
        assert!(accounts.login("ada", password("swordfish"), NOW).await.is_err());
        assert!(accounts.login("ada", by_token(&old_token), NOW).await.is_err());
        for credential in [password("trumpets"), by_key(&key), by_token(&key_token)] {
            accounts.login("ada", credential, NOW).await.unwrap();
        }
        let nobody = accounts.change_password("nobody", "", "trumpets").await.unwrap_err();
        assert!(matches!(nobody, ChangeRefusal::UnknownName));
    })
    .await;
}

#[tokio::test]
async fn a_new_character_is_logged_in_without_being_checked_and_short_passwords_of_before_open() {
    on_each_store(async |store| {
        let accounts = Accounts::new(store.clone());
        let mut character = character("ada");
        let account =
            NewAccount { display_name: "Ada", password: Some("swordfish"), with_key: false, character: &character };
        let login = accounts.create_and_log_in(account, NOW).await.unwrap();
        assert_eq!(
            login,
            Login {
                last_here_at_ms: None,
                last_came_at_ms: None,
                ..accounts.login("ada", password("swordfish"), NOW).await.unwrap()
            }
        );
        // Of before: three characters were enough.
        let short = Passwords::new(1).hash("abc").await.unwrap();
        store::accounts::set_password(store, "ada", &short).await.unwrap();
        accounts.login("ada", password("abc"), NOW).await.unwrap();
        character.name = "bren".into();
        let account =
            NewAccount { display_name: "Bren", password: Some("abc"), with_key: false, character: &character };
        let refusal = accounts.create_and_log_in(account, NOW).await.unwrap_err();
        assert!(matches!(refusal, CreateRefusal::Password(PasswordRefusal::TooShort)));
    })
    .await;
}

#[tokio::test]
async fn an_account_with_a_key_only_gets_its_first_password_by_that_key() {
    on_each_store(async |store| {
        let accounts = Accounts::new(store.clone());
        let key = create(&accounts, "Ada", None, true).await.unwrap().unwrap();
        let others = create(&accounts, "Bren", None, true).await.unwrap().unwrap();
        let revoked = accounts.keygen("ada", NOW).await.unwrap();
        accounts.revoke(revoked.reveal(), NOW).await.unwrap();
        for proof in ["", "trumpets", others.reveal(), revoked.reveal()] {
            let refusal = accounts.change_password("ada", proof, "trumpets").await.unwrap_err();
            assert!(matches!(refusal, ChangeRefusal::NeedsKey), "{refusal}");
        }
        accounts.change_password("ada", key.reveal(), "trumpets").await.unwrap();
        let again = accounts.change_password("ada", key.reveal(), "swordfish").await.unwrap_err();
        assert!(matches!(again, ChangeRefusal::WrongPassword), "where there is a password, that is the proof");
        accounts.login("ada", password("trumpets"), NOW).await.unwrap();
        accounts.set_password("ada", "swordfish").await.unwrap();
        accounts.login("ada", password("swordfish"), NOW).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_refused_creation_leaves_nothing_behind() {
    on_each_store(async |store| {
        let accounts = Accounts::new(store.clone());
        create(&accounts, "Ada", Some("swordfish"), false).await.unwrap();
        let taken = create(&accounts, "aDA", Some("trumpets"), true).await.unwrap_err();
        assert_eq!(taken.to_string(), "The name aDA is taken. Choose another.");
        assert!(accounts.login("ada", password("swordfish"), NOW).await.is_ok(), "the first one is as it was");
        assert!(accounts.keys(None).await.unwrap().is_empty());

        characters::save_batch(store, &[character("Old")]).await.unwrap();
        let taken = create(&accounts, "Old", None, true).await.unwrap_err();
        assert!(matches!(taken, CreateRefusal::NameTaken { .. }), "its character is there, from somewhere");
        assert!(!accounts.exists("old").await.unwrap());

        assert!(matches!(create(&accounts, "Bob", None, false).await, Err(CreateRefusal::NoWayIn)));
        assert!(matches!(create(&accounts, "Bob", Some("bob"), true).await, Err(CreateRefusal::Password(_))));
        assert_eq!(accounts::count(store).await.unwrap(), 1);
        assert_eq!(characters::count(store).await.unwrap(), 2);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_who_take_one_name_at_once_one_gets_it() {
    on_each_store(async |store| {
        let accounts = Accounts::new(store.clone());
        let tries: Vec<_> = (0..8)
            .map(|_| {
                let accounts = accounts.clone();
                tokio::spawn(async move { create(&accounts, "Ada", None, true).await })
            })
            .collect();
        let mut made = 0;
        for one in tries {
            match one.await.unwrap() {
                Ok(_) => made += 1,
                Err(refusal) => assert!(matches!(refusal, CreateRefusal::NameTaken { .. }), "{refusal}"),
            }
        }
        assert_eq!(made, 1);
        assert_eq!(accounts.keys(None).await.unwrap().len(), 1, "and one key");
    })
    .await;
}

#[tokio::test]
async fn no_secret_shows_in_a_debug_text() {
    on_each_store(async |store| {
        let accounts = Accounts::new(store.clone());
        let key = create(&accounts, "Ada", Some("swordfish"), true).await.unwrap().unwrap();
        let login = accounts.login("ada", by_key(&key), NOW).await.unwrap();
        let token = accounts.issue_token(&login, true, NOW).await.unwrap().unwrap();
        let row = accounts::find(store, "ada").await.unwrap().unwrap();
        let shown = format!("{key:?} {token:?} {row:?} {:?} {:?}", password("swordfish"), by_token(&token));
        for secret in ["swordfish", "argon2", &key.reveal()[11..], &token.token[..8]] {
            assert!(!shown.contains(secret), "{shown}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_host_s_key_opens_its_owner_s_agents_until_it_is_revoked() {
    on_each_store(async |store| {
        let accounts = Accounts::new(store.clone());
        create(&accounts, "Ada", Some("swordfish"), false).await.unwrap();
        let agent_key = create(&accounts, "Scout", None, true).await.unwrap().unwrap();
        assert!(matches!(accounts.host_keygen("nobody", NOW).await, Err(KeyRefusal::UnknownName { .. })));
        let key = accounts.host_keygen("ADA", NOW).await.unwrap();
        let login = accounts.host_login(&format!(" {} ", key.reveal()), NOW + 1).await.unwrap();
        assert_eq!(login.owner, "ada");
        let listed = accounts.keys(Some("Ada")).await.unwrap();
        assert_eq!(
            (listed.len(), listed[0].id, listed[0].row.last_used_at),
            (1, KeyId::Host(login.key_id), Some(NOW + 1))
        );

        // It is nobody's password, and nobody's key is a host's.
        let refusal = accounts.login("ada", password(key.reveal()), NOW).await.unwrap_err();
        assert!(matches!(refusal, LoginRefusal::WrongPassword), "{refusal}");
        assert!(matches!(accounts.host_login(agent_key.reveal(), NOW).await, Err(HostRefusal::KeyOfAgent)));
        for (given, why) in [("", "nothing"), ("dh_12", "too short"), (&key.reveal()[3..], "without its mark")] {
            let refusal = accounts.host_login(given, NOW).await.unwrap_err();
            assert!(matches!(refusal, HostRefusal::BadForm), "{why}");
        }
        let stranger = keys::generate_for_host();
        let refusal = accounts.host_login(stranger.reveal(), NOW).await.unwrap_err();
        assert!(matches!(refusal, HostRefusal::Unknown) && !refusal.to_string().contains(stranger.prefix()));

        // Its tokens log agents in, as long as the key counts; a password of the agent's takes none of them away.
        let token = accounts.claim_token("scout", login.key_id, NOW).await.unwrap().unwrap();
        accounts.set_password("scout", "tortoises").await.unwrap();
        let by_claim = accounts.login("", by_token(&token), NOW).await.unwrap();
        assert_eq!((&*by_claim.name, by_claim.entrance.key()), ("scout", Some(KeyId::Host(login.key_id))));
        let due = token.expires_at_ms - tokens::REFRESH_MS;
        let next = accounts.renew_token(&token.digest, due).await.unwrap().unwrap();
        assert_eq!(accounts.login("", by_token(&next), due).await.unwrap().entrance.key(), by_claim.entrance.key());
        let number = KeyId::Host(login.key_id).to_string();
        assert_eq!(accounts.revoke(&number, NOW + 2).await.unwrap().row.revoked_at, Some(NOW + 2));
        assert!(matches!(accounts.revoke(key.reveal(), NOW).await, Err(KeyRefusal::RevokedAlready { .. })));
        assert!(matches!(accounts.host_login(key.reveal(), NOW).await, Err(HostRefusal::Revoked)));
        for token in [&token, &next] {
            let refusal = accounts.login("scout", by_token(token), NOW).await.unwrap_err();
            assert!(matches!(refusal, LoginRefusal::TokenExpired), "{refusal}");
        }
        assert_eq!(accounts.claim_token("scout", login.key_id, NOW).await.unwrap(), None);
    })
    .await;
}
