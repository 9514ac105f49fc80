//! What a builder is told of a slip: the line that it stands in, in words that are not the program's own, and nothing
//! of what only follows from it.

use super::*;

const WORLD: [(&str, &str); 6] = [
    ("world.toml", "name = \"T\"\nstart_room = 100\n"),
    ("zones/1_green/zone.toml", "number = 1\nname = \"Green\"\nfirst = 100\nlast = 199\n"),
    (
        "zones/1_green/rooms.toml",
        "[[room]]\nvnum = 100\nname = \"A\"\ndescription = \"A.\"\n[room.exits.north]\nto = 101\n\n\
        [[room]]\nvnum = 101\nname = \"B\"\ndescription = \"B.\"\n[room.exits.south]\nto = 100\n\n\
        [[room]]\nvnum = 102\nname = \"A Cellar\"\ndescription = \"C.\"\n[room.exits.up]\nto = 100\n\n\
        [[room]]\nvnum = 103\nname = \"A Hole\"\ndescription = \"D.\"\n[room.exits.east]\nto = 104\n\n\
        [[room]]\nvnum = 104\nname = \"A Burrow\"\ndescription = \"E.\"\n[room.exits.west]\nto = 103\n",
    ),
    ("zones/1_green/mobs.toml", TAM),
    ("zones/1_green/objects.toml", TAIL),
    ("zones/1_green/resets.toml", "[[mob]]\nmob = 110\nroom = 100\n\n[[object]]\nobject = 120\nroom = 100\n"),
];

const TAM: &str = "[[mob]]\nvnum = 110\nkeywords = \"tam\"\nshort = \"Tam\"\nlong = \"Tam.\"\nlevel = 1\n\
    hit_points = \"1d1+1\"\ndamage = \"1d1+0\"\n";

const TAIL: &str = "[[object]]\nvnum = 120\nkeywords = \"tail\"\nshort = \"a tail\"\nlong = \"A tail.\"\n\
    [object.kind]\ntype = \"other\"\n";

const TASKS: &str = "zones/1_green/tasks.toml";

fn told(file: &str, text: &str) -> Vec<String> {
    let path = if file == "world.toml" { file.to_string() } else { format!("zones/1_green/{file}") };
    said(&read_all(with(&WORLD, &path, text)).1)
}

fn shop(sells_at: &str) -> String {
    format!(
        "[[shop]]\nvnum = 130\nkeeper = 110\nbuys_at = 0.5\nsells_at = {sells_at}\n[shop.messages]\n\
        no_such_item = \"a\"\nno_such_offer = \"b\"\ndoes_not_trade = \"c\"\nkeeper_is_poor = \"d\"\n\
        customer_is_poor = \"e\"\nbought = \"f\"\nsold = \"g\"\n"
    )
}

fn task(id: &str, giver: &str, step: &str) -> String {
    format!("[[task]]\nid = \"{id}\"\ntitle = \"T\"\noffer = \"O.\"\n{giver}\n[[task.step]]\n{step}\ntext = \"K\"\n\n")
}

