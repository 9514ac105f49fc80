//! A person's conversation before the game: name, password, menu or creation.
//!
//! `Conversation::line` takes what was typed and gives back steps; a `Step::Ask` is work for the shell, whose outcome
//! comes back through `Conversation::answered`. Nothing here waits.

use super::NewCharacter;
use super::creation::{BACK, Dialogue, Next};
use crate::credentials::check_password;
use content::{Content, Text};
use protocol::names;

/// What the shell is to do, in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Text for the caller; line breaks as `\n`.
    Print(String),
    /// Whether what is typed must not be shown.
    Password(bool),
    Ask(Ask),
    /// A list of games asks what this one is (MSSP as text).
    Listing,
    Close,
}

/// Work that has to be waited for.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// Is there an account of that name?
    Exists {
        name: String,
    },
    Login {
        name: String,
        password: Secret,
    },
    /// A character is to be made; the answer is `Answer::Created`, `Answer::NameTaken` or a refusal.
    Create(Box<NewCharacter>),
    ChangePassword {
        old: Secret,
        new: Secret,
    },
    Describe {
        text: String,
    },
    Delete {
        password: Secret,
    },
    /// Into the game.
    Enter,
    /// A dialogue for a new character is wanted; `Answer::Dialogue` brings it.
    NewDialogue {
        name: String,
    },
}

/// A password on its way: `Debug` shows nothing of it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(pub String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("…")
    }
}

/// How the work went.
pub enum Answer {
    Exists(bool),
    /// Logged in; the message of the day is shown and the menu comes.
    LoggedIn {
        motd: String,
    },
    /// Refused; `over`: the connection ends.
    Refused {
        message: String,
        over: bool,
    },
    Created {
        motd: String,
    },
    /// The name was taken meanwhile.
    NameTaken {
        message: String,
    },
    Done {
        message: String,
    },
    Deleted {
        message: String,
    },
    Dialogue(Box<Dialogue>),
}

enum State {
    Name,
    ConfirmName {
        name: String,
    },
    Password {
        name: String,
    },
    NewPassword {
        name: String,
    },
    RepeatPassword {
        name: String,
        password: Secret,
    },
    Creating {
        name: String,
        password: Secret,
        dialogue: Option<Box<Dialogue>>,
    },
    Menu,
    Describing {
        text: String,
    },
    OldPassword,
    ChosenPassword {
        old: Secret,
    },
    RepeatChosen {
        old: Secret,
        new: Secret,
    },
    Deleting,
    /// Between asking the shell and its answer; lines that come meanwhile are dropped.
    Waiting(Waiting),
}

#[derive(Clone)]
enum Waiting {
    Exists { name: String },
    Login { name: String },
    Create,
    Dialogue { name: String, password: Secret },
    Menu,
}

/// Wrong passwords on one connection before it is closed. Source: game reference §3.
pub const TRIES_MAX: u32 = 3;
/// Longest description, in characters.
const DESCRIPTION_MAX: usize = 1_000;

pub struct Conversation {
    state: State,
    tries: u32,
    story: Text,
    /// What the world says to who goes away.
    farewell: Text,
}

/// In place of a name: from lists of games that speak no telnet. No name has a hyphen.
const LISTING_REQUEST: &str = "mssp-request";
const NAME_PROMPT: &str = "\nBy what name are you known? ";
const MENU: &str = "
  1  Enter the world
  2  Say what others see when they look at you
  3  Read the story so far
  4  Change your password
  5  Delete this character
  0  Leave

What will it be? ";

/// For a world whose builders tell none.
const NO_STORY: &str = "Nobody has written it down. You will have to see for yourself.";

impl Conversation {
    /// With what the caller reads first.
    pub fn begin(greeting: &str, content: &Content) -> (Conversation, Vec<Step>) {
        let (story, farewell) = (content.story.clone(), content.sentences.farewell.clone());
        let conversation = Conversation { state: State::Name, tries: 0, story, farewell };
        (conversation, vec![Step::Print(format!("{}\n{NAME_PROMPT}", greeting.trim_end()))])
    }

    fn print(text: impl Into<String>) -> Vec<Step> {
        vec![Step::Print(text.into())]
    }

