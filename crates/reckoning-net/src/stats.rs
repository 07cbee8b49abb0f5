//! Traffic counters of a connection, with a reason for everything that was dropped.

/// Traffic of one connection, and what was dropped and why. Bad traffic is not an error; it is
/// counted here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TrafficStats {
    /// Datagrams received, bad ones included.
    pub datagrams_in: u64,
    /// Their bytes.
    pub bytes_in: u64,
    /// Those of them that messages and commands of the game carried.
    pub carried_bytes_in: u64,
    /// Datagrams sent.
    pub datagrams_out: u64,
    /// Their bytes.
    pub bytes_out: u64,
    /// Updates sent, entries included.
    pub updates_out: u64,
    /// Updates received and used.
    pub updates_in: u64,
    /// Joints sent.
    pub joints_out: u64,
    /// Joints received and used.
    pub joints_in: u64,
    /// Entries into the interest set sent.
    pub enters_out: u64,
    /// Exits from the interest set sent.
    pub exits_out: u64,
    /// Datagrams sent that count as lost.
    pub lost: u64,
    /// Datagrams of the other side that were not received, by the gaps in their sequence; one that
    /// could not be used counts as well.
    pub missed: u64,
    /// Dropped: not a datagram of this protocol, or broken off.
    pub malformed: u64,
    /// Dropped: received twice.
    pub duplicates: u64,
    /// Dropped: so late that it could be a duplicate.
    pub too_old: u64,
    /// Dropped: more datagrams than the host accepts of one peer.
    pub flooded: u64,
    /// Dropped: a message that this end never accepts, or not at this point.
    pub unexpected: u64,
    /// Dropped: an acknowledgement of what was never sent.
    pub false_acks: u64,
    /// Dropped: an update of an entity that is not known.
    pub unknown_entity: u64,
    /// Dropped: an update of an entity that somebody else owns.
    pub not_owner: u64,
    /// Dropped: an update coded against a baseline that is not here.
    pub no_baseline: u64,
    /// Dropped: an update, entry, exit or grant that a newer one overtook.
    pub stale: u64,
    /// Dropped: an update of an owner, stamped with a time that is yet to come.
    pub early: u64,
    /// Dropped: there is no room for it.
    pub no_room: u64,
    /// Events dropped because nobody polled them.
    pub events_dropped: u64,
    /// Values of properties that an owner may not set.
    pub values_refused: u64,
    /// Updates that the guard rejected.
    pub rejected: u64,
    /// Updates that the guard corrected.
    pub corrected: u64,
}

/// Updates of a kind that were received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UpdateTraffic {
    /// How many, late ones included; entries into the interest set are not counted.
    pub updates: u64,
    /// What they took in their datagrams, without the headers.
    pub bits: u64,
}

impl TrafficStats {
    /// Adds another connection's counters to these.
    pub(crate) const fn add(&mut self, other: &Self) {
        self.datagrams_in += other.datagrams_in;
        self.bytes_in += other.bytes_in;
        self.carried_bytes_in += other.carried_bytes_in;
        self.datagrams_out += other.datagrams_out;
        self.bytes_out += other.bytes_out;
        self.updates_out += other.updates_out;
        self.updates_in += other.updates_in;
        self.joints_out += other.joints_out;
        self.joints_in += other.joints_in;
        self.enters_out += other.enters_out;
        self.exits_out += other.exits_out;
        self.lost += other.lost;
        self.missed += other.missed;
        self.malformed += other.malformed;
        self.duplicates += other.duplicates;
        self.too_old += other.too_old;
        self.flooded += other.flooded;
        self.unexpected += other.unexpected;
        self.false_acks += other.false_acks;
        self.unknown_entity += other.unknown_entity;
        self.not_owner += other.not_owner;
        self.no_baseline += other.no_baseline;
        self.stale += other.stale;
        self.early += other.early;
        self.no_room += other.no_room;
        self.events_dropped += other.events_dropped;
        self.values_refused += other.values_refused;
        self.rejected += other.rejected;
        self.corrected += other.corrected;
    }
}
