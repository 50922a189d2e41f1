// Tiles: the loops over contiguous data. A tile is as many vectors as the accumulators take without a carry.
// Its sums are added to the caller's int64 counts only if all of it fitted the window, so a tile that did not
// fit is simply added again in another way. Included once per instruction set.

#include "cpu/simd/elements-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

/// Sets of accumulators in flight in a loop over bins, which hide the latency of addition.
constexpr int unroll = 4;
/// Vectors after which accumulators must be moved to counts: for bins with `unroll` sets, for slices with one
/// set.
constexpr std::size_t bin_block = std::size_t{unroll} * deposits_per_block;
constexpr std::size_t slice_block = deposits_per_block;
/// Long enough that starting and checking a tile cost little, short enough (16 KiB) that it is still in L1
/// cache when another sum of the operation, or a second attempt, reads it.
constexpr std::size_t tile_vectors = 2 * bin_block;
constexpr std::size_t tile_elements = tile_vectors * lanes;
/// Tails of tiles are padded to a multiple of this number of elements.
constexpr std::size_t group = unroll * lanes;

HWY_INLINE V LoadDoubles(const double* p) { return hn::LoadU(D(), p); }
HWY_INLINE V LoadDoubles(const float* p) { return hn::PromoteTo(D(), hn::LoadU(F(), p)); }
HWY_INLINE V LoadDoubles(const std::int32_t* p) {
  return hn::PromoteTo(D(), hn::LoadU(hn::Rebind<std::int32_t, D>(), p));
}
HWY_INLINE V LoadDoubles(const std::uint32_t* p) {
  // As signed ones, 2^31 lower.
  const hn::Rebind<std::int32_t, D> d;
  const auto lower = hn::Xor(hn::LoadU(d, reinterpret_cast<const std::int32_t*>(p)),
                             hn::Set(d, std::numeric_limits<std::int32_t>::min()));
  return hn::Add(hn::PromoteTo(D(), lower), hn::Set(D(), 0x1p31));
}
template <class T>
  requires(std::is_integral_v<T> && sizeof(T) < 4)
HWY_INLINE V LoadDoubles(const T* p) {
  const auto narrow = hn::LoadU(hn::Rebind<T, D>(), p);
  return hn::PromoteTo(D(), hn::PromoteTo(hn::Rebind<std::int32_t, D>(), narrow));
}

// Terms: operator()(i) gives vector i of the doubles to add up. Terms that have Error(i, p) stand for p plus
// that error: the exact product of two doubles (Dekker 1971; with an fma, Ogita, Rump & Oishi 2005).
template <class T>
struct Values {
  const T* x;
  HWY_INLINE V operator()(std::size_t i) const { return LoadDoubles(x + i * lanes); }
};
template <class T>
struct Magnitudes {
  const T* x;
  HWY_INLINE V operator()(std::size_t i) const { return hn::Abs(LoadDoubles(x + i * lanes)); }
};
// Exact for floats: 24 + 24 bits, and exponents stay in a double's range. For doubles these two serve
// Accuracy::fast.
template <class T>
struct Squares {
  const T* x;
  HWY_INLINE V operator()(std::size_t i) const {
    const V v = LoadDoubles(x + i * lanes);
    return hn::Mul(v, v);
  }
};
template <class T>
struct Products {
  const T* x;
  const T* y;
  HWY_INLINE V operator()(std::size_t i) const {
    return hn::Mul(LoadDoubles(x + i * lanes), LoadDoubles(y + i * lanes));
  }
};

struct ExactProducts {
  const double* x;
  const double* y;
  HWY_INLINE V operator()(std::size_t i) const {
    return hn::Mul(LoadDoubles(x + i * lanes), LoadDoubles(y + i * lanes));
  }
  /// x_i y_i - p, exact unless a bit of the product lies below 2^-1074, which raises the underflow flag.
  HWY_INLINE V Error(std::size_t i, V p) const {
    return ProductError(LoadDoubles(x + i * lanes), LoadDoubles(y + i * lanes), p);
  }
};

