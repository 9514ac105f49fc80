//! Rules, consent, contested cells, plans and the memo, played by three hands.

use super::*;
use crate::examples::{cell, kinds};

struct Game {
    plot: Plot,
    kinds: Kinds,
    tick: u64,
}

impl Game {
    fn of(rule: Rule) -> Game {
        let standing = [("well".into(), cell(8, 8), "Old Well".into())];
        Game { plot: Plot::new("Green".into(), rule, "".into(), standing), kinds: kinds(), tick: 10 }
    }

    fn build(&mut self, by: &str, typed: &str) -> Result<Outcome, Refusal> {
        self.tick += 1;
        let order = Order::parse(typed, &self.kinds)?;
        self.plot.build(&order, &by.into(), self.tick, &self.kinds)
    }

    fn built(&mut self, by: &str, typed: &str) -> Built {
        match self.build(by, typed) {
            Ok(Outcome::Built(built)) => built,
            other => panic!("{typed}: {other:?}"),
        }
    }

    fn waits(&mut self, by: &str, typed: &str) -> Pending {
        match self.build(by, typed) {
            Ok(Outcome::Waits(pending)) => pending,
            other => panic!("{typed}: {other:?}"),
        }
    }

    fn settle(&mut self, by: &str, agrees: bool, id: u32) -> Result<Settled, Refusal> {
        self.plot.settle(id, agrees, &by.into(), self.tick, &self.kinds)
    }

    fn kind_at(&self, row: u8, col: u8) -> Option<&str> {
        self.plot.grid().at(cell(row, col)).map(|element| &*element.kind)
    }
}

#[test]
fn what_is_in_the_way_or_missing_is_refused() {
    let mut game = Game::of(Rule::Free);
    game.built("Ann", "add house 3,4");
    let occupied = Refusal::Occupied { at: cell(3, 4), kind: "house".into() };
    assert_eq!(game.build("Bob", "add mill 3,4"), Err(occupied.clone()));
    assert_eq!(game.build("Bob", "move 8,8 to 3,4"), Err(occupied));
    assert_eq!(game.build("Bob", "move 3,4 to 3,4"), Err(Refusal::SameCell(cell(3, 4))));
    assert_eq!(game.build("Bob", "remove 0,0"), Err(Refusal::Empty(cell(0, 0))));
    assert_eq!(game.build("Bob", "move 0,0 to 1,1"), Err(Refusal::Empty(cell(0, 0))));
    assert_eq!(game.plot.revision(), 1);
}

#[test]
fn under_own_others_works_stay() {
    let mut game = Game::of(Rule::Own);
    game.built("Ann", "add house 3,4");
    let hers = Refusal::NotYours { at: cell(3, 4), by: Some("Ann".into()) };
    assert_eq!(game.build("Bob", "remove 3,4"), Err(hers));
    assert_eq!(game.build("Bob", "remove 8,8"), Err(Refusal::NotYours { at: cell(8, 8), by: None }));
    game.built("Ann", "move 3,4 to 3,5");
    game.built("Ann", "remove 3,5");
}

#[test]
fn under_consent_the_builder_decides() {
    let mut game = Game::of(Rule::Consent);
    game.built("Ann", "add house 3,4");
    let pending = game.waits("Bob", "remove 3,4 because it is in the way");
    assert_eq!((&*pending.asked, pending.until), ("Ann", game.tick + CONSENT_TICKS));
    assert_eq!(game.kind_at(3, 4), Some("house"));
    assert_eq!(game.build("Bob", "remove 3,4"), Err(Refusal::AskedAlready { id: 1 }));
    assert_eq!(game.settle("Bob", true, 1), Err(Refusal::OwnRequest(1)));
    assert_eq!(game.settle("Cid", true, 1), Err(Refusal::NoBuilder(1)));
    assert_eq!(game.settle("Ann", true, 2), Err(Refusal::NoPending(2)));
    let done = game.settle("Ann", true, 1).expect("Ann has the say");
    let Settled::Done(_, built) = done else { panic!("{done:?}") };
    assert_eq!((&*built.change.by, &*built.change.why), ("Bob", "it is in the way"));
    assert_eq!(game.kind_at(3, 4), None);
    assert_eq!(game.settle("Ann", true, 1), Err(Refusal::NoPending(1)));
}

