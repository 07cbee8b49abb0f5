//! What the attacks ask of the host that differs from version to version.

use reckoning::SimTime;
use reckoning::rewind::{ShownAs, ShownUpdate};
use reckoning_net::{EntityId, Host, PeerId};

/// Claims that the picture at a moment was made of these datagrams' updates, by their arrivals.
/// Whether the host takes that.
pub fn refer(
    host: &mut Host,
    now: SimTime,
    (peer, target): (PeerId, EntityId),
    shown_at: SimTime,
    updates: &[(u16, SimTime)],
) -> bool {
    let named =
        |(key, arrived): &(u16, SimTime)| ShownUpdate { key: (*key).into(), arrived: *arrived };
    let named: Vec<ShownUpdate> = updates.iter().map(named).collect();
    let shown = ShownAs::new(shown_at, &named);
    matches!(host.handle_reference(now, peer, target, &shown), Some(Ok(())))
}
