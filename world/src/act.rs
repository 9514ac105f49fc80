//! Messages in three voices: what the actor, the victim and the room read.
//!
//! Marks: `$n $N` name of actor and victim, `$e $E` he, `$m $M` him, `$s $S` his, `$p $P` the object and the other
//! object, `$d $D` the same as one that is known ("the sword"), `$o $O` their first keyword, `$a $A` a/an, `$t` the
//! text, `$$` a dollar. A name is resolved for each observer at this moment; who cannot see reads "someone" or
//! "something". A line is rendered once per class of observers (who can see actor, victim, object, and wants hints
//! and the filter: at most thirty-two) and shared.

pub use protocol::words::{capitalise, capitalise_from, capitalised};

use crate::aloud;
use crate::arena::{CharacterId, ObjectId};
use crate::character::Character;
use crate::hints::wants_hints;
use crate::report::{Line, LineKind, Witnessed};
use crate::world::World;
use content::words::{Class, Race};
use protocol::outcome::Outcome;
use std::sync::Arc;

/// Who and what a message is about.
#[derive(Clone, Debug)]
pub struct Scene<'a> {
    pub actor: CharacterId,
    pub victim: Option<CharacterId>,
    pub object: Option<ObjectId>,
    pub other: Option<ObjectId>,
    pub text: &'a str,
    /// Kinds of the three voices: actor, victim, room.
    pub kinds: [LineKind; 3],
    /// Sleepers notice too.
    pub sleepers: bool,
    /// Who cannot see the actor reads nothing.
    pub hidden: bool,
    /// The actor speaks: lines carry its name in `from`.
    pub speaks: bool,
    /// Words or a gesture: who ignores the actor takes no notice.
    pub addressed: bool,
    pub outcome: Option<Arc<Outcome>>,
    /// The text is a mob's words: those who want hints read them marked.
    pub hinted: bool,
    /// Which of those who notice are meant.
    pub audience: Audience,
}

/// For whom a scene is meant, of those who could notice it. Immortals are of every craft.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Audience {
    #[default]
    All,
    Class(Class),
    OtherThan(Class),
    /// Those of a race, whose language it is.
    Race(Race),
    OtherRaceThan(Race),
}

impl Audience {
    fn has(self, who: &Character) -> bool {
        match self {
            Audience::All => true,
            Audience::Class(class) => who.class == class || who.is_immortal(),
            Audience::OtherThan(class) => who.class != class && !who.is_immortal(),
            Audience::Race(race) => who.race == race || who.is_immortal(),
            Audience::OtherRaceThan(race) => who.race != race && !who.is_immortal(),
        }
    }
}

impl<'a> Scene<'a> {
    pub fn new(actor: CharacterId, kind: LineKind) -> Scene<'a> {
        Scene {
            actor,
            victim: None,
            object: None,
            other: None,
            text: "",
            kinds: [kind; 3],
            sleepers: false,
            hidden: false,
            speaks: false,
            addressed: false,
            outcome: None,
            hinted: false,
            audience: Audience::All,
        }
    }

    pub fn audience(mut self, audience: Audience) -> Self {
        self.audience = audience;
        self
    }

    pub fn victim(mut self, victim: CharacterId) -> Self {
        self.victim = Some(victim);
        self
    }

    pub fn object(mut self, object: ObjectId) -> Self {
        self.object = Some(object);
        self
    }

    pub fn other(mut self, other: ObjectId) -> Self {
        self.other = Some(other);
        self
    }

    pub fn text(mut self, text: &'a str) -> Self {
        self.text = text;
        self
    }

    pub fn kinds(mut self, actor: LineKind, victim: LineKind, room: LineKind) -> Self {
        self.kinds = [actor, victim, room];
        self
    }

    pub fn sleepers(mut self) -> Self {
        self.sleepers = true;
        self
    }

    pub fn hidden(mut self) -> Self {
        self.hidden = true;
        self
    }

    pub fn speaks(mut self) -> Self {
        self.speaks = true;
        self.addressed()
    }

    /// What the actor wants others to take notice of, and nothing that happens to them.
    pub fn addressed(mut self) -> Self {
        self.addressed = true;
        self
    }

    /// The text is what a mob says.
    pub fn hinted(mut self, yes: bool) -> Self {
        self.hinted = yes;
        self
    }

    pub fn outcome(mut self, outcome: &Arc<Outcome>) -> Self {
        self.outcome = Some(outcome.clone());
        self
    }
}

/// What one class of observers can see, and whether words are marked for them.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Sees {
    actor: bool,
    victim: bool,
    object: bool,
    hints: bool,
}

