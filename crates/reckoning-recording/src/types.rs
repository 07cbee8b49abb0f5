//! Data types of a recording: players, tracks, samples, events.

use std::collections::{BTreeMap, BTreeSet};

use reckoning::{DVec3, SimTime};

use super::{Level, Meta};

/// One session of play, whatever game or sport it comes from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    /// Which game or sport, such as `quakeworld`.
    pub source: String,
    /// Name of the session, unique within its source.
    pub session: String,
    /// Rate, units, sizes and origin.
    pub meta: Meta,
    /// Everyone who took part, the ball included.
    pub players: Vec<Player>,
    /// One track for each body, in order of first appearance.
    pub tracks: Vec<Track>,
    /// Walls, floors and items, as far as they are known.
    pub level: Level,
    /// What the players pressed, in order of time.
    pub inputs: Vec<Input>,
    /// When bodies came to life, in order of time.
    pub births: Vec<Birth>,
    /// When bodies died, in order of time.
    pub deaths: Vec<Death>,
    /// When items were taken and came back, in order of time.
    pub item_events: Vec<ItemEvent>,
    /// Whole states of the game, in its own bytes, in order of time.
    pub snapshots: Vec<Snapshot>,
}

/// Someone who took part, or the ball.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Player {
    /// The id its track carries; −1 is a ball.
    pub id: i32,
    /// Its side; −1 is neutral.
    pub team: i32,
    /// Its name, empty when not known.
    pub name: String,
}

/// Where one body was, sample by sample.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Track {
    /// Whose body.
    pub id: i32,
    /// Its side at the beginning; −1 is neutral.
    pub team: i32,
    /// When it changed sides, and to which, in order of time; most never do.
    pub team_changes: Vec<(SimTime, i32)>,
    /// In order of time.
    pub samples: Vec<Sample>,
    /// Further values, each as long as `samples`.
    pub extras: Vec<Column>,
}

/// One body at one moment.
///
/// Whether `position.z` is a measurement says `height_known`; unknown heights are zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// The moment.
    pub at: SimTime,
    /// Where it was, in the units of the source.
    pub position: DVec3,
    /// Where it faced, counter-clockwise from +x.
    pub yaw_rad: Option<f32>,
    /// Health, in the game's own points.
    pub health: Option<f32>,
    /// Ammunition, or what stands for it, in the game's own points.
    pub ammo: Option<f32>,
    /// Counts up at every spawn, death, teleport, reset or gap in the recording.
    pub segment: u32,
    /// Whether it was alive.
    pub alive: bool,
    /// Whether the source gave a `z`.
    pub height_known: bool,
}

/// A further value of each sample of a track.
///
/// A column of words holds indices into `labels`; a column of numbers has no labels.
#[derive(Clone, Debug, Default)]
pub struct Column {
    /// Its name in the source.
    pub name: String,
    /// The values; NaN where the source gave none.
    pub values: Vec<f32>,
    /// The words that the values stand for, if they stand for words.
    pub labels: Vec<String>,
}

impl PartialEq for Column {
    /// By bits, so that two unknown values are equal.
    fn eq(&self, other: &Self) -> bool {
        let bits = |column: &Self| column.values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        self.name == other.name && self.labels == other.labels && bits(self) == bits(other)
    }
}

/// What one player pressed at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Input {
    /// The moment.
    pub at: SimTime,
    /// Who.
    pub id: i32,
    /// One bit for each button, in the game's own order.
    pub buttons: u32,
    /// Main stick, each axis from −1 to 1; zero where a game has none.
    pub stick: [f32; 2],
    /// Where the pointer was, in the units of the source, if it is known.
    pub pointer: Option<[f32; 2]>,
}

/// A body came to life.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Birth {
    /// The moment.
    pub at: SimTime,
    /// Who.
    pub id: i32,
    /// Where.
    pub position: DVec3,
}

/// A body died.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Death {
    /// The moment.
    pub at: SimTime,
    /// Who.
    pub id: i32,
    /// By whom, if the source tells.
    pub killer: Option<i32>,
}

