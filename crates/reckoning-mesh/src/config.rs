//! Settings of a mesh, and their validation.

use std::fmt;
use std::time::Duration;

use crate::grid::MAX_DEPTH;

/// How servers of a mesh share a world. All servers of a mesh need the same.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct MeshConfig {
    /// How long a lease holds after the moment before it was asked for. Above the time the store takes to
    /// fail over. Default: 3 s, so that a dead server's bodies live again after 3.5 s.
    pub ttl: Duration,
    /// How often a lease is renewed. At most a third of `ttl`. Default: 1 s.
    pub renew_every: Duration,
    /// How often the store is read. Default: 100 ms.
    pub poll_every: Duration,
    /// After how long a request to the store counts as unanswered; it may have been applied.
    /// Default: 300 ms.
    pub store_timeout: Duration,
    /// How often an unanswered message is sent again. Default: 50 ms.
    pub resend_every: Duration,
    /// How often copies of changed bodies go to their holders: what a crash loses. Default: 100 ms.
    pub shadow_every: Duration,
    /// After how long an unanswered offer is taken back, and after how long it is made again.
    /// Default: 1 s.
    pub offer_timeout: Duration,
    /// For how long versions are remembered. No message may be under way for longer: connections
    /// between servers have to be given up sooner. Default: 60 s.
    pub memory: Duration,
    /// How far beyond the border a body is handed over: less and bodies at a border go to and fro.
    /// Default: 2 m.
    pub handover_depth_m: f64,
    /// Within this distance of a border a body is a ghost on the other side. Default: 60 m.
    pub ghost_range_m: f64,
    /// A cell with more bodies splits. Default: 200.
    pub split_above: u32,
    /// Four sibling cells with fewer bodies merge. At most half of `split_above`. Default: 60.
    pub merge_below: u32,
    /// How often a region is split at most. Default: 3.
    pub max_depth: u8,
    /// A server with this share more than the mean gives cells away. Default: 0.25.
    pub load_tolerance: f64,
    /// How long after a move for load the next one is made: as long as others take to notice. Default: 2 s.
    pub rebalance_every: Duration,
}

impl Default for MeshConfig {
    fn default() -> Self {
        Self {
            ttl: Duration::from_secs(3),
            renew_every: Duration::from_secs(1),
            poll_every: Duration::from_millis(100),
            store_timeout: Duration::from_millis(300),
            resend_every: Duration::from_millis(50),
            shadow_every: Duration::from_millis(100),
            offer_timeout: Duration::from_secs(1),
            memory: Duration::from_mins(1),
            handover_depth_m: 2.0,
            ghost_range_m: 60.0,
            split_above: 200,
            merge_below: 60,
            max_depth: 3,
            load_tolerance: 0.25,
            rebalance_every: Duration::from_secs(2),
        }
    }
}

impl MeshConfig {
    /// For how long a lease has to be seen unrenewed before its holder may be fenced: the clocks of two
    /// servers may differ by 5 % in speed.
    #[must_use]
    pub fn fence_after(&self) -> Duration {
        self.ttl + self.ttl / 20 + Duration::from_millis(20)
    }

    /// Checks that leases can be renewed before they end, and that cells do not split and merge in
    /// turns.
    ///
    /// # Errors
    /// Names the first setting that is not usable, its value and what would be.
    pub fn validate(&self) -> Result<(), MeshConfigError> {
        if self.renew_every.is_zero() || self.renew_every * 3 > self.ttl {
            let (renew_every, ttl) = (self.renew_every, self.ttl);
            return Err(MeshConfigError::RenewedTooSeldom { renew_every, ttl });
        }
        let spans = [
            ("poll_every", self.poll_every),
            ("store_timeout", self.store_timeout),
            ("resend_every", self.resend_every),
            ("shadow_every", self.shadow_every),
            ("offer_timeout", self.offer_timeout),
        ];
        for (name, got) in spans {
            if got.is_zero() || got > self.ttl {
                return Err(MeshConfigError::NotWithinTtl { name, got, ttl: self.ttl });
            }
        }
        if self.memory < self.ttl * 4 {
            return Err(MeshConfigError::ForgetsTooSoon { memory: self.memory, ttl: self.ttl });
        }
        self.validate_places()
    }

    fn validate_places(&self) -> Result<(), MeshConfigError> {
        for (name, got_m) in
            [("handover_depth_m", self.handover_depth_m), ("ghost_range_m", self.ghost_range_m)]
        {
            if !(got_m >= 0.0 && got_m.is_finite()) {
                return Err(MeshConfigError::NotADistance { name, got_m });
            }
        }
        if self.handover_depth_m > self.ghost_range_m {
            let (depth_m, range_m) = (self.handover_depth_m, self.ghost_range_m);
            return Err(MeshConfigError::HandedOverUnseen { depth_m, range_m });
        }
        if self.merge_below.saturating_mul(2) > self.split_above {
            let (split_above, merge_below) = (self.split_above, self.merge_below);
            return Err(MeshConfigError::SplitsAndMerges { split_above, merge_below });
        }
        if self.max_depth > MAX_DEPTH {
            return Err(MeshConfigError::TooDeep { got: self.max_depth });
        }
        if !(self.load_tolerance > 0.0 && self.load_tolerance.is_finite()) {
            return Err(MeshConfigError::NoTolerance { got: self.load_tolerance });
        }
        Ok(())
    }
}

