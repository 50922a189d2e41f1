// Contiguous floats.
#include "cuda/reduce/float_kernels.cuh"

namespace foldline::cuda {

template <>
std::int64_t launch_contiguous_as<ElementType::float32>(const Reduction& reduction, const Launch& launch) {
  return launch_contiguous<float, 4, 2, FloatKernels>(reduction, launch);
}

}  // namespace foldline::cuda
