//! What may come in and what may not: flags, buckets and limits by address, at times that the tests say.

use super::addresses::{CALLERS_MAX, Origin, SWEEP_MIN};
use super::*;
use clap::Parser;
use proptest::prelude::*;

const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
const MINUTES_15_MS: u64 = 15 * MINUTE_MS;

fn ip(text: &str) -> IpAddr {
    text.parse().expect("the test wrote an address")
}

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    limits: Limits,
}

#[test]
fn flags_set_limits_and_none_are_the_defaults() {
    assert_eq!(Line::parse_from(["dp-server"]).limits, Limits::DEFAULT);
    let some = ["dp-server", "--commands-per-second", "0", "--connections-per-address=7", "--lockout-minutes=1"];
    let expected =
        Limits { commands_per_second: 0, connections_per_address: Some(7), lockout_minutes: 1, ..Limits::DEFAULT };
    assert_eq!(Line::parse_from(some).limits, expected);
}

#[test]
fn connections_are_limited_by_where_they_come_from() {
    let seven = Limits { connections_per_address: Some(7), ..Limits::DEFAULT };
    for (limits, address, expected) in [
        (&Limits::DEFAULT, "127.0.0.1", Some(50)),
        (&Limits::DEFAULT, "::1", Some(50)),
        (&Limits::DEFAULT, "::ffff:127.0.0.1", Some(50)),
        (&Limits::DEFAULT, "192.0.2.1", Some(5)),
        (&Limits::DEFAULT, "2001:db8::1", Some(5)),
        (&seven, "127.0.0.1", Some(7)),
        (&seven, "192.0.2.1", Some(7)),
        (&Limits::LIFTED, "192.0.2.1", None),
    ] {
        assert_eq!(limits.connections_from(ip(address)), expected, "{address}");
    }
}

#[test]
fn zero_lifts_every_limit() {
    let lifted = &Limits::LIFTED;
    assert_eq!([lifted.frame_max(), lifted.telnet_line_max(), lifted.outbound_max()], [usize::MAX; 3]);
    assert_eq!([lifted.idle_ms(), lifted.login_ms(), lifted.slow_reader_ms()], [None; 3]);
    let mut bucket = lifted.command_bucket();
    let addresses = AddressLimits::new(lifted);
    let mut slots = Vec::new();
    for _ in 0..1_000 {
        assert_eq!(bucket.take(0), Ok(()));
        assert_eq!(addresses.may_log_in(HERE, 0), Ok(()));
        assert!(!addresses.failed(HERE, 0));
        slots.push(addresses.connect(HERE, 0).expect("any number may connect"));
    }
}

#[test]
fn a_burst_passes_and_then_the_rate_counts() {
    assert_eq!(size_of::<Bucket>(), 16);
    let mut bucket = Limits::DEFAULT.command_bucket();
    for nth in 0..10 {
        assert_eq!(bucket.take(5_000), Ok(()), "{nth}");
    }
    assert_eq!(bucket.take(5_000), Err(WaitMs(100)));
    assert_eq!(bucket.take(5_099), Err(WaitMs(1)));
    assert_eq!(bucket.take(5_100), Ok(()));
    assert_eq!(bucket.take(5_100), Err(WaitMs(100)));
    let much_later = 60_000;
    assert_eq!((0..100).filter(|_| bucket.take(much_later).is_ok()).count(), 10, "a full bucket is not fuller");
}

#[test]
fn a_clock_that_goes_back_locks_nobody_up() {
    let mut bucket = Limits::DEFAULT.command_bucket();
    while bucket.take(10_000_000).is_ok() {}
    assert_eq!(bucket.take(0), Ok(()));

    let addresses = AddressLimits::new(&Limits::DEFAULT);
    while !addresses.failed(HERE, 10_000_000_000) {}
    assert_eq!(addresses.may_log_in(HERE, 0), Err(AddressRefusal::LockedOut { left_ms: MINUTES_15_MS }));
    assert_eq!(addresses.may_log_in(HERE, MINUTES_15_MS), Ok(()));
}

proptest! {
    #[test]
    fn no_second_passes_more_than_burst_and_rate(
        per_second in 1_u32..200,
        burst in 0_u32..50,
        gaps_ms in proptest::collection::vec(0_u64..300, 1..400),
    ) {
        let mut bucket = Bucket::new(per_second, burst);
        let mut now_ms = 0;
        let mut taken_at = Vec::new();
        for gap_ms in gaps_ms {
            now_ms += gap_ms;
            match bucket.take(now_ms) {
                Ok(()) => taken_at.push(now_ms),
                Err(WaitMs(wait_ms)) => {
                    prop_assert!(wait_ms >= 1);
                    let (mut early, mut in_time) = (bucket, bucket);
                    prop_assert!(early.take(now_ms + wait_ms - 1).is_err());
                    prop_assert_eq!(in_time.take(now_ms + wait_ms), Ok(()));
                }
            }
        }
        // One more than the rate: a window of exactly a second has both its ends in it.
        let most = burst.max(1) as usize + per_second as usize + 1;
        for (at, first) in taken_at.iter().enumerate() {
            let within = taken_at[at..].iter().take_while(|taken| **taken <= first + 1_000).count();
            prop_assert!(within <= most, "{} within a second of {}", within, first);
        }
    }
}

