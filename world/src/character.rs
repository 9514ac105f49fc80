//! A character: a mob or a player, as it is right now. What follows from what it wears and suffers is in `now`.
//!
//! Invariant: `now` is always what `World::recompute` would make of `base`, the affects and the things worn; only that
//! function writes it.

use crate::affect::Affect;
use crate::arena::{CharacterId, ObjectId};
use crate::budget::{Budget, Spent};
use crate::number::CommandId;
use crate::past::Past;
use crate::skill::{SkillId, SpellId};
use crate::task::Tasks;
use content::flags::*;
use content::words::*;
use content::{RoomId, Text, Vnum};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, OnceLock};

/// Levels from here up are immortal. Source: game reference §2.3.
pub const LEVEL_IMMORTAL: i32 = 31;
/// From here up one keeps order: mutes, freezes and bans those below.
pub const MODERATOR_LEVEL: i32 = 38;
/// The highest level there is.
pub const LEVEL_MAX: i32 = 40;

/// Names of those who told somebody something while it was away that are kept.
pub const MISSED_FROM_MAX: usize = 20;

/// The six abilities, 0..=25, and the percentile of an exceptional strength, 0..=100.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Abilities {
    pub strength: i32,
    pub strength_add: i32,
    pub intelligence: i32,
    pub wisdom: i32,
    pub dexterity: i32,
    pub constitution: i32,
    pub charisma: i32,
}

/// The kinds of saving throw. Source: game reference §2.5.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Save {
    Paralysis = 0,
    Rod = 1,
    Petrify = 2,
    Breath = 3,
    Spell = 4,
}

