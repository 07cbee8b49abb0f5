//! A host and 2 to 64 clients over seeded links: what replication promises.

mod fair;
mod properties;
mod trust;
mod world;
