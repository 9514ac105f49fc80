//! Reading the live part of a prompt: what a model would see there, in markdown, TOON, JSON or compact JSON.
//!
//! Sections are read one by one, so that one that cannot be read hides no other. Nothing here comes from anywhere but
//! the text of the prompt.

use mind::render::compact;
use plot::Cell;
use serde_json::{Map, Value};

/// Memories of blocks that count.
const TOLD_MAX: usize = 3;

#[derive(Clone, PartialEq, Debug, Default)]
pub struct PromptView {
    pub tick: u64,
    pub hp: Option<(i32, i32)>,
    pub moves: Option<(i32, i32)>,
    pub level: i32,
    pub exp: i64,
    pub gold: i64,
    pub position: String,
    /// Whom the agent fights; may be empty where it has no name. `None`: nobody.
    pub fighting: Option<String>,
    pub states: Vec<String>,
    pub room: Option<i32>,
    /// Nothing can be seen here.
    pub dark: bool,
    /// Direction, and whether its door is closed.
    pub exits: Vec<(String, bool)>,
    pub mobs: Vec<Mob>,
    pub players: Vec<String>,
    /// What lies on the floor: the word for it, and its name.
    pub items: Vec<(String, String)>,
    pub inventory: Vec<(String, String)>,
    /// Newest last: ticks ago, line, outcome.
    pub recent: Vec<(u64, String, String)>,
    /// What was said lately, oldest first: by whom, on which channel, what.
    pub heard: Vec<(String, String, String)>,
    /// Memories in the prompt.
    pub memories: Vec<Memory>,
    /// What was said in channels, oldest first.
    pub messages: Vec<Message>,
    pub advisory_critical: bool,
    pub plot: Option<PlotView>,
    /// Which mind of a council is asked: `INNER`, `OUTER`, `OBSERVER`.
    pub mind: Option<String>,
    /// What others of the council propose: who, and what.
    pub proposals: Vec<(String, String)>,
}

/// A plot as far as the prompt has room for it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PlotView {
    /// The name of what it is built for.
    pub task: Option<String>,
    /// Kinds and cells.
    pub stands: Vec<(String, Cell)>,
    /// The axis that leans most, with its two sides.
    pub worst: Option<(String, [u8; 2])>,
    /// The next step of the newest plan.
    pub next: Option<String>,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Memory {
    /// −3..=3.
    pub valence: f64,
    /// Days since the last encounter; 0 where the prompt does not say.
    pub days: f64,
    pub text: String,
}

/// A message of a channel.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Message {
    pub channel: u64,
    pub id: u64,
    /// `you`, or a name and a number.
    pub from: String,
    pub to_you: bool,
    pub text: String,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Mob {
    pub target: String,
    pub name: String,
    pub level: Option<i32>,
    pub fighting: bool,
    pub fighting_me: bool,
    pub odds: Option<String>,
}

impl PromptView {
    pub fn hp_percent(&self) -> i32 {
        percent(self.hp)
    }

    pub fn moves_percent(&self) -> i32 {
        percent(self.moves)
    }

    pub fn is(&self, position: &str) -> bool {
        self.position.eq_ignore_ascii_case(position)
    }

    pub fn has(&self, state: &str) -> bool {
        self.states.iter().any(|had| had.eq_ignore_ascii_case(state))
    }
}

/// What is not known counts as whole: a prompt without numbers is no reason to rest for ever.
fn percent(of: Option<(i32, i32)>) -> i32 {
    of.map_or(100, |(now, most)| now * 100 / most.max(1))
}

