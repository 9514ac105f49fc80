//! What an agent sees: the view model, the sections made of it, and the tree of nodes that the renderers write.
//!
//! A client fills a `View` from what the server told it; nothing here knows frames or sockets. Whatever others wrote
//! (names, speech, descriptions) is plain data in typed fields: `text` cleans and caps it on the way to a node, and the
//! renderers quote it, so it cannot pass for structure of the prompt.

pub mod arts;
pub mod channels;
pub mod core_memory;
pub mod detail;
mod format;
pub mod identity;
pub mod index;
pub mod live;
pub mod node;
pub mod origin;
pub mod plot;
pub mod text;
pub mod view;
pub mod workspace;

pub use format::Format;
pub use view::{
    ChannelView, ChannelsView, FocusView, ItemView, Kind, LedgerView, LiveView, MemoryView, MobView, PersonView,
    RecentAction, RoomView, SaidView, SelfView, TaskView, UseView, VarsView, View, WareView, WornView,
};
