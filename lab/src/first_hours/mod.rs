//! First hours: whether the game tells a newcomer what there is to do.
//!
//! Somebody who follows only what the screen says (`newcomer`) plays the first hour of a calling, and for comparison
//! the policies of `dp-agent` do. Both are measured in the world: when something was bought, when a fight was won, a
//! task done, a level gained; how often one died; how much of the zone is still to be seen. `screen` reads a terminal,
//! `memory` keeps what was read, `vocabulary` is the English it is read with; `page` shows such an hour to people.
//!
//! Times are those of the game. Invariant: an hour is a function of the content, the calling, who plays and the seed.

mod memory;
mod newcomer;
mod page;
mod screen;
mod vocabulary;

#[cfg(test)]
mod tests;

use crate::agents::play::{self, Chair, Mode, Setting};
use crate::agents::{Player, Stage};
use anyhow::Context;
use content::words::Class;
use content::{Content, Vnum};
use newcomer::{Diary, Newcomer};
pub use page::page;
use serde_json::{Value, json};
use std::fmt::Write;
use std::sync::Arc;
use world::{CharacterId, World};

/// Who plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum By {
    /// Somebody who reads the screen and knows nothing else
    Newcomer,
    /// The policies of `dp-agent`, without a model
    Policies,
}

/// What a first hour should hold, with the minute before which half of the newcomers should have had it.
pub const AIMS: [(&str, u64); 4] =
    [("first purchase", 4), ("first fight won", 6), ("first task done", 12), ("level 2", 25)];
/// Deaths in the first hour, at most, on average.
pub const DEATHS_AIM: f64 = 0.3;
/// The share of the rooms of its zone that a newcomer should not have seen after an hour, at least.
pub const UNSEEN_AIM: f64 = 0.75;

/// One first hour.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Hour {
    pub seed: u64,
    /// When each of `AIMS` came, in seconds.
    pub reached_s: [Option<u64>; AIMS.len()],
    pub deaths: u32,
    pub kills: u32,
    pub level: i32,
    pub tasks: usize,
    /// Rooms of the zone that it began in, and how many of them it has seen.
    pub rooms: usize,
    pub seen: usize,
    /// What it typed, with the second at which it did.
    pub typed: Vec<(u64, String)>,
    /// What it typed, behind `> `; of a newcomer, what it read as well, in order.
    pub diary: Vec<(u64, String)>,
}

impl Hour {
    pub fn unseen_share(&self) -> f64 {
        1.0 - self.seen as f64 / self.rooms.max(1) as f64
    }
}

/// What an hour is measured by, before the tick that may change it.
struct Before {
    gold: i32,
    objects: usize,
}

impl Before {
    fn of(world: &World, who: CharacterId) -> Option<Before> {
        let c = world.character(who)?;
        Some(Before { gold: c.gold, objects: c.carrying.len() + c.worn.len() })
    }
}

/// The hour of one who plays.
struct Watch {
    who: CharacterId,
    before: Before,
    hour: Hour,
}

impl Watch {
    fn tick(&mut self, world: &World, now_s: u64) {
        let (Some(c), Some(now)) = (world.character(self.who), Before::of(world, self.who)) else { return };
        let Some(player) = c.player() else { return };
        // Coins went and a thing came.
        let bought = now.gold < self.before.gold && now.objects > self.before.objects;
        let had = [bought, player.kills > 0, !player.tasks.done.is_empty(), c.level >= 2];
        for (reached, had) in self.hour.reached_s.iter_mut().zip(had) {
            if had && reached.is_none() {
                *reached = Some(now_s);
            }
        }
        self.before = now;
        (self.hour.deaths, self.hour.kills, self.hour.level) = (player.deaths, player.kills, c.level);
        self.hour.tasks = player.tasks.done.len();
    }
}

