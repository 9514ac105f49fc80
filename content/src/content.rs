//! The main type: all records of a world, with the look-ups by number.
//!
//! Invariant: after `build_look_ups` the lists are sorted by number, and no number is in one of them twice.

use crate::answers::{AnswerIndex, AnswerProto, TradeProto};
use crate::flags::RoomFlags;
use crate::layout::{Place, lay_out};
use crate::night::{Gate, Hunters};
use crate::plots::PlotProto;
use crate::proto::*;
use crate::scripts::{OwnerKind, ScriptSource, script_name};
use crate::sentences::Sentences;
use crate::tasks::{Notice, TaskProto};
use crate::text::Text;
use crate::vnum::{CONJURED_FIRST, RoomId, Vnum};
use plot::Kinds;
use serde::Serialize;
use std::collections::BTreeMap;

/// All content of a world. Rooms, mobs and objects are sorted by vnum and addressed by index.
#[derive(Clone, Debug, Default)]
pub struct Content {
    /// What the world is called; may be empty.
    pub name: Text,
    pub zones: Vec<ZoneProto>,
    pub rooms: Vec<RoomProto>,
    pub mobs: Vec<MobProto>,
    pub objects: Vec<ObjectProto>,
    pub shops: Vec<ShopProto>,
    /// By the mob; of one mob in the order of its file.
    pub answers: Vec<AnswerProto>,
    /// The same.
    pub trades: Vec<TradeProto>,
    /// By their ids.
    pub tasks: Vec<TaskProto>,
    /// Objects that show more than their own text, by their numbers.
    pub notices: Vec<(Vnum, Notice)>,
    /// By their rooms.
    pub plots: Vec<PlotProto>,
    /// What can be built on plots, and what these are built for: the rule book's, in every world.
    pub plot_kinds: Kinds,
    pub plot_tasks: Vec<plot::Task>,
    /// By their names.
    pub scripts: Vec<ScriptSource>,
    /// Names of those that have a fault, and are left out.
    pub broken_scripts: Vec<Text>,
    pub socials: Vec<Social>,
    /// In the order in which they are listed; addressed by `ChannelId`.
    pub channels: Vec<Channel>,
    pub hometowns: Vec<Hometown>,
    pub dreams: Vec<Dream>,
    /// Where people are locked up; without it nobody is.
    pub jail: Option<Jail>,
    pub hunters: Hunters,
    /// Of the moon, by its phases; at most one of each.
    pub gates: Vec<Gate>,
    /// Where those lead that arts open, in the places of the moon's; without it they open none.
    pub art_gate: Option<Vnum>,
    /// Where newcomers wake and the dead return to; a vnum that exists after `read`, unless there are no rooms.
    pub start_room: Vnum,
    /// Text before the name prompt and after login; may be empty.
    pub greeting: Text,
    pub motd: Text,
    /// How it all began, for those who ask before they come in; may be empty.
    pub story: Text,
    /// What lists of games are told of it.
    pub listing: Listing,
    /// What the rules bring forth, by the names that spells know: numbers of objects and mobs.
    pub conjured: BTreeMap<Text, Vnum>,
    /// What the game says in this world's voice.
    pub sentences: Sentences,
    room_ids: BTreeMap<Vnum, RoomId>,
    mob_ids: BTreeMap<Vnum, u32>,
    object_ids: BTreeMap<Vnum, u32>,
    /// Indices into `shops` by the vnum of the keeper, ascending.
    keeper_shops: BTreeMap<Vnum, Vec<u32>>,
    donation_rooms: Vec<RoomId>,
    /// Of each room, on the map of its zone.
    places: Vec<Place>,
    answer_index: AnswerIndex,
    /// Rooms, mobs and objects that have scripts: the names of these, in the order of the row.
    scripted: BTreeMap<(OwnerKind, Vnum), Box<[Text]>>,
}

/// What lists of games are told of a world, besides what is counted in it. Each text is one line, and may be empty.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Listing {
    /// An address for letters.
    pub contact: Text,
    /// The year in which it opened.
    pub created: Option<i32>,
    pub website: Text,
    /// The address of a square picture.
    pub icon: Text,
    pub language: Text,
    /// The country of the server, in English.
    pub location: Text,
    pub genre: Text,
    /// Alpha, Closed Beta, Open Beta or Live.
    pub status: Text,
}

