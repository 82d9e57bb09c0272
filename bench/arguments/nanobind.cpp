// Functions that take and return arrays, with nanobind: what is compared with those of src/lib.rs.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>

namespace nb = nanobind;

NB_MODULE(dlferry_bench_nanobind, m) {
    // As in Rust, nothing is converted.
    m.def("view", [](nb::ndarray<const float, nb::ndim<2>, nb::device::cpu>) {}, nb::arg("x").noconvert());
    m.def("view_mut", [](nb::ndarray<float, nb::ndim<2>, nb::device::cpu>) {}, nb::arg("x").noconvert());
    m.def("new", [](size_t count) {
        double *data = new double[count];
        std::fill_n(data, count, 1.0);
        nb::capsule owner(data, [](void *p) noexcept { delete[] static_cast<double *>(p); });
        return nb::ndarray<nb::numpy, double, nb::ndim<1>>(data, {count}, owner);
    });
}
