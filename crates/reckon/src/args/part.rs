//! Options that choose a part of a recording.

use std::time::Duration;

use clap::Args;
use reckoning::SimTime;
use reckoning_recording::SimSpan;

// Doc comments here would become the help of the commands that flatten it.
#[derive(Args, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Begin so many seconds after a recording does
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub from: Option<Duration>,
    /// End so many seconds after a recording begins
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub to: Option<Duration>,
}

impl Part {
    /// Whether all of a recording is meant.
    pub fn is_all(self) -> bool {
        self == Self::default()
    }

    /// The part of a recording whose first sample is at `first`.
    pub fn of(self, first: SimTime) -> SimSpan {
        if self.is_all() {
            return SimSpan::ALL;
        }
        SimSpan::after(first, self.from.unwrap_or_default(), self.to)
    }
}

fn seconds(word: &str) -> Result<Duration, &'static str> {
    let seconds = word.parse().ok().and_then(|it| Duration::try_from_secs_f64(it).ok());
    seconds.ok_or("not a number of seconds from zero on, such as 90 or 0.5")
}
