//! What a program reads of closed and quiet places, and of whom it may fight there.

use content::flags::AffectFlags;
use serde_json::json;
use tests::scene::{Person, Scene};
use world::sight::SEEN_MAX;
use world::{CharacterId, World};

const INN: i32 = 101;
const SHOP: i32 = 102;
const CELLAR: i32 = 104;
const RAT: i32 = 110;

/// Somebody called Ann in this room of the green.
fn at(room: i32) -> (Scene, CharacterId) {
    let mut scene = Scene::open("green", 3);
    let (ann, _) = scene.enter("Ann", &Person { room: Some(room), agent: true, ..Person::default() });
    (scene, ann)
}

fn doors(world: &World, who: CharacterId) -> serde_json::Value {
    json!(world.room_doors(who))
}

fn attackable(world: &World, who: CharacterId) -> Vec<(String, bool)> {
    world.room_mobs(who).into_iter().map(|mob| (mob.name.to_string(), mob.attackable)).collect()
}

/// Puts a rat into the room; it fights nobody.
fn rat(scene: &mut Scene, room: i32) -> CharacterId {
    let proto = scene.world.content.mob_index(RAT).expect("a mob of the scene");
    let room = scene.world.room_by_vnum(room).expect("a room of the scene");
    scene.world.make_mob(proto, room)
}

#[test]
fn a_door_is_open_closed_or_locked_and_changes_are_read() {
    let (mut scene, ann) = at(INN);
    assert_eq!(doors(&scene.world, ann), json!({"down": "closed"}), "the way up has no door");
    let report = scene.does("Ann", "open trapdoor");
    let inn = scene.world.who(ann).room;
    assert!(report.touched_rooms.contains(&inn), "whoever stands there reads it again");
    assert_eq!(doors(&scene.world, ann), json!({"down": "open"}));
    let (scene, bea) = at(SHOP);
    assert_eq!(doors(&scene.world, bea), json!({"east": "locked"}));
}

#[test]
fn who_cannot_see_reads_that_it_is_dark_and_nothing_else() {
    let (scene, ann) = at(CELLAR);
    assert!(!scene.world.sees_room(ann));
    assert_eq!(doors(&scene.world, ann), json!({}));
    assert_eq!(scene.world.room_flags_seen(ann), ["dark"], "it is indoors, too, which nobody can see here");
    let (mut scene, bea) = at(INN);
    assert_eq!(scene.world.room_flags_seen(bea), ["indoors", "peaceful", "regen"]);
    scene.world.who_mut(bea).now.flags.insert(AffectFlags::BLIND);
    assert!(scene.world.room_flags_seen(bea).is_empty() && doors(&scene.world, bea) == json!({}));
}

#[test]
fn keepers_and_quiet_rooms_leave_nobody_to_attack() {
    let (mut scene, ann) = at(SHOP);
    rat(&mut scene, SHOP);
    let named = |name: &str, may| (name.to_string(), may);
    let rows = attackable(&scene.world, ann);
    assert!(rows.contains(&named("Oswin", false)) && rows.contains(&named("a brown rat", true)), "{rows:?}");

    let (mut scene, bea) = at(INN);
    let here = rat(&mut scene, INN);
    assert_eq!(attackable(&scene.world, bea), [named("a brown rat", false)]);
    let read = scene.does("Ann", "hit rat");
    assert!(scene.read_by("Ann", &read).contains("peace"), "the game says the same");
    scene.world.who_mut(here).fighting = Some(bea);
    assert_eq!(attackable(&scene.world, bea), [named("a brown rat", true)], "who is attacked may strike back");
}

/// What `who` reads of the other players, by what `eyes` sees of them all.
fn players(world: &World, eyes: CharacterId, who: CharacterId) -> String {
    let mut json = String::new();
    world.players_seen(eyes).append_without(who, &mut json);
    json
}

#[test]
fn whoever_sees_players_alike_reads_them_alike_but_for_itself() {
    let kinds = [
        AffectFlags::NONE,
        AffectFlags::NONE,
        AffectFlags::BLIND,
        AffectFlags::INVISIBLE,
        AffectFlags::HIDE,
        AffectFlags::DETECT_INVISIBLE,
        AffectFlags::DETECT_INVISIBLE.with(AffectFlags::INVISIBLE),
        AffectFlags::INFRAVISION,
        AffectFlags::SENSE_LIFE,
    ];
    for room in [INN, CELLAR] {
        let mut scene = Scene::open("green", 3);
        let letter = |n: usize| char::from(b'a' + n as u8);
        // Two of each kind, of whom every third has a name that others have too.
        let people: Vec<CharacterId> = (0..2 * kinds.len())
            .map(|n| {
                let name = if n % 3 == 0 { format!("Ann{}", letter(n)) } else { format!("Bob{}", letter(n)) };
                let (id, _) = scene.enter(&name, &Person { room: Some(room), ..Person::default() });
                scene.world.who_mut(id).now.flags.insert(kinds[n / 2]);
                id
            })
            .collect();
        rat(&mut scene, room);
        let (world, mut alike) = (&scene.world, 0);
        for eyes in &people {
            for who in &people {
                let shares = |id| world.reads_as_others(id);
                if world.sight(*eyes) == world.sight(*who) && shares(*eyes) && shares(*who) && eyes != who {
                    assert_eq!(players(world, *eyes, *who), players(world, *who, *who));
                    alike += 1;
                }
            }
        }
        assert!(alike >= 10, "{alike} pairs");
        let read: Vec<serde_json::Value> =
            serde_json::from_str(&players(world, people[0], people[0])).expect("it is JSON");
        // All but itself, two who hide and four who are invisible.
        assert_eq!(read.len(), if room == INN { people.len() - 7 } else { 0 });
    }
}

#[test]
fn a_crowd_of_players_is_cut_alike_for_whoever_stands_in_it() {
    let mut scene = Scene::open("green", 3);
    let letters = |n: usize| [n / 26, n % 26].map(|n| char::from(b'a' + n as u8)).iter().collect::<String>();
    let people: Vec<CharacterId> = (0..SEEN_MAX + 5)
        .map(|n| scene.enter(&format!("Q{}", letters(n)), &Person { room: Some(INN), ..Person::default() }).0)
        .collect();
    let here = scene.world.room(scene.world.who(people[0]).room).characters.clone();
    for who in [here[0], here[SEEN_MAX - 1], here[SEEN_MAX], here[SEEN_MAX + 1], here[SEEN_MAX + 4]] {
        let json = players(&scene.world, here[SEEN_MAX + 2], who);
        assert_eq!(json, players(&scene.world, who, who));
        let rows: Vec<serde_json::Value> = serde_json::from_str(&json).expect("it is JSON");
        assert_eq!(rows.len(), SEEN_MAX);
        assert!(rows.iter().all(|row| row["instance_id"] != *scene.world.instance_of(who)));
        assert_eq!(rows[SEEN_MAX - 1]["more"], 4, "the rest, without itself");
        assert!(rows[..SEEN_MAX - 1].iter().all(|row| row.get("more").is_none()));
    }
}
