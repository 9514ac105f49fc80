//! Follows it through a replay: who said it, and who was shown it, by whom and in what way.
//!
//! What counts is what a reader was really shown: lines that came to somebody with a connection, and, where a program
//! plays it, the variable `PLOT` of where it stands and the newest messages of its channels as it comes in. Programs
//! are held to have asked for both. Invariants: only the first time counts. Nobody is a carrier to whom nothing was
//! shown, but those who said it first, or knew it before the watch began. All names are canonical but where a name is
//! shown.

use super::subject::{Standing, Subject};
use crate::archive::history::Found;
use content::{Text, Vnum};
use protocol::channel::ARCHITECT;
use protocol::happening::Role;
use protocol::outcome::{BuiltDeed, Outcome, Who, WhoKind};
use protocol::plot::PlotSeen;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use world::channel::row::Row;
use world::channel::{ChannelKind, Message, MessageKind};
use world::character::{Character, Link};
use world::commands::Typed;
use world::report::{HistoryRequest, Line, Recorded, Request};
use world::{CharacterId, Input, InputNumber, Report, World};

/// Entries of a memo that the variable `PLOT` shows.
const MEMO_SHOWN: usize = 5;
/// Of what somebody said, characters that are kept to be told.
const TOLD_CHARS: usize = 200;

/// In what way somebody came to it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum How {
    /// Nobody showed it: it said it first, or did it, or had it before.
    Source,
    /// Was told it, or overheard it.
    Heard,
    /// Read it later, where it stands: on a plot, in what a channel keeps, on a sign.
    Read,
    /// Stood by as it was done.
    Saw,
}

impl How {
    pub const ALL: [How; 4] = [How::Source, How::Heard, How::Read, How::Saw];

    pub fn word(self) -> &'static str {
        match self {
            How::Source => "source",
            How::Heard => "heard",
            How::Read => "read",
            How::Saw => "saw",
        }
    }
}

/// When something came about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Moment {
    pub input: InputNumber,
    pub tick: u64,
}

/// Who speaks, writes or does something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Voice {
    /// Canonical; of a mob as it is called.
    pub key: String,
    pub is_player: bool,
}

impl Voice {
    fn player(name: &str) -> Voice {
        Voice { key: name.to_lowercase(), is_player: true }
    }

    fn of(who: &Who) -> Voice {
        match (who.kind, who.id.strip_prefix("player_")) {
            (WhoKind::Player, Some(name)) => Voice::player(name),
            (WhoKind::Player, None) => Voice::player(&who.name),
            (WhoKind::Mob, _) => Voice { key: who.name.to_string(), is_player: false },
        }
    }
}

/// Somebody who has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Carrier {
    pub at: Moment,
    pub how: How,
    /// Who showed it; `None`: nobody, or nobody that could be named.
    pub from: Option<Voice>,
    /// `tell`, `gossip`, `channel 108`, `plot 8227`, the verb that it was read by.
    pub via: String,
    /// It had it before the watch began.
    pub before: bool,
}

/// It was said or written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Uttered {
    pub at: Moment,
    pub by: Voice,
    pub via: String,
    /// Canonical, where it was said to one.
    pub to: Option<String>,
    pub text: String,
}

/// A message of a channel that holds it.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Posted {
    channel: u32,
    author: Voice,
}

/// What holds it on a plot.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Piece {
    /// What sort it is and its number there.
    key: (&'static str, u32),
    /// Canonical; empty: the builders of the world.
    by: String,
    /// Somebody's own words, not what the game says of a deed.
    own: bool,
    /// The variable shows it.
    shown: bool,
    text: Arc<str>,
}

/// Finds what a history asked for that the world no longer holds.
pub type Older<'o> = dyn FnMut(&HistoryRequest) -> anyhow::Result<Found> + 'o;

