//! Who follows whom, how many may, and the steps of a party that goes along with its leader.
//!
//! A group (`commands/grouping.rs`) is made of followers; walking itself is in `commands/travel.rs`.
//! Invariants: `leader` and `followers` change only here, together, and nobody follows itself by way of others. Nothing
//! here recurses: an old save may hold a chain of any length, so every walk is over a list and has an end.

use crate::act::Scene;
use crate::arena::CharacterId;
use crate::character::{Link, PlayerFlags};
use crate::effects;
use crate::refusal::Done;
use crate::report::LineKind;
use crate::world::World;
use content::RoomId;
use content::flags::AffectFlags;
use content::words::{Direction, Position};
use protocol::Outcome;

/// Characters who follow one leader directly.
pub const FOLLOWERS_MAX: usize = 20;
/// Followers of followers: so many stand one behind the other, besides the one in front.
pub const FOLLOWING_DEPTH_MAX: usize = 5;
/// Characters in a party, its leader included. What one step costs grows with the square of this (each of the party
/// sees each other come and go), so it is also what one step takes along of a longer chain from an older save.
pub const PARTY_MAX: usize = 40;

impl World {
    /// The leader of the group that `who` is in, itself perhaps.
    pub fn group_leader(&self, who: CharacterId) -> Option<CharacterId> {
        let c = self.who(who);
        c.grouped.then(|| c.leader.unwrap_or(who))
    }

    /// Everybody in the group of `leader`, wherever they are: the leader, then the others as they joined.
    pub fn group_members(&self, leader: CharacterId) -> Vec<CharacterId> {
        let followers = self.who(leader).followers.iter().copied();
        std::iter::once(leader).chain(followers.filter(|id| self.who(*id).grouped)).collect()
    }

    /// True when `who` follows `leader`, or follows somebody who does.
    pub fn follows(&self, who: CharacterId, leader: CharacterId) -> bool {
        let mut at = who;
        while let Some(next) = self.character(at).and_then(|c| c.leader) {
            if next == leader {
                return true;
            }
            at = next;
        }
        false
    }

    /// Whether `leader` lets anybody follow it, and there is room for `who` and its own followers in the party. The
    /// caller makes sure that no loop comes of it.
    pub fn may_follow(&self, who: CharacterId, leader: CharacterId) -> Done {
        let l = self.who(leader);
        if l.player_flags().has(PlayerFlags::NO_FOLLOW) {
            return Err(
                format!("{} wants nobody at {} heels.", crate::act::capitalised(&l.name), l.possessive()).into()
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
        assert!(self.who(who).leader.is_none() && !self.follows(leader, who), "{who:?} cannot follow {leader:?}");
        self.who_mut(who).leader = Some(leader);
        self.who_mut(leader).followers.push(who);
        self.record_dealing(who, leader);
        let outcome = self.note(Outcome::Followed { who: self.as_who(who), leader: Some(self.as_who(leader)) });
        let scene = Scene::new(who, LineKind::Text).victim(leader).hidden().outcome(&outcome);
        // Whoever is followed is told, by whomever: steps are heard where nobody is seen.
        self.show(&scene, "You follow $N now.", "$n follows you now.", "$n follows $N now.");
    }

    /// `who` follows nobody any more, and is in nobody's group; a charm is broken by it. Does nothing without a leader.
    pub fn stop_following(&mut self, who: CharacterId) {
        self.part_from_leader(who, true);
    }

    /// `told`: those who stand about are told too, not only the two.
    fn part_from_leader(&mut self, who: CharacterId, told: bool) {
        let Some(leader) = self.who(who).leader else { return };
        self.leave_group(who);
        self.who_mut(who).leader = None;
        self.who_mut(leader).followers.retain(|id| *id != who);
        let outcome = self.note(Outcome::Followed { who: self.as_who(who), leader: None });
        let scene = Scene::new(who, LineKind::Text).victim(leader).hidden().outcome(&outcome);
        let noticed = if self.sees(leader, who) { "$n stops following you." } else { "" };
        self.show(&scene, "You stop following $N.", noticed, if told { "$n stops following $N." } else { "" });
        if effects::affects::end(self, who, AffectFlags::CHARM) {
            self.send(who, LineKind::Text, "Your will is your own again.");
        }
    }

    /// Nobody follows `who` any more, nor it anybody, and its group breaks up: it dies, or leaves the world.
    pub fn part_ways(&mut self, who: CharacterId) {
        self.disband(who);
        self.stop_following(who);
        self.shake_off(who, |_| true);
    }

    /// Those of `who`'s followers whom `which` means follow it no more.
    fn shake_off(&mut self, who: CharacterId, which: impl Fn(&crate::character::Character) -> bool) {
        let followers = self.who(who).followers.clone();
        // A crowd from an older save parts without a word to the bystanders, or the lines would be its square.
        let told = followers.len() <= FOLLOWERS_MAX;
        for follower in followers.into_iter().filter(|id| which(self.who(*id))).collect::<Vec<_>>() {
            self.part_from_leader(follower, told);
        }
    }

    /// `who` wants no followers any more. What it has charmed stays.
    pub(crate) fn send_followers_away(&mut self, who: CharacterId) {
        self.shake_off(who, |c| c.is_player());
    }

    /// Those behind `leader`, which just went from `from` on that way, go after it; and those behind them. In the order
    /// in which they joined, each with its own followers behind it.
    pub(crate) fn bring_followers(&mut self, leader: CharacterId, from: RoomId, way: Direction) {
        let behind = |world: &World, leader: CharacterId| -> Vec<(CharacterId, CharacterId)> {
            world.who(leader).followers.iter().rev().map(|follower| (*follower, leader)).collect()
        };
        let mut waiting = behind(self, leader);
        let mut walked = 1;
        while let Some((follower, leader)) = waiting.pop() {
            let Some(f) = self.character(follower) else { continue };
            // Where nobody is at the keys, the body stays.
            let absent = f.player().is_some_and(|player| player.link != Link::Linked);
            let able = f.leader == Some(leader) && f.room == from && f.position >= Position::Standing && !absent;
            if !able || !self.sees_in(follower, leader, self.is_dark(from)) {
                continue;
            }
            if walked == PARTY_MAX {
                let text =
                    format!("There are too many in the way, and you lose {}.", self.who(leader).object_pronoun());
                self.send(follower, LineKind::Refusal, text);
                continue;
            }
            walked += 1;
            if self.who(follower).is_player() {
                let text = format!("You follow {}.", self.who(leader).name);
                self.send(follower, LineKind::Text, text);
            }
            match self.walk_alone(follower, way, false) {
                // Whoever walked into its death leads nobody any more.
                Ok(()) => waiting
                    .extend(self.character(follower).is_some().then(|| behind(self, follower)).into_iter().flatten()),
                Err(refusal) => self.send(follower, LineKind::Refusal, refusal.0),
            }
        }
    }
}
