// Tiles of columns: a few rows of a group of neighbouring columns, one lane per column. Included once per
// instruction set.

#include "cpu/simd/tiles-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

/// Rows of a tile: as many as one set of accumulators takes without a carry. It is one `group` wide: `unroll`
/// vectors, whose accumulators hide each other's latency.
constexpr std::size_t tile_rows = deposits_per_block;
/// Rows of a tile of long rows: the hardware prefetcher follows about ten rows that are far apart. (Zen 4,
/// 100 x 1000000 doubles: 29 GB/s, 23 with tiles of 25 rows.)
constexpr std::size_t stream_rows = 8;
/// Rows that the columns' windows are chosen from. They seldom hold a column's largest term, but rarely one
/// that is much smaller.
constexpr std::size_t sampled_rows = 8;

template <class T>
struct ColumnTile {
  const T* x;
  std::ptrdiff_t pitch;  // from row to row, in elements
  std::size_t rows;      // at most tile_rows

  /// Vector u of a row, as doubles.
  HWY_INLINE V At(std::size_t row, int u) const {
    return LoadDoubles(x + static_cast<std::ptrdiff_t>(row) * pitch + static_cast<std::size_t>(u) * lanes);
  }
};

/// The cache to prefetch into; see PrefetchSchedule.
enum class Cache { l1, l2 };

/// Prefetches a later tile while one is added, since the hardware prefetcher starts anew at each page of each
/// row: the bytes that follow in the same rows, not further rows, which would be more streams for the
/// hardware to follow (docs/experiments/cpu-columns.md).
class Prefetcher {
 public:
  /// For rows that begin `pitch` bytes apart.
  Prefetcher(const std::byte* first, std::int64_t pitch, Cache cache)
      : first_((reinterpret_cast<std::uintptr_t>(first) & ~l2_bit) | (cache == Cache::l2 ? l2_bit : 0)),
        pitch_(static_cast<std::uintptr_t>(pitch)) {}
  /// For contiguous memory, as much as a tile of `stream_rows` rows takes.
  static Prefetcher OfRun(const std::byte* first, Cache cache) { return {first, run, cache}; }
  /// Prefetches some bytes of a row, or as many of a run.
  template <std::size_t bytes>
  HWY_INLINE void PrefetchRow(std::size_t row) const {
    const std::uintptr_t start = first_ + row * (IsRun() ? bytes : pitch_);
    for (std::size_t offset = 0; offset < bytes; offset += cpu::cache_line)
      PrefetchLine(start + offset, cache());
  }

  /// The lines to prefetch: one of each row, or consecutive ones of a run.
  class Lines {
   public:
    Lines(std::uintptr_t next, std::uintptr_t step, Cache cache) : next_(next), step_(step), cache_(cache) {}
    HWY_INLINE void PrefetchNext() {
      PrefetchLine(next_, cache_);
      next_ += step_;
    }

   private:
    std::uintptr_t next_, step_;
    const Cache cache_;
  };
  /// Line `index` of each of `stream_rows` rows, or that part of a run. Groups of narrow types have fewer
  /// lines: see HasLine.
  HWY_INLINE Lines LinesOf(int index) const {
    const std::uintptr_t offset = static_cast<std::size_t>(index) * cpu::cache_line;
    if (IsRun()) return {first_ + offset * stream_rows, cpu::cache_line, cache()};
    return {first_ + offset, pitch_, cache()};
  }
  template <class T>
  static constexpr bool HasLine(int index) {
    return static_cast<std::size_t>(index) * cpu::cache_line < group * sizeof(T);
  }

 private:
  static constexpr std::int64_t run = -1;  // in place of a pitch
  HWY_INLINE bool IsRun() const { return pitch_ == static_cast<std::uintptr_t>(run); }
  // Addresses past the array are harmless.
  static HWY_INLINE void PrefetchLine(std::uintptr_t address, Cache cache) {
    const auto* const there = reinterpret_cast<const char*>(address);  // NOLINT(performance-no-int-to-ptr)
    if (cache == Cache::l1)
      __builtin_prefetch(there, 0, 3);
    else
      __builtin_prefetch(there, 0, 2);
  }

