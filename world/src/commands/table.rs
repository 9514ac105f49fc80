//! The verb table, in the order in which a newcomer reads it: by what verbs are for.
//!
//! A word means the first name that it begins by the alphabet, unless a row's `shorts` say otherwise (`verb.rs`). To
//! add a verb: one row here, one function in `commands/<family>.rs`, one transcript; a test says what a row lacks. The
//! order of the rows is that of help's groups and of what models are told.

use super::*;
use content::words::Position::*;
use protocol::verbs::Heading::*;
use protocol::verbs::Models::{self, *};

const fn row(name: &'static str, group: Group, position: Position, run: Run) -> Verb {
    let traits = Traits {
        full_word: false,
        secret: false,
        runs_commands: false,
        while_frozen: false,
        free: false,
        speech: false,
    };
    Verb {
        name,
        aliases: &[],
        shorts: &[],
        group,
        position,
        level: 0,
        run,
        usage: "",
        help: "",
        models: Untold,
        traits,
    }
}

const fn act(
    name: &'static str,
    group: Group,
    position: Position,
    run: fn(&mut World, CharacterId, &str) -> Done,
    usage: &'static str,
    help: &'static str,
    models: Models,
) -> Verb {
    Verb { usage, help, models, ..row(name, group, position, Run::Act(run)) }
}

const fn see(
    name: &'static str,
    group: Group,
    position: Position,
    run: fn(&World, CharacterId, &str) -> Result<Page, Refusal>,
    usage: &'static str,
    help: &'static str,
    models: Models,
) -> Verb {
    Verb { usage, help, models, ..row(name, group, position, Run::Look(run)) }
}

