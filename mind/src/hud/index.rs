//! What a prompt may hold, field by field: where each comes from, and who may change it. `docs/HUD.md` is made of this;
//! a test holds it against prompts.

use std::collections::BTreeMap;
use std::sync::OnceLock;

/// A field as data formats name it: `[]` stands for each row of a table, `.*` for whatever is below.
#[derive(Debug)]
pub struct Field {
    /// `P1` … `P4`.
    pub parts: &'static str,
    pub path: &'static str,
    pub kind: &'static str,
    pub source: Source,
    pub by: Change,
    pub doc: &'static str,
}

/// Where a field comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// The server, when the character logs in.
    Login,
    /// The server, as it changes: its events and lines.
    World,
    /// The server's variables of these names (`docs/VARIABLES.md`).
    Variables(&'static str),
    /// The agent's own log, which the server keeps.
    Log,
    /// A setting of its client.
    Setting(&'static str),
    /// The files of `data/prompts`, or of `prompts_dir`.
    Texts,
    /// What its client knows, counts or decides.
    Client,
}

impl Source {
    /// In words for the documentation.
    pub fn told(self) -> String {
        match self {
            Source::Login => "server, at the login".to_string(),
            Source::World => "server, as it changes".to_string(),
            Source::Variables(names) => format!("`{}`", names.replace(", ", "`, `")),
            Source::Log => "the agent's log".to_string(),
            Source::Setting(name) => format!("setting `{name}`"),
            Source::Texts => "texts".to_string(),
            Source::Client => "client".to_string(),
        }
    }
}

/// Who may change a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// It follows from the rest.
    Nobody,
    /// By what is done in the world.
    Play,
    /// By its verbs of the mind.
    Agent,
    /// By settings and texts.
    Operator,
    /// By a night's dream.
    Dream,
    Others,
}

impl Change {
    pub const fn name(self) -> &'static str {
        match self {
            Change::Nobody => "nobody",
            Change::Play => "whoever plays",
            Change::Agent => "the agent",
            Change::Operator => "its operator",
            Change::Dream => "dreams",
            Change::Others => "who says it",
        }
    }
}

use Change::{Agent, Dream, Nobody, Operator, Others, Play};
use Source::{Client, Log, Login, Setting, Texts, Variables, World};

const fn field(
    parts: &'static str,
    path: &'static str,
    kind: &'static str,
    source: Source,
    by: Change,
    doc: &'static str,
) -> Field {
    Field { parts, path, kind, source, by, doc }
}

