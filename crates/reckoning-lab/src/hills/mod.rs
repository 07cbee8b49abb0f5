//! The hills over simulated links: the whole chain in virtual time, and the table
//! `testdata/hills.txt`.
//!
//! ```text
//! chain      host, game and clients in one loop, links between them; the truth is known
//! costs      what updates take on the wire, by entity
//! snapshots  what a game without dead reckoning shows: the newest, or the past between two
//! measure    how far from the truth each way of showing is, by craft
//! table      the committed table
//! session    games as recordings, without a network
//! ```

mod chain;
mod costs;
mod measure;
mod session;
mod snapshots;
mod table;

pub use chain::{FRAME, HillsChain, HillsClient, HillsLabError, link_config};
pub use costs::UpdateCost;
pub use measure::{CraftFigures, Figures, Method, measure};
pub use session::session;
pub use snapshots::Snapshots;
pub use table::{LINKS, hills_table};
