// Reductions of the elements that a mask takes: blocks are copied with numbers that do not count in place of
// the others, and reduced as vectors or as columns.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "contract/masks.hpp"
#include "cpu/columns/direct.hpp"
#include "cpu/masks/masked_copy.hpp"
#include "cpu/simd/environment.hpp"
#include "foldline/detail/parallel.hpp"
#include "foldline/detail/visit_type.hpp"

namespace foldline::cpu {

namespace {

// Elements of a vector that are copied together: they stay in the first cache until they are added.
constexpr std::int64_t copied_elements = 2048;
// Columns and rows of a block that is copied: as high as a tile of long rows.
constexpr std::int64_t copied_columns = 512;
constexpr std::int64_t copied_rows = 8;
// Bytes of whole columns that are copied together: they stay in the second cache.
constexpr std::int64_t copied_bytes = std::int64_t{1} << 18;
// Fewer columns are reduced one by one, unless rows can be joined.
constexpr std::int64_t fewest_columns = 8;
// Elements that are worth a thread.
constexpr std::int64_t part_elements = std::int64_t{1} << 16;

/// The bits of an element that changes nothing: -0, which leaves a sum of -0 alone what it is; of extrema,
/// what is beyond all others.
std::uint64_t filling(const MaskedReduction& reduction, bool highest) {
  const ElementType type = reduction.type;
  const auto bits = static_cast<int>(8 * size_of(type));
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  const bool is_extremum = needs_of(reduction.operation).extrema;
  if (is_floating(type)) {
    if (!is_extremum) return sign;
    const std::uint64_t infinity = type == ElementType::float64    ? 0x7ff0'0000'0000'0000
                                   : type == ElementType::float32  ? 0x7f80'0000
                                   : type == ElementType::bfloat16 ? 0x7f80
                                                                   : 0x7c00;
    return highest ? infinity : infinity | sign;
  }
  if (!is_extremum) return 0;
  if (type == ElementType::boolean) return highest ? 1 : 0;
  const std::uint64_t all = sign | (sign - 1);
  const bool is_signed =
      detail::visit_integer(type, []<class T>(std::type_identity<T>) { return std::is_signed_v<T>; });
  if (!is_signed) return highest ? all : 0;
  return highest ? sign - 1 : sign;
}

/// The terms of one result, in the order of the reduced axes.
class Vectors {
 public:
  Vectors(const MaskedReduction& reduction, const Plan& plan, RoundMasked round)
      : reduction_(reduction), plan_(plan), copy_(masked_copy_for(plan.target)), round_(round) {
    plan_.threads = 1;
    plan_.part = copied_elements;
  }

  void reduce(int threads) const {
    const std::int64_t parts =
        std::clamp<std::int64_t>(reduction_.terms / part_elements, 1, std::int64_t{8} * threads);
    if (parts == 1 || reduction_.results >= std::int64_t{2} * threads) {
      const std::int64_t some =
          std::max<std::int64_t>(part_elements / std::max<std::int64_t>(reduction_.terms, 1), 1);
      detail::run_parts((reduction_.results - 1) / some + 1, threads, [&](std::int64_t part) {
        for (std::int64_t i = part * some; i < std::min(reduction_.results, (part + 1) * some); ++i)
          reduce_one(offset_of(reduction_.kept, i));
      });
      return;
    }
    for (std::int64_t i = 0; i < reduction_.results; ++i) {
      const MaskedOffset at = offset_of(reduction_.kept, i);
      Moments total;
      std::mutex merging;
      const std::int64_t length = (reduction_.terms - 1) / parts + 1;
      detail::run_parts(parts, threads, [&](std::int64_t part) {
        Moments own;
        const std::int64_t first = std::min(part * length, reduction_.terms);
        add(at, first, std::min(length, reduction_.terms - first), own);
        const std::lock_guard lock(merging);
        total.merge(own);
      });
      round_(reduction_, total, at);
    }
  }

  void reduce_one(const MaskedOffset& at) const {
    Moments moments;
    add(at, 0, reduction_.terms, moments);
    round_(reduction_, moments, at);
  }

