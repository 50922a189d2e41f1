// cuBLAS, if this machine has it: looked for at run time, so that the program starts without.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>

#include "memory.hpp"

namespace foldline::bench::cuda {

/// Queues in one stream, with results and factors on the device, and scratch memory that it was given.
class Cublas {
 public:
  explicit Cublas(cudaStream_t stream);
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;
  ~Cublas();

  bool is_there() const { return handle_ != nullptr; }
  /// "13.0.2"; empty if it is not there.
  std::string version() const;

  template <class T>
  void dot(int size, const T* x, const T* y, T* result) const;
  template <class T>
  void asum(int size, const T* x, T* result) const;
  template <class T>
  void nrm2(int size, const T* x, T* result) const;
  /// The sums of the columns of a row-major matrix: by gemv or gemm, its transpose times `ones`.
  void gemv(std::int64_t rows, std::int64_t columns, const double* matrix, const double* ones,
            double* sums) const;
  void gemm(std::int64_t rows, std::int64_t columns, const double* matrix, const double* ones,
            double* sums) const;

 private:
  template <class Function>
  Function function(const char* name) const;

  void* library_ = nullptr;
  void* handle_ = nullptr;
  DeviceArray<char> workspace_;
  DeviceArray<double> factors_;  ///< 1 and 0
};

}  // namespace foldline::bench::cuda
