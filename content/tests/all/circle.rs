//! Worlds of the Circle family: Dark Pawns, tbaMUD and stock folders, and what is said where one is wrong.

use super::*;

#[test]
fn a_dark_pawns_world_is_read_as_its_grammar_says() {
    let (content, problems) = read_all(DARK_PAWNS);
    assert_eq!(
        said(&problems),
        [
            "mob/40.mob:14: warning: StrAdd should be 0 to 100, not 120: taken as 100",
            "mob/40.mob:17: warning: scripts and triggers of this file are kept as foreign_scripts, and do not run",
            "mob/40.mob:18: warning: \"quest\" is not known and left out",
            "obj/40.obj:23: warning: scripts and triggers of this file are kept as foreign_scripts, and do not run",
            "wld/40.wld:21: warning: the exit south of room #4001 leads to room #4100, which does not exist",
            "wld/40.wld:26: warning: scripts and triggers of this file are kept as foreign_scripts, and do not run",
            "wld/40.wld:33: warning: this line goes on (\"0 0\"); such ends of lines are left out",
        ]
    );
    assert_eq!(
        content.counts(),
        Counts { zones: 2, rooms: 3, mobs: 1, objects: 4, shops: 1, exits: 3, zone_commands: 13, foreign_scripts: 3 }
    );
    assert_eq!(content.start_room, 4001);

    let yard = content.room(content.room_id(4001).unwrap());
    assert_eq!(&*yard.description, "   Flour dust lies on everything ~ even on the cat. A wheel creaks.");
    assert_eq!((yard.sector, yard.zone), (Sector::Underwater, 40));
    assert_eq!(yard.flags, RoomFlags::DEATH.with(RoomFlags::PEACEFUL));
    assert_eq!(yard.extras.len(), 1);
    let north = &yard.exits[0];
    assert_eq!((north.direction, north.to, north.key), (Direction::North, Some(4002), Some(4010)));
    assert_eq!(north.door, DoorFlags::DOOR.with(DoorFlags::PICKPROOF));
    assert_eq!(texts(&[&north.description, &north.keywords]), ["A door of old planks.", "door planks"]);
    assert_eq!((yard.exits[1].direction, yard.exits[1].to), (Direction::South, None));
    assert_eq!((yard.exits[2].direction, yard.exits[2].to), (Direction::Up, None));
    let loft = content.room(content.room_id(4002).unwrap());
    assert_eq!((loft.sector, loft.flags), (Sector::Flying, RoomFlags::FLOW_DOWN.with(RoomFlags::ARENA)));
    let weir = content.room(content.room_id(4101).unwrap());
    assert_eq!((weir.sector, weir.zone), (Sector::Swamp, 41));

    let miller = content.mob(4001).unwrap();
    assert_eq!(miller.flags, MobFlags::SENTINEL);
    // E is bit 30 of the first word; 2 is bit 1 of the second, which is 33.
    assert_eq!(miller.affects, AffectFlags::INVULNERABLE.with(AffectFlags::HASTE));
    assert_eq!((miller.alignment, miller.level, miller.hit_roll, miller.armor), (350, 12, 12, -100));
    assert_eq!(miller.hit_points, Dice { count: 2, sides: 6, bonus: 40 });
    assert_eq!(miller.damage, Dice { count: 1, sides: 8, bonus: -1 });
    assert_eq!((miller.gold, miller.experience), (120, 900));
    assert_eq!((miller.load_position, miller.default_position), (Position::Standing, Position::Fighting));
    assert_eq!((miller.sex, miller.race, miller.attack), (Sex::Male, Race::Dwarf, AttackType::Pound));
    assert_eq!((miller.abilities, miller.strength_add), ([Some(16), None, None, None, None, None], 100));
    assert_eq!(
        texts(&[&miller.long, &miller.noise]),
        ["The miller stands here, white from head to foot.", "The miller sneezes."]
    );

    let flail = content.object(4011).unwrap();
    assert_eq!(flail.kind, ObjectKind::Weapon { dice: 2, sides: 5, attack: AttackType::Thrash });
    assert_eq!(flail.flags, ObjectFlags::ANTI_MYSTIC.with(ObjectFlags::TWO_HANDED).with(ObjectFlags::GLOW));
    assert_eq!(flail.wear, WearFlags::TAKE.with(WearFlags::WIELD).with(WearFlags::THROW).with(WearFlags::HOVER));
    assert_eq!(flail.affects, AffectFlags::HASTE, "a permanent spell becomes an affect");
    let applies = [ObjectApply { to: Apply::HitRoll, by: 2 }, ObjectApply { to: Apply::RaceHate, by: 4 }];
    assert_eq!(flail.applies, applies);
    assert_eq!(&*flail.action, "It whirls.");
    assert_eq!(content.object(4010).unwrap().load_chance, 1234);
    assert_eq!(
        content.object(4012).unwrap().kind,
        ObjectKind::Container {
            capacity: 100,
            flags: ContainerFlags::CLOSEABLE.with(ContainerFlags::CLOSED).with(ContainerFlags::LOCKED),
            key: Some(4010),
            corpse: false
        }
    );
    let cider = content.object(4013).unwrap();
    assert_eq!(
        cider.kind,
        ObjectKind::DrinkContainer { capacity: 10, contents: 20, liquid: Liquid::Wine, poisoned: true }
    );
    assert_eq!((cider.weight, cider.cost, cider.load_chance), (25, 5, 5050), "a vessel weighs more than what is in it");

    let zone = &content.zones[0];
    assert_eq!((&*zone.name, zone.first, zone.last, zone.lifespan_minutes), ("The Mill", 4000, 4099, 20));
    let resets: Vec<(bool, ResetAction)> = zone.resets.iter().map(|r| (r.if_last, r.action.clone())).collect();
    assert_eq!(
        resets,
        [
            (false, ResetAction::Mob { mob: 4001, max: 2, room: 4001 }),
            (true, ResetAction::Give { object: 4010, max: 5 }),
            (true, ResetAction::Equip { object: 4011, max: 5, slot: WearSlot::Wield }),
            (true, ResetAction::Equip { object: 4011, max: 5, slot: WearSlot::Hover }),
            (false, ResetAction::LoopStart { count: 3 }),
            (false, ResetAction::Object { object: 4012, max: 4, room: Some(4001) }),
            (true, ResetAction::Put { object: 4010, max: 2, container: 4012 }),
            (false, ResetAction::LoopEnd),
            (false, ResetAction::Object { object: 4011, max: 1, room: None }),
            (false, ResetAction::Door { room: 4001, direction: Direction::North, closed: true, locked: true }),
            (false, ResetAction::RemoveObject { room: 4001, object: 4011 }),
            (false, ResetAction::RemoveMob { room: 4001, mob: 4001 }),
            (false, ResetAction::RemoveObject { room: 4001, object: 4012 }),
        ]
    );
    assert_eq!(zone.resets[0].line, 5);
    let weir = &content.zones[1];
    assert_eq!((&*weir.name, weir.first, weir.last, weir.reset_mode), ("The Weir", 4100, 4199, ResetMode::Empty));

    let shop = &content.shops[0];
    assert_eq!((shop.vnum, shop.keeper), (4000, 4001));
    assert_eq!((&shop.products[..], &shop.rooms[..]), (&[4010, 4013][..], &[4001][..]));
    assert_eq!((shop.sells_at, shop.buys_at, shop.temper), (115, 50, 1));
    assert_eq!((shop.fights, shop.uses_bank), (true, true));
    assert_eq!(shop.refuses, TradeFlags::NO_MAGIC_USER.with(TradeFlags::NO_WARRIOR));
    assert_eq!(shop.hours, [(6, 12), (14, 20)]);
    let trades: Vec<(ItemType, &str)> = shop.trades.iter().map(|trade| (trade.item, &*trade.keywords)).collect();
    assert_eq!(trades, [(ItemType::Armor, ""), (ItemType::Weapon, "flail|club"), (ItemType::Food, "")]);
    assert_eq!(texts(&[&shop.messages.no_such_item, &shop.messages.sold]), ["%s No such thing.", "%s Here is %d."]);
}

