//! The bytes of a journal segment: a magic word, then frames; the first frame is the header, the others are records.
//!
//! A frame is `length: u32 LE`, `check: u32 LE` (low half of XXH3-64 of the payload), and the payload: one byte for the
//! kind, then postcard. Input numbers and times are counted from the header's, so a command takes about 30 bytes.
//! Invariants: whatever bytes are read, nothing panics and nothing is taken that does not have its check. Inputs are
//! numbered without gaps; one that is out of order ends the reading.

use serde::{Deserialize, Serialize};
use std::fmt;
use world::hash::StateHashes;
use world::report::MemoryStop;
use world::{Input, InputNumber};
use xxhash_rust::xxh3::xxh3_64;

/// What a segment begins with; the last byte is the version of the format.
pub const SEGMENT_MAGIC: [u8; 8] = *b"DPJRNL\x00\x01";
/// A frame's length and check.
const FRAME_HEAD: usize = 8;
/// No record is as long; a longer one is noise. A character with a thousand things is about 200 KB.
const PAYLOAD_MAX: usize = 16 << 20;

const KIND_HEADER: u8 = 0;
const KIND_INPUT: u8 = 1;
const KIND_HASHES: u8 = 2;
/// Belongs to the input before it.
const KIND_STOPS: u8 = 3;

/// What a segment says of itself: all that a replay needs to be given besides its snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Version of the server that wrote it.
    pub server: String,
    pub needs: Needs,
    pub seed: u64,
    /// The first record is the input after this one.
    pub start: InputNumber,
    pub start_tick: u64,
    /// Unix milliseconds at which the segment began; times of inputs count from here.
    pub epoch_ms: i64,
    pub tick_ms: u64,
    /// Id of the database whose characters it writes.
    pub database: String,
    /// It goes on exactly where the segment before it ends. False after a change of content, and for a new world: it
    /// can then only be read from its own snapshot on.
    pub continues: bool,
}

/// With what the inputs have to be replayed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Needs {
    /// `world::RULES_VERSION`: what the code makes of the same inputs.
    pub rules_version: u32,
    /// `Rules::fingerprint`.
    pub rules: u64,
    /// `Content::fingerprint`.
    pub content: u64,
    /// The world folder as it was named on the command line, for messages only.
    pub world: String,
}

impl Needs {
    /// What is different, for a sentence; `None` when the same inputs do the same.
    pub fn difference(&self, other: &Needs) -> Option<String> {
        let mut what = Vec::new();
        if self.content != other.content {
            what.push(format!(
                "the content {:016x} (it was read from {}); given is {:016x} (from {})",
                self.content, self.world, other.content, other.world
            ));
        }
        if self.rules != other.rules {
            what.push(format!("the rules {:016x}; given are {:016x}", self.rules, other.rules));
        }
        if self.rules_version != other.rules_version {
            what.push(format!(
                "a server of rules version {}; this one has {}",
                self.rules_version, other.rules_version
            ));
        }
        (!what.is_empty()).then(|| what.join(", and "))
    }
}

#[derive(Clone, Debug)]
pub enum Record {
    Input {
        number: InputNumber,
        /// Unix milliseconds at which it was applied; the clock may have jumped between two.
        at_ms: i64,
        input: Input,
        /// Where scripts ran out of memory: a replay stops them there (`World::script_stops`).
        stops: Vec<MemoryStop>,
    },
    /// Of the state after that input.
    Hashes { number: InputNumber, tick: u64, hashes: StateHashes },
}

#[derive(Serialize)]
struct InputWritten<'i> {
    number: u64,
    at: i64,
    input: &'i Input,
}

#[derive(Deserialize)]
struct InputRead {
    number: u64,
    at: i64,
    input: Input,
}

#[derive(Serialize, Deserialize)]
struct HashesWritten {
    number: u64,
    tick: u64,
    hashes: StateHashes,
}

/// Magic word and header, as a segment begins.
pub fn begin_segment(header: &Header) -> Vec<u8> {
    let mut bytes = SEGMENT_MAGIC.to_vec();
    append_frame(&mut bytes, KIND_HEADER, header);
    bytes
}

pub fn append_input(out: &mut Vec<u8>, header: &Header, number: InputNumber, at_ms: i64, input: &Input) {
    let written =
        InputWritten { number: number.wrapping_sub(header.start), at: at_ms.wrapping_sub(header.epoch_ms), input };
    append_frame(out, KIND_INPUT, &written);
}

/// Behind the input that they belong to; nothing where there are none.
pub fn append_stops(out: &mut Vec<u8>, stops: &[MemoryStop]) {
    if !stops.is_empty() {
        append_frame(out, KIND_STOPS, &stops);
    }
}

