// The kernels of scans, compiled once per instruction set.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "arithmetic/exact_sum.hpp"
#include "arithmetic/windows.hpp"
#include "cpu/scan/kernels.hpp"
#include "cpu/simd/environment.hpp"
#include "cpu/simd/fetch_ahead.hpp"
#include "cpu/simd/highway_targets.hpp"
#include "cpu/simd/plain_integers.hpp"
#include "foldline/detail/visit_type.hpp"

#define HWY_TARGET_INCLUDE "cpu/scan/scan_kernels.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
//
#include "cpu/scan/scan-inl.hpp"

#if HWY_ONCE
#include "simd/targets.hpp"

namespace foldline {

cpu::ScanKernels cpu::scan_kernels_for(Target target) {
  static constexpr simd::Compiled<ScanKernels> compiled[] = {FOLDLINE_FOR_EACH_TARGET(scan_kernels)};
  return simd::kernels_for(target, compiled);
}

}  // namespace foldline
#endif
