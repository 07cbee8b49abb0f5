//! Input state from keys, mouse and touch.
//!
//! On a touch screen the left half is a stick to go, the right half one to aim: its centre is
//! where the thumb came down, and pushed far enough it fires.

use reckoning::DVec3;

/// A thumb this far from where it came down, in pixels of the page, means full speed.
pub const STICK_PX: f64 = 56.0;
/// An aiming thumb fires beyond this share of [`STICK_PX`].
const FIRE_AT: f64 = 0.45;
/// Trembling thumbs stand still.
const STILL: f64 = 0.15;

/// A thumb on the screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thumb {
    /// The browser's number for it.
    pub id: i32,
    /// Where it came down.
    pub from: [f64; 2],
    /// Where it is.
    pub to: [f64; 2],
}

impl Thumb {
    /// How it is pushed, at most 1 long.
    #[must_use]
    pub fn push(&self) -> DVec3 {
        let way = DVec3::new(self.to[0] - self.from[0], self.to[1] - self.from[1], 0.0) / STICK_PX;
        if way.length() < STILL { DVec3::ZERO } else { way.clamp_length_max(1.0) }
    }
}

/// What is held down at present.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key")]
pub struct HeldInput {
    up: bool,
    down: bool,
    left: bool,
    right: bool,
    mouse_fires: bool,
    second_fires: bool,
    space_fires: bool,
    /// Bodies are to be drawn as a naive game draws them.
    pub draws_naively: bool,
    /// Where the mouse points, on the page.
    pub pointer: Option<[f64; 2]>,
    /// The thumb that steers.
    pub steering: Option<Thumb>,
    /// The thumb that aims.
    pub aiming: Option<Thumb>,
}

impl HeldInput {
    /// A key went down or up, by its place on the keyboard. False when it means nothing here.
    pub fn key(&mut self, code: &str, is_down: bool) -> bool {
        let held = match code {
            "KeyW" | "ArrowUp" => &mut self.up,
            "KeyS" | "ArrowDown" => &mut self.down,
            "KeyA" | "ArrowLeft" => &mut self.left,
            "KeyD" | "ArrowRight" => &mut self.right,
            "Space" => &mut self.space_fires,
            "KeyN" => &mut self.draws_naively,
            _ => return false,
        };
        *held = is_down;
        true
    }

    /// The mouse's first button.
    pub const fn button(&mut self, is_down: bool) {
        self.mouse_fires = is_down;
    }

    /// The mouse's second button.
    pub const fn second_button(&mut self, is_down: bool) {
        self.second_fires = is_down;
    }

    /// A finger came down on a screen `width` wide.
    pub fn thumb_down(&mut self, id: i32, at: [f64; 2], width: f64) {
        let thumb = Some(Thumb { id, from: at, to: at });
        if at[0] < 0.5 * width && self.steering.is_none() {
            self.steering = thumb;
        } else if self.aiming.is_none() {
            self.aiming = thumb;
        }
    }

    /// A finger moved.
    pub fn thumb_moved(&mut self, id: i32, to: [f64; 2]) {
        for thumb in [&mut self.steering, &mut self.aiming].into_iter().flatten() {
            if thumb.id == id {
                thumb.to = to;
            }
        }
    }

    /// A finger was lifted.
    pub fn thumb_up(&mut self, id: i32) {
        for place in [&mut self.steering, &mut self.aiming] {
            if place.is_some_and(|it| it.id == id) {
                *place = None;
            }
        }
    }

    /// Nothing is held any more: the page lost the keyboard.
    pub fn let_go(&mut self) {
        *self = Self { pointer: self.pointer, ..Self::default() };
    }

    /// Where to go; length 1 is full speed.
    #[must_use]
    pub fn go(&self) -> DVec3 {
        if let Some(thumb) = self.steering {
            return thumb.push();
        }
        let axis = |plus: bool, minus: bool| f64::from(i8::from(plus) - i8::from(minus));
        DVec3::new(axis(self.right, self.left), axis(self.down, self.up), 0.0).clamp_length_max(1.0)
    }

