//! Rows from a world through the database into another one, and what is looked up there.

use super::*;
use crate::store::testing::{Place, on_each_store};
use crate::store::{agents, messages};
use world::agent::AgentTerms;
use world::agent::row::AgentRow;
use world::channel::row::Row;
use world::channel::{MessageKind, PersonKind, Sender};
use world::character::Link;
use world::input::KnownPerson;
use world::report::{HistoryRequest, Request};
use world::rng::Dice;
use world::rules::Rules;
use world::rules::creation::{self, Choices};
use world::{Admin, Input, Report, World};

fn world() -> World {
    let scene = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/scenes/green");
    let (content, _) = crate::content_files::read_world(&scene, None).expect("the scene is there");
    World::new(Arc::new(content), Arc::new(Rules::built_in()), 7)
}

/// A world whose every report goes into an archive.
struct Kept {
    world: World,
    archive: Arc<Archive>,
    now_ms: i64,
}

impl Kept {
    fn new(store: &Store) -> Kept {
        Kept { world: world(), archive: Archive::new(store.clone()), now_ms: 1_000 }
    }

    fn apply(&mut self, input: &Input) -> Report {
        let mut report = self.world.apply(input);
        self.now_ms += 1_000;
        self.archive.take(std::mem::take(&mut report.kept), report.number, self.now_ms);
        report
    }

    fn enter(&mut self, name: &str) {
        let mut record = creation::newborn(&Rules::built_in(), &Choices::plain(name), &mut Dice::new(1, 2, 3, 4));
        record.level = 5;
        self.apply(&Input::Enter { record: Box::new(record), agent: false });
    }

    fn types(&mut self, name: &str, lines: &[&str]) {
        for line in lines {
            let who = self.world.find_player(name).expect("she is here");
            let report = self.apply(&Input::Command { who, line: line.to_string() });
            assert_eq!(report.refused, None, "{line}");
        }
    }

    async fn write(&self) {
        self.archive.queue.write_all(&*self.archive).await.expect("it is written");
        assert_eq!(self.archive.backlog(), 0);
    }
}

/// Two who talk in channels of all kinds, with all that an owner can set.
fn talk(kept: &mut Kept) {
    kept.enter("Ann");
    kept.enter("Bob");
    kept.types(
        "ann",
        &["channel key add oak", "channel create Night Watch", "channel billboard Be quiet. in nightwatch"],
    );
    kept.types("bob", &["request ann oak", "gossip Anybody there?"]);
    kept.types("ann", &["channel grant 1", "channel invite bob in nightwatch", "attention nightwatch 30%"]);
    kept.types("bob", &["channel join nightwatch", "chat nightwatch All is well.", "tell ann Are you there?"]);
    kept.types("ann", &["react last heart", "reply last Here.", "chat nightwatch Who goes?", "channel wpm 60"]);
}

/// What of channels is kept, as a value that can be compared: without what a new world's time makes otherwise.
fn gist(world: &World) -> String {
    let mut text = String::new();
    for row in world.state.channels.rows() {
        match row {
            Row::Person { id, person } => {
                let person = person.expect("it is there");
                text.push_str(&format!("{id} {} shown as {}\n", person.name.to_lowercase(), person.display));
            }
            Row::Channel { id, channel } => {
                let c = channel.expect("it is there");
                text.push_str(&format!(
                    "{id} {:?} {:?} {:?} {} {} {:?} {:?} {:?} {:?} {:?}\n",
                    c.kind, c.name, c.owner, c.wpm, c.cooling, c.access, c.billboard, c.keys, c.invited, c.requests
                ));
            }
            Row::Member { channel, person, member } => {
                let m = member.expect("it is there");
                let account = m.account.parts().0;
                text.push_str(&format!(
                    "{person} in {channel}: {} {account} {} {} {:?}\n",
                    m.attention, m.read, m.joined, m.muted_from
                ));
            }
            Row::Message { channel, message: m } => {
                let reactions = &m.reactions;
                text.push_str(&format!("{channel} #{} {:?} {:?} {reactions:?}\n", m.id, m.sender, m.text));
            }
            Row::Agent(_) | Row::Plot { .. } | Row::Complaint(_) => unreachable!("channels tell nothing of these"),
        }
    }
    text
}