/// The watch, and what it has found.
pub struct Watch {
    pub subject: Subject,
    /// As each is called, by canonical name: all players whom it has met.
    pub names: BTreeMap<String, Text>,
    /// Who was in the world at some time of the watch.
    pub population: BTreeSet<String>,
    pub carriers: BTreeMap<String, Carrier>,
    pub uttered: Vec<Uttered>,
    /// As the element stood last.
    pub element: Option<Standing>,
    /// The event came about.
    saw_event: bool,
    players: BTreeMap<CharacterId, String>,
    /// Those of them who may not have it yet: only their lines are looked at.
    open: BTreeSet<CharacterId>,
    /// Who had it before the watch began, and may come in later.
    knew_before: BTreeSet<String>,
    /// Who typed it before anybody showed it: the game gives it back to them, and their words may wait to be said.
    typed: BTreeMap<String, Moment>,
    posted: BTreeMap<u64, Posted>,
    next_message: u64,
    plots: BTreeMap<Vnum, Vec<Piece>>,
}

impl Watch {
    /// Begins in a world: what stands in channels and on plots there is known, and who wrote it had it before.
    pub fn begin(subject: Subject, world: &World) -> Watch {
        let mut watch = Watch {
            subject,
            names: BTreeMap::new(),
            population: BTreeSet::new(),
            carriers: BTreeMap::new(),
            uttered: Vec::new(),
            element: None,
            saw_event: false,
            players: BTreeMap::new(),
            open: BTreeSet::new(),
            knew_before: BTreeSet::new(),
            typed: BTreeMap::new(),
            posted: BTreeMap::new(),
            next_message: world.state.channels.next_message(),
            plots: BTreeMap::new(),
        };
        let now = Moment { input: world.state.number, tick: world.tick() };
        for (channel, there) in world.state.channels.iter() {
            for message in &there.messages {
                watch.post(world, channel, message);
            }
        }
        let mut before: Vec<Voice> = watch.posted.values().map(|posted| posted.author.clone()).collect();
        for (room, ground) in world.plots() {
            let pieces = watch.pieces_on(world, room, &ground.plot);
            before.extend(pieces.iter().filter(|piece| piece.own).map(|piece| Voice::player(&piece.by)));
            if !pieces.is_empty() {
                watch.plots.insert(room, pieces);
            }
            let seen = world.plot_told(room, &ground.plot, MEMO_SHOWN);
            if let Some(id) = watch.subject.element.filter(|element| element.room == room) {
                watch.element = Standing::on(&seen, id);
            }
        }
        before.extend(watch.element.iter().filter_map(|element| element.by.as_deref()).map(Voice::player));
        for who in world.state.players.values() {
            watch.meet(world, *who);
        }
        before.into_iter().for_each(|author| watch.knew(&author, now));
        watch.stand(world, now);
        watch
    }

    /// One input, after it was applied.
    pub fn step(&mut self, world: &World, input: &Input, report: &Report, older: &mut Older) -> anyhow::Result<()> {
        let now = Moment { input: report.number, tick: report.tick };
        if let Some(who) = report.entered {
            self.enter(world, who, input, now);
        }
        let asked = match input {
            Input::Command { who, line } => self.note_typed(*who, line, now),
            _ => None,
        };
        let said_before = self.uttered.len();
        let built_in = self.take_plots(world, report, now);
        self.take_words(world, report, built_in, now);
        self.take_event(&report.recorded, now);
        for (reader, line) in self.matching(report) {
            self.show_line(world, reader, &line, asked.as_ref(), built_in, said_before, now);
        }
        for request in &report.requests {
            if let Request::History(request) = request {
                // Later messages may be stored by now.
                let next = world.state.channels.next_message();
                let request = HistoryRequest { before: request.before.min(next), ..(**request).clone() };
                self.show_history(&request, older(&request)?, world, now);
            }
        }
        if let Some(who) = come_back(input, report) {
            self.show_channels(world, who, now);
        }
        self.stand(world, now);
        Ok(())
    }

    /// Whether anybody remembered the event that is followed.
    pub fn saw_event(&self) -> bool {
        self.saw_event
    }

    /// A player is in the world.
    fn meet(&mut self, world: &World, who: CharacterId) {
        let Some(name) = world.character(who).filter(|who| who.is_player()).map(|who| who.name.clone()) else { return };
        let key = name.to_lowercase();
        self.names.insert(key.clone(), name);
        self.population.insert(key.clone());
        self.players.insert(who, key);
        self.open.insert(who);
    }

