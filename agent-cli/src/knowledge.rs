//! All that an agent learned by playing, and where it stands in what it is doing; fed by frames and by what it sends.
//!
//! Invariant: a function of what came and what was sent, in order; no clock of its own and no chance. Policies read it,
//! nothing here decides.

mod doors;
mod fights;
mod lessons;
mod lights;

pub use doors::ClosedDoor;
pub use fights::{Death, Fight, Kill, Struck};
pub use lessons::{Lessons, Teacher, ToldWay};

use crate::bestiary::{Bestiary, MobKind, vnum_of};
use crate::company::Company;
use crate::errands::Errands;
use crate::map::{Map, Room, direction_of};
use crate::objects::{Kind, Objects, Use, is_fountain};
use crate::posture::{Posture, Ticks};
use crate::refused_actions::RefusedActions;
use crate::state::{GameState, Line};
use protocol::Outcome;
use protocol::outcome::{TaskState, Who, WhoKind};
use protocol::payload::EventKind;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// So often `list` is typed where it was not refused and nobody reads goods in the answer: services are sold there, or
/// animals, and nothing that could be carried away.
const LISTS_MAX: u8 = 2;
/// How such an answer begins, where it is one of those that are known.
const NO_GOODS: &[&str] = &["Done here for coins:", "Animals that serve:"];
/// A place from which one fled is shunned so long.
const SHUN_FLED_MS: u64 = 180_000;
/// What a shop would not do is not asked again so soon: it is closed, or does not deal in that.
const TRADE_MS: u64 = 600_000;
/// Who has no work is not asked again so soon.
const WORK_MS: u64 = 1_800_000;
/// One's own kills are remembered so long, for their corpses.
const KILL_MS: u64 = 120_000;
/// Who leaves a room so soon after a blow fled from it.
const STRUCK_MS: u64 = 10_000;
/// With so many hit points again, in percent, one may go back to where one fled from.
pub const BOLD_AGAIN_PERCENT: i32 = 80;
/// What a crowd in a room was is believed so long.
const CROWD_MS: u64 = 120_000;
/// Lines that are kept of what was cast; more are forgotten at once.
const CASTS_MAX: usize = 200;
/// So many others make a room full.
pub const FULL: usize = 3;

#[derive(Clone, Debug, Default)]
pub struct Knowledge {
    pub map: Map,
    pub bestiary: Bestiary,
    pub objects: Objects,
    pub refused_actions: RefusedActions,
    pub errands: Errands,
    pub hungry: bool,
    pub thirsty: bool,
    /// Of the start of the resting that goes on; cleared when fit again.
    pub recovering: bool,
    /// It walked until it was tired, and walks to known prey alone until it is fresh.
    pub spent: bool,
    pub fight: Option<Fight>,
    pub deaths: Vec<Death>,
    pub kills: VecDeque<Kill>,
    /// Corpses that were emptied, or cannot be.
    pub looted: BTreeSet<String>,
    /// Objects that were put on, taken off or refused in vain, by instance.
    pub tried: BTreeSet<(String, Use)>,
    /// Lights that have burnt out, by instance.
    pub burnt: BTreeSet<String>,
    /// The light that one holds and sees nothing by, and since when.
    unlit: Option<(String, u64)>,
    /// Players in the room, as far as one was told.
    pub players: BTreeSet<String>,
    /// Those of them who came in after oneself.
    pub came_later: BTreeSet<String>,
    /// Where `list` was typed last, and how often on end.
    listed: (i32, u8),
    /// The last step did not go through, for a door: room, direction, time, and whether it is locked.
    pub shut: Option<ClosedDoor>,
    /// The room of the first login: where the dead wake.
    pub home: Option<i32>,
    /// When room, experience, hit points or things changed last.
    pub progress_ms: u64,
    mark: (Option<i32>, Option<i64>, Option<i32>, usize),
    /// Since when one is in this room.
    pub here_ms: u64,
    pub attacked_ms: Option<u64>,
    /// Where one was struck at last by somebody whom one has not killed since.
    pub struck: Option<Struck>,
    /// The room that one fled from, until one is fit again.
    pub fled_room: Option<i32>,
    /// The fight that ended with the frame at hand: its outcomes come behind the variables.
    ended: Option<Fight>,
    pub ticks: Ticks,
    pub posture: Posture,
    /// Hit points and moves, as they were last.
    strength: (i32, i32),
    /// Somebody dangerous is in the room.
    in_danger: bool,
    /// What was drunk from and not filled since, by the word for it. All else is as full as it was sold.
    pub drunk_from: BTreeSet<String>,
    /// Lines with which something was cast at somebody, and when each was sent last.
    pub cast_ms: BTreeMap<String, u64>,
    pub lessons: Lessons,
    /// Shops that were closed, and until when one leaves them alone.
    pub closed_until_ms: BTreeMap<i32, u64>,
    /// Since which step of the map one carries something, by instance.
    carried_since: BTreeMap<String, u64>,
    /// Who greeted one and waits for an answer, and whom one has greeted in this session.
    pub greeted_by: BTreeSet<String>,
    pub greeted: BTreeSet<String>,
    pub company: Company,
    /// Who may be here, by the text of the room; mobs are told apart by the variables.
    faces: Vec<String>,
    /// The wimpy that was set.
    pub wimpy: Option<i32>,
    /// Steps that were sent and not answered: from where, which way.
    steps: VecDeque<(i32, &'static str)>,
    /// Whom the next answer of `consider` is about.
    considering: VecDeque<i32>,
    /// Last visits by room, newest last: to see going round in circles.
    pub trail: VecDeque<i32>,
    pub flights: u32,
    /// Flights on end that did not work.
    pub flights_failed: u32,
    pub experience_start: Option<i64>,
    pub tallies: Tallies,
}

/// What was done, for summaries.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Tallies {
    pub kills: u64,
    pub deaths: u64,
    pub flights: u64,
    pub looted: u64,
    pub gold_found: i64,
    pub said: u64,
    pub heard: u64,
    pub levels: u64,
    pub fights: u64,
}

