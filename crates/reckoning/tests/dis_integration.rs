//! The DIS models against plain numerical integration of what they are defined by.
//!
//! Nothing of the closed forms is used: orientation, velocity and position advance together
//! in small Runge-Kutta steps, in the axes the standard speaks of. The states are the ones
//! where closed forms go wrong: rotations near zero, noses near the vertical.

use std::f64::consts::FRAC_PI_2;

use glam::EulerRot;
use reckoning::dis::{BodyAcceleration, DisAlgorithm, DisFields, DisModel, quat_from_euler};
use reckoning::{DQuat, DVec3, SimTime};

const RATES: [f64; 11] = [0.0, 1e-12, 1e-10, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.4, 1.9];
const THETAS: [f64; 5] = [0.3, FRAC_PI_2 - 1e-9, -FRAC_PI_2 + 1e-9, FRAC_PI_2, -FRAC_PI_2];
const READINGS: [BodyAcceleration; 2] = [BodyAcceleration::BodyRate, BodyAcceleration::Inertial];
const STEPS_PER_S: u32 = 400;
const SECONDS: u32 = 5;

fn models() -> impl Iterator<Item = DisModel> {
    DisAlgorithm::ALL
        .into_iter()
        .flat_map(|algorithm| READINGS.map(|acceleration| DisModel { algorithm, acceleration }))
}

fn fields() -> impl Iterator<Item = DisFields> {
    let axis = DVec3::new(2.0, -1.0, 2.0) / 3.0;
    RATES.into_iter().flat_map(move |rate| {
        THETAS.map(|theta| DisFields {
            position: DVec3::new(100.0, -200.0, 300.0),
            orientation: DQuat::from_euler(EulerRot::ZYX, 0.8, theta, -0.4),
            velocity: DVec3::new(120.0, -30.0, 15.0),
            acceleration: DVec3::new(-4.0, 9.0, 2.5),
            angular_velocity: axis * rate,
        })
    })
}

/// What changes with time; also its own rate of change.
#[derive(Clone, Copy)]
struct Motion {
    position: DVec3,
    orientation: DQuat,
    /// In the axes of the model.
    velocity: DVec3,
}

impl Motion {
    fn plus(self, rate: Self, dt: f64) -> Self {
        Self {
            position: self.position + rate.position * dt,
            orientation: self.orientation + rate.orientation * dt,
            velocity: self.velocity + rate.velocity * dt,
        }
    }
}

/// The differential equation of one model.
struct Law {
    /// In body axes.
    angular_velocity: DVec3,
    /// In the axes of the model.
    acceleration: DVec3,
    in_body_axes: bool,
}

impl Law {
    fn of(model: DisModel, fields: &DisFields) -> Self {
        use DisAlgorithm::{Fpb, Fvb, Fvw, Rpb, Rpw, Rvb, Rvw};
        let turning = matches!(model.algorithm, Rpw | Rvw | Rpb | Rvb);
        let pushed = matches!(model.algorithm, Fvw | Rvw | Fvb | Rvb);
        let inertial = model.acceleration == BodyAcceleration::Inertial;
        let mut acceleration = if pushed { fields.acceleration } else { DVec3::ZERO };
        if model.algorithm == Rvb && inertial {
            acceleration -= fields.angular_velocity.cross(fields.velocity);
        }
        Self {
            angular_velocity: if turning { fields.angular_velocity } else { DVec3::ZERO },
            acceleration,
            in_body_axes: matches!(model.algorithm, Fpb | Rpb | Rvb | Fvb),
        }
    }

    fn world_velocity(&self, now: Motion) -> DVec3 {
        if self.in_body_axes { now.orientation * now.velocity } else { now.velocity }
    }

    fn rate(&self, now: Motion) -> Motion {
        let w = self.angular_velocity;
        Motion {
            position: self.world_velocity(now),
            orientation: now.orientation * DQuat::from_xyzw(w.x, w.y, w.z, 0.0) * 0.5,
            velocity: self.acceleration,
        }
    }

    fn step(&self, now: Motion, dt: f64) -> Motion {
        let a = self.rate(now);
        let b = self.rate(now.plus(a, dt / 2.0));
        let c = self.rate(now.plus(b, dt / 2.0));
        let d = self.rate(now.plus(c, dt));
        now.plus(a, dt / 6.0).plus(b, dt / 3.0).plus(c, dt / 3.0).plus(d, dt / 6.0)
    }
}

