// What masks take, one result's elements after another's, on a device: segments, which are reduced then.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "contract/masks.hpp"

namespace foldline::cuda {

/// A masked array in the device's memory. Elements of a result need not keep their order.
struct MaskTask {
  const std::byte* x;
  const std::byte* mask;
  int element_bytes;
  const MaskedAxis* kept;     // in the device's memory, as `reduced`
  const MaskedAxis* reduced;  // nearest neighbours last
  int kept_count, reduced_count;
  std::int64_t results, terms;
  bool along;             // neighbours in memory are terms of one result
  std::int64_t* counts;   // of each result, zero before
  std::int64_t* offsets;  // one more than results: where its elements are among the values
  std::int64_t* taken;    // zero before: how many of them are there already
  std::byte* values;
  bool fills_empty;  // a result of no elements has one, 0: no extremum is of none
};

/// Counts what is taken.
void launch_count_taken(const MaskTask& task, cudaStream_t stream);
/// Makes offsets of counts; `memory` has bytes_for_offsets(results).
void launch_offsets_of_counts(const MaskTask& task, std::byte* memory, std::size_t bytes,
                              cudaStream_t stream);
std::size_t bytes_for_offsets(std::int64_t results);
/// Copies what is taken to its place among the values.
void launch_copy_taken(const MaskTask& task, cudaStream_t stream);
/// Copies contiguous results of `width` bytes to their places: of those that have elements, or of all. Copies
/// the counts, unless `counts` is null.
void launch_place_results(const MaskTask& task, const std::byte* results, int width, bool of_all,
                          std::byte* out, std::byte* counts, cudaStream_t stream);

}  // namespace foldline::cuda
