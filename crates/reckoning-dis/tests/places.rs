//! Places against PROJ and against the published example of EPSG.

use proptest::prelude::*;
use reckoning::dis::quat_from_euler;
use reckoning::{DQuat, DVec3, Kinematics, SimTime};
use reckoning_dis::place::{Geodetic, PlaceError, TangentFrame};

const MILLIMETRE: f64 = 1e-3;

/// Rows of `testdata/enu-points.csv`, which `tools/enu-points.py` wrote by PROJ 9.
fn points() -> Vec<Vec<f64>> {
    let text = include_str!("../testdata/enu-points.csv");
    let rows = text.lines().skip(1);
    rows.map(|row| row.split(',').map(|it| it.parse().unwrap()).collect()).collect()
}

#[test]
fn places_within_fifty_kilometres_agree_with_proj_to_a_micrometre() {
    let mut worst: f64 = 0.0;
    for row in points() {
        let frame = TangentFrame::new(Geodetic::degrees(row[0], row[1], row[2]).unwrap());
        let place = Geodetic::degrees(row[3], row[4], row[5]).unwrap();
        let geocentric = DVec3::new(row[6], row[7], row[8]);
        let local = DVec3::new(row[9], row[10], row[11]);
        assert!(local.truncate().length() < 71_000.0 && local.length() > 1_000.0);
        let offs = [
            (place.geocentric() - geocentric).length(),
            (frame.place_from_geocentric(geocentric) - local).length(),
            (frame.place_to_geocentric(local) - geocentric).length(),
            (Geodetic::from_geocentric(geocentric).geocentric() - geocentric).length(),
        ];
        worst = offs.into_iter().fold(worst, f64::max);
        assert!(worst < MILLIMETRE / 1_000.0, "{row:?}: {offs:?}");
        let read = Geodetic::from_geocentric(geocentric);
        assert!((read.latitude_deg() - row[3]).abs() < 1e-9, "{row:?}: {read:?}");
        assert!((read.longitude_deg() - row[4]).abs() < 1e-7, "{row:?}: {read:?}");
        assert!((read.height_m() - row[5]).abs() < 1e-6, "{row:?}: {read:?}");
    }
    assert_eq!(points().len(), 60);
}

#[test]
fn the_example_of_epsg_9836_comes_out_as_printed() {
    // Guidance Note 7-2: topocentric origin 55 N, 5 E, 200 m.
    let frame = TangentFrame::new(Geodetic::degrees(55.0, 5.0, 200.0).unwrap());
    let origin = frame.place_to_geocentric(DVec3::ZERO);
    assert!(
        (origin - DVec3::new(3_652_755.305_8, 319_574.679_9, 5_201_547.353_6)).length()
            < MILLIMETRE
    );
    let place = DVec3::new(3_771_793.968, 140_253.342, 5_124_304.349);
    let local = frame.place_from_geocentric(place);
    let printed = DVec3::new(-189_013.869, -128_642.040, -4_220.171);
    assert!((local - printed).abs().max_element() < MILLIMETRE, "{local}");
}

#[test]
fn heading_pitch_and_roll_are_what_a_pilot_says() {
    // Level on the equator at Greenwich, nose north: body x is geocentric z, y (right) is east, which
    // is geocentric y, and z (down) is geocentric -x.
    let frame = TangentFrame::new(Geodetic::degrees(0.0, 0.0, 0.0).unwrap());
    let nose_north = Kinematics { orientation: heading(90.0), ..Kinematics::default() };
    let seen = frame.to_geocentric(&nose_north).orientation;
    for (body, world) in [(DVec3::X, DVec3::Z), (DVec3::Y, DVec3::Y), (DVec3::Z, -DVec3::X)] {
        assert!((seen * body - world).length() < 1e-12, "{body}");
    }
    // The standard's angles for it: theta -90 degrees.
    assert!(angle_deg(seen, quat_from_euler(0.0, -90_f64.to_radians(), 0.0)) < 1e-6);
    // Nose up and right wing down, in both frames the same.
    let local = frame.from_geocentric(&Kinematics { orientation: seen, ..Kinematics::default() });
    assert!(angle_deg(local.orientation, heading(90.0)) < 1e-6);
}

#[test]
fn a_place_that_is_none_is_named() {
    let refused = [
        (Geodetic::degrees(91.0, 0.0, 0.0), PlaceError::Latitude { got_deg: 91.0 }),
        (Geodetic::degrees(0.0, -181.0, 0.0), PlaceError::Longitude { got_deg: -181.0 }),
        (Geodetic::degrees(0.0, 0.0, 1e8), PlaceError::Height { got_m: 1e8 }),
    ];
    for (result, error) in refused {
        assert_eq!(result, Err(error));
    }
    assert!(Geodetic::degrees(f64::NAN, 0.0, 0.0).is_err());
    let pole = Geodetic::from_geocentric(DVec3::Z * 6_356_752.314_245);
    assert!((pole.latitude_deg() - 90.0).abs() < 1e-9 && pole.height_m().abs() < 1e-3);
}

fn heading(degrees: f64) -> DQuat {
    DQuat::from_rotation_z(degrees.to_radians())
}

fn angle_deg(a: DQuat, b: DQuat) -> f64 {
    2.0 * a.dot(b).abs().min(1.0).acos().to_degrees()
}

prop_compose! {
    fn motion()(
        vectors in [vector(1e5), vector(1e3), vector(1e2), vector(5.0)],
        angles in vector(3.0),
    ) -> Kinematics {
        let [position, velocity, acceleration, angular_velocity] = vectors;
        let orientation = quat_from_euler(angles.x, angles.y, angles.z);
        let at = SimTime::ZERO;
        Kinematics { at, position, velocity, acceleration, orientation, angular_velocity }
    }
}

fn vector(most: f64) -> impl Strategy<Value = DVec3> {
    proptest::array::uniform3(-most..most).prop_map(DVec3::from_array)
}

proptest! {
    #[test]
    fn motion_survives_the_way_there_and_back(
        there in motion(), latitude in -90.0..90.0, longitude in -180.0..180.0,
    ) {
        let frame = TangentFrame::new(Geodetic::degrees(latitude, longitude, 100.0).unwrap());
        let back = frame.from_geocentric(&frame.to_geocentric(&there));
        prop_assert!((back.position - there.position).length() < 1e-8);
        prop_assert!((back.velocity - there.velocity).length() < 1e-10);
        prop_assert!((back.acceleration - there.acceleration).length() < 1e-11);
        prop_assert!((back.angular_velocity - there.angular_velocity).length() < 1e-12);
        prop_assert!(angle_deg(back.orientation, there.orientation) < 1e-5);
    }

    #[test]
    fn a_nose_points_where_it_goes_in_both_frames(
        there in motion(), latitude in -90.0..90.0, longitude in -180.0..180.0,
    ) {
        let frame = TangentFrame::new(Geodetic::degrees(latitude, longitude, 100.0).unwrap());
        let ahead = Kinematics { velocity: there.orientation * DVec3::X * 50.0, ..there };
        let seen = frame.to_geocentric(&ahead);
        prop_assert!((seen.orientation * DVec3::X * 50.0 - seen.velocity).length() < 1e-9);
        let left = Kinematics { velocity: there.orientation * DVec3::Y * 50.0, ..there };
        let seen = frame.to_geocentric(&left);
        prop_assert!((seen.orientation * DVec3::NEG_Y * 50.0 - seen.velocity).length() < 1e-9);
    }
}
