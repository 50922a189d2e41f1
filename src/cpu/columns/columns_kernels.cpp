// Compiles the kernels of columns once per instruction set.
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

#define HWY_TARGET_INCLUDE "cpu/columns/columns_kernels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
//
#include "cpu/columns/columns-inl.hpp"

#if HWY_ONCE
#include "simd/targets.hpp"

namespace foldline {

cpu::MakeBlockSums cpu::block_sums_for(Target target) {
  static constexpr simd::Compiled<MakeBlockSums> compiled[] = {FOLDLINE_FOR_EACH_TARGET(MakeBlockSums)};
  return simd::kernels_for(target, compiled);
}

}  // namespace foldline
#endif
