// Contiguous 64-bit integers: two levels hold elements, three hold products. Small batches, since a square is
// four products with two terms each.
#include "cuda/reduce/launch_reduce.cuh"

namespace foldline::cuda {

template <>
std::int64_t launch_contiguous_as<ElementType::int64>(const Reduction& reduction, const Launch& launch) {
  return launch_contiguous<std::int64_t, 2, 1, BinKernels<2, 3, false>>(reduction, launch);
}

template <>
std::int64_t launch_contiguous_as<ElementType::uint64>(const Reduction& reduction, const Launch& launch) {
  return launch_contiguous<std::uint64_t, 2, 1, BinKernels<2, 3, false>>(reduction, launch);
}

}  // namespace foldline::cuda
