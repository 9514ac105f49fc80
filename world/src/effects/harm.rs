//! Losing hit points: blows, water, fire, falls, poison, blood, and every spell that will hurt.
//!
//! Invariant: hit points are taken by `harm` only (a death trap takes the whole body, an arrest leaves one, and what a
//! mind link pours into another is given of one's own will: nobody dies of these two). It knows who is immune, notes
//! one outcome, lets everybody read it, and brings about what follows: wounds that are remembered, falling down, death.

use crate::act::Scene;
use crate::affect::Source;
use crate::arena::CharacterId;
use crate::character::Character;
use crate::report::LineKind;
use crate::world::World;
use content::flags::AffectFlags;
use content::words::{Apply, AttackType, Position, Race};
use protocol::Outcome;

/// Nothing takes more at once.
const HARM_MAX: i32 = 3_000;

/// What is about to take hit points.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Harm {
    pub victim: CharacterId,
    /// Who does it, in the same room for a blow; for the rest who brought it about. Who is elsewhere by now is neither
    /// blamed nor credited: nobody would know.
    pub by: Option<CharacterId>,
    /// Hit points, before what protects the victim.
    pub amount: i32,
    pub kind: HarmKind,
    pub source: Source,
}

impl Harm {
    /// A blow that landed.
    pub fn blow(attacker: CharacterId, victim: CharacterId, amount: i32, attack: AttackType) -> Harm {
        Harm { victim, by: Some(attacker), amount, kind: HarmKind::Blow(attack), source: Source::Body }
    }
}

/// In what way. To add one: a variant here and its row in `row`, or its own sentences as a blow has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HarmKind {
    Blow(AttackType),
    /// Under water without breath, and on it without a boat.
    Breathless,
    Drowning,
    Fire,
    Fall,
    Poison,
    /// An open throat.
    CutThroat,
    /// Of those who lie dying.
    Bleeding,
    /// What a script of the world does to somebody; it says itself what that is.
    Mishap,
    /// A spell or a skill, which is the source. `saved`: its victim withstood a part of it.
    Art {
        saved: bool,
    },
}

/// How a kind of harm is told.
struct Row {
    /// A word for programs.
    name: &'static str,
    /// For the operator's log: somebody was killed by it.
    cause: &'static str,
    to_self: &'static str,
    to_room: &'static str,
}

impl HarmKind {
    fn row(self) -> Row {
        let (name, cause, to_self, to_room) = match self {
            HarmKind::Blow(attack) => (attack.name(), "a blow", "", ""),
            HarmKind::Breathless => (
                "drowning",
                "drowning",
                "You have no air left, and breathe water.",
                "$n thrashes about, and bubbles stream out of $s mouth.",
            ),
            HarmKind::Drowning => (
                "drowning",
                "drowning",
                "The water closes over your head. You need a boat.",
                "$n goes under, and comes up again, and goes under.",
            ),
            HarmKind::Fire => ("fire", "fire", "You are on fire!", "$n is on fire!"),
            HarmKind::Fall => ("fall", "a fall", "You hit the ground, hard.", "$n hits the ground, hard."),
            HarmKind::Poison => ("poison", "poison", "The poison burns in your veins.", "$n sweats and shivers."),
            HarmKind::CutThroat => {
                ("blood loss", "a cut throat", "Blood runs from your throat.", "Blood runs from $n's throat.")
            }
            HarmKind::Bleeding => ("blood loss", "wounds that nobody bound", "You are bleeding to death.", ""),
            HarmKind::Mishap => ("mishap", "a mishap", "That hurts.", ""),
            HarmKind::Art { .. } => ("magic", "an art", "", ""),
        };
        Row { name, cause, to_self, to_room }
    }

    /// Somebody strikes: both sides fight from then on, and what wards off blows works.
    fn is_assault(self) -> bool {
        matches!(self, HarmKind::Blow(_) | HarmKind::Art { .. })
    }
}