  HWY_INLINE Cache cache() const { return (first_ & l2_bit) != 0 ? Cache::l2 : Cache::l1; }

  // Two words, which are returned in registers: a third would go through memory and wait for the tile before
  // (Zen 4, 400000 x 64 doubles: 11 instead of 24 GB/s).
  static constexpr std::uintptr_t l2_bit = 1;  // in the address, whose line it does not change
  std::uintptr_t first_, pitch_;
};
static_assert(sizeof(Prefetcher) == 2 * sizeof(std::uintptr_t));

// Terms: the number that is added for an element.
struct ValueTerm {
  static constexpr bool has_error = false;
  static HWY_INLINE V Of(V x) { return x; }
};
struct MagnitudeTerm {
  static constexpr bool has_error = false;
  static HWY_INLINE V Of(V x) { return hn::Abs(x); }
};
/// Square of a float: 24 + 24 bits, exact.
struct FloatSquareTerm {
  static constexpr bool has_error = false;
  static HWY_INLINE V Of(V x) { return hn::Mul(x, x); }
};
/// Square of a double: exact with its error, unless a bit lies below 2^-1074.
struct DoubleSquareTerm {
  static constexpr bool has_error = true;
  static HWY_INLINE V Of(V x) { return hn::Mul(x, x); }
  static HWY_INLINE V Error(V x, V square) { return ProductError(x, x, square); }
};

/// One number per column of a group.
using ColumnNumbers = std::int64_t[group];

// The anchor of level 0 says where a column's window is; that of level k is 2^(46 k) below.
constexpr std::int64_t level_step = std::int64_t{BinWindow::width} << fraction_bits;

template <int K, int U, class Term>
HWY_INLINE void DepositElement(V x, V (&bin)[K], V anchor, V one, VI& range, VI& residual) {
  const V term = Term::Of(x);
  Deposit<0, K, pipe_of(U)>(term, bin, anchor, one, range, residual);
  if constexpr (Term::has_error)
    Deposit<1, K, pipe_of(U + 1)>(Term::Error(x, term), bin, anchor, one, range, residual);
}

/// Sets up the empty bins of one vector of columns.
template <int K>
HWY_INLINE void OpenBins(const std::int64_t* anchors, V& anchor, V (&bin)[K]) {
  const VI bits = hn::LoadU(DI(), anchors);
  anchor = hn::BitCast(D(), bits);
  Repeat<K>([&](auto k)
                FOLDLINE_LAMBDA { bin[k] = hn::BitCast(D(), hn::Sub(bits, hn::Set(DI(), k * level_step))); });
}

/// Stores the counts in the bins of one vector of columns, the first of which is `column`.
template <int K>
HWY_INLINE void CloseBins(V anchor, const V (&bin)[K], std::size_t column, ColumnNumbers* counted) {
  const DI di;
  Repeat<K>([&](auto k) FOLDLINE_LAMBDA {
    const VI zero_count = hn::Sub(hn::BitCast(di, anchor), hn::Set(di, k * level_step));
    hn::StoreU(hn::Sub(hn::BitCast(di, bin[k]), zero_count), di, counted[k] + column);
  });
}

/// Counts a tile row by row, all its vectors at a time.
template <class Term, int K, class T>
HWY_INLINE void CountRows(const ColumnTile<T>& tile, const ColumnNumbers& anchors, V one, Prefetcher ahead,
                          VI& range, VI& residual, ColumnNumbers* counted) {
  V anchor[unroll];
  V bin[unroll][K];
  Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA { OpenBins(anchors + u * lanes, anchor[u], bin[u]); });
  static_assert(unroll == 4);
  for (std::size_t row = 0; row < tile.rows; ++row) {
    ahead.PrefetchRow<group * sizeof(T)>(row);
    DepositElement<K, 0, Term>(tile.At(row, 0), bin[0], anchor[0], one, range, residual);
    DepositElement<K, 1, Term>(tile.At(row, 1), bin[1], anchor[1], one, range, residual);
    DepositElement<K, 2, Term>(tile.At(row, 2), bin[2], anchor[2], one, range, residual);
    DepositElement<K, 3, Term>(tile.At(row, 3), bin[3], anchor[3], one, range, residual);
  }
  Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA { CloseBins(anchor[u], bin[u], u * lanes, counted); });
}

