//! How a body's decisions come about: by one mind, by several, or by one that is asked several times.

use super::member::{Member, ROLES};
use protocol::plot::PlotSeen;
use serde::{Serialize, Serializer};

/// Votes for one decision, at most.
pub const VOTES_MAX: u32 = 9;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// One mind, asked once.
    #[default]
    Alone,
    Council(Seats),
    /// One mind, asked so many times: what most answers say is done.
    Votes(u32),
}

impl Method {
    pub fn is_alone(&self) -> bool {
        *self == Method::Alone
    }

    /// Calls of a model for one decision, at most.
    pub fn calls_max(self) -> usize {
        match self {
            Method::Alone => 1,
            Method::Council(seats) => seats.members().count(),
            Method::Votes(votes) => votes as usize,
        }
    }
}

/// Which minds sit in a council: at least one that acts, each once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seats([bool; 3]);

impl Seats {
    pub const ALL: Seats = Seats([true; 3]);

    /// `inner,outer,observer`, some of them, in any order.
    pub fn parse(list: &str) -> Result<Seats, String> {
        let words = || ROLES.iter().map(|role| role.word).collect::<Vec<_>>().join(", ");
        let mut seats = [false; 3];
        for word in list.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            let Some(member) = Member::named(word) else {
                let word: String = word.chars().filter(|c| !c.is_control()).take(20).collect();
                return Err(format!("there is no mind \"{word}\"; the minds of a council are {}", words()));
            };
            if std::mem::replace(&mut seats[member as usize], true) {
                return Err(format!("{} sits in a council once, and is named twice", member.word()));
            }
        }
        let seats = Seats(seats);
        match (seats.members().next(), seats.members().any(Member::acts)) {
            (None, _) => Err(format!("a council of nobody decides nothing: name some of {}", words())),
            (_, false) => Err("observer alone has nobody to observe: name inner or outer beside it".to_string()),
            _ => Ok(seats),
        }
    }

    pub fn has(self, member: Member) -> bool {
        self.0[member as usize]
    }

    pub fn members(self) -> impl Iterator<Item = Member> {
        Member::ALL.into_iter().filter(move |member| self.has(*member))
    }

    /// Those that propose, in the order in which they speak: before a plot first the mind on the weaker side of the
    /// axis that leans most, else INNER.
    pub fn speakers(self, plot: Option<&PlotSeen>) -> Vec<Member> {
        let first = plot.and_then(weaker_side).unwrap_or(Member::Inner);
        let mut speakers: Vec<Member> = self.members().filter(|member| member.acts()).collect();
        speakers.sort_by_key(|member| *member != first);
        speakers
    }

    /// As it is typed.
    pub fn written(self) -> String {
        self.members().map(Member::word).collect::<Vec<_>>().join(",")
    }
}

impl Serialize for Seats {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.written())
    }
}

/// Whose side of the axis that leans most is the weaker one; nobody's where all are even.
fn weaker_side(plot: &PlotSeen) -> Option<Member> {
    let worst = super::scene::axes_of(plot).worst();
    match worst.pair {
        [inner, outer] if inner < outer => Some(Member::Inner),
        [inner, outer] if inner > outer => Some(Member::Outer),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::examples::plot;
    use super::*;

    #[test]
    fn councils_are_named_mind_by_mind_and_odd_ones_are_refused() {
        let all = Seats::parse("observer, INNER ,outer").expect("all of them");
        assert_eq!((all, all.written()), (Seats::ALL, "inner,outer,observer".to_string()));
        assert_eq!(Seats::parse("outer").map(Seats::written).as_deref(), Ok("outer"));
        for (list, why) in [
            ("", "a council of nobody"),
            (" , ", "a council of nobody"),
            ("observer", "observer alone has nobody to observe"),
            ("inner,outer,inner", "inner sits in a council once"),
            ("inner,body", "there is no mind \"body\"; the minds of a council are inner, outer, observer"),
            ("inner,\u{1b}[31mred", "there is no mind \"[31mred\""),
        ] {
            let error = Seats::parse(list).expect_err(list);
            assert!(error.starts_with(why), "{list:?}: {error}");
        }
    }

    #[test]
    fn the_mind_on_the_weaker_side_speaks_first() {
        use Member::{Inner, Outer};
        let mut seen = plot(&[]);
        assert_eq!(Seats::ALL.speakers(None), [Inner, Outer]);
        assert_eq!(Seats::ALL.speakers(Some(&seen)), [Inner, Outer], "all axes are even");
        (seen.axes.domain, seen.axes.purpose) = ([8, 2], [3, 7]);
        assert_eq!(Seats::ALL.speakers(Some(&seen)), [Outer, Inner], "too much Source");
        seen.axes.purpose = [1, 9];
        assert_eq!(Seats::ALL.speakers(Some(&seen)), [Inner, Outer], "too little Heart");
        let without = Seats::parse("outer,observer").expect("a council");
        assert_eq!(without.speakers(Some(&seen)), [Outer], "who does not sit there does not speak");
    }

    #[test]
    fn no_method_asks_more_often_than_it_may() {
        assert_eq!(Method::Alone.calls_max(), 1);
        assert_eq!(Method::Council(Seats::ALL).calls_max(), super::super::CALLS_MAX);
        assert_eq!(Method::Votes(5).calls_max(), 5);
    }
}