#[test]
fn numbers_that_cannot_be_are_errors_in_their_line_and_odd_ones_are_warnings() {
    let mob = |from: &str, to: &str| TAM.replace(from, to);
    let object = |row: &str, kind: &str| {
        TAIL.replace("[object.kind]", &format!("{row}[object.kind]")).replace("type = \"other\"\n", kind)
    };
    let weapon = |dice: &str, sides: &str| {
        object("wear = [\"take\", \"wield\"]\n", &format!("type = \"weapon\"\ndice = {dice}\nsides = {sides}\n"))
    };
    let zone = |row: &str| format!("{}{row}", WORLD[1].1);
    let reward = |row: &str| format!("{}[task.reward]\n{row}", task("a", "giver = 110", "kill = 110"));
    let behaviour = |row: &str| format!("{TAM}behaviours = [{{ {row} }}]\n");
    for (file, text, wanted) in [
        ("mobs.toml", mob("1d1+1", "-3d4"), "mobs.toml:7: error: hit_points should look like 2d6+10, not \"-3d4\""),
        ("mobs.toml", mob("1d1+1", "1d0+2"), "mobs.toml:7: error: hit_points has dice without sides; \"0d0+2\" is"),
        ("mobs.toml", mob("1d1+1", "999999999d9+1"), "mobs.toml:7: error: hit_points has 999999999 dice"),
        ("mobs.toml", mob("1d1+1", "1d4+"), "mobs.toml:7: error: hit_points should look like 2d6+10, not \"1d4+\""),
        ("mobs.toml", mob("1d1+1", "1d+4"), "mobs.toml:7: error: hit_points should look like 2d6+10, not \"1d+4\""),
        ("mobs.toml", mob("1d1+1", "1d4++2"), "mobs.toml:7: error: hit_points should look like 2d6+10"),
        ("mobs.toml", mob("1d1+0", "many"), "mobs.toml:8: error: damage should look like 2d6+10, not \"many\""),
        ("mobs.toml", mob("1d1+0", "1d4-9"), "mobs.toml:8: warning: damage never comes to 1: \"1d4-9\" is -5"),
        ("mobs.toml", mob("level = 1", "level = -5"), "mobs.toml:6: error: level should be 0 to 100, not -5"),
        ("mobs.toml", mob("level = 1", "level = 500"), "mobs.toml:6: error: level should be 0 to 100, not 500"),
        ("mobs.toml", mob("level = 1", "level = 41"), "mobs.toml:6: warning: level is 41, and nobody who plays is"),
        ("mobs.toml", mob("level = 1", "level = 0"), "mobs.toml:6: warning: level is 0, and players begin with 1"),
        ("mobs.toml", format!("{TAM}gold = -1\n"), "mobs.toml:9: error: gold should be 0 to 100000000, not -1"),
        ("mobs.toml", format!("{TAM}experience = -1\n"), "mobs.toml:9: error: experience should be 0 to"),
        ("mobs.toml", format!("{TAM}armor = 300\n"), "mobs.toml:9: error: armor should be -100 to 100, not 300"),
        (
            "mobs.toml",
            format!("{TAM}abilities = {{ strength = 99 }}\n"),
            "mobs.toml:9: error: strength should be 3 to 25",
        ),
        (
            "mobs.toml",
            behaviour("kind = \"thief\", one_in = 0"),
            "mobs.toml:9: error: behaviours: one_in should be 1 to",
        ),
        (
            "mobs.toml",
            behaviour("kind = \"vanisher\", percent = 200"),
            "mobs.toml:9: error: behaviours: percent should",
        ),
        ("mobs.toml", behaviour("kind = \"restorer\", coins = -9"), "mobs.toml:9: error: behaviours: coins should be"),
        ("objects.toml", object("weight = -1\n", "type = \"other\"\n"), "objects.toml:6: error: weight should be 0 to"),
        ("objects.toml", object("cost = -5\n", "type = \"other\"\n"), "objects.toml:6: error: cost should be 0 to"),
        ("objects.toml", object("level = 500\n", "type = \"other\"\n"), "objects.toml:6: error: level should be 0 to"),
        (
            "objects.toml",
            object("timer_hours = -1\n", "type = \"other\"\n"),
            "objects.toml:6: error: timer_hours should",
        ),
        (
            "objects.toml",
            object("applies = [{ to = \"hit\", by = 99999 }]\n", "type = \"other\"\n"),
            "objects.toml:6: error: by should be -10000 to 10000, not 99999",
        ),
        (
            "objects.toml",
            object("load_percent = 120\n", "type = \"other\"\n"),
            "objects.toml:6: error: load_percent should be 0 to 100, not 120",
        ),
        ("objects.toml", weapon("-1", "4"), "objects.toml:9: error: dice should be 0 to 1000, not -1"),
        ("objects.toml", weapon("1", "-4"), "objects.toml:10: error: sides should be 0 to 10000, not -4"),
        ("objects.toml", weapon("1", "0"), "objects.toml:7: warning: 1d0 are no dice"),
        (
            "objects.toml",
            object("", "type = \"fountain\"\ncapacity = 5\ncontents = 9\nliquid = \"water\"\n"),
            "objects.toml:6: warning: there are 9 swallows in it, and it holds 5",
        ),
        ("objects.toml", object("", "type = \"money\"\ncoins = -1\n"), "objects.toml:8: error: coins should be 0 to"),
        (
            "objects.toml",
            object("", "type = \"potion\"\nlevel = 200\nspells = [-7]\n"),
            "objects.toml:9: error: spells: no spell can have the number -7",
        ),
        ("objects.toml", object("", "type = \"light\"\nhours = -2\n"), "objects.toml:8: error: hours should be -1 to"),
        ("shops.toml", shop("-1"), "shops.toml:5: error: sells_at should be 0 to 100, not -1"),
        ("shops.toml", shop("nan"), "shops.toml:5: error: sells_at should be 0 to 100, not NaN"),
        ("shops.toml", shop("inf"), "shops.toml:5: error: sells_at should be 0 to 100, not inf"),
        ("shops.toml", shop("0"), "shops.toml:5: warning: sells_at is 0: all of it is for nothing"),
        ("zone.toml", zone("levels = [9, 2]\n"), "zone.toml:5: error: levels should be [first, last]"),
        (
            "zone.toml",
            zone("levels = [1, 900]\n"),
            "zone.toml:5: error: levels should be within 0 to 100, not [1, 900]",
        ),
        ("zone.toml", zone("lifespan_minutes = -3\n"), "zone.toml:5: error: lifespan_minutes should be 0 to"),
        ("zone.toml", zone("lifespan_minutes = 0\n"), "zone.toml:5: warning: lifespan_minutes is 0, and is taken as 1"),
        ("tasks.toml", reward("experience = 2000000000\n"), "tasks.toml:11: error: experience should be 0 to"),
        ("tasks.toml", reward("practices = 5000\n"), "tasks.toml:11: error: practices should be 0 to 999, not 5000"),
        ("tasks.toml", task("a", "levels = [0, 300]", "kill = 110"), "tasks.toml:5: error: levels should be within"),
        ("tasks.toml", task("a", "", "kill = 110\ncount = 0"), "tasks.toml:8: error: count should be from 1 to"),
        (
            "resets.toml",
            "[[mob]]\nmob = 110\nroom = 100\nmax = -1\n".into(),
            "resets.toml:4: error: max should be 0 to",
        ),
        ("resets.toml", "[[mob]]\nmob = 110\nroom = 100\nmax = 0\n".into(), "resets.toml:4: warning: max is 0"),
        ("rooms.toml", "[[room]]\nvnum = -7\n".into(), "rooms.toml:2: error: vnum should be 0 to"),
        (
            "answers.toml",
            "[[answer]]\nmob = 110\nto = [\"tam\"]\nsays = \"A\"\nlevels = [5, 400]\n".into(),
            "answers.toml:5: error: levels should be within 0 to 100, not [5, 400]",
        ),
    ] {
        let said = told(file, &text);
        assert!(said.iter().any(|line| line.contains(wanted)), "{wanted}: {said:#?}");
    }
}

