//! What people do for coins besides selling things: giving back constitution, telling all about a thing, filling wands
//! and staffs, bringing corpses, tattoos, and leading through a new beginning (`remort`). Who does what, and for how
//! much, is in the mob's row (`content::Behaviour`); asked for by `list` and `buy`, of shopkeepers and of others.

use crate::act::{Scene, capitalised};
use crate::arena::{CharacterId, ObjectId};
use crate::coins::{afford, coins_text, lay_coins, pay};
use crate::commands::cast::level_of_charges;
use crate::commands::{kennels, riding};
use crate::effects::knowledge;
use crate::find::{begins_name, first_word};
use crate::hyperlink::{Hyperlink, Serial, Use};
use crate::object::{Object, Place, coins_in};
use crate::page::{Page, cell};
use crate::refusal::{Done, Refusal};
use crate::report::{LineKind, Request, Style};
use crate::rng::Stream;
use crate::rules::{Rules, TattooRow, creation};
use crate::shops::rows_here;
use crate::world::World;
use content::flags::AffectFlags;
use content::words::Class;
use content::{Behaviour, ObjectKind, Text};

/// What stands behind `buy`.
const RESTORE: &str = "constitution";
const IDENTIFY: &str = "identify";
const RECHARGE: &str = "recharge";
const CORPSE: &str = "corpse";

/// Somebody who does something for coins.
pub struct Service {
    by: CharacterId,
    what: Behaviour,
}

/// All that somebody can have done here.
fn services_here(world: &World, who: CharacterId) -> Vec<Service> {
    let of_row = |(by, row): (CharacterId, &Behaviour)| Service { by, what: row.clone() };
    rows_here(world, who).filter(|(_, row)| is_service(row)).map(of_row).collect()
}

fn is_service(what: &Behaviour) -> bool {
    use Behaviour::{Identifier, Mortician, Recharger, Remorter, Restorer, Tattooist};
    matches!(
        what,
        Restorer { .. } | Identifier { .. } | Recharger { .. } | Mortician { .. } | Tattooist { .. } | Remorter { .. }
    )
}

/// The service that the words behind `buy` mean, if somebody here does it.
pub fn asked_for(world: &World, who: CharacterId, args: &str) -> Option<Service> {
    let (word, _) = first_word(args);
    let is = |name: &str| name.eq_ignore_ascii_case(word);
    let meant = |service: &Service| match &service.what {
        Behaviour::Restorer { .. } => is(RESTORE),
        Behaviour::Identifier { .. } => is(IDENTIFY),
        Behaviour::Recharger { .. } => is(RECHARGE),
        Behaviour::Mortician { .. } => is(CORPSE),
        Behaviour::Tattooist { tattoos } => pictures(&world.rules, tattoos).any(|row| is(&row.name)),
        _ => false,
    };
    services_here(world, who).into_iter().find(meant)
}

/// Those that a tattooist knows.
fn pictures<'r>(rules: &'r Rules, known: &'r [Text]) -> impl Iterator<Item = &'r TattooRow> {
    rules.tattoos.iter().filter(|row| known.is_empty() || known.contains(&row.name))
}

/// The services as a list, where there is nothing else to buy.
pub fn page(world: &World, who: CharacterId) -> Option<Page> {
    let mut page = Page::for_reader(world.who(who));
    let services = tell(world, who, &mut page);
    (riding::tell(world, who, &mut page) || services).then_some(page)
}

/// Writes what is done here for coins; false where nothing is.
pub fn tell(world: &World, who: CharacterId, page: &mut Page) -> bool {
    let services = services_here(world, who);
    if !services.is_empty() {
        page.line(Style::Heading, "Done here for coins:");
    }
    for service in &services {
        let link = link_to(world, service);
        let name = capitalised(world.name_for(who, service.by));
        let told = match &service.what {
            Behaviour::Restorer { coins } => format!(
                " gives back what deaths took of you, for {} a point: buy {RESTORE}",
                coins_text(for_levels(*coins, world.who(who).level))
            ),
            Behaviour::Identifier { coins } => {
                format!(" tells all about a thing, for {}: buy {IDENTIFY} <thing>", coins_text(*coins))
            }
            Behaviour::Recharger { coins } => format!(
                " fills a wand or staff again, for {} a level of what is in it: buy {RECHARGE} <thing>",
                coins_text(*coins)
            ),
            Behaviour::Mortician { coins } => format!(
                " has your corpse brought here from wherever it lies, for {}: buy {CORPSE}",
                coins_text(for_levels(*coins, world.who(who).level))
            ),
            Behaviour::Tattooist { tattoos } => {
                let rules = world.rules.clone();
                let rows: Vec<&TattooRow> = pictures(&rules, tattoos).collect();
                let told = " puts pictures under the skin, where they stay until one dies: buy <picture>";
                page.row(2, &[cell(0, name).link(link), cell(0, told).flowing()]);
                for row in rows {
                    page.row(4, &[cell(8, &*row.name), cell(8, format!("{:>6}", row.coins)), cell(0, &*row.about)]);
                }
                continue;
            }
            _ => " leads through a new beginning: remort".to_string(),
        };
        page.row(2, &[cell(0, name).link(link), cell(0, told).flowing()]);
    }
    let animals = kennels::tell(world, who, page);
    animals || !services.is_empty()
}