/// The start of the integration. A static body has no velocity, whatever the field says.
fn start(model: DisModel, fields: &DisFields) -> Motion {
    let still = model.algorithm == DisAlgorithm::Static;
    Motion {
        position: fields.position,
        orientation: fields.orientation,
        velocity: if still { DVec3::ZERO } else { fields.velocity },
    }
}

fn angle_between(a: DQuat, b: DQuat) -> f64 {
    let apart = a.conjugate() * b;
    2.0 * libm::atan2(apart.xyz().length(), apart.w.abs())
}

#[test]
fn closed_forms_agree_with_small_steps() {
    let dt = 1.0 / f64::from(STEPS_PER_S);
    let mut worst = [0.0_f64; 3];
    for fields in fields() {
        for model in models() {
            let law = Law::of(model, &fields);
            let seen = fields.to_kinematics(model, SimTime::ZERO);
            let mut now = start(model, &fields);
            for step in 1..=STEPS_PER_S * SECONDS {
                now = law.step(now, dt);
                if step % (STEPS_PER_S / 4) != 0 {
                    continue;
                }
                let t_s = f64::from(step) * dt;
                let off = [
                    (model.position_after(&seen, t_s) - now.position).length(),
                    angle_between(model.orientation_after(&seen, t_s), now.orientation),
                    (model.velocity_after(&seen, t_s) - law.world_velocity(now)).length(),
                ];
                assert!(off.iter().all(|&o| o < 1e-6), "{model:?} {t_s} s {fields:?}: {off:?}");
                worst = std::array::from_fn(|i| worst[i].max(off[i]));
            }
        }
    }
    println!("worst: {:.1e} m, {:.1e} rad, {:.1e} m/s", worst[0], worst[1], worst[2]);
}

#[test]
fn the_two_readings_part_only_where_the_velocity_turns_along() {
    let fields = fields().last().unwrap();
    for algorithm in DisAlgorithm::ALL {
        let [rate, inertial] = READINGS.map(|acceleration| {
            let model = DisModel { algorithm, acceleration };
            model.position_after(&fields.to_kinematics(model, SimTime::ZERO), 2.0)
        });
        let apart = (rate - inertial).length();
        assert_eq!(apart > 1.0, algorithm == DisAlgorithm::Rvb, "{algorithm:?}: {apart} m");
    }
}

#[test]
fn fields_survive_the_way_into_the_engine_and_out() {
    for fields in fields() {
        for model in models() {
            let seen = fields.to_kinematics(model, SimTime::from_millis(1_500));
            assert_eq!(seen.validate(), Ok(()));
            let back = DisFields::from_kinematics(&seen, model);
            assert_eq!((back.position, back.orientation), (fields.position, fields.orientation));
            let pairs = [
                (back.velocity, fields.velocity),
                (back.acceleration, fields.acceleration),
                (back.angular_velocity, fields.angular_velocity),
            ];
            let scale = fields.velocity.length() * (1.0 + fields.angular_velocity.length());
            for (got, want) in pairs {
                assert!((got - want).length() < 1e-14 * scale, "{model:?}: {got}, not {want}");
            }
            let again = back.to_kinematics(model, seen.at);
            assert_eq!(again.at, seen.at);
            assert!((again.acceleration - seen.acceleration).length() < 1e-14 * scale);
        }
    }
}

#[test]
fn orientations_of_odd_length_do_not_stretch_vectors() {
    let mut fields = fields().last().unwrap();
    let straight = fields.to_kinematics(DisModel::new(DisAlgorithm::Rvb), SimTime::ZERO);
    fields.orientation *= 1.005; // as 16-bit floats may round it
    let odd = fields.to_kinematics(DisModel::new(DisAlgorithm::Rvb), SimTime::ZERO);
    assert!((odd.velocity - straight.velocity).length() < 1e-12);
}

#[test]
fn the_angles_mean_what_others_mean_by_them() {
    for theta in THETAS {
        let others = DQuat::from_euler(EulerRot::ZYX, 0.8, theta, -0.4);
        assert!(angle_between(quat_from_euler(0.8, theta, -0.4), others) < 1e-15, "{theta}");
    }
}
