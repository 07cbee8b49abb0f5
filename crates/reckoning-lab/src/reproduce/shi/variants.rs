//! EKB with one term changed at a time: which part of it costs what.

use reckoning_recording::Recording;

use super::{BOUND_PX, EKB, compared};
use crate::reproduce::ReportTable;
use crate::reproduce::pooled::Pooled;

/// (17) without its `l`, as SHI prints it: everyone farther than a body away then turns from
/// the old velocity to the patterns within a second.
pub(super) const PRINTED: &str = "ekb(px=1,l=1)";
const VARIANTS: [(&str, &str); 10] = [
    ("linear", "TDM"),
    ("hold", "stand still"),
    (EKB, "EKB"),
    (PRINTED, "EKB, (17) as printed: m without l"),
    ("ekb(px=1,l=0)", "EKB, no transition"),
    ("ekb(px=1,W=0)", "EKB, never in battle"),
    ("ekb(px=1,q=1)", "EKB, in battle only follow"),
    ("ekb(px=1,q=0)", "EKB, in battle only bravery"),
    ("ekb(px=1,r=1)", "EKB, otherwise only follow"),
    ("ekb(px=1,r=0)", "EKB, otherwise only align"),
];
/// Of each session only so much is asked: the differences are large.
const SHARE: usize = 4;
const SHOWN_MS: [u64; 3] = [300, 900, 2100];

/// What was found.
pub(super) struct Variants(Pooled);

impl Variants {
    pub(super) fn new(played: &[Recording]) -> Self {
        let begun: Vec<Recording> = played.iter().map(begun).collect();
        let names = VARIANTS.map(|(name, _)| name);
        Self(Pooled(compared(&begun, &names, Some(BOUND_PX), false)))
    }

    pub(super) fn aee(&self, name: &str, delay_ms: u64) -> f64 {
        self.0.aee(name, delay_ms)
    }

    /// In percent.
    pub(super) fn hits(&self, name: &str, delay_ms: u64) -> f64 {
        100.0 * self.0.hits(name, delay_ms)
    }

    /// The least error of the variants that keep SHI's transition.
    pub(super) fn best(&self, delay_ms: u64) -> f64 {
        let others = VARIANTS[2..].iter().filter(|(name, _)| *name != PRINTED);
        others.map(|(name, _)| self.aee(name, delay_ms)).fold(f64::INFINITY, f64::min)
    }

    pub(super) fn table(&self) -> ReportTable {
        let title = "SHI: EKB with one term changed, bots, a quarter of each session: mean error \
                     in px, hits within 45 px in percent";
        let mut table = ReportTable::new(title, &["predictor"]);
        table.columns.extend(SHOWN_MS.map(|delay| format!("{delay} ms")));
        table.columns.extend(SHOWN_MS.map(|delay| format!("hits {delay} ms")));
        for (name, meant) in VARIANTS {
            let errors = SHOWN_MS.map(|delay| format!("{:.1}", self.aee(name, delay)));
            let hits = SHOWN_MS.map(|delay| format!("{:.1}", self.hits(name, delay)));
            table.rows.push([meant.to_owned()].into_iter().chain(errors).chain(hits).collect());
        }
        table
    }
}

fn begun(whole: &Recording) -> Recording {
    let mut begun = whole.clone();
    for track in &mut begun.tracks {
        track.samples.truncate(track.samples.len() / SHARE);
    }
    begun
}
