// Contiguous 8-bit integers and bool.
#include "cuda/reduce/integer_kernel.cuh"

namespace foldline::cuda {

template <>
std::int64_t launch_contiguous_as<ElementType::int8>(const Reduction& reduction, const Launch& launch) {
  return launch_integers<std::int8_t>(reduction, launch);
}

template <>
std::int64_t launch_contiguous_as<ElementType::uint8>(const Reduction& reduction, const Launch& launch) {
  return launch_integers<std::uint8_t>(reduction, launch);
}

template <>
std::int64_t launch_contiguous_as<ElementType::boolean>(const Reduction& reduction, const Launch& launch) {
  return launch_integers<Boolean>(reduction, launch);
}

}  // namespace foldline::cuda
