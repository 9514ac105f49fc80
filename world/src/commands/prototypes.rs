//! What builders look up in the game: `vnum` finds prototypes by a word, `vlist` lists those of a zone.

use crate::arena::CharacterId;
use crate::find::{answers_to, first_argument};
use crate::page::Page;
use crate::refusal::Refusal;
use crate::report::Style;
use crate::world::World;
use content::Vnum;

/// Rows of each kind that are shown at most.
const ROWS_MAX: usize = 60;

/// A prototype: its number, its name and the words that it answers to.
type Row<'w> = (Vnum, &'w str, &'w str);

/// Rooms, mobs and objects, each kind with its heading.
fn kinds(world: &World) -> [(&'static str, Vec<Row<'_>>); 3] {
    let content = &*world.content;
    let rooms = content.rooms.iter().map(|room| (room.vnum, &*room.name, &*room.name));
    let mobs = content.mobs.iter().map(|mob| (mob.vnum, &*mob.short, &*mob.keywords));
    let objects = content.objects.iter().map(|object| (object.vnum, &*object.short, &*object.keywords));
    [("Rooms:", rooms.collect()), ("Mobs:", mobs.collect()), ("Things:", objects.collect())]
}

/// `vnum <word>`: what is called so.
pub fn vnum(world: &World, _: CharacterId, args: &str) -> Result<Page, Refusal> {
    let (word, _) = first_argument(args);
    if word.is_empty() {
        return Err("What do you look for? vnum <word>".into());
    }
    let page = page_of(world, |_, words| answers_to(words, word));
    page.ok_or_else(|| format!("No prototype answers to {word}.").into())
}

/// `vlist [<zone>]`: what belongs to a zone, or to the one that one is in.
pub fn vlist(world: &World, who: CharacterId, args: &str) -> Result<Page, Refusal> {
    let (word, _) = first_argument(args);
    let here = world.room_proto(world.who(who).room).zone;
    let number = match word {
        "" => here,
        word => word.parse().map_err(|_| Refusal::from("Which zone? vlist <number>; areas lists their names"))?,
    };
    let Some(index) = world.content.zone_index(number) else {
        let known: Vec<String> = world.content.zones.iter().map(|zone| zone.number.to_string()).collect();
        return Err(format!("There is no zone {number}. There are {}.", crate::act::listed(&known)).into());
    };
    let zone = &world.content.zones[index];
    let page = page_of(world, |vnum, _| zone.holds(vnum));
    page.ok_or_else(|| format!("{} is empty.", zone.name).into())
}

/// The prototypes that are wanted; `None`: there are none.
fn page_of(world: &World, wanted: impl Fn(Vnum, &str) -> bool) -> Option<Page> {
    let mut page = Page::new();
    for (heading, rows) in kinds(world) {
        let mut found = rows.into_iter().filter(|(vnum, _, words)| wanted(*vnum, words)).peekable();
        if found.peek().is_none() {
            continue;
        }
        page.line(Style::Heading, heading);
        for (vnum, name, _) in found.by_ref().take(ROWS_MAX) {
            page.say(format!("{vnum:>6}  {name}"));
        }
        match found.count() {
            0 => {}
            more => {
                page.say(format!("        and {more} more"));
            }
        }
    }
    (!page.text.is_empty()).then_some(page)
}
