use std::rc::Rc;

use dlferry::export::{Export, Owner};

struct Counted(Rc<[f32]>);

impl Owner for Counted {
    type Item = f32;

    fn as_slice(&self) -> &[f32] {
        &self.0
    }
}

fn main() {
    drop(Export::read_only(Counted(Rc::new([1.0]))).finish());
}
