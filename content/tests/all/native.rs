//! Native worlds: the sample, the examples of the document, and what is said where one is wrong.

use super::*;

#[test]
fn a_native_world_is_read_as_the_document_says() {
    let (content, problems) = read_all(NATIVE);
    assert_eq!(said(&problems), Vec::<String>::new());
    assert_eq!(
        content.counts(),
        Counts { zones: 2, rooms: 2, mobs: 1, objects: 3, shops: 1, exits: 2, zone_commands: 7, foreign_scripts: 0 }
    );
    assert_eq!(
        texts(&[&content.name, &content.greeting, &content.motd]),
        ["Two Fields", "Welcome.\nWho are you?", "Be kind."]
    );
    let listing = Listing {
        created: Some(2026),
        website: Text::from("https://mud.example.org"),
        status: Text::from("Closed Beta"),
        ..Listing::default()
    };
    assert_eq!(content.listing, listing);
    assert_eq!(content.hometowns, [Hometown { key: 'F', name: Text::from("the Fields"), room: 501 }]);
    assert_eq!((content.zones[0].levels, &*content.zones[0].rumour), ((1, 5), "It grows."));
    assert_eq!((content.zones[1].reset_mode, content.zones[1].lifespan_minutes), (ResetMode::Always, 15));
    let field = &content.rooms[0];
    assert_eq!(field.exits.iter().map(|exit| exit.to).collect::<Vec<_>>(), [Some(502), None]);
    assert_eq!(&*field.extras[0].text, "Short.\n\nSharp.");
    let scroll = content.object(511).unwrap();
    assert_eq!(scroll.kind, ObjectKind::Scroll { level: 9, spells: [4, 5, 0] });
    assert_eq!(content.object(510).unwrap().load_chance, 3325);
    assert_eq!(content.mobs[0].strength_add, 4);
    let resets: Vec<(bool, u32, ResetAction)> =
        content.zones[0].resets.iter().map(|r| (r.if_last, r.line, r.action.clone())).collect();
    assert_eq!(
        resets,
        [
            (false, 1, ResetAction::Object { object: 512, max: 1, room: Some(501) }),
            (true, 4, ResetAction::Put { object: 511, max: 2, container: 512 }),
            (false, 8, ResetAction::Mob { mob: 503, max: 1, room: 502 }),
            (true, 11, ResetAction::Give { object: 512, max: 7 }),
            (true, 14, ResetAction::Put { object: 510, max: 1, container: 512 }),
            (true, 16, ResetAction::Equip { object: 510, max: 100, slot: WearSlot::Hold }),
            (false, 20, ResetAction::Door { room: 501, direction: Direction::North, closed: true, locked: true }),
        ]
    );
    assert_eq!(content.shops[0].buys_at, 80);
    assert_eq!(content.socials.len(), 1);
    assert_eq!((content.socials[0].position, content.socials[0].hidden), (Position::Standing, true));
}

