//! Animals to ride, and people to hire: `ride`, `dismount`, `yank`, `hire`, `stable`, `collect`. Who has them is in the
//! mob's row (`content::Behaviour`). Source: game reference §4.3 and §6, "stableboy", "recruiter".

use crate::act::{Scene, capitalised};
use crate::arena::CharacterId;
use crate::clock::TICKS_PER_HOUR;
use crate::coins::{afford, coins_text, pay};
use crate::draws::Draw;
use crate::effects::summoning;
use crate::find::{first_word, is_kind_meant};
use crate::hyperlink::{Hyperlink, Use};
use crate::mounts;
use crate::page::{Page, cell};
use crate::refusal::{Done, Refusal};
use crate::relocation::relocate;
use crate::report::{LineKind, Style};
use crate::rng::Stream;
use crate::shops::rows_here;
use crate::world::World;
use content::flags::{MobFlags, RoomFlags};
use content::words::Position;
use content::{Behaviour, Vnum};
use protocol::words::counted;
use std::sync::Arc;

const HOURS_PER_DAY: u64 = 24;
/// Pulls of a hundred that bring down a rider as strong as oneself, and how many more for each point of strength.
const YANK_PERCENT: i32 = 40;
const YANK_PERCENT_PER_STRENGTH: i32 = 3;

pub fn ride(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, _) = first_word(args);
    let animal = match word {
        "" => mounts::animal_of(world, who).ok_or("On whose back?")?,
        word => world.here(who, word)?,
    };
    if world.who(animal).room != world.who(who).room {
        return Err("It is not here.".into());
    }
    mount(world, who, animal)
}

fn may_mount(world: &World, who: CharacterId, mount: CharacterId) -> Done {
    let name = || capitalised(world.name_for(who, mount));
    let m = world.who(mount);
    if mounts::mount_of(world, who).is_some() {
        return Err("You are on somebody's back already.".into());
    }
    if !m.mob_flags().has(MobFlags::MOUNTABLE) {
        return Err(format!("{} would not carry you.", name()).into());
    }
    if world.room_flags(world.who(who).room).has(RoomFlags::INDOORS) {
        return Err("Not under a roof.".into());
    }
    if let Some(owner) = m.leader.filter(|owner| *owner != who) {
        return Err(format!("{} belongs to {}.", name(), world.name_for(who, owner)).into());
    }
    if m.fighting.is_some() || m.position != Position::Standing {
        return Err(format!("{} does not stand still for you.", name()).into());
    }
    if mounts::animal_of(world, who).is_some_and(|other| other != mount) {
        return Err("One animal is as much as anybody can lead.".into());
    }
    if m.leader.is_none() { world.may_follow(mount, who) } else { Ok(()) }
}

fn mount(world: &mut World, who: CharacterId, mount: CharacterId) -> Done {
    may_mount(world, who, mount)?;
    world.show(&Scene::new(who, LineKind::Position).victim(mount), "You get up on $N.", "", "$n gets up on $N.");
    if world.who(mount).leader.is_none() {
        world.start_following(mount, who);
    }
    world.who_mut(who).rides = Some(mount);
    Ok(())
}

pub fn dismount(world: &mut World, who: CharacterId, _: &str) -> Done {
    let mount = mounts::mount_of(world, who).ok_or("You are on your own feet already.")?;
    mounts::end(world, who);
    world.show(
        &Scene::new(who, LineKind::Position).victim(mount),
        "You get down from $N.",
        "",
        "$n gets down from $N.",
    );
    Ok(())
}

/// Pulls a rider down, which is an attack.
pub fn yank(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, _) = first_word(args);
    if word.is_empty() {
        return Err("Whom do you want to pull down?".into());
    }
    let victim = world.here(who, word)?;
    if mounts::mount_of(world, victim).is_none() {
        return Err(format!("{} sits on nobody's back.", capitalised(world.name_for(who, victim))).into());
    }
    // Whoever types it means it.
    world.may_attack(who, victim, true)?;
    world.dares(who, victim)?;
    world.lag(who, 1);
    let strength = |id: CharacterId| world.who(id).now.abilities.strength;
    let percent = YANK_PERCENT + YANK_PERCENT_PER_STRENGTH * (strength(who) - strength(victim));
    let scene = Scene::new(who, LineKind::Combat).victim(victim);
    if world.draw(Stream::Combat, Draw::Skill).percent(percent.clamp(5, 95)) {
        mounts::end(world, victim);
        let before = world.who(victim).position;
        world.who_mut(victim).position = before.min(Position::Sitting);
        let told = "$n takes you by the belt and pulls you down!";
        world.show(&scene, "You take $N by the belt and pull $M down.", told, "$n pulls $N down by the belt.");
    } else {
        let told = "$n pulls at your belt, and you stay where you are.";
        world.show(&scene, "You pull at $N's belt, and $E stays where $E is.", told, "$n pulls at $N's belt in vain.");
    }
    world.provoke(who, victim);
    Ok(())
}

