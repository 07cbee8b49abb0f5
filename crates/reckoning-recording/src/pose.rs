//! Orientation, joints and kinds of bodies, as columns of a track.
//!
//! A game in three dimensions knows more of a body than where it is and which way it faces. The rest
//! travels in further columns, so flat games pay nothing for it and older readers see columns they
//! do not know:
//!
//! ```text
//! qw qx qy qz     orientation, a unit quaternion; body axes are x forward, y left, z up
//! joint:turret    angle of the joint `turret`, in radians; one column for each joint
//! kind            what sort of body it is, a word
//! ```

use reckoning::DQuat;

use super::{Column, Track};

/// Names of the columns for orientation: a unit quaternion, its real part first. Where they are
/// absent or empty, a body stands upright and faces along its yaw.
pub const ORIENTATION_COLUMNS: [&str; 4] = ["qw", "qx", "qy", "qz"];
/// Name of the column that says what sort of body it is, in the game's own words.
pub const KIND_COLUMN: &str = "kind";

const JOINT_PREFIX: &str = "joint:";
/// A quaternion shorter or longer than this is none: rounding does less.
const UNIT_LENGTHS: std::ops::Range<f64> = 0.9..1.1;

/// Name of the column for the angle of a joint, in radians. A comma or a line break, which a CSV
/// cannot hold, becomes `_`.
#[must_use]
pub fn joint_column(joint: &str) -> String {
    format!("{JOINT_PREFIX}{}", csv_word(joint))
}

/// A word as a CSV can hold it.
#[must_use]
pub(crate) fn csv_word(word: &str) -> String {
    word.replace([',', '\n', '\r'], "_")
}

impl Track {
    /// Whether the orientation of some sample is known beyond its yaw.
    #[must_use]
    pub fn has_orientation(&self) -> bool {
        let known = |sample| self.recorded_orientation(sample).is_some();
        self.column(ORIENTATION_COLUMNS[0]).is_some() && (0..self.samples.len()).any(known)
    }

    /// How the body stands at a sample: as recorded, of unit length, or else upright along its yaw,
    /// or along +x where not even that is known.
    #[must_use]
    pub fn orientation(&self, sample: usize) -> DQuat {
        let yaw_rad = || self.samples.get(sample).and_then(|it| it.yaw_rad).unwrap_or(0.0);
        self.recorded_orientation(sample).unwrap_or_else(|| about_z(f64::from(yaw_rad())))
    }

    fn recorded_orientation(&self, sample: usize) -> Option<DQuat> {
        let mut parts = [0.0; 4];
        for (part, name) in parts.iter_mut().zip(ORIENTATION_COLUMNS) {
            *part = f64::from(*self.column(name)?.values.get(sample)?);
        }
        let [w, x, y, z] = parts;
        let turned = DQuat::from_xyzw(x, y, z, w);
        UNIT_LENGTHS.contains(&turned.length()).then(|| turned.normalize())
    }

    /// Its joints by name, with their angles in radians, NaN where they are not known; in the order
    /// of the columns.
    pub fn joints(&self) -> impl Iterator<Item = (&str, &Column)> {
        let joint = |column: &'_ Column| column.name.starts_with(JOINT_PREFIX);
        let joints = self.extras.iter().filter(move |column| joint(column));
        joints.map(|column| (&column.name[JOINT_PREFIX.len()..], column))
    }

    /// The angle of a joint at a sample, in radians; `None` where it is not known.
    #[must_use]
    pub fn joint_rad(&self, joint: &str, sample: usize) -> Option<f64> {
        let (_, column) = self.joints().find(|(name, _)| *name == joint)?;
        column.values.get(sample).copied().filter(|it| it.is_finite()).map(f64::from)
    }

    /// What sort of body it is at a sample; `None` where it is not known.
    #[must_use]
    pub fn kind(&self, sample: usize) -> Option<&str> {
        self.column(KIND_COLUMN)?.label(sample)
    }

