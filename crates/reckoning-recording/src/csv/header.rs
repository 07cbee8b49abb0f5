//! The first line of a csv: which column is what.

use super::lines::{TextLine, no_csv};
use crate::{MemoryBudget, RecordingError};

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    T,
    Id,
    Team,
    X,
    Y,
    Z,
    Yaw,
    Health,
    Ammo,
    Alive,
    Segment,
    /// A further value, with its place among them.
    Extra(usize),
}

const SLOTS: [Slot; 11] = [
    Slot::T,
    Slot::Id,
    Slot::Team,
    Slot::X,
    Slot::Y,
    Slot::Z,
    Slot::Yaw,
    Slot::Health,
    Slot::Ammo,
    Slot::Alive,
    Slot::Segment,
];
/// Without these there is no motion.
const NEEDED: [Slot; 4] = [Slot::T, Slot::Id, Slot::X, Slot::Y];
/// No table has more columns.
const MAX_COLUMNS: usize = 4_096;

const REMEDY: &str =
    "a csv needs the columns t, id, x and y; `reckon lab import csv --map t=NAME,...` takes others";

/// The columns of a csv.
#[derive(Debug, Default)]
pub(super) struct Header {
    pub(super) slots: Vec<Slot>,
    /// Names of the further columns.
    pub(super) extras: Vec<String>,
}

impl Slot {
    fn of(name: &str) -> Option<Self> {
        SLOTS.iter().copied().find(|slot| slot.name() == name)
    }

    pub(super) const fn name(self) -> &'static str {
        let place = match self {
            Self::T => 0,
            Self::Id => 1,
            Self::Team => 2,
            Self::X => 3,
            Self::Y => 4,
            Self::Z => 5,
            Self::Yaw => 6,
            Self::Health => 7,
            Self::Ammo => 8,
            Self::Alive => 9,
            Self::Segment => 10,
            Self::Extra(_) => return "a further column",
        };
        super::FIXED[place]
    }
}

impl Header {
    pub(super) fn parse(
        line: &TextLine<'_>,
        budget: &mut MemoryBudget,
    ) -> Result<Self, RecordingError> {
        let refuse = |reason: String| no_csv(line.offset, reason).on_line(line.number);
        let names: Vec<&[u8]> =
            line.text.split(|&byte| byte == b',').take(MAX_COLUMNS + 1).collect();
        if names.len() > MAX_COLUMNS {
            return Err(refuse(format!("it has more than {MAX_COLUMNS} columns")));
        }
        let mut header = Self::default();
        for name in &names {
            let name = String::from_utf8_lossy(name).trim().to_string();
            budget.hold(name.capacity() as u64 + size_of::<(String, Slot)>() as u64)?;
            let known = Slot::of(&name);
            let again = match known {
                Some(slot) => header.slots.contains(&slot),
                None => !name.is_empty() && header.extras.contains(&name),
            };
            if again {
                return Err(refuse(format!("the column `{name}` is there twice")));
            }
            header.slots.push(known.unwrap_or(Slot::Extra(header.extras.len())));
            header.extras.extend(known.is_none().then_some(name));
        }
        match NEEDED.into_iter().find(|slot| !header.slots.contains(slot)) {
            Some(slot) => Err(refuse(missing(slot, line.text))),
            None => Ok(header),
        }
    }
}

/// Which column is missing, and why that may be.
fn missing(slot: Slot, text: &[u8]) -> String {
    let count = |wanted: u8| text.split(|byte| *byte == wanted).count();
    let name = slot.name();
    for (byte, what) in [(b';', "semicolons"), (b'\t', "tabs")] {
        if count(byte) > count(b',') {
            return format!(
                "its cells are parted by {what}, not by commas; `reckon lab import csv` takes those"
            );
        }
    }
    if text.contains(&b'"') {
        return format!(
            "there is no column `{name}`, and names are quoted; `reckon lab import csv` takes those"
        );
    }
    format!("there is no column `{name}`; {REMEDY}")
}
