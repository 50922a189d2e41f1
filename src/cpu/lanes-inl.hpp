// SIMD lanes: Highway's vectors under the names that arithmetic/bins-inl.hpp expects. Included once per instruction set.

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<double>;
using DI = hn::RebindToSigned<D>;
using F = hn::Rebind<float, D>;  // as many floats as there are double lanes
using V = hn::Vec<D>;
using VI = hn::Vec<DI>;
constexpr std::size_t lanes = hn::MaxLanes(D());

using hn::Add;
using hn::MulAdd;
using hn::NegMulAdd;
using hn::Sub;

HWY_INLINE VI OrXor(VI bits, V a, V b) {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  // One instruction where the compiler made two.
  return VI{_mm512_ternarylogic_epi64(bits.raw, hn::BitCast(DI(), a).raw, hn::BitCast(DI(), b).raw, 0xf6)};
#else
  return hn::Or(bits, hn::Xor(hn::BitCast(DI(), a), hn::BitCast(DI(), b)));
#endif
}

// Deposit's pipe for accumulator set u: half of the additions through the multiplier, evenly over time.
constexpr int pipe_of(int u) {
#if HWY_NATIVE_FMA
  return ((u & 1) != 0 ? 2 : 1) | ((u & 2) != 0 ? 4 : 0);
#else
  return 0 * u;
#endif
}

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#define FOLDLINE_LANES_BEGIN \
  HWY_BEFORE_NAMESPACE();    \
  namespace foldline::HWY_NAMESPACE {
#define FOLDLINE_LANES_END \
  }                        \
  HWY_AFTER_NAMESPACE();
#define FOLDLINE_LANE_FUNCTION HWY_INLINE
#include "arithmetic/bins-inl.hpp"
#undef FOLDLINE_LANES_BEGIN
#undef FOLDLINE_LANES_END
#undef FOLDLINE_LANE_FUNCTION
