//! The sections of the here and now: each a function of the view and the detail, in the order of `SECTIONS`.

use super::channels;
use super::detail::Detail;
use super::node::{Node, Table, column, column_unless};
use super::origin::Origin;
use super::plot;
use super::text;
use super::view::{FocusView, ItemView, LedgerView, LiveView, RecentAction, SaidView, TaskView, VarsView};
use crate::budget::Caps;
use crate::pressure::{Advisory, Density};
use crate::sharing::TOLD_MAX;
use protocol::payload::SharedRow;
use serde_json::Value;

/// What the live sections are made of.
#[derive(Clone, Copy, Debug)]
pub struct LiveInput<'a> {
    pub live: &'a LiveView,
    pub recent: &'a [RecentAction],
    pub context: ContextBar,
    /// What is said where it is nearly full.
    pub nearly_full: &'a str,
    pub shown: &'a AlreadyShown,
    /// Those that are data, in their order.
    pub sections: &'a [ShownSection],
}

/// A section that is data (`crate::sections`), as it is shown.
#[derive(Clone, PartialEq, Debug)]
pub struct ShownSection {
    /// The tightest packing in which it still is.
    pub density: Density,
    pub tokens: usize,
    pub node: Node,
}

/// What stands in P3 just so, and is left out here. Nothing of it: everything is shown.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AlreadyShown {
    pub inventory: bool,
    pub equipment: bool,
    /// The room's description and the map of the rooms around it.
    pub place: bool,
    /// The description alone.
    pub description: bool,
    /// What came to mind of what is here: blocks tell of all that is past.
    pub past: bool,
    /// Which of the live view's memories, by their places; one that is beyond its end is not shown.
    pub memories: Vec<bool>,
    /// Which of the recent actions, by their places; one that is beyond its end is not shown.
    pub recent: Vec<bool>,
    /// Of each channel, by its place, how many messages nobody showed; beyond its end it is as the server counts.
    pub unread: Vec<u32>,
}

impl AlreadyShown {
    pub fn has_memory(&self, place: usize) -> bool {
        self.memories.get(place).is_some_and(|shown| *shown)
    }
}

/// How full the prompt is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ContextBar {
    pub tokens: usize,
    pub budget: usize,
    /// Tokens more than last time; negative after a compaction.
    pub trend: i64,
    pub advisory: Advisory,
    /// Entries of P3 are about to be folded, or just were.
    pub folded: bool,
}

/// Sections that share a budget.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Share {
    Live,
    Map,
    Recent,
    Retrieval,
    Channels,
    Sections,
}

impl Share {
    pub const ALL: [Share; 6] =
        [Share::Live, Share::Map, Share::Recent, Share::Retrieval, Share::Channels, Share::Sections];

    /// The most tokens that it has in a tier.
    pub const fn cap(self, caps: &Caps) -> usize {
        match self {
            Share::Live => caps.live,
            Share::Map => caps.map,
            Share::Recent => caps.recent,
            Share::Retrieval => caps.retrieval,
            Share::Channels => caps.table,
            Share::Sections => caps.sections,
        }
    }
}

/// A section: its name in the table of tokens, and what makes it.
pub struct Section {
    pub name: &'static str,
    pub share: Share,
    pub make: fn(&LiveInput, &Detail) -> Node,
}

/// In the order of the prompt. What moves most stands near the end, where the question is.
pub const SECTIONS: &[Section] = &[
    Section { name: "vars", share: Share::Live, make: vars },
    Section { name: "map", share: Share::Map, make: map },
    Section { name: "mobs", share: Share::Live, make: mobs },
    Section { name: "players", share: Share::Live, make: players },
    Section { name: "items", share: Share::Live, make: items },
    Section { name: "shop", share: Share::Live, make: shop },
    Section { name: "tasks", share: Share::Live, make: tasks },
    Section { name: "plot", share: Share::Live, make: plot },
    Section { name: "inventory", share: Share::Live, make: inventory },
    Section { name: "equipment", share: Share::Live, make: equipment },
    Section { name: "channels", share: Share::Channels, make: channels },
    Section { name: "attention used", share: Share::Channels, make: attention_used },
    Section { name: "speech", share: Share::Live, make: speech },
    Section { name: "events", share: Share::Live, make: events },
    Section { name: "recent actions", share: Share::Recent, make: recent },
    Section { name: "context", share: Share::Live, make: context },
    Section { name: "warnings", share: Share::Live, make: warnings },
    Section { name: "system", share: Share::Live, make: system },
    Section { name: "focus", share: Share::Live, make: focus },
    Section { name: "shared", share: Share::Live, make: shared },
    Section { name: "sections", share: Share::Sections, make: sections },
    Section { name: "memories", share: Share::Retrieval, make: memories },
];

