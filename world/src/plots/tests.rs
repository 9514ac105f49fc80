//! What people on plots read and remember, and what becomes of a plot: played by a few hands in three rooms.

use crate::arena::CharacterId;
use crate::channel::row::Row;
use crate::input::{Admin, Input};
use crate::report::{Report, Request};
use crate::rng::Dice;
use crate::rules::Rules;
use crate::rules::creation::{self, Choices};
use crate::world::World;
use content::{ReadOptions, Source};
use protocol::happening::{Role, What};
use protocol::outcome::{BuiltDeed, Outcome};
use std::sync::Arc;

const FREE: i32 = 100;
const CONSENT: i32 = 101;
const ELSEWHERE: i32 = 102;

const ZONE: &str = "number = 1\nname = \"Z\"\nfirst = 100\nlast = 199\nlifespan_minutes = 1\nreset = \"never\"\n";
const PLOTS: &str = "[[plot]]\nroom = 100\ntitle = \"Green\"\n\n\
                     [[plot]]\nroom = 101\ntitle = \"Careful\"\nrule = \"consent\"\n";

struct Game {
    world: World,
}

impl Game {
    /// With all of them in one room.
    fn at(room: i32, names: &[&str]) -> Game {
        let rooms: Vec<String> = (100..103)
            .map(|vnum| {
                format!("[[room]]\nvnum = {vnum}\nname = \"R{vnum}\"\nsector = \"field\"\ndescription = \"Grass.\"\n")
            })
            .collect();
        let world = "name = \"W\"\nstart_room = 100\n[[hometown]]\nkey = \"K\"\nname = \"W\"\nroom = 100\n";
        let files = [
            ("world.toml", world.to_owned()),
            ("zones/1_z/zone.toml", ZONE.to_owned()),
            ("zones/1_z/rooms.toml", rooms.concat()),
            ("zones/1_z/plots.toml", PLOTS.to_owned()),
        ];
        let (content, problems) = content::read(&Source::of(files), &ReadOptions::default());
        assert!(!problems.has_errors(), "{:?}", problems.0);
        let mut game = Game { world: World::new(Arc::new(content), Arc::new(Rules::built_in()), 1) };
        names.iter().for_each(|name| game.enter(name, room));
        game
    }

    fn enter(&mut self, name: &str, room: i32) {
        let mut record = creation::newborn(&self.world.rules, &Choices::plain(name), &mut Dice::new(1, 1, 1, 1));
        record.room = Some(room);
        self.world.apply(&Input::Enter { record: Box::new(record), agent: true });
    }

    fn id(&self, name: &str) -> CharacterId {
        self.world.find_player(name).expect("somebody of that name")
    }

    fn says(&mut self, name: &str, line: &str) -> Report {
        let who = self.id(name);
        self.world.apply(&Input::Command { who, line: line.into() })
    }

    /// Types what is not refused, and lets the tick pass that it takes.
    fn does(&mut self, name: &str, line: &str) -> Report {
        let report = self.says(name, line);
        assert_eq!(report.refused, None, "{line}");
        self.world.apply(&Input::Tick);
        report
    }

    fn refused(&mut self, name: &str, line: &str) -> String {
        self.says(name, line).refused.unwrap_or_else(|| panic!("{line} is refused")).to_string()
    }

    fn place(&mut self, name: &str, room: i32) {
        let who = self.id(name);
        self.world.apply(&Input::Admin(Admin::Place { who, room }));
    }

    fn read_by(&self, name: &str, report: &Report) -> Vec<String> {
        let who = self.id(name);
        report.lines.iter().filter(|(reader, _)| *reader == who).map(|(_, line)| line.text.clone()).collect()
    }
}

fn roles(report: &Report) -> Vec<(&str, Role)> {
    report.recorded.iter().map(|record| (&*record.name, record.happening.role)).collect()
}

