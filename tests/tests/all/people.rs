//! What transcripts cannot show of people talking: outcomes beside lines, prompts, long lists.

use content::flags::AffectFlags;
use protocol::Outcome;
use protocol::payload::EventKind;
use tests::scene::{Person, Scene};
use world::affect::Affect;
use world::character::Link;
use world::report::{Goodbye, Request};
use world::{Input, Report};

fn scene(names: &[&str]) -> Scene {
    let mut scene = Scene::open("green", 1);
    for name in names {
        scene.enter(name, &Person { level: 5, ..Person::default() });
    }
    scene
}

/// What a reader was told that somebody said.
fn said_to(scene: &Scene, name: &str, report: &Report) -> Vec<String> {
    let id = scene.id(name);
    let lines = report.lines.iter().filter(|(to, _)| *to == id);
    lines
        .filter_map(|(_, line)| match line.outcome.as_deref() {
            Some(Outcome::Said { channel, text, .. }) => Some(format!("{channel}: {text}")),
            _ => None,
        })
        .collect()
}

#[test]
fn what_programs_type_for_a_thing_in_their_hands_means_that_thing() {
    let mut scene = Scene::open("green", 1);
    scene.enter("Maker", &Person { level: world::character::LEVEL_MAX, ..Person::default() });
    scene.enter("Ann", &Person { agent: true, ..Person::default() });
    let (ann, content) = (scene.id("Ann"), scene.world.content.clone());
    let mut made = 0;
    for short in
        ["a short sword", "a greatsword", "a short sword", "a torch", "a loaf of bread", "a torch", "a loaf of bread"]
    {
        let vnum = content.objects.iter().find(|object| &*object.short == short).expect("it is in the scene").vnum;
        scene.does("Maker", &format!("load obj {vnum}"));
        let loaded = scene.world.inventory_items(scene.id("Maker")).remove(0);
        scene.does("Maker", &format!("give {} ann", loaded.target_string));
        made += 1;
        let items = scene.world.inventory_items(ann);
        assert_eq!(items.len(), made, "{items:?}");
        for (item, id) in items.iter().zip(&scene.world.who(ann).carrying) {
            assert_eq!(scene.world.find_carried(ann, &item.target_string), Some(*id), "{items:?}");
        }
    }
    let targets = |scene: &Scene| -> Vec<String> {
        scene.world.inventory_items(ann).iter().map(|item| item.target_string.to_string()).collect()
    };
    assert_eq!(targets(&scene), ["bread", "torch", "2.bread", "2.torch", "sword", "greatsword", "3.sword"]);
    // Of the two torches the second was meant, whichever was taken up first.
    let second = scene.world.who(ann).carrying[3];
    scene.does("Ann", "hold 2.torch");
    assert!(scene.world.who(ann).worn.iter().any(|(_, id)| *id == second));
    scene.world.who_mut(ann).now.flags.insert(content::flags::AffectFlags::BLIND);
    assert_eq!(targets(&scene), [""; 6], "whoever sees nothing can mean nothing");
}

#[test]
fn what_programs_type_for_a_thing_that_they_wear_means_that_thing() {
    let mut scene = Scene::open("green", 1);
    scene.enter("Maker", &Person { level: world::character::LEVEL_MAX, ..Person::default() });
    scene.enter("Ann", &Person { agent: true, ..Person::default() });
    let (ann, content) = (scene.id("Ann"), scene.world.content.clone());
    for (short, put_on) in [("a short sword", "wield sword"), ("a torch", "hold torch")] {
        let vnum = content.objects.iter().find(|object| &*object.short == short).expect("it is in the scene").vnum;
        scene.does("Maker", &format!("load obj {vnum}"));
        let loaded = scene.world.inventory_items(scene.id("Maker")).remove(0);
        scene.does("Maker", &format!("give {} ann", loaded.target_string));
        scene.does("Ann", put_on);
    }
    // Two that answer to the same word, whatever the scene has to wear.
    let sword = scene.world.who(ann).worn.iter().find(|(slot, _)| slot.name() == "wield").expect("she wields it").1;
    scene.world.object_mut(sword).keywords = "torch sword".into();
    let worn = scene.world.equipment_items(ann).0;
    assert_eq!(worn.len(), 2, "{worn:?}");
    let mut targets: Vec<&str> = worn.iter().map(|(_, item)| &*item.target_string).collect();
    targets.sort_unstable();
    assert_eq!(targets, ["2.torch", "torch"]);
    for ((_, item), (_, id)) in worn.iter().zip(&scene.world.who(ann).worn) {
        let found = scene.world.find_worn(ann, &item.target_string).map(|(_, found)| found);
        assert_eq!(found, Some(*id), "{worn:?}");
    }
    scene.world.who_mut(ann).now.flags.insert(content::flags::AffectFlags::BLIND);
    let blind = scene.world.equipment_items(ann).0;
    assert!(blind.iter().all(|(_, item)| item.target_string.is_empty()), "{blind:?}");
}

