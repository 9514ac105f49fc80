//! Keeps the parts of one session and makes a prompt of them.
//!
//! Each part is written and measured once; only P4 is at every call. When a prompt with all of P4 would take
//! `pressure::COMPACT_FROM` of its budget, or P3 alone `Tier::transcript_max`, it folds: P2 becomes the newest state,
//! and P3 keeps its newest blocks, as many as `KEPT_PERCENT` of its room hold. So folds are rare and large, and between
//! two of them a provider finds everything before P4 in its cache. Messages of channels have a grant of their own in P3
//! (`conversations`), and where they need it a fold comes early.

use super::already_shown::{self, AllContents, PartContents};
use super::conversations::{Conversations, Writing};
use super::earlier::Earlier;
use super::live_part::{self, Drafts, Live};
use super::measured::MeasuredText;
use super::{AnswerForm, Block, Layout, Part, PartName, Prompt, Role, Settings, block};
use crate::action::Offer;
use crate::arts::{Arts, ArtsView};
use crate::budget::{Tier, Wants, head, share_out};
use crate::event::LogEntry;
use crate::fold::{self, StoryNames};
use crate::hud::identity::{Nature, has_layers};
use crate::hud::live::{AlreadyShown, ContextBar, LiveInput, ShownSection};
use crate::hud::node::Node;
use crate::hud::origin::Origin;
use crate::hud::{
    ChannelsView, Format, LiveView, RecentAction, SelfView, arts, channels, core_memory, identity, workspace,
};
use crate::pressure::{Advisory, Density, advisory, density, must_compact};
use crate::section::SectionPart;
use crate::sections::{self, Values};
use crate::state::MindState;
use crate::story::{Span, Story, StoryWords};
use crate::texts::{Extent, TextName, Texts};
use crate::{document, render, tokens};
use protocol::payload::Words;
use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

/// What a fold keeps of P3, percent of the room that it has: what the other parts leave of the budget, since a mind
/// with much on it would else fold again a few decisions later. More is a longer memory of what just happened, nearly
/// all of it read from the cache, and more frequent folds.
const KEPT_PERCENT: usize = 30;

/// The same of a fold that only messages of channels came to need: the rest of P3 has not grown old.
const KEPT_FOR_MESSAGES_PERCENT: usize = 50;

/// What messages of channels may take of what others say and the world tells, percent.
const MESSAGES_PERCENT: usize = 50;

/// What chat endpoints put around two messages, with room to spare: four tokens a message and three for the answer.
const FRAME_TOKENS: usize = 16;

/// Parts of P3 between two cache marks: providers look back 20 blocks.
const PARTS_BETWEEN_MARKS: usize = 20;

/// The most tokens of a block, as a part of the budget: so that a fold can always keep some.
const BLOCK_PART: usize = 16;

/// What the context bar and the warnings take, counted in before they are written.
const CONTEXT_TOKENS: usize = 60;

/// Empty lines between the sections of P2, which each is measured without.
const JOINTS_TOKENS: usize = 4;

/// Entries that are held for what a fold tells; older ones are forgotten untold.
const LOG_MAX: usize = 5_000;

/// Stands above P3, at the end of P2: P3 itself only grows.
const SINCE: &str = "# Since then\n";

/// P1, the snapshot P2 and the blocks of P3 of one session.
#[derive(Clone, Debug)]
pub struct PromptBuilder {
    settings: Settings,
    /// Of a whole prompt, in our tokens, without what an endpoint adds.
    room: usize,
    /// Without its arts, which are `arts`.
    self_: SelfView,
    arts: Arts,
    /// The socials and channels of the world at hand.
    words: Arc<Words>,
    /// What the next fold shall take in place of the texts of the settings.
    next_texts: Option<Arc<Texts>>,
    /// P0, once it was needed.
    rules: OnceLock<MeasuredText>,
    p1: Option<MeasuredText>,
    p2: Option<Snapshot>,
    p3: Vec<BlockPart>,
    /// The channels of the newest prompt; `None` from a server without.
    channels: Option<Arc<ChannelsView>>,
    /// Sections of P4 that are data, as the newest prompt has them.
    sections: Vec<ShownSection>,
    conversations: Conversations,
    tick: u64,
    /// Appended since the last prompt.
    pending: Vec<BlockPart>,
    /// Seq of the newest entry of the log that P2 or a block shows.
    seq_shown: u64,
    cuts: Vec<String>,
    last_tokens: usize,
    /// Entries of the log that P3 tells of, or might.
    log: VecDeque<LogEntry>,
    /// Those that the last fold dropped, with what is told of them in P2.
    dropped: Vec<LogEntry>,
    story: Story,
    /// What a model says for that, from the next fold on.
    story_words: Option<StoryWords>,
    earlier: Earlier,
    /// The last fold was of this prompt: what another one drops is told with it.
    is_folding: bool,
    folds: u32,
    /// How many of them the prompts so far have told.
    folds_shown: u32,
}

