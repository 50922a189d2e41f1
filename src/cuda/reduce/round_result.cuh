// Rounds the sums of a kernel and stores the result; one thread.
#pragma once

#include <type_traits>

#include "contract/operation_table.hpp"
#include "cuda/exact/block_limbs.cuh"
#include "cuda/finish/result_words.cuh"
#include "cuda/reduce/round_result.hpp"
#include "results/range.hpp"

namespace foldline::cuda {

/// As long as any operation needs; see results.cpp.
using ResultNumbers = VarianceScratch<Natural<160>>;

struct ResultSums {
  WordSum values, magnitudes, products;
  ExtremeKeys extrema;
  double zero;  // the result if the sum of values is zero
};

/// Which sums a result is rounded from, whatever their types: the same code for all kernels of a file.
template <bool Values, bool Magnitudes, bool Products, bool Extrema>
struct SumsToRound {
  static constexpr bool has_values = Values, has_magnitudes = Magnitudes, has_products = Products,
                        extrema = Extrema;
  static constexpr int count = Values + Magnitudes + Products;
};
/// Those of a KernelSums.
template <class Sums>
using ToRound = SumsToRound<Sums::has_values, Sums::has_magnitudes, Sums::has_products, Sums::extrema>;

/// True if kernels with these sums are asked for an operation: so each has the code of its own operations
/// only. `void`: of all.
template <class Sums, Operation Of>
inline constexpr bool computes = [] {
  if constexpr (std::is_void_v<Sums>) {
    return true;
  } else {
    const Needs& needs = needs_of(Of);
    return needs.values == Sums::has_values && needs.magnitudes == Sums::has_magnitudes &&
           (needs.squares || needs.products) == Sums::has_products && needs.extrema == Sums::extrema;
  }
}();

template <class Sums>
__device__ ResultSums sums_of(const ResultTask& task, const KernelResult* result) {
  if (task.count == 0) return {{}, {}, {}, {0, 0, true}, 0.0};
  const KernelResult& from = *result;
  const auto sum = [&](int index) -> WordSum {
    const SumWords& words = from.sum[index];
    return {{words.special[0], words.special[1], words.special[2]}, words.word, words.exponent, words.words};
  };
  ResultSums sums = {sum(0), sum(1), sum(2), {}, zero_sum(task.count, from.only_negative_zeros != 0)};
  if constexpr (computes<Sums, Operation::minimum>)
    sums.extrema = {wide_key_of(from.lowest_key, task.elements), wide_key_of(from.highest_key, task.elements),
                    false};
  return sums;
}

/// The result of an operation that needs one sum, but for root mean squares. Kernels have rounded it already
/// if the sum is finite and not zero (round_pieces.cuh, round_limbs.cuh).
template <class Sums>
__device__ double rounded_one_sum(const WordSum& sum, const ResultTask& task, double zero,
                                  ResultNumbers& numbers) {
  const Operation operation = task.result.operation;
  if constexpr (std::is_void_v<Sums>) {
    if (operation == Operation::two_norm)
      return rounded_of_squares(operation, sum, task.count, task.format, numbers.sum);
    return operation == Operation::mean ? rounded_mean(sum, task.count, zero, task.format, numbers.sum)
                                        : rounded_sum(sum, zero, task.format, numbers.sum);
  } else {
    if (operation == Operation::mean && task.count == 0) return from_bits(canonical_nan);
    return sum.specials.any() ? sum.specials.sum() : zero;
  }
}

template <class Sums>
__device__ double rounded_number(const ResultSums& sums, const ResultTask& task, ResultNumbers& numbers) {
  const FloatFormat& format = task.format;
  const Operation operation = task.result.operation;
  switch (operation) {
    case Operation::sum:
    case Operation::mean:
      if constexpr (computes<Sums, Operation::sum>)
        return rounded_one_sum<Sums>(sums.values, task, sums.zero, numbers);
      break;
    case Operation::abs_sum:
      if constexpr (computes<Sums, Operation::abs_sum>)
        return rounded_one_sum<Sums>(sums.magnitudes, task, 0.0, numbers);
      break;
    case Operation::dot:
    case Operation::two_norm:
      if constexpr (computes<Sums, Operation::dot>)
        return rounded_one_sum<Sums>(sums.products, task, 0.0, numbers);
      break;
    case Operation::root_mean_square:
      if constexpr (computes<Sums, Operation::root_mean_square>)
        return rounded_of_squares(Operation::root_mean_square, sums.products, task.count, format,
                                  numbers.sum);
      break;
    case Operation::variance:
    case Operation::standard_deviation:
    case Operation::standard_error:
      if constexpr (computes<Sums, Operation::variance>)
        return rounded_spread(operation, sums.values, sums.products, task.count, task.result.ddof, format,
                              numbers);
      break;
    case Operation::weighted_mean:
      if constexpr (computes<Sums, Operation::weighted_mean>)
        return rounded_weighted_mean(sums.values, sums.products, format, numbers.sum, numbers.square);
      break;
    case Operation::minimum:
    case Operation::maximum:
      if constexpr (computes<Sums, Operation::minimum>)
        return rounded_extremum(operation == Operation::minimum ? sums.extrema.lowest : sums.extrema.highest,
                                sums.extrema, format);
      break;
    case Operation::range:
      if constexpr (computes<Sums, Operation::range>) return rounded_range(sums.extrema, format);
      break;
    case Operation::statistics:
      break;
  }
  return from_bits(canonical_nan);
}

/// Stores the result as an integer of the task's type in `result`; returns false if it is none.
template <class Sums>
__device__ bool integer_result(const ResultSums& sums, const ResultTask& task, Natural<160>& number,
                               std::uint64_t& result) {
  const Operation operation = task.result.operation;
  TruncatedInteger value{};
  if (task.needs.extrema) {
    if constexpr (computes<Sums, Operation::minimum>) {
      if (!integer_extremum(operation, sums.extrema, value)) return false;
    }
  } else if constexpr (computes<Sums, Operation::sum> || computes<Sums, Operation::abs_sum> ||
                       computes<Sums, Operation::dot>) {
    const WordSum& sum = operation == Operation::sum       ? sums.values
                         : operation == Operation::abs_sum ? sums.magnitudes
                                                           : sums.products;
    if (sum.specials.any()) return false;
    const auto [negative, exponent] = sum.magnitude(number);
    value = integer_of(negative, number, exponent);
  }
  result = wrapped(value, task.integer_format);
  return value.is_integer && (task.wrap || fits(value, task.integer_format));
}

/// Rounds and stores a result. The caller provides `numbers` in shared memory: in local memory they would
/// take 2 KB for every thread that the device can have.
template <class Sums = void>
__device__ __noinline__ void round_and_store(const ResultTask& task, const KernelResult* result,
                                             ResultNumbers& numbers) {
  const ResultSums sums = sums_of<Sums>(task, result);
  std::uint64_t bits = 0;
  if (!task.is_integer) {
    bits = encoded(rounded_number<Sums>(sums, task, numbers), task.result.type);
  } else if (!integer_result<Sums>(sums, task, numbers.sum, bits)) {
    if (task.status != nullptr) atomicMax(task.status, ~0ull);
    return;
  }
  store_bits(task.result.out, bits, task.bytes);
}

}  // namespace foldline::cuda
