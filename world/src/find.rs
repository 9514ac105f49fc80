//! Finding what a player means: `goblin`, `2.goblin`, `all`, `all.bread`, `me`. One resolver for the parser and for the
//! `target_string` of programs.
//!
//! An instance id (`mob_8031_407`) means that one and never another, so that what is clicked is what is struck.
//!
//! A word matches a thing when one of its keywords begins with it, without regard to case. Things with the word whole
//! among their keywords come before those of which it is only a beginning: `rat` is never the rat-catcher while a rat
//! is there. Among equals they are counted in the order in which lists show them; those that the seeker cannot see do
//! not count.

use crate::arena::{CharacterId, ObjectId};
use crate::refusal::Refusal;
use crate::world::World;
use content::words::WearSlot;
use content::{MobProto, RoomId, Text};
use protocol::instance::{Instance, UNMADE};
use std::collections::BTreeMap;

/// A word with its count: `2.sword`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Target<'a> {
    pub which: Which,
    /// Without the count; may be empty for a bare `all`.
    pub word: &'a str,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Which {
    /// From 1.
    Nth(usize),
    All,
}

impl<'a> Target<'a> {
    /// Never fails: `x.y` whose head is neither a number nor `all` is a plain word.
    pub fn parse(text: &'a str) -> Target<'a> {
        if text.eq_ignore_ascii_case("all") {
            return Target { which: Which::All, word: "" };
        }
        if let Some((head, word)) = text.split_once('.')
            && !word.is_empty()
        {
            if head.eq_ignore_ascii_case("all") {
                return Target { which: Which::All, word };
            }
            if let Ok(n) = head.parse::<usize>() {
                return Target { which: Which::Nth(n), word };
            }
        }
        Target { which: Which::Nth(1), word: text }
    }
}

/// True when a keyword begins with the word. An empty word matches nothing.
pub fn answers_to(keywords: &str, word: &str) -> bool {
    !word.is_empty()
        && keywords
            .split(' ')
            .any(|k| k.len() >= word.len() && k.as_bytes()[..word.len()].eq_ignore_ascii_case(word.as_bytes()))
}

/// Whether a word means a kind of mob of which one is made for who pays: by its id without a number of its own, or by
/// one of its keywords.
pub fn is_kind_meant(proto: &MobProto, word: &str) -> bool {
    match Instance::parse(word) {
        Some(id) => id == Instance::Mob { vnum: proto.vnum, serial: UNMADE },
        None => answers_to(&proto.keywords, word),
    }
}

/// True when the word is one of the keywords.
pub fn is_keyword(keywords: &str, word: &str) -> bool {
    !word.is_empty() && keywords.split(' ').any(|keyword| keyword.eq_ignore_ascii_case(word))
}

/// The nth (from 1) of those that answer to a word: first whose keyword it is, then of whose keyword it is a beginning.
/// `counts`: whether one that answers is to be counted.
fn nth_meant<'k, T: Copy>(
    all: impl Iterator<Item = (T, &'k str)>,
    word: &str,
    n: usize,
    counts: impl Fn(T) -> bool,
) -> Option<T> {
    let mut left = n.checked_sub(1)?;
    let mut begun = Vec::new();
    for (one, keywords) in all {
        if !answers_to(keywords, word) || !counts(one) {
            continue;
        }
        match is_keyword(keywords, word) {
            true if left == 0 => return Some(one),
            true => left -= 1,
            // Of a crowd, no more are needed.
            false if begun.len() < n => begun.push(one),
            false => {}
        }
    }
    begun.get(left).copied()
}

/// Whether each of the words typed begins the word of a name at its place: `cu li` begins `cure light`. No word begins
/// nothing.
pub fn begins_name(name: &str, typed: &str) -> bool {
    let mut words = name.split(' ');
    let mut parts = typed.split_whitespace().peekable();
    parts.peek().is_some() && parts.all(|part| words.next().is_some_and(|word| answers_to(word, part)))
}

/// Splits off the first word. The rest has no leading blanks.
pub fn first_word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    match text.find(char::is_whitespace) {
        Some(at) => (&text[..at], text[at..].trim_start()),
        None => (text, ""),
    }
}

/// Little words between those that name something.
pub const FILL_WORDS: [&str; 8] = ["in", "from", "with", "the", "on", "at", "to", "into"];

/// As `first_word`, skipping little words such as "from" and "the", when something follows them.
pub fn first_argument(text: &str) -> (&str, &str) {
    let (mut word, mut rest) = first_word(text);
    while !rest.is_empty() && FILL_WORDS.iter().any(|fill| fill.eq_ignore_ascii_case(word)) {
        (word, rest) = first_word(rest);
    }
    (word, rest)
}

