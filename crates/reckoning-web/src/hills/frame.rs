//! What one frame draws: for each model, where it is and in which colour.
//!
//! An instance is 64 bytes: the three rows of its place and a colour with its opacity, as `f32`.

use libm::sin;
use reckoning::{DVec3, Terrain};
use reckoning_arena::hills::Craft;

use super::affine::Affine;
use super::colours::{Colour, HillsColours};
use super::models::Model;
use super::stance::{HillsBody, Stance};
use super::view::View;

/// Bytes of an instance.
pub const INSTANCE_BYTES: usize = 64;
/// Shadows are a little above the ground, so that they are seen.
const SHADOW_M: f64 = 0.1;
/// Higher bodies have no shadow.
const SHADOWLESS_M: f64 = 90.0;
/// A wire frame is a little larger than its body, so that both are seen.
const WIRE: f64 = 1.04;

/// What has a smaller radius in the picture is left out; wire frames sooner, as each is twelve lines.
const SMALLEST_PX: [f64; 2] = [0.9, 2.0];

/// Which bodies are drawn, and as what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layers {
    /// As Reckoning shows them.
    pub ghost: bool,
    /// Wire frames of where they really are.
    pub truth: bool,
    /// Translucent ones where a naive game shows them.
    pub naive: bool,
}

/// Instances of one frame, by model. Its lists are used again, frame after frame.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    solid: [Vec<u8>; Model::ALL.len()],
    clear: [Vec<u8>; Model::ALL.len()],
}

impl Frame {
    /// Nothing.
    pub fn clear(&mut self) {
        for list in self.solid.iter_mut().chain(&mut self.clear) {
            list.clear();
        }
    }

    /// What is drawn of a model: first what covers, then what is translucent.
    #[must_use]
    pub fn instances(&self, model: Model) -> [&[u8]; 2] {
        [&self.solid[model as usize], &self.clear[model as usize]]
    }

    /// Those instances of a model that are seen: in the picture, and at least a pixel or so large.
    /// `radius_m` is that of the model. Returns how many were written to `out`.
    pub fn write_seen(
        &self,
        (model, layer): (Model, usize),
        radius_m: f64,
        view: &View,
        out: &mut Vec<u8>,
    ) -> usize {
        let before = out.len();
        let smallest_px = SMALLEST_PX[usize::from(model == Model::Wire)];
        for instance in self.instances(model)[layer].chunks(INSTANCE_BYTES) {
            let (centre, stretch) = ball_of(instance);
            let radius_m = radius_m * stretch;
            if view.may_see(centre, radius_m) && view.pixels(centre, radius_m) > smallest_px {
                out.extend_from_slice(instance);
            }
        }
        (out.len() - before) / INSTANCE_BYTES
    }

    /// Adds an instance; less than opaque ones are drawn after all others.
    pub fn add(&mut self, model: Model, at: &Affine, colour: Colour, opacity: f32) {
        let lists = if opacity < 1.0 { &mut self.clear } else { &mut self.solid };
        let list = &mut lists[model as usize];
        let colour = colour.map(|it| f32::from(it) / 255.0);
        for value in at.rows().into_iter().chain(colour).chain([opacity]) {
            list.extend(value.to_le_bytes());
        }
    }

    /// A body in all its layers.
    pub fn add_body(
        &mut self,
        body: &HillsBody,
        layers: Layers,
        colours: &HillsColours,
        terrain: &(impl Terrain + ?Sized),
        time_s: f64,
    ) {
        if !body.is_alive {
            return;
        }
        let team = colours.teams[usize::from(body.team.min(2))];
        if layers.ghost || body.is_me {
            self.add_stance(body, &body.shown, team, 1.0, time_s);
            self.add_shadow(body.craft, &body.shown, terrain);
        }
        if body.is_me {
            return;
        }
        if let Some(naive) = body.naive.filter(|_| layers.naive) {
            self.add_stance(body, &naive, colours.naive, 0.4, time_s);
        }
        if let Some(truth) = body.truth.filter(|_| layers.truth) {
            self.add_wire(body.craft, &truth, colours.truth);
        }
    }

