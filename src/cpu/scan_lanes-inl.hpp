// Prefix sums in registers, exact in two parts, and their one rounding. Included once per instruction set.

#include "cpu/tiles-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

/// Several vectors of doubles or 64-bit integers, worked on in step: what waits for an addition fills a
/// processor's queues, and it would have nothing else to do (Zen 4, one vector after the other: 0.62 instead
/// of 0.53 ns per double).
template <class Tag>
using Several = hn::Vec<Tag>[unroll];

/// a + b by the multiplier: half of the additions go there, since processors with separate adders would
/// leave it idle (as in arithmetic/bins-inl.hpp).
struct AddByMultiplier {
  V one;
  HWY_INLINE V operator()(V a, V b) const { return MulAdd(a, one, b); }
};
struct AddIntegers {
  template <class Integers>
  HWY_INLINE Integers operator()(Integers a, Integers b) const {
    return hn::Add(a, b);
  }
};

template <class Tag>
constexpr int lanes_of = static_cast<int>(hn::MaxLanes(Tag()));

/// Lane i of each vector becomes the sum of its lanes 0 .. i. `add` is another way to add.
template <class Tag, class OtherAdd>
HWY_INLINE void SumsOfLanes([[maybe_unused]] Tag d, [[maybe_unused]] Several<Tag>& v,
                            [[maybe_unused]] const OtherAdd& add) {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  // One instruction moves the lanes up and fills with zeros. (With a mask, because GCC 12 warns of the
  // undefined values that its own intrinsic without passes on.)
  const __m512i zero = _mm512_setzero_si512();
  const auto add_moved = [d, zero, &v, &add](auto steps) FOLDLINE_LAMBDA {
    constexpr int words = decltype(steps)::value * int{sizeof(hn::TFromD<Tag>)} / 4;
    Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA {
      const __m512i bits = hn::BitCast(DI(), v[u]).raw;
      const VI moved{_mm512_maskz_alignr_epi32(0xffff, bits, zero, 16 - words)};
      v[u] = words == 8 ? Add(v[u], hn::BitCast(d, moved)) : add(hn::BitCast(d, moved), v[u]);
    });
  };
  add_moved(std::integral_constant<int, 1>());
  add_moved(std::integral_constant<int, 2>());
  add_moved(std::integral_constant<int, 4>());
  if constexpr (lanes_of<Tag> == 16) add_moved(std::integral_constant<int, 8>());
#elif HWY_TARGET != HWY_SCALAR
  constexpr int per_block = 16 / sizeof(hn::TFromD<Tag>);
  constexpr int blocks = lanes_of<Tag> / per_block;
  static_assert(blocks == 1 || blocks == 2);
  Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA { v[u] = add(hn::ShiftLeftLanes<1>(d, v[u]), v[u]); });
  if constexpr (per_block == 4)
    Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA { v[u] = add(hn::ShiftLeftLanes<2>(d, v[u]), v[u]); });
  if constexpr (blocks == 2)
    Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA {
      const auto lower = hn::ConcatLowerLower(d, v[u], hn::Zero(d));
      v[u] = Add(v[u], hn::Broadcast<per_block - 1>(lower));
    });
#endif
}

/// The last lane in every lane.
template <class Tag>
HWY_INLINE hn::Vec<Tag> LastLane([[maybe_unused]] Tag d, hn::Vec<Tag> v) {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  const __m512i bits = hn::BitCast(DI(), v).raw;
  if constexpr (lanes_of<Tag> == 16)
    return hn::BitCast(d, VI{_mm512_maskz_permutexvar_epi32(0xffff, _mm512_set1_epi32(15), bits)});
  else
    return hn::BitCast(d, VI{_mm512_maskz_permutexvar_epi64(0xff, _mm512_set1_epi64(7), bits)});
#elif HWY_TARGET == HWY_SCALAR
  return v;
#else
  constexpr int per_block = 16 / sizeof(hn::TFromD<Tag>);
  if constexpr (lanes_of<Tag> > per_block) v = hn::ConcatUpperUpper(d, v, v);
  return hn::Broadcast<per_block - 1>(v);
#endif
}

/// Each lane becomes the sum of all lanes up to it, of all vectors, and `sum`, which becomes the sum of all.
template <class Tag, class OtherAdd>
HWY_INLINE void PrefixSums(Tag d, Several<Tag>& v, hn::Vec<Tag>& sum, const OtherAdd& add) {
  SumsOfLanes(d, v, add);
  Several<Tag> total;
  Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA { total[u] = LastLane(d, v[u]); });
  Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA {
    v[u] = Add(v[u], sum);
    sum = Add(sum, total[u]);
  });
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

constexpr std::size_t line = 64;  // of a cache

/// Elements of `size` bytes from an address to the next line, if it can be reached by them.
inline std::size_t ElementsToLine(const std::byte* address, std::size_t size) {
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(address) % line;
  return beyond % size == 0 ? (line - beyond) / size : 0;
}
inline bool IsAtLine(const std::byte* address) {
  return reinterpret_cast<std::uintptr_t>(address) % line == 0;
}

