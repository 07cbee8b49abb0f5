//! Comparisons kept on disk, found again by what went into them.
//!
//! A comparison depends on the samples, the settings and this version of the lab, and on
//! nothing else; all three go into the name of its file. Whoever asks the same again, with
//! the files moved or renamed, gets the answer at once. A file that cannot be read is as good
//! as none.

use std::path::PathBuf;

use reckoning_recording::{MAX_JSON_BYTES, Recording, read_file};

use super::{CompareConfig, CompareError, Comparison, compare};

/// Counts up with every change of what a comparison says or how it is kept, between versions
/// of the lab too.
const REVISION: u64 = 6;

/// Where comparisons are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    /// The folder; it is made when needed.
    pub folder: PathBuf,
}

impl Cache {
    fn file(&self, key: u64) -> PathBuf {
        self.folder.join(format!("compare-{key:016x}.json"))
    }

    fn load(&self, key: u64) -> Option<Comparison> {
        let text = read_file(&self.file(key), MAX_JSON_BYTES).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// Keeps a comparison if it can: a full disk must not cost anyone the result.
    fn store(&self, key: u64, comparison: &Comparison) {
        let Ok(text) = serde_json::to_vec(comparison) else { return };
        // Through a name of its own, so that nobody reads half a file.
        let part = self.folder.join(format!("compare-{key:016x}.{}.part", std::process::id()));
        let kept = std::fs::create_dir_all(&self.folder)
            .and_then(|()| std::fs::write(&part, text))
            .and_then(|()| std::fs::rename(&part, self.file(key)));
        if kept.is_err() {
            std::fs::remove_file(part).ok();
        }
    }
}

/// As [`compare`](super::compare), but what was compared before is read from the cache.
///
/// # Errors
/// As [`compare`](super::compare).
pub fn compare_cached(
    cache: &Cache,
    config: &CompareConfig,
    recordings: &[Recording],
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<Comparison, CompareError> {
    let key = key_of(config, recordings);
    if let Some(comparison) = cache.load(key) {
        progress(1, 1);
        return Ok(comparison);
    }
    let comparison = compare(config, recordings, progress)?;
    cache.store(key, &comparison);
    Ok(comparison)
}

fn key_of(config: &CompareConfig, recordings: &[Recording]) -> u64 {
    let mut hash = CacheHash(0x9e37_79b9_7f4a_7c15);
    hash.text(env!("CARGO_PKG_VERSION"));
    hash.word(REVISION);
    hash.text(&format!("{config:?}"));
    for recording in recordings {
        hash.text(&recording.source);
        hash.text(&recording.session);
        hash.text(&format!("{:?}{:?}", recording.meta, recording.level));
        for event in &recording.item_events {
            hash.word(event.at.as_micros() as u64 ^ (u64::from(event.item) << 40));
            hash.word(event.taken_by.map_or(u64::MAX, |id| id as u64));
        }
        for track in &recording.tracks {
            hash.word(track.id as u64 ^ ((track.team as u64) << 32));
            for (at, team) in &track.team_changes {
                hash.word(at.as_micros() as u64 ^ ((*team as u64) << 40));
            }
            for sample in &track.samples {
                hash.word(sample.at.as_micros() as u64);
                sample.position.to_array().into_iter().for_each(|x| hash.word(x.to_bits()));
                let bits = |value: Option<f32>| value.map_or(u64::MAX, |v| u64::from(v.to_bits()));
                hash.word(bits(sample.health) ^ bits(sample.ammo).rotate_left(32));
                hash.word(bits(sample.yaw_rad));
                hash.word(u64::from(sample.segment) << 1 | u64::from(sample.alive));
            }
            for column in &track.extras {
                hash.text(&column.name);
                column.values.iter().for_each(|x| hash.word(u64::from(x.to_bits())));
            }
        }
    }
    hash.0
}

/// A plain hash over words: equal content, equal name. Not against malice.
struct CacheHash(u64);

impl CacheHash {
    const fn word(&mut self, word: u64) {
        let mixed = (self.0 ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
        self.0 = mixed ^ (mixed >> 32);
    }

    fn text(&mut self, text: &str) {
        text.bytes().for_each(|byte| self.word(u64::from(byte)));
        self.word(text.len() as u64);
    }
}
