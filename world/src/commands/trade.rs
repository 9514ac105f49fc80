//! Buying and selling. What a shop is, and what it asks and pays, is in `shops.rs`.

use crate::act::{Scene, capitalised};
use crate::arena::{CharacterId, ObjectId};
use crate::coins::{GOLD_MAX, coins_text, pay};
use crate::commands::gone::GONE;
use crate::commands::objects::may_let_go;
use crate::commands::selection::{Wanted, carried, each};
use crate::commands::{kennels, services};
use crate::find::{answers_to, first_argument};
use crate::hyperlink::Hyperlink;
use crate::object::Place;
use crate::page::{Page, cell};
use crate::refusal::{Done, Refusal};
use crate::report::{LineKind, Style};
use crate::shops::{
    closes_next, deals_in, is_open, opens_next, price_to_customer, price_to_shop, turns_away, wares_meant,
};
use crate::world::World;
use content::{Content, ShopProto, Text, spoken_words};
use protocol::Outcome;
use std::sync::Arc;

/// The most of one ware in one go.
const BUY_MAX: usize = 50;
/// The most things that a keeper keeps of what people sold; beyond it the oldest goes on to other markets.
const STOCK_MAX: usize = 100;

/// Wares that are told apart where a word may mean any of them.
const TOLD_APART: usize = 6;

/// What a keeper says to who would pay for what cannot be used.
const ASLEEP: &str = "That one sleeps, and nobody living can wake it. I take no money for sleep.";

/// Who trades with the customer right now. `Ok(None)`: the keeper will not, and has said why.
type Counter<'a> = Result<Option<(CharacterId, &'a ShopProto)>, Refusal>;

fn counter<'a>(world: &mut World, who: CharacterId, verb: &'static str, content: &'a Content) -> Counter<'a> {
    let Some((keeper, shop)) = world.shop_here(who, content) else {
        return Err("Nobody keeps a shop here.".into());
    };
    let hour = world.state.clock.hour() as i32;
    let refusal = if let Some(closed) = closed_words(shop, hour) {
        closed
    } else if !world.sees(keeper, who) {
        "I do not trade with voices. Show yourself.".to_string()
    } else if turns_away(shop.refuses, world.who(who)) {
        "I do not trade with your kind.".to_string()
    } else {
        return Ok(Some((keeper, shop)));
    };
    world.keeper_refuses(keeper, who, verb, &refusal)?;
    Ok(None)
}

/// What a keeper says at an hour at which its shop is closed.
fn closed_words(shop: &ShopProto, hour: i32) -> Option<String> {
    (!is_open(&shop.hours, hour)).then(|| match opens_next(&shop.hours, hour) {
        Some(opens) => format!("I am closed. Come back at {}.", clock_words(opens)),
        None => "I am closed, and I mean to stay so.".to_string(),
    })
}

/// Words of who asks when a shop is open.
const ABOUT_HOURS: [&str; 7] = ["hours", "open", "opens", "opening", "closed", "close", "closing"];

/// What the keeper of a shop here says of its hours: while it is closed to whatever it is asked and has no other answer
/// to, else to who asks about them.
pub(super) fn hours_told(world: &World, mob: CharacterId, words: &str) -> Option<String> {
    let (vnum, room) = (world.mob_proto(mob)?.vnum, world.room_proto(world.who(mob).room).vnum);
    let shop = world.content.shops_of(vnum).find(|shop| shop.rooms.is_empty() || shop.rooms.contains(&room))?;
    let hour = world.state.clock.hour() as i32;
    if let Some(closed) = closed_words(shop, hour) {
        return Some(closed);
    }
    if !spoken_words(words).any(|word| ABOUT_HOURS.contains(&word.as_str())) {
        return None;
    }
    Some(match closes_next(&shop.hours, hour) {
        Some(closes) => format!("I am open until {}.", clock_words(closes)),
        None => "I am always open.".to_string(),
    })
}

