//! From what the agent knows to what the model reads: fills the view, and keeps the blocks of what happened.
//!
//! Invariant: what others said or wrote goes into typed fields as it came; the renderers of `mind` clean, cap and quote
//! it. The agent's own words for things (odds, needs, warnings) are ours.

use super::channel_use::ChannelUse;
use super::effect::Counts;
use super::formats::FormatSamples;
use super::settings::AgentSettings;
use super::surroundings;
use crate::bestiary::{CANNOT_BE_FOUGHT, MobKind};
use crate::knowledge::Knowledge;
use crate::map;
use crate::state::{GameState, Line};
use crate::thought::Retelling;
use mind::arts::ArtsView;
use mind::hud::identity::own_name;
use mind::hud::{
    FocusView, Format, ItemView, Kind, LedgerView, LiveView, MemoryView, MobView, PersonView, RecentAction, SaidView,
    SelfView, VarsView, View, WornView,
};
use mind::prompt::{Block, Done, Prompt, PromptBuilder, Settings};
use mind::story::{Sort, Span, StoryWords};
use mind::texts::{TextName, Texts};
use protocol::Outcome;
use protocol::arts::Practices;
use protocol::calendar::GameDate;
use protocol::channel::PersonKind;
use protocol::payload::{EventKind, Memory};
use protocol::status::Formats;
use protocol::verbs::{self, Rank};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Lines of the world that one block holds; the newest are kept.
const SEEN_MAX: usize = 12;
const HEARD_MAX: usize = 12;
const WARNINGS_MAX: usize = 6;
/// What is said to those who are near: no message of a channel.
const IN_PLACES: &[&str] = &["ask", "emote", "say", "whisper"];
const COME_TO: &str = "You come to ";
/// What the server says to the client's own note of how full a prompt was; prompts say that themselves.
const PROMPT_NOTED: &str = "Noted: a prompt took ";
/// How the outcome of what the game refused begins.
const REFUSED: &str = "refused: ";
/// A tick of the world, in milliseconds: the client's own count of them goes by it.
const TICK_MS: u64 = 2_000;
/// Levels above one's own, at most, and how such a fight looks.
const ODDS: &[(i32, &str)] =
    &[(-6, "trivial"), (-3, "easy"), (-1, "likely won"), (0, "a fair fight"), (1, "risky"), (3, "dangerous")];

/// What a prompt is made of, beside what the blocks keep.
#[derive(Clone, Copy)]
pub struct PromptInput<'a> {
    pub state: &'a GameState,
    pub known: &'a Knowledge,
    pub recent: &'a VecDeque<RecentAction>,
    /// What came to mind of this situation, best first.
    pub memories: &'a [Memory],
    pub channel_use: &'a ChannelUse,
    pub counts: Counts,
    pub turn: TurnView,
    pub now_ms: u64,
}

/// How the turn stands that a prompt belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TurnView {
    /// Questions so far, the one that is about to be asked among them.
    pub iteration: u32,
    pub loop_max: u32,
    /// Replies that are to come.
    pub pending: usize,
}

/// The blocks of one session.
#[derive(Clone, Debug)]
pub struct Blocks {
    builder: PromptBuilder,
    shown: SelfView,
    open: Block,
    warnings: VecDeque<String>,
    entry_seq: u64,
    start_ms: Option<u64>,
    /// Descriptions of rooms, by vnum, as they were read there last.
    descriptions: BTreeMap<i32, String>,
    /// The room that was shown last: its name and description.
    looked: Option<(String, String)>,
    /// The agent's own, as of the fold with that number.
    guidelines: Option<String>,
    guidelines_of: Option<u32>,
    formats: FormatSamples,
}

impl Blocks {
    pub fn new(settings: Settings) -> Blocks {
        Blocks {
            builder: PromptBuilder::new(settings),
            shown: SelfView::default(),
            open: Block::default(),
            warnings: VecDeque::new(),
            entry_seq: 0,
            start_ms: None,
            descriptions: BTreeMap::new(),
            looked: None,
            guidelines: None,
            guidelines_of: None,
            formats: FormatSamples::default(),
        }
    }