/// A part of P3.
#[derive(Clone, Debug)]
struct BlockPart {
    written: MeasuredText,
    contents: PartContents,
}

#[derive(Clone, Debug)]
struct Snapshot {
    state: MindState,
    text: MeasuredText,
    workspace_tokens: usize,
    roster_tokens: usize,
    story_tokens: usize,
    sections_tokens: usize,
    /// Tokens that messages of channels may take of P3.
    messages: usize,
}

impl PromptBuilder {
    pub fn new(settings: Settings) -> PromptBuilder {
        let budget = settings.tier.budget(settings.model_limit);
        let room = tokens::room_of(budget, &settings.model) - FRAME_TOKENS - settings.kept_free;
        PromptBuilder {
            settings,
            room,
            self_: SelfView::default(),
            arts: Arts::default(),
            words: Arc::default(),
            next_texts: None,
            rules: OnceLock::new(),
            p1: None,
            p2: None,
            p3: Vec::new(),
            channels: None,
            sections: Vec::new(),
            conversations: Conversations::default(),
            tick: 0,
            pending: Vec::new(),
            seq_shown: 0,
            cuts: Vec::new(),
            last_tokens: 0,
            log: VecDeque::new(),
            dropped: Vec::new(),
            story: Story::default(),
            story_words: None,
            earlier: Earlier::default(),
            is_folding: false,
            folds: 0,
            folds_shown: 0,
        }
    }

    /// Which socials and channels the world at hand has, from the next prompt on. The same again costs nothing.
    pub fn set_words(&mut self, words: &Arc<Words>) {
        if !Arc::ptr_eq(&self.words, words) && self.words != *words {
            self.rules = OnceLock::new();
        }
        self.words = words.clone();
    }

    /// Other texts, from the next fold on: then a provider has to read P0 and P1 anew, as it has to the parts behind
    /// them anyway. The same again costs nothing.
    pub fn set_texts(&mut self, texts: Arc<Texts>) {
        self.next_texts = (self.settings.texts != texts).then_some(texts);
        if self.p2.is_none() {
            self.take_texts();
        }
    }

    fn take_texts(&mut self) {
        if let Some(texts) = self.next_texts.take() {
            self.settings.texts = texts;
            self.rules = OnceLock::new();
            self.p1 = None;
        }
    }

    /// Who the agent is, from the next prompt on. The same again changes no byte and costs nothing. Of its arts P1
    /// shows what becomes another from the next fold on, and P3 at once.
    pub fn set_self(&mut self, mut self_: SelfView) {
        if self.arts.set(std::mem::take(&mut self_.arts)) {
            self.p1 = None;
        }
        if self.self_ != self_ {
            self.self_ = self_;
            self.p1 = None;
        }
    }

    /// Whether the server keeps a mind, once that is known. It changes P1 and P2.
    pub fn set_mind(&mut self, mind: bool) {
        if self.settings.mind != mind {
            self.settings.mind = mind;
            (self.p1, self.p2) = (None, None);
        }
    }

    /// The newest block. One with nothing in it is not taken.
    pub fn append(&mut self, block: Block) {
        self.seq_shown = block.mind.iter().map(|entry| entry.seq).fold(self.seq_shown, u64::max);
        self.log.extend(block.mind.iter().cloned());
        self.log.drain(..self.log.len().saturating_sub(LOG_MAX));
        let (written, all) = block::write(&block, self.settings.format, self.room / BLOCK_PART);
        if written.tokens > 0 {
            let first_entry = block.mind.iter().map(|entry| entry.seq).min();
            let did = if all { block.did } else { Vec::new() };
            let contents = PartContents { did, first_entry, ..PartContents::default() };
            self.pending.push(BlockPart { written, contents });
        }
    }

