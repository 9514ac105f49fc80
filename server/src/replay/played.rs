//! For tests: a world that is played by hand and written down as a server does, with each word known.

use crate::content_files::read_world;
use crate::journal::{Gauges, Header, Layout, Snapshot, Unwritten, format, write_snapshot};
use crate::log_input::LogInput;
use crate::replay::{PastArgs, needs_of};
use crate::state_dir::PlayedIn;
use crate::store::agent_events::{self, row_of};
use crate::store::{Store, StoreOptions};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;
use world::character::Link;
use world::rng::Dice;
use world::rules::Rules;
use world::rules::creation::{self, Choices};
use world::{Admin, CharacterId, Input, InputNumber, Report, World};

/// When something was typed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Typed {
    pub input: InputNumber,
    pub tick: u64,
}

/// In the green of `tests/scenes`.
pub struct Society {
    pub folder: TempDir,
    pub world: World,
    pub header: Header,
    pub segment: Vec<u8>,
    pub ids: BTreeMap<&'static str, CharacterId>,
    pub logs: Vec<LogInput>,
}

impl Society {
    pub fn new() -> Society {
        let folder = tempfile::tempdir().expect("a folder");
        let scene = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/scenes/green");
        let (content, problems) = read_world(&scene, None).expect("the green");
        assert!(!problems.has_errors(), "{:?}", problems.0);
        let rules = Rules::built_in();
        let header = Header {
            server: "test".into(),
            needs: needs_of(&content, &rules, &scene),
            seed: 7,
            start: 0,
            start_tick: 0,
            epoch_ms: 1_000,
            tick_ms: 2_000,
            database: "db".into(),
            continues: false,
        };
        let world = World::new(Arc::new(content), Arc::new(rules), 7);
        let layout = Layout::open(folder.path()).expect("a journal");
        let snapshot = Snapshot::of(&world, header.clone(), Unwritten::default());
        write_snapshot(&layout, &snapshot, &Gauges::default()).expect("written");
        let segment = format::begin_segment(&header);
        Society { folder, world, header, segment, ids: BTreeMap::new(), logs: Vec::new() }
    }

    /// Another folder that goes on from this moment, as a fork does.
    pub fn fork(&self, seed: u64) -> Society {
        let folder = tempfile::tempdir().expect("a folder");
        let mut state = self.world.snapshot();
        state.seed = seed;
        let world = World::resume(self.world.content.clone(), self.world.rules.clone(), state);
        let (start, start_tick) = (world.state.number, world.tick());
        let header = Header { seed, start, start_tick, continues: false, ..self.header.clone() };
        let layout = Layout::open(folder.path()).expect("a journal");
        let snapshot = Snapshot::of(&world, header.clone(), Unwritten::default());
        write_snapshot(&layout, &snapshot, &Gauges::default()).expect("written");
        let segment = format::begin_segment(&header);
        Society { folder, world, header, segment, ids: self.ids.clone(), logs: Vec::new() }
    }

    pub fn apply(&mut self, input: &Input) -> Report {
        let mut report = self.world.apply(input);
        format::append_input(&mut self.segment, &self.header, report.number, 1_000, input);
        format::append_stops(&mut self.segment, &report.script_stops);
        self.logs.extend(LogInput::of_replayed(&mut report, 1_000));
        report
    }

    pub fn enter(&mut self, name: &'static str, room: i32, agent: bool) {
        let mut record = creation::newborn(&self.world.rules, &Choices::plain(name), &mut Dice::new(1, 1, 1, 1));
        record.room = Some(room);
        let who = self.apply(&Input::Enter { record: Box::new(record), agent }).entered.expect("it comes in");
        self.apply(&Input::KeepTalk { who });
        self.ids.insert(name, who);
    }

    pub fn persons(&mut self, room: i32, names: &[&'static str]) {
        names.iter().for_each(|name| self.enter(name, room, false));
    }

    pub fn place(&mut self, name: &str, room: i32) {
        let who = self.ids[name];
        self.apply(&Input::Admin(Admin::Place { who, room }));
    }

    pub fn link(&mut self, name: &str, link: Link) {
        let who = self.ids[name];
        self.apply(&Input::Link { who, link, agent: false });
    }

    /// Types what is not refused, and lets a tick pass. When it was typed.
    pub fn does(&mut self, name: &str, line: &str) -> Typed {
        let who = self.ids[name];
        let report = self.apply(&Input::Command { who, line: line.into() });
        assert_eq!(report.refused, None, "{name}: {line}");
        let done = Typed { input: report.number, tick: report.tick };
        self.tick(1);
        done
    }

    pub fn tick(&mut self, count: u64) {
        for _ in 0..count {
            self.apply(&Input::Tick);
        }
    }

    /// What is in the journal so far.
    pub fn past(&self) -> PastArgs {
        let layout = Layout::new(self.folder.path());
        std::fs::write(layout.segment(self.header.start), &self.segment).expect("written");
        PastArgs { state_dir: self.folder.path().to_path_buf(), played_in: PlayedIn::default() }
    }

    /// With the logs that a server would have written.
    pub async fn store(&self) -> Store {
        let address = format!("sqlite:{}", self.folder.path().join("darkpawns.sqlite").display());
        let store = Store::connect(&address, &StoreOptions::of_state(self.folder.path())).await.expect("a store");
        let rows = self.logs.iter().filter_map(|input| match input {
            LogInput::Record(log, entry) => Some(row_of(log.clone(), entry, None)),
            LogInput::Request(_) => None,
        });
        let rows: Vec<_> = rows.collect();
        agent_events::append(&store, &rows).await.expect("they are written");
        store
    }
}
