//! Plots in rooms: which room has one, who may build on it, and what becomes of a change: everybody there reads it, and
//! remembers it.
//!
//! What a change is, and whether it may be made, is worked by the crate `plot`. Invariants: a plot changes only here
//! (`change_plot`, `tend`), and its room is touched with it, so that its variable is read again.

use crate::act::Scene;
use crate::arena::CharacterId;
use crate::channel::row::Row;
use crate::ground::{Ground, absent, because, deed_of, named};
use crate::refusal::{Done, Refusal};
use crate::report::LineKind;
use crate::world::World;
use content::{PlotProto, RoomId, Text, Vnum};
use plot::{Built, Deed, Kinds, Order, Outcome as Came, Pending, Plot, Rule, Settled, quoted};
use protocol::outcome::{Outcome, Who};
use std::collections::BTreeSet;
use std::sync::Arc;

pub(crate) const NO_PLOT: Refusal = Refusal::new("There is no plot here that one could build on.");
const UNSEEN: Refusal = Refusal::new("You cannot see the ground here: it is too dark, or you are blind.");
const ONLY_PLAYERS: Refusal = Refusal::new("Plots are for those who have a name to sign with.");

impl From<plot::Refusal> for Refusal {
    fn from(refusal: plot::Refusal) -> Refusal {
        Refusal::from(refusal.to_string())
    }
}

fn as_built(proto: &PlotProto) -> Plot {
    let standing = proto.elements.iter().map(|row| (row.kind.clone(), row.at, row.label.clone()));
    Plot::new(proto.title.clone(), proto.rule, proto.task.clone(), standing)
}

impl World {
    /// What there is of a plot in a room: in the state, and in content. What content has no more is kept aside.
    fn plot_here(&self, room: RoomId) -> (Option<&Arc<Ground>>, Option<&PlotProto>) {
        let vnum = self.room_proto(room).vnum;
        let (ground, proto) = (self.state.plots.get(&vnum), self.content.plot(vnum));
        (ground.filter(|ground| !ground.founder.is_empty() || proto.is_some()), proto)
    }

    /// The plot of a room, as it stands now.
    pub fn plot_of(&self, room: RoomId) -> Option<Arc<Ground>> {
        let (ground, proto) = self.plot_here(room);
        let untouched = |proto| Arc::new(Ground { plot: as_built(proto), founder: Text::from("") });
        ground.cloned().or_else(|| proto.map(untouched))
    }

    /// The same by the number of the room.
    pub fn plot_at(&self, vnum: Vnum) -> Option<Arc<Ground>> {
        self.plot_of(self.room_by_vnum(vnum)?)
    }

    /// All that there are, by the numbers of their rooms.
    pub fn plots(&self) -> Vec<(Vnum, Arc<Ground>)> {
        let rooms = self.content.plots.iter().map(|proto| proto.room).chain(self.state.plots.keys().copied());
        let rooms: BTreeSet<Vnum> = rooms.collect();
        rooms.into_iter().filter_map(|vnum| Some((vnum, self.plot_at(vnum)?))).collect()
    }

    /// Whether a room has a plot, and what it is called.
    pub fn plot_title(&self, room: RoomId) -> Option<&Text> {
        let (ground, proto) = self.plot_here(room);
        ground.map(|ground| &ground.plot.title).or(proto.map(|proto| &proto.title))
    }

    /// The plot before somebody who sees it.
    pub fn plot_before(&self, who: CharacterId) -> Result<Arc<Ground>, Refusal> {
        let room = self.who(who).room;
        match self.plot_title(room) {
            None => Err(NO_PLOT),
            Some(_) if !self.sees_room(who) => Err(UNSEEN),
            Some(_) => self.plot_of(room).ok_or(NO_PLOT),
        }
    }

