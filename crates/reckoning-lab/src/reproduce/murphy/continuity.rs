//! MURPHY on continuity: jumps of the picture when an update arrives.

use reckoning::{Blend, Model};

use super::MOTIONS;
use super::follow::{ACCELERATING, Followed, Jump, follow};
use crate::reproduce::{Effort, Finding, ReportTable};
use crate::scenes::blend_name;
use crate::stats::Spread;
use crate::{Motion, TICK_HZ};

const UPDATES_PER_S: u32 = 3;

/// One blend over all motions.
struct ContinuityRow {
    blend: Blend,
    jumps: Vec<Jump>,
    /// How unsteady the radius of a circle is shown, without and with acceleration.
    wobble_m: [f64; 2],
}

impl ContinuityRow {
    fn most(&self, number: fn(&Jump) -> f64) -> f64 {
        self.jumps.iter().map(number).fold(0.0, f64::max)
    }
}

/// Runs every blend over every motion.
pub(super) fn run(effort: Effort) -> (Vec<Finding>, ReportTable) {
    let rows = Blend::ALL.map(|blend| row(blend, effort));
    let findings = vec![printed(&rows), ours(&rows), wiggles(&rows)];
    (findings, table(&rows))
}

fn row(blend: Blend, effort: Effort) -> ContinuityRow {
    let ticks = effort.seconds.min(60) * TICK_HZ;
    let jumps = MOTIONS.into_iter().flat_map(|motion| {
        let track = motion.track(ticks);
        follow(&track, &track, ACCELERATING, blend, UPDATES_PER_S).jumps
    });
    let circle = Motion::Circle.track(ticks);
    let wobble_m = [Model::Linear, ACCELERATING]
        .map(|model| wobble_m(&follow(&circle, &circle, model, blend, UPDATES_PER_S)));
    ContinuityRow { blend, jumps: jumps.collect(), wobble_m }
}

/// The standard deviation of the distance from the circle's middle, which lies 10 m to the
/// left of its start. The first second is not counted.
fn wobble_m(followed: &Followed) -> f64 {
    let middle = followed.shown[0] + reckoning::DVec3::Y * 10.0;
    let settled = followed.shown.iter().skip(TICK_HZ as usize);
    Spread::from_values(&settled.map(|shown| shown.distance(middle)).collect::<Vec<_>>()).deviation
}

fn row_of(rows: &[ContinuityRow], blend: Blend) -> &ContinuityRow {
    rows.iter().find(|row| row.blend == blend).expect("every blend is run")
}

fn printed(rows: &[ContinuityRow]) -> Finding {
    let row = row_of(rows, Blend::ProjectiveVelocityPrinted);
    let (most, off) = (row.most(|jump| jump.velocity_mps), row.most(|jump| jump.off_printed_mps));
    let error_m = row.most(|jump| jump.error_m);
    let text = format!(
        "as printed, the shown velocity jumps by up to {most:.2} m/s at an update that reveals up \
         to {error_m:.2} m; that is -e0/T, to {off:.0e} m/s"
    );
    Finding::new("jumps as printed", text).number("velocity", most)
}

fn ours(rows: &[ContinuityRow]) -> Finding {
    let row = row_of(rows, Blend::ProjectiveVelocity);
    let (velocity, position) =
        (row.most(|jump| jump.velocity_mps), row.most(|jump| jump.position_m));
    let text = format!(
        "projective velocity as the engine has it: at most {position:.0e} m and {velocity:.0e} \
         m/s at an update"
    );
    Finding::new("jumps as the engine has it", text)
        .number("velocity", velocity)
        .number("position", position)
}

fn wiggles(rows: &[ContinuityRow]) -> Finding {
    let wobble = |blend| row_of(rows, blend).wobble_m;
    let (bezier, catmull) = (wobble(Blend::Bezier), wobble(Blend::CatmullRom));
    let (printed, ours) =
        (wobble(Blend::ProjectiveVelocityPrinted), wobble(Blend::ProjectiveVelocity));
    let mm = |pair: [f64; 2]| pair.map(|m| format!("{:.0}", 1000.0 * m)).join(" and ");
    let text = format!(
        "the shown radius varies by, without and with acceleration: Bezier {} mm, Catmull-Rom {} \
         mm, projective velocity as printed {} mm, ours {} mm",
        mm(bezier),
        mm(catmull),
        mm(printed),
        mm(ours)
    );
    Finding::new("wobble", text)
        .list("printed", &printed)
        .list("bezier", &bezier)
        .list("catmull", &catmull)
}

fn table(rows: &[ContinuityRow]) -> ReportTable {
    let title = "MURPHY on continuity, three updates a second with acceleration: what the picture \
                 does when an update arrives, over five motions, and how unsteady a circle is shown";
    let columns =
        ["blend", "jump m", "jump m/s", "mean m/s", "revealed m", "wobble mm", "with accel mm"];
    let mut table = ReportTable::new(title, &columns);
    for row in rows {
        let speeds: Vec<f64> = row.jumps.iter().map(|jump| jump.velocity_mps).collect();
        table.rows.push(vec![
            blend_name(row.blend).to_owned(),
            format!("{:.3}", row.most(|jump| jump.position_m)),
            format!("{:.3}", row.most(|jump| jump.velocity_mps)),
            format!("{:.3}", Spread::from_values(&speeds).mean),
            format!("{:.3}", row.most(|jump| jump.error_m)),
            format!("{:.1}", 1000.0 * row.wobble_m[0]),
            format!("{:.1}", 1000.0 * row.wobble_m[1]),
        ]);
    }
    table
}
