// Values in the order of their keys, on a device.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "foldline/vector_view.hpp"

namespace foldline::cuda {

/// Where a look at keys says what it found, in the device's memory, zero before.
struct KeyReport {
  unsigned long long* wrong;     // maximum of ~index of keys that are not in the range
  unsigned long long* unsorted;  // whether one is less than the one before; null if nobody asks
};

/// Whether keys can be sorted where they are.
bool are_plain_keys(const VectorView& keys);
/// Looks whether keys are in [0, count), and copies them to `out` as 32 bits unless it is null, wrong ones as
/// `count`.
void launch_look_at_keys(const VectorView& keys, std::int64_t count, std::uint32_t* out,
                         const KeyReport& report, cudaStream_t stream);
/// Copies a vector's elements to contiguous memory.
void launch_pack(const VectorView& x, std::byte* out, cudaStream_t stream);

/// Temporary memory of sort_by_key.
std::size_t bytes_for_sorting(std::int64_t size, std::int64_t width, int key_bits);
struct KeysAndValues {
  std::uint32_t* keys;
  std::byte* values;  // aligned
};
/// Sorts values of `width` bytes by the low bits of their keys; `from` stays as it is.
void sort_by_key(const KeysAndValues& from, const KeysAndValues& to, std::int64_t size, std::int64_t width,
                 int key_bits, std::byte* memory, std::size_t memory_bytes, cudaStream_t stream);
/// Where each key from 0 to `count` begins among sorted keys.
void launch_offsets_of_keys(const std::uint32_t* keys, std::int64_t size, std::int64_t* offsets,
                            std::int64_t count, cudaStream_t stream);

}  // namespace foldline::cuda
