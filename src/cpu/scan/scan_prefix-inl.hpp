// Prefix sums in registers: of a group of vectors, and groups one after the other. Included once per
// instruction set.

#include "cpu/simd/tiles-inl.hpp"

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

/// Vectors whose lanes are sums from their vector's first lane on, and each vector's sum in every lane.
template <class Tag>
struct LaneSums {
  Several<Tag> sums, totals;

  HWY_INLINE LaneSums() {}  // GCC does not give an implicit one the instruction set that NEON's vectors need

  template <class OtherAdd>
  HWY_INLINE void Find(Tag d, const OtherAdd& add) {
    SumsOfLanes(d, sums, add);
    Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA { totals[u] = LastLane(d, sums[u]); });
  }
  /// Adds what comes before, `sum`, which becomes the sum of all.
  HWY_INLINE void AddBefore(hn::Vec<Tag>& sum) {
    Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA {
      sums[u] = Add(sums[u], sum);
      sum = Add(sum, totals[u]);
    });
  }
  /// The same without totals: an addition less, but each vector waits for the one before it.
  HWY_INLINE void AddBeforeOneByOne(Tag d, hn::Vec<Tag>& sum) {
    Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA {
      sums[u] = Add(sums[u], sum);
      sum = LastLane(d, sums[u]);
    });
  }
};

/// Whether the two parts of doubles take AddBeforeOneByOne: with AVX-512 a vector's other operations take
/// longer than it waits.
constexpr bool take_sums_one_by_one = HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86;

/// Calls begin(i, group) and then finish(i, group) for each group of elements i .. i + size of n, a multiple
/// of size. One group is begun before the one before it is finished: each is a chain of operations, and two
/// chains keep a processor busy. (Zen 4, floats from L2: 0.43 -> 0.35 ns an element.)
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

/// The same in four stages, each of which goes on with what the one before has left in a group; that of
/// `first` and `fourth` begins at an element.
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

/// The same in five stages: of five groups in a row each is in another one. (Not in an array, which GCC 12
/// would keep in memory.)
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