#[tokio::test]
async fn a_world_that_lost_its_own_gets_persons_channels_and_messages_back() {
    on_each_store(async |store| {
        let mut kept = Kept::new(store);
        assert!(channels::is_empty(store).await.expect("read"));
        talk(&mut kept);
        // In parts, and what was written is changed again.
        kept.write().await;
        kept.types("ann", &["channel key revoke oak", "channel hide 5 in nightwatch", "channel mute 103"]);
        kept.types("bob", &["channel leave nightwatch"]);
        kept.write().await;
        assert!(!channels::is_empty(store).await.expect("read"));
        let mut again = world();
        again.apply(&Input::Restore { rows: all(store).await.expect("read") });
        assert_eq!(gist(&again), gist(&kept.world));
        assert_eq!(again.state.channels.check(), [""; 0]);
        assert_eq!(again.state.channels.next_message(), kept.world.state.channels.next_message());
        assert_eq!(channels::newest_input(store).await.expect("read"), kept.world.state.number);
        let mut new = Kept { world: again, archive: kept.archive, now_ms: 0 };
        new.enter("Ann");
        new.types("ann", &["chat nightwatch I am back."]);
        assert_eq!(new.world.person_named("ann"), kept.world.person_named("ann"), "she is who she was");
    })
    .await;
}

#[tokio::test]
async fn late_and_repeated_batches_change_nothing() {
    on_each_store(async |store| {
        let mut kept = Kept::new(store);
        talk(&mut kept);
        let before = kept.archive.unwritten();
        kept.write().await;
        kept.types("ann", &["channel billboard clear in nightwatch", "channel mute 103"]);
        kept.write().await;
        let stored = all(store).await.expect("read");
        // As a recovery does that begins with an older snapshot.
        channels::write(store, &before).await.expect("written again");
        assert_eq!(all(store).await.expect("read"), stored);
        let said = messages::of(store, 3, 0, u64::MAX, 10).await.expect("read");
        assert_eq!(said.len(), 1, "{said:?}");
    })
    .await;
}

fn known(name: &str) -> KnownPerson {
    KnownPerson { name: name.into(), person: None }
}

/// The Architect with an agent that sleeps, one that is retired, one that was ordered, and somebody who may make some.
fn manage(kept: &mut Kept) {
    kept.apply(&Input::Admin(Admin::Started { unix_ms: 9_000_000, tick_ms: 2_000, agents_per_owner: 20 }));
    for name in ["Ann", "Bob", "Rook", "Lark"] {
        kept.enter(name);
    }
    for (name, kind, seed) in
        [("Rook", PersonKind::Bot, "You count boats."), ("Lark", PersonKind::Persona, "You sing.")]
    {
        let terms = AgentTerms {
            kind: Some(kind),
            seed: Some(seed.into()),
            model: Some("small-1".into()),
            out_format: Some("json".into()),
            ..AgentTerms::default()
        };
        let (who, owner, terms) = (known(name), Some(known("Ann")), terms.into());
        kept.apply(&Input::Admin(Admin::Agent { who, owner, terms }));
    }
    kept.apply(&Input::Admin(Admin::Crown { who: known("Ann") }));
    kept.types("rook", &["guideline set Count twice. because gulls look like boats", "agent sleep 10m"]);
    for line in ["agent permit bob", "agent retire lark", "agent create Wren bot = You carry letters."] {
        kept.types("ann", &[line]);
        (0..3).for_each(|_| drop(kept.apply(&Input::Tick)));
    }
}

#[tokio::test]
async fn a_world_that_lost_its_own_gets_its_agents_back() {
    on_each_store(async |store| {
        let mut kept = Kept::new(store);
        assert!(agents::is_empty(store).await.expect("read"));
        manage(&mut kept);
        kept.write().await;
        assert!(!agents::is_empty(store).await.expect("read"));
        let rows = kept.world.state.agents.rows();
        let count = |fits: fn(&AgentRow) -> bool| rows.iter().filter(|row| fits(row)).count();
        assert_eq!(count(|row| matches!(row, AgentRow::Record { .. })), 2, "{rows:?}");
        assert_eq!(count(|row| matches!(row, AgentRow::Right { .. })), 2, "{rows:?}");
        assert_eq!(count(|row| matches!(row, AgentRow::Order { .. })), 1, "{rows:?}");
        let mut again = world();
        again.apply(&Input::Restore { rows: all(store).await.expect("read") });
        assert_eq!(again.state.agents.rows(), rows);
        assert_eq!(again.check_all(), [""; 0]);
        // Ten minutes that began at tick 0 are over after ten minutes by the clock, whatever the new world counts.
        let rook = again.state.channels.named("rook").expect("it is known");
        let started = |unix_ms| Input::Admin(Admin::Started { unix_ms, tick_ms: 2_000, agents_per_owner: 20 });
        let mut later = again.clone();
        again.apply(&started(9_000_000 + 60_000));
        assert_eq!(again.state.agents.get(rook).and_then(|record| record.sleep_until), Some(300 - 30));
        later.apply(&started(9_000_000 + 600_000));
        assert!(later.state.agents.get(rook).is_some_and(|record| !record.sleeps(0) && record.wakes_ms.is_none()));
        assert!(again.is_retired("Lark"));
        let ann = again.state.channels.named("ann").expect("she is known");
        assert!(again.is_architect(ann) && again.makes_agents(again.state.channels.named("bob").expect("he is known")));
        // What was ordered is made, by its number, once.
        let (wren, _) = again.state.agents.orders().next().expect("it was ordered");
        for _ in 0..2 {
            again.apply(&Input::Admin(Admin::AgentMade { id: wren, name: "Wren".into() }));
        }
        assert_eq!(again.state.channels.named("wren"), Some(wren));
        assert_eq!(again.state.agents.get(wren).map(|record| &*record.seed), Some("You carry letters."));
        assert_eq!(again.state.agents.orders().count(), 0);
    })
    .await;
}

