//! Scripts as builders write them, in a world of three rooms.

use content::scripts::ScriptSource;
use content::{ReadOptions, Source};
use std::sync::Arc;
use world::report::Report;
use world::rng::Dice;
use world::rules::Rules;
use world::rules::creation::{self, Choices};
use world::script::{Owner, Value};
use world::scripts::api;
use world::world::State;
use world::{Admin, CharacterId, Input, World};

const ROOMS: &str = r#"
[[room]]
vnum = 100
name = "A Landing"
description = "Planks, and a river."
SCRIPTS
[room.exits.north]
to = 101
door = ["door"]
keywords = "gate"

[[room]]
vnum = 101
name = "Across"
description = "The other side."
[room.exits.south]
to = 100
door = ["door"]
keywords = "gate"

[[room]]
vnum = 102
name = "A Cellar"
description = "Nobody comes here."
"#;

const MOBS: &str = r#"
[[mob]]
vnum = 110
keywords = "ferryman osk"
short = "the ferryman"
long = "A ferryman leans on a pole."
flags = ["sentinel"]
level = 3
hit_points = "1d1+19"
damage = "1d1+0"
gold = 50
SCRIPTS
"#;

const OBJECTS: &str = r#"
[[object]]
vnum = 120
keywords = "coin"
short = "a lead coin"
long = "A lead coin lies here."
wear = ["take", "hold"]
weight = 1
cost = 7
SCRIPTS
kind = { type = "treasure" }

[[object]]
vnum = 121
keywords = "sack"
short = "a sack"
long = "A sack lies here."
wear = ["take"]
kind = { type = "container", capacity = 50 }
"#;

const RESETS: &str = r#"
[[mob]]
mob = 110
room = 100

[[object]]
object = 120
room = 100

[[object]]
object = 121
room = 100
"#;

/// Where a script stands.
#[derive(Clone, Copy, PartialEq)]
enum On {
    Room,
    Mob,
    Object,
}

struct Play {
    world: World,
    ann: CharacterId,
}

impl Play {
    fn with(on: On, script: &str) -> Play {
        let named =
            |here: On, text: &str| text.replacen("SCRIPTS", if on == here { "scripts = [\"it\"]" } else { "" }, 1);
        let files = [
            ("world.toml", "name = \"River\"\nstart_room = 100\n".to_string()),
            ("zones/1_river/zone.toml", "number = 1\nname = \"River\"\nfirst = 100\nlast = 199\n".to_string()),
            ("zones/1_river/rooms.toml", named(On::Room, ROOMS)),
            ("zones/1_river/mobs.toml", named(On::Mob, MOBS)),
            ("zones/1_river/objects.toml", named(On::Object, OBJECTS)),
            ("zones/1_river/resets.toml", RESETS.to_string()),
            ("zones/1_river/scripts/it.luau", script.to_string()),
        ];
        let (content, problems) = content::read(&Source::of(files), &ReadOptions::default());
        assert!(!problems.has_errors(), "{:#?}", problems.0);
        let mut world = World::new(Arc::new(content), Arc::new(Rules::built_in()), 1);
        let ann = enter(&mut world, "Ann");
        Play { world, ann }
    }

    fn does(&mut self, line: &str) -> String {
        let report = self.world.apply(&Input::Command { who: self.ann, line: line.to_string() });
        self.read(&report)
    }

    fn ticks(&mut self, ticks: usize) -> String {
        let read: Vec<String> = (0..ticks)
            .map(|_| {
                let report = self.world.apply(&Input::Tick);
                self.read(&report)
            })
            .collect();
        read.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
    }

    fn read(&self, report: &Report) -> String {
        let texts = report.lines.iter().filter(|(to, _)| *to == self.ann).map(|(_, line)| line.text.as_str());
        texts.collect::<Vec<_>>().join("\n")
    }

    fn ferryman(&self) -> Option<CharacterId> {
        self.world.state.characters.ids().find(|id| self.world.who(*id).is_mob())
    }

    /// Why the script was last at fault, and whether it is stopped.
    fn fault(&self) -> Option<(u32, String, bool)> {
        let (_, fault) = self.world.state.scripts.faults().next()?;
        Some((fault.line, fault.why.clone(), fault.stopped))
    }

