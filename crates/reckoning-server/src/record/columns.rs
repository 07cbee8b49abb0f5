//! Orientation, joints and kinds of bodies in a recording.
//!
//! A body has these columns from when on they say something: its kind declares joints that are sent,
//! or it was seen tilted. Until then its yaw says it all, so the files of flat games are as they were.

use std::collections::BTreeMap;

use reckoning::{DQuat, DVec3, SimTime};
use reckoning_net::{EntityId, Host, JointSource, KindId, Kinds, MAX_SENT_JOINTS};
use reckoning_recording::{
    Column, KIND_COLUMN, ORIENTATION_COLUMNS, Sample, Track, VELOCITY_COLUMNS, joint_column,
};

use super::RecordedBody;

/// A body counts as tilted when its up axis is less than this along +z: a quarter of a degree.
const UPRIGHT: f64 = 0.999_99;
/// Parts of a unit that quaternions and angles are kept to: a hundredth of a degree, at half the
/// bytes of what single floats hold.
const STEPS: f64 = 1e4;

/// How a body stands, and what turns on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RecordedPose {
    /// How it stands.
    pub(crate) orientation: DQuat,
    /// Its kind.
    pub(crate) kind: KindId,
    /// Angles of the kind's joints that are sent, in their order; NaN before they were aimed.
    pub(crate) joints_rad: [f32; MAX_SENT_JOINTS],
}

impl RecordedPose {
    /// As the host knows it.
    pub(crate) fn new(host: &Host, id: EntityId, orientation: DQuat, now: SimTime) -> Self {
        let kind = host.kind(id).unwrap_or(KindId::NONE);
        let mut joints_rad = [f32::NAN; MAX_SENT_JOINTS];
        let joints = sent_joints(&host.config().kinds, kind);
        for (angle, (place, _)) in joints_rad.iter_mut().zip(joints) {
            *angle = host.joint_at(id, place, now).map_or(f32::NAN, rounded);
        }
        Self { orientation, kind, joints_rad }
    }
}

/// Places and names of a kind's joints that are sent.
fn sent_joints(kinds: &Kinds, id: KindId) -> impl Iterator<Item = (usize, &str)> {
    let joints = kinds.get(id).map_or(&[][..], |kind| &kind.joints[..]);
    let sent =
        joints.iter().enumerate().filter(|(_, it)| matches!(it.source, JointSource::Sent(_)));
    sent.map(|(place, joint)| (place, joint.name.as_str()))
}

fn rounded(value: f64) -> f32 {
    ((value * STEPS).round() / STEPS) as f32
}

/// Names of the kinds of a host, and of the columns of their joints.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RecordedKinds(Vec<(KindId, RecordedKind)>);

#[derive(Clone, Debug, Default, PartialEq)]
struct RecordedKind {
    name: String,
    joints: Vec<String>,
}

impl RecordedKinds {
    /// Those of a host.
    pub(crate) fn new(kinds: &Kinds) -> Self {
        let named = |(id, name, _): (KindId, &str, _)| {
            let joints = sent_joints(kinds, id).map(|(_, joint)| joint_column(joint)).collect();
            (id, RecordedKind { name: name.to_string(), joints })
        };
        Self(kinds.iter().map(named).collect())
    }

    fn get(&self, id: KindId) -> Option<&RecordedKind> {
        self.0.iter().find(|(known, _)| *known == id).map(|(_, kind)| kind)
    }
}

/// Which columns each body has by now.
#[derive(Debug, Default)]
pub(super) struct BodyColumns {
    kinds: RecordedKinds,
    /// Whether games name the kinds of bodies: flat ones are drawn without.
    names_kinds: bool,
    bodies: BTreeMap<u32, KnownColumns>,
}

#[derive(Debug, Default)]
struct KnownColumns {
    oriented: bool,
    /// Words of its kinds: a word keeps its place from chunk to chunk.
    labels: Vec<String>,
}

impl BodyColumns {
    pub(super) fn new(kinds: RecordedKinds, dims: u8) -> Self {
        Self { kinds, names_kinds: dims != 2, bodies: BTreeMap::new() }
    }

    /// A track without samples for a body.
    pub(super) fn track(&self, body: &RecordedBody) -> Track {
        let mut track = Track::new(body.id.cast_signed(), body.team, &VELOCITY_COLUMNS);
        let known = self.bodies.get(&body.id).filter(|known| !known.labels.is_empty());
        track.extras.extend(known.map(|known| Column {
            name: KIND_COLUMN.to_string(),
            labels: known.labels.clone(),
            ..Column::default()
        }));
        track
    }

    /// Adds a sample of a body with everything that is known of it.
    pub(super) fn push(&mut self, track: &mut Track, sample: Sample, body: &RecordedBody) {
        let pose = &body.pose;
        let kind = self.kinds.get(pose.kind);
        let joints = kind.map_or(&[][..], |kind| &kind.joints[..]);
        let is_tilted = (pose.orientation * DVec3::Z).z < UPRIGHT;
        let known = self.bodies.entry(body.id).or_default();
        known.oriented |= is_tilted || !joints.is_empty();
        let q = pose.orientation;
        let turned = [q.w, q.x, q.y, q.z].map(rounded);
        let turned = ORIENTATION_COLUMNS.into_iter().zip(turned).filter(|_| known.oriented);
        let velocity = VELOCITY_COLUMNS.into_iter().zip(body.velocity.as_vec3().to_array());
        let joints = joints.iter().map(String::as_str).zip(pose.joints_rad);
        track.push_named(sample, &velocity.chain(turned).chain(joints).collect::<Vec<_>>());
        if let Some(kind) = kind.filter(|_| self.names_kinds) {
            track.set_last_kind(&kind.name);
            let labels = track.column(KIND_COLUMN).map_or(&[][..], |column| &column.labels[..]);
            if labels.len() > known.labels.len() {
                known.labels = labels.to_vec();
            }
        }
    }
}
