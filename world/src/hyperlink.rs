//! Hyperlinks: words of a line that stand for something one can act on, and what can be done with it.
//!
//! A link is a way out, or names one mob, thing or player by its id, so that what is done strikes what was meant
//! (`find.rs`). How it looks is the client's affair: `server/src/encode` writes it for each kind of them.
//! Invariants: a link names by numbers, by a direction, or by the name of an account, and never by words that somebody
//! wrote; there is no line break in what it spans.

use crate::object::Object;
use content::flags::WearFlags;
use content::words::Direction;
use content::{ObjectKind, Text, Vnum};
use protocol::instance::{UNMADE, mob_instance, obj_instance, player_instance};
use std::sync::Arc;

/// What a part of a line stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Hyperlink {
    Way {
        way: Direction,
        closed: bool,
    },
    Mob(Serial, Use),
    /// By the name of its account.
    Player(Text, Use),
    Thing(Serial, Use),
    /// A thing in another one.
    Inside(Box<Inside>),
}

/// Which mob or thing: the two numbers of its instance id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Serial {
    pub vnum: Vnum,
    pub serial: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Inside {
    pub thing: Serial,
    pub container: Serial,
}

/// What something is to who reads of it: what a row of `OFFERS` is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Use {
    Way,
    ClosedWay,
    Mob,
    /// Nobody may strike it, or nobody there.
    Untouchable,
    /// It gives back what deaths took, for coins.
    Restorer,
    /// It has one's corpse brought, for coins.
    Mortician,
    /// An animal for sale, which is made for who buys it.
    Animal,
    /// The same of whoever is to be hired.
    Hireling,
    /// It does what its reader says.
    Servant,
    Player,
    /// Wherever it is.
    PlayerAfar,
    /// In a shop, for sale.
    Ware,
    /// On the floor, and may be taken.
    Lying,
    LyingContainer,
    /// It stays where it is.
    Fixed,
    FixedContainer,
    Fountain,
    Carried,
    Wearable,
    Weapon,
    Holdable,
    Food,
    Drink,
    Container,
    Potion,
    Scroll,
    Note,
    Worn,
    WornContainer,
    Contained,
}

/// What can be done with something.
pub struct Offer {
    pub what: Use,
    /// Each, with a blank and the id behind it, is a command; the first is what a click does.
    pub verbs: &'static [&'static str],
    /// The same, but that words of the player's own have to follow.
    pub begins: &'static [&'static str],
}

const fn offer(what: Use, verbs: &'static [&'static str]) -> Offer {
    Offer { what, verbs, begins: &[] }
}

/// At the index of its use.
pub const OFFERS: &[Offer] = &[
    offer(Use::Way, &["go", "look"]),
    offer(Use::ClosedWay, &["open", "look"]),
    offer(Use::Mob, &["look", "consider", "kill"]),
    offer(Use::Untouchable, &["look", "consider"]),
    offer(Use::Restorer, &["buy constitution", "look", "consider"]),
    offer(Use::Mortician, &["buy corpse", "look", "consider"]),
    offer(Use::Animal, &["buy"]),
    offer(Use::Hireling, &["hire"]),
    Offer { what: Use::Servant, verbs: &["look", "consider", "dismiss"], begins: &["order"] },
    Offer { what: Use::Player, verbs: &["look", "follow", "consider"], begins: &["tell"] },
    Offer { what: Use::PlayerAfar, verbs: &["whois"], begins: &["tell"] },
    offer(Use::Ware, &["buy"]),
    offer(Use::Lying, &["get", "look"]),
    offer(Use::LyingContainer, &["look in", "get all", "get", "look"]),
    offer(Use::Fixed, &["look"]),
    offer(Use::FixedContainer, &["look in", "get all", "look"]),
    offer(Use::Fountain, &["drink", "look"]),
    offer(Use::Carried, &["look", "drop"]),
    offer(Use::Wearable, &["wear", "look", "drop"]),
    offer(Use::Weapon, &["wield", "look", "drop"]),
    offer(Use::Holdable, &["hold", "look", "drop"]),
    offer(Use::Food, &["eat", "look", "drop"]),
    offer(Use::Drink, &["drink", "look", "drop"]),
    offer(Use::Container, &["look in", "get all", "look", "drop"]),
    offer(Use::Potion, &["look", "quaff", "drop"]),
    offer(Use::Scroll, &["look", "recite", "drop"]),
    offer(Use::Note, &["read", "drop"]),
    offer(Use::Worn, &["look", "remove"]),
    offer(Use::WornContainer, &["look in", "get all", "look", "remove"]),
    offer(Use::Contained, &["get"]),
];