    /// What sort of body it is at its last sample of which that is known.
    #[must_use]
    pub fn last_kind(&self) -> Option<&str> {
        (0..self.samples.len()).rev().find_map(|sample| self.kind(sample))
    }

    /// Adds a sample whose further values are given by name. A column that is not there yet begins
    /// here, unknown before; one that is not named is unknown at this sample.
    pub fn push_named(&mut self, sample: super::Sample, extras: &[(&str, f32)]) {
        let before = self.samples.len();
        self.push(sample, &[]);
        for &(name, value) in extras {
            let place = self.place_of(name, before + 1);
            if let Some(last) = self.extras[place].values.last_mut() {
                *last = value;
            }
        }
    }

    /// Notes what sort of body it is at its last sample.
    pub fn set_last_kind(&mut self, kind: &str) {
        let count = self.samples.len();
        let place = self.place_of(KIND_COLUMN, count);
        let (column, word) = (&mut self.extras[place], csv_word(kind));
        let label = column.labels.iter().position(|known| *known == word).unwrap_or_else(|| {
            column.labels.push(word);
            column.labels.len() - 1
        });
        if let Some(last) = column.values.last_mut() {
            *last = label as f32;
        }
    }

    /// Place of a column, which is made with `count` unknown values if it is not there.
    fn place_of(&mut self, name: &str, count: usize) -> usize {
        let known = self.extras.iter().position(|column| column.name == name);
        known.unwrap_or_else(|| {
            let values = vec![f32::NAN; count];
            self.extras.push(Column { name: name.to_string(), values, labels: Vec::new() });
            self.extras.len() - 1
        })
    }
}

/// Upright, turned about z.
fn about_z(yaw_rad: f64) -> DQuat {
    let (sin, cos) = reckoning::math::sincos(yaw_rad * 0.5);
    DQuat::from_xyzw(0.0, 0.0, sin, cos)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sample;
    use std::f64::consts::FRAC_PI_2;

    fn track() -> Track {
        let mut track = Track::new(1, -1, &[]);
        let sample = Sample { yaw_rad: Some(FRAC_PI_2 as f32), ..Sample::default() };
        track.push_named(sample, &[]);
        let half = 0.5_f32.sqrt();
        let orientation = [("qw", half), ("qx", half), ("qy", 0.0), ("qz", 0.0)];
        track.push_named(sample, &orientation);
        track.set_last_kind("tank");
        track.push_named(sample, &[("qw", 7.0), ("qx", 0.0), ("joint:turret", 0.25)]);
        track
    }

    #[test]
    fn orientation_is_as_recorded_or_follows_the_yaw() {
        let track = track();
        let ahead = |sample| track.orientation(sample) * reckoning::DVec3::X;
        let up = |sample| track.orientation(sample) * reckoning::DVec3::Z;
        assert!((ahead(0) - reckoning::DVec3::Y).length() < 1e-6, "{}", ahead(0));
        // A quarter turn about x: ahead stays, up goes to the right.
        assert!((up(1) + reckoning::DVec3::Y).length() < 1e-6, "{}", up(1));
        // What is no quaternion is as good as none.
        assert_eq!(track.orientation(2), track.orientation(0));
        assert_eq!(track.orientation(99), DQuat::IDENTITY);
        assert!(track.has_orientation() && !Track::new(1, 1, &["qw"]).has_orientation());
    }

    #[test]
    fn joints_and_kinds_are_known_where_they_were_named() {
        let track = track();
        assert_eq!(
            [0, 1, 2, 3].map(|it| track.joint_rad("turret", it)),
            [None, None, Some(0.25), None]
        );
        assert_eq!([0, 1, 2].map(|it| track.kind(it)), [None, Some("tank"), None]);
        assert_eq!(track.last_kind(), Some("tank"));
        assert_eq!(track.joints().map(|(name, _)| name).collect::<Vec<_>>(), ["turret"]);
        assert!(track.extras.iter().all(|column| column.values.len() == 3));
        assert_eq!(joint_column("a,b"), "joint:a_b");
    }
}
