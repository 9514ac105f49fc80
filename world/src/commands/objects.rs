//! Taking things up and letting them go: get, drop, put, give, junk, donate.
//!
//! Bystanders who cannot see the actor notice none of this. Coins are things only while they lie somewhere; whoever
//! takes them up has gold. Eating, wearing and trading have files of their own.

use crate::act::{Scene, capitalised};
use crate::arena::{CharacterId, ObjectId};
use crate::character::*;
use crate::coins::{GOLD_MAX, coins_meant, coins_text, lay_coins, split_coins};
use crate::commands::selection::{Wanted, carried, each};
use crate::draws::Draw;
use crate::find::{Target, Which, first_argument};
use crate::happenings::LettingGo;
use crate::jail;
use crate::object::Place;
use crate::pickup::take_up;
use crate::refusal::{Done, Refusal};
use crate::report::LineKind;
use crate::rng::Stream;
use crate::script::{Event, Owner};
use crate::task::Deed;
use crate::tasks;
use crate::world::World;
use content::flags::*;
use content::scripts::Hook;
use content::{ObjectKind, RoomId};
use protocol::Outcome;

/// Bags in bags end here: whoever walks through a thing and its contents goes no deeper than this.
const NESTING_MAX: usize = 8;
/// Things directly inside one container, so that weightless ones do not make it bottomless.
const CONTENTS_MAX: usize = 200;
/// What a dump pays for a thing: a tenth of its cost, and never more than this many coins.
const DUMP_PAY_MAX: i32 = 50;

pub fn get(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (what, rest) = Wanted::parse(args);
    let (from, _) = first_argument(rest);
    if what.is_empty() {
        return Err("What do you want to get?".into());
    }
    if from.is_empty() { get_off_floor(world, who, what) } else { get_out_of(world, who, what, from) }
}

fn get_off_floor(world: &mut World, who: CharacterId, what: Wanted<'_>) -> Done {
    let mut found = what.among(world, who, &world.room(world.who(who).room).objects);
    if what.is_all() {
        // Whoever takes everything does not mean the fountain.
        found.retain(|id| world.object(*id).can_be(WearFlags::TAKE));
        if found.is_empty() {
            return Err(match world.sees_room(who) {
                true => "You see nothing here to take.".into(),
                false => unseen(world, who),
            });
        }
    }
    if found.is_empty() {
        return Err(no_such(world, who, what.word()));
    }
    each(world, who, found, |world, object| take(world, who, object, None))
}

fn get_out_of(world: &mut World, who: CharacterId, what: Wanted<'_>, from: &str) -> Done {
    let containers = find_containers(world, who, from)?;
    if let [container] = containers[..] {
        return get_all_inside(world, who, what, container);
    }
    // Of several, those with nothing fitting in them are passed over.
    let mut last = Refusal::from("There is nothing in any of them that you could take.");
    let mut done = false;
    for container in containers {
        // What came of the one before may have taken it away.
        if world.get_object(container).is_none() {
            continue;
        }
        match get_all_inside(world, who, what, container) {
            Ok(()) => done = true,
            Err(refusal) => last = refusal,
        }
    }
    if done { Ok(()) } else { Err(last) }
}

fn get_all_inside(world: &mut World, who: CharacterId, what: Wanted<'_>, container: ObjectId) -> Done {
    let object = world.object(container);
    if object.is_closed() {
        return Err(format!("{} is closed.", capitalised(&object.definite())).into());
    }
    let found = what.among(world, who, &object.contents);
    if found.is_empty() {
        let word = what.word();
        return Err(if word.is_empty() {
            format!("There is nothing in {}.", object.definite()).into()
        } else {
            format!("You see no {word} in {}.", object.definite()).into()
        });
    }
    each(world, who, found, |world, object| take(world, who, object, Some(container)))
}

