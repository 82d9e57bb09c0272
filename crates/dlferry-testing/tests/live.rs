//! The count of the whole process, alone in its own process.

use dlferry_testing::{Crafted, live};

#[test]
fn live_counts_tensors_between_build_and_first_deletion() {
    assert_eq!(live(), 0);
    let recipe = Crafted::new(&[0; 4]).leak();
    let (managed, _) = recipe.build_versioned();
    let (unversioned, _) = recipe.build_unversioned();
    drop(recipe);
    assert_eq!(live(), 2);
    for expected in [1, 1] {
        // SAFETY: the recipe keeps its tensors allocated after the deleter.
        let deleter = unsafe { managed.read() }.deleter.unwrap();
        // SAFETY: as above.
        unsafe { deleter(managed.as_ptr()) };
        assert_eq!(live(), expected);
    }
    // SAFETY: not deleted yet.
    let deleter = unsafe { unversioned.read() }.deleter.unwrap();
    // SAFETY: as above.
    unsafe { deleter(unversioned.as_ptr()) };
    assert_eq!(live(), 0);

    let (_, record) = Crafted::new(&[0; 4]).null_deleter().build_versioned();
    assert_eq!((live(), record.count()), (0, 0));
}
