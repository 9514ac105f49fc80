//! The content readers from outside: small worlds of each dialect, what is said about wrong ones, the stock tbaMUD
//! world where it is at hand, what is written is read back, and no text makes them panic.

use proptest::prelude::*;
use std::path::Path;
use world::content::*;
use world::flags::*;
use world::words::*;

fn read_all<'t>(files: impl IntoIterator<Item = (&'t str, &'t str)>) -> (Content, Problems) {
    read(&Source::of(files), &ReadOptions::default())
}

/// The files with one of them replaced or added.
fn with<'t>(files: &[(&'t str, &'t str)], path: &'t str, text: &'t str) -> Vec<(&'t str, &'t str)> {
    files.iter().copied().filter(|(p, _)| *p != path).chain([(path, text)]).collect()
}

fn said(problems: &Problems) -> Vec<String> {
    problems.0.iter().map(Problem::to_string).collect()
}

/// What `write` keeps: everything but the lines of resets.
fn without_lines(mut content: Content) -> Content {
    content.zones.iter_mut().flat_map(|zone| &mut zone.resets).for_each(|reset| reset.line = 0);
    content
}

fn assert_same(left: &Content, right: &Content) {
    assert_eq!(left.name, right.name);
    assert_eq!(left.zones, right.zones);
    assert_eq!(left.rooms, right.rooms);
    assert_eq!(left.mobs, right.mobs);
    assert_eq!(left.objects, right.objects);
    assert_eq!(left.shops, right.shops);
    assert_eq!(left.socials, right.socials);
    assert_eq!(left.hometowns, right.hometowns);
    assert_eq!(left.start_room, right.start_room);
    assert_eq!((&left.greeting, &left.motd), (&right.greeting, &right.motd));
}

fn texts(names: &[&Text]) -> Vec<String> {
    names.iter().map(|text| text.to_string()).collect()
}

// ── Samples: original worlds of a few records that use every kind of record and line ────────────────────────────────

const DARK_PAWNS: [(&str, &str); 11] = [
    ("wld/index", "40.wld\n$\n"),
    ("zon/index", "40.zon\n41.zon\n$\n"),
    ("mob/index", "40.mob\n$\n"),
    ("obj/index", "40.obj\n$\n"),
    ("shp/index", "40.shp\n$\n"),
    (
        "wld/40.wld",
        "\
* The mill and what is around it.
#4001
The Mill Yard~
   Flour dust lies on everything ~ even on the cat.
A wheel creaks.

~
40 be 0 0 0 8
D0
A door of old planks.
~
door planks~
2 4010 4002
D4
~
~
0 -1 -1
D2
~
~
1 0 4100
E
wheel creak~
It turns, slowly.
~
R 40/mill.lua 3
S
#4002
The Loft~
Sacks.
~
40 AB 0 0 0 9
S 0 0
#4101
Below the Weir~
Water.
~
41 0 0 0 0 15
S
#99999
#4003
Never read~
~
$~
",
    ),
    (
        "zon/40.zon",
        "\
#40
The Mill~
4099 20 2
* who is here
M 0 4001 2 4001 \t(the miller)
G 1 4010 5 -1
E 1 4011 5 16
E 1 4011 5 21
L 0 0 3
O 0 4012 4 4001
P 1 4010 2 4012
L 0 1 0
O 0 4011 1 -1
D 0 4001 0 2
R 0 4001 1 4011
R 0 4001 0 4001
R 0 4001 4012 -1
S
$
",
    ),
    ("zon/41.zon", "#41\nThe Weir\n4199 0 1\nS\n$\n"),
    (
        "mob/40.mob",
        "\
#4001
miller man~
the miller~
The miller stands here, white from head to foot.
~
He coughs.
~
bd 0 0 0 E 2 0 0 350 E
12 8 -15 2d6+40 1d8-1
120 900
8 7 1
BareHandAttack: 7
Str: 16
StrAdd: 120
Race: 2
Noise: The miller sneezes.
Script: 40/miller.lua 5
quest: 1
E
$
",
    ),
    (
        "obj/40.obj",
        "\
#4010
key iron~
an iron key~
An iron key lies here.~
~
18 0 0 0 0 a 0 0 0
0 0 0 0
1 0 12.34
#4011
flail~
a flail~
A flail lies here.~
It whirls.~
5 BCa 0 0 0 anps 0 0 0
0 2 5 10
8 40 100
A
18 2
A
29 33
A
25 4
S 40/flail.lua 1
E
flail wood~
Two sticks and a thong.
~
#4012
barrel~
a barrel~
A barrel stands here.~
~
15 0 0 0 0 0 0 0 0
100 13 4010 0
30 5 0
#4013
cider~
a jug of cider~
A jug stands here.~
~
17 0 0 0 0 a 0 0 0
10 20 2 1
3 5 50.5
$
",
    ),
    (
        "shp/40.shp",
        "\
CircleMUD v3.0 Shop File~
#4000~
4010
4013
-1
1.15
0.5
9
5 flail|club ; sticks only
food
-1
%s No such thing.~
%s You have none.~
%s Not mine.~
%s I am poor.~
%s You are poor.~
%s That is %d.~
%s Here is %d.~
1
3
4001
72
4001
-1
6
12
14
20
$
",
    ),
];