#[test]
fn bystanders_of_a_whisper_get_no_words_as_data_either() {
    let mut scene = scene(&["Ann", "Bob", "Cid"]);
    let report = scene.does("Ann", "whisper bob he cheats");
    assert_eq!(said_to(&scene, "Bob", &report), ["whisper: he cheats"]);
    assert_eq!(said_to(&scene, "Ann", &report), ["whisper: he cheats"]);
    assert_eq!(scene.read_by("Cid", &report), "Ann whispers something to Bob.");
    assert!(said_to(&scene, "Cid", &report).is_empty());
}

#[test]
fn spoken_lines_carry_the_speaker_and_the_channel() {
    let mut scene = scene(&["Ann", "Bob"]);
    for (typed, kind, channel) in [
        ("say hello", EventKind::Say, "say"),
        ("tell bob hello", EventKind::Tell, "tell"),
        ("gossip hello", EventKind::Gossip, "gossip"),
        ("shout hello", EventKind::Shout, "shout"),
        ("holler hello", EventKind::Shout, "holler"),
        ("auction hello", EventKind::Auction, "auction"),
        ("grats hello", EventKind::Grats, "grats"),
        ("newbie hello", EventKind::Newbie, "newbie"),
        ("emote hello", EventKind::Emote, "emote"),
    ] {
        // One line is not said again and again.
        let words = format!("hello {channel}");
        let report = scene.does("Ann", &typed.replace("hello", &words));
        let bob = scene.id("Bob");
        let (_, line) = report.lines.iter().find(|(to, _)| *to == bob).expect("Bob hears it");
        assert_eq!((line.kind.event_kind(), line.from.as_deref()), (kind, Some("Ann")), "{typed}");
        assert_eq!(said_to(&scene, "Bob", &report), [format!("{channel}: {words}")], "{typed}");
    }
}

#[test]
fn what_is_said_ends_at_512_characters() {
    let mut scene = scene(&["Ann", "Bob"]);
    let report = scene.does("Ann", &format!("say {}", "ø".repeat(900)));
    assert_eq!(said_to(&scene, "Bob", &report), [format!("say: {}", "ø".repeat(512))]);
}

#[test]
fn tells_to_a_lost_link_wait_there() {
    let mut scene = scene(&["Ann", "Bob"]);
    let who = scene.id("Bob");
    scene.world.apply(&Input::Link { who, link: Link::Lost { since_tick: 0 }, agent: false });
    let report = scene.does("Ann", "tell bob hello");
    assert!(scene.read_by("Ann", &report).ends_with("Bob stares into nothing; your words wait there."));
    let report = scene.world.apply(&Input::Link { who, link: Link::Linked, agent: false });
    assert_eq!(scene.read_by("Bob", &report), "One tell came while you were away: from Ann: channel read");
    let report = scene.does("Bob", "channel read");
    assert!(scene.read_by("Bob", &report).contains("just now] Ann: hello"), "{}", scene.read_by("Bob", &report));
    let report = scene.does("Bob", "channel read");
    assert_eq!(scene.read_by("Bob", &report), "Nothing was said that you have not heard.");
    let report = scene.does("Bob", "reply and to you");
    assert_eq!(scene.read_by("Ann", &report), "Bob tells you, \"and to you\"");
}

#[test]
fn a_prompt_is_rendered_from_its_pattern() {
    let mut scene = scene(&["Ann", "Bob"]);
    let ann = scene.id("Ann");
    let c = scene.world.who(ann);
    let (hit, moves) = (c.hit, c.moves);
    assert_eq!(scene.world.prompt(ann), format!("{hit}H 100M {moves}V > "));
    for (pattern, rendered) in [
        ("%h/%H hp", format!("{hit}/{hit} hp ")),
        ("%n %l %g", "Ann 5 100 ".to_string()),
        ("%r:", "The Village Green: ".to_string()),
        ("100%% %q %", "100% %q % ".to_string()),
        ("[%t]", "[] ".to_string()),
        ("off", String::new()),
    ] {
        scene.does("Ann", &format!("prompt {pattern}"));
        assert_eq!(scene.world.prompt(ann), rendered, "{pattern}");
    }
}

