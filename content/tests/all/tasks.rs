//! Tasks as they are read, written back, and judged.

use super::*;

const WORLD: [(&str, &str); 6] = [
    ("world.toml", "name = \"T\"\nstart_room = 100\n"),
    ("zones/1_green/zone.toml", "number = 1\nname = \"Green\"\nfirst = 100\nlast = 199\n"),
    (
        "zones/1_green/rooms.toml",
        "[[room]]\nvnum = 100\nname = \"A\"\ndescription = \"A.\"\n[room.exits.north]\nto = 101\n\n\
        [[room]]\nvnum = 101\nname = \"B\"\ndescription = \"B.\"\n\n\
        [[room]]\nvnum = 102\nname = \"An Island\"\ndescription = \"C.\"\n",
    ),
    (
        "zones/1_green/mobs.toml",
        "[[mob]]\nvnum = 110\nkeywords = \"rat\"\nshort = \"a rat\"\nlong = \"A rat.\"\nlevel = 1\n\
        hit_points = \"1d1+1\"\n\
        damage = \"1d1+0\"\n\n[[mob]]\nvnum = 111\nkeywords = \"tam\"\nshort = \"Tam\"\nlong = \"Tam.\"\nlevel = 1\n\
        hit_points = \"1d1+1\"\ndamage = \"1d1+0\"\n",
    ),
    (
        "zones/1_green/objects.toml",
        "[[object]]\nvnum = 120\nkeywords = \"tail\"\nshort = \"a tail\"\nlong = \"A tail.\"\n\
        [object.kind]\ntype = \"other\"\n",
    ),
    (
        "zones/1_green/resets.toml",
        "[[mob]]\nmob = 110\nroom = 101\n  [[mob.give]]\n  object = 120\n\n[[mob]]\nmob = 111\nroom = 100\n",
    ),
];

const PATH: &str = "zones/1_green/tasks.toml";

const ALL: &str = "\
boards = [120]

[[task]]
id = \"tails\"
title = \"Tails\"
giver = 111
levels = [1, 4]
classes = [\"thief\", \"cleric\"]
again = \"daily\"
order = \"any\"
shared = true
offer = \"Bring me tails.\"
accepted = \"Good.\"
waits = \"Well?\"
done = \"Thanks.\"

[[task.step]]
bring = 120
to = 111
count = 2
text = \"Bring tails to Tam\"

[[task.step]]
kill = 110
count = 3
text = \"Kill rats\"

[[task.step]]
visit = 101
text = \"See the other room\"

[[task.step]]
ask = 111
about = [\"rats\"]
text = \"Ask Tam about rats\"

[[task.step]]
escort = 110
to = 100
text = \"Bring a rat\"

[[task.step]]
find = 120
text = \"Find a tail\"

[[task.step]]
survive = 1
ticks = 50
text = \"Stay\"

[[task.step]]
pay = 10
to = 111
text = \"Pay Tam\"

[task.reward]
experience = 10
gold = 5
practices = 1
objects = [120]
title = \"of the Tails\"
honour = \"who brought tails\"
";

#[test]
fn a_task_with_everything_is_read_and_written_as_it_was() {
    let (content, problems) = read_all(with(&WORLD, PATH, ALL));
    assert_eq!(said(&problems), [] as [&str; 0]);
    let task = content.task("tails").expect("it was read");
    assert_eq!((task.steps.len(), &*task.title, task.levels), (8, "Tails", (1, 4)));
    assert_eq!(content.notice(120), Some(Notice::Board));
    let files = write(&content);
    let path = "zones/1_green/tasks.toml";
    assert_eq!(files[path], ALL);
    let (again, _) = read_all(files.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    assert_eq!(again.tasks, content.tasks);
}

#[test]
fn what_is_wrong_with_a_task_is_said_with_its_line() {
    let head = "[[task]]\nid = \"a\"\ntitle = \"A\"\noffer = \"O.\"\n";
    let step = "[[task.step]]\nkill = 110\ntext = \"K\"\n";
    let task = |more: &str, steps: &str| format!("{head}{more}{steps}");
    for (text, wanted) in [
        (task("", ""), "tasks.toml:1: error: task with nothing to do"),
        (task("", "[[task.step]]\ntext = \"K\"\n"), "tasks.toml:5: error: step should have one of these, and only one"),
        (task("", "[[task.step]]\nkill = 110\nvisit = 100\ntext = \"K\"\n"), "and only one"),
        (task("", "[[task.step]]\nkill = 110\ncount = 0\ntext = \"K\"\n"), "count should be from 1 to"),
        (task("", "[[task.step]]\nkill = 999\ntext = \"K\"\n"), "names mob #999, which does not exist"),
        (task("", "[[task.step]]\nfind = 999\ntext = \"K\"\n"), "names object #999, which does not exist"),
        (task("", "[[task.step]]\nvisit = 999\ntext = \"K\"\n"), "names room #999, which does not exist"),
        (task("", "[[task.step]]\nsurvive = 9\nticks = 5\ntext = \"K\"\n"), "names zone 9, which does not exist"),
        (task("", "[[task.step]]\nvisit = 102\ntext = \"K\"\n"), "no way leads to room #102 from where newcomers wake"),
        (task("giver = 999\n", step), "names mob #999"),
        (
            task("classes = [\"baker\"]\n", step),
            "tasks.toml:5: error: classes: \"baker\" is not known; known are magic-user, ",
        ),
        (
            task("again = \"hourly\"\n", step),
            "tasks.toml:5: error: again: \"hourly\" is not known; known are once, daily, always",
        ),
        (task("levels = [5, 1]\n", step), "levels should be [first, last]"),
        (task("after = \"b\"\n", step), "comes after task \"b\", which does not exist"),
        (task("after = \"a\"\n", step), "waits for itself: a → a"),
        (task("", &format!("{step}[task.reward]\ngold = -1\n")), "gold: a reward takes nothing away"),
        (task("", &format!("{step}{head}{step}")), "task \"a\" is already at zones/1_green/tasks.toml:1"),
        (task("", step).replace("\"a\"", "\"A b\""), "should be lower-case letters, digits and hyphens"),
        (format!("boards = [7]\n{}", task("", step)), "object #7 of boards or tablets does not exist"),
    ] {
        let (_, problems) = read_all(with(&WORLD, PATH, &text));
        let said = said(&problems);
        assert!(said.iter().any(|problem| problem.contains(wanted)), "{text}\n{wanted}: {said:#?}");
    }
    // A mob that no reset brings.
    let resets = "[[mob]]\nmob = 110\nroom = 101\n";
    let files = with(&WORLD, "zones/1_green/resets.toml", resets);
    let text = task("giver = 111\n", "[[task.step]]\nfind = 120\ntext = \"K\"\n");
    let (_, problems) = read_all(with(&files, PATH, &text));
    let said = said(&problems);
    for wanted in ["no reset brings its giver, mob #111", "no reset, shop, task or trade brings object #120"] {
        assert!(said.iter().any(|problem| problem.contains(wanted)), "{wanted}: {said:#?}");
    }
}
