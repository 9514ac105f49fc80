//! What a person sees in the text of a terminal: where it is, who and what is there, how it feels, which way it is
//! told.
//!
//! Invariant: pure functions of text that was on the screen. Nothing here knows the world.

/// Directions, as they are typed.
pub const WAYS: [&str; 6] = ["north", "east", "south", "west", "up", "down"];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exit {
    pub way: &'static str,
    /// Shown in brackets: a door that is shut.
    pub closed: bool,
}

/// A place as it was shown.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct View {
    pub title: String,
    pub exits: Vec<Exit>,
    /// A line for each thing and being, without the count before it.
    pub here: Vec<String>,
}

/// What the prompt says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Condition {
    pub hit: i32,
    pub mana: i32,
    pub fighting: bool,
    /// Whom it fights shows next to nothing of it.
    pub foe_is_fresh: bool,
}

/// A direction as somebody writes it in a sentence.
pub fn way(word: &str) -> Option<&'static str> {
    let word = word.trim_matches(|c: char| !c.is_ascii_alphabetic()).to_ascii_lowercase();
    WAYS.into_iter().find(|way| *way == word)
}

fn exits(line: &str) -> Option<Vec<Exit>> {
    let ways = line.strip_prefix("Exits:")?;
    let exit = |word: &str| way(word).map(|way| Exit { way, closed: word.starts_with('(') });
    Some(ways.split_whitespace().filter_map(exit).collect())
}

/// Whether a line may be the name of a place: it is no sentence.
fn is_title(line: &str) -> bool {
    let begins = line.starts_with(|c: char| c.is_uppercase());
    begins && !line.ends_with(['.', '!', '?', '"', '\'', ':']) && !line.starts_with("Exits:")
}

/// Speech, comings and goings are no part of how a place looks.
fn is_passing(line: &str) -> bool {
    line.contains('"') || [" arrives", " leaves ", " tells you", " whispers "].iter().any(|word| line.contains(word))
}

/// The last place that these lines show.
pub fn view(lines: &[String]) -> Option<View> {
    let at = lines.iter().rposition(|line| line.starts_with("Exits:"))?;
    // A title follows nothing that belongs to a description: the first of the lines that can be one.
    let begin = lines[..at].iter().rposition(|line| line.starts_with("Exits:")).map_or(0, |before| before + 1);
    let title = lines[begin..at].iter().find(|line| is_title(line))?.clone();
    let mut here = Vec::new();
    for line in &lines[at + 1..] {
        if is_passing(line) || condition(line).is_some() {
            break;
        }
        let uncounted = line.strip_prefix('(').and_then(|rest| rest.split_once(") ")).map_or(line.as_str(), |it| it.1);
        if uncounted.ends_with('.') {
            here.push(uncounted.to_string());
        }
    }
    Some(View { title, exits: exits(&lines[at])?, here })
}

/// How the prompt shows an opponent that has lost little.
const FRESH: [&str; 3] = [" is unhurt)", " is hardly marked)", " has taken some knocks)"];

/// "(a straw man is dying) 12H 100M 79V >".
pub fn condition(line: &str) -> Option<Condition> {
    let line = line.trim_end().strip_suffix('>')?;
    let number = |unit: char| {
        let word = line.split_whitespace().rev().find(|word| word.ends_with(unit))?;
        word.trim_end_matches(unit).parse().ok()
    };
    let fighting = line.starts_with('(');
    let foe_is_fresh = fighting && FRESH.iter().any(|words| line.contains(words));
    Some(Condition { hit: number('H')?, mana: number('M')?, fighting, foe_is_fresh })
}

fn count(word: &str) -> Option<usize> {
    const COUNTS: [&str; 11] = ["", "once", "twice", "thrice", "four", "five", "six", "seven", "eight", "nine", "ten"];
    let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric()).to_ascii_lowercase();
    let spelled = COUNTS.iter().position(|it| *it == word && !word.is_empty());
    let written = word.parse().ok().filter(|n| (1..=20).contains(n));
    spelled.or(written).or(match word.as_str() {
        "one" => Some(1),
        "two" => Some(2),
        "three" => Some(3),
        _ => None,
    })
}

