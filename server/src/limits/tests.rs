//! What may come in and what may not: flags, buckets and limits by address, at times that the tests say.

use super::addresses::{CALLERS_MAX, SWEEP_MIN};
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
fn zero_lifts_every_limit() {
    let lifted = &Limits::LIFTED;
    assert_eq!([lifted.frame_max(), lifted.telnet_line_max(), lifted.outbound_max()], [usize::MAX; 3]);
    assert_eq!([lifted.idle_ms(), lifted.login_ms(), lifted.creation_ms()], [None; 3]);
    assert_eq!(lifted.patience(), None);
    let mut buckets = [lifted.command_bucket(), lifted.byte_bucket(), lifted.early_line_bucket()];
    let addresses = AddressLimits::new(lifted);
    let accounts = AccountLimits::new(lifted);
    let connections = ConnectionLimits::new(lifted);
    let mut slots = Vec::new();
    for _ in 0..1_000 {
        buckets.iter_mut().for_each(|bucket| assert_eq!(bucket.take_some(10_000, 0), Ok(())));
        assert_eq!(addresses.may_log_in(HERE, 0), Ok(()));
        assert_eq!(addresses.may_use_token(HERE, 0), Ok(()));
        assert_eq!(addresses.may_create(HERE, 0), Ok(()));
        assert_eq!(addresses.may_ask(HERE, 0), Ok(()));
        assert!(!addresses.failed(HERE, Some("bren"), 0));
        assert!(!accounts.failed("bren", 0));
        assert_eq!(accounts.may_try("bren", 0), Ok(()));
        slots.push(connections.connect(ip("192.0.2.1"), Purpose::Play).expect("any number may connect"));
        slots.push(connections.connect(ip("192.0.2.1"), Purpose::Request).expect("any number may ask"));
    }
}

#[test]
fn calls_of_one_address_are_counted_by_the_second() {
    let addresses = AddressLimits::new(&Limits::DEFAULT);
    let passed = (0..100).filter(|_| addresses.may_ask(HERE, 0).is_ok()).count();
    assert_eq!(passed, 40, "two seconds' worth at once");
    assert_eq!(addresses.may_ask(HERE, 49), Err(WaitMs(1)));
    assert_eq!(addresses.may_ask(HERE, 50), Ok(()));
    assert_eq!(addresses.may_log_in(HERE, 50), Ok(()), "logins have a count of their own");
}

#[test]
fn browsers_have_places_beside_those_who_play() {
    let from = |play: Option<u32>, web: Option<u32>, address: &str| {
        let limits = Limits { connections_per_address: play, web_connections_per_address: web, ..Limits::DEFAULT };
        limits.requests_from(ip(address))
    };
    for (play, web, elsewhere, here) in [
        (None, None, Some(16), Some(64)),
        (Some(3), None, Some(16), Some(64)),
        (Some(100), None, Some(200), Some(200)),
        (Some(0), None, None, None),
        (Some(0), Some(7), Some(7), Some(7)),
        (None, Some(0), None, None),
    ] {
        let found = (from(play, web, "192.0.2.1"), from(play, web, "127.0.0.1"));
        assert_eq!(found, (elsewhere, here), "{play:?} {web:?}");
    }
}

#[test]
fn many_at_once_pass_together_or_not_at_all() {
    let mut bucket = Bucket::new(1_000, 100);
    assert_eq!(bucket.take_some(60, 0), Ok(()));
    assert_eq!(bucket.take_some(60, 0), Err(WaitMs(20)));
    assert_eq!(bucket.take_some(40, 0), Ok(()));
    assert_eq!(bucket.take_some(60, 59), Err(WaitMs(1)));
    assert_eq!(bucket.take_some(60, 60), Ok(()));
    assert_eq!(bucket.take_some(1_000, 1_060), Ok(()), "more than the burst is the burst");
    assert!(bucket.take(1_060).is_err());
}

#[test]
fn what_comes_seldom_has_a_rate_per_hour() {
    let mut bucket = Limits::DEFAULT.creation_bucket(ip("192.0.2.1"));
    assert_eq!((0..100).filter(|_| bucket.take(0).is_ok()).count(), 60);
    assert_eq!(bucket.take(MINUTE_MS - 1), Err(WaitMs(1)));
    assert_eq!(bucket.take(MINUTE_MS), Ok(()));
    let mut here = Limits::DEFAULT.creation_bucket(HERE);
    assert_eq!((0..2_000).filter(|_| here.take(0).is_ok()).count(), 1_000);
}

