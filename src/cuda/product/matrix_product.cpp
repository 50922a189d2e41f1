// Matrix products on a device: locates the matrices and chooses a method.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "cuda/product/cublas.hpp"
#include "cuda/product/exact_product.hpp"
#include "cuda/product/product_threads.hpp"
#include "cuda/runtime/buffer.hpp"
#include "cuda/runtime/check.hpp"
#include "cuda/runtime/memory_space.hpp"
#include "cuda/workspace/resources.hpp"

namespace foldline::cuda {

namespace {

/// A matrix in device memory: the original, or a dense copy of a matrix in host memory.
class OnDevice {
 public:
  OnDevice(const MatrixOperand& matrix, int device, bool is_read, cudaStream_t stream)
      : matrix_(matrix), original_(matrix) {
    if (matrix.rows == 0 || matrix.columns == 0) return;
    if (memory_space_of(matrix.data, device) == MemorySpace::device) return;
    const std::int64_t size = size_of(matrix.type);
    matrix_.data =
        memory_.emplace(matrix.rows * matrix.columns * size, "allocating memory for a matrix").data();
    // Keeps the order of dimensions, so that long runs are copied at once.
    if (is_by_columns())
      matrix_.row_stride = 1, matrix_.column_stride = matrix.rows;
    else
      matrix_.column_stride = 1, matrix_.row_stride = matrix.columns;
    if (is_read) transfer<cudaMemcpyHostToDevice>(stream);
  }
  const MatrixOperand& matrix() const { return matrix_; }

  /// Copies the matrix back to host memory, if it is a copy.
  void bring_back(cudaStream_t stream) {
    if (memory_) transfer<cudaMemcpyDeviceToHost>(stream);
  }

 private:
  bool is_by_columns() const { return original_.row_stride == 1 && original_.column_stride != 1; }

  /// Synchronous.
  template <cudaMemcpyKind Kind>
  void transfer(cudaStream_t stream) const {
    constexpr const char* doing = "copying a matrix";
    MatrixOperand there = original_, here = matrix_;
    if (is_by_columns()) there = there.transposed(), here = here.transposed();
    const std::int64_t size = size_of(there.type);
    const auto width = static_cast<std::size_t>(there.columns * size);
    auto* const memory = const_cast<std::byte*>(here.data);     // NOLINT: of a copy
    auto* const original = const_cast<std::byte*>(there.data);  // NOLINT: written only if it is C
    if (there.column_stride == 1 && there.row_stride >= there.columns) {
      const auto pitch = static_cast<std::size_t>(there.row_stride * size);
      const auto rows = static_cast<std::size_t>(there.rows);
      check(Kind == cudaMemcpyHostToDevice
                ? cudaMemcpy2DAsync(memory, width, original, pitch, width, rows, Kind, stream)
                : cudaMemcpy2DAsync(original, pitch, memory, width, width, rows, Kind, stream),
            doing);
      return check(cudaStreamSynchronize(stream), doing);
    }
    // Any strides: through one dense row at a time.
    std::vector<std::byte> row(width);
    for (std::int64_t i = 0; i < there.rows; ++i) {
      const auto each = [&](auto action) {
        for (std::int64_t j = 0; j < there.columns; ++j)
          action(row.data() + j * size, original + (there.at(i, j) - there.data));
      };
      const auto bytes = static_cast<std::size_t>(size);
      std::byte* const on_device = memory + i * there.columns * size;
      if constexpr (Kind == cudaMemcpyHostToDevice) {
        each([&](std::byte* to, const std::byte* from) { std::copy_n(from, bytes, to); });
        check(cudaMemcpyAsync(on_device, row.data(), width, Kind, stream), doing);
        check(cudaStreamSynchronize(stream), doing);
      } else {
        check(cudaMemcpyAsync(row.data(), on_device, width, Kind, stream), doing);
        check(cudaStreamSynchronize(stream), doing);
        each([&](const std::byte* from, std::byte* to) { std::copy_n(from, bytes, to); });
      }
    }
  }

  MatrixOperand matrix_, original_;
  std::optional<Buffer> memory_;
};

void fast_product(const MatrixProduct& product, Resources& resources, cudaStream_t stream) {
  // cuBLAS was at least as fast as a kernel of tensor cores here for every size that was measured.
  resources.make_cublas();
  if (resources.cublas != nullptr && suits_cublas(product))
    product_by_cublas(product, resources.cublas, stream);
  else
    product_by_threads(product, stream);
}

}  // namespace

void matrix_product(const MatrixProduct& product, const Plan& plan, void* stream_of_caller) {
  const auto stream = static_cast<cudaStream_t>(stream_of_caller);
  const int device = plan.device.index;
  const DeviceGuard guard(device);
  const OnDevice a(product.a, device, true, stream), b(product.b, device, true, stream);
  OnDevice c(product.c, device, product.beta != 0, stream);
  const MatrixProduct there = {a.matrix(), b.matrix(), c.matrix(), product.alpha, product.beta};
  const Lease resources(device);
  if (plan.accuracy == Accuracy::fast)
    fast_product(there, *resources.operator->(), stream);
  else
    exact_product(there, plan, *resources.operator->(), stream);
  check(cudaStreamSynchronize(stream), "a matrix product");
  c.bring_back(stream);
}

}  // namespace foldline::cuda
