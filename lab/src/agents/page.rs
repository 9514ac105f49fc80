//! A page (Markdown) of what each of several players did in one world, beside the map of their ways.

use super::measure::Report;
use super::play::tastes as tastes_of;
use super::way_map::Label;
use agent_cli::nature::Tastes;
use content::Content;
use protocol::places;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Moments that a page tells of one player; levels and deaths always.
const MOMENTS: usize = 12;

fn clock(at_s: u64) -> String {
    format!("{}:{:02}", at_s / 60, at_s % 60)
}

/// `very bold, hardly thrifty`; of a company that is not varied, that all like the same.
pub fn tastes(varied: bool, n: usize) -> String {
    if !varied {
        return "as all the others".to_string();
    }
    let tastes = tastes_of(n);
    let word = |name: &str| match tastes.get(name) {
        Some(value) if value > 0.7 => Some(format!("very {name}")),
        Some(value) if value < 0.3 => Some(format!("hardly {name}")),
        _ => None,
    };
    let mut words: Vec<String> = Tastes::NAMES.into_iter().filter_map(word).collect();
    words.sort_by_key(|word| word.starts_with("hardly"));
    words.join(", ")
}

/// What the legend of the map says of a player.
pub fn label(report: &Report, tastes: &str) -> Label {
    let fared = format!("level {}, {} experience, {} kills", report.level, report.experience, report.kills);
    let tells = [tastes.to_string(), fared];
    Label { name: report.deeds.name.clone(), tells }
}

/// The zones in which it was, with the share of its time, the longest first.
fn zones(content: &Content, report: &Report) -> Vec<(String, f64)> {
    let end_s = (report.minutes * 60.0) as u64;
    let mut spent: BTreeMap<i32, u64> = BTreeMap::new();
    let way = &report.deeds.way;
    for (n, stop) in way.iter().enumerate() {
        let until_s = way.get(n + 1).map_or(end_s, |next| next.at_s);
        let zone = content.room_id(stop.room).map_or(0, |id| content.room(id).zone);
        *spent.entry(zone).or_default() += until_s.saturating_sub(stop.at_s);
    }
    let named = |number: i32| content.zones.iter().find(|zone| zone.number == number).map(|zone| zone.name.to_string());
    let mut zones: Vec<(String, f64)> = spent
        .into_iter()
        .filter_map(|(zone, seconds)| Some((named(zone)?, seconds as f64 / end_s.max(1) as f64)))
        .collect();
    zones.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    zones
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// `names` and `tastes` of each player in the order of the reports; `picture`: the file of the map, beside the page.
pub fn markdown(content: &Content, reports: &[Report], tastes: &[String], picture: &str, command: &str) -> String {
    let mut out = String::new();
    let minutes = reports.first().map_or(0.0, |report| report.minutes);
    let _ = writeln!(
        out,
        "# Ten agents, one world, {minutes:.0} minutes\n\nPolicies alone, no model; who has which tastes stands in the table. Made by `{command}`: the same command makes the same page.\n\n![Where each of them went]({picture})\n"
    );
    out.push_str("| who | tastes | level | experience | kills | deaths | coins | rooms | at rest |\n");
    out.push_str("|---|---|---|---|---|---|---|---|---|\n");
    for (report, tastes) in reports.iter().zip(tastes) {
        let _ = writeln!(
            out,
            "| {} | {tastes} | {} | {} | {} | {} | {} | {} | {} |",
            report.deeds.name,
            report.level,
            report.experience,
            report.kills,
            report.deaths,
            report.gold,
            report.rooms,
            percent(report.rest_share()),
        );
    }
    for (report, tastes) in reports.iter().zip(tastes) {
        let deeds = &report.deeds;
        let _ = writeln!(out, "\n## {}\n\n*{tastes}.* {}", deeds.name, summary(content, report));
        out.push('\n');
        for moment in deeds.highlights(MOMENTS) {
            let _ = writeln!(out, "* {} {}", clock(moment.at_s), moment.what);
        }
    }
    out
}

fn summary(content: &Content, report: &Report) -> String {
    let deeds = &report.deeds;
    let zones = zones(content, report);
    let places: Vec<String> = zones
        .iter()
        .filter(|(_, share)| *share >= 0.01)
        .map(|(name, share)| format!("{} in {}", percent(*share), places::named(name)))
        .collect();
    let mut killed: Vec<(&String, &u32)> = deeds.killed.iter().collect();
    killed.sort_by(|a, b| b.1.cmp(a.1).then_with(|| a.0.cmp(b.0)));
    let killed: Vec<String> = killed.iter().take(4).map(|(name, times)| format!("{name} ({times})")).collect();
    let mut text = format!("Of the time, {}.", places.join(", "));
    if !killed.is_empty() {
        let _ = write!(text, " Killed most: {}.", killed.join(", "));
    }
    let coins = |(things, coins): (u32, i64), did: &str| match things {
        0 => String::new(),
        1 => format!(" {did} one thing for {coins} coins."),
        more => format!(" {did} {more} things for {coins} coins."),
    };
    text.push_str(&coins(deeds.sold, "Sold"));
    text.push_str(&coins(deeds.bought, "Bought"));
    if !deeds.companions.is_empty() {
        let names: Vec<&str> = deeds.companions.iter().map(String::as_str).collect();
        let _ = write!(text, " Went about with {}.", names.join(", "));
    }
    text
}