/// An hour, 0..=23, as people say it.
fn clock_words(hour: i32) -> String {
    match hour {
        0 => "midnight".to_string(),
        12 => "noon".to_string(),
        1..12 => format!("{hour} in the morning"),
        13..18 => format!("{} in the afternoon", hour - 12),
        _ => format!("{} in the evening", hour - 12),
    }
}

fn charisma(world: &World, who: CharacterId) -> i32 {
    world.who(who).now.abilities.charisma
}

pub fn buy(world: &mut World, who: CharacterId, args: &str) -> Done {
    if let Some(offer) = kennels::asked_for(world, who, args) {
        return kennels::buy(world, who, offer, args);
    }
    if let Some(service) = services::asked_for(world, who, args) {
        return services::buy(world, who, service, args);
    }
    let content = world.content.clone();
    if world.shop_here(who, &content).is_none() && services::page(world, who).is_some() {
        return Err("Nobody here sells that, or does it. The verb list shows what there is.".into());
    }
    let Some((keeper, shop)) = counter(world, who, "buy", &content)? else { return Ok(()) };
    let (first, rest) = first_argument(args);
    // `3 bread` is a number of things; a number alone is a place in the list.
    let (count, word, behind) = match first.parse::<usize>() {
        Ok(count) if !rest.is_empty() => {
            let (word, behind) = first_argument(rest);
            (count, word.to_string(), behind)
        }
        Ok(number) => (1, format!("#{number}"), ""),
        Err(_) => (1, first.to_string(), rest),
    };
    if word.is_empty() {
        return Err("What do you want to buy? The verb list shows what there is.".into());
    }
    if !(1..=BUY_MAX).contains(&count) {
        return Err(format!("You can buy from 1 to {BUY_MAX} of a thing at a time.").into());
    }
    let wares = world.wares(keeper, shop);
    let found = match world.ware_of_id(&wares, &word) {
        Some(None) => return Err(GONE),
        Some(found) => found,
        None => match *wares_meant(&wares, &word, behind) {
            [at] => Some(at),
            [] => None,
            ref several => {
                let told = |at: &usize| {
                    let price = price_to_customer(wares[*at].cost, shop.sells_at, charisma(world, who));
                    format!("#{} {} for {}", at + 1, wares[*at].short, coins_text(price))
                };
                let all: Vec<String> = several.iter().take(TOLD_APART).map(told).collect();
                return Err(format!("Which one: {}?", all.join(", or ")).into());
            }
        },
    };
    let Some(at) = found else {
        return world.keeper_refuses(keeper, who, "buy", &shop.messages.no_such_item);
    };
    let ware = &wares[at];
    if ware.asleep {
        return world.keeper_refuses(keeper, who, "buy", ASLEEP);
    }
    let price = price_to_customer(ware.cost, shop.sells_at, charisma(world, who));
    let mut bought: Vec<ObjectId> = Vec::new();
    // Why there are fewer than were asked for.
    let mut short_of: Option<Refusal> = None;
    for n in 0..count {
        if world.who(who).gold < price {
            if bought.is_empty() {
                world.keeper_refuses(keeper, who, "buy", &shop.messages.customer_is_poor)?;
                show_temper(world, keeper, who, shop);
                return Ok(());
            }
            short_of = Some("You cannot afford more.".into());
        } else if world.hands_full(who) {
            short_of = Some(world.carries_enough(who));
        } else if world.too_heavy_for(who, ware.weight) {
            short_of = Some("You cannot carry so much weight.".into());
        }
        if short_of.is_some() {
            break;
        }
        let object = match ware.stock.get(n) {
            Some(object) => *object,
            None if ware.stock.is_empty() => world.make_object(ware.vnum).expect("wares have prototypes"),
            None => {
                short_of = Some("There are no more.".into());
                break;
            }
        };
        world.place_object(object, Place::Carried(who));
        pay(world, who, keeper, price);
        bought.push(object);
    }
    let Some(&object) = bought.last() else {
        return Err(short_of.expect("nothing was bought for a reason"));
    };
    // Affordable one by one, so the sum is no more than the customer had.
    let total = price * bought.len() as i32;
    let (buyer, seller, item) = (world.as_who(who), world.as_who(keeper), world.as_object_ref(object));
    let outcome = world.note(Outcome::Bought { who: buyer, seller, item, price: total.into() });
    world.record_purchase(who, keeper, object, total);
    let scene = Scene::new(who, LineKind::Text).victim(keeper).object(object).hidden().outcome(&outcome);
    let many = if bought.len() > 1 { format!(" ({})", bought.len()) } else { String::new() };
    let coins = coins_text(total);
    world.show(&scene, &format!("You buy $p{many} for {coins}."), "", &format!("$n buys $p{many}."));
    world.keeper_tells(keeper, who, &shop.messages.bought, total);
    if let Some(reason) = short_of {
        world.send(who, LineKind::Refusal, reason.0);
    }
    Ok(())
}

