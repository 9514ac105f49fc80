//! What a script must not do, as far as its text shows it: order that differs from one run to the next, and sums that
//! differ from one machine to another. The rest is kept from it by what it is given (`world/src/scripts`).

use super::lexer::{Kind, Token, tokens};
use super::{Hook, HookSet, SOURCE_MAX};

/// Libraries that a script has: each is only ever followed by a dot.
const LIBRARIES: [&str; 6] = ["string", "table", "math", "utf8", "bit32", "world"];
/// Functions over which a loop may go. They can only be called.
const WALKERS: [&str; 2] = ["pairs", "ipairs"];

/// The hooks that a source defines, as global functions.
pub(super) fn hooks(source: &str) -> HookSet {
    let mut set = HookSet::default();
    for (_, name) in functions(&tokens(source)) {
        if let Some(hook) = Hook::named(name) {
            set.insert(hook);
        }
    }
    set
}

/// Global functions of a source, each with its line.
fn functions<'s>(all: &[Token<'s>]) -> Vec<(u32, &'s str)> {
    let mut found = Vec::new();
    for (at, token) in all.iter().enumerate() {
        let local = at > 0 && all[at - 1].kind == Kind::Name("local");
        if token.kind == Kind::Name("function")
            && !local
            && let Some(Token { kind: Kind::Name(name), line }) = all.get(at + 1)
            && all.get(at + 2).is_some_and(|next| next.kind == Kind::Operator("("))
        {
            found.push((*line, *name));
        }
    }
    found
}

/// What is wrong with a source: line and sentence.
pub fn faults(source: &str) -> Vec<(u32, String)> {
    let mut found = Vec::new();
    if source.len() > SOURCE_MAX {
        return vec![(1, format!("a script has at most {} KB", SOURCE_MAX >> 10))];
    }
    let all = tokens(source);
    if let Some((line, bracket)) = open_bracket(&all).filter(|_| hooks(source).is_empty()) {
        // What is cut off may have been a hook; where there is one the compiler tells it.
        return vec![(line, format!("this is no Luau: the {bracket} is never closed"))];
    }
    if hooks(source).is_empty() {
        found.push((1, format!("it defines no hook: a function of one of these names: {}", names_of_hooks())));
    }
    for (line, name) in functions(&all) {
        if Hook::named(name).is_none() && name.starts_with("on") {
            found.push((line, format!("there is no hook {name:?}: {}", names_of_hooks())));
        }
    }
    for at in 0..all.len() {
        token(&all, at, &mut found);
    }
    found
}

/// The whole numbers that a source has: of rooms, mobs and objects among others.
pub(crate) fn whole_numbers(source: &str) -> impl Iterator<Item = i32> {
    tokens(source).into_iter().filter_map(|token| match token.kind {
        Kind::Number(digits) => digits.replace('_', "").parse().ok(),
        _ => None,
    })
}

/// Whether a source has a field or a method of that name.
pub(crate) fn names_field(source: &str, name: &str) -> bool {
    tokens(source).iter().any(|token| token.kind == Kind::Name(name))
}

fn names_of_hooks() -> String {
    Hook::ALL.iter().map(|hook| hook.name()).collect::<Vec<_>>().join(", ")
}

/// The first bracket that is never closed.
fn open_bracket<'s>(all: &[Token<'s>]) -> Option<(u32, &'s str)> {
    let mut open = Vec::new();
    for token in all {
        match token.kind {
            Kind::Operator(bracket @ ("(" | "[" | "{")) => open.push((token.line, bracket)),
            Kind::Operator(")" | "]" | "}") => drop(open.pop()),
            _ => {}
        }
    }
    open.first().copied()
}

