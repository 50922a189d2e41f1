// Threads compute pieces in parallel and deliver the results in order.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace foldline::cli {

class InTurn {
 public:
  /// Calls work() when every piece before `number` has had its turn; never if one of them failed.
  template <class Work>
  void take(std::int64_t number, const Work& work) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return next_ == number || failed_; });
    if (failed_) return;
    work();
    ++next_;
    changed_.notify_all();
  }
  /// After a failure: wakes the threads that wait, since a piece will never be delivered.
  void fail() {
    const std::lock_guard lock(mutex_);
    failed_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t next_ = 0;
  bool failed_ = false;
};

}  // namespace foldline::cli
