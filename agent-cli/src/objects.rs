//! What an agent learns about things, by vnum: what they are good for, and what shops ask for them.
//!
//! INVENTORY and EQUIPMENT say what to type for each thing; older servers do not, so there words are taken from the
//! name, the likeliest first. Nothing tells a use, so it is guessed from the name and corrected by what the game
//! answers.

use protocol::payload::{EquippedItem, InventoryItem};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// What something is good for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Use {
    Food,
    Drink,
    Light,
    Weapon,
    /// Put on somewhere.
    Wear,
    /// Drunk or read aloud, it heals.
    Heal,
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct KnownObject {
    pub name: String,
    /// Uses that the game denied.
    pub not: BTreeSet<Use>,
    /// Uses that the game granted.
    pub good_for: BTreeSet<Use>,
    /// Where it is worn.
    pub slot: Option<String>,
    /// What a shop asked for it, in coins.
    pub price: Option<i64>,
    /// Words that did not mean it.
    pub deaf: BTreeSet<String>,
}

/// What a keeper of a shop deals in, as far as one was told.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Keeper {
    /// It said a price for one of these.
    pub takes: BTreeSet<Kind>,
    pub refuses: BTreeSet<Kind>,
}

/// What sort of thing something is: what it is good for, else what it is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    For(Use),
    /// The noun of its name: `tail`.
    A(String),
}

impl Kind {
    fn new(use_: Option<Use>, name: &str) -> Kind {
        use_.map_or_else(|| Kind::A(words_of(name).into_iter().next().unwrap_or_default()), Kind::For)
    }
}

/// A row of a shop's list.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Ware {
    /// `#3` is what `buy` takes.
    pub number: u32,
    pub price: i64,
    pub name: String,
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Objects {
    pub known: BTreeMap<i32, KnownObject>,
    /// By the room of the shop.
    pub shops: BTreeMap<i32, Vec<Ware>>,
    /// By the room of the shop, too.
    pub keepers: BTreeMap<i32, Keeper>,
    /// Kinds of mobs that keep no shop, though they may look like it.
    pub no_keepers: BTreeSet<i32>,
    /// Rooms where the game said that there is no shop.
    pub no_shops: BTreeSet<i32>,
}

const FOOD: &[&str] = &[
    "bread", "loaf", "pie", "oatcake", "eel", "cheese", "apple", "biscuit", "broth", "stew", "meat", "fish", "cake",
    "ration", "rations", "berries", "mushroom", "ham", "sausage", "soup", "haunch", "leg", "egg", "honey", "nuts",
    "pear", "cherries", "trout", "bun", "porridge",
];
const DRINK: &[&str] =
    &["waterskin", "skin", "flask", "bottle", "canteen", "jug", "cup", "tankard", "barrel", "gourd", "pot", "horn"];
