// Contiguous 32-bit integers.
#include "cuda/reduce/integer_kernel.cuh"

namespace foldline::cuda {

template <>
std::int64_t launch_contiguous_as<ElementType::int32>(const Reduction& reduction, const Launch& launch) {
  return launch_integers<std::int32_t>(reduction, launch);
}

template <>
std::int64_t launch_contiguous_as<ElementType::uint32>(const Reduction& reduction, const Launch& launch) {
  return launch_integers<std::uint32_t>(reduction, launch);
}

}  // namespace foldline::cuda
