//! `dp-agent`: a player that is a program. It is a client like any other and knows nothing of the world's inside.
