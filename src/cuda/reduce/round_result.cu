// Kernels that combine the results of several launches and round them.
#include "cuda/reduce/round_result.cuh"

#include "cuda/runtime/check.hpp"

namespace foldline::cuda {

namespace {

constexpr int warp_threads = 32;

__global__ void __launch_bounds__(warp_threads) round_result(const __grid_constant__ ResultTask task) {
  __shared__ ResultNumbers numbers;
  if (threadIdx.x == 0) round_and_store(task, task.sums, numbers);
}

constexpr int adding_threads = 160;
static_assert(word_count <= adding_threads);

/// The word of a sum at an index counted from first_exponent.
__device__ std::int64_t word_at(const SumWords& sum, int index) {
  const int i = index - (sum.exponent - first_exponent) / 32;
  return 0 <= i && i < sum.words ? sum.word[i] : 0;
}

/// `total` has a word at every index. Each passes its carry up except the highest, so that words stay small
/// enough to add those of another launch, which are below 2^62.
__global__ void __launch_bounds__(adding_threads)
    add_to_total(const KernelResult* part, KernelResult* total, bool is_first) {
  __shared__ std::int64_t carry[word_count + 1];
  const int index = static_cast<int>(threadIdx.x);
  if (index == 0) carry[0] = 0;
  for (int s = 0; s < max_sums; ++s) {
    SumWords& sum = total->sum[s];
    std::int64_t word = 0;
    if (index < word_count) {
      word = word_at(part->sum[s], index) + (is_first ? 0 : sum.word[index]);
      carry[index + 1] = word >> 32;
    }
    __syncthreads();
    if (index < word_count)
      sum.word[index] = (index == word_count - 1 ? word : word & 0xffffffff) + carry[index];
    if (index < 3) sum.special[index] = part->sum[s].special[index] + (is_first ? 0 : sum.special[index]);
    if (index == 0) sum.exponent = first_exponent, sum.words = word_count;
    __syncthreads();
  }
  if (index != 0) return;
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
          .is_integer = !is_floating(result.type),
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