/// The container that a word means, or all of them for `all` and `all.corpse`. Never empty.
fn find_containers(world: &World, who: CharacterId, text: &str) -> Result<Vec<ObjectId>, Refusal> {
    let target = Target::parse(text);
    if target.which != Which::All {
        let Some(found) = world.find_near(who, text) else {
            return Err(no_such(world, who, target.word));
        };
        if !world.object(found).is_container() {
            return Err(
                format!("{} holds nothing and never will.", capitalised(&world.object(found).definite())).into()
            );
        }
        return Ok(vec![found]);
    }
    let character = world.who(who);
    let near: Vec<ObjectId> = character.carrying.iter().chain(&world.room(character.room).objects).copied().collect();
    let mut found = world.find_objects_in(who, &near, text);
    found.retain(|id| world.object(*id).is_container());
    match found.is_empty() {
        true if world.sees_room(who) => Err("You see no such container here.".into()),
        true => Err(unseen(world, who)),
        false => Ok(found),
    }
}

/// There is nothing by that word, as far as one can see.
fn no_such(world: &World, who: CharacterId, word: &str) -> Refusal {
    match world.sees_room(who) {
        true => format!("You see no {word} here.").into(),
        false => unseen(world, who),
    }
}

/// What is said to who gropes about for what lies in the dark.
fn unseen(world: &World, who: CharacterId) -> Refusal {
    if world.who(who).is(AffectFlags::BLIND) {
        return "You are blind, and find nothing that you do not have on you.".into();
    }
    match world.own_corpse_felt(who) {
        Some(_) => "It is too dark to find that. All you can feel is your own corpse: get all corpse".into(),
        None => "It is too dark to find anything that you do not have on you. You need a light. (help light)".into(),
    }
}

/// As `take_up`, and shares coins with the group when the taker wants that.
fn take(world: &mut World, who: CharacterId, object: ObjectId, container: Option<ObjectId>) -> Done {
    let kind = &world.object(object).kind;
    let coins = if let ObjectKind::Money { coins } = kind { *coins } else { 0 };
    take_up(world, who, object, container)?;
    if coins > 1 && world.who(who).player_flags().has(PlayerFlags::AUTO_SPLIT) {
        split_coins(world, who, coins);
    }
    Ok(())
}

/// Cursed things stay with whoever has taken them.
pub(super) fn may_let_go(world: &World, who: CharacterId, object: ObjectId) -> Done {
    let object = world.object(object);
    if object.flags.has(ObjectFlags::NO_DROP) && !world.who(who).is_immortal() {
        return Err(format!("{} will not leave your hand. It must be cursed.", capitalised(&object.definite())).into());
    }
    Ok(())
}

pub fn drop(world: &mut World, who: CharacterId, args: &str) -> Done {
    if let Some((coins, _)) = coins_meant(world, who, args)? {
        let room = world.who(who).room;
        world.who_mut(who).gold -= coins;
        lay_coins(world, coins, Place::Room(room));
        let actor = world.as_who(who);
        let outcome = world.note(Outcome::Dropped { who: actor, item: None, gold: Some(coins.into()), into: None });
        let scene = Scene::new(who, LineKind::Drop).hidden().outcome(&outcome);
        world.show(&scene, &format!("You drop {}.", coins_text(coins)), "", "$n drops some gold.");
        return Ok(());
    }
    let (what, _) = Wanted::parse(args);
    if what.is_empty() {
        return Err("What do you want to drop?".into());
    }
    let found = carried(world, who, what)?;
    let dump = world.room_flags(world.who(who).room).has(RoomFlags::DUMP);
    let mut pay = 0;
    each(world, who, found, |world, object| {
        let cost = world.object(object).cost;
        drop_one(world, who, object, dump)?;
        pay += (cost / 10).clamp(0, DUMP_PAY_MAX);
        Ok(())
    })?;
    pay = pay.min((GOLD_MAX - world.who(who).gold).max(0));
    if dump && pay > 0 {
        world.who_mut(who).gold += pay;
        world.mint(i64::from(pay));
        world.send(who, LineKind::Text, format!("Something rolls back out of the rubbish: {}.", coins_text(pay)));
    }
    Ok(())
}