/// Prefetches a group of terms that comes a little later than vector i.
template <class Terms>
HWY_INLINE void FetchTermsAhead(const Terms& terms, std::size_t i) {
  if constexpr (requires { terms.y; }) {
    cpu::fetch_ahead(terms.x + i * lanes, group, cpu::two_ahead);
    cpu::fetch_ahead(terms.y + i * lanes, group, cpu::two_ahead);
  } else {
    cpu::fetch_ahead(terms.x + i * lanes, group, cpu::numbers_ahead);
  }
}

HWY_INLINE bool AllZero(VI v) { return hn::AllTrue(DI(), hn::Eq(v, hn::Zero(DI()))); }

/// Adds to counts. Counts known to be zero are not read, or a short sum would wait for its own stores.
HWY_INLINE void AddTo(std::int64_t* counts, VI change, bool are_zero) {
  if (!are_zero) change = hn::Add(hn::LoadU(DI(), counts), change);
  hn::StoreU(change, DI(), counts);
}

/// One int64 count per lane, in units of a level or of a pair of slices.
using LaneCounts = std::int64_t[lanes];

/// Deposits vector i of the terms in K bins; errors of exact products, at most 2^-53 of them, from the second
/// level on.
template <int K, int U, class Terms>
HWY_INLINE void DepositVector(const Terms& terms, std::size_t i, V (&bin)[K], V anchor, V one, VI& range,
                              VI& residual) {
  const V term = terms(i);
  Deposit<0, K, pipe_of(U)>(term, bin, anchor, one, range, residual);
  if constexpr (std::is_same_v<Terms, ExactProducts>)
    Deposit<1, K, pipe_of(U + 1)>(terms.Error(i, term), bin, anchor, one, range, residual);
}

/// Adds a tile of `vectors` vectors (a multiple of unroll, at most tile_vectors) to the counts of K levels.
/// Returns false, and adds nothing, if it does not fit the window.
template <int K, class Terms>
bool AddTile(const Terms& terms, std::size_t vectors, BinWindow window, double one_value, LaneCounts* counts,
             bool are_zero) {
  const D d;
  const DI di;
  V anchor[K];
  VI count[K];
  Repeat<K>([&](auto k) FOLDLINE_LAMBDA {
    anchor[k] = hn::Set(d, window.anchor(k));
    count[k] = hn::Zero(di);
  });
  const V one = hn::Set(d, one_value);
  VI range = hn::Zero(di);
  VI residual = hn::Zero(di);
  static_assert(unroll == 4);
  for (std::size_t i = 0; i < vectors;) {
    V bin[unroll][K];
    Repeat<K>([&](auto k) FOLDLINE_LAMBDA {
      Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA { bin[u][k] = anchor[k]; });
    });
    for (const std::size_t end = HWY_MIN(vectors, i + bin_block); i < end; i += unroll) {
      FetchTermsAhead(terms, i);
      DepositVector<K, 0>(terms, i, bin[0], anchor[0], one, range, residual);
      DepositVector<K, 1>(terms, i + 1, bin[1], anchor[0], one, range, residual);
      DepositVector<K, 2>(terms, i + 2, bin[2], anchor[0], one, range, residual);
      DepositVector<K, 3>(terms, i + 3, bin[3], anchor[0], one, range, residual);
    }
    Repeat<K>([&](auto k) FOLDLINE_LAMBDA {
      const VI zero_count = hn::BitCast(di, anchor[k]);
      Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA {
        count[k] = hn::Add(count[k], hn::Sub(hn::BitCast(di, bin[u][k]), zero_count));
      });
    });
  }
  const VI out_of_binade = hn::ShiftRight<fraction_bits>(range);
  const VI left_over = hn::ShiftLeft<1>(residual);
  const bool fits = AllZero(hn::Or(out_of_binade, left_over));
  if (!fits) return false;
  if constexpr (std::is_same_v<Terms, ExactProducts>)
    if (cpu::underflow_was_noted(fits)) return false;
  Repeat<K>([&](auto k) FOLDLINE_LAMBDA { AddTo(counts[k], count[k], are_zero); });
  return true;
}

/// Number of pairs of slices i <= j, and the index of a pair, those of the upper slices first.
constexpr int pairs(int slices) { return slices * (slices + 1) / 2; }
constexpr int pair_of(int i, int j) { return pairs(j) + i; }