 private:
  /// Adds the taken ones of the terms [first, first + count).
  void add(const MaskedOffset& at, std::int64_t first, std::int64_t count, Moments& moments) const {
    const Needs needs = needs_of(reduction_.operation);
    if (!needs.extrema) {
      moments.count += add_filled(at, first, count, filling(reduction_, false), moments);
      return;
    }
    // NaN of either sign is beyond all others: of one extremum both keys of its pass are looked at.
    const bool lowest = reduction_.operation != Operation::maximum;
    const bool highest = reduction_.operation != Operation::minimum;
    Moments low, high;
    if (lowest) moments.count = add_filled(at, first, count, filling(reduction_, true), low);
    if (highest) moments.count = add_filled(at, first, count, filling(reduction_, false), high);
    if (moments.count > 0) moments.add_extrema((lowest ? low : high).min_key, (highest ? high : low).max_key);
  }

  std::int64_t add_filled(const MaskedOffset& at, std::int64_t first, std::int64_t count, std::uint64_t fill,
                          Moments& moments) const {
    alignas(64) std::array<std::byte, copied_elements * 8> buffer;
    const std::int64_t size = size_of(reduction_.type);
    const MaskedAxis along =
        reduction_.reduced.empty() ? MaskedAxis{1, 0, 0, 0, 0} : reduction_.reduced.back();
    std::int64_t taken = 0, filled = 0;
    const std::int64_t before = moments.count;
    for (const std::int64_t end = first + count; first < end;) {
      const MaskedOffset offset = offset_of(reduction_.reduced, first);
      const std::int64_t run =
          std::min({along.extent - first % along.extent, end - first, copied_elements - filled});
      const MaskedRow row = {reduction_.x + (at.x + offset.x) * size, reduction_.mask + at.mask + offset.mask,
                             along.stride * size, along.mask_stride};
      taken += copy_.copy(row, run, size, fill, buffer.data() + filled * size);
      first += run;
      filled += run;
      if (filled < copied_elements && first < end) continue;
      cpu::reduce(
          {.needs = needs_of(reduction_.operation), .x = {buffer.data(), reduction_.type, filled}, .y = {}},
          plan_, moments);
      filled = 0;
    }
    moments.count = before;
    return taken;
  }

  const MaskedReduction& reduction_;
  Plan plan_;
  const MaskedCopy& copy_;
  const RoundMasked round_;
};

/// Neighbouring results side by side. Of few results several rows, which lie one after the other, are taken
/// for a wider one.
class Neighbours {
 public:
  Neighbours(const MaskedReduction& reduction, const Plan& plan, RoundMasked round)
      : reduction_(reduction),
        plan_(plan),
        copy_(masked_copy_for(plan.target)),
        make_(block_sums_for(plan.target, reduction.type)),
        round_(round),
        others_(reduction.kept.begin(), reduction.kept.end() - 1),
        columns_(reduction.kept.back()),
        fill_(filling(reduction, reduction.operation == Operation::minimum)) {}

  static std::int64_t joined_rows(const MaskedReduction& reduction) {
    const MaskedAxis& columns = reduction.kept.back();
    const MaskedAxis& rows = reduction.reduced.back();
    const bool is_dense = columns.stride == 1 && columns.mask_stride == 1 && rows.stride == columns.extent &&
                          rows.mask_stride == columns.extent && reduction.reduced.size() == 1;
    const std::int64_t join = std::int64_t{64} / columns.extent;
    return is_dense && join > 1 && rows.extent >= 4 * join ? join : 1;
  }
  /// Whether it can do the reduction in a sensible time.
  static bool can(const MaskedReduction& reduction) {
    if (reduction.kept.empty() || reduction.reduced.empty() || reduction.terms == 0 ||
        reduction.operation == Operation::range)
      return false;
    const MaskedAxis& columns = reduction.kept.back();
    return std::abs(columns.stride) < std::abs(reduction.reduced.back().stride) &&
           columns.extent * joined_rows(reduction) >= fewest_columns;
  }

  void reduce(int threads) const {
    const std::int64_t join = joined_rows(reduction_);
    const std::int64_t blocks = (columns_.extent - 1) / copied_columns + 1;
    const std::int64_t others = reduction_.results / columns_.extent;
    const std::int64_t parts =
        std::clamp<std::int64_t>(reduction_.terms * std::min(columns_.extent, copied_columns) / part_elements,
                                 1, std::int64_t{4} * threads);
    if (join == 1 && (parts == 1 || others * blocks >= 2 * std::int64_t{threads})) {
      detail::run_parts(others * blocks, threads,
                        [&](std::int64_t i) { reduce_block(at(i / blocks, i % blocks), width(i % blocks)); });
      return;
    }
    for (std::int64_t i = 0; i < others * blocks; ++i)
      share_block(at(i / blocks, i % blocks), width(i % blocks), join, parts, threads);
  }

