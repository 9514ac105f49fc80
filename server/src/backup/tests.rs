//! Backups of stores without a server: whole ones come back, and whatever is wrong with one is refused before anything
//! is written.

#![allow(clippy::unwrap_used)]

use super::archive::{Entry, WorldFile, build};
use super::*;
use crate::minds::Minds;
use crate::saver::Saver;
use crate::store::characters::{self, CharacterRow};
use crate::store::dump::{Part, newest_migration};
use crate::store::testing::on_each_place;
use crate::store::{Store, StoreOptions, agent_archives, agent_events, logs, meta};
use std::fs::File;
use std::path::{Path, PathBuf};
use tokio::sync::mpsc;

const SNAPSHOT: &[u8] = b"the world, such as it is";

async fn filled(address: &str) -> Store {
    let store = Store::connect(address, &StoreOptions::default()).await.unwrap();
    let crowd: Vec<CharacterRow> = (0..300)
        .map(|n: u32| CharacterRow {
            name: format!("c{n}"),
            // Hardly to be compressed, so that the file has some length.
            data: (0..40).map(|part: u32| format!("{:08x}", (n * 40 + part).wrapping_mul(2_654_435_761))).collect(),
            written_by_input: u64::from(n),
            updated_at: 7,
            level: 1,
            immortal_level: 0,
        })
        .collect();
    characters::save_batch(&store, &crowd).await.unwrap();
    store
}

async fn back_up(store: &Store, folder: &Path) -> PathBuf {
    let out = folder.join("a.dpbackup");
    let saver = Saver::new(store.clone());
    write_beside(&out, async |path, file| {
        let begun =
            begin(store, &saver, &Minds::new(store.clone()), async { Ok(Some((41, SNAPSHOT.to_vec()))) }).await?;
        let (_, contents) = begun.write(file).await?;
        assert_eq!(contents, check(path)?.contents);
        Ok(())
    })
    .await
    .unwrap();
    out
}

#[tokio::test]
async fn old_entries_of_logs_come_along_and_one_that_is_missing_costs_nothing_else() {
    on_each_place(async |from| {
        let (old, new) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let source = from.open_in(old.path()).await;
        let note = mind::Event::NoteAdd { text: "The well is dry.".into() };
        let entry = |seq| mind::LogEntry { seq, tick: seq, at_ms: 5, input: seq, event: note.clone() };
        let rows: Vec<_> = (1..=40).map(|seq| agent_events::row_of("ann", &entry(seq), None)).collect();
        agent_events::append(&source, &rows).await.unwrap();
        let folder = agent_archives::own_folder(old.path());
        let turn = crate::log_archives::Turn::take(&folder).unwrap().unwrap();
        let upto = crate::log_archives::Upto::Entry(40);
        crate::log_archives::archive_log(&source, &turn, &"ann".into(), upto, 7).await.unwrap();
        let files = agent_archives::all(&source).await.unwrap();
        assert_eq!(files.len(), 2);
        let file = back_up(&source, old.path()).await;
        on_each_place(async |to| {
            restore(&file, new.path(), Some(&to.address)).await.unwrap();
            let target = to.open_in(new.path()).await;
            assert_eq!(logs::after(&target, "ann", 0, 100).await.unwrap(), rows);
            target.close().await;
            std::fs::remove_dir_all(new.path()).unwrap();
        })
        .await;
        std::fs::remove_file(old.path().join("a.dpbackup")).unwrap();
        std::fs::remove_file(folder.join(&files[0].file)).unwrap();
        let file = back_up(&source, old.path()).await;
        on_each_place(async |to| {
            restore(&file, new.path(), Some(&to.address)).await.unwrap();
            let target = to.open_in(new.path()).await;
            let error = logs::after(&target, "ann", 0, 100).await.unwrap_err().to_string();
            assert!(error.contains(&files[0].file) && error.contains("missing"), "{error}");
            let rest = logs::after(&target, "ann", files[0].last_seq, 100).await.unwrap();
            assert_eq!(rest, rows[files[0].entries as usize..]);
            target.close().await;
            std::fs::remove_dir_all(new.path()).unwrap();
        })
        .await;
        source.close().await;
    })
    .await;
}