/// Counts a tile of `stream_rows` rows vector by vector, with an instruction of its own to load from each
/// row: the hardware learns from each instruction how far its addresses are apart. (Zen 5, 100 x 1000000
/// doubles: 30 instead of 17 GB/s with one thread, 38 instead of 30 with two, of a plain read 42.)
template <class Term, int K, class T>
HWY_INLINE void CountStreams(const ColumnTile<T>& tile, const ColumnNumbers& anchors, V one, Prefetcher ahead,
                             VI& range, VI& residual, ColumnNumbers* counted) {
  for (int u = 0; u < unroll; ++u) {
    const std::size_t column = static_cast<std::size_t>(u) * lanes;
    V anchor;
    V bin[K];
    OpenBins(anchors + column, anchor, bin);
    Prefetcher::Lines lines = ahead.LinesOf(u);
    const bool has_line = Prefetcher::HasLine<T>(u);
    Repeat<static_cast<int>(stream_rows)>([&](auto row) FOLDLINE_LAMBDA {
      if (has_line) lines.PrefetchNext();
      DepositElement<K, row, Term>(tile.At(row, u), bin, anchor, one, range, residual);
    });
    CloseBins(anchor, bin, column, counted);
  }
}

/// Adds a tile to the counts of K levels if every column fits its window; see AddTile.
template <class Term, int K, class T>
bool AddColumnTile(const ColumnTile<T>& tile, const ColumnNumbers& anchors, double one_value,
                   ColumnNumbers* counts, Prefetcher ahead) {
  const DI di;
  const V one = hn::Set(D(), one_value);
  VI range = hn::Zero(di);
  VI residual = hn::Zero(di);
  ColumnNumbers counted[K];
  // Squares of doubles are no faster by streams: they are bound by arithmetic.
  const bool by_streams = !Term::has_error && tile.rows == stream_rows;
  if constexpr (!Term::has_error)
    if (by_streams) CountStreams<Term, K>(tile, anchors, one, ahead, range, residual, counted);
  if (!by_streams) CountRows<Term, K>(tile, anchors, one, ahead, range, residual, counted);
  const VI out_of_binade = hn::ShiftRight<fraction_bits>(range);
  const VI left_over = hn::ShiftLeft<1>(residual);
  const bool fits = AllZero(hn::Or(out_of_binade, left_over));
  if (!fits) return false;
  if constexpr (Term::has_error)
    if (cpu::underflow_was_noted(fits)) return false;
  Repeat<K>([&](auto k) FOLDLINE_LAMBDA {
    Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA {
      AddTo(counts[k] + u * lanes, hn::LoadU(di, counted[k] + u * lanes), false);
    });
  });
  return true;
}

/// The largest magnitude of each column's first `rows` terms, as bits.
template <class Term, class T>
HWY_INLINE void LargestOfColumns(const ColumnTile<T>& tile, std::size_t rows, ColumnNumbers& largest) {
  VI most[unroll];
  Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA { most[u] = hn::Zero(DI()); });
  for (std::size_t row = 0; row < rows; ++row)
    for (int u = 0; u < unroll; ++u) most[u] = hn::Max(most[u], MagnitudeBits(Term::Of(tile.At(row, u))));
  Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA { hn::StoreU(most[u], DI(), largest + u * lanes); });
}

/// The smallest nonzero magnitude of each column; zero if there is none.
inline void SmallestOfColumns(const ColumnTile<double>& tile, ColumnNumbers& smallest) {
  const DI di;
  const VI last = hn::Set(di, INT64_MAX);
  VI least[unroll];  // of magnitude - 1, where zero wraps to the largest
  Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA { least[u] = last; });
  for (std::size_t row = 0; row < tile.rows; ++row)
    for (int u = 0; u < unroll; ++u)
      least[u] = hn::Min(least[u], hn::And(hn::Sub(MagnitudeBits(tile.At(row, u)), hn::Set(di, 1)), last));
  Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA {
    hn::StoreU(hn::And(hn::Add(least[u], hn::Set(di, 1)), last), di, smallest + u * lanes);
  });
}

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
