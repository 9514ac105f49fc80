//! What P3 tells of channels: each message once, then the changes of what others think of it, and who came and went.
//!
//! Between two folds a channel may have so many tokens of the grant as attention gives it, and of what is new the
//! newest come first; what does not fit is counted in P4. A fold tells the newest of each channel anew, in one block at
//! the head of P3. It comes early where a message to the agent itself has no room, or where enough is new that was not
//! shown; but for the latter it waits, since all behind P1 has to be read anew then, and the grant is given out bit by
//! bit meanwhile.
//!
//! Invariants: no message stands twice in P3; all of them together never take more than the grant.

use super::measured::MeasuredText;
use crate::attention::{Candidate, FILLED_PERCENT, Shelf, fill, has_room, part_of};
use crate::hud::channels::{NAME_CHARS, lent_shares_of, named, shares_of};
use crate::hud::node::{Node, Table, column, column_unless};
use crate::hud::origin::Origin;
use crate::hud::{ChannelsView, Format, text};
use crate::{render, tokens};
use protocol::channel::{Channel, Message, MessageKind, Reaction, Tally};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Characters of a message, in the order in which they are tried; and of one's own, which stand among the actions too.
const MESSAGE_CHARS: [usize; 6] = [2_000, 800, 300, 120, 50, 20];
const OWN_CHARS: usize = 80;
/// A message takes no more of the grant than one part of so many.
const MESSAGE_PART: usize = 8;
/// A fold comes early when at least this much of what it fills would be new, percent.
const NEWS_PERCENT: usize = 50;
/// Prompts from one fold to the next that only news ask for, and the part of what a fold leaves of the grant that the
/// first of them may take at once, percent.
const PROMPTS_BETWEEN: usize = 20;
const AT_ONCE_PERCENT: usize = 25;
/// The least that a fold must have to fill, in tokens, before it comes early.
const WORTH_TOKENS: usize = 60;
/// Changes of channels that one block tells; and characters of a billboard in one.
const CHANGES_MAX: usize = 12;
const BILLBOARD_CHARS: usize = 300;
/// Messages of a channel of which it is remembered whether they were shown.
const REMEMBERED_MAX: usize = 256;

/// What a channel's messages take of the prompts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct ChannelTokens {
    /// Of the channel.
    pub id: u32,
    /// Its share of attention, tenths of a percent.
    pub share: u32,
    /// Of all its messages in this prompt.
    pub tokens: usize,
    /// Of those that the prompt before did not have.
    pub tokens_new: usize,
}

/// A message that stands in P3.
#[derive(Clone, Debug)]
struct Shown {
    channel: u32,
    tally: Tally,
    tokens: usize,
}

/// How rows are written.
#[derive(Clone, Copy, Debug)]
pub struct Writing {
    pub format: Format,
    pub tick: u64,
}

/// What was told of channels so far.
#[derive(Clone, Debug, Default)]
pub struct Conversations {
    /// Channels without messages, as P2 and P3 tell of them. `None`: no prompt had any.
    told: Option<BTreeMap<u32, Channel>>,
    /// Channels of the invitations that they tell of.
    invited: BTreeSet<u32>,
    shown: BTreeMap<u64, Shown>,
    /// Of each channel, others' messages and whether they were ever shown.
    ever: BTreeMap<u32, BTreeMap<u64, bool>>,
    /// Tokens of rows that are no messages, since the fold.
    beside: usize,
    /// The newest message at the last fold: what is older waits for no other.
    folded_at: u64,
    /// The newest message at the last prompt: what is older and was to be told at once was told, or has no room.
    prompted_at: u64,
    /// Messages that are shown since the last prompt, with their channels.
    fresh: BTreeMap<u64, u32>,
    /// Tokens that all messages may take.
    grant: usize,
    /// Since the last prompt, by channel.
    new: BTreeMap<u32, usize>,
    /// Prompts since the fold.
    prompts: usize,
    /// Tokens of messages that were measured and not shown.
    measured: BTreeMap<u64, usize>,
}

