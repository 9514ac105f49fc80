//! The journal as the engine writes it: inputs gather while a batch is applied, and one write puts them on their way.
//!
//! Invariants: what `flush` has taken is with the operating system, so it outlives the process; nothing that an input
//! caused is released before that. A write that fails leaves the file as it was and what gathered where it is, to be
//! tried again. Syncing is done by a thread of its own, unless every release must be on the disk first. A sync that
//! fails is told (`Gauges::unsynced`) and never taken back by a later one that succeeds: the system has forgotten what
//! it could not write, so only a new segment and a snapshot make good for it (`live.rs`).

use super::format::{self, Header, Records};
use super::{Gauges, Layout};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::time::Instant;
use world::hash::StateHashes;
use world::report::MemoryStop;
use world::{Input, InputNumber};

/// When what was written is made to outlive a loss of power too. Killing the process loses nothing in either case.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub enum Fsync {
    /// At each tick, without waiting for it
    #[default]
    Tick,
    /// Before anything is shown to anybody
    Always,
}

/// Where the bytes go. A trait so that a test can have a full disk.
pub trait Sink: Send {
    /// Writes all of it at the end, or fails.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Forgets what stands behind the first `length` bytes.
    fn truncate(&mut self, length: u64) -> io::Result<()>;
    fn sync(&self) -> io::Result<()>;
    /// For the thread that syncs; `None` when there is nothing to sync.
    fn to_sync(&self) -> io::Result<Option<File>>;
}

impl Sink for File {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_all(bytes)
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)?;
        io::Seek::seek(self, io::SeekFrom::Start(length)).map(|_| ())
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }

    fn to_sync(&self) -> io::Result<Option<File>> {
        self.try_clone().map(Some)
    }
}

/// The segment that is being written.
pub struct Journal {
    layout: Layout,
    header: Header,
    sink: Box<dyn Sink>,
    /// Bytes that the sink has taken whole.
    written: u64,
    /// A write failed, so the sink may hold half a record behind `written`.
    ragged: bool,
    waiting: Vec<u8>,
    fsync: Fsync,
    syncer: Syncer,
    gauges: Arc<Gauges>,
    /// Bytes written since a snapshot was made, in this segment and before it.
    since_snapshot: u64,
}

impl Journal {
    /// Begins a segment, on disk when this returns. One that is there already, because nothing happened since it was
    /// begun, is begun anew: where it did not go on from what was before it, this one does not either.
    pub fn begin(layout: Layout, header: Header, fsync: Fsync, gauges: Arc<Gauges>) -> io::Result<Journal> {
        let header = match std::fs::read(layout.segment(header.start)) {
            Ok(bytes) if Records::open(&bytes).is_ok_and(|there| !there.header.continues) => {
                Header { continues: false, ..header }
            }
            _ => header,
        };
        let file = create(&layout.segment(header.start), &header)?;
        Ok(Journal::on(Box::new(file), layout, header, fsync, gauges))
    }

    /// A journal whose head the sink holds already.
    pub(super) fn on(
        sink: Box<dyn Sink>,
        layout: Layout,
        header: Header,
        fsync: Fsync,
        gauges: Arc<Gauges>,
    ) -> Journal {
        let written = format::begin_segment(&header).len() as u64;
        gauges.segment_bytes.store(written, Ordering::Relaxed);
        gauges.segment_start.store(header.start, Ordering::Relaxed);
        let syncer = Syncer::start(gauges.clone());
        Journal {
            layout,
            header,
            sink,
            written,
            ragged: false,
            waiting: Vec::new(),
            fsync,
            syncer,
            gauges,
            since_snapshot: 0,
        }
    }

    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Takes an input that is about to be applied; it goes out with the next `flush`.
    pub fn input(&mut self, number: InputNumber, at_ms: i64, input: &Input) {
        format::append_input(&mut self.waiting, &self.header, number, at_ms, input);
    }

    /// Where scripts ran out of memory in the input that was taken last.
    pub fn stops(&mut self, stops: &[MemoryStop]) {
        format::append_stops(&mut self.waiting, stops);
    }

    pub fn hashes(&mut self, number: InputNumber, tick: u64, hashes: &StateHashes) {
        format::append_hashes(&mut self.waiting, &self.header, number, tick, hashes);
    }

