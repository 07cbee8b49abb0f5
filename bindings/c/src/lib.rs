//! The C interface of Reckoning.
//!
//! Everything lives in worlds and is named by ids, which are values: a world, a place and a generation.
//! An id that is all zero names nothing, and one of something that was destroyed, or of a world that was,
//! is refused. Every function checks what it is given and says what is wrong with it in the
//! [`ReckResult`] it returns; it never ends the program.
//!
//! ```text
//! extern "C" fn -> pointers (all unsafe code) -> world (locked, alive) -> slots (id is alive) -> engine
//! ```
//!
//! - A world is used by one thread at a time: a call while another one is within the same world is
//!   refused as busy. Different worlds are independent of each other.
//! - Nothing is shared but the table of worlds, which tells the living from the dead.
//! - What C hands over is copied before a function returns; nothing of C's is kept.
//!
//! `include/reckoning.h` and `csharp/Reckoning.cs` are written from this source by `generate`.

pub mod clock;
pub mod crowd;
pub mod defs;
pub mod ghost;
pub mod joint;
pub mod kind;
pub mod learned;
mod pointers;
pub mod publisher;
pub mod result;
mod slots;
pub mod types;
pub mod world;

#[cfg(feature = "client")]
pub mod client;
