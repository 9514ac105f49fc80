//! Shops: which keeper trades where, when and with whom, what for, and at what price. The verbs are in
//! `commands/trade.rs`.
//!
//! A shop has no state of its own: its stock is what the keeper carries and what it never runs out of, its purse is the
//! keeper's gold. That is why `uses_bank` of the classic files changes nothing: a purse that nobody can rob is a bank.
//! Source of rules and prices: game reference §6.

use crate::act::Scene;
use crate::arena::{CharacterId, ObjectId};
use crate::character::Character;
use crate::find::{answers_to, is_keyword};
use crate::object::Object;
use crate::refusal::Done;
use crate::report::{Line, LineKind};
use crate::rules::Rules;
use crate::world::World;
use content::flags::*;
use content::words::*;
use content::{Behaviour, Content, ObjectKind, ObjectProto, ShopProto, Text, Vnum};
use protocol::Outcome;
use protocol::instance::{Instance, UNMADE};
use std::sync::Arc;

/// Something that a shop sells: one line of its list.
#[derive(Clone, Debug)]
pub struct Ware {
    pub vnum: Vnum,
    pub keywords: Text,
    pub short: Text,
    /// In coins, before the customer's charm.
    pub cost: i32,
    /// In pounds.
    pub weight: i32,
    /// Nobody could use it.
    pub asleep: bool,
    /// Those that the keeper carries, oldest last; empty for a product, which is made anew for each customer.
    pub stock: Vec<ObjectId>,
}

/// Whether a thing is good for nothing but a spell that this rule book does not have, as in worlds of other servers. No
/// keeper takes money for it, and lists say why.
fn is_asleep(kind: &ObjectKind, rules: &Rules) -> bool {
    let spells = match *kind {
        ObjectKind::Potion { spells, .. } | ObjectKind::Scroll { spells, .. } => spells,
        ObjectKind::Wand { spell, .. } | ObjectKind::Staff { spell, .. } => [spell, 0, 0],
        _ => return false,
    };
    spells.into_iter().all(|number| rules.spell_numbered(number).is_none())
}

/// What mobs do here by their rows whom somebody sees awake, in the order of the room and of their rows.
pub(crate) fn rows_here(world: &World, who: CharacterId) -> impl Iterator<Item = (CharacterId, &Behaviour)> {
    let here = world.room(world.who(who).room).characters.iter().copied();
    let awake = here.filter(move |id| world.who(*id).is_awake() && world.sees(who, *id));
    awake.flat_map(|id| {
        let rows = world.mob_proto(id).map_or(&[][..], |proto| &proto.behaviours);
        rows.iter().map(move |row| (id, row))
    })
}

