// Prefix sums in registers: of a group of vectors, and group after group in a software pipeline. Included
// once per instruction set.

#include "cpu/simd/tiles-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

/// Several vectors of doubles or 64-bit integers that are scanned together, so that a processor has other
/// work while one addition waits for another (Zen 4: 0.53 ns per double, 0.62 one vector after the other).
template <class Tag>
using VectorGroup = hn::Vec<Tag>[unroll];

/// a + b by the multiplier, which processors with separate adders would leave idle (as in
/// arithmetic/bins-inl.hpp).
struct AddByMultiplier {
  V one;
  HWY_INLINE V operator()(V a, V b) const { return SumOf<true>(b, a, one); }
};
struct AddIntegers {
  template <class Integers>
  HWY_INLINE Integers operator()(Integers a, Integers b) const {
    return hn::Add(a, b);
  }
};

template <class Tag>
constexpr int lanes_of = static_cast<int>(hn::MaxLanes(Tag()));

/// Lane i of each vector becomes the sum of its lanes 0 .. i. `add` is an alternative way to add.
template <class Tag, class OtherAdd>
HWY_INLINE void SumsOfLanes([[maybe_unused]] Tag d, [[maybe_unused]] VectorGroup<Tag>& v,
                            [[maybe_unused]] const OtherAdd& add) {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  // One instruction moves the lanes up and fills with zeros. (With a mask, since GCC 12 warns of undefined
  // values in its own intrinsic without one.)
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

/// Broadcasts the last lane.
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

/// Prefix sums within each vector, and each vector's total in every lane.
template <class Tag>
struct LaneSums {
  VectorGroup<Tag> sums, totals;

  HWY_INLINE LaneSums() {}  // explicit: GCC would not compile an implicit one for NEON

  template <class OtherAdd>
  HWY_INLINE void Find(Tag d, const OtherAdd& add) {
    SumsOfLanes(d, sums, add);
    Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA { totals[u] = LastLane(d, sums[u]); });
  }
  /// Adds the sum before the group, and makes `sum` that of all including it.
  HWY_INLINE void AddBefore(hn::Vec<Tag>& sum) {
    Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA {
      sums[u] = Add(sums[u], sum);
      sum = Add(sum, totals[u]);
    });
  }
  /// The same without totals: one addition less, but each vector waits for the one before.
  HWY_INLINE void AddBeforeOneByOne(Tag d, hn::Vec<Tag>& sum) {
    Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA {
      sums[u] = Add(sums[u], sum);
      sum = LastLane(d, sums[u]);
    });
  }
};

/// Whether sums of two parts use AddBeforeOneByOne: with AVX-512 the other operations take longer than the
/// wait.
constexpr bool take_sums_one_by_one = HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86;

/// A software pipeline of two stages: calls begin(i, group) and later finish(i, group) for each group of
/// elements i .. i + size of n, a multiple of size. A group is begun before the one before it is finished,
/// since two independent chains of operations keep a processor busy. (Zen 4, floats from L2: 0.35 instead of
/// 0.43 ns an element.)
template <class Group, class Begin, class Finish>
HWY_INLINE void InTwoStages(std::size_t n, std::size_t size, const Begin& begin, const Finish& finish) {
  Group last;
  begin(0, last);
  for (std::size_t i = size; i < n; i += size) {
    Group next;
    begin(i, next);
    finish(i - size, last);
    last = next;
  }
  finish(n - size, last);
}

/// The same in four stages, each of which continues what the stage before left in the group; `first` and
/// `fourth` also get the group's first element.
template <class Group, class First, class Second, class Third, class Fourth>
HWY_INLINE void InFourStages(std::size_t n, std::size_t size, const First& first, const Second& second,
                             const Third& third, const Fourth& fourth) {
  Group a;
  Group b;
  Group c;
  for (std::size_t i = 0; i < n + 3 * size; i += size) {  // what would be before the first group wraps round
    if (i - 3 * size < n) fourth(i - 3 * size, c);
    c = b;
    if (i - 2 * size < n) third(c);
    b = a;
    if (i - size < n) second(b);
    if (i < n) first(i, a);
  }
}

/// The same in five stages. (Five variables, since GCC 12 would keep an array in memory.)
template <class Group, class First, class Second, class Third, class Fourth, class Fifth>
HWY_INLINE void InFiveStages(std::size_t n, std::size_t size, const First& first, const Second& second,
                             const Third& third, const Fourth& fourth, const Fifth& fifth) {
  Group a;
  Group b;
  Group c;
  Group d;
  Group e;
  for (std::size_t i = 0; i < n + 4 * size; i += size) {  // what would be before the first group wraps round
    e = d;
    if (i - 4 * size < n) fifth(i - 4 * size, e);
    d = c;
    if (i - 3 * size < n) fourth(d);
    c = b;
    if (i - 2 * size < n) third(c);
    b = a;
    if (i - size < n) second(b);
    if (i < n) first(i, a);
  }
}

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