/// The messages of a channel that can be shown at all.
fn telling(channel: &Channel) -> impl DoubleEndedIterator<Item = &Message> {
    channel.messages.iter().filter(|message| !message.hidden)
}

fn is_own(message: &Message, you: u32) -> bool {
    message.sender.id == Some(you) && message.kind == MessageKind::Text
}

fn tally_text(tally: &Tally) -> String {
    let given = Reaction::ALL.into_iter().filter(|reaction| tally.of(*reaction) > 0);
    given.map(|reaction| format!("{} {}", reaction.name(), tally.of(reaction))).collect::<Vec<_>>().join(", ")
}

/// A piece of a block: a line in markdown, else a row of a table.
#[derive(Clone, Debug)]
struct Piece {
    table: usize,
    line: String,
    cells: Vec<Value>,
}

/// The tables that pieces are rows of, in their order.
const TABLES: [(&str, &[&str]); 3] = [
    ("channel_changes", &["text"]),
    ("messages", &["channel", "id", "from", "to_you", "answers", "reactions", "text"]),
    ("reactions", &["message", "reactions"]),
];

impl Writing {
    fn change(self, text: String) -> Piece {
        Piece { table: 0, cells: vec![Value::String(text.clone())], line: text }
    }

    fn reactions(self, message: &Message) -> Piece {
        let tally = tally_text(&message.reactions);
        let tally = if tally.is_empty() { "none any more".to_string() } else { tally };
        Piece { table: 2, line: format!("#{} has {tally}", message.id), cells: vec![message.id.into(), tally.into()] }
    }

    fn message(self, message: &Message, you: u32, most: usize) -> (Piece, usize) {
        let own = is_own(message, you);
        let mut measured = None;
        let mut shown = usize::MAX;
        for chars in MESSAGE_CHARS {
            let chars = if own { chars.min(OWN_CHARS) } else { chars };
            // What is no longer would be the same once more.
            if shown <= chars {
                continue;
            }
            let piece = self.message_of(message, own, chars);
            shown = piece.cells.last().and_then(Value::as_str).map_or(0, |content| content.chars().count());
            let tokens = self.tokens(&piece);
            measured = Some((piece, tokens));
            if tokens <= most {
                break;
            }
        }
        measured.expect("there are sizes to try")
    }

    fn message_of(self, message: &Message, own: bool, chars: usize) -> Piece {
        let content = Value::String(text::line(&message.content, chars));
        let from = if own { "you".to_string() } else { named(&message.sender) };
        let tally = tally_text(&message.reactions);
        let to = if message.to_you { ", to you" } else { "" };
        let answers = message.reply_to.map_or(String::new(), |id| format!(", answers #{id}"));
        let given = if tally.is_empty() { String::new() } else { format!(" [{tally}]") };
        let line = format!("{} #{} {from}{to}{answers}: {content}{given}", message.channel, message.id);
        let cells = vec![
            message.channel.into(),
            message.id.into(),
            from.into(),
            message.to_you.into(),
            message.reply_to.map_or(Value::Null, Value::from),
            tally.into(),
            content,
        ];
        Piece { table: 1, line, cells }
    }

    /// What a piece adds to a block, at most.
    fn tokens(self, piece: &Piece) -> usize {
        match self.format {
            Format::Markdown => tokens::count(&format!("  {}\n", piece.line)),
            format => tokens::count(&render::render(&[self.table_of(piece.table, &[piece])], format)),
        }
    }

    fn table_of(self, table: usize, pieces: &[&Piece]) -> Node {
        let (key, names) = TABLES[table];
        let columns =
            names.iter().map(|&name| if name == "to_you" { column_unless(name, false) } else { column(name) });
        let rows = pieces.iter().map(|piece| piece.cells.clone()).collect();
        Node::named(key, Node::Table(Table::of(columns.collect(), rows, 0)))
    }

