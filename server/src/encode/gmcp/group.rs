//! With whom the player goes about.

use super::message::{Known, MessageRow, Source, json_of};
use protocol::arts::GroupMember;
use protocol::variables::Variable;
use serde::Serialize;

pub const ROW: MessageRow = MessageRow { name: "Group", source: Source::Whole { needs: &[Variable::Group], write } };

#[derive(Serialize)]
struct Group<'m> {
    leader: Option<&'m str>,
    members: &'m [GroupMember],
}

fn write(known: &Known) -> Option<String> {
    let members: Vec<GroupMember> = known.read(Variable::Group)?;
    let leader = members.iter().find(|member| member.leader).map(|member| &*member.name);
    Some(json_of(&Group { leader, members: &members }))
}
