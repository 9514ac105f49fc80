//! What may be wrong with answers and trades: nobody gives them, nobody can hear of them, an earlier one always comes
//! first, what they ask for is not to be had, or they make money out of nothing.

use crate::answers::{TradeProto, When, spoken_words};
use crate::content::Content;
use crate::draft::Draft;
use crate::flags::WearFlags;
use crate::origins::{Faults, Place};
use crate::supply::Supply;
use crate::text::Text;
use crate::vnum::Vnum;
use crate::words::Position;
use std::collections::{BTreeMap, BTreeSet};

/// Coins that a thing may cost which a mob gives to everybody, every day.
const GIFT_COST_MAX: i32 = 10;

/// Errors, then warnings.
pub(crate) fn faults(draft: &Draft) -> (Faults, Faults) {
    let (mut errors, mut warnings) = (Vec::new(), Vec::new());
    if draft.content.answers.is_empty() && draft.content.trades.is_empty() {
        return (errors, warnings);
    }
    answers(draft, &mut errors, &mut warnings);
    trades(draft, &mut errors, &mut warnings);
    (errors, warnings)
}

/// Warnings: answers and trades that nobody will ever come to, though all that they name exists.
pub(crate) fn unheard(draft: &Draft, supply: &Supply) -> Faults {
    let Draft { content, origins, .. } = draft;
    let mut found = Vec::new();
    // Both lists are sorted by the mob and keep the order of reading among equal numbers.
    for (index, answer) in content.answers.iter().enumerate() {
        let place = origins.answers.get(index).map(|(_, place)| *place).unwrap_or_default();
        let never = never(content, supply, answer.mob, &answer.when, "answer");
        found.extend(never.into_iter().map(|what| (place, what)));
    }
    for (index, trade) in content.trades.iter().enumerate() {
        let place = origins.trades.get(index).map(|(_, place)| *place).unwrap_or_default();
        let mut never = never(content, supply, trade.mob, &trade.when, "trade");
        if content.object_index(trade.takes).is_some() && !supply.objects.contains(&trade.takes) {
            let takes = trade.takes;
            never.push(format!("this trade never happens: no reset, shop, task or trade brings object #{takes}"));
        }
        found.extend(never.into_iter().map(|what| (place, what)));
    }
    found
}

fn answers(draft: &Draft, errors: &mut Faults, warnings: &mut Faults) {
    let Draft { content, origins, .. } = draft;
    let shown = shown_words(content);
    let said: Vec<BTreeSet<String>> = content.answers.iter().map(|row| spoken_words(&row.says).collect()).collect();
    let mut plain: BTreeMap<(Vnum, &Text), Place> = BTreeMap::new();
    // By mobs that greet everybody.
    let mut greeted: BTreeMap<Vnum, Place> = BTreeMap::new();
    // Both lists are sorted by the mob and keep the order of reading among equal numbers.
    for (index, answer) in content.answers.iter().enumerate() {
        let place = origins.answers.get(index).map(|(_, place)| *place).unwrap_or_default();
        let mob = answer.mob;
        if content.mob_index(mob).is_none() {
            errors.push((place, format!("this answer is given by mob #{mob}, which does not exist")));
        }
        errors.extend(missing(content, &answer.when, answer.gives, "answer").into_iter().map(|what| (place, what)));
        if let Some(gift) = answer.gives.and_then(|gives| content.object(gives))
            && gift.cost > GIFT_COST_MAX
        {
            let what = format!(
                "object #{} costs {} coins, and this gives one to everybody every day: at most {GIFT_COST_MAX}",
                gift.vnum, gift.cost
            );
            warnings.push((place, what));
        }
        let elsewhere =
            |word: &str| said.iter().enumerate().any(|(other, words)| other != index && words.contains(word));
        if !answer.greets && !answer.to.iter().any(|word| shown.contains(&**word) || elsewhere(word)) {
            let what = "nobody can find this answer: no text of the world has a word of its `to`";
            warnings.push((place, what.to_string()));
        }
        for word in &answer.to {
            if let Some(first) = plain.get(&(mob, word)) {
                let what = format!("mob #{mob} already answers to {word:?} at line {}: this is never said", first.line);
                warnings.push((place, what));
            }
        }
        if answer.greets
            && let Some(first) = greeted.get(&mob)
        {
            let what = format!("mob #{mob} already greets everybody at line {}: this is never said", first.line);
            warnings.push((place, what));
        }
        if answer.is_plain() && answer.greets {
            greeted.entry(mob).or_insert(place);
        }
        if answer.is_plain() {
            plain.extend(answer.to.iter().map(|word| ((mob, word), place)));
        }
    }
}