/// In the order of the prompt.
#[rustfmt::skip]
pub const INDEX: &[Field] = &[
    field("P1", "self.name", "text", Login, Nobody, "The character's name, unless the sheet has another one: then `nature` says both"),
    field("P1", "self.class", "text", Login, Nobody, "`Warrior`"),
    field("P1", "self.race", "text", Login, Nobody, "`Human`"),
    field("P1", "self.level", "number", Login, Play, "As of the login; `vars.level` is the one of now"),
    field("P1", "self.nature", "text", Texts, Operator, "What a persona or a bot is, its paths, its permissions, and what its server lacks or has"),
    field("P1", "self.channel_actions", "text", Texts, Operator, "Where its server has channels: what is done there, with the table of those actions"),
    field("P1", "self.art_actions", "text", Texts, Operator, "Where it knows arts: how they are used, with the table of those actions"),
    field("P1", "self.arts[].name", "text", Variables("SKILLS"), Nobody, "A spell or skill that it knows, or could learn now"),
    field("P1", "self.arts[].use", "text", Variables("SKILLS"), Nobody, "`harm`, `heal`, `cure`, `protect`, `travel`, `other`"),
    field("P1", "self.arts[].verb", "text", Variables("SKILLS"), Nobody, "`cast`, or what to type in its place; nothing: it works by itself"),
    field("P1", "self.arts[].percent", "percent", Variables("SKILLS"), Play, "How well it is known; 0: to be learned"),
    field("P1", "self.arts[].level", "number", Variables("SKILLS"), Nobody, "From which level its class learns it"),
    field("P1", "self.arts[].mana", "number", Variables("SKILLS"), Play, "What it costs"),
    field("P1", "self.arts[].damage", "number", Variables("SKILLS"), Play, "Hit points that it takes on average"),
    field("P1", "self.arts[].risky", "true, false", Variables("SKILLS"), Nobody, "It may throw down or hurt its user"),
    field("P1", "self.teacher", "text", Variables("PRACTICES"), Play, "Who teaches its class, and where, as far as it met one"),
    field("P1", "self.operator", "text", Setting("operator_prompt"), Operator, "`operator_prompt`: above all that the agent may change"),
    field("P1", "self.persona", "text", Setting("persona"), Operator, "The character sheet (`persona`)"),
    field("P1", "self.guidelines[]", "text", Setting("guidelines"), Operator, "`guidelines`, and what the persona forbids"),
    field("P1", "self.memory_bootstrap", "text", Login, Dream, "Single memories, warnings, goals"),
    field("P1", "self.memory_summary", "text", Login, Dream, "The story of the last dream"),
    field("P1", "self.left_out[]", "text", Client, Nobody, "What had no room above"),

    field("P2", "workspace", "text", Texts, Operator, "Instead of all below where nothing is written down"),
    field("P2", "workspace.project", "text", Log, Agent, "Which of several projects it is at"),
    field("P2", "workspace.task", "text", Log, Agent, "What it is about"),
    field("P2", "workspace.so_far", "text", Log, Agent, "How far the project is"),
    field("P2", "workspace.goals[].id", "number", Log, Nobody, "What `goal done` takes; goals in place of steps, where there is more to show than a list"),
    field("P2", "workspace.goals[].under", "number", Log, Agent, "The goal that it is part of"),
    field("P2", "workspace.goals[].text", "text", Log, Agent, "What is to be reached"),
    field("P2", "workspace.goals[].priority", "high, low", Log, Agent, "Nothing: medium"),
    field("P2", "workspace.goals[].status", "completed, abandoned", Log, Agent, "Nothing: active"),
    field("P2", "workspace.goals[].progress", "percent", Log, Agent, "Of one with goals under it, what follows from those"),
    field("P2", "workspace.goals[].tried", "text", Log, Agent, "Ways that were tried, with their ids, and what became of them"),
    field("P2", "workspace.steps[].id", "number", Log, Nobody, "What `step done` takes"),
    field("P2", "workspace.steps[].done", "true, false", Log, Agent, ""),
    field("P2", "workspace.steps[].text", "text", Log, Agent, "What comes next"),
    field("P2", "workspace.decisions[].id", "number", Log, Nobody, "What `decide remove` takes"),
    field("P2", "workspace.decisions[].summary", "text", Log, Agent, "What is settled"),
    field("P2", "workspace.decisions[].details", "text", Log, Agent, "And why"),
    field("P2", "workspace.blockers[].id", "number", Log, Nobody, "What `block clear` takes"),
    field("P2", "workspace.blockers[].text", "text", Log, Agent, "What stands in the way"),
    field("P2", "workspace.errors[].id", "number", Log, Nobody, "What `trouble solved` takes"),
    field("P2", "workspace.errors[].message", "text", Log, Agent, "What goes wrong: the server notes most of it"),
    field("P2", "workspace.notes[].id", "number", Log, Nobody, "What `note edit` takes"),
    field("P2", "workspace.notes[].text", "text", Log, Agent, "What may be of use"),
    field("P2", "workspace.next", "text", Log, Agent, "Where there is little room: the next step, with its id"),
    field("P2", "workspace.steps_open", "number", Log, Nobody, "Where there is little room: how many steps are open"),
    field("P2", "workspace.decisions", "number", Log, Nobody, "Where there is little room: how many there are"),
    field("P2", "workspace.blockers", "number", Log, Nobody, "Where there is little room: how many there are"),
    field("P2", "workspace.errors", "number", Log, Nobody, "Where there is little room: how many are open"),
    field("P2", "workspace.facts[].id", "number", Log, Nobody, "What `fact remove` takes"),
    field("P2", "workspace.facts[].text", "text", Log, Agent, "What is so; of the character, not of one project"),
    field("P2", "workspace.patterns[].id", "number", Log, Nobody, "What `pattern remove` takes"),
    field("P2", "workspace.patterns[].text", "text", Log, Agent, "What is usually so"),
    field("P2", "workspace.other_projects[].key", "text", Log, Agent, "What `project swap` takes"),
    field("P2", "workspace.other_projects[].percent", "percent", Log, Agent, "How far its goals are"),
    field("P2", "workspace.other_projects[].summary", "text", Log, Agent, "What it is about"),
    field("P2", "core_memory.*", "anything", Log, Agent, "The document that it keeps for itself (`remember`, `forget`)"),
    field("P2", "core_memory[]", "text", Log, Agent, "Where there is little room: its topmost names"),
    field("P2", "memory_used", "percent", Log, Nobody, "Of what may be stored"),
    field("P2", "memory_not_shown", "number", Log, Nobody, "Values, or names, that had no room"),
    field("P2, P4", "sections.*", "anything", Log, Agent, "What the agent, or its operator (`hud_sections`), wants to have before it: a template each, under its name (`section`)"),
    field("P2", "your_id", "number", Login, Nobody, "Its own number among the persons of channels"),
    field("P2", "channels_and_members[].id", "number", World, Nobody, "What `chat` takes"),
    field("P2", "channels_and_members[].name", "text", World, Others, "Data, never an order, as all that stands in channels"),
    field("P2", "channels_and_members[].wpm", "number", World, Play, "Words a minute that each may say there"),
    field("P2", "channels_and_members[].members", "text", World, Play, "By name and number; where there is little room, how many"),
    field("P2", "channels_and_members[].billboard", "text", World, Others, "What is written there for all"),
    field("P2", "your_keys[].channel", "number", World, Nobody, "Which channel of its own it opens"),
    field("P2", "your_keys[].key", "text", World, Agent, "A word that lets others in (`channel key`)"),
    field("P2", "requests_to_join[].id", "number", World, Nobody, "What `channel grant` and `channel deny` take"),
    field("P2", "requests_to_join[].channel", "number", World, Play, "Where to"),
    field("P2", "requests_to_join[].from", "number", World, Nobody, "Who asks"),
    field("P2", "requests_to_join[].key", "text", World, Others, "The key that they named"),
    field("P2", "invitations[].channel", "number", World, Nobody, "What `channel join` takes"),
    field("P2", "invitations[].name", "text", World, Others, "A channel into which others invite it"),

    field("P2", "before[]", "text", Client, Nobody, "What older folds took out of P3 and still holds, in the words of a model (`fold_words`)"),
    field("P2", "folded[]", "text", Client, Nobody, "What the last fold took out of P3, in a few lines: `mind/src/fold.rs`"),
    field("P3", "tick", "number", World, Nobody, "Of the block: the world's tick"),
    field("P3", "did[].source", "text", Client, Nobody, "`reflex`, `upkeep` or `policy`; nothing for the model"),
    field("P3", "did[].action", "text", Client, Nobody, "The line that was sent"),
    field("P3", "did[].outcome", "text", World, Nobody, "`ok`, or why not"),
    field("P3", "why", "text", Client, Agent, "The model's own remark"),
    field("P3", "heard[].from", "text", World, Others, "Data, never an order"),
    field("P3", "heard[].channel", "text", World, Others, "`say`, `tell`, `gossip` …"),
    field("P3", "heard[].text", "text", World, Others, ""),
    field("P3", "saw[].times", "number", Client, Nobody, "How often it was told, if not once"),
    field("P3", "saw[].text", "text", World, Play, "What the world told"),
    field("P3", "mind[].text", "text", Log, Agent, "What its log got"),
    field("P3", "arts[].name", "text", Variables("SKILLS"), Nobody, "One that was learned, got better or costs another amount since P1"),
    field("P3", "arts[].use", "text", Variables("SKILLS"), Nobody, ""),
    field("P3", "arts[].verb", "text", Variables("SKILLS"), Nobody, ""),
    field("P3", "arts[].percent", "percent", Variables("SKILLS"), Play, ""),
    field("P3", "arts[].level", "number", Variables("SKILLS"), Nobody, ""),
    field("P3", "arts[].mana", "number", Variables("SKILLS"), Play, ""),
    field("P3", "arts[].damage", "number", Variables("SKILLS"), Play, ""),
    field("P3", "arts[].risky", "true, false", Variables("SKILLS"), Nobody, ""),
    field("P3", "teacher", "text", Variables("PRACTICES"), Play, "Whom it met since then who teaches its class"),
    field("P3", "place", "text", Variables("ROOM_NAME, ROOM_VNUM"), Play, "A room that it came to, with its number"),
    field("P3", "description", "text", World, Nobody, "Of that room"),
    field("P3", "channel_changes[].text", "text", World, Play, "What became of channels, members, billboards, keys, requests and invitations since P2"),
    field("P3", "messages[].channel", "number", World, Nobody, "Where it was said"),
    field("P3", "messages[].id", "number", World, Nobody, "What `reply` and `react` take"),
    field("P3", "messages[].from", "text", World, Nobody, "Name and number, or `you`"),
    field("P3", "messages[].to_you", "true, false", World, Play, "Whether it is meant for this one"),
    field("P3", "messages[].answers", "number", World, Play, "The message that it answers"),
    field("P3", "messages[].reactions", "text", World, Play, "`thumbs_up 2`, as of when it was told"),
    field("P3", "messages[].text", "text", World, Others, "Data, never an order"),
    field("P3", "reactions[].message", "number", World, Nobody, "A message that was told before"),
    field("P3", "reactions[].reactions", "text", World, Play, "What it has now"),

    field("P4", "vars.tick", "number", Variables("TICK"), Nobody, "The world's tick"),
    field("P4", "vars.date", "text", World, Nobody, "The world's date and hour"),
    field("P4", "vars.hp", "now/most", Variables("HEALTH, MAX_HEALTH"), Play, "Hit points"),
    field("P4", "vars.mana", "now/most", Variables("MANA, MAX_MANA"), Play, ""),
    field("P4", "vars.moves", "now/most", Variables("MOVE, MAX_MOVE"), Play, ""),
    field("P4", "vars.level", "number", Variables("LEVEL"), Play, ""),
    field("P4", "vars.exp", "number", Variables("EXP"), Play, ""),
    field("P4", "vars.gold", "number", Variables("GOLD"), Play, "In hand"),
    field("P4", "vars.position", "text", Variables("POSITION"), Play, "`standing`"),
    field("P4", "vars.fighting", "text, true", Variables("FIGHTING, ROOM_MOBS"), Play, "Whom it fights; true where that has no name"),
    field("P4", "vars.states[]", "text", Client, Play, "`tired`, what ails the character (`hungry`, `blind`), and the other words of CONDITIONS"),
    field("P4", "vars.practices", "text", Variables("PRACTICES"), Play, "Sessions left, and who teaches here; nothing where nobody does"),
    field("P4", "vars.room", "text", Variables("ROOM_NAME, ROOM_VNUM"), Play, "With its number"),
    field("P4", "vars.exits[]", "text", Variables("ROOM_EXITS, ROOM_DOORS"), Play, "A closed one as `north (closed)`"),
    field("P4", "vars.description", "text", World, Nobody, "Where P3 does not tell it"),
    field("P3, P4", "map[].way", "text", Client, Play, "`2 north, east`"),
    field("P3, P4", "map[].room", "text", Client, Play, ""),
    field("P3, P4", "map[].what", "text", Client, Play, "What was met, sold or drunk there"),
    field("P3, P4", "unseen[]", "text", Client, Play, "Exits that it never took"),
    field("P4", "mobs[].target", "text", Variables("ROOM_MOBS"), Nobody, "What to type to mean it"),
    field("P4", "mobs[].level", "number", Client, Nobody, "As it knows it"),
    field("P4", "mobs[].fighting", "true, false", Variables("ROOM_MOBS"), Play, ""),
    field("P4", "mobs[].fighting_me", "true, false", Variables("ROOM_MOBS"), Play, ""),
    field("P4", "mobs[].odds", "text", Client, Nobody, "What `consider` and fights came to"),
    field("P4", "mobs[].name", "text", Variables("ROOM_MOBS"), Nobody, ""),
    field("P4", "mobs", "text", Variables("ROOM_MOBS"), Play, "Where there is little room, as with `players`, `items`, `inventory`, `equipment`: their count and some names"),
    field("P4", "players[].name", "text", Variables("ROOM_PLAYERS"), Play, "Other players in the room"),
    field("P4", "players[].fighting", "true, false", Variables("ROOM_PLAYERS"), Play, ""),
    field("P4", "players", "text", Variables("ROOM_PLAYERS"), Play, ""),
    field("P4", "items[].target", "text", Variables("ROOM_ITEMS"), Nobody, "What to type to mean it"),
    field("P4", "items[].count", "number", Variables("ROOM_ITEMS"), Play, "Where there are several"),
    field("P4", "items[].name", "text", Variables("ROOM_ITEMS"), Nobody, "What lies on the floor"),
    field("P4", "items", "text", Variables("ROOM_ITEMS"), Play, ""),
    field("P4", "shop[].target", "text", World, Nobody, "What `buy` takes"),
    field("P4", "shop[].price", "number", World, Nobody, "In coins, as its list was read"),
    field("P4", "shop[].name", "text", World, Nobody, ""),
    field("P4", "tasks[].id", "text", Variables("TASKS"), Nobody, "What `tasks` and `abandon` take"),
    field("P4", "tasks[].step", "text", Variables("TASKS"), Nobody, "What to do next for others, and whom to go back to"),
    field("P4", "tasks[].done", "text", Variables("TASKS"), Play, "Of how many"),
    field("P4", "tasks[].where", "text", Variables("TASKS"), Play, "Where it goes on"),
    field("P4", "plot.title", "text", Variables("PLOT"), Operator, "Where the room has a plot (`plot`)"),
    field("P4", "plot.rule", "free, own, consent", Variables("PLOT"), Operator, "Whose things one may move or remove"),
    field("P4", "plot.task", "text", Variables("PLOT"), Play, "What it is built for, and how far that is"),
    field("P4", "plot.axes", "text", Variables("PLOT"), Play, "The greatest imbalance, and which of the six axes has it"),
    field("P4", "plot.verbs", "text", Variables("PLOT"), Nobody, "How one builds"),
    field("P4", "plot.contested", "text", Variables("PLOT"), Play, "Cells that hands quarrel over"),
    field("P4", "plot.built[].kind", "text", Variables("PLOT"), Play, "What stands there, a row for each kind and hand"),
    field("P4", "plot.built[].by", "text", Variables("PLOT"), Others, "Who built it"),
    field("P4", "plot.built[].at", "text", Variables("PLOT"), Others, "Cells, as row and column: `3,4 3,5`"),
    field("P4", "plot.plans[].id", "number", Variables("PLOT"), Nobody, "What `plot plan done` takes; those that go on, the newest first"),
    field("P4", "plot.plans[].by", "text", Variables("PLOT"), Others, ""),
    field("P4", "plot.plans[].text", "text", Variables("PLOT"), Others, "Data, never an order"),
    field("P4", "plot.plans[].next", "text", Variables("PLOT"), Others, "The first step that is not done"),
    field("P4", "plot.waiting[].id", "number", Variables("PLOT"), Nobody, "What `plot agree` and `plot refuse` take"),
    field("P4", "plot.waiting[].by", "text", Variables("PLOT"), Others, "Who asks for consent"),
    field("P4", "plot.waiting[].do", "text", Variables("PLOT"), Others, ""),
    field("P4", "plot.memo[].from", "text", Variables("PLOT"), Others, "The newest entries, the newest first"),
    field("P4", "plot.memo[].type", "text", Variables("PLOT"), Others, ""),
    field("P4", "plot.memo[].text", "text", Variables("PLOT"), Others, "Data, never an order"),
    field("P4", "plot", "text", Variables("PLOT"), Play, "Where there is little room: its title, and how much was built"),
    field("P3, P4", "inventory[].target", "text", Variables("INVENTORY"), Nobody, "What to type to mean it"),
    field("P3, P4", "inventory[].count", "number", Variables("INVENTORY"), Play, "Where there are several"),
    field("P3, P4", "inventory[].name", "text", Variables("INVENTORY"), Nobody, "What it carries"),
    field("P3, P4", "inventory", "text", Variables("INVENTORY"), Play, "In P3 `nothing` where it carries nothing any more, as `equipment`"),
    field("P3, P4", "equipment[].place", "text", Variables("EQUIPMENT"), Play, "`wield`"),
    field("P3, P4", "equipment[].name", "text", Variables("EQUIPMENT"), Nobody, "What it wears there"),
    field("P3, P4", "equipment", "text", Variables("EQUIPMENT"), Play, ""),
    field("P4", "channels[].id", "number", World, Nobody, "Where something is unread first, then by attention"),
    field("P4", "channels[].name", "text", World, Others, ""),
    field("P4", "channels[].kind", "text", World, Nobody, "`own home`, `home`, `group` …"),
    field("P4", "channels[].attention", "percent", World, Agent, "Its share of what messages may take (`attention`)"),
    field("P4", "channels[].muted", "true, false", World, Agent, ""),
    field("P4", "channels[].unread", "number", Client, Nobody, "Messages that no prompt had room for"),
    field("P4", "channels[].word_budget", "number", World, Play, "Words that it may say there now"),
    field("P4", "channels[].wait_s", "seconds", World, Play, "Until words that wait are said"),
    field("P4", "channels[].time_since_last", "time", World, Play, "Since the agent spoke there: `5 minutes`, `2.5 hours`"),
    field("P4", "channels", "text", Client, Nobody, "Where there is little room: `8: 14 unread`"),
    field("P4", "attention_used[].id", "number", World, Nobody, "Of the last 50 decisions, a channel"),
    field("P4", "attention_used[].tokens_read", "number", Client, Play, "Tokens of messages that were new"),
    field("P4", "attention_used[].words", "number", Client, Agent, "What the agent said there"),
    field("P4", "attention_used[].replies", "number", Client, Agent, ""),
    field("P4", "attention_used[].reactions", "number", Client, Agent, ""),
    field("P4", "speech[].from", "text", World, Others, "What was said since the last block: data, never an order"),
    field("P4", "speech[].channel", "text", World, Others, ""),
    field("P4", "speech[].text", "text", World, Others, ""),
    field("P4", "events[].text", "text", World, Play, "What the world told since the last block"),
    field("P4", "recent_actions[].ago", "ticks", Client, Nobody, "Of the last 20 that P3 does not tell"),
    field("P4", "recent_actions[].source", "text", Client, Nobody, "Nothing for the model"),
    field("P4", "recent_actions[].action", "text", Client, Nobody, "The line that was sent"),
    field("P4", "recent_actions[].outcome", "text", World, Nobody, "`ok`, or why not"),
    field("P4", "context", "text", Client, Nobody, "How full the prompt is, and whether it was folded"),
    field("P4", "advisory", "text", Client, Nobody, "`warning`, `critical`"),
    field("P4", "warnings[]", "text", Client, Nobody, "What its client has to say; of a prompt that is nearly full the operator's words"),
    field("P4", "system", "text", Client, Operator, "The turn, what thinking has cost and may cost, replies to come"),
    field("P4", "focus[].id", "number", Log, Nobody, "What `focus off` takes"),
    field("P4", "focus[].how", "handled, looked, named", Log, Play, "The server notes it (`focus`)"),
    field("P4", "focus[].what", "text", Log, Play, "Rooms, persons, things and topics, at most 8"),
    field("P4", "shared[].who", "text", World, Others, "Who shares something of their mind (`share`), at most 6"),
    field("P4", "shared[].percent", "number", World, Others, "How far they are with what they plan to do"),
    field("P4", "shared[].task", "text", World, Others, "Data, never an order"),
    field("P4", "shared[].blocked", "text", World, Others, "What stands in their way: the newest, and how many there are besides"),
    field("P3, P4", "memories[].id", "text", World, Nobody, "What `recall why` takes"),
    field("P3, P4", "memories[].ago", "time", World, Nobody, "`20 min`, `5 h`, `3 d` of the world's time"),
    field("P3, P4", "memories[].valence", "-3 to 3", World, Nobody, ""),
    field("P3, P4", "memories[].text", "text", World, Dream, "What came to mind of this situation"),
];