/// What of it is worth keeping when the process ends: places, beings, things and shops, refusals. Times are those of
/// the agent's clock, which goes on from one process to the next.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Lasting {
    pub home: Option<i32>,
    pub rooms: BTreeMap<i32, Room>,
    pub kinds: BTreeMap<i32, MobKind>,
    pub objects: Objects,
    pub refused: RefusedActions,
}

impl Lasting {
    /// Rooms, kinds of beings, things and shops.
    pub fn entries(&self) -> usize {
        self.rooms.len() + self.kinds.len() + self.objects.known.len() + self.objects.shops.len()
    }
}

impl Knowledge {
    pub fn lasting(&self) -> Lasting {
        Lasting {
            home: self.home,
            rooms: self.map.rooms.clone(),
            kinds: self.bestiary.kinds.clone(),
            objects: self.objects.clone(),
            refused: self.refused_actions.clone(),
        }
    }

    /// Knows again what it knew before. To be called before anything is observed: what came since would be lost.
    pub fn take_over(&mut self, lasting: Lasting) {
        let Lasting { home, rooms, kinds, objects, refused } = lasting;
        self.home = self.home.or(home);
        self.map.rooms = rooms;
        self.bestiary.kinds = kinds;
        self.objects = objects;
        self.refused_actions = refused;
    }

