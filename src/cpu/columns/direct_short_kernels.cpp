// Sums of integers of 8 and 16 bits in a few doubles, compiled once per instruction set.
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

#define HWY_TARGET_INCLUDE "cpu/columns/direct_short_kernels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
//
#include "cpu/columns/direct-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

std::int64_t ReduceShortIntegers(const cpu::DirectBlock& block, std::uint8_t* uncertain) {
  switch (block.x.type) {
    case ElementType::int16:
      return ReduceBlockDirectly<std::int16_t>(block, uncertain);
    case ElementType::uint16:
      return ReduceBlockDirectly<std::uint16_t>(block, uncertain);
    case ElementType::int8:
      return ReduceBlockDirectly<std::int8_t>(block, uncertain);
    default:
      return ReduceBlockDirectly<std::uint8_t>(block, uncertain);
  }
}

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "simd/targets.hpp"

namespace foldline {

cpu::ReduceDirect cpu::direct_short_kernel(Target target) {
  static constexpr simd::Compiled<ReduceDirect> compiled[] = {FOLDLINE_FOR_EACH_TARGET(ReduceShortIntegers)};
  return simd::kernels_for(target, compiled);
}

}  // namespace foldline
#endif
