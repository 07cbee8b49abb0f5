//! Helpers shared by the tests of this crate.

use reckoning::SimTime;

pub fn ms(millis: i64) -> SimTime {
    SimTime::from_millis(millis)
}
