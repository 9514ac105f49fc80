//! Restoring: a new state folder and an empty database become what they were when the backup was made.
//!
//! Invariant: all or nothing. The file is read to its end before anything is written, rows come in one transaction, and
//! what was made is taken away again when something fails.

use super::archive::{self, Checked, Found};
use crate::files::{make_private_folder, write_whole};
use crate::state_dir::StateDir;
use crate::store::agent_archives::own_folder;
use crate::store::dump::{self, Load};
use crate::store::{Store, StoreError, StoreOptions, meta};
use anyhow::{Context, ensure};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// What was restored, and where to.
#[derive(Clone, Debug)]
pub struct Restored {
    pub checked: Checked,
    /// What the database is called in messages.
    pub database: String,
}

/// Restores into a folder that holds neither a database nor a journal, and into the database at `address`, or else the
/// one that a server would use in that folder.
pub async fn restore(from: &Path, state_dir: &Path, address: Option<&str>) -> anyhow::Result<Restored> {
    let file = from.to_owned();
    let checked = tokio::task::spawn_blocking(move || archive::check(&file)).await.context("reading the backup")??;
    let (needs, known) = (checked.manifest.migration, dump::newest_migration());
    ensure!(
        needs <= known,
        "the backup {} has migration {needs} of the database, and this program knows {known}: it was made by dp-server \
         {}, use that one or a newer one; nothing was written",
        from.display(),
        checked.manifest.server
    );
    let is_new = !state_dir.exists();
    let state = StateDir::open(state_dir)?;
    let _claim = state.claim()?;
    let restored = into_folder(from, &checked, &state, state_dir, address).await;
    match restored {
        Ok(database) => Ok(Restored { checked, database }),
        Err(error) => {
            drop(_claim);
            if is_new {
                // Nothing but the lock is left in it.
                let _best_effort = std::fs::remove_dir_all(state_dir);
            }
            Err(error)
        }
    }
}

async fn into_folder(
    from: &Path,
    checked: &Checked,
    state: &StateDir,
    state_dir: &Path,
    address: Option<&str>,
) -> anyhow::Result<String> {
    let default = state.default_database();
    let journal = state_dir.join("journal");
    let files: Vec<PathBuf> = default.strip_prefix("sqlite:").map(PathBuf::from).into_iter().collect();
    let archives = own_folder(state_dir);
    for (what, taken) in [
        ("a database", files.iter().any(|file| file.exists())),
        ("a journal", journal.exists()),
        ("an archive of logs", archives.exists()),
    ] {
        ensure!(
            !taken,
            "the state folder {} holds {what} already; restore into a new one, with --state-dir, or move that away. \
             Nothing was written",
            state_dir.display()
        );
    }
    let address = address.unwrap_or(&default);
    let store = open_as_it_was(address, checked.manifest.migration).await?;
    let fresh = tempfile::Builder::new().prefix(".journal-").tempdir_in(state_dir).context("making a journal")?;
    let loaded = load(from, checked, &store, fresh.path(), &journal, &archives).await;
    let database = store.place().to_owned();
    store.close().await;
    if let Err(error) = loaded {
        // What there was before is as it was; what was made is gone again.
        let _best_effort = std::fs::remove_dir_all(&journal);
        let _best_effort = std::fs::remove_dir_all(&archives);
        if address == default {
            for file in &files {
                for ending in ["", "-wal", "-shm"] {
                    let _best_effort = std::fs::remove_file(format!("{}{ending}", file.display()));
                }
            }
        }
        return Err(error);
    }
    // Migrations that are newer than the backup.
    let store = Store::connect(address, &StoreOptions::default()).await?;
    let id = meta::database_id(&store).await?;
    store.close().await;
    ensure!(id == checked.manifest.database_id, "the database {database} was changed by another program meanwhile");
    Ok(database)
}

/// Opens the database with the tables of the backup's time, or with those that it has when they are newer.
async fn open_as_it_was(address: &str, migration: i64) -> anyhow::Result<Store> {
    let then = StoreOptions { schema: Some(migration), ..StoreOptions::default() };
    match Store::connect(address, &then).await {
        Err(StoreError::Newer { .. }) => Ok(Store::connect(address, &StoreOptions::default()).await?),
        opened => Ok(opened?),
    }
}

/// Rows go into one transaction and files into `fresh`; at the end that becomes the journal, and the rows stay. Old
/// entries of logs go into their folder at once, which was not there.
async fn load(
    from: &Path,
    checked: &Checked,
    store: &Store,
    fresh: &Path,
    journal: &Path,
    archives: &Path,
) -> anyhow::Result<()> {
    let mut load = Some(Load::begin(store).await?);
    let runtime = tokio::runtime::Handle::current();
    let (file, checked, fresh) = (from.to_owned(), checked.clone(), fresh.to_owned());
    let (folder, archives) = (fresh.clone(), archives.to_owned());
    // Reading the file blocks, so it has a thread of its own.
    let reading = tokio::task::spawn_blocking(move || {
        archive::read(&file, &checked, &mut |found, bytes| match found {
            Found::Rows { table } => {
                let load = load.as_mut().context("the load has begun")?;
                let last_id = checked.contents.tables.iter().find(|known| known.table == table);
                let last_id = last_id.and_then(|known| known.last_id);
                runtime.block_on(load.write(table, BufReader::new(bytes), last_id)).map(drop)
            }
            Found::Archived { file } => {
                let path = archives.join(file);
                let copying = || format!("writing {}", path.display());
                make_private_folder(path.parent().context("it is in a folder")?).with_context(copying)?;
                let mut whole = Vec::new();
                bytes.read_to_end(&mut whole).with_context(copying)?;
                write_whole(&path, &whole).with_context(copying)
            }
            Found::World { name } => {
                let path = folder.join(name);
                let copying = || format!("writing {}", path.display());
                let mut file = File::create_new(&path).with_context(copying)?;
                std::io::copy(bytes, &mut file).with_context(copying)?;
                file.sync_all().with_context(copying)
            }
        })?;
        // Tables may be empty and yet have given ids.
        for table in checked.contents.tables.iter().filter(|table| table.rows == 0) {
            let load = load.as_mut().context("the load has begun")?;
            runtime.block_on(load.write(&table.table, std::io::empty(), table.last_id))?;
        }
        Ok::<_, anyhow::Error>(load)
    });
    let load = reading.await.context("restoring")??;
    if std::fs::read_dir(&fresh).context("reading the new journal")?.next().is_some() {
        std::fs::rename(&fresh, journal).with_context(|| format!("making {}", journal.display()))?;
    }
    load.context("the load has begun")?.finish().await
}
