//! What holds of every world and every text: written is read back, and nothing makes the readers panic.

use super::strategies::contents;
use super::*;
use proptest::prelude::*;

/// A sample with some bytes of one file changed, doubled or taken out.
fn damaged(sample: &'static [(&'static str, &'static str)]) -> impl Strategy<Value = Source> {
    let changes = prop::collection::vec((any::<prop::sample::Index>(), 0..4u8, any::<u8>()), 1..6);
    (0..sample.len(), changes).prop_map(move |(which, changes)| {
        let mut source = Source::of(sample.iter().copied());
        let (path, text) = sample[which];
        let mut bytes = text.as_bytes().to_vec();
        for (place, kind, byte) in changes {
            if bytes.is_empty() {
                break;
            }
            let at = place.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => drop(bytes.remove(at)),
                2 => bytes.truncate(at),
                _ => bytes.extend_from_within(at..),
            }
        }
        source.files.insert(path.to_owned(), Source::latin1_or_utf8(&bytes));
        source
    })
}

/// Lines that look like content, and bytes that look like nothing.
fn garbage() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("#4001\n".to_owned()),
        "#-?[0-9]{1,10}\n",
        Just("~\n".to_owned()),
        Just("S\n".to_owned()),
        Just("E\n".to_owned()),
        Just("D0\n".to_owned()),
        Just("A\n".to_owned()),
        Just("$\n".to_owned()),
        Just("[[room]]\nvnum = 3\n".to_owned()),
        Just("[room.exits.north]\n".to_owned()),
        Just("x = [{ a = \"\"\"".to_owned()),
        "[MOPGEDRLTV0-9 -]{1,20}\n",
        "[0-9]{1,12}( -?[0-9a-zA-Z]{1,12}){0,12}\n",
        prop::collection::vec(any::<u8>(), 0..30).prop_map(|bytes| Source::latin1_or_utf8(&bytes)),
    ];
    prop::collection::vec(piece, 0..25).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_written_is_read_back(content in contents()) {
        let again = written_and_read(&content);
        assert_same(&content, &without_lines(again));
    }

    #[test]
    fn no_damage_to_a_world_makes_reading_panic(
        source in prop_oneof![damaged(&DARK_PAWNS), damaged(&TBAMUD), damaged(&STOCK), damaged(&NATIVE)],
    ) {
        let (content, problems) = read(&source, &ReadOptions::default());
        assert_sound(&content, &problems);
    }

    #[test]
    fn no_garbage_makes_reading_panic(
        text in garbage(),
        circle in 0..DARK_PAWNS.len(),
        tbamud in 0..TBAMUD.len(),
        native in 0..NATIVE.len(),
    ) {
        for (sample, which) in [(&DARK_PAWNS[..], circle), (&TBAMUD, tbamud), (&NATIVE, native)] {
            let mut source = Source::of(sample.iter().copied());
            source.files.insert(sample[which].0.to_owned(), text.clone());
            let (content, problems) = read(&source, &ReadOptions::default());
            assert_sound(&content, &problems);
        }
    }
}