impl World {
    /// Shows a scene in the actor's room. An empty voice is silent.
    pub fn show(&mut self, scene: &Scene<'_>, actor: &str, victim: &str, room: &str) {
        if self.unread {
            return;
        }
        if !actor.is_empty() {
            self.show_to(scene, scene.actor, scene.kinds[0], actor);
        }
        if let Some(id) = scene.victim
            && !victim.is_empty()
            && id != scene.actor
            && self.notices(scene, id, self.who(id))
        {
            self.show_to(scene, id, scene.kinds[1], victim);
        }
        if !room.is_empty() {
            let place = self.who(scene.actor).room;
            self.show_in(scene, place, room);
        }
    }

    /// Shows the room's voice in any room, to all but actor and victim.
    pub fn show_in(&mut self, scene: &Scene<'_>, place: content::RoomId, voice: &str) {
        if self.unread {
            return;
        }
        let dark = self.is_dark(place);
        let mut shared: [Option<u32>; 32] = [None; 32];
        let count = self.room(place).characters.len();
        for n in 0..count {
            let id = self.room(place).characters[n];
            let observer = self.who(id);
            let Some(player) = observer.player() else { continue };
            if id == scene.actor || Some(id) == scene.victim || !self.notices(scene, id, observer) {
                continue;
            }
            let sees = self.class_of(scene, id, observer, dark);
            if scene.hidden && !sees.actor {
                continue;
            }
            let class = usize::from(sees.actor)
                | usize::from(sees.victim) << 1
                | usize::from(sees.object) << 2
                | usize::from(sees.hints) << 3
                | usize::from(scene.speaks && self.filter_of(id).is_some()) << 4;
            // What is made for one reader goes the way of such lines.
            let alone = !player.snooped_by.is_empty() || aloud::listens(observer);
            let number = match shared[class] {
                Some(number) => number,
                None => {
                    let line = self.line(scene, scene.kinds[2], voice, sees);
                    let line = self.line_for(id, &line).unwrap_or(line);
                    let number = self.report.lines.add(Arc::new(line));
                    shared[class] = Some(number);
                    number
                }
            };
            match alone {
                // Whoever looks over its shoulder reads it first.
                true => self.send_line(id, self.report.lines.line(number)),
                false => {
                    let cause = self.cause_for(id, scene.outcome.as_deref());
                    self.report.lines.show(id, number, cause);
                }
            }
        }
    }

    /// Lets those in the actor's room know the scene's outcome where no line tells it: programs read outcomes too.
    pub fn witness(&mut self, scene: &Scene<'_>) {
        if self.unread {
            return;
        }
        let place = self.who(scene.actor).room;
        let dark = self.is_dark(place);
        for n in 0..self.room(place).characters.len() {
            let id = self.room(place).characters[n];
            let observer = self.who(id);
            if !observer.is_player() || !self.notices(scene, id, observer) {
                continue;
            }
            if let Some(outcome) = self.witnessed(scene, self.class_of(scene, id, observer, dark)) {
                let cause = self.cause_for(id, Some(&outcome));
                self.report.witnessed.push(Witnessed { who: id, outcome, cause });
            }
        }
    }

    /// One voice for one reader, wherever it is.
    pub fn show_to(&mut self, scene: &Scene<'_>, reader: CharacterId, kind: LineKind, voice: &str) {
        if self.unread {
            return;
        }
        let Some(character) = self.character(reader) else { return };
        if !character.is_player() {
            return;
        }
        let dark = self.is_dark(character.room);
        let sees = self.class_of(scene, reader, character, dark);
        let line = Arc::new(self.line(scene, kind, voice, sees));
        self.send_line(reader, line);
    }

    /// The text that a reader would get; for those who need it within a longer one.
    pub fn voice(&self, scene: &Scene<'_>, reader: CharacterId, voice: &str) -> String {
        let character = self.who(reader);
        let dark = self.is_dark(character.room);
        self.render(scene, voice, self.class_of(scene, reader, character, dark))
    }

    /// A line about a thing, to all in a room who are awake and see it. `$p` is the thing.
    pub fn show_object(&mut self, object: ObjectId, place: content::RoomId, kind: LineKind, voice: &str) {
        if self.unread {
            return;
        }
        let dark = self.is_dark(place);
        let mut shared: Option<Arc<Line>> = None;
        for n in 0..self.room(place).characters.len() {
            let id = self.room(place).characters[n];
            let observer = self.who(id);
            if !observer.is_player() || !observer.is_awake() || !self.sees_object_in(id, object, dark) {
                continue;
            }
            let line = shared.get_or_insert_with(|| {
                let text = capitalised(&voice.replace("$p", &self.object(object).short));
                Arc::new(Line { kind, text, ..Line::default() })
            });
            let line = line.clone();
            self.send_line(id, line);
        }
    }

