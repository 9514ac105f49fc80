//! The bank: gold that death does not take. Any room with the flag `bank` is a counter of the one bank.

use crate::act::Scene;
use crate::arena::CharacterId;
use crate::coins::{GOLD_MAX, coins_text};
use crate::find::first_argument;
use crate::page::Page;
use crate::refusal::{Done, Refusal};
use crate::report::LineKind;
use crate::world::World;
use content::flags::RoomFlags;

/// The account of a player at the counter.
fn account(world: &World, who: CharacterId) -> Result<i32, Refusal> {
    let character = world.who(who);
    if !world.room_flags(character.room).has(RoomFlags::BANK) {
        return Err("There is no bank here.".into());
    }
    character.player().map(|p| p.bank).ok_or(Refusal::new("The clerk has no ledger for the likes of you."))
}

/// A number of coins, or all of them.
fn amount(args: &str, all: i32, verb: &str) -> Result<i32, Refusal> {
    let (word, _) = first_argument(args);
    if word.is_empty() {
        return Err(format!("How many coins do you want to {verb}?").into());
    }
    if word.eq_ignore_ascii_case("all") {
        return Ok(all);
    }
    if !word.bytes().all(|b| b.is_ascii_digit()) {
        return Err(format!("Give a number of coins to {verb}, or say all.").into());
    }
    // More digits than fit are more than anybody has.
    Ok(word.parse().unwrap_or(i32::MAX))
}

/// Tells the room, which sees coins move but cannot count them.
fn show_business(world: &mut World, who: CharacterId, to_actor: &str) {
    let scene = Scene::new(who, LineKind::Text).hidden();
    world.show(&scene, to_actor, "", "$n counts coins across the counter.");
}

pub fn balance(world: &mut World, who: CharacterId, _: &str) -> Done {
    let bank = account(world, who)?;
    let text = match bank {
        0 => "Your page in the ledger is empty.".to_string(),
        bank => format!("The bank keeps {} for you.", coins_text(bank)),
    };
    world.send(who, LineKind::Text, text);
    Ok(())
}

/// All gold of somebody, wherever it is.
pub fn worth(world: &World, who: CharacterId, _: &str) -> Result<Page, Refusal> {
    let c = world.who(who);
    let bank = c.player().map_or(0, |player| player.bank);
    let on_you = match c.gold {
        0 => "You have no gold on you".to_string(),
        gold => format!("You have {} on you", coins_text(gold)),
    };
    Ok(Page::from(match bank {
        0 => format!("{on_you}, and none in the bank."),
        bank => format!("{on_you}, and the bank keeps {} for you.", coins_text(bank)),
    }))
}

pub fn deposit(world: &mut World, who: CharacterId, args: &str) -> Done {
    let bank = account(world, who)?;
    let gold = world.who(who).gold;
    let coins = amount(args, gold, "deposit")?;
    if coins <= 0 {
        return Err("The clerk looks at the empty counter, and then at you.".into());
    }
    if coins > gold {
        return Err("You do not have that much gold.".into());
    }
    if coins > GOLD_MAX - bank {
        return Err("The vault has no room for more of your gold.".into());
    }
    world.who_mut(who).gold -= coins;
    world.player_mut(who).bank += coins;
    show_business(world, who, &format!("You deposit {}.", coins_text(coins)));
    Ok(())
}

pub fn withdraw(world: &mut World, who: CharacterId, args: &str) -> Done {
    let bank = account(world, who)?;
    let coins = amount(args, bank, "withdraw")?;
    if bank == 0 {
        return Err("Your page in the ledger is empty.".into());
    }
    if coins <= 0 {
        return Err("The clerk hands you nothing, with some ceremony.".into());
    }
    if coins > bank {
        return Err("The bank does not have that much of yours.".into());
    }
    if coins > GOLD_MAX - world.who(who).gold {
        return Err("You could not carry that much gold.".into());
    }
    world.player_mut(who).bank -= coins;
    world.who_mut(who).gold += coins;
    show_business(world, who, &format!("You withdraw {}.", coins_text(coins)));
    Ok(())
}