    /// Changes the plot before somebody, who signs with its name.
    pub(crate) fn change_plot<R>(
        &mut self,
        who: CharacterId,
        change: impl FnOnce(&mut Plot, &Text, u64, &Kinds) -> Result<R, plot::Refusal>,
    ) -> Result<R, Refusal> {
        if !self.who(who).is_player() {
            return Err(ONLY_PLAYERS);
        }
        let mut ground = self.plot_before(who)?;
        let (room, tick, by) = (self.who(who).room, self.tick(), self.who(who).name.clone());
        let vnum = self.room_proto(room).vnum;
        let content = self.content.clone();
        // What stands in the state is changed in place, unless a snapshot holds it, too.
        let was_changed = self.state.plots.remove(&vnum).is_some();
        let changed = change(&mut Arc::make_mut(&mut ground).plot, &by, tick, &content.plot_kinds);
        if was_changed || changed.is_ok() {
            self.state.plots.insert(vnum, ground);
        }
        // A refusal changes nothing.
        if changed.is_ok() {
            self.changed_plots.insert(vnum);
            self.state.rooms.touch(room);
        }
        Ok(changed?)
    }

    /// Lets go of what nobody agreed to in time, and has those look again who see what is contested no more.
    /// `every`: how many ticks ago it was done before.
    pub(crate) fn tend_plots(&mut self, every: u64) {
        let tick = self.tick();
        let due: Vec<Vnum> =
            self.state.plots.iter().filter(|(_, ground)| is_due(&ground.plot, tick, every)).map(|(v, _)| *v).collect();
        for vnum in due {
            let Some(ground) = self.state.plots.get_mut(&vnum) else { continue };
            if ground.plot.expires(tick) {
                self.changed_plots.insert(vnum);
                let late = Arc::make_mut(ground).plot.expire(tick);
                self.tell_late(&late);
            }
            if let Some(room) = self.content.room_id(vnum) {
                self.state.rooms.touch(room);
            }
        }
    }

    /// What waits on plots for somebody's word, told as it comes into the world.
    pub(crate) fn tell_requests(&mut self, who: CharacterId) {
        let (name, tick) = (self.who(who).name.clone(), self.tick());
        let mut told = Vec::new();
        for (vnum, ground) in &self.state.plots {
            let Some(room) = self.content.room_id(*vnum) else { continue };
            let place = &self.room_proto(room).name;
            for Pending { id, by, request, .. } in
                ground.plot.pending().iter().filter(|pending| pending.until >= tick && pending.asked == name)
            {
                told.push(format!(
                    "{by} asks for your consent at {place}: {request}. There: plot agree {id}, or plot refuse {id}"
                ));
            }
        }
        for text in told {
            self.send(who, LineKind::Text, text);
        }
    }

    fn tell_late(&mut self, late: &[Pending]) {
        for Pending { id, by, request, .. } in late {
            if let Some(asker) = self.find_player(by) {
                self.send(asker, LineKind::Text, format!("Nobody agreed in time to #{id}: {request}."));
            }
        }
    }

    /// Titles, rules and tasks are the builder's, whatever was built.
    pub(crate) fn fit_plots(&mut self) {
        let content = self.content.clone();
        for (vnum, ground) in &mut self.state.plots {
            let Some(proto) = content.plot(*vnum).filter(|_| ground.founder.is_empty()) else { continue };
            let plot = &ground.plot;
            if (&plot.title, plot.rule, &plot.task) != (&proto.title, proto.rule, &proto.task) {
                let plot = &mut Arc::make_mut(ground).plot;
                (plot.title, plot.rule, plot.task) = (proto.title.clone(), proto.rule, proto.task.clone());
            }
        }
    }

    /// All that was built, as it is kept outside of the world.
    pub fn plot_rows(&self) -> Vec<Row> {
        self.state.plots.iter().map(|(room, ground)| Row::Plot { room: *room, ground: ground.clone() }).collect()
    }

    /// Takes back what was built in a world before this one. Of rooms that this one lacks it is kept aside.
    pub(crate) fn restore_plots(&mut self, rows: &[Row]) {
        let tick = self.tick();
        for row in rows {
            let Row::Plot { room, ground } = row else { continue };
            let plot = ground.plot.clone().taken_over(tick);
            let ground = Ground { plot, founder: ground.founder.clone() };
            self.state.plots.entry(*room).or_insert_with(|| Arc::new(ground));
            if let Some(room) = self.content.room_id(*room) {
                self.state.rooms.touch(room);
            }
        }
        self.fit_plots();
    }