    /// Before the outcomes of a frame are taken: what the variables show now.
    pub fn observe(&mut self, state: &GameState, now_ms: u64) {
        if let Some(tick) = state.tick {
            self.ticks.told(tick, now_ms);
        }
        if let Some(vnum) = state.room_vnum
            && self.map.here != Some(vnum)
        {
            // The step that brought one here is the oldest one that was sent from the room one was in.
            let from = self.map.here;
            let step = self.steps.iter().position(|(room, _)| Some(*room) == from).map(|at| {
                let step = self.steps[at];
                self.steps.drain(..=at);
                step
            });
            self.map.arrive(vnum, step.filter(|_| self.fight.is_none()), now_ms);
            self.home = self.home.or(Some(vnum));
            self.here_ms = now_ms;
            self.players.clear();
            self.came_later.clear();
            if let Some(struck) = self.struck.filter(|it| Some(it.room) == from && now_ms < it.at_ms + STRUCK_MS) {
                self.fled_room = Some(struck.room);
            }
            self.trail.push_back(vnum);
            if self.trail.len() > 40 {
                self.trail.pop_front();
            }
        }
        if let (Some(teacher), Some(vnum)) =
            (state.practices.as_ref().and_then(|it| it.teacher.as_ref()), state.room_vnum)
        {
            self.meet_teacher(teacher, vnum, state.room_name.as_deref().unwrap_or("a room"));
        }
        let dark = state.room_name.as_deref() == Some("Darkness");
        self.map.see(if dark { "" } else { state.room_name.as_deref().unwrap_or("") }, state.exits());
        let water =
            state.items().iter().find(|item| is_fountain(&item.name)).map(|item| item.target_string.to_string());
        self.look_at_light(state, dark, now_ms);
        let lit = self.light_of(state).is_some();
        if let Some(room) = self.map.room_mut() {
            // Nights pass: where one sees without a light of one's own it is not dark.
            room.dark = dark || (room.dark && lit);
            if !dark {
                room.mobs = state.mobs().iter().map(|mob| mob.vnum).collect();
                if water.is_some() {
                    room.water = water;
                }
            }
        }
        self.note_strength(state);
        let steps = self.map.steps;
        self.carried_since.retain(|id, _| state.carried().iter().any(|item| *item.instance_id == **id));
        for item in state.carried() {
            self.carried_since.entry(item.instance_id.to_string()).or_insert(steps);
        }
        self.note_company(state, now_ms);
        let mark = (state.room_vnum, state.exp, state.health, state.carried().len() + worn(state));
        if mark != self.mark {
            self.mark = mark;
            self.progress_ms = now_ms;
        }
        self.experience_start = self.experience_start.or(state.exp);
        self.ended = None;
        if !state.is_fighting() && state.attackers().next().is_none() {
            self.ended = self.fight.take();
        } else if self.fight.is_none() {
            let opponent = state.attackers().next().or(state.mobs().iter().find(|mob| mob.fighting));
            self.tallies.fights += 1;
            self.fight = Some(Fight {
                id: opponent.map(|mob| mob.instance_id.to_string()).unwrap_or_default(),
                vnum: opponent.map(|mob| mob.vnum),
                name: opponent.map(|mob| mob.name.to_string()).unwrap_or_default(),
                since_ms: now_ms,
                hp_before: state.health.unwrap_or(0),
                ..Fight::default()
            });
        }
        while self.kills.front().is_some_and(|kill| kill.at_ms + KILL_MS < now_ms) {
            self.kills.pop_front();
        }
    }