#[test]
fn who_asked_and_went_away_has_still_built_it() {
    let mut game = Game::at(CONSENT, &["Ann", "Bob", "Cid"]);
    game.does("Ann", "build add lamp 0,0");
    game.does("Bob", "build remove 0,0");
    game.place("Bob", ELSEWHERE);
    let report = game.does("Ann", "plot agree 1");
    let is_bobs = |outcome: &Outcome| match outcome {
        Outcome::Built { who, deed: BuiltDeed::Removed, .. } => &*who.name == "Bob",
        _ => false,
    };
    assert_eq!(report.outcomes.iter().filter(|outcome| is_bobs(outcome)).count(), 1);
    let bob = game.id("Bob");
    let told = report.lines.iter().find(|(who, line)| *who == bob && line.outcome.as_deref().is_some_and(is_bobs));
    assert!(told.is_some_and(|(_, line)| line.text == "It is done, as you asked: a lamp, 0,0."));
    assert_eq!(roles(&report), [("Ann", Role::Saw), ("Cid", Role::Saw), ("Bob", Role::Did)]);
    for record in &report.recorded {
        let What::Built { who, .. } = &record.happening.what else { panic!("{record:?}") };
        assert_eq!((&*who.name, record.happening.room.vnum), ("Bob", CONSENT));
    }
    // Whoever left the game remembers nothing of it; those who are there do.
    game.does("Ann", "build add lamp 0,1");
    game.place("Bob", CONSENT);
    game.does("Bob", "build remove 0,1");
    game.says("Bob", "quit");
    assert_eq!(game.world.find_player("Bob"), None);
    let report = game.does("Ann", "plot agree 2");
    assert_eq!(roles(&report), [("Ann", Role::Saw), ("Cid", Role::Saw)]);
}

#[test]
fn whoever_agreed_suffers_nothing_by_it() {
    let mut game = Game::at(CONSENT, &["Ann", "Bob", "Cid", "Dan"]);
    for (name, line) in [("Ann", "build add lamp 0,0"), ("Cid", "build add lamp 1,0"), ("Dan", "build add lamp 2,0")] {
        game.does(name, line);
    }
    game.does("Bob", "build remove 0,0");
    let report = game.does("Ann", "plot agree 1");
    let expected = [("Bob", Role::Did), ("Ann", Role::Saw), ("Cid", Role::Saw), ("Dan", Role::Saw)];
    assert_eq!(roles(&report), expected);
    for record in &report.recorded {
        let What::Built { owner, .. } = &record.happening.what else { panic!("{record:?}") };
        assert_eq!(owner.as_ref().map(|owner| &*owner.name), Some("Ann"), "it was hers all the same");
    }
    // Two others decide over her: she suffers it, whether he who asked is here or not.
    for (place, wanted, cell) in [(CONSENT, "2", "0,1"), (ELSEWHERE, "3", "0,2")] {
        game.does("Ann", &format!("build add lamp {cell}"));
        game.does("Bob", &format!("build remove {cell}"));
        game.place("Bob", place);
        game.does("Cid", &format!("plot agree {wanted}"));
        let report = game.does("Dan", &format!("plot agree {wanted}"));
        let mut sorted = roles(&report);
        sorted.sort_by_key(|(name, _)| *name);
        let expected = [("Ann", Role::Suffered), ("Bob", Role::Did), ("Cid", Role::Saw), ("Dan", Role::Saw)];
        assert_eq!(sorted, expected, "{wanted}");
        game.place("Bob", CONSENT);
    }
}

#[test]
fn a_number_after_memo_is_how_many_and_never_words() {
    let mut game = Game::at(FREE, &["Ann"]);
    let range = "How many? From 1 to 50 are kept.";
    for line in
        ["plot memo 99", "plot memo 0", "plot memo -1", "plot memo 99999999999999999999", "plot memo from Ann 51"]
    {
        assert_eq!(game.refused("Ann", line), range, "{line}");
    }
    assert_eq!(game.refused("Ann", "plot memo"), "The memo is empty. Write into it: plot memo <words>.");
    for words in ["99 bottles", "from here on", "-"] {
        game.does("Ann", &format!("plot memo {words}"));
    }
    assert_eq!(game.refused("Ann", "plot memo from Bob 2"), "The memo has nothing from Bob.");
    assert_eq!(game.refused("Ann", "plot scene 99"), "There is no entry #99: the memo has #1 to #3.");
    let report = game.does("Ann", "plot memo from ann 2");
    let page = &game.read_by("Ann", &report)[0];
    let last = "\n  #2 Ann [info]: \"from here on\"\n  #3 Ann [info]: \"-\"";
    assert!(page.ends_with(last) && !page.contains("#1"), "{page}");
}

