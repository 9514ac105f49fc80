//! Points, for gauges: numbers, and a line for clients that only show one.

use super::message::{Known, MessageRow, Source, json_of};
use protocol::variables::Variable;
use serde::Serialize;

pub const ROW: MessageRow = MessageRow {
    name: "Char.Vitals",
    source: Source::Whole {
        needs: &[
            Variable::Health,
            Variable::MaxHealth,
            Variable::Mana,
            Variable::MaxMana,
            Variable::Move,
            Variable::MaxMove,
        ],
        write,
    },
};

#[derive(Serialize)]
struct Vitals {
    hp: i32,
    maxhp: i32,
    mp: i32,
    maxmp: i32,
    mv: i32,
    maxmv: i32,
    string: String,
}

fn write(known: &Known) -> Option<String> {
    let (hp, maxhp) = (known.read(Variable::Health)?, known.read(Variable::MaxHealth)?);
    let (mp, maxmp) = (known.read(Variable::Mana)?, known.read(Variable::MaxMana)?);
    let (mv, maxmv) = (known.read(Variable::Move)?, known.read(Variable::MaxMove)?);
    let string = format!("HP {hp}/{maxhp} MP {mp}/{maxmp} MV {mv}/{maxmv}");
    Some(json_of(&Vitals { hp, maxhp, mp, maxmp, mv, maxmv, string }))
}
