//! EKB once more, written from SHI as it stands and without any thought for speed: every sum
//! is made anew on every tick.

use reckoning::DVec3;
use reckoning_predict::KnownBody;

fn unit(v: DVec3) -> DVec3 {
    if v.length() > 0.0 { v / v.length() } else { DVec3::ZERO }
}

/// The positions of `bodies[0]` after each of `ticks` ticks.
pub fn ekb(bodies: &[KnownBody], ticks: u32) -> Vec<DVec3> {
    let me = &bodies[0];
    let (s, v0) = (me.top_speed_mps, me.kinematics.velocity);
    let v0 = if v0.length() > s { unit(v0) * s } else { v0 };
    let mut c = me.kinematics.position;
    let nearest = near(bodies, c).map(|p| distance(p, c)).fold(f64::INFINITY, f64::min);
    let m = (0.1 * nearest).ceil().min(60.0);
    let mut path = Vec::new();
    for j in 1..=ticks {
        let vr = velocity(bodies, c, v0, s);
        let j = f64::from(j);
        let v = if j <= m { v0 * ((m - j) / m) + vr * (j / m) } else { vr };
        c += v / 60.0;
        path.push(c);
    }
    path
}

fn distance(p: &KnownBody, c: DVec3) -> f64 {
    p.kinematics.position.distance(c)
}

fn near(bodies: &[KnownBody], c: DVec3) -> impl Iterator<Item = &KnownBody> {
    bodies[1..].iter().filter(move |p| {
        let way = p.kinematics.position - c;
        way.x.abs() <= 1280.0 && way.y.abs() <= 960.0
    })
}

fn influence(p: &KnownBody) -> f64 {
    f64::from(p.health) / f64::from(p.max_health) + f64::from(p.ammo) / f64::from(p.max_ammo)
}

fn mean(side: &[&KnownBody]) -> DVec3 {
    side.iter().map(|p| p.kinematics.position).sum::<DVec3>() / side.len() as f64
}

/// Algorithm 1.
fn velocity(bodies: &[KnownBody], c: DVec3, v0: DVec3, s: f64) -> DVec3 {
    let me = &bodies[0];
    let (friends, enemies): (Vec<_>, Vec<_>) = near(bodies, c).partition(|p| p.team == me.team);
    // No step overshoots its goal.
    let to = |goal: DVec3| unit(goal - c) * s.min(c.distance(goal) * 60.0);
    let follow = if friends.is_empty() { v0 } else { to(mean(&friends)) };
    if enemies.iter().any(|p| distance(p, c) <= 800.0) {
        let ef = if friends.is_empty() { c } else { mean(&friends) };
        let zf: f64 = friends.iter().map(|p| influence(p)).sum();
        let ze: f64 = enemies.iter().map(|p| influence(p)).sum();
        let ours = 0.4 * zf + influence(me);
        let goal = ef + unit(mean(&enemies) - ef) * (200.0 * (ours - ze) / ours.max(ze));
        return follow * 0.5 + to(goal) * 0.5;
    }
    if friends.is_empty() {
        return v0;
    }
    let mut align = DVec3::ZERO;
    for p in &friends {
        let d = distance(p, c).clamp(60.0, 1000.0);
        align += p.kinematics.velocity * (1.0 - (d - 60.0) / (1000.0 - 60.0));
    }
    if align.length() > s {
        align = unit(align) * s;
    }
    follow * 0.6 + align * 0.4
}