    /// One outcome, after `observe` of the frame that carried it.
    pub fn learn(&mut self, state: &GameState, outcome: &Outcome, now_ms: u64) {
        let mut named = outcome.clone();
        named.for_each_who(|who| {
            if who.kind == WhoKind::Mob
                && let Some(vnum) = vnum_of(&who.id)
            {
                self.bestiary.seen(vnum, &who.name, who.level);
            }
        });
        let me = |who: &Who| state.is_me(who);
        self.company.learn(outcome, me, &self.players, now_ms);
        // Who fights or handles things before one's eyes is here, however it came.
        let doer = match outcome {
            Outcome::Attacked { attacker: who, .. }
            | Outcome::Damage { attacker: who, .. }
            | Outcome::Miss { attacker: who, .. }
            | Outcome::Position { who, .. }
            | Outcome::Got { who, .. }
            | Outcome::Dropped { who, .. }
            | Outcome::Social { actor: who, .. } => Some(who),
            _ => None,
        };
        if let Some(who) = doer.filter(|who| who.kind == WhoKind::Player && !me(who)) {
            self.players.insert(who.name.to_string());
        }
        match outcome {
            Outcome::Attacked { attacker, victim } if me(victim) => {
                self.attacked_ms = Some(now_ms);
                self.strike(attacker, now_ms);
                // Who joins a fight that goes on comes to somebody's aid: no reason to fear it in peace.
                let joins = self.fight.as_ref().is_some_and(|fight| fight.id != *attacker.id);
                if let Some(vnum) = vnum_of(&attacker.id) {
                    let kind = self.bestiary.kind(vnum);
                    if joins { kind.helper = true } else { kind.aggressive = true }
                }
                if let Some(room) = self.map.room_mut() {
                    room.safe = false;
                }
            }
            Outcome::Assisted { who, against, .. } if me(against) => {
                if let Some(vnum) = vnum_of(&who.id) {
                    self.bestiary.kind(vnum).helper = true;
                }
            }
            // What the others of the group deal brings its end nearer, too.
            Outcome::Damage { attacker, victim, amount, .. }
                if me(attacker) || (self.company.members.contains(&*attacker.name) && !me(victim)) =>
            {
                if let Some(fight) = &mut self.fight {
                    fight.dealt += i64::from(*amount);
                }
            }
            Outcome::Damage { attacker, victim, amount, .. } if me(victim) => {
                // Prey that strikes back is not where one was struck at: one came to it.
                if self.struck.is_some_and(|struck| struck.by == vnum_of(&attacker.id)) {
                    self.strike(attacker, now_ms);
                }
                if let Some(fight) = &mut self.fight {
                    fight.suffered += i64::from(*amount);
                }
            }
            Outcome::Death { victim, killer } if me(victim) => self.die(state, killer.as_ref(), now_ms),
            Outcome::KillCredit { who, victim, xp } if me(who) => self.kill(state, victim, *xp, now_ms),
            Outcome::Fled { who, .. } if me(who) => {
                self.flights += 1;
                self.flights_failed = 0;
                self.tallies.flights += 1;
                self.fled_room = self.fight_room().or(self.fled_room);
                self.lose(SHUN_FLED_MS, state.level, now_ms);
                (self.fight, self.ended) = (None, None);
            }
            Outcome::Got { who, item, gold, from } if me(who) => {
                if from.is_some() {
                    self.tallies.looted += 1;
                }
                self.tallies.gold_found += gold.unwrap_or(0);
                if let Some(item) = item {
                    self.objects.object(item.vnum, &item.name);
                }
            }
            Outcome::Worn { who, item, slot } if me(who) => {
                let object = self.objects.object(item.vnum, &item.name);
                object.good_for.insert(Use::Wear);
                object.slot = Some(slot.to_string());
            }
            Outcome::Wielded { who, item } if me(who) => {
                let object = self.objects.object(item.vnum, &item.name);
                object.good_for.insert(Use::Weapon);
                object.slot = Some("wield".to_string());
            }
            Outcome::Bought { who, item, price, .. } if me(who) => {
                self.objects.object(item.vnum, &item.name).price = Some(*price);
            }
            Outcome::Sold { who, item, .. } if me(who) => {
                let kind = self.objects.kind(item.vnum, &item.name);
                self.objects.learn_deal(self.map.here.unwrap_or(0), kind, true);
            }
            Outcome::LevelGained { who, .. } if me(who) => {
                self.tallies.levels += 1;
                self.asks_for_work_again();
            }
            Outcome::Task { who, task, state: how, .. } if me(who) => {
                self.errands.changed(state.room_vnum.unwrap_or(0), task, *how, now_ms);
                if *how == TaskState::Done {
                    self.asks_for_work_again();
                }
            }
            Outcome::Entered { who, .. } if who.kind == WhoKind::Player && !me(who) => {
                self.players.insert(who.name.to_string());
                self.came_later.insert(who.name.to_string());
            }
            Outcome::Left { who, .. } | Outcome::Fled { who, .. } if who.kind == WhoKind::Player => {
                self.players.remove(&*who.name);
                self.came_later.remove(&*who.name);
            }
            Outcome::Said { speaker, channel, text, .. } if speaker.kind == WhoKind::Player => {
                if me(speaker) {
                    self.tallies.said += 1;
                } else {
                    self.tallies.heard += 1;
                    self.posture.happened();
                    if matches!(&**channel, "say" | "emote" | "whisper" | "ask") {
                        self.players.insert(speaker.name.to_string());
                        if is_greeting(text) {
                            self.greeted_by.insert(speaker.name.to_string());
                        }
                    }
                }
            }
            Outcome::Door { direction, .. } => {
                if let Some(exit) = self.map.room_mut().and_then(|room| room.exits.get_mut(&**direction)) {
                    exit.blocked_until_ms = 0;
                }
                self.shut = self.shut.take().filter(|shut| shut.direction != **direction);
            }
            _ => {}
        }
    }

    /// Strength that came back, danger that came in: news to who lies or stands about.
    fn note_strength(&mut self, state: &GameState) {
        let strength = (state.health.unwrap_or(0), state.moves.unwrap_or(0));
        let level = state.level.unwrap_or(1);
        let in_danger = state.mobs().iter().any(|mob| self.bestiary.is_dangerous(mob.vnum, level));
        let lies = matches!(state.position.as_deref(), Some("resting" | "sleeping" | "sitting"));
        let gained = lies && (strength.0 > self.strength.0 || strength.1 > self.strength.1);
        if gained || (in_danger && !self.in_danger) {
            self.posture.happened();
        }
        (self.strength, self.in_danger) = (strength, in_danger);
        if state.hp_percent() >= BOLD_AGAIN_PERCENT {
            self.fled_room = None;
        }
    }

