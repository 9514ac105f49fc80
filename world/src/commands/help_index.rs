//! HELP without a word, and the lists that it leads to: verbs by what they are for, peoples, callings, places.

use crate::arena::CharacterId;
use crate::commands::cast::wills;
use crate::commands::help_topics::{Family, TOPICS};
use crate::commands::practice::arts_of;
use crate::commands::{Group, VERBS, Verb, help_places};
use crate::page::Page;
use crate::report::Style;
use crate::rules::ClassRow;
use crate::world::World;

/// The width of the first column.
const LABEL_WIDTH: usize = 11;

/// Words that show a list, what it is a list of, and what makes it.
type List = (&'static str, fn(&World, CharacterId) -> Page);
const LISTS: &[List] = &[("verbs", verbs), ("callings", callings), ("peoples", peoples), ("places", places)];

/// The words that show a list.
pub(super) fn list_words() -> impl Iterator<Item = &'static str> {
    LISTS.iter().map(|(word, _)| *word)
}

/// The list that a word shows.
pub(super) fn list(world: &World, who: CharacterId, word: &str) -> Option<Page> {
    LISTS.iter().find(|(name, _)| *name == word).map(|(_, list)| list(world, who))
}

/// What to do first, the topics, and where everything else is.
pub(super) fn index(world: &World, who: CharacterId) -> Page {
    let mut page = Page::for_reader(world.who(who));
    page.line(Style::Heading, "Help on anything: help <word>");
    page.say("Are you new? Begin with help newbie. look shows where you are, and exits the ways from there.");
    page.say("");
    for family in Family::ALL {
        row(family.label(), TOPICS.iter().filter(|topic| topic.family == family).map(|topic| &*topic.name), &mut page);
    }
    let arts = arts_of(world, &world.rules, who);
    if !arts.is_empty() {
        row("Your arts", arts.iter().map(|(art, ..)| art.name()), &mut page);
    }
    page.say("");
    row("Lists", list_words().chain(["socials"]), &mut page);
    page.say("All verbs by what they are for: help verbs. Gestures such as nod and smile: socials.");
    page
}

fn verbs(world: &World, who: CharacterId) -> Page {
    let mut page = Page::for_reader(world.who(who));
    page.line(Style::Heading, "Verbs, by what they are for; the beginning of one is enough:");
    let level = world.who(who).level;
    for group in Group::ALL {
        let verbs = VERBS.iter().filter(|verb| verb.group == group && verb.level <= level);
        let own = verbs.filter(|verb| is_of_use(world, who, verb));
        let far = world.content.channels.iter().filter(|_| group == Group::FarAway).map(|channel| &*channel.name);
        let names = own.flat_map(Verb::names).map(|name| -> &str { name }).filter(|name| name.len() > 1);
        let mut names = names.chain(far).peekable();
        if names.peek().is_some() {
            row(group.label(), names, &mut page);
        }
    }
    page.say("What one of them does: help <verb>. All in one list: commands.");
    page
}

/// Whether somebody of that craft can ever do it: the arts of other crafts are no news to a newcomer.
fn is_of_use(world: &World, who: CharacterId, verb: &Verb) -> bool {
    let c = world.who(who);
    let Some(player) = c.player().filter(|_| !c.is_immortal()) else { return true };
    let casts = || world.rules.spells.iter().any(|row| row.levels.contains_key(&c.class));
    match verb.name {
        "cast" => !wills(c.class) && casts(),
        "will" => wills(c.class) && casts(),
        name => {
            let mut skills = world.rules.skills.iter().filter(|row| row.verb.as_deref() == Some(name)).peekable();
            let is_known = |known: &i32| *known > 0;
            skills.peek().is_none()
                || skills
                    .any(|row| row.levels.contains_key(&c.class) || player.skills.get(&row.name).is_some_and(is_known))
        }
    }
}

fn callings(world: &World, who: CharacterId) -> Page {
    let mut page = Page::for_reader(world.who(who));
    page.line(Style::Heading, "What people can be:");
    let lower: Vec<String> = to_choose(world).map(|row| row.label.to_lowercase()).collect();
    row("Callings", lower.iter().map(|label| &**label), &mut page);
    page.say("What one of them learns, and from whom: help <calling>");
    page
}

/// Those that a new character can have.
pub(super) fn to_choose(world: &World) -> impl Iterator<Item = &ClassRow> {
    world.rules.classes.iter().filter(|row| row.at_creation)
}

fn peoples(world: &World, who: CharacterId) -> Page {
    let mut page = Page::for_reader(world.who(who));
    page.line(Style::Heading, "Of whom people are:");
    let lower: Vec<String> = world.rules.races.iter().map(|row| row.label.to_lowercase()).collect();
    row("Peoples", lower.iter().map(|label| &**label), &mut page);
    page.say("What one of them is born with: help <people>");
    page
}

fn places(world: &World, who: CharacterId) -> Page {
    let mut page = Page::for_reader(world.who(who));
    page.line(Style::Heading, "The town, place by place:");
    let places = help_places::all(world);
    row("Places", places.keys().map(|name| &**name), &mut page);
    page.say("What one of them is, and the way there: help <place>. So it is with places that you have been to.");
    page
}

/// A label and what stands under it, with commas, broken into lines that begin below each other.
fn row<'a>(label: &str, words: impl Iterator<Item = &'a str>, page: &mut Page) {
    let words: Vec<&str> = words.collect();
    if page.is_aloud() {
        page.say(format!("{label}: {}", words.join(", ")));
        return;
    }
    let mut line = format!("{label:<LABEL_WIDTH$}");
    let mut begun = true;
    for (n, name) in words.iter().enumerate() {
        let comma = if n + 1 < words.len() { "," } else { "" };
        // A name of several words is broken where it must be, as it would be in a sentence.
        for word in format!("{name}{comma}").split(' ') {
            if !begun && line.chars().count() + 1 + word.chars().count() > page.width() {
                page.say(&line);
                line = " ".repeat(LABEL_WIDTH);
                begun = true;
            }
            if !begun {
                line.push(' ');
            }
            line.push_str(word);
            begun = false;
        }
    }
    page.say(line);
}
