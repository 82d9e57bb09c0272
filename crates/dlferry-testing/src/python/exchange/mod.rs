//! The C exchange API: types with a crafted table, and a caller for anybody's table.

mod ask;
mod members;
mod state;
mod table;
mod types;

use pyo3::prelude::*;

/// Adds the functions and the class to the module.
pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<types::Exchangeable>()?;
    module.add_function(wrap_pyfunction!(types::exchange_type, module)?)?;
    module.add_function(wrap_pyfunction!(types::table_calls, module)?)?;
    module.add_function(wrap_pyfunction!(ask::exchange_table, module)?)?;
    module.add_function(wrap_pyfunction!(ask::exchange_from, module)?)?;
    module.add_function(wrap_pyfunction!(ask::exchange_borrow, module)?)?;
    module.add_function(wrap_pyfunction!(ask::exchange_to, module)?)?;
    module.add_function(wrap_pyfunction!(ask::exchange_allocate, module)?)?;
    module.add_function(wrap_pyfunction!(ask::exchange_stream, module)?)?;
    Ok(())
}
