// The kernels of integers, compiled once per instruction set; see kernels.cpp.
#include <cstring>
#include <limits>
#include <type_traits>

#include "cpu/fetch_ahead.hpp"
#include "cpu/highway_targets.hpp"
#include "cpu/kernels.hpp"
#include "cpu/plain_integers.hpp"
#include "foldline/detail/visit_type.hpp"
#include "foldline/error.hpp"

#define HWY_TARGET_INCLUDE "cpu/integer_kernels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
//
#include "cpu/integers-inl.hpp"

#if HWY_ONCE
namespace foldline {

cpu::ReduceIntegerParts cpu::reduce_integer_parts_for(Target target) {
  switch (target) {
#if HWY_TARGETS & HWY_AVX3
    case Target::avx512:
      return N_AVX3::ReduceIntegerParts;
#endif
#if HWY_TARGETS & HWY_AVX2
    case Target::avx2:
      return N_AVX2::ReduceIntegerParts;
#endif
#if HWY_TARGETS & HWY_NEON
    case Target::neon:
      return N_NEON::ReduceIntegerParts;
#endif
#if HWY_TARGETS & HWY_EMU128
    case Target::portable:
      return N_EMU128::ReduceIntegerParts;
#endif
#if HWY_TARGETS & HWY_SCALAR
    case Target::portable:
      return N_SCALAR::ReduceIntegerParts;
#endif
    default:
      throw InvalidArgument("foldline: this build has no code for the target that was planned");
  }
}

}  // namespace foldline
#endif
