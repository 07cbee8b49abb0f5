//! Shells land where everyone sees them land.

use std::collections::BTreeMap;

use reckoning::DVec3;
use reckoning_arena::hills::{HillsEvent, HillsWorld, Shell};
use reckoning_lab::hills::link_config;
use reckoning_net::EntityId;

use super::{MOBILE, STEADY, watched};

#[test]
fn every_client_computes_where_a_shell_lands_to_half_a_metre() {
    let mut chain = watched(12, 4, MOBILE);
    chain.join(link_config(STEADY, 8), true).unwrap();
    // By client and entity: where it will land as the newest update says.
    let mut landings: BTreeMap<(usize, EntityId), DVec3> = BTreeMap::new();
    let mut shells: BTreeMap<u32, (EntityId, Shell)> = BTreeMap::new();
    let (mut judged, mut late, mut worst_m) = (0, 0, 0.0_f64);
    for _ in 0..7_200 {
        chain.frame(super::idle);
        let world = chain.hills.world();
        for shell in world.shells() {
            if let Some(entity) = chain.hills.shell_entity(shell.number) {
                shells.insert(shell.number, (entity, *shell));
            }
        }
        for (place, client) in chain.clients.iter().enumerate() {
            for (entity, _) in shells.values() {
                let Some((_, remote)) = client.session.ghosts().find(|it| it.0 == *entity) else {
                    continue;
                };
                let seen = remote.ghost().update().kinematics();
                let lands = HillsWorld::landing(chain.level(), seen.position, seen.velocity);
                landings.insert((place, *entity), lands.1);
            }
        }
        for event in world.events() {
            let HillsEvent::Burst { number, at } = *event else { continue };
            let Some((entity, shell)) = shells.remove(&number) else { continue };
            // A body in the way is no ground.
            let (_, lands) = HillsWorld::landing(chain.level(), shell.from, shell.velocity);
            if lands.distance(at) > 1e-6 {
                continue;
            }
            for place in 0..chain.clients.len() {
                let Some(lands) = landings.get(&(place, entity)) else {
                    late += 1;
                    continue;
                };
                let off_m = lands.distance(at);
                assert!(off_m < 0.5, "shell {number} lands {off_m} m off for client {place}");
                (judged, worst_m) = (judged + 1, worst_m.max(off_m));
            }
        }
    }
    println!("{judged} landings, {worst_m:.3} m off at worst, {late} not seen in time");
    assert!(judged > 20, "{judged} landings, {late} not seen in time: the test sees nothing");
}