/// The rooms of the zone in which a room is.
fn rooms_around(content: &Content, vnum: Vnum) -> Vec<Vnum> {
    let Some(zone) = content.rooms.iter().find(|room| room.vnum == vnum).map(|room| room.zone) else {
        return Vec::new();
    };
    content.rooms.iter().filter(|room| room.zone == zone).map(|room| room.vnum).collect()
}

/// Who plays how long.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub by: By,
    pub minutes: u64,
    /// Of a newcomer's window, where its terminal tells.
    pub columns: Option<u16>,
}

/// Plays one hour, or as many minutes as one likes.
pub fn hour(content: &Arc<Content>, plan: Plan, class: Class, seed: u64) -> anyhow::Result<Hour> {
    let Plan { by, minutes, columns } = plan;
    let mut stage = Stage::new(content.clone(), seed)?;
    let setting = Setting { mode: Mode::Fsm, minutes, class, trace: true, ..Setting::default() };
    let record = play::newcomer(seed, 0, class);
    let diary = Diary::default();
    let (seat, player) = match by {
        By::Newcomer => {
            let player: Box<dyn Player> = Box::new(Newcomer::new(seed, class.name(), &content.motd, diary.clone()));
            let seat = stage.enter_terminal(record)?;
            if columns.is_some() {
                stage.engine.window(stage.seats[seat].who, stage.seats[seat].session, columns);
            }
            (seat, (player, None))
        }
        By::Policies => (stage.enter(record)?, play::agent(&setting, seed, 0)?),
    };
    let who = stage.seats[seat].who;
    let rooms = rooms_around(content, content.start_room);
    let (before, hour) = (stage.engine.with_world(|world| Before::of(world, who)), Hour { seed, ..Hour::default() });
    let mut watch = Watch { who, before: before.context("it has just come in")?, hour };
    let mut chairs = [Chair::new(&stage, &setting, seat, player)];
    let ticks = minutes * 60_000 / stage.tick_ms;
    play::play_on(&mut stage, &mut chairs, &setting, ticks, &mut |stage, tick| {
        stage.engine.with_world(|world| watch.tick(world, tick * stage.tick_ms / 1_000));
    })?;
    let mut hour = watch.hour;
    hour.rooms = rooms.len();
    hour.seen = stage.engine.with_world(|world| {
        let past = world.character(who).and_then(|c| Some(c.player()?.past.clone()));
        past.map_or(0, |past| rooms.iter().filter(|vnum| past.rooms.contains(**vnum)).count())
    });
    let [chair] = chairs;
    hour.typed = chair.sent.into_iter().map(|(at_ms, line)| (at_ms / 1_000, line)).collect();
    hour.diary = match by {
        By::Newcomer => diary.take(),
        By::Policies => hour.typed.iter().map(|(at, line)| (*at, format!("> {line}"))).collect(),
    };
    Ok(hour)
}

/// The first hours of one calling.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    pub class: Class,
    pub by: By,
    pub hours: Vec<Hour>,
}

impl Row {
    /// The minute at which half of them had reached one of `AIMS`; `None`: fewer did.
    pub fn median_minutes(&self, aim: usize) -> Option<f64> {
        let mut reached: Vec<u64> = self.hours.iter().filter_map(|hour| hour.reached_s[aim]).collect();
        reached.sort_unstable();
        // Who never came to it came last.
        reached.get((self.hours.len().max(1) - 1) / 2).map(|seconds| *seconds as f64 / 60.0)
    }

    /// The share of them that had reached it in time.
    pub fn in_time(&self, aim: usize) -> f64 {
        let in_time = |hour: &&Hour| hour.reached_s[aim].is_some_and(|seconds| seconds < AIMS[aim].1 * 60);
        self.hours.iter().filter(in_time).count() as f64 / self.hours.len().max(1) as f64
    }

    fn mean(&self, of: impl Fn(&Hour) -> f64) -> f64 {
        self.hours.iter().map(of).sum::<f64>() / self.hours.len().max(1) as f64
    }

