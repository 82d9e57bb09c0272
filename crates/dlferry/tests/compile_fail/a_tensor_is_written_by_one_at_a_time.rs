use dlferry::managed::Tensor;

fn two_views(tensor: &mut Tensor) {
    let mut one = tensor.typed_mut::<f32>().unwrap();
    let mut two = tensor.typed_mut::<f32>().unwrap();
    one.set(&[0], 2.0);
    two.set(&[0], 3.0);
}

fn written_while_read(tensor: &mut Tensor) -> Option<f32> {
    let read = tensor.view().typed::<f32>().unwrap();
    let mut write = tensor.typed_mut::<f32>().unwrap();
    write.set(&[0], 4.0);
    read.get(&[0])
}

fn two_slices(tensor: &mut Tensor) {
    let mut view = tensor.typed_mut::<f32>().unwrap();
    let one = view.as_mut_slice().unwrap();
    let two = view.as_mut_slice().unwrap();
    one.swap_with_slice(two);
}

fn slice_while_read(tensor: &mut Tensor) -> Option<f32> {
    let mut view = tensor.typed_mut::<f32>().unwrap();
    let read = view.as_view();
    view.as_mut_slice().unwrap().fill(4.0);
    read.get(&[0])
}

fn main() {
    let _ = (two_views, written_while_read, two_slices, slice_while_read);
}
