// The stack with which a warp keeps the threads that a branch has parted, until they meet again.
#pragma once

#include <cstdint>
#include <vector>

namespace simt::model {

class SimtStack {
 public:
  struct Entry {
    std::uint32_t lanes;
    std::uint32_t meets;  ///< the place at which they wait for the entry below; 0: none
    std::uint32_t block;  ///< the basic block that they run
  };

  void start(std::uint32_t lanes) { entries_.assign(1, {lanes, 0, 0}); }
  bool empty() const { return entries_.empty(); }
  Entry& top() { return entries_.back(); }
  const std::vector<Entry>& entries() const { return entries_; }
  void pop() { entries_.pop_back(); }

  /// Before push() for each way that some of the lanes of the top take, to meet again at `meets`.
  void part(std::uint32_t meets) {
    // A loop's lanes that leave wait where those wait that left before: one entry does for them.
    if (meets != 0 && meets == top().meets) pop();
  }
  void push(std::uint32_t lanes, std::uint32_t meets, std::uint32_t block) {
    entries_.push_back({lanes, meets, block});
  }

 private:
  std::vector<Entry> entries_;
};

}  // namespace simt::model