/// What can be had here, in the order of those who have it.
enum Offer {
    Animal { by: CharacterId, mob: Vnum, coins: i32 },
    Fighter { by: CharacterId, mob: Vnum, coins: i32, hours: i32 },
}

impl Offer {
    fn mob(&self) -> Vnum {
        match self {
            Offer::Animal { mob, .. } | Offer::Fighter { mob, .. } => *mob,
        }
    }
}

fn offers_here(world: &World, who: CharacterId) -> Vec<Offer> {
    let mut offers = Vec::new();
    for (by, row) in rows_here(world, who) {
        match row {
            Behaviour::Stable { mob, coins, .. } => offers.push(Offer::Animal { by, mob: *mob, coins: *coins }),
            Behaviour::Recruiter { mobs, coins, hours } => {
                let of_level = |mob: Vnum| world.content.mob(mob).map_or(1, |proto| proto.level.max(1));
                offers.extend(mobs.iter().map(|mob| Offer::Fighter {
                    by,
                    mob: *mob,
                    coins: coins.saturating_mul(of_level(*mob)),
                    hours: *hours,
                }));
            }
            _ => {}
        }
    }
    offers.retain(|offer| world.content.mob_index(offer.mob()).is_some());
    offers
}

pub fn hire(world: &mut World, who: CharacterId, args: &str) -> Done {
    world.who(who).player().ok_or("Mobs are hired; they hire nobody.")?;
    let offers = offers_here(world, who);
    if offers.is_empty() {
        return Err("There is nobody here to hire, nor anything to ride.".into());
    }
    let (word, _) = first_word(args);
    if word.is_empty() {
        let mut page = Page::for_reader(world.who(who));
        tell(world, who, &mut page);
        world.send_line(who, Arc::new(page.into_line()));
        return Ok(());
    }
    let content = world.content.clone();
    let is_meant = |offer: &Offer| content.mob(offer.mob()).is_some_and(|proto| is_kind_meant(proto, word));
    let Some(offer) = offers.into_iter().find(is_meant) else {
        return Err(format!("Nobody called {word} is to be hired here. hire lists who is.").into());
    };
    let proto = content.mob_index(offer.mob()).expect("offers have rows");
    let short = content.mob(offer.mob()).expect("it has an index").short.clone();
    match offer {
        Offer::Animal { by, coins, .. } => {
            if let Some(animal) = mounts::animal_of(world, who) {
                let (name, place) = (world.name_for(who, animal), whereabouts(world, who, animal));
                return Err(format!("One animal is as much as anybody can lead, and you have {name}{place}.").into());
            }
            if stabled_tick(world, who).is_some() {
                return Err("You have an animal already, in a stable, and one is as much as anybody can lead.".into());
            }
            afford(world, who, coins)?;
            let waiting = crate::character::Stabled {
                vnum: content.mobs[proto as usize].vnum,
                hit: i32::MAX,
                moves: i32::MAX,
                since_tick: None,
                called: None,
            };
            pay(world, who, by, coins);
            let told = format!("$n takes {}, and leads {short} out.", coins_text(coins));
            world.show(&Scene::new(by, LineKind::Text).victim(who), "", &told, "$n leads an animal out for $N.");
            world.bring_animal(who, &waiting);
        }
        Offer::Fighter { by, coins, hours, .. } => {
            if let Some(why) = summoning::hindrance_of_company(world, who) {
                return Err(why.into());
            }
            afford(world, who, coins)?;
            pay(world, who, by, coins);
            let told = format!("$n takes {}, and whistles for {short}.", coins_text(coins));
            world.show(&Scene::new(by, LineKind::Text).victim(who), "", &told, "$n whistles for somebody.");
            summoning::hire(world, who, proto, hours);
        }
    }
    world.save(who);
    Ok(())
}

/// Writes who is to be hired here; false where nobody is.
pub fn tell(world: &World, who: CharacterId, page: &mut Page) -> bool {
    let offers = offers_here(world, who);
    if !offers.is_empty() {
        page.line(Style::Heading, "To be hired here:");
    }
    for offer in &offers {
        let Some(proto) = world.content.mob(offer.mob()) else { continue };
        let word = crate::find::naming_word(&proto.keywords);
        let told = match offer {
            Offer::Animal { coins, .. } => {
                format!(", to ride, for {}: hire {word}", coins_text(*coins))
            }
            Offer::Fighter { coins, hours, .. } => format!(
                ", of level {}, to fight for you for {}, for {}: hire {word}",
                proto.level,
                counted(*hours as u32, "hour"),
                coins_text(*coins)
            ),
        };
        let link = Hyperlink::unmade_mob(offer.mob(), Use::Hireling);
        page.row(2, &[cell(0, capitalised(&proto.short)).link(Some(link)), cell(0, told).flowing()]);
    }
    !offers.is_empty()
}