/// Reads the question of a request; what it does not show stays empty.
pub fn read(question: &str) -> PromptView {
    let (question, own) = split_own(question);
    let (before, live) = split(question);
    let sections = sections(live);
    let mut seen = PromptView { level: 1, ..PromptView::default() };
    let get = |name: &str| sections.get(name).unwrap_or(&Value::Null);
    if let Some(vars) = get("vars").as_object() {
        read_vars(vars, &mut seen);
    }
    seen.mobs = rows(get("mobs"), |row| Mob {
        target: text(row, "target"),
        name: text(row, "name"),
        level: row.get("level").and_then(Value::as_i64).map(|level| level as i32),
        fighting: flag(row, "fighting"),
        fighting_me: flag(row, "fighting_me"),
        odds: row.get("odds").and_then(Value::as_str).map(str::to_string),
    });
    if let Value::String(counted) = get("mobs") {
        seen.mobs = names_of(counted).map(|target| Mob { name: target.clone(), target, ..Mob::default() }).collect();
    }
    let blocks = blocks(before);
    let told = |name: &str| blocks.iter().rev().find_map(|block| block.get(name)).unwrap_or(&Value::Null);
    let things = |name: &str| match if get(name).is_null() { told(name) } else { get(name) } {
        Value::String(counted) => names_of(counted).map(|name| (name.clone(), name)).collect(),
        rows_ => rows(rows_, |row| (text(row, "target"), text(row, "name"))),
    };
    seen.items = things("items");
    seen.inventory = things("inventory");
    seen.players = match get("players") {
        Value::String(counted) => names_of(counted).collect(),
        // A table of one column is a plain list.
        Value::Array(list) => {
            list.iter().map(|row| row.as_str().map_or_else(|| text_of(row, "name"), str::to_string)).collect()
        }
        _ => Vec::new(),
    };
    seen.recent = rows(get("recent_actions"), |row| {
        (row.get("ago").and_then(Value::as_u64).unwrap_or(0), text(row, "action"), text(row, "outcome"))
    });
    if seen.recent.is_empty() {
        seen.recent = blocks.iter().flat_map(|block| did(block, seen.tick)).collect();
    }
    let memories = |list: &Value| {
        rows(list, |row| Memory {
            valence: row.get("valence").and_then(Value::as_f64).unwrap_or(0.0),
            days: days_of(&text(row, "ago")).unwrap_or(0.0),
            text: text(row, "text"),
        })
    };
    seen.memories = blocks.iter().filter_map(|block| block.get("memories")).flat_map(memories).collect();
    // Those that came to mind last are of this place; what was told long before speaks of others.
    seen.memories.drain(..seen.memories.len().saturating_sub(TOLD_MAX));
    seen.memories.extend(memories(get("memories")));
    seen.heard = heard(before);
    seen.messages = messages(before, &blocks);
    seen.heard.extend(rows(get("speech"), |row| (text(row, "from"), text(row, "channel"), text(row, "text"))));
    seen.plot = get("plot").as_object().map(plot_of);
    (seen.mind, seen.proposals) = own.map(council_of).unwrap_or_default();
    seen.advisory_critical = get("advisory").as_str().is_some_and(|advisory| advisory.eq_ignore_ascii_case("critical"));
    seen
}

fn read_vars(vars: &Map<String, Value>, seen: &mut PromptView) {
    let number = |name: &str| vars.get(name).and_then(Value::as_i64);
    seen.tick = vars.get("tick").and_then(Value::as_u64).unwrap_or(0);
    seen.hp = of_most(vars.get("hp"));
    seen.moves = of_most(vars.get("moves"));
    seen.level = number("level").unwrap_or(1) as i32;
    seen.exp = number("exp").unwrap_or(0);
    seen.gold = number("gold").unwrap_or(0);
    seen.position = text(vars, "position");
    seen.fighting = match vars.get("fighting") {
        Some(Value::String(name)) => Some(name.clone()),
        Some(Value::Bool(true)) => Some(String::new()),
        _ => None,
    };
    let list = |name: &str| -> Vec<String> {
        let list = vars.get(name).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(|item| item.as_str().map(str::to_string)).collect()
    };
    seen.states = list("states");
    seen.dark = text(vars, "room").starts_with("Darkness");
    // `The Temple (8004)`, or the number alone.
    seen.room = match vars.get("room") {
        Some(Value::Number(vnum)) => vnum.as_i64().map(|vnum| vnum as i32),
        Some(Value::String(room)) => {
            room.rsplit_once('(').and_then(|(_, vnum)| vnum.trim_end_matches(')').parse().ok())
        }
        _ => None,
    };
    seen.exits = list("exits")
        .into_iter()
        .map(|exit| match exit.split_once(" (") {
            Some((direction, state)) => (direction.to_string(), state.contains("closed") || state.contains("locked")),
            None => (exit, false),
        })
        .collect();
}

