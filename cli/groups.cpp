#include "groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

namespace foldline::cli {
namespace {

/// If the groups of a block have fewer values than this on average, values are added one by one, since a call
/// that sums a vector has a fixed cost.
constexpr std::size_t few = 64;

/// The elements in the order of the indices.
template <class Word>
void gather_words(const VectorView& x, const std::vector<std::uint32_t>& order, std::byte* to) {
  for (const std::uint32_t i : order) {
    std::memcpy(to, x.at(i), sizeof(Word));
    to += sizeof(Word);
  }
}

VectorView gather(const VectorView& x, const std::vector<std::uint32_t>& order, std::vector<std::byte>& to) {
  const auto size = static_cast<std::size_t>(size_of(x.type()));
  to.resize(order.size() * size);
  switch (size) {
    case 1:
      gather_words<std::uint8_t>(x, order, to.data());
      break;
    case 2:
      gather_words<std::uint16_t>(x, order, to.data());
      break;
    case 4:
      gather_words<std::uint32_t>(x, order, to.data());
      break;
    default:
      gather_words<std::uint64_t>(x, order, to.data());
  }
  return {to.data(), x.type(), x.size()};
}

/// The number of groups of a block if they have at least `few` values on average, else 0.
std::size_t few_groups(std::span<const std::uint32_t> keys) {
  if (keys.empty()) return 0;
  const std::size_t groups = std::size_t{*std::ranges::max_element(keys)} + 1;
  return groups * few <= keys.size() ? groups : 0;
}

}  // namespace

SumTable::SumTable(Operation operation, const Context& context, std::size_t columns, std::int64_t most_bytes)
    : operation_(operation), context_(context), columns_(columns), most_bytes_(most_bytes) {
  for (std::size_t i = 0; i < part_count; ++i) parts_.push_back(std::make_unique<Part>(operation));
}

/// Sorts the indices of the values by group if there are few groups, else by part of the table; `counts` says
/// where each begins.
void SumTable::arrange(Keys keys, Scratch& scratch) const {
  const std::size_t groups = few_groups(keys);
  const auto bin = [groups](std::uint32_t key) { return groups != 0 ? key : key % part_count; };
  scratch.counts.assign((groups != 0 ? groups : part_count) + 2, 0);
  for (const std::uint32_t key : keys) ++scratch.counts[bin(key) + 2];
  std::partial_sum(scratch.counts.begin(), scratch.counts.end(), scratch.counts.begin());
  scratch.order.resize(keys.size());
  for (std::uint32_t i = 0; i < keys.size(); ++i) scratch.order[scratch.counts[bin(keys[i]) + 1]++] = i;
}

/// Locks a part of the table, enlarges it to hold `largest_index`, and calls add(sums).
template <class Add>
void SumTable::change(std::size_t part_number, std::size_t largest_index, const Add& add) {
  Part& part = *parts_[part_number];
  const std::lock_guard lock(part.mutex);
  if (static_cast<std::size_t>(part.sums.size()) <= largest_index)
    part.sums.resize(static_cast<std::int64_t>(largest_index) + 1);
  add(part.sums);
  const std::int64_t more = part.sums.bytes() - part.bytes;
  part.bytes += more;
  if (more != 0 && bytes_.fetch_add(more) + more > most_bytes_)
    throw DataError(fmt::format(
        "the groups need more than {:.1f} GB of memory for their sums; choose another column for --by, "
        "or allow more with --allow-keys",
        static_cast<double>(most_bytes_) / 1e9));
}

void SumTable::add(const Block& block, const std::vector<std::size_t>& columns, Scratch& scratch) {
  const bool pairs = takes_pairs(operation_);
  for (std::size_t vector = 0; vector < (pairs ? 1 : block.vectors.size()); ++vector) {
    const Keys keys = block.keys[vector];
    // Columns without missing values share the keys of the rows.
    const auto same = [&](Keys other) { return keys.data() == other.data() && keys.size() == other.size(); };
    if (vector == 0 || !same(block.keys[vector - 1])) arrange(keys, scratch);
    add_column(block, vector, columns[vector], scratch);
  }
}

void SumTable::add_column(const Block& block, std::size_t vector, std::size_t column, Scratch& scratch) {
  const Keys keys = block.keys[vector];
  const bool pairs = takes_pairs(operation_);
  const VectorView x = gather(block.vectors[vector], scratch.order, scratch.sorted[0]);
  const VectorView y = pairs ? gather(block.vectors[1], scratch.order, scratch.sorted[1]) : VectorView();
  scratch.indices.resize(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i)
    scratch.indices[i] = static_cast<std::uint32_t>(index(keys[scratch.order[i]], column));
  const bool by_group = few_groups(keys) != 0;
  for (std::size_t bin = 0; bin + 2 < scratch.counts.size(); ++bin) {
    const std::size_t begin = scratch.counts[bin], size = scratch.counts[bin + 1] - begin;
    if (size == 0) continue;
    const auto first = static_cast<std::int64_t>(begin), count = static_cast<std::int64_t>(size);
    const Keys indices = std::span(scratch.indices).subspan(begin, size);
    const VectorView x_part = x.part(first, count);
    const VectorView y_part = pairs ? y.part(first, count) : y;
    change(bin % part_count, *std::ranges::max_element(indices), [&](AccumulatorArray& sums) {
      if (by_group)
        pairs ? sums.add(indices[0], x_part, y_part, context_) : sums.add(indices[0], x_part, context_);
      else
        pairs ? sums.add(indices, x_part, y_part) : sums.add(indices, x_part);
    });
  }
}

void SumTable::add(AccumulatorArray& sums, const std::vector<std::size_t>& columns) {
  if (parts_[0]->sums.size() == 0 && columns.size() == columns_ && std::ranges::is_sorted(columns)) {
    parts_[0]->sums = std::move(sums);
    return;
  }
  change(0, columns_ - 1, [&](AccumulatorArray& mine) {
    for (std::size_t i = 0; i < columns.size(); ++i)
      mine.merge(static_cast<std::int64_t>(columns[i]), sums, static_cast<std::int64_t>(i));
  });
}

std::int64_t SumTable::count(std::size_t group, std::size_t column) const {
  const AccumulatorArray& sums = parts_[group % part_count]->sums;
  const auto i = static_cast<std::int64_t>(index(group, column));
  return i < sums.size() ? sums.count(i) : 0;
}

Accumulator SumTable::at(std::size_t group, std::size_t column) const {
  const AccumulatorArray& sums = parts_[group % part_count]->sums;
  const auto i = static_cast<std::int64_t>(index(group, column));
  return i < sums.size() ? sums.at(i) : Accumulator(operation_);
}

}  // namespace foldline::cli