/// Takes hit points, tells it, and does all that follows. True when the victim died of it.
pub fn harm(world: &mut World, harm: Harm) -> bool {
    let room = world.who(harm.victim).room;
    let by = harm.by.filter(|by| world.character(*by).is_some_and(|c| c.room == room));
    if let Some(by) = by.filter(|_| harm.kind.is_assault()) {
        // A master's own blow sets its servant free.
        if world.who(harm.victim).is(AffectFlags::CHARM) && world.who(harm.victim).leader == Some(by) {
            world.stop_following(harm.victim);
        }
        world.provoke(by, harm.victim);
    }
    let amount = amount_left(world, &harm, by);
    // Who cannot be harmed feels nothing of water and fire; that a blow does nothing is seen.
    if amount == 0 && !harm.kind.is_assault() {
        return false;
    }
    world.who_mut(harm.victim).hit -= amount;
    match (harm.kind, by) {
        (HarmKind::Blow(attack), Some(by)) => world.tell_blow(by, harm.victim, amount, attack),
        (HarmKind::Art { saved }, Some(by)) => tell_art(world, by, harm.victim, amount, &harm.source, saved),
        (kind, _) => tell(world, harm.victim, amount, kind),
    }
    if let Some(by) = by.filter(|_| harm.kind.is_assault()) {
        learn_by_doing(world, by, harm.victim, amount);
    }
    after_wound(world, &harm, by, amount)
}

/// What is left of an amount after what protects the victim. Source: game reference §2.4. Immortals and the
/// invulnerable are safe from everything; the other wards are against what somebody does.
fn amount_left(world: &World, harm: &Harm, by: Option<CharacterId>) -> i32 {
    let v = world.who(harm.victim);
    if v.is_immortal() || v.is(AffectFlags::INVULNERABLE) {
        return 0;
    }
    let mut amount = harm.amount;
    if let Some(by) = by.filter(|_| harm.kind.is_assault()) {
        let a = world.who(by);
        amount = amount.saturating_add(a.level.saturating_mul(hatred(world, a, v.race)));
        if v.is(AffectFlags::SANCTUARY) {
            amount /= 2;
        }
        if (v.is(AffectFlags::PROTECT_EVIL) && a.is_evil()) || (v.is(AffectFlags::PROTECT_GOOD) && a.is_good()) {
            amount -= v.level / 4;
        }
    }
    amount.clamp(0, HARM_MAX)
}

/// How much of what somebody wears, and of what is at work on it, hates a race; each adds its level once.
fn hatred(world: &World, who: &Character, race: Race) -> i32 {
    let hates = |to: Apply, by: i32| to == Apply::RaceHate && usize::try_from(by) == Ok(race.index());
    let worn = who.worn.iter().flat_map(|(_, object)| &world.object(*object).applies);
    let worn = worn.filter(|apply| hates(apply.to, apply.by)).count();
    (worn + who.affects.iter().filter(|affect| hates(affect.apply, affect.by)).count()) as i32
}

/// The sentences of a harm that is no blow, with its outcome.
fn tell(world: &mut World, victim: CharacterId, amount: i32, kind: HarmKind) {
    let row = kind.row();
    let outcome = world.note(Outcome::Hurt { victim: world.as_who(victim), amount, cause: row.name.into() });
    let scene = Scene::new(victim, LineKind::CombatTaken).outcome(&outcome);
    world.show(&scene, row.to_self, "", row.to_room);
}

/// What is read of an art that wounds: the voices of its row.
fn tell_art(world: &mut World, by: CharacterId, victim: CharacterId, amount: i32, source: &Source, saved: bool) {
    let rules = world.rules.clone();
    let (name, voices, withstood) = match source {
        Source::Spell(id) => match rules.spell_named(id.name()) {
            Some(row) => {
                let text = &row.text;
                (id.name(), [&*text.actor, &*text.victim, &*text.room], text.saved.each_ref().map(|voice| &**voice))
            }
            None => (id.name(), [""; 3], [""; 3]),
        },
        Source::Skill(id) => {
            let text = rules.skill(id).and_then(|row| row.text.as_ref());
            (id.name(), text.map_or([""; 3], |text| text.each_ref().map(|voice| &**voice)), [""; 3])
        }
        _ => ("magic", [""; 3], [""; 3]),
    };
    let [actor, hurt, room] = if saved && !withstood[0].is_empty() { withstood } else { voices };
    let (attacker, attack) = (world.as_who(by), name.to_string().into());
    let outcome = world.note(Outcome::Damage { attacker, victim: world.as_who(victim), amount, attack });
    let scene = Scene::new(by, LineKind::Combat)
        .victim(victim)
        .kinds(LineKind::CombatDealt, LineKind::CombatTaken, LineKind::Combat)
        .outcome(&outcome);
    if by == victim {
        world.show(&scene, "It turns on you!", "", "It turns on $n!");
        return;
    }
    world.show(&scene, actor, hurt, room);
    if saved && withstood[0].is_empty() {
        let scene = Scene::new(by, LineKind::Combat).victim(victim);
        world.show(&scene, "$N withstands a part of it.", "You withstand a part of it.", "");
    }
}