    /// Nothing is in two places, and what a snapshot has goes on as the world itself.
    fn is_sound(&mut self) {
        assert_eq!(self.world.check_all(), Vec::<String>::new());
        let state: State = self.world.snapshot();
        let mut other = World::resume(self.world.content.clone(), self.world.rules.clone(), state);
        assert_eq!(self.world.hashes().differences(&other.hashes()), Vec::<&str>::new());
        for _ in 0..4 {
            self.world.apply(&Input::Tick);
            other.apply(&Input::Tick);
        }
        assert_eq!(self.world.hashes().differences(&other.hashes()), Vec::<&str>::new());
    }
}

fn enter(world: &mut World, name: &str) -> CharacterId {
    let mut choices = Choices::plain(name);
    choices.abilities.strength = 15;
    let mut record = creation::newborn(&world.rules.clone(), &choices, &mut Dice::new(1, 2, 3, 4));
    record.room = Some(100);
    record.gold = 100;
    let report = world.apply(&Input::Enter { record: Box::new(record), agent: false });
    report.entered.expect("she came in")
}

#[test]
fn who_comes_in_is_greeted_and_counted_over_resets_of_nothing() {
    let mut play = Play::with(
        On::Mob,
        "function greet(ev)\n saved.seen = (saved.seen or 0) + 1\n zone.saved.all = saved.seen * 2\n \
         ev.self:say(`Well met, {ev.actor.name}, {ev.actor.level} and {saved.seen}.`)\nend",
    );
    play.does("north");
    let read = play.does("south");
    assert!(read.contains("The ferryman says, \"Well met, Ann, 1 and 1.\""), "{read}");
    play.does("north");
    assert!(play.does("south").contains("1 and 2."));
    let ferryman = play.ferryman().expect("he is there");
    let kept = play.world.state.scripts.saved(Owner::Mob(ferryman)).cloned().expect("he keeps something");
    assert!(matches!(kept, Value::Table(_)) && kept.size() < 40, "{kept:?}");
    assert_eq!(play.world.state.scripts.keepers(), (1, 1));
    play.is_sound();
    // Who is gone keeps nothing.
    play.world.extract_character(ferryman);
    assert_eq!(play.world.state.scripts.keepers(), (0, 1), "a zone outlives its people");
}

#[test]
fn a_command_is_heard_whole_and_may_be_swallowed() {
    let mut play = Play::with(
        On::Room,
        "function oncmd(ev)\n if ev.text == 'pull lever' then\n  ev.room:set_door('north', 'locked')\n  \
         ev.room:echo('Something falls into a lock.')\n  return true\n end\nend",
    );
    assert!(play.does("pull rope").contains("pull"), "no verb, and nobody swallows it");
    assert_eq!(play.does("pull lever"), "Something falls into a lock.");
    assert!(play.does("north").contains("closed"));
    let mut play = Play::with(On::Object, "function oncmd(ev) return true end");
    assert_eq!(play.does("look"), "");
    assert_eq!(play.does("get coin"), "");
    assert!(play.world.character(play.ann).is_some());
    play.does("quit");
    assert!(play.world.character(play.ann).is_none(), "nobody is kept from leaving");
}

#[test]
fn gifts_and_bribes_are_answered_from_the_own_purse() {
    let mut play = Play::with(
        On::Mob,
        "function bribe(ev)\n if ev.amount >= 10 then\n  ev.self:pay(ev.actor, ev.amount * 2)\n  \
         ev.actor:reward(30)\n end\nend\nfunction ongive(ev)\n \
         ev.self:say(`{ev.object.name}, worth {ev.object.cost}`)\n \
         ev.object:remove()\nend",
    );
    let purse = play.world.who(play.ferryman().expect("there")).gold;
    let read = play.does("give 20 coins ferryman");
    assert!(read.contains("gives you 40 gold coins"), "{read}");
    assert_eq!(play.world.who(play.ann).gold, 120);
    assert_eq!(play.world.who(play.ferryman().expect("there")).gold, purse - 20);
    assert_eq!(play.does("give 90 coins ferryman").matches("gives you").count(), 0, "he has not so much");
    play.does("get coin");
    let read = play.does("give coin ferryman");
    assert!(read.contains("a lead coin, worth 7"), "{read}");
    assert!(play.world.who(play.ferryman().expect("there")).carrying.is_empty());
    play.is_sound();
}

