// Running sums of scans along an axis: how elements become results.
#pragma once

#include "cuda/scan/axis_scan_elements.hpp"

namespace foldline::cuda {

/// Adds the sum of more elements.
FOLDLINE_COLD_FUNCTION inline void append(ScanState& sum, const ScanState& more) {
  sum.prefix.add(more.prefix);
  sum.specials.merge(more.specials);
  sum.only_negative_zeros = sum.only_negative_zeros && more.only_negative_zeros;
}
FOLDLINE_COLD_FUNCTION inline void append(ScanState& sum, double x) { sum.add(x); }
FOLDLINE_HOST_DEVICE inline void append(ScanState& sum, const TwoDoubles& more) {
  append(sum, more.high);
  append(sum, -more.rest);
}
/// The bits of the sum, rounded to the type of results.
FOLDLINE_COLD_FUNCTION inline std::uint64_t rounded_bits(const ScanState& sum, const AxisScanTask& task) {
  return bits_of_number(sum.rounded(task.format), task.out_type);
}

/// A sum of floating-point numbers: two doubles while they hold it, then a long number in memory, if there is
/// any.
template <class Kind>
struct FloatSum {
  using Word = typename Kind::Word;
  TwoDoubles sum;
  ScanState* state;  // memory for the long number, or null
  bool is_long;

  FOLDLINE_HOST_DEVICE void start(const ScanStart& start) { begin(start.sum, start.is_long, start.state); }
  FOLDLINE_HOST_DEVICE void start(const PartSums& sums, std::int64_t part) {
    begin(sums.sum[part], sums.is_long[part], sums.state[part]);
  }
  FOLDLINE_HOST_DEVICE void store(PartSums& sums, std::int64_t part) const {
    sums.sum[part] = sum;
    sums.is_long[part] = is_long;
    if (is_long) sums.state[part] = *state;
  }

  /// Adds elements; false, and nothing changed, if that takes a long number and there is no memory for it.
  FOLDLINE_HOST_DEVICE bool add(const AxisScanTask& task, const Word (&words)[scan_batch]) {
    if (!is_long) {
      const TwoDoubles before = sum;
      bool is_exact = true;
#pragma unroll
      for (int i = 0; i < scan_batch; ++i)
        is_exact = Kind::for_each_number(task, words[i], [&](double x) { return sum.add(x); }) && is_exact;
      if (is_exact) return sum.renormalise(), true;
      sum = before;
      if (state == nullptr) return false;
      lengthen();
    }
#pragma unroll 1
    for (const Word word : words) add_to_state(task, word);
    return true;
  }
  /// Replaces elements by results; false as above.
  FOLDLINE_HOST_DEVICE bool scan(const AxisScanTask& task, Word (&words)[scan_batch]) {
    if (!is_long) {
      const TwoDoubles before = sum;
      Word results[scan_batch];
      bool is_exact = true;
#pragma unroll
      for (int i = 0; i < scan_batch; ++i) {
        const TwoDoubles without = sum;
        is_exact = Kind::for_each_number(task, words[i], [&](double x) { return sum.add(x); }) && is_exact;
        results[i] = Kind::rounded(task, task.exclusive ? without : sum);
      }
      if (is_exact) {
#pragma unroll
        for (int i = 0; i < scan_batch; ++i) words[i] = results[i];
        return sum.renormalise(), true;
      }
      sum = before;
      if (state == nullptr) return false;
      lengthen();
    }
    scan_long(task, words);
    return true;
  }

 private:
  FOLDLINE_HOST_DEVICE void begin(const TwoDoubles& from, bool with_state, const ScanState& long_sum) {
    sum = from;
    is_long = with_state;
    if (is_long && state != nullptr) *state = long_sum;
  }
  FOLDLINE_HOST_DEVICE void lengthen() {
    *state = ScanState();
    append(*state, sum);
    is_long = true;
  }
  FOLDLINE_HOST_DEVICE void add_to_state(const AxisScanTask& task, Word word) {
    Kind::for_each_number(task, word, [&](double x) { return append(*state, x), true; });
  }
  FOLDLINE_HOST_DEVICE void scan_long(const AxisScanTask& task, Word (&words)[scan_batch]) {
#pragma unroll 1
    for (Word& word : words) {
      const Word element = word;
      if (!task.exclusive) add_to_state(task, element);
      word = static_cast<Word>(rounded_bits(*state, task));
      if (task.exclusive) add_to_state(task, element);
    }
  }
};

/// Whether no result of the next elements can fail to fit, of so many as a team takes at a time; sums of
/// these are then below 2^63.
FOLDLINE_HOST_DEVICE inline bool fits_from(const AxisScanTask& task, Uint128 sum) {
  return task.safe_lowest <= static_cast<Int128>(sum) && static_cast<Int128>(sum) <= task.safe_highest;
}

/// A sum of integers.
template <class Kind>
struct IntegerSum {
  using Word = typename Kind::Word;
  Uint128 sum;
  std::int64_t place, end;  // of the next element, and of the end of the part
  std::int64_t overflow;    // the first place whose result does not fit

  FOLDLINE_HOST_DEVICE void start(const ScanStart& start) { sum = start.integer; }
  FOLDLINE_HOST_DEVICE void start(const PartSums& sums, std::int64_t part) { sum = sums.integer[part]; }
  FOLDLINE_HOST_DEVICE void store(PartSums& sums, std::int64_t part) const { sums.integer[part] = sum; }

  FOLDLINE_HOST_DEVICE bool add(const AxisScanTask& task, const Word (&words)[scan_batch]) {
#pragma unroll
    for (int i = 0; i < scan_batch; ++i) sum += Kind::number(task, words[i]);
    return true;
  }
  FOLDLINE_HOST_DEVICE bool scan(const AxisScanTask& task, Word (&words)[scan_batch]) {
    if (fits_from(task, sum)) {
      const auto first = static_cast<std::uint64_t>(sum);
      std::uint64_t low = first;
#pragma unroll
      for (int i = 0; i < scan_batch; ++i) {
        const std::uint64_t without = low;
        low += words[i];
        words[i] = (task.exclusive ? without : low) & task.mask;
      }
      sum += static_cast<Uint128>(Int128{static_cast<std::int64_t>(low - first)});
      place += scan_batch;
      return true;
    }
#pragma unroll
    for (int i = 0; i < scan_batch; ++i) {
      const Uint128 without = sum;
      sum += Kind::number(task, words[i]);
      const auto result = static_cast<Int128>(task.exclusive ? without : sum);
      if (task.checked && (result < task.lowest || result > task.highest) && place + i < end && overflow < 0)
        overflow = place + i;
      words[i] = static_cast<Word>(result) & task.mask;
    }
    place += scan_batch;
    return true;
  }
};

template <class Kind>
using RunningSumOf = std::conditional_t<Kind::has_integer_results, IntegerSum<Kind>, FloatSum<Kind>>;

/// Replaces the sums of a vector's parts by the sums before them, one by one.
FOLDLINE_HOST_DEVICE inline void find_sums_before(PartSums& sums, const AxisScanTask& task,
                                                  std::int64_t vector, ScanState& running) {
  for (std::int64_t i = 0; i < task.parts; ++i) {
    const std::int64_t part = i * task.vectors + vector;
    const bool was_long = sums.is_long[part];
    const TwoDoubles own = sums.sum[part];
    const ScanState before = running;
    if (was_long)
      append(running, sums.state[part]);
    else
      append(running, own);
    sums.is_long[part] = true;
    sums.state[part] = before;
  }
}

}  // namespace foldline::cuda
