//! Clients: join a game over the network, publish what is yours, show the rest.

use std::ffi::c_char;

use reckoning::ground::Pose;
use reckoning::{Kinematics, SimTime};
use reckoning_client::{
    Client, ClientConfig, ConnectError, Delivery, EntityId, SessionEvent, Status, Trust,
};

use crate::defs::check_size;
use crate::pointers;
use crate::result::{ReckField, ReckResult, ReckStatus, Refusal};
use crate::types::{Choice, ReckKinematics, ReckPose};
use crate::world::{Id, ReckWorldId, hand_out, id, within};

/// Names a client. All zero is none.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReckClientId {
    /// Its world.
    pub world: u32,
    /// Its place, from 1.
    pub index1: u32,
    /// How often the place was used.
    pub generation: u32,
}

/// Which servers a client trusts.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ReckTrust {
    /// Those whose certificate the system trusts, and on this machine those of the same user.
    SystemRoots = 0,
    /// The one whose certificate has this SHA-256.
    Pinned = 1,
}

/// How a message is delivered.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ReckDelivery {
    /// Once and in order.
    Reliable = 0,
    /// By the next few datagrams; lost if all are.
    Repeated = 1,
}

/// Settings of a client. Take it from reck_client_def_default().
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ReckClientDef {
    /// Set by reck_client_def_default().
    pub struct_size: u32,
    /// Which servers to trust. Default: RECK_TRUST_SYSTEM_ROOTS.
    pub trust: Choice<ReckTrust>,
    /// The server, as host:port. Must be set.
    pub server: *const c_char,
    /// The token to join with. Default: null, a random one.
    pub token: *const u8,
    /// Its length.
    pub token_length: usize,
    /// The SHA-256 of the certificate, for RECK_TRUST_PINNED.
    pub certificate: [u8; 32],
}

/// State of a client's connection.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ReckClientStatus {
    /// Connecting to the server, or asking to join.
    Connecting = 0,
    /// Joined: bodies are exchanged.
    Joined = 1,
    /// The connection was lost and is tried again after a while.
    Reconnecting = 2,
    /// Over for good.
    Over = 3,
}

/// What happened.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ReckEventKind {
    /// Something this interface does not tell more of.
    Other = 0,
    /// The server admitted us; the bytes are its welcome.
    Joined = 1,
    /// The session is over; the client comes back by itself, unless its status is over.
    Lost = 2,
    /// We own the entity from now on.
    Granted = 3,
    /// We no longer own the entity.
    Revoked = 4,
    /// The entity came into sight; the bytes are the game's own about it, `number` its kind.
    Entered = 5,
    /// The entity left our sight, or was despawned.
    Exited = 6,
    /// The server corrects an entity of ours: go on from the state.
    Corrected = 7,
    /// A message of the game; the bytes are it.
    Message = 8,
    /// A command of the game; the bytes are it.
    Command = 9,
    /// The server refused us or put us out; the bytes say why.
    Disconnected = 10,
}

/// The most bytes that come with an event.
pub const RECK_MAX_EVENT_BYTES: usize = 1200;

/// Something that happened.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ReckEvent {
    /// What.
    pub kind: ReckEventKind,
    /// To which entity, where it is about one.
    pub entity: u32,
    /// A number that goes with it.
    pub number: u32,
    /// How many bytes go with it; more than RECK_MAX_EVENT_BYTES are cut off.
    pub length: u32,
    /// A state that goes with it.
    pub state: ReckKinematics,
    /// The bytes.
    pub bytes: [u8; RECK_MAX_EVENT_BYTES],
}

id!(ReckClientId: Client);

pub struct ClientEntry {
    client: Client,
    poses: Vec<(EntityId, Pose)>,
}

