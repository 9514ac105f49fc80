//! `dp-server fork --redact`: takes away what players said and wrote, for a bug report.
//!
//! Whatever is not known to be harmless is blackened: letters and digits become `x`, blanks and signs stay, since the
//! game may depend on lengths. Harmless are the arguments of verbs that name what is there (`get sword chest`), up to
//! as many words as the verb takes. A word that is no verb, or that is somebody's alias, could mean anything.
//! Invariant: a line that was blackened is not changed by blackening it again.

use std::collections::BTreeSet;
use std::sync::Arc;
use world::character::{Kind, LEVEL_MAX, Player};
use world::commands::{Group, Typed, Verb, find_verb};
use world::find::{FILL_WORDS, begins_name};
use world::record::CharacterRecord;
use world::rules::Rules;
use world::rules::creation::DEFAULT_PROMPT;
use world::world::State;
use world::{Admin, Input};

/// What a verb's usage calls the words that name something of the world.
const HARMLESS: &[&str] = &[
    "art",
    "spell",
    "percent",
    "target",
    "thing",
    "container",
    "door",
    "direction",
    "friend",
    "follower",
    "followers",
    "potion",
    "scroll",
    "wand",
    "tattoo",
    "craft",
    "staff",
    "leader",
    "member",
    "player",
    "sleeper",
    "food",
    "weapon",
    "fountain",
    "coins",
    "number",
    "hit points",
    "level",
    "room",
    "zone",
    "how long",
    "place",
    "value",
    "setting",
    "all",
];

/// Words that the name of an art has at most.
const NAME_WORDS_MAX: usize = 4;

/// What was blackened so far, so that the same is blackened in what comes after.
#[derive(Debug, Default)]
pub struct Redaction {
    /// Words that are an alias of anybody.
    aliases: BTreeSet<String>,
}

impl Redaction {
    pub fn state(&mut self, state: &mut State) {
        let players =
            |state: &State| (0..state.characters.span()).filter_map(|at| state.characters.id_at(at)).collect();
        let ids: Vec<_> = players(state);
        state.channels.rewrite(black);
        state.agents.rewrite(black);
        for ground in state.plots.values_mut() {
            Arc::make_mut(ground).rewrite(&black);
        }
        // All aliases are known before the first line is read.
        for id in &ids {
            if let Some(player) = state.characters.get(*id).and_then(|character| character.player()) {
                self.aliases.extend(player.aliases.keys().cloned());
            }
        }
        for id in ids {
            if let Some(character) = state.characters.get_mut(id)
                && let Kind::Player(player) = &mut character.kind
            {
                self.player(player);
            }
        }
    }

    pub fn record(&mut self, record: &mut CharacterRecord) {
        self.player(&mut record.player);
    }

    pub fn input(&mut self, input: &mut Input) {
        match input {
            Input::Command { line, .. } => {
                let typed = Typed::parse(line);
                if find_verb(typed.word, LEVEL_MAX).is_some_and(|verb| verb.name == "alias") {
                    self.aliases.insert(world::find::first_word(typed.args).0.to_string());
                }
                *line = self.line(line);
            }
            Input::Enter { record, .. } => self.record(record),
            Input::Admin(Admin::Post { text, .. }) => *text = black(text),
            Input::Admin(Admin::Agent { terms, .. }) => {
                terms.seed = terms.seed.as_deref().map(|seed| black(seed).into());
            }
            Input::Restore { rows } => rows.iter_mut().for_each(|row| row.rewrite(&black)),
            Input::Found { args, .. } => *args = black(args).into(),
            Input::Link { .. }
            | Input::Tick
            | Input::Admin(_)
            | Input::SetValence { .. }
            | Input::KeepTalk { .. }
            | Input::Window { .. }
            | Input::Edit { .. }
            | Input::Named { .. } => {}
        }
    }

    fn player(&mut self, player: &mut Player) {
        self.aliases.extend(std::mem::take(&mut player.aliases).into_keys());
        player.title = black(&player.title).into();
        player.description = black(&player.description).into();
        player.prompt = DEFAULT_PROMPT.into();
        for waiting in &mut player.queue {
            waiting.line = self.line(&waiting.line).into();
        }
    }