impl World {
    /// The first keeper in the room, awake, whose shop trades here. The shop belongs to `content`, which the caller
    /// holds, so that the world can change meanwhile.
    pub fn shop_here<'a>(&self, who: CharacterId, content: &'a Content) -> Option<(CharacterId, &'a ShopProto)> {
        let room = self.who(who).room;
        let vnum = self.room_proto(room).vnum;
        self.room(room).characters.iter().find_map(|id| {
            let keeper = self.mob_proto(*id).filter(|_| self.who(*id).is_awake())?;
            let shop = content.shops_of(keeper.vnum).find(|s| s.rooms.is_empty() || s.rooms.contains(&vnum))?;
            Some((*id, shop))
        })
    }

    /// What the keeper has to sell, in a fixed order: products first, then what it carries, newest first, alike things
    /// in one line.
    pub fn wares(&self, keeper: CharacterId, shop: &ShopProto) -> Vec<Ware> {
        let mut wares: Vec<Ware> = Vec::new();
        for vnum in &shop.products {
            if let Some(proto) = self.content.object(*vnum)
                && !wares.iter().any(|w| w.vnum == *vnum)
            {
                wares.push(Ware {
                    vnum: *vnum,
                    keywords: proto.keywords.clone(),
                    short: proto.short.clone(),
                    cost: proto.cost,
                    weight: proto.weight,
                    asleep: is_asleep(&proto.kind, &self.rules),
                    stock: Vec::new(),
                });
            }
        }
        for id in &self.who(keeper).carrying {
            let object = self.object(*id);
            if matches!(object.kind, ObjectKind::Money { .. }) || self.is_product(shop, object) {
                continue;
            }
            let alike = |ware: &&mut Ware| ware.stock.first().is_some_and(|o| are_alike(self.object(*o), object));
            match wares.iter_mut().find(alike) {
                Some(ware) => ware.stock.push(*id),
                None => wares.push(Ware {
                    vnum: object.vnum,
                    keywords: object.keywords.clone(),
                    short: object.short.clone(),
                    cost: object.cost,
                    weight: self.weight_of(*id),
                    asleep: is_asleep(&object.kind, &self.rules),
                    stock: vec![*id],
                }),
            }
        }
        wares
    }

    /// One of what the shop never runs out of, and as good as new.
    pub fn is_product(&self, shop: &ShopProto, object: &Object) -> bool {
        shop.products.contains(&object.vnum) && self.content.object(object.vnum).is_some_and(|p| is_as_built(object, p))
    }

    /// The keeper says something of its own to the customer. `%s` at the head is only an address and is dropped;
    /// elsewhere it is the customer's name; `%d` is the price.
    pub fn keeper_tells(&mut self, keeper: CharacterId, customer: CharacterId, pattern: &str, price: i32) {
        self.keeper_line(keeper, customer, pattern, price, None);
    }

    /// As `keeper_tells`, when that is why the command was not done.
    pub fn keeper_refuses(
        &mut self,
        keeper: CharacterId,
        customer: CharacterId,
        command: &'static str,
        pattern: &str,
    ) -> Done {
        self.keeper_line(keeper, customer, pattern, 0, Some(command));
        Ok(())
    }

    fn keeper_line(
        &mut self,
        keeper: CharacterId,
        customer: CharacterId,
        pattern: &str,
        price: i32,
        refused: Option<&'static str>,
    ) {
        let words = spoken(pattern, self.who(customer).shown(), price);
        let scene = Scene::new(keeper, LineKind::Tell).text(&words);
        let text = self.voice(&scene, customer, "$n tells you, \"$t\"");
        let outcome = match refused {
            Some(command) => {
                self.report.refused = Some(text.clone());
                Arc::new(Outcome::Refused { command: command.into(), reason: text.as_str().into() })
            }
            None => {
                let (speaker, to) = (self.as_who(keeper), Some(self.as_who(customer)));
                self.note(Outcome::Said {
                    speaker,
                    channel: "tell".into(),
                    to,
                    text: words.as_str().into(),
                    message_id: None,
                    channel_id: None,
                })
            }
        };
        let from = self.sees(customer, keeper).then(|| self.who(keeper).name.clone());
        let line = Line { kind: LineKind::Tell, from, text, outcome: Some(outcome), ..Line::default() };
        self.send_line(customer, Arc::new(line));
    }
}

/// What a keeper's message becomes.
fn spoken(pattern: &str, customer: &str, price: i32) -> String {
    let text = pattern.trim();
    let text = text.strip_prefix("%s").map_or(text, |rest| rest.trim_start_matches([',', ':']).trim_start());
    crate::act::capitalised(&priced(text, price).replace("%s", customer))
}

/// With the price where it belongs; one coin is not "1 coins".
fn priced(text: &str, price: i32) -> String {
    let text = if price == 1 { text.replace("%d coins", "one coin") } else { text.to_string() };
    text.replace("%d", &price.to_string())
}

/// Two things that a list need not tell apart.
fn are_alike(a: &Object, b: &Object) -> bool {
    a.vnum == b.vnum
        && a.short == b.short
        && a.cost == b.cost
        && a.kind == b.kind
        && a.flags == b.flags
        && a.applies == b.applies
        && a.contents.is_empty()
        && b.contents.is_empty()
}

fn is_as_built(object: &Object, proto: &ObjectProto) -> bool {
    object.kind == proto.kind
        && object.flags == proto.flags
        && object.applies == proto.applies
        && object.short == proto.short
        && object.contents.is_empty()
}

/// What a customer pays, in coins: the cost at the shop's factor, less half a percent for each point of charisma, but
/// never below the cost, nor below 1. Source: game reference §6.
pub fn price_to_customer(cost: i32, sells_at: i32, charisma: i32) -> i32 {
    let cost = i64::from(cost.max(0));
    let full = cost * i64::from(sells_at) / 100;
    let price = full - full * i64::from(charisma) / 200;
    price.max(cost).clamp(1, i64::from(i32::MAX)) as i32
}

