// What the kernels of faults.cu and faults_between_blocks.cu share.
#pragma once

#include <simt/simt.hpp>

#include "faults.hpp"

#define HERE (__LINE__ - 1)

template <class T>
T* device(std::size_t count, bool filled = true) {
  T* pointer = nullptr;
  cudaMalloc(&pointer, count * sizeof(T));
  if (filled) cudaMemset(pointer, 0, count * sizeof(T));
  return pointer;
}

inline constexpr int block = 128;

template <class... P, class... A>
void on(unsigned grid, std::size_t shared, void (*kernel)(P...), A... arguments) {
  simt::launch(kernel, grid, block, shared, nullptr, arguments...);
}