    fn line(&self, line: &str) -> String {
        let line = line.trim_end();
        let Typed { word, args } = Typed::parse(line);
        // The levels of those who type are not known here; the highest finds every verb.
        let verb = find_verb(word, LEVEL_MAX).filter(|_| !self.aliases.contains(word));
        let Some(verb) = verb else { return black(line) };
        // `args` is the end of the line.
        let head = &line[..line.len() - args.len()];
        if verb.traits.runs_commands {
            let (target, command) = world::find::first_word(args);
            let between = &args[..args.len() - command.len()];
            let target_words = usize::from(!target.is_empty());
            return format!("{head}{}{}", keep(between, target_words), self.line(command));
        }
        let usage = verb.usage.trim_start_matches(['[', '\'']);
        let names = ["<art>", "<spell>"].iter().any(|kind| usage.starts_with(kind));
        let words = match names.then(|| name_of_art(args)) {
            None => harmless_words(verb),
            Some(0) => 0,
            // The usage counts the name as one word.
            Some(name) => harmless_words(verb) + name - 1,
        };
        format!("{head}{}", keep(args, words))
    }
}

/// Of how many words the name of an art is that these begin with; 0 where they are none.
fn name_of_art(args: &str) -> usize {
    let rules = Rules::built_in();
    let spells = rules.spells.iter().map(|row| &*row.name);
    let names: Vec<&str> = spells.chain(rules.skills.iter().map(|row| row.name.name())).collect();
    let words: Vec<&str> = args.split_whitespace().map(|word| word.trim_matches(['\'', '"'])).collect();
    let is_name = |count: &usize| names.iter().any(|name| begins_name(name, &words[..*count].join(" ")));
    (1..=words.len().min(NAME_WORDS_MAX)).rev().find(is_name).unwrap_or(0)
}

/// How many words after a verb name something of the world; 0 where they may be a player's own.
fn harmless_words(verb: &Verb) -> usize {
    if verb.traits.speech || verb.traits.secret || verb.group == Group::Mind {
        return 0;
    }
    let (mut most, mut words, mut depth) = (0, 0, 0);
    let mut kind = String::new();
    let mut blank = true;
    for sign in verb.usage.chars() {
        match sign {
            '<' => {
                depth += 1;
                kind.clear();
                words += 1;
                blank = false;
            }
            '>' => {
                depth -= 1;
                let kinds: Vec<&str> = kind.split('|').map(str::trim).collect();
                // Many alternatives are words to be typed as they stand there.
                if kinds.len() <= 4 && !kinds.iter().all(|kind| HARMLESS.contains(kind)) {
                    return 0;
                }
            }
            _ if depth > 0 => kind.push(sign),
            '|' => {
                most = most.max(words);
                words = 0;
                blank = true;
            }
            '[' | ']' | '\'' => {}
            ' ' => blank = true,
            _ => {
                words += usize::from(blank);
                blank = false;
            }
        }
    }
    most.max(words)
}

/// Keeps that many words, and the little ones between them; the rest is blackened.
fn keep(args: &str, words_max: usize) -> String {
    let mut kept = String::with_capacity(args.len());
    let mut words = 0;
    for piece in args.split_inclusive(char::is_whitespace) {
        let word = piece.trim();
        let fills = words_max > 0 && FILL_WORDS.iter().any(|fill| fill.eq_ignore_ascii_case(word));
        if !word.is_empty() && !fills {
            words += 1;
        }
        if fills || words <= words_max { kept.push_str(piece) } else { kept.push_str(&black(piece)) }
    }
    kept
}

