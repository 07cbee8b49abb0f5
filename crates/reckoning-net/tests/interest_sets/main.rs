//! Interest sets through a host and sessions over lossy links: importance, visibility, the nearest
//! few, what is sent first, groups, dormancy, and why something left.

mod dormancy;
mod exits;
mod groups;
mod importance;
mod nearest;
mod priority;
mod visibility;
mod world;
