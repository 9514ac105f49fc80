//! Casting: an art is used, by whatever means, and works on whom it is meant for.
//!
//! Whether somebody may, and has what it takes, is asked by the verbs (`commands/cast.rs`). Here it is decided who is
//! meant, what comes to nothing, who withstands, and whether it turns on its caster; then the words are heard, and the
//! effects work one after the other (`effects/art.rs`). Draws, in this order: a saving throw for each target, whether
//! it turns on its caster where it may, and what its effects draw.
//! Invariant: everything is told once, and nothing of it to who cannot know it.

mod words;

use crate::act::Scene;
use crate::arena::{CharacterId, ObjectId};
use crate::character::Save;
use crate::draws::Draw;
use crate::effects::working::{Aim, Working};
use crate::effects::{art, damage};
use crate::happenings::LettingGo;
use crate::report::LineKind;
use crate::rng::Stream;
use crate::world::World;
use content::arts::{EffectRow, SaveRule, Scope, SpellRow, TargetKind, ThrowKind};
use content::flags::*;
use protocol::outcome::CastResult;

/// By what an art is brought about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Means {
    Spell,
    Will,
    Potion,
    Scroll,
    Wand,
    Staff,
    Tattoo,
}

impl Means {
    pub const fn name(self) -> &'static str {
        match self {
            Means::Spell => "spell",
            Means::Will => "will",
            Means::Potion => "potion",
            Means::Scroll => "scroll",
            Means::Wand => "wand",
            Means::Staff => "staff",
            Means::Tattoo => "tattoo",
        }
    }

    /// What kind of throw withstands it. Source: game reference §4.
    const fn save(self) -> Save {
        match self {
            Means::Spell | Means::Will => Save::Spell,
            Means::Potion | Means::Scroll | Means::Wand | Means::Staff | Means::Tattoo => Save::Rod,
        }
    }
}

/// An art that is about to work.
#[derive(Clone, Copy)]
pub struct Casting<'a> {
    pub by: CharacterId,
    pub row: &'a SpellRow,
    pub level: i32,
    pub means: Means,
    pub aim: Aim,
    /// What was typed where a target would stand.
    pub word: &'a str,
    /// What makes it stronger, and is gone once it works.
    pub reagent: Option<ObjectId>,
}

/// How it went on one target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Turn {
    Works,
    Withstood,
}

/// Whether who casts it on somebody works together with that one: arts that last and hurt nobody, and those that take
/// a whole group along. What heals is help of its own kind (`Help::Healed`).
fn is_shared(row: &SpellRow) -> bool {
    let lasts = |effect: &EffectRow| matches!(effect, EffectRow::Affect { .. });
    let heals = |effect: &EffectRow| matches!(effect, EffectRow::Heal { .. } | EffectRow::Cure { .. });
    let any = |is: fn(&EffectRow) -> bool| row.effects.iter().any(is);
    !row.violent && !any(heals) && (row.scope == Scope::Group || any(lasts))
}

impl World {
    /// Lets an art work. `Err`: it came to nothing at all, and why.
    pub fn work_art(&mut self, casting: &Casting) -> Result<(), String> {
        let targets = self.targets_of(casting);
        let mut hindrance = None;
        let mut turns: Vec<(Aim, Turn)> = Vec::new();
        for aim in targets {
            if let Some(why) = self.wholly_hindered(casting, aim) {
                if !why.is_empty() || hindrance.is_none() {
                    hindrance = Some(why);
                }
                continue;
            }
            let withstood = aim.character().is_some_and(|who| self.withstands(casting, who));
            turns.push((aim, if withstood { Turn::Withstood } else { Turn::Works }));
        }
        let backfires = !turns.is_empty() && self.backfires(casting);
        let result = match turns.as_slice() {
            [] => CastResult::Immune,
            _ if backfires => CastResult::Backfired,
            all if all.iter().all(|(_, turn)| *turn == Turn::Withstood) => CastResult::Saved,
            _ => CastResult::Done,
        };
        if !turns.is_empty() {
            self.use_reagent_up(casting);
        }
        self.tell_words(casting, result);
        if turns.is_empty() {
            let why = hindrance.filter(|why| !why.is_empty());
            return Err(why.unwrap_or_else(|| "There is nothing here for it to work on.".to_string()));
        }
        if backfires {
            turns = vec![(Aim::Character(casting.by), Turn::Works)];
        }
        for (aim, turn) in turns {
            self.work_on(casting, aim, turn);
        }
        Ok(())
    }

