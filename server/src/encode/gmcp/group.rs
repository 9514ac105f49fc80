//! With whom the player goes about.

use super::message::{Known, MessageRow, Source};
use protocol::variables::Variable;
use serde_json::{Value, json};

pub const ROW: MessageRow =
    MessageRow { name: "Group", source: Source::State { needs: &[Variable::Group], write, changes: false } };

fn write(known: &Known) -> Option<Value> {
    let members = known.value(Variable::Group)?.as_array()?;
    let leader = members.iter().find(|member| member["leader"] == true).map(|member| member["name"].clone());
    Some(json!({"leader": leader, "members": members}))
}
