//! Kinds on the wire: what a peer needs of them, in the `postcard` encoding.

use alloc::string::String;
use alloc::vec::Vec;

use reckoning::bytes::Registry;
use reckoning::ground::{ClampDetail, GroundClampConfig};
use reckoning::model::PathRide;
use reckoning::{AimConfig, Model, PublisherConfig, Quantiser};
use serde::{Deserialize, Serialize};

use super::{Facing, JointKind, Kind, MAX_KIND_NAME_BYTES, PlaceThreshold, PlannerKind, Show};
use crate::zones::{MAX_CLASSES, ZoneClass, ZoneConfig};

/// What a peer is told of a kind. The order of the fields is that of the bytes.
#[derive(Serialize, Deserialize)]
struct KindForm {
    name: String,
    publisher: PublisherConfig,
    /// In place of the publisher's own model, where that is known by an id only.
    by_id: Option<ModelById>,
    show: Show,
    /// The kind's own distance classes, nearest first.
    classes: Option<Vec<ClassForm>>,
    facing: Facing,
    ground: Option<GroundClampConfig>,
    joints: Vec<JointKind>,
    planner: PlannerKind,
    threshold_by_place: Option<PlaceThreshold>,
    prevents: bool,
    dormant: bool,
    aim: Option<AimConfig>,
}

#[derive(Serialize, Deserialize)]
enum ModelById {
    Path(u16),
    Custom(u8),
}

/// What a peer is told of a distance class.
#[derive(Serialize, Deserialize)]
pub(crate) struct ClassForm {
    coarser_log2: u8,
    /// In place of the kind's own.
    show: Option<Show>,
    clamp: Option<ClampDetail>,
}

impl From<&ZoneClass> for ClassForm {
    fn from(class: &ZoneClass) -> Self {
        Self { coarser_log2: class.coarser_log2, show: class.show, clamp: class.clamp }
    }
}

pub(super) fn encode(name: &str, kind: &Kind) -> Vec<u8> {
    let mut publisher = kind.publisher.clone();
    // The format rounds, whatever a publisher is set to.
    publisher.quantiser = Quantiser::EXACT;
    let by_id = match publisher.model {
        Model::Path(ride) => Some(ModelById::Path(ride.path.id())),
        Model::Custom(custom) => Some(ModelById::Custom(custom.id)),
        _ => None,
    };
    if by_id.is_some() {
        publisher.model = Model::Hold;
    }
    let classes = kind.zones.as_ref().map(|it| it.classes.iter().map(ClassForm::from).collect());
    let form = KindForm {
        name: name.into(),
        publisher,
        by_id,
        show: kind.show,
        classes,
        facing: kind.facing,
        ground: kind.ground.clone(),
        joints: kind.joints.clone(),
        planner: kind.planner.clone(),
        threshold_by_place: kind.threshold_by_place,
        prevents: kind.prevents,
        dormant: kind.dormant,
        aim: kind.aim,
    };
    postcard::to_allocvec(&form).unwrap_or_default()
}

/// The name and what a peer knows of a kind; `None` for what is not one, or needs what the registry
/// lacks.
pub(crate) fn decode(bytes: &[u8], registry: &Registry) -> Option<(String, Kind)> {
    let form: KindForm = postcard::from_bytes(bytes).ok()?;
    if form.name.is_empty() || form.name.len() > MAX_KIND_NAME_BYTES {
        return None;
    }
    let mut publisher = form.publisher;
    match form.by_id {
        Some(ModelById::Path(id)) => {
            let path = registry.path(id)?;
            publisher.model = Model::Path(PathRide { path, progress_m: 0.0, rate_mps: 0.0 });
        }
        Some(ModelById::Custom(id)) => publisher.model = Model::Custom(registry.custom(id)?),
        None => {}
    }
    let zones = match form.classes {
        Some(classes) => Some(zones_of(&classes)?),
        None => None,
    };
    let kind = Kind {
        publisher,
        show: form.show,
        facing: form.facing,
        ground: form.ground,
        joints: form.joints,
        zones,
        planner: form.planner,
        threshold_by_place: form.threshold_by_place,
        prevents: form.prevents,
        dormant: form.dormant,
        aim: form.aim,
        ..Kind::default()
    };
    kind.validate_told().ok()?;
    Some((form.name, kind))
}

/// Classes of which only what a peer is told is right.
fn zones_of(classes: &[ClassForm]) -> Option<ZoneConfig> {
    if classes.len() > MAX_CLASSES {
        return None;
    }
    let class = |(place, form): (u32, &ClassForm)| {
        let &ClassForm { coarser_log2, show, clamp } = form;
        let radius_m = f64::from(place);
        ZoneClass { radius_m, coarser_log2, show, clamp, ..ZoneClass::default() }
    };
    let classes = (1..).zip(classes).map(class).collect();
    Some(ZoneConfig { classes, ..ZoneConfig::default() })
}
