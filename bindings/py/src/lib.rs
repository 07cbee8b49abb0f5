//! Reckoning for Python: publishers and ghosts, and recordings as columns of numpy.
//!
//! What is refused raises `ValueError` with the words of the engine; a file that cannot be read raises
//! `OSError` or `ValueError`. Any array of real numbers is taken and converted to float64.

mod ghost;
mod kind;
mod motion;
mod publisher;
mod recording;

use std::fmt::Display;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// An error of the engine as Python raises it.
fn refused(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The compiled half of `reckoning`.
#[pymodule]
fn _reckoning(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<kind::Joint>()?;
    module.add_class::<kind::Kind>()?;
    module.add_class::<publisher::Publisher>()?;
    module.add_class::<ghost::Ghost>()?;
    module.add_class::<ghost::Ghosts>()?;
    module.add_class::<recording::Recording>()?;
    module.add_function(wrap_pyfunction!(recording::load, module)?)
}