#[test]
fn taking_dropping_and_dying_can_be_prevented() {
    let script = "function onget(ev) if ev.object.vnum == 120 then ev.actor:send('It sticks.') return true end end\n\
                  function ondrop(ev) ev.actor:send('Not here.') return true end";
    let mut play = Play::with(On::Room, script);
    assert_eq!(play.does("get coin"), "It sticks.");
    assert!(play.does("get sack").contains("sack"));
    assert_eq!(play.does("drop sack"), "Not here.");
    assert_eq!(play.world.who(play.ann).carrying.len(), 1);
    let mut play = Play::with(
        On::Mob,
        "function death(ev)\n if not saved.died then\n  saved.died = true\n  ev.self:heal(15)\n  \
         ev.self:emote('gets up again.')\n  return true\n end\nend",
    );
    let (ferryman, ann) = (play.ferryman().expect("there"), play.ann);
    assert!(!play.world.die(ferryman, Some(ann), ""), "it is kept alive");
    assert!(play.world.character(ferryman).is_some_and(|c| c.hit > 0));
    assert!(play.world.die(ferryman, Some(ann), ""));
    assert!(play.world.character(ferryman).is_none(), "once");
    play.is_sound();
}

#[test]
fn timers_wait_their_ticks_and_go_with_their_owner() {
    let mut play = Play::with(
        On::Mob,
        "function greet(ev) world.after(3, 'shout', {to = ev.actor.name, n = 2}) end\n\
         function timer(ev) ev.self:say(`{ev.name} {ev.data.to} {ev.data.n}`) end",
    );
    play.does("north");
    play.does("south");
    assert!(!play.ticks(2).contains("shout"));
    assert!(play.ticks(1).contains("shout Ann 2"));
    play.does("north");
    play.does("south");
    assert_eq!(play.world.state.scripts.timers(), 1);
    play.is_sound();
    let mut play = Play::with(
        On::Mob,
        "function greet(ev) for i = 1, 100 do if not world.after(9, 'x') then ev.self:say(`{i}`) break end end end\n\
         function timer(ev) end",
    );
    play.does("north");
    assert!(play.does("south").contains("says, \"65\""));
    let ferryman = play.ferryman().expect("there");
    play.world.extract_character(ferryman);
    assert_eq!(play.world.state.scripts.timers(), 0);
}

#[test]
fn what_runs_away_is_stopped_and_the_game_goes_on() {
    for (what, body) in [
        ("took too long", "while true do end"),
        ("took too long", "for i = 1, 1e9 do ev.actor.name:find('(.-)-x') end"),
        ("too deep", "local function f(n) return 1 + f(n + 1) end f(1)"),
        ("too much memory", "local s = 'ab' while true do s = s .. s end"),
        ("too much memory", "local s = string.rep('x', 1e9)"),
    ] {
        let mut play = Play::with(On::Mob, &format!("function greet(ev)\n saved.x = 1\n {body}\nend"));
        play.does("north");
        let read = play.does("south");
        assert!(read.contains("A Landing") && !read.contains("script"), "players read nothing of it: {read}");
        let (_, why, stopped) = play.fault().unwrap_or_else(|| panic!("{body}"));
        assert!(why.contains(what) && stopped, "{body}: {why}");
        let calls = play.world.state.scripts.calls;
        play.does("north");
        play.does("south");
        assert_eq!(play.world.state.scripts.calls, calls, "it is called no more");
        let sources: Vec<ScriptSource> = play.world.state.scripts.sources().cloned().collect();
        play.world.apply(&Input::Admin(Admin::Scripts { sources }));
        assert!(play.fault().is_none(), "until it is read again");
        play.is_sound();
    }
}

#[test]
fn where_memory_ran_out_a_replay_stops_too() {
    let script = "function greet(ev)\n for i = 1, 3 do ev.self:say(`{i}`) end\n local s = 'ab'\n \
                  while true do s = s .. s if #s > 2^0 + 1e6 then ev.self:say('big') end end\nend";
    let script = script.replace("2^0 + ", "");
    let mut play = Play::with(On::Mob, &script);
    let before = play.world.state.clone();
    let steps = ["north", "south"].map(|line| Input::Command { who: play.ann, line: line.to_string() });
    let reports = steps.each_ref().map(|input| play.world.apply(input));
    let stop = reports[1].script_stops.clone();
    assert_eq!(stop.len(), 1, "{:?}", play.fault());
    let mut again = World::resume(play.world.content.clone(), play.world.rules.clone(), before);
    for (input, report) in steps.iter().zip(&reports) {
        again.script_stops = Some(report.script_stops.clone());
        let replayed = again.apply(input);
        assert_eq!(replayed.script_stops, report.script_stops);
    }
    assert_eq!(play.world.hashes().differences(&again.hashes()), Vec::<&str>::new());
}