pub const VERBS: &[Verb] = &[
    // Walking and looking.
    act("north", Group::Going, Standing, travel::north, "", "Walk to the north.", Told(Walk)).shorts(&["n"]),
    act("east", Group::Going, Standing, travel::east, "", "Walk to the east.", Told(Walk)).shorts(&["e"]),
    act("south", Group::Going, Standing, travel::south, "", "Walk to the south.", Told(Walk)).shorts(&["s"]),
    act("west", Group::Going, Standing, travel::west, "", "Walk to the west.", Told(Walk)).shorts(&["w"]),
    act("up", Group::Going, Standing, travel::up, "", "Walk up.", Told(Walk)).shorts(&["u"]),
    act("down", Group::Going, Standing, travel::down, "", "Walk down.", Told(Walk)).shorts(&["d"]),
    act("enter", Group::Going, Standing, travel::enter, "[<door>]", "Go indoors, or through a named door.", Told(Walk)),
    act("leave", Group::Going, Standing, travel::leave, "", "Go out of doors.", Told(Walk)),
    act("home", Group::Going, Resting, travel::home, "", "Pray to be taken home. Costs half of your movement points.", Told(Walk)),
    see("look", Group::Seeing, Resting, looking::look, "[<target> | <direction> | in <container>]", "Look at the room, at somebody or something, in a direction, or into a container.", Told(Look)).shorts(&["l"]),
    see("examine", Group::Seeing, Resting, looking::examine, "<target>", "Look closely at something, and into it.", Told(Look)),
    see("scan", Group::Seeing, Resting, looking::scan, "", "See who is near, through open ways.", Told(Look)),
    see("exits", Group::Going, Resting, looking::exits, "", "List the ways out and where they lead.", Told(Look)).shorts(&["ex"]),
    // Fighting.
    act("kill", Group::Fighting, Fighting, fighting::kill, "<target>", "Attack somebody. The fight goes on by itself until one side flees or dies.", Told(Fight)).aliases(&["hit"]).shorts(&["k", "h"]),
    act("murder", Group::Fighting, Fighting, fighting::murder, "<player>", "Attack another player, meaning it.", Untold).full_word(),
    act("flee", Group::Fighting, Fighting, fighting::flee, "", "Run from a fight in a random direction. It costs experience.", Told(Fight)).shorts(&["f"]),
    act("assist", Group::Fighting, Fighting, fighting::assist, "<friend>", "Join the fight of somebody in the room, on their side.", Told(Fight)).level(1),
    act("rescue", Group::Fighting, Fighting, fighting::rescue, "<friend>", "Take the blows meant for somebody.", Told(Fight)).level(1),
    act("wimpy", Group::Fighting, Dead, fighting::wimpy, "[<hit points>]", "Set at how many hit points you run from a fight; 0 never.", Told(Fight)).free(),
    see("consider", Group::Seeing, Resting, fighting::consider, "<target>", "Guess how a fight against somebody would go.", Told(Fight)),
    // Objects.
    act("get", Group::Things, Resting, items::get, "<thing> [<container>] | all | all.<thing>", "Pick something up, or take it out of a container or corpse.", Told(Things)).aliases(&["take"]).shorts(&["g"]),
    act("drop", Group::Things, Resting, items::drop, "<thing> | all | all.<thing> | <number> coins", "Put something on the floor.", Told(Things)),
    act("put", Group::Things, Resting, items::put, "<thing> <container>", "Put something into a container.", Told(Things)),
    act("give", Group::Things, Resting, items::give, "<thing> <target> | <number> coins <target>", "Give something to somebody.", Told(Things)),
    act("wear", Group::Wearing, Resting, wearing::wear, "<thing> | all | <thing> <place>", "Put something on.", Told(Things)),
    act("wield", Group::Wearing, Resting, wearing::wield, "<weapon>", "Take a weapon in hand.", Told(Things)),
    act("hold", Group::Wearing, Resting, wearing::hold, "<thing>", "Take something into your free hand.", Told(Things)).level(1).aliases(&["grab"]),
    act("remove", Group::Wearing, Resting, wearing::remove, "<thing> | all", "Take off something that you wear.", Told(Things)),
    act("eat", Group::Eating, Resting, eating::eat, "<food>", "Eat something.", Told(Things)),
    act("drink", Group::Eating, Resting, eating::drink, "<fountain | container>", "Drink from something.", Told(Things)),
    act("taste", Group::Eating, Resting, eating::taste, "<food>", "Taste something.", Untold),
    act("sip", Group::Eating, Resting, eating::sip, "<container>", "Taste a drink.", Untold),
    act("fill", Group::Eating, Standing, eating::fill, "<container> <fountain>", "Fill a drink container.", Told(Things)),
    act("pour", Group::Eating, Standing, eating::pour, "<container> <container> | <container> out", "Pour a drink into something else, or away.", Untold),
    act("junk", Group::Things, Resting, items::junk, "<thing> | all.<thing>", "Destroy something that you carry.", Told(Things)),
    act("donate", Group::Things, Resting, items::donate, "<thing> | all.<thing>", "Give something away to those who need it.", Told(Things)),
    see("inventory", Group::Things, Dead, wearing::inventory, "", "List what you carry.", Told(Look)).shorts(&["i"]),
    see("equipment", Group::Wearing, Sleeping, wearing::equipment, "", "List what you wear and wield.", Told(Look)),
    // Doors and shops.
    act("open", Group::Doors, Sitting, travel::open, "<door | container> [<direction>]", "Open a door or a container.", Told(Doors)),
    act("close", Group::Doors, Sitting, travel::close, "<door | container> [<direction>]", "Close a door or a container.", Told(Doors)),
    act("unlock", Group::Doors, Sitting, travel::unlock, "<door | container> [<direction>]", "Unlock a door or a container, with its key.", Told(Doors)),
    act("lock", Group::Doors, Sitting, travel::lock, "<door | container> [<direction>]", "Lock a door or a container, with its key.", Told(Doors)),
    act("pick", Group::Doors, Standing, travel::pick, "<door | container> [<direction>]", "Try to open a lock without its key.", Told(Doors)).level(1),
    act("list", Group::Trade, Standing, shopping::list, "[<word>]", "See what the shop sells.", Told(Trade)).free(),
    act("buy", Group::Trade, Standing, shopping::buy, "[<number>] <thing>", "Buy from the shop that you are in. See list.", Told(Trade)),
    act("sell", Group::Trade, Standing, shopping::sell, "<thing>", "Sell something to the shop that you are in.", Told(Trade)),
    act("value", Group::Trade, Standing, shopping::value, "<thing>", "Ask what the shop would pay for something.", Told(Trade)).free(),
    act("balance", Group::Trade, Standing, bank::balance, "", "Ask the bank what you have with it.", Told(Trade)).free(),
    act("deposit", Group::Trade, Standing, bank::deposit, "<coins> | all", "Put gold into the bank.", Told(Trade)),
    act("withdraw", Group::Trade, Standing, bank::withdraw, "<coins> | all", "Take gold out of the bank.", Told(Trade)),
    // Bodies and people.
    act("stand", Group::Resting, Resting, resting::stand, "", "Stand up.", Told(Body)),
    act("sit", Group::Resting, Resting, resting::sit, "", "Sit down.", Told(Body)),
    act("rest", Group::Resting, Resting, resting::rest, "", "Rest, and get your strength back sooner.", Told(Body)),
    act("sleep", Group::Resting, Sleeping, resting::sleep, "", "Sleep, and get your strength back soonest.", Told(Body)),
    act("wake", Group::Resting, Sleeping, resting::wake, "[<sleeper>]", "Wake up, or wake somebody.", Told(Body)),
    see("score", Group::You, Dead, information::score, "", "Show your own numbers and states.", Told(Look)).shorts(&["sc"]),
    see("affects", Group::You, Sleeping, information::affects, "", "List what is working on you, and for how long.", Told(Look)),
    act("who", Group::Others, Dead, information::who, "[<word>]", "List the players in the world; with a word, those whose name begins with it.", Told(Look)).shorts(&["wh"]).free(),
    see("whois", Group::Others, Dead, information::whois, "<player>", "What is known of a player.", Told(Look)),
    see("time", Group::Seeing, Dead, information::time, "", "Tell the time and the date of the world.", Told(Look)),
    see("weather", Group::Seeing, Resting, information::weather, "", "Look at the sky.", Told(Look)),
    see("help", Group::Help, Dead, help::help, "[<word>]", "Explain a verb, a gesture or a topic; without a word, show what there is.", Told(Look)).aliases(&["?"]),
    see("commands", Group::Help, Dead, information::commands, "", "List the verbs that you can use.", Untold),
    see("socials", Group::Help, Dead, information::socials, "", "List the gestures.", Untold),
    // Company and talk.
    act("follow", Group::Company, Resting, grouping::follow, "<leader> | self", "Follow somebody; follow yourself to stop.", Told(Company)).free(),
    act("group", Group::Company, Sleeping, grouping::group, "[<follower> | all]", "Take a follower into your group; without a name, show the group.", Told(Company)).level(1).free(),
    act("ungroup", Group::Company, Dead, grouping::ungroup, "[<member>]", "Put somebody out of your group, or dissolve it.", Told(Company)).free(),
    act("split", Group::Company, Sitting, grouping::split, "<coins>", "Share gold with your group in the room.", Told(Trade)).level(1),
    act("report", Group::Company, Resting, grouping::report, "", "Tell the room how you are.", Told(Company)).free(),
    act("say", Group::Talking, Resting, talking::say, "<words>", "Say something to everybody in the room. A leading ' does the same.", Told(Talk)).aliases(&["'"]).shorts(&["sa"]).free().speech(),
    act("tell", Group::Talking, MortallyWounded, talking::tell, "<player> <words>", "Say something to a player anywhere, unheard by others.", Told(Talk)).shorts(&["t"]).free().speech(),
    act("reply", Group::Talking, Dead, talking::reply, "<words>", "Answer the last tell.", Told(Talk)).aliases(&["."]).free().speech(),
    act("whisper", Group::Talking, Resting, talking::whisper, "<target> <words>", "Say something to somebody in the room, unheard by others.", Told(Talk)).free().speech(),
    act("ask", Group::Talking, Resting, talking::ask, "<target> <words>", "Put a question to somebody in the room.", Told(Talk)).free().speech(),
    act("gsay", Group::Company, Sleeping, grouping::gsay, "<words>", "Talk to your group.", Told(Talk)).aliases(&["gtell"]).free().speech(),
    act("emote", Group::Talking, Resting, talking::emote, "<what you do>", "Show yourself doing something: emote scratches his head.", Told(Talk)).level(1).aliases(&[":"]).free().speech(),
    act("title", Group::You, Dead, title::title, "[<text>]", "Set what follows your name; without text, take the title of your class.", Untold).free(),
    act("description", Group::You, Dead, title::description, "[<text> | + <more> | clear]", "Set what others see when they look at you; after +, another line of it. Without text, show it.", Untold).free(),
    act("password", Group::You, Dead, secrets::password, "<old> <new>", "Change your password.", Forbidden).level(1).full_word().secret(),
    act("save", Group::You, Sleeping, quit::save, "", "Have your character written down now.", Untold).free(),
    act("quit", Group::You, Dead, quit::quit, "", "Leave the world, saved with everything you have.", Forbidden).full_word().while_frozen(),
    // What players set for themselves.
    act("toggle", Group::Settings, Dead, settings::toggle, "[<setting>]", "Show your settings, or switch one.", Untold).free(),
    act("brief", Group::Settings, Dead, settings::brief, "", "Switch room descriptions off and on while walking.", Untold).free(),
    act("color", Group::Settings, Dead, settings::color, "[off | on]", "Switch colours off and on.", Untold).free(),
    act("blankline", Group::Settings, Dead, settings::blankline, "", "Switch the blank line before the prompt off and on.", Untold).free().full_word(),
    act("prompt", Group::Settings, Dead, settings::prompt, "[<pattern> | off | default]", "Set your prompt; without a pattern, show it and list what a pattern can hold, such as %h for your hit points.", Untold).free(),
    act("alias", Group::Settings, Dead, aliases::alias, "[<name> [<commands>]]", "Make a word of your own for commands: alias k kill $1; get all corpse. Without commands, remove it; without a name, list them.", Forbidden).free(),
    act("unalias", Group::Settings, Dead, aliases::unalias, "<name>", "Remove one of your aliases.", Forbidden).free(),
    // An agent's mind, and a person's notebook.
    act("task", Group::Mind, Dead, mind::task, "[<text> | done | update <text>]", "Set what you are about, say that it is done, or put it better; without a word, read it.", Untold).free(),
    act("note", Group::Mind, Dead, mind::note, "[<text> | edit <id> <text> | remove <id>]", "Note something for yourself, change it or throw it away; without a word, list your notes.", Untold).free(),
    act("decide", Group::Mind, Dead, mind::decide, "[<text>[: <details>] | remove <id>]", "Keep a decision in mind, with its reasons, or drop one; without a word, list your decisions.", Untold).free(),
    act("step", Group::Mind, Dead, mind::step, "[<text> | done <id> | move <id> <place> | remove <id>]", "Plan a next step, say that one is done, move it to another place in the list, or drop it; without a word, list them.", Untold).free(),
    act("block", Group::Mind, Dead, mind::block, "[<text> | clear <id>]", "Keep in mind what stands in your way, or that it is gone; without a word, list what does.", Untold).free().full_word(),
    act("trouble", Group::Mind, Dead, mind::trouble, "[<text> | solved <id>]", "Keep in mind what goes wrong, or that it does so no longer; without a word, list what is open.", Untold).free().full_word(),
    act("remember", Group::Mind, Dead, mind::remember, "[<path> [= <value> | += <value>] | <path> weight = <0 to 1>]", "Put a value into your memory (remember people.Bob.trust = 0.8), add one to a list, or say how much it matters; without =, read it.", Untold).free(),
    act("forget", Group::Mind, Dead, mind::forget, "<path>", "Take something out of your memory, with all that is below it.", Untold).free(),
    act("compact", Group::Mind, Dead, mind::compact, "", "Fold the log of your mind into what follows from it. Nothing that you noted is lost.", Untold).free(),
    act("context", Group::Mind, Dead, mind::context, "[<tokens> of <budget>]", "Note how full a prompt was, as programs do that play; without a word, read the newest.", Untold).free().full_word(),
    act("hud", Group::Mind, Dead, mind::hud, "[markdown | json | compact-json | toon]", "Read your mind: task, steps, decisions, blockers, troubles, notes and memory. With a format: as a prompt holds it.", Untold).free().full_word(),
    act("history", Group::Mind, Dead, mind::history, "[mind|deeds] [<number>]", "Read the newest entries of your mind's log: all, what you noted, or what happened to you.", Untold).free().full_word(),
    act("recall", Group::Mind, Dead, mind::recall, "[<words>] | why <memory>", "What you remember of something, or of what is here and who is with you.", Untold).free().full_word(),
    // Immortals.
    act("advance", Group::Immortal, Dead, amending::advance, "<player> <level>", "Set the level of a player.", Forbidden).level(38),
    act("at", Group::Immortal, Dead, immortal::at, "<room | target> <command>", "Do something somewhere else.", Forbidden).level(38).runs_commands(),
    act("copyover", Group::Immortal, Dead, immortal::copyover, "", "Start the server anew from the program on disk; people keep their connections.", Forbidden).level(39).full_word(),
    act("echo", Group::Immortal, Dead, immortal::echo, "<text>", "Let everybody in the room read a text.", Forbidden).level(31).free(),
    act("force", Group::Immortal, Dead, immortal::force, "<target | room | all> <command>", "Make somebody do something.", Forbidden).level(34).runs_commands(),
    act("freeze", Group::Immortal, Dead, immortal::freeze, "<player>", "Freeze a player, who can then do nothing but quit.", Forbidden).level(38),
    act("goto", Group::Immortal, Dead, immortal::goto_, "<room | target>", "Go to a room by its number, or to somebody.", Forbidden).level(31),
    act("load", Group::Immortal, Dead, immortal::load, "mob <number> | obj <number>", "Make a mob here, or a thing into your hands.", Forbidden).level(31),
    act("purge", Group::Immortal, Dead, immortal::purge, "[<target>]", "Remove a mob or a thing, or everything that is no player from the room.", Forbidden).level(32),
    act("restore", Group::Immortal, Dead, amending::restore, "<target>", "Heal somebody wholly.", Forbidden).level(33),
    act("set", Group::Immortal, Dead, amending::set, "<target> <hit | maxhit | mana | maxmana | move | maxmove | gold | bank | exp | level | align | str | int | wis | dex | con | cha | hunger | thirst | drunk | outlaw> <value>", "Change a value of somebody.", Forbidden).level(34),
    act("shutdown", Group::Immortal, Dead, immortal::shutdown, "", "End the server, with everybody saved.", Forbidden).level(39).full_word(),
    act("snoop", Group::Immortal, Dead, immortal::snoop, "[<player>]", "See what a player sees; without a name, stop.", Forbidden).level(34),
    see("stat", Group::Immortal, Dead, inspecting::stat, "[room | mob <target> | obj <target> | <target>]", "Show everything about a room, a mob, a player or a thing.", Forbidden).level(31),
    act("teleport", Group::Immortal, Dead, immortal::teleport, "<target> <room | target>", "Move somebody somewhere.", Forbidden).level(34),
    act("thaw", Group::Immortal, Dead, immortal::thaw, "<player>", "Thaw a frozen player.", Forbidden).level(38),
    act("transfer", Group::Immortal, Dead, immortal::transfer, "<player | all>", "Bring somebody to you.", Forbidden).level(32),
    see("where", Group::Immortal, Dead, inspecting::where_, "[<name>]", "Where players are; with a name, where anything of that name is.", Forbidden).level(31),
    act("zreset", Group::Immortal, Dead, immortal::zreset, "[<zone> | all]", "Reset a zone.", Forbidden).level(31),
];