/// What the shop pays for a thing, in coins: the cost at the shop's factor and half a percent more for each point of
/// charisma, never above the cost or its own price, at least 1. Source: game reference §6.
pub fn price_to_shop(cost: i32, buys_at: i32, sells_at: i32, charisma: i32) -> i32 {
    let full = i64::from(cost.max(0)) * i64::from(buys_at) / 100;
    let price = full + full * i64::from(charisma) / 200;
    let most = cost.min(price_to_customer(cost, sells_at, charisma));
    price.min(i64::from(most)).max(1) as i32
}

/// Whether the shop is open at that hour, 0..=23. Windows are half-open; one that ends before it begins goes over
/// midnight.
pub fn is_open(hours: &[(i32, i32); 2], hour: i32) -> bool {
    hours.iter().any(|(from, to)| if from <= to { (*from..*to).contains(&hour) } else { hour >= *from || hour < *to })
}

/// The hour at which a closed shop opens next; `None` for one that never does.
pub fn opens_next(hours: &[(i32, i32); 2], hour: i32) -> Option<i32> {
    (1..24).map(|later| (hour + later) % 24).find(|h| is_open(hours, *h))
}

/// The hour at which an open shop closes next; `None` for one that never does.
pub fn closes_next(hours: &[(i32, i32); 2], hour: i32) -> Option<i32> {
    (1..24).map(|later| (hour + later) % 24).find(|h| !is_open(hours, *h))
}

/// Whom the shop turns away: by heart, or by trade. Remort classes count with the class they grew from.
pub fn turns_away(refuses: TradeFlags, customer: &Character) -> bool {
    if customer.is_immortal() {
        return false;
    }
    let heart = if customer.is_good() {
        TradeFlags::NO_GOOD
    } else if customer.is_evil() {
        TradeFlags::NO_EVIL
    } else {
        TradeFlags::NO_NEUTRAL
    };
    let trade = match customer.class {
        Class::MagicUser | Class::Magus => TradeFlags::NO_MAGIC_USER,
        Class::Cleric | Class::Avatar => TradeFlags::NO_CLERIC,
        Class::Thief | Class::Assassin => TradeFlags::NO_THIEF,
        Class::Warrior | Class::Paladin | Class::Ranger => TradeFlags::NO_WARRIOR,
        Class::Ninja | Class::Psionic | Class::Mystic => TradeFlags::NONE,
    };
    refuses.has(heart) || (customer.is_player() && refuses.any(trade))
}

/// Whether the shop deals in such things at all. What is used up, or has no price, nobody buys.
pub fn deals_in(shop: &ShopProto, object: &Object) -> bool {
    let worthless = match object.kind {
        ObjectKind::Trash | ObjectKind::Money { .. } | ObjectKind::Light { hours: 0 } => true,
        ObjectKind::Wand { charges, .. } | ObjectKind::Staff { charges, .. } => charges <= 0,
        _ => false,
    };
    !worthless
        && object.cost > 0
        && !object.is_corpse()
        && !object.flags.has(ObjectFlags::NO_SELL)
        && shop.trades.iter().any(|t| t.item == object.kind.item_type() && fits_expression(&t.keywords, object))
}

/// Whether a thing fits a classic keyword expression such as `sword|axe & ^broken`. Words are keywords or names of
/// flags, whole, without regard to case; `^` and `'` mean not, `&` and `*` and (also between words with nothing between
/// them), `|` and `+` or, in this order of strength; `( [ {` group. An empty expression fits everything.
pub fn fits_expression(expression: &str, object: &Object) -> bool {
    let mut rest = expression.trim();
    rest.is_empty() || either(&mut rest, object)
}

fn either(rest: &mut &str, object: &Object) -> bool {
    let mut fits = all_of(rest, object);
    while let Some(after) = rest.strip_prefix(['|', '+']) {
        *rest = after.trim_start();
        // Both sides are always read, so that the rest begins after them.
        fits |= all_of(rest, object);
    }
    fits
}

