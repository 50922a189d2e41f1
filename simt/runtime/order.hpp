// Which accesses are ordered by fences and flags: what one thread has done before a fence and an atomic or
// volatile write of a flag comes before what another does after it has read the flag so and passed a fence.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace simt {

struct Block;
struct Lane;
struct FlagLog;

/// The first `count` releases of a flag are known.
struct Knowledge {
  FlagLog* flag;
  std::uint32_t count;
};

/// The time of each thread's last fence before a barrier of its block; 0 if it had none.
using Fences = std::shared_ptr<const std::vector<std::uint32_t>>;

/// A thread has released: all that it, up to fence_time, and its block, up to barrier_time, had done; and
/// what others of its block had done before fences of their own, if a barrier lies between.
struct Release {
  std::uint32_t block, thread, fence_time, barrier_time;
  std::vector<Knowledge> known;
  Fences fences;
};

/// What was released through one address, in order.
struct FlagLog {
  std::uintptr_t address;
  std::vector<Release> releases;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> of_block;  ///< their numbers
};

/// What a thread, or all of a block since its last barrier, knows of others.
struct LaneSync {
  std::vector<Knowledge> seen;  ///< flags that were read; a fence makes them known
  std::vector<Knowledge> known;
  bool fenced = false;
  std::uint32_t fence_time = 0, barrier_time = 0;  ///< at the last fence
  std::vector<Knowledge> known_at_fence;
  Fences fences;  ///< of a block: at its last barrier
};

class Ordering {
 public:
  void clear() { flags_.clear(); }
  void fence(Lane& lane);
  void barrier(Block& block);
  /// Of an atomic, volatile or cache-hinted access.
  void read_flag(Lane& lane, std::uintptr_t address);
  void write_flag(Lane& lane, std::uintptr_t address);

  /// Does what thread `thread` of block `block` did at `time` come before what the lane does now? `address`
  /// is where it was done, and `is_flag` that it was done as flags are written and read.
  bool is_before(const Lane& lane, std::uint32_t block, std::uint32_t thread, std::uint32_t time,
                 std::uintptr_t address, bool is_flag) const;

 private:
  std::unordered_map<std::uintptr_t, FlagLog> flags_;
};

}  // namespace simt
