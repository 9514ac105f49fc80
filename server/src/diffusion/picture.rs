//! Who told whom as a picture: a row for each carrier, time from left to right, an arc from whom it came, and below how
//! many had it. SVG without scripts, links or fonts of its own; every text of a player is escaped.

use super::answer::{Answer, CarrierRow};
use super::watch::How;
use plot::escaped;
use std::collections::BTreeMap;
use std::fmt::Write;

const WIDTH: f64 = 960.0;
const LEFT: f64 = 170.0;
const RIGHT: f64 = 40.0;
const TOP: f64 = 110.0;
/// Of a row, where there are few and where there are many.
const ROW_TALL: f64 = 26.0;
const ROW_LOW: f64 = 14.0;
/// Rows up to which they are tall.
const TALL_MAX: usize = 40;
const CURVE: f64 = 120.0;
/// Marks on the axis of time.
const MARKS: u64 = 6;
/// Letters of a name that fit beside its row.
const NAME_SHOWN: usize = 16;
/// Letters of the subject that fit above all.
const SUBJECT_SHOWN: usize = 60;

const INK: &str = "#3b342b";
const FAINT: &str = "#8a7f70";

fn tint(how: How) -> &'static str {
    match how {
        How::Source => "#b4552d",
        How::Heard => "#2f6f8f",
        How::Read => "#5b7f3a",
        How::Saw => "#8a5a9e",
    }
}

/// The whole picture, as a file of its own.
pub fn draw(subject: &str, answer: &Answer) -> String {
    let rows = in_order(&answer.carriers);
    let step = if rows.len() <= TALL_MAX { ROW_TALL } else { ROW_LOW };
    let bottom = TOP + step * rows.len().max(1) as f64;
    let height = bottom + 60.0 + CURVE + 40.0;
    let title = shortened(subject, SUBJECT_SHOWN);
    let about = format!(
        "{} of {} players, tick {} to {}",
        answer.carriers.len(),
        answer.population,
        answer.from_tick,
        answer.to_tick
    );
    let mut out = String::with_capacity(16 * 1024);
    // Writing to a String cannot fail, here and below.
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height:.0}\" width=\"{WIDTH}\" \
         height=\"{height:.0}\" role=\"img\" font-family=\"Georgia, 'DejaVu Serif', serif\" fill=\"{INK}\">\n\
         <title>{}</title>\n<rect width=\"{WIDTH}\" height=\"{height:.0}\" fill=\"#f4ecdc\"/>\n\
         <text x=\"30\" y=\"44\" font-size=\"24\">{}</text>\n\
         <text x=\"30\" y=\"68\" font-size=\"14\" fill=\"{FAINT}\">{}</text>\n",
        escaped(&title),
        escaped(&title),
        escaped(&about),
    );
    legend(&mut out);
    let time = Time { from: answer.from_tick, to: answer.to_tick.max(answer.from_tick + 1) };
    marks(&mut out, &time, TOP - 14.0, bottom + 60.0 + CURVE);
    let places: BTreeMap<&str, usize> = rows.iter().enumerate().map(|(n, row)| (row.name.as_str(), n)).collect();
    let y_of = |n: usize| TOP + step * (n as f64 + 0.5);
    for (n, row) in rows.iter().enumerate() {
        arc(
            &mut out,
            row,
            &time,
            row.from.as_deref().and_then(|from| places.get(from)).map(|from| y_of(*from)),
            y_of(n),
        );
    }
    for (n, row) in rows.iter().enumerate() {
        carrier(&mut out, row, &time, y_of(n), step);
    }
    curve(&mut out, answer, &time, bottom + 60.0);
    out.push_str("</svg>\n");
    out
}

/// Each right behind whom it came from, as in the tree.
fn in_order(carriers: &[CarrierRow]) -> Vec<&CarrierRow> {
    let mut by_origin: BTreeMap<&str, Vec<&CarrierRow>> = BTreeMap::new();
    let is_carrier = |name: &str| carriers.iter().any(|row| row.name == name);
    let mut waiting: Vec<&CarrierRow> = Vec::new();
    for row in carriers {
        match row.from.as_deref().filter(|from| is_carrier(from)) {
            Some(from) => by_origin.entry(from).or_default().push(row),
            None => waiting.push(row),
        }
    }
    waiting.reverse();
    let mut rows = Vec::with_capacity(carriers.len());
    while let Some(row) = waiting.pop() {
        rows.push(row);
        waiting.extend(by_origin.remove(row.name.as_str()).into_iter().flatten().rev());
    }
    rows
}

struct Time {
    from: u64,
    to: u64,
}

impl Time {
    fn x(&self, tick: u64) -> f64 {
        let share = tick.saturating_sub(self.from) as f64 / (self.to - self.from) as f64;
        LEFT + share.min(1.0) * (WIDTH - LEFT - RIGHT)
    }
}

