//! MURPHY's circle: projective velocity blending against a cubic Bezier. The lab, which runs
//! the experiment for its tables, holds the circles.

#[path = "../../reckoning-lab/src/reproduce/murphy/drive.rs"]
mod drive;

use drive::{PUBLISHED, grid};
use reckoning::Blend;

#[test]
fn projective_velocity_is_closer_than_bezier_on_every_circle() {
    println!("updates/s accel  speed radius  turn/update  bezier m  PVB closer");
    for drive in grid() {
        let closer = drive.closer_percent(Blend::ProjectiveVelocity);
        println!(
            "{:>9} {:>5} {:>6} {:>6}  {:>11.2} {:>9.4} {closer:>9.2} %",
            drive.updates_per_s,
            drive.accelerating,
            drive.speed_mps,
            drive.radius_m,
            drive.turn_rad(),
            drive.mean_error_m(Blend::Bezier),
        );
        assert!(closer > 0.0, "{drive:?}: {closer} %");
    }
}

/// What MURPHY printed, we find again with the printed formula while the vehicle drives less
/// than about a radian between updates, and not beyond: there neither straight lines nor
/// parabolas say anything about the next update, and the printed form loses by up to 4 %.
#[test]
fn the_printed_form_is_as_much_closer_as_was_published_until_the_turns_get_wide() {
    println!("updates/s accel  published  turns up to 0.5 rad  0.5 to 1.3 rad  above 1.5 rad");
    for (updates_per_s, published) in PUBLISHED {
        for accelerating in [false, true] {
            let mean = |from_rad: f64, to_rad: f64| {
                let drives = grid().filter(|d| {
                    d.updates_per_s == updates_per_s
                        && d.accelerating == accelerating
                        && (from_rad..to_rad).contains(&d.turn_rad())
                });
                let closer: Vec<f64> =
                    drives.map(|d| d.closer_percent(Blend::ProjectiveVelocityPrinted)).collect();
                closer.iter().sum::<f64>() / closer.len() as f64
            };
            let [gentle, wide, wild] = [mean(0.0, 0.5), mean(0.5, 1.3), mean(1.5, 99.0)];
            println!(
                "{updates_per_s:>9} {accelerating:>5} {published:>8} % {gentle:>18.2} % \
                 {wide:>13.2} % {wild:>12.2} %"
            );
            assert!((gentle - published).abs() < 3.0, "{gentle} %, published {published} %");
            assert!(wide > 0.0 && wild < 0.0, "{wide} %, {wild} %");
        }
    }
}