#[test]
fn a_slot_comes_back_when_its_connection_ends() {
    let addresses = AddressLimits::new(&Limits::DEFAULT);
    let elsewhere = ip("192.0.2.1");
    let mut slots: Vec<Slot> = (0..5).map(|_| addresses.connect(elsewhere, 0).expect("five may connect")).collect();
    let refusal = addresses.connect(elsewhere, 0).expect_err("the sixth may not");
    assert_eq!(refusal, AddressRefusal::TooManyConnections { limit: 5 });
    slots.push(addresses.connect(ip("192.0.2.2"), 0).expect("others may"));
    drop(slots.swap_remove(0));
    slots.push(addresses.connect(elsewhere, 0).expect("one place is free again"));
    assert!(addresses.connect(elsewhere, 0).is_err());
    let died = std::thread::spawn(move || {
        let _slots = slots;
        panic!("this is a connection that dies in a panic");
    });
    assert!(died.join().is_err());
    let again: Vec<_> = (0..5).map(|_| addresses.connect(elsewhere, 0)).collect();
    assert!(again.iter().all(Result::is_ok));
}

#[test]
fn five_logins_a_second_are_enough() {
    let addresses = AddressLimits::new(&Limits::DEFAULT);
    for _ in 0..5 {
        assert_eq!(addresses.may_log_in(HERE, 1_000), Ok(()));
    }
    assert_eq!(addresses.may_log_in(HERE, 1_000), Err(AddressRefusal::TooManyLogins { wait_ms: 200 }));
    assert_eq!(addresses.may_log_in(ip("::1"), 1_000), Ok(()), "another address");
    assert_eq!(addresses.may_log_in(HERE, 1_200), Ok(()));
}

#[test]
fn ten_failures_in_a_row_lock_an_address_out_for_a_quarter_of_an_hour() {
    let addresses = AddressLimits::new(&Limits::DEFAULT);
    let fail = |count: usize, now_ms| (0..count).filter(|_| addresses.failed(HERE, now_ms)).count();
    assert_eq!(fail(9, 0), 0);
    addresses.succeeded(HERE);
    assert_eq!(fail(9, 1_000), 0, "the success began a new row");
    assert_eq!(fail(1, 1_000), 1);
    let refusal = addresses.may_log_in(HERE, 2_000).expect_err("it is locked out");
    assert_eq!(refusal, AddressRefusal::LockedOut { left_ms: MINUTES_15_MS - 1_000 });
    assert_eq!(refusal.to_string(), "Too many failed logins from your address. Try again in 15 minutes.");
    assert_eq!(addresses.may_log_in(ip("127.0.0.2"), 2_000), Ok(()), "another address");
    let slot = addresses.connect(HERE, 2_000);
    assert!(slot.is_ok(), "it may connect, to read why, or to come in by token");
    assert_eq!(fail(10, 2_000), 0, "what was under way does not lengthen it");
    addresses.succeeded(HERE);
    let last_ms = 1_000 + MINUTES_15_MS - 1;
    let refusal = addresses.may_log_in(HERE, last_ms).expect_err("a token does not open it for passwords");
    assert_eq!(refusal.to_string(), "Too many failed logins from your address. Try again in a minute.");
    assert_eq!(addresses.may_log_in(HERE, last_ms + 1), Ok(()));
    assert_eq!(fail(9, last_ms + 1), 0, "the row begins anew");
    assert_eq!(fail(9, last_ms + 1 + MINUTES_15_MS), 0, "and failures this old are not in a row");
}

#[test]
fn ipv6_neighbours_count_as_one_address() {
    for (one, other, same, why) in [
        ("2001:db8::1", "2001:db8::ffff:1", true, "one /64"),
        ("2001:db8::1", "2001:db8:0:1::1", false, "the next /64"),
        ("::ffff:192.0.2.1", "192.0.2.1", true, "IPv4 in IPv6"),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", false, "two of IPv4"),
        ("::1", "::2", false, "this machine is nobody's neighbour"),
    ] {
        assert_eq!(Origin::of(ip(one)) == Origin::of(ip(other)), same, "{one} {other}: {why}");
    }
}

#[test]
fn what_is_remembered_of_passers_by_is_bounded() {
    let addresses = AddressLimits::new(&Limits::DEFAULT);
    let _stays = addresses.connect(HERE, 0).expect("it is the first");
    while !addresses.failed(ip("192.0.2.1"), 0) {}
    for nth in 0..50_000_u32 {
        let passer_by = IpAddr::from((0x0a00_0000 + nth).to_be_bytes());
        drop(addresses.connect(passer_by, u64::from(nth)).expect("it is alone"));
        addresses.may_log_in(passer_by, u64::from(nth)).expect("it is its first");
    }
    assert!(addresses.remembered() <= 2 * SWEEP_MIN, "{}", addresses.remembered());
    let now_ms = 50_000;
    assert!(addresses.may_log_in(ip("192.0.2.1"), now_ms).is_err(), "a lock-out is not forgotten");
    let here: Vec<_> = (0..49).map(|_| addresses.connect(HERE, now_ms)).collect();
    assert!(here.iter().all(Result::is_ok) && addresses.connect(HERE, now_ms).is_err(), "nor a connection");
}

#[test]
fn a_flood_of_failing_addresses_is_bounded_too() {
    let addresses = AddressLimits::new(&Limits::DEFAULT);
    let _stays = addresses.connect(HERE, 0).expect("it is the first");
    for nth in 0..300_000_u32 {
        addresses.failed(IpAddr::from((0x0a00_0000 + nth).to_be_bytes()), 0);
    }
    assert!(addresses.remembered() <= 2 * CALLERS_MAX, "{}", addresses.remembered());
    let here: Vec<_> = (0..49).map(|_| addresses.connect(HERE, 0)).collect();
    assert!(here.iter().all(Result::is_ok) && addresses.connect(HERE, 0).is_err());
}
