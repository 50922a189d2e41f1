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
#include "cpu/columns.hpp"
#include "cpu/environment.hpp"
#include "cpu/fetch_ahead.hpp"
#include "cpu/highway_targets.hpp"
#include "cpu/plain_integers.hpp"
#include "foldline/detail/visit_type.hpp"
#include "foldline/error.hpp"

#define HWY_TARGET_INCLUDE "cpu/columns_kernels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
//
#include "cpu/columns-inl.hpp"

#if HWY_ONCE
namespace foldline {

namespace {
struct Compiled {
  Target target;
  cpu::MakeBlockSums make;
};
constexpr Compiled compiled[] = {
#if HWY_TARGETS & HWY_AVX3
    {Target::avx512, N_AVX3::MakeBlockSums},
#endif
#if HWY_TARGETS & HWY_AVX2
    {Target::avx2, N_AVX2::MakeBlockSums},
#endif
#if HWY_TARGETS & HWY_NEON
    {Target::neon, N_NEON::MakeBlockSums},
#endif
#if HWY_TARGETS & HWY_EMU128
    {Target::portable, N_EMU128::MakeBlockSums},
#endif
#if HWY_TARGETS & HWY_SCALAR
    {Target::portable, N_SCALAR::MakeBlockSums},
#endif
};
}  // namespace

cpu::MakeBlockSums cpu::block_sums_for(Target target) {
  for (const Compiled& entry : compiled)
    if (entry.target == target) return entry.make;
  throw InvalidArgument("foldline: this build has no code for the target that was planned");
}

}  // namespace foldline
#endif
