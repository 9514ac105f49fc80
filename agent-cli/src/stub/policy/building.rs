//! How the utility policy builds: what it sees of a plot in a prompt, what it knows of building as anybody does, and
//! what each change is worth to it.
//!
//! A change is worth what it adds to the task, and for a mind of a council a little more on that mind's own side of the
//! axes; OBSERVER weighs what others propose, and the axis that leans most. All that stands is read from prompts; what
//! a village, a causeway and a garden want, and of what sort each kind is, is the sense that a model brings along.

use super::prompt_view::PromptView;
use crate::stub::chance::Chance;
use plot::{Cell, Constraint, Deed, Element, Grid, Kind, Kinds, Measure, Purpose, Request, Sides, Task, Which};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Points of a task that are one log-odd: what is worth most stands out, and is not certain.
const POINTS: f64 = 10.0;
/// What one side of the five that a change has counts to a mind whose side it is.
const TENDENCY: f64 = 0.4;
/// What the weaker side of the axis that leans most counts to OBSERVER, where it leans all the way.
const BALANCE: f64 = 4.0;
/// What it counts that a step of a plan is carried out.
const PLANNED: f64 = 2.0;
/// A change that adds nothing to the task is done only by a mind that wants its axis in balance.
const IDLE: f64 = 1.0;
/// Whoever reads a proposal agrees unless something else is worth more by so much.
const STUBBORN: f64 = 1.0;
/// Things that could be built somewhere: so many come to mind at once, of a thousand that there may be.
const IDEAS_MAX: usize = 160;
/// Changes that add nothing to the task, of all that there are: so many come to mind.
const IDLE_MAX: usize = 12;
const PLAN_STEPS: usize = 4;

/// Kinds, what each is one of, and whether it is the heart's.
const KINDS: &[(&str, &str, bool)] = &[
    ("house", "BUILDING", true),
    ("hut", "BUILDING", true),
    ("hall", "BUILDING", false),
    ("market", "BUILDING", false),
    ("smithy", "BUILDING", false),
    ("mill", "BUILDING", false),
    ("barn", "BUILDING", false),
    ("tower", "BUILDING", false),
    ("road", "ROAD", false),
    ("path", "ROAD", true),
    ("stones", "ROAD", true),
    ("well", "WATER", false),
    ("pond", "WATER", true),
    ("fountain", "WATER", true),
    ("ditch", "WATER", false),
    ("tree", "PLANT", true),
    ("flowers", "PLANT", true),
    ("herbs", "PLANT", false),
    ("hedge", "PLANT", false),
    ("gate", "WALL", false),
    ("lamp", "LIGHT", true),
    ("beacon", "LIGHT", false),
    ("bench", "REST", true),
    ("statue", "SIGN", true),
    ("signpost", "SIGN", false),
];

fn kinds() -> Kinds {
    let kind = |(name, class, heart): &(&str, &str, bool)| Kind {
        name: (*name).into(),
        class: (*class).into(),
        glyph: plot::UNKNOWN_GLYPH,
        icon: "".into(),
        purpose: if *heart { Purpose::Heart } else { Purpose::Head },
        tint: "".into(),
        shape: "".into(),
    };
    Kinds::new(KINDS.iter().map(kind).collect())
}