    /// A new plot where there is none. Its numbers go on from what was razed there.
    pub(crate) fn found_plot(&mut self, who: CharacterId, title: Text, rule: Rule) -> Done {
        let room = self.who(who).room;
        let vnum = self.room_proto(room).vnum;
        if let Some(title) = self.plot_title(room) {
            return Err(format!("There is a plot here already: {title}.").into());
        }
        let before = self.state.plots.get(&vnum);
        if before.is_some_and(|before| !before.plot.is_untouched()) {
            return Err(
                "What was built here is kept aside, since the room's plot is gone from its files. Raze it first: \
                        plot raze."
                    .into(),
            );
        }
        let plot = Plot::new(title, rule, Text::from(""), []);
        let plot = match before {
            Some(before) => plot.after(&before.plot),
            None => plot,
        };
        self.replace_plot(room, Ground { plot, founder: self.who(who).name.clone() });
        Ok(())
    }

    /// Takes away what was built in a room, with the plot itself unless content has it. What is left of it are its
    /// numbers.
    pub(crate) fn raze_plot(&mut self, who: CharacterId) -> Done {
        let room = self.who(who).room;
        let vnum = self.room_proto(room).vnum;
        let before = self.state.plots.get(&vnum);
        let before = before.filter(|before| !before.founder.is_empty() || !before.plot.is_untouched());
        let before = before.ok_or("Nothing was built here, and no plot was founded.")?;
        let bare = || Plot::new(Text::from(""), Rule::default(), Text::from(""), []);
        let plot = self.content.plot(vnum).map_or_else(bare, as_built).after(&before.plot);
        self.replace_plot(room, Ground { plot, founder: Text::from("") });
        Ok(())
    }

    fn replace_plot(&mut self, room: RoomId, ground: Ground) {
        let vnum = self.room_proto(room).vnum;
        self.state.plots.insert(vnum, Arc::new(ground));
        self.changed_plots.insert(vnum);
        self.state.rooms.touch(room);
    }
}

fn is_due(plot: &Plot, tick: u64, every: u64) -> bool {
    let over = |at: u64| at + plot::CONTEST_TICKS <= tick && at + plot::CONTEST_TICKS + every > tick;
    plot.expires(tick) || plot.changes().any(|change| over(change.tick))
}

/// Carries out an order, or has it wait.
pub(crate) fn build(world: &mut World, who: CharacterId, typed: &str) -> Done {
    let kinds = world.content.clone();
    let order = Order::parse(typed, &kinds.plot_kinds)?;
    let came = world.change_plot(who, |plot, by, tick, kinds| plot.build(&order, by, tick, kinds))?;
    match came {
        Came::Built(built) => tell_built(world, who, &built, &[]),
        Came::Waits(pending) => tell_waiting(world, who, &pending),
    }
    Ok(())
}

