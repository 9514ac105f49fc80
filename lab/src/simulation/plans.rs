//! What takes several steps, and would never come about by chance: a shop, a bank, a group, a lock and its key.

use super::*;

impl Simulation {
    /// Makes a plan, and brings its maker to where it can be carried out.
    pub(super) fn plan(&mut self, at: usize, who: CharacterId) -> Result<(), Box<Failure>> {
        let content = self.world.content.clone();
        let banks: Vec<i32> = content.rooms.iter().filter(|r| r.flags.has(RoomFlags::BANK)).map(|r| r.vnum).collect();
        let shops: Vec<i32> = content.shops.iter().filter_map(|shop| shop.rooms.first().copied()).collect();
        let none: &[i32] = &[];
        let (steps, rooms): (&[&str], &[i32]) = match self.dice.range(1, 12) {
            1 => (&["balance", "deposit all", "withdraw 7", "deposit 2147483647", "balance"], &banks),
            2 => {
                (&["list", "buy #1", "buy 2 #2", "buy #3", "wear all", "value THING", "sell THING", "sell all"], &shops)
            }
            3 => (&["list", "buy THING", "eat THING", "drink THING", "buy #1"], &shops),
            4 => (
                &["group", "scan", "exits", "group all", "group", "gsay THING", "split 10", "report", "ungroup PERSON"],
                none,
            ),
            5 => (&["kill FOE", "kill FOE", "get all corpse", "wear all", "flee", "stand", "junk THING"], none),
            6 => (&["murder PERSON", "hit PERSON", "flee", "alias x look;say x;x", "x", "unalias x"], none),
            7 if self.world.who(who).is_immortal() => return self.locksmith(at, who),
            8 if self.world.who(who).is_immortal() => return self.water_carrier(at, who),
            9 | 10 => {
                self.housewarming(at);
                return Ok(());
            }
            11 | 12 => {
                self.workshop(at, who);
                return Ok(());
            }
            _ => return Ok(()),
        };
        if let Some(room) = self.dice.pick(rooms).copied() {
            self.apply(Input::Admin(Admin::Place { who, room }))?;
        }
        // Somebody here has a part in it.
        let name = self.players[at].name.to_lowercase();
        let part: &[&str] = match steps[0] {
            "group" => &["follow", "report"],
            "kill FOE" | "murder PERSON" => &["look", "consider", "assist", "rescue", "assist", "rescue"],
            _ => &[],
        };
        let here = self.world.room(self.world.who(who).room).characters.clone();
        let other = self
            .players
            .iter_mut()
            .find(|p| p.name.to_lowercase() != name && matches!(p.state, State::Here(id) if here.contains(&id)));
        if let Some(other) = other {
            other.plan.extend(part.iter().map(|verb| format!("{verb} {name}")));
        }
        for step in steps {
            let (object, person) = (self.thing_near(who, |_| true), self.person_near(who));
            let foe = self.foe_near(who).unwrap_or_else(|| person.clone());
            self.players[at]
                .plan
                .push_back(step.replace("THING", &object).replace("PERSON", &person).replace("FOE", &foe));
        }
        Ok(())
    }

    /// A door with a lock, and its key.
    fn locksmith(&mut self, at: usize, who: CharacterId) -> Result<(), Box<Failure>> {
        let content = self.world.content.clone();
        let locks: Vec<(i32, i32, Direction)> = content
            .rooms
            .iter()
            .flat_map(|room| room.exits.iter().filter_map(|exit| Some((room.vnum, exit.key?, exit.direction))))
            .collect();
        let Some((room, key, way)) = self.dice.pick(&locks).copied() else { return Ok(()) };
        self.apply(Input::Admin(Admin::Place { who, room }))?;
        self.players[at].plan.push_back(format!("load obj {key}"));
        for verb in ["open", "close", "lock", "unlock", "lock", "pick", "open"] {
            self.players[at].plan.push_back(format!("{verb} {way}"));
        }
        Ok(())
    }

    /// A fountain, and two things to carry its water in.
    fn water_carrier(&mut self, at: usize, who: CharacterId) -> Result<(), Box<Failure>> {
        let content = self.world.content.clone();
        let skins: Vec<_> = content.objects.iter().filter(|o| o.kind.item_type() == ItemType::DrinkContainer).collect();
        let fountains: Vec<(i32, String)> = self
            .world
            .state
            .objects
            .iter()
            .filter(|(_, o)| o.kind.item_type() == ItemType::Fountain)
            .filter_map(|(id, o)| Some((self.world.room_of(id)?, o.keywords.split(' ').next()?)))
            .map(|(room, word)| (self.world.room_proto(room).vnum, word.to_string()))
            .collect();
        let (Some(skin), Some((room, fountain))) = (self.dice.pick(&skins), self.dice.pick(&fountains).cloned()) else {
            return Ok(());
        };
        let (vnum, word) = (skin.vnum, skin.keywords.split(' ').next().unwrap_or_default());
        self.apply(Input::Admin(Admin::Place { who, room }))?;
        for step in
            ["load obj VNUM", "load obj VNUM", "pour WORD out", "fill WORD FROM", "pour WORD 2.WORD", "sip WORD"]
        {
            self.players[at]
                .plan
                .push_back(step.replace("VNUM", &vnum.to_string()).replace("WORD", word).replace("FROM", &fountain));
        }
        let name = self.players[at].name.to_lowercase();
        let victim = self.player_name();
        if victim != name {
            self.players[at].plan.extend([format!("freeze {victim}"), format!("thaw {victim}")]);
        }
        Ok(())
    }
}
