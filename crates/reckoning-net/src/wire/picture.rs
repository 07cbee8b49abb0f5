//! What a client says of its picture: how it shows others, and of what a picture was made.
//!
//! Both are whole bytes, numbers little-endian. A [`Message::View`](super::Message::View) carries
//! the first; the second goes into messages of the game's own, beside the shot it is about.

use alloc::vec::Vec;
use core::time::Duration;

use reckoning::ghost::{Pace, Timing};
use reckoning::rewind::{RewindView, ShownAs, ShownUpdate};
use reckoning::{Blend, BlendSpan, DelayedConfig, GhostConfig, SimTime};

/// The longest [`Message::View`](super::Message::View).
pub const MAX_VIEW_BYTES: usize = 48;

const NOW: u8 = 0;
const DELAYED: u8 = 1;
const FIXED: u8 = 0;
const FROM_ARRIVALS: u8 = 1;
const BY_ERROR: u8 = 2;
const BY_ERROR_ROOT: u8 = 3;
const SYNCHRONISED: u8 = 0;
const ON_ARRIVAL: u8 = 1;

/// Writes how a client shows others from `at` on.
#[must_use]
pub fn encode_view(view: &RewindView, at: SimTime) -> Vec<u8> {
    let mut out = Vec::from(at.as_micros().to_le_bytes());
    match view {
        RewindView::Now(config) => {
            let blend = Blend::ALL.iter().position(|blend| *blend == config.blend);
            out.extend([NOW, blend.unwrap_or_default() as u8]);
            let (kind, min, max) = match config.span {
                BlendSpan::FromArrivals { min, max } => (FROM_ARRIVALS, min, max),
                BlendSpan::Fixed(span) => (FIXED, span, span),
                BlendSpan::ByError { min, max, .. } => (BY_ERROR, min, max),
                BlendSpan::ByErrorRoot { min, max, .. } => (BY_ERROR_ROOT, min, max),
                _ => (FIXED, Duration::ZERO, Duration::ZERO),
            };
            out.push(kind);
            put_spans(&mut out, &[min, max, config.max_extrapolation]);
            let (kind, delay) = match config.timing {
                Timing::OnArrival { delay } => (ON_ARRIVAL, delay),
                _ => (SYNCHRONISED, Duration::ZERO),
            };
            out.push(kind);
            put_spans(&mut out, &[delay]);
            if let BlendSpan::ByError { per_metre: at_metre, .. }
            | BlendSpan::ByErrorRoot { at_metre, .. } = config.span
            {
                put_spans(&mut out, &[at_metre]);
            }
            out.push(u8::from(config.hedged) | u8::from(config.pace.is_some()) << 1);
            if let Some(pace) = config.pace {
                out.extend(pace.max_speed_mps.to_le_bytes());
                put_spans(&mut out, &[pace.max_span]);
            }
        }
        RewindView::Delayed(it) => {
            out.push(DELAYED);
            put_spans(&mut out, &[it.min_delay, it.max_delay, it.max_extrapolation, it.span]);
        }
        _ => {}
    }
    out
}

/// Reads how a client shows others, and from when on. `None` where the bytes say something else.
#[must_use]
pub fn decode_view(bytes: &[u8]) -> Option<(RewindView, SimTime)> {
    let mut from = Bytes(bytes);
    let at = SimTime::from_micros(i64::from_le_bytes(from.take()?));
    let view = match from.byte()? {
        NOW => {
            let mut config = GhostConfig::default();
            config.blend = *Blend::ALL.get(usize::from(from.byte()?))?;
            let span_kind = from.byte()?;
            let [min, max, extrapolation] = [from.span()?, from.span()?, from.span()?];
            config.max_extrapolation = extrapolation;
            let (kind, delay) = (from.byte()?, from.span()?);
            config.timing = match kind {
                SYNCHRONISED => Timing::Synchronised,
                ON_ARRIVAL => Timing::OnArrival { delay },
                _ => return None,
            };
            config.span = match span_kind {
                FIXED if min == max => BlendSpan::Fixed(min),
                FROM_ARRIVALS => BlendSpan::FromArrivals { min, max },
                BY_ERROR => BlendSpan::ByError { min, max, per_metre: from.span()? },
                BY_ERROR_ROOT => BlendSpan::ByErrorRoot { min, max, at_metre: from.span()? },
                _ => return None,
            };
            let flags = from.byte()?;
            if flags > 3 {
                return None;
            }
            config.hedged = flags & 1 != 0;
            if flags & 2 != 0 {
                let max_speed_mps = f64::from_le_bytes(from.take()?);
                config.pace = Some(Pace { max_speed_mps, max_span: from.span()? });
            }
            RewindView::Now(config)
        }
        DELAYED => {
            let mut config = DelayedConfig::default();
            (config.min_delay, config.max_delay) = (from.span()?, from.span()?);
            (config.max_extrapolation, config.span) = (from.span()?, from.span()?);
            RewindView::Delayed(config)
        }
        _ => return None,
    };
    from.0.is_empty().then_some((view, at))
}

