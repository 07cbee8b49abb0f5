//! Cache of sprites, painted once and then copied: names with their halos, bodies, rings, items.
//!
//! Curved outlines and stroked letters are the most expensive operations on a canvas without a
//! graphics card, and sixty bodies have five of them each. A copy costs a tenth, unless it is
//! rotated: so a body has a sprite for each direction.

use std::collections::BTreeMap;

use web_sys::{CanvasRenderingContext2d as Pen, HtmlCanvasElement};

use super::palette::Palette;
use crate::page::dom;

/// Sprites kept; beyond, all are painted anew. More than all bodies, turns and names of a game.
const MAX_SPRITES: usize = 2_048;
/// Sprites painted anew in one frame, if old ones can serve meanwhile.
const MAX_FRESH: u32 = 6;

/// What a sprite shows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SpriteKey {
    Name { text: String, is_faint: bool },
    Body { team: u8, is_tank: bool, look: Look, turn: u16 },
    Vehicle { side: Option<u8>, look: Look, turn: u16 },
    Item { is_health: bool },
    Turret,
}

/// What of a body a sprite shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Look {
    Plain,
    /// It has just been hit.
    Struck,
    /// The ring where it really is.
    Truth,
    /// The dashes where a naive game shows it.
    Naive,
}

/// What all sprites depend on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct SpriteStyle {
    colours: Palette,
    /// Device pixels to a pixel of the page.
    dpr: f64,
    /// Of bodies on the page.
    radius: f64,
}

/// A small picture.
#[derive(Debug)]
struct Sprite {
    canvas: HtmlCanvasElement,
    size: [f64; 2],
    /// The edition of the style it was painted with, and the radius of bodies then.
    edition: u32,
    radius: f64,
}

/// Paints a small picture anew; `paint` finds the origin in the middle. Returns its size.
fn paint_anew(
    canvas: &HtmlCanvasElement,
    size: [f64; 2],
    dpr: f64,
    paint: impl FnOnce(&Pen),
) -> Option<[f64; 2]> {
    let device = size.map(|it| (it * dpr).ceil());
    canvas.set_width(device[0] as u32);
    canvas.set_height(device[1] as u32);
    let pen = dom::pen_of(canvas)?;
    let _ = pen.set_transform(dpr, 0.0, 0.0, dpr, 0.5 * device[0], 0.5 * device[1]);
    paint(&pen);
    Some(device.map(|it| it / dpr))
}

/// All sprites made so far.
#[derive(Debug, Default)]
pub struct SpriteCache {
    made: BTreeMap<SpriteKey, Sprite>,
    style: Option<SpriteStyle>,
    /// Counts changes of the style: all of them, and those that names notice too.
    edition: u32,
    names_edition: u32,
    /// How many more may be made anew in this frame.
    fresh: u32,
}

impl SpriteCache {
    /// Begins a frame. What was made for another theme, screen or zoom serves on until its
    /// turn comes, since all in one frame would make that frame late.
    pub fn prepare(&mut self, colours: &Palette, dpr: f64, radius: f64) {
        let style = SpriteStyle { colours: *colours, dpr, radius };
        let before = self.style.replace(style);
        self.edition += u32::from(before != Some(style));
        if before.is_none_or(|it| SpriteStyle { radius, ..it } != style) {
            self.names_edition = self.edition;
        }
        if self.made.len() > MAX_SPRITES {
            self.made.clear();
        }
        self.fresh = MAX_FRESH;
    }

    /// Puts the middle of a sprite at a place of the page; one not made yet is made of the size
    /// given, with `paint` finding the origin in its middle.
    pub fn put(
        &mut self,
        pen: &Pen,
        key: &SpriteKey,
        [x, y]: [f64; 2],
        size: impl FnOnce() -> [f64; 2],
        paint: impl FnOnce(&Pen),
    ) {
        let Some(SpriteStyle { dpr, radius, .. }) = self.style else { return };
        let is_text = matches!(key, SpriteKey::Name { .. });
        let current = if is_text { self.names_edition } else { self.edition };
        let known = self.made.get(key);
        let is_stale = known.is_some_and(|it| it.edition < current);
        if known.is_none() || (is_stale && self.fresh > 0) {
            self.fresh = self.fresh.saturating_sub(1);
            let old = known.map(|it| it.canvas.clone());
            let Some(canvas) = old.or_else(dom::new_canvas) else { return };
            let Some(size) = paint_anew(&canvas, size(), dpr, paint) else { return };
            let edition = self.edition;
            self.made.insert(key.clone(), Sprite { canvas, size, edition, radius });
        }
        let Some(sprite) = self.made.get(key) else { return };
        let scale = if is_text { 1.0 } else { radius / sprite.radius };
        let [width, height] = sprite.size.map(|it| it * scale);
        let mut corner = [x - 0.5 * width, y - 0.5 * height];
        if is_text {
            // Letters stay sharp on whole device pixels; bodies move on smoothly.
            corner = corner.map(|it| (it * dpr).round() / dpr);
        }
        let (canvas, [left, top]) = (&sprite.canvas, corner);
        let _ =
            pen.draw_image_with_html_canvas_element_and_dw_and_dh(canvas, left, top, width, height);
    }
}
