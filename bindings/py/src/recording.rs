//! Recordings as columns: one array for each, made once and handed over without copying.

use std::path::PathBuf;

use numpy::IntoPyArray;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use reckoning_lab::import::import_file;
use reckoning_recording::{Recording as Recorded, Sample, Track};

use crate::refused;

/// A recorded session.
#[pyclass(frozen)]
pub struct Recording {
    inner: Recorded,
}

/// Reads a recording that Reckoning knows, by the ending of its name: sessions, CSV, and what the lab
/// imports.
#[pyfunction]
pub fn load(py: Python<'_>, path: PathBuf) -> PyResult<Recording> {
    if !path.exists() {
        return Err(PyOSError::new_err(format!("there is no file {}", path.display())));
    }
    let inner = py.detach(|| import_file(&path)).map_err(refused)?;
    Ok(Recording { inner })
}

#[pymethods]
impl Recording {
    /// How often a second bodies were sampled, or 0 where that is not known.
    #[getter]
    fn rate_hz(&self) -> f64 {
        self.inner.meta.rate_hz
    }

    /// The unit of positions.
    #[getter]
    fn units(&self) -> &str {
        &self.inner.meta.units
    }

    /// How wide bodies are, in that unit.
    #[getter]
    fn body_width(&self) -> f64 {
        self.inner.meta.body_width
    }

    /// How many samples there are.
    fn __len__(&self) -> usize {
        self.inner.tracks.iter().map(|it| it.samples.len()).sum()
    }

    /// Each column as an array, by its name: body, team, t_s, x, y, z, yaw_rad, segment, alive.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        columns.set_item("body", self.of_tracks(|it| it.id).into_pyarray(py))?;
        columns.set_item("team", self.of_tracks(|it| it.team).into_pyarray(py))?;
        columns.set_item("t_s", self.of_samples(|it| it.at.as_secs_f64()).into_pyarray(py))?;
        columns.set_item("x", self.of_samples(|it| it.position.x).into_pyarray(py))?;
        columns.set_item("y", self.of_samples(|it| it.position.y).into_pyarray(py))?;
        columns.set_item("z", self.of_samples(|it| it.position.z).into_pyarray(py))?;
        let yaw = self.of_samples(|it| it.yaw_rad.unwrap_or(f32::NAN));
        columns.set_item("yaw_rad", yaw.into_pyarray(py))?;
        columns.set_item("segment", self.of_samples(|it| it.segment).into_pyarray(py))?;
        columns.set_item("alive", self.of_samples(|it| it.alive).into_pyarray(py))?;
        Ok(columns)
    }
}

impl Recording {
    fn of_samples<T>(&self, value: impl Fn(&Sample) -> T) -> Vec<T> {
        self.inner.tracks.iter().flat_map(|track| track.samples.iter().map(&value)).collect()
    }

    fn of_tracks<T: Copy>(&self, value: impl Fn(&Track) -> T) -> Vec<T> {
        let each = |track: &Track| std::iter::repeat_n(value(track), track.samples.len());
        self.inner.tracks.iter().flat_map(each).collect()
    }
}
