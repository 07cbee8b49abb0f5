//! Fire and Detonation, and what manages an exercise: Create, Remove, Start/Resume, Stop/Freeze.

use reckoning::DVec3;

use super::DecodeError;
use super::bytes::{Put, Reader};
use super::entity::{PartRecord, count_parts, read_parts, write_parts};
use super::ids::{EntityId, EntityType};

/// What was fired.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the standard's words for the standard's numbers")]
pub struct Munition {
    pub kind: EntityType,
    pub warhead: u16,
    pub fuse: u16,
    pub quantity: u16,
    pub rate: u16,
}

impl Munition {
    fn read(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            kind: EntityType::read(from)?,
            warhead: from.u16()?,
            fuse: from.u16()?,
            quantity: from.u16()?,
            rate: from.u16()?,
        })
    }

    fn write(self, to: &mut Vec<u8>) {
        self.kind.write(to);
        for number in [self.warhead, self.fuse, self.quantity, self.rate] {
            to.put_u16(number);
        }
    }
}

/// A weapon was fired.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fire {
    /// Who fired.
    pub firing: EntityId,
    /// At whom.
    pub target: EntityId,
    /// The munition, if it is an entity.
    pub munition: EntityId,
    /// The event; a detonation of the same shot has the same.
    pub event: EntityId,
    /// Of a fire mission.
    pub mission: u32,
    /// Whence, geocentric metres.
    pub location: DVec3,
    /// What.
    pub descriptor: Munition,
    /// How fast, metres per second, geocentric axes.
    pub velocity: [f32; 3],
    /// How far it is meant to go, metres.
    pub range_m: f32,
}

impl Fire {
    pub(super) fn read(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            firing: EntityId::read(from)?,
            target: EntityId::read(from)?,
            munition: EntityId::read(from)?,
            event: EntityId::read(from)?,
            mission: from.u32()?,
            location: from.location()?,
            descriptor: Munition::read(from)?,
            velocity: from.vector()?,
            range_m: from.f32()?,
        })
    }

    pub(super) fn write(&self, to: &mut Vec<u8>) {
        for id in [self.firing, self.target, self.munition, self.event] {
            id.write(to);
        }
        to.put_u32(self.mission);
        to.put_location(self.location);
        self.descriptor.write(to);
        to.put_vector(self.velocity);
        to.put_f32(self.range_m);
    }
}

/// A munition detonated, or hit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Detonation {
    /// Who fired.
    pub firing: EntityId,
    /// At whom.
    pub target: EntityId,
    /// The munition, if it is an entity.
    pub munition: EntityId,
    /// The event, as [`Fire::event`].
    pub event: EntityId,
    /// How fast, metres per second, geocentric axes.
    pub velocity: [f32; 3],
    /// Where, geocentric metres.
    pub location: DVec3,
    /// What.
    pub descriptor: Munition,
    /// Where on the target, in its axes, metres.
    pub place_on_target: [f32; 3],
    /// What came of it: 1 hit an entity, 3 hit the ground, and so on.
    pub result: u8,
    /// Parts concerned.
    pub parts: Vec<PartRecord>,
}

impl Detonation {
    pub(super) fn read(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut read = Self {
            firing: EntityId::read(from)?,
            target: EntityId::read(from)?,
            munition: EntityId::read(from)?,
            event: EntityId::read(from)?,
            velocity: from.vector()?,
            location: from.location()?,
            descriptor: Munition::read(from)?,
            place_on_target: from.vector()?,
            result: from.u8()?,
            parts: Vec::new(),
        };
        let count = from.u8()?;
        from.skip::<2>()?;
        read.parts = read_parts(from, count)?;
        Ok(read)
    }

    pub(super) fn write(&self, to: &mut Vec<u8>) {
        for id in [self.firing, self.target, self.munition, self.event] {
            id.write(to);
        }
        to.put_vector(self.velocity);
        to.put_location(self.location);
        self.descriptor.write(to);
        to.put_vector(self.place_on_target);
        to.put(&[self.result, count_parts(&self.parts), 0, 0]);
        write_parts(&self.parts, to);
    }
}

/// A request of one application to another: to create an entity, or to remove one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Who asks.
    pub from: EntityId,
    /// Who is asked; 0xffff in a field is all.
    pub to: EntityId,
    /// The number of the request.
    pub request: u32,
}

impl Request {
    pub(super) fn read(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (sender, to) = (EntityId::read(from)?, EntityId::read(from)?);
        Ok(Self { from: sender, to, request: from.u32()? })
    }

    pub(super) fn write(self, to: &mut Vec<u8>) {
        self.from.write(to);
        self.to.write(to);
        to.put_u32(self.request);
    }
}

/// A moment: the hour since 1970, and units of 3600 s / 2^31 past it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "said above")]
pub struct ClockTime {
    pub hour: i32,
    pub past: u32,
}

impl ClockTime {
    fn read(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self { hour: from.i32()?, past: from.u32()? })
    }

    fn write(self, to: &mut Vec<u8>) {
        to.put_i32(self.hour);
        to.put_u32(self.past);
    }
}

/// The exercise, or an entity, begins or goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StartResume {
    /// Who asks.
    pub from: EntityId,
    /// Who is to.
    pub to: EntityId,
    /// When, by real clocks.
    pub real_time: ClockTime,
    /// When, within the simulation.
    pub simulation_time: ClockTime,
    /// The number of the request.
    pub request: u32,
}

impl StartResume {
    pub(super) fn read(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            from: EntityId::read(from)?,
            to: EntityId::read(from)?,
            real_time: ClockTime::read(from)?,
            simulation_time: ClockTime::read(from)?,
            request: from.u32()?,
        })
    }

    pub(super) fn write(&self, to: &mut Vec<u8>) {
        self.from.write(to);
        self.to.write(to);
        self.real_time.write(to);
        self.simulation_time.write(to);
        to.put_u32(self.request);
    }
}

/// The exercise, or an entity, stops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StopFreeze {
    /// Who asks.
    pub from: EntityId,
    /// Who is to.
    pub to: EntityId,
    /// When, by real clocks.
    pub real_time: ClockTime,
    /// Why: 1 recess, 2 termination, and so on.
    pub reason: u8,
    /// What goes on all the same; bits.
    pub frozen_behaviour: u8,
    /// The number of the request.
    pub request: u32,
}

impl StopFreeze {
    pub(super) fn read(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (sender, to) = (EntityId::read(from)?, EntityId::read(from)?);
        let real_time = ClockTime::read(from)?;
        let (reason, frozen_behaviour) = (from.u8()?, from.u8()?);
        from.skip::<2>()?;
        Ok(Self { from: sender, to, real_time, reason, frozen_behaviour, request: from.u32()? })
    }

    pub(super) fn write(&self, to: &mut Vec<u8>) {
        self.from.write(to);
        self.to.write(to);
        self.real_time.write(to);
        to.put(&[self.reason, self.frozen_behaviour, 0, 0]);
        to.put_u32(self.request);
    }
}
