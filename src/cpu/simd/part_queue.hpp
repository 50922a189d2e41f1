// Distributes the parts of a vector over threads.
#pragma once

#include <atomic>
#include <cstdint>

namespace foldline::cpu {

/// Hands out the parts of a vector to the threads that work on it, in order.
class PartQueue {
 public:
  PartQueue(std::int64_t size, std::int64_t part) : size_(size), part_(part) {}

  /// Whether the vector is one part.
  bool is_whole() const { return part_ >= size_; }

  /// The next part as [first, first + count); false when there is none left.
  bool take(std::int64_t& first, std::int64_t& count) {
    // Compared before adding: a finished queue that is asked again must not overflow.
    if (next_.load(std::memory_order_relaxed) >= size_) return false;
    // One part means one thread (see plan): an atomic addition would take a tenth of a short sum's time.
    if (is_whole()) {
      first = 0;
      next_.store(size_, std::memory_order_relaxed);
    } else {
      first = next_.fetch_add(part_, std::memory_order_relaxed);
    }
    if (first >= size_) return false;
    count = size_ - first < part_ ? size_ - first : part_;
    return true;
  }

 private:
  std::atomic<std::int64_t> next_{0};
  const std::int64_t size_, part_;
};

}  // namespace foldline::cpu
