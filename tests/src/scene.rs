//! Small worlds for tests: a content folder below `tests/scenes`, people in it, and what they read.

use content::Content;
use content::words::{Class, Race, Sex};
pub use lab::world_folder::read_content;
use lab::world_folder::root;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use world::rng::Dice;
use world::rules::Rules;
use world::rules::creation::{self, Choices};
use world::{Admin, CharacterId, Input, Report, World};

/// The `tests` crate's own folder.
pub fn tests_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Each folder is read once in a run of the tests, in which hundreds of scenes are opened.
static READ: Mutex<BTreeMap<PathBuf, Arc<Content>>> = Mutex::new(BTreeMap::new());

/// A world and the people whom a test talks about by name.
pub struct Scene {
    pub world: World,
    pub people: Vec<(String, CharacterId)>,
}

/// What a person in a scene is like.
pub struct Person {
    pub class: Class,
    pub race: Race,
    pub sex: Sex,
    pub level: i32,
    pub room: Option<i32>,
    pub gold: i32,
    pub agent: bool,
    pub skills: Vec<(String, i32)>,
}

impl Default for Person {
    fn default() -> Self {
        Person {
            class: Class::Warrior,
            race: Race::Human,
            sex: Sex::Female,
            level: 1,
            room: None,
            gold: 100,
            agent: false,
            skills: Vec::new(),
        }
    }
}

impl Scene {
    /// The world of `tests/scenes/<name>`, or with `shipped` the one that ships.
    pub fn open(name: &str, seed: u64) -> Scene {
        let folder = match name {
            "shipped" => root().join("data/world"),
            name => tests_folder().join("scenes").join(name),
        };
        let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
        let content = read.entry(folder).or_insert_with_key(|folder| Arc::new(read_content(folder))).clone();
        drop(read);
        Scene::on(content, seed)
    }

    pub fn on(content: Arc<Content>, seed: u64) -> Scene {
        Scene { world: World::new(content, Arc::new(Rules::built_in()), seed), people: Vec::new() }
    }

    /// Brings somebody in with middling abilities and no kit; returns the id and what was caused.
    pub fn enter(&mut self, name: &str, person: &Person) -> (CharacterId, Vec<Report>) {
        let rules = Rules::built_in();
        let abilities = world::character::Abilities {
            strength: 15,
            strength_add: 0,
            intelligence: 13,
            wisdom: 13,
            dexterity: 14,
            constitution: 14,
            charisma: 12,
        };
        let choices = Choices {
            name: name.into(),
            sex: person.sex,
            race: person.race,
            class: person.class,
            hometown: 'K',
            color: false,
            abilities,
            agent: person.agent,
        };
        let mut record = creation::newborn(&rules, &choices, &mut Dice::new(1, 2, 3, 4));
        record.room = Some(person.room.unwrap_or(self.world.content.start_room));
        record.gold = person.gold;
        for (name, percent) in &person.skills {
            match rules.spell_named(name) {
                Some(_) => record.player.spells.insert(name.as_str().into(), *percent),
                None => record.player.skills.insert(name.as_str().into(), *percent),
            };
        }
        let mut reports = vec![self.world.apply(&Input::Enter { record: Box::new(record), agent: person.agent })];
        let id = reports[0].entered.expect("somebody entered");
        if person.level > 1 {
            reports.push(self.world.apply(&Input::Admin(Admin::Promote { who: id, level: person.level })));
        }
        self.people.push((name.to_string(), id));
        (id, reports)
    }

    pub fn id(&self, name: &str) -> CharacterId {
        self.people
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, id)| *id)
            .unwrap_or_else(|| panic!("nobody is called {name}"))
    }

    pub fn name(&self, id: CharacterId) -> String {
        self.people.iter().find(|(_, i)| *i == id).map_or_else(|| format!("{id:?}"), |(n, _)| n.clone())
    }

    pub fn does(&mut self, name: &str, line: &str) -> Report {
        let who = self.id(name);
        self.world.apply(&Input::Command { who, line: line.to_string() })
    }

    pub fn tick(&mut self) -> Report {
        self.world.apply(&Input::Tick)
    }

    /// What one person reads in a report, line by line.
    pub fn read_by(&self, name: &str, report: &Report) -> String {
        let id = self.id(name);
        let texts: Vec<&str> = report.lines.iter().filter(|(to, _)| *to == id).map(|(_, l)| l.text.as_str()).collect();
        texts.join("\n")
    }
}
