//! What MURPHY says of oscillations: how unsteady a circle is shown, by the book.

use std::time::Duration;

use reckoning::random::SplitMix64;
use reckoning::{Kinematics, SimTime};

use super::by_book::{BookBlend, BookSetting, BookSpan, shown};
use super::drive::CircleDrive;
use crate::reproduce::{Effort, Finding, ReportTable};
use crate::stats::Spread;

/// The circle of the wobbles, with the interval of its updates in seconds.
const SPEED_MPS: f64 = 8.0;
const RADIUS_M: f64 = 10.0;
const GAP_S: f64 = 1.0 / 3.0;
/// The picture needs a while to settle.
const SETTLED_S: f64 = 2.0;

/// How frames and updates come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pace {
    /// 60 frames a second, every twentieth with an update.
    Regular,
    /// The same frames, updates after half to one and a half of the interval.
    Updates,
    /// Frames of 8 to 50 ms, updates in the first frame after each third of a second.
    Frames,
}

/// The blends and spans that are compared, by name.
const WAYS: [(&str, BookBlend, bool); 6] = [
    ("plain projective", BookBlend::Plain, false),
    ("projective", BookBlend::Projective, false),
    ("projective, previous A", BookBlend::ProjectivePrevious, false),
    ("projective, average T", BookBlend::Projective, true),
    ("bezier", BookBlend::Bezier, false),
    ("catmull-rom", BookBlend::CatmullRom, false),
];
const PLAIN: usize = 0;
const PROJECTIVE: usize = 1;
const PREVIOUS: usize = 2;
const AVERAGE: usize = 3;
const BEZIER: usize = 4;
const CATMULL: usize = 5;

/// One way at one pace: without and with acceleration.
#[derive(Clone, Copy, Debug)]
struct Wobble {
    /// The standard deviation of the shown radius in millimetres.
    wobble_mm: [f64; 2],
    /// The mean distance from the truth in millimetres.
    error_mm: [f64; 2],
}

/// By pace and way.
struct Wobbles([[Wobble; 6]; 3]);

/// Drives the circle in every way at every pace.
pub(super) fn run(effort: Effort) -> (Vec<Finding>, ReportTable) {
    let seconds = f64::from(effort.seconds.min(120));
    let wobbles = Wobbles([Pace::Regular, Pace::Updates, Pace::Frames].map(|pace| {
        let (frames, arrivals) = drive(pace, seconds);
        WAYS.map(|(_, blend, averages)| wobble(blend, averages, &frames, &arrivals))
    }));
    let findings = vec![
        wobbles.plain("plain blending", Pace::Regular),
        wobbles.plain("plain blending, irregular", Pace::Updates),
        wobbles.last_acceleration("last acceleration", Pace::Regular),
        wobbles.last_acceleration("last acceleration, irregular", Pace::Updates),
        wobbles.forgiving("irregular updates", Pace::Updates),
        wobbles.forgiving("irregular frames", Pace::Frames),
        wobbles.average(),
    ];
    (findings, wobbles.table())
}

/// The truth of every frame, and whether an update arrives in it.
fn drive(pace: Pace, seconds: f64) -> (Vec<Kinematics>, Vec<bool>) {
    let circle = CircleDrive {
        speed_mps: SPEED_MPS,
        radius_m: RADIUS_M,
        updates_per_s: 3,
        accelerating: true,
    };
    let mut random = SplitMix64::new(18);
    let (mut frames, mut arrivals) = (vec![circle.truth(SimTime::ZERO)], vec![false]);
    let (mut now_s, mut due_s) = (0.0, GAP_S);
    while now_s < seconds {
        now_s += match pace {
            Pace::Frames => random.between(1.0 / 120.0, 1.0 / 20.0),
            Pace::Regular | Pace::Updates => 1.0 / 60.0,
        };
        // Half a microsecond: the clock counts whole ones.
        let arrives = now_s + 5e-7 >= due_s;
        if arrives {
            due_s += match pace {
                Pace::Updates => GAP_S * random.between(0.5, 1.5),
                Pace::Regular | Pace::Frames => GAP_S,
            };
        }
        frames.push(circle.truth(SimTime::ZERO + Duration::from_secs_f64(now_s)));
        arrivals.push(arrives);
    }
    (frames, arrivals)
}