    fn enter(&mut self, world: &World, who: CharacterId, input: &Input, now: Moment) {
        self.meet(world, who);
        // A script may have taken it out again by the same input.
        if let (Input::Enter { record, .. }, None) = (input, self.players.get(&who)) {
            let key = record.name.to_lowercase();
            self.names.insert(key.clone(), record.name.clone());
            self.population.insert(key.clone());
            self.players.insert(who, key);
            self.open.insert(who);
        }
        if let Some(key) = self.players.get(&who).cloned()
            && self.knew_before.contains(&key)
        {
            self.knew(&Voice::player(&key), now);
        }
    }

    /// Who wrote it before the watch began has it as soon as it is there.
    fn knew(&mut self, author: &Voice, now: Moment) {
        if !author.is_player || author.key.is_empty() {
            return;
        }
        self.knew_before.insert(author.key.clone());
        if self.population.contains(&author.key) && !self.carriers.contains_key(&author.key) {
            let had = Carrier { at: now, how: How::Source, from: None, via: String::new(), before: true };
            self.carriers.insert(author.key.clone(), had);
        }
    }

    /// Who typed a line: a player, and what it typed.
    fn note_typed(&mut self, who: CharacterId, line: &str, now: Moment) -> Option<(String, String)> {
        let key = self.players.get(&who)?.clone();
        if self.subject.is_in(line) && !self.carriers.contains_key(&key) {
            self.typed.entry(key.clone()).or_insert(now);
        }
        Some((key, line.to_string()))
    }

    /// A message that holds it is known by its number.
    fn post(&mut self, world: &World, channel: u32, message: &Message) -> bool {
        let is_new = message.kind == MessageKind::Text
            && !message.hidden
            && self.subject.is_in(&message.text)
            && !self.posted.contains_key(&message.id);
        if is_new {
            let author = author_of(world, message);
            self.posted.insert(message.id, Posted { channel, author });
        }
        is_new
    }

    /// What was said, in rooms and in channels.
    fn take_words(&mut self, world: &World, report: &Report, built_in: Option<Vnum>, now: Moment) {
        let first_new = std::mem::replace(&mut self.next_message, world.state.channels.next_message());
        if self.subject.phrase.is_none() {
            return;
        }
        let mut told: BTreeSet<u64> = BTreeSet::new();
        for outcome in &report.outcomes {
            match &**outcome {
                Outcome::Said { speaker, channel, to, text, message_id, channel_id } if self.subject.is_in(text) => {
                    told.extend(message_id);
                    let to = to.as_ref().map(Voice::of).map(|to| to.key);
                    self.utter(Voice::of(speaker), to, said_way(channel, *channel_id), text, now);
                }
                Outcome::Built { who, deed, label, reason, .. } => {
                    // What somebody moves or removes has another's label.
                    let label = label.as_ref().filter(|_| *deed == BuiltDeed::Added);
                    let own = [label, reason.as_ref()].into_iter().flatten().find(|text| self.subject.is_in(text));
                    if let Some(text) = own {
                        self.utter(Voice::of(who), None, plot_way(built_in), text, now);
                    }
                }
                _ => {}
            }
        }
        for row in &report.kept {
            let Row::Message { channel, message } = row else { continue };
            if self.post(world, *channel, message) && message.id >= first_new && !told.contains(&message.id) {
                let author = author_of(world, message);
                self.utter(author, None, channel_way(world, *channel), &message.text, now);
            }
        }
    }

    /// Plots that changed; the room of the first of them.
    fn take_plots(&mut self, world: &World, report: &Report, now: Moment) -> Option<Vnum> {
        let mut built_in = None;
        for row in &report.kept {
            let Row::Plot { room, ground } = row else { continue };
            built_in = built_in.or(Some(*room));
            let pieces = self.pieces_on(world, *room, &ground.plot);
            let before = self.plots.remove(room).unwrap_or_default();
            let is_new = |piece: &&Piece| !before.iter().any(|known| known.key == piece.key && known.by == piece.by);
            // Elements are told by the outcome of their building.
            let written = |piece: &&Piece| piece.own && piece.key.0 != ELEMENT && !piece.by.is_empty();
            let new: Vec<Piece> = pieces.iter().filter(is_new).filter(written).cloned().collect();
            if !pieces.is_empty() {
                self.plots.insert(*room, pieces);
            }
            for piece in new {
                self.utter(Voice::player(&piece.by), None, plot_way(Some(*room)), &piece.text, now);
            }
            if let Some(id) = self.subject.element.filter(|element| element.room == *room) {
                let seen = world.plot_told(*room, &ground.plot, MEMO_SHOWN);
                self.take_element(Standing::on(&seen, id), &report.recorded, now);
            }
        }
        built_in
    }