#[test]
fn what_follows_from_an_error_is_not_told() {
    let all = task("see", "giver = 110", "visit = 102") + &task("get", "giver = 110", "visit = 101");
    let files = with(&WORLD, TASKS, &all);
    let (_, problems) = read_all(files.iter().copied());
    let unfinished = "zones/1_green/tasks.toml:1: warning: task \"see\" cannot be finished: no way leads to room #102 \
                      from where newcomers wake";
    assert_eq!(said(&problems), [unfinished]);
    // The first room once more, without its ways; and a shop that comes before it by the alphabet.
    let resets = format!("{}\n[[door]]\nroom = 100\ndirection = \"north\"\n", WORLD[5].1);
    let door = WORLD[2].1.replacen("to = 101\n", "to = 101\ndoor = [\"door\"]\n", 1);
    let files = with(&files, "zones/1_green/rooms.toml", &door);
    let files = with(&files, "zones/1_green/resets.toml", &resets);
    let files = with(&files, "zones/2_grey/rooms.toml", "[[room]]\nvnum = 100\nname = \"A\"\ndescription = \"A.\"\n");
    let files = with(&files, "zones/2_grey/zone.toml", "number = 2\nname = \"Grey\"\nfirst = 200\nlast = 299\n");
    let files = with(&files, "zones/1_green/notes.toml", "");
    let (_, problems) = read_all(files);
    assert_eq!(
        said(&problems),
        [
            "zones/2_grey/rooms.toml:1: error: room #100 is already at zones/1_green/rooms.toml:1",
            "zones/2_grey/rooms.toml:1: error: room #100 is not among the rooms of zone 2, 200 to 299",
            "zones/1_green/notes.toml: warning: a zone has no file of this name: it is not read",
            "warning: tasks that cannot be finished, and answers and trades that never happen, were not looked for, \
             since there are errors",
        ]
    );
}

