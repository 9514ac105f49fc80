//! Who is at the other end of an HTTP connection, and the connection's slot, which goes over to the WebSocket that it
//! may become.

use crate::limits::Slot;
use parking_lot::Mutex;
use std::net::IpAddr;
use std::sync::Arc;

/// In the extensions of every request.
#[derive(Clone, Debug)]
pub struct Caller {
    /// Of the peer, or as its PROXY header says.
    pub address: IpAddr,
    /// It is a trusted proxy that sent no PROXY header: a request's own head may say whose it is.
    pub is_proxy: bool,
    pub slot: SharedSlot,
}

/// The slot of a connection: held by its IO, until the request that upgrades it takes it along.
#[derive(Clone, Debug)]
pub struct SharedSlot(Arc<Mutex<Option<Slot>>>);

impl SharedSlot {
    pub fn new(slot: Slot) -> SharedSlot {
        SharedSlot(Arc::new(Mutex::new(Some(slot))))
    }

    /// `None`: it was taken before.
    pub fn take(&self) -> Option<Slot> {
        self.0.lock().take()
    }

    pub fn is_taken(&self) -> bool {
        self.0.lock().is_none()
    }
}
