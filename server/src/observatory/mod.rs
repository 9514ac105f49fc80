//! The observatory: the world as those see it who only look on, told as it changes.
//!
//! A task looks at a copy of pointers of the world, at most twice a second. While nobody watches it keeps one picture a
//! tick of where the players are and nothing else, so that who comes sees at once what was there `--watch-delay-ticks`
//! ago. Each kind of viewer has one [`Screen`], however many look at it: what changed is encoded once and sent to all.
//! Invariants: who is no operator sees only characters that were watchable then and are now, none of the mobs, and
//! nothing sooner than the delay, but for what is its own; nobody waits for a watcher: who falls behind gets the whole
//! picture anew.

mod feed;
mod happened;
mod sampling;
mod screen;

pub use happened::Happened;
pub use screen::Scene;

use self::feed::Feed;
use self::screen::Screen;
use crate::engine::{Engine, Notable};
use crate::store::Store;
use crate::views::{self, Being};
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;
use world::World;
use world::character::Character;
use world::past::Past;
use world::ranges::Ranges;

/// From one look to the next, at least.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// Changes that wait for a slow watcher; beyond them it gets the whole.
const CHANGES_WAITING: usize = 16;
/// So often it is noted which rooms are known, for when those have left who know them.
const ROOMS_EVERY_TICKS: u64 = 15;
/// Of `--watch-delay-ticks`: so many pictures are kept.
const DELAY_MAX: u64 = 3_600;

/// Who may look on from outside.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, clap::ValueEnum)]
pub enum Audience {
    /// Anybody
    #[default]
    Public,
    /// Who is logged in
    Players,
    /// Operators only
    Operators,
    /// Nobody
    Off,
}

/// Flatten this into a command line.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Observatory")]
pub struct WatchArgs {
    /// Who may look on at /watch: anybody sees characters that may be watched, operators see everything
    #[arg(long, value_enum, default_value_t, value_name = "WHO")]
    pub watch: Audience,
    /// Ticks by which those see everything later who are no operators, so that it is no help in play
    #[arg(long, default_value_t = 30, value_name = "TICKS", value_parser = clap::value_parser!(u64).range(..=DELAY_MAX))]
    pub watch_delay_ticks: u64,
}

impl Default for WatchArgs {
    fn default() -> WatchArgs {
        WatchArgs { watch: Audience::Public, watch_delay_ticks: 30 }
    }
}

/// With whose eyes somebody looks.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Eye {
    Visitor,
    Player {
        /// Canonical.
        name: String,
    },
    Operator {
        /// The zone whose mobs it sees.
        zone: Option<i32>,
    },
}

/// Where the players were at a tick.
struct Picture {
    tick: u64,
    people: BTreeMap<String, Arc<Being>>,
}

#[derive(Default)]
struct State {
    /// One a tick, oldest first; never empty after the first look.
    pictures: VecDeque<Arc<Picture>>,
    screens: BTreeMap<Eye, Screen>,
    feed: Feed,
    /// Rooms that some character had seen which could be watched, since the server started.
    rooms: Ranges,
    rooms_noted_tick: Option<u64>,
    /// The server ends: nobody is let in any more.
    closed: bool,
}

pub struct Observatory {
    engine: Arc<Engine>,
    args: WatchArgs,
    state: Mutex<State>,
}

/// What one watcher reads.
pub struct Watcher {
    observatory: Arc<Observatory>,
    eye: Eye,
    changes: broadcast::Receiver<Arc<str>>,
    first: Option<Arc<str>>,
}

impl Observatory {
    /// Looks on, and takes samples for charts, until the server ends. Wants a runtime.
    pub fn open(engine: Arc<Engine>, store: Store, args: WatchArgs) -> Arc<Observatory> {
        tokio::spawn(sampling::keep_samples(engine.clone(), store));
        let observatory = Arc::new(Observatory { engine, args, state: Mutex::default() });
        if observatory.args.watch != Audience::Off {
            tokio::spawn(observatory.clone().look_on());
        }
        observatory
    }

    pub fn delay_ticks(&self) -> u64 {
        self.args.watch_delay_ticks
    }