#[test]
fn a_prompt_in_a_fight_shows_the_opponent() {
    let mut scene = scene(&["Ann", "Bob"]);
    let bob = scene.id("Bob");
    scene.does("Ann", "murder bob");
    scene.world.apply(&Input::Tick);
    assert!(scene.world.prompt(bob).starts_with("(Ann "), "{}", scene.world.prompt(bob));
    scene.does("Bob", "toggle target off");
    assert!(!scene.world.prompt(bob).contains("Ann"));
    scene.does("Bob", "prompt %t >");
    assert!(scene.world.prompt(bob).starts_with("Ann "));
}

#[test]
fn who_names_at_most_a_hundred_and_counts_the_rest() {
    let mut scene = Scene::open("green", 1);
    for n in 0..110u8 {
        let name = format!("P{}{}", char::from(b'a' + n / 26), char::from(b'a' + n % 26));
        scene.enter(&name, &Person::default());
    }
    let report = scene.does("Paa", "who");
    let text = scene.read_by("Paa", &report);
    assert_eq!(text.lines().count(), 102);
    assert!(text.ends_with("And 10 more: 110 players. To find somebody, type who and the beginning of a name."));
    let report = scene.does("Paa", "who pef");
    assert_eq!(scene.read_by("Paa", &report), "[ 1 Warrior   ] Pef the Recruit");
    let report = scene.does("Paa", "who p");
    assert_eq!(scene.read_by("Paa", &report).lines().count(), 101);
}

#[test]
fn quitting_saves_and_then_disconnects() {
    let mut scene = scene(&["Ann"]);
    let ann = scene.id("Ann");
    let report = scene.does("Ann", "quit");
    assert!(matches!(&report.requests[..], [
        Request::Save { left: true, .. },
        Request::Disconnect { who, reason: Goodbye::Quit },
    ] if *who == ann));
    assert!(scene.world.character(ann).is_none());
}

#[test]
fn who_quits_takes_its_animal_along_and_brings_it_again() {
    let mut scene = Scene::open("green", 1);
    scene.enter("Ann", &Person { level: 25, gold: 900, room: Some(100), ..Person::default() });
    let (ann, room) = (scene.id("Ann"), scene.world.who(scene.id("Ann")).room);
    let groom = scene.world.content.mob_index(527).expect("it is in the scene");
    scene.world.make_mob(groom, room);
    scene.does("Ann", "hire cob");
    let animals = |scene: &Scene| scene.world.room(room).characters.iter().filter(|id| is_cob(scene, **id)).count();
    assert_eq!((animals(&scene), scene.world.who(ann).followers.len()), (1, 1));
    let report = scene.does("Ann", "quit");
    assert_eq!(animals(&scene), 0, "it is not left behind");
    let record = report.requests.iter().find_map(|request| match request {
        Request::Save { record, left: true } => Some(record.clone()),
        _ => None,
    });
    let record = record.expect("she was saved");
    assert!(record.player.stabled.as_ref().is_some_and(|animal| animal.since_tick.is_none()), "{record:?}");
    let ann = scene.world.apply(&Input::Enter { record, agent: false }).entered.expect("she is back");
    assert_eq!(animals(&scene), 1, "it came with her");
    assert_eq!(scene.world.who(ann).followers.len(), 1);
}

#[test]
fn whoever_comes_back_has_its_pet_again_and_neither_coins_nor_things_are_doubled() {
    let mut scene = Scene::open("green", 1);
    scene.enter("Ann", &Person { level: 5, gold: 100, room: Some(100), ..Person::default() });
    let (ann, room) = (scene.id("Ann"), scene.world.who(scene.id("Ann")).room);
    let keeper = scene.world.content.mob_index(532).expect("it is in the scene");
    scene.world.make_mob(keeper, room);
    scene.does("Ann", "buy terrier Nettle");
    let pet = |scene: &Scene, ann: world::CharacterId| scene.world.who(ann).followers.first().copied();
    let nettle = pet(&scene, ann).expect("it follows her");
    let c = scene.world.who(nettle);
    assert_eq!((&*c.name, c.gold, c.is(AffectFlags::CHARM)), ("a rough terrier called Nettle", 0, true));
    assert_eq!(scene.world.who(ann).gold, 60);
    scene.world.who_mut(nettle).hit = 7;
    scene.does("Ann", "give 20 coins nettle");
    let report = scene.does("Ann", "quit");
    assert!(scene.world.character(nettle).is_none(), "it is not left behind");
    let record = report.requests.iter().find_map(|request| match request {
        Request::Save { record, left: true } => Some(record.clone()),
        _ => None,
    });
    let record = record.expect("she was saved");
    assert_eq!(record.player.pets.len(), 1, "{record:?}");
    let ann = scene.world.apply(&Input::Enter { record, agent: false }).entered.expect("she is back");
    let nettle = pet(&scene, ann).expect("it came with her");
    let c = scene.world.who(nettle);
    assert_eq!((&*c.name, c.gold, c.hit), ("a rough terrier called Nettle", 0, 7));
    assert!(c.is(AffectFlags::CHARM));
    assert!(scene.world.who(ann).player().is_some_and(|player| player.pets.is_empty()), "it is here, not away");
    assert_eq!(scene.world.who(ann).gold, 40, "what it had lies on the ground");
    let is_heap = |id: &&world::ObjectId| &*scene.world.object(**id).short == "a handful of gold coins";
    assert_eq!(scene.world.room(room).objects.iter().filter(is_heap).count(), 1);
    assert_eq!(scene.world.check_all(), Vec::<String>::new());
}

