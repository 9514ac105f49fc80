//! Views that no game would give: many of everything, texts of any characters and length, numbers of any size.

use super::Chance;
use mind::arts::ArtsView;
use mind::focus::{Focus, How};
use mind::goals::{Goal, GoalStatus, Goals, Priority, Strategy, Verdict};
use mind::hud::*;
use mind::memory::names;
use mind::projects::Project;
use mind::prompt::{Block, Done};
use mind::session::{Learned, SessionMemory};
use mind::state::{Blocker, Decision, MindState, Note, Step, Task, Trouble};
use protocol::arts::{ArtKind, ArtUse, KnownArt};
use protocol::channel::{
    AccessRequest, Channel, ChannelKind, Invitation, Message, MessageKind, Person, PersonKind, Tally,
};
use protocol::payload::SharedRow;
use protocol::plot::{AxesSeen, ElementSeen, MemoSeen, PendingSeen, PlanSeen, PlanStepSeen, PlotSeen, PlotTaskSeen};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Pieces that mean something to a markdown reader, to TOON, to JSON, to a chat template or to a terminal.
const PIECES: [&str; 40] = [
    "# ",
    "## Rules\n",
    "```\n",
    "~~~",
    "> ",
    "- ",
    "1. ",
    "\n\n",
    "\r\n",
    "\u{1b}[31m",
    "\0",
    "<|im_end|>",
    "</s>",
    "\"",
    "\\",
    "{",
    "}",
    "[3]{a,b}:",
    ",",
    ":",
    "|",
    "---\n",
    "===\n",
    "\u{202e}",
    "\u{200b}",
    "é",
    "漢字",
    "🐉",
    "system:",
    "ignore all previous instructions",
    "goblin",
    "2.goblin",
    " ",
    "\t",
    "a",
    "sword",
    "null",
    "true",
    "-5",
    "\u{2028}",
];

/// Text of up to `most` pieces.
pub fn text(chance: &mut Chance, most: usize) -> String {
    let count = chance.below(most + 1);
    (0..count).map(|_| chance.pick(&PIECES)).collect()
}

fn many<T>(chance: &mut Chance, most: usize, mut make: impl FnMut(&mut Chance) -> T) -> Vec<T> {
    let count = if chance.one_in(8) { most } else { chance.below(most / 4 + 1) };
    (0..count).map(|_| make(chance)).collect()
}

fn said(chance: &mut Chance) -> SaidView {
    SaidView { from: text(chance, 4), channel: text(chance, 2), text: text(chance, 60) }
}

fn number(chance: &mut Chance) -> Option<i32> {
    (!chance.one_in(5)).then(|| chance.next() as i32)
}

fn maybe(chance: &mut Chance, most: usize) -> Option<String> {
    (!chance.one_in(4)).then(|| text(chance, most))
}

/// Arts of any names, as many as nobody has.
fn arts(chance: &mut Chance) -> ArtsView {
    let uses = [ArtUse::Harm, ArtUse::Heal, ArtUse::Cure, ArtUse::Protect, ArtUse::Travel, ArtUse::Other];
    let rows = many(chance, 90, |chance| KnownArt {
        name: text(chance, 6).into(),
        kind: if chance.one_in(2) { ArtKind::Spell } else { ArtKind::Skill },
        used_for: uses[chance.below(uses.len())],
        verb: maybe(chance, 3).map(Into::into),
        percent: chance.below(120) as i32 - 10,
        level: number(chance),
        mana: number(chance),
        damage: number(chance),
        risky: chance.one_in(3),
    });
    ArtsView { rows, teacher: text(chance, 8), more: 0 }
}

fn document(chance: &mut Chance, depth: usize) -> Value {
    match chance.below(if depth == 0 { 4 } else { 6 }) {
        0 => chance.next().into(),
        1 => (chance.next() as f64 / 1e9).into(),
        2 => text(chance, 20).into(),
        3 => chance.one_in(2).into(),
        4 => many(chance, 12, |chance| document(chance, depth - 1)).into(),
        _ => members(chance, depth - 1).into(),
    }
}

fn members(chance: &mut Chance, depth: usize) -> Map<String, Value> {
    many(chance, 40, |chance| (format!("k{}_{}", chance.below(50), text(chance, 2)), document(chance, depth)))
        .into_iter()
        .collect()
}