/// The default: any server that the system trusts, and a random token.
#[unsafe(no_mangle)]
pub extern "C" fn reck_client_def_default() -> ReckClientDef {
    ReckClientDef {
        struct_size: size_of::<ReckClientDef>() as u32,
        trust: Choice::of(ReckTrust::SystemRoots as i32),
        server: std::ptr::null(),
        token: std::ptr::null(),
        token_length: 0,
        certificate: [0; 32],
    }
}

/// Begins to connect; an event tells when it is in.
///
/// # Safety
/// Pointers that are not null lead to a ReckClientDef, whose own lead to a text and to `token_length`
/// bytes, and a ReckClientId.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reck_client_connect(
    world: ReckWorldId,
    def: *const ReckClientDef,
    client: *mut ReckClientId,
) -> ReckResult {
    within(world.world, |inside| {
        // SAFETY: the caller vouches for the pointer; a def is made of numbers and pointers.
        let def = unsafe { pointers::read(def, ReckField::Def) }?;
        // SAFETY: the caller vouches for the pointers in it.
        let config = unsafe { def.config() }?;
        let client_itself = Client::connect(config).map_err(|error| refused(&error))?;
        let entry = ClientEntry { client: client_itself, poses: Vec::new() };
        // SAFETY: the caller vouches for the pointer.
        unsafe { hand_out(&mut inside.clients, world.world, entry, client) }.map(drop)
    })
    .into()
}

impl ReckClientDef {
    /// # Safety
    /// Pointers that are not null lead to a text, and to `token_length` bytes.
    unsafe fn config(&self) -> Result<ClientConfig, Refusal> {
        check_size::<Self>(self.struct_size)?;
        // SAFETY: the caller vouches for both.
        let (server, token) = unsafe {
            (
                pointers::text(self.server, ReckField::Server)?,
                pointers::bytes(self.token, self.token_length, ReckField::Token)?,
            )
        };
        let mut config = ClientConfig::new(&server);
        config.session.token = token;
        config.trust = match self.trust.0 {
            0 => Trust::SystemRoots,
            1 => Trust::Pinned(self.certificate),
            got => {
                let got = f64::from(got);
                return Err(Refusal::new(ReckStatus::OutOfRange, ReckField::Trust, got));
            }
        };
        Ok(config)
    }
}

fn refused(error: &ConnectError) -> Refusal {
    match error {
        ConnectError::Session(error) => (*error).into(),
        _ => Refusal::new(ReckStatus::Connect, ReckField::Server, 0.0),
    }
}

fn change(
    client: ReckClientId,
    act: impl FnOnce(&mut ClientEntry) -> Result<(), Refusal>,
) -> ReckResult {
    within(client.world, |inside| {
        act(inside.clients.get_mut(client.slot()).ok_or(ReckClientId::stale())?)
    })
    .into()
}

const fn done(is: bool) -> Result<(), Refusal> {
    if is { Ok(()) } else { Err(Refusal::new(ReckStatus::NotJoined, ReckField::Entity, 0.0)) }
}

/// Takes in what came and sends what is due; call it once a frame. `now_us` is the moment it looked at,
/// on the client's own timeline: what at_us means in its calls.
///
/// # Safety
/// A pointer that is not null leads to an int64_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reck_client_drive(client: ReckClientId, now_us: *mut i64) -> ReckResult {
    change(client, |entry| {
        let now = entry.client.drive();
        // SAFETY: the caller vouches for the pointer.
        unsafe { pointers::write(now_us, now.as_micros(), ReckField::Output) }
    })
}

/// The state of the connection.
///
/// # Safety
/// A pointer that is not null leads to a ReckClientStatus.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reck_client_status(
    client: ReckClientId,
    status: *mut ReckClientStatus,
) -> ReckResult {
    change(client, |entry| {
        let is = match entry.client.status() {
            Status::Connecting => ReckClientStatus::Connecting,
            Status::Joined => ReckClientStatus::Joined,
            Status::Reconnecting { .. } => ReckClientStatus::Reconnecting,
            _ => ReckClientStatus::Over,
        };
        // SAFETY: the caller vouches for the pointer.
        unsafe { pointers::write(status, is, ReckField::Output) }
    })
}

