//! Attention: which share of its prompts somebody gives to each of its channels. One arithmetic for the world, which
//! tells `attention_pct`, and for programs, which go by it.
//!
//! Shares are integers, tenths of a percent. Fixed ones come as set, and less where all of them together leave the
//! others too little; `%*` and `auto` channels each have an equal part of the rest, and the parts of the `auto` ones
//! are shared out among them by what their reader did there lately.
//!
//! Invariant: shares of at least one channel add up to `WHOLE`, and no channel without a fixed share has less than
//! `share_min`.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// All attention there is: 100 %, in tenths of a percent.
pub const WHOLE: u32 = 1_000;
/// What a `%*` channel has at least, in tenths of a percent, as long as there are no more than 20 channels.
const SHARE_MIN: u32 = 50;
/// Ticks after which what was done counts half.
const HALVED_TICKS: u64 = 300;

/// How much of a prompt a channel shall have, as its reader set it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Attention {
    /// `30%`: percent, 0..=100.
    Fixed(u8),
    /// `%*`: an equal part of what the fixed ones leave.
    #[default]
    Rest,
    /// `auto`: of that, by what one does there.
    Auto,
}

impl fmt::Display for Attention {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Attention::Fixed(percent) => write!(f, "{percent}%"),
            Attention::Rest => f.write_str("%*"),
            Attention::Auto => f.write_str("auto"),
        }
    }
}

impl FromStr for Attention {
    type Err = String;

    /// `30%` or `30`, `%*` or `*`, `auto`.
    fn from_str(text: &str) -> Result<Attention, String> {
        let text = text.trim();
        if matches!(text, "%*" | "*" | "*%") {
            return Ok(Attention::Rest);
        }
        if text.eq_ignore_ascii_case("auto") {
            return Ok(Attention::Auto);
        }
        let digits = text.strip_suffix('%').unwrap_or(text).trim_end();
        let percent = digits.parse().ok().filter(|percent| *percent <= 100 && !digits.starts_with('+'));
        percent.map(Attention::Fixed).ok_or_else(|| {
            format!("\"{text}\" is no attention: 0% to 100%, %* for a share of what the others leave, or auto")
        })
    }
}

impl TryFrom<String> for Attention {
    type Error = String;

    fn try_from(text: String) -> Result<Attention, String> {
        text.parse()
    }
}

impl From<Attention> for String {
    fn from(attention: Attention) -> String {
        attention.to_string()
    }
}

/// What somebody did in a channel: a message, a reply or a reaction counts 1, and all of it half after 300 ticks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Acts {
    count: u32,
    /// The period of `HALVED_TICKS` that `count` is as of.
    period: u64,
}

impl Acts {
    pub fn add(&mut self, tick: u64) {
        self.count = self.at(tick).saturating_add(1);
        self.period = self.period.max(tick / HALVED_TICKS);
    }

    /// What they count at a tick; an earlier one than that of the last act counts as that.
    pub fn at(&self, tick: u64) -> u32 {
        let halvings = (tick / HALVED_TICKS).saturating_sub(self.period);
        u32::try_from(halvings).ok().and_then(|halvings| self.count.checked_shr(halvings)).unwrap_or(0)
    }
}

/// A channel that wants attention.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Claim {
    pub attention: Attention,
    /// What its reader did there lately; counts where `attention` is `Auto`.
    pub acts: u32,
}

/// Tenths of a percent that a channel without a fixed share has at least, among so many: 5 %, or an equal part where
/// that would be more than there is.
pub const fn share_min(channels: usize) -> u32 {
    match channels {
        0..=20 => SHARE_MIN,
        _ => WHOLE / channels as u32,
    }
}

/// What each has, tenths of a percent, in their order. Empty where there is none.
pub fn shares(claims: &[Claim]) -> Vec<u32> {
    if claims.is_empty() {
        return Vec::new();
    }
    let min = share_min(claims.len());
    let weight = |claim: &Claim| match claim.attention {
        Attention::Fixed(percent) => u32::from(percent) * (WHOLE / 100),
        Attention::Rest | Attention::Auto => 0,
    };
    let fixed: Vec<u32> = claims.iter().map(weight).collect();
    let open = claims.iter().filter(|claim| !matches!(claim.attention, Attention::Fixed(_))).count() as u32;
    let wanted: u32 = fixed.iter().fold(0, |sum, share| sum.saturating_add(*share));
    let rest = match open {
        0 => 0,
        _ => WHOLE.saturating_sub(wanted).max(min * open),
    };
    let mut shares = match fixed.len() as u32 - open {
        0 => fixed,
        _ => split_among(WHOLE - rest, claims, &fixed, |attention| matches!(attention, Attention::Fixed(_))),
    };
    let equal: Vec<u32> = vec![1; claims.len()];
    let parts = split_among(rest, claims, &equal, |attention| !matches!(attention, Attention::Fixed(_)));
    let autos = claims.iter().filter(|claim| claim.attention == Attention::Auto).count() as u32;
    let of_autos: u32 =
        claims.iter().zip(&parts).filter(|(claim, _)| claim.attention == Attention::Auto).map(|(_, part)| part).sum();
    let acts: Vec<u32> = claims.iter().map(|claim| claim.acts).collect();
    let by_acts = split_among(of_autos.saturating_sub(min * autos), claims, &acts, |attention| {
        matches!(attention, Attention::Auto)
    });
    for (n, claim) in claims.iter().enumerate() {
        match claim.attention {
            Attention::Fixed(_) => {}
            Attention::Rest => shares[n] = parts[n],
            Attention::Auto => shares[n] = min + by_acts[n],
        }
    }
    shares
}

