// Contiguous 16-bit integers.
#include "cuda/reduce/integer_kernel.cuh"

namespace foldline::cuda {

template <>
std::int64_t launch_contiguous_as<ElementType::int16>(const Reduction& reduction, const Launch& launch) {
  return launch_integers<std::int16_t>(reduction, launch);
}

template <>
std::int64_t launch_contiguous_as<ElementType::uint16>(const Reduction& reduction, const Launch& launch) {
  return launch_integers<std::uint16_t>(reduction, launch);
}

}  // namespace foldline::cuda