    fn block(self, pieces: &[Piece]) -> Option<MeasuredText> {
        if pieces.is_empty() {
            return None;
        }
        let (text, origins) = match self.format {
            Format::Markdown => {
                let mut text = format!("{} in channels:\n", self.tick);
                let mut origins = vec![Origin::Layout];
                for piece in pieces {
                    text.push_str("  ");
                    text.push_str(&piece.line);
                    text.push('\n');
                    let (key, _) = TABLES[piece.table];
                    origins.push(Origin::of_paths([key], self.tick));
                }
                (text, origins)
            }
            format => {
                let of = |table: usize| -> Vec<&Piece> { pieces.iter().filter(|piece| piece.table == table).collect() };
                let mut nodes = vec![Node::fields(vec![("tick", self.tick.into())])];
                nodes.extend((0..TABLES.len()).map(|table| self.table_of(table, &of(table))));
                (render::render(&nodes, format), render::origins(&nodes, format, self.tick))
            }
        };
        Some(MeasuredText::new(text).from(origins))
    }
}

impl Conversations {
    /// Whether channels are told of already.
    pub fn has_begun(&self) -> bool {
        self.told.is_some()
    }

    /// P2 tells of the channels as they are in this view.
    pub fn noted(&mut self, view: &ChannelsView) {
        let bare = |channel: &Channel| Channel { messages: Vec::new(), ..channel.clone() };
        self.invited = view.invitations.iter().map(|invitation| invitation.id).collect();
        self.told = Some(view.channels.iter().map(|channel| (channel.channel.id, bare(&channel.channel))).collect());
    }

    fn used(&self, id: u32) -> usize {
        self.shown.values().filter(|shown| shown.channel == id).map(|shown| shown.tokens).sum()
    }

    fn all(&self) -> usize {
        self.shown.values().map(|shown| shown.tokens).sum::<usize>() + self.beside
    }

    /// Most that one message takes.
    fn message_max(&self) -> usize {
        self.grant / MESSAGE_PART
    }

    fn show(&mut self, message: &Message, tokens: usize) {
        let shown = Shown { channel: message.channel, tally: message.reactions, tokens };
        self.shown.insert(message.id, shown);
        *self.new.entry(message.channel).or_default() += tokens;
        if !self.was_shown(message) {
            self.fresh.insert(message.id, message.channel);
        }
        self.remember(message, true);
        self.measured.remove(&message.id);
    }

    fn remember(&mut self, message: &Message, shown: bool) {
        let ever = self.ever.entry(message.channel).or_default();
        *ever.entry(message.id).or_default() |= shown;
        if ever.len() > REMEMBERED_MAX {
            ever.pop_first();
        }
    }

    /// Notes what there is, and forgets channels that are gone.
    fn observe(&mut self, view: &ChannelsView) {
        let ids: BTreeSet<u32> = view.channels.iter().map(|channel| channel.channel.id).collect();
        self.ever.retain(|id, _| ids.contains(id));
        for channel in &view.channels {
            for message in telling(&channel.channel).filter(|message| !is_own(message, view.you)) {
                self.remember(message, false);
            }
        }
    }

    fn was_shown(&self, message: &Message) -> bool {
        self.ever.get(&message.channel).and_then(|ever| ever.get(&message.id)).is_some_and(|shown| *shown)
    }

    fn is_urgent(&self, message: &Message) -> bool {
        message.to_you && !self.was_shown(message) && message.id > self.prompted_at
    }

