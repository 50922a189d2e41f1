// Launches of kernels over peers' memory.
#pragma once

#include "cuda/runtime/check.hpp"
#include "cuda/runtime/programmatic_launch.hpp"
#include "nccl/launch.hpp"
#include "nccl/peer_kernel.cuh"
#include "nccl/sent_kernel.cuh"
#include "nccl/sum_kernel.cuh"

namespace foldline::nccl {

/// Blocks of a launch, the same on all ranks.
template <class T>
int blocks_for(const PeerTask& task, int most) {
  constexpr int vectors_of_thread = 1;  // short arrays are a matter of latency
  const std::int64_t slice = task.scatters ? task.count : task.count / task.size;
  const std::int64_t of_block = std::int64_t{peer_threads} * vectors_of_thread * Vector<T>::size;
  const std::int64_t blocks = slice / of_block + 1;
  return static_cast<int>(blocks < most ? blocks : most);
}

inline void launch_kernel(const void* kernel, const PeerTask& task, int blocks, cudaStream_t stream) {
  void* arguments[] = {const_cast<PeerTask*>(&task)};
  cuda::launch_programmatically(
      kernel,
      {.blocks = dim3(static_cast<unsigned>(blocks)), .threads = dim3(peer_threads), .stream = stream},
      arguments, "starting an all-reduce over peers' memory");
}

/// The kernel that reads parts of other ranks' arrays.
template <class T>
const void* reading_kernel(int terms) {
  if (terms <= 2) return reinterpret_cast<const void*>(&reduce_over_peers<T, 2>);
  if (terms <= 4) return reinterpret_cast<const void*>(&reduce_over_peers<T, 4>);
  if (terms <= 8) return reinterpret_cast<const void*>(&reduce_over_peers<T, 8>);
  if constexpr (sizeof(T) != 8)
    if (terms <= 16) return reinterpret_cast<const void*>(&reduce_over_peers<T, 16>);
  return reinterpret_cast<const void*>(&reduce_over_peers<T, 0>);
}

template <class T>
const void* sending_kernel(int ranks, int arrays) {
  if (arrays > 1) return reinterpret_cast<const void*>(&reduce_sent<T, 0, true>);
  if (ranks <= 2) return reinterpret_cast<const void*>(&reduce_sent<T, 2, false>);
  if (ranks <= 4) return reinterpret_cast<const void*>(&reduce_sent<T, 4, false>);
  return reinterpret_cast<const void*>(&reduce_sent<T, 8, false>);
}

template <class T>
void launch_over_peers(PeerTask task, int most, bool is_sent, cudaStream_t stream) {
  const int blocks = blocks_for<T>(task, most);
  task.what |= static_cast<std::uint64_t>(blocks) << 32;
  launch_kernel(
      is_sent ? sending_kernel<T>(task.size, task.arrays) : reading_kernel<T>(task.size * task.arrays), task,
      blocks, stream);
}

template <class T>
void load_kernels() {
  const auto load = [](const void* kernel) {
    cudaFuncAttributes attributes;
    cuda::check(cudaFuncGetAttributes(&attributes, kernel), "loading a kernel");
  };
  for (const int terms : {2, 4, 8, 16, 32}) load(reading_kernel<T>(terms));
  for (const int ranks : {2, 4, 8}) load(sending_kernel<T>(ranks, 1));
  load(sending_kernel<T>(2, 2));
  for (const int terms : {2, 8, 16}) load(summing_kernel<T>(terms));
}

}  // namespace foldline::nccl
