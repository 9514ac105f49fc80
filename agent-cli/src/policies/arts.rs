//! Arts that one knows: to open a fight, to harm whom one fights, to heal and to guard oneself and those one goes with.
//!
//! What an art is for, what it costs and what it takes the game says in `SKILLS`; what is at work on one, in `AFFECTS`
//! and `CONDITIONS`; how one's companions are, in `GROUP`.

use super::mana::{payable, reserve, worth};
use super::prey::prey;
use super::{Perception, Proposal};
use crate::bestiary::MobKind;
use crate::objects::{Use, is_pointed};
use mind::arts::verb_for;
use protocol::arts::{ArtKind, ArtUse, GroupMember, KnownArt};
use protocol::payload::Word;
use std::cmp::Reverse;

/// With fewer hit points, in percent, healing is worth its mana: in a fight, and outside of one.
const HEAL_FIGHTING_PERCENT: i32 = 50;
const HEAL_PERCENT: i32 = 70;
/// The same beside a model, which may have other plans for its mana.
const HEAL_BESIDE_PERCENT: i32 = 30;
/// With more, in percent, no potion is spent on what rest mends as well.
const POTION_PERCENT: i32 = 50;
/// Outside of a fight while there is mana to spare: a spell mends at once what rest mends in half a minute.
const HEAL_SPARE_PERCENT: i32 = 80;
/// With more mana than that, percent of all, there is some to spare: for what keeps harm away, for scratches, and for
/// prey that is weaker than oneself by so many levels.
const SPARE_PERCENT: i32 = 60;
const WEAKER_LEVELS: i32 = 2;
/// The same for what keeps harm away, where one wounds by spells, too: an end of the fight keeps more of it away.
const SPARE_OF_BLOWS_PERCENT: i32 = 90;
/// So long a protective art is not tried again on the same one, whatever came of it.
const BUFF_AGAIN_MS: u64 = 180_000;
/// With fewer hit points, in percent, one keeps one's breath: who waits for its next command cannot run.
const BRAWL_PERCENT: i32 = 50;
/// Known less well, percent, an art is no way to begin a fight: who misses has told the other.
const OPEN_PERCENT: i32 = 20;
/// Arts with which one strikes first, at whom is not on guard, and whether that takes a pointed weapon.
const OPENERS: [(&str, bool); 2] = [("backstab", true), ("ambush", false)];
/// Conditions that there are arts against, by the words of both.
const CURED: [&str; 3] = ["blind", "poison", "curse"];

/// The spell that takes most for its mana, down to the reserve; else the art of the body that takes most.
pub fn strike(seen: &Perception<'_>) -> Proposal {
    if !seen.state.is_fighting() {
        return Proposal::Pass;
    }
    let fought = seen.known.fight.as_ref().and_then(|fight| fight.vnum);
    match seen.first_of(blows(seen, fought).into_iter().filter_map(|art| cast(art, None))) {
        Proposal::Pass => brawl(seen),
        cast => cast,
    }
}

/// The spells to strike at such a mob with: at a weaker one only while there is mana to spare, which the next one may
/// need.
fn blows<'a>(seen: &Perception<'a>, vnum: Option<i32>) -> Vec<&'a KnownArt> {
    let level = vnum.and_then(|vnum| seen.known.bestiary.get(vnum)).and_then(MobKind::level);
    let is_weaker = level.is_some_and(|level| level <= seen.level() - WEAKER_LEVELS);
    let hurt = seen.state.hp_percent() < BRAWL_PERCENT;
    if is_weaker && !hurt && !spares(seen, SPARE_PERCENT) {
        return Vec::new();
    }
    spells(seen, ArtUse::Harm, reserve(seen))
}

/// Whether there is more mana than so many percent of all.
fn spares(seen: &Perception<'_>, percent: i32) -> bool {
    let most = i64::from(seen.state.max_mana.unwrap_or(0).max(0));
    i64::from(seen.state.mana.unwrap_or(0)) * 100 > most * i64::from(percent)
}

