//! The sections on channels: who is in them and what is written there for all (P2), how each stands now (P4), and what
//! attention to it came to. What is said in them is in the transcript (`prompt::conversations`).
//!
//! Invariant: from a server without channels all of them are nothing.

use super::detail::Detail;
use super::node::{Node, Table, column, column_unless};
use super::text;
use super::view::{ChannelView, ChannelsView, LiveView};
use crate::pressure::Density;
use protocol::attention::{Attention, Claim, lend, shares};
use protocol::channel::{Channel, Person, PersonKind};
use protocol::words::counted;
use serde_json::Value;

/// Characters of a channel's or a person's name, and of a key.
pub const NAME_CHARS: usize = 40;
/// Seconds of a tick.
const TICK_SECONDS: u64 = 2;

/// Channels, members of each, characters of a billboard, keys and requests, in the order in which they are tried.
const EXTENTS: [[usize; 4]; 8] = [
    [150, 50, 500, 20],
    [150, 20, 240, 20],
    [60, 12, 120, 10],
    [40, 8, 60, 6],
    [40, 4, 30, 4],
    [20, 2, 0, 2],
    [12, 0, 0, 1],
    [4, 0, 0, 0],
];

/// What each channel has as a share of all attention, tenths of a percent, in their order.
pub fn shares_of(view: &ChannelsView) -> Vec<u32> {
    let claim = |channel: &ChannelView| Claim {
        attention: channel.channel.attention.parse().unwrap_or(Attention::Rest),
        acts: channel.acts,
    };
    shares(&view.channels.iter().map(claim).collect::<Vec<_>>())
}

/// The same, when those without a message lend theirs.
pub fn lent_shares_of(view: &ChannelsView) -> Vec<u32> {
    let shows: Vec<bool> = view.channels.iter().map(|channel| !channel.channel.messages.is_empty()).collect();
    lend(&shares_of(view), &shows)
}

/// `Bob (108)`; who is no person has no number; whose kind matters has it too: `Rook (bot 109)`.
pub fn named(person: &Person) -> String {
    let name = text::line(&person.name, NAME_CHARS);
    match (person.id, person.kind) {
        (Some(id), PersonKind::Bot | PersonKind::Architect | PersonKind::Mob) => {
            format!("{name} ({} {id})", person.kind.name())
        }
        (Some(id), _) => format!("{name} ({id})"),
        (None, PersonKind::System) => name,
        (None, kind) => format!("{name} ({})", kind.name()),
    }
}

/// The members that are told, and how many more there are.
fn members(channel: &Channel, most: usize) -> String {
    let mut told: Vec<String> = channel.members.iter().take(most).map(named).collect();
    let more = (channel.member_count as usize).max(channel.members.len()) - told.len();
    if more > 0 {
        told.push(if told.is_empty() { more.to_string() } else { format!("{more} more") });
    }
    told.join(", ")
}

fn roster(view: &ChannelsView, [rows, people, chars, own]: [usize; 4]) -> Node {
    let line = |text: &str, cap: usize| Value::String(text::line(text, cap));
    let shown = || view.channels.iter().map(|channel| &channel.channel);
    let columns = vec![column("id"), column("name"), column("wpm"), column("members"), column("billboard")];
    let table = shown()
        .map(|channel| {
            let billboard = channel.billboard.as_ref().filter(|_| chars > 0);
            vec![
                channel.id.into(),
                line(&channel.name, NAME_CHARS),
                channel.wpm.into(),
                members(channel, people).into(),
                billboard.map_or(Value::Null, |billboard| line(billboard, chars)),
            ]
        })
        .collect();
    let keys = shown().flat_map(|channel| {
        channel.my_keys.iter().map(move |key| vec![channel.id.into(), Value::String(text::line(key, NAME_CHARS))])
    });
    let requests = shown().flat_map(|channel| {
        channel.pending_access_requests.iter().map(move |request| {
            let key = Value::String(text::line(&request.key_used, NAME_CHARS));
            vec![request.id.into(), channel.id.into(), request.requester_id.into(), key]
        })
    });
    let invitations = view.invitations.iter().map(|it| vec![it.id.into(), line(&it.name, NAME_CHARS)]);
    let (keys, requests, invitations): (Vec<_>, Vec<_>, Vec<_>) =
        (keys.collect(), requests.collect(), invitations.collect());
    Node::Group(vec![
        Node::heading(1, "Channels"),
        Node::named("your_id", Node::Data(view.you.into())),
        Node::named("channels_and_members", Node::Table(Table::new(columns, table, rows))),
        Node::named("your_keys", Node::Table(Table::new(vec![column("channel"), column("key")], keys, own))),
        Node::named(
            "requests_to_join",
            Node::Table(Table::new(
                vec![column("id"), column("channel"), column("from"), column("key")],
                requests,
                own,
            )),
        ),
        Node::named("invitations", Node::Table(Table::new(vec![column("channel"), column("name")], invitations, own))),
    ])
}

