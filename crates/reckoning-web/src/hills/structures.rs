//! Meshes of what people built and of what grew: bridges, tunnels, tracks, houses and trees.

use reckoning::{DVec3, Terrain};
use reckoning_arena::hills::{HillsLevel, Obstacle, ObstacleKind, TunnelSpot};

use super::colours::{HillsColours, mixed};
use super::mesh::{Mesh, Paint, plain};
use super::terrain::bare_m;

/// From a deck a ramp leads down to the ground over this length, as in the level's ground.
const RAMP_M: f64 = 7.0;
/// Paving comes in squares of this side, this far above what it lies on.
const PAVED_M: f64 = 1.0;
const PAVING_M: f64 = 0.06;
/// Between two sleepers.
const SLEEPER_M: f64 = 5.0;
/// Half the width of what they lie on.
const BANK_M: f64 = 1.7;
/// How far the portals of a tunnel stand out, and how thick they are.
const PORTAL_M: f64 = 1.2;

/// Everything that stands still, but ground, water and rails.
#[must_use]
pub fn structures_mesh(level: &HillsLevel, colours: &HillsColours) -> Mesh {
    let mut mesh = Mesh::default();
    super::terrain::add_horizon(&mut mesh, level, colours);
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
        add_paving(mesh, level, [from, to], half, plain(colours.deck));
        for (end, out) in [(from, -way), (to, way)] {
            add_ramp(mesh, level, [end, end + out * RAMP_M], half, plain(colours.deck));
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

/// From the end of a deck down to the ground; nothing where the ground is as high.
fn add_ramp(mesh: &mut Mesh, level: &HillsLevel, ends: [DVec3; 2], half_m: f64, paint: Paint) {
    let [end, foot] = ends;
    let foot = foot.with_z(bare_m(level, foot.x, foot.y));
    let left = DVec3::Z.cross((foot - end).with_z(0.0)).normalize_or(DVec3::Y) * half_m;
    let under = DVec3::Z * 3.0;
    mesh.face(&[end - left, foot - left, foot + left, end + left], paint);
    add_paving(mesh, level, [end, foot], half_m, paint);
    mesh.face(&[end - left - under, foot - left - under, foot - left, end - left], paint);
    mesh.face(&[foot + left - under, end + left - under, end + left, foot + left], paint);
}

/// Paving where the ground reaches over a straight way, so that no grass lies over a bridge: bodies
/// stand on the ground there, and the paving lies on it.
fn add_paving(
    mesh: &mut Mesh,
    level: &HillsLevel,
    [from, to]: [DVec3; 2],
    half_m: f64,
    paint: Paint,
) {
    let gap = to - from;
    let left = DVec3::Z.cross(gap.with_z(0.0)).normalize_or(DVec3::Y);
    let (pieces, wide) = ((gap.length() / PAVED_M).ceil(), (2.0 * half_m / PAVED_M).ceil());
    // The place on the way, and the ground there.
    let spot = |along: u32, across: u32| {
        let out_m = half_m * (2.0 * f64::from(across) / wide - 1.0);
        let at = from + gap * (f64::from(along) / pieces) + left * out_m;
        (at, bare_m(level, at.x, at.y))
    };
    for along in 0..pieces as u32 {
        for across in 0..wide as u32 {
            let corners =
                [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(a, b)| spot(along + a, across + b));
            if corners.iter().any(|(at, ground_m)| *ground_m > at.z - PAVING_M) {
                let over = |(at, ground_m): (DVec3, f64)| at.with_z(at.z.max(ground_m) + PAVING_M);
                mesh.face(&corners.map(over), paint);
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
        // What is seen of it from outside, before the hill begins.
        let (out, roof) = (left * 1.13, up + DVec3::Z * 0.7);
        let wall = plain(colours.stone);
        mesh.face(&[a - out + roof, b - out + roof, b + out + roof, a + out + roof], wall);
        let deep = out + DVec3::Z * -2.0;
        mesh.face(&[b + deep, a + deep, a + out + roof, b + out + roof], wall);
        let deep = out + DVec3::Z * 2.0;
        mesh.face(&[b - out + roof, a - out + roof, a - deep, b - deep], wall);
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

/// A place of the track and where its left is.
type Spot = (DVec3, DVec3);

/// Pieces of the track, each from one spot to the next.
fn track_pieces(level: &HillsLevel) -> impl Iterator<Item = [Spot; 2]> {
    let track = level.track();
    let pieces = (track.length_m() / SLEEPER_M) as u32;
    let spot = move |piece: u32| {
        let (at, way) = track.place_at(f64::from(piece) / f64::from(pieces) * track.length_m());
        (at, DVec3::Z.cross(way).normalize_or(DVec3::Y))
    };
    (0..pieces).map(move |it| [spot(it), spot(it + 1)])
}

/// Rails on sleepers: too small to be seen from afar.
#[must_use]
pub fn rails_mesh(level: &HillsLevel, colours: &HillsColours) -> Mesh {
    let mut mesh = Mesh::default();
    let [rail, sleeper] = colours.rails.map(plain);
    for [from, to] in track_pieces(level) {
        let along = (to.0 - from.0).normalize_or(DVec3::X);
        let [from, middle, to] = [0.0, 0.5, 1.0].map(|share| {
            let at = from.0 + (to.0 - from.0) * share;
            (over_paving(level, at, along), from.1 + (to.1 - from.1) * share)
        });
        for (at, left) in [from, middle] {
            let (along, low) = (along * 0.25, DVec3::Z * 0.08);
            let (at, left) = (at - low, left * 1.3);
            mesh.face(
                &[at - along - left, at + along - left, at + along + left, at - along + left],
                sleeper,
            );
        }
        let is_straight = middle.0.distance((from.0 + to.0) * 0.5) < 0.01;
        let halves = [[from, middle], [middle, to]];
        let whole = [[from, to]];
        let parts = if is_straight { &whole[..] } else { &halves[..] };
        for (part, side) in parts.iter().flat_map(|it| [(it, -0.75), (it, 0.75)]) {
            strip(&mut mesh, *part, [side - 0.13, side + 0.13], DVec3::ZERO, rail);
        }
    }
    mesh
}

/// A place of the rails on the paving where that lies over the track, as at the ends of bridges.
fn over_paving(level: &HillsLevel, at: DVec3, along: DVec3) -> DVec3 {
    if level.ground().in_tunnel(at + DVec3::Z * PAVING_M) {
        return at;
    }
    let near = [-0.25, 0.0, 0.25].map(|share| at + along * (share * SLEEPER_M));
    let highest_m = near.iter().map(|it| bare_m(level, it.x, it.y)).fold(f64::MIN, f64::max);
    if highest_m < at.z - PAVING_M { at } else { at.with_z(highest_m.max(at.z) + 3.0 * PAVING_M) }
}

/// A low bank where the track is above the ground.
fn add_track(mesh: &mut Mesh, level: &HillsLevel, colours: &HillsColours) {
    let paint = plain(mixed(colours.rails[1], colours.cliff, 0.5));
    for piece in track_pieces(level) {
        add_bank(mesh, level, piece, paint);
    }
}

/// A flat ribbon along the track, seen from above, between two ways to its left.
fn strip(mesh: &mut Mesh, ends: [Spot; 2], [right, left]: [f64; 2], down: DVec3, paint: Paint) {
    let [from, to] = ends.map(|(at, out)| [at + out * right - down, at + out * left - down]);
    mesh.face(&[from[0], to[0], to[1], from[1]], paint);
}

/// What the sleepers lie on, down to the ground on both sides.
fn add_bank(mesh: &mut Mesh, level: &HillsLevel, ends: [Spot; 2], paint: Paint) {
    let [(from, _), (to, _)] = ends;
    let over_m = |at: DVec3| at.z - bare_m(level, at.x, at.y);
    let deck = level.ground().ground_below(from + DVec3::Z).map_or(0.0, |it| it.point.z);
    let is_on_deck = over_m(from) > 0.5 && from.z - deck < 0.3;
    if is_on_deck || over_m(from) < -1.0 {
        return; // on a bridge, or in a tunnel
    }
    strip(mesh, ends, [-BANK_M, BANK_M], DVec3::Z * 0.2, paint);
    if over_m(from).max(over_m(to)) < 0.3 {
        return;
    }
    for side in [-1.0, 1.0] {
        let [[top, foot], [next_top, next_foot]] = ends.map(|(at, left)| {
            let top = at + left * (BANK_M * side) - DVec3::Z * 0.2;
            let deep_m = over_m(at).max(0.0) + 0.5;
            [top, top + left * (side * (0.6 * deep_m).min(3.0)) - DVec3::Z * deep_m]
        });
        let corners = [foot, next_foot, next_top, top];
        let turned = [next_foot, foot, top, next_top];
        mesh.face(if side < 0.0 { &corners } else { &turned }, paint);
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

    /// The highest that triangles of a mesh are over a place; far below without any.
    fn top_m(mesh: &Mesh, x: f64, y: f64) -> f64 {
        let over = |triangle: &[u32]| {
            let [a, b, c] = [0, 1, 2].map(|it| mesh.place(triangle[it]));
            let side = |p: DVec3, q: DVec3| (q.x - p.x) * (y - p.y) - (q.y - p.y) * (x - p.x);
            let (u, v, w) = (side(b, c), side(c, a), side(a, b));
            let all = u + v + w;
            let is_in = all.abs() > 1e-9 && [u, v, w].iter().all(|it| it / all > -1e-9);
            is_in.then(|| (a.z * u + b.z * v + c.z * w) / all)
        };
        mesh.indices.chunks(3).filter_map(over).fold(-1e9, f64::max)
    }

    #[test]
    fn no_grass_lies_over_a_bridge_or_its_ramps() {
        let level = HillsLevel::built_in();
        let mut mesh = Mesh::default();
        add_bridges(&mut mesh, &level, &DARK);
        for bridge in &level.file().bridges {
            let (from, to) = (DVec3::from(bridge.from), DVec3::from(bridge.to));
            let way = (to - from).normalize();
            let left = DVec3::Z.cross(way);
            for end in [(from, -way), (to, way)] {
                for (along, across) in (-60..70).flat_map(|a| (-4..=4).map(move |b| (a, b))) {
                    let at = end.0
                        + end.1 * (f64::from(along) * 0.1)
                        + left * (f64::from(across) * 0.12 * bridge.width_m);
                    let under_m = bare_m(&level, at.x, at.y) - top_m(&mesh, at.x, at.y);
                    assert!(under_m < 0.0, "{} at {at}: {under_m} m of grass", bridge.name);
                }
            }
        }
    }

    #[test]
    fn rails_lie_on_the_paving_of_bridges() {
        let level = HillsLevel::built_in();
        let (mut built, rails) = (Mesh::default(), rails_mesh(&level, &DARK));
        add_bridges(&mut built, &level, &DARK);
        let track = level.track();
        let mut looked_at = 0;
        for step in 0..(track.length_m() * 2.0) as u32 {
            let (at, way) = track.place_at(f64::from(step) * 0.5);
            let rail = at + DVec3::Z.cross(way).normalize() * 0.75;
            let paved_m = top_m(&built, rail.x, rail.y);
            if paved_m < at.z - 0.5 {
                continue; // no bridge
            }
            let rail_m = top_m(&rails, rail.x, rail.y);
            assert!(rail_m > paved_m, "{rail}: rails at {rail_m} m under {paved_m} m");
            looked_at += 1;
        }
        assert!(looked_at > 100, "{looked_at}");
    }

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
