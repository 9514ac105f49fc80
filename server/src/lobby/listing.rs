//! What lists of games are told of this one (MSSP): from the world, its rules, and who is in it now.
//!
//! One row a variable, in the words of the official list; those that are not on it (AGENTS, AGENTS ALLOWED, MCCP,
//! WEBSOCKET, …) stand behind. Invariant: nothing is told that a player could not find out.

use super::Lobby;
use content::Listing;
use parking_lot::RwLock;
use std::fmt::Write;
use world::character::Link;

/// Where callers find the server.
#[derive(Clone, Debug, Default)]
pub struct Doors {
    pub telnet: u16,
    /// Telnet in TLS.
    pub telnets: Option<u16>,
}

/// What the operator says of the game: `[listing]` of the world, and the name of the machine. It is read again while
/// the server runs, because nothing in the world depends on it.
#[derive(Debug, Default)]
pub struct Published(RwLock<(Listing, Option<String>)>);

impl Published {
    pub fn new(listing: Listing) -> Published {
        Published(RwLock::new((listing, None)))
    }

    pub fn set_listing(&self, listing: Listing) {
        self.0.write().0 = listing;
    }

    /// `None`: no name was told.
    pub fn set_host(&self, host: Option<String>) {
        self.0.write().1 = host;
    }
}

const CODEBASE: &str = concat!("Dark Pawns in Rust ", env!("CARGO_PKG_VERSION"));

impl Lobby {
    /// Each variable with its value, in the order of the official list.
    pub fn listing(&self) -> Vec<(&'static str, String)> {
        let (content, counts, rules) = (&self.content, &self.content_counts, &self.rules);
        let (mut players, mut agents) = (0, 0);
        self.engine.with_world(|world| {
            let listed = world.state.players.values().filter(|who| world.is_listed(**who));
            for player in listed.filter_map(|who| world.character(*who)?.player()) {
                let here = player.link == Link::Linked;
                players += usize::from(here);
                agents += usize::from(here && player.agent);
            }
        });
        let (told, host) = self.published.0.read().clone();
        let name = if content.name.is_empty() { "Dark Pawns" } else { &content.name };
        let classes = rules.classes.iter().filter(|row| row.at_creation).count();
        let skills = rules.skills.iter().filter(|row| row.is_usable()).count() + rules.spells.len();
        let yes = || Some("1".to_string());
        let no = || Some("0".to_string());
        let text = |text: &str| (!text.is_empty()).then(|| text.to_string());
        let number = |number: usize| Some(number.to_string());
        let rows = [
            ("NAME", text(name)),
            ("PLAYERS", number(players)),
            ("UPTIME", Some(self.started_unix_s.to_string())),
            ("CHARSET", text("UTF-8")),
            ("CODEBASE", text(CODEBASE)),
            ("CONTACT", text(&told.contact)),
            // As often as the list likes.
            ("CRAWL DELAY", text("-1")),
            ("CREATED", told.created.map(|year| year.to_string())),
            ("HOSTNAME", host),
            ("ICON", text(&told.icon)),
            ("LANGUAGE", text(&told.language)),
            ("LOCATION", text(&told.location)),
            ("PORT", Some(self.doors.telnet.to_string())),
            ("SSL", self.doors.telnets.map(|port| port.to_string())),
            ("WEBSITE", text(&told.website)),
            ("FAMILY", text("Custom")),
            ("GENRE", text(&told.genre)),
            ("STATUS", text(&told.status)),
            ("GAMESYSTEM", text("Tick Based")),
            ("AREAS", number(counts.zones)),
            ("HELPFILES", number(world::commands::help_pages())),
            ("MOBILES", number(counts.mobs)),
            ("OBJECTS", number(counts.objects)),
            ("ROOMS", number(counts.rooms)),
            ("CLASSES", number(classes)),
            ("LEVELS", Some(rules.level_mortal_max.to_string())),
            ("RACES", number(rules.races.len())),
            ("SKILLS", number(skills)),
            ("ANSI", yes()),
            ("UTF-8", yes()),
            ("VT100", no()),
            ("XTERM 256 COLORS", yes()),
            ("XTERM TRUE COLORS", yes()),
            ("PAY TO PLAY", no()),
            ("PAY FOR PERKS", no()),
            ("GMCP", yes()),
            ("MCCP", yes()),
            ("MSDP", yes()),
            ("WEBSOCKET", yes()),
            ("AGENTS", number(agents)),
            ("AGENTS ALLOWED", yes()),
        ];
        rows.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }
}

/// The same as text, for lists that speak no telnet.
pub fn as_text(rows: &[(&str, String)]) -> String {
    let mut text = "\nMSSP-REPLY-START\n".to_string();
    for (name, value) in rows {
        writeln!(text, "{name}\t{value}").expect("a String takes everything");
    }
    text.push_str("MSSP-REPLY-END\n");
    text
}