    /// Whether a new character is being made: that takes longer than saying who one is.
    pub fn creates(&self) -> bool {
        matches!(
            self.state,
            State::NewPassword { .. }
                | State::RepeatPassword { .. }
                | State::Creating { .. }
                | State::Waiting(Waiting::Dialogue { .. } | Waiting::Create)
        )
    }

    /// Nobody has begun to say who it is.
    pub fn asks_for_name(&self) -> bool {
        matches!(self.state, State::Name)
    }

    /// Takes one line.
    pub fn line(&mut self, typed: &str) -> Vec<Step> {
        let state = std::mem::replace(&mut self.state, State::Waiting(Waiting::Menu));
        match state {
            State::Name => self.take_name(typed.trim()),
            State::ConfirmName { name } => self.confirm_name(name, typed.trim()),
            State::Password { name } => {
                let ask = Ask::Login { name: name.clone(), password: Secret(typed.to_string()) };
                self.state = State::Waiting(Waiting::Login { name });
                vec![Step::Password(false), Step::Ask(ask)]
            }
            State::NewPassword { name } => match check_password(&name, typed) {
                Ok(()) => {
                    self.state = State::RepeatPassword { name, password: Secret(typed.to_string()) };
                    Self::print("\nAnd once more: ")
                }
                Err(refusal) => {
                    self.state = State::NewPassword { name };
                    Self::print(format!("\n{refusal}\nA password: "))
                }
            },
            State::RepeatPassword { name, password } if typed == password.0 => {
                let ask = Ask::NewDialogue { name: name.clone() };
                self.state = State::Waiting(Waiting::Dialogue { name, password });
                vec![Step::Password(false), Step::Print("\n".into()), Step::Ask(ask)]
            }
            State::RepeatPassword { name, .. } => {
                self.state = State::NewPassword { name };
                Self::print("\nThese two differ. Once again.\nA password: ")
            }
            State::Creating { name, password, dialogue } => self.create(name, password, dialogue, typed),
            State::Menu => self.choose(typed.trim()),
            State::Describing { text } => self.describe(text, typed),
            State::OldPassword => {
                self.state = State::ChosenPassword { old: Secret(typed.to_string()) };
                Self::print("\nThe new one: ")
            }
            State::ChosenPassword { old } => {
                self.state = State::RepeatChosen { old, new: Secret(typed.to_string()) };
                Self::print("\nAnd once more: ")
            }
            State::RepeatChosen { old, new } => {
                if typed != new.0 {
                    self.state = State::Menu;
                    return vec![
                        Step::Password(false),
                        Step::Print(format!("\nThese two differ. Nothing was changed.\n{MENU}")),
                    ];
                }
                self.state = State::Waiting(Waiting::Menu);
                vec![Step::Password(false), Step::Ask(Ask::ChangePassword { old, new })]
            }
            State::Deleting => {
                if typed.is_empty() {
                    self.state = State::Menu;
                    return vec![Step::Password(false), Step::Print(format!("\nNothing was deleted.\n{MENU}"))];
                }
                self.state = State::Waiting(Waiting::Menu);
                vec![Step::Password(false), Step::Ask(Ask::Delete { password: Secret(typed.to_string()) })]
            }
            State::Waiting(waiting) => {
                self.state = State::Waiting(waiting);
                Vec::new()
            }
        }
    }

    fn take_name(&mut self, typed: &str) -> Vec<Step> {
        if typed.is_empty() {
            self.state = State::Name;
            return Self::print(NAME_PROMPT.trim_start());
        }
        if typed.eq_ignore_ascii_case(LISTING_REQUEST) {
            self.state = State::Name;
            return vec![Step::Listing, Step::Print(NAME_PROMPT.to_string())];
        }
        match names::check_name(typed) {
            Ok(name) => {
                let ask = Ask::Exists { name: name.clone() };
                self.state = State::Waiting(Waiting::Exists { name });
                vec![Step::Ask(ask)]
            }
            Err(refusal) => {
                self.state = State::Name;
                Self::print(format!("{refusal}\n{NAME_PROMPT}"))
            }
        }
    }

