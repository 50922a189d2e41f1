// The package without the CUDA backend.
#include <string>

#include "errors.hpp"
#include "gpu.hpp"

namespace foldline::python {

void refuse_gpu(const char* caller) {
  raise(PyExc_TypeError,
        std::string(caller) +
            ": the array is in the memory of a GPU, and this foldline was built without CUDA; install it "
            "with `pip install . --config-settings=cmake.define.FOLDLINE_CUDA=ON`, or copy the array to the "
            "host, as x.cpu() does in PyTorch and x.get() in CuPy");
}

nb::object reduce_on_gpu(const ReduceCall& call) { refuse_gpu(call.name); }

nb::object vecdot_on_gpu(nb::handle, nb::handle, std::int64_t, nb::handle, const char* caller) {
  refuse_gpu(caller);
}

nb::object average_on_gpu(nb::handle, nb::handle, nb::handle, bool, const char* caller) {
  refuse_gpu(caller);
}

nb::object multiply_on_gpu(nb::handle, nb::handle, const ProductCall& call) { refuse_gpu(call.name); }

nb::object scan_on_gpu(nb::handle, const ScanCall& call) { refuse_gpu(call.name); }

nb::object segments_on_gpu(const SegmentCall& call, nb::handle, nb::handle) { refuse_gpu(call.name); }

nb::object groups_on_gpu(const SegmentCall& call, nb::handle, nb::handle, nb::handle) {
  refuse_gpu(call.name);
}

GpuAddition addition_on_gpu(Operation, nb::handle, nb::handle, const char* caller) { refuse_gpu(caller); }

std::vector<Array> copied_to_host(const std::vector<nb::handle>&, const char* caller) { refuse_gpu(caller); }

nb::object copied_to_gpu(nb::handle, nb::handle, const char* caller) { refuse_gpu(caller); }

bool register_gpu_results(nb::module_&) { return false; }

}  // namespace foldline::python
