//! Whom minds meant that differed, as far as what happened since tells: who is there only the scene knows, and it is
//! gone by then.

use super::lines::{Line, Stance};
use crate::happenings::Deed;
use protocol::happening::{Happening, Role};
use protocol::outcome::Who;

/// Letters of a word from which on it may be the beginning of a name, as the game takes it.
const ABBREVIATED_FROM: usize = 3;
/// Words that name nobody, and stand in many names.
const NO_NAMES: [&str; 6] = ["a", "an", "the", "of", "some", "all"];

/// One of those whom the records name: whom all of the lines mean, else whom one of them does. Where none of them names
/// anybody, and one would fight on or flee, whom the owner fought. With the record that names it.
pub fn meant<'h>(lines: &[&str], happened: &[&'h Happening]) -> Option<(&'h Who, &'h Happening)> {
    if lines.is_empty() {
        return None;
    }
    let lines: Vec<Line> = lines.iter().map(|line| Line::of(line)).collect();
    let known = |who: &&Who| !who.id.is_empty() && !who.name.is_empty();
    let named = |one: &&'h Happening| {
        let one: &'h Happening = one;
        one.others().chain(&one.witnesses).filter(known).map(move |who| (who, one))
    };
    let all = || happened.iter().flat_map(|one| named(one));
    let by_all = all().find(|(who, _)| lines.iter().all(|line| line.names(&who.name)));
    let by_one = || all().find(|(who, _)| lines.iter().any(|line| line.names(&who.name)));
    let fought = || {
        let fights =
            lines.iter().any(|line| line.flees() || line.stance() == Some(Stance::Attack) && line.rest().is_empty());
        let own = happened.iter().filter(|one| one.role != Role::Saw && Deed::of(&one.what).is_fight());
        own.filter(|_| fights).flat_map(|one| one.others().filter(known).map(move |who| (who, *one))).next()
    };
    by_all.or_else(by_one).or_else(fought)
}

impl Line<'_> {
    /// Whether one of its words is a word of the name, or begins one: `kill 2.trol` names a troll.
    fn names(&self, name: &str) -> bool {
        if self.request().is_some() {
            return false;
        }
        let words = self.rest().split_whitespace().map(|word| word.rsplit_once('.').map_or(word, |(_, word)| word));
        let typed = words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase());
        let lower = name.to_lowercase();
        let of_name: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        typed.filter(|word| !word.is_empty() && !NO_NAMES.contains(&word.as_str())).any(|word| {
            let begins = word.chars().count() >= ABBREVIATED_FROM;
            of_name.iter().any(|one| *one == word || (begins && one.starts_with(&word)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::happening::{Place, What};
    use protocol::outcome::WhoKind;

    fn who(id: &str, name: &str, kind: WhoKind) -> Who {
        Who { id: id.into(), name: name.into(), kind, level: 5 }
    }

    fn happening(role: Role, what: What, witnesses: Vec<Who>) -> Happening {
        let room = Place { vnum: 1, name: "The Square".into() };
        Happening { what, role, room, witnesses, social_event_id: None, novel: false, valence: None }
    }

    #[test]
    fn whom_lines_mean_is_told_by_what_happened() {
        let (me, bob) = (who("player_me", "Me", WhoKind::Player), who("player_bob", "Bob", WhoKind::Player));
        let mob = |number: u32, name: &str| who(&format!("mob_{number}_1"), name, WhoKind::Mob);
        let met = happening(Role::Did, What::Met { who: me.clone(), other: mob(3, "the old miller") }, vec![bob]);
        let fled = What::Fled { who: me.clone(), hp_percent: 20, from: Some(mob(1, "a cave troll")) };
        let fled = happening(Role::Did, fled, Vec::new());
        let unseen = What::Wounded { who: me.clone(), hp_percent: 9, by: Some(mob(2, "a wolf").unseen()) };
        let unseen = happening(Role::Suffered, unseen, Vec::new());
        let seen = What::Killed { victim: mob(4, "a rat"), killer: None, xp: 0 };
        let seen = happening(Role::Saw, seen, Vec::new());
        let happened = [&seen, &unseen, &met, &fled];
        for (lines, name) in [
            (["kill troll", "flee"], Some("a cave troll")),
            (["flee", "kill 2.trol"], Some("a cave troll")),
            (["give bread miller", "kill miller"], Some("the old miller")),
            (["give bread miller", "kill cave"], Some("the old miller")),
            (["kill troll", "give bread to 'troll'"], Some("a cave troll")),
            (["kill bob", "give bread bob"], Some("Bob")),
            (["bash", "flee"], Some("a cave troll")),
            (["flee west", "kick dragon"], Some("a cave troll")),
            (["west", "sleep"], None),
            (["kill tr", "sleep"], None),
            (["look the end", "rest"], None),
            (["kill dragon", "look the end"], None),
            (["say a mill, of all things", "rest"], Some("the old miller")),
            (["build add house 1,1 called Miller's", "build add mill 1,1"], None),
        ] {
            let found = meant(&lines, &happened);
            assert_eq!(found.map(|(who, _)| &*who.name), name, "{lines:?}");
            let told = found.is_none_or(|(who, one)| one.others().chain(&one.witnesses).any(|other| other == who));
            assert!(told, "{lines:?}");
        }
        assert_eq!(meant(&["kill wolf", "flee"], &[&unseen]), None, "it was not seen");
        assert_eq!(meant(&["kill wolf", "flee"], &[]), None);
        assert_eq!(meant(&[], &happened), None, "nobody knows any more what was proposed");
    }
}
