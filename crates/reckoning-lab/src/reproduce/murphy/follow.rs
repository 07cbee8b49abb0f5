//! A ghost that receives updates of a motion at fixed intervals.

use std::time::Duration;

use reckoning::{
    Blend, BlendSpan, DVec3, Ghost, GhostConfig, Kinematics, Model, Update, UpdateKind,
};

use crate::TICK_HZ;

/// MURPHY's projection: the acceleration is trusted without limit.
pub(super) const ACCELERATING: Model = Model::Accelerating { trust: Duration::from_secs(10) };

/// What the picture did when one update arrived.
#[derive(Clone, Copy, Debug)]
pub(super) struct Jump {
    pub(super) position_m: f64,
    pub(super) velocity_mps: f64,
    /// How far the velocity jump is from `-e0 / T`, the one the printed formula implies.
    pub(super) off_printed_mps: f64,
    /// The error `e0` that the update revealed.
    pub(super) error_m: f64,
}

/// What a listener saw.
#[derive(Clone, Debug)]
pub(super) struct Followed {
    pub(super) mean_m: f64,
    pub(super) max_m: f64,
    pub(super) shown: Vec<DVec3>,
    pub(super) jumps: Vec<Jump>,
}

/// Shows `track` from updates `updates_per_s` times a second that say what `published` says,
/// without delay. Blends last as long as updates are apart.
pub(super) fn follow(
    track: &[Kinematics],
    published: &[Kinematics],
    model: Model,
    blend: Blend,
    updates_per_s: u32,
) -> Followed {
    let mut config = GhostConfig::default();
    config.blend = blend;
    let span = Duration::from_secs(1) / updates_per_s;
    config.span = BlendSpan::Fixed(span);
    let update = |tick: usize| {
        let update = Update::new(published[tick], model, UpdateKind::Partial);
        update.expect("published motions are finite")
    };
    let mut ghost =
        Ghost::with_config(config, update(0), track[0].at).expect("the span is not zero");
    let mut followed = Followed { mean_m: 0.0, max_m: 0.0, shown: vec![], jumps: vec![] };
    for (tick, truth) in track.iter().enumerate() {
        if tick > 0 && tick.is_multiple_of((TICK_HZ / updates_per_s) as usize) {
            followed.jumps.push(accept(&mut ghost, update(tick), span));
        }
        let shown = ghost.position_at(truth.at);
        let error_m = shown.distance(truth.position);
        followed.mean_m += error_m / track.len() as f64;
        followed.max_m = followed.max_m.max(error_m);
        followed.shown.push(shown);
    }
    followed
}

fn accept(ghost: &mut Ghost, update: Update, span: Duration) -> Jump {
    let now = update.at();
    let before = (ghost.position_at(now), ghost.velocity_at(now));
    ghost.accept(update, now);
    let velocity = ghost.velocity_at(now) - before.1;
    let error = before.0 - update.position_at(now);
    Jump {
        position_m: ghost.position_at(now).distance(before.0),
        velocity_mps: velocity.length(),
        off_printed_mps: (velocity + error / span.as_secs_f64()).length(),
        error_m: error.length(),
    }
}
