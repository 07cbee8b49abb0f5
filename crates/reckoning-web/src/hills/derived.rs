//! Turrets that nobody sends: they are taken to point at the nearest enemy in sight.

use std::collections::BTreeMap;

use libm::atan2;
use reckoning::orientation::shortest_turn_rad;
use reckoning::{DVec3, SimTime};
use reckoning_arena::hills::{Craft, HillsLevel};

use super::stance::HillsBody;

/// Further away nobody is an enemy.
const SIGHT_M: f64 = 260.0;
/// Who is in sight is asked this often; lines of sight are not for nothing.
const LOOK_S: f64 = 0.4;
/// From the origin to the middle of what is aimed at.
const MIDDLE_M: f64 = 1.4;

#[derive(Clone, Copy, Debug, Default)]
struct Turret {
    angle_rad: f64,
    looked_at: Option<SimTime>,
    target: Option<u32>,
}

/// Turrets by entity, which turn no faster than the level allows.
#[derive(Clone, Debug, Default)]
pub struct DerivedTurrets {
    turrets: BTreeMap<u32, Turret>,
    before: Option<SimTime>,
}

impl DerivedTurrets {
    /// Turns the turrets of all tanks but our own, as they are shown at `now`.
    pub fn turn(
        &mut self,
        now: SimTime,
        bodies: &mut BTreeMap<u32, HillsBody>,
        level: &HillsLevel,
    ) {
        let dt_s = now.secs_since(self.before.replace(now).unwrap_or(now)).clamp(0.0, 0.5);
        let most_rad = level.file().tank.turret_deg_s.to_radians() * dt_s;
        let places: Vec<(u32, u8, DVec3)> = bodies
            .values()
            .filter(|it| it.is_alive && it.craft.is_driven())
            .map(|it| (it.entity, it.team, middle(it)))
            .collect();
        self.turrets.retain(|entity, _| bodies.contains_key(entity));
        let is_derived = |it: &&mut HillsBody| it.craft == Craft::Tank && !it.is_me;
        for body in bodies.values_mut().filter(is_derived) {
            let turret = self.turrets.entry(body.entity).or_default();
            turret.look(now, body, &places, level);
            let target = places.iter().find(|it| Some(it.0) == turret.target);
            let goal = target.map_or(0.0, |it| bearing_rad(body, it.2));
            let way = shortest_turn_rad(turret.angle_rad, goal);
            turret.angle_rad += way.clamp(-most_rad, most_rad);
            (body.shown.turret_rad, body.shown.barrel_rad) = (turret.angle_rad, 0.0);
        }
    }
}

impl Turret {
    fn look(
        &mut self,
        now: SimTime,
        body: &HillsBody,
        places: &[(u32, u8, DVec3)],
        level: &HillsLevel,
    ) {
        if self.looked_at.is_some_and(|at| now.secs_since(at) < LOOK_S) {
            return;
        }
        self.looked_at = Some(now);
        let eye = middle(body) + DVec3::Z;
        let mut enemies: Vec<(f64, u32, DVec3)> = places
            .iter()
            .filter(|it| it.1 != body.team)
            .map(|it| (it.2.distance(eye), it.0, it.2))
            .filter(|it| it.0 < SIGHT_M)
            .collect();
        enemies.sort_by(|a, b| a.0.total_cmp(&b.0));
        let seen = enemies.iter().find(|it| level.first_met(eye, it.2).is_none());
        self.target = seen.map(|it| it.1);
    }
}

fn middle(body: &HillsBody) -> DVec3 {
    body.shown.pose.position + DVec3::Z * MIDDLE_M
}

/// Where a place is, on the hull: 0 is ahead, to the left is positive.
fn bearing_rad(body: &HillsBody, place: DVec3) -> f64 {
    let way = body.shown.pose.orientation.inverse() * (place - middle(body));
    atan2(way.y, way.x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ms;

    fn tank(entity: u32, team: u8, at: DVec3) -> (u32, HillsBody) {
        let mut body = HillsBody::new(entity, Craft::Tank);
        body.team = team;
        body.shown.pose.position = at;
        (entity, body)
    }

    #[test]
    fn a_turret_turns_to_the_nearest_enemy_and_not_to_a_friend() {
        let level = HillsLevel::built_in();
        // High above everything there is nothing in the way.
        let up = DVec3::new(500.0, 500.0, 300.0);
        let mut bodies = BTreeMap::from([
            tank(1, 0, up),
            tank(2, 0, up + DVec3::X * 5.0),
            tank(3, 1, up + DVec3::Y * 80.0),
            tank(4, 1, up - DVec3::X * 200.0),
        ]);
        let mut turrets = DerivedTurrets::default();
        turrets.turn(ms(0), &mut bodies, &level);
        turrets.turn(ms(100), &mut bodies, &level);
        let early = bodies[&1].shown.turret_rad;
        for tick in 2..200 {
            turrets.turn(ms(tick * 100), &mut bodies, &level);
        }
        let late = bodies[&1].shown.turret_rad;
        assert!(early < 0.5 && (late - std::f64::consts::FRAC_PI_2).abs() < 0.05, "{early} {late}");
    }

    #[test]
    fn who_is_behind_the_ground_is_not_in_sight() {
        let level = HillsLevel::built_in();
        let [x, y] = level.file().spawns[0].at;
        let deep = DVec3::new(x, y, level.height_m(x, y));
        let mut bodies =
            BTreeMap::from([tank(1, 0, deep), tank(2, 1, deep + DVec3::new(0.0, 30.0, -60.0))]);
        let mut turrets = DerivedTurrets::default();
        for tick in 0..100 {
            turrets.turn(ms(tick * 100), &mut bodies, &level);
        }
        assert_eq!(bodies[&1].shown.turret_rad, 0.0);
    }
}
