//! Values of the interpreter's, made when they are first needed.
//!
//! What pyo3 has for this lets go of the interpreter before it makes a value, so that a thread that makes one and needs the
//! interpreter never waits for one that has it and needs the value. A process that another thread forks in between has the value
//! half made, and waits for it for ever. Here nobody waits: two threads may both make a value, and the first one is kept.

use std::sync::OnceLock;

use pyo3::prelude::*;

/// A value that is made once, or now and then once too often.
#[derive(Debug)]
pub(crate) struct Once<T>(OnceLock<T>);

impl<T> Once<T> {
    pub(crate) const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// The value, when it is made.
    #[inline]
    pub(crate) fn get(&self) -> Option<&T> {
        self.0.get()
    }

    /// The value, which `make` makes unless it is there.
    #[inline]
    pub(crate) fn get_or_init(&self, py: Python<'_>, make: impl FnOnce() -> T) -> &T {
        match self.get() {
            Some(value) => value,
            None => self.keep(py, make()),
        }
    }

    /// The value, which `make` makes unless it is there.
    ///
    /// # Errors
    ///
    /// That of `make`; then it is asked again the next time.
    #[inline]
    pub(crate) fn get_or_try_init<E>(&self, py: Python<'_>, make: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
        match self.get() {
            Some(value) => Ok(value),
            None => Ok(self.keep(py, make()?)),
        }
    }

    /// Keeps a value, unless one was made meanwhile. Who is attached and only moves a value is not interrupted by a fork.
    #[cold]
    fn keep(&self, _py: Python<'_>, value: T) -> &T {
        self.0.get_or_init(|| value)
    }
}

/// A name as the interpreter keeps it: `interned!(py, "stream")` is a `&Bound<'_, PyString>`.
macro_rules! interned {
    ($py:expr, $text:literal) => {{
        static NAME: $crate::once::Once<pyo3::Py<pyo3::types::PyString>> = $crate::once::Once::new();
        let py: pyo3::Python<'_> = $py;
        NAME.get_or_init(py, || pyo3::types::PyString::intern(py, $text).unbind()).bind(py)
    }};
}

pub(crate) use interned;