fn sqlite(folder: &Path) -> String {
    format!("sqlite:{}", folder.join("source.db").display())
}

#[tokio::test]
async fn a_backup_comes_back_in_a_new_folder_and_either_kind_of_database() {
    on_each_place(async |from| {
        let folder = tempfile::tempdir().unwrap();
        let source = filled(&from.address).await;
        let file = back_up(&source, folder.path()).await;
        let id = meta::database_id(&source).await.unwrap();
        let all = characters::all(&source).await.unwrap();
        source.close().await;
        on_each_place(async |to| {
            let state = tempfile::tempdir().unwrap();
            let restored = restore(&file, state.path(), Some(&to.address)).await.unwrap();
            assert_eq!(restored.checked.manifest.input, Some(41));
            let target = to.open().await;
            assert_eq!(characters::all(&target).await.unwrap(), all);
            assert_eq!(meta::database_id(&target).await.unwrap(), id);
            target.close().await;
            let snapshot = state.path().join("journal/00000000000000000041.snapshot");
            assert_eq!(std::fs::read(snapshot).unwrap(), SNAPSHOT);
            let left: Vec<_> = std::fs::read_dir(state.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
            assert!(!left.iter().any(|name| name.to_string_lossy().starts_with(".journal")), "{left:?}");
            // A second time: the folder has a journal, and the database rows.
            let refusal = restore(&file, state.path(), Some(&to.address)).await.unwrap_err().to_string();
            assert!(refusal.contains("holds a journal already"), "{refusal}");
            let fresh = tempfile::tempdir().unwrap();
            let refusal = format!("{:#}", restore(&file, fresh.path(), Some(&to.address)).await.unwrap_err());
            assert!(refusal.contains("is not empty"), "{refusal}");
        })
        .await;
    })
    .await;
}

#[cfg(unix)]
#[tokio::test]
async fn only_its_owner_reads_a_backup_and_no_other_file_is_replaced() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let store = filled(&sqlite(folder.path())).await;
    let file = back_up(&store, folder.path()).await;
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let before = std::fs::read(&file).unwrap();
    let refusal = write_beside(&file, async |_, _| Ok(())).await.unwrap_err().to_string();
    assert!(refusal.contains("exists already"), "{refusal}");
    assert_eq!(std::fs::read(&file).unwrap(), before);
    // One that fails leaves nothing beside it either.
    let failing = folder.path().join("b");
    write_beside(&failing, async |_, _| -> anyhow::Result<()> { anyhow::bail!("no") }).await.unwrap_err();
    let names: Vec<String> =
        std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into()).collect();
    assert!(!names.iter().any(|name| name == "b" || name.contains("dp-backup")), "{names:?}");
    store.close().await;
}

/// Tries to restore bytes that are no whole backup; what it says.
async fn refused(bytes: &[u8], why: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("damaged");
    std::fs::write(&file, bytes).unwrap();
    let state = folder.path().join("state");
    let refusal = match restore(&file, &state, None).await {
        Ok(restored) => panic!("{why}: it was restored: {}", restored.checked),
        Err(error) => format!("{error:#}"),
    };
    assert!(!state.exists(), "{why}: something was written: {refusal}");
    refusal
}

/// The bytes that a backup packs, without what says how they are packed.
fn unpacked(bytes: &[u8]) -> Option<Vec<u8>> {
    zstd::decode_all(bytes).ok()
}