 private:
  struct Block;
  class Sink;

  std::int64_t width(std::int64_t block) const {
    return std::min(copied_columns, columns_.extent - block * copied_columns);
  }
  MaskedOffset at(std::int64_t other, std::int64_t block) const {
    return moved(offset_of(others_, other), block * copied_columns);
  }
  MaskedOffset moved(MaskedOffset offset, std::int64_t column) const {
    offset.x += column * columns_.stride;
    offset.mask += column * columns_.mask_stride;
    offset.out += column * columns_.out_stride;
    offset.count += column * columns_.count_stride;
    return offset;
  }

  MaskedRow row(const MaskedOffset& at, std::int64_t index) const {
    const MaskedOffset offset = offset_of(reduction_.reduced, index);
    return {reduction_.x + (at.x + offset.x) * size_of(reduction_.type),
            reduction_.mask + at.mask + offset.mask, columns_.stride * size_of(reduction_.type),
            columns_.mask_stride};
  }

  /// Adds rows [first, end), each of which is `join` of the reduction's, and hands the columns to the sink.
  void add_rows(const MaskedOffset& at, std::int64_t columns, std::int64_t join, std::int64_t first,
                std::int64_t end, ColumnSink& sink, std::vector<std::int64_t>& counts) const {
    const ArithmeticEnvironment environment;
    const std::int64_t size = size_of(reduction_.type);
    std::vector<std::byte> buffer(static_cast<std::size_t>(columns * copied_rows * size));
    Columns tile = {buffer.data(), reduction_.type, 0, columns, columns, 1, false};
    const std::unique_ptr<BlockSums> sums = make_(needs_of(reduction_.operation), reduction_.type, columns);
    counts.assign(static_cast<std::size_t>(columns), 0);
    bool has_begun = false;
    for (; first < end; first += tile.rows) {
      tile.rows = std::min(copied_rows, end - first);
      for (std::int64_t i = 0; i < tile.rows; ++i) {
        const MaskedRow from = row(at, (first + i) * join);
        copy_.copy(from, columns, size, fill_, buffer.data() + i * columns * size);
        copy_.count(from, columns, counts.data());
      }
      if (!has_begun) sums->begin(tile);
      has_begun = true;
      sums->add(tile, one_in_memory);
    }
    sums->finish({nullptr, reduction_.type, end, columns, columns, 1, false}, sink);
  }

  /// Sums and norms by a few doubles, of few rows; false if there is no kernel for them. More rows would
  /// leave the caches as a copy: that takes twice as long.
  bool reduce_directly(const MaskedOffset& at, std::int64_t columns) const {
    const std::int64_t size = size_of(reduction_.type), terms = reduction_.terms;
    if (terms > copied_bytes / (copied_columns * size) ||
        (reduction_.operation != Operation::sum && reduction_.operation != Operation::two_norm))
      return false;
    DirectBlock block = {{nullptr, reduction_.type, terms, columns, columns, 1, false},
                         reduction_.operation,
                         reduction_.ddof,
                         reduction_.out + at.out * size_of(reduction_.out_type),
                         reduction_.out_type,
                         columns_.out_stride};
    const ReduceDirect kernel = direct_kernel_for(plan_.target, block);
    if (kernel == nullptr) return false;
    const ArithmeticEnvironment environment;
    std::vector<std::byte> buffer(static_cast<std::size_t>(columns * terms * size));
    std::array<std::uint8_t, copied_columns> uncertain = {};
    std::array<std::int64_t, copied_columns> counts = {};
    for (std::int64_t i = 0; i < terms; ++i) {
      const MaskedRow from = row(at, i);
      copy_.copy(from, columns, size, fill_, buffer.data() + i * columns * size);
      copy_.count(from, columns, counts.data());
    }
    block.x.data = buffer.data();
    kernel(block, uncertain.data());
    for (std::int64_t i = 0; i < columns; ++i) {
      const auto column = static_cast<std::size_t>(i);
      store_count(moved(at, i), counts[column], uncertain[column] != 0);
    }
    return true;
  }
  /// Of a result that is stored, unless it is uncertain or none of its elements was taken: then it is done
  /// again.
  void store_count(const MaskedOffset& at, std::int64_t count, bool is_uncertain) const {
    if (is_uncertain || count == 0) return Vectors(reduction_, plan_, round_).reduce_one(at);
    if (reduction_.counts != nullptr)
      std::memcpy(reduction_.counts + at.count * std::int64_t{sizeof count}, &count, sizeof count);
  }

