//! Animals that serve, for coins: `list` shows them, `buy <animal> [<name>]` buys one. Who sells which is in the mob's
//! row (`content::Behaviour`); what binds them, and how they go and come with their owner, in `mounts.rs`. Source: game
//! reference §2.7, §6 ("pet shop").

use crate::act::{Scene, capitalised};
use crate::arena::CharacterId;
use crate::character::Stabled;
use crate::coins::{afford, coins_text, pay};
use crate::effects::summoning;
use crate::find::{first_word, is_kind_meant, naming_word};
use crate::followers;
use crate::hyperlink::{Hyperlink, Use};
use crate::page::{Page, cell};
use crate::refusal::{Done, Refusal};
use crate::report::{LineKind, Style};
use crate::shops::rows_here;
use crate::world::World;
use content::flags::AffectFlags;
use content::{Behaviour, MobProto, PetOffer, Text};
use protocol::names::check_name;

/// The id of no person.
const NOBODY: u32 = 0;

/// An animal that somebody here sells.
#[derive(Clone, Copy)]
pub struct Offer {
    by: CharacterId,
    pet: PetOffer,
}

/// In the order of those who sell, and of their rows.
fn offers_here(world: &World, who: CharacterId) -> impl Iterator<Item = (Offer, &MobProto)> {
    let offers = rows_here(world, who).flat_map(|(by, row)| {
        let pets = if let Behaviour::PetShop { pets } = row { &pets[..] } else { &[] };
        pets.iter().map(move |pet| Offer { by, pet: *pet })
    });
    offers.filter_map(|offer| Some((offer, world.content.mob(offer.pet.mob)?)))
}

/// The animal that the words behind `buy` mean, if somebody here sells one.
pub fn asked_for(world: &World, who: CharacterId, args: &str) -> Option<Offer> {
    let (word, _) = first_word(args);
    offers_here(world, who).find(|(_, proto)| is_kind_meant(proto, word)).map(|found| found.0)
}

/// Writes which animals are sold here; false where none are.
pub fn tell(world: &World, who: CharacterId, page: &mut Page) -> bool {
    let offers: Vec<(Offer, &MobProto)> = offers_here(world, who).collect();
    if !offers.is_empty() {
        page.line(Style::Heading, "Animals that serve whoever buys them:");
    }
    for (offer, proto) in &offers {
        let told = format!(
            ", of level {}, for {}: buy {} [<name>]",
            proto.level,
            coins_text(offer.pet.coins),
            naming_word(&proto.keywords)
        );
        let link = Hyperlink::unmade_mob(proto.vnum, Use::Animal);
        page.row(2, &[cell(0, capitalised(&proto.short)).link(Some(link)), cell(0, told).flowing()]);
    }
    !offers.is_empty()
}

/// A name that an animal may be called by: of letters, and nobody's.
fn name_for_animal(world: &World, typed: &str) -> Result<Text, Refusal> {
    if typed.split_whitespace().nth(1).is_some() {
        return Err("One word is as much as an animal answers to.".into());
    }
    let name = check_name(typed).map_err(|why| Refusal::from(why.to_string()))?;
    if !name.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return Err("An animal's name has letters only.".into());
    }
    world.check_name(&name)?;
    if name.eq_ignore_ascii_case(followers::ALL) {
        return Err("All that follow you would come. Choose another name.".into());
    }
    if world.state.channels.is_taken(&name, NOBODY) {
        return Err("Somebody is called that, and would come when you called. Choose another name.".into());
    }
    if *world.rules.filter.masked(&name) != *name {
        return Err("You would not want to call that across a street. Choose another name.".into());
    }
    Ok(name.into())
}

pub fn buy(world: &mut World, who: CharacterId, offer: Offer, args: &str) -> Done {
    let Offer { by, pet } = offer;
    world.who(who).player().ok_or("Mobs keep no animals.")?;
    let content = world.content.clone();
    let proto = content.mob(pet.mob).ok_or("There is no such animal any more.")?;
    let (_, typed) = first_word(args);
    let called = match typed.trim() {
        "" => None,
        typed => Some(name_for_animal(world, typed)?),
    };
    let c = world.who(who);
    if c.is(AffectFlags::CHARM) {
        return Err("You have a master yourself.".into());
    }
    if c.level < proto.level {
        return Err(format!(
            "{} minds nobody below its own level, which is {}; yours is {}.",
            capitalised(&proto.short),
            proto.level,
            c.level
        )
        .into());
    }
    if summoning::hindrance_of_company(world, who).is_some() {
        return Err("As many serve you already as your charisma can hold: half of it. dismiss lets one go.".into());
    }
    afford(world, who, pet.coins)?;
    pay(world, who, by, pet.coins);
    let told = format!("$n takes {}, and lets {} out.", coins_text(pet.coins), proto.short);
    world.show(&Scene::new(by, LineKind::Text).victim(who), "", &told, "$n lets an animal out for $N.");
    let waiting = Stabled { vnum: pet.mob, hit: i32::MAX, moves: i32::MAX, since_tick: None, called };
    if let Some(animal) = world.bring_pet(who, &waiting) {
        let word = naming_word(&world.who(animal).keywords).to_string();
        let text = format!("It goes and comes with you, and does as it is told: order {word} <command>. (help pets)");
        world.send(who, LineKind::Text, text);
    }
    world.save(who);
    Ok(())
}
