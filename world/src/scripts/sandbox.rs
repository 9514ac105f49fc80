//! What of Luau a script has: the libraries without clocks, files, addresses and sums that machines round differently.

use super::STACK_MAX;
use content::scripts::ScriptSource;
use mlua::chunk::{ChunkMode, Compiler};
use mlua::{Function, Lua, LuaOptions, StdLib, Table, Value};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU8, Ordering};

/// Functions of the language itself that are offered as they are.
const PLAIN: [&str; 7] = ["ipairs", "select", "tonumber", "type", "typeof", "unpack", "rawequal"];
const STRING: [&str; 14] = [
    "byte", "char", "find", "format", "gmatch", "gsub", "len", "lower", "match", "rep", "reverse", "split", "sub",
    "upper",
];
const TABLE: [&str; 11] =
    ["clear", "clone", "concat", "create", "find", "insert", "move", "pack", "remove", "sort", "unpack"];
const MATH: [&str; 13] =
    ["abs", "ceil", "clamp", "floor", "fmod", "huge", "max", "min", "modf", "pi", "random", "round", "sign"];

/// What bounds the call that runs at this moment.
#[derive(Debug, Default)]
pub(super) struct Gauge {
    /// Safepoints that are left.
    pub left: AtomicI64,
    /// Why it was stopped; 0 when it was not.
    stopped: AtomicU8,
}

const SAFEPOINTS: u8 = 1;
const DEPTH: u8 = 2;

impl Gauge {
    /// Why the call was stopped, if it was; forgotten with this.
    pub fn take_stop(&self) -> Option<&'static str> {
        match self.stopped.swap(0, Ordering::Relaxed) {
            SAFEPOINTS => Some("it took too long, and was stopped"),
            DEPTH => Some("its functions called one another too deep, and it was stopped"),
            _ => None,
        }
    }

    fn stop(&self, why: u8) -> mlua::Error {
        self.stopped.store(why, Ordering::Relaxed);
        mlua::Error::runtime("it was stopped")
    }
}

/// A machine with nothing in it but what is offered, and the table that a script's globals fall back to. `random` is
/// what `math.random` draws with.
pub(super) fn machine(random: impl Fn(&Lua) -> mlua::Result<Function>) -> mlua::Result<(Lua, Table, Arc<Gauge>)> {
    let libraries = StdLib::MATH | StdLib::STRING | StdLib::TABLE | StdLib::BIT | StdLib::UTF8;
    let lua = Lua::new_with(libraries, LuaOptions::default())?;
    let globals = lua.globals();
    let prelude = include_str!("prelude.luau");
    let prelude = lua.load(prelude).set_name("=prelude").into_function()?;
    let base: Table = prelude.call((lua.create_function(sorted_keys)?, random(&lua)?))?;
    for name in PLAIN {
        base.raw_set(name, globals.raw_get::<Value>(name)?)?;
    }
    for (library, names) in [("string", &STRING[..]), ("table", &TABLE), ("math", &MATH)] {
        // In place: strings find their methods in this very table.
        let table: Table = globals.raw_get(library)?;
        let mut others = Vec::new();
        table.for_each(|name: String, _: Value| {
            others.extend((!names.contains(&name.as_str())).then_some(name));
            Ok(())
        })?;
        for name in others {
            table.raw_set(name, Value::Nil)?;
        }
        table.set_readonly(true);
        base.raw_set(library, table)?;
    }
    for library in ["bit32", "utf8"] {
        let table: Table = globals.raw_get(library)?;
        table.set_readonly(true);
        base.raw_set(library, table)?;
    }
    let gauge = Arc::new(Gauge::default());
    let bounds = gauge.clone();
    lua.set_interrupt(move |lua| {
        if bounds.left.fetch_sub(1, Ordering::Relaxed) <= 0 {
            return Err(bounds.stop(SAFEPOINTS));
        }
        match lua.inspect_stack(STACK_MAX, |_| ()) {
            Some(()) => Err(bounds.stop(DEPTH)),
            None => Ok(mlua::VmState::Continue),
        }
    });
    Ok((lua, base, gauge))
}

