// Sorts values by integer keys: CUB's radix sort of as many bits as the keys have.
#include <cub/device/device_radix_sort.cuh>

#include "cuda/axis/group_keys.hpp"
#include "cuda/device/any_vector.cuh"
#include "cuda/device/item_loop.cuh"
#include "cuda/device/unsigned_word.hpp"
#include "cuda/runtime/check.hpp"

namespace foldline::cuda {

namespace {

constexpr auto doing = "grouping by keys";

/// A key as 32 bits, or all bits set if it is beyond them.
__device__ __forceinline__ std::uint32_t key_at(const AnyVector& keys, std::int64_t i) {
  const Int128 key = keys.integer(i);
  return key < 0 || key > 0xfffffffe ? 0xffffffff : static_cast<std::uint32_t>(key);
}

/// Keys as they are, if they have 32 bits.
struct PlainKeys {
  const std::uint32_t* key;
  bool are_signed;

  __device__ __forceinline__ std::uint32_t operator[](std::int64_t i) const {
    const std::uint32_t own = key[i];
    return are_signed && own >> 31 != 0 ? 0xffffffff : own;
  }
};
struct AnyKeys {
  AnyVector keys;
  __device__ __forceinline__ std::uint32_t operator[](std::int64_t i) const { return key_at(keys, i); }
};

template <class Keys>
__global__ void look_at_keys(const Keys keys, std::int64_t size, std::int64_t count, std::uint32_t* out,
                             KeyReport report) {
  constexpr int at_a_time = 4;
  unsigned long long wrong = 0;
  bool unsorted = false;
  const std::int64_t step = item_step();
  for (std::int64_t first = first_item(); first < size; first += at_a_time * step) {
    std::uint32_t key[at_a_time], before[at_a_time];
#pragma unroll
    for (int k = 0; k < at_a_time; ++k) {
      const std::int64_t i = min(first + k * step, size - 1);
      key[k] = keys[i];
      before[k] = report.unsorted != nullptr && i != 0 ? keys[i - 1] : 0;
    }
#pragma unroll
    for (int k = 0; k < at_a_time; ++k) {
      const std::int64_t i = min(first + k * step, size - 1);
      const bool is_wrong = key[k] >= count || key[k] == 0xffffffff;
      if (is_wrong) wrong = max(wrong, ~static_cast<unsigned long long>(i));
      unsorted |= before[k] > key[k];
      if (out != nullptr) out[i] = is_wrong ? static_cast<std::uint32_t>(count) : key[k];
    }
  }
  if (wrong != 0) atomicMax(report.wrong, wrong);
  if (__syncthreads_or(unsorted) && threadIdx.x == 0) *report.unsorted = 1;
}

__global__ void pack(const AnyVector x, std::int64_t size, AnyVector out) {
  for (std::int64_t i = first_item(); i < size; i += item_step())
    out.store(i, bits_at(x.first + i * x.step, x.element_bytes));
}

__global__ void offsets_of_keys(const std::uint32_t* keys, std::int64_t size, std::int64_t* offsets,
                                std::int64_t count) {
  for (std::int64_t key = first_item(); key <= count; key += item_step()) {
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

template <class Word>
cudaError_t sort(void* memory, std::size_t& bytes, const KeysAndValues& from, const KeysAndValues& to,
                 std::int64_t size, int key_bits, cudaStream_t stream) {
  return cub::DeviceRadixSort::SortPairs(memory, bytes, from.keys, to.keys,
                                         reinterpret_cast<const Word*>(from.values),
                                         reinterpret_cast<Word*>(to.values), size, 0, key_bits, stream);
}

cudaError_t sort_of_width(std::int64_t width, void* memory, std::size_t& bytes, const KeysAndValues& from,
                          const KeysAndValues& to, std::int64_t size, int key_bits, cudaStream_t stream) {
  return with_unsigned_word(
      width, [&]<class Word>(Word) { return sort<Word>(memory, bytes, from, to, size, key_bits, stream); });
}

}  // namespace

bool are_plain_keys(const VectorView& keys) {
  return size_of(keys.type()) == 4 && keys.stride() == 1 &&
         reinterpret_cast<std::uintptr_t>(keys.data()) % 4 == 0;
}

void launch_look_at_keys(const VectorView& keys, std::int64_t count, std::uint32_t* out,
                         const KeyReport& report, cudaStream_t stream) {
  const std::int64_t items = (keys.size() - 1) / 4 + 1;
  if (are_plain_keys(keys))
    launch_for_items(&look_at_keys<PlainKeys>, items, stream, doing,
                     PlainKeys{static_cast<const std::uint32_t*>(keys.data()), is_signed(keys.type())},
                     keys.size(), count, out, report);
  else
    launch_for_items(&look_at_keys<AnyKeys>, items, stream, doing,
                     AnyKeys{AnyVector(keys.data(), keys.type(), keys.stride())}, keys.size(), count, out,
                     report);
}

void launch_pack(const VectorView& x, std::byte* out, cudaStream_t stream) {
  launch_for_items(&pack, x.size(), stream, doing, AnyVector(x.data(), x.type(), x.stride()), x.size(),
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
  launch_for_items(&offsets_of_keys, count + 1, stream, doing, keys, size, offsets, count);
}

}  // namespace foldline::cuda