#[test]
fn ten_errors_end_a_script_and_each_is_told_with_its_line() {
    let mut play = Play::with(On::Mob, "function greet(ev)\n\n ev.self:say(1)\nend");
    for n in 1..=10 {
        play.does("north");
        play.does("south");
        let (line, why, stopped) = play.fault().expect("a number is no text");
        assert_eq!((line, stopped), (3, n == 10), "{why}");
        assert!(why.contains("character:say(text)") && why.contains("should be a text, not a number"), "{why}");
    }
}

#[test]
fn nothing_is_offered_that_differs_between_two_runs() {
    let mut play = Play::with(
        On::Mob,
        "function greet(ev)\n local gone = {}\n for _, name in ipairs({'os', 'io', 'debug', 'coroutine', 'load', \
         'loadstring', 'require', 'getfenv', 'setfenv', 'setmetatable', 'getmetatable', 'pcall', 'xpcall', 'print', \
         'buffer', 'vector', 'collectgarbage', 'gcinfo', 'newproxy', 'rawset', '_G', '_VERSION'}) do\n end\n \
         ev.self:say(tostring(os == nil and io == nil and debug == nil and coroutine == nil and load == nil and \
         loadstring == nil and require == nil and getfenv == nil and setfenv == nil and setmetatable == nil and \
         getmetatable == nil and pcall == nil and xpcall == nil and print == nil and buffer == nil and vector == nil \
         and collectgarbage == nil and gcinfo == nil and newproxy == nil and rawset == nil and _G == nil))\n \
         ev.self:say(tostring(math.sin == nil and math.sqrt == nil and math.noise == nil and table.foreach == nil and \
         string.pack == nil))\n local t = {b = 1, a = 2, [3] = 3, [1] = 4, [true] = 5, [false] = 6}\n local s = ''\n \
         for k, v in pairs(t) do s ..= `{k}{v} ` end\n ev.self:say(s)\n ev.self:say(tostring(t) .. tostring(print) .. \
         tostring(ev.self == ev.room:mobs()[1]))\n ev.self:say(`{next(t)} {next(t, 'b')}`)\n leaked = true\nend",
    );
    play.does("north");
    let read = play.does("south");
    assert_eq!(play.fault(), None);
    let said: Vec<&str> = read.lines().filter_map(|line| line.strip_prefix("The ferryman says, ")).collect();
    assert_eq!(
        said,
        ["\"true\"", "\"true\"", "\"14 33 a2 b1 false6 true5\"", "\"tableniltrue\"", "\"1 false\""],
        "{read}"
    );
}

#[test]
fn what_is_gone_reads_nothing_and_does_nothing() {
    let mut play = Play::with(
        On::Mob,
        "function greet(ev)\n local coin = ev.room:load_object(120)\n coin:remove()\n \
         ev.self:say(`{coin.name} {coin:move_to(ev.actor)} {coin}`)\n ev.self:remove()\n \
         ev.self:say('still here')\nend",
    );
    play.does("north");
    let read = play.does("south");
    assert!(read.contains("\"nil nil nobody\"") && !read.contains("still here"), "{read} {:?}", play.fault());
    assert!(play.ferryman().is_none());
    play.is_sound();
}

#[test]
fn who_dies_or_is_taken_elsewhere_by_a_hook_is_let_go() {
    let mut play = Play::with(On::Room, "function enter(ev) ev.actor:hurt(5000) end");
    play.does("north");
    play.does("south");
    assert_eq!(play.world.who(play.ann).player().map(|player| player.deaths), Some(1));
    play.is_sound();
    let mut play = Play::with(On::Room, "function enter(ev) ev.actor:move_to(world.room(102)) end");
    play.does("north");
    let read = play.does("south");
    assert!(read.contains("A Cellar"), "{read}");
    play.is_sound();
}

#[test]
fn what_is_done_to_many_things_goes_on_with_what_is_left() {
    // A gift that sends the receiver away, a thing that takes another with it, one that carries its taker off.
    let mut play = Play::with(On::Mob, "function ongive(ev) ev.self:remove() end");
    play.does("get coin");
    play.does("get sack");
    let read = play.does("give all ferryman");
    assert!(read.contains("nobody there any more"), "{read}");
    assert_eq!(play.world.who(play.ann).carrying.len(), 1);
    play.is_sound();
    let away =
        "function onget(ev) for _, o in ipairs(ev.room:objects()) do if o ~= ev.object then o:remove() end end end";
    let mut play = Play::with(On::Room, away);
    play.does("get all");
    assert_eq!(play.world.who(play.ann).carrying.len(), 1);
    play.is_sound();
    let mut play = Play::with(On::Room, "function onget(ev) ev.actor:move_to(world.room(102)) end");
    play.does("get all");
    assert!(play.world.who(play.ann).carrying.len() <= 1, "nobody reaches from one room into another");
    play.is_sound();
    // What is prevented is refused: programs hear of it, and nothing follows from it.
    let mut play = Play::with(On::Room, "function onget(ev) return true end");
    let report = play.world.apply(&Input::Command { who: play.ann, line: "get coin".to_string() });
    assert_eq!(report.refused.as_deref(), Some("Something here prevents it."));
    assert_eq!(play.read(&report), "", "its player reads what the script says");
}