#[test]
fn what_immortals_do_to_a_plot_is_told_and_its_numbers_go_on() {
    let mut game = Game::at(ELSEWHERE, &["Ann", "God"]);
    let god = game.id("God");
    game.world.apply(&Input::Admin(Admin::Promote { who: god, level: 40 }));
    let logged = |report: &Report| -> Vec<String> {
        let text = |request: &Request| match request {
            Request::Log { text } => Some(text.clone()),
            _ => None,
        };
        report.requests.iter().filter_map(text).collect()
    };
    let report = game.does("God", "plot found Halfway \"Up\": own");
    assert_eq!(logged(&report), ["God founded the plot \"Halfway 'Up'\" in room 102, under the rule own"]);
    let rule = "Everybody may move and remove what they built themselves.";
    assert_eq!(game.read_by("Ann", &report), [format!("A plot is staked out here: Halfway \"Up\". {rule}")]);
    assert_eq!(game.read_by("God", &report), [format!("You stake out a plot: Halfway \"Up\". {rule}")]);
    game.does("Ann", "build add lamp 0,0");
    let rooms = |game: &Game| game.world.plots().iter().map(|(vnum, _)| *vnum).collect::<Vec<_>>();
    assert_eq!(rooms(&game), [FREE, CONSENT, ELSEWHERE]);
    let plot = |game: &Game, room: i32| {
        let room = game.world.room_by_vnum(room).expect("the room");
        game.world.plot_of(room).map(|ground| ground.plot.clone())
    };
    let report = game.does("God", "plot raze");
    assert_eq!(logged(&report), ["God razed the plot of room 102"]);
    assert_eq!(game.read_by("Ann", &report), ["God razes what was built here."]);
    assert_eq!(game.read_by("God", &report), ["You raze what was built here."]);
    assert_eq!(plot(&game, ELSEWHERE), None);
    assert_eq!(rooms(&game), [FREE, CONSENT]);
    assert_eq!(game.refused("Ann", "build add lamp 0,0"), "There is no plot here that one could build on.");
    assert_eq!(game.refused("God", "plot raze"), "Nothing was built here, and no plot was founded.");
    game.does("God", "plot found Again");
    game.does("Ann", "build add lamp 0,0");
    let again = plot(&game, ELSEWHERE).expect("it was founded");
    let numbers = |plot: &plot::Plot| {
        let (ids, entries) = (plot.grid().elements().map(|element| element.id), plot.memo().entries());
        (ids.collect::<Vec<u32>>(), entries.map(|entry| entry.n).collect::<Vec<u32>>())
    };
    assert_eq!(numbers(&again), (vec![2], vec![2]));
    // A plot of the files is as its builder left it, and counts on.
    game.place("Ann", FREE);
    game.place("God", FREE);
    for (name, id) in [("Ann", 1), ("God", 2)] {
        game.does(name, "build add lamp 0,0");
        assert_eq!(numbers(&plot(&game, FREE).expect("it is in the files")).0, [id]);
        game.does("God", "plot raze");
        assert!(plot(&game, FREE).is_some_and(|plot| plot.is_untouched() && plot.grid().is_empty()));
    }
    assert!(game.world.check_all().is_empty());
}

