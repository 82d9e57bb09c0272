use dlferry::managed::Tensor;
use dlferry::view::TypedViewMut;

fn of_tensor(tensor: &Tensor) {
    let _ = tensor.typed_mut::<f32>();
}

fn of_view<'a>(view: &'a TypedViewMut<'_, f32>) -> &'a mut [f32] {
    view.as_mut_slice().unwrap()
}

fn main() {
    let _ = (of_tensor, of_view);
}
