use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{Error, ImplItem, ImplItemFn, ItemImpl, LitStr, Path, Result, Token, parse_quote, parse2};

/// The impl block with the methods of the protocols added.
pub(crate) fn producer(arguments: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let root = root.parse2(arguments)?;
    let mut block = impl_block(item)?;
    let added = methods(&root);
    refuse_twins(&block, &added)?;
    block.items.extend(added.into_iter().map(ImplItem::Fn));
    let class = &block.self_ty;
    let attribute = quote!(#root::producer::attribute);
    // The one place at which a class without a tensor is told so.
    let asked = quote_spanned!(class.span()=> <#class as #root::Producer>::tensor(slf));
    Ok(quote! {
        #block

        impl #attribute::Attributed for #class {
            fn export(slf: &#attribute::Bound<'_, Self>) -> #attribute::PyResult<#attribute::Tensor> {
                #asked
            }
        }
    })
}

/// Where `dlferry-pyo3` is: `crate = "path"`, or under its own name.
fn root(arguments: ParseStream<'_>) -> Result<Path> {
    if arguments.is_empty() {
        return Ok(parse_quote!(::dlferry_pyo3));
    }
    if !arguments.peek(Token![crate]) {
        return Err(arguments.error("`#[producer]` takes `crate = \"path\"` and nothing else"));
    }
    arguments.parse::<Token![crate]>()?;
    arguments.parse::<Token![=]>()?;
    let path: LitStr = arguments.parse()?;
    path.parse_with(Path::parse_mod_style)
}

/// The block that the attribute stands on: an inherent one with `#[pymethods]` below.
fn impl_block(item: TokenStream) -> Result<ItemImpl> {
    let misplaced = "`#[producer]` stands above `#[pymethods]` on the impl block of a class";
    let span = item.clone();
    let block: ItemImpl = parse2(item).map_err(|_| Error::new_spanned(span, misplaced))?;
    if block.trait_.is_some() {
        return Err(Error::new_spanned(&block.self_ty, misplaced));
    }
    let is_pymethods = |path: &Path| path.segments.last().is_some_and(|segment| segment.ident == "pymethods");
    if !block.attrs.iter().any(|attribute| is_pymethods(attribute.path())) {
        let text = "`#[producer]` needs `#[pymethods]` below it: put it first, or add that";
        return Err(Error::new(Span::call_site(), text));
    }
    Ok(block)
}

/// Refuses a method that the attribute makes too.
fn refuse_twins(block: &ItemImpl, added: &[ImplItemFn]) -> Result<()> {
    for item in &block.items {
        let ImplItem::Fn(method) = item else { continue };
        let name = &method.sig.ident;
        if added.iter().any(|added| added.sig.ident == *name) {
            let text = format!("`#[producer]` makes `{name}` itself: remove this one, or the attribute");
            return Err(Error::new(name.span(), text));
        }
    }
    Ok(())
}

/// The methods, each a call of what `dlferry-pyo3` has.
fn methods(root: &Path) -> Vec<ImplItemFn> {
    let py = quote!(#root::producer::attribute);
    let optional = quote!(#py::Option<&#py::Bound<'py, #py::PyAny>>);
    let mut methods = vec![
        parse_quote! {
            /// A DLPack capsule of the tensor, by the array-API standard: versioned if `max_version` is at least (1, 0).
            #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
            fn __dlpack__<'py>(
                slf: &#py::Bound<'py, Self>,
                stream: #optional,
                max_version: #optional,
                dl_device: #optional,
                copy: #optional,
            ) -> #py::PyResult<#py::Bound<'py, #py::PyAny>> {
                #py::dlpack(slf, stream, max_version, dl_device, copy)
            }
        },
        parse_quote! {
            /// The device as a pair of integers, by the array-API standard.
            fn __dlpack_device__<'py>(slf: &#py::Bound<'py, Self>) -> #py::PyResult<#py::Bound<'py, #py::PyTuple>> {
                #py::dlpack_device(slf)
            }
        },
        parse_quote! {
            #[classattr]
            fn __dlpack_c_exchange_api__(py: #py::Python<'_>) -> #py::PyResult<#py::Py<#py::PyAny>> {
                #py::exchange_api::<Self>(py)
            }
        },
    ];
    if cfg!(feature = "buffer") {
        methods.push(parse_quote! {
            unsafe fn __getbuffer__(
                slf: &#py::Bound<'_, Self>,
                view: *mut #py::Buffer,
                flags: #py::int,
            ) -> #py::PyResult<()> {
                // SAFETY: called by CPython, which passes the structure to fill.
                unsafe { #py::get_buffer(slf, view, flags) }
            }
        });
        methods.push(parse_quote! {
            unsafe fn __releasebuffer__(&self, py: #py::Python<'_>, view: *mut #py::Buffer) {
                // SAFETY: called by CPython, once for each view that was filled.
                unsafe { #py::release_buffer(py, view) }
            }
        });
    }
    methods
}