#[test]
fn tokens_come_in_twenty_at_once_and_then_one_a_second() {
    let addresses = AddressLimits::new(&Limits::DEFAULT);
    let elsewhere = ip("192.0.2.1");
    let passed = |address, now_ms| (0..1_000).filter(|_| addresses.may_use_token(address, now_ms).is_ok()).count();
    assert_eq!((passed(elsewhere, 0), passed(elsewhere, 3_000)), (20, 3));
    assert_eq!(passed(HERE, 0), 200, "a house full of agents comes back at once");
}

#[test]
fn a_clock_that_goes_back_locks_nobody_up() {
    let mut bucket = Limits::DEFAULT.command_bucket();
    while bucket.take(10_000_000).is_ok() {}
    assert_eq!(bucket.take(0), Ok(()));

    let addresses = AddressLimits::new(&Limits::DEFAULT);
    while !addresses.failed(HERE, None, 10_000_000_000) {}
    assert_eq!(addresses.may_log_in(HERE, 0), Err(AddressRefusal::LockedOut { left_ms: MINUTES_15_MS }));
    assert_eq!(addresses.may_log_in(HERE, MINUTES_15_MS), Ok(()));

    let accounts = AccountLimits::new(&Limits::DEFAULT);
    while !accounts.failed("bren", 10_000_000_000) {}
    assert_eq!(accounts.may_try("bren", 0), Err(BackOff { left_ms: 60 * MINUTE_MS }));
    assert_eq!(accounts.may_try("bren", 60 * MINUTE_MS), Ok(()));
}

#[test]
fn ten_failures_in_a_row_lock_an_address_out_for_a_quarter_of_an_hour() {
    let addresses = AddressLimits::new(&Limits::DEFAULT);
    let fail = |count: usize, now_ms| (0..count).filter(|_| addresses.failed(HERE, Some("bren"), now_ms)).count();
    assert_eq!(fail(9, 0), 0);
    addresses.succeeded(HERE, "bren");
    assert_eq!(fail(9, 1_000), 0, "the success at the same account began a new row");
    addresses.succeeded(HERE, "mallory");
    assert_eq!(fail(1, 1_000), 1, "one at another account did not");
    let refusal = addresses.may_log_in(HERE, 2_000).expect_err("it is locked out");
    assert_eq!(refusal, AddressRefusal::LockedOut { left_ms: MINUTES_15_MS - 1_000 });
    assert_eq!(refusal.to_string(), "Too many failed logins from your address. Try again in 15 minutes.");
    assert_eq!(addresses.may_log_in(ip("127.0.0.2"), 2_000), Ok(()), "another address");
    assert_eq!(addresses.may_use_token(HERE, 2_000), Ok(()), "a token still opens");
    assert_eq!(fail(10, 2_000), 0, "what was under way does not lengthen it");
    addresses.succeeded(HERE, "bren");
    let last_ms = 1_000 + MINUTES_15_MS - 1;
    let refusal = addresses.may_log_in(HERE, last_ms).expect_err("nothing but time ends a lock-out");
    assert_eq!(refusal.to_string(), "Too many failed logins from your address. Try again in a minute.");
    assert_eq!(addresses.may_log_in(HERE, last_ms + 1), Ok(()));
    assert_eq!(fail(9, last_ms + 1), 0, "the row begins anew");
    assert_eq!(fail(9, last_ms + 1 + MINUTES_15_MS), 0, "and failures this old are not in a row");
}

#[test]
fn failures_at_several_accounts_count_together() {
    let addresses = AddressLimits::new(&Limits::DEFAULT);
    let names = ["ada", "bren", "cid", "dana", "eve"];
    let locked = (0..10).filter(|nth| addresses.failed(HERE, Some(names[nth % 5]), 0)).count();
    assert_eq!(locked, 1);
}

#[test]
fn what_is_remembered_of_passers_by_is_bounded() {
    let addresses = AddressLimits::new(&Limits::DEFAULT);
    while !addresses.failed(ip("192.0.2.1"), None, 0) {}
    for nth in 0..50_000_u32 {
        let passer_by = IpAddr::from((0x0a00_0000 + nth).to_be_bytes());
        addresses.may_log_in(passer_by, u64::from(nth)).expect("it is its first");
    }
    assert!(addresses.remembered() <= 2 * SWEEP_MIN, "{}", addresses.remembered());
    assert!(addresses.may_log_in(ip("192.0.2.1"), 50_000).is_err(), "a lock-out is not forgotten");
}

#[test]
fn a_flood_of_failing_addresses_is_bounded_too() {
    let addresses = AddressLimits::new(&Limits::DEFAULT);
    for nth in 0..300_000_u32 {
        addresses.failed(IpAddr::from((0x0a00_0000 + nth).to_be_bytes()), None, 0);
    }
    assert!(addresses.remembered() <= 2 * CALLERS_MAX, "{}", addresses.remembered());
}