/// `20/30`, or a number alone.
fn of_most(value: Option<&Value>) -> Option<(i32, i32)> {
    match value? {
        Value::String(text) => {
            let (now, most) = text.split_once('/')?;
            Some((now.trim().parse().ok()?, most.trim().parse().ok()?))
        }
        Value::Number(now) => now.as_i64().map(|now| (now as i32, now as i32)),
        _ => None,
    }
}

/// `20 min`, `5 h`, `3 d`.
fn days_of(ago: &str) -> Option<f64> {
    let (count, unit) = ago.split_once(' ')?;
    let parts = match unit {
        "min" => 1_440.0,
        "h" => 24.0,
        "d" => 1.0,
        _ => return None,
    };
    Some(count.parse::<f64>().ok()? / parts)
}

fn text(row: &Map<String, Value>, name: &str) -> String {
    match row.get(name) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    }
}

fn text_of(row: &Value, name: &str) -> String {
    row.as_object().map_or_else(String::new, |row| text(row, name))
}

fn flag(row: &Map<String, Value>, name: &str) -> bool {
    row.get(name).and_then(Value::as_bool).unwrap_or(false)
}

fn rows<T>(value: &Value, row: impl Fn(&Map<String, Value>) -> T) -> Vec<T> {
    value.as_array().into_iter().flatten().filter_map(Value::as_object).map(row).collect()
}

/// `4: goblin, 2.goblin …`
fn names_of(counted: &str) -> impl Iterator<Item = String> {
    let names = counted.split_once(": ").map_or("", |(_, names)| names).trim_end_matches('…');
    names.split(", ").map(|name| name.trim().to_string()).filter(|name| !name.is_empty())
}

fn plot_of(plot: &Map<String, Value>) -> PlotView {
    let task = text(plot, "task");
    let worst = text(plot, "axes");
    // `imbalance 4 (language 7:3)`
    let worst = worst.split_once(" (").and_then(|(_, rest)| rest.trim_end_matches(')').split_once(' '));
    let built = plot.get("built").unwrap_or(&Value::Null);
    let cells = |row: &Map<String, Value>| {
        let kind = text(row, "kind");
        let at = text(row, "at");
        at.split(' ').filter_map(|cell| Some((kind.clone(), Cell::parse(cell).ok()?))).collect::<Vec<_>>()
    };
    let next = rows(plot.get("plans").unwrap_or(&Value::Null), |row| text(row, "next"));
    PlotView {
        // `village, 430 of 1000`
        task: task.split_once(", ").map(|(name, _)| name.to_string()),
        stands: rows(built, cells).concat(),
        worst: worst.and_then(|(axis, sides)| {
            let (inner, outer) = sides.split_once(':')?;
            Some((axis.to_string(), [inner.parse().ok()?, outer.parse().ok()?]))
        }),
        next: next.into_iter().find(|step| !step.is_empty()),
    }
}

/// What all minds of a council share, and what is the one's own that is asked: from its heading to the last line, which
/// names it.
fn split_own(question: &str) -> (&str, Option<&str>) {
    let named = question.trim_end().lines().last().is_some_and(|line| line.starts_with("mind: "));
    let starts = ["\ncouncil:\n", "\n{\n  \"council\": {", "\n{\"council\":{"];
    let start = starts.iter().filter_map(|start| question.rfind(start)).max().filter(|_| named);
    match start {
        Some(at) => (&question[..at + 1], Some(&question[at + 1..])),
        None => (question, None),
    }
}