fn drop_one(world: &mut World, who: CharacterId, object: ObjectId, dump: bool) -> Done {
    may_let_go(world, who, object)?;
    let room = Owner::Room(world.room_proto(world.who(who).room).vnum);
    let event = Event { actor: Some(who), object: Some(object), ..Event::new(Hook::OnDrop, room) };
    let prevented = world.fire(&event);
    if prevented || world.get_object(object).is_none_or(|o| o.place != Place::Carried(who)) {
        return Err(Refusal::prevented());
    }
    let (actor, item) = (world.as_who(who), Some(world.as_object_ref(object)));
    let outcome = world.note(Outcome::Dropped { who: actor, item, gold: None, into: None });
    world.record_letting_go(who, object, LettingGo::Drop);
    let scene = Scene::new(who, LineKind::Drop).hidden().object(object).outcome(&outcome);
    // Told first: in the dark one knows what one holds, not what lies on the floor.
    if dump {
        let voices = ["You drop $p, and the rubbish closes over it.", "$n drops $p, and the rubbish closes over it."];
        world.show(&scene, voices[0], "", voices[1]);
        world.extract_object(object);
    } else {
        world.show(&scene, "You drop $p.", "", "$n drops $p.");
        let room = world.who(who).room;
        world.place_object(object, Place::Room(room));
    }
    Ok(())
}

pub fn put(world: &mut World, who: CharacterId, args: &str) -> Done {
    let coins = coins_meant(world, who, args)?;
    let (what, rest) = match coins {
        Some((_, rest)) => (Wanted::named("coins"), rest),
        None => Wanted::parse(args),
    };
    let (into, _) = first_argument(rest);
    if what.is_empty() {
        return Err("What do you want to put, and into what?".into());
    }
    if into.is_empty() {
        return Err("Into what do you want to put it?".into());
    }
    let Some(container) = world.find_near(who, into) else {
        return Err(format!("You see no {into} here.").into());
    };
    let object = world.object(container);
    if !object.is_container() {
        return Err(format!("Nothing can be put into {}.", object.definite()).into());
    }
    if object.is_closed() {
        return Err(format!("{} is closed.", capitalised(&object.definite())).into());
    }
    if let Some((coins, _)) = coins {
        return put_coins(world, who, coins, container);
    }
    let mut found = carried(world, who, what)?;
    if what.is_all() {
        // Whoever packs everything into a bag does not mean the bag.
        found.retain(|id| *id != container);
        if found.is_empty() {
            return Err("You have nothing to put into it.".into());
        }
    }
    each(world, who, found, |world, object| put_one(world, who, object, container))
}

fn put_coins(world: &mut World, who: CharacterId, coins: i32, container: ObjectId) -> Done {
    if world.object(container).contents.len() >= CONTENTS_MAX {
        return Err(format!("{} is full.", capitalised(&world.object(container).definite())).into());
    }
    world.who_mut(who).gold -= coins;
    lay_coins(world, coins, Place::Inside(container));
    let (actor, into) = (world.as_who(who), Some(world.as_object_ref(container)));
    let outcome = world.note(Outcome::Dropped { who: actor, item: None, gold: Some(coins.into()), into });
    let scene = Scene::new(who, LineKind::Drop).hidden().other(container).outcome(&outcome);
    world.show(&scene, &format!("You put {} into $P.", coins_text(coins)), "", "$n puts some gold into $P.");
    Ok(())
}

fn put_one(world: &mut World, who: CharacterId, object: ObjectId, container: ObjectId) -> Done {
    may_let_go(world, who, object)?;
    if world.is_inside(container, object) {
        return Err(format!("You cannot fold {} into itself.", world.object(object).definite()).into());
    }
    fits(world, object, container)?;
    let (actor, item, into) =
        (world.as_who(who), Some(world.as_object_ref(object)), Some(world.as_object_ref(container)));
    let outcome = world.note(Outcome::Dropped { who: actor, item, gold: None, into });
    if !world.is_on(container, who) {
        world.record_letting_go(who, object, LettingGo::Drop);
    }
    let scene = Scene::new(who, LineKind::Drop).hidden().object(object).other(container).outcome(&outcome);
    world.show(&scene, "You put $p into $P.", "", "$n puts $p into $P.");
    world.place_object(object, Place::Inside(container));
    Ok(())
}

