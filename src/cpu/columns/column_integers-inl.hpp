// Sums and extrema of a group of columns of integers, by plain loops across the columns, which compilers
// vectorise. Included once per instruction set.

#include "cpu/columns/columns-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

/// Element (row, column) of a tile; it need not be aligned.
template <class T>
HWY_INLINE T IntegerAt(const ColumnTile<cpu::Stored<T>>& tile, std::size_t row, std::size_t column) {
  cpu::Stored<T> value;
  const auto* x = reinterpret_cast<const char*>(tile.x + static_cast<std::ptrdiff_t>(row) * tile.pitch);
  std::memcpy(&value, x + column * sizeof value, sizeof value);
  return static_cast<T>(value);
}

// Terms of integers: 64-bit integers. If a sum of a few of them may exceed 64 bits (is_wide), low and high
// halves are added separately.
struct IntegerValue {
  template <class T>
  static constexpr bool is_wide = sizeof(T) == 8;
  template <class T>
  static HWY_INLINE auto Of(T x) {
    return static_cast<std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>(x);
  }
};
struct IntegerMagnitude {
  template <class T>
  static constexpr bool is_wide = sizeof(T) == 8;
  template <class T>
  static HWY_INLINE std::uint64_t Of(T x) {
    const auto value = static_cast<std::uint64_t>(x);  // the sign extended, if there is one
    if constexpr (std::is_signed_v<T>) return x < 0 ? 0 - value : value;
    return value;
  }
};
/// Of up to 32 bits.
struct IntegerSquare {
  template <class T>
  static constexpr bool is_wide = sizeof(T) == 4;
  template <class T>
  static HWY_INLINE std::uint64_t Of(T x) {
    const std::uint64_t magnitude = IntegerMagnitude::Of(x);
    return magnitude * magnitude;
  }
};

/// The sum of one term per element, for each column of a group.
template <class T, class Term>
class IntegerColumnSums {
 public:
  HWY_INLINE void Add(const ColumnTile<cpu::Stored<T>>& tile) {
    if (rows_ > most_rows) Flush();
    rows_ += static_cast<std::int64_t>(tile.rows);
    std::int64_t low[group];  // in registers
    std::int64_t high[group];
    std::memcpy(low, low_, sizeof low);
    if constexpr (is_wide) std::memcpy(high, high_, sizeof high);
    for (std::size_t row = 0; row < tile.rows; ++row)
      for (std::size_t i = 0; i < group; ++i) {
        const auto term = Term::Of(IntegerAt<T>(tile, row, i));
        if constexpr (is_wide) {
          low[i] += static_cast<std::int64_t>(term & UINT32_MAX);
          high[i] += static_cast<std::int64_t>(term >> 32);
        } else {
          low[i] += static_cast<std::int64_t>(term);
        }
      }
    std::memcpy(low_, low, sizeof low);
    if constexpr (is_wide) std::memcpy(high_, high, sizeof high);
  }

  template <class Sum>
  void AddColumnTo(std::size_t column, Sum& sum) const {
    sum.add(total_[column] + Pending(column), 0);
  }
  void Merge(const IntegerColumnSums& other) {
    for (std::size_t i = 0; i < group; ++i) total_[i] += other.total_[i] + other.Pending(i);
  }

 private:
  static constexpr bool is_wide = Term::template is_wide<T>;
  // Each addition to a 64-bit integer is below 2^32.
  static constexpr std::int64_t most_rows = std::int64_t{1} << 30;

  Int128 Pending(std::size_t column) const {
    return Int128{low_[column]} + Int128{high_[column]} * (Int128{1} << 32);
  }
  HWY_NOINLINE void Flush() {
    for (std::size_t i = 0; i < group; ++i) total_[i] += Pending(i);
    std::memset(low_, 0, sizeof low_);
    std::memset(high_, 0, sizeof high_);
    rows_ = 0;
  }

  Int128 total_[group] = {};  // of 2^63 terms below 2^64
  std::int64_t low_[group] = {}, high_[group] = {};
  std::int64_t rows_ = 0;  // since the last flush
};

/// Squares of 64-bit integers, whose sums have 192 bits.
template <class T>
class WideColumnSquares {
 public:
  HWY_INLINE void Add(const ColumnTile<T>& tile) {
    for (std::size_t row = 0; row < tile.rows; ++row)
      for (std::size_t i = 0; i < group; ++i) {
        const std::uint64_t magnitude = IntegerMagnitude::Of(IntegerAt<T>(tile, row, i));
        sums_[i] += Uint128{magnitude} * magnitude;
      }
  }
  template <class Sum>
  void AddColumnTo(std::size_t column, Sum& sum) const {
    sum.add(sums_[column]);
  }
  void Merge(const WideColumnSquares& other) {
    for (std::size_t i = 0; i < group; ++i) sums_[i] += other.sums_[i];
  }