#[test]
fn nothing_but_its_mistake_is_said_of_a_file_that_is_no_toml() {
    for text in ["[[mob]]\nvnum = 110\nlevel = = 1\n", "[[mob]\nvnum = 110\nlevel = 1\nhorns = 2\n"] {
        let said = told("mobs.toml", text);
        let (last, first) = said.split_last().expect("something is wrong");
        assert!(first.iter().all(|line| line.contains("mobs.toml:") && line.contains("this is not TOML")), "{said:#?}");
        assert!(
            !first.is_empty() && first[0].contains(if text.contains("= =") { ":3: " } else { ":1: " }),
            "{said:#?}"
        );
        assert_eq!(last, "warning: what files say of each other was not looked at, since not all could be read");
    }
}

#[test]
fn a_wrong_value_is_told_with_its_field_and_its_line() {
    let mob = |from: &str, to: &str| TAM.replace(from, to);
    let behaviour = |row: &str| format!("{TAM}behaviours = [\n  {{ kind = \"jailer\" }},\n  {{ {row} }},\n]\n");
    for (file, text, wanted) in [
        (
            "mobs.toml",
            mob("level = 1", "level = \"one\""),
            "mobs.toml:6: error: level must be a whole number, not \"one\"",
        ),
        ("mobs.toml", mob("level = 1", "level = 1.5"), "mobs.toml:6: error: level must be a whole number, not 1.5"),
        (
            "mobs.toml",
            mob("level = 1", "level = 9999999999"),
            "level must be a whole number from -2147483648 to 2147483647, not 9999999999",
        ),
        ("mobs.toml", mob("\"1d1+1\"", "5"), "mobs.toml:7: error: hit_points must be a text, not 5"),
        ("mobs.toml", format!("{TAM}sex = 1\n"), "mobs.toml:9: error: sex must be a text, not 1"),
        (
            "mobs.toml",
            format!("{TAM}sex = \"no\"\n"),
            ":9: error: sex: \"no\" is not known; known are neutral, male, fem",
        ),
        ("mobs.toml", format!("{TAM}flags = [1]\n"), "mobs.toml:9: error: flags: each must be a text, not 1"),
        (
            "mobs.toml",
            format!("{TAM}flags = \"sentinel\"\n"),
            "mobs.toml:9: error: flags must be a list, not \"sentinel\"",
        ),
        (
            "mobs.toml",
            behaviour("kind = \"bard\""),
            "mobs.toml:11: error: kind: \"bard\" is not known; known are teacher",
        ),
        (
            "mobs.toml",
            behaviour("kind = \"guard\", way = \"aside\""),
            "mobs.toml:11: error: way: \"aside\" is not known; known are north, east, south",
        ),
        (
            "mobs.toml",
            behaviour("kind = \"thief\", one_in = \"two\""),
            "mobs.toml:11: error: one_in must be a whole number from 0 on, not \"two\"",
        ),
        ("mobs.toml", behaviour("kind = \"thief\""), "mobs.toml:11: error: behaviours: one_in is missing"),
        (
            "mobs.toml",
            behaviour("kind = \"thief\", one_in = 2, hours = 1"),
            "mobs.toml:11: error: behaviours: unknown field \"hours\"; known are one_in",
        ),
        ("zone.toml", "number = 1\nname = \"G\"\nlast = 199\n".into(), "zone.toml: error: file without first"),
        (
            "zone.toml",
            "number = 1\nname = \"G\"\nfirst = 199\nlast = 100\n".into(),
            "zone.toml:3: error: the zone's first room (199) is behind its last (100)",
        ),
        (
            "tasks.toml",
            task("a", "shared = \"yes\"", "kill = 110"),
            ":5: error: shared must be true or false, not \"yes\"",
        ),
    ] {
        let said = told(file, &text);
        assert!(said.iter().any(|line| line.contains(wanted)), "{wanted}: {said:#?}");
        assert!(said.iter().all(|line| !line.contains(":0:")), "{said:#?}");
    }
}