const TBAMUD: [(&str, &str); 9] = [
    ("wld/index", "7.wld\n$\n"),
    ("zon/index", "7.zon\n$\n"),
    ("mob/index", "7.mob\n$\n"),
    ("obj/index", "7.obj\n$\n"),
    (
        "wld/7.wld",
        "\
#701
The @RRed@n Hall~
Write to a@@b.org.
~
7 dq 0 0 0 8
D1
~
door~
3 65535 702
D3
~
door~
4 -1 702
D6
~
~
0 -1 702
S
T 700
T 701
#702
The Other Hall~
~
7 0 0 0 0 9
D3
~
~
0 -1 799
S
#703
An Old Hall~
Copied from an older world.
~
7 c 3
S
$~
",
    ),
    (
        "zon/7.zon",
        "\
#7
The Builder~
Two Halls~
700 799 30 1 d 0 0 0 3 12
M 0 700 1 701
T 1 0 700 -1
V 1 0 0 0 name value
D 0 701 6 1
D 0 701 1 1
R 0 702 0 -1 \t(a thing)
O 1 701 99 702
S
$
",
    ),
    (
        "mob/7.mob",
        "\
#700
guard~
a guard~
A guard is on watch.
~
~
abds 0 0 0 bqrtv 0 0 0 -1000 E
20 2 3 5d10+50 2d4+2
0 0
8 8 2
Dex: 18
SavingPara: 20
E
T 700
#701
rat~
a rat~
A rat squeaks.
~
~
a a 0 S
1 20 10 1d4+0 1d2+0
0 10
6 8 0
$
",
    ),
    (
        "obj/7.obj",
        "\
#701
chair~
a chair~
A chair stands here.~
~
6 r 0 0 0 a 0 0 0 b 0 0 0
0 0 0 0
5 6 7 8 9
T 700
#702
thing~
a thing~
A thing.~
~
7 0 0 0 0 a 0 0 0 0 0 0 0
0 0 0 0
1 1 1 4
$
",
    ),
    ("trg/7.trg", "not looked at"),
];

const STOCK: [(&str, &str); 6] = [
    (
        "lib/world/wld/10.wld",
        "#1001\nThe Green~\nGrass.\n~\n10 72 2\nD0\n~\n~\n0 -1 1002\nS\n#1002\nThe Pond~\nFrogs.\n~\n10 0 6\nD2\n~\n~\n\
         0 -1 1001\nS\n$\n",
    ),
    ("lib/world/zon/10.zon", "#10\nThe Village~\n1099 30 2\nM 0 1001 1 1001\nG 1 1001 9\nR 0 1001 1002\nS\n$\n"),
    (
        "lib/world/mob/10.mob",
        "#1001\nfrog~\na frog~\nA frog sits here.\n~\nGreen.\n~\n66 262144 0 S\n1 20 10 1d6+2 1d2+0\n0 5\n8 8 0\n$\n",
    ),
    (
        "lib/world/obj/10.obj",
        "#1001\npebble~\na pebble~\nA pebble.~\n~\n13 0 1\n0 0 0 0\n1 0 0\n#1002\nring~\na ring~\nA ring.~\n~\n\
         11 64 3 128\n0 0 0 0\n1 500 20\nA\n17 -10\n$\n",
    ),
    (
        "lib/world/shp/10.shp",
        "#1000~\n1001\n0\n0\n0\n0\n2.0\n0.25\n11\n0\n0\n0\n0\na~\nb~\nc~\nd~\ne~\nf~\ng~\n2\n0\n1001\n0\n1002\n0\n28\n\
         0\n0\n$\n",
    ),
    ("lib/text/motd", "not looked at"),
];

