//! Bits of an encoded body, written once and copied for every receiver that gets the same.

use super::bits::{BitReader, BitWriter};
use super::{Format, UpdateBody};

/// What [`BitWriter`] takes at a time.
const WORD_BITS: usize = 56;
const WORDS: usize = 4;

/// A body as bits. Most have 40 to 120; the few with more than 224 are written each time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EncodedBody {
    words: [u64; WORDS],
    bits: u32,
    rides: bool,
}

impl EncodedBody {
    /// The bits of a body whose stamp counts from `near_tick`; `None` when there are too many.
    pub(crate) fn new(format: &Format, body: &UpdateBody, near_tick: i64) -> Option<Self> {
        let mut bytes = [0; WORDS * WORD_BITS / 8];
        let mut out = BitWriter::new(&mut bytes);
        body.write(&mut out, format, near_tick);
        let bits = out.bits();
        out.finish()?;
        let mut from = BitReader::new(&bytes);
        let words = core::array::from_fn(|_| from.read_short(WORD_BITS as u32).unwrap_or(0));
        Some(Self { words, bits: bits as u32, rides: body.rides() })
    }

    /// Whether the body rides a path.
    pub(super) const fn rides(&self) -> bool {
        self.rides
    }

    pub(super) fn write(&self, out: &mut BitWriter) {
        let mut left = self.bits;
        for word in self.words {
            let bits = left.min(WORD_BITS as u32);
            out.write_short(word, bits);
            left -= bits;
            if left == 0 {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use reckoning::{DVec3, Kinematics, Model, Quantiser, SimTime, Update, UpdateKind};

    use super::*;
    use crate::wire::Registry;

    fn format() -> Format {
        let steps = Quantiser {
            position_m: 0.01,
            velocity_mps: 0.03,
            acceleration_mps2: 0.1,
            angular_velocity_radps: 0.02,
            orientation: 0.003,
        };
        let models = [Model::Linear, Model::Hold];
        Format::new(false, 1_000, steps, &models, Registry::default()).unwrap()
    }

    #[test]
    fn copied_bits_are_those_of_the_body_wherever_they_begin() {
        let format = format();
        let mut lengths = [usize::MAX, 0];
        for step in 0..40_i32 {
            let far = 10_f64.powi(step / 10);
            let place = DVec3::new(far, -2.0 * far, 0.3 * far);
            let seen = Kinematics::moving(SimTime::from_millis(40), place, place / 7.0);
            let update = Update::new(seen, Model::Linear, UpdateKind::Partial).unwrap();
            let body = UpdateBody::new(&format, None, &format.round(&update));
            let encoded = EncodedBody::new(&format, &body, 43).unwrap();
            let (mut direct, mut copied) = ([0; 64], [0; 64]);
            for (buffer, copies) in [(&mut direct, false), (&mut copied, true)] {
                let mut out = BitWriter::new(buffer);
                out.write(1, step as u32 % 9);
                if copies {
                    encoded.write(&mut out);
                } else {
                    body.write(&mut out, &format, 43);
                }
                lengths = [lengths[0].min(out.bits()), lengths[1].max(out.bits())];
                out.finish().unwrap();
            }
            assert_eq!(direct, copied, "{step}");
        }
        assert!(lengths[0] < 100 && lengths[1] > 2 * 56, "{lengths:?} bits");
    }
}
