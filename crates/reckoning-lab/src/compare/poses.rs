//! Orientation and joints of bodies, with the rates that their past tells.
//!
//! As velocities, rates are differences over the last 60 ms of the same segment, so a state depends
//! on nothing later than itself.

use reckoning::math::scaled_axis;
use reckoning::orientation::shortest_turn_rad;
use reckoning::{DVec3, Joint, SimTime};
use reckoning_recording::{Column, Recording, Track};

use super::prepare::{BodyCourse, Prepared, WINDOW};

/// The angles of one joint of a body.
#[derive(Clone, Debug)]
pub(crate) struct JointCourse {
    pub(crate) name: String,
    /// One for each state of the body.
    pub(crate) states: Vec<JointState>,
}

/// What is known of a joint at one sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct JointState {
    /// Its angle and rate; `None` where the recording has no angle.
    pub(crate) joint: Option<Joint>,
    /// Whether there was enough of a past to tell its rate.
    pub(crate) turning_known: bool,
}

impl Prepared {
    /// As [`Self::with_own_velocities`], but with orientations and joints as far as they are
    /// recorded.
    pub(crate) fn with_poses(recording: &Recording) -> Self {
        let mut prepared = Self::with_own_velocities(recording);
        for course in &mut prepared.courses {
            let Some(track) = recording.track(course.id) else { continue };
            if track.samples.len() == course.states.len() {
                let earlier = earlier_places(course);
                course.take_orientation(track, &earlier);
                course.take_joints(track, &earlier);
            }
        }
        prepared
    }
}

impl BodyCourse {
    fn take_orientation(&mut self, track: &Track, earlier: &[Option<usize>]) {
        self.oriented = track.has_orientation();
        if !self.oriented {
            return;
        }
        for (place, state) in self.states.iter_mut().enumerate() {
            state.kinematics.orientation = track.orientation(place);
        }
        for (place, earlier) in earlier.iter().enumerate() {
            let turning = earlier.map_or(DVec3::ZERO, |earlier| self.turning(earlier, place));
            self.states[place].kinematics.angular_velocity = turning;
        }
    }

    /// The angular velocity, in axes of the world, that turns one state into a later one.
    fn turning(&self, earlier: usize, place: usize) -> DVec3 {
        let (before, now) = (&self.states[earlier].kinematics, &self.states[place].kinematics);
        let turn = now.orientation * before.orientation.conjugate();
        scaled_axis(turn) / now.at.secs_since(before.at)
    }

    fn take_joints(&mut self, track: &Track, earlier: &[Option<usize>]) {
        let moments: Vec<SimTime> = self.states.iter().map(|it| it.kinematics.at).collect();
        let known = |column: &Column| column.values.iter().any(|angle| angle.is_finite());
        let joints = track.joints().filter(|(_, column)| known(column));
        let course = |(name, column): (&str, &Column)| JointCourse {
            name: name.to_string(),
            states: joint_states(&column.values, &moments, earlier),
        };
        self.joints = joints.map(course).collect();
    }
}

fn joint_states(angles: &[f32], moments: &[SimTime], earlier: &[Option<usize>]) -> Vec<JointState> {
    let angle = |place: usize| {
        let angle = angles.get(place).copied().map(f64::from);
        angle.filter(|angle| angle.is_finite())
    };
    let state = |place: usize| {
        let Some(angle_rad) = angle(place) else {
            return JointState { joint: None, turning_known: false };
        };
        let at = moments[place];
        let rate = earlier[place].and_then(|earlier| {
            let turn_rad = shortest_turn_rad(angle(earlier)?, angle_rad);
            Some(turn_rad / at.secs_since(moments[earlier]))
        });
        let joint = Some(Joint { at, angle_rad, rate_radps: rate.unwrap_or(0.0) });
        JointState { joint, turning_known: rate.is_some() }
    };
    (0..moments.len()).map(state).collect()
}

