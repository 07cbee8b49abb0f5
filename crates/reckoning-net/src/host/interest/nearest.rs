//! Nearest few: of what is in reach only so many entities are in an interest set, so that what a
//! peer costs does not grow with how many stand around it.

use alloc::vec::Vec;

use super::{NearbyEntity, may_enter, zone_class};
use crate::host::connections::Peer;
use crate::host::entities::EntityTable;

/// An entity in reach, as it compares with others that share a limit.
struct Ranked {
    /// Whose zones limit it.
    zones: usize,
    /// What is in the set already counts as nearer, by the hysteresis.
    squared_m2: f64,
    /// At one distance, what is in the set stays.
    is_new: bool,
    /// Its place among those in reach.
    place: usize,
}

/// Leaves only the nearest in reach, where zones say how many.
pub(super) fn keep_nearest(peer: &Peer, entities: &EntityTable, nearby: &mut Vec<NearbyEntity>) {
    if !entities.limits_nearest {
        return;
    }
    let mut ranked = rank(peer, entities, nearby);
    ranked.sort_unstable_by(|a, b| {
        let by_distance = a.zones.cmp(&b.zones).then(a.squared_m2.total_cmp(&b.squared_m2));
        by_distance.then(a.is_new.cmp(&b.is_new)).then(a.place.cmp(&b.place))
    });
    let (mut count, mut of) = (0, usize::MAX);
    for it in &ranked {
        count = if it.zones == of { count + 1 } else { 1 };
        of = it.zones;
        if entities.nearest_in(it.zones).is_some_and(|most| count > most)
            && let Some(entity) = nearby.get_mut(it.place)
        {
            entity.is_left_out = true;
        }
    }
    nearby.retain(|it| !it.is_left_out);
}

/// Those that would be in the set but for a limit.
fn rank(peer: &Peer, entities: &EntityTable, nearby: &[NearbyEntity]) -> Vec<Ranked> {
    // Both are in order of id.
    let mut states = peer.entity_states.iter().peekable();
    let mut ranked = Vec::with_capacity(nearby.len());
    for (place, it) in nearby.iter().enumerate() {
        while states.next_if(|state| state.entity < it.id).is_some() {}
        let state = states.peek().filter(|state| state.entity == it.id && state.is_shown());
        let Some((zones, hysteresis)) = entities.limit_at(it.slot) else { continue };
        let class = state.map(|state| state.class);
        if !may_enter(peer, entities, it) || zone_class(entities, it, class).is_none() {
            continue;
        }
        let nearer = if class.is_some() { 1.0 + hysteresis } else { 1.0 };
        let squared_m2 = it.distance_squared_m2 / (nearer * nearer);
        ranked.push(Ranked { zones, squared_m2, is_new: class.is_none(), place });
    }
    ranked
}
