// One warp rounds the result of a reduction. Its numbers are in shared memory: in local memory they would
// take 2 KB of each thread that the device can have.
#include "cuda/round_result.hpp"

#include "cuda/block_limbs.cuh"
#include "cuda/check.hpp"
#include "cuda/result_words.cuh"

namespace foldline::cuda {

namespace {

constexpr int warp_threads = 32;

/// As long as any operation on the CPU needs them; see results.cpp.
using Number = Natural<160>;

/// The sums of a reduction, whose words are in shared memory.
struct Sums {
  WordSum values, magnitudes, products;
  Extrema extrema;
  double zero;  // what a sum of values is if it is zero
};

__device__ Sums sums_of(const ResultTask& task, const std::int64_t (&word)[max_sums][word_count]) {
  if (task.count == 0) return {{}, {}, {}, {0, 0, true}, 0.0};
  const KernelResult& from = *task.sums;
  const auto sum = [&](int place) -> WordSum {
    const SumWords& words = from.sum[place];
    return {{words.special[0], words.special[1], words.special[2]}, word[place], words.exponent, words.words};
  };
  return {sum(0),
          sum(1),
          sum(2),
          {wide_key_of(from.lowest_key, task.elements), wide_key_of(from.highest_key, task.elements), false},
          zero_sum(task.count, from.only_negative_zeros != 0)};
}

__device__ double rounded_number(const Sums& sums, const ResultTask& task, VarianceNumbers<Number>& numbers) {
  const FloatFormat& format = task.format;
  switch (task.result.operation) {
    case Operation::sum:
      return rounded_sum(sums.values, sums.zero, format, numbers.sum);
    case Operation::abs_sum:
      return rounded_sum(sums.magnitudes, 0.0, format, numbers.sum);
    case Operation::dot:
      return rounded_sum(sums.products, 0.0, format, numbers.sum);
    case Operation::two_norm:
      return rounded_norm(sums.products, format, numbers.sum);
    case Operation::mean:
      return rounded_mean(sums.values, task.count, sums.zero, format, numbers.sum);
    case Operation::variance:
      return rounded_variance(sums.values, sums.products, task.count, task.result.ddof, format, numbers);
    case Operation::weighted_mean:
      return rounded_weighted_mean(sums.values, sums.products, format, numbers.sum, numbers.square);
    case Operation::minimum:
      return rounded_extremum(sums.extrema.lowest, sums.extrema, format);
    case Operation::maximum:
      return rounded_extremum(sums.extrema.highest, sums.extrema, format);
    case Operation::statistics:
      break;
  }
  return from_bits(canonical_nan);
}

/// The result as an integer of the type's, or false if it is none.
__device__ bool whole_number(const Sums& sums, const ResultTask& task, Number& number,
                             std::uint64_t& result) {
  const Operation operation = task.result.operation;
  Integer value{};
  if (task.needs.extrema) {
    const WideKey key = operation == Operation::minimum ? sums.extrema.lowest : sums.extrema.highest;
    if (bits_of(special_extremum(key, sums.extrema)) != 0) return false;
    value = integer_of(key);
  } else {
    const WordSum& sum = operation == Operation::sum       ? sums.values
                         : operation == Operation::abs_sum ? sums.magnitudes
                                                           : sums.products;
    if (sum.specials.any()) return false;
    const auto [negative, exponent] = sum.magnitude(number);
    value = integer_of(negative, number, exponent);
  }
  result = wrapped(value, task.integer_format);
  return value.whole && (task.wrap || fits(value, task.integer_format));
}

__global__ void __launch_bounds__(warp_threads) round_result(const __grid_constant__ ResultTask task) {
  __shared__ std::int64_t word[max_sums][word_count];
  __shared__ VarianceNumbers<Number> numbers;
  const int lane = static_cast<int>(threadIdx.x);
  const Needs& needs = task.needs;
  const bool needed[max_sums] = {needs.values, needs.magnitudes, needs.squares || needs.products};
  for (int place = 0; place < max_sums; ++place)
    if (needed[place] && task.count > 0)
      for (int i = lane; i < task.sums->sum[place].words; i += warp_threads)
        word[place][i] = task.sums->sum[place].word[i];
  __syncwarp();
  if (lane != 0) return;
  const Sums sums = sums_of(task, word);
  std::uint64_t bits = 0;
  if (!task.whole) {
    bits = encoded(rounded_number(sums, task, numbers), task.result.type);
  } else if (!whole_number(sums, task, numbers.sum, bits)) {
    if (task.status != nullptr) atomicMax(task.status, ~0ull);
    return;
  }
  store_bits(task.result.out, bits, task.bytes);
}

constexpr int adding_threads = 160;
static_assert(word_count <= adding_threads);

/// A word of a sum that has one for each place.
__device__ std::int64_t word_at(const SumWords& sum, int place) {
  const int i = place - (sum.exponent - first_exponent) / 32;
  return 0 <= i && i < sum.words ? sum.word[i] : 0;
}

/// A total has a word for each place, with the carry of the one below and without its own, unless it is the
/// highest: so small that those of another launch, below 2^62, can be added.
__global__ void __launch_bounds__(adding_threads)
    add_to_total(const KernelResult* part, KernelResult* total, bool is_first) {
  __shared__ std::int64_t carry[word_count + 1];
  const int place = static_cast<int>(threadIdx.x);
  if (place == 0) carry[0] = 0;
  for (int s = 0; s < max_sums; ++s) {
    SumWords& sum = total->sum[s];
    std::int64_t word = 0;
    if (place < word_count) {
      word = word_at(part->sum[s], place) + (is_first ? 0 : sum.word[place]);
      carry[place + 1] = word >> 32;
    }
    __syncthreads();
    if (place < word_count)
      sum.word[place] = (place == word_count - 1 ? word : word & 0xffffffff) + carry[place];
    if (place < 3) sum.special[place] = part->sum[s].special[place] + (is_first ? 0 : sum.special[place]);
    if (place == 0) sum.exponent = first_exponent, sum.words = word_count;
    __syncthreads();
  }
  if (place != 0) return;
  total->lowest_key = is_first ? part->lowest_key : min(total->lowest_key, part->lowest_key);
  total->highest_key = is_first ? part->highest_key : max(total->highest_key, part->highest_key);
  total->only_negative_zeros =
      part->only_negative_zeros != 0 && (is_first || total->only_negative_zeros != 0) ? 1 : 0;
}

}  // namespace

void launch_add_to_total(const KernelResult* part, KernelResult* total, bool is_first, cudaStream_t stream) {
  void* arguments[] = {&part, &total, &is_first};
  check(cudaLaunchKernel(add_to_total, dim3(1), dim3(adding_threads), arguments, 0, stream),
        "starting to add up a reduction");
}

ResultTask result_task(const Reduction& reduction, const DeviceResult& result, Overflow overflow) {
  return {.sums = nullptr,
          .count = reduction.x.size(),
          .elements = reduction.x.type(),
          .result = result,
          .needs = needs_of(result.operation),
          .whole = !is_floating(result.type),
          .wrap = overflow == Overflow::wrap,
          .bytes = static_cast<int>(size_of(result.type)),
          .format = format_of(result.type),
          .integer_format = integer_format_of(result.type),
          .status = nullptr};
}

void launch_round_result(const ResultTask& task, cudaStream_t stream) {
  void* arguments[] = {const_cast<ResultTask*>(&task)};
  check(cudaLaunchKernel(round_result, dim3(1), dim3(warp_threads), arguments, 0, stream),
        "starting to round a result");
}

}  // namespace foldline::cuda
