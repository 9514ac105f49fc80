//! Runs scripts: one call of a hook at a time, within bounds, with the world in its hands.
//!
//! For the length of a call the world lies in the machine (`Context::world`), where the functions of `api.rs` find it;
//! outside, an empty one stands in its place, which nobody looks at. A hook that is called by what a script does takes
//! it over in the same way. Invariants: whatever a script does, the world comes back; what a call keeps is written
//! when the outermost one has ended, all of it or none.

use super::api::{self, Answer, Caller, Given, Handle, Kind, Row};
use super::sandbox::{self, Gauge};
use super::{CALL_SAFEPOINTS, MEMORY_MAX};
use crate::arena::CharacterId;
use crate::character::Character;
use crate::draws::Draw;
use crate::report::{LineKind, MemoryStop, Request, ScriptCall};
use crate::rng::Stream;
use crate::script::{Event, Key, Owner, SAVED_MAX, Value, ZONE_SAVED_MAX};
use crate::world::{State, World};
use content::scripts::ScriptSource;
use content::{Content, Text};
use mlua::{
    AnyUserData, Function, IntoLua, Lua, MetaMethod, MultiValue, Table, UserData, UserDataFields, UserDataMethods,
};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

/// Bytes that the machine may hold in a replay, which stops where the journal says, and not before.
const MEMORY_MAX_IN_REPLAY: usize = 16 * MEMORY_MAX;
/// Above so many bytes it is tidied after a call.
const TIDY_ABOVE: usize = 8 << 20;
/// How deep what is kept may be nested.
const KEPT_DEPTH: usize = 8;

/// What is made once for a world.
struct Machine {
    lua: Lua,
    /// What the globals of each call fall back to.
    fallback: Table,
    gauge: Arc<Gauge>,
    /// Compiled scripts by name, with the source that each is of.
    chunks: Mutex<BTreeMap<Text, (Arc<ScriptSource>, Function)>>,
    /// Worlds that stand in the real one's place, for as many calls within calls as there were.
    #[allow(clippy::vec_box, reason = "boxes are what is handed over")]
    hollows: Mutex<Vec<Box<World>>>,
}

/// What the functions that a script calls find.
struct Context {
    world: Option<Box<World>>,
    /// The calls that run, the outermost first.
    frames: Vec<Frame>,
    /// What they keep, and which of them opened it: written when the outermost has ended.
    saved: BTreeMap<Owner, (Table, Arc<ScriptSource>)>,
    zones: BTreeMap<i32, (Table, Arc<ScriptSource>)>,
    /// A call ran out of memory: nothing of what they keep is written.
    spoilt: bool,
    /// By group and name.
    rows: BTreeMap<(api::Group, &'static str), (&'static Row, Option<Function>)>,
}

struct Frame {
    caller: Caller,
    /// Calls of the game that it made.
    host_calls: u32,
    /// Its number in the input.
    call: u32,
    /// In a replay: it is stopped when it has made so many.
    stops_at: Option<u32>,
}