#[test]
fn a_tbamud_world_is_read_as_its_grammar_says() {
    let (content, problems) = read_all(TBAMUD);
    assert_eq!(
        said(&problems),
        [
            "mob/7.mob:7: warning: bit 21 of the affect flags has no meaning here and is left out",
            "mob/7.mob:12: warning: SavingPara has no meaning here and is left out",
            "mob/7.mob:14: warning: scripts and triggers of this file are kept as foreign_scripts, and do not run",
            "obj/7.obj:9: warning: scripts and triggers of this file are kept as foreign_scripts, and do not run",
            "obj/7.obj:15: warning: item type 7 is not known: taken as other",
            "wld/7.wld:14: warning: direction 6 of room #701 is none of our six: left out",
            "wld/7.wld:19: warning: scripts and triggers of this file are kept as foreign_scripts, and do not run",
            "wld/7.wld:28: warning: the exit west of room #702 leads to room #799, which does not exist",
            "zon/7.zon:6: warning: resets that attach triggers are left out",
            "zon/7.zon:8: warning: direction 6 is none of our six: the door is left out",
            "zon/7.zon:10: warning: this reset names object #0, which does not exist",
        ]
    );
    let zone = &content.zones[0];
    assert_eq!(texts(&[&zone.name, &zone.builders]), ["Two Halls", "The Builder"]);
    assert_eq!((zone.first, zone.last, zone.lifespan_minutes, zone.levels), (700, 799, 30, (3, 12)));
    assert_eq!(zone.resets.len(), 4);

    let hall = &content.rooms[0];
    assert_eq!(texts(&[&hall.name, &hall.description]), ["The Red Hall", "Write to a@b.org."]);
    assert_eq!((hall.sector, hall.flags), (Sector::Flying, RoomFlags::INDOORS.with(RoomFlags::WORLDMAP)));
    let doors: Vec<DoorFlags> = hall.exits.iter().map(|exit| exit.door).collect();
    let hidden = DoorFlags::DOOR.with(DoorFlags::HIDDEN);
    assert_eq!(doors, [hidden, hidden.with(DoorFlags::PICKPROOF)]);
    assert!(hall.exits.iter().all(|exit| exit.key.is_none()));
    assert_eq!((content.rooms[2].sector, content.rooms[2].flags), (Sector::Forest, RoomFlags::NO_MOB));

    let guard = content.mob(700).unwrap();
    assert_eq!(guard.flags, MobFlags::SPEC.with(MobFlags::SENTINEL).with(MobFlags::NO_KILL));
    let affects = AffectFlags::BLIND.with(AffectFlags::NO_TRACK).with(AffectFlags::FLY).with(AffectFlags::SNEAK);
    assert_eq!(guard.affects, affects, "tbaMUD counts affects from 1");
    assert_eq!((guard.alignment, guard.abilities[3], guard.sex), (-1000, Some(18), Sex::Female));
    let rat = content.mob(701).unwrap();
    assert_eq!(rat.affects, AffectFlags::BLIND, "an old area among new ones counts from 0");
    assert_eq!((rat.hit_roll, rat.armor, rat.load_position), (0, 100, Position::Sitting));

    let chair = content.object(701).unwrap();
    assert_eq!((&chair.kind, chair.flags), (&ObjectKind::Furniture, ObjectFlags::QUEST));
    assert_eq!(chair.affects, AffectFlags::BLIND);
    assert_eq!((chair.weight, chair.cost, chair.level, chair.timer_hours), (5, 6, 8, 9));
    assert_eq!(chair.load_chance, 10_000);
    assert_eq!(content.object(702).unwrap().kind, ObjectKind::Other);
}