#[tokio::test]
async fn a_truncated_or_flipped_backup_is_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(&sqlite(folder.path())).await;
    let file = back_up(&store, folder.path()).await;
    let whole = std::fs::read(&file).unwrap();
    store.close().await;
    assert!(whole.len() > 20_000, "{} bytes", whole.len());
    let step = whole.len() / 60;
    for length in (0..whole.len()).step_by(step).chain([whole.len() - 1, whole.len() - 4]) {
        let said = refused(&whole[..length], &format!("cut to {length} of {}", whole.len())).await;
        assert!(said.contains("cannot be used, because of its part"), "{said}");
    }
    let mut same = 0;
    for at in (0..whole.len()).step_by(step).chain([3, 4, 5, 6, whole.len() - 1]) {
        for bit in [0, 5] {
            let mut flipped = whole.clone();
            flipped[at] ^= 1 << bit;
            // A few bits say only how the rest is packed (how far back it refers, a table of which a part is unused):
            // where one of them flips, not one byte of what is packed is another.
            if unpacked(&flipped).is_some_and(|bytes| Some(bytes) == unpacked(&whole)) {
                same += 1;
                continue;
            }
            let said = refused(&flipped, &format!("bit {bit} of byte {at} of {}", whole.len())).await;
            assert!(said.contains("cannot be used, because of its part"), "{said}");
        }
    }
    assert!(same < 10, "{same} flips changed nothing");
    for (more, why) in [(&b"x"[..], "a byte behind its end"), (&whole[..], "a second one behind it")] {
        refused(&[&whole[..], more].concat(), why).await;
    }
    refused(b"", "an empty file").await;
    refused(&[0; 4096], "zeros").await;
    refused(&zstd::encode_all(&b"some text"[..], 3).unwrap(), "no tar").await;
}

fn manifest() -> Manifest {
    Manifest::new(newest_migration(), "0123".to_owned(), None, false)
}

/// A backup of these entries, without an end unless there is one among them.
async fn built(manifest: Manifest, entries: Vec<Entry>) -> anyhow::Result<Vec<u8>> {
    let (to, from) = mpsc::channel(1);
    let building = tokio::task::spawn_blocking(move || build(&manifest, from, Vec::new()).map(|(bytes, _)| bytes));
    for entry in entries {
        let _refused = to.send(entry).await;
    }
    drop(to);
    building.await.unwrap()
}

fn rows(table: &str, lines: &str) -> Entry {
    Entry::Rows(Part { table: table.to_owned(), number: 1, lines: lines.as_bytes().to_vec() })
}

fn end() -> Entry {
    Entry::End(Vec::new())
}

#[tokio::test]
async fn what_is_whole_but_does_not_fit_is_refused_and_leaves_nothing() {
    let newer = Manifest { format: 3, ..manifest() };
    let later = Manifest { migration: newest_migration() + 1, server: "9.9.9".to_owned(), ..manifest() };
    let id = "{\"key\":\"database_id\",\"value\":\"0123\"}\n";
    for (manifest, entries, said) in [
        (newer, vec![end()], "a newer dp-server made it, in format 3; this one reads up to 2"),
        (later, vec![end()], "made by dp-server 9.9.9, use that one"),
        (manifest(), vec![rows("meta", id), rows("taxes", "{\"a\":1}\n"), end()], "has a table taxes"),
        (
            manifest(),
            vec![rows("meta", id), rows("meta", "{\"key\":1}\n"), end()],
            "the column key cannot hold a number",
        ),
        (manifest(), vec![end()], "was changed by another program"),
    ] {
        let bytes = built(manifest, entries).await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("odd");
        std::fs::write(&file, bytes).unwrap();
        let state = folder.path().join("state");
        let refusal = format!("{:#}", restore(&file, &state, None).await.unwrap_err());
        assert!(refusal.contains(said), "{refusal}");
        assert!(!state.exists(), "{refusal}");
    }
}

#[tokio::test]
async fn a_backup_that_does_not_come_to_its_end_is_no_file() {
    let broken = built(manifest(), vec![rows("meta", "")]).await.unwrap_err();
    assert!(broken.to_string().contains("broke off"), "{broken:#}");
    for name in ["../x", "a/b", "", ".hidden", "..", "/etc"] {
        let entry = Entry::World { name: name.to_owned(), from: WorldFile::Bytes(Vec::new()) };
        let error = built(manifest(), vec![entry, end()]).await.unwrap_err();
        assert!(error.to_string().contains("is no name of a file"), "{name}: {error:#}");
    }
    assert!(built(manifest(), vec![rows("../x", ""), end()]).await.is_err());
}

