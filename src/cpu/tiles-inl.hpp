// Tiles: the loops over contiguous data. A tile is as many vectors as the accumulators take without a carry; it is added to a
// caller's int64 counts only if all of it fitted the window, so a tile that did not can simply be done again in another way.
// Included once per instruction set.

#include "cpu/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

/// Sets of accumulators that a loop over bins keeps in flight, to hide the latency of addition.
constexpr int unroll = 4;
constexpr std::size_t tile_vectors = unroll * deposits_per_tile;
constexpr std::size_t tile_elements = tile_vectors * lanes;
/// Elements that a tile's tail is padded to.
constexpr std::size_t group = unroll * lanes;

HWY_INLINE V LoadDoubles(const double* p) { return hn::LoadU(D(), p); }
HWY_INLINE V LoadDoubles(const float* p) { return hn::PromoteTo(D(), hn::LoadU(F(), p)); }

// Terms: operator()(i) is vector i of the doubles to be added up, starting from one element's address.
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
// Exact for floats: 24 + 24 bits, and no exponent leaves a double's range. For doubles these two serve Accuracy::fast.
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

HWY_INLINE bool AllZero(VI v) { return hn::AllTrue(DI(), hn::Eq(v, hn::Zero(DI()))); }

HWY_INLINE void AddTo(std::int64_t* counts, VI change) {
  hn::StoreU(hn::Add(hn::LoadU(DI(), counts), change), DI(), counts);
}

/// Counts of int64 in units of a level or of a pair of slices, one per lane.
using LaneCounts = std::int64_t[lanes];

/// Adds a tile of `vectors` (a multiple of unroll, at most tile_vectors) to the counts of K levels if it fits the window.
template <int K, class Terms>
bool AddTile(const Terms& terms, std::size_t vectors, BinWindow window, double one_value, LaneCounts* counts) {
  const D d;
  const DI di;
  V anchor[K];
  V bin[unroll][K];
  for (int k = 0; k < K; ++k) {
    anchor[k] = hn::Set(d, window.anchor(k));
    for (int u = 0; u < unroll; ++u) bin[u][k] = anchor[k];
  }
  const V one = hn::Set(d, one_value);
  VI range = hn::Zero(di);
  VI residual = hn::Zero(di);
  static_assert(unroll == 4);
  for (std::size_t i = 0; i < vectors; i += unroll) {
    Deposit<K, pipe_of(0)>(terms(i), bin[0], anchor[0], one, range, residual);
    Deposit<K, pipe_of(1)>(terms(i + 1), bin[1], anchor[0], one, range, residual);
    Deposit<K, pipe_of(2)>(terms(i + 2), bin[2], anchor[0], one, range, residual);
    Deposit<K, pipe_of(3)>(terms(i + 3), bin[3], anchor[0], one, range, residual);
  }
  const VI out_of_binade = hn::ShiftRight<fraction_bits>(range);
  const VI left_over = hn::ShiftLeft<1>(residual);
  if (!AllZero(hn::Or(out_of_binade, left_over))) return false;
  for (int k = 0; k < K; ++k) {
    VI count = hn::Zero(di);
    const VI zero_count = hn::BitCast(di, anchor[k]);
    for (int u = 0; u < unroll; ++u) count = hn::Add(count, hn::Sub(hn::BitCast(di, bin[u][k]), zero_count));
    AddTo(counts[k], count);
  }
  return true;
}

/// Number of pairs of slices i <= j, and the place of a pair, smaller numbers of slices first.
constexpr int pairs(int slices) { return slices * (slices + 1) / 2; }
constexpr int pair_of(int i, int j) { return pairs(j) + i; }

/// The place of the product of slice i of x and slice j of y.
constexpr int product_of(int i, int j) { return SliceWindow::max_slices * i + j; }

/// Adds the squares of a tile of doubles, at most deposits_per_tile vectors, as products of S slices.
template <int S>
bool AddSquares(const double* x, std::size_t vectors, SliceWindow window, LaneCounts* counts) {
  const D d;
  const DI di;
  V splitter[S];
  V sum[pairs(S)];
  for (int j = 0; j < S; ++j) {
    splitter[j] = hn::Set(d, window.splitter(j));
    for (int i = 0; i <= j; ++i) sum[pair_of(i, j)] = hn::Set(d, anchor_of(window.unit(i) + window.unit(j)));
  }
  VI range = hn::Zero(di);
  VI residual = hn::Zero(di);
  for (std::size_t v = 0; v < vectors; ++v) {
    V slice[S];
    Split<S>(hn::LoadU(d, x + v * lanes), splitter, slice, range, residual);
    for (int j = 0; j < S; ++j)
      for (int i = 0; i <= j; ++i) sum[pair_of(i, j)] = MulAdd(slice[i], slice[j], sum[pair_of(i, j)]);
  }
  if (!AllZero(hn::Or(hn::ShiftRight<SliceWindow::width>(range), hn::ShiftLeft<1>(residual)))) return false;
  for (int j = 0; j < S; ++j)
    for (int i = 0; i <= j; ++i) {
      const V anchor = hn::Set(d, anchor_of(window.unit(i) + window.unit(j)));
      AddTo(counts[pair_of(i, j)], hn::Sub(hn::BitCast(di, sum[pair_of(i, j)]), hn::BitCast(di, anchor)));
    }
  return true;
}

