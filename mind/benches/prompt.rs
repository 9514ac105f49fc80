//! What a prompt costs in time: built whole for a medium tier, its tokens counted, its parts written.
//!
//! `cargo bench -p mind`. How many tokens it has, and how much of them a provider caches, is in
//! `-p lab --bin prompt_cost`.

#[path = "../tests/sessions/mod.rs"]
mod sessions;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mind::budget::Tier;
use mind::derive::{Deriver, Ran};
use mind::focus::{How, Subject};
use mind::goals::GOALS_MAX;
use mind::hud::{Format, View};
use mind::pressure::Density;
use mind::projects::Shelf;
use mind::prompt::{PromptBuilder, Settings};
use mind::{Event, LogEntry, MindState, VerbRequest, edit, fold, render, tokens};
use protocol::happening::{Happening, Place, Role, What};
use protocol::outcome::{Who, WhoKind};
use protocol::talk::Heard;
use sessions::cost::settings;
use sessions::furnished::{declared, furnished};
use sessions::{Session, hero};
use std::hint::black_box;

/// After so many decisions a medium prompt is some 60 % full.
const DECISIONS: usize = 100;

fn played(tier: Tier, format: Format) -> (Session, PromptBuilder) {
    let mut session = Session::new(3);
    let mut builder = PromptBuilder::new(settings(tier, format));
    builder.set_self(hero());
    for _ in 0..DECISIONS {
        builder.append(session.step().block);
    }
    (session, builder)
}

fn building(c: &mut Criterion) {
    let mut group = c.benchmark_group("prompt");
    for format in Format::ALL {
        let (session, mut builder) = played(Tier::Medium, format);
        group.bench_function(format!("medium {}", format.name()), |b| {
            b.iter(|| black_box(builder.build(&session.live, &session.recent, &session.state)));
        });
    }
    let mut session = furnished(3);
    let mut builder = PromptBuilder::new(Settings { sections: declared(), ..settings(Tier::Medium, Format::Markdown) });
    builder.set_self(hero());
    for _ in 0..DECISIONS {
        builder.append(session.step().block);
    }
    group.bench_function("medium, 3 projects, 40 goals, 60 facts, 6 sections", |b| {
        b.iter(|| black_box(builder.build(&session.live, &session.recent, &session.state)));
    });
    let (mut session, builder) = played(Tier::Medium, Format::Markdown);
    let block = session.step().block;
    group.bench_function("append a block", |b| {
        b.iter_batched_ref(
            || builder.clone(),
            |builder| builder.append(block.clone()),
            criterion::BatchSize::SmallInput,
        );
    });
    group.bench_function("fold", |b| {
        b.iter_batched_ref(
            || builder.clone(),
            |builder| builder.compact(&session.state),
            criterion::BatchSize::SmallInput,
        );
    });
    group.finish();
}

fn counting(c: &mut Criterion) {
    let (session, mut builder) = played(Tier::Medium, Format::Markdown);
    let text = builder.build(&session.live, &session.recent, &session.state).text();
    let mut group = c.benchmark_group("tokens");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("count a prompt", |b| b.iter(|| black_box(tokens::count(&text))));
    group.finish();
}

fn writing(c: &mut Criterion) {
    let (session, _) = played(Tier::Medium, Format::Markdown);
    let view = View { self_: hero(), live: session.live, recent: session.recent, state: session.state };
    let mut group = c.benchmark_group("render");
    for format in Format::ALL {
        group.bench_function(format.name(), |b| b.iter(|| black_box(render::view(&view, format, Density::Full))));
    }
    group.finish();
}

/// A log that is typed line by line.
struct Typed {
    state: MindState,
    shelf: Shelf,
    tick: u64,
}

impl Typed {
    fn line(&mut self, line: &str) {
        let (verb, args) = line.split_once(' ').unwrap_or((line, ""));
        let asked = VerbRequest::new(verb, args, self.state.seq + 1, 8, self.tick);
        let reply = edit::answer(&self.state, &VerbRequest { shelf: &self.shelf, ..asked });
        assert!(!reply.refused, "{line}: {}", reply.text);
        self.take(reply.events);
        self.tick += 6;
    }

    fn take(&mut self, events: Vec<Event>) -> usize {
        let mut bytes = 0;
        for event in events {
            let entry = LogEntry { seq: self.state.seq + 1, tick: self.tick, at_ms: 0, input: self.tick, event };
            self.state.project(&entry);
            self.shelf.note(&entry);
            bytes += serde_json::to_string(&entry).map_or(0, |row| row.len());
        }
        bytes
    }

    /// All that a project may hold, each as long as it may be.
    fn fill(&mut self) {
        let text = |chars: usize| "a door of oak and iron ".repeat(chars / 20).chars().take(chars).collect::<String>();
        self.line(&format!("task {}", text(300).trim()));
        self.line(&format!("project update {}", text(1_990).trim()));
        for n in 0..GOALS_MAX {
            self.line(&format!("goal {n} {}", text(290).trim()));
        }
        for n in 0..40 {
            self.line(&format!("note {n} {}", text(590).trim()));
            self.line(&format!("decide {n} {}: {}", text(290).trim(), text(590).trim()));
        }
        for n in 0..20 {
            self.line(&format!("block {n} {}", text(290).trim()));
        }
    }
}

