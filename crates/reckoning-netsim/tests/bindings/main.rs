//! The golden scenes that bindings to other languages replay are what this engine makes of them.

mod scenes;

const COMMITTED: &str = include_str!("../../../../testdata/bindings/golden.txt");

#[test]
fn the_scenes_that_bindings_replay_are_what_the_engine_makes_of_them() {
    let made = scenes::script();
    let differs = made.lines().zip(COMMITTED.lines()).position(|(made, kept)| made != kept);

    assert_eq!(differs, None, "first line that differs, from 0; cargo xtask tables writes it anew");
    assert_eq!(made.len(), COMMITTED.len(), "cargo xtask tables writes it anew");
}

#[test]
fn the_car_of_the_readme_needs_29_updates() {
    let car = COMMITTED.split("scene ").find(|it| it.starts_with("car\n")).expect("it is there");
    let sent = car.lines().filter(|it| it.starts_with("truth ") && !it.ends_with(" -")).count();

    assert_eq!(sent, 29);
}

#[test]
fn the_links_of_the_walks_lose_and_reorder() {
    for name in ["walk", "late"] {
        let scene = COMMITTED.split("scene ").find(|it| it.starts_with(name)).expect("it is there");
        let sent =
            scene.lines().filter(|it| it.starts_with("truth ") && !it.ends_with(" -")).count();
        let mut arrived: Vec<usize> = scene
            .lines()
            .filter_map(|it| it.strip_prefix("arrive "))
            .map(|it| it.split(' ').nth(1).expect("an index").parse().expect("a number"))
            .collect();

        assert!(!arrived.is_sorted(), "{name}: nothing overtook");
        arrived.sort_unstable();
        arrived.dedup();
        assert!(arrived.len() < sent, "{name}: {} of {sent}, nothing was lost", arrived.len());
    }
}