    fn confirm_name(&mut self, name: String, typed: &str) -> Vec<Step> {
        match typed.to_ascii_lowercase().as_str() {
            "y" | "yes" => {
                self.state = State::NewPassword { name: name.clone() };
                vec![
                    Step::Print(format!(
                        "\nWelcome, {name}. You will need a password, which nobody else should know.\nA password: "
                    )),
                    Step::Password(true),
                ]
            }
            "n" | "no" => {
                self.state = State::Name;
                Self::print(format!("Then what is it?\n{NAME_PROMPT}"))
            }
            _ => {
                self.state = State::ConfirmName { name };
                Self::print("Please answer yes or no: ")
            }
        }
    }

    fn create(&mut self, name: String, password: Secret, dialogue: Option<Box<Dialogue>>, typed: &str) -> Vec<Step> {
        let Some(mut dialogue) = dialogue else { return Vec::new() };
        // Who presses Enter has not chosen: the question stands there again, unless there is but one choice.
        if typed.trim().is_empty() && dialogue.question().options.0.len() > 1 {
            let text = question_text(&dialogue);
            self.state = State::Creating { name, password, dialogue: Some(dialogue) };
            return Self::print(text);
        }
        match dialogue.answer_of_person(&key_of(&dialogue, typed)) {
            Ok(Next::Ask) => {
                let text = question_text(&dialogue);
                self.state = State::Creating { name, password, dialogue: Some(dialogue) };
                Self::print(text)
            }
            Ok(Next::Done(chosen)) => {
                let new = NewCharacter::of(name.clone(), password.0.clone(), *chosen);
                self.state = State::Waiting(Waiting::Create);
                vec![Step::Ask(Ask::Create(Box::new(new)))]
            }
            Err(message) => {
                // Behind a page of help the question has left the screen, or nobody remembers its numbers.
                let text = match Dialogue::asks_for_help(typed) && dialogue.explains() {
                    true => format!("{message}\n{}", question_text(&dialogue)),
                    false => format!("{message}\n> "),
                };
                self.state = State::Creating { name, password, dialogue: Some(dialogue) };
                Self::print(text)
            }
        }
    }

    fn choose(&mut self, typed: &str) -> Vec<Step> {
        self.state = State::Menu;
        match typed.chars().next() {
            None | Some('1') => {
                self.state = State::Waiting(Waiting::Menu);
                vec![Step::Ask(Ask::Enter)]
            }
            Some('2') => {
                self.state = State::Describing { text: String::new() };
                Self::print(
                    "\nWrite what others see. Your lines become one paragraph. A single dot on a line ends it; a dot at\n\
                     once clears what there is.\n] ",
                )
            }
            Some('3') if self.story.is_empty() => Self::print(format!("\n{NO_STORY}\n{MENU}")),
            Some('3') => Self::print(format!("\n{}\n{MENU}", self.story.trim_end())),
            Some('4') => {
                self.state = State::OldPassword;
                vec![Step::Print("\nYour present password: ".into()), Step::Password(true)]
            }
            Some('5') => {
                self.state = State::Deleting;
                vec![
                    Step::Print("\nThis cannot be undone. To delete this character, give its password; an empty line goes back: ".into()),
                    Step::Password(true),
                ]
            }
            Some('0' | 'q' | 'Q') => vec![Step::Print(format!("\n{}\n", self.farewell)), Step::Close],
            Some(_) => Self::print(format!("\nThat is not on the list.\n{MENU}")),
        }
    }

    fn describe(&mut self, mut text: String, typed: &str) -> Vec<Step> {
        if typed.trim() != "." {
            let left = DESCRIPTION_MAX.saturating_sub(text.chars().count());
            text.extend(typed.chars().take(left));
            text.push('\n');
            if text.chars().count() < DESCRIPTION_MAX {
                self.state = State::Describing { text };
                return Self::print("] ");
            }
            self.state = State::Waiting(Waiting::Menu);
            let told = format!("\nNo more than {DESCRIPTION_MAX} characters fit; what came after them is not in it.\n");
            return vec![Step::Print(told), Step::Ask(Ask::Describe { text })];
        }
        self.state = State::Waiting(Waiting::Menu);
        vec![Step::Ask(Ask::Describe { text })]
    }

