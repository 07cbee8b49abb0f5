//! Cost of a prediction: nanoseconds per step of each behaviour, in a level of SHI's size,
//! for 15 and for 150 players. Run with `--release`.

use std::time::{Duration, Instant};

use reckoning::error::TerrainError;
use reckoning::random::SplitMix64;
use reckoning::{ConfigError, DVec3, Kinematics, SimTime};
use reckoning_predict::{
    Behaviour, Interest, InterestConfig, InterestHybrid, Item, KnownBody, Outline, Patterns,
    PatternsConfig, PatternsHybrid, Pheromone, PheromoneConfig, PheromoneMap, Restores, Routes,
    RoutesConfig, Scene, Trended, TrendedConfig, Wall, Walls,
};

const HORIZONS_S: [f64; 7] = [0.3, 0.6, 0.9, 1.2, 1.5, 1.8, 2.1];
/// 2.1 s at 60 Hz, the unit all behaviours are counted in, whatever slices they take.
const STEPS: f64 = 126.0;

/// A whole number from 0 up to `below`, from a seeded generator.
struct Scatter(SplitMix64);

impl Scatter {
    fn roll(&mut self, below: f64) -> f64 {
        self.0.between(0.0, below)
    }

    /// Somewhere in a level of 5120 by 4096.
    fn place(&mut self) -> DVec3 {
        DVec3::new(self.roll(5120.0), self.roll(4096.0), 0.0)
    }
}

/// Players of two teams, none of them in a wall.
fn players(random: &mut Scatter, count: u32, walls: &Walls) -> Vec<KnownBody> {
    let player = |id: u32| {
        let velocity = DVec3::new(random.roll(600.0) - 300.0, random.roll(600.0) - 300.0, 0.0);
        let mut place = random.place();
        while walls.inside(place) {
            place = random.place();
        }
        let seen = Kinematics::moving(SimTime::ZERO, place, velocity);
        let mut player = KnownBody::new(id, i32::from(id.is_multiple_of(2)), seen);
        (player.health, player.max_health) = (random.roll(100.0) as f32, 100.0);
        (player.ammo, player.max_ammo) = (random.roll(30.0) as f32, 30.0);
        player.top_speed_mps = 400.0;
        player.steady = Duration::from_secs_f64(random.roll(2.0));
        player
    };
    (0..count).map(player).collect()
}

fn walls(random: &mut Scatter) -> Result<Walls, TerrainError> {
    Walls::new((0..60).map(|_| {
        let (half_x_m, half_y_m) = (30.0 + random.roll(200.0), 30.0 + random.roll(200.0));
        Wall::from(Outline::Box { center: random.place(), half_x_m, half_y_m, yaw_rad: 0.0 })
    }))
}

fn behaviours() -> Result<Vec<(&'static str, Behaviour)>, ConfigError> {
    let mut avoiding = PatternsConfig::default();
    avoiding.avoid_walls = true;
    let (ekb, oaekb) = (Patterns::new(PatternsConfig::default())?, Patterns::new(avoiding)?);
    let interest = Interest::new(InterestConfig::default())?;
    Ok(vec![
        ("straight", Behaviour::Straight),
        ("ekb", Behaviour::Patterns(ekb)),
        ("oaekb", Behaviour::Patterns(oaekb)),
        ("hybrid ekb", Behaviour::PatternsHybrid(PatternsHybrid::new(ekb))),
        ("hybrid oaekb", Behaviour::PatternsHybrid(PatternsHybrid::new(oaekb))),
        ("interest", Behaviour::Interest(interest)),
        ("hm", Behaviour::InterestHybrid(InterestHybrid::new(interest))),
        ("pheromone", Behaviour::Pheromone(Pheromone::new(PheromoneConfig::default())?)),
        ("trended", Behaviour::Trended(Trended::new(TrendedConfig::default())?)),
    ])
}

/// Nanoseconds per step, over some scenes that each predict everyone. The building of the
/// scenes is counted in.
fn cost_ns(behaviour: &Behaviour, count: u32, level: &(Routes, PheromoneMap)) -> f64 {
    let mut random = Scatter(SplitMix64::new(7));
    // The figures of a debug build mean nothing; one scene shows that it runs.
    let scenes = if cfg!(debug_assertions) { 1 } else { 3000 / count };
    let items: Vec<Item> = (0..20)
        .map(|_| Item { position: random.place(), restores: Restores::Health, worth: 25.0 })
        .collect();
    let ticks: Vec<_> = (0..scenes).map(|_| players(&mut random, count, level.0.walls())).collect();
    let total: f64 = ticks.iter().map(|bodies| tick_s(behaviour, bodies, &items, level)).sum();
    total * 1e9 / (ticks.len() as f64 * f64::from(count) * STEPS)
}

/// Seconds to build one scene and predict everyone in it; the best of a few, as other
/// programs run too.
#[expect(clippy::disallowed_methods, reason = "a timing reads the clock")]
fn tick_s(
    behaviour: &Behaviour,
    bodies: &[KnownBody],
    items: &[Item],
    level: &(Routes, PheromoneMap),
) -> f64 {
    let mut out = [DVec3::ZERO; HORIZONS_S.len()];
    let once = |_| {
        let begin = Instant::now();
        let mut scene = Scene::new(bodies, items);
        (scene.routes, scene.walls) = (Some(&level.0), Some(level.0.walls()));
        scene.pheromones = Some(&level.1);
        for body in bodies {
            behaviour.roll_out(&scene, body.id, &HORIZONS_S, &mut out);
            std::hint::black_box(&mut out);
        }
        begin.elapsed().as_secs_f64()
    };
    (0..5).map(once).fold(f64::INFINITY, f64::min)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let only = std::env::args().nth(1).unwrap_or_default();
    let mut random = Scatter(SplitMix64::new(1));
    let mut config = RoutesConfig::default();
    (config.cell_m, config.clearance_m, config.goals) = (64.0, 30.0, 8192);
    let routes = Routes::new(walls(&mut random)?, config)?;
    let mut trails = PheromoneMap::new(DVec3::ZERO, 64.0, 80, 64, Duration::from_secs(20))?;
    (0..20_000).for_each(|_| trails.deposit(random.place(), 0.1));
    let level = (routes, trails);
    println!("ns per step      15 players   150 players");
    for (name, behaviour) in behaviours()?.into_iter().filter(|(name, _)| name.contains(&only)) {
        let (few, many) = (cost_ns(&behaviour, 15, &level), cost_ns(&behaviour, 150, &level));
        println!("{name:<14} {few:>12.1} {many:>13.1}");
    }
    Ok(())
}
