//! Attacks: known ones, random ones, and small changes.

use reckoning::random::SplitMix64;

/// Which datagrams are never acknowledged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Withhold {
    Nothing,
    /// Everything after the first second.
    All,
    /// What is sent while the target is in cover or on its way back there.
    Retreat,
    /// Of that only what is about the target, so that it seems lost.
    AsLost,
}

/// What a shot says of its picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Refer {
    Nothing,
    /// The newest update that arrived.
    Newest,
    /// An update of that many ago, as if none had come since.
    Old(u8),
    /// One of that many ago, and the newest, as if just arrived.
    Skip(u8),
}

/// One way to cheat.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attack {
    /// Acknowledgements wait for this long; below zero they come before the datagram did.
    pub ack_delay_ms: i64,
    pub withhold: Withhold,
    /// Added to the moment of arrival that acknowledgements tell.
    pub lie_ms: i64,
    /// Sends nothing at all for this long in each second.
    pub silent_ms: i64,
    /// How old the moment is that a shot claims.
    pub age_ms: i64,
    /// Shots that are kept and fired together, about moments 80 ms apart.
    pub burst: i64,
    pub refer: Refer,
}

pub const HONEST: Attack = Attack {
    ack_delay_ms: 0,
    withhold: Withhold::Nothing,
    lie_ms: 0,
    silent_ms: 0,
    age_ms: 30,
    burst: 1,
    refer: Refer::Newest,
};

/// The honest client first.
pub fn known() -> Vec<(&'static str, Attack)> {
    let attack = |change: fn(&mut Attack)| {
        let mut attack = HONEST;
        change(&mut attack);
        attack
    };
    vec![
        ("honest, 60 ms there and back", HONEST),
        ("honest, 500 ms there and back", attack(|it| (it.age_ms, it.ack_delay_ms) = (250, 440))),
        ("claims old moments", attack(|it| (it.age_ms, it.refer) = (900, Refer::Nothing))),
        (
            "withholds all acknowledgements",
            attack(|it| {
                (it.withhold, it.refer) = (Withhold::All, Refer::Nothing);
            }),
        ),
        (
            "withholds them while the target retreats",
            attack(|it| {
                (it.withhold, it.refer) = (Withhold::Retreat, Refer::Nothing);
            }),
        ),
        (
            "says that these were lost",
            attack(|it| {
                (it.withhold, it.refer) = (Withhold::AsLost, Refer::Nothing);
            }),
        ),
        ("acknowledges before it receives", attack(|it| (it.ack_delay_ms, it.age_ms) = (-30, 120))),
        ("dates arrivals late", attack(|it| (it.lie_ms, it.refer) = (400, Refer::Nothing))),
        ("saves up shots", attack(|it| (it.burst, it.age_ms, it.refer) = (5, 500, Refer::Nothing))),
        ("falls silent", attack(|it| (it.silent_ms, it.refer) = (700, Refer::Nothing))),
        (
            "refers to an old update",
            attack(|it| (it.refer, it.withhold) = (Refer::Old(6), Withhold::All)),
        ),
        (
            "leaves updates out",
            attack(|it| (it.refer, it.withhold) = (Refer::Skip(6), Withhold::All)),
        ),
    ]
}

pub fn random(dice: &mut SplitMix64) -> Attack {
    let mut attack = HONEST;
    for _ in 0..4 {
        attack = changed(&attack, dice);
    }
    attack
}

/// One thing is done otherwise.
pub fn changed(attack: &Attack, dice: &mut SplitMix64) -> Attack {
    let mut attack = *attack;
    let mut pick = |from: f64, to: f64| dice.between(from, to) as i64;
    let count = pick(1.0, 9.0) as u8;
    match pick(0.0, 8.0) {
        0 => attack.ack_delay_ms = pick(-40.0, 700.0),
        1 => {
            let ways = [Withhold::Nothing, Withhold::All, Withhold::Retreat, Withhold::AsLost];
            attack.withhold = ways[pick(0.0, 4.0).clamp(0, 3) as usize];
        }
        2 => attack.lie_ms = pick(-300.0, 600.0),
        3 => attack.silent_ms = pick(0.0, 950.0),
        4 => attack.age_ms = pick(-90.0, 1_000.0),
        5 => attack.age_ms += pick(-40.0, 41.0),
        6 => attack.burst = pick(1.0, 7.0),
        _ => {
            let ways = [Refer::Nothing, Refer::Newest, Refer::Old(count), Refer::Skip(count)];
            attack.refer = ways[pick(0.0, 4.0).clamp(0, 3) as usize];
        }
    }
    attack
}
