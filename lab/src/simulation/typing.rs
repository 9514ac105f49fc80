//! What random players type: verbs of the table with what their `usage` asks for, right and wrong, and nonsense.

use super::*;

impl Simulation {
    /// A line that this character might type. `depth`: commands within commands.
    pub(super) fn line(&mut self, who: CharacterId, depth: u32) -> String {
        // Those who come to a plot stay a while and build.
        if self.world.plot_title(self.world.who(who).room).is_some() && self.dice.one_in(3) {
            return self.on_plot(who, depth);
        }
        match self.dice.range(1, 100) {
            1..=22 => self.way(who),
            23..=32 => self.deed(who),
            33..=36 => self.social(who),
            37..=40 => self.nonsense(),
            41 => String::new(),
            42..=53 => self.talk(who),
            54..=58 => self.manage(who),
            _ => self.verb(who, depth),
        }
    }

    /// A verb of the table with arguments as its usage says, or nearly so.
    fn verb(&mut self, who: CharacterId, depth: u32) -> String {
        let level = self.world.who(who).level;
        let immortal = self.world.who(who).is_immortal() && self.dice.one_in(2);
        let from = if immortal { world::character::LEVEL_IMMORTAL } else { 0 };
        let verbs: Vec<&world::commands::Verb> = VERBS
            .iter()
            .filter(|verb| (from..=level).contains(&verb.level) && verb.name != "shutdown")
            .filter(|verb| verb.name != "quit" || immortal)
            .collect();
        let Some(verb) = self.dice.pick(&verbs).copied().or(VERBS.first()) else { return String::new() };
        let mut name = verb.name.to_string();
        if self.dice.one_in(8) && name.len() > 2 && !verb.traits.full_word {
            name.truncate(self.dice.range(1, name.len() as i32 - 1) as usize);
        }
        let args = match self.dice.range(1, 12) {
            1 => String::new(),
            2 => self.word(who),
            3 => format!("{} {}", self.word(who), self.word(who)),
            4 => self.nonsense(),
            _ => self.arguments(verb.usage, who, depth),
        };
        format!("{name} {args}")
    }

    /// Arguments from a usage line: one of its alternatives, with the optional parts in or out.
    fn arguments(&mut self, usage: &str, who: CharacterId, depth: u32) -> String {
        let alternatives = split_outside(usage, '|');
        let Some(alternative) = self.dice.pick(&alternatives).cloned() else { return String::new() };
        let mut words: Vec<String> = Vec::new();
        let mut rest = alternative.trim();
        while let Some(first) = rest.chars().next() {
            let end = match first {
                '[' => closing(rest, '[', ']'),
                '<' => closing(rest, '<', '>'),
                _ => rest.find([' ', '[', '<']).unwrap_or(rest.len()).max(1),
            };
            let (part, after) = rest.split_at(end);
            rest = after.trim_start();
            match first {
                '[' if self.dice.one_in(2) => {
                    words.push(self.arguments(part.trim_start_matches('[').trim_end_matches(']'), who, depth));
                }
                '[' => {}
                '<' => {
                    let wanted = part.trim_start_matches('<').trim_end_matches('>');
                    let kinds = split_outside(wanted, '|');
                    let kind = self.dice.pick(&kinds).map(|k| k.trim().to_string()).unwrap_or_default();
                    let before = words.last().cloned().unwrap_or_default();
                    words.push(match (before.as_str(), kind.as_str()) {
                        ("mob", "number") => self.mob_vnum().to_string(),
                        ("obj", "number") => self.object_vnum().to_string(),
                        // To be ticked off: it stands behind the number of its plan.
                        (id, "step") if id.parse::<u32>().is_ok() => self.dice.range(1, 3).to_string(),
                        _ => self.wanted(&kind, kinds.len() > 4, who, depth),
                    });
                }
                _ => words.push(part.to_string()),
            }
        }
        words.join(" ").replace("all. ", "all.")
    }