    /// The world's tick, as the server said it last; where none does, the client's own count.
    pub fn tick(&self, state: &GameState, now_ms: u64) -> u64 {
        let own = || now_ms.saturating_sub(self.start_ms.unwrap_or(now_ms)) / TICK_MS;
        state.tick.unwrap_or_else(own)
    }

    /// From which entry of the agent's log on the transcript tells what happened.
    pub fn first_entry(&self) -> Option<u64> {
        self.builder.first_entry()
    }

    /// A line came.
    pub fn hear(&mut self, state: &GameState, line: &Line) {
        let speech = matches!(
            line.kind,
            EventKind::Say
                | EventKind::Tell
                | EventKind::Gossip
                | EventKind::Shout
                | EventKind::Auction
                | EventKind::Grats
                | EventKind::Newbie
                | EventKind::Channel
                | EventKind::Group
                | EventKind::Motd
        );
        if speech {
            // Speech comes again as an outcome, with the words alone.
            return;
        }
        if line.kind == EventKind::Text
            && let Some((name, description)) = room_page(&line.text)
        {
            // The room of now is described in the live view; of one that is passed, its name is enough. The line may
            // come before the variables that say where one is.
            if state.room_name.as_deref() != Some(name.as_str()) {
                self.come_to(&name);
            }
            self.looked = Some((name, description));
            return;
        }
        let text = line.text.trim();
        // What one does oneself stands among the actions, and what comes of it under "Now".
        let is_own_act = text.starts_with("You ")
            && matches!(
                line.kind,
                EventKind::Position | EventKind::Equipment | EventKind::Get | EventKind::Drop | EventKind::Door
            );
        if text.is_empty() || text.starts_with(PROMPT_NOTED) || is_own_act {
            return;
        }
        if self.open.seen.len() == SEEN_MAX {
            self.open.seen.remove(0);
        }
        self.open.seen.push(text.to_string());
    }

    /// Rooms that are come to between two decisions are one line: all that is walked through has a name there.
    fn come_to(&mut self, name: &str) {
        if let Some(line) = self.open.seen.iter_mut().find(|line| line.starts_with(COME_TO)) {
            line.push_str("; ");
            line.push_str(name);
            return;
        }
        if self.open.seen.len() == SEEN_MAX {
            self.open.seen.remove(0);
        }
        self.open.seen.push(format!("{COME_TO}{name}"));
    }

    /// Something happened.
    pub fn see(&mut self, state: &GameState, outcome: &Outcome) {
        match outcome {
            // Where there are channels, what is said in them comes as messages; this is for what is said in a place.
            Outcome::Said { channel, .. } if state.channels.you().is_some() && !IN_PLACES.contains(&&**channel) => {}
            Outcome::Said { speaker, channel, text, .. } if !state.is_me(speaker) => {
                if self.open.heard.len() == HEARD_MAX {
                    self.open.heard.remove(0);
                }
                let (from, channel, text) = (speaker.name.to_string(), channel.to_string(), text.to_string());
                self.open.heard.push(SaidView { from, channel, text });
            }
            _ => {}
        }
    }

    /// A line was sent, and this came of it.
    pub fn did(&mut self, source: &str, action: &str, outcome: &str) {
        // The reason of a refusal, and the answer to a verb of the mind, were read as lines.
        let told = match outcome.strip_prefix(REFUSED) {
            Some(reason) => self.open.seen.iter().position(|seen| seen == reason),
            None => {
                let (verb, words) = action.split_once(' ').unwrap_or((action, ""));
                let is_mind = verbs::find(verb, 1).is_some_and(|verb| verb.rank == Rank::Mind) && outcome == "ok";
                let answer = |seen: &String| seen.ends_with(words.trim());
                self.open.seen.iter().position(answer).filter(|_| is_mind && !words.is_empty())
            }
        };
        if let Some(told) = told {
            self.open.seen.remove(told);
        }
        let done = Done { source: source.to_string(), action: action.to_string(), outcome: outcome.to_string() };
        if self.open.did.len() == HEARD_MAX * 2 {
            self.open.did.remove(0);
        }
        self.open.did.push(done);
    }

    pub fn warn(&mut self, warning: String) {
        if self.warnings.len() == WARNINGS_MAX {
            self.warnings.pop_front();
        }
        self.warnings.push_back(warning);
    }

    pub fn think(&mut self, thought: String) {
        self.open.thought = thought;
    }

