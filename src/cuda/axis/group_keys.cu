// Sorts values by integer keys: CUB's radix sort of as many bits as the keys have.
#include <algorithm>

#include <cub/device/device_radix_sort.cuh>

#include "cuda/axis/group_keys.hpp"
#include "cuda/device/any_vector.cuh"
#include "cuda/runtime/check.hpp"

namespace foldline::cuda {

namespace {

constexpr int threads = 256;

__device__ __forceinline__ std::int64_t first_index() {
  return std::int64_t{blockIdx.x} * threads + threadIdx.x;
}
__device__ __forceinline__ std::int64_t step() { return std::int64_t{gridDim.x} * threads; }

/// A key as 32 bits, or all bits set if it is beyond them.
__device__ __forceinline__ std::uint32_t key_at(const AnyVector& keys, std::int64_t i) {
  const Int128 key = keys.integer(i);
  return key < 0 || key > 0xfffffffe ? 0xffffffff : static_cast<std::uint32_t>(key);
}

__global__ void look_at_keys(const AnyVector keys, std::int64_t size, std::int64_t count, std::uint32_t* out,
                             KeyWords* words) {
  unsigned long long wrong = 0;
  bool unsorted = false;
  for (std::int64_t i = first_index(); i < size; i += step()) {
    const std::uint32_t key = key_at(keys, i);
    if (key >= count || key == 0xffffffff) wrong = max(wrong, ~static_cast<unsigned long long>(i));
    if (i != 0) unsorted |= key_at(keys, i - 1) > key;
    if (out != nullptr) out[i] = key;
  }
  if (wrong != 0) atomicMax(&words->wrong, wrong);
  if (__syncthreads_or(unsorted) && threadIdx.x == 0) words->unsorted = 1;
}

__global__ void pack(const AnyVector x, std::int64_t size, AnyVector out) {
  for (std::int64_t i = first_index(); i < size; i += step())
    out.store(i, bits_at(x.first + i * x.step, x.element_bytes));
}

__global__ void offsets_of_keys(const std::uint32_t* keys, std::int64_t size, std::int64_t* offsets,
                                std::int64_t count) {
  for (std::int64_t key = first_index(); key <= count; key += step()) {
    std::int64_t low = 0;
    for (std::int64_t high = size; low < high;) {
      const std::int64_t middle = low + (high - low) / 2;
      if (keys[middle] < key)
        low = middle + 1;
      else
        high = middle;
    }
    offsets[key] = low;
  }
}

dim3 blocks_for(std::int64_t items) {
  constexpr std::int64_t most = 1 << 14;
  return {static_cast<unsigned>(std::min((items - 1) / threads + 1, most))};
}

template <class Kernel, class... Arguments>
void launch(Kernel* kernel, std::int64_t items, cudaStream_t stream, Arguments... arguments) {
  void* addresses[] = {static_cast<void*>(&arguments)...};
  check(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), blocks_for(items), dim3(threads), addresses,
                         0, stream),
        "grouping by keys");
}

template <class Word>
cudaError_t sort(void* memory, std::size_t& bytes, const KeysAndValues& from, const KeysAndValues& to,
                 std::int64_t size, int key_bits, cudaStream_t stream) {
  return cub::DeviceRadixSort::SortPairs(memory, bytes, from.keys, to.keys,
                                         reinterpret_cast<const Word*>(from.values),
                                         reinterpret_cast<Word*>(to.values), size, 0, key_bits, stream);
}

cudaError_t sort_of_width(std::int64_t width, void* memory, std::size_t& bytes, const KeysAndValues& from,
                          const KeysAndValues& to, std::int64_t size, int key_bits, cudaStream_t stream) {
  switch (width) {
    case 1:
      return sort<std::uint8_t>(memory, bytes, from, to, size, key_bits, stream);
    case 2:
      return sort<std::uint16_t>(memory, bytes, from, to, size, key_bits, stream);
    case 4:
      return sort<std::uint32_t>(memory, bytes, from, to, size, key_bits, stream);
    default:
      return sort<std::uint64_t>(memory, bytes, from, to, size, key_bits, stream);
  }
}

}  // namespace

bool are_plain_keys(const VectorView& keys) {
  return size_of(keys.type()) == 4 && keys.stride() == 1 &&
         reinterpret_cast<std::uintptr_t>(keys.data()) % 4 == 0;
}

void launch_look_at_keys(const VectorView& keys, std::int64_t count, std::uint32_t* out, KeyWords* words,
                         cudaStream_t stream) {
  launch(&look_at_keys, keys.size(), stream, AnyVector(keys.data(), keys.type(), keys.stride()), keys.size(),
         count, out, words);
}

void launch_pack(const VectorView& x, std::byte* out, cudaStream_t stream) {
  launch(&pack, x.size(), stream, AnyVector(x.data(), x.type(), x.stride()), x.size(),
         AnyVector(out, x.type(), 1));
}

std::size_t bytes_for_sorting(std::int64_t size, std::int64_t width, int key_bits) {
  std::size_t bytes = 0;
  check(sort_of_width(width, nullptr, bytes, {}, {}, size, key_bits, nullptr), "asking what sorting needs");
  return bytes;
}

void sort_by_key(const KeysAndValues& from, const KeysAndValues& to, std::int64_t size, std::int64_t width,
                 int key_bits, std::byte* memory, std::size_t memory_bytes, cudaStream_t stream) {
  check(sort_of_width(width, memory, memory_bytes, from, to, size, key_bits, stream), "sorting by keys");
}

void launch_offsets_of_keys(const std::uint32_t* keys, std::int64_t size, std::int64_t* offsets,
                            std::int64_t count, cudaStream_t stream) {
  launch(&offsets_of_keys, count + 1, stream, keys, size, offsets, count);
}

}  // namespace foldline::cuda