/// Where an animal is, for its owner, who may not have it beside it.
fn whereabouts(world: &World, who: CharacterId, animal: CharacterId) -> String {
    let room = world.who(animal).room;
    match room == world.who(who).room {
        true => " with you".to_string(),
        false => format!(", which stands at {}", world.room_proto(room).name),
    }
}

/// The own animal of somebody that is elsewhere.
fn strayed(world: &World, who: CharacterId) -> Option<CharacterId> {
    mounts::own_animal_of(world, who).filter(|animal| world.who(*animal).room != world.who(who).room)
}

fn no_animal_here(world: &World, who: CharacterId) -> String {
    match strayed(world, who) {
        None => "You have no animal of your own with you.".to_string(),
        Some(animal) => {
            let (name, place) = (capitalised(world.name_for(who, animal)), world.room_proto(world.who(animal).room));
            format!("{name} stands at {}. collect has it fetched from there.", place.name)
        }
    }
}

/// A keeper sends for an animal that its owner has left somewhere, for the price of a day.
fn fetch(world: &mut World, who: CharacterId, animal: CharacterId, by: CharacterId, price: i32) -> Done {
    if world.who(animal).fighting.is_some() {
        return Err("It is being fought with where it is. Nobody goes near that for a day's keep.".into());
    }
    afford(world, who, price)?;
    pay(world, who, by, price);
    let told = format!("$n takes {}, and sends somebody for an animal of yours.", coins_text(price));
    world.show(&Scene::new(by, LineKind::Text).victim(who), "", &told, "$n sends somebody for an animal of $N's.");
    let to = world.who(who).room;
    relocate(world, animal, to, ["$n is led away by somebody who smells of hay.", "$n is led in by the bridle."]);
    world.save(who);
    Ok(())
}

/// Since when an animal of somebody's stands in a stable.
fn stabled_tick(world: &World, who: CharacterId) -> Option<u64> {
    world.who(who).player()?.stabled.as_ref()?.since_tick
}

/// Who keeps animals here, and for how many coins a day.
fn keeper(world: &World, who: CharacterId) -> Result<(CharacterId, i32), Refusal> {
    let mut keepers = rows_here(world, who).filter_map(|(id, row)| match row {
        Behaviour::Stable { keep, .. } => Some((id, *keep)),
        _ => None,
    });
    keepers.next().ok_or_else(|| "There is nobody here who keeps animals.".into())
}

pub fn stable(world: &mut World, who: CharacterId, _: &str) -> Done {
    world.who(who).player().ok_or("Mobs stand where they stand.")?;
    let (by, keep) = keeper(world, who)?;
    if stabled_tick(world, who).is_some() {
        return Err("An animal of yours stands in a stable already. collect it first.".into());
    }
    let here = world.who(who).room;
    let animal = mounts::own_animal_of(world, who).filter(|animal| world.who(*animal).room == here);
    let animal = animal.ok_or_else(|| Refusal::from(no_animal_here(world, who)))?;
    if world.who(animal).fighting.is_some() {
        return Err("Not while it fights.".into());
    }
    let waiting = mounts::as_stabled(world, animal, Some(world.tick())).ok_or("Nobody would take that in.")?;
    mounts::end(world, who);
    let scene = Scene::new(by, LineKind::Text).victim(who);
    let told =
        format!("$n leads {} away by the ear. It costs {} a day.", world.name_for(who, animal), coins_text(keep));
    world.show(&scene, "", &told, "$n leads an animal of $N's away by the ear.");
    world.extract_character(animal);
    world.player_mut(who).stabled = Some(waiting);
    world.save(who);
    Ok(())
}

pub fn collect(world: &mut World, who: CharacterId, _: &str) -> Done {
    let (by, keep) = keeper(world, who)?;
    if let Some(animal) = strayed(world, who) {
        return fetch(world, who, animal, by, keep);
    }
    let waiting = world.who(who).player().and_then(|player| player.stabled.clone());
    let Some((mut waiting, since)) = waiting.and_then(|waiting| Some((waiting.clone(), waiting.since_tick?))) else {
        return Err("No animal of yours stands in a stable.".into());
    };
    if mounts::animal_of(world, who).is_some() {
        return Err("One animal is as much as anybody can lead.".into());
    }
    let days = (world.tick().saturating_sub(since) / (TICKS_PER_HOUR * HOURS_PER_DAY) + 1).min(i32::MAX as u64) as i32;
    let price = keep.saturating_mul(days);
    afford(world, who, price)?;
    // It has eaten and slept.
    (waiting.hit, waiting.moves, waiting.since_tick) = (i32::MAX, i32::MAX, None);
    pay(world, who, by, price);
    world.player_mut(who).stabled = None;
    let told = format!("$n takes {} for {}.", coins_text(price), counted(days as u32, "day"));
    world.show(&Scene::new(by, LineKind::Text).victim(who), "", &told, "$n brings an animal of $N's.");
    if world.bring_animal(who, &waiting).is_none() {
        world.send(who, LineKind::Text, "Nobody knows of such an animal any more. You are sorry, and so are they.");
    }
    world.save(who);
    Ok(())
}
