//! Contract of the publishing part of kinds: planners, thresholds by place, prevention.

mod aimed;
mod bare;
mod ground;
mod host_bodies;
mod places;
mod planners;
mod world;
