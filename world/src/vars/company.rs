//! What variables tell of arts and of company: what somebody can do, what is at work on it, whom it fights, and who is
//! with it.

use crate::arena::CharacterId;
use crate::character::{Character, Player};
use crate::commands::cast::{mana_of, wills};
use crate::commands::learning::Art;
use crate::commands::practice::{arts_of, teacher};
use crate::effects::working::values_of;
use crate::find::TargetNames;
use crate::sight::SEEN_MAX;
use crate::world::World;
use content::Text;
use content::arts::effect::Side;
use content::arts::{EffectRow, SpellRow};
use content::flags::AffectFlags;
use content::words::Apply;
use protocol::arts::*;
use protocol::payload::{Word, append_json};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Flags that keep harm from their bearer.
const SHIELDS: AffectFlags =
    AffectFlags::SANCTUARY.with(AffectFlags::PROTECT_EVIL).with(AffectFlags::PROTECT_GOOD).with(AffectFlags::METALSKIN);

/// Flags that somebody else can take off.
const AILMENTS: [&str; 3] = ["blind", "curse", "poison"];

/// Tenths, a part of one counted as one; 0 for who is dying.
fn tenths(now: i32, most: i32) -> i32 {
    percent(now, most).div_euclid(10) + i32::from(percent(now, most) % 10 > 0)
}

fn percent(now: i32, most: i32) -> i32 {
    let percent = i64::from(now.max(0)) * 100 / i64::from(most.max(1));
    i32::try_from(percent).unwrap_or(i32::MAX).clamp(i32::from(now > 0), 100)
}

/// What a spell is good for: the first that is true of it.
fn use_of_spell(row: &SpellRow) -> ArtUse {
    let any = |is: fn(&EffectRow) -> bool| row.effects.iter().any(is);
    match () {
        () if any(wounds) => ArtUse::Harm,
        // Blindness and charms win fights, too, but not by being repeated.
        () if row.violent => ArtUse::Other,
        () if any(|effect| matches!(effect, EffectRow::Heal { .. })) => ArtUse::Heal,
        () if any(|effect| matches!(effect, EffectRow::Cure { .. } | EffectRow::Purify { .. })) => ArtUse::Cure,
        () if any(|effect| matches!(effect, EffectRow::Move { .. } | EffectRow::Gate { .. })) => ArtUse::Travel,
        () if any(|effect| match effect {
            EffectRow::Affect { apply, flags, .. } => *apply != Apply::None || flags.any(SHIELDS),
            _ => false,
        }) =>
        {
            ArtUse::Protect
        }
        () => ArtUse::Other,
    }
}

fn wounds(effect: &EffectRow) -> bool {
    matches!(effect, EffectRow::Damage { .. } | EffectRow::Drain { .. })
}

/// Hit points that an art takes of somebody of its user's level, on average, where that can be told of it alone.
fn damage_of(c: &Character, art: Art) -> Option<i32> {
    let values = values_of(c, c.level, c.level);
    match art {
        Art::Spell(row) if row.effects.iter().any(wounds) => {
            let amount = |effect: &EffectRow| match effect {
                EffectRow::Damage { amount, .. } | EffectRow::Drain { amount, .. } => amount.average(&values),
                _ => 0,
            };
            Some(row.effects.iter().map(amount).fold(0, i32::saturating_add))
        }
        Art::Spell(_) => None,
        Art::Skill(row) => {
            let strike = row.strike.as_ref()?;
            let of_the_moment = strike.opens || strike.unwatched || strike.beastly || !strike.ground.is_empty();
            let told = !of_the_moment && !strike.harmless && strike.weapon.is_none();
            told.then(|| strike.amount.average(&values).max(1))
        }
    }
}

/// Whether it may turn on who uses it, or does for sure, as for who stands on the side that it is against.
fn is_risky(c: &Character, art: Art) -> bool {
    match art {
        Art::Spell(row) => row.effects.iter().any(|effect| match effect {
            EffectRow::Damage { backfires, recoils, .. } => *backfires > 1 || *recoils == Some(Side::of(c.alignment)),
            _ => false,
        }),
        Art::Skill(row) => row.strike.as_ref().is_some_and(|strike| strike.falls || strike.hurts > 0),
    }
}

