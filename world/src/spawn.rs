//! Spawning: mobs and objects made from their prototypes, and what no builder made: coins and corpses.

use crate::arena::{CharacterId, ObjectId};
use crate::character::*;
use crate::effects::affects::{self, SetAffect, Stacking};
use crate::mounts;
use crate::object::{CORPSE_OF, Object, Place, coins_in};
use crate::rng::Stream;
use crate::world::World;
use content::flags::*;
use content::words::*;
use content::{self, ObjectKind, RoomId, Vnum};
use std::sync::OnceLock;

/// Mana and moves of a mob. Source: game reference §1.3.
const MOB_MANA: i32 = 100;
const MOB_MOVES: i32 = 200;
/// Abilities of an ordinary mob.
const MOB_ABILITY: i32 = 11;

impl World {
    /// An animal that waited is beside its owner again. `None` where there is no such animal in this world any more.
    pub(crate) fn bring_animal(&mut self, who: CharacterId, waiting: &Stabled) -> Option<CharacterId> {
        let animal = self.make_animal(waiting, self.who(who).room)?;
        self.start_following(animal, who);
        Some(animal)
    }

    /// The same of one that serves. It brings nothing that anybody could take from it: no coins, and nothing to learn.
    pub(crate) fn bring_pet(&mut self, who: CharacterId, waiting: &Stabled) -> Option<CharacterId> {
        let pet = self.make_animal(waiting, self.who(who).room)?;
        let purse = std::mem::take(&mut self.who_mut(pet).gold);
        self.mint(-i64::from(purse));
        self.who_mut(pet).mob_mut().expect("it was made of a mob's row").experience = 0;
        let affect = mounts::bond();
        affects::set(self, pet, SetAffect { affect, stacking: Stacking::Longer });
        self.start_following(pet, who);
        Some(pet)
    }

    /// An animal as it waited somewhere.
    fn make_animal(&mut self, waiting: &Stabled, room: RoomId) -> Option<CharacterId> {
        let proto = self.content.mob_index(waiting.vnum)?;
        let animal = self.make_mob(proto, room);
        let m = self.who_mut(animal);
        m.hit = waiting.hit.clamp(1, m.now.hit_max);
        m.moves = waiting.moves.clamp(0, m.now.move_max);
        if let Some(called) = &waiting.called {
            m.name = format!("{} called {called}", m.name).into();
            m.keywords = format!("{} {}", called.to_lowercase(), m.keywords).into();
        }
        let mob = m.mob_mut().expect("it was made of a mob's row");
        (mob.called_up, mob.called) = (true, waiting.called.clone());
        Some(animal)
    }

    /// A mob from the prototype at that index of `Content::mobs`.
    pub fn make_mob(&mut self, proto_index: u32, room: RoomId) -> CharacterId {
        let content = self.content.clone();
        let proto = &content.mobs[proto_index as usize];
        let serial = self.next_serial();
        let dice = self.dice(Stream::Zones);
        let hit = (dice.roll(proto.hit_points.count, proto.hit_points.sides) + proto.hit_points.bonus).max(1);
        let gold = proto.gold + proto.gold * dice.range(-20, 20) / 100;
        let ability = |n: usize| proto.abilities[n].unwrap_or(MOB_ABILITY);
        let base = Stats {
            abilities: Abilities {
                strength: ability(0),
                strength_add: proto.strength_add,
                intelligence: ability(1),
                wisdom: ability(2),
                dexterity: ability(3),
                constitution: ability(4),
                charisma: ability(5),
            },
            hit_max: hit,
            mana_max: MOB_MANA,
            move_max: MOB_MOVES,
            armor: proto.armor,
            hit_roll: proto.hit_roll,
            damage_roll: proto.damage.bonus,
            flags: proto.affects,
            ..Stats::default()
        };
        self.insert_character(Character {
            serial,
            name: proto.short.clone(),
            keywords: proto.keywords.clone(),
            kind: Kind::Mob(Mob {
                proto: proto_index,
                flags: proto.flags,
                memory: Vec::new(),
                experience: proto.experience,
                called_up: false,
                answers_from_tick: 0,
                thanked: None,
                called: None,
                hunt: None,
            }),
            room,
            position: match proto.load_position {
                Position::Fighting => Position::Standing,
                position => position,
            },
            sex: proto.sex,
            race: proto.race,
            class: Class::Warrior,
            level: proto.level,
            alignment: proto.alignment,
            gold: gold.max(0),
            hit,
            mana: MOB_MANA,
            moves: MOB_MOVES,
            base,
            now: base,
            affects: Vec::new(),
            carrying: Vec::new(),
            worn: Vec::new(),
            fighting: None,
            felled_by: None,
            fight_cause: None,
            leader: None,
            followers: Vec::new(),
            grouped: false,
            free_tick: 0,
            warded: 0,
            rides: None,
            instance: OnceLock::new(),
        })
    }