/// What is wanted of a thing with that name, and what it is made of; `None`: no idea.
fn sense_of(task: &str) -> Option<(Task, &'static [&'static str])> {
    let which = |words: &[&str]| Which(words.iter().map(|word| (*word).into()).collect());
    let cell = |row, col| Cell::new(row, col).expect("a cell of the grid");
    let (homes, ways) = (&["house", "hut"][..], &["ROAD"][..]);
    let (measures, uses): (Vec<(u16, Measure)>, &'static [&'static str]) = match task {
        "village" => (
            vec![
                (200, Measure::Count { of: which(homes), least: 5, most: 9 }),
                (200, Measure::Beside { of: which(homes), to: which(ways), least: 5 }),
                (150, Measure::Joined { of: which(ways), least: 8 }),
                (150, Measure::Within { of: which(&["well", "fountain"]), from: cell(3, 3), to: cell(5, 5), least: 1 }),
                (100, Measure::Count { of: which(&["market", "hall"]), least: 1, most: 1 }),
                (100, Measure::Variety { of: which(&["smithy", "mill", "barn"]), least: 2 }),
                (100, Measure::Apart { of: which(homes), to: which(&["smithy"]), least: 5 }),
            ],
            &["house", "hut", "road", "path", "well", "fountain", "market", "hall", "smithy", "mill", "barn"],
        ),
        "causeway" => (
            vec![
                (400, Measure::Across { of: which(ways) }),
                (150, Measure::Joined { of: which(ways), least: 9 }),
                (100, Measure::Count { of: which(ways), least: 9, most: 13 }),
                (150, Measure::Beside { of: which(&["LIGHT"]), to: which(ways), least: 3 }),
                (
                    50,
                    Measure::Within {
                        of: which(&["gate", "tower", "signpost"]),
                        from: cell(0, 0),
                        to: cell(8, 1),
                        least: 1,
                    },
                ),
                (
                    50,
                    Measure::Within {
                        of: which(&["gate", "tower", "signpost"]),
                        from: cell(0, 7),
                        to: cell(8, 8),
                        least: 1,
                    },
                ),
                (100, Measure::Beside { of: which(&["ditch", "pond"]), to: which(ways), least: 2 }),
            ],
            &["road", "stones", "lamp", "beacon", "gate", "signpost", "ditch", "pond"],
        ),
        "garden" => (
            vec![
                (200, Measure::Count { of: which(&["PLANT"]), least: 12, most: 81 }),
                (150, Measure::Variety { of: which(&["PLANT"]), least: 4 }),
                (250, Measure::Mirrored { of: which(&["PLANT"]), least: 12 }),
                (150, Measure::Within { of: which(&["WATER"]), from: cell(3, 3), to: cell(5, 5), least: 1 }),
                (150, Measure::Beside { of: which(&["bench"]), to: which(&["flowers", "herbs"]), least: 2 }),
                (100, Measure::Joined { of: which(&["path", "stones"]), least: 6 }),
            ],
            &["tree", "flowers", "herbs", "hedge", "pond", "fountain", "bench", "path", "stones"],
        ),
        _ => return None,
    };
    let constraint = |(points, measure)| Constraint { text: "".into(), points, measure };
    let constraints = measures.into_iter().map(constraint).collect();
    Some((Task { name: task.into(), title: task.into(), constraints }, uses))
}

/// What is kept in mind of a plot: prompts that are short of room do not show every cell.
#[derive(Clone, Debug, Default)]
pub struct Site {
    stands: BTreeMap<Cell, String>,
    /// Own deeds are known up to this tick.
    seen_tick: Option<u64>,
    /// Where it was asked last, and how often in a row.
    visit: (Option<i32>, usize),
}

impl Site {
    /// Counts that somebody in this room thinks of building; true where it did so often enough in this visit.
    pub fn has_enough_of(&mut self, room: Option<i32>, most: usize) -> bool {
        if self.visit.0 != room {
            self.visit = (room, 0);
        }
        self.visit.1 += 1;
        self.visit.1 > most
    }

    /// A prompt shows the plot, and what came of what was done.
    fn see(&mut self, seen: &PromptView, shown: &[(String, Cell)]) {
        for (ago, action, outcome) in &seen.recent {
            let tick = seen.tick.saturating_sub(*ago);
            if self.seen_tick.is_some_and(|at| tick <= at) {
                continue;
            }
            let Some(request) = action.strip_prefix("build ").and_then(|rest| Request::as_typed(rest).ok()) else {
                continue;
            };
            match (request, outcome.as_str()) {
                (Request::Add { kind, at, .. }, "ok") => drop(self.stands.insert(at, kind.to_string())),
                (Request::Move { from, to }, "ok") => {
                    if let Some(kind) = self.stands.remove(&from) {
                        self.stands.insert(to, kind);
                    }
                }
                (Request::Remove { at }, "ok") => drop(self.stands.remove(&at)),
                // Something stands there that no prompt had room for.
                (Request::Add { at, .. }, refused) if refused.contains("occupied") || refused.contains("stands") => {
                    self.stands.entry(at).or_insert_with(|| "?".to_string());
                }
                _ => {}
            }
        }
        let newest = seen.recent.iter().map(|(ago, _, _)| seen.tick.saturating_sub(*ago)).max();
        self.seen_tick = self.seen_tick.max(newest);
        for (kind, at) in shown {
            self.stands.insert(*at, kind.clone());
        }
    }

    fn grid(&self) -> Grid {
        Grid::of(self.stands.iter().zip(0..).map(|((at, kind), id)| element(id, kind, *at)))
    }
}

fn element(id: u32, kind: &str, at: Cell) -> Element {
    Element { id, at, kind: kind.into(), label: "".into(), by: "".into(), tick: 0, why: "".into() }
}

/// What a builder does: lines of actions, a word for a proposal, and why.
#[derive(Debug)]
pub struct Building {
    pub actions: Vec<Value>,
    pub choose: Option<&'static str>,
    pub why: String,
}