fn use_of(art: Art) -> ArtUse {
    match art {
        Art::Spell(row) => use_of_spell(row),
        Art::Skill(row) => match () {
            () if row.strike.is_some() => ArtUse::Harm,
            () if row.heals.is_some() => ArtUse::Heal,
            () if row.leaps => ArtUse::Travel,
            () => ArtUse::Other,
        },
    }
}

/// The players of a room as one of them sees it, for all who see it alike (`World::reads_as_others`).
pub struct PlayersSeen {
    /// Whoever looks among them.
    players: Vec<CharacterId>,
    /// Of the first of them, one more than are shown, with their JSON; none where nobody else is there.
    rows: Vec<(RoomPlayer, String)>,
}

impl PlayersSeen {
    /// Appends what one of them reads, as JSON: the others, `SEEN_MAX` of them, the last with a count of the rest.
    pub fn append_without(&self, who: CharacterId, out: &mut String) {
        let others = self.players.len() - usize::from(self.players.contains(&who));
        let shown = self.rows.iter().zip(&self.players).filter(|(_, id)| **id != who).take(SEEN_MAX);
        out.push('[');
        for (at, ((row, json), _)) in shown.enumerate() {
            if at > 0 {
                out.push(',');
            }
            match others.saturating_sub(SEEN_MAX) {
                more if more > 0 && at + 1 == SEEN_MAX => {
                    append_json(out, &RoomPlayer { more: more as u32, ..row.clone() });
                }
                _ => out.push_str(json),
            }
        }
        out.push(']');
    }
}

impl World {
    /// What is at work on somebody, one row for each cause, oldest first.
    pub fn affected(&self, who: CharacterId) -> Vec<Affected> {
        let mut rows: Vec<Affected> = Vec::new();
        for affect in &self.who(who).affects {
            let by = affect.caster.clone().filter(|_| affect.caster_seen);
            let at = rows.iter().position(|row| row.name == affect.kind && row.by == by);
            let at = at.unwrap_or_else(|| {
                let name = affect.kind.clone();
                rows.push(Affected { name, hours: affect.hours, by, applies: Default::default(), flags: Vec::new() });
                rows.len() - 1
            });
            let row = &mut rows[at];
            row.hours = if row.hours < 0 || affect.hours < 0 { -1 } else { row.hours.max(affect.hours) };
            if affect.apply != Apply::None && affect.by != 0 {
                *row.applies.entry(affect.apply.name().into()).or_default() += affect.by;
            }
            let new: Vec<Word> =
                affect.flags.names().map(Word::from).filter(|flag| !row.flags.contains(flag)).collect();
            row.flags.extend(new);
        }
        rows
    }