fn wobble(blend: BookBlend, averages: bool, frames: &[Kinematics], arrivals: &[bool]) -> Wobble {
    let span = if averages { BookSpan::Average(GAP_S) } else { BookSpan::Fixed(GAP_S) };
    let of = |accelerating| {
        let setting = BookSetting { blend, span, accelerating };
        let shown = shown(setting, frames, |frame| arrivals[frame]);
        let settled = frames.iter().zip(&shown);
        let settled = settled.filter(|(truth, _)| truth.at.as_secs_f64() > SETTLED_S);
        let (radii, errors): (Vec<f64>, Vec<f64>) =
            settled.map(|(truth, shown)| (shown.length(), shown.distance(truth.position))).unzip();
        [1000.0 * Spread::from_values(&radii).deviation, 1000.0 * Spread::from_values(&errors).mean]
    };
    let [without, with] = [of(false), of(true)];
    Wobble { wobble_mm: [without[0], with[0]], error_mm: [without[1], with[1]] }
}

/// Without and with acceleration.
fn pair(values: [f64; 2]) -> String {
    format!("{:.1} and {:.1}", values[0], values[1])
}

impl Wobbles {
    fn of(&self, pace: Pace, way: usize) -> Wobble {
        self.0[pace as usize][way]
    }

    fn mm(&self, pace: Pace, way: usize) -> [f64; 2] {
        self.of(pace, way).wobble_mm
    }

    fn plain(&self, measure: &str, pace: Pace) -> Finding {
        let [plain, blended, bezier, catmull] =
            [PLAIN, PROJECTIVE, BEZIER, CATMULL].map(|way| self.mm(pace, way));
        let text = format!(
            "without and with acceleration the shown radius varies by {} mm, with the blended \
             velocity by {}; Bezier {}, Catmull-Rom {}",
            pair(plain),
            pair(blended),
            pair(bezier),
            pair(catmull)
        );
        Finding::new(measure, text)
            .list("plain", &plain)
            .list("bezier", &bezier)
            .list("catmull", &catmull)
    }

    fn last_acceleration(&self, measure: &str, pace: Pace) -> Finding {
        let [last, previous] = [PROJECTIVE, PREVIOUS].map(|way| self.of(pace, way));
        let text = format!(
            "mean error {:.1} mm against {:.1} with the previous acceleration, wobble {:.2} against \
             {:.2} mm",
            last.error_mm[1], previous.error_mm[1], last.wobble_mm[1], previous.wobble_mm[1]
        );
        Finding::new(measure, text)
            .number("error", last.error_mm[1])
            .number("error_previous", previous.error_mm[1])
            .number("wobble", last.wobble_mm[1])
            .number("wobble_previous", previous.wobble_mm[1])
    }

    fn forgiving(&self, measure: &str, pace: Pace) -> Finding {
        let ways = [PROJECTIVE, BEZIER, CATMULL];
        let [projective, bezier, catmull] = ways.map(|way| self.mm(pace, way));
        let [risen, bezier_risen, catmull_risen] = ways.map(|way| {
            let (now, regular) = (self.mm(pace, way), self.mm(Pace::Regular, way));
            [now[0] - regular[0], now[1] - regular[1]]
        });
        let text = format!(
            "without and with acceleration projective velocity varies by {} mm, {} more than when \
             regular; Bezier by {}, {} more; Catmull-Rom by {}, {} more",
            pair(projective),
            pair(risen),
            pair(bezier),
            pair(bezier_risen),
            pair(catmull),
            pair(catmull_risen)
        );
        Finding::new(measure, text)
            .list("projective", &projective)
            .list("bezier", &bezier)
            .list("catmull", &catmull)
            .list("risen", &risen)
            .list("bezier_risen", &bezier_risen)
            .list("catmull_risen", &catmull_risen)
    }

    fn average(&self) -> Finding {
        let [fixed, average] = [PROJECTIVE, AVERAGE].map(|way| self.mm(Pace::Updates, way));
        let text = format!(
            "without and with acceleration the shown radius varies by {} mm with a running average, \
             by {} with a fixed span",
            pair(average),
            pair(fixed)
        );
        Finding::new("running average", text).list("average", &average).list("fixed", &fixed)
    }

    fn table(&self) -> ReportTable {
        let title = "MURPHY by the book, V0 seen on screen, 8 m/s round 10 m, three updates a \
                     second: how much the shown radius varies and the mean error, in mm, without \
                     and with acceleration";
        let columns =
            ["blend", "pace", "wobble", "with accel", "error", "with accel"].map(str::to_owned);
        let mut table = ReportTable { columns: columns.to_vec(), ..ReportTable::new(title, &[]) };
        for (pace, ways) in ["regular", "irregular updates", "irregular frames"].iter().zip(&self.0)
        {
            for ((name, ..), found) in WAYS.iter().zip(ways) {
                let numbers = found.wobble_mm.into_iter().chain(found.error_mm);
                let cells = numbers.map(|mm| format!("{mm:.1}"));
                let head = [(*name).to_owned(), (*pace).to_owned()];
                table.rows.push(head.into_iter().chain(cells).collect());
            }
        }
        table
    }
}