/// The first level is learned by doing. Source: game reference §2.3.
fn learn_by_doing(world: &mut World, attacker: CharacterId, victim: CharacterId, amount: i32) {
    let (a, v) = (world.who(attacker), world.who(victim));
    if a.level < 2 && a.is_player() && v.is_mob() && amount > 0 {
        let worth = amount * v.level;
        world.gain_experience(attacker, worth);
    }
}

/// What is read of somebody who falls, on the way to death.
struct Fall {
    position: Position,
    own: &'static str,
    living: &'static str,
    /// Of what neither breathes nor bleeds.
    lifeless: &'static str,
}

const FALLS: [Fall; 3] = [
    Fall {
        position: Position::Stunned,
        own: "The world swims. You cannot move, but you are alive.",
        living: "$n drops, stunned, but still breathes.",
        lifeless: "$n goes down, and is not done for yet.",
    },
    Fall {
        position: Position::Incapacitated,
        own: "You lie where you fell and cannot move. You are slowly bleeding to death.",
        living: "$n lies still and bleeds; $e will not last without help.",
        lifeless: "$n lies still and is coming apart; $e will not last.",
    },
    Fall {
        position: Position::MortallyWounded,
        own: "Your wounds are mortal. Without help you have moments left.",
        living: "$n has taken mortal wounds, and has moments left without help.",
        lifeless: "$n hangs together by very little, and has moments left.",
    },
];

/// What a loss of hit points leads to: wimpy, falling down, death. True when the victim died of it.
fn after_wound(world: &mut World, harm: &Harm, by: Option<CharacterId>, amount: i32) -> bool {
    let victim = harm.victim;
    let before = world.who(victim).position;
    world.update_position(victim);
    let v = world.who(victim);
    let (position, hit, hit_max) = (v.position, v.hit, v.now.hit_max);
    if position > Position::Dead {
        world.record_wound(victim, by, amount);
    }
    if hit < 0 && before > position && harm.kind != HarmKind::Bleeding {
        world.who_mut(victim).felled_by = by;
    }
    let scene = Scene::new(victim, LineKind::Position);
    match position {
        // Blows at somebody who lies there already are told by themselves.
        Position::MortallyWounded | Position::Incapacitated | Position::Stunned if position == before => {}
        Position::Dead => {
            let cause = cause_of_death(world, harm);
            // Who bleeds to death dies of whoever struck it down.
            let by = by.or_else(|| world.who(victim).felled_by.filter(|_| harm.kind == HarmKind::Bleeding));
            return world.die(victim, by, &cause);
        }
        Position::MortallyWounded | Position::Incapacitated | Position::Stunned => {
            let fall = FALLS.iter().find(|fall| fall.position == position).expect("there is a row for each");
            let to_room = if world.who(victim).is_lifeless() { fall.lifeless } else { fall.living };
            world.show(&scene, fall.own, "", to_room);
        }
        _ => {
            if amount > hit_max / 4 {
                world.send(victim, LineKind::CombatTaken, "That one went deep!");
            }
            if hit < hit_max / 4 {
                world.send(victim, LineKind::CombatTaken, "You are losing a lot of blood.");
            }
            world.consider_fleeing(victim);
        }
    }
    if position <= Position::Stunned {
        world.stop_fighting(victim);
        // Mobs let the young lie. Source: game reference §2.4.
        let v = world.who(victim);
        if let Some(by) = by
            && v.is_player()
            && v.level <= 5
            && world.character(by).is_some_and(Character::is_mob)
        {
            world.stop_fights_of(victim);
        }
    }
    false
}

/// What the log says of a death for which nobody is to blame: `poison (a loaf of bread)`.
fn cause_of_death(world: &World, harm: &Harm) -> String {
    let cause = harm.kind.row().cause;
    let source = match &harm.source {
        Source::Object(vnum) => world.content.object(*vnum).map(|proto| proto.short.to_string()),
        Source::Spell(spell) => Some(spell.to_string()),
        Source::Skill(skill) => Some(skill.to_string()),
        // The log names the room anyhow.
        Source::Room(_) | Source::Body | Source::Unknown => None,
    };
    source.map_or_else(|| cause.to_string(), |source| format!("{cause} ({source})"))
}
