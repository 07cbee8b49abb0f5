//! Meshes of what people built and of what grew: bridges, tunnels, tracks, houses and trees.

use reckoning::{DVec3, Terrain};
use reckoning_arena::hills::{HillsLevel, Obstacle, ObstacleKind, TunnelSpot};

use super::colours::{HillsColours, mixed};
use super::mesh::{Mesh, Paint, plain};
use super::terrain::bare_m;

/// Between two sleepers.
const SLEEPER_M: f64 = 5.0;
/// How far the portals of a tunnel stand out, and how thick they are.
const PORTAL_M: f64 = 1.2;

/// Everything that stands still, but ground and water.
#[must_use]
pub fn structures_mesh(level: &HillsLevel, colours: &HillsColours) -> Mesh {
    let mut mesh = Mesh::default();
    super::terrain::add_roads(&mut mesh, level, colours);
    add_bridges(&mut mesh, level, colours);
    for tunnel in &level.file().tunnels {
        add_tunnel(&mut mesh, tunnel, colours);
    }
    add_track(&mut mesh, level, colours);
    for obstacle in &level.file().obstacles {
        add_obstacle(&mut mesh, level, obstacle, colours);
    }
    mesh
}

fn add_bridges(mesh: &mut Mesh, level: &HillsLevel, colours: &HillsColours) {
    for bridge in &level.file().bridges {
        let (from, to) = (DVec3::from(bridge.from), DVec3::from(bridge.to));
        let half = bridge.width_m * 0.5;
        let way = (to - from).normalize_or(DVec3::X);
        let left = DVec3::Z.cross(way).normalize_or(DVec3::Y);
        let down = DVec3::Z * 0.35;
        mesh.beam(from - down, to - down, half, 0.35, plain(colours.deck));
        for side in [-1.0, 1.0] {
            let rim = left * (side * (half - 0.15)) + DVec3::Z * 0.45;
            mesh.beam(from + rim, to + rim, 0.15, 0.45, plain(colours.stone));
        }
        let piers = ((to - from).length() / 40.0) as u32;
        for pier in 1..piers {
            let top = from + (to - from) * (f64::from(pier) / f64::from(piers)) - down;
            let foot = bare_m(level, top.x, top.y) - 1.0;
            let high = (top.z - foot) * 0.5;
            if high > 1.5 {
                let size = DVec3::new(1.1, half * 0.7, high);
                mesh.block(top.with_z(foot + high), size, 0.8, plain(colours.stone));
            }
        }
    }
}

/// The tube, seen from inside, and a portal at each end.
fn add_tunnel(mesh: &mut Mesh, tunnel: &TunnelSpot, colours: &HillsColours) {
    let (from, to) = (DVec3::from(tunnel.from), DVec3::from(tunnel.to));
    let way = (to - from).normalize_or(DVec3::X);
    let left = DVec3::Z.cross(way).normalize_or(DVec3::Y) * (tunnel.width_m * 0.5);
    let up = DVec3::Z * tunnel.height_m;
    let inside = plain(mixed(colours.stone, [0, 0, 0], 0.35));
    let floor = plain(mixed(colours.road, [0, 0, 0], 0.2));
    let pieces = ((to - from).length() / 20.0).max(1.0) as u32;
    for piece in 0..pieces {
        let at = |number: u32| from + (to - from) * (f64::from(number) / f64::from(pieces));
        let (a, b) = (at(piece), at(piece + 1));
        mesh.face(&[a - left, b - left, b + left, a + left], floor);
        mesh.face(&[a + left + up, b + left + up, b - left + up, a - left + up], inside);
        mesh.face(&[a + left, b + left, b + left + up, a + left + up], inside);
        mesh.face(&[a - left + up, b - left + up, b - left, a - left], inside);
        if piece % 2 == 0 {
            mesh.block(
                a + up - DVec3::Z * 0.2,
                DVec3::new(0.5, 0.5, 0.12),
                1.0,
                plain([250, 230, 180]),
            );
        }
    }
    for (end, out) in [(from, -way), (to, way)] {
        add_portal(mesh, end + out * (0.5 * PORTAL_M), left, tunnel.height_m, plain(colours.stone));
    }
}

/// Two posts and a beam.
fn add_portal(mesh: &mut Mesh, at: DVec3, left: DVec3, high_m: f64, paint: Paint) {
    let out = left.normalize_or(DVec3::Y) * (0.5 * PORTAL_M);
    for side in [left + out, -(left + out)] {
        let (foot, top) = (at + side - DVec3::Z * 2.0, at + side + DVec3::Z * (high_m + PORTAL_M));
        // Posts as wide as deep: a beam that stands up.
        mesh.block((foot + top) * 0.5, DVec3::new(0.7, 0.7, 0.5 * (top.z - foot.z)), 1.0, paint);
    }
    let over = DVec3::Z * (high_m + 0.6);
    mesh.beam(at + left + out + over, at - left - out + over, 0.6, 0.6, paint);
}

