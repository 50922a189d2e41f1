// The reduction of a block of columns by one thread: from memory to tiles, tiles to the sums that the
// operation needs, and at the end one column after the other to the caller. Included once per instruction
// set.

#include "cpu/columns/column_floats-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

/// Copies `count` columns of a few rows as T, each row followed by zeros up to a group.
template <class T>
HWY_INLINE void Pack(const cpu::Columns& block, std::int64_t row, std::size_t rows, std::int64_t column,
                     std::size_t count, T* packed) {
  const std::int64_t size = size_of(block.type);
  if (count < group) std::memset(packed, 0, rows * group * sizeof(T));
  if (block.column_stride == 1 || size != sizeof(T)) {
    for (std::size_t r = 0; r < rows; ++r, packed += group) {
      const std::byte* source = block.at(row + static_cast<std::int64_t>(r), column);
      if constexpr (std::is_same_v<T, float>) {
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

/// What to ask for while the tiles of a block are added: the tiles that come a little later.
template <class T>
class TilesAhead {
 public:
  /// For rows of so many groups, and tiles of so many rows.
  TilesAhead(const cpu::Columns& block, std::int64_t groups, std::int64_t height)
      : block_(block),
        groups_(groups),
        height_(height),
        can_be_asked_for_(block.column_stride == 1 && size_of(block.type) == sizeof(T)) {
    const std::int64_t bytes = height * block.columns * std::int64_t{sizeof(T)};
    const bool by_streams = height == streams;
    if (block.row_stride == block.columns && bytes <= (by_streams ? longest_run : near_by)) {
      cache_ = bytes <= near_by ? Cache::l1 : Cache::l2;
      run_step_ = bytes / groups;
      row_ = (near_by + bytes - 1) / bytes * height;
      group_ = 0;
    } else {
      cache_ = by_streams ? Cache::l2 : Cache::l1;
      run_step_ = 0;
      const std::int64_t distance = HWY_MAX(1, (by_streams ? along_streams : near_by) / (height * row_bytes));
      row_ = distance / groups * height;
      group_ = distance % groups;
    }
  }
  /// Where columns are not neighbours, or not as wide as T: for the same few bytes again and again.
  Prefetcher Next() {
    if (!can_be_asked_for_) return {block_.data, 0, Cache::l1};
    if (run_step_ == 0 && row_ >= block_.rows) {  // after the last rows, the block to the right
      row_ = 0;
      column_ += block_.columns;
    }
    const std::int64_t row = row_;
    const std::int64_t i = group_;
    if (++group_ == groups_) {
      group_ = 0;
      row_ += height_;
    }
    if (run_step_ != 0) return Prefetcher::OfRun(block_.at(row, 0) + i * run_step_, cache_);
    return {block_.at(row, column_ + i * std::int64_t{group}), block_.row_stride * std::int64_t{sizeof(T)},
            cache_};
  }

 private:
  static constexpr std::int64_t row_bytes = group * sizeof(T);
  // What comes no later than this may go to the first-level cache. What comes later goes to the second one
  // only: in the first one it would push out what is read now, and it holds a place among the few lines that
  // a core awaits there for as long as memory takes. (Zen 4, one thread, 20000 x 1000 doubles, a tile's rows
  // of 64 KB ahead: 28 instead of 14 GB/s, of a plain read 30; rows of 16 KiB 27 instead of 21, of 8 KiB 19
  // instead of 22. 100 x 1000000: 23 instead of 22.)
  static constexpr std::int64_t near_by = 8192;
  // 2 KiB of each of eight rows. (The same, 4096 columns at a time: with half of that 0.76 of a plain read,
  // with this and more up to 16 KiB of each row 0.77 to 0.80, with a quarter 0.65.)
  static constexpr std::int64_t along_streams = 16384;
  // Rows of a tile that lie in memory without a gap are asked for as they lie, line by line, unless they are
  // longer than this. (Two threads, Zen 5: 400000 x 64 doubles come at 46 GB/s instead of 37, of a plain read
  // 48. One thread, Zen 4: 800000 x 64 floats, tiles of 32 rows, 21 instead of 14; 20000 x 1000 doubles 28
  // instead of 26.)
  static constexpr std::int64_t longest_run = 65536;

  const cpu::Columns& block_;
  const std::int64_t groups_, height_;
  const bool can_be_asked_for_;
  Cache cache_;
  std::int64_t run_step_;  // what a tile asks for of a run; 0: of its own rows
  std::int64_t row_, group_, column_ = 0;
};

/// Hands the columns of a group, which begins at column `first` of the block, to the caller.
template <class Gathered>
void FinishGroup(const Gathered& gathered, const cpu::Columns& block, std::int64_t first,
                 cpu::ColumnSink& sink) {
  const std::int64_t count = HWY_MIN(block.columns - first, std::int64_t{group});
  ColumnResults results;
  bool some_certain = false;
  if constexpr (requires { gathered.Round(sink, block.rows, results); })
    if (sink.wanted() != cpu::ColumnResult::other) {
      gathered.Round(sink, block.rows, results);
      sink.take_results(first, count, results.value);
      if (AllCertain(results)) return;
      some_certain = true;
    }
  for (std::int64_t i = 0; i < count; ++i) {
    if (some_certain && results.certain[i] != 0) continue;
    Moments moments;
    moments.count = block.rows;
    gathered.AddColumnTo(static_cast<std::size_t>(i), moments);
    moments.only_negative_zeros =
        is_floating(block.type) && MayBeZero(moments.values) &&
        (block.data == nullptr || cpu::only_negative_zeros(block.column(first + i), 0, block.rows));
    sink.take(first + i, moments);
  }
}

/// Rows of a tile: of short rows as many as the block has in equal parts, since the price of a tile hardly
/// depends on its height. Rows of 64 doubles come in streams 15 % faster from memory (Zen 5, one thread), and
/// 30 % slower from a cache.
inline std::int64_t TileHeight(const cpu::Columns& block) {
  const std::int64_t long_row = block.from_memory ? 512 : 2048;
  if (block.column_stride == 1 && block.columns * size_of(block.type) >= long_row) return streams;
  constexpr std::int64_t most = tile_rows;
  const std::int64_t tiles = (block.rows + most - 1) / most;
  return (block.rows + tiles - 1) / tiles;
}

/// The columns of a block, group by group.
template <class T, template <class> class Gathered>
class GroupedSums final : public cpu::BlockSums {
 public:
  explicit GroupedSums(std::int64_t columns) : gathered_(static_cast<std::size_t>(GroupsOf(columns))) {}

  void begin(const cpu::Columns& block) override {
    cpu::Stored<T> packed[looked_at_first * group];
    std::int64_t column = 0;
    for (Gathered<T>& each : gathered_) {
      BeginGroup(each, block, column, packed);
      column += group;
    }
  }

  void add(const cpu::Columns& block, double one) override {
    cpu::Stored<T> packed[tile_rows * group];
    const auto groups = static_cast<std::int64_t>(gathered_.size());
    const std::int64_t height = TileHeight(block);
    TilesAhead<cpu::Stored<T>> ahead(block, groups, height);
    for (std::int64_t row = 0; row < block.rows; row += height) {
      const auto rows = static_cast<std::size_t>(HWY_MIN(block.rows - row, height));
      std::int64_t column = 0;
      for (Gathered<T>& each : gathered_) {
        each.Add(TileOf(block, row, rows, column, packed), one, ahead.Next());
        column += group;
      }
    }
  }

  void merge(cpu::BlockSums& other) override {
    auto& others = static_cast<GroupedSums&>(other).gathered_;
    for (std::size_t i = 0; i < gathered_.size(); ++i) gathered_[i].Merge(others[i]);
  }

  void finish(const cpu::Columns& block, cpu::ColumnSink& sink) const override {
    std::int64_t column = 0;
    for (const Gathered<T>& each : gathered_) {
      FinishGroup(each, block, column, sink);
      column += group;
    }
  }

  void reduce(const cpu::Columns& block, double one, cpu::ColumnSink& sink) override {
    cpu::Stored<T> packed[tile_rows * group];
    const std::int64_t groups = GroupsOf(block.columns);
    const std::int64_t height = TileHeight(block);
    TilesAhead<cpu::Stored<T>> ahead(block, groups, height);
    for (std::int64_t row = 0; row < block.rows; row += height) {
      const auto rows = static_cast<std::size_t>(HWY_MIN(block.rows - row, height));
      const bool is_last = row + height >= block.rows;
      for (std::int64_t i = 0; i < groups; ++i) {
        Gathered<T>& each = gathered_[static_cast<std::size_t>(i)];
        const std::int64_t column = i * std::int64_t{group};
        const Prefetcher next = ahead.Next();
        if (row == 0 && is_last &&
            RoundAtOnce(TileOf(block, row, rows, column, packed), next, block, column, sink))
          continue;
        if (row == 0) BeginGroup(each, block, column, packed);
        each.Add(TileOf(block, row, rows, column, packed), one, next);
        if (is_last) FinishGroup(each, block, column, sink);
      }
    }
  }

 private:
  static std::int64_t GroupsOf(std::int64_t columns) {
    return (columns + std::int64_t{group} - 1) / std::int64_t{group};
  }
  /// Results of a group whose few rows are one tile, if sums are wanted and all of them are certain. (Zen 5,
  /// one thread, 4 x 33554432 doubles: half of the time of counting.)
  static HWY_INLINE bool RoundAtOnce(const ColumnTile<cpu::Stored<T>>& tile, Prefetcher ahead,
                                     const cpu::Columns& block, std::int64_t first, cpu::ColumnSink& sink) {
    if constexpr (requires(ColumnResults& results) {
                    Gathered<T>::RoundFew(tile, sink.type(), ahead, results);
                  }) {
      if (tile.rows > streams || sink.wanted() != cpu::ColumnResult::sum) return false;
      ColumnResults results;
      Gathered<T>::RoundFew(tile, sink.type(), ahead, results);
      if (!AllCertain(results)) return false;
      sink.take_results(first, HWY_MIN(block.columns - first, std::int64_t{group}), results.value);
      return true;
    }
    return false;
  }
  /// `packed` has room for the rows that are looked at.
  static HWY_INLINE void BeginGroup(Gathered<T>& each, const cpu::Columns& block, std::int64_t column,
                                    cpu::Stored<T>* packed) {
    const auto rows = static_cast<std::size_t>(HWY_MIN(block.rows, std::int64_t{looked_at_first}));
    each.Begin(TileOf(block, 0, rows, column, packed));
  }
  std::vector<Gathered<T>> gathered_;
};

using MadeBlockSums = std::unique_ptr<cpu::BlockSums>;

/// Picks what to gather: of extrema, magnitudes, values and squares, squares, or values.
template <class T, template <class> class Extrema, template <class> class Magnitudes,
          template <class> class ValuesAndSquares, template <class> class Squares,
          template <class> class Values>
MadeBlockSums MakeBlockSumsOf(const Needs& needs, std::int64_t columns) {
  if (needs.extrema) return std::make_unique<GroupedSums<T, Extrema>>(columns);
  if (needs.magnitudes) return std::make_unique<GroupedSums<T, Magnitudes>>(columns);
  if (needs.values && needs.squares) return std::make_unique<GroupedSums<T, ValuesAndSquares>>(columns);
  if (needs.squares) return std::make_unique<GroupedSums<T, Squares>>(columns);
  return std::make_unique<GroupedSums<T, Values>>(columns);
}
template <class T>
MadeBlockSums MakeFloatingBlockSums(const Needs& needs, std::int64_t columns) {
  return MakeBlockSumsOf<T, ColumnExtrema, ColumnMagnitudes, ColumnValuesAndSquares, ColumnSquares,
                         ColumnValues>(needs, columns);
}

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
