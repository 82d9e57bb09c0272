//! What the other files do wrong, done right.

use dlferry::export::{Export, ExportError};

fn main() -> Result<(), ExportError> {
    let mut tensor = Export::writable(vec![1.0_f32, 2.0]).finish()?;
    tensor.typed_mut::<f32>().unwrap().as_mut_slice().unwrap()[0] = 3.0;
    let view = tensor.view().typed::<f32>().unwrap();
    assert_eq!(view.as_slice().unwrap(), [3.0, 2.0]);
    let sum: f32 = view.iter().sum();
    drop(tensor);
    assert!(sum > 4.0);
    Export::vec(vec![true]).finish().map(drop)
}
