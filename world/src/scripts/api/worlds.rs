//! The library `world`: what belongs to nobody.

use super::*;
use crate::draws::Draw;
use crate::report::Request;
use crate::rng::Stream;
use crate::script::Timer;

/// Ticks that a timer may take: about a month.
const TIMER_TICKS_MAX: i32 = 1_300_000;
/// Bytes that a timer may carry.
const TIMER_DATA_MAX: usize = 1 << 10;
const TIMER_NAME_MAX: usize = 40;

macro_rules! function {
    ($name:literal, $args:literal, $says:literal, $example:literal, $run:expr) => {
        Row {
            group: Group::World,
            name: $name,
            signature: concat!("world.", $name, "(", $args, ")"),
            says: $says,
            example: $example,
            kind: Kind::Function($run),
        }
    };
}

pub(super) const ROWS: &[Row] = &[
    function!("room", "vnum", "The room with a number; nil where there is none.", "world.room(8004)", |w, _, given| {
        Ok(w.room_by_vnum(integer(given, 0)?).map_or(Answer::Nil, |room| Handle::Room(room).into()))
    }),
    function!(
        "mobs",
        "vnum",
        "All mobs of a number in the world, the oldest place first.",
        "#world.mobs(8012)",
        |w, _, given| {
            let vnum = integer(given, 0)?;
            let index = w.content.mob_index(vnum).ok_or_else(|| format!("there is no mob #{vnum}"))?;
            if w.mobs_alive(index) == 0 {
                return Ok(Answer::List(Vec::new()));
            }
            let all = w.state.characters.ids();
            Ok(list(all.filter(|who| w.mob_proto(*who).is_some_and(|mob| mob.vnum == vnum)).collect()))
        }
    ),
    function!(
        "player",
        "name",
        "The player of that name, if it is in the world; else nil.",
        "world.player(saved.owner)",
        |w, _, given| Ok(w.find_player(text(given, 0)?).map_or(Answer::Nil, |who| Handle::Character(who).into()))
    ),
    function!("tick", "", "The tick: one is two seconds.", "world.tick()", |w, _, _| Ok(Answer::Integer(
        w.tick() as i64
    ))),
    function!("hour", "", "The hour of the day, 0 to 23.", "if world.hour() >= 20 then", |w, _, _| {
        Ok(Answer::Integer(w.state.clock.hour() as i64))
    }),
    function!("day", "", "Days since the world began.", "saved.last_day ~= world.day()", |w, _, _| {
        Ok(Answer::Integer(w.state.clock.date().days as i64))
    }),
    function!("roll", "dice", "Throws dice: `2d6`, `3d4+1`.", "world.roll(\"2d6\")", |w, _, given| {
        let text = text(given, 0)?;
        let dice: content::Dice = text.parse().map_err(|()| format!("dice look like 2d6+1, not {text:?}"))?;
        let thrown = w.draw(Stream::Scripts, Draw::Script).roll(dice.count, dice.sides);
        Ok(thrown.saturating_add(dice.bonus).into())
    }),
    function!(
        "after",
        "ticks, name, data?",
        "Calls the hook `timer` of this script in so many ticks, with `ev.name` and `ev.data`. False when its owner has \
         64 timers already.",
        "world.after(30, \"close\", {way = \"north\"})",
        |w, caller, given| {
            let ticks = integer(given, 0)?;
            let name = text(given, 1)?;
            if !(1..=TIMER_TICKS_MAX).contains(&ticks) || name.chars().count() > TIMER_NAME_MAX {
                return Err(format!(
                    "a timer takes 1 to {TIMER_TICKS_MAX} ticks, and its name {TIMER_NAME_MAX} characters"
                ));
            }
            let data = match given.get(2) {
                None | Some(Given::Nil) => None,
                Some(given) => Some(kept(given)?),
            };
            if data.as_ref().is_some_and(|data| data.size() > TIMER_DATA_MAX) {
                return Err(format!("a timer carries at most {TIMER_DATA_MAX} bytes"));
            }
            let (owner, script) = (caller.owner, caller.script.name.clone());
            let due = w.tick() + ticks as u64;
            Ok(w.state.scripts.add_timer(due, Timer { owner, script, name: name.into(), data }).is_some().into())
        }
    ),
    function!(
        "log",
        "text",
        "Writes a line to the operator's log.",
        "world.log(\"the gate was forced\")",
        |w, caller, given| {
            let words = shown(given, 0)?.replace('\n', " ");
            w.request(Request::Log { text: format!("script {}: {words}", caller.script.name) });
            // Only who traces reads it again.
            if let Some(log) = w.runner.logs.last_mut().filter(|_| w.trace_scripts) {
                log.push(words);
            }
            Ok(true.into())
        }
    ),
];

/// What is handed over as what may be kept.
fn kept(given: &Given) -> Result<Value, Wrong> {
    match given {
        Given::Bool(yes) => Ok(Value::Bool(*yes)),
        Given::Number(number) if number.fract() == 0.0 && number.abs() < 9e15 => Ok(Value::Integer(*number as i64)),
        Given::Text(text) => Ok(Value::Text(text.clone())),
        Given::Table(table) => Ok(table.clone()),
        other => {
            Err(format!("{} cannot be kept: texts, whole numbers, booleans and tables of these", kind_of(Some(other))))
        }
    }
}
