// Compiles the kernels once per instruction set and chooses among them at run time.
#include "cpu/kernels.hpp"

#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "arithmetic/buckets.hpp"
#include "arithmetic/exact_sum.hpp"
#include "arithmetic/windows.hpp"
#include "cpu/environment.hpp"
#include "cpu/fetch_ahead.hpp"
#include "cpu/highway_targets.hpp"
#include "foldline/error.hpp"

#define HWY_TARGET_INCLUDE "cpu/kernels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
//
#include "cpu/reduce-inl.hpp"

#if HWY_ONCE
namespace foldline {

namespace {
struct Compiled {
  Target target;
  std::int64_t highway;  // the bit that Highway knows it by
  cpu::ReduceParts reduce_parts;
};
constexpr Compiled compiled[] = {
#if HWY_TARGETS & HWY_AVX3
    {Target::avx512, HWY_AVX3, N_AVX3::ReduceParts},
#endif
#if HWY_TARGETS & HWY_AVX2
    {Target::avx2, HWY_AVX2, N_AVX2::ReduceParts},
#endif
#if HWY_TARGETS & HWY_NEON
    {Target::neon, HWY_NEON, N_NEON::ReduceParts},
#endif
#if HWY_TARGETS & HWY_EMU128
    {Target::portable, HWY_EMU128, N_EMU128::ReduceParts},
#endif
#if HWY_TARGETS & HWY_SCALAR
    {Target::portable, HWY_SCALAR, N_SCALAR::ReduceParts},
#endif
};
}  // namespace

std::vector<Target> available_targets() {
  std::vector<Target> targets;
  const std::int64_t supported = hwy::SupportedTargets() | HWY_STATIC_TARGET;
  for (const Compiled& entry : compiled)
    if ((entry.highway & supported) != 0) targets.push_back(entry.target);
  return targets;
}

cpu::ReduceParts cpu::reduce_parts_for(Target target) {
  for (const Compiled& entry : compiled)
    if (entry.target == target) return entry.reduce_parts;
  throw InvalidArgument("foldline: this build has no code for the target that was planned");
}

}  // namespace foldline
#endif