    /// The state that P2 shows; `None` before the first prompt.
    pub fn snapshot(&self) -> Option<&MindState> {
        self.p2.as_ref().map(|snapshot| &snapshot.state)
    }

    /// How often P3 was folded.
    pub fn folds(&self) -> u32 {
        self.folds
    }

    /// From which entry of the agent's log on the transcript tells what happened: memories of that are no news.
    pub fn first_entry(&self) -> Option<u64> {
        self.p3.iter().chain(&self.pending).find_map(|part| part.contents.first_entry)
    }

    /// What had no room in P1, one sentence each.
    pub fn cuts(&self) -> &[String] {
        &self.cuts
    }

    /// Folds now, at a moment of the agent's own choosing.
    pub fn compact(&mut self, state: &MindState) {
        self.is_folding = false;
        self.tell_arts();
        self.fold(state, self.transcript_room() * KEPT_PERCENT / 100, 100);
    }

    /// The prompt of now. `state` is the newest one: P2 shows it at the very first prompt and from the next fold on,
    /// and its changes between are in the blocks. One with entries that no block told of (a state that came late, or
    /// after a gap) is shown at once, at the price of the cache. `recent` oldest first.
    pub fn build(&mut self, live: &LiveView, recent: &[RecentAction], state: &MindState) -> Prompt {
        if self.settings.layout == Layout::Document {
            self.pending.clear();
            return self.build_document(live, recent, state);
        }
        (self.channels, self.tick) = (live.channels.clone(), live.tick);
        self.tell_arts();
        self.write_self();
        let begins = self.channels.is_some() && !self.conversations.has_begun();
        if self.p2.is_none() || state.seq > self.seq_shown || begins {
            self.p2 = Some(self.snapshot_of(state));
            self.seq_shown = self.seq_shown.max(state.seq);
            if let Some(view) = self.channels.clone() {
                self.conversations.noted(&view);
            }
            if begins {
                self.refill(100);
            }
        }
        self.sections = self.sections_of(SectionPart::Now, state, Some((live, recent)));
        self.tell(live);
        self.tell_channels();
        let mut folded = false;
        let most = self.transcript_max();
        if self.channels.as_ref().is_some_and(|view| self.conversations.wants_fold(view)) {
            self.fold(state, self.transcript_room() * KEPT_FOR_MESSAGES_PERCENT / 100, 100);
            folded = true;
        }
        let mut drafts = Drafts::default();
        let mut keep = self.transcript_room() * KEPT_PERCENT / 100;
        let mut pressure = self.pressure(live, recent, &mut drafts);
        let mut percent = 100;
        while (must_compact(pressure) || self.transcript_tokens() > most) && !(folded && self.p3.is_empty()) {
            if folded {
                (keep, percent) = (keep / 4, percent / 4);
            }
            self.fold(state, keep, percent);
            folded = true;
            pressure = self.pressure(live, recent, &mut drafts);
        }
        if folded {
            // Of what is told once, the fold may have taken the blocks.
            self.tell(live);
            pressure = self.pressure(live, recent, &mut drafts);
        }
        let compacted = self.folds > self.folds_shown;
        self.folds_shown = self.folds;
        self.is_folding = false;
        let fixed = self.fixed_tokens();
        let context = ContextBar {
            tokens: (pressure * self.room as f64) as usize,
            budget: self.room,
            trend: match self.last_tokens {
                0 => 0,
                last => (pressure * self.room as f64) as i64 - last as i64,
            },
            advisory: advisory(pressure),
            folded: compacted,
        };
        self.last_tokens = context.tokens;
        let shown = self.already_shown(live, recent);
        let nearly_full = self.nearly_full();
        let now = LiveInput { live, recent, context, nearly_full, shown: &shown, sections: &self.sections };
        let live = live_part::write_live(
            &self.settings,
            &now,
            density(pressure),
            self.room.saturating_sub(fixed),
            &mut drafts,
        );
        self.put_together(live, context.advisory, pressure, compacted)
    }

