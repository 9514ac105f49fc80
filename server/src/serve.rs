//! `dp-server run`: everything started in order, and stopped in the reverse.

use crate::accounts::Accounts;
use crate::cli::RunArgs;
use crate::content_files::read_world;
use crate::doors::{http, lobby::Lobby, telnet};
use crate::engine::Engine;
use crate::saving::{Saver, unix_ms};
use crate::state_dir::{Running, StateDir};
use crate::store::{Store, StoreOptions, characters, meta, sessions};
use anyhow::{Context, bail};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use world::World;
use world::content::Severity;
use world::rules::Rules;

/// Serials that are set aside in the database at a time: none is ever used twice, even after a crash.
const SERIAL_BLOCK: i64 = 1 << 20;
const SERIAL_COUNTER: &str = "next_serial";
/// How often it is looked whether the block will last.
const SERIAL_WATCH: Duration = Duration::from_secs(10);
/// How long a stop waits for the last saves.
const DRAIN_LONGEST: Duration = Duration::from_secs(20);

/// Runs until the process is asked to end.
pub async fn run(args: RunArgs) -> anyhow::Result<()> {
    let state = StateDir::open(&args.state_dir)?;
    let _claim = state.claim()?;
    let token = state.admin_token()?;
    let seed = match args.seed {
        Some(seed) => seed,
        None => crate::doors::lobby::random_u64(),
    };

    // The world is read on another thread while the database opens.
    let folder = args.world.clone();
    let start_room = args.start_room;
    let reading = tokio::task::spawn_blocking(move || read_world(&folder, start_room));
    let database = args.db.clone().unwrap_or_else(|| state.default_database());
    let store = Store::connect(&database, &StoreOptions::default()).await?;
    let (content, problems) = reading.await.context("reading the world")??;
    for problem in &problems.0 {
        match problem.kind {
            Severity::Error => tracing::error!("{problem}"),
            Severity::Warning => tracing::debug!("{problem}"),
        }
    }
    let errors = problems.0.iter().filter(|p| p.kind == Severity::Error).count();
    if errors > 0 && !args.lenient {
        bail!(
            "the world in {} has {errors} errors; `dp-server check --world {}` lists them, --lenient starts anyway",
            args.world.display(),
            args.world.display()
        );
    }
    if content.rooms.is_empty() {
        bail!("the world in {} has no rooms", args.world.display());
    }
    let counts = content.counts();

    sessions::end_all(&store, unix_ms()).await?;
    let mut world = World::new(Arc::new(content), Arc::new(Rules::built_in()), seed);
    // Numbers go on where the database knows them to have been: inputs, so that the next save is newer than the last;
    // serials, so that no instance id is ever used again.
    let first_serial = meta::counter(&store, SERIAL_COUNTER).await?;
    world.renumber(characters::newest_input(&store).await?, first_serial.max(0) as u64);
    let mut reserved = world.state.next_serial as i64 + SERIAL_BLOCK;
    meta::raise_counter(&store, SERIAL_COUNTER, reserved).await?;

    let http_listener = bind(args.http, "--http").await?;
    let telnet_listener = bind(args.telnet, "--telnet").await?;
    let running =
        Running { pid: std::process::id(), http: http_listener.local_addr()?, telnet: telnet_listener.local_addr()? };

    let saver = Saver::new(store.clone());
    tokio::spawn(saver.clone().run());
    let accounts = Accounts::new(store.clone());
    let (motd_world, limits) = (world.clone(), args.limits.clone());
    let engine = Engine::new(world, saver.clone());
    let lobby = Arc::new(Lobby::new(engine.clone(), accounts, saver.clone(), limits, &motd_world));
    drop(motd_world);
    tokio::spawn(engine.clone().flush_lazily());
    let ticking = (args.tick_ms > 0).then(|| {
        let interval = Duration::from_millis(args.tick_ms);
        tokio::spawn(engine.clone().tick_steadily(interval))
    });
    let people = tokio::spawn(telnet::accept(telnet_listener, lobby.clone()));
    let app = http::router(lobby.clone(), token).into_make_service_with_connect_info::<SocketAddr>();
    let programs = tokio::spawn(async move {
        let listener = axum::serve::ListenerExt::tap_io(http_listener, |stream| {
            // Without it a small frame may wait for the acknowledgement of the one before.
            let _best_effort = stream.set_nodelay(true);
        });
        axum::serve(listener, app).await
    });
    state.announce(&running)?;

    tracing::info!(
        rooms = counts.rooms,
        mobs = counts.mobs,
        objects = counts.objects,
        zones = counts.zones,
        seed,
        database = store.place(),
        "the world is up"
    );
    eprintln!(
        "The Flame is lit. People: telnet {} {}    Programs: ws://{}/ws    How it goes: http://{}/health",
        running.telnet.ip(),
        running.telnet.port(),
        running.http,
        running.http
    );
    println!("ready http={} telnet={}", running.http, running.telnet);

    let watch = async {
        loop {
            tokio::time::sleep(SERIAL_WATCH).await;
            let next = engine.with_world(|world| world.state.next_serial) as i64;
            if next + SERIAL_BLOCK / 2 > reserved {
                match meta::raise_counter(&store, SERIAL_COUNTER, next + SERIAL_BLOCK).await {
                    Ok(()) => reserved = next + SERIAL_BLOCK,
                    Err(error) => tracing::error!(%error, "no more instance numbers could be set aside"),
                }
            }
        }
    };
    tokio::select! {
        () = watch => {}
        () = engine.shutdown_requested() => tracing::info!("stopping: asked for"),
        () = signalled() => tracing::info!("stopping: signalled"),
        ended = programs => {
            ended.context("the HTTP door")?.context("the HTTP door failed")?;
        }
    }

    if let Some(ticking) = ticking {
        ticking.abort();
    }
    people.abort();
    engine.stop().await;
    let saved = saver.drain(DRAIN_LONGEST).await;
    // Sessions write their farewells meanwhile.
    tokio::time::sleep(Duration::from_millis(200)).await;
    let next = engine.with_world(|world| world.state.next_serial) as i64;
    if let Err(error) = meta::raise_counter(&store, SERIAL_COUNTER, next).await {
        tracing::warn!(%error, "the counter of instances was not brought up to date");
    }
    state.release();
    store.close().await;
    if !saved {
        bail!("{} characters could not be saved before the end; the log says why", saver.backlog());
    }
    tracing::info!("stopped; everybody is saved");
    Ok(())
}

async fn bind(address: SocketAddr, flag: &str) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.with_context(|| {
        format!(
            "opening the door {address}; is another server running? Choose another address with {flag}, port 0 for any"
        )
    })
}

#[cfg(unix)]
async fn signalled() {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut terminate), Ok(mut interrupt)) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}

#[cfg(not(unix))]
async fn signalled() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
