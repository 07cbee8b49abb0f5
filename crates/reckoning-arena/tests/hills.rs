//! What the rules of the hills promise.

use reckoning::ground::Pose;
use reckoning_arena::hills::{Body, HillsBots, HillsEvent, HillsLevel, HillsWorld, depth_m};
use reckoning_arena::hills::{Craft, DriverInput};

fn game(bots: usize, seed: u64) -> (HillsWorld, HillsBots) {
    let mut world = HillsWorld::new(HillsLevel::built_in(), seed);
    for number in 0..bots {
        let craft = if number % 3 == 2 { Craft::Car } else { Craft::Tank };
        world.try_join(craft, false).unwrap();
    }
    (world, HillsBots::new(seed))
}

fn depth_of(body: &Body, world: &HillsWorld) -> f64 {
    let pose = Pose { position: body.position, orientation: body.orientation };
    depth_m(body.craft, pose, world.level().ground())
}

#[test]
fn driven_bodies_stand_on_the_ground_out_of_the_lake_and_inside() {
    for seed in 1..=3 {
        let (mut world, mut bots) = game(16, seed);
        for tick in 0..3600 {
            let inputs = bots.decide(&world).to_vec();
            world.step(&inputs);
            let level = world.level();
            for body in world.bodies().iter().filter(|it| it.craft.is_grounded() && it.is_alive) {
                let at = body.position;
                assert!(depth_of(body, &world).abs() < 0.01, "seed {seed} tick {tick}: {body:?}");
                assert!(at.z > level.file().water_m - 0.5, "seed {seed} tick {tick}: {body:?}");
                let inside = |it: f64| (0.0..=level.size_m()).contains(&it);
                assert!(inside(at.x) && inside(at.y), "seed {seed} tick {tick}: {body:?}");
            }
        }
    }
}

#[test]
fn everyone_is_born_and_the_scenery_moves() {
    let (mut world, _) = game(4, 1);
    world.step(&[]);
    let born = world.events().iter().filter(|it| matches!(it, HillsEvent::Born { .. })).count();
    assert_eq!(born, 4);
    let before: Vec<_> = world.bodies().to_vec();
    for _ in 0..60 {
        world.step(&[(before[0].id, DriverInput::default())]);
    }
    for (was, is) in before.iter().zip(world.bodies()) {
        let far_m = was.position.distance(is.position);
        assert!(is.craft.is_driven() || far_m > 1.0, "{:?} went {far_m} m", is.craft);
        assert!(is.position.is_finite() && is.orientation.is_normalized());
    }
}

fn refusal(from: &str, to: &str) -> String {
    let text = HillsLevel::built_in_text();
    assert!(text.contains(from), "the built-in level has no `{from}`");
    HillsLevel::parse(&text.replacen(from, to, 1)).unwrap_err().to_string()
}

#[test]
fn what_is_wrong_with_a_level_is_named_with_its_value_and_a_remedy() {
    for (from, to, said) in [
        ("detail = 2", "detail = 9", "ground.detail is 9; give a number from 1 to 8"),
        ("name = \"flock\"", "name = \"geese\"", "there is no route called `flock`; add one"),
        ("water_m = 6.0", "water_m = 60.0", "m under water; move it to dry land or lower water_m"),
        ("acceleration_mps2 = 6.5", "acceleration_mps2 = 2.5", "climb_deg 32 needs 5.7; raise"),
        ("to = [345.0, 300.0, 11.2]", "to = [345.0, 300.0, 31.2]", "they must meet within 1.5 m"),
        ("heights = \"\"\"\n", "heights = \"\"\"\n7 x\n", "row 1 of ground.heights has `x`"),
        ("heights = \"\"\"\n", "heights = \"\"\"\n7 8\n", "where row 1 has 2; every row needs"),
        ("height_m = 7.0", "height_m = 1.0", "height_m of tunnel `ridge tunnel` is 1; give"),
    ] {
        let got = refusal(from, to);
        assert!(got.contains(said), "{to}: {got}");
    }
}