/// Oneself, by a spell; who is badly off by a potion or a scroll, too.
pub fn heal(seen: &Perception<'_>) -> Proposal {
    let percent = seen.state.hp_percent();
    let below = match seen.state.is_fighting() {
        _ if !seen.alone => HEAL_BESIDE_PERCENT,
        true => HEAL_FIGHTING_PERCENT,
        false if spares(seen, SPARE_PERCENT) => HEAL_SPARE_PERCENT,
        false => HEAL_PERCENT,
    };
    if percent >= below || !may_act(seen) {
        return Proposal::Pass;
    }
    match seen.first_of(healing(seen).into_iter().filter_map(|art| cast(art, Some("self")))) {
        Proposal::Pass if percent < POTION_PERCENT => remedy(seen),
        cast => cast,
    }
}

/// A potion to drink, or a scroll to read aloud.
fn remedy(seen: &Perception<'_>) -> Proposal {
    let objects = &seen.known.objects;
    let healing = seen.state.carried().iter().filter(|item| objects.is_for(item.vnum, &item.name, Use::Heal));
    let lines = healing.filter_map(|item| match verb_for(&item.name) {
        "use" => None,
        verb => Some(format!("{verb} {}", objects.target(item)?)),
    });
    seen.first_of(lines)
}

/// Those one goes with, the worst first; then what ails them, or oneself.
pub fn tend(seen: &Perception<'_>) -> Proposal {
    if !may_act(seen) {
        return Proposal::Pass;
    }
    let fighting = seen.state.is_fighting();
    let below = if fighting { HEAL_FIGHTING_PERCENT } else { HEAL_PERCENT };
    let mut hurt: Vec<&GroupMember> = companions(seen).filter(|member| member.hp_percent < below).collect();
    hurt.sort_by_key(|member| (member.hp_percent, member.name.clone()));
    let spells = healing(seen);
    let mut lines = Vec::new();
    for member in hurt {
        lines.extend(spells.iter().filter_map(|art| cast(art, Some(word_for(member)?))));
    }
    match seen.first_of(lines) {
        Proposal::Pass if !fighting => cure(seen),
        proposal => proposal,
    }
}

/// What ails one, with the art that has its name.
fn cure(seen: &Perception<'_>) -> Proposal {
    let cures = spells(seen, ArtUse::Cure, 0);
    let against = |ills: &[Word]| {
        let helps = |art: &&&KnownArt| {
            CURED.iter().any(|ill| art.name.contains(ill) && ills.iter().any(|word| &**word == *ill))
        };
        cures.iter().filter(helps).copied().collect::<Vec<&KnownArt>>()
    };
    let own = seen.state.conditions.as_deref().unwrap_or_default();
    let mut lines: Vec<String> = against(own).into_iter().filter_map(|art| cast(art, Some("self"))).collect();
    for member in companions(seen) {
        lines.extend(against(&member.ails).into_iter().filter_map(|art| cast(art, Some(word_for(member)?))));
    }
    seen.first_of(lines)
}

/// What keeps harm away, on oneself, then on those one goes with, while there is mana to spare and nobody fights.
pub fn buff(seen: &Perception<'_>) -> Proposal {
    let wounds = |art: &KnownArt| art.kind == ArtKind::Spell && art.used_for == ArtUse::Harm && worth(art) > 0;
    let wounds = seen.state.skills.iter().flatten().any(wounds);
    if !spares(seen, if wounds { SPARE_OF_BLOWS_PERCENT } else { SPARE_PERCENT })
        || !seen.stands()
        || !may_act(seen)
        || seen.is_hunted()
        || seen.known.recovering
    {
        return Proposal::Pass;
    }
    let arts = spells(seen, ArtUse::Protect, 0);
    let has = |art: &KnownArt| seen.state.affects.iter().flatten().any(|affect| affect.name == art.name);
    let mut lines: Vec<String> =
        arts.iter().filter(|art| !has(art)).filter_map(|art| cast(art, Some("self"))).collect();
    for member in companions(seen) {
        lines.extend(arts.iter().filter_map(|art| cast(art, Some(word_for(member)?))));
    }
    let tried = |line: &String| seen.known.cast_ms.get(line).copied();
    let is_due = |line: &String| tried(line).is_none_or(|at| seen.now_ms.saturating_sub(at) >= BUFF_AGAIN_MS);
    seen.first_of(lines.into_iter().filter(is_due))
}

