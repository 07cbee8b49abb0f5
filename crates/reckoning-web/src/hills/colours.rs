//! Colours of the hills in both themes; those that mean something are Okabe's and Ito's.

/// Red, green and blue, from 0 to 255.
pub type Colour = [u8; 3];

/// The colours of a theme.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HillsColours {
    /// The sky, and what far things fade into.
    pub sky: Colour,
    /// Ground near the water.
    pub sand: Colour,
    /// Low ground.
    pub meadow: Colour,
    /// High ground.
    pub heath: Colour,
    /// Steep ground.
    pub cliff: Colour,
    /// The lake.
    pub water: Colour,
    /// Ways of merchants.
    pub road: Colour,
    /// Decks of bridges.
    pub deck: Colour,
    /// Walls of tunnels and their portals.
    pub stone: Colour,
    /// The rails, and what they lie on.
    pub rails: [Colour; 2],
    /// Trunks and leaves of trees.
    pub tree: [Colour; 2],
    /// Walls and roofs of houses.
    pub house: [Colour; 2],
    /// Both teams, and what has none.
    pub teams: [Colour; 3],
    /// Tracks, wheels, barrels.
    pub iron: Colour,
    /// Where bodies really are.
    pub truth: Colour,
    /// Where a naive game shows them.
    pub naive: Colour,
    /// Where interpolation shows them.
    pub interpolated: Colour,
    /// Shots and bursts.
    pub fire: Colour,
    /// How much light comes from the sky, from the ground and from the sun.
    pub light: [f32; 3],
}

/// The dark theme: dusk.
pub const DARK: HillsColours = HillsColours {
    sky: [30, 40, 56],
    sand: [112, 103, 82],
    meadow: [54, 78, 66],
    heath: [78, 92, 74],
    cliff: [86, 88, 96],
    water: [30, 58, 84],
    road: [104, 98, 88],
    deck: [120, 112, 104],
    stone: [70, 76, 88],
    rails: [[176, 186, 200], [88, 80, 74]],
    tree: [[84, 66, 52], [40, 88, 70]],
    house: [[150, 142, 132], [122, 74, 66]],
    teams: [[86, 180, 233], [230, 159, 0], [170, 178, 190]],
    iron: [44, 50, 60],
    truth: [23, 196, 146],
    naive: [225, 135, 184],
    interpolated: [217, 198, 63],
    fire: [255, 214, 140],
    light: [0.85, 0.45, 0.85],
};

/// The light theme: noon.
pub const LIGHT: HillsColours = HillsColours {
    sky: [214, 228, 240],
    sand: [224, 208, 168],
    meadow: [142, 178, 118],
    heath: [178, 190, 132],
    cliff: [168, 164, 160],
    water: [104, 160, 204],
    road: [206, 190, 160],
    deck: [190, 176, 158],
    stone: [156, 158, 164],
    rails: [[92, 98, 110], [150, 132, 112]],
    tree: [[120, 92, 68], [78, 130, 84]],
    house: [[236, 226, 210], [178, 96, 80]],
    teams: [[47, 147, 207], [230, 159, 0], [120, 130, 142]],
    iron: [70, 76, 86],
    truth: [0, 133, 95],
    naive: [176, 72, 127],
    interpolated: [138, 118, 0],
    fire: [213, 94, 0],
    light: [0.62, 0.42, 0.62],
};

/// Between two colours.
#[must_use]
pub fn mixed(from: Colour, to: Colour, share: f64) -> Colour {
    let share = share.clamp(0.0, 1.0);
    let mix = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * share) as u8;
    [mix(from[0], to[0]), mix(from[1], to[1]), mix(from[2], to[2])]
}