/// An item was taken, or came back.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ItemEvent {
    /// The moment.
    pub at: SimTime,
    /// Index into [`Level::items`].
    pub item: u32,
    /// Who took it; `None` when it came back.
    pub taken_by: Option<i32>,
}

/// The whole state of a game at one moment, in the game's own bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// The moment.
    pub at: SimTime,
    /// The state; what it means is the game's affair.
    pub bytes: Vec<u8>,
}

impl Recording {
    /// The track of a body.
    #[must_use]
    pub fn track(&self, id: i32) -> Option<&Track> {
        self.tracks.iter().find(|track| track.id == id)
    }

    /// How many samples all tracks hold.
    #[must_use]
    pub fn sample_count(&self) -> usize {
        self.tracks.iter().map(|track| track.samples.len()).sum()
    }

    /// About how much memory its samples, events and snapshots take, in bytes.
    #[must_use]
    pub fn memory_bytes(&self) -> u64 {
        let columns = |it: &Track| it.extras.iter().map(|it| room(&it.values)).sum::<u64>();
        let tracks = self.tracks.iter().map(|it| room(&it.samples) + columns(it)).sum::<u64>();
        let snapshots = self.snapshots.iter().map(|it| room(&it.bytes)).sum::<u64>();
        let events = room(&self.inputs) + room(&self.births) + room(&self.deaths);
        let lists = room(&self.item_events) + room(&self.level.shapes) + room(&self.tracks);
        tracks + snapshots + events + lists
    }

    /// First and last moment of all samples; `None` without any.
    #[must_use]
    pub fn span(&self) -> Option<(SimTime, SimTime)> {
        let moments = || self.tracks.iter().filter_map(|t| t.samples.first().zip(t.samples.last()));
        let first = moments().map(|(first, _)| first.at).min()?;
        let last = moments().map(|(_, last)| last.at).max()?;
        Some((first, last))
    }

    /// Puts every track and list into order of time and makes sure that everyone with a
    /// track is among the players. Importers end with this.
    pub fn tidy(&mut self) {
        for track in &mut self.tracks {
            track.sort();
        }
        sort(&mut self.inputs, |input| input.at);
        sort(&mut self.births, |birth| birth.at);
        sort(&mut self.deaths, |death| death.at);
        sort(&mut self.item_events, |event| event.at);
        sort(&mut self.snapshots, |snapshot| snapshot.at);
        let mut known: BTreeSet<i32> = self.players.iter().map(|player| player.id).collect();
        for track in &self.tracks {
            if known.insert(track.id) {
                self.players.push(Player { id: track.id, team: track.team, name: String::new() });
            }
        }
        self.meta.team_play = self.has_teams();
    }

    /// Whether some side has two or more bodies.
    pub(crate) fn has_teams(&self) -> bool {
        let mut sizes = BTreeMap::<i32, usize>::new();
        for track in self.tracks.iter().filter(|track| track.team >= 0) {
            *sizes.entry(track.team).or_default() += 1;
        }
        sizes.values().any(|&size| size > 1)
    }

    /// Births and deaths as the samples' `alive` shows them, for sources without events.
    pub fn derive_events(&mut self) {
        for track in &self.tracks {
            let mut alive = false;
            for sample in &track.samples {
                match (alive, sample.alive) {
                    (false, true) => self.births.push(Birth {
                        at: sample.at,
                        id: track.id,
                        position: sample.position,
                    }),
                    (true, false) => {
                        self.deaths.push(Death { at: sample.at, id: track.id, killer: None });
                    }
                    _ => {}
                }
                alive = sample.alive;
            }
        }
        self.births.sort_by_key(|birth| birth.at);
        self.deaths.sort_by_key(|death| death.at);
    }
}

fn room<T>(list: &Vec<T>) -> u64 {
    (list.capacity() * size_of::<T>()) as u64
}

