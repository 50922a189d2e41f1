// Ranks' exact sums as integers: words with carries that wait, counts of NaN and infinities, the number of
// elements, and whether there is any but -0. Their sums over all ranks are the words of the sum of
// everything, for up to 2^29 ranks: a word is below 2^34 then.
#include "nccl/spread.hpp"

#include "cuda/device/programmatic_launch.cuh"
#include "cuda/reduce/round_result.cuh"
#include "cuda/runtime/check.hpp"
#include "cuda/runtime/programmatic_launch.hpp"
#include "nccl/peers.cuh"

namespace foldline::nccl {

namespace {

using cuda::KernelResult;
using cuda::word_count;

constexpr int spread_threads = 512;
constexpr int words_of_sum = word_count + 3;
static_assert(cuda::max_sums * words_of_sum + 4 <= spread_words);
static_assert(spread_words <= spread_threads);

__host__ __device__ int count_of_words(const SpreadTask& task) { return task.sums * words_of_sum + 2; }

/// The word of a sum at an index counted from first_exponent.
__device__ std::int64_t word_at(const cuda::SumWords& sum, int index) {
  const int i = index - (sum.exponent - cuda::first_exponent) / 32;
  return 0 <= i && i < sum.words ? sum.word[i] : 0;
}

/// Word i of this rank; behind the words the key of the largest element, and that of the smallest inverted,
/// of which the maxima count.
__device__ std::int64_t packed(const SpreadTask& task, int i) {
  const std::int64_t count = task.result.count;
  const int behind = i - task.sums * words_of_sum;
  if (behind == 0) return count;
  if (count == 0) return behind < 2 ? 0 : INT64_MIN;
  const KernelResult& own = *task.own;
  if (behind == 1) return own.only_negative_zeros == 0 ? 1 : 0;
  if (behind == 2) return own.highest_key;
  if (behind == 3) return ~own.lowest_key;
  const cuda::SumWords& sum = own.sum[task.sum[i / words_of_sum]];
  const int index = i % words_of_sum;
  if (index >= word_count) return sum.special[index - word_count];
  // Each passes its carry up except the highest, so that words are small enough to be added up.
  const std::int64_t word = word_at(sum, index), below = index == 0 ? 0 : word_at(sum, index - 1);
  return (index == word_count - 1 ? word : word & 0xffffffff) + (below >> 32);
}

/// The sums of all ranks in shared memory. They begin with the first word that is not zero, since one thread
/// looks at all of them.
struct AllSums {
  KernelResult total;
  cuda::ResultNumbers numbers;
  int first[cuda::max_sums], end[cuda::max_sums];
  std::int64_t count;
};

/// All threads: rounds the result, of which thread i has word i.
__device__ void round_all(const SpreadTask& task, std::int64_t value, AllSums& all) {
  const auto i = static_cast<int>(threadIdx.x);
  const int behind = i - task.sums * words_of_sum, slot = i / words_of_sum, index = i % words_of_sum;
  const bool is_word = behind < 0 && index < word_count;
  if (i < cuda::max_sums) all.first[i] = word_count, all.end[i] = 0;
  __syncthreads();
  if (is_word && value != 0) {
    atomicMin(&all.first[slot], index);
    atomicMax(&all.end[slot], index + 1);
  }
  if (behind == 0) all.count = value;
  if (behind == 1) all.total.only_negative_zeros = value == 0 ? 1 : 0;
  if (behind == 2) all.total.highest_key = value;
  if (behind == 3) all.total.lowest_key = ~value;
  __syncthreads();
  if (behind < 0) {
    cuda::SumWords& sum = all.total.sum[task.sum[slot]];
    const int first = all.first[slot], end = all.end[slot];
    if (!is_word) sum.special[index - word_count] = value;
    if (is_word && first <= index && index < end) sum.word[index - first] = value;
    if (index == 0) {
      sum.words = end > first ? end - first : 0;
      sum.exponent = cuda::first_exponent + 32 * (end > first ? first : 0);
    }
  }
  __syncthreads();
  if (i != 0) return;
  cuda::ResultTask result = task.result;
  result.count = all.count;
  cuda::round_and_store(result, &all.total, all.numbers);
}

__global__ void __launch_bounds__(spread_threads) pack(const __grid_constant__ SpreadTask task) {
  const auto i = static_cast<int>(threadIdx.x);
  if (i < count_of_words(task)) task.words[i] = packed(task, i);
  if (i < 2) task.words[spread_words + i] = packed(task, count_of_words(task) + i);
}

__global__ void __launch_bounds__(spread_threads) round_spread(const __grid_constant__ SpreadTask task) {
  __shared__ AllSums all;
  const auto i = static_cast<int>(threadIdx.x);
  const int words = count_of_words(task);
  round_all(task, i < words ? task.words[i] : i < words + 2 ? task.words[spread_words + i - words] : 0, all);
}

/// One block. Each rank writes its words to all, and when all have done so each adds them up.
__global__ void __launch_bounds__(spread_threads)
    spread_over_peers(const __grid_constant__ SpreadTask task, const __grid_constant__ PeerTask peers) {
  __shared__ Round round;
  __shared__ AllSums all;
  const auto i = static_cast<int>(threadIdx.x);
  const int words = count_of_words(task) + 2;
  cuda::wait_for_previous_launch();
  bool done = begin_round(peers, round);
  if (done) {
    if (i < words) {
      const std::int64_t word = packed(task, i);
      for (int peer = 0; peer < peers.size; ++peer) peers.mailbox[peer]->words[peers.rank][i] = word;
    }
    done = end_round(peers, round);
  }
  if (done) {
    const bool is_key = i >= words - 2;
    std::int64_t value = is_key ? INT64_MIN : 0;
    if (i < words) {
      const Mailbox& own = *peers.mailbox[peers.rank];
      for (int peer = 0; peer < peers.size; ++peer) {
        const std::int64_t word = *static_cast<const volatile std::int64_t*>(&own.words[peer][i]);
        value = !is_key ? value + word : word > value ? word : value;
      }
    }
    round_all(task, value, all);
  } else if (i == 0) {
    const double nan = from_bits(canonical_nan);
    cuda::store_bits(task.result.result.out, cuda::encoded(nan, task.result.result.type), task.result.bytes);
  }
}

void launch(const void* kernel, void** arguments, cudaStream_t stream) {
  cuda::check(cudaLaunchKernel(kernel, dim3(1), dim3(spread_threads), arguments, 0, stream),
              "starting a spread sum");
}

}  // namespace

int words_of(const SpreadTask& task) { return count_of_words(task); }

void launch_pack(const SpreadTask& task, cudaStream_t stream) {
  void* arguments[] = {const_cast<SpreadTask*>(&task)};
  launch(reinterpret_cast<const void*>(pack), arguments, stream);
}

void launch_round(const SpreadTask& task, cudaStream_t stream) {
  void* arguments[] = {const_cast<SpreadTask*>(&task)};
  launch(reinterpret_cast<const void*>(round_spread), arguments, stream);
}

void launch_spread_over_peers(const SpreadTask& task, PeerTask peers, cudaStream_t stream) {
  void* arguments[] = {const_cast<SpreadTask*>(&task), &peers};
  cuda::launch_programmatically(reinterpret_cast<const void*>(spread_over_peers),
                                {.blocks = dim3(1), .threads = dim3(spread_threads), .stream = stream},
                                arguments, "starting a spread sum");
}

void load_spread_kernels() {
  cudaFuncAttributes attributes;
  for (const void* const kernel :
       {reinterpret_cast<const void*>(pack), reinterpret_cast<const void*>(round_spread),
        reinterpret_cast<const void*>(spread_over_peers)})
    cuda::check(cudaFuncGetAttributes(&attributes, kernel), "loading a kernel");
}

}  // namespace foldline::nccl
