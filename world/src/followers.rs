//! Who follows whom and how many may, and groups: a leader and those of its followers whom it took in.
//!
//! The verbs are in `commands/groups.rs`, the steps of a party in `movement.rs`. Source: game reference §2.7.
//! Invariants: `leader` and `followers` mirror each other and form no loop; only a leader who follows nobody has a
//! group, and `grouped` is set on it and on each member. Only this file writes the three fields.
//! Nothing here recurses: an old save may hold a chain of any length, so every walk is over a list and has an end.

use crate::act::Scene;
use crate::arena::CharacterId;
use crate::character::PlayerFlags;
use crate::effects::affects;
use crate::mounts;
use crate::refusal::Done;
use crate::report::{Line, LineKind, Touch};
use crate::world::World;
use content::flags::AffectFlags;
use protocol::Outcome;
use protocol::happening::Help;
use std::sync::Arc;

/// The word for all that follow somebody, where one of them might be named.
pub const ALL: &str = "followers";
/// Characters who follow one leader directly.
pub const FOLLOWERS_MAX: usize = 20;
/// Followers of followers: so many stand one behind the other, besides the one in front.
pub const FOLLOWING_DEPTH_MAX: usize = 5;
/// Characters in a party, its leader included. What one step costs grows with the square of this (each of the party
/// sees each other come and go), so it is also what one step takes along of a longer chain from an older save.
pub const PARTY_MAX: usize = 40;

/// Who reads that somebody does not follow its leader any more.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    All,
    /// Those two, and none of those who stand about.
    Both,
    Nobody,
}

impl World {
    /// Who answers for what somebody does: of a charmed mob, the player whom it serves.
    pub fn answers_for(&self, who: CharacterId) -> CharacterId {
        let c = self.who(who);
        let master = c.leader.filter(|_| c.is_mob() && c.is(AffectFlags::CHARM));
        master.filter(|master| self.character(*master).is_some_and(|master| master.is_player())).unwrap_or(who)
    }

    /// Whether `leader` lets anybody follow it, and there is room for `who` and its own followers in the party. The
    /// caller makes sure that no loop comes of it.
    pub fn may_follow(&self, who: CharacterId, leader: CharacterId) -> Done {
        let l = self.who(leader);
        if l.player_flags().has(PlayerFlags::NO_FOLLOW) {
            return Err(
                format!("{} wants nobody at {} heels.", crate::act::capitalised(l.shown()), l.possessive()).into()
            );
        }
        if l.followers.len() >= FOLLOWERS_MAX {
            return Err(format!("Too many follow {} already.", l.object_pronoun()).into());
        }
        let (front, above) = self.front_of(leader);
        if above + self.party_height(who) > FOLLOWING_DEPTH_MAX {
            return Err("That line is long enough: nobody at its end could see who walks in front.".into());
        }
        // Who changes its place within a party makes it no bigger.
        let joins = self.front_of(who).0 != front;
        if joins && self.party_size(front) + self.party_size(who) > PARTY_MAX {
            return Err("Too many walk together already.".into());
        }
        Ok(())
    }

    /// Who walks in front of `who`'s party, and how many steps up from `who` that is: 0 for who follows nobody. Looks
    /// no farther than a party may be deep.
    fn front_of(&self, who: CharacterId) -> (CharacterId, usize) {
        let (mut at, mut steps) = (who, 0);
        while let Some(next) = self.who(at).leader.filter(|_| steps <= FOLLOWING_DEPTH_MAX) {
            (at, steps) = (next, steps + 1);
        }
        (at, steps)
    }

    /// How many stand one behind the other below the leader of `who`, itself included: at least 1. Looks no farther
    /// than a party may be deep or big.
    fn party_height(&self, who: CharacterId) -> usize {
        let mut row = vec![who];
        let mut height = 0;
        while !row.is_empty() && height <= FOLLOWING_DEPTH_MAX {
            height += 1;
            row = row.iter().flat_map(|id| self.who(*id).followers.iter().copied()).take(PARTY_MAX).collect();
        }
        height
    }

