//! `map`: the rooms around one that one has seen, drawn, or as a list for who reads with the ears.
//!
//! What is drawn is what one remembers (`Past::rooms`) and the ways between: not who is there, nor whether a door is
//! open. Rooms are laid out by their directions, nearest first. A way that does not lead where it points on the paper
//! (a maze, a bend) is marked; no room is ever drawn at another's place.

use crate::aloud;
use crate::arena::CharacterId;
use crate::page::Page;
use crate::refusal::Refusal;
use crate::report::Style;
use crate::world::World;
use content::RoomId;
use content::flags::DoorFlags;
use content::words::Direction;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write;

/// Rooms to each side of one's own: a picture of 67 columns and 29 lines at most.
const COLUMNS: i32 = 8;
const ROWS: i32 = 7;
/// So many rooms are listed.
const LISTED_MAX: usize = 40;

/// Where a room lies on the paper: to the east, to the south.
type Place = (i32, i32);

/// How a way is drawn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    Open,
    Door,
    /// Nobody has told where it leads.
    Unseen,
    /// It leads elsewhere than it points.
    Bent,
}

impl Way {
    fn sign(self, way: Direction) -> char {
        match self {
            Way::Open if matches!(way, Direction::East | Direction::West) => '-',
            Way::Open => '|',
            Way::Door => '+',
            Way::Unseen => '.',
            Way::Bent => '~',
        }
    }

    fn told(self) -> &'static str {
        match self {
            Way::Open => "- and | ways",
            Way::Door => "+ a door",
            Way::Unseen => ". a way that you have not gone",
            Way::Bent => "~ a way that leads elsewhere than it points",
        }
    }
}

/// The rooms that are drawn, each at its place.
struct Layout {
    at: BTreeMap<Place, RoomId>,
    places: BTreeMap<RoomId, Place>,
}

pub fn map(world: &World, who: CharacterId, args: &str) -> Result<Page, Refusal> {
    if world.who(who).player().is_none() {
        return Err("You have no head for maps.".into());
    }
    if !world.sees_room(who) {
        return Err("You cannot see where you are.".into());
    }
    match args.trim().to_ascii_lowercase().as_str() {
        "" if aloud::listens(world.who(who)) => Ok(listed(world, who)),
        "" => Ok(drawn(world, who)),
        "list" => Ok(listed(world, who)),
        _ => {
            Err("There is no such map. map draws the rooms around you that you have seen, and map list lists them."
                .into())
        }
    }
}

/// A room as somebody remembers it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remembered {
    pub room: RoomId,
    pub ways: Vec<RememberedWay>,
}

/// A way out of it, as `map` shows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RememberedWay {
    pub way: Direction,
    /// `None`: one has not been there.
    pub to: Option<RoomId>,
    /// Through a door; whether that is open, nobody remembers.
    pub door: bool,
}

/// The rooms that somebody has seen, of one zone or of all, by their numbers. One's own is among them where one sees
/// it.
pub fn remembered(world: &World, who: CharacterId, zone: Option<i32>) -> Vec<Remembered> {
    let here = world.sees_room(who).then_some(world.who(who).room);
    let Some(player) = world.who(who).player() else { return Vec::new() };
    let rooms = world.content.rooms.iter().filter(|room| zone.is_none_or(|zone| room.zone == zone));
    let seen = rooms.filter_map(|room| {
        let id = world.content.room_id(room.vnum)?;
        (player.past.rooms.contains(room.vnum) || here == Some(id)).then_some(id)
    });
    seen.map(|room| {
        let ways = ways(world, room).map(|(way, to, door)| {
            let to = has_seen(world, who, to).then_some(to);
            RememberedWay { way, to, door }
        });
        Remembered { room, ways: ways.collect() }
    })
    .collect()
}

/// Whether somebody has been in a room, or is there.
pub(super) fn has_seen(world: &World, who: CharacterId, room: RoomId) -> bool {
    let c = world.who(who);
    let seen = |vnum: i32| c.player().is_some_and(|player| player.past.rooms.contains(vnum));
    c.room == room || seen(world.room_proto(room).vnum)
}

/// The ways out of a room that one knows of: where they lead, and whether through a door.
pub(super) fn ways(world: &World, room: RoomId) -> impl Iterator<Item = (Direction, RoomId, bool)> {
    let exits = world.room_proto(room).exits.iter().zip(&world.room(room).doors);
    let shown = exits.filter(|(_, door)| !(door.has(DoorFlags::HIDDEN) && door.has(DoorFlags::CLOSED)));
    shown.filter_map(|(exit, door)| Some((exit.direction, world.content.room_id(exit.to?)?, door.has(DoorFlags::DOOR))))
}

fn is_on_paper((x, y): Place) -> bool {
    x.abs() <= COLUMNS && y.abs() <= ROWS
}

fn step((x, y): Place, way: Direction) -> Option<Place> {
    match way {
        Direction::North => Some((x, y - 1)),
        Direction::South => Some((x, y + 1)),
        Direction::East => Some((x + 1, y)),
        Direction::West => Some((x - 1, y)),
        Direction::Up | Direction::Down => None,
    }
}

/// Gives each room a place, from one's own outwards. Who comes first keeps the place.
fn lay_out(world: &World, who: CharacterId) -> Layout {
    let here = world.who(who).room;
    let mut layout = Layout { at: BTreeMap::from([((0, 0), here)]), places: BTreeMap::from([(here, (0, 0))]) };
    let mut waiting = VecDeque::from([(here, (0, 0))]);
    while let Some((room, place)) = waiting.pop_front() {
        for (way, to, _) in ways(world, room) {
            let Some(next) = step(place, way) else { continue };
            let fits = is_on_paper(next) && !layout.at.contains_key(&next);
            if fits && !layout.places.contains_key(&to) && has_seen(world, who, to) {
                layout.at.insert(next, to);
                layout.places.insert(to, next);
                waiting.push_back((to, next));
            }
        }
    }
    layout
}