#[test]
fn nobody_is_stopped_for_what_others_spend_in_a_tick() {
    let mut play =
        Play::with(On::Mob, "function greet(ev)\n saved.n = (saved.n or 0) + 1\n for i = 1, 20000 do end\nend");
    for _ in 0..40 {
        play.does("north");
        play.does("south");
        play.world.who_mut(play.ann).moves = 80;
    }
    assert_eq!(play.fault(), None);
    let calls = play.world.state.scripts.calls;
    assert!((15..40).contains(&calls), "{calls} calls: the tick has had its share");
    play.ticks(1);
    play.does("north");
    play.does("south");
    assert_eq!(play.world.state.scripts.calls, calls + 1, "another tick, another share");
    play.is_sound();
}

#[test]
fn a_timer_for_which_a_tick_has_no_time_left_comes_due_in_the_next() {
    let mut play = Play::with(
        On::Mob,
        "function greet(ev) for i = 1, 20 do world.after(1, 't') end end\n\
         function timer(ev)\n for i = 1, 40000 do end\nend",
    );
    play.does("north");
    play.does("south");
    let before = play.world.state.scripts.calls;
    play.ticks(1);
    let first = play.world.state.scripts.calls - before;
    assert!((5..20).contains(&first), "{first} of 20 in the first tick");
    play.ticks(2);
    assert_eq!(play.world.state.scripts.calls - before, 20, "none is lost");
    assert_eq!(play.fault(), None);
    play.is_sound();
}

#[test]
fn a_sound_may_be_the_last_that_is_heard_of_a_mob() {
    let mut play = Play::with(On::Mob, "function sound(ev) ev.self:remove() end");
    play.ticks(400);
    assert!(play.ferryman().is_none(), "a mob is heard in one of sixteen rounds");
    play.is_sound();
}

#[test]
fn scripts_call_scripts_only_so_deep() {
    let mut play = Play::with(
        On::Room,
        "function enter(ev)\n saved.n = (saved.n or 0) + 1\n ev.room:mobs()[1]:command('north')\n \
         ev.room:exit('north'):mobs()[1]:command('south')\nend",
    );
    play.does("north");
    play.does("south");
    assert!(play.fault().is_none_or(|(_, _, stopped)| !stopped), "{:?}", play.fault());
    let saved = play.world.state.scripts.saved(Owner::Room(100));
    assert!(matches!(saved, Some(Value::Table(table)) if table.len() == 1), "{saved:?}");
    play.is_sound();
}

#[test]
fn what_is_kept_has_bounds() {
    for body in
        ["saved.x = string.rep('x', 5000)", "saved.f = function() end", "saved.half = 0.5", "saved[ev.actor] = 1"]
    {
        let mut play = Play::with(On::Mob, &format!("function greet(ev)\n {body}\nend"));
        play.does("north");
        play.does("south");
        let (_, why, _) = play.fault().unwrap_or_else(|| panic!("{body} is kept"));
        assert!(why.contains("kept"), "{why}");
        assert_eq!(play.world.state.scripts.keepers().0, 0);
    }
}

#[test]
fn every_row_can_be_asked_and_says_what_it_is() {
    for row in api::rows() {
        assert!(row.says.ends_with('.') && !row.example.is_empty(), "{}", row.signature);
        assert!(row.signature.starts_with(row.group.name()), "{}", row.signature);
    }
    let fields: Vec<String> = api::rows()
        .filter(|row| matches!(row.kind, api::Kind::Field(_)))
        .map(|row| match row.group {
            api::Group::Character => format!("local _ = ev.actor.{0}, ev.self.{0}", row.name),
            api::Group::Object => format!("local _ = ev.room:objects()[1].{}", row.name),
            _ => format!("local _ = ev.room.{}", row.name),
        })
        .collect();
    let script = format!("function greet(ev)\n {}\n ev.self:say('all')\nend", fields.join("\n "));
    let mut play = Play::with(On::Mob, &script);
    play.does("north");
    assert!(play.does("south").contains("\"all\""), "{:?}", play.fault());
}