fn line(text: &str, cap: usize) -> Value {
    Value::String(text::line(text, cap))
}

/// `20/30`, `20` where the most is not known.
fn of_most(now: Option<i32>, most: Option<i32>) -> Option<Value> {
    match (now, most) {
        (Some(now), Some(most)) => Some(format!("{now}/{most}").into()),
        (Some(now), None) => Some(now.into()),
        (None, _) => None,
    }
}

/// `The Well Yard (8011)`.
fn room(vars: &VarsView) -> Option<Value> {
    match (&vars.room, vars.room_vnum) {
        (Some(room), Some(vnum)) => Some(Value::String(format!("{} ({vnum})", text::line(room, 60)))),
        (Some(room), None) => Some(line(room, 60)),
        (None, vnum) => vnum.map(Value::from),
    }
}

fn vars(now: &LiveInput, detail: &Detail) -> Node {
    let VarsView { hp, hp_max, mana, mana_max, moves, moves_max, level, exp, gold, .. } = now.live.vars;
    let vars = &now.live.vars;
    let short = detail.density == Density::Minimal;
    let name = |text: &String| line(text, detail.name_chars.max(24));
    let exits = vars.exits.as_ref().map(|exits| exits.iter().take(12).map(|exit| line(exit, 24)).collect::<Vec<_>>());
    let states: Vec<Value> = vars.states.iter().take(8).map(|state| line(state, 24)).collect();
    let described = detail.description_chars > 0 && !now.shown.place;
    let description = vars.description.as_ref().filter(|_| described);
    let fields = [
        ("tick", (!short).then(|| now.live.tick.into())),
        ("date", (!short && !now.live.date.is_empty()).then(|| line(&now.live.date, 60))),
        ("hp", of_most(hp, hp_max)),
        ("mana", of_most(mana, mana_max)),
        ("moves", of_most(moves, moves_max)),
        ("level", level.map(Value::from)),
        ("exp", exp.filter(|_| !short).map(Value::from)),
        ("gold", gold.filter(|_| !short).map(Value::from)),
        ("position", vars.position.as_ref().map(name)),
        ("fighting", vars.fighting.as_ref().map(|who| if who.is_empty() { true.into() } else { name(who) })),
        ("states", (!states.is_empty()).then(|| states.into())),
        ("practices", vars.practices.as_ref().map(|text| line(text, 60))),
        ("room", room(vars)),
        ("exits", exits.map(Value::from)),
        ("description", description.map(|text| line(text, detail.description_chars))),
    ];
    let fields: Vec<_> = fields.into_iter().filter_map(|(key, value)| Some((key, value?))).collect();
    Node::Group(vec![Node::heading(1, "Now"), Node::named("vars", Node::fields(fields))])
}

/// Rooms around, and what of this one is unseen. A prompt without room for it has the exits.
fn map(now: &LiveInput, detail: &Detail) -> Node {
    if detail.map == 0 || now.shown.place {
        return Node::Nothing;
    }
    let rows = now.live.map.iter().map(|room| {
        vec![
            line(&room.way, 60),
            line(&room.room, detail.name_chars.max(44)),
            line(&room.what, detail.text_chars.min(60)),
        ]
    });
    let columns = vec![column("way"), column("room"), column("what")];
    // What is further off is no row that was left out: nobody counts the world.
    let table = Table::of(columns, rows.take(detail.map).collect(), 0);
    let unseen: Vec<Value> = now.live.unseen.iter().take(8).map(|direction| line(direction, 16)).collect();
    let unseen = (!unseen.is_empty()).then(|| ("unseen", Value::from(unseen)));
    Node::Group(vec![Node::named("map", Node::Table(table)), Node::fields(unseen)])
}

