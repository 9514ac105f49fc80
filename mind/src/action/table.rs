//! Each type of action: its fields and the line that they become.
//!
//! A line is a pattern: `{text}` stands for a field, and what is in square brackets is left out when its field is.
//! Orders have none: they are for the agent's own body (`order`). Rows of channels are for those who play where the
//! server has channels, and are told apart from the others (`vocabulary::of_channels`).

use super::Offer;
use super::order::{Autopilot, DELEGATE_UNTIL, Until, WAIT_UNTIL};
use protocol::verbs;

/// A type of action.
#[derive(Debug)]
pub struct Row {
    /// The value of `type`.
    pub name: &'static str,
    /// Other names by which the documents call it.
    pub also: &'static [&'static str],
    pub fields: &'static [Field],
    pub line: &'static str,
    /// It changes or shows the agent's mind: only for those who play where the server keeps one.
    pub mind: bool,
    /// It becomes no line but an `Order` to the agent's own body.
    pub order: bool,
    /// Whether it is one of channels.
    pub channels: Channels,
    /// It puts words into others' ears, and nothing else.
    pub talk: bool,
    /// It uses arts: only those who know some are told of it, beside the table of them.
    pub arts: bool,
    /// Models read of it. What they do not may be answered all the same: a name of the documents, a rarity.
    pub told: bool,
    /// Its fields that may be absent are changes, of which it makes at least one.
    pub changes: Changes,
}

/// How many changes an action makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Changes {
    /// It is none.
    Not,
    /// One a line; who asks for several gets a line for each.
    OneEach,
    /// All in one line.
    Together,
}

/// What an action has to do with channels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Channels {
    Nothing,
    /// It says something there.
    Words,
    /// Memberships, reactions, attention, the own home.
    Deeds,
    /// The own name, guidelines and sleep, and waking others: where the server keeps a record of the agent.
    Record,
    /// It makes, changes or retires agents: for those who may, and it spends a tick.
    Agents,
}

impl Row {
    /// The verb of its line.
    pub fn verb(&self) -> &'static str {
        self.line.split([' ', '[']).next().unwrap_or(self.line)
    }

    /// It puts words into others' ears.
    pub fn is_talk(&self) -> bool {
        self.talk || self.channels == Channels::Words
    }

    pub fn is_of_plots(&self) -> bool {
        matches!(self.verb(), "build" | "plot")
    }

    /// Whether a model is told of it. Without `mind`, no actions of the mind.
    pub fn is_offered(&self, mind: bool, autopilot: Autopilot) -> bool {
        self.told
            && !self.arts
            && (mind || !self.mind)
            && (self.name != "delegate" || autopilot == Autopilot::Offered)
            && self.channels == Channels::Nothing
    }

    /// Whether a model is told of it beside those, because of the channels there are, or the arts that it knows.
    pub fn is_offered_by(&self, offer: &Offer) -> bool {
        match self.channels {
            Channels::Nothing => self.arts && !offer.arts.is_empty(),
            Channels::Words | Channels::Deeds => offer.channels,
            Channels::Record => offer.channels && offer.has_record,
            Channels::Agents => offer.channels && offer.has_record && offer.makes_agents,
        }
    }

    /// Whether the world at hand has its verb. Where nobody said which channels there are, it may.
    pub fn is_in(&self, offer: &Offer) -> bool {
        let words = &offer.words;
        self.channels != Channels::Nothing
            || !self.is_talk()
            || words.is_empty()
            || verbs::find(self.name, 1).is_some()
            || words.has(self.name)
    }
}

#[derive(Debug)]
pub struct Field {
    pub name: &'static str,
    pub also: &'static [&'static str],
    pub kind: Kind,
    /// May be null or absent.
    pub optional: bool,
}

