//! The train rides its track, and little more than its progress travels.

use reckoning::model::Path;
use reckoning_arena::hills::Craft;
use reckoning_arena::hills::protocol::HillsTuning;
use reckoning_arena::protocol::LinkChoice;
use reckoning_lab::hills::{LINKS, UpdateCost, link_config};

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

/// What updates of the train's cars took in a minute over a link, and the most that it strayed.
fn ridden(train_on_path: bool, link: LinkChoice) -> (UpdateCost, f64) {
    let tuning = HillsTuning { train_on_path, ..HillsTuning::default() };
    let mut chain = chain(6, 7, tuning);
    chain.join(link_config(link, 7), true).unwrap();
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
fn no_update_of_the_train_takes_more_than_four_bytes() {
    for (name, link) in LINKS {
        let (cost, worst_m) = ridden(true, link);
        let most = cost.most_bits as f64 / 8.0;
        println!(
            "{name}: {:.2} bytes an update, {most} at most, {worst_m:.2} m off",
            cost.bytes_each()
        );
        assert!(cost.updates > 60, "{name}: {cost:?}");
        assert!(cost.bytes_each() <= 3.5, "{name}: {cost:?}");
        assert!(cost.most_bits <= 32, "{name}: {most} bytes in one update, {cost:?}");
    }
}

#[test]
fn on_its_track_the_train_costs_less_than_half() {
    let ((on_path, worst_m), (free, _)) = (ridden(true, STEADY), ridden(false, STEADY));
    assert!(free.bits > 2 * on_path.bits, "{free:?} without the path, {on_path:?} on it");
    assert!(worst_m < 1.0, "{worst_m} m off");
}
