// The kernels of integers, compiled once per instruction set.
#include <cstring>
#include <limits>
#include <type_traits>

#include "cpu/reduce/kernels.hpp"
#include "cpu/simd/fetch_ahead.hpp"
#include "cpu/simd/highway_targets.hpp"
#include "cpu/simd/plain_integers.hpp"
#include "foldline/detail/visit_type.hpp"

#define HWY_TARGET_INCLUDE "cpu/reduce/integer_kernels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
//
#include "cpu/reduce/integers-inl.hpp"

#if HWY_ONCE
#include "simd/targets.hpp"

namespace foldline {

cpu::ReduceIntegerParts cpu::reduce_integer_parts_for(Target target) {
  static constexpr simd::Compiled<ReduceIntegerParts> compiled[] = {
      FOLDLINE_FOR_EACH_TARGET(ReduceIntegerParts)};
  return simd::kernels_for(target, compiled);
}

}  // namespace foldline
#endif