    /// What a usage line calls `<kind>`. `literal`: it is one of many fixed words.
    fn wanted(&mut self, kind: &str, literal: bool, who: CharacterId, depth: u32) -> String {
        if self.dice.one_in(15) {
            return self.word(who);
        }
        match kind {
            _ if literal => kind.to_string(),
            "target" | "friend" | "follower" | "leader" | "sleeper" => self.person_near(who),
            "player" | "member" if self.dice.one_in(2) => self.person_near(who),
            "player" | "member" => self.player_name(),
            "thing" | "food" | "weapon" => self.thing_near(who, |_| true),
            "container" | "door | container" => {
                self.thing_near(who, |object| object.is_container() || !object.contents.is_empty())
            }
            "fountain" | "drink" => self.thing_near(who, |object| {
                matches!(object.kind.item_type(), ItemType::DrinkContainer | ItemType::Fountain)
            }),
            "door" if self.dice.one_in(2) => self.door(who),
            "direction" | "door" => self.direction(),
            "number" | "coins" | "value" | "hit points" | "level" | "zone" => self.number(),
            "room" => self.room_vnum().to_string(),
            "command" | "commands" if depth < 2 => self.line(who, depth + 1),
            "words" | "text" | "what you do" => self.sentence(),
            "kind" => self.kind_of_plots(),
            "row" | "column" => self.coordinate(),
            "entry" | "id" => self.dice.range(1, 12).to_string(),
            "step" => self.step(),
            "label" | "why" | "title" => self.sentence(),
            "verb" => self.dice.pick(VERBS).map_or(String::new(), |verb| verb.name.to_string()),
            _ => self.word(who),
        }
    }

    /// A line about the plot here, as the usage of its verbs says.
    fn on_plot(&mut self, who: CharacterId, depth: u32) -> String {
        let name = if self.dice.range(1, 3) < 3 { "build" } else { "plot" };
        let usage = VERBS.iter().find(|verb| verb.name == name).map_or("", |verb| verb.usage);
        // `plot` stands all in brackets: whoever would leave these out only looks.
        let usage = usage.strip_prefix('[').and_then(|usage| usage.strip_suffix(']')).unwrap_or(usage);
        format!("{name} {}", self.arguments(usage, who, depth))
    }

    fn kind_of_plots(&mut self) -> String {
        let content = self.world.content.clone();
        let kinds: Vec<&str> = content.plot_kinds.iter().map(|kind| &*kind.name).collect();
        self.dice.pick(&kinds).map_or_else(|| "house".into(), |kind| (*kind).into())
    }

    /// A row or column: mostly near the middle, where others build too, seldom off the plot.
    fn coordinate(&mut self) -> String {
        let range = if self.dice.one_in(8) { (0, 9) } else { (3, 5) };
        self.dice.range(range.0, range.1).to_string()
    }

    /// A step of a plan, in words or as something that can be built.
    fn step(&mut self) -> String {
        match self.dice.one_in(3) {
            true => self.sentence(),
            false => format!("add {} {},{}", self.kind_of_plots(), self.coordinate(), self.coordinate()),
        }
    }

    /// Any word that may mean something here.
    fn word(&mut self, who: CharacterId) -> String {
        match self.dice.range(1, 12) {
            1..=3 => self.person_near(who),
            4..=7 => self.thing_near(who, |_| true),
            8 => self.player_name(),
            9 => self.direction(),
            10 => self.number(),
            11 => "all".into(),
            _ => ["me", "self", "coins", "corpse", "all.corpse", "room", "off", "2.", "0.x", "all."]
                [self.dice.range(0, 9) as usize]
                .into(),
        }
    }

    pub(super) fn person_near(&mut self, who: CharacterId) -> String {
        let here = self.world.room(self.world.who(who).room).characters.clone();
        match self.dice.pick(&here).copied() {
            Some(id) => {
                let keywords = self.world.who(id).keywords.clone();
                self.meaning(&keywords)
            }
            None => "nobody".into(),
        }
    }

    /// A mob in the room.
    pub(super) fn foe_near(&mut self, who: CharacterId) -> Option<String> {
        let here = &self.world.room(self.world.who(who).room).characters;
        let foe = here.iter().map(|id| self.world.who(*id)).find(|c| c.is_mob())?;
        foe.keywords.split(' ').next().map(str::to_string)
    }