/// Calls a hook of a script. True when it prevents what was about to happen.
pub(super) fn call(world: &mut World, event: &Event, script: &Arc<ScriptSource>) -> bool {
    let machine = match machine_of(world) {
        Ok(machine) => machine,
        Err(error) => {
            world.request(Request::Warn { text: format!("no machine for scripts: {error}") });
            return false;
        }
    };
    let tick = world.tick();
    let traced = world.trace_scripts.then(|| begin_trace(world, event, script));
    let budget = CALL_SAFEPOINTS;
    if !world.state.scripts.has_budget(tick) {
        if let Some(call) = traced.and_then(|at| world.report.script_calls.get_mut(at)) {
            call.wrong = Some("not called: scripts have done all that they may in this tick".to_string());
        }
        return false;
    }
    world.runner.logs.push(Vec::new());
    let number = world.runner.calls;
    world.runner.calls += 1;
    world.state.scripts.calls += 1;
    let replayed = world.script_stops.is_some();
    let stops = world.script_stops.iter().flatten();
    let stops_at = stops.clone().find(|stop| stop.call == number).map(|stop| stop.host_calls);
    let outermost = world.runner.depth == 0;
    if outermost {
        let limit = if replayed { MEMORY_MAX_IN_REPLAY } else { MEMORY_MAX };
        // The allocator is the machine's own, and never refuses a bound.
        let _ = machine.lua.set_memory_limit(limit);
    }
    world.runner.depth += 1;
    let outer_left = machine.gauge.left.swap(budget, Ordering::Relaxed);
    let frame =
        Frame { caller: Caller { owner: event.owner, script: script.clone() }, host_calls: 0, call: number, stops_at };
    machine.lend(world, frame);
    let result = machine.run(event, script);
    let frame = machine.take_back(world);
    let left = machine.gauge.left.swap(outer_left, Ordering::Relaxed);
    world.runner.depth -= 1;
    let stop = machine.gauge.take_stop();
    let out_of_memory = match replayed {
        true => frame.stops_at.is_some(),
        false => matches!(&result, Err(Failure { memory: true, .. })),
    };
    let spent = if out_of_memory { budget } else { budget - left.max(0) } as u32;
    world.state.scripts.spend(tick, spent);
    if out_of_memory {
        // Where exactly it ran out differs from one heap to the next.
        world.report.script_stops.push(MemoryStop { call: frame.call, host_calls: frame.host_calls });
    }
    let (prevents, wrong) = match (out_of_memory, stop, result) {
        (true, ..) => (false, Some((true, 0, "it used too much memory, and was stopped".to_string()))),
        (false, Some(why), _) => (false, Some((true, 0, why.to_string()))),
        (false, None, Err(failure)) => (false, Some((false, failure.line, failure.why))),
        (false, None, Ok(prevents)) => (prevents, None),
    };
    let log = world.runner.logs.pop().unwrap_or_default();
    if let Some(call) = traced.and_then(|at| world.report.script_calls.get_mut(at)) {
        let wrong = wrong.as_ref().map(|(_, line, why)| match line {
            0 => why.clone(),
            line => format!("line {line}: {why}"),
        });
        (call.safepoints, call.host_calls, call.log) = (spent, frame.host_calls, log);
        (call.prevents, call.wrong) = (prevents, wrong);
    }
    if let Some((fatal, line, why)) = wrong {
        fault(world, event, script, fatal, (line, why));
    }
    machine.keep(world, out_of_memory, outermost, event);
    if outermost && machine.lua.used_memory() > TIDY_ABOVE {
        // What it cannot do now it does later.
        let _ = machine.lua.gc_collect();
    }
    prevents
}

/// Notes that a call begins; tells its place in the report.
fn begin_trace(world: &mut World, event: &Event, script: &ScriptSource) -> usize {
    let owner = match event.owner {
        Owner::Mob(id) => {
            let vnum = world.mob_proto(id).map_or(0, |proto| proto.vnum);
            format!("mob #{vnum} {}", world.who(id).name)
        }
        Owner::Object(id) => format!("object #{} {}", world.object(id).vnum, world.object(id).short),
        Owner::Room(vnum) => format!("room #{vnum}"),
    };
    let actor = event.actor.and_then(|id| world.character(id)).map(|actor| actor.name.to_string());
    let text = if event.text.is_empty() { event.name } else { event.text };
    world.report.script_calls.push(ScriptCall {
        script: script.name.clone(),
        hook: event.hook.name(),
        owner,
        actor,
        text: text.to_string(),
        depth: world.runner.depth,
        ..ScriptCall::default()
    });
    world.report.script_calls.len() - 1
}

/// Why a call came to nothing.
struct Failure {
    line: u32,
    why: String,
    memory: bool,
}

impl Failure {
    fn of(script: &ScriptSource, error: &mlua::Error) -> Failure {
        let (line, why) = sandbox::explain(&script.name, error);
        let mut cause = error;
        while let mlua::Error::CallbackError { cause: inner, .. } = cause {
            cause = inner;
        }
        Failure { line, why, memory: matches!(cause, mlua::Error::MemoryError(_)) }
    }
}