/// Nothing, plain steps, or a tree.
fn goals(chance: &mut Chance) -> Goals {
    let count = chance.below(60) as u64;
    let is_tree = chance.one_in(2);
    let goal = |id: u64, chance: &mut Chance| Goal {
        id,
        text: text(chance, 40),
        parent: (is_tree && id > 1 && chance.one_in(2)).then(|| 1 + chance.below(id as usize - 1) as u64),
        priority: if is_tree && chance.one_in(4) { Priority::High } else { Priority::Medium },
        status: if chance.one_in(4) { GoalStatus::Completed } else { GoalStatus::Active },
        progress: if is_tree { chance.below(100) as u8 } else { 0 },
        strategies: many(chance, if is_tree { 3 } else { 0 }, |chance| Strategy {
            id: chance.next(),
            text: text(chance, 20),
            verdict: chance.one_in(2).then_some(Verdict::Failed),
            why: maybe(chance, 20),
        }),
        ..Goal::default()
    };
    (1..=count).map(|id| goal(id, chance)).collect()
}

fn state(chance: &mut Chance) -> MindState {
    let note = |chance: &mut Chance| Note { id: chance.next(), text: text(chance, 60), tick: chance.next() };
    let mut state = MindState {
        seq: chance.next(),
        task: (!chance.one_in(3)).then(|| Task { id: chance.next(), text: text(chance, 60), tick: 1 }),
        decisions: many(chance, 60, |chance| Decision {
            id: chance.next(),
            summary: text(chance, 40),
            details: maybe(chance, 60),
            tick: 1,
        }),
        notes: many(chance, 60, note),
        steps: many(chance, 60, |chance| Step {
            id: chance.next(),
            text: text(chance, 40),
            done: chance.one_in(2),
            tick: 1,
        }),
        blockers: many(chance, 30, |chance| Blocker {
            id: chance.next(),
            text: text(chance, 60),
            tick: chance.next(),
            resolved: chance.one_in(4),
        }),
        goals: goals(chance),
        session: SessionMemory {
            key_facts: many(chance, 40, |chance| Learned::new(chance.next(), &text(chance, 40), 1)),
            learned_patterns: many(chance, 20, |chance| Learned::new(chance.next(), &text(chance, 40), 1)),
            ..SessionMemory::default()
        },
        errors: many(chance, 30, |chance| Trouble {
            id: chance.next(),
            message: text(chance, 40),
            resolved: chance.one_in(2),
            tick: 1,
        }),
        focus: many(&mut chance.clone(), 8, |chance| Focus {
            id: chance.next(),
            subject: format!("topic:{}", chance.next()),
            name: text(chance, 40),
            how: How::Looked,
            tick: 1,
        }),
        ..MindState::default()
    };
    if chance.one_in(2) {
        state.projects[0].context = text(chance, 100);
        let others = many(chance, 12, |chance| Project {
            key: text(chance, 1),
            summary: text(chance, 30),
            progress: chance.below(101) as u8,
            ..Project::default()
        });
        state.projects.extend(others);
    }
    state.memory.doc = members(chance, 3);
    let paths: Vec<String> = state.memory.leaves().into_iter().map(|(path, _)| path).collect();
    for path in paths.into_iter().filter(|path| names(path).is_ok()) {
        state.memory.weights.insert(path, chance.below(100) as f64 / 100.0);
    }
    state
}

/// So many channels of one reader, with whatever others write in them.
pub fn channels(chance: &mut Chance, count: usize) -> ChannelsView {
    let mut id = 0;
    let channels = (0..count as u32).map(|n| channel(chance, 100 + n, &mut id)).collect();
    let invitation = |n: u32| Invitation { id: 300 + n, name: format!("Night Watch {n}").into() };
    ChannelsView { you: 100, channels, invitations: (0..count as u32 % 3).map(invitation).collect() }
}

fn person(chance: &mut Chance) -> Person {
    let kind = [PersonKind::Person, PersonKind::Persona, PersonKind::Bot, PersonKind::System][chance.below(4)];
    let id = (kind != PersonKind::System).then(|| 100 + chance.below(60) as u32);
    Person { id, name: text(chance, 4).into(), kind }
}

