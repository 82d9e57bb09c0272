//! Why a tensor is read-only, as far as that can be told, and what to do about it.

use dlferry::managed::Descriptor;
use pyo3::prelude::*;

use crate::once::interned;
use crate::python::unless_it_raises;
use crate::tensor::Source;

/// What helps wherever the caller may have a copy in the tensor's place.
pub(crate) const COPY: &str = "copy=True gives a writable copy";

/// A reason, and what helps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Why {
    reason: &'static str,
    /// What helps better than a copy.
    remedy: Option<&'static str>,
    /// Follows from where the tensor came from, so that it may as well have been made read-only here.
    is_guess: bool,
}

impl Why {
    /// Asks the tensor, where it came from, and the object that it was taken from.
    pub(crate) fn of(
        py: Python<'_>,
        descriptor: &Descriptor,
        source: Source,
        owner: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let certain = |reason, remedy| Self { reason, remedy, is_guess: false };
        if descriptor.layout().has_overlap() {
            return Ok(certain("its elements share memory", None));
        }
        if let Some(owner) = owner {
            let gradient = unless_it_raises(py, owner.getattr_opt(interned!(py, "requires_grad")))?.flatten();
            if gradient.is_some_and(|gradient| gradient.is_truthy().unwrap_or(false)) {
                return Ok(certain("it requires a gradient, which would not see writes", Some("pass tensor.detach()")));
            }
            if is_of_jax(owner) {
                return Ok(certain("arrays of JAX are never written, and new ones are made instead", None));
            }
        }
        let guess = |reason, remedy| Self { reason, remedy, is_guess: true };
        Ok(match source {
            Source::Exchange | Source::DLPack => guess("its producer marks it so", None),
            Source::DLPackUnversioned => guess(
                "an unversioned DLPack capsule cannot say whether it may be written",
                Some("from_dlpack(x, writable=True) takes your word that it may"),
            ),
            Source::Buffer => guess("its buffer is read-only", None),
            Source::ArrayInterface => guess("its array interface says so", None),
            Source::NumPy => guess("the array's flags say so", None),
            Source::Address => guess("from_address takes memory so unless readonly=False is said", None),
            Source::Rust => guess("its owner in Rust marks it so", None),
        })
    }

    /// The same of a tensor that was there before.
    pub(crate) fn reason(&self, is_new: bool) -> String {
        let or = if self.is_guess && !is_new { ", or it was taken with writable=False" } else { "" };
        format!("{}{or}", self.reason)
    }

    /// The reason and what helps, which is `otherwise` where nothing better does: the end of a sentence.
    pub(crate) fn and_remedy(&self, is_new: bool, otherwise: &str) -> String {
        let reason = self.reason(is_new);
        match self.remedy.unwrap_or(otherwise) {
            "" => reason,
            remedy => format!("{reason}; {remedy}"),
        }
    }
}

/// Whether it is one of JAX's arrays, the types of which live in another package of it.
fn is_of_jax(owner: &Bound<'_, PyAny>) -> bool {
    let module = owner.get_type().module();
    module.is_ok_and(|module| matches!(module.to_string().split('.').next(), Some("jax" | "jaxlib")))
}