const NATIVE: [(&str, &str); 9] = [
    (
        "world.toml",
        "\
name = \"Two Fields\"
start_room = 501
greeting = \"\"\"
Welcome.
Who are you?
\"\"\"
motd = \"Be kind.\"

[[hometown]]
key = \"F\"
name = \"the Fields\"
room = 501
",
    ),
    (
        "zones/5_fields/zone.toml",
        "\
number = 5
name = \"The Fields\"
builders = \"us\"
first = 500
last = 520
lifespan_minutes = 7
reset = \"empty\"
levels = [1, 5]
",
    ),
    (
        "zones/5_fields/rooms.toml",
        "\
[[room]]
vnum = 501
name = \"A Field\"
sector = \"field\"
flags = [\"dark\", \"arena\"]
description = \"\"\"
Stubble.
\"\"\"
[room.exits.west]
description = \"A hedge.\"
[room.exits.north]
to = 502
keywords = \"gate\"
door = [\"door\", \"hidden\"]
key = 510
[[room.extra]]
keywords = \"stubble\"
text = \"\"\"
Short.

Sharp.
\"\"\"

[[room]]
vnum = 502
name = \"Another Field\"
description = \"Clover.\"
",
    ),
    (
        "zones/5_fields/mobs.toml",
        "\
[[mob]]
vnum = 503
keywords = \"hare\"
short = \"a hare\"
long = \"A hare listens.\"
flags = [\"wimpy\"]
affects = [\"sneak\"]
alignment = 10
level = 2
hit_roll = 3
armor = 70
hit_points = \"2d6+3\"
damage = \"1d3-1\"
gold = 1
experience = 12
load_position = \"sitting\"
sex = \"female\"
race = \"mammal\"
attack = \"bite\"
abilities = { dexterity = 18, strength_add = 4 }
noise = \"A hare thumps.\"
",
    ),
    (
        "zones/5_fields/objects.toml",
        "\
[[object]]
vnum = 510
keywords = \"key\"
short = \"a key\"
long = \"A key lies here.\"
wear = [\"take\"]
load_percent = 33.25
[object.kind]
type = \"key\"

[[object]]
vnum = 511
keywords = \"scroll\"
short = \"a scroll\"
long = \"A scroll lies here.\"
applies = [{ to = \"hit_roll\", by = -1 }]
[object.kind]
type = \"scroll\"
level = 9
spells = [4, 5]
[[object.extra]]
keywords = \"ink\"
text = \"Brown.\"

[[object]]
vnum = 512
keywords = \"chest\"
short = \"a chest\"
long = \"A chest.\"
[object.kind]
type = \"container\"
capacity = 40
flags = [\"closeable\", \"closed\"]
key = 510
",
    ),
    (
        "zones/5_fields/shops.toml",
        "\
[[shop]]
vnum = 504
keeper = 503
products = [511]
sells_at = 1.5
trades = [{ item = \"scroll\", keywords = \"old\" }]
hours = [[6, 12], [14, 20]]
refuses = [\"no_thief\"]
[shop.messages]
no_such_item = \"a\"
no_such_offer = \"b\"
does_not_trade = \"c\"
keeper_is_poor = \"d\"
customer_is_poor = \"e\"
bought = \"f\"
sold = \"g\"
",
    ),
    (
        "zones/5_fields/resets.toml",
        "\
[[object]]
object = 512
room = 501
  [[object.put]]
  object = 511
  max = 2

[[mob]]
mob = 503
room = 502
  [[mob.give]]
  object = 512
  max = 7
    [[mob.give.put]]
    object = 510
  [[mob.equip]]
  object = 510
  slot = \"hold\"

[[door]]
room = 501
direction = \"north\"
locked = true
",
    ),
    ("zones/6_empty/zone.toml", "number = 6\nname = \"Nothing\"\nfirst = 600\nlast = 699\n"),
    (
        "socials.toml",
        "\
[[social]]
name = \"bow\"
position = \"standing\"
hidden = true
actor = \"You bow.\"
victim = \"$n bows.\"
",
    ),
];

// ── What the samples say ────────────────────────────────────────────────────────────────────────────────────────────

#[test]
fn a_dark_pawns_world_is_read_as_its_grammar_says() {
    let (content, problems) = read_all(DARK_PAWNS);
    assert_eq!(
        said(&problems),
        [
            "mob/40.mob:14: warning: StrAdd should be 0 to 100, not 120: taken as 100",
            "mob/40.mob:17: warning: scripts and triggers of this file are left out",
            "mob/40.mob:18: warning: \"quest\" is not known and left out",
            "obj/40.obj:23: warning: scripts and triggers of this file are left out",
            "wld/40.wld:21: warning: the exit south of room #4001 leads to room #4100, which does not exist",
            "wld/40.wld:26: warning: scripts and triggers of this file are left out",
            "wld/40.wld:33: warning: this line goes on (\"0 0\"); such ends of lines are left out",
        ]
    );
    assert_eq!(
        content.counts(),
        Counts { zones: 2, rooms: 3, mobs: 1, objects: 4, shops: 1, exits: 3, zone_commands: 13 }
    );
    assert_eq!(content.start_room, 4001);

    let yard = content.room(content.room_id(4001).unwrap());
    assert_eq!(&*yard.description, "   Flour dust lies on everything ~ even on the cat.\nA wheel creaks.");
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
            "mob/7.mob:14: warning: scripts and triggers of this file are left out",
            "obj/7.obj:9: warning: scripts and triggers of this file are left out",
            "obj/7.obj:15: warning: item type 7 is not known: taken as other",
            "wld/7.wld:14: warning: direction 6 of room #701 is none of our six: left out",
            "wld/7.wld:19: warning: scripts and triggers of this file are left out",
            "wld/7.wld:28: warning: the exit west of room #702 leads to room #799, which does not exist",
            "zon/7.zon:6: warning: scripts and triggers of this file are left out",
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
        |ending| format!("lib/world/{ending}/index:0: warning: there is no index: all 1 .{ending} files are read");
    assert_eq!(said(&problems), ["mob", "obj", "shp", "wld", "zon"].map(no_index));
    assert_eq!(
        content.counts(),
        Counts { zones: 1, rooms: 2, mobs: 1, objects: 2, shops: 1, exits: 2, zone_commands: 3 }
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
fn a_native_world_is_read_as_the_document_says() {
    let (content, problems) = read_all(NATIVE);
    assert_eq!(said(&problems), Vec::<String>::new());
    assert_eq!(
        content.counts(),
        Counts { zones: 2, rooms: 2, mobs: 1, objects: 3, shops: 1, exits: 2, zone_commands: 7 }
    );
    assert_eq!(
        texts(&[&content.name, &content.greeting, &content.motd]),
        ["Two Fields", "Welcome.\nWho are you?", "Be kind."]
    );
    assert_eq!(content.hometowns, [Hometown { key: 'F', name: Text::from("the Fields"), room: 501 }]);
    assert_eq!(content.zones[0].levels, (1, 5));
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

/// The examples of docs/CONTENT.md under their file names, as two worlds: of a file with two examples each has one.
fn documented() -> [Vec<(String, &'static str)>; 2] {
    let mut worlds = [Vec::new(), Vec::new()];
    for section in include_str!("../../docs/CONTENT.md").split("\n## ").skip(1) {
        let name = section.lines().next().unwrap_or_default();
        let above = matches!(name, "world.toml" | "socials.toml");
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
        assert_eq!(files.len(), 8, "one example per kind of file");
        let (content, problems) = read(&Source::of(files), &ReadOptions::default());
        // The examples name rooms, mobs and objects that they do not show.
        let wrong: Vec<String> = said(&problems).into_iter().filter(|what| !what.contains("does not exist")).collect();
        assert_eq!(wrong, Vec::<String>::new());
        let Counts { zones, rooms, mobs, objects, shops, zone_commands, .. } = content.counts();
        assert_eq!([zones, rooms, mobs, objects, shops], [1; 5]);
        assert!(zone_commands >= 7, "{zone_commands}");
        assert_eq!(content.socials.len(), 1);
    }
}

// ── What is said about wrong worlds ─────────────────────────────────────────────────────────────────────────────────

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
fn a_wrong_native_world_names_file_and_line() {
    let zone = "zones/5_fields/";
    // The file that is changed in the sample, its text, and how what has to be said begins.
    let cases = [
        ("world.toml", "start_room = 9\n", "world.toml:1: error: the start room #9 does not exist"),
        (
            "world.toml",
            "name = \"x\"\n",
            "world.toml:0: warning: no start_room is named: room #501, the lowest, is taken",
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
        ("world.toml", "start_room = \n", "world.toml:1: error: this is not TOML: "),
        (
            "zone.toml",
            "number = 5\nname = \"F\"\nfirst = 500\nlast = 501\n",
            "rooms.toml:24: error: room #502 is not among the rooms of zone 5, 500 to 501",
        ),
        (
            "zone.toml",
            "number = 9\nname = \"F\"\nfirst = 500\nlast = 520\n",
            "zone.toml:0: warning: the folder's name should begin with the zone's number, 9_",
        ),
        ("zone.toml", "name = \"F\"\nfirst = 500\nlast = 520\n", "zone.toml:0: error: file without number"),
        ("rooms.toml", "[[room]]\nname = \"x\"\ndescription = \"y\"\n", "rooms.toml:1: error: room without vnum"),
        ("rooms.toml", "\n[[room]]\nvnum = 501\nname = \"x\"\n", "rooms.toml:2: error: room without description"),
        (
            "rooms.toml",
            "[[room]]\nvnum = 501\nname = \"x\"\nsector = \"wood\"\n",
            "rooms.toml:4: error: sector: unknown variant `wood`, expected one of ",
        ),
        (
            "rooms.toml",
            "[[room]]\nvnum = 501\nname = \"x\"\nflags = [\"wet\"]\n",
            "rooms.toml:4: error: flags: unknown flag \"wet\"; known are dark",
        ),
        (
            "rooms.toml",
            "[[room]]\nvnum = \"a\"\n",
            "rooms.toml:2: error: vnum: invalid type: string \"a\", expected i32",
        ),
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
            "mobs.toml:1: error: hit_points should look like 2d6+10, not \"many\"",
        ),
        ("mobs.toml", "[[mob]]\nvnum = 503\narmor = 300\n", "mobs.toml:1: error: armor should be -100 to 100, not 300"),
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
        ("dragons.toml", "", "dragons.toml:0: warning: a zone has no file of this name: it is not read"),
        ("socials.toml", "[[social]]\nactor = \"x\"\n", "socials.toml:1: error: social without name"),
        (
            "socials.toml",
            "[[social]]\nname = \"a\"\nactor = \"You $x.\"\n",
            "socials.toml:1: warning: social \"a\" has $x, which is no mark; known are $ and one of nNeEmMsS",
        ),
    ];
    for (name, text, expected) in cases {
        let above = matches!(name, "world.toml" | "socials.toml");
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
fn the_start_room_asked_for_wins_where_it_exists() {
    let source = Source::of(STOCK);
    let start = |vnum| read(&source, &ReadOptions { start_room: Some(vnum) });
    assert_eq!(start(1002).0.start_room, 1002);
    let (content, problems) = start(77);
    assert_eq!(content.start_room, 1001);
    assert!(problems.has_errors());
}

#[test]
fn a_folder_without_a_world_is_an_error_and_gives_no_rooms() {
    let (content, problems) = read_all([("notes.toml", "x = 1")]);
    assert!(content.rooms.is_empty());
    assert!(problems.has_errors());
}

// ── Writing ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/// Reads what was written; errors are allowed, since references need not exist.
fn written_and_read(content: &Content) -> Content {
    read(&Source { files: write(content) }, &ReadOptions::default()).0
}

#[test]
fn what_is_written_of_each_sample_is_read_back() {
    for files in [&DARK_PAWNS[..], &TBAMUD, &STOCK, &NATIVE] {
        let (content, _) = read_all(files.iter().copied());
        let again = written_and_read(&content);
        assert_same(&without_lines(content), &without_lines(again));
    }
}

#[test]
fn a_written_world_reads_like_one_written_by_hand() {
    let (content, _) = read_all(NATIVE);
    let files = write(&content);
    assert_eq!(files["world.toml"], NATIVE[0].1);
    assert_eq!(files["zones/5_the_fields/zone.toml"], NATIVE[1].1);
    assert_eq!(files["zones/5_the_fields/mobs.toml"], NATIVE[3].1);
    assert_eq!(files["socials.toml"], NATIVE[8].1);
    let rooms = "\
[[room]]
vnum = 501
name = \"A Field\"
sector = \"field\"
flags = [\"dark\", \"arena\"]
description = \"Stubble.\"

[room.exits.north]
to = 502
keywords = \"gate\"
door = [\"door\", \"hidden\"]
key = 510

[room.exits.west]
description = \"A hedge.\"

[[room.extra]]
keywords = \"stubble\"
text = \"\"\"
Short.

Sharp.
\"\"\"

[[room]]
vnum = 502
name = \"Another Field\"
description = \"Clover.\"
";
    assert_eq!(files["zones/5_the_fields/rooms.toml"], rooms);
    let resets = "\
command = [
  { object = { object = 512, max = 1, room = 501 } },
  { if_last = true, put = { object = 511, max = 2, container = 512 } },
  { mob = { mob = 503, max = 1, room = 502 } },
  { if_last = true, give = { object = 512, max = 7 } },
  { if_last = true, put = { object = 510, max = 1, container = 512 } },
  { if_last = true, equip = { object = 510, max = 100, slot = \"hold\" } },
  { door = { room = 501, direction = \"north\", closed = true, locked = true } },
]
";
    assert_eq!(files["zones/5_the_fields/resets.toml"], resets);
    assert_eq!(
        files.keys().filter(|path| path.starts_with("zones/6_nothing/")).count(),
        1,
        "empty files are not written"
    );
}

// ── The stock world ─────────────────────────────────────────────────────────────────────────────────────────────────

/// The stock world, where it is at hand; else a line says that nothing was looked at.
fn stock_tbamud() -> Option<Source> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/worlds/tbamud");
    if !folder.is_dir() {
        println!("skipped: {} is not there", folder.display());
        return None;
    }
    let mut source = Source::default();
    for kind in ["wld", "mob", "obj", "zon", "shp"] {
        for entry in std::fs::read_dir(folder.join(kind)).expect("the folder can be listed") {
            let entry = entry.expect("the entry can be read");
            let path = format!("{kind}/{}", entry.file_name().to_string_lossy());
            if Source::wants(&path) {
                let bytes = std::fs::read(entry.path()).expect("the file can be read");
                source.files.insert(path, Source::latin1_or_utf8(&bytes));
            }
        }
    }
    Some(source)
}

#[test]
fn the_stock_tbamud_world_has_its_counts_and_no_errors() {
    let Some(source) = stock_tbamud() else { return };
    let (content, problems) = read(&source, &ReadOptions::default());
    let errors: Vec<_> = problems.0.iter().filter(|problem| problem.kind == Severity::Error).collect();
    assert_eq!(errors, Vec::<&Problem>::new());
    // Counted without this reader, from the lines of the files that the indexes list.
    let expected = Counts {
        zones: 189,
        rooms: 12_700,
        mobs: 3705,
        objects: 4765,
        shops: 330,
        exits: 29_327,
        zone_commands: 18_513,
    };
    assert_eq!(content.counts(), expected);
    assert_eq!(content.start_room, 3001);
    let nowhere: Vec<_> = problems.0.iter().filter(|problem| !source.files.contains_key(&problem.file)).collect();
    assert_eq!(nowhere, Vec::<&Problem>::new(), "each problem names a file");
    assert_sound(&content, &problems);
}

#[test]
fn the_stock_tbamud_world_survives_writing_and_reading() {
    let Some(source) = stock_tbamud() else { return };
    let (content, _) = read(&source, &ReadOptions::default());
    let files = write(&content);
    let (again, problems) = read(&Source { files: files.clone() }, &ReadOptions::default());
    assert!(!problems.has_errors(), "an imported world starts: {:#?}", said(&problems));
    assert!(problems.0.iter().all(|problem| !problem.what.contains("unknown")), "{:#?}", said(&problems));
    assert_same(&without_lines(content), &without_lines(again.clone()));
    assert!(write(&again) == files, "writing again gives the same files");
}

// ── Properties ──────────────────────────────────────────────────────────────────────────────────────────────────────

fn text() -> impl Strategy<Value = Text> {
    let nasty = prop_oneof![
        Just("\"\"\"".to_owned()),
        Just("\n".to_owned()),
        Just("\\".to_owned()),
        Just("\t".to_owned()),
        Just("\r".to_owned()),
        Just("~".to_owned()),
        Just("'''#$".to_owned()),
        "[a-zA-Z ,.]{1,12}",
        any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(nasty, 0..6).prop_map(|parts| Text::from(parts.concat()))
}

fn flags(names: usize) -> impl Strategy<Value = u64> {
    any::<u64>().prop_map(move |bits| bits & ((1 << names) - 1))
}

fn word<T: Copy + std::fmt::Debug + 'static>(all: &'static [T]) -> impl Strategy<Value = T> {
    prop::sample::select(all)
}

fn extras() -> impl Strategy<Value = Vec<ExtraDescription>> {
    let extra = (text(), text()).prop_map(|(keywords, text)| ExtraDescription { keywords, text });
    prop::collection::vec(extra, 0..3)
}

fn dice() -> impl Strategy<Value = Dice> {
    any::<(i32, i32, i32)>().prop_map(|(count, sides, bonus)| Dice { count, sides, bonus })
}

fn exits() -> impl Strategy<Value = Vec<ExitProto>> {
    let exit = (word(Direction::ALL), any::<Option<i32>>(), text(), text(), any::<[bool; 3]>(), any::<Option<i32>>());
    let exit = exit.prop_map(|(direction, to, description, keywords, door, key)| {
        let built = [DoorFlags::DOOR, DoorFlags::PICKPROOF, DoorFlags::HIDDEN];
        let door = built.into_iter().zip(door).filter(|(_, has)| *has);
        let door = door.fold(DoorFlags::NONE, |all, (flag, _)| all.with(flag));
        ExitProto { direction, to, description, keywords, door, key }
    });
    prop::collection::vec(exit, 0..4).prop_map(|mut exits| {
        exits.sort_by_key(|exit| exit.direction);
        exits.dedup_by_key(|exit| exit.direction);
        exits
    })
}

fn rooms() -> impl Strategy<Value = Vec<RoomProto>> {
    let room = (text(), text(), word(Sector::ALL), flags(RoomFlags::NAMES.len()), exits(), extras());
    let room = room.prop_map(|(name, description, sector, flags, exits, extras)| RoomProto {
        vnum: 0,
        zone: 0,
        name,
        description,
        sector,
        flags: RoomFlags(flags),
        exits,
        extras,
    });
    prop::collection::vec(room, 1..5).prop_map(|mut rooms| {
        for (room, vnum) in rooms.iter_mut().zip((0..).step_by(70)) {
            (room.vnum, room.zone) = (vnum, vnum / 100);
        }
        rooms
    })
}

/// A few records with different numbers, inside and outside of the zones.
fn numbered<T: std::fmt::Debug>(
    record: impl Strategy<Value = T>,
    set: impl Fn(&mut T, Vnum) + Clone,
) -> impl Strategy<Value = Vec<T>> {
    prop::collection::vec(record, 0..4).prop_map(move |mut records| {
        records.iter_mut().zip([-5, 50, 130, 5000]).for_each(|(record, vnum)| set(record, vnum));
        records
    })
}

fn mobs() -> impl Strategy<Value = Vec<MobProto>> {
    let texts = (text(), text(), text(), text(), text());
    let numbers = (-1000..=1000, any::<[i32; 4]>(), -100..=100, dice(), dice(), any::<i32>());
    let words = (
        word(Position::ALL),
        word(Position::ALL),
        word(Sex::ALL),
        word(Race::ALL),
        word(AttackType::ALL),
        any::<[Option<i32>; 6]>(),
    );
    let sets = (flags(MobFlags::NAMES.len()), flags(AffectFlags::NAMES.len()));
    let mob = (texts, numbers, words, sets).prop_map(|(texts, numbers, words, sets)| {
        let (keywords, short, long, description, noise) = texts;
        let (alignment, [level, hit_roll, gold, experience], armor, hit_points, damage, strength_add) = numbers;
        let (load_position, default_position, sex, race, attack, abilities) = words;
        MobProto {
            vnum: 0,
            keywords,
            short,
            long,
            description,
            flags: MobFlags(sets.0),
            affects: AffectFlags(sets.1),
            alignment,
            level,
            hit_roll,
            armor,
            hit_points,
            damage,
            gold,
            experience,
            load_position,
            default_position,
            sex,
            race,
            attack,
            abilities,
            strength_add,
            noise,
        }
    });
    numbered(mob, |mob, vnum| mob.vnum = vnum)
}

fn kind() -> impl Strategy<Value = ObjectKind> {
    let parts = (
        word(ItemType::ALL),
        any::<[i32; 4]>(),
        any::<bool>(),
        any::<Option<i32>>(),
        flags(ContainerFlags::NAMES.len()),
        word(Liquid::ALL),
        word(AttackType::ALL),
    );
    parts.prop_map(|(item, [a, b, c, d], yes, key, flags, liquid, attack)| match item {
        ItemType::Light => ObjectKind::Light { hours: a },
        ItemType::Scroll => ObjectKind::Scroll { level: a, spells: [b, c, d] },
        ItemType::Potion => ObjectKind::Potion { level: a, spells: [b, if yes { 0 } else { c }, 0] },
        ItemType::Wand => ObjectKind::Wand { level: a, charges_max: b, charges: c, spell: d },
        ItemType::Staff => ObjectKind::Staff { level: a, charges_max: b, charges: c, spell: d },
        ItemType::Weapon => ObjectKind::Weapon { dice: a, sides: b, attack },
        ItemType::FireWeapon => ObjectKind::FireWeapon { dice: a, sides: b },
        ItemType::Missile => ObjectKind::Missile { dice: a, sides: b },
        ItemType::Armor => ObjectKind::Armor { armor: a },
        ItemType::Container => ObjectKind::Container { capacity: a, flags: ContainerFlags(flags), key, corpse: yes },
        ItemType::DrinkContainer => ObjectKind::DrinkContainer { capacity: a, contents: b, liquid, poisoned: yes },
        ItemType::Fountain => ObjectKind::Fountain { capacity: a, contents: b, liquid, poisoned: yes },
        ItemType::Food => ObjectKind::Food { hours: a, poisoned: yes },
        ItemType::Money => ObjectKind::Money { coins: a },
        ItemType::Treasure => ObjectKind::Treasure,
        ItemType::Worn => ObjectKind::Worn,
        ItemType::Other => ObjectKind::Other,
        ItemType::Trash => ObjectKind::Trash,
        ItemType::Trap => ObjectKind::Trap,
        ItemType::Note => ObjectKind::Note,
        ItemType::Key => ObjectKind::Key,
        ItemType::Pen => ObjectKind::Pen,
        ItemType::Boat => ObjectKind::Boat,
        ItemType::Furniture => ObjectKind::Furniture,
    })
}

fn objects() -> impl Strategy<Value = Vec<ObjectProto>> {
    let apply = (word(Apply::ALL), any::<i32>()).prop_map(|(to, by)| ObjectApply { to, by });
    let texts = (text(), text(), text(), text());
    let sets = (flags(ObjectFlags::NAMES.len()), flags(WearFlags::NAMES.len()), flags(AffectFlags::NAMES.len()));
    let numbers = (any::<[i32; 4]>(), 0..=10_000);
    let object = (texts, kind(), sets, numbers, prop::collection::vec(apply, 0..3), extras());
    let object = object.prop_map(|(texts, kind, sets, numbers, applies, extras)| {
        let (keywords, short, long, action) = texts;
        let ([weight, cost, level, timer_hours], load_chance) = numbers;
        ObjectProto {
            vnum: 0,
            keywords,
            short,
            long,
            action,
            kind,
            flags: ObjectFlags(sets.0),
            wear: WearFlags(sets.1),
            affects: AffectFlags(sets.2),
            weight,
            cost,
            level,
            load_chance,
            timer_hours,
            applies,
            extras,
        }
    });
    numbered(object, |object, vnum| object.vnum = vnum)
}

fn shops() -> impl Strategy<Value = Vec<ShopProto>> {
    let trade = (word(ItemType::ALL), text()).prop_map(|(item, keywords)| ShopTrade { item, keywords });
    let messages = [text(), text(), text(), text(), text(), text(), text()];
    let lists = (prop::collection::vec(any::<i32>(), 0..3), prop::collection::vec(any::<i32>(), 0..3));
    let hours = vec![[(0, 28), (0, 0)], [(0, 0), (3, 4)], [(0, 0), (0, 0)]];
    let numbers = (any::<[i32; 4]>(), prop::sample::select(hours));
    let sets = (flags(TradeFlags::NAMES.len()), any::<[bool; 2]>());
    let shop = (lists, numbers, sets, messages, prop::collection::vec(trade, 0..3));
    let shop = shop.prop_map(|(lists, numbers, sets, messages, trades)| {
        let [no_such_item, no_such_offer, does_not_trade, keeper_is_poor, customer_is_poor, bought, sold] = messages;
        let ([sells_at, buys_at, keeper, temper], hours) = numbers;
        let (refuses, [fights, uses_bank]) = sets;
        ShopProto {
            vnum: 0,
            products: lists.0,
            sells_at,
            buys_at,
            trades,
            messages: ShopMessages {
                no_such_item,
                no_such_offer,
                does_not_trade,
                keeper_is_poor,
                customer_is_poor,
                bought,
                sold,
            },
            keeper,
            refuses: TradeFlags(refuses),
            rooms: lists.1,
            hours,
            fights,
            uses_bank,
            temper,
        }
    });
    numbered(shop, |shop, vnum| shop.vnum = vnum)
}

fn resets() -> impl Strategy<Value = Vec<Reset>> {
    let parts = (0..10, any::<[i32; 3]>(), word(WearSlot::ALL), word(Direction::ALL), any::<[bool; 3]>());
    let reset = parts.prop_map(|(kind, [a, max, b], slot, direction, [if_last, closed, locked])| {
        let action = match kind {
            0 => ResetAction::Mob { mob: a, max, room: b },
            1 => ResetAction::Object { object: a, max, room: closed.then_some(b) },
            2 => ResetAction::Put { object: a, max, container: b },
            3 => ResetAction::Give { object: a, max },
            4 => ResetAction::Equip { object: a, max, slot },
            5 => ResetAction::Door { room: a, direction, closed, locked },
            6 => ResetAction::RemoveObject { room: a, object: b },
            7 => ResetAction::RemoveMob { room: a, mob: b },
            8 => ResetAction::LoopStart { count: a },
            _ => ResetAction::LoopEnd,
        };
        Reset { if_last, action, line: 0 }
    });
    prop::collection::vec(reset, 0..5)
}

fn zones() -> impl Strategy<Value = Vec<ZoneProto>> {
    let zone = (text(), text(), any::<i32>(), word(ResetMode::ALL), any::<(i32, i32)>(), resets());
    prop::collection::vec(zone, 3).prop_map(|zones| {
        let numbered = zones.into_iter().zip(0..);
        let zone = |((name, builders, lifespan_minutes, reset_mode, levels, resets), number)| ZoneProto {
            number,
            name,
            builders,
            first: number * 100,
            last: number * 100 + 99,
            lifespan_minutes,
            reset_mode,
            levels,
            resets,
        };
        numbered.map(zone).collect()
    })
}

fn socials() -> impl Strategy<Value = Vec<Social>> {
    let optional = || prop::option::of(text());
    let social = (text(), word(Position::ALL), any::<bool>(), [optional(), optional(), optional()]);
    let social = social.prop_map(|(actor, position, hidden, [room, victim, room_self])| Social {
        name: Text::from("wave"),
        position,
        victim_position: Position::Standing,
        hidden,
        actor,
        room,
        actor_victim: None,
        room_victim: None,
        victim,
        not_found: None,
        actor_self: None,
        room_self,
    });
    prop::collection::vec(social, 0..2)
}

fn contents() -> impl Strategy<Value = Content> {
    let world = (text(), text(), text(), prop::option::of((any::<char>(), text())), socials());
    (zones(), rooms(), mobs(), objects(), shops(), world).prop_map(|(zones, rooms, mobs, objects, shops, world)| {
        let mut content = Content::default();
        (content.zones, content.rooms, content.mobs) = (zones, rooms, mobs);
        (content.objects, content.shops) = (objects, shops);
        let town;
        (content.name, content.greeting, content.motd, town, content.socials) = world;
        content.hometowns = Vec::from_iter(town.map(|(key, name)| Hometown { key, name, room: 0 }));
        content.build_look_ups();
        content
    })
}

/// A sample with some bytes of one file changed, doubled or taken out.
fn damaged(sample: &'static [(&'static str, &'static str)]) -> impl Strategy<Value = Source> {
    let changes = prop::collection::vec((any::<prop::sample::Index>(), 0..4u8, any::<u8>()), 1..6);
    (0..sample.len(), changes).prop_map(move |(which, changes)| {
        let mut source = Source::of(sample.iter().copied());
        let (path, text) = sample[which];
        let mut bytes = text.as_bytes().to_vec();
        for (place, kind, byte) in changes {
            if bytes.is_empty() {
                break;
            }
            let at = place.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => drop(bytes.remove(at)),
                2 => bytes.truncate(at),
                _ => bytes.extend_from_within(at..),
            }
        }
        source.files.insert(path.to_owned(), Source::latin1_or_utf8(&bytes));
        source
    })
}

/// Lines that look like content, and bytes that look like nothing.
fn garbage() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("#4001\n".to_owned()),
        "#-?[0-9]{1,10}\n",
        Just("~\n".to_owned()),
        Just("S\n".to_owned()),
        Just("E\n".to_owned()),
        Just("D0\n".to_owned()),
        Just("A\n".to_owned()),
        Just("$\n".to_owned()),
        Just("[[room]]\nvnum = 3\n".to_owned()),
        Just("[room.exits.north]\n".to_owned()),
        Just("x = [{ a = \"\"\"".to_owned()),
        "[MOPGEDRLTV0-9 -]{1,20}\n",
        "[0-9]{1,12}( -?[0-9a-zA-Z]{1,12}){0,12}\n",
        prop::collection::vec(any::<u8>(), 0..30).prop_map(|bytes| Source::latin1_or_utf8(&bytes)),
    ];
    prop::collection::vec(piece, 0..25).prop_map(|pieces| pieces.concat())
}

/// What holds of whatever `read` returns.
fn assert_sound(content: &Content, problems: &Problems) {
    for room in &content.rooms {
        assert!(content.zone_index(room.zone).is_some(), "room #{} has zone {}", room.vnum, room.zone);
        assert!(room.exits.is_sorted_by(|a, b| a.direction < b.direction), "exits of #{}", room.vnum);
    }
    assert!(content.rooms.is_empty() || content.room_id(content.start_room).is_some());
    assert!(!content.rooms.is_empty() || problems.has_errors());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_written_is_read_back(content in contents()) {
        let again = written_and_read(&content);
        assert_same(&content, &without_lines(again));
    }

    #[test]
    fn no_damage_to_a_world_makes_reading_panic(
        source in prop_oneof![damaged(&DARK_PAWNS), damaged(&TBAMUD), damaged(&STOCK), damaged(&NATIVE)],
    ) {
        let (content, problems) = read(&source, &ReadOptions::default());
        assert_sound(&content, &problems);
    }

    #[test]
    fn no_garbage_makes_reading_panic(
        text in garbage(),
        circle in 0..DARK_PAWNS.len(),
        tbamud in 0..TBAMUD.len(),
        native in 0..NATIVE.len(),
    ) {
        for (sample, which) in [(&DARK_PAWNS[..], circle), (&TBAMUD, tbamud), (&NATIVE, native)] {
            let mut source = Source::of(sample.iter().copied());
            source.files.insert(sample[which].0.to_owned(), text.clone());
            let (content, problems) = read(&source, &ReadOptions::default());
            assert_sound(&content, &problems);
        }
    }
}
