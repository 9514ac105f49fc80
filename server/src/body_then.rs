//! `dp-server hud`: what was on somebody's mind at a moment, from its log and the archives, and with `--live` what its
//! body saw then, from the journal.
//!
//! Invariants: nothing is written, so its server may be running; the body is told as its own variables had it right
//! after that tick ran. Where the journal does not reach there any more, that is said, and the mind is told all the
//! same.

use crate::minds::past::{HudArgs, tell};
use crate::past::{Moment, Timeline};
use crate::replay::PastArgs;
use crate::state_dir::{PlayedIn, StateArgs};
use anyhow::{Context, bail};
use mind::hud::origin::Origin;
use mind::hud::{ItemView, LiveView, MobView, PersonView, VarsView, WornView};
use mind::pressure::Density;
use mind::render;
use protocol::calendar::GameDate;
use protocol::payload::Word;
use world::World;

/// Prints both.
pub async fn run(which: &HudArgs, place: &StateArgs) -> anyhow::Result<()> {
    let PlayedIn { world, start_room, rules } = &which.played_in;
    if !which.live && (world.is_some() || start_room.is_some() || rules.is_some()) {
        bail!("--world, --start-room and --rules are for --live: a mind is told from its log alone");
    }
    let (tick, name) = tell(which, place).await?;
    if !which.live {
        return Ok(());
    }
    let args = PastArgs { state_dir: place.state_dir.clone(), played_in: which.played_in.clone() };
    let seeking = tokio::task::spawn_blocking(move || {
        let timeline = Timeline::open(args)?;
        anyhow::Ok(timeline.seek(Some(tick), &|| true)?)
    });
    let sought = seeking.await.context("looking for the world of then")?;
    let Moment { world, .. } = sought.context("what its body saw then cannot be told")?;
    let Some(live) = live_view(&world, &name) else {
        bail!("{} was not in the world at tick {tick}: there is nothing that its body saw", which.name);
    };
    let density = which.tier.map_or(Density::Full, |tier| tier.packed());
    let nodes = render::here_and_now(&live, &[], density);
    let text = render::render(&nodes, which.format);
    match which.why {
        true => {
            let origins = render::origins(&nodes, which.format, tick);
            print!("{}", render::why(text.lines().zip(origins.iter().map(Origin::to_string))));
        }
        false => print!("{text}"),
    }
    Ok(())
}

/// What somebody's variables had; `None`: they are not there. What only its client knows (a map, odds) is nowhere.
fn live_view(world: &World, name: &str) -> Option<LiveView> {
    let who = world.find_player(name)?;
    let one = world.character(who)?;
    let player = one.player()?;
    let state = world.state_for(who, None);
    let (date, room) = (GameDate::at(world.tick()), state.room);
    let mobs = world.room_mobs(who);
    let fighting = one.fighting.is_some().then(|| {
        let fought = mobs.iter().find(|mob| mob.fighting_me);
        fought.map_or_else(String::new, |mob| mob.name.to_string())
    });
    let is_open = |(_, how): &&(Word, Word)| &**how == "open";
    let doors = world.room_doors(who);
    let shut = doors.0.iter().filter(|door| !is_open(door));
    let exits = room.exits.iter().map(|exit| exit.to_string());
    let exits = exits.chain(shut.map(|(way, how)| format!("{way} ({how})"))).collect();
    let item = |target: &str, name: &str| ItemView { target: target.to_string(), name: name.to_string() };
    Some(LiveView {
        tick: world.tick(),
        date: format!("{date}, hour {}", date.hour),
        vars: VarsView {
            hp: Some(one.hit),
            hp_max: Some(one.now.hit_max),
            mana: Some(one.mana),
            mana_max: Some(one.now.mana_max),
            moves: Some(one.moves),
            moves_max: Some(one.now.move_max),
            level: Some(one.level),
            exp: Some(i64::from(player.experience)),
            gold: Some(i64::from(one.gold)),
            position: Some(one.position.name().to_string()),
            fighting,
            states: world.conditions_of(who).into_iter().map(str::to_string).collect(),
            practices: None,
            room_vnum: Some(room.vnum),
            room: Some(room.name.to_string()),
            description: Some(room.description.to_string()).filter(|text| !text.is_empty()),
            exits: Some(exits),
        },
        mobs: mobs
            .iter()
            .map(|mob| MobView {
                target: mob.target_string.to_string(),
                name: mob.name.to_string(),
                fighting: mob.fighting,
                fighting_me: mob.fighting_me,
                ..MobView::default()
            })
            .collect(),
        players: room.players.iter().map(|name| PersonView { name: name.to_string(), fighting: false }).collect(),
        items: world.room_items(who).iter().map(|found| item(&found.target_string, &found.name)).collect(),
        inventory: world.inventory_items(who).iter().map(|held| item(&held.target_string, &held.name)).collect(),
        equipment: world
            .equipment_items(who)
            .0
            .iter()
            .map(|(place, worn)| WornView { place: place.to_string(), name: worn.name.to_string() })
            .collect(),
        ..LiveView::default()
    })
}
