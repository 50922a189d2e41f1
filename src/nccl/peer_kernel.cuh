// Element-wise all-reduce and reduce-scatter of arrays in the memory of several GPUs of one host: GPU g adds
// up slice g of all arrays and writes it to all.
#pragma once

#include <cstdint>

#include "cuda/device/programmatic_launch.cuh"
#include "nccl/peers.cuh"
#include "nccl/reduce_range.cuh"

namespace foldline::nccl {

inline constexpr int peer_threads = 512;

/// The arrays of a round in the order of ranks, and where its results go; in shared memory.
template <class T>
struct Places {
  const T* in[most_peers * most_arrays];
  T* out[most_peers];
  __device__ const T* operator()(int p) const { return in[p]; }
};

/// All threads of a block. Returns whether all of them begin at multiples of 16 bytes.
template <class T>
__device__ inline bool find_places(const PeerTask& task, const Round& round, Places<T>& places) {
  const auto thread = static_cast<int>(threadIdx.x);
  bool is_aligned = true;
  const int peer = thread / message_words, word = thread % message_words;
  if (peer < task.size && word >= 2 && word < head_words + task.arrays) {
    const std::byte* address = nullptr;
    if (task.pieces == nullptr || peer != task.rank)
      address = address_of(task, peer, round.message[peer][word]);
    else
      address = word == 2 ? static_cast<const std::byte*>(task.out)
                          : static_cast<const std::byte*>(task.in[word - head_words]);
    is_aligned = reinterpret_cast<std::uintptr_t>(address) % 16 == 0;
    if (word == 2)
      places.out[peer] = reinterpret_cast<T*>(const_cast<std::byte*>(address));
    else
      places.in[peer * task.arrays + word - head_words] = reinterpret_cast<const T*>(address);
  }
  return __syncthreads_and(is_aligned ? 1 : 0) != 0;
}

/// A result that was not computed is no number.
template <class T>
__device__ inline void fill_with_nan(T* out, std::int64_t count) {
  const T nan = narrowed<T>(from_bits(canonical_nan));
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step)
    out[i] = nan;
}

/// How ranks share the elements: by vectors, or one by one if an array does not begin at a multiple of 16
/// bytes. The first and last of this rank's slice, and how many there are.
struct Split {
  bool by_vectors;
  std::int64_t elements, units, slice, first, last;
};
template <class T>
__device__ __forceinline__ Split split_of(const PeerTask& task, bool is_aligned) {
  constexpr int size = Vector<T>::size;
  Split split;
  split.elements = task.scatters ? task.count * task.size : task.count;
  split.by_vectors = is_aligned && (!task.scatters || task.count % size == 0);
  split.units = split.by_vectors ? split.elements / size : split.elements;
  split.slice = (split.units + task.size - 1) / task.size;
  split.first = min(split.units, split.slice * task.rank);
  split.last = min(split.units, split.first + split.slice);
  return split;
}

/// Where the sums of this rank's slice go.
template <class T>
struct Results {
  const PeerTask& task;
  const Places<T>& places;
  template <class Put>
  __device__ __forceinline__ void put_everywhere(std::int64_t element, const Put& put) const {
    if (task.scatters) return put(places.out[task.rank] + (element - task.count * task.rank));
    for (int p = 0; p < task.size; ++p) {
      const int peer = task.rank + p < task.size ? task.rank + p : task.rank + p - task.size;
      put(places.out[peer] + element);
    }
  }
  __device__ __forceinline__ void element(std::int64_t i, T sum) const {
    put_everywhere(i, [&](T* to) { *to = sum; });
  }
  __device__ __forceinline__ void vector(std::int64_t i, const Vector<T>& sums) const {
    put_everywhere(i * Vector<T>::size, [&](T* to) { store_vector(to, sums); });
  }
};

/// What cannot be done by vectors: all, or what is left of the last one.
template <class T>
__device__ __forceinline__ void reduce_rest(const PeerTask& task, const Places<T>& places, const Split& split,
                                            const Results<T>& results) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const std::int64_t own = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t first = split.by_vectors ? split.units * Vector<T>::size : split.first;
  const std::int64_t last = split.by_vectors ? split.elements : split.last;
  if (split.by_vectors && task.rank != task.size - 1) return;
  reduce_elements<T>(places, task.size * task.arrays, first + own, last, step,
                     [&](std::int64_t i, T sum) { results.element(i, sum); });
}

template <class T, int Terms>
__global__ void __launch_bounds__(peer_threads, 1) reduce_over_peers(const __grid_constant__ PeerTask task) {
  __shared__ Round round;
  __shared__ Places<T> places;
  cuda::wait_for_previous_launch();
  bool done = begin_round(task, round);
  if (done) {
    const Split split = split_of<T>(task, find_places(task, round, places));
    const Results<T> results{task, places};
    if (split.by_vectors)
      reduce_vectors<T, Terms>(places, task.size * task.arrays,
                               split.first + static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x,
                               split.last, static_cast<std::int64_t>(gridDim.x) * blockDim.x,
                               [&](std::int64_t i, const Vector<T>& sums) { results.vector(i, sums); });
    reduce_rest<T>(task, places, split, results);
    done = end_round(task, round);
  }
  if (!done) fill_with_nan(static_cast<T*>(task.out), task.count);
}

}  // namespace foldline::nccl
