//! What channels, members and owners hold at most: whoever comes to a bound is told so, and nothing is lost.

use protocol::channel::CONTENT_CHANNEL_MAX;
use std::sync::Arc;
use tests::scene::{Person, Scene};
use world::Report;
use world::channel::{
    CHANNEL_MESSAGES_MAX, Channel, ChannelKind, Channels, KEYS_MAX, MEMBERS_MAX, MEMBERSHIPS_KEPT, MEMBERSHIPS_MAX,
    MESSAGES_MAX, Message, MessageKind, PersonKind, REQUEST_TICKS, REQUESTS_MAX, SILENCE_TICKS, Sender,
};
use world::report::Request;

/// Names of so many people, of letters only.
fn names(count: usize) -> Vec<String> {
    let letter = |n: usize| char::from(b'a' + (n % 26) as u8);
    (0..count).map(|n| format!("Q{}{}x", letter(n / 26), letter(n))).collect()
}

fn with_people(names: &[String]) -> Scene {
    let mut scene = Scene::open("green", 1);
    for name in names {
        scene.enter(name, &Person { level: 5, ..Person::default() });
    }
    scene
}

/// Done without a refusal.
fn done(scene: &mut Scene, name: &str, line: &str) -> Report {
    let report = scene.does(name, line);
    assert_eq!(report.refused, None, "{name}: {line}");
    report
}

/// The sentence with which a line is refused.
fn refused(scene: &mut Scene, name: &str, line: &str) -> String {
    scene.does(name, line).refused.unwrap_or_else(|| panic!("{name} may do this: {line}")).to_string()
}

fn person(scene: &Scene, name: &str) -> u32 {
    scene.world.person_of(scene.id(name)).expect("a player")
}

/// Channels that somebody is in, beside those of the content.
fn memberships(scene: &Scene, name: &str) -> usize {
    let person = scene.world.state.channels.person(person(scene, name)).expect("known");
    person.channels.iter().filter(|id| **id > CONTENT_CHANNEL_MAX).count()
}

/// So many ticks later, at the end of an hour of the game, when what is over is let go.
fn pass(scene: &mut Scene, ticks: u64) {
    let hour = world::clock::TICKS_PER_HOUR;
    let then = scene.world.tick() + ticks;
    scene.world.state.clock.tick = then.next_multiple_of(hour) - 1;
    scene.tick();
}

#[test]
fn one_is_in_thirty_two_channels_at_most_and_home_and_party_have_their_place() {
    const OTHERS: usize = MEMBERSHIPS_MAX - MEMBERSHIPS_KEPT;
    let owners = names(OTHERS / 3 + 1);
    let mut scene = with_people(&owners);
    for name in ["Ann", "Bob"] {
        scene.enter(name, &Person { level: 5, ..Person::default() });
    }
    let mut groups = Vec::new();
    for owner in &owners {
        for group in ["One", "Two", "Three"] {
            let name = format!("{group} of {owner}");
            done(&mut scene, owner, &format!("channel create {name}"));
            let word = name.replace(' ', "");
            done(&mut scene, owner, &format!("channel access open in {word}"));
            groups.push(word);
        }
    }
    for group in &groups[..OTHERS] {
        done(&mut scene, "Bob", &format!("channel join {group}"));
    }
    let last = &groups[OTHERS];
    let why = refused(&mut scene, "Bob", &format!("channel join {last}"));
    assert!(why.starts_with("You are in 30 channels beside your home and your party"), "{why}");
    assert!(refused(&mut scene, "Bob", "channel create Mine").starts_with("You are in 30"), "nor by making one");
    // Nor by a key, whoever notices first.
    done(&mut scene, "Ann", "channel key add oak");
    assert!(refused(&mut scene, "Bob", "request ann oak").starts_with("You are in 30"), "he is told before he asks");
    // Home and party do not wait for anything to be left.
    done(&mut scene, "Bob", "chat home My own four walls.");
    done(&mut scene, "Bob", "follow ann");
    done(&mut scene, "Ann", "group bob");
    done(&mut scene, "Bob", "gsay Here I am.");
    assert_eq!(memberships(&scene, "Bob"), MEMBERSHIPS_MAX);
    assert_eq!(scene.world.check_all(), [""; 0]);
    // With a place free he asks; when it is taken meanwhile, he cannot be let in.
    done(&mut scene, "Bob", &format!("channel leave {}", groups[0]));
    done(&mut scene, "Bob", "request ann oak");
    done(&mut scene, "Bob", &format!("channel join {last}"));
    let asked = scene.world.state.channels.get(person(&scene, "Ann")).expect("her home").requests[0].id;
    let why = refused(&mut scene, "Ann", &format!("channel grant {asked}"));
    assert_eq!(why, "Bob is in too many channels.");
    // Who has no room for one more tell hears none, and who tells is told.
    let why = refused(&mut scene, "Ann", "tell bob Are you there?");
    assert_eq!(why, "Too many talk to you, or to them, already. Not said: \"Are you there?\"");
    let why = refused(&mut scene, "Bob", "tell ann Do you hear me?");
    assert_eq!(why, "Too many talk to you, or to them, already. Not said: \"Do you hear me?\"");
}