/// Adds the squares of a tile of doubles, at most tile_vectors, as products of S slices. Returns false, and
/// adds nothing, if it does not fit the window.
///
/// The upper end is checked once per block: the accumulator of h_0^2 must be in its anchor's binade. It never
/// falls, so the sum of h_0^2 is at most 2^51 units, h_0 at most 2^25.5, and by Cauchy and Schwarz the sums
/// of |h_0 h_k| are at most sqrt(2^51 * 32 * 2^46) = 2^51: no accumulator has left its binade. At the lower
/// end no element may have a bit below the last slice's unit. `CheckEach` looks at each element; without it
/// the smallest magnitude decides, which costs a third but fails in vain for zeros and for elements whose
/// lowest bits are zero (Zen 4, from L1, S = 3: 28 and 33 GB/s).
template <int S, bool CheckEach>
bool AddSquares(const double* x, std::size_t vectors, SliceWindow window, LaneCounts* counts, bool are_zero) {
  const D d;
  const DI di;
  V splitter[S];
  V anchor[pairs(S)];
  VI count[pairs(S)];
  Repeat<S>([&](auto j) FOLDLINE_LAMBDA {
    splitter[j] = hn::Set(d, window.splitter(j));
    Repeat<j + 1>([&](auto i) FOLDLINE_LAMBDA {
      anchor[pair_of(i, j)] = hn::Set(d, anchor_of(window.unit(i) + window.unit(j)));
      count[pair_of(i, j)] = hn::Zero(di);
    });
  });
  VI range = hn::Zero(di);
  VI residual = hn::Zero(di);
  const V smallest_allowed = hn::Set(d, power_of_two(window.unit(S - 1) + fraction_bits));
  V smallest = smallest_allowed;
  for (std::size_t v = 0; v < vectors;) {
    V sum[pairs(S)];
    Repeat<pairs(S)>([&](auto p) FOLDLINE_LAMBDA { sum[p] = anchor[p]; });
    for (const std::size_t end = HWY_MIN(vectors, v + slice_block); v < end; ++v) {
      const V element = hn::LoadU(d, x + v * lanes);
      cpu::fetch_ahead(x + v * lanes, lanes, cpu::squares_ahead);
      V slice[S];
      Split<S, CheckEach>(element, splitter, slice, residual);
      if constexpr (!CheckEach) smallest = SmallerMagnitude(smallest, element);
      for (int j = 0; j < S; ++j)
        for (int i = 0; i <= j; ++i) sum[pair_of(i, j)] = MulAdd(slice[i], slice[j], sum[pair_of(i, j)]);
    }
    range = OrXor(range, sum[0], anchor[0]);
    Repeat<pairs(S)>([&](auto p) FOLDLINE_LAMBDA {
      count[p] = hn::Add(count[p], hn::Sub(hn::BitCast(di, sum[p]), hn::BitCast(di, anchor[p])));
    });
  }
  if constexpr (!CheckEach) residual = OrXor(residual, smallest, smallest_allowed);
  if (!AllZero(hn::Or(hn::ShiftRight<fraction_bits>(range), hn::ShiftLeft<1>(residual)))) return false;
  Repeat<pairs(S)>([&](auto p) FOLDLINE_LAMBDA { AddTo(counts[p], count[p], are_zero); });
  return true;
}

HWY_INLINE VI MagnitudeBits(V x) { return hn::And(hn::BitCast(DI(), x), hn::Set(DI(), INT64_MAX)); }

/// The largest exponent field of a tile: infinite_field if an element is not finite, -1 if all are zero.
template <class Terms>
int HighestField(const Terms& terms, std::size_t vectors) {
  VI highest = hn::Zero(DI());
  for (std::size_t v = 0; v < vectors; ++v) highest = hn::Max(highest, MagnitudeBits(terms(v)));
  const std::int64_t bits = hn::GetLane(hn::MaxOfLanes(DI(), highest));
  return bits == 0 ? -1 : static_cast<int>(bits >> fraction_bits);
}

