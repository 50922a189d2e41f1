// The kernels that add integers along an axis.
#include "kernel_words.hpp"

#include <simt/simt.hpp>

#include "integer_words.hpp"

#include "cuda/axis/direct_integers.cu"
#include "cuda/axis/direct_integers_8_16.cu"

namespace foldline::cuda {

bool is_captured(cudaStream_t) { return false; }

dim3 grid_of(std::int64_t blocks, const char*) { return dim3(static_cast<unsigned>(blocks)); }

void launch_programmatically(const void* kernel, const LaunchConfig& how, void** arguments, const char*) {
  const auto start = reinterpret_cast<void (*)(AxisTask)>(const_cast<void*>(kernel));
  simt::launch(start, how.blocks, how.threads, how.shared_bytes, how.stream,
               *static_cast<const AxisTask*>(arguments[0]));
}

}  // namespace foldline::cuda
