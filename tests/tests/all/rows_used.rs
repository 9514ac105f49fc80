//! A simulation in which every row is used: each spell, each skill and each behaviour of mobs is staged on the green,
//! in one world after the other, with the dice as they fall. In how many of them each came off is counted;
//! `SHOW=1 cargo test -p tests --test all -- rows_used --nocapture` prints it.
//!
//! A stage is the text of a transcript without what is read. A row that needs nothing but an opponent, or oneself, has
//! no stage of its own.

use content::Behaviour;
use content::arts::{SpellRow, TargetKind};
use content::words::Class;
use protocol::Outcome;
use protocol::outcome::CastResult;
use std::collections::BTreeMap;
use std::path::Path;
use tests::scene::{read_content, tests_folder};
use tests::transcript::play_watched;
use world::Report;
use world::rules::{Rules, SkillRow};

/// In so many worlds each row is staged.
const WORLDS: u64 = 10;
/// Under an open sky, where the moon opens gates.
const HILL: i32 = 511;
/// The roof of the tower.
const ROOF: i32 = 500;

/// By what it is known that a row was used.
enum Seen {
    Cast(String),
    Skill(String),
    /// Somebody reads this.
    Line(&'static str),
}

struct Stage {
    /// "the spell fireball".
    row: String,
    lines: Vec<String>,
    seen: Seen,
}

impl Seen {
    fn is_in(&self, report: &Report) -> bool {
        let done = |outcome: &Outcome| match (self, outcome) {
            (Seen::Cast(name), Outcome::Cast { spell, result: CastResult::Done, .. }) => **name == **spell,
            (Seen::Skill(name), Outcome::Skill { skill, result: CastResult::Done, .. }) => **name == **skill,
            _ => false,
        };
        match self {
            Seen::Line(words) => report.lines.iter().any(|(_, line)| line.text.contains(words)),
            _ => report.outcomes.iter().any(|outcome| done(outcome)),
        }
    }
}

impl Stage {
    /// In how many worlds it came off.
    fn play(&self) -> u32 {
        let mut uses = 0;
        for seed in 1..=WORLDS {
            let text = format!("scene green {seed}\nquiet\n{}\n", self.lines.join("\n"));
            let mut once = false;
            play_watched(&text, Path::new(&self.row), &mut |report| once |= self.seen.is_in(report));
            uses += u32::from(once);
        }
        uses
    }
}

/// Lines of a stage, with `#` for the room in which it stands.
fn lines(room: i32, text: &str) -> Vec<String> {
    text.split("; ").filter(|line| !line.is_empty()).map(|line| line.replace('#', &room.to_string())).collect()
}

/// Somebody who knows an art as well as one can, in company.
fn people(class: Option<Class>, art: &str, room: i32) -> Vec<String> {
    let ann = match class {
        Some(class) => format!("Ann {class} level=30 room={room} skill:{}=100", art.replace(' ', "_")),
        // What is in no hands but those of things and mobs, immortals can do.
        None => format!("Ann magic-user level=40 room={room}"),
    };
    let others = "Bob warrior male level=20 room=#; God cleric level=40 room=#; mob 510 #; God> set ann maxmana 1000; \
                  God> set ann mana 1000; God> set ann hit 40";
    std::iter::once(ann).chain(lines(room, others)).collect()
}

fn spell(row: &SpellRow) -> Stage {
    let class = row.levels.keys().next().copied();
    let verb = if matches!(class, Some(Class::Psionic | Class::Mystic)) { "will" } else { "cast" };
    let (before, target) = match &*row.name {
        "cure blind" => ("God> cast blindness straw", "straw"),
        "remove poison" => ("God> cast poison straw", "straw"),
        "remove curse" => ("God> cast curse straw", "straw"),
        "create water" => ("thing 124 Ann; Ann> pour skin out; tick 1", "skin"),
        "enchant weapon" => ("thing 121 Ann", "sword"),
        "enchant armor" => ("thing 144 Ann", "shield"),
        "locate object" => ("thing 121 Bob", "sword"),
        "control weather" => ("", "better"),
        "dispel evil" => ("mob 512 #", "imp"),
        "dispel good" => ("mob 537 #", "lamb"),
        "animate dead" => ("mob 531 #; God> kill beetle; tick 4", "corpse"),
        "summon" => ("thing 100002 #; mob 512 500", "imp"),
        "mindsight" => ("mob 512 500", "imp"),
        "mental lapse" => ("mob 513 #; Bob> kill hound; tick 2", "hound"),
        "divine intervention" => ("God> set ann align 1000", ""),
        "conjure elemental" => ("thing 100031 #", ""),
        _ if row.targets.contains(&TargetKind::Nothing) => ("", ""),
        _ if row.violent || row.targets.contains(&TargetKind::NotSelf) => ("", "straw"),
        _ if row.targets.contains(&TargetKind::Opponent) => ("", "straw"),
        _ => ("", ""),
    };
    let mut stage = people(class, &row.name, HILL);
    stage.extend(lines(HILL, before));
    stage.push(format!("Ann> {verb} '{}' {target}", row.name));
    Stage { row: format!("the spell {}", row.name), lines: stage, seen: Seen::Cast(row.name.to_string()) }
}

fn skill(row: &SkillRow) -> Stage {
    let name = row.name.name();
    let verb = row.verb.as_deref().unwrap_or_default();
    let indoors = matches!(verb, "hide" | "kabuki");
    let room = match verb {
        _ if indoors => 106,
        "pick" => 102,
        _ => HILL,
    };
    let seal = format!("Ann> kuji {}", name.rsplit(' ').next().unwrap_or_default());
    let on_straw = format!("Ann> {verb} straw");
    let alone = format!("Ann> {verb}");
    let in_fight = format!("Ann> kill straw; tick 1; {alone}");
    let steps = match verb {
        "" if name == "evasion" => {
            "mob 536 #; Ann> kill mastiff; tick 2; Ann> flee; tick 6; Ann> flee; tick 6; Ann> flee; tick 6"
        }
        "kuji" => &seal,
        "pick" => "Ann> pick door",
        "backstab" => "thing 530 Ann; Ann> wield dirk; Ann> backstab straw",
        "circle" => "thing 530 Ann; Ann> wield dirk; Bob> kill straw; tick 1; Ann> circle straw",
        "cutthroat" => "thing 530 Ann; Ann> wield dirk; Ann> cutthroat straw",
        "disembowel" => "thing 530 Ann; Ann> wield dirk; Ann> disembowel straw",
        "ambush" => "Ann> hide; tick 1; Ann> ambush straw",
        "charge" => "thing 143 Ann; Ann> wield greatsword; Ann> charge straw",
        "rescue" => "Bob> kill straw; tick 1; Ann> rescue bob",
        "steal" => "mob 515 #; Ann> steal coins merchant",
        "peek" => "mob 515 #; Ann> peek merchant",
        "subdue" => "mob 515 #; Ann> subdue merchant",
        "sleeper" => "mob 515 #; Ann> sleeper merchant",
        "smackheads" => "mob 515 #; Ann> smackheads straw merchant",
        "groinrip" => "mob 512 #; Ann> groinrip imp",
        "track" => "Bob> west; tick 1; Ann> track bob",
        "shoot" => "thing 531 Ann; thing 532 Ann; mob 515 510; Ann> wield bow; Ann> shoot merchant west",
        "retreat" | "escape" | "parry" | "berserk" => &in_fight,
        "bite" => "God> cast vampirism ann; Ann> bite straw",
        "appraise" => "thing 153 Ann; Ann> appraise axe",
        "sharpen" => "thing 153 Ann; Ann> sharpen axe",
        "alter" => "thing 121 Ann; Ann> wield sword; Ann> alter",
        "palm" => "thing 121 #; Ann> palm sword",
        "disarm" => "thing 121 Bob; Bob> wield sword; Bob> murder ann; tick 1; Ann> disarm",
        "mindlink" => {
            "Psi psionic level=9 room=#; God> set psi mana 10; God> set ann maxhit 300; God> set ann hit 250; Psi> follow ann; Ann> group psi; \
             Ann> mindlink psi"
        }
        "aid" => {
            "God> set bob hit 1; mob 522 #; Bob> kill brawler; tick 1; Ann> aid bob; tick 1; Ann> aid bob; tick 1; \
             Ann> aid bob; tick 1; Ann> aid bob; tick 1; Ann> aid bob"
        }
        "shadow" => "Ann> shadow bob",
        "turn" => "mob 514 #; God> set ann align 500; Ann> turn",
        "scout" => "Ann> scout west",
        "hide" | "kabuki" | "sneak" | "stealth" | "search" | "scrounge" => &alone,
        _ => &on_straw,
    };
    let class = row.levels.keys().next().copied().unwrap_or(Class::Warrior);
    let mut stage = people(Some(class), name, room);
    stage.extend(lines(room, steps));
    let seen = match verb {
        "" => Seen::Line("has lost your tracks"),
        _ => Seen::Skill(name.to_string()),
    };
    Stage { row: format!("the skill {name}"), lines: stage, seen }
}

/// The stage of a behaviour; a new kind does not compile without one.
fn behaviour(behaviour: &Behaviour) -> Stage {
    let ann = "Ann warrior level=20 room=# gold=30000; God cleric level=40 room=#; ";
    let fights = |mob: &str, name: &str| format!("{ann}mob {mob} #; Ann> kill {name}; tick 8");
    let asks = |mob: &str, line: &str| format!("{ann}mob {mob} #; Ann> {line}");
    let (kind, steps, seen) = match behaviour {
        Behaviour::Teacher { .. } => {
            let asks = "Mag magic-user level=1 room=#; mob 511 #; Mag> practice flame";
            ("teacher", asks.to_string(), Seen::Line("shows you flame arrow"))
        }
        Behaviour::Guard { .. } => ("guard", asks("523", "down"), Seen::Line("bars your way")),
        Behaviour::Caster { .. } => ("caster", fights("520", "witch"), Seen::Cast("flame arrow".to_string())),
        Behaviour::Fighter { .. } => ("fighter", fights("522", "brawler"), Seen::Skill("kick".to_string())),
        Behaviour::Venom { .. } => ("venom", fights("521", "adder"), Seen::Line("Something burns where")),
        Behaviour::Gaze { .. } => ("gaze", fights("530", "basilisk"), Seen::Line("the eyes of a basilisk")),
        Behaviour::Vanisher { .. } => ("vanisher", fights("538", "wisp"), Seen::Line("is not there any more")),
        Behaviour::Rescuer { .. } => {
            let friends = format!("{ann}mob 510 #; mob 531 #; Ann> kill straw; tick 6");
            ("rescuer", friends, Seen::Line("and harm!"))
        }
        Behaviour::Breeder { .. } => {
            ("breeder", format!("{ann}mob 531 #; tick 4"), Seen::Line("There is one more of them"))
        }
        Behaviour::Healer { .. } => {
            ("healer", format!("{ann}mob 523 #; God> set ann hit 10; tick 4"), Seen::Cast("cure light".to_string()))
        }
        Behaviour::Thief { .. } => ("thief", format!("{ann}mob 524 #; tick 4"), Seen::Skill("steal".to_string())),
        Behaviour::Regenerator { .. } => {
            let healed = format!("{ann}mob 522 #; Ann> kill brawler; tick 1; Ann> flee; tick 20; God> look brawler");
            ("regenerator", healed, Seen::Line("A brawler is unhurt."))
        }
        Behaviour::Cleaner {} => ("cleaner", format!("{ann}mob 523 #; thing 152 #; tick 4"), Seen::Line("sweeps")),
        Behaviour::Restorer { .. } => {
            let hurt = "God> set ann hit 1; mob 112 #; Ann> kill bull; Ann> kill bull; roll death 1; tick 12";
            let back = "mob 525 100; God> set ann gold 9000; Ann> buy constitution";
            let steps = format!("Ann warrior level=6 room=#; God cleric level=40 room=#; {hurt}; {back}");
            ("restorer", steps, Seen::Line("Something that was gone comes back"))
        }
        Behaviour::Identifier { .. } => (
            "identifier",
            format!("{ann}mob 525 #; thing 522 Ann; Ann> buy identify wand"),
            Seen::Line("turns an ash wand over"),
        ),
        Behaviour::Recharger { .. } => {
            let used =
                "mob 525 #; thing 522 Ann; mob 510 #; Ann> hold wand; Ann> use wand straw; tick 1; God> purge straw";
            let steps = format!("{ann}{used}; tick 2; Ann> buy recharge wand");
            ("recharger", steps, Seen::Line("breathes on an ash wand"))
        }
        Behaviour::Mortician { .. } => {
            let dies = "thing 522 Ann; God> set ann hit 1; mob 112 #; Ann> kill bull; Ann> kill bull; tick 12";
            let steps = format!("{ann}{dies}; mob 525 100; God> set ann gold 900; Ann> buy corpse");
            ("mortician", steps, Seen::Line("two quiet people wheel in your corpse"))
        }
        Behaviour::Tattooist { .. } => ("tattooist", asks("525", "buy ship"), Seen::Line("under your skin")),
        Behaviour::Remorter { .. } => {
            let begins = "Old warrior level=30 room=# gold=900; mob 525 #; Old> remort paladin";
            ("remorter", begins.to_string(), Seen::Line("You are a paladin of level 1 now"))
        }
        Behaviour::Stable { .. } => ("stable", asks("527", "hire cob"), Seen::Line("leads a brown cob out")),
        Behaviour::Recruiter { .. } => ("recruiter", asks("527", "hire pikeman"), Seen::Line("whistles for a pikeman")),
        Behaviour::Jailer {} => {
            ("jailer", format!("{ann}God> set ann outlaw 1; mob 526 #; tick 4"), Seen::Line("You are locked up for"))
        }
        Behaviour::PetShop { .. } => ("pet_shop", asks("532", "buy terrier"), Seen::Line("lets a rough terrier out")),
    };
    Stage { row: format!("the behaviour {kind}"), lines: lines(ROOF, &steps), seen }
}

#[test]
fn every_spell_skill_and_behaviour_comes_off() {
    let rules = Rules::built_in();
    let content = read_content(&tests_folder().join("scenes/green"));
    let behaviours: BTreeMap<String, Stage> = content
        .mobs
        .iter()
        .flat_map(|mob| mob.behaviours.iter().map(behaviour))
        .map(|stage| (stage.row.clone(), stage))
        .collect();
    assert_eq!(behaviours.len(), 23, "each kind of behaviour has a mob in the scene: {:?}", behaviours.keys());
    let skills = rules.skills.iter().filter(|row| row.is_usable()).map(skill);
    let stages = rules.spells.iter().map(spell).chain(skills).chain(behaviours.into_values());
    let used: Vec<(String, u32)> = stages.map(|stage| (stage.row.clone(), stage.play())).collect();
    if std::env::var_os("SHOW").is_some() {
        used.iter().for_each(|(row, uses)| println!("{uses:3} {row}"));
    }
    let never: Vec<&str> = used.iter().filter(|(_, uses)| *uses == 0).map(|(row, _)| row.as_str()).collect();
    assert!(never.is_empty(), "of {} rows these were never used: {never:#?}", used.len());
}