/// The world's machine, made when it is first needed.
fn machine_of(world: &mut World) -> mlua::Result<Arc<Machine>> {
    if let Some(machine) = world.runner.machine.clone().and_then(|any| any.downcast::<Machine>().ok()) {
        return Ok(machine);
    }
    let machine = Arc::new(Machine::new()?);
    world.runner.machine = Some(machine.clone());
    Ok(machine)
}

impl Machine {
    fn new() -> mlua::Result<Machine> {
        let (lua, base, gauge) = sandbox::machine(|lua| lua.create_function(random))?;
        let library = lua.create_table()?;
        let mut rows = BTreeMap::new();
        for row in api::rows() {
            let function = match row.kind {
                Kind::Field(_) => None,
                Kind::Method(_) | Kind::Function(_) => {
                    Some(lua.create_function(move |lua, given: MultiValue| ask(lua, row, given))?)
                }
            };
            if row.group == api::Group::World {
                library.raw_set(row.name, function.clone())?;
            }
            rows.insert((row.group, row.name), (row, function));
        }
        library.set_readonly(true);
        base.raw_set("world", library)?;
        base.set_readonly(true);
        let fallback = lua.create_table()?;
        fallback.raw_set("__index", base)?;
        fallback.set_readonly(true);
        lua.set_app_data(Context {
            world: None,
            frames: Vec::new(),
            saved: BTreeMap::new(),
            zones: BTreeMap::new(),
            spoilt: false,
            rows,
        });
        Ok(Machine { lua, fallback, gauge, chunks: Mutex::default(), hollows: Mutex::default() })
    }

    /// Puts the world where the functions of the game find it.
    fn lend(&self, world: &mut World, frame: Frame) {
        let hollow = self.hollows.lock().ok().and_then(|mut hollows| hollows.pop());
        let mut lent = hollow.unwrap_or_else(|| {
            let nothing = State::as_built(&Content::default(), 0);
            Box::new(World::resume(Arc::new(Content::default()), world.rules.clone(), nothing))
        });
        std::mem::swap(world, &mut *lent);
        let mut context = context(&self.lua);
        context.world = Some(lent);
        context.frames.push(frame);
    }

    fn take_back(&self, world: &mut World) -> Frame {
        let mut context = context(&self.lua);
        let mut lent = context.world.take().expect("every function that takes it gives it back");
        let frame = context.frames.pop().expect("it was pushed when the world was lent");
        drop(context);
        std::mem::swap(world, &mut *lent);
        if let Ok(mut hollows) = self.hollows.lock() {
            hollows.push(lent);
        }
        frame
    }

    fn chunk(&self, script: &Arc<ScriptSource>) -> Result<Function, Failure> {
        let mut chunks = self.chunks.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some((source, chunk)) = chunks.get(&script.name)
            && (Arc::ptr_eq(source, script) || source == script)
        {
            return Ok(chunk.clone());
        }
        let loaded = sandbox::load(&self.lua, script);
        let chunk = loaded.map_err(|(line, why)| Failure { line, why, memory: false })?;
        chunks.insert(script.name.clone(), (script.clone(), chunk.clone()));
        Ok(chunk)
    }

    fn run(&self, event: &Event, script: &Arc<ScriptSource>) -> Result<bool, Failure> {
        let chunk = self.chunk(script)?;
        self.call_hook(&chunk, event, script).map_err(|error| Failure::of(script, &error))
    }

