use dlferry::export::Export;

fn main() {
    let local = vec![1.0_f32, 2.0];
    drop(Export::read_only(&local[..]).finish());
}