    /// `who` and everybody behind it, but never more than one above `PARTY_MAX`.
    fn party_size(&self, who: CharacterId) -> usize {
        let (mut party, mut at) = (vec![who], 0);
        while at < party.len() && party.len() <= PARTY_MAX {
            party.extend(self.who(party[at]).followers.iter().copied().take(PARTY_MAX));
            at += 1;
        }
        party.len().min(PARTY_MAX + 1)
    }

    /// `who`, which follows nobody, follows `leader` from now on. The caller makes sure that no loop comes of it.
    pub fn start_following(&mut self, who: CharacterId, leader: CharacterId) {
        self.go_behind(who, leader, true);
    }

    /// The same, and nobody else notices.
    pub fn start_shadowing(&mut self, who: CharacterId, leader: CharacterId) {
        self.go_behind(who, leader, false);
    }

    fn go_behind(&mut self, who: CharacterId, leader: CharacterId, told: bool) {
        assert!(self.who(who).leader.is_none() && !self.follows(leader, who), "{who:?} cannot follow {leader:?}");
        self.who_mut(who).leader = Some(leader);
        self.who_mut(leader).followers.push(who);
        if told {
            self.record_dealing(who, leader);
        }
        let outcome = self.note(Outcome::Followed { who: self.as_who(who), leader: Some(self.as_who(leader)) });
        let scene = Scene::new(who, LineKind::Text).victim(leader).hidden().outcome(&outcome);
        // Whoever is followed is told, by whomever: steps are heard where nobody is seen.
        let [followed, room] = if told { ["$n follows you now.", "$n follows $N now."] } else { [""; 2] };
        self.show(&scene, "You follow $N now.", followed, room);
    }

    /// `who` follows nobody any more, and is in nobody's group; a charm is broken by it. Does nothing without a leader.
    pub fn stop_following(&mut self, who: CharacterId) {
        self.part_from_leader(who, Told::All);
    }

    /// The same of who leaves the world together with its leader, of which the caller tells. That sets nobody free.
    pub(crate) fn unlink_follower(&mut self, who: CharacterId) {
        self.part_from_leader(who, Told::Nobody);
    }

    fn part_from_leader(&mut self, who: CharacterId, told: Told) {
        let Some(leader) = self.who(who).leader else { return };
        self.leave_group(who);
        self.who_mut(who).leader = None;
        self.who_mut(leader).followers.retain(|id| *id != who);
        let outcome = self.note(Outcome::Followed { who: self.as_who(who), leader: None });
        let scene = Scene::new(who, LineKind::Text).victim(leader).hidden().outcome(&outcome);
        if told == Told::Nobody {
            return self.witness(&scene);
        }
        let noticed = if self.sees(leader, who) { "$n stops following you." } else { "" };
        let seen = if told == Told::All { "$n stops following $N." } else { "" };
        self.show(&scene, "You stop following $N.", noticed, seen);
        if affects::end(self, who, AffectFlags::CHARM) {
            let outcome = self.note(Outcome::Freed { who: self.as_who(who) });
            let scene = Scene::new(who, LineKind::Text).sleepers().outcome(&outcome);
            self.witness(&scene);
            self.send(who, LineKind::Text, "Your will is your own again.");
        }
    }

    /// A line for everybody in the group; they know each other's names wherever they are.
    fn tell_group(&mut self, leader: CharacterId, outcome: &Arc<Outcome>, text: impl Fn(CharacterId) -> String) {
        for member in self.group_members(leader) {
            let (text, outcome) = (text(member), Some(outcome.clone()));
            self.send_line(member, Arc::new(Line { kind: LineKind::Group, text, outcome, ..Line::default() }));
        }
    }