/// What stands for whoever does it.
fn link_to(world: &World, service: &Service) -> Option<Hyperlink> {
    let vnum = world.mob_proto(service.by)?.vnum;
    let what = match service.what {
        Behaviour::Restorer { .. } => Use::Restorer,
        Behaviour::Mortician { .. } => Use::Mortician,
        _ => Use::Untouchable,
    };
    Some(Hyperlink::Mob(Serial { vnum, serial: world.who(service.by).serial }, what))
}

fn for_levels(coins: i32, level: i32) -> i32 {
    coins.saturating_mul(level.max(1))
}

pub fn buy(world: &mut World, who: CharacterId, service: Service, args: &str) -> Done {
    let (_, rest) = first_word(args);
    let by = service.by;
    match service.what {
        Behaviour::Restorer { coins } => restore(world, who, by, for_levels(coins, world.who(who).level)),
        Behaviour::Identifier { coins } => {
            let thing = brought(world, who, rest, IDENTIFY)?;
            afford(world, who, coins)?;
            pay(world, who, by, coins);
            let scene = Scene::new(by, LineKind::Text).victim(who).object(thing).hidden();
            let told = format!("$n turns $p over, twice, and takes {}.", coins_text(coins));
            world.show(&scene, "", &told, "$n turns $p of $N over, twice.");
            let page = knowledge::object_page(world, thing);
            world.send_line(who, std::sync::Arc::new(page.into_line()));
            Ok(())
        }
        Behaviour::Recharger { coins } => recharge(world, who, by, coins, rest),
        Behaviour::Mortician { coins } => bring_corpse(world, who, by, for_levels(coins, world.who(who).level)),
        Behaviour::Tattooist { .. } => tattoo(world, who, by, first_word(args).0),
        _ => Ok(()),
    }
}

/// Something that the customer has with it.
fn brought(world: &World, who: CharacterId, args: &str, verb: &str) -> Result<ObjectId, Refusal> {
    let (word, _) = first_word(args);
    if word.is_empty() {
        return Err(format!("What is it about? buy {verb} <thing>").into());
    }
    let worn = || world.find_worn(who, word).map(|(_, object)| object);
    world.find_carried(who, word).or_else(worn).ok_or_else(|| format!("You have no {word}.").into())
}

/// A point of constitution that a death took. Source: game reference §6, "con_seller".
fn restore(world: &mut World, who: CharacterId, by: CharacterId, price: i32) -> Done {
    if world.who(who).player().is_none_or(|player| player.lost_constitution < 1) {
        return Err("There is nothing missing in you that anybody could give back.".into());
    }
    afford(world, who, price)?;
    pay(world, who, by, price);
    world.who_mut(who).base.abilities.constitution += 1;
    world.player_mut(who).lost_constitution -= 1;
    world.recompute(who);
    let scene = Scene::new(by, LineKind::Text).victim(who);
    let told = format!(
        "$n takes {}, lays two fingers on your breastbone and presses. Something that was gone comes back: a point of \
         constitution.",
        coins_text(price)
    );
    world.show(&scene, "", &told, "$n lays two fingers on $N's breastbone and presses.");
    world.save(who);
    Ok(())
}