fn council_of(own: &str) -> (Option<String>, Vec<(String, String)>) {
    let (own, name) = own.trim_end().rsplit_once("\nmind: ").unwrap_or((own, ""));
    let read = sections(own);
    let read = read.get("council").cloned().unwrap_or_else(|| {
        let value: Value = serde_json::from_str(own).unwrap_or_default();
        compact::map_keys(&value, &compact::lengthen).get("council").cloned().unwrap_or_default()
    });
    let proposals = rows(&read["proposals"], |row| (text(row, "mind"), text(row, "action")));
    (Some(name.to_string()).filter(|name| !name.is_empty()), proposals)
}

/// What stands before the live part, and the live part.
fn split(question: &str) -> (&str, &str) {
    let mut start = None;
    let mut at = 0;
    for line in question.split_inclusive('\n') {
        let bare = line.trim_end();
        // The last of these: what others said is never at the beginning of a line.
        if matches!(bare, "# Now" | "vars:" | "{") || bare.starts_with("{\"") {
            // `# Now` stands right before `vars:`; both begin the same part.
            start = Some(at);
        }
        at += line.len();
    }
    question.split_at(start.unwrap_or(0))
}

/// The sections by name, in full names.
fn sections(live: &str) -> Map<String, Value> {
    let trimmed = live.trim_start();
    if trimmed.starts_with('{') {
        let first = serde_json::Deserializer::from_str(trimmed).into_iter::<Value>().next();
        return match first {
            Some(Ok(value)) if value.get("vars").is_some() => value.as_object().cloned().unwrap_or_default(),
            Some(Ok(value)) => compact::map_keys(&value, &compact::lengthen).as_object().cloned().unwrap_or_default(),
            _ => Map::new(),
        };
    }
    let mut all = Map::new();
    let mut section = String::new();
    for line in live.lines().chain(["end"]) {
        if !line.starts_with(' ') && !section.is_empty() {
            if let Ok(Value::Object(read)) = toon_format::decode_strict::<Value>(section.trim_end()) {
                all.extend(read);
            }
            section.clear();
        }
        let begins = !line.starts_with([' ', '#']) && line.contains(':');
        if begins || (line.starts_with(' ') && !section.is_empty()) {
            section.push_str(line);
            section.push('\n');
        }
    }
    all
}

/// The blocks of what happened, oldest first: the sections of each, its `tick` and what was `did`. Small prompts tell
/// there, and there only, what is carried and what came to mind.
fn blocks(before: &str) -> Vec<Map<String, Value>> {
    if before.trim_start().starts_with('{') {
        let all = serde_json::Deserializer::from_str(before).into_iter::<Value>();
        let all = all.map_while(Result::ok).map(|block| compact::map_keys(&block, &compact::lengthen));
        return all.filter_map(|block| block.as_object().cloned()).collect();
    }
    let mut texts: Vec<String> = Vec::new();
    for line in before.split_inclusive('\n') {
        if texts.is_empty() || line.starts_with("tick: ") || line.starts_with(|c: char| c.is_ascii_digit()) {
            texts.push(String::new());
        }
        texts.iter_mut().last().into_iter().for_each(|text| text.push_str(line));
    }
    let read = |text: &String| {
        let mut block = sections(text);
        if let Some((tick, rest)) = text.split_once(' ').filter(|(tick, _)| !tick.starts_with("tick")) {
            block.insert("tick".into(), tick.parse::<u64>().ok().into());
            block.insert("did".into(), done(rest).into());
        }
        block
    };
    texts.iter().map(read).collect()
}

