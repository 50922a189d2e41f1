// Contiguous 8-bit integers and bool: one level holds elements and products.
#include "cuda/reduce/launch_reduce.cuh"

namespace foldline::cuda {

template <>
std::int64_t launch_contiguous_as<ElementType::int8>(const Reduction& reduction, const Launch& launch) {
  return launch_contiguous<std::int8_t, 1, 1, BinKernels<1, 1, true>>(reduction, launch);
}

template <>
std::int64_t launch_contiguous_as<ElementType::uint8>(const Reduction& reduction, const Launch& launch) {
  return launch_contiguous<std::uint8_t, 1, 1, BinKernels<1, 1, true>>(reduction, launch);
}

template <>
std::int64_t launch_contiguous_as<ElementType::boolean>(const Reduction& reduction, const Launch& launch) {
  return launch_contiguous<Boolean, 1, 1, BinKernels<1, 1, true>>(reduction, launch);
}

}  // namespace foldline::cuda