    /// Who is here, as the text of the room says, but for the mobs.
    fn note_company(&mut self, state: &GameState, now_ms: u64) {
        for face in std::mem::take(&mut self.faces) {
            let mob = state.mobs().iter().any(|mob| face.to_lowercase().starts_with(&mob.name.to_lowercase()));
            let name = face.split(' ').next().unwrap_or("");
            if !mob && !name.is_empty() && name != state.name() {
                self.players.insert(name.to_string());
            }
        }
        if self.company.leader.as_ref().is_some_and(|leader| self.players.contains(leader)) {
            self.company.seen_ms = now_ms;
        }
        let others = self.players.len();
        if let Some(room) = self.map.room_mut() {
            (room.others, room.others_ms) = (others, now_ms);
        }
    }

    /// Rooms that one walked through with something in one's hands.
    pub fn rooms_carried(&self, instance: &str) -> u64 {
        self.carried_since.get(instance).map_or(0, |since| self.map.steps - since)
    }

    fn kind_of_carried(&self, state: &GameState, name: &str) -> Option<Kind> {
        let item = state.carried().iter().find(|item| item.name.eq_ignore_ascii_case(name))?;
        Some(self.objects.kind(item.vnum, &item.name))
    }

    /// Others that are in a room, as far as one saw not long ago.
    pub fn others_in(&self, vnum: i32, now_ms: u64) -> usize {
        if self.map.here == Some(vnum) {
            return self.players.len();
        }
        let room = self.map.rooms.get(&vnum).filter(|room| now_ms < room.others_ms + CROWD_MS);
        room.map_or(0, |room| room.others)
    }

    /// A line came. True when all that it says is known now: the answer of `consider`, a shop's list.
    pub fn hear(&mut self, state: &GameState, line: &Line, now_ms: u64) -> bool {
        let text = &*line.text;
        match line.kind {
            EventKind::Consider => {
                if let Some(vnum) = self.considering.pop_front() {
                    let own = (state.level.unwrap_or(1), state.health.unwrap_or(1));
                    return self.bestiary.considered(vnum, text, own, now_ms);
                }
            }
            EventKind::Tell => {
                if let Some(kind) = priced(text).and_then(|name| self.kind_of_carried(state, name)) {
                    self.objects.learn_deal(state.room_vnum.unwrap_or(0), kind, true);
                }
            }
            EventKind::Group => self.company.read_page(state.name(), text, now_ms),
            EventKind::Text => {
                self.lessons.hear(text, now_ms);
                self.faces.extend(text.lines().filter_map(face_of).map(str::to_string));
                if text.contains("You are hungry") || text.contains("something to eat") {
                    self.hungry = true;
                }
                if text.contains("You are thirsty") || text.contains("Your mouth is dry") {
                    self.thirsty = true;
                }
                if let Some(name) = text.trim().strip_suffix(" flickers once more and goes out.")
                    && let Some(worn) = state.equipment.as_ref().and_then(|equipment| equipment.get("light"))
                    && worn.name.eq_ignore_ascii_case(name)
                {
                    self.burnt.insert(worn.instance_id.to_string());
                }
                if text.contains("You are full") {
                    self.hungry = false;
                }
                if text.contains("not thirsty any more") {
                    self.thirsty = false;
                }
                if let Some(room) = state.room_vnum
                    && text.contains("(accept ")
                {
                    self.errands.read(room, text);
                }
                if let Some(room) = state.room_vnum
                    && text.contains('#')
                {
                    return self.objects.read_list(room, text);
                }
                if let Some(room) = state.room_vnum
                    && NO_GOODS.iter().any(|begin| text.trim_start().starts_with(begin))
                {
                    self.know_no_shop(state, room);
                }
            }
            _ => {}
        }
        false
    }

    fn know_no_shop(&mut self, state: &GameState, room: i32) {
        self.objects.no_keepers.extend(state.mobs().iter().map(|mob| mob.vnum));
        self.objects.no_shops.insert(room);
    }

