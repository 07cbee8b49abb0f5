//! What the page shows of the hills, as plain Rust: meshes, views, who is where, figures.
//!
//! ```text
//! affine, view    where things are, and where that is on the page
//! mesh, terrain   triangles and lines of the level
//! tiles, cut      those of them that are in the picture; openings of tunnels
//! models          triangles of the bodies, and what a frame draws of them
//! streams         truth and plain positions, with orientations and turrets
//! driver          the own vehicle, moved at once
//! aiming          what pointer and barrel point at
//! derived         turrets that nobody sends
//! effects         shots and bursts
//! figures         errors and what is under the ground, of late
//! traffic         what updates of a sort of bodies take, of late
//! choices, ledger switches of the panel, and what was measured under each
//! ```

pub mod affine;
pub mod aiming;
pub mod choices;
pub mod colours;
pub mod cut;
pub mod derived;
pub mod driver;
pub mod effects;
pub mod figures;
pub mod frame;
pub mod ledger;
pub mod mesh;
pub mod models;
pub mod stance;
pub mod streams;
pub mod structures;
pub mod terrain;
pub mod tiles;
pub mod traffic;
pub mod view;