/// What the keeper lets people without money see. Source: the classic tempers, game reference §6.
fn show_temper(world: &mut World, keeper: CharacterId, who: CharacterId, shop: &ShopProto) {
    let scene = Scene::new(keeper, LineKind::Social).victim(who);
    match shop.temper {
        0 => world.show(
            &scene,
            "",
            "$n looks at your purse as if it had crawled in.",
            "$n looks at $N's purse as if it had crawled in.",
        ),
        1 => world.show(&scene, "", "$n fills a pipe and looks through you.", "$n fills a pipe and looks through $N."),
        _ => {}
    }
}

/// The wares by number, with prices; with a word, those that answer to it, under the numbers of the whole list.
pub fn list(world: &mut World, who: CharacterId, args: &str) -> Done {
    let content = world.content.clone();
    if world.shop_here(who, &content).is_none()
        && let Some(page) = services::page(world, who)
    {
        world.send_line(who, Arc::new(page.into_line()));
        return Ok(());
    }
    let Some((keeper, shop)) = counter(world, who, "list", &content)? else { return Ok(()) };
    let (word, _) = first_argument(args);
    let charisma = charisma(world, who);
    let mut page = Page::for_reader(world.who(who));
    page.line(Style::Heading, format!("{:>4} {:>9}  {:<5} {}", "", "price", "left", "thing"));
    let (mut empty, mut asleep) = (true, false);
    for (at, ware) in world.wares(keeper, shop).iter().enumerate() {
        if !word.is_empty() && !answers_to(&ware.keywords, word) {
            continue;
        }
        empty = false;
        let price = price_to_customer(ware.cost, shop.sells_at, charisma);
        let left = if ware.stock.is_empty() { "many".to_string() } else { ware.stock.len().to_string() };
        let number = format!("#{}", at + 1);
        asleep |= ware.asleep;
        let sleeps = if ware.asleep { " (asleep)" } else { "" };
        let numbers = format!("{number:>4} {price:>9}  {left:<5} ");
        let first = ware.stock.first().map(|first| world.object(*first));
        let link = (!ware.asleep).then(|| Hyperlink::ware(ware.vnum, first));
        page.row(0, &[cell(0, numbers), cell(0, &*ware.short).style(Style::Item).link(link), cell(0, sleeps)]);
    }
    if asleep {
        page.say("What is asleep holds magic that nobody can wake, and is not for sale.");
    }
    if empty {
        return if word.is_empty() {
            Err(format!("{} has nothing to sell.", capitalised(world.name_for(who, keeper))).into())
        } else {
            world.keeper_refuses(keeper, who, "list", &shop.messages.no_such_item)
        };
    }
    if word.is_empty() {
        services::tell(world, who, &mut page);
    }
    world.send_line(who, Arc::new(page.into_line()));
    Ok(())
}

pub fn sell(world: &mut World, who: CharacterId, args: &str) -> Done {
    let content = world.content.clone();
    let Some((keeper, shop)) = counter(world, who, "sell", &content)? else { return Ok(()) };
    let (what, _) = Wanted::parse(args);
    if what.is_empty() {
        return Err("What do you want to sell?".into());
    }
    if what.is_all() && what.word().is_empty() {
        return Err("You do not mean that. Name what you want to sell.".into());
    }
    let Ok(found) = carried(world, who, what) else {
        return world.keeper_refuses(keeper, who, "sell", &shop.messages.no_such_offer);
    };
    // What the keeper says to one thing it does not say again to the next.
    let mut said: Vec<Text> = Vec::new();
    each(world, who, found, |world, object| {
        if let Err(words) = sell_one(world, who, object, keeper, shop)?
            && !said.contains(&words)
        {
            world.keeper_refuses(keeper, who, "sell", &words)?;
            said.push(words);
        }
        Ok(())
    })
}

