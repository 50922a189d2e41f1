// The reduction of a block of columns by one thread: from memory to tiles, tiles to the sums that the
// operation needs, and at the end one column after the other to the caller. Included once per instruction
// set.

#include "cpu/column_sums-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

// What is gathered of a group of columns: each has Add(tile, one), MoveTo(column, moments) and Reset().
template <class T>
struct ColumnValues {
  ColumnSums<ValueTerm, ExactSum<SumLimbs>, sizeof(T) == 8 ? 2 : 1> sums;
  HWY_INLINE void Add(const ColumnTile<T>& tile, double one, Prefetcher& ahead) {
    sums.Add(tile, one, ahead);
  }
  void MoveTo(std::size_t column, Moments& moments) { sums.MoveTo(column, moments.values); }
  void Round(const cpu::ColumnSink& sink, std::int64_t rows, ColumnResults& results) const {
    sums.Round(sink.wanted(), rows, sink.type(), results);
  }
  void Reset() { sums.Reset(); }
};
template <class T>
struct ColumnMagnitudes {
  ColumnSums<MagnitudeTerm, ExactSum<SumLimbs>, sizeof(T) == 8 ? 2 : 1> sums;
  HWY_INLINE void Add(const ColumnTile<T>& tile, double one, Prefetcher& ahead) {
    sums.Add(tile, one, ahead);
  }
  void MoveTo(std::size_t column, Moments& moments) { sums.MoveTo(column, moments.magnitudes); }
  void Round(const cpu::ColumnSink& sink, std::int64_t rows, ColumnResults& results) const {
    sums.Round(sink.wanted(), rows, sink.type(), results);
  }
  void Reset() { sums.Reset(); }
};
template <class T>
struct ColumnSquares {
  using Term = std::conditional_t<sizeof(T) == 8, DoubleSquareTerm, FloatSquareTerm>;
  ColumnSums<Term, ExactSum<ProductLimbs>, sizeof(T) == 8 ? 3 : 2> sums;
  HWY_INLINE void Add(const ColumnTile<T>& tile, double one, Prefetcher& ahead) {
    sums.Add(tile, one, ahead);
  }
  void MoveTo(std::size_t column, Moments& moments) { sums.MoveTo(column, moments.products); }
  void Reset() { sums.Reset(); }
};
template <class T>
struct ColumnValuesAndSquares {
  ColumnValues<T> values;
  ColumnSquares<T> squares;
  HWY_INLINE void Add(const ColumnTile<T>& tile, double one, Prefetcher& ahead) {
    Prefetcher same = ahead;
    values.Add(tile, one, ahead);
    squares.Add(tile, one, same);
  }
  void MoveTo(std::size_t column, Moments& moments) {
    values.MoveTo(column, moments);
    squares.MoveTo(column, moments);
  }
  void Reset() {
    values.Reset();
    squares.Reset();
  }
};
template <class T>
struct ColumnExtrema {
  ColumnNumbers low, high;  // order keys of doubles
  HWY_INLINE void Add(const ColumnTile<T>& tile, double /*one*/, Prefetcher& ahead) {
    for (std::size_t row = 0; row < tile.rows; ++row) ahead.Ask<group * sizeof(T)>();
    const DI di;
    Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA {
      VI lowest = hn::LoadU(di, low + u * lanes);
      VI highest = hn::LoadU(di, high + u * lanes);
      for (std::size_t row = 0; row < tile.rows; ++row) {
        const VI bits = hn::BitCast(di, tile.At(row, u));
        const VI flip = hn::And(hn::BroadcastSignBit(bits), hn::Set(di, INT64_MAX));
        const VI keys = hn::Xor(bits, flip);
        lowest = hn::Min(lowest, keys);
        highest = hn::Max(highest, keys);
      }
      hn::StoreU(lowest, di, low + u * lanes);
      hn::StoreU(highest, di, high + u * lanes);
    });
  }
  void MoveTo(std::size_t column, Moments& moments) {
    moments.add_extrema(wide_key(from_order_key(low[column])), wide_key(from_order_key(high[column])));
  }
  void Reset() {
    for (std::size_t i = 0; i < group; ++i) {
      low[i] = INT64_MAX;
      high[i] = INT64_MIN;
    }
  }
};

/// Copies `count` columns of a few rows as T, each row followed by zeros up to a group.
template <class T>
HWY_INLINE void Pack(const cpu::Columns& block, std::int64_t row, std::size_t rows, std::int64_t column,
                     std::size_t count, T* packed) {
  const std::int64_t size = size_of(block.type);
  if (count < group) std::memset(packed, 0, rows * group * sizeof(T));
  if (block.column_stride == 1 || size != sizeof(T)) {
    for (std::size_t r = 0; r < rows; ++r, packed += group) {
      const std::byte* source = block.at(row + static_cast<std::int64_t>(r), column);
      if constexpr (sizeof(T) == sizeof(float)) {
        if (block.type == ElementType::half)
          Widen<half, hwy::float16_t>(source, block.column_stride * size, count, packed);
        else if (block.type == ElementType::bfloat16)
          Widen<bfloat16, hwy::bfloat16_t>(source, block.column_stride * size, count, packed);
      }
      if (size == sizeof(T)) std::memcpy(packed, source, count * sizeof(T));
    }
    return;
  }
  for (std::size_t c = 0; c < count; ++c) {
    const std::byte* source = block.at(row, column + static_cast<std::int64_t>(c));
    for (std::size_t r = 0; r < rows; ++r, source += block.row_stride * size)
      std::memcpy(packed + r * group + c, source, sizeof(T));
  }
}

