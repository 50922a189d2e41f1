// Values in the order of their keys: a partition by the keys' upper bits, such that the memory that is
// written at a time fits the caches, then each part by their lower bits.
#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <numeric>
#include <utility>

#include "contract/segments.hpp"
#include "foldline/detail/parallel.hpp"

namespace foldline::cpu {

namespace {

// Parts of the partition: a cache line of each, and a page for the address, fit the nearest caches.
constexpr int log_parts = 10;

using Positions = std::vector<std::int64_t>;

template <class Keys, class Word>
class Grouping {
 public:
  Grouping(const Keys& keys, const VectorView& values, std::int64_t count, int threads)
      : keys_(keys), values_(values), size_(values.size()), count_(count), threads_(threads) {
    const int bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count - 1)));
    shift_ = std::max(bits - log_parts, 0);
    parts_ = ((count - 1) >> shift_) + 1;
  }

  Groups run() {
    Groups groups;
    groups.values = std::make_unique_for_overwrite<std::byte[]>(at(size_) * sizeof(Word));
    groups.offsets.assign(at(count_) + 1, 0);
    auto* const out = reinterpret_cast<Word*>(groups.values.get());
    partition_places();
    if (shift_ == 0) {
      for (std::int64_t k = 0; k < count_; ++k) groups.offsets[at(k)] = begin(k);
      groups.offsets.back() = size_;
      partition([&](std::int64_t, std::int64_t place, const Word& value) { out[place] = value; });
      return groups;
    }
    const auto word = std::make_unique_for_overwrite<Word[]>(at(size_));
    // 32 bits hold the keys of a part: more would need 2^42 offsets
    const auto low = std::make_unique_for_overwrite<std::uint32_t[]>(at(size_));
    const Positions starts = first_of_part();
    partition([&](std::int64_t key, std::int64_t place, const Word& value) {
      word[at(place)] = value;
      low[at(place)] = static_cast<std::uint32_t>(key & ((std::int64_t{1} << shift_) - 1));
    });
    detail::run_parts(parts_, threads_, [&](std::int64_t part) {
      const std::int64_t first = starts[at(part)], end = starts[at(part) + 1];
      const std::int64_t first_key = part << shift_,
                         keys = std::min(std::int64_t{1} << shift_, count_ - first_key);
      std::int64_t* const offsets = groups.offsets.data() + first_key;
      Positions next(at(keys) + 1);
      for (std::int64_t i = first; i < end; ++i) ++next[low[at(i)] + 1];
      next[0] = first;
      std::partial_sum(next.begin(), next.end(), next.begin());
      std::copy_n(next.begin(), keys, offsets);
      for (std::int64_t i = first; i < end; ++i) out[next[low[at(i)]]++] = word[at(i)];
    });
    groups.offsets.back() = size_;
    return groups;
  }

 private:
  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
  std::int64_t first_of(std::int64_t thread) const {
    return size_ / threads_ * thread + std::min(size_ % threads_, thread);
  }
  std::int64_t& place(std::int64_t thread, std::int64_t part) {
    return places_[static_cast<std::size_t>(thread * parts_ + part)];
  }
  std::int64_t begin(std::int64_t part) { return place(0, part); }

  /// Where each thread writes the values of each part.
  void partition_places() {
    places_.assign(static_cast<std::size_t>(threads_ * parts_), 0);
    detail::run_parts(threads_, threads_, [&](std::int64_t thread) {
      Positions counts(at(parts_));
      for (std::int64_t i = first_of(thread); i < first_of(thread + 1); ++i)
        ++counts[static_cast<std::size_t>(keys_[i] >> shift_)];
      std::ranges::copy(counts, places_.begin() + thread * parts_);
    });
    std::int64_t next = 0;
    for (std::int64_t part = 0; part < parts_; ++part)
      for (int thread = 0; thread < threads_; ++thread) next += std::exchange(place(thread, part), next);
  }
  Positions first_of_part() {
    Positions starts(at(parts_) + 1);
    for (std::int64_t part = 0; part < parts_; ++part) starts[at(part)] = begin(part);
    starts.back() = size_;
    return starts;
  }
  template <class Store>
  void partition(const Store& store) {
    const std::int64_t step = values_.stride() * static_cast<std::int64_t>(sizeof(Word));
    detail::run_parts(threads_, threads_, [&](std::int64_t thread) {
      Positions next(places_.begin() + thread * parts_, places_.begin() + (thread + 1) * parts_);
      for (std::int64_t i = first_of(thread); i < first_of(thread + 1); ++i) {
        const std::int64_t key = keys_[i];
        Word value;
        std::memcpy(&value, static_cast<const std::byte*>(values_.data()) + i * step, sizeof value);
        store(key, next[static_cast<std::size_t>(key >> shift_)]++, value);
      }
    });
  }

  const Keys keys_;
  const VectorView& values_;
  const std::int64_t size_, count_;
  const int threads_;
  int shift_;
  std::int64_t parts_;
  Positions places_;
};

template <class Word, class Keys>
Groups grouped(const Keys& keys, const VectorView& values, std::int64_t count, int threads) {
  return Grouping<Keys, Word>(keys, values, count, threads).run();
}

}  // namespace

Groups group_by_key(const VectorView& view, const VectorView& values, std::int64_t count, int threads) {
  return visit_indices(view, [&](const auto& keys) {
    switch (size_of(values.type())) {
      case 1:
        return grouped<std::uint8_t>(keys, values, count, threads);
      case 2:
        return grouped<std::uint16_t>(keys, values, count, threads);
      case 4:
        return grouped<std::uint32_t>(keys, values, count, threads);
      default:
        return grouped<std::uint64_t>(keys, values, count, threads);
    }
  });
}

Groups group_sorted(const VectorView& view, std::int64_t count) {
  Groups groups;
  groups.offsets.resize(static_cast<std::size_t>(count) + 1);
  visit_indices(view, [&](const auto& keys) {
    std::int64_t next = 0;
    for (std::int64_t i = 0; i < view.size(); ++i)
      for (const std::int64_t key = keys[i]; next <= key; ++next)
        groups.offsets[static_cast<std::size_t>(next)] = i;
    for (; next <= count; ++next) groups.offsets[static_cast<std::size_t>(next)] = view.size();
  });
  return groups;
}

}  // namespace foldline::cpu
