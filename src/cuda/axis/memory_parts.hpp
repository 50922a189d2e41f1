// Memory for several arrays at once.
#pragma once

#include <cstddef>

namespace foldline::cuda {

/// Memory for parts at multiples of 256 bytes: first to count them, then to hand them out.
class Parts {
 public:
  explicit Parts(std::byte* memory = nullptr) : memory_(memory) {}
  std::byte* take(std::size_t bytes) {
    std::byte* const part = memory_ == nullptr ? nullptr : memory_ + size_;
    size_ += (bytes + 255) / 256 * 256;
    return part;
  }
  std::size_t size() const { return size_; }

 private:
  std::byte* memory_;
  std::size_t size_ = 0;
};

}  // namespace foldline::cuda
