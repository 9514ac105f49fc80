//! Whole agents, fed with frames.