/// Why settings were refused.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum MeshConfigError {
    /// A region must have a size and a place.
    RegionNotALength {
        /// Its side.
        got_m: f64,
    },
    /// A world needs regions, and not too many.
    RegionCount {
        /// How many a side.
        got: u32,
    },
    /// A lease has to be renewed three times before it ends.
    RenewedTooSeldom {
        /// How often it would be.
        renew_every: Duration,
        /// How long it holds.
        ttl: Duration,
    },
    /// A span must be above zero and within a lease.
    NotWithinTtl {
        /// Which.
        name: &'static str,
        /// Its value.
        got: Duration,
        /// How long a lease holds.
        ttl: Duration,
    },
    /// Versions have to be remembered until a crash is over.
    ForgetsTooSoon {
        /// For how long they would be.
        memory: Duration,
        /// How long a lease holds.
        ttl: Duration,
    },
    /// A distance must be finite and not negative.
    NotADistance {
        /// Which.
        name: &'static str,
        /// Its value.
        got_m: f64,
    },
    /// A body has to be known where it is handed over.
    HandedOverUnseen {
        /// How far beyond the border it is handed over.
        depth_m: f64,
        /// How far from it bodies are ghosts.
        range_m: f64,
    },
    /// Cells would split and merge in turns.
    SplitsAndMerges {
        /// Above how many bodies they split.
        split_above: u32,
        /// Below how many they merge.
        merge_below: u32,
    },
    /// Regions would be split too often.
    TooDeep {
        /// How often.
        got: u8,
    },
    /// Servers are never equally loaded.
    NoTolerance {
        /// The share given.
        got: f64,
    },
    /// A server needs a number that fits into those of its bodies.
    ServerNumber {
        /// The number given.
        got: u16,
    },
}

impl fmt::Display for MeshConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RegionNotALength { got_m } => {
                write!(f, "region_m {got_m} is not a length; give a finite one above 0")
            }
            Self::RegionCount { got } => {
                let most = crate::grid::MAX_REGIONS_A_SIDE;
                write!(f, "{got} regions a side; give 1 to {most}")
            }
            Self::RenewedTooSeldom { renew_every, ttl } => write!(
                f,
                "renew_every {renew_every:?} is 0 or above a third of ttl {ttl:?}; give less"
            ),
            Self::NotWithinTtl { name, got, ttl } => {
                write!(f, "{name} {got:?} is 0 or above ttl {ttl:?}; give a span between")
            }
            Self::ForgetsTooSoon { memory, ttl } => {
                write!(f, "memory {memory:?} is shorter than four times ttl {ttl:?}; give more")
            }
            Self::NotADistance { name, got_m } => {
                write!(f, "{name} {got_m} is not a distance; give a finite one of 0 or more")
            }
            Self::HandedOverUnseen { depth_m, range_m } => {
                write!(f, "handover_depth_m {depth_m} is above ghost_range_m {range_m}; give less")
            }
            Self::SplitsAndMerges { split_above, merge_below } => write!(
                f,
                "merge_below {merge_below} is above half of split_above {split_above}; give less"
            ),
            Self::TooDeep { got } => write!(f, "max_depth {got}; give 0 to {MAX_DEPTH}"),
            Self::NoTolerance { got } => {
                write!(f, "load_tolerance {got} is not a finite share above 0; give such as 0.25")
            }
            Self::ServerNumber { got } => {
                write!(f, "server number {got}; give 0 to {}", crate::ids::ServerId::MAX.0)
            }
        }
    }
}

impl std::error::Error for MeshConfigError {}

#[cfg(test)]
mod tests {
    use super::*;

    type Change = fn(&mut MeshConfig);

    #[test]
    fn settings_that_cannot_work_are_refused_by_name() {
        assert_eq!(MeshConfig::default().validate(), Ok(()));
        let wrong: [(Change, &str); 9] = [
            (|it| it.renew_every = Duration::from_millis(1_001), "renew_every"),
            (|it| it.resend_every = Duration::ZERO, "resend_every"),
            (|it| it.store_timeout = Duration::from_secs(4), "store_timeout"),
            (|it| it.memory = Duration::from_secs(11), "memory"),
            (|it| it.ghost_range_m = f64::NAN, "ghost_range_m"),
            (|it| it.handover_depth_m = 61.0, "handover_depth_m"),
            (|it| it.merge_below = 101, "merge_below"),
            (|it| it.max_depth = 7, "max_depth"),
            (|it| it.load_tolerance = 0.0, "load_tolerance"),
        ];
        for (change, name) in wrong {
            let mut config = MeshConfig::default();
            change(&mut config);
            let told = config.validate().unwrap_err().to_string();
            assert!(told.starts_with(name) || told.contains(name), "{name}: {told}");
        }
    }
}
