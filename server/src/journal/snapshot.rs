//! Snapshots: the whole world after one input, in a file that stands alone.
//!
//! A magic word, a frame with the head (see `format.rs`), then zstd over MessagePack of the state, and of the saves,
//! requests to minds and records for them that the store had not taken yet. Fields go by their names, so that a newer
//! program reads what an older one wrote: a new field gets `#[serde(default)]`. (The journal is read by a program of
//! the same rules version only.)
//! Written beside, synced and renamed, so a file of the right name is whole or damaged, never half. Invariant: what is
//! read has the checksum that was written, or is refused with what is wrong.

use super::format::{Header, append_frame, frame_at};
use crate::log_input::{Kept, KeptRecord, KeptRequest, KeptTalk, LogInput};
use crate::store::channels::Change;
use content::{Content, ContentIndex};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufWriter, Read};
use std::path::Path;
use std::sync::Arc;
use world::hash::StateHashes;
use world::record::CharacterRecord;
use world::world::State;
use world::{InputNumber, World};
use xxhash_rust::xxh3::xxh3_64;

/// What a snapshot begins with; the last byte is the version of the format.
const MAGIC: [u8; 8] = *b"DPSNAP\x00\x01";
const KIND_HEAD: u8 = 16;
/// Fast, and a third of the size; a slower level saves little on so many small numbers.
const LEVEL: i32 = 1;
/// A head is some hundred bytes of facts, and the vnums of the content.
const HEAD_BYTES_MAX: usize = 4 << 20;
/// Most heads are in so much; of a snapshot of each hour of a week no more is read.
const HEAD_BYTES_USUAL: usize = 64 << 10;

/// What a snapshot says of itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Head {
    /// As in the segment that it belongs to; `start` and `start_tick` are those of this state.
    pub header: Header,
    pub hashes: StateHashes,
    /// By what the state names rooms and prototypes, so that it can be taken over into other content.
    pub index: ContentIndex,
    /// Bytes of the compressed body, and their XXH3-64.
    pub body_bytes: u64,
    pub body_check: u64,
}

/// A character that waits to be written to the database, and the number of the input that made it so.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Unsaved {
    pub number: InputNumber,
    pub record: Arc<CharacterRecord>,
}

/// What the database has not taken yet.
#[derive(Clone, Debug, Default)]
pub struct Unwritten {
    pub characters: Vec<Unsaved>,
    /// What may write to the log of a mind, by name and number.
    pub minds: Vec<LogInput>,
    /// Of persons, channels and messages, oldest first.
    pub archive: Vec<Change>,
}

/// What a snapshot is made of. Making one is a copy of pointers; encoding it takes its time on another thread.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub header: Header,
    /// As it is played, with what was edited.
    pub content: Arc<Content>,
    pub state: State,
    pub unwritten: Unwritten,
}

#[derive(Serialize)]
struct BodyWritten<'s> {
    state: &'s State,
    unsaved: &'s [Unsaved],
    minds: Vec<KeptRequest<'s>>,
    records: Vec<KeptRecord<'s>>,
    talk: Vec<KeptTalk>,
    archive: &'s [Change],
}

#[derive(Deserialize)]
struct BodyRead {
    state: State,
    unsaved: Vec<Unsaved>,
    #[serde(default)]
    minds: Vec<KeptRequest<'static>>,
    #[serde(default)]
    records: Vec<KeptRecord<'static>>,
    #[serde(default)]
    talk: Vec<KeptTalk>,
    #[serde(default)]
    archive: Vec<Change>,
}