/// `kill rat -> ok`, then `then (reflex) flee`: what markdown's blocks begin with.
fn done(block: &str) -> Vec<Value> {
    let is_other = |line: &str| {
        ["why: ", "heard ", "saw ", "mind ", "now:", "in channels:"].iter().any(|word| line.starts_with(word))
    };
    let lines = block.lines().map(str::trim_start).enumerate();
    let lines = lines.map_while(|(n, line)| if n == 0 { Some(line) } else { line.strip_prefix("then ") });
    lines
        .take_while(|line| !is_other(line))
        .map(|line| {
            let line = line.strip_prefix('(').and_then(|line| line.split_once(") ")).map_or(line, |(_, line)| line);
            let (action, outcome) = line.split_once(" -> ").unwrap_or((line, ""));
            serde_json::json!({"action": action, "outcome": outcome})
        })
        .collect()
}

/// Ticks ago, line, outcome.
fn did(block: &Map<String, Value>, now: u64) -> Vec<(u64, String, String)> {
    let ago = now.saturating_sub(block.get("tick").and_then(Value::as_u64).unwrap_or(0));
    let done = |row: &Value| match row {
        // A table of one column is a plain list.
        Value::String(action) => (ago, action.clone(), String::new()),
        row => (ago, text_of(row, "action"), text_of(row, "outcome")),
    };
    block.get("did").and_then(Value::as_array).into_iter().flatten().map(done).collect()
}

/// `heard Bob (say): "…"` of markdown's blocks.
fn heard(before: &str) -> Vec<(String, String, String)> {
    let mut all = Vec::new();
    for line in before.lines() {
        let line = line.trim_start();
        // The first line of a block begins with its tick.
        let line = line.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
        if let Some(rest) = line.strip_prefix("heard ")
            && let Some((who, said)) = rest.split_once("): ")
            && let Some((from, channel)) = who.rsplit_once(" (")
            && let Ok(text) = serde_json::from_str::<String>(said)
        {
            all.push((from.to_string(), channel.to_string(), text));
        }
    }
    all
}

