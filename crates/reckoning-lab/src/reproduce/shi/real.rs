//! The same predictors on recorded people, where recordings lie beside the repository.

use std::time::Duration;

use reckoning_recording::{Recording, load_file};

use super::habits::PlayHabits;
use super::{DELAYS_MS, PREDICTORS, plain, share_of};
use crate::reproduce::pooled::Pooled;
use crate::reproduce::{Effort, Finding, ReportTable, recordings_folder};

/// Recordings of people in one game.
pub(in crate::reproduce) struct RealGame {
    pub(in crate::reproduce) name: &'static str,
    unit: &'static str,
    files: &'static [&'static str],
    /// What makes it unlike SHI's game.
    differs: &'static str,
}

pub(in crate::reproduce) const PLACES: [RealGame; 2] = [
    RealGame {
        name: "QuakeWorld teams",
        unit: "qu",
        files: &[
            "quakeworld/4on4_dm2.csv.zst",
            "quakeworld/4on4_obsidian_win.csv.zst",
            "quakeworld/2on2_dm6_win.csv.zst",
        ],
        differs: "teams spread over the map to hold its items rather than walk together",
    },
    RealGame {
        name: "football",
        unit: "m",
        files: &["football/hawkeye_1_1.csv.zst", "football/skillcorner_2417_half1.csv.zst"],
        differs: "players keep a formation; nobody has health or ammunition, so bravery only \
                  counts heads",
    },
];

impl RealGame {
    /// The recordings that are there: whole at full effort, otherwise their beginnings.
    pub(in crate::reproduce) fn load(&self, effort: Effort) -> Vec<Recording> {
        let Some(folder) = recordings_folder() else { return Vec::new() };
        let files = self.files.iter().filter_map(|file| load_file(&folder.join(file)).ok());
        files.filter_map(|it| begun(it, effort)).collect()
    }

    pub(super) fn finding(&self, found: &Pooled, habits: &PlayHabits) -> Finding {
        let error = |name: &str| found.aee(name, 2100);
        let (ekb, tdm, unit) = (error("ekb"), error("linear"), self.unit);
        let ratio = |delay| found.aee("ekb", delay) / found.aee("linear", delay);
        let text = format!(
            "EKB {ekb:.1} {unit}, TDM {tdm:.1} {unit}: {:.2} of TDM ({:.2} at 300 ms); OAEKB {:.2}",
            ratio(2100),
            ratio(300),
            error("oaekb") / tdm
        );
        let note = format!(
            "EKB sends everyone at top speed towards friends: here players move at {:.2} of it on \
             average, and the cosine between their way and that to their friends is {:.2}, to their \
             old velocity {:.2}; {}; {} predictions on {}",
            habits.speed_share,
            habits.to_friends,
            habits.straight_on,
            self.differs,
            found.count("ekb", 2100),
            self.files.join(", "),
        );
        Finding::new(self.name, text).number("ekb", ekb).number("tdm", tdm).note(note)
    }

    pub(super) fn table(&self, found: &Pooled) -> ReportTable {
        let title = format!("SHI: mean error on {}, in {}", self.name, self.unit);
        let mut table = ReportTable::new(&title, &["predictor"]);
        table.columns.extend(DELAYS_MS.map(|delay| format!("{delay} ms")));
        table.columns.push("updates/s".to_owned());
        for (name, theirs) in PREDICTORS {
            let name = plain(name);
            let errors = DELAYS_MS.map(|delay| format!("{:.2}", found.aee(name, delay)));
            let mut row = vec![theirs.to_owned()];
            row.extend(errors);
            row.push(format!("{:.2}", found.packets(name)));
            table.rows.push(row);
        }
        table
    }
}

/// So much of a recording as the effort allows; `None` if it is empty.
fn begun(mut recording: Recording, effort: Effort) -> Option<Recording> {
    let (start, end) = recording.span()?;
    let seconds = share_of(end.secs_since(start), effort);
    let end = start + Duration::from_secs_f64(seconds);
    for track in &mut recording.tracks {
        track.samples.retain(|sample| sample.at <= end);
    }
    Some(recording)
}