    /// All messages anew, as a fold does: the newest of each channel, in `percent` of what a fold fills. `grant`: what
    /// all may take until the next. The block, if there is anything to tell.
    pub fn refill(
        &mut self,
        view: &ChannelsView,
        writing: Writing,
        grant: usize,
        percent: usize,
    ) -> Option<MeasuredText> {
        self.noted(view);
        self.observe(view);
        let before: BTreeSet<u64> = std::mem::take(&mut self.shown).into_keys().collect();
        // Nobody has read what only this prompt began to show.
        for (id, channel) in std::mem::take(&mut self.fresh) {
            if let Some(ever) = self.ever.get_mut(&channel).and_then(|ever| ever.get_mut(&id)) {
                *ever = false;
            }
        }
        (self.grant, self.beside, self.prompts) = (grant, 0, 0);
        self.measured.clear();
        let room = grant * FILLED_PERCENT / 100 * percent / 100;
        // The first line.
        let room = room.saturating_sub(8);
        let shares = lent_shares_of(view);
        let mut pieces: BTreeMap<u64, (Piece, usize)> = BTreeMap::new();
        let mut shelves = Vec::new();
        for (channel, share) in view.channels.iter().zip(&shares) {
            let most = part_of(*share, room);
            let (mut candidates, mut tokens_all) = (Vec::new(), 0);
            for message in telling(&channel.channel).rev() {
                let urgent = self.is_urgent(message);
                // What is older has no room whatever it is, unless it must be told.
                if tokens_all > most + self.message_max() && !urgent {
                    continue;
                }
                let (piece, tokens) = writing.message(message, view.you, self.message_max());
                candidates.push(Candidate { id: message.id, tokens, urgent });
                pieces.insert(message.id, (piece, tokens));
                tokens_all += tokens;
            }
            shelves.push(Shelf { share: *share, candidates });
        }
        let taken = fill(&shelves, room);
        let ids: BTreeSet<u64> = shelves
            .iter()
            .zip(&taken)
            .flat_map(|(shelf, taken)| shelf.candidates.iter().zip(taken).filter(|(_, taken)| **taken))
            .map(|(candidate, _)| candidate.id)
            .collect();
        let mut told = Vec::new();
        for message in view.channels.iter().flat_map(|channel| telling(&channel.channel)) {
            self.folded_at = self.folded_at.max(message.id);
            if ids.contains(&message.id)
                && let Some((piece, tokens)) = pieces.remove(&message.id)
            {
                self.show(message, tokens);
                if before.contains(&message.id) {
                    // It was read before.
                    self.new.entry(message.channel).and_modify(|new| *new = new.saturating_sub(tokens));
                }
                told.push((message.id, piece));
            }
        }
        told.sort_by_key(|(id, _)| *id);
        writing.block(&told.into_iter().map(|(_, piece)| piece).collect::<Vec<_>>())
    }

    /// What is new since the last prompt, as far as it has room.
    pub fn tell(&mut self, view: &ChannelsView, writing: Writing) -> Option<MeasuredText> {
        self.observe(view);
        let mut pieces = self.changes(view, writing);
        let shares = lent_shares_of(view);
        let mut used: BTreeMap<u32, usize> = BTreeMap::new();
        for shown in self.shown.values() {
            *used.entry(shown.channel).or_default() += shown.tokens;
        }
        let mut all = self.all();
        let mut new: Vec<(&Message, u32)> = Vec::new();
        for (channel, share) in view.channels.iter().zip(&shares) {
            for message in telling(&channel.channel) {
                if let Some(shown) = self.shown.get_mut(&message.id) {
                    if shown.tally == message.reactions {
                        continue;
                    }
                    let piece = writing.reactions(message);
                    let tokens = writing.tokens(&piece);
                    if all + tokens <= self.grant {
                        shown.tally = message.reactions;
                        (self.beside, all) = (self.beside + tokens, all + tokens);
                        pieces.push(piece);
                    }
                } else if message.id > self.folded_at && !self.was_shown(message) {
                    new.push((message, *share));
                }
            }
        }
        // First what is to the agent itself, then the newest.
        new.sort_by_key(|(message, _)| std::cmp::Reverse((self.is_urgent(message), message.id)));
        let mut told = Vec::new();
        for (message, share) in new {
            let (id, urgent) = (message.id, self.is_urgent(message));
            let most = if urgent { self.grant } else { self.given_out() };
            let used = used.entry(message.channel).or_default();
            let measured = self.measured.get(&id).map(|tokens| Candidate { id, tokens: *tokens, urgent });
            if measured.is_some_and(|candidate| !has_room(candidate, share, *used, all, most)) {
                continue;
            }
            let (piece, tokens) = writing.message(message, view.you, self.message_max());
            if has_room(Candidate { id, tokens, urgent }, share, *used, all, most) {
                (*used, all) = (*used + tokens, all + tokens);
                self.show(message, tokens);
                told.push((id, piece));
            } else {
                self.measured.insert(message.id, tokens);
            }
        }
        told.sort_by_key(|(id, _)| *id);
        pieces.extend(told.into_iter().map(|(_, piece)| piece));
        writing.block(&pieces)
    }

