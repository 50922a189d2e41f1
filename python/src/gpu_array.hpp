// What a Python caller gives as an array in the memory of a GPU, and new ones for results.
#pragma once

#include <vector>

#include "array.hpp"
#include "gpu.hpp"

namespace foldline::python {

/// An array whose `data` is an address of the device; read where it lies.
struct GpuArray : Array {
  GpuLibrary library = GpuLibrary::none;
  int device = 0;
  void* stream = nullptr;  // the caller's current one, a cudaStream_t
};

/// Throws TypeErrors that name `caller`. Work in `stream` comes after what made the elements.
GpuArray gpu_array_from(nb::handle x, const char* caller);

/// Whether its library has a current stream, in which memory that is given back is not used again before the
/// work that was queued is done. For others calls wait for their results.
inline bool has_current_stream(const GpuArray& x) {
  return x.library == GpuLibrary::torch || x.library == GpuLibrary::cupy;
}

/// Throws unless both arrays are of one library and device.
void require_one_device(const GpuArray& x, const GpuArray& y, const char* caller);

/// The same elements as numbers of another type, in a new array of the device.
GpuArray converted(const GpuArray& x, ElementType type, const char* caller);

/// Makes two arrays of one library and device such as views describe, of one type: copies of them, in which
/// each element is the number that it is, if they are not. Throws a TypeError if no type holds both.
void bring_together(GpuArray& x, GpuArray& y, const char* caller);

/// 0, 1, ...
std::vector<std::int64_t> all_axes(std::int64_t count);

/// The axes in the order of an array whose reduced ones are the last.
std::vector<std::int64_t> reduced_last(const std::vector<bool>& is_reduced);

/// The same elements in a new array of the device, whose axes are those of x in another order, and lie
/// densely in that order. Throws NotImplementedError if its library cannot.
GpuArray copied(const GpuArray& x, const std::vector<std::int64_t>& order, const char* caller);

/// x, or a copy of it, that is dense in row-major order.
GpuArray dense(const GpuArray& x, const char* caller);

/// PyTorch's dtype; None for one that it lacks.
nb::object torch_dtype_of(ElementType type);

/// A new array for results, dense in row-major order, of the library, device and stream of another.
class GpuOutput {
 public:
  GpuOutput(const GpuArray& like, const AxisValues& shape, ElementType type, const char* caller);

  /// One that is copied to the caller's array, in the same stream, if `out` is not None. `dtype`, unless it
  /// is None, is the type that results are rounded to first. Throws as NumPy.
  static GpuOutput make(nb::handle out, nb::handle dtype, const AxisValues& shape, ElementType usual,
                        const GpuArray& like, const char* caller);

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] ElementType type() const { return type_; }
  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] const AxisValues& shape() const { return shape_; }
  /// In bytes.
  [[nodiscard]] const AxisValues& strides() const { return strides_; }
  /// Along the axes that are kept.
  [[nodiscard]] AxisValues kept_strides(const std::vector<bool>& is_reduced, bool keepdims) const;
  /// What the caller gets.
  nb::object finish();

 private:
  GpuLibrary library_;
  nb::object array_, giver_, out_;
  std::byte* data_ = nullptr;
  ElementType type_;
  AxisValues shape_, strides_;
  std::int64_t size_;
};

}  // namespace foldline::python
