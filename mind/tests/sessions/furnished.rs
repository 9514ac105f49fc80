//! A session with much on its mind: 3 projects, 40 goals, 60 facts and 6 sections, which change while it plays.

use super::{Chance, Session};
use mind::projects::Shelf;
use mind::section::SectionPart;
use mind::sections::Declared;
use mind::{Event, LogEntry, VerbRequest, edit};
use std::sync::Arc;

/// A log that is typed line by line, as a player does.
struct Desk<'s> {
    session: &'s mut Session,
    shelf: Shelf,
}

impl Desk<'_> {
    fn line(&mut self, line: &str) {
        let (verb, args) = line.split_once(' ').unwrap_or((line, ""));
        let first = self.session.state.seq + 1;
        let tick = self.session.live.tick;
        let request =
            VerbRequest { name: "Corvin", shelf: &self.shelf, ..VerbRequest::new(verb, args, first, 8, tick) };
        let reply = edit::answer(&self.session.state, &request);
        assert!(!reply.refused, "{line}: {}", reply.text);
        for event in reply.events {
            let entry = self.session.note(event);
            self.shelf.note(&entry);
        }
        self.session.live.tick += 6;
    }
}

const AIMS: [&str; 8] = [
    "Find planks that bear a cart",
    "Ask the smith for nails",
    "Clear the goblins from the ford",
    "Learn who broke the dam",
    "Bring the toll to the temple",
    "Map the cellars below the market",
    "Win over the masked bandit",
    "Repay what Mira lent",
];
const FACTS: [&str; 6] = [
    "The gate number {n} of the wall closes at dusk",
    "Cellar {n} floods when it rains for two days",
    "The smith buys {n} pelts on market days",
    "Tovik owes Aldo {n} coins since the flood",
    "The lane behind house {n} leads to the temple",
    "A guard sleeps at post {n} from noon on",
];

/// As `Session::new`, with all that on its mind.
pub fn furnished(seed: u64) -> Session {
    let mut session = Session::new(seed);
    session.undertakes = true;
    let mut chance = Chance(seed + 77);
    let mut desk = Desk { session: &mut session, shelf: Shelf::default() };
    desk.line("project new ferry = Mend the ferry for Bob: he waits at the South Gate");
    desk.line("project new tower = Climb the tower before the winter");
    desk.line("goal Rest before the next moon");
    desk.line("project swap ferry: the lanes are quiet, the blade is bought");
    desk.line("task Mend the ferry and open the crossing again.");
    desk.line("decide buy planks in town: the moor is too far");
    let (mut tops, mut under) = (Vec::new(), Vec::new());
    for n in 0..40 {
        let text = format!("{} ({n})", AIMS[n % AIMS.len()]);
        let first = desk.session.state.seq + 1;
        match n % 5 {
            0 => {
                desk.line(&format!("goal {} {text}", if n % 10 == 0 { "high" } else { "medium" }));
                tops.push(first);
            }
            4 => desk.line(&format!("goal under {} {text}", under.last().expect("some"))),
            _ => {
                desk.line(&format!("goal under {} {text}", tops.last().expect("one")));
                under.push(first);
            }
        }
        if n % 7 == 3 {
            desk.line(&format!("goal try {first} ask the ferryman, who knows the river ({n})"));
            desk.line(&format!("goal failed {}: he is away until the market", first + 1));
        }
        if n % 6 == 2 {
            desk.line(&format!("goal done {first}"));
        }
    }
    for n in 0..60 {
        let number = (n * 7 + chance.below(7)).to_string();
        desk.line(&format!("fact {}", FACTS[n % FACTS.len()].replace("{n}", &number)));
    }
    desk.line("section aims = {{ state.task.text }} ({{ state.goals | length }} goals)");
    desk.line("section owed = {% for fact in state.session.key_facts[:3] %}- {{ fact.text }}\\n{% endfor %}");
    desk.line("section pulse now = {{ live.vars.hp }} of {{ live.vars.hp_max }} in {{ live.vars.room }}");
    let state = &session.state;
    let counts = (state.projects.len(), state.goals.len(), state.session.key_facts.len(), state.sections.len());
    assert_eq!(counts, (3, 40, 60, 3));
    session
}

/// Three sections of an operator's.
pub fn declared() -> Arc<[Declared]> {
    let section = |name: &str, part, text: &str| Declared {
        name: name.into(),
        part,
        when: None,
        density: mind::pressure::Density::Compact,
        cap: 80,
        order: 1,
        text: text.into(),
    };
    [
        section("undertaking", SectionPart::Snapshot, "At **{{ state.active }}** of {{ state.projects | length }}"),
        section(
            "open",
            SectionPart::Snapshot,
            "{{ state.decisions | length }} decisions, {{ state.notes | length }} notes",
        ),
        section("purse", SectionPart::Now, "{{ live.vars.gold }} coins, {{ live.mobs | length }} near"),
    ]
    .into()
}

impl Session {
    /// A change to what it has undertaken: goals come, go on and are done, facts come in the place of others.
    pub(super) fn undertake(&mut self) -> LogEntry {
        let n = self.chance.below(900);
        let open: Vec<u64> = self.state.goals.leaves().filter(|goal| goal.is_open()).map(|goal| goal.id).collect();
        let goal = (!open.is_empty()).then(|| open[self.chance.below(open.len())]);
        let event = match (self.chance.below(6), goal) {
            (0 | 1, Some(id)) => Event::GoalProgress { id, percent: self.chance.below(100) as u8 },
            (2, Some(id)) if open.len() > 20 => Event::GoalComplete { id },
            (3, Some(id)) => Event::GoalStrategy { id, text: format!("go by the mill road ({n})") },
            (4, _) => match self.state.session.key_facts.first() {
                Some(fact) if self.state.session.key_facts.len() > 59 => Event::FactRemove { id: fact.id },
                _ => Event::FactAdd { text: FACTS[n % FACTS.len()].replace("{n}", &n.to_string()) },
            },
            _ => match self.state.goals.len() < 60 {
                true => Event::GoalAdd {
                    text: format!("{} ({n})", AIMS[n % AIMS.len()]),
                    priority: Default::default(),
                    parent: None,
                    auto: false,
                },
                false => Event::ProjectUpdate {
                    key: self.state.active.clone(),
                    summary: None,
                    context: Some(format!("{n} planks are cut")),
                },
            },
        };
        self.note(event)
    }
}