/// `4: goblin, 2.goblin …`: a count with the first few names.
fn counted<'a>(names: impl Iterator<Item = &'a str>, detail: &Detail) -> Node {
    let names: Vec<&str> = names.collect();
    if names.is_empty() {
        return Node::Nothing;
    }
    let shown: Vec<String> = names.iter().take(detail.named).map(|name| text::line(name, detail.name_chars)).collect();
    let more = if names.len() > shown.len() { " …" } else { "" };
    Node::Data(Value::String(format!("{}: {}{more}", names.len(), shown.join(", "))))
}

/// Who fights the agent comes first, then who fights at all; else in the order of the room.
fn mobs(now: &LiveInput, detail: &Detail) -> Node {
    let mut mobs: Vec<_> = now.live.mobs.iter().collect();
    if mobs.len() > detail.mobs {
        mobs.sort_by_key(|mob| (!mob.fighting_me, !mob.fighting));
    }
    if detail.mobs == 0 {
        return Node::named("mobs", counted(mobs.iter().map(|mob| mob.target.as_str()), detail));
    }
    let columns = vec![
        column("target"),
        column("level"),
        column_unless("fighting", false),
        column_unless("fighting_me", false),
        column("odds"),
        column("name"),
    ];
    let rows = mobs
        .iter()
        .map(|mob| {
            vec![
                line(&mob.target, detail.name_chars),
                mob.level.into(),
                mob.fighting.into(),
                mob.fighting_me.into(),
                mob.odds.as_ref().map_or(Value::Null, |odds| line(odds, detail.name_chars)),
                line(&mob.name, detail.name_chars),
            ]
        })
        .collect();
    Node::named("mobs", Node::Table(Table::new(columns, rows, detail.mobs)))
}

fn players(now: &LiveInput, detail: &Detail) -> Node {
    let players = &now.live.players;
    if detail.players == 0 {
        return Node::named("players", counted(players.iter().map(|player| player.name.as_str()), detail));
    }
    let rows = players.iter().map(|p| vec![line(&p.name, detail.name_chars), p.fighting.into()]).collect();
    let columns = vec![column("name"), column_unless("fighting", false)];
    Node::named("players", Node::Table(Table::new(columns, rows, detail.players)))
}

/// Things that are the same are one row with a count.
fn things(key: &'static str, things: &[ItemView], limit: usize, detail: &Detail, same: Same) -> Node {
    if limit == 0 {
        return Node::named(key, counted(things.iter().map(|thing| thing.target.as_str()), detail));
    }
    let mut rows: Vec<(&ItemView, u32)> = Vec::new();
    for thing in things {
        match rows.iter_mut().find(|(other, _)| same(other, thing)) {
            Some((_, count)) => *count += 1,
            None => rows.push((thing, 1)),
        }
    }
    let columns = vec![column("target"), column_unless("count", 1), column("name")];
    let rows = rows
        .into_iter()
        .map(|(thing, count)| {
            vec![line(&thing.target, detail.name_chars), count.into(), line(&thing.name, detail.name_chars)]
        })
        .collect();
    Node::named(key, Node::Table(Table::new(columns, rows, limit)))
}

type Same = fn(&ItemView, &ItemView) -> bool;

fn items(now: &LiveInput, detail: &Detail) -> Node {
    things("items", &now.live.items, detail.items, detail, |a, b| a == b)
}

fn shop(now: &LiveInput, detail: &Detail) -> Node {
    if detail.shop == 0 {
        return Node::Nothing;
    }
    let columns = vec![column("target"), column("price"), column("name")];
    let rows = now
        .live
        .shop
        .iter()
        .map(|ware| vec![line(&ware.target, 8), ware.price.into(), line(&ware.name, detail.name_chars)])
        .collect();
    Node::named("shop", Node::Table(Table::new(columns, rows, detail.shop)))
}

