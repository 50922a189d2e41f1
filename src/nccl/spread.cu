// Ranks' exact sums as integers: words with carries that wait, counts of NaN and infinities, the number of
// elements, and whether there is any but -0. Every rank gets those of all. Their sums are the words of the
// sum of everything, for up to 2^29 ranks: a word is below 2^34.
#include "nccl/spread.hpp"

#include <cstddef>

#include "cuda/device/programmatic_launch.cuh"
#include "cuda/reduce/round_result.cuh"
#include "cuda/runtime/check.hpp"
#include "cuda/runtime/programmatic_launch.hpp"
#include "foldline/operations.hpp"
#include "nccl/peers.cuh"

namespace foldline::nccl {

namespace {

using cuda::KernelResult;
using cuda::word_count;

constexpr int spread_threads = 512;
constexpr int words_of_sum = word_count + 3;
static_assert(cuda::max_sums * words_of_sum + 4 <= spread_words && record_words <= spread_threads);
static_assert(spread_words <= spread_threads);

__device__ int count_of_words(const SpreadTask& task) { return task.sums * words_of_sum + 2; }

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

using AllStatistics = Statistics<double, double, double>;
static_assert(sizeof(AllStatistics) == 9 * sizeof(double));

/// One thread.
__device__ void store_statistics(cuda::ResultTask task, const cuda::KernelResult& total,
                                 cuda::ResultNumbers& numbers) {
  *reinterpret_cast<std::int64_t*>(task.result.out) = task.count;
  for (const Operation operation :
       {Operation::minimum, Operation::maximum, Operation::sum, Operation::mean, Operation::variance,
        Operation::abs_sum, Operation::two_norm, Operation::standard_deviation}) {
    task.result.out += sizeof(double);
    task.result.operation = operation;
    cuda::round_and_store(task, &total, numbers);
  }
}

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
  if (task.kind == SpreadKind::statistics)
    store_statistics(result, all.total, all.numbers);
  else
    cuda::round_and_store(result, &all.total, all.numbers);
}

constexpr int row_offset = (SumLimbs::first_exponent - cuda::first_exponent) / 32;
static_assert(cuda::scan_rows <= spread_threads && row_offset + cuda::limb_rows < word_count);

/// All threads: the sum before this rank's elements. `word(rank, i)` is word i of a rank.
template <class Word>
__device__ void set_carry(const SpreadTask& task, const Word& word) {
  const auto row = static_cast<int>(threadIdx.x);
  cuda::ScanCarry& carry = *task.carry;
  if (row < cuda::scan_rows) {
    const bool is_limb = row < cuda::limb_rows, is_top = row == cuda::limb_rows - 1;
    const int index = is_limb                                     ? row + row_offset
                      : row == cuda::other_than_negative_zero_row ? words_of_sum + 1
                                                                  : word_count + row - cuda::limb_rows;
    std::int64_t sum = task.before.row[row];
    for (int rank = 0; rank < task.rank; ++rank) {
      sum += word(rank, index);
      // Above the highest limb there is only the sign, and carries.
      if (is_top)
        sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) +
                                        (static_cast<std::uint64_t>(word(rank, index + 1)) << 32));
    }
    carry.row[row] = sum;
  }
  if (row == 0) {
    carry.integer = task.before.integer;
    carry.overflow = task.before.overflow;
    carry.scanned = task.before.scanned;
  }
}

/// All threads: the end of a task. Of the keys maxima count.
template <class Word>
__device__ void end_task(const SpreadTask& task, const Word& word, AllSums& all) {
  if (task.kind == SpreadKind::agreement) return;
  if (is_scan(task.kind)) return set_carry(task, word);
  const auto i = static_cast<int>(threadIdx.x);
  const int words = count_of_words(task) + 2;
  const bool is_key = i >= words - 2;
  std::int64_t value = is_key ? INT64_MIN : 0;
  if (i < words)
    for (int rank = 0; rank < task.size; ++rank) {
      const std::int64_t of_rank = word(rank, i);
      value = !is_key ? value + of_rank : of_rank > value ? of_rank : value;
    }
  round_all(task, value, all);
}

/// All threads: results of what failed are no numbers.
__device__ void end_failed(const SpreadTask& task) {
  const auto i = static_cast<int>(threadIdx.x);
  if (task.kind == SpreadKind::agreement) return;
  if (is_scan(task.kind)) {
    if (i < cuda::scan_rows) task.carry->row[i] = i == cuda::nan_row ? 1 : 0;
    if (i == 0) task.carry->scanned = task.before.scanned;
    return;
  }
  const bool is_statistics = task.kind == SpreadKind::statistics;
  if (is_statistics && i == 0) *reinterpret_cast<std::int64_t*>(task.result.result.out) = 0;
  if (i < (is_statistics ? 8 : 1))
    cuda::store_bits(task.result.result.out + (is_statistics ? 8 * (i + 1) : 0),
                     cuda::encoded(from_bits(canonical_nan), task.result.result.type), task.result.bytes);
}

