#include "foldline/device_memory.hpp"

#include <mutex>
#include <vector>

#include "contract/backend.hpp"
#include "cuda/runtime/check.hpp"
#include "cuda/runtime/memory_space.hpp"

namespace foldline {

namespace {

/// Pinned memory that nobody uses. It is reached from every device, and stays to the end of the program: the
/// CUDA runtime may be gone before destructors run.
class FreePinned {
 public:
  struct Block {
    std::byte* data;
    std::int64_t bytes;
  };
  /// One of at least so many bytes, and not many more; none is {nullptr, 0}.
  Block take(std::int64_t bytes) {
    const std::lock_guard lock(mutex_);
    for (Block& block : blocks_)
      if (block.bytes >= bytes && block.bytes / 2 <= bytes) {
        const Block taken = block;
        block = blocks_.back();
        blocks_.pop_back();
        return taken;
      }
    return {nullptr, 0};
  }
  /// Whether it was taken; else it is the caller's to free.
  bool give(const Block& block) {
    constexpr std::size_t most = 4;
    const std::lock_guard lock(mutex_);
    if (blocks_.size() >= most) return false;
    blocks_.push_back(block);
    return true;
  }
  static FreePinned& instance() {
    static FreePinned* const blocks = new FreePinned;
    return *blocks;
  }

 private:
  FreePinned() { blocks_.reserve(4); }
  std::mutex mutex_;
  std::vector<Block> blocks_;
};

}  // namespace

bool is_in_memory_of(const Device& device, const void* data) {
  return device.kind == Device::Kind::cuda &&
         cuda::memory_space_of(data, device.index) == cuda::MemorySpace::device;
}

void copy_bytes(const void* from, void* to, std::int64_t bytes, const Execution& execution) {
  const cuda::DeviceGuard guard(execution.device.index);
  auto* const stream = static_cast<cudaStream_t>(execution.stream);
  if (bytes != 0)
    cuda::check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDefault, stream),
                "copying data");
  cuda::check(cudaStreamSynchronize(stream), "copying data");
}

DeviceBuffer::DeviceBuffer(const Device& device, std::int64_t bytes, Kind kind)
    : bytes_(bytes), device_(device), kind_(kind) {
  if (bytes == 0) return;
  cuda::require_device(device.index);
  const cuda::DeviceGuard guard(device.index);
  void* memory = nullptr;
  if (kind == Kind::pinned) {
    const FreePinned::Block block = FreePinned::instance().take(bytes);
    if (block.data != nullptr) {
      data_ = block.data;
      bytes_ = block.bytes;
      return;
    }
    cuda::check(cudaHostAlloc(&memory, static_cast<std::size_t>(bytes), cudaHostAllocPortable),
                "allocating pinned memory");
  } else {
    cuda::check(cudaMalloc(&memory, static_cast<std::size_t>(bytes)), "allocating memory of the device");
  }
  data_ = static_cast<std::byte*>(memory);
}

DeviceBuffer::~DeviceBuffer() {
  if (data_ == nullptr) return;
  if (kind_ == Kind::device)
    cudaFree(data_);
  else if (!FreePinned::instance().give({data_, bytes_}))
    cudaFreeHost(data_);
}

}  // namespace foldline
