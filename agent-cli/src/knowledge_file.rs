//! What an agent learned, kept from one process to the next: `{log_dir}/{agent}.knowledge`, JSON with a version and the
//! world it is about.
//!
//! Invariants: a file is there whole or not at all, and only its owner may read it. What cannot be read is set aside,
//! never overwritten: a file of another world waits under that world's name until one is there again, a damaged one
//! under `damaged`; one of a newer version stays where it is, and nothing is written in that session. A fork is another
//! world whose rooms, beings and things are the same: what was known of the one is known of the other from the first
//! time on, and from then on each has a file of its own.

use crate::knowledge::Lasting;
use crate::private_files;
use crate::record::timestamp;
use crate::session_log::file_name;
use anyhow::Context;
use protocol::words::counted;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

pub const VERSION: u32 = 1;
const FORMAT: &str = "dp-agent knowledge";
/// Letters of a world's name in the name of a file.
const WORLD_MAX: usize = 16;

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Saved {
    #[serde(flatten)]
    head: Head,
    knowledge: Lasting,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Head {
    format: String,
    version: u32,
    agent: String,
    /// As the server names it.
    world: String,
    /// The fingerprint of its rooms, beings and things; files of before have none.
    #[serde(default)]
    content: String,
    saved: String,
}

/// The file of one agent, for as long as it plays.
#[derive(Debug)]
pub struct KnowledgeFile {
    path: PathBuf,
    agent: String,
    world: String,
    content: String,
    /// It is ours to replace.
    is_kept: bool,
}

/// What was found at the beginning.
#[derive(Clone, PartialEq, Debug)]
pub struct Found {
    pub lasting: Option<Lasting>,
    /// For people, if there is something to tell.
    pub note: Option<String>,
}

impl KnowledgeFile {
    /// Opens the file of an agent in a world with this content, and reads it.
    pub fn open(log_dir: &Path, agent: &str, world: &str, content: &str) -> (KnowledgeFile, Found) {
        let path = log_dir.join(format!("{}.knowledge", file_name(agent)));
        let (agent, world, content) = (agent.into(), world.into(), content.into());
        let mut file = KnowledgeFile { path, agent, world, content, is_kept: true };
        let found = file.read();
        (file, found)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where a damaged one is kept: beside those of before.
    fn aside_damaged(&self) -> PathBuf {
        let first = self.aside("damaged");
        let more = (2..).map(|number| self.aside(&format!("damaged{number}")));
        std::iter::once(first).chain(more).find(|path| !path.exists()).expect("numbers do not end")
    }

    fn aside(&self, why: &str) -> PathBuf {
        let safe: String = why.chars().filter(char::is_ascii_alphanumeric).take(WORLD_MAX).collect();
        let name = self.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        self.path.with_file_name(format!("{name}.{safe}"))
    }

    fn read(&mut self) -> Found {
        let nothing = |note: Option<String>| Found { lasting: None, note };
        match self.look() {
            Look::Nothing => self.read_aside(None),
            Look::Knows(lasting) => self.knows(*lasting, None),
            Look::Unreadable(error) => {
                self.is_kept = false;
                nothing(Some(format!("{error}; nothing is learned from it, and it is left as it is.")))
            }
            Look::Newer(version) => {
                self.is_kept = false;
                nothing(Some(format!(
                    "{} is of version {version}, and this program knows up to {VERSION}: it is left as it is. What is \
                     learned now is not kept; a newer dp-agent would keep it.",
                    self.path.display()
                )))
            }
            Look::Damaged(why) => {
                let aside = self.aside_damaged();
                self.set_aside(&aside, &format!("{} cannot be read ({why})", self.path.display()))
            }
            Look::OtherWorld(world, alike) => {
                let aside = self.aside(&world);
                let found = self.set_aside(&aside, &format!("{} is about another world", self.path.display()));
                if !self.is_kept {
                    return found;
                }
                match (self.read_aside(found.note), alike) {
                    (Found { lasting: None, note }, Some(lasting)) => self.knows_alike(*lasting, note),
                    (found, _) => found,
                }
            }
        }
    }

    /// What it knew of another world, which has the same rooms, beings and things.
    fn knows_alike(&self, lasting: Lasting, before: Option<String>) -> Found {
        let alike = "That world has the same content as this one, as a fork has, so this one begins with what is known \
                     of it:";
        let note = format!("{alike} {}.", amounts(&lasting));
        let note = before.map_or(note.clone(), |before| format!("{before} {note}"));
        Found { lasting: Some(lasting), note: Some(note) }
    }

    fn knows(&self, lasting: Lasting, before: Option<String>) -> Found {
        let note = format!("Read what it knew from {}: {}.", self.path.display(), amounts(&lasting));
        let note = before.map_or(note.clone(), |before| format!("{before} {note}"));
        Found { lasting: Some(lasting), note: Some(note) }
    }

    fn set_aside(&mut self, aside: &Path, why: &str) -> Found {
        let note = match std::fs::rename(&self.path, aside) {
            Ok(()) => format!("{why}: it is kept as {}, and a new one is begun.", aside.display()),
            Err(error) => {
                self.is_kept = false;
                format!(
                    "{why} and cannot be moved ({error}): it is left as it is, and what is learned now is not kept."
                )
            }
        };
        Found { lasting: None, note: Some(note) }
    }

    /// What was set aside when one went to another world.
    fn read_aside(&mut self, before: Option<String>) -> Found {
        let aside = self.aside(&self.world);
        let nothing = Found { lasting: None, note: before.clone() };
        if self.world.is_empty() || !aside.exists() || std::fs::rename(&aside, &self.path).is_err() {
            return nothing;
        }
        match self.look() {
            Look::Knows(lasting) => self.knows(*lasting, before),
            // It is of another world than its name says: it is left where it was.
            Look::OtherWorld(..) => {
                self.is_kept = std::fs::rename(&self.path, &aside).is_ok();
                nothing
            }
            _ => {
                let found = self.read();
                Found { note: [before, found.note].into_iter().flatten().reduce(|a, b| format!("{a} {b}")), ..found }
            }
        }
    }

    fn look(&self) -> Look {
        let text = match std::fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Look::Nothing,
            Err(error) if error.kind() == io::ErrorKind::InvalidData => return Look::Damaged("it is no text".into()),
            Err(error) => return Look::Unreadable(format!("{} cannot be read: {error}", self.path.display())),
        };
        let head = match serde_json::from_str::<Head>(&text) {
            Ok(head) if head.format == FORMAT => head,
            Ok(_) => return Look::Damaged("it is no file of knowledge".into()),
            Err(error) => return Look::Damaged(error.to_string()),
        };
        if head.version > VERSION {
            return Look::Newer(head.version);
        }
        if head.world != self.world {
            let is_alike = !head.content.is_empty() && head.content == self.content;
            let alike = is_alike.then(|| serde_json::from_str::<Saved>(&text).ok()).flatten();
            return Look::OtherWorld(head.world, alike.map(|saved| Box::new(saved.knowledge)));
        }
        match serde_json::from_str::<Saved>(&text) {
            Ok(saved) => Look::Knows(Box::new(saved.knowledge)),
            Err(error) => Look::Damaged(error.to_string()),
        }
    }

    /// Writes what is known now. A file that is not this program's to replace is left alone.
    pub fn write(&self, lasting: Lasting, now_ms: u64) -> anyhow::Result<()> {
        if !self.is_kept {
            return Ok(());
        }
        let head = Head {
            format: FORMAT.into(),
            version: VERSION,
            agent: self.agent.clone(),
            world: self.world.clone(),
            content: self.content.clone(),
            saved: timestamp(now_ms),
        };
        private_files::replace(&self.path, &serde_json::to_string(&Saved { head, knowledge: lasting })?)
            .with_context(|| format!("writing {}", self.path.display()))
    }
}

enum Look {
    Nothing,
    Knows(Box<Lasting>),
    /// With what is known of it, if it has the same content.
    OtherWorld(String, Option<Box<Lasting>>),
    Newer(u32),
    /// It can be set aside.
    Damaged(String),
    /// It may be all right, and is not ours to move.
    Unreadable(String),
}

fn amounts(lasting: &Lasting) -> String {
    let amount = |count: usize, what: &str| counted(count as u64, what);
    [
        amount(lasting.rooms.len(), "room"),
        amount(lasting.kinds.len(), "creature"),
        amount(lasting.objects.known.len(), "thing"),
        amount(lasting.objects.shops.len(), "shop"),
    ]
    .join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::Knowledge;

    fn learned() -> Lasting {
        let mut known = Knowledge::default();
        known.map.arrive(8004, None, 5);
        known.map.arrive(8005, Some((8004, "north")), 9);
        known.map.see("The Well Yard", &["south".into()]);
        known.bestiary.kind(8101).kills = 3;
        known.refused_actions.failed(8004, "sell tail", "\"No,\" says the smith.", 10);
        known.home = Some(8004);
        known.lasting()
    }

    fn open(folder: &Path, world: &str) -> (KnowledgeFile, Found) {
        KnowledgeFile::open(folder, "Wren", world, world)
    }

    #[test]
    fn what_was_learned_is_known_to_the_next_process() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, found) = open(folder.path(), "w1");
        assert_eq!(found, Found { lasting: None, note: None }, "there is nothing yet, and nothing to tell");
        file.write(learned(), 20).expect("written");
        let (_, found) = open(folder.path(), "w1");
        assert_eq!(found.lasting.as_ref(), Some(&learned()));
        assert!(found.note.is_some_and(|note| note.contains("2 rooms, 1 creature")));
        let mut known = Knowledge::default();
        known.take_over(found.lasting.expect("read"));
        assert_eq!(known.lasting(), learned());
        assert_eq!(known.refused_actions.blocks(8004, "sell tail", 11), Some("\"No,\" says the smith."));
    }

    #[test]
    fn another_world_s_file_waits_until_one_is_back() {
        let folder = tempfile::tempdir().expect("a folder");
        open(folder.path(), "w1").0.write(learned(), 20).expect("written");
        let (file, found) = open(folder.path(), "w2");
        assert_eq!(found.lasting, None);
        assert!(found.note.is_some_and(|note| note.contains("another world") && note.contains("wren.knowledge.w1")));
        file.write(Lasting::default(), 30).expect("written");
        let (_, found) = open(folder.path(), "w1");
        assert_eq!(found.lasting, Some(learned()));
        assert!(folder.path().join("wren.knowledge.w2").exists(), "the second one waits in its turn");
    }

    #[test]
    fn a_fork_begins_with_what_is_known_of_its_origin_and_has_a_file_of_its_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let open = |world: &str, content: &str| KnowledgeFile::open(folder.path(), "Wren", world, content);
        open("origin", "c1").0.write(learned(), 20).expect("written");
        let (fork, found) = open("fork", "c1");
        assert_eq!(found.lasting, Some(learned()));
        let note = found.note.expect("it is told");
        assert!(note.contains("same content") && note.contains("2 rooms, 1 creature, 0 things, 0 shops"), "{note}");
        let mut more = learned();
        more.home = Some(1);
        fork.write(more.clone(), 30).expect("written");
        // Each goes on with its own.
        assert_eq!(open("origin", "c1").1.lasting, Some(learned()));
        assert_eq!(open("fork", "c1").1.lasting, Some(more));
        // Edited since, it is a world of its own.
        assert_eq!(open("edited", "c2").1.lasting, None);
    }

    #[test]
    fn a_newer_file_is_left_as_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, _) = open(folder.path(), "w1");
        let newer = r#"{"format":"dp-agent knowledge","version":2,"agent":"Wren","world":"w1","saved":"","atlas":{}}"#;
        std::fs::write(file.path(), newer).expect("written");
        let (file, found) = open(folder.path(), "w1");
        assert!(found.lasting.is_none() && found.note.is_some_and(|note| note.contains("version 2")));
        file.write(learned(), 20).expect("nothing to write is no error");
        assert_eq!(std::fs::read_to_string(file.path()).expect("it is there"), newer);
    }

    #[test]
    fn a_file_cut_in_the_middle_is_set_aside() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, _) = open(folder.path(), "w1");
        file.write(learned(), 20).expect("written");
        let whole = std::fs::read(file.path()).expect("it is there");
        for kept in [0, 1, whole.len() / 2, whole.len() - 1] {
            std::fs::write(file.path(), &whole[..kept]).expect("cut");
            let (again, found) = open(folder.path(), "w1");
            assert_eq!(found.lasting, None);
            assert!(found.note.is_some_and(|note| note.contains("wren.knowledge.damaged")), "cut at {kept}");
            assert!(!again.path().exists());
        }
        let kept = |name: &str| std::fs::read(folder.path().join(name)).map(|bytes| bytes.len()).ok();
        let names = ["", "2", "3", "4", "5"].map(|number| kept(&format!("wren.knowledge.damaged{number}")));
        let lengths = [0, 1, whole.len() / 2, whole.len() - 1].map(Some);
        assert_eq!((&names[..4], names[4]), (&lengths[..], None), "none takes the place of one before");
        file.write(learned(), 20).expect("written anew");
        assert_eq!(open(folder.path(), "w1").1.lasting, Some(learned()));
    }
}
