//! Gathering a backup: what is taken at one moment (`begin`), and what is read afterwards (`Begun::write`).

use super::archive::{Contents, Entry, Manifest, WorldFile, build};
use crate::minds::Minds;
use crate::saver::Saver;
use crate::store::dump::Dump;
use crate::store::{Store, accounts, agent_archives, characters, decision_archives, meta};
use anyhow::{Context, bail};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use tokio::sync::mpsc;

/// How much may wait for the compression.
const QUEUE: usize = 2;

/// A backup whose moment is fixed, and which is yet to be read.
pub struct Begun {
    pub manifest: Manifest,
    dump: Dump,
    world: Vec<(String, WorldFile)>,
    /// Below the folder of archives.
    archives: Vec<String>,
    /// Where these are.
    archives_in: Option<PathBuf>,
}

/// Begins a backup of a running server. `snapshot`: number and file of a snapshot of the world as it is when it is
/// asked for, with what waits in the saver and the minds; `None` where there is no journal.
pub async fn begin(
    store: &Store,
    saver: &Saver,
    minds: &Minds,
    snapshot: impl Future<Output = anyhow::Result<Option<(u64, Vec<u8>)>>>,
) -> anyhow::Result<Begun> {
    // Made here if it is missing, as the dump only reads.
    let database_id = meta::database_id(store).await?;
    let held = (saver.hold().await, minds.hold().await);
    let snapshot = snapshot.await.context("taking a snapshot of the world")?;
    let dump = Dump::begin(store).await?;
    drop(held);
    let (archives, archives_in) = archives_of(store).await?;
    let number = snapshot.as_ref().map(|(number, _)| *number);
    let manifest = Manifest::new(dump.migration(), database_id, number, !archives.is_empty());
    let world = snapshot.map(|(number, bytes)| (snapshot_name(number), WorldFile::Bytes(bytes)));
    Ok(Begun { manifest, dump, world: world.into_iter().collect(), archives, archives_in })
}

/// Begins a backup of a state folder that no server holds: the newest snapshot, and the journal from it on, which after
/// a crash has what the database lacks.
pub async fn begin_stopped(store: &Store, state_dir: &Path) -> anyhow::Result<Begun> {
    if accounts::count(store).await? + characters::count(store).await? == 0 {
        bail!(
            "there is nothing to back up: the database {} has no account. Name the server's own folder with --state-dir, \
             and its database with --db if it has another one",
            store.place()
        );
    }
    let database_id = meta::database_id(store).await?;
    let dump = Dump::begin(store).await?;
    let (input, paths) = newest_world(&state_dir.join("journal"))?;
    let mut world = Vec::new();
    for path in paths {
        let name = path.file_name().context("a file has a name")?.to_string_lossy().into_owned();
        let file = File::open(&path).with_context(|| format!("opening {}", path.display()))?;
        world.push((name, WorldFile::File(file)));
    }
    let (archives, archives_in) = archives_of(store).await?;
    let manifest = Manifest::new(dump.migration(), database_id, input, !archives.is_empty());
    Ok(Begun { manifest, dump, world, archives, archives_in })
}

/// The files of old entries and decisions, behind the moment of the dump: those that it names are among them, and none
/// goes away but with its character.
async fn archives_of(store: &Store) -> anyhow::Result<(Vec<String>, Option<PathBuf>)> {
    let entries = agent_archives::all(store).await?.into_iter().map(|row| row.file);
    let decisions = decision_archives::all(store).await?.into_iter().map(|file| file.file);
    Ok((entries.chain(decisions).collect(), store.archives().folder().map(Path::to_path_buf)))
}

/// The file of an archive as it is. `None`: it is not there, which is told; all else is worth a backup still.
async fn bytes_of(folder: Option<&Path>, file: &str) -> anyhow::Result<Option<Vec<u8>>> {
    let Some(path) = folder.map(|folder| folder.join(file)) else { return Ok(None) };
    match tokio::fs::read(&path).await {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) => {
            tracing::error!(file = %path.display(), %error, "an archive is not in the backup");
            Ok(None)
        }
    }
}

/// As the journal names its files: numbers of equal length, so that names sort as they do.
fn snapshot_name(number: u64) -> String {
    format!("{number:020}.snapshot")
}