/// A picture of signs, which grows no larger than the paper.
struct Paper {
    rows: Vec<Vec<char>>,
}

impl Paper {
    fn blank() -> Paper {
        let (columns, rows) = (8 * COLUMNS as usize + 3, 4 * ROWS as usize + 1);
        Paper { rows: vec![vec![' '; columns]; rows] }
    }

    /// The middle of a room's place: column and row.
    fn middle((x, y): Place) -> (usize, usize) {
        ((4 * (x + COLUMNS) + 1) as usize, (2 * (y + ROWS)) as usize)
    }

    /// Where the way stands that leads from a place, as long as it is on the paper.
    fn beside(place: Place, way: Direction) -> Option<(usize, usize)> {
        let (column, row) = Paper::middle(place);
        match way {
            Direction::North => Some((column, row.checked_sub(1)?)),
            Direction::South => Some((column, row + 1)),
            Direction::East => Some((column + 2, row)),
            Direction::West => Some((column.checked_sub(2)?, row)),
            Direction::Up | Direction::Down => None,
        }
    }

    fn sign(&mut self, (column, row): (usize, usize)) -> Option<&mut char> {
        self.rows.get_mut(row)?.get_mut(column)
    }

    fn put(&mut self, at: (usize, usize), sign: char) {
        if let Some(place) = self.sign(at) {
            *place = sign;
        }
    }

    /// Its lines without what is blank around them.
    fn lines(self) -> Vec<String> {
        let indent = |row: &[char]| row.iter().position(|sign| *sign != ' ');
        let left = self.rows.iter().filter_map(|row| indent(row)).min().unwrap_or(0);
        let lines = self.rows.iter().map(|row| row[left..].iter().collect::<String>().trim_end().to_string());
        let lines: Vec<String> = lines.skip_while(|line| line.is_empty()).collect();
        let end = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
        lines.into_iter().take(end).collect()
    }
}

fn drawn(world: &World, who: CharacterId) -> Page {
    let layout = lay_out(world, who);
    let here = world.who(who).room;
    let mut paper = Paper::blank();
    // Which signs are on it, to be explained below.
    let mut used = BTreeSet::new();
    for (&place, &room) in &layout.at {
        let (mut up, mut down) = (false, false);
        for (way, to, door) in ways(world, room) {
            let Some(next) = step(place, way) else {
                (up, down) = (up || way == Direction::Up, down || way == Direction::Down);
                continue;
            };
            let way_drawn = match layout.places.get(&to) {
                Some(at) if *at == next && door => Way::Door,
                Some(at) if *at == next => Way::Open,
                None if !has_seen(world, who, to) => Way::Unseen,
                // It goes on beyond the paper.
                None if !is_on_paper(next) => continue,
                _ => Way::Bent,
            };
            if way_drawn != Way::Open {
                used.insert(way_drawn);
            }
            let Some(at) = Paper::beside(place, way) else { continue };
            // Two rooms draw the way between them; what is odd about it from either is shown.
            let drawn_before = paper.sign(at).map_or(' ', |sign| *sign);
            if drawn_before == ' ' || way_drawn != Way::Open {
                paper.put(at, way_drawn.sign(way));
            }
        }
        let (column, row) = Paper::middle(place);
        paper.put((column - 1, row), '[');
        paper.put((column + 1, row), ']');
        let inside = match (up, down) {
            _ if room == here => '@',
            (true, true) => ':',
            (true, false) => '^',
            (false, true) => 'v',
            (false, false) => ' ',
        };
        paper.put((column, row), inside);
    }
    let mut page = Page::new();
    page.line(Style::Heading, format!("Around {}, as you remember it:", world.room_proto(here).name));
    let lines = paper.lines();
    let has = |sign: char| lines.iter().any(|line| line.contains(sign));
    let mut told = vec!["@ you"];
    told.extend(
        ['^', 'v', ':']
            .into_iter()
            .zip(["^ a way up", "v a way down", ": ways up and down"])
            .filter(|(sign, _)| has(*sign))
            .map(|(_, text)| text),
    );
    told.extend(used.into_iter().map(Way::told));
    for line in &lines {
        page.say(line);
    }
    page.say(format!("{}.", told.join(", ")));
    page
}

/// The same for who reads one line after the other: rooms with their ways, the nearest first.
fn listed(world: &World, who: CharacterId) -> Page {
    let here = world.who(who).room;
    let (mut found, mut at) = (vec![here], 0);
    let mut page = Page::new();
    page.line(Style::Heading, format!("Around {}, as you remember it:", world.room_proto(here).name));
    while at < found.len() && at < LISTED_MAX {
        let room = found[at];
        at += 1;
        let mut line = format!("{}:", world.room_proto(room).name);
        let before = line.len();
        for (way, to, door) in ways(world, room) {
            let separator = if line.len() == before { "" } else { "," };
            let through = if door { " through a door" } else { "" };
            let seen = has_seen(world, who, to);
            let name = if seen { &*world.room_proto(to).name } else { "somewhere new" };
            let _ = write!(line, "{separator} {way}{through} {name}");
            if seen && !found.contains(&to) {
                found.push(to);
            }
        }
        if line.len() == before {
            line.push_str(" no way out that you know of");
        }
        page.say(format!("{line}."));
    }
    if at < found.len() {
        page.say(format!("And {} beyond these.", found.len() - at));
    }
    page
}