#[tokio::test]
async fn a_deleted_account_takes_its_record_along_and_leaves_its_agents_to_the_operator() {
    on_each_store(async |store| {
        let mut kept = Kept::new(store);
        manage(&mut kept);
        kept.write().await;
        for name in ["rook", "ann"] {
            let who = kept.world.find_player(name).expect("she is here");
            kept.apply(&Input::Admin(Admin::Remove { who, reason: String::new() }));
            kept.apply(&Input::Admin(Admin::Forget { name: name.into() }));
        }
        kept.write().await;
        let rows = agents::all(store).await.expect("read");
        assert_eq!(rows, kept.world.state.agents.rows());
        let records = rows.iter().filter_map(|row| match row {
            AgentRow::Record { record, .. } => record.as_deref(),
            _ => None,
        });
        let records: Vec<_> = records.map(|record| (&*record.seed, record.owner, record.created_by)).collect();
        assert_eq!(records, [("You sing.", None, None)]);
        assert!(
            !rows.iter().any(|row| matches!(row, AgentRow::Order { .. })),
            "what she ordered is not made: {rows:?}"
        );
    })
    .await;
}

#[tokio::test]
async fn words_that_waited_when_a_world_was_lost_come_back_to_who_typed_them() {
    on_each_store(async |store| {
        let mut kept = Kept::new(store);
        kept.enter("Ann");
        kept.enter("Bob");
        let long = format!("chat home {}", "boats ".repeat(150));
        kept.types("ann", &[&long, &long, "chat home The last of it."]);
        kept.write().await;
        let mut again = world();
        again.apply(&Input::Restore { rows: all(store).await.expect("read") });
        assert_eq!(again.check_all(), [""; 0]);
        (0..100).for_each(|_| drop(again.apply(&Input::Tick)));
        let unsaid = |report: &Report| {
            let lines: Vec<_> = report.lines.iter().map(|(_, line)| line.text.clone()).collect();
            lines.into_iter().filter(|text| text.starts_with("The world ended before")).collect::<Vec<_>>()
        };
        let mut record = creation::newborn(&Rules::built_in(), &Choices::plain("Ann"), &mut Dice::new(1, 2, 3, 4));
        record.level = 5;
        let enter = Input::Enter { record: Box::new(record), agent: false };
        let said = unsaid(&again.apply(&enter));
        assert!(said.len() == 1 && said[0].contains("boats") && said[0].contains("The last of it."), "{said:?}");
        let who = again.find_player("ann").expect("she is here");
        again.apply(&Input::Admin(Admin::Remove { who, reason: String::new() }));
        assert_eq!(unsaid(&again.apply(&enter)), [""; 0], "once");
        assert_eq!(again.check_all(), [""; 0]);
    })
    .await;
}

