// Element-wise all-reduce and reduce-scatter over peers' memory in which nobody reads over the link: each GPU
// writes what GPU g needs of its arrays to g's memory, where g adds it up and writes the sums to all.
// Requests for reads take room on the link, so for long arrays this is faster; and of several arrays only
// their exact sum is sent.
//
// Half of a block's threads send and the other half add up, chunk after chunk. A GPU has room for a few
// chunks of each block of each rank. What is sent is told by `sent`, that room is free again by `taken`: the
// number of the round above that of chunks.
#pragma once

#include "nccl/partial_sum.hpp"
#include "nccl/peer_kernel.cuh"

namespace foldline::nccl {

inline constexpr int half_threads = peer_threads / 2;
inline constexpr int senders_barrier = 1, adders_barrier = 2;

/// Waits for all threads of a half; tells whether any of them says so.
__device__ __forceinline__ bool any_of_half(int barrier, bool says) {
  int result;
  asm volatile(
      "{\n\t.reg .pred p, q;\n\tsetp.ne.s32 p, %3, 0;\n\t"
      "barrier.cta.red.or.pred q, %1, %2, p;\n\tselp.s32 %0, 1, 0, q;\n\t}"
      : "=r"(result)
      : "r"(barrier), "n"(half_threads), "r"(says ? 1 : 0)
      : "memory");
  return result != 0;
}

/// The vectors that a block adds up, of the results of one rank: chunk c of block b is the one of number
/// c * blocks + b. All ranks have as many.
struct Chunks {
  std::int64_t slice, units;  // vectors of a rank, and of all of them
  std::int64_t size, count;   // vectors of a chunk, and chunks of a block
  __device__ Chunks(std::int64_t of_slice, std::int64_t of_all, std::int64_t most)
      : slice(of_slice), units(of_all) {
    const std::int64_t fair = (slice + gridDim.x - 1) / gridDim.x;
    size = max(std::int64_t{1}, min(most, fair));
    count = (slice + size * gridDim.x - 1) / (size * gridDim.x);
  }
  __device__ std::int64_t first(int rank, std::int64_t chunk) const {
    return min(end_of(rank), slice * rank + (chunk * gridDim.x + blockIdx.x) * size);
  }
  __device__ std::int64_t last(int rank, std::int64_t chunk) const {
    return min(end_of(rank), first(rank, chunk) + size);
  }

