// Scans with Accuracy::fast: every addition within a tile rounds; the sum of each tile, FastTile::Total, is
// added to the prefix exactly. Included once per instruction set.

#include "cpu/scan/scan_quads-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

/// A tile of elements T, added as doubles; results are rounded by `Rounding`.
template <class T, class Rounding>
struct FastTile {
  /// What the tile adds to the sums after it.
  static double Total(const T* x, std::size_t vectors) { return FastSum(Values<T>{x}, vectors); }

  /// Prefix sums of a tile, starting from `sum`. Returns Total, or NaN if an intermediate sum is not finite.
  static double Scan(const T* x, std::size_t vectors, double one_value, std::int64_t ahead, double sum,
                     const Output<typename Rounding::Stored>& out) {
    const D d;
    const AddByMultiplier add{hn::Set(d, one_value)};
    const V zero = hn::Zero(d);
    V last = hn::Set(d, sum);
    V overflows = zero;  // NaN once a sum is not finite
    V total[unroll];
    Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA { total[u] = zero; });
    const auto begin = [&](std::size_t i, LaneSums<D>& values) FOLDLINE_LAMBDA {
      cpu::fetch_to_second_cache(x + i, group, ahead);
      Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA {
        values.sums[u] = LoadDoubles(x + i + u * lanes);
        total[u] = Add(total[u], values.sums[u]);
      });
      values.Find(d, add);
    };
    const auto finish = [&](std::size_t i, LaneSums<D>& values) FOLDLINE_LAMBDA {
      values.AddBefore(last);
      Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA { overflows = MulAdd(values.sums[u], zero, overflows); });
      Rounding::Store(values.sums, values.sums, values.sums, true, out, i);
    };
    InTwoStages<LaneSums<D>>(vectors * lanes, group, begin, finish);
    return SumOfLanes(total) + hn::GetLane(hn::SumOfLanes(d, overflows));
  }
};

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86

/// Prefix sums in progress of 64 consecutive floats: four vectors of four quads (blocks of 4 floats) each.
struct FloatQuads {
  __m512 sums[4] = {};      // prefix sums within each quad
  __m256d through[4] = {};  // sums of quads 0 .. q of each vector, in the lane of its number
  __m256d before = {};      // sums of the vectors before each vector
  __m256d all = {};         // the sum of all four vectors, in each lane
  __m512 starts = {};       // the prefix of quad q of vector v, as lane 4 q + v

  HWY_INLINE FloatQuads() {}
};

HWY_INLINE __m512 SumsOfQuads(__m512 x) {
  const __m512 pairs = _mm512_add_ps(x, _mm512_maskz_permute_ps(0xeeee, x, 0x90));
  return _mm512_add_ps(pairs, _mm512_maskz_permute_ps(0xcccc, pairs, 0x44));
}

/// FloatQuads::through, from the sums of quads: quad q of vector v in lane 4 q + v.
HWY_INLINE void AddThrough(__m512 totals, __m256d (&through)[4]) {
  through[0] = _mm256_cvtps_pd(_mm512_maskz_extractf32x4_ps(0xf, totals, 0));
  through[1] = _mm256_add_pd(through[0], _mm256_cvtps_pd(_mm512_maskz_extractf32x4_ps(0xf, totals, 1)));
  through[2] = _mm256_add_pd(through[1], _mm256_cvtps_pd(_mm512_maskz_extractf32x4_ps(0xf, totals, 2)));
  through[3] = _mm256_add_pd(through[2], _mm256_cvtps_pd(_mm512_maskz_extractf32x4_ps(0xf, totals, 3)));
}

template <int From>
HWY_INLINE __m512 InQuads(__m512 a, __m512 b) {
  return _mm512_maskz_shuffle_ps(0xffff, a, b, From);
}

/// A tile of floats: quads are added as floats, and their sums as doubles, since conversions dominate. A
/// result is off by two roundings within its quad and those before, one of its prefix, and its own. (Zen 4,
/// from L2: 0.20 instead of 0.30 ns an element.)
template <>
struct FastTile<float, RoundToFloat> {
  static double Total(const float* x, std::size_t vectors) {
    __m256d total = _mm256_setzero_pd();
    const auto add = [&](const float* from) FOLDLINE_LAMBDA {
      const auto pairs = [](__m512 a, __m512 b) FOLDLINE_LAMBDA {
        return _mm512_add_ps(InQuads<0x88>(a, b), InQuads<0xdd>(a, b));
      };
      const __m512 lower = pairs(_mm512_loadu_ps(from), _mm512_loadu_ps(from + 16));
      const __m512 upper = pairs(_mm512_loadu_ps(from + 32), _mm512_loadu_ps(from + 48));
      __m256d through[4];
      AddThrough(pairs(lower, upper), through);
      total = _mm256_add_pd(total, through[3]);
    };
    const std::size_t n = vectors * lanes;
    const std::size_t whole = n / step * step;
    for (std::size_t i = 0; i < whole; i += step) add(x + i);
    if (whole != n) {
      Padded rest(x + whole);
      add(rest.floats);
    }
    return SumOfFour(total);
  }

