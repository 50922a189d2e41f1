// Tiles of columns: a few rows of a group of neighbouring columns, with a lane for each column. Included once
// per instruction set.

#include "cpu/tiles-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

/// Rows of a tile: what one set of accumulators takes without a carry. Its columns are one `group`: `unroll`
/// vectors, whose accumulators hide each other's latency.
constexpr std::size_t tile_rows = deposits_per_block;
/// Rows from which the columns' windows are chosen. They seldom hold a column's largest term, but one that is
/// much smaller would be odd.
constexpr std::size_t looked_at_first = 8;

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

/// Asks for a tile that comes a little later, row by row while another one is read: the hardware begins anew
/// with each page of each row. What lies 1 KiB behind in the same rows, not the rows to come, which would be
/// as many streams more. (Sapphire Rapids, two busy cores, 100 x 1000000 doubles: 65 ms, 87 by the rows to
/// come, of a plain read 75.)
class Prefetcher {
 public:
  /// For rows that begin `pitch` bytes apart.
  Prefetcher(const std::byte* first, std::int64_t pitch)
      : next_(reinterpret_cast<std::uintptr_t>(first)), pitch_(static_cast<std::uintptr_t>(pitch)) {}
  /// Asks for the next row.
  template <std::size_t bytes>
  HWY_INLINE void Ask() {
    // An address may be one of nothing: asking for it does nothing.
    for (std::size_t i = 0; i < bytes; i += 64)
      __builtin_prefetch(reinterpret_cast<const char*>(next_ + i), 0,
                         3);  // NOLINT(performance-no-int-to-ptr)
    next_ += pitch_;
  }

 private:
  std::uintptr_t next_, pitch_;
};

// Terms: what is added up of an element.
struct ValueTerm {
  static constexpr bool has_error = false;
  static HWY_INLINE V Of(V x) { return x; }
};
struct MagnitudeTerm {
  static constexpr bool has_error = false;
  static HWY_INLINE V Of(V x) { return hn::Abs(x); }
};
/// Of a float: 24 + 24 bits, exact.
struct FloatSquareTerm {
  static constexpr bool has_error = false;
  static HWY_INLINE V Of(V x) { return hn::Mul(x, x); }
};
/// Of a double: exact together with its error, unless a bit of the square lies below 2^-1074.
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

/// Adds a tile to the counts of K levels if every column fits its window; see AddTile.
template <class Term, int K, class T>
bool AddColumnTile(const ColumnTile<T>& tile, const ColumnNumbers& anchors, double one_value,
                   ColumnNumbers* counts, Prefetcher ahead) {
  const D d;
  const DI di;
  const V one = hn::Set(d, one_value);
  VI range = hn::Zero(di);
  VI residual = hn::Zero(di);
  V anchor[unroll];
  V bin[unroll][K];
  Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA {
    const VI bits = hn::LoadU(di, anchors + u * lanes);
    anchor[u] = hn::BitCast(d, bits);
    Repeat<K>([&](auto k) FOLDLINE_LAMBDA {
      bin[u][k] = hn::BitCast(d, hn::Sub(bits, hn::Set(di, k * level_step)));
    });
  });
  static_assert(unroll == 4);
  for (std::size_t row = 0; row < tile.rows; ++row) {
    ahead.Ask<group * sizeof(T)>();
    DepositElement<K, 0, Term>(tile.At(row, 0), bin[0], anchor[0], one, range, residual);
    DepositElement<K, 1, Term>(tile.At(row, 1), bin[1], anchor[1], one, range, residual);
    DepositElement<K, 2, Term>(tile.At(row, 2), bin[2], anchor[2], one, range, residual);
    DepositElement<K, 3, Term>(tile.At(row, 3), bin[3], anchor[3], one, range, residual);
  }
  const VI out_of_binade = hn::ShiftRight<fraction_bits>(range);
  const VI left_over = hn::ShiftLeft<1>(residual);
  const bool fits = AllZero(hn::Or(out_of_binade, left_over));
  if (!fits) return false;
  if constexpr (Term::has_error)
    if (cpu::underflow_was_noted(fits)) return false;
  Repeat<K>([&](auto k) FOLDLINE_LAMBDA {
    Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA {
      const VI zero_count = hn::Sub(hn::BitCast(di, anchor[u]), hn::Set(di, k * level_step));
      AddTo(counts[k] + u * lanes, hn::Sub(hn::BitCast(di, bin[u][k]), zero_count), false);
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

/// The smallest magnitude but zero of each column; zero where there is none.
inline void SmallestOfColumns(const ColumnTile<double>& tile, ColumnNumbers& smallest) {
  const DI di;
  const VI last = hn::Set(di, INT64_MAX);
  VI least[unroll];  // of magnitude - 1, without its sign: zero becomes the largest
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
