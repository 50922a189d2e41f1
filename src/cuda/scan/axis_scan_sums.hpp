// Running sums of scans along an axis: how elements become results.
#pragma once

#include "cuda/scan/axis_scan_elements.hpp"

namespace foldline::cuda {

/// Elements that are scanned at a time.
inline constexpr int scan_batch = 8;

/// A sum of floating-point numbers: two doubles while they hold it, then a long number in memory.
template <class Kind>
struct FloatSum {
  using Word = typename Kind::Word;
  TwoDoubles sum;
  ScanState* state;  // memory for the long number
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

  /// Adds elements.
  FOLDLINE_HOST_DEVICE void add(const AxisScanTask& task, const Word (&words)[scan_batch]) {
    if (!is_long) {
      const TwoDoubles before = sum;
      bool is_exact = true;
#pragma unroll
      for (int i = 0; i < scan_batch; ++i)
        is_exact = Kind::for_each_number(task, words[i], [&](double x) { return sum.add(x); }) && is_exact;
      if (is_exact) return sum.renormalise();
      lengthen(before);
    }
    for (const Word word : words) add_to_state(task, word);
  }
  /// Replaces elements by results.
  FOLDLINE_HOST_DEVICE void scan(const AxisScanTask& task, Word (&words)[scan_batch]) {
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
        return sum.renormalise();
      }
      lengthen(before);
    }
    scan_long(task, words);
  }

 private:
  FOLDLINE_HOST_DEVICE void begin(const TwoDoubles& from, bool with_state, const ScanState& long_sum) {
    sum = from;
    is_long = with_state;
    if (is_long) *state = long_sum;
  }
  FOLDLINE_HOST_DEVICE void lengthen(const TwoDoubles& from) {
    *state = ScanState();
    state->add(from.high);
    state->add(-from.rest);
    is_long = true;
  }
  FOLDLINE_HOST_DEVICE void add_to_state(const AxisScanTask& task, Word word) {
    Kind::for_each_number(task, word, [&](double x) { return state->add(x), true; });
  }
  FOLDLINE_HOST_DEVICE void scan_long(const AxisScanTask& task, Word (&words)[scan_batch]) {
#pragma unroll 1
    for (Word& word : words) {
      const Word element = word;
      if (!task.exclusive) add_to_state(task, element);
      word = static_cast<Word>(bits_of_number(state->rounded(task.format), task.out_type));
      if (task.exclusive) add_to_state(task, element);
    }
  }
};

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

  FOLDLINE_HOST_DEVICE void add(const AxisScanTask& task, const Word (&words)[scan_batch]) {
#pragma unroll
    for (int i = 0; i < scan_batch; ++i) sum += Kind::number(task, words[i]);
  }
  FOLDLINE_HOST_DEVICE void scan(const AxisScanTask& task, Word (&words)[scan_batch]) {
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
    if (was_long) {
      const ScanState& state = sums.state[part];
      running.prefix.add(state.prefix);
      running.specials.merge(state.specials);
      running.only_negative_zeros = running.only_negative_zeros && state.only_negative_zeros;
    } else {
      running.add(own.high);
      running.add(-own.rest);
    }
    sums.is_long[part] = true;
    sums.state[part] = before;
  }
}

}  // namespace foldline::cuda
