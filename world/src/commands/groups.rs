//! Verbs of following and of groups: follow, group, ungroup, gsay, report, split. What they change is in
//! `followers.rs`.

use crate::arena::CharacterId;
use crate::coins::split_coins;
use crate::commands::talk;
use crate::find::first_argument;
use crate::page::{Page, cell};
use crate::refusal::{Done, Refusal};
use crate::report::{LineKind, Style};
use crate::world::World;
use content::flags::*;
use std::sync::Arc;

pub fn follow(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, _) = first_argument(args);
    if word.is_empty() {
        return Err("Whom do you want to follow?".into());
    }
    let leader = world.here(who, word)?;
    if leader == who {
        let c = world.who(who);
        if c.is(AffectFlags::CHARM) && c.leader.is_some() {
            return Err(ONE_MASTER.into());
        }
        if c.leader.is_none() {
            return Err("You follow nobody but yourself.".into());
        }
        world.stop_following(who);
        return Ok(());
    }
    may_go_behind(world, who, leader)?;
    world.disband(who);
    world.stop_following(who);
    world.start_following(who, leader);
    Ok(())
}

const ONE_MASTER: &str = "You cannot imagine following anybody but your master.";

/// What keeps somebody from following another.
pub(super) fn may_go_behind(world: &World, who: CharacterId, leader: CharacterId) -> Done {
    let c = world.who(who);
    if c.is(AffectFlags::CHARM) && c.leader.is_some() {
        return Err(ONE_MASTER.into());
    }
    if c.leader == Some(leader) {
        return Err(format!("You follow {} already.", world.who(leader).object_pronoun()).into());
    }
    if world.follows(leader, who) {
        return Err("Somebody has to walk in front, and it is you already.".into());
    }
    world.may_follow(who, leader)
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
            world.take_in(who, member);
        }
        return Ok(());
    }
    let other = world.here(who, word)?;
    if other == who {
        return Err("You lead whoever you take in: group <follower>, or group all.".into());
    }
    let c = world.who(other);
    let name = crate::act::capitalised(c.shown());
    if c.leader != Some(who) {
        return Err(format!("{name} has to follow you first.").into());
    }
    if c.is_mob() {
        return Err("Only players join a group. The others come along as they are.".into());
    }
    if c.grouped {
        return Err(format!("{name} is in your group already.").into());
    }
    world.take_in(who, other);
    Ok(())
}

/// The group with everybody's state.
fn group_page(world: &World, who: CharacterId) -> Result<Page, Refusal> {
    let Some(leader) = world.group_leader(who) else {
        return Err("You are in no group. Follow somebody who leads one, or take your followers in: group all".into());
    };
    let mut page = Page::kind(LineKind::Group).laid_out_for(world.who(who));
    page.line(Style::Heading, "Your group:");
    for member in world.group_members(leader) {
        let c = world.who(member);
        // Short, so that a row fits a window of 80 columns.
        let near = if c.room == world.who(who).room { "" } else { ", away" };
        let leads = if member == leader { ", leads" } else { "" };
        let of = |now: i32, most: i32, what: &str| format!("{now:>4}/{most:<4} {what} ");
        page.row(
            2,
            &[
                cell(20, format!("{}{leads}{near} ", c.shown())),
                cell(9, format!("level {}", c.level)),
                cell(0, of(c.hit, c.now.hit_max, "hp")),
                cell(0, of(c.mana, c.now.mana_max, "mana")),
                cell(0, of(c.moves, c.now.move_max, "moves").trim_end().to_string()),
            ],
        );
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
    let found = world.group_members(leader).into_iter().find(|id| world.is_meant(*id, word));
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
    world.may_be_heard(who)?;
    let Some(leader) = world.group_leader(who) else { return Err("You are in no group that could listen.".into()) };
    let words = talk::whole_words(args, "What do you want to tell your group?")?;
    let id = world.person_of(leader).and_then(|leader| world.party_channel(leader));
    let Some(id) = id else { return Err("You are in no group that could listen.".into()) };
    world.utter(who, id, words, None)
}

/// Says aloud how one is.
pub fn report(world: &mut World, who: CharacterId, _: &str) -> Done {
    let c = world.who(who);
    let text = format!(
        "{} of {} hit points, {} of {} mana, {} of {} moves.",
        c.hit, c.now.hit_max, c.mana, c.now.mana_max, c.moves, c.now.move_max
    );
    talk::say_words(world, who, ["report", "reports"], &text)
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