/// Each time it holds one charge less, so that nothing lasts for ever.
fn recharge(world: &mut World, who: CharacterId, by: CharacterId, coins: i32, args: &str) -> Done {
    let thing = brought(world, who, args, RECHARGE)?;
    let short = world.object(thing).short.clone();
    let (level, charges, charges_max) = match world.object(thing).kind {
        ObjectKind::Wand { level, charges, charges_max, .. }
        | ObjectKind::Staff { level, charges, charges_max, .. } => (level, charges, charges_max),
        _ => return Err(format!("There is nothing in {short} that could be filled again.").into()),
    };
    if charges >= charges_max {
        return Err(format!("{} is as full as it can be.", capitalised(&short)).into());
    }
    if charges_max < 2 {
        return Err(format!("{} is worn too thin to hold anything again.", capitalised(&short)).into());
    }
    let price = for_levels(coins, level_of_charges(level));
    afford(world, who, price)?;
    pay(world, who, by, price);
    if let ObjectKind::Wand { charges, charges_max, .. } | ObjectKind::Staff { charges, charges_max, .. } =
        &mut world.object_mut(thing).kind
    {
        *charges_max -= 1;
        *charges = *charges_max;
    }
    let scene = Scene::new(by, LineKind::Text).victim(who).object(thing).hidden();
    let held = charges_max - 1;
    let told = format!(
        "$n takes {}, and breathes on $p until it hums. It holds {held} now, one less than when it was new to $m.",
        coins_text(price)
    );
    world.show(&scene, "", &told, "$n breathes on $p of $N until it hums.");
    world.save(who);
    Ok(())
}

/// What is left of the customer comes to lie here, with all that it had on it. Who has too few coins pays out of those
/// that lie with it: the dead wake with none.
fn bring_corpse(world: &mut World, who: CharacterId, by: CharacterId, price: i32) -> Done {
    let (room, purse) = (world.who(who).room, world.who(who).gold);
    let is_own = |id: ObjectId, object: &Object| world.is_own_corpse(id, who) && !object.contents.is_empty();
    let lies_in = |(id, object): (ObjectId, &Object)| match object.place {
        Place::Room(from) if is_own(id, object) => Some((object.serial, id, from)),
        _ => None,
    };
    let Some((_, corpse, from)) = world.state.objects.iter().filter_map(lies_in).max() else {
        return Err("Nothing of yours lies anywhere that could be brought.".into());
    };
    if from == room {
        return Err("It is here already: get all corpse".into());
    }
    let heap = world.object(corpse).contents.iter().copied().find(|id| coins_in(world.object(*id)) > 0);
    let lying = heap.map_or(0, |heap| coins_in(world.object(heap)) as i32);
    if purse.saturating_add(lying) < price {
        let (price, all) = (coins_text(price), coins_text(purse.saturating_add(lying)));
        return Err(format!("That costs {price}, and you have {all}, counting what lies with your corpse.").into());
    }
    if let Some(heap) = heap.filter(|_| purse < price) {
        world.extract_object(heap);
        // They went with the heap, and come back in purse and corpse.
        world.mint(i64::from(lying));
        let owed = price - purse;
        world.who_mut(who).gold += owed;
        if lying > owed {
            lay_coins(world, lying - owed, Place::Inside(corpse));
        }
    }
    pay(world, who, by, price);
    world.show_object(corpse, from, LineKind::Text, "Two quiet people with a handcart come for $p.");
    world.place_object(corpse, Place::Room(room));
    let scene = Scene::new(by, LineKind::Text).victim(who).object(corpse);
    let told = format!(
        "$n takes {} and rings a small bell. Before long two quiet people wheel in your corpse, and all that you had.",
        coins_text(price)
    );
    world.show(&scene, "", &told, "$n rings a small bell for $N. Before long two quiet people wheel in $p.");
    world.save(who);
    Ok(())
}

/// A picture under the skin: one, and for as long as its bearer lives.
fn tattoo(world: &mut World, who: CharacterId, by: CharacterId, word: &str) -> Done {
    let rules = world.rules.clone();
    let row = rules.tattoo(&word.to_ascii_lowercase()).ok_or("Nobody here knows how to draw that.")?;
    let player = world.who(who).player().ok_or("Mobs are as they were drawn.")?;
    if let Some(has) = &player.tattoo {
        return Err(
            format!("There is a {has} under your skin, and it lets nothing else come near. It ends with you.").into()
        );
    }
    afford(world, who, row.coins)?;
    pay(world, who, by, row.coins);
    let player = world.player_mut(who);
    (player.tattoo, player.tattoo_free_tick) = (Some(row.name.clone()), 0);
    world.recompute(who);
    let scene = Scene::new(by, LineKind::Text).victim(who).text(&row.about);
    let told = format!(
        "$n takes {}, and does not hurry. It hurts for as long as you think that it should, and a little longer; then you have \
         $t under your skin.",
        coins_text(row.coins)
    );
    world.show(&scene, "", &told, "$n bends over $N with a needle. Afterwards $N has $t under $S skin.");
    world.save(who);
    Ok(())
}

// A new beginning.

