//! Noise: bytes flipped, cut, spliced and made up, in segments and snapshots. Never a panic, and never a lie: what is
//! accepted is a beginning of what was written.

use super::recover;
use content::Content;
use proptest::prelude::*;
use server::journal::Snapshot;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use tests::e2e::root;
use tests::journaling::write_played;
use tests::scene::read_content;
use world::hash::StateHashes;
use world::{InputNumber, World};

/// A journal that the simulation played in the smallest world, and the state after each input.
struct Written {
    content: Arc<Content>,
    segment: (PathBuf, Vec<u8>),
    snapshots: Vec<(PathBuf, Vec<u8>)>,
    /// At the index of the input's number.
    after: Vec<StateHashes>,
}

fn written() -> &'static Written {
    static WRITTEN: OnceLock<Written> = OnceLock::new();
    WRITTEN.get_or_init(|| {
        let folder = root().join("tests/scenes/green");
        let content = Arc::new(read_content(&folder));
        let state = tempfile::tempdir().expect("a folder");
        write_played(state.path(), &folder, content.clone(), 3, 5, 40).expect("it is played");
        let (segments, snapshots) = super::files(state.path());
        let read = |path: &PathBuf| {
            let name = PathBuf::from(path.file_name().expect("it has one"));
            (name, std::fs::read(path).expect("it is there"))
        };
        let segment = read(&segments[0]);
        let snapshots: Vec<_> = snapshots.iter().map(read).collect();
        let (_, begun, _) = Snapshot::decode(&snapshots[0].1).expect("it is whole");
        let mut world = World::resume(content.clone(), Arc::new(world::rules::Rules::built_in()), begun);
        let mut after = vec![world.hashes()];
        let mut records = server::journal::format::Records::open(&segment.1).expect("it has a head");
        for record in records.by_ref() {
            if let server::journal::Record::Input { input, .. } = record {
                world.apply(&input);
                after.push(world.hashes());
            }
        }
        Written { content, segment, snapshots, after }
    })
}

/// How the bytes of a file are changed.
#[derive(Clone, Debug)]
enum Change {
    Flip { at: usize, bits: u8 },
    Cut { at: usize },
    Remove { at: usize, count: usize },
    Double { at: usize, count: usize },
    Insert { at: usize, bytes: Vec<u8> },
    Zeros { at: usize, count: usize },
    Noise { bytes: Vec<u8> },
}

fn change() -> impl Strategy<Value = Change> {
    let at = || any::<prop::sample::Index>().prop_map(|index| index.index(1 << 20));
    let count = || 1usize..400;
    prop_oneof![
        (at(), 1u8..).prop_map(|(at, bits)| Change::Flip { at, bits }),
        at().prop_map(|at| Change::Cut { at }),
        (at(), count()).prop_map(|(at, count)| Change::Remove { at, count }),
        (at(), count()).prop_map(|(at, count)| Change::Double { at, count }),
        (at(), prop::collection::vec(any::<u8>(), 1..60)).prop_map(|(at, bytes)| Change::Insert { at, bytes }),
        (at(), count()).prop_map(|(at, count)| Change::Zeros { at, count }),
        prop::collection::vec(any::<u8>(), 0..300).prop_map(|bytes| Change::Noise { bytes }),
    ]
}

fn changed(bytes: &[u8], change: &Change) -> Vec<u8> {
    let mut out = bytes.to_vec();
    let place = |at: &usize| at % bytes.len();
    match change {
        Change::Flip { at, bits } => out[place(at)] ^= bits,
        Change::Cut { at } => out.truncate(place(at)),
        Change::Remove { at, count } => {
            let end = (place(at) + count).min(out.len());
            out.drain(place(at)..end);
        }
        Change::Double { at, count } => {
            let piece = bytes[place(at)..(place(at) + count).min(bytes.len())].to_vec();
            out.splice(place(at)..place(at), piece);
        }
        Change::Insert { at, bytes } => {
            out.splice(place(at)..place(at), bytes.iter().copied());
        }
        Change::Zeros { at, count } => {
            let end = (place(at) + count).min(out.len());
            out[place(at)..end].fill(0);
        }
        Change::Noise { bytes } => out = bytes.clone(),
    }
    out
}

/// A state folder with these files.
fn folder(segment: &[u8], snapshots: &[Vec<u8>]) -> tempfile::TempDir {
    let written = written();
    let folder = tempfile::tempdir().expect("a folder");
    let journal = folder.path().join("journal");
    std::fs::create_dir(&journal).expect("it can be made");
    std::fs::write(journal.join(&written.segment.0), segment).expect("written");
    for ((name, _), bytes) in written.snapshots.iter().zip(snapshots) {
        std::fs::write(journal.join(name), bytes).expect("written");
    }
    folder
}

/// Whatever a start accepts is one of the states that there were.
fn is_no_lie(folder: &tempfile::TempDir, by_leave: bool) -> Result<Option<InputNumber>, TestCaseError> {
    let Ok(recovered) = recover(folder.path(), &written().content, by_leave) else { return Ok(None) };
    let Some(world) = recovered.world else { return Ok(None) };
    let number = world.state.number;
    let known = usize::try_from(number).ok().and_then(|number| written().after.get(number));
    prop_assert_eq!(Some(&world.hashes()), known, "the state after input {}", number);
    Ok(Some(number))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_changed_segment_gives_a_beginning_of_what_was_written(change in change(), by_leave: bool) {
        let written = written();
        let first = vec![written.snapshots[0].1.clone()];
        let bytes = changed(&written.segment.1, &change);
        is_no_lie(&folder(&bytes, &first), by_leave)?;
    }

    #[test]
    fn a_changed_snapshot_is_refused_or_is_what_it_was(change in change(), which: bool) {
        let written = written();
        let mut snapshots: Vec<Vec<u8>> = written.snapshots.iter().map(|(_, bytes)| bytes.clone()).collect();
        let which = usize::from(which).min(snapshots.len() - 1);
        let bytes = changed(&snapshots[which], &change);
        if let Ok((head, state, _)) = Snapshot::decode(&bytes) {
            let same = written.after.get(state.number as usize);
            prop_assert_eq!(Some(&state.hashes()), same);
            prop_assert_eq!(head.header.start, state.number);
        }
        snapshots[which] = bytes;
        let number = is_no_lie(&folder(&written.segment.1, &snapshots), false)?;
        // The other one is whole, and the segment brings either to its end.
        prop_assert_eq!(number, Some(written.after.len() as u64 - 1));
    }

    #[test]
    fn both_changed_is_no_lie_either(one in change(), two in change(), three in change()) {
        let written = written();
        let snapshots: Vec<Vec<u8>> =
            written.snapshots.iter().zip([&two, &three]).map(|((_, bytes), change)| changed(bytes, change)).collect();
        is_no_lie(&folder(&changed(&written.segment.1, &one), &snapshots), true)?;
    }
}

#[test]
fn the_journal_that_is_damaged_here_is_a_long_one() {
    let written = written();
    assert!(written.after.len() > 150 && written.snapshots.len() == 2, "{} inputs", written.after.len());
    let whole = vec![written.snapshots[0].1.clone()];
    let number = is_no_lie(&folder(&written.segment.1, &whole), false).expect("it is the truth");
    assert_eq!(number, Some(written.after.len() as u64 - 1));
}