/// What a field holds. Lengths are in characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A text of one line; a longer one is cut at a word.
    Text(usize),
    /// One word.
    Word,
    /// A list of words, or one string of them.
    Words,
    /// Names with dots between: `people.Bob.trust`.
    Path,
    /// Any JSON value; text stays text.
    Value,
    /// 0..=1.
    Weight,
    /// The number of something in the log: 12, "12" or "#12".
    Id,
    /// A number from 1.
    Count,
    /// Names of policies that can be delegated to, or "all".
    Policies,
    /// How long an order lasts: 1 to `TICKS_MAX`; more is cut.
    Ticks,
    /// One of these, or several: what ends an order.
    Until(&'static [Until]),
    /// A channel or a person: its number, or its name if that is one word. 0 is The Architect's.
    Somebody,
    /// The number of a message, or `last`.
    Message,
    /// A reaction, by either of its words.
    Reaction,
    /// `30%`, `%*` or `auto`.
    Attention,
    /// 10..=200.
    WordsAMinute,
    /// An instant such as 2026-12-01T08:00:00Z, or a time such as 10m or 2h.
    Moment,
    /// `persona` or `bot`.
    AgentKind,
    /// A goal: its number, or its key as in goal_42_0.
    Goal,
    /// 0..=100.
    Percent,
    /// One of these words, each with the word of the line that it becomes.
    Choice(&'static [(&'static str, &'static str)]),
    /// What a goal is split into: `goals::PARTS` texts.
    Parts,
    /// Steps of a plan: a list of texts, or one with semicolons between.
    Steps,
    /// A cell of a plot: [3, 4], "3,4", or an object with `row` and `column`.
    Cell,
}

const fn field(name: &'static str, kind: Kind) -> Field {
    Field { name, also: &[], kind, optional: false }
}

const TALK: &[Field] = &[Field { name: "text", also: &["content", "message"], kind: Kind::Text(300), optional: false }];
const TALK_TO: &[Field] = &[
    Field { name: "to", also: &["target", "player", "recipient"], kind: Kind::Word, optional: false },
    Field { name: "text", also: &["content", "message"], kind: Kind::Text(300), optional: false },
];
/// A line of the workspace; `mind::edit` takes 300 characters.
const LINE: &[Field] = &[LINE_TEXT];
const LINE_TEXT: Field =
    Field { name: "text", also: &["content", "description"], kind: Kind::Text(300), optional: false };
const ID: &[Field] = &[field("id", Kind::Id)];
/// A fact or a pattern; `mind::session` takes 200 characters.
const LEARNED: &[Field] = &[LEARNED_TEXT];
const LEARNED_TEXT: Field = Field {
    name: "text",
    also: &["content", "fact", "pattern", "description"],
    kind: Kind::Text(200),
    optional: false,
};
const GOAL_ID: Field = Field { name: "id", also: &["goal_id", "goal"], kind: Kind::Goal, optional: false };
const GOAL: &[Field] = &[GOAL_ID];
const UNDER: Field = Field { name: "under", also: &["parent", "parent_id"], kind: Kind::Goal, optional: true };
const PRIORITY: Field = Field { name: "priority", also: &[], kind: Kind::Choice(PRIORITIES), optional: true };
const PRIORITIES: &[(&str, &str)] = &[("high", "high"), ("medium", "medium"), ("low", "low")];
const PERCENT: Field = Field { name: "percent", also: &["progress"], kind: Kind::Percent, optional: false };
const WHY: Field = Field { name: "why", also: &["reason", "because"], kind: Kind::Text(200), optional: true };
/// The words of the document for how a goal stands.
const STATUSES: &[(&str, &str)] = &[("completed", "done"), ("abandoned", "drop"), ("active", "reopen")];
const SOURCES: &[(&str, &str)] =
    &[("told", "told"), ("seen", "seen"), ("guess", "guess"), ("hearsay", "hearsay"), ("guessed", "guess")];
const LISTS: &[(&str, &str)] = &[
    ("fact", "fact"),
    ("pattern", "pattern"),
    ("key_fact", "fact"),
    ("key_facts", "fact"),
    ("learned_pattern", "pattern"),
    ("learned_patterns", "pattern"),
];
const SHARED_WITH: Field =
    Field { name: "to", also: &["with", "who", "name", "person"], kind: Kind::Word, optional: false };
const SECTION_PARTS: &[(&str, &str)] = &[("snapshot", "snapshot"), ("now", "now")];
const PROJECT: Field =
    Field { name: "key", also: &["project", "name", "project_key"], kind: Kind::Word, optional: false };
const CONTEXT_CHARS: usize = 2_000;

const ROW: Row = Row {
    name: "",
    also: &[],
    fields: &[],
    line: "",
    mind: false,
    order: false,
    channels: Channels::Nothing,
    talk: false,
    arts: false,
    told: true,
    changes: Changes::Not,
};

const fn talk(name: &'static str, also: &'static [&'static str], line: &'static str) -> Row {
    Row { name, also, fields: TALK, line, talk: true, ..ROW }
}

const fn mind(name: &'static str, also: &'static [&'static str], fields: &'static [Field], line: &'static str) -> Row {
    Row { name, also, fields, line, mind: true, ..ROW }
}

/// One that models are not told of.
const fn untold(
    name: &'static str,
    also: &'static [&'static str],
    fields: &'static [Field],
    line: &'static str,
) -> Row {
    Row { told: false, ..mind(name, also, fields, line) }
}

const fn order(name: &'static str, also: &'static [&'static str], fields: &'static [Field]) -> Row {
    Row { name, also, fields, order: true, ..ROW }
}

/// One of plots: where there is one, the prompt says how to build in the game's own words.
const fn plots(name: &'static str, also: &'static [&'static str], fields: &'static [Field], line: &'static str) -> Row {
    Row { name, also, fields, line, told: false, ..ROW }
}

const fn arts(name: &'static str, also: &'static [&'static str], fields: &'static [Field], line: &'static str) -> Row {
    Row { name, also, fields, line, arts: true, ..ROW }
}

const fn channels(
    channels: Channels,
    name: &'static str,
    also: &'static [&'static str],
    fields: &'static [Field],
    line: &'static str,
) -> Row {
    Row { name, also, fields, line, channels, ..ROW }
}

const AT: Field = Field { name: "at", also: &["position", "cell", "from"], kind: Kind::Cell, optional: false };
const BECAUSE: Field =
    Field { name: "because", also: &["reasoning", "why", "reason"], kind: Kind::Text(200), optional: true };

const fn maybe(field: Field) -> Field {
    Field { optional: true, ..field }
}

/// `room_id` is the document's word for it.
pub(super) const CHANNEL: Field =
    Field { name: "channel", also: &["room_id", "channel_id", "room", "in"], kind: Kind::Somebody, optional: false };
/// Where it is not one's own home.
const IN_CHANNEL: Field = maybe(CHANNEL);
const PERSON: Field =
    Field { name: "agent_id", also: &["person", "agent", "who", "id"], kind: Kind::Somebody, optional: false };
const MESSAGE_ID: Field = Field { name: "message_id", also: &["reply_to"], kind: Kind::Message, optional: false };
const REQUEST: &[Field] = &[Field { name: "request_id", also: &["request", "id"], kind: Kind::Id, optional: false }];
/// What is said in a channel: the pace of words is the channel's.
const WORDS: Field = Field { name: "text", also: &["message", "content"], kind: Kind::Text(2_000), optional: false };
const KEY: Field = Field { name: "key", also: &[], kind: Kind::Word, optional: false };
const PROMPT: Field =
    Field { name: "prompt", also: &["background_prompt", "seed", "role"], kind: Kind::Text(4_000), optional: false };
const NAME: Field = Field { name: "name", also: &["display_name"], kind: Kind::Text(50), optional: false };

/// In the order in which a model is told of them.
#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    Row { name: "command", also: &["act"], line: "{command}[ {args}]", fields: &[
        field("command", Kind::Words),
        Field { name: "args", also: &["arguments"], kind: Kind::Words, optional: true },
    ], ..ROW },
    talk("say", &["send_message", "chat"], "say {text}"),
    talk("reply", &[], "reply {text}"),
    talk("gossip", &[], "gossip {text}"),
    talk("gsay", &["group"], "gsay {text}"),
    talk("emote", &[], "emote {text}"),
    Row { name: "tell", also: &[], fields: TALK_TO, line: "tell {to} {text}", talk: true, ..ROW },
    arts("cast", &["cast_spell", "use_art"], &[
        Field { name: "spell", also: &["art", "name", "skill"], kind: Kind::Text(80), optional: false },
        Field { name: "target", also: &["at", "on", "whom", "who", "to"], kind: Kind::Words, optional: true },
    ], "cast '{spell}'[ {target}]"),
    arts("use", &["use_item"], &[
        Field { name: "object", also: &["item", "thing"], kind: Kind::Words, optional: false },
        Field { name: "target", also: &["at", "on", "whom", "who", "to"], kind: Kind::Words, optional: true },
    ], "use {object}[ {target}]"),
    arts("practice", &["practise", "learn", "train"], &[
        Field { name: "art", also: &["spell", "skill", "name"], kind: Kind::Text(80), optional: true },
    ], "practice[ {art}]"),
    arts("order", &["order_follower"], &[
        Field { name: "whom", also: &["who", "follower", "target", "to"], kind: Kind::Word, optional: false },
        Field { name: "command", also: &["action", "line"], kind: Kind::Words, optional: false },
    ], "order {whom} {command}"),
    plots("build_add", &["add_entity", "add_element", "build"], &[
        Field { name: "kind", also: &["entity", "entity_type", "entityType", "element"], kind: Kind::Word, optional: false },
        AT,
        Field { name: "label", also: &["called", "name"], kind: Kind::Text(40), optional: true },
        BECAUSE,
    ], "build add {kind} {at}[ called {label}][ because {because}]"),
    plots("build_move", &["move_entity", "move_element"], &[
        AT,
        Field { name: "to", also: &["new_position", "newPosition", "to_position"], kind: Kind::Cell, optional: false },
        BECAUSE,
    ], "build move {at} to {to}[ because {because}]"),
    plots("build_remove", &["remove_entity", "remove_element"], &[AT, BECAUSE],
        "build remove {at}[ because {because}]"),
    plots("plot_plan", &["plan"], &[
        Field { name: "text", also: &["plan", "goal", "description", "content"], kind: Kind::Text(200), optional: false },
        Field { name: "steps", also: &["actions"], kind: Kind::Steps, optional: false },
    ], "plot plan {text}: {steps}"),
    plots("plot_memo", &["memo"], TALK, "plot memo {text}"),
    plots("plot_agree", &[], ID, "plot agree {id}"),
    plots("plot_refuse", &[], ID, "plot refuse {id}"),
    order("delegate", &["hand_over"], &[
        Field { name: "policies", also: &["policy", "to"], kind: Kind::Policies, optional: false },
        Field { name: "ticks", also: &["for"], kind: Kind::Ticks, optional: false },
        Field { name: "until", also: &[], kind: Kind::Until(DELEGATE_UNTIL), optional: true },
    ]),
    order("wait", &["wait_until"], &[
        Field { name: "until", also: &["for"], kind: Kind::Until(WAIT_UNTIL), optional: true },
        Field { name: "ticks", also: &[], kind: Kind::Ticks, optional: true },
    ]),
    order("goto", &["go_to", "walk_to"], &[
        Field { name: "to", also: &["room", "person", "place", "target"], kind: Kind::Text(80), optional: false },
    ]),
    mind("set", &["remember", "memory.set"], &[
        field("path", Kind::Path),
        field("value", Kind::Value),
        Field { name: "w", also: &["weight"], kind: Kind::Weight, optional: true },
    ], "remember {path} = {value}"),
    mind("append", &["memory.append"], &[field("path", Kind::Path), field("value", Kind::Value)],
        "remember {path} += {value}"),
    mind("delete", &["forget", "memory.delete"], &[field("path", Kind::Path)], "forget {path}"),
    mind("project_new", &["create_project", "add_project", "project.create", "projects.create"], &[
        PROJECT,
        Field { name: "summary", also: &["description"], kind: Kind::Text(300), optional: false },
        Field { name: "context", also: &["initial_context"], kind: Kind::Text(CONTEXT_CHARS), optional: true },
    ], "project new {key} = {summary}[: {context}]"),
    mind("project_swap", &["swap_project", "project.swap", "projects.swap"], &[
        PROJECT,
        Field {
            name: "so_far",
            also: &["current_project_update", "update", "context"],
            kind: Kind::Text(CONTEXT_CHARS),
            optional: true,
        },
    ], "project swap {key}[: {so_far}]"),
    mind("project_done", &["complete_project", "project.complete", "projects.complete"], &[maybe(PROJECT)],
        "project done[ {key}]"),
    untold("project_update", &["update_project", "project.update", "projects.update"], &[
        Field { name: "context", also: &["text", "update", "content"], kind: Kind::Text(CONTEXT_CHARS), optional: false },
    ], "project update {context}"),
    untold("project_archive", &["archive_project", "project.archive", "projects.archive"], &[PROJECT],
        "project archive {key}"),
    untold("project_restore", &["restore_project", "project.restore", "projects.restore"], &[PROJECT],
        "project restore {key}"),
    untold("projects", &["list_projects", "project.list", "projects.list"], &[], "project"),
    mind("task", &["task.set", "set_task"], LINE, "task {text}"),
    untold("task_update", &["task.update", "update_task"], LINE, "task update {text}"),
    mind("task_done", &["task.done", "complete_task"], &[], "task done"),
    untold("task_get", &["task.get", "get_task"], &[], "task"),
    mind("goal", &["add_goal", "goal.add", "goals.add", "create_goal"], &[LINE_TEXT, PRIORITY, UNDER],
        "goal[ under {under}][ {priority}] {text}"),
    mind("goal_done", &["complete_goal", "goal.complete", "goals.complete", "goal.done"], GOAL, "goal done {id}"),
    mind("goal_drop", &["abandon_goal", "drop_goal", "goal.abandon", "goals.abandon", "goals.drop", "remove_goal",
        "goals.remove"], GOAL, "goal drop {id}"),
    untold("goal_progress", &["goal.progress", "goals.progress"], &[GOAL_ID, PERCENT], "goal progress {id} {percent}"),
    mind("goal_failed", &["goal.failed", "strategy.failed"], &[Field { kind: Kind::Id, ..GOAL_ID }, WHY],
        "goal failed {id}[: {why}]"),
    untold("goal_works", &["goal.works", "strategy.works"], &[Field { kind: Kind::Id, ..GOAL_ID }, WHY],
        "goal works {id}[: {why}]"),
    mind("goal_try", &["goal.try", "goal.strategy", "add_strategy"], &[
        GOAL_ID,
        Field { name: "text", also: &["strategy", "way"], kind: Kind::Text(200), optional: false },
    ], "goal try {id} {text}"),
    mind("split", &["decompose_goal", "split_goal", "goal_split", "goal.split", "goals.split", "decompose"], &[
        GOAL_ID,
        Field { name: "into", also: &["subtasks", "parts", "goals"], kind: Kind::Parts, optional: true },
    ], "goal split {id}: {into}"),
    untold("goal_reopen", &["reopen_goal", "goal.reopen", "goals.reopen"], GOAL, "goal reopen {id}"),
    Row {
        changes: Changes::OneEach,
        ..untold("goal_update", &["update_goal", "goal.update", "goals.update", "edit_goal", "goal_edit", "goal.edit"], &[
            GOAL_ID,
            Field { name: "status", also: &[], kind: Kind::Choice(STATUSES), optional: true },
            maybe(PERCENT),
            Field { name: "text", also: &["description", "content"], kind: Kind::Text(300), optional: true },
            PRIORITY,
        ], "goal[ {status} {id}][ progress {id} {percent}][ edit {id} {text}][ edit {id} {priority}]")
    },
    Row {
        changes: Changes::OneEach,
        ..untold("goal_move", &["move_goal", "goal.move", "goals.move"], &[
            GOAL_ID,
            UNDER,
            Field { name: "place", also: &["position", "order"], kind: Kind::Count, optional: true },
        ], "goal move {id}[ under {under}][ {place}]")
    },
    untold("goals", &["list_goals", "goal.list", "goals.list"], &[], "goal"),
    mind("step", &["steps.add", "step.add", "add_step"], LINE, "step {text}"),
    mind("step_done", &["steps.complete", "steps.done", "step.complete", "complete_step"], GOAL, "step done {id}"),
    untold("step_move", &["steps.reorder", "steps.move", "step.reorder"], &[
        GOAL_ID,
        Field { name: "place", also: &["position", "order"], kind: Kind::Count, optional: false },
    ], "step move {id} {place}"),
    mind("step_remove", &["steps.remove", "step.remove", "remove_step"], GOAL, "step remove {id}"),
    untold("steps", &["steps.list", "list_steps"], &[], "step"),
    mind("decide", &["decisions.record", "decision.record", "record_decision"], &[
        Field { name: "summary", also: &["text"], kind: Kind::Text(300), optional: false },
        Field { name: "details", also: &[], kind: Kind::Text(600), optional: true },
    ], "decide {summary}[: {details}]"),
    mind("decide_remove", &["decisions.remove", "decision.remove", "remove_decision"], ID, "decide remove {id}"),
    untold("decisions", &["decisions.list", "list_decisions"], &[], "decide"),
    mind("note", &["notes.add", "note.add", "add_note"], &[
        Field { name: "text", also: &["content"], kind: Kind::Text(600), optional: false },
    ], "note {text}"),
    mind("note_edit", &["notes.update", "notes.edit", "note.update", "update_note"], &[
        field("id", Kind::Id),
        Field { name: "text", also: &["content"], kind: Kind::Text(600), optional: false },
    ], "note edit {id} {text}"),
    mind("note_remove", &["notes.remove", "note.remove", "remove_note"], ID, "note remove {id}"),
    untold("notes", &["notes.list", "list_notes"], &[], "note"),
    mind("block", &["blockers.add", "blocker.add", "add_blocker"], LINE, "block {text}"),
    mind("block_clear", &["blockers.remove", "blockers.clear", "blocker.remove", "remove_blocker"], ID,
        "block clear {id}"),
    untold("blockers", &["blockers.list", "list_blockers"], &[], "block"),
    mind("fact", &["add_fact", "add_key_fact", "fact.add", "facts.add"], LEARNED, "fact {text}"),
    mind("fact_remove", &["remove_fact", "remove_key_fact", "fact.remove", "facts.remove"], ID, "fact remove {id}"),
    untold("facts", &["list_facts", "facts.list"], &[], "fact"),
    mind("pattern", &["add_pattern", "pattern.add", "patterns.add"], LEARNED, "pattern {text}"),
    untold("pattern_remove", &["remove_pattern", "pattern.remove", "patterns.remove"], ID, "pattern remove {id}"),
    untold("patterns", &["list_patterns", "patterns.list"], &[], "pattern"),
    untold("share", &["share.grant", "grant_share", "share_mind"], &[
        SHARED_WITH,
        Field { name: "scopes", also: &["parts", "what", "scope"], kind: Kind::Words, optional: true },
    ], "share {to}[ {scopes}]"),
    untold("share_stop", &["share.revoke", "revoke_share", "unshare"], &[SHARED_WITH], "share stop {to}"),
    untold("shares", &["share.list", "list_shares"], &[], "share"),
    untold("section", &["section.set", "set_section", "sections.set"], &[
        Field { name: "name", also: &["key"], kind: Kind::Word, optional: false },
        Field { name: "part", also: &[], kind: Kind::Choice(SECTION_PARTS), optional: true },
        Field { name: "text", also: &["content", "template"], kind: Kind::Text(400), optional: false },
    ], "section {name}[ {part}] = {text}"),
    untold("section_remove", &["section.remove", "remove_section", "sections.remove"],
        &[Field { name: "name", also: &["key"], kind: Kind::Word, optional: false }], "section remove {name}"),
    untold("sections", &["section.list", "list_sections", "sections.list"], &[], "section"),
    untold("session_memory", &["add_session_memory", "session.add"], &[
        Field { name: "kind", also: &["memory_type", "type", "category"], kind: Kind::Choice(LISTS), optional: false },
        LEARNED_TEXT,
    ], "{kind} {text}"),
    untold("tidy", &["compact_session_memory", "session.tidy", "tidy_session"], &[], "tidy"),
    mind("journal", &["add_journal", "journal.add", "add_journal_entry", "write_journal"], &[
        Field { name: "text", also: &["content", "entry"], kind: Kind::Text(600), optional: false },
        Field { name: "source", also: &["how"], kind: Kind::Choice(SOURCES), optional: true },
    ], "journal[ {source}] {text}"),
    untold("journal_read", &["journal.list", "list_journal", "read_journal"], &[], "journal"),
    untold("recall", &["hud.search", "search", "recall_memories", "memory.search", "memory.recall"], &[
        Field { name: "words", also: &["query", "text", "content", "q"], kind: Kind::Text(200), optional: true },
        Field { name: "of", also: &["whose", "owner"], kind: Kind::Word, optional: true },
        Field { name: "in", also: &["part", "scope", "where"], kind: Kind::Word, optional: true },
        Field { name: "from", also: &["speaker", "who"], kind: Kind::Word, optional: true },
        Field { name: "project", also: &["project_key"], kind: Kind::Word, optional: true },
        Field { name: "since", also: &["after"], kind: Kind::Word, optional: true },
        Field { name: "until", also: &["before"], kind: Kind::Word, optional: true },
    ], "recall[ of:{of}][ in:{in}][ from:{from}][ project:{project}][ since:{since}][ until:{until}][ {words}]"),
    untold("memory_get", &["memory.get", "get_memory"], &[Field { optional: true, ..field("path", Kind::Path) }],
        "remember[ {path}]"),
    untold("hud", &["snapshot", "hud.snapshot"], &[], "hud"),
    untold("hud_of", &["hud.of", "read_mind"],
        &[Field { name: "of", also: &["who", "name", "person"], kind: Kind::Word, optional: false }], "hud of {of}"),
    untold("history", &["hud.history"], &[
        Field { name: "count", also: &["limit"], kind: Kind::Count, optional: true },
    ], "history[ {count}]"),
    untold("status", &["get_system_status", "system.status", "hud.status"], &[], "status"),
    mind("compact", &["hud_compact", "hud.compact", "memory_compact"], &[], "compact"),
    untold("help_mind", &["hud.help", "help.mind"], &[], "help mind"),
    channels(Channels::Words, "chat", &[], &[CHANNEL, WORDS], "chat {channel} {text}"),
    channels(Channels::Words, "reply", &[], &[MESSAGE_ID, WORDS], "reply {message_id} {text}"),
    channels(Channels::Deeds, "mark_read", &[], &[CHANNEL], "channel read {channel}"),
    channels(Channels::Deeds, "join_channel", &["join_room"], &[CHANNEL], "channel join {channel}"),
    channels(Channels::Deeds, "leave_channel", &["leave_room"], &[CHANNEL], "channel leave {channel}"),
    channels(Channels::Deeds, "mute_channel", &["mute_room"], &[CHANNEL], "channel mute {channel}"),
    channels(Channels::Deeds, "unmute_channel", &["unmute_room"], &[CHANNEL], "channel unmute {channel}"),
    channels(Channels::Deeds, "drop_waiting", &[], &[CHANNEL], "channel drop {channel}"),
    channels(Channels::Deeds, "react", &[], &[
        MESSAGE_ID,
        field("reaction", Kind::Reaction),
    ], "react {message_id} {reaction}"),
    channels(Channels::Deeds, "set_attention", &[], &[
        CHANNEL,
        Field { name: "value", also: &["attention", "percent"], kind: Kind::Attention, optional: false },
    ], "attention {channel} {value}"),
    channels(Channels::Deeds, "request_access", &[], &[CHANNEL, KEY], "request {channel} {key}"),
    channels(Channels::Deeds, "grant_access", &[], REQUEST, "channel grant {request_id}"),
    channels(Channels::Deeds, "deny_access", &[], REQUEST, "channel deny {request_id}"),
    channels(Channels::Deeds, "create_key", &[], &[KEY, IN_CHANNEL], "channel key add {key}[ in {channel}]"),
    channels(Channels::Deeds, "revoke_key", &[], &[KEY, IN_CHANNEL], "channel key revoke {key}[ in {channel}]"),
    channels(Channels::Deeds, "set_billboard", &[], &[
        Field { kind: Kind::Text(500), ..WORDS },
        IN_CHANNEL,
    ], "channel billboard {text}[ in {channel}]"),
    channels(Channels::Deeds, "clear_billboard", &[], &[IN_CHANNEL], "channel billboard clear[ in {channel}]"),
    channels(Channels::Deeds, "set_wpm", &[], &[field("wpm", Kind::WordsAMinute), IN_CHANNEL],
        "channel wpm {wpm}[ in {channel}]"),
    channels(Channels::Record, "set_name", &[], &[NAME], "name {name}"),
    channels(Channels::Record, "update_system_prompt", &[], &[
        Field { name: "new_prompt", also: &["text", "prompt", "guideline"], kind: Kind::Text(1_500), optional: false },
        Field { name: "reasoning", also: &["because", "reason", "why"], kind: Kind::Text(200), optional: false },
    ], "guideline set {new_prompt} because {reasoning}"),
    channels(Channels::Record, "wake_agent", &[], &[PERSON], "agent wake {agent_id}"),
    channels(Channels::Record, "sleep_until", &[], &[
        Field { name: "until", also: &["for", "time"], kind: Kind::Moment, optional: false },
    ], "agent sleep {until}"),
    channels(Channels::Agents, "create_agent", &[], &[
        PROMPT,
        maybe(NAME),
        Field { name: "agent_type", also: &["kind"], kind: Kind::AgentKind, optional: true },
        Field { name: "channel", also: &["in_room_id", "room_id", "in"], kind: Kind::Somebody, optional: true },
    ], "agent create[ {name}][ {agent_type}][ in {channel}] = {prompt}"),
    Row {
        changes: Changes::Together,
        ..channels(Channels::Agents, "alter_agent", &[], &[PERSON, maybe(PROMPT), maybe(NAME), Field {
            name: "model", also: &[], kind: Kind::Word, optional: true,
        }], "agent alter {agent_id}[ name = {name}][ model = {model}][ prompt = {prompt}]")
    },
    channels(Channels::Agents, "retire_agent", &[], &[PERSON], "agent retire {agent_id}"),
];

/// The row of a type, by its name or another that it has; those of channels last.
pub fn row(name: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.name == name || row.also.contains(&name))
}

/// The row of channels of that name.
pub fn channel_row(name: &str) -> Option<&'static Row> {
    let mut rows = ROWS.iter().filter(|row| row.channels != Channels::Nothing);
    rows.find(|row| row.name == name || row.also.contains(&name))
}

/// The row of a type that there is.
pub(super) fn row_of(name: &str) -> &'static Row {
    row(name).expect("a row of the table")
}