/// The smallest exponent field of the nonzero elements of a tile, which has some.
template <class Terms>
int LowestField(const Terms& terms, std::size_t vectors) {
  VI lowest = hn::Set(DI(), INT64_MAX);  // of magnitude - 1, where zero wraps to the largest
  for (std::size_t v = 0; v < vectors; ++v)
    lowest = hn::Min(lowest,
                     hn::And(hn::Sub(MagnitudeBits(terms(v)), hn::Set(DI(), 1)), hn::Set(DI(), INT64_MAX)));
  return static_cast<int>((hn::GetLane(hn::MinOfLanes(DI(), lowest)) + 1) >> fraction_bits);
}

/// Elements of exponent field up to `highest` are below 2^top_of(highest).
constexpr int top_of(int highest) { return (highest == 0 ? 1 : highest + 1) - exponent_bias; }
/// Elements of exponent field from `lowest` up are multiples of 2^last_place_of(lowest).
constexpr int last_place_of(int lowest) { return (lowest == 0 ? 1 : lowest) - significand_bias; }

/// The total of `unroll` vectors, pairwise.
HWY_INLINE double SumOfLanes(const V (&sum)[unroll]) {
  double lane[lanes];
  hn::StoreU(Add(Add(sum[0], sum[1]), Add(sum[2], sum[3])), D(), lane);
  for (std::size_t width = lanes / 2; width > 0; width /= 2)
    for (std::size_t i = 0; i < width; ++i) lane[i] += lane[i + width];
  return lane[0];
}

/// The ordinary sum of a tile, for Accuracy::fast.
template <class Terms>
double FastSum(const Terms& terms, std::size_t vectors) {
  V sum[unroll];
  Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA { sum[u] = hn::Zero(D()); });
  for (std::size_t i = 0; i < vectors; i += unroll)
    for (int u = 0; u < unroll; ++u) sum[u] = Add(sum[u], terms(i + static_cast<std::size_t>(u)));
  return SumOfLanes(sum);
}

/// Order keys (contract/order_key.hpp) of doubles, and of floats in 32 bits.
template <class T>
HWY_INLINE auto OrderKeys(const T* x) {
  const hn::ScalableTag<T> d;
  const hn::RebindToSigned<decltype(d)> di;
  const auto bits = hn::BitCast(di, hn::LoadU(d, x));
  const hn::RebindToUnsigned<decltype(d)> du;
  const auto flip = hn::BitCast(di, hn::ShiftRight<1>(hn::BitCast(du, hn::BroadcastSignBit(bits))));
  return hn::Xor(bits, flip);
}

/// Lowers min_key and raises max_key by the keys of n elements, as keys of doubles.
template <class T>
void AddExtrema(const T* x, std::size_t n, std::int64_t& min_key, std::int64_t& max_key) {
  const hn::ScalableTag<T> d;
  const hn::RebindToSigned<decltype(d)> di;
  using Key = hn::TFromD<decltype(di)>;
  constexpr std::size_t step = hn::MaxLanes(d);
  const auto widen = [](Key key) {
    if constexpr (sizeof(T) == 8) {
      return key;
    } else {
      const auto bits = key ^ static_cast<Key>(static_cast<std::uint32_t>(key >> 31) >> 1);
      float value;
      std::memcpy(&value, &bits, sizeof value);
      return order_key(static_cast<double>(value));
    }
  };
  auto low = hn::Set(di, hwy::HighestValue<Key>());
  auto high = hn::Set(di, hwy::LowestValue<Key>());
  std::size_t i = 0;
  for (; i + step <= n; i += step) {
    const auto keys = OrderKeys(x + i);
    low = hn::Min(low, keys);
    high = hn::Max(high, keys);
  }
  if (i > 0) {
    Key lows[step];
    Key highs[step];
    hn::StoreU(low, di, lows);
    hn::StoreU(high, di, highs);
    for (std::size_t k = 0; k < step; ++k) {
      min_key = HWY_MIN(min_key, widen(lows[k]));
      max_key = HWY_MAX(max_key, widen(highs[k]));
    }
  }
  for (; i < n; ++i) {
    T value;
    std::memcpy(&value, reinterpret_cast<const char*>(x) + i * sizeof(T), sizeof value);
    const std::int64_t key = order_key(static_cast<double>(value));
    min_key = HWY_MIN(min_key, key);
    max_key = HWY_MAX(max_key, key);
  }
}

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
