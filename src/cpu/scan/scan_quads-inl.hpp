// Prefix sums of floats by quads: element 4 j + k is lane j of vector k, so that sums within a quad add whole
// vectors, and lanes move only for every fourth vector. Included once per instruction set.

#include "cpu/scan/scan_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

/// Does what ScanVectors<RoundToFloat, false, FindSmallest> does, for floats, if has_quads.
template <bool FindSmallest>
double ScanQuads(const float* x, std::size_t vectors, double one_value, std::int64_t ahead, TwoParts& sum,
                 const Output<float>& out);

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86

constexpr bool has_quads = true;

/// Loads a group of floats as quads of doubles.
HWY_INLINE void LoadQuads(const float* x, VectorGroup<D>& v) {
  const __m512 first = _mm512_loadu_ps(x);
  const __m512 second = _mm512_loadu_ps(x + 16);
  const __m512i of_0_and_1 = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
  const __m512i of_2_and_3 = _mm512_setr_epi32(2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31);
  const __m512 v01 = _mm512_permutex2var_ps(first, of_0_and_1, second);
  const __m512 v23 = _mm512_permutex2var_ps(first, of_2_and_3, second);
  // (With masks, since GCC 12 warns of undefined values in its own intrinsics without one.)
  const auto lower = [](__m512 floats) FOLDLINE_LAMBDA {
    return V{_mm512_maskz_cvtps_pd(0xff, _mm512_maskz_extractf32x8_ps(0xff, floats, 0))};
  };
  const auto upper = [](__m512 floats) FOLDLINE_LAMBDA {
    return V{_mm512_maskz_cvtps_pd(0xff, _mm512_maskz_extractf32x8_ps(0xff, floats, 1))};
  };
  v[0] = lower(v01);
  v[1] = upper(v01);
  v[2] = lower(v23);
  v[3] = upper(v23);
}

/// Stores quads as consecutive floats, whole cache lines at a time.
HWY_INLINE void StoreQuads(const VectorGroup<D>& v, const Output<float>& out, std::size_t i) {
  const auto pair = [](V lower, V upper) FOLDLINE_LAMBDA {
    const __m512 widened = _mm512_castps256_ps512(hn::DemoteTo(F(), lower).raw);
    return _mm512_insertf32x8(widened, hn::DemoteTo(F(), upper).raw, 1);
  };
  const __m512 v01 = pair(v[0], v[1]);
  const __m512 v23 = pair(v[2], v[3]);
  const __m512i to_first = _mm512_setr_epi32(0, 8, 16, 24, 1, 9, 17, 25, 2, 10, 18, 26, 3, 11, 19, 27);
  const __m512i to_second = _mm512_setr_epi32(4, 12, 20, 28, 5, 13, 21, 29, 6, 14, 22, 30, 7, 15, 23, 31);
  const hn::ScalableTag<float> d;
  out.Store(d, hn::Vec<decltype(d)>{_mm512_permutex2var_ps(v01, to_first, v23)}, i);
  out.Store(d, hn::Vec<decltype(d)>{_mm512_permutex2var_ps(v01, to_second, v23)}, i + 16);
}

/// Moves the lanes up and fills with zeros.
template <int by>
HWY_INLINE V MovedUp(V v) {
  const __m512i bits = hn::BitCast(DI(), v).raw;
  return hn::BitCast(D(), VI{_mm512_maskz_alignr_epi32(0xffff, bits, _mm512_setzero_si512(), 16 - 2 * by)});
}

/// Sums in progress: within each quad, of whole quads up to each one and before it, and of all.
struct QuadSums {
  VectorGroup<D> sums = {hn::Zero(D()), hn::Zero(D()), hn::Zero(D()), hn::Zero(D())};
  V through = hn::Zero(D()), before = hn::Zero(D()), total = hn::Zero(D());

  HWY_INLINE QuadSums() {}
};

/// Prefix sums of floats in a pipeline of five stages over groups, so that independent operations fill the
/// processor's queues. Calls `finish` with the sums of each group. `low` is the sum before, and becomes that
/// of all. (Zen 4, from L2, exact: 0.31 ns an element; ScanVectors 0.34.)
template <class Finish>
HWY_INLINE void ScanByQuads(const float* x, std::size_t vectors, const AddByMultiplier& add,
                            std::int64_t ahead, V& low, const Finish& finish) {
  const auto load = [&](std::size_t i, QuadSums& quads) FOLDLINE_LAMBDA {
    cpu::fetch_to_second_cache(x + i, group, ahead);
    LoadQuads(x + i, quads.sums);
  };
  const auto add_up_quads = [&](QuadSums& quads) FOLDLINE_LAMBDA {
    auto& v = quads.sums;
    v[1] = add(v[1], v[0]);
    v[3] = add(v[3], v[2]);
    v[2] = add(v[2], v[1]);
    v[3] = add(v[3], v[1]);
    quads.through = add(MovedUp<1>(v[3]), v[3]);
  };
  const auto add_up_lanes = [&](QuadSums& quads) FOLDLINE_LAMBDA {
    V& v = quads.through;
    v = add(MovedUp<2>(v), v);
    v = Add(MovedUp<4>(v), v);
    quads.before = MovedUp<1>(v);
    quads.total = LastLane(D(), v);
  };
  const auto add_before = [&](QuadSums& quads) FOLDLINE_LAMBDA {
    const V before = Add(quads.before, low);
    low = Add(low, quads.total);
    Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA { quads.sums[u] = add(quads.sums[u], before); });
  };
  const auto store = [&](std::size_t i, QuadSums& quads) FOLDLINE_LAMBDA { finish(i, quads.sums); };
  InFiveStages<QuadSums>(vectors * lanes, group, load, add_up_quads, add_up_lanes, add_before, store);
}

template <bool FindSmallest>
double ScanQuads(const float* x, std::size_t vectors, double one_value, std::int64_t ahead, TwoParts& sum,
                 const Output<float>& out) {
  const D d;
  const AddByMultiplier add{hn::Set(d, one_value)};
  const V high = hn::Set(d, sum.high);
  V low = hn::Set(d, sum.low);
  V smallest = hn::Set(d, FindSmallest ? std::numeric_limits<double>::max() : 0.0);
  const bool is_exact = sum.high == 0;
  const auto finish = [&](std::size_t i, const VectorGroup<D>& sums) FOLDLINE_LAMBDA {
    VectorGroup<D> highs;
    VectorGroup<D> results;
    Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA {
      highs[u] = high;
      results[u] = add(sums[u], high);
      if constexpr (FindSmallest) smallest = SmallerMagnitude(smallest, results[u]);
    });
    if (!is_exact) RoundToFloat::PreventTwice(highs, sums, results);
    StoreQuads(results, out, i);
  };
  ScanByQuads(x, vectors, add, ahead, low, finish);
  sum.low = hn::GetLane(low);
  return hn::GetLane(hn::MinOfLanes(d, smallest));
}

#else

constexpr bool has_quads = false;

#endif

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