    /// Whether somebody who could see a scene takes note of it. `observer` has that id.
    fn notices(&self, scene: &Scene<'_>, id: CharacterId, observer: &Character) -> bool {
        (scene.sleepers || observer.is_awake())
            && scene.audience.has(observer)
            && !(scene.addressed && self.ignores(id, scene.actor))
    }

    /// `eyes`: of the character with the id `observer`.
    fn class_of(&self, scene: &Scene<'_>, observer: CharacterId, eyes: &Character, dark: bool) -> Sees {
        let sees = |id: CharacterId| id == observer || eyes.sees_in(self.who(id), dark);
        Sees {
            actor: sees(scene.actor),
            victim: scene.victim.is_none_or(sees),
            object: scene.object.is_none_or(|o| self.sees_object_in(observer, o, dark))
                && scene.other.is_none_or(|o| self.sees_object_in(observer, o, dark)),
            hints: scene.hinted && wants_hints(eyes),
        }
    }

    fn line(&self, scene: &Scene<'_>, kind: LineKind, voice: &str, sees: Sees) -> Line {
        let from = (scene.speaks && sees.actor).then(|| self.who(scene.actor).shown().clone());
        let from_agent = from.is_some() && self.who(scene.actor).player().is_some_and(|player| player.agent);
        Line {
            kind,
            from,
            from_agent,
            text: self.render(scene, voice, sees),
            spans: Vec::new(),
            outcome: self.witnessed(scene, sees),
            message: None,
            reaction: None,
        }
    }

    /// The outcome as this class of observers may know it: whom they cannot see is nobody.
    fn witnessed(&self, scene: &Scene<'_>, sees: Sees) -> Option<Arc<Outcome>> {
        let outcome = scene.outcome.as_ref()?;
        if sees.actor && sees.victim && sees.object {
            return Some(outcome.clone());
        }
        let unseen = |seen: bool, id: Option<CharacterId>| id.filter(|_| !seen).map(|id| self.instance_of(id));
        let (actor, victim) = (unseen(sees.actor, Some(scene.actor)), unseen(sees.victim, scene.victim));
        let mut copy = outcome.as_ref().clone();
        copy.hide(|who| Some(&who.id) != actor.as_ref() && Some(&who.id) != victim.as_ref());
        if !sees.object {
            copy.for_each_object(|object| *object = protocol::outcome::ObjectRef::unseen());
        }
        Some(Arc::new(copy))
    }

    fn render(&self, scene: &Scene<'_>, voice: &str, sees: Sees) -> String {
        let mut text = String::with_capacity(voice.len() + 32);
        let mut rest = voice;
        while let Some(at) = rest.find('$') {
            text.push_str(&rest[..at]);
            let mut marks = rest[at + 1..].chars();
            let mark = marks.next();
            rest = marks.as_str();
            let actor = || self.who(scene.actor);
            let victim = || scene.victim.and_then(|id| self.character(id));
            let object = |id: Option<ObjectId>| id.and_then(|id| self.get_object(id));
            match mark {
                Some('n') if sees.actor => text.push_str(actor().shown()),
                Some('n') => text.push_str("someone"),
                Some('N') if sees.victim => text.push_str(victim().map_or("someone", |v| v.shown())),
                Some('N') => text.push_str("someone"),
                Some('e') => text.push_str(actor().subject()),
                Some('m') => text.push_str(actor().object_pronoun()),
                Some('s') => text.push_str(actor().possessive()),
                Some('E') => text.push_str(victim().map_or("it", |v| v.subject())),
                Some('M') => text.push_str(victim().map_or("it", |v| v.object_pronoun())),
                Some('S') => text.push_str(victim().map_or("its", |v| v.possessive())),
                Some(mark @ ('p' | 'P' | 'd' | 'D' | 'o' | 'O' | 'a' | 'A')) => {
                    let which = if mark.is_lowercase() { scene.object } else { scene.other };
                    match (object(which).filter(|_| sees.object), mark.to_ascii_lowercase()) {
                        (Some(o), 'p') => text.push_str(&o.short),
                        (Some(o), 'd') => text.push_str(&o.definite()),
                        (Some(o), 'o') => text.push_str(o.keywords.split(' ').next().unwrap_or_default()),
                        (Some(o), _) => text.push_str(o.article()),
                        (None, 'a') => text.push_str("some"),
                        (None, _) => text.push_str("something"),
                    }
                }
                Some('t') => text.push_str(scene.text),
                Some('$') => text.push('$'),
                Some(other) => {
                    text.push('$');
                    text.push(other);
                }
                None => text.push('$'),
            }
        }
        text.push_str(rest);
        capitalise(&mut text);
        if sees.hints {
            text.push_str(&self.hints_behind(scene.actor, scene.text));
        }
        text
    }
}

/// `a, b and c`; empty for nothing.
pub fn listed(all: &[String]) -> String {
    match all {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