 private:
  __device__ std::int64_t end_of(int rank) const { return min(units, slice * (rank + 1)); }
};

/// Where a chunk that `from` sends to `to` lies.
__device__ __forceinline__ std::byte* room_for(const PeerTask& task, int to, int from, std::int64_t chunk) {
  const std::int64_t slot =
      (std::int64_t{blockIdx.x} * rooms_of_block + chunk % rooms_of_block) * task.size + from;
  return reinterpret_cast<std::byte*>(task.mailbox[to] + 1) + slot * bytes_of_room;
}

__device__ __forceinline__ std::uint64_t tag_of(const Round& round, std::int64_t chunks) {
  return std::uint64_t{round.number} << 32 | static_cast<std::uint64_t>(chunks);
}
/// Whether a tag, or a later one, has come within the limit.
__device__ __forceinline__ bool has_come(const PeerTask& task, const std::uint64_t* at, std::uint64_t tag) {
  std::uint64_t value = 0;
  const bool came = wait_for(at, task.time_limit, value,
                             [&](std::uint64_t v) { return static_cast<std::int64_t>(v - tag) >= 0; });
  if (!came) report(task, Failure::time_limit);
  return came;
}

/// What is sent of an array's vector: itself, or of several arrays the words of their sum. These take several
/// vectors, of which the first ones of a chunk lie side by side, then the second ones, and so on:
/// neighbouring threads write neighbouring bytes.
template <class T, bool AreSums>
__device__ __forceinline__ void send_vectors(const PeerTask& task, const T* const* own, std::byte* to,
                                             const Chunks& chunks, std::int64_t first, std::int64_t last) {
  constexpr int size = Vector<T>::size;
  const auto thread = static_cast<int>(threadIdx.x) % half_threads;
  if constexpr (!AreSums) {
    constexpr int ahead = 4;
    for (std::int64_t i = first + thread; i < last; i += ahead * half_threads) {
      Vector<T> vectors[ahead];
#pragma unroll
      for (int a = 0; a < ahead; ++a)
        if (i + a * half_threads < last) vectors[a] = load_vector(own[0] + (i + a * half_threads) * size);
#pragma unroll
      for (int a = 0; a < ahead; ++a)
        if (i + a * half_threads < last)
          store_vector(reinterpret_cast<T*>(to) + (i + a * half_threads - first) * size, vectors[a]);
    }
  } else {
    using Word = typename Partial<T>::Word;
    constexpr int words = Partial<T>::words, of_vector = Vector<Word>::size;
    for (std::int64_t i = first + thread; i < last; i += half_threads) {
      Vector<T> terms[most_arrays];
#pragma unroll
      for (int p = 0; p < most_arrays; ++p)
        if (p < task.arrays) terms[p] = load_vector(own[p] + i * size);
      Vector<Word> sums[words][size / of_vector];
#pragma unroll
      for (int j = 0; j < size; ++j) {
        const Partial<T> sum = partial_sum<T, most_arrays>(task.arrays, [&](int p) { return terms[p].x[j]; });
#pragma unroll
        for (int w = 0; w < words; ++w) sums[w][j / of_vector].x[j % of_vector] = sum.word[w];
      }
      Word* const place = reinterpret_cast<Word*>(to) + (i - first) * of_vector;
#pragma unroll
      for (int w = 0; w < words; ++w)
#pragma unroll
        for (int k = 0; k < size / of_vector; ++k)
          store_vector(place + (w * (size / of_vector) + k) * chunks.size * of_vector, sums[w][k]);
    }
  }
}

/// Half of the threads. Returns false if a rank did not come.
template <class T, bool AreSums>
__device__ __forceinline__ bool send_all(const PeerTask& task, const Round& round, const Places<T>& places,
                                         const Chunks& chunks) {
  Mailbox& own = *task.mailbox[task.rank];
  const auto thread = static_cast<int>(threadIdx.x) % half_threads;
  const bool speaks = thread < task.size && (AreSums || thread != task.rank);
  for (std::int64_t c = 0; c < chunks.count; ++c) {
    bool failed = false;
    if (c >= rooms_of_block) {
      if (speaks)
        failed = !has_come(task, &own.taken[blockIdx.x][thread], tag_of(round, c - rooms_of_block + 1));
      if (any_of_half(senders_barrier, failed)) return false;
    }
    for (int p = AreSums ? 0 : 1; p < task.size; ++p) {
      const int to = task.rank + p < task.size ? task.rank + p : task.rank + p - task.size;
      send_vectors<T, AreSums>(task, places.in + task.rank * task.arrays, room_for(task, to, task.rank, c),
                               chunks, chunks.first(to, c), chunks.last(to, c));
    }
    any_of_half(senders_barrier, false);
    if (speaks) store_release(&task.mailbox[thread]->sent[blockIdx.x][task.rank], tag_of(round, c + 1));
  }
  return true;
}

/// The terms of a chunk's sums, such that they are found at the index of the whole array; in shared memory.
template <class Word>
struct ChunkTerms {
  const Word* at[2 * most_peers];
  __device__ const Word* operator()(int p) const { return at[p]; }
};

/// Words of sums in a chunk: of vector i of the results, those that begin at vector i of the words and go on
/// `step` words further.
template <class T>
struct ChunkWords {
  using Word = typename Partial<T>::Word;
  static constexpr int of_vector = Vector<Word>::size, vectors = Vector<T>::size / of_vector;
  const ChunkTerms<Word>& words;
  int count;
  std::int64_t step;
  __device__ const Word* vector(int p, std::int64_t i, int k) const {
    return words(p) + k * step + i * of_vector;
  }
};

/// Element j of vector i where the words that came do not tell its sum: from the arrays, if a word is no
/// number.
template <class T>
__device__ __noinline__ T sum_of_words_again(const ChunkWords<T>& words, const Places<T>& places, int terms,
                                             std::int64_t i, int j) {
  using Words = ChunkWords<T>;
  const auto word = [&](int p) { return words.vector(p, i, j / Words::of_vector)[j % Words::of_vector]; };
  for (int p = 0; p < words.count; ++p)
    if (!is_finite(widened(word(p)))) return sum_again<T>(places, terms, i * Vector<T>::size + j);
  return sum_of_terms<typename Words::Word, T>(words.count, word);
}

/// Sums of words, a vector of results at a time.
template <class T, class Store>
__device__ __forceinline__ void add_words(const ChunkWords<T>& words, const Places<T>& places, int terms,
                                          std::int64_t i, std::int64_t last, const Store& store) {
  using Words = ChunkWords<T>;
  const int log2_count = ceil_log2(words.count);
  for (; i < last; i += half_threads) {
    ElementSum<typename Words::Word, T> sums[Vector<T>::size];
#pragma unroll 4
    for (int p = 0; p < words.count; ++p)
#pragma unroll
      for (int k = 0; k < Words::vectors; ++k) {
        const auto vector = load_vector(words.vector(p, i, k));
#pragma unroll
        for (int j = 0; j < Words::of_vector; ++j) sums[k * Words::of_vector + j].add(vector.x[j]);
      }
    Vector<T> result;
#pragma unroll
    for (int j = 0; j < Vector<T>::size; ++j)
      if (!sums[j].rounds(log2_count, result.x[j]))
        result.x[j] = sum_of_words_again<T>(words, places, terms, i, j);
    store(i, result);
  }
}

/// The other half of the threads. Returns false if a rank did not come.
template <class T, int Terms, bool AreSums, class Store>
__device__ __forceinline__ bool add_all(const PeerTask& task, const Round& round, const Places<T>& places,
                                        const Chunks& chunks, const Store& store) {
  using Word = std::conditional_t<AreSums, typename Partial<T>::Word, T>;
  constexpr int words = AreSums ? Partial<T>::words : 1, of_vector = Vector<Word>::size;
  __shared__ ChunkTerms<Word> terms;
  Mailbox& own = *task.mailbox[task.rank];
  const auto thread = static_cast<int>(threadIdx.x) % half_threads;
  const bool speaks = thread < task.size && (AreSums || thread != task.rank);
  for (std::int64_t c = 0; c < chunks.count; ++c) {
    const std::int64_t first = chunks.first(task.rank, c), last = chunks.last(task.rank, c);
    bool failed = false;
    if (thread < task.size) {
      const std::int64_t before = first * of_vector;
      const auto* const came = reinterpret_cast<const Word*>(room_for(task, task.rank, thread, c)) - before;
      for (int w = 0; w < words; ++w) terms.at[thread * words + w] = came + w * chunks.size * Vector<T>::size;
      if constexpr (!AreSums)
        if (thread == task.rank) terms.at[thread] = places.in[thread];
    }
    if (speaks) failed = !has_come(task, &own.sent[blockIdx.x][thread], tag_of(round, c + 1));
    if (any_of_half(adders_barrier, failed)) return false;
    if constexpr (AreSums)
      add_words<T>({terms, task.size * words, chunks.size * of_vector}, places, task.size * task.arrays,
                   first + thread, last, store);
    else
      reduce_vectors<T, Terms>(terms, task.size, first + thread, last, half_threads, store);
    any_of_half(adders_barrier, false);
    if (speaks && c + rooms_of_block < chunks.count)
      store_release(&task.mailbox[thread]->taken[blockIdx.x][task.rank], tag_of(round, c + 1));
  }
  return true;
}

/// `Terms` is a limit for the number of ranks.
template <class T, int Terms, bool AreSums>
__global__ void __launch_bounds__(peer_threads, 1) reduce_sent(const __grid_constant__ PeerTask task) {
  __shared__ Round round;
  __shared__ Places<T> places;
  cuda::wait_for_previous_launch();
  bool done = begin_round(task, round);
  if (done) {
    const Split split = split_of<T>(task, find_places(task, round, places));
    const Results<T> results{task, places};
    if (split.by_vectors) {
      const Chunks chunks(split.slice, split.units, bytes_of_room / (AreSums ? 32 : 16));
      const bool failed = threadIdx.x < half_threads
                              ? !send_all<T, AreSums>(task, round, places, chunks)
                              : !add_all<T, Terms, AreSums>(
                                    task, round, places, chunks,
                                    [&](std::int64_t i, const Vector<T>& sums) { results.vector(i, sums); });
      done = __syncthreads_or(failed ? 1 : 0) == 0;
    }
    if (done) {
      reduce_rest<T>(task, places, split, results);
      done = end_round(task, round);
    }
  }
  if (!done) fill_with_nan(static_cast<T*>(task.out), task.count);
}

}  // namespace foldline::nccl