    fn call_hook(&self, chunk: &Function, event: &Event, script: &Arc<ScriptSource>) -> mlua::Result<bool> {
        let lua = &self.lua;
        // A fresh environment for each call: nothing that a script sets there outlives it.
        let globals = lua.create_table()?;
        globals.set_metatable(Some(self.fallback.clone()))?;
        if script.source.contains("saved") {
            let (saved, zone) = kept_tables(lua, event.owner, script)?;
            globals.raw_set("saved", saved)?;
            globals.raw_set("zone", zone)?;
        }
        chunk.set_environment(globals.clone())?;
        chunk.call::<()>(())?;
        let hook: Function = match globals.raw_get(event.hook.name())? {
            mlua::Value::Function(hook) => hook,
            _ => return Ok(false),
        };
        let ev = lua.create_table_with_capacity(0, 8)?;
        let (own, room) = {
            let context = context(lua);
            let world = context.world.as_ref().expect("it was lent");
            (owner_handle(world, event.owner), owner_room(world, event.owner))
        };
        if let Some(own) = own {
            ev.raw_set("self", Held(own))?;
        }
        if let Some(actor) = event.actor {
            ev.raw_set("actor", Held(Handle::Character(actor)))?;
        }
        if let Some(room) = room {
            ev.raw_set("room", Held(room))?;
        }
        if let Some(object) = event.object {
            ev.raw_set("object", Held(Handle::Object(object)))?;
        }
        if !event.text.is_empty() {
            ev.raw_set("text", event.text)?;
        }
        if event.amount != 0 {
            ev.raw_set("amount", event.amount)?;
        }
        if !event.name.is_empty() {
            ev.raw_set("name", event.name)?;
        }
        if let Some(data) = event.data {
            ev.raw_set("data", to_lua(lua, data)?)?;
        }
        let answer: mlua::Value = hook.call(ev)?;
        Ok(matches!(answer, mlua::Value::Boolean(true)))
    }

    /// Writes what the calls keep, when the outermost has ended.
    fn keep(&self, world: &mut World, spoilt: bool, outermost: bool, event: &Event) {
        let (saved, zones) = {
            let mut context = context(&self.lua);
            context.spoilt |= spoilt;
            if !outermost {
                return;
            }
            let kept = (std::mem::take(&mut context.saved), std::mem::take(&mut context.zones));
            if std::mem::take(&mut context.spoilt) {
                return;
            }
            kept
        };
        let mut wrong = Vec::new();
        for (owner, (table, script)) in saved {
            // Who is gone keeps nothing.
            let there = match owner {
                Owner::Mob(id) => world.character(id).is_some(),
                Owner::Object(id) => world.get_object(id).is_some(),
                Owner::Room(_) => true,
            };
            match from_lua(&mlua::Value::Table(table), KEPT_DEPTH).and_then(|value| bounded(value, "saved", SAVED_MAX))
            {
                Ok(value) if value.is_empty() || !there => {
                    world.state.scripts.saved.remove(&owner);
                }
                Ok(value) => {
                    world.state.scripts.saved.insert(owner, value);
                }
                Err(why) => wrong.push((script, why)),
            }
        }
        for (zone, (table, script)) in zones {
            let inner = table.raw_get::<mlua::Value>("saved").unwrap_or(mlua::Value::Nil);
            match from_lua(&inner, KEPT_DEPTH).and_then(|value| bounded(value, "zone.saved", ZONE_SAVED_MAX)) {
                Ok(value) if value.is_empty() => {
                    world.state.scripts.zones.remove(&zone);
                }
                Ok(value) => {
                    world.state.scripts.zones.insert(zone, value);
                }
                Err(why) => wrong.push((script, why)),
            }
        }
        for (script, why) in wrong {
            fault(world, event, &script, false, (0, why));
        }
    }
}

fn bounded(value: Value, what: &str, max: usize) -> Result<Value, String> {
    match &value {
        Value::Table(_) if value.size() <= max => Ok(value),
        Value::Table(_) => Err(format!("{what} holds at most {} KB: what it has now is not kept", max >> 10)),
        _ => Err(format!("{what} is a table, and cannot be anything else")),
    }
}

/// Tells the operator and the builders what went wrong; players read nothing.
fn fault(world: &mut World, event: &Event, script: &ScriptSource, fatal: bool, (line, why): (u32, String)) {
    let (tick, name) = (world.tick(), &script.name);
    let stopped = world.state.scripts.note_fault(name, tick, fatal, (event.hook, line, why.clone()));
    let place = if line > 0 { format!("{name}:{line}") } else { name.to_string() };
    let after = if stopped { "; it is not called any more until it is read again" } else { "" };
    let text = format!("script {place}, {}: {why}{after}", event.hook.name());
    let builders: Vec<CharacterId> = world.state.players.values().copied().collect();
    for builder in builders {
        if world.character(builder).is_some_and(Character::is_immortal) {
            world.send(builder, LineKind::Text, format!("[{text}]"));
        }
    }
    world.request(Request::Warn { text });
}

