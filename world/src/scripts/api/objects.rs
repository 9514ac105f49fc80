//! What can be asked of objects, and done with them.

use super::characters::place;
use super::*;
use crate::object::Place;
use content::flags::ObjectFlags;

macro_rules! field {
    ($name:literal, $says:literal, $example:literal, |$world:ident, $object:ident| $answer:expr) => {
        Row {
            group: Group::Object,
            name: $name,
            signature: concat!("object.", $name),
            says: $says,
            example: $example,
            kind: Kind::Field(|$world, handle| {
                let $object = as_object(handle);
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
            Place::Carried(who) | Place::Worn(who, _) => Handle::Character(who).into(),
            _ => Answer::Nil,
        }
    }),
    field!("container", "What it is in; nil where it is in nothing.", "ev.object.container", |w, o| {
        match w.object(o).place {
            Place::Inside(other) => Handle::Object(other).into(),
            _ => Answer::Nil,
        }
    }),
    Row {
        group: Group::Object,
        name: "contents",
        signature: "object:contents()",
        says: "What is in it.",
        example: "#ev.object:contents()",
        kind: Kind::Method(|w, h, _| Ok(objects_of(w.object(as_object(h)).contents.iter().copied()))),
    },
    Row {
        group: Group::Object,
        name: "is",
        signature: "object:is(word)",
        says: "Whether it has a flag of content files, such as `magic`, `glow` or `no_drop`.",
        example: "if ev.object:is(\"magic\") then",
        kind: Kind::Method(|w, h, given| {
            let word = text(given, 0)?;
            let flag = ObjectFlags::named(word).ok_or_else(|| format!("there is no flag {word:?}"))?;
            Ok(w.object(as_object(h)).flags.has(flag).into())
        }),
    },
    Row {
        group: Group::Object,
        name: "move_to",
        signature: "object:move_to(where)",
        says: "It is put into somebody's hands, a room or a container; false where it would be inside itself.",
        example: "ev.object:move_to(ev.actor)",
        kind: Kind::Method(|w, h, given| {
            let (object, to) = (as_object(h), place(given, 0)?);
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
        group: Group::Object,
        name: "remove",
        signature: "object:remove()",
        says: "It is gone from the world, with what is in it.",
        example: "ev.object:remove()",
        kind: Kind::Method(|w, h, _| {
            w.extract_object(as_object(h));
            Ok(true.into())
        }),
    },
];
