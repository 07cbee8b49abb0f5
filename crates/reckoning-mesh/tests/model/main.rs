//! Model checking: what holds in every order of events, and that each part of the protocol is needed.
//!
//! `bodies` and `leases` try all there is for three servers, one body or cell and one fault. `histories`
//! draws long ones at random for five servers and a hundred bodies, through simulated links and a
//! simulated store, and shows a failing one as short as it becomes.

mod bodies;
mod histories;
mod leases;
mod store;
mod world;
