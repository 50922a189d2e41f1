// Contiguous 16-bit integers: one level holds elements and products.
#include "cuda/reduce/launch_reduce.cuh"

namespace foldline::cuda {

template <>
std::int64_t launch_contiguous_as<ElementType::int16>(const Reduction& reduction, const Launch& launch) {
  return launch_contiguous<std::int16_t, 2, 1, BinKernels<1, 1, true>>(reduction, launch);
}

template <>
std::int64_t launch_contiguous_as<ElementType::uint16>(const Reduction& reduction, const Launch& launch) {
  return launch_contiguous<std::uint16_t, 2, 1, BinKernels<1, 1, true>>(reduction, launch);
}

}  // namespace foldline::cuda