impl Use {
    pub fn offer(self) -> &'static Offer {
        &OFFERS[self as usize]
    }

    fn on_floor(object: &Object) -> Use {
        let taken = object.can_be(WearFlags::TAKE);
        match object.kind {
            ObjectKind::Container { .. } if taken => Use::LyingContainer,
            ObjectKind::Container { .. } => Use::FixedContainer,
            ObjectKind::Fountain { .. } => Use::Fountain,
            _ if taken => Use::Lying,
            _ => Use::Fixed,
        }
    }

    /// What it is made for comes first.
    fn in_hands(object: &Object) -> Use {
        let worn_at = WearFlags(object.wear.0 & !TO_HAND.0);
        match object.kind {
            ObjectKind::Food { .. } => Use::Food,
            ObjectKind::DrinkContainer { .. } => Use::Drink,
            ObjectKind::Potion { .. } => Use::Potion,
            ObjectKind::Scroll { .. } => Use::Scroll,
            ObjectKind::Note => Use::Note,
            ObjectKind::Container { .. } if worn_at == WearFlags::default() => Use::Container,
            _ if object.can_be(WearFlags::WIELD) => Use::Weapon,
            _ if worn_at != WearFlags::default() => Use::Wearable,
            // One wears a light by lighting it.
            ObjectKind::Light { .. } => Use::Wearable,
            _ if object.can_be(WearFlags::HOLD) => Use::Holdable,
            _ => Use::Carried,
        }
    }

    fn on_body(object: &Object) -> Use {
        if object.is_container() { Use::WornContainer } else { Use::Worn }
    }
}

/// Where a thing is that one does not put on.
const TO_HAND: WearFlags = WearFlags::TAKE.with(WearFlags::WIELD).with(WearFlags::HOLD).with(WearFlags::THROW);

impl Serial {
    fn of(object: &Object) -> Serial {
        Serial { vnum: object.vnum, serial: object.serial }
    }
}

impl Hyperlink {
    pub fn on_floor(object: &Object) -> Hyperlink {
        Hyperlink::Thing(Serial::of(object), Use::on_floor(object))
    }

    pub fn in_hands(object: &Object) -> Hyperlink {
        Hyperlink::Thing(Serial::of(object), Use::in_hands(object))
    }

    pub fn on_body(object: &Object) -> Hyperlink {
        Hyperlink::Thing(Serial::of(object), Use::on_body(object))
    }

    pub fn inside(object: &Object, container: &Object) -> Hyperlink {
        Hyperlink::Inside(Box::new(Inside { thing: Serial::of(object), container: Serial::of(container) }))
    }

    /// Of what a shop sells: one that lies in it, or one that is made for who buys it.
    pub fn ware(vnum: Vnum, first: Option<&Object>) -> Hyperlink {
        Hyperlink::Thing(first.map_or(Serial { vnum, serial: UNMADE }, Serial::of), Use::Ware)
    }

    /// Of a kind of mob that is made for who buys or hires one.
    pub fn unmade_mob(vnum: Vnum, what: Use) -> Hyperlink {
        Hyperlink::Mob(Serial { vnum, serial: UNMADE }, what)
    }