const FOUNTAIN: &[&str] = &["fountain", "well", "spring", "trough", "basin", "pump", "pool", "stream"];
const LIGHT: &[&str] = &["torch", "lantern", "lamp", "candle", "light"];
const WEAPON: &[&str] = &[
    "sword",
    "dagger",
    "knife",
    "axe",
    "mace",
    "club",
    "spear",
    "staff",
    "quarterstaff",
    "halberd",
    "hammer",
    "stick",
    "cudgel",
    "flail",
    "scythe",
    "sickle",
    "maul",
    "blade",
    "boathook",
    "prybar",
    "crook",
    "cleaver",
    "hatchet",
    "pitchfork",
    "bow",
    "rapier",
    "scimitar",
    "glaive",
    "pike",
    "whip",
    "spade",
    "flamberge",
];
const HEAL: &[&str] = &["healing", "bitters", "mending", "curing", "remedy", "curative"];
/// Weapons with a point, as names have them.
const POINTED: &[&str] = &["dagger", "knife", "dirk", "stiletto", "poniard", "rapier", "shiv", "spike", "awl"];
const WEAR: &[&str] = &[
    "tunic",
    "jerkin",
    "cap",
    "leggings",
    "boots",
    "gloves",
    "sleeves",
    "buckler",
    "mail",
    "coif",
    "chausses",
    "gauntlets",
    "shield",
    "cloak",
    "cape",
    "hose",
    "hat",
    "scarf",
    "belt",
    "clogs",
    "veil",
    "ring",
    "brooch",
    "bangle",
    "medallion",
    "beads",
    "tabard",
    "helm",
    "helmet",
    "corselet",
    "collar",
    "mantle",
    "armlet",
    "badge",
    "greaves",
    "girdle",
    "shawl",
    "jack",
    "chain",
    "crown",
    "robe",
    "coat",
    "vest",
    "breastplate",
    "bracers",
    "amulet",
    "necklace",
    "bracelet",
    "mask",
    "shirt",
    "breeches",
    "apron",
    "hood",
    "mittens",
    "shoes",
    "vambraces",
    "sash",
];
/// What carries no meaning in a name.
/// A keeper who refused so many sorts of things, and took none, is not asked again.
const REFUSALS_MAX: usize = 4;
const SMALL: &[&str] = &["a", "an", "the", "of", "some", "pair", "set", "piece", "with", "and", "in", "from", "to"];

/// The words of a name, as they stand in it.
fn raw_words(name: &str) -> impl DoubleEndedIterator<Item = &str> {
    let words = name.split(|c: char| !c.is_alphanumeric() && c != '-' && c != '\'');
    words.map(|word| word.trim_end_matches("'s").trim_matches('\''))
}

/// The words of a name as somebody might type them, the likeliest first: the last one, then the others.
pub fn words_of(name: &str) -> Vec<String> {
    let mut words: Vec<String> = raw_words(name)
        .map(str::to_lowercase)
        .filter(|word| word.len() > 1 && !SMALL.contains(&word.as_str()))
        .collect();
    words.reverse();
    words
}

fn says(name: &str, list: &[&str]) -> bool {
    words_of(name).iter().any(|word| list.contains(&word.as_str()))
}

/// What a name promises.
pub fn guess(name: &str) -> Option<Use> {
    // A name's last words say what it is: a sword hilt lamp is a lamp.
    raw_words(name).rev().find_map(|word| match word.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => USES.get(&*word.to_ascii_lowercase()).copied(),
        false => USES.get(word).copied(),
    })
}

/// The use that each word promises; of several the first here.
static USES: LazyLock<BTreeMap<&str, Use>> = LazyLock::new(|| {
    let lists = [
        (LIGHT, Use::Light),
        (WEAPON, Use::Weapon),
        (WEAR, Use::Wear),
        (DRINK, Use::Drink),
        (FOOD, Use::Food),
        (HEAL, Use::Heal),
    ];
    let words = lists.into_iter().rev().flat_map(|(words, use_)| words.iter().map(move |word| (*word, use_)));
    words.collect()
});

/// A weapon that can be driven into somebody's back, by its name.
pub fn is_pointed(name: &str) -> bool {
    says(name, POINTED)
}

/// Something on the floor that one can drink from as it stands.
pub fn is_fountain(name: &str) -> bool {
    says(name, FOUNTAIN)
}

impl Objects {
    pub fn object(&mut self, vnum: i32, name: &str) -> &mut KnownObject {
        let object = self.known.entry(vnum).or_default();
        if object.name.is_empty() {
            object.name = name.to_string();
        }
        object
    }

    /// Whether it may be used so: the game said so, or its name does and the game has not denied it.
    pub fn is_for(&self, vnum: i32, name: &str, use_: Use) -> bool {
        match self.known.get(&vnum) {
            Some(object) if object.good_for.contains(&use_) => true,
            Some(object) if object.not.contains(&use_) => false,
            _ => guess(name) == Some(use_),
        }
    }