    /// A thing from the prototype of that vnum, nowhere yet.
    pub fn make_object(&mut self, vnum: Vnum) -> Option<ObjectId> {
        let content = self.content.clone();
        let proto = content.object(vnum)?;
        let serial = self.next_serial();
        let object = Object {
            serial,
            vnum: proto.vnum,
            keywords: proto.keywords.clone(),
            short: proto.short.clone(),
            long: proto.long.clone(),
            kind: proto.kind.clone(),
            flags: proto.flags,
            wear: proto.wear,
            affects: proto.affects,
            weight: proto.weight,
            cost: proto.cost,
            level: proto.level,
            timer_hours: proto.timer_hours,
            applies: proto.applies.clone(),
            place: Place::Nowhere,
            contents: Vec::new(),
        };
        self.mint(coins_in(&object));
        Some(self.insert_object(object))
    }

    /// A heap of coins, nowhere yet. `coins` is at least 1, and was taken from somebody: nothing is minted here.
    pub fn make_money(&mut self, coins: i32) -> ObjectId {
        let serial = self.next_serial();
        let (keywords, short, long) = money_texts(coins);
        self.insert_object(Object {
            serial,
            vnum: 0,
            keywords: keywords.into(),
            short: short.into(),
            long: long.into(),
            kind: ObjectKind::Money { coins },
            flags: ObjectFlags::NO_SELL.with(ObjectFlags::NO_DONATE),
            wear: WearFlags::TAKE,
            affects: AffectFlags::NONE,
            weight: 0,
            cost: coins,
            level: 0,
            timer_hours: 0,
            applies: Vec::new(),
            place: Place::Nowhere,
            contents: Vec::new(),
        })
    }

    /// A corpse in the room of the dead, holding everything that it had. The dead itself stays where it is.
    pub fn make_corpse(&mut self, dead: CharacterId) -> ObjectId {
        let serial = self.next_serial();
        let character = self.who(dead);
        let (name, room, gold) = (character.name.clone(), character.room, character.gold);
        let keywords = format!("corpse {}", character.keywords);
        let hours = if character.is_player() { self.rules.corpse_player_hours } else { self.rules.corpse_mob_hours };
        let objects: Vec<ObjectId> =
            character.carrying.iter().copied().chain(character.worn.iter().map(|(_, o)| *o)).collect();
        let corpse = self.insert_object(Object {
            serial,
            vnum: 0,
            keywords: keywords.into(),
            short: format!("{CORPSE_OF}{name}").into(),
            long: format!("The corpse of {name} is lying here.").into(),
            kind: ObjectKind::Container { capacity: 0, flags: ContainerFlags::NONE, key: None, corpse: true },
            flags: ObjectFlags::NO_DONATE.with(ObjectFlags::NO_SELL),
            wear: WearFlags::NONE,
            affects: AffectFlags::NONE,
            weight: 150,
            cost: 0,
            level: 0,
            timer_hours: hours,
            applies: Vec::new(),
            place: Place::Nowhere,
            contents: Vec::new(),
        });
        // Last in is shown first: keep the order in which the dead carried its things.
        for object in objects.into_iter().rev() {
            self.place_object(object, Place::Inside(corpse));
        }
        if gold > 0 {
            let money = self.make_money(gold);
            self.place_object(money, Place::Inside(corpse));
            self.who_mut(dead).gold = 0;
        }
        self.place_object(corpse, Place::Room(room));
        corpse
    }

    /// Mobs of that prototype that live.
    pub fn mobs_alive(&self, proto_index: u32) -> i32 {
        self.state.mob_counts[proto_index as usize] as i32
    }

    pub fn objects_alive(&self, proto_index: u32) -> i32 {
        self.state.object_counts[proto_index as usize] as i32
    }
}

/// Keywords, short and long description of a heap of coins; no exact count, as one cannot tell at a glance.
fn money_texts(coins: i32) -> (&'static str, &'static str, &'static str) {
    match coins {
        ..=1 => ("coin gold", "a gold coin", "One gold coin lies here, miraculously not stolen yet."),
        2..=9 => ("coins gold few", "a few gold coins", "A few gold coins are scattered here."),
        10..=49 => ("coins gold handful", "a handful of gold coins", "A handful of gold coins lies here."),
        50..=199 => ("coins gold pile", "a small pile of gold coins", "A small pile of gold coins glitters here."),
        200..=999 => ("coins gold pile", "a pile of gold coins", "A pile of gold coins glitters here."),
        1_000..=9_999 => ("coins gold heap", "a heap of gold coins", "Somebody left a heap of gold coins here."),
        _ => ("coins gold hoard", "a hoard of gold coins", "A hoard of gold coins takes up half the floor."),
    }
}
