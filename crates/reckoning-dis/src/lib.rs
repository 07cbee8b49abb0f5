//! DIS (IEEE 1278.1) for Reckoning: PDUs, places, mapping, and the state of a gateway.
//!
//! ```text
//! datagram <-> wire::Pdu   values of the standard, as they came
//!                |
//!          TangentFrame    geocentric WGS-84 <-> east, north, up about an origin
//!             Mapping      entity types <-> kinds, parameters <-> joints, marking and appearance
//!                |
//!             Gateway      who is there, who is gone, what is due: exercise <-> bodies
//! ```
//!
//! Nothing here opens a socket or reads a clock; `reckon dis` is the shell around it. The nine
//! dead-reckoning models themselves are the engine's: [`reckoning::dis`].

pub mod gateway;
pub mod mapping;
pub mod place;
pub mod wire;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
