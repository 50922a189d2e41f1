// Chooses the kernel and the grid of a reduction, and launches it.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>

#include "cuda/exact/element_terms.cuh"
#include "cuda/reduce/integer_kernel.cuh"
#include "cuda/reduce/launch.hpp"
#include "cuda/reduce/reduce_kernel.cuh"
#include "cuda/runtime/kernel_attributes.hpp"
#include "cuda/runtime/programmatic_launch.hpp"

namespace foldline::cuda {

// Few threads that read far ahead (read_ahead.cuh): what is read at a time lies close together in memory, and
// a thread may use 128 registers.
inline constexpr int threads = 256;
inline constexpr int blocks_per_multiprocessor = 2;
/// For sums of integers, which do not read ahead.
inline constexpr int integer_threads = 384;
/// Integer kernels use few registers, so three blocks fit.
inline constexpr int integer_blocks_per_multiprocessor = 3;
/// With many tiles, launch many small blocks: faster multiprocessors then take more of them.
inline constexpr int integer_tiles_of_many = 5, many_integer_tiles = 16;
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
template <class Sums, class Source, class Kernel>
int bytes_of_dynamic_memory(Kernel* kernel) {
  constexpr int buckets = max_bucket_bytes<Sums> * threads;
  constexpr auto ahead = [](bool few) {
    if constexpr (can_read_ahead<Source>)
      return few ? ReadAhead<Source>::bytes(ReadAhead<Source>::min_batches) : ReadAhead<Source>::bytes();
    return 0;
  };
  for (const int bytes : {std::max(bytes_for_limbs<Source, Sums>, buckets + ahead(false)),
                          buckets + ahead(false), buckets + ahead(true), buckets})
    if (max_blocks_per_multiprocessor(reinterpret_cast<const void*>(kernel), threads, bytes, bytes) >=
        blocks_per_multiprocessor)
      return bytes;
  return 0;
}

template <class Source>
int blocks_for(const Source& source, const Launch& launch, int of_multiprocessor) {
  return std::min({source.tiles, launch.multiprocessors * of_multiprocessor, max_blocks});
}

/// The number of blocks for a sum of integers.
template <class Source>
int integer_blocks_for(const Source& source, const Launch& launch) {
  const int resident_blocks = blocks_for(source, launch, integer_blocks_per_multiprocessor);
  if (source.tiles < many_integer_tiles * resident_blocks) return resident_blocks;
  return std::clamp(source.tiles / integer_tiles_of_many, resident_blocks, max_integer_blocks);
}

/// True if there is so little to do that the first block should wait for the others, rather than the last
/// block take over. Used in graphs only: blocks may wait only in a cooperative launch, which cannot start
/// early in a stream. With more tiles a waiting block slows its neighbour on the multiprocessor.
template <class Source>
bool has_few_tiles(const Source& source, int blocks) {
  constexpr int few_tiles = 4;  // per block
  return blocks > 1 && source.tiles <= few_tiles * blocks;
}

/// `waits`, for kernels that have this parameter: a block waits for others, so all must be resident.
template <class Source, class... Waits>
void launch_kernel(void (*kernel)(Source, Workspace*, KernelResult*, ResultTask, Waits...),
                   const Source& source, int blocks, int dynamic_memory, const Launch& launch,
                   Waits... waits) {
  static_assert((std::same_as<Waits, bool> && ...));
  const bool rounds = launch.round != nullptr && launch.round->count == source.count;
  ResultTask task = rounds ? *launch.round : ResultTask{};
  void* arguments[] = {const_cast<Source*>(&source), const_cast<Workspace**>(&launch.workspace),
                       const_cast<KernelResult**>(&launch.result), &task, &waits...};
  launch_programmatically(reinterpret_cast<const void*>(kernel),
                          {.blocks = dim3(static_cast<unsigned>(blocks)),
                           .threads = dim3(Source::threads),
                           .shared_bytes = static_cast<std::size_t>(dynamic_memory),
                           .stream = launch.stream,
                           .cooperative = (waits || ...)},
                          arguments, "starting a reduction");
}

template <class Sums, class Source>
void launch_sums(const Source& source, const Launch& launch) {
  if constexpr (is_integer_sum<Source, Sums>) {
    constexpr int loads = Source::two_vectors ? 2 : 4;
    const Contiguous<typename Source::Element, loads, Source::two_vectors, integer_threads> integers(
        source.first_x, source.first_y, source.count, source.head);
    constexpr int of_multiprocessor = integer_blocks_per_multiprocessor;
    launch_kernel(
        &add_integers<std::remove_const_t<decltype(integers)>, Sums, integer_threads, of_multiprocessor>,
        integers, integer_blocks_for(integers, launch), 0, launch);
  } else {
    const auto kernel = &reduce_kernel<Source, Sums, threads>;
    const int blocks = blocks_for(source, launch, blocks_per_multiprocessor);
    const bool has_many = source.tiles >= tiles_for_dynamic_memory * blocks;
    const int dynamic_memory = has_many ? bytes_of_dynamic_memory<Sums, Source>(kernel) : 0;
    const bool waits = !Sums::extrema && has_few_tiles(source, blocks) && is_captured(launch.stream) &&
                       resident_blocks_per_multiprocessor(reinterpret_cast<const void*>(kernel), threads,
                                                          dynamic_memory) >= blocks_per_multiprocessor;
    launch_kernel(kernel, source, blocks, dynamic_memory, launch, waits);
  }
}

/// The kernels for an operation, by the types of its sums: of values, magnitudes, squares, the second
/// vector's values, and products.
template <class Value, class Magnitude, class Square, class Weight, class Product>
struct Kernels {
  /// `small` has the same elements in smaller batches, for kernels with several sums: registers are scarce.
  template <class Source, class SmallSource>
  static void launch_one_vector(const Needs& needs, const Source& source, const SmallSource& small,
                                const Launch& launch) {
    if (needs.magnitudes && needs.extrema)
      launch_sums<KernelSums<Value, Magnitude, Square, true>>(small, launch);
    else if (needs.values && needs.squares)
      launch_sums<KernelSums<Value, NoSum, Square, false>>(small, launch);
    else if (needs.squares)
      launch_sums<KernelSums<NoSum, NoSum, Square, false>>(source, launch);
    else if (needs.values)
      launch_sums<KernelSums<Value, NoSum, NoSum, false>>(source, launch);
    else if (needs.magnitudes)
      launch_sums<KernelSums<NoSum, Magnitude, NoSum, false>>(source, launch);
    else
      launch_sums<KernelSums<NoSum, NoSum, NoSum, true>>(source, launch);
  }
  template <class Source>
  static void launch_two_vectors(const Needs& needs, const Source& source, const Launch& launch) {
    if (needs.values)
      launch_sums<KernelSums<Weight, NoSum, Product, false>>(source, launch);
    else
      launch_sums<KernelSums<NoSum, NoSum, Product, false>>(source, launch);
  }
};

/// For integers, and for vectors that are not contiguous: values in `ValueLevels` levels, products in
/// `ProductLevels`.
template <int ValueLevels, int ProductLevels, bool ProductsAreDoubles>
using BinKernels =
    Kernels<ThreadSum<Values, ValueLevels, true>, ThreadSum<Magnitudes, ValueLevels, true>,
            ThreadSum<Squares, ProductLevels, ProductsAreDoubles>, ThreadSum<Weights, ValueLevels, true>,
            ThreadSum<Products, ProductLevels, ProductsAreDoubles>>;

/// For floats and 16-bit types.
using FloatKernels =
    Kernels<WindowedSum<FloatTerms<First>>, WindowedSum<FloatTerms<FirstMagnitude>>,
            WindowedSum<FloatProducts>, WindowedSum<FloatTerms<Second>>, WindowedSum<FloatProducts>>;

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
