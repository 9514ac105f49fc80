//! Coins: how many are meant, what they are called, how they come to lie somewhere, and how a group shares them.
//!
//! Coins are things only while they lie somewhere; whoever takes them up has gold.

use crate::arena::{CharacterId, ObjectId};
use crate::find::first_word;
use crate::object::Place;
use crate::refusal::Done;
use crate::refusal::Refusal;
use crate::report::{Line, LineKind};
use crate::world::World;
use content::ObjectKind;
use protocol::Outcome;
use std::sync::Arc;

/// The most coins that one purse, or one account of the bank, holds; sums of two still fit into 32 bits.
pub const GOLD_MAX: i32 = 1_000_000_000;

/// Whether a word is one that coins are called by.
pub fn means_coins(word: &str) -> bool {
    ["coin", "coins", "gold"].iter().any(|name| name.eq_ignore_ascii_case(word))
}

/// Reads `50 coins …` or `all coins …`: how many, and what follows. `None` when something else is meant; refuses a
/// number that `who` does not have, and one that nobody has.
pub fn coins_meant<'a>(world: &World, who: CharacterId, args: &'a str) -> Result<Option<(i32, &'a str)>, Refusal> {
    let (count, rest) = first_word(args);
    let (word, rest) = first_word(rest);
    if !means_coins(word) {
        return Ok(None);
    }
    let gold = world.who(who).gold;
    let coins = if count.eq_ignore_ascii_case("all") {
        gold
    } else if count.strip_prefix('-').is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit())) {
        return Err("Less than nothing is more than anybody has.".into());
    } else if !count.is_empty() && count.bytes().all(|b| b.is_ascii_digit()) {
        // More digits than fit are more than anybody has.
        count.parse().unwrap_or(i32::MAX)
    } else {
        return Ok(None);
    };
    match coins {
        _ if gold == 0 => Err("You have no gold.".into()),
        0 => Err("No coins at all? That is soon done.".into()),
        coins if coins > gold => Err("You do not have that much gold.".into()),
        coins => Ok(Some((coins, rest))),
    }
}

/// "1 gold coin", "50 gold coins".
pub fn coins_text(coins: i32) -> String {
    if coins == 1 { "1 gold coin".to_string() } else { format!("{coins} gold coins") }
}

/// Whether somebody has the coins for something, or what it reads.
pub fn afford(world: &World, who: CharacterId, price: i32) -> Done {
    let gold = world.who(who).gold;
    match gold < price {
        true => Err(format!("That costs {}, and you have {}.", coins_text(price), coins_text(gold)).into()),
        false => Ok(()),
    }
}

/// Coins change hands; what the keeper's purse cannot hold leaves the world. The customer has them.
pub fn pay(world: &mut World, who: CharacterId, keeper: CharacterId, price: i32) {
    world.who_mut(who).gold -= price;
    let kept = price.min((GOLD_MAX - world.who(keeper).gold).max(0));
    world.who_mut(keeper).gold += kept;
    world.mint(i64::from(kept - price));
}

/// All that somebody has comes to lie at its feet, coins and things.
pub fn lay_down_all(world: &mut World, who: CharacterId) {
    let c = world.who(who);
    let (room, purse) = (c.room, c.gold);
    let left: Vec<ObjectId> = c.carrying.iter().copied().chain(c.worn.iter().map(|(_, object)| *object)).collect();
    for object in left {
        world.place_object(object, Place::Room(room));
        world.show_object(object, room, LineKind::Text, "$p falls to the ground.");
    }
    if purse > 0 {
        world.who_mut(who).gold = 0;
        lay_coins(world, purse, Place::Room(room));
    }
}

/// Coins come to lie somewhere, together with those that lie there already.
pub fn lay_coins(world: &mut World, coins: i32, place: Place) {
    let list = match place {
        Place::Room(room) => &world.room(room).objects,
        Place::Inside(container) => &world.object(container).contents,
        Place::Nowhere | Place::Carried(_) | Place::Worn(..) => unreachable!("coins lie in rooms and containers"),
    };
    let heap = list.iter().find_map(|id| match world.object(*id).kind {
        ObjectKind::Money { coins } => Some((*id, coins)),
        _ => None,
    });
    let mut total = coins;
    if let Some((heap, more)) = heap {
        total = total.saturating_add(more);
        world.extract_object(heap);
        // They went with the heap, and come back in the new one.
        world.mint(i64::from(total - coins));
    }
    let heap = world.make_money(total);
    world.place_object(heap, place);
}

/// Shares coins that `who` has with its group in the room, in equal parts; what does not divide stays with it. Does
/// nothing where there is nobody to share with or less than a coin for each.
pub fn split_coins(world: &mut World, who: CharacterId, coins: i32) {
    let members = world.group_here(who);
    let share = coins.min(world.who(who).gold) / members.len().max(1) as i32;
    if members.len() < 2 || share < 1 {
        return;
    }
    let giver = world.who(who).shown().clone();
    for member in members.iter().copied().filter(|id| *id != who) {
        // Nobody's purse overflows; the rest stays where it is.
        let share = share.min(i32::MAX - world.who(member).gold);
        world.who_mut(who).gold -= share;
        world.who_mut(member).gold += share;
        let outcome = world.note(Outcome::Given {
            giver: world.as_who(who),
            receiver: world.as_who(member),
            item: None,
            gold: Some(i64::from(share)),
        });
        world.record_share(who, member);
        let text = format!("{giver} shares out gold: {share} {} for you.", coins_word(share));
        world.send_line(
            member,
            Arc::new(Line { kind: LineKind::Group, text, outcome: Some(outcome), ..Line::default() }),
        );
    }
    let text = format!("You share out gold: {share} {} for each of {}.", coins_word(share), members.len());
    world.send(who, LineKind::Group, text);
}

fn coins_word(n: i32) -> &'static str {
    if n == 1 { "coin" } else { "coins" }
}
