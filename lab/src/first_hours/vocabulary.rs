//! The English that a newcomer knows: which words name beasts, weapons and clothes, and what a sentence says of a
//! fight.

/// Whom nobody pities: beasts and things with arms.
pub const PREY: [&str; 38] = [
    "rat",
    "rats",
    "straw",
    "moth",
    "crow",
    "gull",
    "beetle",
    "cricket",
    "bat",
    "eel",
    "spider",
    "goose",
    "gander",
    "weasel",
    "boar",
    "hare",
    "vole",
    "adder",
    "bees",
    "pike",
    "fox",
    "magpie",
    "scarecrow",
    "mongrel",
    "quintain",
    "spiderling",
    "polecat",
    "otter",
    "rook",
    "leech",
    "toad",
    "raven",
    "snake",
    "worm",
    "wolf",
    "slug",
    "midden",
    "skeleton",
];
/// What hurts, in the words of its description.
pub const HURTS: [&str; 15] = [
    "arrow", "fire", "burn", "harm", "hurt", "kick", "blow", "stab", "strike", "bolt", "wound", "wounds", "blast",
    "chill", "pain",
];
pub const HEALS: [&str; 3] = ["closes", "heals", "mends"];
/// What one wears or holds, and would spend coins on.
pub const WORTH_BUYING: [&str; 20] = [
    "hat", "cap", "helm", "gloves", "mittens", "boots", "clogs", "shoes", "hose", "leggings", "cloak", "jerkin",
    "coat", "belt", "shield", "buckler", "sleeves", "bracers", "scarf", "lantern",
];
pub const WEAPONS: [&str; 12] =
    ["dagger", "sword", "mace", "club", "staff", "knife", "cudgel", "axe", "spear", "sickle", "hatchet", "shuriken"];
pub const CONTAINERS: [&str; 6] = ["chest", "box", "barrel", "crate", "basket", "sack"];
/// `consider`, from sure to even.
pub const FAIR: [&str; 5] =
    ["hardly be decent", "one hand in your pocket", "You would win.", "You would probably win.", "could go either way"];
pub const STRONGER: [&str; 3] = ["a good deal more than you", "many times", "far more"];
