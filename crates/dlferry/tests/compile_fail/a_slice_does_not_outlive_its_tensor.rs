use dlferry::abi::DLManagedTensorVersioned;
use dlferry::managed::{SharedTensor, Tensor};

fn handed_on(tensor: Tensor) -> usize {
    let slice = tensor.view().typed::<f32>().unwrap().as_slice().unwrap();
    drop(tensor.into_managed::<DLManagedTensorVersioned>());
    slice.len()
}

fn of_shared(shared: SharedTensor) -> &'static [f32] {
    shared.view().typed::<f32>().unwrap().as_slice().unwrap()
}

fn main() {
    let _ = (handed_on, of_shared);
}