    /// Whether somebody may look on at all.
    pub fn admits(&self, eye: &Eye) -> bool {
        match eye {
            Eye::Visitor => self.args.watch == Audience::Public,
            Eye::Player { .. } => self.args.watch <= Audience::Players,
            Eye::Operator { .. } => self.args.watch <= Audience::Operators,
        }
    }

    /// `None`: it may not look on, or the server ends. `past`: of a player who may be out of the world.
    pub fn watch(self: &Arc<Self>, eye: Eye, past: Option<Arc<Past>>) -> Option<Watcher> {
        if !self.admits(&eye) {
            return None;
        }
        let world = self.engine.with_world(World::clone);
        let mut state = self.state.lock();
        if state.closed {
            return None;
        }
        self.remember(&mut state, &world);
        if !state.screens.contains_key(&eye) {
            let mut screen = Screen::new(past.unwrap_or_default());
            let scene = self.scene(&state, &world, &eye, &mut screen);
            screen.show(scene);
            state.screens.insert(eye.clone(), screen);
        }
        let screen = state.screens.get(&eye)?;
        let (changes, first) = (screen.subscribe(), Some(screen.whole()));
        drop(state);
        Some(Watcher { observatory: self.clone(), eye, changes, first })
    }

    /// What somebody sees now; a player who may not look on, what is its own.
    pub fn people(&self, eye: &Eye, past: Option<Arc<Past>>) -> Scene {
        let world = self.engine.with_world(World::clone);
        let mut state = self.state.lock();
        self.remember(&mut state, &world);
        self.scene(&state, &world, eye, &mut Screen::new(past.unwrap_or_default()))
    }

    /// The rooms that visitors see on the map: those that a character has seen which may be watched, or could be since
    /// the server started; and the one where everybody comes into the world.
    pub fn known_rooms(&self, world: &World) -> Ranges {
        let mut state = self.state.lock();
        state.note_rooms(world);
        let mut rooms = state.rooms.clone();
        rooms.insert(world.room_proto(world.start_room()).vnum);
        rooms
    }

    fn remember(&self, state: &mut State, world: &World) {
        state.remember(world, self.args.watch_delay_ticks, &self.engine.notables.all());
    }