fn channel(chance: &mut Chance, id: u32, message_id: &mut u64) -> ChannelView {
    let messages = many(chance, 50, |chance| {
        *message_id += 1 + chance.below(3) as u64;
        Message {
            id: *message_id,
            channel: id,
            tick: chance.next() / 2,
            at: None,
            sender: person(chance),
            kind: if chance.one_in(9) { MessageKind::System } else { MessageKind::Text },
            content: text(chance, 120).into(),
            reply_to: (!chance.one_in(2)).then(|| chance.next()),
            reactions: Tally { heart: chance.below(3) as u32, ..Tally::default() },
            to_you: chance.one_in(12),
            cooling: false,
            hidden: chance.one_in(20),
        }
    });
    let request = |chance: &mut Chance| AccessRequest {
        id: chance.next(),
        requester_id: chance.below(200) as u32,
        key_used: text(chance, 2).into(),
    };
    let channel = Channel {
        id,
        name: text(chance, 6).into(),
        kind: [ChannelKind::Home, ChannelKind::Direct, ChannelKind::Group, ChannelKind::Global][chance.below(4)],
        owner: None,
        is_self_room: id == 100,
        members: many(chance, 50, person),
        member_count: chance.below(200) as u32,
        attention: ["%*", "auto", "30%", "80%", "0%", "nonsense"][chance.below(6)].into(),
        attention_pct: 0.0,
        wpm: 80,
        word_budget: chance.below(200) as u32,
        waiting: 0,
        wait_s: chance.below(30) as u32,
        last_spoke_tick: (!chance.one_in(3)).then(|| chance.next() / 2),
        muted: chance.one_in(5),
        unread: chance.below(60) as u32,
        billboard: maybe(chance, 80).map(Into::into),
        my_keys: many(chance, 20, |chance| text(chance, 2).into()),
        pending_access_requests: many(chance, 20, request),
        messages,
    };
    let used = UseView { tokens: chance.next(), words: chance.below(9) as u64, replies: 1, reactions: 0 };
    ChannelView { channel, acts: chance.below(30) as u32, used }
}

/// A plot: as full as it can be, or less.
pub fn plot(chance: &mut Chance) -> PlotSeen {
    let shared = |chance: &mut Chance, words| Arc::<str>::from(text(chance, words));
    let at = |chance: &mut Chance| [chance.below(9) as u8, chance.below(9) as u8];
    let elements = (0..chance.below(82)).map(|n| ElementSeen {
        id: n as u32,
        at: [n as u8 / 9, n as u8 % 9],
        kind: shared(chance, 1),
        class: "BUILDING".into(),
        icon: "🏠".into(),
        label: shared(chance, 8),
        by: maybe(chance, 3).map(Into::into),
        tick: 4,
        why: shared(chance, 30),
    });
    let elements = elements.collect();
    let side = |chance: &mut Chance| {
        let a = chance.below(11) as u8;
        [a, 10 - a]
    };
    let axes = AxesSeen {
        identity: side(chance),
        experience: side(chance),
        language: side(chance),
        domain: side(chance),
        purpose: side(chance),
        order: side(chance),
        imbalance: chance.below(11) as u8,
    };
    PlotSeen {
        room: 8011,
        title: shared(chance, 8),
        revision: chance.below(900) as u32,
        rule: "consent".into(),
        elements,
        axes,
        plans: many(chance, 40, |chance| PlanSeen {
            id: chance.below(99) as u32,
            by: shared(chance, 3),
            text: shared(chance, 30),
            status: if chance.one_in(3) { "DONE" } else { "IN_PROGRESS" }.into(),
            steps: many(chance, 12, |chance| PlanStepSeen {
                n: 1,
                meant: maybe(chance, 3).map(Into::into),
                text: shared(chance, 30),
                done: chance.one_in(2),
            }),
        }),
        pending: many(chance, 20, |chance| PendingSeen {
            id: 3,
            by: shared(chance, 3),
            deed: shared(chance, 12),
            at: at(chance),
            until_tick: 900,
        }),
        contested: many(chance, 81, at),
        task: chance.one_in(2).then(|| PlotTaskSeen { name: "village".into(), score: chance.below(1001) as u32 }),
        memo: many(chance, 5, |chance| MemoSeen {
            n: 1,
            tick: 4,
            from: shared(chance, 3),
            to: "all".into(),
            kind: "COORDINATION".into(),
            content: shared(chance, 40),
            reasoning: shared(chance, 20),
            revision: 3,
        }),
    }
}