/// Room by weight (the capacity is in pounds), by number and by depth.
fn fits(world: &World, object: ObjectId, container: ObjectId) -> Done {
    let outer = world.object(container);
    let ObjectKind::Container { capacity, .. } = outer.kind else { unreachable!("put looks for containers") };
    let inside = world.weight_of(container) - outer.weight;
    if inside + world.weight_of(object) > capacity
        || outer.contents.len() >= CONTENTS_MAX
        || depth(world, container) + height(world, object) > NESTING_MAX
    {
        return Err(format!(
            "{} does not fit into {}.",
            capitalised(&world.object(object).definite()),
            outer.definite()
        )
        .into());
    }
    Ok(())
}

/// How many containers a thing is in, itself included.
fn depth(world: &World, object: ObjectId) -> usize {
    match world.object(object).place {
        Place::Inside(container) => 1 + depth(world, container),
        _ => 1,
    }
}

/// How many things stand in each other at most, this one included.
fn height(world: &World, object: ObjectId) -> usize {
    1 + world.object(object).contents.iter().map(|id| height(world, *id)).max().unwrap_or(0)
}

pub fn give(world: &mut World, who: CharacterId, args: &str) -> Done {
    let coins = coins_meant(world, who, args)?;
    let (what, rest) = match coins {
        Some((_, rest)) => (Wanted::named("coins"), rest),
        None => Wanted::parse(args),
    };
    let (to, _) = first_argument(rest);
    if what.is_empty() {
        return Err("What do you want to give, and to whom?".into());
    }
    if to.is_empty() {
        return Err("To whom do you want to give it?".into());
    }
    let receiver = world.here(who, to)?;
    if receiver == who {
        return Err("You have it already.".into());
    }
    if !world.who(receiver).is_awake() {
        let name = capitalised(world.who(receiver).shown());
        return Err(format!("{name} is in no state to take anything.").into());
    }
    if let Some((coins, _)) = coins {
        return give_coins(world, who, coins, receiver);
    }
    let found = carried(world, who, what)?;
    each(world, who, found, |world, object| give_one(world, who, object, receiver))
}

pub(crate) fn give_coins(world: &mut World, who: CharacterId, coins: i32, receiver: CharacterId) -> Done {
    if coins > GOLD_MAX - world.who(receiver).gold {
        return Err(format!("{} could not carry that much gold.", capitalised(world.who(receiver).shown())).into());
    }
    // Who takes money for something else too, takes it.
    if !world.hears(receiver, Hook::Bribe) {
        not_too_early(world, who, receiver, &Deed::Paid { to: receiver, coins })?;
    }
    world.who_mut(who).gold -= coins;
    world.who_mut(receiver).gold += coins;
    let outcome = world.note(Outcome::Given {
        giver: world.as_who(who),
        receiver: world.as_who(receiver),
        item: None,
        gold: Some(coins.into()),
    });
    world.record_gift(who, receiver, None, coins);
    world.did(who, Deed::Paid { to: receiver, coins });
    let scene = Scene::new(who, LineKind::Give).hidden().victim(receiver).outcome(&outcome);
    let text = coins_text(coins);
    world.show(&scene, &format!("You give $N {text}."), &format!("$n gives you {text}."), "$n gives $N some gold.");
    world.fire(&Event { actor: Some(who), amount: coins, ..Event::new(Hook::Bribe, Owner::Mob(receiver)) });
    jail::take_bribe(world, who, receiver, coins);
    Ok(())
}

/// What a task asks for later is not lost to whoever asks for it.
fn not_too_early(world: &World, who: CharacterId, receiver: CharacterId, gift: &Deed) -> Done {
    let Some(first) = tasks::comes_first(world, who, gift) else { return Ok(()) };
    let name = capitalised(world.who(receiver).shown());
    Err(format!("{name} will not take that from you yet. First comes: {first}.").into())
}