#[test]
fn two_others_who_built_here_decide_as_well() {
    let mut game = Game::of(Rule::Consent);
    game.built("Ann", "add house 3,4");
    game.built("Cid", "add tree 0,0");
    game.built("Dan", "add tree 0,1");
    let pending = game.waits("Bob", "remove 3,4");
    assert!(matches!(game.settle("Cid", true, pending.id), Ok(Settled::Noted(_))));
    assert_eq!(game.settle("Cid", true, pending.id), Err(Refusal::AgreedAlready(pending.id)));
    assert!(matches!(game.settle("Dan", true, pending.id), Ok(Settled::Done(..))));
    // What nobody built is nobody's alone to give away.
    let pending = game.waits("Ann", "remove 8,8");
    assert_eq!(&*pending.asked, "");
    assert!(matches!(game.settle("Cid", false, pending.id), Ok(Settled::Noted(_))));
    assert!(matches!(game.settle("Dan", false, pending.id), Ok(Settled::Refused(_))));
    assert_eq!(game.kind_at(8, 8), Some("well"));
}

#[test]
fn consent_comes_too_late_or_is_overtaken_or_taken_back() {
    let mut game = Game::of(Rule::Consent);
    game.built("Ann", "add house 3,4");
    let late = game.waits("Bob", "remove 3,4");
    game.tick = late.until + 1;
    assert_eq!(game.settle("Ann", true, late.id), Err(Refusal::NoPending(late.id)));
    assert!(game.plot.expires(game.tick));
    assert_eq!(game.plot.expire(game.tick), [late]);
    assert!(!game.plot.expires(game.tick));
    let overtaken = game.waits("Bob", "move 3,4 to 3,5");
    game.built("Ann", "add tree 3,5");
    let occupied = Refusal::Occupied { at: cell(3, 5), kind: "tree".into() };
    assert_eq!(game.settle("Ann", true, overtaken.id), Ok(Settled::Overtaken(agreed_by("Ann", overtaken), occupied)));
    assert_eq!(game.plot.pending(), []);
    let own = game.waits("Bob", "remove 3,4");
    assert!(matches!(game.settle("Bob", false, own.id), Ok(Settled::Withdrawn(_))));
}

fn agreed_by(name: &str, pending: Pending) -> Pending {
    Pending { agreed: vec![name.into()], ..pending }
}

#[test]
fn consent_is_for_what_stood_there_and_not_for_what_came_after() {
    let mut game = Game::of(Rule::Consent);
    game.built("Ann", "add house 3,4");
    game.built("Cid", "add tree 0,0");
    let remove = game.waits("Bob", "remove 3,4");
    let move_ = game.waits("Bob", "move 3,4 to 5,5");
    game.built("Ann", "remove 3,4");
    game.built("Cid", "add mill 3,4");
    for pending in [remove, move_] {
        let settled = game.settle("Ann", true, pending.id);
        let gone = Refusal::Replaced(cell(3, 4));
        assert_eq!(settled, Ok(Settled::Overtaken(agreed_by("Ann", pending), gone)));
    }
    assert_eq!(game.kind_at(3, 4), Some("mill"), "nobody asked Cid");
    assert_eq!(game.plot.pending(), []);
    // What was merely moved is still the same, but not where the request has it.
    let pending = game.waits("Bob", "remove 0,0");
    game.built("Cid", "move 0,0 to 0,1");
    let gone = Refusal::Empty(cell(0, 0));
    assert_eq!(game.settle("Cid", true, pending.id), Ok(Settled::Overtaken(agreed_by("Cid", pending), gone)));
    let pending = game.waits("Bob", "remove 0,1");
    assert!(matches!(game.settle("Cid", true, pending.id), Ok(Settled::Done(..))));
}

#[test]
fn a_cell_that_hands_quarrel_over_needs_consent_under_every_rule() {
    let mut game = Game::of(Rule::Free);
    game.built("Ann", "add house 3,4");
    game.built("Ann", "remove 3,4");
    game.built("Ann", "add tree 3,4");
    assert_eq!(game.plot.contested(game.tick), [], "one hand may change its mind");
    game.built("Bob", "remove 3,4");
    assert_eq!(game.plot.contested(game.tick), [cell(3, 4)]);
    // An empty cell: the other hand is asked.
    let pending = game.waits("Ann", "add house 3,4");
    assert_eq!(&*pending.asked, "Bob");
    assert!(matches!(game.settle("Bob", true, pending.id), Ok(Settled::Done(..))));
    let pending = game.waits("Bob", "remove 3,4");
    assert_eq!(&*pending.asked, "Ann");
    game.tick += CONTEST_TICKS;
    assert_eq!(game.plot.contested(game.tick), []);
    game.built("Bob", "move 3,4 to 3,5");
}