    /// The same moment in the layout of the document of channels; with `world`, what the game shows beside them.
    pub fn document(
        &self,
        live: &LiveView,
        recent: &[RecentAction],
        state: &MindState,
        format: Format,
        world: bool,
    ) -> String {
        let offer = self.offer(live.channels.is_some());
        let parts = [SectionPart::Snapshot, SectionPart::Now];
        let sections = parts.map(|part| self.sections_of(part, state, Some((live, recent)))).concat();
        let self_ = SelfView { arts: self.arts.first(), ..self.self_.clone() };
        let input = document::Input {
            self_: &self_,
            live,
            recent,
            state,
            offer: &offer,
            model: &self.settings.model,
            rules: &self.rules().text,
            texts: &self.settings.texts,
            toon_answers: self.settings.answer == AnswerForm::Toon,
            world,
            sections: &sections,
        };
        document::document(&input, format, self.room)
    }

    fn offer(&self, channels: bool) -> Offer {
        Offer {
            words: self.words.clone(),
            channels,
            has_record: self.self_.has_record,
            makes_agents: self.self_.may_create_agents,
            arts: self.arts.names(),
            chooses: false,
            layers: has_layers(self.self_.kind, self.settings.tier.extent()),
        }
    }

    /// A prompt in that layout: one part, nothing of which a provider finds in its cache.
    fn build_document(&self, live: &LiveView, recent: &[RecentAction], state: &MindState) -> Prompt {
        let text = self.document(live, recent, state, self.settings.format, true);
        let tokens = tokens::count(&text);
        let pressure = tokens as f64 / self.room as f64;
        let origins = document::origins(&text, self.settings.format, live.tick).into();
        Prompt {
            parts: vec![Part { role: Role::User, name: PartName::P4, text, tokens, cache_mark: false, origins }],
            tokens,
            budget: self.room,
            pressure,
            sections: vec![("document".to_string(), tokens)],
            density: Density::Full,
            advisory: advisory(pressure),
            compacted: false,
            memories: 0,
            cuts: Vec::new(),
            offer: self.offer(live.channels.is_some()),
            channels: Vec::new(),
        }
    }

    /// Written and measured once for each world.
    fn rules(&self) -> &MeasuredText {
        self.rules.get_or_init(|| {
            let rules = self.settings.rules(&self.words);
            let origins = rules.lines().map(|line| self.settings.text_of(line)).collect();
            MeasuredText::new(rules).from(origins)
        })
    }

    fn nearly_full(&self) -> &str {
        self.settings.texts.raw(TextName::NearlyFull)
    }

    /// Tokens of P3 from which it is folded, however much room the prompt has.
    fn transcript_max(&self) -> usize {
        self.settings.tier.transcript_max().unwrap_or(usize::MAX)
    }

    fn transcript_tokens(&self) -> usize {
        self.p3.iter().map(|part| part.written.tokens).sum()
    }

    /// What of a prompt is P3's: what P0 to P2 leave, and no more than its tier gives it.
    fn transcript_room(&self) -> usize {
        self.transcript_max().min(self.room.saturating_sub(self.fixed_tokens() - self.transcript_tokens()))
    }

    fn fixed_tokens(&self) -> usize {
        let p3 = self.transcript_tokens();
        let p2 = self.p2.as_ref().map_or(0, |snapshot| snapshot.text.tokens);
        self.rules().tokens + self.p1.as_ref().map_or(0, |part| part.tokens) + p2 + p3
    }

    /// The ratio that density and advisory follow from: how full the prompt is with all of P4.
    fn pressure(&self, live: &LiveView, recent: &[RecentAction], drafts: &mut Drafts) -> f64 {
        let shown = self.already_shown(live, recent);
        let (context, nearly_full) = (ContextBar::default(), self.nearly_full());
        let now = LiveInput { live, recent, context, nearly_full, shown: &shown, sections: &self.sections };
        let all = live_part::write_live(&self.settings, &now, Density::Full, usize::MAX, drafts);
        (self.fixed_tokens() + all.tokens + CONTEXT_TOKENS) as f64 / self.room as f64
    }