    /// A body with all that turns on it.
    pub fn add_stance(
        &mut self,
        body: &HillsBody,
        stance: &Stance,
        colour: Colour,
        opacity: f32,
        time_s: f64,
    ) {
        let at = Affine::of(&stance.pose);
        let mut add = |model, at: &Affine| self.add(model, at, colour, opacity);
        match body.craft {
            Craft::Tank => {
                add(Model::TankHull, &at);
                let Some(shape) = body.craft.shape().turret else { return };
                let turret = at.part(shape.pivot, DVec3::Z * stance.turret_rad);
                add(Model::Turret, &turret);
                let barrel = turret.part(shape.barrel, DVec3::Y * -stance.barrel_rad);
                add(Model::Barrel, &barrel.stretched(DVec3::new(shape.barrel_length_m, 1.0, 1.0)));
            }
            Craft::Car => {
                add(Model::CarHull, &at);
                for (wheel, spin_rad) in body.craft.shape().wheels.iter().zip(body.wheels_rad) {
                    let steering = if wheel.steers { body.steering_rad } else { 0.0 };
                    let hub = at.part(wheel.hub, DVec3::Z * steering);
                    let spun = hub.part(DVec3::ZERO, DVec3::Y * spin_rad);
                    add(Model::Wheel, &spun.stretched(DVec3::splat(wheel.radius_m)));
                }
            }
            Craft::Train => add(Model::TrainCar, &at),
            Craft::Shell => add(Model::Shell, &at),
            Craft::Merchant => add(Model::Wagon, &at),
            Craft::Drone => {
                add(Model::DroneHull, &at);
                let half = body.craft.shape().hull_half;
                for (x, y) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
                    let hub = DVec3::new(x * half.x, y * half.y, 0.2);
                    add(Model::Rotor, &at.part(hub, DVec3::Z * (time_s * 31.0 * x * y)));
                }
            }
            Craft::Bird => {
                add(Model::Bird, &at);
                let flap = 0.5 * sin(time_s * 9.0 + f64::from(body.entity));
                for (side, turn) in [(1.0, flap), (-1.0, -flap)] {
                    let wing = at.part(DVec3::ZERO, DVec3::X * turn);
                    add(Model::Wing, &wing.stretched(DVec3::new(side, side, 1.0)));
                }
            }
        }
    }

    /// Edges of hull and turret.
    pub fn add_wire(&mut self, craft: Craft, stance: &Stance, colour: Colour) {
        let (shape, at) = (craft.shape(), Affine::of(&stance.pose));
        let hull = at.part(shape.hull_centre, DVec3::ZERO);
        self.add(Model::Wire, &hull.stretched(shape.hull_half * WIRE), colour, 1.0);
        let Some(turret) = shape.turret else { return };
        let on = at.part(turret.pivot, DVec3::Z * stance.turret_rad);
        self.add(Model::Wire, &on.stretched(turret.half * WIRE), colour, 1.0);
        let barrel = on.part(turret.barrel, DVec3::Y * -stance.barrel_rad);
        let middle = barrel.part(DVec3::X * (0.5 * turret.barrel_length_m), DVec3::ZERO);
        let half = DVec3::new(0.5 * turret.barrel_length_m, 0.16, 0.16);
        self.add(Model::Wire, &middle.stretched(half), colour, 1.0);
    }

    /// A dark spot on the ground beneath a body, the fainter the higher that is.
    pub fn add_shadow(&mut self, craft: Craft, stance: &Stance, terrain: &(impl Terrain + ?Sized)) {
        let shape = craft.shape();
        let asks = stance.pose.position + DVec3::Z;
        let Some(ground) = terrain.ground_below(asks) else { return };
        let high_m = (stance.pose.position.z - ground.point.z).max(0.0);
        if high_m > SHADOWLESS_M {
            return;
        }
        let ahead = (stance.pose.orientation * DVec3::X).with_z(0.0).normalize_or(DVec3::X);
        let up = ground.normal.normalize_or(DVec3::Z);
        let ahead = (ahead - up * ahead.dot(up)).normalize_or(DVec3::X);
        let (spread, lift) = (1.15 + high_m * 0.01, up * SHADOW_M);
        let axes = [ahead * shape.hull_half.x, up.cross(ahead) * shape.hull_half.y, up];
        let spot = Affine { axes, origin: ground.point + lift };
        let opacity = 0.5 / (1.0 + high_m * 0.05);
        let spot = spot.stretched(DVec3::new(spread, spread, 1.0));
        self.add(Model::Disc, &spot, [0, 0, 0], opacity as f32);
    }
}