/// A word of consent, or against it.
pub(crate) fn settle(world: &mut World, who: CharacterId, id: u32, agrees: bool) -> Done {
    let settled = world.change_plot(who, |plot, by, tick, kinds| plot.settle(id, agrees, by, tick, kinds))?;
    let (pending, actor, others) = match &settled {
        Settled::Noted(pending) if agrees => (pending, "You agree to $t. One more has to.", "$n agrees to $t."),
        Settled::Noted(pending) => (pending, "You speak against $t. One more has to.", "$n speaks against $t."),
        Settled::Done(pending, _) => (pending, "You agree to $t, and it is done.", "$n agrees to $t."),
        Settled::Overtaken(pending, _) => (pending, "You agree to $t", "$n agrees to $t"),
        Settled::Refused(pending) => (pending, "You refuse $t.", "$n refuses $t."),
        Settled::Withdrawn(pending) => (pending, "You take your $t back.", "$n takes back $s $t."),
    };
    let text = match &settled {
        Settled::Withdrawn(_) => request_told(pending),
        Settled::Overtaken(pending, why) => {
            format!("{}, but it cannot be done any more, and is dropped. {why}", described(pending))
        }
        _ => described(pending),
    };
    world.show(&Scene::new(who, LineKind::Text).text(&text), actor, "", others);
    let asker = world.find_player(&pending.by).filter(|asker| *asker != who);
    if let Some(asker) = asker.filter(|asker| world.who(*asker).room != world.who(who).room) {
        let name = world.who(who).shown().clone();
        let verb = match settled {
            _ if agrees => "agrees to",
            Settled::Noted(_) => "speaks against",
            _ => "refuses",
        };
        let stop = if text.ends_with('.') { "" } else { "." };
        world.send(asker, LineKind::Text, format!("{name} {verb} {text}{stop}"));
    }
    if let Settled::Done(pending, built) = &settled {
        // It is the asker's doing, wherever that is now.
        match asker.filter(|asker| world.who(*asker).room == world.who(who).room) {
            Some(asker) => tell_built(world, asker, built, &pending.agreed),
            None => tell_done_for(world, who, asker, built, &pending.agreed),
        }
    }
    Ok(())
}

/// `Bob's request #4 (remove 3,4)`.
fn described(pending: &Pending) -> String {
    format!("{}'s {}", pending.by, request_told(pending))
}

fn request_told(pending: &Pending) -> String {
    format!("request #{} ({})", pending.id, pending.request)
}

fn tell_waiting(world: &mut World, who: CharacterId, pending: &Pending) {
    let Pending { id, request, asked, why, .. } = pending;
    let whom =
        if asked.is_empty() { "two others who built here".to_string() } else { format!("{asked}, or two others") };
    let text = format!("{request}{} (#{id})", because(why));
    let scene = Scene::new(who, LineKind::Text).text(&text);
    let actor = format!("That waits until {whom} agree: $t.");
    world.show(
        &scene,
        &actor.replace("others agree", "others who built here agree"),
        "",
        "$n asks for consent: $t. Answer with plot agree or plot refuse.",
    );
    let asked = world.find_player(asked).filter(|asked| *asked != who);
    if let Some(asked) = asked.filter(|asked| world.who(*asked).room != world.who(who).room) {
        let name = world.who(who).shown().clone();
        let place = world.room_proto(world.who(who).room).name.clone();
        let text = format!("{name} asks for your consent at {place}: {request}. There: plot agree {id}");
        world.send(asked, LineKind::Text, text);
    }
}

/// Everybody in the room reads what was built, and remembers it. `agreed`: whose wish it was, too.
fn tell_built(world: &mut World, who: CharacterId, built: &Built, agreed: &[Text]) {
    let here = world.who(who).room;
    let outcome = world.note(outcome_of(world, world.as_who(who), here, built));
    let what = named(&built.element.kind, &built.element.label);
    let (at, change) = (built.change.deed.at(), &built.change);
    let text = match &change.deed {
        Deed::Add(_) => format!("{what} at {at}"),
        Deed::Move { from, to, .. } => format!("{what} from {from} to {to}"),
        Deed::Remove(_) => format!("{what} from {at}"),
    };
    let why = if change.why.is_empty() { String::new() } else { format!(": {}", quoted(&change.why)) };
    let stop = if why.is_empty() { "." } else { "" };
    let text = format!("{text}{why}{stop}");
    let owner = owner_of(world, here, built);
    let mut scene = Scene::new(who, LineKind::Text).text(&text).outcome(&outcome);
    if let Some(owner) = owner {
        scene = scene.victim(owner);
    }
    let (actor, victim, room) = match (&change.deed, owner) {
        (Deed::Add(_), _) => ("You build $t", "", "$n builds $t"),
        (Deed::Move { .. }, Some(_)) => ("You move $t", "$n moves what you built, $t", "$n moves what $N built, $t"),
        (Deed::Move { .. }, None) => ("You move $t", "", "$n moves $t"),
        (Deed::Remove(_), Some(_)) => {
            ("You remove $t", "$n removes what you built, $t", "$n removes what $N built, $t")
        }
        (Deed::Remove(_), None) => ("You remove $t", "", "$n removes $t"),
    };
    world.show(&scene, actor, victim, room);
    let sufferer = owner.filter(|owner| !agreed.contains(&world.who(*owner).name));
    world.record_built(who, built, sufferer);
    world.tell_deed(who, world.room_proto(here).vnum, built);
    tell_steps(world, here, built);
}