  static double Scan(const float* x, std::size_t vectors, double, std::int64_t ahead, double sum,
                     const Output<float>& out) {
    FastTile tile{_mm256_set1_pd(sum), _mm256_setzero_pd(), _mm512_setzero_ps()};
    const std::size_t n = vectors * lanes;
    const std::size_t whole = n / step * step;
    if (whole != 0) tile.ScanSteps(x, whole, ahead, out);
    if (whole != n) {
      const hn::ScalableTag<float> d;
      const Padded rest(x + whole);
      Padded results;
      tile.ScanSteps(rest.floats, step, 0, {results.floats, false});
      for (std::size_t i = 0; i < step / 2; i += hn::MaxLanes(d))
        out.Store(d, hn::Load(d, results.floats + i), whole + i);
    }
    return SumOfFour(tile.total) +
           static_cast<double>(hn::GetLane(
               hn::SumOfLanes(hn::ScalableTag<float>(), hn::Vec<hn::ScalableTag<float>>{tile.overflows})));
  }

  __m256d last, total;
  __m512 overflows;  // NaN once a result is not finite

 private:
  static constexpr std::size_t step = 64;
  static_assert(step == 2 * group);

  /// A group of floats, padded with zeros.
  struct Padded {
    alignas(64) float floats[step] = {};
    Padded() = default;
    explicit Padded(const float* x) { std::memcpy(floats, x, group * sizeof *x); }
  };

  static HWY_INLINE double SumOfFour(__m256d v) {
    double lane[4];
    _mm256_storeu_pd(lane, v);
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
  }

  HWY_INLINE void ScanSteps(const float* x, std::size_t n, std::int64_t ahead, const Output<float>& out) {
    const __m512 zero = _mm512_setzero_ps();
    const auto add_up_quads = [&](std::size_t i, FloatQuads& quads) FOLDLINE_LAMBDA {
      cpu::fetch_to_second_cache(x + i, step, ahead);
      Repeat<4>([&](auto v)
                    FOLDLINE_LAMBDA { quads.sums[v] = SumsOfQuads(_mm512_loadu_ps(x + i + 16 * v)); });
    };
    const auto add_up_vectors = [&](FloatQuads& quads) FOLDLINE_LAMBDA {
      const __m512 lower = InQuads<0xff>(quads.sums[0], quads.sums[1]);
      const __m512 upper = InQuads<0xff>(quads.sums[2], quads.sums[3]);
      AddThrough(InQuads<0x88>(lower, upper), quads.through);
      __m256d sums = quads.through[3];
      total = _mm256_add_pd(total, sums);
      sums = _mm256_add_pd(sums, _mm256_maskz_permutex_pd(0xe, sums, 0x90));
      sums = _mm256_add_pd(sums, _mm256_maskz_permutex_pd(0xc, sums, 0x44));
      quads.before = _mm256_maskz_permutex_pd(0xe, sums, 0x90);
      quads.all = _mm256_maskz_permutex_pd(0xf, sums, 0xff);
    };
    const auto find_prefixes = [&](FloatQuads& quads) FOLDLINE_LAMBDA {
      const __m256d before = _mm256_add_pd(quads.before, last);
      last = _mm256_add_pd(last, quads.all);
      const auto after = [&](auto q) FOLDLINE_LAMBDA { return _mm256_add_pd(before, quads.through[q]); };
      const auto as_floats = [](__m256d lower, __m256d upper) FOLDLINE_LAMBDA {
        return _mm512_maskz_cvtpd_ps(0xff,
                                     _mm512_maskz_insertf64x4(0xff, _mm512_castpd256_pd512(lower), upper, 1));
      };
      const __m256 lower = as_floats(before, after(std::integral_constant<int, 0>()));
      const __m256 upper =
          as_floats(after(std::integral_constant<int, 1>()), after(std::integral_constant<int, 2>()));
      quads.starts = _mm512_maskz_insertf32x8(0xffff, _mm512_castps256_ps512(lower), upper, 1);
    };
    const auto store = [&](std::size_t i, const FloatQuads& quads) FOLDLINE_LAMBDA {
      const hn::ScalableTag<float> d;
      Repeat<4>([&](auto v) FOLDLINE_LAMBDA {
        const __m512 start = _mm512_maskz_permute_ps(0xffff, quads.starts, 0x55 * decltype(v)::value);
        const __m512 result = _mm512_add_ps(quads.sums[v], start);
        overflows = _mm512_fmadd_ps(result, zero, overflows);
        out.Store(d, hn::Vec<decltype(d)>{result}, i + 16 * v);
      });
    };
    InFourStages<FloatQuads>(n, step, add_up_quads, add_up_vectors, find_prefixes, store);
  }
};

#endif

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
