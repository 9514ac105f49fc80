//! Which things a command means, and doing it to each of them: `bread`, `3 bread`, `2.bread`, `all.bread`, `all`.

use crate::arena::{CharacterId, ObjectId};
use crate::coins::means_coins;
use crate::find::{Target, Which, first_argument};
use crate::refusal::{Done, Refusal};
use crate::report::LineKind;
use crate::world::World;
use content::words::WearSlot;

/// Which of several things are meant, and how many at most.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    /// `bread`, `2.bread`, `all.bread`, `all`; may be empty.
    what: &'a str,
    /// For `3 bread`: that many of all that answer to the word.
    count: Option<usize>,
}

impl<'a> Wanted<'a> {
    /// Reads `bread …` or `3 bread …`; also gives what follows.
    pub fn parse(args: &'a str) -> (Wanted<'a>, &'a str) {
        let (first, rest) = first_argument(args);
        if let Ok(count) = first.parse::<usize>()
            && !rest.is_empty()
        {
            let (what, rest) = first_argument(rest);
            return (Wanted { what, count: Some(count) }, rest);
        }
        (Wanted { what: first, count: None }, rest)
    }

    /// What the word means by itself.
    pub fn named(what: &'a str) -> Wanted<'a> {
        Wanted { what, count: None }
    }

    pub fn is_empty(self) -> bool {
        self.what.is_empty()
    }

    pub fn is_all(self) -> bool {
        Target::parse(self.what).which == Which::All
    }

    /// The bare word.
    pub fn word(self) -> &'a str {
        Target::parse(self.what).word
    }

    /// What is meant among the things of a list, in its order; may be empty.
    pub fn among(self, world: &World, who: CharacterId, list: &[ObjectId]) -> Vec<ObjectId> {
        let Some(count) = self.count else { return world.find_objects_in(who, list, self.what) };
        let mut found = world.find_objects_in(who, list, &format!("all.{}", self.word()));
        found.truncate(count);
        found
    }
}

/// Does something to each of several things. What is refused is told; when nothing at all was done, the command is
/// refused.
pub fn each(
    world: &mut World,
    who: CharacterId,
    objects: Vec<ObjectId>,
    mut act: impl FnMut(&mut World, ObjectId) -> Done,
) -> Done {
    let mut done = false;
    let mut refusals: Vec<Refusal> = Vec::new();
    for object in objects {
        // What became of the one before may have taken the next away, or whose command it is.
        if world.get_object(object).is_none() || world.character(who).is_none() {
            continue;
        }
        match act(world, object) {
            Ok(()) => done = true,
            // That one carries as much as one can is said once.
            Err(refusal) if refusals.contains(&refusal) => {}
            Err(refusal) => refusals.push(refusal),
        }
    }
    let last = if done { None } else { refusals.pop() };
    for refusal in refusals.into_iter().filter(Refusal::is_shown) {
        world.send(who, LineKind::Refusal, refusal.0);
    }
    last.map_or(Ok(()), Err)
}

/// What one carries and means by a word of the command. Never empty.
pub fn carried(world: &World, who: CharacterId, what: Wanted<'_>) -> Result<Vec<ObjectId>, Refusal> {
    let found = what.among(world, who, &world.who(who).carrying);
    if !found.is_empty() {
        return Ok(found);
    }
    let word = what.word();
    // Coins are no things; who says "drop gold" has to say how many.
    let coins = means_coins(word) && world.who(who).gold > 0;
    Err(match word {
        "" => "You carry nothing.".into(),
        _ if coins => "How many coins? Say it with a number: 10 coins, or all coins.".into(),
        _ => not_carried(world, who, word),
    })
}

/// That one carries nothing that answers to a word; who has it on is told how to have it in hand.
pub fn not_carried(world: &World, who: CharacterId, word: &str) -> Refusal {
    let Some((slot, object)) = world.find_worn(who, word) else { return format!("You carry no {word}.").into() };
    let has = match slot {
        WearSlot::Wield => "wield",
        WearSlot::Hold | WearSlot::Light => "hold",
        _ => "wear",
    };
    format!("You {has} {}. To put it away: remove {word}", world.object(object).definite()).into()
}
