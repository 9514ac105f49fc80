//! Worlds by chance: every kind of record, with texts and numbers that a writer may stumble over.

use super::*;
use proptest::prelude::*;

fn text() -> impl Strategy<Value = Text> {
    text_of(6)
}

/// As a description is once it was read.
fn paragraphs() -> impl Strategy<Value = Text> {
    text_of(40).prop_map(|text| Text::from(&*content::paragraphs::flowed(&text)))
}

fn text_of(parts_max: usize) -> impl Strategy<Value = Text> {
    let nasty = prop_oneof![
        Just("\"\"\"".to_owned()),
        Just("\n".to_owned()),
        Just("\\".to_owned()),
        Just("\t".to_owned()),
        Just("\r".to_owned()),
        Just("~".to_owned()),
        Just("'''#$".to_owned()),
        "[a-zA-Z ,.]{1,12}",
        any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(nasty, 0..parts_max).prop_map(|parts| Text::from(parts.concat()))
}

fn flags(names: usize) -> impl Strategy<Value = u64> {
    any::<u64>().prop_map(move |bits| bits & ((1 << names) - 1))
}

fn word<T: Copy + std::fmt::Debug + 'static>(all: &'static [T]) -> impl Strategy<Value = T> {
    prop::sample::select(all)
}

fn extras() -> impl Strategy<Value = Vec<ExtraDescription>> {
    let extra = (text(), paragraphs()).prop_map(|(keywords, text)| ExtraDescription { keywords, text });
    prop::collection::vec(extra, 0..3)
}

fn dice() -> impl Strategy<Value = Dice> {
    any::<(i32, i32, i32)>().prop_map(|(count, sides, bonus)| Dice { count, sides, bonus })
}

fn exits() -> impl Strategy<Value = Vec<ExitProto>> {
    let exit =
        (word(Direction::ALL), any::<Option<i32>>(), paragraphs(), text(), any::<[bool; 3]>(), any::<Option<i32>>());
    let exit = exit.prop_map(|(direction, to, description, keywords, door, key)| {
        let built = [DoorFlags::DOOR, DoorFlags::PICKPROOF, DoorFlags::HIDDEN];
        let door = built.into_iter().zip(door).filter(|(_, has)| *has);
        let door = door.fold(DoorFlags::NONE, |all, (flag, _)| all.with(flag));
        ExitProto { direction, to, description, keywords, door, key }
    });
    prop::collection::vec(exit, 0..4).prop_map(|mut exits| {
        exits.sort_by_key(|exit| exit.direction);
        exits.dedup_by_key(|exit| exit.direction);
        exits
    })
}

/// Names of scripts that a row may have; the scripts themselves are of no matter to rows.
fn scripts() -> impl Strategy<Value = Vec<Text>> {
    let names = ["ferry", "door_2", "a"].map(Text::from).to_vec();
    prop::sample::subsequence(names, 0..=3)
}

/// What another server's row named.
fn foreign_scripts() -> impl Strategy<Value = Vec<Text>> {
    prop::collection::vec(text(), 0..3)
}

fn rooms() -> impl Strategy<Value = Vec<RoomProto>> {
    let looks = (text(), paragraphs(), word(Sector::ALL), flags(RoomFlags::NAMES.len()));
    let room = (looks, exits(), extras(), scripts(), foreign_scripts());
    let room =
        room.prop_map(|((name, description, sector, flags), exits, extras, scripts, foreign_scripts)| RoomProto {
            foreign_scripts,
            vnum: 0,
            zone: 0,
            name,
            description,
            sector,
            flags: RoomFlags(flags),
            exits,
            extras,
            scripts,
        });
    prop::collection::vec(room, 1..5).prop_map(|mut rooms| {
        for (room, vnum) in rooms.iter_mut().zip((0..).step_by(70)) {
            (room.vnum, room.zone) = (vnum, vnum / 100);
        }
        rooms
    })
}

/// A few records with different numbers, inside and outside of the zones.
fn numbered<T: std::fmt::Debug>(
    record: impl Strategy<Value = T>,
    set: impl Fn(&mut T, Vnum) + Clone,
) -> impl Strategy<Value = Vec<T>> {
    prop::collection::vec(record, 0..4).prop_map(move |mut records| {
        records.iter_mut().zip([-5, 50, 130, 5000]).for_each(|(record, vnum)| set(record, vnum));
        records
    })
}

