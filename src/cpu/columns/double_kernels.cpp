// The kernels of columns of doubles, compiled once per instruction set.
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "arithmetic/exact_sum.hpp"
#include "arithmetic/windows.hpp"
#include "cpu/columns/columns.hpp"
#include "cpu/simd/environment.hpp"
#include "cpu/simd/fetch_ahead.hpp"
#include "cpu/simd/highway_targets.hpp"
#include "cpu/simd/plain_integers.hpp"

#define HWY_TARGET_INCLUDE "cpu/columns/double_kernels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
//
#include "cpu/columns/columns-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

MadeBlockSums MakeSumsOfDoubles(const Needs& needs, ElementType, std::int64_t columns) {
  return MakeFloatingBlockSums<double>(needs, columns);
}

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "simd/targets.hpp"

namespace foldline {

cpu::MakeBlockSums cpu::sums_of_doubles(Target target) {
  static constexpr simd::Compiled<MakeBlockSums> compiled[] = {FOLDLINE_FOR_EACH_TARGET(MakeSumsOfDoubles)};
  return simd::kernels_for(target, compiled);
}

}  // namespace foldline
#endif
