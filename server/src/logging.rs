//! The log on standard error: which events, and in which form.
//!
//! Invariants: in JSON every line of standard error is one object, panics and the program's last words too. That nobody
//! reads it, or that the disk it goes to is full, ends nothing.

use std::io::{IsTerminal, Write};
use std::sync::OnceLock;
use tracing_subscriber::Registry;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::reload;
use tracing_subscriber::util::SubscriberInitExt;

/// The form of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For eyes: time, level, what happened, fields.
    Text,
    /// For machines: one object a line, with `timestamp`, `level`, `fields.message` and all fields.
    Json,
}

/// Which events are written, of this process.
static EVENTS: OnceLock<reload::Handle<Targets, Registry>> = OnceLock::new();

/// What a filter says. Refuses one that cannot be read.
fn read(filter: &str) -> anyhow::Result<Targets> {
    // `EnvFilter` reads fields of spans too; it would bring a regex engine, and nobody here filters by fields.
    let no_filter = || {
        anyhow::anyhow!(
            "--log {filter:?} is no filter; try error, warn, info, debug or trace, or info,server::store=debug"
        )
    };
    // Any other word is taken for the name of a module that nobody has, and nothing is logged from then on.
    let is_part = |part: &str| match part.split_once('=') {
        Some((module, _)) => !module.trim().is_empty(),
        None => part.trim().parse::<LevelFilter>().is_ok_and(|_| !part.trim().is_empty()),
    };
    anyhow::ensure!(filter.split(',').all(is_part), no_filter());
    filter.parse::<Targets>().map_err(|_| no_filter())
}

/// Other events are written from here on. Refuses a filter that cannot be read, and goes on with the one there is.
pub fn refilter(filter: &str) -> anyhow::Result<()> {
    let events = read(filter)?;
    match EVENTS.get() {
        Some(handle) => Ok(handle.reload(events)?),
        None => anyhow::bail!("this process writes no log of its own"),
    }
}

/// From here on what is traced is written. Refuses a filter that cannot be read.
pub fn begin(filter: &str, format: Format) -> anyhow::Result<()> {
    let (events, handle) = reload::Layer::new(read(filter)?);
    // A process has one log.
    let _first = EVENTS.set(handle);
    let lines = tracing_subscriber::fmt::layer().with_writer(|| Unread).with_target(false);
    let subscriber = tracing_subscriber::registry().with(events);
    match format {
        Format::Text => subscriber.with(lines.with_ansi(std::io::stderr().is_terminal())).init(),
        Format::Json => {
            subscriber.with(lines.json().with_target(true)).init();
            std::panic::set_hook(Box::new(|panic| {
                let at = panic.location().map(ToString::to_string).unwrap_or_default();
                let what = panic.payload_as_str().unwrap_or("something that is no text");
                let backtrace = std::backtrace::Backtrace::capture();
                tracing::error!(at, %backtrace, "a panic: {what}");
            }));
        }
    }
    Ok(())
}

/// Standard error, whether or not it takes what is written: the library would print its failure there, and panic.
struct Unread;

impl Write for Unread {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        Ok(std::io::stderr().write(bytes).unwrap_or(bytes.len()))
    }

    fn flush(&mut self) -> std::io::Result<()> {
        let _unread = std::io::stderr().flush();
        Ok(())
    }
}

/// What a test's own thread traces.
#[cfg(test)]
pub mod testing {
    use parking_lot::Mutex;
    use std::io::Write;
    use std::sync::Arc;
    use tracing::subscriber::DefaultGuard;

    pub struct Overheard {
        written: Arc<Mutex<Vec<u8>>>,
        _until: DefaultGuard,
    }

    struct Page(Arc<Mutex<Vec<u8>>>);

    impl Write for Page {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    /// Keeps all that is traced on this thread, down to `trace`, until it is dropped.
    pub fn overhear() -> Overheard {
        let written: Arc<Mutex<Vec<u8>>> = Arc::default();
        let page = written.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::TRACE)
            .with_ansi(false)
            .with_writer(move || Page(page.clone()))
            .finish();
        Overheard { written, _until: tracing::subscriber::set_default(subscriber) }
    }

    impl Overheard {
        pub fn text(&self) -> String {
            String::from_utf8_lossy(&self.written.lock()).into_owned()
        }
    }
}
