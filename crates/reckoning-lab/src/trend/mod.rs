//! Trend maps from recordings, and their picture over the level.
//!
//! The map itself, with its cells and headings, is the engine's
//! [`TrendMap`]; here it is fed and drawn. A velocity is measured across
//! a twentieth of a second to either side, never across two segments, so that neither the
//! noise of a fast recording nor a teleport becomes a trend.

mod arrows;
mod draw;

pub use draw::draw_trend;

use reckoning::{ConfigError, DVec3};
use reckoning_predict::{Sighting, TrendMap, TrendMapConfig};
use reckoning_recording::{Recording, Sample, Track};

/// How far to either side a velocity is measured.
const REACH_S: f64 = 0.05;

/// Settings that suit the units of some recordings: no cell is smaller than a body.
#[must_use]
pub fn trend_config(recordings: &[Recording]) -> TrendMapConfig {
    let mut config = TrendMapConfig::default();
    let widths = recordings.iter().map(|it| it.meta.body_width).filter(|width| *width > 0.0);
    config.smallest_cell_m = widths.reduce(f64::max).unwrap_or(config.smallest_cell_m);
    config
}

/// Makes the map of everyone who moves in some recordings of one level.
///
/// # Errors
/// Names the first setting outside its range.
pub fn trend_map(
    recordings: &[Recording],
    config: &TrendMapConfig,
) -> Result<TrendMap, ConfigError> {
    let seen: Vec<Sighting> = recordings.iter().flat_map(sightings).collect();
    Ok(TrendMap::new(&seen, config)?)
}

/// Everyone of a recording, wherever they were alive and their motion is known.
#[must_use]
pub fn sightings(recording: &Recording) -> Vec<Sighting> {
    let reach = ((recording.meta.rate_hz * REACH_S) as usize).max(1);
    let people = recording.tracks.iter().filter(|track| track.id >= 0);
    people
        .flat_map(Track::segments)
        .flat_map(|segment| segment.windows(2 * reach + 1))
        .filter_map(|window| sighting(&window[0], &window[reach], &window[2 * reach]))
        .collect()
}

fn sighting(before: &Sample, here: &Sample, after: &Sample) -> Option<Sighting> {
    let (first_s, second_s) = (here.at.secs_since(before.at), after.at.secs_since(here.at));
    if !here.alive || first_s <= 0.0 || second_s <= 0.0 {
        return None;
    }
    let arrives: DVec3 = (here.position - before.position) / first_s;
    let leaves: DVec3 = (after.position - here.position) / second_s;
    Some(Sighting {
        position: here.position,
        velocity: (after.position - before.position) / (first_s + second_s),
        acceleration: (leaves - arrives) / (0.5 * (first_s + second_s)),
    })
}

#[cfg(test)]
mod tests {
    use reckoning::SimTime;

    use super::*;

    fn walker(ticks: i64) -> Recording {
        let mut track = Track::new(3, 0, &[]);
        for tick in 0..ticks {
            let at = SimTime::from_tick(tick, 20);
            let position = DVec3::new(2.0 * at.as_secs_f64(), 1.0, 0.0);
            track.push(Sample { at, position, alive: true, ..Sample::default() }, &[]);
        }
        let mut recording = Recording { tracks: vec![track], ..Recording::default() };
        recording.meta.rate_hz = 20.0;
        recording
    }

    #[test]
    fn a_steady_walk_is_seen_with_its_velocity() {
        let seen = sightings(&walker(11));
        assert_eq!(seen.len(), 9); // the ends have only one side
        assert!((seen[4].velocity - DVec3::new(2.0, 0.0, 0.0)).length() < 1e-9);
        assert!(seen[4].acceleration.length() < 1e-6);
    }

    #[test]
    fn nothing_is_measured_across_two_segments() {
        let mut recording = walker(10);
        recording.tracks[0].samples[5..].iter_mut().for_each(|sample| sample.segment = 1);
        assert_eq!(sightings(&recording).len(), 6);
    }

    #[test]
    fn the_dead_and_the_ball_leave_no_trend() {
        let mut recording = walker(10);
        recording.tracks[0].samples.iter_mut().for_each(|sample| sample.alive = false);
        assert!(sightings(&recording).is_empty());
        let mut ball = walker(10);
        ball.tracks[0].id = -1;
        assert!(sightings(&ball).is_empty());
    }
}
