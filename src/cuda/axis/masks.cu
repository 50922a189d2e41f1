#include "cuda/axis/masks.hpp"

#include <cub/device/device_scan.cuh>

#include "cuda/device/any_element.cuh"
#include "cuda/device/block.cuh"
#include "cuda/device/item_loop.cuh"
#include "cuda/finish/result_words.cuh"
#include "cuda/runtime/check.hpp"

namespace foldline::cuda {

namespace {

constexpr auto doing = "taking what a mask says";
/// Terms of a result that a thread, or a warp, goes through.
constexpr std::int64_t terms_of_thread = 256, terms_of_warp = 4096;

__device__ MaskedOffset offset_of(const MaskedAxis* axes, int count, std::int64_t index) {
  MaskedOffset offset;
  for (int k = count - 1; k >= 0; --k) {
    const MaskedAxis axis = axes[k];
    const std::int64_t i = k == 0 ? index : index % axis.extent;
    offset.x += i * axis.stride;
    offset.mask += i * axis.mask_stride;
    offset.out += i * axis.out_stride;
    offset.count += i * axis.count_stride;
    index /= axis.extent;
  }
  return offset;
}

__device__ void copy_bytes(std::byte* to, const std::byte* from, int bytes) {
  store_bits(to, bits_at(from, bytes), bytes);
}

/// Some terms of a result.
struct Terms {
  const MaskTask& task;
  std::int64_t result, first, end;
  MaskedOffset start;

  /// Part number `unit` of the results' terms, `length` of each; those of neighbouring results are
  /// neighbours.
  __device__ Terms(const MaskTask& of, std::int64_t unit, std::int64_t length)
      : task(of),
        result(unit % of.results),
        first(unit / of.results * length),
        end(min(of.terms, first + length)),
        start(offset_of(of.kept, of.kept_count, result)) {}

