// Reads and writes elements at addresses that need not be aligned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace foldline::cuda {

template <class T>
__device__ __forceinline__ T read_element(const std::byte* from) {
  if (reinterpret_cast<std::uintptr_t>(from) % sizeof(T) == 0) return *reinterpret_cast<const T*>(from);
  T element;
  std::memcpy(&element, from, sizeof element);
  return element;
}

template <class T>
__device__ __forceinline__ void write_element(std::byte* to, T element) {
  if (reinterpret_cast<std::uintptr_t>(to) % sizeof(T) == 0)
    *reinterpret_cast<T*>(to) = element;
  else
    std::memcpy(to, &element, sizeof element);
}

}  // namespace foldline::cuda
