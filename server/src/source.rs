//! The database of another state folder, for who makes something from it: a fork, an answer about its past.
//!
//! Invariant: it is only read; one that no server has open is copied first, since even looking into it writes beside
//! it.

use crate::state_dir::StateDir;
use crate::store::{Store, StoreOptions};
use anyhow::Context;
use std::path::Path;

/// The old database.
pub struct Source {
    pub store: Store,
    _copy: Option<tempfile::TempDir>,
}

impl Source {
    pub async fn open(state_dir: &Path, db: Option<&str>) -> anyhow::Result<Source> {
        let state = StateDir::look(state_dir)?;
        if let Some(db) = db {
            return Ok(Source { store: Store::connect(db, &StoreOptions::of_state(state_dir)).await?, _copy: None });
        }
        // Held while it is copied, so that no server starts to write meanwhile.
        let Some(_claim) = state.claim_without_server()? else {
            let store = Store::connect(&state.default_database(), &StoreOptions::of_state(state_dir)).await?;
            return Ok(Source { store, _copy: None });
        };
        let copy = tempfile::tempdir().context("making a temporary folder")?;
        for name in ["darkpawns.sqlite", "darkpawns.sqlite-wal"] {
            let from = state_dir.join(name);
            if from.exists() {
                std::fs::copy(&from, copy.path().join(name)).with_context(|| format!("copying {}", from.display()))?;
            }
        }
        let address = format!("sqlite:{}", copy.path().join("darkpawns.sqlite").display());
        Ok(Source { store: Store::connect(&address, &StoreOptions::of_state(state_dir)).await?, _copy: Some(copy) })
    }
}