    /// The shell has done its work.
    pub fn answered(&mut self, answer: Answer) -> Vec<Step> {
        let State::Waiting(waiting) = std::mem::replace(&mut self.state, State::Name) else { return Vec::new() };
        match (answer, waiting) {
            (Answer::Exists(true), Waiting::Exists { name }) => {
                self.state = State::Password { name };
                vec![Step::Print("Password: ".into()), Step::Password(true)]
            }
            (Answer::Exists(false), Waiting::Exists { name }) => {
                let text = format!("Nobody here is called {name}. Shall it be your name? (yes/no) ");
                self.state = State::ConfirmName { name };
                Self::print(text)
            }
            (Answer::LoggedIn { motd }, _) | (Answer::Created { motd }, _) => {
                self.state = State::Menu;
                Self::print(format!("\n\n{}\n{MENU}", motd.trim()))
            }
            (Answer::Refused { message, over: true }, _) => vec![Step::Print(format!("\n{message}\n")), Step::Close],
            (Answer::Refused { message, over: false }, Waiting::Login { name }) => {
                self.tries += 1;
                if self.tries >= TRIES_MAX {
                    return vec![
                        Step::Print(format!("\n{message}\nThat was one try too many. Goodbye.\n")),
                        Step::Close,
                    ];
                }
                self.state = State::Password { name };
                vec![Step::Print(format!("\n{message}\nPassword: ")), Step::Password(true)]
            }
            (Answer::Refused { message, .. }, Waiting::Menu) => {
                self.state = State::Menu;
                Self::print(format!("\n{message}\n{MENU}"))
            }
            (Answer::Refused { message, .. }, _) | (Answer::NameTaken { message }, _) => {
                Self::print(format!("\n{message}\n{NAME_PROMPT}"))
            }
            (Answer::Done { message }, _) => {
                self.state = State::Menu;
                Self::print(format!("\n{message}\n{MENU}"))
            }
            (Answer::Deleted { message }, _) => vec![Step::Print(format!("\n{message}\n")), Step::Close],
            (Answer::Dialogue(dialogue), Waiting::Dialogue { name, password }) => {
                let text = question_text(&dialogue);
                self.state = State::Creating { name, password, dialogue: Some(dialogue) };
                Self::print(text)
            }
            (Answer::Exists(_) | Answer::Dialogue(_), _) => Self::print(NAME_PROMPT),
        }
    }
}

/// A question of the creation dialogue as a person reads it.
fn question_text(dialogue: &Dialogue) -> String {
    let question = dialogue.question();
    let mut text = String::from("\n");
    if let Some(roll) = dialogue.roll_in_words() {
        text.push_str(&roll);
        text.push('\n');
    }
    text.push_str(&question.prompt);
    text.push('\n');
    for (n, (key, label)) in question.options.0.iter().enumerate() {
        match dialogue.is_numbered() {
            true => text.push_str(&format!("  {}  {label}\n", n + 1)),
            false => text.push_str(&format!("  {key}  {label}\n")),
        }
    }
    if dialogue.explains() {
        let what = if dialogue.is_numbered() { "What they are" } else { "What the words mean" };
        text.push_str(&format!("  ?  {what}\n"));
    }
    if dialogue.goes_back() {
        text.push_str(&format!("  {BACK}  The question before\n"));
    }
    text.push_str("> ");
    text
}

