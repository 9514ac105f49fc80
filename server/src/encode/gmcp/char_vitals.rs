//! Points, for gauges: numbers, and a line for clients that only show one.

use super::message::{Known, MessageRow, Source};
use protocol::variables::Variable;
use serde_json::{Value, json};

pub const ROW: MessageRow = MessageRow {
    name: "Char.Vitals",
    source: Source::State {
        needs: &[
            Variable::Health,
            Variable::MaxHealth,
            Variable::Mana,
            Variable::MaxMana,
            Variable::Move,
            Variable::MaxMove,
        ],
        write,
        changes: false,
    },
};

fn write(known: &Known) -> Option<Value> {
    let (hp, maxhp) = (known.value(Variable::Health)?, known.value(Variable::MaxHealth)?);
    let (mp, maxmp) = (known.value(Variable::Mana)?, known.value(Variable::MaxMana)?);
    let (mv, maxmv) = (known.value(Variable::Move)?, known.value(Variable::MaxMove)?);
    let string = format!("HP {hp}/{maxhp} MP {mp}/{maxmp} MV {mv}/{maxmv}");
    Some(json!({
        "hp": hp, "maxhp": maxhp, "mp": mp, "maxmp": maxmp, "mv": mv, "maxmv": maxmv, "string": string,
    }))
}