/// The next event; `has_event` says whether there was one. Poll until there is none.
///
/// # Safety
/// Pointers that are not null lead to a ReckEvent and a bool.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reck_client_poll_event(
    client: ReckClientId,
    event: *mut ReckEvent,
    has_event: *mut bool,
) -> ReckResult {
    change(client, |entry| {
        if event.is_null() {
            return Err(Refusal::null(ReckField::Output));
        }
        // SAFETY: the caller vouches for both; written first, so that no event is lost to null.
        unsafe { pointers::write(has_event, false, ReckField::Output) }?;
        if let Some(happened) = entry.client.poll_event() {
            // SAFETY: as above.
            unsafe {
                pointers::write(event, ReckEvent::from(&happened), ReckField::Output)?;
                pointers::write(has_event, true, ReckField::Output)?;
            }
        }
        Ok(())
    })
}

impl From<&SessionEvent> for ReckEvent {
    fn from(event: &SessionEvent) -> Self {
        use ReckEventKind as Is;
        let of = |kind, entity: EntityId| Self::new(kind, entity.0, 0, &[]);
        match event {
            SessionEvent::Joined { peer, welcome } => Self::new(Is::Joined, 0, peer.0, welcome),
            SessionEvent::Lost => Self::new(Is::Lost, 0, 0, &[]),
            SessionEvent::Granted(entity) => of(Is::Granted, *entity),
            SessionEvent::Revoked(entity) => of(Is::Revoked, *entity),
            SessionEvent::Entered { entity, kind, tag, .. } => {
                Self::new(Is::Entered, entity.0, u32::from(kind.number()), tag)
            }
            SessionEvent::Exited { entity, .. } => of(Is::Exited, *entity),
            SessionEvent::Corrected { entity, state } => {
                Self { state: state.into(), ..of(Is::Corrected, *entity) }
            }
            SessionEvent::Message(bytes) => Self::new(Is::Message, 0, 0, bytes),
            SessionEvent::Command(bytes) => Self::new(Is::Command, 0, 0, bytes),
            SessionEvent::Disconnected(why) => {
                Self::new(Is::Disconnected, 0, 0, format!("{why:?}").as_bytes())
            }
            SessionEvent::Kicked { words, .. } => {
                Self::new(Is::Disconnected, 0, 0, words.as_bytes())
            }
            _ => Self::new(Is::Other, 0, 0, &[]),
        }
    }
}

impl ReckEvent {
    fn new(kind: ReckEventKind, entity: u32, number: u32, from: &[u8]) -> Self {
        let mut bytes = [0; RECK_MAX_EVENT_BYTES];
        for (to, byte) in bytes.iter_mut().zip(from) {
            *to = *byte;
        }
        let state = (&Kinematics::default()).into();
        let length = from.len().min(RECK_MAX_EVENT_BYTES) as u32;
        Self { kind, entity, number, length, state, bytes }
    }
}

/// Says where an entity of ours is; updates are sent when others need them. Refused while it is not
/// ours, or the server's clock is not known yet.
///
/// # Safety
/// A pointer that is not null leads to a ReckKinematics.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reck_client_observe(
    client: ReckClientId,
    entity: u32,
    truth: *const ReckKinematics,
) -> ReckResult {
    change(client, |entry| {
        // SAFETY: the caller vouches for the pointer; it is made of numbers.
        let truth = Kinematics::from(&unsafe { pointers::read(truth, ReckField::Truth) }?);
        truth.validate()?;
        done(entry.client.observe(EntityId(entity), &truth))
    })
}

/// Says that an entity of ours is elsewhere at once, without moving there.
///
/// # Safety
/// A pointer that is not null leads to a ReckKinematics.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reck_client_teleport(
    client: ReckClientId,
    entity: u32,
    truth: *const ReckKinematics,
) -> ReckResult {
    change(client, |entry| {
        // SAFETY: the caller vouches for the pointer; it is made of numbers.
        let truth = Kinematics::from(&unsafe { pointers::read(truth, ReckField::Truth) }?);
        truth.validate()?;
        done(entry.client.teleport(EntityId(entity), &truth))
    })
}

