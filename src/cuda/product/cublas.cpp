#include "cuda/product/cublas.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "foldline/error.hpp"

namespace foldline::cuda {

namespace {

/// Functions of cuBLAS with 64-bit sizes (CUDA 12 and later). Enumerations are declared as int, streams and
/// handles as void*.
struct Cublas {
  int (*create)(void**) = nullptr;
  int (*destroy)(void*) = nullptr;
  int (*set_stream)(void*, void*) = nullptr;
  int (*dgemm)(void*, int, int, std::int64_t, std::int64_t, std::int64_t, const double*, const double*,
               std::int64_t, const double*, std::int64_t, const double*, double*, std::int64_t) = nullptr;
  int (*sgemm)(void*, int, int, std::int64_t, std::int64_t, std::int64_t, const float*, const float*,
               std::int64_t, const float*, std::int64_t, const float*, float*, std::int64_t) = nullptr;
  bool is_there = false;

  Cublas() {
    const char* const wish = std::getenv("FOLDLINE_CUBLAS");
    if (wish != nullptr && std::string_view(wish) == "off") return;
    for (const char* const name : {"libcublas.so.13", "libcublas.so.12"}) {
      void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
      if (library == nullptr) continue;
      is_there = find(library, "cublasCreate_v2", create) && find(library, "cublasDestroy_v2", destroy) &&
                 find(library, "cublasSetStream_v2", set_stream) &&
                 find(library, "cublasDgemm_v2_64", dgemm) && find(library, "cublasSgemm_v2_64", sgemm);
      if (is_there) return;
    }
  }

 private:
  template <class Function>
  static bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
  }
};

const Cublas& cublas() {
  static const Cublas instance;
  return instance;
}

void check_cublas(int status, const char* doing) {
  if (status != 0)
    throw DeviceError(std::string("cuBLAS: ") + doing + " failed with status " + std::to_string(status) +
                      "; FOLDLINE_CUBLAS=off does without it");
}

/// The layout of a matrix for cuBLAS: column-major with this stride, or the transpose of that.
struct ByColumns {
  bool transposed;
  std::int64_t stride;
};
bool lies_by_columns(const MatrixOperand& matrix) {
  return matrix.row_stride == 1 && matrix.column_stride >= std::max<std::int64_t>(matrix.rows, 1);
}
bool lies_by_rows(const MatrixOperand& matrix) {
  return matrix.column_stride == 1 && matrix.row_stride >= std::max<std::int64_t>(matrix.columns, 1);
}
ByColumns by_columns(const MatrixOperand& matrix) {
  if (lies_by_columns(matrix)) return {false, matrix.column_stride};
  return {true, matrix.row_stride};
}

template <class T, class Gemm>
void multiply(Gemm gemm, const MatrixProduct& product, void* handle) {
  // A row-major C is the transpose of a column-major C' = B' A'.
  const bool swapped = !lies_by_columns(product.c);
  const MatrixOperand a = swapped ? product.b.transposed() : product.a;
  const MatrixOperand b = swapped ? product.a.transposed() : product.b;
  const MatrixOperand c = swapped ? product.c.transposed() : product.c;
  const ByColumns first = by_columns(a), second = by_columns(b);
  const auto alpha = static_cast<T>(product.alpha), beta = static_cast<T>(product.beta);
  const auto operation = [](bool transposed) { return transposed ? 1 : 0; };
  check_cublas(
      gemm(handle, operation(first.transposed), operation(second.transposed), c.rows, c.columns, a.columns,
           &alpha, reinterpret_cast<const T*>(a.data), first.stride, reinterpret_cast<const T*>(b.data),
           second.stride, &beta, reinterpret_cast<T*>(product.entry(0, 0)), by_columns(c).stride),
      "a matrix product");
}

}  // namespace

void* new_cublas_handle() {
  if (!cublas().is_there) return nullptr;
  void* handle = nullptr;
  check_cublas(cublas().create(&handle), "starting it");
  return handle;
}

void destroy_cublas_handle(void* handle) {
  if (handle != nullptr) cublas().destroy(handle);
}

bool suits_cublas(const MatrixProduct& product) {
  return std::ranges::all_of(std::initializer_list<const MatrixOperand*>{&product.a, &product.b, &product.c},
                             [](const MatrixOperand* matrix) {
                               return (lies_by_rows(*matrix) || lies_by_columns(*matrix)) &&
                                      reinterpret_cast<std::uintptr_t>(matrix->data) %
                                              static_cast<std::uintptr_t>(size_of(matrix->type)) ==
                                          0;
                             });
}

void product_by_cublas(const MatrixProduct& product, void* handle, cudaStream_t stream) {
  check_cublas(cublas().set_stream(handle, stream), "choosing a stream");
  if (product.a.type == ElementType::float64)
    multiply<double>(cublas().dgemm, product, handle);
  else
    multiply<float>(cublas().sgemm, product, handle);
}

}  // namespace foldline::cuda