    /// Hands everything that gathered to the operating system, in one write. After a failure it may be called again.
    pub fn flush(&mut self) -> io::Result<()> {
        if self.ragged {
            self.sink.truncate(self.written)?;
            self.ragged = false;
        }
        if self.waiting.is_empty() {
            return Ok(());
        }
        if let Err(error) = self.sink.append(&self.waiting) {
            self.ragged = true;
            self.gauges.write_failures.fetch_add(1, Ordering::Relaxed);
            // Whoever reads the file meanwhile should see whole records; the next flush does it otherwise.
            if self.sink.truncate(self.written).is_ok() {
                self.ragged = false;
            }
            return Err(error);
        }
        if self.fsync == Fsync::Always {
            let begun = Instant::now();
            // What is not surely on the disk is not taken: it is written again after the same bytes are cut off.
            self.sink.sync().inspect_err(|_| {
                self.ragged = true;
                self.gauges.unsynced.store(true, Ordering::Relaxed);
            })?;
            self.gauges.sync_us.store(begun.elapsed().as_micros() as u64, Ordering::Relaxed);
        }
        let bytes = self.waiting.len() as u64;
        self.written += bytes;
        self.since_snapshot += bytes;
        self.waiting.clear();
        self.gauges.segment_bytes.store(self.written, Ordering::Relaxed);
        self.gauges.bytes_total.fetch_add(bytes, Ordering::Relaxed);
        Ok(())
    }

    /// Has what was written brought to the disk soon, without waiting for it.
    pub fn sync_soon(&self) {
        if self.fsync == Fsync::Tick {
            match self.sink.to_sync() {
                Ok(Some(file)) => self.syncer.sync(file),
                Ok(None) => {}
                Err(error) => {
                    self.gauges.unsynced.store(true, Ordering::Relaxed);
                    tracing::warn!(%error, "the journal could not be synced");
                }
            }
        }
    }

    /// Brings everything to the disk before it returns.
    pub fn sync_now(&self) -> io::Result<()> {
        self.sink.sync()
    }

    /// Bytes since the last snapshot was made.
    pub fn since_snapshot(&self) -> u64 {
        self.since_snapshot
    }

    pub fn segment_bytes(&self) -> u64 {
        self.written
    }

    pub fn snapshot_made(&mut self) {
        self.since_snapshot = 0;
    }

    /// Goes on in a new segment that begins after the given state. Nothing may be waiting.
    pub fn rotate(&mut self, number: InputNumber, tick: u64, now_ms: i64) -> io::Result<()> {
        debug_assert!(self.waiting.is_empty(), "a segment ends with whole batches");
        let header =
            Header { start: number, start_tick: tick, epoch_ms: now_ms, continues: true, ..self.header.clone() };
        let file = create(&self.layout.segment(number), &header)?;
        // The end of the old one; the new one has its own.
        self.sync_soon();
        self.written = format::begin_segment(&header).len() as u64;
        self.sink = Box::new(file);
        self.header = header;
        self.gauges.segment_start.store(number, Ordering::Relaxed);
        self.gauges.segment_bytes.store(self.written, Ordering::Relaxed);
        Ok(())
    }
}

/// Makes the file with its head, beside and renamed, so that a segment without a head is never one of ours.
fn create(path: &Path, header: &Header) -> io::Result<File> {
    crate::files::write_whole(path, &format::begin_segment(header))?;
    let mut file = File::options().write(true).open(path)?;
    io::Seek::seek(&mut file, io::SeekFrom::End(0))?;
    Ok(file)
}

/// The thread that waits for the disk.
struct Syncer {
    files: mpsc::SyncSender<File>,
}

impl Syncer {
    fn start(gauges: Arc<Gauges>) -> Syncer {
        // One that waits is enough: it syncs all that was written before it began.
        let (files, to_sync) = mpsc::sync_channel::<File>(1);
        std::thread::spawn(move || {
            for file in to_sync {
                let begun = Instant::now();
                if let Err(error) = file.sync_data() {
                    gauges.write_failures.fetch_add(1, Ordering::Relaxed);
                    gauges.unsynced.store(true, Ordering::Relaxed);
                    tracing::error!(%error, "the journal could not be brought to the disk; a snapshot makes good for it");
                }
                gauges.sync_us.store(begun.elapsed().as_micros() as u64, Ordering::Relaxed);
            }
        });
        Syncer { files }
    }

