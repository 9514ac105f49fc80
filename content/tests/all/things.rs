//! What can be read and plays badly: each is a warning with file and line.

use super::*;

const WORLD: [(&str, &str); 6] = [
    ("world.toml", "name = \"T\"\nstart_room = 100\n"),
    ("zones/1_green/zone.toml", "number = 1\nname = \"Green\"\nfirst = 100\nlast = 199\n"),
    (
        "zones/1_green/rooms.toml",
        "[[room]]\nvnum = 100\nname = \"A\"\ndescription = \"A ladder.\"\n[room.exits.north]\nto = 101\n\
        door = [\"door\"]\n\n[[room]]\nvnum = 101\nname = \"B\"\ndescription = \"B.\"\n[room.exits.south]\nto = 100\n\
        door = [\"door\"]\n",
    ),
    (
        "zones/1_green/mobs.toml",
        "[[mob]]\nvnum = 110\nkeywords = \"tam\"\nshort = \"Tam\"\nlong = \"Tam.\"\nlevel = 1\nhit_points = \"1d1+1\"\n\
        damage = \"1d1+0\"\n",
    ),
    (
        "zones/1_green/objects.toml",
        "[[object]]\nvnum = 120\nkeywords = \"box\"\nshort = \"a box\"\nlong = \"A box.\"\nwear = [\"take\"]\n\
        [object.kind]\ntype = \"container\"\ncapacity = 5\n\n\
        [[object]]\nvnum = 121\nkeywords = \"stone\"\nshort = \"a stone\"\nlong = \"A stone.\"\nwear = [\"take\"]\n\
        weight = 3\ncost = 10\n[object.kind]\ntype = \"treasure\"\n",
    ),
    (
        "zones/1_green/resets.toml",
        "[[door]]\nroom = 100\ndirection = \"north\"\n\n[[door]]\nroom = 101\ndirection = \"south\"\n",
    ),
];

const MOB: &str = "[[mob]]\nvnum = 110\nkeywords = \"tam\"\nshort = \"Tam\"\nlong = \"Tam.\"\nlevel = 1\n\
    hit_points = \"1d1+1\"\ndamage = \"1d1+0\"\n";

/// A shop of that mob's, and what it says.
fn shop(sells_at: &str, buys_at: &str) -> String {
    format!(
        "[[shop]]\nvnum = 130\nkeeper = 110\nproducts = [121]\nsells_at = {sells_at}\nbuys_at = {buys_at}\n\
        trades = [{{ item = \"treasure\" }}]\n[shop.messages]\nno_such_item = \"a\"\nno_such_offer = \"b\"\n\
        does_not_trade = \"c\"\nkeeper_is_poor = \"d\"\ncustomer_is_poor = \"e\"\nbought = \"f\"\nsold = \"g\"\n"
    )
}

fn object(rows: &str) -> String {
    format!("{}\n[[object]]\nvnum = 122\nkeywords = \"x\"\nshort = \"an x\"\nlong = \"An X.\"\n{rows}", WORLD[4].1)
}

#[test]
fn a_world_without_a_fault_has_no_warning() {
    let shop = shop("1.0", "0.5");
    let (_, problems) = read_all(with(&WORLD, "zones/1_green/shops.toml", &shop));
    assert_eq!(said(&problems), [] as [&str; 0]);
    // A story flows, as what is read after login does.
    let story = format!("{}story = \"{}\"\n", WORLD[0].1, "word ".repeat(40));
    let (_, problems) = read_all(with(&WORLD, "world.toml", &story));
    assert_eq!(said(&problems), [] as [&str; 0]);
}

