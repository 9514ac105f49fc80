//! Formulas of the rule book: `5d3+L`, `max(4, rand(L/6, 2*L))`, `Ld4+L`.
//!
//! Integers throughout. `+ - * /` (what is divided by 0 is 0), `min max rand(a, b)`, `NdS` with any number on either
//! side, brackets; and the values of the moment, each a letter or a word (`VALUES`). Invariants: reading never panics
//! and never recurses deeper than a row is long; working one out never overflows, as each step is kept within
//! ±`MOST`.

use crate::Text;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// No step of a formula comes to more.
const MOST: i64 = 1_000_000_000;
/// Longer ones are refused: no rule needs them, and brackets nest no deeper.
const LENGTH_MAX: usize = 200;

/// What a formula may ask for, as it is written there.
const VALUES: [(&str, Value); 7] = [
    ("L", Value::Level),
    ("V", Value::VictimLevel),
    ("R", Value::Reagent),
    ("mage", Value::Mage),
    ("psi", Value::Psi),
    ("good", Value::Good),
    ("devout", Value::Devout),
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Value {
    Level,
    VictimLevel,
    Reagent,
    Mage,
    Psi,
    Good,
    Devout,
}

/// The values of the moment: levels, and 0 or 1 for the rest.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Values {
    pub level: i32,
    pub victim_level: i32,
    /// The reagent was used up for it.
    pub reagent: bool,
    /// Of the caster.
    pub mage: bool,
    pub psi: bool,
    pub good: bool,
    /// Wholly good or wholly evil.
    pub devout: bool,
}

/// Where a formula's chance comes from.
pub trait Throws {
    fn roll(&mut self, count: i32, sides: i32) -> i32;
    fn range(&mut self, low: i32, high: i32) -> i32;
}

/// A formula, kept as it was written.
#[derive(Clone, PartialEq, Debug)]
pub struct Formula {
    text: Text,
    root: Node,
}

#[derive(Clone, PartialEq, Debug)]
enum Node {
    Number(i64),
    Value(Value),
    Two(Operation, Box<(Node, Node)>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
    Min,
    Max,
    Rand,
    Dice,
}

impl Formula {
    /// Works it out. `throws` is asked once for each die or range in it, from left to right.
    pub fn value(&self, values: &Values, throws: &mut dyn Throws) -> i32 {
        work_out(&self.root, values, throws) as i32
    }

    /// What it comes to on average, in integers, as each of its steps does.
    pub fn average(&self, values: &Values) -> i32 {
        self.value(values, &mut Average)
    }

    pub fn text(&self) -> &str {
        &self.text
    }
}

/// More dice are never thrown at once.
const DICE_MAX: i32 = 1_000;

/// Dice that all fall in the middle.
struct Average;

impl Throws for Average {
    fn roll(&mut self, count: i32, sides: i32) -> i32 {
        let sum = i64::from(count.clamp(0, DICE_MAX)) * (i64::from(sides.max(0)) + 1) / 2;
        sum.min(MOST) as i32
    }