#[test]
fn a_zone_may_have_parts_and_further_rooms() {
    let zone = "number = 5\nname = \"Docks\"\nfirst = 500\nlast = 599\nmore = [[900, 909], [950, 950]]\n";
    let room = |vnum: i32| format!("[[room]]\nvnum = {vnum}\nname = \"A Plank\"\ndescription = \"Wet.\"\n");
    let rat = "[[mob]]\nvnum = 900\nkeywords = \"rat\"\nshort = \"a rat\"\nlong = \"A rat.\"\nlevel = 1\n\
               hit_points = \"1d4+1\"\ndamage = \"1d2+0\"\n";
    let reset = |mob: i32, room: i32| format!("[[mob]]\nmob = {mob}\nroom = {room}\n");
    let files: Vec<(String, String)> = [
        ("world.toml", "start_room = 500\n".to_owned()),
        ("zones/5_docks/zone.toml", zone.to_owned()),
        ("zones/5_docks/rooms.toml", room(500)),
        ("zones/5_docks/resets.toml", reset(900, 500)),
        ("zones/5_docks/pier/rooms.toml", room(900) + &room(950)),
        ("zones/5_docks/pier/mobs.toml", rat.to_owned()),
        ("zones/5_docks/pier/resets.toml", format!("{}\n{}", reset(900, 909), reset(901, 950))),
        ("zones/5_docks/pier/zone.toml", zone.to_owned()),
        ("zones/5_docks/sheds/rooms.toml", room(910)),
    ]
    .map(|(path, text)| (path.to_owned(), text))
    .to_vec();
    let (content, problems) = read_all(files.iter().map(|(path, text)| (&**path, &**text)));
    assert_eq!(
        said(&problems),
        [
            "zones/5_docks/pier/resets.toml:1: error: this reset names room #909, which does not exist",
            "zones/5_docks/pier/resets.toml:5: error: this reset names mob #901, which does not exist",
            "zones/5_docks/sheds/rooms.toml:1: error: room #910 is not among the rooms of zone 5, 500 to 599 and 900 to \
             909 and 950 to 950",
            "zones/5_docks/pier/zone.toml: warning: a zone has no file of this name: it is not read",
        ]
    );
    assert_eq!(content.rooms.iter().map(|room| (room.vnum, room.zone)).collect::<Vec<_>>()[1], (900, 5));
    assert_eq!(content.zones[0].resets.len(), 3, "those of the zone, then those of its parts");
    assert_eq!((content.zone_holding(950), content.zone_holding(951)), (Some(5), None));
}