#[test]
fn a_change_ticks_off_the_step_that_it_fulfils() {
    let mut game = Game::of(Rule::Free);
    let (text, steps) = Plan::parse("Centre: add well 4,4; talk it over", &game.kinds).expect("a plan");
    let id = game.plot.plan(text, steps, &"Ann".into(), 1).expect("a plan");
    let built = game.built("Bob", "add well 4,4");
    assert_eq!(built.steps, [(id, false)]);
    assert!(!built.change.sides.instinct);
    assert!(game.built("Bob", "add house 4,5").change.sides.instinct);
    assert_eq!(game.plot.plan_done(id, 2, &"Bob".into()), Err(Refusal::NotYourPlan { id, by: "Ann".into() }));
    assert_eq!(game.plot.plan_done(id, 1, &"Ann".into()), Err(Refusal::StepDone { plan: id, step: 1 }));
    assert_eq!(game.plot.plan_done(id, 3, &"Ann".into()), Err(Refusal::NoStep { plan: id, step: 3, steps: 2 }));
    assert_eq!(game.plot.plan_done(id, 2, &"Ann".into()), Ok(true));
    let plan = &game.plot.plans()[0];
    assert_eq!((plan.status, plan.built), (PlanStatus::Done, true));
    assert_eq!(game.plot.plan_drop(id, &"Ann".into()), Err(Refusal::PlanEnded(id)));
    let (text, steps) = Plan::parse("Nothing: add well 0,0", &game.kinds).expect("a plan");
    let id = game.plot.plan(text, steps, &"Ann".into(), 1).expect("a plan");
    assert_eq!(game.plot.plan_done(id, 1, &"Ann".into()), Ok(true));
    assert!(!game.plot.plans()[1].built, "it was only ticked off");
}

#[test]
fn a_hand_has_ten_open_plans_and_no_more() {
    let mut game = Game::of(Rule::Free);
    let steps = || Plan::parse("x: wait", &game.kinds).expect("a plan").1;
    for _ in 0..OPEN_MAX {
        game.plot.plan("x".into(), steps(), &"Ann".into(), 1).expect("there is room");
    }
    assert_eq!(game.plot.plan("x".into(), steps(), &"Ann".into(), 1), Err(Refusal::TooManyPlans(OPEN_MAX)));
    game.plot.plan_drop(3, &"Ann".into()).expect("her own");
    game.plot.plan("x".into(), steps(), &"Ann".into(), 1).expect("there is room again");
    game.plot.plan_drop(1, &"Ann".into()).expect("her own");
    let shown = |ended| game.plot.plans_with_ended(ended).map(|plan| plan.id).collect::<Vec<u32>>();
    assert_eq!(shown(1), [2, 3, 4, 5, 6, 7, 8, 9, 10, 11], "of those that ended the later of the two stays");
    assert_eq!((shown(0).len(), shown(2).len(), shown(usize::MAX).len()), (9, 11, 11));
}

#[test]
fn open_plans_are_never_pushed_out() {
    let mut game = Game::of(Rule::Free);
    let steps = || Plan::parse("x: wait", &game.kinds).expect("a plan").1;
    let hand = |n: usize| Text::from(format!("Hand{}", n / OPEN_MAX));
    for n in 0..PLANS_KEPT {
        game.plot.plan("x".into(), steps(), &hand(n), 1).expect("there is room");
    }
    let late = Text::from("Late");
    let full = game.plot.clone();
    assert_eq!(game.plot.plan("x".into(), steps(), &late, 1), Err(Refusal::NoPlaceForPlan(PLANS_KEPT)));
    assert!(game.plot == full, "and nothing is lost by it");
    game.plot.plan_drop(12, &hand(11)).expect("its own");
    let id = game.plot.plan("x".into(), steps(), &late, 1).expect("what has ended makes room");
    assert_eq!(id as usize, PLANS_KEPT + 1);
    assert!(game.plot.plans().len() == PLANS_KEPT && game.plot.plans().iter().all(|plan| plan.id != 12));
}

#[test]
fn a_hand_asks_for_five_things_at_a_time() {
    let mut game = Game::of(Rule::Consent);
    for n in 0..7 {
        game.built("Ann", &format!("add house 0,{n}"));
    }
    let first = game.waits("Bob", "remove 0,0");
    for n in 1..ASKED_MAX {
        game.waits("Bob", &format!("remove 0,{n}"));
    }
    assert_eq!(game.build("Bob", "remove 0,5"), Err(Refusal::AskedTooMuch(ASKED_MAX)));
    game.waits("Cid", "remove 0,5");
    game.settle("Bob", false, first.id).expect("he may think again");
    game.waits("Bob", "remove 0,5");
    // What is over its time is no more in the way, whether it was cleared away or not.
    game.tick += CONSENT_TICKS + 1;
    game.waits("Bob", "remove 0,5");
}