/// Adds the products of two tiles of doubles, at most deposits_per_tile vectors, as products of S slices.
template <int S>
bool AddProducts(const double* x, const double* y, std::size_t vectors, SliceWindow window_x, SliceWindow window_y,
                 LaneCounts* counts) {
  const D d;
  const DI di;
  V splitter_x[S];
  V splitter_y[S];
  V sum[S][S];
  for (int i = 0; i < S; ++i) {
    splitter_x[i] = hn::Set(d, window_x.splitter(i));
    splitter_y[i] = hn::Set(d, window_y.splitter(i));
    for (int j = 0; j < S; ++j) sum[i][j] = hn::Set(d, anchor_of(window_x.unit(i) + window_y.unit(j)));
  }
  VI range = hn::Zero(di);
  VI residual = hn::Zero(di);
  for (std::size_t v = 0; v < vectors; ++v) {
    V slice_x[S];
    V slice_y[S];
    Split<S>(hn::LoadU(d, x + v * lanes), splitter_x, slice_x, range, residual);
    Split<S>(hn::LoadU(d, y + v * lanes), splitter_y, slice_y, range, residual);
    for (int i = 0; i < S; ++i)
      for (int j = 0; j < S; ++j) sum[i][j] = MulAdd(slice_x[i], slice_y[j], sum[i][j]);
  }
  if (!AllZero(hn::Or(hn::ShiftRight<SliceWindow::width>(range), hn::ShiftLeft<1>(residual)))) return false;
  for (int i = 0; i < S; ++i)
    for (int j = 0; j < S; ++j) {
      const V anchor = hn::Set(d, anchor_of(window_x.unit(i) + window_y.unit(j)));
      AddTo(counts[product_of(i, j)], hn::Sub(hn::BitCast(di, sum[i][j]), hn::BitCast(di, anchor)));
    }
  return true;
}

/// What one look at a tile tells: the largest exponent field and the smallest of its nonzero elements.
struct Exponents {
  int highest = 0;           // exponent field; infinite_field if an element is not finite
  int lowest = infinite_field;  // exponent field of the nonzero element nearest to zero
  bool zero = true;          // all elements are zero
  bool finite() const { return highest != infinite_field; }
  /// Every element is below 2^top() in magnitude.
  int top() const { return highest == 0 ? -exponent_bias + 1 : highest - exponent_bias + 1; }
  /// Every element is a multiple of 2^last_place().
  int last_place() const { return (lowest == 0 ? 1 : lowest) - significand_bias; }
};

template <class Terms>
Exponents ExponentsOf(const Terms& terms, std::size_t vectors) {
  const DI di;
  const VI one = hn::Set(di, 1);
  const VI magnitude_mask = hn::Set(di, INT64_MAX);
  VI highest = hn::Zero(di);
  VI lowest = hn::Set(di, INT64_MAX);  // of magnitude - 1, seen as unsigned: zero becomes the largest
  for (std::size_t v = 0; v < vectors; ++v) {
    const VI magnitude = hn::And(hn::BitCast(di, terms(v)), magnitude_mask);
    highest = hn::Max(highest, magnitude);
    lowest = hn::Min(lowest, hn::And(hn::Sub(magnitude, one), magnitude_mask));
  }
  std::int64_t high[lanes];
  std::int64_t low[lanes];
  hn::StoreU(highest, di, high);
  hn::StoreU(lowest, di, low);
  for (std::size_t i = 1; i < lanes; ++i) {
    if (high[i] > high[0]) high[0] = high[i];
    if (low[i] < low[0]) low[0] = low[i];
  }
  Exponents result;
  result.highest = static_cast<int>(high[0] >> fraction_bits);
  result.zero = high[0] == 0;
  result.lowest = result.zero ? infinite_field : static_cast<int>((low[0] + 1) >> fraction_bits);
  return result;
}

/// The plain sum of a tile, for Accuracy::fast: `unroll` sums per lane, then pairwise.
template <class Terms>
double FastSum(const Terms& terms, std::size_t vectors) {
  V sum[unroll];
  for (int u = 0; u < unroll; ++u) sum[u] = hn::Zero(D());
  for (std::size_t i = 0; i < vectors; i += unroll)
    for (int u = 0; u < unroll; ++u) sum[u] = Add(sum[u], terms(i + static_cast<std::size_t>(u)));
  double lane[lanes];
  hn::StoreU(Add(Add(sum[0], sum[1]), Add(sum[2], sum[3])), D(), lane);
  for (std::size_t width = lanes / 2; width > 0; width /= 2)
    for (std::size_t i = 0; i < width; ++i) lane[i] += lane[i + width];
  return lane[0];
}

/// Orders doubles as moments.hpp's order_key does, and floats alike in 32 bits.
template <class T>
HWY_INLINE auto OrderKeys(const T* x) {
  const hn::ScalableTag<T> d;
  const hn::RebindToSigned<decltype(d)> di;
  const auto bits = hn::BitCast(di, hn::LoadU(d, x));
  const hn::RebindToUnsigned<decltype(d)> du;
  const auto flip = hn::BitCast(di, hn::ShiftRight<1>(hn::BitCast(du, hn::BroadcastSignBit(bits))));
  return hn::Xor(bits, flip);
}

/// Smallest and largest order key of n elements, as keys of doubles.
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