/// The largest turn to another project: both hold all that they may. The answer, the entries taken in, and their rows.
fn turning(c: &mut Criterion) {
    let mut typed = Typed { state: MindState::default(), shelf: Shelf::default(), tick: 1 };
    typed.fill();
    typed.line("project new other = another one");
    typed.line("project swap other");
    typed.fill();
    let mut group = c.benchmark_group("project");
    group.bench_function("largest swap", |b| {
        b.iter_batched_ref(
            || Typed { state: typed.state.clone(), shelf: typed.shelf.clone(), tick: typed.tick },
            |typed| {
                let asked = VerbRequest::new("swap", "", typed.state.seq + 1, 8, typed.tick);
                let request =
                    VerbRequest { verb: "project", args: "swap main: it rests", shelf: &typed.shelf, ..asked };
                let reply = edit::answer(&typed.state, &request);
                assert_eq!(reply.events.len(), 2, "{}", reply.text);
                black_box(typed.take(reply.events))
            },
            criterion::BatchSize::LargeInput,
        );
    });
    group.finish();
}

/// A log of 2,000 entries of which a fifth is talk, a half deeds, and the rest one's own.
fn dropped() -> Vec<LogEntry> {
    let who = |name: String, kind| Who { id: name.to_lowercase().into(), name: name.into(), kind, level: 3 };
    let event = |seq: u64| match seq % 10 {
        0 | 5 => {
            let text = format!("Wren, can you bring me lamp number {seq} from the mill?");
            let (from, channel) = (format!("Bob{}", seq % 13).into(), "tell".into());
            Event::Heard(Box::new(Heard { from, channel, text: text.into(), message: None, missed: 0 }))
        }
        1..=4 | 6 => {
            let what = match seq % 3 {
                0 => What::Met {
                    who: who("Wren".into(), WhoKind::Player),
                    other: who(format!("Eve{}", seq % 90), WhoKind::Player),
                },
                1 => What::RoomSeen { who: who("Wren".into(), WhoKind::Player), from: None },
                _ => What::Killed {
                    victim: who(format!("a rat of kind {}", seq % 40), WhoKind::Mob),
                    killer: Some(who("Wren".into(), WhoKind::Player)),
                    xp: 20,
                },
            };
            let room = Place { vnum: seq as i32, name: format!("Room {} of the mill", seq % 200).into() };
            let (role, witnesses, social_event_id) = (Role::Did, Vec::new(), None);
            let happening = Happening { what, role, room, witnesses, social_event_id, novel: false, valence: None };
            Event::Happening(Box::new(happening))
        }
        7 => Event::DecisionRecord { summary: format!("Take road {seq} to the river."), details: None },
        8 => Event::ErrorEncountered { message: format!("Door {seq} is locked.") },
        _ => Event::NoteAdd { text: format!("Stone {seq} of the wall is loose.") },
    };
    (1..=2_000).map(|seq| LogEntry { seq, tick: seq, at_ms: 0, input: seq, event: event(seq) }).collect()
}

fn telling(c: &mut Criterion) {
    let log = dropped();
    let state = MindState::of(&log);
    let mut group = c.benchmark_group("fold");
    for tier in [Tier::Small, Tier::Medium, Tier::Large] {
        group.bench_function(format!("story of 2,000 entries, {}", tier.name()), |b| {
            b.iter(|| black_box(fold::story("Wren", &log, &[], &state, tier.story_max())));
        });
    }
    group.finish();
}

/// What the server does for each command of a session with `mind`.
fn deriving(c: &mut Criterion) {
    let mut group = c.benchmark_group("derive");
    let lines: Vec<String> = (0..97).map(|n| format!("door{n}")).collect();
    let mut deriver = Deriver::default();
    let mut n = 0u64;
    group.bench_function("a command, one in three refused", |b| {
        b.iter(|| {
            n += 1;
            let args = &lines[(n % 97) as usize];
            let refused = n.is_multiple_of(3).then_some("It is locked.");
            let (room, room_name) = ((n / 20) as i32, "The Mill");
            black_box(deriver.take(&Ran { word: "open", args, room, room_name, refused, tick: n / 3 }))
        });
    });
    let subjects: Vec<Subject> = lines.iter().filter_map(|line| Subject::topic(line)).collect();
    let mut deriver = Deriver::default();
    group.bench_function("something looked at", |b| {
        b.iter(|| {
            n += 1;
            black_box(deriver.touch(&subjects[(n % 11) as usize], How::Looked, n / 3))
        });
    });
    group.finish();
}

criterion_group!(benches, building, counting, writing, turning, telling, deriving);
criterion_main!(benches);
