// Contiguous integers of 64 bits: two levels hold any of them, three hold their products. Four at a time,
// since a square is four products, each of two terms.
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