fn legend(out: &mut String) {
    let mut x = WIDTH - RIGHT - 4.0 * 92.0;
    for how in How::ALL {
        let _ = writeln!(
            out,
            "<circle cx=\"{x:.0}\" cy=\"63\" r=\"5\" fill=\"{}\"/>\
             <text x=\"{:.0}\" y=\"68\" font-size=\"14\">{}</text>",
            tint(how),
            x + 10.0,
            how.word()
        );
        x += 92.0;
    }
}

fn marks(out: &mut String, time: &Time, top: f64, bottom: f64) {
    let span = time.to - time.from;
    let count = MARKS.min(span);
    for n in 0..=count {
        let tick = time.from + span * n / count;
        let x = time.x(tick);
        let _ = writeln!(
            out,
            "<line x1=\"{x:.1}\" y1=\"{top:.0}\" x2=\"{x:.1}\" y2=\"{bottom:.0}\" stroke=\"#ddd0b4\"/>\
             <text x=\"{x:.1}\" y=\"{:.0}\" font-size=\"12\" text-anchor=\"middle\" fill=\"{FAINT}\">{tick}</text>",
            bottom + 20.0
        );
    }
}

/// From whom it came: down its time, and over to who has it now. A mob, or nobody, has no row.
fn arc(out: &mut String, row: &CarrierRow, time: &Time, from_y: Option<f64>, y: f64) {
    let Some(from_y) = from_y else { return };
    let x = time.x(row.tick);
    let bend = x - 16.0;
    let _ = writeln!(
        out,
        "<path d=\"M{x:.1} {from_y:.1}C{bend:.1} {from_y:.1} {bend:.1} {y:.1} {x:.1} {y:.1}\" fill=\"none\" \
         stroke=\"{}\" stroke-width=\"1.5\" opacity=\"0.7\"/>",
        tint(row.how)
    );
}

fn carrier(out: &mut String, row: &CarrierRow, time: &Time, y: f64, step: f64) {
    let (x, end) = (time.x(row.tick), WIDTH - RIGHT);
    let size = if step >= ROW_TALL { 15.0 } else { 11.0 };
    let by = row.from.as_ref().map_or(String::new(), |from| format!(" from {from}"));
    let via = row.via.as_ref().map_or(String::new(), |via| format!(" ({via})"));
    let told = format!("{}: {}{by}{via}, tick {}", row.name, row.how.word(), row.tick);
    let memory = match row.remembers {
        Some(true) => format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"9\" fill=\"none\" stroke=\"{INK}\"/>"),
        _ => String::new(),
    };
    let _ = writeln!(
        out,
        "<g><title>{}</title><text x=\"{:.0}\" y=\"{:.1}\" font-size=\"{size}\" text-anchor=\"end\">{}</text>\
         <line x1=\"{x:.1}\" y1=\"{y:.1}\" x2=\"{end}\" y2=\"{y:.1}\" stroke=\"{}\" stroke-width=\"2\" \
         opacity=\"0.35\"/>\
         <circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5.5\" fill=\"{}\"/>{memory}</g>",
        escaped(&told),
        LEFT - 18.0,
        y + size / 3.0,
        escaped(&shortened(&row.name, NAME_SHOWN)),
        tint(row.how),
        tint(row.how),
    );
}

/// Steps up with each that has it, to all players.
fn curve(out: &mut String, answer: &Answer, time: &Time, top: f64) {
    let all = answer.population.max(answer.carriers.len()).max(1) as f64;
    let y = |carriers: usize| top + CURVE * (1.0 - carriers as f64 / all);
    let mut path = format!("M{LEFT:.1} {:.1}", y(0));
    for point in &answer.curve {
        let _ = write!(path, "H{:.1}V{:.1}", time.x(point.tick), y(point.carriers));
    }
    let _ = write!(path, "H{:.1}", WIDTH - RIGHT);
    let _ = writeln!(
        out,
        "<text x=\"{:.0}\" y=\"{:.1}\" font-size=\"12\" text-anchor=\"end\" fill=\"{FAINT}\">{all}</text>\
         <text x=\"{:.0}\" y=\"{:.1}\" font-size=\"12\" text-anchor=\"end\" fill=\"{FAINT}\">0</text>\
         <line x1=\"{LEFT}\" y1=\"{top:.1}\" x2=\"{:.1}\" y2=\"{top:.1}\" stroke=\"{FAINT}\" stroke-dasharray=\"3 4\"/>\
         <path d=\"{path}V{:.1}H{LEFT:.1}Z\" fill=\"#b4552d\" opacity=\"0.15\"/>\
         <path d=\"{path}\" fill=\"none\" stroke=\"#b4552d\" stroke-width=\"2.5\"/>",
        LEFT - 18.0,
        top + 4.0,
        LEFT - 18.0,
        top + CURVE + 4.0,
        WIDTH - RIGHT,
        top + CURVE,
    );
}

fn shortened(text: &str, most: usize) -> String {
    match text.chars().count() > most {
        true => text.chars().take(most - 1).chain(['…']).collect(),
        false => text.to_string(),
    }
}
