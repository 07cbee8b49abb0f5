//! Meshes of the bodies and their parts.

use reckoning::DVec3;
use reckoning_arena::hills::{Craft, Shape};

use super::colours::HillsColours;
use super::mesh::{Mesh, Paint, TEAM, TEAM_DARK, plain};

/// A mesh that a frame draws many times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// The hull of a tank.
    TankHull,
    /// Its turret, about the pivot.
    Turret,
    /// Its barrel, from the hinge along x, one metre long.
    Barrel,
    /// A car without its wheels.
    CarHull,
    /// A wheel about the y axis, of radius 1.
    Wheel,
    /// A car of the train.
    TrainCar,
    /// A shell.
    Shell,
    /// A drone without its rotors.
    DroneHull,
    /// A rotor about the z axis.
    Rotor,
    /// A merchant's wagon.
    Wagon,
    /// The trunk of a bird.
    Bird,
    /// A wing, along y.
    Wing,
    /// A block from -1 to 1: tracers.
    Block,
    /// A ball, more or less, of radius 1: bursts.
    Ball,
    /// A flat disc of radius 1: shadows.
    Disc,
    /// The edges of the block from -1 to 1, as lines.
    Wire,
}

impl Model {
    /// All of them, in order.
    pub const ALL: [Self; 16] = [
        Self::TankHull,
        Self::Turret,
        Self::Barrel,
        Self::CarHull,
        Self::Wheel,
        Self::TrainCar,
        Self::Shell,
        Self::DroneHull,
        Self::Rotor,
        Self::Wagon,
        Self::Bird,
        Self::Wing,
        Self::Block,
        Self::Ball,
        Self::Disc,
        Self::Wire,
    ];

    /// Its triangles, or lines.
    #[must_use]
    pub fn mesh(self, colours: &HillsColours) -> Mesh {
        let mut mesh = Mesh::default();
        let iron = plain(colours.iron);
        let paint = TEAM;
        match self {
            Self::TankHull => tank(&mut mesh, Craft::Tank.shape(), iron),
            Self::Turret => turret(&mut mesh, Craft::Tank.shape(), iron),
            Self::Barrel => {
                mesh.block(DVec3::new(0.5, 0.0, 0.0), DVec3::new(0.5, 0.13, 0.13), 1.0, iron);
                mesh.block(DVec3::new(0.96, 0.0, 0.0), DVec3::new(0.05, 0.2, 0.2), 1.0, iron);
            }
            Self::CarHull => car(&mut mesh, Craft::Car.shape(), iron),
            Self::Wheel => mesh.wheel(1.0, 0.4, iron, plain(colours.rails[0])),
            Self::TrainCar => train(&mut mesh, Craft::Train.shape(), iron),
            Self::Shell => {
                mesh.block(
                    DVec3::ZERO,
                    Craft::Shell.shape().hull_half * 1.6,
                    0.9,
                    plain(colours.fire),
                );
            }
            Self::DroneHull => drone(&mut mesh, Craft::Drone.shape(), iron),
            Self::Rotor => {
                mesh.block(DVec3::ZERO, DVec3::new(0.62, 0.07, 0.02), 1.0, plain(colours.rails[0]));
                mesh.block(DVec3::ZERO, DVec3::new(0.07, 0.62, 0.02), 1.0, plain(colours.rails[0]));
            }
            Self::Wagon => wagon(&mut mesh, Craft::Merchant.shape(), colours),
            Self::Bird => mesh.block(DVec3::ZERO, DVec3::new(0.5, 0.12, 0.1), 0.7, paint),
            Self::Wing => {
                mesh.block(DVec3::new(0.0, 0.55, 0.0), DVec3::new(0.22, 0.55, 0.03), 1.0, paint);
            }
            Self::Block => mesh.block(DVec3::ZERO, DVec3::ONE, 1.0, paint),
            Self::Ball => {
                mesh.cone(DVec3::ZERO, [1.0, 0.5], 0.8, 8, paint);
                mesh.cone(DVec3::Z * -0.8, [0.5, 1.0], 0.8, 8, paint);
            }
            Self::Disc => mesh.disc(Paint { colour: [0, 0, 0], takes: 0 }),
            Self::Wire => mesh.wire_block(paint),
        }
        mesh
    }
}

fn tank(mesh: &mut Mesh, shape: &Shape, iron: Paint) {
    let half = shape.hull_half;
    let track = DVec3::new(half.x, half.y * 0.22, half.z * 0.75);
    for side in [-1.0, 1.0] {
        let y = side * (half.y - track.y);
        mesh.block(DVec3::new(0.0, y, track.z), track, 0.94, iron);
        let guard = DVec3::new(half.x * 0.98, track.y * 1.05, 0.06);
        mesh.block(DVec3::new(0.0, y, track.z * 2.0 + 0.05), guard, 1.0, TEAM_DARK);
    }
    let hull = DVec3::new(half.x * 0.96, half.y * 0.66, half.z * 0.8);
    mesh.block(shape.hull_centre + DVec3::Z * 0.1, hull, 0.9, TEAM);
    // A bright nose, so that front and back differ.
    let nose = DVec3::new(half.x * 0.9, 0.0, shape.hull_centre.z + 0.2);
    mesh.block(nose, DVec3::new(0.22, half.y * 0.5, 0.22), 0.8, TEAM_DARK);
}

