//! What players do to their own accounts at a transport: change the password, delete the character.

use super::Lobby;
use crate::engine::{AdminAnswer, AdminCall};
use crate::operator;
use crate::store::{self, StoreError};
use std::net::IpAddr;
use std::time::Duration;
use world::find::first_word;

/// The `password` verb: `<old> <new>`, kept at the edge. The sentence for the player.
pub async fn change_password(lobby: &Lobby, name: &str, args: &str, address: IpAddr) -> String {
    let (old, rest) = first_word(args);
    let (new, more) = first_word(rest);
    if new.is_empty() || !more.is_empty() {
        return "To change your password: password <old> <new>. Neither may have blanks in it.".into();
    }
    match lobby.change_password(name, old, new, address).await {
        Ok(()) => "Your password is changed.".into(),
        Err(refused) => refused.message().to_string(),
    }
}

/// Deletes a character wherever something is known of it: the world, the saves, the database, its mind, its dreams and
/// its session files. Whoever asks has proved that it may.
pub async fn delete(lobby: &Lobby, name: &str) -> Result<(), StoreError> {
    // It may stand link-dead in the world; its last save must not make the row again.
    let remove = async || {
        let reason = "This character was deleted.".to_string();
        let answer = lobby.engine.admin(AdminCall::Remove { name: name.to_string(), reason }).await;
        lobby.saver.drain_waiting(Duration::from_secs(10)).await;
        lobby.saver.forget(name);
        answer
    };
    remove().await;
    let store = lobby.accounts.store();
    store::characters::delete(store, name).await?;
    lobby.engine.minds.forget(name).await?;
    store::accounts::delete(store, name).await?;
    lobby.guesses.forget(name);
    lobby.engine.admin(AdminCall::Forget { name: name.to_string() }).await;
    // Another connection may have brought it in meanwhile, and its last save the row.
    if remove().await == Some(AdminAnswer::Done) {
        store::characters::delete(store, name).await?;
        lobby.engine.minds.forget(name).await?;
        lobby.engine.admin(AdminCall::Forget { name: name.to_string() }).await;
    }
    if let Some(dreams) = &lobby.dreams {
        dreams.forget(name).await;
    }
    if let Some(exports) = &lobby.exports {
        exports.forget(name).await;
    }
    // What it did just now is on its way to the others.
    lobby.engine.decisions.drain_of(name, Duration::from_secs(10)).await;
    store::samples::forget(store, name).await?;
    let nameless = store::deleted::rename(store, name).await?;
    tracing::info!(%name, nameless, "a character was deleted");
    Ok(())
}

/// At a start: what was deleted while no server ran goes from wherever it is left.
pub async fn remove_as_told(lobby: &Lobby) -> anyhow::Result<()> {
    let store = lobby.accounts.store();
    for name in operator::removed_meanwhile(store).await? {
        delete(lobby, &name).await?;
        operator::removal_is_done(store, &name).await?;
    }
    Ok(())
}