/// The key of the choice that somebody typed by its number in the list: the numbers on the wire have gaps.
fn key_of(dialogue: &Dialogue, typed: &str) -> String {
    let Ok(number) = typed.trim().parse::<usize>() else { return typed.to_string() };
    if !dialogue.is_numbered() {
        return typed.to_string();
    }
    let options = dialogue.question().options.0;
    let chosen = number.checked_sub(1).and_then(|at| options.get(at));
    // No choice has a sign before its number.
    chosen.map_or_else(|| format!("#{number}"), |(key, _)| key.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use world::rng::Dice;
    use world::rules::Rules;

    fn printed(steps: &[Step]) -> String {
        steps.iter().filter_map(|s| if let Step::Print(t) = s { Some(t.as_str()) } else { None }).collect()
    }

    fn asked(steps: &[Step]) -> Ask {
        steps
            .iter()
            .find_map(|s| if let Step::Ask(a) = s { Some(a.clone()) } else { None })
            .expect("something is asked")
    }

    #[test]
    fn a_newcomer_is_led_from_the_name_to_the_menu() {
        let mut content = Content::default();
        content.story = "A story.".into();
        let (mut talk, steps) = Conversation::begin("Welcome.", &content);
        assert!(printed(&steps).ends_with("known? "));
        assert_eq!(asked(&talk.line("bob")), Ask::Exists { name: "Bob".into() });
        assert!(printed(&talk.answered(Answer::Exists(false))).contains("Nobody here is called Bob"));
        assert!(talk.line("y").contains(&Step::Password(true)));
        talk.line("hunter2!");
        let steps = talk.line("hunter2!");
        assert!(steps.contains(&Step::Password(false)));
        let dialogue = Dialogue::new(Arc::new(Rules::built_in()), Vec::new(), Dice::new(1, 0, 0, 0));
        talk.answered(Answer::Dialogue(Box::new(dialogue)));
        assert!(printed(&talk.line("")).contains("Can your screen show colours?"), "an empty line is no answer");
        for answer in ["n", "f", "human", "warrior"] {
            talk.line(answer);
        }
        let Ask::Create(new) = asked(&talk.line("y")) else { panic!("a character is to be made") };
        assert_eq!((new.name.as_str(), new.password.as_deref()), ("Bob", Some("hunter2!")));
        assert!(printed(&talk.answered(Answer::Created { motd: "Hello.".into() })).contains("Enter the world"));
        assert_eq!(asked(&talk.line("1")), Ask::Enter);
    }

    #[test]
    fn the_question_stands_again_below_what_its_choices_mean() {
        let (mut talk, _) = Conversation::begin("", &Content::default());
        talk.line("bob");
        talk.answered(Answer::Exists(false));
        for answer in ["y", "hunter2!", "hunter2!"] {
            talk.line(answer);
        }
        let dialogue = Dialogue::new(Arc::new(Rules::built_in()), Vec::new(), Dice::new(1, 0, 0, 0));
        talk.answered(Answer::Dialogue(Box::new(dialogue)));
        for answer in ["n", "f"] {
            talk.line(answer);
        }
        for asked in ["?", " help "] {
            let text = printed(&talk.line(asked));
            let (meaning, question) = text.split_once("Of which people are you?").expect("the question again");
            assert!(meaning.contains("Elf. "), "{text}");
            assert!(question.contains("  1  Human\n") && question.ends_with("> "), "{text}");
        }
        let refused = printed(&talk.line("dragon"));
        assert!(refused.contains("none of the choices") && !refused.contains("Of which people"), "{refused}");
    }

    #[test]
    fn the_third_wrong_password_ends_the_call() {
        let (mut talk, _) = Conversation::begin("", &Content::default());
        talk.line("bob");
        talk.answered(Answer::Exists(true));
        for n in 1..=3 {
            talk.line("wrong");
            let steps = talk.answered(Answer::Refused { message: "Invalid password.".into(), over: false });
            assert_eq!(steps.contains(&Step::Close), n == 3, "after {n}");
        }
    }

    #[test]
    fn a_description_that_is_too_long_is_cut_and_its_writer_told() {
        let (mut talk, _) = Conversation::begin("", &Content::default());
        talk.line("bob");
        talk.answered(Answer::Exists(true));
        talk.line("hunter2!");
        talk.answered(Answer::LoggedIn { motd: String::new() });
        talk.line("2");
        assert_eq!(printed(&talk.line("Tall.")), "] ");
        let steps = talk.line(&"x".repeat(DESCRIPTION_MAX));
        assert!(printed(&steps).contains("No more than 1000 characters fit"));
        let Ask::Describe { text } = asked(&steps) else { panic!("it is to be kept") };
        assert_eq!(text.trim_end().chars().count(), DESCRIPTION_MAX);
    }

    #[test]
    fn what_is_typed_while_the_shell_works_is_dropped() {
        let (mut talk, _) = Conversation::begin("", &Content::default());
        talk.line("bob");
        assert!(talk.line("impatient").is_empty());
        assert!(printed(&talk.answered(Answer::Exists(true))).contains("Password"));
    }

    #[test]
    fn a_password_never_shows_in_debug_output() {
        assert_eq!(format!("{:?}", Secret("swordfish".into())), "…");
    }
}
