use dlferry::export::Export;

fn main() {
    // A consumer could leave a byte behind that is no `bool`, and the owner's destructor could read it.
    drop(Export::writable([true, false]).finish());
}
