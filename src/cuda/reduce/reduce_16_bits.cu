// Contiguous half and bfloat16. Their products are computed as products of floats.
#include "cuda/reduce/float_kernels.cuh"

namespace foldline::cuda {

template <>
std::int64_t launch_contiguous_as<ElementType::half>(const Reduction& reduction, const Launch& launch) {
  return launch_contiguous<Half, 2, 1, FloatKernels>(reduction, launch);
}

template <>
std::int64_t launch_contiguous_as<ElementType::bfloat16>(const Reduction& reduction, const Launch& launch) {
  return launch_contiguous<Bfloat16, 2, 1, FloatKernels>(reduction, launch);
}

}  // namespace foldline::cuda