    fn take_element(&mut self, standing: Option<Standing>, recorded: &[Recorded], now: Moment) {
        match &mut self.element {
            Some(element) => element.go_on(standing),
            None => {
                let Some(new) = standing else { return };
                if let Some(by) = new.by.as_deref().map(str::to_lowercase)
                    && !self.carriers.contains_key(&by)
                {
                    let via = plot_way(Some(new.room));
                    let built = Carrier { at: now, how: How::Source, from: None, via, before: false };
                    self.carriers.insert(by, built);
                }
                self.element = Some(new);
            }
        }
        if let Some(element) = &mut self.element {
            recorded.iter().for_each(|record| element.note(&record.happening));
        }
    }

    /// What a plot holds of it, the oldest first.
    fn pieces_on(&self, world: &World, room: Vnum, plot: &plot::Plot) -> Vec<Piece> {
        if self.subject.phrase.is_none() {
            return Vec::new();
        }
        let PlotSeen { elements, plans, .. } = world.plot_told(room, plot, MEMO_SHOWN);
        let mut pieces = Vec::new();
        let mut piece = |key, by: &str, own, shown, texts: &[&Arc<str>]| {
            if let Some(text) = texts.iter().find(|text| self.subject.is_in(text)) {
                pieces.push(Piece { key, by: by.to_lowercase(), own, shown, text: (*text).clone() });
            }
        };
        for element in &elements {
            let by = element.by.as_deref().unwrap_or_default();
            piece((ELEMENT, element.id), by, true, true, &[&element.label, &element.why]);
        }
        for plan in &plans {
            let texts: Vec<&Arc<str>> =
                [&plan.text].into_iter().chain(plan.steps.iter().map(|step| &step.text)).collect();
            piece(("plan", plan.id), &plan.by, true, true, &texts);
        }
        for pending in plot.pending() {
            // The variable shows what would be done, and not why.
            let deed: Arc<str> = pending.request.to_string().into();
            let shown = self.subject.is_in(&deed);
            piece(("request", pending.id), &pending.by, true, shown, &[&deed, &pending.why]);
        }
        let entries = plot.memo().entries();
        let oldest_shown = entries.len().saturating_sub(MEMO_SHOWN);
        for (n, entry) in entries.enumerate() {
            let shown = n >= oldest_shown;
            piece(("entry", entry.n), &entry.from, entry.said, shown, &[&entry.content, &entry.reasoning]);
        }
        if self.subject.is_in(&plot.title) {
            let founder = world.plot_at(room).map(|ground| ground.founder.to_lowercase()).unwrap_or_default();
            pieces.push(Piece { key: ("title", 0), by: founder, own: true, shown: true, text: plot.title.clone() });
        }
        pieces
    }

    /// Something that happened: who did it has it, and those who were there saw it.
    fn take_event(&mut self, recorded: &[Recorded], now: Moment) {
        let Some(event) = self.subject.event else { return };
        let there: Vec<&Recorded> =
            recorded.iter().filter(|record| record.happening.social_event_id == Some(event)).collect();
        self.saw_event |= !there.is_empty();
        let doer = there.first().and_then(|record| record.happening.what.parts().0).map(Voice::of);
        let room = there.first().map(|record| format!("room {}", record.happening.room.vnum)).unwrap_or_default();
        for record in there {
            let key = record.name.to_lowercase();
            match record.happening.role {
                Role::Did => {
                    let did = Carrier { at: now, how: How::Source, from: None, via: room.clone(), before: false };
                    self.carriers.entry(key).or_insert(did);
                }
                Role::Suffered | Role::Saw => self.show(&key, How::Saw, doer.clone(), room.clone(), now),
            }
        }
    }