/// Rails on sleepers, on a low bank where the track is above the ground.
fn add_track(mesh: &mut Mesh, level: &HillsLevel, colours: &HillsColours) {
    let track = level.track();
    let pieces = (track.length_m() / SLEEPER_M) as u32;
    let place =
        |piece: u32| track.place_at(f64::from(piece) / f64::from(pieces) * track.length_m());
    for piece in 0..pieces {
        let ((from, way), (to, _)) = (place(piece), place(piece + 1));
        let left = DVec3::Z.cross(way).normalize_or(DVec3::Y);
        for side in [-0.75, 0.75] {
            strip(mesh, from + left * side, to + left * side, left * 0.09, plain(colours.rails[0]));
        }
        let low = DVec3::Z * 0.1;
        mesh.beam(
            from - left * 1.3 - low,
            from + left * 1.3 - low,
            0.22,
            0.06,
            plain(colours.rails[1]),
        );
        add_bank(mesh, level, from, to, left, plain(mixed(colours.rails[1], colours.cliff, 0.5)));
    }
}

/// A flat ribbon, seen from above.
fn strip(mesh: &mut Mesh, from: DVec3, to: DVec3, half: DVec3, paint: Paint) {
    mesh.face(&[from - half, to - half, to + half, from + half], paint);
}

/// What the sleepers lie on, and pillars where the ground is far below.
fn add_bank(
    mesh: &mut Mesh,
    level: &HillsLevel,
    from: DVec3,
    to: DVec3,
    left: DVec3,
    paint: Paint,
) {
    let over_m = from.z - bare_m(level, from.x, from.y);
    let deck = level.ground().ground_below(from + DVec3::Z).map_or(0.0, |it| it.point.z);
    if over_m < -1.0 || from.z - deck < 0.05 {
        return; // in a tunnel, or on a deck
    }
    let down = DVec3::Z * 0.2;
    strip(mesh, from - down, to - down, left * 1.7, paint);
    if over_m > 0.3 {
        let foot = DVec3::Z * (over_m + 0.5);
        for side in [-1.0, 1.0] {
            let (a, b) = (from + left * (1.7 * side) - down, to + left * (1.7 * side) - down);
            let out = left * (side * (0.4 * over_m).min(3.0));
            let corners = [a - foot + out, b - foot + out, b, a];
            if side < 0.0 {
                mesh.face(&corners, paint);
            } else {
                mesh.face(&[corners[1], corners[0], corners[3], corners[2]], paint);
            }
        }
    }
}

fn add_obstacle(mesh: &mut Mesh, level: &HillsLevel, it: &Obstacle, colours: &HillsColours) {
    let foot = DVec3::new(it.at[0], it.at[1], bare_m(level, it.at[0], it.at[1]) - 0.4);
    let (radius, high) = (it.radius_m, it.height_m + 0.4);
    match it.kind {
        ObstacleKind::Rock => {
            mesh.cone(foot, [radius, radius * 0.45], high, 7, plain(colours.cliff));
        }
        ObstacleKind::Tree => {
            let [trunk, leaf] = colours.tree;
            mesh.cone(foot, [radius * 0.35, radius * 0.3], high * 0.35, 5, plain(trunk));
            let crown = foot + DVec3::Z * (high * 0.25);
            mesh.cone(crown, [(radius * 1.9).min(high * 0.4), 0.0], high * 0.75, 7, plain(leaf));
        }
        ObstacleKind::House => {
            let [wall, roof] = colours.house;
            let side = radius * 0.7;
            let middle = foot + DVec3::Z * (high * 0.35);
            mesh.block(middle, DVec3::new(side, side, high * 0.35), 1.0, plain(wall));
            let top = foot + DVec3::Z * (high * 0.85);
            mesh.block(top, DVec3::new(side * 1.15, side * 1.15, high * 0.15), 0.3, plain(roof));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::colours::DARK;
    use super::super::mesh::tests::places;
    use super::*;

    #[test]
    fn all_that_stands_in_the_file_is_in_the_mesh() {
        let level = HillsLevel::built_in();
        let mesh = structures_mesh(&level, &DARK);
        let at = places(&mesh);
        let near = |place: DVec3, within: f64| at.iter().any(|it| it.distance(place) < within);
        let file = level.file();
        for bridge in &file.bridges {
            assert!(near(DVec3::from(bridge.from), bridge.width_m), "{}", bridge.name);
        }
        for tunnel in &file.tunnels {
            assert!(near(DVec3::from(tunnel.to), tunnel.width_m), "{}", tunnel.name);
        }
        for it in &file.obstacles {
            let foot = DVec3::new(it.at[0], it.at[1], bare_m(&level, it.at[0], it.at[1]));
            assert!(near(foot, it.radius_m * 2.0 + it.height_m), "{it:?}");
        }
        assert!(at.iter().all(|it| it.is_finite()));
        println!("{} triangles", mesh.indices.len() / 3);
        assert!(mesh.indices.len() / 3 < 40_000);
    }
}
