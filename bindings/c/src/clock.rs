//! Clocks: the time of another machine, from timestamped exchanges.

use reckoning::clock::{ClockConfig, Exchange, Exchanged};
use reckoning::{ClockSync, SimTime};

use crate::pointers;
use crate::result::{ReckField, ReckResult, ReckStatus, Refusal};
use crate::world::{Id, ReckWorldId, hand_out, id, within};

/// Names a clock. All zero is none.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReckClockId {
    /// Its world.
    pub world: u32,
    /// Its place, from 1.
    pub index1: u32,
    /// How often the place was used.
    pub generation: u32,
}

/// A question and its answer, each moment in microseconds.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReckExchange {
    /// When the question left, by the local clock.
    pub sent_us: i64,
    /// When it came in, by the remote clock.
    pub received_us: i64,
    /// When the answer left, by the remote clock.
    pub answered_us: i64,
    /// When the answer came in, by the local clock.
    pub returned_us: i64,
}

/// What became of an exchange.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReckExchanged {
    /// It agrees with the others, or is the first.
    Used = 0,
    /// It contradicts the others and waits for more that agree with it.
    Doubted = 1,
    /// It was the last proof that a clock was set; the estimate starts anew.
    Restarted = 2,
    /// Its moments contradict each other or it took too long; nothing changed.
    Refused = 3,
}

id!(ReckClockId: Clock);

/// Makes an estimate of another machine's clock, by the defaults: a game over the Internet.
///
/// # Safety
/// A pointer that is not null leads to a ReckClockId.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reck_clock_create(
    world: ReckWorldId,
    clock: *mut ReckClockId,
) -> ReckResult {
    within(world.world, |inside| {
        let sync = ClockSync::new(ClockConfig::default())?;
        // SAFETY: the caller vouches for the pointer.
        unsafe { hand_out(&mut inside.clocks, world.world, sync, clock) }.map(drop)
    })
    .into()
}

/// Takes an exchange. `became` may be null.
///
/// # Safety
/// Pointers that are not null lead to a ReckExchange and a ReckExchanged.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reck_clock_exchange(
    clock: ReckClockId,
    exchange: *const ReckExchange,
    became: *mut ReckExchanged,
) -> ReckResult {
    within(clock.world, |inside| {
        // SAFETY: the caller vouches for the pointer; it is made of numbers.
        let it = unsafe { pointers::read(exchange, ReckField::Truth) }?;
        let sync = inside.clocks.get_mut(clock.slot()).ok_or(ReckClockId::stale())?;
        let [sent, received, answered, returned] =
            [it.sent_us, it.received_us, it.answered_us, it.returned_us].map(SimTime::from_micros);
        let exchanged = match sync.handle_exchange(&Exchange { sent, received, answered, returned })
        {
            Exchanged::Used => ReckExchanged::Used,
            Exchanged::Doubted => ReckExchanged::Doubted,
            Exchanged::Restarted => ReckExchanged::Restarted,
            _ => ReckExchanged::Refused,
        };
        // SAFETY: the caller vouches for the pointer.
        unsafe { pointers::write_if_wanted(became, exchanged) };
        Ok(())
    })
    .into()
}

/// The time of the other clock when ours shows `local_us`. Refused until an exchange was used.
///
/// # Safety
/// A pointer that is not null leads to an int64_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reck_clock_remote_at(
    clock: ReckClockId,
    local_us: i64,
    remote_us: *mut i64,
) -> ReckResult {
    within(clock.world, |inside| {
        let sync = inside.clocks.get(clock.slot()).ok_or(ReckClockId::stale())?;
        let unknown = Refusal::new(ReckStatus::NotJoined, ReckField::Clock, 0.0);
        let remote = sync.remote_at(SimTime::from_micros(local_us)).ok_or(unknown)?;
        // SAFETY: the caller vouches for the pointer.
        unsafe { pointers::write(remote_us, remote.as_micros(), ReckField::Output) }
    })
    .into()
}

/// When to ask again, if the last question left at `last_sent_us`.
///
/// # Safety
/// A pointer that is not null leads to an int64_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reck_clock_next_exchange(
    clock: ReckClockId,
    last_sent_us: i64,
    next_us: *mut i64,
) -> ReckResult {
    within(clock.world, |inside| {
        let sync = inside.clocks.get(clock.slot()).ok_or(ReckClockId::stale())?;
        let next = sync.next_exchange(Some(SimTime::from_micros(last_sent_us)));
        // SAFETY: the caller vouches for the pointer.
        unsafe { pointers::write(next_us, next.as_micros(), ReckField::Output) }
    })
    .into()
}

/// Forgets a clock.
#[unsafe(no_mangle)]
pub extern "C" fn reck_clock_destroy(clock: ReckClockId) -> ReckResult {
    within(clock.world, |inside| {
        inside.clocks.remove(clock.slot()).map(drop).ok_or(ReckClockId::stale())
    })
    .into()
}