fn token(all: &[Token], at: usize, found: &mut Vec<(u32, String)>) {
    let Token { kind, line } = all[at];
    let kind_at = |at: usize| all.get(at).map(|token| token.kind);
    let is = |at: usize, operator: &str| kind_at(at) == Some(Kind::Operator(operator));
    let is_field = at > 0 && (is(at - 1, ".") || is(at - 1, ":"));
    match kind {
        Kind::Operator("^" | "^=") => found.push((line, "^ is not offered: machines round it differently".into())),
        Kind::Name("in") => {
            if let Err(why) = walks_in_order(all, at + 1) {
                found.push((line, why));
            }
        }
        Kind::Name(name) if !is_field && LIBRARIES.contains(&name) && !is(at + 1, ".") => {
            found.push((line, format!("{name} is a library: it cannot be anything else, nor be handed on")));
        }
        // As one of several (`math.pi, x = 1, 2`) it is set in vain, and the call fails.
        Kind::Name(name) if !is_field && LIBRARIES.contains(&name) && is(at + 3, "=") => {
            found.push((line, format!("what {name} has cannot be set")));
        }
        Kind::Name(name) if !is_field && WALKERS.contains(&name) && !is(at + 1, "(") => {
            found.push((line, format!("{name} can only be called")));
        }
        _ => {}
    }
}

/// Whether what stands behind `in` is a call that goes through a table in one order, and nothing else.
fn walks_in_order(all: &[Token], at: usize) -> Result<(), String> {
    let kind_at = |at: usize| all.get(at).map(|token| token.kind);
    let opens = match (kind_at(at), kind_at(at + 1), kind_at(at + 2)) {
        (Some(Kind::Name(name)), ..) if WALKERS.contains(&name) => Some(at + 1),
        (Some(Kind::Name("string")), Some(Kind::Operator(".")), Some(Kind::Name("gmatch"))) => Some(at + 3),
        _ => None,
    };
    let why = "a loop goes over pairs(…), ipairs(…) or string.gmatch(…) and nothing else: a bare table has no order";
    let Some(opens) = opens.filter(|at| kind_at(*at) == Some(Kind::Operator("("))) else { return Err(why.into()) };
    let mut depth = 0;
    for (at, token) in all.iter().enumerate().skip(opens) {
        match token.kind {
            Kind::Operator("(") => depth += 1,
            Kind::Operator(")") => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let then = kind_at(at + 1);
            return if then == Some(Kind::Name("do")) { Ok(()) } else { Err(why.into()) };
        }
    }
    // Brackets that never close are the compiler's to tell.
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(source: &str) -> Vec<u32> {
        faults(source).into_iter().map(|(line, _)| line).collect()
    }

    const HOOK: &str = "function greet(ev) end\n";

    #[test]
    fn hooks_are_the_global_functions_of_their_names() {
        let source =
            "local function fight() end\nfunction greet(ev)\nend\nfunction helper() end\nfunction timer(ev) end";
        assert_eq!(hooks(source).iter().collect::<Vec<_>>(), [Hook::Greet, Hook::Timer]);
        assert!(faults(source).is_empty(), "{:?}", faults(source));
        assert_eq!(lines("-- nothing"), [1]);
        let told = faults("-- a bell\nfunction oops(");
        assert_eq!(told, [(2, "this is no Luau: the ( is never closed".to_string())], "not that it has no hook");
        assert_eq!(lines("function greet(ev) end\nfunction oops("), [0; 0], "the compiler tells it");
        assert_eq!(lines(&format!("{HOOK}function ongreet(ev) end")), [2], "a slip of the pen");
    }

    #[test]
    fn loops_go_in_an_order_that_is_the_same_everywhere() {
        for good in [
            "for k, v in pairs(t) do end",
            "for i, v in ipairs(room:people()) do end",
            "for word in string.gmatch(ev.text, '%a+') do end",
            "for i = 1, 10 do end",
            "local t = {} t.pairs = 2",
        ] {
            let source = format!("{HOOK}{good}");
            assert!(faults(&source).is_empty(), "{good}: {:?}", faults(&source));
        }
        for bad in [
            "for k, v in t do end",
            "for k, v in next, t do end",
            "for k, v in pairs(t) and t do end",
            "for k, v in ev.text:gmatch('x') do end",
            "local pairs = f",
            "f(pairs)",
            "local string = t",
            "string = t",
            "math.floor = f",
            "function f(table) end",
            "local x = 2 ^ 3",
            "x ^= 2",
            "local s = `{2 ^ 3}`",
        ] {
            let source = format!("{HOOK}{bad}");
            assert_eq!(lines(&source), [2], "{bad}");
        }
    }
}