    async fn look_on(self: Arc<Self>) {
        let mut seen_tick = None;
        while !self.engine.is_stopping() {
            let tick = self.engine.stats.tick.load(Ordering::Relaxed);
            let watched = self.state.lock().forget_unwatched();
            if watched || seen_tick != Some(tick) {
                seen_tick = Some(tick);
                self.look();
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
        // The streams end with their screens.
        let mut state = self.state.lock();
        state.closed = true;
        state.screens.clear();
    }

    fn look(&self) {
        let world = self.engine.with_world(World::clone);
        let mut state = self.state.lock();
        self.remember(&mut state, &world);
        let mut screens = std::mem::take(&mut state.screens);
        for (eye, screen) in &mut screens {
            let scene = self.scene(&state, &world, eye, screen);
            screen.show(scene);
        }
        state.screens = screens;
    }

    fn scene(&self, state: &State, world: &World, eye: &Eye, screen: &mut Screen) -> Scene {
        let newest = state.pictures.back().expect("a look remembers one");
        let Eye::Operator { zone } = eye else {
            let delay = self.args.watch_delay_ticks;
            // Before the world is so old, nothing is old enough; and nothing is shown of what was before the first
            // picture.
            let until = newest.tick.checked_sub(delay).filter(|_| self.admits(eye));
            let then = until.and_then(|until| state.pictures.iter().rev().find(|picture| picture.tick <= until));
            let name = match eye {
                Eye::Player { name } => Some(name.as_str()),
                _ => None,
            };
            if let Some(past) = name.and_then(|name| past_of(world, name)) {
                screen.past = past;
            }
            let is_own = |other: &str| name.is_some_and(|name| is_own(world, name, other));
            let own = present(world).filter(|key| is_own(key));
            let past = matches!(eye, Eye::Player { .. }).then(|| screen.past.clone());
            let known = |room: i32| past.as_ref().is_none_or(|past| past.rooms.contains(room));
            let now = |key: &str| newest.people.get(key);
            let may_see = |one: &Being| {
                one.watchable && !one.hidden && now(&one.key).is_none_or(|now| now.watchable && !now.hidden)
            };
            let mut people: BTreeMap<String, Arc<Being>> = BTreeMap::new();
            for one in then.iter().flat_map(|then| then.people.values()) {
                if may_see(one) && known(one.room) {
                    people.insert(one.key.clone(), one.clone());
                }
            }
            let seen: BTreeSet<String> = people.keys().cloned().collect();
            for one in people.values_mut() {
                *one = without_unseen(one, &seen);
            }
            people.extend(own.filter_map(|key| Some((key.to_string(), now(key)?.clone()))));
            let feed = until.map(|until| state.feed.seen(until, is_own, known).collect()).unwrap_or_default();
            return Scene { tick: until.unwrap_or(0), people, mobs: BTreeMap::new(), feed };
        };
        let mobs = zone.map(|zone| views::mobs(world, zone)).unwrap_or_default();
        let feed = state.feed.all().collect();
        Scene { tick: newest.tick, people: newest.people.clone(), mobs, feed }
    }
}

/// What a player in the world has behind it.
pub fn past_of(world: &World, name: &str) -> Option<Arc<Past>> {
    Some(world.character(world.find_player(name)?)?.player()?.past.clone())
}

/// Whether somebody is oneself, or an agent that one owns; canonical.
pub fn is_own(world: &World, name: &str, other: &str) -> bool {
    let people = &world.state.channels;
    let own = people.named(name);
    other == name || own.is_some() && people.named(other).is_some_and(|other| world.owner_of(other) == own)
}

/// The keys of the players in the world.
fn present(world: &World) -> impl Iterator<Item = &str> {
    let all = world.state.players.iter();
    all.filter(|(_, who)| world.character(**who).and_then(Character::player).is_some()).map(|(key, _)| &**key)
}

/// Whom it fights is told only of those who are seen themselves.
fn without_unseen(one: &Arc<Being>, seen: &BTreeSet<String>) -> Arc<Being> {
    let is_seen = |foe: &views::Foe| foe.key.as_ref().is_some_and(|key| seen.contains(key));
    match &one.foe {
        Some(foe) if !is_seen(foe) => Arc::new(Being { foe: None, ..Being::clone(one) }),
        _ => one.clone(),
    }
}

impl State {
    /// Keeps the picture of this tick, in place of an earlier one of the same, and what happened up to it.
    fn remember(&mut self, world: &World, delay: u64, notables: &[Arc<Notable>]) {
        let picture = Arc::new(Picture { tick: world.tick(), people: views::people(world) });
        self.feed.take(notables, &picture.people, self.pictures.back().map(|before| &before.people));
        if self.rooms_noted_tick.is_none_or(|noted| noted + ROOMS_EVERY_TICKS <= picture.tick) {
            self.note_rooms(world);
        }
        if self.pictures.back().is_some_and(|newest| newest.tick >= picture.tick) {
            self.pictures.pop_back();
        }
        let until = picture.tick.saturating_sub(delay);
        self.pictures.push_back(picture);
        // The oldest that is kept is the one to be shown next, or it is.
        while self.pictures.get(1).is_some_and(|second| second.tick <= until) {
            self.pictures.pop_front();
        }
    }

    fn note_rooms(&mut self, world: &World) {
        self.rooms_noted_tick = Some(world.tick());
        self.rooms.insert_all(&views::known_rooms(world));
    }

    /// Whether anybody watches.
    fn forget_unwatched(&mut self) -> bool {
        self.screens.retain(|_, screen| screen.is_watched());
        !self.screens.is_empty()
    }
}

impl Watcher {
    /// The next thing to send: the whole picture first, then what changed. `None`: the server ends.
    pub async fn next(&mut self) -> Option<Arc<str>> {
        if let Some(first) = self.first.take() {
            return Some(first);
        }
        match self.changes.recv().await {
            Ok(change) => Some(change),
            Err(RecvError::Closed) => None,
            Err(RecvError::Lagged(_)) => {
                let state = self.observatory.state.lock();
                let screen = state.screens.get(&self.eye)?;
                self.changes = screen.subscribe();
                Some(screen.whole())
            }
        }
    }
}

#[cfg(test)]
mod tests;