    /// The name of something in the room, in hand, worn, or in something of these.
    pub(super) fn thing_near(&mut self, who: CharacterId, wanted: impl Fn(&world::object::Object) -> bool) -> String {
        let c = self.world.who(who);
        let mut objects: Vec<ObjectId> = c.carrying.clone();
        objects.extend(c.worn.iter().map(|(_, object)| *object));
        objects.extend(&self.world.room(c.room).objects);
        let inside: Vec<ObjectId> = objects.iter().flat_map(|id| self.world.object(*id).contents.clone()).collect();
        objects.extend(inside);
        let fitting: Vec<ObjectId> = objects.iter().copied().filter(|id| wanted(self.world.object(*id))).collect();
        let from = if fitting.is_empty() { &objects } else { &fitting };
        match self.dice.pick(from).copied() {
            Some(id) => {
                let keywords = self.world.object(id).keywords.clone();
                self.meaning(&keywords)
            }
            None => "nothing".into(),
        }
    }

    /// A way to mean something with these keywords: whole, shortened, counted.
    fn meaning(&mut self, keywords: &str) -> String {
        let words: Vec<&str> = keywords.split(' ').filter(|w| !w.is_empty()).collect();
        let mut word = self.dice.pick(&words).map_or("thing".to_string(), |w| w.to_string());
        if self.dice.one_in(6) {
            let letters = self.dice.range(1, word.chars().count() as i32) as usize;
            word = word.chars().take(letters).collect();
        }
        match self.dice.range(1, 20) {
            1 => format!("all.{word}"),
            2 => format!("2.{word}"),
            3 => word.to_uppercase(),
            _ => word,
        }
    }

    pub(super) fn player_name(&mut self) -> String {
        let at = self.dice.range(0, self.players.len() as i32 - 1) as usize;
        self.players[at].name.to_lowercase()
    }

    /// The name of a door here, if there is one.
    fn door(&mut self, who: CharacterId) -> String {
        let exits = &self.world.room_proto(self.world.who(who).room).exits;
        let doors: Vec<String> =
            exits.iter().filter(|exit| !exit.door.is_empty()).map(|exit| exit.keywords.to_string()).collect();
        match self.dice.pick(&doors).cloned() {
            Some(keywords) => self.meaning(&keywords),
            None => "door".into(),
        }
    }

    fn direction(&mut self) -> String {
        Direction::ALL[self.dice.range(0, 5) as usize].name().into()
    }

    fn number(&mut self) -> String {
        let numbers =
            ["0", "1", "2", "3", "10", "50", "100", "-1", "2147483647", "99999999999999999999", "#1", "#2", "x"];
        numbers[self.dice.range(0, numbers.len() as i32 - 1) as usize].into()
    }

    pub(super) fn sentence(&mut self) -> String {
        let words =
            ["the", "Flame", "burns", "low", "tonight", "who", "goes", "there?", "Grüße", "雪", "half 50%", "ok!"];
        let length = self.dice.range(1, 8);
        (0..length).map(|_| words[self.dice.range(0, words.len() as i32 - 1) as usize]).collect::<Vec<_>>().join(" ")
    }

    fn nonsense(&mut self) -> String {
        match self.dice.range(1, 9) {
            1 => "x".repeat(self.dice.range(300, 3_000) as usize),
            2 => "word ".repeat(self.dice.range(60, 400) as usize),
            3 => "ÄÖ ßü 日本 🜂 é̂".into(),
            4 => "!!! ,,, ;; ???".into(),
            5 => "   ".into(),
            6 => "$x %n {} \\ \"quoted\" <b>".into(),
            7 => format!("{} {}", self.number(), self.number()),
            8 => "a;b;c;d".into(),
            _ => {
                let letters = self.dice.range(1, 9);
                (0..letters).map(|_| char::from(b'a' + self.dice.range(0, 25) as u8)).collect()
            }
        }
    }

