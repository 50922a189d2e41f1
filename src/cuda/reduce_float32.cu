// Contiguous floats.
#include "cuda/launch_reduce.cuh"

namespace foldline::cuda {

// Products of floats are doubles. Two levels hold floats within 61 binades, their products within 37.
template <>
std::int64_t launch_contiguous_as<ElementType::float32>(const Reduction& reduction, const Launch& launch) {
  return launch_contiguous<float, 4, Kernels<2, 2, true>>(reduction, launch);
}

}  // namespace foldline::cuda
