//! A picture (SVG) of where players went: the rooms of the world as squares, every player's steps as lines of its own
//! colour that run beside each other, wider the oftener the step was taken; a dot where it killed, larger the oftener,
//! a cross where it died.

use super::deeds::Deeds;
use super::layout::Layout;
use content::{Content, Vnum};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Pixels of a cell, of a room, and of the margin.
const CELL: f64 = 52.0;
const ROOM: f64 = 36.0;
const MARGIN: f64 = 40.0;
/// Pixels between two players' lines.
const LANE: f64 = 3.2;
/// Of the small maps beside the large one: how many in a row, and their size in pixels.
const COLUMNS: usize = 2;
const SMALL_WIDE: f64 = 300.0;
const SMALL_HIGH: f64 = 250.0;
pub const COLOURS: [&str; 10] =
    ["#3566a8", "#d9691e", "#2f8a4c", "#c23b4b", "#7d55a8", "#8a5a3c", "#d05a9e", "#5f6b73", "#a39414", "#1d94a6"];

/// What is said of a player beside its own small map.
pub struct Label {
    pub name: String,
    /// Two lines.
    pub tells: [String; 2],
}

/// How the lines of a player are drawn.
struct Lane<'a> {
    /// Pixels to the right and down, so that lines run beside each other.
    shift: f64,
    /// Rooms farther from each other, in pixels, are not joined by a line.
    near: f64,
    colour: &'a str,
}

pub fn colour(n: usize) -> &'static str {
    COLOURS[n % COLOURS.len()]
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Letters of a name that fit into a room, in two lines.
fn lines_of(name: &str) -> Vec<String> {
    let plain = name.strip_prefix("The ").unwrap_or(name);
    let mut lines: Vec<String> = vec![String::new()];
    for word in plain.split(' ') {
        let last = lines.last_mut().expect("there is one");
        if !last.is_empty() && last.chars().count() + word.chars().count() >= 11 {
            lines.push(String::new());
        } else if !last.is_empty() {
            last.push(' ');
        }
        lines.last_mut().expect("there is one").push_str(word);
    }
    lines.truncate(2);
    lines
}

/// Draws the ways of all players; the n-th has the n-th colour and label.
pub fn svg(content: &Content, players: &[&Deeds], labels: &[Label], title: &str) -> String {
    let shown: BTreeSet<Vnum> = players.iter().flat_map(|deeds| deeds.rooms_until(u64::MAX)).collect();
    let layout = Layout::of(content, &shown);
    let at = |vnum: Vnum| {
        let (x, y) = layout.rooms.get(&vnum)?;
        Some((MARGIN + (x + 0.5) * CELL, MARGIN * 1.6 + (y + 0.5) * CELL))
    };
    let legend_left = MARGIN * 2.5 + layout.size.0 * CELL;
    let wide = legend_left + COLUMNS as f64 * SMALL_WIDE;
    let legend_high = MARGIN * 2.0 + (SMALL_HIGH + 46.0) * labels.len().div_ceil(COLUMNS) as f64;
    let high = (MARGIN * 2.6 + layout.size.1 * CELL).max(legend_high);
    let mut out = String::new();
    let _ = writeln!(
        out,
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:.0} {high:.0}" width="{wide:.0}" height="{high:.0}" font-family="Georgia, 'DejaVu Serif', serif">
<rect width="100%" height="100%" fill="#fbf9f4"/>
<text x="{MARGIN}" y="34" font-size="22" fill="#2b2a27">{}</text>"##,
        escaped(title)
    );
    ground(&mut out, content, &layout, &shown, &at);
    let middle = (players.len().max(1) - 1) as f64 / 2.0;
    let lane = |n: usize| Lane { shift: (n as f64 - middle) * LANE, near: CELL * 1.5, colour: colour(n) };
    for (n, deeds) in players.iter().enumerate() {
        ways(&mut out, content, deeds, &lane(n), &at);
    }
    for (n, deeds) in players.iter().enumerate() {
        marks(&mut out, deeds, &lane(n), &at);
    }
    names(&mut out, content, &layout, &at);
    legend(&mut out, content, &layout, players, labels, legend_left);
    let _ = writeln!(
        out,
        r##"<text x="{MARGIN}" y="{:.0}" font-size="11.5" fill="#6d675b">A line: steps between two rooms, wider the oftener. A dot: kills there, larger the more. A cross: a death. Grey rooms: nobody came there. North is up.</text>"##,
        high - 14.0
    );
    out.push_str("</svg>\n");
    out
}

