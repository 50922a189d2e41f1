// The kernels of scans, compiled once per instruction set; see kernels.cpp.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "arithmetic/exact_sum.hpp"
#include "arithmetic/windows.hpp"
#include "cpu/environment.hpp"
#include "cpu/fetch_ahead.hpp"
#include "cpu/highway_targets.hpp"
#include "cpu/kernels.hpp"
#include "cpu/plain_integers.hpp"
#include "foldline/detail/visit_type.hpp"
#include "foldline/error.hpp"

#define HWY_TARGET_INCLUDE "cpu/scan_kernels.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
//
#include "cpu/scan-inl.hpp"

#if HWY_ONCE
namespace foldline {

cpu::ScanKernels cpu::scan_kernels_for(Target target) {
  switch (target) {
#if HWY_TARGETS & HWY_AVX3
    case Target::avx512:
      return {N_AVX3::ScanPart, N_AVX3::AddTotal};
#endif
#if HWY_TARGETS & HWY_AVX2
    case Target::avx2:
      return {N_AVX2::ScanPart, N_AVX2::AddTotal};
#endif
#if HWY_TARGETS & HWY_NEON
    case Target::neon:
      return {N_NEON::ScanPart, N_NEON::AddTotal};
#endif
#if HWY_TARGETS & HWY_EMU128
    case Target::portable:
      return {N_EMU128::ScanPart, N_EMU128::AddTotal};
#endif
#if HWY_TARGETS & HWY_SCALAR
    case Target::portable:
      return {N_SCALAR::ScanPart, N_SCALAR::AddTotal};
#endif
    default:
      throw InvalidArgument("foldline: this build has no code for the target that was planned");
  }
}

}  // namespace foldline
#endif