fn context(lua: &Lua) -> mlua::AppDataRefMut<'_, Context> {
    lua.app_data_mut::<Context>().expect("it is set when the machine is made, and nobody holds it over a call")
}

/// Lends the world to a function of the game.
fn with_world<T>(lua: &Lua, act: impl FnOnce(&mut World, &Caller) -> T) -> mlua::Result<T> {
    let (mut world, caller) = {
        let mut context = context(lua);
        let frame = context.frames.last_mut().expect("a script runs");
        if frame.stops_at.is_some_and(|at| frame.host_calls >= at) {
            return Err(mlua::Error::runtime("it was stopped"));
        }
        frame.host_calls += 1;
        let caller = frame.caller.clone();
        (context.world.take().expect("nobody holds it over a call"), caller)
    };
    let answer = act(&mut world, &caller);
    context(lua).world = Some(world);
    Ok(answer)
}

/// A function of `api.rs` is called.
fn ask(lua: &Lua, row: &'static Row, given: MultiValue) -> mlua::Result<mlua::Value> {
    let mut given = given.into_iter();
    let handle = match row.kind {
        Kind::Method(_) => Some(own_handle(row, given.next())?),
        _ => None,
    };
    let given: Vec<Given> =
        given.map(|value| taken(&value)).collect::<Result<_, String>>().map_err(mlua::Error::runtime)?;
    let answer = with_world(lua, |world, caller| match (row.kind, handle) {
        // What is gone neither does anything nor has anything done to it.
        (Kind::Method(_), Some(handle)) if !handle.is_there(world) => Ok(Answer::Nil),
        (Kind::Method(run), Some(handle)) => run(world, handle, &given),
        (Kind::Function(run), _) => run(world, caller, &given),
        _ => unreachable!("fields are no functions"),
    })?;
    answered(lua, answer.map_err(|wrong| mlua::Error::runtime(format!("{}: {wrong}", row.signature)))?)
}

/// What stands before the colon.
fn own_handle(row: &Row, value: Option<mlua::Value>) -> mlua::Result<Handle> {
    let held = match &value {
        Some(mlua::Value::UserData(data)) => data.borrow::<Held>().ok().map(|held| held.0),
        _ => None,
    };
    held.filter(|handle| handle.group() == row.group)
        .ok_or_else(|| mlua::Error::runtime(format!("it is called as {}, with a colon", row.signature)))
}

fn random(lua: &Lua, (low, high): (f64, f64)) -> mlua::Result<i64> {
    let whole = |number: f64| number.fract() == 0.0 && number.abs() <= f64::from(i32::MAX);
    if !whole(low) || !whole(high) {
        return Err(mlua::Error::runtime("math.random takes whole numbers"));
    }
    with_world(lua, |world, _| world.draw(Stream::Scripts, Draw::Script).range(low as i32, high as i32).into())
}

/// A handle as Luau holds it.
#[derive(Clone, Copy)]
struct Held(Handle);

impl UserData for Held {
    fn add_fields<F: UserDataFields<Self>>(fields: &mut F) {
        fields.add_meta_field(MetaMethod::Type, "handle");
    }

    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_meta_method(MetaMethod::Index, |lua, this, key: mlua::Value| field(lua, this.0, &key));
        methods.add_meta_function(MetaMethod::Eq, |_, (one, other): (AnyUserData, AnyUserData)| {
            let (one, other) = (one.borrow::<Held>()?, other.borrow::<Held>()?);
            Ok(one.0 == other.0)
        });
        methods.add_meta_method(MetaMethod::ToString, |lua, this, ()| {
            let handle = this.0;
            with_world(lua, |world, _| match handle {
                _ if !handle.is_there(world) => "nobody".to_string(),
                Handle::Character(id) => world.who(id).shown().to_string(),
                Handle::Object(id) => world.object(id).short.to_string(),
                Handle::Room(id) => world.room_proto(id).name.to_string(),
            })
        });
    }
}

