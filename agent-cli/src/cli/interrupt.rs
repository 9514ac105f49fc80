//! What asks a program to end: Ctrl-C, or the polite signal.
//!
//! Invariant: whoever listens hears each signal that came since it began to, also one that came while it did something
//! else. A listener that is made anew for each wait would miss that one, and the program would play on.

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Made once, before anything that may take long.
pub struct Interrupts {
    #[cfg(unix)]
    signals: Option<(Signal, Signal)>,
}

impl Interrupts {
    #[cfg(unix)]
    pub fn listen() -> Interrupts {
        let both = signal(SignalKind::interrupt()).and_then(|int| Ok((int, signal(SignalKind::terminate())?)));
        if let Err(error) = &both {
            tracing::warn!("signals cannot be heard; only being killed ends this: {error}");
        }
        Interrupts { signals: both.ok() }
    }

    #[cfg(not(unix))]
    pub fn listen() -> Interrupts {
        Interrupts {}
    }

    /// The next signal. What came while nobody waited counts as one.
    #[cfg(unix)]
    pub async fn next(&mut self) {
        let Some((int, term)) = &mut self.signals else { return std::future::pending().await };
        tokio::select! {
            _ = int.recv() => {}
            _ = term.recv() => {}
        }
    }

    #[cfg(not(unix))]
    pub async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::process::Command;
    use std::time::Duration;

    #[tokio::test]
    async fn what_came_while_nobody_waited_is_heard() {
        let mut interrupts = Interrupts::listen();
        let pid = std::process::id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().expect("there is a kill").success());
        // Something else is done meanwhile, and the runtime takes the signal in.
        tokio::time::sleep(Duration::from_millis(200)).await;
        tokio::time::timeout(Duration::from_secs(5), interrupts.next()).await.expect("it was not lost");
        let more = tokio::time::timeout(Duration::from_millis(50), interrupts.next()).await;
        assert!(more.is_err(), "it came once");
    }
}
