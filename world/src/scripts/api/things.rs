//! What can be asked of things, and done with them.

use super::beings::place;
use super::*;
use crate::object::Place;
use content::flags::ObjectFlags;

macro_rules! field {
    ($name:literal, $says:literal, $example:literal, |$world:ident, $thing:ident| $answer:expr) => {
        Row {
            group: Group::Thing,
            name: $name,
            signature: concat!("thing.", $name),
            says: $says,
            example: $example,
            kind: Kind::Field(|$world, handle| {
                let $thing = as_thing(handle);
                $answer
            }),
        }
    };
}

pub(super) const ROWS: &[Row] = &[
    field!("name", "As it is called: `a short sword`.", "ev.object.name", |w, o| Answer::Text(
        w.object(o).short.clone()
    )),
    field!("vnum", "The number of its row.", "if ev.object.vnum == 8120 then", |w, o| w.object(o).vnum.into()),
    field!("type", "`weapon`, `key`, `food` and so on.", "ev.object.type == \"food\"", |w, o| {
        w.object(o).kind.item_type().name().into()
    }),
    field!("cost", "Its worth in coins.", "ev.object.cost", |w, o| w.object(o).cost.into()),
    field!("weight", "In pounds, with what is in it.", "ev.object.weight", |w, o| w.weight_of(o).into()),
    field!("room", "Where it lies, or where its holder is; nil where nobody could find it.", "ev.self.room", |w, o| {
        w.room_of(o).map_or(Answer::Nil, |room| Handle::Room(room).into())
    }),
    field!("holder", "Who carries or wears it itself; nil where nobody does.", "if ev.self.holder then", |w, o| {
        match w.object(o).place {
            Place::Carried(who) | Place::Worn(who, _) => Handle::Being(who).into(),
            _ => Answer::Nil,
        }
    }),
    field!("container", "What it is in; nil where it is in nothing.", "ev.object.container", |w, o| {
        match w.object(o).place {
            Place::Inside(other) => Handle::Thing(other).into(),
            _ => Answer::Nil,
        }
    }),
    Row {
        group: Group::Thing,
        name: "contents",
        signature: "thing:contents()",
        says: "What is in it.",
        example: "#ev.object:contents()",
        kind: Kind::Method(|w, h, _| Ok(things_of(w.object(as_thing(h)).contents.iter().copied()))),
    },
    Row {
        group: Group::Thing,
        name: "is",
        signature: "thing:is(word)",
        says: "Whether it has a flag of content files, such as `magic`, `glow` or `no_drop`.",
        example: "if ev.object:is(\"magic\") then",
        kind: Kind::Method(|w, h, given| {
            let word = text(given, 0)?;
            let flag = ObjectFlags::named(word).ok_or_else(|| format!("there is no flag {word:?}"))?;
            Ok(w.object(as_thing(h)).flags.has(flag).into())
        }),
    },
    Row {
        group: Group::Thing,
        name: "move_to",
        signature: "thing:move_to(where)",
        says: "It is put into somebody's hands, a room or a container; false where it would be inside itself.",
        example: "ev.object:move_to(ev.actor)",
        kind: Kind::Method(|w, h, given| {
            let (object, to) = (as_thing(h), place(given, 0)?);
            let fits = match to {
                Place::Carried(who) => w.character(who).is_some(),
                Place::Inside(container) => {
                    let holds = w.get_object(container).is_some_and(|o| o.is_container());
                    holds && container != object && !w.is_inside(container, object)
                }
                _ => true,
            };
            if fits {
                w.place_object(object, to);
            }
            Ok(fits.into())
        }),
    },
    Row {
        group: Group::Thing,
        name: "remove",
        signature: "thing:remove()",
        says: "It is gone from the world, with what is in it.",
        example: "ev.object:remove()",
        kind: Kind::Method(|w, h, _| {
            w.extract_object(as_thing(h));
            Ok(true.into())
        }),
    },
];
