// Arrays in the memory of GPUs. They are read where they lie, in the caller's stream, and results stay there.
#pragma once

#include <cstdint>
#include <vector>

#include "array.hpp"
#include "reduction.hpp"
#include "reductions.hpp"

namespace foldline::python {

/// By which interface an array in the memory of a GPU is read.
enum class GpuLibrary : std::uint8_t { none, torch, cupy, dlpack, cuda_array_interface };

/// `none` for what is no array, or in memory of the host.
GpuLibrary gpu_library_of(nb::handle x);

/// Whether x is of a type that a module has, if the module has been imported.
bool is_instance(nb::handle x, const char* module_name, const char* type_name);

/// Whether x is PyTorch's; its sign may have to be resolved.
bool is_torch_tensor(nb::handle x);

inline bool is_on_gpu(nb::handle x) { return gpu_library_of(x) != GpuLibrary::none; }

/// Throws the TypeError of a function that takes no arrays in the memory of a GPU.
[[noreturn]] void refuse_gpu(const char* caller);

// What follows throws a TypeError that names the option of the build if the package was built without CUDA.

/// A reduction of an array in the memory of a GPU.
nb::object reduce_on_gpu(const ReduceCall& call);

/// Dot products along an axis; at least one of the two is in the memory of a GPU.
nb::object vecdot_on_gpu(nb::handle x, nb::handle y, std::int64_t axis, nb::handle dtype, const char* caller);

/// Weighted means; at least one of the two is in the memory of a GPU.
nb::object average_on_gpu(nb::handle x, nb::handle axis, nb::handle weights, bool keepdims,
                          const char* caller);

struct ProductCall {
  const char* name;
  nb::handle dtype;
  bool takes_stacks;  // of matrices
};

/// Products of matrices and vectors; at least one of the two is in the memory of a GPU.
nb::object multiply_on_gpu(nb::handle a, nb::handle b, const ProductCall& call);

struct ScanCall {
  const char* name;
  nb::handle axis, dtype, out;
  bool begins_with_zero;
  bool may_flatten;  // without an axis: all elements in the order of their indices
};

/// Prefix sums of an array in the memory of a GPU.
nb::object scan_on_gpu(nb::handle x, const ScanCall& call);

struct SegmentCall {
  const char* name;
  Operation operation;
  nb::handle dtype;
};

/// Reductions of segments of a vector; both are in the memory of one GPU.
nb::object segments_on_gpu(const SegmentCall& call, nb::handle x, nb::handle offsets);

/// Reductions of the elements with the same key; both are in the memory of one GPU. They wait.
nb::object groups_on_gpu(const SegmentCall& call, nb::handle keys, nb::handle x, nb::handle groups);

/// What an accumulator is to add of arrays in the memory of a GPU.
struct GpuAddition {
  Reduction reduction;
  ElementType type;
  std::vector<nb::object> owners;  // of the memory
};
GpuAddition addition_on_gpu(Operation operation, nb::handle x, nb::handle y, const char* caller);

/// Copies, dense and in memory of the host, of arrays in the memory of one GPU. They wait.
std::vector<Array> copied_to_host(const std::vector<nb::handle>& given, const char* caller);

/// An array of the library and device of another, with the elements of a dense one of NumPy's.
nb::object copied_to_gpu(nb::handle array, nb::handle like, const char* caller);

/// has_cuda, and what results are for libraries that have no function that makes an array.
void register_gpu(nb::module_& module);
bool register_gpu_results(nb::module_& module);  // whether GPUs are computed on

}  // namespace foldline::python