fn mobs() -> impl Strategy<Value = Vec<MobProto>> {
    let texts = (text(), text(), text(), paragraphs(), text());
    let numbers = (-1000..=1000, any::<[i32; 4]>(), -100..=100, dice(), dice(), any::<i32>());
    let words = (
        word(Position::ALL),
        word(Position::ALL),
        word(Sex::ALL),
        word(Race::ALL),
        word(AttackType::ALL),
        any::<[Option<i32>; 6]>(),
        prop::collection::vec(behaviour(), 0..3),
        scripts(),
        foreign_scripts(),
    );
    let sets = (flags(MobFlags::NAMES.len()), flags(AffectFlags::NAMES.len()));
    let mob = (texts, numbers, words, sets).prop_map(|(texts, numbers, words, sets)| {
        let (keywords, short, long, description, noise) = texts;
        let (alignment, [level, hit_roll, gold, experience], armor, hit_points, damage, strength_add) = numbers;
        let (load_position, default_position, sex, race, attack, abilities, behaviours, scripts, foreign_scripts) =
            words;
        MobProto {
            vnum: 0,
            keywords,
            short,
            long,
            description,
            flags: MobFlags(sets.0),
            affects: AffectFlags(sets.1),
            alignment,
            level,
            hit_roll,
            armor,
            hit_points,
            damage,
            gold,
            experience,
            load_position,
            default_position,
            sex,
            race,
            attack,
            abilities,
            strength_add,
            noise,
            behaviours,
            scripts,
            foreign_scripts,
        }
    });
    numbered(mob, |mob, vnum| mob.vnum = vnum)
}

fn kind() -> impl Strategy<Value = ObjectKind> {
    let parts = (
        word(ItemType::ALL),
        any::<[i32; 4]>(),
        any::<bool>(),
        any::<Option<i32>>(),
        flags(ContainerFlags::NAMES.len()),
        word(Liquid::ALL),
        word(AttackType::ALL),
    );
    parts.prop_map(|(item, [a, b, c, d], yes, key, flags, liquid, attack)| match item {
        ItemType::Light => ObjectKind::Light { hours: a },
        ItemType::Scroll => ObjectKind::Scroll { level: a, spells: [b, c, d] },
        ItemType::Potion => ObjectKind::Potion { level: a, spells: [b, if yes { 0 } else { c }, 0] },
        ItemType::Wand => ObjectKind::Wand { level: a, charges_max: b, charges: c, spell: d },
        ItemType::Staff => ObjectKind::Staff { level: a, charges_max: b, charges: c, spell: d },
        ItemType::Weapon => ObjectKind::Weapon { dice: a, sides: b, attack },
        ItemType::FireWeapon => ObjectKind::FireWeapon { dice: a, sides: b },
        ItemType::Missile => ObjectKind::Missile { dice: a, sides: b },
        ItemType::Armor => ObjectKind::Armor { armor: a },
        ItemType::Container => ObjectKind::Container { capacity: a, flags: ContainerFlags(flags), key, corpse: yes },
        ItemType::DrinkContainer => ObjectKind::DrinkContainer { capacity: a, contents: b, liquid, poisoned: yes },
        ItemType::Fountain => ObjectKind::Fountain { capacity: a, contents: b, liquid, poisoned: yes },
        ItemType::Food => ObjectKind::Food { hours: a, poisoned: yes },
        ItemType::Money => ObjectKind::Money { coins: a },
        ItemType::Treasure => ObjectKind::Treasure,
        ItemType::Worn => ObjectKind::Worn,
        ItemType::Other => ObjectKind::Other,
        ItemType::Trash => ObjectKind::Trash,
        ItemType::Trap => ObjectKind::Trap,
        ItemType::Note => ObjectKind::Note,
        ItemType::Key => ObjectKind::Key,
        ItemType::Pen => ObjectKind::Pen,
        ItemType::Boat => ObjectKind::Boat,
        ItemType::Furniture => ObjectKind::Furniture,
    })
}

