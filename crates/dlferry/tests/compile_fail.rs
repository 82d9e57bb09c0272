//! What the types forbid. Each file in the folder of this name must be refused, with the message that is next to it.

#![cfg(feature = "std")]

#[path = "../../../tools/compile_fail.rs"]
mod compile_fail;

#[test]
fn what_would_be_unsound_does_not_compile() {
    // Also makes the compiler finish the others: what `const` asserts is only seen then.
    let passing = ["sound"];
    compile_fail::check(
        &passing,
        &[
            "borrowed_data_is_not_exported",
            "a_borrowing_owner_is_not_exported",
            "an_owner_is_send",
            "a_view_does_not_outlive_its_tensor",
            "a_slice_does_not_outlive_its_tensor",
            "a_shared_reference_does_not_write",
            "a_tensor_is_written_by_one_at_a_time",
            "booleans_of_any_owner_are_not_writable",
        ],
    );
}
