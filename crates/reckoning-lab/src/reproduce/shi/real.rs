//! The same predictors on recorded people, where recordings lie beside the repository.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{DELAYS_MS, PREDICTORS};
use crate::recording::{Recording, load_file};
use crate::reproduce::pooled::Pooled;
use crate::reproduce::{Claim, Document, Table, Verdict};

/// More of a recording would take long and say little else.
const LONGEST_S: u32 = 30;

/// One recording of people.
pub(super) struct Place {
    pub(super) name: &'static str,
    unit: &'static str,
    file: &'static str,
}

pub(super) const PLACES: [Place; 2] = [
    Place {
        name: "QuakeWorld, four against four",
        unit: "qu",
        file: "quakeworld/4on4_dm2.csv.zst",
    },
    Place { name: "football", unit: "m", file: "football/hawkeye_1_1.csv.zst" },
];

/// Where recordings are looked for: `RECKONING_DATA`, or `shared/data` beside the repository.
fn folder() -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    std::env::var_os("RECKONING_DATA").map_or_else(beside, PathBuf::from)
}

impl Place {
    /// The beginning of the recording; `None` when it is not there.
    pub(super) fn load(&self, seconds: u32) -> Option<Vec<Recording>> {
        let mut recording = load_file(&folder().join(self.file)).ok()?;
        let (start, _) = recording.span()?;
        let end = start + Duration::from_secs(seconds.clamp(10, LONGEST_S).into());
        for track in &mut recording.tracks {
            track.samples.retain(|sample| sample.at <= end);
            track.extras.clear();
        }
        Some(vec![recording])
    }

    pub(super) fn claim(&self, found: Option<&Pooled>) -> Claim {
        let (measured, verdict, why) = match found {
            Some(found) => self.judged(found),
            None => (
                "nothing".to_owned(),
                Verdict::NotComparable,
                "the recordings are not beside the repository (shared/data, or RECKONING_DATA)"
                    .to_owned(),
            ),
        };
        let claim = format!("On real movement ({}) EKB errs less than TDM at 2100 ms", self.name);
        let published = "0.65 of TDM, on people playing SHI's game".to_owned();
        Claim { document: Document::Shi, claim, published, measured, verdict, why }
    }

    fn judged(&self, found: &Pooled) -> (String, Verdict, String) {
        let error = |name: &str| found.aee(name, 2100);
        let (ekb, tdm, unit) = (error("ekb"), error("linear"), self.unit);
        let measured = format!("EKB {ekb:.1} {unit}, TDM {tdm:.1} {unit}: {:.2} of TDM", ekb / tdm);
        let why = format!(
            "below 1; {} predictions at most {LONGEST_S} s into the recording, lengths scaled by \
             body width, another game than SHI's",
            found.count("ekb", 2100)
        );
        (measured, Verdict::of(ekb < tdm), why)
    }

    pub(super) fn table(&self, found: &Pooled) -> Table {
        let title = format!("SHI: mean error on {}, in {}", self.name, self.unit);
        let mut table = Table::new(&title, &["predictor"]);
        table.columns.extend(DELAYS_MS.map(|delay| format!("{delay} ms")));
        table.columns.push("updates/s".to_owned());
        for (name, theirs) in PREDICTORS {
            let errors = DELAYS_MS.map(|delay| format!("{:.2}", found.aee(name, delay)));
            let mut row = vec![theirs.to_owned()];
            row.extend(errors);
            row.push(format!("{:.2}", found.packets(name)));
            table.rows.push(row);
        }
        table
    }
}