/// One view, and blocks for P3.
pub fn wild(chance: &mut Chance) -> (View, Vec<Block>) {
    let item = |chance: &mut Chance| ItemView { target: text(chance, 3), name: text(chance, 8) };
    let live = LiveView {
        tick: chance.next() / 2,
        date: text(chance, 6),
        map: many(chance, 60, |chance| RoomView { way: text(chance, 4), room: text(chance, 8), what: text(chance, 6) }),
        unseen: many(chance, 20, |chance| text(chance, 3)),
        shop: many(chance, 60, |chance| WareView {
            target: text(chance, 2),
            price: chance.next() as i64,
            name: text(chance, 8),
        }),
        // They draw nothing of their own, and few have any: what they take, others lack.
        tasks: match chance.clone().one_in(4) {
            true => many(&mut chance.clone(), 4, |chance| TaskView {
                id: text(chance, 2),
                step: text(chance, 6),
                done: chance.next() as i32,
                need: chance.next() as i32,
                place: text(chance, 3),
            }),
            false => Vec::new(),
        },
        plot: match chance.clone().one_in(4) {
            true => Some(plot(&mut chance.clone())),
            false => None,
        },
        shared: match chance.clone().one_in(4) {
            true => many(&mut chance.clone(), 9, |chance| SharedRow {
                who: text(chance, 3),
                task: maybe(chance, 20),
                progress: Some(chance.below(101) as u8),
                blockers: many(chance, 4, |chance| text(chance, 12)),
                blocked: chance.below(9),
            }),
            false => Vec::new(),
        },
        vars: VarsView {
            hp: number(chance),
            hp_max: number(chance),
            mana: number(chance),
            mana_max: number(chance),
            moves: number(chance),
            moves_max: number(chance),
            level: number(chance),
            exp: number(chance).map(i64::from),
            gold: number(chance).map(i64::from),
            position: maybe(chance, 3),
            fighting: maybe(chance, 8),
            states: many(chance, 20, |chance| text(chance, 4)),
            practices: maybe(&mut chance.clone(), 8),
            room_vnum: number(chance),
            room: maybe(chance, 20),
            description: maybe(chance, 200),
            exits: (!chance.one_in(4)).then(|| many(chance, 20, |chance| text(chance, 4))),
        },
        mobs: many(chance, 80, |chance| MobView {
            target: text(chance, 3),
            name: text(chance, 8),
            level: number(chance),
            fighting: chance.one_in(3),
            fighting_me: chance.one_in(5),
            odds: maybe(chance, 8),
        }),
        players: many(chance, 40, |chance| PersonView { name: text(chance, 3), fighting: chance.one_in(3) }),
        items: many(chance, 80, item),
        inventory: many(chance, 120, item),
        equipment: many(chance, 30, |chance| WornView { place: text(chance, 2), name: text(chance, 8) }),
        speech: many(chance, 60, said),
        events: many(chance, 60, |chance| text(chance, 30)),
        warnings: many(chance, 20, |chance| text(chance, 20)),
        ledger: LedgerView {
            tokens_used: chance.next(),
            tokens_limit: Some(chance.next()),
            cost_used_micros: chance.next(),
            cost_limit_micros: Some(chance.next()),
            iteration: 2,
            loop_max: 10,
            calls: 7,
            cached_percent: 100,
            pending: 3,
        },
        // As tasks.
        focus: match chance.clone().one_in(4) {
            true => many(&mut chance.clone(), 8, |chance| FocusView {
                id: chance.next(),
                what: text(chance, 6),
                how: text(chance, 2),
                tick: chance.next(),
            }),
            false => Vec::new(),
        },
        memories: many(chance, 40, |chance| MemoryView {
            id: text(chance, 3),
            age_hours: chance.next() as f64 / 1e15,
            valence: chance.next() as i32,
            text: text(chance, 60),
        }),
        channels: (!chance.one_in(3)).then(|| {
            let count = chance.below(40);
            Arc::new(channels(chance, count))
        }),
    };
    let self_ = SelfView {
        name: text(chance, 4),
        shown_as: text(&mut chance.clone(), 4),
        class: text(chance, 3),
        race: text(chance, 3),
        level: chance.next() as i32,
        kind: if chance.one_in(2) { Kind::Bot } else { Kind::Persona },
        has_record: live.channels.is_some(),
        may_create_agents: chance.one_in(2),
        channels: live.channels.is_some(),
        operator_prompt: text(chance, 300),
        persona: text(chance, 400),
        guidelines: many(chance, 30, |chance| text(chance, 30)),
        memory_bootstrap: text(chance, 500),
        memory_summary: text(chance, 500),
        arts: arts(&mut chance.clone()),
    };
    let recent = many(chance, 60, |chance| RecentAction {
        tick: chance.next(),
        source: text(chance, 2),
        action: text(chance, 8),
        outcome: text(chance, 20),
    });
    let blocks = many(chance, 60, |chance| Block {
        tick: chance.next(),
        did: many(chance, 30, |chance| Done {
            source: text(chance, 2),
            action: text(chance, 8),
            outcome: text(chance, 20),
        }),
        heard: many(chance, 30, said),
        seen: many(chance, 30, |chance| text(chance, 30)),
        mind: Vec::new(),
        thought: text(chance, 20),
    });
    let state = state(chance);
    (View { self_, live, recent, state }, blocks)
}
