// Element-wise all-reduce and reduce-scatter of arrays in the memory of several GPUs of one host: GPU g adds
// up slice g of all arrays and writes it to all.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "cuda/device/programmatic_launch.cuh"
#include "cuda/runtime/programmatic_launch.hpp"
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

template <class T, int Terms>
__global__ void __launch_bounds__(peer_threads, 1) reduce_over_peers(const __grid_constant__ PeerTask task) {
  __shared__ Round round;
  __shared__ Places<T> places;
  cuda::wait_for_previous_launch();
  bool done = begin_round(task, round);
  if (done) {
    const bool is_aligned = find_places(task, round, places);
    constexpr int size = Vector<T>::size;
    const int terms = task.size * task.arrays;
    const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    const std::int64_t own = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const std::int64_t all = task.scatters ? task.count * task.size : task.count;
    // First and last vector of the slice, or element if there are no vectors.
    const bool by_vectors = is_aligned && (!task.scatters || task.count % size == 0);
    const std::int64_t units = by_vectors ? all / size : all;
    const std::int64_t slice = (units + task.size - 1) / task.size;
    const std::int64_t first = min(units, slice * task.rank), last = min(units, first + slice);
    const auto store_to_all = [&](std::int64_t element, const auto& put) {
      if (task.scatters) return put(places.out[task.rank] + (element - task.count * task.rank));
      for (int p = 0; p < task.size; ++p) {
        const int peer = task.rank + p < task.size ? task.rank + p : task.rank + p - task.size;
        put(places.out[peer] + element);
      }
    };
    const auto store_element = [&](std::int64_t i, T sum) { store_to_all(i, [&](T* to) { *to = sum; }); };
    if (by_vectors) {
      reduce_vectors<T, Terms>(places, terms, first + own, last, step,
                               [&](std::int64_t i, const Vector<T>& sums) {
                                 store_to_all(i * size, [&](T* to) { store_vector(to, sums); });
                               });
      if (task.rank == task.size - 1)  // what is left of the last vector
        reduce_elements<T>(places, terms, units * size + own, all, step, store_element);
    } else {
      reduce_elements<T>(places, terms, first + own, last, step, store_element);
    }
    done = end_round(task, round);
  }
  if (!done) fill_with_nan(static_cast<T*>(task.out), task.count);
}

/// Blocks of a launch, the same on all ranks.
template <class T>
int blocks_for(const PeerTask& task, int most) {
  constexpr int vectors_of_thread = 1;  // short arrays are a matter of latency
  const std::int64_t slice = task.scatters ? task.count : task.count / task.size;
  const std::int64_t of_block = std::int64_t{peer_threads} * vectors_of_thread * Vector<T>::size;
  const std::int64_t blocks = slice / of_block + 1;
  return static_cast<int>(blocks < most ? blocks : most);
}

template <class T, int Terms>
void launch_with(const PeerTask& task, int blocks, cudaStream_t stream) {
  void* arguments[] = {const_cast<PeerTask*>(&task)};
  cuda::launch_programmatically(
      reinterpret_cast<const void*>(&reduce_over_peers<T, Terms>),
      {.blocks = dim3(static_cast<unsigned>(blocks)), .threads = dim3(peer_threads), .stream = stream},
      arguments, "starting an all-reduce over peers' memory");
}

template <class T>
void launch_over_peers(PeerTask task, int most, cudaStream_t stream) {
  const int blocks = blocks_for<T>(task, most), terms = task.size * task.arrays;
  task.what |= static_cast<std::uint64_t>(blocks) << 32;
  if (terms <= 2)
    launch_with<T, 2>(task, blocks, stream);
  else if (terms <= 4)
    launch_with<T, 4>(task, blocks, stream);
  else if (terms <= 8)
    launch_with<T, 8>(task, blocks, stream);
  else if (terms <= 16 && sizeof(T) != 8)
    launch_with<T, sizeof(T) != 8 ? 16 : 0>(task, blocks, stream);
  else
    launch_with<T, 0>(task, blocks, stream);
}

}  // namespace foldline::nccl