/// The shares when those that have nothing to show lend theirs: the others get it in proportion to their own, so that
/// nobody loses by it. Where nobody has anything to show, all keep theirs.
pub fn lend(shares: &[u32], shows: &[bool]) -> Vec<u32> {
    let has = |n: usize| shows.get(n).is_some_and(|shows| *shows);
    if !(0..shares.len()).any(has) {
        return shares.to_vec();
    }
    let own: Vec<u32> = shares.iter().enumerate().map(|(n, share)| if has(n) { *share } else { 0 }).collect();
    let lent = shares.iter().sum::<u32>() - own.iter().sum::<u32>();
    let takers: Vec<usize> = (0..shares.len()).filter(|n| has(*n)).collect();
    let weights: Vec<u32> = takers.iter().map(|n| own[*n]).collect();
    let mut lending = own;
    for (n, more) in takers.into_iter().zip(split(lent, &weights)) {
        lending[n] += more;
    }
    lending
}

/// `split` among those that are meant; the others get nothing.
fn split_among(total: u32, claims: &[Claim], weights: &[u32], meant: fn(Attention) -> bool) -> Vec<u32> {
    let places: Vec<usize> = (0..claims.len()).filter(|n| meant(claims[*n].attention)).collect();
    let meant: Vec<u32> = places.iter().map(|n| weights[*n]).collect();
    let mut parts = vec![0; claims.len()];
    for (n, part) in places.into_iter().zip(split(total, &meant)) {
        parts[n] = part;
    }
    parts
}

