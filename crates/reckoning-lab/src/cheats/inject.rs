//! Cheats to inject: speed, teleport, wall pass, lag switch, fast clock.

use reckoning::{DVec3, Kinematics, SimTime};

use super::play::Piece;
use super::trial::{CheatCourse, ClaimedState, TICK_S, TrialSetting};

/// Honest play before a cheat, and how long the cheat lasts.
pub(super) const BEFORE_S: f64 = 4.0;
pub(super) const LASTS_S: f64 = 3.0;

/// What a cheating client does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cheat {
    /// Goes its way so many times as fast.
    Speed(f64),
    /// Is suddenly eight bodies aside, and goes on from there.
    Teleport,
    /// Slides through the nearest wall within 0.3 s.
    WallPass,
    /// Holds its updates back for 0.8 s, lets them all go, and again after 0.4 s.
    LagSwitch,
    /// Its clock, and all it does, runs 1.1 times as fast.
    FastClock,
}

impl Cheat {
    pub(super) const ALL: [Self; 8] = [
        Self::Speed(1.2),
        Self::Speed(1.5),
        Self::Speed(2.0),
        Self::Speed(3.0),
        Self::Teleport,
        Self::WallPass,
        Self::LagSwitch,
        Self::FastClock,
    ];

    pub(super) fn name(self) -> String {
        match self {
            Self::Speed(times) => format!("speed x{times}"),
            Self::Teleport => "teleport".to_owned(),
            Self::WallPass => "wall pass".to_owned(),
            Self::LagSwitch => "lag switch".to_owned(),
            Self::FastClock => "clock x1.1".to_owned(),
        }
    }

    /// How many times as fast as recorded the player goes.
    pub(super) const fn times(self) -> f64 {
        match self {
            Self::Speed(times) => times,
            Self::FastClock => 1.1,
            _ => 1.0,
        }
    }

    /// What the client shows its publisher, tick by tick. `None` where it cannot be done: no
    /// wall is near.
    pub(super) fn course(
        self,
        piece: &Piece,
        at_s: f64,
        lasts_s: f64,
        setting: &TrialSetting<'_>,
    ) -> Option<CheatCourse> {
        let begins_s = at_s.min(BEFORE_S);
        let aside = match self {
            Self::Teleport => Some(DVec3::new(0.6, 0.8, 0.0) * (8.0 * setting.body_width)),
            Self::WallPass => Some(through_wall(&piece.at(at_s), setting)?),
            _ => None,
        };
        let ticks = ((begins_s + lasts_s) / TICK_S) as i64;
        let shown = (0..ticks).map(|tick| {
            let now_s = at_s - begins_s + tick as f64 * TICK_S;
            self.shown(piece, at_s, now_s, aside.unwrap_or_default())
        });
        let begins = SimTime::from_secs_f64(piece.start().as_secs_f64() + at_s);
        Some(CheatCourse { shown: shown.collect(), begins })
    }

    fn shown(self, piece: &Piece, begins_s: f64, now_s: f64, aside: DVec3) -> ClaimedState {
        let honest = piece.at(now_s);
        let on = now_s - begins_s;
        let same = ClaimedState { sent: honest.at, released: honest.at, state: honest };
        if on < 0.0 {
            return same;
        }
        match self {
            Self::Speed(times) => {
                let ahead = piece.at(begins_s + on * times);
                let (velocity, acceleration) = (ahead.velocity * times, ahead.acceleration * times);
                ClaimedState {
                    state: Kinematics { at: honest.at, velocity, acceleration, ..ahead },
                    ..same
                }
            }
            Self::FastClock => ClaimedState { state: piece.at(begins_s + on * 1.1), ..same },
            Self::LagSwitch => {
                let cycle_s = on % 1.2;
                let held_s = if cycle_s < 0.8 { 0.8 - cycle_s } else { 0.0 };
                let released = SimTime::from_secs_f64(honest.at.as_secs_f64() + held_s);
                ClaimedState { released, ..same }
            }
            Self::Teleport => moved(same, aside),
            Self::WallPass => moved(same, aside * (on / 0.3).min(1.0)),
        }
    }
}

fn moved(shown: ClaimedState, aside: DVec3) -> ClaimedState {
    let position = shown.state.position + aside;
    ClaimedState { state: Kinematics { position, ..shown.state }, ..shown }
}

/// A step from here to one and a half bodies behind the nearest wall, if one is near.
fn through_wall(here: &Kinematics, setting: &TrialSetting<'_>) -> Option<DVec3> {
    let walls = setting.walls?;
    let reach = 3.0 * setting.body_width;
    let ways = (0..16).map(|n| {
        let (sin, cos) = libm::sincos(f64::from(n) * std::f64::consts::PI / 8.0);
        DVec3::new(cos, sin, 0.0)
    });
    let nearest = ways
        .map(|way| (walls.free_m(here.position, way, reach), way))
        .min_by(|a, b| a.0.total_cmp(&b.0))?;
    let (free, way) = nearest;
    (free < reach).then(|| way * (free + 1.5 * setting.body_width))
}