    /// How much of the grant may be taken by now. Who talks little finds room at once; where much is said, some is left
    /// for what comes later.
    fn given_out(&self) -> usize {
        let filled = self.grant * FILLED_PERCENT / 100;
        let gone = 100 * self.prompts.min(PROMPTS_BETWEEN) / PROMPTS_BETWEEN;
        let percent = AT_ONCE_PERCENT + (100 - AT_ONCE_PERCENT) * gone / 100;
        filled + (self.grant - filled) * percent / 100
    }

    /// Whether a fold should come now: enough is new that has no room, or something that the agent was told.
    pub fn wants_fold(&self, view: &ChannelsView) -> bool {
        let room = self.grant * FILLED_PERCENT / 100;
        if room < WORTH_TOKENS {
            return false;
        }
        let shares = lent_shares_of(view);
        let mut news = 0;
        for (channel, share) in view.channels.iter().zip(&shares) {
            let waiting = telling(&channel.channel).filter(|message| self.measured.contains_key(&message.id));
            let waiting: Vec<&Message> = waiting.filter(|message| message.id > self.folded_at).collect();
            if waiting.iter().any(|message| self.is_urgent(message)) {
                return true;
            }
            let tokens: usize = waiting.iter().filter_map(|message| self.measured.get(&message.id)).sum();
            news += tokens.min(part_of(*share, room));
        }
        self.prompts >= PROMPTS_BETWEEN && news >= (room * NEWS_PERCENT / 100).max(1)
    }

    /// Of each channel, by its place, how many messages of others wait that no prompt showed.
    pub fn unread(&self, view: &ChannelsView) -> Vec<u32> {
        let of = |channel: &Channel| {
            let newest = self.ever.get(&channel.id).into_iter().flat_map(|ever| ever.values().rev());
            let shown = newest.take(channel.unread as usize).filter(|shown| **shown).count();
            channel.unread.saturating_sub(u32::try_from(shown).unwrap_or(u32::MAX))
        };
        view.channels.iter().map(|channel| of(&channel.channel)).collect()
    }

    /// What each channel has of the prompt of now. What is new is new once.
    pub fn tokens(&mut self, view: &ChannelsView) -> Vec<ChannelTokens> {
        let new = std::mem::take(&mut self.new);
        self.fresh.clear();
        self.prompts += 1;
        let newest = view.channels.iter().filter_map(|channel| channel.channel.messages.last());
        self.prompted_at = newest.map(|message| message.id).fold(self.prompted_at, u64::max);
        let shares = shares_of(view);
        let ids = view.channels.iter().map(|channel| channel.channel.id);
        ids.zip(shares)
            .map(|(id, share)| {
                let tokens_new = new.get(&id).copied().unwrap_or(0);
                ChannelTokens { id, share, tokens: self.used(id), tokens_new }
            })
            .collect()
    }

