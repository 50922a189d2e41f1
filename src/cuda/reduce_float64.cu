// Contiguous doubles.
#include "cuda/launch_reduce.cuh"

namespace foldline::cuda {

// Two levels hold doubles within 32 binades at least, three hold their products within 24.
template <>
std::int64_t launch_contiguous_as<ElementType::float64>(const Reduction& reduction, const Launch& launch) {
  return launch_contiguous<double, 4, Kernels<2, 3, false>>(reduction, launch);
}

}  // namespace foldline::cuda
