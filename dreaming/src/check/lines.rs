//! Lines of a story: scenes, rooms and meetings, taken apart by what the records allow to be said.

use super::Verdict;
use super::past::{Entry, Heading, Past};
use super::phrases::{Phrase, phrase};
use mind::happenings::Deed;
use protocol::happening::Role;
use protocol::places;
use std::collections::{BTreeMap, BTreeSet};

pub enum Section {
    Head,
    Session(Heading),
    Insights,
    Relationships,
}

/// What a heading opens; None for one that no story has.
pub fn section(line: &str) -> Option<Section> {
    match line {
        "## Memory" => return Some(Section::Head),
        "### Insights" => return Some(Section::Insights),
        "### Relationships" => return Some(Section::Relationships),
        _ => {}
    }
    let (number, times) = line.strip_prefix("### Session ")?.split_once(" — ")?;
    Some(Section::Session(Heading { session: number.parse().ok()?, times: times.to_string() }))
}

/// What the lines of a session said of themselves.
#[derive(Clone, Copy, Default)]
pub struct Told {
    best: Option<i8>,
    worst: Option<i16>,
    most: i8,
    least: i16,
}

impl Told {
    /// Another line of the same session.
    pub fn add(&mut self, line: &Told) -> Verdict {
        self.best = self.best.or(line.best);
        self.worst = self.worst.or(line.worst);
        self.most = self.most.max(line.most);
        self.least = self.least.min(line.least);
        if self.best.is_some_and(|best| best < self.most) {
            return Err("the best of the session is another".into());
        }
        if self.worst.is_some_and(|worst| worst > self.least) {
            return Err("the worst of the session is another".into());
        }
        Ok(())
    }
}

/// How bad a record was: that somebody ran away is less than any harm.
fn bad(entry: &Entry) -> i16 {
    let bad = i16::from(entry.valence.min(0));
    if ran(entry) { bad } else { bad * 10 }
}

fn ran(entry: &Entry) -> bool {
    entry.deed == Deed::Fled && entry.role == Role::Did
}

fn strongest(entries: &[&Entry]) -> i8 {
    let order = |valence: &i8| (-i16::from(valence.unsigned_abs()), *valence);
    entries.iter().map(|entry| entry.valence).min_by_key(order).unwrap_or(0)
}

fn feeling(valence: i8, ran: bool) -> &'static str {
    match valence {
        i8::MIN..=-3 if ran => " (far too soon)",
        -2 if ran => " (too soon)",
        i8::MIN..=-3 => " (a terrible moment)",
        -2 => " (a difficult moment)",
        -1 => " (unpleasant)",
        0 | 1 => "",
        2 => " (noteworthy)",
        3..=i8::MAX => " (a significant moment)",
    }
}

/// A line that begins with its date.
pub fn dated(past: &Past, text: &str, evidence: &[u64]) -> Verdict {
    let entries = past.entries(evidence)?;
    let first = entries.iter().map(|entry| (entry.at_ms, entry.record.seq, entry.record.tick)).min();
    let date = first.map(|(at_ms, _, tick)| past.both_dates(at_ms, tick)).unwrap_or_default();
    match text.strip_prefix(&format!("{date}: ")) {
        // What came to mind by itself has what it was worth beside it, and not in the sentence.
        Some(line) => judge_felt(past, line, evidence, false).map(|_| ()),
        None => Err(format!("it is of {date}")),
    }
}

pub fn judge(past: &Past, line: &str, evidence: &[u64]) -> Result<Told, String> {
    judge_felt(past, line, evidence, true)
}

