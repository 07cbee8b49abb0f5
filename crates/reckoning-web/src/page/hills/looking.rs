//! The camera of the hills, and whom it follows.

use reckoning::ground::Pose;
use reckoning::{DQuat, DVec3};

use super::{HillsGame, HillsSource, place};
use crate::controls::{Controls, ViewMode};
use crate::hills::choices::HillsChoices;
use crate::hills::stance::HillsBody;
use crate::hills::view::CameraMode;
use crate::input::HeldInput;

impl HillsGame {
    /// The free camera takes the keys, and the pointer that drags.
    pub(super) fn fly(&mut self, held: &HeldInput, dt_s: f64) {
        let drags = held.fires_gun() && self.camera.mode == CameraMode::Free;
        let pointer = held.pointer.filter(|_| drags);
        if let (Some([x, y]), Some([from_x, from_y])) = (pointer, self.dragged) {
            self.camera.turn(from_x - x, from_y - y);
        }
        self.dragged = pointer;
        if self.camera.mode == CameraMode::Free {
            let (ahead, left) = held.drive();
            self.camera.fly(ahead, left, dt_s);
        } else if let Some([x, _]) = held.pointer.filter(|_| self.camera.mode == CameraMode::Chase)
        {
            self.camera.push(2.0 * x / self.view.size[0].max(1.0) - 1.0, dt_s);
        }
    }

    /// Turns the camera to what it follows.
    pub(super) fn look(&mut self, choices: &mut HillsChoices, controls: &Controls, dt_s: f64) {
        if let Some([x, y, z, yaw_deg, pitch_deg]) = choices.eye.take() {
            choices.camera = CameraMode::Free;
            self.camera.mode = CameraMode::Free;
            self.camera.eye = DVec3::new(x, y, z);
            self.camera.yaw_rad = yaw_deg.to_radians();
            self.camera.pitch_rad = pitch_deg.to_radians();
        }
        if choices.camera != self.camera.mode {
            self.camera.change(choices.camera, &self.view);
        }
        let size = self.painter.size();
        let pose = self.followed(controls);
        let middle = Pose { position: self.camera.eye, orientation: DQuat::IDENTITY };
        let ground = self.level.ground().as_ref();
        self.view = self.camera.view(&pose.unwrap_or(middle), ground, size, dt_s);
    }

    /// What the camera follows: our vehicle, or whom a spectator watches.
    fn followed(&mut self, controls: &Controls) -> Option<Pose> {
        let mine = self.bodies().values().find(|it| it.is_me).filter(|_| !controls.watch);
        if let Some(mine) = mine {
            return Some(mine.shown.pose);
        }
        let target = self.target()?;
        self.bodies().get(&target).map(|it| it.shown.pose)
    }

    /// Whom to watch or compare: the chosen one, or the nearest that drives.
    pub(super) fn target(&mut self) -> Option<u32> {
        let is_there = |it: &u32| self.bodies().get(it).is_some_and(is_followable);
        if self.target.is_none_or(|it| !is_there(&it)) {
            let eye = self.bodies().values().find(|it| it.is_me).map_or(self.view.eye, place);
            let others = self.bodies().values().filter(|it| is_followable(it));
            let nearest =
                others.min_by(|a, b| place(a).distance(eye).total_cmp(&place(b).distance(eye)));
            self.target = nearest.map(|it| it.entity);
        }
        self.target
    }

    /// Follows the next one, round and round.
    pub fn next_target(&mut self) {
        let others = || self.bodies().values().filter(|it| is_followable(it)).map(|it| it.entity);
        let next = self.target.and_then(|now| others().find(|it| *it > now));
        self.target = next.or_else(|| others().next());
    }

    /// Whether a pointer down chooses whom to watch, rather than fires.
    pub fn picks(&self, controls: &Controls) -> bool {
        let plays = matches!(&self.from, HillsSource::Live(live) if live.scene.me.is_some());
        let drags = self.camera.mode == CameraMode::Free;
        controls.view == ViewMode::Compare || ((!plays || controls.watch) && !drags)
    }

    pub fn zoom_by(&mut self, factor: f64) {
        self.camera.zoom = (self.camera.zoom * factor).clamp(0.2, 4.0);
    }
}

/// Whether a camera may follow it.
const fn is_followable(body: &HillsBody) -> bool {
    !body.is_me && body.is_alive && body.craft.is_driven()
}