    fn utter(&mut self, by: Voice, to: Option<String>, via: String, text: &str, now: Moment) {
        if by.is_player {
            let typed = self.typed.get(&by.key).copied();
            let source = |at| Carrier { at, how: How::Source, from: None, via: via.clone(), before: false };
            match self.carriers.get_mut(&by.key) {
                None => {
                    self.carriers.insert(by.key.clone(), source(now));
                }
                // Its words waited, and were typed before somebody else's came to it.
                Some(carrier) if carrier.how != How::Source => {
                    if let Some(typed) = typed.filter(|typed| typed.input < carrier.at.input) {
                        *carrier = source(typed);
                    }
                }
                Some(_) => {}
            }
        }
        let text = text.chars().take(TOLD_CHARS).collect();
        self.uttered.push(Uttered { at: now, by, via, to, text });
    }

    /// Somebody is shown it; only the first time counts.
    fn show(&mut self, reader: &str, how: How, from: Option<Voice>, via: String, now: Moment) {
        // What nobody wrote, to somebody who typed it: the game gives its own words back.
        let is_own = match &from {
            Some(from) => from.is_player && from.key == reader,
            None => self.typed.contains_key(reader),
        };
        if !is_own && !self.carriers.contains_key(reader) {
            self.note_source(from.as_ref(), &via, now);
            let shown = Carrier { at: now, how, from, via, before: false };
            self.carriers.insert(reader.to_string(), shown);
        }
    }

    /// Who shows it to others has it, whatever is known of that one.
    fn note_source(&mut self, from: Option<&Voice>, via: &str, now: Moment) {
        let Some(from) = from.filter(|from| from.is_player && !self.carriers.contains_key(&from.key)) else { return };
        if self.population.contains(&from.key) {
            let source = Carrier { at: now, how: How::Source, from: None, via: via.to_string(), before: false };
            self.carriers.insert(from.key.clone(), source);
        } else {
            self.knew_before.insert(from.key.clone());
        }
    }

    #[allow(clippy::too_many_arguments, reason = "all that is known of a line as it is shown")]
    fn show_line(
        &mut self,
        world: &World,
        reader: CharacterId,
        line: &Line,
        asked: Option<&(String, String)>,
        built_in: Option<Vnum>,
        said_before: usize,
        now: Moment,
    ) {
        let Some(key) = self.players.get(&reader).cloned() else { return };
        if self.carriers.contains_key(&key) {
            self.open.remove(&reader);
            return;
        }
        // What comes to somebody without a connection nobody reads. Who is gone by this input was told it before.
        if world.character(reader).is_some_and(is_lost) {
            return;
        }
        let own_line = asked.filter(|(who, _)| *who == key).map(|(_, line)| line.as_str());
        let (how, from, via) = match line.outcome.as_deref() {
            Some(Outcome::Said { speaker, channel, text, channel_id, .. }) if self.subject.is_in(text) => {
                (How::Heard, Some(Voice::of(speaker)), said_way(channel, *channel_id))
            }
            // How it is told that somebody speaks is the game's.
            Some(Outcome::Said { channel, .. }) => (How::Saw, None, channel.to_string()),
            Some(Outcome::Built { who, .. }) => (How::Saw, Some(Voice::of(who)), plot_way(built_in)),
            _ => match self.origin(world, reader, line, own_line, said_before) {
                Some(origin) => origin,
                None => return,
            },
        };
        self.show(&key, how, from, via, now);
    }

