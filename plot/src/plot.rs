//! The plot itself: grid, what changed it, its memo and plans, and what waits for consent.
//!
//! Invariants: every change of the grid raises the revision by one and writes an entry of the memo; the newest fifty
//! changes are kept, so every entry's scene can be drawn.

use crate::axes::Axes;
use crate::bounds::{CONSENT_TICKS, CONTEST_TICKS, KEPT, Text};
use crate::cell::Cell;
use crate::change::{Built, Change, Sides};
use crate::deed::Deed;
use crate::element::Element;
use crate::grid::Grid;
use crate::kind::Kinds;
use crate::memo::{Action, Entry, Memo, Note, NoteKind};
use crate::order::{Order, Request};
use crate::pending::{ASKED_MAX, OTHERS, Outcome, PENDING_MAX, Pending, Settled};
use crate::plan::{OPEN_MAX, PLANS_KEPT, Plan, PlanStatus, Step};
use crate::refusal::Refusal;
use crate::words::quoted;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Who may move and remove what.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rule {
    /// Everybody everything.
    #[default]
    Free,
    /// Everybody what they built themselves.
    Own,
    /// What another built only when they agree, or two others who built here.
    Consent,
}

impl Rule {
    pub const ALL: [Rule; 3] = [Rule::Free, Rule::Own, Rule::Consent];

    pub fn word(self) -> &'static str {
        match self {
            Rule::Free => "free",
            Rule::Own => "own",
            Rule::Consent => "consent",
        }
    }

    pub fn parse(word: &str) -> Option<Rule> {
        Rule::ALL.into_iter().find(|rule| rule.word().eq_ignore_ascii_case(word))
    }
}

/// Changes of a cell that make it contested, where more than one hand made them.
const CONTEST_CHANGES: usize = 3;

/// How often a cell was changed, and by whom.
#[derive(Default)]
struct Tally<'c> {
    changes: usize,
    hand: Option<&'c Text>,
    /// By another one, too.
    is_mixed: bool,
}

impl<'c> Tally<'c> {
    fn count(&mut self, by: &'c Text) {
        self.changes += 1;
        self.is_mixed |= *self.hand.get_or_insert(by) != by;
    }