/// Rooms and the ways between them, grey where nobody went.
fn ground(
    out: &mut String,
    content: &Content,
    layout: &Layout,
    shown: &BTreeSet<Vnum>,
    at: &dyn Fn(Vnum) -> Option<(f64, f64)>,
) {
    out.push_str("<g stroke=\"#cfc8b8\" stroke-width=\"1.5\">\n");
    for room in &content.rooms {
        for to in room.exits.iter().filter_map(|exit| exit.to) {
            let (Some((x, y)), Some((u, v))) = (at(room.vnum), at(to)) else { continue };
            // Ways between panels would cross everything; the panel's title says where it lies.
            if room.vnum < to && (x - u).hypot(y - v) < CELL * 1.5 {
                let _ = writeln!(out, r#"<line x1="{x:.1}" y1="{y:.1}" x2="{u:.1}" y2="{v:.1}"/>"#);
            }
        }
    }
    out.push_str("</g>\n<g>\n");
    for room in &content.rooms {
        let Some((x, y)) = at(room.vnum) else { continue };
        let (fill, edge) = if shown.contains(&room.vnum) { ("#ffffff", "#b9b09c") } else { ("#f1ede2", "#ddd6c6") };
        let side = if layout.hung.contains(&room.vnum) { ROOM * 0.5 } else { ROOM };
        let (left, top) = (x - side / 2.0, y - side / 2.0);
        let _ = writeln!(
            out,
            r#"<rect x="{left:.1}" y="{top:.1}" width="{side}" height="{side}" rx="4" fill="{fill}" stroke="{edge}"><title>{}</title></rect>"#,
            escaped(&room.name)
        );
    }
    out.push_str("</g>\n");
}

/// What rooms and panels are called, above the ways and with a rim, so that it can be read where many went.
fn names(out: &mut String, content: &Content, layout: &Layout, at: &dyn Fn(Vnum) -> Option<(f64, f64)>) {
    let rim = r##"stroke="#fbf9f4" stroke-linejoin="round" paint-order="stroke""##;
    let _ = writeln!(out, r##"<g text-anchor="middle" font-size="6.6" fill="#4a463d" stroke-width="2.6" {rim}>"##);
    for room in content.rooms.iter().filter(|room| !layout.hung.contains(&room.vnum)) {
        let Some((x, y)) = at(room.vnum) else { continue };
        for (n, line) in lines_of(&room.name).iter().enumerate() {
            let baseline = y + ROOM / 2.0 + 5.0 + n as f64 * 6.4;
            let _ = writeln!(out, r#"<text x="{x:.1}" y="{baseline:.1}">{}</text>"#, escaped(line));
        }
    }
    out.push_str("</g>\n<g font-size=\"13\" font-style=\"italic\" fill=\"#4a463d\">\n");
    let mut titled = BTreeSet::new();
    for (name, x, y) in &layout.panels {
        let (x, y) = (MARGIN + x * CELL, MARGIN * 1.6 + y * CELL - 8.0);
        let another = if titled.insert(name) { "" } else { ", another part" };
        let _ = writeln!(out, r#"<text x="{x:.1}" y="{y:.1}">{}{another}</text>"#, escaped(name));
    }
    out.push_str("</g>\n");
}

/// The steps of one player, each way once.
fn ways(out: &mut String, content: &Content, deeds: &Deeds, lane: &Lane<'_>, at: &dyn Fn(Vnum) -> Option<(f64, f64)>) {
    let Lane { shift, near, colour } = lane;
    let mut steps: BTreeMap<(Vnum, Vnum), u32> = BTreeMap::new();
    for pair in deeds.way.windows(2) {
        let (from, to) = (pair[0].room, pair[1].room);
        let exits = content.room_id(from).map(|id| &content.room(id).exits);
        // Prayers and deaths are no steps.
        if exits.is_some_and(|exits| exits.iter().any(|exit| exit.to == Some(to))) {
            *steps.entry((from.min(to), from.max(to))).or_default() += 1;
        }
    }
    let _ = writeln!(out, "<g stroke=\"{colour}\" stroke-linecap=\"round\" stroke-opacity=\"0.85\">");
    for ((from, to), times) in steps {
        let (Some((x, y)), Some((u, v))) = (at(from), at(to)) else { continue };
        if (x - u).hypot(y - v) >= *near {
            continue;
        }
        let width = (1.0 + f64::from(times).ln() * 0.45).min(3.0);
        let (x, y, u, v) = (x + shift, y + shift, u + shift, v + shift);
        let _ = writeln!(out, r#"<line x1="{x:.1}" y1="{y:.1}" x2="{u:.1}" y2="{v:.1}" stroke-width="{width:.2}"/>"#);
    }
    out.push_str("</g>\n");
}

fn marks(out: &mut String, deeds: &Deeds, lane: &Lane<'_>, at: &dyn Fn(Vnum) -> Option<(f64, f64)>) {
    let Lane { shift, colour, .. } = lane;
    for (room, kills) in &deeds.killed_in {
        let Some((x, y)) = at(*room) else { continue };
        let radius = 1.8 + f64::from(*kills).sqrt() * 0.9;
        let (x, y) = (x + shift, y + shift);
        let _ = writeln!(
            out,
            r#"<circle cx="{x:.1}" cy="{y:.1}" r="{radius:.1}" fill="{colour}" fill-opacity="0.9" stroke="white" stroke-width="0.6"/>"#
        );
    }
    for room in deeds.died_in.keys() {
        let Some((x, y)) = at(*room) else { continue };
        let (x, y, arm) = (x + shift, y + shift, 5.0);
        let (left, right, top, bottom) = (x - arm, x + arm, y - arm, y + arm);
        let _ = writeln!(
            out,
            r#"<path d="M{left:.1} {top:.1}L{right:.1} {bottom:.1}M{left:.1} {bottom:.1}L{right:.1} {top:.1}" stroke="{colour}" stroke-width="2.4"/>"#
        );
    }
}

/// Each player by itself: its name, what is said of it, and its ways alone, small.
fn legend(out: &mut String, content: &Content, layout: &Layout, players: &[&Deeds], labels: &[Label], left: f64) {
    let scale = (SMALL_WIDE - 20.0) / layout.size.0.max(layout.size.1 * SMALL_WIDE / SMALL_HIGH);
    for (n, (deeds, label)) in players.iter().zip(labels).enumerate() {
        let (x, y) =
            (left + (n % COLUMNS) as f64 * SMALL_WIDE, MARGIN * 1.6 + (n / COLUMNS) as f64 * (SMALL_HIGH + 46.0));
        let colour = colour(n);
        let (end, text) = (x + 22.0, x + 30.0);
        let _ = writeln!(
            out,
            r##"<line x1="{x:.0}" y1="{y:.0}" x2="{end:.0}" y2="{y:.0}" stroke="{colour}" stroke-width="5" stroke-linecap="round"/>
<text x="{text:.0}" y="{:.0}" font-size="16" fill="#2b2a27">{}</text>"##,
            y + 5.0,
            escaped(&label.name)
        );
        for (row, line) in label.tells.iter().enumerate() {
            let baseline = y + 19.0 + row as f64 * 12.0;
            let _ = writeln!(
                out,
                r##"<text x="{x:.0}" y="{baseline:.0}" font-size="10.5" fill="#6d675b">{}</text>"##,
                escaped(line)
            );
        }
        let at = |vnum: Vnum| {
            let (u, v) = layout.rooms.get(&vnum)?;
            Some((x + (u + 0.5) * scale, y + 38.0 + (v + 0.5) * scale))
        };
        let _ = writeln!(out, "<g fill=\"#e4decf\">");
        for vnum in layout.rooms.keys() {
            let Some((u, v)) = at(*vnum) else { continue };
            let side = scale * if layout.hung.contains(vnum) { 0.35 } else { 0.7 };
            let (u, v) = (u - side / 2.0, v - side / 2.0);
            let _ = writeln!(out, r#"<rect x="{u:.1}" y="{v:.1}" width="{side:.1}" height="{side:.1}"/>"#);
        }
        out.push_str("</g>\n");
        ways(out, content, deeds, &Lane { shift: 0.0, near: scale * 1.5, colour }, &at);
        marks(out, deeds, &Lane { shift: 0.0, near: scale * 1.5, colour }, &at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world_folder::{read_content, root};

    #[test]
    fn each_step_is_a_line_a_prayer_is_none_and_names_open_no_tag() {
        let content = read_content(&root().join("data/world"));
        let mut deeds = Deeds::new("A<b>", content.start_room);
        let start = content.room(content.room_id(content.start_room).expect("there is one"));
        let next = start.exits.iter().find_map(|exit| exit.to).expect("it has a way out");
        deeds.is_in(next, 2);
        deeds.is_in(content.start_room, 4);
        // Far away: a jump.
        let last = content.rooms.last().expect("there are rooms").vnum;
        deeds.is_in(last, 6);
        deeds.killed_in.insert(next, 2);
        let label = Label { name: deeds.name.clone(), tells: ["bold & curious".into(), "level 1".into()] };
        let drawn = svg(&content, &[&deeds], &[label], "Ways");
        let steps = drawn.matches("stroke-width=\"1.31\"").count();
        assert_eq!(steps, 2, "one way, taken twice, in the large map and in the small one");
        assert_eq!(drawn.matches("<circle").count(), 2);
        assert!(!drawn.contains("<b>") && drawn.contains("A&lt;b&gt;") && drawn.contains("bold &amp; curious"));
    }
}
