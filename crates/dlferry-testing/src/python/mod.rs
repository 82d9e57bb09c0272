//! The Python module `dlferry_testing`: the same recipes as capsules, as protocol objects and as exchange tables, and
//! tools that look into what other libraries produce.
//!
//! - recipes: `Crafted`, `Producer`, `exchange_type`; `BufferExporter` for the buffer protocol
//! - capsules: `capsule_name`, `rename_capsule`, `inspect`, `consume` and its `Held`, `drop_with_exception_pending`
//! - other libraries' tables: `exchange_table`, `exchange_from`, `exchange_borrow`, `exchange_to`,
//!   `exchange_allocate`, `exchange_stream`, and `table_calls` for one's own
//! - `leak_to_exit`, `live`, `totals`, `thread_id`
//!
//! None of this guards against misuse: a wrong address, a second deletion or a table that lies crash the process, as
//! they would in real life.

mod capsule;
mod crafted;
mod exchange;
mod exit;
mod exporter;
mod foreign;
mod held;
mod ledger;
mod own_state;
mod pending;
mod producer;

use pyo3::prelude::*;

/// Returns how many crafted tensors await their deleter.
#[pyfunction]
fn live() -> usize {
    crate::live()
}

/// Returns how many crafted tensors with a deleter were made, how many await it, and how often one ran again.
#[pyfunction]
fn totals() -> (usize, usize, usize) {
    let totals = crate::totals();
    (totals.born, totals.live, totals.again)
}

/// Returns a number for the current thread, as in `Crafted.deleter_calls`.
#[pyfunction]
fn thread_id() -> u64 {
    crate::thread_id()
}

/// The Python module `dlferry_testing`.
///
/// # Errors
///
/// Fails when Python cannot add a name, that is when memory is short.
#[pymodule(gil_used = false)]
pub fn dlferry_testing(module: &Bound<'_, PyModule>) -> PyResult<()> {
    ledger::open();
    fill(module)
}

/// Adds all that is in the Python module `dlferry_testing` to another module, for extensions that bring it along.
///
/// # Errors
///
/// Fails when Python cannot add a name, that is when memory is short.
pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<crafted::Recipe>()?;
    module.add_class::<producer::Producer>()?;
    module.add_class::<held::Held>()?;
    module.add_class::<exporter::BufferExporter>()?;
    module.add_function(wrap_pyfunction!(live, module)?)?;
    module.add_function(wrap_pyfunction!(totals, module)?)?;
    module.add_function(wrap_pyfunction!(thread_id, module)?)?;
    module.add_function(wrap_pyfunction!(capsule::capsule_name, module)?)?;
    module.add_function(wrap_pyfunction!(capsule::rename_capsule, module)?)?;
    module.add_function(wrap_pyfunction!(capsule::inspect, module)?)?;
    module.add_function(wrap_pyfunction!(held::consume, module)?)?;
    module.add_function(wrap_pyfunction!(pending::drop_with_exception_pending, module)?)?;
    module.add_function(wrap_pyfunction!(exit::leak_to_exit, module)?)?;
    exchange::register(module)
}