/// A field of a handle, or one of its methods.
fn field(lua: &Lua, handle: Handle, key: &mlua::Value) -> mlua::Result<mlua::Value> {
    let name = match key {
        mlua::Value::String(name) => name.to_str()?.to_string(),
        other => return Err(mlua::Error::runtime(format!("a field has a name, not a {}", other.type_name()))),
    };
    let group = handle.group();
    let found = context(lua).rows.get(&(group, name.as_str())).map(|(row, function)| (*row, function.clone()));
    match found {
        Some((_, Some(method))) => Ok(mlua::Value::Function(method)),
        Some((Row { kind: Kind::Field(read), .. }, None)) => {
            let answer = with_world(lua, |world, _| match handle.is_there(world) {
                true => read(world, handle),
                false => Answer::Nil,
            })?;
            answered(lua, answer)
        }
        _ => Err(mlua::Error::runtime(format!("a {} has no {name:?}", group.name()))),
    }
}

fn answered(lua: &Lua, answer: Answer) -> mlua::Result<mlua::Value> {
    match answer {
        Answer::Nil => Ok(mlua::Value::Nil),
        Answer::Bool(yes) => Ok(mlua::Value::Boolean(yes)),
        Answer::Integer(number) => number.into_lua(lua),
        Answer::Text(text) => text.into_lua(lua),
        Answer::Handle(handle) => Held(handle).into_lua(lua),
        Answer::List(handles) => {
            let list = lua.create_table_with_capacity(handles.len(), 0)?;
            for handle in handles {
                list.raw_push(Held(handle))?;
            }
            Ok(mlua::Value::Table(list))
        }
    }
}

fn taken(value: &mlua::Value) -> Result<Given, String> {
    Ok(match value {
        mlua::Value::Nil => Given::Nil,
        mlua::Value::Boolean(yes) => Given::Bool(*yes),
        mlua::Value::Integer(number) => Given::Number(*number as f64),
        mlua::Value::Number(number) => Given::Number(*number),
        mlua::Value::String(text) => Given::Text(text.to_string_lossy()),
        mlua::Value::Table(_) => Given::Table(from_lua(value, KEPT_DEPTH)?),
        mlua::Value::UserData(data) => match data.borrow::<Held>() {
            Ok(held) => Given::Handle(held.0),
            Err(_) => return Err("that is no handle".to_string()),
        },
        other => return Err(format!("a {} cannot be handed over", other.type_name())),
    })
}

/// What may be kept: texts, whole numbers, booleans and tables of these.
fn from_lua(value: &mlua::Value, depth: usize) -> Result<Value, String> {
    match value {
        mlua::Value::Boolean(yes) => Ok(Value::Bool(*yes)),
        mlua::Value::Integer(number) => Ok(Value::Integer(*number)),
        mlua::Value::Number(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
            Ok(Value::Integer(*number as i64))
        }
        mlua::Value::Number(number) => Err(format!("{number} cannot be kept: it is no whole number")),
        mlua::Value::String(text) => Ok(Value::Text(text.to_string_lossy())),
        mlua::Value::Table(table) if depth > 0 => {
            let mut kept = BTreeMap::new();
            let mut wrong = None;
            let walked = table.for_each(|key: mlua::Value, value: mlua::Value| {
                let key = match &key {
                    mlua::Value::Boolean(yes) => Ok(Key::Bool(*yes)),
                    mlua::Value::String(text) => Ok(Key::Text(text.to_string_lossy())),
                    other => match from_lua(other, 0) {
                        Ok(Value::Integer(number)) => Ok(Key::Integer(number)),
                        _ => Err(format!("a {} cannot be a key of what is kept", other.type_name())),
                    },
                };
                match (key, from_lua(&value, depth - 1)) {
                    (Ok(key), Ok(value)) => {
                        kept.insert(key, value);
                    }
                    // Of several the first by alphabet, since a table has no order.
                    (Err(why), _) | (_, Err(why)) => {
                        wrong = Some(wrong.take().map_or(why.clone(), |before: String| before.min(why)));
                    }
                }
                Ok(())
            });
            walked.map_err(|error| error.to_string())?;
            wrong.map_or(Ok(Value::Table(kept)), Err)
        }
        mlua::Value::Table(_) => Err(format!("what is kept is at most {KEPT_DEPTH} tables deep")),
        other => Err(format!("a {} cannot be kept", other.type_name())),
    }
}

