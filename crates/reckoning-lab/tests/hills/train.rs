//! The train rides its track, and little more than its progress travels.

use reckoning::model::Path;
use reckoning_arena::hills::Craft;
use reckoning_arena::hills::protocol::HillsTuning;
use reckoning_lab::hills::{UpdateCost, link_config};

use super::{MOBILE, STEADY, chain, frames, watched};

/// How far from its track a place is.
fn beside_m(track: &Path, place: reckoning::DVec3) -> f64 {
    track.place_at(track.nearest_m(place)).0.distance(place)
}

#[test]
fn the_train_is_never_drawn_off_its_track() {
    let mut chain = watched(0, 7, MOBILE);
    frames(&mut chain, 480);
    let track = chain.level().lasting_track();
    let (mut seen, mut went_m) = (0, 0.0);
    for _ in 0..2_400 {
        chain.frame(super::idle);
        for body in chain.hills.world().bodies().iter().filter(|it| it.craft == Craft::Train) {
            let entity = chain.hills.entity_of(body.id).unwrap();
            let shown = chain.clients[0].session.shown(entity, chain.now).unwrap();
            let off_m = beside_m(track, shown.position);
            assert!(off_m < 0.02, "{off_m} m off its track");
            (seen, went_m) = (seen + 1, went_m + body.velocity.length() / 60.0);
        }
    }
    assert!(seen > 7_000 && went_m > 500.0, "{seen} pictures, {went_m} m");
}

/// What updates of the train's cars took in a minute, and the most that it strayed.
fn ridden(train_on_path: bool) -> (UpdateCost, f64) {
    let tuning = HillsTuning { train_on_path, ..HillsTuning::default() };
    let mut chain = chain(0, 7, tuning);
    chain.join(link_config(STEADY, 7), true).unwrap();
    frames(&mut chain, 600);
    chain.costs.clear();
    let mut worst_m = 0.0_f64;
    for _ in 0..3_600 {
        chain.frame(super::idle);
        for body in chain.hills.world().bodies().iter().filter(|it| it.craft == Craft::Train) {
            let entity = chain.hills.entity_of(body.id).unwrap();
            let shown = chain.clients[0].session.shown(entity, chain.now).unwrap();
            worst_m = worst_m.max(shown.position.distance(body.position));
        }
    }
    let cars = chain.hills.world().bodies().iter().filter(|it| it.craft == Craft::Train);
    let costs = cars.filter_map(|it| chain.costs.get(&chain.hills.entity_of(it.id)?));
    (costs.fold(UpdateCost::default(), |sum, it| sum.plus(*it)), worst_m)
}

#[test]
fn an_update_of_the_train_costs_at_most_four_bytes_on_average() {
    let (on_path, worst_m) = ridden(true);
    println!("{} bytes an update, {on_path:?}", on_path.bytes_each());
    assert!(on_path.updates > 60, "{on_path:?}");
    assert!(on_path.bytes_each() <= 4.0, "{} bytes each, {on_path:?}", on_path.bytes_each());
    // An update off an old baseline says more.
    assert!(on_path.most_bits <= 6 * 8, "{on_path:?}");
    let (free, _) = ridden(false);
    assert!(free.bits > 2 * on_path.bits, "{free:?} without the path, {on_path:?} on it");
    assert!(worst_m < 1.0, "{worst_m} m off");
}
