// Sums and extrema of a group of columns of floating-point numbers. Included once per instruction set.

#include "cpu/columns/column_sums-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

// Each class has Begin(tile) with the first rows, which it does not add, Add(tile, one, ahead), Merge(other)
// and AddColumnTo(column, moments).
template <class T>
struct ColumnValues {
  ColumnSums<ValueTerm, ExactSum<SumLimbs>, sizeof(T) == 8 ? 2 : 1> sums;
  HWY_INLINE void Add(const ColumnTile<T>& tile, double one, Prefetcher ahead) { sums.Add(tile, one, ahead); }
  void AddColumnTo(std::size_t column, Moments& moments) const { sums.AddColumnTo(column, moments.values); }
  void Round(const cpu::ColumnSink& sink, std::int64_t rows, ColumnResults& results) const {
    sums.Round(sink.wanted(), rows, sink.type(), results);
  }
  void Merge(ColumnValues& other) { sums.Merge(other.sums); }
  void Begin(const ColumnTile<T>& tile) { sums.Begin(tile); }
};
template <class T>
struct ColumnMagnitudes {
  ColumnSums<MagnitudeTerm, ExactSum<SumLimbs>, sizeof(T) == 8 ? 2 : 1> sums;
  HWY_INLINE void Add(const ColumnTile<T>& tile, double one, Prefetcher ahead) { sums.Add(tile, one, ahead); }
  void AddColumnTo(std::size_t column, Moments& moments) const {
    sums.AddColumnTo(column, moments.magnitudes);
  }
  void Round(const cpu::ColumnSink& sink, std::int64_t rows, ColumnResults& results) const {
    sums.Round(sink.wanted(), rows, sink.type(), results);
  }
  void Merge(ColumnMagnitudes& other) { sums.Merge(other.sums); }
  void Begin(const ColumnTile<T>& tile) { sums.Begin(tile); }
};
template <class T>
struct ColumnSquares {
  using Term = std::conditional_t<sizeof(T) == 8, DoubleSquareTerm, FloatSquareTerm>;
  ColumnSums<Term, ExactSum<ProductLimbs>, sizeof(T) == 8 ? 3 : 2> sums;
  HWY_INLINE void Add(const ColumnTile<T>& tile, double one, Prefetcher ahead) { sums.Add(tile, one, ahead); }
  void AddColumnTo(std::size_t column, Moments& moments) const { sums.AddColumnTo(column, moments.products); }
  void Merge(ColumnSquares& other) { sums.Merge(other.sums); }
  void Begin(const ColumnTile<T>& tile) { sums.Begin(tile); }
};
/// Two kinds of sums of the same columns.
template <class Values, class Squares>
struct ColumnPair {
  Values values;
  Squares squares;
  template <class Tile>
  HWY_INLINE void Add(const Tile& tile, double one, Prefetcher ahead) {
    values.Add(tile, one, ahead);
    squares.Add(tile, one, ahead);
  }
  void AddColumnTo(std::size_t column, Moments& moments) const {
    values.AddColumnTo(column, moments);
    squares.AddColumnTo(column, moments);
  }
  void Merge(ColumnPair& other) {
    values.Merge(other.values);
    squares.Merge(other.squares);
  }
  template <class Tile>
  void Begin(const Tile& tile) {
    values.Begin(tile);
    squares.Begin(tile);
  }
};
template <class T>
using ColumnValuesAndSquares = ColumnPair<ColumnValues<T>, ColumnSquares<T>>;
template <class T>
struct ColumnExtrema {
  ColumnNumbers low, high;  // order keys of doubles
  HWY_INLINE void Add(const ColumnTile<T>& tile, double /*one*/, Prefetcher ahead) {
    if (tile.rows == stream_rows)
      TakeStreams(tile, ahead);
    else
      TakeRows(tile, ahead);
  }
  void AddColumnTo(std::size_t column, Moments& moments) const {
    moments.add_extrema(wide_key(from_order_key(low[column])), wide_key(from_order_key(high[column])));
  }
  void Merge(const ColumnExtrema& other) {
    for (std::size_t i = 0; i < group; ++i) {
      low[i] = HWY_MIN(low[i], other.low[i]);
      high[i] = HWY_MAX(high[i], other.high[i]);
    }
  }
  void Begin(const ColumnTile<T>& /*tile*/) {
    for (std::size_t i = 0; i < group; ++i) {
      low[i] = INT64_MAX;
      high[i] = INT64_MIN;
    }
  }

 private:
  // As CountRows and CountStreams.
  HWY_INLINE void TakeRows(const ColumnTile<T>& tile, Prefetcher ahead) {
    const DI di;
    VI lowest[unroll];
    VI highest[unroll];
    Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA {
      lowest[u] = hn::LoadU(di, low + u * lanes);
      highest[u] = hn::LoadU(di, high + u * lanes);
    });
    static_assert(unroll == 4);
    for (std::size_t row = 0; row < tile.rows; ++row) {
      ahead.PrefetchRow<group * sizeof(T)>(row);
      Take(tile.At(row, 0), lowest[0], highest[0]);
      Take(tile.At(row, 1), lowest[1], highest[1]);
      Take(tile.At(row, 2), lowest[2], highest[2]);
      Take(tile.At(row, 3), lowest[3], highest[3]);
    }
    Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA {
      hn::StoreU(lowest[u], di, low + u * lanes);
      hn::StoreU(highest[u], di, high + u * lanes);
    });
  }
  HWY_INLINE void TakeStreams(const ColumnTile<T>& tile, Prefetcher ahead) {
    for (int u = 0; u < unroll; ++u) {
      const std::size_t column = static_cast<std::size_t>(u) * lanes;
      VI lowest = hn::LoadU(DI(), low + column);
      VI highest = hn::LoadU(DI(), high + column);
      Prefetcher::Lines lines = ahead.LinesOf(u);
      const bool has_line = Prefetcher::HasLine<T>(u);
      Repeat<static_cast<int>(stream_rows)>([&](auto row) FOLDLINE_LAMBDA {
        if (has_line) lines.PrefetchNext();
        Take(tile.At(row, u), lowest, highest);
      });
      hn::StoreU(lowest, DI(), low + column);
      hn::StoreU(highest, DI(), high + column);
    }
  }
  static HWY_INLINE void Take(V x, VI& lowest, VI& highest) {
    const DI di;
    const VI bits = hn::BitCast(di, x);
    const VI keys = hn::Xor(bits, hn::And(hn::BroadcastSignBit(bits), hn::Set(di, INT64_MAX)));
    lowest = hn::Min(lowest, keys);
    highest = hn::Max(highest, keys);
  }
};

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