    /// What sort of thing it is.
    pub fn kind(&self, vnum: i32, name: &str) -> Kind {
        let granted = self.known.get(&vnum).and_then(|object| object.good_for.first().copied());
        let use_ = granted.or_else(|| guess(name).filter(|use_| self.is_for(vnum, name, *use_)));
        Kind::new(use_, name)
    }

    /// What the keeper in a room says to a sort of thing; `None`: it was not asked. Who refused several sorts and took
    /// none buys nothing.
    pub fn deals_in(&self, room: i32, kind: &Kind) -> Option<bool> {
        let keeper = self.keepers.get(&room)?;
        match (keeper.takes.contains(kind), keeper.refuses.contains(kind)) {
            (true, _) => Some(true),
            (false, true) => Some(false),
            (false, false) if keeper.takes.is_empty() && keeper.refuses.len() >= REFUSALS_MAX => Some(false),
            (false, false) => None,
        }
    }

    /// Whether the keeper in a room may take such a thing: it said so, or it sells its like and was not asked yet.
    pub fn may_deal_in(&self, room: i32, kind: &Kind) -> bool {
        self.deals_in(room, kind).unwrap_or_else(|| {
            let wares = self.shops.get(&room).into_iter().flatten();
            wares.map(|ware| Kind::new(guess(&ware.name), &ware.name)).any(|sold| sold == *kind)
        })
    }

    /// Whether some keeper named a price for such a thing.
    pub fn has_buyer(&self, kind: &Kind) -> bool {
        self.keepers.values().any(|keeper| keeper.takes.contains(kind))
    }

    /// The keeper in this room would take it, or would not.
    pub fn learn_deal(&mut self, room: i32, kind: Kind, takes: bool) {
        let keeper = self.keepers.entry(room).or_default();
        if takes {
            keeper.refuses.remove(&kind);
            keeper.takes.insert(kind);
        } else if !keeper.takes.contains(&kind) {
            keeper.refuses.insert(kind);
        }
    }

    /// The word by which to mean it.
    pub fn word(&self, vnum: i32, name: &str) -> Option<String> {
        let deaf = self.known.get(&vnum).map(|object| &object.deaf);
        words_of(name).into_iter().find(|word| deaf.is_none_or(|deaf| !deaf.contains(word)))
    }

    /// What to type to mean one that is carried.
    pub fn target(&self, item: &InventoryItem) -> Option<String> {
        self.told_or_guessed(&item.target_string, item.vnum, &item.name)
    }

    /// What to type to mean one that is worn.
    pub fn worn_target(&self, item: &EquippedItem) -> Option<String> {
        self.told_or_guessed(&item.target_string, item.vnum, &item.name)
    }

    fn told_or_guessed(&self, target: &str, vnum: i32, name: &str) -> Option<String> {
        let deaf = self.known.get(&vnum).is_some_and(|object| object.deaf.contains(target));
        if target.is_empty() || deaf { self.word(vnum, name) } else { Some(target.to_string()) }
    }

    /// What it is worth, as far as shops told.
    pub fn price(&self, vnum: i32, name: &str) -> Option<i64> {
        self.known.get(&vnum).and_then(|object| object.price).or_else(|| {
            self.shops.values().flatten().find(|ware| ware.name.eq_ignore_ascii_case(name)).map(|ware| ware.price)
        })
    }