    /// Where a line comes from that says nothing of it itself; `None`: it holds nothing that somebody else wrote.
    fn origin(
        &self,
        world: &World,
        reader: CharacterId,
        line: &Line,
        own_line: Option<&str>,
        said_before: usize,
    ) -> Option<(How, Option<Voice>, String)> {
        let key = &self.players[&reader];
        let is_other = |voice: &Voice| voice.key != *key || !voice.is_player;
        let posted = line.message.as_ref().and_then(|message| self.posted.get(&message.id));
        if let Some(posted) = posted {
            return Some((How::Heard, Some(posted.author.clone()), channel_way(world, posted.channel)));
        }
        if line.text.contains("] ") {
            let text = line.text.split_whitespace().collect::<Vec<_>>().join(" ");
            let rows: Vec<&Posted> = self
                .posted
                .iter()
                .filter(|(id, posted)| has_row(&text, posted.channel, **id))
                .map(|(_, p)| p)
                .collect();
            if let Some(posted) = rows.iter().find(|posted| is_other(&posted.author)) {
                return Some((How::Read, Some(posted.author.clone()), channel_way(world, posted.channel)));
            }
            if !rows.is_empty() {
                return None;
            }
        }
        if let Some(who) = world.character(reader) {
            let vnum = world.room_proto(who.room).vnum;
            let pieces = self.plots.get(&vnum).map(Vec::as_slice).unwrap_or_default();
            if !pieces.is_empty() && world.plot_before(reader).is_ok() {
                let other = pieces.iter().find(|piece| piece.by != *key)?;
                return Some((How::Read, writer(other), plot_way(Some(vnum))));
            }
            if let Some(element) = &self.element
                && self.is_page_of(element, vnum, line, own_line)
            {
                return Some((How::Read, element.by.as_deref().map(Voice::player), plot_way(Some(vnum))));
            }
        }
        // The name of the element alone says nothing of it elsewhere.
        if !self.subject.is_in(&line.text) {
            return None;
        }
        // Who listens in on somebody reads what that one does.
        let here = self.uttered[said_before..].iter().find(|uttered| is_other(&uttered.by));
        if let Some(uttered) = here {
            return Some((How::Heard, Some(uttered.by.clone()), uttered.via.clone()));
        }
        Some(match own_line {
            Some(typed) => (How::Read, None, Typed::parse(typed).word.to_lowercase()),
            None => (How::Saw, None, String::new()),
        })
    }

    /// Whether it is the page of a plot on which the element stands.
    fn is_page_of(&self, element: &Standing, vnum: Vnum, line: &Line, own_line: Option<&str>) -> bool {
        let is_named = element.called.as_ref().is_some_and(|called| called.is_in(&line.text));
        let is_page = own_line.is_some_and(|typed| !typed.contains("kinds"));
        element.stands && element.room == vnum && is_page && is_named
    }

    /// What the world no longer held was looked up for who asked.
    fn show_history(&mut self, request: &HistoryRequest, found: Found, world: &World, now: Moment) {
        for line in &found.lines {
            self.post(world, line.channel, &line.message);
        }
        let Some(key) = self.players.get(&request.who).cloned() else { return };
        let posted = found.lines.iter().filter_map(|line| self.posted.get(&line.message.id)).cloned();
        let posted: Vec<Posted> = posted.collect();
        for Posted { channel, author } in posted {
            if self.uttered.iter().all(|uttered| uttered.by != author) {
                self.knew(&author, now);
            }
            self.show(&key, How::Read, Some(author), channel_way(world, channel), now);
        }
    }

    /// A program that comes in is sent the newest messages of its channels.
    fn show_channels(&mut self, world: &World, who: CharacterId, now: Moment) {
        if self.posted.is_empty() {
            return;
        }
        let (Some(key), Some(person)) = (self.players.get(&who).cloned(), world.person_of(who)) else { return };
        let frame = world.channels_frame(person, None);
        let messages = frame.channels.iter().flat_map(|channel| &channel.messages);
        let posted: Vec<Posted> =
            messages.filter(|message| !message.hidden).filter_map(|m| self.posted.get(&m.id)).cloned().collect();
        for Posted { channel, author } in posted {
            self.show(&key, How::Read, Some(author), channel_way(world, channel), now);
        }
    }

    /// Programs that stand before a plot which holds it.
    fn stand(&mut self, world: &World, now: Moment) {
        let holding = self.plots.keys().copied();
        let standing = self.element.iter().filter(|element| element.stands).map(|element| element.room);
        let rooms: BTreeSet<Vnum> = holding.chain(standing).collect();
        for vnum in rooms {
            let Some(room) = world.room_by_vnum(vnum) else { continue };
            for who in &world.room(room).characters {
                let Some(key) = self.players.get(who).filter(|key| !self.carriers.contains_key(*key)) else { continue };
                let reads = |character: &Character| {
                    character.player().is_some_and(|player| player.agent) && !is_lost(character)
                };
                if !world.character(*who).is_some_and(reads) || world.plot_before(*who).is_err() {
                    continue;
                }
                let pieces = self.plots.get(&vnum).map(Vec::as_slice).unwrap_or_default();
                let by_another = pieces.iter().find(|piece| piece.shown && piece.by != *key);
                let element = self.element.as_ref().filter(|element| element.stands && element.room == vnum);
                let from = match (by_another, element) {
                    (Some(piece), _) => writer(piece),
                    (None, Some(element)) => element.by.as_deref().map(Voice::player),
                    (None, None) => continue,
                };
                let key = key.clone();
                self.show(&key, How::Read, from, plot_way(Some(vnum)), now);
            }
        }
    }
}

