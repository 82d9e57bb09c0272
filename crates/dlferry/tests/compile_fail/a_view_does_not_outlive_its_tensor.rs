use dlferry::element::Scalar;
use dlferry::export::Export;
use dlferry::managed::Tensor;

fn tensor() -> Tensor {
    Export::read_only([1.0_f32]).finish().unwrap()
}

fn untyped() -> Option<Scalar> {
    let tensor = tensor();
    let view = tensor.view();
    drop(tensor);
    view.scalar(&[0]).unwrap()
}

fn typed() -> Option<f32> {
    let tensor = tensor();
    let view = tensor.view().typed::<f32>().unwrap();
    drop(tensor);
    view.get(&[0])
}

fn iterator() -> Option<f32> {
    let tensor = tensor();
    let mut elements = tensor.view().typed::<f32>().unwrap().iter();
    drop(tensor);
    elements.next()
}

fn of_shared() -> Option<f32> {
    let shared = tensor().into_shared();
    let view = shared.view().typed::<f32>().unwrap();
    drop(shared);
    view.get(&[0])
}

fn main() {
    let _ = (untyped(), typed(), iterator(), of_shared());
}
