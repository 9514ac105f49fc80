//! `dp-server plot`: what stood on a plot after some tick, drawn as text or as a picture. The state folder is only read,
//! and its server may be running.

use crate::replay::{Past, PastArgs};
use anyhow::Context;
use plot::Picture;
use protocol::names::clean_text;
use std::io::Write;
use std::path::PathBuf;
use world::World;

/// Entries of a memo that are printed: all that a plot keeps.
const MEMO: usize = plot::KEPT;

#[derive(Clone, Debug, clap::Args)]
pub struct PlotArgs {
    #[command(flatten)]
    pub past: PastArgs,
    /// The vnum of its room [default: list all plots]
    #[arg(long, value_name = "VNUM")]
    pub room: Option<i32>,
    /// As it stood after this tick [default: the newest that the journal holds]
    #[arg(long, value_name = "TICK")]
    pub tick: Option<u64>,
    /// Draw it into this file, as SVG
    #[arg(long, value_name = "FILE", requires = "room")]
    pub svg: Option<PathBuf>,
    /// The same JSON as the variable `PLOT`, with the whole memo
    #[arg(long, requires = "room", conflicts_with = "svg")]
    pub json: bool,
}

/// Runs the subcommand.
pub fn run(args: &PlotArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let world = Past::find(&args.past, args.tick)?.world_after(args.tick)?;
    let Some(vnum) = args.room else { return list(&world, out) };
    if let Some(file) = &args.svg {
        let drawn = picture(&world, vnum).with_context(|| absent(&world, vnum))?;
        std::fs::write(file, drawn).with_context(|| format!("writing {}", file.display()))?;
        writeln!(out, "Drew {} after tick {}.", file.display(), world.tick())?;
        return Ok(());
    }
    let room = world.content.room_id(vnum).with_context(|| absent(&world, vnum))?;
    let ground = world.plot_of(room).with_context(|| absent(&world, vnum))?;
    let kinds = &world.content.plot_kinds;
    let seen = world.plot_told(vnum, &ground.plot, MEMO);
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&seen)?)?;
        return Ok(());
    }
    writeln!(out, "{}, room {vnum}: {}", clean_text(&seen.title), about(&world, vnum))?;
    for line in plot::grid_lines(ground.plot.grid(), kinds) {
        writeln!(out, "{line}")?;
    }
    let legend = plot::legend_line(ground.plot.grid(), kinds);
    if !legend.is_empty() {
        writeln!(out, "{legend}")?;
    }
    if let Some(task) = &seen.task {
        writeln!(out, "{}: {} of 1000", clean_text(&task.name), task.score)?;
    }
    for row in ground.plot.axes().rows() {
        writeln!(out, "  {} {} : {} {}", row.inner, row.pair[0], row.pair[1], row.outer)?;
    }
    for entry in &seen.memo {
        let content = clean_text(&entry.content);
        writeln!(out, "#{} tick {}, {} to {}: {content}", entry.n, entry.tick, entry.from, entry.to)?;
    }
    Ok(())
}

/// The plot of a room as an SVG file; `None` where there is none.
pub fn picture(world: &World, room: i32) -> Option<String> {
    let ground = world.plot_of(world.content.room_id(room)?)?;
    let plot = &ground.plot;
    let kinds = &world.content.plot_kinds;
    let pending: Vec<plot::Cell> = plot.pending().iter().flat_map(|pending| pending.request.cells()).collect();
    let task = world.content.plot_task(&plot.task);
    Some(plot::svg(&Picture {
        title: &plot.title,
        about: &about(world, room),
        grid: plot.grid(),
        kinds,
        axes: Some(plot.axes()),
        task: task.map(|task| (&*task.title, task.score(plot.grid(), kinds))),
        contested: &plot.contested(world.tick()),
        pending: &pending,
    }))
}

/// `revision 12, rule consent, tick 900`.
fn about(world: &World, room: i32) -> String {
    let ground = world.content.room_id(room).and_then(|room| world.plot_of(room));
    let told = ground.map(|ground| format!("revision {}, rule {}, ", ground.plot.revision(), ground.plot.rule.word()));
    format!("{}tick {}", told.unwrap_or_default(), world.tick())
}

/// The rooms that have one, in order.
fn rooms(world: &World) -> Vec<i32> {
    let vnums = world.content.rooms.iter().map(|room| room.vnum);
    let has_plot = |vnum: &i32| world.content.room_id(*vnum).is_some_and(|room| world.plot_title(room).is_some());
    vnums.filter(has_plot).collect()
}

fn list(world: &World, out: &mut dyn Write) -> anyhow::Result<()> {
    let rooms = rooms(world);
    if rooms.is_empty() {
        writeln!(out, "This world has no plots at tick {}.", world.tick())?;
    }
    for vnum in rooms {
        let ground = world.content.room_id(vnum).and_then(|room| world.plot_of(room));
        if let Some(ground) = ground {
            let (title, standing) = (clean_text(&ground.plot.title), ground.plot.grid().len());
            writeln!(out, "{vnum:>6}  {title}: {standing} standing, {}", about(world, vnum))?;
        }
    }
    Ok(())
}

fn absent(world: &World, room: i32) -> String {
    let rooms: Vec<String> = rooms(world).iter().map(i32::to_string).collect();
    match rooms.is_empty() {
        true => format!("room {room} has no plot at tick {}, and neither has any other", world.tick()),
        false => format!("room {room} has no plot at tick {}; these have one: {}", world.tick(), rooms.join(", ")),
    }
}
