//! `dp-server plot`: what stood on a plot after some tick, drawn as text or as a picture. The state folder is only
//! read, and its server may be running.

use crate::replay::{Past, PastArgs};
use anyhow::Context;
use plot::Picture;
use protocol::names::clean_text;
use std::io::Write;
use std::path::PathBuf;
use world::World;

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
    /// As this entry of its memo left it
    #[arg(long, value_name = "N", requires = "svg")]
    pub entry: Option<u32>,
    /// The same JSON as the variable `PLOT`, with the whole memo
    #[arg(long, requires = "room", conflicts_with = "svg")]
    pub json: bool,
}

/// Runs the subcommand.
pub fn run(args: &PlotArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let world = Past::find(&args.past, args.tick)?.world_after(args.tick)?;
    let Some(vnum) = args.room else { return list(&world, out) };
    if let Some(file) = &args.svg {
        let drawn = picture(&world, vnum, args.entry).map_err(|why| match why {
            NoPicture::NoPlot => anyhow::anyhow!(absent(&world, vnum)),
            why => why.into(),
        })?;
        std::fs::write(file, drawn).with_context(|| format!("writing {}", file.display()))?;
        writeln!(out, "Drew {} after tick {}.", file.display(), world.tick())?;
        return Ok(());
    }
    let ground = world.plot_at(vnum).with_context(|| absent(&world, vnum))?;
    let kinds = &world.content.plot_kinds;
    let seen = world.plot_told(vnum, &ground.plot, plot::KEPT);
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&seen)?)?;
        return Ok(());
    }
    writeln!(out, "{}, room {vnum}: {}", clean_text(&seen.title), about(&ground.plot, world.tick()))?;
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

/// The plot of a room as an SVG file, as it stands, or as an entry of its memo left it.
pub fn picture(world: &World, room: i32, entry: Option<u32>) -> Result<String, NoPicture> {
    let ground = world.plot_at(room).ok_or(NoPicture::NoPlot)?;
    let (plot, kinds) = (&ground.plot, &world.content.plot_kinds);
    let scene = entry.map(|entry| plot.scene(entry).map_err(NoPicture::NoEntry)).transpose()?;
    let grid = scene.as_ref().unwrap_or_else(|| plot.grid());
    let task = world.content.plot_task(&plot.task);
    let told = match entry {
        Some(entry) => format!("as of entry {entry}, rule {}", plot.rule.word()),
        None => about(plot, world.tick()),
    };
    // What waits and what is contested is of now, and so are the axes.
    let pending = plot.pending().iter().filter(|_| scene.is_none());
    let pending: Vec<plot::Cell> = pending.flat_map(|pending| pending.request.cells()).collect();
    let contested = if scene.is_none() { plot.contested(world.tick()) } else { Vec::new() };
    Ok(plot::svg(&Picture {
        title: &plot.title,
        about: &told,
        grid,
        kinds,
        axes: scene.is_none().then(|| plot.axes()),
        task: task.map(|task| (&*task.title, task.score(grid, kinds))),
        contested: &contested,
        pending: &pending,
    }))
}

/// Why there is nothing to draw.
#[derive(Debug, thiserror::Error)]
pub enum NoPicture {
    #[error("there is no plot in that room")]
    NoPlot,
    #[error("{0}")]
    NoEntry(plot::Refusal),
}

/// `revision 12, rule consent, tick 900`.
fn about(plot: &plot::Plot, tick: u64) -> String {
    format!("revision {}, rule {}, tick {tick}", plot.revision(), plot.rule.word())
}

fn list(world: &World, out: &mut dyn Write) -> anyhow::Result<()> {
    let plots = world.plots();
    if plots.is_empty() {
        writeln!(out, "This world has no plots at tick {}.", world.tick())?;
    }
    for (vnum, ground) in plots {
        let (title, standing) = (clean_text(&ground.plot.title), ground.plot.grid().len());
        writeln!(out, "{vnum:>6}  {title}: {standing} standing, {}", about(&ground.plot, world.tick()))?;
    }
    Ok(())
}

fn absent(world: &World, room: i32) -> String {
    let rooms: Vec<String> = world.plots().iter().map(|(room, _)| room.to_string()).collect();
    match rooms.is_empty() {
        true => format!("room {room} has no plot at tick {}, and neither has any other", world.tick()),
        false => format!("room {room} has no plot at tick {}; these have one: {}", world.tick(), rooms.join(", ")),
    }
}