fn all_of(rest: &mut &str, object: &Object) -> bool {
    let mut fits = one_of(rest, object);
    loop {
        if let Some(after) = rest.strip_prefix(['&', '*']) {
            *rest = after.trim_start();
        } else if rest.is_empty() || rest.starts_with(['|', '+', ')', ']', '}']) {
            return fits;
        }
        let before = rest.len();
        fits &= one_of(rest, object);
        if rest.len() == before {
            return fits;
        }
    }
}

fn one_of(rest: &mut &str, object: &Object) -> bool {
    let mut wanted = true;
    while let Some(after) = rest.strip_prefix(['^', '\'']) {
        wanted = !wanted;
        *rest = after.trim_start();
    }
    if let Some(after) = rest.strip_prefix(['(', '[', '{']) {
        *rest = after.trim_start();
        let fits = either(rest, object);
        *rest = rest.strip_prefix([')', ']', '}']).unwrap_or(rest).trim_start();
        return fits == wanted;
    }
    let end = rest.find(|c: char| c.is_whitespace() || "|+&*^'([{)]}".contains(c)).unwrap_or(rest.len());
    let (word, after) = rest.split_at(end);
    *rest = after.trim_start();
    // A missing word (the builder's slip) asks for nothing.
    let fits = word.is_empty()
        || object.keywords.split(' ').any(|k| k.eq_ignore_ascii_case(word))
        || ObjectFlags::named(&word.to_ascii_lowercase()).is_some_and(|flag| object.flags.has(flag));
    fits == wanted
}

impl World {
    /// The place in the list of what a customer asks for by its id, as a link names it. `Some(None)`: it is no longer
    /// for sale.
    pub fn ware_of_id(&self, wares: &[Ware], text: &str) -> Option<Option<usize>> {
        let Some(Instance::Object { vnum, serial }) = Instance::parse(text) else { return None };
        let is_it = |ware: &Ware| match serial {
            UNMADE => ware.vnum == vnum && ware.stock.is_empty(),
            serial => ware.stock.iter().any(|id| (self.object(*id).vnum, self.object(*id).serial) == (vnum, serial)),
        };
        Some(wares.iter().position(is_it))
    }
}

/// The place in the list of what a customer asks for: `#2` by number, `bread`, `2.sword` by keyword.
pub fn find_ware(wares: &[Ware], text: &str) -> Option<usize> {
    if let Some(number) = text.strip_prefix('#') {
        let at = number.parse::<usize>().ok()?.checked_sub(1)?;
        return (at < wares.len()).then_some(at);
    }
    let target = crate::find::Target::parse(text);
    let crate::find::Which::Nth(n) = target.which else { return None };
    answering(wares, target.word).nth(n.checked_sub(1)?)
}

/// Places of the wares that a word may mean, in the order of the list.
fn answering<'a>(wares: &'a [Ware], word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let answers = move |(_, ware): &(usize, &Ware)| answers_to(&ware.keywords, word);
    wares.iter().enumerate().filter(answers).map(|(at, _)| at)
}