    fn write_self(&mut self) {
        if self.p1.is_some() {
            return;
        }
        let format = self.settings.format;
        let measure = |node: &Node| tokens::count(&render::render(std::slice::from_ref(node), format));
        let mut arts_room = self.settings.tier.caps().arts;
        let summary_room = if self.settings.tier == Tier::Small { 200 } else { 500 };
        let legend = if format == Format::CompactJson { render::compact::legend() } else { String::new() };
        let Settings { texts, tier, mind, .. } = self.settings.clone();
        let nature = Nature { texts: &texts, extent: tier.extent(), mind };
        // What a server with channels adds takes nothing from who the agent is. Something is left for the workspace and
        // for the list of channels beside it.
        let fits = |node: &Node, room: usize| tokens::fits(&render::render(std::slice::from_ref(node), format), room);
        let roster =
            self.channels.as_ref().map_or(Node::Nothing, |view| channels::fit(view, tier.caps().roster, &fits));
        let roster_tokens = if roster.is_empty() { 0 } else { measure(&roster) };
        let beside = workspace::cap(Density::Minimal) + roster_tokens + JOINTS_TOKENS;
        let most = head(tier, self.room).saturating_sub(self.rules().tokens + beside);
        let (node, cuts) = loop {
            self.arts.show(&|view: &ArtsView| measure(&arts::node(view)) <= arts_room);
            let self_ = SelfView { arts: self.arts.shown().clone(), ..self.self_.clone() };
            let of_arts = tokens::count(&nature.art_actions(&self_)) + measure(&arts::node(&self_.arts));
            let wanted = tier.caps().self_ + nature.channel_tokens(&self_) + of_arts;
            let room = wanted.min(most).saturating_sub(tokens::count(&legend));
            let fitted = identity::fit(&self_, &nature, room, summary_room, &measure);
            // Of what is told of channels nothing can be left out: arts yield before it, the worst known first.
            if self_.arts.rows.is_empty() || measure(&fitted.0) <= room {
                break fitted;
            }
            arts_room /= 2;
        };
        self.cuts = cuts;
        let nodes = [node];
        let first = (!legend.is_empty()).then_some(Origin::Layout);
        let mut origins: Vec<Origin> = first.into_iter().chain(render::origins(&nodes, format, self.tick)).collect();
        let text = legend + &render::render(&nodes, format);
        self.settings.name_texts(&text, &mut origins);
        self.p1 = Some(self.finished(text, "", origins));
    }

    /// A part for people to read too: in markdown it ends with an empty line and, if need be, the heading of the next.
    fn finished(&self, text: String, heading: &str, origins: Vec<Origin>) -> MeasuredText {
        let text = match self.settings.format {
            Format::Markdown if text.is_empty() => heading.to_string(),
            Format::Markdown => format!("{text}\n{heading}"),
            _ => text,
        };
        MeasuredText::new(text).from(origins)
    }