fn black(text: &str) -> String {
    text.chars().map(|letter| if letter.is_alphanumeric() { 'x' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use content::words::{Class, Race};
    use world::rng::Dice;
    use world::rules::creation::{self, Choices};

    #[test]
    fn what_was_said_is_blackened_and_what_was_done_is_not() {
        let redaction = Redaction { aliases: BTreeSet::from(["k".to_string(), "hi".to_string()]) };
        for (line, black) in [
            ("tell ann meet me at 7, alone", "tell xxx xxxx xx xx x, xxxxx"),
            ("'secret", "'xxxxxx"),
            ("say hello", "say xxxxx"),
            ("get sword from the chest", "get sword from the chest"),
            ("get sword chest for ann", "get sword chest xxx xxx"),
            ("north as I said", "north xx x xxxx"),
            ("give 5 coins bob", "give 5 coins bob"),
            ("open gate north", "open gate north"),
            ("set ann gold 77", "set ann gold 77"),
            ("load obj 110", "load obj 110"),
            ("remember people.Bob = ally 1", "remember xxxxxx.xxx = xxxx x"),
            ("note remove 7", "note xxxxxx x"),
            ("title the Sly", "title xxx xxx"),
            ("prompt my secret> ", "prompt xx xxxxxx>"),
            ("alias hi say hello ann", "alias xx xxx xxxxx xxx"),
            ("description + a scar", "description + x xxxx"),
            ("help me please", "help xx xxxxxx"),
            ("password old new", "password xxx xxx"),
            ("at 3001 say hello", "at 3001 say xxxxx"),
            ("force bob get sword", "force bob get sword"),
            ("cast 'flame arrow' goblin", "cast 'flame arrow' goblin"),
            ("cast fla arr goblin so rude", "cast fla arr goblin xx xxxx"),
            ("will 'mind bar' ann and more", "will 'mind bar' ann xxx xxxx"),
            ("cast 'what I think'", "cast 'xxxx x xxxxx'"),
            ("practice flame arrow", "practice flame arrow"),
            ("quaff vial", "quaff vial"),
            ("recite scroll ann", "recite scroll ann"),
            ("use wand goblin", "use wand goblin"),
            ("use tattoo", "use tattoo"),
            ("remort paladin now", "remort paladin xxx"),
            ("buy identify wand", "buy identify wand"),
            ("ignore bob the fool", "ignore bob the xxxx"),
            ("mute bob 30 for rudeness", "mute bob 30 xxx xxxxxxxx"),
            ("complain bob he hit me", "complain xxx xx xxx xx"),
            ("order imp kill straw", "order imp kill straw"),
            ("order followers say hush", "order followers say xxxx"),
            ("gosip hello all", "xxxxx xxxxx xxx"),
            ("smile ann", "xxxxx xxx"),
            ("no such verb", "no xxxx xxxx"),
            ("k my secret", "x xx xxxxxx"),
            ("hi there", "xx xxxxx"),
        ] {
            let redacted = redaction.line(line);
            assert_eq!(redacted, black, "{line}");
            assert_eq!(redaction.line(&redacted), redacted, "{line}: twice");
        }
    }

    #[test]
    fn nothing_that_was_said_or_hung_up_in_a_channel_stays() {
        use world::channel::{Channel, ChannelKind, Channels, Words};
        let mut channels = Channels::default();
        let ann = channels.admit(&"Ann".into(), None, None);
        let secrets = ["hush", "whist", "quiet", "mum"];
        let mut home = Channel::new(ChannelKind::Home, Some(ann), 80, 0);
        home.billboard = "the hush".into();
        home.keys.insert("quiet".into());
        home.name = "Whist whist".into();
        channels.open(ann, home);
        channels.join(ann, ann, 0);
        let words = Words { text: "mum and hush".into(), count: 3, reply_to: None, typed_by: 1 };
        channels.wait(ann, ann, 0, words);
        channels.rewrite(black);
        let kept = serde_json::to_string(&channels).expect("channels are JSON").to_lowercase();
        assert!(secrets.iter().all(|secret| !kept.contains(secret)), "{kept}");
        assert!(kept.contains("ann"), "who there is stays");
        assert_eq!(channels.check(), [""; 0]);
    }

    #[test]
    fn nothing_of_a_player_s_own_words_stays_in_its_state() {
        let rules = world::rules::Rules::built_in();
        let mut dice = Dice::new(1, 2, 3, 4);
        let abilities = creation::roll_abilities(&rules, Race::Human, Class::Warrior, &mut dice);
        let choices = Choices { abilities, ..Choices::plain("Ann") };
        let mut record = creation::newborn(&rules, &choices, &mut dice);
        let secrets = ["hush", "whist", "quiet", "mum"];
        record.player.title = "the hush".into();
        record.player.description = "whist\nand hush".into();
        record.player.prompt = "quiet> ".into();
        record.player.aliases.insert("mum".into(), "say quiet".into());
        for line in ["say hush", "mum whist", "gosip quiet", "get hush"] {
            let id = world::number::CommandId { input: 1, part: 0 };
            record.player.queue.push_back(world::character::Queued { line: line.into(), id });
        }
        Redaction::default().record(&mut record);
        let player = serde_json::to_string(&record.player).expect("a player is JSON");
        // What is taken up is a thing of the world.
        let player = player.replace("get hush", "");
        assert!(secrets.iter().all(|secret| !player.contains(secret)), "{player}");
    }
}