fn judge_felt(past: &Past, line: &str, evidence: &[u64], felt: bool) -> Result<Told, String> {
    let entries = past.entries(evidence)?;
    let valence = strongest(&entries);
    let order = |entry: &&&Entry| (-i16::from(entry.valence.unsigned_abs()), entry.valence, entry.record.seq);
    let least = entries.iter().min_by_key(order).map_or(0, |entry| bad(entry));
    let mut told = Told { most: valence, least, ..Told::default() };
    let mut text = line;
    if let Some(rest) = text.strip_prefix("Best: ") {
        (text, told.best) = (rest, Some(valence));
    } else if let Some(rest) = text.strip_prefix("Worst: ") {
        (text, told.worst) = (rest, Some(least));
    }
    if let ([one], false) = (entries.as_slice(), felt)
        && alone(past, one).is_some_and(|said| said == line)
    {
        return Ok(told);
    }
    match entries[0].deed {
        Deed::RoomSeen | Deed::Visited => rooms(past, text, &entries)?,
        Deed::Met => meetings(past, text, &entries)?,
        _ => scene(past, text, &entries, felt)?,
    }
    Ok(told)
}

/// A meeting or a visit as one memory by itself; scenes say all else.
fn alone(past: &Past, entry: &Entry) -> Option<String> {
    let said = phrase(past, entry).before;
    match entry.deed {
        Deed::Visited => Some(format!("{said}.")),
        Deed::Met => {
            let place = past.place(&entry.room).map_or(String::new(), |name| format!(" {}", places::at(&name)));
            Some(format!("{said}{place}."))
        }
        _ => None,
    }
}

/// Eats a row, `a, b and c`, of things that `next` finds at its beginning: the places behind it.
fn row<'t>(text: &'t str, left: &BTreeSet<usize>, next: &dyn Fn(&'t str, usize) -> Vec<&'t str>) -> Vec<&'t str> {
    let mut ends = Vec::new();
    for at in left {
        for rest in next(text, *at) {
            ends.push(rest);
            let mut others = left.clone();
            others.remove(at);
            for between in [", ", " and "] {
                if let Some(rest) = rest.strip_prefix(between) {
                    ends.extend(row(rest, &others, next));
                }
            }
        }
    }
    ends
}

/// `Saw A, B and 2 other rooms for the first time.` and `Came to A.`
fn rooms(past: &Past, text: &str, entries: &[&Entry]) -> Verdict {
    let deed = entries[0].deed;
    let session = entries[0].session;
    let all = || past.all.iter().filter(|entry| entry.deed == deed && entry.session == session);
    let (before, after) = if deed == Deed::RoomSeen { ("Saw ", " for the first time.") } else { ("Came to ", ".") };
    let again = |entry: &&Entry| deed == Deed::Visited && entry.what().amount().is_some_and(|times| times > 1);
    let known = |entry: &&Entry| {
        let seen = |e: &&Entry| matches!(e.deed, Deed::RoomSeen | Deed::Visited) && e.room == entry.room;
        past.all.iter().take_while(|e| e.record.seq < entry.record.seq).any(|e| seen(&e))
    };
    if let Some(entry) = entries.iter().find(|entry| entry.deed == Deed::RoomSeen && known(entry)) {
        return Err(format!("{} was seen before {}", past.name(Some(&entry.room)), entry.record.seq));
    }
    let rooms: BTreeSet<&str> = all().filter(|entry| !again(entry)).map(|entry| entry.room.as_str()).collect();
    let names = rooms.iter().map(|room| places::named(&past.name(Some(room))).into_owned()).collect();
    named(text, before, after, names, ["one other room", "other rooms"])
}

/// `Met Ann, Bob and 3 others.`
fn meetings(past: &Past, text: &str, entries: &[&Entry]) -> Verdict {
    let session = entries[0].session;
    let all = past.all.iter().filter(|entry| entry.deed == Deed::Met && entry.session == session);
    let met: BTreeSet<Option<&str>> = all.map(Entry::other).collect();
    named(text, "Met ", ".", met.iter().map(|key| past.name(*key)).collect(), ["one other", "others"])
}