    fn snapshot_of(&self, state: &MindState) -> Snapshot {
        let format = self.settings.format;
        let written = |node: &Node| render::render(std::slice::from_ref(node), format);
        let measure = |node: &Node| tokens::count(&written(node));
        let fits = |node: &Node, room: usize| tokens::fits(&written(node), room);
        let caps = self.settings.tier.caps();
        let roster = self.channels.as_ref().map_or(Node::Nothing, |view| channels::fit(view, caps.roster, &fits));
        let roster_tokens = if roster.is_empty() { 0 } else { measure(&roster) };
        let story = fold::node(&self.story);
        let earlier = self.earlier.node();
        let told = |node: &Node| if node.is_empty() { 0 } else { measure(node) };
        let story_tokens = told(&story) + told(&earlier);
        let data = sections::node(&self.sections_of(SectionPart::Snapshot, state, None));
        let sections_tokens = if data.is_empty() { 0 } else { measure(&data) };
        let whole = |node: &Node| if self.settings.mind { measure(node) } else { 0 };
        // Whatever this leaves, the transcript will fill in time: so it is granted its share, not more.
        let wants = Wants {
            rules: self.rules().tokens + story_tokens + sections_tokens + tokens::count(SINCE) + JOINTS_TOKENS,
            self_: self.p1.as_ref().map_or(caps.self_, |part| part.tokens),
            roster: roster_tokens,
            workspace: caps.workspace,
            knowledge: whole(&core_memory::node(&state.memory, Density::Full, String::new())) + CONTEXT_TOKENS,
        };
        let room = share_out(self.settings.tier, self.room, &wants).workspace;
        let (workspace, _) = match self.settings.mind {
            true => workspace::fit(state, room, &fits),
            false => (Node::Nothing, Density::Full),
        };
        let workspace_tokens = measure(&workspace);
        // What the workspace does not use of its grant is the others'.
        let grants = share_out(self.settings.tier, self.room, &Wants { workspace: workspace_tokens, ..wants });
        let messages = grants.messages.min(self.transcript_max()) * MESSAGES_PERCENT / 100;
        let of = |text| Snapshot {
            state: state.clone(),
            text,
            workspace_tokens,
            roster_tokens,
            story_tokens,
            sections_tokens,
            messages,
        };
        if !self.settings.mind {
            let nodes = [data, roster];
            let origins = render::origins(&nodes, format, self.tick);
            return of(self.finished(render::render(&nodes, format), SINCE, origins));
        }
        let (memory, _) = core_memory::fit(&state.memory, grants.knowledge, core_memory::memory_used(state), &fits);
        let nothing = Node::Group(vec![
            Node::heading(1, "Workspace"),
            Node::named(
                "workspace",
                Node::line(self.settings.texts.filled(TextName::NothingWritten, Extent::All, &[])),
            ),
        ]);
        let mut nodes = if workspace.is_empty() && memory.is_empty() { vec![nothing] } else { vec![workspace, memory] };
        nodes.push(data);
        nodes.push(roster);
        nodes.push(earlier);
        nodes.push(story);
        let mut origins = render::origins(&nodes, format, self.tick);
        let text = render::render(&nodes, format);
        self.settings.name_texts(&text, &mut origins);
        of(self.finished(text, SINCE, origins))
    }

    /// The sections of a part that are data. Those of now may speak of now.
    fn sections_of(
        &self,
        part: SectionPart,
        state: &MindState,
        now: Option<(&LiveView, &[RecentAction])>,
    ) -> Vec<ShownSection> {
        let own = if self.settings.mind { &state.sections[..] } else { &[] };
        let values = || -> Values { sections::values(&self.self_, state, now) };
        let measure = |node: &Node| tokens::count(&render::render(std::slice::from_ref(node), self.settings.format));
        sections::shown(part, &self.settings.sections, own, &values, self.settings.tier.caps().sections, &measure)
    }

    /// What P3 leaves for P4 to show.
    fn already_shown(&self, live: &LiveView, recent: &[RecentAction]) -> AlreadyShown {
        let unread = self.channels.as_ref().map(|view| self.conversations.unread(view)).unwrap_or_default();
        AlreadyShown { unread, ..self.told_already(live, recent) }
    }

    fn told_already(&self, live: &LiveView, recent: &[RecentAction]) -> AlreadyShown {
        let parts = self.p3.iter().chain(&self.pending);
        let contents: AllContents = parts.map(|part| &part.contents).collect();
        match self.settings.tier.tells_once() {
            true => {
                let shown = already_shown::already_shown(&contents, live, recent);
                AlreadyShown { place: shown.place && self.settings.tier.tells_places(), ..shown }
            }
            false => AlreadyShown { recent: already_shown::told_actions(&contents, recent), ..AlreadyShown::default() },
        }
    }

    /// Appends what is new of all that is told once, and makes parts of all that was appended.
    fn tell(&mut self, live: &LiveView) {
        if self.settings.tier.tells_once() {
            let caps = self.settings.tier.caps();
            let rooms = already_shown::Rooms { all: self.room / BLOCK_PART, memories: caps.retrieval, place: caps.map };
            let (mut shown, packed) = (self.already_shown(live, &[]), self.settings.tier.packed());
            shown.place |= !self.settings.tier.tells_places();
            let new = already_shown::write(&shown, live, self.settings.format, packed, rooms);
            self.pending.extend(new.map(|(written, contents)| BlockPart { written, contents }));
        }
        self.settle();
    }