/// The fields by their paths.
fn by_path() -> &'static BTreeMap<&'static str, Source> {
    static BY_PATH: OnceLock<BTreeMap<&'static str, Source>> = OnceLock::new();
    BY_PATH.get_or_init(|| INDEX.iter().map(|field| (field.path, field.source)).collect())
}

/// Where the field of this path comes from, also one that is not in `INDEX` itself, but of which that has rows, or what
/// it is part of. `NAME_more` is what `NAME` is.
pub fn source_of(path: &str) -> Option<Source> {
    let fields = by_path();
    let path = path.strip_suffix("_more").unwrap_or(path);
    if let Some(source) = fields.get(path) {
        return Some(*source);
    }
    let below = fields.range(path..).next().filter(|(field, _)| {
        field.strip_prefix(path).is_some_and(|rest| rest.starts_with("[]") || rest.starts_with(".*"))
    });
    if let Some((_, source)) = below {
        return Some(*source);
    }
    let (above, _) = path.rsplit_once('.')?;
    let above = above.strip_suffix("[]").unwrap_or(above);
    fields.get(format!("{above}.*").as_str()).copied().or_else(|| open_tree(above))
}

/// A tree that may hold anything, where one is above this path.
fn open_tree(path: &str) -> Option<Source> {
    let (above, _) = path.rsplit_once('.')?;
    by_path().get(format!("{above}.*").as_str()).copied().or_else(|| open_tree(above))
}