const ELEMENT: &str = "element";

fn writer(piece: &Piece) -> Option<Voice> {
    (!piece.by.is_empty()).then(|| Voice::player(&piece.by))
}

fn plot_way(room: Option<Vnum>) -> String {
    room.map_or_else(|| "plot".to_string(), |room| format!("plot {room}"))
}

/// What it was said by: the verb, or the number of a home or a group.
fn said_way(channel: &str, id: Option<u32>) -> String {
    match id {
        Some(id) if channel == "chat" => format!("channel {id}"),
        _ => channel.to_string(),
    }
}

/// The same of a message that stands in a channel.
fn channel_way(world: &World, id: u32) -> String {
    let name = world.content.channel_numbered(id).map(|(_, channel)| channel.name.to_string());
    match world.channel_kind(id) {
        ChannelKind::Global => name.unwrap_or_default(),
        ChannelKind::Direct => "tell".to_string(),
        ChannelKind::Home | ChannelKind::Group => format!("channel {id}"),
    }
}

fn is_lost(character: &Character) -> bool {
    character.player().is_some_and(|player| matches!(player.link, Link::Lost { .. }))
}

/// A program that came in, or is back, by this input.
fn come_back(input: &Input, report: &Report) -> Option<CharacterId> {
    match input {
        Input::Enter { agent: true, .. } => report.entered,
        Input::Link { who, link: Link::Linked, agent: true } => Some(*who),
        _ => None,
    }
}

fn author_of(world: &World, message: &Message) -> Voice {
    let person = message.sender.id.filter(|id| *id != ARCHITECT).and_then(|id| world.state.channels.person(id));
    match person {
        Some(person) => Voice::player(&person.name),
        None => Voice { key: message.sender.name.to_string(), is_player: false },
    }
}

/// Whether a list of messages has this one: `[108 #413, just now] Ann: …`.
fn has_row(text: &str, channel: u32, id: u64) -> bool {
    let row = format!("[{channel} #{id}");
    text.match_indices(&row).any(|(at, _)| !text[at + row.len()..].starts_with(|c: char| c.is_ascii_digit()))
}

impl Watch {
    /// The lines of a report that hold it, each with its readers, in order. A line that many read is looked at once.
    fn matching(&self, report: &Report) -> Vec<(CharacterId, Arc<Line>)> {
        let mut found = Vec::new();
        let mut last: Option<(*const Line, bool)> = None;
        for (reader, line) in report.lines.iter().filter(|(reader, _)| self.open.contains(reader)) {
            let at = Arc::as_ptr(line);
            let holds = match last {
                Some((known, holds)) if known == at => holds,
                _ => self.subject.is_in(&line.text) || self.tells_of_element(line),
            };
            last = Some((at, holds));
            if holds {
                found.push((reader, line.clone()));
            }
        }
        found
    }

    fn tells_of_element(&self, line: &Line) -> bool {
        let Some(element) = &self.element else { return false };
        match line.outcome.as_deref() {
            Some(outcome) => element.is_of(outcome),
            None => element.called.as_ref().is_some_and(|called| called.is_in(&line.text)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_a_list_is_told_from_longer_numbers() {
        let text = "[108 #413, just now] Ann: no [108 #41 to #7, 3 h ago] Bob: yes";
        for (channel, id, there) in
            [(108, 413, true), (108, 41, true), (108, 4, false), (8, 413, false), (108, 7, false)]
        {
            assert_eq!(has_row(text, channel, id), there, "{channel} #{id}");
        }
    }
}