  /// Whether every taken element of a column is -0.
  bool only_negative_zeros(const MaskedOffset& at, std::int64_t first, std::int64_t end) const {
    const std::int64_t size = size_of(reduction_.type);
    const std::uint64_t negative_zero = std::uint64_t{1} << (8 * size - 1);
    for (; first < end; ++first) {
      const MaskedRow from = row(at, first);
      if (*from.mask == std::byte{0}) continue;
      std::uint64_t bits = 0;
      std::memcpy(&bits, from.x, static_cast<std::size_t>(size));
      if (bits != negative_zero) return false;
    }
    return true;
  }

  void reduce_block(const MaskedOffset& at, std::int64_t columns) const;
  void share_block(const MaskedOffset& at, std::int64_t columns, std::int64_t join, std::int64_t parts,
                   int threads) const;

  const MaskedReduction& reduction_;
  const Plan& plan_;
  const MaskedCopy& copy_;
  const MakeBlockSums make_;
  const RoundMasked round_;
  const std::vector<MaskedAxis> others_;
  const MaskedAxis columns_;
  const std::uint64_t fill_;
};

/// Gives f the moments of each column, with what the kernels cannot know: how many elements were taken, and
/// whether they are all -0.
class Neighbours::Sink : public ColumnSink {
 public:
  using Take = std::function<void(std::int64_t column, const Moments& moments)>;
  Sink(const std::vector<std::int64_t>& counts, std::function<bool(std::int64_t)> only_negative_zeros,
       Take take)
      : counts_(counts), only_negative_zeros_(std::move(only_negative_zeros)), take_(std::move(take)) {}
  void take(std::int64_t column, Moments& moments) override {
    moments.count = counts_[static_cast<std::size_t>(column)];
    moments.only_negative_zeros = moments.only_negative_zeros && only_negative_zeros_(column);
    take_(column, moments);
  }
  void take_results(std::int64_t, std::int64_t, const double*) override {}

 private:
  const std::vector<std::int64_t>& counts_;
  const std::function<bool(std::int64_t)> only_negative_zeros_;
  const Take take_;
};

void Neighbours::reduce_block(const MaskedOffset& at, std::int64_t columns) const {
  if (reduce_directly(at, columns)) return;
  std::vector<std::int64_t> counts;
  Sink sink(
      counts,
      [&](std::int64_t column) { return only_negative_zeros(moved(at, column), 0, reduction_.terms); },
      [&](std::int64_t column, const Moments& moments) { round_(reduction_, moments, moved(at, column)); });
  add_rows(at, columns, 1, 0, reduction_.terms, sink, counts);
}

void Neighbours::share_block(const MaskedOffset& at, std::int64_t columns, std::int64_t join,
                             std::int64_t parts, int threads) const {
  std::vector<Moments> totals(static_cast<std::size_t>(columns));
  std::mutex merging;
  const auto add = [&](std::int64_t joined, std::int64_t first, std::int64_t end) {
    std::vector<std::int64_t> counts;
    std::vector<Moments> own(static_cast<std::size_t>(columns));
    Sink sink(
        counts,
        [&](std::int64_t column) {
          return only_negative_zeros(moved(at, column % columns), first * joined, end * joined);
        },
        [&](std::int64_t column, const Moments& moments) {
          own[static_cast<std::size_t>(column % columns)].merge(moments);
        });
    add_rows(at, columns * joined, joined, first, end, sink, counts);
    const std::lock_guard lock(merging);
    for (std::size_t i = 0; i < own.size(); ++i) totals[i].merge(own[i]);
  };
  const std::int64_t rows = reduction_.terms / join, length = (rows - 1) / parts + 1;
  detail::run_parts(parts, threads, [&](std::int64_t part) {
    if (part * length < rows) add(join, part * length, std::min(rows, (part + 1) * length));
  });
  if (rows * join < reduction_.terms) add(1, rows * join, reduction_.terms);
  for (std::int64_t i = 0; i < columns; ++i)
    round_(reduction_, totals[static_cast<std::size_t>(i)], moved(at, i));
}

}  // namespace

void reduce_where(const MaskedReduction& reduction, const Plan& plan, RoundMasked round) {
  if (Neighbours::can(reduction))
    Neighbours(reduction, plan, round).reduce(plan.threads);
  else
    Vectors(reduction, plan, round).reduce(plan.threads);
}

}  // namespace foldline::cpu
