//! How watchers show bodies by their kinds, through a host and sessions over lossy links.

mod drawing;
mod facing;
mod joints;
mod shows;
mod world;