    /// A step through an exit that is there, opening what is shut.
    fn way(&mut self, who: CharacterId) -> String {
        let room = self.world.who(who).room;
        let exits = self.world.room_proto(room).exits.clone();
        match self.dice.pick(&exits) {
            Some(exit) if self.world.door(room, exit.direction).has(content::flags::DoorFlags::CLOSED) => {
                format!("open {} {}", exit.keywords.split(' ').next().unwrap_or("door"), exit.direction)
            }
            Some(exit) => exit.direction.name().into(),
            None => "home".into(),
        }
    }

    /// Something that people often do, so that fights, loot, meals and trade come about.
    fn deed(&mut self, who: CharacterId) -> String {
        let deeds = [
            "kill",
            "kill",
            "kill",
            "get all",
            "get all corpse",
            "wear all",
            "stand",
            "flee",
            "rest",
            "sleep",
            "wake",
            "list",
            "buy #1",
            "buy #2",
            "sell",
            "value",
            "deposit 10",
            "withdraw 5",
            "drink",
            "eat",
            "follow",
            "group all",
            "drop",
            "put",
            "give",
            "quit",
            "remove all",
            "wield",
            "look in",
            "tell",
            "reply yes",
            "drop 3 coins",
            "get coins",
            "split 7",
            "sip",
            "fill",
            "pour",
            "home",
            "recall",
            "alias k kill $1",
            "alias k",
            "toggle autoloot",
        ];
        let deed = deeds[self.dice.range(0, deeds.len() as i32 - 1) as usize];
        match deed {
            "kill" | "follow" => format!("{deed} {}", self.person_near(who)),
            "tell" => format!("tell {} {}", self.player_name(), self.sentence()),
            "sell" | "value" | "drop" | "wield" | "drink" | "eat" | "look in" | "sip" => {
                format!("{deed} {}", self.thing_near(who, |_| true))
            }
            "put" | "fill" | "pour" => {
                let (what, into) = (self.thing_near(who, |_| true), self.thing_near(who, |o| !o.contents.is_empty()));
                format!("{deed} {what} {into}")
            }
            "give" => format!("give {} {}", self.thing_near(who, |_| true), self.person_near(who)),
            _ => deed.into(),
        }
    }

    fn social(&mut self, who: CharacterId) -> String {
        let content = self.world.content.clone();
        let Some(social) = self.dice.pick(&content.socials) else { return "smile".into() };
        match self.dice.range(1, 3) {
            1 => social.name.to_string(),
            2 => format!("{} {}", social.name, self.person_near(who)),
            _ => format!("{} {}", social.name, self.word(who)),
        }
    }

    fn mob_vnum(&mut self) -> i32 {
        let content = self.world.content.clone();
        self.dice.pick(&content.mobs).map_or(0, |proto| proto.vnum)
    }

    fn object_vnum(&mut self) -> i32 {
        let content = self.world.content.clone();
        self.dice.pick(&content.objects).map_or(0, |proto| proto.vnum)
    }

    pub(super) fn room_vnum(&mut self) -> i32 {
        let rooms = self.world.content.rooms.len() as i32;
        let id = RoomId(self.dice.range(0, rooms - 1) as u32);
        let proto = self.world.content.room(id);
        if proto.flags.any(RoomFlags::DEATH) { self.world.content.start_room } else { proto.vnum }
    }
}

/// Splits at a mark that is in no brackets. Never empty.
fn split_outside(text: &str, mark: char) -> Vec<String> {
    let (mut parts, mut depth) = (vec![String::new()], 0);
    for c in text.chars() {
        match c {
            '[' | '<' => depth += 1,
            ']' | '>' => depth -= 1,
            _ => {}
        }
        if c == mark && depth == 0 {
            parts.push(String::new());
        } else {
            parts.last_mut().expect("it begins with one").push(c);
        }
    }
    parts
}

/// Bytes up to and with the bracket that closes the first one.
fn closing(text: &str, open: char, close: char) -> usize {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        depth += i32::from(c == open) - i32::from(c == close);
        if depth == 0 {
            return at + c.len_utf8();
        }
    }
    text.len()
}