    pub fn offer(&self) -> &'static Offer {
        match self {
            Hyperlink::Way { closed: false, .. } => Use::Way,
            Hyperlink::Way { closed: true, .. } => Use::ClosedWay,
            Hyperlink::Player(_, what) | Hyperlink::Mob(_, what) | Hyperlink::Thing(_, what) => *what,
            Hyperlink::Inside(_) => Use::Contained,
        }
        .offer()
    }

    /// The direction, where it is a way.
    pub fn way(&self) -> Option<Direction> {
        match self {
            Hyperlink::Way { way, .. } => Some(*way),
            _ => None,
        }
    }

    /// The instance id of what it is, but for ways.
    pub fn id(&self) -> Option<Arc<str>> {
        Some(match self {
            Hyperlink::Way { .. } => return None,
            Hyperlink::Mob(mob, _) => mob_instance(mob.vnum, mob.serial),
            Hyperlink::Player(name, _) => player_instance(name),
            Hyperlink::Thing(thing, _) => obj_instance(thing.vnum, thing.serial),
            Hyperlink::Inside(inside) => obj_instance(inside.thing.vnum, inside.thing.serial),
        })
    }

    /// That of what it is in.
    pub fn inside_of(&self) -> Option<Arc<str>> {
        match self {
            Hyperlink::Inside(inside) => Some(obj_instance(inside.container.vnum, inside.container.serial)),
            _ => None,
        }
    }

    /// What is typed to do each thing of the offer, but those that want words.
    pub fn commands(&self) -> Vec<String> {
        let target = match (self.way(), self.id(), self.inside_of()) {
            (Some(way), ..) => way.name().to_string(),
            (None, Some(id), Some(container)) => format!("{id} {container}"),
            (None, Some(id), None) => id.to_string(),
            (None, None, _) => unreachable!("what is no way has an id"),
        };
        let command = |verb: &&str| match *verb {
            "go" => target.clone(),
            verb => format!("{verb} {target}"),
        };
        self.offer().verbs.iter().map(command).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_use_stands_at_its_place_and_can_be_clicked() {
        for (at, row) in OFFERS.iter().enumerate() {
            assert_eq!(row.what as usize, at, "{:?}", row.what);
            assert!(!row.verbs.is_empty(), "{:?}", row.what);
        }
    }

    #[test]
    fn commands_name_what_is_meant_by_its_id() {
        let serial = |serial| Serial { vnum: 7, serial };
        for (link, expected) in [
            (Hyperlink::Way { way: Direction::North, closed: false }, vec!["north", "look north"]),
            (Hyperlink::Way { way: Direction::Up, closed: true }, vec!["open up", "look up"]),
            (Hyperlink::Mob(serial(1), Use::Mob), vec!["look mob_7_1", "consider mob_7_1", "kill mob_7_1"]),
            (Hyperlink::Mob(serial(1), Use::Servant), vec!["look mob_7_1", "consider mob_7_1", "dismiss mob_7_1"]),
            (Hyperlink::Mob(serial(1), Use::Untouchable), vec!["look mob_7_1", "consider mob_7_1"]),
            (Hyperlink::unmade_mob(7, Use::Animal), vec!["buy mob_7_0"]),
            (Hyperlink::unmade_mob(7, Use::Hireling), vec!["hire mob_7_0"]),
            (
                Hyperlink::Player("Bob".into(), Use::Player),
                vec!["look player_bob", "follow player_bob", "consider player_bob"],
            ),
            (Hyperlink::Player("Bob".into(), Use::PlayerAfar), vec!["whois player_bob"]),
            (Hyperlink::ware(7, None), vec!["buy obj_7_0"]),
            (Hyperlink::Thing(serial(2), Use::Food), vec!["eat obj_7_2", "look obj_7_2", "drop obj_7_2"]),
            (
                Hyperlink::Inside(Box::new(Inside { thing: serial(3), container: serial(4) })),
                vec!["get obj_7_3 obj_7_4"],
            ),
        ] {
            assert_eq!(link.commands(), expected, "{link:?}");
        }
    }
}