    fn is_contested(&self) -> bool {
        self.changes >= CONTEST_CHANGES && self.is_mixed
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Plot {
    pub title: Text,
    pub rule: Rule,
    /// The name of its task; empty: none.
    pub task: Text,
    grid: Grid,
    revision: u32,
    changes: VecDeque<Change>,
    memo: Memo,
    plans: Vec<Plan>,
    pending: Vec<Pending>,
    /// Ids of elements, plans and what waits: one counter for each.
    next_element: u32,
    next_plan: u32,
    next_pending: u32,
}

impl Plot {
    /// With what stands there before anybody builds: kind, cell and label.
    pub fn new(title: Text, rule: Rule, task: Text, standing: impl IntoIterator<Item = (Text, Cell, Text)>) -> Plot {
        let elements = standing.into_iter().zip(1..).map(|((kind, at, label), id)| Element {
            id,
            at,
            kind,
            label,
            by: "".into(),
            tick: 0,
            why: "".into(),
        });
        let grid = Grid::of(elements);
        let next_element = grid.elements().map(|element| element.id).max().unwrap_or(0) + 1;
        Plot {
            title,
            rule,
            task,
            grid,
            revision: 0,
            changes: VecDeque::new(),
            memo: Memo::default(),
            plans: Vec::new(),
            pending: Vec::new(),
            next_element,
            next_plan: 1,
            next_pending: 1,
        }
    }

    /// The same as what comes after another plot in its place: what is counted goes on from there, so that no number of
    /// what was means something else now.
    pub fn after(self, before: &Plot) -> Plot {
        let elements: Vec<Element> = (before.next_element..)
            .zip(self.grid.elements())
            .map(|(id, element)| Element { id, ..element.clone() })
            .collect();
        let next_element = before.next_element + elements.len() as u32;
        Plot {
            grid: Grid::of(elements),
            revision: before.revision + 1,
            memo: Memo::after(&before.memo),
            next_element,
            next_plan: before.next_plan,
            next_pending: before.next_pending,
            ..self
        }
    }

    /// The same in a world whose time begins anew: all that was is as of now at the latest, and what waited for consent
    /// waits no more. What hands quarrelled over among the changes that are kept is contested for a while once more.
    pub fn taken_over(mut self, tick: u64) -> Plot {
        self.pending.clear();
        let elements = self.grid.elements_mut().map(|element| &mut element.tick);
        let changes = self.changes.iter_mut().flat_map(|change| {
            let Change { tick, deed, .. } = change;
            deed.element_mut().map(|element| &mut element.tick).into_iter().chain([tick])
        });
        let plans = self.plans.iter_mut().map(|plan| &mut plan.tick);
        let entries = self.memo.entries_mut().map(|entry| &mut entry.tick);
        elements.chain(changes).chain(plans).chain(entries).for_each(|at| *at = tick.min(*at));
        self
    }

    /// Puts other words in the place of all that hands wrote. Names stay.
    pub fn rewrite(&mut self, write: &impl Fn(&str) -> String) {
        self.grid.elements_mut().for_each(|element| element.rewrite(write));
        for change in &mut self.changes {
            change.why = write(&change.why).into();
            if let Some(element) = change.deed.element_mut() {
                element.rewrite(write);
            }
        }
        for entry in self.memo.entries_mut() {
            // Of what the game says of a deed, the label is a hand's.
            entry.content = write(&entry.content).into();
            entry.reasoning = write(&entry.reasoning).into();
        }
        for plan in &mut self.plans {
            plan.text = write(&plan.text).into();
            for step in &mut plan.steps {
                step.text = write(&step.text).into();
                if let Some(request) = &mut step.request {
                    request.rewrite(write);
                }
            }
        }
        for pending in &mut self.pending {
            pending.why = write(&pending.why).into();
            pending.request.rewrite(write);
        }
    }

    /// Whether nobody did, wrote, planned or asked for anything since it began: each of these writes into the memo.
    pub fn is_untouched(&self) -> bool {
        self.memo.entries().len() == 0
    }

    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    pub fn revision(&self) -> u32 {
        self.revision
    }

    /// From the oldest that is kept.
    pub fn changes(&self) -> impl DoubleEndedIterator<Item = &Change> + ExactSizeIterator + Clone {
        self.changes.iter()
    }

    pub fn memo(&self) -> &Memo {
        &self.memo
    }

    pub fn plans(&self) -> &[Plan] {
        &self.plans
    }

    /// All open plans, and so many of those that have ended: the newest.
    pub fn plans_with_ended(&self, ended: usize) -> impl Iterator<Item = &Plan> {
        let all = self.plans.iter().filter(|plan| !plan.is_open()).count();
        let mut passed = all.saturating_sub(ended);
        self.plans.iter().filter(move |plan| {
            let is_old = !plan.is_open() && passed > 0;
            passed -= usize::from(is_old);
            !is_old
        })
    }

    pub fn pending(&self) -> &[Pending] {
        &self.pending
    }

    pub fn axes(&self) -> Axes {
        Axes::of(self.changes(), &self.grid)
    }

    /// Everybody who built what stands, or made one of the changes that are kept.
    pub fn builders(&self) -> BTreeSet<&Text> {
        let standing = self.grid.elements().filter_map(Element::builder);
        standing.chain(self.changes.iter().map(|change| &change.by)).collect()
    }

    /// Cells that more than one hand changed three times of late, row by row. One pass over the changes that are kept:
    /// it is asked for by everybody who looks.
    pub fn contested(&self, tick: u64) -> Vec<Cell> {
        let mut tallies: BTreeMap<Cell, Tally> = BTreeMap::new();
        for change in self.late(tick) {
            for cell in change.deed.cells() {
                tallies.entry(cell).or_default().count(&change.by);
            }
        }
        tallies.into_iter().filter(|(_, tally)| tally.is_contested()).map(|(cell, _)| cell).collect()
    }

    pub fn is_contested(&self, cell: Cell, tick: u64) -> bool {
        let mut tally = Tally::default();
        self.late(tick).filter(|change| change.deed.touches(cell)).for_each(|change| tally.count(&change.by));
        tally.is_contested()
    }

    fn late(&self, tick: u64) -> impl Iterator<Item = &Change> {
        self.changes.iter().filter(move |change| change.tick + CONTEST_TICKS > tick)
    }

    /// The grid as it was when that entry of the memo was written.
    pub fn scene(&self, n: u32) -> Result<Grid, Refusal> {
        let revision = self.memo.entry(n)?.revision;
        let mut grid = self.grid.clone();
        for change in self.changes.iter().rev().take_while(|change| change.revision > revision) {
            let undone = grid.apply(&change.deed.inverse());
            debug_assert!(undone, "a change is undone from what it left");
        }
        Ok(grid)
    }

    /// Does it, or has it wait for consent.
    pub fn build(&mut self, order: &Order, by: &Text, tick: u64, kinds: &Kinds) -> Result<Outcome, Refusal> {
        let Order { request, why } = order;
        request.check(&self.grid)?;
        match self.whose_consent(request, by, tick)? {
            None => self.carry_out(request, by, why, tick, kinds).map(Outcome::Built),
            Some(asked) => self.ask(request, by, why, asked, tick).map(Outcome::Waits),
        }
    }

    /// What a request would move or remove.
    fn touched_by(&self, request: &Request) -> Option<&Element> {
        match request {
            Request::Add { .. } => None,
            Request::Move { from: at, .. } | Request::Remove { at } => self.grid.at(*at),
        }
    }

    /// Who has to agree: nobody, or one, or with an empty name nobody in particular.
    fn whose_consent(&self, request: &Request, by: &Text, tick: u64) -> Result<Option<Text>, Refusal> {
        let touched = self.touched_by(request);
        if let Some(element) = touched.filter(|element| element.by != *by) {
            match self.rule {
                Rule::Own => {
                    return Err(Refusal::NotYours { at: element.at, by: element.builder().cloned() });
                }
                Rule::Consent => return Ok(Some(element.by.clone())),
                Rule::Free => {}
            }
        }
        let Some(cell) = request.cells().find(|cell| self.is_contested(*cell, tick)) else { return Ok(None) };
        if let Some(element) = touched.filter(|element| element.by != *by) {
            return Ok(Some(element.by.clone()));
        }
        // One's own there, or an empty cell: the other hand that changed it last.
        let other = self.changes.iter().rev().find(|change| change.deed.touches(cell) && change.by != *by);
        Ok(Some(other.map_or(Text::from(""), |change| change.by.clone())))
    }

    fn ask(&mut self, request: &Request, by: &Text, why: &Text, asked: Text, tick: u64) -> Result<Pending, Refusal> {
        let own = || self.pending.iter().filter(|pending| pending.by == *by && pending.until >= tick);
        if let Some(same) = own().find(|pending| pending.request == *request) {
            return Err(Refusal::AskedAlready { id: same.id });
        }
        if own().count() >= ASKED_MAX {
            return Err(Refusal::AskedTooMuch(ASKED_MAX));
        }
        if self.pending.len() >= PENDING_MAX {
            return Err(Refusal::TooManyAsked);
        }
        let id = self.next_pending;
        self.next_pending += 1;
        let pending = Pending {
            id,
            by: by.clone(),
            request: request.clone(),
            element: self.touched_by(request).map(|element| element.id),
            why: why.clone(),
            asked: asked.clone(),
            agreed: Vec::new(),
            refused: Vec::new(),
            until: tick + CONSENT_TICKS,
        };
        self.pending.push(pending.clone());
        let to = if asked.is_empty() { "ALL".into() } else { asked };
        self.write(tick, by, to, NoteKind::Request, format!("#{id}: {request}"), why.clone(), None);
        Ok(pending)
    }

    /// Somebody agrees to what waits, or refuses it. A refusal to do that changes nothing.
    pub fn settle(&mut self, id: u32, agrees: bool, by: &Text, tick: u64, kinds: &Kinds) -> Result<Settled, Refusal> {
        let at = self.pending.iter().position(|pending| pending.id == id && pending.until >= tick);
        let at = at.ok_or(Refusal::NoPending(id))?;
        let pending = &self.pending[at];
        if pending.by == *by {
            if agrees {
                return Err(Refusal::OwnRequest(id));
            }
            let pending = self.pending.remove(at);
            let content = format!("withdraws #{id}: {}", pending.request);
            self.write(tick, by, "ALL".into(), NoteKind::Coordination, content, "".into(), None);
            return Ok(Settled::Withdrawn(pending));
        }
        let decides = !pending.asked.is_empty() && pending.asked == *by;
        if !decides && !self.builders().contains(by) {
            return Err(Refusal::NoBuilder(id));
        }
        if pending.agreed.contains(by) && agrees {
            return Err(Refusal::AgreedAlready(id));
        }
        if pending.refused.contains(by) && !agrees {
            return Err(Refusal::RefusedAlready(id));
        }
        let verb = match (agrees, decides || pending.refused.len() + 1 >= OTHERS) {
            (true, _) => "agrees to",
            (false, true) => "refuses",
            (false, false) => "speaks against",
        };
        let content = format!("{verb} #{id}: {}", pending.request);
        let to = pending.by.clone();
        self.write(tick, by, to, NoteKind::Coordination, content, "".into(), None);
        let pending = &mut self.pending[at];
        // Whoever thinks again takes back what they said.
        pending.agreed.retain(|name| name != by);
        pending.refused.retain(|name| name != by);
        let said = if agrees { &mut pending.agreed } else { &mut pending.refused };
        said.push(by.clone());
        if !decides && said.len() < OTHERS {
            return Ok(Settled::Noted(pending.clone()));
        }
        let pending = self.pending.remove(at);
        if !agrees {
            return Ok(Settled::Refused(pending));
        }
        Ok(match self.carry_out_agreed(&pending, tick, kinds) {
            Ok(built) => Settled::Done(pending, Box::new(built)),
            Err(why) => {
                let (content, to) = (format!("cannot be done any more: #{id}"), pending.by.clone());
                self.write(tick, by, to, NoteKind::Coordination, content, "".into(), None);
                Settled::Overtaken(pending, why)
            }
        })
    }

    fn carry_out_agreed(&mut self, pending: &Pending, tick: u64, kinds: &Kinds) -> Result<Built, Refusal> {
        let Pending { request, by, why, .. } = pending;
        request.check(&self.grid)?;
        match self.touched_by(request) {
            Some(element) if pending.element != Some(element.id) => Err(Refusal::Replaced(element.at)),
            _ => self.carry_out(request, by, why, tick, kinds),
        }
    }

    /// What nobody agreed to in time; it is gone with this.
    pub fn expire(&mut self, tick: u64) -> Vec<Pending> {
        let (late, waits): (Vec<Pending>, _) =
            std::mem::take(&mut self.pending).into_iter().partition(|pending| pending.until < tick);
        self.pending = waits;
        for Pending { id, by, request, .. } in &late {
            let content = format!("#{id} ran out: {request}");
            self.write(tick, by, "ALL".into(), NoteKind::Coordination, content, "".into(), None);
        }
        late
    }

    /// Whether `expire` would find anything.
    pub fn expires(&self, tick: u64) -> bool {
        self.pending.iter().any(|pending| pending.until < tick)
    }

    fn carry_out(
        &mut self,
        request: &Request,
        by: &Text,
        why: &Text,
        tick: u64,
        kinds: &Kinds,
    ) -> Result<Built, Refusal> {
        let deed = match request {
            Request::Add { kind, at, label } => Deed::Add(Element {
                id: self.next_element,
                at: *at,
                kind: kind.clone(),
                label: label.clone(),
                by: by.clone(),
                tick,
                why: why.clone(),
            }),
            Request::Move { from, to } => {
                Deed::Move { id: self.grid.at(*from).ok_or(Refusal::Empty(*from))?.id, from: *from, to: *to }
            }
            Request::Remove { at } => Deed::Remove(self.grid.at(*at).cloned().ok_or(Refusal::Empty(*at))?),
        };
        let planned = self.plans.iter().any(|plan| plan.wants(&deed));
        let sides = Sides::of(&deed, planned, &self.grid, kinds).ok_or(Refusal::Empty(deed.at()))?;
        if !self.grid.apply(&deed) {
            request.check(&self.grid)?;
            return Err(Refusal::Empty(deed.at()));
        }
        if matches!(deed, Deed::Add(_)) {
            self.next_element += 1;
        }
        self.revision += 1;
        let element = match &deed {
            Deed::Remove(element) => element.clone(),
            _ => self.grid.at(deed.at()).cloned().ok_or(Refusal::Empty(deed.at()))?,
        };
        let mut steps = Vec::new();
        for plan in &mut self.plans {
            if plan.fulfil(&deed) {
                steps.push((plan.id, plan.status == PlanStatus::Done));
            }
        }
        let action = Action::of(&deed, &element.kind);
        let change = Change { revision: self.revision, tick, by: by.clone(), why: why.clone(), deed, sides };
        let built = Built { change, element, steps };
        self.changes.push_back(built.change.clone());
        while self.changes.len() > KEPT {
            self.changes.pop_front();
        }
        self.write(tick, by, "ALL".into(), NoteKind::ActionLog, built.told(), why.clone(), Some(action));
        Ok(built)
    }

    #[allow(clippy::too_many_arguments, reason = "the fields of an entry, in its order")]
    fn write(
        &mut self,
        tick: u64,
        from: &Text,
        to: Text,
        kind: NoteKind,
        content: String,
        reasoning: Text,
        action: Option<Action>,
    ) {
        let (from, content, revision) = (from.clone(), content.into(), self.revision);
        let said = false;
        self.memo.write(Entry { n: 0, tick, from, to, kind, content, said, reasoning, action, revision });
    }

    /// Writes what somebody has to say into the memo.
    pub fn note(&mut self, note: Note, by: &Text, tick: u64) {
        let Note { to, kind, content } = note;
        let (from, revision) = (by.clone(), self.revision);
        let (said, reasoning, action) = (true, "".into(), None);
        self.memo.write(Entry { n: 0, tick, from, to, kind, content, said, reasoning, action, revision });
    }

    /// Makes a plan, whose id it gives back.
    pub fn plan(&mut self, text: Text, steps: Vec<Step>, by: &Text, tick: u64) -> Result<u32, Refusal> {
        let open = self.plans.iter().filter(|plan| plan.is_open() && plan.by == *by).count();
        if open >= OPEN_MAX {
            return Err(Refusal::TooManyPlans(OPEN_MAX));
        }
        if self.plans.len() >= PLANS_KEPT {
            // The oldest that has ended makes room.
            let ended = self.plans.iter().position(|plan| !plan.is_open());
            self.plans.remove(ended.ok_or(Refusal::NoPlaceForPlan(PLANS_KEPT))?);
        }
        let id = self.next_plan;
        self.next_plan += 1;
        let content = format!("plan #{id}: {}", quoted(&text));
        let (by_hand, status) = (by.clone(), PlanStatus::InProgress);
        self.plans.push(Plan { id, by: by_hand, tick, text, status, built: false, steps });
        self.write(tick, by, "ALL".into(), NoteKind::Coordination, content, "".into(), None);
        Ok(id)
    }

    /// Ticks a step off, from 1; whether that was the last.
    pub fn plan_done(&mut self, id: u32, step: usize, by: &Text) -> Result<bool, Refusal> {
        let plan = self.own_plan(id, by)?;
        let steps = plan.steps.len();
        let found = step.checked_sub(1).and_then(|at| plan.steps.get_mut(at));
        let found = found.ok_or(Refusal::NoStep { plan: id, step, steps })?;
        if found.done {
            return Err(Refusal::StepDone { plan: id, step });
        }
        found.done = true;
        plan.end_if_done();
        Ok(plan.status == PlanStatus::Done)
    }

    pub fn plan_drop(&mut self, id: u32, by: &Text) -> Result<(), Refusal> {
        self.own_plan(id, by)?.status = PlanStatus::Abandoned;
        Ok(())
    }

    fn own_plan(&mut self, id: u32, by: &Text) -> Result<&mut Plan, Refusal> {
        let plan = self.plans.iter_mut().find(|plan| plan.id == id).ok_or(Refusal::NoPlan(id))?;
        if plan.by != *by {
            return Err(Refusal::NotYourPlan { id, by: plan.by.clone() });
        }
        if !plan.is_open() {
            return Err(Refusal::PlanEnded(id));
        }
        Ok(plan)
    }
}

#[cfg(test)]
mod tests;