fn tasks(now: &LiveInput, detail: &Detail) -> Node {
    if detail.focus == 0 {
        return Node::Nothing;
    }
    let columns = vec![column("id"), column("step"), column("done"), column("where")];
    let row = |task: &TaskView| {
        let done = (task.need > 1).then(|| format!("{}/{}", task.done, task.need).into());
        let place = (!task.place.is_empty()).then(|| line(&task.place, detail.name_chars));
        let step = line(&task.step, detail.text_chars);
        vec![line(&task.id, detail.name_chars), step, done.unwrap_or(Value::Null), place.unwrap_or(Value::Null)]
    };
    let rows = now.live.tasks.iter().map(row).collect();
    Node::named("tasks", Node::Table(Table::new(columns, rows, detail.focus)))
}

fn plot(now: &LiveInput, detail: &Detail) -> Node {
    now.live.plot.as_ref().map_or(Node::Nothing, |seen| plot::node(seen, detail))
}

fn inventory(now: &LiveInput, detail: &Detail) -> Node {
    if now.shown.inventory {
        return Node::Nothing;
    }
    // Of things with one name nobody cares which is dropped: the word of the first means any.
    things("inventory", &now.live.inventory, detail.inventory, detail, |a, b| a.name == b.name)
}

fn equipment(now: &LiveInput, detail: &Detail) -> Node {
    let worn = &now.live.equipment;
    if now.shown.equipment {
        return Node::Nothing;
    }
    if detail.equipment == 0 {
        return Node::named("equipment", counted(worn.iter().map(|thing| thing.place.as_str()), detail));
    }
    let rows = worn.iter().map(|w| vec![line(&w.place, detail.name_chars), line(&w.name, detail.name_chars)]).collect();
    let columns = vec![column("place"), column("name")];
    Node::named("equipment", Node::Table(Table::new(columns, rows, detail.equipment)))
}

fn channels(now: &LiveInput, detail: &Detail) -> Node {
    channels::table(now.live, &now.shown.unread, detail)
}

fn attention_used(now: &LiveInput, detail: &Detail) -> Node {
    channels::attention_used(now.live, detail)
}

/// Rows of what others said: the text last, so that it cannot be taken for another cell.
pub fn said(rows: &[SaidView], detail: &Detail) -> Table {
    let newest = &rows[rows.len().saturating_sub(detail.speech)..];
    let cells = |said: &SaidView| {
        vec![line(&said.from, detail.name_chars), line(&said.channel, 16), line(&said.text, detail.text_chars)]
    };
    let columns = vec![column("from"), column("channel"), column("text")];
    Table::of(columns, newest.iter().map(cells).collect(), rows.len() - newest.len())
}

fn speech(now: &LiveInput, detail: &Detail) -> Node {
    Node::named("speech", Node::Table(said(&now.live.speech, detail)))
}

fn events(now: &LiveInput, detail: &Detail) -> Node {
    let events = &now.live.events;
    let newest = &events[events.len().saturating_sub(detail.events)..];
    let rows = newest.iter().map(|event| vec![line(event, detail.text_chars)]).collect();
    // What was left out here is in the client's log; in the minimal density nobody can act on how much it was.
    let more = if detail.events == 0 { 0 } else { events.len() - newest.len() };
    Node::named("events", Node::Table(Table::of(vec![column("text")], rows, more)))
}

fn recent(now: &LiveInput, detail: &Detail) -> Node {
    let is_shown = |place: usize| now.shown.recent.get(place).is_some_and(|shown| *shown);
    let newest = now.recent.iter().enumerate().skip(now.recent.len().saturating_sub(detail.recent));
    let newest = newest.filter(|(place, _)| !is_shown(*place)).map(|(_, done)| done);
    let columns = vec![column("ago"), column_unless("source", "model"), column("action"), column("outcome")];
    let rows = newest
        .map(|done| {
            vec![
                now.live.tick.saturating_sub(done.tick).into(),
                line(&done.source, 8),
                line(&done.action, detail.name_chars),
                line(&done.outcome, detail.outcome_chars),
            ]
        })
        .collect();
    Node::named("recent_actions", Node::Table(Table::of(columns, rows, 0)))
}