/// For each state the newest of the same segment that is at least [`WINDOW`] older.
fn earlier_places(course: &BodyCourse) -> Vec<Option<usize>> {
    let mut places = Vec::with_capacity(course.states.len());
    let at = |place: usize| course.states[place].kinematics.at;
    while places.len() < course.states.len() {
        let (mut back, end) = (places.len(), course.segment_end(places.len()));
        for place in places.len()..end {
            while back + 1 < place && at(back + 1) + WINDOW <= at(place) {
                back += 1;
            }
            places.push((at(back) + WINDOW <= at(place)).then_some(back));
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use reckoning::DQuat;
    use reckoning::math::rotation;
    use reckoning_recording::Sample;

    use super::*;

    /// Turns about a leaning axis at 1 rad/s, its turret at 2 rad/s against that, in two lives.
    fn spinning(ticks: i64) -> Recording {
        let mut track = Track::new(3, 0, &[]);
        for tick in 0..ticks {
            let at = SimTime::from_tick(tick, 60);
            let q = rotation(axis() * at.as_secs_f64());
            let turret = reckoning::orientation::wrap_rad(-2.0 * at.as_secs_f64());
            let columns = [("qw", q.w), ("qx", q.x), ("qy", q.y), ("qz", q.z)];
            let columns = columns.into_iter().chain([("joint:turret", turret)]);
            let columns: Vec<_> = columns.map(|(name, value)| (name, value as f32)).collect();
            let segment = u32::from(tick >= 100);
            track.push_named(Sample { at, alive: true, segment, ..Sample::default() }, &columns);
        }
        Recording { tracks: vec![track], ..Recording::default() }
    }

    fn axis() -> DVec3 {
        DVec3::new(0.6, 0.0, 0.8)
    }

    #[test]
    fn rates_are_those_of_the_motion_once_there_is_a_past() {
        let prepared = Prepared::with_poses(&spinning(200));
        let course = &prepared.courses[0];
        assert!(course.oriented && course.joints[0].name == "turret");
        for (place, state) in course.states.iter().enumerate() {
            let joint = course.joints[0].states[place];
            // Four ticks are the first span of 60 ms or more, in each life.
            let known = place % 100 >= 4;
            assert_eq!((state.moving_known, joint.turning_known), (known, known), "{place}");
            let (turning, rate) =
                (state.kinematics.angular_velocity, joint.joint.unwrap().rate_radps);
            let (wanted, wanted_rate) = if known { (axis(), -2.0) } else { (DVec3::ZERO, 0.0) };
            assert!((turning - wanted).length() < 1e-4, "{place}: {turning}");
            assert!((rate - wanted_rate).abs() < 1e-4, "{place}: {rate}");
        }
    }

    #[test]
    fn no_state_depends_on_a_later_one() {
        let (whole, cut) = (spinning(200), spinning(137));
        let (whole, cut) = (Prepared::with_poses(&whole), Prepared::with_poses(&cut));
        let (whole, cut) = (&whole.courses[0], &cut.courses[0]);
        for place in 0..137 {
            let pair = [whole, cut].map(|it| it.states[place].kinematics);
            assert_eq!(pair[0], pair[1], "{place}");
            assert_eq!(whole.joints[0].states[place], cut.joints[0].states[place], "{place}");
        }
    }

    #[test]
    fn without_columns_a_body_stands_as_before() {
        let mut recording = spinning(50);
        recording.tracks[0].extras.clear();
        recording.tracks[0].samples.iter_mut().for_each(|it| it.yaw_rad = Some(0.5));
        let prepared = Prepared::with_poses(&recording);
        let course = &prepared.courses[0];
        assert!(!course.oriented && course.joints.is_empty());
        let plain = Prepared::from_recording(&recording);
        assert_eq!(course.states, plain.courses[0].states);
        assert_ne!(course.states[9].kinematics.orientation, DQuat::IDENTITY);
    }
}
