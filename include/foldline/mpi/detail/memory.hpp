/// @file
/// Arrays in the memory of a GPU: MPI takes their addresses if it knows CUDA, and else copies in the memory
/// of the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "foldline/context.hpp"
#include "foldline/device_memory.hpp"
#include "foldline/mpi/error.hpp"
#include "foldline/vector_view.hpp"
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

namespace foldline::mpi::detail {

/// Copies elements of any strides.
inline void copy(const VectorView& from, const MutableVectorView& to) {
  const auto size = static_cast<std::size_t>(size_of(from.type()));
  if (from.size() == 0) return;
  if (from.stride() == 1 && to.stride() == 1) {
    std::memcpy(to.at(0), from.at(0), size * static_cast<std::size_t>(from.size()));
    return;
  }
  for (std::int64_t i = 0; i < from.size(); ++i) std::memcpy(to.at(i), from.at(i), size);
}

/// What is asked of a GPU; tests put another one in its place.
class GpuMemory {
 public:
  GpuMemory() = default;
  GpuMemory(const GpuMemory&) = delete;
  GpuMemory& operator=(const GpuMemory&) = delete;
  virtual ~GpuMemory() = default;

  [[nodiscard]] virtual bool has(const Device& device, const void* data) const {
    return is_in_memory_of(device, data);
  }
  [[nodiscard]] virtual std::shared_ptr<std::byte> allocate(const Device& device, std::int64_t bytes,
                                                            DeviceBuffer::Kind kind) const {
    const auto buffer = std::make_shared<DeviceBuffer>(device, bytes, kind);
    return {buffer, buffer->data()};
  }
  virtual void copy(const void* from, void* to, std::int64_t bytes, const Execution& execution) const {
    copy_bytes(from, to, bytes, execution);
  }
  /// Whether MPI takes addresses in the memory of a GPU.
  [[nodiscard]] virtual bool is_known_to_mpi() const {
#if (defined(MPIX_CUDA_AWARE_SUPPORT) && MPIX_CUDA_AWARE_SUPPORT) || \
    (defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40000000) ||   \
    (defined(I_MPI_NUMVERSION) && I_MPI_NUMVERSION >= 20211900000)
    return MPIX_Query_cuda_support() == 1;
#else
    return false;
#endif
  }
  /// The context of sums of data on the GPU.
  [[nodiscard]] virtual Context sums(const Context& context) const { return context; }

  /// The one in use.
  static const GpuMemory*& used() {
    static const GpuMemory real;
    static const GpuMemory* now = &real;
    return now;
  }
};

/// Where a call's arrays are, and so where its buffers are and who adds up.
class Memory {
 public:
  /// In the memory of the host.
  Memory(const Context& context = {})  // NOLINT(google-explicit-constructor): nothing else to say
      : context_(context), sums_(context) {}
  /// Throws InvalidArgument if one array is on the GPU of the context and the other is not, or if one that is
  /// has a stride.
  Memory(const VectorView& x, const MutableVectorView& out, const Context& context)
      : context_(context), sums_(context) {
    if (context.execution.device.kind != Device::Kind::cuda || (x.size() == 0 && out.size() == 0)) return;
    const GpuMemory& gpu = *GpuMemory::used();
    const auto is_there = [&](const void* data) { return gpu.has(context.execution.device, data); };
    is_on_gpu_ = is_there(x.size() > 0 ? x.data() : out.data());
    if (x.size() > 0 && out.size() > 0 && is_there(out.data()) != is_on_gpu_)
      throw InvalidArgument(
          "one array is in the memory of the device, the other in the host's; copy one of them");
    if (!is_on_gpu_) return;
    if ((x.size() > 1 && x.stride() != 1) || (out.size() > 1 && out.stride() != 1))
      throw InvalidArgument("arrays on a GPU must be contiguous; copy what has a stride");
    is_direct_ = gpu.is_known_to_mpi();
    sums_ = is_direct_ ? gpu.sums(context) : Context{context.accuracy, context.overflow, {}};
  }

  /// Whether MPI cannot take the arrays as they are.
  [[nodiscard]] bool is_staged() const { return is_on_gpu_ && !is_direct_; }
  /// The context of the sums: of a staged array the processor's.
  [[nodiscard]] const Context& sums() const { return sums_; }

  /// Bytes for messages and results.
  [[nodiscard]] std::shared_ptr<std::byte> allocate(std::int64_t bytes) const {
    if (!is_on_gpu_)
      return {new std::byte[static_cast<std::size_t>(bytes)], std::default_delete<std::byte[]>()};
    return GpuMemory::used()->allocate(context_.execution.device, bytes,
                                       is_direct_ ? DeviceBuffer::Kind::device : DeviceBuffer::Kind::pinned);
  }
  /// Copies elements between arrays and buffers.
  void copy(const VectorView& from, const MutableVectorView& to) const {
    if (!is_on_gpu_)
      detail::copy(from, to);
    else if (from.size() != 0)
      GpuMemory::used()->copy(from.data(), to.data(), from.size() * size_of(from.type()), context_.execution);
  }
  /// Sets bytes of a buffer to 0.
  void clear(std::byte* bytes, std::int64_t count) const {
    if (count == 0) return;
    if (!is_on_gpu_ || !is_direct_) {
      std::memset(bytes, 0, static_cast<std::size_t>(count));
    } else {
      const std::vector<std::byte> zeros(static_cast<std::size_t>(count));
      GpuMemory::used()->copy(zeros.data(), bytes, count, context_.execution);
    }
  }
  /// Waits for what is queued in the stream of the context, before MPI reads it where it is.
  void wait() const {
    if (is_on_gpu_ && is_direct_) GpuMemory::used()->copy(nullptr, nullptr, 0, context_.execution);
  }

 private:
  Context context_, sums_;
  bool is_on_gpu_ = false, is_direct_ = false;
};

}  // namespace foldline::mpi::detail