fn context(now: &LiveInput, detail: &Detail) -> Node {
    let ContextBar { tokens, budget, trend, advisory, folded } = now.context;
    if budget == 0 {
        return Node::Nothing;
    }
    let percent = tokens * 100 / budget;
    let mut text = format!("{percent}%");
    if detail.density != Density::Minimal {
        text.push_str(&format!(" of {budget} tokens"));
    }
    match trend {
        _ if detail.density != Density::Full => {}
        0 => {}
        1.. => text.push_str(&format!(", {trend} more than last time")),
        ..0 => text.push_str(&format!(", {} fewer than last time", -trend)),
    }
    if folded {
        text.push_str("; older events were folded into the snapshot");
    }
    let advisory = (advisory != Advisory::Normal).then(|| ("advisory", Value::from(advisory.name())));
    Node::fields(std::iter::once(("context", Value::from(text))).chain(advisory))
}

/// From how full a prompt on the warning is shown, percent (spec 001).
const NEARLY_FULL_PERCENT: usize = 85;

fn warnings(now: &LiveInput, detail: &Detail) -> Node {
    let full = now.context.tokens * 100 >= now.context.budget * NEARLY_FULL_PERCENT && now.context.budget > 0;
    let mut rows: Vec<Value> =
        now.live.warnings.iter().take(detail.warnings).map(|warning| line(warning, detail.text_chars)).collect();
    if full && !now.nearly_full.is_empty() {
        rows.push(line(now.nearly_full, 400));
    }
    Node::named("warnings", Node::Data(rows.into()))
}

/// How the agent stands itself: its turn, its model, what that cost, what is to come. Of it a tight prompt shows what
/// it can run out of.
fn system(now: &LiveInput, detail: &Detail) -> Node {
    let LedgerView { iteration, loop_max, calls, cached_percent, pending, .. } = now.live.ledger;
    let ledger = now.live.ledger;
    let money = |micros: u64| format!("{:.2}", micros as f64 / 1e6);
    let mut parts = Vec::new();
    if iteration > 1 {
        parts.push(format!("loop {iteration}/{loop_max}"));
    }
    if pending > 0 {
        parts.push(format!("{pending} pending"));
    }
    if detail.density != Density::Minimal {
        if let Some(limit) = ledger.tokens_limit {
            parts.push(format!("tokens {}/{limit}", ledger.tokens_used));
        }
        if let Some(limit) = ledger.cost_limit_micros {
            parts.push(format!("cost {}/{}", money(ledger.cost_used_micros), money(limit)));
        }
    }
    if detail.density == Density::Full && calls > 0 {
        parts.push(format!("{calls} calls"));
        if cached_percent > 0 {
            parts.push(format!("{cached_percent}% cached"));
        }
    }
    if parts.is_empty() {
        return Node::Nothing;
    }
    Node::fields(vec![("system", parts.join(", ").into())])
}

/// What is open in the log of the agent, the newest first; no block of P3 tells of it.
fn focus(now: &LiveInput, detail: &Detail) -> Node {
    focus_node(&now.live.focus, detail)
}

/// What one is occupied with, the newest first.
pub fn focus_node(focus: &[FocusView], detail: &Detail) -> Node {
    let rows = focus
        .iter()
        .take(detail.focus)
        .map(|focus| vec![focus.id.into(), line(&focus.how, 12), line(&focus.what, detail.name_chars)]);
    let columns = vec![column("id"), column("how"), column("what")];
    Node::named("focus", Node::Table(Table::of(columns, rows.collect(), 0).by_entry()))
}

/// Tokens of a row of what others share: its name, its numbers and its signs have what the texts leave.
const SHARED_NAME_CHARS: usize = 16;
const SHARED_TASK_TOKENS: usize = 6;
const SHARED_BLOCKER_TOKENS: usize = 4;

/// What others are at who share it: texts of theirs, the last of which cannot be taken for another cell.
fn shared(now: &LiveInput, detail: &Detail) -> Node {
    shared_table(&now.live.shared, detail)
}

