// Contiguous 64-bit integers.
#include "cuda/reduce/integer_kernel.cuh"

namespace foldline::cuda {

template <>
std::int64_t launch_contiguous_as<ElementType::int64>(const Reduction& reduction, const Launch& launch) {
  return launch_integers<std::int64_t>(reduction, launch);
}

template <>
std::int64_t launch_contiguous_as<ElementType::uint64>(const Reduction& reduction, const Launch& launch) {
  return launch_integers<std::uint64_t>(reduction, launch);
}

}  // namespace foldline::cuda