#[test]
fn a_stock_world_without_indexes_is_read_from_below_lib() {
    let (content, problems) = read_all(STOCK);
    let no_index =
        |ending| format!("lib/world/{ending}/index: warning: there is no index: all 1 .{ending} files are read");
    assert_eq!(said(&problems), ["mob", "obj", "shp", "wld", "zon"].map(no_index));
    assert_eq!(
        content.counts(),
        Counts { zones: 1, rooms: 2, mobs: 1, objects: 2, shops: 1, exits: 2, zone_commands: 3, foreign_scripts: 0 }
    );
    assert_eq!(content.start_room, 1001);
    assert_eq!(content.rooms[0].flags, RoomFlags::INDOORS.with(RoomFlags::NO_TRACK));
    assert_eq!(content.rooms[1].sector, Sector::WaterSwim);
    let frog = &content.mobs[0];
    assert_eq!(frog.flags, MobFlags::SENTINEL.with(MobFlags::STAY_ZONE));
    assert_eq!(frog.affects, AffectFlags::SNEAK);
    let ring = content.object(1002).unwrap();
    assert_eq!((ring.flags, ring.wear), (ObjectFlags::MAGIC, WearFlags::TAKE.with(WearFlags::FINGER)));
    assert_eq!((ring.affects, ring.level), (AffectFlags::SANCTUARY, 0));
    let shop = &content.shops[0];
    assert_eq!((&shop.products[..], &shop.rooms[..]), (&[1001][..], &[1002][..]));
    assert_eq!(shop.trades, [ShopTrade { item: ItemType::Worn, keywords: Text::from("") }]);
    assert_eq!((shop.sells_at, shop.buys_at, shop.temper), (200, 25, 2));
    let actions: Vec<&ResetAction> = content.zones[0].resets.iter().map(|reset| &reset.action).collect();
    assert_eq!(actions[2], &ResetAction::RemoveObject { room: 1001, object: 1002 });
    assert!(content.socials.iter().any(|social| &*social.name == "smile"), "the built-in socials are there");
}