/// Whoever asked is not `here`, where somebody else agreed: it is its doing all the same. Those who are there read and
/// remember whose wish is done, and so does whoever asked, if it is in the game.
fn tell_done_for(world: &mut World, here: CharacterId, asker: Option<CharacterId>, built: &Built, agreed: &[Text]) {
    let (room, by) = (world.who(here).room, &built.change.by);
    let doer = asker.map_or_else(|| absent(by), |asker| world.as_who(asker));
    let outcome = world.note(outcome_of(world, doer, room, built));
    let what = named(&built.element.kind, &built.element.label);
    let text = format!("{by}'s wish is done: {} {what}, {}.", built.change.deed.verb(), built.change.deed.at());
    let scene = Scene::new(here, LineKind::Text).text(&text).outcome(&outcome);
    world.show(&scene, "$t", "", "$t");
    if let Some(asker) = asker {
        let text = format!("It is done, as you asked: {what}, {}.", built.change.deed.at());
        world.send_outcome(asker, LineKind::Text, text, outcome);
    }
    let sufferer = owner_of(world, room, built).filter(|owner| !agreed.contains(&world.who(*owner).name));
    world.record_built_for(room, asker, built, sufferer);
    if let Some(asker) = asker {
        world.tell_deed(asker, world.room_proto(room).vnum, built);
    }
    tell_steps(world, room, built);
}

/// Whoever made a plan hears, where it is there, that a step of it is done. What ended many plans of one hand at once
/// is remembered as one.
fn tell_steps(world: &mut World, room: RoomId, built: &Built) {
    let mut glad: Vec<CharacterId> = Vec::new();
    for (id, is_over) in &built.steps {
        let Some(ground) = world.plot_of(room) else { continue };
        let Some(plan) = ground.plot.plans().iter().find(|plan| plan.id == *id) else { continue };
        let Some(maker) = world.find_player(&plan.by).filter(|maker| world.who(*maker).room == room) else { continue };
        let end = if *is_over { ", and with it the plan" } else { "" };
        let text = format!("That was a step of your plan #{id}, {}{end}.", quoted(&plan.text));
        world.send(maker, LineKind::Text, text);
        if *is_over && !glad.contains(&maker) {
            glad.push(maker);
            let plan = plan.clone();
            world.record_plan(maker, &plan);
        }
    }
}

/// Whoever built it, if that is another one who is here.
fn owner_of(world: &World, room: RoomId, built: &Built) -> Option<CharacterId> {
    let owner = built.element.builder().filter(|by| **by != built.change.by)?;
    world.find_player(owner).filter(|owner| world.who(*owner).room == room)
}

fn outcome_of(world: &World, who: Who, room: RoomId, built: &Built) -> Outcome {
    let Built { change, element, .. } = built;
    let some = |text: &Text| Some(text.clone()).filter(|text| !text.is_empty());
    Outcome::Built {
        who,
        plot: world.plot_title(room).cloned().unwrap_or_else(|| Text::from("")),
        deed: deed_of(&change.deed),
        kind: element.kind.clone(),
        at: change.deed.at().into(),
        from: match &change.deed {
            Deed::Move { from, .. } => Some((*from).into()),
            _ => None,
        },
        label: some(&element.label),
        owner: element.builder().filter(|by| **by != change.by).cloned(),
        reason: some(&change.why),
    }
}

#[cfg(test)]
mod tests;
