//! Crowds: very many ghosts, in single precision relative to an origin.

use reckoning::crowd::{CrowdConfig, CrowdId, CrowdView};
use reckoning::{Crowd, DVec3, SimTime};

use crate::defs::{check_size, span};
use crate::ghost::ReckAccepted;
use crate::pointers;
use crate::result::{ReckField, ReckResult, ReckStatus, Refusal};
use crate::slots::{SlotId, Slots};
use crate::types::{ReckUpdate, ReckVec3};
use crate::world::{Id, ReckWorldId, hand_out, id, within};

/// Names a crowd. All zero is none.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReckCrowdId {
    /// Its world.
    pub world: u32,
    /// Its place, from 1.
    pub index1: u32,
    /// How often the place was used.
    pub generation: u32,
}

/// Names a ghost of a crowd. All zero is none.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReckCrowdGhostId {
    /// Its place, from 1.
    pub index1: u32,
    /// How often the place was used.
    pub generation: u32,
}

/// How the ghosts of a crowd are shown. Take it from reck_crowd_def_default().
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ReckCrowdDef {
    /// Set by reck_crowd_def_default().
    pub struct_size: u32,
    /// Nothing yet: 0.
    pub reserved: u32,
    /// How long a ghost takes to shed its error; 0 jumps. Default: 0.333. At most 300.
    pub span_s: f64,
    /// How far past an update its model is followed. Default: 4. Above 0, at most 300.
    pub max_extrapolation_s: f64,
    /// What positions are shown relative to. Default: zero.
    pub origin: ReckVec3,
    /// About when it begins, in microseconds. Default: 0.
    pub at_us: i64,
}

id!(ReckCrowdId: Crowd);

pub struct CrowdEntry {
    crowd: Crowd,
    view: CrowdView,
    ids: Slots<CrowdId>,
    /// The ids by place, as C knows them.
    names: Vec<SlotId>,
}

/// The default: three updates a second, relative to zero.
#[unsafe(no_mangle)]
pub extern "C" fn reck_crowd_def_default() -> ReckCrowdDef {
    let config = CrowdConfig::default();
    ReckCrowdDef {
        struct_size: size_of::<ReckCrowdDef>() as u32,
        reserved: 0,
        span_s: config.span.as_secs_f64(),
        max_extrapolation_s: config.max_extrapolation.as_secs_f64(),
        origin: DVec3::ZERO.into(),
        at_us: 0,
    }
}

/// Makes an empty crowd.
///
/// # Safety
/// Pointers that are not null lead to a ReckCrowdDef and a ReckCrowdId.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reck_crowd_create(
    world: ReckWorldId,
    def: *const ReckCrowdDef,
    crowd: *mut ReckCrowdId,
) -> ReckResult {
    within(world.world, |inside| {
        // SAFETY: the caller vouches for the pointer; a def is made of numbers.
        let def = unsafe { pointers::read(def, ReckField::Def) }?;
        check_size::<ReckCrowdDef>(def.struct_size)?;
        let mut config = CrowdConfig::default();
        config.span = span(def.span_s, ReckField::SpanLength)?;
        config.max_extrapolation = span(def.max_extrapolation_s, ReckField::MaxExtrapolation)?;
        let started = Crowd::start(config, origin(def.origin)?, SimTime::from_micros(def.at_us))?;
        let entry = CrowdEntry {
            crowd: started,
            view: CrowdView::default(),
            ids: Slots::default(),
            names: Vec::new(),
        };
        // SAFETY: the caller vouches for the pointer.
        unsafe { hand_out(&mut inside.crowds, world.world, entry, crowd) }.map(drop)
    })
    .into()
}

fn origin(at: ReckVec3) -> Result<DVec3, Refusal> {
    let at = DVec3::from(at);
    let bad = at.to_array().into_iter().find(|it| !it.is_finite());
    bad.map_or(Ok(at), |it| Err(Refusal::number(ReckField::Origin, it)))
}

fn change(
    crowd: ReckCrowdId,
    act: impl FnOnce(&mut CrowdEntry) -> Result<(), Refusal>,
) -> ReckResult {
    within(crowd.world, |inside| {
        act(inside.crowds.get_mut(crowd.slot()).ok_or(ReckCrowdId::stale())?)
    })
    .into()
}

const fn slot(ghost: ReckCrowdGhostId) -> SlotId {
    SlotId { index1: ghost.index1, generation: ghost.generation }
}