#[test]
fn a_wrong_circle_world_names_file_and_line() {
    // The file that is changed in the sample, its text, and what has to be said.
    let cases = [
        ("wld/index", "40.wld\nmissing.wld\n$\n", "wld/index:2: error: missing.wld is listed and does not exist"),
        ("wld/index", "40.wld\n40.wld\n$\n", "wld/index:2: warning: 40.wld is listed twice and read once"),
        (
            "wld/40.wld",
            "#4001\nName~\nText\n~\n40 0 0 0 x! 0\nS\n#4002\nB~\nC~\n40 0 0 0 0 1\nS\n$\n",
            "wld/40.wld:5: error: record #4001 is left out: the room's flags should be flags, not \"x!\"",
        ),
        (
            "wld/40.wld",
            "#4001\nName\nText\n#4002\nB~\nC~\n40 0 0 0 0 1\nS\n$\n",
            "wld/40.wld:2: error: record #4001 is left out: the room's name begins here and has no ~ before line 4, \
             where a record begins",
        ),
        (
            "wld/40.wld",
            "#4002\nB~\nC~\n40 0 0 0 0 1\nS\n#4001\nName~\nnever ended\n",
            "wld/40.wld:8: error: record #4001 is left out: the room's description begins here and has no ~ at its end",
        ),
        (
            "wld/40.wld",
            "#4002\nB~\nC~\n40 0 0 0 0 77\nS\n$",
            "wld/40.wld:4: warning: the sector should be 0 to 15, not 77: taken as inside",
        ),
        (
            "wld/40.wld",
            "#4002\nB~\nC~\n40 C 0 0 0 1\nS\n$",
            "wld/40.wld:4: warning: bit 28 of the room flags has no meaning here and is left out",
        ),
        (
            "wld/40.wld",
            "#4002\nB~\nC~\n40 0 0 0 0 1\nX\nS\n$",
            "wld/40.wld:5: warning: \"X\" is not understood here and left out",
        ),
        (
            "wld/40.wld",
            "#4002\nB~\nC~\n40 0 0 0 0 1 9\nS\n$",
            "wld/40.wld:4: warning: this line goes on (\"9\"); such ends of lines are left out",
        ),
        ("wld/40.wld", "#4002\nB~\nC~\n40 0 0 0 0 1\n$", "wld/40.wld:5: warning: room #4002 has no S at its end"),
        ("wld/40.wld", "#4002\nB~\nC~\n40 0 0 0 0 1\nS\n", "wld/40.wld:5: warning: the file has no $ at its end"),
        (
            "wld/40.wld",
            "junk\n#4002\nB~\nC~\n40 0 0 0 0 1\nS\n$",
            "wld/40.wld:1: error: a record (#number) or $ should be here, not \"junk\"",
        ),
        (
            "wld/40.wld",
            "#4002\nB~\nC~\n40 0 0 0 0 1\nD1\n~\n~\n7 0 4002\nS\n$",
            "wld/40.wld:8: warning: door type 7 is not known: taken as a plain door",
        ),
        (
            "wld/40.wld",
            "#4002\nB~\nC~\n40 0 0 0 0 1\nD1\n~\n~\n0 77 4002\nS\n$",
            "wld/40.wld:8: warning: the key of the exit east of room #4002 is object #77, which does not exist",
        ),
        (
            "wld/40.wld",
            "#4002\nB~\nC~\n40 0 0 0 0 1\nD1\n~\n~\n0 0 4002\nD1\n~\n~\n0 0 4002\nS\n$",
            "wld/40.wld:9: warning: room #4002 has two exits east: the later one stays",
        ),
        (
            "wld/40.wld",
            "#4002\nB~\nC~\n40 0 0 0 0 1\nS\n#4002\nB~\nC~\n40 0 0 0 0 1\nS\n$",
            "wld/40.wld:6: error: room #4002 is already at wld/40.wld:1",
        ),
        (
            "wld/40.wld",
            "#4002\nB~\nC~\n40 0 0 0 0 1\nS\n#9002\nB~\nC~\n40 0 0 0 0 1\nS\n$",
            "wld/40.wld:6: error: room #9002 is in no zone",
        ),
        (
            "zon/40.zon",
            "#40\nMill~\n4099 20 2\nQ 0 1 2 3\nS\n$\n",
            "zon/40.zon:4: error: this command is left out: \"Q\" is not a command",
        ),
        (
            "zon/40.zon",
            "#40\nMill~\n4099 20 2\nM 0 1\nS\n$\n",
            "zon/40.zon:4: error: this command is left out: the limit is missing",
        ),
        (
            "zon/40.zon",
            "#40\nMill~\n4099 20 2\nM 0 1 1 4002\nS\n$\n",
            "zon/40.zon:4: warning: this reset names mob #1, which does not exist",
        ),
        (
            "zon/40.zon",
            "#40\nMill~\n4099 20 2\nD 0 4002 1 1\nS\n$\n",
            "zon/40.zon:4: warning: room #4002 has no exit east to open or close",
        ),
        (
            "zon/40.zon",
            "#40\nMill~\n4099 20 2\nE 0 4010 1 30\nS\n$\n",
            "zon/40.zon:4: error: this command is left out: wear position 30 is not known",
        ),
        ("zon/40.zon", "#40\nMill~\n4099 20 2\n", "zon/40.zon:3: warning: zone #40 has no S at its end"),
        (
            "zon/40.zon",
            "#40\nMill~\nten 20 2\nS\n$\n",
            "zon/40.zon:4: error: record #40 is left out: the last room should be a number, not \"S\"",
        ),
        (
            "mob/40.mob",
            "#4001\na~\nb~\nc~\nd~\n0 0 0 0 0 0 0 0 0 Q\n1 2 3 1d1+1 1d1+1\n0 0\n8 8 1\n$\n",
            "mob/40.mob:6: error: record #4001 is left out: the type of record should be S or E, not \"Q\"",
        ),
        (
            "mob/40.mob",
            "#4001\na~\nb~\nc~\nd~\n0 0 0 0 0 0 0 0 0 S\n1 2 3 1x1+1 1d1+1\n0 0\n8 8 1\n$\n",
            "mob/40.mob:7: error: record #4001 is left out: the dice of hit points should look like 2d6+10, \
             not \"1x1+1\"",
        ),
        (
            "mob/40.mob",
            "#4001\na~\nb~\nc~\nd~\n0 0 0 0 0 0 0 0 0 E\n1 2 3 1d1+1 1d1+1\n0 0\n8 12 1\nE\n$\n",
            "mob/40.mob:9: warning: the default position should be 0 to 8, not 12: taken as standing",
        ),
        (
            "mob/40.mob",
            "#4001\na~\nb~\nc~\nd~\n0 0 0 0 0 0 0 0 0 E\n1 2 3 1d1+1 1d1+1\n0 0\n8 8 1\n$\n",
            "mob/40.mob:10: warning: the enhanced part of mob #4001 has no E at its end",
        ),
        (
            "obj/40.obj",
            "#4010\na~\nb~\nc~\n~\n18 0 0 0 0 a 0 0 0\n0 0 x 0\n1 1 1\n$\n",
            "obj/40.obj:7: error: record #4010 is left out: a value should be a number, not \"x\"",
        ),
        (
            "obj/40.obj",
            "#4010\na~\nb~\nc~\n~\n18 0 0 0 0 a 0 0 0\n0 0 0 0\n1 1 1\nA\n99 1\n$\n",
            "obj/40.obj:10: warning: the apply should be 0 to 29, not 99: taken as none",
        ),
        (
            "shp/40.shp",
            "CircleMUD v3.0 Shop File~\n#4000~\n-1\n1.1\nhalf\n$\n",
            "shp/40.shp:5: error: record #4000 is left out: the factor when a player sells should be a number, \
             not \"half\"",
        ),
        (
            "shp/40.shp",
            "CircleMUD v3.0 Shop File~\n#4000~\n4010\n",
            "shp/40.shp:4: error: record #4000 is left out: the file ends where a product should be",
        ),
    ];
    for (path, text, expected) in cases {
        let (_, problems) = read_all(with(&DARK_PAWNS, path, text));
        let said = said(&problems);
        assert!(said.iter().any(|problem| problem == expected), "{expected}\nbut was said: {said:#?}");
    }
}

#[test]
fn a_record_that_cannot_be_read_does_not_cost_the_next_one() {
    let text = "#4001\nName without end\nText\n#4002\nB~\nC~\n40 0 0 0 0 1\nS\n\
                #4003\nB~\nC~\nnumbers\nS\n#4004\nB~\nC~\n40 0 0 0 0 1\nS\n$\n";
    let (content, problems) = read_all(with(&DARK_PAWNS, "wld/40.wld", text));
    assert_eq!(content.rooms.iter().map(|room| room.vnum).collect::<Vec<_>>(), [4002, 4004]);
    assert!(problems.has_errors());
}

#[test]
fn the_start_room_asked_for_wins_where_it_exists() {
    let source = Source::of(STOCK);
    let start = |vnum| read(&source, &ReadOptions { start_room: Some(vnum), ..ReadOptions::default() });
    assert_eq!(start(1002).0.start_room, 1002);
    let (content, problems) = start(77);
    assert_eq!(content.start_room, 1001);
    assert!(problems.has_errors());
}
