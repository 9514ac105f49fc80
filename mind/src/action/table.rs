//! Each type of action: its fields and the line that they become.
//!
//! A line is a pattern: `{text}` stands for a field, and what is in square brackets is left out when its field is.
//! Orders have none: they are for the agent's own body (`order`).

use super::order::{Autopilot, DELEGATE_UNTIL, Until, WAIT_UNTIL};
use protocol::payload::Words;
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
}

impl Row {
    /// It puts words into others' ears.
    pub fn is_talk(&self) -> bool {
        !self.mind && !self.order && self.name != "command"
    }

    /// Whether a model is told of it. Without `mind`, no actions of the mind.
    pub fn is_offered(&self, mind: bool, autopilot: Autopilot) -> bool {
        (mind || !self.mind) && (self.name != "delegate" || autopilot == Autopilot::Offered)
    }

    /// Whether the world at hand has its verb. Where nobody said which channels there are, it may.
    pub fn is_in(&self, words: &Words) -> bool {
        !self.is_talk() || words.is_empty() || verbs::find(self.name, 1).is_some() || words.has(self.name)
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
const LINE: &[Field] =
    &[Field { name: "text", also: &["content", "description"], kind: Kind::Text(300), optional: false }];
const ID: &[Field] = &[field("id", Kind::Id)];

const fn talk(name: &'static str, also: &'static [&'static str], line: &'static str) -> Row {
    Row { name, also, fields: TALK, line, mind: false, order: false }
}

const fn mind(name: &'static str, also: &'static [&'static str], fields: &'static [Field], line: &'static str) -> Row {
    Row { name, also, fields, line, mind: true, order: false }
}

const fn order(name: &'static str, also: &'static [&'static str], fields: &'static [Field]) -> Row {
    Row { name, also, fields, line: "", mind: false, order: true }
}

/// In the order in which a model is told of them.
#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    Row { name: "command", also: &["act"], line: "{command}[ {args}]", mind: false, order: false, fields: &[
        field("command", Kind::Words),
        Field { name: "args", also: &["arguments"], kind: Kind::Words, optional: true },
    ] },
    talk("say", &["send_message", "chat"], "say {text}"),
    talk("reply", &[], "reply {text}"),
    talk("gossip", &[], "gossip {text}"),
    talk("gsay", &["group"], "gsay {text}"),
    talk("emote", &[], "emote {text}"),
    Row { name: "tell", also: &[], fields: TALK_TO, line: "tell {to} {text}", mind: false, order: false },
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
    mind("task", &["task.set"], LINE, "task {text}"),
    mind("task_update", &["task.update"], LINE, "task update {text}"),
    mind("task_done", &["task.done"], &[], "task done"),
    mind("step", &["steps.add"], LINE, "step {text}"),
    mind("step_done", &["steps.complete", "steps.done"], ID, "step done {id}"),
    mind("step_move", &["steps.reorder", "steps.move"], &[
        field("id", Kind::Id),
        Field { name: "place", also: &["position", "order"], kind: Kind::Count, optional: false },
    ], "step move {id} {place}"),
    mind("step_remove", &["steps.remove"], ID, "step remove {id}"),
    mind("decide", &["decisions.record"], &[
        Field { name: "summary", also: &["text"], kind: Kind::Text(300), optional: false },
        Field { name: "details", also: &[], kind: Kind::Text(600), optional: true },
    ], "decide {summary}[: {details}]"),
    mind("decide_remove", &["decisions.remove"], ID, "decide remove {id}"),
    mind("note", &["notes.add"], &[
        Field { name: "text", also: &["content"], kind: Kind::Text(600), optional: false },
    ], "note {text}"),
    mind("note_edit", &["notes.update", "notes.edit"], &[
        field("id", Kind::Id),
        Field { name: "text", also: &["content"], kind: Kind::Text(600), optional: false },
    ], "note edit {id} {text}"),
    mind("note_remove", &["notes.remove"], ID, "note remove {id}"),
    mind("block", &["blockers.add"], LINE, "block {text}"),
    mind("block_clear", &["blockers.remove", "blockers.clear"], ID, "block clear {id}"),
    mind("hud", &["snapshot"], &[], "hud"),
    mind("history", &[], &[
        Field { name: "count", also: &["limit"], kind: Kind::Count, optional: true },
    ], "history[ {count}]"),
    mind("compact", &["hud_compact"], &[], "compact"),
];

/// The row of a type, by its name or another that it has.
pub fn row(name: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.name == name || row.also.contains(&name))
}