fn to_lua(lua: &Lua, value: &Value) -> mlua::Result<mlua::Value> {
    match value {
        Value::Bool(yes) => Ok(mlua::Value::Boolean(*yes)),
        Value::Integer(number) => number.into_lua(lua),
        Value::Text(text) => text.as_str().into_lua(lua),
        Value::Table(all) => {
            let table = lua.create_table()?;
            for (key, value) in all {
                let key = match key {
                    Key::Bool(yes) => mlua::Value::Boolean(*yes),
                    Key::Integer(number) => number.into_lua(lua)?,
                    Key::Text(text) => text.as_str().into_lua(lua)?,
                };
                table.raw_set(key, to_lua(lua, value)?)?;
            }
            Ok(mlua::Value::Table(table))
        }
    }
}

/// The tables `saved` and `zone` of an owner: the same ones for all calls within the outermost.
fn kept_tables(lua: &Lua, owner: Owner, script: &Arc<ScriptSource>) -> mlua::Result<(Table, Table)> {
    let (saved, zone_number, zone_saved) = {
        let context = context(lua);
        let world = context.world.as_ref().expect("it was lent");
        let zone = owner_zone(world, owner);
        (world.state.scripts.saved.get(&owner).cloned(), zone, world.state.scripts.zones.get(&zone).cloned())
    };
    let known = context(lua).saved.get(&owner).map(|(table, _)| table.clone());
    let table = match known {
        Some(table) => table,
        None => {
            let table = as_table(lua, saved)?;
            context(lua).saved.insert(owner, (table.clone(), script.clone()));
            table
        }
    };
    let known = context(lua).zones.get(&zone_number).map(|(zone, _)| zone.clone());
    let zone = match known {
        Some(zone) => zone,
        None => {
            let zone = lua.create_table()?;
            zone.raw_set("saved", as_table(lua, zone_saved)?)?;
            zone.raw_set("number", zone_number)?;
            context(lua).zones.insert(zone_number, (zone.clone(), script.clone()));
            zone
        }
    };
    Ok((table, zone))
}

fn as_table(lua: &Lua, value: Option<Value>) -> mlua::Result<Table> {
    match value.map(|value| to_lua(lua, &value)).transpose()? {
        Some(mlua::Value::Table(table)) => Ok(table),
        _ => lua.create_table(),
    }
}

fn owner_handle(world: &World, owner: Owner) -> Option<Handle> {
    match owner {
        Owner::Mob(id) => Some(Handle::Character(id)),
        Owner::Object(id) => Some(Handle::Object(id)),
        Owner::Room(vnum) => world.content.room_id(vnum).map(Handle::Room),
    }
}

fn owner_room(world: &World, owner: Owner) -> Option<Handle> {
    let room = match owner {
        Owner::Mob(id) => world.character(id)?.room,
        Owner::Object(id) => {
            world.get_object(id)?;
            world.room_of(id)?
        }
        Owner::Room(vnum) => world.content.room_id(vnum)?,
    };
    Some(Handle::Room(room))
}

/// The zone whose row the owner is made from.
fn owner_zone(world: &World, owner: Owner) -> i32 {
    let vnum = match owner {
        Owner::Mob(id) => world.mob_proto(id).map(|proto| proto.vnum),
        Owner::Object(id) => world.get_object(id).map(|object| object.vnum),
        Owner::Room(vnum) => return world.content.room_id(vnum).map_or(0, |room| world.room_proto(room).zone),
    };
    vnum.and_then(|vnum| world.content.zone_holding(vnum)).unwrap_or(0)
}