    /// What is another with the channels than P2 and the rows behind it tell.
    fn changes(&mut self, view: &ChannelsView, writing: Writing) -> Vec<Piece> {
        let told = self.told.clone().unwrap_or_default();
        let mut texts = Vec::new();
        for id in told.keys().filter(|id| !view.channels.iter().any(|channel| channel.channel.id == **id)) {
            texts.push(format!("{id} is no channel of yours any more"));
        }
        for channel in view.channels.iter().map(|channel| &channel.channel) {
            match told.get(&channel.id) {
                Some(before) => texts.extend(changed(before, channel)),
                None => {
                    texts.push(added(channel));
                    texts.extend(doors(&Channel::new(channel.id, channel.name.clone(), channel.kind), channel));
                }
            }
        }
        let invitations = view.invitations.iter().filter(|invitation| !self.invited.contains(&invitation.id));
        texts.extend(invitations.map(|invitation| {
            let name = text::quoted(&invitation.name, NAME_CHARS);
            format!("you are invited into {} {name}: channel join {}", invitation.id, invitation.id)
        }));
        self.noted(view);
        let more = texts.len().saturating_sub(CHANGES_MAX);
        texts.truncate(CHANGES_MAX);
        if more > 0 {
            texts.push(format!("{more} more changes"));
        }
        let mut pieces = Vec::new();
        for piece in texts.into_iter().map(|text| writing.change(text)) {
            let tokens = writing.tokens(&piece);
            if self.all() + tokens <= self.grant {
                self.beside += tokens;
                pieces.push(piece);
            }
        }
        pieces
    }
}

fn billboard(channel: &Channel) -> String {
    match channel.billboard.as_deref().filter(|text| !text.is_empty()) {
        Some(text) => format!("its billboard says {}", text::quoted(text, BILLBOARD_CHARS)),
        None => "its billboard is empty".to_string(),
    }
}

fn added(channel: &Channel) -> String {
    let members: Vec<String> = channel.members.iter().take(8).map(named).collect();
    let with = if members.is_empty() { String::new() } else { format!(", with {}", members.join(", ")) };
    let says = if channel.billboard.is_some() { format!("; {}", billboard(channel)) } else { String::new() };
    format!("{} is a channel of yours now: {}{with}{says}", channel.id, text::quoted(&channel.name, NAME_CHARS))
}

fn changed(before: &Channel, now: &Channel) -> Vec<String> {
    let id = now.id;
    let mut texts = Vec::new();
    if before.name != now.name {
        texts.push(format!("{id} is called {} now", text::quoted(&now.name, NAME_CHARS)));
    }
    for member in &now.members {
        match before.members.iter().find(|other| other.id == member.id) {
            None => texts.push(format!("{id}: {} joined", named(member))),
            Some(other) if other.name != member.name => {
                let number = member.id.map_or(String::new(), |id| id.to_string());
                texts.push(format!("{id}: {number} is called {} now", text::quoted(&member.name, NAME_CHARS)));
            }
            Some(_) => {}
        }
    }
    for member in before.members.iter().filter(|member| !now.members.iter().any(|other| other.id == member.id)) {
        texts.push(format!("{id}: {} left", named(member)));
    }
    if before.billboard != now.billboard {
        texts.push(format!("{id}: {}", billboard(now)));
    }
    if before.wpm != now.wpm {
        texts.push(format!("{id}: {} words a minute now", now.wpm));
    }
    texts.extend(doors(before, now));
    texts
}

/// What has changed of the keys to a channel and of who asks to be let in.
fn doors(before: &Channel, now: &Channel) -> Vec<String> {
    let id = now.id;
    let mut texts = Vec::new();
    for key in now.my_keys.iter().filter(|key| !before.my_keys.contains(key)) {
        texts.push(format!("{id}: {} is a key of yours now", text::quoted(key, NAME_CHARS)));
    }
    for key in before.my_keys.iter().filter(|key| !now.my_keys.contains(key)) {
        texts.push(format!("{id}: {} is no key of yours any more", text::quoted(key, NAME_CHARS)));
    }
    for request in now.pending_access_requests.iter().filter(|one| !before.pending_access_requests.contains(one)) {
        let key = text::quoted(&request.key_used, NAME_CHARS);
        texts.push(format!(
            "{id}: {} asks to be let in with the key {key}: request {}",
            request.requester_id, request.id
        ));
    }
    for request in before.pending_access_requests.iter().filter(|one| !now.pending_access_requests.contains(one)) {
        texts.push(format!("{id}: request {} is over", request.id));
    }
    texts
}
