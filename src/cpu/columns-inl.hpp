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
  HWY_INLINE void Add(const ColumnTile<T>& tile, double one) { sums.Add(tile, one); }
  void MoveTo(std::size_t column, Moments& moments) { sums.MoveTo(column, moments.values); }
  void Reset() { sums.Reset(); }
};
template <class T>
struct ColumnMagnitudes {
  ColumnSums<MagnitudeTerm, ExactSum<SumLimbs>, sizeof(T) == 8 ? 2 : 1> sums;
  HWY_INLINE void Add(const ColumnTile<T>& tile, double one) { sums.Add(tile, one); }
  void MoveTo(std::size_t column, Moments& moments) { sums.MoveTo(column, moments.magnitudes); }
  void Reset() { sums.Reset(); }
};
template <class T>
struct ColumnSquares {
  using Term = std::conditional_t<sizeof(T) == 8, DoubleSquareTerm, FloatSquareTerm>;
  ColumnSums<Term, ExactSum<ProductLimbs>, sizeof(T) == 8 ? 3 : 2> sums;
  HWY_INLINE void Add(const ColumnTile<T>& tile, double one) { sums.Add(tile, one); }
  void MoveTo(std::size_t column, Moments& moments) { sums.MoveTo(column, moments.products); }
  void Reset() { sums.Reset(); }
};
template <class T>
struct ColumnValuesAndSquares {
  ColumnValues<T> values;
  ColumnSquares<T> squares;
  HWY_INLINE void Add(const ColumnTile<T>& tile, double one) {
    values.Add(tile, one);
    squares.Add(tile, one);
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
  HWY_INLINE void Add(const ColumnTile<T>& tile, double /*one*/) {
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

/// Asks for rows [first, last) of a block, row by row: the hardware follows long rows, but not the many short
/// ones that a tile has.
HWY_INLINE void Prefetch(const cpu::Columns& block, std::int64_t first, std::int64_t last) {
  constexpr std::int64_t line = 64;
  const std::int64_t row_bytes = block.columns * size_of(block.type);
  for (std::int64_t row = first; row < HWY_MIN(last, block.rows); ++row)
    for (std::int64_t byte = 0; byte < row_bytes; byte += line)
      __builtin_prefetch(block.at(row, 0) + byte, 0, 2);
}

/// Whether a sum of zero may be one of -0 only: then the elements must be looked at.
inline bool MayBeZero(const ExactSum<SumLimbs>& sum) {
  Uint128 magnitude = 0;
  if (sum.is_compact()) sum.compact_magnitude(magnitude);
  return magnitude == 0;
}

template <class T, template <class> class Gathered>
void ReduceColumnsAs(const cpu::Columns& block, double one, cpu::ColumnSink& sink) {
  const std::int64_t groups = (block.columns + std::int64_t{group} - 1) / std::int64_t{group};
  std::vector<Gathered<T>> gathered(static_cast<std::size_t>(groups));
  for (Gathered<T>& each : gathered) each.Reset();
  T packed[tile_rows * group];
  for (std::int64_t row = 0; row < block.rows; row += tile_rows) {
    const auto rows = HWY_MIN(static_cast<std::size_t>(block.rows - row), tile_rows);
    const std::int64_t next = row + std::int64_t{tile_rows};
    for (std::int64_t g = 0; g < groups; ++g) {
      if (block.column_stride == 1)
        Prefetch(block, next + std::int64_t{tile_rows} * g / groups,
                 next + std::int64_t{tile_rows} * (g + 1) / groups);
      gathered[static_cast<std::size_t>(g)].Add(TileOf(block, row, rows, g * std::int64_t{group}, packed),
                                                one);
    }
  }
  for (std::int64_t column = 0; column < block.columns; ++column) {
    Moments moments;
    moments.count = block.rows;
    gathered[static_cast<std::size_t>(column) / group].MoveTo(static_cast<std::size_t>(column) % group,
                                                              moments);
    moments.only_negative_zeros =
        MayBeZero(moments.values) && OnlyNegativeZeros(block.column(column), 0, block.rows);
    sink.take(column, moments);
  }
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