#[test]
fn a_task_is_told_of_whose_people_nobody_can_come_to() {
    let mob = |vnum: i32, row: &str| TAM.replace("110", &vnum.to_string()) + row;
    let resets = |rooms: &[i32]| {
        let rows = rooms.iter().map(|room| format!("\n[[mob]]\nmob = 111\nroom = {room}\n"));
        rows.fold(WORLD[5].1.to_string(), |all, row| all + &row)
    };
    let of = |row: &str, rooms: &[i32], more: &[(&str, &str)]| {
        let mobs = format!("{TAM}\n{}", mob(111, row));
        let (resets, tasks) =
            (resets(rooms), task("a", "giver = 111", "ask = 110") + &task("b", "giver = 110", "kill = 111"));
        let mut files = with(&WORLD, "zones/1_green/mobs.toml", &mobs);
        files.extend([("zones/1_green/resets.toml", &*resets), (TASKS, &*tasks)]);
        files.extend(more);
        said(&read_all(files).1)
    };
    let told = |room: i32| {
        let there = format!("stands in room #{room}, and no way leads there from where newcomers wake");
        vec![
            format!("zones/1_green/tasks.toml:1: warning: task \"a\" cannot be finished: its giver, mob #111, {there}"),
            format!("zones/1_green/tasks.toml:10: warning: task \"b\" cannot be finished: mob #111 {there}"),
        ]
    };
    let sentinel = "flags = [\"sentinel\"]\n";
    assert_eq!(of(sentinel, &[102], &[]), told(102), "it stands where only a way out leads");
    assert_eq!(of("", &[103], &[]), told(103), "it walks, and never out of there");
    let none: Vec<String> = Vec::new();
    assert_eq!(of("", &[102], &[]), none, "it walks out");
    assert_eq!(of(sentinel, &[102, 101], &[]), none, "one of them can be met");
    assert_eq!(of("flags = [\"sentinel\", \"hunter\"]\n", &[102], &[]), none, "it comes after people");
    let script = |name: &'static str, text: &'static str| (name, text);
    let ferry = "zones/1_green/scripts/ferry.luau";
    let rooms = WORLD[2].1.replace("description = \"B.\"\n", "description = \"B.\"\nscripts = [\"ferry\"]\n");
    for text in [
        "function enter(ev) ev.room:load_mob(111) end",
        "function enter(ev) ev.actor:move_to(world.room(103)) end",
        "local THERE = {103}\nfunction enter(ev) ev.actor:move_to(world.room(THERE[1])) end",
        "function enter(ev) world.mobs(111)[1]:move_to(ev.room) end",
    ] {
        let more = [script("zones/1_green/rooms.toml", rooms.clone().leak()), script(ferry, text)];
        assert_eq!(of(sentinel, &[103], &more), none, "{text}");
    }
    let more = [
        script("zones/1_green/rooms.toml", rooms.clone().leak()),
        script(ferry, "function enter(ev) ev.room:echo(\"103 111\") end"),
    ];
    assert_eq!(of(sentinel, &[103], &more), told(103), "a script that does nothing with it");
    for world in [
        "[hunters]\nmoon = { mob = 111, room = 101 }\n",
        "[jail]\nroom = 103\noutside = 100\n",
        "[gates]\nfull = { room = 101, to = 103 }\n",
        "[[hometown]]\nkey = \"H\"\nname = \"the Hole\"\nroom = 104\n",
    ] {
        let world = format!("{}{world}", WORLD[0].1);
        assert_eq!(of(sentinel, &[103], &[("world.toml", &world)]), none, "{world}");
    }
}