/// The files that a start of the server needs: of snapshots the newest, of segments those that hold what came after it.
/// Sorted by number; then what new content had no place for. The number of the snapshot; nothing where there is no
/// journal.
fn newest_world(journal: &Path) -> anyhow::Result<(Option<u64>, Vec<PathBuf>)> {
    let reading = || format!("reading {}", journal.display());
    let entries = match std::fs::read_dir(journal) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok((None, Vec::new())),
        Err(error) => return Err(error).with_context(reading),
    };
    let mut numbered: Vec<(u64, PathBuf)> = Vec::new();
    let mut set_aside: Vec<PathBuf> = Vec::new();
    for entry in entries {
        let path = entry.with_context(reading)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // What is only half-written has another ending.
        let kept = [".snapshot", ".journal", ".journal.zst"].iter().find_map(|ending| name.strip_suffix(ending));
        if let Some(number) = kept.and_then(|digits| digits.parse().ok()) {
            numbered.push((number, path));
        } else if name.starts_with("set-aside-") && name.ends_with(".json") {
            set_aside.push(path);
        }
    }
    if numbered.is_empty() {
        return Ok((None, Vec::new()));
    }
    numbered.sort();
    let is_snapshot = |path: &Path| path.extension().is_some_and(|ending| ending == "snapshot");
    let Some(newest) = numbered.iter().filter(|(_, path)| is_snapshot(path)).map(|(number, _)| *number).max() else {
        bail!("{} has a journal, but no snapshot that it goes on from; start the server once", journal.display());
    };
    // The segment that is open at the newest snapshot began before it, or with it.
    let begun = numbered.iter().filter(|(number, path)| *number <= newest && !is_snapshot(path));
    let from = begun.map(|(number, _)| *number).max().unwrap_or(newest);
    let needed = numbered.into_iter().filter(|(number, path)| match is_snapshot(path) {
        true => *number == newest || *number == from,
        false => *number >= from,
    });
    set_aside.sort();
    Ok((Some(newest), needed.map(|(_, path)| path).chain(set_aside).collect()))
}

impl Begun {
    /// Reads everything and writes it to `out`, on a thread of its own. Gives `out` back, with all written to it.
    pub async fn write<W: Write + Send + 'static>(self, out: W) -> anyhow::Result<(W, Contents)> {
        let Begun { manifest, mut dump, world, archives, archives_in } = self;
        let (to, entries) = mpsc::channel(QUEUE);
        let building = tokio::task::spawn_blocking(move || build(&manifest, entries, out));
        let gathering = async move {
            let tables: Vec<String> = dump.tables().map(str::to_owned).collect();
            let mut written = Vec::new();
            for table in tables {
                written.push(dump.read(&table, &to).await?);
            }
            for (name, from) in world {
                to.send(Entry::World { name, from }).await.ok().context("nobody takes the world any more")?;
            }
            for file in archives {
                if let Some(bytes) = bytes_of(archives_in.as_deref(), &file).await? {
                    let entry = Entry::Archived { file, bytes };
                    to.send(entry).await.ok().context("nobody takes the archives any more")?;
                }
            }
            to.send(Entry::End(written)).await.ok().context("nobody takes the end any more")?;
            Ok::<_, anyhow::Error>(())
        };
        let (gathered, built) = tokio::join!(gathering, building);
        match (built.context("writing the backup")?, gathered) {
            (Ok(done), Ok(())) => Ok(done),
            // Each side ends when the other has failed; the database's reason is the better one.
            (Err(_), Err(error)) if error.downcast_ref::<crate::store::StoreError>().is_some() => Err(error),
            (Err(error), _) | (Ok(_), Err(error)) => Err(error),
        }
    }
}

/// Makes a file by way of one beside it, which gets the final name when `write` is done, and is on the disk then. Only
/// its owner may read it. Refuses a name that is taken.
pub async fn write_beside<T>(
    out: &Path,
    write: impl AsyncFnOnce(&Path, File) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let taken = || format!("{} exists already; choose another name, or move it away", out.display());
    anyhow::ensure!(!out.exists(), taken());
    let folder = match out.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let making = || format!("writing a backup to {}", out.display());
    let mut beside = tempfile::Builder::new();
    let beside = beside.prefix(".dp-backup-").suffix(".new").tempfile_in(folder).with_context(making)?;
    let value = write(beside.path(), beside.reopen().with_context(making)?).await?;
    beside.as_file().sync_all().with_context(making)?;
    beside.persist_noclobber(out).map_err(|error| error.error).with_context(taken)?;
    File::open(folder).and_then(|folder| folder.sync_all()).with_context(making)?;
    Ok(value)
}
