// The kernels of floating-point numbers, compiled once per instruction set.
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "arithmetic/buckets.hpp"
#include "arithmetic/exact_sum.hpp"
#include "arithmetic/windows.hpp"
#include "cpu/reduce/kernels.hpp"
#include "cpu/simd/environment.hpp"
#include "cpu/simd/fetch_ahead.hpp"
#include "cpu/simd/highway_targets.hpp"

#define HWY_TARGET_INCLUDE "cpu/reduce/float_kernels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
//
#include "cpu/reduce/reduce-inl.hpp"

#if HWY_ONCE
#include "simd/targets.hpp"

namespace foldline {

namespace {
constexpr simd::Compiled<cpu::ReduceParts> compiled[] = {FOLDLINE_FOR_EACH_TARGET(ReduceParts)};
}  // namespace

std::vector<Target> cpu::compiled_targets() {
  std::vector<Target> targets;
  for (const auto& entry : compiled)
    if (simd::processor_has(entry.target)) targets.push_back(entry.target);
  return targets;
}

cpu::ReduceParts cpu::reduce_parts_for(Target target) { return simd::kernels_for(target, compiled); }

}  // namespace foldline
#endif