fn turret(mesh: &mut Mesh, shape: &Shape, iron: Paint) {
    let Some(turret) = shape.turret else { return };
    mesh.block(DVec3::ZERO, turret.half, 0.8, TEAM);
    mesh.block(
        DVec3::new(-0.5, 0.35, turret.half.z + 0.1),
        DVec3::new(0.35, 0.35, 0.14),
        0.9,
        iron,
    );
    mesh.block(turret.barrel, DVec3::new(0.3, 0.4, 0.25), 1.0, TEAM_DARK);
}

fn car(mesh: &mut Mesh, shape: &Shape, iron: Paint) {
    let half = shape.hull_half;
    let low = DVec3::new(half.x, half.y * 0.82, half.z * 0.45);
    mesh.block(shape.hull_centre - DVec3::Z * (half.z * 0.35), low, 0.95, TEAM);
    let cabin = DVec3::new(half.x * 0.45, half.y * 0.74, half.z * 0.45);
    mesh.block(shape.hull_centre + DVec3::new(-0.25, 0.0, half.z * 0.5), cabin, 0.78, TEAM_DARK);
    let bumper = DVec3::new(half.x, 0.0, shape.hull_centre.z - half.z * 0.5);
    mesh.block(bumper, DVec3::new(0.1, half.y * 0.75, 0.12), 1.0, iron);
}

fn train(mesh: &mut Mesh, shape: &Shape, iron: Paint) {
    let half = shape.hull_half;
    let body = DVec3::new(half.x, half.y, half.z * 0.8);
    mesh.block(shape.hull_centre + DVec3::Z * (half.z * 0.15), body, 0.94, TEAM);
    let windows = DVec3::new(half.x * 0.9, half.y * 1.01, half.z * 0.22);
    mesh.block(shape.hull_centre + DVec3::Z * (half.z * 0.4), windows, 0.98, TEAM_DARK);
    for x in [-0.65, 0.65] {
        mesh.block(
            DVec3::new(x * half.x, 0.0, 0.4),
            DVec3::new(1.3, half.y * 0.75, 0.4),
            1.0,
            iron,
        );
    }
}

fn drone(mesh: &mut Mesh, shape: &Shape, iron: Paint) {
    let half = shape.hull_half;
    mesh.block(DVec3::ZERO, DVec3::new(half.x * 0.5, half.y * 0.32, half.z), 0.8, TEAM);
    for (x, y) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
        let end = DVec3::new(x * half.x, y * half.y, 0.1);
        mesh.beam(DVec3::ZERO, end, 0.07, 0.07, iron);
    }
    mesh.block(DVec3::new(half.x * 0.5, 0.0, -0.15), DVec3::splat(0.14), 1.0, iron);
}

fn wagon(mesh: &mut Mesh, shape: &Shape, colours: &HillsColours) {
    let half = shape.hull_half;
    let wood = plain(colours.tree[0]);
    mesh.block(DVec3::Z * 0.95, DVec3::new(half.x, half.y * 0.85, 0.3), 1.0, wood);
    let cover = DVec3::new(half.x * 0.8, half.y * 0.85, half.z * 0.6);
    mesh.block(DVec3::Z * (1.3 + half.z * 0.6), cover, 0.75, plain(colours.house[0]));
    for x in [-0.6, 0.6] {
        for y in [-0.95, 0.95] {
            let hub = DVec3::new(x * half.x, y * half.y, 0.6);
            mesh.block(hub, DVec3::new(0.6, 0.1, 0.6), 1.0, plain(colours.iron));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::colours::DARK;
    use super::super::mesh::tests::places;
    use super::*;

    #[test]
    fn hulls_fit_what_shots_hit() {
        for (model, craft) in [
            (Model::TankHull, Craft::Tank),
            (Model::CarHull, Craft::Car),
            (Model::TrainCar, Craft::Train),
        ] {
            let shape = craft.shape();
            for place in places(&model.mesh(&DARK)) {
                let off = (place - shape.hull_centre).abs();
                assert!(off.x < shape.hull_half.x + 0.2, "{craft:?} {place}");
                assert!(off.y < shape.hull_half.y + 0.2, "{craft:?} {place}");
                assert!(place.z > -0.05, "{craft:?} {place}");
            }
        }
    }

    #[test]
    fn all_models_are_small() {
        let triangles = |model: Model| model.mesh(&DARK).indices.len() / 3;
        assert!(Model::ALL.into_iter().all(|it| (1..120).contains(&triangles(it))));
    }
}