/// What the keeper says to something that it does not want.
type Offer<T> = Result<T, Text>;

fn sell_one(
    world: &mut World,
    who: CharacterId,
    object: ObjectId,
    keeper: CharacterId,
    shop: &ShopProto,
) -> Result<Offer<()>, Refusal> {
    may_let_go(world, who, object)?;
    let price = match offer(world, who, object, shop)? {
        Ok(price) => price,
        Err(words) => return Ok(Err(words)),
    };
    if world.who(keeper).gold < price {
        return Ok(Err(shop.messages.keeper_is_poor.clone()));
    }
    if price > GOLD_MAX - world.who(who).gold {
        return Err("You could not carry that much gold.".into());
    }
    world.who_mut(keeper).gold -= price;
    world.who_mut(who).gold += price;
    let (seller, buyer, item) = (world.as_who(who), world.as_who(keeper), world.as_object_ref(object));
    let outcome = world.note(Outcome::Sold { who: seller, buyer, item, price: price.into() });
    world.record_sale(who, keeper, object, price);
    let scene = Scene::new(who, LineKind::Text).victim(keeper).object(object).hidden().outcome(&outcome);
    world.show(&scene, &format!("You sell $p for {}.", coins_text(price)), "", "$n sells $p.");
    world.keeper_tells(keeper, who, &shop.messages.sold, price);
    if world.is_product(shop, world.object(object)) {
        world.extract_object(object);
    } else {
        world.place_object(object, Place::Carried(keeper));
        make_room(world, keeper);
    }
    Ok(Ok(()))
}

/// Keeps the keeper's stock from growing without end.
fn make_room(world: &mut World, keeper: CharacterId) {
    let stock = &world.who(keeper).carrying;
    if stock.len() > STOCK_MAX
        && let Some(oldest) = stock.last().copied()
    {
        world.extract_object(oldest);
    }
}

/// What the shop would pay, in coins.
fn offer(world: &World, who: CharacterId, object: ObjectId, shop: &ShopProto) -> Result<Offer<i32>, Refusal> {
    let object = world.object(object);
    if !object.contents.is_empty() {
        return Err(format!("Empty {} first.", object.short).into());
    }
    if !deals_in(shop, object) {
        return Ok(Err(shop.messages.does_not_trade.clone()));
    }
    Ok(Ok(price_to_shop(object.cost, shop.buys_at, shop.sells_at, charisma(world, who))))
}

pub fn value(world: &mut World, who: CharacterId, args: &str) -> Done {
    let content = world.content.clone();
    let Some((keeper, shop)) = counter(world, who, "value", &content)? else { return Ok(()) };
    let (what, _) = Wanted::parse(args);
    if what.is_empty() {
        return Err("What do you want to have valued?".into());
    }
    let Ok(found) = carried(world, who, what) else {
        return world.keeper_refuses(keeper, who, "value", &shop.messages.no_such_offer);
    };
    let object = found[0];
    match offer(world, who, object, shop)? {
        Ok(price) => {
            let text = format!("For {} you would get {} from me.", world.object(object).short, coins_text(price));
            world.keeper_tells(keeper, who, &text, price);
            Ok(())
        }
        Err(words) => world.keeper_refuses(keeper, who, "value", &words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_hour_is_said_as_people_say_it() {
        for (hour, words) in [
            (0, "midnight"),
            (6, "6 in the morning"),
            (12, "noon"),
            (13, "1 in the afternoon"),
            (17, "5 in the afternoon"),
            (18, "6 in the evening"),
            (23, "11 in the evening"),
        ] {
            assert_eq!(clock_words(hour), words);
        }
    }
}
