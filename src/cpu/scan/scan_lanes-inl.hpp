// Prefix sums of doubles, exact as two parts, and their one rounding. Included once per instruction set.

#include "cpu/scan/scan_prefix-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

/// a + b rounded to odd: if inexact, the one of the two neighbouring doubles whose last bit is 1; `sum` is a
/// + b rounded to nearest. Rounding the result to fewer bits equals rounding a + b. (Boldo & Melquiond 2008;
/// the error: Knuth's TwoSum.)
HWY_INLINE V RoundedToOdd(V a, V b, V sum) {
  const DI di;
  const V error = ErrorOfSum(a, b, sum);
  const VI bits = hn::BitCast(di, sum);
  const VI one = hn::Set(di, 1);
  const auto is_inexact = hn::Ne(hn::ShiftLeft<1>(hn::BitCast(di, error)), hn::Zero(di));
  const auto is_even = hn::Eq(hn::And(bits, one), hn::Zero(di));
  // Towards the error: one place up if the signs agree, else down.
  const VI step = hn::Or(hn::BroadcastSignBit(hn::Xor(bits, hn::BitCast(di, error))), one);
  return hn::BitCast(D(), hn::Add(bits, hn::IfThenElseZero(hn::And(is_inexact, is_even), step)));
}

constexpr int bits_lost_to_float = 52 - 23;

/// Elements of `size` bytes from an address to the next cache line, or 0 if they do not end there.
inline std::size_t ElementsToLine(const std::byte* address, std::size_t size) {
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(address) % cpu::cache_line;
  return beyond % size == 0 ? (cpu::cache_line - beyond) / size : 0;
}
inline bool IsAtLine(const std::byte* address) {
  return reinterpret_cast<std::uintptr_t>(address) % cpu::cache_line == 0;
}

/// The destination of results; `stream` stores past the caches and needs alignment.
template <class Stored>
struct Output {
  Stored* data;
  bool stream;

  template <class Tag>
  HWY_INLINE void Store(Tag d, hn::Vec<Tag> v, std::size_t i) const {
    if (stream)
      hn::Stream(v, d, data + i);
    else
      hn::StoreU(v, d, data + i);
  }
};

// Roundings of exact sums of two doubles: `sum` is high + low rounded to double; Store() stores a group of
// results. `is_exact`: each `sum` is exact.
struct RoundToDouble {
  using Stored = double;
  static HWY_INLINE void Store(const VectorGroup<D>&, const VectorGroup<D>&, VectorGroup<D>& sum, bool,
                               const Output<double>& out, std::size_t i) {
    Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA { out.Store(D(), sum[u], i + u * lanes); });
  }
};
struct RoundToFloat {
  using Stored = float;
  /// Double rounding differs only if the first one ends halfway between two floats (and below the normal
  /// floats, which the caller excludes): then sums are rounded to odd.
  static HWY_INLINE void PreventTwice(const VectorGroup<D>& high, const VectorGroup<D>& low,
                                      VectorGroup<D>& sum) {
    const DI di;
    VI lost[unroll];
    Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA {
      lost[u] = hn::ShiftLeft<64 - bits_lost_to_float>(hn::BitCast(di, sum[u]));
    });
    static_assert(unroll == 4);
    const VI halfway = hn::Set(di, INT64_MIN);
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
    // Halfway is the least integer; a comparison would take the port that moves lanes.
    const VI least = hn::Min(hn::Min(lost[0], lost[1]), hn::Min(lost[2], lost[3]));
    const auto any = hn::Eq(least, halfway);
#else
    const auto any = hn::Or(hn::Or(hn::Eq(lost[0], halfway), hn::Eq(lost[1], halfway)),
                            hn::Or(hn::Eq(lost[2], halfway), hn::Eq(lost[3], halfway)));
#endif
    if (HWY_UNLIKELY(!hn::AllFalse(di, any)))
      Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA { sum[u] = RoundedToOdd(high[u], low[u], sum[u]); });
  }
  static HWY_INLINE void Store(const VectorGroup<D>& high, const VectorGroup<D>& low, VectorGroup<D>& sum,
                               bool is_exact, const Output<float>& out, std::size_t i) {
    if (!is_exact) PreventTwice(high, low, sum);
    Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA { out.Store(F(), ToFloats(sum[u]), i + u * lanes); });
  }
};
/// For 16-bit results, which are rounded from these floats.
struct RoundToOddFloat {
  using Stored = float;
  static HWY_INLINE void Store(const VectorGroup<D>& high, const VectorGroup<D>& low, VectorGroup<D>& sum,
                               bool is_exact, const Output<float>& out, std::size_t i) {
    const DI di;
    const VI lost = hn::Set(di, (std::int64_t{1} << bits_lost_to_float) - 1);
    Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA {
      if (!is_exact) sum[u] = RoundedToOdd(high[u], low[u], sum[u]);
      const VI bits = hn::BitCast(di, sum[u]);
      const VI sticky = hn::Add(hn::And(bits, lost), lost);  // carries into the last place kept
      const VI odd = hn::AndNot(lost, hn::Or(bits, sticky));
      out.Store(F(), ToFloats(hn::BitCast(D(), odd)), i + u * lanes);
    });
  }
};

