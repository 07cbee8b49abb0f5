//! Long runs and faults in virtual time: hours of play, random histories, ends that stop and go on.
//!
//! `cargo xtask soak` runs the same in release for a whole day and ten thousand histories.

mod check;
mod game;
mod histories;
mod overtaken;
mod player;
mod soak;
mod suspended;
mod world;