    /// Whether the server keeps a mind for this character.
    pub fn set_mind(&mut self, mind: bool) {
        self.builder.set_mind(mind);
    }

    /// Other texts, from the next fold on.
    pub fn set_texts(&mut self, texts: Arc<Texts>) {
        self.builder.set_texts(texts);
    }

    /// As `PromptBuilder::dropped`.
    pub fn dropped(&self) -> Option<(Span, usize)> {
        self.builder.dropped()
    }

    /// The story of the last fold, to be said in other words; `None`: it tells nothing that could be.
    pub fn retelling(&self, texts: &Texts) -> Option<Retelling> {
        let (span, _) = self.builder.dropped()?;
        let lines = self.builder.story().lines.iter().filter(|line| Sort::split(&line.text).0 != Sort::LeftOut);
        let lines: Vec<_> = lines.cloned().collect();
        let (names, task) = (self.builder.story_names(), texts.raw(TextName::FoldWords).to_string());
        (!lines.is_empty()).then_some(Retelling { span, lines, names, task })
    }

    /// As `PromptBuilder::reword`.
    pub fn reword(&mut self, words: StoryWords) -> bool {
        self.builder.reword(words)
    }

    /// Folds what happened into the snapshot.
    pub fn compact(&mut self, state: &GameState) {
        self.append(state);
        self.builder.compact(&state.mind);
    }

    fn append(&mut self, state: &GameState) {
        let newest = self.entry_seq;
        self.open.mind = state.entries.iter().filter(|entry| entry.seq > newest).cloned().collect();
        if let Some(last) = self.open.mind.last() {
            self.entry_seq = last.seq;
        }
        let block = std::mem::take(&mut self.open);
        let empty = block.did.is_empty() && block.heard.is_empty() && block.seen.is_empty();
        if !empty || !block.mind.is_empty() || !block.thought.is_empty() {
            self.builder.append(block);
        }
    }

    /// The prompt of this moment.
    pub fn prompt(&mut self, moment: &PromptInput<'_>, settings: &AgentSettings) -> Prompt {
        let PromptInput { state, recent, counts, turn, now_ms, .. } = *moment;
        self.start_ms.get_or_insert(now_ms);
        let tick = self.tick(state, now_ms);
        self.describe(state);
        self.builder.set_words(&state.words);
        // A change of one's own guidelines is shown from the next fold on.
        if self.guidelines_of != Some(self.builder.folds()) {
            self.guidelines = state.channels.record.as_ref().map(|record| record.guidelines.to_string());
            self.guidelines_of = self.guidelines.as_ref().map(|_| self.builder.folds());
        }
        let arts = arts_view(state, moment.known);
        let self_ = SelfView { arts, ..self_view(state, settings, self.guidelines.as_deref().unwrap_or_default()) };
        if self_ != self.shown {
            self.shown = self_.clone();
            self.builder.set_self(self_);
        }
        self.open.tick = tick;
        self.append(state);
        self.open.tick = tick;
        let taped = counts.taped;
        let (prompts, cached) = (counts.tokens.prompt + taped.prompt, counts.tokens.cached + taped.cached);
        let ledger = LedgerView {
            tokens_used: counts.tokens_used() + taped.prompt + taped.completion,
            tokens_limit: settings.tokens_limit,
            cost_used_micros: counts.cost().0 + counts.taped_cost_micros,
            cost_limit_micros: settings.cost_limit_micros,
            iteration: turn.iteration,
            loop_max: turn.loop_max,
            calls: counts.thoughts,
            cached_percent: (cached * 100).checked_div(prompts).unwrap_or(0),
            pending: turn.pending,
        };
        let live = self.live(moment, ledger, tick);
        let recent: Vec<RecentAction> = recent.iter().cloned().collect();
        let prompt = self.builder.build(&live, &recent, &state.mind);
        if self.formats.is_due(settings.format_every) {
            let view = View { self_: self.shown.clone(), live, recent, state: state.mind.clone() };
            self.formats.add(&view, prompt.density);
        }
        prompt
    }

    /// What prompts took in each format; `None` before one was measured.
    pub fn formats(&self, format: Format) -> Option<Formats> {
        self.formats.told(format)
    }

