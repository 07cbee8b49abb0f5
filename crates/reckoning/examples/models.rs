//! The same state carried on by every model: where each believes the body to be.

use std::time::Duration;

use reckoning::dis::{DisAlgorithm, DisModel};
use reckoning::model::{Ballistic, CustomModel, Landing, Path, PathRide};
use reckoning::{ConfigError, Curve, CurveBasis, DVec3, Kinematics, Model, SimTime};

/// A model of the game's own: sways left and right while it goes on.
fn swaying(seen: &Kinematics, t_s: f64) -> DVec3 {
    seen.position + seen.velocity * t_s + DVec3::Y * libm::sin(4.0 * t_s)
}

fn main() -> Result<(), ConfigError> {
    let seen = Kinematics {
        velocity: DVec3::new(8.0, 0.0, 3.0),
        acceleration: DVec3::new(-2.0, 4.0, 0.0),
        angular_velocity: DVec3::Z * 0.8,
        ..Kinematics::at_rest(SimTime::ZERO, DVec3::ZERO)
    };
    let rail = [DVec3::ZERO, DVec3::new(10.0, 2.0, 0.0), DVec3::new(20.0, -4.0, 0.0)];
    let path = Path::spline(1, &rail, false)?.leak();
    let fade = Duration::from_millis(600);
    let models = [
        ("hold", Model::Hold),
        ("linear", Model::Linear),
        ("accelerating", Model::Accelerating { trust: Duration::from_millis(500) }),
        ("damped", Model::Damped { fade }),
        ("decaying", Model::Decaying { fade }),
        ("curve", Model::Curve(Curve::still(CurveBasis::FOUR)).fitted(&seen)),
        ("arc", Model::Arc),
        ("ballistic", Model::Ballistic(Ballistic::new(9.81, 0.0, Landing::Run)?)),
        ("path", Model::Path(PathRide::new(path, &seen))),
        ("DIS RVB", Model::Dis(DisModel::new(DisAlgorithm::Rvb))),
        ("custom", Model::Custom(CustomModel { id: 1, position_after: swaying })),
    ];
    println!("{:<13} {:>22} {:>22} {:>22}", "", "after 0.2 s", "1 s", "2 s");
    for (name, model) in models {
        print!("{name:<13}");
        for millis in [200, 1_000, 2_000] {
            let p = model.position_at(&seen, SimTime::from_millis(millis));
            print!(" {:>6.2} {:>7.2} {:>7.2}", p.x, p.y, p.z);
        }
        println!();
    }
    Ok(())
}