#[tokio::test]
async fn nothing_is_lost_while_the_database_is_away_and_a_message_keeps_its_time() {
    let place = Place::sqlite();
    let store = place.open().await;
    let mut kept = Kept::new(&store);
    store.close().await;
    talk(&mut kept);
    let said_at = kept.now_ms;
    let last = kept.world.state.channels.next_message() - 1;
    assert!(kept.archive.queue.write_all(&*kept.archive).await.is_err());
    kept.types("bob", &["react last up"]);
    let unwritten = kept.archive.unwritten();
    let message = unwritten.iter().find(|change| change.row.key() == RowKey::Message(last)).expect("it waits");
    assert!(message.at_ms <= said_at, "it was said before it was praised");
    let Row::Message { message, .. } = &message.row else { unreachable!("its key says so") };
    assert_eq!(message.reactions.len(), 1, "and its newest is what waits");
    // What the next start finds in the snapshot is written then.
    let store = place.open().await;
    let next = Kept::new(&store);
    next.archive.take_over(unwritten);
    next.write().await;
    let mut again = world();
    again.apply(&Input::Restore { rows: all(&store).await.expect("read") });
    assert_eq!(gist(&again), gist(&kept.world));
}

#[tokio::test]
async fn whoever_was_away_when_the_world_was_lost_still_has_it_unread() {
    on_each_store(async |store| {
        let mut kept = Kept::new(store);
        talk(&mut kept);
        let ann = kept.world.find_player("ann").expect("she is here");
        let person = kept.world.person_of(ann).expect("she has an id");
        kept.apply(&Input::Link { who: ann, link: Link::Lost { since_tick: 0 }, agent: false });
        kept.types("bob", &["tell ann Still there?"]);
        kept.write().await;
        let unread: Vec<_> = kept.world.unread_channels(person).collect();
        assert_eq!(unread.iter().map(|(_, count)| *count).sum::<u32>(), 1);
        let mut again = world();
        again.apply(&Input::Restore { rows: all(store).await.expect("read") });
        assert_eq!(again.unread_channels(person).collect::<Vec<_>>(), unread);
    })
    .await;
}

#[tokio::test]
async fn what_is_too_old_goes_with_its_reactions() {
    on_each_store(async |store| {
        let mut kept = Kept::new(store);
        talk(&mut kept);
        kept.write().await;
        let all = messages::newest(store, 100).await.expect("read");
        let middle = &all[all.len() / 2];
        let removed = messages::remove_before(store, middle.at_ms).await.expect("removed");
        assert_eq!(removed as usize, all.len() / 2);
        assert_eq!(messages::newest(store, 100).await.expect("read"), all[all.len() / 2..]);
        assert_eq!(
            messages::remove_before(store, i64::MAX).await.expect("removed") as usize,
            all.len() - all.len() / 2
        );
        assert_eq!(messages::newest(store, 100).await.expect("read"), []);
    })
    .await;
}

/// What somebody asks the archive for with a line, if the world does not answer itself.
fn asked(kept: &mut Kept, name: &str, line: &str) -> Option<HistoryRequest> {
    let who = kept.world.find_player(name).expect("she is here");
    let report = kept.apply(&Input::Command { who, line: line.into() });
    report.requests.into_iter().find_map(|request| match request {
        Request::History(request) => Some(*request),
        _ => None,
    })
}

#[tokio::test]
async fn history_is_found_whether_it_is_written_or_not_and_by_those_who_may_read_it() {
    on_each_store(async |store| {
        let mut kept = Kept::new(store);
        kept.enter("Ann");
        kept.enter("Bob");
        kept.types("ann", &["channel create Night Watch"]);
        for hour in 0..90 {
            kept.types("ann", &[&format!("chat nightwatch Hour {hour}")]);
        }
        assert_eq!(asked(&mut kept, "ann", "channel history nightwatch 50"), None, "the world has so many");
        kept.types("ann", &["channel hide 86 in nightwatch", "channel access open in nightwatch"]);
        let told = async |kept: &mut Kept, line: &str| -> Vec<String> {
            let request = asked(kept, "ann", line).expect("the archive is asked");
            let found = kept.archive.look_up(&request).await.expect("found");
            assert_eq!(found.searched_from, None);
            found.lines.into_iter().map(|line| line.message.text.to_string()).collect()
        };
        let lines = [
            ("channel history nightwatch 3 before 12", vec!["Hour 8", "Hour 9", "Hour 10"]),
            ("channel history nightwatch 4 with hour 1", vec!["Hour 16", "Hour 17", "Hour 18", "Hour 19"]),
            ("channel history nightwatch before 3", vec!["Hour 0", "Hour 1"]),
            ("channel history nightwatch 9 with HOUR 85", vec![]),
        ];
        for written in [false, true] {
            for (line, texts) in &lines {
                assert_eq!(told(&mut kept, line).await, *texts, "{line}, written: {written}");
            }
            kept.write().await;
        }
        // In the order in which it happened: some is written, some is not.
        kept.types("ann", &["chat nightwatch Hour 90", "chat nightwatch Hour 91"]);
        kept.types("bob", &["channel join nightwatch"]);
        let who = kept.world.find_player("bob").expect("he is here");
        let report = kept.apply(&Input::Command { who, line: "channel history nightwatch".into() });
        let text: Vec<_> = report.lines.iter().map(|(_, line)| line.text.clone()).collect();
        assert!(!text.join(" ").contains("Hour"), "who joins reads nothing of before: {text:?}");
        assert!(report.requests.is_empty(), "and nobody needs to look it up");
    })
    .await;
}

