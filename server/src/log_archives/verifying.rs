//! Comparing archives with themselves: each file with its sum, each header with the file before it, each base with what
//! the entries give, and the folder with the rows that name files. So with those of decisions, which have no base.

use crate::log_base::{self, go_on};
use crate::store::Store;
use crate::store::agent_archives::{self, ArchiveRow, read_file};
use crate::store::decision_archives::{self, DecisionFile};
use mind::LogId;
use mind::base::Base;
use std::collections::BTreeSet;
use std::path::Path;

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Verified {
    pub files: u64,
    pub entries: u64,
    pub decisions: u64,
    pub bytes: u64,
    /// One sentence each, with the file.
    pub troubles: Vec<String>,
    /// Files that no row names: a run that was killed left them, and the next one clears them away.
    pub unnamed: Vec<String>,
}

/// Looks through the archives of one log and its character's decisions, or of all.
pub async fn verify(store: &Store, folder: &Path, whose: Option<&LogId>) -> anyhow::Result<Verified> {
    let mut verified = Verified::default();
    let mut rows = agent_archives::all(store).await?;
    rows.retain(|row| whose.is_none_or(|log| row.log() == *log));
    for files in rows.chunk_by(|one, next| one.log() == next.log()) {
        one_log(store, folder, files, &mut verified).await?;
    }
    let mut of_decisions = decision_archives::all(store).await?;
    of_decisions.retain(|file| whose.is_none_or(|log| file.name == log.character()));
    for files in of_decisions.chunk_by(|one, next| one.name == next.name) {
        decisions_of(folder, files, &mut verified).await?;
    }
    let files = rows.iter().map(|row| row.file.as_str());
    let named: BTreeSet<&str> = files.chain(of_decisions.iter().map(|file| file.file.as_str())).collect();
    let (folder, whose) = (folder.to_path_buf(), whose.map(|log| log.character().to_string()));
    let there = tokio::task::spawn_blocking(move || files_in(&folder, whose.as_deref())).await??;
    verified.unnamed = there.into_iter().filter(|file| !named.contains(file.as_str())).collect();
    Ok(verified)
}

async fn one_log(store: &Store, folder: &Path, files: &[ArchiveRow], found: &mut Verified) -> anyhow::Result<()> {
    // `None` behind a file that cannot be read: what the mind was is not known there.
    let mut base = Some(Base::default());
    let mut before: Option<&str> = None;
    for row in files {
        found.files += 1;
        found.entries += u64::try_from(row.entries)?;
        found.bytes += u64::try_from(row.bytes)?;
        let mut tell = |what: String| {
            let (first, last, log) = (row.first_seq, row.last_seq, row.log());
            found.troubles.push(format!("{}, entries #{first} to #{last} of {log}: {what}", row.file));
        };
        let (in_folder, of) = (folder.to_path_buf(), row.clone());
        let reading = tokio::task::spawn_blocking(move || read_file(&in_folder, &of));
        let (header, entries) = match reading.await? {
            Ok(read) => read,
            Err(trouble) => {
                tell(trouble.to_string());
                (base, before) = (log_base::stored(store, row).await?, Some(row.sha256.as_str()));
                continue;
            }
        };
        if header.before.as_deref() != before {
            tell("it does not follow the file before it".to_string());
        }
        before = Some(&row.sha256);
        let stored = log_base::stored(store, row).await?;
        base = match base {
            Some(base) => {
                let made = tokio::task::spawn_blocking(move || go_on(base, &entries)).await?;
                match made {
                    (base, _, None) => Some(base),
                    (_, _, Some(why)) => {
                        tell(format!("{why:#}"));
                        None
                    }
                }
            }
            None => None,
        };
        match (&stored, &base) {
            (Some(stored), Some(made)) if stored != made => {
                tell("what the mind was behind it is not what its entries give".to_string());
            }
            (None, Some(_)) => {
                tell("what the mind was behind it cannot be used; the next archiving makes it anew".into())
            }
            _ => {}
        }
    }
    Ok(())
}

/// The files of one character, in the order of their making.
async fn decisions_of(folder: &Path, files: &[DecisionFile], found: &mut Verified) -> anyhow::Result<()> {
    let mut before: Option<&str> = None;
    for file in files {
        found.files += 1;
        found.decisions += u64::try_from(file.decisions)?;
        found.bytes += u64::try_from(file.bytes)?;
        let mut tell = |what: String| {
            found.troubles.push(format!("{}, decisions of {} of {}: {what}", file.file, file.name, file.month));
        };
        let (in_folder, of) = (folder.to_path_buf(), file.clone());
        let reading = tokio::task::spawn_blocking(move || decision_archives::read_file(&in_folder, &of));
        match reading.await? {
            Err(trouble) => tell(trouble.to_string()),
            Ok((header, _)) if header.before.as_deref() != before => {
                tell("it does not follow the file before it".to_string());
            }
            Ok(_) => {}
        }
        before = Some(&file.sha256);
    }
    Ok(())
}

/// All files of archives, by name and number; `whose`: of this character alone.
fn files_in(folder: &Path, whose: Option<&str>) -> anyhow::Result<Vec<String>> {
    let mut found = Vec::new();
    for of_character in folders_in(folder)? {
        let name = of_character.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // What lies beside the logs is somebody else's.
        if agent_archives::folder_of(&name).is_none() || whose.is_some_and(|whose| whose != name) {
            continue;
        }
        for entry in std::fs::read_dir(&of_character)? {
            found.push(format!("{name}/{}", entry?.file_name().to_string_lossy()));
        }
    }
    found.sort();
    Ok(found)
}

fn folders_in(folder: &Path) -> anyhow::Result<Vec<std::path::PathBuf>> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            found.push(path);
        }
    }
    Ok(found)
}
