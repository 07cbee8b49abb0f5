//! Levels: geometry, spawn points, items and rules, validated before anyone enters.
//!
//! A [`Level`] is read from TOML ([`Level::parse`]) or built in ([`Level::built_in`]), and
//! it exists only if it can be played: every number is in range, every spawn point, item and
//! turret has room, and there is a way to all of them. What is wrong otherwise is a
//! [`LevelError`] that names the thing, its value and the remedy.
//!
//! Lengths are pixels, because the documents that describe these games measure in them: SHI
//! (players of a two-team shooter see 1280 x 960 around them), LI (tanks with 40 px/s on a
//! field of 400 x 400) and STEELE (corridors, corners, junctions, turrets). `z` stays 0.

mod error;
mod file;
mod paths;
mod validate;
mod walls;

pub use error::{LevelError, Thing};
pub use file::{
    BodyKind, BodyRules, BoxWall, Buggies, FilePoint, Gun, ItemKind, ItemSpot, LevelFile,
    PolygonWall, Rules, SegmentWall, Spawn, TurretSpot,
};
pub use paths::Paths;
pub(crate) use paths::Search;
pub use walls::{Edge, Walls};

use std::sync::OnceLock;

use reckoning::DVec3;

/// The levels that come with the crate: name and file.
pub(crate) const BUILT_IN: [(&str, &str); 3] = [
    ("proving-grounds", include_str!("../../levels/proving-grounds.toml")),
    ("tank-field", include_str!("../../levels/tank-field.toml")),
    ("corridors", include_str!("../../levels/corridors.toml")),
];

/// A level that can be played.
#[derive(Clone, Debug)]
pub struct Level {
    file: LevelFile,
    walls: Walls,
    /// Found when they are first asked for: who only shows a level never does.
    paths: OnceLock<Paths>,
}

impl Level {
    /// Longest file of a level. A table in it takes hundreds of bytes for each of its own.
    pub const MAX_BYTES: usize = 128 << 10;

    /// The names of the levels that come with the crate.
    pub fn built_in_names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// The file of one of the levels that come with the crate.
    #[must_use]
    pub fn built_in_text(name: &str) -> Option<&'static str> {
        BUILT_IN.iter().find(|it| it.0 == name).map(|it| it.1)
    }

    /// One of the levels that come with the crate.
    ///
    /// # Errors
    /// [`LevelError::NoSuchLevel`] for any other name.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn built_in(name: &str) -> Result<Self, LevelError> {
        let found = BUILT_IN.iter().find(|it| it.0 == name);
        let (_, text) = found.ok_or_else(|| LevelError::NoSuchLevel { name: name.to_owned() })?;
        Self::parse(text)
    }

    /// Reads and checks a level file. Pages need [`Self::from_bytes`] alone.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn parse(text: &str) -> Result<Self, LevelError> {
        if text.len() > Self::MAX_BYTES {
            return Err(LevelError::TooLong { got_bytes: text.len() });
        }
        let file =
            toml::from_str(text).map_err(|it| LevelError::Toml { message: it.to_string() })?;
        Self::from_file(file)
    }

    /// What stands in its file, for pages, which need no reader of files: [`Self::from_bytes`] reads it.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        // It fails for what no file has.
        postcard::to_allocvec(&self.file).unwrap_or_default()
    }

    /// Reads and checks what [`Self::to_bytes`] wrote, but not again whether there is a way to
    /// everything: to find the ways takes a slow processor seconds, and a page needs none of them.
    ///
    /// # Errors
    /// [`LevelError::Bytes`] for what another version wrote, or the first thing that is wrong with it.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LevelError> {
        Self::without_ways(postcard::from_bytes(bytes).map_err(|_| LevelError::Bytes)?)
    }

    /// Checks a level that was put together by a program, an editor for example.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn from_file(file: LevelFile) -> Result<Self, LevelError> {
        let level = Self::without_ways(file)?;
        validate::ways(&level.file, &level.walls, level.paths())?;
        Ok(level)
    }

    fn without_ways(file: LevelFile) -> Result<Self, LevelError> {
        validate::numbers(&file)?;
        validate::places(&file)?;
        let walls = walls_of(&file);
        validate::work(&file, &walls)?;
        validate::room(&file, &walls)?;
        Ok(Self { file, walls, paths: OnceLock::new() })
    }

    /// What it is called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.file.name
    }

    /// Everything that stands in its file: sizes, rules, spawn points, items, turrets.
    #[must_use]
    pub fn file(&self) -> &LevelFile {
        &self.file
    }

    /// How its vehicles move, if it has any.
    #[must_use]
    pub fn buggy(&self) -> Option<BodyRules> {
        let buggy = self.file.buggy.as_ref()?;
        Some(BodyRules {
            kind: BodyKind::Tank,
            radius_px: self.file.body.radius_px,
            speed_px_s: buggy.speed_px_s,
            acceleration_px_s2: buggy.acceleration_px_s2,
            braking_px_s2: buggy.braking_px_s2,
            turn_deg_s: buggy.turn_deg_s,
        })
    }

    /// Width and height.
    #[must_use]
    pub fn size_px(&self) -> DVec3 {
        place(self.file.size_px)
    }

    /// Its walls.
    #[must_use]
    pub fn walls(&self) -> &Walls {
        &self.walls
    }

    /// The ways through it.
    #[must_use]
    pub fn paths(&self) -> &Paths {
        self.paths.get_or_init(|| {
            let (file, walls) = (&self.file, &self.walls);
            let (size_px, start) = (place(file.size_px), place(file.spawns[0].at));
            let mut paths =
                Paths::new(size_px, file.nav_cell_px, file.body.radius_px, walls, start);
            for turret in &file.turrets {
                paths.mark_danger(walls, place(turret.at), turret.range_px);
            }
            paths
        })
    }

    /// Whether someone at `eye` sees what is at `there`: inside the view and, on levels
    /// whose walls hide, with nothing between.
    #[must_use]
    pub fn shows(&self, eye: DVec3, there: DVec3) -> bool {
        let [width_px, height_px] = self.file.view_px;
        let gap = there - eye;
        let in_view = gap.x.abs() <= 0.5 * width_px && gap.y.abs() <= 0.5 * height_px;
        in_view && (!self.file.walls_hide || self.walls.sees(eye, there))
    }
}

/// A place of the file as a vector.
pub(crate) fn place([x, y]: FilePoint) -> DVec3 {
    DVec3::new(x, y, 0.0)
}

/// A place, for tests.
#[cfg(test)]
fn at(x: f64, y: f64) -> DVec3 {
    DVec3::new(x, y, 0.0)
}

fn walls_of(file: &LevelFile) -> Walls {
    let edges = file.segments.iter().map(|it| Edge { a: place(it.from), b: place(it.to) });
    let boxes = file.boxes.iter().map(|it| walls::rectangle(place(it.at), place(it.size)));
    let polygons =
        file.polygons.iter().map(|it| it.points.iter().map(|point| place(*point)).collect());
    Walls::new(place(file.size_px), edges.collect(), boxes.chain(polygons).collect())
}