    fn range(&mut self, low: i32, high: i32) -> i32 {
        ((i64::from(low) + i64::from(high.max(low))) / 2) as i32
    }
}

fn work_out(node: &Node, values: &Values, throws: &mut dyn Throws) -> i64 {
    let (operation, operands) = match node {
        Node::Number(number) => return *number,
        Node::Value(value) => {
            return match value {
                Value::Level => i64::from(values.level),
                Value::VictimLevel => i64::from(values.victim_level),
                Value::Reagent => i64::from(values.reagent),
                Value::Mage => i64::from(values.mage),
                Value::Psi => i64::from(values.psi),
                Value::Good => i64::from(values.good),
                Value::Devout => i64::from(values.devout),
            };
        }
        Node::Two(operation, operands) => (operation, operands),
    };
    let one = work_out(&operands.0, values, throws);
    let two = work_out(&operands.1, values, throws);
    let result = match operation {
        Operation::Add => one + two,
        Operation::Subtract => one - two,
        Operation::Multiply => one * two,
        Operation::Divide => one.checked_div(two).unwrap_or(0),
        Operation::Min => one.min(two),
        Operation::Max => one.max(two),
        Operation::Rand => i64::from(throws.range(one as i32, two as i32)),
        Operation::Dice => i64::from(throws.roll(one as i32, two as i32)),
    };
    result.clamp(-MOST, MOST)
}

impl From<i32> for Formula {
    fn from(number: i32) -> Formula {
        let number = i64::from(number).clamp(-MOST, MOST);
        Formula { text: number.to_string().into(), root: Node::Number(number) }
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl FromStr for Formula {
    type Err = String;

    fn from_str(text: &str) -> Result<Formula, String> {
        if text.len() > LENGTH_MAX {
            return Err(format!("a formula of more than {LENGTH_MAX} characters"));
        }
        let tokens = tokens(text)?;
        let mut reader = Reader { tokens: &tokens, at: 0 };
        let root = reader.sum()?;
        match reader.tokens.get(reader.at) {
            None => Ok(Formula { text: text.into(), root }),
            Some(token) => Err(format!("{token} is one too many in {text:?}")),
        }
    }
}

impl Serialize for Formula {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for Formula {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Formula, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Formula;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a number, or a formula such as \"5d3+L\"")
            }

            fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Formula, E> {
                i32::try_from(number).map(Formula::from).map_err(|_| E::custom("the number is too big"))
            }

            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Formula, E> {
                i32::try_from(number).map(Formula::from).map_err(|_| E::custom("the number is too big"))
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Formula, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

#[derive(Clone, PartialEq, Debug)]
enum Token {
    Number(i64),
    Word(String),
    Sign(char),
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Number(number) => write!(f, "{number}"),
            Token::Word(word) => write!(f, "{word:?}"),
            Token::Sign(sign) => write!(f, "{sign:?}"),
        }
    }
}

/// Numbers, signs, words of small letters, and single big letters.
fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.chars().peekable();
    while let Some(first) = rest.next() {
        tokens.push(match first {
            ' ' => continue,
            '0'..='9' => {
                let mut number = i64::from(first.to_digit(10).unwrap_or_default());
                while let Some(digit) = rest.peek().and_then(|c| c.to_digit(10)) {
                    number = (number * 10 + i64::from(digit)).min(MOST);
                    rest.next();
                }
                Token::Number(number)
            }
            'A'..='Z' => Token::Word(first.to_string()),
            'a'..='z' => {
                let mut word = first.to_string();
                while let Some(letter) = rest.next_if(char::is_ascii_lowercase) {
                    word.push(letter);
                }
                Token::Word(word)
            }
            '+' | '-' | '*' | '/' | '(' | ')' | ',' => Token::Sign(first),
            other => return Err(format!("{other:?} has no meaning in {text:?}")),
        });
    }
    Ok(tokens)
}

struct Reader<'t> {
    tokens: &'t [Token],
    at: usize,
}

impl Reader<'_> {
    fn takes(&mut self, wanted: &Token) -> bool {
        let there = self.tokens.get(self.at) == Some(wanted);
        self.at += usize::from(there);
        there
    }

    fn needs(&mut self, sign: char) -> Result<(), String> {
        if self.takes(&Token::Sign(sign)) { Ok(()) } else { Err(format!("{sign:?} is missing")) }
    }

    fn sum(&mut self) -> Result<Node, String> {
        let mut sum = self.product()?;
        loop {
            let operation = match () {
                () if self.takes(&Token::Sign('+')) => Operation::Add,
                () if self.takes(&Token::Sign('-')) => Operation::Subtract,
                () => return Ok(sum),
            };
            sum = two(operation, sum, self.product()?);
        }
    }

    fn product(&mut self) -> Result<Node, String> {
        let mut product = self.dice()?;
        loop {
            let operation = match () {
                () if self.takes(&Token::Sign('*')) => Operation::Multiply,
                () if self.takes(&Token::Sign('/')) => Operation::Divide,
                () => return Ok(product),
            };
            product = two(operation, product, self.dice()?);
        }
    }

    fn dice(&mut self) -> Result<Node, String> {
        let count = self.atom()?;
        match self.takes(&Token::Word("d".into())) {
            true => Ok(two(Operation::Dice, count, self.atom()?)),
            false => Ok(count),
        }
    }

    fn atom(&mut self) -> Result<Node, String> {
        let Some(token) = self.tokens.get(self.at) else { return Err("it ends too early".to_string()) };
        self.at += 1;
        match token {
            Token::Number(number) => Ok(Node::Number(*number)),
            Token::Sign('-') => Ok(two(Operation::Subtract, Node::Number(0), self.atom()?)),
            Token::Sign('(') => {
                let inner = self.sum()?;
                self.needs(')')?;
                Ok(inner)
            }
            Token::Word(word) => {
                let operation = match word.as_str() {
                    "min" => Operation::Min,
                    "max" => Operation::Max,
                    "rand" => Operation::Rand,
                    other => {
                        let value = VALUES.iter().find(|(name, _)| name == &other);
                        return value.map(|(_, value)| Node::Value(*value)).ok_or_else(|| {
                            let names: Vec<&str> = VALUES.iter().map(|(name, _)| *name).collect();
                            format!("{other:?} is none of {}, min, max, rand", names.join(", "))
                        });
                    }
                };
                self.needs('(')?;
                let one = self.sum()?;
                self.needs(',')?;
                let other = self.sum()?;
                self.needs(')')?;
                Ok(two(operation, one, other))
            }
            Token::Sign(sign) => Err(format!("{sign:?} where a number should be")),
        }
    }
}

