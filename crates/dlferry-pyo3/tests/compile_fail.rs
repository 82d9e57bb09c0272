//! What the types of arguments forbid. Each file in the folder of this name must be refused, with the message that is next
//! to it.

#[path = "../../../tools/compile_fail.rs"]
mod compile_fail;

#[test]
fn what_would_be_unsound_does_not_compile() {
    compile_fail::check(
        &[],
        &[
            "a_view_does_not_outlive_the_interpreter",
            "a_slice_does_not_outlive_its_view",
            "a_view_does_not_leave_its_thread",
            "a_mutable_view_is_written_by_one_at_a_time",
            "a_mutable_view_does_not_convert",
            "memory_of_a_device_has_no_elements",
            "requirements_do_not_contradict_one_another",
            "a_type_of_ones_own_is_vouched_for",
        ],
    );
}