fn named(text: &str, before: &str, after: &str, names: Vec<String>, [one, many]: [&str; 2]) -> Verdict {
    let known = format!("the records have {}", names.join("; "));
    let Some(list) = text.strip_prefix(before).and_then(|rest| rest.strip_suffix(after)) else {
        return Err("no sentence is like this".into());
    };
    let left: BTreeSet<usize> = (0..names.len()).collect();
    let next = |text: &str, at: usize| -> Vec<usize> {
        text.strip_prefix(names[at].as_str()).map(|rest| text.len() - rest.len()).into_iter().collect()
    };
    // How many names a beginning of the list has, and what is behind them.
    fn eat<'t>(
        text: &'t str,
        left: &BTreeSet<usize>,
        next: &dyn Fn(&str, usize) -> Vec<usize>,
        count: usize,
        ends: &mut Vec<(&'t str, usize)>,
        most: usize,
    ) {
        for at in left {
            for eaten in next(text, *at) {
                let rest = &text[eaten..];
                ends.push((rest, count + 1));
                // Five names at most, so that alike names do not cost more than they should.
                if count + 1 >= most {
                    continue;
                }
                let mut others = left.clone();
                others.remove(at);
                for between in [", ", " and "] {
                    if let Some(rest) = rest.strip_prefix(between) {
                        eat(rest, &others, next, count + 1, ends, most);
                    }
                }
            }
        }
    }
    let mut ends = Vec::new();
    eat(list, &left, &next, 0, &mut ends, 5);
    let fits = ends.into_iter().any(|(rest, count)| {
        let others = names.len() - count;
        match rest.strip_prefix(" and ") {
            None => rest.is_empty() && (others == 0 || count >= 1),
            Some(rest) if rest == one => others == 1,
            Some(rest) if rest == many => others >= 1,
            Some(rest) => rest == format!("{others} {many}") && others > 1,
        }
    });
    if fits { Ok(()) } else { Err(known) }
}

/// Alike records of a scene: what may be said of them.
struct Alike {
    phrase: Phrase,
    count: usize,
    valences: Vec<i8>,
    ran: bool,
}

impl Alike {
    /// The words for how often; the first says nothing of it.
    fn often(&self) -> Vec<String> {
        let mut words = vec![String::new()];
        if self.phrase.counted && self.count > 1 {
            words.push(" more than once".into());
            words.push(if self.count == 2 { " twice".into() } else { format!(" {} times", self.count) });
        }
        words
    }
}

/// What can stand as one clause: alike records, or a row of those with one verb.
enum Clause<'a> {
    One(&'a Alike),
    Row(Vec<&'a Alike>),
}

impl Clause<'_> {
    fn valences(&self) -> Vec<i8> {
        match self {
            Clause::One(alike) => alike.valences.clone(),
            Clause::Row(row) => row.iter().flat_map(|alike| alike.valences.clone()).collect(),
        }
    }

    fn ran(&self) -> bool {
        matches!(self, Clause::One(alike) if alike.ran)
    }

    /// What may stand behind it in a text that begins with it.
    fn eat<'t>(&self, text: &'t str, place: Option<&str>) -> Vec<&'t str> {
        let shape = |phrase: &Phrase| match place {
            Some(_) => upper(&phrase.before),
            None if phrase.named_first => phrase.before.clone(),
            None => lower(&phrase.before),
        };
        let place = place.unwrap_or_default();
        match self {
            Clause::One(alike) => {
                let phrase = &alike.phrase;
                let ways = alike
                    .often()
                    .into_iter()
                    .map(|often| format!("{}{often}{}{place}{}", shape(phrase), phrase.after, phrase.words));
                ways.filter_map(|way| text.strip_prefix(way.as_str())).collect()
            }
            Clause::Row(parts) => {
                let phrase = &parts[0].phrase;
                let Some(list) = text.strip_prefix(shape(phrase).as_str()) else { return Vec::new() };
                let next = |text: &'t str, at: usize| -> Vec<&'t str> {
                    let item = parts[at].phrase.listed.clone().unwrap_or_default();
                    let ways = parts[at].often().into_iter().flat_map(|often| {
                        let in_brackets = format!("{item} ({})", often.trim_start());
                        [format!("{item}{often}"), in_brackets]
                    });
                    ways.filter_map(|way| text.strip_prefix(way.as_str())).collect()
                };
                let all: BTreeSet<usize> = (0..parts.len().min(12)).collect();
                let behind = format!("{}{place}", phrase.after);
                row(list, &all, &next).into_iter().filter_map(|rest| rest.strip_prefix(behind.as_str())).collect()
            }
        }
    }
}

