//! Agents: their records, who may make them, and those that are ordered: rows of the world (`world::agent::row`), as
//! they were last.
//!
//! They come in the batches of `channels.rs`, and what holds there holds here.

use super::from_row::{column, id};
use super::{Store, StoreError, on_reader};
use content::Text;
use sqlx::AssertSqlSafe;
use std::collections::BTreeMap;
use world::agent::row::{AgentRow, Right};
use world::agent::{AgentRecord, MakingOrder};
use world::channel::PersonKind;

/// Statements that write a row, or take it away; what is bound follows from the row.
pub const PUT_RECORD: &str = "INSERT INTO agent (id, kind, model, seed, guidelines, tier, in_format, out_format, \
     may_create_agents, think_ds, wakes_at, owner, created_by, retired, number) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) \
     ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, model = excluded.model, seed = excluded.seed, \
     guidelines = excluded.guidelines, tier = excluded.tier, in_format = excluded.in_format, \
     out_format = excluded.out_format, may_create_agents = excluded.may_create_agents, \
     think_ds = excluded.think_ds, wakes_at = excluded.wakes_at, owner = excluded.owner, \
     created_by = excluded.created_by, retired = excluded.retired, number = excluded.number \
     WHERE excluded.number >= agent.number";
pub const PUT_RIGHT: &str = "INSERT INTO agent_right (person, may_create_agents, is_architect, number) \
     VALUES ($1, $2, $3, $4) ON CONFLICT (person) DO UPDATE SET may_create_agents = excluded.may_create_agents, \
     is_architect = excluded.is_architect, number = excluded.number WHERE excluded.number >= agent_right.number";
pub const PUT_ORDER: &str = "INSERT INTO agent_order (id, name, kind, seed, owner, created_by, channel, number) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO UPDATE SET name = excluded.name, \
     kind = excluded.kind, seed = excluded.seed, owner = excluded.owner, created_by = excluded.created_by, \
     channel = excluded.channel, number = excluded.number WHERE excluded.number >= agent_order.number";
pub const REMOVE_RECORD: &str = "DELETE FROM agent WHERE id = $1 AND number <= $2";
pub const REMOVE_RIGHT: &str = "DELETE FROM agent_right WHERE person = $1 AND number <= $2";
pub const REMOVE_ORDER: &str = "DELETE FROM agent_order WHERE id = $1 AND number <= $2";

/// What a row is and which statement is its, with what is bound to it: numbers and texts, in order.
pub enum Value {
    Number(i64),
    MaybeNumber(Option<i64>),
    Text(String),
    MaybeText(Option<String>),
}

/// The statement for a row that input `number` made.
pub fn statement(row: &AgentRow, number: u64) -> (&'static str, Vec<Value>) {
    use Value::{MaybeNumber, MaybeText, Number, Text as Words};
    let number = Number(column(number));
    let text = |text: &Option<Text>| MaybeText(text.as_ref().map(|text| text.to_string()));
    let person = |person: Option<u32>| MaybeNumber(person.map(i64::from));
    match row {
        AgentRow::Record { id, record: None } => (REMOVE_RECORD, vec![Number((*id).into()), number]),
        AgentRow::Record { id, record: Some(record) } => {
            let values = vec![
                Number((*id).into()),
                Words(record.kind.name().to_string()),
                text(&record.model),
                Words(record.seed.to_string()),
                Words(record.guidelines.to_string()),
                text(&record.tier),
                text(&record.in_format),
                text(&record.out_format),
                Number(record.may_create_agents.into()),
                Number(record.think_ds.into()),
                MaybeNumber(record.wakes_ms),
                person(record.owner),
                person(record.created_by),
                Number(record.retired.into()),
                number,
            ];
            (PUT_RECORD, values)
        }
        AgentRow::Right { person, right: None } => (REMOVE_RIGHT, vec![Number((*person).into()), number]),
        AgentRow::Right { person, right: Some(right) } => {
            let (make, architect) = (right.may_create_agents.into(), right.is_architect.into());
            (PUT_RIGHT, vec![Number((*person).into()), Number(make), Number(architect), number])
        }
        AgentRow::Order { id, order: None } => (REMOVE_ORDER, vec![Number((*id).into()), number]),
        AgentRow::Order { id, order: Some(order) } => {
            let values = vec![
                Number((*id).into()),
                text(&order.name),
                Words(order.kind.name().to_string()),
                Words(order.seed.to_string()),
                person(order.owner),
                Number(order.created_by.into()),
                Number(order.channel.into()),
                number,
            ];
            (PUT_ORDER, values)
        }
    }
}

