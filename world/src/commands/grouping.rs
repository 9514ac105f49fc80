//! Following, and groups: a leader and those of its followers whom it took in.
//!
//! Invariant: `leader` and `followers` mirror each other and form no loop; only a leader who follows nobody has a
//! group, and `grouped` is set on it and on each member. Only this file writes the three fields. Source: game
//! reference §2.7.

use crate::arena::CharacterId;
use crate::commands::{Page, talking};
use crate::find::first_argument;
use crate::recording::Hearers;
use crate::refusal::{Done, Refusal};
use crate::report::{Line, LineKind, Style};
use crate::world::World;
use content::flags::*;
use protocol::Outcome;
use protocol::happening::Help;
use std::sync::Arc;

pub fn follow(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, _) = first_argument(args);
    if word.is_empty() {
        return Err("Whom do you want to follow?".into());
    }
    let leader = world.here(who, word)?;
    let c = world.who(who);
    if c.is(AffectFlags::CHARM) && c.leader.is_some() {
        return Err("You cannot imagine following anybody but your master.".into());
    }
    if leader == who {
        if c.leader.is_none() {
            return Err("You follow nobody but yourself.".into());
        }
        world.stop_following(who);
        return Ok(());
    }
    if c.leader == Some(leader) {
        return Err(format!("You follow {} already.", world.who(leader).object_pronoun()).into());
    }
    if world.follows(leader, who) {
        return Err("Somebody has to walk in front, and it is you already.".into());
    }
    world.may_follow(who, leader)?;
    world.disband(who);
    world.stop_following(who);
    world.start_following(who, leader);
    Ok(())
}

impl World {
    /// A line for everybody in the group; they know each other's names wherever they are.
    fn tell_group(&mut self, leader: CharacterId, outcome: &Arc<Outcome>, text: impl Fn(CharacterId) -> String) {
        for member in self.group_members(leader) {
            let (text, outcome) = (text(member), Some(outcome.clone()));
            self.send_line(member, Arc::new(Line { kind: LineKind::Group, text, outcome, ..Line::default() }));
        }
    }

    /// A member goes of its own accord. Does nothing for who is in no group or leads one.
    pub(crate) fn leave_group(&mut self, who: CharacterId) {
        self.ungroup_member(who, "has left the group");
    }

    /// Takes a member out of its group; `what` it did, for the others. A leader who is left alone leads nobody.
    /// Does nothing for who is in no group or leads one.
    fn ungroup_member(&mut self, who: CharacterId, what: &str) {
        let Some(leader) = self.group_leader(who).filter(|leader| *leader != who) else { return };
        let outcome = self.note(Outcome::Ungrouped { who: self.as_who(who), leader: self.as_who(leader) });
        self.record_parting(who, leader);
        let name = self.who(who).name.clone();
        self.tell_group(leader, &outcome, |member| match member == who {
            true => "You are no longer in the group.".to_string(),
            false => format!("{name} {what}."),
        });
        self.who_mut(who).grouped = false;
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
}

pub fn group(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, _) = first_argument(args);
    if word.is_empty() {
        let page = group_page(world, who)?;
        world.send_line(who, Arc::new(page.into_line()));
        return Ok(());
    }
    if let Some(leader) = world.who(who).leader {
        let name = world.name_for(who, leader);
        return Err(format!("You follow {name}. Only who follows nobody can lead a group.").into());
    }
    if word.eq_ignore_ascii_case("all") {
        let room = world.who(who).room;
        let new: Vec<CharacterId> = world
            .who(who)
            .followers
            .iter()
            .copied()
            .filter(|id| {
                let c = world.who(*id);
                c.is_player() && !c.grouped && c.room == room
            })
            .collect();
        if new.is_empty() {
            return Err("Nobody follows you here who is not in your group already.".into());
        }
        for member in new {
            take_in(world, who, member);
        }
        return Ok(());
    }
    let other = world.here(who, word)?;
    if other == who {
        return Err("You lead whoever you take in: group <follower>, or group all.".into());
    }
    let c = world.who(other);
    let name = crate::act::capitalised(&c.name);
    if c.leader != Some(who) {
        return Err(format!("{name} has to follow you first.").into());
    }
    if c.is_mob() {
        return Err("Only players join a group. The others come along as they are.".into());
    }
    if c.grouped {
        return Err(format!("{name} is in your group already.").into());
    }
    take_in(world, who, other);
    Ok(())
}

fn take_in(world: &mut World, leader: CharacterId, member: CharacterId) {
    if !world.who(leader).grouped {
        world.who_mut(leader).grouped = true;
    }
    world.who_mut(member).grouped = true;
    let outcome = world.note(Outcome::Grouped { who: world.as_who(member), leader: world.as_who(leader) });
    let hp_percent = world.hp_percent(member);
    world.record_help(leader, member, Help::Grouped, Some(hp_percent));
    let (leads, joins) = (world.who(leader).name.clone(), world.who(member).name.clone());
    world.tell_group(leader, &outcome, |reader| match reader {
        reader if reader == leader => format!("{joins} is in your group now."),
        reader if reader == member => format!("You are in {leads}'s group now."),
        _ => format!("{joins} is in the group now."),
    });
}