    /// A line was sent.
    pub fn sent(&mut self, state: &GameState, line: &str, now_ms: u64) {
        if let (Some(direction), Some(room)) = (direction_of(line), state.room_vnum) {
            self.steps.push_back((room, direction));
            if self.steps.len() > 8 {
                self.steps.pop_front();
            }
        }
        self.company.sent(line, &self.players, now_ms);
        self.errands.sent(state.room_vnum.unwrap_or(0), line, now_ms);
        self.lessons.sent(state.room_vnum.unwrap_or(0), line);
        let (verb, target) = line.split_once(' ').unwrap_or((line, ""));
        match verb {
            "consider" => {
                if let Some(mob) = state.mobs().iter().find(|mob| &*mob.target_string == target) {
                    self.considering.push_back(mob.vnum);
                }
            }
            "list" if target.is_empty() => {
                let room = state.room_vnum.unwrap_or(0);
                self.listed = (room, if self.listed.0 == room { self.listed.1.saturating_add(1) } else { 1 });
                if self.listed.1 >= LISTS_MAX && !self.objects.shops.contains_key(&room) {
                    self.know_no_shop(state, room);
                }
            }
            "rest" | "sleep" | "sit" | "stand" | "wake" if target.is_empty() => {
                let tick = self.ticks.at(now_ms);
                // To wake is the first half of getting up.
                if verb != "wake" {
                    self.posture.changed(tick);
                }
            }
            "cast" | "will" => {
                if self.cast_ms.len() >= CASTS_MAX {
                    self.cast_ms.clear();
                }
                self.cast_ms.insert(line.to_string(), now_ms);
            }
            "wimpy" => self.wimpy = target.parse().ok(),
            "get" => {
                let corpse = target.strip_prefix("all ").unwrap_or("");
                if let Some(item) = state.items().iter().find(|item| &*item.target_string == corpse) {
                    self.looted.insert(item.instance_id.to_string());
                    let own = item.name.strip_prefix("the corpse of ").is_some_and(|of| of == state.name());
                    if let Some(death) = self.deaths.last_mut().filter(|_| own) {
                        death.settled = true;
                    }
                }
            }
            "say" if is_greeting(target) => {
                self.greeted.extend(self.players.iter().filter(|name| target.contains(&***name)).cloned());
            }
            // Whether it is done or refused, there is no use in it before one has drunk from it.
            "fill" => {
                self.drunk_from.remove(target.split_whitespace().next().unwrap_or(""));
            }
            "drink" => {
                self.drunk_from.insert(target.to_string());
            }
            _ => {}
        }
    }

    /// Who had work may have more of it now.
    fn asks_for_work_again(&mut self) {
        self.errands.ask_again();
        for room in &self.errands.givers {
            self.refused_actions.succeeded(*room, "accept");
        }
    }

    /// A line that was sent was refused in this room.
    pub fn refused(&mut self, state: &GameState, room: i32, line: &str, reason: &str, now_ms: u64) {
        if let Some(direction) = direction_of(line) {
            self.steps.retain(|step| *step != (room, direction));
            self.refused_step(room, direction, reason, now_ms);
        }
        let (verb, target) = line.split_once(' ').unwrap_or((line, ""));
        if verb == "list" {
            self.listed = (room, 0);
        }
        match verb {
            "kill" | "consider" => {
                let mob = state.mobs().iter().find(|mob| &*mob.target_string == target).map(|mob| mob.vnum);
                if verb == "consider" {
                    self.considering.pop_front();
                }
                if let Some(vnum) = mob
                    && (reason.contains("pick a fight") || reason.contains("stays your hand"))
                {
                    let peaceful = reason.contains("stays your hand");
                    if peaceful {
                        if let Some(room) = self.map.room_mut() {
                            (room.safe, room.peaceful) = (true, true);
                        }
                    } else {
                        self.bestiary.kind(vnum).untouchable = true;
                    }
                }
            }
            "wear" | "wield" | "hold" => self.refused_gear(state, verb, target, reason),
            "open" | "unlock" if self.shut.as_ref().is_some_and(|shut| shut.room == room) => {
                let has_key = state.carried().iter().any(|item| item.name.to_lowercase().contains("key"));
                match &mut self.shut {
                    Some(shut) if verb == "open" && reason.contains("locked") && has_key => shut.locked = true,
                    _ => self.give_up_door(now_ms),
                }
            }
            "flee" => self.flights_failed += 1,
            "practice" => self.lessons.refused(state, target, reason, now_ms),
            "accept" => {
                self.errands.refused(room, target, reason);
                self.refused_actions.hold(room, line, reason, now_ms + WORK_MS);
                if target.is_empty() && !reason.contains("More than one thing") {
                    self.errands.leave_alone(state.mobs().iter().map(|mob| mob.vnum), now_ms + WORK_MS);
                }
            }
            "group" | "gsay" | "ungroup" if reason.contains("in no group") => self.company.members.clear(),
            "sell" | "value" | "list" if reason.contains("Nobody keeps a shop") => {
                self.know_no_shop(state, room);
                self.refused_actions.hold(room, line, reason, now_ms + TRADE_MS);
            }
            "sell" | "value" if !is_closed(reason) => {
                let item = state.carried().iter().find(|item| self.objects.target(item).as_deref() == Some(target));
                if let Some(item) = item {
                    let kind = self.objects.kind(item.vnum, &item.name);
                    self.objects.learn_deal(room, kind, false);
                }
                self.refused_actions.hold(room, line, reason, now_ms + TRADE_MS);
            }
            "buy" | "sell" | "list" | "fill" | "value" => {
                if is_closed(reason) {
                    self.closed_until_ms.insert(room, now_ms + TRADE_MS);
                }
                self.refused_actions.hold(room, line, reason, now_ms + TRADE_MS)
            }
            "eat" if reason.contains("another bite") => self.hungry = false,
            "drink" if reason.contains("no room in you") => self.thirsty = false,
            _ => {}
        }
        if reason.contains("You carry no") || reason.contains("You see no") {
            let word = target.split_whitespace().next().unwrap_or("").to_string();
            // It is carried, and not meant by this word: another one is tried.
            for item in state.carried() {
                if *item.target_string == *word || crate::objects::words_of(&item.name).contains(&word) {
                    self.objects.object(item.vnum, &item.name).deaf.insert(word.clone());
                }
            }
        }
    }