#[test]
fn what_can_be_reached_is_asked_from_the_start_room_that_is_played() {
    let tasks = task("see", "giver = 110", "visit = 104");
    let source = Source::of(with(&WORLD, TASKS, &tasks));
    let (_, problems) = read(&source, &ReadOptions { start_room: Some(103), ..ReadOptions::default() });
    assert_eq!(
        said(&problems),
        ["zones/1_green/tasks.toml:1: warning: task \"see\" cannot be finished: its giver, mob #110, stands in room \
          #100, and no way leads there from where newcomers wake"]
    );
}

#[test]
fn files_and_folders_that_nothing_is_read_of_are_told() {
    let mut source = Source::of(WORLD);
    let files = ["zones/1_green/script/ferry.luau", "zones/1_green/ferry.luau"];
    source.files.extend(files.map(|path| (path.to_string(), "function greet(ev) end".to_string())));
    let others = [
        "notes.txt",
        "maps/a.png",
        "maps/old/b.png",
        "zones/list.txt",
        "zones/1_green/notes.txt",
        "zones/1_green/room.tml",
        "zones/1_green/scripts/ferry.lua",
        "zones/1_green/attic/rooms.tml",
        "zones/1_green/attic/mobs.tml",
        // Those that one leaves there.
        "README.md",
        "zones/1_green/README",
        "zones/1_green/rooms.toml~",
        "zones/1_green/#rooms.toml#",
        "zones/1_green/.rooms.toml.swp",
        "zones/1_green/rooms.toml.bak",
        ".git/config",
        "LICENSE",
    ];
    source.others.extend(others.map(String::from));
    let (_, problems) = read(&source, &ReadOptions::default());
    let (file, folder, script) = ("a world has no file of", "nothing in this folder", "a script lies in the");
    let told: Vec<&str> = problems.0.iter().map(|problem| &*problem.file).collect();
    let wanted = [
        ("maps/", folder),
        ("notes.txt", file),
        ("zones/1_green/attic/", folder),
        ("zones/1_green/ferry.luau", script),
        ("zones/1_green/notes.txt", file),
        ("zones/1_green/room.tml", file),
        ("zones/1_green/script/", folder),
        ("zones/1_green/scripts/ferry.lua", file),
        ("zones/list.txt", file),
    ];
    assert_eq!(told, wanted.map(|(path, _)| path));
    for (problem, (path, what)) in problems.0.iter().zip(wanted) {
        assert!(problem.what.starts_with(what), "{path}: {problem}");
    }
    assert!(!problems.has_errors());
}

#[test]
fn a_script_that_is_cut_off_is_told_so() {
    let path = "zones/1_green/scripts/oops.luau";
    let (_, problems) = read_all(with(&WORLD, path, "function oops("));
    assert_eq!(said(&problems), [format!("{path}:1: error: this is no Luau: the ( is never closed")]);
}