/// The keys of a table in the order in which a script goes through it.
fn sorted_keys(lua: &Lua, of: Table) -> mlua::Result<Table> {
    let (mut integers, mut texts, mut booleans) = (Vec::new(), Vec::new(), Vec::new());
    of.for_each(|key: Value, _: Value| {
        match key {
            Value::Integer(number) => integers.push(number),
            Value::Number(number) if number.fract() == 0.0 && number.abs() < 9e15 => integers.push(number as i64),
            Value::String(text) => texts.push(text),
            Value::Boolean(yes) => booleans.push(yes),
            other => {
                let what =
                    format!("a key is a {}: a walk goes over whole numbers, texts and booleans", other.type_name());
                return Err(mlua::Error::runtime(what));
            }
        }
        Ok(())
    })?;
    integers.sort_unstable();
    texts.sort_by_cached_key(|text| text.as_bytes().to_vec());
    booleans.sort_unstable();
    let keys = lua.create_table_with_capacity(integers.len() + texts.len() + booleans.len(), 0)?;
    for number in integers {
        keys.raw_push(number)?;
    }
    for text in texts {
        keys.raw_push(text)?;
    }
    for yes in booleans {
        keys.raw_push(yes)?;
    }
    Ok(keys)
}

/// The bytes that the machine runs; or what is wrong with the source, and in which line.
pub(super) fn compile(script: &ScriptSource) -> Result<Vec<u8>, (u32, String)> {
    let compiler = Compiler::new().set_optimization_level(1).set_debug_level(1);
    compiler.compile(&*script.source).map_err(|error| {
        let (_, why) = explain(&script.name, &error);
        // "…: 12: Expected 'end'": the compiler does not know the script's name.
        let parts = why.match_indices(':').find_map(|(at, _)| {
            let begins = why[..at].rfind(|c: char| !c.is_ascii_digit()).map_or(0, |before| before + 1);
            Some((why[begins..at].parse().ok()?, why[at + 1..].trim_start().to_string()))
        });
        parts.unwrap_or((0, why))
    })
}

/// The function that defines a script's hooks.
pub(super) fn load(lua: &Lua, script: &ScriptSource) -> Result<Function, (u32, String)> {
    let code = compile(script)?;
    let chunk = lua.load(&code[..]).set_mode(ChunkMode::Binary).set_name(format!("={}", script.name));
    chunk.into_function().map_err(|error| explain(&script.name, &error))
}

/// The line of a script and what is wrong there, without anything that differs between two runs.
pub(super) fn explain(script: &str, error: &mlua::Error) -> (u32, String) {
    let (mut cause, mut trace) = (error, String::new());
    while let mlua::Error::CallbackError { traceback, cause: inner } = cause {
        trace.push_str(traceback);
        cause = inner;
    }
    let whole = match cause {
        mlua::Error::RuntimeError(message) | mlua::Error::SyntaxError { message, .. } => message.clone(),
        mlua::Error::MemoryError(_) => return (0, "it used too much memory, and was stopped".to_string()),
        other => other.to_string(),
    };
    let first = whole.lines().next().unwrap_or_default();
    let line = [whole.as_str(), trace.as_str()].iter().find_map(|text| line_in(text, script));
    let why = match first.strip_prefix(script).and_then(|rest| rest.strip_prefix(':')) {
        Some(rest) => rest.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches(':').trim_start(),
        None => first.trim_start_matches(':').trim_start(),
    };
    (line.unwrap_or(0), why.chars().take(200).collect())
}

/// The first line of that script that a message names.
fn line_in(text: &str, script: &str) -> Option<u32> {
    let mut rest = text;
    while let Some(at) = rest.find(script) {
        rest = &rest[at + script.len()..];
        if let Some(number) = rest.strip_prefix(':') {
            let digits = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
            if let Ok(line) = number[..digits].parse() {
                return Some(line);
            }
        }
    }
    None
}