fn two(operation: Operation, one: Node, other: Node) -> Node {
    Node::Two(operation, Box::new((one, other)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Dice that all show their highest, or their lowest.
    struct All(bool);

    impl Throws for All {
        fn roll(&mut self, count: i32, sides: i32) -> i32 {
            let count = count.clamp(0, 1_000);
            if self.0 { count.saturating_mul(sides) } else { count }
        }

        fn range(&mut self, low: i32, high: i32) -> i32 {
            if self.0 { high.max(low) } else { low }
        }
    }

    fn ends(text: &str, values: Values) -> (i32, i32) {
        let formula: Formula = text.parse().unwrap_or_else(|what| panic!("{text}: {what}"));
        (formula.value(&values, &mut All(false)), formula.value(&values, &mut All(true)))
    }

    #[test]
    fn a_formula_is_worked_out_as_it_is_written() {
        let values = Values { level: 10, victim_level: 3, reagent: true, mage: true, ..Values::default() };
        for (text, least, most) in [
            ("7", 7, 7),
            ("5d3+L", 15, 25),
            ("2+3*4-1", 13, 13),
            ("(2+3)*4", 20, 20),
            ("Ld4+L", 20, 50),
            ("3dL", 3, 30),
            ("max(4, rand(L/6, 2*L))", 4, 20),
            ("12d8+2*L+mage*(20+R*L)", 62, 146),
            ("-V", -3, -3),
            ("1-psi-good", 1, 1),
            ("7/0", 0, 0),
            ("max(4, L)d4", 10, 40),
            ("1000000000*1000000000", 1_000_000_000, 1_000_000_000),
            ("99999999999999999999", 1_000_000_000, 1_000_000_000),
            ("1000000000d6", 1_000, 6_000),
        ] {
            assert_eq!(ends(text, values), (least, most), "{text}");
        }
    }

    #[test]
    fn an_average_lies_between_the_ends() {
        let values = Values { level: 10, victim_level: 3, reagent: true, mage: true, ..Values::default() };
        for (text, average) in [
            ("7", 7),
            ("5d3+L", 20),
            ("Ld4+L", 35),
            ("3d6", 10),
            ("0d6", 0),
            ("max(4, rand(L/6, 2*L))", 10),
            ("12d8+2*L+mage*(20+R*L)", 104),
            ("1000000000d1000000000", 1_000_000_000),
        ] {
            let formula: Formula = text.parse().unwrap_or_else(|what| panic!("{text}: {what}"));
            assert_eq!(formula.average(&values), average, "{text}");
        }
    }

    #[test]
    fn what_is_no_formula_says_why() {
        for (text, why) in [
            ("", "it ends too early"),
            ("5d", "it ends too early"),
            ("5 5", "5 is one too many in \"5 5\""),
            ("X+1", "\"X\" is none of L, V, R, mage, psi, good, devout, min, max, rand"),
            ("min(1)", "',' is missing"),
            ("(1", "')' is missing"),
            ("5;3", "';' has no meaning in \"5;3\""),
            ("*3", "'*' where a number should be"),
        ] {
            assert_eq!(text.parse::<Formula>().unwrap_err(), why, "{text}");
        }
        assert!("(".repeat(10_000).parse::<Formula>().is_err(), "no row is deep enough to break the reader");
    }
}