#[test]
fn what_plays_badly_is_a_warning_with_its_line() {
    let (rooms, resets) = (WORLD[2].1, WORLD[5].1);
    let full =
        "[[object]]\nobject = 120\nroom = 100\n  [[object.put]]\n  object = 121\n  [[object.put]]\n  object = 121\n";
    let wide = format!("{rooms}[[room.extra]]\nkeywords = \"sign\"\ntext = \"  BEER  {}\"\n", "x".repeat(80));
    let greeting = format!("{}greeting = \"{}\"\n", WORLD[0].1, "word ".repeat(20));
    for (file, text, wanted) in [
        (
            "zones/1_green/mobs.toml",
            MOB.replace("\"Tam.\"", "\"\"\"\nTam\nsits.\n\"\"\""),
            "mobs.toml:1: warning: long is one line",
        ),
        ("zones/1_green/rooms.toml", wide, "rooms.toml:9: warning: extra: the line \"BEER  "),
        ("world.toml", greeting, "world.toml: warning: greeting: the line \"word word"),
        (
            "zones/1_green/resets.toml",
            resets.split("\n\n").next().unwrap_or_default().to_string(),
            "resets.toml:1: warning: the door north of room #100 is reset on this side only",
        ),
        (
            "zones/1_green/resets.toml",
            format!("{resets}locked = true\n"),
            "resets.toml:1: warning: the door north of room #100 is reset otherwise on the other side",
        ),
        (
            "zones/1_green/resets.toml",
            format!("{full}\n{resets}"),
            "resets.toml:6: warning: object #120 holds 5 pounds, and with this there are 6 in it",
        ),
        (
            "zones/1_green/objects.toml",
            object("wear = [\"wield\"]\n[object.kind]\ntype = \"weapon\"\ndice = 1\nsides = 4\n"),
            "objects.toml:22: warning: nobody can use object #122: it can be worn, but not picked up",
        ),
        (
            "zones/1_green/objects.toml",
            object("wear = [\"take\"]\n[object.kind]\ntype = \"weapon\"\ndice = 1\nsides = 4\n"),
            "objects.toml:22: warning: nobody can use object #122: it is a weapon that cannot be wielded",
        ),
        (
            "zones/1_green/objects.toml",
            object("wear = [\"take\"]\n[object.kind]\ntype = \"armor\"\narmor = 1\n"),
            "objects.toml:22: warning: nobody can use object #122: there is no place to wear it",
        ),
        (
            "zones/1_green/objects.toml",
            object("[object.kind]\ntype = \"potion\"\nlevel = 1\nspells = [16]\n"),
            "objects.toml:22: warning: nobody can use object #122: it is of use in hand only",
        ),
        (
            "zones/1_green/objects.toml",
            object("wear = [\"take\"]\nlevel = 35\n[object.kind]\ntype = \"other\"\n"),
            "objects.toml:22: warning: nobody can use object #122: it is for level 35",
        ),
        (
            "zones/1_green/shops.toml",
            shop("0.5", "0.8"),
            "shops.toml:1: warning: shop #130 sells object #121 for less than shop #130 pays for it",
        ),
        (
            "zones/1_green/answers.toml",
            "[[trade]]\nmob = 110\ntakes = 120\ngives = 121\nsays = \"x\"\n".to_string(),
            "answers.toml:1: warning: this trade never happens: no reset brings mob #110",
        ),
    ] {
        let (_, problems) = read_all(with(&WORLD, file, &text));
        let said = said(&problems);
        assert!(said.iter().any(|line| line.contains(wanted)), "{wanted}: {said:#?}");
    }
    let aggressive = MOB.replace("level = 1", "flags = [\"aggressive\"]\nlevel = 1");
    let shop = shop("1.0", "0.5");
    let files = with(&WORLD, "zones/1_green/mobs.toml", &aggressive);
    let (_, problems) = read_all(with(&files, "zones/1_green/shops.toml", &shop));
    assert_eq!(
        said(&problems),
        ["zones/1_green/shops.toml:1: warning: the keeper of shop #130, mob #110, attacks its customers"]
    );
}

#[test]
fn things_that_a_room_speaks_of_are_listed_for_who_asks() {
    let list = |text: &str| {
        let source = Source::of(with(&WORLD, "zones/1_green/rooms.toml", text));
        said(&read(&source, &ReadOptions { nouns: true, ..ReadOptions::default() }).1)
    };
    let rooms = WORLD[2].1;
    assert_eq!(
        list(rooms),
        ["zones/1_green/rooms.toml:1: warning: room #100 speaks of what cannot be looked at there: ladder"]
    );
    let described =
        rooms.replace("\n\n[[room]]", "\n[[room.extra]]\nkeywords = \"ladder\"\ntext = \"Ten rungs.\"\n\n[[room]]");
    assert_eq!(list(&described), [] as [&str; 0]);
    // A zone of which more than one in five goes without is told of as a whole.
    let many: Vec<String> =
        ["anvil", "apple", "awning", "altar", "barrel", "basket", "beam", "bell", "bench", "boat", "bone"]
            .iter()
            .chain(&["boot", "bottle", "bowl", "box", "broom", "bucket", "candle", "card", "cart", "cat"])
            .map(|noun| format!("A {noun}."))
            .collect();
    let (_, problems) = read_all(with(&WORLD, "zones/1_green/rooms.toml", &rooms.replace("B.", &many.join(" "))));
    let expected = "zone.toml:1: warning: the rooms of zone 1 speak of 22 things, and 22 of them cannot be looked at";
    assert!(said(&problems).iter().any(|line| line.contains(expected)), "{:#?}", said(&problems));
}