/// Appends a reference to a picture: the moment it shows in microseconds, then the updates it was
/// made of, oldest first, each by the sequence number of the datagram that brought it and how
/// long before that moment it came.
pub fn encode_shown(shown: &ShownAs, out: &mut Vec<u8>) {
    out.extend(shown.shown_at.as_micros().to_le_bytes());
    out.push(shown.updates().len() as u8);
    for update in shown.updates() {
        out.extend((update.key as u16).to_le_bytes());
        let back_us = shown.shown_at.as_micros().saturating_sub(update.arrived.as_micros());
        put_signed(out, back_us);
    }
}

/// Reads a reference to a picture, and how many bytes it took. `None` where there is none.
#[must_use]
pub fn decode_shown(bytes: &[u8]) -> Option<(ShownAs, usize)> {
    let mut from = Bytes(bytes);
    let shown_us = i64::from_le_bytes(from.take()?);
    let count = usize::from(from.byte()?);
    if count > ShownAs::MAX_UPDATES {
        return None;
    }
    let mut updates = [ShownUpdate::default(); ShownAs::MAX_UPDATES];
    for update in &mut updates[..count] {
        update.key = u64::from(u16::from_le_bytes(from.take()?));
        update.arrived = SimTime::from_micros(shown_us.checked_sub(from.signed()?)?);
    }
    let shown = ShownAs::new(SimTime::from_micros(shown_us), &updates[..count]);
    Some((shown, bytes.len() - from.0.len()))
}

/// Spans in microseconds; what is longer than an hour is cut to about that.
fn put_spans(out: &mut Vec<u8>, spans: &[Duration]) {
    for span in spans {
        out.extend(u32::try_from(span.as_micros()).unwrap_or(u32::MAX).to_le_bytes());
    }
}

/// Seven bits a byte, lowest first; the sign in the lowest bit.
fn put_signed(out: &mut Vec<u8>, value: i64) {
    let mut left = (value << 1 ^ value >> 63).cast_unsigned();
    while left >= 0x80 {
        out.push(left as u8 | 0x80);
        left >>= 7;
    }
    out.push(left as u8);
}

struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take::<1>().map(|[byte]| byte)
    }

    fn span(&mut self) -> Option<Duration> {
        Some(Duration::from_micros(u32::from_le_bytes(self.take()?).into()))
    }

    fn signed(&mut self) -> Option<i64> {
        let mut value = 0_u64;
        for shift in (0..63).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some((value >> 1).cast_signed() ^ -(value & 1).cast_signed());
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_come_back_as_they_were() {
        let mut adaptive = GhostConfig::default();
        adaptive.span = BlendSpan::FromArrivals {
            min: Duration::from_millis(50),
            max: Duration::from_millis(400),
        };
        adaptive.timing = Timing::OnArrival { delay: Duration::from_millis(40) };
        let mut bounded = adaptive;
        bounded.span = BlendSpan::ByError {
            min: Duration::from_millis(50),
            max: Duration::from_millis(400),
            per_metre: Duration::from_millis(30),
        };
        let mut close = GhostConfig::default();
        close.span = BlendSpan::close(0.7);
        close.pace = Some(Pace { max_speed_mps: 11.5, max_span: Duration::from_millis(450) });
        close.hedged = true;
        let delayed = RewindView::Delayed(DelayedConfig::default());
        let [adaptive, bounded, close] = [adaptive, bounded, close].map(RewindView::Now);
        let mut views = Vec::from([adaptive, bounded, close, delayed]);
        for blend in Blend::ALL {
            let mut config = GhostConfig::default();
            config.blend = blend;
            views.push(RewindView::Now(config));
        }
        for view in views {
            let bytes = encode_view(&view, SimTime::from_millis(-7));
            assert!(bytes.len() <= MAX_VIEW_BYTES);
            assert_eq!(decode_view(&bytes), Some((view, SimTime::from_millis(-7))));
            assert_eq!(decode_view(&bytes[..bytes.len() - 1]), None);
        }
    }

    #[test]
    fn references_come_back_as_they_were() {
        let at = |micros| SimTime::from_micros(micros);
        let updates: Vec<_> = (0..8)
            .map(|n| (65_530_u16.wrapping_add(n).into(), at(1_000_000 + 99_999 * i64::from(n))))
            .map(|(key, arrived)| ShownUpdate { key, arrived })
            .collect();
        for count in 0..=updates.len() {
            let shown = ShownAs::new(at(1_700_001), &updates[..count]);
            let mut bytes = Vec::from([1, 2]);
            encode_shown(&shown, &mut bytes);
            assert_eq!(decode_shown(&bytes[2..]), Some((shown, bytes.len() - 2)));
            assert_eq!(decode_shown(&bytes[2..bytes.len() - 1]), None);
        }
    }
}