/// What `dp-server check` counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Counts {
    pub zones: usize,
    pub rooms: usize,
    pub mobs: usize,
    pub objects: usize,
    pub shops: usize,
    /// D records, wherever they lead.
    pub exits: usize,
    pub zone_commands: usize,
    /// Scripts and procedures of another server, which do not run here.
    #[serde(skip_serializing_if = "is_none")]
    pub foreign_scripts: usize,
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

impl Content {
    pub fn room_id(&self, vnum: Vnum) -> Option<RoomId> {
        self.room_ids.get(&vnum).copied()
    }

    pub fn room(&self, id: RoomId) -> &RoomProto {
        &self.rooms[id.0 as usize]
    }

    /// Where a room lies on the map of its zone; no other room of it does.
    pub fn place(&self, id: RoomId) -> Place {
        self.places.get(id.0 as usize).copied().unwrap_or_default()
    }

    /// Index into `mobs`.
    pub fn mob_index(&self, vnum: Vnum) -> Option<u32> {
        self.mob_ids.get(&vnum).copied()
    }

    pub fn mob(&self, vnum: Vnum) -> Option<&MobProto> {
        self.mob_index(vnum).map(|i| &self.mobs[i as usize])
    }

    /// Index into `objects`.
    pub fn object_index(&self, vnum: Vnum) -> Option<u32> {
        self.object_ids.get(&vnum).copied()
    }

    pub fn object(&self, vnum: Vnum) -> Option<&ObjectProto> {
        self.object_index(vnum).map(|i| &self.objects[i as usize])
    }

    /// Shops that mobs of that vnum keep.
    pub fn shops_of(&self, keeper: Vnum) -> impl Iterator<Item = &ShopProto> {
        self.keeper_shops.get(&keeper).into_iter().flatten().map(|i| &self.shops[*i as usize])
    }

    /// Numbers of the words in a text that anybody answers to, in the order of the text.
    pub fn answered_words(&self, text: &str) -> Vec<u32> {
        self.answer_index.numbers(text)
    }

    /// Whether the first word of a name is that of somebody of this world: of a mob with a name of its own. `folded`
    /// makes words that look alike one.
    pub fn is_somebodys_name(&self, name: &str, folded: impl Fn(&str) -> String) -> bool {
        let first = |name: &str| name.split([' ', ',']).next().map(&folded).unwrap_or_default();
        let wanted = first(name);
        let has_own_name = |short: &str| short.starts_with(char::is_uppercase) && !short.starts_with("The ");
        !wanted.is_empty() && self.mobs.iter().any(|mob| has_own_name(&mob.short) && first(&mob.short) == wanted)
    }

    /// With what a mob may greet, in the order of its file.
    pub fn greetings_of(&self, mob: Vnum) -> impl Iterator<Item = &AnswerProto> {
        let from = self.answers.partition_point(|answer| answer.mob < mob);
        self.answers[from..].iter().take_while(move |answer| answer.mob == mob).filter(|answer| answer.greets)
    }

    /// What a mob gives for things, in the order of its file.
    pub fn trades_of(&self, mob: Vnum) -> impl Iterator<Item = &TradeProto> {
        let from = self.trades.partition_point(|trade| trade.mob < mob);
        self.trades[from..].iter().take_while(move |trade| trade.mob == mob)
    }

    /// What that mob may answer to words of these numbers, in the order of its file.
    pub fn answers_of(&self, mob: Vnum, words: &[u32]) -> Vec<&AnswerProto> {
        self.answer_index.of_mob(mob, words).into_iter().map(|at| &self.answers[at as usize]).collect()
    }

    pub fn task(&self, id: &str) -> Option<&TaskProto> {
        self.tasks.binary_search_by(|task| (*task.id).cmp(id)).ok().map(|at| &self.tasks[at])
    }

