/// @file
/// Reductions and scans with the user's own element type, operator and input function on a GPU; for nvcc.
/// The same functions as in generic.hpp, with results in memory of the device, in the order of a stream:
///
///     foldline::generic::cuda::Scratch scratch;
///     foldline::generic::cuda::reduce(result, x, n, 0.0, Plus(), scratch, stream);   // double *result, *x
///
/// op is associative, and called as op(a, b) on the device, where a and b are T, and returns something that
/// converts to T; it need not be commutative. f(i), of a std::int64_t, is element i: data that is computed
/// while it is read. Both are copied to the device, so what they point to must be in memory that it reaches.
///
/// Operands are combined in the order of generic.hpp, which depends on the number of elements only
/// (detail/blocks.hpp). So a result is the same on any GPU and in every run, also where op rounds; and that
/// of the CPU where op and f compute the same there, for which nvcc must be told not to contract a * b + c
/// (-fmad=false). For exact sums use foldline::async::sum.
///
/// The current device is used. Calls queue their work and return, and can be captured into a CUDA graph once
/// the Scratch is large enough, as after a call with as many elements. They throw InvalidArgument for a
/// negative size and DeviceError if the work cannot be queued.
///
/// O(n) calls of op; reduce: n calls; f is called once for each element. Scans read n elements and write
/// them twice.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "foldline/detail/device_blocks.cuh"
#include "foldline/detail/device_calls.cuh"
#include "foldline/error.hpp"

