//! Ghosts: bodies that live elsewhere, one by one or many at a time.

use std::time::Duration;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use reckoning::bytes::Registry;
use reckoning::ghost::Accepted;
use reckoning::ground::Pose;
use reckoning::joints::JointGhost;
use reckoning::{DelayedGhost, SimTime, Update};

use crate::kind::{Kind, ShowConfig};
use crate::motion::{POSE, numbers};
use crate::publisher::{joint_at, no_joint};
use crate::refused;

fn word(accepted: Accepted) -> &'static str {
    match accepted {
        Accepted::Newest => "newest",
        Accepted::Filled => "filled",
        _ => "stale",
    }
}

fn update(bytes: &[u8]) -> PyResult<Update> {
    Update::from_bytes(bytes, &Registry::default()).map_err(refused)
}

enum Shown {
    Now(Box<reckoning::Ghost>),
    Late(Box<DelayedGhost>),
}

impl Shown {
    fn born(kind: &Kind, first: &[u8], now: SimTime) -> PyResult<Self> {
        let first = update(first)?;
        Ok(match kind.show {
            ShowConfig::Reckoned(config) => {
                let ghost = reckoning::Ghost::with_config(config, first, now).map_err(refused)?;
                Self::Now(Box::new(ghost))
            }
            ShowConfig::Delayed(config) => {
                let ghost = DelayedGhost::with_config(config, first, now).map_err(refused)?;
                Self::Late(Box::new(ghost))
            }
        })
    }

    fn accept(&mut self, update: Update, now: SimTime) -> Accepted {
        match self {
            Self::Now(ghost) => ghost.accept(update, now),
            Self::Late(ghost) => ghost.accept(update, now),
        }
    }

    fn pose_at(&self, now: SimTime) -> Pose {
        match self {
            Self::Now(ghost) => ghost.pose_at(now),
            Self::Late(ghost) => ghost.pose_at(now),
        }
    }
}

/// A body that lives elsewhere, as it is shown here.
#[pyclass]
pub struct Ghost {
    shown: Shown,
    joints: Vec<(Duration, Option<JointGhost>)>,
}

#[pymethods]
impl Ghost {
    /// The ghost of a body of that kind, from the first update of it, which arrives now.
    #[new]
    fn new(kind: &Kind, first: &[u8], now_us: i64) -> PyResult<Self> {
        let shown = Shown::born(kind, first, SimTime::from_micros(now_us))?;
        Ok(Self { shown, joints: kind.joints.iter().map(|(_, blend)| (*blend, None)).collect() })
    }

    /// Takes an update that arrives now. Late, repeated and reordered ones may be passed in.
    fn accept(&mut self, bytes: &[u8], now_us: i64) -> PyResult<&'static str> {
        Ok(word(self.shown.accept(update(bytes)?, SimTime::from_micros(now_us))))
    }

    /// Where and how to draw it now: a position and an orientation, seven numbers.
    fn pose<'py>(&self, py: Python<'py>, now_us: i64) -> Bound<'py, PyArray1<f64>> {
        let pose = self.shown.pose_at(SimTime::from_micros(now_us));
        PyArray1::from_slice(py, &numbers(&pose))
    }

    /// Takes an update of a joint that arrives now.
    fn accept_joint(
        &mut self,
        joint: usize,
        at_us: i64,
        angle_rad: f64,
        rate_radps: f64,
        now_us: i64,
    ) -> PyResult<()> {
        let update = joint_at(at_us, angle_rad, rate_radps)?;
        let place = self.joints.get_mut(joint).ok_or_else(|| no_joint(joint))?;
        match &mut place.1 {
            Some(joint) => joint.accept(update, SimTime::from_micros(now_us)),
            none => *none = Some(JointGhost::new(update, place.0)),
        }
        Ok(())
    }

    /// The angle at which to draw a joint now, in radians; 0 as long as nothing is known of it.
    fn joint_angle(&self, joint: usize, now_us: i64) -> PyResult<f64> {
        let (_, shown) = self.joints.get(joint).ok_or_else(|| no_joint(joint))?;
        Ok(shown.as_ref().map_or(0.0, |it| it.angle_at(SimTime::from_micros(now_us))))
    }
}

/// Many ghosts, shown by one call. Each has a number, which is never given to another one.
#[pyclass]
#[derive(Default)]
pub struct Ghosts {
    /// In the order of their numbers.
    numbers: Vec<u64>,
    ghosts: Vec<Shown>,
    next: u64,
}

#[pymethods]
impl Ghosts {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    fn __len__(&self) -> usize {
        self.ghosts.len()
    }

    /// Their numbers, in the order of `poses`.
    #[getter]
    fn numbers(&self) -> Vec<u64> {
        self.numbers.clone()
    }

    /// Adds the ghost of a body of that kind, from its first update, which arrives now. Gives its number.
    fn add(&mut self, kind: &Kind, first: &[u8], now_us: i64) -> PyResult<u64> {
        let shown = Shown::born(kind, first, SimTime::from_micros(now_us))?;
        let number = self.next;
        self.next += 1;
        self.numbers.push(number);
        self.ghosts.push(shown);
        Ok(number)
    }

    /// Takes an update of a ghost that arrives now.
    fn accept(&mut self, ghost: u64, bytes: &[u8], now_us: i64) -> PyResult<&'static str> {
        let place = self.place(ghost)?;
        Ok(word(self.ghosts[place].accept(update(bytes)?, SimTime::from_micros(now_us))))
    }

    /// Removes a ghost.
    fn remove(&mut self, ghost: u64) -> PyResult<()> {
        let place = self.place(ghost)?;
        self.numbers.remove(place);
        self.ghosts.remove(place);
        Ok(())
    }

    /// Where and how to draw all of them now: a row of seven numbers for each.
    fn poses<'py>(&self, py: Python<'py>, now_us: i64) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let now = SimTime::from_micros(now_us);
        let all: Vec<f64> = self.ghosts.iter().flat_map(|it| numbers(&it.pose_at(now))).collect();
        all.into_pyarray(py).reshape([self.ghosts.len(), POSE])
    }
}

impl Ghosts {
    fn place(&self, ghost: u64) -> PyResult<usize> {
        let unknown = |_| refused(format!("there is no ghost {ghost}; it may have been removed"));
        self.numbers.binary_search(&ghost).map_err(unknown)
    }
}