    /// A shop's list, if the text is one: rows of `#1  45  many  a short sword`.
    pub fn read_list(&mut self, room: i32, text: &str) -> bool {
        let wares: Vec<Ware> = text
            .lines()
            .filter_map(|line| {
                let mut words = line.trim().strip_prefix('#')?.split_whitespace();
                let number = words.next()?.parse().ok()?;
                let price = words.next()?.parse().ok()?;
                let _left = words.next()?;
                let name = words.collect::<Vec<_>>().join(" ");
                (!name.is_empty()).then_some(Ware { number, price, name })
            })
            .collect();
        if wares.is_empty() {
            return false;
        }
        self.shops.insert(room, wares);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_what_to_type_and_what_it_is_for() {
        assert_eq!(words_of("a pair of leather leggings"), ["leggings", "leather"]);
        assert_eq!(words_of("the gaoler's iron key"), ["key", "iron", "gaoler"]);
        for (name, use_) in [
            ("a loaf of bread", Some(Use::Food)),
            ("a waterskin", Some(Use::Drink)),
            ("a horn lantern", Some(Use::Light)),
            ("a short sword", Some(Use::Weapon)),
            ("a shirt of mail", Some(Use::Wear)),
            ("a vial of willow bitters", Some(Use::Heal)),
            ("a scroll of mending", Some(Use::Heal)),
            ("a vial of ox-strength", None),
            ("a bundle of rat-tails", None),
        ] {
            assert_eq!(guess(name), use_, "{name}");
        }
        assert!(is_fountain("the heron fountain"));
        assert!(is_pointed("a thin dagger") && !is_pointed("a short sword"));
    }

    #[test]
    fn what_the_game_says_counts_more_than_the_name() {
        let mut objects = Objects::default();
        objects.object(1, "a sword-shaped loaf").not.insert(Use::Food);
        assert!(!objects.is_for(1, "a sword-shaped loaf", Use::Food));
        objects.object(1, "").deaf.insert("loaf".into());
        assert_eq!(objects.word(1, "a sword-shaped loaf").as_deref(), Some("sword-shaped"));
    }

    #[test]
    fn a_refusal_of_one_is_a_refusal_of_its_kind() {
        let mut objects = Objects::default();
        let tail = objects.kind(1, "a rat's tail");
        assert_eq!(tail, Kind::A("tail".into()));
        assert_eq!(tail, objects.kind(2, "a long grey tail"));
        assert_eq!(objects.kind(3, "a short sword"), Kind::For(Use::Weapon));
        objects.learn_deal(8030, tail.clone(), false);
        objects.learn_deal(8100, tail.clone(), true);
        assert_eq!((objects.deals_in(8030, &tail), objects.deals_in(8100, &tail)), (Some(false), Some(true)));
        assert_eq!((objects.deals_in(8031, &tail), objects.has_buyer(&tail)), (None, true));
        for n in 0..REFUSALS_MAX {
            assert_eq!(objects.deals_in(8050, &tail), None, "after {n} refusals");
            objects.learn_deal(8050, Kind::A(format!("sort {n}")), false);
        }
        assert_eq!(objects.deals_in(8050, &tail), Some(false), "a keeper who buys nothing");
        // Who sells the like of it is worth the way, until it says otherwise.
        assert!(!objects.may_deal_in(8060, &Kind::For(Use::Weapon)), "nobody knows what it sells");
        objects.read_list(8060, "  #1        45  many  a short sword");
        assert!(objects.may_deal_in(8060, &Kind::For(Use::Weapon)) && !objects.may_deal_in(8060, &tail));
        objects.learn_deal(8060, Kind::For(Use::Weapon), false);
        assert!(!objects.may_deal_in(8060, &Kind::For(Use::Weapon)) && objects.may_deal_in(8100, &tail));
        // What it once named a price for it takes again, when its purse is full.
        objects.learn_deal(8100, tail.clone(), false);
        assert_eq!(objects.deals_in(8100, &tail), Some(true));
    }

    #[test]
    fn a_list_of_wares_is_read() {
        let mut objects = Objects::default();
        let text =
            "         price  left  thing\n  #1         3  many  a loaf of bread\n  #2        45  2     a short sword";
        assert!(objects.read_list(8030, text));
        assert_eq!(objects.shops[&8030][1], Ware { number: 2, price: 45, name: "a short sword".into() });
        assert_eq!(objects.price(9, "A short sword"), Some(45));
        assert!(!objects.read_list(1, "You see nothing special."));
    }
}