/// Who is where, what is written on the billboards, and one's own keys and requests: in the largest form that has no
/// more than `room` tokens as `fits` finds.
pub fn fit(view: &ChannelsView, room: usize, fits: &dyn Fn(&Node, usize) -> bool) -> Node {
    let mut nodes = EXTENTS.into_iter().map(|extent| roster(view, extent));
    nodes.find(|node| fits(node, room)).unwrap_or_default()
}

/// How long ago that is, in the words of the document: `30 seconds`, `5 minutes`, `2.5 hours`.
pub fn time_since(last: Option<u64>, tick: u64) -> String {
    let Some(last) = last else { return "never (just joined)".to_string() };
    let seconds = tick.saturating_sub(last).saturating_mul(TICK_SECONDS);
    match seconds {
        0..60 => counted(seconds, "second"),
        60..3_600 => counted(seconds / 60, "minute"),
        _ => format!("{}.{} hours", seconds / 3_600, seconds % 3_600 / 360),
    }
}

/// `50`, `12.5`: tenths of a percent as percent.
pub fn percent(tenths: u32) -> Value {
    if tenths.is_multiple_of(10) { (tenths / 10).into() } else { (f64::from(tenths) / 10.0).into() }
}

/// Where something waits to be read comes first, then by attention.
fn order(shares: &[u32], unread: &dyn Fn(usize) -> u32) -> Vec<usize> {
    let mut places: Vec<usize> = (0..shares.len()).collect();
    places.sort_by_key(|n| (unread(*n) == 0, std::cmp::Reverse(shares[*n]), *n));
    places
}

/// How each channel stands. `unread`: of each, by its place, how many messages nobody showed; beyond its end as the
/// server counts them. In the minimal density those with something unread, as a count each: `8: 14 unread`.
pub fn table(live: &LiveView, unread: &[u32], detail: &Detail) -> Node {
    let Some(view) = &live.channels else { return Node::Nothing };
    let shares = shares_of(view);
    let unread = |n: usize| unread.get(n).copied().unwrap_or(view.channels[n].channel.unread);
    let places = order(&shares, &unread);
    if detail.channels == 0 {
        let waiting = places.into_iter().filter(|n| unread(*n) > 0);
        let counted: Vec<String> = waiting
            .take(detail.named.max(1))
            .map(|n| format!("{}: {} unread", view.channels[n].channel.id, unread(n)))
            .collect();
        let counted = if counted.is_empty() { Node::Nothing } else { Node::Data(counted.join(", ").into()) };
        return Node::named("channels", counted);
    }
    let columns = vec![
        column("id"),
        column("name"),
        column("kind"),
        column("attention"),
        column_unless("muted", false),
        column_unless("unread", 0),
        column("word_budget"),
        column_unless("wait_s", 0),
        column("time_since_last"),
    ];
    let rows = places
        .into_iter()
        .map(|n| {
            let channel = &view.channels[n].channel;
            let kind = if channel.is_self_room { "own home" } else { channel.kind.name() };
            vec![
                channel.id.into(),
                Value::String(text::line(&channel.name, detail.name_chars.min(NAME_CHARS))),
                kind.into(),
                percent(shares[n]),
                channel.muted.into(),
                unread(n).into(),
                channel.word_budget.into(),
                channel.wait_s.into(),
                time_since(channel.last_spoke_tick, live.tick).into(),
            ]
        })
        .collect();
    Node::named("channels", Node::Table(Table::new(columns, rows, detail.channels)))
}

/// What attention to each channel took of the last prompts, and what was given there.
pub fn attention_used(live: &LiveView, detail: &Detail) -> Node {
    let Some(view) = live.channels.as_ref().filter(|_| detail.density == Density::Full) else {
        return Node::Nothing;
    };
    let columns = vec![
        column("id"),
        column_unless("tokens_read", 0),
        column_unless("words", 0),
        column_unless("replies", 0),
        column_unless("reactions", 0),
    ];
    let used = view.channels.iter().filter(|channel| channel.used != Default::default());
    let rows = used
        .map(|channel| {
            let used = channel.used;
            let id = channel.channel.id.into();
            vec![id, used.tokens.into(), used.words.into(), used.replies.into(), used.reactions.into()]
        })
        .collect();
    Node::named("attention_used", Node::Table(Table::of(columns, rows, 0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_told_in_the_words_of_the_document() {
        for (ticks, wanted) in [
            (0, "0 seconds"),
            (15, "30 seconds"),
            (30, "1 minute"),
            (150, "5 minutes"),
            (1_799, "59 minutes"),
            (1_800, "1.0 hours"),
            (4_500, "2.5 hours"),
            (86_400, "48.0 hours"),
        ] {
            assert_eq!(time_since(Some(1_000), 1_000 + ticks), wanted);
        }
        assert_eq!(time_since(None, 7), "never (just joined)");
        assert_eq!(time_since(Some(9), 7), "0 seconds", "a clock that is behind");
    }
}