impl World {
    /// Whether an id is this character's.
    pub fn is_instance(&self, who: CharacterId, id: Instance<'_>) -> bool {
        let character = self.who(who);
        match id {
            Instance::Mob { vnum, serial } => {
                character.serial == serial && self.mob_proto(who).is_some_and(|proto| proto.vnum == vnum)
            }
            Instance::Player(name) => character.is_player() && character.name.eq_ignore_ascii_case(name),
            Instance::Object { .. } => false,
        }
    }

    /// Whether a word without a count means this character, wherever it is: by its id or one of its keywords.
    pub fn is_meant(&self, who: CharacterId, word: &str) -> bool {
        match Instance::parse(word) {
            Some(id) => self.is_instance(who, id),
            None => answers_to(&self.who(who).keywords, word),
        }
    }

    /// The same of a thing.
    pub fn is_object_meant(&self, object: ObjectId, word: &str) -> bool {
        match Instance::parse(word) {
            Some(id) => self.is_object_instance(object, id),
            None => answers_to(&self.object(object).keywords, word),
        }
    }

    fn is_object_instance(&self, object: ObjectId, id: Instance<'_>) -> bool {
        let object = self.object(object);
        matches!(id, Instance::Object { vnum, serial } if object.vnum == vnum && object.serial == serial)
    }

    /// Somebody in the seeker's room, itself included.
    pub fn find_here(&self, seeker: CharacterId, text: &str) -> Option<CharacterId> {
        if text.eq_ignore_ascii_case("me") || text.eq_ignore_ascii_case("self") {
            return Some(seeker);
        }
        self.find_in(seeker, self.who(seeker).room, text)
    }

    /// Somebody in a room that the seeker can see into.
    pub fn find_in(&self, seeker: CharacterId, room: RoomId, text: &str) -> Option<CharacterId> {
        let dark = self.is_dark(room);
        if let Some(id) = Instance::parse(text) {
            let found = self.room(room).characters.iter().copied().find(|here| self.is_instance(*here, id));
            return found.filter(|found| *found == seeker || self.sees_in(seeker, *found, dark));
        }
        let target = Target::parse(text);
        let Which::Nth(n) = target.which else { return None };
        let here = self.room(room).characters.iter().map(|id| (*id, &*self.who(*id).keywords));
        nth_meant(here, target.word, n, |id| id == seeker || self.sees_in(seeker, id, dark))
    }

    /// Somebody in the room, or the sentence that nobody of that name is here.
    pub fn here(&self, seeker: CharacterId, text: &str) -> Result<CharacterId, Refusal> {
        self.find_here(seeker, text).ok_or_else(|| Refusal::new("There is nobody of that name here."))
    }

    /// Somebody in the room first, then a player anywhere, then a mob anywhere; for immortals and for tells to mobs.
    pub fn find_anywhere(&self, seeker: CharacterId, text: &str) -> Option<CharacterId> {
        if let Some(here) = self.find_here(seeker, text) {
            return Some(here);
        }
        if let Some(id) = Instance::parse(text) {
            let found = self.state.characters.iter().map(|(far, _)| far).find(|far| self.is_instance(*far, id));
            return found.filter(|found| self.sees(seeker, *found));
        }
        let target = Target::parse(text);
        let Which::Nth(n) = target.which else { return None };
        let mut left = n.checked_sub(1)?;
        if let Some(player) = self.find_player_seen(seeker, target.word) {
            if left == 0 {
                return Some(player);
            }
            left -= 1;
        }
        let mobs = self.state.characters.iter().filter(|(_, c)| c.is_mob()).map(|(id, c)| (id, &*c.keywords));
        nth_meant(mobs, target.word, left + 1, |id| self.sees(seeker, id))
    }

    /// A player anywhere whom the seeker can see: the exact name, else the first (by alphabet) that begins with it.
    pub fn find_player_seen(&self, seeker: CharacterId, name: &str) -> Option<CharacterId> {
        self.find_player_where(name, |id| self.sees(seeker, id))
    }

    /// The same for those who are far away, where eyes do not matter (`knows`): for tells, whois and the like.
    pub fn find_player_known(&self, seeker: CharacterId, name: &str) -> Option<CharacterId> {
        self.find_player_where(name, |id| self.knows(seeker, id))
    }