fn objects() -> impl Strategy<Value = Vec<ObjectProto>> {
    let apply = (word(Apply::ALL), any::<i32>()).prop_map(|(to, by)| ObjectApply { to, by });
    let texts = (text(), text(), text(), paragraphs());
    let sets = (flags(ObjectFlags::NAMES.len()), flags(WearFlags::NAMES.len()), flags(AffectFlags::NAMES.len()));
    let numbers = (any::<[i32; 4]>(), 0..=10_000);
    let applies = prop::collection::vec(apply, 0..3);
    let hunted = prop::option::of((1..99_i32, 1..99_i32, 1..=100_i32))
        .prop_map(|hunted| hunted.map(|(mob, room, percent)| Hunted { mob, room, percent }));
    let horn = prop::option::of((1..99_i32, 1..99_i32, 1..=3_i32))
        .prop_map(|horn| horn.map(|(mob, room, count)| Horn { mob, room, count }));
    let bringing = (hunted, horn);
    let object = (texts, kind(), sets, numbers, applies, extras(), scripts(), foreign_scripts(), bringing);
    let object = object.prop_map(|parts| {
        let (texts, kind, sets, numbers, applies, extras, scripts, foreign_scripts, (hunted, horn)) = parts;
        let (keywords, short, long, action) = texts;
        let ([weight, cost, level, timer_hours], load_chance) = numbers;
        ObjectProto {
            vnum: 0,
            keywords,
            short,
            long,
            action,
            kind,
            flags: ObjectFlags(sets.0),
            wear: WearFlags(sets.1),
            affects: AffectFlags(sets.2),
            weight,
            cost,
            level,
            load_chance,
            timer_hours,
            applies,
            hunted,
            horn,
            extras,
            scripts,
            foreign_scripts,
        }
    });
    numbered(object, |object, vnum| object.vnum = vnum)
}

fn shops() -> impl Strategy<Value = Vec<ShopProto>> {
    let trade = (word(ItemType::ALL), text()).prop_map(|(item, keywords)| ShopTrade { item, keywords });
    let messages = [text(), text(), text(), text(), text(), text(), text()];
    let lists = (prop::collection::vec(any::<i32>(), 0..3), prop::collection::vec(any::<i32>(), 0..3));
    let hours = vec![[(0, 28), (0, 0)], [(0, 0), (3, 4)], [(0, 0), (0, 0)]];
    let numbers = (any::<[i32; 4]>(), prop::sample::select(hours));
    let sets = (flags(TradeFlags::NAMES.len()), any::<[bool; 2]>());
    let shop = (lists, numbers, sets, messages, prop::collection::vec(trade, 0..3));
    let shop = shop.prop_map(|(lists, numbers, sets, messages, trades)| {
        let [no_such_item, no_such_offer, does_not_trade, keeper_is_poor, customer_is_poor, bought, sold] = messages;
        let ([sells_at, buys_at, keeper, temper], hours) = numbers;
        let (refuses, [fights, uses_bank]) = sets;
        ShopProto {
            vnum: 0,
            products: lists.0,
            sells_at,
            buys_at,
            trades,
            messages: ShopMessages {
                no_such_item,
                no_such_offer,
                does_not_trade,
                keeper_is_poor,
                customer_is_poor,
                bought,
                sold,
            },
            keeper,
            refuses: TradeFlags(refuses),
            rooms: lists.1,
            hours,
            fights,
            uses_bank,
            temper,
        }
    });
    numbered(shop, |shop, vnum| shop.vnum = vnum)
}

fn resets() -> impl Strategy<Value = Vec<Reset>> {
    let parts = (0..10, any::<[i32; 3]>(), word(WearSlot::ALL), word(Direction::ALL), any::<[bool; 3]>());
    let reset = parts.prop_map(|(kind, [a, max, b], slot, direction, [if_last, closed, locked])| {
        let action = match kind {
            0 => ResetAction::Mob { mob: a, max, room: b },
            1 => ResetAction::Object { object: a, max, room: closed.then_some(b) },
            2 => ResetAction::Put { object: a, max, container: b },
            3 => ResetAction::Give { object: a, max },
            4 => ResetAction::Equip { object: a, max, slot },
            5 => ResetAction::Door { room: a, direction, closed, locked },
            6 => ResetAction::RemoveObject { room: a, object: b },
            7 => ResetAction::RemoveMob { room: a, mob: b },
            8 => ResetAction::LoopStart { count: a },
            _ => ResetAction::LoopEnd,
        };
        Reset { if_last, action, line: 0 }
    });
    prop::collection::vec(reset, 0..5)
}

fn zones() -> impl Strategy<Value = Vec<ZoneProto>> {
    let zone = (text(), text(), any::<i32>(), word(ResetMode::ALL), any::<(i32, i32)>(), text(), resets());
    prop::collection::vec(zone, 3).prop_map(|zones| {
        let numbered = zones.into_iter().zip(0..);
        let zone = |((name, builders, lifespan_minutes, reset_mode, levels, rumour, resets), number)| ZoneProto {
            number,
            name,
            builders,
            first: number * 100,
            last: number * 100 + 99,
            more: if number == 1 { vec![(9000, 9009), (9500, 9500)] } else { Vec::new() },
            lifespan_minutes,
            reset_mode,
            levels,
            rumour,
            quarters: match number {
                1 => vec![Quarter { name: "the Heights".into(), rumour: "High up.".into(), first: 9000, last: 9009 }],
                _ => Vec::new(),
            },
            resets,
        };
        numbered.map(zone).collect()
    })
}

