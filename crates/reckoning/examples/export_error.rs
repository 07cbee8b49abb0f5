//! Export error of a listener: before an update arrived and after, and what the
//! owner can know of it from acknowledgements.

use reckoning::{
    ConfigError, DVec3, FlightLog, Kinematics, ListenerAccount, Model, SimTime, Update, UpdateKind,
    update_error_between,
};

/// A body that changes its course every second.
fn course(second: i64) -> Result<Update, ConfigError> {
    let at = SimTime::from_millis(1_000 * second);
    let side = if second % 2 == 0 { 1.0 } else { -1.0 };
    let place = DVec3::new(4.0 * second as f64, 0.5 * (1.0 - side), 0.0);
    let seen = Kinematics::moving(at, place, DVec3::new(4.0, side, 0.0));
    Update::new(seen, Model::Linear, UpdateKind::Partial)
}

fn main() -> Result<(), ConfigError> {
    println!("delay   before   after   the owner's account (metre-seconds in 10 s)");
    for delay_ms in [0, 100, 300, 800] {
        let mut log = FlightLog::new();
        let mut account = ListenerAccount::new(update_error_between);
        for second in 0..10 {
            let update = course(second)?;
            let arrival = SimTime::from_millis(1_000 * second + delay_ms);
            log.exported(update.at());
            log.received(update.at(), arrival);
            account.exported(update.at(), update);
            account.sent(update.at(), update.at());
            account.acknowledged(update.at(), arrival, arrival);
        }
        // With a common clock the listener is right from the arrival on, so the error is
        // that of the previous course while the new one is on its way.
        let truth = |at: SimTime| course(at.as_micros().div_euclid(1_000_000));
        let shown = |at: SimTime| course((at.as_micros() - 1_000 * delay_ms).div_euclid(1_000_000));
        let end = SimTime::from_millis(10_000);
        let split = log.split(SimTime::ZERO, end, |from, to| match (truth(from), shown(from)) {
            (Ok(truth), Ok(shown)) => update_error_between(&truth, &shown, from, to),
            _ => f64::NAN,
        });
        let known = account.total_at(end);
        println!("{delay_ms:>4} ms {:>7.3} {:>7.3} {known:>12.3}", split.before, split.after);
    }
    Ok(())
}
