//! The attribute of `dlferry-pyo3` that gives a Python class the array exchange protocols.
//!
//! Use it as `dlferry_pyo3::producer`. It adds Python methods to an impl block; all that they do is in `dlferry-pyo3`.

mod expand;

use proc_macro::TokenStream;

/// Gives a class the protocols of array exchange: `__dlpack__`, `__dlpack_device__`, `__dlpack_c_exchange_api__` and the
/// buffer protocol.
///
/// It stands above the `#[pymethods]` of a class that implements the trait `Producer`. The methods export the tensor which
/// that names.
///
/// `#[producer(crate = "some::path")]` finds `dlferry-pyo3` where a program has it under another name.
#[proc_macro_attribute]
pub fn producer(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let item = proc_macro2::TokenStream::from(item);
    match expand::producer(arguments.into(), item.clone()) {
        Ok(expanded) => expanded.into(),
        Err(error) => {
            // What was written stays, so that there are no more errors than this one.
            let error = error.into_compile_error();
            quote::quote!(#item #error).into()
        }
    }
}
