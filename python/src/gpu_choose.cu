// A flag for each element; a scan, which counts the flags before each; a kernel, which copies each to its
// place.
#include "gpu_choose.hpp"

#include <algorithm>
#include <limits>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_scan.cuh>

namespace foldline::python {

namespace {

constexpr int threads = 256;

struct Place {
  std::int64_t of_x, of_mask;
};

template <class Index>
__device__ __forceinline__ Place place_of(const Choice& choice, Index i) {
  Place place{};
  for (int axis = choice.axes - 1; axis > 0; --axis) {
    const auto extent = static_cast<Index>(choice.extents[axis]);
    const Index outer = i / extent;
    const auto inner = static_cast<std::int64_t>(i - outer * extent);
    place.of_x += inner * choice.x_strides[axis];
    place.of_mask += inner * choice.mask_strides[axis];
    i = outer;
  }
  place.of_x += static_cast<std::int64_t>(i) * choice.x_strides[0];
  place.of_mask += static_cast<std::int64_t>(i) * choice.mask_strides[0];
  return place;
}

template <class Bits>
__device__ __forceinline__ Bits element_at(const Choice& choice, const Place& place) {
  return *reinterpret_cast<const Bits*>(choice.x + place.of_x);
}

template <class Bits>
__device__ __forceinline__ bool counts(const Choice& choice, const Place& place) {
  if (choice.mask != nullptr && choice.mask[place.of_mask] == std::byte{0}) return false;
  if (choice.infinity == Choice::keeps_nan) return true;
  constexpr auto magnitude = static_cast<Bits>(static_cast<Bits>(~Bits{0}) >> 1);
  return static_cast<Bits>(element_at<Bits>(choice, place) & magnitude) <= static_cast<Bits>(choice.infinity);
}

__device__ __forceinline__ std::int64_t first_index() {
  return std::int64_t{blockIdx.x} * threads + threadIdx.x;
}
__device__ __forceinline__ std::int64_t step() { return std::int64_t{gridDim.x} * threads; }

/// 1 for elements that count; 0 for others, and for the one behind the last. The choice stays where
/// parameters are: a copy of it for each element would take ten times as long.
template <class Bits, class Index>
__global__ void __launch_bounds__(threads)
    set_flags(const __grid_constant__ Choice choice, std::uint8_t* flags) {
  for (std::int64_t i = first_index(); i <= choice.size; i += step())
    flags[i] = i < choice.size && counts<Bits>(choice, place_of(choice, static_cast<Index>(i))) ? 1 : 0;
}

template <class Bits, class Index>
__global__ void __launch_bounds__(threads)
    copy_to_places(const __grid_constant__ Choice choice, const std::uint8_t* flags, const Index* places,
                   Bits* elements, std::int64_t* offsets) {
  const auto of_result = static_cast<Index>(choice.of_result);
  for (std::int64_t i = first_index(); i <= choice.size; i += step()) {
    const auto index = static_cast<Index>(i);
    if (index % of_result == 0) offsets[index / of_result] = static_cast<std::int64_t>(places[i]);
    if (flags[i] != 0) elements[places[i]] = element_at<Bits>(choice, place_of(choice, index));
  }
}

struct Memory {
  std::uint8_t* flags;
  std::byte *places, *scan;
  std::size_t before_scan;

  Memory(std::byte* memory, std::int64_t count, std::size_t place_bytes) {
    const auto rounded = [](std::size_t bytes) { return (bytes + 255) / 256 * 256; };
    const std::size_t of_flags = rounded(static_cast<std::size_t>(count));
    before_scan = of_flags + rounded(static_cast<std::size_t>(count) * place_bytes);
    flags = reinterpret_cast<std::uint8_t*>(memory);
    places = memory == nullptr ? nullptr : memory + of_flags;
    scan = memory == nullptr ? nullptr : memory + before_scan;
  }
};

template <class Index>
struct Widen {
  __host__ __device__ Index operator()(std::uint8_t flag) const { return flag; }
};

template <class Index>
cudaError_t scan(const Memory& memory, std::size_t& bytes, std::int64_t count, cudaStream_t stream) {
#if CUB_VERSION < 200500  // counts items by int
  if (count > std::numeric_limits<int>::max()) return cudaErrorNotSupported;
  const int items = static_cast<int>(count);
#else
  const std::int64_t items = count;
#endif
  const auto flags =
      thrust::make_transform_iterator(static_cast<const std::uint8_t*>(memory.flags), Widen<Index>{});
  return cub::DeviceScan::ExclusiveSum(memory.scan, bytes, flags, reinterpret_cast<Index*>(memory.places),
                                       items, stream);
}

template <class Bits, class Index>
cudaError_t run(const Choice& choice, std::byte* given, std::size_t bytes, std::byte* elements,
                std::int64_t* offsets, cudaStream_t stream) {
  const std::int64_t count = choice.size + 1;
  const Memory memory(given, count, sizeof(Index));
  constexpr std::int64_t most_blocks = 1 << 20;
  const auto blocks = static_cast<unsigned>(std::min((count - 1) / threads + 1, most_blocks));
  set_flags<Bits, Index><<<blocks, threads, 0, stream>>>(choice, memory.flags);
  std::size_t of_scan = bytes - memory.before_scan;
  if (const cudaError_t error = scan<Index>(memory, of_scan, count, stream); error != cudaSuccess)
    return error;
  copy_to_places<Bits, Index><<<blocks, threads, 0, stream>>>(choice, memory.flags,
                                                              reinterpret_cast<const Index*>(memory.places),
                                                              reinterpret_cast<Bits*>(elements), offsets);
  return cudaGetLastError();
}

bool has_small_places(const Choice& choice) {
  return choice.size < std::int64_t{std::numeric_limits<std::uint32_t>::max()};
}

template <class Bits>
cudaError_t run_with(const Choice& choice, std::byte* memory, std::size_t bytes, std::byte* elements,
                     std::int64_t* offsets, cudaStream_t stream) {
  return has_small_places(choice)
             ? run<Bits, std::uint32_t>(choice, memory, bytes, elements, offsets, stream)
             : run<Bits, std::uint64_t>(choice, memory, bytes, elements, offsets, stream);
}

}  // namespace

cudaError_t bytes_for_choice(const Choice& choice, std::size_t& bytes) {
  const std::int64_t count = choice.size + 1;
  const bool are_small = has_small_places(choice);
  const Memory memory(nullptr, count, are_small ? sizeof(std::uint32_t) : sizeof(std::uint64_t));
  std::size_t of_scan = 0;
  const cudaError_t error = are_small ? scan<std::uint32_t>(memory, of_scan, count, nullptr)
                                      : scan<std::uint64_t>(memory, of_scan, count, nullptr);
  bytes = memory.before_scan + of_scan;
  return error;
}

cudaError_t choose(const Choice& choice, std::byte* memory, std::size_t bytes, std::byte* elements,
                   std::int64_t* offsets, cudaStream_t stream) {
  if (choice.width == 8) return run_with<std::uint64_t>(choice, memory, bytes, elements, offsets, stream);
  if (choice.width == 4) return run_with<std::uint32_t>(choice, memory, bytes, elements, offsets, stream);
  if (choice.width == 2) return run_with<std::uint16_t>(choice, memory, bytes, elements, offsets, stream);
  return run_with<std::uint8_t>(choice, memory, bytes, elements, offsets, stream);
}

}  // namespace foldline::python