/// Places of the wares that are meant by a word and what was typed behind it: more than one where that does not choose
/// between things that are not the same.
pub fn wares_meant(wares: &[Ware], word: &str, behind: &str) -> Vec<usize> {
    // `2.scroll` and `#3` choose.
    if word.starts_with(|c: char| c == '#' || c.is_ascii_digit()) {
        return find_ware(wares, word).into_iter().collect();
    }
    let narrowed = |meant: Vec<usize>, word: &str| -> Vec<usize> {
        let is_whole = |at: &usize| is_keyword(&wares[*at].keywords, word);
        let begins = |at: &usize| answers_to(&wares[*at].keywords, word);
        let keep = |fits: &dyn Fn(&usize) -> bool| -> Vec<usize> { meant.iter().copied().filter(fits).collect() };
        let whole = keep(&is_whole);
        let kept = if whole.is_empty() { keep(&begins) } else { whole };
        if kept.is_empty() { meant } else { kept }
    };
    let of_word: Vec<usize> = answering(wares, word).collect();
    let mut meant = narrowed(of_word, word);
    for word in behind.split_whitespace() {
        meant = narrowed(meant, word);
    }
    let same = meant.iter().all(|at| wares[*at].short == wares[meant[0]].short);
    meant.truncate(if same { 1 } else { meant.len() });
    meant
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::Place;

    #[test]
    fn charisma_never_brings_a_price_below_the_cost() {
        for (cost, sells_at, charisma, price) in [
            (100, 150, 0, 150),
            (100, 150, 10, 143), // 150 less 5 percent
            (100, 150, 18, 137), // 150 less 9 percent
            (100, 105, 18, 100), // would be 96
            (100, 50, 3, 100),   // a shop that means to give things away
            (0, 150, 10, 1),
            (2_000_000_000, 200, 0, i32::MAX),
        ] {
            assert_eq!(price_to_customer(cost, sells_at, charisma), price, "{cost} at {sells_at}, {charisma}");
        }
    }

    #[test]
    fn a_shop_never_pays_more_than_the_cost() {
        for (cost, buys_at, sells_at, charisma, price) in [
            (100, 50, 150, 0, 50),
            (100, 50, 150, 18, 54),
            (100, 100, 150, 18, 100), // would be 109
            (1, 10, 150, 18, 1),
            (100, 300, 100, 3, 100),
        ] {
            assert_eq!(price_to_shop(cost, buys_at, sells_at, charisma), price, "{cost} at {buys_at}, {charisma}");
        }
    }

    #[test]
    fn nothing_is_gained_by_buying_and_selling_again() {
        for cost in [1, 2, 3, 7, 50, 999] {
            for charisma in 0..=25 {
                for (buys_at, sells_at) in [(50, 120), (100, 100), (200, 50)] {
                    let paid = price_to_customer(cost, sells_at, charisma);
                    assert!(price_to_shop(cost, buys_at, sells_at, charisma) <= paid, "{cost} {charisma}");
                }
            }
        }
    }

    #[test]
    fn a_shop_is_open_in_its_windows_only() {
        let evening = [(19, 28), (0, 6)];
        assert!(is_open(&evening, 23) && is_open(&evening, 5) && !is_open(&evening, 6) && !is_open(&evening, 18));
        assert_eq!(opens_next(&evening, 12), Some(19));
        assert_eq!(opens_next(&[(0, 0), (0, 0)], 12), None);
        assert!(is_open(&[(22, 4), (0, 0)], 2), "over midnight");
    }

    #[test]
    fn a_keyword_expression_means_what_it_says() {
        let object = |keywords: &str, flags| Object {
            serial: 1,
            vnum: 1,
            keywords: keywords.into(),
            short: "".into(),
            long: "".into(),
            kind: ObjectKind::Other,
            flags,
            wear: WearFlags::NONE,
            affects: AffectFlags::NONE,
            weight: 1,
            cost: 1,
            level: 0,
            timer_hours: 0,
            applies: Vec::new(),
            place: Place::Nowhere,
            contents: Vec::new(),
        };
        for (expression, keywords, fits) in [
            ("", "lamp", true),
            ("sword|axe", "axe bearded", true),
            ("sword|axe", "club", false),
            ("sword|axe & ^broken", "sword broken", true), // and binds before or
            ("(sword|axe) & ^broken", "sword broken", false),
            ("[sword + axe] * 'broken", "sword long", true),
            ("long sword", "sword short", false), // words side by side: both
            ("swo", "sword", false),              // whole words
            ("SWORD", "sword", true),
            ("^^sword", "sword", true),
            ("magic", "sword", false),
            ("sword &", "sword", true), // slips of builders do no harm
            (")", "sword", true),
            ("(sword", "sword", true),
        ] {
            assert_eq!(fits_expression(expression, &object(keywords, ObjectFlags::NONE)), fits, "{expression}");
        }
        assert!(fits_expression("magic & sword", &object("sword", ObjectFlags::MAGIC)), "names of flags count");
    }

    #[test]
    fn a_message_loses_its_address_and_gets_its_price() {
        assert_eq!(spoken("%s That will be %d coins.", "Ann", 5), "That will be 5 coins.");
        assert_eq!(spoken("%s %d coins. It is worn.", "Ann", 1), "One coin. It is worn.");
        assert_eq!(spoken("%s, no.", "Ann", 5), "No.");
        assert_eq!(spoken("Come back with the money, %s.", "Ann", 5), "Come back with the money, Ann.");
    }
}
