//! What a recording lacks that a comparison or a map needs: bad data must not look perfect.

use std::time::Duration;

use reckoning_recording::{Recording, Sample, Track};

use crate::compare::prepare::{WINDOW, plays};

/// What is wrong with one recording, in counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DataFaults {
    /// Samples of all bodies.
    pub samples: u64,
    /// Samples whose body has another one of the same moment.
    pub repeated: u64,
    /// Bodies that are left out because their id is negative; a ball is not among them.
    pub negative_ids: u64,
    /// Samples of living bodies whose velocity the past of their stretch tells.
    pub usable: u64,
    /// Pauses of more than ten steps inside a stretch that is said to be continuous.
    pub gaps: u64,
    /// Whether it does not say how wide a body is.
    pub no_width: bool,
}

/// A pause of so many steps is no step.
const STEPS_OF_A_GAP: f64 = 10.0;

impl DataFaults {
    /// Looks through a recording.
    #[must_use]
    pub fn of(recording: &Recording) -> Self {
        let width = recording.meta.body_width;
        let is_ball = |track: &Track| track.id == -1 && track.team == -1;
        let negative = |track: &&Track| track.id < 0 && !is_ball(track);
        let mut faults = Self {
            samples: recording.sample_count() as u64,
            negative_ids: recording.tracks.iter().filter(negative).count() as u64,
            no_width: !(width.is_finite() && width > 0.0),
            ..Self::default()
        };
        let step_s = if recording.meta.rate_hz > 0.0 { 1.0 / recording.meta.rate_hz } else { 0.0 };
        for track in &recording.tracks {
            for stretch in track.segments() {
                let pair = |pair: &[Sample]| pair[1].at.secs_since(pair[0].at);
                faults.repeated += stretch.windows(2).filter(|it| pair(it) == 0.0).count() as u64;
                let is_gap = |it: &&[Sample]| step_s > 0.0 && pair(it) > STEPS_OF_A_GAP * step_s;
                faults.gaps += stretch.windows(2).filter(is_gap).count() as u64;
                faults.usable += if plays(track) { usable(stretch) } else { 0 };
            }
        }
        faults
    }

    /// A sentence for each fault.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let window = WINDOW.as_millis();
        let lines = [
            (
                self.repeated > 0,
                format!(
                    "{} of {} samples repeat a moment of their body; write each moment once",
                    self.repeated, self.samples
                ),
            ),
            (
                self.negative_ids > 0,
                format!(
                    "{} bodies have a negative id and are left out; ids count from 0, and -1 is a ball",
                    self.negative_ids
                ),
            ),
            (
                self.usable == 0,
                format!(
                    "no usable sample: of {} none has a past of {window} ms in its stretch, alive, so no velocity is known",
                    self.samples
                ),
            ),
            (
                self.gaps > 0,
                format!(
                    "{} pauses of more than ten steps inside a stretch; motion is taken to go on through them unless `seg` counts up",
                    self.gaps
                ),
            ),
            (
                self.no_width,
                "how wide a body is is not known, 1 is taken; give body_width, or --bound"
                    .to_string(),
            ),
        ];
        lines.into_iter().filter(|(is_wrong, _)| *is_wrong).map(|(_, line)| line).collect()
    }
}

/// A number for the motion in a recording, whatever it is called and in whatever format it lies.
#[must_use]
pub fn fingerprint(recording: &Recording) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut mix = |word: u64| {
        hash = (hash ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
        hash ^= hash >> 32;
    };
    let mut tracks: Vec<&Track> = recording.tracks.iter().collect();
    tracks.sort_by_key(|track| track.id);
    for track in tracks {
        mix(track.id as u64);
        for sample in &track.samples {
            mix(sample.at.as_micros() as u64);
            sample.position.to_array().into_iter().for_each(|x| mix((x + 0.0).to_bits()));
        }
    }
    hash
}

/// Samples of a stretch with enough of a past.
fn usable(stretch: &[Sample]) -> u64 {
    let Some(first) = stretch.first() else { return 0 };
    let told = |sample: &&Sample| {
        let past = sample.at.saturating_since(first.at);
        sample.alive && past >= WINDOW && past > Duration::ZERO
    };
    stretch.iter().filter(told).count() as u64
}

#[cfg(test)]
mod tests {
    use reckoning::SimTime;

    use super::*;

    fn recording(moments_ms: &[i64], id: i32) -> Recording {
        let mut track = Track::new(id, 0, &[]);
        for &ms in moments_ms {
            let at = SimTime::from_millis(ms);
            track.push(Sample { at, alive: true, ..Sample::default() }, &[]);
        }
        let mut recording = Recording { tracks: vec![track], ..Recording::default() };
        (recording.meta.rate_hz, recording.meta.body_width) = (10.0, 1.0);
        recording
    }

    #[test]
    fn good_data_has_no_faults() {
        let faults = DataFaults::of(&recording(&[0, 100, 200, 300], 1));
        assert_eq!(faults, DataFaults { samples: 4, usable: 3, ..DataFaults::default() });
        assert!(faults.warnings().is_empty());
    }

    #[test]
    fn a_fingerprint_is_of_the_motion_and_of_nothing_else() {
        let one = recording(&[0, 100], 1);
        let named = Recording { session: "another".into(), ..one.clone() };
        assert_eq!(fingerprint(&one), fingerprint(&named));
        assert_ne!(fingerprint(&one), fingerprint(&recording(&[0, 101], 1)));
        assert_ne!(fingerprint(&one), fingerprint(&recording(&[0, 100], 2)));
    }

    #[test]
    fn every_fault_is_counted_and_told() {
        let faults = DataFaults::of(&recording(&[0, 100, 100, 5_000], 1));
        assert_eq!((faults.repeated, faults.gaps), (1, 1));
        assert_eq!(faults.warnings().len(), 2, "{:?}", faults.warnings());
        let lost = DataFaults::of(&recording(&[0, 100], -7));
        assert_eq!((lost.negative_ids, lost.usable), (1, 0));
        let mut bare = recording(&[0], 1);
        bare.meta.body_width = -1.0;
        let said = DataFaults::of(&bare).warnings().join("\n");
        assert!(said.contains("no usable sample") && said.contains("how wide"), "{said}");
    }
}