    /// What comes to nothing takes nothing: the reagent goes where the art works on somebody, or is withstood.
    fn use_reagent_up(&mut self, casting: &Casting) {
        let Some(thing) = casting.reagent.filter(|thing| self.get_object(*thing).is_some()) else { return };
        let scene = Scene::new(casting.by, LineKind::Text).object(thing);
        self.show(&scene, "$p crumbles in your fingers.", "", "");
        self.record_letting_go(casting.by, thing, LettingGo::UseUp);
        self.extract_object(thing);
    }

    /// Whether it turns on its caster.
    fn backfires(&mut self, casting: &Casting) -> bool {
        let one_in = |effect: &EffectRow| match effect {
            EffectRow::Damage { backfires, .. } => *backfires,
            _ => 0,
        };
        let one_in = casting.row.effects.iter().map(one_in).max().unwrap_or(0);
        one_in > 1 && self.draw(Stream::Combat, Draw::Target).one_in(one_in)
    }

    /// Which life of its target it is: how often it died before. `None`: there is no such target any more.
    pub fn life_of(&self, aim: Aim) -> Option<u32> {
        match aim {
            Aim::Character(who) => self.character(who).map(|c| c.player().map_or(0, |player| player.deaths)),
            Aim::Object(object) => self.get_object(object).map(|_| 0),
            Aim::Nothing => Some(0),
        }
    }

    /// Everybody and everything that it is meant for, in the order of the room's list.
    fn targets_of(&self, casting: &Casting) -> Vec<Aim> {
        let by = casting.by;
        let here = || self.room(self.who(by).room).characters.iter().copied();
        match casting.row.scope {
            Scope::Target => vec![casting.aim],
            Scope::Caster => vec![Aim::Character(by)],
            Scope::Group => here().filter(|id| damage::is_own(self, by, *id)).map(Aim::Character).collect(),
            Scope::Foes | Scope::Room => here()
                .filter(|id| !damage::is_own(self, by, *id) && self.is_met_by(by, *id))
                .map(Aim::Character)
                .collect(),
        }
    }

    /// The strongest of those whom an area that is cast here would meet; the first who came of equals.
    pub fn strongest_met(&self, by: CharacterId) -> Option<CharacterId> {
        let here = self.room(self.who(by).room).characters.iter().copied();
        let met = here.filter(|id| !damage::is_own(self, by, *id) && self.is_met_by(by, *id));
        met.max_by_key(|id| (self.who(*id).level, std::cmp::Reverse(self.who(*id).serial)))
    }

    /// Whether an area reaches somebody: immortals and other people's servants stand outside of it, and so does
    /// everybody whom its caster may not strike. Mobs spare their like. Source: game reference §4.
    fn is_met_by(&self, by: CharacterId, who: CharacterId) -> bool {
        let (c, v) = (self.who(by), self.who(who));
        let servant = v.is_mob() && v.is(AffectFlags::CHARM);
        if v.is_immortal() || (servant && c.is_player()) || (c.is_mob() && v.is_mob() && !servant) {
            return false;
        }
        self.may_attack(by, who, true).is_ok()
    }

    /// Why nothing of it would work on this target; `None` where something does.
    fn wholly_hindered(&self, casting: &Casting, aim: Aim) -> Option<String> {
        let working = self.working(casting, false);
        let mut first = None;
        for effect in &casting.row.effects {
            match art::hindrance(self, &working, effect, aim) {
                None => return None,
                Some(why) if first.as_ref().is_none_or(String::is_empty) => first = Some(why),
                Some(_) => {}
            }
        }
        first
    }