/// The first blow: at prey that fights nobody, from behind with what the weapon allows, else with a spell.
pub fn open(seen: &Perception<'_>) -> Proposal {
    if !seen.stands() || !may_act(seen) {
        return Proposal::Pass;
    }
    let weapon = seen.state.equipment.as_ref().and_then(|equipment| equipment.get("wield"));
    let fits = |art: &&KnownArt| {
        let opener = OPENERS.iter().find(|(verb, _)| art.verb.as_deref() == Some(verb));
        let allowed = |pointed: bool| weapon.is_some_and(|weapon| !pointed || is_pointed(&weapon.name));
        art.percent >= OPEN_PERCENT && opener.is_some_and(|(_, pointed)| allowed(*pointed))
    };
    let mut arts: Vec<&KnownArt> = seen.state.skills.iter().flatten().filter(fits).collect();
    arts.sort_by_key(|art| (Reverse(art.percent), art.name.clone()));
    let known = |art: &&KnownArt| art.percent >= OPEN_PERCENT;
    if arts.is_empty() && spells(seen, ArtUse::Harm, reserve(seen)).is_empty() {
        return Proposal::Pass;
    }
    let Some(mob) = prey(seen).filter(|mob| !mob.fighting) else { return Proposal::Pass };
    let spells = blows(seen, Some(mob.vnum)).into_iter().filter(known);
    let behind = arts.into_iter().filter_map(|art| Some(format!("{} {}", art.verb.as_ref()?, mob.target_string)));
    let at = spells.filter_map(|art| cast(art, Some(&mob.target_string)));
    seen.first_of(behind.chain(at))
}

fn may_act(seen: &Perception<'_>) -> bool {
    let on_feet = matches!(seen.state.position.as_deref(), None | Some("standing" | "fighting"));
    on_feet && seen.state.lag.unwrap_or(0) == 0
}

/// The others of its group who are here.
fn companions<'a>(seen: &Perception<'a>) -> impl Iterator<Item = &'a GroupMember> {
    let own = seen.state.name().to_lowercase();
    let group = seen.state.group.iter().flatten();
    group.filter(move |member| member.here && member.name.to_lowercase() != own)
}

/// What to type for a member: the first word of its name.
fn word_for(member: &GroupMember) -> Option<&str> {
    member.name.split_whitespace().next()
}

/// The line of a spell at somebody; without one, at whom one fights.
fn cast(art: &KnownArt, at: Option<&str>) -> Option<String> {
    let at = at.map(|at| format!(" {at}")).unwrap_or_default();
    Some(format!("{} '{}'{at}", art.verb.as_ref()?, art.name))
}

/// The spells for this that one can pay for without the reserve, while one may cast.
fn spells<'a>(seen: &Perception<'a>, use_: ArtUse, reserve: i32) -> Vec<&'a KnownArt> {
    if may_act(seen) { payable(seen, use_, reserve) } else { Vec::new() }
}

/// Spells that heal: in a fight first what likely gives most, since each takes its time, else what is known best.
fn healing<'a>(seen: &Perception<'a>) -> Vec<&'a KnownArt> {
    let mut arts = spells(seen, ArtUse::Heal, 0);
    if seen.state.is_fighting() {
        arts.sort_by_key(|art| Reverse(i64::from(art.mana.unwrap_or(0)) * i64::from(art.percent)));
    }
    arts
}

/// An art of the body that takes something and throws nobody down but its victim.
fn brawl(seen: &Perception<'_>) -> Proposal {
    if !may_act(seen) || seen.state.hp_percent() < BRAWL_PERCENT {
        return Proposal::Pass;
    }
    let fits =
        |art: &&KnownArt| art.kind == ArtKind::Skill && art.used_for == ArtUse::Harm && !art.risky && worth(art) > 0;
    let mut arts: Vec<&KnownArt> = seen.state.skills.iter().flatten().filter(fits).collect();
    arts.sort_by_key(|art| (Reverse(worth(art)), art.level, art.name.clone()));
    seen.first_of(arts.into_iter().filter_map(|art| Some(art.verb.as_ref()?.to_string())))
}

/// Whether a fight can be begun with it, from behind.
pub(super) fn opens(art: &KnownArt) -> bool {
    OPENERS.iter().any(|(verb, _)| art.verb.as_deref() == Some(verb))
}