 private:
  Int192 sums_[group] = {};
};

/// Prefetches what follows a tile of elements of type T.
template <class T>
HWY_INLINE void PrefetchTile(std::size_t rows, Prefetcher ahead) {
  for (std::size_t row = 0; row < rows; ++row) ahead.PrefetchRow<group * sizeof(T)>(row);
}

// As in column_floats-inl.hpp.
template <class T>
struct IntegerColumnValues {
  IntegerColumnSums<T, IntegerValue> sums;
  HWY_INLINE void Add(const ColumnTile<cpu::Stored<T>>& tile, double /*one*/, Prefetcher ahead) {
    PrefetchTile<cpu::Stored<T>>(tile.rows, ahead);
    sums.Add(tile);
  }
  void AddColumnTo(std::size_t column, Moments& moments) const { sums.AddColumnTo(column, moments.values); }
  void Merge(const IntegerColumnValues& other) { sums.Merge(other.sums); }
  void Begin(const ColumnTile<cpu::Stored<T>>& /*tile*/) { sums = {}; }
};
template <class T>
struct IntegerColumnMagnitudes {
  IntegerColumnSums<T, IntegerMagnitude> sums;
  HWY_INLINE void Add(const ColumnTile<cpu::Stored<T>>& tile, double /*one*/, Prefetcher ahead) {
    PrefetchTile<cpu::Stored<T>>(tile.rows, ahead);
    sums.Add(tile);
  }
  void AddColumnTo(std::size_t column, Moments& moments) const {
    sums.AddColumnTo(column, moments.magnitudes);
  }
  void Merge(const IntegerColumnMagnitudes& other) { sums.Merge(other.sums); }
  void Begin(const ColumnTile<cpu::Stored<T>>& /*tile*/) { sums = {}; }
};
template <class T>
struct IntegerColumnSquares {
  std::conditional_t<sizeof(T) == 8, WideColumnSquares<T>, IntegerColumnSums<T, IntegerSquare>> sums;
  HWY_INLINE void Add(const ColumnTile<cpu::Stored<T>>& tile, double /*one*/, Prefetcher ahead) {
    PrefetchTile<cpu::Stored<T>>(tile.rows, ahead);
    sums.Add(tile);
  }
  void AddColumnTo(std::size_t column, Moments& moments) const { sums.AddColumnTo(column, moments.products); }
  void Merge(const IntegerColumnSquares& other) { sums.Merge(other.sums); }
  void Begin(const ColumnTile<cpu::Stored<T>>& /*tile*/) { sums = {}; }
};
template <class T>
using IntegerColumnValuesAndSquares = ColumnPair<IntegerColumnValues<T>, IntegerColumnSquares<T>>;
template <class T>
struct IntegerColumnExtrema {
  T low[group], high[group];
  HWY_INLINE void Add(const ColumnTile<cpu::Stored<T>>& tile, double /*one*/, Prefetcher ahead) {
    PrefetchTile<cpu::Stored<T>>(tile.rows, ahead);
    for (std::size_t row = 0; row < tile.rows; ++row)
      for (std::size_t i = 0; i < group; ++i) {
        const T x = IntegerAt<T>(tile, row, i);
        low[i] = x < low[i] ? x : low[i];
        high[i] = high[i] < x ? x : high[i];
      }
  }
  void AddColumnTo(std::size_t column, Moments& moments) const {
    moments.add_extrema(wide_key(IntegerValue::Of(low[column])), wide_key(IntegerValue::Of(high[column])));
  }
  void Merge(const IntegerColumnExtrema& other) {
    for (std::size_t i = 0; i < group; ++i) {
      low[i] = other.low[i] < low[i] ? other.low[i] : low[i];
      high[i] = high[i] < other.high[i] ? other.high[i] : high[i];
    }
  }
  void Begin(const ColumnTile<cpu::Stored<T>>& /*tile*/) {
    for (std::size_t i = 0; i < group; ++i) {
      low[i] = std::numeric_limits<T>::max();
      high[i] = std::numeric_limits<T>::lowest();
    }
  }
};

template <class T>
MadeBlockSums MakeIntegerBlockSums(const Needs& needs, std::int64_t columns) {
  return MakeBlockSumsOf<T, IntegerColumnExtrema, IntegerColumnMagnitudes, IntegerColumnValuesAndSquares,
                         IntegerColumnSquares, IntegerColumnValues>(needs, columns);
}

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