    /// How to drive: throttle ahead and steering to the left, each from -1 to 1. Unlike of a walk,
    /// one is not less for the other.
    #[must_use]
    pub fn drive(&self) -> (f64, f64) {
        let axis = |plus: bool, minus: bool| f64::from(i8::from(plus) - i8::from(minus));
        let Some(thumb) = self.steering else {
            return (axis(self.up, self.down), axis(self.left, self.right));
        };
        let push = thumb.push();
        (-push.y, -push.x)
    }

    /// Whether the gun's trigger is pulled, where the space bar is for something else.
    #[must_use]
    pub fn fires_gun(&self) -> bool {
        self.mouse_fires || self.thumb_fires()
    }

    /// Whether a shell is to be lobbed.
    #[must_use]
    pub const fn lobs(&self) -> bool {
        self.second_fires || self.space_fires
    }

    /// Where the aiming thumb points; `None` leaves it to the mouse.
    #[must_use]
    pub fn thumb_aim(&self) -> Option<DVec3> {
        self.aiming.map(|it| it.push()).filter(|push| *push != DVec3::ZERO)
    }

    /// Whether the trigger is pulled.
    #[must_use]
    pub fn fires(&self) -> bool {
        self.mouse_fires || self.space_fires || self.thumb_fires()
    }

    fn thumb_fires(&self) -> bool {
        self.thumb_aim().is_some_and(|push| push.length() >= FIRE_AT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_by_place_or_by_arrow_go_the_same_way() {
        for code in ["KeyW", "ArrowUp"] {
            let mut input = HeldInput::default();
            assert!(input.key(code, true));
            assert_eq!(input.go(), DVec3::NEG_Y);
            input.key(code, false);
            assert_eq!(input.go(), DVec3::ZERO);
        }
        assert!(!HeldInput::default().key("KeyQ", true));
    }

    #[test]
    fn two_keys_are_no_faster_than_one_and_opposite_ones_cancel() {
        let mut input = HeldInput::default();
        input.key("KeyW", true);
        input.key("KeyD", true);
        assert!((input.go().length() - 1.0).abs() < 1e-12);
        input.key("KeyS", true);
        input.key("KeyA", true);
        assert_eq!(input.go(), DVec3::ZERO);
    }

    #[test]
    fn the_left_thumb_goes_and_the_right_one_aims_and_fires() {
        let mut input = HeldInput::default();
        input.thumb_down(4, [100.0, 700.0], 390.0);
        input.thumb_down(9, [300.0, 700.0], 390.0);
        input.thumb_moved(4, [100.0 + STICK_PX * 3.0, 700.0]);
        input.thumb_moved(9, [300.0, 700.0 - STICK_PX * 0.3]);
        assert_eq!(input.go(), DVec3::X);
        assert!(input.thumb_aim().is_some() && !input.fires());
        input.thumb_moved(9, [300.0, 700.0 - STICK_PX]);
        assert!(input.fires());
        input.thumb_up(4);
        input.thumb_up(9);
        assert!(input.go() == DVec3::ZERO && !input.fires());
    }

    #[test]
    fn a_vehicle_gets_full_throttle_while_it_steers() {
        let mut input = HeldInput::default();
        input.key("KeyW", true);
        input.key("KeyA", true);
        assert_eq!(input.drive(), (1.0, 1.0));
        input.thumb_down(1, [10.0, 10.0], 390.0);
        input.thumb_moved(1, [10.0 + STICK_PX, 10.0]);
        assert_eq!(input.drive(), (0.0, -1.0));
    }

    #[test]
    fn the_second_button_and_the_space_bar_lob_and_the_first_button_fires_the_gun() {
        let mut input = HeldInput::default();
        input.second_button(true);
        assert!(input.lobs() && !input.fires_gun());
        input.second_button(false);
        input.key("Space", true);
        assert!(input.lobs() && !input.fires_gun());
        input.button(true);
        assert!(input.fires_gun());
    }

    #[test]
    fn a_page_in_the_background_holds_nothing() {
        let mut input = HeldInput::default();
        input.key("KeyW", true);
        input.button(true);
        input.let_go();
        assert!(input.go() == DVec3::ZERO && !input.fires());
    }
}
