// The reduction of a block of columns by one thread: from memory to tiles, tiles to the sums of the
// operation, and at the end the columns to the sink. Included once per instruction set.

#include "cpu/columns/column_floats-inl.hpp"
//
#include "cpu/simd/strided-inl.hpp"

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
  if (block.column_stride == 2) {
    for (std::size_t r = 0; r < rows; ++r, packed += group)
      CopyStrided(block.at(row + static_cast<std::int64_t>(r), column), 2 * size,
                  static_cast<std::int64_t>(count), packed);
    return;
  }
  for (std::size_t c = 0; c < count; ++c) {
    const std::byte* source = block.at(row, column + static_cast<std::int64_t>(c));
    for (std::size_t r = 0; r < rows; ++r, source += block.row_stride * size)
      std::memcpy(packed + r * group + c, source, sizeof(T));
  }
}

/// The tile of `rows` rows of the group of columns that begins at `column`: in place if possible, else
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

/// Whether the sum may be zero, so that its sign requires a look at the elements.
inline bool MayBeZero(const ExactSum<SumLimbs>& sum) {
  Uint128 magnitude = 0;
  if (sum.is_compact()) sum.compact_magnitude(magnitude);
  return magnitude == 0;
}

/// Schedules prefetches while the tiles of a block are added: for each tile, the tile that comes a little
/// later.
template <class T>
class PrefetchSchedule {
 public:
  /// For rows of `groups` groups and tiles of `height` rows.
  PrefetchSchedule(const cpu::Columns& block, std::int64_t groups, std::int64_t height)
      : block_(block),
        groups_(groups),
        height_(height),
        can_prefetch_(block.column_stride == 1 && size_of(block.type) == sizeof(T)) {
    const std::int64_t bytes = height * block.columns * std::int64_t{sizeof(T)};
    const bool by_streams = height == stream_rows;
    if (block.row_stride == block.columns && bytes <= (by_streams ? longest_dense_tile : l1_distance)) {
      cache_ = bytes <= l1_distance ? Cache::l1 : Cache::l2;
      run_step_ = bytes / groups;
      row_ = (l1_distance + bytes - 1) / bytes * height;
      group_ = 0;
    } else {
      cache_ = by_streams ? Cache::l2 : Cache::l1;
      run_step_ = 0;
      const std::int64_t distance =
          HWY_MAX(1, (by_streams ? stream_distance : l1_distance) / (height * row_bytes));
      row_ = distance / groups * height;
      group_ = distance % groups;
    }
  }
  /// The next tile to prefetch. Without contiguous columns of type T, the same few bytes again and again.
  Prefetcher Next() {
    if (!can_prefetch_) return {block_.data, 0, Cache::l1};
    if (run_step_ == 0 && row_ >= block_.rows) {  // after the last row, the block to the right
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
  // Bytes ahead that still go to L1. Farther ones go to L2 only: in L1 they would evict what is read now and
  // occupy its few miss buffers while memory answers. (Zen 4, one thread, 20000 x 1000 doubles: 28 instead of
  // 14 GB/s.)
  static constexpr std::int64_t l1_distance = 8192;
  // 2 KiB of each of eight rows. (Zen 4, 100 x 1000000 doubles: 0.65 of a plain read with a quarter, 0.77 to
  // 0.80 from this to 16 KiB of each row.)
  static constexpr std::int64_t stream_distance = 16384;
  // Rows of a tile without gaps between them are prefetched as one run unless they are longer than this. (Zen
  // 5, two threads, 400000 x 64 doubles: 46 instead of 37 GB/s.)
  static constexpr std::int64_t longest_dense_tile = 65536;

  const cpu::Columns& block_;
  const std::int64_t groups_, height_;
  const bool can_prefetch_;
  Cache cache_;
  std::int64_t run_step_;  // bytes of the run per tile; 0: the tile's own rows
  std::int64_t row_, group_, column_ = 0;
};

/// Hands the columns of a group, which begins at column `first` of the block, to the sink.
template <class Sums>
void FinishGroup(const Sums& sums, const cpu::Columns& block, std::int64_t first, cpu::ColumnSink& sink) {
  const std::int64_t count = HWY_MIN(block.columns - first, std::int64_t{group});
  ColumnResults results;
  bool some_certain = false;
  if constexpr (requires { sums.Round(sink, block.rows, results); })
    if (sink.wanted() != cpu::ColumnResult::other) {
      sums.Round(sink, block.rows, results);
      sink.take_results(first, count, results.value);
      if (AllCertain(results)) return;
      some_certain = true;
    }
  for (std::int64_t i = 0; i < count; ++i) {
    if (some_certain && results.certain[i] != 0) continue;
    Moments moments;
    moments.count = block.rows;
    sums.AddColumnTo(static_cast<std::size_t>(i), moments);
    moments.only_negative_zeros =
        is_floating(block.type) && MayBeZero(moments.values) &&
        (block.data == nullptr || cpu::only_negative_zeros(block.column(first + i), 0, block.rows));
    sink.take(first + i, moments);
  }
}

/// Rows of a tile: for short rows the block in equal parts, since the price of a tile hardly depends on its
/// height. Rows of 64 doubles are 15 % faster in streams from memory (Zen 5, one thread), but 30 % slower
/// from a cache.
inline std::int64_t TileHeight(const cpu::Columns& block) {
  const std::int64_t long_row = block.from_memory ? 512 : 2048;
  if (block.column_stride == 1 && block.columns * size_of(block.type) >= long_row) return stream_rows;
  constexpr std::int64_t most = tile_rows;
  const std::int64_t tiles = (block.rows + most - 1) / most;
  return (block.rows + tiles - 1) / tiles;
}

/// The columns of a block, group by group.
template <class T, template <class> class GroupSums>
class GroupedSums final : public cpu::BlockSums {
 public:
  explicit GroupedSums(std::int64_t columns) : groups_(static_cast<std::size_t>(GroupsOf(columns))) {}

  void begin(const cpu::Columns& block) override {
    cpu::Stored<T> packed[sampled_rows * group];
    std::int64_t column = 0;
    for (GroupSums<T>& each : groups_) {
      BeginGroup(each, block, column, packed);
      column += group;
    }
  }

  void add(const cpu::Columns& block, double one) override {
    cpu::Stored<T> packed[tile_rows * group];
    const auto groups = static_cast<std::int64_t>(groups_.size());
    const std::int64_t height = TileHeight(block);
    PrefetchSchedule<cpu::Stored<T>> ahead(block, groups, height);
    for (std::int64_t row = 0; row < block.rows; row += height) {
      const auto rows = static_cast<std::size_t>(HWY_MIN(block.rows - row, height));
      std::int64_t column = 0;
      for (GroupSums<T>& each : groups_) {
        each.Add(TileOf(block, row, rows, column, packed), one, ahead.Next());
        column += group;
      }
    }
  }

  void merge(cpu::BlockSums& other) override {
    auto& others = static_cast<GroupedSums&>(other).groups_;
    for (std::size_t i = 0; i < groups_.size(); ++i) groups_[i].Merge(others[i]);
  }

  void finish(const cpu::Columns& block, cpu::ColumnSink& sink) const override {
    std::int64_t column = 0;
    for (const GroupSums<T>& each : groups_) {
      FinishGroup(each, block, column, sink);
      column += group;
    }
  }

  void reduce(const cpu::Columns& block, double one, cpu::ColumnSink& sink) override {
    cpu::Stored<T> packed[tile_rows * group];
    const std::int64_t groups = GroupsOf(block.columns);
    const std::int64_t height = TileHeight(block);
    PrefetchSchedule<cpu::Stored<T>> ahead(block, groups, height);
    for (std::int64_t row = 0; row < block.rows; row += height) {
      const auto rows = static_cast<std::size_t>(HWY_MIN(block.rows - row, height));
      const bool is_last = row + height >= block.rows;
      for (std::int64_t i = 0; i < groups; ++i) {
        GroupSums<T>& each = groups_[static_cast<std::size_t>(i)];
        const std::int64_t column = i * std::int64_t{group};
        const Prefetcher next = ahead.Next();
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
  /// `packed` has room for sampled_rows rows.
  static HWY_INLINE void BeginGroup(GroupSums<T>& each, const cpu::Columns& block, std::int64_t column,
                                    cpu::Stored<T>* packed) {
    const auto rows = static_cast<std::size_t>(HWY_MIN(block.rows, std::int64_t{sampled_rows}));
    each.Begin(TileOf(block, 0, rows, column, packed));
  }
  std::vector<GroupSums<T>> groups_;
};

using MadeBlockSums = std::unique_ptr<cpu::BlockSums>;

/// Chooses the class for what the operation needs.
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
