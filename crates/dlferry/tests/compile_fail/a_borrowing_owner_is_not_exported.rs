use dlferry::managed::{Descriptor, Tensor};

struct Context<'a>(&'a [f32]);

fn export(values: &[f32], descriptor: Descriptor) {
    // SAFETY: promised in vain: the deleter may run at any time.
    let tensor = unsafe { Tensor::from_owner(Context(values), descriptor) };
    drop(tensor);
}

fn main() {
    let _ = export;
}