/// The tile of `rows` rows of the group of columns that begins at `column`: in place if it can be, else
/// packed.
template <class T>
HWY_INLINE ColumnTile<T> TileOf(const cpu::Columns& block, std::int64_t row, std::size_t rows,
                                std::int64_t column, T* packed) {
  const auto count = HWY_MIN(static_cast<std::size_t>(block.columns - column), group);
  if (count == group && block.column_stride == 1 && size_of(block.type) == sizeof(T))
    return {reinterpret_cast<const T*>(block.at(row, column)), block.row_stride, rows};
  Pack(block, row, rows, column, count, packed);
  return {packed, group, rows};
}

/// Whether a sum of zero may be one of -0 only: then the elements must be looked at.
inline bool MayBeZero(const ExactSum<SumLimbs>& sum) {
  Uint128 magnitude = 0;
  if (sum.is_compact()) sum.compact_magnitude(magnitude);
  return magnitude == 0;
}

/// For rows of so many columns; where columns are not neighbours, for the same few bytes again and again.
inline Prefetcher PrefetcherOf(const cpu::Columns& block, std::int64_t columns) {
  const std::int64_t size = size_of(block.type);
  if (block.column_stride != 1) return {block.data, 1, 0, block.rows};
  return {block.data, columns * size, block.row_stride * size, block.rows};
}

/// Hands the columns of a group, which begins at column `first` of the block, to the caller.
template <class Gathered>
void FinishGroup(Gathered& gathered, const cpu::Columns& block, std::int64_t first, cpu::ColumnSink& sink) {
  const std::int64_t count = HWY_MIN(block.columns - first, std::int64_t{group});
  ColumnResults results;
  bool some_certain = false;
  if constexpr (requires { gathered.Round(sink, block.rows, results); })
    if (sink.wanted() != cpu::ColumnResult::other) {
      gathered.Round(sink, block.rows, results);
      sink.take_results(first, count, results.value);
      some_certain = true;
    }
  for (std::int64_t i = 0; i < count; ++i) {
    if (some_certain && results.certain[i] != 0) continue;
    Moments moments;
    moments.count = block.rows;
    gathered.MoveTo(static_cast<std::size_t>(i), moments);
    moments.only_negative_zeros =
        MayBeZero(moments.values) && OnlyNegativeZeros(block.column(first + i), 0, block.rows);
    sink.take(first + i, moments);
  }
}

template <class T, template <class> class Gathered>
void ReduceColumnsAs(const cpu::Columns& block, double one, cpu::ColumnSink& sink) {
  const std::int64_t groups = (block.columns + std::int64_t{group} - 1) / std::int64_t{group};
  std::vector<Gathered<T>> gathered(static_cast<std::size_t>(groups));
  for (Gathered<T>& each : gathered) each.Reset();
  T packed[tile_rows * group];
  // Tiles of equal height: the price of one hardly depends on it.
  const std::int64_t most = tile_rows;
  const std::int64_t tiles = (block.rows + most - 1) / most;
  const std::int64_t height = (block.rows + tiles - 1) / tiles;
  Prefetcher ahead = PrefetcherOf(block, groups * std::int64_t{group});
  for (std::int64_t i = 0; i < height * groups; ++i) ahead.Ask<group * sizeof(T)>();
  for (std::int64_t row = 0; row < block.rows; row += height) {
    const auto rows = static_cast<std::size_t>(HWY_MIN(block.rows - row, height));
    for (std::int64_t g = 0; g < groups; ++g)
      gathered[static_cast<std::size_t>(g)].Add(TileOf(block, row, rows, g * std::int64_t{group}, packed),
                                                one, ahead);
  }
  for (std::int64_t g = 0; g < groups; ++g)
    FinishGroup(gathered[static_cast<std::size_t>(g)], block, g * std::int64_t{group}, sink);
}

template <class T>
void ReduceColumnsOf(const Needs& needs, const cpu::Columns& block, double one, cpu::ColumnSink& sink) {
  if (needs.extrema)
    ReduceColumnsAs<T, ColumnExtrema>(block, one, sink);
  else if (needs.magnitudes)
    ReduceColumnsAs<T, ColumnMagnitudes>(block, one, sink);
  else if (needs.values && needs.squares)
    ReduceColumnsAs<T, ColumnValuesAndSquares>(block, one, sink);
  else if (needs.squares)
    ReduceColumnsAs<T, ColumnSquares>(block, one, sink);
  else
    ReduceColumnsAs<T, ColumnValues>(block, one, sink);
}

void ReduceColumns(const Needs& needs, const cpu::Columns& block, double one, cpu::ColumnSink& sink) {
  if (block.type == ElementType::float64)
    ReduceColumnsOf<double>(needs, block, one, sink);
  else
    ReduceColumnsOf<float>(needs, block, one, sink);
}

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