    fn working<'a>(&self, casting: &Casting<'a>, saved: bool) -> Working<'a> {
        let Casting { by, row, level, word, reagent, .. } = *casting;
        Working { by, level, reagent: reagent.is_some(), row, saved, word }
    }

    /// The saving throw of somebody who would rather not.
    fn withstands(&mut self, casting: &Casting, who: CharacterId) -> bool {
        let row = casting.row;
        if row.save == SaveRule::None || who == casting.by {
            return false;
        }
        let save = match row.throw {
            None => casting.means.save(),
            Some(ThrowKind::Paralysis) => Save::Paralysis,
            Some(ThrowKind::Rod) => Save::Rod,
            Some(ThrowKind::Petrify) => Save::Petrify,
            Some(ThrowKind::Breath) => Save::Breath,
            Some(ThrowKind::Spell) => Save::Spell,
        };
        self.saves(who, save) || row.effects.iter().any(|effect| art::slips(self, effect, who))
    }

    /// The voices, and the effects, on one target.
    fn work_on(&mut self, casting: &Casting, aim: Aim, turn: Turn) {
        let row = casting.row;
        // Who dies of it and wakes at the altar has nothing more to do with it.
        let life = self.life_of(aim);
        let gone = |world: &World| life.is_none() || world.life_of(aim) != life;
        if self.character(casting.by).is_none() || gone(self) {
            return;
        }
        let withstood = turn == Turn::Withstood;
        if withstood && row.save == SaveRule::Negates {
            self.tell_withstood(casting, aim);
            let working = self.working(casting, true);
            for effect in &row.effects {
                art::withstood(self, &working, effect, aim);
            }
            if let Some(victim) = aim.character().filter(|_| row.violent) {
                self.provoke(casting.by, victim);
            }
            return;
        }
        // Wounds are told with what they take.
        let wounds = |effect: &EffectRow| matches!(effect, EffectRow::Damage { .. } | EffectRow::Drain { .. });
        if !row.effects.iter().any(wounds) {
            self.tell_working(casting, aim);
        }
        let working = self.working(casting, withstood);
        for effect in &row.effects {
            if self.character(casting.by).is_none() || gone(self) {
                return;
            }
            if art::hindrance(self, &working, effect, aim).is_none() {
                art::perform(self, &working, effect, aim);
            }
        }
        if self.character(casting.by).is_none() || gone(self) {
            return;
        }
        if let Some(friend) = aim.character().filter(|_| is_shared(row)) {
            self.record_cooperation(casting.by, friend);
        }
        if let Some(victim) = aim.character().filter(|_| row.violent) {
            let (c, v) = (self.who(casting.by), self.who(victim));
            let asleep = v.is(AffectFlags::SLEEP) && !v.is_awake();
            if victim != casting.by && c.room == v.room && !asleep && !v.is(AffectFlags::CHARM) {
                self.provoke(casting.by, victim);
            }
        }
    }

    /// What is read of an art that works on somebody or something.
    fn tell_working(&mut self, casting: &Casting, aim: Aim) {
        let text = &casting.row.text;
        let scene = Scene::new(casting.by, LineKind::Text);
        match aim {
            Aim::Character(who) => {
                let scene = scene.victim(who).sleepers();
                let actor = match () {
                    () if who == casting.by => &text.victim,
                    () if text.actor.is_empty() => &text.room,
                    () => &text.actor,
                };
                self.show(&scene, actor, &text.victim, &text.room);
            }
            Aim::Object(object) => {
                // What is said of somebody's eyes is not said of a sword; what only tells its caster something says
                // that and no more.
                let of_people = casting.row.targets.contains(&TargetKind::Here);
                let actor = match () {
                    () if text.victim.is_empty() => "",
                    () if of_people => "Something runs over $p and sinks in.",
                    () => &text.victim,
                };
                self.show(&scene.object(object), actor, "", "$n bends over $p.");
            }
            Aim::Nothing => self.show(&scene.victim(casting.by), &text.victim, "", &text.room),
        }
    }

    fn tell_withstood(&mut self, casting: &Casting, aim: Aim) {
        let Some(victim) = aim.character() else { return };
        let usual = ["$N withstands your $t.", "You withstand $n's $t.", "$N withstands something."];
        let voices: Vec<&str> = casting
            .row
            .text
            .saved
            .iter()
            .zip(usual)
            .map(|(own, usual)| if own.is_empty() { usual } else { &**own })
            .collect();
        let scene = Scene::new(casting.by, LineKind::Text).victim(victim).text(&casting.row.name);
        self.show(&scene, voices[0], voices[1], voices[2]);
    }
}
