//! What the attribute says when it is not used as it should be. Each file in the folder of this name must be refused, with
//! the message that is next to it.

#[path = "../../../tools/compile_fail.rs"]
mod compile_fail;

#[test]
fn misuse_is_told_where_it_is() {
    compile_fail::check(
        &[],
        &[
            "on_a_struct",
            "on_an_impl_of_a_trait",
            "below_pymethods",
            "without_pymethods",
            "with_another_argument",
            "with_a_method_of_its_own",
            "on_a_class_without_a_tensor",
            "results_that_are_no_data",
        ],
    );
}