/// Everything that affects and equipment can change.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Stats {
    pub abilities: Abilities,
    pub hit_max: i32,
    pub mana_max: i32,
    pub move_max: i32,
    /// −100..=100, lower is harder to hit.
    pub armor: i32,
    pub hit_roll: i32,
    pub damage_roll: i32,
    /// Modifiers of the saving throws, by `Save`; negative is better.
    pub saves: [i32; 5],
    pub hit_regen: i32,
    pub mana_regen: i32,
    pub move_regen: i32,
    pub flags: AffectFlags,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Character {
    /// World-wide counter, never used again; the end of its instance id.
    pub serial: u64,
    /// A player's name, or a mob's short description.
    pub name: Text,
    /// Space-separated words that it answers to.
    pub keywords: Text,
    pub kind: Kind,
    /// Where it is. Written by the mover only.
    pub room: RoomId,
    pub position: Position,
    pub sex: Sex,
    pub race: Race,
    pub class: Class,
    pub level: i32,
    pub alignment: i32,
    pub gold: i32,
    pub hit: i32,
    pub mana: i32,
    pub moves: i32,
    pub base: Stats,
    pub now: Stats,
    pub affects: Vec<Affect>,
    /// Newest first, as inventories are shown. Written by the mover only.
    pub carrying: Vec<ObjectId>,
    /// Sorted by slot. Written by the mover only.
    pub worn: Vec<(WearSlot, ObjectId)>,
    /// Whom it fights. Written by `fights` only.
    pub fighting: Option<CharacterId>,
    /// The command by which it took up that fight; none where it was drawn in. Written by `fights` only.
    #[serde(default)]
    pub fight_cause: Option<CommandId>,
    pub leader: Option<CharacterId>,
    /// In the order they joined.
    pub followers: Vec<CharacterId>,
    /// The animal on whose back it got; asked by `mounts::mount_of`, since it may be down from it, or that gone.
    #[serde(default)]
    pub rides: Option<CharacterId>,
    /// Who struck it down, while it lies there and bleeds. Written by `harm` only.
    pub felled_by: Option<CharacterId>,
    /// Takes part in its leader's group (or leads one).
    pub grouped: bool,
    /// The tick from which it may act again; 0 or past: now.
    pub free_tick: u64,
    /// Blows of its next round that somebody wards off.
    pub warded: i32,
    /// Its instance id, once somebody has asked: every outcome names it. Follows from the rest, and is not state. Read
    /// it by `World::instance_of`.
    #[serde(skip)]
    pub instance: OnceLock<Arc<str>>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Kind {
    Mob(Mob),
    Player(Box<Player>),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Mob {
    /// Index into `Content::mobs`.
    pub proto: u32,
    pub flags: MobFlags,
    /// Names (lower case) of players it holds a grudge against, oldest first.
    pub memory: Vec<Text>,
    pub experience: i32,
    /// An art called it up: it is gone when it serves nobody any more.
    pub called_up: bool,
    /// The tick from which it answers again who speaks to it.
    pub answers_from_tick: u64,
    /// The task for which it thanked somebody last, and when.
    #[serde(default)]
    pub thanked: Option<(Text, u64)>,
    /// What its owner called it.
    #[serde(default)]
    pub called: Option<Text>,
    /// Whom it hunts. Ended by `hunting` only, and where somebody makes it forget.
    #[serde(default)]
    pub hunt: Option<Hunt>,
}

/// Whom a mob hunts, and since when: with a death of its prey after that the hunt is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Hunt {
    pub prey: CharacterId,
    pub since_tick: u64,
    /// The gate through which it saw its prey go, until it has gone through itself, or lost sight of it.
    #[serde(default)]
    pub gate: Option<ObjectId>,
}

impl Hunt {
    pub fn of(prey: CharacterId, since_tick: u64) -> Hunt {
        Hunt { prey, since_tick, gate: None }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Link {
    Linked,
    /// The tick at which the connection was lost.
    Lost {
        since_tick: u64,
    },
}

content::flag_set! {
    /// What a player has chosen or been marked with.
    PlayerFlags {
        BRIEF = "brief",
        COMPACT = "compact",
        /// As `NO_GOSSIP` to `NO_NEWBIE`: what a channel was switched off by before `Player::deaf_to`. Only read.
        DEAF = "deaf",
        NO_TELL = "no_tell",
        NO_GOSSIP = "no_gossip",
        NO_AUCTION = "no_auction",
        NO_GRATS = "no_grats",
        NO_NEWBIE = "no_newbie",
        NO_REPEAT = "no_repeat",
        NO_HASSLE = "no_hassle",
        HOLYLIGHT = "holylight",
        ROOM_FLAGS = "room_flags",
        AUTO_EXIT = "auto_exit",
        AUTO_LOOT = "auto_loot",
        AUTO_GOLD = "auto_gold",
        AUTO_SPLIT = "auto_split",
        AFK = "afk",
        COLOR = "color",
        SUMMONABLE = "summonable",
        OUTLAW = "outlaw",
        FROZEN = "frozen",
        /// For ever, as it was before `Player::muted_until`. Only read.
        MUTED = "muted",
        NO_TITLE = "no_title",
        /// Shows the opponent's condition in the prompt.
        PROMPT_TARGET = "prompt_target",
        /// Nobody may follow it.
        NO_FOLLOW = "no_follow",
        /// Its log keeps what it hears and says.
        TRANSCRIPT = "transcript",
        /// Words that are worth typing are marked.
        HINTS = "hints",
        /// Nothing is sent to keep its silent line open.
        NO_KEEPALIVE = "no_keepalive",
        /// It reads others' words as they are.
        NO_FILTER = "no_filter",
        /// All that it reads is made to be read aloud.
        SCREENREADER = "screenreader",
        /// A round of its fights is one line.
        SUMMARY = "summary",
        /// It has said itself, or its client for it, whether it uses a screen reader.
        CHOSE_READER = "chose_reader",
        /// Read by `Player::is_watchable` only, where `WATCH_CHOSEN` is there.
        WATCHABLE = "watchable",
        /// It has chosen whether it may be watched.
        WATCH_CHOSEN = "watch_chosen",
        /// Its mind, its decisions and its memories may be looked at.
        OPEN_MIND = "open_mind",
    }
}

/// How many colours a player wants, who wants any.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Colors {
    /// As many as its client says that it shows.
    #[default]
    Auto,
    Sixteen,
    /// 256.
    Palette,
    True,
}

/// Whom somebody ignores.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Ignored {
    /// Whoever is played by a program.
    pub agents: bool,
    /// By their ids.
    pub people: BTreeSet<u32>,
}

impl Ignored {
    pub fn is_empty(&self) -> bool {
        !self.agents && self.people.is_empty()
    }
}

/// An animal that waits for its owner.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Stabled {
    pub vnum: Vnum,
    pub hit: i32,
    pub moves: i32,
    /// The tick since which it costs its keep; none where it goes wherever its owner goes.
    pub since_tick: Option<u64>,
    /// What its owner called it.
    #[serde(default)]
    pub called: Option<Text>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Player {
    pub experience: i32,
    pub bank: i32,
    pub title: Text,
    /// What `look <player>` shows; may be empty.
    pub description: Text,
    /// Letter of the hometown.
    pub hometown: char,
    /// 0..=48 hours; −1 immune.
    pub drunk: i32,
    pub full: i32,
    pub thirst: i32,
    /// Hit points below which it flees; 0 never.
    pub wimpy: i32,
    pub practices: i32,
    pub flags: PlayerFlags,
    /// How many, where `flags` say that it wants colours.
    #[serde(default)]
    pub colors: Colors,
    /// The prompt's pattern: `%h %H %m %M %v %V %g %x %l %n`.
    pub prompt: Text,
    pub aliases: BTreeMap<String, String>,
    /// The settings of channels that are switched off, by name: whatever other worlds call theirs, it is kept.
    #[serde(default)]
    pub deaf_to: BTreeSet<Text>,
    /// Whose words and gestures do not arrive. Read by `ignoring` only.
    #[serde(default)]
    pub ignored: Ignored,
    /// The tick up to which only immortals hear it, where one has muted it.
    #[serde(default)]
    pub muted_until: Option<u64>,
    /// Hashes of what it said of late, with their ticks, oldest first. Of this session. Written by `filter` only.
    #[serde(default)]
    pub said: VecDeque<(u64, u64)>,
    /// Learned percent.
    pub skills: BTreeMap<SkillId, i32>,
    /// The same of spells.
    #[serde(default)]
    pub spells: BTreeMap<SpellId, i32>,
    /// Ticks spent in the world over all earlier sessions.
    pub played_ticks: u64,
    /// The tick of this session's beginning, and of the last command.
    pub entered_tick: u64,
    pub active_tick: u64,
    pub kills: u32,
    pub deaths: u32,
    /// To whom, by its number, it offers what it has learned. Of this session.
    #[serde(default)]
    pub legacy_to: Option<u32>,
    /// The tick of its last death.
    #[serde(default)]
    pub died_tick: Option<u64>,
    /// How often it has complained of others of late.
    #[serde(default)]
    pub complaints: Spent,
    /// How often it was told where to practise what it knows poorly.
    #[serde(default)]
    pub practice_hints: u8,
    /// An animal of its own that stands in a stable, or, in a record only, that was with it when it left the world.
    #[serde(default)]
    pub stabled: Option<Stabled>,
    /// In a record only: the animals that served it when it left the world.
    #[serde(default)]
    pub pets: Vec<Stabled>,
    /// Hours that it is still locked up. Written by `jail` only.
    #[serde(default)]
    pub jail_hours: i32,
    /// The tick from which the watch sees an outlaw again who has paid one of them. Written by `jail` only.
    #[serde(default)]
    pub overlooked_until_tick: u64,
    /// Points of constitution that deaths took and nobody has given back.
    #[serde(default)]
    pub lost_constitution: i32,
    /// The picture under its skin.
    #[serde(default)]
    pub tattoo: Option<Text>,
    /// The tick from which that can be used again.
    #[serde(default)]
    pub tattoo_free_tick: u64,
    /// How often it began anew in a greater craft.
    #[serde(default)]
    pub remorts: u32,
    pub link: Link,
    /// Commands that wait for the lag to end, oldest first; bounded by `QUEUE_MAX`.
    pub queue: VecDeque<Queued>,
    /// Which of these immortals see what it sees.
    pub snooped_by: Vec<CharacterId>,
    /// Played by a program; shown on WHO.
    pub agent: bool,
    /// The last number that an entry of its mind's log got; saved with it.
    #[serde(default)]
    pub log_seq: u64,
    /// Choices between minds of which it was not told yet what came of them, oldest first; at most `CHOICES_MAX`.
    #[serde(default)]
    pub choices: VecDeque<Choice>,
    /// In this session nothing is worth anything to it: what is recorded of it has valence 0.
    #[serde(default, rename = "flat")]
    pub valence_off: bool,
    /// What it has left to remember with. Written by `happenings` only.
    #[serde(default)]
    pub records: Budget,
    /// What is no news to it any more. Written by `happenings` only. Shared by the copies of a character.
    #[serde(default)]
    pub past: Arc<Past>,
    /// How many of its acts threw dice: those of the next one hang on it.
    #[serde(default)]
    pub acts: u64,
    /// Its id as a person, from its first entry on.
    #[serde(default)]
    pub person: Option<u32>,
    /// The name that is shown, where it is not its own; as `Person::display` has it.
    #[serde(default)]
    pub display: Option<Text>,
    /// The width of its client's window in characters, where that told it. Of this session.
    #[serde(default)]
    pub columns: Option<u16>,
    /// Tells that came while AFK; this counts them.
    pub missed_tells: u32,
    /// By whom, as it knows them; at most `MISSED_FROM_MAX`.
    #[serde(default)]
    pub missed_from: BTreeSet<Text>,
    /// Whom it was asked about when it was about to strike somebody far above it. Asked once, in one life and visit.
    pub warned_of: Option<CharacterId>,
    /// What it is about for others, and what it has done for them. Shared by the copies of a character.
    #[serde(default)]
    pub tasks: Arc<Tasks>,
}

/// A command that waits.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Queued {
    pub line: Text,
    pub id: CommandId,
}