fn is_cob(scene: &Scene, id: world::CharacterId) -> bool {
    &*scene.world.who(id).name == "a brown cob"
}

#[test]
fn nobody_is_shown_by_the_name_of_one_of_the_people_of_the_world() {
    let mut scene = Scene::open("shipped", 1);
    scene.enter("Ann", &Person::default());
    for (name, refused) in [("Edda the flamekeeper", true), ("Êdda", true), ("Arabel of the Hill", false)] {
        let report = scene.does("Ann", &format!("name {name}"));
        let text = scene.read_by("Ann", &report);
        assert_eq!(text.contains("Somebody of this world has that name"), refused, "{name}: {text}");
    }
}

#[test]
fn a_new_password_is_a_request_to_the_edge() {
    let mut scene = scene(&["Ann"]);
    let ann = scene.id("Ann");
    let report = scene.does("Ann", "password");
    assert!(matches!(&report.requests[..], [Request::Password { who }] if *who == ann));
    assert_eq!(world::commands::strip_secret("password old new").line, "password");
}

#[test]
fn an_alias_that_names_itself_runs_once() {
    let mut scene = scene(&["Ann"]);
    scene.does("Ann", "alias x say one;x;x");
    let report = scene.does("Ann", "x");
    let text = scene.read_by("Ann", &report);
    assert_eq!(text.matches("You say").count(), 1, "{text}");
}

#[test]
fn aliases_are_bounded_in_number_and_length() {
    let mut scene = scene(&["Ann"]);
    for n in 0..40 {
        scene.does("Ann", &format!("alias a{n} look"));
    }
    let long = format!("alias long {}", "x".repeat(300));
    scene.does("Ann", &long);
    let player = scene.world.who(scene.id("Ann")).player().expect("a player");
    assert_eq!(player.aliases.len(), 30);
}

#[test]
fn a_group_outlives_its_leader_and_a_charm_does_not() {
    let mut scene = scene(&["Ann", "Bob", "Cid"]);
    for follower in ["Bob", "Cid"] {
        scene.does(follower, "follow ann");
    }
    scene.does("Ann", "group all");
    let [ann, bob, cid] = ["Ann", "Bob", "Cid"].map(|name| scene.id(name));
    let charm = Affect { flags: AffectFlags::CHARM, hours: 3, ..Affect::default() };
    scene.world.who_mut(cid).affects.push(charm);
    scene.world.recompute(cid);
    scene.world.die(ann, None, "a fall");
    let report = scene.world.apply(&Input::Tick);
    assert!(!scene.read_by("Bob", &report).contains("The group breaks up."));
    assert!(scene.world.who(ann).grouped && scene.world.who(ann).followers == [bob]);
    assert!(scene.world.who(bob).grouped && scene.world.who(bob).leader == Some(ann));
    let freed = scene.world.who(cid);
    assert!(!freed.grouped && freed.leader.is_none() && !freed.is(AffectFlags::CHARM));
}

#[test]
fn shared_gold_is_neither_made_nor_lost() {
    let mut scene = scene(&["Ann", "Bob", "Cid"]);
    for follower in ["Bob", "Cid"] {
        scene.does(follower, "follow ann");
    }
    scene.does("Ann", "group all");
    scene.does("Ann", "split 100");
    let gold: Vec<i32> = ["Ann", "Bob", "Cid"].map(|name| scene.world.who(scene.id(name)).gold).to_vec();
    assert_eq!(gold, [34, 133, 133]);
}