    /// What is true of somebody besides its points, by whatever cause.
    pub fn conditions_of(&self, who: CharacterId) -> Vec<&'static str> {
        let c = self.who(who);
        let needs = |player: &Player| {
            [(player.full == 0, "hungry"), (player.thirst == 0, "thirsty"), (player.drunk > 10, "drunk")]
        };
        let needs = c.player().map(needs).into_iter().flatten().filter(|(is, _)| *is).map(|(_, word)| word);
        c.now.flags.names().chain(needs).collect()
    }

    /// Spells and skills that somebody knows or could learn now.
    pub fn known_arts(&self, who: CharacterId) -> Vec<KnownArt> {
        let c = self.who(who);
        let known = |(art, level, percent): (Art, i32, i32)| {
            let (kind, verb, mana) = match art {
                Art::Spell(row) => {
                    let verb: Text = if wills(c.class) { "will" } else { "cast" }.into();
                    (ArtKind::Spell, Some(verb), Some(mana_of(self, who, row)))
                }
                Art::Skill(row) => (ArtKind::Skill, row.verb.clone(), None),
            };
            let level = (level != i32::MAX).then_some(level);
            let (used_for, damage, risky) = (use_of(art), damage_of(c, art), is_risky(c, art));
            KnownArt { name: art.name().into(), kind, used_for, verb, percent, level, mana, damage, risky }
        };
        arts_of(self, &self.rules, who).into_iter().map(known).collect()
    }

    /// A digest of what `known_arts` depends on: while it is the same, so are they.
    pub fn arts_key(&self, who: CharacterId) -> u64 {
        let c = self.who(who);
        let mut hasher = DefaultHasher::new();
        (c.level, c.class as u8, Side::of(c.alignment) as u8).hash(&mut hasher);
        if let Some(player) = c.player() {
            (&player.spells, &player.skills).hash(&mut hasher);
        }
        hasher.finish()
    }

    pub fn practices_of(&self, who: CharacterId) -> Practices {
        let left = self.who(who).player().map_or(0, |player| player.practices);
        Practices { left, teacher: teacher(self, who).map(|id| self.name_for(who, id).into()) }
    }

    /// What to type for one of those whom somebody sees in its room.
    fn target_here(&self, who: CharacterId, target: CharacterId) -> String {
        let room = self.who(who).room;
        let dark = self.is_dark(room);
        let mut names = TargetNames::of(std::iter::once(&*self.who(target).keywords));
        for id in self.room(room).characters.iter().filter(|id| **id == who || self.sees_in(who, **id, dark)) {
            match *id == target {
                true => return names.next(&self.who(*id).keywords),
                false => names.pass(&self.who(*id).keywords),
            }
        }
        String::new()
    }

    pub fn opponent_of(&self, who: CharacterId) -> Option<Opponent> {
        let id = self.who(who).fighting?;
        let c = self.character(id)?;
        let seen = self.sees(who, id);
        Some(Opponent {
            name: self.name_for(who, id).into(),
            instance_id: if seen { self.instance_of(id) } else { "".into() },
            target_string: if seen { self.target_here(who, id).into() } else { "".into() },
            condition: tenths(c.hit, c.now.hit_max),
            position: c.position.name().into(),
        })
    }

    /// Somebody's group, its leader first; empty for who is in none.
    pub fn group_seen(&self, who: CharacterId) -> Vec<GroupMember> {
        let Some(leader) = self.group_leader(who) else { return Vec::new() };
        let room = self.who(who).room;
        let member = |id: CharacterId| {
            let c = self.who(id);
            GroupMember {
                name: c.shown().clone(),
                instance_id: self.instance_of(id),
                leader: id == leader,
                here: c.room == room,
                hp_percent: percent(c.hit, c.now.hit_max),
                mana_percent: percent(c.mana, c.now.mana_max),
                move_percent: percent(c.moves, c.now.move_max),
                position: c.position.name().into(),
                ails: c.now.flags.names().filter(|flag| AILMENTS.contains(flag)).map(Word::from).collect(),
            }
        };
        self.group_members(leader).into_iter().map(member).collect()
    }

    /// The players of its room as somebody sees them.
    pub fn players_seen(&self, who: CharacterId) -> PlayersSeen {
        let room = self.who(who).room;
        let dark = self.is_dark(room);
        let here = self.room(room).characters.iter().copied();
        let seen: Vec<CharacterId> = here.filter(|id| *id == who || self.sees_in(who, *id, dark)).collect();
        let players: Vec<CharacterId> = seen.iter().copied().filter(|id| self.who(*id).is_player()).collect();
        let mut rows = Vec::new();
        if players.iter().any(|id| *id != who) {
            let named = players.iter().take(SEEN_MAX + 1);
            let mut names = TargetNames::of(named.map(|id| &*self.who(*id).keywords));
            for id in seen {
                let c: &Character = self.who(id);
                if !c.is_player() {
                    names.pass(&c.keywords);
                    continue;
                }
                let row = RoomPlayer {
                    name: c.shown().clone(),
                    instance_id: self.instance_of(id),
                    target_string: names.next(&c.keywords).into(),
                    position: c.position.name().into(),
                    fighting: c.fighting.is_some(),
                    agent: c.player().is_some_and(|player| player.agent),
                    more: 0,
                };
                let mut json = String::new();
                append_json(&mut json, &row);
                rows.push((row, json));
                if rows.len() > SEEN_MAX {
                    break;
                }
            }
        }
        PlayersSeen { players, rows }
    }

    /// Ticks until somebody's next command runs.
    pub fn lag_left(&self, who: CharacterId) -> u64 {
        self.who(who).free_tick.saturating_sub(self.tick())
    }
}