    /// What was shown last belongs to the room of now, if that has its name.
    fn describe(&mut self, state: &GameState) {
        let (Some(name), Some(vnum)) = (state.room_name.as_deref(), state.room_vnum) else { return };
        if let Some((_, description)) = self.looked.take_if(|(looked, _)| looked == name) {
            if self.descriptions.len() > 200 {
                self.descriptions.clear();
            }
            self.descriptions.insert(vnum, description);
        }
    }

    fn live(&mut self, moment: &PromptInput<'_>, ledger: LedgerView, tick: u64) -> LiveView {
        let PromptInput { state, known, .. } = *moment;
        let level = state.level.unwrap_or(1);
        let mobs = state.mobs().iter().map(|mob| {
            let kind = known.bestiary.get(mob.vnum);
            MobView {
                target: mob.target_string.to_string(),
                name: mob.name.to_string(),
                level: kind.and_then(MobKind::level),
                fighting: mob.fighting,
                fighting_me: mob.fighting_me,
                odds: odds(kind, mob.attackable, level),
            }
        });
        let items = state.items().iter();
        let items = items.map(|item| ItemView { target: item.target_string.to_string(), name: item.name.to_string() });
        let inventory = state.carried().iter().map(|item| ItemView {
            target: known.objects.target(item).unwrap_or_default(),
            name: item.name.to_string(),
        });
        let equipment = state.equipment.iter().flat_map(|equipment| &equipment.0);
        let equipment =
            equipment.map(|(place, item)| WornView { place: place.to_string(), name: item.name.to_string() });
        LiveView {
            tick,
            date: state.tick.map(|tick| date(GameDate::at(tick))).unwrap_or_default(),
            map: surroundings::rooms(known, moment.now_ms),
            unseen: surroundings::unseen(known),
            shop: surroundings::wares(known),
            tasks: surroundings::tasks(state),
            plot: state.plot.clone().flatten(),
            vars: self.vars(state, known),
            mobs: mobs.collect(),
            players: people(state, known),
            items: items.collect(),
            inventory: inventory.collect(),
            equipment: equipment.collect(),
            speech: Vec::new(),
            events: Vec::new(),
            warnings: self.warnings.drain(..).collect(),
            ledger,
            focus: state.mind.focus.iter().rev().map(FocusView::of).collect(),
            shared: state.shared.values().cloned().collect(),
            memories: moment.memories.iter().map(memory_view).collect(),
            channels: state.channels.view(tick).map(|mut view| {
                moment.channel_use.note(&mut view);
                Arc::new(view)
            }),
        }
    }

    fn vars(&self, state: &GameState, known: &Knowledge) -> VarsView {
        let mut states = Vec::new();
        for (is, word) in [(known.hungry, "hungry"), (known.thirsty, "thirsty"), (known.recovering, "tired")] {
            if is {
                states.push(word.to_string());
            }
        }
        // What ails one comes first: of many only the first are shown.
        let told = || state.conditions.iter().flatten().map(|word| &**word);
        for ails in [true, false] {
            for word in told().filter(|word| AILMENTS.contains(word) == ails) {
                if !states.iter().any(|state| state == word) {
                    states.push(word.to_string());
                }
            }
        }
        let opponent = known.fight.as_ref().map(|fight| fight.name.clone());
        let login_room = state.login_room.as_ref().filter(|room| Some(room.vnum) == state.room_vnum);
        let description = state.room_vnum.and_then(|vnum| self.descriptions.get(&vnum).cloned());
        let description = description.or_else(|| login_room.map(|room| room.description.trim().to_string()));
        let shut = known.shut.as_ref().filter(|shut| Some(shut.room) == state.room_vnum);
        let exits = state.room_exits.as_ref().map(|exits| {
            // A door that is known to be shut is no exit just now, and worth a word.
            let mut doors: BTreeMap<&str, &str> = shut.iter().map(|shut| (&*shut.direction, "closed")).collect();
            let told = state.room_doors.iter().flatten();
            doors.extend(told.map(|(direction, how)| (&**direction, &**how)).filter(|(_, how)| *how != "open"));
            let open = exits.iter().filter(|exit| !doors.contains_key(&***exit)).map(|exit| exit.to_string());
            open.chain(doors.iter().map(|(direction, how)| format!("{direction} ({how})"))).collect()
        });
        VarsView {
            hp: state.health,
            hp_max: state.max_health,
            mana: state.mana,
            mana_max: state.max_mana,
            moves: state.moves,
            moves_max: state.max_moves,
            level: state.level,
            exp: state.exp,
            gold: state.gold,
            position: state.position.as_ref().map(|position| position.to_string()),
            fighting: state.is_fighting().then(|| opponent.unwrap_or_default()),
            states,
            practices: state.practices.as_ref().and_then(lessons),
            room_vnum: state.room_vnum,
            room: state.room_name.as_ref().map(|name| name.to_string()),
            description: description.filter(|text| !text.is_empty()),
            exits,
        }
    }
}