fn socials() -> impl Strategy<Value = Vec<Social>> {
    let optional = || prop::option::of(text());
    let social = (text(), word(Position::ALL), any::<bool>(), [optional(), optional(), optional()]);
    let social = social.prop_map(|(actor, position, hidden, [room, victim, room_self])| Social {
        name: Text::from("wave"),
        position,
        victim_position: Position::Standing,
        hidden,
        actor,
        room,
        actor_victim: None,
        room_victim: None,
        victim,
        not_found: None,
        actor_self: None,
        room_self,
    });
    prop::collection::vec(social, 0..2)
}

pub fn contents() -> impl Strategy<Value = Content> {
    let world = (text(), text(), paragraphs(), prop::option::of((any::<char>(), text())), socials());
    (zones(), rooms(), mobs(), objects(), shops(), world).prop_map(|(zones, rooms, mobs, objects, shops, world)| {
        let mut content = Content::default();
        (content.zones, content.rooms, content.mobs) = (zones, rooms, mobs);
        (content.objects, content.shops) = (objects, shops);
        let town;
        (content.name, content.greeting, content.motd, town, content.socials) = world;
        content.hometowns = Vec::from_iter(town.map(|(key, name)| Hometown { key, name, room: 0 }));
        content.build_look_ups();
        content
    })
}

fn behaviour() -> impl Strategy<Value = Behaviour> {
    let classes = || prop::collection::vec(word(Class::ALL), 0..4);
    let words = || prop::collection::vec("[a-z ]{1,12}".prop_map(Text::from), 1..3);
    prop_oneof![
        classes().prop_map(|classes| Behaviour::Teacher { classes }),
        (word(Direction::ALL), classes()).prop_map(|(way, lets)| Behaviour::Guard { way, lets }),
        (words(), 1..9_u32).prop_map(|(spells, one_in)| Behaviour::Caster { spells, one_in }),
        (words(), 1..9_u32).prop_map(|(verbs, one_in)| Behaviour::Fighter { verbs, one_in }),
        (1..9_i32, 1..9_u32).prop_map(|(hours, one_in)| Behaviour::Venom { hours, one_in }),
        (words(), 1..99_i32).prop_map(|(spells, lost_percent)| Behaviour::Healer { spells, lost_percent }),
        (1..9_u32).prop_map(|one_in| Behaviour::Thief { one_in }),
        (1..9_i32).prop_map(|percent| Behaviour::Regenerator { percent }),
        Just(Behaviour::Cleaner {}),
        (1..9999_i32).prop_map(|coins| Behaviour::Restorer { coins }),
        (1..9999_i32).prop_map(|coins| Behaviour::Identifier { coins }),
        (1..9999_i32).prop_map(|coins| Behaviour::Recharger { coins }),
        (1..9999_i32).prop_map(|coins| Behaviour::Mortician { coins }),
        words().prop_map(|tattoos| Behaviour::Tattooist { tattoos }),
        (1..30_i32, 1..9999_i32).prop_map(|(level, coins)| Behaviour::Remorter { level, coins }),
        Just(Behaviour::Jailer {}),
        (1..9_u64, 1..9_u32).prop_map(|(ticks, one_in)| Behaviour::Gaze { ticks, one_in }),
        (1..99_i32).prop_map(|percent| Behaviour::Vanisher { percent }),
        (1..9_u32).prop_map(|one_in| Behaviour::Rescuer { one_in }),
        (1..9_u32, 1..9_u32).prop_map(|(most, one_in)| Behaviour::Breeder { most, one_in }),
        (1..99_i32, 1..999_i32, 1..99_i32).prop_map(|(mob, coins, keep)| Behaviour::Stable { mob, coins, keep }),
        (prop::collection::vec(1..99_i32, 1..3), 1..999_i32, 1..99_i32)
            .prop_map(|(mobs, coins, hours)| Behaviour::Recruiter { mobs, coins, hours }),
        prop::collection::vec((1..99_i32, 1..999_i32), 1..3).prop_map(|pets| Behaviour::PetShop {
            pets: pets.into_iter().map(|(mob, coins)| PetOffer { mob, coins }).collect(),
        }),
    ]
}