#[tokio::test]
async fn a_stopped_folder_gives_its_newest_snapshot_and_what_came_after() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(&sqlite(folder.path())).await;
    let journal = folder.path().join("journal");
    std::fs::create_dir(&journal).unwrap();
    let put = |name: &str| std::fs::write(journal.join(name), name).unwrap();
    let files = async |store: &Store| -> Vec<String> {
        let begun = begin_stopped(store, folder.path()).await.unwrap();
        let (_, contents) = begun.write(std::io::sink()).await.unwrap();
        let names = contents.files.iter().filter_map(|file| file.path.strip_prefix("journal/"));
        names.map(str::to_owned).collect()
    };
    assert_eq!(files(&store).await, Vec::<String>::new());
    for name in ["0010.snapshot", "0010.journal.zst", "0020.snapshot", "0020.journal", "0025.snapshot", "0030.new", "x"]
    {
        put(name);
    }
    assert_eq!(files(&store).await, ["0020.journal", "0020.snapshot", "0025.snapshot"]);
    put("0030.journal");
    assert_eq!(files(&store).await, ["0020.journal", "0020.snapshot", "0025.snapshot", "0030.journal"]);
    put("0040.snapshot");
    put("set-aside-7.json");
    assert_eq!(files(&store).await, ["0030.journal", "0040.snapshot", "set-aside-7.json"]);
    for name in ["0010.snapshot", "0020.snapshot", "0025.snapshot", "0040.snapshot"] {
        std::fs::remove_file(journal.join(name)).unwrap();
    }
    let error = begin_stopped(&store, folder.path()).await.err().unwrap().to_string();
    assert!(error.contains("no snapshot"), "{error}");
    store.close().await;
    let address = format!("sqlite:{}", folder.path().join("e").display());
    let empty = Store::connect(&address, &StoreOptions::default()).await.unwrap();
    let error = begin_stopped(&empty, folder.path()).await.err().unwrap().to_string();
    assert!(error.contains("nothing to back up"), "{error}");
}

#[tokio::test]
async fn saves_wait_while_the_moment_is_taken_and_are_written_afterwards() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(&sqlite(folder.path())).await;
    let saver = Saver::new(store.clone());
    let running = tokio::spawn(saver.clone().run());
    let record = newborn();
    let held = saver.hold().await;
    saver.save(Box::new(record.clone()), 5_000);
    tokio::time::sleep(std::time::Duration::from_millis(250)).await;
    assert_eq!(saver.backlog(), 1, "it waits");
    assert!(saver.newest(&record.name).await.unwrap().is_some(), "and is found meanwhile");
    drop(held);
    assert!(saver.drain(std::time::Duration::from_secs(5)).await);
    let name = record.name.to_ascii_lowercase();
    assert_eq!(characters::load(&store, &name).await.unwrap().unwrap().written_by_input, 5_000);
    running.abort();
    store.close().await;
}

fn newborn() -> world::record::CharacterRecord {
    use content::words::{Class, Race};
    use world::rules::creation::{self, Choices};
    let rules = world::rules::Rules::built_in();
    let mut dice = world::rng::Dice::new(1, 2, 3, 4);
    let abilities = creation::roll_abilities(&rules, Race::Human, Class::Warrior, &mut dice);
    let choices = Choices { abilities, ..Choices::plain("Zoe") };
    creation::newborn(&rules, &choices, &mut dice)
}

/// The file is made by way of another one, which is on the disk before it gets the name.
#[tokio::test]
async fn a_backup_has_its_name_only_when_it_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("c");
    write_beside(&out, async |path, file: File| {
        assert!(path.exists() && path != out && !out.exists());
        drop(file);
        Ok(())
    })
    .await
    .unwrap();
    assert!(out.exists());
}