#[test]
fn planning_alone_leaves_no_memories() {
    let mut game = Game::at(FREE, &["Ann", "Bob"]);
    let mut recorded = Vec::new();
    for id in 1..=30 {
        game.does("Ann", "plot plan Dreams: add lamp 8,8");
        let end = if id % 2 == 0 { format!("done {id} 1") } else { format!("drop {id}") };
        recorded.extend(game.does("Ann", &format!("plot plan {end}")).recorded);
    }
    assert!(recorded.is_empty(), "{recorded:?}");
    for _ in 0..5 {
        game.does("Ann", "plot plan Light: add lamp 0,0");
    }
    let report = game.does("Bob", "build add lamp 0,0");
    let is_glad = |what: &What| matches!(what, What::PlanEnded { done: true, .. });
    let glad = report.recorded.iter().filter(|record| is_glad(&record.happening.what));
    assert_eq!(glad.map(|record| &*record.name).collect::<Vec<_>>(), ["Ann"], "once for one deed");
    // What is begun by building may be ended by hand.
    game.does("Ann", "plot plan Way: add road 1,0; rest");
    game.does("Ann", "build add road 1,0");
    let report = game.does("Ann", "plot plan done 36 2");
    assert_eq!(report.recorded.iter().filter(|record| is_glad(&record.happening.what)).count(), 1);
}

fn kept(report: &Report) -> Vec<Row> {
    report.kept.iter().filter(|row| matches!(row, Row::Plot { .. })).cloned().collect()
}

#[test]
fn a_world_that_lost_its_own_takes_back_what_was_built() {
    let mut game = Game::at(CONSENT, &["Ann", "Bob"]);
    for _ in 0..9 {
        game.world.apply(&Input::Tick);
    }
    let built = kept(&game.does("Ann", "build add lamp 0,0 called Home because it is dark"));
    assert_eq!(built, game.world.plot_rows());
    game.does("Bob", "build remove 0,0");
    game.does("Bob", "plot memo may I?");
    game.refused("Bob", "build add lamp 0,0");
    let rows = game.world.plot_rows();

    let mut next = Game::at(CONSENT, &["Ann"]);
    let report = next.world.apply(&Input::Restore { rows });
    assert!(kept(&report).is_empty(), "it is there already");
    let (was, is) = (&game.world.plots()[1].1.plot, &next.world.plots()[1].1.plot);
    assert_eq!((was.revision(), was.memo().entries().len()), (is.revision(), is.memo().entries().len()));
    let lamp = |plot: &plot::Plot| {
        let element = plot.grid().elements().next().expect("a lamp").clone();
        (element.id, element.kind, element.label, element.by)
    };
    assert_eq!(lamp(was), lamp(is));
    assert_eq!((was.pending().len(), is.pending().len()), (1, 0), "nobody waits in a world that is new");
    let ticks = is.changes().map(|change| change.tick).chain(is.memo().entries().map(|entry| entry.tick));
    assert_eq!(ticks.max(), Some(next.world.tick()), "nothing is still to come");
    // It goes on there, and numbers go on.
    next.does("Ann", "build add house 1,1");
    let house = next.world.plots()[1].1.plot.grid().elements().map(|element| element.id).max();
    assert_eq!(house, Some(2));
}

#[test]
fn what_hands_wrote_can_be_blackened() {
    let mut game = Game::at(CONSENT, &["Ann", "Bob"]);
    game.does("Ann", "build add lamp 0,0 called Secret because Secret");
    game.does("Ann", "plot plan Secret: Secret; add house 1,1 called Secret");
    game.does("Bob", "plot memo Secret");
    game.does("Bob", "build remove 0,0 because Secret");
    for (_, ground) in game.world.plots() {
        let mut plot = ground.plot.clone();
        let before = format!("{plot:?}");
        plot.rewrite(&|text| text.replace("Secret", "xxxxxx"));
        let after = format!("{plot:?}");
        assert!(!after.contains("Secret") && after.len() == before.len(), "{after}");
        // What is undone is undone as before.
        assert!(plot.memo().entries().all(|entry| plot.scene(entry.n).is_ok()));
    }
    // A title is a player's where a player founded it, and else the builders'.
    for (founder, title) in [("God", "xxxxxx"), ("", "Secret")] {
        let plot = plot::Plot::new("Secret".into(), plot::Rule::Free, "".into(), []);
        let mut ground = crate::ground::Ground { plot, founder: founder.into() };
        ground.rewrite(&|text| text.replace("Secret", "xxxxxx"));
        assert_eq!(&*ground.plot.title, title);
    }
}