#[test]
fn of_tells_the_quietest_gives_way_to_a_new_one() {
    let others = names(MEMBERSHIPS_MAX - MEMBERSHIPS_KEPT + 1);
    let mut scene = with_people(&others);
    scene.enter("Ann", &Person { level: 5, ..Person::default() });
    for (n, other) in others.iter().enumerate() {
        done(&mut scene, other, &format!("tell ann Letter {n}."));
        scene.tick();
    }
    assert_eq!(memberships(&scene, "Ann"), MEMBERSHIPS_MAX - MEMBERSHIPS_KEPT);
    let ann = person(&scene, "Ann");
    let with = |scene: &Scene, name: &str| scene.world.state.channels.direct(ann, person(scene, name));
    assert_eq!(with(&scene, &others[0]), None, "the first who wrote has been silent longest");
    assert!(others[1..].iter().all(|other| with(&scene, other).is_some()));
    assert_eq!(scene.world.check_all(), [""; 0]);
}

#[test]
fn two_hundred_are_in_a_channel_at_most() {
    let people = names(MEMBERS_MAX + 1);
    let mut scene = with_people(&people);
    let (owner, last) = (&people[0], &people[MEMBERS_MAX]);
    done(&mut scene, owner, "channel create Moot");
    done(&mut scene, owner, "channel key add oak in moot");
    done(&mut scene, last, "request moot oak");
    done(&mut scene, owner, "channel access open in moot");
    for guest in &people[1..MEMBERS_MAX] {
        done(&mut scene, guest, "channel join moot");
    }
    let full = "200 are in there, and that is the most.";
    assert_eq!(refused(&mut scene, last, "channel join moot"), full);
    let moot = scene.world.any_channel(person(&scene, owner), "moot").expect("it is there");
    let channel = |scene: &Scene| scene.world.state.channels.get(moot).expect("it is there").clone();
    let asked = channel(&scene).requests[0].id;
    assert_eq!(refused(&mut scene, owner, &format!("channel grant {asked}")), full);
    assert_eq!((channel(&scene).members.len(), channel(&scene).requests.len()), (MEMBERS_MAX, 1), "it still waits");
    // A place that is given up is taken.
    done(&mut scene, &people[1], "channel leave moot");
    done(&mut scene, owner, &format!("channel grant {asked}"));
    assert_eq!((channel(&scene).members.len(), channel(&scene).requests.len()), (MEMBERS_MAX, 0));
    assert_eq!(scene.world.check_all(), [""; 0]);
}

#[test]
fn twenty_ask_at_most_and_what_nobody_answers_in_a_day_is_over() {
    let people = names(REQUESTS_MAX + 2);
    let mut scene = with_people(&people);
    let owner = &people[0];
    done(&mut scene, owner, "channel key add oak");
    for guest in &people[1..=REQUESTS_MAX] {
        done(&mut scene, guest, &format!("request {owner} oak"));
    }
    let last = &people[REQUESTS_MAX + 1];
    let line = format!("request {owner} oak");
    assert_eq!(refused(&mut scene, last, &line), "Too many ask to be let in there already.");
    let home = person(&scene, owner);
    let open = |scene: &Scene| scene.world.state.channels.get(home).expect("her home").requests.len();
    pass(&mut scene, REQUEST_TICKS - 2 * world::clock::TICKS_PER_HOUR);
    assert_eq!(open(&scene), REQUESTS_MAX, "an hour or two before");
    pass(&mut scene, 2 * world::clock::TICKS_PER_HOUR);
    assert_eq!(open(&scene), 0, "a day later");
    done(&mut scene, last, &line);
    assert_eq!(scene.world.check_all(), [""; 0]);
}