/// An exact sum, high + low.
struct TwoParts {
  double high, low;
};

/// Prefix sums of a group of vectors in two parts.
struct LaneSumsOfParts {
  LaneSums<D> high, low;

  HWY_INLINE LaneSumsOfParts() {}
};

/// Prefix sums of `vectors` vectors, starting from `sum`, which becomes the sum of all. With `Split`,
/// `anchor` splits elements into a multiple of its last place, high, and the rest, low; else all are low. The
/// caller guarantees that no sum of either part is rounded (see ScanWindow). With `FindSmallest` returns the
/// smallest magnitude of a result, else 0.
///
/// With Split a vector of eight takes 12 additions and 8 moves of lanes.
template <class Rounding, bool Split, bool FindSmallest, class T>
double ScanVectors(const T* x, std::size_t vectors, double anchor_value, double one_value, std::int64_t ahead,
                   TwoParts& sum, const Output<typename Rounding::Stored>& out) {
  const D d;
  const V anchor = hn::Set(d, anchor_value);
  const AddByMultiplier add{hn::Set(d, one_value)};
  V sum_high = hn::Set(d, sum.high);
  V sum_low = hn::Set(d, sum.low);
  V smallest = hn::Set(d, FindSmallest ? std::numeric_limits<double>::max() : 0.0);
  const bool is_exact = !Split && sum.high == 0;
  const auto begin = [&](std::size_t i, LaneSumsOfParts& parts) FOLDLINE_LAMBDA {
    cpu::fetch_to_second_cache(x + i, group, ahead);
    auto& high = parts.high.sums;
    auto& low = parts.low.sums;
    Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA { low[u] = LoadDoubles(x + i + u * lanes); });
    if constexpr (Split) {
      Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA {
        high[u] = Sub(add(low[u], anchor), anchor);
        low[u] = NegMulAdd(high[u], add.one, low[u]);
      });
      if constexpr (take_sums_one_by_one) {
        SumsOfLanes(d, high, add);
        SumsOfLanes(d, low, add);
        return;
      }
      parts.high.Find(d, add);
    }
    parts.low.Find(d, add);
  };
  const auto finish = [&](std::size_t i, LaneSumsOfParts& parts) FOLDLINE_LAMBDA {
    auto& high = parts.high.sums;
    auto& low = parts.low.sums;
    if constexpr (Split && take_sums_one_by_one) {
      parts.high.AddBeforeOneByOne(d, sum_high);
      parts.low.AddBeforeOneByOne(d, sum_low);
    } else {
      if constexpr (Split)
        parts.high.AddBefore(sum_high);
      else
        Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA { high[u] = sum_high; });
      parts.low.AddBefore(sum_low);
    }
    VectorGroup<D> results;
    Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA {
      results[u] = add(low[u], high[u]);
      if constexpr (FindSmallest) smallest = SmallerMagnitude(smallest, results[u]);
    });
    Rounding::Store(high, low, results, is_exact, out, i);
  };
  InTwoStages<LaneSumsOfParts>(vectors * lanes, group, begin, finish);
  sum = {hn::GetLane(sum_high), hn::GetLane(sum_low)};
  return hn::GetLane(hn::MinOfLanes(d, smallest));
}

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