struct Builder<'b> {
    task: Task,
    uses: &'static [&'static str],
    kinds: Kinds,
    grid: Grid,
    worth_now: f64,
    seen: &'b PromptView,
}

/// A change with what it is worth, in log-odds.
#[derive(Clone, Debug)]
struct Change {
    request: Request,
    utility: f64,
    /// Points that it adds to the task.
    adds: f64,
}

/// What to build, if there is a plot with a task that is understood.
pub fn build(seen: &PromptView, site: &mut Site, chance: &mut Chance) -> Option<Building> {
    let plot = seen.plot.as_ref()?;
    let (task, uses) = sense_of(plot.task.as_deref()?)?;
    site.see(seen, &plot.stands);
    let (kinds, grid) = (kinds(), site.grid());
    let worth_now = f64::from(task.score(&grid, &kinds));
    let builder = Builder { task, uses, kinds, grid, worth_now, seen };
    if seen.mind.as_deref() == Some("OBSERVER") {
        return Some(builder.observe(chance));
    }
    Some(builder.propose(chance))
}

impl Builder<'_> {
    fn propose(&self, chance: &mut Chance) -> Building {
        let changes = self.changes(chance);
        let drawn = draw(&changes, chance);
        let (proposed, by) = match self.seen.proposals.first() {
            Some((mind, action)) => (self.valued_line(action), mind.as_str()),
            None => (None, ""),
        };
        if let (Some(proposed), Some(drawn)) = (&proposed, drawn)
            && proposed.utility + STUBBORN >= drawn.utility
        {
            return Building { actions: vec![act(&proposed.request)], choose: None, why: format!("{by} is right.") };
        }
        let mut actions: Vec<Value> = Vec::new();
        if self.seen.mind.as_deref() == Some("OUTER") && self.seen.plot.as_ref().is_some_and(|plot| plot.next.is_none())
        {
            actions.extend(self.plan(&changes));
        }
        let Some(drawn) = drawn else {
            return Building { actions, choose: None, why: "Nothing is missing here.".to_string() };
        };
        actions.push(act(&drawn.request));
        let why = match drawn.adds {
            adds if adds > 0.0 => format!("That is worth {adds:.0} more to the {}.", self.task.name),
            _ => "It evens out the axes.".to_string(),
        };
        Building { actions, choose: None, why }
    }

    /// The next steps as a plan, of what is worth most.
    fn plan(&self, changes: &[Change]) -> Option<Value> {
        let mut best: Vec<&Change> = changes.iter().filter(|change| change.adds > 0.0).collect();
        best.sort_by(|a, b| b.adds.total_cmp(&a.adds));
        let mut steps: Vec<String> = Vec::new();
        let mut cells = Vec::new();
        for change in best {
            if steps.len() < PLAN_STEPS && change.request.cells().all(|cell| !cells.contains(&cell)) {
                cells.extend(change.request.cells());
                steps.push(change.request.to_string());
            }
        }
        (steps.len() > 1).then(|| json!({"type": "plot_plan", "text": "What is worth most", "steps": steps}))
    }

    /// Which of two proposals, by what each is worth to the task and to the axis that leans most.
    fn observe(&self, chance: &mut Chance) -> Building {
        let valued = |(mind, action): &(String, String)| {
            let change = self.valued_line(action);
            let utility = change.map_or(0.0, |change| change.utility + self.balance(&change.request));
            (mind.clone(), utility)
        };
        let weighed: Vec<(String, f64)> = self.seen.proposals.iter().map(valued).collect();
        let sum: f64 = weighed.iter().map(|(_, utility)| utility.exp()).sum();
        let mut at = chance.share() * sum;
        let chosen = weighed.iter().find(|(_, utility)| {
            at -= utility.exp();
            at <= 0.0
        });
        let choose = match chosen.map(|(mind, _)| mind.as_str()) {
            Some("INNER") => "inner",
            Some("OUTER") => "outer",
            _ => "none",
        };
        Building { actions: Vec::new(), choose: Some(choose), why: "It serves the whole better.".to_string() }
    }

    fn valued_line(&self, action: &str) -> Option<Change> {
        let request = Request::as_typed(action.strip_prefix("build ")?).ok()?;
        self.valued(request)
    }

    fn deed(&self, request: &Request) -> Option<Deed> {
        request.check(&self.grid).ok()?;
        Some(match request {
            Request::Add { kind, at, .. } => Deed::Add(element(u32::MAX, kind, *at)),
            Request::Move { from, to } => Deed::Move { id: self.grid.at(*from)?.id, from: *from, to: *to },
            Request::Remove { at } => Deed::Remove(self.grid.at(*at)?.clone()),
        })
    }

    fn valued(&self, request: Request) -> Option<Change> {
        let deed = self.deed(&request)?;
        let mut after = self.grid.clone();
        if !after.apply(&deed) {
            return None;
        }
        let adds = f64::from(self.task.score(&after, &self.kinds)) - self.worth_now;
        let planned = self.is_next(&request);
        let mut utility = adds / POINTS + if planned { PLANNED } else { 0.0 };
        let lean = Sides::of(&deed, planned, &self.grid, &self.kinds).map_or(0.0, |sides| {
            let all = [sides.instinct, sides.seen, sides.ideas, sides.source, sides.heart];
            all.iter().map(|inner| if *inner { 1.0 } else { -1.0 }).sum::<f64>()
        });
        utility += match self.seen.mind.as_deref() {
            Some("INNER") => TENDENCY * lean,
            Some("OUTER") => -TENDENCY * lean,
            _ => 0.0,
        };
        if adds <= 0.0 {
            utility -= IDLE;
        }
        Some(Change { request, utility, adds })
    }

    fn is_next(&self, request: &Request) -> bool {
        let next = self.seen.plot.as_ref().and_then(|plot| plot.next.as_deref());
        next.and_then(|step| Request::as_typed(step).ok()).is_some_and(|step| step == *request)
    }

    /// What a change is worth to the axis that leans most.
    fn balance(&self, request: &Request) -> f64 {
        let Some((axis, [inner, outer])) = self.seen.plot.as_ref().and_then(|plot| plot.worst.clone()) else {
            return 0.0;
        };
        let sides =
            self.deed(request).and_then(|deed| Sides::of(&deed, self.is_next(request), &self.grid, &self.kinds));
        let Some(sides) = sides else { return 0.0 };
        let to_inner = match axis.as_str() {
            "identity" => sides.instinct,
            "experience" => sides.seen,
            "language" => sides.ideas,
            "domain" => sides.source,
            "purpose" => sides.heart,
            _ => return 0.0,
        };
        let lean = f64::from(inner.abs_diff(outer)) / 10.0;
        if to_inner == (inner < outer) { BALANCE * lean } else { -BALANCE * lean }
    }

    /// What comes to mind: changes that add something, and for a mind of a council some that only even out.
    fn changes(&self, chance: &mut Chance) -> Vec<Change> {
        let free: Vec<Cell> = Cell::all().filter(|cell| self.grid.at(*cell).is_none()).collect();
        let stands: Vec<Cell> = self.grid.elements().map(|element| element.at).collect();
        let mut adds = Vec::new();
        if !free.is_empty() {
            adds.extend((0..IDEAS_MAX).map(|_| Request::Add {
                kind: self.uses[chance.below(self.uses.len())].into(),
                at: free[chance.below(free.len())],
                label: "".into(),
            }));
        }
        let removes = stands.iter().map(|at| Request::Remove { at: *at });
        let mut moves = Vec::new();
        if !free.is_empty() {
            // Each thing may go to some places, not to all.
            for from in &stands {
                moves.extend((0..2).map(|_| Request::Move { from: *from, to: free[chance.below(free.len())] }));
            }
        }
        let all = adds.into_iter().chain(removes).chain(moves);
        let (mut worth, mut idle): (Vec<Change>, Vec<Change>) = all
            .filter_map(|request| self.valued(request))
            .filter(|change| change.adds >= 0.0)
            .partition(|c| c.adds > 0.0);
        if self.seen.mind.is_some() || worth.is_empty() {
            for _ in 0..IDLE_MAX.min(idle.len()) {
                worth.push(idle.swap_remove(chance.below(idle.len())));
            }
        }
        if self.seen.mind.is_none() {
            // Whoever has no role has no reason to do what adds nothing.
            worth.retain(|change| change.adds > 0.0);
        }
        worth
    }
}

fn act(request: &Request) -> Value {
    json!({"type": "command", "command": "build", "args": [request.to_string()]})
}

fn draw<'c>(changes: &'c [Change], chance: &mut Chance) -> Option<&'c Change> {
    let most = changes.iter().map(|change| change.utility).fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = changes.iter().map(|change| (change.utility - most).exp()).collect();
    let mut at = chance.share() * weights.iter().sum::<f64>();
    let drawn = changes.iter().zip(&weights).find(|(_, weight)| {
        at -= **weight;
        at <= 0.0
    });
    drawn.map(|(change, _)| change).or(changes.last())
}