/// The other players here.
fn people(state: &GameState, known: &Knowledge) -> Vec<PersonView> {
    let seen = |name: &str| state.room_players.iter().flatten().find(|player| &*player.name == name);
    let fights = |name: &str| seen(name).is_some_and(|player| player.fighting);
    known.players.iter().map(|name| PersonView { name: name.clone(), fighting: fights(name) }).collect()
}

/// Words of `CONDITIONS` that are no good news.
const AILMENTS: [&str; 11] =
    ["hungry", "thirsty", "drunk", "blind", "curse", "poison", "sleep", "charm", "flaming", "cutthroat", "slow"];

/// `4 Sowing 612, hour 9`.
fn date(date: GameDate) -> String {
    format!("{date}, hour {}", date.hour)
}

/// Name and description of a room, if a text is what walking and looking show: they end in a line of exits.
fn room_page(text: &str) -> Option<(String, String)> {
    let is_way = |word: &str| word == "none" || map::direction_of(word.trim_matches(['(', ')'])).is_some();
    let is_exits = |line: &str| line.strip_prefix("Exits:").is_some_and(|ways| ways.split_whitespace().all(is_way));
    let lines: Vec<&str> = text.trim().lines().map(str::trim).collect();
    let exits = lines.iter().position(|line| is_exits(line)).filter(|at| *at > 0)?;
    Some((lines[0].to_string(), lines[1..exits].join(" ").trim().to_string()))
}

fn memory_view(memory: &Memory) -> MemoryView {
    let Memory { id, text, valence, age_hours, .. } = memory.clone();
    MemoryView { id, age_hours, valence: valence.into(), text }
}

/// What its character sheet calls it, where the world calls it otherwise.
pub(super) fn name_of_persona(state: &GameState, settings: &AgentSettings) -> Option<String> {
    own_name(&persona(state, settings), state.name())
}

/// Its character sheet: by its record, where the server keeps one, else by the settings.
fn persona(state: &GameState, settings: &AgentSettings) -> String {
    let seed = state.channels.record.as_ref().map(|record| record.seed.to_string());
    seed.filter(|seed| !seed.trim().is_empty()).unwrap_or_else(|| settings.persona.clone())
}

/// Who it is, by the settings, and by its record where the server keeps one: that is the newer word on its nature. Its
/// own guidelines are `guidelines`, as of the last fold.
fn self_view(state: &GameState, settings: &AgentSettings, guidelines: &str) -> SelfView {
    let player = state.player.as_ref();
    let record = state.channels.record.as_ref();
    let kind = record.and_then(|record| match record.kind {
        PersonKind::Bot => Some(Kind::Bot),
        PersonKind::Persona => Some(Kind::Persona),
        _ => None,
    });
    let own = guidelines.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_string);
    SelfView {
        name: player.map(|player| player.name.to_string()).unwrap_or_default(),
        shown_as: state.shown_as.clone(),
        class: player.map(|player| player.class.to_string()).unwrap_or_default(),
        race: player.map(|player| player.race.to_string()).unwrap_or_default(),
        level: player.map_or(0, |player| player.level),
        kind: kind.unwrap_or(settings.kind),
        has_record: record.is_some(),
        may_create_agents: state.channels.record.as_ref().is_some_and(|record| record.may_create_agents),
        channels: state.channels.you().is_some(),
        operator_prompt: settings.operator_prompt.clone(),
        persona: persona(state, settings),
        guidelines: settings.guidelines.iter().cloned().chain(own).collect(),
        memory_bootstrap: state.memory_bootstrap.clone().unwrap_or_default(),
        memory_summary: state.memory_summary.clone().unwrap_or_default(),
        arts: ArtsView::default(),
    }
}