/// A choice between what minds of one body wanted: what comes of it is told them later.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Choice {
    /// The numbers that its entries in the body's log may have.
    pub from: u64,
    pub upto: u64,
    pub tick: u64,
    /// What its body had earned by then.
    pub experience: i32,
}

impl Player {
    /// Whether nobody but immortals is to hear it at that tick.
    pub fn is_muted(&self, tick: u64) -> bool {
        self.flags.has(PlayerFlags::MUTED) || self.muted_until.is_some_and(|until| tick < until)
    }

    /// Whether it has a setting that agents have by themselves and people by choice.
    pub fn has_by_kind(&self, flag: PlayerFlags, chosen: PlayerFlags) -> bool {
        if self.flags.has(chosen) { self.flags.has(flag) } else { self.agent }
    }

    /// Whether those who are no part of the world may see where it is, and whom it fights.
    pub fn is_watchable(&self) -> bool {
        self.has_by_kind(PlayerFlags::WATCHABLE, PlayerFlags::WATCH_CHOSEN)
    }

    /// Whether anybody may read its mind.
    pub fn has_open_mind(&self) -> bool {
        self.flags.has(PlayerFlags::OPEN_MIND)
    }

    /// `None`: none.
    pub fn shown_colors(&self) -> Option<Colors> {
        self.flags.has(PlayerFlags::COLOR).then_some(self.colors)
    }

