//! Promises of the walls.

use super::*;

fn at(x: f64, y: f64) -> DVec3 {
    DVec3::new(x, y, 0.0)
}

/// A turned box, a triangle and a thin wall.
fn yard() -> Walls {
    let box_ = Outline::Box {
        center: at(10.0, 0.0),
        half_x_m: 3.0,
        half_y_m: 1.0,
        yaw_rad: core::f64::consts::FRAC_PI_2,
    };
    let triangle = [at(-8.0, -2.0), at(-5.0, 4.0), at(-2.0, -2.0)]; // clockwise
    let door = Outline::Line(at(20.0, -5.0), at(20.0, 5.0));
    let low = Wall { bottom_m: 0.0, top_m: 2.0, ..Wall::from(door) };
    Walls::new([Wall::from(box_), Wall::from(Outline::Polygon(&triangle)), low]).unwrap()
}

#[test]
fn a_path_is_met_by_the_nearest_wall_whose_normal_faces_it() {
    let hit = yard().first_hit(at(0.0, 0.0), at(30.0, 0.0)).unwrap();
    assert!((hit.point - at(9.0, 0.0)).length() < 1e-12, "{hit:?}");
    assert!((hit.normal + DVec3::X).length() < 1e-12, "{hit:?}");

    let hit = yard().first_hit(at(30.0, 0.0), at(0.0, 0.0)).unwrap();
    assert!((hit.point - at(20.0, 0.0)).length() < 1e-12, "{hit:?}");
    assert!((hit.normal - DVec3::X).length() < 1e-12, "{hit:?}");
}

#[test]
fn a_wall_stops_at_its_height_only() {
    let over = DVec3::new(18.0, 0.0, 3.0);
    assert!(yard().sees(over, over + DVec3::X * 4.0));
    assert!(!yard().sees(over, DVec3::new(22.0, 0.0, 0.5)), "slants down into it");
    assert_eq!(yard().free_m(at(18.0, 0.0), DVec3::X * 7.0, 50.0), 2.0);
}

#[test]
fn inside_is_inside_of_boxes_and_polygons_and_leaving_is_free() {
    for (x, y, inside) in [
        (10.0, 2.9, true),
        (10.9, 2.9, true),
        (11.1, 0.0, false),
        (10.0, 3.1, false),
        (-5.0, 3.5, true),
        (-7.0, 2.0, false),
        (20.0, 0.0, false),
    ] {
        assert_eq!(yard().inside(at(x, y)), inside, "{x}, {y}");
    }
    assert!(yard().sees(at(10.0, 0.0), at(15.0, 0.0)));
    assert!(!yard().sees(at(15.0, 0.0), at(10.0, 0.0)));
}

#[test]
fn distances_are_to_the_nearest_line_and_zero_inside() {
    assert_eq!(yard().distance(at(10.0, 1.0), 5.0), Some(0.0));
    assert!((yard().distance(at(10.0, 5.0), 5.0).unwrap() - 2.0).abs() < 1e-12);
    assert!((yard().distance(at(23.0, 9.0), 5.0).unwrap() - 5.0).abs() < 1e-12);
    assert_eq!(yard().distance(at(10.0, 5.0), 1.5), None);
}

#[test]
fn rays_all_round_start_ahead_and_turn_left() {
    let mut free = [0.0; 4];
    yard().feel(at(15.0, 0.0), 0.0, 40.0, &mut free);
    assert!((free[0] - 5.0).abs() < 1e-9 && (free[2] - 4.0).abs() < 1e-9, "{free:?}");
    assert_eq!((free[1], free[3]), (40.0, 40.0));
}

#[test]
fn the_grid_finds_what_trying_every_wall_finds() {
    // Lines in all directions, at places that often lie on the grid's own lines.
    let lines: Vec<WallLine> = (0..60)
        .map(|n| {
            let (a, angle) = (at(f64::from(n * 7 % 20), f64::from(n * 13 % 20)), f64::from(n));
            let b = a + at(cos(angle), sin(angle)) * (1.0 + f64::from(n % 4));
            (a, b)
        })
        .map(|(a, b)| {
            let walls = Walls::new([Wall::from(Outline::Line(a, b))]).unwrap();
            walls.lines[0]
        })
        .collect();
    let walls = Walls::new(lines.iter().map(|line| {
        Wall::from(Outline::Line(line.a.extend(0.0), (line.a + line.way).extend(0.0)))
    }))
    .unwrap();
    for n in 0..2000 {
        let from = DVec2::new(f64::from(n * 3 % 23) - 1.5, f64::from(n * 11 % 23) - 1.5);
        let to = DVec2::new(f64::from(n * 5 % 21), f64::from(n * 17 % 22) - 0.25);
        let brute =
            lines.iter().filter_map(|line| line.met(from, to - from)).min_by(f64::total_cmp);
        let hit = walls.first_hit(from.extend(0.0), to.extend(0.0));
        let found = hit.map(|hit| (hit.point.truncate() - from).length());
        match (found, brute) {
            (Some(got), Some(t)) => {
                assert!((got - t * (to - from).length()).abs() < 1e-9, "path {n}");
            }
            (got, brute) => assert_eq!(got.is_some(), brute.is_some(), "path {n}"),
        }
    }
}

#[test]
fn a_step_into_a_wall_ends_before_it_and_slides_along() {
    let walls = yard();
    let ended = keep_out(&walls, at(19.0, 0.0), at(21.0, 1.0));
    assert!(ended.x < 20.0 && (ended.y - 1.0).abs() < 0.02, "{ended}");
    let mut body = at(19.0, 0.0);
    for step in 0..1000 {
        body = keep_out(&walls, body, body + at(0.5, 0.004));
        assert!(body.x < 20.0 || body.y > 5.0, "step {step}: {body}");
    }
}

#[test]
fn things_that_are_no_walls_do_not_construct() {
    let flat = [DVec3::ZERO, DVec3::X, DVec3::X * 2.0];
    let bad = [
        Wall::from(Outline::Line(DVec3::ZERO, DVec3::Z)),
        Wall::from(Outline::Polygon(&flat)),
        Wall::from(Outline::Line(DVec3::ZERO, DVec3::X * f64::NAN)),
        Wall { bottom_m: 2.0, top_m: 2.0, ..Outline::Line(DVec3::ZERO, DVec3::X).into() },
    ];
    let good = Wall::from(Outline::Line(DVec3::ZERO, DVec3::X));
    for wall in bad {
        assert_eq!(Walls::new([good, wall]), Err(TerrainError::WallShape { index: 1 }));
    }
    assert!(Walls::new([]).unwrap().sees(DVec3::ZERO, DVec3::X));
}
