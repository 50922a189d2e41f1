// Prefix sums in registers, exact in two parts, and their one rounding. Included once per instruction set.

#include "cpu/tiles-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

/// Lane i becomes the sum of lanes 0 .. i.
HWY_INLINE V SumsOfLanes(V v) {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  static_assert(lanes == 8);
  // One instruction moves the lanes up and fills with zeros. (With a mask, because GCC 12 warns of the
  // undefined values that its own intrinsic without passes on.)
  const __m512i zero = _mm512_setzero_si512();
  const auto moved = [zero](V from, auto steps) FOLDLINE_LAMBDA {
    const __m512i bits = hn::BitCast(DI(), from).raw;
    return hn::BitCast(D(), VI{_mm512_maskz_alignr_epi64(0xff, bits, zero, 8 - decltype(steps)::value)});
  };
  v = Add(v, moved(v, std::integral_constant<int, 1>()));
  v = Add(v, moved(v, std::integral_constant<int, 2>()));
  v = Add(v, moved(v, std::integral_constant<int, 4>()));
#elif HWY_TARGET != HWY_SCALAR
  static_assert(lanes == 2 || lanes == 4);
  v = Add(v, hn::ShiftLeftLanes<1>(D(), v));  // within blocks of two
  if constexpr (lanes == 4) v = Add(v, hn::DupOdd(hn::ConcatLowerLower(D(), v, hn::Zero(D()))));
#endif
  return v;
}

/// The last lane in every lane.
HWY_INLINE V LastLane(V v) {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  return V{_mm512_maskz_permutexvar_pd(0xff, _mm512_set1_epi64(lanes - 1), v.raw)};
#elif HWY_TARGET == HWY_SCALAR
  return v;
#else
  if constexpr (lanes == 4) v = hn::ConcatUpperUpper(D(), v, v);
  return hn::DupOdd(v);
#endif
}

/// a + b by the odd one of the two doubles around it, unless it is a double; `sum` is a + b to nearest.
/// Rounding that to fewer bits is the same as rounding a + b. (Boldo & Melquiond 2008; the error: Knuth's
/// TwoSum.)
HWY_INLINE V RoundedToOdd(V a, V b, V sum) {
  const DI di;
  const V b_taken = Sub(sum, a);
  const V error = Add(Sub(a, Sub(sum, b_taken)), Sub(b, b_taken));
  const VI bits = hn::BitCast(di, sum);
  const VI one = hn::Set(di, 1);
  const auto is_inexact = hn::Ne(hn::ShiftLeft<1>(hn::BitCast(di, error)), hn::Zero(di));
  const auto is_even = hn::Eq(hn::And(bits, one), hn::Zero(di));
  // Towards the error: one place up if the signs agree, else down.
  const VI step = hn::Or(hn::BroadcastSignBit(hn::Xor(bits, hn::BitCast(di, error))), one);
  return hn::BitCast(D(), hn::Add(bits, hn::IfThenElseZero(hn::And(is_inexact, is_even), step)));
}

/// To the nearest float, or the infinity beyond the largest. (Without instructions for it, Highway 1.0.3
/// gives the largest.)
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

constexpr int bits_lost_to_float = 52 - 23;

// How the exact sum of two doubles becomes a result: Sum() is it as a double, Store() the result. `is_exact`
// says that Sum() is the sum itself.
struct RoundToDouble {
  using Stored = double;
  static HWY_INLINE void Store(V, V, V sum, bool, double* y) { hn::StoreU(sum, D(), y); }
};
struct RoundToFloat {
  using Stored = float;
  /// Rounding twice goes wrong only where the first rounding ends halfway between two floats (and below the
  /// normal floats, where the caller sees to it).
  static HWY_INLINE void Store(V high, V low, V sum, bool is_exact, float* y) {
    const DI di;
    if (!is_exact) {
      const VI lost = hn::ShiftLeft<64 - bits_lost_to_float>(hn::BitCast(di, sum));
      if (HWY_UNLIKELY(!hn::AllFalse(di, hn::Eq(lost, hn::Set(di, INT64_MIN)))))
        sum = RoundedToOdd(high, low, sum);
    }
    hn::StoreU(ToFloats(sum), F(), y);
  }
};
/// For 16-bit results, which are rounded from these floats.
struct RoundToOddFloat {
  using Stored = float;
  static HWY_INLINE void Store(V high, V low, V sum, bool is_exact, float* y) {
    const DI di;
    if (!is_exact) sum = RoundedToOdd(high, low, sum);
    const VI lost = hn::Set(di, (std::int64_t{1} << bits_lost_to_float) - 1);
    const VI bits = hn::BitCast(di, sum);
    const VI sticky = hn::Add(hn::And(bits, lost), lost);  // carries into the last place kept
    hn::StoreU(ToFloats(hn::BitCast(D(), hn::AndNot(lost, hn::Or(bits, sticky)))), F(), y);
  }
};

/// An exact sum as high + low, each of which takes part in exact additions.
struct TwoParts {
  double high, low;
};

/// Elements between a scan and what it has fetched ahead, so that memory is not idle while a tile is worked
/// on.
constexpr std::size_t tile_ahead = 1024;

/// Prefix sums of `vectors` vectors, starting from `sum`, which becomes the sum of all. `anchor` splits
/// elements in two: rounded to a multiple of its last place, and the rest; without `Split`, they are such
/// multiples. The caller sees to it that no sum of either part is rounded. Returns the smallest magnitude of
/// a result.
///
/// Per vector of eight, 14 additions and 8 moves of lanes: 1.4 cycles per double if all four pipes of a Zen 4
/// were busy.
template <class Rounding, bool Split, class T>
double ScanVectors(const T* x, std::size_t vectors, double anchor_value, TwoParts& sum,
                   typename Rounding::Stored* y) {
  const D d;
  const V anchor = hn::Set(d, anchor_value);
  V sum_high = hn::Set(d, sum.high);
  V sum_low = hn::Set(d, sum.low);
  V smallest = hn::Set(d, std::numeric_limits<double>::max());
  const bool is_exact = !Split && sum.low == 0;
  for (std::size_t v = 0; v < vectors; ++v) {
    __builtin_prefetch(x + v * lanes + tile_ahead);
    const V element = LoadDoubles(x + v * lanes);
    V high = element;
    V low = sum_low;
    if constexpr (Split) {
      high = Sub(Add(element, anchor), anchor);
      const V low_sums = SumsOfLanes(Sub(element, high));
      low = Add(sum_low, low_sums);
      sum_low = Add(sum_low, LastLane(low_sums));
    }
    const V high_sums = SumsOfLanes(high);
    high = Add(sum_high, high_sums);
    sum_high = Add(sum_high, LastLane(high_sums));
    const V result = Add(high, low);
    smallest = SmallerMagnitude(smallest, result);
    Rounding::Store(high, low, result, is_exact, y + v * lanes);
  }
  sum = {hn::GetLane(sum_high), hn::GetLane(sum_low)};
  return hn::GetLane(hn::MinOfLanes(d, smallest));
}

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