pub fn append_hashes(out: &mut Vec<u8>, header: &Header, number: InputNumber, tick: u64, hashes: &StateHashes) {
    // They may belong to a state from before this segment, so the difference may wrap; reading wraps it back.
    let written = HashesWritten { number: number.wrapping_sub(header.start), tick, hashes: *hashes };
    append_frame(out, KIND_HASHES, &written);
}

/// Appends a frame; used for the heads of snapshots too.
pub(super) fn append_frame<T: Serialize>(out: &mut Vec<u8>, kind: u8, value: &T) {
    let at = out.len();
    out.extend_from_slice(&[0; FRAME_HEAD]);
    out.push(kind);
    let extended = postcard::to_extend(value, std::mem::take(out));
    *out = extended.expect("an input has no sequence of unknown length, and memory no end");
    let payload = &out[at + FRAME_HEAD..];
    let (length, check) = (payload.len() as u32, check_of(payload));
    out[at..at + 4].copy_from_slice(&length.to_le_bytes());
    out[at + 4..at + 8].copy_from_slice(&check.to_le_bytes());
}

fn check_of(payload: &[u8]) -> u32 {
    xxh3_64(payload) as u32
}

/// The payload of the frame at that place, and where the next one begins; `None` when there is no whole one.
pub(super) fn frame_at(bytes: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let head = bytes.get(at..at.checked_add(FRAME_HEAD)?)?;
    let length = u32::from_le_bytes(head[..4].try_into().ok()?) as usize;
    let check = u32::from_le_bytes(head[4..].try_into().ok()?);
    if length == 0 || length > PAYLOAD_MAX {
        return None;
    }
    let begin = at + FRAME_HEAD;
    let payload = bytes.get(begin..begin + length)?;
    (check_of(payload) == check).then_some((payload, begin + length))
}

/// Why the reading of a segment ended before its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Broken {
    /// Nothing whole follows: a write that was cut short. What was before it is all there is.
    Torn { at: usize, bytes: usize },
    /// Whole records follow, or one is not what must come next: the file was damaged.
    Damaged { at: usize, why: String },
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Broken::Torn { at, bytes } => write!(f, "its last {bytes} bytes, from byte {at} on, are no whole record"),
            Broken::Damaged { at, why } => write!(f, "it is damaged at byte {at}: {why}"),
        }
    }
}

/// Why a file is no segment at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoSegment {
    #[error("it is empty or its head was never written whole")]
    Headless,
    #[error("it is no journal of this program")]
    Foreign,
    #[error("it is of format version {0}, and this program reads up to {max}", max = SEGMENT_MAGIC[7])]
    Newer(u8),
}

/// Reads the records of one segment that is in memory.
pub struct Records<'b> {
    bytes: &'b [u8],
    at: usize,
    pub header: Header,
    /// Number of the newest input that was read.
    last: InputNumber,
    /// Whether an input has to have the number that comes next.
    in_order: bool,
    broken: Option<Broken>,
}

