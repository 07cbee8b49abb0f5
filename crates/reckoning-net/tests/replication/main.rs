//! A host and 2 to 64 clients over seeded links: what replication promises.

mod fair;
mod held;
#[path = "../shared/linear_format.rs"]
mod linear_format;
mod pictures;
mod properties;
mod shared_out;
mod shedding;
mod trust;
mod world;