/// Aims a joint of an entity of ours, each frame; joints count from 0 in the order of its kind.
#[unsafe(no_mangle)]
pub extern "C" fn reck_client_aim(
    client: ReckClientId,
    entity: u32,
    joint: u32,
    angle_rad: f64,
    rate_radps: f64,
) -> ReckResult {
    change(client, |entry| {
        done(entry.client.aim(EntityId(entity), joint as usize, angle_rad, rate_radps))
    })
}

/// The angle at which to draw a joint of an entity of others.
///
/// # Safety
/// A pointer that is not null leads to a double.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reck_client_joint_angle(
    client: ReckClientId,
    entity: u32,
    joint: u32,
    now_us: i64,
    angle_rad: *mut f64,
) -> ReckResult {
    change(client, |entry| {
        let now = SimTime::from_micros(now_us);
        let angle = entry.client.joint_at(EntityId(entity), joint as usize, now);
        let unknown = Refusal::new(ReckStatus::OutOfRange, ReckField::Joint, f64::from(joint));
        // SAFETY: the caller vouches for the pointer.
        unsafe { pointers::write(angle_rad, angle.ok_or(unknown)?, ReckField::Output) }
    })
}

/// Where and how to draw all entities of others now, in order of their numbers. Both lists have room for
/// `capacity`; `count` is how many there are.
///
/// # Safety
/// Pointers that are not null lead to `capacity` values of uint32_t and of ReckPose, and a size_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reck_client_poses(
    client: ReckClientId,
    now_us: i64,
    entities: *mut u32,
    poses: *mut ReckPose,
    capacity: usize,
    count: *mut usize,
) -> ReckResult {
    change(client, |entry| {
        entry.client.poses_into(SimTime::from_micros(now_us), &mut entry.poses);
        let there = entry.poses.len();
        // SAFETY: the caller vouches for the pointer.
        unsafe { pointers::write(count, there, ReckField::Output) }?;
        if there > capacity {
            return Err(Refusal::new(ReckStatus::TooShort, ReckField::List, there as f64));
        }
        for (index, (entity, pose)) in entry.poses.iter().enumerate() {
            // SAFETY: `index < there <= capacity`, for which the caller vouches.
            unsafe {
                pointers::write_at(entities, index, entity.0, ReckField::Output)?;
                pointers::write_at(poses, index, (*pose).into(), ReckField::Output)?;
            }
        }
        Ok(())
    })
}

/// Sends a message of the game to the server.
///
/// # Safety
/// A pointer that is not null leads to `count` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reck_client_send(
    client: ReckClientId,
    bytes: *const u8,
    count: usize,
    delivery: Choice<ReckDelivery>,
) -> ReckResult {
    change(client, |entry| {
        // SAFETY: the caller vouches for `count` bytes.
        let bytes = unsafe { pointers::bytes(bytes, count, ReckField::Message) }?;
        let delivery = match delivery.0 {
            0 => Delivery::Reliable,
            1 => Delivery::Repeated,
            got => {
                let got = f64::from(got);
                return Err(Refusal::new(ReckStatus::OutOfRange, ReckField::Delivery, got));
            }
        };
        let full = |_| Refusal::new(ReckStatus::NotJoined, ReckField::Message, count as f64);
        entry.client.send(&bytes, delivery).map_err(full)
    })
}

/// Leaves the game and forgets the client.
#[unsafe(no_mangle)]
pub extern "C" fn reck_client_destroy(client: ReckClientId) -> ReckResult {
    within(client.world, |inside| {
        let mut entry = inside.clients.remove(client.slot()).ok_or(ReckClientId::stale())?;
        entry.client.leave();
        Ok(())
    })
    .into()
}
