// Memory of the GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "check.hpp"

namespace foldline::bench::cuda {

/// Elements in the memory of the GPU. Contestants share arrays, and a graph must find them where they were.
template <class T>
using DeviceArray = std::shared_ptr<T>;

template <class T>
DeviceArray<T> device_array(std::int64_t size) {
  void* memory = nullptr;
  // Never empty: CUB takes a non-null address to mean that there is scratch memory.
  check(cudaMalloc(&memory, (static_cast<std::size_t>(size) + 1) * sizeof(T)),
        "allocating memory of the GPU");
  return {static_cast<T*>(memory), [](T* array) { cudaFree(array); }};
}

template <class T>
void copy_to_device(std::span<const T> from, T* to) {
  check(cudaMemcpy(to, from.data(), from.size_bytes(), cudaMemcpyHostToDevice), "copying to the GPU");
  // Copies from pageable memory may still be under way, for which other streams would not wait.
  check(cudaDeviceSynchronize(), "copying to the GPU");
}

/// Copies after everything queued.
template <class T>
std::vector<T> copy_to_host(const T* from, std::int64_t size) {
  std::vector<T> values(static_cast<std::size_t>(size));
  check(cudaDeviceSynchronize(), "waiting for the GPU");
  check(cudaMemcpy(values.data(), from, values.size() * sizeof(T), cudaMemcpyDeviceToHost),
        "copying from the GPU");
  return values;
}

/// Overwrites results immediately, so that those of one contestant are not taken for the next one's.
template <class T>
void poison(T* results, std::int64_t size) {
  check(cudaMemset(results, 0xa5, static_cast<std::size_t>(size) * sizeof(T)), "poisoning results");
  check(cudaDeviceSynchronize(), "poisoning results");
}

}  // namespace foldline::bench::cuda
