// From a reduction to the kernel that does it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cuda/exact/term_rules.cuh"
#include "cuda/reduce/integer_kernel.cuh"
#include "cuda/reduce/launch.hpp"
#include "cuda/reduce/reduce_kernel.cuh"
#include "cuda/runtime/kernel_limits.hpp"
#include "cuda/runtime/start_early.hpp"

namespace foldline::cuda {

// Few threads that read far ahead (read_ahead.cuh): what they read at a time lies close together in memory,
// and every thread may have 128 registers. (With 384 a block and half as far ahead dot products of 2^29
// floats take 973 us on an H200 instead of 947.)
inline constexpr int threads = 256;
inline constexpr int blocks_per_multiprocessor = 2;
/// Of sums of integers, which do not read ahead.
inline constexpr int integer_threads = 384;
/// Of integers, which take few registers. (Cold on an H200, 2^26 and 2^28 ints: 63.9 and 237.6 us with two,
/// 63.3 and 234.9 with three, 62.9 and 234.8 with four.)
inline constexpr int integer_blocks_per_multiprocessor = 3;
/// And with many tiles there are many blocks, of so many each: some multiprocessors are faster than others
/// and get more of them. (2^28 ints, 43,690 tiles, 238 us instead of 241; 2^24 would take 20.1 instead
/// of 19.3.)
inline constexpr int integer_tiles_of_many = 5, many_integer_tiles = 16;
/// Batches of its own that a thread may add to an int64 count: each changes it by at most 2^51, and of
/// those that a warp defers a lane may get half as many again.
inline constexpr std::int64_t max_batches = std::int64_t{1} << 11;
/// Elements of a launch: numbers of elements and of quads are int, also those of tiles that are not full.
/// (More than one launch takes longer: 2^29 floats on an H200 484 us in one, 494 in two of 2^28, whose sums
/// must then be added up and rounded.)
inline constexpr std::int64_t max_elements = std::int64_t{1} << 30;

/// Elements that one launch takes with sources of this kind.
template <class Source>
std::int64_t elements_per_launch(const Launch& launch) {
  const std::int64_t blocks = std::min(launch.multiprocessors * blocks_per_multiprocessor, max_blocks);
  return std::min(max_elements, (max_batches - 2) * blocks * threads * Source::size);
}

/// Tiles for each block from which on a launch has dynamic memory.
inline constexpr int tiles_for_dynamic_memory = 4;

/// Bytes for a block to read ahead, and for its buckets or limbs, if as many blocks then fit a multiprocessor
/// as without them; or for less of that; or none.
template <class Sums, class Source, class Kernel>
int bytes_of_dynamic_memory(Kernel* kernel) {
  constexpr int buckets = most_bucket_bytes<Sums> * threads;
  constexpr auto ahead = [](bool few) {
    if constexpr (can_read_ahead<Source>)
      return few ? ReadAhead<Source>::bytes(ReadAhead<Source>::fewest_batches) : ReadAhead<Source>::bytes();
    return 0;
  };
  for (const int bytes : {std::max(bytes_for_limbs<Source, Sums>, buckets + ahead(false)),
                          buckets + ahead(false), buckets + ahead(true), buckets})
    if (blocks_of_multiprocessor(reinterpret_cast<const void*>(kernel), threads, bytes, bytes) >=
        blocks_per_multiprocessor)
      return bytes;
  return 0;
}

template <class Source>
int blocks_for(const Source& source, const Launch& launch, int of_multiprocessor) {
  return std::min({source.tiles, launch.multiprocessors * of_multiprocessor, max_blocks});
}

/// Blocks of a sum of integers.
template <class Source>
int integer_blocks_for(const Source& source, const Launch& launch) {
  const int at_once = blocks_for(source, launch, integer_blocks_per_multiprocessor);
  if (source.tiles < many_integer_tiles * at_once) return at_once;
  return std::clamp(source.tiles / integer_tiles_of_many, at_once, most_integer_blocks);
}

/// Whether the first block of a launch waits for the others, instead of the last one taking over, if it is
/// part of a graph: as a cooperative launch, it would not begin early in a stream. (Norms of 2^20 doubles on
/// an H200 8.4 us instead of 7.3; sums of 2^14 to 2^18 4.6 to 4.9 instead of 4.3 to 4.9.) Only if there is
/// little to do: it seems that a block that waits holds up the one beside it, which has much left where
/// arithmetic is what takes the time. (Variances of 2^28 doubles took 820 to 830 us where a block always
/// waited, 640 to 650 where none did; norms 507 to 512 and 490 to 500.)
template <class Source>
bool has_few_tiles(const Source& source, int blocks) {
  constexpr int few_tiles = 4;  // of a block
  return blocks > 1 && source.tiles <= few_tiles * blocks;
}

/// `waits` is whether blocks wait for others of the launch, which then run at the same time.
template <class Kernel, class Source>
void start_kernel(Kernel* kernel, const Source& source, int blocks, int dynamic_memory, bool waits,
                  const Launch& launch) {
  const bool rounds = launch.round != nullptr && launch.round->count == source.count;
  ResultTask task = rounds ? *launch.round : ResultTask{};
  void* arguments[] = {const_cast<Source*>(&source), const_cast<Workspace**>(&launch.workspace),
                       const_cast<KernelResult**>(&launch.result), &task,
                       &waits};  // the last not for integers
  start_early(reinterpret_cast<const void*>(kernel),
              {.blocks = dim3(static_cast<unsigned>(blocks)),
               .threads = dim3(Source::threads),
               .shared_bytes = static_cast<std::size_t>(dynamic_memory),
               .stream = launch.stream,
               .cooperative = waits},
              arguments, "starting a reduction");
}

template <class Sums, class Source>
void start(const Source& source, const Launch& launch) {
  if constexpr (is_integer_sum<Source, Sums>) {
    constexpr int loads = Source::two_vectors ? 2 : 4;
    const Contiguous<typename Source::Element, loads, Source::two_vectors, integer_threads> integers(
        source.first_x, source.first_y, source.count, source.head);
    constexpr int of_multiprocessor = integer_blocks_per_multiprocessor;
    start_kernel(
        &add_integers<std::remove_const_t<decltype(integers)>, Sums, integer_threads, of_multiprocessor>,
        integers, integer_blocks_for(integers, launch), 0, false, launch);
  } else {
    const auto kernel = &reduce_kernel<Source, Sums, threads>;
    const int blocks = blocks_for(source, launch, blocks_per_multiprocessor);
    const bool has_many = source.tiles >= tiles_for_dynamic_memory * blocks;
    const int dynamic_memory = has_many ? bytes_of_dynamic_memory<Sums, Source>(kernel) : 0;
    const bool waits = !Sums::extrema && has_few_tiles(source, blocks) && is_captured(launch.stream) &&
                       blocks_at_a_time(reinterpret_cast<const void*>(kernel), threads, dynamic_memory) >=
                           blocks_per_multiprocessor;
    start_kernel(kernel, source, blocks, dynamic_memory, waits, launch);
  }
}

/// What an operation needs, as types: sums of values, of magnitudes, of squares, of the second vector's
/// values and of products.
template <class Value, class Magnitude, class Square, class Weight, class Product>
struct Kernels {
  /// From one source, or from another one of the same elements, whose batches are smaller, if there are
  /// several sums: registers are scarce.
  template <class Source, class SmallSource>
  static void start_one(const Needs& needs, const Source& source, const SmallSource& small,
                        const Launch& launch) {
    if (needs.magnitudes && needs.extrema)
      start<Gathered<Value, Magnitude, Square, true>>(small, launch);
    else if (needs.values && needs.squares)
      start<Gathered<Value, NoSum, Square, false>>(small, launch);
    else if (needs.squares)
      start<Gathered<NoSum, NoSum, Square, false>>(source, launch);
    else if (needs.values)
      start<Gathered<Value, NoSum, NoSum, false>>(source, launch);
    else if (needs.magnitudes)
      start<Gathered<NoSum, Magnitude, NoSum, false>>(source, launch);
    else
      start<Gathered<NoSum, NoSum, NoSum, true>>(source, launch);
  }
  template <class Source>
  static void start_two(const Needs& needs, const Source& source, const Launch& launch) {
    if (needs.values)
      start<Gathered<Weight, NoSum, Product, false>>(source, launch);
    else
      start<Gathered<NoSum, NoSum, Product, false>>(source, launch);
  }
};

/// Of integers, and of whatever is not contiguous: values in `ValueLevels` levels, products in
/// `ProductLevels`.
template <int ValueLevels, int ProductLevels, bool ProductsAreDoubles>
using BinKernels =
    Kernels<ThreadSum<Values, ValueLevels, true>, ThreadSum<Magnitudes, ValueLevels, true>,
            ThreadSum<Squares, ProductLevels, ProductsAreDoubles>, ThreadSum<Weights, ValueLevels, true>,
            ThreadSum<Products, ProductLevels, ProductsAreDoubles>>;

/// Of floats and what they hold.
using FloatKernels =
    Kernels<FittedSum<FloatTerms<First>>, FittedSum<FloatTerms<FirstMagnitude>>, FittedSum<FloatProducts>,
            FittedSum<FloatTerms<Second>>, FittedSum<FloatProducts>>;

/// Elements before the first address that is a multiple of 16 bytes.
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

/// `Loads` of 16 bytes at a time; `SmallLoads` of each of two vectors, and for several sums.
template <class T, int Loads, int SmallLoads, class Kernels>
std::int64_t launch_contiguous(const Reduction& reduction, const Launch& launch) {
  const std::int64_t limit = elements_per_launch<Contiguous<T, SmallLoads, false, threads>>(launch);
  const std::int64_t count = std::min(reduction.x.size(), limit);
  if (reduction.two_vectors)
    Kernels::start_two(reduction.needs, contiguous<T, SmallLoads, true>(reduction, count), launch);
  else
    Kernels::start_one(reduction.needs, contiguous<T, Loads, false>(reduction, count),
                       contiguous<T, SmallLoads, false>(reduction, count), launch);
  return count;
}

}  // namespace foldline::cuda
