//! The game of the hills on a host: who owns what, and what is sent to whom.