#[tokio::test]
async fn a_deleted_account_takes_its_channels_and_its_name_along_and_leaves_its_words() {
    on_each_store(async |store| {
        let mut kept = Kept::new(store);
        talk(&mut kept);
        kept.write().await;
        kept.types("ann", &["tell bob Farewell."]);
        let ann = kept.world.find_player("ann").expect("she is here");
        kept.apply(&Input::Admin(Admin::Remove { who: ann, reason: String::new() }));
        kept.apply(&Input::Admin(Admin::Forget { name: "Ann".into() }));
        assert_eq!(kept.world.state.channels.check(), [""; 0]);
        assert_eq!(kept.world.person_named("ann"), None);
        kept.write().await;
        let rows = all(store).await.expect("read");
        let people = rows.iter().filter(|row| matches!(row, Row::Person { .. })).count();
        let groups = rows.iter().filter(|row| matches!(row, Row::Channel { id, .. } if *id >= 100)).count();
        assert_eq!((people, groups), (1, 0), "{rows:?}");
        let said = messages::newest(store, 100).await.expect("read");
        assert!(said.iter().any(|line| &*line.message.text == "Who goes?"));
        let named = said.iter().filter(|line| &*line.message.sender.name == "Ann").count();
        assert_eq!(named, 0, "nobody can tell who it was");
        // Another of that name is somebody else.
        kept.enter("Ann");
        kept.write().await;
        assert_eq!(gist(&kept.world).lines().filter(|line| line.contains("ann shown as Ann")).count(), 1);
    })
    .await;
}

/// How long one look takes among a million messages of 1,000 channels, half of them of one.
#[tokio::test]
#[ignore = "takes a minute: cargo test -p server --lib -- archive::tests::among_a_million --ignored --nocapture"]
async fn among_a_million_messages_a_page_is_found_in_milliseconds() {
    let place = Place::sqlite();
    let store = place.open().await;
    let archive = Archive::new(store.clone());
    let of = |id: u64| if id.is_multiple_of(2) { 101 } else { 200 + (id / 2 % 1_000) as u32 };
    for first in (1..1_000_000).step_by(1_000) {
        let messages = (first..first + 1_000).map(|id| Change {
            number: id,
            at_ms: id as i64,
            doors: false,
            row: Row::Message {
                channel: of(id),
                message: Arc::new(Message {
                    id,
                    tick: id,
                    sender: Sender { id: Some(100), name: "Ann".into(), kind: PersonKind::Person },
                    kind: MessageKind::Text,
                    text: format!("The boat of hour {id} came late, and nobody on the quay would say why.").into(),
                    reply_to: None,
                    typed_by: id,
                    reactions: Vec::new(),
                    hidden: false,
                    veiled: false,
                }),
            },
        });
        channels::write(&store, &messages.collect::<Vec<_>>()).await.expect("written");
    }
    let mut dice = Dice::new(1, 2, 3, 4);
    let who = world::CharacterId { index: 0, generation: 0 };
    for (what, with, count, times) in
        [("20 messages", "", 20, 2_000), ("50 messages", "", 50, 2_000), ("words that nobody said", "lantern", 20, 50)]
    {
        let mut took = Vec::new();
        for _ in 0..times {
            let before = dice.range(20_000, 1_000_000) as u64;
            let (reader, channel, from, with) = (100, 101, 0, with.into());
            let (without, filter) = (Default::default(), None);
            let request = HistoryRequest { who, reader, channel, from, before, count, with, without, filter };
            let begun = std::time::Instant::now();
            let found = archive.look_up(&request).await.expect("found");
            took.push(begun.elapsed());
            assert_eq!(found.lines.len() == usize::from(count), found.searched_from.is_none());
        }
        took.sort();
        let (p50, p99) = (took[times / 2], took[times * 99 / 100]);
        eprintln!("{what}: p50 {p50:?}, p99 {p99:?}");
        assert!(p50 < Duration::from_millis(200), "a page is found by an index: {p50:?}");
    }
}
