// For `check`: calls kernels with arguments that are made for them.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <simt/checked_kernels.hpp>
#include <tuple>
#include <vector>

namespace simt {

/// Elements of an array: those that kernels only read have small numbers, so that they can be indices; others
/// are 0, as locks, flags and sums are at first.
template <class T>
std::vector<T> elements(std::int64_t count, bool is_input, std::int64_t n) {
  std::vector<T> all(static_cast<std::size_t>(count));
  if constexpr (std::is_arithmetic_v<T>)
    for (std::int64_t i = 0; is_input && i < count; ++i)
      all[static_cast<std::size_t>(i)] =
          static_cast<T>(std::is_integral_v<T> ? i % (n < 100 ? n : 100) : i % 16 + 1);
  return all;
}

/// An argument of type T. Memory that was allocated for it stays until the end of the process.
template <class T>
T argument(const CheckedParameter& parameter) {
  const std::int64_t n = parameter.n;
  if constexpr (std::is_pointer_v<T>) {
    using Pointee = std::remove_pointer_t<T>;
    using Element = std::conditional_t<std::is_void_v<Pointee>, double, std::remove_cv_t<Pointee>>;
    const std::int64_t count = parameter.value.value_or(n);
    const std::vector<Element> host = elements<Element>(count, std::is_const_v<Pointee>, n);
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(Element);
    void* device = nullptr;
    cudaMalloc(&device, bytes);
    if constexpr (!std::is_same_v<Element, bool>)
      cudaMemcpy(device, host.data(), bytes, cudaMemcpyHostToDevice);
    else
      cudaMemset(device, 0, bytes);
    return static_cast<T>(device);
  } else if constexpr (std::is_same_v<T, bool>) {
    return parameter.value.value_or(1) != 0;
  } else if constexpr (std::is_same_v<T, cudaTextureObject_t>) {
    return parameter.is_texture ? texture_of(elements<float>(parameter.value.value_or(n), true, n))
                                : static_cast<T>(parameter.value.value_or(n));
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(parameter.value.value_or(n));
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(parameter.value.value_or(1));
  } else if constexpr (std::is_enum_v<T>) {
    return static_cast<T>(parameter.value.value_or(0));
  } else {
    static_assert(std::is_default_constructible_v<T>, "check makes an argument of this type by T()");
    return T();
  }
}

template <class... P>
void call_checked(void (*kernel)(P...), const CheckedCall& call) {
  const auto run = [&]<std::size_t... I>(std::index_sequence<I...>) {
    launch(kernel, call.grid, call.block, call.shared_bytes, nullptr,
           argument<std::remove_cv_t<P>>(call.parameters[I])...);
  };
  run(std::index_sequence_for<P...>());
}

}  // namespace simt