/// Where results go; `stream` says past the caches, for which it must be aligned.
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

// How the exact sum of two doubles becomes a result: Sum() is it as a double, Store() the result. `is_exact`
// says that Sum() is the sum itself.
struct RoundToDouble {
  using Stored = double;
  static HWY_INLINE void Store(V, V, V sum, bool, const Output<double>& out, std::size_t i) {
    out.Store(D(), sum, i);
  }
};
struct RoundToFloat {
  using Stored = float;
  /// Rounding twice goes wrong only where the first rounding ends halfway between two floats (and below the
  /// normal floats, where the caller sees to it).
  static HWY_INLINE void Store(V high, V low, V sum, bool is_exact, const Output<float>& out, std::size_t i) {
    const DI di;
    if (!is_exact) {
      const VI lost = hn::ShiftLeft<64 - bits_lost_to_float>(hn::BitCast(di, sum));
      if (HWY_UNLIKELY(!hn::AllFalse(di, hn::Eq(lost, hn::Set(di, INT64_MIN)))))
        sum = RoundedToOdd(high, low, sum);
    }
    out.Store(F(), ToFloats(sum), i);
  }
};
/// For 16-bit results, which are rounded from these floats.
struct RoundToOddFloat {
  using Stored = float;
  static HWY_INLINE void Store(V high, V low, V sum, bool is_exact, const Output<float>& out, std::size_t i) {
    const DI di;
    if (!is_exact) sum = RoundedToOdd(high, low, sum);
    const VI lost = hn::Set(di, (std::int64_t{1} << bits_lost_to_float) - 1);
    const VI bits = hn::BitCast(di, sum);
    const VI sticky = hn::Add(hn::And(bits, lost), lost);  // carries into the last place kept
    out.Store(F(), ToFloats(hn::BitCast(D(), hn::AndNot(lost, hn::Or(bits, sticky)))), i);
  }
};

/// An exact sum as high + low, each of which takes part in exact additions.
struct TwoParts {
  double high, low;
};

/// Fetches n elements, `ahead` elements behind these, to the L2 cache.
template <class T>
HWY_INLINE void FetchAhead(const T* from, std::size_t n, std::int64_t ahead) {
  const auto* address = reinterpret_cast<const char*>(from) + ahead * static_cast<std::int64_t>(sizeof(T));
  for (std::size_t byte = 0; byte < sizeof(T) * n; byte += line) __builtin_prefetch(address + byte, 0, 2);
}

/// Prefix sums of `vectors` vectors, starting from `sum`, which becomes the sum of all. With `Split`,
/// `anchor` splits elements in two, a multiple of its last place and what is left; else they are all low. The
/// caller sees to it that no sum of either part is rounded (see Window). With `FindSmallest` it returns the
/// smallest magnitude of a result, else 0.
///
/// Per vector of eight with Split, 14 additions and 8 moves of lanes.
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
  for (std::size_t v = 0; v < vectors; v += unroll) {
    const T* from = x + v * lanes;
    FetchAhead(from, group, ahead);
    Several<D> high;
    Several<D> low;
    Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA {
      low[u] = LoadDoubles(from + u * lanes);
      high[u] = sum_high;
    });
    if constexpr (Split) {
      Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA {
        high[u] = Sub(add(low[u], anchor), anchor);
        low[u] = NegMulAdd(high[u], add.one, low[u]);
      });
      PrefixSums(d, high, sum_high, add);
    }
    PrefixSums(d, low, sum_low, add);
    Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA {
      const V result = add(low[u], high[u]);
      if constexpr (FindSmallest) smallest = SmallerMagnitude(smallest, result);
      Rounding::Store(high[u], low[u], result, is_exact, out, (v + u) * lanes);
    });
  }
  sum = {hn::GetLane(sum_high), hn::GetLane(sum_low)};
  return hn::GetLane(hn::MinOfLanes(d, smallest));
}

/// Prefix sums of `vectors` vectors as Accuracy::fast has them, starting from `sum`, which becomes the last.
/// Returns FastSum of the vectors.
template <class Rounding, class T>
double ScanVectorsFast(const T* x, std::size_t vectors, double one_value, std::int64_t ahead, double& sum,
                       const Output<typename Rounding::Stored>& out) {
  const D d;
  const AddByMultiplier add{hn::Set(d, one_value)};
  V last = hn::Set(d, sum);
  Several<D> total;
  Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA { total[u] = hn::Zero(d); });
  for (std::size_t v = 0; v < vectors; v += unroll) {
    const T* from = x + v * lanes;
    FetchAhead(from, group, ahead);
    Several<D> values;
    Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA {
      values[u] = LoadDoubles(from + u * lanes);
      total[u] = Add(total[u], values[u]);
    });
    PrefixSums(d, values, last, add);
    Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA {
      Rounding::Store(values[u], values[u], values[u], true, out, (v + u) * lanes);
    });
  }
  sum = hn::GetLane(last);
  return SumOfLanes(total);
}

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