    /// Appends what became another of the arts since P1.
    fn tell_arts(&mut self) {
        // All that nobody showed so far stands in P1.
        if self.arts.shown().rows.is_empty() {
            return;
        }
        let Some(news) = self.arts.news() else { return };
        let (format, tick) = (self.settings.format, self.tick);
        let mut nodes = vec![arts::node(&news)];
        if format != Format::Markdown {
            nodes.insert(0, Node::fields([("tick", tick.into())]));
        }
        let text = render::render(&nodes, format);
        let written = MeasuredText::new(match format {
            Format::Markdown => format!("{tick} arts:\n{text}"),
            _ => text,
        });
        let first = (format == Format::Markdown).then_some(Origin::Layout);
        let origins = first.into_iter().chain(render::origins(&nodes, format, tick)).collect();
        self.pending.push(BlockPart { written: written.from(origins), contents: PartContents::default() });
    }

    /// Appends what is new in the channels.
    fn tell_channels(&mut self) {
        let Some(view) = self.channels.clone() else { return };
        let writing = self.writing();
        let told = self.conversations.tell(&view, writing);
        self.p3.extend(told.map(messages_part));
    }

    fn writing(&self) -> Writing {
        Writing { format: self.settings.format, tick: self.tick }
    }

    /// The messages of all channels anew, at the head of P3, in so many percent of what they may take of it.
    fn refill(&mut self, percent: usize) {
        self.p3.retain(|part| !part.contents.channels);
        let Some(view) = self.channels.clone() else { return };
        let grant = self.p2.as_ref().map_or(0, |snapshot| snapshot.messages);
        let writing = self.writing();
        if let Some(told) = self.conversations.refill(&view, writing, grant, percent) {
            self.p3.insert(0, messages_part(told));
        }
    }

    /// Blocks become parts. Where more came than a provider looks back, several share a part.
    fn settle(&mut self) {
        let each = self.pending.len().div_ceil(PARTS_BETWEEN_MARKS).max(1);
        for blocks in self.pending.chunks(each) {
            let text: String = blocks.iter().map(|block| block.written.text.as_str()).collect();
            let tokens = blocks.iter().map(|block| block.written.tokens).sum();
            let origins = blocks.iter().flat_map(|block| block.written.origins.iter().cloned()).collect();
            let written = MeasuredText { text, tokens, origins };
            let contents = blocks.iter().cloned().fold(PartContents::default(), |all, block| all.then(block.contents));
            self.p3.push(BlockPart { written, contents });
        }
        self.pending.clear();
    }

    /// P2 := `state`; of P3 remain the newest parts that `keep` tokens hold, and messages in so many percent of what
    /// they have after a fold.
    fn fold(&mut self, state: &MindState, keep: usize, percent: usize) {
        self.settle();
        self.take_texts();
        if self.arts.is_behind() {
            self.p1 = None;
        }
        self.write_self();
        self.p3.retain(|part| !part.contents.channels);
        let mut left = keep;
        let kept = self.p3.iter().rev().take_while(|part| {
            let fits = part.written.tokens <= left;
            left = left.saturating_sub(part.written.tokens);
            fits
        });
        let first = self.p3.len() - kept.count();
        self.p3.drain(..first);
        self.tell_dropped(state);
        self.p2 = Some(self.snapshot_of(state));
        self.seq_shown = self.seq_shown.max(state.seq);
        self.refill(percent);
        self.folds += 1;
    }

    /// What P3 no longer tells of is told in P2, in a few lines.
    fn tell_dropped(&mut self, state: &MindState) {
        if !std::mem::replace(&mut self.is_folding, true) {
            let dropped = std::mem::take(&mut self.dropped);
            if let Some(words) = self.story_words.take() {
                self.earlier.push(dropped, words);
            }
        }
        let first_kept = self.p3.iter().find_map(|part| part.contents.first_entry).unwrap_or(u64::MAX);
        let count = self.log.iter().take_while(|entry| entry.seq < first_kept).count();
        self.dropped.extend(self.log.drain(..count));
        let room = self.settings.tier.story_max();
        let later: &[LogEntry] = self.log.make_contiguous();
        self.story = match self.settings.mind {
            true => fold::story(&self.self_.name, &self.dropped, later, state, room),
            false => Story::default(),
        };
        self.earlier.settle(&self.self_.name, &[&self.dropped, later], state, room);
    }