    fn find_player_where(&self, name: &str, fits: impl Fn(CharacterId) -> bool) -> Option<CharacterId> {
        if let Some(Instance::Player(name)) = Instance::parse(name) {
            return self.find_player(name).filter(|id| fits(*id));
        }
        let name = name.to_ascii_lowercase();
        if name.is_empty() {
            return None;
        }
        if let Some(id) = self.state.players.get(name.as_str()).copied().filter(|id| fits(*id)) {
            return Some(id);
        }
        // By the name that is shown, whole or the beginning of one of its words.
        let shown = self.state.channels.shown_as(&name).and_then(|person| self.state.channels.person(person));
        if let Some(id) = shown.and_then(|person| self.find_player(&person.name)).filter(|id| fits(*id)) {
            return Some(id);
        }
        self.players_named(&name).find(|id| fits(*id)).or_else(|| {
            let answers = |id: &&CharacterId| {
                let character = self.who(**id);
                character.player().is_some_and(|player| player.display.is_some())
                    && answers_to(&character.keywords, &name)
                    && fits(**id)
            };
            self.state.players.values().find(answers).copied()
        })
    }

    /// Names of the players whom programs play, the link-dead among them, by alphabet.
    pub fn agents(&self) -> impl Iterator<Item = &Text> {
        let characters = self.state.players.values().filter_map(|id| self.character(*id));
        characters.filter(|c| c.player().is_some_and(|player| player.agent)).map(|c| &c.name)
    }

    /// Players whose name begins with the word, which is lower case, by alphabet.
    pub fn players_named(&self, word: &str) -> impl Iterator<Item = CharacterId> {
        self.state
            .players
            .range::<str, _>((std::ops::Bound::Included(word), std::ops::Bound::Unbounded))
            .take_while(move |(key, _)| key.starts_with(word))
            .map(|(_, id)| *id)
    }

    /// The nth visible thing of a list that answers to the word.
    pub fn find_object_in(&self, seeker: CharacterId, list: &[ObjectId], text: &str) -> Option<ObjectId> {
        let dark = self.is_dark(self.who(seeker).room);
        if let Some(id) = Instance::parse(text) {
            let found = list.iter().copied().find(|object| self.is_object_instance(*object, id));
            return found.filter(|found| self.sees_object_in(seeker, *found, dark));
        }
        let target = Target::parse(text);
        let Which::Nth(n) = target.which else { return None };
        let list = list.iter().map(|id| (*id, &*self.object(*id).keywords));
        nth_meant(list, target.word, n, |id| self.sees_object_in(seeker, id, dark))
    }

    /// Every visible thing of a list that `all` or `all.word` means, in order; for a counted word at most one.
    pub fn find_objects_in(&self, seeker: CharacterId, list: &[ObjectId], text: &str) -> Vec<ObjectId> {
        let target = Target::parse(text);
        if target.which != Which::All {
            return self.find_object_in(seeker, list, text).into_iter().collect();
        }
        let dark = self.is_dark(self.who(seeker).room);
        list.iter()
            .copied()
            .filter(|id| target.word.is_empty() || answers_to(&self.object(*id).keywords, target.word))
            .filter(|id| self.sees_object_in(seeker, *id, dark))
            .collect()
    }

    /// Any thing in the world with this id, seen or not.
    pub fn find_object_anywhere(&self, id: Instance<'_>) -> Option<ObjectId> {
        self.state.objects.iter().map(|(object, _)| object).find(|object| self.is_object_instance(*object, id))
    }

    pub fn find_carried(&self, seeker: CharacterId, text: &str) -> Option<ObjectId> {
        self.find_object_in(seeker, &self.who(seeker).carrying, text)
    }

    pub fn find_on_floor(&self, seeker: CharacterId, text: &str) -> Option<ObjectId> {
        self.find_object_in(seeker, &self.room(self.who(seeker).room).objects, text)
    }

    /// Something worn, with its place.
    pub fn find_worn(&self, seeker: CharacterId, text: &str) -> Option<(WearSlot, ObjectId)> {
        let list: Vec<ObjectId> = self.who(seeker).worn.iter().map(|(_, o)| *o).collect();
        let found = self.find_object_in(seeker, &list, text)?;
        self.who(seeker).worn.iter().find(|(_, o)| *o == found).copied()
    }

    /// Carried first, then on the floor, then worn: where most verbs look for a thing. `2.sword` counts on across them.
    pub fn find_near(&self, seeker: CharacterId, text: &str) -> Option<ObjectId> {
        let character = self.who(seeker);
        let list: Vec<ObjectId> = character
            .carrying
            .iter()
            .copied()
            .chain(self.room(character.room).objects.iter().copied())
            .chain(character.worn.iter().map(|(_, o)| *o))
            .collect();
        self.find_object_in(seeker, &list, text)
    }
}

