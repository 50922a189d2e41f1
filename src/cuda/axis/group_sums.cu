// Atomic additions to the words of keys, and the results of these.
#include "cuda/axis/group_sums.hpp"

#include <algorithm>
#include <bit>

#include "arithmetic/int128.hpp"
#include "arithmetic/rounding.hpp"
#include "cuda/axis/axis_task.hpp"
#include "cuda/axis/bounded_result.cuh"
#include "cuda/device/block.cuh"
#include "cuda/device/elements.cuh"
#include "cuda/device/item_loop.cuh"
#include "cuda/device/unsigned_word.hpp"
#include "cuda/runtime/check.hpp"
#include "results/rounded_results.hpp"

namespace foldline::cuda {

namespace {

constexpr auto doing = "adding up groups";

/// Value i as a double, which holds it exactly but for integers of 64 bits beyond 2^53.
template <class Word>
__device__ __forceinline__ double value_at(const std::byte* values, std::int64_t i, ElementType type) {
  const Word word = __ldcs(reinterpret_cast<const Word*>(values) + i);
  if constexpr (sizeof(Word) == 8) {
    if (type == ElementType::float64) return from_bits(word);
    return type == ElementType::int64 ? __ll2double_rn(static_cast<std::int64_t>(word))
                                      : __ull2double_rn(word);
  } else if constexpr (sizeof(Word) == 4) {
    if (type == ElementType::float32) return __uint_as_float(word);
    return type == ElementType::int32 ? static_cast<double>(static_cast<std::int32_t>(word)) : word;
  } else if constexpr (sizeof(Word) == 2) {
    if (type == ElementType::half) return widen(Half{word});
    if (type == ElementType::bfloat16) return widen(Bfloat16{word});
    return type == ElementType::int16 ? static_cast<std::int16_t>(word) : static_cast<int>(word);
  } else {
    if (type == ElementType::boolean) return word != 0 ? 1 : 0;
    return type == ElementType::int8 ? static_cast<std::int8_t>(word) : static_cast<int>(word);
  }
}

/// Counts keys at equal distances in a table of the block.
__global__ void look_at_some_keys(const GroupSumsTask task) {
  constexpr unsigned slots = 2 * sampled_keys;
  __shared__ std::uint32_t key_of[slots], count_of[slots];
  for (unsigned i = threadIdx.x; i < slots; i += blockDim.x) {
    key_of[i] = ~0u;  // is no key
    count_of[i] = 0;
  }
  __syncthreads();
  const std::int64_t sampled = min(task.size, std::int64_t{sampled_keys});
  unsigned hottest = 0;
  for (std::int64_t i = threadIdx.x; i < sampled; i += blockDim.x) {
    const std::uint32_t key = task.keys[task.size / sampled * i];
    unsigned slot = key * 2654435769u % slots;
    for (std::uint32_t there = key + 1; there != key; slot = (slot + 1) % slots) {
      there = atomicCAS(&key_of[slot], ~0u, key);
      if (there == ~0u) there = key;
      if (there == key) hottest = max(hottest, atomicAdd(&count_of[slot], 1u) + 1);
    }
  }
  atomicMax(&task.report->hottest, static_cast<unsigned long long>(hottest));
}

template <class Word>
__global__ void look_at_values(const __grid_constant__ GroupSumsTask task) {
  std::uint64_t largest = 0;
  bool negative_zeros = false;
  for (std::int64_t i = first_item(); i < task.size; i += item_step()) {
    const std::uint64_t bits = bits_of(value_at<Word>(task.values, i, task.type));
    largest = max(largest, bits << 1);
    negative_zeros |= bits == sign_bit;
  }
  for (int distance = 16; distance > 0; distance /= 2)
    largest = max(largest, __shfl_xor_sync(all_lanes, largest, distance));
  if (lane() == 0 && largest > *static_cast<volatile unsigned long long*>(&task.report->largest))
    atomicMax(&task.report->largest, static_cast<unsigned long long>(largest));
  if (__syncthreads_or(negative_zeros) && threadIdx.x == 0) task.report->negative_zeros = 1;
}

/// Adds a value to the words of its key; false if words do not hold it.
__device__ __forceinline__ bool add_value(const GroupSumsTask& task, std::uint32_t key, double x,
                                          double scale) {
  const double scaled = __dmul_rn(x, scale);
  const std::int64_t upper = __double2ll_rz(scaled);
  atomicAdd(task.upper + key, (static_cast<unsigned long long>(upper) << task.count_bits) + 1);
  const double rest = __dadd_rn(scaled, -__ll2double_rn(upper));
  if (rest == 0) return scaled != 0 || x == 0;
  const double lower = __dmul_rn(rest, power_of_two(lower_bits(task.count_bits)));
  const std::int64_t whole = __double2ll_rz(lower);
  atomicAdd(task.lower + key, static_cast<unsigned long long>(whole));
  return __ll2double_rn(whole) == lower;
}

template <class Word>
__global__ void add_values(const __grid_constant__ GroupSumsTask task) {
  constexpr int at_a_time = 4;
  const bool are_magnitudes = task.operation == Operation::abs_sum;
  const double scale = power_of_two(-task.unit);
  const std::int64_t step = item_step();
  volatile unsigned long long& failed = task.report->failed;
  for (std::int64_t first = first_item(); first < task.size; first += at_a_time * step) {
    if (failed != 0) return;
    std::uint32_t key[at_a_time];
    double x[at_a_time];
#pragma unroll
    for (int k = 0; k < at_a_time; ++k)
      if (const std::int64_t i = first + k * step; i < task.size) {
        key[k] = __ldcs(task.keys + i);
        x[k] = value_at<Word>(task.values, i, task.type);
      }
#pragma unroll
    for (int k = 0; k < at_a_time; ++k)
      if (first + k * step < task.size && !add_value(task, key[k], are_magnitudes ? fabs(x[k]) : x[k], scale))
        failed = 1;
  }
}

/// x * 2^exponent, rounded once, as bits of the result's type; x is not 0. If it is inexact, by less than
/// one, it has 64 bits or more.
__device__ std::uint64_t rounded_bits(const GroupSumsTask& task, bool is_negative, Uint128 x, bool is_inexact,
                                      int exponent) {
  LeadingBits leading = leading_bits(x, exponent);
  leading.sticky |= is_inexact;
  return narrowed(round(is_negative, leading, task.format), task.out_type);
}

/// The result of a key whose sum is not zero.
__device__ __forceinline__ std::uint64_t result_bits(const GroupSumsTask& task, Int128 sum, unsigned count) {
  const int exponent = task.unit - lower_bits(task.count_bits);
  const Uint128 size = magnitude(sum);
  if (task.operation != Operation::mean) return rounded_bits(task, sum < 0, size, false, exponent);
  const int shift = 127 - bit_length(size);
  const Uint128 dividend = size << shift, quotient = dividend / count;
  return rounded_bits(task, sum < 0, quotient, quotient * count != dividend, exponent - shift);
}

__global__ void store_results(const __grid_constant__ GroupSumsTask task) {
  if (*static_cast<volatile unsigned long long*>(&task.report->failed) != 0) return;
  unsigned long long taken = 0;
  for (std::int64_t key = first_item(); key < task.count; key += item_step()) {
    const auto upper = static_cast<std::int64_t>(task.upper[key]),
               lower = static_cast<std::int64_t>(task.lower[key]);
    const unsigned count = static_cast<unsigned>(upper) & ((1u << task.count_bits) - 1);
    const Int128 sum =
        static_cast<Int128>(upper >> task.count_bits) * (Int128{1} << lower_bits(task.count_bits)) + lower;
    taken += count;
    std::uint64_t bits = 0;
    if (task.is_integer)
      bits = static_cast<std::uint64_t>(upper >> task.count_bits);
    else if (task.operation == Operation::mean && count == 0)
      bits = task.nan;
    else if (sum != 0)
      bits = result_bits(task, sum, count);
    store_bits(task.out + key * task.out_stride, bits, task.out_bytes);
  }
  for (int distance = 16; distance > 0; distance /= 2) taken += __shfl_xor_sync(all_lanes, taken, distance);
  if (lane() == 0) atomicAdd(&task.report->taken, taken);
}

/// Threads whose warps each write to the report: few enough for one word.
constexpr std::int64_t items_that_report = std::int64_t{1} << 18;

constexpr int most_count_bits = 15;

/// Bits for counts of 32 times the mean, or more: groups are not of one size.
int count_bits_for(std::int64_t size, std::int64_t count) {
  return std::max(static_cast<int>(std::bit_width(static_cast<std::uint64_t>(size / count))) + 6, 10);
}

bool can_hold(const SegmentReduction& reduction) {
  const ElementType type = reduction.values.type(), out = reduction.out.type();
  const Operation operation = reduction.operation;
  if (operation != Operation::sum && operation != Operation::abs_sum && operation != Operation::mean)
    return false;
  if (is_floating(type)) return is_floating(out);
  // Upper parts alone hold integers of 32 bits, and others if these are no larger; their sums fit.
  static_assert(upper_bits(most_count_bits) > 32);
  return is_floating(out) || (size_of(out) == 8 && (is_signed(out) || !is_signed(type)));
}

}  // namespace

std::size_t group_sums_bytes(std::int64_t count) {
  return 2 * static_cast<std::size_t>(count) * sizeof(unsigned long long);
}

std::optional<GroupSumsTask> group_sums_task(const SegmentReduction& reduction, GroupReport* report,
                                             std::byte* memory, std::int64_t l2_bytes) {
  const std::int64_t size = reduction.values.size(), count = reduction.out.size();
  const int count_bits = count_bits_for(size, count);
  const bool is_cached = group_sums_bytes(count) <= static_cast<std::size_t>(l2_bytes) / 2;
  if (!can_hold(reduction) || count_bits > most_count_bits || !is_cached) return std::nullopt;
  const std::int64_t out_bytes = size_of(reduction.out.type());
  auto* const words = reinterpret_cast<unsigned long long*>(memory);
  return GroupSumsTask{.keys = nullptr,
                       .values = static_cast<const std::byte*>(reduction.values.data()),
                       .type = reduction.values.type(),
                       .size = size,
                       .count = count,
                       .operation = reduction.operation,
                       .out = reduction.out.at(0),
                       .out_stride = reduction.out.stride() * out_bytes,
                       .out_type = reduction.out.type(),
                       .format = format_of(reduction.out.type()),
                       .out_bytes = static_cast<int>(out_bytes),
                       .is_integer = !is_floating(reduction.out.type()),
                       .nan = nan_bits(reduction.out.type()),
                       .report = report,
                       .upper = words,
                       .lower = words + count,
                       .count_bits = count_bits,
                       .unit = 0};
}

void launch_looks(const GroupSumsTask& task, cudaStream_t stream) {
  look_at_some_keys<<<1, 1024, 0, stream>>>(task);
  check(cudaGetLastError(), doing);
  if (is_floating(task.type) || size_of(task.type) == 8)
    with_unsigned_word(size_of(task.type), [&]<class Word>(Word) {
      launch_for_items(&look_at_values<Word>, std::min(task.size, items_that_report), stream, doing, task);
    });
}

bool suits_words(GroupSumsTask& task, const GroupReport& found) {
  // Additions to one word wait for each other.
  const auto usual = static_cast<unsigned long long>(sampled_keys / task.count);
  if (task.size > 4 * sampled_keys && found.hottest > 8 + 4 * usual) return false;
  // All magnitudes are below 2^top.
  const int top = found.largest == 0 ? 0 : static_cast<int>(found.largest >> 53) - 1022;
  if (!is_floating(task.type)) {
    task.unit = 0;
    return top <= upper_bits(task.count_bits);
  }
  // A sum of nothing but -0 is -0; words do not tell.
  if (found.negative_zeros != 0 && task.operation != Operation::abs_sum) return false;
  constexpr int least = -700, most = 900;  // so that no scaled value overflows, and none of results
  task.unit = top - upper_bits(task.count_bits);
  return top >= least && top <= most;
}

void launch_group_sums(const GroupSumsTask& task, cudaStream_t stream) {
  check(cudaMemsetAsync(task.upper, 0, group_sums_bytes(task.count), stream), doing);
  with_unsigned_word(size_of(task.type), [&]<class Word>(Word) {
    launch_for_items(&add_values<Word>, (task.size - 1) / 4 + 1, stream, doing, task);
  });
  launch_for_items(&store_results, std::min(task.count, items_that_report), stream, doing, task);
}

}  // namespace foldline::cuda
