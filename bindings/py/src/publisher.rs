//! Publishers: the owner's side of a body.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use reckoning::joints::{JointPublisher, JointPublisherConfig};
use reckoning::{Joint, SimTime, Update};

use crate::kind::Kind;
use crate::motion::{Motion, kinematics};
use crate::refused;

/// The owner's side of a body: decides when others must hear of it.
#[pyclass]
pub struct Publisher {
    inner: reckoning::Publisher,
    first: Vec<u8>,
    joints: Vec<(JointPublisherConfig, Option<JointPublisher>)>,
}

#[pymethods]
impl Publisher {
    /// Starts to publish a body of that kind.
    #[new]
    fn new(kind: &Kind, at_us: i64, motion: Motion<'_>) -> PyResult<Self> {
        let truth = kinematics(at_us, &motion)?;
        let (inner, first) =
            reckoning::Publisher::start(kind.publisher.clone(), &truth).map_err(refused)?;
        let joints = kind.joints.iter().map(|(config, _)| (config.clone(), None)).collect();
        Ok(Self { inner, first: first.to_bytes(), joints })
    }

    /// The first update, which everyone gets.
    #[getter]
    fn first<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.first)
    }

    /// How many updates were sent, the first one included.
    #[getter]
    fn exported(&self) -> u64 {
        self.inner.stats().exported
    }

    /// Takes the truth of this tick; the bytes to send when listeners need an update.
    fn observe<'py>(
        &mut self,
        py: Python<'py>,
        at_us: i64,
        motion: Motion<'py>,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let truth = kinematics(at_us, &motion)?;
        self.demand_later(truth.at)?;
        Ok(self.inner.observe(&truth).map(|it| bytes(py, &it)))
    }

    /// The body is somewhere else at once: the bytes that say so.
    fn teleport<'py>(
        &mut self,
        py: Python<'py>,
        at_us: i64,
        motion: Motion<'py>,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let truth = kinematics(at_us, &motion)?;
        self.demand_later(truth.at)?;
        Ok(self.inner.teleport(&truth).map(|it| bytes(py, &it)))
    }

    /// Whether listeners need this state of a joint: then send the three numbers.
    fn aim(&mut self, joint: usize, at_us: i64, angle_rad: f64, rate_radps: f64) -> PyResult<bool> {
        let truth = joint_at(at_us, angle_rad, rate_radps)?;
        let place = self.joints.get_mut(joint).ok_or_else(|| no_joint(joint))?;
        if let Some(joint) = &mut place.1 {
            return Ok(joint.observe(truth).is_some());
        }
        place.1 = Some(JointPublisher::start(place.0.clone(), truth).map_err(refused)?.0);
        Ok(true)
    }

    /// Takes notice that the update about that moment was lost on its way.
    fn handle_lost(&mut self, at_us: i64) {
        self.inner.handle_lost(SimTime::from_micros(at_us));
    }
}

impl Publisher {
    fn demand_later(&self, at: SimTime) -> PyResult<()> {
        let last = self.inner.last_update().at();
        if at > last {
            return Ok(());
        }
        let (at, last) = (at.as_micros(), last.as_micros());
        Err(refused(format!("the truth is about {at} us; it must be later than {last} us")))
    }
}

fn bytes<'py>(py: Python<'py>, update: &Update) -> Bound<'py, PyBytes> {
    PyBytes::new(py, &update.to_bytes())
}

/// A joint whose numbers are finite.
pub fn joint_at(at_us: i64, angle_rad: f64, rate_radps: f64) -> PyResult<Joint> {
    for (name, got) in [("angle_rad", angle_rad), ("rate_radps", rate_radps)] {
        if !got.is_finite() {
            return Err(refused(format!("{name} is {got}, which is not finite")));
        }
    }
    Ok(Joint { at: SimTime::from_micros(at_us), angle_rad, rate_radps })
}

pub fn no_joint(joint: usize) -> PyErr {
    refused(format!("the kind has no joint {joint}; they count from 0"))
}