    /// The plot that a room has from the beginning.
    pub fn plot(&self, room: Vnum) -> Option<&PlotProto> {
        self.plots.binary_search_by_key(&room, |plot| plot.room).ok().map(|at| &self.plots[at])
    }

    pub fn plot_task(&self, name: &str) -> Option<&plot::Task> {
        self.plot_tasks.iter().find(|task| *task.name == *name)
    }

    /// By its name, as `80/ferry`.
    pub fn script(&self, name: &str) -> Option<&ScriptSource> {
        self.scripts.binary_search_by(|script| (*script.name).cmp(name)).ok().map(|at| &self.scripts[at])
    }

    /// A fault was found in a script: it is left out.
    pub fn leave_out_script(&mut self, name: &str) {
        self.scripts.retain(|script| &*script.name != name);
        self.broken_scripts.push(name.into());
    }

    /// Names of the scripts of a row, as `80/ferry`.
    pub fn scripts_of(&self, owner: OwnerKind, vnum: Vnum) -> &[Text] {
        self.scripted.get(&(owner, vnum)).map_or(&[], |names| names)
    }

    /// Rows that have scripts, by kind and number.
    pub fn scripted(&self) -> impl Iterator<Item = (OwnerKind, Vnum, &[Text])> {
        self.scripted.iter().map(|((owner, vnum), names)| (*owner, *vnum, &**names))
    }

    /// The zone in one of whose ranges a number is.
    pub fn zone_holding(&self, vnum: Vnum) -> Option<i32> {
        self.zones.iter().find(|zone| zone.holds(vnum)).map(|zone| zone.number)
    }

    /// What an object shows besides its own text.
    pub fn notice(&self, object: Vnum) -> Option<Notice> {
        self.notices.binary_search_by_key(&object, |(vnum, _)| *vnum).ok().map(|at| self.notices[at].1)
    }

    /// The first social, by alphabet, whose name begins with the word, which may be in any case.
    pub fn social(&self, word: &str) -> Option<&Social> {
        let word = word.to_ascii_lowercase();
        let at = self.socials.partition_point(|social| *social.name < *word);
        self.socials.get(at).filter(|social| !word.is_empty() && social.name.starts_with(&*word))
    }

    /// Rooms where what people donate appears, ascending; may be empty.
    pub fn donation_rooms(&self) -> &[RoomId] {
        &self.donation_rooms
    }

    /// Index into `zones`.
    pub fn zone_index(&self, number: i32) -> Option<usize> {
        self.zones.binary_search_by_key(&number, |z| z.number).ok()
    }

    /// By its own number, which messages and players know it by.
    pub fn channel_numbered(&self, id: u32) -> Option<(ChannelId, &Channel)> {
        let at = self.channels.iter().position(|channel| channel.id == id)?;
        Some((ChannelId(at as u16), &self.channels[at]))
    }

    pub fn channel(&self, id: ChannelId) -> &Channel {
        &self.channels[usize::from(id.0)]
    }

    pub fn counts(&self) -> Counts {
        Counts {
            zones: self.zones.len(),
            rooms: self.rooms.len(),
            mobs: self.mobs.iter().filter(|mob| mob.vnum < CONJURED_FIRST).count(),
            objects: self.objects.iter().filter(|object| object.vnum < CONJURED_FIRST).count(),
            shops: self.shops.len(),
            exits: self.rooms.iter().map(|r| r.exits.len()).sum(),
            zone_commands: self.zones.iter().map(|z| z.resets.len()).sum(),
            foreign_scripts: self.rooms.iter().map(|room| room.foreign_scripts.len()).sum::<usize>()
                + self.mobs.iter().map(|mob| mob.foreign_scripts.len()).sum::<usize>()
                + self.objects.iter().map(|object| object.foreign_scripts.len()).sum::<usize>(),
        }
    }

