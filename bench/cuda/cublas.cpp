#include "cublas.hpp"

#include <dlfcn.h>

#include <array>
#include <stdexcept>

namespace foldline::bench::cuda {
namespace {

/// Values of cuBLAS's own enumerations.
constexpr int not_transposed = 0, pointers_to_device = 1;

/// What NVIDIA recommends for Hopper.
constexpr std::int64_t workspace_bytes = std::int64_t{32} << 20;

void* open_library() {
  for (const char* const name : {"libcublas.so.13", "libcublas.so.12", "libcublas.so"})
    if (void* const library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  return nullptr;
}

void check_cublas(int status, const char* doing) {
  if (status != 0)
    throw std::runtime_error(std::string(doing) + ": cuBLAS returned status " + std::to_string(status));
}

template <class T>
const char* name_for(const char* of_double, const char* of_float) {
  return sizeof(T) == 8 ? of_double : of_float;
}

}  // namespace

template <class Function>
Function Cublas::function(const char* name) const {
  void* const found = ::dlsym(library_, name);
  if (found == nullptr) throw std::runtime_error(std::string("cuBLAS has no function ") + name);
  return reinterpret_cast<Function>(found);
}

Cublas::Cublas(cudaStream_t stream) : library_(open_library()) {
  if (library_ == nullptr) return;
  check_cublas(function<int (*)(void**)>("cublasCreate_v2")(&handle_), "starting cuBLAS");
  check_cublas(function<int (*)(void*, cudaStream_t)>("cublasSetStream_v2")(handle_, stream),
               "giving cuBLAS a stream");
  workspace_ = device_array<char>(workspace_bytes);
  // After setting the stream, which resets cuBLAS to its own workspace.
  check_cublas(function<int (*)(void*, void*, std::size_t)>("cublasSetWorkspace_v2")(
                   handle_, workspace_.get(), std::size_t{workspace_bytes}),
               "giving cuBLAS a workspace");
  check_cublas(function<int (*)(void*, int)>("cublasSetPointerMode_v2")(handle_, pointers_to_device),
               "asking cuBLAS for results on the device");
  factors_ = device_array<double>(2);
  copy_to_device<double>(std::array{1.0, 0.0}, factors_.get());
}

Cublas::~Cublas() {
  if (handle_ != nullptr) function<int (*)(void*)>("cublasDestroy_v2")(handle_);
}

std::string Cublas::version() const {
  if (!is_there()) return {};
  int number = 0;
  check_cublas(function<int (*)(void*, int*)>("cublasGetVersion_v2")(handle_, &number),
               "asking for the version");
  return std::to_string(number / 10000) + '.' + std::to_string(number / 100 % 100) + '.' +
         std::to_string(number % 100);
}

template <class T>
void Cublas::dot(int size, const T* x, const T* y, T* result) const {
  using Function = int (*)(void*, int, const T*, int, const T*, int, T*);
  static const auto call = function<Function>(name_for<T>("cublasDdot_v2", "cublasSdot_v2"));
  check_cublas(call(handle_, size, x, 1, y, 1, result), "the dot product of cuBLAS");
}

template <class T>
void Cublas::asum(int size, const T* x, T* result) const {
  using Function = int (*)(void*, int, const T*, int, T*);
  static const auto call = function<Function>(name_for<T>("cublasDasum_v2", "cublasSasum_v2"));
  check_cublas(call(handle_, size, x, 1, result), "the absolute sum of cuBLAS");
}

template <class T>
void Cublas::nrm2(int size, const T* x, T* result) const {
  using Function = int (*)(void*, int, const T*, int, T*);
  static const auto call = function<Function>(name_for<T>("cublasDnrm2_v2", "cublasSnrm2_v2"));
  check_cublas(call(handle_, size, x, 1, result), "the norm of cuBLAS");
}

// cuBLAS sees a row-major matrix by columns, as its transpose: that times a vector, or times a matrix of one
// column.
void Cublas::gemv(std::int64_t rows, std::int64_t columns, const double* matrix, const double* ones,
                  double* sums) const {
  using Function = int (*)(void*, int, int, int, const double*, const double*, int, const double*, int,
                           const double*, double*, int);
  static const auto call = function<Function>("cublasDgemv_v2");
  const double *const one = factors_.get(), *const zero = one + 1;
  const int m = static_cast<int>(columns), n = static_cast<int>(rows);
  check_cublas(call(handle_, not_transposed, m, n, one, matrix, m, ones, 1, zero, sums, 1),
               "the product of matrix and vector of cuBLAS");
}

void Cublas::gemm(std::int64_t rows, std::int64_t columns, const double* matrix, const double* ones,
                  double* sums) const {
  using Function = int (*)(void*, int, int, int, int, int, const double*, const double*, int, const double*,
                           int, const double*, double*, int);
  static const auto call = function<Function>("cublasDgemm_v2");
  const double *const one = factors_.get(), *const zero = one + 1;
  const int m = static_cast<int>(columns), k = static_cast<int>(rows);
  check_cublas(call(handle_, not_transposed, not_transposed, m, 1, k, one, matrix, m, ones, k, zero, sums, m),
               "the product of matrices of cuBLAS");
}

template void Cublas::dot(int, const double*, const double*, double*) const;
template void Cublas::dot(int, const float*, const float*, float*) const;
template void Cublas::asum(int, const double*, double*) const;
template void Cublas::asum(int, const float*, float*) const;
template void Cublas::nrm2(int, const double*, double*) const;
template void Cublas::nrm2(int, const float*, float*) const;

}  // namespace foldline::bench::cuda