    fn refused_gear(&mut self, state: &GameState, verb: &str, target: &str, reason: &str) {
        let use_ = match verb {
            "wield" => Use::Weapon,
            "wear" => Use::Wear,
            _ => Use::Light,
        };
        let word = target.split_whitespace().next().unwrap_or("");
        let item = state.carried().iter().find(|item| self.objects.target(item).as_deref() == Some(word));
        let Some(item) = item else { return };
        if reason.contains("burnt out") {
            // This one only: others of its kind may be new.
            self.burnt.insert(item.instance_id.to_string());
            return;
        }
        self.tried.insert((item.instance_id.to_string(), use_));
        let object = self.objects.object(item.vnum, &item.name);
        if reason.contains("is no weapon") || reason.contains("cannot wear") {
            object.not.insert(use_);
        }
    }

    /// Names and counts for a summary.
    pub fn beaten(&self) -> BTreeMap<String, u32> {
        let kinds = self.bestiary.kinds.values().filter(|kind| kind.kills > 0);
        kinds.map(|kind| (kind.name.clone(), kind.kills)).collect()
    }
}

/// What a keeper named a price for: `For a rat's tail you would get 3 coins from me.`
fn priced(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("For ")?;
    Some(rest.split_once(" you would get ")?.0)
}

/// Whether somebody said hello.
fn is_greeting(text: &str) -> bool {
    const GREETINGS: [&str; 8] = ["hello", "hi", "hail", "greetings", "well met", "good to see", "good day", "hey"];
    let lower = text.trim().to_lowercase();
    GREETINGS
        .iter()
        .any(|words| lower.strip_prefix(words).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric())))
}

fn is_closed(reason: &str) -> bool {
    reason.contains("closed") || reason.contains("Come back")
}

/// Whose presence a line of a room's text tells: `Wren the Swordsman is resting here.` What begins with an article is
/// nobody.
fn face_of(line: &str) -> Option<&str> {
    let line = line.trim();
    let ends = [" is here.", " is resting here.", " is sleeping here.", " is sitting here."];
    let subject = ends.iter().find_map(|end| line.strip_suffix(end));
    let subject = subject.or_else(|| line.split_once(" is here, fighting ").map(|(subject, _)| subject))?;
    let first = subject.split(' ').next()?;
    let named = first.len() > 2 && first.starts_with(char::is_uppercase) && first.chars().all(char::is_alphabetic);
    (named && !matches!(first, "The" | "Some" | "This" | "That" | "There" | "One" | "Here")).then_some(subject)
}

fn worn(state: &GameState) -> usize {
    state.equipment.as_ref().map_or(0, |equipment| equipment.0.len())
}