/// A way told in a sentence: "Nine times south of the altar and once west", "twice south and once east".
pub fn told_way(text: &str) -> Vec<&'static str> {
    let mut steps = Vec::new();
    let mut pending = None;
    for word in text.split_whitespace() {
        match (way(word), pending) {
            (Some(way), Some(times)) => {
                steps.extend(std::iter::repeat_n(way, times));
                pending = None;
            }
            (None, _) if word == "times" => {}
            (None, _) => pending = count(word),
            (Some(_), None) => {}
        }
    }
    steps
}

/// A way as help tells it: "From here: 6 north, 3 east, north."
pub fn listed_way(lines: &[String]) -> Vec<&'static str> {
    let Some(list) = lines.iter().find_map(|line| line.strip_prefix("From here: ")) else { return Vec::new() };
    let steps = list.split(',').flat_map(|step| {
        let times = step.split_whitespace().find_map(count).unwrap_or(1);
        step.split_whitespace().find_map(way).into_iter().flat_map(move |way| std::iter::repeat_n(way, times))
    });
    steps.collect()
}

/// The word by which somebody would name what a line shows: "A straw man hangs on its post here." is straw.
pub fn name_in(line: &str) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let named = match *words.first()? {
        "A" | "An" | "The" | "Some" => words.get(1)?,
        "Your" => return None,
        first => first,
    };
    let named = named.trim_matches(|c: char| !c.is_alphanumeric()).trim_end_matches("'s").to_lowercase();
    (named.chars().count() >= 3).then_some(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_string).collect()
    }

    #[test]
    fn a_place_is_read_as_it_is_shown() {
        let shown = lines(
            "A watchman leaves north.\nThe Drill Yard\nSand and sawdust cover the yard from wall to wall, trodden into a\n\
             pattern of circles.\nExits: north (down)\n(3) A straw man hangs on its post here.\n\
             Sergeant Hackett stands on the black line.\nSergeant Hackett says, \"Toes behind the line!\"",
        );
        let seen = view(&shown).expect("a place");
        assert_eq!(seen.title, "The Drill Yard");
        let exit = |way, closed| Exit { way, closed };
        assert_eq!(seen.exits, [exit("north", false), exit("down", true)]);
        assert_eq!(seen.here, ["A straw man hangs on its post here.", "Sergeant Hackett stands on the black line."]);
        assert_eq!(view(&lines("You cannot go that way.")), None);
    }

    #[test]
    fn a_prompt_says_how_one_is() {
        let fighting = Condition { hit: 12, mana: 100, fighting: true, foe_is_fresh: false };
        assert_eq!(condition("(a straw man is dying) 12H 100M 79V > "), Some(fighting));
        let begun = Condition { foe_is_fresh: true, ..fighting };
        assert_eq!(condition("(a straw man is hardly marked) 12H 100M 79V > "), Some(begun));
        assert_eq!(condition("15H 30M 83V >"), Some(Condition { hit: 15, mana: 30, ..Condition::default() }));
        assert_eq!(condition("You hit a rat."), None);
    }

    #[test]
    fn ways_are_read_from_sentences_and_from_lists() {
        let south = |times| std::iter::repeat_n("south", times);
        let yard: Vec<&str> = south(9).chain(["west"]).collect();
        assert_eq!(told_way("Nine times south of the altar and once west is the drill yard"), yard);
        assert_eq!(told_way("in the Almonry, twice south and once east of here"), ["south", "south", "east"]);
        assert!(told_way("Three witnesses, and a wind from the north.").is_empty());
        assert_eq!(listed_way(&lines("A hall.\nFrom here: 2 north, east.")), ["north", "north", "east"]);
    }

    #[test]
    fn what_a_line_shows_has_a_name() {
        for (line, name) in [
            ("A straw man hangs on its post here.", Some("straw")),
            ("Edda the flamekeeper sits beside the altar.", Some("edda")),
            ("Lorcan, scribe of returns, writes at his desk.", Some("lorcan")),
            ("The corpse of a straw man is lying here.", Some("corpse")),
        ] {
            assert_eq!(name_in(line).as_deref(), name, "{line}");
        }
    }
}