    /// Gives back memory that was kept for growing.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.zones.shrink_to_fit();
        self.rooms.shrink_to_fit();
        self.mobs.shrink_to_fit();
        self.objects.shrink_to_fit();
        self.shops.shrink_to_fit();
        self.answers.shrink_to_fit();
        self.trades.shrink_to_fit();
        self.tasks.shrink_to_fit();
        self.plots.shrink_to_fit();
        self.scripts.shrink_to_fit();
        self.notices.shrink_to_fit();
        self.socials.shrink_to_fit();
        self.channels.shrink_to_fit();
    }

    fn index_scripted(&mut self) {
        let rooms = self.rooms.iter().map(|room| (OwnerKind::Room, room.vnum, Some(room.zone), &room.scripts));
        let mobs = self.mobs.iter().map(|mob| (OwnerKind::Mob, mob.vnum, None, &mob.scripts));
        let objects = self.objects.iter().map(|object| (OwnerKind::Object, object.vnum, None, &object.scripts));
        let named = rooms.chain(mobs).chain(objects).filter(|(.., names)| !names.is_empty());
        let scripted = named.map(|(owner, vnum, zone, names)| {
            let zone = zone.or_else(|| self.zone_holding(vnum)).unwrap_or_default();
            ((owner, vnum), names.iter().map(|name| script_name(zone, name)).collect())
        });
        self.scripted = scripted.collect();
    }

    /// Sorts everything by number and builds the look-ups. Of records with the same number the last one read stays;
    /// the readers report duplicates as they meet them, since they know the line.
    pub fn build_look_ups(&mut self) {
        fn last_of_each<T, K: Ord>(records: &mut Vec<T>, key: impl Fn(&T) -> K) {
            records.reverse();
            records.sort_by_key(&key);
            records.dedup_by_key(|r| key(r));
        }
        last_of_each(&mut self.zones, |z| z.number);
        last_of_each(&mut self.rooms, |r| r.vnum);
        last_of_each(&mut self.mobs, |m| m.vnum);
        last_of_each(&mut self.objects, |o| o.vnum);
        self.shops.sort_by_key(|s| s.vnum);
        self.answers.sort_by_key(|answer| answer.mob);
        self.trades.sort_by_key(|trade| trade.mob);
        self.answer_index = AnswerIndex::of(&self.answers);
        last_of_each(&mut self.tasks, |task| task.id.clone());
        last_of_each(&mut self.plots, |plot| plot.room);
        last_of_each(&mut self.notices, |(object, _)| *object);
        last_of_each(&mut self.scripts, |script| script.name.clone());
        self.index_scripted();
        // Socials are found by the beginning of their names.
        self.socials.sort_by(|a, b| a.name.cmp(&b.name));
        self.room_ids = self.rooms.iter().enumerate().map(|(i, r)| (r.vnum, RoomId(i as u32))).collect();
        self.mob_ids = self.mobs.iter().enumerate().map(|(i, m)| (m.vnum, i as u32)).collect();
        self.object_ids = self.objects.iter().enumerate().map(|(i, o)| (o.vnum, i as u32)).collect();
        self.keeper_shops.clear();
        for (i, shop) in self.shops.iter().enumerate() {
            self.keeper_shops.entry(shop.keeper).or_default().push(i as u32);
        }
        let gifts = self.rooms.iter().enumerate().filter(|(_, r)| r.flags.has(RoomFlags::DONATION));
        self.donation_rooms = gifts.map(|(i, _)| RoomId(i as u32)).collect();
        self.lay_out_zones();
    }

    fn lay_out_zones(&mut self) {
        let mut zones: BTreeMap<i32, Vec<usize>> = BTreeMap::new();
        for (at, room) in self.rooms.iter().enumerate() {
            zones.entry(room.zone).or_default().push(at);
        }
        let mut places = vec![Place::default(); self.rooms.len()];
        for (zone, rooms) in zones {
            let ways: Vec<Vec<_>> = rooms
                .iter()
                .map(|at| {
                    let to = self.rooms[*at].exits.iter().filter_map(|exit| {
                        let to = self.room_id(exit.to?).filter(|to| self.room(*to).zone == zone)?;
                        Some((exit.direction, rooms.binary_search(&(to.0 as usize)).ok()?))
                    });
                    to.collect()
                })
                .collect();
            for (at, place) in rooms.iter().zip(lay_out(&ways)) {
                places[*at] = place;
            }
        }
        self.places = places;
    }
}