__global__ void __launch_bounds__(spread_threads) pack(const __grid_constant__ SpreadTask task) {
  const auto i = static_cast<int>(threadIdx.x);
  if (i < spread_words) task.record[i] = i < count_of_words(task) + 2 ? packed(task, i) : 0;
  if (i == spread_words) task.record[i] = static_cast<std::int64_t>(task.call);
  if (i == spread_words + 1) task.record[i] = static_cast<std::int64_t>(task.argument);
}

__global__ void __launch_bounds__(spread_threads) end_spread(const __grid_constant__ SpreadTask task) {
  alignas(AllSums) __shared__ std::byte memory[sizeof(AllSums)];
  auto& all = *reinterpret_cast<AllSums*>(memory);
  const auto word = [&](int rank, int i) { return task.record[(rank + 1) * std::int64_t{record_words} + i]; };
  bool differs = false;
  for (auto rank = static_cast<int>(threadIdx.x); rank < task.size; rank += spread_threads)
    differs = differs || word(rank, spread_words) != static_cast<std::int64_t>(task.call) ||
              word(rank, spread_words + 1) != static_cast<std::int64_t>(task.argument);
  if (__syncthreads_or(differs ? 1 : 0) == 0) return end_task(task, word, all);
  end_failed(task);
  if (threadIdx.x == 0) {
    *static_cast<volatile std::uint32_t*>(task.failure) = static_cast<std::uint32_t>(Failure::mismatch);
    __threadfence_system();
  }
}

/// One block. Each rank writes its words to all, and when all have done so each adds them up.
__global__ void __launch_bounds__(spread_threads)
    spread_over_peers(const __grid_constant__ SpreadTask task, const __grid_constant__ PeerTask peers) {
  __shared__ Round round;
  alignas(AllSums) __shared__ std::byte memory[sizeof(AllSums)];
  auto& all = *reinterpret_cast<AllSums*>(memory);
  const auto i = static_cast<int>(threadIdx.x);
  cuda::wait_for_previous_launch();
  bool done = begin_round(peers, round);
  if (done) {
    if (i < count_of_words(task) + 2) {
      const std::int64_t word = packed(task, i);
      for (int peer = 0; peer < peers.size; ++peer) peers.mailbox[peer]->words[peers.rank][i] = word;
    }
    done = end_round(peers, round);
  }
  if (!done) return end_failed(task);
  const Mailbox& own = *peers.mailbox[peers.rank];
  end_task(
      task,
      [&](int rank, int index) {
        return *static_cast<const volatile std::int64_t*>(&own.words[rank][index]);
      },
      all);
}

void launch(const void* kernel, const SpreadTask& task, cudaStream_t stream) {
  void* arguments[] = {const_cast<SpreadTask*>(&task)};
  cuda::check(cudaLaunchKernel(kernel, dim3(1), dim3(spread_threads), arguments, 0, stream),
              "starting a spread sum");
}

}  // namespace

void launch_pack(const SpreadTask& task, cudaStream_t stream) {
  launch(reinterpret_cast<const void*>(pack), task, stream);
}

void launch_end(const SpreadTask& task, cudaStream_t stream) {
  launch(reinterpret_cast<const void*>(end_spread), task, stream);
}

void launch_spread_over_peers(const SpreadTask& task, PeerTask peers, cudaStream_t stream) {
  peers.what = task.call | task.argument >> 40 << 24;
  peers.count = static_cast<std::int64_t>(task.argument & ((std::uint64_t{1} << 40) - 1));
  void* arguments[] = {const_cast<SpreadTask*>(&task), &peers};
  cuda::launch_programmatically(reinterpret_cast<const void*>(spread_over_peers),
                                {.blocks = dim3(1), .threads = dim3(spread_threads), .stream = stream},
                                arguments, "starting a spread sum");
}

void load_spread_kernels() {
  cudaFuncAttributes attributes;
  for (const void* const kernel :
       {reinterpret_cast<const void*>(pack), reinterpret_cast<const void*>(end_spread),
        reinterpret_cast<const void*>(spread_over_peers)})
    cuda::check(cudaFuncGetAttributes(&attributes, kernel), "loading a kernel");
}

}  // namespace foldline::nccl