    /// Which entries of the log the last fold took out of prompts, and in how many tokens it tells of them.
    pub fn dropped(&self) -> Option<(Span, usize)> {
        let (first, last) = (self.dropped.first()?, self.dropped.last()?);
        Some((Span { from: first.seq, upto: last.seq }, self.settings.tier.story_max()))
    }

    /// What P2 tells of what the last fold dropped.
    pub fn story(&self) -> &Story {
        &self.story
    }

    /// Who and what is named in what the last fold dropped.
    pub fn story_names(&self) -> StoryNames {
        fold::story_names(&self.dropped)
    }

    /// What a model says for the story of the last fold, in words that were judged: P2 tells these from the next fold
    /// on, as long as they hold. False: they are of an older fold, and of no use.
    pub fn reword(&mut self, words: StoryWords) -> bool {
        let is_of_last = self.dropped().is_some_and(|(span, _)| span == words.span);
        if is_of_last {
            self.story_words = Some(words);
        }
        is_of_last
    }

    fn put_together(&mut self, live: Live, advisory: Advisory, pressure: f64, compacted: bool) -> Prompt {
        let part = |role, name, written: &MeasuredText, cache_mark| Part {
            role,
            name,
            text: written.text.clone(),
            tokens: written.tokens,
            cache_mark,
            origins: written.origins.clone(),
        };
        let channels = self.channels.clone().map(|view| self.conversations.tokens(&view)).unwrap_or_default();
        let rules = self.rules();
        let mut sections = vec![("rules".to_string(), rules.tokens)];
        let mut parts = vec![part(Role::System, PartName::P0, rules, true)];
        if let Some(p1) = &self.p1 {
            sections.push(("self".to_string(), p1.tokens));
            parts.push(part(Role::System, PartName::P1, p1, true));
        }
        if let Some(p2) = self.p2.as_ref().filter(|p2| p2.text.tokens > 0) {
            let workspace = p2.workspace_tokens.min(p2.text.tokens);
            sections.push(("workspace".to_string(), workspace));
            let roster = p2.roster_tokens.min(p2.text.tokens - workspace);
            let story = p2.story_tokens.min(p2.text.tokens - workspace - roster);
            let data = p2.sections_tokens.min(p2.text.tokens - workspace - roster - story);
            sections.push(("core memory".to_string(), p2.text.tokens - workspace - roster - story - data));
            if data > 0 {
                sections.push(("sections".to_string(), data));
            }
            if story > 0 {
                sections.push(("folded".to_string(), story));
            }
            if roster > 0 {
                sections.push(("channel members".to_string(), roster));
            }
            parts.push(part(Role::System, PartName::P2, &p2.text, true));
        }
        let of = |channels: bool| self.p3.iter().filter(move |part| part.contents.channels == channels);
        let total = |channels: bool| of(channels).map(|part| part.written.tokens).sum::<usize>();
        if self.channels.is_some() {
            sections.push(("messages".to_string(), total(true)));
        }
        sections.push(("transcript".to_string(), total(false)));
        let last = self.p3.len().wrapping_sub(1);
        parts.extend(self.p3.iter().enumerate().map(|(n, p3)| part(Role::User, PartName::P3, &p3.written, n == last)));
        let origins = live_part::origins_of(&self.settings, self.tick, &live);
        sections.extend(live.sections);
        let p4 = MeasuredText { text: live.text, tokens: live.tokens, ..MeasuredText::default() }.from(origins);
        parts.push(part(Role::User, PartName::P4, &p4, false));
        let tokens = parts.iter().map(|part| part.tokens).sum();
        Prompt {
            parts,
            tokens,
            budget: self.room,
            pressure,
            sections,
            density: live.density,
            advisory,
            compacted,
            memories: live.memories,
            cuts: self.cuts.clone(),
            offer: self.offer(self.channels.is_some()),
            channels,
        }
    }
}

fn messages_part(written: MeasuredText) -> BlockPart {
    BlockPart { written, contents: PartContents { channels: true, ..PartContents::default() } }
}
