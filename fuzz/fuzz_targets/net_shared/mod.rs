//! Inputs as a sequence of datagrams and pauses.
#![allow(dead_code, reason = "each target uses its part")]

use reckoning::{Model, Quantiser};
use reckoning_net::wire::{Header, Message, PacketWriter, VERSION};
use reckoning_net::{Format, PeerId, Registry};

pub enum Step<'a> {
    Wait(u64),
    Datagram(&'a [u8]),
}

/// A zero and a byte is a pause of so many times 20 ms; any other byte is the length of the
/// datagram that follows.
pub fn steps(input: &[u8]) -> impl Iterator<Item = Step<'_>> {
    let mut rest = input;
    std::iter::from_fn(move || {
        let (&first, tail) = rest.split_first()?;
        if first == 0 {
            let (&pause, tail) = tail.split_first()?;
            rest = tail;
            return Some(Step::Wait(u64::from(pause) * 20));
        }
        let (bytes, tail) = tail.split_at(usize::from(first).min(tail.len()));
        rest = tail;
        Some(Step::Datagram(bytes))
    })
}

pub fn format() -> Format {
    let steps = Quantiser {
        position_m: 0.01,
        velocity_mps: 0.03,
        acceleration_mps2: 0.1,
        angular_velocity_radps: 0.01,
        orientation: 0.01,
    };
    Format::new(false, 1000, steps, &[Model::Linear], Registry::default()).expect("sound")
}

fn datagram(message: &Message) -> Vec<u8> {
    let mut buf = [0; 1000];
    let mut out = PacketWriter::new(&mut buf, &Header { sequence: 0, sent_ms: 0, ack: None });
    out.push(None, message);
    let length = out.finish().expect("it fits");
    buf[..length].to_vec()
}

pub fn welcome(format: &Format) -> Vec<u8> {
    datagram(&Message::Welcome { peer: PeerId(1), format: &format.to_bytes(), config: &[0] })
}

pub fn join(token: &[u8]) -> Vec<u8> {
    datagram(&Message::Join { version: VERSION, token })
}
