//! Sorts of bodies: their sizes, and the parts that turn on them.

use reckoning::DVec3;
use reckoning::ground::Footprint;

/// A sort of bodies. Each is a kind of the host, or several that differ in one setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Craft {
    /// On tracks, with a turret and a barrel.
    Tank,
    /// On four wheels, of which the front ones steer.
    Car,
    /// A car of the train, on its track.
    Train,
    /// What a tank lobs, on a ballistic arc.
    Shell,
    /// Flies freely and leans where it goes.
    Drone,
    /// A wagon that goes its round and is shown as it was a moment ago.
    Merchant,
    /// Far away and of little importance.
    Bird,
}

impl Craft {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Tank, Self::Car, Self::Train, Self::Shell, Self::Drone, Self::Merchant, Self::Bird];

    /// What it is called, in lower case; names of kinds begin with it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tank => "tank",
            Self::Car => "car",
            Self::Train => "train",
            Self::Shell => "shell",
            Self::Drone => "drone",
            Self::Merchant => "merchant",
            Self::Bird => "bird",
        }
    }

    /// The one whose kinds have names that begin like this.
    #[must_use]
    pub fn of_kind(name: &str) -> Option<Self> {
        let first = name.split(' ').next()?;
        Self::ALL.into_iter().find(|it| it.name() == first)
    }

    /// Whether it stands on the ground.
    #[must_use]
    pub const fn is_grounded(self) -> bool {
        matches!(self, Self::Tank | Self::Car | Self::Merchant)
    }

    /// Whether people and bots drive it, it fights and it can be destroyed.
    #[must_use]
    pub const fn is_driven(self) -> bool {
        matches!(self, Self::Tank | Self::Car)
    }

    /// The part of it that stands on the ground, for a clamp; `None` of what does not stand there.
    /// The world sets bodies onto the ground by these points, so a picture that is clamped by them
    /// stands exactly as the truth does.
    #[must_use]
    pub fn footprint(self) -> Option<Footprint> {
        let shape = self.shape();
        let half_length_m = match self {
            Self::Car => shape.wheelbase_m * 0.5,
            _ => shape.hull_half.x,
        };
        self.is_grounded()
            .then_some(Footprint::Rectangle { half_length_m, half_width_m: shape.hull_half.y })
    }

    /// How near its middle an obstacle may come, seen from above.
    #[must_use]
    pub fn girth_m(self) -> f64 {
        let half = self.shape().hull_half;
        half.y + 0.25 * (half.x - half.y)
    }

    /// Its sizes.
    #[must_use]
    pub const fn shape(self) -> &'static Shape {
        match self {
            Self::Tank => &TANK,
            Self::Car => &CAR,
            Self::Train => &TRAIN,
            Self::Shell => &SHELL,
            Self::Drone => &DRONE,
            Self::Merchant => &MERCHANT,
            Self::Bird => &BIRD,
        }
    }
}

/// A part that a shot can hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The body itself.
    Hull,
    /// What turns on it.
    Turret,
}

/// Sizes of a body. Its origin is on the ground beneath its middle; of what flies, its middle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// The middle of the hull, from the origin.
    pub hull_centre: DVec3,
    /// Half its length, width and height.
    pub hull_half: DVec3,
    /// What turns on it.
    pub turret: Option<TurretShape>,
    /// What rolls under it.
    pub wheels: &'static [Wheel],
    /// From the front axle to the rear one; 0 without wheels that steer.
    pub wheelbase_m: f64,
}

/// A turret and its barrel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TurretShape {
    /// Where it turns, from the body's origin.
    pub pivot: DVec3,
    /// Half its length, width and height, around the pivot.
    pub half: DVec3,
    /// Where the barrel tilts, from the pivot, in the turret's axes.
    pub barrel: DVec3,
    /// From there to the muzzle.
    pub barrel_length_m: f64,
    /// Least and greatest tilt of the barrel, up is positive.
    pub tilts_rad: (f64, f64),
}

/// A wheel. The joint of the same name is how far it has rolled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wheel {
    /// The name of its joint.
    pub name: &'static str,
    /// Its hub, from the body's origin.
    pub hub: DVec3,
    /// Its radius.
    pub radius_m: f64,
    /// Whether it turns with the joint `steering`.
    pub steers: bool,
}

const fn wheel(name: &'static str, x: f64, y: f64, radius_m: f64, steers: bool) -> Wheel {
    Wheel { name, hub: DVec3::new(x, y, radius_m), radius_m, steers }
}

const TANK: Shape = Shape {
    hull_centre: DVec3::new(0.0, 0.0, 0.8),
    hull_half: DVec3::new(3.2, 1.7, 0.7),
    turret: Some(TurretShape {
        pivot: DVec3::new(-0.2, 0.0, 1.9),
        half: DVec3::new(1.5, 1.1, 0.4),
        barrel: DVec3::new(1.3, 0.0, 0.0),
        barrel_length_m: 3.6,
        tilts_rad: (-0.14, 0.6),
    }),
    wheels: &[],
    wheelbase_m: 0.0,
};
const CAR: Shape = Shape {
    hull_centre: DVec3::new(0.0, 0.0, 0.85),
    hull_half: DVec3::new(2.1, 0.95, 0.55),
    turret: None,
    wheels: &[
        wheel("front left", 1.35, 0.85, 0.42, true),
        wheel("front right", 1.35, -0.85, 0.42, true),
        wheel("rear left", -1.35, 0.85, 0.42, false),
        wheel("rear right", -1.35, -0.85, 0.42, false),
    ],
    wheelbase_m: 2.7,
};
const TRAIN: Shape = Shape {
    hull_centre: DVec3::new(0.0, 0.0, 1.9),
    hull_half: DVec3::new(6.0, 1.4, 1.5),
    turret: None,
    wheels: &[],
    wheelbase_m: 0.0,
};
const SHELL: Shape = Shape {
    hull_centre: DVec3::ZERO,
    hull_half: DVec3::new(0.35, 0.12, 0.12),
    turret: None,
    wheels: &[],
    wheelbase_m: 0.0,
};
const DRONE: Shape = Shape {
    hull_centre: DVec3::ZERO,
    hull_half: DVec3::new(1.2, 1.2, 0.25),
    turret: None,
    wheels: &[],
    wheelbase_m: 0.0,
};
const MERCHANT: Shape = Shape {
    hull_centre: DVec3::new(0.0, 0.0, 1.4),
    hull_half: DVec3::new(2.6, 1.2, 1.0),
    turret: None,
    wheels: &[],
    wheelbase_m: 0.0,
};
const BIRD: Shape = Shape {
    hull_centre: DVec3::ZERO,
    hull_half: DVec3::new(0.5, 1.1, 0.12),
    turret: None,
    wheels: &[],
    wheelbase_m: 0.0,
};