/// What to type to mean each of a list of things, here and now: `guard`, `2.guard`. One goes through the list in the
/// order in which the resolver counts it, as its seeker sees it, and passes each entry, so that a floor or a crowd of
/// thousands is one walk.
#[derive(Clone, Debug, Default)]
pub struct TargetNames {
    /// By word in lower case: those that were passed and have it among their keywords. Of whose keywords a word is only
    /// the beginning come after all of these.
    counts: BTreeMap<String, Namesakes>,
    passed: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Namesakes {
    count: usize,
    /// The number of the entry that was counted last: a keyword that one thing has twice counts once.
    last: usize,
}

impl TargetNames {
    /// `named`: the keywords of whatever is to be named by `next`. Others may be passed too.
    pub fn of<'a>(named: impl Iterator<Item = &'a str>) -> TargetNames {
        let words = named.map(naming_word).filter(|word| !word.is_empty());
        let counts = words.map(|word| (word.to_ascii_lowercase(), Namesakes::default())).collect();
        TargetNames { counts, passed: 0 }
    }

    /// What to type for the next entry, which is passed by this. Its keywords were among those of `of`.
    pub fn next(&mut self, keywords: &str) -> String {
        let word = naming_word(keywords);
        let before = self.counts.get(&word.to_ascii_lowercase()).map_or(0, |namesakes| namesakes.count);
        self.pass(keywords);
        match before {
            0 => word.to_string(),
            n => format!("{}.{word}", n + 1),
        }
    }

    /// An entry that is not to be named, but counts.
    pub fn pass(&mut self, keywords: &str) {
        self.passed += 1;
        let keywords = keywords.to_ascii_lowercase();
        for keyword in keywords.split(' ') {
            if let Some(namesakes) = self.counts.get_mut(keyword)
                && namesakes.last != self.passed
            {
                namesakes.count += 1;
                namesakes.last = self.passed;
            }
        }
    }
}

/// The keyword that names a thing best: the first that is not an article.
pub fn naming_word(keywords: &str) -> &str {
    keywords
        .split(' ')
        .find(|k| !k.is_empty() && !["a", "an", "the", "of"].contains(&k.to_ascii_lowercase().as_str()))
        .unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_a_count_and_a_word() {
        for (text, which, word) in [
            ("goblin", Which::Nth(1), "goblin"),
            ("2.goblin", Which::Nth(2), "goblin"),
            ("all", Which::All, ""),
            ("ALL.bread", Which::All, "bread"),
            ("st.john", Which::Nth(1), "st.john"),
            ("2.", Which::Nth(1), "2."),
            ("0.rat", Which::Nth(0), "rat"),
            ("", Which::Nth(1), ""),
        ] {
            assert_eq!(Target::parse(text), Target { which, word }, "{text}");
        }
    }

    #[test]
    fn a_keyword_answers_to_its_beginning() {
        assert!(answers_to("goblin small", "go"));
        assert!(answers_to("goblin small", "SMALL"));
        assert!(!answers_to("goblin small", "all"));
        assert!(!answers_to("goblin", ""));
        assert!(answers_to("Æthel", "Æth"));
    }

    #[test]
    fn a_whole_keyword_comes_before_the_beginning_of_another() {
        let here = ["rat-catcher tam", "ratling", "rat grey", "crate", "rat"];
        let nth = |word: &str, n: usize| nth_meant(here.iter().copied().enumerate(), word, n, |at| at != 1);
        assert_eq!(
            [1, 2, 3, 4].map(|n| nth("rat", n)),
            [Some(2), Some(4), Some(0), None],
            "who is not seen is not counted"
        );
        assert_eq!([0, 1, 2].map(|n| nth("ra", n)), [None, Some(0), Some(2)]);
        assert_eq!(nth("", 1), None);
    }

    #[test]
    fn names_given_in_one_walk_are_those_of_counting_all_before() {
        let kinds = ["goblin small", "go board", "GOBLIN", "the goblet gold", "a", "", "small goat small", "Æthel go"];
        let list: Vec<&str> = (0..200).map(|n| kinds[(n * n + n / 3) % kinds.len()]).collect();
        let mut names = TargetNames::of(list.iter().copied());
        for (at, keywords) in list.iter().enumerate() {
            let word = naming_word(keywords);
            let expected = match list[..at].iter().filter(|earlier| is_keyword(earlier, word)).count() {
                0 => word.to_string(),
                n => format!("{}.{word}", n + 1),
            };
            assert_eq!(names.next(keywords), expected, "entry {at}, {keywords:?}");
        }
    }

    #[test]
    fn little_words_are_skipped_only_before_something() {
        assert_eq!(first_argument("from the bag"), ("bag", ""));
        assert_eq!(first_argument("in"), ("in", ""));
        assert_eq!(first_argument("bread from bag"), ("bread", "from bag"));
    }
}