    pub fn tasks_mut(&mut self) -> &mut Tasks {
        Arc::make_mut(&mut self.tasks)
    }

    /// Channels that an older record has switched off by flags are switched off by name.
    pub fn take_up_old_mutes(&mut self) {
        for (flag, setting) in [
            (PlayerFlags::DEAF, "shout"),
            (PlayerFlags::NO_GOSSIP, "gossip"),
            (PlayerFlags::NO_AUCTION, "auction"),
            (PlayerFlags::NO_GRATS, "grats"),
            (PlayerFlags::NO_NEWBIE, "newbie"),
        ] {
            if self.flags.has(flag) {
                self.flags.remove(flag);
                self.deaf_to.insert(setting.into());
            }
        }
    }
}

impl Character {
    /// As others read it: a player by the name that it took, anybody else as it is called.
    pub fn shown(&self) -> &Text {
        self.player().and_then(|player| player.display.as_ref()).unwrap_or(&self.name)
    }

    pub fn mob(&self) -> Option<&Mob> {
        match &self.kind {
            Kind::Mob(mob) => Some(mob),
            Kind::Player(_) => None,
        }
    }

    pub fn mob_mut(&mut self) -> Option<&mut Mob> {
        match &mut self.kind {
            Kind::Mob(mob) => Some(mob),
            Kind::Player(_) => None,
        }
    }

