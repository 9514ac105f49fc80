//! `dp-server plot`: what stood on a plot after some tick, drawn as text or as a picture. The state folder is only
//! read, and its server may be running.

use crate::plot_png;
use crate::replay::{Past, PastArgs};
use anyhow::Context;
use content::{Content, Vnum};
use plot::Picture;
use protocol::names::clean_text;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use world::World;
use world::ground::Ground;

#[derive(Clone, Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("picture").args(["svg", "png"]).multiple(true)))]
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
    /// Draw it into this file, as PNG
    #[arg(long, value_name = "FILE", requires = "room")]
    pub png: Option<PathBuf>,
    /// As this entry of its memo left it, for a picture
    #[arg(long, value_name = "N", requires = "picture")]
    pub entry: Option<u32>,
    /// The same JSON as the variable `PLOT`, with the whole memo
    #[arg(long, requires = "room", conflicts_with = "picture")]
    pub json: bool,
}

/// Runs the subcommand.
pub fn run(args: &PlotArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let world = Past::find(&args.past, args.tick)?.world_after(args.tick)?;
    let Some(vnum) = args.room else { return list(&world, out) };
    if args.svg.is_some() || args.png.is_some() {
        let standing = Standing::of(&world, vnum).with_context(|| absent(&world, vnum))?;
        let mut write = |file: &Path, drawn: Vec<u8>| {
            std::fs::write(file, drawn).with_context(|| format!("writing {}", file.display()))?;
            anyhow::Ok(writeln!(out, "Drew {} after tick {}.", file.display(), world.tick())?)
        };
        if let Some(file) = &args.svg {
            write(file, standing.svg(args.entry)?.into_bytes())?;
        }
        if let Some(file) = &args.png {
            write(file, standing.png(args.entry)?)?;
        }
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

/// What stands on a plot at one moment, to be drawn when the world has gone on.
pub struct Standing {
    ground: Arc<Ground>,
    content: Arc<Content>,
    tick: u64,
}

impl Standing {
    /// `None`: the room has no plot.
    pub fn of(world: &World, room: Vnum) -> Option<Standing> {
        Some(Standing { ground: world.plot_at(room)?, content: world.content.clone(), tick: world.tick() })
    }

    /// As an SVG file, as it stands, or as an entry of its memo left it.
    pub fn svg(&self, entry: Option<u32>) -> Result<String, NoPicture> {
        self.show(entry, plot::svg)
    }

    /// The same as a PNG file. It takes milliseconds: not for where others wait.
    pub fn png(&self, entry: Option<u32>) -> Result<Vec<u8>, NoPicture> {
        Ok(self.show(entry, plot_png::png)??)
    }

    fn show<T>(&self, entry: Option<u32>, draw: impl FnOnce(&Picture) -> T) -> Result<T, NoPicture> {
        let (plot, kinds) = (&self.ground.plot, &self.content.plot_kinds);
        let scene = entry.map(|entry| plot.scene(entry).map_err(NoPicture::NoEntry)).transpose()?;
        let grid = scene.as_ref().unwrap_or_else(|| plot.grid());
        let task = self.content.plot_task(&plot.task);
        let told = match entry {
            Some(entry) => format!("as of entry {entry}, rule {}", plot.rule.word()),
            None => about(plot, self.tick),
        };
        // What waits and what is contested is of now, and so are the axes.
        let pending = plot.pending().iter().filter(|_| scene.is_none());
        let pending: Vec<plot::Cell> = pending.flat_map(|pending| pending.request.cells()).collect();
        let contested = if scene.is_none() { plot.contested(self.tick) } else { Vec::new() };
        Ok(draw(&Picture {
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
}

/// Why nothing is drawn.
#[derive(Debug, thiserror::Error)]
pub enum NoPicture {
    #[error("{0}")]
    NoEntry(plot::Refusal),
    #[error("the picture could not be drawn: {0:#}")]
    Failed(#[from] anyhow::Error),
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
