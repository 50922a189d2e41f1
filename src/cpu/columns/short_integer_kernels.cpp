// The kernels of columns of integers of 16 bits, compiled once per instruction set.
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
#include "foldline/detail/visit_type.hpp"

#define HWY_TARGET_INCLUDE "cpu/columns/short_integer_kernels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
//
#include "cpu/columns/column_integers-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

MadeBlockSums MakeSumsOfShortIntegers(const Needs& needs, ElementType type, std::int64_t columns) {
  return detail::visit_integer(type, [&]<class T>(std::type_identity<T>) -> MadeBlockSums {
    if constexpr (sizeof(T) == 2)
      return MakeIntegerBlockSums<T>(needs, columns);
    else
      return nullptr;  // not asked for here
  });
}

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "simd/targets.hpp"

namespace foldline {

cpu::MakeBlockSums cpu::sums_of_short_integers(Target target) {
  static constexpr simd::Compiled<MakeBlockSums> compiled[] = {
      FOLDLINE_FOR_EACH_TARGET(MakeSumsOfShortIntegers)};
  return simd::kernels_for(target, compiled);
}

}  // namespace foldline
#endif