    pub fn deaths(&self) -> f64 {
        self.mean(|hour| f64::from(hour.deaths))
    }

    pub fn unseen_share(&self) -> f64 {
        self.mean(Hour::unseen_share)
    }

    /// What of the aims it misses, in words.
    pub fn misses(&self) -> Vec<String> {
        let late = |aim: &usize| self.median_minutes(*aim).is_none_or(|minutes| minutes >= AIMS[*aim].1 as f64);
        let mut missed: Vec<String> = (0..AIMS.len()).filter(late).map(|aim| AIMS[aim].0.to_string()).collect();
        if self.deaths() > DEATHS_AIM {
            missed.push("deaths".to_string());
        }
        if self.unseen_share() < UNSEEN_AIM {
            missed.push("rooms unseen".to_string());
        }
        missed
    }
}

/// All callings, each row as soon as it is known.
pub fn rows(
    content: &Arc<Content>,
    plan: Plan,
    classes: &[Class],
    seeds: &[u64],
    known: &mut dyn FnMut(&Row),
) -> anyhow::Result<Vec<Row>> {
    let mut rows = Vec::new();
    for class in classes {
        let played = play::each_seed(seeds, &|seed| hour(content, plan, *class, seed)).into_iter();
        let hours = played
            .map(|(seed, hour)| hour.with_context(|| format!("{}, seed {seed}", class.name())))
            .collect::<anyhow::Result<_>>()?;
        rows.push(Row { class: *class, by: plan.by, hours });
        known(&rows[rows.len() - 1]);
    }
    Ok(rows)
}

/// Markdown: a row for each calling. Times are medians in minutes, with the share of newcomers that was in time.
pub fn markdown(rows: &[Row]) -> String {
    let mut out = String::from("| calling |");
    for (name, minutes) in AIMS {
        write!(out, " {name} (< {minutes}) |").expect("a String");
    }
    writeln!(out, " deaths (≤ {DEATHS_AIM}) | rooms unseen (≥ {:.0} %) | tasks | level |", UNSEEN_AIM * 100.0)
        .expect("a String");
    writeln!(out, "|{}", "---|".repeat(AIMS.len() + 5)).expect("a String");
    for row in rows {
        write!(out, "| {} |", row.class.name()).expect("a String");
        for aim in 0..AIMS.len() {
            let median = row.median_minutes(aim).map_or("–".to_string(), |minutes| format!("{minutes:.1}"));
            write!(out, " {median} ({:.0} %) |", row.in_time(aim) * 100.0).expect("a String");
        }
        let (tasks, level) = (row.mean(|hour| hour.tasks as f64), row.mean(|hour| f64::from(hour.level)));
        let (deaths, unseen) = (row.deaths(), row.unseen_share() * 100.0);
        writeln!(out, " {deaths:.2} | {unseen:.0} % | {tasks:.1} | {level:.1} |").expect("a String");
    }
    out
}

pub fn json(rows: &[Row]) -> Value {
    let hour = |hour: &Hour| {
        json!({
            "seed": hour.seed, "reached_s": hour.reached_s, "deaths": hour.deaths, "kills": hour.kills,
            "level": hour.level, "tasks": hour.tasks, "rooms": hour.rooms, "seen": hour.seen,
        })
    };
    let rows = rows.iter().map(|row| {
        json!({
            "class": row.class.name(), "hours": row.hours.iter().map(hour).collect::<Vec<_>>(),
            "median_minutes": (0..AIMS.len()).map(|aim| row.median_minutes(aim)).collect::<Vec<_>>(),
            "in_time": (0..AIMS.len()).map(|aim| row.in_time(aim)).collect::<Vec<_>>(),
            "deaths": row.deaths(), "unseen": row.unseen_share(), "misses": row.misses(),
        })
    });
    json!({"aims": AIMS.map(|(name, minutes)| json!({"name": name, "minutes": minutes})), "rows": rows.collect::<Vec<_>>()})
}