/// Adds a ghost, from the first update of a body, which arrives now. Crowds know the models hold, linear
/// and accelerating.
///
/// # Safety
/// Pointers that are not null lead to a ReckUpdate and a ReckCrowdGhostId.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reck_crowd_insert(
    crowd: ReckCrowdId,
    first: *const ReckUpdate,
    now_us: i64,
    ghost: *mut ReckCrowdGhostId,
) -> ReckResult {
    change(crowd, |entry| {
        // SAFETY: the caller vouches for the pointer; it is made of numbers.
        let first = unsafe { pointers::read(first, ReckField::Update) }?.update()?;
        if ghost.is_null() {
            return Err(Refusal::null(ReckField::Output));
        }
        let id = entry.crowd.insert(&first, SimTime::from_micros(now_us))?;
        let full = Refusal::new(ReckStatus::Full, ReckField::Crowd, f64::from(u32::MAX));
        let SlotId { index1, generation } = entry.ids.insert(id).ok_or(full)?;
        entry.names.push(SlotId { index1, generation });
        // SAFETY: as above.
        unsafe {
            pointers::write(ghost, ReckCrowdGhostId { index1, generation }, ReckField::Output)
        }
    })
}

/// Takes an update of a ghost, which arrives now. `accepted` may be null.
///
/// # Safety
/// Pointers that are not null lead to a ReckUpdate and a ReckAccepted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reck_crowd_accept(
    crowd: ReckCrowdId,
    ghost: ReckCrowdGhostId,
    update: *const ReckUpdate,
    now_us: i64,
    accepted: *mut ReckAccepted,
) -> ReckResult {
    change(crowd, |entry| {
        // SAFETY: the caller vouches for the pointer; it is made of numbers.
        let update = unsafe { pointers::read(update, ReckField::Update) }?.update()?;
        let id = *entry.ids.get(slot(ghost)).ok_or(Refusal::stale(ReckField::Ghost))?;
        let became = entry.crowd.accept(id, &update, SimTime::from_micros(now_us))?;
        // SAFETY: the caller vouches for the pointer.
        unsafe { pointers::write_if_wanted(accepted, became.into()) };
        Ok(())
    })
}

/// Removes a ghost; the last one in the crowd takes its place.
#[unsafe(no_mangle)]
pub extern "C" fn reck_crowd_remove(crowd: ReckCrowdId, ghost: ReckCrowdGhostId) -> ReckResult {
    change(crowd, |entry| {
        let id = entry.ids.remove(slot(ghost)).ok_or(Refusal::stale(ReckField::Ghost))?;
        if let Some(place) = entry.crowd.place(id) {
            entry.names.swap_remove(place);
            entry.crowd.remove(id);
        }
        Ok(())
    })
}

/// How many ghosts there are.
///
/// # Safety
/// A pointer that is not null leads to a size_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reck_crowd_len(crowd: ReckCrowdId, count: *mut usize) -> ReckResult {
    // SAFETY: the caller vouches for the pointer.
    change(crowd, |entry| unsafe { pointers::write(count, entry.crowd.len(), ReckField::Output) })
}

/// Where to draw all ghosts: x, y and z of each relative to the origin, and if `ghosts` is not null, which
/// they are. Both have room for `capacity` ghosts; `count` is how many there are.
///
/// # Safety
/// Pointers that are not null lead to 3 times `capacity` values of float, `capacity` of ReckCrowdGhostId,
/// and a size_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reck_crowd_show(
    crowd: ReckCrowdId,
    now_us: i64,
    xyz: *mut f32,
    ghosts: *mut ReckCrowdGhostId,
    capacity: usize,
    count: *mut usize,
) -> ReckResult {
    change(crowd, |entry| {
        let there = entry.crowd.len();
        // SAFETY: the caller vouches for the pointer.
        unsafe { pointers::write(count, there, ReckField::Output) }?;
        if there > capacity {
            return Err(Refusal::new(ReckStatus::TooShort, ReckField::List, there as f64));
        }
        entry.crowd.show(SimTime::from_micros(now_us), &mut entry.view);
        for (index, position) in entry.view.positions().take(there).enumerate() {
            // SAFETY: `index < there <= capacity`, and the caller vouches for `capacity` triples; an
            // array of three floats needs the alignment of one, of which writing asks for none.
            unsafe {
                pointers::write_at(xyz.cast::<[f32; 3]>(), index, position, ReckField::Output)
            }?;
        }
        if !ghosts.is_null() {
            for (index, SlotId { index1, generation }) in entry.names.iter().copied().enumerate() {
                let name = ReckCrowdGhostId { index1, generation };
                // SAFETY: as above: there are as many names as ghosts.
                unsafe { pointers::write_at(ghosts, index, name, ReckField::Output) }?;
            }
        }
        Ok(())
    })
}

/// Shows positions relative to another origin from now on.
#[unsafe(no_mangle)]
pub extern "C" fn reck_crowd_recentre(crowd: ReckCrowdId, at: ReckVec3) -> ReckResult {
    change(crowd, |entry| {
        entry.crowd.recentre(origin(at)?);
        Ok(())
    })
}

/// Removes a crowd with all its ghosts.
#[unsafe(no_mangle)]
pub extern "C" fn reck_crowd_destroy(crowd: ReckCrowdId) -> ReckResult {
    within(crowd.world, |inside| {
        inside.crowds.remove(crowd.slot()).map(drop).ok_or(ReckCrowdId::stale())
    })
    .into()
}
