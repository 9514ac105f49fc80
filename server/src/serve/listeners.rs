//! What listens: opening the sockets or taking them over from the program before, and the tasks that accept by them.

use crate::args::{JournalMode, RunArgs};
use crate::lobby::Lobby;
use crate::observatory::Observatory;
use crate::past_process::PastProcess;
use crate::replay::PastArgs;
use crate::restart::{Handover, Inherited, Use};
use crate::state_dir::{PlayedIn, Running};
use crate::transports::browser_origin::Origins;
use crate::transports::http_server::HttpServer;
use crate::transports::streams::Streams;
use crate::transports::tls::Certificate;
use crate::transports::{http, telnet};
use anyhow::Context;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// How long calls of the admin API may take to be answered when the server ends.
const ANSWER_LONGEST: Duration = Duration::from_secs(1);

/// The sockets that listen, each by its name, which is that of its flag. What is kept of each is a second descriptor:
/// it keeps the socket open when nobody accepts by it any more, and is handed over.
#[derive(Default)]
pub struct Listeners(Vec<(&'static str, std::net::TcpListener)>);

/// What accepts by them.
pub struct Open {
    pub http: TcpListener,
    pub telnet: TcpListener,
    /// HTTPS and telnets, where there is a certificate.
    pub secure: Option<(TcpListener, TcpListener)>,
}

impl Listeners {
    /// Opens all that the arguments name.
    pub async fn open(args: &RunArgs, inherited: &mut Inherited, secure: bool) -> anyhow::Result<(Listeners, Open)> {
        let mut listeners = Listeners::default();
        let http = listeners.listen(inherited, "http", args.http).await?;
        let telnet = listeners.listen(inherited, "telnet", args.telnet).await?;
        let secure = match secure {
            true => Some((
                listeners.listen(inherited, "https", args.tls.https()).await?,
                listeners.listen(inherited, "telnets", args.tls.telnets()).await?,
            )),
            false => None,
        };
        Ok((listeners, Open { http, telnet, secure }))
    }

    /// Opens one, or goes on with one that is open already.
    async fn listen(
        &mut self,
        inherited: &mut Inherited,
        name: &'static str,
        address: SocketAddr,
    ) -> anyhow::Result<TcpListener> {
        let listener = match inherited.listener(name) {
            Some(listener) => listener,
            None => {
                let bound = TcpListener::bind(address).await.with_context(|| {
                    format!(
                        "opening the door {address}; is another server running? Choose another address with --{name}, \
                         port 0 for any"
                    )
                })?;
                bound.into_std().context("sharing a listener")?
            }
        };
        let kept = listener.try_clone().context("sharing a listener")?;
        listener.set_nonblocking(true).context("sharing a listener")?;
        self.0.push((name, kept));
        TcpListener::from_std(listener).context("watching a listener")
    }

    pub fn hand_over(self, handover: &mut Handover) {
        for (name, listener) in self.0 {
            handover.add(listener.into(), Use::Listener(name.to_string()));
        }
    }
}

impl Open {
    /// Where the server can be reached.
    pub fn running(&self, dreaming_dir: &Path) -> std::io::Result<Running> {
        Ok(Running {
            pid: std::process::id(),
            http: self.http.local_addr()?,
            telnet: self.telnet.local_addr()?,
            https: self.secure.as_ref().map(|(https, _)| https.local_addr()).transpose()?,
            telnets: self.secure.as_ref().map(|(_, telnets)| telnets.local_addr()).transpose()?,
            dreaming_dir: Some(std::path::absolute(dreaming_dir)?),
        })
    }

    /// Accepts people and programs from now on.
    pub fn accept(
        self,
        args: &RunArgs,
        lobby: &Arc<Lobby>,
        streams: Arc<Streams>,
        certificate: Option<&Certificate>,
        origins: Arc<Origins>,
        admin_token: String,
    ) -> (Vec<JoinHandle<()>>, Programs) {
        let settings = Arc::new(args.transports.clone());
        let mut people = vec![tokio::spawn(telnet::accept(self.telnet, lobby.clone(), settings.clone()))];
        let (closing, closed) = watch::channel(false);
        let observatory = Observatory::open(lobby.engine.clone(), lobby.accounts.store().clone(), args.watch.clone());
        // The journal names the world that it was played in.
        let past = PastArgs {
            state_dir: args.state_dir.clone(),
            played_in: PlayedIn { world: None, start_room: args.start_room, rules: args.rules.clone() },
        };
        let past = (args.journal.mode != JournalMode::Off).then(|| PastProcess::new(past));
        let app = http::router(lobby.clone(), observatory, settings.plots, past, streams, origins, admin_token);
        let server = HttpServer { app, lobby: lobby.clone(), settings, closed };
        let mut secure = None;
        if let (Some(certificate), Some((https, telnets))) = (certificate, self.secure) {
            let telnets = certificate.guard(telnets, &[], lobby.clone());
            people.push(tokio::spawn(telnet::accept_secure(telnets, lobby.clone())));
            let https = certificate.guard(https, &[b"http/1.1"], lobby.clone());
            secure = Some(tokio::spawn(server.clone().serve_secure(https)));
        }
        let plain = tokio::spawn(server.serve(self.http));
        (people, Programs { plain, secure, closing })
    }
}

/// The tasks that answer HTTP: programs, pages, the admin API.
pub struct Programs {
    plain: JoinHandle<()>,
    secure: Option<JoinHandle<()>>,
    closing: watch::Sender<bool>,
}

impl Programs {
    /// Waits until plain HTTP is no longer answered, which is a failure. Dropping it on the way loses nothing.
    pub async fn closed(&mut self) -> anyhow::Result<()> {
        (&mut self.plain).await.context("the HTTP listener failed")
    }

    /// Nobody new is accepted.
    pub fn close(&self) {
        let _told = self.closing.send(true);
    }

    /// Waits until calls that are under way have their answer, for a moment at most.
    pub async fn finish(self) {
        let answered = async {
            let _answered = self.plain.await;
            if let Some(secure) = self.secure {
                let _answered = secure.await;
            }
        };
        let _in_time = tokio::time::timeout(ANSWER_LONGEST, answered).await;
    }
}