/// Why a snapshot cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum NoSnapshot {
    #[error("it cannot be read: {0}")]
    Unreadable(#[from] std::io::Error),
    #[error("it is no snapshot of this program")]
    Foreign,
    #[error("it is of format version {0}, and this program reads up to {max}", max = MAGIC[7])]
    Newer(u8),
    #[error("it is damaged: {0}")]
    Damaged(&'static str),
}

impl Snapshot {
    /// Of a world as it is now.
    pub fn of(world: &World, header: Header, unwritten: Unwritten) -> Snapshot {
        let state = world.snapshot();
        let header = Header { start: state.number, start_tick: state.clock.tick, ..header };
        Snapshot { header, content: world.content.clone(), state, unwritten }
    }

    /// The bytes of the file. Takes some 50 ms for 50,000 entities.
    pub fn encode(&self) -> std::io::Result<Vec<u8>> {
        let Kept { minds, records, talk } = Kept::of(&self.unwritten.minds);
        let (unsaved, archive) = (&*self.unwritten.characters, &*self.unwritten.archive);
        let body = BodyWritten { state: &self.state, unsaved, minds, records, talk, archive };
        let encoder = zstd::Encoder::new(Vec::new(), LEVEL)?;
        let mut named = rmp_serde::Serializer::new(BufWriter::new(encoder)).with_struct_map();
        body.serialize(&mut named).map_err(std::io::Error::other)?;
        let encoder = named.into_inner().into_inner().map_err(std::io::IntoInnerError::into_error)?;
        let body = encoder.finish()?;
        let head = Head {
            header: self.header.clone(),
            hashes: self.state.hashes(),
            index: self.content.index(),
            body_bytes: body.len() as u64,
            body_check: xxh3_64(&body),
        };
        let mut bytes = MAGIC.to_vec();
        append_frame(&mut bytes, KIND_HEAD, &head);
        bytes.extend_from_slice(&body);
        Ok(bytes)
    }

    /// The state, and what waited to be written when it was.
    pub fn decode(bytes: &[u8]) -> Result<(Head, State, Unwritten), NoSnapshot> {
        let (head, at) = read_head(bytes)?;
        let body = &bytes[at..];
        if body.len() as u64 != head.body_bytes {
            return Err(NoSnapshot::Damaged("it has not the length that its head says"));
        }
        if xxh3_64(body) != head.body_check {
            return Err(NoSnapshot::Damaged("its contents do not have the checksum that its head says"));
        }
        let mut decoded = Vec::new();
        zstd::Decoder::new(body)?.read_to_end(&mut decoded)?;
        let body: BodyRead = rmp_serde::from_slice(&decoded)
            .map_err(|_| NoSnapshot::Damaged("it is of a shape that this program does not know"))?;
        if body.state.number != head.header.start {
            return Err(NoSnapshot::Damaged("its head belongs to another state"));
        }
        let minds = Kept { minds: body.minds, records: body.records, talk: body.talk }.inputs();
        Ok((head, body.state, Unwritten { characters: body.unsaved, minds, archive: body.archive }))
    }

    pub fn read(path: &Path) -> Result<(Head, State, Unwritten), NoSnapshot> {
        Snapshot::decode(&std::fs::read(path)?)
    }
}

fn read_head(bytes: &[u8]) -> Result<(Head, usize), NoSnapshot> {
    let Some(magic) = bytes.get(..MAGIC.len()) else {
        return Err(NoSnapshot::Damaged("it was never written whole"));
    };
    if magic[..7] != MAGIC[..7] {
        return Err(NoSnapshot::Foreign);
    }
    if magic[7] != MAGIC[7] {
        return Err(NoSnapshot::Newer(magic[7]));
    }
    let (payload, at) = frame_at(bytes, MAGIC.len()).ok_or(NoSnapshot::Damaged("its head has not its check"))?;
    match payload.split_first() {
        Some((&KIND_HEAD, rest)) => {
            let head = postcard::from_bytes(rest)
                .map_err(|_| NoSnapshot::Damaged("its head is of a shape that this program does not know"))?;
            Ok((head, at))
        }
        _ => Err(NoSnapshot::Foreign),
    }
}

/// Reads what a snapshot says of itself, without its body.
pub fn head_of(path: &Path) -> Result<Head, NoSnapshot> {
    let (mut file, mut bytes) = (File::open(path)?, Vec::new());
    for most in [HEAD_BYTES_USUAL, HEAD_BYTES_MAX] {
        (&mut file).take((most - bytes.len()) as u64).read_to_end(&mut bytes)?;
        if let Ok((head, _)) = read_head(&bytes) {
            return Ok(head);
        }
    }
    Ok(read_head(&bytes)?.0)
}

#[cfg(test)]
mod tests {
    use super::super::format::tests::header;
    use super::*;
    use crate::log_input::Request;
    use mind::{Event, LogEntry, LogId};
    use world::Input;
    use world::rules::Rules;

    fn snapshot() -> (World, Snapshot) {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/world");
        let (content, _) = crate::content_files::read_world(&folder, None).expect("our own world");
        let mut world = World::new(Arc::new(content), Arc::new(Rules::built_in()), 7);
        for _ in 0..40 {
            world.apply(&Input::Tick);
        }
        let snapshot = Snapshot::of(&world, header(0), Unwritten::default());
        (world, snapshot)
    }

    #[test]
    fn a_world_comes_back_from_its_snapshot_and_goes_on_as_if_it_had_never_stopped() {
        let (mut world, snapshot) = snapshot();
        let bytes = snapshot.encode().expect("it encodes");
        let (head, state, unwritten) = Snapshot::decode(&bytes).expect("it is whole");
        assert_eq!((head.header.start, head.header.start_tick), (world.state.number, world.tick()));
        assert_eq!(head.hashes, world.hashes());
        assert!(unwritten.characters.is_empty() && unwritten.minds.is_empty());
        let mut again = World::resume(world.content.clone(), world.rules.clone(), state);
        assert_eq!(again.hashes(), world.hashes());
        for _ in 0..40 {
            world.apply(&Input::Tick);
            again.apply(&Input::Tick);
        }
        assert_eq!(again.hashes(), world.hashes());
    }

    #[test]
    fn what_is_unwritten_comes_back_in_order() {
        let (_, mut snapshot) = snapshot();
        let request = Request {
            log: "ann".into(),
            verb: "note".into(),
            args: "one".into(),
            first: 2,
            numbers: 1,
            input: 9,
            tick: 3,
            at_ms: 4,
            present: Vec::new(),
            place: Some(protocol::happening::Place { vnum: 8004, name: "The Square".into() }),
            reads: None,
        };
        let what = protocol::happening::What::LevelGained { who: who("Ann"), level: 4 };
        let happening = protocol::happening::Happening {
            what,
            role: protocol::happening::Role::Did,
            room: protocol::happening::Place { vnum: 1, name: "Here".into() },
            witnesses: vec![who("Bob")],
            social_event_id: None,
            novel: false,
            valence: Some(2),
        };
        let event = Event::Happening(Box::new(happening));
        let of = |log: LogId, seq| {
            LogInput::Record(log, Arc::new(LogEntry { seq, tick: 3, at_ms: 4, input: 9, event: event.clone() }))
        };
        let unwritten = vec![
            of("ann".into(), 1),
            LogInput::Request(Arc::new(request)),
            of("ann".into(), 3),
            of(LogId::new("ann", 1), 2),
            of("bob".into(), 1),
        ];
        snapshot.unwritten.minds = unwritten.clone();
        let bytes = snapshot.encode().expect("it encodes");
        let (_, _, read) = Snapshot::decode(&bytes).expect("it is whole");
        assert_eq!(read.minds, unwritten);
    }

    fn who(name: &str) -> protocol::outcome::Who {
        let kind = protocol::outcome::WhoKind::Player;
        protocol::outcome::Who { id: name.to_lowercase().into(), name: name.into(), kind, level: 3 }
    }

    #[test]
    fn fields_go_by_their_names() {
        let (_, snapshot) = snapshot();
        let bytes = snapshot.encode().expect("it encodes");
        let (head, at) = read_head(&bytes).expect("it has a head");
        assert_eq!(head.body_bytes as usize, bytes.len() - at);
        let mut body = Vec::new();
        zstd::Decoder::new(&bytes[at..]).and_then(|mut body_of| body_of.read_to_end(&mut body)).expect("unpacks");
        for name in ["next_serial", "fighters", "generation", "alignment"] {
            assert!(body.windows(name.len()).any(|window| window == name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn a_snapshot_cut_or_flipped_anywhere_is_refused() {
        let (_, snapshot) = snapshot();
        let bytes = snapshot.encode().expect("it encodes");
        for n in 0..200 {
            let at = n * bytes.len() / 200;
            Snapshot::decode(&bytes[..at]).map(drop).expect_err("half a snapshot is none");
            let mut flipped = bytes.clone();
            flipped[at] ^= 4;
            Snapshot::decode(&flipped).map(drop).expect_err("a flipped bit is seen");
        }
        let mut longer = bytes.clone();
        longer.push(0);
        Snapshot::decode(&longer).map(drop).expect_err("what is too long is refused");
    }
}
