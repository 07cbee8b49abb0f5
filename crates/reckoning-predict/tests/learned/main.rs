//! What users of a learned predictor may rely on.

mod experts;
mod features;
mod files;
mod made;
