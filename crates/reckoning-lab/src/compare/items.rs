//! Items of a level, and whether each was there at a moment of the recording.
//!
//! Where a recording tells when items were taken and came back, an item is in the scene only
//! while it is there. A recording without such events, as all those of `QuakeWorld` here, leaves
//! every item always present. What an item is worth comes, in this order, from the number at
//! the end of its class (`health 50`, as the arena writes it), from Quake's rules for its
//! class, or, where neither tells, is 25.

use reckoning::SimTime;
use reckoning_predict::{Item as SceneItem, Restores};
use reckoning_recording::{LevelItem, Recording};

/// What an item gives when nothing tells.
const UNKNOWN_WORTH: f32 = 25.0;

/// What Quake gives for touching a thing of this class. Armour counts as health.
const QUAKE: [(&str, Restores, f32); 14] = [
    ("item_health", Restores::Health, 25.0),
    ("item_armor1", Restores::Health, 100.0),
    ("item_armor2", Restores::Health, 150.0),
    ("item_armorInv", Restores::Health, 200.0),
    ("item_shells", Restores::Ammo, 20.0),
    ("item_spikes", Restores::Ammo, 25.0),
    ("item_rockets", Restores::Ammo, 5.0),
    ("item_cells", Restores::Ammo, 6.0),
    ("weapon_supershotgun", Restores::Ammo, 5.0),
    ("weapon_nailgun", Restores::Ammo, 30.0),
    ("weapon_supernailgun", Restores::Ammo, 30.0),
    ("weapon_grenadelauncher", Restores::Ammo, 5.0),
    ("weapon_rocketlauncher", Restores::Ammo, 5.0),
    ("weapon_lightning", Restores::Ammo, 15.0),
];

/// The items of one recording.
#[derive(Clone, Debug, Default)]
pub(crate) struct Items(Vec<Lying>);

#[derive(Clone, Debug)]
struct Lying {
    item: SceneItem,
    /// When it came or went, in order of time, and whether it was there from then on.
    changes: Vec<(SimTime, bool)>,
}

impl Items {
    pub(crate) fn from_recording(recording: &Recording) -> Self {
        let mut changes = vec![Vec::new(); recording.level.items.len()];
        for event in &recording.item_events {
            if let Some(changes) = changes.get_mut(event.item as usize) {
                changes.push((event.at, event.taken_by.is_none()));
            }
        }
        let lying = |(item, mut changes): (&LevelItem, Vec<(SimTime, bool)>)| {
            changes.sort_by_key(|change| change.0);
            Some(Lying { item: as_seen(item)?, changes })
        };
        Self(recording.level.items.iter().zip(changes).filter_map(lying).collect())
    }

    /// Those that are there at `now`.
    pub(crate) fn present_at(&self, now: SimTime, out: &mut Vec<SceneItem>) {
        let there = self.0.iter().filter(|lying| lying.is_there(now)).map(|lying| lying.item);
        out.clear();
        out.extend(there);
    }
}

impl Lying {
    /// An item nobody took yet is there.
    fn is_there(&self, now: SimTime) -> bool {
        let next = self.changes.partition_point(|change| change.0 <= now);
        next.checked_sub(1).is_none_or(|last| self.changes[last].1)
    }
}

/// What behaviours see of it; `None` for what nobody can pick up, such as doors.
fn as_seen(item: &LevelItem) -> Option<SceneItem> {
    let quake = QUAKE.iter().find(|(class, ..)| *class == item.class);
    let restores = match (item.kind.as_str(), quake) {
        ("health" | "armor" | "armour", _) => Restores::Health,
        ("ammo" | "weapon", _) => Restores::Ammo,
        (_, Some((_, restores, _))) => *restores,
        _ => return None,
    };
    let written = item.class.rsplit(' ').next().and_then(|word| word.parse::<f32>().ok());
    let written = written.filter(|worth| worth.is_finite() && *worth >= 0.0);
    let worth = written.or(quake.map(|it| it.2)).unwrap_or(UNKNOWN_WORTH);
    Some(SceneItem { position: item.position, restores, worth })
}

#[cfg(test)]
mod tests {
    use reckoning_recording::ItemEvent;

    use super::*;

    fn item(kind: &str, class: &str) -> LevelItem {
        LevelItem { kind: kind.into(), class: class.into(), ..LevelItem::default() }
    }

    fn worths(recording: &Recording, now_ms: i64) -> Vec<f32> {
        let mut present = Vec::new();
        Items::from_recording(recording).present_at(SimTime::from_millis(now_ms), &mut present);
        present.iter().map(|item| item.worth).collect()
    }

    #[test]
    fn an_item_is_gone_from_the_moment_it_is_taken_until_it_comes_back() {
        let mut recording = Recording::default();
        recording.level.items = vec![item("health", "health 50"), item("ammo", "ammo 10")];
        for (at_ms, item, taken_by) in [(1_000, 0, Some(7)), (3_000, 0, None), (9_000, 5, None)] {
            let at = SimTime::from_millis(at_ms);
            recording.item_events.push(ItemEvent { at, item, taken_by });
        }
        for (now_ms, there) in [
            (999, vec![50.0, 10.0]),
            (1_000, vec![10.0]),
            (2_999, vec![10.0]),
            (3_000, vec![50.0, 10.0]),
        ] {
            assert_eq!(worths(&recording, now_ms), there, "at {now_ms} ms");
        }
    }

    #[test]
    fn worth_is_what_the_class_tells_or_twenty_five() {
        let mut recording = Recording::default();
        recording.level.items = vec![
            item("item", "item_armor2"),
            item("item", "weapon_lightning"),
            item("health", "bandage"),
            item("ammo", "crate NaN"),
            item("door", "func_door"),
        ];
        assert_eq!(worths(&recording, 0), [150.0, 15.0, 25.0, 25.0]);
    }
}