/// The group with everybody's state.
fn group_page(world: &World, who: CharacterId) -> Result<Page, Refusal> {
    let Some(leader) = world.group_leader(who) else {
        return Err("You are in no group. Follow somebody who leads one, or take your followers in: group all".into());
    };
    let mut page = Page::kind(LineKind::Group);
    page.line(Style::Heading, "Your group:");
    for member in world.group_members(leader) {
        let c = world.who(member);
        let near = if c.room == world.who(who).room { "" } else { ", elsewhere" };
        let leads = if member == leader { ", leading" } else { "" };
        page.say(format!(
            "  {:<20} level {:<2}  {:>4}/{:<4} hp {:>4}/{:<4} mana {:>4}/{:<4} moves{leads}{near}",
            c.name, c.level, c.hit, c.now.hit_max, c.mana, c.now.mana_max, c.moves, c.now.move_max
        ));
    }
    Ok(page)
}

pub fn ungroup(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, _) = first_argument(args);
    let Some(leader) = world.group_leader(who) else { return Err("You are in no group.".into()) };
    if word.is_empty() {
        if leader == who {
            world.disband(who);
        } else {
            world.leave_group(who);
        }
        return Ok(());
    }
    if leader != who {
        return Err("Only the leader puts people out. Without a name, ungroup takes you out.".into());
    }
    // Members may be anywhere, so they are found by name rather than by sight.
    let found =
        world.group_members(leader).into_iter().find(|id| crate::find::answers_to(&world.who(*id).keywords, word));
    match found {
        None => Err("There is nobody of that name in your group.".into()),
        Some(member) if member == who => {
            world.disband(who);
            Ok(())
        }
        Some(member) => {
            world.ungroup_member(member, "is put out of the group");
            world.stop_following(member);
            Ok(())
        }
    }
}

pub fn gsay(world: &mut World, who: CharacterId, args: &str) -> Done {
    let Some(leader) = world.group_leader(who) else { return Err("You are in no group that could listen.".into()) };
    let words = talking::words(args, "What do you want to tell your group?")?;
    let outcome = talking::said(world, who, "group", None, words);
    let hearers: Vec<CharacterId> = world.group_members(leader).into_iter().filter(|member| *member != who).collect();
    world.record_words(who, Hearers::Group(&hearers), words);
    let from = world.who(who).name.clone();
    let line = |text: String| {
        let (from, outcome) = (Some(from.clone()), Some(outcome.clone()));
        Arc::new(Line { kind: LineKind::Group, from, text, outcome, ..Line::default() })
    };
    let own = if talking::repeats(world, who) { format!("You tell the group, \"{words}\"") } else { "Said.".into() };
    let others = line(format!("{from} tells the group, \"{words}\""));
    world.send_line(who, line(own));
    for member in hearers {
        world.send_line(member, others.clone());
    }
    Ok(())
}

/// Says aloud how one is.
pub fn report(world: &mut World, who: CharacterId, _: &str) -> Done {
    let c = world.who(who);
    let text = format!(
        "{} of {} hit points, {} of {} mana, {} of {} moves.",
        c.hit, c.now.hit_max, c.mana, c.now.mana_max, c.moves, c.now.move_max
    );
    talking::say_as(world, who, ["report", "reports"], &text)
}

pub fn split(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, _) = first_argument(args);
    let Ok(coins) = word.parse::<i32>() else { return Err("How many coins do you want to share out?".into()) };
    if coins <= 0 {
        return Err("That is not a sum that anybody could share.".into());
    }
    if coins > world.who(who).gold {
        return Err("You do not have that much.".into());
    }
    let members = world.group_here(who).len();
    if members < 2 {
        return Err("There is nobody of your group here to share with.".into());
    }
    if coins < members as i32 {
        return Err("That is less than a coin for each.".into());
    }
    split_coins(world, who, coins);
    Ok(())
}

/// Shares coins that `who` has with its group in the room, in equal parts; what does not divide stays with it. Does
/// nothing where there is nobody to share with or less than a coin for each.
pub fn split_coins(world: &mut World, who: CharacterId, coins: i32) {
    let members = world.group_here(who);
    let share = coins.min(world.who(who).gold) / members.len().max(1) as i32;
    if members.len() < 2 || share < 1 {
        return;
    }
    let giver = world.who(who).name.clone();
    for member in members.iter().copied().filter(|id| *id != who) {
        // Nobody's purse overflows; the rest stays where it is.
        let share = share.min(i32::MAX - world.who(member).gold);
        world.who_mut(who).gold -= share;
        world.who_mut(member).gold += share;
        let outcome = world.note(Outcome::Given {
            giver: world.as_who(who),
            receiver: world.as_who(member),
            item: None,
            gold: Some(i64::from(share)),
        });
        world.record_share(who, member);
        let text = format!("{giver} shares out gold: {share} {} for you.", coins_word(share));
        world.send_line(
            member,
            Arc::new(Line { kind: LineKind::Group, text, outcome: Some(outcome), ..Line::default() }),
        );
    }
    let text = format!("You share out gold: {share} {} for each of {}.", coins_word(share), members.len());
    world.send(who, LineKind::Group, text);
}

fn coins_word(n: i32) -> &'static str {
    if n == 1 { "coin" } else { "coins" }
}