fn give_one(world: &mut World, who: CharacterId, object: ObjectId, receiver: CharacterId) -> Done {
    // What came of the gift before may have sent it away.
    if world.character(receiver).is_none_or(|r| r.room != world.who(who).room) {
        return Err("There is nobody there any more to take it.".into());
    }
    may_let_go(world, who, object)?;
    let name = capitalised(world.who(receiver).shown());
    // What somebody has asked for is put away at once.
    let wanted = tasks::is_wanted(world, who, object, receiver);
    let trade = if wanted { None } else { world.trade_for(who, receiver, object) };
    if trade.is_some() && !world.attends(receiver, who) {
        return Err(format!("{name} has no mind for that now.").into());
    }
    if trade.is_none() && !world.hears(receiver, Hook::OnGive) {
        not_too_early(world, who, receiver, &Deed::Gave { to: receiver, object })?;
    }
    let put_away = wanted || trade.is_some();
    if !put_away && world.hands_full(receiver) {
        return Err(format!("{name} has no hand free.").into());
    }
    if !put_away && world.too_heavy_for(receiver, world.weight_of(object)) {
        return Err(format!("{name} cannot carry {} as well.", world.object(object).definite()).into());
    }
    world.place_object(object, Place::Carried(receiver));
    let outcome = world.note(Outcome::Given {
        giver: world.as_who(who),
        receiver: world.as_who(receiver),
        item: Some(world.as_object_ref(object)),
        gold: None,
    });
    world.record_gift(who, receiver, Some(object), 0);
    world.did(who, Deed::Gave { to: receiver, object });
    let scene = Scene::new(who, LineKind::Give).hidden().victim(receiver).object(object).outcome(&outcome);
    world.show(&scene, "You give $p to $N.", "$n gives you $p.", "$n gives $p to $N.");
    if let Some(trade) = trade {
        world.barter(who, receiver, object, &trade);
    } else if !wanted {
        let event = Event { actor: Some(who), object: Some(object), ..Event::new(Hook::OnGive, Owner::Mob(receiver)) };
        world.fire(&event);
    }
    Ok(())
}

/// What `junk` and `donate` mean; a bare `all` is more likely a slip than a wish.
fn spared(world: &World, who: CharacterId, args: &str, verb: &str) -> Result<Vec<ObjectId>, Refusal> {
    let (what, _) = Wanted::parse(args);
    if what.is_empty() {
        return Err(format!("What do you want to {verb}?").into());
    }
    if what.is_all() && what.word().is_empty() {
        return Err(format!("You do not mean that. Name what you want to {verb}.").into());
    }
    carried(world, who, what)
}

pub fn junk(world: &mut World, who: CharacterId, args: &str) -> Done {
    let found = spared(world, who, args, "junk")?;
    each(world, who, found, |world, object| {
        may_let_go(world, who, object)?;
        let (actor, item) = (world.as_who(who), Some(world.as_object_ref(object)));
        let outcome = world.note(Outcome::Dropped { who: actor, item, gold: None, into: None });
        world.record_letting_go(who, object, LettingGo::ThrowAway);
        let scene = Scene::new(who, LineKind::Drop).hidden().object(object).outcome(&outcome);
        world.show(&scene, "You break up $p and scatter it.", "", "$n breaks up $p and scatters it.");
        world.extract_object(object);
        Ok(())
    })
}

pub fn donate(world: &mut World, who: CharacterId, args: &str) -> Done {
    let found = spared(world, who, args, "donate")?;
    let content = world.content.clone();
    if content.donation_rooms().is_empty() {
        return Err("There is nowhere in this world for gifts to go.".into());
    }
    each(world, who, found, |world, object| {
        may_let_go(world, who, object)?;
        let o = world.object(object);
        if o.flags.has(ObjectFlags::NO_DONATE) || matches!(o.kind, ObjectKind::Trash) {
            return Err(format!("Nobody in need would be helped by {}.", o.short).into());
        }
        let mut dice = world.draw(Stream::Command, Draw::Place);
        let to = *dice.pick(content.donation_rooms()).expect("it was seen not to be empty");
        donate_one(world, who, object, to);
        Ok(())
    })
}

fn donate_one(world: &mut World, who: CharacterId, object: ObjectId, to: RoomId) {
    let (actor, item) = (world.as_who(who), Some(world.as_object_ref(object)));
    let outcome = world.note(Outcome::Dropped { who: actor, item, gold: None, into: None });
    world.record_letting_go(who, object, LettingGo::Drop);
    let scene = Scene::new(who, LineKind::Drop).object(object);
    world.show(
        &scene.clone().hidden().outcome(&outcome),
        "You give $p away, and it fades from your hands.",
        "",
        "$n gives $p away, and it fades from $s hands.",
    );
    world.place_object(object, Place::Room(to));
    world.show_in(&scene, to, "Out of nowhere, somebody's gift drops to the floor: $p.");
}