/// Reductions and scans with the user's own types and operators on a GPU.
namespace foldline::generic::cuda {

/// What can be an element: it is copied as bytes.
template <class T>
concept DeviceElement = std::is_trivially_copyable_v<T> && std::default_initializable<T> && sizeof(T) <= 128;

using detail::device::check;

/// Memory of the current device that calls work in; it grows when a call needs more than any before. Calls
/// with the same one must come after each other, as they do in one stream.
class Scratch {
 public:
  Scratch() = default;
  ~Scratch() { cudaFree(data_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  /// At least so many bytes.
  void* at_least(std::size_t bytes) {
    if (bytes <= size_) return data_;
    check(cudaFree(data_), "freeing memory");  // waits until nobody uses it
    data_ = nullptr;
    size_ = 0;
    check(cudaMalloc(&data_, bytes), "allocating memory");
    size_ = bytes;
    return data_;
  }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Element i of an array as f(i).
template <class T>
struct ElementOf {
  const T* x;  ///< of the device
  /// x[i]
  __device__ const T& operator()(std::int64_t i) const { return x[i]; }
};

}  // namespace foldline::generic::cuda

namespace foldline::detail::device {

using generic::cuda::Scratch;

inline void require_size(std::string_view caller, std::int64_t n) {
  if (n < 0)
    throw InvalidArgument("cuda::" + std::string(caller) + ": " + std::to_string(n) +
                          " elements; use 0 or more");
}

/// Thread blocks for so many warps' work.
inline std::int64_t grid(std::int64_t warps_of_work) {
  constexpr std::int64_t most = 1 << 16;
  return std::min((warps_of_work - 1) / warps + 1, most);
}

template <class T, class Op, class F>
void reduce(T* result, std::int64_t n, T init, Op op, F f, Scratch& scratch, cudaStream_t stream) {
  if (n < static_cast<std::int64_t>(runs_per_block))
    return launch(reduce_few<T, Op, F>, 1, 1, stream, static_cast<int>(n), init, op, f, result);
  const Blocks blocks(n);
  auto* const sums =
      static_cast<Sums<T>*>(scratch.at_least(static_cast<std::size_t>(blocks.count()) * sizeof(Sums<T>)));
  launch(fold_blocks<T, Op, F>, grid(blocks.count()), threads, stream, blocks, op, f, sums);
  launch(chain_blocks<T, Op>, 1, threads, stream, blocks.count(), true, init, op,
         static_cast<const Sums<T>*>(sums), static_cast<T*>(nullptr), result);
}

template <ScanKind kind, class T, class Op, class F>
void scan(T* out, std::int64_t n, T init, Op op, F f, Scratch& scratch, cudaStream_t stream) {
  constexpr bool has_init = kind == ScanKind::exclusive;
  if (n == 0) return;
  if (n < static_cast<std::int64_t>(runs_per_block))
    return launch(scan_few<kind, T, Op, F>, 1, 1, stream, static_cast<int>(n), has_init, init, op, f, out);
  const Blocks blocks(n);
  const auto count = static_cast<std::size_t>(blocks.count());
  auto* const sums = static_cast<Sums<T>*>(scratch.at_least(count * (sizeof(Sums<T>) + sizeof(T))));
  auto* const before = reinterpret_cast<T*>(sums + count);
  launch(scan_runs<kind, T, Op, F>, grid(blocks.count()), threads, stream, blocks, op, f, out, sums);
  launch(chain_blocks<T, Op>, 1, threads, stream, blocks.count(), has_init, init, op,
         static_cast<const Sums<T>*>(sums), before, static_cast<T*>(nullptr));
  launch(prepend<kind, T, Op>, grid(blocks.count() * runs), threads, stream, blocks, has_init, op, out,
         static_cast<const Sums<T>*>(sums), static_cast<const T*>(before));
}

}  // namespace foldline::detail::device

namespace foldline::generic::cuda {

/// *result = init op f(0) op f(1) op ... op f(n - 1); init if n is 0.
template <DeviceElement T, class Op, class F>
void transform_reduce(T* result, std::int64_t n, T init, Op op, F f, Scratch& scratch,
                      cudaStream_t stream = nullptr) {
  detail::device::require_size("transform_reduce", n);
  detail::device::reduce(result, n, init, op, f, scratch, stream);
}

/// *result = init op x[0] op x[1] op ...; init if n is 0.
template <DeviceElement T, class U, class Op>
void reduce(T* result, const U* x, std::int64_t n, std::type_identity_t<T> init, Op op, Scratch& scratch,
            cudaStream_t stream = nullptr) {
  detail::device::require_size("reduce", n);
  detail::device::reduce(result, n, init, op, ElementOf<U>{x}, scratch, stream);
}

/// out[i] = f(0) op ... op f(i). The last element is what transform_reduce gives if init is op's identity,
/// bit for bit.
template <DeviceElement T, class Op, class F>
void transform_inclusive_scan(T* out, std::int64_t n, Op op, F f, Scratch& scratch,
                              cudaStream_t stream = nullptr) {
  detail::device::require_size("transform_inclusive_scan", n);
  detail::device::scan<detail::ScanKind::inclusive>(out, n, T{}, op, f, scratch, stream);
}

/// out[i] = init op f(0) op ... op f(i - 1), and out[0] = init.
template <DeviceElement T, class Op, class F>
void transform_exclusive_scan(T* out, std::int64_t n, std::type_identity_t<T> init, Op op, F f,
                              Scratch& scratch, cudaStream_t stream = nullptr) {
  detail::device::require_size("transform_exclusive_scan", n);
  detail::device::scan<detail::ScanKind::exclusive>(out, n, init, op, f, scratch, stream);
}

/// out[i] = x[0] op ... op x[i]. out may be x itself, but not overlap it otherwise.
template <DeviceElement T, class U, class Op>
void inclusive_scan(const U* x, T* out, std::int64_t n, Op op, Scratch& scratch,
                    cudaStream_t stream = nullptr) {
  detail::device::require_size("inclusive_scan", n);
  detail::device::scan<detail::ScanKind::inclusive>(out, n, T{}, op, ElementOf<U>{x}, scratch, stream);
}

/// out[i] = init op x[0] op ... op x[i - 1], and out[0] = init. out may be x itself, but not overlap it
/// otherwise.
template <DeviceElement T, class U, class Op>
void exclusive_scan(const U* x, T* out, std::int64_t n, std::type_identity_t<T> init, Op op, Scratch& scratch,
                    cudaStream_t stream = nullptr) {
  detail::device::require_size("exclusive_scan", n);
  detail::device::scan<detail::ScanKind::exclusive>(out, n, init, op, ElementOf<U>{x}, scratch, stream);
}

}  // namespace foldline::generic::cuda