/// The examples of docs/CONTENT.md under their file names, as two worlds: of a file with two examples each has one.
fn documented() -> [Vec<(String, &'static str)>; 2] {
    let mut worlds = [Vec::new(), Vec::new()];
    for section in include_str!("../../../docs/CONTENT.md").split("\n## ").skip(1) {
        let name = section.lines().next().unwrap_or_default();
        if !name.ends_with(".toml") {
            continue;
        }
        let above = matches!(name, "world.toml" | "socials.toml" | "channels.toml" | "dreams.toml" | "sentences.toml");
        let path = if above { name.to_owned() } else { format!("zones/80_town/{name}") };
        let fenced = section.split("```toml\n").skip(1);
        let examples: Vec<&str> = fenced.filter_map(|rest| rest.split("```").next()).collect();
        for (index, world) in worlds.iter_mut().enumerate() {
            world.extend(examples.get(index).or(examples.last()).map(|example| (path.clone(), *example)));
        }
    }
    worlds
}

#[test]
fn every_example_of_the_document_is_understood() {
    for files in documented() {
        assert_eq!(files.len(), 14, "one example per kind of file");
        let (content, problems) = read(&Source::of(files), &ReadOptions::default());
        // The examples name rooms, mobs and objects that they do not show; so what hangs on these is not looked for.
        let is_of_itself = |what: &String| !what.contains("does not exist") && !what.contains("were not looked for");
        let wrong: Vec<String> = said(&problems).into_iter().filter(is_of_itself).collect();
        assert_eq!(wrong, Vec::<String>::new());
        let Counts { zones, rooms, mobs, objects, shops, zone_commands, .. } = content.counts();
        assert_eq!([zones, rooms, mobs, objects, shops], [1; 5]);
        assert!(zone_commands >= 7, "{zone_commands}");
        assert_eq!(content.socials.len(), 1);
        assert_eq!(content.channels.len(), 1);
    }
}

#[test]
fn a_wrong_native_world_names_file_and_line() {
    let zone = "zones/5_fields/";
    // The file that is changed in the sample, its text, and how what has to be said begins.
    let cases = [
        (
            "answers.toml",
            "[[answer]]\nmob = 503\ngreets = true\nto = [\"key\"]\nsays = \"Well?\"\n",
            "answers.toml:1: error: a greeting answers to no word: leave out `to`, or `greets`",
        ),
        (
            "answers.toml",
            "[[answer]]\nmob = 503\nto = []\nsays = \"Well?\"\n",
            "answers.toml:1: error: answer that answers to no word: give at least one in `to`",
        ),
        (
            "answers.toml",
            "[[answer]]\nmob = 503\ngreets = true\nsays = \"A\"\n\n[[answer]]\nmob = 503\ngreets = true\nsays = \"B\"\n",
            "answers.toml:6: warning: mob #503 already greets everybody at line 1: this is never said",
        ),
        (
            "answers.toml",
            "[[answer]]\nmob = 503\nto = [\"stubble\"]\nsays = \"A\"\nduring = \"hares\"\n",
            "answers.toml:1: error: this answer asks for task \"hares\", which does not exist",
        ),
        (
            "answers.toml",
            "[[answer]]\nmob = 503\nto = [\"field\"]\nsays = \"A\"\ngives = 999\n",
            "answers.toml:1: error: this answer gives object #999, which does not exist",
        ),
        (
            "answers.toml",
            "[[trade]]\nmob = 503\ntakes = 510\nsays = \"A\"\n",
            "answers.toml:1: error: trade without gives",
        ),
        (
            "answers.toml",
            "[[trade]]\nmob = 503\ntakes = 512\ngives = 510\nsays = \"A\"\n",
            "answers.toml:1: warning: this trade never happens: object #512 cannot be picked up",
        ),
        (
            "answers.toml",
            "[[trade]]\nmob = 504\ntakes = 510\ngives = 999\nsays = \"A\"\n",
            "answers.toml:1: error: this trade is made by mob #504, which does not exist",
        ),
        (
            "answers.toml",
            "[[trade]]\nmob = 503\ntakes = 510\ngives = 511\nsays = \"A\"\n\n\
             [[trade]]\nmob = 503\ntakes = 510\ngives = 511\nsays = \"B\"\n",
            "answers.toml:7: warning: mob #503 already gives something for object #510 at line 1: this never happens",
        ),
        ("world.toml", "start_room = 9\n", "world.toml:1: error: the start room #9 does not exist"),
        (
            "world.toml",
            "name = \"x\"\n",
            "world.toml: warning: no start_room is named: room #501, the lowest, is taken",
        ),
        (
            "world.toml",
            "start_room = 501\nmod = \"x\"\n",
            "world.toml:2: warning: unknown field \"mod\" in file: it is not read",
        ),
        (
            "world.toml",
            "start_room = 501\n[[hometown]]\nkey = \"F\"\nname = \"N\"\nroom = 1\n",
            "world.toml:2: error: hometown N is in room #1, which does not exist",
        ),
        (
            "rooms.toml",
            "[[room]]\nvnum = 501\nname = \"A\"\nsector = \"field\"\nflags = [\"people_only\"]\ndescription = \"A.\"\n",
            "world.toml:2: warning: the start room #501 is people_only, and programs wake there as all do",
        ),
        (
            "dreams.toml",
            "[[dream]]\nto = 1\ntext = \"You are elsewhere.\"\n",
            "dreams.toml:1: error: a dream leads to room #1, which does not exist",
        ),
        (
            "dreams.toml",
            "[[dream]]\nkind = \"day\"\ntext = \"You are elsewhere.\"\n",
            "dreams.toml:1: error: kind is \"day\"; a dream has none, or is a \"nightmare\"",
        ),
        (
            "world.toml",
            "start_room = 501\n[jail]\nroom = 502\noutside = 1\n",
            "world.toml:2: error: who is let out of the jail comes out in room #1, which does not exist",
        ),
        (
            "world.toml",
            "start_room = 501\n[gates]\nfull = { room = 501, to = 1 }\n",
            "world.toml:3: error: the gate of full leads to room #1, which does not exist",
        ),
        (
            "world.toml",
            "start_room = 501\n[gates]\nnew = { room = 502, to = 501 }\nhalf = { room = 501, to = 502 }\n",
            "world.toml:4: warning: unknown field \"half\" in gates: it is not read",
        ),
        (
            "world.toml",
            "start_room = 501\n[gates]\nfull = { room = 501, to = 502 }\nart = 1\n",
            "world.toml:4: error: the gates of arts lead to room #1, which does not exist",
        ),
        (
            "world.toml",
            "start_room = 501\n[gates]\nart = 502\n",
            "world.toml:3: warning: no art opens a gate: that is done where the moon opens one, and it opens none here",
        ),
        (
            "world.toml",
            "start_room = 501\n[hunters]\nart = { mob = 1, room = 501 }\n",
            "world.toml:2: error: arts: mob #1, which is to hunt, does not exist",
        ),
        (
            "world.toml",
            "start_room = 501\n[listing]\nstatus = \"Great\"\n",
            "world.toml:3: error: status is \"Great\"; lists know Alpha, Closed Beta, Open Beta, Live",
        ),
        (
            "world.toml",
            "start_room = 501\n[listing]\ncreated = 26\n",
            "world.toml:3: error: created is 26; it is the year in which the game opened",
        ),
        (
            "world.toml",
            "start_room = 501\n[listing]\ncreated = \"old\"\n",
            "world.toml:3: error: created must be a whole number, not \"old\"",
        ),
        (
            "world.toml",
            "start_room = 501\n[listing]\nwebsite = \"mud.example.org\"\n",
            "world.toml:3: error: website is \"mud.example.org\"; write an address such as",
        ),
        (
            "world.toml",
            "start_room = 501\n[listing]\nicon = \"https://\"\n",
            "world.toml:3: error: icon is \"https://\"; write an address",
        ),
        (
            "world.toml",
            "start_room = 501\n[listing]\ngenre = \"\"\"\nFan\ntasy\"\"\"\n",
            "world.toml:3: error: genre has a line break",
        ),
        (
            "world.toml",
            "start_room = 501\n[listing]\nowner = \"me\"\n",
            "world.toml:3: warning: unknown field \"owner\" in listing: it is not read",
        ),
        ("world.toml", "start_room = 501\nlisting = 1\n", "world.toml:2: error: listing should be a table"),
        ("world.toml", "start_room = \n", "world.toml:1: error: this is not TOML: "),
        (
            "zone.toml",
            "number = 5\nname = \"F\"\nfirst = 500\nlast = 501\n",
            "rooms.toml:24: error: room #502 is not among the rooms of zone 5, 500 to 501",
        ),
        (
            "zone.toml",
            "number = 9\nname = \"F\"\nfirst = 500\nlast = 520\n",
            "zone.toml: warning: the folder's name should begin with the zone's number, 9_",
        ),
        ("zone.toml", "name = \"F\"\nfirst = 500\nlast = 520\n", "zone.toml: error: file without number"),
        ("rooms.toml", "[[room]]\nname = \"x\"\ndescription = \"y\"\n", "rooms.toml:1: error: room without vnum"),
        ("rooms.toml", "\n[[room]]\nvnum = 501\nname = \"x\"\n", "rooms.toml:2: error: room without description"),
        (
            "rooms.toml",
            "[[room]]\nvnum = 501\nname = \"x\"\nsector = \"wood\"\n",
            "rooms.toml:4: error: sector: \"wood\" is not known; known are inside, city, field",
        ),
        (
            "rooms.toml",
            "[[room]]\nvnum = 501\nname = \"x\"\nflags = [\"wet\"]\n",
            "rooms.toml:4: error: flags: unknown flag \"wet\"; known are dark",
        ),
        ("rooms.toml", "[[room]]\nvnum = \"a\"\n", "rooms.toml:2: error: vnum must be a whole number, not \"a\""),
        (
            "rooms.toml",
            "[[room]]\nvnum = 501\ncolour = 3\n",
            "rooms.toml:3: warning: unknown field \"colour\" in room: it is not read",
        ),
        (
            "rooms.toml",
            "[[room]]\nvnum = 501\n[room.exits.aside]\nto = 501\n",
            "rooms.toml:3: warning: unknown field \"aside\" in exits: it is not read",
        ),
        (
            "rooms.toml",
            "[[room]]\nvnum = 501\n[room.exits.north]\nto = 77\n",
            "rooms.toml:3: error: the exit north of room #501 leads to room #77, which does not exist",
        ),
        (
            "rooms.toml",
            "[[room]]\nvnum = 501\n[room.exits.north]\ndoor = [\"closed\"]\n",
            "rooms.toml:3: error: whether a door is closed or locked is said by a reset",
        ),
        (
            "rooms.toml",
            "[[room]]\nvnum = 501\n\n[[room]]\nvnum = 501\n",
            "rooms.toml:4: error: room #501 is already at zones/5_fields/rooms.toml:1",
        ),
        ("rooms.toml", "[room]\nvnum = 501\n", "rooms.toml:1: error: room should be [[room]] rows"),
        (
            "mobs.toml",
            "[[mob]]\nvnum = 503\nhit_points = \"many\"\n",
            "mobs.toml:3: error: hit_points should look like 2d6+10, not \"many\"",
        ),
        ("mobs.toml", "[[mob]]\nvnum = 503\narmor = 300\n", "mobs.toml:3: error: armor should be -100 to 100, not 300"),
        ("objects.toml", "[[object]]\nvnum = 510\n", "objects.toml:1: error: object without kind"),
        (
            "objects.toml",
            "[[object]]\nvnum = 510\n[object.kind]\ntype = \"light\"\n",
            "objects.toml:3: error: kind without hours",
        ),
        (
            "objects.toml",
            "[[object]]\nvnum = 510\n[object.kind]\ntype = \"key\"\nhours = 3\n",
            "objects.toml:5: warning: unknown field \"hours\" in kind: it is not read",
        ),
        (
            "shops.toml",
            "[[shop]]\nvnum = 504\nsells_at = 1\n",
            "shops.toml:1: warning: shop #504 has no keeper and stays shut",
        ),
        (
            "shops.toml",
            "[[shop]]\nvnum = 504\nsells_at = 1\n[shop.messages]\n",
            "shops.toml:4: error: messages without sold",
        ),
        (
            "resets.toml",
            "[[mob]]\nmob = 1\nroom = 501\n",
            "resets.toml:1: error: this reset names mob #1, which does not exist",
        ),
        (
            "resets.toml",
            "command = [\n{ mob = { mob = 503, room = 501 } },\n{ fly = 3 },\n]\n",
            "resets.toml:3: error: this command does nothing",
        ),
        (
            "resets.toml",
            "[[command]]\ngive = { object = 510 }\n[[door]]\nroom = 501\ndirection = \"north\"\n",
            "resets.toml:3: error: a file has either [[command]] rows or [[mob]], [[object]] and [[door]] rows",
        ),
        ("dragons.toml", "", "dragons.toml: warning: a zone has no file of this name: it is not read"),
        ("socials.toml", "[[social]]\nactor = \"x\"\n", "socials.toml:1: error: social without name"),
        (
            "socials.toml",
            "[[social]]\nname = \"a\"\nactor = \"You $x.\"\n",
            "socials.toml:1: warning: social \"a\" has $x, which is no mark; known are $ and one of nNeEmMsS",
        ),
    ];
    for (name, text, expected) in cases {
        let above = matches!(name, "world.toml" | "socials.toml" | "channels.toml" | "dreams.toml" | "sentences.toml");
        let path = if above { name.to_owned() } else { format!("{zone}{name}") };
        let (_, problems) = read_all(with(&NATIVE, &path, text));
        let said = said(&problems);
        let found = said.iter().any(|said| said.strip_prefix(zone).unwrap_or(said).starts_with(expected));
        assert!(found, "{expected}\nbut was said: {said:#?}");
    }
}

#[test]
fn a_bad_record_of_a_native_file_does_not_cost_the_others() {
    let text = "[[room]]\nvnum = 501\nname = \"A\"\ndescription = \"B\"\nsector = 5\n\n\
                [[room]]\nname = \"no number\"\n\n\
                [[room]]\nvnum = 502\nname = \"C\"\ndescription = \"D\"\nsector = \"city\"\n";
    let (content, problems) = read_all(with(&NATIVE, "zones/5_fields/rooms.toml", text));
    let rooms: Vec<_> = content.rooms.iter().map(|room| (&*room.name, room.sector)).collect();
    assert_eq!(rooms, [("A", Sector::Inside), ("C", Sector::City)]);
    assert!(problems.has_errors());
}

#[test]
fn a_folder_without_a_world_is_an_error_and_gives_no_rooms() {
    let (content, problems) = read_all([("notes.toml", "x = 1")]);
    assert!(content.rooms.is_empty());
    assert!(problems.has_errors());
}