/// The same, of these rows.
pub fn shared_table(shared: &[SharedRow], detail: &Detail) -> Node {
    let rows = shared.iter().map(|row| {
        let more = row.blocked.saturating_sub(1);
        let blocker = row.blockers.first().map(|text| {
            let text = text::within(text, detail.text_chars, SHARED_BLOCKER_TOKENS);
            Value::String(if more > 0 { format!("{text} +{more}") } else { text })
        });
        let task = row.task.as_ref().map(|task| text::within(task, detail.text_chars, SHARED_TASK_TOKENS).into());
        let progress = row.progress.map(Value::from);
        [Some(line(&row.who, SHARED_NAME_CHARS)), progress, task, blocker].map(Option::unwrap_or_default).to_vec()
    });
    let columns = vec![column("who"), column("percent"), column("task"), column("blocked")];
    let shown = TOLD_MAX.min(detail.focus);
    let from = shared.iter().take(shown).map(|row| Origin::Shared(text::line(&row.who, SHARED_NAME_CHARS)));
    let table = Table::of(columns, rows.take(shown).collect(), 0);
    Node::named("shared", Node::Table(Table { from: from.collect(), ..table }))
}

fn sections(now: &LiveInput, detail: &Detail) -> Node {
    let shown = now.sections.iter().filter(|section| detail.density <= section.density);
    sections_node(shown.map(|section| section.node.clone()))
}

/// Sections under the name that data formats know them by.
pub fn sections_node(nodes: impl Iterator<Item = Node>) -> Node {
    Node::named("sections", Node::Group(nodes.collect()))
}

/// Memories are old: `20 min`, `5 h`, `3 d`.
fn ago(hours: f64) -> String {
    match hours {
        h if h < 1.0 => format!("{:.0} min", (h * 60.0).max(0.0)),
        h if h < 48.0 => format!("{h:.0} h"),
        h => format!("{:.0} d", h / 24.0),
    }
}

fn memories(now: &LiveInput, detail: &Detail) -> Node {
    if now.shown.past {
        return Node::Nothing;
    }
    let rows = now
        .live
        .memories
        .iter()
        .take(detail.memories)
        .map(|m| vec![line(&m.id, 40), ago(m.age_hours).into(), m.valence.into(), line(&m.text, detail.text_chars)])
        .collect();
    let columns = vec![column("id"), column("ago"), column_unless("valence", 0), column("text")];
    let from = now.live.memories.iter().take(detail.memories).map(|m| Origin::Memory(text::line(&m.id, 40))).collect();
    Node::named("memories", Node::Table(Table { from, ..Table::of(columns, rows, 0) }))
}

/// The sections of what a small prompt shows once, those that `shown` lacks. Of things, what is none is said too: the
/// block before shown of some.
pub fn once(live: &LiveView, shown: &AlreadyShown, detail: &Detail) -> Vec<Node> {
    let now = LiveInput { live, recent: &[], context: ContextBar::default(), nearly_full: "", shown, sections: &[] };
    let things = |key, shown: bool, node: Node| match node.is_empty() && !shown {
        true => Node::named(key, Node::Data("nothing".into())),
        false => node,
    };
    vec![
        things("inventory", shown.inventory, inventory(&now, detail)),
        things("equipment", shown.equipment, equipment(&now, detail)),
        memories(&now, detail),
    ]
}

/// What a room is like and what lies around it, under its name: what is told of a place where one comes to it.
pub fn place(live: &LiveView, detail: &Detail) -> Vec<Node> {
    let shown = AlreadyShown::default();
    let now =
        LiveInput { live, recent: &[], context: ContextBar::default(), nearly_full: "", shown: &shown, sections: &[] };
    let description = live.vars.description.as_ref().filter(|_| detail.description_chars > 0);
    let fields =
        [("place", room(&live.vars)), ("description", description.map(|text| line(text, detail.description_chars)))];
    let fields = fields.into_iter().filter_map(|(key, value)| Some((key, value?)));
    vec![Node::fields(fields), map(&now, detail)]
}