fn upper(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|c| c.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

fn lower(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|c| c.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

/// `must_feel`: what the scene was worth is said, where it was worth anything.
fn scene(past: &Past, text: &str, entries: &[&Entry], must_feel: bool) -> Verdict {
    let whole = past.scene_around(entries[0].record.seq).ok_or("it is of no scene")?;
    let outside = entries.iter().find(|entry| whole.iter().all(|other| other.record.seq != entry.record.seq));
    if let Some(entry) = outside {
        return Err(format!("{} was elsewhere or another time", entry.record.seq));
    }
    let mut alike: BTreeMap<Phrase, Alike> = BTreeMap::new();
    for entry in &whole {
        let phrase = phrase(past, entry);
        let of =
            alike.entry(phrase.clone()).or_insert(Alike { phrase, count: 0, valences: Vec::new(), ran: ran(entry) });
        of.count += 1;
        of.valences.push(entry.valence);
    }
    let mut rows: BTreeMap<(&str, &str), Vec<&Alike>> = BTreeMap::new();
    let mut clauses: Vec<Clause> = Vec::new();
    // What is cited comes first, as a row looks at a dozen things at most.
    let cited: BTreeSet<Phrase> = entries.iter().map(|entry| phrase(past, entry)).collect();
    let (first, later): (Vec<&Alike>, Vec<&Alike>) = alike.values().partition(|one| cited.contains(&one.phrase));
    for one in first.into_iter().chain(later) {
        match one.phrase.listed {
            Some(_) => rows.entry((&one.phrase.before, &one.phrase.after)).or_default().push(one),
            None => clauses.push(Clause::One(one)),
        }
    }
    clauses.extend(rows.into_values().map(Clause::Row));
    let valence = strongest(entries);
    let place = past.place(&entries[0].room).map_or(String::new(), |name| format!(" {}", places::at(&name)));
    let single = clauses.iter().any(|clause| {
        let felt = format!("{}.", feeling(valence, clause.ran()));
        let ends = clause.eat(text, Some(&place));
        ends.contains(&felt.as_str()) || (!must_feel && ends.contains(&"."))
    });
    let listed = match place.strip_prefix(' ') {
        Some(place) => text.strip_prefix(format!("{}: ", upper(place)).as_str()),
        None => Some(text),
    };
    let felt = |clause: &Clause| clause.valences().contains(&valence).then(|| feeling(valence, clause.ran()));
    let many = listed.is_some_and(|text| {
        tiles(text, &clauses, &felt, feeling(valence, false).is_empty(), place.is_empty(), clauses.len())
    });
    if single || many {
        return Ok(());
    }
    let known: Vec<String> = alike
        .values()
        .map(|one| {
            let Phrase { before, after, words, listed, .. } = &one.phrase;
            format!("{before}{}{after}{words} ×{}", listed.as_deref().unwrap_or_default(), one.count)
        })
        .collect();
    Err(format!("there{place} the records have: {}", known.join("; ")))
}

/// Whether a text is clauses with semicolons between them. `felt`: what the scene was worth is said, once.
fn tiles(
    text: &str,
    clauses: &[Clause],
    feeling: &dyn Fn(&Clause) -> Option<&'static str>,
    felt: bool,
    capital: bool,
    most: usize,
) -> bool {
    if most == 0 {
        return false;
    }
    clauses.iter().any(|clause| {
        let mut ends: Vec<(&str, bool)> = Vec::new();
        // Without a place the line begins with a capital.
        let way = if capital { Some("") } else { None };
        for rest in clause.eat(text, way) {
            ends.push((rest, felt));
            if let Some(rest) = feeling(clause).filter(|_| !felt).and_then(|feeling| rest.strip_prefix(feeling)) {
                ends.push((rest, true));
            }
        }
        ends.into_iter().any(|(rest, felt)| {
            let goes_on = |rest| tiles(rest, clauses, feeling, felt, false, most - 1);
            (rest == "." && felt) || rest.strip_prefix("; ").is_some_and(goes_on)
        })
    })
}
