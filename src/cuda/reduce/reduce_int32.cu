// Contiguous 32-bit integers: one level holds elements, two hold products.
#include "cuda/reduce/launch_reduce.cuh"

namespace foldline::cuda {

template <>
std::int64_t launch_contiguous_as<ElementType::int32>(const Reduction& reduction, const Launch& launch) {
  return launch_contiguous<std::int32_t, 4, 2, BinKernels<1, 2, false>>(reduction, launch);
}

template <>
std::int64_t launch_contiguous_as<ElementType::uint32>(const Reduction& reduction, const Launch& launch) {
  return launch_contiguous<std::uint32_t, 4, 2, BinKernels<1, 2, false>>(reduction, launch);
}

}  // namespace foldline::cuda
