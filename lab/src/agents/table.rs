//! The figures by which policies are judged, as one table: several players in one world, then each class at each level.

use super::deeds::{Deeds, rooms_in_common, time_in_common};
use super::{Report, Setting, play_each};
use anyhow::Context;
use content::Content;
use content::words::Class;
use serde_json::{Value, json};
use std::sync::Arc;

pub const PLAYERS: [usize; 4] = [1, 2, 5, 10];
pub const LEVELS: [i32; 5] = [1, 2, 3, 4, 5];
/// Ways are compared in the first ten minutes.
const TOGETHER_S: u64 = 600;

/// What so many players in one world came to, as means over seeds and players.
#[derive(Clone, Debug)]
pub struct Crowd {
    pub players: usize,
    pub experience_per_hour: f64,
    pub rest_share: f64,
    pub idle_share: f64,
    pub rest_stand_pairs_per_hour: f64,
    pub deaths_per_hour: f64,
    pub stuck_longest_s: u64,
    /// `rooms_in_common` in the first ten minutes.
    pub rooms_in_common: f64,
    /// `time_in_common` of the same time.
    pub time_in_common: f64,
}

/// Deaths of one class, over all levels and seeds.
#[derive(Clone, Debug)]
pub struct Deaths {
    pub class: Class,
    pub hours: f64,
    pub deaths: u32,
    pub experience_per_hour: f64,
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

impl Crowd {
    /// The reports of each seed's players.
    pub fn of(players: usize, seeds: &[Vec<Report>]) -> Crowd {
        let all = || seeds.iter().flatten();
        let common = |of: fn(&[&Deeds], u64) -> f64| {
            let of =
                |reports: &Vec<Report>| of(&reports.iter().map(|report| &report.deeds).collect::<Vec<_>>(), TOGETHER_S);
            mean(seeds.iter().map(of))
        };
        Crowd {
            players,
            experience_per_hour: mean(all().map(Report::experience_per_hour)),
            rest_share: mean(all().map(Report::rest_share)),
            idle_share: mean(all().map(Report::idle_share)),
            rest_stand_pairs_per_hour: mean(all().map(|r| r.per_hour(f64::from(r.rest_stand_pairs)))),
            deaths_per_hour: mean(all().map(Report::deaths_per_hour)),
            stuck_longest_s: all().map(|report| report.stuck_longest_s).max().unwrap_or(0),
            rooms_in_common: common(rooms_in_common),
            time_in_common: common(time_in_common),
        }
    }
}

fn played(content: &Arc<Content>, setting: &Setting, seeds: &[u64]) -> anyhow::Result<Vec<Vec<Report>>> {
    let all = play_each(content, setting, seeds).into_iter();
    all.map(|(seed, reports)| reports.with_context(|| format!("seed {seed}"))).collect()
}

pub fn crowds(content: &Arc<Content>, setting: &Setting, seeds: &[u64]) -> anyhow::Result<Vec<Crowd>> {
    let crowd = |players| {
        let setting = Setting { players, ..setting.clone() };
        Ok(Crowd::of(players, &played(content, &setting, seeds)?))
    };
    PLAYERS.into_iter().map(crowd).collect()
}

pub fn deaths(content: &Arc<Content>, setting: &Setting, seeds: &[u64]) -> anyhow::Result<Vec<Deaths>> {
    let mut all = Vec::new();
    for class in Class::ALL {
        let mut reports = Vec::new();
        for level in LEVELS {
            let setting = Setting { players: 1, class: *class, level, ..setting.clone() };
            reports.extend(played(content, &setting, seeds)?.into_iter().flatten());
        }
        all.push(Deaths {
            class: *class,
            hours: reports.iter().map(|report| report.minutes / 60.0).sum(),
            deaths: reports.iter().map(|report| report.deaths).sum(),
            experience_per_hour: mean(reports.iter().map(Report::experience_per_hour)),
        });
    }
    Ok(all)
}

/// Markdown.
pub fn crowds_markdown(crowds: &[Crowd]) -> String {
    let mut out = String::from(
        "| agents in one world | experience per hour and agent | at rest | idle on its feet | rest and stand pairs per hour | deaths per hour | longest stuck | rooms in common | time in common |\n|---|---|---|---|---|---|---|---|---|\n",
    );
    for crowd in crowds {
        let common = match crowd.players {
            1 => "– | –".to_string(),
            _ => format!("{:.0} % | {:.0} %", crowd.rooms_in_common * 100.0, crowd.time_in_common * 100.0),
        };
        out.push_str(&format!(
            "| {} | {:.0} | {:.0} % | {:.0} % | {:.1} | {:.2} | {} s | {common} |\n",
            crowd.players,
            crowd.experience_per_hour,
            crowd.rest_share * 100.0,
            crowd.idle_share * 100.0,
            crowd.rest_stand_pairs_per_hour,
            crowd.deaths_per_hour,
            crowd.stuck_longest_s
        ));
    }
    out
}

/// Markdown.
pub fn deaths_markdown(deaths: &[Deaths]) -> String {
    let mut out = String::from(
        "\n| class, levels 1 to 5 | hours | deaths | deaths per hour | experience per hour |\n|---|---|---|---|---|\n",
    );
    for row in deaths {
        out.push_str(&format!(
            "| {} | {:.0} | {} | {:.2} | {:.0} |\n",
            row.class.name(),
            row.hours,
            row.deaths,
            f64::from(row.deaths) / row.hours.max(f64::MIN_POSITIVE),
            row.experience_per_hour
        ));
    }
    out
}

pub fn json(crowds: &[Crowd], deaths: &[Deaths]) -> Value {
    let crowds: Vec<Value> = crowds
        .iter()
        .map(|crowd| {
            json!({"players": crowd.players, "experience_per_hour": crowd.experience_per_hour,
                "rest_share": crowd.rest_share, "idle_share": crowd.idle_share, "rest_stand_pairs_per_hour": crowd.rest_stand_pairs_per_hour,
                "deaths_per_hour": crowd.deaths_per_hour, "stuck_longest_s": crowd.stuck_longest_s,
                "rooms_in_common": crowd.rooms_in_common, "time_in_common": crowd.time_in_common})
        })
        .collect();
    let deaths: Vec<Value> = deaths
        .iter()
        .map(|row| {
            json!({"class": row.class.name(), "hours": row.hours, "deaths": row.deaths,
                "experience_per_hour": row.experience_per_hour})
        })
        .collect();
    json!({"crowds": crowds, "classes": deaths})
}