/// Names of the columns for velocities that the game knew, in units of the source a second.
/// Those that positions tell are means over a while; a predictor trained on the ones is no
/// good with the others.
pub const VELOCITY_COLUMNS: [&str; 3] = ["vx", "vy", "vz"];

impl Track {
    /// A track without samples, with columns of these names.
    #[must_use]
    pub fn new(id: i32, team: i32, columns: &[&str]) -> Self {
        let column = |name: &&str| Column { name: (*name).to_string(), ..Column::default() };
        let extras = columns.iter().map(column).collect();
        Self { id, team, extras, ..Self::default() }
    }

    /// Its side at a moment.
    #[must_use]
    pub fn team_at(&self, at: SimTime) -> i32 {
        let past = self.team_changes.iter().rev().find(|(from, _)| *from <= at);
        past.map_or(self.team, |&(_, team)| team)
    }

    /// Notes its side from a moment on; nothing changes while it stays the same.
    pub fn change_team(&mut self, at: SimTime, team: i32) {
        if self.team_changes.last().map_or(self.team, |&(_, team)| team) != team {
            self.team_changes.push((at, team));
        }
    }

    /// Adds a sample and its further values, in the order of the columns. Missing values are
    /// unknown, surplus ones are dropped.
    pub fn push(&mut self, sample: Sample, extras: &[f32]) {
        self.samples.push(sample);
        for (index, column) in self.extras.iter_mut().enumerate() {
            column.values.push(extras.get(index).copied().unwrap_or(f32::NAN));
        }
    }

    /// Takes in the stretch that comes next, with the same columns.
    pub(crate) fn append(&mut self, next: Self) {
        for (at, team) in std::iter::once((None, next.team))
            .chain(next.team_changes.into_iter().map(|(at, team)| (Some(at), team)))
        {
            let at = at.or_else(|| next.samples.first().map(|first| first.at));
            if let Some(at) = at {
                self.change_team(at, team);
            }
        }
        self.samples.extend(next.samples);
        for (own, more) in self.extras.iter_mut().zip(next.extras) {
            own.values.extend(more.values);
            own.labels = more.labels;
        }
    }

    /// The segment of the last sample, or `None` before the first.
    #[must_use]
    pub fn last_segment(&self) -> Option<u32> {
        self.samples.last().map(|sample| sample.segment)
    }

    /// The column of this name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.extras.iter().find(|column| column.name == name)
    }

    /// Runs of samples that share a segment: the longest stretches a predictor may look at.
    pub fn segments(&self) -> impl Iterator<Item = &[Sample]> {
        self.samples.chunk_by(|a, b| a.segment == b.segment)
    }

    fn sort(&mut self) {
        if self.samples.is_sorted_by_key(|sample| sample.at) {
            return;
        }
        let mut order: Vec<usize> = (0..self.samples.len()).collect();
        order.sort_by_key(|&index| self.samples[index].at);
        permute(&mut self.samples, &order);
        for column in &mut self.extras {
            column.values.resize(order.len(), f32::NAN);
            permute(&mut column.values, &order);
        }
    }
}

/// Sorts by time what is not sorted yet: sorting takes half as much memory again.
fn sort<E>(events: &mut [E], at: impl Fn(&E) -> SimTime) {
    if !events.is_sorted_by_key(&at) {
        events.sort_by_key(at);
    }
}

/// Puts at each place what `order` names for it, without a second list.
fn permute<T: Copy>(values: &mut [T], order: &[usize]) {
    let mut done = vec![false; order.len()];
    for start in 0..order.len() {
        if std::mem::replace(&mut done[start], true) {
            continue;
        }
        let (first, mut place) = (values[start], start);
        while order[place] != start {
            values[place] = values[order[place]];
            place = order[place];
            done[place] = true;
        }
        values[place] = first;
    }
}

impl Column {
    /// The word at a sample, if the column holds words and one is there.
    #[must_use]
    pub fn label(&self, sample: usize) -> Option<&str> {
        let value = *self.values.get(sample)?;
        if value.is_nan() { None } else { self.labels.get(value as usize).map(String::as_str) }
    }
}