  __device__ MaskedOffset offset(std::int64_t term) const {
    const MaskedOffset at = offset_of(task.reduced, task.reduced_count, term);
    return {start.x + at.x, start.mask + at.mask, 0, 0};
  }
  __device__ bool takes(std::int64_t term) const { return task.mask[offset(term).mask] != std::byte{0}; }
  __device__ void copy(std::int64_t term, std::int64_t place) const {
    const std::byte* const from = task.x + offset(term).x * task.element_bytes;
    copy_bytes(task.values + place * task.element_bytes, from, task.element_bytes);
  }
  /// Where the next `count` elements of the result go.
  __device__ std::int64_t places(std::int64_t count) const {
    const auto before = atomicAdd(reinterpret_cast<unsigned long long*>(task.taken + result),
                                  static_cast<unsigned long long>(count));
    return task.offsets[result] + static_cast<std::int64_t>(before);
  }
  __device__ void add_count(std::int64_t count) const {
    if (count != 0)
      atomicAdd(reinterpret_cast<unsigned long long*>(task.counts + result),
                static_cast<unsigned long long>(count));
  }
};

/// A thread for each part.
template <bool Copies>
__global__ void __launch_bounds__(item_threads) take_by_threads(const MaskTask task, std::int64_t units) {
  for (std::int64_t unit = first_item(); unit < units; unit += item_step()) {
    const Terms terms(task, unit, terms_of_thread);
    std::int64_t count = 0;
    for (std::int64_t i = terms.first; i < terms.end; ++i) count += terms.takes(i) ? 1 : 0;
    if constexpr (Copies) {
      if (count == 0) continue;
      std::int64_t place = terms.places(count);
      for (std::int64_t i = terms.first; i < terms.end; ++i)
        if (terms.takes(i)) terms.copy(i, place++);
    } else {
      terms.add_count(count);
    }
  }
}

/// A warp for each part.
template <bool Copies>
__global__ void __launch_bounds__(item_threads) take_by_warps(const MaskTask task, std::int64_t units) {
  for (std::int64_t unit = first_item() / 32; unit < units; unit += item_step() / 32) {
    const Terms terms(task, unit, terms_of_warp);
    const auto takes = [&](std::int64_t i) { return i < terms.end && terms.takes(i); };
    std::int64_t count = 0;
    for (std::int64_t i = terms.first; i < terms.end; i += 32) count += takes(i + lane()) ? 1 : 0;
    count = warp_sum(static_cast<int>(count));
    if constexpr (Copies) {
      if (count == 0) continue;
      std::int64_t place = lane() == 0 ? terms.places(count) : 0;
      place = __shfl_sync(all_lanes, place, 0);
      for (std::int64_t i = terms.first; i < terms.end; i += 32) {
        const bool is_taken = takes(i + lane());
        const unsigned all = __ballot_sync(all_lanes, is_taken);
        if (is_taken) terms.copy(i + lane(), place + __popc(all & ((1u << lane()) - 1)));
        place += __popc(all);
      }
    } else if (lane() == 0) {
      terms.add_count(count);
    }
  }
}

__global__ void sizes_of_counts(const MaskTask task) {
  if (first_item() == 0) task.offsets[0] = 0;
  for (std::int64_t i = first_item(); i < task.results; i += item_step())
    task.offsets[i + 1] = task.fills_empty && task.counts[i] == 0 ? 1 : task.counts[i];
}

__global__ void fill_empty(const MaskTask task) {
  for (std::int64_t i = first_item(); i < task.results; i += item_step())
    if (task.counts[i] == 0)
      store_bits(task.values + task.offsets[i] * task.element_bytes, 0, task.element_bytes);
}

__global__ void place_results(const MaskTask task, const std::byte* results, int width, bool of_all,
                              std::byte* out, std::byte* counts) {
  for (std::int64_t i = first_item(); i < task.results; i += item_step()) {
    const MaskedOffset at = offset_of(task.kept, task.kept_count, i);
    const std::int64_t count = task.counts[i];
    if (counts != nullptr)
      store_bits(counts + at.count * std::int64_t{sizeof count}, static_cast<std::uint64_t>(count),
                 sizeof count);
    if (out != nullptr && (of_all || count != 0))
      copy_bytes(out + at.out * width, results + i * width, width);
  }
}

template <bool Copies>
void launch_take(const MaskTask& task, cudaStream_t stream) {
  if (task.terms == 0) return;
  const std::int64_t length = task.along ? terms_of_warp : terms_of_thread;
  const std::int64_t units = task.results * ((task.terms - 1) / length + 1);
  if (task.along)
    launch_for_items(&take_by_warps<Copies>, units * 32, stream, doing, task, units);
  else
    launch_for_items(&take_by_threads<Copies>, units, stream, doing, task, units);
}

cudaError_t add_up(void* memory, std::size_t& bytes, std::int64_t* sizes, std::int64_t count,
                   cudaStream_t stream) {
  return cub::DeviceScan::InclusiveSum(memory, bytes, sizes, sizes, count, stream);
}

}  // namespace

void launch_count_taken(const MaskTask& task, cudaStream_t stream) { launch_take<false>(task, stream); }

std::size_t bytes_for_offsets(std::int64_t results) {
  std::size_t bytes = 0;
  check(add_up(nullptr, bytes, nullptr, results, nullptr), "asking what offsets need");
  return bytes;
}

void launch_offsets_of_counts(const MaskTask& task, std::byte* memory, std::size_t bytes,
                              cudaStream_t stream) {
  launch_for_items(&sizes_of_counts, task.results, stream, doing, task);
  check(add_up(memory, bytes, task.offsets + 1, task.results, stream), "making offsets");
}

void launch_copy_taken(const MaskTask& task, cudaStream_t stream) {
  launch_take<true>(task, stream);
  if (task.fills_empty) launch_for_items(&fill_empty, task.results, stream, doing, task);
}

void launch_place_results(const MaskTask& task, const std::byte* results, int width, bool of_all,
                          std::byte* out, std::byte* counts, cudaStream_t stream) {
  launch_for_items(&place_results, task.results, stream, doing, task, results, width, of_all, out, counts);
}

}  // namespace foldline::cuda