/// Where an instance is, and how much it is stretched along its longest axis.
fn ball_of(instance: &[u8]) -> (DVec3, f64) {
    let number = |at: usize| {
        let bytes = [0, 1, 2, 3].map(|byte| instance[at * 4 + byte]);
        f64::from(f32::from_le_bytes(bytes))
    };
    let column = |at: usize| DVec3::new(number(at), number(at + 4), number(at + 8));
    let longest = [0, 1, 2].into_iter().map(|it| column(it).length_squared()).fold(0.0, f64::max);
    (column(3), longest.sqrt())
}

#[cfg(test)]
mod tests {
    use reckoning::terrain::FlatGround;

    use super::super::colours::DARK;
    use super::*;

    const ALL: Layers = Layers { ghost: true, truth: true, naive: true };

    fn count(frame: &Frame, model: Model) -> [usize; 2] {
        frame.instances(model).map(|it| it.len() / INSTANCE_BYTES)
    }

    #[test]
    fn a_body_is_drawn_in_its_layers() {
        let mut frame = Frame::default();
        let mut body = HillsBody::new(3, Craft::Tank);
        (body.truth, body.naive) = (Some(Stance::default()), Some(Stance::default()));
        frame.add_body(&body, ALL, &DARK, &FlatGround::default(), 0.0);
        assert_eq!(count(&frame, Model::TankHull), [1, 1], "one covers, the naive one is clear");
        assert_eq!(count(&frame, Model::Wire), [3, 0], "hull, turret and barrel");
        assert_eq!(count(&frame, Model::Disc), [0, 1]);
        frame.clear();
        frame.add_body(
            &body,
            Layers { ghost: false, truth: false, naive: false },
            &DARK,
            &FlatGround::default(),
            0.0,
        );
        assert_eq!(count(&frame, Model::TankHull), [0, 0]);
    }

    #[test]
    fn a_floating_body_has_its_shadow_on_the_ground() {
        let mut frame = Frame::default();
        let mut stance = Stance::default();
        stance.pose.position = DVec3::new(5.0, 6.0, 20.0);
        frame.add_shadow(Craft::Drone, &stance, &FlatGround::default());
        let [_, shadow] = frame.instances(Model::Disc);
        let number = |at: usize| f32::from_le_bytes(shadow[at * 4..at * 4 + 4].try_into().unwrap());
        assert!((number(3) - 5.0).abs() < 1e-6 && (number(7) - 6.0).abs() < 1e-6);
        assert!(number(11) < 0.2, "on the ground, not at 20 m: {}", number(11));
    }

    #[test]
    fn only_what_is_seen_is_written() {
        let mut frame = Frame::default();
        let view = View::looking(DVec3::Z * 2.0, 0.0, 0.0, [800.0, 500.0]);
        let at = |x: f64| Affine::upright(0.0, DVec3::new(x, 0.0, 2.0));
        let written =
            |frame: &Frame| frame.write_seen((Model::Wheel, 0), 1.0, &view, &mut Vec::new());
        frame.add(Model::Wheel, &at(30.0), [0; 3], 1.0);
        assert_eq!(written(&frame), 1);
        frame.add(Model::Wheel, &at(-30.0), [0; 3], 1.0);
        frame.add(Model::Wheel, &at(900.0), [0; 3], 1.0);
        assert_eq!(written(&frame), 1, "one is behind, one too small");
        frame.add(Model::Wheel, &at(900.0).stretched(DVec3::splat(9.0)), [0; 3], 1.0);
        assert_eq!(written(&frame), 2);
    }

    #[test]
    fn wheels_spin_and_steer() {
        let mut frame = Frame::default();
        let mut body = HillsBody::new(3, Craft::Car);
        let drawn = |frame: &Frame| frame.instances(Model::Wheel)[0].to_vec();
        frame.add_stance(&body, &Stance::default(), [0; 3], 1.0, 0.0);
        let before = drawn(&frame);
        assert_eq!(before.len(), 4 * INSTANCE_BYTES);
        (body.steering_rad, body.wheels_rad) = (0.3, [0.0, 0.0, 1.0, 1.0]);
        frame.clear();
        frame.add_stance(&body, &Stance::default(), [0; 3], 1.0, 0.0);
        let after = drawn(&frame);
        let differs = |at: usize| before[at * 64..at * 64 + 64] != after[at * 64..at * 64 + 64];
        assert!((0..4).all(differs));
    }
}
