//! Kinds: how a sort of body is published and shown, said once and checked once.

use std::time::Duration;

use reckoning::joints::{JointPublisher, JointPublisherConfig};
use reckoning::{
    DelayedConfig, DelayedGhost, Ghost, GhostConfig, Joint, Kinematics, Model, Publisher,
    PublisherConfig, SimTime, Update, UpdateKind,
};

use crate::defs::{RECK_MAX_JOINTS, ReckKindDef, check_size};
use crate::pointers;
use crate::result::{ReckField, ReckResult, ReckStatus, Refusal};
use crate::world::{Id, ReckWorldId, hand_out, id, within};

/// Names a kind. All zero is none.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReckKindId {
    /// Its world.
    pub world: u32,
    /// Its place, from 1.
    pub index1: u32,
    /// How often the place was used.
    pub generation: u32,
}

id!(ReckKindId: Kind);

#[derive(Clone, Copy, Debug)]
pub enum ShowConfig {
    Reckoned(GhostConfig),
    Delayed(DelayedConfig),
}

#[derive(Clone, Debug)]
pub struct KindEntry {
    pub publisher: PublisherConfig,
    pub show: ShowConfig,
    pub joints: Vec<(JointPublisherConfig, Duration)>,
}

/// Declares a kind: how its bodies are published and shown. Whatever does not fit together is refused
/// here, and nowhere later. A kind lives as long as its world.
///
/// # Safety
/// Pointers that are not null lead to a ReckKindDef and a ReckKindId.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reck_kind_create(
    world: ReckWorldId,
    def: *const ReckKindDef,
    kind: *mut ReckKindId,
) -> ReckResult {
    within(world.world, |inside| {
        // SAFETY: the caller vouches for the pointer; a def is made of numbers, valid in all bits.
        let entry = KindEntry::new(&unsafe { pointers::read(def, ReckField::Def) }?)?;
        // SAFETY: the caller vouches for the pointer.
        unsafe { hand_out(&mut inside.kinds, world.world, entry, kind) }.map(drop)
    })
    .into()
}

impl KindEntry {
    fn new(def: &ReckKindDef) -> Result<Self, Refusal> {
        check_size::<ReckKindDef>(def.struct_size)?;
        let count = def.joint_count as usize;
        if count > RECK_MAX_JOINTS {
            let got = f64::from(def.joint_count);
            return Err(Refusal::new(ReckStatus::OutOfRange, ReckField::JointCount, got));
        }
        let joints = def.joints.iter().take(count).map(|it| it.config());
        let entry = Self {
            publisher: def.publisher.config()?,
            show: match def.show.0 {
                0 => ShowConfig::Reckoned(def.ghost.config()?),
                1 => ShowConfig::Delayed(def.delayed.config()?),
                got => {
                    let got = f64::from(got);
                    return Err(Refusal::new(ReckStatus::OutOfRange, ReckField::Show, got));
                }
            },
            joints: joints.collect::<Result<_, _>>()?,
        };
        entry.validate()?;
        Ok(entry)
    }

    /// What the engine checks when it starts.
    fn validate(&self) -> Result<(), Refusal> {
        let rest = Kinematics::default();
        Publisher::start(self.publisher.clone(), &rest)?;
        let first = Update::new(rest, Model::Hold, UpdateKind::Full)?;
        match self.show {
            ShowConfig::Reckoned(config) => drop(Ghost::with_config(config, first, SimTime::ZERO)?),
            ShowConfig::Delayed(config) => {
                drop(DelayedGhost::with_config(config, first, SimTime::ZERO)?);
            }
        }
        for (config, _) in &self.joints {
            JointPublisher::start(config.clone(), Joint::default())?;
        }
        Ok(())
    }
}

/// Destroys a kind. Publishers and ghosts that were made of it go on.
#[unsafe(no_mangle)]
pub extern "C" fn reck_kind_destroy(kind: ReckKindId) -> ReckResult {
    within(kind.world, |inside| {
        inside.kinds.remove(kind.slot()).map(drop).ok_or(ReckKindId::stale())
    })
    .into()
}