impl<'b> Records<'b> {
    pub fn open(bytes: &'b [u8]) -> Result<Records<'b>, NoSegment> {
        let Some(magic) = bytes.get(..SEGMENT_MAGIC.len()) else { return Err(NoSegment::Headless) };
        if magic.iter().all(|byte| *byte == 0) {
            return Err(NoSegment::Headless);
        }
        if magic[..7] != SEGMENT_MAGIC[..7] {
            return Err(NoSegment::Foreign);
        }
        if magic[7] != SEGMENT_MAGIC[7] {
            return Err(NoSegment::Newer(magic[7]));
        }
        let (payload, at) = frame_at(bytes, SEGMENT_MAGIC.len()).ok_or(NoSegment::Headless)?;
        let header: Header = match payload.split_first() {
            Some((&KIND_HEADER, rest)) => postcard::from_bytes(rest).map_err(|_| NoSegment::Foreign)?,
            _ => return Err(NoSegment::Foreign),
        };
        Ok(Records { bytes, at, last: header.start, header, in_order: true, broken: None })
    }

    /// Where the next record begins.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Number of the newest input that was read; the header's start before the first.
    pub fn newest(&self) -> InputNumber {
        self.last
    }

    /// Set when there is no next record although the file goes on.
    pub fn broken(&self) -> Option<&Broken> {
        self.broken.as_ref()
    }

    /// Every whole record that there is, behind damage too: for lists of what is lost, not to be applied.
    pub fn salvage(mut self) -> Vec<Record> {
        self.in_order = false;
        let mut whole = Vec::new();
        loop {
            whole.extend(self.by_ref());
            let Some(Broken::Damaged { at, .. }) = self.broken.take() else { return whole };
            let Some(next) = whole_frame_after(self.bytes, at + 1) else { return whole };
            self.at = next;
        }
    }

    fn damaged(&mut self, why: String) -> Option<Record> {
        self.broken = Some(Broken::Damaged { at: self.at, why });
        None
    }

    fn decode(&mut self, payload: &[u8]) -> Result<Record, String> {
        let (kind, rest) = payload.split_first().ok_or("it has no kind")?;
        let undecodable = |error: postcard::Error| format!("a record has its check but cannot be read: {error}");
        match *kind {
            KIND_INPUT => {
                let read: InputRead = postcard::from_bytes(rest).map_err(undecodable)?;
                let number = self.header.start.wrapping_add(read.number);
                if self.in_order && number != self.last.wrapping_add(1) {
                    return Err(format!("input {number} stands where {} belongs", self.last.wrapping_add(1)));
                }
                self.last = number;
                let at_ms = self.header.epoch_ms.wrapping_add(read.at);
                Ok(Record::Input { number, at_ms, input: read.input, stops: Vec::new() })
            }
            KIND_HASHES => {
                let read: HashesWritten = postcard::from_bytes(rest).map_err(undecodable)?;
                let number = self.header.start.wrapping_add(read.number);
                Ok(Record::Hashes { number, tick: read.tick, hashes: read.hashes })
            }
            KIND_STOPS => Err("what stopped scripts stands behind no input".to_string()),
            kind => Err(format!("a record is of the unknown kind {kind}")),
        }
    }
}

impl Iterator for Records<'_> {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        if self.broken.is_some() || self.at == self.bytes.len() {
            return None;
        }
        let Some((payload, next)) = frame_at(self.bytes, self.at) else {
            let bytes = self.bytes.len() - self.at;
            self.broken = Some(match whole_frame_after(self.bytes, self.at + 1) {
                None => Broken::Torn { at: self.at, bytes },
                Some(next) => Broken::Damaged {
                    at: self.at,
                    why: format!("a record has not its check, but whole ones follow from byte {next} on"),
                },
            });
            return None;
        };
        match self.decode(payload) {
            Ok(mut record) => {
                self.at = next;
                if let Record::Input { stops, .. } = &mut record
                    && let Some((payload, next)) = frame_at(self.bytes, next)
                    && let Some((&KIND_STOPS, rest)) = payload.split_first()
                    && let Ok(read) = postcard::from_bytes(rest)
                {
                    (*stops, self.at) = (read, next);
                }
                Some(record)
            }
            Err(why) => self.damaged(why),
        }
    }
}