fn trades(draft: &Draft, errors: &mut Faults, warnings: &mut Faults) {
    let Draft { content, origins, .. } = draft;
    let mut plain: BTreeMap<(Vnum, Vnum), Place> = BTreeMap::new();
    for (index, trade) in content.trades.iter().enumerate() {
        let place = origins.trades.get(index).map(|(_, place)| *place).unwrap_or_default();
        if content.mob_index(trade.mob).is_none() {
            errors.push((place, format!("this trade is made by mob #{}, which does not exist", trade.mob)));
        }
        let objects = [trade.takes, trade.gives];
        for object in objects.into_iter().filter(|object| content.object_index(*object).is_none()) {
            errors.push((place, format!("this trade names object #{object}, which does not exist")));
        }
        errors.extend(missing(content, &trade.when, None, "trade").into_iter().map(|what| (place, what)));
        warnings.extend(unmade(content, trade).into_iter().map(|what| (place, what)));
        if let Some(first) = plain.get(&(trade.mob, trade.takes)) {
            let what = format!(
                "mob #{} already gives something for object #{} at line {}: this never happens",
                trade.mob, trade.takes, first.line
            );
            warnings.push((place, what));
        }
        if trade.when == When::default() {
            plain.entry((trade.mob, trade.takes)).or_insert(place);
        }
    }
}

/// What conditions and gifts name and the world does not have.
fn missing(content: &Content, when: &When, gives: Option<Vnum>, kind: &str) -> Vec<String> {
    let mut found = Vec::new();
    if let Some(object) = when.carries.filter(|object| content.object_index(*object).is_none()) {
        found.push(format!("this {kind} asks for object #{object}, which does not exist"));
    }
    if let Some(object) = gives.filter(|object| content.object_index(*object).is_none()) {
        found.push(format!("this {kind} gives object #{object}, which does not exist"));
    }
    let tasks = [&when.during, &when.after].into_iter().flatten();
    for task in tasks.filter(|task| content.task(task).is_none()) {
        found.push(format!("this {kind} asks for task {:?}, which does not exist", &**task));
    }
    found
}

/// Why nobody will ever come to it, though all of it exists.
fn never(content: &Content, supply: &Supply, mob: Vnum, when: &When, kind: &str) -> Vec<String> {
    let mut found = Vec::new();
    if content.mob_index(mob).is_some() && !supply.mobs.contains(&mob) {
        found.push(format!("this {kind} never happens: no reset brings mob #{mob}"));
    }
    let carries = when.carries.filter(|object| content.object_index(*object).is_some());
    if let Some(object) = carries.filter(|object| !supply.objects.contains(object)) {
        found.push(format!("this {kind} never happens: nothing brings object #{object}, which has to be carried"));
    }
    found
}

/// Why a trade will never be made, or should not be.
fn unmade(content: &Content, trade: &TradeProto) -> Vec<String> {
    let mut found = Vec::new();
    let (Some(takes), Some(gives)) = (content.object(trade.takes), content.object(trade.gives)) else { return found };
    if !takes.wear.has(WearFlags::TAKE) {
        found.push(format!("this trade never happens: object #{} cannot be picked up", takes.vnum));
    }
    if content.mob(trade.mob).is_some_and(|mob| mob.default_position <= Position::Sleeping) {
        found.push(format!("this trade never happens: mob #{} sleeps, and takes nothing", trade.mob));
    }
    // In hundredths of a coin: what it costs where it is cheapest, and what the other one brings where it brings most.
    let sold = content.shops.iter().filter(|shop| shop.products.contains(&takes.vnum));
    let price = sold.map(|shop| i64::from(shop.sells_at) * i64::from(takes.cost)).min();
    let item = gives.kind.item_type();
    let bought = content.shops.iter().filter(|shop| shop.trades.iter().any(|trade| trade.item == item));
    let worth = bought.map(|shop| i64::from(shop.buys_at) * i64::from(gives.cost)).max();
    if price.zip(worth).is_some_and(|(price, worth)| worth > price) {
        found.push(format!(
            "object #{} is bought for less than object #{} is sold for, which it brings: that makes money out of nothing",
            takes.vnum, gives.vnum
        ));
    }
    found
}

/// Every word that the world's rooms, mobs and objects show.
fn shown_words(content: &Content) -> BTreeSet<String> {
    let mut texts: Vec<&str> = Vec::new();
    for room in &content.rooms {
        texts.extend([&*room.name, &*room.description]);
        texts.extend(room.extras.iter().map(|extra| &*extra.text));
    }
    for mob in &content.mobs {
        texts.extend([&*mob.short, &*mob.long, &*mob.description, &*mob.noise]);
    }
    for object in &content.objects {
        texts.extend([&*object.short, &*object.long, &*object.action]);
        texts.extend(object.extras.iter().map(|extra| &*extra.text));
    }
    texts.into_iter().flat_map(spoken_words).collect()
}