    /// A follower of `leader` joins its group, which begins with it where there was none.
    pub(crate) fn take_in(&mut self, leader: CharacterId, member: CharacterId) {
        if !self.who(leader).grouped {
            self.who_mut(leader).grouped = true;
        }
        self.who_mut(member).grouped = true;
        self.party_joins(leader, member);
        let outcome = self.note(Outcome::Grouped { who: self.as_who(member), leader: self.as_who(leader) });
        let hp_percent = self.hp_percent(member);
        self.record_help(leader, member, Help::Grouped, Some(hp_percent));
        let (leads, joins) = (self.who(leader).shown().clone(), self.who(member).shown().clone());
        self.tell_group(leader, &outcome, |reader| match reader {
            reader if reader == leader => format!("{joins} is in your group now."),
            reader if reader == member => format!("You are in {leads}'s group now."),
            _ => format!("{joins} is in the group now."),
        });
    }

    /// A member goes of its own accord. Does nothing for who is in no group or leads one.
    pub(crate) fn leave_group(&mut self, who: CharacterId) {
        self.ungroup_member(who, "has left the group");
    }

    /// Takes a member out of its group; `what` it did, for the others. A leader who is left alone leads nobody.
    /// Does nothing for who is in no group or leads one.
    pub(crate) fn ungroup_member(&mut self, who: CharacterId, what: &str) {
        let Some(leader) = self.group_leader(who).filter(|leader| *leader != who) else { return };
        let outcome = self.note(Outcome::Ungrouped { who: self.as_who(who), leader: self.as_who(leader) });
        self.record_parting(who, leader);
        let name = self.who(who).shown().clone();
        self.tell_group(leader, &outcome, |member| match member == who {
            true => "You are no longer in the group.".to_string(),
            false => format!("{name} {what}."),
        });
        let members = self.group_members(leader);
        self.report.touched.extend(members.into_iter().map(|member| (member, Touch::Party)));
        self.who_mut(who).grouped = false;
        self.party_parts(leader, who);
        if self.group_members(leader).len() == 1 {
            self.who_mut(leader).grouped = false;
            self.send(leader, LineKind::Group, "You have nobody left to lead.");
        }
    }

    /// The group that `leader` leads breaks up; its members go on following. Does nothing for who leads no group.
    pub fn disband(&mut self, leader: CharacterId) {
        if self.group_leader(leader) != Some(leader) {
            return;
        }
        let members = self.group_members(leader);
        self.party_ends(leader);
        for member in members {
            self.who_mut(member).grouped = false;
            let outcome = (member != leader)
                .then(|| self.note(Outcome::Ungrouped { who: self.as_who(member), leader: self.as_who(leader) }));
            if member != leader {
                self.record_parting(member, leader);
            }
            let text = "The group breaks up.".to_string();
            if self.who(member).is_player() {
                let line = Line { kind: LineKind::Group, text, outcome, ..Line::default() };
                self.send_line(member, Arc::new(line));
            }
        }
    }

    /// Nobody follows `who` any more, nor it anybody, and its group breaks up: it leaves the world.
    pub fn part_ways(&mut self, who: CharacterId) {
        self.disband(who);
        self.stop_following(who);
        self.shake_off(who, |_| true);
    }

    /// A death ends charms: those that `who` has cast, and the one that it is under. Its group, its animals and its
    /// company wait for it.
    pub(crate) fn free_charmed(&mut self, who: CharacterId) {
        if self.who(who).is(AffectFlags::CHARM) {
            self.stop_following(who);
        }
        self.shake_off(who, |c| c.is(AffectFlags::CHARM) && !mounts::is_pet(c));
    }

    /// Those of `who`'s followers whom `which` means follow it no more.
    fn shake_off(&mut self, who: CharacterId, which: impl Fn(&crate::character::Character) -> bool) {
        let followers = self.who(who).followers.clone();
        // A crowd from an older save parts without a word to the bystanders, or the lines would be its square.
        let told = if followers.len() <= FOLLOWERS_MAX { Told::All } else { Told::Both };
        for follower in followers.into_iter().filter(|id| which(self.who(*id))).collect::<Vec<_>>() {
            self.part_from_leader(follower, told);
        }
    }

    /// `who` wants no followers any more. What it has charmed stays.
    pub(crate) fn send_followers_away(&mut self, who: CharacterId) {
        self.shake_off(who, |c| c.is_player());
    }
}