/// A number in parts in proportion to their weights, equal ones where no weight is above 0. They add up to it; what
/// rounding leaves goes to those that lost most by it, the first of equals first.
pub fn split(total: u32, weights: &[u32]) -> Vec<u32> {
    let sum: u64 = weights.iter().map(|weight| u64::from(*weight)).sum();
    let equal = vec![1; weights.len()];
    let (weights, sum) = if sum == 0 { (equal.as_slice(), weights.len() as u64) } else { (weights, sum) };
    let of = |weight: &u32| (u64::from(total) * u64::from(*weight)).checked_div(sum).unwrap_or(0) as u32;
    let lost = |n: &usize| (u64::from(total) * u64::from(weights[*n])) % sum;
    let mut parts: Vec<u32> = weights.iter().map(of).collect();
    let left = total - parts.iter().sum::<u32>();
    let mut places: Vec<usize> = (0..parts.len()).collect();
    places.sort_by_key(|n| (std::cmp::Reverse(lost(n)), *n));
    for n in places.into_iter().take(left as usize) {
        parts[n] += 1;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(settings: &[(&str, u32)]) -> Vec<u32> {
        let claim =
            |(attention, acts): &(&str, u32)| Claim { attention: attention.parse().expect(attention), acts: *acts };
        shares(&settings.iter().map(claim).collect::<Vec<_>>())
    }

    #[test]
    fn shares_are_as_documented() {
        for (why, settings, wanted) in [
            ("a lone channel has all", &[("%*", 0)][..], &[1_000][..]),
            ("whatever it was set to", &[("30%", 0)], &[1_000]),
            ("even to nothing", &[("0%", 0)], &[1_000]),
            ("what is set, and the rest", &[("30%", 0), ("%*", 0)], &[300, 700]),
            ("the rest is shared equally", &[("40%", 0), ("%*", 0), ("%*", 0)], &[400, 300, 300]),
            ("too much is scaled down", &[("80%", 0), ("80%", 0)], &[500, 500]),
            ("and leaves the others their least", &[("100%", 0), ("100%", 0), ("%*", 0)], &[475, 475, 50]),
            ("nobody else is there to have the rest", &[("30%", 0), ("10%", 0)], &[750, 250]),
            ("nothing is nothing, if others want it", &[("0%", 0), ("%*", 0)], &[0, 1_000]),
            ("auto follows what one does", &[("auto", 9), ("auto", 1)], &[860, 140]),
            ("and is equal where one does nothing", &[("auto", 0), ("auto", 0)], &[500, 500]),
            ("within its part of the rest", &[("40%", 0), ("%*", 7), ("auto", 3), ("auto", 1)], &[400, 200, 275, 125]),
            ("thirds add up", &[("%*", 0), ("%*", 0), ("%*", 0)], &[334, 333, 333]),
            ("none is none", &[], &[]),
        ] {
            assert_eq!(of(settings), wanted, "{why}: {settings:?}");
        }
    }

    #[test]
    fn who_has_nothing_to_show_lends_its_share() {
        assert_eq!(lend(&[300, 700], &[true, false]), [1_000, 0]);
        assert_eq!(lend(&[500, 300, 200], &[false, true, true]), [0, 600, 400]);
        assert_eq!(lend(&[0, 1_000], &[true, false]), [1_000, 0], "also to one that has nothing else");
        assert_eq!(lend(&[300, 700], &[false, false]), [300, 700], "nobody to lend to");
    }

    #[test]
    fn what_was_done_counts_half_after_300_ticks() {
        let mut acts = Acts::default();
        for tick in [0, 10, 299] {
            acts.add(tick);
        }
        assert_eq!([0, 299, 300, 600, u64::MAX].map(|tick| acts.at(tick)), [3, 3, 1, 0, 0]);
        acts.add(310);
        assert_eq!([300, 310, 599, 600].map(|tick| acts.at(tick)), [2, 2, 2, 1]);
    }

    #[test]
    fn a_setting_is_read_as_people_write_it() {
        for (text, wanted) in [
            ("30%", Attention::Fixed(30)),
            (" 0 ", Attention::Fixed(0)),
            ("100", Attention::Fixed(100)),
            ("%*", Attention::Rest),
            ("*", Attention::Rest),
            ("Auto", Attention::Auto),
        ] {
            assert_eq!(text.parse(), Ok(wanted), "{text}");
            assert_eq!(wanted.to_string().parse(), Ok(wanted));
        }
        for bad in ["-1", "101", "101%", "", "%", "half", "1.5%", "+5", "256"] {
            assert!(bad.parse::<Attention>().is_err_and(|error| error.contains("0% to 100%")), "{bad}");
        }
        assert_eq!(serde_json::json!(Attention::Fixed(30)), serde_json::json!("30%"));
    }

    fn claim() -> impl Strategy<Value = Claim> {
        let attention =
            prop_oneof![(0..=100_u8).prop_map(Attention::Fixed), Just(Attention::Rest), Just(Attention::Auto)];
        (attention, prop_oneof![0..20_u32, Just(u32::MAX)]).prop_map(|(attention, acts)| Claim { attention, acts })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3_000))]

        #[test]
        fn shares_add_up_and_leave_none_that_is_open_too_little(
            claims in prop::collection::vec(claim(), 1..60), shows in prop::collection::vec(any::<bool>(), 60),
        ) {
            let shares = shares(&claims);
            prop_assert_eq!(shares.iter().sum::<u32>(), WHOLE);
            let min = share_min(claims.len());
            for (claim, share) in claims.iter().zip(&shares) {
                let fixed = matches!(claim.attention, Attention::Fixed(_));
                prop_assert!(fixed || *share >= min, "{claim:?} has {share}");
            }
            let shows = &shows[..claims.len()];
            let lent = lend(&shares, shows);
            prop_assert_eq!(lent.iter().sum::<u32>(), WHOLE);
            for ((share, lent), shows) in shares.iter().zip(&lent).zip(shows) {
                prop_assert!(!shows || lent >= share, "{share} fell to {lent}");
            }
        }

        #[test]
        fn more_done_is_no_less_seen(
            claims in prop::collection::vec(claim(), 1..40), place in 0..40_usize, more in 1..50_u32,
        ) {
            let place = place % claims.len();
            let mut busier = claims.clone();
            busier[place].acts = busier[place].acts.saturating_add(more);
            prop_assert!(shares(&claims)[place] <= shares(&busier)[place]);
        }

        #[test]
        fn parts_are_within_one_of_their_proportion(
            total in 0..5_000_u32, weights in prop::collection::vec(0..1_000_u32, 1..40),
        ) {
            let parts = split(total, &weights);
            prop_assert_eq!(parts.iter().sum::<u32>(), total);
            let sum: u32 = weights.iter().sum();
            for (part, weight) in parts.iter().zip(&weights).filter(|_| sum > 0) {
                let exact = f64::from(total) * f64::from(*weight) / f64::from(sum);
                prop_assert!((f64::from(*part) - exact).abs() < 1.0, "{part} of {exact}");
            }
        }
    }
}
