// SIMD lanes: Highway's vectors with the operations that arithmetic/bins-inl.hpp uses. Included once per
// instruction set.

#include "hwy/highway.h"

#undef FOLDLINE_LAMBDA

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
using hn::Sub;

HWY_INLINE VI OrXor(VI bits, V a, V b) {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  // One instruction where the compiler made two.
  return VI{_mm512_ternarylogic_epi64(bits.raw, hn::BitCast(DI(), a).raw, hn::BitCast(DI(), b).raw, 0xf6)};
#else
  return hn::Or(bits, hn::Xor(hn::BitCast(DI(), a), hn::BitCast(DI(), b)));
#endif
}

/// The smaller of a magnitude and |x|. If x is NaN, the magnitude or unspecified.
HWY_INLINE V SmallerMagnitude(V magnitude, V x) {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  return V{_mm512_range_pd(magnitude.raw, x.raw, 0xa)};  // in one instruction
#else
  return hn::Min(magnitude, hn::Abs(x));
#endif
}

/// The larger of a magnitude and |x|. Either of them if x is NaN.
HWY_INLINE V LargerMagnitude(V magnitude, V x) {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  return V{_mm512_range_pd(magnitude.raw, x.raw, 0xb)};  // in one instruction
#else
  return hn::Max(magnitude, hn::Abs(x));
#endif
}
HWY_INLINE hn::Vec<F> LargerMagnitude(hn::Vec<F> magnitude, hn::Vec<F> x) {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  return hn::Vec<F>{_mm256_range_ps(magnitude.raw, x.raw, 0xb)};
#else
  return hn::Max(magnitude, hn::Abs(x));
#endif
}

/// x y - p for p = x y rounded: one fused operation, or the library function on processors without it.
HWY_INLINE V ProductError(V x, V y, V p) {
#if HWY_NATIVE_FMA
  return hn::MulSub(x, y, p);
#else
  double a[lanes];
  double b[lanes];
  double c[lanes];
  hn::StoreU(x, D(), a);
  hn::StoreU(y, D(), b);
  hn::StoreU(p, D(), c);
  for (std::size_t i = 0; i < lanes; ++i) c[i] = std::fma(a[i], b[i], -c[i]);
  return hn::LoadU(D(), c);
#endif
}

/// Converts doubles that are integers.
HWY_INLINE VI ToIntegers(V x) {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  return VI{_mm512_cvtpd_epi64(x.raw)};  // Highway adds four instructions for values beyond 2^63
#else
  return hn::ConvertTo(DI(), x);
#endif
}

/// Converts to the nearest float; overflow gives infinity. (Without instructions for it, Highway 1.0.3 gives
/// the largest float.)
HWY_INLINE hn::Vec<F> ToFloats(V v) {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
  double wide[lanes];
  float narrow[lanes];
  hn::StoreU(v, D(), wide);
  for (std::size_t i = 0; i < lanes; ++i) narrow[i] = static_cast<float>(wide[i]);
  return hn::LoadU(F(), narrow);
#else
  return hn::DemoteTo(F(), v);
#endif
}

/// Whether halves are converted by instructions. Without, Highway 1.0.3 converts infinities and NaN to finite
/// numbers.
constexpr bool converts_halves = HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128;

/// Rounds to odd in a float's precision: from there one rounding to 16 bits is right.
HWY_INLINE V OddFloat(V x) {
  const DI di;
  const VI bits = hn::BitCast(di, x);
  constexpr std::int64_t below = (std::int64_t{1} << 29) - 1;
  const VI lost = hn::And(bits, hn::Set(di, below));
  const VI odd = hn::IfThenElse(hn::Eq(lost, hn::Zero(di)), hn::Zero(di), hn::Set(di, below + 1));
  return hn::BitCast(D(), hn::Or(hn::Sub(bits, lost), odd));
}

// Deposit's `Pipe` for accumulator set u: half of the additions go through the multiplier, evenly over time.
constexpr int pipe_of(int u) {
#if HWY_NATIVE_FMA
  return ((u & 1) != 0 ? 2 : 1) | ((u & 2) != 0 ? 4 : 0);
#else
  return 0 * u;
#endif
}

// Calls f with the compile-time numbers 0 .. N - 1. GCC 12 keeps an array of vectors in registers only if
// run-time loops outside the main one do not index it (45 instead of 26 GB/s from L2).
template <class Function, int... I>
HWY_INLINE void RepeatFor(Function&& f, std::integer_sequence<int, I...>) {
  (f(std::integral_constant<int, I>{}), ...);
}
template <int N, class Function>
HWY_INLINE void Repeat(Function&& f) {
  RepeatFor(f, std::make_integer_sequence<int, N>{});
}
#define FOLDLINE_LAMBDA HWY_ATTR __attribute__((always_inline))

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
