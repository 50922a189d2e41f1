// Sums of integers of 32 and 64 bits in a few doubles or 64-bit integers, compiled once per instruction set.
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "arithmetic/exact_sum.hpp"
#include "arithmetic/windows.hpp"
#include "cpu/columns/direct.hpp"
#include "cpu/simd/environment.hpp"
#include "cpu/simd/fetch_ahead.hpp"
#include "cpu/simd/highway_targets.hpp"
#include "cpu/simd/inexact.hpp"
#include "cpu/simd/plain_integers.hpp"

#define HWY_TARGET_INCLUDE "cpu/columns/direct_long_kernels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
//
#include "cpu/columns/direct-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

std::int64_t ReduceLongIntegers(const cpu::DirectBlock& block, std::uint8_t* uncertain) {
  switch (block.x.type) {
    case ElementType::int64:
      return ReduceBlockDirectly<std::int64_t>(block, uncertain);
    case ElementType::uint64:
      return ReduceBlockDirectly<std::uint64_t>(block, uncertain);
    case ElementType::int32:
      return ReduceBlockDirectly<std::int32_t>(block, uncertain);
    default:
      return ReduceBlockDirectly<std::uint32_t>(block, uncertain);
  }
}

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "simd/targets.hpp"

namespace foldline {

cpu::ReduceDirect cpu::direct_long_kernel(Target target) {
  static constexpr simd::Compiled<ReduceDirect> compiled[] = {FOLDLINE_FOR_EACH_TARGET(ReduceLongIntegers)};
  return simd::kernels_for(target, compiled);
}

}  // namespace foldline
#endif