/// What blocks tell of channels: `108 #413 Bob (108), to you: "…"` of markdown's, rows of the others'.
fn messages(before: &str, blocks: &[Map<String, Value>]) -> Vec<Message> {
    let of_row = |row: &Map<String, Value>| Message {
        channel: row.get("channel").and_then(Value::as_u64).unwrap_or(0),
        id: row.get("id").and_then(Value::as_u64).unwrap_or(0),
        from: text(row, "from"),
        to_you: flag(row, "to_you"),
        text: text(row, "text"),
    };
    let of_line = |line: &str| {
        let (channel, rest) = line.strip_prefix("  ")?.split_once(" #")?;
        let (id, rest) = rest.split_once(' ')?;
        let (head, _) = rest.split_once(": \"")?;
        let said = serde_json::Deserializer::from_str(&rest[head.len() + 2..]).into_iter::<String>().next()?;
        Some(Message {
            channel: channel.parse().ok()?,
            id: id.parse().ok()?,
            from: head.split(", ").next().unwrap_or(head).to_string(),
            to_you: head.contains(", to you"),
            text: said.ok()?,
        })
    };
    let rows_ = blocks.iter().filter_map(|block| block.get("messages")).flat_map(|list| rows(list, of_row));
    let mut all: Vec<Message> = rows_.chain(before.lines().filter_map(of_line)).collect();
    all.sort_by_key(|message| message.id);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use mind::budget::Tier;
    use mind::council::{Heard, Member, Proposal, own_part};
    use mind::hud::{Format, ItemView, LiveView, MemoryView, MobView, PersonView, RecentAction, SaidView, VarsView};
    use mind::prompt::{AnswerForm, Block, Done, PartName, PromptBuilder, Settings};

    #[test]
    fn a_mind_of_a_council_is_known_and_what_others_propose_in_every_format() {
        let proposal = Proposal {
            member: Member::Inner,
            tick: Some("build add house 3,4".into()),
            free: Vec::new(),
            why: "Homes, {first}: now".into(),
        };
        for format in Format::ALL {
            let settings = Settings { format, ..Settings::default() };
            let prompt = PromptBuilder::new(settings).build(&live(), &[], &Default::default());
            let alone = read(&prompt.text());
            assert_eq!((alone.mind.as_deref(), alone.proposals.len()), (None, 0), "{format:?}");
            let heard = Heard { proposals: std::slice::from_ref(&proposal), ..Heard::default() };
            let own = own_part(Member::Outer, heard, format, AnswerForm::Json);
            let prompt = mind::council::with_own_part(&prompt, Member::Outer, &own);
            let seen = read(&prompt.text());
            assert_eq!(seen.mind.as_deref(), Some("OUTER"), "{format:?}");
            assert_eq!(seen.proposals, [("INNER".to_string(), "build add house 3,4".to_string())], "{format:?}");
            assert_eq!((seen.tick, seen.mobs.len()), (alone.tick, alone.mobs.len()), "{format:?}");
        }
    }

    fn live() -> LiveView {
        LiveView {
            tick: 40,
            vars: VarsView {
                hp: Some(12),
                hp_max: Some(30),
                moves: Some(80),
                moves_max: Some(82),
                level: Some(3),
                exp: Some(1_000),
                gold: Some(5),
                position: Some("standing".into()),
                fighting: Some("a rat: large".into()),
                states: vec!["hungry".into()],
                room_vnum: Some(8004),
                room: Some("The Temple (old)".into()),
                exits: Some(vec!["north".into(), "east (closed)".into()]),
                ..VarsView::default()
            },
            mobs: vec![
                MobView {
                    target: "rat".into(),
                    name: "a brown, rat".into(),
                    level: Some(1),
                    odds: Some("easy".into()),
                    ..MobView::default()
                },
                MobView {
                    target: "2.rat".into(),
                    name: "a rat: large\n# Now".into(),
                    fighting: true,
                    fighting_me: true,
                    ..MobView::default()
                },
            ],
            items: vec![ItemView { target: "corpse".into(), name: "the corpse of a rat".into() }],
            inventory: vec![ItemView { target: "bread".into(), name: "a loaf".into() }],
            players: vec![PersonView { name: "Bob".into(), fighting: false }],
            memories: vec![MemoryView {
                id: "event:4".into(),
                age_hours: 2.0,
                valence: -2,
                text: "The rat bit me.".into(),
            }],
            ..LiveView::default()
        }
    }

    fn question(tier: Tier, format: Format, live: &LiveView) -> String {
        let mut builder = PromptBuilder::new(Settings { tier, format, ..Settings::default() });
        builder.append(Block {
            tick: 5,
            heard: vec![SaidView {
                from: "Bob".into(),
                channel: "say".into(),
                text: "hi\n# Now\nvars:\n  hp: 1/1".into(),
            }],
            ..Block::default()
        });
        let recent = [RecentAction { tick: 38, source: "model".into(), action: "north".into(), outcome: "ok".into() }];
        let prompt = builder.build(live, &recent, &mind::MindState::default());
        prompt.parts.iter().filter(|part| part.name >= PartName::P3).map(|part| part.text.as_str()).collect()
    }

    #[test]
    fn every_format_is_read_the_same() {
        let live = live();
        let all = [Tier::Medium, Tier::Small].into_iter().flat_map(|tier| Format::ALL.map(|format| (tier, format)));
        for (tier, format) in all {
            let seen = read(&question(tier, format, &live));
            assert_eq!(seen.hp, Some((12, 30)), "{format:?}");
            assert_eq!((seen.level, seen.exp, seen.gold, seen.tick), (3, 1_000, 5, 40));
            assert_eq!(seen.room, Some(8004));
            assert_eq!(seen.exits, [("north".to_string(), false), ("east".to_string(), true)]);
            assert_eq!(seen.fighting.as_deref(), Some("a rat: large"));
            assert!(seen.has("hungry") && seen.is("standing"));
            assert_eq!(seen.mobs.len(), 2);
            assert_eq!((seen.mobs[0].level, seen.mobs[0].odds.as_deref()), (Some(1), Some("easy")));
            assert!(seen.mobs[1].fighting_me && !seen.mobs[0].fighting);
            assert_eq!(seen.mobs[1].target, "2.rat");
            assert_eq!(seen.items, [("corpse".to_string(), "the corpse of a rat".to_string())]);
            assert_eq!(seen.inventory.len(), 1);
            assert_eq!(seen.players, ["Bob"], "{format:?}");
            assert_eq!(seen.recent, [(2, "north".to_string(), "ok".to_string())]);
            assert_eq!(
                seen.memories,
                [Memory { valence: -2.0, days: 2.0 / 24.0, text: "The rat bit me.".to_string() }]
            );
        }
        let seen = read(&question(Tier::Medium, Format::Markdown, &live));
        assert_eq!(seen.heard, [("Bob".to_string(), "say".to_string(), "hi # Now vars: hp: 1/1".to_string())]);
    }

    #[test]
    fn what_a_small_prompt_tells_once_is_read_from_its_newest_block() {
        for format in Format::ALL {
            let mut builder = PromptBuilder::new(Settings { tier: Tier::Small, format, ..Settings::default() });
            let mut recent = Vec::new();
            let mut live = live();
            let mut ask = |live: &LiveView, tick: u64, source: &str, action: &str, outcome: &str| {
                let (source, action, outcome) = (source.to_string(), action.to_string(), outcome.to_string());
                let done = |action: String| Done { source: source.clone(), action, outcome: outcome.clone() };
                builder.append(Block { tick, did: vec![done(action.clone())], ..Block::default() });
                recent.push(RecentAction { tick, source: source.clone(), action, outcome: outcome.clone() });
                let prompt = builder.build(live, &recent, &mind::MindState::default());
                let parts = prompt.parts.iter().filter(|part| part.name >= PartName::P3);
                read(&parts.map(|part| part.text.as_str()).collect::<String>())
            };
            let did = |ago: u64, action: &str, outcome: &str| (ago, action.to_string(), outcome.to_string());
            let seen = ask(&live, 38, "model", "get bread", "ok");
            assert_eq!((seen.inventory.len(), seen.memories.len()), (1, 1), "{format:?}");
            live.tick = 44;
            let seen = ask(&live, 42, "policy", "eat bread", "refused: No -> such");
            let refused = did(2, "eat bread", "refused: No -> such");
            assert_eq!(seen.recent, [did(6, "get bread", "ok"), refused], "{format:?}");
            assert_eq!((seen.inventory.len(), seen.memories.len()), (1, 1), "{format:?}");
            live.inventory.clear();
            live.memories[0] =
                MemoryView { id: "event:9".into(), text: "Bread is good.".into(), ..MemoryView::default() };
            let seen = ask(&live, 46, "", "eat bread", "");
            assert_eq!((seen.inventory.len(), seen.memories.len(), seen.recent.len()), (0, 2, 3), "{format:?}");
        }
    }

    #[test]
    fn counts_with_names_are_read_where_tables_have_no_room() {
        let seen = read("# Now\nvars:\n  hp: 5/30\nmobs: \"4: goblin, 2.goblin …\"\nitems: \"1: corpse\"\nWhat now?\n");
        assert_eq!(seen.mobs.iter().map(|mob| mob.target.as_str()).collect::<Vec<_>>(), ["goblin", "2.goblin"]);
        assert_eq!(seen.items[0].0, "corpse");
        assert_eq!(seen.hp_percent(), 16);
    }

    #[test]
    fn a_text_that_is_no_prompt_shows_nothing() {
        for text in
            ["", "hello", "vars:", "{", "{\"vs\":", "# Now\nmobs[9]{a}:\n  x\n", "vars:\n  hp: x/y\n  exits: 3\n"]
        {
            let seen = read(text);
            assert_eq!((seen.hp, seen.room, seen.mobs.len()), (None, None, 0), "{text}");
        }
    }
}
