//! Contract of a learned predictor.

mod experts;
mod features;
mod files;
mod made;
