//! MURPHY on continuity: jumps of the picture when an update arrives.

use reckoning::{Blend, Model};

use super::follow::{ACCELERATING, Followed, Jump, follow};
use super::{MOTIONS, claim};
use crate::reproduce::{Claim, ClaimVerdict, Effort, ReportTable};
use crate::scenes::blend_name;
use crate::stats::Spread;
use crate::{Motion, TICK_HZ};

const UPDATES_PER_S: u32 = 3;
/// A jump below this is rounding.
const NOTHING: f64 = 1e-6;

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
pub(super) fn run(effort: Effort) -> (Vec<Claim>, ReportTable) {
    let rows = Blend::ALL.map(|blend| row(blend, effort));
    let claims = vec![printed(&rows), ours(&rows), wiggles(&rows)];
    (claims, table(&rows))
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

fn printed(rows: &[ContinuityRow]) -> Claim {
    let row = row_of(rows, Blend::ProjectiveVelocityPrinted);
    let (most, off) = (row.most(|jump| jump.velocity_mps), row.most(|jump| jump.off_printed_mps));
    let error_m = row.most(|jump| jump.error_m);
    claim(
        "Starting projective velocity from the velocity seen on screen keeps motion C1",
        "in words (18.4)",
        format!(
            "as printed, the shown velocity jumps by up to {most:.2} m/s at an update that reveals \
             up to {error_m:.2} m; that is -e0/T, to {off:.0e} m/s"
        ),
        ClaimVerdict::from_holds(most < NOTHING),
        "the lerp of the two projections has the slope -e0/T from its start on",
    )
}

fn ours(rows: &[ContinuityRow]) -> Claim {
    let row = row_of(rows, Blend::ProjectiveVelocity);
    let (velocity, position) =
        (row.most(|jump| jump.velocity_mps), row.most(|jump| jump.position_m));
    claim(
        "An update need not show: position and velocity go on as they were",
        "the aim of 18.2 and 18.4",
        format!(
            "projective velocity as the engine has it: at most {position:.0e} m and {velocity:.0e} \
             m/s at an update"
        ),
        ClaimVerdict::from_holds(velocity < NOTHING && position < NOTHING),
        "its weights start flat, unlike those of the printed formula",
    )
}

fn wiggles(rows: &[ContinuityRow]) -> Claim {
    let wobble = |blend| row_of(rows, blend).wobble_m;
    let (bezier, catmull) = (wobble(Blend::Bezier), wobble(Blend::CatmullRom));
    let (printed, ours) =
        (wobble(Blend::ProjectiveVelocityPrinted), wobble(Blend::ProjectiveVelocity));
    let mm = |pair: [f64; 2]| pair.map(|m| format!("{:.0}", 1000.0 * m)).join(" and ");
    claim(
        "Splines oscillate more than projective velocity on a circle",
        "in words (18.3) and Figure 18.4",
        format!(
            "the shown radius varies by, without and with acceleration: Bezier {} mm, Catmull-Rom \
             {} mm, projective velocity as printed {} mm, ours {} mm",
            mm(bezier),
            mm(catmull),
            mm(printed),
            mm(ours)
        ),
        ClaimVerdict::from_holds(
            [0, 1]
                .iter()
                .all(|&kind| printed[kind] < bezier[kind] && printed[kind] < catmull[kind]),
        ),
        "standard deviation of the radius at 8 m/s round 10 m, three updates a second, the \
         printed formula",
    )
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