    #[inline]
    pub fn player(&self) -> Option<&Player> {
        match &self.kind {
            Kind::Player(player) => Some(player),
            Kind::Mob(_) => None,
        }
    }

    pub fn player_mut(&mut self) -> Option<&mut Player> {
        match &mut self.kind {
            Kind::Player(player) => Some(player),
            Kind::Mob(_) => None,
        }
    }

    #[inline]
    pub fn is_player(&self) -> bool {
        matches!(self.kind, Kind::Player(_))
    }

    /// A mob without breath, and with nothing to bleed. Players have both, whatever they are.
    pub fn is_lifeless(&self) -> bool {
        self.is_mob() && self.race.is_lifeless()
    }

    pub fn is_mob(&self) -> bool {
        matches!(self.kind, Kind::Mob(_))
    }

    #[inline]
    pub fn is_immortal(&self) -> bool {
        self.is_player() && self.level >= LEVEL_IMMORTAL
    }

    /// A mob's flags; none for a player.
    pub fn mob_flags(&self) -> MobFlags {
        self.mob().map_or(MobFlags::NONE, |m| m.flags)
    }

    /// A player's flags; none for a mob.
    #[inline]
    pub fn player_flags(&self) -> PlayerFlags {
        self.player().map_or(PlayerFlags::NONE, |p| p.flags)
    }

    /// It reads its own words again.
    pub fn repeats(&self) -> bool {
        !self.player_flags().has(PlayerFlags::NO_REPEAT)
    }

    #[inline]
    pub fn is(&self, flags: AffectFlags) -> bool {
        self.now.flags.any(flags)
    }

    #[inline]
    pub fn is_awake(&self) -> bool {
        self.position > Position::Sleeping
    }

    pub fn is_good(&self) -> bool {
        self.alignment >= 350
    }

    pub fn is_evil(&self) -> bool {
        self.alignment <= -350
    }

    pub fn wears(&self, slot: WearSlot) -> Option<ObjectId> {
        self.worn.iter().find(|(s, _)| *s == slot).map(|(_, o)| *o)
    }

    /// How well it has learned a skill, percent; 0 for who never did, and for mobs.
    pub fn skill(&self, skill: &SkillId) -> i32 {
        self.player().and_then(|player| player.skills.get(skill)).copied().unwrap_or(0)
    }

    pub fn subject(&self) -> &'static str {
        match self.sex {
            Sex::Neutral => "it",
            Sex::Male => "he",
            Sex::Female => "she",
        }
    }

    pub fn object_pronoun(&self) -> &'static str {
        match self.sex {
            Sex::Neutral => "it",
            Sex::Male => "him",
            Sex::Female => "her",
        }
    }

    pub fn possessive(&self) -> &'static str {
        match self.sex {
            Sex::Neutral => "its",
            Sex::Male => "his",
            Sex::Female => "her",
        }
    }
}

/// Gold in hand and in the bank.
pub(crate) fn purse_of(character: &Character) -> i64 {
    i64::from(character.gold) + i64::from(character.player().map_or(0, |p| p.bank))
}
