//! Who is in whose group, and who follows whom: look-ups only. What changes it is in `followers.rs`.

use crate::arena::CharacterId;
use crate::world::World;

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

    /// Members of the character's group in its room, itself included, in the order in which they joined.
    pub fn group_here(&self, who: CharacterId) -> Vec<CharacterId> {
        let character = self.who(who);
        if !character.grouped {
            return vec![who];
        }
        let leader = character.leader.unwrap_or(who);
        let mut members: Vec<CharacterId> = Vec::new();
        for id in std::iter::once(leader).chain(self.who(leader).followers.iter().copied()) {
            let c = self.who(id);
            if c.grouped && c.is_player() && c.room == character.room {
                members.push(id);
            }
        }
        if !members.contains(&who) {
            members.push(who);
        }
        members
    }
}