/// Hit points and mana of who begins anew, both ends included, and practice sessions. Source: game reference §4.3.
const REMORT_HIT: (i32, i32) = (30, 40);
const REMORT_MANA: (i32, i32) = (120, 130);
const REMORT_PRACTICES: i32 = 10;

pub fn remort(world: &mut World, who: CharacterId, args: &str) -> Done {
    let leads = |service: &Service| matches!(service.what, Behaviour::Remorter { .. });
    let Some(Service { by, what: Behaviour::Remorter { level, coins } }) =
        services_here(world, who).into_iter().find(leads)
    else {
        return Err("There is nobody here who could lead you through that.".into());
    };
    let rules = world.rules.clone();
    let c = world.who(who);
    if !c.is_player() || c.is_immortal() {
        return Err("Only those who can die can begin anew.".into());
    }
    let into = rules.class(rules.class(c.class).remorts_to(c.race));
    let price = coins_text(coins);
    if c.level < level {
        return Err(
            format!("You have not come to the end of your craft: that takes level {level}, and {price}.").into()
        );
    }
    if c.gold < coins {
        return Err(format!("That costs {price}, and you have {}.", coins_text(c.gold)).into());
    }
    if !c.worn.is_empty() {
        return Err(
            "You go through that as you came into the world: with nothing on. Take everything off first.".into()
        );
    }
    if c.is(AffectFlags::CHARM) {
        return Err("That is for those who are their own masters.".into());
    }
    let (word, _) = first_word(args);
    if word.is_empty() {
        let name = into.label.to_lowercase();
        let text = format!(
            "For {price} you would be of level 1 again, a {name}, with {REMORT_PRACTICES} practice sessions and none of \
             your arts, and stronger by some points of your abilities. There is no way back. If you mean it: remort {}",
            into.name
        );
        world.send(who, LineKind::Text, text);
        return Ok(());
    }
    if !begins_name(into.name.name(), word) {
        return Err(
            format!("Your craft grows into that of the {}: remort {}", into.label.to_lowercase(), into.name).into()
        );
    }
    pay(world, who, by, coins);
    begin_anew(world, who, into.name);
    let scene = Scene::new(by, LineKind::Level).victim(who);
    world.show(
        &scene,
        "",
        "$n takes you by the hand. For a while you are nobody. Then you are somebody else, and remember everything.",
        "$n takes $N by the hand. For a moment there is nobody there; then somebody lets go of it.",
    );
    let c = world.who(who);
    let text = format!("You are a {} of level 1 now.", rules.class(c.class).label.to_lowercase());
    let log = format!("{} began anew as a {}", c.name, c.class);
    world.send(who, LineKind::Level, text);
    world.request(Request::Log { text: log });
    world.save(who);
    Ok(())
}

/// Level 1 in a craft, as somebody who has done all this before. Source: game reference §4.3.
fn begin_anew(world: &mut World, who: CharacterId, class: Class) {
    world.stop_fights_of(who);
    let rules = world.rules.clone();
    let dice = world.dice(Stream::Command);
    let hit = dice.range(REMORT_HIT.0, REMORT_HIT.1);
    let mana = dice.range(REMORT_MANA.0, REMORT_MANA.1);
    let c = world.who_mut(who);
    let old_title = rules.class(c.class).title.clone();
    // Those who were bitten are healed of it.
    c.affects.retain(|affect| !affect.flags.any(AffectFlags::VAMPIRE.with(AffectFlags::WEREWOLF)));
    let race = c.race;
    (c.class, c.level) = (class, 1);
    (c.base.hit_max, c.base.mana_max, c.base.move_max) = (hit, mana, creation::FIRST_MOVES);
    let perfect = creation::grow_stronger(&mut c.base.abilities);
    let row = rules.class(class);
    let (skills, spells) = (creation::first_skills_of(&rules, class, race), rules.first_spells(class));
    let player = world.player_mut(who);
    player.experience = 1;
    player.practices = REMORT_PRACTICES;
    player.remorts += 1;
    // What deaths took is part of what was left behind.
    player.lost_constitution = 0;
    player.wimpy = player.wimpy.min(hit / 2);
    (player.skills, player.spells) = (skills, spells);
    if player.title == old_title {
        player.title = row.title.clone();
    }
    // Who has nothing left to grow in needs less: first no drink, then no food.
    if perfect {
        match player.thirst {
            -1 => player.full = -1,
            _ => player.thirst = -1,
        }
    }
    world.who_list = None;
    world.recompute(who);
    let c = world.who_mut(who);
    (c.hit, c.mana, c.moves) = (c.now.hit_max, c.now.mana_max, c.now.move_max);
}