#[test]
fn twenty_are_invited_at_most_who_have_not_come() {
    let people = names(KEYS_MAX + 2);
    let mut scene = with_people(&people);
    let owner = &people[0];
    for guest in &people[1..=KEYS_MAX] {
        done(&mut scene, owner, &format!("channel invite {guest}"));
    }
    let last = format!("channel invite {}", people[KEYS_MAX + 1]);
    assert_eq!(refused(&mut scene, owner, &last), "20 are invited and have not come; that is the most.");
    done(&mut scene, &people[1], &format!("channel join {owner}"));
    done(&mut scene, owner, &last);
    assert_eq!(scene.world.check_all(), [""; 0]);
}

#[test]
fn the_newest_fifty_are_held_and_older_ones_are_asked_of_the_store() {
    let mut scene = Scene::open("green", 1);
    scene.enter("Ann", &Person { level: 5, ..Person::default() });
    const SAID: usize = CHANNEL_MESSAGES_MAX + 10;
    for n in 0..SAID {
        done(&mut scene, "Ann", &format!("chat home Hour {n}"));
    }
    let home = person(&scene, "Ann");
    let channel = scene.world.state.channels.get(home).expect("her home");
    let held: Vec<u64> = channel.messages.iter().map(|message| message.id).collect();
    assert_eq!(held, (SAID as u64 - CHANNEL_MESSAGES_MAX as u64 + 1..=SAID as u64).collect::<Vec<_>>());
    let asks_the_store = |report: &Report| report.requests.iter().any(|request| matches!(request, Request::History(_)));
    assert!(!asks_the_store(&done(&mut scene, "Ann", "channel history home 50")), "all of these are here");
    assert!(asks_the_store(&done(&mut scene, "Ann", "channel history home 20 before 20")));
    // What is not held any more can neither be answered nor liked.
    assert_eq!(refused(&mut scene, "Ann", "react 3 heart"), "You have no message \"3\".");
}

#[test]
fn a_tell_leaves_after_a_silent_week() {
    let mut scene = Scene::open("green", 1);
    for name in ["Ann", "Bob"] {
        scene.enter(name, &Person::default());
    }
    done(&mut scene, "Ann", "tell bob Farewell.");
    let pair = (person(&scene, "Ann"), person(&scene, "Bob"));
    let direct = |scene: &Scene| scene.world.state.channels.direct(pair.0, pair.1);
    let id = direct(&scene).expect("they talked");
    assert_eq!(scene.world.channel_kind(id), ChannelKind::Direct);
    pass(&mut scene, SILENCE_TICKS - 2 * world::clock::TICKS_PER_HOUR);
    assert_eq!(direct(&scene), Some(id), "a few hours before");
    pass(&mut scene, 2 * world::clock::TICKS_PER_HOUR);
    assert_eq!(direct(&scene), None, "a week later");
    assert_eq!(scene.world.check_all(), [""; 0]);
}

#[test]
fn of_all_messages_the_oldest_leave_first_wherever_they_are() {
    let mut channels = Channels::default();
    let homes: Vec<u32> = (0..=MESSAGES_MAX / CHANNEL_MESSAGES_MAX)
        .map(|n| {
            let id = channels.admit(&format!("Runner{n}").into(), None, None);
            channels.open(id, Channel::new(ChannelKind::Home, Some(id), 80, 0));
            channels.join(id, id, 0);
            id
        })
        .collect();
    let mut say = |home: u32| {
        let id = channels.take_message_id();
        let sender = Sender { id: Some(home), name: "Runner".into(), kind: PersonKind::Person };
        let message = Message {
            id,
            tick: 0,
            sender,
            kind: MessageKind::Text,
            text: "Rain.".into(),
            reply_to: None,
            typed_by: 1,
            reactions: Vec::new(),
            hidden: false,
            veiled: false,
        };
        channels.push(home, Arc::new(message));
    };
    // The first of them says three, and is silent; all the others fill theirs, and more.
    (0..3).for_each(|_| say(homes[0]));
    for home in &homes[1..] {
        (0..CHANNEL_MESSAGES_MAX + 2).for_each(|_| say(*home));
    }
    let held = |channels: &Channels, home: u32| {
        let channel = channels.get(home).expect("it is open");
        (channel.messages.len(), channel.older)
    };
    assert_eq!(held(&channels, homes[0]), (0, true), "the oldest of all left for the newest");
    assert_eq!(held(&channels, homes[1]), (CHANNEL_MESSAGES_MAX, true));
    assert_eq!(channels.iter().map(|(_, channel)| channel.messages.len()).sum::<usize>(), MESSAGES_MAX);
    assert_eq!((channels.message(1), channels.channel_of(1)), (None, None));
    assert_eq!(channels.check(), [""; 0]);
}