/// What it can do, and who taught it when it last met somebody who does.
fn arts_view(state: &GameState, known: &Knowledge) -> ArtsView {
    let teacher = known.lessons.teacher.as_ref();
    let teacher = teacher.map(|it| format!("{}, {} ({})", it.name, it.room_name, it.room));
    ArtsView { rows: state.skills.clone().unwrap_or_default(), teacher: teacher.unwrap_or_default(), more: 0 }
}

/// Who teaches here, for whom has sessions left.
fn lessons(practices: &Practices) -> Option<String> {
    let teacher = practices.teacher.as_ref().filter(|_| practices.left > 0)?;
    Some(format!("{}, {teacher} teaches here", practices.left))
}

/// What `consider` and fights came to, in a word.
fn odds(kind: Option<&MobKind>, attackable: bool, level: i32) -> Option<String> {
    if !attackable || kind.is_some_and(|kind| kind.untouchable) {
        return Some(CANNOT_BE_FOUGHT.to_string());
    }
    let kind = kind?;
    let above = kind.level()? - level;
    let word = ODDS.iter().find(|(most, _)| above <= *most).map_or("deadly", |(_, word)| word);
    let beaten = kind.lost_at_level.is_some_and(|at| level <= at);
    Some(if beaten { format!("{word}, beat you before") } else { word.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mind::prompt::PartName;

    fn line(text: &str) -> Line {
        Line { number: 1, at_ms: 0, kind: EventKind::Text, from: None, text: text.into() }
    }

    fn in_room(vnum: i32, name: &str) -> GameState {
        GameState { room_vnum: Some(vnum), room_name: Some(name.into()), ..GameState::default() }
    }

    /// What has happened, and the present.
    fn told(blocks: &mut Blocks, state: &GameState) -> (String, String) {
        let (known, recent) = (Knowledge::default(), VecDeque::new());
        let counts = Counts::default();
        let moment = PromptInput {
            state,
            known: &known,
            recent: &recent,
            memories: &[],
            channel_use: &ChannelUse::default(),
            counts,
            turn: TurnView::default(),
            now_ms: 0,
        };
        let prompt = blocks.prompt(&moment, &AgentSettings::default());
        let part = |name| prompt.parts.iter().filter(|part| part.name == name).map(|part| part.text.as_str()).collect();
        (part(PartName::P3), part(PartName::P4))
    }

    #[test]
    fn rooms_that_are_passed_are_told_by_their_names() {
        let mut blocks = Blocks::new(Settings::default());
        let square = in_room(1, "The Square");
        blocks.hear(&square, &line("The Square\nStalls.\nExits: north (east)\nA cat is here."));
        // Lines of a walk come before the variables that say where it led.
        blocks.hear(&square, &line("The Lane\nIt winds.\nIt smells.\nExits: south north"));
        blocks.hear(&square, &line("A cat leaves west."));
        blocks.hear(&square, &line("The Mill\nIt grinds.\nExits: none"));
        let (before, _) = told(&mut blocks, &in_room(2, "The Mill"));
        let walk = "0 saw \"You come to The Lane; The Mill\"\n  saw \"A cat leaves west.\"\n";
        assert_eq!(before, format!("{walk}0 now:\nplace: The Mill (2)\ndescription: It grinds.\n"));
        // Another room of the name of the one that was shown last was not shown.
        let (after, p4) = told(&mut blocks, &in_room(3, "The Mill"));
        assert!(after == before && !p4.contains("description:"), "{after}{p4}");
    }

    #[test]
    fn what_only_looks_like_a_room_is_told_whole() {
        for text in ["Exits: north", "A sign\nExits: this way please", "A sign\nWay out: north", "A sign"] {
            assert_eq!(room_page(text), None, "{text}");
        }
        let mut blocks = Blocks::new(Settings::default());
        blocks.hear(&in_room(1, "The Square"), &line("A sign\nExits: this way please"));
        blocks.hear(&in_room(1, "The Square"), &line("Noted: a prompt took 9 of 10 tokens."));
        let (p3, _) = told(&mut blocks, &in_room(1, "The Square"));
        assert_eq!(p3, "0 saw \"A sign Exits: this way please\"\n");
    }

    #[test]
    fn what_ails_one_is_told_first_and_who_fights_is_said() {
        let mut state = in_room(1, "The Square");
        state.conditions = Some(["sanctuary", "hungry", "blind"].map(|word| word.into()).into());
        let player = |name: &str, fighting: bool| protocol::arts::RoomPlayer {
            name: name.into(),
            instance_id: format!("player_{name}").into(),
            target_string: name.into(),
            position: "standing".into(),
            fighting,
            agent: false,
            more: 0,
        };
        state.room_players = Some(vec![player("Bob", true), player("Cid", false)]);
        let mut known = Knowledge::default();
        (known.hungry, known.recovering) = (true, true);
        known.players = ["Bob", "Cid", "Eve"].map(str::to_string).into();
        let vars = Blocks::new(Settings::default()).vars(&state, &known);
        assert_eq!(vars.states, ["hungry", "tired", "blind", "sanctuary"]);
        let fighting: Vec<bool> = people(&state, &known).iter().map(|person| person.fighting).collect();
        assert_eq!(fighting, [true, false, false]);
    }

    #[test]
    fn what_one_can_do_stands_in_p1_and_grows_in_p3() {
        use protocol::arts::{ArtKind, ArtUse, KnownArt};
        let dart = |percent| KnownArt {
            name: "ember dart".into(),
            kind: ArtKind::Spell,
            used_for: ArtUse::Harm,
            verb: Some("cast".into()),
            percent,
            level: Some(1),
            mana: Some(15),
            damage: Some(6),
            risky: false,
        };
        let mut blocks = Blocks::new(Settings::default());
        let (mut state, mut known) = (in_room(3, "The Hall"), Knowledge::default());
        state.skills = Some(vec![dart(25)]);
        let mut told = |state: &GameState, known: &Knowledge| {
            let moment = PromptInput {
                state,
                known,
                recent: &VecDeque::new(),
                memories: &[],
                channel_use: &ChannelUse::default(),
                counts: Counts::default(),
                turn: TurnView::default(),
                now_ms: 0,
            };
            let prompt = blocks.prompt(&moment, &AgentSettings::default());
            let part = |name| -> String {
                prompt.parts.iter().filter(|part| part.name == name).map(|part| part.text.as_str()).collect()
            };
            (part(PartName::P1), part(PartName::P3), part(PartName::P4))
        };
        let (p1, _, p4) = told(&state, &known);
        assert!(p1.contains("\n  ember dart,harm,cast,25,1,15,6\n") && !p4.contains("practices"), "{p1}{p4}");
        state.skills = Some(vec![dart(40)]);
        state.practices = Some(Practices { left: 2, teacher: Some("Ives".into()) });
        known.observe(&state, 1_000);
        let (again, p3, p4) = told(&state, &known);
        assert_eq!(again, p1);
        assert!(
            p3.contains("0 arts:\narts[1]{name,use,verb,percent,level,mana,damage}:\n  ember dart,harm,cast,40"),
            "{p3}"
        );
        assert!(p3.contains("teacher: \"Ives, The Hall (3)\"\n"), "{p3}");
        assert!(p4.contains("practices: \"2, Ives teaches here\"\n"), "{p4}");
    }

    #[test]
    fn what_one_did_is_told_once() {
        let mut blocks = Blocks::new(Settings::default());
        let here = in_room(1, "The Square");
        let of = |kind, text: &str| Line { kind, ..line(text) };
        blocks.hear(&here, &of(EventKind::Position, "You settle down to rest."));
        blocks.hear(&here, &of(EventKind::Position, "A cat settles down to rest."));
        blocks.did("policy", "rest", "ok");
        blocks.hear(&here, &line("Nobody keeps a shop here."));
        blocks.did("model", "list", "refused: Nobody keeps a shop here.");
        blocks.hear(&here, &line("Your task: find the key"));
        blocks.did("model", "task find the key", "ok");
        let (p3, _) = told(&mut blocks, &here);
        let wanted = "0 (policy) rest -> ok\n  then list -> refused: Nobody keeps a shop here.\n  \
            then task find the key -> ok\n  saw \"A cat settles down to rest.\"\n";
        assert_eq!(p3, wanted);
    }
}
