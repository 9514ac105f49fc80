//! Whose a folder is: each folder of dreams or session files says which server writes it.
//!
//! What lies there is told to whoever has the name, so two servers in one folder would hand their characters each
//! other's pasts. Leaves the state folder to its lock. Invariants: nothing is written into a folder that another server
//! has marked; a folder without a mark, as all of before are, becomes that of the server that starts with it first.

use crate::files::{make_private_folder, write_whole};
use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The file that says it.
pub const MARK: &str = dream_folder::OWNER_FILE;

/// A server, as its folders know it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderOwner {
    /// Id of its database (`meta::database_id`).
    database: String,
    /// Absolute. Two servers have one database id where a state folder was copied.
    state_dir: PathBuf,
}

impl FolderOwner {
    pub fn new(database: &str, state_dir: &Path) -> anyhow::Result<FolderOwner> {
        let state_dir = std::path::absolute(state_dir).context("looking for the state folder")?;
        Ok(FolderOwner { database: database.to_string(), state_dir })
    }

    /// Refuses a folder that is another server's. `flag`: with which one of its own is given.
    pub fn check(&self, folder: &Path, flag: &str) -> anyhow::Result<()> {
        self.marked(folder, flag).map(drop)
    }

    /// The same, and marks the folder as this server's; it is made where it is missing. Where that cannot be done it is
    /// logged only: who writes there tells that too, each time.
    pub fn claim(&self, folder: &Path, flag: &str) -> anyhow::Result<()> {
        if self.marked(folder, flag)?.as_ref() == Some(self) {
            return Ok(());
        }
        let mark = serde_json::to_vec(self).context("a folder's mark as JSON")?;
        let marked = make_private_folder(folder).and_then(|()| write_whole(&folder.join(MARK), &mark));
        if let Err(error) = marked {
            tracing::warn!(folder = %folder.display(), %error, "a folder could not be marked as this server's");
        }
        Ok(())
    }

    /// Whose the folder is, if it is marked, and not another's.
    fn marked(&self, folder: &Path, flag: &str) -> anyhow::Result<Option<FolderOwner>> {
        let mark = folder.join(MARK);
        let bytes = match std::fs::read(&mark) {
            Ok(bytes) => bytes,
            // No folder, or no mark.
            Err(_) if !mark.exists() => return Ok(None),
            Err(error) => return Err(error).with_context(|| format!("reading {}", mark.display())),
        };
        let owner: FolderOwner = serde_json::from_slice(&bytes).with_context(|| {
            format!(
                "{} should say whose the folder is, and cannot be read; delete it if the folder is this server's",
                mark.display()
            )
        })?;
        let is_below = std::path::absolute(folder).is_ok_and(|folder| folder.starts_with(&self.state_dir));
        if owner.database != self.database || (!is_below && owner.was_copied_to(self)) {
            bail!(
                "the folder {} belongs to the server with the state folder {}; this one has {}, and each would tell \
                 its characters what the other's remember. Name another folder with {flag}. Should it be this \
                 server's after all (its database was made anew, or it was moved), delete {}",
                folder.display(),
                owner.state_dir.display(),
                self.state_dir.display(),
                mark.display()
            );
        }
        Ok(Some(owner))
    }

    /// Whether this one's state folder is still there, beside another with the same database. After a move it is not.
    fn was_copied_to(&self, other: &FolderOwner) -> bool {
        if self.state_dir == other.state_dir || !self.state_dir.join("journal").is_dir() {
            return false;
        }
        let real = |path: &Path| std::fs::canonicalize(path).ok();
        real(&self.state_dir) != real(&other.state_dir)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_its_first_servers_until_that_has_moved_away() {
        let root = tempfile::tempdir().expect("a folder");
        let (folder, state) = (root.path().join("dreams"), |name: &str| root.path().join(name));
        for name in ["one", "two"] {
            std::fs::create_dir_all(state(name).join("journal")).expect("made");
        }
        let owner = |database: &str, name: &str| FolderOwner::new(database, &state(name)).expect("a path");
        let refusal = |owner: FolderOwner| {
            let told = owner.claim(&folder, "--dreaming-dir").err().map(|error| error.to_string());
            assert_eq!(told, owner.check(&folder, "--dreaming-dir").err().map(|error| error.to_string()));
            told
        };
        owner("aa", "one").check(&folder, "--dreaming-dir").expect("there is no folder yet");
        assert!(!folder.exists(), "looking makes nothing");
        assert_eq!(refusal(owner("aa", "one")), None);
        assert_eq!(refusal(owner("aa", "one")), None, "the second start");
        let told = refusal(owner("bb", "two")).expect("another database");
        for part in ["dreams", "one", "two", "--dreaming-dir", MARK] {
            assert!(told.contains(part), "{part}: {told}");
        }
        assert!(refusal(owner("aa", "two")).is_some(), "a copy beside its original");
        let below = state("two").join("dreaming");
        owner("aa", "one").claim(&below, "--dreaming-dir").expect("nobody's yet");
        owner("aa", "two").claim(&below, "--dreaming-dir").expect("it was copied with its state folder");
        std::fs::remove_dir_all(state("one")).expect("gone");
        assert_eq!(refusal(owner("aa", "two")), None, "it was moved");
        assert!(refusal(owner("bb", "one")).is_some(), "and is that one's now");
        std::fs::write(folder.join(MARK), "{").expect("written");
        assert!(refusal(owner("aa", "two")).expect("damaged").contains("delete it"));
    }
}