    fn sync(&self, file: File) {
        // Full: the one that waits will see to it.
        let _waits_already = self.files.try_send(file);
    }
}

#[cfg(test)]
mod tests {
    use super::super::format::Record;
    use super::super::format::tests::header;
    use super::*;
    use parking_lot::Mutex;

    /// A disk of so many bytes.
    struct Small {
        bytes: Arc<Mutex<Vec<u8>>>,
        room: Arc<Mutex<usize>>,
    }

    impl Sink for Small {
        fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
            let mut held = self.bytes.lock();
            let fits = bytes.len().min(self.room.lock().saturating_sub(held.len()));
            held.extend_from_slice(&bytes[..fits]);
            if fits < bytes.len() { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
        }

        fn truncate(&mut self, length: u64) -> io::Result<()> {
            self.bytes.lock().truncate(length as usize);
            Ok(())
        }

        fn sync(&self) -> io::Result<()> {
            Ok(())
        }

        fn to_sync(&self) -> io::Result<Option<File>> {
            Ok(None)
        }
    }

    fn numbers(bytes: &[u8]) -> Vec<u64> {
        let records = Records::open(bytes).expect("it has a head");
        records
            .filter_map(|r| match r {
                Record::Input { number, .. } => Some(number),
                Record::Hashes { .. } => None,
            })
            .collect()
    }

    #[test]
    fn a_full_disk_holds_whole_records_and_takes_the_rest_later() {
        let header = header(0);
        let head = format::begin_segment(&header);
        let (bytes, room) = (Arc::new(Mutex::new(head.clone())), Arc::new(Mutex::new(head.len() + 40)));
        let sink = Small { bytes: bytes.clone(), room: room.clone() };
        let folder = tempfile::tempdir().expect("a folder");
        let layout = Layout::new(folder.path());
        let mut journal = Journal::on(Box::new(sink), layout, header, Fsync::Tick, Arc::default());
        journal.input(1, 5, &Input::Tick);
        journal.flush().expect("there is room for one");
        for number in 2..10 {
            journal.input(number, 5, &Input::Tick);
        }
        journal.flush().expect_err("there is none for all of these");
        assert_eq!(numbers(&bytes.lock()), [1]);
        journal.flush().expect_err("there still is none");
        *room.lock() = 10_000;
        journal.flush().expect("now there is");
        assert_eq!(numbers(&bytes.lock()), (1..10).collect::<Vec<_>>());
    }

    #[test]
    fn a_segment_that_is_begun_again_stays_the_beginning_of_its_run() {
        let folder = tempfile::tempdir().expect("a folder");
        let layout = Layout::open(folder.path()).expect("it can be made");
        let begin = |start, continues| {
            let header = Header { continues, ..header(start) };
            Journal::begin(layout.clone(), header, Fsync::Tick, Arc::default()).expect("begins");
            let read = std::fs::read(layout.segment(start)).expect("it is there");
            Records::open(&read).expect("it has a head").header.continues
        };
        assert!(!begin(0, false) && !begin(0, true), "the first of all, begun twice");
        assert!(begin(7, true) && begin(7, true), "one that goes on from another");
        assert!(!begin(9, false) && !begin(9, true), "one that begins with other content");
    }

    #[test]
    fn a_segment_goes_on_in_the_next() {
        let folder = tempfile::tempdir().expect("a folder");
        let layout = Layout::open(folder.path()).expect("it can be made");
        let mut journal = Journal::begin(layout.clone(), header(0), Fsync::Always, Arc::default()).expect("begins");
        journal.input(1, 5, &Input::Tick);
        journal.flush().expect("written");
        journal.rotate(1, 1, 1_000).expect("rotated");
        journal.input(2, 5, &Input::Tick);
        journal.flush().expect("written");
        let read = |start| std::fs::read(layout.segment(start)).expect("it is there");
        assert_eq!(numbers(&read(0)), [1]);
        assert_eq!(numbers(&read(1)), [2]);
        let header = Records::open(&read(1)).expect("it has a head").header;
        assert!(header.continues && header.start == 1 && header.start_tick == 1 && header.epoch_ms == 1_000);
    }
}
