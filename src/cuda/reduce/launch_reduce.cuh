// Chooses the kernel and the grid of a reduction, and launches it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cuda/reduce/launch.hpp"
#include "cuda/reduce/reduce_kernel.cuh"

namespace foldline::cuda {

// Few threads that read far ahead (read_ahead.cuh): what is read at a time lies close together in memory, and
// a thread may use 128 registers.
inline constexpr int threads = 256;
inline constexpr int blocks_per_multiprocessor = 2;
/// Batches that a thread may add to an int64 count: each changes it by at most 2^51, and draining the queue
/// gives a lane up to half as many more.
inline constexpr std::int64_t max_batches = std::int64_t{1} << 11;
/// Elements of a launch: indices of elements and vec16, also those of partial tiles, are int. Two launches
/// take longer than one, since their results must be combined and rounded.
inline constexpr std::int64_t max_elements = std::int64_t{1} << 30;

/// Elements that one launch can take with sources of this kind.
template <class Source>
std::int64_t elements_per_launch(const Launch& launch) {
  const std::int64_t blocks = std::min(launch.multiprocessors * blocks_per_multiprocessor, max_blocks);
  return std::min(max_elements, (max_batches - 2) * blocks * threads * Source::size);
}

/// A launch uses dynamic shared memory from this many tiles per block on.
inline constexpr int tiles_for_dynamic_memory = 4;

/// The dynamic shared memory of a block for reading ahead and for buckets or limbs: as much as leaves the
/// number of blocks per multiprocessor unchanged; at least 0.
template <class Sums, class Source>
int bytes_of_dynamic_memory(const void* kernel) {
  constexpr int buckets = max_bucket_bytes<Sums> * threads;
  constexpr auto ahead = [](bool few) {
    if constexpr (can_read_ahead<Source>)
      return few ? ReadAhead<Source>::bytes(ReadAhead<Source>::min_batches) : ReadAhead<Source>::bytes();
    return 0;
  };
  return most_dynamic_memory(kernel, threads, blocks_per_multiprocessor,
                             {std::max(bytes_for_limbs<Source, Sums>, buckets + ahead(false)),
                              buckets + ahead(false), buckets + ahead(true), buckets});
}

template <class Source>
int blocks_for(const Source& source, const Launch& launch, int of_multiprocessor) {
  return std::min({source.tiles, launch.multiprocessors * of_multiprocessor, max_blocks});
}

/// True if there is so little to do that the first block should wait for the others, rather than the last
/// block take over. Used in graphs only: blocks may wait only in a cooperative launch, which cannot start
/// early in a stream. With more tiles a waiting block slows its neighbour on the multiprocessor.
template <class Source>
bool has_few_tiles(const Source& source, int blocks) {
  constexpr int few_tiles = 4;  // per block
  return blocks > 1 && source.tiles <= few_tiles * blocks;
}

/// Starts a kernel of reduce_kernel.cuh.
struct ReduceKernels {
  template <class Sums, class Source>
  static void start(const Source& source, const Launch& launch) {
    const auto* const kernel = reinterpret_cast<const void*>(&reduce_kernel<Source, Sums, threads>);
    const int blocks = blocks_for(source, launch, blocks_per_multiprocessor);
    const bool has_many = source.tiles >= tiles_for_dynamic_memory * blocks;
    const int dynamic_memory = has_many ? bytes_of_dynamic_memory<Sums, Source>(kernel) : 0;
    const bool may_wait = !Sums::extrema && has_few_tiles(source, blocks) &&
                          all_may_wait(kernel, threads, dynamic_memory, blocks_per_multiprocessor, launch);
    start_kernel(kernel, {blocks, threads, dynamic_memory}, &source, source.count, launch, &may_wait);
  }
};

/// The kernels for an operation, by the types of its sums: of values, magnitudes, squares, the second
/// vector's values, and products. `Start` starts one.
template <class Start, class Value, class Magnitude, class Square, class Weight, class Product>
struct Kernels {
  /// `small` has the same elements in smaller batches, for kernels with several sums: registers are scarce.
  template <class Source, class SmallSource>
  static void launch_one_vector(const Needs& needs, const Source& source, const SmallSource& small,
                                const Launch& launch) {
    if (needs.magnitudes && needs.extrema)
      Start::template start<KernelSums<Value, Magnitude, Square, true>>(small, launch);
    else if (needs.values && needs.squares)
      Start::template start<KernelSums<Value, NoSum, Square, false>>(small, launch);
    else if (needs.squares)
      Start::template start<KernelSums<NoSum, NoSum, Square, false>>(source, launch);
    else if (needs.values)
      Start::template start<KernelSums<Value, NoSum, NoSum, false>>(source, launch);
    else if (needs.magnitudes)
      Start::template start<KernelSums<NoSum, Magnitude, NoSum, false>>(source, launch);
    else
      Start::template start<KernelSums<NoSum, NoSum, NoSum, true>>(source, launch);
  }
  template <class Source>
  static void launch_two_vectors(const Needs& needs, const Source& source, const Launch& launch) {
    if (needs.values)
      Start::template start<KernelSums<Weight, NoSum, Product, false>>(source, launch);
    else
      Start::template start<KernelSums<NoSum, NoSum, Product, false>>(source, launch);
  }
};

/// Elements before the first 16-byte boundary.
template <class T>
std::int64_t unaligned_elements(const VectorView& x) {
  const auto address = reinterpret_cast<std::uintptr_t>(x.data());
  return static_cast<std::int64_t>((16 - address % 16) % 16 / sizeof(T));
}

template <class T, int Loads, bool TwoVectors>
Contiguous<T, Loads, TwoVectors, threads> contiguous(const Reduction& reduction, std::int64_t count) {
  return {static_cast<const T*>(reduction.x.data()),
          static_cast<const T*>(TwoVectors ? reduction.y.data() : nullptr), static_cast<int>(count),
          static_cast<int>(std::min(unaligned_elements<T>(reduction.x), count))};
}

/// A thread loads `Loads` vec16 at a time, or `SmallLoads` with two vectors or several sums.
template <class T, int Loads, int SmallLoads, class Kernels>
std::int64_t launch_contiguous(const Reduction& reduction, const Launch& launch) {
  const std::int64_t limit = elements_per_launch<Contiguous<T, SmallLoads, false, threads>>(launch);
  const std::int64_t count = std::min(reduction.x.size(), limit);
  if (reduction.two_vectors)
    Kernels::launch_two_vectors(reduction.needs, contiguous<T, SmallLoads, true>(reduction, count), launch);
  else
    Kernels::launch_one_vector(reduction.needs, contiguous<T, Loads, false>(reduction, count),
                               contiguous<T, SmallLoads, false>(reduction, count), launch);
  return count;
}

}  // namespace foldline::cuda
