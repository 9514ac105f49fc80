//! Handing descriptors to the program that this process becomes: they wait in the queue of a socket pair, one end of
//! which is the next program's standard input.
//!
//! Why so: a program cannot safely take up a descriptor by its bare number, but what comes out of a socket is owned.
//! Nothing need be left open on purpose either: whatever is not taken out of the queue ends with it.
//! Invariants: everything is in the queue before this returns; the order is kept; all that is taken out closes at the
//! next exec.

use anyhow::{Context, ensure};
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};
use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// The kernel takes at most 253 in one message.
const AT_ONCE: usize = 200;

/// The end of the socket that the next program reads, with all of them in it.
pub fn queue(descriptors: &[BorrowedFd<'_>]) -> anyhow::Result<OwnedFd> {
    let (giving, taking) =
        socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None).context("a socket pair")?;
    for some in descriptors.chunks(AT_ONCE) {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(AT_ONCE))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        ensure!(control.push(SendAncillaryMessage::ScmRights(some)), "{} descriptors fit in no message", some.len());
        // Where the queue is full nobody would ever read it.
        sendmsg(&giving, &[IoSlice::new(b"d")], &mut control, SendFlags::DONTWAIT | SendFlags::NOSIGNAL)
            .with_context(|| format!("handing over {} descriptors", descriptors.len()))?;
    }
    Ok(taking)
}

/// Takes all of them out again, in order.
pub fn unqueue(from: impl AsFd) -> anyhow::Result<Vec<OwnedFd>> {
    let mut taken = Vec::new();
    loop {
        let mut byte = [0u8];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(AT_ONCE))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let flags = RecvFlags::CMSG_CLOEXEC | RecvFlags::DONTWAIT;
        let got = recvmsg(&from, &mut [IoSliceMut::new(&mut byte)], &mut control, flags)
            .context("reading what was handed over")?;
        if got.bytes == 0 {
            // The other end has closed with the program before.
            return Ok(taken);
        }
        ensure!(
            !got.flags.contains(rustix::net::ReturnFlags::CTRUNC),
            "descriptors were cut off; is their limit lower?"
        );
        for message in control.drain() {
            if let RecvAncillaryMessage::ScmRights(descriptors) = message {
                taken.extend(descriptors);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Seek, Write};

    #[test]
    fn what_goes_in_comes_out_in_order() {
        let files: Vec<std::fs::File> = (0..AT_ONCE + 50)
            .map(|n| {
                let mut file = tempfile::tempfile().expect("a file");
                write!(file, "{n}").expect("it is written");
                file
            })
            .collect();
        let borrowed: Vec<BorrowedFd> = files.iter().map(AsFd::as_fd).collect();
        let end = queue(&borrowed).expect("they fit");
        drop(files);
        let taken = unqueue(&end).expect("they come");
        assert_eq!(taken.len(), AT_ONCE + 50);
        for (n, descriptor) in taken.into_iter().enumerate() {
            let mut file = std::fs::File::from(descriptor);
            file.rewind().expect("a file can be rewound");
            let mut text = String::new();
            file.read_to_string(&mut text).expect("it is read");
            assert_eq!(text, n.to_string());
        }
    }
}
