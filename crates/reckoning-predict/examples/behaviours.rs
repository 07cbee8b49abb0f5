//! A player whose friend waits behind a wall: where each behaviour thinks he goes, and the
//! curve that tells everyone else.

use std::time::Duration;

use reckoning::{CurveBasis, DVec3, Kinematics, SimTime};
use reckoning_predict::{
    Behaviour, Interest, InterestConfig, InterestHybrid, KnownBody, Outline, Patterns,
    PatternsConfig, PatternsHybrid, Routes, RoutesConfig, Scene, Wall, Walls,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // In pixels, as in the game the settings come from.
    let running =
        |x: f64, y: f64, v: DVec3| Kinematics::moving(SimTime::ZERO, DVec3::new(x, y, 0.0), v);
    let mut player = KnownBody::new(1, 0, running(0.0, 0.0, DVec3::Y * -120.0));
    player.top_speed_mps = 240.0;
    let friend = KnownBody::new(2, 0, running(300.0, 0.0, DVec3::ZERO));
    let mut enemy = KnownBody::new(3, 1, running(80.0, -200.0, DVec3::ZERO));
    enemy.health = 0.4;
    let bodies = [player, friend, enemy];

    let wall = Outline::Line(DVec3::new(150.0, -80.0, 0.0), DVec3::new(150.0, 400.0, 0.0));
    let walls = Walls::new([Wall::from(wall)])?;
    let mut fine = RoutesConfig::default();
    (fine.cell_m, fine.clearance_m) = (32.0, 20.0);
    let routes = Routes::new(walls.clone(), fine)?;
    let mut scene = Scene::new(&bodies, &[]);
    (scene.walls, scene.routes) = (Some(&walls), Some(&routes));

    let mut avoiding = PatternsConfig::default();
    avoiding.avoid_walls = true;
    let (ekb, oaekb) = (Patterns::new(PatternsConfig::default())?, Patterns::new(avoiding)?);
    let interest = Interest::new(InterestConfig::default())?;
    let mut places = [DVec3::ZERO; 3];
    println!(
        "                   after 0.7 s      after 1.4 s      after 2.1 s   planned for 2.1 s"
    );
    for (name, behaviour) in [
        ("straight", Behaviour::Straight),
        ("patterns", Behaviour::Patterns(ekb)),
        ("round the wall", Behaviour::Patterns(oaekb)),
        ("hybrid", Behaviour::PatternsHybrid(PatternsHybrid::new(oaekb))),
        ("interest", Behaviour::Interest(interest)),
        ("its hybrid", Behaviour::InterestHybrid(InterestHybrid::new(interest))),
    ] {
        behaviour.roll_out(&scene, 1, &[0.7, 1.4, 2.1], &mut places);
        print!("{name:<14}");
        for place in places {
            print!("  {:>6.0}, {:>6.0} ", place.x, place.y);
        }
        if let Some(curve) = behaviour.planned_curve(&scene, 1, 2.1, CurveBasis::THREE) {
            let seen = &player.kinematics;
            let planned = curve.position_at(seen, seen.at + Duration::from_millis(2100));
            println!("  {:>6.0}, {:>6.0}", planned.x, planned.y);
        }
    }
    Ok(())
}
