// Chooses the kernel of a reduction.
#include "cuda/reduce/launch.hpp"

namespace foldline::cuda {

namespace {

bool is_contiguous(const Reduction& reduction) {
  const auto size = static_cast<std::uintptr_t>(size_of(reduction.x.type()));
  const auto x = reinterpret_cast<std::uintptr_t>(reduction.x.data());
  if (reduction.x.stride() != 1 || x % size != 0) return false;
  return !reduction.two_vectors ||
         (reduction.y.stride() == 1 && reinterpret_cast<std::uintptr_t>(reduction.y.data()) % 16 == x % 16);
}

}  // namespace

std::int64_t launch_reduce(const Reduction& reduction, const Launch& launch) {
  if (!is_contiguous(reduction)) return launch_strided(reduction, launch);
  switch (reduction.x.type()) {
    case ElementType::half:
      return launch_contiguous_as<ElementType::half>(reduction, launch);
    case ElementType::bfloat16:
      return launch_contiguous_as<ElementType::bfloat16>(reduction, launch);
    case ElementType::float32:
      return launch_contiguous_as<ElementType::float32>(reduction, launch);
    case ElementType::float64:
      return launch_contiguous_as<ElementType::float64>(reduction, launch);
    case ElementType::int8:
      return launch_contiguous_as<ElementType::int8>(reduction, launch);
    case ElementType::int16:
      return launch_contiguous_as<ElementType::int16>(reduction, launch);
    case ElementType::int32:
      return launch_contiguous_as<ElementType::int32>(reduction, launch);
    case ElementType::int64:
      return launch_contiguous_as<ElementType::int64>(reduction, launch);
    case ElementType::uint8:
      return launch_contiguous_as<ElementType::uint8>(reduction, launch);
    case ElementType::uint16:
      return launch_contiguous_as<ElementType::uint16>(reduction, launch);
    case ElementType::uint32:
      return launch_contiguous_as<ElementType::uint32>(reduction, launch);
    case ElementType::uint64:
      return launch_contiguous_as<ElementType::uint64>(reduction, launch);
    case ElementType::boolean:
      return launch_contiguous_as<ElementType::boolean>(reduction, launch);
  }
  return launch_strided(reduction, launch);
}

}  // namespace foldline::cuda