/// Where the next whole frame of a known kind begins.
fn whole_frame_after(bytes: &[u8], from: usize) -> Option<usize> {
    (from..bytes.len()).find(|at| {
        let whole = frame_at(bytes, *at);
        // One zero byte with its check is easily met in noise; a record has more to say.
        whole.is_some_and(|(payload, _)| {
            payload.len() > 2 && matches!(payload[0], KIND_INPUT | KIND_HASHES | KIND_STOPS)
        })
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    pub fn header(start: u64) -> Header {
        Header {
            server: "test".into(),
            needs: Needs { rules_version: 1, rules: 2, content: 3, world: "data/world".into() },
            seed: 7,
            start,
            start_tick: 0,
            epoch_ms: 1_000_000,
            tick_ms: 2_000,
            database: "db".into(),
            continues: false,
        }
    }

    fn command(line: &str) -> Input {
        Input::Command { who: world::CharacterId { index: 3, generation: 1 }, line: line.into() }
    }

    /// A segment of `count` inputs, and where each record ends.
    fn segment(start: u64, count: u64) -> (Vec<u8>, Vec<usize>) {
        let header = header(start);
        let mut bytes = begin_segment(&header);
        let mut ends = vec![bytes.len()];
        for n in 1..=count {
            let input = if n % 3 == 0 { Input::Tick } else { command(&format!("say {n}")) };
            append_input(&mut bytes, &header, start + n, 1_000_000 + n as i64, &input);
            ends.push(bytes.len());
        }
        (bytes, ends)
    }

    fn read(bytes: &[u8]) -> (Vec<u64>, Option<Broken>) {
        let mut records = Records::open(bytes).expect("it has a head");
        let numbers = records
            .by_ref()
            .filter_map(|record| match record {
                Record::Input { number, .. } => Some(number),
                Record::Hashes { .. } => None,
            })
            .collect();
        (numbers, records.broken().cloned())
    }

    #[test]
    fn what_was_written_is_read_again_with_number_and_time() {
        let header = header(40);
        let mut bytes = begin_segment(&header);
        append_input(&mut bytes, &header, 41, 999_000, &command("north"));
        let hashes = StateHashes {
            rooms: 1,
            characters: 2,
            objects: 3,
            zones: 4,
            clock: 5,
            channels: 6,
            scripts: 8,
            plots: 9,
            all: 7,
        };
        append_hashes(&mut bytes, &header, 30, 9, &hashes);
        let mut records = Records::open(&bytes).expect("it has a head");
        assert_eq!(records.header, header);
        let Some(Record::Input { number: 41, at_ms: 999_000, input, .. }) = records.next() else { panic!("the input") };
        assert!(matches!(input, Input::Command { line, .. } if line == "north"));
        assert!(matches!(records.next(), Some(Record::Hashes { number: 30, tick: 9, hashes: read }) if read == hashes));
        assert!(records.next().is_none() && records.broken().is_none());
    }

    #[test]
    fn a_command_takes_about_thirty_bytes() {
        let header = header(0);
        let mut bytes = Vec::new();
        append_input(&mut bytes, &header, 100_000, 1_000_000 + 3_600_000, &command("get sword from chest"));
        assert!(bytes.len() < 45, "{}", bytes.len());
    }

    #[test]
    fn a_segment_cut_anywhere_gives_the_records_before_the_cut() {
        let (bytes, ends) = segment(5, 12);
        for cut in ends[0]..bytes.len() {
            let (numbers, broken) = read(&bytes[..cut]);
            let whole = ends.iter().filter(|end| **end <= cut).count() as u64 - 1;
            assert_eq!(numbers, (6..6 + whole).collect::<Vec<_>>());
            let begin = ends[whole as usize];
            let torn = (cut > begin).then_some(Broken::Torn { at: begin, bytes: cut - begin });
            assert_eq!(broken, torn);
        }
        for cut in 0..ends[0] {
            assert!(Records::open(&bytes[..cut]).is_err(), "{cut} bytes are no head");
        }
    }

    #[test]
    fn zeros_after_the_last_record_are_a_torn_end() {
        let (mut bytes, _) = segment(0, 3);
        bytes.extend_from_slice(&[0; 4_096]);
        let (numbers, broken) = read(&bytes);
        assert_eq!(numbers, [1, 2, 3]);
        assert!(matches!(broken, Some(Broken::Torn { bytes: 4_096, .. })));
    }

    #[test]
    fn what_is_whole_behind_damage_can_be_listed() {
        let (mut bytes, ends) = segment(0, 9);
        bytes[ends[3] + 10] ^= 1;
        bytes[ends[6] + 10] ^= 1;
        bytes.truncate(bytes.len() - 3);
        let salvaged = Records::open(&bytes).expect("it has a head").salvage();
        let numbers: Vec<u64> = salvaged
            .iter()
            .map(|record| match record {
                Record::Input { number, .. } | Record::Hashes { number, .. } => *number,
            })
            .collect();
        assert_eq!(numbers, [1, 2, 3, 5, 6, 8]);
    }

    #[test]
    fn records_twice_or_out_of_order_are_damage() {
        let (bytes, ends) = segment(0, 4);
        let record = |n: usize| &bytes[ends[n - 1]..ends[n]];
        let head = &bytes[..ends[0]];
        let twice = [head, record(1), record(1), record(2)].concat();
        let swapped = [head, record(2), record(1)].concat();
        let missing = [head, record(1), record(3)].concat();
        for (bytes, good) in [(twice, 1), (swapped, 0), (missing, 1)] {
            let (numbers, broken) = read(&bytes);
            assert_eq!(numbers.len(), good);
            assert!(matches!(broken, Some(Broken::Damaged { .. })), "{broken:?}");
        }
    }

    proptest! {
        #[test]
        fn a_flipped_bit_is_never_taken_for_a_record(at in 0usize..4_000, bit in 0u8..8) {
            let (mut bytes, ends) = segment(0, 60);
            let at = at % bytes.len();
            bytes[at] ^= 1 << bit;
            let Ok(mut records) = Records::open(&bytes) else {
                prop_assert!(at < ends[0]);
                return Ok(());
            };
            let count = records.by_ref().count();
            // Everything before the flip, and nothing from it on.
            let whole = ends.iter().filter(|end| **end <= at).count() - 1;
            prop_assert_eq!(count, whole);
            let last = whole == ends.len() - 2;
            match records.broken() {
                Some(Broken::Damaged { .. }) => prop_assert!(!last),
                Some(Broken::Torn { .. }) => prop_assert!(last),
                None => prop_assert!(false, "the flip was not seen"),
            }
        }

        #[test]
        fn noise_is_no_journal(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            if let Ok(records) = Records::open(&bytes) {
                prop_assert_eq!(records.count(), 0);
            }
        }
    }
}
