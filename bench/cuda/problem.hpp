// Problems on the GPU: one operation on vectors in the memory of both GPU and host.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <foldline/types.hpp>

#include "bench/arrays.hpp"
#include "bench/problem.hpp"
#include "contestant.hpp"
#include "cublas.hpp"
#include "lane.hpp"

namespace foldline::bench::cuda {

/// What all contestants share.
struct Machine {
  Lane lane;
  Cublas cublas{lane.stream()};
  std::int64_t l2_bytes = 0;
};

/// One or two vectors of random numbers, one behind the other in the GPU's memory.
template <Element T>
class Vectors {
 public:
  Vectors(std::int64_t size, const std::string& kind, int count)
      : size_(size), device_(device_array<T>(count * size)) {
    for (int i = 0; i < count; ++i) {
      host_[i] = make_array<T>(size, kind, static_cast<std::uint64_t>(i) + 1);
      copy_to_device<T>({host_[i].get(), static_cast<std::size_t>(size)}, device_.get() + i * size);
    }
  }
  std::int64_t size() const { return size_; }
  const T* host(int i) const { return host_[i].get(); }
  const T* device(int i) const { return device_.get() + i * size_; }

 private:
  std::int64_t size_;
  Array<T> host_[2];
  DeviceArray<T> device_;
};

/// The first `size` elements of vectors, which must outlive it; with several `pieces` of that size, which
/// calls read in turn so that none finds its data in the cache.
template <Element T>
struct DeviceProblem {
  Machine* machine;
  const Vectors<T>* vectors;
  std::int64_t size;
  std::int64_t pieces = 1;

  Problem<T> on_host() const { return {vectors->host(0), vectors->host(1), size, on_gpu}; }
  std::int64_t offset(std::int64_t call) const { return call % pieces * size; }
  const T* x(std::int64_t call = 0) const { return vectors->device(0) + offset(call); }
  const T* y() const { return vectors->device(1); }
  /// For BLAS and CUB.
  int int_size() const { return static_cast<int>(size); }
};

/// The number of pieces of `size` elements, of `total`, that together exceed the cache.
template <Element T>
std::int64_t pieces_of(std::int64_t size, std::int64_t total, const Machine& machine) {
  const std::int64_t bytes = size * static_cast<std::int64_t>(sizeof(T));
  // Reading three times the size of the cache in turn leaves nothing in it.
  return std::clamp<std::int64_t>(total / size, 1, 3 * machine.l2_bytes / bytes + 1);
}

/// The contestants, and the tolerance for a peer's result, which is finite; negative: unlimited, because
/// plain arithmetic overflows.
struct Competition {
  std::vector<DeviceContestant> contestants;
  double tolerance;
};

/// 1/1000 or, of doubles, 10^-9 of `scale`, the sum of the magnitudes that are added up; of integers nothing.
template <Element T>
double tolerance_for(double scale) {
  if (IntegerElement<T>) return 0;
  return (sizeof(T) == 8 ? 1e-9 : 1e-3) * scale;
}

/// True if no sum, product or square of such data overflows or is lost.
inline bool is_tame(const std::string& data) { return data == "uniform" || data == "normal"; }

}  // namespace foldline::bench::cuda