struct RecordColumns {
    id: i64,
    kind: String,
    model: Option<String>,
    seed: String,
    guidelines: String,
    tier: Option<String>,
    in_format: Option<String>,
    out_format: Option<String>,
    may_create_agents: i64,
    think_ds: i64,
    wakes_at: Option<i64>,
    owner: Option<i64>,
    created_by: Option<i64>,
    retired: i64,
}

from_row!(RecordColumns {
    id,
    kind,
    model,
    seed,
    guidelines,
    tier,
    in_format,
    out_format,
    may_create_agents,
    think_ds,
    wakes_at,
    owner,
    created_by,
    retired
});

struct OrderColumns {
    id: i64,
    name: Option<String>,
    kind: String,
    seed: String,
    owner: Option<i64>,
    created_by: i64,
    channel: i64,
}

from_row!(OrderColumns { id, name, kind, seed, owner, created_by, channel });

fn kind(column: &str) -> Option<PersonKind> {
    [PersonKind::Persona, PersonKind::Bot].into_iter().find(|kind| kind.name() == column)
}

/// Everything that is known of agents.
pub async fn all(store: &Store) -> Result<Vec<AgentRow>, StoreError> {
    let text = |column: Option<String>| column.map(Text::from);
    let records: Vec<RecordColumns> = on_reader!(store, "reading the records of agents", |on| {
        sqlx::query_as(
        "SELECT id, kind, model, seed, guidelines, tier, in_format, out_format, may_create_agents, think_ds, wakes_at, \
         owner, created_by, retired FROM agent ORDER BY id"
    )
    .fetch_all(on)
    })?;
    let rights: Vec<(i64, i64, i64)> = on_reader!(store, "reading who may make agents", |on| sqlx::query_as(
        "SELECT person, may_create_agents, is_architect FROM agent_right ORDER BY person"
    )
    .fetch_all(on))?;
    let orders: Vec<OrderColumns> = on_reader!(store, "reading which agents are to be made", |on| sqlx::query_as(
        "SELECT id, name, kind, seed, owner, created_by, channel FROM agent_order ORDER BY id"
    )
    .fetch_all(on))?;
    let mut rows = Vec::new();
    for row in records {
        let Some(kind) = kind(&row.kind) else { continue };
        let record = AgentRecord {
            kind,
            model: text(row.model),
            seed: row.seed.into(),
            guidelines: row.guidelines.into(),
            tier: text(row.tier),
            in_format: text(row.in_format),
            out_format: text(row.out_format),
            may_create_agents: row.may_create_agents != 0,
            think_ds: id(row.think_ds),
            elapsed_ds: 0,
            thumbs: BTreeMap::new(),
            sleep_until: None,
            wakes_ms: row.wakes_at,
            owner: row.owner.map(id),
            created_by: row.created_by.map(id),
            retired: row.retired != 0,
        };
        rows.push(AgentRow::Record { id: id(row.id), record: Some(Box::new(record)) });
    }
    rows.extend(rights.into_iter().map(|(person, make, architect)| AgentRow::Right {
        person: id(person),
        right: Some(Right { may_create_agents: make != 0, is_architect: architect != 0 }),
    }));
    for row in orders {
        let Some(kind) = kind(&row.kind) else { continue };
        let order = MakingOrder {
            name: text(row.name),
            kind,
            seed: row.seed.into(),
            owner: row.owner.map(id),
            created_by: id(row.created_by),
            channel: id(row.channel),
        };
        rows.push(AgentRow::Order { id: id(row.id), order: Some(Box::new(order)) });
    }
    Ok(rows)
}

/// Whether nothing is known of any agent.
pub async fn is_empty(store: &Store) -> Result<bool, StoreError> {
    for sql in
        ["SELECT id FROM agent LIMIT 1", "SELECT person FROM agent_right LIMIT 1", "SELECT id FROM agent_order LIMIT 1"]
    {
        let any: Option<i64> = on_reader!(store, "looking whether any agent is known", |on| {
            sqlx::query_scalar(AssertSqlSafe(sql)).fetch_optional(on)
        })?;
        if any.is_some() {
            return Ok(false);
        }
    }
    Ok(true)
}