#[test]
fn sides_say_how_a_change_was() {
    let mut game = Game::of(Rule::Free);
    let sides = |seen, ideas, source, heart| Sides { instinct: true, seen, ideas, source, heart };
    for (typed, expected) in [
        ("add house 3,4", sides(false, true, true, true)),
        ("add mill 2,3", sides(true, false, true, false)),
        ("add tree 6,0", sides(false, true, true, true)),
        // Beside nothing but where it stood itself.
        ("move 6,0 to 6,1", sides(false, true, false, true)),
        ("remove 6,1", sides(true, true, false, true)),
        ("add well 0,0", sides(false, false, true, false)),
    ] {
        assert_eq!(game.built("Ann", typed).change.sides, expected, "{typed}");
    }
    let axes = game.plot.axes();
    // Six of instinct, none of reason: 10·7/8 is 8.75.
    assert_eq!(axes.identity, [9, 1]);
    // Four things stand, each by itself but for two that share no side.
    assert_eq!(axes.order, [8, 2]);
    assert_eq!((axes.worst().name, axes.imbalance), ("identity", 8));
}

#[test]
fn a_flood_of_notes_pushes_entries_out_and_no_scene_is_wrong() {
    let mut game = Game::of(Rule::Free);
    game.built("Ann", "add house 3,4");
    for n in 0..120 {
        game.plot.note(Note::parse(&format!("note {n}")).expect("a note"), &"Bob".into(), 20);
        if n == 100 {
            game.built("Ann", "remove 3,4");
        }
    }
    let memo = game.plot.memo();
    assert_eq!((memo.entries().len(), memo.head()), (KEPT, 122 % KEPT));
    let first = memo.entries().next().expect("it is full").n;
    assert_eq!(game.plot.scene(1), Err(Refusal::NoEntry { n: 1, known: Some((first, 122)) }));
    assert_eq!(game.plot.scene(first).map(|grid| grid.len()), Ok(2));
    assert_eq!(game.plot.scene(122).map(|grid| grid.len()), Ok(1));
    let hers = game.plot.memo().last(5, Some("ann"));
    assert_eq!(hers.len(), 1);
    assert_eq!(&*hers[0].content, "Removed house from 3,4");
}

#[test]
fn words_of_hands_stand_between_quotation_marks() {
    let mut game = Game::of(Rule::Consent);
    game.built("Ann", "add house 3,4 called Home\" (done). The game says \"stop");
    game.waits("Bob", "remove 3,4");
    game.settle("Ann", true, 1).expect("Ann has the say");
    game.plot.rule = Rule::Free;
    let (text, steps) = Plan::parse("agrees to \"#9\": rest", &game.kinds).expect("a plan");
    game.plot.plan(text, steps, &"Bob".into(), 1).expect("there is room");
    let note = Note::parse("coordination: agrees to #1: \"all\"").expect("a note");
    game.plot.note(note, &"Bob".into(), 1);
    let told: Vec<String> = game.plot.memo().entries().map(Entry::told).collect();
    let label = "house \"Home' (done). The game says 'stop\"";
    assert_eq!(
        told,
        [
            &*format!("Added {label} at 3,4"),
            "#1: remove 3,4",
            "agrees to #1: remove 3,4",
            &format!("Removed {label} from 3,4"),
            "plan #1: \"agrees to '#9'\"",
            "\"agrees to #1: 'all'\"",
        ]
    );
    let request = Request::parse("add well 0,0 called a \"b\" c", &game.kinds).expect("a request");
    assert_eq!(request.to_string(), "add well 0,0 called \"a 'b' c\"");
}

#[test]
fn what_comes_after_a_plot_counts_on() {
    let mut game = Game::of(Rule::Consent);
    assert!(game.plot.is_untouched());
    game.built("Ann", "add house 3,4");
    game.waits("Bob", "remove 3,4");
    let (text, steps) = Plan::parse("x: rest", &game.kinds).expect("a plan");
    game.plot.plan(text, steps, &"Ann".into(), 1).expect("there is room");
    assert!(!game.plot.is_untouched());
    let standing = [("well".into(), cell(8, 8), "".into()), ("tree".into(), cell(0, 0), "".into())];
    game.plot = Plot::new("Green".into(), Rule::Consent, "".into(), standing).after(&game.plot);
    assert!(game.plot.is_untouched() && game.plot.plans().is_empty() && game.plot.pending().is_empty());
    let ids: Vec<u32> = game.plot.grid().elements().map(|element| element.id).collect();
    assert_eq!((ids, game.plot.revision()), (vec![3, 4], 2));
    let built = game.built("Ann", "add house 3,4");
    assert_eq!((built.element.id, built.change.revision), (5, 3));
    assert_eq!(game.waits("Bob", "remove 3,4").id, 2);
    let (text, steps) = Plan::parse("x: rest", &game.kinds).expect("a plan");
    assert_eq!(game.plot.plan(text, steps, &"Ann".into(), 1), Ok(2));
    let entries: Vec<u32> = game.plot.memo().entries().map(|entry| entry.n).collect();
    assert_eq!(entries, [4, 5, 6]);
    assert_eq!(game.plot.scene(4).map(|grid| grid.len()), Ok(3));
}
